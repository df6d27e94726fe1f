// map_attention.c - scaled dot-product attention and what goes with it, as several primitives. Tensors are [batch, heads,
// sequence, size] inside; ONNX also takes [batch, sequence, heads * size] and then the number of heads as an attribute.
#include <math.h>

#include "frontend/onnx/map.h"

static weft_value *transposed(onnx_op *o, weft_value *v, const int64_t *perm, size_t n) {
  return onnx_do(o, "Transpose", v, onnx_list(o, perm, n), NULL);
}
static const int64_t swap_middle[4] = {0, 2, 1, 3};

static weft_value *dim_of(onnx_op *o, weft_value *v, int64_t axis) {  // INT64 [1]; axis from the end
  onnx_set(o, "dtype", weft_attr_int(WEFT_INT64));
  onnx_set(o, "start", weft_attr_int(axis));
  if (axis != -1) onnx_set(o, "end", weft_attr_int(axis + 1));
  return onnx_do(o, "Shape", v, NULL, NULL);
}

static weft_value *split_heads(onnx_op *o, weft_value *v, const char *attr) {
  int64_t heads = onnx_int(o, attr, 0);
  int rank = onnx_rank_needed(o, v);
  if (o->failed || rank == 4) return v;
  if (rank != 3 || heads < 1) {
    o->failed = onnx_fail(o, WEFT_E_SHAPE, "expected rank 4, or rank 3 and attribute '%s', got rank %d", attr, rank);
    return NULL;
  }
  return transposed(o, onnx_reshaped(o, v, (int64_t[]){0, 0, heads, -1}, 4), swap_middle, 4);
}

static weft_value *merged_heads(onnx_op *o, weft_value *v) {
  return onnx_reshaped(o, transposed(o, v, swap_middle, 4), (int64_t[]){0, 0, -1}, 3);
}

// Each head of v becomes as many neighbours as `like` has heads for it.
static weft_value *repeated_heads(onnx_op *o, weft_value *v, const weft_value *like) {
  int64_t index[1024];
  if (o->failed) return NULL;
  weft_dim have = v->fact.dims[1], want = like->fact.dims[1];
  if (have == want) return v;
  if (have < 1 || want < 1 || want > (int64_t)WEFT_COUNT(index) || want % have) {
    o->failed = onnx_fail(o, WEFT_E_SHAPE, "%lld heads of the query, %lld of key and value: expected a known multiple",
                          (long long)want, (long long)have);
    return NULL;
  }
  for (int64_t i = 0; i < want; i++) index[i] = i / (want / have);
  return onnx_picked(o, v, 1, onnx_list(o, index, (size_t)want));
}

static weft_value *minus_infinity(onnx_op *o, weft_dtype t) { return onnx_num(o, t, -INFINITY); }

// A boolean mask becomes 0 and -inf; one that is too short is filled up with -inf.
static weft_value *mask_bias(onnx_op *o, weft_value *mask, weft_value *total, weft_dim total_dim, weft_dtype t) {
  int rank = onnx_rank_needed(o, mask);
  static const int64_t zeros[2 * WEFT_MAX_RANK];
  if (o->failed) return NULL;
  if (rank < 1) return onnx_unsupported(o, "a mask of rank 0 is not imported");
  weft_dim length = mask->fact.dims[rank - 1];
  if (mask->fact.dtype == WEFT_BOOL) mask = onnx_do(o, "SelectV2", mask, onnx_num(o, t, 0), minus_infinity(o, t));
  if (o->failed || (length >= 0 && length == total_dim)) return mask;
  weft_value *pads[2] = {onnx_list(o, zeros, 2 * (size_t)rank - 1), onnx_do(o, "Sub", total, dim_of(o, mask, -1), NULL)};
  weft_value *all = onnx_joined(o, pads, 2, 0), *fill = minus_infinity(o, t);
  onnx_set(o, "paddings_contiguous", weft_attr_bool(false));
  return onnx_do(o, "PadV3", mask, all, fill);
}

static weft_value *range_to(onnx_op *o, weft_value *end) {  // 0, 1, ... below an INT64 [1]
  weft_value *scalar = onnx_picked(o, end, 0, onnx_index(o, 0));
  return onnx_do(o, "Range", onnx_index(o, 0), scalar, onnx_index(o, 1));
}

static weft_value *added(onnx_op *o, weft_value *a, weft_value *b) { return a ? onnx_do(o, "Add", a, b, NULL) : b; }

typedef struct attention {
  weft_value *q, *k, *v, *past, *lengths;  // lengths: of key and value without padding, by batch
  weft_value *total;                       // INT64 [1]
  weft_dtype t;
} attention;

// What is added to the scores: the mask, -inf after the query's own place, -inf in the padding. NULL: nothing.
static weft_value *bias_of(onnx_op *o, const attention *a) {
  weft_value *bias = NULL, *mask = onnx_in(o, 3);
  int64_t causal = onnx_int(o, "is_causal", 0);
  if (mask) bias = mask_bias(o, mask, a->total, a->k->fact.dims[2], a->t);
  if (causal) {
    weft_value *queries = dim_of(o, a->q, -2), *row = onnx_reshaped(o, range_to(o, queries), (int64_t[]){-1, 1}, 2);
    weft_value *offset = a->past ? dim_of(o, a->past, -2) : NULL;
    if (a->lengths)
      offset = onnx_reshaped(o, onnx_do(o, "Sub", a->lengths, queries, NULL), (int64_t[]){-1, 1, 1, 1}, 4);
    if (offset) row = onnx_do(o, "Add", row, offset, NULL);
    weft_value *after = onnx_do(o, "Less", row, range_to(o, a->total), NULL);
    bias = added(o, bias, onnx_do(o, "SelectV2", after, minus_infinity(o, a->t), onnx_num(o, a->t, 0)));
  }
  if (a->lengths) {
    weft_value *lengths = onnx_reshaped(o, a->lengths, (int64_t[]){-1, 1, 1, 1}, 4);
    weft_value *inside = onnx_do(o, "Less", range_to(o, a->total), lengths, NULL);
    bias = added(o, bias, onnx_do(o, "SelectV2", inside, onnx_num(o, a->t, 0), minus_infinity(o, a->t)));
  }
  return bias;
}

// The square root of the scale, which q and k are both multiplied by.
static weft_value *half_scale(onnx_op *o, const attention *a) {
  if (o->failed) return NULL;
  weft_dim size = a->q->fact.dims[3];
  float scale = onnx_float(o, "scale", size > 0 ? 1 / sqrtf((float)size) : 0);
  if (onnx_find_attr(o, "scale") || size > 0) return onnx_num(o, a->t, (double)sqrtf(scale));
  weft_value *root = onnx_do(o, "Sqrt", onnx_as(o, dim_of(o, a->q, -1), WEFT_FLOAT), NULL, NULL);
  return onnx_as(o, onnx_do(o, "Rsqrt", root, NULL, NULL), a->t);
}

// Rows in which everything is masked become 0.
static weft_value *softmax(onnx_op *o, weft_value *scores, weft_value *bias, weft_dtype t) {
  static const int64_t last[1] = {-1};
  int64_t precision = onnx_int(o, "softmax_precision", 0);
  weft_dtype p = t;
  if (!o->failed && precision) o->failed = onnx_dtype(o, precision, &p);
  weft_value *v = onnx_as(o, scores, p);
  onnx_set(o, "axes", weft_attr_ints(last, 1));
  v = onnx_as(o, onnx_do(o, "SoftmaxV2", v, NULL, NULL), t);
  if (!bias || o->failed) return v;
  weft_value *masked = onnx_do(o, "Equal", onnx_reduced(o, "ReduceMax", bias, last, 1, true), minus_infinity(o, t), NULL);
  return onnx_do(o, "SelectV2", masked, onnx_num(o, t, 0), v);
}

static void read_attention(onnx_op *o, attention *a, bool *out_flat) {
  static const int64_t sequence = 2;
  weft_value *q = onnx_arg(o, 0), *past_value = onnx_in(o, 5);
  *a = (attention){.past = onnx_in(o, 4), .lengths = onnx_in(o, 6)};
  *out_flat = !o->failed && onnx_rank(q) == 3;
  a->q = split_heads(o, q, "q_num_heads");
  a->k = split_heads(o, onnx_arg(o, 1), "kv_num_heads");
  a->v = split_heads(o, onnx_arg(o, 2), "kv_num_heads");
  if (!o->failed && !a->past != !past_value)
    o->failed = onnx_fail(o, WEFT_E_MISSING, "past_key and past_value are given both or not at all");
  if (a->past) {
    a->k = onnx_joined(o, (weft_value *[]){a->past, a->k}, 2, sequence);
    a->v = onnx_joined(o, (weft_value *[]){past_value, a->v}, 2, sequence);
  }
  a->total = dim_of(o, a->k, -2);
  if (!o->failed) a->t = a->q->fact.dtype;
}

weft_status onnx_attention(onnx_op *o) {
  static const int64_t swap_last[4] = {0, 1, 3, 2};
  attention a;
  bool flat;
  float softcap = onnx_float(o, "softcap", 0);
  int64_t mode = onnx_int(o, "qk_matmul_output_mode", 0);
  read_attention(o, &a, &flat);
  if (o->failed) return o->failed;
  if (mode < 0 || mode > 3) return onnx_fail(o, WEFT_E_RANGE, "attribute 'qk_matmul_output_mode': %lld", (long long)mode);
  weft_value *stages[4], *bias = bias_of(o, &a), *scale = half_scale(o, &a);
  weft_value *k = repeated_heads(o, a.k, a.q), *v = repeated_heads(o, a.v, a.q);
  k = onnx_do(o, "Mul", transposed(o, k, swap_last, 4), scale, NULL);
  stages[0] = stages[1] = onnx_do(o, "BatchMatMulV2", onnx_do(o, "Mul", a.q, scale, NULL), k, NULL);
  if (softcap != 0) {
    weft_value *cap = onnx_num(o, a.t, (double)softcap);
    weft_value *bent = onnx_do(o, "Tanh", onnx_do(o, "Div", stages[0], cap, NULL), NULL, NULL);
    stages[1] = onnx_do(o, "Mul", bent, cap, NULL);
  }
  stages[2] = bias ? onnx_do(o, "Add", stages[1], bias, NULL) : stages[1];
  stages[3] = softmax(o, stages[2], bias, a.t);
  v = onnx_do(o, "BatchMatMulV2", stages[3], v, NULL);
  WEFT_TRY(onnx_result(o, 0, flat ? merged_heads(o, v) : v));
  if (onnx_wants(o, 1)) WEFT_TRY(onnx_result(o, 1, a.k));
  if (onnx_wants(o, 2)) WEFT_TRY(onnx_result(o, 2, a.v));
  return onnx_wants(o, 3) ? onnx_result(o, 3, stages[mode]) : WEFT_OK;
}
