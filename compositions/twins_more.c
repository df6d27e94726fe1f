// compositions/twins_more.c - more forms of operators by others: pools, normalisations, writes into parts,
// names of copies.
#include "compose/compose.h"

#include "air_slots.h"

// ---- writes into parts: where a slice of all places is, the value goes ----
static weft_status slice_assign(weft__composing *c, const char *slice) {
  front_op *o = c->o;
  weft_value *var = weft__composed(c, "var");
  int rank = front_rank_of(o, var);
  for (int i = 0; i < rank; i++) {
    if (front_dim(var, i) < 0)
      return front_fail(o, WEFT_E_UNKNOWN, "the sizes of 'var' are not known");
  }
  WEFT_TRY(weft__compose_text(c, "size = Size(var, dtype=9); flat = Reshape(var, [-1])"));
  weft_value *all = front_counting(o, weft__composed(c, "size"));
  weft__compose_name(c, "places", front_reshape(o, all, front_shape(o, var)));
  WEFT_TRY(weft__compose_text(c, slice));
  return weft__compose_text(
      c,
      "new = Reshape(BroadcastTo(as(var, input_value), Shape(at)), [-1]); "
      "var = Reshape(TensorScatterUpdate(flat, Unsqueeze(Reshape(at, [-1]), axes=[-1]), new), Shape(var))");
}
#define MASKS                                                                                                \
  "begin_mask=@begin_mask, end_mask=@end_mask, ellipsis_mask=@ellipsis_mask, new_axis_mask=@new_axis_mask, " \
  "shrink_axis_mask=@shrink_axis_mask"
static weft_status strided_slice_assign_d_build(weft__composing *c) {
  return slice_assign(c, "at = StridedSlice(places, list(begin), list(end), list(strides), " MASKS ")");
}
static weft_status strided_slice_assign_build(weft__composing *c) {
  return slice_assign(c, "at = StridedSlice(places, begin, end, strides, " MASKS ")");
}
static weft_status strided_slice_assign_v2_build(weft__composing *c) {
  return slice_assign(c, "at = StridedSliceV2(places, begin, end, axes?, strides?)");
}

// ---- pools ----
static weft_status pool_1d_build(weft__composing *c) {
  const weft_op_desc *n = c->desc;
  front_op *o = c->o;
  const weft_attr *pads = n->attr[2];
  if (pads->n != 2)
    return front_fail(o, WEFT_E_SHAPE, "attribute 'pads' has %llu elements, expected 2",
                      (unsigned long long)pads->n);
  const int64_t window[4] = {1, 1, 1, weft_node_int(n, 0)};
  const int64_t stride[4] = {1, 1, 1, weft_node_int(n, 1)};
  const int64_t pad[4] = {0, 0, pads->u.ints[0], pads->u.ints[1]};
  front_set_ints(o, "ksize", window, 4);
  front_set_ints(o, "strides", stride, 4);
  front_set_ints(o, "pads", pad, 4);
  front_set_text(o, "data_format", "NCHW");
  front_set_bool(o, "ceil_mode", weft_node_bool(n, 3));
  front_set_bool(o, "exclusive", !weft_node_bool(n, 4));
  weft__compose_name(c, "y", front_do(o, "AvgPoolV2", weft__composed(c, "x"), NULL, NULL));
  return o->failed;
}

// ---- slices along named axes ----
static weft_status slice_with_axes_build(weft__composing *c) {
  return weft__compose_text(
      c, "last = Add(i64(offsets), i64(size)); y = StridedSliceV2(x, i64(offsets), last, list(axes))");
}

static weft_status shape_n_build(weft__composing *c) {
  size_t n;
  weft_value *const *x = weft__composed_all(c, "x", &n);
  weft_value **y = WEFT_NEW_N(&c->o->f->arena, weft_value *, n + 1);
  if (!y)
    return front_fail(c->o, WEFT_E_NOMEM, "out of memory");
  for (size_t i = 0; i < n; i++) {
    front_set_int(c->o, "dtype", weft_node_int(c->desc, WEFT_SLOT_SHAPE_N_DTYPE));
    y[i] = front_do(c->o, "Shape", x[i], NULL, NULL);
  }
  return weft__compose_names(c, "y", y, n);
}

// Integers are summed in 64 bits.
static weft_dtype trace_type(weft_dtype x) {
  return x == WEFT_BOOL || (x != WEFT_UINT64 && weft_dtype_is_integer(x)) ? WEFT_INT64 : x;
}
static weft_status trace_build(weft__composing *c) {
  int rank = front_rank_of(c->o, weft__composed(c, "x"));
  if (!c->o->failed && rank != 2)
    return front_fail(c->o, WEFT_E_SHAPE, "input 'x': rank %d, expected 2", rank);
  weft_value *x = weft__composed(c, "x");
  if (!c->o->failed)
    weft__compose_name(c, "x", front_as(c->o, x, trace_type(x->fact.dtype)));
  return weft__compose_text(c, "y = ReduceSum(DiagV2(x), [0])");
}
static weft_status trace_dtype(weft_infer *it) {
  it->out_dtype[0] = trace_type(it->in_dtype[0]);
  return WEFT_OK;
}

// The gradient of x's mean, of pictures: only grey is asked for.
static weft_status rgb_to_grayscale_build(weft__composing *c) {
  bool last = !strcmp(weft_node_str(c->desc, WEFT_SLOT_RGB_TO_GRAYSCALE_DATA_FORMAT), "HWC");
  if (weft_node_int(c->desc, WEFT_SLOT_RGB_TO_GRAYSCALE_OUTPUT_CHANNELS) != 1)
    return front_fail(c->o, WEFT_E_UNSUPPORTED, "attribute 'output_channels': only 1 is computed");
  front_op *o = c->o;
  weft_value *x = weft__composed(c, "images");
  int rank = front_rank_of(o, x);
  int64_t axis = last ? rank - 1 : rank - 3;
  static const double weight[3] = {0.2989, 0.587, 0.114};
  weft_value *sum = NULL;
  if (!o->failed && (axis < 0 || (front_dim(x, (int)axis) >= 0 && front_dim(x, (int)axis) != 3)))
    return front_fail(o, WEFT_E_SHAPE, "the channels are not 3");
  for (int i = 0; i < 3; i++) {
    weft_value *part = front_as(o, front_part(o, x, axis, i, i + 1), WEFT_FLOAT);
    part = front_do(o, "Mul", part, front_num(o, WEFT_FLOAT, weight[i]), NULL);
    sum = i ? front_do(o, "Add", sum, part, NULL) : part;
  }
  if (!o->failed && x->fact.dtype == WEFT_UINT8)
    sum = front_do(o, "Rint", sum, NULL, NULL);
  weft__compose_name(c, "y", front_as(o, sum, x ? x->fact.dtype : WEFT_FLOAT));
  return o->failed;
}

#define SAME(name, of, in, out, set) COMPOSED(name, of " by another name", out " = " of "(" in ")", set)

WEFT_ROWS(twins_more) = {
    SAME("TensorRedirect", "Identity", "x", "output_x", "f32[2]{1,2} -> f32[2]{1,2}"),
    COMPOSED("TransShape", "x in another shape", "y = Reshape(x, list(outShape), allowzero=true)",
             "f32[4]{1,2,3,4} outShape=[2,2] -> f32[2,2]{1,2,3,4}"),
    COMPOSED("UpdateTensorDesc", "x in another shape", "y = Reshape(x, list(shape), allowzero=true)",
             "f32[4]{1,2,3,4} shape=[2,2] -> f32[2,2]{1,2,3,4}"),
    COMPOSED_BY("ShapeN", "the shapes of tensors", shape_n_build, "[f32[2,3], f32[4]] -> [i32[2], i32[1]]"),
    COMPOSED_READS_BY("SliceWithAxes", "a block of x along axes", "offsets,size", slice_with_axes_build,
                      "f32[3]{1,2,3}, i32[1]{1}, i32[1]{2} axes=[0] -> f32[2]{2,3}"),
    COMPOSED_BY("StridedSliceAssignD", "x[begin:end:strides] replaced", strided_slice_assign_d_build,
                "f32[4]{1,2,3,4}, f32[2]{8,9} begin=[0] end=[4] strides=[2] -> f32[4]{8,2,9,4}"),
    COMPOSED_READS_BY("StridedSliceAssign", "x[begin:end:strides] replaced", "begin,end,strides",
                      strided_slice_assign_build,
                      "f32[4]{1,2,3,4}, i32[1]{0}, i32[1]{4}, i32[1]{2}, f32[2]{8,9} -> f32[4]{8,2,9,4}"),
    COMPOSED_READS_BY(
        "StridedSliceAssignV2", "x[begin:end:strides] along axes replaced", "begin,end,strides,axes",
        strided_slice_assign_v2_build,
        "f32[4]{1,2,3,4}, f32[2]{8,9}, i32[1]{0}, i32[1]{4}, i32[1]{2}, i32[1]{0} -> f32[4]{8,2,9,4}"),
    COMPOSED_FINDS("MaskedSelectV2", "the elements of x where the mask holds, in their order",
                   "m = BroadcastTo(mask, Shape(x)); y = GatherNd(x, Where(m))",
                   "f32[3]{1,2,3}, bool[3]{true,false,true} -> f32[2]{1,3}"),
    COMPOSED("GridSampler2D", "a picture at the places that a grid says",
             "y = GridSample(x, grid, interpolation_mode=@interpolation_mode, padding_mode=@padding_mode, "
             "align_corners=@align_corners)",
             "f32[1,1,1,1]{5}, f32[1,1,1,2]{0,0} -> f32[1,1,1,1]{5}"),
    COMPOSED("GridSampler3D", "a volume at the places that a grid says",
             "y = GridSample(x, grid, interpolation_mode=@interpolation_mode, padding_mode=@padding_mode, "
             "align_corners=@align_corners)",
             "f32[1,1,1,1,1]{5}, f32[1,1,1,1,3]{0,0,0} -> f32[1,1,1,1,1]{5}"),
    COMPOSED(
        "MaxPoolExt2", "the largest of windows",
        "y = MaxPoolV3(x, ksize=@ksize, strides=@strides, padding_mode=@padding, data_format=@data_format)",
        "f32[1,2,2,1]{1,2,3,6} ksize=[1,2,2,1] strides=[1,2,2,1] padding=\"VALID\" -> f32[1,1,1,1]{6}"),
    COMPOSED_BY("AvgPool1D", "means of windows along the last axis", pool_1d_build,
                "f32[1,1,1,4]{1,3,5,7} ksize=2 strides=2 pads=[0,0] -> f32[1,1,1,2]{2,6}"),
    COMPOSED_BY("AvgPool1DD", "means of windows along the last axis", pool_1d_build,
                "f32[1,1,1,4]{1,3,5,7}, f32[1]{0} ksize=2 strides=2 pads=[0,0] -> f32[1,1,1,2]{2,6}"),
    {.name = "Trace",
     .summary = "the sum of the diagonal",
     .traits = WEFT_SYMBOLIC,
     .infer = weft__composed_infer,
     .ref = weft__composed_ref,
     .infer_dtype = trace_dtype,
     .user = (&(const weft__composition){.build = trace_build}),
     .examples = WEFT_EXAMPLES("f32[2,2]{1,2,3,4} -> f32[]{5}", "i8[2,2]{100,2,3,100} -> i64[]{200}")},
    COMPOSED("AddMatMatElements", "alpha a b + beta c, element by element",
             "c = Add(Mul(c, beta), Mul(Mul(a, b), alpha))",
             "f32[1]{1}, f32[1]{2}, f32[1]{3}, f32[1]{10}, f32[1]{1} -> f32[1]{16}"),
    COMPOSED("AddMatMatElementsPlus", "alpha a b + beta c, element by element",
             "c = Add(Mul(c, beta), Mul(Mul(a, b), alpha))",
             "f32[1]{1}, f32[1]{2}, f32[1]{3}, f32[1]{10}, f32[1]{1} -> f32[1]{16}"),
    COMPOSED("AddrV2", "beta x1 + alpha times the outer product of x2 and x3",
             "y = Add(Mul(x1, beta), Mul(Mul(Unsqueeze(x2, axes=[1]), Unsqueeze(x3, axes=[0])), alpha))",
             "f32[1,2]{1,1}, f32[1]{2}, f32[2]{3,4}, f32[1]{1}, f32[1]{1} -> f32[1,2]{7,9}"),
    COMPOSED_BY("RgbToGrayscale", "grey pictures", rgb_to_grayscale_build,
                "f32[1,1,3]{1,1,1} -> f32[1,1,1]{0.9999} ~1e-6"),
    {0},
};
// SPDX-License-Identifier: Apache-2.0
