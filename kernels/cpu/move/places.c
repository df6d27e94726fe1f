// places.c - see places.h.
#include "cpu/move/move_ops.h"
#include "cpu/move/places.h"

static bool places_begin(const weft_host *host, weft__places *p, weft_dtype type) {
  memset(p, 0, sizeof *p);
  p->wide = type == WEFT_INT64;
  p->row = weft__move_find(host)->places[p->wide];
  return p->wide || type == WEFT_INT32;
}

// Another axis of places, one with the axis before where offsets go on alike.
static bool add_axis(weft__places *p, size_t size, size_t stride, bool own) {
  const uint32_t n = p->axes;
  if (size == 1)
    return true;
  if (n && !own && p->at != n - 1 && p->stride[n - 1] == stride * size) {
    p->size[n - 1] *= size;
    p->stride[n - 1] = stride;
    return true;
  }
  if (n == WEFT__PLACES_AXES)
    return false;
  if (own)
    p->at = n;
  p->size[n] = size;
  p->stride[n] = stride;
  p->axes++;
  return true;
}

const char *weft__places_elements(const weft_host *host, weft__places *p, const weft_shape *data,
                                  const weft_shape *index, int64_t axis, weft_dtype type) {
  const int64_t rank = (int64_t)data->rank;
  if (!places_begin(host, p, type))
    return "needs indices of i32 or i64";
  axis += axis < 0 ? rank : 0;
  if (axis < 0 || axis >= rank || index->rank != data->rank)
    return "an axis outside the rank";
  p->negative = true;
  p->each = 1;
  p->at = UINT32_MAX;
  p->dim[0] = data->dim[axis];
  p->step[0] = weft__rows_prod(data, (size_t)axis + 1, data->rank);
  p->n = weft__rows_prod(index, 0, index->rank);
  for (size_t k = 0; k < data->rank; k++) {
    const bool own = k == (size_t)axis;
    if (!add_axis(p, (size_t)index->dim[k], own ? 0 : weft__rows_prod(data, k + 1, data->rank), own))
      return "more than 8 axes that do not lie side by side";
  }
  if (!p->axes) {
    p->axes = 1;
    p->size[0] = 1;
    p->stride[0] = 0;
  }
  return NULL;
}

const char *weft__places_tuples(const weft_host *host, weft__places *p, const weft__tuples *of,
                                size_t *out_slice) {
  const weft_shape *data = of->data;
  const weft_shape *index = of->index;
  const size_t batch = of->batch;
  if (!places_begin(host, p, of->type))
    return "needs indices of i32 or i64";
  const size_t k = index->rank ? (size_t)index->dim[index->rank - 1] : 0;
  if (!k || k > WEFT__PLACES_AXES)
    return "tuples of no index or more than 8";
  if (batch + k > data->rank || batch >= index->rank)
    return "tuples longer than the rank";
  p->negative = of->negative;
  p->each = (uint32_t)k;
  size_t step = 1;
  for (size_t i = k; i-- > 0; step *= (size_t)p->dim[i]) {
    p->dim[i] = data->dim[batch + i];
    p->step[i] = step;
  }
  p->axes = 2;
  p->at = UINT32_MAX;
  p->size[0] = weft__rows_prod(index, 0, batch);
  p->stride[0] = step;
  p->size[1] = weft__rows_prod(index, batch, index->rank - 1);
  p->stride[1] = 0;
  p->n = p->size[0] * p->size[1];
  *out_slice = weft__rows_prod(data, batch + k, data->rank);
  return NULL;
}

bool weft__places_find(const weft__places *p, const void *indices, size_t first, size_t n, size_t *out) {
  const uint32_t last = p->axes - 1;
  const size_t bytes = (p->wide ? 8 : 4) * (size_t)p->each;
  size_t index[WEFT__PLACES_AXES];
  size_t rest = first;
  size_t base = 0;
  for (uint32_t k = p->axes; k-- > 0; rest /= p->size[k]) {
    index[k] = rest % p->size[k];
    base += index[k] * p->stride[k];
  }
  const char *x = (const char *)indices + first * bytes;
  while (n) {
    const size_t some = WEFT_MIN(n, p->size[last] - index[last]);
    weft__place_row r = {.every = p->each, .base = base, .stride = p->stride[last], .negative = p->negative};
    for (uint32_t i = 0; i < p->each; i++) {
      r.dim = p->dim[i];
      r.step = p->step[i];
      if (!p->row(&r, x + i * (p->wide ? 8 : 4), some, i > 0, out))
        return false;
    }
    n -= some;
    x += some * bytes;
    out += some;
    base -= index[last] * p->stride[last];
    index[last] = 0;
    for (uint32_t k = last; k-- > 0;) {
      base += p->stride[k];
      if (++index[k] < p->size[k])
        break;
      base -= p->stride[k] * p->size[k];
      index[k] = 0;
    }
  }
  return true;
}
// SPDX-License-Identifier: Apache-2.0
