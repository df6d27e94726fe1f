// pool_places.h - the largest numbers of a row of windows that lie inside the input, and which taps they are
// of, compiled for each instruction set: a vector of outputs over all taps at a time. The first of equal ones
// is taken, and the first NaN. The including file includes planes.h.
#pragma once

// Numbers of `n` outputs, `stride` apart; 0: p->stride.
WEFT_INLINE vec places_tap(size_t stride, const weft__pool_places *p, const float *x, const column *c,
                           size_t n) {
  float far[VEC] = {0};
  if (stride)
    return tap_at(stride, x, c);
  for (size_t j = 0; j < n; j++)
    far[j] = x[j * p->stride];
  return load(far);
}

WEFT_INLINE void places_row(size_t stride, const weft__pool_places *p, float *y, uint32_t *out_at) {
  const size_t step = stride ? stride : p->stride;
  ivec lane;
  for (int j = 0; j < VEC; j++)
    lane[j] = j;
  for (size_t i = 0; i < p->n; i += VEC) {
    const size_t at = i && i + VEC > p->n ? p->n - VEC : i;
    const size_t n = p->n - at < VEC ? p->n - at : VEC;
    const column c = {.in = range_of(0, n), .even = evens_of(range_of(0, n))};
    const float *x = p->x + at * step;
    vec best = places_tap(stride, p, x + p->tap[0], &c, n);
    ivec where = (ivec){0} + (int32_t)p->place[0];
    for (size_t t = 1; t < p->taps; t++) {
      const vec v = places_tap(stride, p, x + p->tap[t], &c, n);
      const ivec take = (v > best) | ((v != v) & (best == best));
      best = (vec)(((ivec)v & take) | ((ivec)best & ~take));
      where = (((ivec){0} + (int32_t)p->place[t]) & take) | (where & ~take);
    }
    where += (lane + (int32_t)at) * (int32_t)p->step;
    if (n < VEC) {
      store_part(y + at, best, n);
      store_part((float *)(void *)(out_at + at), (vec)where, n);
    } else {
      store(y + at, best);
      store((float *)(void *)(out_at + at), (vec)where);
    }
  }
}

static void places(const weft__pool_places *p, float *y, uint32_t *out_at) {
  if (p->stride == 1)
    places_row(1, p, y, out_at);
  else if (p->stride == 2)
    places_row(2, p, y, out_at);
  else
    places_row(0, p, y, out_at);
}
// SPDX-License-Identifier: Apache-2.0
