// heights.c - the highest end laid over a range of positions, and the proof that no two units overlap.
//
// A tree of maxima over positions: raising a range to a value that nothing in it exceeds, and the maximum of
// a range, in O(log n). Two units that are live together on one timeline are rectangles (positions x bytes):
// taken in the order of their offsets, none may begin below the highest end over its positions. O(n log n).
// Several streams: what the tree blames may still be apart by the clocks; then each pair of units with common
// positions is looked at, O(n * live).
#include "plan/units.h"

static weft_height higher(weft_height a, weft_height b) {
  return a.v >= b.v ? a : b;
}

bool weft__heights_init(weft_heights *h, weft_arena *arena, uint32_t n_pos) {
  h->leaves = 1;
  while (h->leaves < n_pos) {
    if (h->leaves > UINT32_MAX / 4)
      return false;
    h->leaves *= 2;
  }
  h->max = WEFT_NEW_N(arena, weft_height, 2 * (size_t)h->leaves);
  h->whole = WEFT_NEW_N(arena, weft_height, 2 * (size_t)h->leaves);
  if (!h->max || !h->whole)
    return false;
  for (uint32_t i = 0; i < 2 * h->leaves; i++)
    h->max[i].unit = h->whole[i].unit = WEFT_NO_SPAN;
  return true;
}

weft_height weft__heights_get(const weft_heights *h, uint32_t lo, uint32_t hi) {
  weft_height best = {0, WEFT_NO_SPAN};
  uint32_t a = lo + h->leaves;
  uint32_t b = hi + h->leaves + 1;
  for (; a < b; a /= 2, b /= 2) {
    if (a & 1)
      best = higher(best, h->max[a++]);
    if (b & 1)
      best = higher(best, h->max[--b]);
  }
  for (a = lo + h->leaves; a; a /= 2)
    best = higher(best, h->whole[a]);
  for (b = hi + h->leaves; b; b /= 2)
    best = higher(best, h->whole[b]);
  return best;
}

static void raise_node(weft_heights *h, uint32_t node, weft_height to) {
  h->whole[node] = higher(to, h->whole[node]);
  h->max[node] = higher(to, h->max[node]);
}

static void heights_gather(weft_heights *h, uint32_t leaf) {
  for (uint32_t p = leaf / 2; p; p /= 2) {
    h->max[p] = higher(h->whole[p], higher(h->max[2 * p], h->max[2 * p + 1]));
  }
}

void weft__heights_raise(weft_heights *h, uint32_t lo, uint32_t hi, weft_height to) {
  uint32_t a = lo + h->leaves;
  uint32_t b = hi + h->leaves + 1;
  for (; a < b; a /= 2, b /= 2) {
    if (a & 1)
      raise_node(h, a++, to);
    if (b & 1)
      raise_node(h, --b, to);
  }
  heights_gather(h, lo + h->leaves);
  heights_gather(h, hi + h->leaves);
}

// ---- overlap ----

static weft_status overlap_by_pairs(const weft_units *u, const uint64_t *at, uint32_t *out_a, uint32_t *out_b,
                                    weft_diag *d) {
  uint32_t *live = WEFT_NEW_N(u->arena, uint32_t, u->n);
  uint32_t n = 0;
  if (!live)
    return weft_fail(d, WEFT_E_NOMEM, "memory plan: no memory for %u spans", (unsigned)u->n);
  for (uint32_t i = 0; i < u->n; i++) {
    const weft_unit *x = &u->v[i];
    if (at[i] == UINT64_MAX)
      continue;
    uint32_t kept = 0;
    for (uint32_t j = 0; j < n; j++) {
      const weft_unit *y = &u->v[live[j]];
      if (y->hi < x->lo)
        continue;
      bool apart = at[i] + x->bytes <= at[live[j]] || at[live[j]] + y->bytes <= at[i];
      if (!apart && weft__units_together(u, x, y)) {
        *out_a = live[j];
        *out_b = i;
        return WEFT_OK;
      }
      live[kept++] = live[j];
    }
    live[kept++] = i;
    n = kept;
  }
  return WEFT_OK;
}

weft_status weft__units_overlap(const weft_units *u, const uint64_t *offset, uint32_t *out_a, uint32_t *out_b,
                                weft_diag *d) {
  *out_a = *out_b = WEFT_NO_SPAN;
  weft_heights h;
  weft_sort_item *items = WEFT_NEW_N(u->arena, weft_sort_item, 2 * (size_t)u->n);
  uint64_t *at = WEFT_NEW_N(u->arena, uint64_t, u->n);
  if (!items || !at || !weft__heights_init(&h, u->arena, u->n_pos)) {
    return weft_fail(d, WEFT_E_NOMEM, "memory plan: no memory for %u spans", (unsigned)u->n);
  }
  uint32_t n = 0;
  for (uint32_t i = 0; i < u->n; i++) {
    at[i] = offset ? offset[i] : u->v[i].fixed >= 0 ? (uint64_t)u->v[i].fixed : UINT64_MAX;
    if (at[i] != UINT64_MAX)
      items[n++] = (weft_sort_item){at[i], i};
  }
  weft__plan_sort(items, items + u->n, n);
  for (uint32_t i = 0; i < n; i++) {
    const weft_unit *x = &u->v[items[i].id];
    weft_height top = weft__heights_get(&h, x->lo, x->hi);
    if (top.v > items[i].key) {
      if (u->n_streams > 1)
        return overlap_by_pairs(u, at, out_a, out_b, d);
      *out_a = top.unit;
      *out_b = items[i].id;
      return WEFT_OK;
    }
    weft__heights_raise(&h, x->lo, x->hi, (weft_height){items[i].key + x->bytes, items[i].id});
  }
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
