// ms_qproduct.c - products of com.microsoft whose operands are bytes, and layers made of them. Sums of bytes
// are MatMulInteger's; what is scaled once they are made, is scaled in float as the peer does.
#include "frontend/onnx/ms.h"

static weft_value *sums_of(onnx_op *o, weft_value *a, weft_value *b, weft_value *a_zero, weft_value *b_zero) {
  weft_value *in[4] = {a, b, a_zero, b_zero};
  return onnx_apply(o, "MatMulInteger", in, b_zero ? 4 : a_zero ? 3 : 2);
}

// sums * (a_scale * b_scale) + bias
static weft_value *scaled_sums(onnx_op *o, weft_value *sums, weft_value *a_scale, weft_value *b_scale,
                               weft_value *bias) {
  if (o->failed)
    return NULL;
  weft_value *y = onnx_do(o, "Mul", onnx_as(o, sums, a_scale->fact.dtype),
                          onnx_do(o, "Mul", a_scale, b_scale, NULL), NULL);
  return bias ? onnx_do(o, "Add", y, bias, NULL) : y;
}

weft_value *onnx_ms_integers(onnx_op *o, weft_value *a, weft_value *b, weft_value *const scale[2],
                             weft_value *const zero[2], weft_value *bias) {
  return scaled_sums(o, sums_of(o, a, b, zero[0], zero[1]), scale[0], scale[1], bias);
}

static weft_status mat_mul_integer_to_float(onnx_op *o) {
  weft_value *scale[2] = {onnx_arg(o, 2), onnx_arg(o, 3)};
  weft_value *zero[2] = {onnx_in(o, 4), onnx_in(o, 5)};
  weft_value *a = onnx_arg(o, 0);
  weft_value *b = onnx_arg(o, 1);
  return onnx_result(o, 0, onnx_ms_integers(o, a, b, scale, zero, onnx_in(o, 6)));
}

static weft_status dynamic_quantize_mat_mul(onnx_op *o) {
  weft_value *x = onnx_arg(o, 0);
  weft_value *w = onnx_arg(o, 1);
  weft_value *w_scale = onnx_arg(o, 2);
  weft_value *a[3];
  WEFT_TRY(onnx_apply_all(o, "DynamicQuantizeLinear", &x, 1, a, 3));
  weft_value *sums = sums_of(o, a[0], w, a[2], onnx_in(o, 3));
  return onnx_result(o, 0, scaled_sums(o, sums, a[1], w_scale, onnx_in(o, 4)));
}

// ---- QGemm ----
static weft_value *ms_qproduct_turned(onnx_op *o, weft_value *v, const char *attr) {
  static const int64_t order[] = {1, 0};
  if (!onnx_int(o, attr, 0))
    return v;
  return onnx_do(o, "Transpose", v, onnx_list(o, order, 2), NULL);
}

// a * b + c with c in sums, times alpha * a_scale * b_scale: as numbers, or by the scale of y as bytes.
static weft_status q_gemm(onnx_op *o) {
  weft_value *in[9];
  for (size_t i = 0; i < 6; i++)
    in[i] = i == 2 || i == 5 ? onnx_in(o, i) : onnx_arg(o, i);
  for (size_t i = 6; i < 9; i++)
    in[i] = onnx_in(o, i);
  float alpha = onnx_float(o, "alpha", 1);
  weft_value *a = ms_qproduct_turned(o, in[0], "transA");
  weft_value *b = ms_qproduct_turned(o, in[3], "transB");
  weft_value *sums = sums_of(o, a, b, in[2], in[5]);
  weft_value *scale = onnx_do(o, "Mul", in[1], in[4], NULL);
  if (in[6])
    sums = onnx_do(o, "Add", sums, in[6], NULL);
  if (alpha != 1.0f && !o->failed)
    scale = onnx_do(o, "Mul", scale, onnx_num(o, scale->fact.dtype, (double)alpha), NULL);
  weft_value *y = o->failed ? NULL : onnx_do(o, "Mul", onnx_as(o, sums, scale->fact.dtype), scale, NULL);
  if (!in[7])
    return onnx_result(o, 0, y);
  if (!in[8] && !o->failed)
    in[8] = onnx_num(o, in[0]->fact.dtype, 0);
  return onnx_result(o, 0, onnx_do(o, "QuantizeLinear", y, in[7], in[8]));
}

// ---- DynamicQuantizeLSTM ----
// [directions, rows, columns] of bytes as numbers [directions, columns, rows]; scales are one a direction or
// one a column.
static weft_value *lstm_weights(onnx_op *o, weft_value *w, weft_value *scale, weft_value *zero) {
  static const int64_t order[] = {0, 2, 1};
  weft_dim directions = o->failed || onnx_rank(w) != 3 ? -1 : w->fact.dims[0];
  if (directions < 1)
    o->failed = onnx_fail(o, WEFT_E_UNSUPPORTED, "weights whose shape is not known");
  const int64_t dims[] = {directions, 1, -1};
  weft_value *y = onnx_as(o, w, WEFT_FLOAT);
  if (zero)
    y = onnx_do(o, "Sub", y, onnx_reshaped(o, onnx_as(o, zero, WEFT_FLOAT), dims, 3), NULL);
  y = onnx_do(o, "Mul", y, onnx_reshaped(o, scale, dims, 3), NULL);
  return onnx_do(o, "Transpose", y, onnx_list(o, order, 3), NULL);
}

// The peer rounds inputs and states to bytes in each step; here they stay numbers.
static weft_status dynamic_quantize_lstm(onnx_op *o) {
  weft_value *in[8];
  weft_value *out[3];
  size_t n_out = WEFT_MIN(o->n->outputs.n, 3);
  for (size_t i = 0; i < 8; i++)
    in[i] = i < 3 ? onnx_arg(o, i) : onnx_in(o, i);
  in[1] = lstm_weights(o, in[1], onnx_arg(o, 8), onnx_in(o, 9));
  in[2] = lstm_weights(o, in[2], onnx_arg(o, 10), onnx_in(o, 11));
  WEFT_TRY(onnx_apply_all(o, "LSTM", in, 8, out, n_out));
  for (size_t i = 0; i < n_out; i++) {
    if (onnx_wants(o, i))
      WEFT_TRY(onnx_result(o, i, out[i]));
  }
  return WEFT_OK;
}

static const onnx_mapping qproduct_rows[] = {
    {"DynamicQuantizeLSTM", 1, 0, "Mul, CommonLSTM, ...", dynamic_quantize_lstm, ONNX_MS},
    {"DynamicQuantizeMatMul", 1, 0, "QuantizeLinear, MatMulInteger, ...", dynamic_quantize_mat_mul, ONNX_MS},
    {"MatMulIntegerToFloat", 1, 0, "MatMulInteger, Mul, ...", mat_mul_integer_to_float, ONNX_MS},
    {"QGemm", 1, 0, "MatMulInteger, Mul, ...", q_gemm, ONNX_MS},
};
const onnx_mappings weft__onnx_ms_qproduct = ONNX_MAPPINGS(qproduct_rows);
// SPDX-License-Identifier: Apache-2.0
