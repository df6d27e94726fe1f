// quant_block_plain.c - products of bytes in vectors of 128 bits that every compiler knows.
#include "cpu/quant/quant_block.h"
#include "cpu/quant/quant_vec_128.h"

#define ROWS  4
#define WIDE  2
#define TABLE weft__quant_plain
#define NAME  "plain"

static inline fvec largest(fvec a, fvec b) {
  for (int i = 0; i < VEC; i++)
    b[i] = a[i] > b[i] ? a[i] : b[i];
  return b;
}
static inline fvec least(fvec a, fvec b) {
  for (int i = 0; i < VEC; i++)
    b[i] = a[i] < b[i] ? a[i] : b[i];
  return b;
}
static inline bvec pack(const ivec q[4]) {
  bvec v;
  for (int i = 0; i < 16; i++)
    v[i] = (uint8_t)q[i / 4][i % 4];
  return v;
}
static inline void narrow(ivec v, uint8_t *to) {
  for (int i = 0; i < VEC; i++)
    to[i] = (uint8_t)v[i];
}
static inline ivec widen(const uint8_t *p, bool is_signed) {
  ivec v;
  for (int i = 0; i < VEC; i++)
    v[i] = is_signed ? (int8_t)p[i] : p[i];
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
// The same of whole numbers of any size.
static inline bvec saturated_i(const ivec x[4], ivec zero) {
  bvec v;
  for (int i = 0; i < 16; i++) {
    const int64_t n = (int64_t)x[i / 4][i % 4] + (zero[0] & 0xFFFF);
    v[i] = (uint8_t)(n < 0 ? 0 : n > 255 ? 255 : n);
  }
  return v;
}
static inline bvec largest_b(bvec a, bvec b) {
  for (int i = 0; i < 16; i++)
    b[i] = a[i] > b[i] ? a[i] : b[i];
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
#include "cpu/quant/quant_block_body.h"
// SPDX-License-Identifier: Apache-2.0
