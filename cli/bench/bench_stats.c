// bench_stats.c - see bench_stats.h.
#include "bench_stats.h"

#include <math.h>
#include <stdlib.h>

double bench_least(const double *v, size_t n) {
  double least = n ? v[0] : -1;
  for (size_t i = 1; i < n; i++) {
    if (v[i] < least)
      least = v[i];
  }
  return least;
}

static int order(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double bench_median(double *v, size_t n) {
  if (!n)
    return -1;
  qsort(v, n, sizeof *v, order);
  return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

// `medians` keeps those of the rounds before; the median of all is theirs.
void bench_times_add(bench_times *t, double least, double median, size_t runs, double *medians,
                     size_t round) {
  if (t->least < 0 || least < t->least)
    t->least = least;
  medians[round] = median;
  t->median = bench_median(medians, round + 1);
  t->runs += runs;
}

void bench_difference_add(bench_difference *x, double got, double want) {
  if (!isfinite(got) || !isfinite(want)) {
    x->broken |= !(isnan(got) && isnan(want)) && got != want;
    return;
  }
  double difference = fabs(got - want), size = fabs(want);
  if (difference > x->largest)
    x->largest = difference;
  if (size > x->scale)
    x->scale = size;
  x->square += difference * difference;
  x->scale_square += want * want;
}

double bench_difference_max(const bench_difference *x) {
  if (x->broken)
    return INFINITY;
  return x->scale > 0 ? x->largest / x->scale : x->largest;
}

double bench_difference_rms(const bench_difference *x) {
  if (x->broken)
    return INFINITY;
  return sqrt(x->scale_square > 0 ? x->square / x->scale_square : x->square);
}
// SPDX-License-Identifier: Apache-2.0
