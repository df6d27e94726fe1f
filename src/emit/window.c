// window.c - windows of signals as constants.
#include <math.h>

#include "base/allocated.h"
#include "emit/emit.h"

enum { WINDOW_MOST = 1 << 20, WINDOW_TERMS = 500 };

static const double window_turn = 6.283185307179586;

// I0 by its series.
static double window_bessel(double x) {
  double sum = 1;
  double term = 1;
  for (int k = 1; k < WINDOW_TERMS && term > sum * 1e-17; k++) {
    term *= x / (2 * k) * (x / (2 * k));
    sum += term;
  }
  return sum;
}

static double window_at(const front_window *w, double p) {  // p in [0, 1]
  switch (w->kind) {
    case FRONT_BLACKMAN:
      return 0.42 - 0.5 * cos(window_turn * p) + 0.08 * cos(2 * window_turn * p);
    case FRONT_BARTLETT:
      return 1 - fabs(2 * p - 1);
    case FRONT_KAISER:
      return window_bessel(w->beta * sqrt(fmax(0, 1 - (2 * p - 1) * (2 * p - 1)))) / window_bessel(w->beta);
    default:
      return w->alpha - w->beta * cos(window_turn * p);
  }
}

weft_value *front_windowed(front_op *o, const front_window *w, int64_t n, bool periodic, weft_dtype t) {
  if (!o->failed && (n < 0 || n > WINDOW_MOST))
    front_fail(o, WEFT_E_RANGE, "a window of %lld places; at most 2^20 are read", (long long)n);
  double *v = o->failed ? NULL : WEFT_NEW_N(&o->f->arena, double, (size_t)n + 1);
  if (!o->failed)
    o->failed = weft__allocated(v, o->f->d);
  if (o->failed)
    return NULL;
  int64_t last = periodic ? n : n - 1;
  for (int64_t i = 0; i < n; i++)
    v[i] = n == 1 ? 1 : window_at(w, (double)i / (double)last);

  weft_tensor all;
  weft_tensor_init(&all, &o->f->env->alloc);
  o->failed = weft_tensor_borrow(&all, WEFT_DOUBLE, &(weft_dim){n}, 1, v, (size_t)n * sizeof *v, o->f->d);
  weft_value *y = o->failed ? NULL : front_as(o, front_const(o, &all), t);
  weft_tensor_deinit(&all);
  return y;
}
// SPDX-License-Identifier: Apache-2.0
