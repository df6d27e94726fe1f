// random.h - numbers for the random operators: Philox 4x32-10, a counter under a key of two seeds. The same
// seeds give the same numbers everywhere; seeds 0 and 0 take the clock. Layer: ops.
#pragma once
#include "dims_move.h"

typedef struct weft_random {
  uint32_t key[2];
  uint64_t counter;
  uint32_t word[4], used;
} weft_random;
void weft__random_init(weft_random *r, int64_t seed, int64_t seed2);
uint64_t weft__random_bits(weft_random *r);               // 64 of them
double weft__random_unit(weft_random *r, uint32_t bits);  // a multiple of 2^-bits in [0, 1), bits 1..53
double weft__random_normal(weft_random *r);               // mean 0, variance 1
uint32_t weft__random_precision(weft_dtype t);            // bits of the significand

// Operators whose one input is the shape of their output.
weft_status weft__random_infer(weft_infer *it);
#define WEFT_RANDOM_PROTO                                                                           \
  WEFT_OP_HEAD, .in = PORTS({"shape", NULL, WEFT_SET_INDEX, .value = WEFT_VALUE_INFER}),            \
                .out = PORTS({"y", "T"}), .types = TYPES({"T", WEFT_FLOATS, .from_attr = "dtype"}), \
                .traits = WEFT_SYMBOLIC | WEFT_RANDOM, .infer = weft__random_infer
// SPDX-License-Identifier: Apache-2.0
