// quant_16_body.h - the rows of quant_16.h, compiled for one instruction set each; TABLE names the result.
// What the operators compute, bit for bit: the quotient is cut to what the integers hold before it is
// rounded, so that adding and taking away 1.5 * 2^23 rounds it, halves to even. NaN gives the zero point.
#include "cpu/quant/quant_16.h"

static inline int32_t quantised_16(float x, float scale, float low, float high) {
  const float magic = 12582912.0f;
  float q = x / scale;
  q = q == q ? q : 0;
  q = q < low ? low : q;
  q = q > high ? high : q;
  return (int32_t)((q + magic) - magic);
}

static void to_int16(const float *x, int16_t *y, size_t n, float scale, int32_t zero) {
  const float low = (float)(-32768 - zero);
  const float high = (float)(32767 - zero);
  for (size_t i = 0; i < n; i++)
    y[i] = (int16_t)(quantised_16(x[i], scale, low, high) + zero);
}
static void to_uint16(const float *x, uint16_t *y, size_t n, float scale, int32_t zero) {
  const float low = (float)-zero;
  const float high = (float)(65535 - zero);
  for (size_t i = 0; i < n; i++)
    y[i] = (uint16_t)(quantised_16(x[i], scale, low, high) + zero);
}
static void from_int16(const int16_t *x, float *y, size_t n, float scale, int32_t zero) {
  for (size_t i = 0; i < n; i++)
    y[i] = (float)(x[i] - zero) * scale;
}
static void from_uint16(const uint16_t *x, float *y, size_t n, float scale, int32_t zero) {
  for (size_t i = 0; i < n; i++)
    y[i] = (float)((int32_t)x[i] - zero) * scale;
}

const weft__quant_16_ops TABLE = {to_int16, to_uint16, from_int16, from_uint16};
// SPDX-License-Identifier: Apache-2.0
