// block_steps.h - what the block sources share, compiled for each instruction set: vectors in memory, and the
// steps of an epilogue that go over a tile number by number.
#pragma once
#include "cpu/gemm_block.h"
#include "cpu/vector_math.h"

#if defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif
#define COLS (2 * VEC)
#define TILE WEFT__GEMM_COLS  // from row to row of a tile

WEFT_INLINE vec load(const float *p) {
  return *(const vec_at *)p;
}
WEFT_INLINE void store(float *p, vec v) {
  *(vec_at *)p = v;
}
WEFT_INLINE vec spread(float x) {
  return x - (vec){0};
}

// ---- steps over a tile: `rows` rows of COLS numbers, TILE apart ----
#define OVER(e)                              \
  for (size_t i = 0; i < rows; i++) {        \
    float *t = tile + i * TILE;              \
    WEFT_LOOP(size_t j = 0; j < COLS; j++) { \
      const float x = t[j];                  \
      t[j] = (e);                            \
    }                                        \
  }                                          \
  break
static void activate(float *tile, size_t rows, const weft__step *s) {
  const float p = s->p, q = s->q;
  switch (s->kind) {
    case WEFT__STEP_SCALE:
      OVER(x * p);
    case WEFT__STEP_CLIP:
      OVER((x < p ? p : x) > q ? q : (x < p ? p : x));
    case WEFT__STEP_LEAKY:
      OVER(x < 0.0f ? p * x : x);
    case WEFT__STEP_SIGMOID:
      OVER(weft__sigmoidf(x));
    case WEFT__STEP_TANH:
      OVER(weft__tanhf(x));
    case WEFT__STEP_GELU:
      OVER(weft__geluf(x));
    case WEFT__STEP_GELU_TANH:
      OVER(weft__gelu_tanhf(x));
    case WEFT__STEP_SWISH:
      OVER(x < -3.4028235e38f && p > 0.0f ? __builtin_nanf("") : x * weft__sigmoidf(p * x));
    case WEFT__STEP_HARD_SWISH:
      OVER(x * (x < -3.0f ? 0.0f : x > 3.0f ? 6.0f : x + 3.0f) / 6.0f);
    case WEFT__STEP_HARD_SIGMOID:
      OVER(p * x + q < 0.0f ? 0.0f : p * x + q > 1.0f ? 1.0f : p * x + q);
    default:
      break;
  }
}
