// attention_block_body.h - the source of attention_block.h's tables, for the vectors that the including file
// has chosen (vector_*.h).
#include "cpu/attention/attention_block.h"
#include "cpu/gemm/block_vec.h"

typedef int32_t ints __attribute__((vector_size(4 * VEC)));
typedef int32_t fours __attribute__((vector_size(16)));
typedef uint8_t bytes __attribute__((vector_size(VEC)));

// Halves onto each other until four are left.
typedef float four_floats __attribute__((vector_size(16)));
#define HALVES(e)                             \
  enum { PARTS = VEC / 4 };                   \
  four_floats a[PARTS];                       \
  memcpy(a, &v, sizeof a);                    \
  UNROLL                                      \
  for (int w = PARTS / 2; w; w /= 2)          \
    UNROLL                                    \
  for (int i = 0; i < w; i++) {               \
    const four_floats x = a[i], y = a[i + w]; \
    a[i] = (e);                               \
  }
WEFT_INLINE float total(vec v) {
  HALVES(x + y)
  return (a[0][0] + a[0][2]) + (a[0][1] + a[0][3]);
}
WEFT_INLINE float more(float x, float y) {
  return x > y ? x : y;
}
WEFT_INLINE float largest(vec v) {  // of none that is NaN
  HALVES((four_floats)(((x > y) & (fours)x) | (~(x > y) & (fours)y)))
  return more(more(a[0][0], a[0][2]), more(a[0][1], a[0][3]));
}

// e^x for x <= 0, within 1.8e-7 + 1.4e-8 |x| of itself, 0 below e^-87: 2^(n + r), where x / ln 2 is rounded
// once. What comes of numbers below -87 on the way counts for nothing.
WEFT_INLINE vec exp_below(vec x) {
  const ints none = x < spread(-87.0f);
  vec t = x * 1.44269504f + 12582912.0f;
  vec n = t - 12582912.0f;
  vec r = x * 1.44269504f - n;
  vec p = r * 0.00132647273f + 0.00967151299f;  // within 1.1e-7
  p = p * r + 0.0555073358f;
  p = p * r + 0.240222424f;
  p = p * r + 0.693147004f;
  p = p * r + 1.0f;
  p = p * (vec)(((ints)t - (0x4B400000 - 127)) << 23);
  return (vec)((ints)p & ~none);
}

WEFT_INLINE vec masked(vec x, const uint8_t *mask, size_t n, vec instead) {
  uint8_t some[VEC] = {0};
  bytes b;
  if (n < VEC) {
    memcpy(some, mask, n);
    memcpy(&b, some, sizeof b);
  } else
    memcpy(&b, mask, sizeof b);
  ints hide = __builtin_convertvector(b, ints) != 0;
  return (vec)(((ints)x & ~hide) | ((ints)instead & hide));
}

// Scores of a panel with what is added to all of them, and to each (`shift`), where no mask is.
WEFT_INLINE void shifted(const float *panel, vec one, const float *shift, vec out[2]) {
  out[0] = load(panel) + one;
  out[1] = load(panel + VEC) + one;
  if (shift) {
    out[0] += load(shift);
    out[1] += load(shift + VEC);
  }
}

WEFT_INLINE float top_of(const float *panels, size_t panel_step, size_t n, float one, const float *shift) {
  vec a = spread(-__builtin_inff());
  vec b = a;
  vec x[2];
  for (size_t j = 0; j < n; j += COLS, panels += panel_step) {
    shifted(panels, spread(one), shift ? shift + j : NULL, x);
    a = vector_max(x[0], a);
    b = vector_max(x[1], b);
  }
  return largest(vector_max(a, b));
}

WEFT_INLINE float exponentials(const float *panels, size_t panel_step, size_t n, float one,
                               const float *shift, float top, float *p) {
  const vec t = spread(top == -__builtin_inff() ? 0 : top);
  vec a = {0};
  vec b = {0};
  vec x[2];
  for (size_t j = 0; j < n; j += COLS, panels += panel_step) {
    shifted(panels, spread(one), shift ? shift + j : NULL, x);
    x[0] = exp_below(x[0] - t);
    x[1] = exp_below(x[1] - t);
    store(p + j, x[0]);
    store(p + j + VEC, x[1]);
    a += x[0];
    b += x[1];
  }
  return total(a + b);
}

// Scores into p, up to the end of the last panel; the largest.
static float mask_scores(const float *panels, size_t panel_step, size_t n, const weft__attention_mask *m,
                         float *p) {
  const vec never = spread(-__builtin_inff());
  const vec instead = spread(m->masked);
  const size_t end = (n + COLS - 1) / COLS * COLS;
  const bool one = m->shift && !m->shift_step;
  const bool all = m->mask && !m->mask_step && *m->mask;
  vec top = never;
  for (size_t j = 0; j < end; j += VEC) {
    size_t rest = j < n ? n - j : 0;
    vec x = load(panels + j / COLS * panel_step + j % COLS) + spread(one ? *m->shift : -0.0f);
    if (m->shift && m->shift_step)
      x += rest < VEC ? load_part(m->shift + j, rest) : load(m->shift + j);
    if (m->mask && m->mask_step)
      x = masked(x, m->mask + j, rest, instead);
    if (all)
      x = instead;
    store(p + j, x);
  }
  for (size_t j = 0; j < m->low && j < end; j++)
    p[j] = never[0];
  for (size_t j = m->high < n ? m->high : n; j < end; j++)
    p[j] = never[0];
  for (size_t j = 0; j < end; j += VEC)
    top = vector_max(load(p + j), top);
  return largest(top);
}

static float weights(const float *panels, size_t panel_step, size_t n, const weft__attention_mask *m,
                     float before, float *p, float *out_top) {
  const bool whole = m->low == 0 && m->high >= n && n % COLS == 0 && !m->mask;
  if (whole && m->shift && m->shift_step) {
    *out_top = more(before, top_of(panels, panel_step, n, -0.0f, m->shift));
    return exponentials(panels, panel_step, n, -0.0f, m->shift, *out_top, p);
  }
  if (whole) {
    const float one = m->shift ? *m->shift : -0.0f;
    *out_top = more(before, top_of(panels, panel_step, n, one, NULL));
    return exponentials(panels, panel_step, n, one, NULL, *out_top, p);
  }
  *out_top = more(before, mask_scores(panels, panel_step, n, m, p));
  return exponentials(p, COLS, n, -0.0f, NULL, *out_top, p);
}

static void add_tile(float *acc, size_t acc_row, const float *tile, size_t rows, const float *factor,
                     bool first) {
  for (size_t i = 0; i < rows; i++, acc += acc_row, tile += TILE) {
    vec x = load(tile);
    vec y = load(tile + VEC);
    if (!first) {
      x += load(acc) * factor[i];
      y += load(acc + VEC) * factor[i];
    }
    store(acc, x);
    store(acc + VEC, y);
  }
}

WEFT_INLINE void four(const float *q, const float *k, size_t k_row, size_t size, float *out) {
  vec s[4] = {{0}, {0}, {0}, {0}};
  size_t i = 0;
  for (; i + VEC <= size; i += VEC) {
    vec x = load(q + i);
    UNROLL
    for (size_t j = 0; j < 4; j++)
      s[j] += load(k + j * k_row + i) * x;
  }
  if (i < size) {
    vec x = load_part(q + i, size - i);
    UNROLL
    for (size_t j = 0; j < 4; j++)
      s[j] += load_part(k + j * k_row + i, size - i) * x;
  }
  UNROLL
  for (size_t j = 0; j < 4; j++)
    out[j] = total(s[j]);
}

static void dots(const weft__attention_dots *given) {
  const weft__attention_dots d = *given;  // kept here: what is stored might be it
  const float *k = d.k;
  float last[4];
  for (size_t j = 0; j < d.keys; j += 4, k += 4 * d.k_row) {
    for (size_t i = 0; i < d.rows; i++) {
      const float *q = d.q + i * d.q_row;
      float *out = d.out + i * d.out_row + j;
      if (d.keys - j >= 4) {
        __builtin_prefetch(k + 16 * d.k_row, 0, 3);
        four(q, k, d.k_row, d.size, out);
        continue;
      }
      for (size_t t = 0; t < d.keys - j; t++) {  // the same key four times: no other is read
        four(q, k + t * d.k_row, 0, d.size, last);
        out[t] = last[0];
      }
    }
  }
}

static void scale(const float *x, float *y, size_t n, float by) {
  size_t i = 0;
  for (; i + VEC <= n; i += VEC)
    store(y + i, load(x + i) * by);
  if (i < n)
    store_part(y + i, load_part(x + i, n - i) * by, n - i);
}

// Is none of them infinite or NaN?
static bool finite(const float *x, size_t n) {
  vec a = {0};
  size_t i = 0;
  for (; i + VEC <= n; i += VEC)
    a += load(x + i) * 0.0f;
  if (i < n)
    a += load_part(x + i, n - i) * 0.0f;
  return total(a) == 0;
}

const weft__attention_ops ATTENTION = {
    .cols = COLS, .weights = weights, .add_tile = add_tile, .dots = dots, .scale = scale, .finite = finite};
// SPDX-License-Identifier: Apache-2.0
