// quant_sum.h - sums of products of 8-bit integers less their zero points, and what becomes of them: shared
// by ConvInteger and MatMulInteger. Sums are int32 and wrap. With a scale the result is
//   saturate(round(float(sum) * scale) + y_zero), halves to even, in float arithmetic, then cut to `range`;
// a product that is NaN counts as 0. Layer: ops.
#pragma once
#include "op.h"

enum {  // input ports of both operators
  WEFT_SUM_X,
  WEFT_SUM_W,
  WEFT_SUM_BIAS,
  WEFT_SUM_X_ZERO,
  WEFT_SUM_W_ZERO,
  WEFT_SUM_SCALE,
  WEFT_SUM_Y_ZERO
};
#define WEFT_SUM_BYTES (WEFT_DT(INT8) | WEFT_DT(UINT8))
#define WEFT_SUM_PORTS                                                                                   \
  {"x", NULL, WEFT_SUM_BYTES}, {"w", NULL, WEFT_SUM_BYTES},                                              \
      {"bias", NULL, WEFT_DT(INT32), .kind = WEFT_OPTIONAL},                                             \
      {"x_zero", NULL, WEFT_SUM_BYTES, .kind = WEFT_OPTIONAL},                                           \
      {"w_zero", NULL, WEFT_SUM_BYTES, .kind = WEFT_OPTIONAL},                                           \
      {"scale", NULL, WEFT_DT(FLOAT), .kind = WEFT_OPTIONAL}, {                                          \
    "y_zero", NULL, WEFT_SUM_BYTES, .kind = WEFT_OPTIONAL                                                \
  }
#define WEFT_SUM_RANGE                \
  {                                   \
    "range", "ListInt", "{}", "count 0,2" \
  }

// After the shapes: checks zero points and scale against the channels (the last axis, or axis 1), sets the
// dtype of y.
weft_status weft__sum_infer(weft_infer *it, bool last, uint32_t range_slot);
// Runs `sums` (a reference kernel of integers with inputs x, w, bias) on what is left of the zero points.
weft_status weft__sum_run(const weft_call *c, bool last, uint32_t range_slot,
                          weft_status (*sums)(const weft_call *c));
// SPDX-License-Identifier: Apache-2.0
