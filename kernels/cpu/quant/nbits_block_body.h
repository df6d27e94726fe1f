// nbits_block_body.h - the source of nbits_block.h's tables. The including file says TABLE, includes a
// vector_*.h, and defines NBITS_WIDEN(p), VEC bytes as int32, and NBITS_EVENS and NBITS_ODDS: the lists of
// __builtin_shufflevector that put two vectors into each other.
#include "cpu/gemm/block_vec.h"
#include "cpu/quant/nbits_block.h"

typedef int32_t ivec __attribute__((vector_size(VEC * 4)));

WEFT_INLINE vec reals(ivec v) {
  return __builtin_convertvector(v, vec);
}

WEFT_INLINE float total(vec v) {
  float sum[VEC];
  store(sum, v);
  for (size_t half = VEC / 2; half; half /= 2) {
    for (size_t i = 0; i < half; i++)
      sum[i] += sum[i + half];
  }
  return sum[0];
}

// One block: its bytes times rows of x, added to p.
WEFT_INLINE void block_4(size_t rows, const weft__nbits_line *l, const uint8_t *w, const float *x, vec *p) {
  for (size_t i = 0; i < l->block; i += 2 * VEC, w += VEC) {
    const ivec q = NBITS_WIDEN(w);
    const vec low = reals(q & 15);
    const vec high = reals(q >> 4);
    UNROLL
    for (size_t r = 0; r < rows; r++) {
      const float *at = x + r * l->block + i;
      p[r] += low * load(at);
      p[r] += high * load(at + VEC);
    }
  }
}
WEFT_INLINE void block_8(size_t rows, const weft__nbits_line *l, const uint8_t *w, const float *x, vec *p) {
  for (size_t i = 0; i < l->block; i += VEC, w += VEC) {
    const vec q = reals(NBITS_WIDEN(w));
    UNROLL
    for (size_t r = 0; r < rows; r++)
      p[r] += q * load(x + r * l->block + i);
  }
}

WEFT_INLINE void dot(int kind, size_t rows, const weft__nbits_line *l, float *out) {
  const size_t blob = kind == WEFT__NBITS_4 ? l->block / 2 : l->block;
  vec acc[WEFT__NBITS_ROWS] = {{0}};
  vec p[WEFT__NBITS_ROWS] = {{0}};
  for (size_t b = 0; b < l->blocks; b++) {
    UNROLL
    for (size_t r = 0; r < rows; r++)
      p[r] = load(l->sums + (b * rows + r) * VEC) * l->zero[b];
    if (kind == WEFT__NBITS_4)
      block_4(rows, l, l->w + b * blob, l->x + b * rows * l->block, p);
    else
      block_8(rows, l, l->w + b * blob, l->x + b * rows * l->block, p);
    UNROLL
    for (size_t r = 0; r < rows; r++)
      acc[r] += p[r] * l->scale[b];
  }
  UNROLL
  for (size_t r = 0; r < rows; r++)
    out[r] = total(acc[r]);
}

#define DOT(kind, rows)                                                    \
  static void dot_##kind##_##rows(const weft__nbits_line *l, float *out) { \
    dot(WEFT__NBITS_##kind, rows, l, out);                                 \
  }
DOT(4, 1)
DOT(4, 2)
DOT(4, 3)
DOT(4, 4)
DOT(8, 1)
DOT(8, 2)
DOT(8, 3)
DOT(8, 4)

static void unpack_4(const weft__nbits_line *l, float *to) {
  const uint8_t *w = l->w;
  for (size_t b = 0; b < l->blocks; b++) {
    for (size_t i = 0; i < l->block; i += 2 * VEC, w += VEC, to += 2 * VEC) {
      const ivec q = NBITS_WIDEN(w);
      const vec low = (reals(q & 15) + l->zero[b]) * l->scale[b];
      const vec high = (reals(q >> 4) + l->zero[b]) * l->scale[b];
      store(to, __builtin_shufflevector(low, high, NBITS_EVENS));
      store(to + VEC, __builtin_shufflevector(low, high, NBITS_ODDS));
    }
  }
}
static void unpack_8(const weft__nbits_line *l, float *to) {
  const uint8_t *w = l->w;
  for (size_t b = 0; b < l->blocks; b++) {
    for (size_t i = 0; i < l->block; i += VEC, w += VEC, to += VEC)
      store(to, (reals(NBITS_WIDEN(w)) + l->zero[b]) * l->scale[b]);
  }
}

const weft__nbits_ops TABLE = {
    .name = ISA,
    .vec = VEC,
    .dot = {{NULL, dot_4_1, dot_4_2, dot_4_3, dot_4_4}, {NULL, dot_8_1, dot_8_2, dot_8_3, dot_8_4}},
    .unpack = {unpack_4, unpack_8}};
// SPDX-License-Identifier: Apache-2.0
