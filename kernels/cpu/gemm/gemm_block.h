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
  const weft__step *s = e->step, *end = s + n;
  *out = (weft__usual){NULL, NULL, NULL};
  if (s < end && s->kind == WEFT__STEP_ADD && s->p == 1.0f && !s->by_col) out->one = s++;
  if (s < end && s->kind == WEFT__STEP_ADD && s->p == 1.0f && s->by_col) out->all = s++;
  if (s < end && s->kind == WEFT__STEP_CLIP) out->clip = s++;
  return s == end;
}

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

// tile[i * WEFT__GEMM_COLS + j] = sum over k of a[i * a_row + k * a_k] * b[k * b_k + j]. The line
// at `ahead` is fetched into the cache, ahead_step bytes further with each step.
typedef void (*weft__gemm_tile_fn)(size_t k, const float *a, size_t a_row, size_t a_k, const float *b,
                                   size_t b_k, float *tile, const char *ahead, size_t ahead_step);
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
typedef void (*weft__gemm_out_fn)(size_t tiles, size_t k, const float *a, size_t a_k, const float *b,
                                  size_t b_k, const char *ahead, size_t ahead_step, const weft__rows_out *o);
// The same for one tile with a_k 1.
typedef void (*weft__gemm_far_out_fn)(size_t k, const float *a, size_t a_row, const float *b, size_t b_k,
                                      const char *ahead, size_t ahead_step, const weft__rows_out *o);
// The same for tiles of so many rows and, by the function, at most WEFT__GEMM_FEW columns.
enum { WEFT__GEMM_FEW = 4 };
typedef void (*weft__gemm_few_fn)(size_t tiles, size_t rows, size_t k, const float *a, size_t a_k,
                                  const float *b, size_t b_k, const weft__rows_out *o);
// weft__gemm_tile_fn for WEFT__GEMM_WIDE panels at once, b_panel numbers apart; tile t begins at tile + t *
// ROWS * COLS.
typedef void (*weft__gemm_wide_fn)(size_t k, const float *a, size_t a_row, size_t a_k, const float *b,
                                   size_t b_k, size_t b_panel, float *tile);
enum { WEFT__GEMM_WIDE_ROWS = 4 };

// The same with row k of b at x + at[k]; a_row is 1.
typedef void (*weft__gemm_taps_fn)(size_t k, const float *a, size_t a_k, const float *x, const uint32_t *at,
                                   float *tile);

// Rows of columns: column j of a row is src[(j - first) * stride] of the piece with low <= j < high, and 0
// where there is none; only what is used is read. From row to row sources and destinations move by these
// steps.
typedef struct weft__piece {
  const float *src;
  uint32_t first, low, high;
} weft__piece;
typedef struct weft__gather {
  const weft__piece *piece;
  size_t n, stride;
  size_t outer, inner, src_outer, src_inner, dst_outer, dst_inner;
} weft__gather;

// Planes of outputs whose windows slide over planes of the input; all are lists of rows, one after the other.
// Windows have at most WEFT__PLANE_TAPS columns, and rows of outputs at most WEFT__PLANE_OUTPUTS.
enum { WEFT__PLANE_TAPS = 8, WEFT__PLANE_OUTPUTS = 512, WEFT__PLANE_COLUMNS = 256 };
typedef struct weft__plane {
  const float *x;
  float *y;
  size_t planes, in[2], out[2];  // rows, columns
  size_t stride;                 // 1 or 2, along both axes
  int64_t begin[2];              // padding
} weft__plane;
enum { WEFT__POOL_WIDE = 1024 };  // places of an input's row, with padding, that a window may reach over
// Windows of a row of n outputs, all inside the input, `stride` numbers apart: taps at x + tap[t], whose
// places are place[t], `step` further on from output to output. All places are below 2^31.
typedef struct weft__places {
  const float *x;
  const size_t *tap;
  const uint32_t *place;
  size_t taps, stride, n, step;
} weft__places;
struct weft__pooling;  // pool.h
typedef struct weft__nine {
  const float *w, *bias;  // 9 a plane; NULL: none
  size_t by;              // numbers from a plane's bias to the next one's
  float scale, low, high;
} weft__nine;

// Windows of high x wide taps that slide over a strip (conv_strips.h): tap t of row r of the outputs is at
// x + at[t] + r * pitch, which rows of taps `stride` apart share. At most WEFT__WINDOW_HIGH rows of taps are
// of one phase of the stride.
enum { WEFT__WINDOW_ROWS = 4, WEFT__WINDOW_ROWS_MOST = 7, WEFT__WINDOW_HIGH = 7 };
typedef struct weft__windows {
  const float *x, *w;
  const uint32_t *at;
  size_t pitch, high, wide, stride;
  float bias, least, most;
} weft__windows;

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
  // Writes outer x inner rows of `cols` numbers.
  void (*gather)(float *dst, const weft__gather *g);
  // Copies rows of n numbers that lie `stride` apart in the source: they are side by side in the destination,
  // which may be written behind the end of each row, by less than a vector, but not at `end` or behind.
  void (*copy_rows)(float *dst, size_t dst_row, const float *end, const float *src, size_t src_row,
                    size_t stride, size_t n, size_t rows);
  // y[i] = bias + sum over t of w[t] * x[i + at[t]], at least low, then at most high, for i < n, a multiple
  // of vec.
  void (*taps)(const float *x, const uint32_t *at, const float *w, size_t taps, float *y, size_t n,
               float bias, float low, float high);
  // y = bias + the sum of taps, at least `least`, then at most `most`, of `cols` columns and
  // WEFT__WINDOW_ROWS rows or more.
  void (*windows)(const weft__windows *q, size_t rows, size_t cols, float *y, size_t y_row);
  // Windows of 3 x 3: scale * bias + the sum of taps, at least low, then at most high; padding is zeros.
  void (*nine)(const weft__plane *p, const weft__nine *q);
  // The largest number of each window, NaN wins, -infinity where nothing is inside; or the average. Rows
  // [first, last) of all rows of outputs, of all planes; x and y begin with the first plane's.
  void (*pool)(const struct weft__pooling *p, const float *x, float *y, size_t first, size_t last);
  // The largest number of each window, the first of equal ones or of NaN, and its place.
  void (*places)(const weft__places *p, float *y, uint32_t *out_at);
} weft__gemm_ops;
extern const weft__gemm_ops weft__gemm_plain, weft__gemm_avx2, weft__gemm_avx512;
const weft__gemm_ops *weft__gemm_find(const weft_host *host);  // of weft__cpu_isa
// Do windows of so many columns fit, for rows of `out` outputs?
static inline bool weft__plane_fits(const weft__gemm_ops *ops, size_t taps, size_t out) {
  return taps <= WEFT__PLANE_TAPS && out <= WEFT__PLANE_OUTPUTS &&
         (out + ops->vec - 1) / ops->vec * taps <= WEFT__PLANE_COLUMNS;
}
