// ops/nn/max_pool_v3.c - y = the largest element of each window.   AscendIR MaxPoolV3, ONNX MaxPool-12 (first
// output). Padding never wins, NaN does; a window without an element gives -inf or the least integer. pads is
// begin and end of each spatial axis in turn. weft: dilations, SAME_UPPER and SAME_LOWER, and tensors with 1
// or 3 spatial axes, for which "NCHW" says channels first and "NHWC" channels last.
#include "pool.h"

enum { KSIZE, STRIDES, PADDING_MODE, PADS, DATA_FORMAT, GLOBAL_POOLING, CEIL_MODE, DILATIONS };
static const weft_pool_slots SLOTS = {KSIZE,       STRIDES,        PADDING_MODE, PADS,
                                      DATA_FORMAT, GLOBAL_POOLING, CEIL_MODE,    DILATIONS};

static weft_status max_pool_v3_infer(weft_infer *it) {
  WEFT_TRY(weft__expect_rank(it, 0, 3, 5));
  return weft__pool_infer(it, &SLOTS);
}

static weft_status max_pool_v3_ref(const weft_call *c) {
  return weft__pooling_run(c, &SLOTS, weft__pool_max);
}

WEFT_OP(max_pool_v3) = {
    WEFT_OP_HEAD,
    .name = "MaxPoolV3",
    .summary = "the largest element of each window",
    .in = PORTS({"x", "T"}),
    .out = PORTS({"y", "T"}),
    .types = TYPES({"T", WEFT_DT(FLOAT16) | WEFT_DT(BF16) | WEFT_DT(FLOAT) | WEFT_DT(DOUBLE) |
                             WEFT_DT(INT32) | WEFT_DT(INT64) | WEFT_DT(UINT8) | WEFT_DT(INT16) |
                             WEFT_DT(INT8) | WEFT_DT(UINT16) | WEFT_DT(QINT8)}),
    .attrs = ATTRS({"ksize", "ListInt", NULL, "each min 1"}, {"strides", "ListInt", NULL, "each min 1"},
                   {"padding_mode", "String", "\"CALCULATED\"",
                    "one of CALCULATED|SAME|VALID|SAME_UPPER|SAME_LOWER"},
                   {"pads", "ListInt", "{0, 0, 0, 0}", "each min 0"},
                   {"data_format", "String", "\"NCHW\"", "one of NCHW|NHWC|NCDHW|NDHWC|NCL|NLC"},
                   {"global_pooling", "Bool", "false"}, {"ceil_mode", "Bool", "false"},
                   {"dilations", "ListInt", "{}", "each min 1", .ext = 1}),
    .traits = WEFT_SYMBOLIC | WEFT_MONOTONE,
    .infer = max_pool_v3_infer,
    .ref = max_pool_v3_ref,
    .examples = WEFT_EXAMPLES(
        "f32[1,64,112,112] ksize=[1,1,2,2] strides=[1,1,2,2] -> f32[1,64,56,56]@NCHW",
        "f32[1,64,112,112] ksize=[3,3] strides=[2,2] pads=[1,1,1,1] -> f32[1,64,56,56]@NCHW",
        "f32[-1,8,-1,7] ksize=[3,3] strides=[2,2] ceil_mode=true -> f32[-1,8,-1,3]@NCHW",
        "f32[1,1,4,4]{0..} ksize=[3,3] strides=[2,2] -> f32[1,1,1,1]{10}@NCHW",
        "f32[1,1,4,4]{0..} ksize=[3,3] strides=[2,2] ceil_mode=true -> f32[1,1,2,2]{10,11,14,15}@NCHW",
        "f32[1,1,4]{1,3,2,4} ksize=[1] strides=[2] pads=[1,1] ceil_mode=true -> f32[1,1,3]{-inf,3,4}",
        "f32[1,1,4]{1,3,2,4} ksize=[2] strides=[1] dilations=[2] -> f32[1,1,2]{2,4}",
        "f32[1,1,3]{1,nan,2} ksize=[2] strides=[2] padding_mode=\"SAME_LOWER\" -> f32[1,1,2]{1,nan}",
        "f32[1,1,3]{1,nan,2} ksize=[2] strides=[2] padding_mode=\"SAME\" -> f32[1,1,2]{nan,2}",
        "i32[1,2,2,2]{1,8,2,7,3,6,4,5} ksize=[1,1,1,1] strides=[1,1,1,1] data_format=\"NHWC\""
        " global_pooling=true"
        " -> i32[1,1,1,2]{4,8}@NHWC",
        "u8[1,1,1,2,2]{1,2,3,4} ksize=[1,2,1] strides=[1,1,1] -> u8[1,1,1,1,2]{3,4}",
        "i8[1,1,1,1]{5} ksize=[1,1] strides=[1,1] pads=[0,0,0,1] -> i8[1,1,1,2]{5,-128}@NCHW",
        "f16[0,3,4,4] ksize=[2,2] strides=[2,2] -> f16[0,3,2,2]@NCHW",
        "f32[4,4] ksize=[2,2] strides=[2,2] !! E_SHAPE expected rank 3 to 5, got 2",
        "f32[1,1,4,4] ksize=[2,2,2] strides=[2,2]"
        " !! E_INVALID attribute 'ksize': expected 2 or 4 values, got 3",
        "f32[1,1,4,4] ksize=[2,2] strides=[2,2] pads=[1,0] -> f32[1,1,3,2]",
        "f32[1,1,4,4] ksize=[2,2] strides=[2,2] pads=[1,1,1] !! E_INVALID attribute 'pads': expected 2 or 4",
        "f32[1,1,4,4] ksize=[2,2] strides=[2,2] padding_mode=\"FULL\" !! E_RANGE Invalid padding_mode: FULL",
        "f32[1,1,1,4] ksize=[4,4] strides=[2,2] !! E_SHAPE axis 2 of input 'x'",
        "f32[1,1,4,4] ksize=[4611686018427387904,2] strides=[1,1] dilations=[4,1] !! E_OVERFLOW"),
};
// SPDX-License-Identifier: Apache-2.0
