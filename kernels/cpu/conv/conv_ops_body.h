// conv_ops_body.h - the source of conv_ops.h's tables. The including file says OPS and includes a vector_*.h.
#include "cpu/conv/conv_ops.h"
#include "cpu/gemm/block_vec.h"
#include "cpu/conv/planes.h"
#include "cpu/conv/nine_planes.h"
#include "cpu/conv/windows.h"

// ---- gathering ----
// What one vector of a row takes from one piece: `src` is where its first number would be.
typedef struct part {
  const float *src;
  range r;
  evens e;  // of r
} part;

WEFT_INLINE size_t parts_of(const weft__gather *g, uint32_t from, part *out) {
  size_t n = 0;
  for (size_t i = 0; i < g->n; i++) {
    const weft__piece *p = &g->piece[i];
    uint32_t low = p->low > from ? p->low - from : 0;
    uint32_t high = p->high > from ? p->high - from : 0;
    if (high > VEC)
      high = VEC;
    if (low >= high)
      continue;
    out[n].src =
        (const float *)((uintptr_t)p->src + ((uintptr_t)from - p->first) * g->stride * sizeof *p->src);
    out[n].r = range_of(low, high);
    if (g->stride == 2)
      out[n].e = evens_of(out[n].r);
    n++;
  }
  return n;
}

WEFT_INLINE vec take(const part *p, size_t n, size_t offset, bool even) {
  vec v = {0};
  for (size_t i = 0; i < n; i++) {
    const float *src = (const float *)((uintptr_t)p[i].src + offset);
    v = even ? merge_evens(v, src, p[i].r, p[i].e) : merge(v, src, p[i].r);
  }
  return v;
}

// Fetches what a panel further on will read: rows are too short for the processor to see their streams.
WEFT_INLINE void fetch_ahead(const weft__gather *g, const part *p, size_t n, size_t offset) {
  if (n)
    __builtin_prefetch((const void *)((uintptr_t)p->src + offset + 2 * COLS * g->stride * sizeof(float)));
}

WEFT_INLINE void gather_rows(float *dst, const weft__gather *g, const part *p0, size_t n0, const part *p1,
                             size_t n1, bool even) {
  const size_t inner = g->inner;
  const size_t to_outer = g->dst_outer;
  const size_t to_inner = g->dst_inner;
  const size_t from_outer = g->src_outer * sizeof *dst;
  const size_t from_inner = g->src_inner * sizeof *dst;
  size_t offset = 0;
  for (size_t i = g->outer; i; i--, dst += to_outer, offset += from_outer) {
    float *to = dst;
    size_t at = offset;
    for (size_t j = inner; j; j--, to += to_inner, at += from_inner) {
      fetch_ahead(g, p0, n0, at);
      fetch_ahead(g, p1, n1, at);
      store(to, take(p0, n0, at, even));
      store(to + VEC, take(p1, n1, at, even));
    }
  }
}

// Few parts are kept in registers.
enum { FEW_PARTS = 3 };
#define PARTS(a, b)                          \
  case a * 8 + b:                            \
    gather_rows(dst, g, p0, a, p1, b, even); \
    break;
WEFT_INLINE void gather_parts(float *dst, const weft__gather *g, const part *p0, size_t n0, const part *p1,
                              size_t n1, bool even) {
  switch (n0 > FEW_PARTS || n1 > FEW_PARTS ? 0 : n0 * 8 + n1) {
    PARTS(1, 0)
    PARTS(1, 1)
    PARTS(1, 2)
    PARTS(1, 3)
    PARTS(2, 0)
    PARTS(2, 1)
    PARTS(2, 2)
    PARTS(2, 3)
    PARTS(3, 1)
    PARTS(3, 2)
    PARTS(3, 3)
    default:
      gather_rows(dst, g, p0, n0, p1, n1, even);
  }
}

static void gather(float *dst, const weft__gather *g) {
  if (g->stride <= 2) {
    part p0[VEC];
    part p1[VEC];
    size_t n0 = parts_of(g, 0, p0);
    size_t n1 = parts_of(g, VEC, p1);
    if (g->stride == 2)
      gather_parts(dst, g, p0, n0, p1, n1, true);
    else
      gather_parts(dst, g, p0, n0, p1, n1, false);
    return;
  }
  for (size_t i = 0; i < g->outer; i++) {
    for (size_t j = 0; j < g->inner; j++) {
      float *to = dst + i * g->dst_outer + j * g->dst_inner;
      for (size_t c = 0; c < COLS; c++)
        to[c] = 0;
      for (size_t k = 0; k < g->n; k++) {
        const weft__piece *p = &g->piece[k];
        for (size_t c = p->low; c < p->high; c++)
          to[c] = p->src[i * g->src_outer + j * g->src_inner + (c - p->first) * g->stride];
      }
    }
  }
}

WEFT_INLINE void copy(const weft__row_copy *c, bool even) {
  const size_t n = c->n;
  const size_t dst_row = c->dst_row;
  const size_t src_row = c->src_row;
  const float *end = c->end;
  const float *src = c->src;
  float *dst = c->dst;
  const size_t whole = n / VEC * VEC;
  const size_t rest = n - whole;
  const range all = range_of(0, VEC);
  const range tail = range_of(0, rest);
  const evens all_e = evens_of(all);
  const evens tail_e = evens_of(tail);
  for (size_t rows = c->rows; rows; rows--, dst += dst_row, src += src_row) {
    for (size_t j = 0; j < whole; j += VEC)
      store(dst + j, even ? merge_evens((vec){0}, src + 2 * j, all, all_e) : load(src + j));
    if (!rest)
      continue;
    vec v = even ? merge_evens((vec){0}, src + 2 * whole, tail, tail_e) : merge((vec){0}, src + whole, tail);
    if ((size_t)(end - dst) >= whole + VEC)
      store(dst + whole, v);
    else
      store_part(dst + whole, v, rest);
  }
}

static void copy_rows(const weft__row_copy *c) {
  const weft__row_copy o = *c;
  if (o.stride == 1) {
    copy(&o, false);
    return;
  }
  if (o.stride == 2) {
    copy(&o, true);
    return;
  }
  for (size_t i = 0; i < o.rows; i++) {
    for (size_t j = 0; j < o.n; j++)
      o.dst[i * o.dst_row + j] = o.src[i * o.src_row + j * o.stride];
  }
}

static void taps(const weft__line *line) {
  const weft__line l = *line;
  const float *x = l.x;
  const vec low = spread(l.low);
  const vec high = spread(l.high);
  size_t i = 0;
  for (; i + 4 * VEC <= l.n; i += 4 * VEC) {
    vec s[4];
    UNROLL
    for (int v = 0; v < 4; v++)
      s[v] = spread(l.bias);
    for (size_t t = 0; t < l.taps; t++) {
      const float *p = x + i + l.at[t];
      UNROLL
      for (int v = 0; v < 4; v++)
        s[v] += load(p + v * VEC) * l.w[t];
    }
    UNROLL
    for (int v = 0; v < 4; v++)
      store(l.y + i + v * VEC, vector_min(high, vector_max(low, s[v])));
  }
  for (; i < l.n; i += VEC) {
    vec s = spread(l.bias);
    for (size_t t = 0; t < l.taps; t++)
      s += load(x + i + l.at[t]) * l.w[t];
    store(l.y + i, vector_min(high, vector_max(low, s)));
  }
}

const weft__conv_ops OPS = {.vec = VEC,
                            .cols = COLS,
                            .gather = gather,
                            .copy_rows = copy_rows,
                            .taps = taps,
                            .windows = windows,
                            .nine = nine};
// SPDX-License-Identifier: Apache-2.0
