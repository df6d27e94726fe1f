// recurrent_cell_body.h - the source of recurrent_cell.h's tables. The including file says VEC (floats of a
// vector), ROWS, TABLE, fused(a, b, c) = a * b + c, sigmoid_of and tanh_of a vector.
#include "cpu/simd/unroll.h"

enum { SUMS = 14 };  // rows times sums beside each other, at most

WEFT_INLINE vec load(const float *p) {
  return *(const vec_at *)p;
}
WEFT_INLINE void store(float *p, vec v) {
  *(vec_at *)p = v;
}
WEFT_INLINE vec spread(float x) {
  return x - (vec){0};
}

// ---- products ----
// So many sums beside each other that the additions do not wait for one another.
#define BESIDE(n) ((n) >= 8 ? 1 : (n) >= 4 ? 2 : (n) >= 2 ? 4 : 8)

WEFT_INLINE void one_k(size_t gates, size_t rows, const float *const *base, size_t a_row, const float *b,
                       vec (*s)[WEFT__CELL_GATES]) {
  vec x[ROWS];
  UNROLL
  for (size_t i = 0; i < rows; i++)
    x[i] = spread(base[i / 3][i % 3 * a_row]);
  UNROLL
  for (size_t g = 0; g < gates; g++) {
    vec w = load(b + g * VEC);
    UNROLL
    for (size_t i = 0; i < rows; i++)
      s[i][g] = fused(w, x[i], s[i][g]);
  }
}

WEFT_INLINE void product(size_t gates, size_t rows, const weft__cell_sums *given) {
  const weft__cell_sums of = *given;
  const size_t a_row = of.a_row;
  const float *b = of.b;
  size_t k = of.k;
  const size_t beside = BESIDE(gates * rows);
  vec s[SUMS][WEFT__CELL_GATES];
  const float *base[(ROWS + 2) / 3];
  UNROLL
  for (size_t i = 0; i < rows; i++)
    UNROLL
  for (size_t g = 0; g < gates; g++)
    s[i][g] = load(of.init[i] + of.at + g * VEC);
  UNROLL
  for (size_t i = rows; i < rows * beside; i++)
    UNROLL
  for (size_t g = 0; g < gates; g++)
    s[i][g] = (vec){0};
  UNROLL
  for (size_t i = 0; i < rows; i += 3)
    base[i / 3] = of.a + i * a_row;
  for (; k >= beside; k -= beside) {
    UNROLL
    for (size_t q = 0; q < beside; q++) {
      one_k(gates, rows, base, a_row, b + q * gates * VEC, s + q * rows);
      UNROLL
      for (size_t i = 0; i < rows; i += 3)
        base[i / 3]++;
    }
    b += beside * gates * VEC;
  }
  for (; beside > 1 && k; k--) {
    one_k(gates, rows, base, a_row, b, s);
    UNROLL
    for (size_t i = 0; i < rows; i += 3)
      base[i / 3]++;
    b += gates * VEC;
  }
  UNROLL
  for (size_t half = beside / 2; half; half /= 2)
    UNROLL
  for (size_t i = 0; i < half * rows; i++)
    UNROLL
  for (size_t g = 0; g < gates; g++)
    s[i][g] += s[half * rows + i][g];
  UNROLL
  for (size_t i = 0; i < rows; i++)
    UNROLL
  for (size_t g = 0; g < gates; g++)
    store(of.out + i * of.out_row + g * VEC, s[i][g]);
}

#define PRODUCT(gates, rows)                                       \
  static void product_##gates##_##rows(const weft__cell_sums *s) { \
    product(gates, rows, s);                                       \
  }
#if ROWS == 6
#define EACH_ROW(X, gates) X(gates, 1) X(gates, 2) X(gates, 3) X(gates, 4) X(gates, 5) X(gates, 6)
#elif ROWS == 3
#define EACH_ROW(X, gates) X(gates, 1) X(gates, 2) X(gates, 3)
#else
#define EACH_ROW(X, gates) X(gates, 1) X(gates, 2)
#endif
EACH_ROW(PRODUCT, 1)
EACH_ROW(PRODUCT, 2)
EACH_ROW(PRODUCT, 3)
EACH_ROW(PRODUCT, 4)

// ---- activations ----
#define OVER(e)                           \
  WEFT_LOOP(size_t j = 0; j < VEC; j++) { \
    const float x = v[j];                 \
    v[j] = (e);                           \
  }                                       \
  break
static void activate(const weft__act *f, float clip, float *v) {
  const float a = f->alpha;
  const float b = f->beta;
  if (clip >= 0) {
    WEFT_LOOP(size_t j = 0; j < VEC; j++) {
      const float x = v[j] < -clip ? -clip : v[j];
      v[j] = x > clip ? clip : x;
    }
  }
  switch (f->kind) {
    case WEFT__ACT_RELU:
      OVER(x < 0.0f ? 0.0f : x);
    case WEFT__ACT_TANH:
      store(v, tanh_of(load(v)));
      break;
    case WEFT__ACT_SIGMOID:
      store(v, sigmoid_of(load(v)));
      break;
    case WEFT__ACT_AFFINE:
      OVER(a * x + b);
    case WEFT__ACT_LEAKY:
      OVER(x < 0.0f ? a * x : x);
    case WEFT__ACT_THRESHOLDED:
      OVER(x <= a ? 0.0f : x);
    case WEFT__ACT_SCALED_TANH:
      OVER(a * weft__tanhf(b * x));
    case WEFT__ACT_HARD_SIGMOID:
      OVER(a * x + b < 0.0f ? 0.0f : a * x + b > 1.0f ? 1.0f : a * x + b);
    case WEFT__ACT_ELU:
      OVER(x < 0.0f ? a * weft__expm1f(x) : x);
    case WEFT__ACT_SOFTSIGN:
      OVER(weft__absf(x) > 3.4028235e38f ? weft__signed(1.0f, x) : x / (1.0f + weft__absf(x)));
    default:
      OVER(weft__softplusf(x));
  }
}

// ---- cells ----
// What a row does when its new state is known: v, VEC numbers.
WEFT_INLINE void give(const weft__cell *c, size_t i, size_t u, vec v) {
  const size_t from = u * VEC;
  const size_t n = c->hidden - from;
  store(c->h_next + i * c->row + from, v);
  if (n >= VEC)
    store(c->y[i] + from, v);
  else
    memcpy(c->y[i] + from, c->h_next + i * c->row + from, n * sizeof(float));
}
static void pause(const weft__cell *c, size_t i, size_t u) {
  const size_t from = u * VEC;
  const size_t n = c->hidden - from < VEC ? c->hidden - from : VEC;
  store(c->h_next + i * c->row + from, load(c->h + i * c->row + from));
  memset(c->y[i] + from, 0, n * sizeof(float));
}
// VEC numbers of a list of c->hidden, zeros behind its end.
static vec units(const weft__cell *c, const float *list, size_t u) {
  float part[VEC] = {0};
  const size_t from = u * VEC;
  if (c->hidden - from >= VEC)
    return load(list + from);
  memcpy(part, list + from, (c->hidden - from) * sizeof *part);
  return load(part);
}

// The sums of a block of units, of so many numbers a row, to z: panel r times the states, beside the input's
// part.
static weft__cell_sums state_sums(const weft__cell *c, const float *r, size_t wide, float *z) {
  return (weft__cell_sums){
      .k = c->hidden, .a = c->h, .a_row = c->row, .b = r, .init = c->x, .out = z, .out_row = wide};
}

static void rnn(const weft__cell *c, size_t u, size_t stage) {
  _Alignas(64) float z[ROWS * VEC];
  weft__cell_sums s = state_sums(c, c->r + u * VEC * c->hidden, VEC, z);
  (void)stage;
  s.at = u * VEC;
  TABLE.product[0][c->rows](&s);
  for (size_t i = 0; i < c->rows; i++) {
    if (!(c->live >> i & 1)) {
      pause(c, i, u);
      continue;
    }
    activate(&c->act[0], c->clip, z + i * VEC);
    give(c, i, u, load(z + i * VEC));
  }
}

// gate: i, o, f, c; becomes h.
static vec lstm_any(const weft__cell *c, float *gate, float *state, size_t u) {
  float *zi = gate;
  float *zo = gate + VEC;
  float *zf = gate + 2 * VEC;
  float *zc = gate + 3 * VEC;
  if (c->p) {
    store(zi, load(zi) + units(c, c->p, u) * load(state));
    store(zf, load(zf) + units(c, c->p + 2 * c->hidden, u) * load(state));
  }
  activate(&c->act[0], c->clip, zi);
  if (c->coupled)
    store(zf, spread(1.0f) - load(zi));
  else
    activate(&c->act[0], c->clip, zf);
  activate(&c->act[1], c->clip, zc);
  vec s = fused(load(zf), load(state), load(zi) * load(zc));
  store(state, s);
  if (c->p)
    store(zo, load(zo) + units(c, c->p + c->hidden, u) * s);
  activate(&c->act[0], c->clip, zo);
  store(zc, s);
  activate(&c->act[2], c->clip, zc);
  return load(zo) * load(zc);
}
static void lstm(const weft__cell *c, size_t u, size_t stage) {
  enum { GATES = 4, WIDE = GATES * VEC };
  _Alignas(64) float z[ROWS * WIDE];
  weft__cell_sums sums = state_sums(c, c->r + u * WIDE * c->hidden, WIDE, z);
  (void)stage;
  sums.at = u * WIDE;
  TABLE.product[GATES - 1][c->rows](&sums);
  for (size_t i = 0; i < c->rows; i++) {
    float *gate = z + i * WIDE;
    float *state = c->c + i * c->row + u * VEC;
    if (!(c->live >> i & 1)) {
      pause(c, i, u);
      continue;
    }
    if (!c->usual) {
      give(c, i, u, lstm_any(c, gate, state, u));
      continue;
    }
    vec in = sigmoid_of(load(gate));
    vec keep = sigmoid_of(load(gate + 2 * VEC));
    vec new = tanh_of(load(gate + 3 * VEC));
    vec s = fused(keep, load(state), in * new);
    store(state, s);
    give(c, i, u, sigmoid_of(load(gate + VEC)) * tanh_of(s));
  }
}

// H' = (1 - z) * h + z * H
WEFT_INLINE void mix(const weft__cell *c, size_t i, size_t u, vec z, vec h) {
  vec before = load(c->h + i * c->row + u * VEC);
  give(c, i, u, fused(z, before, (spread(1.0f) - z) * h));
}
static void gru(const weft__cell *c, size_t u, size_t stage) {
  enum { GATES = 3, WIDE = GATES * VEC };
  _Alignas(64) float z[ROWS * WIDE];
  const size_t blocks = (c->hidden + VEC - 1) / VEC;
  const size_t wide = stage ? VEC : 2 * VEC;
  const float *r = stage ? c->r + (2 * blocks + u) * VEC * c->hidden : c->r + u * wide * c->hidden;
  weft__cell_sums s = state_sums(c, r, wide, z);
  s.at = u * WIDE;
  if (stage) {
    s.a = c->reset;
    s.at += (size_t)2 * VEC;
  }
  TABLE.product[stage ? 0 : 1][c->rows](&s);
  for (size_t i = 0; i < c->rows; i++) {
    float *gate = z + i * wide;
    const size_t at = i * c->row + u * VEC;
    if (!stage) {
      activate(&c->act[0], c->clip, gate);
      activate(&c->act[0], c->clip, gate + VEC);
      store(c->z + at, load(gate));
      store(c->reset + at, load(gate + VEC) * load(c->h + at));
    } else if (c->live >> i & 1) {
      activate(&c->act[1], c->clip, gate);
      mix(c, i, u, load(c->z + at), load(gate));
    } else {
      pause(c, i, u);
    }
  }
}

// The product of gate h is multiplied by gate r before the input's part joins.
static void gru_after(const weft__cell *c, size_t u, size_t stage) {
  enum { GATES = 3, WIDE = GATES * VEC };
  _Alignas(64) float z[ROWS * WIDE];
  const float *init[ROWS];
  const vec bias = c->rb ? units(c, c->rb, u) : (vec){0};
  (void)stage;
  for (size_t i = 0; i < c->rows; i++) {
    const float *x = c->x[i] + u * WIDE;
    init[i] = z + i * WIDE;
    store(z + i * WIDE, load(x));
    store(z + i * WIDE + VEC, load(x + VEC));
    store(z + i * WIDE + 2 * VEC, bias);
  }
  weft__cell_sums s = state_sums(c, c->r + u * WIDE * c->hidden, WIDE, z);
  s.init = init;
  TABLE.product[GATES - 1][c->rows](&s);
  for (size_t i = 0; i < c->rows; i++) {
    float *gate = z + i * WIDE;
    float *h = gate + 2 * VEC;
    if (!(c->live >> i & 1)) {
      pause(c, i, u);
      continue;
    }
    activate(&c->act[0], c->clip, gate);
    activate(&c->act[0], c->clip, gate + VEC);
    store(h, fused(load(gate + VEC), load(h), load(c->x[i] + u * WIDE + 2 * VEC)));
    activate(&c->act[1], c->clip, h);
    mix(c, i, u, load(gate), load(h));
  }
}

#define ENTRY(gates, rows) [rows] = product_##gates##_##rows,
const weft__cell_ops TABLE = {
    .vec = VEC,
    .rows = ROWS,
    .product = {{EACH_ROW(ENTRY, 1)}, {EACH_ROW(ENTRY, 2)}, {EACH_ROW(ENTRY, 3)}, {EACH_ROW(ENTRY, 4)}},
    .cell = {[WEFT__CELL_RNN] = rnn,
             [WEFT__CELL_LSTM] = lstm,
             [WEFT__CELL_GRU] = gru,
             [WEFT__CELL_GRU_AFTER] = gru_after}};
// SPDX-License-Identifier: Apache-2.0
