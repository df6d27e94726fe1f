// quant_gemm.c - MatMulInteger. The right operand is the unsigned one: panels of columns, four steps of the
// inner dimension in a lane, packed once where it is constant; the left one is made signed and cut into tiles
// of rows by the first phase, which also sums its rows and prepares the numbers of the columns. A block then
// does a share of units: some panels times some tiles of one product.
//
// On AMX's tiles (amx_block.h) the same with tiles of 32 rows and panels of 32 columns; the left operand then
// lies in rows, and quads are filled up to whole steps with zeros.
#include "cpu/amx/amx_block.h"
#include "cpu/gemm/gemm_shape.h"
#include "cpu/quant/quant_product.h"
#include "quant_sum.rule.h"

enum { LEFT = 0, NUMBERS = 1, RIGHT = 2 };

typedef struct qgemm {
  const weft__quant_ops *ops;
  const weft__amx_ops *amx;  // NULL: sums by ops
  weft__quant_sum s;
  weft__quant_shares rows;                                                  // of m among tiles
  size_t m, n, k, quads, batches, batch_rank, b_count;                      // b_count: right matrices
  size_t dim[WEFT_MAX_RANK], a_step[WEFT_MAX_RANK], b_step[WEFT_MAX_RANK];  // of batches, in matrices
  size_t cols, wide;  // of a panel; lanes of a quad of the left operand
  size_t a_count, tiles, height, panels, wide_n, panel_parts, tile_parts, units;
  bool packed, has_zeros;  // has_zeros: moved zero points of the right operand
} qgemm;

static const char *read_shapes(const weft__product *p, qgemm *g) {
  const weft_shape *a = p->shape[0];
  const weft_shape *b = p->shape[1];
  if (!a->rank || !b->rank)
    return "needs operands of rank 1 or more";
  g->m = a->rank > 1 ? weft__gemm_dim(a, 2) : 1;
  g->k = weft__gemm_dim(a, 1);
  g->n = b->rank > 1 ? weft__gemm_dim(b, 1) : 1;
  g->quads = (g->k + 3) / 4;
  size_t ra = a->rank > 1 ? a->rank - 2 : 0;
  size_t rb = b->rank > 1 ? b->rank - 2 : 0;
  size_t r = WEFT_MAX(ra, rb);
  g->batch_rank = r;
  g->batches = g->a_count = g->b_count = 1;
  for (size_t i = r; i-- > 0;) {
    size_t da = i + ra < r ? 1 : (size_t)a->dim[i + ra - r];
    size_t db = i + rb < r ? 1 : (size_t)b->dim[i + rb - r];
    g->dim[i] = da == 1 ? db : da;
    g->a_step[i] = da == 1 ? 0 : g->a_count;
    g->b_step[i] = db == 1 ? 0 : g->b_count;
    g->a_count *= da;
    g->b_count *= db;
    g->batches *= g->dim[i];
  }
  if (g->b_count != 1 || g->batches == 1)
    return NULL;
  // one right operand: all rows are one
  g->m *= g->batches;
  g->batches = g->a_count = 1;
  g->batch_rank = 0;
  return NULL;
}

static const char *quant_gemm_read(const weft_tiling *t, qgemm *g) {
  weft__product p;
  const char *no = weft__quant_read(t, WEFT_MATMUL_SUM_RANGE, &g->s);
  if (no || !weft__product_known(t))
    return no;
  weft__quant_shapes(t, WEFT__PRODUCT_MATMUL, &p);
  int64_t bias = g->s.arg[WEFT__SUM_BIAS];
  if (bias >= 0 && p.shape[1]->rank == 1 && g->s.many_bias)
    return "adds a bias to rows";
  no = read_shapes(&p, g);
  return !no && g->k > WEFT__QUANT_STEPS ? "has sums whose bytes overflow int32" : no;
}

static const char *quant_gemm_refuse(const weft_tiling *t) {
  qgemm g;
  memset(&g, 0, sizeof g);
  return quant_gemm_read(t, &g);
}

static double quant_gemm_flops(const qgemm *g) {
  return 2.0 * (double)g->batches * (double)g->m * (double)g->n * (double)g->quads;
}

static double quant_gemm_cost(const weft_tiling *t) {
  qgemm g;
  memset(&g, 0, sizeof g);
  if (quant_gemm_read(t, &g))
    return 1e30;
  return 500 + quant_gemm_flops(&g) /
                   (weft__amx_find_bytes(t->host, g.m) ? 150 : 60);  // tiles: others measured 2 to 3 times
}

static void quant_gemm_cut(qgemm *g, size_t bytes) {
  size_t want = weft__product_blocks(WEFT__QUANT_SHARE * quant_gemm_flops(g), (double)bytes, 64);
  size_t each = (want + g->batches - 1) / WEFT_MAX(g->batches, 1);
  g->panel_parts = WEFT_MAX(1, WEFT_MIN(g->panels, each));
  size_t more = (each + g->panel_parts - 1) / g->panel_parts;
  g->tile_parts = WEFT_MAX(1, WEFT_MIN(g->tiles, WEFT_MAX(more, (g->m + 511) / 512)));
  g->units = g->m && g->n ? g->batches * g->panel_parts * g->tile_parts : 0;
}

static void blocks_of(const weft_tiling *t, qgemm *g) {
  g->ops = weft__quant_find(t->host);
  g->amx = weft__amx_find_bytes(t->host, g->m);
  g->cols = g->amx ? WEFT__AMX_COLS : g->ops->cols;
  g->wide = g->amx ? 1 : g->ops->wide;
  if (g->amx)
    g->s.moved = 0;
  size_t rows = g->amx ? WEFT__AMX_ROWS : g->ops->rows;
  if (g->amx)
    g->quads = (g->quads + WEFT__AMX_LANE - 1) / WEFT__AMX_LANE * WEFT__AMX_LANE;
  g->panels = (g->n + g->cols - 1) / g->cols;
  g->wide_n = g->panels * g->cols;
  g->tiles = (g->m + rows - 1) / rows;
  g->rows = weft__quant_shares_of(g->m, g->tiles);
  g->height = g->amx ? rows : g->tiles ? (g->m + g->tiles - 1) / g->tiles : 1;
}

static weft_status quant_gemm_tile(weft_tiling *t) {
  qgemm *g = t->data;
  const char *no = quant_gemm_read(t, g);
  if (no)
    return weft_fail(t->d, WEFT_E_KERNEL, "gemm: %s", no);
  t->data_bytes = sizeof *g;
  blocks_of(t, g);
  size_t left = 0;
  size_t right = 0;
  size_t sums = 0;
  size_t wide = g->wide_n;
  size_t rows = g->tiles * g->height;
  bool fits = weft_mul_size(rows, g->quads * g->wide * sizeof(int32_t) + sizeof(int32_t), &left) &&
              weft_mul_size(left, WEFT_MAX(g->a_count, 1), &left) &&
              weft_mul_size(wide, g->quads * sizeof(uint32_t) + sizeof(int32_t), &right) &&
              weft_mul_size(right, WEFT_MAX(g->b_count, 1), &right) &&
              weft_mul_size(wide * sizeof(int32_t), WEFT_MAX(g->b_count, 1) + 2, &sums);
  if (!fits) {
    return weft_fail(t->d, WEFT_E_OVERFLOW, "gemm: operands of %zu x %zu and %zu x %zu are too large", g->m,
                     g->k, g->k, g->n);
  }
  quant_gemm_cut(g, right);
  g->has_zeros = !weft__quant_w_zero_is(t, &g->s, -weft__quant_move(&g->s, g->s.w_signed));
  int64_t w = g->s.arg[WEFT__SUM_W];
  g->packed = weft__product_may_pack(t, w) && right;
  if (g->packed) {
    t->pack_bytes[w] = right;
    t->pack_key[w] = (uint64_t)g->quads << 8 | g->s.moved | g->cols;
  }
  t->blocks =
      weft__product_blocks(WEFT__QUANT_SHARE * quant_gemm_flops(g), (double)right, WEFT_MAX(g->units, 1));
  t->phases = 2;
  t->n_workspaces = 3;
  t->workspace_bytes[LEFT] = left + 64;
  t->workspace_bytes[NUMBERS] = sums + 64;
  t->workspace_bytes[RIGHT] = g->packed ? 64 : right + 64;
  return WEFT_OK;
}

// ---- the right operand ----
// Matrices one after the other, each: sums of its columns, then panels of `cols` columns.
static void pack_matrix(const weft__quant_right *all, size_t quads, size_t cols, int32_t *sums) {
  const size_t n = all->n;
  size_t panels = (n + cols - 1) / cols;
  uint32_t *to = (uint32_t *)(sums + panels * cols);
  weft__quant_right panel = *all;
  memset(sums, 0, panels * cols * (quads + 1) * sizeof *sums);
  for (size_t j = 0; j < n; j += cols) {
    panel.b = all->b + j;
    panel.n = WEFT_MIN(cols, n - j);
    for (size_t i = 0; i < panel.k; i += 4)
      weft__quant_columns(&panel, i, to + (j / cols * quads + i / 4) * cols, sums + j);
  }
}
static size_t matrix_size(size_t quads, size_t n, size_t cols) {
  return (n + cols - 1) / cols * cols * (quads + 1);
}

static weft_status quant_gemm_pack(const weft_packing *p) {
  const weft_shape *s = &p->in->layout.origin;
  size_t cols = (size_t)(p->key & 0x7F);
  size_t quads = (size_t)(p->key >> 8);
  size_t count = 1;
  size_t k = s->rank > 1 ? weft__gemm_dim(s, 2) : weft__gemm_dim(s, 1);
  size_t n = s->rank > 1 ? weft__gemm_dim(s, 1) : 1;
  for (size_t i = 0; i + 2 < s->rank; i++)
    count *= (size_t)s->dim[i];
  const uint8_t *b = weft_packing_read(p, 0, p->in->bytes);
  const weft__quant_sum to = {.moved = p->key & 0x80};
  if (!b)
    return WEFT_E_NOMEM;
  weft__quant_right matrix = {.b = b,
                              .row = n,
                              .k = k,
                              .n = n,
                              .flip = weft__quant_flip(&to, p->in->dtype == WEFT_INT8),
                              .moved = to.moved};
  for (size_t c = 0; c < count; c++, matrix.b += k * n)
    pack_matrix(&matrix, quads, cols, (int32_t *)p->to + c * matrix_size(quads, n, cols));
  return WEFT_OK;
}

static const int32_t *right_at(const qgemm *g, const weft_block *b) {
  return g->packed ? b->arg[g->s.arg[WEFT__SUM_W]] : b->workspace[RIGHT];
}

// ---- the left operand ----
static size_t left_size(const qgemm *g) {  // lanes of one matrix: tiles, then sums of its rows
  return g->tiles * g->height * (g->quads * g->wide + 1);
}

static void pack_left(const qgemm *g, const weft_block *b) {
  const uint8_t *a = b->arg[g->s.arg[WEFT__SUM_X]];
  uint8_t flip = g->s.x_signed ? 0 : 128;
  size_t all = g->a_count * g->tiles;
  size_t whole = (g->k + 3) / 4;
  for (size_t u = weft__share(all, b->block, b->blocks); u < weft__share(all, b->block + 1, b->blocks); u++) {
    size_t matrix = u / g->tiles;
    size_t t = u % g->tiles;
    size_t first = weft__quant_row(g->rows, t);
    size_t last = weft__quant_row(g->rows, t + 1);
    int32_t *to = (int32_t *)b->workspace[LEFT] + matrix * left_size(g);
    int32_t *sums = to + g->tiles * g->height * g->quads * g->wide;
    to += t * g->height * g->quads * g->wide;
    const uint8_t *from = a + (matrix * g->m + first) * g->k;
    weft__quant_left l = {.x = from, .k = g->k, .flip = flip, .wide = (uint32_t)g->wide, .to = to};
    if (!g->amx) {
      l.rows = last - first;
      l.step = g->height * g->wide;
      weft__quant_turn(&l, sums + first);
      continue;
    }
    l.rows = l.step = 1;
    for (size_t r = first; r < last; r++, l.x += g->k, l.to += g->quads) {
      weft__quant_turn(&l, &sums[r]);
      memset(l.to + whole, 0, (g->quads - whole) * sizeof *l.to);
    }
  }
}

// Summand of each column of a right matrix with these sums, and what the rows' sums are multiplied with.
static void quant_gemm_columns(const qgemm *g, const weft_block *b, const int32_t *sum, int32_t *add,
                               int32_t *by) {
  const uint32_t zero = (uint32_t)(weft__quant_x_zero(&g->s, b->arg) - (g->s.x_signed ? 0 : 128));
  const uint32_t k_zero = (uint32_t)g->k * zero;
  const uint32_t moved = (uint32_t)weft__quant_move(&g->s, g->s.w_signed);
  const uint32_t one = g->n ? (uint32_t)weft__quant_w_zero(&g->s, b->arg, 0) + moved : 0;
  for (size_t j = 0; j < g->n; j++) {
    add[j] = (int32_t)(k_zero * one - zero * (uint32_t)sum[j]);
    by[j] = (int32_t)(0 - one);
  }
  for (size_t j = 0; j < g->n && g->s.many_zeros; j++) {
    uint32_t w_zero = (uint32_t)weft__quant_w_zero(&g->s, b->arg, j) + moved;
    add[j] = (int32_t)((uint32_t)add[j] + k_zero * (w_zero - one));
    by[j] = (int32_t)(0 - w_zero);
  }
  for (size_t j = 0; j < g->n && g->s.arg[WEFT__SUM_BIAS] >= 0; j++)
    add[j] = (int32_t)((uint32_t)add[j] + (uint32_t)weft__quant_bias(&g->s, b->arg, j));
}

static void quant_gemm_numbers(const qgemm *g, const weft_block *b) {
  int32_t *add = b->workspace[NUMBERS];
  int32_t *by = add + g->b_count * g->wide_n;
  float *factor = (float *)(by + g->wide_n);
  memset(add, 0, (g->b_count + 2) * g->wide_n * sizeof *add);
  for (size_t c = 0; c < g->b_count; c++)
    quant_gemm_columns(g, b, right_at(g, b) + c * matrix_size(g->quads, g->n, g->cols), add + c * g->wide_n,
                       by);
  for (size_t j = 0; j < g->n && g->s.bytes; j++)
    factor[j] = weft__quant_scale(&g->s, b->arg, j);
}

static void quant_gemm_prepare(const qgemm *g, const weft_block *b) {
  pack_left(g, b);
  if (b->block)
    return;
  size_t size = matrix_size(g->quads, g->n, g->cols);
  weft__quant_right matrix = {.b = b->arg[g->s.arg[WEFT__SUM_W]],
                              .row = g->n,
                              .k = g->k,
                              .n = g->n,
                              .flip = weft__quant_flip(&g->s, g->s.w_signed),
                              .moved = g->s.moved};
  for (size_t c = 0; c < g->b_count && !g->packed; c++, matrix.b += g->k * g->n)
    pack_matrix(&matrix, g->quads, g->cols, (int32_t *)b->workspace[RIGHT] + c * size);
  quant_gemm_numbers(g, b);
}

// ---- running ----
static void quant_gemm_one_tile(const qgemm *g, const int32_t *a, size_t rows, const uint32_t *b, size_t n,
                                int32_t *sums) {
  const weft__amx_bytes s = {g->quads / WEFT__AMX_LANE, a, b, g->quads, g->cols, sums};
  const weft__quant_tile t = {g->quads, a, g->height * g->wide, b, g->cols};
  if (g->amx)
    g->amx->bytes[rows > 16][n > 16](&s);
  else
    g->ops->tile[n > g->ops->vec][rows](&t, sums);
}

// Some tiles of one product.
typedef struct unit {
  size_t z, matrix;     // of the batches; of the right operands
  const int32_t *left;  // of this product
  size_t tile0, tile1;
} unit;

static void quant_gemm_one_panel(const qgemm *g, const weft_block *b, const unit *u, size_t panel) {
  _Alignas(64) int32_t sums[WEFT__AMX_ROWS * WEFT__QUANT_COLS];
  size_t cols = g->cols;
  size_t col = panel * cols;
  size_t n = WEFT_MIN(cols, g->n - col);
  size_t lanes = g->height * g->wide;
  const int32_t *right = right_at(g, b) + u->matrix * matrix_size(g->quads, g->n, cols);
  const uint32_t *at_b = (const uint32_t *)right + g->wide_n + panel * g->quads * cols;
  const int32_t *add = b->workspace[NUMBERS];
  const int32_t *by = add + g->b_count * g->wide_n;
  const int32_t *row_sum = u->left + g->tiles * lanes * g->quads;
  for (size_t i = u->tile0; i < u->tile1; i++) {
    size_t row = weft__quant_row(g->rows, i);
    size_t rows = weft__quant_row(g->rows, i + 1) - row;
    size_t y = (u->z * g->m + row) * g->n + col;
    quant_gemm_one_tile(g, u->left + i * lanes * g->quads, rows, at_b, n, sums);
    weft__quant_out o = {.y = (char *)b->arg[g->s.y_arg] + y * (g->s.bytes ? 1 : sizeof(int32_t)),
                         .y_row = g->n,
                         .rows = rows,
                         .cols = n,
                         .col_add = add + u->matrix * g->wide_n + col,
                         .row_by = g->has_zeros ? row_sum + row : NULL,
                         .col_by = by + col,
                         .factor = g->s.bytes ? (const float *)(by + g->wide_n) + col : NULL,
                         .factor_by_col = true};
    weft__quant_bounds(&g->s, b->arg, &o);
    g->ops->finish(sums, &o);
  }
}

static void quant_gemm_run_unit(const qgemm *g, const weft_block *b, size_t n) {
  size_t part = n % g->panel_parts;
  size_t row_part = n / g->panel_parts % g->tile_parts;
  size_t at_a = 0;
  unit u = {.z = n / g->panel_parts / g->tile_parts,
            .tile0 = weft__share(g->tiles, row_part, g->tile_parts),
            .tile1 = weft__share(g->tiles, row_part + 1, g->tile_parts)};
  size_t rest = u.z;
  for (size_t i = g->batch_rank; i-- > 0; rest /= g->dim[i]) {
    at_a += rest % g->dim[i] * g->a_step[i];
    u.matrix += rest % g->dim[i] * g->b_step[i];
  }
  u.left = (const int32_t *)b->workspace[LEFT] + at_a * left_size(g);
  size_t last = weft__share(g->panels, part + 1, g->panel_parts);
  for (size_t j = weft__share(g->panels, part, g->panel_parts); j < last; j++)
    quant_gemm_one_panel(g, b, &u, j);
}

static weft_status quant_gemm_run(const weft_block *b) {
  const qgemm *g = b->data;
  if (b->phase == 0) {
    quant_gemm_prepare(g, b);
    return WEFT_OK;
  }
  if (g->amx)
    g->amx->begin();
  for (size_t i = weft__share(g->units, b->block, b->blocks);
       i < weft__share(g->units, b->block + 1, b->blocks); i++)
    quant_gemm_run_unit(g, b, i);
  if (g->amx)
    g->amx->end();
  return WEFT_OK;
}

WEFT__PRODUCT_KERNEL(quant_gemm, quant_gemm, "MatMulInteger", "gemm");
// SPDX-License-Identifier: Apache-2.0
