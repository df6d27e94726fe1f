// map_rotary.c - rotary position embeddings: pairs of numbers of a head are turned by an angle that grows
// with the position. The cosines and sines come in, for each position, or for the positions that are given.
#include "frontend/onnx/map.h"

// Elements of axis 3 as pairs, turned: element i with i + half, or neighbours.
static weft_value *map_rotary_turned(onnx_op *o, weft_value *x, const onnx_rotary *r) {
  static const int64_t pairs[] = {0, 0, 0, -1, 2};
  weft_value *a;
  weft_value *b;
  weft_value *pair[2];
  if (r->neighbours) {
    weft_value *v = onnx_reshaped(o, x, pairs, 5);
    a = onnx_picked(o, v, 4, onnx_index(o, 0));
    b = onnx_picked(o, v, 4, onnx_index(o, 1));
  } else {
    a = onnx_parted(o, x, 3, 2);
    b = a ? a + 1 : NULL;
  }
  weft_value *c = r->cosines;
  weft_value *s = r->sines;
  pair[0] = onnx_do(o, "Sub", onnx_do(o, "Mul", c, a, NULL), onnx_do(o, "Mul", s, b, NULL), NULL);
  pair[1] = onnx_do(o, "Add", onnx_do(o, "Mul", s, a, NULL), onnx_do(o, "Mul", c, b, NULL), NULL);
  if (!r->neighbours)
    return onnx_joined(o, pair, 2, 3);
  pair[0] = onnx_unsqueezed(o, pair[0], 4);
  pair[1] = onnx_unsqueezed(o, pair[1], 4);
  return onnx_reshaped(o, onnx_joined(o, pair, 2, 4), pairs, 4);
}

weft_value *onnx_rotated(onnx_op *o, weft_value *x, const onnx_rotary *r) {
  weft_dim size = o->failed ? -1 : onnx_dim_at(x, 3);
  weft_value *y = map_rotary_turned(o, r->dim ? onnx_part(o, x, 3, 0, r->dim) : x, r);
  if (!r->dim || r->dim == size)
    return y;
  weft_value *both[2] = {y, onnx_part(o, x, 3, r->dim, INT64_MAX)};
  return onnx_joined(o, both, 2, 3);
}

// cos or sin of the positions, [batch, sequence, half], with an axis for the heads.
static weft_value *angles(onnx_op *o, size_t i, int64_t dim, int64_t heads_axis) {
  weft_value *v = onnx_arg(o, i);
  weft_value *positions = onnx_in(o, 3);
  if (o->failed)
    return NULL;
  if (positions)
    v = onnx_picked(o, v, 0, positions);
  return onnx_unsqueezed(o, dim ? onnx_part(o, v, 2, 0, dim / 2) : v, heads_axis);
}

weft_status onnx_rotary_sizes(onnx_op *o, weft_value *x, int64_t heads, int64_t dim, weft_dim *out_size) {
  int rank = onnx_rank_needed(o, x);
  WEFT_TRY(o->failed);
  if (rank != 4 && (rank != 3 || heads < 1)) {
    return onnx_fail(o, WEFT_E_SHAPE, "expected rank 4, or rank 3 and attribute 'num_heads', got rank %d",
                     rank);
  }
  weft_dim size = onnx_dim_at(x, rank - 1);
  if (rank == 3 && size >= 0) {
    if (size % heads) {
      return onnx_fail(o, WEFT_E_SHAPE, "input 0: dim 2 is %lld, not a multiple of %lld heads",
                       (long long)size, (long long)heads);
    }
    size /= heads;
  }
  if (dim < 0 || dim % 2 || (size >= 0 && dim > size)) {
    return onnx_fail(o, WEFT_E_RANGE, "attribute 'rotary_embedding_dim': %lld of %lld elements",
                     (long long)dim, (long long)size);
  }
  *out_size = size;
  return WEFT_OK;
}

weft_status onnx_rotary_result(onnx_op *o, weft_value *x, int64_t heads, weft_dim size,
                               const onnx_rotary *r) {
  bool joined = onnx_rank(x) == 3;
  weft_value *v = x;
  if (joined)
    v = onnx_reshaped(o, x, (const int64_t[]){0, 0, heads, size >= 0 ? size : -1}, 4);
  weft_value *y = onnx_rotated(o, v, r);
  if (size < 0)
    y = onnx_do(o, "Reshape", y, onnx_shape_of(o, x), NULL);
  else if (joined)
    y = onnx_reshaped(o, y, (const int64_t[]){0, 0, heads * size}, 3);
  return onnx_result(o, 0, y);
}

weft_status onnx_rotary_embedding(onnx_op *o) {
  weft_value *x = onnx_arg(o, 0);
  int64_t heads = onnx_int(o, "num_heads", 0);
  int64_t dim = onnx_int(o, "rotary_embedding_dim", 0);
  bool neighbours = onnx_int(o, "interleaved", 0) != 0;
  weft_dim size;
  WEFT_TRY(onnx_rotary_sizes(o, x, heads, dim, &size));
  int64_t heads_axis = onnx_rank(x) == 3 ? 2 : 1;
  const onnx_rotary r = {angles(o, 1, dim, heads_axis), angles(o, 2, dim, heads_axis), dim, neighbours};
  return onnx_rotary_result(o, x, heads, size, &r);
}
// SPDX-License-Identifier: Apache-2.0
