// ops/nn/conv_transpose.c - transposed convolution (the gradient of a convolution) over 1 to 3 spatial axes,
// channels first; the filter is [inputs, outputs / group, ...].   ONNX ConvTranspose-11 (-22 for bfloat16).
// AscendIR has no operator of this name; its Conv2DTranspose takes the input size as an input. output_shape,
// when given, decides the padding.
#include "conv.h"

static weft_status conv_transpose_infer(weft_infer *it) {
  weft_conv cfg;
  bool known;
  const char *mode = weft_node_str(it->desc, WEFT_CONV_AUTO_PAD);
  if (weft_node_ints(it->desc, WEFT_CONV_PADS).n && mode && strcmp(mode, "NOTSET")) {
    return weft_fail(it->d, WEFT_E_INVALID, "attribute 'pads' is given and 'auto_pad' is %s, expected NOTSET",
                     mode);
  }
  WEFT_TRY(weft__conv_onnx(it->d, it->desc, it->in[0], it->in[1], true, &cfg, &known));
  return known ? weft__conv_infer(it, &cfg) : weft__unknown_rank(it, 0);
}

static weft_status conv_transpose_infer_range(weft_infer *it) {
  weft_conv cfg;
  bool known;
  WEFT_TRY(weft__conv_onnx(it->d, it->desc, it->in[0], it->in[1], true, &cfg, &known));
  return weft__conv_range(it, &cfg);
}

static weft_status conv_transpose_ref(const weft_call *c) {
  weft_conv cfg;
  bool known;
  WEFT_TRY(
      weft__conv_onnx(c->d, c->desc, &c->in[0]->layout.origin, &c->in[1]->layout.origin, true, &cfg, &known));
  return weft__conv_run(c, &cfg);
}

WEFT_OP(conv_transpose) = {
    WEFT_OP_HEAD,
    .name = "ConvTranspose",
    .summary = "transposed convolution over 1 to 3 spatial axes",
    .in = PORTS({"x", "T"}, {"w", "T"}, {"bias", "T", .kind = WEFT_OPTIONAL}),
    .out = PORTS({"y", "T"}),
    .types = TYPES({"T", WEFT_FLOATS}),
    .attrs = ATTRS(WEFT_CONV_ONNX_ATTRS, {"output_padding", "ListInt", "{}", "each min 0"},
                   {"output_shape", "ListInt", "{}", "each min 1"}),
    .traits = WEFT_SYMBOLIC | WEFT_KEEP_FORMAT,
    .infer = conv_transpose_infer,
    .infer_range = conv_transpose_infer_range,
    .ref = conv_transpose_ref,
    .examples = WEFT_EXAMPLES(
        "f32[1,1,2], f32[1,1,3] pads=[0,0] auto_pad=\"VALID\" !! E_INVALID expected NOTSET",
        "f32[1,1,2]{1,2}, f32[1,1,3]{1,10,100} strides=[2] -> f32[1,1,5]{1,10,102,20,200}",
        "f32[1,1,2]{1,2}, f32[1,1,3]{1,10,100}, f32[1]{1} strides=[2] pads=[1,0] output_padding=[1]"
        " -> f32[1,1,5]{11,103,21,201,1}",
        "f32[1,1,2]{1,2}, f32[1,1,3]{1,10,100} strides=[2] output_shape=[4] -> f32[1,1,4]{10,102,20,200}",
        "f32[1,1,2]{1,2}, f32[1,1,3]{1,10,100} strides=[2] auto_pad=\"SAME_UPPER\""
        " -> f32[1,1,4]{1,10,102,20}",
        "f32[1,1,3]{1,2,3}, f32[1,1,1]{10} strides=[2] auto_pad=\"SAME_UPPER\" -> f32[1,1,5]{10,0,20,0,30}",
        "f32[1,1,-1], f32[1,1,1] strides=[2] auto_pad=\"SAME_LOWER\" -> f32[1,1,-1]",
        "f32[1,1,2,2]{1,2,3,4}, f32[1,2,1,1]{1,10} -> f32[1,2,2,2]{1,2,3,4,10,20,30,40}",
        "f32[1,2,1]{1,2}, f32[2,1,2]{1,2,3,4} group=2 -> f32[1,2,2]{1,2,6,8}",
        "f32[1,2,1]{1,2}, f32[2,1,2]{1,2,3,4} dilations=[2] -> f32[1,1,3]{7,0,10}",
        "f32[-1,3,5,-1], f32[3,8,3,3] strides=[2,2] -> f32[-1,8,11,-1]",
        "f32[0,1,4], f32[1,2,3] -> f32[0,2,6]", "f32[1,3,8,8], f32[4,4,3,3] !! E_SHAPE 4 input channels",
        "f32[1,3,8], f32[3,1,3] group=2 !! E_SHAPE 2 groups",
        "f32[1,1,1], f32[1,1,3] pads=[2,2] !! E_SHAPE give -1 outputs"),
};
// SPDX-License-Identifier: Apache-2.0
