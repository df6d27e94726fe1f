// axes.c - see axes.h.
#include "axes.h"

static weft_status squeeze_all(weft_infer *it) {
  const weft_shape *x = it->in[0];
  weft_shape y;
  y.rank = 0;
  for (size_t i = 0; i < x->rank; i++) {
    int64_t min = x->dim[i];
    int64_t max = min;
    if (x->dim[i] < 0)
      weft_dim_bounds(it->symbols, x->dim[i], &min, &max);
    if (min <= 1 && max != min && (max >= 1 || max < 0))
      return weft__unknown_rank(it, 0);  // may be 1 or not
    if (min != 1)
      y.dim[y.rank++] = x->dim[i];
  }
  weft_shape_copy(it->out[0], &y);
  return WEFT_OK;
}

weft_status weft__squeeze(weft_infer *it, const char *what, const int64_t *axes, size_t n_axes, bool all) {
  const weft_shape *x = it->in[0];
  uint32_t mask;
  if (weft_shape_is_unknown_rank(x))
    return weft__unknown_rank(it, 0);
  if (all && !n_axes)
    return squeeze_all(it);
  WEFT_TRY(weft__axes(it->d, what, axes, n_axes, x->rank, &mask));
  it->out[0]->rank = 0;
  for (size_t i = 0; i < x->rank; i++) {
    if (!(mask >> i & 1)) {
      it->out[0]->dim[it->out[0]->rank++] = x->dim[i];
    } else if (x->dim[i] >= 0 && x->dim[i] != 1) {
      char text[256];
      return weft_fail(it->d, WEFT_E_SHAPE, "%s: axis %zu of x %s has size %lld, expected 1", what, i,
                       weft_shape_text(x, it->symbols, text, sizeof text), (long long)x->dim[i]);
    }
  }
  return WEFT_OK;
}

weft_status weft__unsqueeze(weft_infer *it, const char *what, const int64_t *axes, size_t n_axes) {
  const weft_shape *x = it->in[0];
  uint32_t mask;
  if (weft_shape_is_unknown_rank(x))
    return weft__unknown_rank(it, 0);
  size_t rank = x->rank + n_axes;
  if (rank > WEFT_MAX_RANK)
    return weft_fail(it->d, WEFT_E_LIMIT, "output rank %zu is over the limit of %d", rank, WEFT_MAX_RANK);
  WEFT_TRY(weft__axes(it->d, what, axes, n_axes, rank, &mask));
  it->out[0]->rank = rank;
  for (size_t i = 0, from = 0; i < rank; i++)
    it->out[0]->dim[i] = mask >> i & 1 ? 1 : x->dim[from++];
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
