// ops/nn/conv2d.c - 2-D convolution with groups, dilation and bias.   AscendIR Conv2D, ONNX Conv-11 of
// rank 4. The filter is OIHW for NCHW and HWIO for NHWC; pads is top, bottom, left, right; int8 gives int32
// and wraps. Padding is not part of the sum, so an infinite weight over padding adds nothing. offset_w and
// offset_x are reserved and refused. weft: double, and pad_mode: SAME_UPPER, SAME_LOWER (ONNX's auto_pad) or
// VALID instead of pads.
#include "conv.h"

enum { STRIDES, PADS, DILATIONS, GROUPS, DATA_FORMAT, OFFSET_X, PAD_MODE };

static weft_status conv2d_read(weft_diag *d, const weft_op_desc *n, weft_conv *out) {
  static const uint32_t LISTS[2] = {STRIDES, DILATIONS};
  weft_ints pads = weft_node_ints(n, PADS);
  weft_ints strides = weft_node_ints(n, STRIDES);
  weft_ints dilations = weft_node_ints(n, DILATIONS);
  memset(out, 0, sizeof *out);
  out->spatial = 2;
  out->last = weft__channels_last(weft_node_str(n, DATA_FORMAT));
  out->groups = weft_node_int(n, GROUPS);
  out->mode = weft__pad_mode(weft_node_str(n, PAD_MODE));
  size_t first = out->last ? 1 : 2;
  size_t channel = out->last ? 3 : 1;
  for (size_t i = 0; i < 2; i++) {
    weft_ints v = i ? dilations : strides;
    if (v.v[0] != 1 || v.v[channel] != 1) {
      return weft_fail(d, WEFT_E_UNSUPPORTED,
                       "attribute '%s': the values of batch and channel are %lld and %lld, both must "
                       "be 1",
                       weft__attr_name(n, LISTS[i]), (long long)v.v[0], (long long)v.v[channel]);
    }
    out->w[i] =
        (weft_window){-1, strides.v[first + i], dilations.v[first + i], pads.v[2 * i], pads.v[2 * i + 1]};
  }
  return WEFT_OK;
}

static weft_status conv2d_infer(weft_infer *it) {
  weft_conv cfg;
  uint32_t in;
  WEFT_TRY(conv2d_read(it->d, it->desc, &cfg));
  if (weft__has_in(it->desc, 3, &in))
    return weft_fail(it->d, WEFT_E_UNSUPPORTED, "input 'offset_w' is reserved");
  if (weft_node_int(it->desc, OFFSET_X)) {
    return weft_fail(it->d, WEFT_E_UNSUPPORTED, "attribute 'offset_x': %lld, only 0 is supported",
                     (long long)weft_node_int(it->desc, OFFSET_X));
  }
  if (weft__has_in(it->desc, 2, &in) && (it->in_dtype[0] == WEFT_INT8) != (it->in_dtype[in] == WEFT_INT32)) {
    return weft_fail(it->d, WEFT_E_DTYPE,
                     "input 'bias': got %s for x of %s: int8 takes int32, floats take floats",
                     weft_dtype_serial(it->in_dtype[in]), weft_dtype_serial(it->in_dtype[0]));
  }
  it->out_dtype[0] = it->in_dtype[0] == WEFT_INT8 ? WEFT_INT32 : it->in_dtype[0];
  return weft__conv_infer(it, &cfg);
}

static weft_status conv2d_infer_range(weft_infer *it) {
  weft_conv cfg;
  WEFT_TRY(conv2d_read(it->d, it->desc, &cfg));
  return weft__conv_range(it, &cfg);
}

static weft_status conv2d_ref(const weft_call *c) {
  weft_conv cfg;
  WEFT_TRY(conv2d_read(c->d, c->desc, &cfg));
  return weft__conv_run(c, &cfg);
}

WEFT_OP(conv2d) = {
    WEFT_OP_HEAD,
    .name = "Conv2D",
    .summary = "2-D convolution with groups, dilation and bias",
    .in = PORTS({"x", "T"}, {"filter", "T"},
                {"bias", NULL, WEFT_FLOATS | WEFT_DT(INT32), .kind = WEFT_OPTIONAL},
                {"offset_w", NULL, WEFT_DT(INT8), .kind = WEFT_OPTIONAL}),
    .out = PORTS({"y", NULL, WEFT_FLOATS | WEFT_DT(INT32) | WEFT_DT(HIFLOAT8)}),
    .types = TYPES({"T", WEFT_FLOATS | WEFT_DT(INT8) | WEFT_DT(HIFLOAT8)}),
    .attrs = ATTRS(
        {"strides", "ListInt", NULL, "count 4;each min 1"}, {"pads", "ListInt", NULL, "count 4;each min 0"},
        {"dilations", "ListInt", "{1, 1, 1, 1}", "count 4;each min 1"}, {"groups", "Int", "1", "min 1"},
        {"data_format", "String", "\"NHWC\"", "one of NHWC|NCHW"}, {"offset_x", "Int", "0"},
        {"pad_mode", "String", "\"SPECIFIC\"", "one of SPECIFIC|SAME|SAME_UPPER|SAME_LOWER|VALID", .ext = 1}),
    .traits = WEFT_SYMBOLIC,
    .infer = conv2d_infer,
    .infer_range = conv2d_infer_range,
    .ref = conv2d_ref,
#define NCHW " data_format=\"NCHW\" "
    .examples = WEFT_EXAMPLES(
        "f32[1,3,224,224], f32[64,3,3,3] strides=[1,1,2,2] pads=[1,1,1,1]" NCHW "-> f32[1,64,112,112]@NCHW",
        "f32[1,3,224,224], f32[64,3,3,3] strides=[1,1,1,1] pads=[1,1,1,1]" NCHW "-> f32[1,64,224,224]@NCHW",
        "f32[1,3,224,224], f32[64,3,3,3] strides=[1,1,1,1] pads=[1,1,1,1] dilations=[1,1,2,2]" NCHW
        "-> f32[1,64,222,222]@NCHW",
        "f32[1,1,8,8], f32[1,1,3,3] strides=[1,1,1,1] pads=[0,1,2,3]" NCHW "-> f32[1,1,7,11]@NCHW",
        "f32[-1,3,-1,224], f32[64,3,3,3] strides=[1,1,2,2] pads=[1,1,1,1]" NCHW "-> f32[-1,64,-1,112]@NCHW",
        "f32[1,1,3,3]{1,2,3,4,5,6,7,8,9}, f32[1,1,2,2]{1,0,0,1} strides=[1,1,1,1] pads=[0,0,0,0]" NCHW
        "-> f32[1,1,2,2]{6,8,12,14}@NCHW",
        "f32[1,1,2,2]{1,2,3,4}, f32[1,1,3,3]{1,2,3,4,5,6,7,8,9}, f32[1]{0.5} strides=[1,1,1,1]"
        " pads=[1,1,1,1]" NCHW
        "-> f32[1,1,2,2]{77.5,67.5,47.5,37.5}@NCHW",
        "f32[1,2,2,1]{1,2,3,4}, f32[3,3,1,2]{1,10,2,20,3,30,4,40,5,50,6,60,7,70,8,80,9,90} strides=[1,1,1,1] "
        "pads=[1,1,1,1] -> f32[1,2,2,2]{77,770,67,670,47,470,37,370}@NHWC",
        "f32[1,2,1,2]{1,2,3,4}, f32[2,1,1,1]{10,100}, f32[2]{1,2} strides=[1,1,1,1] pads=[0,0,0,0]"
        " groups=2" NCHW
        "-> f32[1,2,1,2]{11,21,302,402}@NCHW",
        "f32[1,1,1,4]{1,2,3,4}, f32[1,1,1,2]{1,10} strides=[1,1,1,2] pads=[0,0,0,0] pad_mode=\"SAME_UPPER\" "
        "dilations=[1,1,1,2]" NCHW "-> f32[1,1,1,2]{31,3}@NCHW",
        "f32[1,1,1,4]{1,2,3,4}, f32[1,1,1,2]{1,10} strides=[1,1,1,1] pads=[0,0,0,0]"
        " pad_mode=\"SAME_LOWER\"" NCHW
        "-> f32[1,1,1,4]{10,21,32,43}@NCHW",
        "i8[1,1,1,2]{127,127}, i8[1,1,1,2]{127,127}, i32[1]{-1} strides=[1,1,1,1] pads=[0,0,0,0]" NCHW
        "-> i32[1,1,1,1]{32257}@NCHW",
        "f32[0,1,4,4], f32[2,1,3,3] strides=[1,1,1,1] pads=[0,0,0,0]" NCHW "-> f32[0,2,2,2]@NCHW",
        "f32[1,0,2,2]{}, f32[1,0,1,1]{}, f32[1]{3} strides=[1,1,1,1] pads=[0,0,0,0]" NCHW
        "-> f32[1,1,2,2]{3,3,3,3}@NCHW",
        "f32[1,3,8,8], f32[4,4,3,3] strides=[1,1,1,1] pads=[0,0,0,0]" NCHW
        "!! E_SHAPE 4 input channels in 1 groups",
        "f32[1,3,8,8], f32[4,3,3,3] strides=[1,1,0,1] pads=[0,0,0,0]" NCHW
        "!! E_RANGE strides values must be >= 1, got 0",
        "f32[1,3,8,8], f32[4,3,3,3] strides=[1,1,1,1] pads=[0,-1,0,0]" NCHW
        "!! E_RANGE pads values must be non-negative",
        "f32[1,1,1,8], f32[1,1,3,3] strides=[1,1,1,1] pads=[0,0,0,0]" NCHW "!! E_SHAPE give -1 outputs",
        "f32[1,3,8], f32[4,3,3,3] strides=[1,1,1,1] pads=[0,0,0,0]" NCHW "!! E_SHAPE expected rank 4, got 3",
        "f32[1,4,8,8], f32[3,2,1,1] strides=[1,1,1,1] pads=[0,0,0,0] groups=2" NCHW
        "!! E_SHAPE into 2 groups",
        "f32[1,1,8,8], f32[4,1,1,1], f32[3] strides=[1,1,1,1] pads=[0,0,0,0]" NCHW
        "!! E_SHAPE 4 and 3 differ",
        "f32[1,1,8,8], f32[4,1,1,1] strides=[1,2,1,1] pads=[0,0,0,0]" NCHW
        "!! E_UNSUPPORTED batch and channel are 1 and 2",
        "f32[1,1,8,8], f16[4,1,1,1] strides=[1,1,1,1] pads=[0,0,0,0]" NCHW "!! E_DTYPE input 'filter'"),
#undef NCHW
};
// SPDX-License-Identifier: Apache-2.0
