// recurrent_cell_test.c - sigmoid and tanh of the recurrent cells against double, over every 4099th float,
// for each instruction set that this machine has: errors relative to the value, NaN, infinities, zeros, and
// the bounds 0, 1.
#include "cpu/recurrent/recurrent_cell.h"

#include "check.h"

enum { MOST = 16, STEP = 4099 };

static double sigmoid(double x) {
  return 1 / (1 + exp(-x));
}

// y = f(x) for one vector, by a cell without weights.
static void apply(const weft__cell_ops *o, int kind, const float *x, float *y) {
  static const float zeros[MOST * MOST];
  float next[MOST];
  weft__cell c = {.rows = 1,
                  .hidden = o->vec,
                  .row = o->vec,
                  .x = {x},
                  .y = {y},
                  .live = 1,
                  .h = zeros,
                  .h_next = next,
                  .r = zeros,
                  .clip = -1,
                  .act = {{kind, 0, 0}}};
  o->cell[WEFT__CELL_RNN](&c, 0, 0);
}

static void hold(const weft__cell_ops *o, const char *isa, int kind, double (*f)(double), double least) {
  double worst = 0;
  float at = 0;
  float x[MOST];
  float y[MOST];
  for (uint64_t u = 0; u < UINT64_C(1) << 32;) {
    for (size_t i = 0; i < o->vec; i++, u += STEP) {
      uint32_t bits = (uint32_t)u;
      memcpy(&x[i], &bits, 4);
    }
    apply(o, kind, x, y);
    for (size_t i = 0; i < o->vec; i++) {
      double want = f((double)x[i]), got = (double)y[i];
      if (isnan(want) != isnan(got) || got < least || got > 1)
        check_failed(__FILE__, __LINE__, "%s: kind %d of %g gave %g", isa, kind, (double)x[i], got);
      double e = fabs(want) < 1.2e-38 ? fabs(got) > 1.2e-38 : fabs(got - want) / fabs(want);
      if (e > worst) {
        worst = e;
        at = x[i];
      }
    }
  }
  if (worst > 4e-7)
    check_failed(__FILE__, __LINE__, "%s: kind %d of %g is off by %g", isa, kind, (double)at, worst);
}

static void both(const weft__cell_ops *o, const char *isa) {
  float x[MOST] = {INFINITY, -INFINITY, 0.0f, -0.0f};
  float y[MOST];
  hold(o, isa, WEFT__ACT_SIGMOID, sigmoid, 0);
  hold(o, isa, WEFT__ACT_TANH, tanh, -1);
  apply(o, WEFT__ACT_TANH, x, y);
  if (y[0] != 1 || y[1] != -1 || y[2] != 0)
    check_failed(__FILE__, __LINE__, "%s: tanh at the ends", isa);
  apply(o, WEFT__ACT_SIGMOID, x, y);
  if (y[0] != 1 || y[1] != 0 || y[3] != 0.5f)
    check_failed(__FILE__, __LINE__, "%s: sigmoid at the ends", isa);
}

TEST(gates_are_right_to_seven_digits) {
  both(&weft__cell_plain, "plain");
#if defined(__x86_64__)
  if (weft__cpu_isa(NULL) >= WEFT__ISA_AVX2)
    both(&weft__cell_avx2, "avx2");
  if (weft__cpu_isa(NULL) >= WEFT__ISA_AVX512)
    both(&weft__cell_avx512, "avx512");
#endif
}
// SPDX-License-Identifier: Apache-2.0
