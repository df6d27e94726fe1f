// rows_ops.h - the inner loops of kernels that go over rows of numbers, one table an
// instruction set: the same source compiled once for each. Pointers need the alignment of their elements
// only; output may lie over an input where it begins at the same element.
#pragma once
#include "cpu/simd/isa.h"

enum { WEFT__FIND_PIECE = 256, WEFT__SCAN_PIECE = 256 };

// What joins numbers of a type: of WIDE, sums of 32-bit integers are of 64 bits.
enum { WEFT__FOLD_SUM, WEFT__FOLD_PROD, WEFT__FOLD_MAX, WEFT__FOLD_MIN, WEFT__FOLD_WIDE, WEFT__FOLD_SQUARES };
enum { WEFT__FOLD_OPS = 6 };
enum {
  WEFT__FOLD_F64,
  WEFT__FOLD_I32,
  WEFT__FOLD_U32,
  WEFT__FOLD_I64,
  WEFT__FOLD_U64,
  WEFT__FOLD_I8,
  WEFT__FOLD_U8
};
enum { WEFT__FOLD_TYPES = 7 };
typedef struct weft__fold {                         // NULL: not of this type
  void (*row)(const void *x, size_t n, void *acc);  // all of a row with *acc
  // acc[i] with x[i], x[step + i] ... of `rows` rows, one after the other
  void (*rows)(const void *x, size_t step, size_t rows, void *acc, size_t n);
} weft__fold;

enum { WEFT__SCAN_F32, WEFT__SCAN_F64, WEFT__SCAN_U32, WEFT__SCAN_U64, WEFT__SCAN_TYPES };
typedef struct weft__scan {  // running sums
  // Of n <= WEFT__SCAN_PIECE columns, `rows` deep with `step` between.
  void (*columns)(const void *x, void *y, ptrdiff_t step, size_t rows, size_t n, bool exclusive);
  // Of four lanes of n numbers, `line` apart, with `step` between numbers.
  void (*lanes)(const void *x, void *y, size_t line, ptrdiff_t step, size_t n, bool exclusive);
} weft__scan;

// Local response normalisation: y = x / (bias + alpha * the sum of squares of the channels around)^beta.
typedef struct weft__lrn_window {
  size_t before;  // neighbours
  size_t after;
  float alpha;
  float beta;
  float bias;
} weft__lrn_window;

// Columns: n numbers side by side, `lanes` deep with `step` between; max and sum are scratch of n.
typedef struct weft__softmax_columns {
  const float *x;
  float *y;
  size_t n, lanes, step;
  float *max, *sum;
} weft__softmax_columns;

// y = (x - mean - rest) * scale * gamma + beta, gamma and beta by element (NULL: 1 and 0). `mean` may have no
// float near it: `rest` is what the float leaves.
typedef struct weft__norm_by {
  float mean, rest, scale;
  const float *gamma, *beta;
} weft__norm_by;

typedef struct weft__rows_ops {
  // Rows of n numbers, one behind the other. Sums are accumulated in double or in 16 floats a 256 numbers: an
  // order that depends on n alone.
  void (*softmax)(const float *x, float *y, size_t n, size_t rows, bool log);
  void (*softmax_columns)(const weft__softmax_columns *c, bool log);
  double (*sum)(const float *x, size_t n);
  double (*sum_squares)(const float *x, size_t n, double mean);
  float (*max)(const float *x, size_t n);  // NaN wins
  float (*min)(const float *x, size_t n);
  bool (*below)(const float *x, size_t n, float bound);  // all magnitudes, bound > 0; NaN is not
  // acc[i] += x[i] + x[step + i] + ... of `rows` rows, one after the other.
  void (*add_rows)(const float *x, size_t step, size_t rows, double *acc, size_t n);
  // The same of products and squares.
  void (*multiply_rows)(const float *x, size_t step, size_t rows, double *acc, size_t n);
  void (*add_squares)(const float *x, size_t step, size_t rows, double *acc, size_t n);
  double (*product)(const float *x, size_t n);
  // Of e^(x[i] - most), most by element in the second.
  double (*sum_exps)(const float *x, size_t n, float most);
  void (*add_exps)(const float *x, const float *most, double *acc, size_t n);
  weft__fold fold[WEFT__FOLD_TYPES][WEFT__FOLD_OPS];
  weft__scan scan[WEFT__SCAN_TYPES];
  void (*max_into)(const float *x, float *acc, size_t n);
  void (*min_into)(const float *x, float *acc, size_t n);
  void (*normalise)(const float *x, float *y, size_t n, const weft__norm_by *by);
  // y = (x - mean) * scale + shift; the second by element
  void (*affine)(const float *x, float *y, size_t n, float mean, float scale, float shift);
  void (*affine_by)(const float *x, float *y, size_t n, const float *mean, const float *scale,
                    const float *shift);
  // n pixels (at most 256) of all channels, `step` from channel to channel.
  void (*lrn)(const float *x, float *y, size_t channels, size_t step, size_t n, const weft__lrn_window *w);
  // Of n elements that are integers of 1 << width bytes, those with any of `bits` set: how many, and, of at
  // most WEFT__FIND_PIECE, where; `out` has room for 16 more than are found.
  size_t (*count)(const void *x, size_t n, unsigned width, uint64_t bits);
  size_t (*find)(const void *x, size_t n, unsigned width, uint64_t bits, uint32_t *out);
  void (*put_wide)(const uint32_t *x, int64_t at, int64_t *y, size_t n);  // y = at + x
  void (*put_narrow)(const uint32_t *x, int64_t at, int32_t *y, size_t n);
  // Rows of float16 ([0]) and bfloat16 ([1]); back they are rounded to nearest, ties to even.
  void (*widen[2])(const uint16_t *x, float *y, size_t n);
  void (*narrow[2])(const float *x, uint16_t *y, size_t n);
} weft__rows_ops;
extern const weft__rows_ops weft__rows_ops_plain, weft__rows_ops_avx2, weft__rows_ops_avx512;
const weft__rows_ops *weft__rows_find(const weft_host *host);  // of weft__cpu_isa
// SPDX-License-Identifier: Apache-2.0
