// vector_math.c - which table of inner loops runs here.
#include "cpu/simd/vector_math_table.h"

const weft__vec *weft__vec_find(const weft_host *host) {
#if defined(WEFT_KERNELS_X86)
  static const weft__vec *const tables[WEFT__ISA_COUNT] = {&weft__vec_plain, &weft__vec_avx2,
                                                           &weft__vec_avx512};
  return tables[weft__cpu_isa(host)];
#else
  return &weft__vec_plain;
#endif
}
