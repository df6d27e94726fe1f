// pool.c - threads that wait for launches: a few microseconds awake, as the next one often comes at once,
// then asleep. The thread that launches works, too, and does not wait for those that came too late.
#include "pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

#include "base/base.h"

enum { POOL_MOST = 255, POOL_AWAKE_NS = 20000 };

static struct {
  pthread_mutex_t launch;  // who holds it has the threads
  pthread_mutex_t lock;    // of all below
  pthread_cond_t called, ended;
  pthread_t ids[POOL_MOST];
  uint32_t n;
  void (*work)(void *arg);
  void *arg;
  _Atomic uint32_t wanted;  // threads that may still come
  uint32_t inside;          // that came
  bool stop;
} pool = {.launch = PTHREAD_MUTEX_INITIALIZER,
          .lock = PTHREAD_MUTEX_INITIALIZER,
          .called = PTHREAD_COND_INITIALIZER,
          .ended = PTHREAD_COND_INITIALIZER};

static uint64_t pool_now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void pool_stay_awake(void) {
  const uint64_t until = pool_now_ns() + POOL_AWAKE_NS;
  while (!atomic_load_explicit(&pool.wanted, memory_order_relaxed) && pool_now_ns() < until)
    ;
}

static void *pool_main(void *unused) {
  (void)unused;
  pthread_mutex_lock(&pool.lock);
  for (;;) {
    while (!pool.stop && !atomic_load_explicit(&pool.wanted, memory_order_relaxed))
      pthread_cond_wait(&pool.called, &pool.lock);
    if (pool.stop)
      break;
    atomic_fetch_sub_explicit(&pool.wanted, 1, memory_order_relaxed);
    pool.inside++;
    void (*const work)(void *arg) = pool.work;
    void *const arg = pool.arg;
    pthread_mutex_unlock(&pool.lock);
    work(arg);
    pthread_mutex_lock(&pool.lock);
    if (!--pool.inside)
      pthread_cond_signal(&pool.ended);
    pthread_mutex_unlock(&pool.lock);
    pool_stay_awake();
    pthread_mutex_lock(&pool.lock);
  }
  pthread_mutex_unlock(&pool.lock);
  return NULL;
}

// After a fork the child has none of the threads.
static void pool_forget(void) {
  pool.n = 0;
  pool.inside = 0;
  atomic_store(&pool.wanted, 0);
  pthread_mutex_init(&pool.launch, NULL);
  pthread_mutex_init(&pool.lock, NULL);
  pthread_cond_init(&pool.called, NULL);
  pthread_cond_init(&pool.ended, NULL);
}

static void pool_grow(uint32_t others) {
  if (!pool.n && others)
    pthread_atfork(NULL, NULL, pool_forget);
  while (pool.n < others && pool.n < POOL_MOST && !pthread_create(&pool.ids[pool.n], NULL, pool_main, NULL))
    pool.n++;
}

static void pool_call(void (*work)(void *arg), void *arg, uint32_t others) {
  pthread_mutex_lock(&pool.lock);
  pool_grow(others);
  pool.work = work;
  pool.arg = arg;
  atomic_store_explicit(&pool.wanted, WEFT_MIN(others, pool.n), memory_order_relaxed);
  pthread_cond_broadcast(&pool.called);
  pthread_mutex_unlock(&pool.lock);
}

static void pool_wait(void) {
  pthread_mutex_lock(&pool.lock);
  atomic_store_explicit(&pool.wanted, 0, memory_order_relaxed);
  while (pool.inside)
    pthread_cond_wait(&pool.ended, &pool.lock);
  pthread_mutex_unlock(&pool.lock);
}

// ---- beside another launch ----

typedef struct pool_own {
  void (*work)(void *arg);
  void *arg;
} pool_own;
static void *pool_own_main(void *arg) {
  const pool_own *o = arg;
  o->work(o->arg);
  return NULL;
}
static void pool_run_own(void (*work)(void *arg), void *arg, uint32_t others) {
  pthread_t ids[POOL_MOST];
  pool_own own = {work, arg};
  uint32_t made = 0;
  while (made < others && made < POOL_MOST && !pthread_create(&ids[made], NULL, pool_own_main, &own))
    made++;
  work(arg);
  for (uint32_t i = 0; i < made; i++)
    pthread_join(ids[i], NULL);
}

void asc_pool_run(void (*work)(void *arg), void *arg, uint32_t others) {
  if (!others) {
    work(arg);
    return;
  }
  if (pthread_mutex_trylock(&pool.launch)) {
    pool_run_own(work, arg, others);
    return;
  }
  pool_call(work, arg, others);
  work(arg);
  pool_wait();
  pthread_mutex_unlock(&pool.launch);
}

// With the library: a package that is unloaded leaves no thread behind.
__attribute__((destructor)) static void pool_end(void) {
  pthread_mutex_lock(&pool.lock);
  pool.stop = true;
  pthread_cond_broadcast(&pool.called);
  pthread_mutex_unlock(&pool.lock);
  for (uint32_t i = 0; i < pool.n; i++)
    pthread_join(pool.ids[i], NULL);
  pool.n = 0;
}
// SPDX-License-Identifier: Apache-2.0
