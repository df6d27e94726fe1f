// norm_rows.h - scaling of rows and local response normalisation, for the instruction set that this is
// compiled for.
#include <math.h>

#include "cpu/simd/vector_math.h"

// `mean` may have no float near it: `rest` is what the float leaves.
static void normalise(const float *x, float *y, size_t n, float mean, float rest, float scale,
                      const float *gamma, const float *beta) {
  if (gamma && beta) {
    WEFT_LOOP(size_t i = 0; i < n; i++)
      y[i] = WEFT_FMA((x[i] - mean - rest) * scale, gamma[i], beta[i]);
  } else if (gamma) {
    WEFT_LOOP(size_t i = 0; i < n; i++)
      y[i] = (x[i] - mean - rest) * scale * gamma[i];
  } else {
    WEFT_LOOP(size_t i = 0; i < n; i++)
      y[i] = (x[i] - mean - rest) * scale;
    for (size_t i = 0; beta && i < n; i++)
      y[i] += beta[i];
  }
}
static void affine(const float *x, float *y, size_t n, float mean, float scale, float shift) {
  WEFT_LOOP(size_t i = 0; i < n; i++)
    y[i] = WEFT_FMA(x[i] - mean, scale, shift);
}
static void affine_by(const float *x, float *y, size_t n, const float *mean, const float *scale,
                      const float *shift) {
  WEFT_LOOP(size_t i = 0; i < n; i++)
    y[i] = WEFT_FMA(x[i] - mean[i], scale[i], shift[i]);
}

// y = x / (bias + alpha * sum of the squares of the channels around)^beta over n pixels (at most 256) of all
// channels, `step` from channel to channel.
static void lrn(const float *x, float *y, size_t channels, size_t step, size_t n, size_t before, size_t after,
                float alpha, float beta, float bias) {
  float s[256];
  for (size_t c = 0; c < channels; c++) {
    const size_t first = c < before ? 0 : c - before;
    const size_t last = channels - c <= after ? channels - 1 : c + after;
    const float *v = x + first * step;
    WEFT_LOOP(size_t i = 0; i < n; i++)
      s[i] = v[i] * v[i];
    for (size_t k = first + 1; k <= last; k++) {
      v += step;
      WEFT_LOOP(size_t i = 0; i < n; i++)
        s[i] = WEFT_FMA(v[i], v[i], s[i]);
    }
    const float *u = x + c * step;
    float *w = y + c * step;
    if (beta == 0.75f) {
      WEFT_LOOP(size_t i = 0; i < n; i++) {
        const float r = __builtin_sqrtf(WEFT_FMA(s[i], alpha, bias));
        w[i] = u[i] / (r * __builtin_sqrtf(r));
      }
    } else if (beta == 0.5f) {
      WEFT_LOOP(size_t i = 0; i < n; i++)
        w[i] = u[i] / __builtin_sqrtf(WEFT_FMA(s[i], alpha, bias));
    } else {
      for (size_t i = 0; i < n; i++)
        w[i] = (float)((double)u[i] / pow((double)bias + (double)alpha * (double)s[i], (double)beta));
    }
  }
}
// SPDX-License-Identifier: Apache-2.0
