// ops/quant/quantize_linear.c - y = saturate(round(x / scale) + zero point), halves to even.   ONNX
// QuantizeLinear-25. AscendIR has no operator of this name; its Quantize and AscendQuant differ.
// The quotient is rounded to `precision` (default: the scale's dtype) first. NaN gives the zero point,
// infinities the ends of the range. Float8 and float4 take the quotient itself; without `saturate` float8
// overflows to inf or NaN. output_dtype 28: that of the zero point, or UINT8.
#include "quant.h"

static weft_status quantize_linear_infer(weft_infer *it) {
  int64_t named = weft_node_int(it->desc, WEFT_QUANT_OUTPUT_DTYPE);
  int64_t precision = weft_node_int(it->desc, WEFT_QUANT_PRECISION);
  uint32_t in;
  weft_dtype t = WEFT_UINT8;
  bool has_zero = weft__has_in(it->desc, WEFT_QUANT_ZERO, &in);
  if (has_zero)
    t = it->in_dtype[in];
  if (named != WEFT_UNDEFINED) {
    if (!weft_dtype_known(named) || !(WEFT_QUANTISED & WEFT_BIT(named)) || (has_zero && named != t)) {
      return weft_fail(it->d, WEFT_E_DTYPE, "attribute 'output_dtype': %lld (%s)%s%s", (long long)named,
                       weft_dtype_known(named) ? weft_dtype_name((weft_dtype)named) : "unknown",
                       has_zero ? ", the zero point has " : " is no quantised dtype",
                       has_zero ? weft_dtype_name(t) : "");
    }
    t = (weft_dtype)named;
  }
  if (precision != WEFT_UNDEFINED && (!weft_dtype_known(precision) || !(WEFT_FLOATS & WEFT_BIT(precision)))) {
    return weft_fail(it->d, WEFT_E_DTYPE, "attribute 'precision': %lld is not f32, f16, bf16 or f64",
                     (long long)precision);
  }
  it->out_dtype[0] = t;
  return weft__quant_infer(it);
}

static double quantize_linear_rounded(weft_dtype t, double v) {
  uint64_t store = 0;
  weft_store_f64(t, &store, 0, v);
  return weft_load_f64(t, &store, 0);
}

static void put_integer(weft_tensor *y, size_t i, double v, int64_t zero) {
  uint32_t bits = weft_dtype_bits(y->dtype);
  bool is_signed = weft_dtype_is_signed(y->dtype);
  double low = is_signed ? -ldexp(1, (int)bits - 1) : 0, high = ldexp(1, (int)bits - is_signed) - 1;
  v = (v == v ? rint(v) : 0) + (double)zero;
  weft_store_i64(y->dtype, y->data, i, (int64_t)(v < low ? low : v > high ? high : v));
}

static weft_status quantize_linear_ref(const weft_call *c) {
  const weft_tensor *x = c->in[WEFT_QUANT_X];
  weft_tensor *y = c->out[0];
  weft_quant q;
  if (!y)
    return WEFT_OK;
  WEFT_TRY(weft__quant_init(c, &q));
  int64_t precision = weft_node_int(c->desc, WEFT_QUANT_PRECISION);
  bool real = (WEFT_FLOATS & WEFT_BIT(q.scale->dtype)) != 0;  // not an integer, and not a power of two
  weft_dtype p = precision != WEFT_UNDEFINED ? (weft_dtype)precision : real ? q.scale->dtype : WEFT_FLOAT;
  bool saturate = weft_node_bool(c->desc, WEFT_QUANT_SATURATE);
  bool f8 = (WEFT_FLOAT8S & WEFT_BIT(y->dtype)) != 0;
  size_t n = weft__elems(&x->layout.origin);
  for (size_t i = 0; i < n; i++) {
    WEFT_TRY(weft__poll_at(c, i));
    size_t at = weft__quant_at(&q, i);
    double v = quantize_linear_rounded(p, weft_load_f64(x->dtype, x->data, i));
    v = quantize_linear_rounded(
        p, v / quantize_linear_rounded(p, weft_load_f64(q.scale->dtype, q.scale->data, at)));
    if (weft_dtype_is_integer(y->dtype)) {
      put_integer(y, i, v, q.zero ? weft_load_i64(q.zero->dtype, q.zero->data, at) : 0);
      continue;
    }
    if (q.zero)
      v += weft_load_f64(q.zero->dtype, q.zero->data, at);
    if (f8)
      ((uint8_t *)y->data)[i] = (uint8_t)weft_float_encode(y->dtype, v, saturate);
    else
      weft_store_f64(y->dtype, y->data, i, v);
  }
  return WEFT_OK;
}

WEFT_OP(quantize_linear) = {
    WEFT_OP_HEAD,
    .name = "QuantizeLinear",
    .summary = "real numbers as small integers or floats with scales and zero points",
    .in = PORTS({"x", NULL, WEFT_FLOATS | WEFT_DT(INT32)},
                {"y_scale", NULL, WEFT_FLOATS | WEFT_DT(INT32) | WEFT_DT(FLOAT8_E8M0)},
                {"y_zero_point", NULL, WEFT_QUANTISED, .kind = WEFT_OPTIONAL}),
    .out = PORTS({"y", NULL, WEFT_QUANTISED}),
    .attrs = ATTRS(WEFT_QUANT_ATTRS, {"saturate", "Bool", "true"}, {"precision", "Int", "28"}),
    .traits = WEFT_SYMBOLIC | WEFT_MONOTONE | WEFT_KEEP_FORMAT,
    .infer = quantize_linear_infer,
    .ref = quantize_linear_ref,
    .examples = WEFT_EXAMPLES(
        "f32[6]{0,2,3,1000,-254,-1000}, f32[]{2}, u8[]{128} -> u8[6]{128,129,130,255,1,0}",
        "f32[4]{1,3,5,nan}, f32[1]{2} -> u8[4]{0,2,2,0}",
        "f32[2,2]{10,-10,300,-inf}, f32[2]{1,2}, i8[2]{0,5} axis=0 -> i8[2,2]{10,-10,127,-128}",
        "f32[1,2,2]{10,-10,300,-300}, f32[2]{1,2}, i16[2]{0,5} -> i16[1,2,2]{10,-10,155,-145}",
        "f32[1,5]{1,2,3,4,5}, f32[1,3]{1,2,0.5} axis=1 block_size=2 -> u8[1,5]{1,2,2,2,10}",
        "f32[3]{-20,3,20}, f32[]{1}, i4[]{0} -> i4[3]{-8,3,7}",
        "f32[2]{1000,0.25}, f32[]{2} output_dtype=36 -> f8e4m3fn[2]{448,0.125}",
        "f32[1]{1000}, f32[]{2} output_dtype=36 saturate=false -> f8e4m3fn[1]{nan}",
        "f16[0,3], f16[] -> u8[0,3]", "f32[-1,3], f32[3], u8[3] -> u8[-1,3]", "f32[?], f32[3] -> u8[?]",
        "f32[2,3], f32[2] !! E_SHAPE the axis and the scale: 3 and 2 differ",
        "f32[2,4], f32[2,3] block_size=2 !! E_SHAPE dim 1 of the scale",
        "f32[2,4], f32[2,2] !! E_RANGE attribute 'block_size'",
        "f32[2,4], f32[4], u8[] !! E_SHAPE zero point of rank 0",
        "f32[2], f32[], u8[] output_dtype=2 !! E_DTYPE output_dtype",
        "f32[2], f32[] output_dtype=0 !! E_DTYPE output_dtype",
        "f32[2], f32[] precision=3 !! E_DTYPE precision"),
};
// SPDX-License-Identifier: Apache-2.0
