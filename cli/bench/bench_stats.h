// bench_stats.h - what is said of repeated times: the least, which is what the work costs, and the median,
// which is what a user waits for.
#pragma once
#include <stdbool.h>
#include <stddef.h>

typedef struct bench_times {
  double least, median;  // ns; negative: not measured
  size_t runs;
} bench_times;
double bench_least(const double *v, size_t n);  // -1 when n is 0
double bench_median(double *v,
                    size_t n);  // sorts v; -1 when n is 0; the mean of the middle two when n is even
void bench_times_add(bench_times *t, double least, double median, size_t runs, double *medians, size_t round);

// Largest and root-mean-square difference of got and want, each beside the size of want: max |g - w| / max
// |w| and sqrt(sum (g - w)^2 / sum w^2). Equal infinities and two NaN do not differ; any other of them is an
// infinite difference. Where want is all zero the differences are absolute.
typedef struct bench_difference {
  double largest, scale, square, scale_square;
  bool broken;  // an infinity or NaN on one side only
} bench_difference;
void bench_difference_add(bench_difference *x, double got, double want);
double bench_difference_max(const bench_difference *x);
double bench_difference_rms(const bench_difference *x);
// SPDX-License-Identifier: Apache-2.0
