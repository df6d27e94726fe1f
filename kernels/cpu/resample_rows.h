// resample_rows.h - numbers that are weighted sums of others, rows of them or one by one, for the instruction
// set that this is compiled for. A piece of a row stays in registers over all rows that it is made of.
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

static void gathered(const float *x, const weft__gathered *g, float *y, size_t n, bool more) {
  float s[WEFT__GATHERED];
  WEFT_LOOP(size_t i = 0; i < n; i++) s[i] = more ? y[i] : 0;
  for (size_t t = 0; t < g->taps; t++) {
    const uint32_t *at = g->at[t];
    const float *w = g->w[t];
    WEFT_LOOP(size_t i = 0; i < n; i++) s[i] += w[i] != 0 ? w[i] * x[at[i]] : 0;
  }
  WEFT_LOOP(size_t i = 0; i < n; i++) y[i] = s[i];
}
static void gathered_most(const float *x, const weft__gathered *g, float *y, size_t n, bool more) {
  float s[WEFT__GATHERED];
  WEFT_LOOP(size_t i = 0; i < n; i++) s[i] = more ? y[i] : -__builtin_inff();
  for (size_t t = 0; t < g->taps; t++) {
    const uint32_t *at = g->at[t];
    const float *w = g->w[t];
    WEFT_LOOP(size_t i = 0; i < n; i++) {
      const float v = w[i] != 0 ? w[i] * x[at[i]] : 0;
      s[i] = (v > s[i]) | ((v != v) & (s[i] == s[i])) ? v : s[i];
    }
  }
  WEFT_LOOP(size_t i = 0; i < n; i++) y[i] = s[i];
}
