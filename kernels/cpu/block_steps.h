// block_steps.h - the steps of an epilogue that go over a tile number by number, compiled for each
// instruction set.
#pragma once
#include "cpu/block_vec.h"

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
