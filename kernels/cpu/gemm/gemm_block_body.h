// gemm_block_body.h - the source of gemm_block.h's tables. The including file says ROWS, AT_ONCE (steps of a
// sum that are written out), TABLE, and includes a vector_*.h: VEC (floats of a vector), SUM_STEPS,
// vector_max(a, b), vector_min(a, b), which give b where a number is NaN, and load_part, store_part, which
// touch the first n < VEC numbers only, load_range, store_range, which touch a range of them.
//
// A sum of many products is made in parts of SUM_STEPS that are then added: rounding errors grow with the
// root of a part, not of the whole.
#include "cpu/gemm/block_steps.h"
#include "cpu/simd/each_row.h"
#include "cpu/gemm/few_columns.h"

// ---- tiles ----
// A part of the sums on its way to the tile.
WEFT_INLINE void keep(size_t rows, size_t vecs, vec (*s)[2], float *out, bool more) {
  UNROLL
  for (size_t i = 0; i < rows; i++)
    UNROLL
  for (size_t v = 0; v < vecs; v++) {
    float *to = out + i * TILE + v * VEC;
    store(to, more ? load(to) + s[i][v] : s[i][v]);
  }
}

// Where a tile reads: row i of a at base[i / 3] + (i % 3) * a_row, a third of the pointers; of b at `b`, or,
// by weft__gemm_taps_fn, where the next number at `at` says.
typedef struct walk {
  const float *base[(ROWS + 2) / 3];
  const float *b;
  const uint32_t *at;
  const char *ahead;
} walk;
WEFT_INLINE void one_step(size_t rows, size_t vecs, const weft__tile_in *f, walk *w, vec (*s)[2]) {
  const float *row = w->at ? w->b + *w->at++ : w->b;
  vec b0 = load(row);
  vec b1 = b0;
  if (vecs > 1)
    b1 = load(row + VEC);
  if (!w->at)
    __builtin_prefetch(w->ahead, 0, 2);
  UNROLL
  for (size_t i = 0; i < rows; i++) {
    float x = w->base[i / 3][i % 3 * f->a_row];
    s[i][0] += b0 * x;
    if (vecs > 1)
      s[i][1] += b1 * x;
  }
  UNROLL
  for (size_t i = 0; i < rows; i += 3)
    w->base[i / 3] += f->a_k;
  w->b += f->b_k;
  w->ahead += f->ahead.by;
}

// `f` lies on the stack of an inlined caller: what it holds stays in registers.
WEFT_INLINE void tile(size_t rows, size_t vecs, const weft__tile_in *f, const uint32_t *at, float *out,
                      const weft__rows_out *o) {
  walk w = {.b = f->b, .at = at, .ahead = f->ahead.from};
  UNROLL
  for (size_t i = 0; i < rows; i += 3)
    w.base[i / 3] = f->a + i * f->a_row;
  enum { LEAST_SUM_STEPS = 64 };
  // Filters beside each other, whose sums do not leave from registers, are a small part of a network, its
  // last layer among them: they are summed as accurately as anywhere.
  const size_t most = f->a_row == 1 && !o ? LEAST_SUM_STEPS : SUM_STEPS;
  size_t k = f->k;
  bool more = false;
  do {
    vec s[ROWS][2];
    UNROLL
    for (size_t i = 0; i < rows; i++)
      s[i][0] = s[i][1] = (vec){0};
    size_t part = k < most ? k : most;
    k -= part;
    for (; part >= AT_ONCE; part -= AT_ONCE)
      UNROLL
    for (int q = 0; q < AT_ONCE; q++)
      one_step(rows, vecs, f, &w, s);
    for (; AT_ONCE > 1 && part; part--)
      one_step(rows, vecs, f, &w, s);
    if (o && !k)
      leave_rows(rows, s, out, more, o);
    else {
      keep(rows, vecs, s, out, more);
      more = true;
    }
  } while (k);
}

// Copies for tile(), with a stride that the compiler then knows.
WEFT_INLINE weft__tile_in near(const weft__tile_in *f) {
  weft__tile_in own = *f;
  own.a_row = 1;
  return own;
}
WEFT_INLINE weft__tile_in far(const weft__tile_in *f) {
  weft__tile_in own = *f;
  own.a_k = 1;
  return own;
}

WEFT_INLINE void near_tile(size_t rows, size_t vecs, const weft__tile_in *f, float *out) {
  const weft__tile_in own = near(f);
  tile(rows, vecs, &own, NULL, out, NULL);
}
WEFT_INLINE void far_tile(size_t rows, size_t vecs, const weft__tile_in *f, float *out) {
  const weft__tile_in own = far(f);
  tile(rows, vecs, &own, NULL, out, NULL);
}

// Tiles one below the other, from registers to the output.
WEFT_INLINE void many(size_t rows, size_t tiles, const weft__tile_in *given, const weft__rows_out *out) {
  _Alignas(64) float sums[ROWS * TILE];
  const weft__tile_in all = near(given);
  weft__tile_in f = all;
  weft__rows_out o = *out;
  for (; tiles; tiles--) {
    const float *next = f.a + all.k * all.a_k;
    const bool more = tiles > 1;
    f.ahead = more ? (weft__ahead){(const char *)next, 64} : all.ahead;
    fetch_rows(rows, &o);
    tile(rows, 2, &f, NULL, sums, &o);
    o.y += rows * o.y_row;
    o.one += rows * o.one_row;
    f.a = next;
    if (o.all)
      o.all += rows * o.all_row;
  }
}

WEFT_INLINE void far_out(size_t rows, const weft__tile_in *f, const weft__rows_out *o) {
  _Alignas(64) float sums[ROWS * TILE];
  const weft__tile_in own = far(f);
  fetch_rows(rows, o);
  tile(rows, 2, &own, NULL, sums, o);
}

#define ROW(n)                                                                                    \
  static void near1_##n(const weft__tile_in *f, float *out) {                                     \
    near_tile(n, 1, f, out);                                                                      \
  }                                                                                               \
  static void near2_##n(const weft__tile_in *f, float *out) {                                     \
    near_tile(n, 2, f, out);                                                                      \
  }                                                                                               \
  static void far1_##n(const weft__tile_in *f, float *out) {                                      \
    far_tile(n, 1, f, out);                                                                       \
  }                                                                                               \
  static void far2_##n(const weft__tile_in *f, float *out) {                                      \
    far_tile(n, 2, f, out);                                                                       \
  }                                                                                               \
  static void out_##n(size_t tiles, const weft__tile_in *f, const weft__rows_out *o) {            \
    many(n, tiles, f, o);                                                                         \
  }                                                                                               \
  static void far_out_##n(const weft__tile_in *f, const weft__rows_out *o) {                      \
    far_out(n, f, o);                                                                             \
  }                                                                                               \
  static void taps1_##n(size_t k, const float *a, size_t a_k, const float *x, const uint32_t *at, \
                        float *out) {                                                             \
    tile(n, 1, &(weft__tile_in){k, a, 1, a_k, x, 0, {(const char *)x, 0}}, at, out, NULL);        \
  }                                                                                               \
  static void taps2_##n(size_t k, const float *a, size_t a_k, const float *x, const uint32_t *at, \
                        float *out) {                                                             \
    tile(n, 2, &(weft__tile_in){k, a, 1, a_k, x, 0, {(const char *)x, 0}}, at, out, NULL);        \
  }
EACH_ROW(ROW)

// Few rows: the speed is that of reading b, and several streams are read faster than one.
WEFT_INLINE void streams(size_t rows, size_t panels, const weft__tile_in *f, size_t b_panel, float *out) {
  const float *a = f->a;
  const float *b = f->b;
  size_t k = f->k;
  bool more = false;
  do {
    vec s[WEFT__GEMM_WIDE][WEFT__GEMM_WIDE_ROWS][2];
    UNROLL
    for (size_t p = 0; p < panels; p++)
      UNROLL
    for (size_t i = 0; i < rows; i++)
      s[p][i][0] = s[p][i][1] = (vec){0};
    size_t part = k < SUM_STEPS ? k : SUM_STEPS;
    for (k -= part; part; part--) {
      UNROLL
      for (size_t p = 0; p < panels; p++) {
        const float *at = b + p * b_panel;
        vec b0 = load(at);
        vec b1 = load(at + VEC);
        __builtin_prefetch((const char *)at + 1024, 0, 3);
        if (COLS > 16)
          __builtin_prefetch((const char *)at + 1088, 0, 3);
        UNROLL
        for (size_t i = 0; i < rows; i++) {
          float x = a[i * f->a_row];
          s[p][i][0] += b0 * x;
          s[p][i][1] += b1 * x;
        }
      }
      a += f->a_k;
      b += f->b_k;
    }
    UNROLL
    for (size_t p = 0; p < panels; p++)
      keep(rows, 2, s[p], out + p * WEFT__GEMM_ROWS * TILE, more);
    more = true;
  } while (k);
}
// Sums of four rows and four panels would not fit in registers: two panels, then the others.
WEFT_INLINE void wide(size_t rows, const weft__tile_in *all, size_t b_panel, float *out) {
  const size_t panels = rows < WEFT__GEMM_WIDE_ROWS ? WEFT__GEMM_WIDE : WEFT__GEMM_WIDE / 2;
  for (size_t p = 0; p < WEFT__GEMM_WIDE; p += panels) {
    weft__tile_in f = *all;
    f.b += p * b_panel;
    streams(rows, panels, &f, b_panel, out + p * WEFT__GEMM_ROWS * TILE);
  }
}
#define WIDE(n)                                                              \
  static void wide_##n(const weft__tile_in *f, size_t b_panel, float *out) { \
    wide(n, f, b_panel, out);                                                \
  }
WIDE(1)
WIDE(2)
WIDE(3)
WIDE(4)

// One column: sums along rows of a. VEC sums of a row, element k in sum k % VEC of two in turns, then blocks
// of them.
WEFT_INLINE void four_dots(size_t k, const float *const *a, const float *b, vec *out) {
  vec s[4] = {{0}};
  vec t[4] = {{0}};
  size_t i = 0;
  for (; i + 2 * VEC <= k; i += 2 * VEC) {
    const vec b0 = load(b + i);
    const vec b1 = load(b + i + VEC);
    UNROLL
    for (int j = 0; j < 4; j++) {
      s[j] += load(a[j] + i) * b0;
      t[j] += load(a[j] + i + VEC) * b1;
    }
  }
  if (i + VEC <= k) {
    const vec b0 = load(b + i);
    UNROLL
    for (int j = 0; j < 4; j++)
      s[j] += load(a[j] + i) * b0;
    i += VEC;
  }
  if (i < k) {
    const vec b0 = load_part(b + i, k - i);
    UNROLL
    for (int j = 0; j < 4; j++)
      t[j] += load_part(a[j] + i, k - i) * b0;
  }
  UNROLL
  for (int j = 0; j < 4; j++)
    out[j] = s[j] + t[j];
}

static void dots(size_t rows, size_t k, const float *a, size_t a_row, const float *b, float *out) {
  for (size_t i = 0; i < COLS; i += VEC) {
    vec s[VEC];
    UNROLL
    for (size_t j = 0; j < VEC; j++)
      s[j] = (vec){0};
    for (size_t j = 0; j < VEC && i + j < rows; j += 4) {
      const float *row[4];
      for (size_t r = 0; r < 4; r++)
        row[r] = a + (i + j + r < rows ? i + j + r : rows - 1) * a_row;
      four_dots(k, row, b, s + j);
    }
    UNROLL
    for (int n = VEC / 2; n; n /= 2)
      UNROLL
    for (int j = 0; j < n; j++)
      s[j] = add_blocks(s[2 * j], s[2 * j + 1], n);
    store(out + i, s[0]);
  }
}

// ---- epilogue ----
WEFT_INLINE const float *operand(const weft__tile_out *o, const weft__step *s, size_t i) {
  return (const float *)o->arg[s->arg] + o->batch * s->by_batch + (o->row + i) * s->by_row +
         o->col * s->by_col;
}

// One vector on its way to the output: n of its numbers count.
WEFT_INLINE void put(vec x, const weft__tile_out *o, uint32_t steps, size_t i, size_t j, size_t n) {
  float *y = o->y + i * o->y_row + j;
  if (o->more)
    x += load_n(y, n);
  for (uint32_t k = 0; k < steps; k++) {
    const weft__step *s = &o->e->step[k];
    if (s->kind == WEFT__STEP_CLIP) {
      x = vector_min(spread(s->q), vector_max(spread(s->p), x));
      continue;
    }
    const float *z = operand(o, s, i);
    vec v = s->by_col ? load_n(z + j, n) : spread(*z);
    x += s->p == 1.0f ? v : v * s->p;
  }
  store_n(y, x, n);
}

// The usual steps over a tile: a number a row, a tensor, a clip, each or none.
typedef struct usual_steps {
  const float *by_row;  // NULL: none
  size_t row_step;
  const float *all;  // NULL: none
  size_t all_step;
  bool clip;
  float low;
  float high;
} usual_steps;

// To `to`, which may be the tile or the output. `whole`: of COLS columns.
WEFT_INLINE void usual(const float *tile, const weft__tile_out *o, bool whole, bool more,
                       const usual_steps *steps, float *to, size_t to_row) {
  const usual_steps u = *steps;
  const float *by_row = u.by_row;
  const float *all = u.all;
  const vec least = spread(u.low);
  const vec most = spread(u.high);
  const size_t y_row = o->y_row;  // kept here: what is stored might be it
  const size_t n0 = whole || o->cols > VEC ? VEC : o->cols;
  const size_t n1 = whole ? VEC : o->cols - n0;
  const float *y = o->y;
  for (size_t i = o->rows; i; i--, tile += TILE, y += y_row, to += to_row) {
    vec x0 = load(tile);
    vec x1 = load(tile + VEC);
    if (more) {
      x0 += load_n(y, n0);
      x1 += load_n(y + VEC, n1);
    }
    if (by_row) {
      vec v = spread(*by_row);
      x0 += v;
      x1 += v;
      by_row += u.row_step;
    }
    if (all) {
      x0 += load_n(all, n0);
      x1 += load_n(all + VEC, n1);
      all += u.all_step;
    }
    if (u.clip) {
      x0 = vector_min(most, vector_max(least, x0));
      x1 = vector_min(most, vector_max(least, x1));
    }
    store_n(to, x0, n0);
    store_n(to + VEC, x1, n1);
  }
}

// The first so many steps, if they are usual ones. True: done.
static bool finish_usual(const float *tile, const weft__tile_out *o, uint32_t steps, float *to,
                         size_t to_row) {
  weft__usual u;
  if (!weft__usual_of(o->e, steps, &u))
    return false;
  usual_steps s = {0};
  if (u.one) {
    s.by_row = operand(o, u.one, 0);
    s.row_step = u.one->by_row;
  }
  if (u.all) {
    s.all = operand(o, u.all, 0);
    s.all_step = u.all->by_row;
  }
  if (u.clip) {
    s.clip = true;
    s.low = u.clip->p;
    s.high = u.clip->q;
  }
  if (o->cols < COLS)
    usual(tile, o, false, o->more, &s, to, to_row);
  else if (o->more)
    usual(tile, o, true, true, &s, to, to_row);
  else
    usual(tile, o, true, false, &s, to, to_row);
  return true;
}

static void step(float *tile, const weft__tile_out *o, const weft__step *s) {
  if (s->kind != WEFT__STEP_ADD) {
    activate(tile, o->rows, s, tile, TILE);
    return;
  }
  for (size_t i = 0; i < o->rows; i++) {
    const float *z = operand(o, s, i);
    for (size_t j = 0; j < o->cols; j += VEC) {
      float *t = tile + i * TILE + j;
      const vec v = s->by_col ? load_n(z + j, o->cols - j) : spread(*z);
      store(t, load(t) + v * s->p);
    }
  }
}

// Adds what the output holds to the tile.
static void add_output(float *tile, const weft__tile_out *o) {
  for (size_t i = 0; i < o->rows; i++) {
    for (size_t j = 0; j < o->cols; j += VEC) {
      float *t = tile + i * TILE + j;
      store(t, load(t) + load_n(o->y + i * o->y_row + j, o->cols - j));
    }
  }
}

// The tile to the output, by its first so many steps.
static void put_tile(const float *tile, const weft__tile_out *o, uint32_t steps) {
  for (size_t i = 0; i < o->rows; i++) {
    const float *t = tile + i * TILE;
    if (o->cols == COLS) {
      put(load(t), o, steps, i, 0, VEC);
      put(load(t + VEC), o, steps, i, VEC, VEC);
      continue;
    }
    for (size_t j = 0; j < o->cols; j += VEC)
      put(load(t + j), o, steps, i, j, o->cols - j < VEC ? o->cols - j : VEC);
  }
}

// Usual steps and one activation behind them. True: done.
static bool finish_activated(float *tile, const weft__tile_out *o, uint32_t steps) {
  const bool one_more = steps == o->e->direct + 1;
  if (!one_more || o->cols != COLS)
    return false;
  const weft__step *end = &o->e->step[steps - 1];
  if (end->kind == WEFT__STEP_ADD || !finish_usual(tile, o, steps - 1, tile, TILE))
    return false;
  activate(tile, o->rows, end, o->y, o->y_row);
  return true;
}

static void finish(float *tile, const weft__tile_out *o) {
  const uint32_t steps = o->last ? o->e->n : 0;
  const uint32_t direct = o->last ? o->e->direct : 0;
  if (steps == direct) {
    if (!finish_usual(tile, o, steps, o->y, o->y_row))
      put_tile(tile, o, steps);
    return;
  }
  if (finish_activated(tile, o, steps))
    return;
  // Rare steps: over the tile first.
  if (o->more)
    add_output(tile, o);
  for (uint32_t k = 0; k < steps; k++)
    step(tile, o, &o->e->step[k]);
  weft__tile_out plain = *o;
  plain.more = false;
  put_tile(tile, &plain, 0);
}

#define N1(n)  [n] = near1_##n,
#define N2(n)  [n] = near2_##n,
#define F1(n)  [n] = far1_##n,
#define F2(n)  [n] = far2_##n,
#define OUT(n) [n] = out_##n,
#define FAR(n) [n] = far_out_##n,
#define T1(n)  [n] = taps1_##n,
#define T2(n)  [n] = taps2_##n,
const weft__gemm_ops TABLE = {.name = ISA,
                              .vec = VEC,
                              .rows = ROWS,
                              .cols = COLS,
                              .tile = {{{EACH_ROW(N1)}, {EACH_ROW(N2)}}, {{EACH_ROW(F1)}, {EACH_ROW(F2)}}},
                              .out = {EACH_ROW(OUT)},
                              .far_out = {EACH_ROW(FAR)},
                              .few = {NULL, few_1, few_2, few_3, few_4},
                              .tile_taps = {{EACH_ROW(T1)}, {EACH_ROW(T2)}},
                              .wide = {NULL, wide_1, wide_2, wide_3, wide_4},
                              .dots = dots,
                              .finish = finish};
// SPDX-License-Identifier: Apache-2.0
