// attention.c - PromptFlashAttention of f32. A unit is a run of query rows that share a head of keys and
// values (those of its group of heads, one head after the other). Keys and values pass once, in tiles that
// stay in the second cache, packed into panels as products take them; each tile's scores live in a few rows,
// become weights with the largest score so far taken off, and what was summed before is scaled when a larger
// one comes. So the memory is that of the rows, whatever the number of keys. Few rows (a decoding step) read
// keys and values where they lie. Heads and sequences are strides: nothing is transposed. Tiles that no row
// sees are left out, but not where a value is infinite or NaN: a weight of 0 times it is NaN.
//
// Where the precision mode lets operands be rounded to bf16, "attention-bf16" rounds the scaled queries, the
// keys, the values and the weights of its two products (bf16_block.h); scores, weights and what they are
// divided by are float.
#include <math.h>

#include "cpu/attention/attention_plan.h"
#include "cpu/gemm/product.h"
#include "cpu/rows/polled.h"
#include "cpu/rows/rows.h"
#include "nn/prompt_flash_attention.rule.h"

typedef weft__attention_operand side;
typedef weft__attention_plan plan;
typedef weft__attention_unit unit;

enum { B = WEFT__ATTENTION_B, N = WEFT__ATTENTION_N, S = WEFT__ATTENTION_S, D = WEFT__ATTENTION_D };
enum {
  FEW = 3,
  MOST_KEYS = 256,
  TILE_FLOATS = 1 << 16,
  LEAST_ROWS = 126,      // of a unit with much to do
  ROW_FLOATS = 1 << 15,  // of its rows and sums, which stay in the second cache
  AHEAD = WEFT__ATTENTION_AHEAD,
};

// ---- shapes ----
static bool read_side(side *s, const weft_shape *shape, const weft_op_desc *n, int which, size_t heads) {
  const char *layout = weft__attention_layout(n, which);
  if (shape->rank != (strcmp(layout, "BSH") ? 4 : 3))
    return false;
  weft__attention_read(&s->s, shape, layout, heads);
  return true;
}

static const char *attention_refuse(const weft_tiling *t) {
  if (!weft__rows_plain(t) || t->n_out != 1)
    return "needs known shapes in plain layouts";
  if (t->out_dtype[0] != WEFT_FLOAT)
    return "needs f32";
  for (uint32_t port = 0; port < t->desc->n_in_ports; port++) {
    int64_t i = weft_port_in(t->desc, port, 0);
    if (i < 0 && port <= WEFT__VALUE)
      return "inputs are missing";
    if (i < 0)
      continue;
    if (port >= WEFT__ATTENTION_PORTS)
      return "lengths and quantised attention";
    weft_dtype type = t->in_dtype[i];
    if (port == WEFT__MASK ? type != WEFT_BOOL && type != WEFT_UINT8 && type != WEFT_INT8
                           : type != WEFT_FLOAT)
      return "needs f32, and a mask of bytes";
  }
  return NULL;
}

static const char *attention_read(const weft_tiling *t, plan *p) {
  const weft_op_desc *n = t->desc;
  p->heads = (size_t)weft__attention_heads(n, false);
  p->kv_heads = (size_t)weft__attention_heads(n, true);
  if (!p->heads || p->heads % p->kv_heads)
    return "heads that do not divide";
  p->group = p->heads / p->kv_heads;
  for (uint32_t port = 0; port < WEFT__ATTENTION_PORTS; port++) {
    side *s = &p->in[port];
    int64_t i = weft_port_in(n, port, 0);
    s->arg = (int32_t)i;
    if (i < 0)
      continue;
    const weft_shape *shape = &t->in[i]->origin;
    if (port >= WEFT__SHIFT)
      weft__attention_read_mask(&s->s, shape);
    else if (!read_side(s, shape, n, (int)port, port ? p->kv_heads : p->heads))
      return "a layout that is not known";
  }
  if (!read_side(&p->y, &t->out[0]->origin, n, 3, p->heads))
    return "a layout that is not known";
  p->y.arg = (int32_t)t->n_in;
  p->batches = p->y.s.dim[B];
  p->queries = p->y.s.dim[S];
  p->keys = p->in[WEFT__VALUE].s.dim[S];
  p->size = p->in[WEFT__QUERY].s.dim[D];
  p->width = p->in[WEFT__VALUE].s.dim[D];
  p->scale = weft_node_float(n, WEFT__SCALE);
  p->masked = weft_node_float(n, WEFT__MASK_VALUE);
  p->zero_rows = weft_node_int(n, WEFT__INNER_PRECISE) & 2;
  return NULL;
}

// ---- tiling ----
static void attention_cut(plan *p) {
  size_t all = p->group * p->queries;
  size_t heads = p->batches * p->kv_heads;
  size_t rows = p->most_rows;
  size_t few = heads < 16 ? (16 + heads - 1) / WEFT_MAX(heads, 1) : 1;
  size_t most = WEFT_MAX(LEAST_ROWS, ROW_FLOATS / (p->size + p->width + 1));
  p->parts = WEFT_MAX((all + most - 1) / most, WEFT_MIN(all / rows / 2, few));
  if (!p->parts)
    p->parts = 1;
  p->rows = (all + p->parts - 1) / p->parts;
  p->units = all && p->width ? heads * p->parts : 0;
  p->few = p->rows <= FEW;
}

static bool attention_place(plan *p, size_t *out_bytes) {
  size_t cols = p->ops->cols;
  size_t each = p->size + p->width + 1;
  size_t at = 0;
  size_t n;
  p->tile = TILE_FLOATS / each / cols * cols;
  p->tile = WEFT_MIN(WEFT_MAX(p->tile, cols), MOST_KEYS);
  p->padded = (p->width + cols - 1) / cols * cols;
  p->p_row = p->tile + 16;
  size_t *const to[] = {&at,           &p->at_acc, &p->at_most,  &p->at_keys,
                        &p->at_values, &p->at_p,   &p->at_pairs, &p->at_sums};
  const size_t many[][2] = {{p->rows, p->steps},
                            {p->rows, p->padded},
                            {2 * p->rows, 1},
                            {p->tile, p->steps},
                            {p->pairs ? p->tile / 2 : p->tile, p->padded},
                            {p->most_rows, p->p_row},
                            {p->pairs ? p->most_rows : 0, p->p_row / 2},
                            {p->tile / cols, WEFT__GEMM_ROWS * WEFT__GEMM_COLS}};
  for (size_t i = 0; i < WEFT_COUNT(to); i++) {
    if (i)
      *to[i] = at;
    if (!weft_mul_size(many[i][0], many[i][1], &n) || !weft_add_size(at, (n + 31) / 16 * 16, &at))
      return false;
  }
  return weft_mul_size(at, sizeof(float), out_bytes);
}

static double attention_flops(const plan *p) {
  return 2.0 * (double)p->batches * (double)p->heads * (double)p->queries * (double)p->keys *
         (double)(p->size + p->width + 20);
}
static double attention_cost(const weft_tiling *t) {
  plan p = {0};
  return attention_read(t, &p) ? 1e30 : 300 + attention_flops(&p) / 80;
}

static const char *read_for(const weft_tiling *t, const weft__bf16_ops *pairs, plan *p) {
  const char *no = attention_read(t, p);
  if (no)
    return no;
  p->gemm = weft__gemm_find(t->host);
  p->ops = weft__attention_find(t->host);
  p->vec = weft__move_find(t->host);
  p->pairs = pairs;
  p->most_rows = pairs ? pairs->rows : p->gemm->rows;
  p->steps = pairs ? (p->size + 1) / 2 : p->size;
  p->band = weft__attention_band_of(t->desc, p->queries, p->keys);
  attention_cut(p);
  return pairs && p->few ? "few rows read keys and values where they lie" : NULL;
}

static const char *attention_refuse_bf16(const weft_tiling *t) {
  plan p = {0};
  if (t->precision != WEFT_PRECISION_BF16)
    return "the precision mode keeps float";
  const char *no = attention_refuse(t);
  return no ? no : read_for(t, weft__bf16_find(t->host), &p);
}

static double attention_cost_bf16(const weft_tiling *t) {
  plan p = {0};
  if (weft__cpu_bf16_always(t->host))
    return 1;
  return attention_read(t, &p) ? 1e30
                               : 300 + attention_flops(&p) / (weft__bf16_find(t->host)->dots ? 130 : 60);
}

static weft_status attention_tile_with(weft_tiling *t, const weft__bf16_ops *pairs) {
  plan *p = t->data;
  const char *no = read_for(t, pairs, p);
  if (no)
    return weft_fail(t->d, WEFT_E_KERNEL, "attention: %s", no);
  if (!attention_place(p, &t->scratch_bytes)) {
    return weft_fail(t->d, WEFT_E_OVERFLOW, "attention: heads of %zu and %zu numbers are too large", p->size,
                     p->width);
  }
  double bytes =
      4.0 * (double)p->batches * (double)p->kv_heads * (double)p->keys * (double)(p->size + p->width);
  t->blocks = weft__product_blocks(attention_flops(p), bytes, p->units);
  t->data_bytes = sizeof *p;
  return WEFT_OK;
}

static weft_status attention_tile(weft_tiling *t) {
  return attention_tile_with(t, NULL);
}
static weft_status attention_tile_bf16(weft_tiling *t) {
  return attention_tile_with(t, weft__bf16_find(t->host));
}

// ---- running ----
static const char *at_head(const weft_block *b, const side *s, size_t batch, size_t head, size_t bytes) {
  return (const char *)b->arg[s->arg] + (batch * s->s.step[B] + head * s->s.step[N]) * bytes;
}
// Rows of a head lie far apart: what comes next is asked for before it is needed. It may be behind the end.
static void fetch(const float *row, size_t n) {
  for (size_t i = 0; i < n; i += 16)
    __builtin_prefetch(row + i, 0, 3);
}

// A query, scaled.
static void read_query(const plan *p, const float *from, float *to) {
  enum { PIECE = 128 };
  float part[PIECE];
  if (!p->pairs)
    p->ops->scale(from, to, p->size, p->scale);
  for (size_t i = 0; p->pairs && i < p->size; i += PIECE) {
    size_t n = WEFT_MIN(PIECE, p->size - i);
    p->ops->scale(from + i, part, n, p->scale);
    p->pairs->pairs(weft__attention_as_pairs(to) + i / 2, part, n);
  }
}

static void attention_begin(const plan *p, const weft_block *b, size_t i, unit *u) {
  float *space = b->scratch;
  size_t part = i % p->parts;
  size_t head = i / p->parts % p->kv_heads;
  size_t batch = i / p->parts / p->kv_heads;
  const side *q = &p->in[WEFT__QUERY];
  const side *shift = &p->in[WEFT__SHIFT];
  const side *mask = &p->in[WEFT__MASK];
  size_t all = p->group * p->queries;
  size_t to = weft__share(all, part + 1, p->parts);
  *u = (unit){.p = p,
              .q = space,
              .acc = space + p->at_acc,
              .most = space + p->at_most,
              .sum = space + p->at_most + p->rows,
              .keys = space + p->at_keys,
              .values = space + p->at_values,
              .weights = space + p->at_p,
              .pairs = space + p->at_pairs,
              .sums = space + p->at_sums,
              .k = (const void *)at_head(b, &p->in[WEFT__KEY], batch, head, sizeof(float)),
              .v = (const void *)at_head(b, &p->in[WEFT__VALUE], batch, head, sizeof(float)),
              .y = (float *)b->arg[p->y.arg] + batch * p->y.s.step[B],
              .head = head,
              .first = weft__share(all, part, p->parts)};
  u->rows = to - u->first;
  if (shift->arg >= 0)
    u->shift = (const void *)at_head(b, shift, batch, 0, sizeof(float));
  if (mask->arg >= 0)
    u->mask = (const void *)at_head(b, mask, batch, 0, 1);
  for (size_t r = 0; r < u->rows; r++) {
    const float *from = (const void *)at_head(b, q, batch, weft__attention_head_of(u, r), sizeof(float));
    fetch(from + (weft__attention_query_of(u, r) + AHEAD) * q->s.step[S], p->size);
    read_query(p, from + weft__attention_query_of(u, r) * q->s.step[S], u->q + r * p->steps);
    u->most[r] = -INFINITY;
    u->sum[r] = 0;
  }
}

// Panels of keys: for each number of a key, the keys of the panel side by side.
static void pack_keys(const unit *u, size_t first, size_t n) {
  const plan *p = u->p;
  const side *k = &p->in[WEFT__KEY];
  size_t cols = p->ops->cols;
  for (size_t j = 0; j < n; j += cols) {
    size_t some = WEFT_MIN(cols, n - j);
    const float *from = u->k + (first + j) * k->s.step[S];
    float *to = u->keys + j * p->steps;
    if (some < cols)
      memset(to, 0, cols * p->steps * sizeof *to);
    for (size_t i = 0; i < cols && k->s.step[D] == 1; i++)
      fetch(from + (cols + i) * k->s.step[S], p->size);
    if (p->pairs)
      weft__bf16_panel(p->pairs, p->vec,
                       &(weft__gemm_columns){from, k->s.step[D], k->s.step[S], p->size, some},
                       weft__attention_as_pairs(to));
    else if (k->s.step[D] == 1 && k->s.step[S])
      p->vec->transpose((const uint32_t *)from, k->s.step[S], (uint32_t *)to, cols, some, p->size);
    else {
      for (size_t i = 0; i < p->size; i++) {
        for (size_t c = 0; c < some; c++)
          to[i * cols + c] = from[i * k->s.step[D] + c * k->s.step[S]];
      }
    }
  }
}
// Panels of values: `cols` numbers of each.
static void pack_values(const unit *u, size_t first, size_t n, size_t from_panel) {
  const plan *p = u->p;
  size_t cols = p->ops->cols;
  size_t step = p->in[WEFT__VALUE].s.step[S];
  for (size_t j = from_panel * cols; j < p->width; j += cols) {
    size_t some = WEFT_MIN(cols, p->width - j);
    const float *from = u->v + first * step + j;
    float *to = u->values + j * (p->pairs ? p->tile / 2 : p->tile);
    if (p->pairs) {
      for (size_t i = 0; i < n; i++)
        fetch(from + i * step, some);
      p->pairs->zip_rows(weft__attention_as_pairs(to), from, step, n, some);
      continue;
    }
    if (some < cols)
      memset(to, 0, n * cols * sizeof *to);
    for (size_t i = 0; i < n; i++) {
      fetch(from + (i + AHEAD) * step, some);
      memcpy(to + i * cols, from + i * step, some * sizeof *to);
    }
  }
}

// Scores of `rows` rows from `row` on for n keys from `first` on; panels lie *out_step apart.
static void find_scores(const unit *u, size_t row, size_t rows, size_t first, size_t n, size_t *out_step,
                        size_t *out_row) {
  const plan *p = u->p;
  const side *k = &p->in[WEFT__KEY];
  const float *q = u->q + row * p->steps;
  const uint32_t zero = 0;
  size_t cols = p->ops->cols;
  if (p->few && k->s.step[D] == 1) {
    *out_step = cols;
    *out_row = (n + cols - 1) / cols * cols;
    p->ops->dots(&(weft__attention_dots){.q = q,
                                         .q_row = p->size,
                                         .rows = rows,
                                         .k = u->k + first * k->s.step[S],
                                         .k_row = k->s.step[S],
                                         .keys = n,
                                         .size = p->size,
                                         .out = u->sums,
                                         .out_row = *out_row});
    return;
  }
  *out_step = WEFT__GEMM_ROWS * WEFT__GEMM_COLS;
  *out_row = WEFT__GEMM_COLS;
  for (size_t j = 0; j < n; j += cols) {
    const float *panel = u->keys + j * p->steps;
    float *to = u->sums + j / cols * *out_step;
    bool two = n - j > p->gemm->vec;
    const weft__ahead ahead = {(const char *)panel, 0};
    if (p->pairs) {
      const weft__tap_sums s = {.n = 1,
                                .steps = p->steps,
                                .a = q,
                                .at = &zero,
                                .a_row = p->steps,
                                .w = panel,
                                .tile = to,
                                .ahead = ahead};
      p->pairs->reduce[0][two][rows](&s);
    } else {
      const weft__tile_in f = {p->size, q, p->size, 1, panel, cols, ahead};
      p->gemm->tile[1][two][rows](&f, to);
    }
    if (!two)  // the second half of the panel counts as -inf, but is read
      for (size_t i = 0; i < rows; i++)
        memset(to + i * WEFT__GEMM_COLS + p->gemm->vec, 0, p->gemm->vec * sizeof(float));
  }
}

static void find_weights(const unit *u, size_t row, size_t rows, size_t first, size_t n, float *factor) {
  const plan *p = u->p;
  const side *shift = &p->in[WEFT__SHIFT];
  const side *mask = &p->in[WEFT__MASK];
  size_t panel_step;
  size_t row_step;
  find_scores(u, row, rows, first, n, &panel_step, &row_step);
  size_t head = weft__attention_head_of(u, row);
  size_t query = weft__attention_query_of(u, row);
  for (size_t i = 0; i < rows; i++) {
    weft__attention_mask m = {
        .shift_step = shift->s.step[D], .mask_step = mask->s.step[D], .masked = p->masked};
    if (u->shift)
      m.shift = u->shift + head * shift->s.step[N] + query * shift->s.step[S] + first * m.shift_step;
    if (u->mask)
      m.mask = u->mask + head * mask->s.step[N] + query * mask->s.step[S] + first * m.mask_step;
    weft__attention_seen(&p->band, query, first, n, &m.low, &m.high);
    float before = u->most[row + i];
    float top;
    float sum =
        p->ops->weights(u->sums + i * row_step, panel_step, n, &m, before, u->weights + i * p->p_row, &top);
    factor[i] = before == -INFINITY ? 0 : before == top ? 1 : expf(before - top);
    if (top == INFINITY)
      factor[i] = NAN;
    u->most[row + i] = top;
    u->sum[row + i] = u->sum[row + i] * factor[i] + sum;
    if (++query == p->queries) {
      query = 0;
      head++;
    }
  }
}

static bool sees_any(const unit *u, size_t row, size_t rows, size_t first, size_t n) {
  if (weft__attention_sees_all(&u->p->band))
    return true;
  for (size_t i = 0; i < rows; i++) {
    size_t low;
    size_t high;
    weft__attention_seen(&u->p->band, weft__attention_query_of(u, row + i), first, n, &low, &high);
    if (low < high)
      return true;
  }
  return false;
}

static bool attention_finite(unit *u, size_t first, size_t n) {
  size_t step = u->p->in[WEFT__VALUE].s.step[S];
  bool all = u->values_are != WEFT__NOT_FINITE;
  for (size_t i = first; u->values_are == WEFT__NOT_ASKED && all && i < first + n; i++)
    all = u->p->ops->finite(u->v + i * step, u->p->width);
  u->values_are = all ? WEFT__FINITE : WEFT__NOT_FINITE;
  return all;
}

// One tile of keys and values for some rows.
static void attention_step(unit *u, size_t row, size_t rows, size_t first, size_t n) {
  const plan *p = u->p;
  float factor[WEFT__GEMM_ROWS];
  const uint32_t zero = 0;
  size_t cols = p->ops->cols;
  size_t v_row = p->in[WEFT__VALUE].s.step[S];
  size_t row_pairs = p->p_row / 2;
  if (first && !sees_any(u, row, rows, first, n) && attention_finite(u, first, n))
    return;
  find_weights(u, row, rows, first, n, factor);
  for (size_t i = 0; i < rows && p->pairs; i++)
    p->pairs->pairs(weft__attention_as_pairs(u->pairs) + i * row_pairs, u->weights + i * p->p_row, n);
  for (size_t j = 0; j < p->width && p->pairs; j += cols) {
    const float *v = u->values + j * p->tile / 2;
    const weft__tap_sums s = {.n = 1,
                              .steps = (n + 1) / 2,
                              .a = u->pairs,
                              .at = &zero,
                              .a_row = row_pairs,
                              .w = v,
                              .tile = u->sums,
                              .ahead = {(const char *)v, 0}};
    p->pairs->reduce[0][1][rows](&s);
    p->ops->add_tile(u->acc + row * p->padded + j, p->padded, u->sums, rows, factor, first == 0);
  }
  for (size_t j = 0; j < p->width && !p->pairs; j += cols) {
    bool whole = p->width - j >= cols;
    bool direct = p->few && whole;
    const float *v = direct ? u->v + first * v_row + j : u->values + j * p->tile;
    const weft__tile_in f = {.k = n,
                             .a = u->weights,
                             .a_row = p->p_row,
                             .a_k = 1,
                             .b = v,
                             .b_k = direct ? v_row : cols,
                             .ahead = {(const char *)v, 0}};
    p->gemm->tile[1][1][rows](&f, u->sums);
    p->ops->add_tile(u->acc + row * p->padded + j, p->padded, u->sums, rows, factor, first == 0);
  }
}

static weft_status attention_run_unit(const weft_block *b, unit *u) {
  const plan *p = u->p;
  size_t tiles = (u->rows + p->most_rows - 1) / p->most_rows;
  size_t steps = (p->keys + p->tile - 1) / p->tile;
  for (size_t i = 0; i < steps; i++) {
    size_t first = weft__share(p->keys, i, steps);
    size_t n = weft__share(p->keys, i + 1, steps) - first;
    WEFT_TRY(weft_block_poll(b));
    if (!p->few || p->in[WEFT__KEY].s.step[D] != 1)
      pack_keys(u, first, n);
    pack_values(u, first, n, p->few ? p->width / p->ops->cols : 0);
    u->values_are = WEFT__NOT_ASKED;
    for (size_t t = 0; t < tiles; t++) {
      size_t row = weft__share(u->rows, t, tiles);
      attention_step(u, row, weft__share(u->rows, t + 1, tiles) - row, first, n);
    }
  }
  weft__attention_finish(u);
  return WEFT_OK;
}

static weft_status attention_run(const weft_block *b) {
  const plan *p = b->data;
  size_t work = 0;
  for (size_t i = weft__share(p->units, b->block, b->blocks);
       i < weft__share(p->units, b->block + 1, b->blocks); i++) {
    unit u;
    attention_begin(p, b, i, &u);
    WEFT_TRY(weft__block_work(b, &work, (1 << 12) + u.rows * p->width));  // also units that have no keys
    WEFT_TRY(attention_run_unit(b, &u));
  }
  return WEFT_OK;
}

#define ATTENTION_KERNEL(symbol, operator, kernel, more) \
  WEFT__PRODUCT_KERNEL_AS(symbol, attention, operator, kernel, more, .flags = 0)
ATTENTION_KERNEL(attention, "PromptFlashAttention", "attention", );
ATTENTION_KERNEL(attention_bf16, "PromptFlashAttention", "attention-bf16", _bf16);
// SPDX-License-Identifier: Apache-2.0
