// attention_finish.c - the end of rows of attention: divided by the sum of their weights, zeros where nothing
// is seen, and by their definition where a value is infinite.
#include <math.h>

#include "cpu/attention/attention_plan.h"

typedef weft__attention_plan plan;
typedef weft__attention_unit unit;

enum { N = WEFT__ATTENTION_N, S = WEFT__ATTENTION_S, D = WEFT__ATTENTION_D, AHEAD = WEFT__ATTENTION_AHEAD };

// What a query of a head is given along its keys: of row `row`. NULL: nothing.
static const float *shift_of(const unit *u, size_t row) {
  const size_t *step = u->p->in[WEFT__SHIFT].s.step;
  const size_t at = weft__attention_head_of(u, row) * step[N] + weft__attention_query_of(u, row) * step[S];
  return u->shift ? u->shift + at : NULL;
}
static const uint8_t *attention_finish_mask_of(const unit *u, size_t row) {
  const size_t *step = u->p->in[WEFT__MASK].s.step;
  const size_t at = weft__attention_head_of(u, row) * step[N] + weft__attention_query_of(u, row) * step[S];
  return u->mask ? u->mask + at : NULL;
}

// Do band, mask and shift keep all keys from being seen?
static bool sees_nothing(const unit *u, size_t row) {
  const plan *p = u->p;
  const size_t shift_step = p->in[WEFT__SHIFT].s.step[D];
  const size_t mask_step = p->in[WEFT__MASK].s.step[D];
  const float *add = shift_of(u, row);
  const uint8_t *hide = attention_finish_mask_of(u, row);
  size_t low;
  size_t high;
  weft__attention_seen(&p->band, weft__attention_query_of(u, row), 0, p->keys, &low, &high);
  for (size_t t = low; t < high; t++) {
    const bool masked = hide && hide[t * mask_step];
    const float shift = add ? add[t * shift_step] : 0;
    const float least = masked ? p->masked : shift;
    if (least != -INFINITY)
      return false;
  }
  return true;
}

// ---- infinite values ----
static bool any_infinite(const unit *u) {
  const plan *p = u->p;
  for (size_t t = 0; t < p->keys; t++) {
    for (size_t i = 0; i < p->width; i++) {
      if (isinf(u->v[t * p->in[WEFT__VALUE].s.step[S] + i]))
        return true;
    }
  }
  return false;
}

static float query_at(const unit *u, size_t row, size_t i) {
  const plan *p = u->p;
  float *q = u->q + row * p->steps;
  return p->pairs ? weft__bf16_half(weft__attention_as_pairs(q)[i / 2], i % 2) : q[i];
}

static double exact_score(const unit *u, size_t row, size_t key) {
  const plan *p = u->p;
  const weft__attention_operand *k = &p->in[WEFT__KEY];
  const float *add = shift_of(u, row);
  const uint8_t *hide = attention_finish_mask_of(u, row);
  size_t low;
  size_t high;
  weft__attention_seen(&p->band, weft__attention_query_of(u, row), key, 1, &low, &high);
  if (low == high)
    return -INFINITY;
  if (hide && hide[key * p->in[WEFT__MASK].s.step[D]])
    return (double)p->masked;
  double sum = add ? (double)add[key * p->in[WEFT__SHIFT].s.step[D]] : 0;
  for (size_t i = 0; i < p->size; i++)
    sum += (double)query_at(u, row, i) * (double)u->k[key * k->s.step[S] + i * k->s.step[D]];
  return sum;
}

// A row by its definition: a weight that is 0 in floats may be a number, which makes an infinite value one.
static void attention_finish_exact_row(const unit *u, size_t row) {
  const plan *p = u->p;
  float *acc = u->acc + row * p->padded;
  double most = -INFINITY, all = 0;
  for (size_t t = 0; t < p->keys; t++)
    most = fmax(most, exact_score(u, row, t));
  for (size_t t = 0; t < p->keys; t++)
    all += exp(exact_score(u, row, t) - most);
  memset(acc, 0, p->width * sizeof *acc);
  for (size_t t = 0; t < p->keys; t++) {
    const float *v = u->v + t * p->in[WEFT__VALUE].s.step[S];
    double weight = exp(exact_score(u, row, t) - most) / all;
    for (size_t i = 0; i < p->width; i++)
      acc[i] = (float)((double)acc[i] + weight * (double)v[i]);
  }
}

void weft__attention_finish(const unit *u) {
  const plan *p = u->p;
  int infinite = -1;  // not asked
  for (size_t r = 0; r < u->rows; r++) {
    float *y = u->y + weft__attention_head_of(u, r) * p->y.s.step[N] +
               weft__attention_query_of(u, r) * p->y.s.step[S];
    float sum = u->sum[r];
    for (size_t i = 0; i < p->width; i += 16)
      __builtin_prefetch(y + AHEAD * p->y.s.step[S] + i, 1, 3);
    bool none = !p->keys || (p->zero_rows && !(sum > 0) && sees_nothing(u, r));
    if (sum > 0 && !p->ops->finite(u->acc + r * p->padded, p->width)) {
      if (infinite < 0)
        infinite = any_infinite(u);
      if (infinite) {
        attention_finish_exact_row(u, r);
        sum = 1;
      }
    }
    if (none)
      memset(y, 0, p->width * sizeof *y);
    else
      p->ops->scale(u->acc + r * p->padded, y, p->width, 1 / sum);
  }
}
// SPDX-License-Identifier: Apache-2.0
