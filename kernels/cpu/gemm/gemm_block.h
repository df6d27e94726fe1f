// gemm_block.h - the inner loops of products and convolutions, one table an instruction set: the same source
// (gemm_block_body.h) compiled once for each.
//
// A product is cut into tiles of at most `rows` x `cols` sums that live in registers. Operand a is read row
// by row, one number for a whole vector of b; b lies in panels of `cols` numbers side by side for each step
// of the inner dimension. A tile's sums go to a small array, and from there through the epilogue to the
// output. The order in which a sum is made depends on the inner dimension alone.
#pragma once
#include "cpu/simd/isa.h"

enum { WEFT__GEMM_ROWS = 14, WEFT__GEMM_COLS = 32, WEFT__GEMM_STEPS = 12, WEFT__GEMM_WIDE = 4 };

// What happens to a sum on its way out: steps in order. Of ADD the operand is argument `arg` of the launch,
// at batch * by_batch + row * by_row + column * by_col.
enum {
  WEFT__STEP_ADD,    // x + p * operand
  WEFT__STEP_SCALE,  // p * x
  WEFT__STEP_CLIP,   // at least p, then at most q; NaN stays
  WEFT__STEP_LEAKY,  // x < 0 ? p * x : x
  WEFT__STEP_SIGMOID,
  WEFT__STEP_TANH,
  WEFT__STEP_GELU,
  WEFT__STEP_GELU_TANH,
  WEFT__STEP_SWISH,  // x * sigmoid(p * x)
  WEFT__STEP_HARD_SWISH,
  WEFT__STEP_HARD_SIGMOID,  // p * x + q, between 0 and 1
};
typedef struct weft__step {
  uint8_t kind, by_col;  // by_col: 0 or 1
  uint32_t arg;
  float p, q;
  size_t by_batch, by_row;  // in elements
} weft__step;
typedef struct weft__epilogue {
  uint32_t n;
  uint32_t direct;  // the first so many steps are ADDs, or ADDs and then one CLIP: all of them in one go
  weft__step step[WEFT__GEMM_STEPS];
} weft__epilogue;

// The usual steps: an addition by row, or of one number, then one by column, then a clip, each or none.
// False: others are among the first n.
typedef struct weft__usual {
  const weft__step *one, *all, *clip;
} weft__usual;
static inline bool weft__usual_of(const weft__epilogue *e, uint32_t n, weft__usual *out) {
  const weft__step *s = e->step;
  const weft__step *end = s + n;
  *out = (weft__usual){NULL, NULL, NULL};
  if (s < end && s->kind == WEFT__STEP_ADD && s->p == 1.0f && !s->by_col)
    out->one = s++;
  if (s < end && s->kind == WEFT__STEP_ADD && s->p == 1.0f && s->by_col)
    out->all = s++;
  if (s < end && s->kind == WEFT__STEP_CLIP)
    out->clip = s++;
  return s == end;
}

// Some columns of a matrix, read while they are packed: number (i, j) lies at b[i * b_k + j * b_n] for i < k,
// j < n; b_k or b_n is 1.
typedef struct weft__gemm_columns {
  const float *b;
  size_t b_k, b_n;
  size_t k, n;
} weft__gemm_columns;

// Where a tile goes.
typedef struct weft__tile_out {
  float *y;  // its first element
  size_t y_row;
  size_t rows, cols;
  size_t batch, row, col;  // of its first element, for operands
  bool more;               // add to what is there
  bool last;               // the sums are complete: steps follow
  const weft__epilogue *e;
  void *const *arg;
} weft__tile_out;

// What is fetched into the cache meanwhile: the line at `from`, `by` bytes further with each step.
typedef struct weft__ahead {
  const char *from;
  size_t by;
} weft__ahead;

// What the sums of a tile are made of: number (i, j) is the sum over s < k of a[i * a_row + s * a_k] *
// b[s * b_k + j].
typedef struct weft__tile_in {
  size_t k;
  const float *a;
  size_t a_row, a_k;
  const float *b;
  size_t b_k;
  weft__ahead ahead;
} weft__tile_in;
// Sum (i, j) goes to tile[i * WEFT__GEMM_COLS + j].
typedef void (*weft__gemm_tile_fn)(const weft__tile_in *f, float *tile);
// The same with a_row 1 for `tiles` tiles of `cols` columns, one below the other, whose sums are complete:
// from registers to rows of y, at least low, then at most high, after a number is added to each row and a
// tensor to all. The tiles of a lie k * a_k apart; one tile's steps fetch the next one's, the last one's what
// is at `ahead`.
typedef struct weft__rows_out {
  float *y;
  size_t y_row;
  const float *one, *all;  // all: NULL, or like y
  size_t one_row, all_row;
  float low, high;
} weft__rows_out;
typedef void (*weft__gemm_out_fn)(size_t tiles, const weft__tile_in *f, const weft__rows_out *o);
// The same for one tile with a_k 1.
typedef void (*weft__gemm_far_out_fn)(const weft__tile_in *f, const weft__rows_out *o);
// The same for tiles of so many rows and, by the function, at most WEFT__GEMM_FEW columns. Nothing is fetched
// ahead.
enum { WEFT__GEMM_FEW = 4 };
typedef void (*weft__gemm_few_fn)(size_t tiles, size_t rows, const weft__tile_in *f, const weft__rows_out *o);
// weft__gemm_tile_fn for WEFT__GEMM_WIDE panels at once, b_panel numbers apart; tile t begins at tile + t *
// ROWS * COLS. What is fetched ahead is its own matter.
typedef void (*weft__gemm_wide_fn)(const weft__tile_in *f, size_t b_panel, float *tile);
enum { WEFT__GEMM_WIDE_ROWS = 4 };

// weft__gemm_tile_fn with row k of b at x + at[k]; a_row is 1.
typedef void (*weft__gemm_taps_fn)(size_t k, const float *a, size_t a_k, const float *x, const uint32_t *at,
                                   float *tile);

typedef struct weft__gemm_ops {
  const char *name;
  uint32_t vec, rows, cols;  // floats of a vector; of a tile; cols is 2 * vec
  // [0]: a_row is 1. [1]: a_k is 1. Then the number of vectors less one, the number of rows.
  weft__gemm_tile_fn tile[2][2][WEFT__GEMM_ROWS + 1];
  weft__gemm_out_fn out[WEFT__GEMM_ROWS + 1];            // by the number of rows
  weft__gemm_far_out_fn far_out[WEFT__GEMM_ROWS + 1];    // by the number of rows
  weft__gemm_few_fn few[WEFT__GEMM_FEW + 1];             // by the number of columns
  weft__gemm_taps_fn tile_taps[2][WEFT__GEMM_ROWS + 1];  // the number of vectors less one, of rows
  weft__gemm_wide_fn wide[WEFT__GEMM_WIDE_ROWS + 1];
  // tile[i] = sum over k of a[i * a_row + k] * b[k] for i < rows, rows at most `cols`; anything behind them
  // up to `cols`.
  void (*dots)(size_t rows, size_t k, const float *a, size_t a_row, const float *b, float *tile);
  void (*finish)(float *tile, const weft__tile_out *o);
} weft__gemm_ops;
extern const weft__gemm_ops weft__gemm_plain, weft__gemm_avx2, weft__gemm_avx512;
const weft__gemm_ops *weft__gemm_find(const weft_host *host);  // of weft__cpu_isa
// SPDX-License-Identifier: Apache-2.0
