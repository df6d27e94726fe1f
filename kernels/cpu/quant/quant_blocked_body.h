// quant_blocked_body.h - the part of quant_block_body.h for bytes in NC1HWC0: tiles of places by filters,
// where one quad of a place's channels meets a vector of filters, and sums of taps by channel; and tiles of
// rows of a plain left operand in the same way. All goes to its bytes from registers. The including file also
// says
//
//   even_w(w), odd_w(w)                          of signed quads as even and odd are of unsigned ones
//   dot_w(sum, x_even, x_odd, w_even, w_odd)     sum + the quads x times w
//   saturated(x, zero), split(v), largest_b, beside   see quant_vec_512.h
//   X_QUAD, x_quad, one_quad(p), dot_quad(sum, x, w_even, w_odd)  where a quad of a place need not be spread
#pragma once

#if !defined(X_QUAD)
typedef struct x_quad {
  ivec even, odd;
} x_quad;
WEFT_INLINE x_quad one_quad(const void *p) {
  int32_t quad;
  memcpy(&quad, p, sizeof quad);
  const ivec x = spread_i(quad);
  return (x_quad){even(x), odd(x)};
}
WEFT_INLINE ivec dot_quad(ivec s, x_quad x, ivec w_even, ivec w_odd) {
  return dot_w(s, x.even, x.odd, w_even, w_odd);
}
#endif

#if !defined(PAIRS)
#define PAIRS 0
WEFT_INLINE ivec kept(ivec v) {
  return v;
}
WEFT_INLINE ivec dot_pair(ivec s, ivec x, ivec w) {
  return s + (x << 16 >> 16) * (w << 16 >> 16) + (x >> 16) * (w >> 16);
}
#endif
WEFT_INLINE ivec one_pair_of(const void *p) {
  int32_t pair;
  memcpy(&pair, p, sizeof pair);
  return spread_i(pair);
}

#include "cpu/quant/quant_fixed_body.h"

typedef struct limits {
  fvec high;
  ivec zero;
  bvec low, flip;
} limits;

WEFT_INLINE limits limits_of(const weft__quant_panel *p) {
  return (limits){.high = spread_f(p->high),
                  .zero = spread_i((int32_t)((uint32_t)p->zero * 0x10001u)),
                  .low = p->low - (bvec){0},
                  .flip = p->flip - (bvec){0}};
}

// The bytes of four vectors of sums.
WEFT_INLINE bvec bytes_of(const ivec s[4], const fvec f[4], const limits *l) {
  fvec x[4];
  UNROLL
  for (int t = 0; t < 4; t++)
    x[t] = least(l->high, __builtin_convertvector(s[t], fvec) * f[t]);
  return largest_b(saturated(x, l->zero), l->low) ^ l->flip;
}

WEFT_INLINE bvec load_b(const void *p) {
  return *(const bvec_at *)p;
}

// ---- places by filters ----
// Rows of a tile go out in pairs: each is half a vector of bytes.
WEFT_INLINE void leave(size_t rows, ivec (*s)[2], const weft__quant_panel *p, uint8_t *y) {
  if (p->multiplier) {
    put_fixed(rows, s, p, COLS, y, WEFT__BYTES_C0);
    return;
  }
  const limits l = limits_of(p);
  const fvec f0 = load_f(p->factor);
  const fvec f1 = load_f(p->factor + VEC);
  const fvec f[4] = {f0, f1, f0, f1};
  const bvec mask = load_b(p->mask);
  UNROLL
  for (size_t i = 0; i < (rows + 1) / 2; i++) {
    const size_t a = 2 * i;
    const size_t b = a + 1 < rows ? a + 1 : a;
    const ivec four[4] = {s[a][0], s[a][1], s[b][0], s[b][1]};
    const bvec v = split(bytes_of(four, f, &l)) & mask;
    memcpy(y + a * WEFT__BYTES_C0, &v, COLS);
    if (b > a)
      memcpy(y + b * WEFT__BYTES_C0, (const char *)&v + COLS, COLS);
  }
}

// Three places of a row have a base.
enum { MOST_BASES = (ROWS + 2) / 3 + 1 };
typedef struct place_of {
  size_t rows, wide, bases, step, x_row;  // wide: places of a row; step: bytes between them, 0: x_row
} place_of;
WEFT_INLINE const uint8_t *at_place(const place_of *p, const uint8_t *const *base, size_t i) {
  const size_t first = i / p->wide * p->bases;
  const size_t k = i % p->wide;
  return p->step ? base[first] + k * p->step : base[first + k / 3] + k % 3 * p->x_row;
}

WEFT_INLINE void one_quads(const place_of *p, const uint8_t *const *base, size_t k, const int32_t *w,
                           ivec (*s)[2]) {
  const ivec w0 = load_i(w);
  const ivec w1 = load_i(w + VEC);
  const ivec e0 = even_w(w0);
  const ivec o0 = odd_w(w0);
  const ivec e1 = even_w(w1);
  const ivec o1 = odd_w(w1);
  UNROLL
  for (size_t i = 0; i < p->rows; i++) {
    const x_quad q = one_quad(at_place(p, base, i) + k);
    s[i][0] = dot_quad(s[i][0], q, e0, o0);
    s[i][1] = dot_quad(s[i][1], q, e1, o1);
  }
}

WEFT_INLINE void one_pairs(const place_of *p, const uint8_t *const *base, size_t k, const int32_t *w,
                           ivec (*s)[2]) {
  UNROLL
  for (size_t h = 0; h < 2; h++) {
    const ivec w0 = kept(load_i(w + h * COLS));
    const ivec w1 = load_i(w + h * COLS + VEC);
    UNROLL
    for (size_t i = 0; i < p->rows; i++) {
      const ivec x = one_pair_of(at_place(p, base, i) + k + 4 * h);
      s[i][0] = dot_pair(s[i][0], x, w0);
      s[i][1] = dot_pair(s[i][1], x, w1);
    }
  }
}

// Where one of several tiles reads, and what is fetched with it.
typedef struct tile_at {
  const uint8_t *x;
  const char *ahead;
} tile_at;

// each: bytes of a number of x, 2 where they are pairs.
WEFT_INLINE void sums_of(size_t rows, size_t down, bool unit, size_t each, const weft__quant_packed *t,
                         tile_at from, ivec (*s)[2]) {
  const char *ahead = from.ahead;
  const int32_t *add = t->panel->add;
  const int32_t *w = t->w;
  const size_t x_row = t->x_row;
  const size_t x_down = t->x_down;
  const size_t wide = rows / down;
  const size_t bases = (wide + 2) / 3;
  const place_of place = {rows, wide, bases, unit ? WEFT__BYTES_C0 * each : 0, x_row};
  const uint32_t *at = t->at;
  UNROLL
  for (size_t i = 0; i < rows; i++) {
    s[i][0] = load_i(add);
    s[i][1] = load_i(add + VEC);
  }
  for (size_t part = 0; part < 2; part++) {
    for (size_t run = t->runs[part]; run; run--) {
      const uint8_t *p = from.x + *at++;
      const uint8_t *base[MOST_BASES];
      UNROLL
      for (size_t i = 0; i < rows; i++) {
        if (i % wide % 3 == 0)
          base[i / wide * bases + i % wide / 3] = p + i / wide * x_down + i % wide * x_row;
      }
      for (size_t k = 0; k < 4 * each * t->steps[part]; k += 4 * each) {
        __builtin_prefetch(ahead, 0, 2);
        if (each > 1)
          __builtin_prefetch(ahead + 64, 0, 2);
        if (each > 1)
          one_pairs(&place, base, k, w, s);
        else
          one_quads(&place, base, k, w, s);
        w += each * COLS;
        ahead += t->ahead_step;
      }
    }
  }
}

WEFT_INLINE size_t fetched(const weft__quant_packed *t) {  // a tile
  return (t->runs[0] * t->steps[0] + t->runs[1] * t->steps[1]) * t->ahead_step;
}

WEFT_INLINE void packed(size_t rows, size_t down, bool unit, const weft__quant_packed *t) {
  const uint8_t *x = t->x;
  const size_t each = fetched(t);
  for (size_t i = 0; i < t->tiles; i++, x += t->x_tile) {
    ivec s[ROWS][2];
    sums_of(rows, down, unit, PAIRS ? 2 : 1, t, (tile_at){x, t->ahead + i * each}, s);
    leave(rows, s, t->panel, t->y + i * rows * WEFT__BYTES_C0);
  }
}
#define PACKED(n)                                            \
  static void packed_##n(const weft__quant_packed *t) {      \
    packed(n, 1, false, t);                                  \
  }                                                          \
  static void packed_unit_##n(const weft__quant_packed *t) { \
    packed(n, 1, true, t);                                   \
  }
#define PACKED_ROWS(n)                                            \
  static void packed_rows_##n(const weft__quant_packed *t) {      \
    packed(2 * n, 2, false, t);                                   \
  }                                                               \
  static void packed_rows_unit_##n(const weft__quant_packed *t) { \
    packed(2 * n, 2, true, t);                                    \
  }
EACH_ROW(PACKED)
HALF_ROWS(PACKED_ROWS)

// ---- rows by columns ----
WEFT_INLINE void leave_sums(size_t rows, ivec (*s)[2], const weft__quant_product *t, int32_t *y) {
  const size_t n = t->n;
  const size_t y_row = t->y_row;
  UNROLL
  for (size_t i = 0; i < rows; i++, y += y_row) {
    const ivec row[2] = {s[i][0], s[i][1]};
    if (n == COLS) {
      *(ivec_at *)y = row[0];
      *(ivec_at *)(y + VEC) = row[1];
    } else
      memcpy(y, row, n * sizeof *y);
  }
}

WEFT_INLINE void leave_bytes(size_t rows, ivec (*s)[2], const weft__quant_product *t, uint8_t *y) {
  const weft__quant_panel *p = t->p.panel;
  const limits l = limits_of(p);
  const fvec f0 = load_f(p->factor);
  const fvec f1 = load_f(p->factor + VEC);
  const fvec f[4] = {f0, f1, f0, f1};
  const size_t n = t->n;
  const size_t y_row = t->y_row;
  UNROLL
  for (size_t i = 0; i < (rows + 1) / 2; i++, y += 2 * y_row) {
    const size_t a = 2 * i;
    const size_t b = a + 1 < rows ? a + 1 : a;
    const ivec four[4] = {s[a][0], s[a][1], s[b][0], s[b][1]};
    const bvec v = split(bytes_of(four, f, &l));
    if (n == COLS) {
      memcpy(y, &v, COLS);
      if (b > a)
        memcpy(y + y_row, (const char *)&v + COLS, COLS);
    } else {
      memcpy(y, &v, n);
      if (b > a)
        memcpy(y + y_row, (const char *)&v + COLS, n);
    }
  }
}

WEFT_INLINE void product(size_t rows, size_t width, const weft__quant_product *t) {
  const uint8_t *x = t->p.x;
  const size_t each = fetched(&t->p);
  const size_t y_tile = rows * t->y_row;
  for (size_t i = 0; i < t->p.tiles; i++, x += t->p.x_tile) {
    ivec s[ROWS][2];
    sums_of(rows, 1, false, width, &t->p, (tile_at){x, t->p.ahead + i * each}, s);
    if (t->p.panel->multiplier)
      put_fixed(rows, s, t->p.panel, t->n, t->p.y + i * y_tile, t->y_row);
    else if (t->p.panel->factor)
      leave_bytes(rows, s, t, t->p.y + i * y_tile);
    else
      leave_sums(rows, s, t, (int32_t *)(void *)t->p.y + i * y_tile);
  }
}
#define PRODUCT(n)                                        \
  static void product_##n(const weft__quant_product *t) { \
    product(n, 1, t);                                     \
  }
EACH_ROW(PRODUCT)
#if PAIRS
#define PRODUCT_PAIRS(n)                                        \
  static void product_pairs_##n(const weft__quant_product *t) { \
    product(n, 2, t);                                           \
  }
EACH_ROW(PRODUCT_PAIRS)
#define PP(n) [n] = product_pairs_##n,
#else
#define PP(n)
#endif

// ---- taps by channel ----
enum { AT_ONCE = 4 * VEC < WEFT__BYTES_C0 ? 1 : 4 * VEC / WEFT__BYTES_C0 };  // places of a vector of bytes

// The bytes of AT_ONCE places; the second one lies x_step behind the first.
WEFT_INLINE bvec places_at(const uint8_t *x, size_t x_step) {
  return x_step == WEFT__BYTES_C0 ? load_b(x) : beside(x, x + x_step);
}

// Rows of the output, 1 or 2, with the same taps.
WEFT_INLINE void some_channels(const weft__quant_taps *t, const weft__quant_panel *p, size_t x_step,
                               size_t first, size_t rows, bool fixed) {
  const limits l = limits_of(p);
  const byte_limits bounds = byte_limits_of(p->zero, p->low, p->most, p->flip);
  const bvec mask = load_b(p->mask);
  const size_t panel = first / 16 * t->quads * 4 * VEC;
  fvec f[4];
  scaling by[4];
  UNROLL
  for (size_t k = 0; k < 4; k++) {
    if (fixed)
      by[k] = scaling_at(p, k * VEC);
    else
      f[k] = load_f(p->factor + k * VEC);
  }
  for (size_t i = 0; i < t->n; i += AT_ONCE) {
    const size_t place = i + AT_ONCE <= t->n ? i : t->n - AT_ONCE;  // some again
    const uint8_t *x = t->x + place * x_step + first;
    const int32_t *w[2] = {t->w + panel, rows > 1 ? t->w_down + panel : NULL};
    const uint32_t *at = t->at;
    ivec s[2][4];
    UNROLL
    for (size_t k = 0; k < 4; k++)
      s[0][k] = s[1][k] = load_i(p->add + k * VEC);
    for (size_t q = 0; q < t->quads; q++, at += 4) {
      bvec r[4];
      bvec ab[2];
      bvec cd[2];
      ivec v[4];
      UNROLL
      for (int k = 0; k < 4; k++)
        r[k] = places_at(x + at[k], x_step);
      mix_bytes(r[0], r[1], &ab[0], &ab[1]);
      mix_bytes(r[2], r[3], &cd[0], &cd[1]);
      mix_pairs(ab[0], cd[0], &v[0], &v[1]);
      mix_pairs(ab[1], cd[1], &v[2], &v[3]);
      UNROLL
      for (size_t j = 0; j < rows; j++) {
        UNROLL
        for (size_t k = 0; k < 4; k++) {
          const ivec f4 = load_i(w[j] + (q * 4 + k) * VEC);
          s[j][k] = dot_w(s[j][k], even(v[k]), odd(v[k]), even_w(f4), odd_w(f4));
        }
      }
    }
    UNROLL
    for (size_t j = 0; j < rows; j++) {
      const bvec v = fixed ? bytes_by(s[j], by, &bounds) : bytes_of(s[j], f, &l);
      *(bvec_at *)(t->y + j * t->y_down + place * WEFT__BYTES_C0 + first) = v & mask;
    }
  }
}

static void packed_taps(const weft__quant_taps *t) {
  for (size_t first = 0; first < WEFT__BYTES_C0; first += 4 * VEC) {
    const weft__quant_panel *p = t->panel + first / (4 * VEC);
    const bool beside_each_other = t->x_step == WEFT__BYTES_C0;
    if (p->multiplier)
      some_channels(t, p, t->x_step, first, 1, true);
    else if (beside_each_other)
      some_channels(t, p, WEFT__BYTES_C0, first, 1, false);
    else
      some_channels(t, p, t->x_step, first, 1, false);
  }
}

static void packed_taps_rows(const weft__quant_taps *t) {
  for (size_t first = 0; first < WEFT__BYTES_C0; first += 4 * VEC) {
    const weft__quant_panel *p = t->panel + first / (4 * VEC);
    if (p->multiplier)
      some_channels(t, p, WEFT__BYTES_C0, first, 2, true);
    else
      some_channels(t, p, WEFT__BYTES_C0, first, 2, false);
  }
}

#if PAIRS
#include "cpu/quant/quant_winograd_body.h"
#define WINOGRAD .window = window, .places = places,
#else
#define WINOGRAD
#endif
// SPDX-License-Identifier: Apache-2.0
