// plan_memory.c - the planner: several strategies, the cheapest first; the first that reaches the bound is
// taken, otherwise the best one, improved while that is cheap.
//
// All work is counted in units looked at, never in time: the same input gives the same plan everywhere.
#include "plan/units.h"

enum {
  SWEEP_WORK = 100 * 1000 * 1000,  // a sweep that would look at more units is left out
  ORDER_PAIRS = 4 * 1000 * 1000,   // with more pairs of units live together no lists of neighbours are made
  QUICK_WORK = 1000 * 1000,        // local search before the dearer strategies
  TRY_WORK = 5 * 1000 * 1000,      // for each height that is tried, less for few units
  HEIGHTS = 6,
};

typedef struct planner {
  weft_units u;
  weft_fit fit;
  uint64_t *best;
  uint64_t height;
} planner;

static weft_status fail_memory(const planner *p, weft_diag *d) {
  return weft_fail(d, WEFT_E_NOMEM, "memory plan: no memory for %u spans", (unsigned)p->u.n);
}

// Keeps the plan in fit.offset when it is the best so far; true: it cannot be bettered.
static bool plan_memory_keep(planner *p, uint64_t height) {
  if (height < p->height) {
    uint64_t *swap = p->best;
    p->best = p->fit.offset;
    p->fit.offset = swap;
    p->height = height;
  }
  return p->height <= p->u.target;
}

// ---- orders ----

enum { BY_BYTES, BY_AREA, BY_LIFE, BY_CROWD, BY_OFFSET, ORDERS };

// How full the fullest position of a unit is: bytes live there.
static bool crowd_keys(planner *p, uint64_t *key) {
  const weft_units *u = &p->u;
  uint64_t *live = WEFT_NEW_N(u->arena, uint64_t, (size_t)u->n_pos + 1);
  uint64_t now = 0;
  weft_heights h;
  if (!live || !weft__heights_init(&h, u->arena, u->n_pos))
    return false;
  for (uint32_t i = 0; i < u->n; i++) {
    live[u->v[i].lo] += u->v[i].bytes;
    live[u->v[i].hi + 1] -= u->v[i].bytes;
  }
  for (uint32_t i = 0; i < u->n_pos; i++) {
    now += live[i];
    weft__heights_raise(&h, i, i, (weft_height){now, i});
  }
  for (uint32_t i = 0; i < u->n; i++)
    key[i] = weft__heights_get(&h, u->v[i].lo, u->v[i].hi).v;
  return true;
}

// Fills fit.order, the greatest first, fixed units before all others; equal keys: the larger first.
static bool make_order(planner *p, int by) {
  const weft_units *u = &p->u;
  weft_fit *f = &p->fit;
  uint64_t *key = WEFT_NEW_N(u->arena, uint64_t, u->n);
  if (!key)
    return false;
  for (uint32_t i = 0; i < u->n; i++) {
    const weft_unit *x = &u->v[i];
    uint64_t life = (uint64_t)(x->hi - x->lo) + 1;
    uint64_t area;
    if (__builtin_mul_overflow(x->bytes, life, &area))
      area = UINT64_MAX;
    key[i] = by == BY_BYTES  ? x->bytes
             : by == BY_AREA ? area
             : by == BY_LIFE ? life
                             : UINT64_MAX - p->best[i];
  }
  if (by == BY_CROWD && !crowd_keys(p, key))
    return false;
  for (uint32_t i = 0; i < u->n; i++)
    f->items[i] = (weft_sort_item){~u->v[i].bytes, i};
  weft__plan_sort(f->items, f->spare, u->n);
  for (uint32_t i = 0; i < u->n; i++) {
    uint32_t id = f->items[i].id;
    f->items[i].key = u->v[id].fixed >= 0 ? 0 : WEFT_MAX(1, ~key[id]);
  }
  weft__plan_sort(f->items, f->spare, u->n);
  for (uint32_t i = 0; i < u->n; i++)
    f->order[i] = f->items[i].id;
  return true;
}

// ---- strategies ----

static bool sweeps(planner *p) {
  static const int how[] = {0,
                            WEFT_FIT_BACK,
                            WEFT_FIT_FIRST,
                            WEFT_FIT_FIRST | WEFT_FIT_BACK,
                            WEFT_FIT_LOW,
                            WEFT_FIT_LOW | WEFT_FIT_BACK};
  if (p->u.pairs > SWEEP_WORK)
    return false;
  for (size_t i = 0; i < WEFT_COUNT(how); i++) {
    if (plan_memory_keep(p, weft__fit_sweep(&p->fit, how[i])))
      return true;
    if (p->fit.work > SWEEP_WORK)
      return false;
  }
  return false;
}

static weft_status heights(planner *p, bool *out_done, weft_diag *d) {
  static const int by[] = {BY_LIFE, BY_AREA};
  for (size_t i = 0; i < WEFT_COUNT(by) && !*out_done; i++) {
    weft_heights h;
    if (!make_order(p, by[i]) || !weft__heights_init(&h, p->u.arena, p->u.n_pos))
      return fail_memory(p, d);
    *out_done = plan_memory_keep(p, weft__fit_heights(&p->fit, &h));
  }
  return WEFT_OK;
}

static weft_status orders(planner *p, bool *out_done, weft_diag *d) {
  const weft_units *u = &p->u;
  uint32_t *rank = WEFT_NEW_N(u->arena, uint32_t, u->n);
  if (!rank)
    return fail_memory(p, d);
  for (int by = 0; by < BY_OFFSET; by++) {
    if (!make_order(p, by))
      return fail_memory(p, d);
    for (uint32_t i = 0; i < u->n; i++)
      rank[p->fit.order[i]] = i;
    for (int how = WEFT_FIT_LOW; how <= (WEFT_FIT_LOW | WEFT_FIT_FIRST); how += WEFT_FIT_FIRST) {
      *out_done = plan_memory_keep(p, weft__fit_order(&p->fit, p->fit.order, rank, 0, how));
      if (*out_done)
        return WEFT_OK;
    }
  }
  return WEFT_OK;
}

// Afterwards what can sink sinks: the search leaves holes below.
static weft_status improve(planner *p, uint64_t try_work, uint64_t work, bool *out_done, weft_diag *d) {
  const weft_units *u = &p->u;
  bool nomem;
  uint64_t height = weft__fit_improve(&p->fit, p->best, p->height, try_work, work, &nomem);
  if (nomem)
    return fail_memory(p, d);
  if (height < p->height) {
    uint32_t *rank = WEFT_NEW_N(u->arena, uint32_t, u->n);
    if (!rank || !make_order(p, BY_OFFSET))
      return fail_memory(p, d);
    for (uint32_t i = 0; i < u->n; i++)
      rank[p->fit.order[i]] = i;
    p->height = height;
    *out_done =
        plan_memory_keep(p, weft__fit_order(&p->fit, p->fit.order, rank, 0, WEFT_FIT_LOW | WEFT_FIT_FIRST));
  }
  return WEFT_OK;
}

static weft_status plan_memory_plan(planner *p, weft_diag *d) {
  const weft_units *u = &p->u;
  weft_fit *f = &p->fit;
  *f = (weft_fit){.u = u,
                  .offset = WEFT_NEW_N(u->arena, uint64_t, u->n),
                  .items = WEFT_NEW_N(u->arena, weft_sort_item, u->n),
                  .spare = WEFT_NEW_N(u->arena, weft_sort_item, u->n),
                  .live = WEFT_NEW_N(u->arena, weft_live, u->n),
                  .order = WEFT_NEW_N(u->arena, uint32_t, u->n)};
  p->best = WEFT_NEW_N(u->arena, uint64_t, u->n);
  if (!f->offset || !f->items || !f->spare || !f->live || !f->order || !p->best)
    return fail_memory(p, d);
  p->height = UINT64_MAX;
  if (sweeps(p))
    return WEFT_OK;
  bool done = false;
  if (u->pairs > ORDER_PAIRS)
    return heights(p, &done, d);
  if (!weft__fit_neighbours(f))
    return fail_memory(p, d);
  WEFT_TRY(improve(p, QUICK_WORK + 16 * (uint64_t)u->n, 1, &done, d));  // the target only
  if (!done)
    WEFT_TRY(orders(p, &done, d));
  const uint64_t work = WEFT_MIN((uint64_t)TRY_WORK, 8000 * (uint64_t)u->n);
  return done ? WEFT_OK : improve(p, work, HEIGHTS * work, &done, d);
}

static weft_status check_fixed(const weft_units *u, weft_diag *d) {
  uint32_t a;
  uint32_t b;
  char text_a[96];
  char text_b[96];
  if (u->n_fixed < 2)
    return WEFT_OK;
  WEFT_TRY(weft__units_overlap(u, NULL, &a, &b, d));
  if (a == WEFT_NO_SPAN)
    return WEFT_OK;
  const weft_unit *x = &u->v[a];
  const weft_unit *y = &u->v[b];
  return weft_fail(d, WEFT_E_INVALID,
                   "memory plan: fixed %s (%llu bytes at %lld) and %s (%llu bytes at %lld) are live "
                   "together and overlap",
                   weft__span_text(u->in, x->span, text_a), (unsigned long long)x->bytes, (long long)x->fixed,
                   weft__span_text(u->in, y->span, text_b), (unsigned long long)y->bytes,
                   (long long)y->fixed);
}

static weft_status plan_in(const weft_plan_input *in, weft_arena *arena, weft_plan_result *out,
                           weft_diag *d) {
  planner p = {.height = 0};
  weft_units *u = &p.u;
  WEFT_TRY(weft__units_make(in, arena, u, d));
  if (u->n) {
    WEFT_TRY(check_fixed(u, d));
    WEFT_TRY(plan_memory_plan(&p, d));
  }
  for (uint32_t i = 0; i < in->n_spans; i++) {
    uint32_t unit = u->of_span[i];
    in->span[i].offset = unit == WEFT_NO_SPAN ? 0 : p.best[unit] + u->in_unit[i];
  }
  *out = (weft_plan_result){u->n ? p.height : 0, u->sum_bytes, u->bound_bytes, u->peak_step, p.fit.work};
  return WEFT_OK;
}

weft_status weft__plan_memory(const weft_plan_input *in, const weft_allocator *a, weft_plan_result *out,
                              weft_diag *d) {
  weft_arena arena;
  weft__arena_init(&arena, a);
  weft_status s = plan_in(in, &arena, out, d);
  weft__arena_deinit(&arena);
  return s;
}
// SPDX-License-Identifier: Apache-2.0
