// ops/elementwise/is_nan.c - y = is x NaN?   AscendIR IsNan, ONNX IsNaN-20.
// Types without NaN always give false.
#include "numeric.h"

static bool test(double x, const double *p) {
  (void)p;
  return x != x;
}
static weft_status is_nan_ref(const weft_call *c) {
  return weft__test(c, test, NULL);
}

WEFT_OP(is_nan) = {
    WEFT_OP_HEAD,
    .name = "IsNan",
    .in = PORTS({"x", "T"}),
    .out = PORTS({"y", NULL, WEFT_DT(BOOL)}),
    .types = TYPES({"T", WEFT_NUMBERS | WEFT_DT(BOOL) | (WEFT_FLOAT8S & ~WEFT_DT(HIFLOAT8))}),
    .summary = "y = is x NaN?",
    .traits = WEFT_SYMBOLIC | WEFT_MONOTONE | WEFT_ELEMENTWISE,
    .infer = weft__infer_same,
    .ref = is_nan_ref,
    .examples = WEFT_EXAMPLES("f32[4]{1,nan,inf,-inf} -> bool[4]{false,true,false,false}",
                              "f16[2]{nan,0} -> bool[2]{true,false}",
                              "f8e4m3fn[2]{nan,1} -> bool[2]{true,false}", "f32[] -> bool[]",
                              "f16[0,3] -> bool[0,3]", "f32[-1,4] -> bool[-1,4]",
                              "i32[1]{1} -> bool[1]{false}", "str[1]{\"a\"} !! E_DTYPE input 'x'"),
};
// SPDX-License-Identifier: Apache-2.0
