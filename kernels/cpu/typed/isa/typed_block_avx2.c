// typed_block_avx2.c - products of double and of integers in registers of 32 bytes: 12 sums of 16.
#define BYTES 32
#define ROWS  6
#define TABLE weft__typed_avx2
#include "cpu/typed/typed_block_body.h"
// SPDX-License-Identifier: Apache-2.0
