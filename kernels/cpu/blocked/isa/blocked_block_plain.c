// blocked_block_plain.c - NC1HWC0 with tiles of 6 (aarch64: 10) places by 8 channels.
#include "cpu/simd/vector_plain.h"

#if defined(__aarch64__)
#define ROWS 10
#else
#define ROWS 6
#endif
#define TABLE weft__blocked_plain
#include "cpu/blocked/blocked_block_body.h"

const weft__blocked_ops *weft__blocked_find(const weft_host *host) {
  return WEFT__BY_ISA(host, weft__blocked);
}
// SPDX-License-Identifier: Apache-2.0
