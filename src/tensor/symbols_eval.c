// symbols_eval.c - what an expression comes to when every name has a value: for estimates, where one example
// stands for all shapes. Recursion is bounded by the depth of expressions.
#include "tensor/symbols.h"

static bool eval(const weft_symbols *p, size_t index, weft__name_value_fn value, void *ctx, int64_t *out);

static bool eval_atom(const weft_symbols *p, const weft__atom *a, weft__name_value_fn value, void *ctx,
                      int64_t *out) {
  int64_t first;
  int64_t next;
  if (a->kind == WEFT__ATOM_NAME) {
    *out = value(ctx, a->id, a->lo, a->hi);
    return true;
  }
  if (!eval(p, a->args[0], value, ctx, &first))
    return false;
  if (a->kind == WEFT__ATOM_FLOORDIV) {
    *out = first / a->by - (first % a->by < 0);
    return true;
  }
  for (size_t i = 1; i < a->n_args; i++) {
    if (!eval(p, a->args[i], value, ctx, &next))
      return false;
    first = a->kind == WEFT__ATOM_MAX ? WEFT_MAX(first, next) : WEFT_MIN(first, next);
  }
  *out = first;
  return true;
}

static bool eval(const weft_symbols *p, size_t index, weft__name_value_fn value, void *ctx, int64_t *out) {
  const weft__expr *e = p->exprs.v[index];
  int64_t sum = e->constant;
  for (uint32_t i = 0; i < e->n; i++) {
    int64_t part = e->term[i].coef;
    int64_t one;
    for (uint32_t k = 0; k < e->term[i].degree; k++) {
      if (!eval_atom(p, p->atoms.v[e->term[i].atom[k]], value, ctx, &one) ||
          __builtin_mul_overflow(part, one, &part))
        return false;
    }
    if (__builtin_add_overflow(sum, part, &sum))
      return false;
  }
  *out = sum;
  return true;
}

bool weft__dim_eval(const weft_symbols *p, weft_dim d, weft__name_value_fn value, void *ctx, int64_t *out) {
  size_t index;
  if (d >= 0)
    return *out = d, true;
  return weft__symbol_index(p, d, &index) && eval(p, index, value, ctx, out) && *out >= 0;
}
// SPDX-License-Identifier: Apache-2.0
