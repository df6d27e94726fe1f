// blocked_taps.h - sums of taps place by place, compiled for each instruction set: a rectangle of places of
// one block of channels that have the same taps, up to eight places of a row in registers. The nine taps of a
// 3 x 3 kernel have code of their own: filters stay in registers, and a number that several places of a row
// need is loaded once. Either way a sum is made in the order of the taps. The including file includes
// blocked_steps.h.
#pragma once

typedef struct limits {
  vec bias, least, most;
} limits;

WEFT_INLINE void leave_places(size_t places, const vec *s, float *y, size_t y_step, const limits *l) {
  UNROLL for (size_t k = 0; k < places; k++)
      store(y + k * y_step, vector_min(l->most, vector_max(l->least, s[k])));
}

WEFT_INLINE void some_taps(size_t places, const weft__taps *p, const float *x, float *y, size_t c,
                           const limits *l) {
  vec s[8];
  UNROLL for (size_t k = 0; k < places; k++) s[k] = l->bias;
  for (const weft__tap *t = p->tap, *end = t + p->taps; t < end; t++) {
    const float *q = x + t->x;
    vec f = load(p->w + t->w + c);
    UNROLL for (size_t k = 0; k < places; k++) s[k] += load(q + k * p->x_step) * f;
  }
  leave_places(places, s, y, p->y_step, l);
}

// 3 x 3 taps beside each other; places are `stride` places of the input apart.
WEFT_INLINE void nine_taps(size_t places, size_t stride, const float *x, size_t down, vec (*f)[3], float *y,
                           const limits *l) {
  vec s[8];
  UNROLL for (size_t k = 0; k < places; k++) s[k] = l->bias;
  UNROLL for (size_t r = 0; r < 3; r++) {
    UNROLL for (size_t i = 0; i < (places - 1) * stride + 3; i++) {
      const vec v = load(x + r * down + i * WEFT__C0);
      UNROLL for (size_t t = 0; t < 3; t++) if (i >= t && (i - t) % stride == 0 && (i - t) / stride < places)
          s[(i - t) / stride] += v * f[r][t];
    }
  }
  leave_places(places, s, y, WEFT__C0, l);
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

WEFT_INLINE void nine_rows(size_t stride, const weft__taps *p, size_t c, const limits *l) {
  const size_t parts = (p->n + 7) / 8, down = p->tap[3].x - p->tap[0].x;
  vec f[3][3];
  UNROLL for (size_t t = 0; t < 9; t++) f[t / 3][t % 3] = load(p->w + p->tap[t].w + c);
  for (size_t r = 0; r < p->rows; r++) {
#define CASE(k)                             \
  case k:                                   \
    nine_taps(k, stride, x, down, f, y, l); \
    break;
    EACH_PART(CASE)
#undef CASE
  }
}

static bool is_nine(const weft__taps *p) {
  bool nine = p->taps == 9 && p->y_step == WEFT__C0;
  for (size_t t = 0; nine && t < 9; t++)
    nine = p->tap[t].x == p->tap[t / 3 * 3].x + t % 3 * WEFT__C0 &&
           (t % 3 || p->tap[t].x - p->tap[0].x == t / 3 * (p->tap[3].x - p->tap[0].x));
  return nine;
}

static void taps(const weft__taps *p) {
  const size_t parts = (p->n + 7) / 8;
  const bool nine = is_nine(p);
  for (size_t c = 0; c < WEFT__C0; c += VEC) {
    const limits l = {load(p->bias + c), spread(p->low), spread(p->high)};
    if (nine && p->x_step == WEFT__C0) {
      nine_rows(1, p, c, &l);
    } else if (nine && p->x_step == 2 * WEFT__C0) {
      nine_rows(2, p, c, &l);
    } else {
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
}
#undef EACH_PART
