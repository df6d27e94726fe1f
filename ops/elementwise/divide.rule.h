// divide.rule.h - quotients and remainders of whole numbers, for Div, RealDiv, FloorDiv, Mod, TruncateMod
// and FloorMod. A quotient is rounded toward 0, and the remainder has the sign of a; for the Floor operators
// it is rounded down, and the remainder has the sign of b. Dividing by 0 is an error. The smallest number
// divided by -1 wraps to itself and leaves 0. Of floats only the remainders have rules: by 0 they are NaN.
// What kernels apply to each type, in loops that become vectors, is a macro.
#pragma once
#include <math.h>
#include <stdint.h>

// What a processor may divide by in the place of b: 0 is an error that is found elsewhere, and -1 has no
// quotient of the smallest number: where b is -1 the quotient is 0 - a, which wraps, and the remainder 0.
#define WEFT_DIVISOR(b) ((b) == 0 || (b) == -1 ? 1 : (b))
// Is a / b, with the remainder r when it is rounded toward 0, one less when it is rounded down?
#define WEFT_FLOOR_IS_BELOW(a, b, r) (((r) != 0) & (((a) ^ (b)) < 0))

#define WEFT_DIVIDED_BY_ZERO "division by zero"
#define WEFT_MODULO_ZERO     "modulo by zero"

// ---- toward 0 ----
static inline int64_t weft__quotient_i64(int64_t a, int64_t b, const char **bad) {
  if (b == 0)
    *bad = WEFT_DIVIDED_BY_ZERO;
  return b == -1 ? (int64_t)(0 - (uint64_t)a) : a / WEFT_DIVISOR(b);
}

static inline uint64_t weft__quotient_u64(uint64_t a, uint64_t b, const char **bad) {
  if (b != 0)
    return a / b;
  *bad = WEFT_DIVIDED_BY_ZERO;
  return 0;
}

static inline int64_t weft__remainder_i64(int64_t a, int64_t b, const char **bad) {
  if (b == 0)
    *bad = WEFT_MODULO_ZERO;
  return a % WEFT_DIVISOR(b);
}

static inline uint64_t weft__remainder_u64(uint64_t a, uint64_t b, const char **bad) {
  if (b != 0)
    return a % b;
  *bad = WEFT_MODULO_ZERO;
  return 0;
}

static inline double weft__remainder_f64(double a, double b) {
  return fmod(a, b);
}

// ---- down ----
static inline int64_t weft__floor_quotient_i64(int64_t a, int64_t b, const char **bad) {
  const int64_t r = a % WEFT_DIVISOR(b);
  return weft__quotient_i64(a, b, bad) - WEFT_FLOOR_IS_BELOW(a, b, r);
}

static inline int64_t weft__floor_remainder_i64(int64_t a, int64_t b, const char **bad) {
  const int64_t r = weft__remainder_i64(a, b, bad);
  return WEFT_FLOOR_IS_BELOW(a, b, r) ? r + b : r;
}

// By an infinity it is a, or that infinity where the signs differ; a remainder of 0 has the sign of b.
static inline double weft__floor_remainder_f64(double a, double b) {
  const double r = weft__remainder_f64(a, b);
  if (r == 0)
    return copysign(0, b);
  return (r < 0) != (b < 0) ? r + b : r;
}
// SPDX-License-Identifier: Apache-2.0
