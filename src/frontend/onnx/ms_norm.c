// ms_norm.c - normalisations of com.microsoft: of a sum with a skip connection, by root mean squares, over
// groups of channels, and of BERT's three embeddings. SimplifiedLayerNormalization stands in the domain of
// ONNX, although ONNX has no such operator.
#include "frontend/onnx/ms.h"

static weft_dtype wide(weft_dtype t) {  // the type of statistics
  return t == WEFT_DOUBLE ? WEFT_DOUBLE : WEFT_FLOAT;
}

// x + skip + bias. The skip may lack the batch.
static weft_value *with_skip(onnx_op *o, weft_value *x, weft_value *skip, weft_value *bias) {
  if (bias)
    x = onnx_do(o, "Add", x, bias, NULL);
  return onnx_do(o, "Add", x, skip, NULL);
}

typedef struct layer {
  weft_value *x, *gamma, *beta;  // beta NULL: none
  int64_t axis;                  // the first one that is normalised
  float epsilon;
  weft_value *mean, *inverse;  // of the last steps; NULL: nobody asks
} layer;

static weft_value *normalised(onnx_op *o, const layer *l, weft_value *x) {
  weft_value *beta = l->beta ? l->beta : onnx_do(o, "ZerosLike", l->gamma, NULL, NULL);
  onnx_set(o, "begin_norm_axis", weft_attr_int(l->axis));
  onnx_set(o, "begin_params_axis", weft_attr_int(l->axis));
  onnx_set(o, "epsilon", weft_attr_float(l->epsilon));
  return onnx_do(o, "LayerNorm", x, l->gamma, beta);
}

static void layer_norm(onnx_op *o, layer *l, weft_value **out) {
  bool statistics = onnx_wants(o, 1) || onnx_wants(o, 2);
  *out = NULL;
  if (o->failed)
    return;
  weft_dtype t = l->x->fact.dtype;
  weft_dtype stash = wide(t);
  weft_value *y = normalised(o, l, statistics ? onnx_as(o, l->x, stash) : l->x);
  if (o->failed)
    return;
  *out = statistics ? onnx_as(o, y, t) : y;
  if (!statistics)
    return;
  l->mean = y + 1;
  weft_value *variance = onnx_do(o, "Add", y + 2, onnx_num(o, stash, (double)l->epsilon), NULL);
  l->inverse = onnx_do(o, "Rsqrt", variance, NULL, NULL);
}

// x / sqrt(mean(x * x) + epsilon) * gamma over the axes from l->axis on.
static void root_mean_square_norm(onnx_op *o, layer *l, weft_value **out) {
  int64_t axes[WEFT_MAX_RANK];
  size_t n = 0;
  int rank = onnx_rank_needed(o, l->x);
  *out = NULL;
  if (o->failed)
    return;
  weft_dtype stash = wide(l->x->fact.dtype);
  weft_dtype t = l->gamma->fact.dtype;
  for (int64_t i = l->axis; i < rank; i++)
    axes[n++] = i;
  weft_value *x = onnx_as(o, l->x, stash);
  weft_value *mean = onnx_reduced(o, "ReduceMean", onnx_do(o, "Square", x, NULL, NULL), axes, n, true);
  weft_value *sum = onnx_do(o, "Add", mean, onnx_num(o, stash, (double)l->epsilon), NULL);
  weft_value *y = onnx_do(o, "Div", x, onnx_do(o, "Sqrt", sum, NULL, NULL), NULL);
  l->inverse = onnx_wants(o, 1) || onnx_wants(o, 2) ? onnx_do(o, "Rsqrt", sum, NULL, NULL) : NULL;
  *out = onnx_as(o, onnx_do(o, "Mul", y, onnx_as(o, l->gamma, stash), NULL), t);
}

// Outputs: the result, mean, 1 / deviation, and the sum that was normalised.
static weft_status skip_layer_norm(onnx_op *o) {
  weft_value *x = onnx_arg(o, 0);
  weft_value *skip = onnx_arg(o, 1);
  weft_value *y;
  int rank = onnx_rank_needed(o, x);
  layer l = {.gamma = onnx_arg(o, 2), .beta = onnx_in(o, 3), .axis = rank - 1};
  l.epsilon = onnx_float(o, "epsilon", 1e-12f);
  l.x = with_skip(o, x, skip, onnx_in(o, 4));
  layer_norm(o, &l, &y);
  WEFT_TRY(onnx_result(o, 0, y));
  if (onnx_wants(o, 1))
    WEFT_TRY(onnx_result(o, 1, l.mean));
  if (onnx_wants(o, 2))
    WEFT_TRY(onnx_result(o, 2, l.inverse));
  return onnx_wants(o, 3) ? onnx_result(o, 3, l.x) : WEFT_OK;
}

static weft_status skip_simplified_layer_norm(onnx_op *o) {
  weft_value *x = onnx_arg(o, 0);
  weft_value *skip = onnx_arg(o, 1);
  weft_value *y;
  int rank = onnx_rank_needed(o, x);
  layer l = {.gamma = onnx_arg(o, 2), .axis = rank - 1};
  l.epsilon = onnx_float(o, "epsilon", 1e-12f);
  l.x = with_skip(o, x, skip, onnx_in(o, 3));
  root_mean_square_norm(o, &l, &y);
  WEFT_TRY(onnx_result(o, 0, y));
  if (onnx_wants(o, 1))
    return onnx_fail(o, WEFT_E_UNSUPPORTED, "output 1, the mean, is not computed");
  if (onnx_wants(o, 2))
    WEFT_TRY(onnx_result(o, 2, l.inverse));
  return onnx_wants(o, 3) ? onnx_result(o, 3, l.x) : WEFT_OK;
}

static weft_status simplified_layer_norm(onnx_op *o) {
  weft_value *x = onnx_arg(o, 0);
  weft_value *y;
  int rank = onnx_rank_needed(o, x);
  layer l = {.x = x, .gamma = onnx_arg(o, 1), .axis = onnx_axis(o, "axis", -1, rank, rank - 1)};
  l.epsilon = onnx_float(o, "epsilon", 1e-5f);
  root_mean_square_norm(o, &l, &y);
  WEFT_TRY(onnx_result(o, 0, y));
  return onnx_wants(o, 1) ? onnx_result(o, 1, l.inverse) : WEFT_OK;
}

// ---- groups of channels ----
static weft_status group_norm_of(onnx_op *o, weft_value *x) {
  weft_value *gamma = onnx_arg(o, 1);
  weft_value *beta = onnx_arg(o, 2);
  int64_t groups = onnx_int(o, "groups", 0);
  int64_t activation = onnx_int(o, "activation", 0);
  bool last = onnx_int(o, "channels_last", 1) != 0;
  float epsilon = onnx_float(o, "epsilon", 1e-5f);
  WEFT_TRY(o->failed);
  if (groups < 1)
    return onnx_fail(o, WEFT_E_RANGE, "attribute 'groups' must be >= 1, got %lld", (long long)groups);
  if (activation != 0 && activation != 1) {
    return onnx_fail(o, WEFT_E_RANGE, "attribute 'activation' must be 0 or 1, got %lld",
                     (long long)activation);
  }
  onnx_set(o, "num_groups", weft_attr_int(groups));
  onnx_set(o, "data_format", weft_attr_str(last ? "NHWC" : "NCHW", 4));
  onnx_set(o, "eps", weft_attr_float(epsilon));
  onnx_set(o, "is_training", weft_attr_bool(false));
  weft_value *y = onnx_do(o, "GroupNorm", x, gamma, beta);
  return onnx_result(o, 0, activation ? onnx_do(o, "Swish", y, NULL, NULL) : y);
}

static weft_status group_norm(onnx_op *o) {
  return group_norm_of(o, onnx_arg(o, 0));
}

// The skip is [N, H, W, C], [N, 1, 1, C] or [N, C], with the channels where x has them.
static weft_status skip_group_norm(onnx_op *o) {
  weft_value *x = onnx_arg(o, 0);
  weft_value *skip = onnx_arg(o, 3);
  weft_value *bias = onnx_in(o, 4);
  bool last = onnx_int(o, "channels_last", 1) != 0;
  int rank = onnx_rank_needed(o, skip);
  WEFT_TRY(o->failed);
  static const int64_t before[] = {1, 2};
  static const int64_t behind[] = {2, 3};
  if (rank == 2) {
    onnx_set(o, "axes", weft_attr_ints(last ? before : behind, 2));
    skip = onnx_do(o, "Unsqueeze", skip, NULL, NULL);
  }
  if (bias && !last)
    bias = onnx_reshaped(o, bias, (const int64_t[]){-1, 1, 1}, 3);
  weft_value *sum = with_skip(o, x, skip, bias);
  WEFT_TRY(group_norm_of(o, sum));
  return onnx_wants(o, 1) ? onnx_result(o, 1, sum) : WEFT_OK;
}

// ---- embeddings ----
// Words, positions and segments, looked up and added. Positions count from 0 unless they are given.
static weft_value *embedding_sum(onnx_op *o) {
  weft_value *ids = onnx_arg(o, 0);
  weft_value *segments = onnx_in(o, 1);
  weft_value *positions = onnx_in(o, 8);
  weft_value *words = onnx_arg(o, 2);
  weft_value *places = onnx_arg(o, 3);
  if (!positions && !o->failed) {
    weft_value *count = onnx_counting(o, onnx_dim_index(o, ids, 1));
    positions = onnx_unsqueezed(o, count, 0);
  }
  weft_value *sum =
      onnx_do(o, "Add", onnx_picked(o, words, 0, ids), onnx_picked(o, places, 0, positions), NULL);
  return segments ? onnx_do(o, "Add", sum, onnx_picked(o, onnx_arg(o, 4), 0, segments), NULL) : sum;
}

static weft_status check_segments(const onnx_op *o) {
  if (!onnx_in(o, 1) == !onnx_in(o, 4))
    return WEFT_OK;
  return onnx_fail(o, WEFT_E_MISSING, "segment_ids and segment_embedding are given both or not at all");
}

// Output 1 is the number of words of each sequence, as the mask says them; 0 without one.
static weft_status embedded(onnx_op *o, layer *l) {
  static const int64_t axis = 1;
  weft_value *ids = onnx_arg(o, 0);
  weft_value *mask = onnx_in(o, 7);
  l->axis = 2;
  l->epsilon = onnx_float(o, "epsilon", 1e-12f);
  WEFT_TRY(onnx_result(o, 0, normalised(o, l, l->x)));
  if (!onnx_wants(o, 1))
    return WEFT_OK;
  weft_value *marks = mask ? mask : onnx_do(o, "ZerosLike", ids, NULL, NULL);
  return onnx_result(o, 1, onnx_reduced(o, "ReduceSum", marks, &axis, 1, false));
}

static weft_status embed_layer_norm(onnx_op *o) {
  WEFT_TRY(check_segments(o));
  layer l = {.gamma = onnx_arg(o, 5), .beta = onnx_arg(o, 6), .x = embedding_sum(o)};
  WEFT_TRY(embedded(o, &l));
  return onnx_wants(o, 2) ? onnx_result(o, 2, l.x) : WEFT_OK;
}

// Table i of bytes as numbers, or the rows of it that `index` picks. Scales begin at input 8, zero points
// at 13.
static weft_value *table_of(onnx_op *o, size_t i, weft_value *index) {
  weft_value *v = onnx_arg(o, i);
  weft_value *scale = onnx_arg(o, 8 + i - 2);
  weft_value *zero = onnx_arg(o, 13 + i - 2);
  if (index)
    v = onnx_picked(o, v, 0, index);
  return onnx_do(o, "DequantizeLinear", v, scale, zero);
}

static weft_status q_embed_layer_norm(onnx_op *o) {
  WEFT_TRY(check_segments(o));
  weft_value *ids = onnx_arg(o, 0);
  weft_value *segments = onnx_in(o, 1);
  weft_value *places = onnx_counting(o, onnx_dim_index(o, ids, 1));
  weft_value *sum = onnx_do(o, "Add", table_of(o, 2, ids), table_of(o, 3, places), NULL);
  if (segments)
    sum = onnx_do(o, "Add", sum, table_of(o, 4, segments), NULL);
  layer l = {.gamma = table_of(o, 5, NULL), .beta = table_of(o, 6, NULL), .x = sum};
  return embedded(o, &l);
}

static const onnx_mapping norm_rows[] = {
    {"EmbedLayerNormalization", 1, 0, "GatherV2, Add, LayerNorm", embed_layer_norm, ONNX_MS},
    {"GroupNorm", 1, 0, "GroupNorm, Swish", group_norm, ONNX_MS},
    {"QEmbedLayerNormalization", 1, 0, "GatherV2, DequantizeLinear, ...", q_embed_layer_norm, ONNX_MS},
    {"SimplifiedLayerNormalization", 1, 0, "ReduceMean, Div, ...", simplified_layer_norm, NULL},
    {"SkipGroupNorm", 1, 0, "Add, GroupNorm, Swish", skip_group_norm, ONNX_MS},
    {"SkipLayerNormalization", 1, 0, "Add, LayerNorm", skip_layer_norm, ONNX_MS},
    {"SkipSimplifiedLayerNormalization", 1, 0, "Add, ReduceMean, ...", skip_simplified_layer_norm, ONNX_MS},
};
const onnx_mappings weft__onnx_ms_norm = ONNX_MAPPINGS(norm_rows);
// SPDX-License-Identifier: Apache-2.0
