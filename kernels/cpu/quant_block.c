// quant_block.c - which table of products of bytes runs, and rows of bytes in lanes.
#include "cpu/quant_block.h"
#include "cpu/quant_vec_128.h"

const weft__quant_ops *weft__quant_find(void) {
#if defined(__aarch64__)
#if defined(WEFT_KERNELS_NEON_BYTES)
  static const weft__quant_ops *const tables[WEFT__BYTES_COUNT] = {&weft__quant_neon, &weft__quant_neon_dot,
                                                                   &weft__quant_neon_i8mm};
  return tables[weft__cpu_bytes(weft__cpu_isa())];
#else
  return &weft__quant_neon;
#endif
#elif defined(WEFT_KERNELS_X86)
  static const weft__quant_ops *const tables[WEFT__ISA_COUNT] = {&weft__quant_plain, &weft__quant_avx2,
                                                                 &weft__quant_avx512};
  int isa = weft__cpu_isa();
#if defined(WEFT_KERNELS_VNNI)
  if (weft__cpu_bytes(isa))
    return isa == WEFT__ISA_AVX512 ? &weft__quant_avx512_vnni : &weft__quant_avx2_vnni;
#endif
  return tables[isa];
#else
  return &weft__quant_plain;
#endif
}

// Places [i, i + 16), [i, i + 8), [i, i + 4) of four rows.
static inline void lanes_16(const uint8_t *const row[4], size_t i, uint8_t flip, uint32_t *to) {
  bvec r[4], ab[2], cd[2];
  ivec v[4];
  for (int t = 0; t < 4; t++) r[t] = *(const bvec_at *)(row[t] + i) ^ flip;
  mix_bytes(r[0], r[1], &ab[0], &ab[1]), mix_bytes(r[2], r[3], &cd[0], &cd[1]);
  mix_pairs(ab[0], cd[0], &v[0], &v[1]), mix_pairs(ab[1], cd[1], &v[2], &v[3]);
  for (int t = 0; t < 4; t++) *(ivec_at *)(to + i + 4 * t) = v[t];
}
static inline void lanes_few(const uint8_t *const row[4], size_t i, size_t n, uint8_t flip, uint32_t *to) {
  bvec r[4], ab, cd, unused;
  ivec v[2];
  for (int t = 0; t < 4; t++) {
    r[t] = (bvec){0};
    memcpy(&r[t], row[t] + i, n);
    r[t] ^= flip;
  }
  mix_bytes(r[0], r[1], &ab, &unused), mix_bytes(r[2], r[3], &cd, &unused);
  mix_pairs(ab, cd, &v[0], &v[1]);
  memcpy(to + i, v, n * sizeof *to);
}

void weft__quant_lanes(const uint8_t *const row[4], size_t n, uint8_t flip, uint32_t *to) {
  size_t i = 0;
  for (; i + 16 <= n; i += 16) lanes_16(row, i, flip, to);
  if (i == n) return;
  if (n >= 16) {
    lanes_16(row, n - 16, flip, to);  // some places again
  } else if (n >= 8) {
    lanes_few(row, 0, 8, flip, to);
    lanes_few(row, n - 8, 8, flip, to);
  } else if (n >= 4) {
    lanes_few(row, 0, 4, flip, to);
    lanes_few(row, n - 4, 4, flip, to);
  } else {
    for (; i < n; i++)
      for (int t = 0; t < 4; t++) ((uint8_t *)(to + i))[t] = row[t][i] ^ flip;
  }
}
