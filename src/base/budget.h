// budget.h - what a graph or an exec may use, for the time of one call: an allocator that counts what it
// holds and refuses what would pass the limit, a deadline, and the caller's flag. This is the only place that
// knows limits: whoever allocates takes the budget's allocator, which gives nothing more after the deadline;
// whoever works for long without asking for memory asks weft__budget_poll.
//
// Calls nest (compiling infers): an inner one can only tighten what is left. Memory that was refused comes
// out as E_NOMEM where it was asked for; weft__budget_end, at the call that set the limit, says that it was a
// limit. Threads: allocating and polling are safe on several; begin and end belong to the thread of the call.
#pragma once
#include <stdatomic.h>

#include "base/base.h"
#include "weft/limits.h"

typedef struct weft__allowance {  // of the call that goes on; all zero: none
  uint64_t limit_bytes;
  uint64_t deadline_ns;
  uint64_t time_limit_ns;
  const volatile int *cancel;
} weft__allowance;

typedef struct weft__budget {
  weft_allocator self;   // counts; its ctx is this
  weft_allocator below;  // who gives the memory
  _Atomic uint64_t live_bytes;
  _Atomic uint64_t refused_bytes;  // of a request that was refused; 0: none was
  _Atomic uint64_t refused_live;   // live_bytes then: what gives up frees most of it before anybody asks
  weft__allowance now;
  uint32_t depth;  // of calls
} weft__budget;

void weft__budget_init(weft__budget *b, const weft_allocator *below);
// A call begins: `own`, NULL allowed, tightens what a call around it allows, or `usual`, NULL allowed, where
// there is none. The answer goes to weft__budget_end.
weft__allowance weft__budget_begin(weft__budget *b, const weft_limits *own, const weft_limits *usual);
// It ends with status s: E_NOMEM becomes E_LIMIT, with numbers, where memory was refused.
weft_status weft__budget_end(weft__budget *b, const weft__allowance *before, weft_status s, weft_diag *d);

// The same in between, for who gives up what the budget belongs to.
weft_status weft__budget_explain(const weft__budget *b, weft_status s, weft_diag *d);

// Remembers for messages that so many bytes were refused.
void weft__budget_refuse(weft__budget *b, uint64_t bytes);
// Was memory refused since the outermost call began?
bool weft__budget_is_short(const weft__budget *b);

// What memory is in use for, so that a message can name the largest.
enum { WEFT__HOLDERS_TOLD = 3 };
typedef struct weft__holders {
  const char *name[WEFT__HOLDERS_TOLD];  // borrowed; the largest first
  uint64_t bytes[WEFT__HOLDERS_TOLD];
  uint64_t all_bytes;
  size_t n;
} weft__holders;
// name NULL: memory that a plan has given to many tensors
void weft__holders_add(weft__holders *h, const char *name, uint64_t bytes);
// A line behind the failure: "in use in graph 'g': 'a' (40 bytes), 'b' (20 bytes)". Nothing: no line.
void weft__holders_note(const weft__holders *h, const char *graph, weft_diag *d);

// Counts memory that comes from elsewhere; false: it would pass the limit.
bool weft__budget_charge(weft__budget *b, uint64_t bytes);
void weft__budget_release(weft__budget *b, uint64_t bytes);
static inline uint64_t weft__budget_live(const weft__budget *b) {
  return atomic_load_explicit(&b->live_bytes, memory_order_relaxed);
}
// "600 are in use and ", for messages; "" where nothing is.
typedef struct weft__in_use {
  char text[48];
} weft__in_use;
weft__in_use weft__in_use_of(uint64_t bytes);
// Of a budget that memory is left in: so much. UINT64_MAX: there is no limit.
static inline uint64_t weft__budget_left(const weft__budget *b) {
  uint64_t live = weft__budget_live(b);
  return !b->now.limit_bytes ? UINT64_MAX : live < b->now.limit_bytes ? b->now.limit_bytes - live : 0;
}

// Does somebody want to stop the call? A load and a comparison where there are neither deadline nor flag.
static inline bool weft__budget_timed(const weft__budget *b) {
  return b->now.deadline_ns || b->now.cancel;
}
bool weft__budget_is_over(const weft__budget *b);
// E_CANCELLED or E_LIMIT and a message without a place, which the caller adds.
weft_status weft__budget_over(const weft__budget *b, weft_diag *d);
static inline weft_status weft__budget_poll(const weft__budget *b, weft_diag *d) {
  return weft__budget_timed(b) && weft__budget_is_over(b) ? weft__budget_over(b, d) : WEFT_OK;
}

// memset to zero, piece by piece: E_LIMIT, E_CANCELLED. `b` NULL: nobody stops it.
weft_status weft__budget_zero(const weft__budget *b, void *to, size_t bytes, weft_diag *d);

// memcpy, in the same way; the two do not overlap.
weft_status weft__budget_copy(const weft__budget *b, void *to, const void *from, size_t bytes, weft_diag *d);

// For loops over what a file holds: counts its calls in `steps`, and every 2^12th looks at the clock. `b`
// NULL: nobody stops it.
static inline weft_status weft__budget_step(const weft__budget *b, uint32_t *steps, weft_diag *d) {
  return ++*steps & 0xFFF || !b ? WEFT_OK : weft__budget_poll(b, d);
}

// A copy of limits of any version, with what it does not know zero. NULL: none.
weft_limits weft__limits_copy(const weft_limits *from);
bool weft__alloc_is_default(const weft_allocator *a);  // malloc, be it counted by a budget or not
// The budget whose allocator this is; NULL: none's.
const weft__budget *weft__budget_of(const weft_allocator *a);
// What is below, when `a` is a budget's allocator; itself otherwise.
const weft_allocator *weft__budget_below(const weft_allocator *a);
// SPDX-License-Identifier: Apache-2.0
