// attention_block_plain.c - the loops of attention in vectors of 4 that every compiler knows, and the choice.
#include "cpu/simd/vector_plain.h"

#define ATTENTION weft__attention_plain
#include "cpu/attention/attention_block_body.h"

const weft__attention_ops *weft__attention_find(const weft_host *host) {
  return WEFT__BY_ISA(host, weft__attention);
}
// SPDX-License-Identifier: Apache-2.0
