// ops/quant/mat_mul_n_bits.c - y = x @ w' + bias, where w is stored in few bits: w[k, n] = (q - zero) * scale
// of the block of column n that k lies in.   ONNX Runtime MatMulNBits-1. AscendIR has no operator of this
// name; its WeightQuantBatchMatmulV2 holds numbers of 4 signed bits and zero points as floats. Bytes as the
// peer lays them: for each column its blocks, each rounded up to whole bytes, the first number in the lowest
// bits. Without zero points half of the range stands for 0. g_idx names the block of each k, in the place of
// k / block_size. Sums are double and rounded once.
#include "op.h"

enum { X, W, SCALES, ZERO, G_IDX, BIAS };
enum { K, N, BITS, BLOCK };

typedef struct nbits {
  // blob: bytes of a block; zero_row: of a column's zero points
  int64_t k, n, bits, block, blocks, blob, zero_row;
} nbits;

static weft_status read_nbits(const weft_op_desc *desc, weft_diag *d, nbits *b) {
  *b = (nbits){.k = weft_node_int(desc, K), .n = weft_node_int(desc, N)};
  b->bits = weft_node_int(desc, BITS);
  b->block = weft_node_int(desc, BLOCK);
  if (b->bits != 2 && b->bits != 4 && b->bits != 8)
    return weft_fail(d, WEFT_E_RANGE, "attribute 'bits': expected 2, 4 or 8, got %lld", (long long)b->bits);
  if (b->block & (b->block - 1)) {
    return weft_fail(d, WEFT_E_RANGE, "attribute 'block_size': expected a power of two, got %lld",
                     (long long)b->block);
  }
  b->blocks = (b->k + b->block - 1) / b->block;
  b->blob = b->block * b->bits / 8;
  b->zero_row = (b->blocks * b->bits + 7) / 8;
  return WEFT_OK;
}

// Dims do not matter, exporters write them flat or not: the number of elements does.
static weft_status expect_elems(const weft_infer *it, uint32_t port, const char *name, int64_t per_column,
                                int64_t n) {
  uint32_t in;
  int64_t all = 0;
  if (!weft__has_in(it->desc, port, &in) || !weft_shape_is_known(it->in[in]))
    return WEFT_OK;
  if (__builtin_mul_overflow(per_column, n, &all))
    return weft_fail(it->d, WEFT_E_OVERFLOW, "%lld columns of %lld", (long long)n, (long long)per_column);
  size_t got = weft__elems(it->in[in]);
  if (got == (size_t)all)
    return WEFT_OK;
  return weft_fail(it->d, WEFT_E_SHAPE, "input '%s': expected %lld elements (%lld for each of %lld), got %zu",
                   name, (long long)all, (long long)per_column, (long long)n, got);
}

static weft_status mat_mul_n_bits_infer(weft_infer *it) {
  nbits b;
  uint32_t zero;
  const weft_shape *x = it->in[X];
  WEFT_TRY(read_nbits(it->desc, it->d, &b));
  WEFT_TRY(expect_elems(it, W, "w", b.blocks * b.blob, b.n));
  WEFT_TRY(expect_elems(it, SCALES, "scales", b.blocks, b.n));
  bool packed = weft__has_in(it->desc, ZERO, &zero) && it->in_dtype[zero] == WEFT_UINT8;
  WEFT_TRY(expect_elems(it, ZERO, "zero_points", packed ? b.zero_row : b.blocks, b.n));
  WEFT_TRY(expect_elems(it, G_IDX, "g_idx", 1, b.k));
  WEFT_TRY(expect_elems(it, BIAS, "bias", 1, b.n));
  if (weft_shape_is_unknown_rank(x))
    return weft__unknown_rank(it, 0);
  WEFT_TRY(weft__expect_rank(it, X, 1, WEFT_MAX_RANK));
  weft_dim dims[WEFT_MAX_RANK];
  for (size_t i = 0; i < x->rank; i++)
    dims[i] = x->dim[i];
  if (dims[x->rank - 1] >= 0 && dims[x->rank - 1] != b.k) {
    return weft_fail(it->d, WEFT_E_SHAPE, "input 'x': the last dim is %lld, attribute 'K' says %lld",
                     (long long)dims[x->rank - 1], (long long)b.k);
  }
  dims[x->rank - 1] = b.n;
  return weft_set_out_shape(it, 0, dims, x->rank);
}

static int64_t bits_at(const uint8_t *row, int64_t i, int64_t bits) {
  int64_t at = i * bits;
  return row[at / 8] >> (at % 8) & ((1 << bits) - 1);
}

static const weft_tensor *port_in(const weft_call *c, uint32_t port) {
  uint32_t in;
  return weft__has_in(c->desc, port, &in) ? c->in[in] : NULL;
}

static double zero_at(const weft_tensor *zero, const nbits *b, int64_t column, int64_t block) {
  if (!zero)
    return (double)(1 << (b->bits - 1));
  if (zero->dtype != WEFT_UINT8)
    return weft_load_f64(zero->dtype, zero->data, (size_t)(column * b->blocks + block));
  return (double)bits_at((const uint8_t *)zero->data + column * b->zero_row, block, b->bits);
}

// Column n as numbers.
static weft_status unpack_column(const weft_call *c, const nbits *b, int64_t n, double *to) {
  const weft_tensor *w = c->in[W];
  const weft_tensor *scales = c->in[SCALES];
  const weft_tensor *zero = port_in(c, ZERO);
  const weft_tensor *g = port_in(c, G_IDX);
  const uint8_t *q = (const uint8_t *)w->data + n * b->blocks * b->blob;
  for (int64_t k = 0; k < b->k; k++) {
    int64_t block = g ? weft_load_i64(g->dtype, g->data, (size_t)k) : k / b->block;
    if (block < 0 || block >= b->blocks) {
      return weft_fail(c->d, WEFT_E_RANGE, "input 'g_idx': %lld at %lld is outside [0, %lld]",
                       (long long)block, (long long)k, (long long)b->blocks - 1);
    }
    double scale = weft_load_f64(scales->dtype, scales->data, (size_t)(n * b->blocks + block));
    to[k] = ((double)bits_at(q, k, b->bits) - zero_at(zero, b, n, block)) * scale;
  }
  return WEFT_OK;
}

static weft_status mat_mul_n_bits_ref(const weft_call *c) {
  const weft_tensor *x = c->in[X];
  const weft_tensor *bias = port_in(c, BIAS);
  weft_tensor *y = c->out[0];
  nbits b;
  size_t bytes;
  void *space;
  WEFT_TRY(read_nbits(c->desc, c->d, &b));
  if (!y)
    return WEFT_OK;
  if (!weft_mul_size((size_t)b.k, sizeof(double), &bytes))
    return weft_fail(c->d, WEFT_E_OVERFLOW, "a column of %lld numbers", (long long)b.k);
  WEFT_TRY(c->host->workspace(c, bytes, &space));
  double *column = space;
  const weft_shape *s = &x->layout.origin;
  size_t rows = weft__prod(s, 0, s->rank - 1);
  for (int64_t n = 0; n < b.n; n++) {
    WEFT_TRY(unpack_column(c, &b, n, column));
    double start = bias ? weft_load_f64(bias->dtype, bias->data, (size_t)n) : 0;
    for (size_t r = 0; r < rows; r++) {
      double sum = start;
      for (int64_t k = 0; k < b.k; k++)
        sum += column[k] * weft_load_f64(x->dtype, x->data, r * (size_t)b.k + (size_t)k);
      weft_store_f64(y->dtype, y->data, r * (size_t)b.n + (size_t)n, sum);
    }
  }
  return WEFT_OK;
}

#define REAL (WEFT_DT(FLOAT) | WEFT_DT(FLOAT16) | WEFT_DT(BF16))
WEFT_OP(mat_mul_n_bits) = {
    WEFT_OP_HEAD,
    .name = "MatMulNBits",
    .summary = "product with weights of 2, 4 or 8 bits, scaled block by block",
    .in = PORTS({"x", "T"}, {"w", NULL, WEFT_DT(UINT8)}, {"scales", NULL, REAL},
                {"zero_points", NULL, REAL | WEFT_DT(UINT8), .kind = WEFT_OPTIONAL},
                {"g_idx", NULL, WEFT_DT(INT32), .kind = WEFT_OPTIONAL},
                {"bias", NULL, REAL, .kind = WEFT_OPTIONAL}),
    .out = PORTS({"y", "T"}),
    .types = TYPES({"T", REAL}),
    .attrs = ATTRS({"K", "Int", NULL, "min 1;max 2147483647"}, {"N", "Int", NULL, "min 1;max 2147483647"},
                   {"bits", "Int", "4", "min 2;max 8"}, {"block_size", "Int", NULL, "min 8;max 65536"}),
    .traits = WEFT_SYMBOLIC,
    .infer = mat_mul_n_bits_infer,
    .ref = mat_mul_n_bits_ref,
    .examples = WEFT_EXAMPLES(
        "f32[1,3]{1,2,3}, u8[2,1,8]{152,7,0,0,0,0,0,0,136,15,0,0,0,0,0,0}, f32[2]{0.5,1} K=3 N=2 "
        "block_size=16"
        " -> f32[1,2]{-0.5,21}",
        "f32[1,2]{1,10}, u8[1,1,16]{130,3,0,0,0,0,0,0,0,0,0,0,0,0,0,0}, f32[1]{2}, u8[1,1]{1}, i32[2]{0,0}, "
        "f32[1]{100}"
        " K=2 N=1 bits=8 block_size=16 -> f32[1,1]{398}",
        "f32[?], u8[-1], f32[-1] K=3 N=2 block_size=16 -> f32[?]",
        "f16[-1,3], u8[2,1,8], f16[2] K=3 N=2 block_size=16 -> f16[-1,2]",
        "f32[0,3], u8[2,1,8], f32[2] K=3 N=2 block_size=16 -> f32[0,2]",
        "f32[1,4], u8[2,1,8], f32[2] K=3 N=2 block_size=16 !! E_SHAPE the last dim is 4, attribute 'K' says "
        "3",
        "f32[1,3], u8[2,1,7], f32[2] K=3 N=2 block_size=16 !! E_SHAPE input 'w': expected 16 elements",
        "f32[1,3], u8[2,1,8], f32[3] K=3 N=2 block_size=16 !! E_SHAPE input 'scales': expected 2 elements",
        "f32[1,3], u8[2,1,8], f32[2] K=3 N=2 block_size=24 !! E_RANGE 'block_size': expected a power of two"),
};
// SPDX-License-Identifier: Apache-2.0
