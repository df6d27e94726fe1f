// quant_16.h - rows between floats and 16-bit integers, for each instruction set.
#pragma once
#include "cpu/simd/isa.h"

typedef struct weft__quant_16_ops {
  void (*to_int16)(const float *x, int16_t *y, size_t n, float scale, int32_t zero);
  void (*to_uint16)(const float *x, uint16_t *y, size_t n, float scale, int32_t zero);
  void (*from_int16)(const int16_t *x, float *y, size_t n, float scale, int32_t zero);
  void (*from_uint16)(const uint16_t *x, float *y, size_t n, float scale, int32_t zero);
} weft__quant_16_ops;
extern const weft__quant_16_ops weft__quant_16_plain, weft__quant_16_avx2, weft__quant_16_avx512;
const weft__quant_16_ops *weft__quant_16_find(const weft_host *host);  // of this machine
// SPDX-License-Identifier: Apache-2.0
