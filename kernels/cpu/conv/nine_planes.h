// nine_planes.h - depthwise sums of 3 x 3 taps, compiled for each instruction set: they read the input where
// it lies, with loads that leave out what lies outside. The including file includes planes.h.
#pragma once

// Rows shorter than a vector are written in order, each over the beginning of the next.
WEFT_INLINE void leave_row(const weft__plane *p, float *y, size_t oy, size_t ox, vec v) {
  float *to = y + oy * p->out[1] + ox;
  size_t room = (size_t)(y + p->out[0] * p->out[1] - to);
  if (room >= VEC)
    store(to, v);
  else
    store_part(to, v, room);
}

typedef struct channel {
  const float *x;
  float *y;
  vec f[3][3], bias, low, high;
} channel;

// `rows` rows of a chunk from (oy, ox) on; a row of the input is read once for all of them.
WEFT_INLINE void nine_of(size_t rows, size_t stride, const weft__plane *p, const channel *h, size_t oy,
                         size_t ox, const column *c) {
  vec s[4];
  UNROLL
  for (size_t k = 0; k < rows; k++)
    s[k] = h->bias;
  int64_t top = (int64_t)(oy * stride) - p->begin[0];
  int64_t left = (int64_t)(ox * stride) - p->begin[1];
  UNROLL
  for (size_t i = 0; i < (rows - 1) * stride + 3; i++) {
    int64_t row = top + (int64_t)i;
    if (row < 0 || row >= (int64_t)p->in[0])
      continue;
    const float *x = h->x + (row * (int64_t)p->in[1] + left);
    UNROLL
    for (size_t t = 0; t < 3; t++) {
      const vec v = tap_at(stride, x + t, &c[t]);
      UNROLL
      for (size_t k = 0; k < rows; k++) {
        if (i >= k * stride && i - k * stride < 3)
          s[k] += v * h->f[i - k * stride][t];
      }
    }
  }
  UNROLL
  for (size_t k = 0; k < rows; k++)
    leave_row(p, h->y, oy + k, ox, vector_min(h->high, vector_max(h->low, s[k])));
}

WEFT_INLINE void nine_planes(size_t stride, const weft__plane *p, const weft__nine *q) {
  column columns[WEFT__PLANE_COLUMNS];
  size_t chunks = find_columns(p, 3, columns);
  channel h = {.x = p->x, .y = p->y, .low = spread(q->low), .high = spread(q->high)};
  for (size_t i = 0; i < p->planes; i++, h.x += p->in[0] * p->in[1], h.y += p->out[0] * p->out[1]) {
    UNROLL
    for (size_t t = 0; t < 9; t++)
      h.f[t / 3][t % 3] = spread(q->w[i * 9 + t]);
    h.bias = spread(q->bias ? q->scale * q->bias[i * q->by] : 0);
    for (size_t k = 0; k < chunks; k++) {
      const column *c = columns + k * 3;
      size_t oy = 0;
      size_t ox = chunk_at(p, k);
      for (; oy + 4 <= p->out[0]; oy += 4)
        nine_of(4, stride, p, &h, oy, ox, c);
      if (p->out[0] - oy == 3)
        nine_of(3, stride, p, &h, oy, ox, c);
      if (p->out[0] - oy == 2)
        nine_of(2, stride, p, &h, oy, ox, c);
      if (p->out[0] - oy == 1)
        nine_of(1, stride, p, &h, oy, ox, c);
    }
  }
}

static void nine(const weft__plane *p, const weft__nine *q) {
  if (p->stride == 1)
    nine_planes(1, p, q);
  else
    nine_planes(2, p, q);
}
// SPDX-License-Identifier: Apache-2.0
