// gemm_shape.h - a matrix product, alone or first of a region, as kernels of products see it, and how they
// cut it: into units of one product, some panels of columns times some tiles of rows.
#pragma once
#include "cpu/gemm/product.h"

typedef struct weft__gemm_shape {
  size_t m, n, k, a_row, a_k, b_k, b_n;  // sizes, strides in elements
  size_t batches, batch_rank, dim[WEFT_MAX_RANK], a_step[WEFT_MAX_RANK], b_step[WEFT_MAX_RANK];
  size_t a_count, b_count;  // matrices of each
  bool turned;              // b lies transposed
  uint32_t a_arg, b_arg, y_arg;
  weft__epilogue e;
} weft__gemm_shape;
// Why not; NULL: found, and filled when all shapes are known.
const char *weft__gemm_read(const weft_tiling *t, weft__product *p, weft__gemm_shape *g);
const char *weft__gemm_read_of(const weft_tiling *t, weft_dtype type, weft__product *p, weft__gemm_shape *g);
// Which matrices of a and b product z of the batches is of.
void weft__gemm_matrices(const weft__gemm_shape *g, size_t z, size_t *out_a, size_t *out_b);
// Dim `back` from the end: 1 is the last.
static inline size_t weft__gemm_dim(const weft_shape *s, size_t back) {
  return (size_t)s->dim[s->rank - back];
}

// The error of a kernel of this name whose operands have no size in bytes.
weft_status weft__gemm_too_large(const weft_tiling *t, const char *kernel, const weft__gemm_shape *g);
static inline double weft__gemm_macs(const weft__gemm_shape *g) {
  return (double)g->batches * (double)g->m * (double)g->n * (double)g->k;
}

// Into how many blocks: fewer than convolutions of the same work, because a block fetches the panel behind
// its own, which another thread may take.
uint32_t weft__gemm_blocks(double flops, double bytes, size_t units);

typedef struct weft__gemm_cut {
  size_t rows, cols;                                            // of a tile; of a panel
  size_t panels, group, tiles, panel_parts, tile_parts, units;  // group: panels that stay together
} weft__gemm_cut;
// elem_bytes: of a packed number of b.
weft__gemm_cut weft__gemm_cut_of(const weft__gemm_shape *g, size_t rows, size_t cols, size_t elem_bytes);

// The columns of panel u of all matrices' of b.
weft__gemm_columns weft__gemm_panel_of(const weft__gemm_shape *g, const float *b, const weft__gemm_cut *cut,
                                       size_t u);

// What unit u computes.
typedef struct weft__gemm_unit {
  size_t batch, at_a, at_b;  // of y; where its matrices begin in the operands, in elements
  size_t tile0, tile1, panel0, panel1;
} weft__gemm_unit;
weft__gemm_unit weft__gemm_unit_of(const weft__gemm_shape *g, const weft__gemm_cut *cut, size_t u);
// Panels of `size` numbers, `cols` a step, one after the other: where the steps lie that unit u needs after
// steps [k0, k1) of a panel, of k, in numbers from the first panel; SIZE_MAX: nowhere. Behind the unit's own
// panels is the next unit's first one.
size_t weft__gemm_after(const weft__gemm_cut *cut, const weft__gemm_unit *u, size_t panel, size_t k0,
                        size_t k1, size_t k, size_t size);
// What is fetched with tile i of `tiles`: an equal part of `steps` steps of `line` bytes from `next` on, or
// nothing (`by` is 0).
static inline weft__ahead weft__gemm_ahead_of(const void *next, size_t steps, size_t line, size_t i,
                                              size_t tiles) {
  size_t by = WEFT_MIN(64, (line + tiles - 1) / tiles);
  size_t passed = i * steps * by;
  return next && passed < steps * line ? (weft__ahead){(const char *)next + passed, by}
                                       : (weft__ahead){next, 0};
}
// Where the tile of `rows` rows from `row` on of a panel goes: a whole sum, until `more` and `last` are set.
weft__tile_out weft__gemm_out(const weft__gemm_shape *g, const weft__gemm_cut *cut, const weft_block *b,
                              const weft__gemm_unit *u, size_t row, size_t rows, size_t panel);

uint64_t weft__gemm_key(const weft__gemm_shape *g, const weft__gemm_cut *cut);

// A constant right operand that is being packed: matrices of k x n, each in panels of `wide` columns.
typedef struct weft__gemm_right {
  size_t count, k, n, panels, wide;
} weft__gemm_right;
// Steps of a panel, which is number `panel` of all matrices', from step first_k on.
typedef struct weft__gemm_part {
  weft__gemm_columns from;
  size_t panel, first_k;
} weft__gemm_part;
typedef void (*weft__gemm_part_fn)(const weft_packing *p, const weft__gemm_right *r,
                                   const weft__gemm_part *part);
// Calls fn for all of it, reading as it lies: a few steps of all panels, or a panel where it lies turned (bit
// 0 of the key). first_k is a multiple of `unit`.
weft_status weft__gemm_right_each(const weft_packing *p, size_t wide, size_t unit, weft__gemm_part_fn fn);
// SPDX-License-Identifier: Apache-2.0
