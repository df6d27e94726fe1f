// split.c - see split.h.
#include "split.h"

weft_status weft__split_infer(weft_infer *it, uint32_t x, const char *what, int64_t axis, bool axis_known,
                              const weft_dim *size) {
  const weft_shape *s = it->in[x];
  size_t a = 0;
  if (!weft_shape_is_unknown_rank(s) && axis_known)
    WEFT_TRY(weft__axis(it->d, what, axis, s->rank, &a));
  for (uint32_t j = 0; j < it->n_out; j++) {
    if (weft_shape_is_unknown_rank(s)) {
      WEFT_TRY(weft__unknown_rank(it, j));
    } else if (!axis_known) {
      WEFT_TRY(weft__unknown_dims(it, j, s->rank));
    } else {
      WEFT_TRY(weft__same(it, j, x));
      it->out[j]->dim[a] = size[j];
    }
  }
  return WEFT_OK;
}

weft_status weft__split_evenly(weft_infer *it, uint32_t x, const char *what, int64_t axis, bool axis_known) {
  const weft_shape *s = it->in[x];
  weft_dim part = -1;
  weft_dim size[64];
  size_t a;
  if (axis_known && !weft_shape_is_unknown_rank(s)) {
    WEFT_TRY(weft__axis(it->d, what, axis, s->rank, &a));
    if (s->dim[a] >= 0 && s->dim[a] % it->n_out) {
      return weft_fail(it->d, WEFT_E_SHAPE, "dim %zu of x is %lld, which %u equal parts do not divide", a,
                       (long long)s->dim[a], it->n_out);
    }
    part = weft__dim_part(it, s->dim[a], it->n_out);
  }
  for (uint32_t j = 0; j < WEFT_MIN(it->n_out, 64); j++)
    size[j] = part;
  if (it->n_out <= 64)
    return weft__split_infer(it, x, what, axis, axis_known, size);
  for (uint32_t j = 0; j < it->n_out; j++) {
    WEFT_TRY(weft__same(it, j, x));
    if (weft_shape_is_unknown_rank(s))
      continue;
    if (!axis_known)
      WEFT_TRY(weft__unknown_dims(it, j, s->rank));
    else
      it->out[j]->dim[a] = part;
  }
  return WEFT_OK;
}

weft_status weft__split_ref(const weft_call *c, uint32_t x, const char *what, int64_t axis,
                            const int64_t *size) {
  const weft_shape *s = &c->in[x]->layout.origin;
  weft_view v;
  size_t a;
  int64_t at = 0;
  WEFT_TRY(weft__axis(c->d, what, axis, s->rank, &a));
  for (uint32_t j = 0; j < c->n_out; j++) {
    int64_t part = size ? size[j] : s->dim[a] / c->n_out;
    weft__view_init(&v, s);
    v.dim[a] = part;
    weft__view_shift(&v, a, at);
    WEFT_TRY(weft__view_move(c, x, j, &v));
    at += part;
  }
  return WEFT_OK;
}

void weft__split_elems(weft_infer *it, uint32_t x, int64_t axis) {
  const weft_shape *s = it->in[x];
  weft_view v;
  int64_t at = 0;
  int64_t rank = (int64_t)s->rank;
  if (!weft_shape_is_known(s) || !rank)
    return;
  size_t a = (size_t)(axis < 0 ? axis + rank : axis);
  for (uint32_t j = 0; j < it->n_out; j++) {
    weft__view_init(&v, s);
    v.dim[a] = it->out[j]->dim[a];
    weft__view_shift(&v, a, at);
    if (v.dim[a] < 0 || v.dim[a] > s->dim[a] - at)
      return;
    weft__view_elems(it, x, j, &v);
    at += v.dim[a];
  }
}
// SPDX-License-Identifier: Apache-2.0
