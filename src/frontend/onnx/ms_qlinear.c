// ms_qlinear.c - operators of com.microsoft on bytes with scales and zero points. Each is one of ONNX's on
// numbers between DequantizeLinear and QuantizeLinear, and is written so: weft's passes and kernels find such
// regions, and compute them on bytes.
#include "frontend/onnx/ms.h"
#include "base/allocated.h"

// ---- from bytes and back ----
// Input i with the scale and the zero point behind it.
static weft_value *ms_qlinear_numbers(onnx_op *o, size_t i) {
  weft_value *x = onnx_arg(o, i);
  weft_value *scale = onnx_arg(o, i + 1);
  weft_value *zero = onnx_in(o, i + 2);
  return onnx_do(o, "DequantizeLinear", x, scale, zero);
}

// v by the scale that is input i and the zero point behind it; without one the bytes are like those of
// `like`.
static weft_value *bytes(onnx_op *o, weft_value *v, size_t i, size_t like) {
  weft_value *x = onnx_arg(o, like);
  weft_value *scale = onnx_arg(o, i);
  weft_value *zero = onnx_in(o, i + 1);
  if (!zero && !o->failed)
    zero = onnx_num(o, x->fact.dtype, 0);
  return onnx_do(o, "QuantizeLinear", v, scale, zero);
}

// ---- elementwise ----
static weft_status of_two(onnx_op *o) {
  weft_value *a = ms_qlinear_numbers(o, 0);
  weft_value *b = ms_qlinear_numbers(o, 3);
  return onnx_result(o, 0, bytes(o, onnx_do(o, o->map->name + strlen("QLinear"), a, b, NULL), 6, 0));
}

static weft_status of_one(onnx_op *o) {
  weft_value *x = ms_qlinear_numbers(o, 0);
  return onnx_result(o, 0, bytes(o, onnx_apply(o, o->map->name + strlen("QLinear"), &x, 1), 3, 0));
}

static weft_status qlinear_where(onnx_op *o) {
  weft_value *x = ms_qlinear_numbers(o, 1);
  weft_value *y = ms_qlinear_numbers(o, 4);
  return onnx_result(o, 0, bytes(o, onnx_do(o, "SelectV2", onnx_arg(o, 0), x, y), 7, 1));
}

// `opset` says which Softmax of ONNX it was: since version 13 over one axis.
static weft_status qlinear_softmax(onnx_op *o) {
  weft_value *x = ms_qlinear_numbers(o, 0);
  weft_value *y;
  int64_t ours = o->m->version;
  int64_t opset = onnx_int(o, "opset", 13);
  o->m->version = opset < 13 ? 12 : 13;
  y = onnx_apply(o, "Softmax", &x, 1);
  o->m->version = ours;
  return onnx_result(o, 0, bytes(o, y, 3, 0));
}

static weft_status qlinear_concat(onnx_op *o) {
  size_t n = o->n->inputs.n < 2 ? 0 : (o->n->inputs.n - 2) / 3;
  if (!n || o->n->inputs.n != 2 + 3 * n)
    return onnx_fail(o, WEFT_E_INVALID, "%zu inputs, expected 2 and 3 for each part", (size_t)o->n->inputs.n);
  weft_value **in = WEFT_NEW_N(o->m->arena, weft_value *, n + 1);
  weft_value *y = NULL;
  WEFT_TRY(weft__allocated(in, o->m->d));
  for (size_t i = 0; i < n; i++)
    in[i] = ms_qlinear_numbers(o, 2 + 3 * i);
  in[n] = onnx_index(o, onnx_int(o, "axis", 0));
  onnx_set(o, "N", weft_attr_int((int64_t)n));
  uint32_t counts[2] = {(uint32_t)n, 1};
  o->failed = onnx_emit(o, "ConcatV2", in, n + 1, &(weft_use){.in_counts = counts}, 0, &y);
  return onnx_result(o, 0, bytes(o, y, 0, 2));
}

// ---- over places ----
static weft_status pooled(onnx_op *o) {
  bool last = onnx_int(o, "channels_last", 0) != 0;
  weft_value *x = ms_qlinear_numbers(o, 0);
  weft_value *y;
  if (last)
    x = onnx_ms_channels(o, x, false);
  y = onnx_apply(o, o->map->name + strlen("QLinear"), &x, 1);
  if (last)
    y = onnx_ms_channels(o, y, true);
  return onnx_result(o, 0, bytes(o, y, 3, 0));
}

static weft_status qlinear_conv(onnx_op *o) {
  weft_value *in[9];
  weft_value *y;
  bool last = onnx_int(o, "channels_last", 0) != 0;
  for (size_t i = 0; i < 8; i++)
    in[i] = onnx_arg(o, i);
  in[8] = onnx_in(o, 8);
  if (last)
    in[0] = onnx_ms_channels(o, in[0], false);
  y = onnx_apply(o, "QLinearConv", in, in[8] ? 9 : 8);
  return onnx_result(o, 0, last ? onnx_ms_channels(o, y, true) : y);
}

static const onnx_mapping qlinear_rows[] = {
    {"DequantizeLinear", 1, 0, "DequantizeLinear", onnx_quantize_linear, ONNX_MS},
    {"QLinearAdd", 1, 0, "DequantizeLinear, Add, ...", of_two, ONNX_MS},
    {"QLinearAveragePool", 1, 0, "DequantizeLinear, AvgPoolV2, ...", pooled, ONNX_MS},
    {"QLinearConcat", 1, 0, "DequantizeLinear, ConcatV2, ...", qlinear_concat, ONNX_MS},
    {"QLinearConv", 1, 0, "ConvInteger, ...", qlinear_conv, ONNX_MS},
    {"QLinearGlobalAveragePool", 1, 0, "DequantizeLinear, AvgPoolV2, ...", pooled, ONNX_MS},
    {"QLinearLeakyRelu", 1, 0, "DequantizeLinear, LeakyRelu, ...", of_one, ONNX_MS},
    {"QLinearMul", 1, 0, "DequantizeLinear, Mul, ...", of_two, ONNX_MS},
    {"QLinearSigmoid", 1, 0, "DequantizeLinear, Sigmoid, ...", of_one, ONNX_MS},
    {"QLinearSoftmax", 1, 0, "DequantizeLinear, SoftmaxV2, ...", qlinear_softmax, ONNX_MS},
    {"QLinearWhere", 1, 0, "DequantizeLinear, SelectV2, ...", qlinear_where, ONNX_MS},
    {"QuantizeLinear", 1, 0, "QuantizeLinear", onnx_quantize_linear, ONNX_MS},
};
const onnx_mappings weft__onnx_ms_qlinear = ONNX_MAPPINGS(qlinear_rows);
// SPDX-License-Identifier: Apache-2.0
