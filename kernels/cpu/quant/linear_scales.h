// linear_scales.h - which scale and zero point an element of QuantizeLinear and DequantizeLinear has, for the
// kernels of f32 with one for all or one for each place of an axis.
#pragma once
#include "axis.rule.h"
#include "cpu/rows/rows.h"
#include "quant.rule.h"

typedef struct weft__linear_scales {
  size_t n, inner, axis;  // elements; behind the axis; of the axis
  bool many, has_zero;
} weft__linear_scales;

// Why not; NULL: read. `quantises`: its input, otherwise its output is of float.
static inline const char *weft__linear_read(const weft_tiling *t, bool quantises, weft__linear_scales *out) {
  const weft_op_desc *n = t->desc;
  const int64_t precision = weft_node_int(n, WEFT_QUANT_PRECISION);
  if (quantises && precision != WEFT_QUANT_NO_DTYPE && precision != WEFT_FLOAT)
    return "needs f32 precision";
  if (!weft__rows_plain(t))
    return "needs known shapes in plain layouts";
  const weft_shape *x = &t->in[WEFT_QUANT_X]->origin;
  const weft_shape *s = &t->in[WEFT_QUANT_SCALE]->origin;
  *out = (weft__linear_scales){.n = weft__rows_prod(x, 0, x->rank), .inner = 1, .axis = 1};
  out->has_zero = t->n_in > WEFT_QUANT_ZERO;
  out->many = s->rank == 1 && s->dim[0] != 1;
  if (s->rank > 1 || (out->many && weft_node_int(n, WEFT_QUANT_BLOCK_SIZE)))
    return "needs one scale, or one for each place of the axis";
  if (!out->many)
    return NULL;
  int64_t axis = weft_node_int(n, WEFT_QUANT_AXIS);
  if (!weft__axis_inside(&axis, x->rank) || x->dim[axis] != s->dim[0])
    return "needs an axis of the scales";
  out->axis = (size_t)s->dim[0];
  out->inner = weft__rows_prod(x, (size_t)axis + 1, x->rank);
  return NULL;
}

// Blocks of whole runs of 64 elements, of which each takes `ns`; *out_per: elements of one.
static inline uint32_t weft__linear_blocks(const weft__linear_scales *s, double ns, size_t *out_per) {
  const uint32_t blocks = weft__rows_blocks((s->n + 63) / 64, ns, out_per);
  *out_per *= 64;
  return blocks;
}

// How many elements from `first` on, of those before `last`, have one scale; *out_at: which.
static inline size_t weft__linear_run(const weft__linear_scales *s, size_t first, size_t last,
                                      size_t *out_at) {
  const size_t row = first / s->inner;
  *out_at = s->many ? row % s->axis : 0;
  return s->many ? WEFT_MIN((row + 1) * s->inner, last) - first : last - first;
}

// Elements [first, first + n), of scale `at`.
typedef struct weft__linear_part {
  bool quantises;
  size_t at, first, n;
} weft__linear_part;
// Calls `piece` for each run of one scale of a block's elements.
static inline void weft__linear_each(const weft__linear_scales *s, size_t per, const weft_block *b,
                                     bool quantises,
                                     void (*piece)(const weft_block *b, const weft__linear_part *p)) {
  const size_t last = WEFT_MIN((b->block + 1) * per, s->n);
  weft__linear_part p = {.quantises = quantises, .first = b->block * per};
  for (; p.first < last; p.first += p.n) {
    p.n = weft__linear_run(s, p.first, last, &p.at);
    piece(b, &p);
  }
}
// SPDX-License-Identifier: Apache-2.0
