// quant_block_body.h - the source of quant_block.h's tables. The including file says VEC (lanes of a vector),
// ROWS, WIDE, TABLE, NAME, the types ivec, fvec, bvec and the same unaligned (ivec_at, ...), and
//
//   MOVED                               see quant_block.h; 0 where it is not said
//   even(b), odd(b)                     of WIDE 2; of WIDE 1 quant_bytes.h's
//   dot(sum, b_even, b_odd, a)          sum + the quad a times b
//   PAIRS, dot_pair(sum, x, w), kept(v)  1: packed tiles of pairs; sum + pairs of 16 bits by pairs; v
//   mix_bytes(a, b, &low, &high)        interleave, within 128 bits; mix_pairs the same with pairs of bytes
//   pack(q)                             the low bytes of four vectors that mix_* has made, in order
//   narrow(v, to), widen(p, is_signed)  VEC lanes to bytes and back
//   largest(a, b), least(a, b)          b where a number is NaN
#include "cpu/simd/each_row.h"
#include "cpu/simd/unroll.h"

#if !defined(MOVED)
#define MOVED 0
#endif
#define COLS  (2 * VEC)
#define TILE  WEFT__QUANT_COLS  // from row to row of a tile
#define MAGIC 12582912.0f       // 1.5 * 2^23: what is added to it is rounded to an integer, halves to even

WEFT_INLINE ivec load_i(const void *p) {
  return *(const ivec_at *)p;
}
WEFT_INLINE fvec load_f(const float *p) {
  return *(const fvec_at *)p;
}
WEFT_INLINE ivec spread_i(int32_t x) {
  return x - (ivec){0};
}
WEFT_INLINE fvec spread_f(float x) {
  return x - (fvec){0};
}

// ---- tiles ----
WEFT_INLINE void tile(size_t rows, size_t vecs, const weft__quant_tile *t, int32_t *out) {
  const size_t a_k = t->a_k;
  const size_t b_k = t->b_k;
  const int32_t *a = t->a;
  const uint32_t *b = t->b;
  ivec s[ROWS][2];
  UNROLL
  for (size_t i = 0; i < rows; i++)
    s[i][0] = s[i][1] = (ivec){0};
  for (size_t k = t->k; k; k--, a += a_k, b += b_k) {
    ivec b0 = load_i(b);
    ivec b1 = vecs > 1 ? load_i(b + VEC) : b0;
    ivec e0 = even(b0);
    ivec o0 = odd(b0);
    ivec e1 = even(b1);
    ivec o1 = odd(b1);
    __builtin_prefetch(a + 4 * a_k, 0, 3);
    UNROLL
    for (size_t i = 0; i < rows; i++) {
      s[i][0] = dot(s[i][0], e0, o0, a + i * WIDE);
      if (vecs > 1)
        s[i][1] = dot(s[i][1], e1, o1, a + i * WIDE);
    }
  }
  UNROLL
  for (size_t i = 0; i < rows; i++) {
    *(ivec_at *)(out + i * TILE) = s[i][0];
    if (vecs > 1)
      *(ivec_at *)(out + i * TILE + VEC) = s[i][1];
  }
}
#define ROW(n)                                                   \
  static void one_##n(const weft__quant_tile *t, int32_t *out) { \
    tile(n, 1, t, out);                                          \
  }                                                              \
  static void two_##n(const weft__quant_tile *t, int32_t *out) { \
    tile(n, 2, t, out);                                          \
  }
EACH_ROW(ROW)

// ---- rounding ----
// Bytes (in the low 8 bits) of a number between low and high, which are integers of a byte's size.
WEFT_INLINE ivec round_to(fvec x, fvec low, fvec high, ivec zero) {
  x = least(high, largest(low, x)) + MAGIC;
  return (ivec)x + zero;
}
// What is added to the bits of a rounded number.
WEFT_INLINE int32_t zero_bits(int32_t zero) {
  return zero - 0x4B400000;
}

WEFT_INLINE void put_bytes(uint8_t *y, ivec q, size_t n) {
  uint8_t part[VEC];
  if (n >= VEC) {
    narrow(q, y);
    return;
  }
  narrow(q, part);
  size_t i = 0;
  if (VEC > 8 && n & 8) {
    memcpy(y, part, 8);
    i = 8;
  }
  if (VEC > 4 && n & 4) {
    memcpy(y + i, part + i, 4);
    i += 4;
  }
  if (n & 2) {
    memcpy(y + i, part + i, 2);
    i += 2;
  }
  if (n & 1)
    y[i] = part[i];
}

WEFT_INLINE ivec corrected(const int32_t *tile, const weft__quant_out *o, size_t i, size_t j) {
  ivec x = load_i(tile + i * TILE + j);
  if (o->row_add)
    x += o->row_add[i];
  if (o->col_add)
    x += load_i(o->col_add + j);
  if (o->row_by)
    x += load_i(o->col_by + j) * o->row_by[i];
  return x;
}

// The usual one: whole rows of bytes, a summand and a factor a row.
WEFT_INLINE void usual(const int32_t *tile, const weft__quant_out *o) {
  const fvec low = spread_f(o->low);
  const fvec high = spread_f(o->high);
  const ivec zero = spread_i(zero_bits(o->zero));
  const size_t y_row = o->y_row;
  const int32_t *add = o->row_add;
  const float *factor = o->factor;
  uint8_t *y = o->y;
  for (size_t i = 0, rows = o->rows; i < rows; i++, tile += TILE, y += y_row) {
    fvec f = spread_f(factor[i]);
    for (size_t j = 0; j < COLS; j += VEC) {
      ivec x = load_i(tile + j) + add[i];
      narrow(round_to(__builtin_convertvector(x, fvec) * f, low, high, zero), y + j);
    }
  }
}

static void finish(const int32_t *tile, const weft__quant_out *o) {
  if (o->factor && !o->factor_by_col && o->row_add && !o->col_add && !o->row_by && o->cols == COLS) {
    usual(tile, o);
    return;
  }
  const fvec low = spread_f(o->low);
  const fvec high = spread_f(o->high);
  const ivec zero = spread_i(zero_bits(o->zero));
  for (size_t i = 0; i < o->rows; i++) {
    for (size_t j = 0; j < o->cols; j += VEC) {
      size_t n = o->cols - j;
      ivec x = corrected(tile, o, i, j);
      if (!o->factor) {
        int32_t *y = (int32_t *)o->y + i * o->y_row + j;
        if (n >= VEC)
          *(ivec_at *)y = x;
        else
          memcpy(y, &x, n * sizeof *y);
        continue;
      }
      fvec f = o->factor_by_col ? load_f(o->factor + j) : spread_f(o->factor[i]);
      put_bytes((uint8_t *)o->y + i * o->y_row + j,
                round_to(__builtin_convertvector(x, fvec) * f, low, high, zero), n);
    }
  }
}

// ---- taps ----
// Of 4 * vec places from `i` on.
WEFT_INLINE void four_sums(const weft__quant_line *l, size_t i, ivec s[4]) {
  const uint8_t *x = l->x + i;
  const uint32_t *at = l->at;
  const int32_t *w = l->w;
  UNROLL
  for (int t = 0; t < 4; t++)
    s[t] = spread_i(l->add);
  for (size_t q = l->quads; q; q--, at += 4, w += WIDE) {
    bvec r[4];
    bvec ab[2];
    bvec cd[2];
    ivec v[4];
    UNROLL
    for (int t = 0; t < 4; t++)
      r[t] = *(const bvec_at *)(x + at[t]);
    mix_bytes(r[0], r[1], &ab[0], &ab[1]);
    mix_bytes(r[2], r[3], &cd[0], &cd[1]);
    mix_pairs(ab[0], cd[0], &v[0], &v[1]);
    mix_pairs(ab[1], cd[1], &v[2], &v[3]);
    UNROLL
    for (int t = 0; t < 4; t++)
      s[t] = dot(s[t], even(v[t]), odd(v[t]), w);
  }
}

static void taps(const weft__quant_line *given, uint8_t *y) {
  const weft__quant_line l = *given;  // kept here: what is stored might be it
  const fvec low = spread_f(l.low);
  const fvec high = spread_f(l.high);
  const fvec f = spread_f(l.factor);
  const ivec z = spread_i(zero_bits(l.zero));
  for (size_t i = 0; i < l.n; i += 4 * VEC) {
    ivec s[4];
    four_sums(&l, i, s);
    UNROLL
    for (int t = 0; t < 4; t++)
      s[t] = round_to(__builtin_convertvector(s[t], fvec) * f, low, high, z);
    *(bvec_at *)(y + i) = pack(s);
  }
}

static void taps_sums(const weft__quant_line *given, int32_t *y) {
  const weft__quant_line l = *given;
  for (size_t i = 0; i < l.n; i += 4 * VEC) {
    ivec s[4];
    four_sums(&l, i, s);
    for (size_t lane = 0; lane < VEC / 4; lane++)  // vector t has columns 4 * t.. of each 16
      for (size_t t = 0; t < 4; t++)
        memcpy(y + i + lane * 16 + t * 4, (const int32_t *)&s[t] + lane * 4, 4 * sizeof *y);
  }
}

#include "cpu/quant/quant_blocked_body.h"

// ---- numbers and bytes ----
WEFT_INLINE fvec quotient(fvec x, fvec scale) {
  x /= scale;
  return (fvec)((ivec)x & (x == x));  // NaN counts as 0
}

static void quantize(const float *x, size_t n, const weft__quant_to *to, uint8_t *y) {
  const fvec low = spread_f(to->low);
  const fvec high = spread_f(to->high);
  const fvec scale = spread_f(to->scale);
  const ivec zero = spread_i(zero_bits(to->zero));
  size_t i = 0;
  for (; i + VEC <= n; i += VEC)
    narrow(round_to(quotient(load_f(x + i), scale), low, high, zero), y + i);
  if (i == n)
    return;
  fvec last = {0};
  memcpy(&last, x + i, (n - i) * sizeof *x);
  put_bytes(y + i, round_to(quotient(last, scale), low, high, zero), n - i);
}

WEFT_INLINE fvec numbers(const uint8_t *x, bool is_signed, ivec zero, fvec scale) {
  return __builtin_convertvector(widen(x, is_signed) - zero, fvec) * scale;
}

static void dequantize(const uint8_t *x, size_t n, const weft__quant_from *from, float *y) {
  const ivec zero = spread_i(from->zero);
  const fvec scale = spread_f(from->scale);
  size_t i = 0;
  for (; i + VEC <= n; i += VEC)
    *(fvec_at *)(y + i) = numbers(x + i, from->is_signed, zero, scale);
  if (i == n)
    return;
  uint8_t part[VEC] = {0};
  memcpy(part, x + i, n - i);
  fvec last = numbers(part, from->is_signed, zero, scale);
  memcpy(y + i, &last, (n - i) * sizeof *y);
}

WEFT_INLINE ivec one_pair(const uint8_t *a, const uint8_t *b, const weft__quant_pair *p, int op, bool clip) {
  fvec x = numbers(a, p->a.is_signed, spread_i(p->a.zero), spread_f(p->a.scale));
  if (op != WEFT__QUANT_ONE) {
    fvec v = numbers(b, p->b.is_signed, spread_i(p->b.zero), spread_f(p->b.scale));
    x = op == WEFT__QUANT_ADD ? x + v : x * v;
  }
  if (clip)
    x = least(spread_f(p->most), largest(spread_f(p->least), x));
  return round_to(quotient(x, spread_f(p->to.scale)), spread_f(p->to.low), spread_f(p->to.high),
                  spread_i(zero_bits(p->to.zero)));
}

WEFT_INLINE void pairs(const uint8_t *a, const uint8_t *b, size_t n, const weft__quant_pair *given,
                       uint8_t *y, int op, bool clip) {
  const weft__quant_pair p = *given;  // kept here: what is stored might be it
  uint8_t x[VEC] = {0};
  uint8_t v[VEC] = {0};
  size_t i = 0;
  for (; i + VEC <= n; i += VEC)
    narrow(one_pair(a + i, b + i, &p, op, clip), y + i);
  if (i == n)
    return;
  memcpy(x, a + i, n - i);
  memcpy(v, b + i, n - i);
  put_bytes(y + i, one_pair(x, v, &p, op, clip), n - i);
}

static void pair(const uint8_t *a, const uint8_t *b, size_t n, const weft__quant_pair *p, uint8_t *y) {
  switch (p->op * 2 + p->clip) {
    case WEFT__QUANT_ADD * 2:
      pairs(a, b, n, p, y, WEFT__QUANT_ADD, false);
      break;
    case WEFT__QUANT_ADD * 2 + 1:
      pairs(a, b, n, p, y, WEFT__QUANT_ADD, true);
      break;
    case WEFT__QUANT_MUL * 2:
      pairs(a, b, n, p, y, WEFT__QUANT_MUL, false);
      break;
    case WEFT__QUANT_MUL * 2 + 1:
      pairs(a, b, n, p, y, WEFT__QUANT_MUL, true);
      break;
    default:
      pairs(a, a, n, p, y, WEFT__QUANT_ONE, p->clip);
  }
}

// Bytes as numbers, in the order in which `saturated` takes them.
WEFT_INLINE void numbers_of(bvec v, fvec out[4]) {
  const bvec none = {0};
  bvec low;
  bvec high;
  ivec q[4];
  mix_bytes(v, none, &low, &high);
  mix_pairs(low, none, &q[0], &q[1]);
  mix_pairs(high, none, &q[2], &q[3]);
  UNROLL
  for (int t = 0; t < 4; t++)
    out[t] = __builtin_convertvector(q[t], fvec);
}

WEFT_INLINE bvec one_blend(const uint8_t *a, const uint8_t *b, const weft__quant_blend *m, bool two) {
  const ivec zero = spread_i((int32_t)((uint32_t)m->zero * 0x10001u));
  fvec x[4];
  fvec v[4];
  numbers_of(load_b(a) ^ m->flip_a, x);
  if (two)
    numbers_of(load_b(b) ^ m->flip_b, v);
  UNROLL
  for (int t = 0; t < 4; t++)
    x[t] = x[t] * m->by_a + (two ? v[t] * m->by_b + m->add : spread_f(m->add));
  // The larger of what is turned upside down is the smaller one.
  const bvec high = (uint8_t)~m->high - (bvec){0};
  const bvec y = largest_b(saturated(x, zero), m->low - (bvec){0});
  return largest_b(~y, high) ^ (uint8_t)(m->flip ^ 255);
}

WEFT_INLINE void blends(const uint8_t *a, const uint8_t *b, size_t n, const weft__quant_blend *given,
                        uint8_t *y, bool two) {
  const weft__quant_blend m = *given;  // kept here: what is stored might be it
  uint8_t x[sizeof(bvec)] = {0};
  uint8_t v[sizeof(bvec)] = {0};
  size_t i = 0;
  for (; i + sizeof(bvec) <= n; i += sizeof(bvec))
    *(bvec_at *)(y + i) = one_blend(a + i, b + i, &m, two);
  if (i == n)
    return;
  memcpy(x, a + i, n - i);
  memcpy(v, b + i, n - i);
  const bvec last = one_blend(x, v, &m, two);
  memcpy(y + i, &last, n - i);
}

static void blend(const uint8_t *a, const uint8_t *b, size_t n, const weft__quant_blend *m, uint8_t *y) {
  if (m->two)
    blends(a, b, n, m, y, true);
  else
    blends(a, a, n, m, y, false);
}

static void flip(const uint8_t *x, size_t n, uint8_t by, uint8_t *restrict y) {
  size_t i = 0;
  for (; i + sizeof(bvec) <= n; i += sizeof(bvec))
    *(bvec_at *)(y + i) = load_b(x + i) ^ by;
  for (; i < n; i++)
    y[i] = x[i] ^ by;
}

#define N1(n) [n] = one_##n,
#define N2(n) [n] = two_##n,
#define P1(n) [n] = packed_##n,
#define P2(n) [n] = packed_unit_##n,
#define PR(n) [n] = product_##n,
#define R1(n) [n] = packed_rows_##n,
#define R2(n) [n] = packed_rows_unit_##n,
const weft__quant_ops TABLE = {.name = NAME,
                               .vec = VEC,
                               .rows = ROWS,
                               .cols = COLS,
                               .wide = WIDE,
                               .pairs = PAIRS,
                               .moved = MOVED,
                               .tile = {{EACH_ROW(N1)}, {EACH_ROW(N2)}},
                               .finish = finish,
                               .taps = taps,
                               .taps_sums = taps_sums,
                               .packed = {{EACH_ROW(P1)}, {EACH_ROW(P2)}},
                               .packed_rows = {{HALF_ROWS(R1)}, {HALF_ROWS(R2)}},
                               .product = {EACH_ROW(PR)},
                               .product_pairs = {EACH_ROW(PP)},
                               .packed_taps = packed_taps,
                               .packed_taps_rows = packed_taps_rows,
                               WINOGRAD.quantize = quantize,
                               .dequantize = dequantize,
                               .pair = pair,
                               .flip = flip,
                               .blend = blend,
                               .fixed_pair = fixed_pair};
// SPDX-License-Identifier: Apache-2.0
