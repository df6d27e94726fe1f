// fourier.c - a transform of n = p m numbers is p transforms of m, of every p-th number, and m of p, one for
// each of their results (Cooley and Tukey 1965). Depth: the number of prime factors, below 64.
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

static weft_status fourier_parts(const fourier_plan *f, const double *v, size_t step, size_t n, double *out) {
  const size_t p = fourier_factor(n);
  const size_t m = n / p;
  if (m == 1)
    return fourier_plain(f, v, step, n, out);
  for (size_t r = 0; r < p; r++)
    WEFT_TRY(fourier_parts(f, v + 2 * r * step, step * p, m, out + 2 * r * m));
  return fourier_join(f, p, m, out);
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
