// block_steps.h - the steps of an epilogue that go over a tile number by number, compiled for each
// instruction set.
#pragma once
#include "cpu/block_vec.h"

typedef int32_t ivec __attribute__((vector_size(VEC * 4)));

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
#ifdef __AVX2__
#include "cpu/vector_math_wide.h"
#define DEAR(e, e_wide)                      \
  for (size_t i = 0; i < rows; i++) {        \
    float *t = tile + i * TILE;              \
    for (size_t j = 0; j < COLS; j += VEC) { \
      const wvec v = load_wide(t + j);       \
      store_wide(t + j, (e_wide));           \
    }                                        \
  }                                          \
  break
#else
#define DEAR(e, e_wide) OVER(e)
#endif
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
      DEAR(weft__sigmoidf(x), sigmoid_wide(v));
    case WEFT__STEP_TANH:
      DEAR(weft__tanhf(x), tanh_wide(v));
    case WEFT__STEP_GELU:
      DEAR(weft__geluf(x), gelu_wide(v));
    case WEFT__STEP_GELU_TANH:
      DEAR(weft__gelu_tanhf(x), gelu_tanh_wide(v));
    case WEFT__STEP_SWISH:
      DEAR(x < -3.4028235e38f && p > 0.0f ? __builtin_nanf("") : x * weft__sigmoidf(p * x), swish_wide(v, p));
    case WEFT__STEP_HARD_SWISH:
      OVER(x * (x < -3.0f ? 0.0f : x > 3.0f ? 6.0f : x + 3.0f) / 6.0f);
    case WEFT__STEP_HARD_SIGMOID:
      OVER(p * x + q < 0.0f ? 0.0f : p * x + q > 1.0f ? 1.0f : p * x + q);
    default:
      break;
  }
}
