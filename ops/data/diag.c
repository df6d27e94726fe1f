// ops/data/diag.c - y[i.., i..] = x[i..], zero elsewhere: the rank doubles.   AscendIR Diag.
#include "dims_move.h"

static weft_status diag_infer(weft_infer *it) {
  const weft_shape *x = it->in[0];
  if (weft_shape_is_unknown_rank(x))
    return weft__unknown_rank(it, 0);
  WEFT_TRY(weft__unknown_dims(it, 0, 2 * x->rank));
  for (size_t i = 0; i < x->rank; i++)
    it->out[0]->dim[i] = it->out[0]->dim[x->rank + i] = x->dim[i];
  return WEFT_OK;
}

static int64_t diag_map(void *ctx, size_t i) {
  size_t n = *(const size_t *)ctx;
  return i / n == i % n ? (int64_t)(i % n) : -1;
}

static weft_status diag_ref(const weft_call *c) {
  size_t n = weft__elems(&c->in[0]->layout.origin);
  return c->out[0] ? weft__move(c, c->in[0], c->out[0], diag_map, &n, NULL) : WEFT_OK;
}

WEFT_OP(diag) = {
    WEFT_OP_HEAD,
    .name = "Diag",
    .summary = "a tensor on the diagonal of a zero one",
    .in = PORTS({"x", "T"}),
    .out = PORTS({"y", "T"}),
    .types = TYPES({"T", WEFT_SET_BASIC | WEFT_DT(BOOL)}),
    .traits = WEFT_SYMBOLIC | WEFT_MONOTONE,
    .infer = diag_infer,
    .ref = diag_ref,
    .examples = WEFT_EXAMPLES("f32[2]{1,2} -> f32[2,2]{1,0,0,2}", "i32[1,2]{3,4} -> i32[1,2,1,2]{3,0,0,4}",
                              "f32[]{5} -> f32[]{5}", "f32[0] -> f32[0,0]", "f32[-1,N] -> f32[-1,N,-1,N]",
                              "f32[?] -> f32[?]", "f32[1,1,1,1,1,1,1,1,1,1,1,1,1] !! E_LIMIT rank 26"),
};
// SPDX-License-Identifier: Apache-2.0
