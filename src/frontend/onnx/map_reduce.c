// map_reduce.c - reductions, positions of extremes, softmax and its relatives. Axes become an input of the
// primitive in all versions; an empty list stands for all axes.
#include "frontend/onnx/map.h"

weft_status onnx_reduce(onnx_op *o) {
  static const struct {
    const char *op;
    const char *before;
    int64_t axes_are_input_since;
  } known[] = {{"ReduceL1", "Abs", 18}, {"ReduceSum", NULL, 13}, {"ReduceSumSquare", "Square", 18}};
  const char *type = o->map->primitive;
  const char *before = NULL;
  int64_t since = 18;
  int64_t keep = onnx_int(o, "keepdims", 1);
  int64_t noop = onnx_int(o, "noop_with_empty_axes", 0);
  weft_value *in[2] = {onnx_arg(o, 0), NULL};
  for (size_t i = 0; i < WEFT_COUNT(known); i++) {
    if (!strcmp(known[i].op, o->map->name)) {
      before = known[i].before;
      since = known[i].axes_are_input_since;
    }
  }
  // logarithms of integers are taken in double and cut to integers
  weft_dtype whole = o->failed ? WEFT_UNDEFINED : in[0]->fact.dtype;
  bool cut = !strncmp(o->map->name, "ReduceLogSum", 12) && (WEFT_SET_INTEGER & WEFT_BIT(whole));
  if (cut)
    in[0] = onnx_as(o, in[0], WEFT_DOUBLE);
  if (before) {
    type = "ReduceSum";
    in[0] = onnx_do(o, before, in[0], NULL, NULL);
  }
  if (o->m->version >= since)
    in[1] = onnx_in(o, 1);
  weft_ints axes = o->m->version < since ? onnx_ints_of(o, "axes") : (weft_ints){NULL, 0};
  if (!in[1])
    in[1] = onnx_list(o, axes.v, axes.n);
  WEFT_TRY(o->failed);
  onnx_set(o, "keep_dims", weft_attr_bool(keep != 0));
  onnx_set(o, "noop_with_empty_axes", weft_attr_bool(noop != 0));
  return cut ? onnx_result(o, 0, onnx_as(o, onnx_do(o, type, in[0], in[1], NULL), whole))
             : onnx_emit(o, type, in, 2, NULL, 1, NULL);
}

weft_status onnx_arg_extreme(onnx_op *o) {
  int64_t axis = onnx_int(o, "axis", 0);
  int64_t keep = onnx_int(o, "keepdims", 1);
  int64_t last = onnx_int(o, "select_last_index", 0);
  weft_value *in[2] = {onnx_arg(o, 0), onnx_index(o, axis)};
  WEFT_TRY(o->failed);
  onnx_set(o, "keep_dims", weft_attr_bool(keep != 0));
  onnx_set(o, "select_last_index", weft_attr_bool(last != 0));
  return onnx_emit(o, o->map->primitive, in, 2, NULL, 1, NULL);
}

// Up to version 12 the dims from `axis` on are one lane; since 13 the axis alone is.
static size_t lane_axes(onnx_op *o, const weft_value *x, int64_t *axes) {
  bool lane = o->m->version < 13;
  axes[0] = onnx_int(o, "axis", lane ? 1 : -1);
  if (!lane || o->failed)
    return 1;
  int rank = onnx_rank_needed(o, x);
  int64_t axis = onnx_axis(o, "axis", 1, rank, rank);
  size_t n = 0;
  for (; axis + (int64_t)n < rank; n++)
    axes[n] = axis + (int64_t)n;
  return n;
}

weft_status onnx_softmax(onnx_op *o) {
  weft_value *x = onnx_arg(o, 0);
  int64_t axes[WEFT_MAX_RANK];
  size_t n = o->failed ? 0 : lane_axes(o, x, axes);
  WEFT_TRY(o->failed);
  onnx_set(o, "axes", weft_attr_ints(axes, n));
  return onnx_emit(o, o->map->primitive, &x, 1, NULL, 1, NULL);
}

// One at the first largest element of each lane, zero elsewhere. Before version 13 a lane is what Flatten
// makes a row.
weft_status onnx_hard_max(onnx_op *o) {
  weft_value *x = onnx_arg(o, 0);
  weft_value *v = x;
  bool lane = o->m->version < 13;
  int rank = onnx_rank_needed(o, x);
  int64_t axis = onnx_axis(o, "axis", lane ? 1 : -1, rank, lane ? rank : rank - 1);
  WEFT_TRY(o->failed);
  if (lane) {
    onnx_set(o, "axis", weft_attr_int(axis));
    v = onnx_do(o, "Flatten", x, NULL, NULL);
    axis = 1;
  }
  weft_value *best = onnx_do(o, "ArgMaxV2", v, onnx_index(o, axis), NULL);
  weft_value *depth = onnx_picked(o, onnx_shape_of(o, v), 0, onnx_index(o, axis));
  weft_dtype t = x->fact.dtype;
  weft_value *in[4] = {best, depth, onnx_num(o, t, 1), onnx_num(o, t, 0)};
  WEFT_TRY(o->failed);
  onnx_set(o, "axis", weft_attr_int(axis));
  o->failed = onnx_emit(o, "OneHot", in, 4, NULL, 0, &v);
  if (lane)
    v = onnx_do(o, "Reshape", v, onnx_shape_of(o, x), NULL);
  return onnx_result(o, 0, v);
}
// SPDX-License-Identifier: Apache-2.0
