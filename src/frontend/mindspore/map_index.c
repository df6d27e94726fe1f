// map_index.c - elements chosen and written by their places.
#include "frontend/mindspore/tables.h"

// ---- chosen ----
static void index_gather(ms_op *o) {
  front_op *b = &o->b;
  weft_value *x = ms_tensor(o, "x");
  weft_value *places = ms_tensor(o, "index");
  weft_value *axis = front_index(b, front_axis(b, ms_int(o, "axis", 0), front_rank_of(b, x)));
  front_set_int(b, "batch_dims", ms_int(o, "batch_dims", 0));
  front_set_bool(b, "negative_index_support", true);
  ms_give(o, front_do(b, "GatherV2", x, places, axis));
}

static void index_gather_d(ms_op *o) {
  front_op *b = &o->b;
  weft_value *x = ms_tensor(o, "x");
  weft_value *places = ms_tensor(o, "index");
  front_set_int(b, "dim", front_axis(b, ms_int(o, "axis", 0), front_rank_of(b, x)));
  ms_give(o, front_do(b, "GatherElements", x, places, NULL));
}

static void index_gather_nd(ms_op *o) {
  weft_value *x = ms_tensor(o, "x");
  weft_value *places = ms_tensor(o, "index");
  front_set_bool(&o->b, "negative_index_support", true);
  ms_give(o, front_do(&o->b, "GatherNd", x, places, NULL));
}

// A table of vectors: what the padding is does not matter without training.
static void index_embedding(ms_op *o) {
  weft_value *places = ms_tensor(o, "index");
  weft_value *table = ms_tensor(o, "x");
  if (ms_has(o, "max_norm"))
    front_fail(&o->b, WEFT_E_UNSUPPORTED, "an embedding that changes its table (max_norm)");
  ms_give(o, front_picked(&o->b, table, 0, places));
}

static void index_non_zero(ms_op *o) {
  weft_value *x = ms_tensor(o, "x");
  front_set(&o->b, "dtype", weft_attr_dtype(WEFT_INT64));
  ms_give(o, front_do(&o->b, "NonZero", x, NULL, NULL));
}

static void index_masked_select(ms_op *o) {
  front_op *b = &o->b;
  weft_value *x = ms_tensor(o, "x");
  weft_value *mask = ms_operand(o, "mask", WEFT_BOOL);
  weft_value *zeros = front_do(b, "ZerosLike", x, NULL, NULL);
  weft_value *wide = front_expanded(b, mask, front_shape(b, front_where(b, mask, x, zeros)));
  weft_value *all = front_expanded(b, x, front_shape(b, wide));
  front_set(b, "dtype", weft_attr_dtype(WEFT_INT64));
  ms_give(o, front_do(b, "GatherNd", all, front_do(b, "NonZero", wide, NULL, NULL), NULL));
}

static void index_unique(ms_op *o) {
  weft_value *x = ms_tensor(o, "x");
  front_set(&o->b, "out_idx", weft_attr_dtype(ms_out_type(o, 1) == WEFT_INT64 ? WEFT_INT64 : WEFT_INT32));
  ms_give_outputs(o, front_do(&o->b, "Unique", front_flat(&o->b, x), NULL, NULL), 2);
}

// As long as x: behind the values stands the padding.
static void index_unique_padded(ms_op *o) {
  front_op *b = &o->b;
  weft_value *x = front_flat(b, ms_tensor(o, "x"));
  front_set(b, "out_idx", weft_attr_dtype(ms_out_type(o, 1) == WEFT_INT64 ? WEFT_INT64 : WEFT_INT32));
  weft_value *y = front_do(b, "Unique", x, NULL, NULL);
  if (b->failed)
    return;
  weft_value *n = front_do(b, "Sub", front_dim_list(b, x, 0), front_dim_list(b, y, 0), NULL);
  weft_value *pad = front_reshaped(b, ms_operand(o, "pad", x->fact.dtype), NULL, 0);
  weft_value *parts[2] = {y, front_filled(b, n, pad)};
  weft_value *all = b->failed ? NULL : front_joined(b, parts, 2, 0);
  ms_give_many(o, (weft_value *const[]){all, y + 1}, 2);
}

// ---- written ----
static void index_scatter_nd_with(ms_op *o, const char *reduction) {
  weft_value *x = ms_tensor(o, "x");
  weft_value *places = ms_tensor(o, "index");
  weft_value *updates = ms_tensor(o, "updates");
  front_set_text(&o->b, "reduction", reduction);
  ms_give(o, front_do(&o->b, "TensorScatterUpdate", x, places, updates));
}
static void index_update(ms_op *o) {
  index_scatter_nd_with(o, "none");
}
static void index_add(ms_op *o) {
  index_scatter_nd_with(o, "add");
}
static void index_mul(ms_op *o) {
  index_scatter_nd_with(o, "mul");
}
static void index_max(ms_op *o) {
  index_scatter_nd_with(o, "max");
}
static void index_min(ms_op *o) {
  index_scatter_nd_with(o, "min");
}
static void index_changed(ms_op *o, const char *change, const char *reduction) {
  front_op *b = &o->b;
  weft_value *x = ms_tensor(o, "x");
  weft_value *places = ms_tensor(o, "index");
  weft_value *updates = front_do(b, change, ms_tensor(o, "updates"), NULL, NULL);
  front_set_text(b, "reduction", reduction);
  ms_give(o, front_do(b, "TensorScatterUpdate", x, places, updates));
}
static void index_sub(ms_op *o) {
  index_changed(o, "Neg", "add");
}
static void index_div(ms_op *o) {
  index_changed(o, "Reciprocal", "mul");
}

static void index_scatter_nd(ms_op *o) {
  weft_value *places = ms_tensor(o, "index");
  weft_value *updates = ms_tensor(o, "updates");
  ms_give(o, front_do(&o->b, "ScatterNd", places, updates, ms_numbers(o, "shape")));
}

// Element by element along an axis. reduce: 0 writes, 1 adds.
static void index_elements_with(ms_op *o, const char *reduction) {
  front_op *b = &o->b;
  weft_value *x = ms_tensor(o, "x");
  weft_value *places = ms_tensor(o, "index");
  weft_value *updates = x ? ms_operand(o, "updates", x->fact.dtype) : NULL;
  int64_t axis = front_axis(b, ms_int(o, "axis", 0), front_rank_of(b, x));
  if (!b->failed && front_rank(updates) == 0 && front_rank(places) > 0)
    updates = front_expanded(b, updates, front_shape(b, places));
  front_set_int(b, "axis", axis);
  front_set_text(b, "reduction", reduction);
  ms_give(o, front_do(b, "ScatterElements", x, places, updates));
}
static void index_elements(ms_op *o) {
  bool named = ms_is(o, "reduction", "none", "add");
  index_elements_with(o, named || (!ms_has(o, "reduction") && ms_int(o, "reduce", 0) == 1) ? "add" : "none");
}
static void index_elements_add(ms_op *o) {
  index_elements_with(o, "add");
}

// Whole slices along an axis: their places as tuples of one, with that axis in front.
static void index_slices_add(ms_op *o) {
  front_op *b = &o->b;
  weft_value *x = ms_tensor(o, "x");
  weft_value *updates = ms_tensor(o, "updates");
  int64_t axis = front_axis(b, ms_int(o, "axis", 0), front_rank_of(b, x));
  double alpha = ms_float(o, "alpha", 1);
  if (!b->failed && alpha != 1)
    updates = front_do(b, "Mul", updates, front_num(b, updates->fact.dtype, alpha), NULL);
  weft_value *places = front_reshaped(b, ms_tensor(o, "index"), (const int64_t[]){-1, 1}, 2);
  if (axis) {
    x = front_swapped(b, x, 0, axis);
    updates = front_swapped(b, updates, 0, axis);
  }
  front_set_text(b, "reduction", "add");
  weft_value *y = front_do(b, "TensorScatterUpdate", x, places, updates);
  ms_give(o, axis ? front_swapped(b, y, 0, axis) : y);
}

// Numbers of segments that are sorted: as many as the last one says. none: what a segment without slices
// gives.
static void index_sorted(ms_op *o, const char *type, double none, bool mean) {
  front_op *b = &o->b;
  weft_value *x = ms_tensor(o, "x");
  weft_value *at = ms_operand(o, "index", WEFT_INT64);
  const int rank = front_rank_of(b, x);
  weft_value *last = front_picked(b, at, 0, front_index(b, -1));
  weft_value *n = front_do(b, "Add", last, front_index(b, 1), NULL);
  if (b->failed)
    return;
  const weft_dtype t = x->fact.dtype;
  weft_value *y = front_do(b, type, x, at, n);
  weft_value *one = front_as(b, front_do(b, "OnesLike", at, NULL, NULL), t);
  weft_value *count = front_do(b, "UnsortedSegmentSum", one, at, n);
  for (int i = 1; i < rank; i++)
    count = front_unsqueezed(b, count, i);
  if (mean)
    y = front_do(b, "RealDiv", y, front_do(b, "Maximum", count, front_num(b, t, 1), NULL), NULL);
  weft_value *some = front_do(b, "Greater", count, b->failed ? NULL : front_num(b, t, 0), NULL);
  ms_give(o, front_where(b, some, y, b->failed ? NULL : front_num(b, t, none)));
}
static void index_sorted_mean(ms_op *o) {
  index_sorted(o, "UnsortedSegmentSum", 0, true);
}
static void index_sorted_min(ms_op *o) {
  index_sorted(o, "UnsortedSegmentMin", 0, false);
}
static void index_sorted_prod(ms_op *o) {
  index_sorted(o, "UnsortedSegmentProd", 1, false);
}

// Slices summed by the number that each has.
static void index_segment_sum(ms_op *o) {
  front_op *b = &o->b;
  weft_value *x = ms_tensor(o, "x");
  weft_value *places = ms_tensor(o, "index");
  int rank = front_rank_of(b, places);
  weft_value *n = ms_numbers(o, "n");
  weft_value *each = x && front_rank_of(b, x) > rank ? front_shape(b, x) : NULL;
  if (each)
    each = front_part(b, each, 0, rank, INT64_MAX);
  weft_value *shape = each ? front_joined(b, (weft_value *const[]){n, each}, 2, 0) : n;
  ms_give(o, front_do(b, "ScatterNd", front_unsqueezed(b, places, rank), x, shape));
}

// The extremes, or the product, of slices of one number.
static void index_segments(ms_op *o) {
  front_op *b = &o->b;
  weft_value *x = ms_tensor(o, "x");
  weft_value *places = ms_tensor(o, "index");
  ms_give(o, front_do(b, o->b.type, x, places, front_as(b, ms_numbers(o, "n"), WEFT_INT32)));
}

// x[begin:end:strides] = value, of the first axes.
static void index_copy_slices(ms_op *o) {
  front_op *b = &o->b;
  weft_value *x = ms_tensor(o, "x");
  weft_value *value = x ? ms_operand(o, "updates", x->fact.dtype) : NULL;
  weft_value *begin = ms_numbers(o, "begin");
  weft_value *end = ms_numbers(o, "end");
  weft_value *in[] = {x, begin, end, ms_numbers(o, "strides"), value};
  weft_value *part = b->failed ? NULL : front_emit(b, "StridedSlice", in, 4, NULL);
  in[4] = front_expanded(b, value, front_shape(b, part));
  ms_give(o, b->failed ? NULL : front_emit(b, "StridedSliceAssign", in, 5, NULL));
}

#define INTO "x index updates"
static const ms_row index_rows[] = {
    {"TensorCopySlices", "x updates begin end strides", NULL, 0, index_copy_slices},
    {"IndexFill", "x dim index value", "IndexFill(x, raw(index), value, dim=@dim)", 'T', NULL},
    {"SegmentMean", "x index", NULL, 0, index_sorted_mean},
    {"SegmentMin", "x index", NULL, 0, index_sorted_min},
    {"SegmentProd", "x index", NULL, 0, index_sorted_prod},
    {"UniqueWithPad", "x pad", NULL, 0, index_unique_padded},
    {"UnsortedSegmentMax", "x index n", NULL, 0, index_segments},
    {"UnsortedSegmentMin", "x index n", NULL, 0, index_segments},
    {"UnsortedSegmentProd", "x index n", NULL, 0, index_segments},
    {"UnsortedSegmentSum", "x index n", NULL, 0, index_segment_sum},
    {"Embedding", "index x padding_idx max_norm", NULL, 0, index_embedding},
    {"EmbeddingLookup", "x index", NULL, 0, index_gather},
    {"Gather", "x index axis batch_dims", NULL, 0, index_gather},
    {"GatherD", "x axis index", NULL, 0, index_gather_d},
    {"GatherNd", "x index", NULL, 0, index_gather_nd},
    {"IndexAddExt", "x axis index updates alpha", NULL, 0, index_slices_add},
    {"IndexAdd", INTO, NULL, 0, index_slices_add},
    {"IndexSelect", "x axis index", NULL, 0, index_gather},
    {"MaskedSelect", "x mask", NULL, 0, index_masked_select},
    {"NonZero", "x", NULL, 0, index_non_zero},
    {"Scatter", "x axis index updates reduce", NULL, 0, index_elements},
    {"ScatterAddExt", "x axis index updates", NULL, 0, index_elements_add},
    {"ScatterNd", "index updates shape", NULL, 0, index_scatter_nd},
    {"ScatterValue", "x axis index updates reduce", NULL, 0, index_elements},
    {"TensorScatterAdd", INTO, NULL, 0, index_add},
    {"TensorScatterDiv", INTO, NULL, 0, index_div},
    {"TensorScatterElements", "x index updates axis reduce", NULL, 0, index_elements},
    {"TensorScatterMax", INTO, NULL, 0, index_max},
    {"TensorScatterMin", INTO, NULL, 0, index_min},
    {"TensorScatterMul", INTO, NULL, 0, index_mul},
    {"TensorScatterSub", INTO, NULL, 0, index_sub},
    {"TensorScatterUpdate", INTO, NULL, 0, index_update},
    {"Unique", "x", NULL, 0, index_unique},
};
const ms_rows ms_index = MS_ROWS(index_rows);
// SPDX-License-Identifier: Apache-2.0
