// map_segment.c - rows chosen by numbers: segments, partitions and what is put together again; shapes and
// places of several tensors at once.
#include "base/allocated.h"
#include "frontend/tf/tables.h"

// ---- lists of inputs or outputs ----
static weft_value **segment_inputs(tf_op *o) {
  weft_value **v = WEFT_NEW_N(&o->m->f.arena, weft_value *, o->n_in + 1);
  if (!v)
    front_fail(&o->b, WEFT_E_NOMEM, "out of memory");
  for (size_t i = 0; i < o->n_in && !o->b.failed; i++)
    v[i] = tf_in(o, i);
  return o->b.failed ? NULL : v;
}

static void segment_emit(tf_op *o, const char *type, const weft_use *counts, size_t n_out) {
  weft_value **in = segment_inputs(o);
  weft_value *y = in ? front_emit(&o->b, type, in, o->n_in, counts) : NULL;
  tf_give_all(o, y, n_out);
}

static void segment_accumulate(tf_op *o) {
  uint32_t n = (uint32_t)o->n_in;
  front_set_int(&o->b, "N", n);
  segment_emit(o, "AccumulateNV2", &(weft_use){.in_counts = &n}, 1);
}

static void segment_shape_n(tf_op *o) {
  uint32_t n = (uint32_t)o->n_in;
  front_set_int(&o->b, "dtype", tf_type(o, "out_type", WEFT_INT32));
  segment_emit(o, "ShapeN", &(weft_use){.in_counts = &n, .out_counts = &n}, n);
}

static void segment_concat_offset(tf_op *o) {
  uint32_t n = o->n_in ? (uint32_t)o->n_in - 1 : 0;
  uint32_t in[2] = {1, n};
  front_set_int(&o->b, "N", n);
  segment_emit(o, "ConcatOffset", &(weft_use){.in_counts = in, .out_counts = &n}, n);
}

static void segment_stitch_as(tf_op *o, const char *type) {
  uint32_t n = (uint32_t)(o->n_in / 2);
  uint32_t in[2] = {n, n};
  front_set_int(&o->b, "N", n);
  segment_emit(o, type, &(weft_use){.in_counts = in}, 1);
}
static void segment_stitch(tf_op *o) {
  segment_stitch_as(o, "DynamicStitch");
}
static void segment_stitch_parallel(tf_op *o) {
  segment_stitch_as(o, "ParallelDynamicStitch");
}

static void segment_partition(tf_op *o) {
  int64_t n = tf_int(o, "num_partitions", 1);
  if (n < 1 || n > TF_MAX_OUTPUTS) {
    front_fail(&o->b, WEFT_E_LIMIT, "%lld partitions, at most %d are read", (long long)n, TF_MAX_OUTPUTS);
    return;
  }
  uint32_t counts = (uint32_t)n;
  front_set_int(&o->b, "num_partitions", n);
  segment_emit(o, "DynamicPartition", &(weft_use){.out_counts = &counts}, (size_t)n);
}

// ---- segments, whose numbers ascend ----
// The number behind the last one: INT [].
static weft_value *segment_count(tf_op *o, weft_value *ids) {
  front_op *b = &o->b;
  const int64_t axis = 0;
  weft_value *last = front_reduced(b, "ReduceMax", ids, &axis, 1, false);
  return b->failed ? NULL : front_do(b, "Add", last, front_int(b, ids->fact.dtype, 1), NULL);
}

static weft_value *segment_of(tf_op *o, const char *type, weft_value *x, weft_value *ids, weft_value *n) {
  return front_do(&o->b, type, x, ids, n);
}

// How many rows each segment has, in the dtype of x and with as many axes.
static weft_value *segment_sizes(tf_op *o, weft_value *x, weft_value *ids, weft_value *n) {
  front_op *b = &o->b;
  int rank = front_rank_of(b, x);
  if (b->failed)
    return NULL;
  weft_value *ones = front_filled(b, front_shape(b, ids), front_num(b, x->fact.dtype, 1));
  weft_value *sizes = segment_of(o, "UnsortedSegmentSum", ones, ids, n);
  for (int i = 1; i < rank; i++)
    sizes = front_unsqueezed(b, sizes, i);
  return sizes;
}

// Segments without rows are 0, where the primitive gives the largest number.
static void segment_min(tf_op *o) {
  front_op *b = &o->b;
  weft_value *x = tf_in(o, 0);
  weft_value *ids = tf_in(o, 1);
  weft_value *n = b->failed ? NULL : segment_count(o, ids);
  weft_value *sizes = b->failed ? NULL : segment_sizes(o, x, ids, n);
  if (b->failed)
    return;
  weft_value *zero = front_num(b, x->fact.dtype, 0);
  weft_value *some = front_do(b, "Greater", sizes, zero, NULL);
  tf_give(o, 0, front_where(b, some, segment_of(o, "UnsortedSegmentMin", x, ids, n), zero));
}

static void segment_mean(tf_op *o) {
  front_op *b = &o->b;
  weft_value *x = tf_in(o, 0);
  weft_value *ids = tf_in(o, 1);
  weft_value *n = b->failed ? NULL : segment_count(o, ids);
  weft_value *sizes = b->failed ? NULL : segment_sizes(o, x, ids, n);
  if (b->failed)
    return;
  weft_value *sums = segment_of(o, "UnsortedSegmentSum", x, ids, n);
  sizes = front_do(b, "Maximum", sizes, front_num(b, x->fact.dtype, 1), NULL);
  tf_give(o, 0, front_do(b, "Div", sums, sizes, NULL));
}

static void segment_prod(tf_op *o) {
  weft_value *x = tf_in(o, 0);
  weft_value *ids = tf_in(o, 1);
  weft_value *n = o->b.failed ? NULL : segment_count(o, ids);
  tf_give(o, 0, o->b.failed ? NULL : segment_of(o, "UnsortedSegmentProd", x, ids, n));
}

// Of the rows at some places: their sum over the root of how many there are.
static void segment_sqrt_n(tf_op *o) {
  front_op *b = &o->b;
  weft_value *x = tf_in(o, 0);
  weft_value *ids = tf_in(o, 2);
  weft_value *n = b->failed ? NULL : segment_count(o, ids);
  weft_value *sizes = b->failed ? NULL : segment_sizes(o, x, ids, n);
  weft_value *rows = b->failed ? NULL : front_picked(b, x, 0, tf_in(o, 1));
  if (b->failed)
    return;
  weft_value *sums = segment_of(o, "UnsortedSegmentSum", rows, ids, n);
  sizes = front_do(b, "Maximum", sizes, front_num(b, x->fact.dtype, 1), NULL);
  tf_give(o, 0, front_do(b, "Div", sums, front_do(b, "Sqrt", sizes, NULL, NULL), NULL));
}

// ---- distinct rows ----
static weft_value *segment_distinct(tf_op *o) {
  weft_value *x = tf_in(o, 0);
  front_set(&o->b, "out_idx", weft_attr_dtype(tf_type(o, "out_idx", WEFT_INT32)));
  return front_do(&o->b, "UniqueWithCountsExt2", x, tf_in(o, 1), NULL);
}
static void segment_unique(tf_op *o) {
  weft_value *y = segment_distinct(o);
  tf_give(o, 0, y);
  tf_give(o, 1, y ? y + 3 : NULL);
}
static void segment_unique_counts(tf_op *o) {
  weft_value *y = segment_distinct(o);
  tf_give(o, 0, y);
  tf_give(o, 1, y ? y + 3 : NULL);
  tf_give(o, 2, y ? y + 2 : NULL);
}

// ---- moved ----
// By as much as a tensor says: rows at (i - shift) mod n.
static weft_value *segment_rolled(front_op *b, weft_value *x, weft_value *shift, int64_t axis) {
  weft_value *n = front_dim_index(b, x, axis < 0 ? axis + front_rank_of(b, x) : axis);
  weft_value *from = front_do(b, "Sub", front_counting(b, n), front_as(b, shift, WEFT_INT64), NULL);
  return front_picked(b, x, axis, front_do(b, "FloorMod", from, n, NULL));
}

static void segment_roll(tf_op *o) {
  int64_t shifts[TF_MAX_NUMBERS];
  int64_t axes[TF_MAX_NUMBERS];
  size_t n = 0;
  weft_value *x = tf_in(o, 0);
  weft_value *by = tf_in(o, 1);
  size_t m = tf_known(o, 2, axes);
  if (!o->b.failed && !front_known_ints(by, shifts, TF_MAX_NUMBERS, &n)) {
    by = front_flat(&o->b, by);
    for (size_t i = 0; i < m; i++)
      x = segment_rolled(&o->b, x, front_part(&o->b, by, 0, (int64_t)i, (int64_t)i + 1), axes[i]);
    tf_give(o, 0, x);
    return;
  }
  if (!o->b.failed && n != m)
    front_fail(&o->b, WEFT_E_SHAPE, "%zu shifts along %zu axes", n, m);
  front_set_ints(&o->b, "shifts", shifts, n);
  front_set_ints(&o->b, "dims", axes, m);
  tf_give(o, 0, front_do(&o->b, "Roll", x, NULL, NULL));
}

// Its first form says of each axis whether it is turned round.
static void segment_reverse(tf_op *o) {
  int64_t axes[TF_MAX_NUMBERS];
  weft_value *x = tf_in(o, 0);
  weft_value *turned = tf_in(o, 1);
  const weft_tensor *t = o->b.failed ? NULL : turned->fact.value;
  int64_t n = t && t->data && t->dtype == WEFT_BOOL ? weft_tensor_elems(t) : 0;
  size_t m = 0;
  if (!o->b.failed && (n < 1 || n > TF_MAX_NUMBERS))
    front_fail(&o->b, WEFT_E_UNKNOWN, "which axes it turns round is not a constant");
  for (int64_t i = 0; i < n && !o->b.failed; i++) {
    if (weft_load_i64(WEFT_BOOL, t->data, (size_t)i))
      axes[m++] = i;
  }
  tf_give(o, 0, o->b.failed ? NULL : front_do(&o->b, "ReverseV2", x, front_list(&o->b, axes, m), NULL));
}

// What it holds is not said; zeros.
static void segment_empty(tf_op *o) {
  front_op *b = &o->b;
  weft_value *zero = front_num(b, tf_type(o, "dtype", WEFT_FLOAT), 0);
  tf_give(o, 0, front_filled(b, tf_in(o, 0), zero));
}

static void segment_in_top_k(tf_op *o) {
  weft_value *k = front_int(&o->b, WEFT_INT32, tf_int(o, "k", 1));
  tf_give(o, 0, front_do(&o->b, "InTopKV2", tf_in(o, 0), tf_in(o, 1), k));
}

// psi^(a)(x) = (-1)^(a + 1) a! zeta(a + 1, x); the function itself where a is 0.
static void segment_polygamma(tf_op *o) {
  front_op *b = &o->b;
  weft_value *a = tf_in(o, 0);
  weft_value *x = tf_in(o, 1);
  if (b->failed)
    return;
  weft_dtype t = x->fact.dtype;
  weft_value *one = front_num(b, t, 1);
  weft_value *two = front_num(b, t, 2);
  weft_value *next = front_do(b, "Add", a, one, NULL);
  weft_value *odd = front_do(b, "FloorMod", a, two, NULL);
  weft_value *sign = front_do(b, "Sub", front_do(b, "Mul", odd, two, NULL), one, NULL);
  weft_value *fact = front_do(b, "Exp", front_do(b, "Lgamma", next, NULL, NULL), NULL, NULL);
  weft_value *zeta = front_do(b, "Zeta", next, x, NULL);
  weft_value *y = front_do(b, "Mul", front_do(b, "Mul", sign, fact, NULL), zeta, NULL);
  weft_value *itself = front_do(b, "Equal", a, front_num(b, t, 0), NULL);
  tf_give(o, 0, front_where(b, itself, front_do(b, "Digamma", x, NULL, NULL), y));
}

static const tf_row segment_rows[] = {
    {"AccumulateNV2", NULL, NULL, segment_accumulate},
    {"ConcatOffset", NULL, NULL, segment_concat_offset},
    {"DynamicPartition", NULL, NULL, segment_partition},
    {"DynamicStitch", NULL, NULL, segment_stitch},
    {"Empty", NULL, NULL, segment_empty},
    {"InTopK", NULL, NULL, segment_in_top_k},
    {"ParallelDynamicStitch", NULL, NULL, segment_stitch_parallel},
    {"Polygamma", NULL, NULL, segment_polygamma},
    {"Reverse", NULL, NULL, segment_reverse},
    {"Roll", NULL, NULL, segment_roll},
    {"SegmentMean", NULL, NULL, segment_mean},
    {"SegmentMin", NULL, NULL, segment_min},
    {"SegmentProd", NULL, NULL, segment_prod},
    {"ShapeN", NULL, NULL, segment_shape_n},
    {"SparseSegmentSqrtN", NULL, NULL, segment_sqrt_n},
    {"UniqueV2", NULL, NULL, segment_unique},
    {"UniqueWithCountsV2", NULL, NULL, segment_unique_counts},
};
const tf_rows tf_segment = TF_ROWS(segment_rows);
// SPDX-License-Identifier: Apache-2.0
