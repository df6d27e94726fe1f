// rows_ops.c - which table of inner loops runs here.
#include "cpu/rows/rows_ops.h"

const weft__rows_ops *weft__rows_find(const weft_host *host) {
#if defined(WEFT_KERNELS_X86)
  static const weft__rows_ops *const tables[WEFT__ISA_COUNT] = {&weft__rows_ops_plain, &weft__rows_ops_avx2,
                                                                &weft__rows_ops_avx512};
  return tables[weft__cpu_isa(host)];
#else
  (void)host;
  return &weft__rows_ops_plain;
#endif
}
