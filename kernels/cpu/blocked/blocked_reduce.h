// blocked_reduce.h - sums over taps and steps in registers: the source of weft__reduce_fn and of
// weft__bf16_reduce_fn. The including file says
//   elem           what an operand is made of, float or pairs of bf16
//   UNIT           a_row of the functions for places side by side
//   factors        a vector of filters as dot takes them, and factors_at(const elem *p), which reads one
//   dot(s, x, w)   s + *x * w
#include "cpu/blocked/blocked_steps.h"
#include "cpu/simd/each_row.h"

WEFT_INLINE void reduce(size_t rows, size_t vecs, bool unit, size_t n, size_t steps, const elem *a,
                        const uint32_t *at, size_t a_row, const elem *w, float *out, bool more,
                        const char *ahead, size_t ahead_step, const weft__blocked_out *o) {
  const size_t most = steps && steps < SUM_STEPS ? SUM_STEPS / steps : 1;
  const way to = way_of(vecs, o);
  const size_t tiles = o ? o->tiles : 1;
  const uint32_t *run = at;
  const elem *f = w;
  size_t tile = 0;
  size_t left = n;
  do {
    vec s[ROWS][2];
    UNROLL
    for (size_t i = 0; i < rows; i++)
      s[i][0] = s[i][1] = (vec){0};
    size_t part = left < most ? left : most;
    for (left -= part; part; part--, run++) {
      const elem *p = a + *run;
      const elem *base[(ROWS + 2) / 3];
      UNROLL
      for (size_t i = 0; i < rows; i += 3)
        base[i / 3] = p + i * a_row;
      for (size_t k = 0; k < steps; k++) {
        factors w0 = factors_at(f);
        factors w1 = w0;
        if (vecs > 1)
          w1 = factors_at(f + VEC);
        __builtin_prefetch(ahead, 0, 2);
        UNROLL
        for (size_t i = 0; i < rows; i++) {
          const elem *x = unit ? p + i * UNIT + k : base[i / 3] + i % 3 * a_row + k;
          s[i][0] = dot(s[i][0], x, w0);
          if (vecs > 1)
            s[i][1] = dot(s[i][1], x, w1);
        }
        f += COLS;
        ahead += ahead_step;
      }
    }
    leave(rows, vecs, s, out, more, left ? NULL : o, &to, tile * rows);
    more = true;
    if (!left && ++tile < tiles) {
      left = n;
      run = at;
      f = w;
      a += rows * a_row;
      more = false;
    }
  } while (left);
}

#define ARGS                                                                                          \
  size_t n, size_t steps, const elem *a, const uint32_t *at, size_t a_row, const elem *w, float *out, \
      bool more, const char *ahead, size_t ahead_step, const weft__blocked_out *o
#define ROW(r)                                                                                  \
  static void step1_##r(ARGS) {                                                                 \
    reduce(r, 1, false, n, steps, a, at, a_row, w, out, more, ahead, ahead_step, o);            \
  }                                                                                             \
  static void step2_##r(ARGS) {                                                                 \
    reduce(r, 2, false, n, steps, a, at, a_row, w, out, more, ahead, ahead_step, o);            \
  }                                                                                             \
  static void unit1_##r(ARGS) {                                                                 \
    (void)a_row, reduce(r, 1, true, n, steps, a, at, UNIT, w, out, more, ahead, ahead_step, o); \
  }                                                                                             \
  static void unit2_##r(ARGS) {                                                                 \
    (void)a_row, reduce(r, 2, true, n, steps, a, at, UNIT, w, out, more, ahead, ahead_step, o); \
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
