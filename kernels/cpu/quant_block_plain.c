// quant_block_plain.c - products of bytes in vectors of 128 bits that every compiler knows, and which table
// runs.
#include "cpu/quant_block.h"
#include "cpu/vector_math.h"

#define VEC   4
#define ROWS  4
#define WIDE  2
#define TABLE weft__quant_plain
#define NAME  "plain"
typedef int32_t ivec __attribute__((vector_size(16)));
typedef int32_t ivec_at __attribute__((vector_size(16), aligned(1), may_alias));
typedef float fvec __attribute__((vector_size(16)));
typedef float fvec_at __attribute__((vector_size(16), aligned(4), may_alias));
typedef uint8_t bvec __attribute__((vector_size(16)));
typedef uint8_t bvec_at __attribute__((vector_size(16), aligned(1), may_alias));
typedef uint16_t hvec __attribute__((vector_size(16)));

static inline fvec largest(fvec a, fvec b) {
  for (int i = 0; i < VEC; i++) b[i] = a[i] > b[i] ? a[i] : b[i];
  return b;
}
static inline fvec least(fvec a, fvec b) {
  for (int i = 0; i < VEC; i++) b[i] = a[i] < b[i] ? a[i] : b[i];
  return b;
}
static inline void mix_bytes(bvec a, bvec b, bvec *low, bvec *high) {
  *low = __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  *high = __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
}
static inline void mix_pairs(bvec a, bvec b, ivec *low, ivec *high) {
  *low = (ivec)__builtin_shufflevector((hvec)a, (hvec)b, 0, 8, 1, 9, 2, 10, 3, 11);
  *high = (ivec)__builtin_shufflevector((hvec)a, (hvec)b, 4, 12, 5, 13, 6, 14, 7, 15);
}
static inline bvec pack(const ivec q[4]) {
  bvec v;
  for (int i = 0; i < 16; i++) v[i] = (uint8_t)q[i / 4][i % 4];
  return v;
}
static inline void narrow(ivec v, uint8_t *to) {
  for (int i = 0; i < VEC; i++) to[i] = (uint8_t)v[i];
}
static inline ivec widen(const uint8_t *p, bool is_signed) {
  ivec v;
  for (int i = 0; i < VEC; i++) v[i] = is_signed ? (int8_t)p[i] : p[i];
  return v;
}
// Rounded to nearest and `zero` (twice 16 bits) added, as unsigned bytes, in the order of pack. Numbers are
// below 2^15 less zero.
static inline bvec saturated(const fvec x[4], ivec zero) {
  bvec v;
  for (int i = 0; i < 16; i++) {
    float f = x[i / 4][i % 4];
    int32_t n = (int32_t)((f > -32768.0f ? f : -32768.0f) + 12582912.0f - 12582912.0f) + (zero[0] & 0xFFFF);
    v[i] = (uint8_t)(n < 0 ? 0 : n > 255 ? 255 : n);
  }
  return v;
}
static inline bvec split(bvec v) {
  return v;
}
// 32 bytes, or 16, from `low`, then as many from `high` where a vector has room for them.
static inline bvec beside(const uint8_t *low, const uint8_t *high) {
  (void)high;
  return *(const bvec_at *)low;
}
static inline bvec largest_b(bvec a, bvec b) {
  for (int i = 0; i < 16; i++) b[i] = a[i] > b[i] ? a[i] : b[i];
  return b;
}
// Signed quads as pairs of 16 bits.
static inline ivec even_w(ivec w) {
  return (w << 24 >> 24 & 0xFFFF) | (w << 8 >> 24 << 16);
}
static inline ivec odd_w(ivec w) {
  return (w << 16 >> 24 & 0xFFFF) | (w >> 24 << 16);
}
static inline ivec even(ivec b) {
  return b & 0x00FF00FF;
}
static inline ivec odd(ivec b) {
  return (ivec)((uint32_t __attribute__((vector_size(16))))b >> 8) & 0x00FF00FF;
}
// Pairs of 16 bits by two products each: the upper one by shifting it down.
static inline ivec pairs_by(ivec b, int32_t a) {
  return (b & 0xFFFF) * (int32_t)(int16_t)a + (b >> 16) * (a >> 16);
}
static inline ivec dot(ivec s, ivec b_even, ivec b_odd, const int32_t *a) {
  return s + pairs_by(b_even, a[0]) + pairs_by(b_odd, a[1]);
}
static inline ivec dot_w(ivec s, ivec x_even, ivec x_odd, ivec w_even, ivec w_odd) {
  s += (x_even & 0xFFFF) * (w_even << 16 >> 16) + (x_even >> 16) * (w_even >> 16);
  return s + (x_odd & 0xFFFF) * (w_odd << 16 >> 16) + (x_odd >> 16) * (w_odd >> 16);
}
#include "cpu/quant_block_body.h"

const weft__quant_ops *weft__quant_find(void) {
#if defined(WEFT_KERNELS_X86)
  static const weft__quant_ops *const tables[WEFT__ISA_COUNT] = {&weft__quant_plain, &weft__quant_avx2,
                                                                 &weft__quant_avx512};
  int isa = weft__cpu_isa();
#if defined(WEFT_KERNELS_VNNI)
  if (weft__cpu_vnni(isa)) return isa == WEFT__ISA_AVX512 ? &weft__quant_avx512_vnni : &weft__quant_avx2_vnni;
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
