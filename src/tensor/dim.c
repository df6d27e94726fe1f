// dim.c - weft_dim_*: arithmetic on dims. Known numbers never touch the pool; symbols go through polynomials
// (symbols.c). Unknown with anything is unknown, but for a product with 0.
#include "tensor/symbols.h"

bool weft_dim_is_known(weft_dim d) {
  return d >= 0;
}
bool weft_dim_is_symbol(weft_dim d) {
  return d < WEFT_DIM_SYMBOL_LIMIT && d != WEFT_DIM_INVALID;
}
bool weft_dim_same(weft_dim a, weft_dim b) {
  return a == b && (a >= 0 || weft_dim_is_symbol(a));
}

static weft_dim sum(weft_symbols *p, weft_dim a, weft_dim b, int64_t times) {
  weft__poly x;
  weft__poly y;
  if (!p || (a < 0 && !weft_dim_is_symbol(a)) || (b < 0 && !weft_dim_is_symbol(b)))
    return WEFT_DIM_UNKNOWN;
  weft__poly_load(p, a, &x);
  weft__poly_load(p, b, &y);
  weft__poly_add(&x, &y, times);
  return weft__poly_finish(p, &x);
}

weft_dim weft_dim_add(weft_symbols *p, weft_dim a, weft_dim b) {
  if (a >= 0 && b >= 0)
    return a <= INT64_MAX - b ? a + b : WEFT_DIM_UNKNOWN;
  return sum(p, a, b, 1);
}

weft_dim weft_dim_sub(weft_symbols *p, weft_dim a, weft_dim b) {
  if (a >= 0 && b >= 0)
    return a >= b ? a - b : WEFT_DIM_UNKNOWN;
  return sum(p, a, b, -1);
}

weft_dim weft_dim_mul(weft_symbols *p, weft_dim a, weft_dim b) {
  weft__poly x;
  weft__poly y;
  weft__poly z;
  if (a == 0 || b == 0)
    return 0;  // whatever the other is
  if (a > 0 && b > 0)
    return a <= INT64_MAX / b ? a * b : WEFT_DIM_UNKNOWN;
  weft__poly_load(p, a, &x);
  weft__poly_load(p, b, &y);
  weft__poly_mul(&z, &x, &y);
  return weft__poly_finish(p, &z);
}

weft_dim weft_dim_floordiv(weft_symbols *p, weft_dim a, int64_t by) {
  weft__poly x;
  if (by < 1)
    return WEFT_DIM_UNKNOWN;
  if (a >= 0)
    return a / by;
  weft__poly_load(p, a, &x);
  weft__poly_floordiv(p, &x, by);
  return weft__poly_finish(p, &x);
}

weft_dim weft_dim_ceildiv(weft_symbols *p, weft_dim a, int64_t by) {
  weft__poly x;
  if (by < 1)
    return WEFT_DIM_UNKNOWN;
  if (a >= 0)
    return a / by + (a % by != 0);
  weft__poly_load(p, a, &x);
  if (!weft__add_i64(x.constant, by - 1, &x.constant))
    return WEFT_DIM_UNKNOWN;
  weft__poly_floordiv(p, &x, by);
  return weft__poly_finish(p, &x);
}

// a / b as terms; false when it leaves a rest.
static bool term_div(const weft__term *a, const weft__term *b, weft__term *out) {
  uint32_t k = 0;
  *out = (weft__term){0};
  if (b->coef == -1 || a->coef % b->coef)
    return false;  // -1: INT64_MIN / -1; nobody divides by -N
  out->coef = a->coef / b->coef;
  for (uint32_t i = 0; i < a->degree; i++) {
    if (k < b->degree && a->atom[i] == b->atom[k])
      k++;
    else
      out->atom[out->degree++] = a->atom[i];
  }
  return k == b->degree;
}

// Long division by leading terms; the order of terms makes the leading one smaller each round.
static bool poly_div(weft__poly *a, const weft__poly *b, weft__poly *out) {
  weft__poly_constant(out, 0);
  weft__term constant_b = {.coef = b->constant};
  weft__term t;
  for (int round = 0; round < 4 * WEFT__POLY_TERMS && !a->unknown && !weft__poly_is_zero(a); round++) {
    weft__term constant_a = {.coef = a->constant};
    if (!term_div(a->n ? &a->term[0] : &constant_a, b->n ? &b->term[0] : &constant_b, &t))
      return false;
    if (t.degree)
      weft__poly_add_term(out, &t);
    else if (!weft__add_i64(out->constant, t.coef, &out->constant))
      return false;
    if (t.coef == INT64_MIN)
      return false;
    t.coef = -t.coef;
    weft__poly_add_times_term(a, b, &t);
  }
  return weft__poly_is_zero(a) && !out->unknown;
}

weft_dim weft_dim_div_exact(weft_symbols *p, weft_dim a, weft_dim b) {
  weft__poly x;
  weft__poly y;
  weft__poly z;
  if (b == 0)
    return WEFT_DIM_UNKNOWN;
  if (a >= 0 && b > 0)
    return a % b ? WEFT_DIM_UNKNOWN : a / b;
  weft__poly_load(p, a, &x);
  weft__poly_load(p, b, &y);
  if (!x.unknown && a == b)
    return 1;
  if (x.unknown || y.unknown || !poly_div(&x, &y, &z))
    return WEFT_DIM_UNKNOWN;
  return weft__poly_finish(p, &z);
}

static weft_dim extremum(weft_symbols *p, uint8_t kind, weft_dim a, weft_dim b) {
  weft__poly x;
  weft__poly y;
  weft__poly_load(p, a, &x);
  weft__poly_load(p, b, &y);
  weft__poly_extremum(p, kind, &x, &y);
  return weft__poly_finish(p, &x);
}

weft_dim weft_dim_max(weft_symbols *p, weft_dim a, weft_dim b) {
  if (a >= 0 && b >= 0)
    return WEFT_MAX(a, b);
  return extremum(p, WEFT__ATOM_MAX, a, b);
}

weft_dim weft_dim_min(weft_symbols *p, weft_dim a, weft_dim b) {
  if (a >= 0 && b >= 0)
    return WEFT_MIN(a, b);
  return extremum(p, WEFT__ATOM_MIN, a, b);
}

void weft_dim_bounds(const weft_symbols *p, weft_dim d, int64_t *out_min, int64_t *out_max) {
  if (!out_min || !out_max)
    return;
  size_t index;
  *out_min = WEFT_MAX(d, 0);
  *out_max = WEFT_MAX(d, -1);
  if (d >= 0 || !weft__symbol_index(p, d, &index))
    return;
  int64_t lo;
  int64_t hi;
  weft__expr_bounds(p, index, &lo, &hi);
  *out_min = WEFT_MAX(lo, 0);
  *out_max = hi == WEFT__PLUS_INF ? -1 : WEFT_MAX(hi, 0);
}
// SPDX-License-Identifier: Apache-2.0
