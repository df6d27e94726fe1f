// pool.h - what MaxPool, MaxPoolV3 and AvgPoolV2 do over one or two spatial axes, for kernels of plain and of
// packed tensors. What the windows are follows the operators' own rule: ceil mode and SAME only change the
// number of outputs and the padding before.
#pragma once
#include "cpu/gemm_block.h"
#include "cpu/rows.h"

typedef struct weft__pool_window {
  size_t in, out;
  int64_t kernel, stride, dilation, begin, end;
} weft__pool_window;
typedef struct weft__pooling {
  size_t planes, per;
  weft__pool_window h, w;
  bool average, exclusive;
  bool whole;  // one window that is the input
  int64_t divisor;
  uint8_t from, to;  // WEFT__STORE_*
  const weft__vec *vec;
  const weft__gemm_ops *ops;  // of windows that slide over whole planes; NULL: they do not
} weft__pooling;
enum { WEFT__MAX_POOL, WEFT__MAX_POOL_V3, WEFT__AVG_POOL };

// Why not; NULL: read. The operator is that of t->desc, of f32, f16 or bf16, channels first, shapes known.
const char *weft__pooling_read(const weft_tiling *t, int kind, weft__pooling *out);
// Taps [*first, *last) of output o that lie inside the input; *out_padded: those inside input and padding.
void weft__pooling_taps(const weft__pool_window *w, size_t o, int64_t *first, int64_t *last,
                        int64_t *out_padded);
// Outputs [*a, *b) of which all taps lie inside.
void weft__pooling_inside(const weft__pool_window *w, size_t *a, size_t *b);
// What a sum of so many rows and columns of taps is divided by, of them `padded_*` with padding.
static inline double weft__pooling_divisor(const weft__pooling *p, int64_t rows, int64_t cols,
                                           int64_t padded_rows, int64_t padded_cols) {
  if (p->divisor > 0) return (double)p->divisor;
  return p->exclusive ? (double)rows * (double)cols : (double)padded_rows * (double)padded_cols;
}
