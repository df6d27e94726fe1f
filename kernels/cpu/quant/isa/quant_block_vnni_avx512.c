// quant_block_vnni_avx512.c - products of bytes by AVX512-VNNI's vpdpbusd, which does not saturate.
#include "cpu/quant/quant_block.h"
#include "cpu/quant/quant_vec_512.h"

#define ROWS  14
#define WIDE  1
#define TABLE weft__quant_avx512_vnni
#define NAME  "avx512-vnni"
#include "cpu/quant/quant_bytes.h"

WEFT_INLINE ivec dot(ivec s, ivec b, ivec unused, const int32_t *a) {
  (void)unused;
  return (ivec)_mm512_dpbusd_epi32((__m512i)s, (__m512i)b, _mm512_set1_epi32(*a));
}
WEFT_INLINE ivec dot_w(ivec s, ivec x, ivec unused, ivec w, ivec unused_w) {
  (void)unused;
  (void)unused_w;
  return (ivec)_mm512_dpbusd_epi32((__m512i)s, (__m512i)x, (__m512i)w);
}
#include "cpu/quant/quant_block_body.h"
// SPDX-License-Identifier: Apache-2.0
