// vector_math_table.h - the inner loops of the kernels around products, one table an instruction set: the
// same source (vector_math_all.h) compiled once for each. Pointers need the alignment of their elements only;
// output may lie over an input where it begins at the same element.
#pragma once
#include "cpu/simd/isa.h"
#include "cpu/elementwise/tile.h"

// Rows that are sums of others: output o is the sum over t < taps[o], which is at least 1, of w[k] times row
// at[k], k = o * taps_max + t. Rows of n numbers lie `row` numbers apart.
typedef struct weft__resampled {
  const uint32_t *taps, *at;
  const float *w;
  size_t taps_max, n, row;
} weft__resampled;

// Numbers that are made of others: number i of products w[t][i] * x[at[t][i]], t < taps. Where the weight is
// 0 the product is, whatever the number that is read.
enum { WEFT__GATHERED = 64, WEFT__GATHERED_TAPS = 32 };
typedef struct weft__gathered {
  size_t taps;
  uint32_t at[WEFT__GATHERED_TAPS][WEFT__GATHERED];
  float w[WEFT__GATHERED_TAPS][WEFT__GATHERED];
} weft__gathered;

// The same where what is read lies in pairs: number i of products w[t][2 i] * x[at[t][i]] and w[t][2 i + 1] *
// x[at[t][i] + 1], t < rows. They are read by eights: what follows the numbers of a piece are pairs, too.
enum { WEFT__PAIR_ROWS = 16 };
typedef struct weft__paired {
  size_t rows;
  uint32_t at[WEFT__PAIR_ROWS][WEFT__GATHERED];
  float w[WEFT__PAIR_ROWS][2 * WEFT__GATHERED];
} weft__paired;
// An axis of n elements on which coordinate v is place ((v + 1) * by - less) / 2, brought to [low, high],
// which lies within [-1, n].
typedef struct weft__linear_axis {
  double n, by, less, low, high;
} weft__linear_axis;

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

typedef struct weft__place_row {  // a row of places that indices name
  int64_t dim;                    // an index is below it, and not below 0, or with `negative` -dim
  size_t every;                   // from one index to the next, in indices
  size_t base, stride, step;      // place i is base + i * stride + index * step; every > 1: stride is 0
  bool negative;
} weft__place_row;

typedef struct weft__vec {
  weft__tile_table tile;
  // Rows of n numbers, one behind the other. Sums are accumulated in double or in 16 floats a 256 numbers: an
  // order that depends on n alone.
  void (*softmax)(const float *x, float *y, size_t n, size_t rows, bool log);
  // Columns: n numbers side by side, `lanes` deep with `step` between; max and sum are scratch of n.
  void (*softmax_columns)(const float *x, float *y, size_t n, size_t lanes, size_t step, bool log, float *max,
                          float *sum);
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
  // y = (x - mean - rest) * scale * gamma + beta, gamma and beta by element (NULL: 1 and 0)
  void (*normalise)(const float *x, float *y, size_t n, float mean, float rest, float scale,
                    const float *gamma, const float *beta);
  // y = (x - mean) * scale + shift; the second by element
  void (*affine)(const float *x, float *y, size_t n, float mean, float scale, float shift);
  void (*affine_by)(const float *x, float *y, size_t n, const float *mean, const float *scale,
                    const float *shift);
  void (*lrn)(const float *x, float *y, size_t channels, size_t step, size_t n, size_t before, size_t after,
              float alpha, float beta, float bias);
  void (*transpose)(const uint32_t *x, size_t x_line, uint32_t *y, size_t y_line, size_t rows, size_t cols);
  // The same of elements of 1, 2, 4 and 8 bytes.
  void (*turn[4])(const void *x, size_t x_line, void *y, size_t y_line, size_t rows, size_t cols);
  // y[i * lines + r] = x[r * line + i] for i < n: lines side by side become one.
  void (*weave)(const float *x, size_t line, float *y, size_t lines, size_t n);
  // A copy past the caches, where there are stores for that.
  void (*stream)(void *to, const void *from, size_t bytes);
  // n lines of so many bytes; steps are bytes modulo 2^64: backwards works out.
  void (*lines)(void *to, size_t to_step, const void *from, size_t from_step, size_t bytes, size_t n);
  // Rows of n elements of 4 bytes, wherever they lie, each twice: in rows of 2 n, which are written `times`
  // times, 1 or 2, each.
  void (*twice)(const void *x, void *y, size_t n, size_t rows, size_t times);
  // Of n elements that are integers of 1 << width bytes, those with any of `bits` set: how many, and, of at
  // most WEFT__FIND_PIECE, where; `out` has room for 16 more than are found.
  size_t (*count)(const void *x, size_t n, unsigned width, uint64_t bits);
  size_t (*find)(const void *x, size_t n, unsigned width, uint64_t bits, uint32_t *out);
  void (*put_wide)(const uint32_t *x, int64_t at, int64_t *y, size_t n);  // y = at + x
  void (*put_narrow)(const uint32_t *x, int64_t at, int32_t *y, size_t n);
  // n places by indices of 32 ([0]) and 64 bits; with `more` index * step is added to those that are there.
  // False: an index is outside, and nothing that was written means anything.
  bool (*places[2])(const weft__place_row *r, const void *indices, size_t n, bool more, size_t *out);
  // y = a * wa + b * wb
  void (*mix)(const float *a, const float *b, float *y, size_t n, float wa, float wb);
  // Outputs [first, last), of which y is the first.
  void (*resample)(const weft__resampled *r, size_t first, size_t last, const float *x, float *y);
  // n sums, or of pairs the largest products (NaN wins); more: together with what is in y.
  void (*gathered)(const float *x, const weft__gathered *g, float *y, size_t n, bool more);
  void (*paired)(const float *x, const weft__paired *g, float *y, size_t n, bool more);
  void (*paired_most)(const float *x, const weft__paired *g, float *y, size_t n, bool more);
  // The pairs of n places in a plane of `axes` axes, whose coordinates lie together, those of the last axis
  // first: linear between elements, zero outside. The last axis has 2 elements or more.
  void (*linear)(const weft__linear_axis *a, size_t axes, const float *grid, size_t n, weft__paired *out);
  // Rows of float16 ([0]) and bfloat16 ([1]); back they are rounded to nearest, ties to even.
  void (*widen[2])(const uint16_t *x, float *y, size_t n);
  void (*narrow[2])(const float *x, uint16_t *y, size_t n);
} weft__vec;
extern const weft__vec weft__vec_plain, weft__vec_avx2, weft__vec_avx512;
const weft__vec *weft__vec_find(const weft_host *host);  // of weft__cpu_isa
