// blocked_taps.h - sums of taps place by place, compiled for each instruction set: a rectangle of places of
// one block of channels that have the same taps, up to eight places of a row in registers. The nine taps of a
// 3 x 3 kernel have code of their own, for whole rows with their ends: filters stay in registers, and a
// number that several places of a row need is loaded once. Either way a sum is made in the order of the taps.
// The including file includes blocked_steps.h.
#pragma once

typedef struct limits {
  vec bias, least, most;
} limits;

WEFT_INLINE void leave_places(size_t places, const vec *s, float *y, size_t y_step, const limits *l) {
  UNROLL
  for (size_t k = 0; k < places; k++)
    store(y + k * y_step, vector_min(l->most, vector_max(l->least, s[k])));
}

WEFT_INLINE void some_taps(size_t places, const weft__taps *p, const float *x, float *y, size_t c,
                           const limits *l) {
  vec s[8];
  UNROLL
  for (size_t k = 0; k < places; k++)
    s[k] = l->bias;
  for (const weft__tap *t = p->tap, *end = t + p->taps; t < end; t++) {
    const float *q = x + t->x;
    vec f = load(p->w + t->w + c);
    UNROLL
    for (size_t k = 0; k < places; k++)
      s[k] += load(q + k * p->x_step) * f;
  }
  leave_places(places, s, y, p->y_step, l);
}

// The row's places in equal parts of at most eight.
#define EACH_PART(CALL)                                                            \
  for (size_t i = 0, part = 0, m; part < parts; part++) {                          \
    m = (p->n - i + parts - part - 1) / (parts - part);                            \
    const float *x = p->x + r * p->x_row + i * p->x_step + c;                      \
    float *y = p->y + r * p->y_row + i * p->y_step + c;                            \
    i += m;                                                                        \
    switch (m) { CALL(1) CALL(2) CALL(3) CALL(4) CALL(5) CALL(6) CALL(7) CALL(8) } \
  }

static void taps(const weft__taps *p) {
  const size_t parts = (p->n + 7) / 8;
  for (size_t c = 0; c < WEFT__C0; c += VEC) {
    const limits l = {load(p->bias + c), spread(p->low), spread(p->high)};
    for (size_t r = 0; r < p->rows; r++) {
#define CASE(k)                   \
  case k:                         \
    some_taps(k, p, x, y, c, &l); \
    break;
      EACH_PART(CASE)
#undef CASE
    }
  }
}
#undef EACH_PART

// ---- 3 x 3 ----
// Some places of a row: columns from `at` on of the input's rows; left, right: without the first column of
// the first place, without the last one of the last.
typedef struct nine_part {
  const float *const *row;
  size_t at;
  bool left, right;
} nine_part;

// `p` lies on the stack of an inlined caller and is in registers.
WEFT_INLINE void nine_places(size_t places, size_t stride, const nine_part *p, vec (*f)[3], float *y,
                             const limits *l) {
  const size_t columns = (places - 1) * stride + 3;
  vec s[8];
  UNROLL
  for (size_t k = 0; k < places; k++)
    s[k] = l->bias;
  UNROLL
  for (size_t r = 0; r < 3; r++) {
    if (!p->row[r])
      continue;
    const float *x = p->row[r] + p->at;
    UNROLL
    for (size_t i = 0; i < columns; i++) {
      if ((i == 0 && p->left) || (i + 1 == columns && p->right))
        continue;
      const vec v = load(x + i * WEFT__C0 - WEFT__C0);
      UNROLL
      for (size_t t = 0; t < 3; t++) {
        if (i >= t && (i - t) % stride == 0 && (i - t) / stride < places)
          s[(i - t) / stride] += v * f[r][t];
      }
    }
  }
  leave_places(places, s, y, WEFT__C0, l);
}

WEFT_INLINE void nine_rows(size_t stride, const weft__nine_rows *p, size_t c, const limits *l) {
  const size_t parts = (p->n + 7) / 8;
  vec f[3][3];
  UNROLL
  for (size_t t = 0; t < 9; t++)
    f[t / 3][t % 3] = load(p->w + t * WEFT__C0 + c);
  for (size_t r = 0; r < p->rows; r++) {
    float *y = p->y + r * p->n * WEFT__C0 + c;
    for (size_t i = 0, part = 0, m; part < parts; part++, i += m, y += m * WEFT__C0) {
      const nine_part some = {.row = p->row + r * p->down,
                              .at = (i * stride + !p->left) * WEFT__C0 + c,
                              .left = !i && p->left,
                              .right = part + 1 == parts && p->right};
      m = (p->n - i + parts - part - 1) / (parts - part);
#define CASE(k)                             \
  case k:                                   \
    nine_places(k, stride, &some, f, y, l); \
    break;
      switch (m) { CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6) CASE(7) CASE(8) }
#undef CASE
    }
  }
}

static void nine(const weft__nine_rows *p) {
  for (size_t c = 0; c < WEFT__C0; c += VEC) {
    const limits l = {load(p->bias + c), spread(p->low), spread(p->high)};
    if (p->stride == 1)
      nine_rows(1, p, c, &l);
    else
      nine_rows(2, p, c, &l);
  }
}
// SPDX-License-Identifier: Apache-2.0
