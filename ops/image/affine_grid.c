// ops/image/affine_grid.c - coordinates in [-1, 1] of every place of an image, put through theta.   AscendIR
// AffineGrid, ONNX AffineGrid-20. theta [N, 2, 3] with output_size [N, C, H, W] gives y [N, H, W, 2], theta
// [N, 3, 4] with [N, C, D, H, W] y [N, D, H, W, 3]. align_corners: -1 and 1 are the centres of the end
// elements, a single element lies at 0; otherwise they are the ends of the axis.
#include "dims_move.h"

enum { ALIGN };

static weft_status affine_grid_infer(weft_infer *it) {
  const weft_shape *theta = it->in[0];
  int64_t size[5];
  int64_t n;
  bool known;
  weft_dim axes = -1;
  weft_dim wide = -1;
  WEFT_TRY(weft__in_ints(it, 1, size, 5, &n, &known));
  if (n >= 0 && n != 4 && n != 5) {
    return weft_fail(it->d, WEFT_E_SHAPE, "input 'output_size': expected 4 or 5 elements, got %lld",
                     (long long)n);
  }
  if (n >= 0)
    axes = n - 2;
  WEFT_TRY(weft__expect_rank(it, 0, 3, 3));
  if (!weft_shape_is_unknown_rank(theta)) {
    WEFT_TRY(weft__merge_dim(it, axes, theta->dim[1], "spatial axes of 'output_size' and axis 1 of 'theta'",
                             &axes));
    if (axes >= 0)
      wide = axes + 1;
    WEFT_TRY(weft__merge_dim(it, wide, theta->dim[2], "columns and axis 2 of 'theta'", &wide));
    if (axes >= 0 && axes != 2 && axes != 3)
      return weft_fail(it->d, WEFT_E_SHAPE, "input 'theta': expected 2 or 3 rows, got %lld", (long long)axes);
  }
  if (axes < 0)
    return weft__unknown_rank(it, 0);
  WEFT_TRY(weft__unknown_dims(it, 0, (size_t)axes + 2));
  weft_shape *y = it->out[0];
  y->dim[axes + 1] = axes;
  for (int64_t k = 0; known && k < n; k++) {
    if (weft__is_literal(size[k]) && size[k] < 0) {
      return weft_fail(it->d, WEFT_E_SHAPE, "input 'output_size': element %lld is %lld, expected 0 or more",
                       (long long)k, (long long)size[k]);
    }
  }
  for (int64_t k = 0; known && k < axes; k++)
    y->dim[k + 1] = weft__elem_dim(size[k + 2]);
  return weft__merge_dim(it, weft_shape_is_unknown_rank(theta) ? -1 : theta->dim[0],
                         known ? weft__elem_dim(size[0]) : -1, "axis 0 of 'theta' and 'output_size'",
                         &y->dim[0]);
}

static double affine_grid_place(size_t i, size_t n, bool align) {
  if (align)
    return n > 1 ? 2 * (double)i / (double)(n - 1) - 1 : 0;
  return (2 * (double)i + 1) / (double)n - 1;
}

static weft_status affine_grid_ref(const weft_call *c) {
  const weft_tensor *theta = c->in[0];
  weft_tensor *y = c->out[0];
  bool align = weft_node_bool(c->desc, ALIGN);
  weft_walk w;
  if (!y)
    return WEFT_OK;
  size_t axes = y->layout.origin.rank - 2;
  size_t row = axes + 1;
  weft__walk_init(&w, &y->layout.origin);
  for (; w.i < w.n; weft__walk_next(&w)) {
    WEFT_TRY(weft__poll_at(c, w.i));
    size_t base = (w.index[0] * axes + w.index[axes + 1]) * row;
    double sum = weft_load_f64(theta->dtype, theta->data, base + axes);
    for (size_t k = 0; k < axes; k++)  // the last axis is the first column
      sum += weft_load_f64(theta->dtype, theta->data, base + k) *
             affine_grid_place(w.index[axes - k], w.dim[axes - k], align);
    weft_store_f64(y->dtype, y->data, w.i, sum);
  }
  return WEFT_OK;
}

WEFT_OP(affine_grid) = {
    WEFT_OP_HEAD,
    .name = "AffineGrid",
    .summary = "coordinates for GridSample from affine maps",
    .in = PORTS({"theta", "T"}, {"output_size", NULL, WEFT_SET_INDEX, .value = WEFT_VALUE_INFER}),
    .out = PORTS({"y", "T"}),
    .types = TYPES({"T", WEFT_FLOATS}),
    .attrs = ATTRS({"align_corners", "Bool", "false"}),
    .traits = WEFT_SYMBOLIC,
    .infer = affine_grid_infer,
    .ref = affine_grid_ref,
    .examples = WEFT_EXAMPLES(
        "f32[1,2,3]{1,0,0,0,1,0}, i32[4]{1,1,1,2} -> f32[1,1,2,2]{-0.5,0,0.5,0}",
        "f32[1,2,3]{2,1,0.5,0,1,3}, i64[4]{1,1,2,2} align_corners=true -> "
        "f32[1,2,2,2]{-2.5,2,1.5,2,-0.5,4,3.5,4}",
        "f32[1,3,4]{1,0,0,0,0,1,0,0,0,0,1,7}, i32[5]{1,1,1,1,2} -> f32[1,1,1,2,3]{-0.5,0,7,0.5,0,7}",
        "f16[0,2,3], i32[4]{0,1,2,3} -> f16[0,2,3,2]", "f32[N,2,3], i32[4] -> f32[N,-1,-1,2]",
        "f32[?], i64[4]{2,1,3,4} -> f32[2,3,4,2]", "f32[-1,-1,-1], i64[-1] -> f32[?]",
        "f32[1,2,3], i32[5]{1,1,1,1,1} !! E_SHAPE 3 and 2 differ",
        "f32[1,2,3], i32[3]{1,1,1} !! E_SHAPE expected 4 or 5",
        "f32[1,2,3], i32[4]{1,1,-1,1} !! E_SHAPE element 2 is -1",
        "f32[2,2,3], i32[4]{1,1,1,1} !! E_SHAPE 2 and 1 differ"),
};
// SPDX-License-Identifier: Apache-2.0
