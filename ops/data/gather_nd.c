// ops/data/gather_nd.c - x at index tuples.   AscendIR GatherNd, ONNX GatherND-13.
// y has the shape indices[:-1] + x[batch_dims+k:]. k is the last dim of indices. Every index is checked;
// negative ones only with negative_index_support. batch_dims: ext.
#include "gather.h"

enum { NEGATIVE, BATCH_DIMS };

static weft_status gather_nd_infer(weft_infer *it) {
  const weft_shape *x = it->in[0];
  const weft_shape *indices = it->in[1];
  int64_t batch = weft_node_int(it->desc, BATCH_DIMS);
  weft_shape y;
  if (weft_shape_is_unknown_rank(x) || weft_shape_is_unknown_rank(indices))
    return weft__unknown_rank(it, 0);
  if (!indices->rank)
    return weft_fail(it->d, WEFT_E_SHAPE, "input 'indices': expected rank 1 or more, got a scalar");
  if (batch < 0 || batch >= (int64_t)indices->rank || batch > (int64_t)x->rank) {
    return weft_fail(it->d, WEFT_E_RANGE, "attribute 'batch_dims': %lld, expected 0 to %zu", (long long)batch,
                     WEFT_MIN(x->rank, indices->rank - 1));
  }
  weft_dim k = indices->dim[indices->rank - 1];
  if (k > (int64_t)x->rank - batch) {
    return weft_fail(it->d, WEFT_E_SHAPE, "input 'indices': tuples of %lld, x has %lld axes for them",
                     (long long)k, (long long)x->rank - batch);
  }
  if (k < 0)
    return weft__unknown_rank(it, 0);
  for (int64_t i = 0; i < batch; i++)
    WEFT_TRY(weft__merge_dim(it, x->dim[i], indices->dim[i], "batch dims of 'x' and 'indices'", &y.dim[i]));
  size_t from = (size_t)(batch + k);
  size_t rank = indices->rank - 1 + x->rank - from;
  if (rank > WEFT_MAX_RANK)
    return weft__unknown_dims(it, 0, rank);
  y.rank = indices->rank - 1;
  for (size_t i = (size_t)batch; i + 1 < indices->rank; i++)
    y.dim[i] = indices->dim[i];
  for (size_t i = from; i < x->rank; i++)
    y.dim[y.rank++] = x->dim[i];
  weft_shape_copy(it->out[0], &y);
  return WEFT_OK;
}

typedef struct tuples {
  const weft_shape *x;
  const weft_tensor *indices;
  size_t batch, k, per_batch;  // tuples per batch
} tuples;

static int64_t gather_nd_map(void *ctx, size_t j) {  // tuple j to a slice of x
  const tuples *t = ctx;
  int64_t at = (int64_t)(j / t->per_batch);
  for (size_t i = 0; i < t->k; i++) {
    int64_t dim = t->x->dim[t->batch + i];
    int64_t v = weft_load_i64(t->indices->dtype, t->indices->data, j * t->k + i);
    at = at * dim + (v < 0 ? v + dim : v);
  }
  return at;
}

static weft_status gather_nd_ref(const weft_call *c) {
  const weft_shape *x = &c->in[0]->layout.origin;
  const weft_shape *s = &c->in[1]->layout.origin;
  tuples t = {.x = x,
              .indices = c->in[1],
              .batch = (size_t)weft_node_int(c->desc, BATCH_DIMS),
              .k = (size_t)s->dim[s->rank - 1]};
  bool negative = weft_node_bool(c->desc, NEGATIVE);
  size_t n = weft__elems(s);
  int64_t at;
  if (!c->out[0])
    return WEFT_OK;
  t.per_batch = weft__prod(s, t.batch, s->rank - 1);
  for (size_t i = 0; i < n; i++)
    WEFT_TRY(weft__checked_index(c, 1, i, x->dim[t.batch + i % t.k], negative, &at));
  return weft__move_blocks(c, c->in[0], c->out[0], weft__prod(x, t.batch + t.k, x->rank), gather_nd_map, &t);
}

WEFT_OP(gather_nd) = {
    WEFT_OP_HEAD,
    .name = "GatherNd",
    .summary = "slices picked by index tuples",
    .in = PORTS({"x", "T"}, {"indices", NULL, WEFT_SET_INDEX}),
    .out = PORTS({"y", "T"}),
    .types = TYPES({"T", WEFT_STORABLE}),
    .attrs = ATTRS({"negative_index_support", "Bool", "false"}, {"batch_dims", "Int", "0", .ext = 1}),
    .traits = WEFT_SYMBOLIC,
    .infer = gather_nd_infer,
    .ref = gather_nd_ref,
    .examples = WEFT_EXAMPLES(
        "f32[2,2]{1,2,3,4}, i64[2,2]{0,0,1,1} -> f32[2]{1,4}",
        "f32[2,2]{1,2,3,4}, i64[2,1]{1,0} -> f32[2,2]{3,4,1,2}", "f32[2]{1,2}, i32[1]{1} -> f32[]{2}",
        "f32[2,2]{1,2,3,4}, i64[2,1]{1,0} batch_dims=1 -> f32[2]{2,3}",
        "f32[3]{1,2,3}, i32[1,1]{-1} negative_index_support=true -> f32[1]{3}",
        "f32[2]{1,2}, i32[3,0] -> f32[3,2]{1,2,1,2,1,2}", "f32[2,3], i32[0,1] -> f32[0,3]",
        "f32[-1,4], i32[N,1] -> f32[N,4]", "f32[3,4], i32[2,-1] -> f32[?]",
        "f32[2]{1,2}, i32[1,1]{2} !! E_RANGE element 0 is 2, outside [0, 1]",
        "f32[2], i32[1,2] !! E_SHAPE tuples of 2, x has 1 axes", "f32[2], i32[] !! E_SHAPE scalar",
        "f32[2], i32[1] batch_dims=1 !! E_RANGE attribute 'batch_dims'"),
};
// SPDX-License-Identifier: Apache-2.0
