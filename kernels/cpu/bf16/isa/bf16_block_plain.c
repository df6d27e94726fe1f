// bf16_block_plain.c - products of bf16 in vectors of four that every compiler knows, and which table runs.
#include "cpu/bf16/bf16_block.h"
#include "cpu/simd/vector_plain.h"

#if defined(__aarch64__)
#define ROWS 10
#else
#define ROWS 4
#endif
#define TABLE weft__bf16_plain
#include "cpu/bf16/bf16_block_body.h"

const weft__bf16_ops *weft__bf16_find(const weft_host *host) {
#if defined(WEFT_KERNELS_BF16)
  if (weft__cpu_bf16(host))
    return &weft__bf16_dot_avx512;
#endif
  return WEFT__BY_ISA(host, weft__bf16);
}
// SPDX-License-Identifier: Apache-2.0
