// blocked_block_avx512.c - NC1HWC0 with tiles of 14 places by 32 channels.
#include "cpu/simd/vector_avx512.h"

#define ROWS  14
#define TABLE weft__blocked_avx512
#include "cpu/blocked/blocked_block_body.h"
// SPDX-License-Identifier: Apache-2.0
