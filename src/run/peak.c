// peak.c - what is in memory when a plan needs most of it: kept with the plan, named when a limit is passed,
// printed for who asks where the memory goes.
#include "base/base.h"
#include "base/allocated.h"
#include "run/layout.h"

// The node of a step of the planner: of streams a step is a launch.
static uint32_t node_at(const layout *y, uint32_t step) {
  const weft__seg *s = y->s;
  if (s->streams && step < s->n_launches)
    return s->launch[step].node;
  return s->streams ? s->end - 1 : WEFT_MIN(s->first + step, s->end - 1);
}

static uint32_t producer(const weft__fn *f, uint32_t v) {
  uint32_t lo = 0;
  uint32_t hi = f->n_nodes;
  while (hi - lo > 1) {  // the last node whose first output is <= v
    const uint32_t mid = lo + (hi - lo) / 2;
    if (f->first_out[mid] <= v)
      lo = mid;
    else
      hi = mid;
  }
  return lo;
}

static weft__alive alive_at(const layout *y, uint32_t i) {
  const uint32_t v = y->value_of[i];
  weft__alive a = {.bytes = y->span[i].bytes, .value = v, .space = y->space_of[i]};
  if (v == WEFT__UNREAD) {  // a workspace
    a.first = a.last = node_at(y, y->span[i].first);
    return a;
  }
  a.first = producer(y->f, v);
  if (v >= y->s->v0 && y->since[v] != WEFT__UNREAD)
    a.first = WEFT_MIN(a.first, y->since[v]);
  a.last = y->until[v];
  return a;
}

// What is live at the peak of one device's memory, largest first, behind what is kept already.
static weft_status keep_space(const layout *y, uint8_t space, uint32_t *live) {
  weft_plan_input in = weft__layout_input(y);
  weft__seg *s = y->s;
  const uint32_t step = space ? y->peak_step[space] : s->plan.peak_step;
  const uint32_t n = weft__plan_live_at(&in, step, live, in.n_spans);
  uint32_t count = s->n_peak;
  for (uint32_t i = 0; i < WEFT_MIN(n, in.n_spans); i++) {
    if (live[i] < y->n_spans && y->space_of[live[i]] == space && y->span[live[i]].bytes)
      count++;
  }
  weft__alive *all = WEFT_NEW_N(&s->mem, weft__alive, (size_t)count + 1);
  WEFT_TRY(weft__allocated(all, y->x->d));
  for (uint32_t i = 0; i < s->n_peak; i++)
    all[i] = s->peak[i];
  for (uint32_t i = 0; i < WEFT_MIN(n, in.n_spans); i++) {
    if (live[i] < y->n_spans && y->space_of[live[i]] == space && y->span[live[i]].bytes)
      all[s->n_peak++] = alive_at(y, live[i]);
  }
  s->peak = all;
  return WEFT_OK;
}

weft_status weft__layout_peak(const layout *y) {
  const weft_plan_input in = weft__layout_input(y);
  uint32_t *live = WEFT_NEW_N(y->mem, uint32_t, (size_t)in.n_spans + 1);
  WEFT_TRY(weft__allocated(live, y->x->d));
  for (uint32_t k = 0; k < y->x->program->n_devices; k++) {
    if (k ? y->s->device_bytes[k] : y->s->plan.peak_bytes)
      WEFT_TRY(keep_space(y, (uint8_t)k, live));
  }
  y->s->peak_node = y->s->n_peak ? node_at(y, y->s->plan.peak_step) : 0;
  return WEFT_OK;
}

void weft__peak_text(const weft_exec *x, const weft__seg *s, char *text, size_t cap) {
  enum { TOLD = 3 };  // of each device
  size_t at = 0;
  uint32_t told[WEFT__DEVICES] = {0};
  text[0] = 0;
  for (uint32_t i = 0; i < s->n_peak; i++) {
    const weft__alive *a = &s->peak[i];
    const bool workspace = a->value == WEFT__UNREAD;
    if (told[a->space]++ >= TOLD)
      continue;
    weft__append(text, cap, &at, "%s%s'%.80s' (%llu bytes", at ? ", " : "",
                 workspace ? "a workspace of node " : "",
                 workspace ? weft__node_name(x->fn->node[a->first]) : x->fn->value[a->value]->name,
                 (unsigned long long)a->bytes);
    weft__append(text, cap, &at, a->space ? " on %s)" : ")",
                 a->space ? x->program->device[a->space]->name : "");
  }
}

// ---- as a table ----
// The plan with the highest peak of those that were made for the shapes at hand.
static const weft__seg *highest(const weft__seg *root) {
  const weft__seg *best = root;
  const weft__seg *at = root;
  while (at) {
    if (at->plan.peak_bytes > best->plan.peak_bytes)
      best = at;
    if (at->children) {
      at = at->children;
      continue;
    }
    while (at != root && !at->next)
      at = at->parent;
    at = at == root ? NULL : at->next;
  }
  return best;
}

static weft_status print_alive(const weft_exec *x, const weft__seg *s, const weft__alive *a,
                               weft_write_fn write, void *ctx) {
  const weft__fn *f = x->fn;
  const weft_node *maker = f->node[a->first];
  const bool workspace = a->value == WEFT__UNREAD;
  const bool ends = a->last >= f->n_nodes;
  char shape[256];
  char steps[64];
  char title[256];
  char type[300] = "";
  snprintf(steps, sizeof steps, "%u-%u", a->first + 1, ends ? f->n_nodes : a->last + 1);
  if (!workspace) {
    const weft_tensor *t = weft__tensor_of(x, s, a->value);
    snprintf(type, sizeof type, "%s%s", weft_dtype_name(t->dtype),
             weft_shape_text(&t->layout.origin, f->graph->root->symbols, shape, sizeof shape));
  }
  WEFT_TRY(weft__writef(write, ctx, "%12llu  %-9s  %-18s  ", (unsigned long long)a->bytes, steps, type));
  if (workspace) {
    WEFT_TRY(weft__writef(write, ctx, "workspace of '%.200s' (%.100s)", weft__node_name(maker),
                          weft__node_title(maker, title, sizeof title)));
  } else
    WEFT_TRY(weft__writef(write, ctx, "%.200s", f->value[a->value]->name));
  if (!workspace && !ends && a->last != a->first) {
    WEFT_TRY(weft__writef(write, ctx, ", last read by '%.200s' (%.100s)", weft__node_name(f->node[a->last]),
                          weft__node_title(f->node[a->last], title, sizeof title)));
  }
  if (a->space)
    WEFT_TRY(weft__writef(write, ctx, ", on %s", x->program->device[a->space]->name));
  return weft__writef(write, ctx, "\n");
}

weft_status weft_exec_print_peak(const weft_exec *x, weft_write_fn write, void *ctx, weft_diag *d) {
  WEFT_NEED(d, x);
  WEFT_NEED(d, write);
  if (!x->hot)
    return weft_fail(d, WEFT_E_STATE, "nothing was planned yet: call weft_exec_prepare or run first");
  const weft__seg *s = highest(x->hot);
  if (!s->n_peak)
    return weft__writef(write, ctx, "no intermediate tensor takes memory of its own\n");
  const weft_node *n = x->fn->node[s->peak_node];
  char title[256];
  WEFT_TRY(weft__writef(
      write, ctx, "the peak is at step %u of %u, node '%.200s' (%.100s): %llu bytes are needed at once\n",
      s->peak_node + 1, x->fn->n_nodes, weft__node_name(n), weft__node_title(n, title, sizeof title),
      (unsigned long long)s->plan.bound_bytes));
  WEFT_TRY(weft__writef(write, ctx, "%12s  %-9s  %-18s  %s\n", "bytes", "steps", "type", "tensor"));
  for (uint32_t i = 0; i < s->n_peak; i++)
    WEFT_TRY(print_alive(x, s, &s->peak[i], write, ctx));
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
