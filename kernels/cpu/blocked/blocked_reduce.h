// blocked_reduce.h - sums over taps and steps in registers: the source of weft__reduce_fn and of
// weft__bf16_reduce_fn. The including file says
//   elem           what an operand is made of, float or pairs of bf16
//   UNIT           a_row of the functions for places side by side
//   factors        a vector of filters as dot takes them, and factors_at(const elem *p), which reads one
//   dot(s, x, w)   s + *x * w
#include "cpu/blocked/blocked_steps.h"
#include "cpu/simd/each_row.h"

// What weft__reduce_fn is given.
typedef struct tap_sums {
  size_t n;
  size_t steps;
  const elem *a;
  const uint32_t *at;
  size_t a_row;
  const elem *w;
  float *out;
  bool more;
  const char *ahead;
  size_t ahead_step;
  const weft__blocked_out *o;
} tap_sums;

// One tap: all its steps. `q` lies on the stack of an inlined caller and is in registers.
WEFT_INLINE void one_tap(size_t rows, size_t vecs, bool unit, const elem *p, tap_sums *q, vec (*s)[2]) {
  const elem *base[(ROWS + 2) / 3];
  UNROLL
  for (size_t i = 0; i < rows; i += 3)
    base[i / 3] = p + i * q->a_row;
  for (size_t k = 0; k < q->steps; k++) {
    factors w0 = factors_at(q->w);
    factors w1 = w0;
    if (vecs > 1)
      w1 = factors_at(q->w + VEC);
    __builtin_prefetch(q->ahead, 0, 2);
    UNROLL
    for (size_t i = 0; i < rows; i++) {
      const elem *x = unit ? p + i * UNIT + k : base[i / 3] + i % 3 * q->a_row + k;
      s[i][0] = dot(s[i][0], x, w0);
      if (vecs > 1)
        s[i][1] = dot(s[i][1], x, w1);
    }
    q->w += COLS;
    q->ahead += q->ahead_step;
  }
}

WEFT_INLINE void reduce(size_t rows, size_t vecs, bool unit, const tap_sums *all) {
  tap_sums q = *all;
  const size_t most = q.steps && q.steps < SUM_STEPS ? SUM_STEPS / q.steps : 1;
  const way to = way_of(vecs, q.o);
  const size_t tiles = q.o ? q.o->tiles : 1;
  const uint32_t *run = q.at;
  size_t tile = 0;
  size_t left = q.n;
  do {
    vec s[ROWS][2];
    UNROLL
    for (size_t i = 0; i < rows; i++)
      s[i][0] = s[i][1] = (vec){0};
    size_t part = left < most ? left : most;
    for (left -= part; part; part--, run++)
      one_tap(rows, vecs, unit, q.a + *run, &q, s);
    leave(rows, vecs, s, q.out, q.more, left ? NULL : q.o, &to, tile * rows);
    q.more = true;
    if (!left && ++tile < tiles) {
      left = q.n;
      run = q.at;
      q.w = all->w;
      q.a += rows * q.a_row;
      q.more = false;
    }
  } while (left);
}

#define ARGS                                                                                          \
  size_t n, size_t steps, const elem *a, const uint32_t *at, size_t a_row, const elem *w, float *out, \
      bool more, const char *ahead, size_t ahead_step, const weft__blocked_out *o
#define ROW(r)                                                                                    \
  static void step1_##r(ARGS) {                                                                   \
    reduce(r, 1, false, &(tap_sums){n, steps, a, at, a_row, w, out, more, ahead, ahead_step, o}); \
  }                                                                                               \
  static void step2_##r(ARGS) {                                                                   \
    reduce(r, 2, false, &(tap_sums){n, steps, a, at, a_row, w, out, more, ahead, ahead_step, o}); \
  }                                                                                               \
  static void unit1_##r(ARGS) {                                                                   \
    (void)a_row;                                                                                  \
    reduce(r, 1, true, &(tap_sums){n, steps, a, at, UNIT, w, out, more, ahead, ahead_step, o});   \
  }                                                                                               \
  static void unit2_##r(ARGS) {                                                                   \
    (void)a_row;                                                                                  \
    reduce(r, 2, true, &(tap_sums){n, steps, a, at, UNIT, w, out, more, ahead, ahead_step, o});   \
  }
EACH_ROW(ROW)

#define S1(r) [r] = step1_##r,
#define S2(r) [r] = step2_##r,
#define U1(r) [r] = unit1_##r,
#define U2(r) [r] = unit2_##r,
#define REDUCE                          \
  {                                     \
    {{EACH_ROW(S1)}, {EACH_ROW(S2)}}, { \
      {EACH_ROW(U1)}, {                 \
        EACH_ROW(U2)                    \
      }                                 \
    }                                   \
  }
// SPDX-License-Identifier: Apache-2.0
