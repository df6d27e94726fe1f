// ops/elementwise/is_inf.c - y = is x infinite?   AscendIR IsInf, ONNX IsInf-20.
// ONNX's detect_negative and detect_positive are ext. NaN gives false, and so do integers.
#include "numeric.h"

enum { NEGATIVE, POSITIVE };

static bool test(double x, const double *p) {
  return isinf(x) && (x < 0 ? p[0] != 0 : p[1] != 0);
}
static weft_status is_inf_ref(const weft_call *c) {
  const double p[2] = {weft_node_bool(c->desc, NEGATIVE), weft_node_bool(c->desc, POSITIVE)};
  return weft__test(c, test, p);
}

WEFT_OP(is_inf) = {
    WEFT_OP_HEAD,
    .name = "IsInf",
    .in = PORTS({"x", "T"}),
    .out = PORTS({"y", NULL, WEFT_DT(BOOL)}),
    .types = TYPES({"T", WEFT_NUMBERS | WEFT_DT(BOOL) | (WEFT_FLOAT8S & ~WEFT_DT(HIFLOAT8))}),
    .summary = "y = is x infinite?",
    .traits = WEFT_SYMBOLIC | WEFT_MONOTONE | WEFT_ELEMENTWISE,
    .attrs = ATTRS({"detect_negative", "Bool", "true", .ext = 1},
                   {"detect_positive", "Bool", "true", .ext = 1}),
    .infer = weft__infer_same,
    .ref = is_inf_ref,
    .examples = WEFT_EXAMPLES("f32[4]{1,nan,inf,-inf} -> bool[4]{false,false,true,true}",
                              "f32[2]{inf,-inf} detect_negative=false -> bool[2]{true,false}",
                              "f32[2]{inf,-inf} detect_positive=false -> bool[2]{false,true}",
                              "f8e5m2[2]{inf,1} -> bool[2]{true,false}", "f16[0,3] -> bool[0,3]",
                              "f32[-1,4] -> bool[-1,4]", "i32[1]{1} -> bool[1]{false}",
                              "str[1]{\"a\"} !! E_DTYPE input 'x'"),
};
// SPDX-License-Identifier: Apache-2.0
