// amx_gemm.c - the products of gemm.c on AMX's tiles (amx_block.h): both operands are split into as many
// parts of bf16 as the precision mode asks for - three keep float's accuracy -, sums are float, and what
// follows them is the same. Both lie in pieces of 32 rows or columns by 32 steps, part after part, in the
// order in which a sum reads them. Constant right operands are packed once (6 bytes a number in three parts);
// a first phase splits the left one, and a right one that is no constant.
//
// The inner dimension goes in slices, so that the left operand's stays in the second cache while all panels
// pass over it. Elements that are not finite are computed again from the parts, in double.
#include "cpu/amx/amx_block.h"
#include "cpu/gemm/gemm_shape.h"
#include "cpu/move/move_ops.h"

enum {
  SLICE = 24,  // steps of a partial sum
  MOST_ROWS = 256,
  MOST_K = 1 << 24,
  PIECE = WEFT__AMX_PIECE,
  STEP = WEFT__AMX_STEP,
  WIDE = WEFT__AMX_COLS
};

typedef struct gemm {
  const weft__move_ops *vec;
  const weft__amx_ops *ops;
  const weft__gemm_ops *out;
  uint32_t a_arg, b_arg, y_arg;
  weft__gemm_shape s;
  bool packed;                 // b
  size_t parts, steps, piece;  // of the inner dimension; piece: pairs of all parts
  size_t strips, panels;       // of 32 rows, of 32 columns
  size_t panel_parts, strip_parts, units;
} gemm;

static const char *amx_gemm_read(const weft_tiling *t, weft__gemm_shape *g, weft__product *p) {
  const char *no = weft__amx_refuse(t->host);
  if (no)
    return no;
  no = weft__gemm_read(t, p, g);
  return no ? no : g->k > MOST_K ? "sums more than 2^24 products" : NULL;
}

static const char *amx_gemm_refuse(const weft_tiling *t) {
  weft__product p;
  weft__gemm_shape g;
  return amx_gemm_read(t, &g, &p);
}

// In the same terms as gemm.c's. The speeds are those of a prototype on a machine with AMX, beside float on
// that machine: 310, 500 and 780 operations a nanosecond with 3, 2 and 1 parts, 170 with float, for 128 x 768
// x 3072, splitting included; more bytes of weights than float's at the speed of the last cache (28 a
// nanosecond). None of this was measured in this kernel.
static double amx_gemm_cost(const weft_tiling *t) {
  static const double speed[] = {1, 184, 118, 72};
  weft__product p;
  weft__gemm_shape g;
  if (amx_gemm_read(t, &g, &p))
    return 1e30;
  if (weft__cpu_amx(t->host) == WEFT__AMX_EMULATED)
    return 1;
  size_t parts = weft__amx_parts(t->precision);
  bool constant = p.arg[1] >= 0 && t->value[p.arg[1]];
  double full = g.m ? (double)((g.m + 15) / 16 * 16) / (double)g.m : 1;
  double b = (double)g.b_count * (double)g.n * (double)g.k;
  double weights = constant ? (parts > 2 ? 0.15 : 0) * b : (double)parts * b / 4;
  return 1200 + weft__gemm_macs(&g) * full / speed[parts] + weights;
}

static void amx_gemm_cut(gemm *g) {
  const weft__gemm_shape *s = &g->s;
  g->steps = (s->k + STEP - 1) / STEP;
  g->piece = g->parts * PIECE;
  g->panels = (s->n + WIDE - 1) / WIDE;
  g->strips = (s->m + WEFT__AMX_ROWS - 1) / WEFT__AMX_ROWS;
  double bytes = 2.0 * (double)g->parts * (double)s->b_count * (double)s->n * (double)s->k;
  size_t want = weft__product_blocks(weft__gemm_macs(s), bytes, 64);
  size_t each = (want + s->batches - 1) / WEFT_MAX(s->batches, 1);
  g->panel_parts = WEFT_MAX(1, WEFT_MIN(g->panels, each));
  size_t more = (each + g->panel_parts - 1) / g->panel_parts;
  size_t least = (s->m + MOST_ROWS - 1) / MOST_ROWS;
  g->strip_parts = WEFT_MAX(1, WEFT_MIN(g->strips, WEFT_MAX(least, more)));
  g->units = s->m && s->n ? s->batches * g->panel_parts * g->strip_parts : 0;
}

static weft_status amx_gemm_tile(weft_tiling *t) {
  weft__product p;
  gemm *g = t->data;
  const char *no = amx_gemm_read(t, &g->s, &p);
  if (no)
    return weft_fail(t->d, WEFT_E_KERNEL, "gemm-amx: %s", no);
  t->data_bytes = sizeof *g;
  g->vec = weft__move_find(t->host);
  g->ops = weft__amx_find(t->host);
  g->out = weft__gemm_find(t->host);
  g->parts = weft__amx_parts(t->precision);
  g->a_arg = (uint32_t)p.arg[0];
  g->b_arg = (uint32_t)p.arg[1];
  g->y_arg = t->n_in;
  amx_gemm_cut(g);
  size_t b_bytes;
  size_t a_bytes;
  if (!weft_mul_size(g->steps * g->piece * sizeof(uint32_t), g->panels, &b_bytes) ||
      !weft_mul_size(b_bytes, g->s.b_count, &b_bytes) ||
      !weft_mul_size(g->steps * g->piece * sizeof(uint32_t), g->strips, &a_bytes) ||
      !weft_mul_size(a_bytes, g->s.a_count, &a_bytes)) {
    return weft__gemm_too_large(t, "gemm-amx", &g->s);
  }
  g->packed = weft__product_may_pack(t, g->b_arg) && b_bytes;
  if (g->packed) {
    t->pack_bytes[g->b_arg] = b_bytes;
    t->pack_key[g->b_arg] = (uint64_t)g->parts << 1 | (uint64_t)g->s.turned;
  }
  t->blocks = weft__product_blocks(weft__gemm_macs(&g->s), (double)b_bytes, g->units);
  t->phases = 2;
  t->n_workspaces = 2;
  t->workspace_bytes[0] = WEFT_MAX(a_bytes, 64);
  t->workspace_bytes[1] = g->packed ? 64 : WEFT_MAX(b_bytes, 64);
  t->scratch_bytes = SLICE * sizeof(uint32_t);
  return WEFT_OK;
}

// ---- splitting and packing ----
// One piece of the right operand: a step's rows of at most 32 columns.
static void pack_piece(const weft__amx_ops *ops, const weft__move_ops *vec, size_t parts,
                       const weft__gemm_columns *c, uint32_t *to) {
  _Alignas(64) float part[STEP * WIDE];
  const float *from = c->b;
  size_t b_k = c->b_k;
  const bool whole = c->k == STEP && c->n == WIDE;
  if (c->b_n != 1 || !whole) {
    memset(part, 0, sizeof part);
    if (c->b_n == 1) {
      for (size_t i = 0; i < c->k; i++)
        memcpy(part + i * WIDE, from + i * b_k, c->n * sizeof *part);
    } else
      vec->transpose((const uint32_t *)from, c->b_n, (uint32_t *)part, WIDE, c->n, c->k);
    from = part;
    b_k = WIDE;
  }
  for (size_t i = 0; i < STEP / 2; i++, from += 2 * b_k) {
    for (size_t half = 0; half < 2; half++)
      ops->zip(to + half * (PIECE / 2) + i * 16, PIECE, from + half * 16, from + b_k + half * 16, 16, parts);
  }
}

static void amx_gemm_pack_part(const weft_packing *p, const weft__gemm_right *r,
                               const weft__gemm_part *part) {
  size_t parts = (size_t)(p->key >> 1);
  size_t steps = (r->k + STEP - 1) / STEP;
  uint32_t *to = (uint32_t *)p->to + (part->panel * steps + part->first_k / STEP) * parts * PIECE;
  for (size_t k0 = 0; k0 < part->from.k; k0 += STEP, to += parts * PIECE) {
    weft__gemm_columns piece = part->from;
    piece.b += k0 * piece.b_k;
    piece.k = WEFT_MIN(STEP, piece.k - k0);
    pack_piece(weft__amx_find(p->host), weft__move_find(p->host), parts, &piece, to);
  }
}

static weft_status amx_gemm_pack(const weft_packing *p) {
  if (!weft__amx_find(p->host))
    return weft_fail(p->d, WEFT_E_KERNEL, "gemm-amx: %s", weft__amx_refuse(p->host));
  return weft__gemm_right_each(p, WIDE, STEP, amx_gemm_pack_part);
}

// One piece of the left operand; steps behind the last are zeros, rows behind the last anything.
static void split_piece(const gemm *g, const float *a, size_t row, size_t k0, uint32_t *to) {
  _Alignas(64) float part[WEFT__AMX_ROWS * STEP];
  size_t rows = WEFT_MIN(WEFT__AMX_ROWS, g->s.m - row);
  size_t kn = WEFT_MIN(STEP, g->s.k - k0);
  size_t line = g->s.a_row;
  const float *from = a + row * g->s.a_row + k0 * g->s.a_k;
  if (g->s.a_k != 1 || kn < STEP) {
    memset(part, 0, sizeof part);
    if (g->s.a_k == 1) {
      for (size_t i = 0; i < rows; i++)
        memcpy(part + i * STEP, from + i * line, kn * sizeof *part);
    } else
      g->vec->transpose((const uint32_t *)from, g->s.a_k, (uint32_t *)part, STEP, kn, rows);
    from = part;
    line = STEP;
  }
  const weft__amx_split s = {.from = from,
                             .step = line,
                             .n = STEP,
                             .rows = rows,
                             .to = (uint16_t *)(void *)to,
                             .to_step = STEP,
                             .part_step = 2 * PIECE};
  g->ops->split(&s, g->parts);
}

static void amx_gemm_prepare(const gemm *g, const weft_block *b) {
  const weft__gemm_shape *s = &g->s;
  size_t left = s->a_count * g->strips * g->steps;
  size_t right = g->packed ? 0 : s->b_count * g->panels * g->steps;
  const float *from_a = b->arg[g->a_arg];
  const float *from_b = b->arg[g->b_arg];
  for (size_t u = weft__share(left, b->block, b->blocks); u < weft__share(left, b->block + 1, b->blocks);
       u++) {
    size_t step = u % g->steps;
    size_t strip = u / g->steps % g->strips;
    size_t matrix = u / g->steps / g->strips;
    split_piece(g, from_a + matrix * s->m * s->k, strip * WEFT__AMX_ROWS, step * STEP,
                (uint32_t *)b->workspace[0] + u * g->piece);
  }
  for (size_t u = weft__share(right, b->block, b->blocks); u < weft__share(right, b->block + 1, b->blocks);
       u++) {
    size_t k0 = u % g->steps * STEP;
    size_t first = u / g->steps % g->panels * WIDE;
    size_t matrix = u / g->steps / g->panels;
    const weft__gemm_columns piece = {
        .b = from_b + matrix * s->k * s->n + k0 * s->b_k + first * s->b_n,
        .b_k = s->b_k,
        .b_n = s->b_n,
        .k = WEFT_MIN(STEP, s->k - k0),
        .n = WEFT_MIN(WIDE, s->n - first),
    };
    pack_piece(g->ops, g->vec, g->parts, &piece, (uint32_t *)b->workspace[1] + u * g->piece);
  }
}

// ---- running ----
typedef struct unit {
  const uint32_t *a, *b;  // of this product
  float *y;
  size_t batch, strip0, strip1, panel0, panel1;
} unit;

static void amx_gemm_find_unit(const gemm *g, const weft_block *b, size_t u, unit *out) {
  const weft__gemm_shape *s = &g->s;
  size_t part = u % g->panel_parts;
  size_t strip_part = u / g->panel_parts % g->strip_parts;
  size_t at_a;
  size_t at_b;
  size_t z = u / g->panel_parts / g->strip_parts;
  size_t matrix = g->steps * g->piece;
  weft__gemm_matrices(s, z, &at_a, &at_b);
  const uint32_t *right = g->packed ? b->arg[g->b_arg] : b->workspace[1];
  out->a = (const uint32_t *)b->workspace[0] + at_a * g->strips * matrix;
  out->b = right + at_b * g->panels * matrix;
  out->y = (float *)b->arg[g->y_arg] + z * s->m * s->n;
  out->batch = z;
  out->strip0 = weft__share(g->strips, strip_part, g->strip_parts);
  out->strip1 = weft__share(g->strips, strip_part + 1, g->strip_parts);
  out->panel0 = weft__share(g->panels, part, g->panel_parts);
  out->panel1 = weft__share(g->panels, part + 1, g->panel_parts);
}

static float exact(const gemm *g, const unit *u, size_t row, size_t col) {
  const uint32_t *a = u->a + row / WEFT__AMX_ROWS * g->steps * g->piece;
  const uint32_t *b = u->b + col / WIDE * g->steps * g->piece;
  size_t i = row % WEFT__AMX_ROWS;
  size_t j = col % WIDE;
  double sum = 0;
  for (size_t k = 0; k < g->s.k; k++) {
    const uint16_t *at_a = (const uint16_t *)(const void *)(a + k / STEP * g->piece) + i * STEP + k % STEP;
    const uint16_t *at_b =
        (const uint16_t *)(const void *)(b + k / STEP * g->piece + weft__amx_pair(j, k % STEP)) + k % 2;
    sum += weft__amx_number(at_a, 2 * PIECE, g->parts) * weft__amx_number(at_b, 2 * PIECE, g->parts);
  }
  return (float)sum;
}

// The whole sums of a tile: with those of the slices before, and right where they are not finite.
static void complete(const gemm *g, const unit *u, float *sums, const weft__tile_out *o) {
  for (size_t i = 0; o->more && i < o->rows; i++) {
    for (size_t j = 0; j < o->cols; j++)
      sums[i * WIDE + j] += o->y[i * o->y_row + j];
  }
  if (weft__amx_finite(sums, o->rows, o->cols))
    return;
  for (size_t i = 0; i < o->rows; i++) {
    for (size_t j = 0; j < o->cols; j++) {
      if (!weft__amx_finite(sums + i * WIDE + j, 1, 1))
        sums[i * WIDE + j] = exact(g, u, o->row + i, o->col + j);
    }
  }
}

// A tile of at most WIDE columns.
static void amx_gemm_finish(const gemm *g, const unit *u, float *sums, const weft__tile_out *tile) {
  const size_t each = g->out->cols;
  if (tile->last)
    complete(g, u, sums, tile);
  for (size_t j = 0; j < tile->cols; j += each) {  // as wide as the steps are
    weft__tile_out o = *tile;
    o.y += j;
    o.col += j;
    o.cols = WEFT_MIN(each, tile->cols - j);
    o.more = tile->more && !tile->last;
    g->out->finish(sums + j, &o);
  }
}

// Steps [k0, k0 + kn) of a panel over the unit's rows; the panel after it is fetched meanwhile.
static void amx_gemm_one_slice(const gemm *g, const weft_block *b, const unit *u, size_t panel, size_t k0,
                               size_t kn) {
  _Alignas(64) float sums[WEFT__AMX_ROWS * WIDE];
  bool wide = g->s.n - panel * WIDE > 16;
  const uint32_t *w = u->b + (panel * g->steps + k0) * g->piece;
  size_t strips = u->strip1 - u->strip0;
  size_t lines = kn * g->piece / 16;
  size_t each = panel + 1 < u->panel1 ? lines / WEFT_MAX(kn * strips, 1) : 0;
  for (size_t i = u->strip0; i < u->strip1; i++) {
    size_t row = i * WEFT__AMX_ROWS;
    size_t col = panel * WIDE;
    const weft__tile_out o = {.y = u->y + row * g->s.n + col,
                              .y_row = g->s.n,
                              .rows = WEFT_MIN(WEFT__AMX_ROWS, g->s.m - row),
                              .cols = WEFT_MIN(WIDE, g->s.n - col),
                              .batch = u->batch,
                              .row = row,
                              .col = col,
                              .more = k0 > 0,
                              .last = k0 + kn == g->steps,
                              .e = &g->s.e,
                              .arg = b->arg};
    weft__amx_sum s = {.n = kn,
                       .a = u->a + (i * g->steps + k0) * g->piece,
                       .at = b->scratch,
                       .w = w,
                       .a_row = STEP / 2,
                       .a_part = PIECE,
                       .ahead = (const char *)(w + g->steps * g->piece) + (i - u->strip0) * kn * each * 64,
                       .lines = each,
                       .tile = sums};
    if (!each)
      s.ahead = (const char *)w;
    g->ops->sum[g->parts][o.rows > 16][wide](&s);
    amx_gemm_finish(g, u, sums, &o);
  }
}

static weft_status amx_gemm_run(const weft_block *b) {
  const gemm *g = b->data;
  uint32_t *at = b->scratch;
  if (b->phase == 0) {
    amx_gemm_prepare(g, b);
    return WEFT_OK;
  }
  for (size_t i = 0; i < SLICE; i++)
    at[i] = (uint32_t)(i * g->piece);
  size_t slices = WEFT_MAX(1, (g->steps + SLICE - 1) / SLICE);
  size_t kn = (g->steps + slices - 1) / slices;
  g->ops->begin();
  for (size_t i = weft__share(g->units, b->block, b->blocks);
       i < weft__share(g->units, b->block + 1, b->blocks); i++) {
    unit u;
    amx_gemm_find_unit(g, b, i, &u);
    for (size_t k0 = 0; k0 < WEFT_MAX(g->steps, 1); k0 += WEFT_MAX(kn, 1)) {
      for (size_t j = u.panel0; j < u.panel1; j++)
        amx_gemm_one_slice(g, b, &u, j, k0, WEFT_MIN(kn, g->steps - k0));
    }
  }
  g->ops->end();
  return WEFT_OK;
}

WEFT__PRODUCT_KERNEL(amx_gemm_BatchMatMulV2, amx_gemm, "BatchMatMulV2", "gemm-amx");
WEFT__PRODUCT_KERNEL(amx_gemm_fused, amx_gemm, "Fused", "gemm-amx");
WEFT__PRODUCT_KERNEL(amx_gemm_GEMM, amx_gemm, "GEMM", "gemm-amx");
WEFT__PRODUCT_KERNEL(amx_gemm_MatMulV2, amx_gemm, "MatMulV2", "gemm-amx");
// SPDX-License-Identifier: Apache-2.0
