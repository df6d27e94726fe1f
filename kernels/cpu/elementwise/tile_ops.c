// tile_ops.c - which table of the tile machine's operations runs here.
#include "cpu/elementwise/tile.h"
#include "cpu/simd/isa.h"

const weft__tile_table *weft__tile_find(const weft_host *host) {
#if defined(WEFT_KERNELS_X86)
  static const weft__tile_table *const tables[WEFT__ISA_COUNT] = {&weft__tile_ops_plain, &weft__tile_ops_avx2,
                                                                  &weft__tile_ops_avx512};
  return tables[weft__cpu_isa(host)];
#else
  (void)host;
  return &weft__tile_ops_plain;
#endif
}
