// gemm_block_plain.c - products in vectors of four that every compiler knows (SSE on x86-64, NEON on
// aarch64): tiles of 6 x 8, twelve sums, which fits sixteen registers.
#include "cpu/gemm/gemm_block.h"
#include "cpu/simd/vector_plain.h"

#if defined(__aarch64__)
#define ROWS 10
#else
#define ROWS 6
#endif
#define AT_ONCE 1
#define TABLE   weft__gemm_plain
#include "cpu/gemm/gemm_block_body.h"

const weft__gemm_ops *weft__gemm_find(const weft_host *host) {
  return WEFT__BY_ISA(host, weft__gemm);
}
// SPDX-License-Identifier: Apache-2.0
