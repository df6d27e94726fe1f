// resample_rows.h - rows that are weighted sums of other rows, for the instruction set that this is compiled
// for. A piece of a row stays in registers over all rows that it is made of.
#include "cpu/vector_math.h"

enum { RESAMPLED = 4 };  // vectors of a piece
WEFT_INLINE void resample_piece(const float *x, size_t row, const uint32_t *at, const float *w, size_t taps,
                                float *y, size_t vectors) {
  vf s[RESAMPLED], v;
  for (size_t k = 0; k < vectors; k++) {
    memcpy(&v, x + at[0] * row + k * 8, sizeof v);
    s[k] = v * w[0];
  }
  for (size_t t = 1; t < taps; t++)
    for (size_t k = 0; k < vectors; k++) {
      memcpy(&v, x + at[t] * row + k * 8, sizeof v);
      s[k] += v * w[t];
    }
  for (size_t k = 0; k < vectors; k++) memcpy(y + k * 8, &s[k], sizeof s[k]);
}

static void resample(const weft__resampled *r, size_t first, size_t last, const float *x, float *y) {
  const size_t row = r->row, n = r->n;
  for (size_t o = first; o < last; o++, y += row) {
    const uint32_t *at = r->at + o * r->taps_max;
    const float *w = r->w + o * r->taps_max;
    const size_t taps = r->taps[o];
    size_t i = 0;
    for (; i + 8 * RESAMPLED <= n; i += 8 * RESAMPLED)
      resample_piece(x + i, row, at, w, taps, y + i, RESAMPLED);
    for (; i + 8 <= n; i += 8) resample_piece(x + i, row, at, w, taps, y + i, 1);
    for (; i < n; i++) {
      float s = x[at[0] * row + i] * w[0];
      for (size_t t = 1; t < taps; t++) s += x[at[t] * row + i] * w[t];
      y[i] = s;
    }
  }
}
