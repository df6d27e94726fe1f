// block_steps.h - the steps of an epilogue, in registers or over a tile number by number, compiled for each
// instruction set.
#pragma once
#include "cpu/gemm/block_vec.h"

// ---- rows on the way out ----
// Fetches where a tile will go.
WEFT_INLINE void fetch_rows(size_t rows, const weft__rows_out *o) {
  UNROLL
  for (size_t i = 0; i < rows; i++) {
    __builtin_prefetch(o->y + i * o->y_row, 1);
    __builtin_prefetch(o->y + i * o->y_row + COLS - 1, 1);
  }
}
// The last part on its way to the output; more: the other parts are in the tile.
WEFT_INLINE void leave_rows(size_t rows, vec (*s)[2], const float *tile, bool more, const weft__rows_out *o) {
  const vec least = spread(o->low);
  const vec most = spread(o->high);
  const float *one = o->one;
  const float *all = o->all;
  float *y = o->y;
  // Each question once, not once a row.
  if (more)
    UNROLL
  for (size_t i = 0; i < rows; i++) {
    s[i][0] += load(tile + i * TILE);
    s[i][1] += load(tile + i * TILE + VEC);
  }
  if (all) {
    UNROLL
    for (size_t i = 0; i < rows; i++) {
      const vec v = spread(*one);
      s[i][0] = s[i][0] + v + load(all);
      s[i][1] = s[i][1] + v + load(all + VEC);
      one += o->one_row;
      all += o->all_row;
    }
  } else {
    UNROLL
    for (size_t i = 0; i < rows; i++) {
      const vec v = spread(*one);
      s[i][0] += v;
      s[i][1] += v;
      one += o->one_row;
    }
  }
  UNROLL
  for (size_t i = 0; i < rows; i++) {
    store(y, vector_min(most, vector_max(least, s[i][0])));
    store(y + VEC, vector_min(most, vector_max(least, s[i][1])));
    y += o->y_row;
  }
}

// ---- steps over a tile: `rows` rows of COLS numbers, TILE apart; results go to rows `to_row` apart ----
#define OVER(e)                              \
  for (size_t i = 0; i < rows; i++) {        \
    const float *t = tile + i * TILE;        \
    float *y = to + i * to_row;              \
    WEFT_LOOP(size_t j = 0; j < COLS; j++) { \
      const float x = t[j];                  \
      y[j] = (e);                            \
    }                                        \
  }                                          \
  break
#ifdef __AVX2__
#include "cpu/simd/vector_math_wide.h"
#define DEAR(e, e_wide)                      \
  for (size_t i = 0; i < rows; i++) {        \
    const float *t = tile + i * TILE;        \
    float *y = to + i * to_row;              \
    for (size_t j = 0; j < COLS; j += VEC) { \
      const wvec v = load_wide(t + j);       \
      store_wide(y + j, (e_wide));           \
    }                                        \
  }                                          \
  break
#else
#define DEAR(e, e_wide) OVER(e)
#endif
static void activate(const float *tile, size_t rows, const weft__step *s, float *to, size_t to_row) {
  const float p = s->p;
  const float q = s->q;
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
// SPDX-License-Identifier: Apache-2.0
