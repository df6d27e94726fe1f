// typed_gemm.c - MatMulV2, BatchMatMulV2 and GEMM of double and of integers of 32 and 64 bits, which wrap. y
// is cut into units as gemm.c does it. A first phase packs the right operands into panels and the left ones
// into tiles of rows; the tiles pass over a slice of a panel, which stays in the first cache. At most 4 rows
// are multiplied by the right operand where it lies: sums of its rows, or by its columns where it lies
// turned, which is also how one column is multiplied.
#include "cpu/move/move_ops.h"
#include "cpu/gemm/gemm_shape.h"
#include "cpu/rows/rows.h"
#include "cpu/typed/typed_block.h"

enum { SLICE = 256, FEW = 4, PIECE = 256, STEPS = 16 };
enum { TILES, ROWS_OF_B, DOTS };

typedef struct typed {
  const weft__typed_ops *ops;
  const weft__move_ops *vec;
  weft__gemm_shape s;
  weft__gemm_cut cut;
  int type, how;
  size_t elem, pieces, per;  // bytes; without tiles: pieces of a product's outputs, how many a block makes
} typed;

static int typed_gemm_type_of(weft_dtype t) {
  if (t == WEFT_DOUBLE)
    return WEFT__TYPED_F64;
  if (t == WEFT_INT32 || t == WEFT_UINT32)
    return WEFT__TYPED_I32;
  return t == WEFT_INT64 || t == WEFT_UINT64 ? WEFT__TYPED_I64 : -1;
}

static const char *read_product(const weft_tiling *t, weft__gemm_shape *g) {
  weft__product p;
  if (!t->n_in || typed_gemm_type_of(t->in_dtype[0]) < 0)
    return "needs double or integers of 32 or 64 bits";
  return weft__gemm_read_of(t, t->in_dtype[0], &p, g);
}

static const char *typed_gemm_refuse(const weft_tiling *t) {
  weft__gemm_shape g;
  return read_product(t, &g);
}

static double typed_gemm_cost(const weft_tiling *t) {
  weft__gemm_shape g;
  return read_product(t, &g) ? 1e30 : 300 + weft__gemm_macs(&g) / 10;
}

// Outputs that are made without tiles: along the columns, or along the rows of one column.
static size_t typed_gemm_outputs_of(const typed *g) {
  return g->how == DOTS && g->s.n == 1 ? g->s.m : g->s.n;
}

static weft_status typed_gemm_tile(weft_tiling *t) {
  static const double work[WEFT__TYPED_COUNT] = {2, 2, 6};  // beside that of float
  typed *g = t->data;
  size_t bytes;
  const char *no = read_product(t, &g->s);
  if (no)
    return weft_fail(t->d, WEFT_E_KERNEL, "gemm: %s", no);
  t->data_bytes = sizeof *g;
  g->type = typed_gemm_type_of(t->in_dtype[0]);
  g->ops = weft__typed_find(t->host, g->type);
  g->vec = weft__move_find(t->host);
  g->elem = g->type == WEFT__TYPED_I32 ? 4 : 8;
  g->cut = weft__gemm_cut_of(&g->s, g->ops->rows, g->ops->cols, g->elem);
  bool few = g->s.m <= FEW;
  bool dots = g->s.a_k == 1 && g->s.b_k == 1 && (few || g->s.n == 1);
  g->how = dots ? DOTS : few && g->s.b_n == 1 ? ROWS_OF_B : TILES;
  double flops = 2 * weft__gemm_macs(&g->s) * work[g->type];
  if (g->how != TILES) {
    size_t n = g->s.m && g->s.n ? typed_gemm_outputs_of(g) : 0;
    size_t piece = g->how == DOTS ? PIECE / 16 : PIECE;
    g->pieces = (n + piece - 1) / piece;
    size_t all = g->s.batches * g->pieces;
    t->blocks = weft__rows_blocks(all, all ? 10 + flops / 20 / (double)all : 0, &g->per);
    return WEFT_OK;
  }
  if (!weft_mul_size(g->cut.panels * g->ops->cols * g->elem, g->s.k, &bytes) ||
      !weft_mul_size(bytes, g->s.b_count, &bytes))
    return weft_fail(t->d, WEFT_E_OVERFLOW, "gemm: an operand of %zu x %zu is too large", g->s.k, g->s.n);
  size_t left = g->s.a_count * g->s.m * g->s.k * g->elem;  // as many as there are
  t->blocks = weft__gemm_blocks(flops, (double)bytes, g->cut.units);
  t->phases = 2;
  t->n_workspaces = 2;
  t->workspace_bytes[0] = WEFT_MAX(bytes, 64);
  t->workspace_bytes[1] = WEFT_MAX(left, 64);
  return WEFT_OK;
}

static void *at_elem(const typed *g, const void *x, size_t i) {
  return (char *)(uintptr_t)x + i * g->elem;
}

// ---- packing ----

// Columns of an operand, or rows of one that are read as such: element (i, j) is from[at + i * x_k + j * x_n]
// for i < k, j < n; x_k or x_n is 1.
typedef struct columns {
  const void *from;
  size_t at, x_k, x_n;
  size_t k, n;
} columns;

// to[i * wide + j], 0 behind the last column.
static void typed_gemm_pack(const typed *g, const columns *c, size_t wide, void *to) {
  const char *x = (const char *)c->from + c->at * g->elem;
  char *y = to;
  size_t row = wide * g->elem;
  size_t used = c->n * g->elem;
  if (c->x_n != 1)
    g->vec->turn[g->elem == 4 ? 2 : 3](x, c->x_n, y, wide, c->n, c->k);
  const bool rest = c->x_n == 1 || c->n < wide;
  for (size_t i = 0; i < c->k && rest; i++, x += c->x_k * g->elem, y += row) {
    if (c->x_n == 1)
      memcpy(y, x, used);
    memset(y + used, 0, row - used);
  }
}

static void typed_gemm_pack_panel(const typed *g, const weft_block *b, size_t u) {
  const weft__gemm_shape *s = &g->s;
  size_t wide = g->ops->cols;
  size_t first = u % g->cut.panels * wide;
  const columns c = {.from = b->arg[s->b_arg],
                     .at = u / g->cut.panels * s->k * s->n + first * s->b_n,
                     .x_k = s->b_k,
                     .x_n = s->b_n,
                     .k = s->k,
                     .n = WEFT_MIN(wide, s->n - first)};
  typed_gemm_pack(g, &c, wide, at_elem(g, b->workspace[0], u * s->k * wide));
}

static void pack_tile(const typed *g, const weft_block *b, size_t u) {
  const weft__gemm_shape *s = &g->s;
  size_t i = u % g->cut.tiles;
  size_t at = u / g->cut.tiles * s->m * s->k;
  size_t row = weft__share(s->m, i, g->cut.tiles);
  size_t rows = weft__share(s->m, i + 1, g->cut.tiles) - row;
  const columns c = {.from = b->arg[s->a_arg],
                     .at = at + row * s->a_row,
                     .x_k = s->a_k,
                     .x_n = s->a_row,
                     .k = s->k,
                     .n = rows};
  typed_gemm_pack(g, &c, rows, at_elem(g, b->workspace[1], at + row * s->k));
}

static void pack_both(const typed *g, const weft_block *b) {
  size_t panels = g->s.b_count * g->cut.panels;
  size_t all = panels + g->s.a_count * g->cut.tiles;
  if (!g->cut.units)  // nobody reads them, and there are as many as a shape claims
    return;
  for (size_t u = weft__share(all, b->block, b->blocks); u < weft__share(all, b->block + 1, b->blocks); u++) {
    if (u < panels)
      typed_gemm_pack_panel(g, b, u);
    else
      pack_tile(g, b, u - panels);
  }
}

// ---- what comes behind a product: GEMM's alpha and beta * c, a bias ----

#define STEPS_OF(T, SIGNED)                                                                            \
  static void steps_##T(const weft__gemm_shape *s, const weft_block *b, size_t batch, size_t row,      \
                        size_t col, size_t n, T *y) {                                                  \
    for (uint32_t i = 0; i < s->e.n; i++) {                                                            \
      const weft__step *p = &s->e.step[i];                                                             \
      const T w = (T)(SIGNED)p->p, *c = NULL;                                                          \
      if (p->kind == WEFT__STEP_ADD)                                                                   \
        c = (const T *)b->arg[p->arg] + batch * p->by_batch + row * p->by_row + (p->by_col ? col : 0); \
      for (size_t j = 0; j < n; j++)                                                                   \
        y[j] = c ? y[j] + w * c[p->by_col ? j : 0] : y[j] * w;                                         \
    }                                                                                                  \
  }
STEPS_OF(double, double)
STEPS_OF(uint32_t, int64_t)
STEPS_OF(uint64_t, int64_t)

// Columns [col, col + n) of rows [row, row + rows).
static void typed_gemm_finish(const typed *g, const weft_block *b, size_t batch, size_t row, size_t rows,
                              size_t col, size_t n) {
  const weft__gemm_shape *s = &g->s;
  for (size_t i = row; i < row + rows && s->e.n; i++) {
    size_t at = (batch * s->m + i) * s->n + col;
    void *y = b->arg[s->y_arg];
    if (g->type == WEFT__TYPED_F64)
      steps_double(s, b, batch, i, col, n, (double *)y + at);
    else if (g->elem == 4)
      steps_uint32_t(s, b, batch, i, col, n, (uint32_t *)y + at);
    else
      steps_uint64_t(s, b, batch, i, col, n, (uint64_t *)y + at);
  }
}

// ---- running ----

static void run_slice(const typed *g, const weft_block *b, const weft__gemm_unit *u, size_t k0, size_t kc) {
  const weft__gemm_shape *s = &g->s;
  size_t cols = g->ops->cols;
  size_t matrix = s->k ? u->at_b / (s->k * s->n) : 0;
  for (size_t j = u->panel0; j < u->panel1; j++) {
    for (size_t i = u->tile0; i < u->tile1; i++) {
      size_t row = weft__share(s->m, i, g->cut.tiles);
      size_t rows = weft__share(s->m, i + 1, g->cut.tiles) - row;
      size_t width = WEFT_MIN(cols, s->n - j * cols);
      size_t panel = matrix * g->cut.panels + j;
      weft__typed_tile t = {.k = kc,
                            .rows = rows,
                            .cols = width,
                            .a = at_elem(g, b->workspace[1], u->at_a + row * s->k + k0 * rows),
                            .b = at_elem(g, b->workspace[0], (panel * s->k + k0) * cols),
                            .y = at_elem(g, b->arg[s->y_arg], (u->batch * s->m + row) * s->n + j * cols),
                            .y_row = s->n,
                            .more = k0 > 0};
      g->ops->tile(&t);
      if (k0 + kc == s->k)
        typed_gemm_finish(g, b, u->batch, row, rows, j * cols, width);
    }
  }
}

static void typed_gemm_run_unit(const typed *g, const weft_block *b, size_t i) {
  const weft__gemm_unit u = weft__gemm_unit_of(&g->s, &g->cut, i);
  size_t slices = WEFT_MAX(1, (g->s.k + SLICE - 1) / SLICE);
  for (size_t k = 0; k < slices; k++) {
    size_t k0 = weft__share(g->s.k, k, slices);
    run_slice(g, b, &u, k0, weft__share(g->s.k, k + 1, slices) - k0);
  }
}

static void run_rows_of_b(const typed *g, const weft_block *b, size_t batch, size_t at_a, size_t at_b,
                          size_t col) {
  const weft__gemm_shape *s = &g->s;
  size_t n = WEFT_MIN(PIECE, s->n - col);
  for (size_t r = 0; r < s->m; r++)
    memset(at_elem(g, b->arg[s->y_arg], (batch * s->m + r) * s->n + col), 0, n * g->elem);
  for (size_t k = 0; k < s->k; k += STEPS) {
    for (size_t r = 0; r < s->m; r++) {
      g->ops->add_rows(at_elem(g, b->arg[s->a_arg], at_a + r * s->a_row + k * s->a_k), s->a_k,
                       at_elem(g, b->arg[s->b_arg], at_b + k * s->b_k + col), s->b_k,
                       WEFT_MIN(STEPS, s->k - k),
                       at_elem(g, b->arg[s->y_arg], (batch * s->m + r) * s->n + col), n);
    }
  }
  typed_gemm_finish(g, b, batch, 0, s->m, col, n);
}

static void run_dots(const typed *g, const weft_block *b, size_t batch, size_t at_a, size_t at_b, size_t i) {
  const weft__gemm_shape *s = &g->s;
  size_t n = WEFT_MIN(PIECE / 16, typed_gemm_outputs_of(g) - i);
  const void *x = at_elem(g, b->arg[s->a_arg], at_a);
  const void *w = at_elem(g, b->arg[s->b_arg], at_b);
  void *y = at_elem(g, b->arg[s->y_arg], batch * s->m * s->n);
  if (s->n == 1) {
    g->ops->dots(w, at_elem(g, x, i * s->a_row), s->a_row, s->k, at_elem(g, y, i), n);
    typed_gemm_finish(g, b, batch, i, n, 0, 1);
    return;
  }
  for (size_t r = 0; r < s->m; r++) {
    g->ops->dots(at_elem(g, x, r * s->a_row), at_elem(g, w, i * s->b_n), s->b_n, s->k,
                 at_elem(g, y, r * s->n + i), n);
  }
  typed_gemm_finish(g, b, batch, 0, s->m, i, n);
}

static void run_piece(const typed *g, const weft_block *b, size_t i) {
  size_t batch = i / g->pieces;
  size_t piece = i % g->pieces;
  size_t a;
  size_t w;
  weft__gemm_matrices(&g->s, batch, &a, &w);
  a *= g->s.m * g->s.k;
  w *= g->s.k * g->s.n;
  if (g->how == DOTS)
    run_dots(g, b, batch, a, w, piece * (PIECE / 16));
  else
    run_rows_of_b(g, b, batch, a, w, piece * PIECE);
}

static weft_status typed_gemm_run(const weft_block *b) {
  const typed *g = b->data;
  if (g->how != TILES) {
    size_t first = b->block * g->per;
    size_t last = WEFT_MIN(first + g->per, g->s.batches * g->pieces);
    for (size_t i = first; i < last; i++)
      run_piece(g, b, i);
    return WEFT_OK;
  }
  if (b->phase == 0)
    return pack_both(g, b), WEFT_OK;
  for (size_t i = weft__share(g->cut.units, b->block, b->blocks);
       i < weft__share(g->cut.units, b->block + 1, b->blocks); i++)
    typed_gemm_run_unit(g, b, i);
  return WEFT_OK;
}

#define KERNEL(symbol, operator) \
  WEFT__PRODUCT_KERNEL_WITH(symbol, typed_gemm, operator, "typed-gemm", .tiling_bytes_max = sizeof(typed))
KERNEL(typed_BatchMatMulV2, "BatchMatMulV2");
KERNEL(typed_GEMM, "GEMM");
KERNEL(typed_MatMulV2, "MatMulV2");
// SPDX-License-Identifier: Apache-2.0
