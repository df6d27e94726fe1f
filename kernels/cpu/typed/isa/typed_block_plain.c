// typed_block_plain.c - products of double and of integers in vectors that every compiler knows (SSE on
// x86-64, NEON on aarch64), and which table runs here.
#define BYTES 16
#define ROWS  6
#define TABLE weft__typed_plain
#include "cpu/typed/typed_block_body.h"

const weft__typed_ops *weft__typed_find(const weft_host *host, int type) {
#if defined(WEFT_KERNELS_X86)
  static const weft__typed_ops *const tables[WEFT__ISA_COUNT] = {weft__typed_plain, weft__typed_avx2,
                                                                 weft__typed_avx512};
  return &tables[weft__cpu_isa(host)][type];
#else
  return &weft__typed_plain[type];
#endif
}
