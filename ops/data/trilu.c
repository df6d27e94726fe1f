// ops/data/trilu.c - a triangle of every matrix.   AscendIR Trilu, ONNX Trilu-14.
// The upper (upper=1) or lower one, from or up to diagonal k. Without k: 0. ONNX's default is upper=1,
// AscendIR's 0.
#include "triangle.h"

enum { UPPER };

static weft_status trilu_ref(const weft_call *c) {
  uint32_t in;
  int64_t k = 0;
  if (weft__has_in(c->desc, 1, &in))
    WEFT_TRY(weft__read_int(c, in, &k));
  return weft__triangle_ref(c, weft_node_int(c->desc, UPPER) != 0, k);
}

WEFT_OP(trilu) = {
    WEFT_OP_HEAD,
    .name = "Trilu",
    .summary = "the upper or lower triangle",
    .in = PORTS({"x", "T"}, {"k", NULL, WEFT_SET_INDEX, .kind = WEFT_OPTIONAL}),
    .out = PORTS({"y", "T"}),
    WEFT_TRIANGLE_TYPES,
    .attrs = ATTRS({"upper", "Int", "0"}),
    .traits = WEFT_TRIANGLE_TRAITS,
    .infer = weft__triangle_infer,
    .ref = trilu_ref,
    .examples = WEFT_EXAMPLES("f32[2,2]{1,2,3,4} -> f32[2,2]{1,0,3,4}",
                              "f32[2,2]{1,2,3,4} upper=1 -> f32[2,2]{1,2,0,4}",
                              "bool[2,2]{1,1,1,1}, i64[]{1} upper=1 -> bool[2,2]{0,1,0,0}",
                              "i64[2,2]{1,2,3,4}, i64[1]{-1} -> i64[2,2]{0,0,3,0}",
                              "f32[0,2], i64[]{0} -> f32[0,2]", "f32[-1,N], i64[] -> f32[-1,N]",
                              "f32[1,1]{1}, i64[2]{0,1} !! E_LIMIT input 'k'",
                              "f32[3] !! E_SHAPE expected rank 2"),
};
// SPDX-License-Identifier: Apache-2.0
