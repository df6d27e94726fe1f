// bf16_oracle.h - what products, convolutions and attention of rounded operands should be: sums in double,
// and what a kernel may be off by (docs/precision.md). This file and its source hold arithmetic alone: they
// are compiled with optimisation and without sanitizers (tests/CMakeLists.txt), because they take more time
// than the kernels that they judge.
#pragma once
#include <stdbool.h>
#include <stddef.h>

// The sum in double, and what it may be off by.
typedef struct bf16_sum {
  double sum, size;  // size: of the magnitudes of the products of what is rounded
  double parts;      // what those were summed from, when that is more
  double around;     // of the operands' magnitudes
  size_t n;
  size_t filled;  // n, with channels filled up to steps of the tiles
} bf16_sum;

// `parts` below: of bf16, into which an operand is cut on AMX's tiles; 0: no tiles.
bool bf16_within(const bf16_sum *s, double bias, int parts, float got);

// Adds n products of x[i * x_step] and y[i * y_step].
void bf16_add(bf16_sum *s, const float *x, size_t x_step, const float *y, size_t y_step, size_t n);

typedef struct bf16_window {
  size_t images, groups, in, out, h, w, k, stride, dilation, pad, oh, ow;
  bool plain;  // channels first
} bf16_window;

// One output of a convolution.
typedef struct bf16_place {
  size_t image, channel, y, x;
} bf16_place;

// Adds what x, images, gives with `taps` at a place.
void bf16_add_window(bf16_sum *s, const bf16_window *v, const float *x, const float *taps, bf16_place at);
// The same output by Winograd's points: what it may be off by are the magnitudes of its points' products
// instead of those of its taps. Where the window holds what is not finite: of all its numbers with all its
// taps.
void bf16_bound_points(bf16_sum *s, const bf16_window *v, const float *x, const float *taps, bf16_place at);

typedef struct bf16_heads {
  size_t n, queries, keys, size, width;  // size: of a key; width: of a value
  double scale;
} bf16_heads;
enum { BF16_KEYS = 512 };  // at most

// One number of one row of one head: what it should be, and may be off by; NaN: by more than the weights.
// q, k, v are the head's, q at its row.
void bf16_attend(const bf16_heads *h, int parts, const float *q, const float *k, const float *v,
                 size_t column, double *out, double *out_bound);
// SPDX-License-Identifier: Apache-2.0
