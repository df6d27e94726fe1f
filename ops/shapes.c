// shapes.c - inference helpers that built-in operators share. Dims go through weft_dim_* only, so that
// unknown and symbolic dims pass through every rule.
#include "op.h"
#include "axis.rule.h"
#include "dims_move.h"

weft_status weft__expect_rank(const weft_infer *it, uint32_t in, size_t min, size_t max) {
  const weft_shape *s = it->in[in];
  if (weft_shape_is_unknown_rank(s) || (s->rank >= min && s->rank <= max))
    return WEFT_OK;
  char want[32];
  char shape[256];
  if (min == max)
    snprintf(want, sizeof want, "rank %zu", min);
  else
    snprintf(want, sizeof want, "rank %zu to %zu", min, max);
  return weft_fail(it->d, WEFT_E_SHAPE, "input '%s': expected %s, got %zu (shape %s)",
                   weft__in_name(it->desc, in), want, s->rank,
                   weft_shape_text(s, it->symbols, shape, sizeof shape));
}

weft_status weft__same(weft_infer *it, uint32_t out, uint32_t in) {
  it->out_kind[out] = it->in_kind[in];
  weft_shape_copy(it->out[out], it->in[in]);
  return WEFT_OK;
}

weft_status weft__infer_same(weft_infer *it) {
  for (uint32_t i = 0; i < it->n_out; i++)
    WEFT_TRY(weft__same(it, i, 0));
  return WEFT_OK;
}

weft_status weft__unknown_rank(weft_infer *it, uint32_t out) {
  weft_shape_set_unknown_rank(it->out[out]);
  return WEFT_OK;
}

weft_status weft__unknown_dims(weft_infer *it, uint32_t out, size_t rank) {
  if (rank > WEFT_MAX_RANK)
    return weft_fail(it->d, WEFT_E_LIMIT, "output rank %zu is over the limit of %d", rank, WEFT_MAX_RANK);
  it->out[out]->rank = rank;
  for (size_t i = 0; i < rank; i++)
    it->out[out]->dim[i] = -1;
  return WEFT_OK;
}

weft_status weft__scalar(weft_infer *it, uint32_t out) {
  it->out[out]->rank = 0;
  return WEFT_OK;
}

// Is b = min(a, c) with c >= 1? Where the two broadcast at all they are equal: of a dim over c nothing
// broadcasts with c but 1, and 1 stays 1. So do exporters cut tables of positions and masks to the length at
// hand.
static bool cut_of(weft_symbols *p, weft_dim a, weft_dim b) {
  int64_t least;
  int64_t most;
  if (!p || !weft_dim_is_symbol(a) || !weft_dim_is_symbol(b))
    return false;
  weft_dim_bounds(p, b, &least, &most);
  return most >= 1 && weft_dim_same(weft_dim_min(p, a, most), b);
}

// The broadcast of two dims: 1 gives way; a known dim over 1 decides; two unknown ones stay unknown.
static bool broadcast_dim(weft_symbols *p, weft_dim a, weft_dim b, weft_dim *out) {
  if (weft_dim_same(a, b) || b == 1)
    *out = a;
  else if (a == 1)
    *out = b;
  else if (a >= 0 && b >= 0)
    return false;
  else
    *out = a >= 0 ? a : b >= 0 ? b : cut_of(p, a, b) ? a : cut_of(p, b, a) ? b : -1;
  return true;
}

weft_status weft__broadcast(weft_infer *it, const weft_shape *a, const weft_shape *b, weft_shape *out) {
  if (weft_shape_is_unknown_rank(a) || weft_shape_is_unknown_rank(b)) {
    weft_shape_set_unknown_rank(out);
    return WEFT_OK;
  }
  size_t rank = WEFT_MAX(a->rank, b->rank);
  weft_shape r;
  r.rank = rank;
  for (size_t i = 0; i < rank; i++) {
    weft_dim x = i + a->rank >= rank ? a->dim[i + a->rank - rank] : 1;
    weft_dim y = i + b->rank >= rank ? b->dim[i + b->rank - rank] : 1;
    if (!broadcast_dim(it->symbols, x, y, &r.dim[i])) {
      char s[256];
      char t[256];
      return weft_fail(it->d, WEFT_E_SHAPE,
                       "shapes %s and %s do not broadcast: dims %lld and %lld at axis %zu of the result",
                       weft_shape_text(a, it->symbols, s, sizeof s),
                       weft_shape_text(b, it->symbols, t, sizeof t), (long long)x, (long long)y, i);
    }
  }
  weft_shape_copy(out, &r);
  return WEFT_OK;
}

weft_status weft__infer_broadcast(weft_infer *it) {
  weft_shape_copy(it->out[0], it->in[0]);
  for (uint32_t i = 1; i < it->n_in; i++) {
    weft_status s = weft__broadcast(it, it->out[0], it->in[i], it->out[0]);
    if (s) {
      weft_note(it->d, "broadcasting input '%s' with %s'%s'", weft__in_name(it->desc, i),
                i > 1 ? "the inputs from " : "input ", weft__in_name(it->desc, 0));
      return s;
    }
  }
  return WEFT_OK;
}

weft_status weft__merge_dim(const weft_infer *it, weft_dim a, weft_dim b, const char *what, weft_dim *out) {
  if (a >= 0 && b >= 0 && a != b)
    return weft_fail(it->d, WEFT_E_SHAPE, "%s: %lld and %lld differ", what, (long long)a, (long long)b);
  *out = a >= 0 ? a : b >= 0 ? b : weft_dim_is_symbol(a) ? a : b;
  return WEFT_OK;
}

weft_status weft__axis(weft_diag *d, const char *what, int64_t axis, size_t rank, size_t *out) {
  const int64_t r = (int64_t)rank;
  int64_t from_front = axis;
  if (!weft__axis_inside(&from_front, rank)) {
    if (!rank) {
      return weft_fail(d, WEFT_E_RANGE, "%s: %lld is outside a scalar, which has no axis", what,
                       (long long)axis);
    }
    return weft_fail(d, WEFT_E_RANGE, "%s: %lld is outside [%lld, %lld]", what, (long long)axis,
                     (long long)-r, (long long)r - 1);
  }
  *out = (size_t)from_front;
  return WEFT_OK;
}

weft_status weft__axes(weft_diag *d, const char *what, const int64_t *axes, size_t n, size_t rank,
                       uint32_t *out_mask) {
  uint32_t mask = 0;
  for (size_t i = 0; i < n; i++) {
    size_t a;
    WEFT_TRY(weft__axis(d, what, axes[i], rank, &a));
    if (mask >> a & 1)
      return weft_fail(d, WEFT_E_DUPLICATE, "%s: axis %zu is given twice", what, a);
    mask |= UINT32_C(1) << a;
  }
  *out_mask = mask;
  return WEFT_OK;
}

weft_status weft__in_ints(const weft_infer *it, uint32_t in, int64_t *out, size_t cap, int64_t *out_n,
                          bool *out_known) {
  const weft_shape *s = it->in[in];
  *out_n = -1;
  *out_known = false;
  if (!weft_shape_is_unknown_rank(s) && s->rank > 1)
    return weft_fail(it->d, WEFT_E_SHAPE, "input '%s': expected rank 0 or 1, got %zu",
                     weft__in_name(it->desc, in), s->rank);
  return weft__in_flat(it, in, out, cap, out_n, out_known);
}

bool weft__has_in(const weft_op_desc *n, uint32_t port, uint32_t *out_instance) {
  int64_t i = weft_port_in(n, port, 0);
  if (i >= 0)
    *out_instance = (uint32_t)i;
  return i >= 0;
}

weft_dim weft__dim_part(const weft_infer *it, weft_dim dim, int64_t by) {
  weft_dim part = weft_dim_div_exact(it->symbols, dim, by);
  return part == WEFT_DIM_UNKNOWN && dim < 0 ? weft_dim_floordiv(it->symbols, dim, by) : part;
}
// SPDX-License-Identifier: Apache-2.0
