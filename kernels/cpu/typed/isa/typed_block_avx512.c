// typed_block_avx512.c - products of double and of integers in registers of 64 bytes: 16 sums of 32.
#define BYTES 64
#define ROWS  8
#define TABLE weft__typed_avx512
#include "cpu/typed/typed_block_body.h"
// SPDX-License-Identifier: Apache-2.0
