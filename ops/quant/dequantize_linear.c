// ops/quant/dequantize_linear.c - y = (x - zero point) * scale.   ONNX DequantizeLinear-25. AscendIR has no
// operator of this name; its Dequantize has a range. The difference is exact, the product is rounded once.
// output_dtype 28: the scale's.
#include "quant.h"

static weft_status dequantize_linear_infer(weft_infer *it) {
  int64_t named = weft_node_int(it->desc, WEFT_QUANT_OUTPUT_DTYPE);
  uint32_t in;
  if (named != WEFT_UNDEFINED && (!weft_dtype_known(named) || !(WEFT_FLOATS & WEFT_BIT(named)))) {
    return weft_fail(it->d, WEFT_E_DTYPE, "attribute 'output_dtype': %lld is not f32, f16, bf16 or f64",
                     (long long)named);
  }
  if (weft__has_in(it->desc, WEFT_QUANT_ZERO, &in) && it->in_dtype[in] != it->in_dtype[0]) {
    return weft_fail(it->d, WEFT_E_DTYPE, "the zero point has dtype %s, x has %s",
                     weft_dtype_name(it->in_dtype[in]), weft_dtype_name(it->in_dtype[0]));
  }
  weft_dtype t = named == WEFT_UNDEFINED ? it->in_dtype[WEFT_QUANT_SCALE] : (weft_dtype)named;
  if (!(WEFT_FLOATS & WEFT_BIT(t))) {
    return weft_fail(it->d, WEFT_E_DTYPE, "a scale of dtype %s needs attribute 'output_dtype'",
                     weft_dtype_name(t));
  }
  it->out_dtype[0] = t;
  return weft__quant_infer(it);
}

static weft_status dequantize_linear_ref(const weft_call *c) {
  const weft_tensor *x = c->in[WEFT_QUANT_X];
  weft_tensor *y = c->out[0];
  weft_quant q;
  if (!y)
    return WEFT_OK;
  WEFT_TRY(weft__quant_init(c, &q));
  size_t n = weft__elems(&x->layout.origin);
  for (size_t i = 0; i < n; i++) {
    WEFT_TRY(weft__poll_at(c, i));
    size_t at = weft__quant_at(&q, i);
    double v = weft_load_f64(x->dtype, x->data, i);
    if (q.zero)
      v -= weft_load_f64(q.zero->dtype, q.zero->data, at);
    weft_store_f64(y->dtype, y->data, i, v * weft_load_f64(q.scale->dtype, q.scale->data, at));
  }
  return WEFT_OK;
}

WEFT_OP(dequantize_linear) = {
    WEFT_OP_HEAD,
    .name = "DequantizeLinear",
    .summary = "small integers or floats as real numbers, with scales and zero points",
    .in = PORTS({"x", NULL, WEFT_QUANTISED | WEFT_DT(INT32)},
                {"x_scale", NULL, WEFT_FLOATS | WEFT_DT(FLOAT8_E8M0)},
                {"x_zero_point", NULL, WEFT_QUANTISED | WEFT_DT(INT32), .kind = WEFT_OPTIONAL}),
    .out = PORTS({"y", NULL, WEFT_FLOATS}),
    .attrs = ATTRS(WEFT_QUANT_ATTRS),
    .traits = WEFT_SYMBOLIC | WEFT_MONOTONE | WEFT_KEEP_FORMAT,
    .infer = dequantize_linear_infer,
    .ref = dequantize_linear_ref,
    .examples = WEFT_EXAMPLES("u8[4]{0,3,128,255}, f32[]{2}, u8[]{128} -> f32[4]{-256,-250,0,254}",
                              "i32[2]{-3,1000000}, f32[1]{0.5} -> f32[2]{-1.5,500000}",
                              "i8[2,2]{1,2,3,4}, f32[2]{1,2}, i8[2]{0,-1} axis=0 -> f32[2,2]{1,2,8,10}",
                              "i8[2,2]{1,2,3,4}, f16[2]{1,2}, i8[2]{0,-1} axis=-1 -> f16[2,2]{1,6,3,10}",
                              "i4[1,5]{1,2,3,4,-8}, f32[1,3]{1,2,0.5} block_size=2 -> f32[1,5]{1,2,6,8,-4}",
                              "f8e4m3fn[2]{1.5,-448}, f32[]{2} -> f32[2]{3,-896}",
                              "u8[1]{3}, f32[]{2} output_dtype=1 -> f16[1]{6}", "u8[0,3], f16[] -> f16[0,3]",
                              "u8[-1,3], f32[3], u8[3] -> f32[-1,3]",
                              "u8[2,3], f32[2] !! E_SHAPE the axis and the scale: 3 and 2 differ",
                              "u8[2], f32[], i8[] !! E_DTYPE the zero point has dtype i8, x has u8",
                              "u8[2], f32[] output_dtype=3 !! E_DTYPE output_dtype"),
};
// SPDX-License-Identifier: Apache-2.0
