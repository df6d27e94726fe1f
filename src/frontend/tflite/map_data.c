// map_data.c - elements arranged anew, chosen by places, and made of sizes.
#include "frontend/tflite/tables.h"

static void data_give(tl_op *o, weft_value *v) {
  tl_give(o, 0, v);
}

// The new sizes are an input, or in old files an option.
static void data_reshape(tl_op *o) {
  int64_t dims[TL_MAX_NUMBERS];
  weft_value *x = tl_in(o, 0);
  if (tl_has(o, 1))
    data_give(o, front_reshape(&o->b, x, tl_raw(o, 1)));
  else {
    size_t n = tl_ints(o, 0, dims);
    data_give(o, front_reshaped(&o->b, x, dims, n));
  }
}

static void data_concat(tl_op *o) {
  size_t n;
  weft_value **v = tl_list(o, 0, &n);
  if (v)
    tl_give(o, 0, tl_active(o, front_joined(&o->b, v, n, tl_int(o, 0, 0))));
}

static void data_pack(tl_op *o) {
  size_t n;
  weft_value **v = tl_list(o, 0, &n);
  if (!v)
    return;
  uint32_t counts[1] = {(uint32_t)n};
  front_set_int(&o->b, "axis", tl_int(o, 1, 0));
  front_set_int(&o->b, "N", (int64_t)n);
  data_give(o, front_emit(&o->b, "Pack", v, n, &(weft_use){.in_counts = counts}));
}

static void data_many(tl_op *o, const char *type, weft_value *const *in, size_t n_in, int64_t n) {
  uint32_t counts[1] = {(uint32_t)n};
  if (n < 0 || n > TL_MAX_OUTPUTS)
    front_fail(&o->b, WEFT_E_LIMIT, "%lld outputs", (long long)n);
  if (o->b.failed)
    return;
  weft_value *y = front_emit(&o->b, type, in, n_in, &(weft_use){.out_counts = counts});
  tl_give_all(o, y, (size_t)n);
}

static void data_unpack(tl_op *o) {
  weft_value *x = tl_in(o, 0);
  int64_t num = tl_int(o, 0, 0);
  front_set_int(&o->b, "num", num);
  front_set_int(&o->b, "axis", tl_int(o, 1, 0));
  data_many(o, "Unpack", &x, 1, num);
}

static void data_split(tl_op *o) {
  weft_value *in[2] = {tl_in(o, 0), tl_in(o, 1)};
  int64_t num = tl_int(o, 0, 0);
  front_set_int(&o->b, "num_split", num);
  data_many(o, "Split", in, 2, num);
}

static void data_split_v(tl_op *o) {
  weft_value *in[3] = {tl_in(o, 0), tl_in(o, 1), tl_in(o, 2)};
  int64_t num = tl_int(o, 0, 0);
  front_set_int(&o->b, "num_split", num);
  data_many(o, "SplitV", in, 3, num);
}

static void data_squeeze(tl_op *o) {
  int64_t axes[TL_MAX_NUMBERS];
  weft_value *x = tl_in(o, 0);
  size_t n = tl_ints(o, 0, axes);
  front_set_ints(&o->b, "axis", axes, n);
  data_give(o, front_do(&o->b, "Squeeze", x, NULL, NULL));
}

static void data_two(tl_op *o, const char *type, weft_value *x, weft_value *k) {
  weft_value *y = front_do(&o->b, type, x, k, NULL);
  tl_give_all(o, y, 2);
}
static void data_top_k(tl_op *o) {
  weft_value *x = tl_in(o, 0);
  data_two(o, "TopKV2", x, tl_in(o, 1));
}
static void data_unique(tl_op *o) {
  data_two(o, "Unique", tl_in(o, 0), NULL);
}

static void data_mirror_pad(tl_op *o) {
  weft_value *x = tl_in(o, 0);
  front_set_text(&o->b, "mode", tl_byte(o, 0, 0) ? "symmetric" : "reflect");
  data_give(o, front_do(&o->b, "PadV3", x, tl_raw(o, 1), NULL));
}

// Bytes stay bytes where both tensors have the same numbers for them: zeros are the zero point.
static bool data_same_bytes(tl_op *o) {
  const tl_tensor *x = tl_tensor_in(o, 0);
  const tl_tensor *y = tl_tensor_out(o, 0);
  const tl_tensor *v = tl_tensor_in(o, 2);
  if (!tl_is_fixed(x) || !tl_is_fixed(y) || x->t != y->t || tl_zero(o, x) != tl_zero(o, y) ||
      tl_scale(o, x, 0) != tl_scale(o, y, 0))
    return false;
  return !v || (tl_is_fixed(v) && v->t == x->t && tl_zero(o, v) == tl_zero(o, x) &&
                tl_scale(o, v, 0) == tl_scale(o, x, 0));
}
static void data_pad(tl_op *o) {
  const bool given = o->op->code == TL_PADV2;
  if (!data_same_bytes(o)) {
    weft_value *x = tl_in(o, 0);
    data_give(o, front_do(&o->b, given ? "PadV3" : "Pad", x, tl_raw(o, 1), given ? tl_in(o, 2) : NULL));
    return;
  }
  const tl_tensor *x = tl_tensor_in(o, 0);
  weft_value *fill = given ? tl_raw(o, 2) : front_int(&o->b, x->t, tl_zero(o, x));
  tl_give_raw(o, 0, front_do(&o->b, "PadV3", tl_raw(o, 0), tl_raw(o, 1), fill));
}

static void data_lookup(tl_op *o) {
  weft_value *places = tl_in(o, 0);
  data_give(o, front_do(&o->b, "GatherV2", tl_in(o, 1), places, front_index(&o->b, 0)));
}

// GatherV2 reads the axis as an input.
static void data_gather(tl_op *o) {
  weft_value *x = tl_in(o, 0);
  weft_value *places = tl_in(o, 1);
  weft_value *axis = front_index(&o->b, tl_int(o, 0, 0));
  front_set_int(&o->b, "batch_dims", tl_int(o, 1, 0));
  data_give(o, front_do(&o->b, "GatherV2", x, places, axis));
}

static void data_shape(tl_op *o) {
  data_give(o, front_shape(&o->b, tl_raw(o, 0)));
}

static void data_broadcast_args(tl_op *o) {
  front_op *b = &o->b;
  weft_value *zero = front_num(b, WEFT_FLOAT, 0);
  weft_value *p = front_filled(b, tl_in(o, 0), zero);
  weft_value *sum = front_do(b, "Add", p, front_filled(b, tl_in(o, 1), zero), NULL);
  data_give(o, front_shape(b, sum));
}

// ---- segments ----
// Rows that go into one of `num` sums, or products, or extremes; rows with a negative number go nowhere,
// which is one row more that is cut off.
static void data_segments(tl_op *o, const char *reduction, double start) {
  front_op *b = &o->b;
  int64_t num[TL_MAX_NUMBERS];
  weft_value *x = tl_in(o, 0);
  weft_value *ids = tl_in(o, 1);
  int rank = front_rank_of(b, x);
  if (tl_known(o, 2, num) != 1)
    front_fail(b, WEFT_E_SHAPE, "the number of segments is not one number");
  if (!b->failed && front_rank(ids) != 1)
    front_fail(b, WEFT_E_UNSUPPORTED, "segments of rank %d, only 1 is read", front_rank(ids));
  if (b->failed)
    return;
  weft_value *limit = front_int(b, ids->fact.dtype, num[0]);
  weft_value *below = front_do(b, "Less", ids, front_int(b, ids->fact.dtype, 0), NULL);
  ids = front_unsqueezed(b, front_where(b, below, limit, ids), 1);
  const int64_t rows = num[0] + 1;
  weft_value *sizes[2] = {front_list(b, &rows, 1), NULL};
  if (rank > 1) {
    weft_value *from = front_list(b, &(int64_t){1}, 1);
    weft_value *all = front_shape(b, x);
    sizes[1] = front_sliced(b, all, 0, from, front_list(b, &(int64_t){rank}, 1), NULL);
  }
  weft_value *shape = front_joined(b, sizes, rank > 1 ? 2 : 1, 0);
  weft_value *in[3] = {front_filled(b, shape, b->failed ? NULL : front_num(b, x->fact.dtype, start)), ids, x};
  front_set_text(b, "reduction", reduction);
  weft_value *y = b->failed ? NULL : front_emit(b, "TensorScatterUpdate", in, 3, NULL);
  data_give(o, front_part(b, y, 0, 0, num[0]));
}
static void data_segment_sum(tl_op *o) {
  data_segments(o, "add", 0);
}
static void data_segment_prod(tl_op *o) {
  data_segments(o, "mul", 1);
}
static void data_segment_max(tl_op *o) {
  const weft_value *x = tl_raw(o, 0);
  data_segments(o, "max", x && x->fact.dtype == WEFT_INT32 ? (double)INT32_MIN : -3.4028234663852886e38);
}
static void data_segment_min(tl_op *o) {
  const weft_value *x = tl_raw(o, 0);
  data_segments(o, "min", x && x->fact.dtype == WEFT_INT32 ? (double)INT32_MAX : 3.4028234663852886e38);
}

// ---- space and batch ----
static bool data_blocks(tl_op *o, front_blocks *s) {
  int64_t block[TL_MAX_NUMBERS];
  int64_t pads[TL_MAX_NUMBERS];
  size_t n = tl_known(o, 1, block);
  size_t m = tl_known(o, 2, pads);
  *s = (front_blocks){.n = n};
  if (!o->b.failed && (n > FRONT_BLOCKS || m != 2 * n))
    front_fail(&o->b, WEFT_E_SHAPE, "%zu block sizes and %zu paddings", n, m);
  for (size_t i = 0; i < n && !o->b.failed; i++) {
    s->block[i] = block[i];
    s->before[i] = pads[2 * i];
    s->after[i] = pads[2 * i + 1];
  }
  return !o->b.failed;
}
static void data_space_to_batch(tl_op *o) {
  front_blocks s;
  if (data_blocks(o, &s))
    data_give(o, front_space_to_batch(&o->b, tl_in(o, 0), &s));
}
static void data_batch_to_space(tl_op *o) {
  front_blocks s;
  if (data_blocks(o, &s))
    data_give(o, front_batch_to_space(&o->b, tl_in(o, 0), &s));
}

static void data_bitcast(tl_op *o) {
  const tl_tensor *t = tl_tensor_out(o, 0);
  weft_value *x = tl_raw(o, 0);
  if (t)
    front_set(&o->b, "type", weft_attr_dtype(t->t));
  tl_give_raw(o, 0, front_do(&o->b, "Bitcast", x, NULL, NULL));
}

static void data_update_slice(tl_op *o) {
  weft_value *x = tl_raw(o, 0);
  weft_value *update = tl_raw(o, 1);
  tl_give(o, 0, front_slice_updated(&o->b, x, update, tl_raw(o, 2)));
}

// Constants that are stored sparsely have all their elements already (sparse.c).
static void data_dense(tl_op *o) {
  tl_give_raw(o, 0, tl_raw(o, 0));
}

static const tl_row data_rows[] = {
    {TL_BATCH_TO_SPACE_ND, NULL, NULL, TL_MOVE, 0, data_batch_to_space},
    {TL_BITCAST, NULL, NULL, TL_RAW, 0, data_bitcast},
    {TL_BROADCAST_ARGS, NULL, NULL, TL_RAW, 0, data_broadcast_args},
    {TL_BROADCAST_TO, "BroadcastTo", NULL, TL_MOVE, 0, NULL},
    {TL_CONCATENATION, NULL, NULL, TL_COMPUTE, 0, data_concat},
    {TL_DENSIFY, NULL, NULL, TL_RAW, 0, data_dense},
    {TL_DEPTH_TO_SPACE, "DepthToSpace", "block_size=i0 data_format='NHWC'", TL_MOVE, 0, NULL},
    {TL_DYNAMIC_UPDATE_SLICE, NULL, NULL, TL_MOVE, 0, data_update_slice},
    {TL_EMBEDDING_LOOKUP, NULL, NULL, TL_COMPUTE, 0, data_lookup},
    {TL_EXPAND_DIMS, "ExpandDims", NULL, TL_MOVE, 0, NULL},
    {TL_FILL, "Fill", NULL, TL_MOVE, 1, NULL},
    {TL_GATHER, NULL, NULL, TL_MOVE, 0, data_gather},
    {TL_GATHER_ND, "GatherNd", NULL, TL_MOVE, 0, NULL},
    {TL_MIRROR_PAD, NULL, NULL, TL_MOVE, 0, data_mirror_pad},
    {TL_ONE_HOT, "OneHot", "axis=i0", TL_MOVE, 2, NULL},
    {TL_PACK, NULL, NULL, TL_COMPUTE, 0, data_pack},
    {TL_PAD, NULL, NULL, TL_COMPUTE, 0, data_pad},
    {TL_PADV2, NULL, NULL, TL_COMPUTE, 0, data_pad},
    {TL_RANGE, "Range", NULL, TL_RAW, 0, NULL},
    {TL_RANK, "Rank", NULL, TL_RAW, 0, NULL},
    {TL_RESHAPE, NULL, NULL, TL_MOVE, 0, data_reshape},
    {TL_REVERSE_SEQUENCE, "ReverseSequence", "seq_dim=i0 batch_dim=i1", TL_MOVE, 0, NULL},
    {TL_REVERSE_V2, "ReverseV2", NULL, TL_MOVE, 0, NULL},
    {TL_SCATTER_ND, "ScatterNd", NULL, TL_MOVE, 1, NULL},
    {TL_SHAPE, NULL, NULL, TL_RAW, 0, data_shape},
    {TL_SLICE, "Slice", NULL, TL_MOVE, 0, NULL},
    {TL_SPACE_TO_BATCH_ND, NULL, NULL, TL_COMPUTE, 0, data_space_to_batch},
    {TL_SPACE_TO_DEPTH, "SpaceToDepth", "block_size=i0 data_format='NHWC'", TL_MOVE, 0, NULL},
    {TL_SPLIT, NULL, NULL, TL_MOVE, 1, data_split},
    {TL_SPLIT_V, NULL, NULL, TL_MOVE, 0, data_split_v},
    {TL_SQUEEZE, NULL, NULL, TL_MOVE, 0, data_squeeze},
    {TL_STRIDED_SLICE, "StridedSlice",
     "begin_mask=i0 end_mask=i1 ellipsis_mask=i2 new_axis_mask=i3 shrink_axis_mask=i4", TL_MOVE, 0, NULL},
    {TL_TILE, "Tile", NULL, TL_MOVE, 0, NULL},
    {TL_TOPK_V2, NULL, NULL, TL_MOVE, 0, data_top_k},
    {TL_TRANSPOSE, "Transpose", NULL, TL_MOVE, 0, NULL},
    {TL_UNIQUE, NULL, NULL, TL_MOVE, 0, data_unique},
    {TL_UNPACK, NULL, NULL, TL_MOVE, 0, data_unpack},
    {TL_UNSORTED_SEGMENT_MAX, NULL, NULL, TL_COMPUTE, 0, data_segment_max},
    {TL_UNSORTED_SEGMENT_MIN, NULL, NULL, TL_COMPUTE, 0, data_segment_min},
    {TL_UNSORTED_SEGMENT_PROD, NULL, NULL, TL_COMPUTE, 0, data_segment_prod},
    {TL_UNSORTED_SEGMENT_SUM, NULL, NULL, TL_COMPUTE, 0, data_segment_sum},
    {TL_WHERE, "Where", NULL, TL_RAW, 0, NULL},
};
const tl_rows tl_data = TL_ROWS(data_rows);
// SPDX-License-Identifier: Apache-2.0
