// pool_planes.h - pools of float over planes and volumes, compiled for each instruction set. The rows of a
// window, of all its planes, are folded into one row that has its padding around it; then the places along
// that row are. So an output costs about as many steps as the window has rows, shared by a vector of places,
// and as it has columns. Some rows of outputs are made together, so that what is written is not read at once.
// The including file includes block_vec.h and planes.h.
#pragma once
#include "cpu/pool/pool.h"

enum { POOL_ROWS = 4 };

// Outputs [first, first + n) of each row. A folded row has `wide` places: `inside` of the input's, from its
// column `from` on, behind `before` of padding.
typedef struct piece {
  size_t first, n, wide, before, from, inside;
} piece;

WEFT_INLINE piece piece_of(const weft__pool_window *w, size_t first) {
  const size_t reach = (size_t)((w->kernel - 1) * w->dilation) + 1;
  const size_t stride = (size_t)w->stride;
  const size_t most = (WEFT__POOL_WIDE - reach) / stride + 1;
  const int64_t at = (int64_t)(first * stride) - w->begin;
  piece c = {.first = first, .n = w->out - first < most ? w->out - first : most};
  c.wide = (c.n - 1) * stride + reach;
  c.before = at < 0 ? (size_t)-at : 0;
  c.from = at < 0 ? 0 : (size_t)at;
  if (c.before > c.wide)
    c.before = c.wide;
  c.inside = c.from < w->in ? w->in - c.from : 0;
  if (c.inside > c.wide - c.before)
    c.inside = c.wide - c.before;
  return c;
}

WEFT_INLINE vec fold(bool most, vec v, vec s) {
  return most ? larger(v, s) : s + v;
}

// Rows of a window that lie inside: n[1] rows of each of n[0] planes. x is outside where none of their
// columns are wanted.
typedef struct window_rows {
  const float *x;
  size_t n[2], step[2];
} window_rows;

WEFT_INLINE vec fold_at(bool most, const window_rows *r, size_t i, size_t part) {
  vec s = part ? load_part(r->x + i, part) : load(r->x + i);
  for (size_t a = 0; a < r->n[0]; a++) {
    for (size_t b = !a; b < r->n[1]; b++) {
      const float *x = r->x + a * r->step[0] + b * r->step[1] + i;
      s = fold(most, part ? load_part(x, part) : load(x), s);
    }
  }
  return s;
}

WEFT_INLINE void fold_rows(bool most, const window_rows *r, float *to, size_t n) {
  if (!n)
    return;  // the whole window lies in the padding
  if (!r->n[0] || !r->n[1]) {
    for (size_t i = 0; i < n; i++)
      to[i] = most ? -__builtin_inff() : 0;
  } else if (n < VEC)
    store_part(to, fold_at(most, r, 0, n), n);
  else {
    for (size_t i = 0; i < n; i += VEC) {
      const size_t at = i + VEC > n ? n - VEC : i;
      store(to + at, fold_at(most, r, at, 0));
    }
  }
}

WEFT_INLINE vec fold_along(bool most, size_t stride, const float *row, size_t taps, size_t step) {
  const column all = {.in = range_of(0, VEC), .even = evens_of(range_of(0, VEC))};
  vec s = tap_at(stride, row, &all);
  for (size_t t = 1; t < taps; t++)
    s = fold(most, tap_at(stride, row + t * step, &all), s);
  return s;
}

// Outputs of a folded row: [low, high) of them, whose windows have all their columns inside, are multiplied
// by `scale`; sums of the others are divided by by_row * by_col.
typedef struct averages {
  size_t low, high;
  float scale[POOL_ROWS], by_row[POOL_ROWS], by_col[WEFT__POOL_WIDE];
} averages;

WEFT_INLINE vec average_of(const averages *a, size_t k, vec s, size_t at, size_t left) {
  if (at >= a->low && at + (left < VEC ? left : VEC) <= a->high)
    return s * a->scale[k];
  return s / (a->by_row[k] * (left < VEC ? load_part(a->by_col + at, left) : load(a->by_col + at)));
}

// n outputs of a folded row, to y, which may be written up to `end`.
typedef struct folded_row {
  const float *row;
  size_t n;
  float *y;
  const float *end;
} folded_row;

// The k-th row. stride 0: any other than 1 and 2, by folding at all places.
WEFT_INLINE void fold_columns(bool most, size_t stride, const weft__pool_window *w, const folded_row *o,
                              const averages *a, size_t k) {
  const float *row = o->row;
  const size_t n = o->n;
  float *y = o->y;
  const size_t taps = (size_t)w->kernel;
  const size_t step = (size_t)w->dilation;
  const size_t far = (size_t)w->stride;
  _Alignas(64) float all[WEFT__POOL_WIDE + VEC];
  for (size_t i = 0; !stride && i <= (n - 1) * far; i += VEC)
    store(all + i, fold_along(most, 1, row + i, taps, step));
  for (size_t i = 0; !stride && i < n; i++)
    all[i] = all[i * far];
  for (size_t i = 0; i < n; i += VEC) {
    const size_t at = i && i + VEC > n ? n - VEC : i;
    const size_t left = n - at;
    const size_t room = (size_t)(o->end - (y + at));
    vec s = stride ? fold_along(most, stride, row + at * stride, taps, step) : load(all + at);
    if (!most)
      s = average_of(a, k, s, at, left);
    if (room >= VEC)
      store(y + at, s);
    else
      store_part(y + at, s, room);
  }
}

// A row of outputs: which, and the plane that it is of.
typedef struct cursor {
  const float *x;
  size_t oz, oy;
} cursor;

WEFT_INLINE void advance(const weft__pooling *p, cursor *c) {
  if (++c->oy < p->h.out)
    return;
  c->oy = 0;
  if (++c->oz < p->d.out)
    return;
  c->oz = 0;
  c->x += p->in;
}

// The rows of its windows, from column `from` on; by: what sums are divided by, but for the columns.
WEFT_INLINE window_rows rows_of(const weft__pooling *p, const cursor *c, size_t from, float *by) {
  const weft__pool_taps z = weft__pooling_taps(&p->d, c->oz);
  const weft__pool_taps t = weft__pooling_taps(&p->h, c->oy);
  window_rows r = {.n = {(size_t)(z.last - z.first), (size_t)(t.last - t.first)},
                   .step = {(size_t)p->d.dilation * p->h.in * p->w.in, (size_t)p->h.dilation * p->w.in}};
  const float all =
      p->divisor > 0 ? (float)p->divisor : (float)(weft__pooling_by(p, z) * weft__pooling_by(p, t));
  *by = all > 0 ? all : 1;
  if (!r.n[0] || !r.n[1])
    return r;
  const size_t plane = (size_t)weft__pooling_at(&p->d, c->oz, z.first);
  const size_t line = (size_t)weft__pooling_at(&p->h, c->oy, t.first);
  r.x = c->x + (plane * p->h.in + line) * p->w.in + from;
  return r;
}

static void find_averages(const weft__pooling *p, const piece *c, averages *a) {
  size_t low;
  size_t high;
  weft__pooling_inside(&p->w, &low, &high);
  a->low = low > c->first ? low - c->first : 0;
  a->high = high > c->first ? high - c->first : 0;
  for (size_t i = 0; i < c->n; i++) {
    if (i >= a->low && i < a->high) {
      a->by_col[i] = p->divisor > 0 ? 1 : (float)p->w.kernel;
      continue;
    }
    double by = p->divisor > 0 ? 1 : weft__pooling_by(p, weft__pooling_taps(&p->w, c->first + i));
    a->by_col[i] = by > 0 ? (float)by : 1;
  }
}

// What is read behind the places of a row has any value, and goes to no output.
WEFT_INLINE void pool_piece(bool most, size_t stride, const weft__pooling *p, const piece *c, cursor at,
                            float *y, size_t rows) {
  _Alignas(64) float folded[POOL_ROWS][WEFT__POOL_WIDE + 3 * VEC];
  const float none = most ? -__builtin_inff() : 0;
  const float *end = y + rows * p->w.out;
  averages a;
  if (!most)
    find_averages(p, c, &a);
  for (size_t k = 0; k < POOL_ROWS && k < rows; k++) {
    for (size_t i = 0; i < c->wide + 2 * VEC; i++)
      folded[k][i] = none;
  }
  for (size_t o = 0, m; o < rows; o += m) {
    m = rows - o < POOL_ROWS ? rows - o : POOL_ROWS;
    for (size_t k = 0; k < m; k++, advance(p, &at)) {
      const window_rows r = rows_of(p, &at, c->from, &a.by_row[k]);
      if (!most)
        a.scale[k] = 1 / (p->divisor > 0 ? a.by_row[k] : a.by_row[k] * (float)p->w.kernel);
      fold_rows(most, &r, folded[k] + c->before, c->inside);
    }
    for (size_t k = 0; k < m; k++) {
      float *to = y + (o + k) * p->w.out + c->first;
      folded_row row = {folded[k], c->n, to, end};
      if (c->n < p->w.out)  // of more pieces, the one before lies behind it
        row.end = to + c->n;
      fold_columns(most, stride, &p->w, &row, &a, k);
    }
  }
}

WEFT_INLINE void pool_of(bool most, const weft__pooling *p, cursor at, float *y, size_t rows) {
  for (size_t i = 0; i < p->w.out;) {
    const piece c = piece_of(&p->w, i);
    if (p->w.stride == 1)
      pool_piece(most, 1, p, &c, at, y, rows);
    else if (p->w.stride == 2)
      pool_piece(most, 2, p, &c, at, y, rows);
    else
      pool_piece(most, 0, p, &c, at, y, rows);
    i += c.n;
  }
}

static void pool(const weft__pooling *p, const float *x, float *y, size_t first, size_t last) {
  const size_t rows = p->d.out * p->h.out;
  const size_t o = first % rows;
  const cursor at = {x + first / rows * p->in, o / p->h.out, o % p->h.out};
  y += first * p->w.out;
  if (p->average)
    pool_of(false, p, at, y, last - first);
  else
    pool_of(true, p, at, y, last - first);
}
// SPDX-License-Identifier: Apache-2.0
