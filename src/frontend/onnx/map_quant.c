// map_quant.c - quantised ONNX operators. Products of 8-bit integers are ConvInteger and MatMulInteger, which
// also scale and round; float8, scales that are no float and scales for each row are put together from other
// primitives: sums are exact (int32, convolutions in double), scaled in double and rounded once.
#include "frontend/onnx/map.h"

static void set_type(onnx_op *o, const char *name) {
  int64_t type = onnx_int(o, name, 0);
  weft_dtype t;
  if (o->failed || !type || (o->failed = onnx_dtype(o, type, &t)))
    return;
  onnx_set(o, name, weft_attr_int(t));
}

weft_status onnx_quantize_linear(onnx_op *o) {
  weft_value *in[3] = {onnx_arg(o, 0), onnx_arg(o, 1), onnx_in(o, 2)};
  int64_t axis = onnx_int(o, "axis", 1);
  int64_t block = onnx_int(o, "block_size", 0);
  int64_t saturate = onnx_int(o, "saturate", 1);
  bool quantize = !strcmp(o->map->name, "QuantizeLinear");
  WEFT_TRY(o->failed);
  onnx_set(o, "axis", weft_attr_int(axis));
  onnx_set(o, "block_size", weft_attr_int(block));
  if (quantize)
    onnx_set(o, "saturate", weft_attr_bool(saturate != 0));
  set_type(o, "output_dtype");
  if (quantize)
    set_type(o, "precision");
  return onnx_emit(o, o->map->primitive, in, in[2] ? 3 : 2, NULL, 1, NULL);
}

// v - zero as numbers of type t. A zero point per row or channel has rank 1 and gets `after` axes behind it.
static weft_value *centred(onnx_op *o, weft_value *v, weft_value *zero, weft_dtype t, int after) {
  static const int64_t dims[] = {-1, 1, 1, 1, 1, 1, 1, 1, 1};
  v = onnx_as(o, v, t);
  if (!zero || o->failed)
    return v;
  zero = onnx_as(o, zero, t);
  if (!o->failed && onnx_rank(zero) == 1 && after > 0)
    zero = onnx_reshaped(o, zero, dims, (size_t)WEFT_MIN(after, 8) + 1);
  return onnx_do(o, "Sub", v, zero, NULL);
}

// Sums of integers are int32 and wrap as ONNX says; those of float8 are double.
static weft_value *map_quant_product(onnx_op *o, weft_value *a, weft_value *a_zero, weft_value *b,
                                     weft_value *b_zero) {
  if (o->failed)
    return NULL;
  bool real = weft_dtype_is_float(a->fact.dtype) || weft_dtype_is_float(b->fact.dtype);
  weft_dtype t = real ? WEFT_DOUBLE : WEFT_INT32;
  a = centred(o, a, a_zero, t, onnx_rank(a) != 1);
  return onnx_do(o, "BatchMatMulV2", a, centred(o, b, b_zero, t, 0), NULL);
}

// ---- by one primitive ----
static bool is_bytes(const weft_value *v) {
  return v->fact.dtype == WEFT_INT8 || v->fact.dtype == WEFT_UINT8;
}
// One number for sure; absent counts.
static bool is_number(const weft_value *v) {
  return !v || onnx_rank(v) == 0 || (onnx_rank(v) == 1 && v->fact.dims[0] == 1);
}
// One number or one a channel.
static bool is_list(const weft_value *v) {
  return !v || onnx_rank(v) == 0 || onnx_rank(v) == 1;
}

// x, w, bias, their zero points, scale and zero point of y, as ConvInteger and MatMulInteger have them.
static bool one_primitive(const onnx_op *o, weft_value *const in[7]) {
  if (o->failed || !is_bytes(in[0]) || !is_bytes(in[1]))
    return false;
  if (!is_number(in[3]) || !is_list(in[4]) || !is_list(in[5]) || !is_number(in[6]))
    return false;
  if (in[3] && in[3]->fact.dtype != in[0]->fact.dtype)
    return false;
  if (in[4] && in[4]->fact.dtype != in[1]->fact.dtype)
    return false;
  return !in[6] || is_bytes(in[6]);
}

// x_scale * w_scale / y_scale, in float: one number for x and y.
static bool float_scales(const onnx_op *o, weft_value *x, weft_value *w, weft_value *y) {
  return !o->failed && x->fact.dtype == WEFT_FLOAT && w->fact.dtype == WEFT_FLOAT &&
         y->fact.dtype == WEFT_FLOAT && is_number(x) && is_number(y) && is_list(w);
}
static weft_value *scale_of(onnx_op *o, weft_value *x, weft_value *w, weft_value *y) {
  return onnx_do(o, "Div", onnx_do(o, "Mul", x, w, NULL), y, NULL);
}

weft_status onnx_mat_mul_integer(onnx_op *o) {
  weft_value *a = onnx_arg(o, 0);
  weft_value *b = onnx_arg(o, 1);
  weft_value *in[7] = {a, b, NULL, onnx_in(o, 2), onnx_in(o, 3)};
  if (one_primitive(o, in))
    return onnx_emit(o, "MatMulInteger", in, 5, NULL, 1, NULL);
  return onnx_result(o, 0, map_quant_product(o, a, in[3], b, in[4]));
}

static void set_conv(onnx_op *o) {
  static const char *const lists[] = {"kernel_shape", "strides", "pads", "dilations"};
  int64_t group = onnx_int(o, "group", 1);
  weft_str mode = {"NOTSET", 6};
  o->failed = onnx_str_attr(o, "auto_pad", "NOTSET", &mode);
  for (size_t i = 0; i < WEFT_COUNT(lists) && !o->failed; i++) {
    weft_ints v = onnx_ints_of(o, lists[i]);
    if (v.v)
      onnx_set(o, lists[i], weft_attr_ints(v.v, v.n));
  }
  if (o->failed)
    return;
  onnx_set(o, "auto_pad", weft_attr_str(mode.text, mode.bytes));
  onnx_set(o, "group", weft_attr_int(group));
}

static weft_value *convolution(onnx_op *o, weft_value *x, weft_value *w, weft_value *bias) {
  set_conv(o);
  return onnx_do(o, "Conv", x, w, bias);
}

static weft_status conv_primitive(onnx_op *o, weft_value *const in[7]) {
  set_conv(o);
  return onnx_emit(o, "ConvInteger", in, 7, NULL, 1, NULL);
}

weft_status onnx_conv_integer(onnx_op *o) {
  weft_value *x = onnx_arg(o, 0);
  weft_value *w = onnx_arg(o, 1);
  weft_value *parts[7] = {x, w, NULL, onnx_in(o, 2), onnx_in(o, 3)};
  if (one_primitive(o, parts))
    return conv_primitive(o, parts);
  int rank = onnx_rank_needed(o, w);
  x = centred(o, x, onnx_in(o, 2), WEFT_DOUBLE, 0);
  w = centred(o, w, onnx_in(o, 3), WEFT_DOUBLE, rank - 1);
  return onnx_result(o, 0, onnx_as(o, convolution(o, x, w, NULL), WEFT_INT32));
}

// sums * (a_scale * b_scale / y_scale), rounded, plus the zero point, as the zero point's type. The scales
// are multiplied in their own type.
static weft_value *requantised(onnx_op *o, weft_value *sums, weft_value *scales, weft_value *y_scale,
                               weft_value *zero) {
  weft_value *in[3];
  weft_value *out = NULL;
  weft_value *factor = onnx_as(o, onnx_do(o, "Div", scales, y_scale, NULL), WEFT_DOUBLE);
  in[0] = onnx_do(o, "Mul", onnx_as(o, sums, WEFT_DOUBLE), factor, NULL);
  in[1] = onnx_num(o, WEFT_DOUBLE, 1);
  in[2] = zero;
  o->failed = onnx_emit(o, "QuantizeLinear", in, 3, NULL, 0, &out);
  return out;
}

weft_status onnx_qlinear_mat_mul(onnx_op *o) {
  weft_value *in[8];
  for (size_t i = 0; i < 8; i++)
    in[i] = onnx_arg(o, i);
  weft_value *parts[7] = {in[0], in[3], NULL, in[2], in[5], NULL, in[7]};
  if (one_primitive(o, parts) && float_scales(o, in[1], in[4], in[6])) {
    parts[5] = scale_of(o, in[1], in[4], in[6]);
    return onnx_emit(o, "MatMulInteger", parts, 7, NULL, 1, NULL);
  }
  weft_value *sums = map_quant_product(o, in[0], in[2], in[3], in[5]);
  if (!o->failed && onnx_rank(in[1]) == 1 && onnx_rank(in[0]) != 1)  // of rows
    in[1] = onnx_reshaped(o, in[1], (int64_t[]){-1, 1}, 2);
  return onnx_result(o, 0, requantised(o, sums, onnx_do(o, "Mul", in[1], in[4], NULL), in[6], in[7]));
}

weft_status onnx_qlinear_conv(onnx_op *o) {
  static const int64_t dims[] = {-1, 1, 1, 1, 1, 1, 1, 1};
  weft_value *in[8];
  weft_value *bias = onnx_in(o, 8);
  for (size_t i = 0; i < 8; i++)
    in[i] = onnx_arg(o, i);
  weft_value *parts[7] = {in[0], in[3], bias, in[2], in[5], NULL, in[7]};
  if (one_primitive(o, parts) && float_scales(o, in[1], in[4], in[6])) {
    parts[5] = scale_of(o, in[1], in[4], in[6]);
    return conv_primitive(o, parts);
  }
  int rank = onnx_rank_needed(o, in[3]);
  if (rank < 3 || rank > 8)
    return onnx_fail(o, WEFT_E_SHAPE, "weights of rank %d", rank);
  weft_value *x = centred(o, in[0], in[2], WEFT_DOUBLE, 0);
  weft_value *w = centred(o, in[3], in[5], WEFT_DOUBLE, rank - 1);
  weft_value *sums = convolution(o, x, w, bias ? onnx_as(o, bias, WEFT_DOUBLE) : NULL);
  if (!o->failed && onnx_rank(in[4]) == 1)
    in[4] = onnx_reshaped(o, in[4], dims, (size_t)rank - 1);  // of channels
  return onnx_result(o, 0, requantised(o, sums, onnx_do(o, "Mul", in[1], in[4], NULL), in[6], in[7]));
}

// The range of x with 0 in it becomes 0..255.
weft_status onnx_dynamic_quantize(onnx_op *o) {
  weft_value *x = onnx_arg(o, 0);
  weft_value *zero = onnx_num(o, WEFT_FLOAT, 0);
  weft_value *most = onnx_num(o, WEFT_FLOAT, 255);
  weft_value *high = onnx_do(o, "Maximum", onnx_reduced(o, "ReduceMax", x, NULL, 0, false), zero, NULL);
  weft_value *low = onnx_do(o, "Minimum", onnx_reduced(o, "ReduceMin", x, NULL, 0, false), zero, NULL);
  weft_value *scale = onnx_do(o, "Div", onnx_do(o, "Sub", high, low, NULL), most, NULL);
  weft_value *at =
      onnx_do(o, "Rint", onnx_do(o, "Div", onnx_do(o, "Sub", zero, low, NULL), scale, NULL), NULL, NULL);
  at = onnx_as(o, onnx_do(o, "ClipByValueV2", at, zero, most), WEFT_UINT8);
  if (onnx_result(o, 0, onnx_do(o, "QuantizeLinear", x, scale, at)) || onnx_result(o, 1, scale))
    return o->failed;
  return onnx_result(o, 2, at);
}
// SPDX-License-Identifier: Apache-2.0
