// improve.c - local search for a plan below a given height.
//
// Units that end above the height are taken out and put back one after the other, each where the units in its
// way cost least; those are taken out in turn. A unit costs its bytes times how often it was taken out
// already, so what keeps coming back wins its place in the end. A step looks at the neighbours of one unit
// only. Draws break ties by a fixed sequence of numbers: the same input gives the same plan. Bounded by a
// count of units looked at, not by time.
#include "plan/units.h"

// A unit costs at most 2^14 (bytes) * 2^10 (weight) * 2^12 (neighbours), 2^18 of them less than one fixed
// unit.
enum {
  MOST_UNITS = 1 << 18,
  MOST_FIXED = 512,
  MOST_WEIGHT = 1 << 10,
  MOST_SIZE = 1 << 14,
  MOST_DEGREE = 1 << 12
};
static const uint64_t fixed_cost = UINT64_C(1) << 54;

typedef struct search {
  weft_fit *f;
  uint64_t height;
  uint64_t *offset;  // UINT64_MAX: out
  uint32_t *weight;
  uint32_t *out, n_out;             // units that are out
  weft_sort_item *begin, *end;      // neighbours in place, by offset and by end
  uint64_t *begin_cost, *end_cost;  // sums of costs up to each
  uint32_t n_near;
  uint32_t shift;  // of bytes, so that sums of costs fit
  uint64_t state;  // of the sequence
} search;

static uint32_t draw(search *s, uint32_t below) {  // 0 .. below - 1
  s->state = s->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)(((s->state >> 33) * below) >> 31);
}

// Large ones, those with many neighbours and those taken out often: hard to put back.
static uint64_t improve_cost_of(const search *s, uint32_t id) {
  const weft_unit *x = &s->f->u->v[id];
  if (x->fixed >= 0)
    return fixed_cost;
  uint64_t degree = (s->f->row[id + 1] - s->f->row[id]) / 16 + 1;
  return ((x->bytes >> s->shift) + 4) * s->weight[id] * WEFT_MIN(degree, (uint64_t)MOST_DEGREE - 1);
}

static void look_around(search *s, uint32_t id) {
  const weft_fit *f = s->f;
  uint32_t n = 0;
  for (uint32_t k = f->row[id]; k < f->row[id + 1]; k++) {
    uint32_t other = f->neighbours[k];
    if (s->offset[other] == UINT64_MAX)
      continue;
    s->begin[n] = (weft_sort_item){s->offset[other], other};
    s->end[n++] = (weft_sort_item){s->offset[other] + f->u->v[other].bytes, other};
  }
  weft__plan_sort(s->begin, f->spare, n);
  weft__plan_sort(s->end, f->spare, n);
  uint64_t begun = 0;
  uint64_t ended = 0;
  for (uint32_t i = 0; i < n; i++) {
    s->begin_cost[i] = begun += improve_cost_of(s, s->begin[i].id);
    s->end_cost[i] = ended += improve_cost_of(s, s->end[i].id);
  }
  s->n_near = n;
  s->f->work += f->row[id + 1] - f->row[id] + 16 * (uint64_t)n + 8;
}

static uint32_t count_below(const weft_sort_item *v, uint32_t n, uint64_t key) {  // keys < key
  uint32_t lo = 0;
  while (n) {
    uint32_t half = n / 2;
    if (v[lo + half].key < key) {
      lo += half + 1;
      n -= half + 1;
    } else {
      n = half;
    }
  }
  return lo;
}

typedef struct spot {
  uint64_t offset, cost;
  uint32_t ties;
} spot;

static void try_spot(search *s, spot *best, uint64_t offset, uint64_t bytes) {
  if (offset > s->height || bytes > s->height - offset)
    return;
  uint32_t begun = count_below(s->begin, s->n_near, offset + bytes);
  uint32_t ended = count_below(s->end, s->n_near, offset + 1);
  uint64_t cost = (begun ? s->begin_cost[begun - 1] : 0) - (ended ? s->end_cost[ended - 1] : 0);
  if (cost > best->cost)
    return;
  best->ties = cost == best->cost ? best->ties + 1 : 1;
  if (best->ties > 1 && draw(s, best->ties))
    return;
  best->cost = cost;
  best->offset = offset;
}

static void take_out(search *s, uint32_t id) {
  s->offset[id] = UINT64_MAX;
  s->out[s->n_out++] = id;
}

// Puts a unit back; false where only fixed units could make room.
static bool put_back(search *s, uint32_t id) {
  const weft_units *u = s->f->u;
  const uint64_t bytes = u->v[id].bytes;
  const uint64_t mask = ~(u->align - 1);
  spot best = {.cost = UINT64_MAX};
  look_around(s, id);
  try_spot(s, &best, 0, bytes);
  if (bytes <= s->height)
    try_spot(s, &best, (s->height - bytes) & mask, bytes);
  for (uint32_t i = 0; i < s->n_near; i++) {
    try_spot(s, &best, (s->end[i].key + u->align - 1) & mask, bytes);
    if (s->begin[i].key >= bytes)
      try_spot(s, &best, (s->begin[i].key - bytes) & mask, bytes);
  }
  if (best.cost >= fixed_cost)
    return false;
  for (uint32_t i = 0; best.cost && i < s->n_near && s->begin[i].key < best.offset + bytes; i++) {
    uint32_t other = s->begin[i].id;
    if (s->begin[i].key + u->v[other].bytes <= best.offset)
      continue;
    if (s->weight[other] < MOST_WEIGHT)
      s->weight[other]++;
    take_out(s, other);
  }
  s->offset[id] = best.offset;
  return true;
}

// From a plan, looks for one of at most `height`; true: it is in s->offset.
static bool reach(search *s, const uint64_t *from, uint64_t work_limit) {
  const weft_units *u = s->f->u;
  const uint64_t end = s->f->work + work_limit;
  s->n_out = 0;
  memcpy(s->offset, from, u->n * sizeof *from);
  for (uint32_t i = 0; i < u->n; i++) {
    s->weight[i] = 1;
    if (from[i] + u->v[i].bytes > s->height)
      take_out(s, i);
  }
  while (s->n_out) {
    if (s->f->work > end)
      return false;
    uint32_t pick = 0;
    for (uint32_t i = 1; i < s->n_out; i++) {
      if (u->v[s->out[i]].bytes > u->v[s->out[pick]].bytes)
        pick = i;
    }
    s->f->work += s->n_out / 4;
    uint32_t id = s->out[pick];
    s->out[pick] = s->out[--s->n_out];
    if (!put_back(s, id))
      return false;
  }
  return true;
}

uint64_t weft__fit_improve(weft_fit *f, uint64_t *best, uint64_t height, uint64_t try_work, uint64_t work,
                           bool *out_nomem) {
  const weft_units *u = f->u;
  search s = {.f = f, .state = u->n};
  *out_nomem = false;
  if (u->n > MOST_UNITS || u->n_fixed > MOST_FIXED)
    return height;
  s.offset = WEFT_NEW_N(u->arena, uint64_t, u->n);
  s.weight = WEFT_NEW_N(u->arena, uint32_t, u->n);
  s.out = WEFT_NEW_N(u->arena, uint32_t, u->n);
  s.begin = WEFT_NEW_N(u->arena, weft_sort_item, 2 * (size_t)u->n);
  s.begin_cost = WEFT_NEW_N(u->arena, uint64_t, 2 * (size_t)u->n);
  *out_nomem = !s.offset || !s.weight || !s.out || !s.begin || !s.begin_cost;
  if (*out_nomem)
    return height;
  s.end = s.begin + u->n;
  s.end_cost = s.begin_cost + u->n;
  uint64_t most = 0;
  uint64_t low = u->target;
  const uint64_t end = f->work + work;
  for (uint32_t i = 0; i < u->n; i++)
    most = WEFT_MAX(most, u->v[i].bytes);
  while (most >> s.shift > MOST_SIZE - 8)
    s.shift++;
  for (s.height = low; height > low + (u->target >> 10) && f->work < end;
       s.height = low + (height - low) / 2) {
    if (reach(&s, best, try_work)) {
      memcpy(best, s.offset, u->n * sizeof *best);
      height = s.height;
    } else {
      low = s.height;
    }
  }
  return height;
}
// SPDX-License-Identifier: Apache-2.0
