// cells.h - the windows of pools of every kind - sliding, adaptive, at given places - laid out along each
// axis, and a walk over all of them. Tensors have 1 to 3 spatial axes, channels first or last. Layer: ops.
#pragma once
#include "pool.h"

typedef struct weft_cell {  // one window along one axis, clipped to the input
  int64_t first, count, step;
  int64_t padded;  // elements inside the input and its padding
} weft_cell;
typedef struct weft_cells {
  size_t spatial;  // spatial axes; the others have one window of one element
  bool last;       // channels stand behind them
  size_t outer, inner;
  int64_t in[3], out[3];
  weft_cell *cell[3];  // out[k] of them
} weft_cells;
typedef weft_status (*weft_cell_fn)(void *ctx, const weft_pool_at *at, size_t out);

// Windows of a tensor x whose outputs are those of y, both of known shapes with elements. Their cells are
// filled next.
weft_status weft__cells_begin(const weft_call *c, const weft_shape *x, const weft_shape *y, size_t spatial,
                              bool last, weft_cells *out);
void weft__cells_sliding(weft_cells *s, const weft_pool *p);
void weft__cells_adaptive(weft_cells *s);  // from floor(i in / out) to ceil((i + 1) in / out)
// Axis k of windows from at[i] to at[i + 1], that one too where they overlap; E_RANGE, E_SHAPE.
weft_status weft__cells_between(const weft_call *c, weft_cells *s, int k, const weft_tensor *at,
                                bool overlap);
weft_status weft__cells_each(const weft_call *c, const weft_cells *s, weft_cell_fn f, void *ctx);

// The attributes of a pool, whatever slots they have: ksize, strides, pads, padding or padding_mode,
// data_format, global_pooling, ceil_mode, dilation or dilations. E_RANGE where one is not positive.
weft_status weft__pool_named(weft_diag *d, const weft_op_desc *n, size_t rank, weft_pool *out);
// The windows that the attributes make of x, as the spatial dims of y; unknown dims pass.
weft_status weft__pool_spots(weft_infer *it, const weft_pool *p, const weft_shape *x, weft_shape *y);

// Sums of floats, or of integers modulo 2^64, in tensor t's order.
typedef struct weft_sums {
  weft_dtype t;
  double *f;
  uint64_t *u;
  size_t n;
} weft_sums;
weft_status weft__sums_begin(const weft_call *c, weft_dtype t, size_t n, weft_sums *out);  // zeros
static inline void weft__sums_add(weft_sums *s, size_t at, const weft_tensor *v, size_t i) {
  if (s->f)
    s->f[at] += weft_load_f64(v->dtype, v->data, i);
  else
    s->u[at] += (uint64_t)weft_load_i64(v->dtype, v->data, i);
}
weft_status weft__sums_store(const weft_call *c, const weft_sums *s, weft_tensor *out);
// SPDX-License-Identifier: Apache-2.0
