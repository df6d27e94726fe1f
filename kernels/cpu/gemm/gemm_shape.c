// gemm_shape.c - see gemm_shape.h.
#include "cpu/gemm/gemm_shape.h"
#include "nn/mat_mul.rule.h"

enum { MOST_PARTS = 64 };  // of the columns: more than blocks are of no use

// One operand of a product.
typedef struct side {
  const weft_shape *shape;
  bool matrix;        // false: a vector
  bool turned;        // its last two dims
  size_t batch_rank;  // dims before those of a matrix
} side;
typedef struct sides {
  side a;
  side b;
  size_t batch_rank;  // of the output
} sides;

static side side_of(const weft__product *p, uint32_t port, uint32_t turns_slot) {
  const weft_shape *shape = p->shape[port];
  const bool matrix = shape->rank > 1;
  const bool turned = matrix && weft_node_bool(p->desc, turns_slot);
  return (side){shape, matrix, turned, matrix ? shape->rank - 2 : 0};
}

static const char *gemm_shape_read_sides(const weft__product *p, sides *s) {
  if (!p->shape[0]->rank || !p->shape[1]->rank)
    return "needs operands of rank 1 or more";
  s->a = side_of(p, 0, WEFT_PRODUCT_TURNS_A);
  s->b = side_of(p, 1, WEFT_PRODUCT_TURNS_B);
  const size_t cut = (size_t)s->a.matrix + s->b.matrix;
  if (p->y->rank < cut)
    return "changes the shape";
  s->batch_rank = p->y->rank - cut;
  return NULL;
}

// The dim of an operand that is not summed over.
static size_t own_dim(const side *s, bool last) {
  const bool at_end = last != s->turned;
  return s->matrix ? weft__gemm_dim(s->shape, at_end ? 1 : 2) : 1;
}

static void read_sizes(const sides *s, weft__gemm_shape *g) {
  const bool summed_last = !s->a.matrix || !s->a.turned;
  g->m = own_dim(&s->a, false);
  g->k = weft__gemm_dim(s->a.shape, summed_last ? 1 : 2);
  g->n = own_dim(&s->b, true);
  g->a_row = s->a.turned ? 1 : g->k;
  g->a_k = s->a.turned ? g->m : 1;
  g->b_k = s->b.turned ? 1 : g->n;
  g->b_n = s->b.turned ? g->k : 1;
  g->turned = s->b.turned;
}

// Dim i of `rank` batch dims, to which the operand's are broadcast.
static size_t batch_dim(const side *s, size_t i, size_t rank) {
  const size_t missing = rank - s->batch_rank;
  return i < missing ? 1 : (size_t)s->shape->dim[i - missing];
}

// Batch dims of y with the steps of both operands; false: y is not what the operands give.
static bool read_batches(const weft__product *p, const sides *s, weft__gemm_shape *g) {
  const size_t r = s->batch_rank;
  size_t step_a = g->m * g->k;
  size_t step_b = g->k * g->n;
  if (r != WEFT_MAX(s->a.batch_rank, s->b.batch_rank))
    return false;
  g->batch_rank = r;
  g->batches = g->a_count = g->b_count = 1;
  for (size_t i = r; i-- > 0;) {
    const size_t da = batch_dim(&s->a, i, r);
    const size_t db = batch_dim(&s->b, i, r);
    const size_t d = da == 1 ? db : da;
    const bool broadcasts = db == d || db == 1;
    if (!broadcasts || d != (size_t)p->y->dim[i])
      return false;
    g->dim[i] = d;
    g->a_step[i] = da == 1 ? 0 : step_a;
    g->b_step[i] = db == 1 ? 0 : step_b;
    step_a *= da;
    step_b *= db;
    g->batches *= d;
    g->a_count *= da;
    g->b_count *= db;
  }
  const bool rows_fit = !s->a.matrix || (size_t)p->y->dim[r] == g->m;
  const bool cols_fit = !s->b.matrix || (size_t)weft__gemm_dim(p->y, 1) == g->n;
  return rows_fit && cols_fit;
}

// One right operand for all: the rows of all left ones are those of one product.
static void merge_batches(const sides *s, weft__gemm_shape *g) {
  const bool one_right = g->b_count == 1 && g->batches != 1;
  if (!one_right || s->a.turned)
    return;
  for (uint32_t i = 0; i < g->e.n; i++) {
    const weft__step *p = &g->e.step[i];
    if (p->kind == WEFT__STEP_ADD && p->by_batch != p->by_row * g->m)
      return;
  }
  g->m *= g->batches;
  g->batches = g->a_count = 1;
  g->batch_rank = 0;
}

const char *weft__gemm_read(const weft_tiling *t, weft__product *p, weft__gemm_shape *g) {
  return weft__gemm_read_of(t, WEFT_FLOAT, p, g);
}

// Shapes that are not known yet, as when a graph is compiled for sizes that come later: what no size can mend
// is refused now, since a region that no kernel takes when it runs is run operator by operator.
static const char *read_open(const weft_tiling *t, const weft__product *p) {
  sides s;
  weft__epilogue e;
  if (weft_shape_is_unknown_rank(p->y))
    return NULL;
  for (uint32_t i = 0; i < t->n_in; i++) {
    if (weft_shape_is_unknown_rank(&t->in[i]->origin))
      return NULL;
  }
  const char *no = gemm_shape_read_sides(p, &s);
  return no ? no : weft__product_epilogue(t, p, (weft__view){s.batch_rank, s.a.matrix}, &e);
}

const char *weft__gemm_read_of(const weft_tiling *t, weft_dtype type, weft__product *p, weft__gemm_shape *g) {
  sides s;
  memset(g, 0, sizeof *g);
  const char *no = weft__product_find_of(t, type, WEFT__PRODUCTS, p);
  if (no)
    return no;
  if (!weft__product_known(t))
    return read_open(t, p);
  no = gemm_shape_read_sides(p, &s);
  if (no)
    return no;
  read_sizes(&s, g);
  g->a_arg = (uint32_t)p->arg[0];
  g->b_arg = (uint32_t)p->arg[1];
  g->y_arg = t->n_in;
  if (!read_batches(p, &s, g))
    return "an operator after the product changes the shape";
  no = weft__product_epilogue(t, p, (weft__view){s.batch_rank, s.a.matrix}, &g->e);
  if (!no)
    merge_batches(&s, g);
  return no;
}

weft_status weft__gemm_too_large(const weft_tiling *t, const char *kernel, const weft__gemm_shape *g) {
  return weft_fail(t->d, WEFT_E_OVERFLOW, "%s: operands of %zu x %zu and %zu x %zu are too large", kernel,
                   g->m, g->k, g->k, g->n);
}

uint32_t weft__gemm_blocks(double flops, double bytes, size_t units) {
  const uint32_t n = weft__product_blocks(flops / 4, bytes / 3, units);
  const bool pays = flops >= 2e6 && units > 1;  // half of it takes longer than two threads to meet
  return pays ? WEFT_MAX(n, 2) : n;
}

// Into how many parts groups of panels are cut where `each` are wanted: equal ones. Few rows are a matter of
// reading, for which long parts are better.
static size_t parts_of(size_t groups, size_t each, bool few_rows) {
  if (few_rows || each < 2)
    return WEFT_MAX(1, WEFT_MIN(groups, each));
  size_t part = WEFT_MAX(1, groups / each);
  if (groups > MOST_PARTS * part)
    part = (groups + MOST_PARTS - 1) / MOST_PARTS;
  return WEFT_MAX(1, groups / part);
}

weft__gemm_cut weft__gemm_cut_of(const weft__gemm_shape *g, size_t rows, size_t cols, size_t elem_bytes) {
  weft__gemm_cut c = {.rows = rows,
                      .cols = cols,
                      .panels = (g->n + cols - 1) / cols,
                      .group = g->m <= WEFT__GEMM_WIDE_ROWS ? WEFT__GEMM_WIDE : 1,
                      .tiles = (g->m + rows - 1) / rows};
  double bytes = (double)elem_bytes * (double)g->b_count * (double)g->n * (double)g->k;
  size_t want = weft__gemm_blocks(2 * weft__gemm_macs(g), bytes, 64);
  size_t each = (want + g->batches - 1) / WEFT_MAX(g->batches, 1);
  c.panel_parts = parts_of(c.panels / c.group, each, c.group > 1);
  size_t more = (each + c.panel_parts - 1) / c.panel_parts;
  size_t least = (g->m + 511) / 512;
  size_t most = g->n == 1 ? c.tiles : c.tiles / 4;  // one column: a tile is a list of sums
  c.tile_parts = WEFT_MAX(1, WEFT_MAX(least, WEFT_MIN(most, more)));
  c.tile_parts = WEFT_MIN(c.tile_parts, WEFT_MAX(c.tiles, 1));
  c.units = g->m && g->n ? g->batches * c.panel_parts * c.tile_parts : 0;
  return c;
}

weft__gemm_unit weft__gemm_unit_of(const weft__gemm_shape *g, const weft__gemm_cut *cut, size_t u) {
  size_t part = u % cut->panel_parts;
  size_t row_part = u / cut->panel_parts % cut->tile_parts;
  weft__gemm_unit out = {.batch = u / cut->panel_parts / cut->tile_parts};
  size_t rest = out.batch;
  size_t groups = (cut->panels + cut->group - 1) / cut->group;
  for (size_t i = g->batch_rank; i-- > 0; rest /= g->dim[i]) {
    out.at_a += rest % g->dim[i] * g->a_step[i];
    out.at_b += rest % g->dim[i] * g->b_step[i];
  }
  out.tile0 = weft__share(cut->tiles, row_part, cut->tile_parts);
  out.tile1 = weft__share(cut->tiles, row_part + 1, cut->tile_parts);
  out.panel0 = weft__share(groups, part, cut->panel_parts) * cut->group;
  out.panel1 = WEFT_MIN(weft__share(groups, part + 1, cut->panel_parts) * cut->group, cut->panels);
  return out;
}

weft__gemm_columns weft__gemm_panel_of(const weft__gemm_shape *g, const float *b, const weft__gemm_cut *cut,
                                       size_t u) {
  const size_t first = u % cut->panels * cut->cols;
  return (weft__gemm_columns){.b = b + u / cut->panels * g->k * g->n + first * g->b_n,
                              .b_k = g->b_k,
                              .b_n = g->b_n,
                              .k = g->k,
                              .n = WEFT_MIN(cut->cols, g->n - first)};
}

size_t weft__gemm_after(const weft__gemm_cut *cut, const weft__gemm_unit *u, size_t panel, size_t k0,
                        size_t k1, size_t k, size_t size) {
  if (panel + 1 < u->panel1)
    return (panel + 1) * size + k0 * cut->cols;
  if (k1 < k)
    return u->panel0 * size + k1 * cut->cols;
  return u->panel1 < cut->panels ? u->panel1 * size : SIZE_MAX;
}

weft__tile_out weft__gemm_out(const weft__gemm_shape *g, const weft__gemm_cut *cut, const weft_block *b,
                              const weft__gemm_unit *u, size_t row, size_t rows, size_t panel) {
  size_t col = panel * cut->cols;
  return (weft__tile_out){.y = (float *)b->arg[g->y_arg] + (u->batch * g->m + row) * g->n + col,
                          .y_row = g->n,
                          .rows = rows,
                          .cols = WEFT_MIN(cut->cols, g->n - col),
                          .batch = u->batch,
                          .row = row,
                          .col = col,
                          .last = true,
                          .e = &g->e,
                          .arg = b->arg};
}

uint64_t weft__gemm_key(const weft__gemm_shape *g, const weft__gemm_cut *cut) {
  return (uint64_t)cut->cols << 32 | (uint64_t)g->turned;
}

// Lines [i, i + n) of matrix c, which are rows of steps, or columns where it lies turned.
static weft_status right_lines(const weft_packing *p, const weft__gemm_right *r, size_t c, size_t i, size_t n,
                               weft__gemm_part_fn fn) {
  bool turned = p->key & 1;
  size_t line = turned ? r->k : r->n;
  size_t lines = turned ? r->n : r->k;
  const float *b = weft_packing_read(p, (c * lines + i) * line * sizeof *b, n * line * sizeof *b);
  if (!b)
    return WEFT_E_NOMEM;
  if (turned) {
    weft__gemm_part part = {.from = {.b = b, .b_k = 1, .b_n = r->k, .k = r->k, .n = n},
                            .panel = c * r->panels + i / r->wide};
    fn(p, r, &part);
    return WEFT_OK;
  }
  for (size_t j = 0; j < r->panels; j++) {
    size_t first = j * r->wide;
    weft__gemm_columns from = {b + first, .b_k = r->n, .b_n = 1, .k = n,
                               .n = WEFT_MIN(r->wide, r->n - first)};
    weft__gemm_part part = {.from = from, .panel = c * r->panels + j, .first_k = i};
    fn(p, r, &part);
  }
  return WEFT_OK;
}

weft_status weft__gemm_right_each(const weft_packing *p, size_t wide, size_t unit, weft__gemm_part_fn fn) {
  enum { PIECE = 128 << 10 };
  const weft_shape *s = &p->in->layout.origin;
  bool turned = p->key & 1;
  weft__gemm_right r = {.count = 1, .wide = wide};
  r.k = s->rank > 1 ? weft__gemm_dim(s, turned ? 1 : 2) : weft__gemm_dim(s, 1);
  r.n = s->rank > 1 ? weft__gemm_dim(s, turned ? 2 : 1) : 1;
  r.panels = (r.n + wide - 1) / wide;
  for (size_t i = 0; i + 2 < s->rank; i++)
    r.count *= (size_t)s->dim[i];
  if (!r.k || !r.n)
    return WEFT_OK;
  size_t rows = PIECE / sizeof(float) / r.n / unit * unit;
  size_t lines = turned ? r.n : r.k;
  size_t some = turned ? wide : WEFT_MAX(rows, unit);
  for (size_t c = 0; c < r.count; c++) {
    for (size_t i = 0; i < lines; i += some)
      WEFT_TRY(right_lines(p, &r, c, i, WEFT_MIN(some, lines - i), fn));
  }
  return WEFT_OK;
}

void weft__gemm_matrices(const weft__gemm_shape *g, size_t z, size_t *out_a, size_t *out_b) {
  size_t a = 0;
  size_t b = 0;
  for (size_t i = g->batch_rank; i-- > 0; z /= g->dim[i]) {
    a += z % g->dim[i] * g->a_step[i];
    b += z % g->dim[i] * g->b_step[i];
  }
  *out_a = g->m && g->k ? a / (g->m * g->k) : 0;
  *out_b = g->n && g->k ? b / (g->n * g->k) : 0;
}
// SPDX-License-Identifier: Apache-2.0
