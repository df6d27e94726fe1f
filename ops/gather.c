// gather.c - see gather.h. A gather is four nested loops: batch, the axes before, the indices, and a block
// behind.
#include "gather.h"

weft_status weft__checked_index(const weft_call *c, uint32_t in, size_t i, int64_t dim, bool negative,
                                int64_t *out) {
  const weft_tensor *t = c->in[in];
  int64_t v = weft_load_i64(t->dtype, t->data, i);
  int64_t low = negative ? -dim : 0;
  if (v < low || v >= dim) {
    return weft_fail(c->d, WEFT_E_RANGE, "input '%s': element %zu is %lld, outside [%lld, %lld]",
                     weft__in_name(c->desc, in), i, (long long)v, (long long)low, (long long)dim - 1);
  }
  *out = v < 0 ? v + dim : v;
  return WEFT_OK;
}

static weft_status batch_of(weft_diag *d, int64_t batch_dims, size_t axis, size_t index_rank, size_t *out) {
  int64_t rank = (int64_t)index_rank;
  int64_t b = batch_dims;
  if (b < -rank || b > rank) {
    return weft_fail(d, WEFT_E_RANGE, "attribute 'batch_dims': %lld is outside [%lld, %lld]", (long long)b,
                     (long long)-rank, (long long)rank);
  }
  if (b < 0)
    b += rank;
  if (b > (int64_t)axis) {
    return weft_fail(d, WEFT_E_RANGE, "attribute 'batch_dims': %lld is more than the axis, %zu", (long long)b,
                     axis);
  }
  *out = (size_t)b;
  return WEFT_OK;
}

weft_status weft__gather_infer(weft_infer *it, const char *what, int64_t axis, bool axis_known,
                               int64_t batch_dims) {
  const weft_shape *x = it->in[0];
  const weft_shape *indices = it->in[1];
  size_t a;
  size_t batch = 0;
  weft_shape y;
  if (weft_shape_is_unknown_rank(x) || weft_shape_is_unknown_rank(indices))
    return weft__unknown_rank(it, 0);
  if (axis_known) {
    WEFT_TRY(weft__axis(it->d, what, axis, x->rank, &a));
    WEFT_TRY(batch_of(it->d, batch_dims, a, indices->rank, &batch));
  } else {
    if (!x->rank)
      return weft_fail(it->d, WEFT_E_SHAPE, "input 'x': expected rank 1 or more, got a scalar");
    WEFT_TRY(batch_of(it->d, batch_dims, x->rank - 1, indices->rank, &batch));
  }
  size_t rank = x->rank - 1 + indices->rank - batch;
  if (!axis_known || rank > WEFT_MAX_RANK)
    return weft__unknown_dims(it, 0, rank);
  y.rank = 0;
  for (size_t i = 0; i < a; i++)
    y.dim[y.rank++] = x->dim[i];
  for (size_t i = 0; i < batch; i++)
    WEFT_TRY(weft__merge_dim(it, x->dim[i], indices->dim[i], "batch dims of 'x' and 'indices'", &y.dim[i]));
  for (size_t i = batch; i < indices->rank; i++)
    y.dim[y.rank++] = indices->dim[i];
  for (size_t i = a + 1; i < x->rank; i++)
    y.dim[y.rank++] = x->dim[i];
  weft_shape_copy(it->out[0], &y);
  return WEFT_OK;
}

typedef struct gather {
  size_t outer, count, inner;  // per batch: axes before the axis, indices, elements behind
  int64_t dim;
  weft_dtype type;
  const void *data;       // indices: a tensor's data,
  const int64_t *values;  // or known values
} gather;

static void gather_plan(gather *g, const weft_shape *x, const weft_shape *indices, size_t axis,
                        size_t batch) {
  g->outer = weft__prod(x, batch, axis);
  g->count = weft__prod(indices, batch, indices->rank);
  g->inner = weft__prod(x, axis + 1, x->rank);
  g->dim = x->dim[axis];
}

static int64_t block_map(void *ctx, size_t j) {  // j: (batch, outer, index)
  const gather *g = ctx;
  size_t k = j % g->count;
  size_t row = j / g->count;
  size_t at = row / g->outer * g->count + k;
  int64_t v = g->values ? g->values[at] : weft_load_i64(g->type, g->data, at);
  return (int64_t)row * g->dim + (v < 0 ? v + g->dim : v);
}

static int64_t elem_map(void *ctx, size_t i) {
  const gather *g = ctx;
  return block_map(ctx, i / g->inner) * (int64_t)g->inner + (int64_t)(i % g->inner);
}

weft_status weft__gather_ref(const weft_call *c, const char *what, int64_t axis, int64_t batch_dims,
                             bool negative) {
  const weft_tensor *x = c->in[0];
  const weft_tensor *indices = c->in[1];
  size_t a;
  size_t batch;
  size_t n = weft__elems(&indices->layout.origin);
  int64_t index;
  gather g = {.type = indices->dtype, .data = indices->data};
  if (!c->out[0])
    return WEFT_OK;
  WEFT_TRY(weft__axis(c->d, what, axis, x->layout.origin.rank, &a));
  WEFT_TRY(batch_of(c->d, batch_dims, a, indices->layout.origin.rank, &batch));
  gather_plan(&g, &x->layout.origin, &indices->layout.origin, a, batch);
  for (size_t i = 0; i < n; i++)
    WEFT_TRY(weft__checked_index(c, 1, i, g.dim, negative, &index));
  return weft__move_blocks(c, x, c->out[0], g.inner, block_map, &g);
}

weft_status weft__gather_elems(weft_infer *it, int64_t axis, int64_t batch_dims, bool negative) {
  weft_ints index = it->in_dims[1];
  const weft_shape *x = it->in[0];
  int64_t n;
  size_t a;
  size_t batch;
  gather g = {.values = index.v};
  if (!index.v || !weft_shape_is_known(x) || !weft_shape_is_known(it->in[1]) ||
      !weft_shape_is_known(it->out[0]))
    return WEFT_OK;
  if (weft_shape_elems(it->in[1], &n) || n != (int64_t)index.n || weft_shape_elems(it->out[0], &n))
    return WEFT_OK;
  WEFT_TRY(weft__axis(it->d, "axis", axis, x->rank, &a));
  WEFT_TRY(batch_of(it->d, batch_dims, a, it->in[1]->rank, &batch));
  gather_plan(&g, x, it->in[1], a, batch);
  for (size_t i = 0; i < index.n; i++) {
    if (index.v[i] < (negative ? -g.dim : 0) || index.v[i] >= g.dim)
      return WEFT_OK;  // unknown, or the run will fail
  }
  weft__elems_map(it, 0, 0, (size_t)n, elem_map, &g);
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
