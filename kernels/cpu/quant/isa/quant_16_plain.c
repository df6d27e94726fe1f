// quant_16_plain.c - rows between floats and 16-bit integers for every processor, and which table runs here.
#define TABLE weft__quant_16_plain
#include "cpu/quant/quant_16_body.h"

const weft__quant_16_ops *weft__quant_16_find(const weft_host *host) {
#if defined(WEFT_KERNELS_X86)
  static const weft__quant_16_ops *const tables[WEFT__ISA_COUNT] = {
      &weft__quant_16_plain, &weft__quant_16_avx2, &weft__quant_16_avx512};
  return tables[weft__cpu_isa(host)];
#else
  return &weft__quant_16_plain;
#endif
}
