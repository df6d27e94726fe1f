// ops/logic/logical_or.c - y = x1 or x2.   AscendIR LogicalOr, ONNX Or-7.
// A number is true unless it is 0; NaN is true.
#include "op.h"

static weft_status logical_or_ref(const weft_call *c) {
  const weft_tensor *a = c->in[0];
  const weft_tensor *b = c->in[1];
  uint8_t *y = c->out[0]->data;
  weft_walk w;
  weft__walk_init(&w, &c->out[0]->layout.origin);
  weft__walk_operand(&w, 0, &a->layout.origin);
  weft__walk_operand(&w, 1, &b->layout.origin);
  for (; w.i < w.n; weft__walk_next(&w)) {
    WEFT_TRY(weft__poll_at(c, w.i));
    y[w.i] = weft_load_f64(a->dtype, a->data, w.at[0]) != 0 || weft_load_f64(b->dtype, b->data, w.at[1]) != 0;
  }
  return WEFT_OK;
}

WEFT_OP(logical_or) = {
    WEFT_COMPARE_PROTO("LogicalOr", WEFT_NUMBERS | WEFT_DT(BOOL), WEFT_COMMUTATIVE),
    .summary = "y = x1 or x2, with broadcasting",
    .ref = logical_or_ref,
    .examples = WEFT_EXAMPLES(
        "bool[4]{true,true,false,false}, bool[4]{true,false,true,false} -> bool[4]{true,true,true,false}",
        "f32[3]{0,nan,-0.0}, f32[3]{0,0,0} -> bool[3]{false,true,false}",
        "i32[2,1]{0,3}, i32[2]{0,1} -> bool[2,2]{false,true,true,true}", "bool[-1,3], bool[5,3] -> bool[5,3]",
        "bool[0,3], bool[3] -> bool[0,3]", "bool[2], bool[3] !! E_SHAPE do not broadcast",
        "bool[2], f32[2] !! E_DTYPE"),
};
// SPDX-License-Identifier: Apache-2.0
