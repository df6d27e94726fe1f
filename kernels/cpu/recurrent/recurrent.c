// recurrent.c - CommonRNN, CommonGRU and CommonLSTM of float. The input's part of all steps is one product,
// made first by all blocks: rows of x times panels of w. Then the steps, one after the other: a block has one
// direction and up to MOST_ROWS sequences, and walks through all steps. Where r is so large that reading it
// takes longer than meeting at a barrier, blocks have a share of the units instead and a phase is one step.
// Weights that are constant lie in panels, packed once; others are packed by a first phase. Panels of r are
// passed in turns from the first to the last and back, so that what the first cache still holds is read
// first. What comes after the end of the longest sequence is not computed.
//
// Memory: steps * batch * gates * hidden floats a direction for the input's part, 3 to 5 states.
#include "cpu/recurrent/recurrent_read.h"
#include "cpu/move/move_ops.h"
#include "cpu/rows/polled.h"

enum { MOST_ROWS = 8, TILES = 4, SLICE = 1024, SHARED_BYTES = 2 << 20, SHARES = 4 };
enum {
  RECURRENT_KEY = 1 << 24
};  // of a packing: those of r have other panels, and w may be the same constant
enum { WORK_X, WORK_STATES, WORK_W, WORK_R, WORKS };

typedef struct layer {
  const weft__move_ops *lanes;
  weft__recurrent n;
  const weft__cell_ops *ops;
  uint32_t y_arg;
  bool pack_w, pack_r, w_here, r_here;  // packed once; by the first phase
  size_t blocks, row, x_row;            // blocks of units; from row to row of states, of the input's part
  size_t states, all_rows;              // a direction's; of all steps
  size_t row_parts, units;              // of the first product
  size_t parts, shares;                 // of the batch; of the blocks of units
} layer;

// ---- host side ----
static const char *recurrent_refuse(const weft_tiling *t) {
  weft__recurrent n;
  return weft__recurrent_read(t, &n);
}

static double recurrent_work(const weft__recurrent *n) {
  return (double)n->dirs * (double)n->steps * (double)n->batch * (double)n->gates * (double)n->hidden *
         (double)(n->hidden + n->inputs);
}

static double recurrent_cost(const weft_tiling *t) {
  weft__recurrent n;
  return weft__recurrent_read(t, &n) ? 1e30 : 1000 + recurrent_work(&n) / 30;
}

static bool recurrent_fits(size_t *bytes, size_t a, size_t b, size_t c, size_t d) {
  return weft_mul_size(a, b, bytes) && weft_mul_size(*bytes, c, bytes) && weft_mul_size(*bytes, d, bytes) &&
         weft_mul_size(*bytes, sizeof(float), bytes);
}

static void recurrent_cut(layer *g) {
  const weft__recurrent *n = &g->n;
  size_t most = (n->batch + MOST_ROWS - 1) / MOST_ROWS;
  size_t few = WEFT_MIN(2 / n->dirs, n->batch / 4);
  double bytes = 4.0 * (double)n->gates * (double)n->hidden * (double)n->hidden;
  g->parts = WEFT_MAX(1, WEFT_MAX(most, few));
  g->shares = 1;
  if (bytes >= SHARED_BYTES && g->parts * n->dirs < SHARES)
    g->shares = WEFT_MIN(g->blocks, SHARES / (g->parts * n->dirs));
  g->row_parts = WEFT_MAX(1, WEFT_MIN(16, g->all_rows / 128));
  g->units = g->all_rows ? n->dirs * g->blocks * g->row_parts : 0;
}

// What is packed and when; false: the sizes are too large.
static bool plan_weights(layer *g, weft_tiling *t) {
  const weft__recurrent *n = &g->n;
  size_t w;
  size_t r;
  size_t lanes = g->blocks * g->ops->vec;
  if (!recurrent_fits(&w, n->dirs, n->gates, lanes, n->inputs) ||
      !recurrent_fits(&r, n->dirs, n->gates, lanes, n->hidden))
    return false;
  size_t iw = (size_t)n->arg[WEFT__RNN_W];
  size_t ir = (size_t)n->arg[WEFT__RNN_R];
  uint64_t key = (uint64_t)n->hidden << 32 | (uint64_t)n->kind << 16 | g->ops->vec;
  g->pack_w = t->value[iw] && w;
  g->w_here = !g->pack_w && w;
  g->pack_r = t->value[ir] && r;
  g->r_here = !g->pack_r && r;
  if (g->pack_w) {
    t->pack_bytes[iw] = w;
    t->pack_key[iw] = key;
  }
  if (g->pack_r) {
    t->pack_bytes[ir] = r;
    t->pack_key[ir] = key | RECURRENT_KEY;
  }
  t->workspace_bytes[WORK_W] = g->w_here ? w : 64;
  t->workspace_bytes[WORK_R] = g->r_here ? r : 64;
  return true;
}

static weft_status recurrent_tile(weft_tiling *t) {
  layer *g = t->data;
  weft__recurrent *n = &g->n;
  const char *no = weft__recurrent_read(t, n);
  if (no)
    return weft_fail(t->d, WEFT_E_KERNEL, "recurrent: %s", no);
  // the last states
  t->data_bytes = sizeof *g;
  t->skips = 6;
  g->lanes = weft__move_find(t->host);
  g->ops = weft__cell_find(t->host);
  g->y_arg = t->n_in;
  g->blocks = (n->hidden + g->ops->vec - 1) / g->ops->vec;
  g->row =
      g->blocks * g->ops->vec + 16;  // rows a multiple of 4 KiB apart meet in the same places of the cache
  g->x_row = g->blocks * g->ops->vec * n->gates;
  bool ok = weft_mul_size(n->steps, n->batch, &g->all_rows) && weft_mul_size(g->row, n->batch, &g->states) &&
            recurrent_fits(&t->workspace_bytes[WORK_X], n->dirs, g->all_rows, g->x_row, 1) &&
            recurrent_fits(&t->workspace_bytes[WORK_STATES], n->dirs, g->states, 5, 1) && plan_weights(g, t);
  if (!ok) {
    return weft_fail(t->d, WEFT_E_OVERFLOW, "recurrent: %zu steps of %zu x %zu with %zu units are too large",
                     n->steps, n->batch, n->inputs, n->hidden);
  }
  recurrent_cut(g);
  t->n_workspaces = WORKS;
  t->phases = (uint32_t)(g->w_here || g->r_here) + 2;
  if (g->shares > 1) {
    if (n->steps > UINT32_MAX / 4)
      g->shares = 1;
    else
      t->phases += (uint32_t)(n->steps * n->stages);
  }
  double want = recurrent_work(n) / 1.5e6;
  size_t blocks = want > 16 ? 16 : want < 1 ? 1 : (size_t)want;
  if (g->shares > 1)
    blocks = WEFT_MIN(blocks, SHARES);
  size_t least = WEFT_MIN(n->dirs * g->parts * g->shares, 256);
  t->blocks = (uint32_t)WEFT_MAX(WEFT_MIN(blocks, WEFT_MAX(g->units, 1)), least);
  return WEFT_OK;
}

// ---- packing ----
typedef struct weights {  // [dirs, gates * hidden, k] becomes panels by direction, stage and block of units
  const weft__move_ops *lanes;
  size_t dirs;
  size_t gates;
  size_t hidden;
  size_t k;
  size_t vec;
  size_t blocks;
  size_t stages;
} weights;

static size_t gates_of(const weights *w, size_t stage) {  // GRU's r: z and r, then h
  return w->stages == 1 ? w->gates : stage ? 1 : w->gates - 1;
}

static void recurrent_pack_panel(const weights *w, const float *from, size_t panel, float *to) {
  const weft__move_ops *vec = w->lanes;
  size_t dir = panel / (w->blocks * w->stages);
  size_t stage = panel / w->blocks % w->stages;
  size_t u = panel % w->blocks;
  size_t gate = stage ? w->gates - 1 : 0;
  size_t n = gates_of(w, stage);
  size_t line = n * w->vec;
  size_t all = w->blocks * w->vec * w->k;
  size_t cols = WEFT_MIN(w->vec, w->hidden - u * w->vec);
  from += (dir * w->gates + gate) * w->hidden * w->k + u * w->vec * w->k;
  to += (dir * w->gates + gate) * all + u * line * w->k;
  if (cols < w->vec)
    memset(to, 0, line * w->k * sizeof *to);
  for (size_t i = 0; i < n; i++) {
    for (size_t k = 0; k < w->k; k += 64)  // a piece at a time stays in the first cache
      vec->transpose((const uint32_t *)(from + i * w->hidden * w->k + k), w->k,
                     (uint32_t *)(to + k * line + i * w->vec), line, cols, WEFT_MIN(64, w->k - k));
  }
}

static weights weights_of(int kind, bool recurrent, size_t dirs, size_t hidden, size_t k, size_t vec) {
  static const uint8_t gates[WEFT__CELL_KINDS] = {1, 4, 3, 3};
  return (weights){.dirs = dirs,
                   .gates = gates[kind],
                   .hidden = hidden,
                   .k = k,
                   .vec = vec,
                   .blocks = (hidden + vec - 1) / vec,
                   .stages = recurrent && kind == WEFT__CELL_GRU ? 2 : 1};
}

static weft_status recurrent_pack(const weft_packing *p) {
  const weft_shape *s = &p->in->layout.origin;
  weights w = weights_of((int)(p->key >> 16 & 0xFF), p->key & RECURRENT_KEY, (size_t)s->dim[0],
                         (size_t)(p->key >> 32), (size_t)s->dim[2], p->key & 0xFFFF);
  w.lanes = weft__move_find(p->host);
  for (size_t i = 0; i < w.dirs * w.blocks * w.stages; i++)
    recurrent_pack_panel(&w, p->in->data, i, p->to);
  return WEFT_OK;
}

// Part `i` of `n` shares of `all`.
static size_t share(size_t all, size_t i, size_t n) {
  return all / n * i + all % n * i / n;
}

static void pack_here(const layer *g, const weft_block *b, bool recurrent) {
  const weft__recurrent *n = &g->n;
  weights w =
      weights_of(n->kind, recurrent, n->dirs, n->hidden, recurrent ? n->hidden : n->inputs, g->ops->vec);
  w.lanes = g->lanes;
  const float *from = b->arg[n->arg[recurrent ? WEFT__RNN_R : WEFT__RNN_W]];
  size_t all = w.dirs * w.blocks * w.stages;
  for (size_t i = share(all, b->block, b->blocks); i < share(all, b->block + 1, b->blocks); i++)
    recurrent_pack_panel(&w, from, i, b->workspace[recurrent ? WORK_R : WORK_W]);
}

// ---- the input's part ----
static const void *argument(const layer *g, const weft_block *b, uint32_t port) {
  return g->n.arg[port] < 0 ? NULL : b->arg[g->n.arg[port]];
}

static size_t length_of(const layer *g, const weft_block *b, size_t row) {
  const int32_t *lengths = argument(g, b, WEFT__RNN_LENGTHS);
  return lengths ? (size_t)lengths[row] : g->n.steps;
}
static size_t longest(const layer *g, const weft_block *b, size_t row0, size_t rows) {
  size_t most = 0;
  for (size_t i = row0; i < row0 + rows; i++)
    most = WEFT_MAX(most, length_of(g, b, i));
  return most;
}

// Both biases of a block of units, gate by gate. That of the recurrent part of GRU's gate h is added later
// where linear_before_reset is set.
static void bias_of(const layer *g, const weft_block *b, size_t dir, size_t u, float *to) {
  const weft__recurrent *n = &g->n;
  const float *bias = argument(g, b, WEFT__RNN_B);
  size_t vec = g->ops->vec;
  size_t cols = WEFT_MIN(vec, n->hidden - u * vec);
  size_t rows = n->gates * n->hidden;
  memset(to, 0, n->gates * vec * sizeof *to);
  for (size_t i = 0; bias && i < n->gates; i++) {
    const float *w = bias + dir * 2 * rows + i * n->hidden + u * vec;
    bool alone = n->kind == WEFT__CELL_GRU_AFTER && i == 2;
    for (size_t j = 0; j < cols; j++)
      to[i * vec + j] = w[j] + (alone ? 0.0f : w[rows + j]);
  }
}

// A share of the first `all` rows, those of steps that some sequence reaches.
static void one_unit(const layer *g, const weft_block *b, size_t all, size_t unit) {
  _Alignas(64) float bias[WEFT__CELL_GATES * 16];
  const weft__recurrent *n = &g->n;
  size_t part = unit % g->row_parts;
  size_t u = unit / g->row_parts % g->blocks;
  size_t dir = unit / g->row_parts / g->blocks;
  size_t wide = n->gates * g->ops->vec;
  const float *x = argument(g, b, WEFT__RNN_X);
  const float *w = (g->w_here ? b->workspace[WORK_W] : argument(g, b, WEFT__RNN_W));
  float *out = (float *)b->workspace[WORK_X] + dir * g->all_rows * g->x_row + u * wide;
  size_t row0 = share(all, part, g->row_parts);
  size_t row1 = share(all, part + 1, g->row_parts);
  size_t tiles = (row1 - row0 + g->ops->rows - 1) / g->ops->rows;
  bias_of(g, b, dir, u, bias);
  for (size_t k = 0; !k || k < n->inputs; k += SLICE) {
    for (size_t i = 0; i < tiles; i++) {
      size_t row = row0 + share(row1 - row0, i, tiles);
      size_t rows = row0 + share(row1 - row0, i + 1, tiles) - row;
      const float *init[WEFT__CELL_ROWS];
      for (size_t j = 0; j < rows; j++)
        init[j] = k ? out + (row + j) * g->x_row : bias;
      g->ops->product[n->gates - 1][rows](
          &(weft__cell_sums){.k = WEFT_MIN(SLICE, n->inputs - k),
                             .a = x + row * n->inputs + k,
                             .a_row = n->inputs,
                             .b = n->inputs ? w + (dir * g->blocks + u) * wide * n->inputs + k * wide : w,
                             .init = init,
                             .out = out + row * g->x_row,
                             .out_row = g->x_row});
    }
  }
}

// ---- steps ----
typedef struct walk {  // some sequences of one direction
  const layer *g;
  const weft_block *b;
  size_t dir;
  size_t row0;
  size_t n_tiles;
  weft__cell tile[TILES];
} walk;

enum { STATE_H, STATE_H_NEXT, STATE_C, STATE_Z = STATE_C, STATE_RESET };
static float *state(const walk *w, size_t which, size_t row) {
  return (float *)w->b->workspace[WORK_STATES] + (which * w->g->n.dirs + w->dir) * w->g->states +
         row * w->g->row;
}

static void recurrent_begin(walk *w, const layer *g, const weft_block *b, size_t dir, size_t part) {
  const weft__recurrent *n = &g->n;
  size_t row0 = share(n->batch, part, g->parts);
  size_t rows = share(n->batch, part + 1, g->parts) - row0;
  const float *r = g->r_here ? b->workspace[WORK_R] : argument(g, b, WEFT__RNN_R);
  const float *p = argument(g, b, WEFT__RNN_P);
  const float *bias = argument(g, b, WEFT__RNN_B);
  w->g = g;
  w->b = b;
  w->dir = dir;
  w->row0 = row0;
  w->n_tiles = (rows + g->ops->rows - 1) / g->ops->rows;
  for (size_t i = 0; i < w->n_tiles; i++) {
    size_t at = row0 + share(rows, i, w->n_tiles);
    weft__cell *c = &w->tile[i];
    *c = (weft__cell){.rows = row0 + share(rows, i + 1, w->n_tiles) - at,
                      .hidden = n->hidden,
                      .row = g->row,
                      .c = state(w, STATE_C, at),
                      .z = state(w, STATE_Z, at),
                      .reset = state(w, STATE_RESET, at),
                      .r = r + dir * g->x_row * n->hidden,
                      .p = p ? p + dir * 3 * n->hidden : NULL,
                      .rb = bias ? bias + (dir * 6 + 5) * n->hidden : NULL,
                      .clip = n->clip,
                      .usual = n->usual,
                      .coupled = n->coupled};
    memcpy(c->act, n->act[dir], sizeof c->act);
  }
}

// Where the rows of a tile stand in this step.
static void aim(walk *w, weft__cell *c, size_t row0, size_t step) {
  const weft__recurrent *n = &w->g->n;
  const float *x = (const float *)w->b->workspace[WORK_X] + w->dir * w->g->all_rows * w->g->x_row;
  float *y = w->b->arg[w->g->y_arg];
  c->live = 0;
  for (size_t i = 0; i < c->rows; i++) {
    size_t row = row0 + i;
    size_t length = length_of(w->g, w->b, row);
    bool back = w->dir || n->reverse;
    bool live = step < length;
    size_t t = back && live ? length - 1 - step : step;
    c->live |= (uint32_t)live << i;
    c->x[i] = x + (t * n->batch + row) * w->g->x_row;
    c->y[i] = y + ((t * n->dirs + w->dir) * n->batch + row) * n->hidden;
  }
  c->h = state(w, STATE_H + step % 2, row0);
  c->h_next = state(w, STATE_H + (step + 1) % 2, row0);
}

// A step of a tile whose sequences have all come to their end.
static void stay(const weft__cell *c, size_t from, size_t to) {
  for (size_t i = 0; i < c->rows; i++) {
    memcpy(c->h_next + i * c->row + from, c->h + i * c->row + from, (to - from) * sizeof *c->h);
    if (from < c->hidden)
      memset(c->y[i] + from, 0, (WEFT_MIN(to, c->hidden) - from) * sizeof *c->h);
  }
}

// One stage of one step over blocks of units [from, to).
static void advance(walk *w, size_t step, size_t stage, size_t from, size_t to) {
  const layer *g = w->g;
  size_t row = w->row0;
  for (size_t i = 0; i < w->n_tiles; row += w->tile[i].rows, i++)
    aim(w, &w->tile[i], row, step);
  for (size_t j = 0; j < to - from; j++) {
    for (size_t i = 0; i < w->n_tiles; i++) {
      if (w->tile[i].live)
        g->ops->cell[g->n.kind](&w->tile[i], step % 2 ? to - 1 - j : from + j, stage);
    }
  }
  for (size_t i = 0; i < w->n_tiles; i++) {
    if (!w->tile[i].live)
      stay(&w->tile[i], from * g->ops->vec, to * g->ops->vec);
  }
}

// States of `rows` sequences: copied from an input or zero, or copied to an output.
static void load_states(const walk *w, uint32_t port, size_t which, size_t rows) {
  const weft__recurrent *n = &w->g->n;
  const float *from = argument(w->g, w->b, port);
  for (size_t i = w->row0; i < w->row0 + rows; i++) {
    float *to = state(w, which, i);
    memset(to, 0, w->g->row * sizeof *to);
    if (from)
      memcpy(to, from + (w->dir * n->batch + i) * n->hidden, n->hidden * sizeof *to);
  }
}
static void store_states(const walk *w, uint32_t out, size_t which, size_t rows) {
  const weft__recurrent *n = &w->g->n;
  float *to = w->b->arg[w->g->y_arg + out];
  if (!to)
    return;
  for (size_t i = w->row0; i < w->row0 + rows; i++)
    memcpy(to + (w->dir * n->batch + i) * n->hidden, state(w, which, i), n->hidden * sizeof *to);
}

static void recurrent_start(const walk *w, size_t rows) {
  load_states(w, WEFT__RNN_H, STATE_H, rows);
  if (w->g->n.kind == WEFT__CELL_LSTM)
    load_states(w, WEFT__RNN_C, STATE_C, rows);
}
// After `steps` steps.
static void recurrent_finish(const walk *w, size_t rows, size_t steps) {
  store_states(w, 1, STATE_H + steps % 2, rows);
  if (w->g->n.kind == WEFT__CELL_LSTM)
    store_states(w, 2, STATE_C, rows);
}

static size_t recurrent_rows_of(const walk *w) {
  size_t rows = 0;
  for (size_t i = 0; i < w->n_tiles; i++)
    rows += w->tile[i].rows;
  return rows;
}

static weft_status all_steps(const layer *g, const weft_block *b, size_t unit) {
  const weft__recurrent *n = &g->n;
  walk w;
  recurrent_begin(&w, g, b, unit / g->parts, unit % g->parts);
  size_t rows = recurrent_rows_of(&w);
  size_t last = longest(g, b, w.row0, rows);
  size_t work = 0;
  recurrent_start(&w, rows);
  for (size_t t = 0; t < last; t++) {
    WEFT_TRY(weft__block_work(b, &work, rows * n->gates * n->hidden * n->hidden));
    for (size_t s = 0; s < n->stages; s++)
      advance(&w, t, s, 0, g->blocks);
  }
  for (size_t t = last; t < n->steps; t++) {
    memset((float *)b->arg[g->y_arg] + ((t * n->dirs + w.dir) * n->batch + w.row0) * n->hidden, 0,
           rows * n->hidden * sizeof(float));
  }
  recurrent_finish(&w, rows, last);
  return WEFT_OK;
}

// ---- phases ----
// One stage of one step, or what comes before and after all of them (phase 0 and the last).
static void one_share(const layer *g, const weft_block *b, size_t unit, size_t phase) {
  walk w;
  size_t part = unit / g->shares;
  size_t i = unit % g->shares;
  size_t steps = g->n.steps * g->n.stages;
  recurrent_begin(&w, g, b, part / g->parts, part % g->parts);
  if (!phase && !i)
    recurrent_start(&w, recurrent_rows_of(&w));
  if (phase && phase <= steps) {
    advance(&w, (phase - 1) / g->n.stages, (phase - 1) % g->n.stages, share(g->blocks, i, g->shares),
            share(g->blocks, i + 1, g->shares));
  }
  if (phase > steps && !i)
    recurrent_finish(&w, recurrent_rows_of(&w), g->n.steps);
}

static bool lengths_right(const layer *g, const weft_block *b) {
  const int32_t *v = argument(g, b, WEFT__RNN_LENGTHS);
  for (size_t i = 0; v && i < g->n.batch; i++) {
    if (v[i] < 0 || (size_t)v[i] > g->n.steps)
      return false;
  }
  return true;
}

static weft_status recurrent_run(const weft_block *b) {
  const layer *g = b->data;
  size_t phase = b->phase;
  size_t all = g->n.batch ? g->n.dirs * g->parts * g->shares : 0;
  if (g->w_here || g->r_here) {
    if (!phase && g->w_here)
      pack_here(g, b, false);
    if (!phase && g->r_here)
      pack_here(g, b, true);
    if (!phase--)
      return WEFT_OK;
  }
  if (!phase) {
    if (!lengths_right(g, b))
      return WEFT_E_RANGE;
    size_t rows = longest(g, b, 0, g->n.batch) * g->n.batch;
    for (size_t i = share(g->units, b->block, b->blocks); i < share(g->units, b->block + 1, b->blocks); i++)
      one_unit(g, b, rows, i);
  }
  if (!phase && g->shares == 1)
    return WEFT_OK;
  for (size_t i = b->block; i < all; i += b->blocks) {
    if (g->shares > 1)
      one_share(g, b, i, phase);
    else
      WEFT_TRY(all_steps(g, b, i));
  }
  return WEFT_OK;
}

#define RECURRENT_KERNEL(symbol, operator)                                \
  const weft_kernel weft__kernel_##symbol = {.size = sizeof(weft_kernel), \
                                             .op = operator,              \
                                             .device = "cpu",             \
                                             .name = "recurrent",         \
                                             .refuse = recurrent_refuse,  \
                                             .cost_ns = recurrent_cost,   \
                                             .pack = recurrent_pack,      \
                                             .tile = recurrent_tile,      \
                                             .run = recurrent_run}
RECURRENT_KERNEL(recurrent_gru, "CommonGRU");
RECURRENT_KERNEL(recurrent_lstm, "CommonLSTM");
RECURRENT_KERNEL(recurrent_rnn, "CommonRNN");
// SPDX-License-Identifier: Apache-2.0
