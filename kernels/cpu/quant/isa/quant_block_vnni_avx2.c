// quant_block_vnni_avx2.c - products of bytes by AVX-VNNI's vpdpbusd, which does not saturate.
#include "cpu/quant/quant_block.h"
#include "cpu/quant/quant_vec_256.h"

#define ROWS  6
#define WIDE  1
#define TABLE weft__quant_avx2_vnni
#define NAME  "avx2-vnni"
#include "cpu/quant/quant_bytes.h"

WEFT_INLINE ivec dot(ivec s, ivec b, ivec unused, const int32_t *a) {
  (void)unused;
  return (ivec)_mm256_dpbusd_avx_epi32((__m256i)s, (__m256i)b, _mm256_set1_epi32(*a));
}
WEFT_INLINE ivec dot_w(ivec s, ivec x, ivec unused, ivec w, ivec unused_w) {
  (void)unused;
  (void)unused_w;
  return (ivec)_mm256_dpbusd_avx_epi32((__m256i)s, (__m256i)x, (__m256i)w);
}
#include "cpu/quant/quant_block_body.h"
// SPDX-License-Identifier: Apache-2.0
