// wait.h - sleeping on a word of memory until another thread changes it (Linux: futex). Layer: base.
#pragma once
#include "base/base.h"

// Sleeps while *word is `seen`; may return early for no reason.
void weft__word_wait(uint32_t *word, uint32_t seen);
void weft__word_wake(uint32_t *word, uint32_t n_threads);

static inline void weft__relax(void) {  // tells the core that this thread spins
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield" ::: "memory");
#endif
}

// Spins while *word is `seen`, for up to `ns`; true: it changed. Reads with acquire.
bool weft__word_spin(const uint32_t *word, uint32_t seen, uint64_t ns);
// SPDX-License-Identifier: Apache-2.0
