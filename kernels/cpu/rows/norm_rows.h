// norm_rows.h - scaling of rows and local response normalisation, for the instruction set that this is
// compiled for.
#include <math.h>

#include "cpu/simd/vector_math.h"

static void normalise(const float *x, float *y, size_t n, const weft__norm_by *by) {
  const float mean = by->mean;
  const float rest = by->rest;
  const float scale = by->scale;
  const float *gamma = by->gamma;
  const float *beta = by->beta;
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

// s[i] = the sum of the squares of pixel i of `channels` channels, `step` from channel to channel.
static void sum_channel_squares(const float *v, size_t channels, size_t step, size_t n, float *s) {
  WEFT_LOOP(size_t i = 0; i < n; i++)
    s[i] = v[i] * v[i];
  for (size_t k = 1; k < channels; k++) {
    v += step;
    WEFT_LOOP(size_t i = 0; i < n; i++)
      s[i] = WEFT_FMA(v[i], v[i], s[i]);
  }
}

// Powers 0.75 and 0.5 are made by roots.
static void divide_by_power(const float *x, const float *s, float *y, size_t n, const weft__lrn_window *w) {
  const float alpha = w->alpha;
  const float beta = w->beta;
  const float bias = w->bias;
  if (beta == 0.75f) {
    WEFT_LOOP(size_t i = 0; i < n; i++) {
      const float r = __builtin_sqrtf(WEFT_FMA(s[i], alpha, bias));
      y[i] = x[i] / (r * __builtin_sqrtf(r));
    }
  } else if (beta == 0.5f) {
    WEFT_LOOP(size_t i = 0; i < n; i++)
      y[i] = x[i] / __builtin_sqrtf(WEFT_FMA(s[i], alpha, bias));
  } else {
    for (size_t i = 0; i < n; i++)
      y[i] = (float)((double)x[i] / pow((double)bias + (double)alpha * (double)s[i], (double)beta));
  }
}

static void lrn(const float *x, float *y, size_t channels, size_t step, size_t n, const weft__lrn_window *w) {
  float s[256];
  for (size_t c = 0; c < channels; c++) {
    const size_t first = c < w->before ? 0 : c - w->before;
    const size_t last = channels - c <= w->after ? channels - 1 : c + w->after;
    sum_channel_squares(x + first * step, last - first + 1, step, n, s);
    divide_by_power(x + c * step, s, y + c * step, n, w);
  }
}
// SPDX-License-Identifier: Apache-2.0
