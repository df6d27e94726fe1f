// nbits.c - MatMulNBits of float: weights of 2, 4 or 8 bits, read packed as the model has them. With few rows
// of x a column's bytes become numbers in registers and are used at once, so that memory moves what is stored
// and no more (nbits_block.h). With many rows the numbers of a panel of columns, a slice at a time, are
// written down once and multiplied as those of any product. Columns named by g_idx, of 2 bits or with blocks
// of more than a slice are unpacked one number after the other.
#include <math.h>

#include "cpu/move/move_ops.h"
#include "cpu/gemm/gemm_block.h"
#include "cpu/quant/nbits_block.h"
#include "cpu/gemm/product.h"
#include "cpu/rows/rows.h"
#include "op_slots.h"

enum { X, W, SCALES, ZERO, G_IDX, BIAS, PORTS_IN };
enum { FEW = 2 * WEFT__NBITS_ROWS, SLICE = 512, NEAR = 4096 };  // NEAR: numbers of x in the first cache
enum { ORDERED, SUMS, ODD };                                    // workspaces of few rows
enum { ZERO_NONE, ZERO_PACKED, ZERO_REAL };

typedef struct nbits {
  const weft__nbits_ops *ops;  // NULL: by hand
  const weft__gemm_ops *gemm;
  const weft__move_ops *vec;
  size_t rows, k, n, bits, block, blocks, blob, zero_row, per;
  uint32_t arg[PORTS_IN], y;
  bool few, grouped, has_bias;
  uint8_t zero;
  weft__epilogue e;
} nbits;

static const char *nbits_read_ports(const weft_tiling *t, nbits *b) {
  for (uint32_t p = 0; p < PORTS_IN; p++) {
    int64_t at = weft_port_in(t->desc, p, 0);
    bool given = at >= 0;
    bool real = p == X || p == SCALES || p == BIAS;
    b->arg[p] = given ? (uint32_t)at : 0;
    if (given && real && t->in_dtype[at] != WEFT_FLOAT)
      return "needs f32";
    if (p == BIAS)
      b->has_bias = given;
    if (p == G_IDX)
      b->grouped = given;
    if (p == ZERO && given)
      b->zero = t->in_dtype[at] == WEFT_UINT8 ? ZERO_PACKED : ZERO_REAL;
    if (p == ZERO && b->zero == ZERO_REAL && t->in_dtype[at] != WEFT_FLOAT)
      return "needs f32";
  }
  return t->out_dtype[0] == WEFT_FLOAT ? NULL : "needs f32";
}

static const char *read_nbits(const weft_tiling *t, nbits *b) {
  memset(b, 0, sizeof *b);
  const char *no = nbits_read_ports(t, b);
  if (no)
    return no;
  if (!weft__rows_plain(t))
    return "needs known shapes in plain layouts";
  const weft_shape *x = &t->in[X]->origin;
  b->k = (size_t)weft_node_int(t->desc, WEFT_SLOT_MAT_MUL_N_BITS_K);
  b->n = (size_t)weft_node_int(t->desc, WEFT_SLOT_MAT_MUL_N_BITS_N);
  b->bits = (size_t)weft_node_int(t->desc, WEFT_SLOT_MAT_MUL_N_BITS_BITS);
  b->block = (size_t)weft_node_int(t->desc, WEFT_SLOT_MAT_MUL_N_BITS_BLOCK_SIZE);
  if (!b->block || !b->k)
    return "has no blocks";
  b->blocks = (b->k + b->block - 1) / b->block;
  b->blob = b->block * b->bits / 8;
  b->zero_row = (b->blocks * b->bits + 7) / 8;
  b->rows = weft__rows_prod(x, 0, x->rank - 1);
  b->y = t->n_in;
  b->gemm = weft__gemm_find(t->host);
  b->vec = weft__move_find(t->host);
  if (b->bits >= 4 && b->block <= SLICE && !b->grouped)
    b->ops = weft__nbits_find(t->host, b->block);
  b->few = b->ops && b->rows <= FEW;
  return NULL;
}

static const char *refuse_mat_mul_n_bits(const weft_tiling *t) {
  nbits b;
  return read_nbits(t, &b);
}

// A block's scratch: the zero points of a column, its numbers or a slice of a panel's, and that panel.
static size_t scratch_floats(const nbits *b) {
  size_t wide = b->gemm->cols;
  return b->blocks + 16 + (b->few ? b->blocks * b->block : 2 * wide * SLICE);
}

static weft_status tile_mat_mul_n_bits(weft_tiling *t) {
  nbits *b = t->data;
  const char *no = read_nbits(t, b);
  if (no)
    return weft_fail(t->d, WEFT_E_KERNEL, "packed weights: %s", no);
  t->data_bytes = sizeof *b;
  if (b->has_bias)
    b->e = (weft__epilogue){.n = 1, .direct = 1, .step[0] = {.kind = WEFT__STEP_ADD, .by_col = 1, .p = 1}};
  b->e.step[0].arg = b->arg[BIAS];
  size_t units = b->few ? b->n : (b->n + b->gemm->cols - 1) / b->gemm->cols;
  double column = (double)b->k *
                  (b->few ? 0.03 * (1 + (double)b->rows / 3) : (b->ops ? 0.3 : 3) + 0.03 * (double)b->rows);
  t->blocks = weft__rows_blocks(units, column * (b->few ? 1 : (double)b->gemm->cols), &b->per);
  bool fits = weft_mul_size(scratch_floats(b), sizeof(float), &t->scratch_bytes);
  if (b->few) {
    size_t all = WEFT_MAX(b->rows * b->blocks, 1);
    t->phases = 2;
    t->n_workspaces = 3;
    fits &= weft_mul_size(all * b->block, sizeof(float), &t->workspace_bytes[ORDERED]) &&
            weft_mul_size(all * b->ops->vec, sizeof(float), &t->workspace_bytes[SUMS]);
    t->workspace_bytes[ODD] = 64;
  }
  return fits ? WEFT_OK : weft_fail(t->d, WEFT_E_OVERFLOW, "columns of %zu numbers are too large", b->k);
}

// ---- x for few rows ----
// Block `at` of a row: its numbers in the order of the weights, zeros behind the last, and their sums by
// lane. True: one is no finite number.
static bool order_block(const nbits *b, const float *x, size_t at, float *to, float *sums) {
  size_t first = at * b->block;
  size_t n = WEFT_MIN(b->block, b->k - first);
  size_t vec = b->ops->vec;
  size_t step = 2 * vec;
  float plain[SLICE];
  float odd = 0;
  memset(plain, 0, b->block * sizeof *plain);
  memcpy(plain, x + first, n * sizeof *plain);
  memset(sums, 0, vec * sizeof *sums);
  for (size_t i = 0; i < b->block; i += step) {
    for (size_t k = 0; k < vec; k++) {
      bool pairs = b->bits == 4;
      float low = plain[i + (pairs ? 2 * k : k)];
      float high = plain[i + (pairs ? 2 * k + 1 : vec + k)];
      to[i + k] = low;
      to[i + vec + k] = high;
      sums[k] += low + high;
    }
  }
  for (size_t k = 0; k < vec; k++)
    odd += sums[k] * 0;
  return odd != 0 || isnan(odd);
}

static void order_rows(const nbits *b, const weft_block *k) {
  const float *x = k->arg[b->arg[X]];
  float *to = k->workspace[ORDERED];
  float *sums = k->workspace[SUMS];
  size_t all = b->rows * b->blocks;
  bool odd = false;
  for (size_t i = weft__share(all, k->block, k->blocks); i < weft__share(all, k->block + 1, k->blocks); i++) {
    size_t row = i / b->blocks;
    size_t at = i % b->blocks;
    size_t group = row / WEFT__NBITS_ROWS * WEFT__NBITS_ROWS;
    size_t place = group * b->blocks + at * WEFT_MIN(WEFT__NBITS_ROWS, b->rows - group) + row - group;
    odd |= order_block(b, x + row * b->k, at, to + place * b->block, sums + place * b->ops->vec);
  }
  ((uint8_t *)k->workspace[ODD])[k->block] = odd;
}

// ---- a column ----
// Its zero points, negative, of blocks [first, last).
static void read_zeros(const nbits *b, const weft_block *k, size_t n, size_t first, size_t last, float *to) {
  const uint8_t *row = (const uint8_t *)k->arg[b->arg[ZERO]] + n * b->zero_row;
  const float *real = (const float *)k->arg[b->arg[ZERO]] + n * b->blocks;
  const unsigned per = (unsigned)(8 / b->bits);
  const unsigned mask = (1u << b->bits) - 1;
  for (size_t i = first; i < last; i++) {
    switch (b->zero) {
      case ZERO_NONE:
        to[i] = -(float)(1 << (b->bits - 1));
        break;
      case ZERO_PACKED:
        to[i] = -(float)(row[i / per] >> (i % per * b->bits) & mask);
        break;
      default:
        to[i] = -real[i];
    }
  }
}

static weft__nbits_line line_of(const nbits *b, const weft_block *k, size_t n, const float *zeros) {
  return (weft__nbits_line){.w = (const uint8_t *)k->arg[b->arg[W]] + n * b->blocks * b->blob,
                            .scale = (const float *)k->arg[b->arg[SCALES]] + n * b->blocks,
                            .zero = zeros,
                            .blocks = b->blocks,
                            .block = b->block};
}

// Numbers [first, first + n) one after the other. False: g_idx names a block that there is not.
static bool unpack_by_hand(const nbits *b, const weft_block *k, const weft__nbits_line *l, size_t first,
                           size_t n, float *to) {
  const int32_t *group = b->grouped ? (const int32_t *)k->arg[b->arg[G_IDX]] : NULL;
  const unsigned per = (unsigned)(8 / b->bits);
  const unsigned mask = (1u << b->bits) - 1;
  for (size_t i = 0; i < n; i++) {
    size_t at = first + i;
    int64_t block = group ? group[at] : (int64_t)(at / b->block);
    if (block < 0 || block >= (int64_t)b->blocks)
      return false;
    unsigned q = l->w[at / per] >> (at % per * b->bits) & mask;
    to[i] = ((float)q + l->zero[block]) * l->scale[block];
  }
  return true;
}

// ---- few rows ----
static double dot_plain(const float *x, const float *w, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++)
    sum += (double)x[i] * (double)w[i];
  return sum;
}

// Rows with an infinite number: infinite times less a zero point is infinite, not infinite less infinite.
static void odd_rows(const nbits *b, const weft_block *k, size_t n, const float *zeros, float *numbers) {
  const float *x = k->arg[b->arg[X]];
  const weft__nbits_line l = line_of(b, k, n, zeros);
  double start = b->has_bias ? (double)((const float *)k->arg[b->arg[BIAS]])[n] : 0;
  b->ops->unpack[b->bits == 8](&l, numbers);
  for (size_t r = 0; r < b->rows; r++)
    ((float *)k->arg[b->y])[r * b->n + n] = (float)(dot_plain(x + r * b->k, numbers, b->k) + start);
}

// Rows [r, r + rows) and blocks [first, first + count) of them.
typedef struct few_part {
  size_t r, rows, first, count;
} few_part;

// A part of the rows times column n, into y.
static void few_blocks(const nbits *b, const weft_block *k, size_t n, const few_part *part,
                       const float *zeros) {
  const size_t r = part->r;
  const size_t rows = part->rows;
  const size_t first = part->first;
  float out[WEFT__NBITS_ROWS];
  float *y = (float *)k->arg[b->y] + r * b->n + n;
  weft__nbits_line l = line_of(b, k, n, zeros + first);
  const size_t place = r * b->blocks + first * rows;
  l.x = (const float *)k->workspace[ORDERED] + place * b->block;
  l.sums = (const float *)k->workspace[SUMS] + place * b->ops->vec;
  l.w += first * b->blob;
  l.scale += first;
  l.blocks = part->count;
  b->ops->dot[b->bits == 8][rows](&l, out);
  const float start = b->has_bias && !first ? ((const float *)k->arg[b->arg[BIAS]])[n] : 0;
  for (size_t i = 0; i < rows; i++)
    y[i * b->n] = first ? y[i * b->n] + out[i] : out[i] + start;
}

// Columns [first, last) go past a part of the rows that stays in the first cache.
static void few_columns(const nbits *b, const weft_block *k, size_t first, size_t last, size_t r,
                        float *zeros) {
  const size_t rows = WEFT_MIN(WEFT__NBITS_ROWS, b->rows - r);
  const size_t step = WEFT_MAX(1, NEAR / rows / b->block);
  for (size_t at = 0; at < b->blocks; at += step) {
    const few_part part = {.r = r, .rows = rows, .first = at, .count = WEFT_MIN(step, b->blocks - at)};
    for (size_t n = first; n < last; n++) {
      if (b->zero != ZERO_NONE)
        read_zeros(b, k, n, at, at + part.count, zeros);
      few_blocks(b, k, n, &part, zeros);
    }
  }
}

static weft_status few_rows(const nbits *b, const weft_block *k) {
  float *zeros = k->scratch;
  const uint8_t *odds = k->workspace[ODD];
  size_t first = k->block * b->per;
  size_t last = WEFT_MIN(first + b->per, b->n);
  bool odd = false;
  for (size_t i = 0; i < k->blocks; i++)
    odd |= odds[i];
  if (b->zero == ZERO_NONE)
    read_zeros(b, k, 0, 0, b->blocks, zeros);
  for (size_t n = first; n < last && odd; n++) {
    if (b->zero != ZERO_NONE)
      read_zeros(b, k, n, 0, b->blocks, zeros);
    odd_rows(b, k, n, zeros, zeros + b->blocks);
  }
  for (size_t r = 0; r < b->rows && !odd; r += WEFT__NBITS_ROWS)
    few_columns(b, k, first, last, r, zeros);
  return WEFT_OK;
}

// ---- many rows ----
// Steps [k0, k0 + k) of columns [col, col + cols).
typedef struct slice {
  size_t col, cols, k0, k;
} slice;

// A block's scratch: a panel, its columns one after the other, the zero points of one.
typedef struct room {
  float *panel, *lines, *zeros;
} room;

// A slice as a panel: rows of `wide` numbers. False: g_idx names a block that there is not.
static bool make_panel(const nbits *b, const weft_block *k, const slice *s, const room *to) {
  const size_t wide = b->gemm->cols;
  const size_t k0 = s->k0;
  const size_t kc = s->k;
  const weft__move_ops *vec = b->vec;
  float *lines = to->lines;
  float *panel = to->panel;
  for (size_t j = 0; j < s->cols; j++) {
    read_zeros(b, k, s->col + j, 0, b->blocks, to->zeros);
    weft__nbits_line l = line_of(b, k, s->col + j, to->zeros);
    if (!b->ops) {
      if (!unpack_by_hand(b, k, &l, k0, kc, lines + j * SLICE))
        return false;
      continue;
    }
    size_t at = k0 / b->block;
    l.w += at * b->blob;
    l.scale += at;
    l.zero += at;
    l.blocks = (kc + b->block - 1) / b->block;
    b->ops->unpack[b->bits == 8](&l, lines + j * SLICE);
  }
  if (s->cols < wide)
    memset(panel, 0, kc * wide * sizeof *panel);
  for (size_t i = 0; i < kc; i += 64)  // a piece at a time stays in the first cache
    vec->transpose((const uint32_t *)lines + i, SLICE, (uint32_t *)panel + i * wide, wide, s->cols,
                   WEFT_MIN(64, kc - i));
  return true;
}

// All rows times a slice of a panel.
static void nbits_one_slice(const nbits *b, const weft_block *k, const slice *s, const float *panel) {
  _Alignas(64) float sums[WEFT__GEMM_ROWS * WEFT__GEMM_COLS];
  const size_t wide = b->gemm->cols;
  const size_t tiles = (b->rows + b->gemm->rows - 1) / b->gemm->rows;
  const float *x = k->arg[b->arg[X]];
  weft__tile_out o = {.cols = s->cols,
                      .y_row = b->n,
                      .col = s->col,
                      .more = s->k0 > 0,
                      .last = s->k0 + s->k == b->k,
                      .e = &b->e,
                      .arg = k->arg};
  const weft__gemm_tile_fn *fn = b->gemm->tile[1][o.cols > b->gemm->vec];
  for (size_t i = 0; i < tiles; i++) {
    o.row = weft__share(b->rows, i, tiles);
    o.rows = weft__share(b->rows, i + 1, tiles) - o.row;
    o.y = (float *)k->arg[b->y] + o.row * b->n + s->col;
    const weft__tile_in f = {.k = s->k,
                             .a = x + o.row * b->k + s->k0,
                             .a_row = b->k,
                             .a_k = 1,
                             .b = panel,
                             .b_k = wide,
                             .ahead = {(const char *)panel, 0}};
    fn[o.rows](&f, sums);
    b->gemm->finish(sums, &o);
  }
}

static weft_status many_rows(const nbits *b, const weft_block *k) {
  const size_t wide = b->gemm->cols;
  const size_t panels = (b->n + wide - 1) / wide;
  float *panel = k->scratch;
  const room to = {panel, panel + wide * SLICE, panel + 2 * wide * SLICE};
  size_t last = WEFT_MIN((k->block + 1) * b->per, panels);
  for (size_t p = k->block * b->per; p < last; p++) {
    for (size_t k0 = 0; k0 < b->k; k0 += SLICE) {
      const size_t col = p * wide;
      const slice s = {col, WEFT_MIN(wide, b->n - col), k0, WEFT_MIN(SLICE, b->k - k0)};
      if (!make_panel(b, k, &s, &to))
        return WEFT_E_RANGE;  // of g_idx
      nbits_one_slice(b, k, &s, panel);
    }
  }
  return WEFT_OK;
}

static weft_status run_mat_mul_n_bits(const weft_block *k) {
  const nbits *b = k->data;
  if (!b->few)
    return many_rows(b, k);
  if (k->phase > 0)
    return few_rows(b, k);
  order_rows(b, k);
  return WEFT_OK;
}

WEFT_ROWS_KERNEL(mat_mul_n_bits, "MatMulNBits", "packed-weights", sizeof(nbits));
// SPDX-License-Identifier: Apache-2.0
