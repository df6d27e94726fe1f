// move_ops.c - which table of inner loops runs here.
#include "cpu/move/move_ops.h"

const weft__move_ops *weft__move_find(const weft_host *host) {
#if defined(WEFT_KERNELS_X86)
  static const weft__move_ops *const tables[WEFT__ISA_COUNT] = {&weft__move_ops_plain, &weft__move_ops_avx2,
                                                                &weft__move_ops_avx512};
  return tables[weft__cpu_isa(host)];
#else
  (void)host;
  return &weft__move_ops_plain;
#endif
}
