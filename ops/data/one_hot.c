// ops/data/one_hot.c - on_value where an index equals x.   AscendIR OneHot, ONNX OneHot-11.
// A new axis of size depth holds off_value elsewhere. An index outside [0, depth) gives off_value only; with
// negative_index_support (ext, ONNX's rule) those in [-depth, -1] count from the end. Floating-point indices
// that are no integer give off_value only.
#include "dims_move.h"

enum { AXIS, NEGATIVE };
enum { X, DEPTH, ON, OFF };

static weft_status one_hot_infer(weft_infer *it) {
  const weft_shape *x = it->in[X];
  int64_t depth = -1;
  int64_t n;
  bool known;
  size_t axis;
  for (uint32_t k = ON; k <= OFF; k++) {
    if (weft_shape_is_known(it->in[k]) && (weft_shape_elems(it->in[k], &n) || n != 1))
      return weft_fail(it->d, WEFT_E_SHAPE, "input '%s': expected one element", weft__in_name(it->desc, k));
  }
  int64_t elem[1];
  WEFT_TRY(weft__in_ints(it, DEPTH, elem, 1, &n, &known));
  if (n >= 0 && n != 1)
    return weft_fail(it->d, WEFT_E_SHAPE, "input 'depth': expected one element, got %lld", (long long)n);
  if (known)
    depth = weft__elem_dim(elem[0]);
  if (known && weft__is_literal(elem[0]) && elem[0] < 0)
    return weft_fail(it->d, WEFT_E_RANGE, "input 'depth': %lld, expected 0 or more", (long long)elem[0]);
  if (weft_shape_is_unknown_rank(x))
    return weft__unknown_rank(it, 0);
  if (x->rank == WEFT_MAX_RANK) {
    return weft_fail(it->d, WEFT_E_LIMIT, "output rank %zu is over the limit of %d", x->rank + 1,
                     WEFT_MAX_RANK);
  }
  WEFT_TRY(weft__axis(it->d, "attribute 'axis'", weft_node_int(it->desc, AXIS), x->rank + 1, &axis));
  it->out[0]->rank = x->rank + 1;
  for (size_t i = 0, from = 0; i <= x->rank; i++)
    it->out[0]->dim[i] = i == axis ? depth : x->dim[from++];
  return WEFT_OK;
}

typedef struct hot {
  const weft_call *c;
  size_t inner;
  int64_t depth;
  bool negative;
} hot;

static const weft_tensor *one_hot_pick(void *ctx, size_t i, size_t *out_index) {
  const hot *h = ctx;
  const weft_tensor *x = h->c->in[X];
  size_t at = i / h->inner / (size_t)h->depth * h->inner + i % h->inner;
  int64_t place = (int64_t)(i / h->inner % (size_t)h->depth);
  bool on;
  if (weft_dtype_is_float(x->dtype)) {
    double v = weft_load_f64(x->dtype, x->data, at);
    on = v == (double)place || (h->negative && v == (double)(place - h->depth));
  } else {
    int64_t v = weft_load_i64(x->dtype, x->data, at);
    on = v == place || (h->negative && v == place - h->depth);
  }
  *out_index = 0;
  return h->c->in[on ? ON : OFF];
}

static weft_status one_hot_ref(const weft_call *c) {
  hot h = {.c = c, .negative = weft_node_bool(c->desc, NEGATIVE)};
  size_t axis;
  size_t rank = c->in[X]->layout.origin.rank;
  if (!c->out[0])
    return WEFT_OK;
  WEFT_TRY(weft__axis(c->d, "attribute 'axis'", weft_node_int(c->desc, AXIS), rank + 1, &axis));
  h.inner = weft__prod(&c->in[X]->layout.origin, axis, rank);
  h.depth = c->out[0]->layout.origin.dim[axis];
  return weft__pick(c, c->out[0], one_hot_pick, &h);
}

WEFT_OP(one_hot) = {
    WEFT_OP_HEAD,
    .name = "OneHot",
    .summary = "a new axis that marks one place",
    .in = PORTS({"x", NULL, WEFT_NUMBERS}, {"depth", NULL, WEFT_SET_INDEX, .value = WEFT_VALUE_INFER},
                {"on_value", "T"}, {"off_value", "T"}),
    .out = PORTS({"y", "T"}),
    .types = TYPES({"T", WEFT_STORABLE}),
    .attrs = ATTRS({"axis", "Int", "-1"}, {"negative_index_support", "Bool", "false", .ext = 1}),
    .traits = WEFT_SYMBOLIC | WEFT_MONOTONE,
    .infer = one_hot_infer,
    .ref = one_hot_ref,
    .examples = WEFT_EXAMPLES(
        "i32[2]{1,0}, i32[]{3}, f32[]{1}, f32[]{0} -> f32[2,3]{0,1,0,1,0,0}",
        "i64[2]{1,5}, i32[]{2}, i32[]{9}, i32[]{-1} axis=0 -> i32[2,2]{-1,-1,9,-1}",
        "i32[2]{-1,-3}, i64[1]{2}, f32[]{1}, f32[]{0} negative_index_support=true -> f32[2,2]{0,1,0,0}",
        "i32[1]{-1}, i32[]{2}, f32[]{1}, f32[]{0} -> f32[1,2]{0,0}",
        "f32[2]{1,0.5}, i32[]{2}, i8[]{1}, i8[]{0} -> i8[2,2]{0,1,0,0}",
        "u8[0], i32[]{3}, f32[]{1}, f32[]{0} -> f32[0,3]",
        "i32[2]{0,1}, i32[]{0}, f32[]{1}, f32[]{0} -> f32[2,0]",
        "i32[N,-1], i32[]{3}, f32[], f32[] axis=1 -> f32[N,3,-1]", "i32[2], i32[], f32[], f32[] -> f32[2,-1]",
        "i32[2], i32[]{-1}, f32[], f32[] !! E_RANGE input 'depth': -1",
        "i32[2], i32[]{2}, f32[2], f32[] !! E_SHAPE on_value",
        "i32[2], i32[]{2}, f32[], f32[] axis=2 !! E_RANGE attribute 'axis'"),
};
// SPDX-License-Identifier: Apache-2.0
