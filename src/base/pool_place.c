// pool_place.c - see pool_place.h. Linux only: elsewhere nothing is known and nothing moves.
//
// A thread whose mask leaves out the CPU that it runs on is moved by the kernel before the call returns. The
// mask is then what it was: nothing stays pinned.
#define _GNU_SOURCE  // sched_getcpu, sched_setaffinity
#include "base/pool_place.h"

#if defined(__linux__)
#include <sched.h>

int weft__cpu_here(void) {
  return sched_getcpu();
}

void weft__cpu_leave(int cpu) {
  // 16384 CPUs; the kernel refuses a mask that is too small
  cpu_set_t all[16];
  cpu_set_t others[16];
  if (cpu < 0 || sched_getaffinity(0, sizeof all, all))
    return;
  memcpy(others, all, sizeof all);
  CPU_CLR_S((size_t)cpu, sizeof others, others);
  if (CPU_COUNT_S(sizeof others, others) && !sched_setaffinity(0, sizeof others, others))
    (void)sched_setaffinity(0, sizeof all, all);
}
#else
int weft__cpu_here(void) {
  return -1;
}

void weft__cpu_leave(int cpu) {
  (void)cpu;
}
#endif
// SPDX-License-Identifier: Apache-2.0
