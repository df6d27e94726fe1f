// match.c - see match.h.
#include "pass/match.h"
#include "reduce.rule.h"
#include "op_slots.h"

#include <math.h>

static const weft_tensor *match_value_of(const weft_value *v) {
  return v ? v->fact.value : NULL;
}

bool weft__is_known(const weft_value *v) {
  const weft_tensor *t = match_value_of(v);
  return t && t->kind == WEFT_KIND_TENSOR && (t->data || weft__is_remade(v->graph, t));
}

const weft_tensor *weft__known(const weft_value *v) {
  const weft_tensor *t = match_value_of(v);
  if (!t || t->kind != WEFT_KIND_TENSOR)
    return NULL;
  if (!t->data && weft__remake_wake(v->graph, t, false, NULL))
    return NULL;
  return t->data ? t : NULL;
}

static bool load_real(const weft_tensor *t, double *out) {
  if (!weft__is_real(t->dtype))
    return false;
  *out = weft_load_f64(t->dtype, t->data, 0);
  return true;
}

bool weft__number(const weft_value *v, double *out) {
  const weft_tensor *t = match_value_of(v);
  const weft_tensor *one = t && v->graph ? weft__data_number(v->graph, t) : NULL;
  if (one && t->format == t->origin_format && weft_tensor_elems(t) > 0)
    return load_real(one, out);
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
  const weft_tensor *t = match_value_of(v);
  return t && weft_tensor_elems(t) == 1 && weft__number(v, out);
}

bool weft__about(weft_dtype t, double x, double want) {
  const weft_dtype_set halves = WEFT_DT(FLOAT16) | WEFT_DT(BF16);
  double relative = halves & WEFT_BIT(t) ? 4e-3 : 2e-5;
  return fabs(x - want) <= fabs(want) * relative;
}

bool weft__near(const weft_value *v, double want) {
  double x;
  return weft__one_number(v, &x) && weft__about(v->fact.dtype, x, want);
}

int64_t weft__ints(const weft_value *v, int64_t *out, size_t cap) {
  const weft_tensor *t = match_value_of(v);
  if (!t || t->kind != WEFT_KIND_TENSOR)
    return -1;
  bool lists = weft_dtype_is_integer(t->dtype) && t->layout.origin.rank <= 1;
  int64_t n = lists ? weft_tensor_elems(t) : -1;
  bool fits = n >= 0 && (uint64_t)n <= cap;
  if (!fits || (n && !t->data))
    return -1;
  for (int64_t i = 0; i < n; i++)
    out[i] = weft_load_i64(t->dtype, t->data, (size_t)i);
  return n;
}

bool weft__same_shape(const weft_fact *a, const weft_fact *b) {
  if (!weft__fact_ranked(a) || !weft__fact_ranked(b) || a->rank != b->rank)
    return false;
  for (uint32_t i = 0; i < a->rank; i++) {
    if (!weft_dim_same(a->dims[i], b->dims[i]))
      return false;
  }
  return true;
}

bool weft__keeps_shape(const weft_fact *x, const weft_fact *other) {
  if (!weft__fact_ranked(x) || !weft__fact_ranked(other) || other->rank > x->rank)
    return false;
  for (uint32_t i = 0; i < other->rank; i++) {
    weft_dim d = other->dims[i];
    if (d != 1 && !weft_dim_same(d, x->dims[x->rank - other->rank + i]))
      return false;
  }
  return true;
}

// An axis that may be counted from the end; false: there is none.
static bool axis_read(int64_t axis, uint32_t rank, uint32_t *out) {
  int64_t at = axis < 0 ? axis + rank : axis;
  if (at < 0 || at >= rank)
    return false;
  *out = (uint32_t)at;
  return true;
}

bool weft__reduce_axes(const weft_node *n, uint32_t *out_mask) {
  int64_t axes[WEFT_MAX_RANK];
  int64_t count = weft__ints(weft__arg(n, 1), axes, WEFT_COUNT(axes));
  const weft_fact *x = &weft__arg(n, 0)->fact;
  *out_mask = 0;
  if (count < 1 || !weft__fact_ranked(x) || !weft_node_bool(&n->desc.pub, WEFT_REDUCE_KEEP_DIMS))
    return false;
  for (int64_t i = 0; i < count; i++) {
    uint32_t a;
    if (!axis_read(axes[i], x->rank, &a))
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

// The order that a transpose was given, as it stands there; -1: not known, or n is no transpose.
static int64_t perm_given(int kind, const weft_node *n, int64_t order[WEFT_MAX_RANK]) {
  if (kind == WEFT_K_TRANSPOSE)
    return weft__ints(weft__arg(n, 1), order, WEFT_MAX_RANK);
  if (kind != WEFT_K_TRANSPOSE_D)
    return -1;
  weft_ints v = weft_node_ints(&n->desc.pub, WEFT_SLOT_TRANSPOSE_D_PERM);
  if (v.n > WEFT_MAX_RANK)
    return -1;
  for (size_t i = 0; i < v.n; i++)
    order[i] = v.v[i];
  return (int64_t)v.n;
}

bool weft__perm(const weft_pass_run *r, const weft_node *n, uint8_t perm[WEFT_MAX_RANK], size_t *out_rank) {
  int64_t order[WEFT_MAX_RANK];
  int64_t count = perm_given(weft__kind(r, n), n, order);
  if (count < 0)
    return false;
  const weft_fact *x = &weft__arg(n, 0)->fact;
  bool fits = count == 0 || count == x->rank;
  if (!weft__fact_ranked(x) || !fits)
    return false;
  *out_rank = x->rank;
  for (uint32_t i = 0; i < x->rank; i++) {
    uint32_t a;
    int64_t given = count ? order[i] : x->rank - 1 - (int64_t)i;
    if (!axis_read(given, x->rank, &a))
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
  if (weft__kind_in(kind, WEFT_KINDS_DIV) && weft__one_number(b, &number) && number != 0) {
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

const uint16_t weft__kind_groups[WEFT_K_COUNT] = {
    [WEFT_K_RESHAPE] = WEFT_KINDS_VIEW,
    [WEFT_K_SQUEEZE] = WEFT_KINDS_VIEW,
    [WEFT_K_SQUEEZE_V3] = WEFT_KINDS_VIEW,
    [WEFT_K_UNSQUEEZE] = WEFT_KINDS_VIEW,
    [WEFT_K_UNSQUEEZE_V3] = WEFT_KINDS_VIEW,
    [WEFT_K_EXPAND_DIMS] = WEFT_KINDS_VIEW,
    [WEFT_K_FLATTEN] = WEFT_KINDS_VIEW,
    [WEFT_K_FLATTEN_V2] = WEFT_KINDS_VIEW,
    [WEFT_K_CONV] = WEFT_KINDS_CONV,
    [WEFT_K_CONV2D] = WEFT_KINDS_CONV,
    [WEFT_K_MAT_MUL] = WEFT_KINDS_MATMUL,
    [WEFT_K_BATCH_MAT_MUL] = WEFT_KINDS_MATMUL,
    [WEFT_K_GEMM] = WEFT_KINDS_GEMM,
    [WEFT_K_DIV] = WEFT_KINDS_DIV,
    [WEFT_K_REAL_DIV] = WEFT_KINDS_DIV,
    [WEFT_K_CLIP] = WEFT_KINDS_CLIP,
    [WEFT_K_CLIP_V2] = WEFT_KINDS_CLIP,
    [WEFT_K_TRANSPOSE] = WEFT_KINDS_TRANSPOSE,
    [WEFT_K_TRANSPOSE_D] = WEFT_KINDS_TRANSPOSE,
    [WEFT_K_BATCH_NORM] = WEFT_KINDS_NORM,
    [WEFT_K_BN_INFERENCE] = WEFT_KINDS_NORM,
    [WEFT_K_EXPAND] = WEFT_KINDS_EXPAND,
    [WEFT_K_BROADCAST_TO] = WEFT_KINDS_EXPAND,
    [WEFT_K_ADD] = WEFT_KINDS_SWAPS,
    [WEFT_K_MUL] = WEFT_KINDS_SWAPS,
    [WEFT_K_SUB] = WEFT_KINDS_SUB,
    [WEFT_K_RELU] = WEFT_KINDS_RELU,
    [WEFT_K_RELU6] = WEFT_KINDS_RELU,
};

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
    const unsigned value = n->desc.proto->in[p].value;
    if ((value & (WEFT_VALUE_INFER | WEFT_VALUE_OPTIONAL)) != WEFT_VALUE_INFER)
      continue;
    for (uint32_t i = 0; i < desc->in_port[p].count; i++) {
      if (!elements_known(n->in[desc->in_port[p].start + i].value))
        return false;
    }
  }
  return true;
}
// SPDX-License-Identifier: Apache-2.0
