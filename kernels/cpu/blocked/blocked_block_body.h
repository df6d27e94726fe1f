// blocked_block_body.h - the source of blocked_block.h's tables. The including file includes a vector_*.h and
// says ROWS and TABLE.
#include "cpu/blocked/blocked_steps.h"
#include "cpu/blocked/blocked_taps.h"

// ---- sums ----
typedef float elem;
typedef vec factors;
WEFT_INLINE factors factors_at(const float *p) {
  return load(p);
}
WEFT_INLINE vec dot(vec s, const float *x, factors w) {
  return s + w * *x;
}
#define UNIT WEFT__C0
#include "cpu/blocked/blocked_reduce.h"

// ---- Winograd ----
WEFT_INLINE void leave_point(float *p, vec v) {
  store(p, v);
}
#include "cpu/blocked/blocked_window.h"

typedef uint16_t shorts __attribute__((vector_size(2 * VEC)));

static void points(const float *w, float *to, size_t point, uint16_t *signs) {
  for (size_t v = 0; v < COLS; v += VEC, w += VEC, to += VEC, signs += VEC) {
    vec h[4][3];  // rows of points by columns of taps
    ivec bits = {0};
    UNROLL
    for (size_t i = 0; i < WEFT_COUNT(weft__winograd_hidden); i++) {
      const vec tap = load(w + weft__winograd_hidden[i] * COLS);
      const vec zero = {0};
      bits |= ((ivec)(tap != zero) & 1 << i) | ((ivec)(tap < zero) & 1 << (8 + i));
    }
    UNROLL
    for (size_t j = 0; j < 3; j++) {
      vec a = load(w + j * COLS);
      vec b = load(w + (3 + j) * COLS);
      vec c = load(w + (6 + j) * COLS);
      h[0][j] = a;
      h[1][j] = 0.5f * ((a + c) + b);
      h[2][j] = 0.5f * ((a + c) - b);
      h[3][j] = c;
    }
    UNROLL
    for (size_t i = 0; i < 4; i++) {
      vec a = h[i][0];
      vec b = h[i][1];
      vec c = h[i][2];
      float *p = to + 4 * i * point;
      store(p, a);
      store(p + point, 0.5f * ((a + c) + b));
      store(p + 2 * point, 0.5f * ((a + c) - b));
      store(p + 3 * point, c);
    }
    const shorts narrow = __builtin_convertvector(bits, shorts);
    memcpy(signs, &narrow, sizeof narrow);
  }
}

static bool unwind(const float *m, size_t point, float *upper, float *lower) {
  vec odd = {0};
  for (size_t v = 0; v < COLS; v += VEC) {
    vec a[2][4];
    UNROLL
    for (size_t j = 0; j < 4; j++) {
      const float *p = m + j * point + v;
      vec m0 = load(p);
      vec m1 = load(p + 4 * point);
      vec m2 = load(p + 8 * point);
      vec m3 = load(p + 12 * point);
      a[0][j] = m0 + m1 + m2;
      a[1][j] = m1 - m2 - m3;
    }
    vec y0 = a[0][0] + a[0][1] + a[0][2];
    vec y1 = a[0][1] - a[0][2] - a[0][3];
    vec y2 = a[1][0] + a[1][1] + a[1][2];
    vec y3 = a[1][1] - a[1][2] - a[1][3];
    store(upper + v, y0);
    store(upper + TILE + v, y1);
    store(lower + v, y2);
    store(lower + TILE + v, y3);
    odd += (y0 + y1 + y2 + y3) * 0.0f;
  }
  float sum = 0;
  for (size_t i = 0; i < VEC; i++)
    sum += odd[i];
  return sum == 0.0f;
}

// ---- windows of pools ----
// `f` lies on the stack of an inlined caller and is in registers.
WEFT_INLINE void fold(bool most, size_t places, const weft__blocked_fold *f, const float *x, float *y) {
  vec s[4];
  UNROLL
  for (size_t k = 0; k < places; k++)
    s[k] = load(x + f->at[0] + k * f->x_step);
  for (size_t t = 1; t < f->taps; t++)
    UNROLL
  for (size_t k = 0; k < places; k++) {
    vec v = load(x + f->at[t] + k * f->x_step);
    s[k] = most ? larger(s[k], v) : s[k] + v;
  }
  UNROLL
  for (size_t k = 0; k < places; k++)
    store(y + k * WEFT__C0, most ? s[k] : s[k] * f->scale);
}

WEFT_INLINE void fold_all(bool most, const weft__blocked_fold *all) {
  const weft__blocked_fold f = *all;
  for (size_t c = 0; c < WEFT__C0; c += VEC) {
    size_t i = 0;
    for (; i + 4 <= f.n; i += 4)
      fold(most, 4, &f, f.x + i * f.x_step + c, f.y + i * WEFT__C0 + c);
    for (; i < f.n; i++)
      fold(most, 1, &f, f.x + i * f.x_step + c, f.y + i * WEFT__C0 + c);
  }
}
static void largest(const weft__blocked_fold *f) {
  fold_all(true, f);
}
static void sum(const weft__blocked_fold *f) {
  fold_all(false, f);
}

const weft__blocked_ops TABLE = {.vec = VEC,
                                 .rows = ROWS,
                                 .cols = COLS,
                                 .reduce = REDUCE,
                                 .finish = finish,
                                 .window = window,
                                 .unwind = unwind,
                                 .points = points,
                                 .taps = taps,
                                 .nine = nine,
                                 .largest = largest,
                                 .sum = sum};
// SPDX-License-Identifier: Apache-2.0
