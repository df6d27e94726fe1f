// pool_place_test.c - leaving a CPU keeps what a thread may use; one that may use only this CPU stays.
#define _GNU_SOURCE  // sched_getaffinity
#include "base/pool_place.h"

#include "check.h"

#if defined(__linux__)
#include <sched.h>

TEST(leaving_a_cpu_keeps_the_mask) {
  cpu_set_t before[16];
  cpu_set_t after[16];
  CHECK_INT(sched_getaffinity(0, sizeof before, before), 0);
  int cpu = weft__cpu_here();
  CHECK(cpu >= 0 && CPU_ISSET_S((size_t)cpu, sizeof before, before));
  weft__cpu_leave(cpu);
  weft__cpu_leave(-1);
  CHECK_INT(sched_getaffinity(0, sizeof after, after), 0);
  CHECK(CPU_EQUAL_S(sizeof before, before, after));
}

TEST(the_only_cpu_is_not_left) {
  cpu_set_t before[16];
  cpu_set_t one[16];
  cpu_set_t after[16];
  CHECK_INT(sched_getaffinity(0, sizeof before, before), 0);
  int cpu = weft__cpu_here();
  CPU_ZERO_S(sizeof one, one);
  CPU_SET_S((size_t)cpu, sizeof one, one);
  CHECK_INT(sched_setaffinity(0, sizeof one, one), 0);
  weft__cpu_leave(weft__cpu_here());
  CHECK_INT(sched_getaffinity(0, sizeof after, after), 0);
  CHECK(CPU_EQUAL_S(sizeof one, one, after));
  CHECK_INT(sched_setaffinity(0, sizeof before, before), 0);
}
#else
TEST(nothing_is_known_here) {
  CHECK_INT(weft__cpu_here(), -1);
  weft__cpu_leave(-1);
}
#endif
// SPDX-License-Identifier: Apache-2.0
