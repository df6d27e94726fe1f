// pool.h - threads that work on blocks together: one pool per environment, or the caller's own. Layer: base.
//
// A run of blocks is cut into block numbers 0..blocks-1. Each thread begins with a range of them, in order,
// and goes on with what others have left; which thread takes which block is not defined and must not matter.
// The caller's thread works too. Idle workers sleep (they spin for a few microseconds first, and up to a
// millisecond while a run is on, so that launches that follow each other do not pay for a wake-up). Several
// threads may launch at once: each gets its blocks done; a launch from inside a block runs there and then on
// the same thread.
#pragma once
#include "base/base.h"

// After a fork the child may use and destroy the pool: its threads start there anew. A run or a task that
// went on during the fork goes on in the parent only.
typedef struct weft_pool weft_pool;
typedef void (*weft_pool_fn)(void *ctx, uint32_t block);
// threads: workers and the caller together; 0: as many as the affinity mask and the cgroup's cpu limit (v1
// and v2) allow, 1: no threads are made. Threads start at the first launch that needs them.
weft_status weft__pool_create(const weft_allocator *a, uint32_t threads, weft_pool **out, weft_diag *d);
void weft__pool_destroy(weft_pool *p);  // waits for its threads; NULL allowed
uint32_t weft__pool_threads(const weft_pool *p);
// Runs fn(ctx, 0..blocks-1), returns when all are done. Allocates nothing. pool NULL or blocks 1: on this
// thread.
void weft__pool_run(weft_pool *p, weft_pool_fn fn, void *ctx, uint32_t blocks);
// A run of many launches begins and ends; pool NULL allowed.
void weft__pool_begin(weft_pool *p);
void weft__pool_end(weft_pool *p);
// How many CPUs this process may use: affinity and cgroup quota, rounded up, at least 1.
uint32_t weft__cpu_count(void);

// ---- tasks that run beside the caller: streams ----
// Starts fn(ctx) on a worker of the pool (a thread is added when all are taken), returns at once. E_NOMEM.
typedef struct weft_task {  // the caller's memory, until it is waited for
  void (*fn)(void *ctx);
  void *ctx;
  struct weft_task *next;
  int state;  // inside
} weft_task;
weft_status weft__pool_start(weft_pool *p, weft_task *t, weft_diag *d);
void weft__pool_wait(weft_pool *p, weft_task *t);

// An event: a counter that one thread raises and others wait for. Spins shortly, then sleeps.
// Zero-initialised.
typedef struct weft_event {
  uint32_t value;
} weft_event;
void weft__event_set(weft_event *e, uint32_t value);  // release; wakes all who wait
void weft__event_wait(
    weft_event *e,
    uint32_t value);  // until the counter is >= value (wraps: differences are compared); acquire
// SPDX-License-Identifier: Apache-2.0
