// pieces.c - shapes put together, parts of values, and other steps that operator functions share which work
// on any mixture of known, symbolic and unknown dims: what is known at import becomes a constant, the rest is
// read from the value's Shape, so that inference keeps symbols.
#include "frontend/onnx/map.h"

weft_dim onnx_dim_at(const weft_value *v, int axis) {
  return v && onnx_rank(v) > axis ? v->fact.dims[axis] : -1;
}
bool onnx_same_dim(weft_dim a, weft_dim b) {
  return a != -1 && a == b;
}

weft_value *onnx_dim_list(onnx_op *o, weft_value *v, int axis) {  // INT64 [1]
  weft_dim dim = o->failed ? -1 : onnx_dim_at(v, axis);
  if (dim >= 0)
    return onnx_list(o, &dim, 1);
  onnx_set(o, "dtype", weft_attr_int(WEFT_INT64));
  onnx_set(o, "start", weft_attr_int(axis));
  onnx_set(o, "end", weft_attr_int(axis + 1));
  return onnx_do(o, "Shape", v, NULL, NULL);
}
weft_value *onnx_dim_index(onnx_op *o, weft_value *v, int axis) {  // INT64 []
  weft_dim dim = o->failed ? -1 : onnx_dim_at(v, axis);
  if (dim >= 0)
    return onnx_index(o, dim);
  return onnx_picked(o, onnx_shape_of(o, v), 0, onnx_index(o, axis));
}

weft_value *onnx_reshaped_to(onnx_op *o, weft_value *v, const onnx_piece *p, size_t n) {
  int64_t dims[8];
  weft_value *parts[8];
  weft_value *shape;
  bool known = true;
  if (o->failed)
    return NULL;
  for (size_t i = 0; i < n; i++) {
    dims[i] = p[i].v ? onnx_dim_at(p[i].v, (int)p[i].axis) : p[i].axis;
    known &= dims[i] >= 0;
  }
  if (known) {
    shape = onnx_list(o, dims, n);
  } else {
    for (size_t i = 0; i < n; i++)
      parts[i] = p[i].v ? onnx_dim_list(o, p[i].v, (int)p[i].axis) : onnx_list(o, &p[i].axis, 1);
    shape = onnx_joined(o, parts, n, 0);
  }
  onnx_set(o, "allowzero", weft_attr_bool(true));
  return onnx_do(o, "Reshape", v, shape, NULL);
}

weft_value *onnx_permuted(onnx_op *o, weft_value *v, const int64_t *order, size_t n) {
  return onnx_do(o, "Transpose", v, onnx_list(o, order, n), NULL);
}
weft_value *onnx_unsqueezed(onnx_op *o, weft_value *v, int64_t axis) {
  onnx_set(o, "axes", weft_attr_ints(&axis, 1));
  return onnx_do(o, "Unsqueeze", v, NULL, NULL);
}
weft_value *onnx_sliced(onnx_op *o, weft_value *v, int64_t axis, weft_value *from, weft_value *to) {
  weft_value *in[4] = {v, from, to, onnx_list(o, &axis, 1)};
  weft_value *out = NULL;
  o->failed = onnx_emit(o, "StridedSliceV2", in, 4, NULL, 0, &out);
  return out;
}
weft_value *onnx_part(onnx_op *o, weft_value *v, int64_t axis, int64_t from, int64_t to) {
  if (!o->failed && from == 0 && to >= 0 && onnx_dim_at(v, (int)axis) == to)
    return v;
  return onnx_sliced(o, v, axis, onnx_list(o, &from, 1), onnx_list(o, &to, 1));
}
weft_value *onnx_product(onnx_op *o, weft_value *a, weft_value *b, bool transpose_b) {
  onnx_set(o, "adj_x2", weft_attr_bool(transpose_b));
  return onnx_do(o, "BatchMatMulV2", a, b, NULL);
}
weft_value *onnx_counting(onnx_op *o, weft_value *limit) {  // 0, 1, ... limit - 1
  return onnx_do(o, "Range", onnx_index(o, 0), limit, onnx_index(o, 1));
}

// Equal parts along an axis, as many as are asked for; they stand behind one another.
weft_value *onnx_parted(onnx_op *o, weft_value *v, int64_t axis, uint32_t n) {
  weft_value *in[2] = {onnx_index(o, axis), v};
  weft_value *out = NULL;
  uint32_t counts[1] = {n};
  if (o->failed)
    return NULL;
  onnx_set(o, "num_split", weft_attr_int(n));
  o->failed = onnx_emit(o, "Split", in, 2, &(weft_use){.out_counts = counts}, 0, &out);
  return out;
}
// SPDX-License-Identifier: Apache-2.0
