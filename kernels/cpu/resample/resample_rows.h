// resample_rows.h - numbers that are weighted sums of others, rows of them or one by one, for the instruction
// set that this is compiled for. A piece of a row stays in registers over all rows that it is made of.
#include "cpu/simd/vector_eight.h"
#include "cpu/simd/vector_math.h"

enum { RESAMPLED = 4 };  // vectors of a piece
WEFT_INLINE void resample_piece(const float *x, size_t row, const uint32_t *at, const float *w, size_t taps,
                                float *y, size_t vectors) {
  vf s[RESAMPLED];
  vf v;
  for (size_t k = 0; k < vectors; k++) {
    memcpy(&v, x + at[0] * row + k * 8, sizeof v);
    s[k] = v * w[0];
  }
  for (size_t t = 1; t < taps; t++) {
    for (size_t k = 0; k < vectors; k++) {
      memcpy(&v, x + at[t] * row + k * 8, sizeof v);
      s[k] += v * w[t];
    }
  }
  for (size_t k = 0; k < vectors; k++)
    memcpy(y + k * 8, &s[k], sizeof s[k]);
}

static void resample(const weft__resampled *r, size_t first, size_t last, const float *x, float *y) {
  const size_t row = r->row;
  const size_t n = r->n;
  for (size_t o = first; o < last; o++, y += row) {
    const uint32_t *at = r->at + o * r->taps_max;
    const float *w = r->w + o * r->taps_max;
    const size_t taps = r->taps[o];
    size_t i = 0;
    for (; i + 8 * RESAMPLED <= n; i += 8 * RESAMPLED)
      resample_piece(x + i, row, at, w, taps, y + i, RESAMPLED);
    for (; i + 8 <= n; i += 8)
      resample_piece(x + i, row, at, w, taps, y + i, 1);
    for (; i < n; i++) {
      float s = x[at[0] * row + i] * w[0];
      for (size_t t = 1; t < taps; t++)
        s += x[at[t] * row + i] * w[t];
      y[i] = s;
    }
  }
}

static void gathered(const float *x, const weft__gathered *g, float *y, size_t n, bool more) {
  float s[WEFT__GATHERED];
  WEFT_LOOP(size_t i = 0; i < n; i++)
    s[i] = more ? y[i] : 0;
  for (size_t t = 0; t < g->taps; t++) {
    const uint32_t *at = g->at[t];
    const float *w = g->w[t];
    WEFT_LOOP(size_t i = 0; i < n; i++)
      s[i] += w[i] != 0 ? w[i] * x[at[i]] : 0;
  }
  WEFT_LOOP(size_t i = 0; i < n; i++)
    y[i] = s[i];
}
typedef double four_pairs __attribute__((vector_size(32)));
typedef int32_t eight_words __attribute__((vector_size(32)));
// Four pairs' products; those with weight 0 are 0, whatever is read.
WEFT_INLINE vf pairs(const float *x, const uint32_t *at, const float *w) {
  double pair[4];
  vf by;
  for (size_t k = 0; k < 4; k++)
    memcpy(&pair[k], x + at[k], sizeof *pair);
  memcpy(&by, w, sizeof by);
  const vf v = (vf)(four_pairs){pair[0], pair[1], pair[2], pair[3]};
  return (vf)((eight_words)v & (eight_words)(by != 0.0f)) * by;
}
#define EVEN(a, b) __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14)
#define ODD(a, b)  __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15)

WEFT_INLINE void leave_eight(float *y, size_t n, vf v) {
  if (n >= 8)
    memcpy(y, &v, sizeof v);
  else {
    for (size_t k = 0; k < n; k++)
      y[k] = v[k];
  }
}
static void paired(const float *x, const weft__paired *g, float *y, size_t n, bool more) {
  for (size_t i = 0; i < n; i += 8) {
    vf s = {0};
    vf u = {0};
    for (size_t t = 0; t < g->rows; t++) {
      s += pairs(x, g->at[t] + i, g->w[t] + 2 * i);
      u += pairs(x, g->at[t] + i + 4, g->w[t] + 2 * i + 8);
    }
    s = EVEN(s, u) + ODD(s, u);
    for (size_t k = 0; more && k < 8 && k < n - i; k++)
      s[k] += y[i + k];
    leave_eight(y + i, n - i, s);
  }
}

// The larger; NaN of either.
WEFT_INLINE vf larger(vf a, vf b) {
  const eight_words second = (eight_words)(b > a) | (eight_words)(b != b);
  return (vf)(((eight_words)b & second) | ((eight_words)a & ~second));
}
static void paired_most(const float *x, const weft__paired *g, float *y, size_t n, bool more) {
  const vf least = (vf){0} - __builtin_inff();
  for (size_t i = 0; i < n; i += 8) {
    vf s = least;
    vf u = least;
    vf before = least;
    for (size_t t = 0; t < g->rows; t++) {
      s = larger(s, pairs(x, g->at[t] + i, g->w[t] + 2 * i));
      u = larger(u, pairs(x, g->at[t] + i + 4, g->w[t] + 2 * i + 8));
    }
    for (size_t k = 0; more && k < 8 && k < n - i; k++)
      before[k] = y[i + k];
    leave_eight(y + i, n - i, larger(before, larger(EVEN(s, u), ODD(s, u))));
  }
}

// Of n places along an axis: the first of the two elements around each, and the weights of both; at the ends
// the two inside, one of them with weight 0.
typedef struct two_taps {
  double at[WEFT__GATHERED], w[2][WEFT__GATHERED];
} two_taps;
static void find_taps(const weft__linear_axis *a, const float *v, size_t step, size_t n, two_taps *to) {
  const double by = a->by;
  const double less = a->less;
  const double low = a->low;
  const double high = a->high;
  const double last = a->n - 2;
  const double second = a->n > 1 ? 1 : 0;
  WEFT_LOOP(size_t i = 0; i < n; i++) {
    double p = (((double)v[i * step] + 1) * by - less) * 0.5;
    p = p > low ? p : low;  // NaN, too
    p = p < high ? p : high;
    const double e = (double)(int32_t)(p + 1) - 1;
    const double w0 = 1 - (p - e);
    const double w1 = 1 - (e + 1 - p);
    double at = e < last ? e : last;
    at = at > 0 ? at : 0;
    to->at[i] = at;
    to->w[0][i] = at == e ? w0 : at == e + 1 ? w1 : 0;
    to->w[1][i] = second * (at == e ? w1 : at + 1 == e ? w0 : 0);
  }
}

static void linear(const weft__linear_axis *a, size_t axes, const float *grid, size_t n, weft__paired *out) {
  two_taps taps[3];
  const size_t last = axes - 1;
  for (size_t k = 0; k < axes; k++)
    find_taps(&a[k], grid + last - k, axes, n, &taps[k]);
  out->rows = (size_t)1 << last;
  for (size_t t = 0; t < out->rows; t++) {
    uint32_t *at = out->at[t];
    float *w = out->w[t];
    double place[WEFT__GATHERED], weight[WEFT__GATHERED];
    WEFT_LOOP(size_t i = 0; i < n; i++) {
      place[i] = 0;
      weight[i] = 1;
    }
    for (size_t k = 0; k < last; k++) {
      const size_t side = t >> (last - 1 - k) & 1;
      const double add = side && a[k].n > 1 ? 1 : 0;
      const double by = a[k + 1].n;
      WEFT_LOOP(size_t i = 0; i < n; i++) {
        place[i] = (place[i] + taps[k].at[i] + add) * by;
        weight[i] *= taps[k].w[side][i];
      }
    }
    WEFT_LOOP(size_t i = 0; i < n; i++) {
      at[i] = (uint32_t)(int32_t)(place[i] + taps[last].at[i]);
      w[2 * i] = (float)(weight[i] * taps[last].w[0][i]);
      w[2 * i + 1] = (float)(weight[i] * taps[last].w[1][i]);
    }
    for (size_t i = n; i % 8; i++) {
      at[i] = 0;
      w[2 * i] = w[2 * i + 1] = 0;
    }
  }
}

static void mix(const float *a, const float *b, float *y, size_t n, float wa, float wb) {
  WEFT_LOOP(size_t i = 0; i < n; i++)
    y[i] = WEFT_FMA(b[i], wb, a[i] * wa);
}
// SPDX-License-Identifier: Apache-2.0
