// blocked_reduce.h - sums over taps and steps in registers: the source of weft__reduce_fn, of
// floats and of pairs. The including file says
//   elem           what an operand is made of, float or pairs of bf16
//   UNIT           a_row of the functions for places side by side
//   factors        a vector of filters as dot takes them, and factors_at(const elem *p), which reads one
//   dot(s, x, w)   s + *x * w
#include "cpu/blocked/blocked_steps.h"
#include "cpu/simd/each_row.h"

// What the taps still to come are made of.
typedef struct tap_walk {
  size_t steps;
  const elem *a;
  size_t a_row;
  const elem *w;
  weft__ahead ahead;
} tap_walk;

// One tap: all its steps. `q` lies on the stack of an inlined caller and is in registers.
WEFT_INLINE void one_tap(size_t rows, size_t vecs, bool unit, const elem *p, tap_walk *q, vec (*s)[2]) {
  const elem *base[(ROWS + 2) / 3];
  UNROLL
  for (size_t i = 0; i < rows; i += 3)
    base[i / 3] = p + i * q->a_row;
  for (size_t k = 0; k < q->steps; k++) {
    factors w0 = factors_at(q->w);
    factors w1 = w0;
    if (vecs > 1)
      w1 = factors_at(q->w + VEC);
    __builtin_prefetch(q->ahead.from, 0, 2);
    UNROLL
    for (size_t i = 0; i < rows; i++) {
      const elem *x = unit ? p + i * UNIT + k : base[i / 3] + i % 3 * q->a_row + k;
      s[i][0] = dot(s[i][0], x, w0);
      if (vecs > 1)
        s[i][1] = dot(s[i][1], x, w1);
    }
    q->w += COLS;
    q->ahead.from += q->ahead.by;
  }
}

WEFT_INLINE void reduce(size_t rows, size_t vecs, bool unit, const weft__tap_sums *all) {
  tap_walk q = {
      .steps = all->steps, .a = all->a, .a_row = unit ? UNIT : all->a_row, .w = all->w, .ahead = all->ahead};
  leaving to = {.tile = all->tile, .more = all->more, .first = 0};
  const weft__blocked_out *o = all->out;
  const uint32_t *at = all->at;
  const size_t n = all->n;
  const size_t most = q.steps && q.steps < SUM_STEPS ? SUM_STEPS / q.steps : 1;
  const way out = way_of(vecs, o);
  const size_t tiles = o ? o->tiles : 1;
  const uint32_t *run = at;
  size_t tile = 0;
  size_t left = n;
  do {
    vec s[ROWS][2];
    UNROLL
    for (size_t i = 0; i < rows; i++)
      s[i][0] = s[i][1] = (vec){0};
    size_t part = left < most ? left : most;
    for (left -= part; part; part--, run++)
      one_tap(rows, vecs, unit, q.a + *run, &q, s);
    to.o = left ? NULL : o;
    leave(rows, vecs, s, &to, &out);
    to.more = true;
    if (!left && ++tile < tiles) {
      left = n;
      run = at;
      q.w = all->w;
      q.a += rows * q.a_row;
      to.first = tile * rows;
      to.more = false;
    }
  } while (left);
}

#define ROW(r)                                     \
  static void step1_##r(const weft__tap_sums *s) { \
    reduce(r, 1, false, s);                        \
  }                                                \
  static void step2_##r(const weft__tap_sums *s) { \
    reduce(r, 2, false, s);                        \
  }                                                \
  static void unit1_##r(const weft__tap_sums *s) { \
    reduce(r, 1, true, s);                         \
  }                                                \
  static void unit2_##r(const weft__tap_sums *s) { \
    reduce(r, 2, true, s);                         \
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
