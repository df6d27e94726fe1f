// softmax_rows.h - softmax of rows, and of columns side by side, for the instruction set that this is
// compiled for. The largest number is taken off first; exp of what is more than 87 below it may be 0.
#include "cpu/vector_math.h"

WEFT_INLINE float exp_below(float x) {
  float e = weft__exp_flush(x);
  return x < -87.0f ? 0.0f : e;
}

#ifdef __AVX512F__
// y = e^(x - top) of a row, and the sum, in lanes of floats for at most 512 numbers.
WEFT_INLINE double exp_row(const float *x, float *y, size_t n, float top) {
  double s = 0;
  const f16 t = SET16(top);
  for (size_t at = 0; at < n; at += 512) {
    const size_t m = n - at < 512 ? n - at : 512;
    f16 p = _mm512_setzero_ps(), q = p;
    size_t i = 0;
    for (; i + 32 <= m; i += 32) {
      f16 a = _mm512_sub_ps(_mm512_loadu_ps(x + at + i), t),
          b = _mm512_sub_ps(_mm512_loadu_ps(x + at + i + 16), t);
      a = exp16(a), b = exp16(b);
      _mm512_storeu_ps(y + at + i, a), _mm512_storeu_ps(y + at + i + 16, b);
      p = _mm512_add_ps(p, a), q = _mm512_add_ps(q, b);
    }
    for (; i < m; i += 16) {
      const __mmask16 k = first_of(m - i);
      f16 a = _mm512_maskz_mov_ps(k, exp16(_mm512_sub_ps(_mm512_maskz_loadu_ps(k, x + at + i), t)));
      _mm512_mask_storeu_ps(y + at + i, k, a);
      p = _mm512_add_ps(p, a);
    }
    s += (double)_mm512_reduce_add_ps(_mm512_add_ps(p, q));
  }
  return s;
}
WEFT_INLINE float top_of(const float *x,
                         size_t n) {  // NaN may get lost: it comes back as its own exponential
  f16 p = SET16(-__builtin_inff());
  size_t i = 0;
  for (; i + 16 <= n; i += 16) p = _mm512_max_ps(_mm512_loadu_ps(x + i), p);
  if (i < n) p = _mm512_max_ps(_mm512_mask_loadu_ps(p, first_of(n - i), x + i), p);
  return _mm512_reduce_max_ps(p);
}
#else
WEFT_INLINE double exp_row(const float *x, float *y, size_t n, float top) {
  WEFT_LOOP(size_t i = 0; i < n; i++) y[i] = exp_below(x[i] - top);
  return sum(y, n);
}
#define top_of max_row
#endif

static void softmax(const float *x, float *y, size_t n, bool log_of) {
  const float top = top_of(x, n);
  if (log_of) {
    double s = 0;
    for (size_t at = 0; at < n; at += 256) {  // the exponentials are not kept
      float e[256];
      const size_t m = n - at < 256 ? n - at : 256;
      s += exp_row(x + at, e, m, top);
    }
    const double less = log(s);
    WEFT_LOOP(size_t i = 0; i < n; i++) y[i] = (float)((double)x[i] - (double)top - less);
    return;
  }
  const float by = (float)(1 / exp_row(x, y, n, top));
  WEFT_LOOP(size_t i = 0; i < n; i++) y[i] *= by;
}

static void softmax_columns(const float *x, float *y, size_t n, size_t lanes, size_t step, bool log_of,
                            float *max, float *total_of) {
  memcpy(max, x, n * sizeof *max);
  for (size_t k = 1; k < lanes; k++) max_into(x + k * step, max, n);
  for (size_t i = 0; i < n; i++) total_of[i] = 0;
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
    WEFT_LOOP(size_t i = 0; i < n; i++) total_of[i] = weft__logf(total_of[i]);
  } else {
    WEFT_LOOP(size_t i = 0; i < n; i++) total_of[i] = 1.0f / total_of[i];
  }
  for (size_t k = 0; k < lanes; k++) {
    float *b = y + k * step;
    if (log_of) {
      WEFT_LOOP(size_t i = 0; i < n; i++) b[i] -= total_of[i];
    } else {
      WEFT_LOOP(size_t i = 0; i < n; i++) b[i] *= total_of[i];
    }
  }
}
