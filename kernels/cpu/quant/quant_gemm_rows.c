// quant_gemm_rows.c - MatMulInteger by a constant right operand without zero points once it is signed: tiles
// of rows of the left operand, read where they lie, by panels of columns packed once, and out of registers as
// int32 or bytes, by a FixedRequant behind it, too. What quant_gemm.c prepares before each run is in the
// panels here: with no zero points on the right, sums of the left operand's rows count nothing.
//
// Rows are copied first where bytes have the wrong sign, do not fill their last quad, or lie so far apart
// that all of a tile's want the same places of the first cache; and where tiles are of pairs. Those take
// twice the memory for the right operand, which a few rows would wait for: they stay with quads.
#include "cpu/quant/quant_blocked.h"
#include "quant_sum.rule.h"

enum { ALIKE = 2048, APART = 64, MOST_ROWS = 512, FEW = 2 };
// ALIKE: bytes between places that caches keep together; FEW: rows that wait for the right operand

typedef struct qrows {
  const weft__quant_ops *ops;
  weft__quant_sum s;
  weft__quant_shares rows;          // of m among tiles
  size_t m, n, k, quads, pitch;     // pitch: bytes from row to row of the left operand as it is read
  size_t wide, panels, panel_size;  // columns of a panel; lanes of one
  size_t each;                      // bytes of a number: 2 of pairs
  size_t tiles, panel_parts, tile_parts, units;
  bool copied;
} qrows;

static const char *read_sizes(const weft_tiling *t, qrows *g) {
  weft__product p;
  weft__quant_shapes(t, WEFT__PRODUCT_MATMUL, &p);
  const weft_shape *a = p.shape[0];
  const weft_shape *b = p.shape[1];
  if (!a->rank || b->rank != 2)
    return "needs a matrix on the right";
  g->k = (size_t)b->dim[0];
  g->n = (size_t)b->dim[1];
  g->m = 1;
  g->quads = (g->k + 3) / 4;
  for (size_t i = 0; i + 1 < a->rank; i++)
    g->m *= (size_t)a->dim[i];
  return g->m && g->n && g->k ? NULL : "has nothing to compute";
}

// The region of a product and a FixedRequant, seen as that product.
static const char *quant_gemm_rows_region(const weft_tiling *t, weft__quant_inner *u, qrows *g) {
  const weft_shape *y = &t->out[0]->origin;
  if (!weft__quant_is_fixed(t->region, "MatMulInteger"))
    return "is no MatMulInteger with a FixedRequant";
  if (weft_shape_is_unknown_rank(y) || !y->rank)
    return "needs known channels";
  if (t->region->node[0].desc->n_in > WEFT__SUM_PORTS)
    return "has too many inputs";
  const char *no = weft__quant_unpack(t, u);
  if (!no)
    no = weft__quant_read(&u->t, WEFT_MATMUL_SUM_RANGE, &g->s);
  return no ? no : weft__quant_read_region(t, y->rank - 1, &g->s);
}

static const char *quant_gemm_rows_read(const weft_tiling *t, qrows *g) {
  weft__quant_inner u;
  const weft_tiling *inner = t->region ? &u.t : t;
  const char *no =
      t->region ? quant_gemm_rows_region(t, &u, g) : weft__quant_read(t, WEFT_MATMUL_SUM_RANGE, &g->s);
  if (no)
    return no;
  int64_t w = g->s.arg[WEFT__SUM_W];
  g->ops = weft__quant_find(t->host);
  if (!weft__product_may_pack(t, w))
    return "needs a constant right operand";
  if (!weft__quant_w_zero_is(t, &g->s, g->s.w_signed ? 0 : 128))
    return "needs a right operand whose zero points are known and symmetric";
  if (!weft__product_known(t))
    return NULL;
  no = read_sizes(inner, g);
  if (!no)
    no = weft__quant_fixed_fits(t, &g->s, g->k);
  if (no)
    return no;
  const bool many = g->m > FEW;
  g->each = g->ops->pairs && many ? 2 : 1;
  if (g->ops->wide != 1 && g->each == 1 && many)
    return "has many rows, on a machine that multiplies no bytes";
  return g->k > WEFT__QUANT_STEPS ? "has sums whose bytes overflow int32" : NULL;
}

static const char *quant_gemm_rows_refuse(const weft_tiling *t) {
  qrows g;
  memset(&g, 0, sizeof g);
  return quant_gemm_rows_read(t, &g);
}

static double quant_gemm_rows_flops(const qrows *g) {
  return 2.0 * (double)g->m * (double)g->n * (double)g->quads;
}

static double quant_gemm_rows_cost(const weft_tiling *t) {
  qrows g;
  memset(&g, 0, sizeof g);
  if (quant_gemm_rows_read(t, &g))
    return 1e30;
  return 300 + quant_gemm_rows_flops(&g) / 75;  // beside quant_gemm.c's
}

static void quant_gemm_rows_cut(qrows *g, size_t bytes) {
  size_t want = weft__product_blocks(WEFT__QUANT_SHARE * quant_gemm_rows_flops(g), (double)bytes, 64);
  g->panel_parts = WEFT_MIN(g->panels, want);
  size_t more = (want + g->panel_parts - 1) / g->panel_parts;
  g->tile_parts = WEFT_MIN(g->tiles, WEFT_MAX(more, (g->m + MOST_ROWS - 1) / MOST_ROWS));
  g->units = g->panel_parts * g->tile_parts;
}

static weft_status quant_gemm_rows_tile(weft_tiling *t) {
  qrows *g = t->data;
  const char *no = quant_gemm_rows_read(t, g);
  if (no)
    return weft_fail(t->d, WEFT_E_KERNEL, "gemm-rows: %s", no);
  t->data_bytes = sizeof *g;
  g->wide = 2 * g->ops->vec;
  g->panels = (g->n + g->wide - 1) / g->wide;
  g->panel_size = g->quads * g->wide * g->each;
  g->tiles = (g->m + g->ops->rows - 1) / g->ops->rows;
  g->rows = weft__quant_shares_of(g->m, g->tiles);
  bool alike = 4 * g->quads * g->each % ALIKE == 0 && g->m > 1;
  g->copied = weft__quant_flip(&g->s, g->s.x_signed) || g->k % 4 || alike || g->each > 1;
  g->pitch = g->copied ? 4 * g->quads * g->each + (alike ? APART : 0) : g->k;
  size_t right;
  size_t left;
  if (!weft_mul_size(g->panels, (g->panel_size + g->wide) * sizeof(int32_t), &right) ||
      !weft_mul_size(g->m, g->pitch, &left)) {
    return weft_fail(t->d, WEFT_E_OVERFLOW, "gemm-rows: operands of %zu x %zu and %zu x %zu are too large",
                     g->m, g->k, g->k, g->n);
  }
  int64_t w = g->s.arg[WEFT__SUM_W];
  quant_gemm_rows_cut(g, right);
  t->pack_bytes[w] = right;
  t->pack_key[w] = (uint64_t)g->s.bytes << 8 | (uint64_t)(g->each > 1) << 7 | g->ops->vec;
  t->blocks = weft__product_blocks(WEFT__QUANT_SHARE * quant_gemm_rows_flops(g), (double)right, g->units);
  if (g->copied) {
    t->phases = 2;
    t->n_workspaces = 1;
    t->workspace_bytes[0] = left;
  }
  return WEFT_OK;
}

// ---- the right operand ----
// A panel of cols <= 2 * vec columns, and their sums.
static void quant_gemm_rows_pack_panel(const weft__quant_right *from, size_t vec, bool order, bool pairs,
                                       int32_t *to, int32_t *out_sum) {
  uint32_t quads[WEFT__QUANT_COLS] = {0};
  int32_t sum[WEFT__QUANT_COLS] = {0};
  for (size_t i = 0; i < from->k; i += 4) {
    weft__quant_columns(from, i, quads, sum);
    to = weft__quant_put_quads(quads, vec, order, pairs, to);
  }
  weft__quant_put_quads((const uint32_t *)sum, vec, order, false, out_sum);
}

// Sums of all panels, then the panels.
static weft_status quant_gemm_rows_pack(const weft_packing *p) {
  const weft_dim *d = p->in->layout.origin.dim;
  size_t k = (size_t)d[0];
  size_t n = (size_t)d[1];
  size_t vec = p->key & 0x7F;
  size_t wide = 2 * vec;
  size_t panels = (n + wide - 1) / wide;
  bool pairs = p->key >> 7 & 1;
  const uint8_t *b = weft_packing_read(p, 0, p->in->bytes);
  if (!b)
    return WEFT_E_NOMEM;
  int32_t *sums = p->to;
  int32_t *to = sums + panels * wide;
  const bool order = p->key >> 8 & 1;  // bytes go out in another one
  const size_t size = wide * ((k + 3) / 4) * (pairs ? 2 : 1);
  weft__quant_right panel = {.row = n, .k = k, .flip = p->in->dtype == WEFT_UINT8 ? 128 : 0, .moved = 128};
  for (size_t i = 0; i < panels; i++) {
    panel.b = b + i * wide;
    panel.n = WEFT_MIN(wide, n - i * wide);
    quant_gemm_rows_pack_panel(&panel, vec, order, pairs, to + i * size, sums + i * wide);
  }
  return WEFT_OK;
}

// ---- running ----
static void quant_gemm_rows_copy(const qrows *g, const weft_block *b) {
  uint8_t flip = weft__quant_flip(&g->s, g->s.x_signed);
  size_t last = weft__share(g->m, b->block + 1, b->blocks);
  for (size_t r = weft__share(g->m, b->block, b->blocks); r < last; r++) {
    const uint8_t *from = (const uint8_t *)b->arg[g->s.arg[WEFT__SUM_X]] + r * g->k;
    uint8_t *to = (uint8_t *)b->workspace[0] + r * g->pitch;
    if (g->each > 1)
      weft__quant_blocked_widen(from, g->k, flip, to);
    else
      g->ops->flip(from, g->k, flip, to);
    memset(to + g->k * g->each, 0, g->pitch - g->k * g->each);
  }
}

// Summands and what sums are scaled by, of a panel, in the order of its lanes, as weft__quant_blocked_rows
// has them.
static void quant_gemm_rows_make_numbers(const qrows *g, const weft_block *b, size_t panel, int32_t *rows) {
  const int32_t *sum = (const int32_t *)b->arg[g->s.arg[WEFT__SUM_W]] + panel * g->wide;
  const uint32_t zero = (uint32_t)weft__quant_lane_zero(&g->s, b->arg);
  size_t first = panel * g->wide;
  for (size_t j = 0; j < g->wide; j++)
    rows[j] = (int32_t)(0 - zero * (uint32_t)sum[j]);
  for (size_t j = 0; j < g->wide && (g->s.bytes || g->s.arg[WEFT__SUM_BIAS] >= 0); j++) {
    size_t c = WEFT_MIN(first + (g->s.bytes ? weft__quant_lane(j, g->ops->vec) : j), g->n - 1);
    rows[j] = (int32_t)((uint32_t)rows[j] + (uint32_t)weft__quant_bias(&g->s, b->arg, c));
    if (g->s.fixed) {
      rows[g->wide + j] = weft__quant_multiplier(&g->s, b->arg, c);
      rows[2 * g->wide + j] = weft__quant_shift(&g->s, b->arg, c);
    } else if (g->s.bytes) {
      const float factor = weft__quant_scale(&g->s, b->arg, c);
      memcpy(&rows[g->wide + j], &factor, sizeof factor);
    }
  }
}

// Tiles [first, last) of a panel, as many as are alike a call; the panel after it is fetched meanwhile.
static void quant_gemm_rows_run_panel(const qrows *g, const weft_block *b, size_t panel, size_t first,
                                      size_t last, weft__quant_product *t) {
  const uint8_t *x = g->copied ? b->workspace[0] : b->arg[g->s.arg[WEFT__SUM_X]];
  uint8_t *y = b->arg[g->s.y_arg];
  size_t col = panel * g->wide;
  size_t each = g->s.bytes ? 1 : sizeof(int32_t);
  size_t lines = g->panel_size * sizeof(int32_t) / 64;
  size_t a_tile = g->quads * g->each;
  const char *next = panel + 1 < g->panels ? (const char *)(t->p.w + g->panel_size) : NULL;
  for (size_t i = first; i < last; i += t->p.tiles) {
    size_t row = weft__quant_row(g->rows, i);
    size_t n = weft__quant_row(g->rows, i + 1) - row;
    size_t done = (i - first) * a_tile;
    size_t ahead = next && done < lines ? (lines - done) / a_tile : 0;
    t->p.tiles = WEFT_MIN(last, i < g->rows.more ? g->rows.more : g->tiles) - i;
    if (ahead)
      t->p.tiles = WEFT_MIN(t->p.tiles, ahead);
    t->p.x = x + row * g->pitch;
    t->p.x_tile = n * g->pitch;
    t->p.y = y + (row * g->n + col) * each;
    t->p.ahead = ahead ? next + done * 64 : (const char *)t->p.x;
    t->p.ahead_step = ahead ? 64 * g->each : 0;
    (g->each > 1 ? g->ops->product_pairs : g->ops->product)[n](t);
  }
}

static void quant_gemm_rows_run_unit(const qrows *g, const weft_block *b, size_t u) {
  size_t part = u % g->panel_parts;
  size_t rows = u / g->panel_parts;
  size_t last = weft__share(g->panels, part + 1, g->panel_parts);
  static const uint32_t begin = 0;
  _Alignas(64) int32_t rows_of[WEFT__QUANT_PANEL_ROWS * WEFT__QUANT_COLS];
  weft__quant_panel bounds = {.mask = {0}};
  weft__quant_product t = {
      .p = {.at = &begin, .x_row = g->pitch, .runs = {1}, .steps = {g->quads}, .panel = &bounds},
      .y_row = g->n};
  if (g->s.bytes)
    weft__quant_blocked_bounds(&g->s, b->arg, g->wide, g->wide, &bounds);
  weft__quant_blocked_rows(&g->s, rows_of, g->wide, &bounds);
  if (!g->s.bytes)
    bounds.factor = NULL;
  const int32_t *w = (const int32_t *)b->arg[g->s.arg[WEFT__SUM_W]] + g->panels * g->wide;
  for (size_t i = weft__share(g->panels, part, g->panel_parts); i < last; i++) {
    quant_gemm_rows_make_numbers(g, b, i, rows_of);
    t.p.w = w + i * g->panel_size;
    t.n = WEFT_MIN(g->wide, g->n - i * g->wide);
    quant_gemm_rows_run_panel(g, b, i, weft__share(g->tiles, rows, g->tile_parts),
                              weft__share(g->tiles, rows + 1, g->tile_parts), &t);
  }
}

static weft_status quant_gemm_rows_run(const weft_block *b) {
  const qrows *g = b->data;
  if (g->copied && b->phase == 0) {
    quant_gemm_rows_copy(g, b);
    return WEFT_OK;
  }
  for (size_t i = weft__share(g->units, b->block, b->blocks);
       i < weft__share(g->units, b->block + 1, b->blocks); i++)
    quant_gemm_rows_run_unit(g, b, i);
  return WEFT_OK;
}

WEFT__PRODUCT_KERNEL(quant_gemm_rows, quant_gemm_rows, "MatMulInteger", "gemm-rows");
WEFT__PRODUCT_KERNEL(quant_gemm_rows_fixed, quant_gemm_rows, "Fused", "gemm-rows");
// SPDX-License-Identifier: Apache-2.0
