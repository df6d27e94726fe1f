// gemm_shape.h - a matrix product, alone or first of a region, as kernels of products see it.
#pragma once
#include "cpu/product.h"

typedef struct weft__gemm_shape {
  size_t m, n, k, a_row, a_k, b_k, b_n;  // sizes, strides in elements
  size_t batches, batch_rank, dim[WEFT_MAX_RANK], a_step[WEFT_MAX_RANK], b_step[WEFT_MAX_RANK];
  size_t a_count, b_count;  // matrices of each
  bool turned;              // b lies transposed
  weft__epilogue e;
} weft__gemm_shape;
// Why not; NULL: found, and filled when all shapes are known.
const char *weft__gemm_read(const weft_tiling *t, weft__product *p, weft__gemm_shape *g);
// Dim `back` from the end: 1 is the last.
static inline size_t weft__gemm_dim(const weft_shape *s, size_t back) {
  return (size_t)s->dim[s->rank - back];
}
