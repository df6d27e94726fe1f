// bf16_gemm.c - the products of gemm.c where the precision mode lets both operands be rounded to bf16: sums
// are float, and what follows them is the same. Constant right operands are packed once, in panels of pairs
// (half the bytes of float: with few rows the speed is that of reading them). A first phase rounds the left
// operand, and packs a right one that is no constant.
#include "cpu/bf16/bf16_block.h"
#include "cpu/gemm/gemm_shape.h"
#include "cpu/move/move_ops.h"

enum { SLICE = 512, FEW = WEFT__BF16_WIDE_ROWS };  // SLICE: pairs of a partial sum

typedef struct gemm {
  const weft__move_ops *vec;
  const weft__bf16_ops *ops;
  const weft__gemm_ops *out;
  weft__gemm_shape s;
  weft__gemm_cut cut;
  bool packed;      // b
  size_t k, a_row;  // in pairs
} gemm;

static const char *bf16_gemm_read(const weft_tiling *t, weft__gemm_shape *g, weft__product *p) {
  if (t->precision != WEFT_PRECISION_BF16)
    return "the precision mode keeps float";
  return weft__gemm_read(t, p, g);
}

static const char *bf16_gemm_refuse(const weft_tiling *t) {
  weft__product p;
  weft__gemm_shape g;
  return bf16_gemm_read(t, &g, &p);
}

// In the same terms as gemm.c's.
static double bf16_gemm_cost(const weft_tiling *t) {
  weft__product p;
  weft__gemm_shape g;
  if (bf16_gemm_read(t, &g, &p))
    return 1e30;
  if (weft__cpu_bf16_always(t->host))
    return 1;
  bool constant = p.arg[1] >= 0 && t->value[p.arg[1]];
  double pass = (double)g.a_count * (double)g.m * (double)g.k,
         b = (double)g.b_count * (double)g.n * (double)g.k;
  bool streams = constant && g.m <= FEW && b > 1 << 18;
  double speed = streams || weft__bf16_find(t->host)->dots ? 72 : 30;
  return 800 + weft__gemm_macs(&g) / speed + (pass + (constant ? 0 : 2 * b)) / 4;
}

static weft_status bf16_gemm_tile(weft_tiling *t) {
  weft__product p;
  gemm *g = t->data;
  const char *no = bf16_gemm_read(t, &g->s, &p);
  if (no)
    return weft_fail(t->d, WEFT_E_KERNEL, "gemm-bf16: %s", no);
  t->data_bytes = sizeof *g;
  g->vec = weft__move_find(t->host);
  g->ops = weft__bf16_find(t->host);
  g->out = weft__gemm_find(t->host);
  g->cut = weft__gemm_cut_of(&g->s, g->ops->rows, g->ops->cols, sizeof(uint16_t));
  g->k = (g->s.k + 1) / 2;
  g->a_row = g->k % 512 ? g->k : g->k + 16;  // rows 2 KiB apart meet in the first cache
  size_t b_bytes;
  size_t a_bytes;
  if (!weft_mul_size(g->cut.panels * g->ops->cols * sizeof(uint32_t), g->k, &b_bytes) ||
      !weft_mul_size(b_bytes, g->s.b_count, &b_bytes) ||
      !weft_mul_size(g->a_row * sizeof(uint32_t), g->s.m, &a_bytes) ||
      !weft_mul_size(a_bytes, g->s.a_count, &a_bytes)) {
    return weft__gemm_too_large(t, "gemm-bf16", &g->s);
  }
  g->packed = weft__product_may_pack(t, g->s.b_arg) && b_bytes;
  if (g->packed) {
    t->pack_bytes[g->s.b_arg] = b_bytes;
    t->pack_key[g->s.b_arg] = weft__gemm_key(&g->s, &g->cut);
  }
  t->blocks = weft__gemm_blocks(2 * weft__gemm_macs(&g->s), (double)b_bytes, g->cut.units);
  t->phases = 2;
  t->n_workspaces = 2;
  t->workspace_bytes[0] = WEFT_MAX(a_bytes, 64);
  t->workspace_bytes[1] = g->packed ? 64 : WEFT_MAX(b_bytes, 64);
  return WEFT_OK;
}

// ---- rounding and packing ----
void weft__bf16_panel(const weft__bf16_ops *ops, const weft__move_ops *vec, const weft__gemm_columns *from,
                      uint32_t *to) {
  enum { PIECE = 64 };
  uint32_t part[WEFT__GEMM_COLS][PIECE / 2];
  size_t wide = ops->cols;
  size_t k = from->k;
  size_t n = from->n;
  if (from->b_n == 1) {
    ops->zip_rows(to, from->b, from->b_k, k, n);
    return;
  }
  if (n < wide)
    memset(to, 0, (k + 1) / 2 * wide * sizeof *to);
  for (size_t i = 0; i < k; i += PIECE) {
    size_t some = WEFT_MIN(PIECE, k - i);
    for (size_t c = 0; c < n; c++)
      ops->pairs(part[c], from->b + c * from->b_n + i, some);
    vec->transpose(part[0], PIECE / 2, to + i / 2 * wide, wide, n, (some + 1) / 2);
  }
}

static void bf16_gemm_pack_part(const weft_packing *p, const weft__gemm_right *r,
                                const weft__gemm_part *part) {
  weft__bf16_panel(weft__bf16_find(p->host), weft__move_find(p->host), &part->from,
                   (uint32_t *)p->to + (part->panel * ((r->k + 1) / 2) + part->first_k / 2) * r->wide);
}

static weft_status bf16_gemm_pack(const weft_packing *p) {
  return weft__gemm_right_each(p, (size_t)(p->key >> 32), 2, bf16_gemm_pack_part);
}

// A left operand that lies transposed: two of its rows are the pairs of all rows of the product.
static void round_turned(const gemm *g, const float *a, size_t matrix, size_t pair, uint32_t *to) {
  const float *low = a + matrix * g->s.m * g->s.k + 2 * pair * g->s.m;
  uint32_t part[64];
  for (size_t i = 0; i < g->s.m; i += WEFT_COUNT(part)) {
    size_t n = WEFT_MIN(WEFT_COUNT(part), g->s.m - i);
    g->ops->zip_in(part, low + i, 2 * pair + 1 < g->s.k ? low + g->s.m + i : NULL, n);
    for (size_t j = 0; j < n; j++)
      to[(matrix * g->s.m + i + j) * g->a_row + pair] = part[j];
  }
}

static void bf16_gemm_prepare(const gemm *g, const weft_block *b) {
  const float *a = b->arg[g->s.a_arg];
  const float *right = b->arg[g->s.b_arg];
  bool turned = g->s.a_k != 1;
  size_t wide = g->ops->cols;
  size_t panels = g->packed ? 0 : g->s.b_count * g->cut.panels;
  size_t rows = g->s.a_count * (turned ? g->k : g->s.m);
  uint32_t *to = b->workspace[0];
  for (size_t i = weft__share(rows, b->block, b->blocks); i < weft__share(rows, b->block + 1, b->blocks);
       i++) {
    if (turned)
      round_turned(g, a, i / g->k, i % g->k, to);
    else
      g->ops->pairs(to + i * g->a_row, a + i * g->s.k, g->s.k);
  }
  for (size_t u = weft__share(panels, b->block, b->blocks); u < weft__share(panels, b->block + 1, b->blocks);
       u++) {
    weft__gemm_columns panel = weft__gemm_panel_of(&g->s, right, &g->cut, u);
    weft__bf16_panel(g->ops, g->vec, &panel, (uint32_t *)b->workspace[1] + u * g->k * wide);
  }
}

// ---- running ----
typedef struct unit {
  weft__gemm_unit u;
  const uint32_t *a, *b;  // of this product
} unit;

static void bf16_gemm_find_unit(const gemm *g, const weft_block *b, size_t u, unit *out) {
  const weft__gemm_shape *s = &g->s;
  out->u = weft__gemm_unit_of(s, &g->cut, u);
  // matrices
  size_t a = s->k ? out->u.at_a / (s->m * s->k) : 0;
  size_t w = s->k ? out->u.at_b / (s->n * s->k) : 0;
  const uint32_t *right = g->packed ? b->arg[s->b_arg] : b->workspace[1];
  out->a = (const uint32_t *)b->workspace[0] + a * s->m * g->a_row;
  out->b = right + w * g->cut.panels * g->k * g->ops->cols;
}

// Slice [k0, k0 + kc) of a panel over the unit's rows. What comes after it is fetched meanwhile.
static void bf16_gemm_one_slice(const gemm *g, const weft_block *b, const unit *u, size_t panel, size_t k0,
                                size_t kc, float *sums) {
  const size_t wide = g->ops->cols;
  const size_t tiles = u->u.tile1 - u->u.tile0;
  const size_t size = g->k * wide;
  const size_t after = weft__gemm_after(&g->cut, &u->u, panel, k0, k0 + kc, g->k, size);
  const uint32_t zero = 0;
  const uint32_t *at_b = u->b + panel * size + k0 * wide;
  const uint32_t *next = after == SIZE_MAX ? NULL : u->b + after;
  const size_t vecs = g->s.n - panel * wide > g->ops->vec;
  const size_t row = weft__share(g->s.m, u->u.tile0, g->cut.tiles);
  weft__tile_out o = weft__gemm_out(&g->s, &g->cut, b, &u->u, row, 0, panel);
  o.more = k0 > 0;
  o.last = k0 + kc == g->k;
  for (size_t i = 0; i < tiles; i++, o.row += o.rows, o.y += o.rows * o.y_row) {
    o.rows = weft__share(g->s.m, u->u.tile0 + i + 1, g->cut.tiles) - o.row;
    weft__tap_sums s = {.n = 1,
                        .steps = kc,
                        .a = u->a + o.row * g->a_row + k0,
                        .at = &zero,
                        .a_row = g->a_row,
                        .w = at_b,
                        .tile = sums,
                        .ahead = weft__gemm_ahead_of(next, kc, wide * sizeof *at_b, i, tiles)};
    if (!s.ahead.by)
      s.ahead.from = (const char *)at_b;
    g->ops->reduce[0][vecs][o.rows](&s);
    g->out->finish(sums, &o);
  }
}

static void bf16_gemm_run_unit(const gemm *g, const weft_block *b, const unit *u) {
  _Alignas(64) float sums[WEFT__GEMM_WIDE * WEFT__GEMM_ROWS * WEFT__GEMM_COLS];
  size_t panel = u->u.panel0;
  size_t size = g->k * g->ops->cols;
  if (g->s.m <= FEW) {
    for (; panel + WEFT__GEMM_WIDE <= u->u.panel1; panel += WEFT__GEMM_WIDE) {
      g->ops->wide[g->s.m](g->k, u->a, g->a_row, u->b + panel * size, size, sums);
      for (size_t i = 0; i < WEFT__GEMM_WIDE; i++) {
        weft__tile_out o = weft__gemm_out(&g->s, &g->cut, b, &u->u, 0, g->s.m, panel + i);
        g->out->finish(sums + i * WEFT__GEMM_ROWS * WEFT__GEMM_COLS, &o);
      }
    }
  }
  size_t slices = g->cut.tiles == 1 ? 1 : WEFT_MAX(1, (g->k + SLICE - 1) / SLICE);
  size_t kc = (g->k + slices - 1) / slices;
  for (size_t k0 = 0; k0 < WEFT_MAX(g->k, 1); k0 += WEFT_MAX(kc, 1)) {
    for (size_t j = panel; j < u->u.panel1; j++)
      bf16_gemm_one_slice(g, b, u, j, k0, WEFT_MIN(kc, g->k - k0), sums);
  }
}

static weft_status bf16_gemm_run(const weft_block *b) {
  const gemm *g = b->data;
  if (b->phase == 0) {
    bf16_gemm_prepare(g, b);
    return WEFT_OK;
  }
  for (size_t i = weft__share(g->cut.units, b->block, b->blocks);
       i < weft__share(g->cut.units, b->block + 1, b->blocks); i++) {
    unit u;
    bf16_gemm_find_unit(g, b, i, &u);
    bf16_gemm_run_unit(g, b, &u);
  }
  return WEFT_OK;
}

WEFT__PRODUCT_KERNEL(bf16_gemm_BatchMatMulV2, bf16_gemm, "BatchMatMulV2", "gemm-bf16");
WEFT__PRODUCT_KERNEL(bf16_gemm_fused, bf16_gemm, "Fused", "gemm-bf16");
WEFT__PRODUCT_KERNEL(bf16_gemm_GEMM, bf16_gemm, "GEMM", "gemm-bf16");
WEFT__PRODUCT_KERNEL(bf16_gemm_MatMulV2, bf16_gemm, "MatMulV2", "gemm-bf16");
// SPDX-License-Identifier: Apache-2.0
