// quant.c - see quant.h. A scale of rank 0, or with one element, is for the whole tensor; of rank 1 for each
// place of the axis; of x's rank, with a block_size, for blocks of the axis.
#include "quant.h"

static bool is_one(const weft_shape *s) {
  return !s->rank || (s->rank == 1 && s->dim[0] == 1);
}

static weft_status check_blocks(weft_infer *it, const weft_shape *x, const weft_shape *scale, size_t axis) {
  int64_t block = weft_node_int(it->desc, WEFT_QUANT_BLOCK_SIZE);
  weft_dim merged;
  if (block < 1) {
    return weft_fail(it->d, WEFT_E_RANGE,
                     "attribute 'block_size' must be >= 1 for a scale of rank %zu, got %lld", scale->rank,
                     (long long)block);
  }
  for (size_t i = 0; i < x->rank; i++) {
    weft_dim want = i == axis ? weft_dim_ceildiv(it->symbols, x->dim[i], block) : x->dim[i];
    char what[64];
    snprintf(what, sizeof what, "dim %zu of the scale and its blocks", i);
    WEFT_TRY(weft__merge_dim(it, want, scale->dim[i], what, &merged));
  }
  return WEFT_OK;
}

static weft_status check_scale(weft_infer *it, const weft_shape *x, const weft_shape *scale) {
  size_t axis;
  weft_dim merged;
  if (is_one(scale) || weft_shape_is_unknown_rank(scale) || weft_shape_is_unknown_rank(x))
    return WEFT_OK;
  if (scale->rank == 1 && scale->dim[0] < 0)
    return WEFT_OK;
  WEFT_TRY(weft__axis(it->d, "attribute 'axis'", weft_node_int(it->desc, WEFT_QUANT_AXIS), x->rank, &axis));
  if (scale->rank == x->rank && (x->rank > 1 || weft_node_int(it->desc, WEFT_QUANT_BLOCK_SIZE)))
    return check_blocks(it, x, scale, axis);
  if (scale->rank != 1) {
    return weft_fail(it->d, WEFT_E_SHAPE, "scale of rank %zu for x of rank %zu: expected rank 0, 1 or %zu",
                     scale->rank, x->rank, x->rank);
  }
  return weft__merge_dim(it, x->dim[axis], scale->dim[0], "the axis and the scale", &merged);
}

weft_status weft__quant_infer(weft_infer *it) {
  const weft_shape *x = it->in[WEFT_QUANT_X];
  const weft_shape *scale = it->in[WEFT_QUANT_SCALE];
  uint32_t in;
  WEFT_TRY(check_scale(it, x, scale));
  if (weft__has_in(it->desc, WEFT_QUANT_ZERO, &in)) {
    const weft_shape *zero = it->in[in];
    bool ranked = !weft_shape_is_unknown_rank(zero) && !weft_shape_is_unknown_rank(scale);
    if (ranked && zero->rank != scale->rank && !(is_one(zero) && is_one(scale))) {
      return weft_fail(it->d, WEFT_E_SHAPE, "zero point of rank %zu, scale of rank %zu", zero->rank,
                       scale->rank);
    }
    for (size_t i = 0; ranked && zero->rank == scale->rank && i < zero->rank; i++) {
      weft_dim merged;
      WEFT_TRY(weft__merge_dim(it, scale->dim[i], zero->dim[i], "a dim of scale and zero point", &merged));
    }
  }
  return weft__same(it, 0, WEFT_QUANT_X);
}

weft_status weft__quant_init(const weft_call *c, weft_quant *q) {
  const weft_shape *x = &c->in[WEFT_QUANT_X]->layout.origin;
  const weft_shape *scale = &c->in[WEFT_QUANT_SCALE]->layout.origin;
  uint32_t in;
  size_t axis;
  bool has_zero = weft__has_in(c->desc, WEFT_QUANT_ZERO, &in);
  *q = (weft_quant){.inner = 1,
                    .axis = 1,
                    .block = 1,
                    .scale = c->in[WEFT_QUANT_SCALE],
                    .zero = has_zero ? c->in[in] : NULL};
  size_t scales = weft__elems(scale);
  size_t zeros = q->zero ? weft__elems(&q->zero->layout.origin) : scales;
  if (scales != zeros)
    return weft_fail(c->d, WEFT_E_SHAPE, "%zu scales and %zu zero points", scales, zeros);
  if (is_one(scale))
    return WEFT_OK;
  WEFT_TRY(weft__axis(c->d, "attribute 'axis'", weft_node_int(c->desc, WEFT_QUANT_AXIS), x->rank, &axis));
  q->inner = weft__prod(x, axis + 1, x->rank);
  q->axis = (size_t)x->dim[axis];
  int64_t block = weft_node_int(c->desc, WEFT_QUANT_BLOCK_SIZE);
  q->per_axis = scale->rank == 1 && !block;
  if (!q->per_axis) {
    q->block = (size_t)block;
    q->scales = (size_t)scale->dim[axis];
  }
  size_t want = q->per_axis ? q->axis : weft__prod(x, 0, axis) * q->scales * q->inner;
  bool fits = q->per_axis || (block > 0 && q->scales == (q->axis + q->block - 1) / q->block);
  if (scales != want || !fits) {
    return weft_fail(c->d, WEFT_E_SHAPE, "%zu scales, the axis of %zu elements needs %zu", scales, q->axis,
                     want);
  }
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
