// blocked_block_avx2.c - NC1HWC0 with tiles of 6 places by 16 channels.
#include "cpu/simd/vector_avx2.h"

#define ROWS  6
#define TABLE weft__blocked_avx2
#include "cpu/blocked/blocked_block_body.h"
// SPDX-License-Identifier: Apache-2.0
