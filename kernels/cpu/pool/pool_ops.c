// pool_ops.c - which table runs here.
#include "cpu/pool/pool_ops.h"

const weft__pool_ops *weft__pool_ops_find(const weft_host *host) {
#if defined(WEFT_KERNELS_X86)
  static const weft__pool_ops *const tables[WEFT__ISA_COUNT] = {&weft__pool_ops_plain, &weft__pool_ops_avx2,
                                                                &weft__pool_ops_avx512};
  return tables[weft__cpu_isa(host)];
#else
  (void)host;
  return &weft__pool_ops_plain;
#endif
}
