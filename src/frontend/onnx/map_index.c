// map_index.c - ONNX operators that cut, pad, pick and place elements. Lists that were attributes in early
// versions and are inputs since become inputs always.
#include "frontend/onnx/map.h"

// The list as input `i`, or as attribute `name` in versions before `since`; NULL when absent.
static weft_value *list_arg(onnx_op *o, const char *name, size_t i, int64_t since) {
  if (o->failed || o->m->version >= since)
    return o->failed ? NULL : onnx_in(o, i);
  weft_ints v = onnx_ints_of(o, name);
  return v.v ? onnx_list(o, v.v, v.n) : NULL;
}

static weft_value *needed(onnx_op *o, const char *name, weft_value *v) {
  if (!v)
    o->failed = onnx_fail(o, WEFT_E_MISSING, "required attribute or input '%s' is not given", name);
  return v;
}

// The value of integers known at import, at most `cap` of them; false: not known.
static bool known_ints(const weft_value *v, int64_t *out, size_t cap, size_t *out_n) {
  const weft_tensor *t = weft_value_data(v);
  if (!t || !t->data || !(WEFT_SET_INTEGER & WEFT_BIT(t->dtype)))
    return false;
  int64_t n = weft_tensor_elems(t);
  if (n < 0 || (uint64_t)n > cap)
    return false;
  for (int64_t i = 0; i < n; i++)
    out[i] = weft_load_i64(t->dtype, t->data, (size_t)i);
  *out_n = (size_t)n;
  return true;
}

// One number known at import, of any type.
static bool known_number(const weft_value *v, double *out) {
  const weft_tensor *t = weft_value_data(v);
  if (!t || !t->data || !(WEFT_NUMBERS & WEFT_BIT(t->dtype)) || weft_tensor_elems(t) != 1)
    return false;
  *out = weft_load_f64(t->dtype, t->data, 0);
  return true;
}

weft_status onnx_slice(onnx_op *o) {
  weft_value *in[5] = {onnx_arg(o, 0), list_arg(o, "starts", 1, 10), list_arg(o, "ends", 2, 10),
                       list_arg(o, "axes", 3, 10), o->m->version >= 10 ? onnx_in(o, 4) : NULL};
  needed(o, "starts", in[1]);
  needed(o, "ends", in[2]);
  WEFT_TRY(o->failed);
  return onnx_emit(o, "StridedSliceV2", in, 5, NULL, 1, NULL);
}

// What Slice became in version 10, experimental before; other runtimes still take it.
weft_status onnx_dynamic_slice(onnx_op *o) {
  weft_value *in[4] = {onnx_arg(o, 0), onnx_arg(o, 1), onnx_arg(o, 2), onnx_in(o, 3)};
  WEFT_TRY(o->failed);
  return onnx_emit(o, "StridedSliceV2", in, 4, NULL, 1, NULL);
}

static weft_status emit_split(onnx_op *o, weft_value *x, weft_value *sizes, int64_t axis) {
  size_t n = o->n->outputs.n;
  weft_value *in[3] = {x, sizes, onnx_index(o, axis)};
  uint32_t out_counts[1] = {(uint32_t)n};
  WEFT_TRY(o->failed);
  onnx_set(o, "num_split", weft_attr_int((int64_t)n));
  if (sizes)
    return onnx_emit(o, "SplitV", in, 3, &(weft_use){.out_counts = out_counts}, n, NULL);
  weft_value *equal[2] = {in[2], x};
  return onnx_emit(o, "Split", equal, 2, &(weft_use){.out_counts = out_counts}, n, NULL);
}

// The sizes of equal parts of an axis that is open, whose last one may be smaller.
static weft_value *split_open(onnx_op *o, weft_value *x, int64_t axis, int64_t parts) {
  const int64_t others = parts - 1;
  weft_value *dim = onnx_picked(o, onnx_shape_of(o, x), 0, onnx_list(o, &axis, 1));
  weft_value *more = onnx_do(o, "Add", dim, onnx_index(o, others), NULL);
  weft_value *each = onnx_do(o, "Div", more, onnx_index(o, parts), NULL);
  weft_value *last = onnx_do(o, "Sub", dim, onnx_do(o, "Mul", each, onnx_index(o, others), NULL), NULL);
  weft_value *sizes[2] = {onnx_do(o, "Tile", each, onnx_list(o, &others, 1), NULL), last};
  return onnx_joined(o, sizes, 2, 0);
}

// Without sizes: equal parts; since version 18 the last one may be smaller.
weft_status onnx_split(onnx_op *o) {
  weft_value *x = onnx_arg(o, 0);
  weft_value *sizes = list_arg(o, "split", 1, 13);
  if (o->m->version < 2 && !o->failed && onnx_in(o, 1))
    sizes = onnx_as(o, onnx_in(o, 1), WEFT_INT64);
  int64_t axis = onnx_int(o, "axis", 0);
  int64_t parts = (int64_t)o->n->outputs.n;
  int64_t some[256];
  int64_t wanted = onnx_int(o, "num_outputs", parts);
  WEFT_TRY(o->failed);
  if (wanted != parts) {
    return onnx_fail(o, WEFT_E_INVALID, "attribute 'num_outputs': %lld, the node has %lld outputs",
                     (long long)wanted, (long long)parts);
  }
  int rank = onnx_rank(x);
  if (rank >= 0)
    axis = onnx_axis(o, "axis", 0, rank, rank - 1);
  WEFT_TRY(o->failed);
  weft_dim dim = rank < 0 ? -1 : x->fact.dims[axis];
  if (!sizes && dim >= 0 && parts > 0 && dim % parts) {
    int64_t each = dim / parts + 1;
    int64_t last = dim - each * (parts - 1);
    if (o->m->version < 18 || last < 0 || parts > (int64_t)WEFT_COUNT(some)) {
      return onnx_fail(o, WEFT_E_SHAPE, "axis %lld of %lld elements cannot be split into %lld parts",
                       (long long)axis, (long long)dim, (long long)parts);
    }
    for (int64_t i = 0; i < parts; i++)
      some[i] = i + 1 < parts ? each : last;
    sizes = onnx_list(o, some, (size_t)parts);
  }
  if (!sizes && dim < 0 && parts > 1 && o->m->version >= 18)
    sizes = split_open(o, x, axis, parts);
  WEFT_TRY(o->failed);
  return emit_split(o, x, sizes, axis);
}

// The same for axes that come at run time: a row of begins and a row of ends, scattered into rows of zeros.
static weft_value *pads_scattered(onnx_op *o, weft_value *pads, weft_value *axes, int rank) {
  static const int64_t two_rows[] = {2, -1};
  const int64_t all[] = {2, rank};
  weft_value *rows = onnx_reshaped(o, onnx_as(o, pads, WEFT_INT64), two_rows, 2);
  weft_value *parts[2] = {NULL, NULL};
  parts[0] = parts[1] = onnx_reshaped(o, onnx_as(o, axes, WEFT_INT64), (const int64_t[]){1, -1}, 2);
  weft_value *zeros = onnx_do(o, "Fill", onnx_list(o, all, 2), onnx_index(o, 0), NULL);
  weft_value *index = onnx_joined(o, parts, 2, 0);
  onnx_set(o, "axis", weft_attr_int(1));
  return onnx_reshaped(o, onnx_do(o, "ScatterElements", zeros, index, rows), (const int64_t[]){-1}, 1);
}

// [begins of the axes, ends of the axes] for some axes become those of all axes, by picking out of the list
// and a zero.
static weft_value *pads_of_all(onnx_op *o, weft_value *pads, weft_value *axes_in, weft_value *x) {
  int64_t axes[WEFT_MAX_RANK];
  int64_t index[2 * WEFT_MAX_RANK];
  size_t n;
  int rank = onnx_rank_needed(o, x);
  if (o->failed)
    return NULL;
  if (!known_ints(axes_in, axes, WEFT_MAX_RANK, &n))
    return pads_scattered(o, pads, axes_in, rank);
  int64_t given = onnx_rank(pads) == 1 ? pads->fact.dims[0] : -1;
  if (given >= 0 && given != 2 * (int64_t)n) {
    o->failed = onnx_fail(o, WEFT_E_SHAPE, "input 'pads' has %lld elements for %zu axes, expected %zu",
                          (long long)given, n, 2 * n);
    return NULL;
  }
  for (int i = 0; i < 2 * rank; i++)
    index[i] = 2 * (int64_t)n;
  for (size_t i = 0; i < n; i++) {
    int64_t axis = axes[i] < 0 ? axes[i] + rank : axes[i];
    if (axis < 0 || axis >= rank) {
      o->failed = onnx_fail(o, WEFT_E_RANGE, "input 'axes': %lld is outside [%d, %d]", (long long)axes[i],
                            -rank, rank - 1);
      return NULL;
    }
    if (index[axis] != 2 * (int64_t)n) {
      o->failed = onnx_fail(o, WEFT_E_DUPLICATE, "input 'axes': axis %lld is given twice", (long long)axis);
      return NULL;
    }
    index[axis] = (int64_t)i;
    index[rank + axis] = (int64_t)(n + i);
  }
  weft_value *zero[2] = {onnx_as(o, pads, WEFT_INT64), onnx_list(o, &(int64_t){0}, 1)};
  return onnx_picked(o, onnx_joined(o, zero, 2, 0), 0, onnx_list(o, index, 2 * (size_t)rank));
}

weft_status onnx_pad(onnx_op *o) {
  weft_value *in[3] = {onnx_arg(o, 0), list_arg(o, o->m->version < 2 ? "paddings" : "pads", 1, 11), NULL};
  weft_str mode = {"constant", 8};
  needed(o, "pads", in[1]);
  o->failed = onnx_str_attr(o, "mode", "constant", &mode);
  if (o->m->version >= 11)
    in[2] = onnx_in(o, 2);
  else if (onnx_find_attr(o, "value") && !o->failed)
    in[2] = onnx_num(o, in[0]->fact.dtype, (double)onnx_float(o, "value", 0));
  if (!o->failed && o->m->version >= 18 && onnx_in(o, 3))
    in[1] = pads_of_all(o, in[1], onnx_in(o, 3), in[0]);
  WEFT_TRY(o->failed);
  onnx_set(o, "mode", weft_attr_str(mode.text, mode.bytes));
  onnx_set(o, "paddings_contiguous", weft_attr_bool(false));
  return onnx_emit(o, "PadV3", in, 3, NULL, 1, NULL);
}

// Version 1: how often along which axis, both as inputs.
weft_status onnx_tile_1(onnx_op *o) {
  weft_value *x = onnx_arg(o, 0);
  weft_value *tiles = onnx_arg(o, 1);
  weft_value *axis = onnx_arg(o, 2);
  int64_t all[WEFT_MAX_RANK];
  double many, at;
  int rank = onnx_rank_needed(o, x);
  WEFT_TRY(o->failed);
  if (!known_number(tiles, &many) || !known_number(axis, &at)) {
    for (int i = 0; i < rank; i++)
      all[i] = i;
    weft_value *here =
        onnx_do(o, "Equal", onnx_list(o, all, (size_t)rank), onnx_as(o, axis, WEFT_INT64), NULL);
    weft_value *list = onnx_do(o, "SelectV2", here, onnx_as(o, tiles, WEFT_INT64), onnx_index(o, 1));
    return onnx_result(o, 0, onnx_do(o, "Tile", x, list, NULL));
  }
  if (!(at >= 0 && at < rank))
    return onnx_fail(o, WEFT_E_RANGE, "input 'axis': %g is outside [0, %d]", at, rank - 1);
  if (!(many >= 0 && many <= 0x1p53))
    return onnx_fail(o, WEFT_E_RANGE, "input 'tiles': %g", many);
  for (int i = 0; i < rank; i++)
    all[i] = i == (int)at ? (int64_t)many : 1;
  weft_value *in[2] = {x, onnx_list(o, all, (size_t)rank)};
  WEFT_TRY(o->failed);
  return onnx_emit(o, "Tile", in, 2, NULL, 1, NULL);
}

// values is [off, on].
weft_status onnx_one_hot(onnx_op *o) {
  weft_value *indices = onnx_arg(o, 0);
  weft_value *depth = onnx_arg(o, 1);
  weft_value *values = onnx_arg(o, 2);
  int64_t axis = onnx_int(o, "axis", -1);
  WEFT_TRY(o->failed);
  const weft_tensor *v = indices->fact.value;
  for (size_t i = 0; o->m->version < 11 && v && v->data && i < (size_t)weft_tensor_elems(v); i++) {
    if (weft_load_f64(v->dtype, v->data, i) < 0) {
      return onnx_fail(o, WEFT_E_RANGE,
                       "input 'indices': element %zu is negative, which OneHot has since version 11", i);
    }
  }
  if (!(WEFT_SET_INDEX & WEFT_BIT(depth->fact.dtype)))
    depth = onnx_as(o, depth, WEFT_INT64);
  weft_value *off = onnx_picked(o, values, 0, onnx_index(o, 0));
  weft_value *on = onnx_picked(o, values, 0, onnx_index(o, 1));
  weft_value *in[4] = {indices, depth, on, off};
  WEFT_TRY(o->failed);
  onnx_set(o, "axis", weft_attr_int(axis));
  onnx_set(o, "negative_index_support", weft_attr_bool(true));
  return onnx_emit(o, "OneHot", in, 4, NULL, 1, NULL);
}

weft_status onnx_unique(onnx_op *o) {
  weft_value *x = onnx_arg(o, 0);
  int64_t axis = onnx_int(o, "axis", 0);
  int64_t sorted = onnx_int(o, "sorted", 1);
  weft_value *at = onnx_list(o, &axis, onnx_find_attr(o, "axis") ? 1 : 0);
  WEFT_TRY(o->failed);
  onnx_set(o, "sorted", weft_attr_bool(sorted != 0));
  onnx_set(o, "return_inverse", weft_attr_bool(onnx_wants(o, 1) || onnx_wants(o, 2)));
  weft_value *v = onnx_do(o, "UniqueWithCountsExt2", x, at, NULL);
  static const size_t from[] = {0, 1, 3, 2};
  for (size_t i = 0; i < 4 && !o->failed; i++) {
    if (!i || onnx_wants(o, i))
      (void)onnx_result(o, i, v + from[i]);
  }
  return o->failed;
}

// The elements at the places where the condition holds; the condition may be shorter than the axis.
weft_status onnx_compress(onnx_op *o) {
  weft_value *x = onnx_arg(o, 0);
  weft_value *condition = onnx_arg(o, 1);
  int64_t axis = onnx_int(o, "axis", 0);
  if (!onnx_find_attr(o, "axis"))
    x = onnx_reshaped(o, x, &(int64_t){-1}, 1);
  onnx_set(o, "transpose", weft_attr_bool(true));
  weft_value *places = onnx_do(o, "NonZero", condition, NULL, NULL);
  return onnx_result(o, 0, onnx_picked(o, x, axis, onnx_reshaped(o, places, &(int64_t){-1}, 1)));
}

// Ones everywhere, cut to the diagonal.
weft_status onnx_eye_like(onnx_op *o) {
  weft_value *x = onnx_arg(o, 0);
  int64_t k = onnx_int(o, "k", 0);
  int64_t type = onnx_int(o, "dtype", 0);
  WEFT_TRY(o->failed);
  weft_dtype t = x->fact.dtype;
  if (onnx_find_attr(o, "dtype"))
    WEFT_TRY(onnx_dtype(o, type, &t));
  weft_value *v = onnx_do(o, "Fill", onnx_shape_of(o, x), onnx_num(o, t, 1), NULL);
  onnx_set(o, "diagonal", weft_attr_int(k));
  v = onnx_do(o, "Triu", v, NULL, NULL);
  onnx_set(o, "diagonal", weft_attr_int(k));
  return onnx_result(o, 0, onnx_do(o, "Tril", v, NULL, NULL));
}

weft_status onnx_top_k_1(onnx_op *o) {
  weft_value *in[2] = {onnx_arg(o, 0), NULL};
  int64_t k = onnx_int(o, "k", -1);
  in[1] = onnx_list(o, &k, 1);
  WEFT_TRY(o->failed);
  WEFT_TRY(onnx_set_by_rules(o));
  return onnx_emit(o, "TopKV2", in, 2, NULL, 2, NULL);
}

// Crops and pads around the centre to the given size of the given axes.
// v, whose dims at `axes` are those that `size` holds: said once more where they are constants.
static weft_value *with_dims(onnx_op *o, weft_value *v, const weft_value *size, const int64_t *axes,
                             size_t n) {
  int64_t dims[WEFT_MAX_RANK] = {0};  // 0: as it is
  int rank = o->failed ? -1 : onnx_rank(v);
  const weft_tensor *t = o->failed ? NULL : size->fact.value;
  bool news = false;
  if (rank < 0 || !t || !t->data || (size_t)weft_tensor_elems(t) != n)
    return v;
  for (size_t i = 0; i < n; i++) {
    int64_t axis = axes[i] < 0 ? axes[i] + rank : axes[i];
    if (axis < 0 || axis >= rank)
      return v;
    dims[axis] = weft_load_i64(t->dtype, t->data, i);
    if (dims[axis] < 1)
      return v;
    news |= v->fact.dims[axis] < 0;
  }
  return news ? onnx_reshaped(o, v, dims, (size_t)rank) : v;
}

weft_status onnx_center_crop_pad(onnx_op *o) {
  weft_value *x = onnx_arg(o, 0);
  weft_value *size = onnx_arg(o, 1);
  weft_value *v = NULL;
  weft_ints axes = onnx_ints_of(o, "axes");
  int rank = onnx_rank_needed(o, x);
  int64_t all[WEFT_MAX_RANK];
  WEFT_TRY(o->failed);
  if (rank > WEFT_MAX_RANK || axes.n > WEFT_MAX_RANK)
    return onnx_fail(o, WEFT_E_LIMIT, "more axes than %d", WEFT_MAX_RANK);
  size_t n = axes.v ? axes.n : (size_t)rank;
  for (size_t i = 0; i < n; i++)
    all[i] = axes.v ? axes.v[i] : (int64_t)i;
  weft_value *list = onnx_list(o, all, n);
  weft_value *dims = onnx_picked(o, onnx_shape_of(o, x), 0, list);
  weft_value *two = onnx_index(o, 2);
  weft_value *zero = onnx_index(o, 0);
  size = onnx_as(o, size, WEFT_INT64);
  weft_value *more = onnx_do(o, "Maximum", onnx_do(o, "Sub", dims, size, NULL), zero, NULL);  // to cut off
  weft_value *begin = onnx_do(o, "Div", more, two, NULL);
  weft_value *kept = onnx_do(o, "Sub", dims, more, NULL);
  WEFT_TRY(o->failed);
  weft_value *in[5] = {x, begin, onnx_do(o, "Add", begin, kept, NULL), list, NULL};
  o->failed = onnx_emit(o, "StridedSliceV2", in, 4, NULL, 0, &v);
  weft_value *less = onnx_do(o, "Maximum", onnx_do(o, "Sub", size, dims, NULL), zero, NULL);  // to fill in
  weft_value *pads[2] = {onnx_do(o, "Div", less, two, NULL), NULL};
  pads[1] = onnx_do(o, "Sub", less, pads[0], NULL);
  weft_value *pad = pads_of_all(o, onnx_joined(o, pads, 2, 0), list, x);
  onnx_set(o, "paddings_contiguous", weft_attr_bool(false));
  return onnx_result(o, 0, with_dims(o, onnx_do(o, "PadV3", v, pad, NULL), size, all, n));
}

// A cache with the update written at its batch's place along the axis, or from the front again when it is
// circular.
weft_status onnx_tensor_scatter(onnx_op *o) {
  weft_value *cache = onnx_arg(o, 0);
  weft_value *update = onnx_arg(o, 1);
  weft_value *starts = onnx_in(o, 2);
  bool circular = onnx_is(o, "mode", "linear", "circular");
  int rank = onnx_rank_needed(o, cache);
  int64_t axis = onnx_axis(o, "axis", -2, rank, rank - 1);
  int64_t column[WEFT_MAX_RANK];
  int64_t batch[WEFT_MAX_RANK];
  if (axis < 1)
    return onnx_fail(o, WEFT_E_RANGE, "attribute 'axis': %lld is the batch", (long long)axis);
  for (int i = 0; i < rank; i++) {
    column[i] = i == axis ? -1 : 1;
    batch[i] = i ? 1 : -1;
  }
  weft_value *length = onnx_picked(o, onnx_dims_of(o, update, axis, axis + 1), 0, onnx_index(o, 0));
  weft_value *index = onnx_do(o, "Range", onnx_index(o, 0), length, onnx_index(o, 1));
  index = onnx_reshaped(o, index, column, (size_t)rank);
  if (starts) {
    index =
        onnx_do(o, "Add", index, onnx_reshaped(o, onnx_as(o, starts, WEFT_INT64), batch, (size_t)rank), NULL);
  }
  if (circular)
    index = onnx_do(o, "FloorMod", index, onnx_dims_of(o, cache, axis, axis + 1), NULL);
  index = onnx_do(o, "Expand", index, onnx_shape_of(o, update), NULL);
  onnx_set(o, "axis", weft_attr_int(axis));
  return onnx_result(o, 0, onnx_do(o, "ScatterElements", cache, index, update));
}
// SPDX-License-Identifier: Apache-2.0
