// fixed_rows.h - rows of sums scaled by multipliers of whole numbers (FixedRequant), for each instruction
// set. With a multiplier m that is not negative and no shift to the left, rounding twice is one shift:
//   (x * m + half) >> right, half = 2^(right - 1), 2^30 more for x not below 0, 2^30 less below,
// because the second rounding only asks on which side of (k + 1/2) * 2^(right - 31), less or more half a
// unit of the first one, the product lies. Rounding once is the same without the 2^30.
#pragma once
#include "cpu/simd/isa.h"

typedef struct weft__fixed_by {
  int32_t multiplier;  // not negative
  uint32_t right;      // 1 to 62
  int64_t half, less;  // added to the product; taken away where x is below 0
  int32_t zero, low, high;
} weft__fixed_by;
typedef struct weft__fixed_ops {
  void (*to_int8)(const int32_t *x, size_t n, const weft__fixed_by *by, int8_t *y);
  void (*to_int16)(const int32_t *x, size_t n, const weft__fixed_by *by, int16_t *y);
  void (*to_int32)(const int32_t *x, size_t n, const weft__fixed_by *by, int32_t *y);
} weft__fixed_ops;
extern const weft__fixed_ops weft__fixed_plain, weft__fixed_avx2, weft__fixed_avx512;
const weft__fixed_ops *weft__fixed_find(const weft_host *host);  // of this machine
// SPDX-License-Identifier: Apache-2.0
