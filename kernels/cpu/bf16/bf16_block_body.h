// bf16_block_body.h - the source of bf16_block.h's tables. The including file includes a vector_*.h and says
// ROWS, TABLE, and when it has dot products DOTS: then also `factors`, factors_of, dot and leave_point.
#include "cpu/bf16/bf16_block.h"
#include "cpu/blocked/blocked_steps.h"

typedef uint32_t uvec __attribute__((vector_size(VEC * 4)));
typedef uint32_t uvec_at __attribute__((vector_size(VEC * 4), aligned(4), may_alias));

// Rounded, in the upper halves; what lies in the lower ones does not count.
WEFT_INLINE uvec rounded(uvec u) {
  const uvec nan = (uvec)((u & 0x7FFFFFFFu) > (uvec){0} + 0x7F800000u);
  return ((u | 0x400000u) & nan) | ((u + 0x7FFFu + (u >> 16 & 1u)) & ~nan);
}

#if !defined(DOTS)
#define DOTS false
// Both halves of pairs, as floats.
typedef struct factors {
  vec low, high;
} factors;
WEFT_INLINE factors factors_of(uvec w) {
  return (factors){(vec)(w << 16), (vec)(w & 0xFFFF0000u)};
}
WEFT_INLINE vec dot(vec s, const uint32_t *x, factors w) {
  const uvec pair = *x - (uvec){0};
  s += w.low * (vec)(pair << 16);
  return s + w.high * (vec)(pair & 0xFFFF0000u);
}
// Pairs of numbers that lie side by side.
WEFT_INLINE void leave_point(uint32_t *to, vec v) {
  typedef uint64_t two __attribute__((vector_size(VEC * 4)));
  typedef uint32_t half __attribute__((vector_size(VEC * 2)));
  typedef uint32_t half_at __attribute__((vector_size(VEC * 2), aligned(4), may_alias));
  two u = (two)rounded((uvec)v);  // little endian: the first number is the lower half
  u = (u >> 16 & 0xFFFFu) | (u >> 32 & 0xFFFF0000u);
  *(half_at *)to = __builtin_convertvector(u, half);
}
// Pairs of a number of each.
WEFT_INLINE uvec both(vec low, vec high) {
  return rounded((uvec)low) >> 16 | (rounded((uvec)high) & 0xFFFF0000u);
}
#endif

WEFT_INLINE factors factors_at(const uint32_t *p) {
  return factors_of(*(const uvec_at *)p);
}

typedef uint32_t elem;
#define UNIT WEFT__BF16_C0
#include "cpu/blocked/blocked_reduce.h"

#include "cpu/blocked/blocked_window.h"

// ---- rows of a plain output ----
WEFT_INLINE void out(size_t rows, size_t k, const uint32_t *a, size_t a_row, const uint32_t *w,
                     const char *ahead, const weft__rows_out *o) {
  const uint32_t *base[(ROWS + 2) / 3];
  fetch_rows(rows, o);
  UNROLL
  for (size_t i = 0; i < rows; i += 3)
    base[i / 3] = a + i * a_row;
  vec s[ROWS][2];
  UNROLL
  for (size_t i = 0; i < rows; i++)
    s[i][0] = s[i][1] = (vec){0};
  for (size_t j = 0; j < k; j++, w += COLS, ahead += 64) {
    const factors w0 = factors_at(w);
    const factors w1 = factors_at(w + VEC);
    __builtin_prefetch(ahead, 0, 2);
    UNROLL
    for (size_t i = 0; i < rows; i++) {
      const uint32_t *x = base[i / 3] + i % 3 * a_row + j;
      s[i][0] = dot(s[i][0], x, w0);
      s[i][1] = dot(s[i][1], x, w1);
    }
  }
  leave_rows(rows, s, NULL, false, o);
}
#define OUT(n)                                                                                         \
  static void out_##n(size_t k, const uint32_t *a, size_t a_row, const uint32_t *w, const char *ahead, \
                      const weft__rows_out *o) {                                                       \
    out(n, k, a, a_row, w, ahead, o);                                                                  \
  }
EACH_ROW(OUT)
#define O(n) [n] = out_##n,

// ---- products ----
WEFT_INLINE void wide(size_t rows, size_t k, const uint32_t *a, size_t a_row, const uint32_t *b,
                      size_t b_panel, float *out) {
  vec s[WEFT__BF16_WIDE_ROWS][WEFT__GEMM_WIDE][2];
  UNROLL
  for (size_t i = 0; i < rows; i++)
    UNROLL
  for (size_t p = 0; p < WEFT__GEMM_WIDE; p++)
    s[i][p][0] = s[i][p][1] = (vec){0};
  for (; k; k--) {
    UNROLL
    for (size_t p = 0; p < WEFT__GEMM_WIDE; p++) {
      const uint32_t *at = b + p * b_panel;
      factors w0 = factors_at(at);
      factors w1 = factors_at(at + VEC);
      __builtin_prefetch((const char *)at + 1024, 0, 3);
      if (COLS > 16)
        __builtin_prefetch((const char *)at + 1088, 0, 3);
      UNROLL
      for (size_t i = 0; i < rows; i++) {
        const uint32_t *x = a + i * a_row;
        s[i][p][0] = dot(s[i][p][0], x, w0);
        s[i][p][1] = dot(s[i][p][1], x, w1);
      }
    }
    a++;
    b += COLS;
  }
  UNROLL
  for (size_t p = 0; p < WEFT__GEMM_WIDE; p++)
    UNROLL
  for (size_t i = 0; i < rows; i++) {
    float *to = out + p * WEFT__GEMM_ROWS * TILE + i * TILE;
    store(to, s[i][p][0]);
    store(to + VEC, s[i][p][1]);
  }
}
#define WIDE(n)                                                                                      \
  static void wide_##n(size_t k, const uint32_t *a, size_t a_row, const uint32_t *b, size_t b_panel, \
                       float *out) {                                                                 \
    wide(n, k, a, a_row, b, b_panel, out);                                                           \
  }
WIDE(1)
WIDE(2)
WIDE(3)

// ---- operands ----
static void zip(uint32_t *to, const float *low, const float *high, size_t n) {
  size_t i = 0;
  for (; i + VEC <= n; i += VEC) {
    uvec a = rounded((uvec)load(low + i)) >> 16;
    if (high)
      a |= rounded((uvec)load(high + i)) & 0xFFFF0000u;
    *(uvec_at *)(to + i) = a;
  }
  for (; i < n; i++)
    to[i] = weft__bf16_pair(low[i], high ? high[i] : 0.0f);
}

static void zip_in(uint32_t *to, const float *low, const float *high, size_t n) {
  size_t i = 0;
  for (; i + VEC <= n; i += VEC)
    *(uvec_at *)(to + i) = both(load(low + i), high ? load(high + i) : (vec){0});
  if (i < n)
    zip(to + i, low + i, high ? high + i : NULL, n - i);
}

static void zip_rows(uint32_t *to, const float *from, size_t from_row, size_t rows, size_t n) {
  for (size_t i = 0; i < rows; i += 2, from += 2 * from_row, to += COLS) {
    const float *high = i + 1 < rows ? from + from_row : NULL;
    if (n < COLS) {
      zip_in(to, from, high, n);
      memset(to + n, 0, (COLS - n) * sizeof *to);
      continue;
    }
    *(uvec_at *)to = both(load(from), high ? load(high) : (vec){0});
    *(uvec_at *)(to + VEC) = both(load(from + VEC), high ? load(high + VEC) : (vec){0});
  }
}

static void pairs(uint32_t *to, const float *from, size_t n) {
  size_t i = 0;
  for (; i + VEC <= n; i += VEC, to += VEC / 2)
    leave_point(to, load(from + i));
  for (; i < n; i += 2)
    *to++ = weft__bf16_pair(from[i], i + 1 < n ? from[i + 1] : 0.0f);
}

const weft__bf16_ops TABLE = {.name = ISA,
                              .dots = DOTS,
                              .vec = VEC,
                              .rows = ROWS,
                              .cols = COLS,
                              .reduce = REDUCE,
                              .out = {EACH_ROW(O)},
                              .wide = {NULL, wide_1, wide_2, wide_3},
                              .pairs = pairs,
                              .zip = zip,
                              .zip_in = zip_in,
                              .zip_rows = zip_rows,
                              .window = window};
// SPDX-License-Identifier: Apache-2.0
