// plan.h - the memory plan: where in one arena each span of memory lies. Pure: knows no graph, tensor or
// device, changes nothing, gives the same offsets for the same spans. Layer: plan (on base).
//
// A span is memory that is written first at one step and used last at others. With several streams a step
// belongs to one stream, and `clock` tells what has surely finished before a step begins: clock[step *
// n_streams + k] steps of stream k (the steps of a stream are counted from 1 in their order). Two spans may
// share memory when everything that uses the one has finished before the other is first written. One stream:
// clock NULL, and a step is its own position.
#pragma once
#include "base/base.h"

#define WEFT_NO_SPAN UINT32_MAX
typedef struct weft_span {
  // 0: takes no memory, offset 0.
  uint64_t bytes;
  // The step that writes it first, counted from 0, and the step that uses it last, not before `first`.
  // Several streams: `last` is ignored, see `uses`.
  uint32_t first, last;
  // It lies inside this other span (a view, a part of a Concat). WEFT_NO_SPAN: it has memory of its own.
  uint32_t into;
  // Where in the other span, in bytes; into_offset + bytes are at most the bytes of that span.
  uint64_t into_offset;
  // From 0: the offset is given (live from before). -1: the planner chooses.
  int64_t fixed;
  // For reports; NULL allowed.
  const char *name;
  // Result: from the start of the arena, a multiple of the alignment unless fixed or inside another.
  uint64_t offset;
} weft_span;

typedef struct weft_plan_input {
  weft_span *span;  // results are written into them
  uint32_t n_spans;
  uint32_t n_steps;
  uint32_t n_streams;     // 0 or 1: one timeline
  const uint32_t *clock;  // n_steps * n_streams; NULL: one timeline
  const uint32_t *uses;   // n_spans * n_streams: position (from 1) of the last use on each stream; 0: none
  uint32_t align;         // power of two; 0: 64
} weft_plan_input;

typedef struct weft_plan_result {
  uint64_t peak_bytes;   // size of the arena
  uint64_t sum_bytes;    // without any reuse (spans inside others not counted)
  uint64_t bound_bytes;  // lower bound: the largest set of bytes live at one step
  uint32_t peak_step;    // where that set is live
  uint64_t work;         // spans looked at
} weft_plan_result;

// E_INVALID names the span whose fields lie (first > last, a part outside its whole, a cycle of `into`, two
// fixed spans that are live together and overlap); E_OVERFLOW; E_NOMEM. Spans inside others follow: their
// whole is live as long as any of them. Takes O(n log n) for chains and about O(n * live) in general; 10^5
// spans are planned in well under a second.
weft_status weft__plan_memory(const weft_plan_input *in, const weft_allocator *a, weft_plan_result *out,
                              weft_diag *d);
// Proves a plan: no two spans that may be live together overlap, all are aligned and end before peak_bytes.
// E_STATE names both spans. For tests and for programs that come from files.
weft_status weft__plan_check(const weft_plan_input *in, const weft_plan_result *r, const weft_allocator *a,
                             weft_diag *d);
// The spans live at a step, largest first: who is to blame for the peak. Returns how many there are; fills up
// to cap.
uint32_t weft__plan_live_at(const weft_plan_input *in, uint32_t step, uint32_t *out_spans, uint32_t cap);
// SPDX-License-Identifier: Apache-2.0
