// resample_ops.c - which table of inner loops runs here.
#include "cpu/resample/resample_ops.h"

const weft__resample_ops *weft__resample_find(const weft_host *host) {
#if defined(WEFT_KERNELS_X86)
  static const weft__resample_ops *const tables[WEFT__ISA_COUNT] = {
      &weft__resample_ops_plain, &weft__resample_ops_avx2, &weft__resample_ops_avx512};
  return tables[weft__cpu_isa(host)];
#else
  (void)host;
  return &weft__resample_ops_plain;
#endif
}
