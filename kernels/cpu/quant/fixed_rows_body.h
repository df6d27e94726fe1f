// fixed_rows_body.h - the rows of fixed_rows.h, compiled for one instruction set each; TABLE names the
// result. Products are below 2^62 in size: 2^62 is added, so that a shift without a sign does, and what is
// too much then is taken away.
#include "cpu/quant/fixed_rows.h"

static inline int32_t fixed_one(int32_t x, const weft__fixed_by *by, uint64_t half, int32_t much) {
  const uint64_t product = (uint64_t)((int64_t)x * by->multiplier) + half;
  const uint64_t sum = product - (x < 0 ? (uint64_t)by->less : 0);
  int32_t v = (int32_t)(uint32_t)((uint32_t)(sum >> by->right) - (uint32_t)much + (uint32_t)by->zero);
  v = v < by->low ? by->low : v;
  return v > by->high ? by->high : v;
}

#define FIXED_ROW(T, name)                                                                   \
  static void name(const int32_t *x, size_t n, const weft__fixed_by *given, T *restrict y) { \
    const weft__fixed_by by = *given;                                                        \
    const uint64_t half = (uint64_t)by.half + (UINT64_C(1) << 62);                           \
    const int32_t much = (int32_t)(uint32_t)((UINT64_C(1) << 62) >> by.right);               \
    for (size_t i = 0; i < n; i++)                                                           \
      y[i] = (T)fixed_one(x[i], &by, half, much);                                            \
  }
FIXED_ROW(int8_t, fixed_to_int8)
FIXED_ROW(int16_t, fixed_to_int16)
FIXED_ROW(int32_t, fixed_to_int32)

const weft__fixed_ops TABLE = {fixed_to_int8, fixed_to_int16, fixed_to_int32};
// SPDX-License-Identifier: Apache-2.0
