// ops/data/tril.c - the lower triangle of every matrix, up to `diagonal`; zero above.   AscendIR Tril.
#include "triangle.h"
#include "op_slots.h"

static weft_status tril_ref(const weft_call *c) {
  return weft__triangle_ref(c, false, weft_node_int(c->desc, WEFT_SLOT_TRIL_DIAGONAL));
}

WEFT_OP(tril) = {
    WEFT_OP_HEAD,
    .name = "Tril",
    .summary = "the lower triangle",
    .in = PORTS({"x", "T"}),
    .out = PORTS({"y", "T"}),
    WEFT_TRIANGLE_TYPES,
    .attrs = ATTRS({"diagonal", "Int", "0"}),
    .traits = WEFT_TRIANGLE_TRAITS,
    .infer = weft__triangle_infer,
    .ref = tril_ref,
    .examples = WEFT_EXAMPLES("f32[2,3]{1,2,3,4,5,6} -> f32[2,3]{1,0,0,4,5,0}",
                              "i32[2,2]{1,2,3,4} diagonal=-1 -> i32[2,2]{0,0,3,0}",
                              "f32[1,1,2]{1,2} diagonal=1 -> f32[1,1,2]{1,2}", "f32[0,2] -> f32[0,2]",
                              "f32[-1,N] -> f32[-1,N]", "f32[3] !! E_SHAPE expected rank 2"),
};
// SPDX-License-Identifier: Apache-2.0
