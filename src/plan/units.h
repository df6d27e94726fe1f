// units.h - a checked plan input as units on compressed positions: what the strategies of the planner share.
// Layer: plan.
//
// A unit is a span with memory of its own together with everything that lies inside it. It is live from
// position `lo` to `hi`; positions are the steps at which something is first written, in an order of time.
// Units are sorted by lo. One stream: two units are live together if and only if their positions overlap.
// Several streams: positions are steps in the order of the sums of their clocks, overlap is necessary, and
// weft__units_together decides by the clocks.
#pragma once
#include "plan/plan.h"

typedef struct weft_unit {
  uint64_t bytes;
  int64_t fixed;          // >= 0: placed by the caller; -1: ours to place
  uint32_t lo, hi;        // positions, both inclusive
  uint32_t span;          // the span that owns the memory
  uint32_t key;           // from weft_units.start and end: row of its clocks
  uint32_t enter, leave;  // where a sweep in either direction must see it: lo, hi; wider for fixed ones
} weft_unit;

typedef struct weft_units {
  const weft_plan_input *in;
  weft_arena *arena;  // scratch; the caller's
  weft_unit *v;
  uint32_t n, n_pos, n_fixed;
  uint32_t *of_span;      // span -> unit; WEFT_NO_SPAN: takes no memory
  uint64_t *in_unit;      // span -> offset inside its unit
  uint32_t *step;         // position -> step
  uint32_t n_streams;     // 1: one timeline
  uint32_t *start, *end;  // n_streams > 1: rows of clocks: what is done before it starts; its last uses
  uint64_t align;
  uint64_t sum_bytes, bound_bytes;
  uint64_t target;  // bound with rounded sizes, at least the end of each fixed unit: a plan that reaches it
                    // is kept at once
  uint64_t pairs;   // sum over units of how many are live when they start: the cost of looking at all of them
  uint32_t peak_step;
} weft_units;

// Everything is checked here. E_INVALID, E_OVERFLOW, E_NOMEM.
weft_status weft__units_make(const weft_plan_input *in, weft_arena *arena, weft_units *out, weft_diag *d);
bool weft__units_together_by_clock(const weft_units *u, const weft_unit *a, const weft_unit *b);
static inline bool weft__units_together(const weft_units *u, const weft_unit *a, const weft_unit *b) {
  if (a->lo > b->hi || b->lo > a->hi)
    return false;
  return u->n_streams == 1 || weft__units_together_by_clock(u, a, b);
}
// "span 3 'relu'"
const char *weft__span_text(const weft_plan_input *in, uint32_t span, char buf[96]);

// ---- sorting: stable, ascending, allocates nothing ----
typedef struct weft_sort_item {
  uint64_t key;
  uint32_t id;
} weft_sort_item;
void weft__plan_sort(weft_sort_item *v, weft_sort_item *scratch, size_t n);

// ---- heights over positions: a tree of maxima that remembers who made them ----
typedef struct weft_height {
  uint64_t v;
  uint32_t unit;
} weft_height;
typedef struct weft_heights {
  weft_height *max, *whole;  // of a node with all below it; laid on the whole node
  uint32_t leaves;
} weft_heights;
bool weft__heights_init(weft_heights *h, weft_arena *arena, uint32_t n_pos);
weft_height weft__heights_get(const weft_heights *h, uint32_t lo,
                              uint32_t hi);  // nothing yet: v 0, WEFT_NO_SPAN
void weft__heights_raise(weft_heights *h, uint32_t lo, uint32_t hi, weft_height to);
// The first two units (in the order of offsets) that are live together and overlap; only fixed units are
// looked at when `offset` is NULL. E_NOMEM; *out_a is WEFT_NO_SPAN when there are none.
weft_status weft__units_overlap(const weft_units *u, const uint64_t *offset, uint32_t *out_a, uint32_t *out_b,
                                weft_diag *d);

// ---- strategies: each fills offset[unit] and returns the end of the highest unit ----
enum { WEFT_FIT_LOW = 1, WEFT_FIT_FIRST = 2, WEFT_FIT_BACK = 4 };
typedef struct weft_fit {
  const weft_units *u;
  uint64_t *offset;               // of the units, the strategy's result
  weft_sort_item *items, *spare;  // n each
  struct weft_live *live;         // n
  uint32_t *order;                // n
  uint32_t *neighbours;           // of unit i: neighbours[row[i] .. row[i + 1] - 1]; NULL until made
  uint32_t *row;
  uint64_t work;  // units looked at, so far
} weft_fit;
typedef struct weft_live {  // memory in use, sorted by offset
  uint64_t offset;
  uint64_t end;
  uint32_t unit;
  uint32_t leave;
} weft_live;
uint64_t weft__fit_sweep(weft_fit *f, int how);  // in the order of time; O(n * live)
uint64_t weft__fit_heights(weft_fit *f,
                           weft_heights *h);  // in `order`, each on top of what is there; O(n log n)
bool weft__fit_neighbours(weft_fit *f);       // false: no memory
uint64_t weft__fit_order(weft_fit *f, const uint32_t *order, const uint32_t *rank, uint32_t from, int how);
// Looks for lower plans, from the one in `best`, which it changes; the target first. Needs the neighbours. At
// most `try_work` for each height, `work` for all. Returns the height.
uint64_t weft__fit_improve(weft_fit *f, uint64_t *best, uint64_t height, uint64_t try_work, uint64_t work,
                           bool *out_nomem);
// SPDX-License-Identifier: Apache-2.0
