// ops/nn/avg_pool_v2.c - y = the mean of each window.   AscendIR AvgPoolV2, ONNX AveragePool-19 and
// GlobalAveragePool-1. exclusive divides by the elements inside the input, otherwise those in the padding
// count too (but not what lies beyond it in ceil mode); divisor_override > 0 divides by itself. A window
// without an element gives 0. NaN stays. weft: dilations, SAME_UPPER and SAME_LOWER, and 1 or 3 spatial axes
// as in MaxPoolV3.
#include "pool.h"

enum {
  KSIZE,
  STRIDES,
  PADDING_MODE,
  PADS,
  DATA_FORMAT,
  GLOBAL_POOLING,
  CEIL_MODE,
  EXCLUSIVE,
  DIVISOR_OVERRIDE,
  DILATIONS
};
static const weft_pool_slots SLOTS = {KSIZE,       STRIDES,        PADDING_MODE, PADS,
                                      DATA_FORMAT, GLOBAL_POOLING, CEIL_MODE,    DILATIONS};

static weft_status avg_pool_v2_infer(weft_infer *it) {
  WEFT_TRY(weft__expect_rank(it, 0, 3, 5));
  return weft__pool_infer(it, &SLOTS);
}

static void mean(const weft_call *c, const weft_pool_at *at, size_t out) {
  const weft_tensor *x = c->in[0];
  double sum = 0;
  for (size_t a = 0; a < at->count[0]; a++) {
    for (size_t b = 0; b < at->count[1]; b++) {
      size_t row = at->base + at->first[0] + a * at->step[0] + at->first[1] + b * at->step[1] + at->first[2];
      for (size_t e = 0; e < at->count[2]; e++)
        sum += weft_load_f64(x->dtype, x->data, row + e * at->step[2]);
    }
  }
  double inside = (double)at->count[0] * (double)at->count[1] * (double)at->count[2];
  double by = weft_node_bool(c->desc, EXCLUSIVE) ? inside : (double)at->padded;
  int64_t own = weft_node_int(c->desc, DIVISOR_OVERRIDE);
  if (own > 0)
    by = (double)own;
  weft_store_f64(x->dtype, c->out[0]->data, out, by > 0 && inside > 0 ? sum / by : 0);
}

static weft_status avg_pool_v2_ref(const weft_call *c) {
  return weft__pooling_run(c, &SLOTS, mean);
}

WEFT_OP(avg_pool_v2) = {
    WEFT_OP_HEAD,
    .name = "AvgPoolV2",
    .summary = "the mean of each window",
    .in = PORTS({"x", "T"}),
    .out = PORTS({"y", "T"}),
    .types = TYPES({"T", WEFT_FLOATS}),
    .attrs = ATTRS({"ksize", "ListInt", NULL, "each min 1"}, {"strides", "ListInt", NULL, "each min 1"},
                   {"padding_mode", "String", "\"CALCULATED\"",
                    "one of CALCULATED|SAME|VALID|SAME_UPPER|SAME_LOWER"},
                   {"pads", "ListInt", "{0, 0, 0, 0}", "each min 0"},
                   {"data_format", "String", "\"NCHW\"", "one of NCHW|NHWC|NCDHW|NDHWC|NCL|NLC"},
                   {"global_pooling", "Bool", "false"}, {"ceil_mode", "Bool", "false"},
                   {"exclusive", "Bool", "true"}, {"divisor_override", "Int", "0", "min 0"},
                   {"dilations", "ListInt", "{}", "each min 1", .ext = 1}),
    .traits = WEFT_SYMBOLIC | WEFT_MONOTONE,
    .infer = avg_pool_v2_infer,
    .ref = avg_pool_v2_ref,
    .examples = WEFT_EXAMPLES(
        "f32[1,1,2,2]{1,2,3,4} ksize=[2,2] strides=[1,1] pads=[1,0,1,0] -> f32[1,1,2,2]{1,1.5,2,2.5}@NCHW",
        "f32[1,1,2,2]{1,2,3,4} ksize=[2,2] strides=[1,1] pads=[1,0,1,0] exclusive=false"
        " -> f32[1,1,2,2]{0.25,0.75,1,2.5}@NCHW",
        "f32[1,1,2,2]{1,2,3,4} ksize=[2,2] strides=[1,1] divisor_override=5 -> f32[1,1,1,1]{2}@NCHW",
        "f32[1,1,4,4]{0..} ksize=[1,1,3,3] strides=[1,1,2,2] ceil_mode=true"
        " -> f32[1,1,2,2]{5,6.5,11,12.5}@NCHW",
        "f32[1,1,4]{1,2,3,4} ksize=[3] strides=[2] pads=[1,1] ceil_mode=true exclusive=false"
        " -> f32[1,1,3]{1,3,2}",
        "f32[1,1,4]{1,2,3,4} ksize=[2] strides=[1] dilations=[3] -> f32[1,1,1]{2.5}",
        "f32[1,1,1]{3} ksize=[1] strides=[1] pads=[1,0] -> f32[1,1,2]{0,3}",
        "f32[1,2,2,2]{1,8,2,7,3,6,4,5} ksize=[1,1,1,1] strides=[1,1,1,1] data_format=\"NHWC\""
        " global_pooling=true"
        " -> f32[1,1,1,2]{2.5,6.5}@NHWC",
        "f32[1,3,-1,8] ksize=[2,2] strides=[2,2] padding_mode=\"SAME\" -> f32[1,3,-1,4]@NCHW",
        "f16[2,0,4,4] ksize=[2,2] strides=[2,2] -> f16[2,0,2,2]@NCHW",
        "f32[4,4] ksize=[2,2] strides=[2,2] !! E_SHAPE expected rank 3 to 5, got 2",
        "f32[1,1,4,4] ksize=[2,2] strides=[0,2] !! E_RANGE strides values must be >= 1",
        "i32[1,1,4,4] ksize=[2,2] strides=[2,2] !! E_DTYPE input 'x'",
        "f32[1,1,2,4] ksize=[4,4] strides=[2,2] padding_mode=\"VALID\" !! E_SHAPE at least 1 is needed"),
};
// SPDX-License-Identifier: Apache-2.0
