// bench_roof.h - the loops that `weft bench --machine` times, for each instruction set that the machine has.
// They are the roof that a kernel's profile is read against: sums of products in registers, and bytes that
// come and go.
#pragma once
#include <stdbool.h>
#include <stddef.h>

typedef struct bench_roof {
  const char *isa, *what;                    // "avx512", "f32 multiply-add"
  const char *(*missing)(void);              // why this machine and system cannot; NULL: they can
  double (*multiply_add)(size_t rounds);     // returns the operations it did; a*b+c are two
  double (*read)(const float *v, size_t n);  // n a multiple of 64; a sum, so that nothing is left out
  void (*triad)(float *a, const float *b, const float *c, size_t n);  // a = b + 3 c
} bench_roof;
// Widest last; read and triad NULL where there is nothing wider to gain.
extern const bench_roof bench_roofs[];
extern const size_t bench_n_roofs;
// SPDX-License-Identifier: Apache-2.0
