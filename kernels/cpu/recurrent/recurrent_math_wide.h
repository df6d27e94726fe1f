// recurrent_math_wide.h - the gates of recurrent cells a vector at a time, where vector_math_wide.h has
// vectors.
#pragma once
#include "cpu/recurrent/recurrent_math.h"
#include "cpu/simd/vector_math_wide.h"

typedef wvec vec;
typedef wvec vec_at __attribute__((aligned(4), may_alias));

static inline vec fused(vec a, vec b, vec c) {
  return FMAW(a, b, c);
}
WEFT_INLINE vec sigmoid_of(vec x) {
  return SIGMOID_ONE / (SIGMOID_ONE + sigmoid_exp(x));
}
WEFT_INLINE vec tanh_of(vec x) {
  const wvec v = min_wide(SETW(9.0f), max_wide(SETW(-9.0f), x));
  const wvec s = v * v;
  const wvec p = WEFT_GATE_TANH_P(SETW, FMAW, s);
  const wvec q = WEFT_GATE_TANH_Q(SETW, FMAW, s);
  return max_wide(SETW(-1.0f), min_wide(SETW(1.0f), v * p / q));
}
// SPDX-License-Identifier: Apache-2.0
