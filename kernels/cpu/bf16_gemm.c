// bf16_gemm.c - the products of gemm.c where the precision mode lets both operands be rounded to bf16: sums
// are float, and what follows them is the same. Constant right operands are packed once, in panels of pairs
// (half the bytes of float: with few rows the speed is that of reading them). A first phase rounds the left
// operand, and packs a right one that is no constant.
#include "cpu/bf16_block.h"
#include "cpu/gemm_shape.h"
#include "cpu/vector_math_table.h"

enum { SLICE = 512, FEW = WEFT__GEMM_WIDE_ROWS };  // SLICE: pairs of a partial sum

typedef struct gemm {
  const weft__bf16_ops *ops;
  const weft__gemm_ops *out;
  uint32_t a_arg, b_arg, y_arg;
  weft__gemm_shape s;
  bool packed;                            // b
  size_t k, a_row, panels, group, tiles;  // k, a_row: in pairs
  size_t panel_parts, tile_parts, units;  // group: panels that stay together
} gemm;

static const char *read(const weft_tiling *t, weft__gemm_shape *g, weft__product *p) {
  if (t->precision != WEFT_PRECISION_BF16) return "the precision mode keeps float";
  return weft__gemm_read(t, p, g);
}

static const char *refuse(const weft_tiling *t) {
  weft__product p;
  weft__gemm_shape g;
  return read(t, &g, &p);
}

static double macs(const weft__gemm_shape *g) {
  return (double)g->batches * (double)g->m * (double)g->n * (double)g->k;
}

// In the same terms as gemm.c's.
static double cost(const weft_tiling *t) {
  weft__product p;
  weft__gemm_shape g;
  if (read(t, &g, &p)) return 1e30;
  if (weft__cpu_bf16_always()) return 1;
  bool constant = p.arg[1] >= 0 && t->value[p.arg[1]];
  double pass = (double)g.a_count * (double)g.m * (double)g.k,
         b = (double)g.b_count * (double)g.n * (double)g.k;
  bool streams = constant && g.m <= FEW && b > 1 << 18;
  double speed = streams || weft__bf16_find()->dots ? 72 : 30;
  return 800 + macs(&g) / speed + (pass + (constant ? 0 : 2 * b)) / 4;
}

static void cut(gemm *g) {
  const weft__gemm_shape *s = &g->s;
  g->k = (s->k + 1) / 2,
  g->a_row = g->k % 512 ? g->k : g->k + 16;  // rows 2 KiB apart meet in the first cache
  g->panels = (s->n + g->ops->cols - 1) / g->ops->cols;
  g->tiles = (s->m + g->ops->rows - 1) / g->ops->rows;
  size_t want = weft__product_blocks(2 * macs(s), 2.0 * (double)s->b_count * (double)s->n * (double)s->k, 64),
         each = (want + s->batches - 1) / WEFT_MAX(s->batches, 1);
  g->group = s->m <= FEW ? WEFT__GEMM_WIDE : 1;
  g->panel_parts = WEFT_MAX(1, WEFT_MIN(g->panels / g->group, each));
  size_t more = (each + g->panel_parts - 1) / g->panel_parts, least = (s->m + 511) / 512;
  g->tile_parts = WEFT_MAX(1, WEFT_MAX(least, WEFT_MIN(g->tiles / 4, more)));
  g->tile_parts = WEFT_MIN(g->tile_parts, WEFT_MAX(g->tiles, 1));
  g->units = s->m && s->n ? s->batches * g->panel_parts * g->tile_parts : 0;
}

static weft_status tile(weft_tiling *t) {
  weft__product p;
  gemm *g = t->data;
  const char *no = read(t, &g->s, &p);
  if (no) return weft_fail(t->d, WEFT_E_KERNEL, "gemm-bf16: %s", no);
  t->data_bytes = sizeof *g;
  g->ops = weft__bf16_find(), g->out = weft__gemm_find();
  g->a_arg = (uint32_t)p.arg[0], g->b_arg = (uint32_t)p.arg[1], g->y_arg = t->n_in;
  cut(g);
  size_t b_bytes, a_bytes;
  if (!weft_mul_size(g->panels * g->ops->cols * sizeof(uint32_t), g->k, &b_bytes) ||
      !weft_mul_size(b_bytes, g->s.b_count, &b_bytes) ||
      !weft_mul_size(g->a_row * sizeof(uint32_t), g->s.m, &a_bytes) ||
      !weft_mul_size(a_bytes, g->s.a_count, &a_bytes))
    return weft_fail(t->d, WEFT_E_OVERFLOW, "gemm-bf16: operands of %zu x %zu and %zu x %zu are too large",
                     g->s.m, g->s.k, g->s.k, g->s.n);
  g->packed = t->value[g->b_arg] && g->b_arg < WEFT_COUNT(t->pack_bytes) && b_bytes;
  if (g->packed) {
    t->pack_bytes[g->b_arg] = b_bytes;
    t->pack_key[g->b_arg] = (uint64_t)g->ops->cols << 32 | (uint64_t)g->s.turned;
  }
  t->blocks = weft__product_blocks(2 * macs(&g->s), (double)b_bytes, g->units);
  t->phases = 2, t->n_workspaces = 2;
  t->workspace_bytes[0] = WEFT_MAX(a_bytes, 64);
  t->workspace_bytes[1] = g->packed ? 64 : WEFT_MAX(b_bytes, 64);
  return WEFT_OK;
}

// ---- rounding and packing ----
// Panel of columns [first, first + cols) of a matrix at b with k rows, as rows of `wide` pairs.
static void pack_panel(const weft__bf16_ops *ops, const float *b, size_t b_k, size_t b_n, size_t k,
                       size_t first, size_t cols, size_t wide, uint32_t *to) {
  enum { PIECE = 64 };
  uint32_t part[WEFT__GEMM_COLS][PIECE / 2];
  size_t all = (k + 1) / 2;
  if (cols < wide) memset(to, 0, all * wide * sizeof *to);
  if (b_n == 1) {
    for (size_t i = 0; i < k; i += 2) {
      const float *row = b + i * b_k + first;
      ops->zip(to + i / 2 * wide, row, i + 1 < k ? row + b_k : NULL, cols);
    }
    return;
  }
  for (size_t i = 0; i < k; i += PIECE) {  // b_k is 1
    size_t n = WEFT_MIN(PIECE, k - i);
    for (size_t c = 0; c < cols; c++) ops->pairs(part[c], b + (first + c) * b_n + i, n);
    weft__vec_find()->transpose(part[0], PIECE / 2, to + i / 2 * wide, wide, cols, (n + 1) / 2);
  }
}

static weft_status pack(const weft_packing *p) {
  const weft_shape *s = &p->in->layout.origin;
  size_t wide = (size_t)(p->key >> 32), count = 1;
  bool turned = p->key & 1;
  size_t k = s->rank > 1 ? weft__gemm_dim(s, turned ? 1 : 2) : weft__gemm_dim(s, 1),
         n = s->rank > 1 ? weft__gemm_dim(s, turned ? 2 : 1) : 1;
  for (size_t i = 0; i + 2 < s->rank; i++) count *= (size_t)s->dim[i];
  size_t panels = (n + wide - 1) / wide, size = (k + 1) / 2 * wide;
  const weft__bf16_ops *ops = weft__bf16_find();
  for (size_t c = 0; c < count; c++)
    for (size_t j = 0; j < panels; j++)
      pack_panel(ops, (const float *)p->in->data + c * k * n, turned ? 1 : n, turned ? k : 1, k, j * wide,
                 WEFT_MIN(wide, n - j * wide), wide, (uint32_t *)p->to + (c * panels + j) * size);
  return WEFT_OK;
}

// A left operand that lies transposed: two of its rows are the pairs of all rows of the product.
static void round_turned(const gemm *g, const float *a, size_t matrix, size_t pair, uint32_t *to) {
  const float *low = a + matrix * g->s.m * g->s.k + 2 * pair * g->s.m;
  uint32_t part[64];
  for (size_t i = 0; i < g->s.m; i += WEFT_COUNT(part)) {
    size_t n = WEFT_MIN(WEFT_COUNT(part), g->s.m - i);
    g->ops->zip(part, low + i, 2 * pair + 1 < g->s.k ? low + g->s.m + i : NULL, n);
    for (size_t j = 0; j < n; j++) to[(matrix * g->s.m + i + j) * g->a_row + pair] = part[j];
  }
}

static void prepare(const gemm *g, const weft_block *b) {
  const float *a = b->arg[g->a_arg], *right = b->arg[g->b_arg];
  bool turned = g->s.a_k != 1;
  size_t wide = g->ops->cols, panels = g->packed ? 0 : g->s.b_count * g->panels;
  size_t rows = g->s.a_count * (turned ? g->k : g->s.m);
  uint32_t *to = b->workspace[0];
  for (size_t i = weft__share(rows, b->block, b->blocks); i < weft__share(rows, b->block + 1, b->blocks); i++)
    if (turned)
      round_turned(g, a, i / g->k, i % g->k, to);
    else
      g->ops->pairs(to + i * g->a_row, a + i * g->s.k, g->s.k);
  for (size_t u = weft__share(panels, b->block, b->blocks); u < weft__share(panels, b->block + 1, b->blocks);
       u++) {
    size_t first = u % g->panels * wide;
    pack_panel(g->ops, right + u / g->panels * g->s.k * g->s.n, g->s.b_k, g->s.b_n, g->s.k, first,
               WEFT_MIN(wide, g->s.n - first), wide, (uint32_t *)b->workspace[1] + u * g->k * wide);
  }
}

// ---- running ----
typedef struct unit {
  const uint32_t *a, *b;  // of this product
  float *y;
  size_t batch, tile0, tile1, panel0, panel1;
} unit;

static void find_unit(const gemm *g, const weft_block *b, size_t u, unit *out) {
  const weft__gemm_shape *s = &g->s;
  size_t part = u % g->panel_parts, row_part = u / g->panel_parts % g->tile_parts;
  size_t z = u / g->panel_parts / g->tile_parts, at_a = 0, at_b = 0, rest = z;
  for (size_t i = s->batch_rank; i-- > 0; rest /= s->dim[i])
    at_a += rest % s->dim[i] * s->a_step[i], at_b += rest % s->dim[i] * s->b_step[i];
  if (s->k) at_a /= s->m * s->k, at_b /= s->n * s->k;  // matrices
  const uint32_t *right = g->packed ? b->arg[g->b_arg] : b->workspace[1];
  out->a = (const uint32_t *)b->workspace[0] + at_a * s->m * g->a_row;
  out->b = right + at_b * g->panels * g->k * g->ops->cols;
  out->y = (float *)b->arg[g->y_arg] + z * s->m * s->n;
  out->batch = z;
  out->tile0 = weft__share(g->tiles, row_part, g->tile_parts);
  out->tile1 = weft__share(g->tiles, row_part + 1, g->tile_parts);
  size_t groups = (g->panels + g->group - 1) / g->group;
  out->panel0 = weft__share(groups, part, g->panel_parts) * g->group;
  out->panel1 = WEFT_MIN(weft__share(groups, part + 1, g->panel_parts) * g->group, g->panels);
}

static void finish(const gemm *g, const weft_block *b, const unit *u, float *sums, size_t row, size_t rows,
                   size_t panel, bool more, bool last) {
  size_t col = panel * g->ops->cols;
  weft__tile_out o = {.y = u->y + row * g->s.n + col,
                      .y_row = g->s.n,
                      .rows = rows,
                      .cols = WEFT_MIN(g->ops->cols, g->s.n - col),
                      .batch = u->batch,
                      .row = row,
                      .col = col,
                      .more = more,
                      .last = last,
                      .e = &g->s.e,
                      .arg = b->arg};
  g->out->finish(sums, &o);
}

// Slice [k0, k0 + kc) of a panel over the unit's rows; the panel after it is fetched meanwhile.
static void one_slice(const gemm *g, const weft_block *b, const unit *u, size_t panel, size_t k0, size_t kc,
                      float *sums) {
  const uint32_t zero = 0, *at_b = u->b + (panel * g->k + k0) * g->ops->cols;
  size_t vecs = g->s.n - panel * g->ops->cols > g->ops->vec, bytes = kc * g->ops->cols * sizeof *at_b;
  const char *next = panel + 1 < g->panels ? (const char *)(at_b + g->k * g->ops->cols) : NULL;
  for (size_t i = u->tile0; i < u->tile1; i++) {
    size_t row = weft__share(g->s.m, i, g->tiles), rows = weft__share(g->s.m, i + 1, g->tiles) - row;
    size_t passed = (i - u->tile0) * kc * 64;
    bool fetch = next && passed + kc * 64 <= bytes;
    g->ops->reduce[0][vecs][rows](1, kc, u->a + row * g->a_row + k0, &zero, g->a_row, at_b, sums, false,
                                  fetch ? next + passed : (const char *)at_b, fetch ? 64 : 0, NULL);
    finish(g, b, u, sums, row, rows, panel, k0 > 0, k0 + kc == g->k);
  }
}

static void run_unit(const gemm *g, const weft_block *b, const unit *u) {
  _Alignas(64) float sums[WEFT__GEMM_WIDE * WEFT__GEMM_ROWS * WEFT__GEMM_COLS];
  size_t panel = u->panel0, size = g->k * g->ops->cols;
  if (g->s.m <= FEW)
    for (; panel + WEFT__GEMM_WIDE <= u->panel1; panel += WEFT__GEMM_WIDE) {
      g->ops->wide[g->s.m](g->k, u->a, g->a_row, u->b + panel * size, size, sums);
      for (size_t i = 0; i < WEFT__GEMM_WIDE; i++)
        finish(g, b, u, sums + i * WEFT__GEMM_ROWS * WEFT__GEMM_COLS, 0, g->s.m, panel + i, false, true);
    }
  size_t slices = g->tiles == 1 ? 1 : WEFT_MAX(1, (g->k + SLICE - 1) / SLICE),
         kc = (g->k + slices - 1) / slices;
  for (size_t k0 = 0; k0 < WEFT_MAX(g->k, 1); k0 += WEFT_MAX(kc, 1))
    for (size_t j = panel; j < u->panel1; j++) one_slice(g, b, u, j, k0, WEFT_MIN(kc, g->k - k0), sums);
}

static weft_status run(const weft_block *b) {
  const gemm *g = b->data;
  if (b->phase == 0) {
    prepare(g, b);
    return WEFT_OK;
  }
  for (size_t i = weft__share(g->units, b->block, b->blocks);
       i < weft__share(g->units, b->block + 1, b->blocks); i++) {
    unit u;
    find_unit(g, b, i, &u);
    run_unit(g, b, &u);
  }
  return WEFT_OK;
}

WEFT__PRODUCT_KERNEL(bf16_gemm_BatchMatMulV2, "BatchMatMulV2", "gemm-bf16");
WEFT__PRODUCT_KERNEL(bf16_gemm_fused, "Fused", "gemm-bf16");
WEFT__PRODUCT_KERNEL(bf16_gemm_GEMM, "GEMM", "gemm-bf16");
WEFT__PRODUCT_KERNEL(bf16_gemm_MatMulV2, "MatMulV2", "gemm-bf16");
