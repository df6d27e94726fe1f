// recurrent_math_wide.h - the gates of recurrent cells a vector at a time, where vector_math_wide.h has
// vectors.
#pragma once
#include "cpu/recurrent_math.h"
#include "cpu/vector_math_wide.h"

typedef wvec vec;
typedef wvec vec_at __attribute__((aligned(4), may_alias));

static inline vec fused(vec a, vec b, vec c) {
  return FMAW(a, b, c);
}
WEFT_INLINE vec sigmoid_of(vec x) {    // 1 / (1 + e^-x)
  wvec v = max_wide(SETW(-89.0f), x);  // NaN comes from the second one
  v = SETW(0.0f) - min_wide(SETW(104.0f), v);
  const wvec n = round_wide(v * SETW(1.44269504f));
  const wvec e = scale_wide(exp_m1_part(v, n) + SETW(1.0f), n);
  return SETW(1.0f) / (SETW(1.0f) + e);
}
WEFT_INLINE vec tanh_of(vec x) {
  const wvec v = min_wide(SETW(9.0f), max_wide(SETW(-9.0f), x)), s = v * v;
  const wvec p = WEFT_GATE_TANH_P(SETW, FMAW, s), q = WEFT_GATE_TANH_Q(SETW, FMAW, s);
  return max_wide(SETW(-1.0f), min_wide(SETW(1.0f), v * p / q));
}
