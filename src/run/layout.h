// layout.h - a segment while its values get their places: shared by layout.c and streams.c. Layer: run.
#pragma once
#include "run/run.h"

typedef struct layout {
  weft_exec *x;
  const weft__fn *f;
  weft__seg *s;
  uint32_t *until, *since;  // by value: nodes between which its memory is needed
  weft_arena *mem;          // scratch
  weft_span *span;
  uint32_t n_spans;
  uint32_t n_more;  // spans behind them, inside one of them: further launches that write it first (streams)
  uint32_t *uses;   // streams: by span, weft_plan_input.uses
  weft__place **place;  // by value, of what nodes made so far
  uint32_t *span_of;    // by span: the value, or UNREAD for workspaces and what lives from before
  uint32_t *value_of;   // by span: the same, also of what lives from before
  uint8_t *space_of;    // by span: of which device's memory
  weft_access *access;  // streams: what launches touch, by root value and place in its memory
  uint32_t n_accesses;
  uint32_t peak_step[WEFT__DEVICES];  // of devices; [0] unused
} layout;

static inline weft__place *weft__layout_place(const layout *y, uint32_t v) {
  return y->place[v];
}
static inline bool weft__layout_made(const layout *y, uint32_t v) {  // by a node, not an input or a constant
  return v >= y->f->n_in + y->f->n_const;
}
static inline uint32_t weft__layout_root(const layout *y, uint32_t v) {
  uint64_t at = 0;
  uint32_t r = v;
  for (; weft__layout_made(y, r) && y->place[r]->root != r; r = y->place[r]->root)
    at += y->place[r]->at;
  while (v != r) {  // the next time it is one step: chains of what is overwritten are long
    weft__place *p = y->place[v];
    uint32_t next = p->root;
    uint64_t own = p->at;
    p->root = r;
    p->at = at;
    v = next;
    at -= own;
  }
  return r;
}
// The distance from the start of the root's memory.
static inline uint64_t weft__layout_at(const layout *y, uint32_t v) {
  uint64_t at = 0;
  for (; weft__layout_made(y, v) && y->place[v]->root != v; v = y->place[v]->root)
    at += y->place[v]->at;
  return at;
}

// ---- in_place.c ----
// Decides which states are changed where they lie; places and streams are chosen.
weft_status weft__layout_in_place(layout *y);

// ---- streams.c ----
// Decides which stream each launch runs on when several may be used or devices are; s->streams stays NULL
// otherwise. Places are chosen, offsets not.
weft_status weft__layout_streams(layout *y);
uint32_t weft__layout_more_spans(const layout *y);  // how many n_more may be
// Spans as the planner wants them for several streams: by launches.
weft_status weft__layout_stream_spans(layout *y);
// Plans the memory of each device.
weft_plan_input weft__layout_input(const layout *y);
weft_status weft__layout_plan(layout *y);
// With the final places: every two launches that touch the same memory are ordered.
weft_status weft__layout_races(const layout *y);

// ---- peak.c ----
// Keeps with the segment what is live where its plan needs most.
weft_status weft__layout_peak(const layout *y);
// SPDX-License-Identifier: Apache-2.0
