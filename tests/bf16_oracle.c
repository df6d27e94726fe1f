// bf16_oracle.c - see bf16_oracle.h.
#include "bf16_oracle.h"

#include <float.h>
#include <math.h>

static double bf16_most(double a, double b) {
  return a > b ? a : b;
}

static double bf16_bound(const bf16_sum *s, double bias, int parts) {
  static const double rounding[] = {0x1p-7 + 0x1p-16, 0x1p-7 + 0x1p-16, 3.1 * 0x1p-16, 2.1 * 0x1p-24};
  static const double products[] = {1, 1, 3, 6};
  double n = (double)s->n;
  double filled = bf16_most(n, (double)s->filled);
  double sums = parts ? 1.03 * (filled / 5 + 24) : 1.01 * (n + 3);
  double least = parts ? 3.1 * s->around + products[parts] * (n + 2) : s->around + n;
  return rounding[parts] * s->size + sums * 0x1p-24 * (bf16_most(s->size, s->parts) + fabs(bias)) +
         0x1p-126 * least;
}

bool bf16_within(const bf16_sum *s, double bias, int parts, float got) {
  double want = s->sum + bias;
  double bound = bf16_bound(s, bias, parts);
  if (isnan(want))
    return isnan(got);
  if (isinf(want))
    return (double)got == want;
  if (isinf(got))
    return (got > 0 ? want : -want) + bound > (double)FLT_MAX;
  return fabs((double)got - want) <= bound;
}

static void add(bf16_sum *s, float x, float y) {
  s->sum += (double)x * y;
  s->size += fabs((double)x * y);
  s->around += fabs((double)x) + fabs((double)y);
  s->n++;
}

void bf16_add(bf16_sum *s, const float *x, size_t x_step, const float *y, size_t y_step, size_t n) {
  for (size_t i = 0; i < n; i++)
    add(s, x[i * x_step], y[i * y_step]);
}

// ---- convolutions ----
// Images and taps of the first input channel that an output channel reads.
static const float *channels(const bf16_window *v, const float *x, bf16_place at) {
  size_t first = at.channel / (v->out / v->groups) * (v->in / v->groups);
  return x + (at.image * v->in + first) * v->h * v->w;
}

void bf16_add_window(bf16_sum *s, const bf16_window *v, const float *x, const float *taps, bf16_place at) {
  size_t of = v->in / v->groups;
  x = channels(v, x, at);
  taps += at.channel * of * v->k * v->k;
  for (size_t i = 0; i < of; i++) {
    for (size_t ky = 0; ky < v->k; ky++) {
      size_t y = at.y * v->stride + ky * v->dilation - v->pad;
      for (size_t kx = 0; y < v->h && kx < v->k; kx++) {
        size_t column = at.x * v->stride + kx * v->dilation - v->pad;
        if (column < v->w)  // not below zero, either
          add(s, x[(i * v->h + y) * v->w + column], taps[(i * v->k + ky) * v->k + kx]);
      }
    }
  }
}

// Of a window of 4 x 4 numbers, or of 3 x 3 taps in rows of 4: by rows, then by columns. `sizes`: all are
// added.
static void four(const double *d, size_t step, bool taps, bool sizes, double *to) {
  double d0 = d[0];
  double d1 = d[step];
  double d2 = d[2 * step];
  double d3 = taps ? 0 : d[3 * step];
  double minus = sizes ? 1 : -1;
  to[0] = taps ? d0 : d0 + minus * d2;
  to[step] = taps ? (d0 + d1 + d2) / 2 : d1 + d2;
  to[2 * step] = taps ? (d0 + minus * d1 + d2) / 2 : d2 + minus * d1;
  to[3 * step] = taps ? d2 : d1 + minus * d3;
}
static void sixteen(const double *d, bool taps, bool sizes, double *to) {
  double turned[16];
  for (size_t j = 0; j < 4; j++)
    four(d + j, 4, taps, sizes, turned + j);
  for (size_t i = 0; i < 4; i++)
    four(turned + 4 * i, 1, taps, sizes, to + 4 * i);
}

// A window's numbers and taps of one channel, then the magnitudes of both.
typedef struct points {
  double x[2][16], taps[2][16];
} points;

static void read_points(const bf16_window *v, const float *x, const float *taps, bf16_place at, points *out) {
  *out = (points){0};
  for (size_t k = 0; k < 16; k++) {
    size_t row = at.y / 2 * 2 + k / 4 - v->pad;
    size_t column = at.x / 2 * 2 + k % 4 - v->pad;
    if (row < v->h && column < v->w)
      out->x[0][k] = (double)x[row * v->w + column];
    if (k / 4 < 3 && k % 4 < 3)
      out->taps[0][k] = (double)taps[k / 4 * 3 + k % 4];
    out->x[1][k] = fabs(out->x[0][k]);
    out->taps[1][k] = fabs(out->taps[0][k]);
  }
}

void bf16_bound_points(bf16_sum *s, const bf16_window *v, const float *x, const float *taps, bf16_place at) {
  size_t of = v->in / v->groups;
  double size = 0;
  double parts = 0;
  double all = 0;
  double around = 0;
  x = channels(v, x, at);
  taps += at.channel * of * 9;
  for (size_t i = 0; i < of; i++) {
    points p;
    double to[4][16];
    double numbers = 0;
    double sum = 0;
    read_points(v, x + i * v->h * v->w, taps + 9 * i, at, &p);
    for (size_t k = 0; k < 16; k++) {
      numbers += isfinite(p.x[0][k]) ? p.x[1][k] : 0;
      sum += p.taps[1][k];
    }
    for (size_t k = 0; k < 2; k++) {
      sixteen(p.x[k], false, k, to[k]);
      sixteen(p.taps[k], true, k, to[2 + k]);
    }
    for (size_t k = 0; k < 9; k++) {
      size_t j = 4 * (at.y % 2 + k / 3) + at.x % 2 + k % 3;
      size += fabs(to[0][j] * to[2][j]);
      parts += to[1][j] * to[3][j];
      around += to[1][j] + to[3][j];
    }
    all += numbers * sum;
  }
  s->size = isfinite(parts) ? size : all;
  s->parts = isfinite(parts) ? parts : all;
  s->around += isfinite(around) ? around : all;
  s->n = 9 * of + 12;
}

// ---- attention ----
void bf16_attend(const bf16_heads *h, int parts, const float *q, const float *k, const float *v,
                 size_t column, double *out, double *out_bound) {
  double score[BF16_KEYS];
  double top = -INFINITY;
  double off = 0;
  double sum = 0;
  double y = 0;
  double sizes = 0;
  double most = 0;
  for (size_t j = 0; j < h->keys; j++) {
    bf16_sum s = {0};
    for (size_t i = 0; i < h->size; i++)
      add(&s, q[i] * (float)h->scale, k[j * h->size + i]);
    score[j] = s.sum;
    top = fmax(top, s.sum);
    off = fmax(off, bf16_bound(&s, fabs(s.sum), parts) + 0x1p-22 * (1 + fabs(s.sum)));
  }
  for (size_t j = 0; j < h->keys; j++) {
    double p = exp(score[j] - top);
    double x = (double)v[j * h->width + column];
    sum += p;
    y += p * x;
    sizes += p * fabs(x);
    most = fmax(most, fabs(x));
  }
  double n = (double)h->keys;
  double grows = exp(2 * off + 0x1p-7 + 0x1p-16 + 1.01 * (n + 20) * 0x1p-24) - 1;
  *out = y / sum;
  *out_bound = off > 10 ? NAN : sizes / sum * grows + n * 0x1p-124 * (1 + most);
}
// SPDX-License-Identifier: Apache-2.0
