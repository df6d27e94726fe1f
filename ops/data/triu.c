// ops/data/triu.c - the upper triangle of every matrix, from `diagonal` on; zero below.   AscendIR Triu.
#include "triangle.h"
#include "op_slots.h"

static weft_status triu_ref(const weft_call *c) {
  return weft__triangle_ref(c, true, weft_node_int(c->desc, WEFT_SLOT_TRIU_DIAGONAL));
}

WEFT_OP(triu) = {
    WEFT_OP_HEAD,
    .name = "Triu",
    .summary = "the upper triangle",
    .in = PORTS({"x", "T"}),
    .out = PORTS({"y", "T"}),
    WEFT_TRIANGLE_TYPES,
    .attrs = ATTRS({"diagonal", "Int", "0"}),
    .traits = WEFT_TRIANGLE_TRAITS,
    .infer = weft__triangle_infer,
    .ref = triu_ref,
    .examples = WEFT_EXAMPLES("f32[2,3]{1,2,3,4,5,6} -> f32[2,3]{1,2,3,0,5,6}",
                              "i32[2,2]{1,2,3,4} diagonal=1 -> i32[2,2]{0,2,0,0}",
                              "f32[2,2]{1,2,3,4} diagonal=-9 -> f32[2,2]{1,2,3,4}",
                              "f32[2,0,3] -> f32[2,0,3]", "f32[-1,N,2] -> f32[-1,N,2]",
                              "f32[3] !! E_SHAPE expected rank 2"),
};
// SPDX-License-Identifier: Apache-2.0
