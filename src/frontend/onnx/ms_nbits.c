// ms_nbits.c - weights of few bits in blocks, as the peer's weight-only quantiser writes them. The packed
// bytes stay as the file has them: MatMulNBits reads them where they lie, and of a quantised table only the
// rows that are gathered become numbers.
#include "frontend/onnx/ms.h"

// accuracy_level allows coarser sums than those of float; it is never needed.
static weft_status mat_mul_n_bits(onnx_op *o) {
  static const char *const names[] = {"K", "N", "block_size"};
  weft_value *in[6] = {onnx_arg(o, 0), onnx_arg(o, 1), onnx_arg(o, 2),
                       onnx_in(o, 3),  onnx_in(o, 4),  onnx_in(o, 5)};
  int64_t bits = onnx_int(o, "bits", 4);
  int64_t packed = onnx_int(o, "weight_prepacked", 0);
  if (packed) {
    return onnx_fail(o, WEFT_E_UNSUPPORTED,
                     "attribute 'weight_prepacked' is %lld: weights laid out for a GPU are not read; export "
                     "the model again without packing them",
                     (long long)packed);
  }
  onnx_set(o, "bits", weft_attr_int(bits));
  for (size_t i = 0; i < WEFT_COUNT(names); i++) {
    int64_t v = onnx_int(o, names[i], 0);
    if (!onnx_find_attr(o, names[i]))
      return onnx_fail(o, WEFT_E_MISSING, "required attribute '%s' is not given", names[i]);
    onnx_set(o, names[i], weft_attr_int(v));
  }
  size_t n = 6;
  while (n > 3 && !in[n - 1])
    n--;
  WEFT_TRY(o->failed);
  return onnx_emit(o, "MatMulNBits", in, n, NULL, 1, NULL);
}

weft_value *onnx_ms_halves(onnx_op *o, weft_value *v, bool low_first) {
  static const int64_t last = -1;
  weft_value *part[2];
  int64_t dims[WEFT_MAX_RANK] = {0};  // 0: as it is
  int rank = onnx_rank_needed(o, v);
  if (o->failed || rank < 1)
    return v;
  part[!low_first] = onnx_do(o, "BitwiseAnd", v, onnx_num(o, WEFT_UINT8, 15), NULL);
  part[low_first] = onnx_do(o, "RightShift", v, onnx_num(o, WEFT_UINT8, 4), NULL);
  for (int i = 0; i < 2; i++) {
    onnx_set(o, "axes", weft_attr_ints(&last, 1));
    part[i] = onnx_do(o, "Unsqueeze", part[i], NULL, NULL);
  }
  dims[rank - 1] = -1;
  return onnx_reshaped(o, onnx_joined(o, part, 2, -1), dims, (size_t)rank);
}

// ---- MatMulBnb4 ----
// Numbers of 4 bits stand for places of a table, by quant_type: a float of 4 bits, or the quantiles of the
// normal distribution (NF4, of the paper on QLoRA).
static const float fp4[16] = {
    0,     0.00520833333f,  0.66666667f,  1,  0.33333333f,  0.5f,  0.16666667f,  0.25f,
    -0.0f, -0.00520833333f, -0.66666667f, -1, -0.33333333f, -0.5f, -0.16666667f, -0.25f};
static const float nf4[16] = {-1.0f,
                              -0.6961928009986877f,
                              -0.5250730514526367f,
                              -0.39491748809814453f,
                              -0.28444138169288635f,
                              -0.18477343022823334f,
                              -0.09105003625154495f,
                              0.0f,
                              0.07958029955625534f,
                              0.16093020141124725f,
                              0.24611230194568634f,
                              0.33791524171829224f,
                              0.44070982933044434f,
                              0.5626170039176941f,
                              0.7229568362236023f,
                              1.0f};

// The weights become numbers before the model runs.
static weft_status mat_mul_bnb4(onnx_op *o) {
  weft_value *x = onnx_arg(o, 0);
  weft_value *w = onnx_arg(o, 1);
  weft_value *most = onnx_arg(o, 2);
  int64_t k = onnx_int(o, "K", 0);
  int64_t n = onnx_int(o, "N", 0);
  int64_t block = onnx_int(o, "block_size", 0);
  int64_t type = onnx_int(o, "quant_type", 0);
  int64_t all = 0;
  if (onnx_int(o, "transB", 1) != 1)
    (void)onnx_unsupported(o, "attribute 'transB' other than 1");
  WEFT_TRY(o->failed);
  bool whole = k > 0 && n > 0 && block > 0 && !__builtin_mul_overflow(k, n, &all) && all % block == 0;
  if (!whole || all % 2) {
    return onnx_fail(o, WEFT_E_UNSUPPORTED, "%lld x %lld weights are no whole blocks of %lld", (long long)k,
                     (long long)n, (long long)block);
  }
  if (type != 0 && type != 1)
    return onnx_fail(o, WEFT_E_RANGE, "attribute 'quant_type': expected 0 or 1, got %lld", (long long)type);
  const int64_t flat = -1;
  const int64_t blocks[] = {all / block, block};
  const int64_t scales[] = {all / block, 1};
  const int64_t matrix[] = {n, k};
  w = onnx_as(o, onnx_ms_halves(o, onnx_reshaped(o, w, &flat, 1), false), WEFT_INT32);
  w = onnx_picked(o, onnx_float_list(o, type ? nf4 : fp4, 16), 0, w);
  w = onnx_do(o, "Mul", onnx_reshaped(o, w, blocks, 2),
              onnx_reshaped(o, onnx_as(o, most, WEFT_FLOAT), scales, 2), NULL);
  w = onnx_reshaped(o, w, matrix, 2);
  WEFT_TRY(o->failed);
  w = onnx_as(o, w, x->fact.dtype);
  onnx_set(o, "adj_x2", weft_attr_bool(true));
  return onnx_result(o, 0, onnx_do(o, "BatchMatMulV2", x, w, NULL));
}

// ---- GatherBlockQuantized ----
// The zero points of bytes have two in a byte when the numbers do: as many as there are scales.
static weft_value *zeros_of(onnx_op *o, weft_value *zero, weft_value *scales, bool packed) {
  static const int64_t first = 0;
  static const int64_t last = -1;
  int rank = packed ? onnx_rank_needed(o, scales) : 0;
  if (!packed || o->failed || rank < 1)
    return zero;
  weft_value *in[4] = {onnx_ms_halves(o, zero, true), onnx_list(o, &first, 1),
                       onnx_dims_of(o, scales, rank - 1, rank), onnx_list(o, &last, 1)};
  o->failed = onnx_emit(o, "StridedSliceV2", in, 4, NULL, 0, &zero);
  return zero;
}

// Rows of the table are picked first, then become numbers. Without zero points half of the range of bytes
// stands for 0, and 0 of the types of 4 bits.
static weft_status gather_block_quantized(onnx_op *o) {
  weft_value *x = onnx_arg(o, 0);
  weft_value *index = onnx_arg(o, 1);
  weft_value *scales = onnx_arg(o, 2);
  weft_value *zero = onnx_in(o, 3);
  int rank = onnx_rank_needed(o, x);
  int picked = onnx_rank_needed(o, index);
  int64_t gather = onnx_axis(o, "gather_axis", 0, rank, rank - 1);
  int64_t axis = onnx_axis(o, "quantize_axis", 1, rank, rank - 1);
  int64_t block = onnx_int(o, "block_size", 128);
  int64_t bits = onnx_int(o, "bits", 4);
  WEFT_TRY(o->failed);
  bool bytes = x->fact.dtype == WEFT_UINT8;
  bool packed = bytes && bits == 4;
  if (packed && axis != rank - 1) {
    return onnx_fail(o, WEFT_E_UNSUPPORTED,
                     "attribute 'quantize_axis': %lld is not the last axis of packed bytes", (long long)axis);
  }
  x = onnx_picked(o, x, gather, index);
  scales = onnx_picked(o, scales, gather, index);
  if (zero)
    zero = onnx_picked(o, zero, gather, index);
  if (packed)
    x = onnx_ms_halves(o, x, true);
  if (zero)
    zero = zeros_of(o, zero, scales, packed);
  if (bytes && !zero) {
    weft_value *half = onnx_num(o, WEFT_INT32, bits == 4 ? 8 : 128);
    x = onnx_do(o, "Sub", onnx_as(o, x, WEFT_INT32), half, NULL);
  }
  onnx_set(o, "axis", weft_attr_int(gather < axis ? axis + picked - 1 : axis));
  onnx_set(o, "block_size", weft_attr_int(block));
  return onnx_result(o, 0, onnx_do(o, "DequantizeLinear", x, scales, zero));
}

static const onnx_mapping nbits_rows[] = {
    {"GatherBlockQuantized", 1, 0, "GatherV2, DequantizeLinear", gather_block_quantized, ONNX_MS},
    {"MatMulBnb4", 1, 0, "GatherV2, BatchMatMulV2", mat_mul_bnb4, ONNX_MS},
    {"MatMulNBits", 1, 0, "MatMulNBits", mat_mul_n_bits, ONNX_MS},
};
const onnx_mappings weft__onnx_ms_nbits = ONNX_MAPPINGS(nbits_rows);
// SPDX-License-Identifier: Apache-2.0
