// attention_block_avx512.c - the loops of attention in vectors of 16.
#include "cpu/simd/vector_avx512.h"

#define ATTENTION weft__attention_avx512
#include "cpu/attention/attention_block_body.h"
// SPDX-License-Identifier: Apache-2.0
