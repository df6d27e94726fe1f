// quant_fixed_body.h - the part of quant_blocked_body.h for sums that become bytes by FixedRequant's whole
// numbers (ops/quant/fixed_requant.rule.h), bit for bit. For a multiplier that is not negative, a shift to
// the right and sums below 2^30 in size, all of it is
//   (the upper half of (2 * sum * multiplier + half) - s) >> shift
// where half is 2^(31 + shift), and where it is rounded twice and shift is not 0, 2^31 more; s is 1 there for
// sums below 0, otherwise 0. Why, says fixed_rows.h. The including file also says
//
//   lvec                                    numbers of 64 bits
//   high_product, shifted, shifted_bits, saturated_i   see quant_vec_512.h
#pragma once

typedef struct scaling {  // of a vector of sums; *_odd are those of its odd lanes
  ivec by, by_odd;
  lvec half, half_odd;
  ivec sign, shift;  // sign: what leaves s of a sum's bits
} scaling;

WEFT_INLINE scaling scaling_of(ivec multiplier, ivec shift, bool twice) {
  const lvec one = (INT64_C(1) << 31) - (lvec){0};
  const lvec low = INT64_C(0xFFFFFFFF) - (lvec){0};
  const ivec some = twice ? (ivec)(shift > 0) : (ivec){0};
  const lvec more = (lvec)(some & INT32_MIN);
  return (scaling){.by = multiplier,
                   .by_odd = (ivec)((lvec)multiplier >> 32),
                   .half = (one << ((lvec)shift & low)) + (more & low),
                   .half_odd = (one << ((lvec)shift >> 32)) + ((more >> 32) & low),
                   .sign = some + 32,
                   .shift = shift};
}

WEFT_INLINE ivec scaled(ivec x, const scaling *s) {
  const ivec high = high_product(x + x, s->by, s->by_odd, s->half, s->half_odd);
  return shifted(high - shifted_bits(x, s->sign), s->shift);
}

WEFT_INLINE scaling scaling_at(const weft__quant_panel *p, size_t lane) {
  return scaling_of(load_i(p->multiplier + lane), load_i(p->shift + lane), p->twice);
}

typedef struct byte_limits {
  ivec zero;
  bvec low, most, flip;  // most: upside down, as flip is
} byte_limits;
WEFT_INLINE byte_limits byte_limits_of(int32_t zero, uint8_t low, uint8_t most, uint8_t flip) {
  return (byte_limits){.zero = spread_i((int32_t)((uint32_t)zero * 0x10001u)),
                       .low = low - (bvec){0},
                       .most = (uint8_t)~most - (bvec){0},
                       .flip = (uint8_t)~flip - (bvec){0}};
}

// The bytes of four vectors of numbers. The larger of what is turned upside down is the smaller one.
WEFT_INLINE bvec limited(const ivec x[4], const byte_limits *l) {
  const bvec y = largest_b(saturated_i(x, l->zero), l->low);
  return largest_b(~y, l->most) ^ l->flip;
}

WEFT_INLINE bvec bytes_by(const ivec s[4], const scaling by[4], const byte_limits *l) {
  ivec x[4];
  UNROLL
  for (int t = 0; t < 4; t++)
    x[t] = scaled(s[t], &by[t]);
  return limited(x, l);
}

// A tile's sums, COLS a row, to n bytes a row.
static __attribute__((noinline)) void leave_fixed(size_t rows, const int32_t *tile,
                                                  const weft__quant_panel *p, size_t n, uint8_t *y,
                                                  size_t y_row) {
  const byte_limits l = byte_limits_of(p->zero, p->low, p->most, p->flip);
  const scaling first = scaling_at(p, 0);
  const scaling second = scaling_at(p, VEC);
  const bvec mask = *(const bvec_at *)p->mask;
  for (size_t i = 0; i < rows; i += 2, tile += 2 * COLS) {
    const int32_t *next = i + 1 < rows ? tile + COLS : tile;
    const ivec x[4] = {scaled(load_i(tile), &first), scaled(load_i(tile + VEC), &second),
                       scaled(load_i(next), &first), scaled(load_i(next + VEC), &second)};
    const bvec v = split(limited(x, &l)) & mask;
    if (n == COLS)
      memcpy(y + i * y_row, &v, COLS);
    else
      memcpy(y + i * y_row, &v, n);
    if (i + 1 == rows)
      break;
    if (n == COLS)
      memcpy(y + (i + 1) * y_row, (const char *)&v + COLS, COLS);
    else
      memcpy(y + (i + 1) * y_row, (const char *)&v + COLS, n);
  }
}

// Sums out of registers first: the rest is one function for all sizes of tiles.
WEFT_INLINE void put_fixed(size_t rows, ivec (*s)[2], const weft__quant_panel *p, size_t n, uint8_t *y,
                           size_t y_row) {
  _Alignas(64) int32_t tile[ROWS * COLS];
  UNROLL
  for (size_t i = 0; i < rows; i++) {
    *(ivec_at *)(tile + i * COLS) = s[i][0];
    *(ivec_at *)(tile + i * COLS + VEC) = s[i][1];
  }
  leave_fixed(rows, tile, p, n, y, y_row);
}

// ---- pairs of bytes ----
WEFT_INLINE void side_of(const uint8_t *x, const weft__quant_side *side, const scaling *by, ivec out[4]) {
  const bvec none = {0};
  const bvec v = *(const bvec_at *)x ^ side->flip;
  bvec low;
  bvec high;
  mix_bytes(v, none, &low, &high);
  mix_pairs(low, none, &out[0], &out[1]);
  mix_pairs(high, none, &out[2], &out[3]);
  UNROLL
  for (int t = 0; t < 4; t++) {
    out[t] = (out[t] - side->zero) * side->unit;
    if (side->scales)
      out[t] = scaled(out[t], by);
  }
}

WEFT_INLINE scaling scaling_of_one(const weft__quant_scaling *s) {
  return scaling_of(spread_i(s->multiplier), spread_i(s->shift), s->twice);
}

WEFT_INLINE void fixed_pairs(const uint8_t *a, const uint8_t *b, size_t n, const weft__quant_fixed_pair *p,
                             uint8_t *y, int op) {
  const byte_limits l = byte_limits_of(p->zero, p->low, p->most, p->flip);
  const scaling by_a = scaling_of_one(&p->a.by);
  const scaling by_b = scaling_of_one(&p->b.by);
  const scaling one = scaling_of_one(&p->end);
  const scaling end[4] = {one, one, one, one};
  for (size_t i = 0; i < n; i += sizeof(bvec)) {
    ivec x[4];
    ivec v[4];
    side_of(a + i, &p->a, &by_a, x);
    if (op != WEFT__FIXED_ONE)
      side_of(b + i, &p->b, &by_b, v);
    UNROLL
    for (int t = 0; t < 4; t++) {
      x[t] = op == WEFT__FIXED_ADD   ? x[t] + v[t]
             : op == WEFT__FIXED_SUB ? x[t] - v[t]
             : op == WEFT__FIXED_MUL ? x[t] * v[t]
                                     : x[t];
    }
    *(bvec_at *)(y + i) = bytes_by(x, end, &l);
  }
}

static void fixed_whole(const uint8_t *a, const uint8_t *b, size_t n, const weft__quant_fixed_pair *p,
                        uint8_t *y) {
  switch (p->op) {
    case WEFT__FIXED_ADD:
      fixed_pairs(a, b, n, p, y, WEFT__FIXED_ADD);
      break;
    case WEFT__FIXED_SUB:
      fixed_pairs(a, b, n, p, y, WEFT__FIXED_SUB);
      break;
    case WEFT__FIXED_MUL:
      fixed_pairs(a, b, n, p, y, WEFT__FIXED_MUL);
      break;
    default:
      fixed_pairs(a, a, n, p, y, WEFT__FIXED_ONE);
  }
}

static void fixed_pair(const uint8_t *a, const uint8_t *b, size_t n, const weft__quant_fixed_pair *given,
                       uint8_t *y) {
  const weft__quant_fixed_pair p = *given;  // kept here: what is stored might be it
  const size_t whole = n / sizeof(bvec) * sizeof(bvec);
  uint8_t x[sizeof(bvec)] = {0};
  uint8_t v[sizeof(bvec)] = {0};
  uint8_t last[sizeof(bvec)];
  fixed_whole(a, b, whole, &p, y);
  if (whole == n)
    return;
  memcpy(x, a + whole, n - whole);
  memcpy(v, b + whole, n - whole);
  fixed_whole(x, v, sizeof x, &p, last);
  memcpy(y + whole, last, n - whole);
}
// SPDX-License-Identifier: Apache-2.0
