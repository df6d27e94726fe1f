// cube.c - the cube unit: products of fractals in L0A and L0B, and the product of matrices anywhere that
// matmul objects are. Operands become rows of floats (or int32_t) first, so that one loop does all of them.
#include "cube.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "check.h"
#include "loops.h"
#include "run.h"
#include "spans.h"

enum { FRACTAL_ROWS = 16, FRACTAL_ROW_BYTES = 32, FRACTAL_BYTES = 512, CUBE_RUN = 256 };

weft_asc_cube *weft_asc_cube_current(void) {
  static _Thread_local weft_asc_cube outside;
  asc_block *b = asc_block_current();
  return b ? &b->cube : &outside;
}

// ---- rows of numbers ----

static bool cube_of_integers(weft_asc_dtype t) {
  return t == WEFT_ASC_I8 || t == WEFT_ASC_U8;
}

// n elements that lie one after another, as floats or as int32_t.
static void cube_widen(void *to, const void *from, weft_asc_dtype t, uint32_t n) {
  asc_convert(to, cube_of_integers(t) ? WEFT_ASC_I32 : WEFT_ASC_F32, from, t, 0, n);
}

typedef struct cube_work {
  uint8_t *c, *a, *b;  // [m, n], [m, k], [k, n], of 4 bytes each
} cube_work;

static cube_work cube_work_make(uint32_t m, uint32_t n, uint32_t k, const char *what, weft_asc_at at) {
  const size_t all = ((size_t)m * n + (size_t)m * k + (size_t)k * n) * 4;
  asc_block *b = asc_block_current();
  if (all > b->work_bytes) {
    free(b->work);
    b->work = malloc(all);
    b->work_bytes = b->work ? all : 0;
  }
  if (all && !b->work)
    weft_asc_fail(at, "%s: no memory for a product of %u x %u by %u x %u", what, m, k, k, n);
  return (cube_work){b->work, b->work + (size_t)m * n * 4, b->work + ((size_t)m * n + (size_t)m * k) * 4};
}

static void cube_multiply(const cube_work *w, weft_asc_dtype t, uint32_t m, uint32_t n, uint32_t k) {
  const weft_asc_cube *mode = weft_asc_cube_current();
  if (cube_of_integers(t)) {
    asc_cube_integers((uint32_t *)w->c, (const int32_t *)w->a, (const int32_t *)w->b, m, n, k);
    return;
  }
  if (t == WEFT_ASC_F32 && mode->hf32) {
    asc_cube_hf32(mode, (float *)w->a, (size_t)m * k);
    asc_cube_hf32(mode, (float *)w->b, (size_t)k * n);
  }
  asc_cube_floats((float *)w->c, (const float *)w->a, (const float *)w->b, m, n, k);
}

// ---- Mmad ----

typedef struct mmad_shape {
  uint32_t k0;  // elements of k in a fractal
  uint32_t m_fractals, n_fractals, k_fractals;
} mmad_shape;

static mmad_shape mmad_shape_of(const weft_asc_mmad *c) {
  mmad_shape s = {.k0 = FRACTAL_ROW_BYTES / (uint32_t)asc_dtype_bytes(c->dtype)};
  s.m_fractals = (c->m + FRACTAL_ROWS - 1) / FRACTAL_ROWS;
  s.n_fractals = (c->n + FRACTAL_ROWS - 1) / FRACTAL_ROWS;
  s.k_fractals = (c->k + s.k0 - 1) / s.k0;
  if (c->k_even)
    s.k_fractals = (s.k_fractals + 1) / 2 * 2;
  return s;
}

static void mmad_check(weft_asc_core *core, const weft_asc_mmad *c, const mmad_shape *s, weft_asc_at at) {
  const uint64_t a = c->vector ? (uint64_t)c->k * asc_dtype_bytes(c->dtype)
                               : (uint64_t)s->m_fractals * s->k_fractals * FRACTAL_BYTES;
  const uint64_t b = (uint64_t)s->n_fractals * s->k_fractals * FRACTAL_BYTES;
  const uint64_t to = (uint64_t)s->n_fractals * s->m_fractals * FRACTAL_ROWS * FRACTAL_ROWS * 4;
  asc_local_span(core, c->a, a, "Mmad's left operand", at);
  asc_local_span(core, c->b, b, "Mmad's right operand", at);
  asc_local_span(core, c->c, to, "Mmad's dst", at);
  if (!core->check)
    return;
  asc_check_read(core, WEFT_ASC_PIPE_M, c->a, a, at);
  asc_check_read(core, WEFT_ASC_PIPE_M, c->b, b, at);
  asc_check_write(core, WEFT_ASC_PIPE_M, c->c, to, at);
}

// Where row `row` of fractal column k1 of a begins.
static const uint8_t *mmad_a_row(const weft_asc_mmad *c, const mmad_shape *s, uint32_t row, uint32_t k1) {
  const uint8_t *a = c->a;
  if (c->vector)
    return a + (size_t)k1 * FRACTAL_ROW_BYTES;
  const size_t m1 = row / FRACTAL_ROWS;
  const size_t fractal = c->a_by_rows ? m1 * s->k_fractals + k1 : (size_t)k1 * s->m_fractals + m1;
  return a + fractal * FRACTAL_BYTES + (size_t)(row % FRACTAL_ROWS) * FRACTAL_ROW_BYTES;
}

static void mmad_read_a(const weft_asc_mmad *c, const mmad_shape *s, uint8_t *to) {
  for (uint32_t row = 0; row < c->m; row++) {
    for (uint32_t k = 0; k < c->k; k += s->k0)
      cube_widen(to + ((size_t)row * c->k + k) * 4, mmad_a_row(c, s, row, k / s->k0), c->dtype,
                 WEFT_MIN(s->k0, c->k - k));
  }
}

static void mmad_read_b(const weft_asc_mmad *c, const mmad_shape *s, uint8_t *to) {
  uint32_t lane[FRACTAL_ROW_BYTES];
  for (uint32_t n = 0; n < c->n; n++) {
    for (uint32_t k = 0; k < c->k; k += s->k0) {
      const size_t fractal = (size_t)(k / s->k0) * s->n_fractals + n / FRACTAL_ROWS;
      const uint32_t count = WEFT_MIN(s->k0, c->k - k);
      const uint8_t *from = (const uint8_t *)c->b + fractal * FRACTAL_BYTES;
      cube_widen(lane, from + (size_t)(n % FRACTAL_ROWS) * FRACTAL_ROW_BYTES, c->dtype, count);
      for (uint32_t i = 0; i < count; i++)
        memcpy(to + ((size_t)(k + i) * c->n + n) * 4, &lane[i], 4);
    }
  }
}

// What the sums begin with.
static void mmad_begin(const weft_asc_mmad *c, const mmad_shape *s, uint8_t *to) {
  const bool bias = !c->add && c->bias;
  memset(to, 0, (size_t)c->m * c->n * 4);
  for (uint32_t row = 0; row < c->m && bias; row++)
    asc_convert(to + (size_t)row * c->n * 4, cube_of_integers(c->dtype) ? WEFT_ASC_I32 : WEFT_ASC_F32,
                c->bias, c->bias_dtype, 0, c->n);
  for (uint32_t n = 0; n < c->n && c->add; n += FRACTAL_ROWS) {
    const uint32_t count = WEFT_MIN(c->n - n, (uint32_t)FRACTAL_ROWS);
    const uint8_t *from =
        (const uint8_t *)c->c + (size_t)(n / FRACTAL_ROWS) * s->m_fractals * FRACTAL_ROWS * FRACTAL_ROWS * 4;
    for (uint32_t row = 0; row < c->m; row++)
      memcpy(to + ((size_t)row * c->n + n) * 4, from + (size_t)row * FRACTAL_ROWS * 4, (size_t)count * 4);
  }
}

static void mmad_end(const weft_asc_mmad *c, const mmad_shape *s, const uint8_t *from) {
  for (uint32_t n = 0; n < c->n; n += FRACTAL_ROWS) {
    const uint32_t count = WEFT_MIN(c->n - n, (uint32_t)FRACTAL_ROWS);
    uint8_t *to =
        (uint8_t *)c->c + (size_t)(n / FRACTAL_ROWS) * s->m_fractals * FRACTAL_ROWS * FRACTAL_ROWS * 4;
    for (uint32_t row = 0; row < c->m; row++)
      memcpy(to + (size_t)row * FRACTAL_ROWS * 4, from + ((size_t)row * c->n + n) * 4, (size_t)count * 4);
  }
}

void weft_asc_mmad_run(const weft_asc_mmad *c, weft_asc_at at) {
  weft_asc_core *core = asc_core_now();
  if (!core) {
    weft_asc_fail(at, "Mmad works in a kernel's launch only");
    return;
  }
  const bool known = cube_of_integers(c->dtype) || c->dtype == WEFT_ASC_F32 || c->dtype == WEFT_ASC_F16 ||
                     c->dtype == WEFT_ASC_BF16;
  if (!known) {
    weft_asc_fail(at, "Mmad of %s is not there", asc_dtype_name(c->dtype));
    return;
  }
  const mmad_shape s = mmad_shape_of(c);
  mmad_check(core, c, &s, at);
  if (!c->m || !c->n)
    return;
  const cube_work w = cube_work_make(c->m, c->n, c->k, "Mmad", at);
  mmad_read_a(c, &s, w.a);
  mmad_read_b(c, &s, w.b);
  mmad_begin(c, &s, w.c);
  cube_multiply(&w, c->dtype, c->m, c->n, c->k);
  mmad_end(c, &s, w.c);
}

// ---- products of matrices ----

static uint64_t place_of(const weft_asc_places *p, uint32_t m, uint32_t n) {
  return m * p->m_step + n / p->group * p->group_step + n % p->group * p->n_step;
}

// rows x columns as they are stored.
static void matrix_check(weft_asc_core *core, const weft_asc_matrix *x, uint32_t rows, uint32_t columns,
                         const char *what, weft_asc_at at) {
  if (!rows || !columns)
    return;
  const uint64_t last = place_of(&x->places, rows - 1, columns - 1);
  const uint64_t bytes = (last + 1) * asc_dtype_bytes(x->dtype);
  if (!x->global)
    asc_local_span(core, x->at, bytes, what, at);
  else if (core->check && bytes > x->bytes)
    weft_asc_fail(at, "%s: %u x %u elements reach %llu bytes into a GlobalTensor that has %llu", what, rows,
                  columns, (unsigned long long)bytes, (unsigned long long)x->bytes);
}

// `count` elements of a stored row, into a row of the product's or into a column.
static void matrix_read_run(const weft_asc_matrix *x, uint32_t row, uint32_t column, uint32_t count,
                            uint32_t width, uint8_t *to) {
  const uint8_t *from =
      (const uint8_t *)x->at + place_of(&x->places, row, column) * asc_dtype_bytes(x->dtype);
  if (!x->transposed) {
    cube_widen(to + ((size_t)row * width + column) * 4, from, x->dtype, count);
    return;
  }
  uint32_t lanes[CUBE_RUN];
  cube_widen(lanes, from, x->dtype, count);
  for (uint32_t i = 0; i < count; i++)
    memcpy(to + ((size_t)(column + i) * width + row) * 4, &lanes[i], 4);
}

// The product's [rows, columns], of 4 bytes each.
static void matrix_read(weft_asc_core *core, const weft_asc_matrix *x, uint32_t rows, uint32_t columns,
                        uint8_t *to, const char *what, weft_asc_at at) {
  const uint32_t stored_rows = x->transposed ? columns : rows;
  const uint32_t stored_columns = x->transposed ? rows : columns;
  matrix_check(core, x, stored_rows, stored_columns, what, at);
  for (uint32_t i = 0; i < stored_rows; i++) {
    uint32_t count = 0;
    for (uint32_t j = 0; j < stored_columns; j += count) {
      count = WEFT_MIN(stored_columns - j, x->places.group - j % x->places.group);
      count = WEFT_MIN(count, (uint32_t)CUBE_RUN);
      matrix_read_run(x, i, j, count, columns, to);
    }
  }
}

static void product_begin(const weft_asc_product *p, uint8_t *c) {
  memset(c, 0, (size_t)p->m * p->n * 4);
  if (!p->bias.at)
    return;
  const weft_asc_dtype t = cube_of_integers(p->a.dtype) ? WEFT_ASC_I32 : WEFT_ASC_F32;
  for (uint32_t row = 0; row < p->m; row++)
    asc_convert(c + (size_t)row * p->n * 4, t, p->bias.at, p->bias.dtype, 0, p->n);
}

void weft_asc_product_run(const weft_asc_product *p, weft_asc_at at) {
  weft_asc_core *core = asc_core_now();
  if (!core) {
    weft_asc_fail(at, "a matmul object works in a kernel's launch only");
    return;
  }
  if (p->bias.at)
    matrix_check(core, &p->bias, 1, p->n, "the bias", at);
  if (!p->m || !p->n)
    return;
  const cube_work w = cube_work_make(p->m, p->n, p->k, "a matmul object", at);
  matrix_read(core, &p->a, p->m, p->k, w.a, "the left matrix", at);
  matrix_read(core, &p->b, p->k, p->n, w.b, "the right matrix", at);
  product_begin(p, w.c);
  cube_multiply(&w, p->a.dtype, p->m, p->n, p->k);
  weft_asc_result r = p->to;
  r.from = w.c;
  r.from_dtype = cube_of_integers(p->a.dtype) ? WEFT_ASC_I32 : WEFT_ASC_F32;
  r.from_places = (weft_asc_places){p->n, 1, 0, UINT32_MAX};
  r.m = p->m;
  r.n = p->n;
  weft_asc_result_run(&r, at);
}
// SPDX-License-Identifier: Apache-2.0
