// quantised.h - scales and zero points as the passes of quantised operators see them.
#pragma once
#include "pass/match.h"

// A QuantizeLinear or DequantizeLinear between f32 and bytes with constant parameters.
typedef struct weft__quantised {
  weft_node *node;
  weft_value *bytes, *number;  // x and y, or y and x
  weft_value *zero;            // NULL: none, which is 0
  const weft_tensor *scales, *zeros;
  weft_dtype dtype;  // of the bytes
  size_t n;          // scales: one for all, or one for each place of the axis
  int64_t axis;      // not negative where n is not 1
} weft__quantised;
// Is n one of that kind (WEFT_K_QUANTIZE_LINEAR, WEFT_K_DEQUANTIZE_LINEAR)? Scales are normal numbers above
// 0 and small enough that no byte becomes infinite: a byte that is made a number and back is the same.
bool weft__quantised_read(const weft_pass_run *r, weft_node *n, int kind, weft__quantised *out);
static inline float weft__quantised_scale(const weft__quantised *q, size_t i) {
  return (float)weft_load_f64(WEFT_FLOAT, q->scales->data, q->n == 1 ? 0 : i);
}
static inline int32_t weft__quantised_zero(const weft__quantised *q, size_t i) {
  if (!q->zeros)
    return 0;
  return (int32_t)weft_load_i64(q->dtype, q->zeros->data, q->n == 1 ? 0 : i);
}
// One scale and zero point each, and the same ones?
bool weft__quantised_equal(const weft__quantised *a, const weft__quantised *b);
// SPDX-License-Identifier: Apache-2.0
