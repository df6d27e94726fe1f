// check.h - the test runner's side: TEST(name) { ... } and checks that say both values and go on. The runner
// prints the name of each test before it runs, so that a crash shows which it was; CHECK_QUIET=1: only names
// of tests that fail or skip.
#pragma once
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "weft/base.h"

typedef struct check_test {
  const char *file, *name;
  void (*run)(void);
  struct check_test *next;
} check_test;
void check_register(check_test *t);
void check_failed(const char *file, int line, const char *fmt, ...) WEFT_PRINTF(3, 4);
// Says that the test at hand leaves something out, and why. The runner counts such tests; where it ran no
// others, it returns CHECK_SKIPPED, which ctest shows as "Skipped".
void check_skip(const char *fmt, ...) WEFT_PRINTF(1, 2);
enum { CHECK_SKIPPED = 77 };

// How many of `all` random cases a test runs. `make test`: a twelfth, 2 at least, the same ones each time, so
// that it stays a matter of minutes; with every kernel in memory of its own (guard_pages.h) half of those.
// CHECK_LONG=1 (make check-long): all. CHECK_SEED=N: as many, of other cases.
// CHECK_LONG= (empty) is as if it were not set. docs/testing.md says what else check-long has.
int check_cases(int all);
bool check_long(void);
uint64_t check_seed(void);  // to add to the seeds of random cases: N of CHECK_SEED, or 0

// Bounds on time. What a clock on the wall says depends on who else is at work; so tests ask for the
// processor's seconds of this process, and a bound holds for the machine at hand: one that takes k times as
// long for a fixed loop as the one where bounds are set is given k times as much.
double check_seconds(void);
bool check_too_long(double seconds, double most);

#define TEST(id)                                                 \
  static void id(void);                                          \
  __attribute__((constructor)) static void id##_register(void) { \
    static check_test t = {__FILE__, #id, id, NULL};             \
    check_register(&t);                                          \
  }                                                              \
  static void id(void)

#define CHECK(e) ((e) ? (void)0 : check_failed(__FILE__, __LINE__, "not true: %s", #e))
#define CHECK_INT(a, b)                                                                    \
  do {                                                                                     \
    long long check_a = (long long)(a), check_b = (long long)(b);                          \
    if (check_a != check_b)                                                                \
      check_failed(__FILE__, __LINE__, "%s is %lld, expected %lld", #a, check_a, check_b); \
  } while (0)
#define CHECK_F64(a, b, tol)                                                                              \
  do {                                                                                                    \
    double check_a = (a), check_b = (b);                                                                  \
    if (!(fabs(check_a - check_b) <= (tol)) && !(isnan(check_a) && isnan(check_b)) && check_a != check_b) \
      check_failed(__FILE__, __LINE__, "%s is %.17g, expected %.17g", #a, check_a, check_b);              \
  } while (0)
#define CHECK_STR(a, b)                                                                               \
  do {                                                                                                \
    const char *check_a = (a), *check_b = (b);                                                        \
    if (!check_a || strcmp(check_a, check_b))                                                         \
      check_failed(__FILE__, __LINE__, "%s is\n  %s\nexpected\n  %s", #a, check_a ? check_a : "NULL", \
                   check_b);                                                                          \
  } while (0)
#define CHECK_HAS(text, part)                                                                           \
  do {                                                                                                  \
    const char *check_a = (text), *check_b = (part);                                                    \
    if (!check_a || !strstr(check_a, check_b))                                                          \
      check_failed(__FILE__, __LINE__, "%s is\n  %s\nwithout\n  %s", #text, check_a ? check_a : "NULL", \
                   check_b);                                                                            \
  } while (0)
// A call that must succeed. On failure it prints the diag and returns from the function it stands in, which
// must be void: a test, or a helper whose caller then goes on.
#define CHECK_OK(call, diag)                                                                              \
  do {                                                                                                    \
    weft_status check_s = (call);                                                                         \
    if (check_s) {                                                                                        \
      check_failed(__FILE__, __LINE__, "%s gave %s: %s", #call, weft_status_name(check_s), (diag)->text); \
      return;                                                                                             \
    }                                                                                                     \
  } while (0)
// A call that must fail with this status.
#define CHECK_FAILS(call, status)                                                                   \
  do {                                                                                              \
    weft_status check_s = (call);                                                                   \
    if (check_s != (status))                                                                        \
      check_failed(__FILE__, __LINE__, "%s gave %s, expected %s", #call, weft_status_name(check_s), \
                   weft_status_name(status));                                                       \
  } while (0)

// An allocator that counts live bytes and can fail the n-th allocation: every fallible call is failed once.
typedef struct check_alloc {
  long calls, live_blocks, fail_at;  // fail_at: 0 never; n: the n-th call
  size_t live_bytes, peak_bytes;
  size_t most_bytes;  // alive at once, as a small machine has them; 0: any
} check_alloc;
weft_allocator check_allocator(check_alloc *c);
// SPDX-License-Identifier: Apache-2.0
