// ops/nn/conv.c - convolution over 1 to 3 spatial axes, channels first.   ONNX Conv-11 (-22 for bfloat16).
// AscendIR has no operator of this name; Conv2D is its form for rank 4. Empty lists mean ONNX's defaults:
// kernel_shape from the filter, strides and dilations 1, pads 0 (all begins, then all ends). NaN and infinity
// as in Conv2D.
#include "conv.h"

static weft_status conv_infer(weft_infer *it) {
  weft_conv cfg;
  bool known;
  WEFT_TRY(weft__conv_onnx(it->d, it->desc, it->in[0], it->in[1], false, &cfg, &known));
  return known ? weft__conv_infer(it, &cfg) : weft__unknown_rank(it, 0);
}

static weft_status conv_infer_range(weft_infer *it) {
  weft_conv cfg;
  bool known;
  WEFT_TRY(weft__conv_onnx(it->d, it->desc, it->in[0], it->in[1], false, &cfg, &known));
  return weft__conv_range(it, &cfg);
}

static weft_status conv_ref(const weft_call *c) {
  weft_conv cfg;
  bool known;
  WEFT_TRY(weft__conv_onnx(c->d, c->desc, &c->in[0]->layout.origin, &c->in[1]->layout.origin, false, &cfg,
                           &known));
  return weft__conv_run(c, &cfg);
}

WEFT_OP(conv) = {
    WEFT_OP_HEAD,
    .name = "Conv",
    .summary = "convolution over 1 to 3 spatial axes",
    .in = PORTS({"x", "T"}, {"w", "T"}, {"bias", "T", .kind = WEFT_OPTIONAL}),
    .out = PORTS({"y", "T"}),
    .types = TYPES({"T", WEFT_FLOATS}),
    .attrs = ATTRS(WEFT_CONV_ONNX_ATTRS),
    .traits = WEFT_SYMBOLIC | WEFT_KEEP_FORMAT,
    .infer = conv_infer,
    .infer_range = conv_infer_range,
    .ref = conv_ref,
    .examples = WEFT_EXAMPLES(
        "f32[1,1,4]{1,2,3,4}, f32[1,1,3]{1,10,100}, f32[1]{0.5} pads=[1,1] strides=[2]"
        " -> f32[1,1,2]{210.5,432.5}",
        "f32[1,1,1,4]{1,2,3,4}, f32[1,1,1,2]{1,10} auto_pad=\"SAME_LOWER\" -> f32[1,1,1,4]{10,21,32,43}",
        "f32[1,1,2,1,2]{1,2,3,4}, f32[1,1,2,1,1]{1,10} kernel_shape=[2,1,1] -> f32[1,1,1,1,2]{31,42}",
        "f32[1,2,3]{1,2,3,4,5,6}, f32[2,1,2]{1,1,1,-1} group=2 dilations=[2] -> f32[1,2,1]{4,-2}",
        "f64[1,1,1]{3}, f64[1,1,1]{nan} -> f64[1,1,1]{nan}",
        "f16[1,1,2]{1,2}, f16[1,1,1]{2048} -> f16[1,1,2]{2048,4096}",
        "f32[-1,3,-1,224], f32[64,3,3,3] strides=[2,2] pads=[1,1,1,1] -> f32[-1,64,-1,112]",
        "f32[0,1,4], f32[2,1,3] -> f32[0,2,2]", "f32[1,3,8,8], f32[4,4,3,3] !! E_SHAPE 4 input channels",
        "f32[1,1,8], f32[1,1,3] strides=[1,1] !! E_INVALID attribute 'strides': expected 1 values, got 2",
        "f32[1,1,8], f32[1,1,3] kernel_shape=[4]"
        " !! E_SHAPE attribute 'kernel_shape' and the filter: 4 and 3 differ",
        "f32[1,1,2], f32[1,1,3] !! E_SHAPE give 0 outputs",
        "f32[8,8], f32[1,1] !! E_SHAPE expected rank 3 to 5, got 2"),
};
// SPDX-License-Identifier: Apache-2.0
