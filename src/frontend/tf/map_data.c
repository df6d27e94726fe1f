// map_data.c - elements arranged anew, chosen by places, and made of sizes.
#include "base/allocated.h"
#include "frontend/tf/tables.h"

// All inputs from `first` on, as many as there are but the last `less`.
static weft_value **data_list(tf_op *o, size_t first, size_t less, size_t *n) {
  *n = o->n_in >= first + less ? o->n_in - first - less : 0;
  weft_value **v = WEFT_NEW_N(&o->m->f.arena, weft_value *, *n + 2);
  if (!v || !*n) {
    front_fail(&o->b, v ? WEFT_E_MISSING : WEFT_E_NOMEM, v ? "it has no inputs" : "out of memory");
    return NULL;
  }
  for (size_t i = 0; i < *n; i++)
    v[i] = tf_in(o, first + i);
  return o->b.failed ? NULL : v;
}

static void data_concat_with(tf_op *o, size_t first, size_t less, size_t axis) {
  size_t n;
  weft_value **v = data_list(o, first, less, &n);
  if (!v)
    return;
  v[n] = tf_in(o, axis);
  uint32_t counts[2] = {(uint32_t)n, 1};
  front_set_int(&o->b, "N", (int64_t)n);
  tf_give(o, 0, front_emit(&o->b, "ConcatV2", v, n + 1, &(weft_use){.in_counts = counts}));
}
static void data_concat_v2(tf_op *o) {
  data_concat_with(o, 0, 1, o->n_in ? o->n_in - 1 : 0);
}
static void data_concat(tf_op *o) {
  data_concat_with(o, 1, 0, 0);
}

static void data_pack(tf_op *o) {
  size_t n;
  weft_value **v = data_list(o, 0, 0, &n);
  if (!v)
    return;
  uint32_t counts[1] = {(uint32_t)n};
  front_set_int(&o->b, "axis", tf_int(o, "axis", 0));
  front_set_int(&o->b, "N", (int64_t)n);
  tf_give(o, 0, front_emit(&o->b, "Pack", v, n, &(weft_use){.in_counts = counts}));
}

static void data_many(tf_op *o, const char *type, weft_value *const *in, size_t n_in, int64_t n) {
  uint32_t counts[1] = {(uint32_t)n};
  if (n < 0 || n > TF_MAX_OUTPUTS) {
    front_fail(&o->b, WEFT_E_LIMIT, "%lld outputs", (long long)n);
    return;
  }
  weft_value *y = front_emit(&o->b, type, in, n_in, &(weft_use){.out_counts = counts});
  tf_give_all(o, y, (size_t)n);
}

static void data_unpack(tf_op *o) {
  weft_value *x = tf_in(o, 0);
  int64_t num = tf_int(o, "num", 0);
  front_set_int(&o->b, "num", num);
  front_set_int(&o->b, "axis", tf_int(o, "axis", 0));
  data_many(o, "Unpack", &x, 1, num);
}

static void data_split(tf_op *o) {
  weft_value *in[2] = {tf_in(o, 0), tf_in(o, 1)};
  int64_t num = tf_int(o, "num_split", 1);
  front_set_int(&o->b, "num_split", num);
  data_many(o, "Split", in, 2, num);
}

static void data_split_v(tf_op *o) {
  weft_value *in[3] = {tf_in(o, 0), tf_in(o, 1), tf_in(o, 2)};
  int64_t num = tf_int(o, "num_split", 1);
  front_set_int(&o->b, "num_split", num);
  data_many(o, "SplitV", in, 3, num);
}

static void data_squeeze(tf_op *o) {
  int64_t axes[TF_MAX_NUMBERS];
  weft_value *x = tf_in(o, 0);
  size_t n = tf_ints(o, "squeeze_dims", axes);
  if (!n)
    n = tf_ints(o, "axis", axes);
  front_set_ints(&o->b, "axis", axes, n);
  tf_give(o, 0, front_do(&o->b, "Squeeze", x, NULL, NULL));
}

static void data_reshape(tf_op *o) {
  weft_value *x = tf_in(o, 0);
  tf_give(o, 0, front_reshape(&o->b, x, tf_in(o, 1)));
}

static void data_outputs(tf_op *o, const char *type, const char *attrs, size_t n) {
  weft_value *in[4];
  for (size_t i = 0; i < o->n_in && i < 4; i++)
    in[i] = tf_in(o, i);
  tf_set_attrs(o, type, attrs);
  weft_value *y = o->b.failed ? NULL : front_emit(&o->b, type, in, WEFT_MIN(o->n_in, 4), NULL);
  tf_give_all(o, y, n);
}
static void data_top_k(tf_op *o) {
  data_outputs(o, "TopKV2", "sorted=T", 2);
}
// The first version has the number as an attribute.
static void data_top_k_of(tf_op *o) {
  weft_value *x = tf_in(o, 0);
  weft_value *k = front_int(&o->b, WEFT_INT32, tf_int(o, "k", 1));
  tf_set_attrs(o, "TopKV2", "sorted=T");
  tf_give_all(o, front_do(&o->b, "TopKV2", x, k, NULL), 2);
}
static void data_unique(tf_op *o) {
  data_outputs(o, "Unique", "out_idx=3", 2);
}

static void data_unique_counts(tf_op *o) {
  front_op *b = &o->b;
  weft_value *x = tf_in(o, 0);
  weft_value *axis = front_list(b, NULL, 0);  // none: x is one row
  front_set(b, "out_idx", weft_attr_dtype(tf_type(o, "out_idx", WEFT_INT32)));
  weft_value *y = front_do(b, "UniqueWithCountsExt2", x, axis, NULL);
  for (size_t i = 0; i < 3 && y; i++) {
    static const size_t from[] = {0, 3, 2};  // of elements, their first places, counts and what each is
    tf_give(o, i, y + from[i]);
  }
}

// The same in each row, or whether it stands there at all: [rows, places, 1] beside 0 .. size - 1.
static void data_bincount_rows(tf_op *o, weft_value *weights, bool binary) {
  front_op *b = &o->b;
  weft_value *x = front_as(b, tf_in(o, 0), WEFT_INT64);
  int64_t last = front_rank_of(b, x) - 1;
  weft_value *given = tf_in(o, 2);
  if (b->failed)
    return;
  weft_dtype t = given->fact.dtype;
  weft_value *numbers = front_counting(b, front_as(b, tf_in(o, 1), WEFT_INT64));
  weft_value *here = front_do(b, "Equal", front_unsqueezed(b, x, last + 1), numbers, NULL);
  if (binary) {
    tf_give(o, 0, front_as(b, front_reduced(b, "ReduceAny", here, &last, 1, false), t));
    return;
  }
  weft_value *add = weights ? front_where(b, here, front_unsqueezed(b, weights, last + 1), front_num(b, t, 0))
                            : front_as(b, here, t);
  tf_give(o, 0, front_reduced(b, "ReduceSum", add, &last, 1, false));
}

// How often each number below `size` stands in a list, or the sum of what is given with it.
static void data_bincount(tf_op *o) {
  front_op *b = &o->b;
  weft_value *x = tf_in(o, 0);
  weft_value *weights = tf_in(o, 2);
  bool binary = tf_bool(o, "binary_output", false);
  if (b->failed)
    return;
  bool weighted = front_rank(weights) != 1 || front_dim(weights, 0) != 0;
  if (binary || front_rank(x) == 2) {
    data_bincount_rows(o, weighted && !binary ? weights : NULL, binary);
    return;
  }
  weft_value *size = front_as(b, tf_in(o, 1), WEFT_INT64);
  x = front_as(b, front_flat(b, x), WEFT_INT64);
  weft_value *at = front_do(b, "Minimum", x, size, NULL);  // what is too large goes behind the last
  weft_value *room =
      front_do(b, "Add", front_reshaped(b, size, (const int64_t[]){1}, 1), front_index(b, 1), NULL);
  weft_dtype t = b->failed ? (weft_dtype)WEFT_FLOAT : weights->fact.dtype;
  weft_value *zeros = front_filled(b, room, front_num(b, t, 0));
  weft_value *add =
      weighted ? front_flat(b, weights) : front_filled(b, front_shape(b, at), front_num(b, t, 1));
  weft_value *rows = front_unsqueezed(b, at, 1);
  front_set_text(b, "reduction", "add");
  weft_value *sums = front_do(b, "TensorScatterUpdate", zeros, rows, add);
  tf_give(o, 0, front_part(b, sums, 0, 0, -1));
}

static void data_scatter(tf_op *o, const char *reduction) {
  weft_value *in[3] = {tf_in(o, 0), tf_in(o, 1), tf_in(o, 2)};
  front_set_text(&o->b, "reduction", reduction);
  tf_give(o, 0, o->b.failed ? NULL : front_emit(&o->b, "TensorScatterUpdate", in, 3, NULL));
}
static void data_scatter_update(tf_op *o) {
  data_scatter(o, "none");
}
static void data_scatter_add(tf_op *o) {
  data_scatter(o, "add");
}
static void data_scatter_sub(tf_op *o) {
  weft_value *in[3] = {tf_in(o, 0), tf_in(o, 1), front_do(&o->b, "Neg", tf_in(o, 2), NULL, NULL)};
  front_set_text(&o->b, "reduction", "add");
  tf_give(o, 0, o->b.failed ? NULL : front_emit(&o->b, "TensorScatterUpdate", in, 3, NULL));
}
static void data_scatter_max(tf_op *o) {
  data_scatter(o, "max");
}
static void data_scatter_min(tf_op *o) {
  data_scatter(o, "min");
}

static void data_mirror_pad(tf_op *o) {
  weft_value *x = tf_in(o, 0);
  front_set_text(&o->b, "mode", tf_is(o, "mode", "REFLECT", "SYMMETRIC") ? "symmetric" : "reflect");
  tf_give(o, 0, front_do(&o->b, "PadV3", x, tf_in(o, 1), NULL));
}

static void data_gather(tf_op *o) {  // the first form, along axis 0
  weft_value *x = tf_in(o, 0);
  weft_value *places = tf_in(o, 1);
  tf_give(o, 0, front_do(&o->b, "GatherV2", x, places, front_index(&o->b, 0)));
}

static void data_broadcast_args(tf_op *o) {
  weft_value *x = tf_in(o, 0);
  weft_value *shape = front_common_sizes(&o->b, x, tf_in(o, 1));
  tf_give(o, 0, front_as(&o->b, shape, x ? x->fact.dtype : (weft_dtype)WEFT_UNDEFINED));
}

// ---- space and batch ----
static front_blocks data_blocks_of(tf_op *o) {
  front_blocks s = {0};
  int64_t v[TF_MAX_NUMBERS];
  s.n = tf_known(o, 1, v);
  if (!o->b.failed && s.n > FRONT_BLOCKS)
    front_fail(&o->b, WEFT_E_UNSUPPORTED, "%zu block sizes, expected at most %d", s.n, FRONT_BLOCKS);
  for (size_t i = 0; i < s.n && !o->b.failed; i++)
    s.block[i] = v[i];
  const size_t n = tf_known(o, 2, v);
  if (!o->b.failed && n != 2 * s.n)
    front_fail(&o->b, WEFT_E_SHAPE, "%zu paddings for %zu block sizes", n, s.n);
  for (size_t i = 0; i < s.n && !o->b.failed; i++) {
    s.before[i] = v[2 * i];
    s.after[i] = v[2 * i + 1];
  }
  return s;
}

static void data_space_to_batch(tf_op *o) {
  const front_blocks s = data_blocks_of(o);
  tf_give(o, 0, front_space_to_batch(&o->b, tf_in(o, 0), &s));
}

static void data_batch_to_space(tf_op *o) {
  const front_blocks s = data_blocks_of(o);
  tf_give(o, 0, front_batch_to_space(&o->b, tf_in(o, 0), &s));
}

static void data_update_slice(tf_op *o) {
  weft_value *x = tf_in(o, 0);
  weft_value *update = tf_in(o, 1);
  tf_give(o, 0, front_slice_updated(&o->b, x, update, tf_in(o, 2)));
}
// As many elements as sizes say, from a place on that is moved so that they lie within x.
static void data_slice_within(tf_op *o) {
  front_op *b = &o->b;
  weft_value *x = tf_in(o, 0);
  weft_value *size = front_as(b, tf_in(o, 2), WEFT_INT64);
  weft_value *most = front_do(b, "Sub", front_shape(b, x), size, NULL);
  weft_value *from = front_do(b, "Minimum", front_as(b, tf_in(o, 1), WEFT_INT64), most, NULL);
  from = front_do(b, "Maximum", from, front_index(b, 0), NULL);
  tf_give(o, 0, front_do(b, "Slice", x, from, size));
}

static const tf_row data_rows[] = {
    {"ArgMax", "ArgMaxV2", "output_type>dtype=9", NULL},
    {"ArgMin", "ArgMin", "output_type>dtype=9", NULL},
    {"BatchToSpaceND", NULL, NULL, data_batch_to_space},
    {"BroadcastArgs", NULL, NULL, data_broadcast_args},
    {"BroadcastTo", "BroadcastTo", NULL, NULL},
    {"Concat", NULL, NULL, data_concat},
    {"ConcatV2", NULL, NULL, data_concat_v2},
    {"Cumprod", "Cumprod", "exclusive=F reverse=F", NULL},
    {"Cumsum", "Cumsum", "exclusive=F reverse=F", NULL},
    {"DenseBincount", NULL, NULL, data_bincount},
    {"DepthToSpace", "DepthToSpace", "block_size data_format=NHWC", NULL},
    {"Diag", "Diag", NULL, NULL},
    {"ExpandDims", "ExpandDims", NULL, NULL},
    {"Fill", "Fill", NULL, NULL},
    {"Gather", NULL, NULL, data_gather},
    {"GatherNd", "GatherNd", NULL, NULL},
    {"GatherV2", "GatherV2", "batch_dims=0", NULL},
    {"LinSpace", "LinSpace", NULL, NULL},
    {"MirrorPad", NULL, NULL, data_mirror_pad},
    {"OneHot", "OneHot", "axis=-1", NULL},
    {"Pack", NULL, NULL, data_pack},
    {"Pad", "Pad", NULL, NULL},
    {"PadV2", "PadV3", NULL, NULL},
    {"Range", "Range", NULL, NULL},
    {"Rank", "Rank", NULL, NULL},
    {"Reshape", NULL, NULL, data_reshape},
    {"ReverseSequence", "ReverseSequence", "seq_dim batch_dim=0", NULL},
    {"ReverseV2", "ReverseV2", NULL, NULL},
    {"ScatterNd", "ScatterNd", NULL, NULL},
    {"Shape", "Shape", "out_type>dtype=3", NULL},
    {"Size", "Size", "out_type>dtype=3", NULL},
    {"Slice", "Slice", NULL, NULL},
    {"SpaceToBatchND", NULL, NULL, data_space_to_batch},
    {"SpaceToDepth", "SpaceToDepth", "block_size data_format=NHWC", NULL},
    {"Split", NULL, NULL, data_split},
    {"SplitV", NULL, NULL, data_split_v},
    {"Squeeze", NULL, NULL, data_squeeze},
    {"StridedSlice", "StridedSlice",
     "begin_mask=0 end_mask=0 ellipsis_mask=0 new_axis_mask=0 shrink_axis_mask=0", NULL},
    {"ScatterNdNonAliasingAdd", NULL, NULL, data_scatter_add},
    {"TensorScatterAdd", NULL, NULL, data_scatter_add},
    {"TensorScatterMax", NULL, NULL, data_scatter_max},
    {"TensorScatterMin", NULL, NULL, data_scatter_min},
    {"TensorScatterSub", NULL, NULL, data_scatter_sub},
    {"TensorScatterUpdate", NULL, NULL, data_scatter_update},
    {"Tile", "Tile", NULL, NULL},
    {"TopK", NULL, NULL, data_top_k_of},
    {"TopKV2", NULL, NULL, data_top_k},
    {"Transpose", "Transpose", NULL, NULL},
    {"Unique", NULL, NULL, data_unique},
    {"UniqueWithCounts", NULL, NULL, data_unique_counts},
    {"Unpack", NULL, NULL, data_unpack},
    {"Where", "Where", NULL, NULL},
    {"XlaDynamicSlice", NULL, NULL, data_slice_within},
    {"XlaDynamicUpdateSlice", NULL, NULL, data_update_slice},
};
const tf_rows tf_data = TF_ROWS(data_rows);
// SPDX-License-Identifier: Apache-2.0
