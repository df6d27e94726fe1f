// conv_ops.c - which table runs here.
#include "cpu/conv/conv_ops.h"

const weft__conv_ops *weft__conv_ops_find(const weft_host *host) {
#if defined(WEFT_KERNELS_X86)
  static const weft__conv_ops *const tables[WEFT__ISA_COUNT] = {&weft__conv_ops_plain, &weft__conv_ops_avx2,
                                                                &weft__conv_ops_avx512};
  return tables[weft__cpu_isa(host)];
#else
  (void)host;
  return &weft__conv_ops_plain;
#endif
}
