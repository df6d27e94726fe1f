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
#if defined(WEFT_KERNELS_X86)
  static const weft__blocked_ops *const tables[WEFT__ISA_COUNT] = {&weft__blocked_plain, &weft__blocked_avx2,
                                                                   &weft__blocked_avx512};
  return tables[weft__cpu_isa(host)];
#else
  return &weft__blocked_plain;
#endif
}
