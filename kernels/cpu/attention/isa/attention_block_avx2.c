// attention_block_avx2.c - the loops of attention in vectors of 8.
#include "cpu/simd/vector_avx2.h"

#define ATTENTION weft__attention_avx2
#include "cpu/attention/attention_block_body.h"
// SPDX-License-Identifier: Apache-2.0
