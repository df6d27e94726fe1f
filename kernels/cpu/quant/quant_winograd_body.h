// quant_winograd_body.h - the part of quant_blocked_body.h around products of points, see
// quant_blocked_winograd.c: windows of bytes to points of 16 bits, sums of points to places. The including
// file also says
//
//   hvec, hvec_at   16 numbers of 16 bits
//   halves(p)       16 bytes as such
#pragma once

enum { POINTS_BYTES = 2 * WEFT__BYTES_C0 };  // of a point of a window of a block of channels

// Four places one below the other.
WEFT_INLINE void column(const weft__quant_window *t, const uint8_t *x, hvec out[4]) {
  hvec d[4];
  UNROLL
  for (size_t r = 0; r < 4; r++)
    d[r] = halves(x + r * t->x_row) ^ t->flip;
  out[0] = d[0] - d[2];
  out[1] = d[1] + d[2];
  out[2] = d[2] - d[1];
  out[3] = d[1] - d[3];
}

static void window(const weft__quant_window *t) {
  for (size_t first = 0; first < WEFT__BYTES_C0; first += 16) {
    const uint8_t *x = t->x + first;
    uint8_t *to = t->to + 2 * first;
    hvec c[4][4];
    column(t, x, c[0]);
    column(t, x + WEFT__BYTES_C0, c[1]);
    for (size_t i = 0; i < t->n; i++, to += POINTS_BYTES) {
      x += 2 * WEFT__BYTES_C0;
      column(t, x, c[2]);
      column(t, x + WEFT__BYTES_C0, c[3]);
      UNROLL
      for (size_t r = 0; r < 4; r++) {
        uint8_t *row = to + 4 * r * t->point;
        const hvec sum = c[1][r] + c[2][r];
        *(hvec_at *)row = c[0][r] - c[2][r];
        *(hvec_at *)(row + t->point) = r == 1 ? sum - t->zero : sum;
        *(hvec_at *)(row + 2 * t->point) = c[2][r] - c[1][r];
        *(hvec_at *)(row + 3 * t->point) = c[1][r] - c[3][r];
        c[0][r] = c[2][r];
        c[1][r] = c[3][r];
      }
    }
  }
}

// Four places of one vector of channels, less the summand and four times as large.
WEFT_INLINE void unwound(const int32_t *m, size_t point, ivec out[4]) {
  ivec u[2][4];
  UNROLL
  for (size_t j = 0; j < 4; j++) {
    const int32_t *at = m + j * point;
    const ivec m1 = load_i(at + 4 * point);
    const ivec m2 = load_i(at + 8 * point);
    u[0][j] = load_i(at) + (m1 + m2);
    u[1][j] = m1 - m2 - load_i(at + 12 * point);
  }
  UNROLL
  for (size_t i = 0; i < 2; i++) {
    out[2 * i] = u[i][0] + (u[i][1] + u[i][2]);
    out[2 * i + 1] = u[i][1] - u[i][2] - u[i][3];
  }
}

WEFT_INLINE void some_places(const weft__quant_places *t, bool fixed) {
  const weft__quant_panel *p = t->panel;
  const limits l = limits_of(p);
  const byte_limits bounds = byte_limits_of(p->zero, p->low, p->most, p->flip);
  const fvec f0 = fixed ? (fvec){0} : load_f(p->factor);
  const fvec f1 = fixed ? (fvec){0} : load_f(p->factor + VEC);
  const fvec f[4] = {f0, f1, f0, f1};
  const scaling none = {.sign = {0}};
  const scaling by0 = fixed ? scaling_at(p, 0) : none;
  const scaling by1 = fixed ? scaling_at(p, VEC) : none;
  const scaling by[4] = {by0, by1, by0, by1};
  const ivec add[2] = {load_i(p->add), load_i(p->add + VEC)};
  const bvec mask = load_b(p->mask);
  for (size_t i = 0; i < t->n; i++) {
    ivec s[2][4];
    UNROLL
    for (size_t v = 0; v < 2; v++) {
      unwound(t->m + i * COLS + v * VEC, t->point, s[v]);
      UNROLL
      for (size_t k = 0; k < 4; k++)
        s[v][k] = (s[v][k] >> 2) + add[v];
    }
    for (size_t r = 0; r < t->rows; r++) {
      const size_t a = 2 * r;
      const size_t b = a + 1;
      const ivec four[4] = {s[0][a], s[1][a], s[0][b], s[1][b]};
      const bvec v = split(fixed ? bytes_by(four, by, &bounds) : bytes_of(four, f, &l)) & mask;
      uint8_t *y = t->y + r * t->y_row + 2 * i * WEFT__BYTES_C0;
      memcpy(y, &v, COLS);
      if (2 * i + 1 < t->cols)
        memcpy(y + WEFT__BYTES_C0, (const char *)&v + COLS, COLS);
    }
  }
}

static void places(const weft__quant_places *t) {
  if (t->panel->multiplier)
    some_places(t, true);
  else
    some_places(t, false);
}
// SPDX-License-Identifier: Apache-2.0
