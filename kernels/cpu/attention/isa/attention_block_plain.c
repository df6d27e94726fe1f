// attention_block_plain.c - the loops of attention in vectors of 4 that every compiler knows, and the choice.
#include "cpu/simd/vector_plain.h"

#define ATTENTION weft__attention_plain
#include "cpu/attention/attention_block_body.h"

const weft__attention_ops *weft__attention_find(const weft_host *host) {
#if defined(WEFT_KERNELS_X86)
  static const weft__attention_ops *const tables[WEFT__ISA_COUNT] = {
      &weft__attention_plain, &weft__attention_avx2, &weft__attention_avx512};
  return tables[weft__cpu_isa(host)];
#else
  return &weft__attention_plain;
#endif
}
