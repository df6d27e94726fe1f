// conv_strips.c - see conv_strips.h.
#include "cpu/conv/conv_strips.h"

enum { NARROW = 256 };  // rows are not cut shorter for the sake of higher strips

// Rows are cut into equal pieces, ever more of them until strips of a piece fit. A piece of more than in_max
// columns never does, and of numbers of pieces with equal widths the first is looked at: at most in_max
// steps, however wide the rows are.
bool weft__conv_strips_cut(const weft__conv_shape *shape, size_t in_max, size_t out_max,
                           weft__conv_strips *out) {
  weft__conv_shape c = *shape;
  size_t row = shape->out[2];
  size_t wide = WEFT_MIN(row, in_max);
  bool fits = false;
  bool high = false;
  c.taps = c.kernel[1] * c.kernel[2];
  while (!fits || (!high && out->wide > NARROW)) {
    if (!wide)
      return false;
    size_t pieces = (row - 1) / wide + 1;
    c.out[2] = (row - 1) / pieces + 1;
    if (fits && c.out[2] < NARROW)
      break;
    fits = weft__strips_of(&c, in_max, out_max, WEFT__STRIP_TAPS, out->at, &out->p);
    high = fits && out->p.strip >= WEFT_MIN(c.out[1], 3 * out->p.more_rows);
    out->wide = c.out[2];
    if (!fits && c.out[2] < NARROW / 4)
      return false;
    wide = c.out[2] - 1;
  }
  out->slot = c.stride[1] * c.stride[2] * (out->p.strip + out->p.more_rows) * out->p.pitch;
  return fits;
}

void weft__conv_strip_copy(const weft__conv_ops *ops, const weft__conv_shape *c, const weft__conv_strips *s,
                           const float *x, const weft__strip_place *o, float *to) {
  size_t pitch = s->p.pitch;
  size_t lines = s->p.strip + s->p.more_rows;
  size_t used = o->rows + s->p.more_rows;
  size_t h;
  size_t w;
  for (size_t p = 0; p < c->stride[1]; p++) {
    size_t skip = weft__strip_skipped(c, 1, o->row, p, &h);
    if (skip >= used || h >= c->in[1])
      continue;
    size_t n = WEFT_MIN((c->in[1] - h - 1) / c->stride[1] + 1, used - skip);
    for (size_t q = 0; q < c->stride[2]; q++) {
      size_t left = weft__strip_skipped(c, 2, o->col, q, &w);
      if (left >= pitch || w >= c->in[2])
        continue;
      size_t wide = WEFT_MIN((c->in[2] - w - 1) / c->stride[2] + 1, pitch - left);
      ops->copy_rows(&(weft__row_copy){.dst = to + ((p * c->stride[2] + q) * lines + skip) * pitch + left,
                                       .dst_row = pitch,
                                       .end = to + s->slot,
                                       .src = x + h * c->in[2] + w,
                                       .src_row = c->stride[1] * c->in[2],
                                       .stride = c->stride[2],
                                       .n = wide,
                                       .rows = n});
    }
  }
}
// SPDX-License-Identifier: Apache-2.0
