// resize_axes.c - Resize of float by weighted sums along any axes: linear, cubic, antialiased, of any layout.
// One axis after the other, those first that make the tensor smallest, into the workspace: rows of what lies
// behind an axis are sums of such rows. Along the last axis, lines are turned over first, so that they are
// rows, too. What an output is made of is worked out once a run, in double, as the operator's own rule says;
// elements of no weight are left out.
#include <math.h>

#include "cpu/move/move_ops.h"
#include "cpu/resample/resample_ops.h"
#include "cpu/gemm/product.h"
#include "cpu/resample/resize.h"

enum { MOST_PASSES = 4, MOST_TAPS = 512, LINES = 32 };
typedef struct pass {
  weft_resize_axis a;
  size_t outer, inner, taps, reach;  // taps: the most of an output; reach: at or below its place
  size_t table;                      // numbers of the workspace in front
  size_t units;                      // rows of outputs, or groups of lines
} pass;
typedef struct plan {
  weft__resampling r;
  size_t n, tables;  // numbers of all tables
  uint32_t out_arg;
  pass pass[MOST_PASSES];
  const weft__move_ops *move;
  const weft__resample_ops *ops;
} plan;

static size_t table_numbers(const pass *p) {
  return p->a.out * (2 * p->taps + 1);
}

static const char *find_passes(plan *g) {
  const weft__resampling *r = &g->r;
  size_t dim[WEFT_MAX_RANK];
  bool done[WEFT_MAX_RANK] = {false};
  for (size_t k = 0; k < r->rank; k++)
    dim[k] = r->axis[k].in;
  for (;;) {
    size_t best = r->rank;
    for (size_t k = r->rank; k-- > 0;) {  // of equal ones the last: what follows has longer rows
      const weft_resize_axis *a = &r->axis[k];
      const weft_resize_axis *b = &r->axis[best < r->rank ? best : k];
      if (done[k] || !weft__resize_changes(a))
        continue;
      if (best == r->rank || (double)a->out * (double)b->in < (double)b->out * (double)a->in)
        best = k;
    }
    if (best == r->rank)
      break;
    if (g->n == MOST_PASSES)
      return "more than four axes change";
    pass *p = &g->pass[g->n++];
    *p = (pass){.a = r->axis[best], .outer = 1, .inner = 1, .table = g->tables};
    for (size_t k = 0; k < r->rank; k++) {
      if (k != best)
        *(k < best ? &p->outer : &p->inner) *= dim[k];
    }
    double reach = weft__resize_reach(&r->rule, &p->a);
    if (!(2 * reach <= MOST_TAPS))
      return "an output is made of too many numbers";
    p->reach = (size_t)reach;
    p->taps = 2 * p->reach;
    p->units = p->inner > 1 ? p->outer * p->a.out : (p->outer + LINES - 1) / LINES;
    g->tables += table_numbers(p);
    dim[best] = p->a.out;
    done[best] = true;
  }
  return g->n ? NULL : "nothing changes";
}

static const char *resize_axes_read(const weft_tiling *t, plan *g) {
  memset(g, 0, sizeof *g);
  const char *why = weft__resize_read(t, &g->r);
  if (why)
    return why;
  if (weft__resize_by_rows(&g->r))
    return "is done row by row";
  if (t->in_dtype[0] != WEFT_FLOAT)
    return "needs float";
  if (weft__rows_prod(&t->out[0]->origin, 0, g->r.rank) == 0)
    return "has no output";
  g->out_arg = t->n_in;
  g->move = weft__move_find(t->host);
  g->ops = weft__resample_find(t->host);
  return find_passes(g);
}

static const char *resize_axes_refuse(const weft_tiling *t) {
  plan g;
  return resize_axes_read(t, &g);
}

static size_t result_numbers(const pass *p) {
  return p->outer * p->a.out * p->inner;
}

static weft_status resize_axes_tile(weft_tiling *t) {
  plan *g = t->data;
  const char *why = resize_axes_read(t, g);
  if (why)
    return t->host->fail(t->d, WEFT_E_KERNEL, "resize: %s", why);
  double most = 0;
  t->n_workspaces = 3;
  t->phases = (uint32_t)g->n + 1;
  t->data_bytes = sizeof *g;
  t->workspace_bytes[0] = g->tables * sizeof(float);
  t->workspace_bytes[1] = t->workspace_bytes[2] = 64;
  for (size_t k = 0; k < g->n; k++) {
    const pass *p = &g->pass[k];
    size_t bytes = result_numbers(p) * sizeof(float);
    size_t *room = &t->workspace_bytes[1 + k % 2];
    if (k + 1 < g->n)
      *room = WEFT_MAX(*room, bytes);
    if (p->inner == 1)
      t->scratch_bytes = WEFT_MAX(t->scratch_bytes, LINES * (p->a.in + p->a.out) * sizeof(float));
    most = WEFT_MAX(most, (double)result_numbers(p) * (0.1 + 0.05 * (double)p->taps));
  }
  size_t per;
  t->blocks = weft__rows_blocks(64, most / 64, &per);
  return WEFT_OK;
}

// ---- tables ----
static weft__resampled table_of(const pass *p, float *tables) {
  float *from = tables + p->table;
  uint32_t *at = (uint32_t *)(void *)from + p->a.out;
  return (weft__resampled){
      .taps = (uint32_t *)(void *)from, .at = at, .w = from + p->a.out * (1 + p->taps), .taps_max = p->taps};
}

static void fill_output(const weft_resize_rule *r, const pass *p, size_t o, uint32_t *out_taps, uint32_t *at,
                        float *out_w) {
  double w[MOST_TAPS], x = weft__resize_place(r, &p->a, o);
  double by = weft__resize_weigh(r, &p->a, x, p->reach, w);
  uint32_t n = 0;
  for (size_t k = 0; k < p->taps; k++) {
    if (w[k] == 0)
      continue;
    at[n] = (uint32_t)weft__resize_clamped(weft__resize_tap(x, p->reach, k), p->a.in);
    out_w[n++] = (float)(w[k] / by);
  }
  if (!n) {
    // nothing inside: 0 / 0
    at[n] = 0;
    out_w[n++] = NAN;
  }
  *out_taps = n;
}

static void fill_tables(const plan *g, const weft_block *b) {
  for (size_t k = 0; k < g->n; k++) {
    const pass *p = &g->pass[k];
    weft__resampled t = table_of(p, b->workspace[0]);
    uint32_t *taps = (uint32_t *)b->workspace[0] + p->table;
    uint32_t *at = taps + p->a.out;
    float *w = (float *)b->workspace[0] + (t.w - (const float *)b->workspace[0]);
    for (size_t o = b->block; o < p->a.out; o += b->blocks)
      fill_output(&g->r.rule, p, o, taps + o, at + o * p->taps, w + o * p->taps);
  }
}

// ---- passes ----
// LINES lines from number `first` of all on, turned over.
static void turn_lines(const plan *g, const pass *p, weft__resampled *t, const float *x, float *y,
                       size_t first, float *room) {
  size_t lines = WEFT_MIN(LINES, p->outer - first);
  float *in = room;
  float *out = room + LINES * p->a.in;
  t->n = t->row = lines;
  g->move->transpose((const uint32_t *)(const void *)(x + first * p->a.in), p->a.in, (uint32_t *)(void *)in,
                     lines, lines, p->a.in);
  g->ops->resample(t, 0, p->a.out, in, out);
  g->move->transpose((const uint32_t *)(void *)out, lines, (uint32_t *)(void *)(y + first * p->a.out),
                     p->a.out, p->a.out, lines);
}

static weft_status resize_axes_run(const weft_block *b) {
  const plan *g = b->data;
  if (b->phase == 0)
    return fill_tables(g, b), WEFT_OK;
  size_t k = b->phase - 1;
  const pass *p = &g->pass[k];
  const float *x = k ? b->workspace[1 + (k - 1) % 2] : b->arg[0];
  float *y = k + 1 < g->n ? b->workspace[1 + k % 2] : b->arg[g->out_arg];
  weft__resampled t = table_of(p, b->workspace[0]);
  size_t first = weft__share(p->units, b->block, b->blocks);
  size_t last = weft__share(p->units, b->block + 1, b->blocks);
  t.n = t.row = p->inner;
  for (size_t i = first, n; i < last; i += n) {
    size_t outer = i / p->a.out;
    size_t o = i % p->a.out;
    n = p->inner > 1 ? WEFT_MIN(p->a.out - o, last - i) : 1;
    if (p->inner == 1)
      turn_lines(g, p, &t, x, y, i * LINES, b->scratch);
    else
      g->ops->resample(&t, o, o + n, x + outer * p->a.in * p->inner, y + i * p->inner);
  }
  return WEFT_OK;
}

const weft_kernel weft__kernel_resize_axes = {.size = sizeof(weft_kernel),
                                              .op = "Resize",
                                              .device = "cpu",
                                              .name = "axes",
                                              .tiling_bytes_max = sizeof(plan),
                                              .refuse = resize_axes_refuse,
                                              .tile = resize_axes_tile,
                                              .run = resize_axes_run};
// SPDX-License-Identifier: Apache-2.0
