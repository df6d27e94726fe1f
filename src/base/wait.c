// wait.c - sleeping on a word: a futex on Linux; elsewhere one lock and one condition for all words, where
// every wake wakes every sleeper (rare, right, not fast). The lock holds no data: it is no state.
#define _GNU_SOURCE  // syscall
#include "base/wait.h"

#include <limits.h>

#if defined(__linux__)
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

void weft__word_wait(uint32_t *word, uint32_t seen) {
  syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
}

// The word may be gone already when a waiter saw the change without sleeping: the kernel only compares
// addresses.
void weft__word_wake(uint32_t *word, uint32_t n_threads) {
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, (int)WEFT_MIN(n_threads, (uint32_t)INT_MAX), NULL, NULL, 0);
}
#else
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

void weft__word_wait(uint32_t *word, uint32_t seen) {
  pthread_mutex_lock(&lock);
  if (__atomic_load_n(word, __ATOMIC_SEQ_CST) == seen)
    pthread_cond_wait(&changed, &lock);
  pthread_mutex_unlock(&lock);
}

void weft__word_wake(uint32_t *word, uint32_t n_threads) {
  (void)word;
  (void)n_threads;
  pthread_mutex_lock(&lock);
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
}
#endif

bool weft__word_spin(const uint32_t *word, uint32_t seen, uint64_t ns) {
  enum { LOOKS = 32 };  // between two looks at the clock
  const uint64_t begin = ns ? weft__now_ns() : 0;
  for (;;) {
    for (int i = 0; i < LOOKS; i++) {
      if (__atomic_load_n(word, __ATOMIC_ACQUIRE) != seen)
        return true;
      if (!ns)
        return false;
      weft__relax();
    }
    if (weft__now_ns() - begin >= ns)
      return false;
  }
}
// SPDX-License-Identifier: Apache-2.0
