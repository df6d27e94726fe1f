// threads.c - SIMT functions: the threads of a block, one after another. A fibre carries threads until one of
// them waits; then the next fibre goes on with those that have not begun. So threads that never wait cost a
// call each, and those that do cost a stack.
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "run.h"
#include "weft_cann/asc_units.h"

enum { THREADS_MOST = 2048, THREADS_STACK_BYTES = 128 << 10, THREADS_WARP = 32 };

typedef enum thread_state {
  THREAD_NOT_BEGUN,
  THREAD_READY,
  THREAD_AT_BARRIER,
  THREAD_AT_WARP,
  THREAD_ENDED
} thread_state;

// The threads of one call. `fibres[i]` carries, or carried last, thread `carried[i]`.
struct asc_threads {
  void (*body)(void *arg);
  void *arg;
  uint32_t count[3], n;
  uint32_t next;  // that has not begun
  weft_asc_thread now;
  uint32_t current;  // its number
  uint32_t running;  // the fibre that runs
  asc_fibre *fibres[THREADS_MOST];
  uint32_t carried[THREADS_MOST];
  uint32_t n_fibres;  // made so far, kept for the next call
  uint32_t used;
  uint8_t state[THREADS_MOST];
  uint64_t given[THREADS_MOST];
};

static const weft_asc_thread threads_only = {{0, 0, 0}, {1, 1, 1}};

static asc_threads *threads_here(void) {
  const asc_block *b = asc_block_current();
  return b && b->threads && b->threads->body ? b->threads : NULL;
}

const weft_asc_thread *weft_asc_thread_current(void) {
  const asc_threads *t = threads_here();
  return t ? &t->now : &threads_only;
}

static void threads_enter(asc_threads *t, uint32_t thread) {
  t->current = thread;
  t->now.at[0] = thread % t->count[0];
  t->now.at[1] = thread / t->count[0] % t->count[1];
  t->now.at[2] = thread / t->count[0] / t->count[1];
  t->state[thread] = THREAD_READY;
}

// A fibre's work: threads that have not begun, until none is left.
static void threads_fibre(void *arg) {
  asc_threads *t = arg;
  const uint32_t fibre = t->running;
  while (t->next < t->n) {
    const uint32_t thread = t->next++;
    threads_enter(t, thread);
    t->carried[fibre] = thread;
    t->body(t->arg);
    t->state[thread] = THREAD_ENDED;
  }
}

static bool threads_begin_fibre(asc_threads *t) {
  const uint32_t i = t->used++;
  if (i == t->n_fibres) {
    t->fibres[i] = asc_fibre_make(THREADS_STACK_BYTES);
    if (!t->fibres[i])
      return false;
    t->n_fibres++;
  }
  asc_fibre_start(t->fibres[i], threads_fibre, t);
  t->running = i;
  asc_fibre_enter(t->fibres[i]);
  return true;
}

// Threads [first, last) all ended or wait for the same: they go on.
static bool threads_open(asc_threads *t, uint32_t first, uint32_t last, thread_state wanted) {
  bool any = false;
  for (uint32_t i = first; i < last; i++) {
    if (t->state[i] != (uint8_t)wanted && t->state[i] != THREAD_ENDED)
      return false;
    any = any || t->state[i] == (uint8_t)wanted;
  }
  for (uint32_t i = first; i < last; i++) {
    if (t->state[i] == (uint8_t)wanted)
      t->state[i] = THREAD_READY;
  }
  return any;
}

static bool threads_open_any(asc_threads *t) {
  bool any = threads_open(t, 0, t->n, THREAD_AT_BARRIER);
  for (uint32_t i = 0; i < t->n; i += THREADS_WARP)
    any |= threads_open(t, i, WEFT_MIN(i + THREADS_WARP, t->n), THREAD_AT_WARP);
  return any;
}

static void threads_go_on(asc_threads *t) {
  for (uint32_t i = 0; i < t->used; i++) {
    const uint32_t thread = t->carried[i];
    if (t->state[thread] != THREAD_READY)
      continue;
    t->running = i;
    threads_enter(t, thread);
    asc_fibre_enter(t->fibres[i]);
  }
}

static uint32_t threads_waiting(const asc_threads *t) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < t->n; i++)
    n += t->state[i] != THREAD_ENDED;
  return n;
}

static void threads_all(asc_threads *t, weft_asc_at at) {
  while (t->next < t->n) {
    if (!threads_begin_fibre(t))
      weft_asc_fail(at, "no memory for the stacks of %u threads that wait for one another", t->n);
  }
  for (uint32_t left = threads_waiting(t); left; left = threads_waiting(t)) {
    if (!threads_open_any(t))
      weft_asc_fail(at, "%u of %u threads wait at different barriers: no thread can go on", left, t->n);
    threads_go_on(t);
  }
}

void weft_asc_threads_run(void (*body)(void *arg), void *arg, const uint32_t count[3], weft_asc_at at) {
  asc_block *b = asc_block_current();
  const uint64_t n = (uint64_t)count[0] * count[1] * count[2];
  if (!b || !n || n > THREADS_MOST || threads_here()) {
    weft_asc_fail(
        at,
        "a function was called with %u x %u x %u threads; 1 to %d are possible, in a launch, and not "
        "from within one of them",
        count[0], count[1], count[2], (int)THREADS_MOST);
    return;
  }
  if (!b->threads)
    b->threads = calloc(1, sizeof *b->threads);
  asc_threads *t = b->threads;
  if (!t)
    weft_asc_fail(at, "no memory for %u threads", (uint32_t)n);
  weft_asc_pointers();
  t->body = body;
  t->arg = arg;
  t->n = (uint32_t)n;
  t->next = t->used = 0;
  memcpy(t->count, count, sizeof t->count);
  memcpy(t->now.count, count, sizeof t->now.count);
  memset(t->state, THREAD_NOT_BEGUN, t->n);
  threads_all(t, at);
  t->body = NULL;
}

void weft_asc_threads_wait(bool warp, weft_asc_at at) {
  (void)at;
  asc_threads *t = threads_here();
  if (!t)
    return;
  t->state[t->current] = warp ? THREAD_AT_WARP : THREAD_AT_BARRIER;
  asc_fibre_leave(t->fibres[t->running]);
}

uint64_t weft_asc_threads_exchange(uint64_t value, uint32_t lane, weft_asc_at at) {
  asc_threads *t = threads_here();
  if (!t)
    return value;
  const uint32_t self = t->current;
  const uint32_t other = self / THREADS_WARP * THREADS_WARP + lane % THREADS_WARP;
  t->given[self] = value;
  weft_asc_threads_wait(true, at);
  const bool there = other < t->n && t->state[other] != THREAD_ENDED;
  const uint64_t got = there ? t->given[other] : value;
  weft_asc_threads_wait(true, at);
  return got;
}

void asc_threads_free(asc_threads *t) {
  if (!t)
    return;
  for (uint32_t i = 0; i < t->n_fibres; i++)
    asc_fibre_free(t->fibres[i]);
  free(t);
}
// SPDX-License-Identifier: Apache-2.0
