// softmax_rows.h - softmax of rows, and of columns side by side, for the instruction set that this is
// compiled for. The largest number is taken off first; exp of what is more than 87 below it may be 0.
#include <math.h>

#include "cpu/simd/vector_math.h"

WEFT_INLINE float exp_below(float x) {
  float e = weft__exp_flush(x);
  return x < -87.0f ? 0.0f : e;
}

#ifdef __AVX2__
#include "cpu/simd/vector_math_wide.h"
// y = e^(x - top) of a row, and the sum, in lanes of floats for at most 512 numbers.
WEFT_INLINE double exp_row(const float *x, float *y, size_t n, float top) {
  double s = 0;
  const wvec t = SETW(top);
  for (size_t at = 0; at < n; at += 512) {
    const size_t m = n - at < 512 ? n - at : 512;
    wvec p = SETW(0.0f);
    wvec q = p;
    size_t i = 0;
    for (; i + 2 * WIDE_FLOATS <= m; i += 2 * WIDE_FLOATS) {
      const wvec a = exp_flush_wide(load_wide(x + at + i) - t);
      const wvec b = exp_flush_wide(load_wide(x + at + i + WIDE_FLOATS) - t);
      store_wide(y + at + i, a);
      store_wide(y + at + i + WIDE_FLOATS, b);
      p = p + a;
      q = q + b;
    }
    for (; i < m; i += WIDE_FLOATS) {
      const wvec a = keep_first(exp_flush_wide(load_first(x + at + i, m - i) - t), m - i);
      store_first(y + at + i, a, m - i);
      p = p + a;
    }
    s += (double)total_wide(p + q);
  }
  return s;
}
WEFT_INLINE float top_of(const float *x,
                         size_t n) {  // NaN may get lost: it comes back as its own exponential
  wvec p = SETW(-__builtin_inff());
  size_t i = 0;
  for (; i + WIDE_FLOATS <= n; i += WIDE_FLOATS)
    p = max_wide(load_wide(x + i), p);
  if (i < n)
    p = max_wide(load_first_or(p, x + i, n - i), p);
  return largest_wide(p);
}
#else
WEFT_INLINE double exp_row(const float *x, float *y, size_t n, float top) {
  WEFT_LOOP(size_t i = 0; i < n; i++)
    y[i] = exp_below(x[i] - top);
  return sum(y, n);
}
#define top_of max_row
#endif

static void log_softmax_row(const float *x, float *y, size_t n) {
  const float top = top_of(x, n);
  double s = 0;
  for (size_t at = 0; at < n; at += 256) {  // the exponentials are not kept
    float e[256];
    const size_t m = n - at < 256 ? n - at : 256;
    s += exp_row(x + at, e, m, top);
  }
  const double less = log(s);
  WEFT_LOOP(size_t i = 0; i < n; i++)
    y[i] = (float)((double)x[i] - (double)top - less);
}
// Rows beside each other go through each step together, so that what ends a row does not wait for that of the
// one before; 2048 numbers or one row.
static void softmax(const float *x, float *y, size_t n, size_t rows, bool log_of) {
  enum { TOGETHER = 8 };
  const size_t room = n ? 2048 / n : 1;
  const size_t most = room < 1 ? 1 : room < TOGETHER ? room : TOGETHER;
  if (log_of) {
    for (size_t at = 0; at < rows; at++)
      log_softmax_row(x + at * n, y + at * n, n);
    return;
  }
  for (size_t at = 0; at < rows; at += most) {
    const size_t m = rows - at < most ? rows - at : most;
    float top[TOGETHER];
    float by[TOGETHER];
    for (size_t k = 0; k < m; k++)
      top[k] = top_of(x + (at + k) * n, n);
    for (size_t k = 0; k < m; k++)
      by[k] = (float)(1 / exp_row(x + (at + k) * n, y + (at + k) * n, n, top[k]));
    for (size_t k = 0; k < m; k++) {
      float *to = y + (at + k) * n;
      WEFT_LOOP(size_t i = 0; i < n; i++)
        to[i] *= by[k];
    }
  }
}

static void softmax_columns(const weft__softmax_columns *c, bool log_of) {
  const float *x = c->x;
  float *y = c->y;
  const size_t n = c->n;
  const size_t lanes = c->lanes;
  const size_t step = c->step;
  float *max = c->max;
  float *total_of = c->sum;
  memcpy(max, x, n * sizeof *max);
  for (size_t k = 1; k < lanes; k++)
    max_into(x + k * step, max, n);
  for (size_t i = 0; i < n; i++)
    total_of[i] = 0;
  for (size_t k = 0; k < lanes; k++) {
    const float *a = x + k * step;
    float *b = y + k * step;
    if (log_of) {
      WEFT_LOOP(size_t i = 0; i < n; i++) {
        const float d = a[i] - max[i];
        total_of[i] += exp_below(d);
        b[i] = d;
      }
    } else {
      WEFT_LOOP(size_t i = 0; i < n; i++) {
        const float e = exp_below(a[i] - max[i]);
        total_of[i] += e;
        b[i] = e;
      }
    }
  }
  if (log_of) {
    WEFT_LOOP(size_t i = 0; i < n; i++)
      total_of[i] = weft__logf(total_of[i]);
  } else {
    WEFT_LOOP(size_t i = 0; i < n; i++)
      total_of[i] = 1.0f / total_of[i];
  }
  for (size_t k = 0; k < lanes; k++) {
    float *b = y + k * step;
    if (log_of) {
      WEFT_LOOP(size_t i = 0; i < n; i++)
        b[i] -= total_of[i];
    } else {
      WEFT_LOOP(size_t i = 0; i < n; i++)
        b[i] *= total_of[i];
    }
  }
}
// SPDX-License-Identifier: Apache-2.0
