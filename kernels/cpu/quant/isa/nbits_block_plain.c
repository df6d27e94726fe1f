// nbits_block_plain.c - weights of few bits, four at a time; and which table a block takes.
#include "cpu/simd/vector_plain.h"

#define NBITS_WIDEN(p) ((ivec){(p)[0], (p)[1], (p)[2], (p)[3]})
#define NBITS_EVENS    0, 4, 1, 5
#define NBITS_ODDS     2, 6, 3, 7
#define TABLE          weft__nbits_plain
#include "cpu/quant/nbits_block_body.h"

// Vectors of sixteen gain from two steps a block or more.
const weft__nbits_ops *weft__nbits_find(const weft_host *host, size_t block) {
#if defined(WEFT_KERNELS_X86)
  static const weft__nbits_ops *const tables[WEFT__ISA_COUNT] = {&weft__nbits_plain, &weft__nbits_avx2,
                                                                 &weft__nbits_avx512};
  for (int i = weft__cpu_isa(host); i > WEFT__ISA_PLAIN; i--) {
    if (block % ((i == WEFT__ISA_AVX512 ? 4 : 2) * tables[i]->vec) == 0)
      return tables[i];
  }
#else
  (void)host;
#endif
  return block % (2 * weft__nbits_plain.vec) == 0 ? &weft__nbits_plain : NULL;
}
// SPDX-License-Identifier: Apache-2.0
