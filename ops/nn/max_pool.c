// ops/nn/max_pool.c - y = the largest element of each window, SAME or VALID padding.   AscendIR MaxPool.
// Padding never wins; NaN does. ksize and strides have 4 values in data_format order, or 2 (height, width).
#include "pool.h"

enum { KSIZE, STRIDES, PADDING, DATA_FORMAT };
static const weft_pool_slots SLOTS = {KSIZE, STRIDES, PADDING, -1, DATA_FORMAT, -1, -1, -1};

static weft_status max_pool_infer(weft_infer *it) {
  const weft_shape *x = it->in[0];
  if (!weft_shape_is_unknown_rank(x)) {
    if (x->rank != 4)
      return weft_fail(it->d, WEFT_E_SHAPE, "Expected 4D input, got %zuD", x->rank);
    return weft__pool_infer(it, &SLOTS);
  }
  return weft__unknown_dims(it, 0, 4);
}

static weft_status max_pool_ref(const weft_call *c) {
  return weft__pooling_run(c, &SLOTS, weft__pool_max);
}

WEFT_OP(max_pool) = {
    WEFT_OP_HEAD,
    .name = "MaxPool",
    .summary = "the largest element of each window",
    .in = PORTS({"x", "T"}),
    .out = PORTS({"y", "T"}),
    .types = TYPES({"T", WEFT_DT(FLOAT16) | WEFT_DT(FLOAT) | WEFT_DT(DOUBLE) | WEFT_DT(INT8) |
                             WEFT_DT(INT16) | WEFT_DT(INT32) | WEFT_DT(INT64) | WEFT_DT(UINT8) |
                             WEFT_DT(UINT16) | WEFT_DT(QINT8) | WEFT_DT(BF16)}),
    .attrs = ATTRS({"ksize", "ListInt", NULL, "count 2,4;each min 1"},
                   {"strides", "ListInt", NULL, "count 2,4;each min 1"},
                   {"padding", "String", NULL, "one of SAME|VALID"},
                   {"data_format", "String", "\"NHWC\"", "one of NHWC|NCHW"}),
    .traits = WEFT_SYMBOLIC | WEFT_MONOTONE,
    .infer = max_pool_infer,
    .ref = max_pool_ref,
    .examples = WEFT_EXAMPLES(
        "f32[1,64,112,112] ksize=[1,1,2,2] strides=[1,1,2,2] padding=\"SAME\" data_format=\"NCHW\""
        " -> f32[1,64,56,56]@NCHW",
        "f32[1,64,112,112] ksize=[2,2] strides=[2,2] padding=\"VALID\" data_format=\"NCHW\""
        " -> f32[1,64,56,56]@NCHW",
        "f32[1,7,7,2] ksize=[3,3] strides=[2,2] padding=\"SAME\" -> f32[1,4,4,2]@NHWC",
        "f32[1,7,7,2] ksize=[3,3] strides=[2,2] padding=\"VALID\" -> f32[1,3,3,2]@NHWC",
        "f32[1,224,224,3] ksize=[1,3,3,1] strides=[1,2,2,1] padding=\"SAME\" -> f32[1,112,112,3]@NHWC",
        "f32[1,224,224,3] ksize=[1,3,3,1] strides=[1,2,2,1] padding=\"VALID\" -> f32[1,111,111,3]@NHWC",
        "f32[-1,-1,7,3] ksize=[2,2] strides=[2,2] padding=\"VALID\" -> f32[-1,-1,3,3]@NHWC",
        "f32[1,2,2,2]{1,8,2,7,3,6,4,5} ksize=[2,2] strides=[1,1] padding=\"VALID\" -> f32[1,1,1,2]{4,8}@NHWC",
        "f32[1,1,3,3]{1,2,3,4,5,6,7,8,nan} ksize=[2,2] strides=[2,2] padding=\"SAME\" data_format=\"NCHW\""
        " -> f32[1,1,2,2]{5,6,8,nan}@NCHW",
        "i8[1,2,1,1]{-128,-127} ksize=[2,1] strides=[1,1] padding=\"SAME\" -> i8[1,2,1,1]{-127,-127}@NHWC",
        "f32[0,4,4,3] ksize=[2,2] strides=[2,2] padding=\"VALID\" -> f32[0,2,2,3]@NHWC",
        "f32[3,224,224] ksize=[2,2] strides=[2,2] padding=\"SAME\" !! E_SHAPE Expected 4D input, got 3D",
        "f32[1,4,4,1] ksize=[2,2] strides=[2,2] padding=\"FOO\" !! E_RANGE Invalid padding: FOO",
        "f32[1,4,4,1] ksize=[2,2] strides=[0,2] padding=\"SAME\""
        " !! E_RANGE strides values must be >= 1, got 0",
        "f32[1,4,4,1] ksize=[2] strides=[2,2] padding=\"SAME\" !! E_RANGE ksize must have",
        "f32[1,4,4,1] ksize=[2,2,1,1] strides=[2,2] padding=\"SAME\""
        " !! E_UNSUPPORTED batch and channel are 2 and 1",
        "f32[1,1,4,1] ksize=[4,4] strides=[2,2] padding=\"VALID\" !! E_SHAPE give -1 outputs"),
};
// SPDX-License-Identifier: Apache-2.0
