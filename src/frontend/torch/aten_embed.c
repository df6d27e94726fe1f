// aten_embed.c - tables of vectors, classes and intervals, counting, distinct values.
#include <math.h>

#include "base/allocated.h"
#include "frontend/torch/tables.h"

static void embed_embedding(pt_op *o) {
  weft_value *weight = pt_tensor(o, "weight");
  pt_result(o, 0, front_picked(&o->b, weight, 0, pt_tensor(o, "indices")));
}

// ---- bags ----
typedef struct bag {
  weft_value *rows;    // [n, size]: the vectors
  weft_value *number;  // [n]: the bag of each
  weft_value *counts;  // [n]: 1, or 0 for padding
  weft_value *n_bags;  // INT64 [1]
  weft_value *size;    // INT64 [1]
} bag;

// A row that is counted from the table's end.
static int64_t embed_from_end(pt_op *o, int64_t row, weft_dim rows) {
  bool given = pt_find(o, "padding_idx") != NULL;
  if (given && (rows < 0 || row < -rows))
    front_fail(&o->b, WEFT_E_RANGE, "argument 'padding_idx': %lld, where the table has %lld rows",
               (long long)row, front_shown(rows));
  return given && !o->b.failed ? row + rows : -1;
}

// The bag of element i is the last one that begins at i or before it.
static bag embed_bag_of(pt_op *o) {
  front_op *b = &o->b;
  bag g = {NULL, NULL, NULL, NULL, NULL};
  weft_value *weight = pt_tensor(o, "weight");
  weft_value *at = front_as(b, pt_tensor(o, "indices"), WEFT_INT64);
  weft_value *offsets = front_as(b, pt_tensor(o, "offsets"), WEFT_INT64);
  if (b->failed)
    return g;
  if (pt_bool(o, "include_last_offset", false))
    offsets = front_part(b, offsets, 0, 0, -1);
  weft_dtype t = weight->fact.dtype;
  weft_value *places = front_unsqueezed(b, front_counting(b, front_dim_index(b, at, 0)), 1);
  weft_value *behind = front_as(b, front_do(b, "GreaterEqual", places, offsets, NULL), WEFT_INT64);
  weft_value *n = front_reduced(b, "ReduceSum", behind, &(int64_t){1}, 1, false);
  g.number = front_do(b, "Sub", n, front_index(b, 1), NULL);
  g.rows = front_picked(b, weight, 0, at);
  g.n_bags = front_dim_list(b, offsets, 0);
  g.size = front_dim_list(b, weight, 1);
  weft_value *one = front_num(b, t, 1);
  g.counts = front_filled(b, front_shape(b, at), one);
  int64_t padding = pt_int(o, "padding_idx", -1);
  if (padding < 0 && !strcmp(b->type, "embedding_bag.padding_idx"))  // elsewhere -1 says that there is none
    padding = embed_from_end(o, padding, front_dim(weight, 0));
  if (pt_find(o, "padding_idx") && padding >= 0) {
    weft_value *real = front_do(b, "NotEqual", at, front_index(b, padding), NULL);
    g.counts = front_as(b, real, t);
  }
  return g;
}

static weft_value *embed_scattered(front_op *b, const bag *g, weft_value *onto, weft_value *v,
                                   const char *how) {
  weft_value *at = front_expanded(b, front_unsqueezed(b, g->number, 1), front_shape(b, v));
  front_set_int(b, "axis", 0);
  front_set_text(b, "reduction", how);
  return front_do(b, "ScatterElements", onto, at, v);
}

static weft_value *embed_table(front_op *b, const bag *g, double number) {
  weft_value *parts[2] = {g->n_bags, g->size};
  if (b->failed)
    return NULL;
  weft_value *shape = front_joined(b, parts, 2, 0);
  return front_filled(b, shape, front_num(b, g->rows->fact.dtype, number));
}

static void embed_bag(pt_op *o) {
  front_op *b = &o->b;
  int64_t mode = pt_int(o, "mode", 0);
  bag g = embed_bag_of(o);
  if (b->failed)
    return;
  weft_value *wide = front_unsqueezed(b, g.counts, 1);
  weft_value *share = pt_optional(o, "per_sample_weights");
  weft_value *counted =
      embed_scattered(b, &g, embed_table(b, &g, 0), front_expanded(b, wide, front_shape(b, g.rows)), "add");
  if (mode == 2) {
    weft_value *low = front_num(b, g.rows->fact.dtype, -HUGE_VAL);
    weft_value *some = front_as(b, wide, WEFT_BOOL);
    weft_value *rows = front_where(b, some, g.rows, low);
    weft_value *y = embed_scattered(b, &g, embed_table(b, &g, -HUGE_VAL), rows, "max");
    weft_value *zero = front_num(b, g.rows->fact.dtype, 0);
    pt_result(o, 0, front_where(b, front_do(b, "Greater", counted, zero, NULL), y, zero));
    return;
  }
  weft_value *rows = g.rows;
  if (share)
    rows = front_do(b, "Mul", rows, front_unsqueezed(b, share, 1), NULL);
  if (!b->failed)  // a row of padding may hold anything
    rows = front_where(b, front_as(b, wide, WEFT_BOOL), rows, front_num(b, rows->fact.dtype, 0));
  weft_value *y = embed_scattered(b, &g, embed_table(b, &g, 0), rows, "add");
  if (mode == 1)
    y = front_do(b, "RealDiv", y, front_do(b, "Maximum", counted, front_num(b, g.rows->fact.dtype, 1), NULL),
                 NULL);
  pt_result(o, 0, y);
}

// ---- classes and intervals ----
static void embed_one_hot(pt_op *o) {
  front_op *b = &o->b;
  weft_value *v = pt_tensor(o, "self");
  int64_t n = pt_int(o, "num_classes", -1);
  if (n < 1) {
    front_fail(b, WEFT_E_UNSUPPORTED,
               "argument 'num_classes' must be given: otherwise it follows from the data");
    return;
  }
  front_set_int(b, "axis", -1);
  weft_value *in[4] = {v, front_index(b, n), front_int(b, WEFT_INT64, 1), front_int(b, WEFT_INT64, 0)};
  pt_result(o, 0, front_emit(b, "OneHot", in, 4, NULL));
}

// How many of the sorted numbers lie in front of v: they are compared with all. All lie in front of NaN.
static void embed_search(pt_op *o, weft_value *sorted, weft_value *v) {
  front_op *b = &o->b;
  bool right = pt_bool(o, "right", false) || pt_is(o, "side", "", "right");
  if (b->failed)
    return;
  weft_dtype t = pt_promote(sorted->fact.dtype, v->fact.dtype);
  int rank = front_rank_of(b, v);
  int depth = front_rank_of(b, sorted);
  v = front_unsqueezed(b, front_as(b, v, t), rank);
  sorted = front_as(b, sorted, t);
  if (depth > 1)
    sorted = front_unsqueezed(b, sorted, depth - 1);
  weft_value *before = front_do(b, right ? "LessEqual" : "Less", sorted, v, NULL);
  if (WEFT_BIT(t) & WEFT_FLOATS)
    before = front_do(b, "LogicalOr", before, front_do(b, "IsNan", v, NULL, NULL), NULL);
  int64_t last = depth > 1 ? depth : rank;
  weft_value *y = front_reduced(b, "ReduceSum", front_as(b, before, WEFT_INT64), &last, 1, false);
  pt_result(o, 0, y);
}
static void embed_bucketize(pt_op *o) {
  weft_value *v = pt_operand(o, "self", WEFT_UNDEFINED);
  embed_search(o, pt_tensor(o, "boundaries"), v);
}
static void embed_searchsorted(pt_op *o) {
  weft_value *v = pt_operand(o, "self", WEFT_UNDEFINED);
  weft_value *sorted = pt_tensor(o, "sorted_sequence");
  weft_value *order = pt_optional(o, "sorter");  // in which it would be sorted
  if (order) {
    order = front_as(&o->b, order, WEFT_INT64);
    front_set_int(&o->b, "dim", front_rank_of(&o->b, sorted) - 1);
    sorted = front_do(&o->b, "GatherElements", sorted, order, NULL);
  }
  embed_search(o, sorted, v);
}

static void embed_histc(pt_op *o) {
  weft_value *v = pt_tensor(o, "self");
  int64_t bins = pt_int(o, "bins", 100);
  pt_result(o, 0, front_histogram(&o->b, v, bins, pt_float(o, "min", 0), pt_float(o, "max", 0)));
}

// Numbers of each integer; as many as the largest one wants.
static void embed_bincount(pt_op *o) {
  front_op *b = &o->b;
  weft_value *v = front_as(b, pt_tensor(o, "self"), WEFT_INT64);
  weft_value *weights = pt_optional(o, "weights");
  int64_t least = pt_int(o, "minlength", 0);
  weft_dtype t = weights ? pt_out_type(o, 0) : (weft_dtype)WEFT_INT64;
  weft_value *none[2] = {v, front_list(b, &(int64_t){-1}, 1)};
  weft_value *largest =
      b->failed ? NULL : front_reduced(b, "ReduceMax", front_joined(b, none, 2, 0), NULL, 0, false);
  weft_value *n = front_do(b, "Add", largest, front_index(b, 1), NULL);
  n = front_do(b, "Maximum", n, front_index(b, least), NULL);
  weft_value *same = front_do(b, "Equal", front_unsqueezed(b, v, 1), front_counting(b, n), NULL);
  weft_value *ones = front_as(b, same, t);
  if (weights && !b->failed)
    ones = front_where(b, same, front_unsqueezed(b, front_as(b, weights, t), 1), front_num(b, t, 0));
  pt_result(o, 0, front_reduced(b, "ReduceSum", ones, &(int64_t){0}, 1, false));
}

// ---- distinct values ----
static void embed_unique_of(pt_op *o, bool along_axis) {
  front_op *b = &o->b;
  weft_value *v = pt_tensor(o, "self");
  int rank = front_rank_of(b, v);
  weft_value *in[2] = {v, NULL};
  if (along_axis)
    in[1] = front_list(b, &(int64_t){pt_axis(o, "dim", 0, rank)}, 1);
  else {
    in[0] = front_flat(b, v);
    in[1] = front_list(b, NULL, 0);  // all elements
  }
  front_set_bool(b, "sorted", true);
  front_set_bool(b, "return_inverse", true);
  weft_value *y = front_emit(b, "UniqueWithCountsExt2", in, 2, NULL);
  if (b->failed)
    return;
  pt_result(o, 0, y);
  pt_result(o, 1, along_axis ? y + 3 : front_reshape(b, y + 3, front_shape(b, v)));
  pt_result(o, 2, y + 2);
}
static void embed_unique(pt_op *o) {
  embed_unique_of(o, false);
}
static void embed_unique_dim(pt_op *o) {
  embed_unique_of(o, true);
}

// Runs of equal elements or slices: each once, its number, its length.
static void embed_unique_runs(pt_op *o) {
  front_op *b = &o->b;
  weft_value *v = pt_tensor(o, "self");
  bool slices = pt_find(o, "dim") != NULL;
  int64_t axis = slices ? pt_axis(o, "dim", 0, front_rank_of(b, v)) : 0;
  weft_value *in = slices ? v : front_flat(b, v);
  front_set_bool(b, "return_idx", true);
  front_set_bool(b, "return_counts", true);
  front_set_int(b, "axis", axis);
  weft_value *y = front_do(b, "UniqueConsecutive", in, NULL, NULL);
  if (b->failed)
    return;
  pt_result(o, 0, y);
  pt_result(o, 1, slices ? y + 1 : front_reshape(b, y + 1, front_shape(b, v)));
  pt_result(o, 2, y + 2);
}

// Element i of an axis as often as repeats[i] says: place k belongs to the first element whose sum passes k.
static void embed_repeat_each(pt_op *o) {
  front_op *b = &o->b;
  weft_value *times = front_as(b, front_flat(b, pt_tensor(o, "repeats")), WEFT_INT64);
  bool alone = !pt_has(o, "self");  // each element's place as often as it says
  weft_value *v = alone ? front_counting(b, front_dim_index(b, times, 0)) : pt_tensor(o, "self");
  if (!pt_find(o, "dim"))
    v = front_flat(b, v);
  int64_t axis = pt_axis(o, "dim", 0, front_rank_of(b, v));
  if (b->failed)
    return;
  times = front_expanded(b, times, front_dim_list(b, v, axis));
  weft_value *sums = front_do(b, "Cumsum", times, front_index(b, 0), NULL);
  weft_value *all = front_reduced(b, "ReduceSum", times, NULL, 0, false);
  weft_value *places = front_unsqueezed(b, front_counting(b, all), 1);
  weft_value *before = front_as(b, front_do(b, "LessEqual", sums, places, NULL), WEFT_INT64);
  weft_value *at = front_reduced(b, "ReduceSum", before, &(int64_t){1}, 1, false);
  pt_result(o, 0, front_picked(b, v, axis, at));
}

// ---- along an axis ----
static void embed_glu(pt_op *o) {
  front_op *b = &o->b;
  weft_value *v = pt_tensor(o, "self");
  int64_t axis = pt_axis(o, "dim", -1, front_rank_of(b, v));
  weft_value *half = front_equal_parts(b, v, axis, 2);
  pt_result(o, 0, half ? front_do(b, "Mul", half, front_do(b, "Sigmoid", half + 1, NULL, NULL), NULL) : NULL);
}

// What stands before and behind the tensor joins it, unless nothing is subtracted.
static weft_value *embed_diff_of(pt_op *o, int64_t times, int64_t axis) {
  weft_value *parts[3];
  size_t n = 0;
  bool before = pt_find(o, "prepend") != NULL;
  bool behind = pt_find(o, "append") != NULL;
  if (times && before)
    parts[n++] = pt_tensor(o, "prepend");
  parts[n++] = pt_tensor(o, "self");
  if (times && behind)
    parts[n++] = pt_tensor(o, "append");
  return o->b.failed ? NULL : front_joined(&o->b, parts, n, axis);
}

static void embed_diff(pt_op *o) {
  enum { MOST = 256 };
  front_op *b = &o->b;
  int64_t axis = pt_axis(o, "dim", -1, front_rank_of(b, pt_tensor(o, "self")));
  int64_t times = pt_int(o, "n", 1);
  if (!b->failed && times > MOST)
    front_fail(b, WEFT_E_LIMIT, "argument 'n': %lld differences of differences, at most %d are read",
               (long long)times, MOST);
  weft_value *v = embed_diff_of(o, times, axis);
  for (int64_t i = 0; i < times && !b->failed; i++) {
    weft_value *later = front_part(b, v, axis, 1, INT64_MAX);
    weft_value *former = front_part(b, v, axis, 0, -1);
    v = front_do(b, v->fact.dtype == WEFT_BOOL ? "NotEqual" : "Sub", later, former, NULL);
  }
  pt_result(o, 0, v);
}

// The largest element so far and its last place.
static void embed_running(pt_op *o, bool largest) {
  weft_value *v = pt_tensor(o, "self");
  weft_value *at = NULL;
  int rank = front_rank_of(&o->b, v);
  int64_t axis = pt_axis(o, "dim", 0, rank);
  if (!rank) {  // a number is the only one so far
    pt_result(o, 0, v);
    pt_result(o, 1, front_index(&o->b, 0));
    return;
  }
  if (o->b.failed)
    return;
  pt_result(o, 0, front_running(&o->b, v, axis, largest, &at));
  pt_result(o, 1, at);
}
static void embed_cummax(pt_op *o) {
  embed_running(o, true);
}
static void embed_cummin(pt_op *o) {
  embed_running(o, false);
}

// The same of f64, which CumulativeLogsumexp does not take: of each element with all before it.
static weft_value *embed_log_sums(front_op *b, weft_value *v, int64_t axis) {
  int rank = front_rank(v);
  weft_value *row = front_unsqueezed(b, front_swapped(b, v, axis, rank - 1), rank - 1);
  weft_value *n = front_counting(b, front_dim_index(b, v, axis));
  weft_value *before = front_do(b, "LessEqual", n, front_unsqueezed(b, n, 1), NULL);
  row = front_where(b, before, row, front_num(b, WEFT_DOUBLE, -HUGE_VAL));
  weft_value *most = front_reduced(b, "ReduceMax", row, &(int64_t){rank}, 1, true);
  weft_value *finite = front_do(b, "IsFinite", most, NULL, NULL);
  most = front_where(b, finite, most, front_num(b, WEFT_DOUBLE, 0));
  row = front_do(b, "Exp", front_do(b, "Sub", row, most, NULL), NULL, NULL);
  row = front_do(b, "Log", front_reduced(b, "ReduceSum", row, &(int64_t){rank}, 1, true), NULL, NULL);
  row = front_squeezed(b, front_do(b, "Add", row, most, NULL), rank);
  return front_swapped(b, row, axis, rank - 1);
}

static void embed_logcumsumexp(pt_op *o) {
  front_op *b = &o->b;
  weft_value *v = pt_tensor(o, "self");
  int rank = front_rank_of(b, v);
  int64_t axis = pt_axis(o, "dim", 0, rank);
  if (b->failed || !rank) {
    pt_result(o, 0, v);
    return;
  }
  weft_dtype t = v->fact.dtype;
  if (t == WEFT_DOUBLE) {
    pt_result(o, 0, embed_log_sums(b, v, axis));
    return;
  }
  v = front_as(b, v, WEFT_FLOAT);
  pt_result(o, 0, front_as(b, front_do(b, "CumulativeLogsumexp", v, front_index(b, axis), NULL), t));
}

// ---- quantised and back ----
static weft_value *embed_by_channel(pt_op *o, weft_value *v, weft_value *of) {
  int64_t dims[WEFT_MAX_RANK];
  int rank = front_rank_of(&o->b, of);
  int64_t axis = pt_axis(o, "axis", 0, rank);
  if (front_rank(v) != 1 || !pt_find(o, "axis"))
    return front_rank(v) == 1 ? front_reshaped(&o->b, v, NULL, 0) : v;
  for (int i = 0; i < rank; i++)
    dims[i] = i == axis ? -1 : 1;
  return front_reshaped(&o->b, v, dims, (size_t)rank);
}

static void embed_fake_quant(pt_op *o) {
  front_op *b = &o->b;
  weft_value *v = pt_tensor(o, "self");
  if (b->failed)
    return;
  weft_dtype t = v->fact.dtype;
  if (front_rank(v) == 0 && pt_find(o, "axis"))
    front_fail(b, WEFT_E_SHAPE, "a number has no channels");
  weft_value *scale = embed_by_channel(o, pt_operand(o, "scale", t), v);
  weft_value *zero = embed_by_channel(o, pt_operand(o, "zero_point", t), v);
  weft_value *low = front_num(b, t, (double)pt_int(o, "quant_min", -128));
  weft_value *high = front_num(b, t, (double)pt_int(o, "quant_max", 127));
  weft_value *inverse = front_do(b, "RealDiv", front_num(b, t, 1), scale, NULL);
  weft_value *q = front_do(b, "Round", front_do(b, "Mul", v, inverse, NULL), NULL, NULL);
  q = front_do(b, "Add", q, zero, NULL);
  weft_value *clipped = front_do(b, "ClipByValueV2", q, low, high);
  pt_result(o, 0, front_do(b, "Mul", front_do(b, "Sub", clipped, zero, NULL), scale, NULL));
  if (pt_wants(o, 1) && !b->failed)
    pt_result(o, 1, front_do(b, "Equal", q, clipped, NULL));
}

static const pt_row embed_rows[] = {
    {"embedding", NULL, 0, embed_embedding, 0},
    {"embedding_bag", NULL, 0, embed_bag, 0},
    {"_embedding_bag", NULL, 0, embed_bag, 0},
    {"_embedding_bag_forward_only", NULL, 0, embed_bag, 0},
    {"one_hot", NULL, 0, embed_one_hot, 0},
    {"bucketize", NULL, 0, embed_bucketize, 0},
    {"searchsorted", NULL, 0, embed_searchsorted, 0},
    {"histc", NULL, 0, embed_histc, 0},
    {"bincount", NULL, 0, embed_bincount, 0},
    {"_unique2", NULL, 0, embed_unique, 0},
    {"unique_dim", NULL, 0, embed_unique_dim, 0},
    {"unique_consecutive", NULL, 0, embed_unique_runs, 0},
    {"repeat_interleave.Tensor", NULL, 0, embed_repeat_each, 0},
    {"repeat_interleave.self_Tensor", NULL, 0, embed_repeat_each, 0},
    {"glu", NULL, 0, embed_glu, 0},
    {"diff", NULL, 0, embed_diff, 0},
    {"cummax", NULL, 0, embed_cummax, 0},
    {"cummin", NULL, 0, embed_cummin, 0},
    {"logcumsumexp", NULL, 0, embed_logcumsumexp, 0},
    {"fake_quantize_per_tensor_affine", NULL, 0, embed_fake_quant, 0},
    {"fake_quantize_per_channel_affine", NULL, 0, embed_fake_quant, 0},
    {"fake_quantize_per_tensor_affine_cachemask", NULL, 0, embed_fake_quant, 0},
    {"fake_quantize_per_channel_affine_cachemask", NULL, 0, embed_fake_quant, 0},
};
const pt_rows pt_embed = PT_ROWS(embed_rows);
// SPDX-License-Identifier: Apache-2.0
