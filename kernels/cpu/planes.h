// planes.h - windows that slide over a plane of the input, a channel's, compiled for each instruction set: a
// vector of outputs side by side in a row at a time; a row shorter than a vector costs one. Depthwise sums
// read the input where it lies, with loads that leave out what lies outside; pools fold the rows of a window
// first. The including file includes block_steps.h.
#pragma once

// One column of taps, for the outputs of a row from `first` on.
typedef struct column {
  range in;  // of the outputs: those whose tap lies inside
  evens even;
} column;

WEFT_INLINE size_t chunk_at(const weft__plane *p, size_t i) {
  return i && (i + 1) * VEC > p->out[1] ? p->out[1] - VEC : i * VEC;
}

WEFT_INLINE column column_of(const weft__plane *p, size_t first, size_t tap) {
  int64_t at = (int64_t)(first * p->stride + tap) - p->begin[1], step = (int64_t)p->stride,
          wide = (int64_t)p->in[1], n = (int64_t)(p->out[1] - first);
  int64_t low = at < 0 ? (step - 1 - at) / step : 0, high = at < wide ? (wide - 1 - at) / step + 1 : 0;
  if (n > VEC) n = VEC;
  high = high < n ? high : n;
  if (low > high) low = high = 0;
  column c = {.in = range_of((size_t)low, (size_t)high)};
  c.even = evens_of(c.in);
  return c;
}

// A row is cut into chunks of VEC outputs, the last of which may overlap the one before; a shorter row is one
// chunk. Returns their number.
WEFT_INLINE size_t find_columns(const weft__plane *p, size_t taps, column *to) {
  size_t chunks = (p->out[1] + VEC - 1) / VEC;
  for (size_t i = 0; i < chunks; i++)
    for (size_t t = 0; t < taps; t++) *to++ = column_of(p, chunk_at(p, i), t);
  return chunks;
}

// Numbers outside are zeros.
WEFT_INLINE vec tap_at(size_t stride, const float *x, const column *c) {
  return stride == 1 ? merge((vec){0}, x, c->in) : merge_evens((vec){0}, x, c->in, c->even);
}

// Rows shorter than a vector are written in order, each over the beginning of the next.
WEFT_INLINE void leave_row(const weft__plane *p, float *y, size_t oy, size_t ox, vec v) {
  float *to = y + oy * p->out[1] + ox;
  size_t room = (size_t)(y + p->out[0] * p->out[1] - to);
  if (room >= VEC)
    store(to, v);
  else
    store_part(to, v, room);
}

// ---- depthwise, 3 x 3 ----
typedef struct channel {
  const float *x;
  float *y;
  vec f[3][3], bias, low, high;
} channel;

// `rows` rows of a chunk from (oy, ox) on; a row of the input is read once for all of them.
WEFT_INLINE void nine_of(size_t rows, size_t stride, const weft__plane *p, const channel *h, size_t oy,
                         size_t ox, const column *c) {
  vec s[4];
  UNROLL for (size_t k = 0; k < rows; k++) s[k] = h->bias;
  int64_t top = (int64_t)(oy * stride) - p->begin[0], left = (int64_t)(ox * stride) - p->begin[1];
  UNROLL for (size_t i = 0; i < (rows - 1) * stride + 3; i++) {
    int64_t row = top + (int64_t)i;
    if (row < 0 || row >= (int64_t)p->in[0]) continue;
    const float *x = h->x + (row * (int64_t)p->in[1] + left);
    UNROLL for (size_t t = 0; t < 3; t++) {
      const vec v = tap_at(stride, x + t, &c[t]);
      UNROLL for (size_t k = 0; k < rows; k++) if (i >= k * stride && i - k * stride < 3) s[k] +=
          v * h->f[i - k * stride][t];
    }
  }
  UNROLL for (size_t k = 0; k < rows; k++)
      leave_row(p, h->y, oy + k, ox, vector_min(h->high, vector_max(h->low, s[k])));
}

WEFT_INLINE void nine_planes(size_t stride, const weft__plane *p, const weft__nine *q) {
  column columns[WEFT__PLANE_COLUMNS];
  size_t chunks = find_columns(p, 3, columns);
  channel h = {.x = p->x, .y = p->y, .low = spread(q->low), .high = spread(q->high)};
  for (size_t i = 0; i < p->planes; i++, h.x += p->in[0] * p->in[1], h.y += p->out[0] * p->out[1]) {
    UNROLL for (size_t t = 0; t < 9; t++) h.f[t / 3][t % 3] = spread(q->w[i * 9 + t]);
    h.bias = spread(q->bias ? q->scale * q->bias[i * q->by] : 0);
    for (size_t k = 0; k < chunks; k++) {
      const column *c = columns + k * 3;
      size_t oy = 0, ox = chunk_at(p, k);
      for (; oy + 4 <= p->out[0]; oy += 4) nine_of(4, stride, p, &h, oy, ox, c);
      if (p->out[0] - oy == 3) nine_of(3, stride, p, &h, oy, ox, c);
      if (p->out[0] - oy == 2) nine_of(2, stride, p, &h, oy, ox, c);
      if (p->out[0] - oy == 1) nine_of(1, stride, p, &h, oy, ox, c);
    }
  }
}

static void nine(const weft__plane *p, const weft__nine *q) {
  if (p->stride == 1)
    nine_planes(1, p, q);
  else
    nine_planes(2, p, q);
}

// ---- pools ----
// Windows are folded row by row first, into a row with its padding; then along it. Some rows of outputs are
// made together, so that what is written is not read at once.
enum {
  POOL_ROWS = 4,
  POOL_WIDE = 2 * WEFT__PLANE_OUTPUTS + WEFT__PLANE_TAPS + 2 * VEC  // written and read behind the end
};

WEFT_INLINE vec fold(bool most, vec v, vec s) {
  return most ? larger(v, s) : s + v;
}

// The rows of a window that lie inside, n columns.
WEFT_INLINE void fold_rows(bool most, const float *x, size_t wide, size_t rows, float *to, size_t n) {
  for (size_t i = 0; i < n; i += VEC) {
    const bool part = n - i < VEC;
    vec s = part ? load_part(x + i, n - i) : load(x + i);
    for (size_t r = 1; r < rows; r++)
      s = fold(most, part ? load_part(x + r * wide + i, n - i) : load(x + r * wide + i), s);
    if (part)
      store_part(to + i, s, n - i);
    else
      store(to + i, s);
  }
}

WEFT_INLINE void fold_columns(bool most, size_t stride, const weft__plane *p, size_t taps, const float *row,
                              float *y, size_t oy, float by_row, const float *by_col) {
  const column all = {.in = range_of(0, VEC), .even = evens_of(range_of(0, VEC))};
  for (size_t i = 0; i < p->out[1]; i += VEC) {
    const size_t ox = chunk_at(p, i / VEC), n = p->out[1] - ox;
    vec s = tap_at(stride, row + ox * stride, &all);
    for (size_t t = 1; t < taps; t++) s = fold(most, tap_at(stride, row + ox * stride + t, &all), s);
    if (!most) s /= by_row * (n < VEC ? load_part(by_col + ox, n) : load(by_col + ox));
    leave_row(p, y, oy, ox, s);
  }
}

WEFT_INLINE void pool_planes(bool most, size_t stride, const weft__plane *p, const size_t *kernel,
                             const float *by_row, const float *by_col) {
  _Alignas(64) float rows[POOL_ROWS][POOL_WIDE];
  const float none = most ? -__builtin_inff() : 0, *x = p->x;
  float *y = p->y;
  // Column j of a row is column j - before of the input.
  const size_t before = p->begin[1] > 0 ? (size_t)p->begin[1] : 0,
               skip = p->begin[1] < 0 ? (size_t)-p->begin[1] : 0, wide = (p->out[1] - 1) * stride + kernel[1];
  size_t n = p->in[1] > skip ? p->in[1] - skip : 0;
  if (n > wide - (before < wide ? before : wide)) n = wide - (before < wide ? before : wide);
  for (size_t k = 0; k < POOL_ROWS; k++)
    for (size_t i = 0; i < wide + 2 * VEC; i++) rows[k][i] = none;
  for (size_t i = 0; i < p->planes; i++, x += p->in[0] * p->in[1], y += p->out[0] * p->out[1])
    for (size_t oy = 0, m; oy < p->out[0]; oy += m) {
      m = p->out[0] - oy < POOL_ROWS ? p->out[0] - oy : POOL_ROWS;
      for (size_t k = 0; k < m; k++) {
        int64_t top = (int64_t)((oy + k) * stride) - p->begin[0], last = top + (int64_t)kernel[0];
        if (top < 0) top = 0;
        if (last > (int64_t)p->in[0]) last = (int64_t)p->in[0];
        if (last > top)
          fold_rows(most, x + (size_t)top * p->in[1] + skip, p->in[1], (size_t)(last - top), rows[k] + before,
                    n);
        else
          for (size_t j = 0; j < n; j++) rows[k][before + j] = none;
      }
      for (size_t k = 0; k < m; k++)
        fold_columns(most, stride, p, kernel[1], rows[k], y, oy + k, most ? 1 : by_row[oy + k], by_col);
    }
}

static void largest(const weft__plane *p, const size_t *kernel) {
  if (p->stride == 1)
    pool_planes(true, 1, p, kernel, NULL, NULL);
  else
    pool_planes(true, 2, p, kernel, NULL, NULL);
}

static void average(const weft__plane *p, const size_t *kernel, const float *by_row, const float *by_col) {
  if (p->stride == 1)
    pool_planes(false, 1, p, kernel, by_row, by_col);
  else
    pool_planes(false, 2, p, kernel, by_row, by_col);
}
