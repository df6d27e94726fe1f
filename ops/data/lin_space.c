// ops/data/lin_space.c - num numbers from start to stop at equal distances.   AscendIR LinSpace.
// Both ends are included. Element i is start + i*(stop-start)/(num-1) in double, rounded once (integers:
// towards 0); the last one is stop itself.
#include "dims_move.h"

enum { START, STOP, NUM };

static weft_status lin_space_infer(weft_infer *it) {
  int64_t n;
  int64_t elem[1];
  bool known;
  for (uint32_t k = 0; k < 2; k++) {
    if (weft_shape_is_known(it->in[k]) && (weft_shape_elems(it->in[k], &n) || n != 1))
      return weft_fail(it->d, WEFT_E_SHAPE, "input '%s': expected one element", weft__in_name(it->desc, k));
  }
  WEFT_TRY(weft__in_ints(it, NUM, elem, 1, &n, &known));
  if (n >= 0 && n != 1)
    return weft_fail(it->d, WEFT_E_SHAPE, "input 'num': expected one element, got %lld", (long long)n);
  if (known && weft__is_literal(elem[0]) && elem[0] < 0)
    return weft_fail(it->d, WEFT_E_RANGE, "input 'num': %lld, expected 0 or more", (long long)elem[0]);
  weft_dim dim = known ? weft__elem_dim(elem[0]) : -1;
  return weft_set_out_shape(it, 0, &dim, 1);
}

static weft_status lin_space_ref(const weft_call *c) {
  weft_dtype t = c->in[START]->dtype;
  weft_tensor *y = c->out[0];
  size_t n = y ? weft__elems(&y->layout.origin) : 0;
  double start = weft_load_f64(t, c->in[START]->data, 0), stop = weft_load_f64(t, c->in[STOP]->data, 0);
  for (size_t i = 0; i < n; i++) {
    WEFT_TRY(weft__poll_at(c, i));
    bool end = i && i == n - 1;
    weft_store_f64(t, y->data, i,
                   end ? stop
                   : i ? start + (double)i * (stop - start) / (double)(n - 1)
                       : start);
  }
  return WEFT_OK;
}

WEFT_OP(lin_space) = {
    WEFT_OP_HEAD,
    .name = "LinSpace",
    .summary = "numbers at equal distances between two ends",
    .in = PORTS({"start", "T"}, {"stop", "T"}, {"num", NULL, WEFT_SET_INDEX, .value = WEFT_VALUE_INFER}),
    .out = PORTS({"output", "T"}),
    .types = TYPES({"T", WEFT_FLOATS | WEFT_DT(INT8) | WEFT_DT(UINT8) | WEFT_DT(INT16) | WEFT_DT(INT32)}),
    .traits = WEFT_SYMBOLIC,
    .infer = lin_space_infer,
    .ref = lin_space_ref,
    .examples = WEFT_EXAMPLES("f32[]{0}, f32[]{1}, i32[]{5} -> f32[5]{0,0.25,0.5,0.75,1}",
                              "f32[1]{3}, f32[1]{9}, i64[1]{1} -> f32[1]{3}",
                              "i32[]{0}, i32[]{3}, i32[]{3} -> i32[3]{0,1,3}",
                              "f32[]{0}, f32[]{1}, i32[]{0} -> f32[0]", "f32[], f32[], i32[] -> f32[-1]",
                              "f32[], f32[], i32[]{4} -> f32[4]",
                              "f32[]{0}, f32[]{1}, i32[]{-1} !! E_RANGE input 'num': -1",
                              "f32[2], f32[], i32[]{1} !! E_SHAPE input 'start'"),
};
// SPDX-License-Identifier: Apache-2.0
