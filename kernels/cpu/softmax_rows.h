// softmax_rows.h - softmax of rows, and of columns side by side, for the instruction set that this is
// compiled for. The largest number is taken off first, sums are in double; exp of what is more than 87 below
// it is 0.
#include "cpu/vector_math.h"

WEFT_INLINE float exp_below(float x) {
  float e = weft__exp_flush(x);
  return x < -87.0f ? 0.0f : e;
}

static void softmax(const float *x, float *y, size_t n, bool log_of) {
  const float top = max_row(x, n);
  if (log_of) {
    double s = 0;
    for (size_t at = 0; at < n; at += 256) {  // the exponentials are not kept
      float e[256];
      const size_t m = n - at < 256 ? n - at : 256;
      WEFT_LOOP(size_t i = 0; i < m; i++) e[i] = exp_below(x[at + i] - top);
      s += sum(e, m);
    }
    const double less = log(s);
    WEFT_LOOP(size_t i = 0; i < n; i++) y[i] = (float)((double)x[i] - (double)top - less);
    return;
  }
  WEFT_LOOP(size_t i = 0; i < n; i++) y[i] = exp_below(x[i] - top);
  const float by = (float)(1 / sum(y, n));
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
