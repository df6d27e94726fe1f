// fit.c - ways to place units: in the order of time, on top of each other, or in a given order into the first
// gap.
//
// A sweep knows what is in use, sorted by offset, and puts each unit into a gap below the target, at that end
// of the gap whose neighbour stays longer: what dies together lies together, and a chain alternates between
// the two ends of the arena. Only where no gap fits does the arena grow. Placing in an order looks at the
// neighbours (units live together with this one) that come earlier in the order. Costs are those of looking
// at what is live: O(n * live).
#include "plan/units.h"

static uint64_t align_up(const weft_units *u, uint64_t x) {
  return (x + u->align - 1) & ~(u->align - 1);
}

// ---- one gap ----

typedef struct choice {
  uint64_t bytes, ceiling;
  int how;
  bool found;
  uint64_t offset, left;  // left: bytes of the gap that stay free
} choice;

// below, above: how long the neighbours stay; the floor and the ceiling stay for ever.
static void consider(const weft_units *u, choice *c, uint64_t from, uint64_t to, uint32_t below,
                     uint32_t above) {
  uint64_t low = align_up(u, from);
  if (to < low || to - low < c->bytes)
    return;
  uint64_t left = to - low - c->bytes;
  if (c->found && ((c->how & WEFT_FIT_FIRST) || left >= c->left))
    return;
  c->found = true;
  c->left = left;
  c->offset = below >= above || (c->how & WEFT_FIT_LOW) ? low : (to - c->bytes) & ~(u->align - 1);
}

// ---- in the order of time ----

static uint32_t insert_live(weft_live *live, uint32_t n, weft_live x) {
  uint32_t j = n;
  for (; j && live[j - 1].offset > x.offset; j--)
    live[j] = live[j - 1];
  live[j] = x;
  return n + 1;
}

// Going back, positions count from the end.
static uint32_t leave_of(const weft_units *u, const weft_unit *x, bool back) {
  return back ? u->n_pos - 1 - x->enter : x->leave;
}

static uint64_t place_live(weft_fit *f, uint32_t unit, uint32_t now, uint32_t *n_live, choice *c) {
  const weft_units *u = f->u;
  const weft_unit *x = &u->v[unit];
  const bool exact = u->n_fixed || u->n_streams > 1;
  uint64_t cursor = 0;
  uint32_t kept = 0;
  uint32_t below = UINT32_MAX;
  for (uint32_t i = 0; i < *n_live; i++) {
    const weft_live l = f->live[i];
    if (l.leave < now)
      continue;
    f->live[kept++] = l;
    if (exact && !weft__units_together(u, x, &u->v[l.unit]))
      continue;
    if (l.offset > cursor)
      consider(u, c, cursor, l.offset, below, l.leave);
    if (l.end > cursor) {
      cursor = l.end;
      below = l.leave;
    }
  }
  f->work += *n_live + 1;
  *n_live = kept;
  if (c->ceiling > cursor)
    consider(u, c, cursor, c->ceiling, below, UINT32_MAX);
  return c->found ? c->offset : align_up(u, cursor);
}

// items: the units in the order in which a sweep meets them, fixed ones early enough.
static void sweep_order(weft_fit *f, bool back) {
  const weft_units *u = f->u;
  for (uint32_t i = 0; i < u->n; i++) {
    const weft_unit *x = &u->v[i];
    uint32_t at = back ? u->n_pos - 1 - x->leave : x->enter;
    uint64_t size = WEFT_MIN(x->bytes >> 6, (uint64_t)INT32_MAX);
    f->items[i] = (weft_sort_item){(uint64_t)at << 32 | (x->fixed >= 0 ? 0 : 1 + (INT32_MAX - size)), i};
  }
  weft__plan_sort(f->items, f->spare, u->n);
}

uint64_t weft__fit_sweep(weft_fit *f, int how) {
  const weft_units *u = f->u;
  const bool back = how & WEFT_FIT_BACK;
  uint32_t n_live = 0;
  uint64_t ceiling = u->target;
  uint64_t height = 0;
  sweep_order(f, back);
  for (uint32_t i = 0; i < u->n; i++) {
    uint32_t id = f->items[i].id;
    uint32_t now = (uint32_t)(f->items[i].key >> 32);
    const weft_unit *x = &u->v[id];
    choice c = {.bytes = x->bytes, .ceiling = ceiling, .how = how};
    uint64_t offset = x->fixed >= 0 ? (uint64_t)x->fixed : place_live(f, id, now, &n_live, &c);
    uint64_t end = offset + x->bytes;
    f->offset[id] = offset;
    height = WEFT_MAX(height, end);
    ceiling = WEFT_MAX(ceiling, end);
    n_live = insert_live(f->live, n_live, (weft_live){offset, end, id, leave_of(u, x, back)});
  }
  return height;
}

// ---- on top of each other ----

uint64_t weft__fit_heights(weft_fit *f, weft_heights *h) {
  const weft_units *u = f->u;
  uint64_t height = 0;
  for (int fixed = 1; fixed >= 0; fixed--) {
    for (uint32_t i = 0; i < u->n; i++) {
      uint32_t id = f->order[i];
      const weft_unit *x = &u->v[id];
      if ((x->fixed >= 0) != (fixed == 1))
        continue;
      uint64_t top = weft__heights_get(h, x->lo, x->hi).v;
      f->offset[id] = fixed ? (uint64_t)x->fixed : align_up(u, top);
      uint64_t end = f->offset[id] + x->bytes;
      // a fixed unit may lie below another one: the range must not sink
      weft__heights_raise(h, x->lo, x->hi, (weft_height){WEFT_MAX(end, top), id});
      height = WEFT_MAX(height, end);
    }
  }
  f->work += u->n;
  return height;
}

// ---- in a given order ----

// Calls of both passes see the same pairs in the same order: counted first, written then.
static uint32_t pairs_of(weft_fit *f, uint32_t i, uint32_t n_live, bool write, uint32_t *fill) {
  const weft_units *u = f->u;
  const weft_unit *x = &u->v[i];
  uint32_t kept = 0;
  uint32_t *live = f->order;
  for (uint32_t j = 0; j < n_live; j++) {
    uint32_t other = live[j];
    if (u->v[other].hi < x->lo)
      continue;
    live[kept++] = other;
    if (u->n_streams > 1 && !weft__units_together(u, x, &u->v[other]))
      continue;
    if (write) {
      f->neighbours[fill[i]++] = other;
      f->neighbours[fill[other]++] = i;
    } else {
      f->row[i + 1]++;
      f->row[other + 1]++;
    }
  }
  live[kept] = i;
  return kept + 1;
}

// Uses `order` as scratch.
bool weft__fit_neighbours(weft_fit *f) {
  const weft_units *u = f->u;
  uint32_t *row = WEFT_NEW_N(u->arena, uint32_t, (size_t)u->n + 1);
  uint32_t *fill = WEFT_NEW_N(u->arena, uint32_t, u->n);
  if (!row || !fill)
    return false;
  f->row = row;
  for (uint32_t i = 0, n_live = 0; i < u->n; i++)
    n_live = pairs_of(f, i, n_live, false, NULL);
  for (uint32_t i = 0; i < u->n; i++) {
    row[i + 1] += row[i];
    fill[i] = row[i];
  }
  f->neighbours = WEFT_NEW_N(u->arena, uint32_t, row[u->n]);
  if (!f->neighbours)
    return false;
  for (uint32_t i = 0, n_live = 0; i < u->n; i++)
    n_live = pairs_of(f, i, n_live, true, fill);
  return true;
}

static uint64_t place_among(weft_fit *f, uint32_t unit, const uint32_t *rank, int how) {
  const weft_units *u = f->u;
  uint32_t n = 0;
  for (uint32_t k = f->row[unit]; k < f->row[unit + 1]; k++) {
    uint32_t other = f->neighbours[k];
    if (rank[other] < rank[unit])
      f->items[n++] = (weft_sort_item){f->offset[other], other};
  }
  f->work += f->row[unit + 1] - f->row[unit] + 2 * (uint64_t)n + 4;
  weft__plan_sort(f->items, f->spare, n);
  choice c = {.bytes = u->v[unit].bytes, .how = how};
  uint64_t cursor = 0;
  for (uint32_t k = 0; k < n; k++) {
    const weft_unit *y = &u->v[f->items[k].id];
    if (f->items[k].key > cursor) {
      consider(u, &c, cursor, f->items[k].key, 0, 0);
      if (c.found && (how & WEFT_FIT_FIRST))
        break;
    }
    cursor = WEFT_MAX(cursor, f->items[k].key + y->bytes);
  }
  return c.found ? c.offset : align_up(u, cursor);
}

// Places order[from..]; what comes earlier stays. Fixed units come first in every order.
uint64_t weft__fit_order(weft_fit *f, const uint32_t *order, const uint32_t *rank, uint32_t from, int how) {
  const weft_units *u = f->u;
  uint64_t height = 0;
  for (uint32_t i = 0; i < u->n; i++) {
    uint32_t id = order[i];
    if (u->v[id].fixed >= 0)
      f->offset[id] = (uint64_t)u->v[id].fixed;
    else if (i >= from)
      f->offset[id] = place_among(f, id, rank, how);
    height = WEFT_MAX(height, f->offset[id] + u->v[id].bytes);
  }
  return height;
}
// SPDX-License-Identifier: Apache-2.0
