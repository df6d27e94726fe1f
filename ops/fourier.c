// fourier.c - a transform of n = p m numbers is p transforms of m, of every p-th number, and m of p, one for
// each of their results (Cooley and Tukey 1965). p is 4 as long as it divides n, which takes no
// multiplications but those by powers of the table, and then a prime. Depth: below 64.
#include "fourier.h"

enum { FOURIER_SHORT = 64, FOURIER_LONG = 4096 };  // numbers between two looks at the clock

typedef struct fourier_plan {
  const weft_call *c;
  const double *table;  // of `whole`
  size_t whole;
  double *room;
} fourier_plan;

void weft__fourier_table(double *table, size_t n, bool inverse) {
  for (size_t i = 0; i < n; i++) {
    const double angle = 6.283185307179586476925 * (double)i / (double)n;
    table[2 * i] = cos(angle);
    table[2 * i + 1] = inverse ? sin(angle) : -sin(angle);
  }
}

// 1 of 1
static size_t fourier_factor(size_t n) {
  if (n % 4 == 0)
    return 4;
  for (size_t p = 2; p <= n / p; p++) {
    if (n % p == 0)
      return p;
  }
  return n;
}

// out[at] times the power of the table.
static void fourier_turned(const fourier_plan *f, const double *out, size_t at, size_t power, double z[2]) {
  const double re = f->table[2 * power];
  const double im = f->table[2 * power + 1];
  z[0] = out[2 * at] * re - out[2 * at + 1] * im;
  z[1] = out[2 * at] * im + out[2 * at + 1] * re;
}

// Two halves of m results each become 2 m.
static weft_status fourier_join_2(const fourier_plan *f, size_t m, double *out) {
  const size_t part = f->whole / (2 * m);
  for (size_t k = 0; k < m; k++) {
    double z[2];
    if (k % FOURIER_LONG == FOURIER_LONG - 1)
      WEFT_TRY(weft__call_poll(f->c));
    fourier_turned(f, out, m + k, k * part, z);
    for (size_t i = 0; i < 2; i++) {
      const double first = out[2 * k + i];
      out[2 * k + i] = first + z[i];
      out[2 * (m + k) + i] = first - z[i];
    }
  }
  return WEFT_OK;
}

// The same of p, odd: numbers r and p - r of a result have roots that are conjugates, so that their sum goes
// with the cosine and their difference with the sine, for results q and p - q alike. `room` holds the sums,
// and from the far end the differences.
static void fourier_pairs(const fourier_plan *f, size_t p, size_t q, const double first[2], double *up,
                          double *down) {
  double even[2] = {first[0], first[1]};
  double odd[2] = {0, 0};
  for (size_t r = 1, turn = 0; r <= p / 2; r++) {
    turn += q;
    turn -= turn >= p ? p : 0;
    const double *root = f->table + 2 * turn * (f->whole / p);
    const double *plus = f->room + 2 * r;
    const double *minus = f->room + 2 * (p - r);
    even[0] += root[0] * plus[0];
    even[1] += root[0] * plus[1];
    odd[0] += root[1] * minus[0];
    odd[1] += root[1] * minus[1];
  }
  up[0] = even[0] - odd[1];
  up[1] = even[1] + odd[0];
  down[0] = even[0] + odd[1];
  down[1] = even[1] - odd[0];
}

static weft_status fourier_join_odd(const fourier_plan *f, size_t p, size_t m, double *out) {
  const size_t part = f->whole / (p * m);
  for (size_t k = 0; k < m; k++) {
    const double first[2] = {out[2 * k], out[2 * k + 1]};
    if (k % FOURIER_SHORT == 0)
      WEFT_TRY(weft__call_poll(f->c));
    for (size_t r = 1; r <= p / 2; r++) {
      double a[2];
      double b[2];
      fourier_turned(f, out, r * m + k, r * k * part, a);
      fourier_turned(f, out, (p - r) * m + k, (p - r) * k * part, b);
      for (size_t i = 0; i < 2; i++) {
        f->room[2 * r + i] = a[i] + b[i];
        f->room[2 * (p - r) + i] = a[i] - b[i];
        out[2 * k + i] += a[i] + b[i];
      }
    }
    for (size_t q = 1; q <= p / 2; q++) {
      if (p > FOURIER_SHORT)
        WEFT_TRY(weft__call_poll(f->c));
      fourier_pairs(f, p, q, first, out + 2 * (q * m + k), out + 2 * ((p - q) * m + k));
    }
  }
  return WEFT_OK;
}

// fourier_join of four, whose roots of 1 are 1, s, -1, -s with s the imaginary unit or its conjugate.
static weft_status fourier_join_4(const fourier_plan *f, size_t m, double *out) {
  const size_t part = f->whole / (4 * m);
  const double s = f->table[2 * (f->whole / 4) + 1];
  for (size_t k = 0; k < m; k++) {
    double z1[2];
    double z2[2];
    double z3[2];
    if (k % FOURIER_LONG == FOURIER_LONG - 1)
      WEFT_TRY(weft__call_poll(f->c));
    const double z0[2] = {out[2 * k], out[2 * k + 1]};
    fourier_turned(f, out, m + k, k * part, z1);
    fourier_turned(f, out, 2 * m + k, 2 * k * part, z2);
    fourier_turned(f, out, 3 * m + k, 3 * k * part, z3);
    const double even[2] = {z0[0] + z2[0], z0[1] + z2[1]};
    const double apart[2] = {z0[0] - z2[0], z0[1] - z2[1]};
    const double odd[2] = {z1[0] + z3[0], z1[1] + z3[1]};
    const double turned[2] = {-s * (z1[1] - z3[1]), s * (z1[0] - z3[0])};
    for (size_t i = 0; i < 2; i++) {
      out[2 * k + i] = even[i] + odd[i];
      out[2 * (m + k) + i] = apart[i] + turned[i];
      out[2 * (2 * m + k) + i] = even[i] - odd[i];
      out[2 * (3 * m + k) + i] = apart[i] - turned[i];
    }
  }
  return WEFT_OK;
}

static weft_status fourier_parts(const fourier_plan *f, const double *v, size_t step, size_t n, double *out) {
  const size_t p = fourier_factor(n);
  const size_t m = n / p;
  for (size_t r = 0; r < p; r++) {
    if (m == 1)
      memcpy(out + 2 * r, v + 2 * r * step, 2 * sizeof *out);
    else
      WEFT_TRY(fourier_parts(f, v + 2 * r * step, step * p, m, out + 2 * r * m));
  }
  if (p == 4)
    return fourier_join_4(f, m, out);
  return p == 2 ? fourier_join_2(f, m, out) : fourier_join_odd(f, p, m, out);
}

weft_status weft__fourier_lane(const weft_call *c, const double *table, const double *v, size_t n,
                               double *out, double *room, double by) {
  const fourier_plan f = {c, table, n, room};
  if (!n)
    return WEFT_OK;
  WEFT_TRY(weft__call_poll(c));
  WEFT_TRY(fourier_parts(&f, v, 1, n, out));
  for (size_t i = 0; i < 2 * n; i++)
    out[i] *= by;
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
