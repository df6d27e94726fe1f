// Room pool: pools of float with channels first.
// Uses: conv, gemm, rows, simd.
// Kernels: those that its sources name; tools/gen_kernel_table.py makes the table of all rooms.
//
// pool.h - what MaxPool, MaxPoolV3, AvgPoolV2 and MaxPoolWithArgmaxV3 do over one to three spatial axes, for
// kernels of plain and of packed tensors. What the windows are follows the operators' own rule: ceil mode and
// SAME only change the number of outputs and the padding before.
#pragma once
#include "cpu/rows/rows_ops.h"
#include "cpu/pool/pool_ops.h"
#include "cpu/rows/rows.h"
#include "window.rule.h"

typedef struct weft__pool_window {
  size_t in, out;
  int64_t kernel, stride, dilation, begin, end;
} weft__pool_window;
typedef struct weft__pooling {
  size_t planes;              // of all channels; with a third axis they are volumes
  weft__pool_window d, h, w;  // depth, height, width: leading ones of one place where there are fewer
  size_t in, out;             // numbers of a plane
  bool average, exclusive;
  bool whole;  // one window that is the input
  int64_t divisor;
  uint8_t from, to;  // WEFT__STORE_*
  const weft__rows_ops *vec;
} weft__pooling;
enum { WEFT__MAX_POOL, WEFT__MAX_POOL_V3, WEFT__AVG_POOL, WEFT__MAX_PLACES };

// Why not; NULL: read. The operator is that of t->desc, of f32, f16 or bf16, channels first, shapes known.
const char *weft__pooling_read(const weft_tiling *t, int kind, weft__pooling *out);
// Outputs [*a, *b) of which all taps lie inside.
void weft__pooling_inside(const weft__pool_window *w, size_t *a, size_t *b);

// Taps [first, last) of an output that lie inside the input; `padded` lie inside the input and its padding.
typedef struct weft__pool_taps {
  int64_t first, last, padded;
} weft__pool_taps;
static inline int64_t weft__pooling_before(const weft__pool_window *w, int64_t at, int64_t edge) {
  return weft__window_before(w->kernel, w->dilation, at, edge);
}
static inline weft__pool_taps weft__pooling_taps(const weft__pool_window *w, size_t o) {
  int64_t at = (int64_t)o * w->stride - w->begin;
  int64_t in = (int64_t)w->in;
  weft__pool_taps t = {.first = weft__pooling_before(w, at, 0),
                       .last = weft__pooling_before(w, at, in),
                       .padded = weft__pooling_before(w, at, in + w->end)};
  if (t.last < t.first)
    t.last = t.first;
  return t;
}
// Where tap `tap` of an output lies.
static inline int64_t weft__pooling_at(const weft__pool_window *w, size_t o, int64_t tap) {
  return (int64_t)o * w->stride - w->begin + tap * w->dilation;
}
// What a sum is divided by is a product of one number for each axis, unless the operator says it.
static inline double weft__pooling_by(const weft__pooling *p, weft__pool_taps t) {
  return (double)(p->exclusive ? t.last - t.first : t.padded);
}
// SPDX-License-Identifier: Apache-2.0
