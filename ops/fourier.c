// fourier.c - a transform of n = p m numbers is p transforms of m, of every p-th number, and m of p, one for
// each of their results (Cooley and Tukey 1965). p is 4 as long as it divides n, which takes no
// multiplications but those by powers of the table, and then a prime. Depth: below 64.
#include "fourier.h"

enum { FOURIER_SHORT = 64 };  // transforms between two looks at the clock

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

static size_t fourier_factor(size_t n) {
  if (n % 4 == 0)
    return 4;
  for (size_t p = 2; p <= n / p; p++) {
    if (n % p == 0)
      return p;
  }
  return n;
}

// sum += z * the power `at` of the table.
static void fourier_add(const fourier_plan *f, const double *z, size_t at, double sum[2]) {
  const double re = f->table[2 * at];
  const double im = f->table[2 * at + 1];
  sum[0] += z[0] * re - z[1] * im;
  sum[1] += z[0] * im + z[1] * re;
}

// n numbers that lie `step` pairs apart, by the formula.
static weft_status fourier_plain(const fourier_plan *f, const double *v, size_t step, size_t n, double *out) {
  const size_t part = f->whole / n;
  for (size_t k = 0; k < n; k++) {
    double sum[2] = {0, 0};
    if (n > FOURIER_SHORT)
      WEFT_TRY(weft__call_poll(f->c));
    for (size_t i = 0, turn = 0; i < n; i++) {
      fourier_add(f, v + 2 * i * step, turn * part, sum);
      turn += k;
      turn -= turn >= n ? n : 0;
    }
    out[2 * k] = sum[0];
    out[2 * k + 1] = sum[1];
  }
  return WEFT_OK;
}

// p results of m numbers each in `out` become p m results.
static weft_status fourier_join(const fourier_plan *f, size_t p, size_t m, double *out) {
  const size_t part = f->whole / (p * m);
  for (size_t k = 0; k < m; k++) {
    if (p > FOURIER_SHORT || k % FOURIER_SHORT == 0)
      WEFT_TRY(weft__call_poll(f->c));
    for (size_t r = 0; r < p; r++) {
      double z[2] = {0, 0};
      fourier_add(f, out + 2 * (r * m + k), r * k * part, z);
      f->room[2 * r] = z[0];
      f->room[2 * r + 1] = z[1];
    }
    for (size_t q = 0; q < p; q++) {
      double sum[2] = {0, 0};
      for (size_t r = 0, turn = 0; r < p; r++) {
        fourier_add(f, f->room + 2 * r, turn * (f->whole / p), sum);
        turn += q;
        turn -= turn >= p ? p : 0;
      }
      out[2 * (q * m + k)] = sum[0];
      out[2 * (q * m + k) + 1] = sum[1];
    }
  }
  return WEFT_OK;
}

// out[at] times the power of the table.
static void fourier_turned(const fourier_plan *f, const double *out, size_t at, size_t power, double z[2]) {
  const double re = f->table[2 * power];
  const double im = f->table[2 * power + 1];
  z[0] = out[2 * at] * re - out[2 * at + 1] * im;
  z[1] = out[2 * at] * im + out[2 * at + 1] * re;
}

// fourier_join of four, whose roots of 1 are 1, s, -1, -s with s the imaginary unit or its conjugate.
static weft_status fourier_join_4(const fourier_plan *f, size_t m, double *out) {
  enum { LONG = 4096 };
  const size_t part = f->whole / (4 * m);
  const double s = f->table[2 * (f->whole / 4) + 1];
  for (size_t k = 0; k < m; k++) {
    double z1[2];
    double z2[2];
    double z3[2];
    if (k % LONG == LONG - 1)
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
  if (m == 1 && p != 4)
    return fourier_plain(f, v, step, n, out);
  for (size_t r = 0; r < p; r++) {
    if (m == 1)
      memcpy(out + 2 * r, v + 2 * r * step, 2 * sizeof *out);
    else
      WEFT_TRY(fourier_parts(f, v + 2 * r * step, step * p, m, out + 2 * r * m));
  }
  return p == 4 ? fourier_join_4(f, m, out) : fourier_join(f, p, m, out);
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
