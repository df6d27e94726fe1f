// fixed_requant.rule.h - the ports, attributes and arithmetic of FixedRequant, which kernels share.
#pragma once
#include "base/base.h"

enum { WEFT_FIXED_X, WEFT_FIXED_MULTIPLIER, WEFT_FIXED_SHIFT };
enum {
  WEFT_FIXED_AXIS,
  WEFT_FIXED_ZERO_POINT,
  WEFT_FIXED_LOW,
  WEFT_FIXED_HIGH,
  WEFT_FIXED_OUTPUT_DTYPE,
  WEFT_FIXED_TWICE
};

static inline int64_t weft__fixed_within(int64_t v, int64_t low, int64_t high) {
  return v < low ? low : v > high ? high : v;
}

static inline int64_t weft__fixed_twice(int64_t x, int64_t multiplier, int64_t shift) {
  int64_t left = shift > 0 ? shift : 0;
  int64_t right = shift > 0 ? 0 : -shift;
  int64_t shifted = (int32_t)(uint32_t)((uint64_t)x << left);
  int64_t high = (shifted * multiplier + (INT64_C(1) << 30)) >> 31;
  high = WEFT_MIN(high, INT32_MAX);
  return right ? (high + (INT64_C(1) << (right - 1)) - (high < 0)) >> right : high;
}

// (x * multiplier) / 2^right, halves up.
static inline int64_t weft__fixed_once(int64_t x, int64_t multiplier, int64_t right) {
  uint64_t product = (uint64_t)x * (uint64_t)multiplier + (UINT64_C(1) << (right - 1));
  return (int64_t)product >> right;
}

static inline int64_t weft__fixed_64(int64_t x, int64_t multiplier, int64_t shift) {
  int64_t reduced = multiplier < 0x7FFF0000 ? (multiplier + (1 << 15)) >> 16 : 0x7FFF;
  return weft__fixed_once(x, reduced, weft__fixed_within(15 - shift, 1, 62));
}
// SPDX-License-Identifier: Apache-2.0
