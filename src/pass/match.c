// match.c - see match.h.
#include "pass/match.h"
#include "reduce.rule.h"
#include "op_slots.h"

bool weft__is_known(const weft_value *v) {
  const weft_tensor *t = v ? v->fact.value : NULL;
  return t && t->kind == WEFT_KIND_TENSOR && (t->data || weft__is_remade(v->graph, t));
}

const weft_tensor *weft__known(const weft_value *v) {
  const weft_tensor *t = v ? v->fact.value : NULL;
  if (!t || t->kind != WEFT_KIND_TENSOR)
    return NULL;
  if (!t->data && weft__remake_wake(v->graph, t, false, NULL))
    return NULL;
  return t->data ? t : NULL;
}

bool weft__number(const weft_value *v, double *out) {
  const weft_tensor *t = v ? v->fact.value : NULL;
  const weft_tensor *one = t && v->graph ? weft__data_number(v->graph, t) : NULL;
  if (one && t->format == t->origin_format && weft_tensor_elems(t) > 0)
    return weft__is_real(one->dtype) ? (*out = weft_load_f64(one->dtype, one->data, 0), true) : false;
  t = weft__known(v);
  int64_t n = t && weft__is_real(t->dtype) && t->format == t->origin_format ? weft_tensor_elems(t) : 0;
  if (n < 1)
    return false;
  size_t bytes = weft_dtype_bits(t->dtype) / 8;
  for (int64_t i = 1; i < n; i++) {
    if (memcmp(t->data, (const char *)t->data + (size_t)i * bytes, bytes))
      return false;
  }
  *out = weft_load_f64(t->dtype, t->data, 0);
  return true;
}

bool weft__one_number(const weft_value *v, double *out) {
  const weft_tensor *t = v ? v->fact.value : NULL;
  return t && weft_tensor_elems(t) == 1 && weft__number(v, out);
}

bool weft__about(weft_dtype t, double x, double want) {
  double d = x > want ? x - want : want - x, size = want < 0 ? -want : want;
  return d <= size * (t == WEFT_FLOAT16 || t == WEFT_BF16 ? 4e-3 : 2e-5);
}

bool weft__near(const weft_value *v, double want) {
  double x;
  return weft__one_number(v, &x) && weft__about(v->fact.dtype, x, want);
}

int64_t weft__ints(const weft_value *v, int64_t *out, size_t cap) {
  const weft_tensor *t = v ? v->fact.value : NULL;
  if (!t || t->kind != WEFT_KIND_TENSOR || !weft_dtype_is_integer(t->dtype) || t->layout.origin.rank > 1)
    return -1;
  int64_t n = weft_tensor_elems(t);
  if (n < 0 || (uint64_t)n > cap || (n && !t->data))
    return -1;
  for (int64_t i = 0; i < n; i++)
    out[i] = weft_load_i64(t->dtype, t->data, (size_t)i);
  return n;
}

bool weft__same_shape(const weft_fact *a, const weft_fact *b) {
  if (!a->set || !b->set || a->unknown_rank || b->unknown_rank || a->rank != b->rank)
    return false;
  for (uint32_t i = 0; i < a->rank; i++) {
    if (!weft_dim_same(a->dims[i], b->dims[i]))
      return false;
  }
  return true;
}

bool weft__keeps_shape(const weft_fact *x, const weft_fact *other) {
  if (!x->set || !other->set || x->unknown_rank || other->unknown_rank || other->rank > x->rank)
    return false;
  for (uint32_t i = 0; i < other->rank; i++) {
    weft_dim d = other->dims[i];
    if (d != 1 && !weft_dim_same(d, x->dims[x->rank - other->rank + i]))
      return false;
  }
  return true;
}

bool weft__reduce_axes(const weft_node *n, uint32_t *out_mask) {
  int64_t axes[WEFT_MAX_RANK];
  int64_t count = weft__ints(weft__arg(n, 1), axes, WEFT_COUNT(axes));
  const weft_fact *x = &weft__arg(n, 0)->fact;
  *out_mask = 0;
  if (count < 1 || !x->set || x->unknown_rank || !weft_node_bool(&n->desc.pub, WEFT_REDUCE_KEEP_DIMS))
    return false;
  for (int64_t i = 0; i < count; i++) {
    int64_t a = axes[i] < 0 ? axes[i] + x->rank : axes[i];
    if (a < 0 || a >= x->rank)
      return false;
    *out_mask |= UINT32_C(1) << a;
  }
  return true;
}

bool weft__with_number(const weft_node *n, double want, bool either, weft_value **out_x) {
  if (n->desc.pub.n_in != 2)
    return false;
  for (uint32_t i = 0; i < (either ? 2u : 1u); i++) {
    if (weft__near(weft__arg(n, 1 - i), want)) {
      *out_x = weft__arg(n, i);
      return true;
    }
  }
  return false;
}

bool weft__perm(const weft_pass_run *r, const weft_node *n, uint8_t perm[WEFT_MAX_RANK], size_t *out_rank) {
  int64_t order[WEFT_MAX_RANK];
  int64_t count;
  int kind = weft__kind(r, n);
  if (kind == WEFT_K_TRANSPOSE) {
    count = weft__ints(weft__arg(n, 1), order, WEFT_COUNT(order));
  } else if (kind == WEFT_K_TRANSPOSE_D) {
    weft_ints v = weft_node_ints(&n->desc.pub, WEFT_SLOT_TRANSPOSE_D_PERM);
    count = v.n <= WEFT_COUNT(order) ? (int64_t)v.n : -1;
    for (int64_t i = 0; i < count; i++)
      order[i] = v.v[i];
  } else {
    return false;
  }
  const weft_fact *x = &weft__arg(n, 0)->fact;
  if (count < 0 || !x->set || x->unknown_rank || (count && count != x->rank))
    return false;
  *out_rank = x->rank;
  for (uint32_t i = 0; i < x->rank; i++) {
    int64_t a = !count ? x->rank - 1 - (int64_t)i : order[i] < 0 ? order[i] + x->rank : order[i];
    if (a < 0 || a >= x->rank)
      return false;
    perm[i] = (uint8_t)a;
  }
  return true;
}

static bool put_factor(weft__factors *out, weft_value *v, int times) {
  for (; times > 0; times--) {
    if (out->n == WEFT_COUNT(out->v))
      return false;
    out->v[out->n++] = v;
  }
  return true;
}

static bool factors(const weft_pass_run *r, weft_value *v, bool top, int depth, weft__factors *out) {
  double number;
  if (weft__one_number(v, &number)) {
    out->scale *= number;
    return true;
  }
  int kind = depth < 4 && (top || weft__one_use(v)) ? weft__kind_by(r, v) : WEFT_K_NONE;
  weft_value *a = kind ? weft__arg(v->node, 0) : NULL;
  weft_value *b = kind ? weft__arg(v->node, 1) : NULL;
  if (kind == WEFT_K_MUL && a == b)
    return put_factor(out, a, 2);
  if (kind == WEFT_K_MUL)
    return factors(r, a, false, depth + 1, out) && factors(r, b, false, depth + 1, out);
  if (kind == WEFT_K_SQUARE)
    return put_factor(out, a, 2);
  if (kind == WEFT_K_POW && weft__one_number(b, &number) && (number == 2 || number == 3))
    return put_factor(out, a, (int)number);
  if ((kind == WEFT_K_DIV || kind == WEFT_K_REAL_DIV) && weft__one_number(b, &number) && number != 0) {
    out->scale /= number;
    return factors(r, a, false, depth + 1, out);
  }
  return put_factor(out, v, 1);
}

bool weft__product(const weft_pass_run *r, weft_value *v, weft__factors *out) {
  out->n = 0;
  out->scale = 1;
  return factors(r, v, true, 0, out);
}

bool weft__kind_is_view(int kind) {
  switch (kind) {
    case WEFT_K_RESHAPE:
    case WEFT_K_SQUEEZE:
    case WEFT_K_SQUEEZE_V3:
    case WEFT_K_UNSQUEEZE:
    case WEFT_K_UNSQUEEZE_V3:
    case WEFT_K_EXPAND_DIMS:
    case WEFT_K_FLATTEN:
    case WEFT_K_FLATTEN_V2:
      return true;
    default:
      return false;
  }
}

static bool elements_known(const weft_value *v) {
  const weft_fact *f = &v->fact;
  if (weft__is_known(v))
    return true;
  if (!f->elems || !weft__fact_known(f))
    return false;
  for (uint32_t i = 0; i < f->n_elems; i++) {
    if (f->elems[i] == WEFT_DIM_INVALID)
      return false;
  }
  return true;
}

bool weft__contents_known(const weft_node *n) {
  const weft_op_desc *desc = &n->desc.pub;
  for (uint32_t p = 0; p < desc->n_in_ports; p++) {
    if (!(n->desc.proto->in[p].value & WEFT_VALUE_INFER))
      continue;
    for (uint32_t i = 0; i < desc->in_port[p].count; i++) {
      if (!elements_known(n->in[desc->in_port[p].start + i].value))
        return false;
    }
  }
  return true;
}
// SPDX-License-Identifier: Apache-2.0
