// streams.h - launches over streams: what must wait for what, which stream each launch runs on, which waits
// are needed, and the proof that nothing races. Pure: knows launches as numbers with costs and the memory
// they touch. Layer: plan (on base).
//
// Steps are numbered in an order in which they may run one after the other (every wait is for an earlier
// step), and each stream runs its steps in that order. A lane is what can run steps: lane 0 the host with its
// streams, the others devices with theirs. Steps of a device are handed to it by stream 0, the first of the
// host, so that they begin after what that stream did before.
#pragma once
#include "base/base.h"

// Memory that a step touches: bytes [begin, end) of one space. With a pitch: rows of `row` bytes, one every
// `pitch` bytes, of which the first begins at `begin`.
typedef struct weft_access {
  uint32_t step, space;
  uint64_t begin, end;
  uint64_t row, pitch;  // 0: one piece
  bool write;
} weft_access;

typedef struct weft_stream_input {
  uint32_t n_steps, n_lanes;
  const uint64_t *cost_ns;  // n_steps
  const uint8_t *lane;      // n_steps; NULL: all on lane 0
  const uint8_t *barrier;   // n_steps: runs on stream 0, after all before it and before all after it; NULL
  const uint32_t *lane_streams;  // n_lanes, each at least 1
  const weft_access *access;     // by step, rising
  uint32_t n_accesses;
  uint64_t sync_ns;  // of a wait between streams
} weft_stream_input;

typedef struct weft_wait {  // until `count` steps of `stream` have finished
  uint32_t stream;
  uint32_t count;
} weft_wait;

typedef struct weft_stream_plan {  // in the arena
  uint32_t n_streams;              // lane 0 first
  uint32_t *stream;                // n_steps
  uint32_t *position;              // n_steps: in its stream, from 1
  // n_streams
  uint32_t *lane_of;
  uint32_t *length;
  uint32_t *clock;       // n_steps * n_streams: plan.h
  uint32_t *first_wait;  // n_steps + 1, into `wait`
  weft_wait *wait;
  uint32_t n_waits;    // none of them follows from the others
  uint8_t *signal;     // n_steps: something waits for it
  uint64_t finish_ns;  // as estimated
} weft_stream_plan;

// Which stream each step runs on: in order, each where it can begin first; ties go to the stream of what it
// waits for longest. Deterministic; O(steps * streams + accesses). E_INVALID, E_OVERFLOW, E_NOMEM.
weft_status weft__plan_streams(const weft_stream_input *in, weft_arena *arena, weft_stream_plan *out,
                               weft_diag *d);
// Proves that every two steps that touch the same memory, one of them writing, are ordered by streams and
// waits. The accesses are those of the final places. E_STATE names both steps. O(n log n + pairs).
weft_status weft__plan_races(const weft_access *access, uint32_t n, const weft_stream_plan *p,
                             weft_arena *arena, weft_diag *d);
bool weft__accesses_overlap(const weft_access *a, const weft_access *b);
// SPDX-License-Identifier: Apache-2.0
