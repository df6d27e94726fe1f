// attention_block_body.h - the source of attention_block.h's tables, for the vectors that the including file
// has chosen (vector_*.h).
#include "cpu/attention_block.h"
#include "cpu/block_vec.h"

typedef int32_t ints __attribute__((vector_size(4 * VEC)));
typedef int32_t fours __attribute__((vector_size(16)));
typedef uint8_t bytes __attribute__((vector_size(VEC)));

// Halves onto each other until four are left.
typedef float four_floats __attribute__((vector_size(16)));
#define HALVES(e)                                                                \
  enum { PARTS = VEC / 4 };                                                      \
  four_floats a[PARTS];                                                          \
  memcpy(a, &v, sizeof a);                                                       \
  UNROLL for (int w = PARTS / 2; w; w /= 2) UNROLL for (int i = 0; i < w; i++) { \
    const four_floats x = a[i], y = a[i + w];                                    \
    a[i] = (e);                                                                  \
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

// e^x within 2 ulp, 0 below e^-87. What comes of numbers below it on the way counts for nothing.
WEFT_INLINE vec exp_below(vec x) {
  const ints none = x < spread(-87.0f);
  vec t = x * 1.44269504f + 12582912.0f, n = t - 12582912.0f;
  vec r = x - n * 0.693145751953125f;
  r = r - n * 1.428606765330187e-06f;
  vec p = r * 0.0083125215f + 0.0418901481f;  // within 1.1e-7
  p = p * r + 0.166671142f;
  p = p * r + 0.499992311f;
  p = p * r + 1.0f;
  p = p * r + 1.0f;
  p = p * (vec)(((ints)t - (0x4B400000 - 127)) << 23);
  return (vec)((ints)p & ~none);
}

WEFT_INLINE vec masked(vec x, const uint8_t *mask, size_t n, vec instead) {
  uint8_t some[VEC] = {0};
  bytes b;
  if (n < VEC)
    memcpy(some, mask, n), memcpy(&b, some, sizeof b);
  else
    memcpy(&b, mask, sizeof b);
  ints hide = __builtin_convertvector(b, ints) != 0;
  return (vec)(((ints)x & ~hide) | ((ints)instead & hide));
}

// Scores with what is added to all of them, and to each (`shift`), where no mask is.
WEFT_INLINE vec add_shift(const float *panels, size_t panel_step, size_t n, float one, const float *shift,
                          float *p) {
  const vec add = spread(one);
  vec a = spread(-__builtin_inff()), b = a;
  for (size_t j = 0; j < n; j += COLS, panels += panel_step) {
    vec x = load(panels) + add, y = load(panels + VEC) + add;
    if (shift) x += load(shift + j), y += load(shift + j + VEC);
    store(p + j, x), store(p + j + VEC, y);
    a = vector_max(x, a), b = vector_max(y, b);
  }
  return vector_max(a, b);
}

static float scores(const float *panels, size_t panel_step, size_t n, const weft__attention_mask *m,
                    float *p) {
  const vec never = spread(-__builtin_inff()), instead = spread(m->masked);
  const size_t end = (n + COLS - 1) / COLS * COLS;
  const bool one = m->shift && !m->shift_step, all = m->mask && !m->mask_step && *m->mask;
  const bool whole = m->low == 0 && m->high >= n && end == n;
  const float add = one ? *m->shift : -0.0f;
  vec top = never;
  if (whole && !m->mask && (one || !m->shift)) return largest(add_shift(panels, panel_step, n, add, NULL, p));
  if (whole && !m->mask) return largest(add_shift(panels, panel_step, n, -0.0f, m->shift, p));
  for (size_t j = 0; j < end; j += VEC) {
    size_t rest = j < n ? n - j : 0;
    vec x = load(panels + j / COLS * panel_step + j % COLS) + spread(add);
    if (m->shift && m->shift_step) x += rest < VEC ? load_part(m->shift + j, rest) : load(m->shift + j);
    if (m->mask && m->mask_step) x = masked(x, m->mask + j, rest, instead);
    if (all) x = instead;
    store(p + j, x);
    top = vector_max(x, top);
  }
  if (whole) return largest(top);
  for (size_t j = 0; j < m->low && j < end; j++) p[j] = never[0];
  for (size_t j = m->high < n ? m->high : n; j < end; j++) p[j] = never[0];
  top = never;
  for (size_t j = 0; j < end; j += VEC) top = vector_max(load(p + j), top);
  return largest(top);
}

static float weights(float *p, size_t n, float top) {
  const vec t = spread(top);
  vec a = {0}, b = {0};
  for (size_t i = 0; i < n; i += COLS) {
    vec x = exp_below(load(p + i) - t), y = exp_below(load(p + i + VEC) - t);
    store(p + i, x), store(p + i + VEC, y);
    a += x, b += y;
  }
  return total(a + b);
}

static void add_tile(float *acc, size_t acc_row, const float *tile, size_t rows, const float *factor,
                     bool first) {
  for (size_t i = 0; i < rows; i++, acc += acc_row, tile += TILE) {
    vec x = load(tile), y = load(tile + VEC);
    if (!first) x += load(acc) * factor[i], y += load(acc + VEC) * factor[i];
    store(acc, x), store(acc + VEC, y);
  }
}

WEFT_INLINE void four(const float *q, const float *k, size_t k_row, size_t size, float *out) {
  vec s[4] = {{0}, {0}, {0}, {0}};
  size_t i = 0;
  for (; i + VEC <= size; i += VEC) {
    vec x = load(q + i);
    UNROLL for (size_t j = 0; j < 4; j++) s[j] += load(k + j * k_row + i) * x;
  }
  if (i < size) {
    vec x = load_part(q + i, size - i);
    UNROLL for (size_t j = 0; j < 4; j++) s[j] += load_part(k + j * k_row + i, size - i) * x;
  }
  UNROLL for (size_t j = 0; j < 4; j++) out[j] = total(s[j]);
}

static void dots(const float *q, size_t q_row, size_t rows, const float *k, size_t k_row, size_t keys,
                 size_t size, float *out, size_t out_row) {
  float last[4];
  for (size_t j = 0; j < keys; j += 4, k += 4 * k_row)
    for (size_t i = 0; i < rows; i++) {
      if (keys - j >= 4) {
        __builtin_prefetch(k + 16 * k_row, 0, 3);
        four(q + i * q_row, k, k_row, size, out + i * out_row + j);
        continue;
      }
      for (size_t t = 0; t < keys - j; t++)  // the same key four times: no other is read
        four(q + i * q_row, k + t * k_row, 0, size, last), out[i * out_row + j + t] = last[0];
    }
}

static void scale(const float *x, float *y, size_t n, float by) {
  size_t i = 0;
  for (; i + VEC <= n; i += VEC) store(y + i, load(x + i) * by);
  if (i < n) store_part(y + i, load_part(x + i, n - i) * by, n - i);
}

// Is none of them infinite or NaN?
static bool finite(const float *x, size_t n) {
  vec a = {0};
  size_t i = 0;
  for (; i + VEC <= n; i += VEC) a += load(x + i) * 0.0f;
  if (i < n) a += load_part(x + i, n - i) * 0.0f;
  return total(a) == 0;
}

const weft__attention_ops ATTENTION = {.cols = COLS,
                                       .scores = scores,
                                       .weights = weights,
                                       .add_tile = add_tile,
                                       .dots = dots,
                                       .scale = scale,
                                       .finite = finite};
