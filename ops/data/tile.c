// ops/data/tile.c - x repeated multiples[i] times along axis i.   AscendIR Tile, ONNX Tile-13.
// 0 gives an empty axis; negative counts fail.
#include "dims_move.h"

static weft_status tile_infer(weft_infer *it) {
  const weft_shape *x = it->in[0];
  weft_shape times;
  WEFT_TRY(weft__in_target(it, 1, &times));
  bool ranked = !weft_shape_is_unknown_rank(x);
  bool counted = !weft_shape_is_unknown_rank(&times);
  if (ranked && counted && x->rank != times.rank) {
    return weft_fail(it->d, WEFT_E_SHAPE, "input 'multiples': %zu elements, x has rank %zu", times.rank,
                     x->rank);
  }
  if (!ranked)
    return counted ? weft__unknown_dims(it, 0, times.rank) : weft__unknown_rank(it, 0);
  if (!counted)
    return weft__unknown_dims(it, 0, x->rank);
  it->out[0]->rank = x->rank;
  for (size_t i = 0; i < x->rank; i++) {
    if (x->dim[i] > 0 && times.dim[i] > INT64_MAX / x->dim[i]) {
      return weft_fail(it->d, WEFT_E_OVERFLOW, "dim %zu: %lld times %lld is over 2^63 - 1", i,
                       (long long)x->dim[i], (long long)times.dim[i]);
    }
    it->out[0]->dim[i] = weft_dim_mul(it->symbols, x->dim[i], times.dim[i]);
  }
  return WEFT_OK;
}

typedef struct tile {
  const weft_shape *x, *y;
} tile;

static int64_t tile_map(void *ctx, size_t at) {
  const tile *t = ctx;
  int64_t from = 0;
  int64_t step = 1;
  for (size_t k = t->y->rank; k-- > 0;) {
    from += (int64_t)(at % (size_t)t->y->dim[k]) % t->x->dim[k] * step;
    at /= (size_t)t->y->dim[k];
    step *= t->x->dim[k];
  }
  return from;
}

static weft_status tile_infer_value(weft_infer *it) {
  int64_t n;
  if (!weft_shape_is_known(it->in[0]) || !weft_shape_is_known(it->out[0]) || weft_shape_elems(it->out[0], &n))
    return WEFT_OK;
  weft__elems_map(it, 0, 0, (size_t)n, tile_map, &(tile){it->in[0], it->out[0]});
  return WEFT_OK;
}

static weft_status tile_ref(const weft_call *c) {
  if (!c->out[0])
    return WEFT_OK;
  return weft__move(c, c->in[0], c->out[0], tile_map,
                    &(tile){&c->in[0]->layout.origin, &c->out[0]->layout.origin}, NULL);
}

WEFT_OP(tile) = {
    WEFT_OP_HEAD,
    .name = "Tile",
    .summary = "a tensor repeated along its axes",
    .in = PORTS({"x", "T"}, {"multiples", NULL, WEFT_SET_INDEX, .value = WEFT_VALUE_INFER}),
    .out = PORTS({"y", "T"}),
    .types = TYPES({"T", WEFT_STORABLE}),
    .traits = WEFT_SYMBOLIC | WEFT_MONOTONE | WEFT_KEEP_FORMAT,
    .infer = tile_infer,
    .infer_value = tile_infer_value,
    .ref = tile_ref,
    .examples = WEFT_EXAMPLES("f32[2]{1,2}, i64[1]{2} -> f32[4]{1,2,1,2}",
                              "i32[1,2]{1,2}, i32[2]{2,2} -> i32[2,4]{1,2,1,2,1,2,1,2}",
                              "f32[]{5}, i32[0] -> f32[]{5}", "f32[2,1], i32[2]{0,3} -> f32[0,3]",
                              "f32[0], i32[1]{3} -> f32[0]", "f32[N,2], i32[2]{2,3} -> f32[2*N,6]",
                              "f32[-1,2], i32[2]{1,2} -> f32[-1,4]", "f32[2], i32[1] -> f32[-1]",
                              "str[1]{\"a\"}, i32[1]{2} -> str[2]{\"a\",\"a\"}",
                              "f32[2], i32[2]{1,1} !! E_SHAPE 2 elements, x has rank 1",
                              "f32[2], i32[1]{-1} !! E_SHAPE is -1",
                              "f32[2], i64[1]{9223372036854775807} !! E_OVERFLOW 2 times"),
};
// SPDX-License-Identifier: Apache-2.0
