// quant_block.c - which table of products of bytes runs, rows of bytes in lanes, and rows of quads.
#include "cpu/quant/quant_block.h"
#include "cpu/quant/quant_vec_128.h"

const weft__quant_ops *weft__quant_find(const weft_host *host) {
#if defined(__aarch64__)
#if defined(WEFT_KERNELS_NEON_BYTES)
  static const weft__quant_ops *const tables[WEFT__BYTES_COUNT] = {&weft__quant_neon, &weft__quant_neon_dot,
                                                                   &weft__quant_neon_i8mm};
  return tables[weft__cpu_bytes(host)];
#else
  (void)host;
  return &weft__quant_neon;
#endif
#elif defined(WEFT_KERNELS_X86)
#if defined(WEFT_KERNELS_VNNI)
  if (weft__cpu_bytes(host))
    return weft__cpu_isa(host) == WEFT__ISA_AVX512 ? &weft__quant_avx512_vnni : &weft__quant_avx2_vnni;
#endif
#endif
#if !defined(__aarch64__)
  return WEFT__BY_ISA(host, weft__quant);
#endif
}

// Places [i, i + 16), [i, i + 8), [i, i + 4) of four rows.
static inline void lanes_16(const uint8_t *const row[4], size_t i, uint8_t flip, uint32_t *to) {
  bvec r[4];
  bvec ab[2];
  bvec cd[2];
  ivec v[4];
  for (int t = 0; t < 4; t++)
    r[t] = *(const bvec_at *)(row[t] + i) ^ flip;
  mix_bytes(r[0], r[1], &ab[0], &ab[1]);
  mix_bytes(r[2], r[3], &cd[0], &cd[1]);
  mix_pairs(ab[0], cd[0], &v[0], &v[1]);
  mix_pairs(ab[1], cd[1], &v[2], &v[3]);
  for (int t = 0; t < 4; t++)
    *(ivec_at *)(to + i + 4 * t) = v[t];
}
static inline void lanes_few(const uint8_t *const row[4], size_t i, size_t n, uint8_t flip, uint32_t *to) {
  bvec r[4];
  bvec ab;
  bvec cd;
  bvec unused;
  ivec v[2];
  for (int t = 0; t < 4; t++) {
    r[t] = (bvec){0};
    memcpy(&r[t], row[t] + i, n);
    r[t] ^= flip;
  }
  mix_bytes(r[0], r[1], &ab, &unused);
  mix_bytes(r[2], r[3], &cd, &unused);
  mix_pairs(ab, cd, &v[0], &v[1]);
  memcpy(to + i, v, n * sizeof *to);
}

void weft__quant_lanes(const uint8_t *const row[4], size_t n, uint8_t flip, uint32_t *to) {
  size_t i = 0;
  for (; i + 16 <= n; i += 16)
    lanes_16(row, i, flip, to);
  if (i == n)
    return;
  if (n >= 16) {
    lanes_16(row, n - 16, flip, to);  // some places again
  } else if (n >= 8) {
    lanes_few(row, 0, 8, flip, to);
    lanes_few(row, n - 8, 8, flip, to);
  } else if (n >= 4) {
    lanes_few(row, 0, 4, flip, to);
    lanes_few(row, n - 4, 4, flip, to);
  } else {
    for (; i < n; i++) {
      for (int t = 0; t < 4; t++)
        ((uint8_t *)(to + i))[t] = row[t][i] ^ flip;
    }
  }
}

typedef uint16_t shorts __attribute__((vector_size(16)));
typedef int16_t signed_shorts __attribute__((vector_size(16)));

// ---- right operands ----
void weft__quant_columns(const weft__quant_right *from, size_t i, uint32_t *to, int32_t *out_sum) {
  const size_t row = from->row;
  const size_t n = from->n;
  const size_t left = from->k - i;
  const uint8_t flip = from->flip;
  const uint8_t *at = from->b + i * row;
  if (left >= 4) {
    weft__quant_lanes((const uint8_t *const[]){at, at + row, at + 2 * row, at + 3 * row}, n, flip, to);
  } else {
    memset(to, 0, n * sizeof *to);
    for (size_t r = 0; r < left; r++) {
      for (size_t j = 0; j < n; j++)
        to[j] |= (uint32_t)(at[r * row + j] ^ flip) << 8 * r;
    }
  }
  if (from->moved) {
    for (size_t j = 0; j < n; j++)
      out_sum[j] += (int8_t)to[j] + (int8_t)(to[j] >> 8) + (int8_t)(to[j] >> 16) + (int8_t)(to[j] >> 24);
  } else {
    for (size_t j = 0; j < n; j++)
      out_sum[j] += (int32_t)((to[j] & 255) + (to[j] >> 8 & 255) + (to[j] >> 16 & 255) + (to[j] >> 24));
  }
}

int32_t *weft__quant_put_quads(const uint32_t *quads, size_t vec, bool order, bool pairs, int32_t *to) {
  for (size_t j = 0; j < 2 * vec; j += 4) {
    const ivec v = *(const ivec_at *)(quads + (order ? weft__quant_lane(j, vec) : j));
    if (!pairs) {
      *(ivec_at *)(to + j) = v;
      continue;
    }
    bvec low;
    bvec high;
    mix_bytes((bvec)v, (bvec)v, &low, &high);
    const ivec a = (ivec)((signed_shorts)low >> 8);
    const ivec b = (ivec)((signed_shorts)high >> 8);
    *(ivec_at *)(to + j) = __builtin_shufflevector(a, b, 0, 2, 4, 6);
    *(ivec_at *)(to + 2 * vec + j) = __builtin_shufflevector(a, b, 1, 3, 5, 7);
  }
  return to + (pairs ? 4 : 2) * vec;
}

// ---- left operands ----
enum { TURN_ROWS = 4, TURN_BYTES = 16, SUM_BYTES = 2048 };  // of so many bytes 16 bits hold the sums

// Quads of row r from byte `at` on; their sum.
static int32_t turn_rest(const weft__quant_left *l, size_t r, size_t at) {
  const size_t k = l->k;
  const uint8_t *x = l->x + r * k;
  int32_t *to = l->to + r * l->wide + at / 4 * l->step;
  int32_t sum = 0;
  for (; at < k; at += 4, to += l->step) {
    uint32_t v = 0;
    uint32_t all = l->flip * 0x01010101u;
    int8_t b[4];
    if (k - at < 4) {
      memcpy(&v, x + at, k - at);
      all &= (1u << 8 * (k - at)) - 1;
    } else
      memcpy(&v, x + at, sizeof v);
    v ^= all;
    memcpy(b, &v, sizeof v);
    sum += b[0] + b[1] + b[2] + b[3];
    weft__quant_quad(l->wide, b, to);
  }
  return sum;
}

// The same quad of four rows: one lane each, or two.
static inline void put_quads(ivec v, uint32_t wide, int32_t *to) {
  if (wide == 1) {
    *(ivec_at *)to = v;
    return;
  }
  const ivec even = (ivec)((signed_shorts)((shorts)v << 8) >> 8);
  const ivec odd = (ivec)((signed_shorts)v >> 8);
  *(ivec_at *)to = __builtin_shufflevector(even, odd, 0, 4, 1, 5);
  *(ivec_at *)(to + 4) = __builtin_shufflevector(even, odd, 2, 6, 3, 7);
}

// Bytes [from, end) of four rows, a multiple of 16 of them; sums of the bytes and 128 each are added.
static void turn_four(const weft__quant_left *l, size_t row, size_t from, size_t end,
                      int32_t sum[TURN_ROWS]) {
  const size_t x_row = l->k;
  const size_t step = l->step;
  const uint32_t wide = l->wide;
  const uint8_t flip = l->flip;
  const uint8_t *x = l->x + row * x_row;
  int32_t *to = l->to + row * wide + from / 4 * step;
  shorts s[TURN_ROWS] = {{0}, {0}, {0}, {0}};
  for (size_t i = from; i < end; i += TURN_BYTES, to += 4 * step) {
    ivec v[4];
    ivec p[4];
    for (int r = 0; r < TURN_ROWS; r++) {
      const bvec b = *(const bvec_at *)(x + (size_t)r * x_row + i) ^ flip;
      const shorts above = (shorts)(b ^ 128);
      v[r] = (ivec)b;
      s[r] += (above & 255) + (above >> 8);
    }
    for (size_t h = 0; h < 2; h++) {
      p[2 * h] = __builtin_shufflevector(v[2 * h], v[2 * h + 1], 0, 4, 1, 5);
      p[2 * h + 1] = __builtin_shufflevector(v[2 * h], v[2 * h + 1], 2, 6, 3, 7);
    }
    for (size_t h = 0; h < 2; h++) {
      put_quads(__builtin_shufflevector(p[h], p[2 + h], 0, 1, 4, 5), wide, to + 2 * h * step);
      put_quads(__builtin_shufflevector(p[h], p[2 + h], 2, 3, 6, 7), wide, to + (2 * h + 1) * step);
    }
  }
  for (int r = 0; r < TURN_ROWS; r++) {
    for (int i = 0; i < 8; i++)
      sum[r] += s[r][i];
  }
}

void weft__quant_turn(const weft__quant_left *given, int32_t *out_sum) {
  const weft__quant_left l = *given;  // kept here: what is stored might be it
  const size_t whole = l.rows < TURN_ROWS ? 0 : l.k / TURN_BYTES * TURN_BYTES;
  for (size_t r = 0; r < l.rows && whole; r += TURN_ROWS) {
    size_t row = WEFT_MIN(r, l.rows - TURN_ROWS);  // some rows again
    int32_t sum[TURN_ROWS] = {0};
    for (size_t from = 0; from < whole; from += SUM_BYTES)
      turn_four(&l, row, from, WEFT_MIN(whole, from + SUM_BYTES), sum);
    for (size_t i = 0; i < TURN_ROWS; i++)
      out_sum[row + i] = sum[i] - 128 * (int32_t)whole;
  }
  for (size_t r = 0; r < l.rows; r++)
    out_sum[r] = (whole ? out_sum[r] : 0) + turn_rest(&l, r, whole);
}
// SPDX-License-Identifier: Apache-2.0
