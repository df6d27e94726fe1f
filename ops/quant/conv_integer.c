// ops/quant/conv_integer.c - convolution of 8-bit integers less their zero points, channels first, as int32
// or scaled and rounded to 8 bits.   ONNX ConvInteger-10 and QLinearConv-10: scale is x_scale * w_scale /
// y_scale. AscendIR has no operator of this name. The rest as Conv; sums as in quant_sum.h. Padding adds
// nothing, which is x = x_zero.
#include "conv.h"
#include "quant_sum.h"
#include "quant_sum.rule.h"

static weft_status conv_integer_infer(weft_infer *it) {
  weft_conv cfg;
  bool known;
  WEFT_TRY(weft__conv_onnx(it->d, it->desc, it->in[0], it->in[1], false, &cfg, &known));
  WEFT_TRY(known ? weft__conv_infer(it, &cfg) : weft__unknown_rank(it, 0));
  return weft__sum_infer(it, false, WEFT_CONV_SUM_RANGE);
}

static weft_status conv_integer_infer_range(weft_infer *it) {
  weft_conv cfg;
  bool known;
  WEFT_TRY(weft__conv_onnx(it->d, it->desc, it->in[0], it->in[1], false, &cfg, &known));
  return weft__conv_range(it, &cfg);
}

static weft_status sums(const weft_call *c) {
  weft_conv cfg;
  bool known;
  WEFT_TRY(weft__conv_onnx(c->d, c->desc, &c->in[0]->layout.origin, &c->in[1]->layout.origin, false, &cfg,
                           &known));
  return weft__conv_run(c, &cfg);
}

static weft_status conv_integer_ref(const weft_call *c) {
  return weft__sum_run(c, false, WEFT_CONV_SUM_RANGE, sums);
}

WEFT_OP(conv_integer) = {
    WEFT_OP_HEAD,
    .name = "ConvInteger",
    .summary = "convolution of 8-bit integers less their zero points, as int32 or scaled to 8 bits",
    .in = PORTS(WEFT_SUM_PORTS),
    .out = PORTS({"y", NULL, WEFT_SUM_BYTES | WEFT_DT(INT32)}),
    .attrs = ATTRS(WEFT_CONV_ONNX_ATTRS, WEFT_SUM_RANGE),
    .traits = WEFT_SYMBOLIC | WEFT_KEEP_FORMAT,
    .infer = conv_integer_infer,
    .infer_range = conv_integer_infer_range,
    .ref = conv_integer_ref,
    .examples = WEFT_EXAMPLES(
        "u8[1,1,4]{1,2,3,255}, i8[1,1,3]{1,10,-128} pads=[1,1] -> i32[1,1,4]{-246,-363,-32608,2553}",
        "u8[1,1,2]{3,5}, i8[2,1,1]{1,2}, i32[2]{10,20}, u8[]{1}, i8[2]{0,1}, f32[2]{0.5,1}, i8[]{-3}"
        " -> i8[1,2,2]{3,4,19,21}",
        "u8[1,1,2]{0,255}, i8[1,1,1]{127}, i32[1]{0}, u8[1]{255}, i8[1]{-128}, f32[]{1}, u8[]{9}"
        " range=[4,200] -> u8[1,1,2]{4,9}",
        "i8[-1,3,-1,224], i8[64,3,3,3] strides=[2,2] pads=[1,1,1,1] -> i32[-1,64,-1,112]",
        "u8[0,1,4], u8[2,1,3] -> i32[0,2,2]", "u8[1,3,8,8], i8[4,4,3,3] !! E_SHAPE 4 input channels",
        "u8[1,1,4], i8[2,1,1], i32[2], u8[2] !! E_SHAPE input 'x_zero': expected one element",
        "u8[1,1,4], i8[2,1,1], i32[2], i8[] !! E_DTYPE the zero point of input 'x' has dtype i8",
        "u8[1,1,4], i8[2,1,1], i32[2], u8[], i8[3]"
        " !! E_SHAPE the channels and their parameters: 2 and 3 differ",
        "u8[1,1,4], i8[2,1,1], i32[2], u8[], i8[], f32[] !! E_INVALID 'y_zero' is missing",
        "u8[1,1,4], i8[2,1,1] range=[0,1] !! E_RANGE attribute 'range'"),
};
// SPDX-License-Identifier: Apache-2.0
