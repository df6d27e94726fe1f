// quant_blend.h - a sum of two bytes with its rounding is a function of 2^16 pairs: a way that multiplies
// floats and adds them is tried on all, and serves where it gives the same bytes.
#pragma once
#include "cpu/quant/quant_block.h"

enum { WEFT__BLEND_LEAST = 8192, WEFT__BLEND_BYTES = 256 };  // LEAST: bytes that are worth the trial of pairs

typedef struct weft__quant_trial {
  const weft__quant_ops *ops;
  double by_a, by_b, add;  // of unsigned bytes
  const void *region;
  // What it has to give.
  void (*want)(const void *region, const uint8_t *a, const uint8_t *b, size_t n, uint8_t *y);
} weft__quant_trial;
// Finds m's factors and summand, in which numbers so close to halfway between two bytes that roundings matter
// decide by the last bits: neighbours get those right, mostly. The rest of m is filled. False: none are
// right.
bool weft__quant_find_blend(const weft__quant_trial *t, weft__quant_blend *m);
// SPDX-License-Identifier: Apache-2.0
