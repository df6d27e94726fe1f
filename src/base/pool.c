// pool.c - worker threads, launches, tasks, events.
//
// A launch claims one of a few slots, opens it, and works on its blocks like everybody else; workers attach
// to open slots and leave when no block is left. `state` of a slot is one word: claimed, open, the launcher
// sleeps, and how many workers are attached. When the launcher finds no block left it closes the slot and
// waits for the attached ones. The blocks lie in ranges, one a thread: each begins with its own, in order, so
// that neighbours, which mostly read neighbouring memory, and the same blocks of launches that follow each
// other stay with one thread; then it takes what is left of the others'. A slot lives as long as the pool, so
// a worker that comes late reads stale words, never freed memory. With all slots taken a launch does its
// blocks alone. `seq` is raised whenever there is something new; idle workers watch it, then sleep on it.
//
// Tasks go to the pool's workers while one is free of tasks, then to threads added for them, which run tasks
// only. The lock guards the list of tasks and of added threads, never the blocks. A thread is told from
// others by the address of its errno, so that a launch from inside a block is seen without thread-local
// state. A single block is a plain call: a launch from inside it may use the pool.
//
// fork: a child has the memory of a pool and none of its threads. Each call that needs them compares the
// process with the one that the pool works in, and makes the pool new when it is another one: threads start
// again when they are needed, and nobody waits for those that stayed behind. One handler of pthread_atfork
// counts the forks; a list of all pools, which it could make new itself, would need a lock of the whole
// process.
#include "base/pool.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/pool_place.h"
#include "base/process.h"
#include "base/wait.h"

enum {
  SLOTS = 16,
  MOST_THREADS = 1024,
  LINE = 64,
  RANGES = 8,
  SPIN_NS = 10000,
  SPIN_WAIT_NS = 30000,
  SPIN_RUN_NS = 1000000
};
#define CLAIMED  (UINT32_C(1) << 31)
#define OPEN     (UINT32_C(1) << 30)
#define SLEEPING (UINT32_C(1) << 29)
#define ATTACHED (SLEEPING - 1)

typedef struct range {                   // of blocks; its end follows from its number
  _Alignas(LINE) _Atomic uint64_t next;  // 64 bits: everybody overshoots by one
} range;

typedef struct slot {
  _Alignas(LINE) uint32_t state;
  _Atomic uint32_t blocks;
  weft_pool_fn fn;  // written between claim and opening, read by the attached
  void *ctx;
  _Atomic uintptr_t owner;  // the launcher
  _Atomic uint32_t ranges;
  _Atomic bool dry;     // somebody found no block left
  range range[RANGES];  // the first `ranges` of them
} slot;

typedef struct worker {
  _Alignas(LINE) pthread_t thread;
  struct weft_pool *pool;
  uint32_t index;
  bool in_block;  // read and written by the worker only
} worker;

typedef struct extra {  // a thread for tasks
  pthread_t thread;
  struct weft_pool *pool;
  struct extra *next;
  struct extra *next_free;
  weft_task *task;
  uint32_t turn;  // bits HAS_TASK, HAS_TO_END
} extra;

struct weft_pool {
  _Alignas(LINE) uint32_t seq;
  _Atomic uint32_t sleepers;
  uint32_t runs;    // programs that run
  _Atomic int cpu;  // of the last launch
  _Alignas(LINE) slot slots[SLOTS];
  weft_allocator alloc;
  uint32_t threads;
  uint64_t spin_ns, spin_wait_ns;
  worker *workers;         // threads - 1
  _Atomic uintptr_t *ids;  // of the workers
  _Atomic bool started;
  _Atomic uint32_t n_workers;  // that run
  _Atomic bool stop;
  pthread_mutex_t lock;
  weft_task *first, *last;   // waiting for a worker
  _Atomic uint32_t n_tasks;  // in that list
  uint32_t n_taken;          // workers with a task, or with one waiting for them
  extra *extras, *free_extras;
  atomic_uint process;  // its threads are in this one; 0: it is being made new
};

static uintptr_t this_thread(void) {
  return (uintptr_t)&errno;
}

static uint32_t pool_load(uint32_t *word) {
  return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

// ---- tasks ----

enum { TASK_STARTED = 1, TASK_DONE = 2 };

static void run_task(weft_task *t) {
  t->fn(t->ctx);
}

// The last touch: afterwards the task may be gone.
static void end_task(weft_task *t) {
  uint32_t *state = (uint32_t *)&t->state;
  __atomic_store_n(state, TASK_DONE, __ATOMIC_RELEASE);
  weft__word_wake(state, UINT32_MAX);
}

static bool take_task(weft_pool *p) {
  if (!atomic_load_explicit(&p->n_tasks, memory_order_relaxed))
    return false;
  pthread_mutex_lock(&p->lock);
  weft_task *t = p->first;
  if (t) {
    p->first = t->next;
    atomic_fetch_sub(&p->n_tasks, 1);
  }
  pthread_mutex_unlock(&p->lock);
  if (!t)
    return false;
  run_task(t);
  pthread_mutex_lock(&p->lock);
  p->n_taken--;
  pthread_mutex_unlock(&p->lock);
  end_task(t);
  return true;
}

// ---- workers ----

static uint64_t range_begin(uint32_t blocks, uint32_t i, uint32_t ranges) {
  return (uint64_t)blocks * i / ranges;
}

// `who`: which of the pool's threads; the launcher is 0.
static void do_blocks(slot *s, uint32_t who) {
  const uint32_t blocks = atomic_load_explicit(&s->blocks, memory_order_relaxed);
  const uint32_t ranges = atomic_load_explicit(&s->ranges, memory_order_relaxed);
  for (uint32_t k = 0; k < ranges; k++) {
    const uint32_t i = (who + k) % ranges;
    const uint64_t end = range_begin(blocks, i + 1, ranges);
    _Atomic uint64_t *next = &s->range[i].next;
    while (atomic_load_explicit(next, memory_order_relaxed) < end) {
      const uint64_t b = atomic_fetch_add_explicit(next, 1, memory_order_relaxed);
      if (b < end)
        s->fn(s->ctx, (uint32_t)b);
    }
  }
  atomic_store_explicit(&s->dry, true, memory_order_relaxed);
}

static bool attach(slot *s) {
  uint32_t state = pool_load(&s->state);
  while ((state & OPEN) && !atomic_load_explicit(&s->dry, memory_order_relaxed)) {
    if (__atomic_compare_exchange_n(&s->state, &state, state + 1, true, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE))
      return true;
  }
  return false;
}

static bool help(weft_pool *p, worker *w) {
  for (uint32_t i = 0; i < SLOTS; i++) {
    slot *s = &p->slots[i];
    if (!attach(s))
      continue;
    w->in_block = true;
    do_blocks(s, w->index + 1);
    w->in_block = false;
    uint32_t state = __atomic_sub_fetch(&s->state, 1, __ATOMIC_ACQ_REL);
    if ((state & SLEEPING) && !(state & ATTACHED))
      weft__word_wake(&s->state, 1);
    return true;
  }
  return false;
}

// With more threads than CPUs they share them anyway.
static void step_aside(weft_pool *p) {
  if (!p->spin_ns)
    return;
  int cpu = weft__cpu_here();
  if (cpu == atomic_load_explicit(&p->cpu, memory_order_relaxed))
    weft__cpu_leave(cpu);
}

// Between two launches of a run a worker stays awake: to sleep and be woken takes longer than most launches.
static void idle(weft_pool *p, uint32_t seen) {
  if (weft__word_spin(&p->seq, seen, p->spin_ns))
    return;
  for (uint64_t spun = 0; p->spin_ns && spun < SPIN_RUN_NS && pool_load(&p->runs); spun += p->spin_ns) {
    step_aside(p);
    if (weft__word_spin(&p->seq, seen, p->spin_ns))
      return;
  }
  atomic_fetch_add(&p->sleepers, 1);  // before the kernel looks at seq: who raises seq then sees a sleeper
  if (__atomic_load_n(&p->seq, __ATOMIC_SEQ_CST) == seen)
    weft__word_wait(&p->seq, seen);
  atomic_fetch_sub(&p->sleepers, 1);
}

static void *pool_work(void *arg) {
  worker *w = arg;
  weft_pool *p = w->pool;
  atomic_store(&p->ids[w->index], this_thread());
  for (;;) {
    uint32_t seen = pool_load(&p->seq);
    step_aside(p);
    if (take_task(p) || help(p, w))
      continue;
    if (atomic_load(&p->stop))
      return NULL;
    idle(p, seen);
  }
}

static void announce(weft_pool *p, uint32_t helpers) {
  __atomic_add_fetch(&p->seq, 1, __ATOMIC_SEQ_CST);
  uint32_t sleepers = atomic_load(&p->sleepers);
  if (sleepers)
    weft__word_wake(&p->seq, WEFT_MIN(sleepers, helpers));
}

// Signals are for the threads of the program.
static int make_thread(pthread_t *out, void *(*run)(void *), void *arg) {
  sigset_t all;
  sigset_t old;
  sigfillset(&all);
  bool masked = !pthread_sigmask(SIG_SETMASK, &all, &old);
  int failed = pthread_create(out, NULL, run, arg);
  if (masked)
    pthread_sigmask(SIG_SETMASK, &old, NULL);
  return failed;
}

// Makes as many threads as the system gives; with fewer everything works, with fewer.
static void start_workers(weft_pool *p) {
  if (atomic_load_explicit(&p->started, memory_order_acquire))
    return;
  pthread_mutex_lock(&p->lock);
  if (!atomic_load(&p->started)) {
    uint32_t n = 0;
    for (; n + 1 < p->threads; n++) {
      p->workers[n].pool = p;
      p->workers[n].index = n;
      if (make_thread(&p->workers[n].thread, pool_work, &p->workers[n]))
        break;
    }
    atomic_store(&p->n_workers, n);
    atomic_store_explicit(&p->started, true, memory_order_release);
  }
  pthread_mutex_unlock(&p->lock);
}

// ---- another process ----

static void forget_threads(weft_pool *p) {
  pthread_mutex_init(&p->lock, NULL);  // whoever held it is not here
  for (extra *e = p->extras, *next; e; e = next) {
    next = e->next;
    weft__free(&p->alloc, e, sizeof *e, _Alignof(extra));
  }
  p->extras = p->free_extras = NULL;
  p->first = p->last = NULL;
  p->n_taken = p->runs = 0;
  atomic_store(&p->n_tasks, 0);
  atomic_store(&p->sleepers, 0);
  atomic_store(&p->n_workers, 0);
  atomic_store(&p->started, false);
  memset(p->workers, 0, p->threads * sizeof *p->workers);
  for (uint32_t i = 0; i < p->threads; i++)
    atomic_store(&p->ids[i], 0);
  for (uint32_t i = 0; i < SLOTS; i++) {
    atomic_store(&p->slots[i].owner, 0);
    __atomic_store_n(&p->slots[i].state, 0, __ATOMIC_RELEASE);
  }
}

// Before anything that needs the pool's threads. Several threads of a child may come first together.
static void pool_settle_here(weft_pool *p) {
  unsigned here = weft__process();
  unsigned there = atomic_load_explicit(&p->process, memory_order_acquire);
  if (there == here)
    return;
  if (there && atomic_compare_exchange_strong(&p->process, &there, 0)) {
    forget_threads(p);
    atomic_store_explicit(&p->process, here, memory_order_release);
  }
  while (atomic_load_explicit(&p->process, memory_order_acquire) != here)
    weft__relax();
}

// ---- launches ----

static bool inside_block(weft_pool *p) {
  const uintptr_t self = this_thread();
  for (uint32_t i = 0; i < SLOTS; i++) {
    if (atomic_load_explicit(&p->slots[i].owner, memory_order_relaxed) == self)
      return true;
  }
  for (uint32_t i = 0; i + 1 < p->threads; i++) {
    if (atomic_load_explicit(&p->ids[i], memory_order_relaxed) == self)
      return p->workers[i].in_block;
  }
  return false;
}

static slot *claim(weft_pool *p) {
  for (uint32_t i = 0; i < SLOTS; i++) {
    uint32_t none = 0;
    if (!__atomic_load_n(&p->slots[i].state, __ATOMIC_RELAXED) &&
        __atomic_compare_exchange_n(&p->slots[i].state, &none, CLAIMED, false, __ATOMIC_ACQUIRE,
                                    __ATOMIC_RELAXED)) {
      return &p->slots[i];
    }
  }
  return NULL;
}

static void wait_for_attached(weft_pool *p, slot *s) {
  uint32_t state = __atomic_and_fetch(&s->state, ~OPEN, __ATOMIC_ACQ_REL);
  while (state & ATTACHED) {
    if (weft__word_spin(&s->state, state, p->spin_wait_ns)) {
      state = pool_load(&s->state);
      continue;
    }
    state = __atomic_or_fetch(&s->state, SLEEPING, __ATOMIC_ACQ_REL);
    if (state & ATTACHED)
      weft__word_wait(&s->state, state);
    state = pool_load(&s->state);
  }
}

void weft__pool_begin(weft_pool *p) {
  if (!p)
    return;
  pool_settle_here(p);
  __atomic_add_fetch(&p->runs, 1, __ATOMIC_RELEASE);
}

void weft__pool_end(weft_pool *p) {
  if (p)
    __atomic_sub_fetch(&p->runs, 1, __ATOMIC_RELEASE);
}

void weft__pool_run(weft_pool *p, weft_pool_fn fn, void *ctx, uint32_t blocks) {
  bool shared = p && blocks > 1 && p->threads > 1;
  if (shared)
    pool_settle_here(p);
  slot *s = shared && !inside_block(p) ? claim(p) : NULL;
  if (!s) {
    for (uint32_t b = 0; b < blocks; b++)
      fn(ctx, b);
    return;
  }
  atomic_store_explicit(&p->cpu, weft__cpu_here(), memory_order_relaxed);
  start_workers(p);
  s->fn = fn;
  s->ctx = ctx;
  atomic_store_explicit(&s->owner, this_thread(), memory_order_relaxed);
  atomic_store_explicit(&s->blocks, blocks, memory_order_relaxed);
  const uint32_t ranges = WEFT_MIN(WEFT_MIN(p->threads, blocks), (uint32_t)RANGES);
  atomic_store_explicit(&s->ranges, ranges, memory_order_relaxed);
  atomic_store_explicit(&s->dry, false, memory_order_relaxed);
  for (uint32_t i = 0; i < ranges; i++)
    atomic_store_explicit(&s->range[i].next, range_begin(blocks, i, ranges), memory_order_relaxed);
  __atomic_store_n(&s->state, CLAIMED | OPEN, __ATOMIC_RELEASE);
  announce(p, blocks - 1);
  do_blocks(s, 0);
  wait_for_attached(p, s);
  atomic_store_explicit(&s->owner, 0, memory_order_relaxed);
  __atomic_store_n(&s->state, 0, __ATOMIC_RELEASE);
}

// ---- threads for tasks ----

enum { HAS_TASK = 1, HAS_TO_END = 2 };  // what is given is done before the end

static void *run_extra(void *arg) {
  extra *e = arg;
  weft_pool *p = e->pool;
  for (;;) {
    while (!weft__word_spin(&e->turn, 0, p->spin_ns))
      weft__word_wait(&e->turn, 0);
    if (!(pool_load(&e->turn) & HAS_TASK))
      return NULL;
    weft_task *t = e->task;
    __atomic_and_fetch(&e->turn, ~(uint32_t)HAS_TASK, __ATOMIC_RELAXED);
    run_task(t);
    pthread_mutex_lock(&p->lock);
    e->next_free = p->free_extras;
    p->free_extras = e;
    pthread_mutex_unlock(&p->lock);
    end_task(t);
  }
}

static void give_turn(extra *e, uint32_t what) {
  __atomic_or_fetch(&e->turn, what, __ATOMIC_RELEASE);
  weft__word_wake(&e->turn, 1);
}

static extra *add_extra(weft_pool *p) {  // with the lock
  extra *e = weft__alloc(&p->alloc, sizeof *e, _Alignof(extra));
  if (!e)
    return NULL;
  *e = (extra){.pool = p, .next = p->extras};
  if (make_thread(&e->thread, run_extra, e)) {
    weft__free(&p->alloc, e, sizeof *e, _Alignof(extra));
    return NULL;
  }
  return p->extras = e;
}

weft_status weft__pool_start(weft_pool *p, weft_task *t, weft_diag *d) {
  if (!p || !t || !t->fn)
    return weft_fail(d, WEFT_E_INVALID, "thread pool: a task needs a pool and a function");
  pool_settle_here(p);
  if (p->threads > 1)
    start_workers(p);
  t->next = NULL;
  __atomic_store_n(&t->state, TASK_STARTED, __ATOMIC_RELAXED);
  pthread_mutex_lock(&p->lock);
  bool queued = p->n_taken < atomic_load(&p->n_workers);
  extra *e = NULL;
  if (queued) {
    p->n_taken++;
    if (p->first)
      p->last->next = t;
    else
      p->first = t;
    p->last = t;
    atomic_fetch_add(&p->n_tasks, 1);
  } else if (p->free_extras) {
    e = p->free_extras;
    p->free_extras = e->next_free;
  } else {
    e = add_extra(p);
  }
  pthread_mutex_unlock(&p->lock);
  if (queued) {
    announce(p, 1);  // any worker may take it
  } else if (e) {
    e->task = t;
    give_turn(e, HAS_TASK);
  } else {
    t->state = 0;
    return weft_fail(d, WEFT_E_NOMEM, "thread pool: no thread for one more task");
  }
  return WEFT_OK;
}

void weft__pool_wait(weft_pool *p, weft_task *t) {
  uint32_t *state = (uint32_t *)&t->state;
  while (pool_load(state) == TASK_STARTED) {
    if (!weft__word_spin(state, TASK_STARTED, p ? p->spin_ns : 0))
      weft__word_wait(state, TASK_STARTED);
  }
}

// ---- events ----

void weft__event_set(weft_event *e, uint32_t value) {
  __atomic_store_n(&e->value, value, __ATOMIC_SEQ_CST);
  weft__word_wake(&e->value, UINT32_MAX);
}

void weft__event_wait(weft_event *e, uint32_t value) {
  for (;;) {
    uint32_t now = pool_load(&e->value);
    if ((int32_t)(now - value) >= 0)
      return;
    if (!weft__word_spin(&e->value, now, SPIN_NS))
      weft__word_wait(&e->value, now);
  }
}

// ---- life ----

static size_t workers_bytes(uint32_t threads) {
  return threads * sizeof(worker);  // at most MOST_THREADS
}

static void free_pool(weft_pool *p) {
  weft_allocator a = p->alloc;
  weft__free(&a, p->workers, workers_bytes(p->threads), LINE);
  weft__free(&a, p->ids, p->threads * sizeof *p->ids, _Alignof(max_align_t));
  weft__free(&a, p, sizeof *p, LINE);
}

weft_status weft__pool_create(const weft_allocator *a, uint32_t threads, weft_pool **out, weft_diag *d) {
  const uint32_t cpus = weft__cpu_count();
  *out = NULL;
  if (threads > MOST_THREADS) {
    return weft_fail(d, WEFT_E_LIMIT, "thread pool: %u threads, expected at most %d", (unsigned)threads,
                     MOST_THREADS);
  }
  if (!threads)
    threads = WEFT_MIN(cpus, (uint32_t)MOST_THREADS);
  weft_pool *p = weft__alloc(a, sizeof *p, LINE);
  if (!p)
    return weft_fail(d, WEFT_E_NOMEM, "thread pool: no memory for %u threads", (unsigned)threads);
  memset(p, 0, sizeof *p);
  p->alloc = a ? *a : weft_allocator_default();
  p->threads = threads;
  atomic_init(&p->cpu, -2);  // no CPU, and none that is not known
  atomic_init(&p->process, weft__process());
  p->workers = weft__alloc(a, workers_bytes(threads), LINE);
  p->ids = weft__alloc(a, threads * sizeof *p->ids, _Alignof(max_align_t));
  if (!p->workers || !p->ids || pthread_mutex_init(&p->lock, NULL)) {
    free_pool(p);
    return weft_fail(d, WEFT_E_NOMEM, "thread pool: no memory for %u threads", (unsigned)threads);
  }
  memset(p->workers, 0, workers_bytes(threads));
  for (uint32_t i = 0; i < threads; i++)
    atomic_init(&p->ids[i], 0);
  if (cpus > 1 && threads <= cpus) {  // a spinning thread must not keep the one it waits for from its CPU
    p->spin_ns = SPIN_NS;
    p->spin_wait_ns = SPIN_WAIT_NS;
  }
  *out = p;
  return WEFT_OK;
}

void weft__pool_destroy(weft_pool *p) {
  if (!p)
    return;
  pool_settle_here(p);
  atomic_store(&p->stop, true);
  announce(p, UINT32_MAX);
  for (uint32_t i = 0; i < atomic_load(&p->n_workers); i++)
    pthread_join(p->workers[i].thread, NULL);
  for (extra *e = p->extras, *next; e; e = next) {
    next = e->next;
    give_turn(e, HAS_TO_END);
    pthread_join(e->thread, NULL);
    weft__free(&p->alloc, e, sizeof *e, _Alignof(extra));
  }
  pthread_mutex_destroy(&p->lock);
  free_pool(p);
}

uint32_t weft__pool_threads(const weft_pool *p) {
  return p ? p->threads : 1;
}
// SPDX-License-Identifier: Apache-2.0
