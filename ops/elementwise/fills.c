// ops/elementwise/fills.c - y has the shape and dtype of x and every element is `value`.   AscendIR Fills.
// Integers are truncated and saturated; bool is value != 0. The elements of x are not read.
#include "numeric.h"

enum { VALUE };

static weft_status fills_ref(const weft_call *c) {
  return weft__fill(c, (double)weft_node_float(c->desc, VALUE));
}

WEFT_OP(fills) = {
    WEFT_UNARY_PROTO("Fills", WEFT_SET_BASIC | WEFT_DT(BOOL)),
    .summary = "y has the shape and dtype of x and every element is `value`",
    .attrs = ATTRS({"value", "Float"}),
    .ref = fills_ref,
    .examples = WEFT_EXAMPLES("f32[2]{1,nan} value=2.5 -> f32[2]{2.5,2.5}",
                              "i8[2]{1,2} value=-300.5 -> i8[2]{-128,-128}",
                              "bool[1]{false} value=0.5 -> bool[1]{true}",
                              "c64[1]{(1,2)} value=3 -> c64[1]{(3,0)}", "f32[1]{1} !! E_MISSING value",
                              "f16[0,3] value=1 -> f16[0,3]", "f32[-1,4] value=1 -> f32[-1,4]",
                              "str[1]{\"a\"} value=1 !! E_DTYPE input 'x'"),
};
// SPDX-License-Identifier: Apache-2.0
