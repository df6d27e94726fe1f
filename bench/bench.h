// bench.h - clock, repetition and the usual report: minimum and median of N rounds.
#pragma once
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "weft/weft.h"

static inline double bench_now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static inline int bench_order(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

typedef struct bench_result {
  double min, median;
} bench_result;

static inline bench_result bench_summary(double *ns, size_t n) {
  qsort(ns, n, sizeof *ns, bench_order);
  return (bench_result){ns[0], ns[n / 2]};
}

static inline void bench_die(const weft_diag *d) {
  fprintf(stderr, "bench: %s\n", d->text);
  exit(1);
}

// Keeps a value alive for the optimiser.
#define BENCH_KEEP(x) __asm__ volatile("" : : "r"(x) : "memory")
// SPDX-License-Identifier: Apache-2.0
