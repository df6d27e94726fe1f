// ops/elementwise/gelu.c - y = x * Phi(x), the normal distribution function.   AscendIR Gelu, ONNX Gelu-20.
// AscendIR's Gelu is the approximation 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))), as devices compute it
// and as MindSpore's GeLU is; ext `approximate` "none" is x Phi(x), which is GeluV2's default and ONNX's.
// NaN stays; -inf gives NaN (-inf * 0), as the formula does.
#include "numeric.h"

enum { APPROXIMATE };

static double exact(double x) {
  return 0.5 * x * erfc(-x * 0.70710678118654752440);
}
static double by_tanh(double x) {
  return 0.5 * x * (1 + tanh(0.79788456080286535588 * (x + 0.044715 * x * x * x)));
}
static weft_status gelu_ref(const weft_call *c) {
  const char *form = weft_node_str(c->desc, APPROXIMATE);
  return weft__unary_real(c, form && form[0] == 't' ? by_tanh : exact, NULL);
}

WEFT_OP(gelu) = {
    WEFT_UNARY_PROTO("Gelu", WEFT_FLOATS),
    .summary = "y = x * Phi(x), the normal distribution function, approximated by tanh",
    .attrs = ATTRS({"approximate", "String", "\"tanh\"", "one of none|tanh", .ext = 1}),
    .ref = gelu_ref,
    .examples = WEFT_EXAMPLES(
        "f32[7]{0,1,-1,3,-3,inf,nan} approximate=\"none\" -> "
        "f32[7]{0,0.841344746,-0.158655254,2.99595031,-0.00404969409,inf,nan} ~1e-6",
        "f32[4]{0,1,-1,3} -> f32[4]{0,0.841191991,-0.158808009,2.99636261} ~1e-6",
        "f16[1]{1} approximate=\"none\" -> f16[1]{0.84130859375}", "f32[1]{1} approximate=\"x\" !! "
        "E_RANGE Invalid approximate: x",
        "f16[0,3] -> f16[0,3]", "f32[-1,4] -> f32[-1,4]", "str[1]{\"a\"} !! E_DTYPE input 'x'"),
};
// SPDX-License-Identifier: Apache-2.0
