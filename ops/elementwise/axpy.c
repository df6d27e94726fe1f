// ops/elementwise/axpy.c - y = x1 + alpha * x2, with broadcasting.   AscendIR Axpy.
// Computed in double and rounded once; INT32 is truncated and saturated.
#include "op.h"

enum { ALPHA };

static weft_status axpy_ref(const weft_call *c) {
  const weft_tensor *a = c->in[0];
  const weft_tensor *b = c->in[1];
  double alpha = (double)weft_node_float(c->desc, ALPHA);
  weft_walk w;
  weft__walk_init(&w, &c->out[0]->layout.origin);
  weft__walk_operand(&w, 0, &a->layout.origin);
  weft__walk_operand(&w, 1, &b->layout.origin);
  for (; w.i < w.n; weft__walk_next(&w)) {
    WEFT_TRY(weft__poll_at(c, w.i));
    weft_store_f64(
        a->dtype, c->out[0]->data, w.i,
        weft_load_f64(a->dtype, a->data, w.at[0]) + alpha * weft_load_f64(b->dtype, b->data, w.at[1]));
  }
  return WEFT_OK;
}

WEFT_OP(axpy) = {
    WEFT_BINARY_PROTO("Axpy", WEFT_FLOATS | WEFT_DT(INT32), 0),
    .summary = "y = x1 + alpha * x2, with broadcasting",
    .attrs = ATTRS({"alpha", "Float"}),
    .ref = axpy_ref,
    .examples = WEFT_EXAMPLES("f32[3]{1,inf,nan}, f32[3]{2,1,1} alpha=0.5 -> f32[3]{2,inf,nan}",
                              "i32[3]{1,-1,2147483647}, i32[]{3} alpha=0.5 -> i32[3]{2,0,2147483647}",
                              "f16[2,1]{1,2}, f16[2]{10,20} alpha=-1 -> f16[2,2]{-9,-19,-8,-18}",
                              "f32[-1,3], f32[5,3] alpha=1 -> f32[5,3]",
                              "f32[0,3], f32[3] alpha=1 -> f32[0,3]",
                              "f32[2,3], f32[2] alpha=1 !! E_SHAPE do not broadcast",
                              "f32[2], f32[2] !! E_MISSING alpha", "f32[2], i32[2] alpha=1 !! E_DTYPE"),
};
// SPDX-License-Identifier: Apache-2.0
