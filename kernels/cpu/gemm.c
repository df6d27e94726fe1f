// gemm.c - MatMulV2, BatchMatMulV2 and GEMM of float, alone and with what follows them. y is cut into units:
// of one product, some panels of columns times some tiles of rows; a block does a share of the units. Right
// operands that are constant lie in panels, packed once; others are packed by a first phase, or read in place
// where there are few rows. The inner dimension goes in slices, so that a panel's slice stays in the first
// cache while all rows pass over it. Packing costs one pass over the operand, everything else the sums.
#include "cpu/gemm_shape.h"
#include "cpu/vector_math_table.h"

enum { SLICE = 512, FEW = WEFT__GEMM_WIDE_ROWS, IN_PLACE_ROWS = 8 };

typedef struct gemm {
  const weft__gemm_ops *ops;
  const weft__vec *vec;
  uint32_t a_arg, b_arg, y_arg;
  weft__gemm_shape s;
  bool packed, pack_here, copy_a;  // b: packed once; by the first phase. a: copied by it
  size_t panels, group, tiles, panel_parts, tile_parts, units;  // group: panels that stay together
} gemm;

static const char *refuse(const weft_tiling *t) {
  weft__product p;
  weft__gemm_shape g;
  return weft__gemm_read(t, &p, &g);
}

static double cost(const weft_tiling *t) {
  weft__product p;
  weft__gemm_shape g;
  if (weft__gemm_read(t, &p, &g)) return 1e30;
  return 300 + (double)g.batches * (double)g.m * (double)g.n * (double)g.k / 40;
}

static void cut(gemm *g) {
  size_t rows = g->ops->rows;
  g->panels = (g->s.n + g->ops->cols - 1) / g->ops->cols;
  g->tiles = (g->s.m + rows - 1) / rows;
  double flops = 2.0 * (double)g->s.batches * (double)g->s.m * (double)g->s.n * (double)g->s.k;
  double bytes = 4.0 * (double)g->s.b_count * (double)g->s.n * (double)g->s.k;
  size_t want = weft__product_blocks(flops, bytes, 64),
         each = (want + g->s.batches - 1) / WEFT_MAX(g->s.batches, 1);
  g->group = g->s.m <= FEW ? WEFT__GEMM_WIDE : 1;
  g->panel_parts = WEFT_MAX(1, WEFT_MIN(g->panels / g->group, each));
  size_t more = (each + g->panel_parts - 1) / g->panel_parts;
  size_t least = (g->s.m + 511) / 512;
  g->tile_parts = WEFT_MAX(1, WEFT_MAX(least, WEFT_MIN(g->tiles / 4, more)));
  g->tile_parts = WEFT_MIN(g->tile_parts, WEFT_MAX(g->tiles, 1));
  g->units = g->s.m && g->s.n ? g->s.batches * g->panel_parts * g->tile_parts : 0;
}

static weft_status tile(weft_tiling *t) {
  weft__product p;
  gemm *g = t->data;
  const char *no = weft__gemm_read(t, &p, &g->s);
  if (no) return weft_fail(t->d, WEFT_E_KERNEL, "gemm: %s", no);
  t->data_bytes = sizeof *g;
  g->ops = weft__gemm_find(), g->vec = weft__vec_find();
  g->a_arg = (uint32_t)p.arg[0], g->b_arg = (uint32_t)p.arg[1], g->y_arg = t->n_in;
  cut(g);
  size_t bytes = 0, copy = 0;
  bool fits = weft_mul_size(g->panels * g->ops->cols * sizeof(float), g->s.k, &bytes) &&
              weft_mul_size(bytes, g->s.b_count, &bytes);
  if (!fits || !weft_mul_size((g->s.k + 16) * sizeof(float), g->s.m * WEFT_MAX(g->s.batches, 1), &copy))
    return weft_fail(t->d, WEFT_E_OVERFLOW, "gemm: operands of %zu x %zu and %zu x %zu are too large", g->s.m,
                     g->s.k, g->s.k, g->s.n);
  g->packed = t->value[g->b_arg] && g->b_arg < WEFT_COUNT(t->pack_bytes) && bytes;
  g->pack_here = !g->packed && bytes && !(g->s.b_n == 1 && g->s.m <= IN_PLACE_ROWS);
  // Rows that lie a multiple of 2 KiB apart meet in the same places of the first cache.
  g->copy_a =
      g->s.a_k == 1 && g->s.m > FEW && g->panels > 1 && g->s.k % 512 == 0 && g->s.k && g->s.batches == 1;
  if (g->packed) {
    t->pack_bytes[g->b_arg] = bytes;
    t->pack_key[g->b_arg] = (uint64_t)g->ops->cols << 32 | (uint64_t)g->s.turned;
  }
  t->blocks = weft__product_blocks(
      2.0 * (double)g->s.batches * (double)g->s.m * (double)g->s.n * (double)g->s.k, (double)bytes, g->units);
  if (g->pack_here || g->copy_a) {
    t->phases = 2, t->n_workspaces = 2;
    t->workspace_bytes[0] = g->pack_here ? bytes : 64;
    t->workspace_bytes[1] = g->copy_a ? copy : 64;
  }
  return WEFT_OK;
}

// ---- packing ----
// Panel of columns [first, first + cols) of a matrix at b: k rows of `wide` numbers, zeros behind the last.
static void pack_panel(const float *b, size_t b_k, size_t b_n, size_t k, size_t first, size_t cols,
                       size_t wide, float *to) {
  const weft__vec *vec = weft__vec_find();
  if (cols < wide) memset(to, 0, k * wide * sizeof *to);
  if (b_n == 1) {
    for (size_t i = 0; i < k; i++) memcpy(to + i * wide, b + i * b_k + first, cols * sizeof *to);
  } else {
    for (size_t i = 0; i < k; i += 64)  // a piece at a time stays in the first cache
      vec->transpose((const uint32_t *)(b + first * b_n + i * b_k), b_n, (uint32_t *)(to + i * wide), wide,
                     cols, WEFT_MIN(64, k - i));
  }
}

static weft_status pack(const weft_packing *p) {
  const weft_shape *s = &p->in->layout.origin;
  size_t wide = (size_t)(p->key >> 32), count = 1;
  bool turned = p->key & 1;
  size_t k = s->rank > 1 ? weft__gemm_dim(s, turned ? 1 : 2) : weft__gemm_dim(s, 1),
         n = s->rank > 1 ? weft__gemm_dim(s, turned ? 2 : 1) : 1;
  for (size_t i = 0; i + 2 < s->rank; i++) count *= (size_t)s->dim[i];
  size_t panels = (n + wide - 1) / wide;
  const float *b = p->in->data;
  float *to = p->to;
  for (size_t c = 0; c < count; c++)
    for (size_t j = 0; j < panels; j++)
      pack_panel(b + c * k * n, turned ? 1 : n, turned ? k : 1, k, j * wide, WEFT_MIN(wide, n - j * wide),
                 wide, to + (c * panels + j) * k * wide);
  return WEFT_OK;
}

static void prepare(const gemm *g, const weft_block *b) {
  const float *from = b->arg[g->b_arg], *a = b->arg[g->a_arg];
  size_t wide = g->ops->cols, all = g->pack_here ? g->s.b_count * g->panels : 0;
  for (size_t u = weft__share(all, b->block, b->blocks); u < weft__share(all, b->block + 1, b->blocks); u++) {
    size_t first = u % g->panels * wide;
    pack_panel(from + u / g->panels * g->s.k * g->s.n, g->s.b_k, g->s.b_n, g->s.k, first,
               WEFT_MIN(wide, g->s.n - first), wide, (float *)b->workspace[0] + u * g->s.k * wide);
  }
  size_t rows = g->copy_a ? g->s.m : 0;
  for (size_t i = weft__share(rows, b->block, b->blocks); i < weft__share(rows, b->block + 1, b->blocks); i++)
    memcpy((float *)b->workspace[1] + i * (g->s.k + 16), a + i * g->s.a_row, g->s.k * sizeof *a);
}

// ---- running ----
typedef struct unit {
  const float *a, *b;  // of this product; b in panels, or in place
  float *y;
  size_t a_row, b_k, b_panel, batch;
  size_t tile0, tile1, panel0, panel1;
} unit;

static void find_unit(const gemm *g, const weft_block *b, size_t u, unit *out) {
  size_t part = u % g->panel_parts, row_part = u / g->panel_parts % g->tile_parts;
  size_t z = u / g->panel_parts / g->tile_parts, at_a = 0, at_b = 0, rest = z;
  for (size_t i = g->s.batch_rank; i-- > 0; rest /= g->s.dim[i])
    at_a += rest % g->s.dim[i] * g->s.a_step[i], at_b += rest % g->s.dim[i] * g->s.b_step[i];
  bool panels = g->packed || g->pack_here;
  size_t wide = g->ops->cols;
  out->a = g->copy_a ? b->workspace[1] : (const float *)b->arg[g->a_arg] + at_a;
  out->a_row = g->copy_a ? g->s.k + 16 : g->s.a_row;
  const float *from = g->pack_here ? b->workspace[0] : b->arg[g->b_arg];
  size_t matrix = g->s.k && g->s.n ? at_b / (g->s.k * g->s.n) : 0;
  out->b = panels ? from + matrix * g->panels * g->s.k * wide : from + at_b;
  out->b_k = panels ? wide : g->s.b_k;
  out->b_panel = panels ? g->s.k * wide : wide;
  out->y = (float *)b->arg[g->y_arg] + z * g->s.m * g->s.n;
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
  g->ops->finish(sums, &o);
}

// Slice [k0, k0 + kc) of a panel over the unit's rows.
static void one_slice(const gemm *g, const weft_block *b, const unit *u, size_t panel, const float *at_b,
                      size_t b_k, size_t k0, size_t kc, float *sums) {
  size_t cols = WEFT_MIN(g->ops->cols, g->s.n - panel * g->ops->cols), vecs = cols > g->ops->vec;
  const char *next = (const char *)(at_b + (u->b_panel == g->s.k * g->ops->cols ? u->b_panel : 0));
  bool ahead = u->b_panel == g->s.k * g->ops->cols && panel + 1 < g->panels;  // the next unit's, if need be
  for (size_t i = u->tile0; i < u->tile1; i++) {
    size_t row = weft__share(g->s.m, i, g->tiles), rows = weft__share(g->s.m, i + 1, g->tiles) - row,
           passed = (i - u->tile0) * kc * 64;
    bool fetch = ahead && passed < kc * g->ops->cols * sizeof(float);
    g->ops->tile[g->s.a_k == 1][vecs][rows](kc, u->a + row * u->a_row + k0 * g->s.a_k, u->a_row, g->s.a_k,
                                            at_b, b_k, sums, fetch ? next + passed : (const char *)at_b,
                                            fetch ? 64 : 0);
    finish(g, b, u, sums, row, rows, panel, k0 > 0, k0 + kc == g->s.k);
  }
}

// A panel of b in place that is not whole is packed a slice at a time.
static void one_panel(const gemm *g, const weft_block *b, const unit *u, size_t panel, size_t k0, size_t kc,
                      float *sums) {
  _Alignas(64) float part[SLICE * WEFT__GEMM_COLS];
  size_t wide = g->ops->cols, cols = WEFT_MIN(wide, g->s.n - panel * wide);
  const float *at_b = u->b + panel * u->b_panel + k0 * u->b_k;
  if (g->packed || g->pack_here || cols == wide || !kc) {
    one_slice(g, b, u, panel, at_b, u->b_k, k0, kc, sums);
    return;
  }
  pack_panel(at_b, g->s.b_k, 1, kc, 0, cols, wide, part);
  one_slice(g, b, u, panel, part, wide, k0, kc, sums);
}

static void run_unit(const gemm *g, const weft_block *b, const unit *u) {
  _Alignas(64) float sums[WEFT__GEMM_WIDE * WEFT__GEMM_ROWS * WEFT__GEMM_COLS];
  size_t panel = u->panel0, whole = g->packed || g->pack_here ? g->panels : g->s.n / g->ops->cols;
  if (g->s.m <= FEW)
    for (; panel + WEFT__GEMM_WIDE <= WEFT_MIN(u->panel1, whole); panel += WEFT__GEMM_WIDE) {
      g->ops->wide[g->s.m](g->s.k, u->a, u->a_row, g->s.a_k, u->b + panel * u->b_panel, u->b_k, u->b_panel,
                           sums);
      for (size_t i = 0; i < WEFT__GEMM_WIDE; i++)
        finish(g, b, u, sums + i * WEFT__GEMM_ROWS * WEFT__GEMM_COLS, 0, g->s.m, panel + i, false, true);
    }
  // With one tile of rows nothing is read twice: no slices, but where a panel is packed on the way.
  size_t slices = g->tiles == 1 && whole == g->panels ? 1 : WEFT_MAX(1, (g->s.k + SLICE - 1) / SLICE);
  size_t kc = (g->s.k + slices - 1) / slices;
  for (size_t k0 = 0; k0 < WEFT_MAX(g->s.k, 1); k0 += WEFT_MAX(kc, 1))
    for (size_t j = panel; j < u->panel1; j++) one_panel(g, b, u, j, k0, WEFT_MIN(kc, g->s.k - k0), sums);
}

static weft_status run(const weft_block *b) {
  const gemm *g = b->data;
  if (b->phase == 0 && (g->pack_here || g->copy_a)) {
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

WEFT__PRODUCT_KERNEL(gemm_BatchMatMulV2, "BatchMatMulV2", "gemm");
WEFT__PRODUCT_KERNEL(gemm_fused, "Fused", "gemm");
WEFT__PRODUCT_KERNEL(gemm_GEMM, "GEMM", "gemm");
WEFT__PRODUCT_KERNEL(gemm_MatMulV2, "MatMulV2", "gemm");
