// gemm.c - MatMulV2, BatchMatMulV2 and GEMM of float, alone and with what follows them. y is cut into units:
// of one product, some panels of columns times some tiles of rows; a block does a share of the units. Right
// operands that are constant lie in panels, packed once; others are packed by a first phase, or read in place
// where there are few rows. The inner dimension goes in slices, so that a panel's slice stays in a near cache
// while all rows pass over it. Packing costs one pass over the operand, everything else the sums.
#include "cpu/gemm/gemm_shape.h"
#include "cpu/move/move_ops.h"

// Steps of a slice. A panel that is one line wide comes from the second cache as fast as from the first.
enum { SLICE = 512, LONG_SLICE = 4096, LINE = 64 };
enum { FEW = WEFT__GEMM_WIDE_ROWS, IN_PLACE_ROWS = 8 };

typedef struct gemm {
  const weft__move_ops *vec;
  const weft__gemm_ops *ops;
  weft__gemm_shape s;
  weft__gemm_cut cut;
  bool packed, pack_here, copy_a;  // b: packed once; by the first phase. a: copied by it
  bool dots;                       // one column: sums along rows of a, y seen as a row
} gemm;

static const char *gemm_refuse(const weft_tiling *t) {
  weft__product p;
  weft__gemm_shape g;
  return weft__gemm_read(t, &p, &g);
}

static double gemm_cost(const weft_tiling *t) {
  weft__product p;
  weft__gemm_shape g;
  if (weft__gemm_read(t, &p, &g))
    return 1e30;
  return 300 + weft__gemm_macs(&g) / 40;
}

// y is a column and b a list: a row of y's numbers takes the place of a column of them.
static void lay_down(gemm *g) {
  g->dots = g->s.n == 1 && g->s.a_k == 1;
  for (uint32_t i = 0; g->dots && i < g->s.e.n; i++) {
    weft__step *s = &g->s.e.step[i];
    s->by_col = s->by_row != 0;
    s->by_row = 0;
  }
}

// Where the right operand lies in panels, of so many bytes, and whether the left one is copied.
static void gemm_place_operands(const weft_tiling *t, gemm *g, size_t bytes) {
  const weft__gemm_shape *s = &g->s;
  const bool in_place = s->b_n == 1 && s->m <= IN_PLACE_ROWS;
  g->packed = weft__product_may_pack(t, s->b_arg) && bytes;
  g->pack_here = !g->packed && bytes && !in_place;
  // Rows that lie a multiple of 2 KiB apart meet in the same places of the first cache.
  const bool rows_meet = s->a_k == 1 && s->k && s->k % 512 == 0;
  const bool read_often = s->m > FEW && g->cut.panels > 1;
  g->copy_a = rows_meet && read_often && s->batches == 1;
}

static weft_status gemm_tile(weft_tiling *t) {
  weft__product p;
  gemm *g = t->data;
  const char *no = weft__gemm_read(t, &p, &g->s);
  if (no)
    return weft_fail(t->d, WEFT_E_KERNEL, "gemm: %s", no);
  t->data_bytes = sizeof *g;
  g->ops = weft__gemm_find(t->host);
  g->vec = weft__move_find(t->host);
  lay_down(g);
  g->cut = weft__gemm_cut_of(&g->s, g->dots ? g->ops->cols : g->ops->rows, g->ops->cols, sizeof(float));
  size_t bytes = 0;
  size_t copy = 0;
  bool fits = weft_mul_size(g->cut.panels * g->ops->cols * sizeof(float), g->s.k, &bytes) &&
              weft_mul_size(bytes, g->s.b_count, &bytes);
  if (!fits || !weft_mul_size((g->s.k + 16) * sizeof(float), g->s.m * WEFT_MAX(g->s.batches, 1), &copy)) {
    return weft__gemm_too_large(t, "gemm", &g->s);
  }
  if (g->dots) {
    double flops = 2 * weft__gemm_macs(&g->s);
    t->blocks = weft__gemm_blocks(flops, 2 * flops, g->cut.units);
    return WEFT_OK;
  }
  gemm_place_operands(t, g, bytes);
  if (g->packed) {
    t->pack_bytes[g->s.b_arg] = bytes;
    t->pack_key[g->s.b_arg] = weft__gemm_key(&g->s, &g->cut);
  }
  t->blocks = weft__gemm_blocks(2 * weft__gemm_macs(&g->s), (double)bytes, g->cut.units);
  if (g->pack_here || g->copy_a) {
    t->phases = 2;
    t->n_workspaces = 2;
    t->workspace_bytes[0] = g->pack_here ? bytes : 64;
    t->workspace_bytes[1] = g->copy_a ? copy : 64;
  }
  return WEFT_OK;
}

// ---- packing ----
// A panel of some columns: rows of `wide` numbers, zeros behind the last.
static void gemm_pack_panel(const weft__move_ops *vec, const weft__gemm_columns *from, size_t wide,
                            float *to) {
  const size_t k = from->k;
  if (from->n < wide)
    memset(to, 0, k * wide * sizeof *to);
  if (from->b_n == 1) {
    for (size_t i = 0; i < k; i++)
      memcpy(to + i * wide, from->b + i * from->b_k, from->n * sizeof *to);
  } else {
    for (size_t i = 0; i < k; i += 64)  // a piece at a time stays in the first cache
      vec->transpose((const uint32_t *)(from->b + i * from->b_k), from->b_n, (uint32_t *)(to + i * wide),
                     wide, from->n, WEFT_MIN(64, k - i));
  }
}

static void gemm_pack_part(const weft_packing *p, const weft__gemm_right *r, const weft__gemm_part *part) {
  gemm_pack_panel(weft__move_find(p->host), &part->from, r->wide,
                  (float *)p->to + (part->panel * r->k + part->first_k) * r->wide);
}

static weft_status gemm_pack(const weft_packing *p) {
  return weft__gemm_right_each(p, (size_t)(p->key >> 32), 1, gemm_pack_part);
}

static void gemm_prepare(const gemm *g, const weft_block *b) {
  const float *from = b->arg[g->s.b_arg];
  const float *a = b->arg[g->s.a_arg];
  size_t wide = g->ops->cols;
  size_t all = g->pack_here ? g->s.b_count * g->cut.panels : 0;
  for (size_t u = weft__share(all, b->block, b->blocks); u < weft__share(all, b->block + 1, b->blocks); u++) {
    weft__gemm_columns panel = weft__gemm_panel_of(&g->s, from, &g->cut, u);
    gemm_pack_panel(g->vec, &panel, wide, (float *)b->workspace[0] + u * g->s.k * wide);
  }
  size_t rows = g->copy_a ? g->s.m : 0;
  for (size_t i = weft__share(rows, b->block, b->blocks); i < weft__share(rows, b->block + 1, b->blocks); i++)
    memcpy((float *)b->workspace[1] + i * (g->s.k + 16), a + i * g->s.a_row, g->s.k * sizeof *a);
}

// ---- running ----
typedef struct unit {
  weft__gemm_unit u;
  const float *a, *b;  // of this product; b in panels, or in place
  size_t a_row, b_k, b_panel;
} unit;

static void gemm_find_unit(const gemm *g, const weft_block *b, size_t u, unit *out) {
  bool panels = g->packed || g->pack_here;
  size_t wide = g->ops->cols;
  size_t size = g->s.k * g->s.n;
  out->u = weft__gemm_unit_of(&g->s, &g->cut, u);
  out->a = g->copy_a ? b->workspace[1] : (const float *)b->arg[g->s.a_arg] + out->u.at_a;
  out->a_row = g->copy_a ? g->s.k + 16 : g->s.a_row;
  const float *from = g->pack_here ? b->workspace[0] : b->arg[g->s.b_arg];
  size_t matrix = size ? out->u.at_b / size : 0;
  out->b = panels ? from + matrix * g->cut.panels * g->s.k * wide : from + out->u.at_b;
  out->b_k = panels ? wide : g->s.b_k;
  out->b_panel = panels ? g->s.k * wide : wide;
}

// A slice over the unit's rows. What comes after it is fetched meanwhile.
static void gemm_one_slice(const gemm *g, const weft_block *b, const unit *u, const weft__panel_slice *s,
                           float *sums) {
  const size_t panel = s->panel;
  const size_t k0 = s->k0;
  const size_t kc = s->k;
  const float *at_b = s->b;
  const size_t wide = g->ops->cols;
  const size_t tiles = u->u.tile1 - u->u.tile0;
  const size_t size = g->s.k * wide;
  const size_t after = g->packed || g->pack_here
                           ? weft__gemm_after(&g->cut, &u->u, panel, k0, k0 + kc, g->s.k, size)
                           : SIZE_MAX;
  const float *next = after == SIZE_MAX ? NULL : u->b + after;
  const weft__gemm_tile_fn *fn = g->ops->tile[g->s.a_k == 1][g->s.n - panel * wide > g->ops->vec];
  size_t row = weft__share(g->s.m, u->u.tile0, g->cut.tiles);
  weft__tile_out o = weft__gemm_out(&g->s, &g->cut, b, &u->u, row, 0, panel);
  o.more = k0 > 0;
  o.last = k0 + kc == g->s.k;
  weft__usual usual;
  const bool leaves =
      g->s.a_k == 1 && o.cols == wide && o.last && !o.more && weft__usual_of(&g->s.e, g->s.e.n, &usual);
  weft__rows_out out = {0};
  if (leaves)
    out = weft__rows_out_of(&o, &usual);
  for (size_t i = 0; i < tiles; i++, o.row += o.rows, o.y += o.rows * o.y_row) {
    o.rows = weft__share(g->s.m, u->u.tile0 + i + 1, g->cut.tiles) - o.row;
    weft__ahead ahead = weft__gemm_ahead_of(next, kc, wide * sizeof *at_b, i, tiles);
    if (!ahead.by)
      ahead.from = (const char *)at_b;
    const weft__tile_in f = {.k = kc,
                             .a = u->a + o.row * u->a_row + k0 * g->s.a_k,
                             .a_row = u->a_row,
                             .a_k = g->s.a_k,
                             .b = at_b,
                             .b_k = s->b_k,
                             .ahead = ahead};
    if (leaves) {
      out.y = o.y;
      g->ops->far_out[o.rows](&f, &out);
      out.one += o.rows * out.one_row;
      if (out.all)
        out.all += o.rows * out.all_row;
      continue;
    }
    fn[o.rows](&f, sums);
    g->ops->finish(sums, &o);
  }
}

// A panel of b in place that is not whole is packed a slice at a time.
static void gemm_one_panel(const gemm *g, const weft_block *b, const unit *u, size_t panel, size_t k0,
                           size_t kc, float *sums) {
  _Alignas(64) float part[SLICE * WEFT__GEMM_COLS];
  size_t wide = g->ops->cols;
  size_t cols = WEFT_MIN(wide, g->s.n - panel * wide);
  weft__panel_slice s = {panel, k0, kc, u->b + panel * u->b_panel + k0 * u->b_k, u->b_k};
  const bool whole = g->packed || g->pack_here || cols == wide;
  if (!whole && kc) {
    const weft__gemm_columns from = {s.b, .b_k = g->s.b_k, .b_n = 1, .k = kc, .n = cols};
    gemm_pack_panel(g->vec, &from, wide, part);
    s.b = part;
    s.b_k = wide;
  }
  gemm_one_slice(g, b, u, &s, sums);
}

static void gemm_run_unit(const gemm *g, const weft_block *b, const unit *u) {
  _Alignas(64) float sums[WEFT__GEMM_WIDE * WEFT__GEMM_ROWS * WEFT__GEMM_COLS];
  size_t panel = u->u.panel0;
  size_t whole = g->packed || g->pack_here ? g->cut.panels : g->s.n / g->ops->cols;
  if (g->s.m <= FEW) {
    for (; panel + WEFT__GEMM_WIDE <= WEFT_MIN(u->u.panel1, whole); panel += WEFT__GEMM_WIDE) {
      const weft__tile_in f = {.k = g->s.k,
                               .a = u->a,
                               .a_row = u->a_row,
                               .a_k = g->s.a_k,
                               .b = u->b + panel * u->b_panel,
                               .b_k = u->b_k};
      g->ops->wide[g->s.m](&f, u->b_panel, sums);
      for (size_t i = 0; i < WEFT__GEMM_WIDE; i++) {
        weft__tile_out o = weft__gemm_out(&g->s, &g->cut, b, &u->u, 0, g->s.m, panel + i);
        g->ops->finish(sums + i * WEFT__GEMM_ROWS * WEFT__GEMM_COLS, &o);
      }
    }
  }
  // With one tile of rows nothing is read twice: no slices, but where a panel is packed on the way.
  size_t most = whole == g->cut.panels && g->ops->cols * sizeof(float) <= LINE ? LONG_SLICE : SLICE;
  size_t slices = g->cut.tiles == 1 && whole == g->cut.panels ? 1 : WEFT_MAX(1, (g->s.k + most - 1) / most);
  size_t kc = (g->s.k + slices - 1) / slices;
  for (size_t k0 = 0; k0 < WEFT_MAX(g->s.k, 1); k0 += WEFT_MAX(kc, 1)) {
    for (size_t j = panel; j < u->u.panel1; j++)
      gemm_one_panel(g, b, u, j, k0, WEFT_MIN(kc, g->s.k - k0), sums);
  }
}

static void run_dots(const gemm *g, const weft_block *b, const unit *u) {
  _Alignas(64) float sums[WEFT__GEMM_COLS];
  for (size_t i = u->u.tile0; i < u->u.tile1; i++) {
    size_t row = weft__share(g->s.m, i, g->cut.tiles);
    size_t rows = weft__share(g->s.m, i + 1, g->cut.tiles) - row;
    weft__tile_out o = weft__gemm_out(&g->s, &g->cut, b, &u->u, row, 1, 0);
    o.y_row = g->s.m;
    o.cols = rows;
    o.row = 0;
    o.col = row;
    g->ops->dots(rows, g->s.k, u->a + row * u->a_row, u->a_row, u->b, sums);
    g->ops->finish(sums, &o);
  }
}

static weft_status gemm_run(const weft_block *b) {
  const gemm *g = b->data;
  if (b->phase == 0 && (g->pack_here || g->copy_a)) {
    gemm_prepare(g, b);
    return WEFT_OK;
  }
  for (size_t i = weft__share(g->cut.units, b->block, b->blocks);
       i < weft__share(g->cut.units, b->block + 1, b->blocks); i++) {
    unit u;
    gemm_find_unit(g, b, i, &u);
    if (g->dots)
      run_dots(g, b, &u);
    else
      gemm_run_unit(g, b, &u);
  }
  return WEFT_OK;
}

WEFT__PRODUCT_KERNEL(gemm_BatchMatMulV2, gemm, "BatchMatMulV2", "gemm");
WEFT__PRODUCT_KERNEL(gemm_fused, gemm, "Fused", "gemm");
WEFT__PRODUCT_KERNEL(gemm_GEMM, gemm, "GEMM", "gemm");
WEFT__PRODUCT_KERNEL(gemm_MatMulV2, gemm, "MatMulV2", "gemm");
// SPDX-License-Identifier: Apache-2.0
