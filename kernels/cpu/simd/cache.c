// cache.c - asks the system.
#include "cpu/simd/cache.h"

#include <unistd.h>

#if defined(_SC_LEVEL1_DCACHE_SIZE)
static long told(int level) {
  return sysconf(level == 1 ? _SC_LEVEL1_DCACHE_SIZE : _SC_LEVEL2_CACHE_SIZE);
}
#else
static long told(int level) {
  (void)level;
  return 0;
}
#endif

// Asked once, because some systems ask the processor each time; threads that ask at the same time find the
// same.
size_t weft__cpu_cache(int level) {
  static size_t known[2];
  size_t *at = &known[level != 1];
  size_t bytes = __atomic_load_n(at, __ATOMIC_RELAXED);
  if (bytes)
    return bytes;
  long n = told(level);
  bytes = n > 0 ? (size_t)n : level == 1 ? (size_t)48 << 10 : (size_t)1 << 20;
  __atomic_store_n(at, bytes, __ATOMIC_RELAXED);
  return bytes;
}
// SPDX-License-Identifier: Apache-2.0
