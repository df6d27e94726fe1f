// ops/elementwise/sigmoid.c - y = 1 / (1 + e^-x).   AscendIR Sigmoid, ONNX Sigmoid-13.
// Infinities give 0 and 1.
#include "numeric.h"

static double sigmoid_f64(double x) {
  return 1 / (1 + exp(-x));
}
static double complex sigmoid_function(double complex z) {
  return 1 / (1 + cexp(-z));
}
static void sigmoid_c128(double z[2]) {
  weft__apply_complex(z, sigmoid_function);
}
static weft_status sigmoid_ref(const weft_call *c) {
  return weft__unary(c, &(weft_unary){.f = sigmoid_f64, .c = sigmoid_c128});
}

WEFT_OP(sigmoid) = {
    WEFT_UNARY_PROTO("Sigmoid", WEFT_SET_UNARY),
    .summary = "y = 1 / (1 + e^-x)",
    .ref = sigmoid_ref,
    .examples = WEFT_EXAMPLES(
        "f32[7]{0,1,-2.5,100,inf,-inf,nan} -> f32[7]{0.5,0.731058579,0.07585818,1,1,0,nan} ~1e-6",
        "f16[1]{1} -> f16[1]{0.730957031}",
        "c64[2]{(0.5,1),(-2,-0.25)} -> c64[2]{(0.656210346,0.252250351),(0.116700747,-0.026146513)} ~1e-6",
        "f16[0,3] -> f16[0,3]", "f32[-1,4] -> f32[-1,4]", "str[1]{\"a\"} !! E_DTYPE input 'x'"),
};
// SPDX-License-Identifier: Apache-2.0
