// ops/data/masked.c - elements by masks, bands, diagonals and bits.   AscendIR MaskedScatter, FillDiagonal,
// FillDiagonalV2, as PyTorch computes them, MatrixBandPart, CompareAndBitpack, as TensorFlow does.
#include "air_slots.h"
#include "op/air_rows.h"
#include "dims_move.h"
#include "sparse.h"

// ---- MaskedScatter: the next update where the mask, broadcast to x, is true ----
enum { X, MASK, UPDATES };

static weft_status scatter_infer(weft_infer *it) {
  weft_shape both;
  WEFT_TRY(weft__expect_dtype(it, UPDATES, X));
  if (weft_shape_is_unknown_rank(it->in[X]) || weft_shape_is_unknown_rank(it->in[MASK]))
    return weft__same(it, 0, X);
  WEFT_TRY(weft__broadcast(it, it->in[X], it->in[MASK], &both));
  if (both.rank != it->in[X]->rank)
    return weft_fail(it->d, WEFT_E_SHAPE, "input 'mask' has rank %zu, 'x' has %zu",
                     (size_t)it->in[MASK]->rank, (size_t)it->in[X]->rank);
  return weft__same(it, 0, X);
}

static weft_status scatter_ref(const weft_call *c) {
  const weft_shape *s = &c->in[X]->layout.origin;
  const weft_shape *mask = &c->in[MASK]->layout.origin;
  const size_t n = weft__elems(&c->in[UPDATES]->layout.origin);
  weft_tensor *y = c->out[0];
  size_t used = 0;
  weft_walk w;
  if (!y)
    return WEFT_OK;
  for (size_t k = 0; k < mask->rank; k++) {
    if (mask->dim[k] != 1 && mask->dim[k] != s->dim[k + s->rank - mask->rank])
      return weft_fail(c->d, WEFT_E_SHAPE, "axis %zu of the mask does not fit x", k);
  }
  weft__walk_init(&w, s);
  weft__walk_operand(&w, 0, mask);
  for (; w.i < w.n; weft__walk_next(&w)) {
    const bool takes = weft_load_i64(WEFT_BOOL, c->in[MASK]->data, w.at[0]) != 0;
    WEFT_TRY(weft__poll_at(c, w.i));
    if (takes && used == n)
      return weft_fail(c->d, WEFT_E_SHAPE, "input 'updates' has %zu elements, the mask is true more often",
                       n);
    weft__copy_elem(y->dtype, y->data, w.i, takes ? c->in[UPDATES]->data : c->in[X]->data,
                    takes ? used : w.i);
    used += takes;
  }
  return WEFT_OK;
}

// ---- MatrixBandPart: 0 outside a band around the diagonal; a width below 0 is all of that side ----
static weft_status band_infer(weft_infer *it) {
  WEFT_TRY(weft__expect_rank(it, X, 2, WEFT_MAX_RANK));
  WEFT_TRY(weft__expect_rank(it, 1, 0, 1));
  WEFT_TRY(weft__expect_rank(it, 2, 0, 1));
  return weft__same(it, 0, X);
}

static weft_status band_ref(const weft_call *c) {
  const weft_shape *s = &c->in[X]->layout.origin;
  weft_tensor *y = c->out[0];
  int64_t below;
  int64_t above;
  if (!y)
    return WEFT_OK;
  WEFT_TRY(weft__read_int(c, 1, &below));
  WEFT_TRY(weft__read_int(c, 2, &above));
  const size_t columns = (size_t)s->dim[s->rank - 1];
  const size_t rows = (size_t)s->dim[s->rank - 2];
  memcpy(y->data, c->in[X]->data, y->bytes);
  for (size_t i = 0; i < weft__elems(s); i++) {
    const int64_t over = (int64_t)(i % columns) - (int64_t)(i / columns % rows);
    const bool in_band = (above < 0 || over <= above) && (below < 0 || -over <= below);
    WEFT_TRY(weft__poll_at(c, i));
    if (!in_band)
      weft__any_put(y, i, (weft_any){{0, 0}, 0});
  }
  return WEFT_OK;
}

// ---- FillDiagonal ----
static weft_status diagonal_infer(weft_infer *it) {
  const weft_shape *x = it->in[X];
  weft_dim side = -1;
  WEFT_TRY(weft__expect_rank(it, X, 2, WEFT_MAX_RANK));
  if (it->n_in > 1)
    WEFT_TRY(weft__expect_dtype(it, 1, X));
  for (size_t k = 0; !weft_shape_is_unknown_rank(x) && x->rank > 2 && k < x->rank; k++)
    WEFT_TRY(weft__merge_dim(it, side, x->dim[k], "the axes of more than two", &side));
  return weft__same(it, 0, X);
}

static weft_status diagonal_number(const weft_call *c, weft_any *out) {
  if (c->n_in > 1) {
    if (weft__elems(&c->in[1]->layout.origin) != 1)
      return weft_fail(c->d, WEFT_E_SHAPE, "input 'fill_value': expected one element, got %zu",
                       weft__elems(&c->in[1]->layout.origin));
    *out = weft__any_at(c->in[1], 0);
    return WEFT_OK;
  }
  const double v = weft_node_float(c->desc, WEFT_SLOT_FILL_DIAGONAL_FILL_VALUE);
  *out = (weft_any){{v, 0}, 0};
  if (v > -9.2e18 && v < 9.2e18)
    out->whole = (uint64_t)(int64_t)v;
  return WEFT_OK;
}

static weft_status diagonal_ref(const weft_call *c) {
  const bool wraps =
      weft_node_bool(c->desc, c->n_in > 1 ? WEFT_SLOT_FILL_DIAGONAL_V2_WRAP : WEFT_SLOT_FILL_DIAGONAL_WRAP);
  const weft_shape *s = &c->in[X]->layout.origin;
  weft_tensor *y = c->out[0];
  size_t step = 0;
  weft_any v;
  if (!y)
    return WEFT_OK;
  WEFT_TRY(diagonal_number(c, &v));
  for (size_t k = 0; k < s->rank; k++)
    step += weft__prod(s, k + 1, s->rank);
  size_t end = weft__elems(s);
  const size_t columns = (size_t)s->dim[s->rank - 1];
  if (s->rank == 2 && !wraps && (size_t)s->dim[0] > columns)
    end = columns * columns;
  if (y->data != c->in[X]->data)
    memcpy(y->data, c->in[X]->data, y->bytes);
  for (size_t i = 0; i < end; i += step) {
    WEFT_TRY(weft__poll_at(c, i / step));
    weft__any_put(y, i, v);
  }
  return WEFT_OK;
}

// ---- CompareAndBitpack: whether eight neighbours are above the threshold, the first one in the highest bit
// --
static weft_status bitpack_infer(weft_infer *it) {
  const weft_shape *x = it->in[X];
  WEFT_TRY(weft__expect_rank(it, X, 1, WEFT_MAX_RANK));
  WEFT_TRY(weft__expect_rank(it, 1, 0, 0));
  WEFT_TRY(weft__expect_dtype(it, 1, X));
  it->out_dtype[0] = WEFT_UINT8;
  WEFT_TRY(weft__same(it, 0, X));
  if (weft_shape_is_unknown_rank(x))
    return WEFT_OK;
  const weft_dim last = x->dim[x->rank - 1];
  if (last >= 0 && last % 8)
    return weft_fail(it->d, WEFT_E_SHAPE, "the last axis has %lld elements, expected a multiple of 8",
                     (long long)last);
  it->out[0]->dim[x->rank - 1] = weft__dim_part(it, last, 8);
  return WEFT_OK;
}

static weft_status bitpack_ref(const weft_call *c) {
  const weft_tensor *x = c->in[X];
  weft_tensor *y = c->out[0];
  if (!y)
    return WEFT_OK;
  const weft_any least = weft__any_at(c->in[1], 0);
  const bool real = weft_dtype_is_float(x->dtype);  // most often, and quicker than any number
  const double most = real ? weft_load_f64(x->dtype, c->in[1]->data, 0) : 0;
  for (size_t i = 0; i < weft__elems(&y->layout.origin); i++) {
    unsigned bits = 0;
    WEFT_TRY(weft__poll_at(c, i));
    for (size_t k = 8 * i; k < 8 * i + 8; k++) {
      const bool above = real ? weft_load_f64(x->dtype, x->data, k) > most
                              : weft__any_less(x->dtype, least, weft__any_at(x, k));
      bits = bits << 1 | above;
    }
    weft_store_i64(WEFT_UINT8, y->data, i, (int64_t)bits);
  }
  return WEFT_OK;
}

#define DIAGONAL(op_name, ...)                                                                    \
  {                                                                                               \
    .name = op_name, .summary = "x with a number on its diagonal", .traits = WEFT_SYMBOLIC,       \
    .infer = diagonal_infer, .ref = diagonal_ref, .examples = WEFT_EXAMPLES(__VA_ARGS__)          \
  }

WEFT_ROWS(masked) = {
    {"MaskedScatter", "the next update where a mask is true",
        WEFT_SYMBOLIC, .infer = scatter_infer, .ref = scatter_ref, .like = "x",
     .examples = WEFT_EXAMPLES(
         "f32[2,2]{1,2,3,4}, bool[2,2]{0,1,1,0}, f32[3]{7,8,9} -> f32[2,2]{1,7,8,4}",
         "i32[2,2]{1,2,3,4}, bool[2]{0,1}, i32[2]{7,8} -> i32[2,2]{1,7,3,8}", "f32[N], bool[1], f32[-1] -> "
         "f32[N]",
         "f32[2]{1,2}, bool[1]{1}, f32[1]{7} !! E_SHAPE the mask is true more often",
         "f32[2], bool[1], i32[2] !! E_DTYPE one dtype")},
    {"MatrixBandPart", "0 outside a band around the diagonal",
        WEFT_SYMBOLIC, .infer = band_infer, .ref = band_ref,
     .examples = WEFT_EXAMPLES(
         "f32[2,3]{1,2,3,4,5,6}, i32[]{0}, i32[]{1} -> f32[2,3]{1,2,0,0,5,6}",
         "c64[1,2,2]{(1,1),(2,2),(3,3),(4,4)}, i64[]{-1}, i64[]{0} -> c64[1,2,2]{(1,1),(0,0),(3,3),(4,4)}",
         "f32[N,3], i32[], i32[] -> f32[N,3]", "f32[3], i32[]{0}, i32[]{1} !! E_SHAPE input 'x'")},
    DIAGONAL("FillDiagonal", "f32[3,2]{1,2,3,4,5,6} fill_value=9 -> f32[3,2]{9,2,3,9,5,6}",
             "i32[4,2]{0,0,0,0,0,0,0,0} fill_value=7 wrap=true -> i32[4,2]{7,0,0,7,0,0,7,0}",
             "f32[2,2,2]{0,0,0,0,0,0,0,0} fill_value=1 -> f32[2,2,2]{1,0,0,0,0,0,0,1}",
             "f32[2,2,3] fill_value=1 !! E_SHAPE 2 and 3 differ"),
    DIAGONAL("FillDiagonalV2", "f32[2,2]{1,2,3,4}, f32[1]{9} -> f32[2,2]{9,2,3,9}",
             "f32[2,2]{1,2,3,4}, f32[2]{9,8} !! E_SHAPE expected one element"),
    {"CompareAndBitpack", "whether eight neighbours are above a threshold, as bits",
        WEFT_SYMBOLIC, .infer = bitpack_infer, .ref = bitpack_ref,
     .examples = WEFT_EXAMPLES(
         "f32[8]{1,0,0,2,nan,0,0,3}, f32[]{0.5} -> u8[1]{145}",
         "i8[2,8]{1,1,1,1,1,1,1,1,0,0,0,0,0,0,0,1}, i8[]{0} -> u8[2,1]{255,1}", "f32[N,16], f32[] -> u8[N,2]",
         "f32[7], f32[] !! E_SHAPE a multiple of 8")},
    {0},
};
// SPDX-License-Identifier: Apache-2.0
