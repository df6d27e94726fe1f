// ops/data/where.c - coordinates of elements that are not zero: [n, rank].   AscendIR Where.
// In row-major order. ONNX's NonZero is NonZero with transpose, ONNX's Where is SelectV2. NaN is not zero, -0
// is. Found at run time.
#include "lists.h"

static weft_status where_infer(weft_infer *it) {
  return weft__nonzero_infer(it, false);
}
static weft_status where_infer_range(weft_infer *it) {
  return weft__nonzero_range(it, false);
}
static weft_status where_execute(const weft_call *c) {
  return weft__nonzero_execute(c, WEFT_INT64, false);
}

WEFT_OP(where) = {
    WEFT_OP_HEAD,
    .name = "Where",
    .summary = "coordinates of elements that are not zero",
    .in = PORTS({"x", NULL, WEFT_SET_BASIC | WEFT_DT(BOOL)}),
    .out = PORTS({"y", NULL, WEFT_DT(INT64)}),
    .traits = WEFT_SYMBOLIC | WEFT_DATA_DEPENDENT,
    .infer = where_infer,
    .infer_range = where_infer_range,
    .execute = where_execute,
    .examples = WEFT_EXAMPLES("i32[2,3]{1,0,1,0,1,1} -> i64[4,2]{0,0,0,2,1,1,1,2}",  // R145
                              "bool[8]{*0} -> i64[0,1]", "i32[8]{*1} -> i64[8,1]{0,1,2,3,4,5,6,7}",
                              "f32[0] -> i64[0,1]", "i8[1]{1} -> i64[1,1]{0}",  // R144
                              "f32[3]{nan,-0.0,2} -> i64[2,1]{0,2}", "c64[2]{(0,0),(0,1)} -> i64[1,1]{1}",
                              "i32[]{5} -> i64[1,0]", "i32[8] -> i64[-1,1]", "f32[?] -> i64[-1,-1]",
                              "f32[N,2] -> i64[-1,2]",  // R146
                              "str[1]{\"a\"} !! E_DTYPE input 'x'"),
};
// SPDX-License-Identifier: Apache-2.0
