// compositions/activations.c - activations and their gradients, element by element. In a gradient y is the
// forward input or the forward output, as AscendIR has it. Halves are computed in f32.
#include "compose/compose.h"

#include "air_slots.h"

#define W        COMPOSED_WIDE
#define GRADIENT "dy times the derivative"
// where a condition holds, a; b elsewhere
#define PICK(c, a, b) "SelectV2(" c ", " a ", " b ")"
#define ZERO(x)       "ZerosLike(" x ")"
#define SIG(x)        "Sigmoid(" x ")"

// approximate 'tanh' or 'none': the derivative of x Phi(x) and of its approximation
static weft_status gelu_grad(weft__composing *c, const char *approximate) {
  if (!strcmp(approximate, "tanh")) {
    return weft__compose_text(
        c,
        "x3 = Mul(Mul(x, x), x); t = Tanh(Mul(Add(x, Mul(x3, 0.044715)), 0.7978845608028654)); "
        "d = Mul(Mul(Mul(x, Mul(Sub(1, Mul(t, t)), 0.5)), Add(Mul(Mul(x, x), 0.134145), 1)), "
        "0.7978845608028654); "
        "z = Mul(dy, Add(Mul(Add(t, 1), 0.5), d))");
  }
  return weft__compose_text(
      c,
      "p = Mul(Add(Erf(Mul(x, 0.7071067811865476)), 1), 0.5); "
      "d = Mul(Mul(x, Exp(Mul(Mul(x, x), -0.5))), 0.3989422804014327); z = Mul(dy, Add(p, d))");
}
static weft_status elu_grad_v2_build(weft__composing *c) {
  bool result = weft_node_bool(c->desc, WEFT_SLOT_ELU_GRAD_V2_IS_RESULT);
  WEFT_TRY(weft__compose_text(c, "g = Mul(grads, input_scale); k = Mul(alpha, scale)"));
  return weft__compose_text(
      c, result ? "y = SelectV2(LessEqual(activations, 0), Mul(g, Add(activations, k)), Mul(grads, scale))"
                : "y = SelectV2(LessEqual(activations, 0), Mul(Mul(g, k), Exp(Mul(activations, "
                  "input_scale))), Mul(grads, scale))");
}
static weft_status gelu_grad_v2_build(weft__composing *c) {
  return gelu_grad(c, weft_node_str(c->desc, WEFT_SLOT_GELU_GRAD_V2_APPROXIMATE));
}
static weft_status gelu_grad_build(weft__composing *c) {
  return gelu_grad(c, "tanh");
}

// Logit and its gradient: x between eps and 1 - eps where eps is not negative.
static weft_status logit_build(weft__composing *c) {
  bool clips = weft_node_float(c->desc, WEFT_SLOT_LOGIT_EPS) >= 0;
  if (clips)
    WEFT_TRY(weft__compose_text(c, "x = Minimum(Maximum(x, eps), Sub(1, eps))"));
  return weft__compose_text(c, "y = Log(RealDiv(x, Sub(1, x)))");
}
static weft_status logit_grad_build(weft__composing *c) {
  bool clips = weft_node_float(c->desc, WEFT_SLOT_LOGIT_GRAD_EPS) >= 0;
  WEFT_TRY(weft__compose_text(c, "d = RealDiv(dy, Mul(x, Sub(1, x)))"));
  return weft__compose_text(
      c, clips ? "inside = LogicalAnd(GreaterEqual(x, eps), LessEqual(x, Sub(1, eps))); dx = " PICK(
                     "inside", "d", ZERO("d"))
               : "inside = LogicalAnd(GreaterEqual(x, 0), LessEqual(x, 1)); dx = " PICK(
                     "inside", "d", "Mul(RealDiv(0, 0), d)"));
}

static weft_status threshold_v2_build(weft__composing *c) {
  return weft__compose_text(c, weft__composed(c, "value")
                                   ? "y = SelectV2(LessEqual(x, threshold), as(x, value), x)"
                                   : "y = SelectV2(LessEqual(x, threshold), ZerosLike(x), x)");
}

static weft_status mish_grad_build(weft__composing *c) {
  if (!weft__composed(c, "tanhx"))
    WEFT_TRY(weft__compose_text(c, "tanhx = Tanh(Softplus(x))"));
  return weft__compose_text(
      c, "x_grad = Mul(grad, Add(tanhx, Mul(Mul(x, Sigmoid(x)), Sub(1, Mul(tanhx, tanhx)))))");
}

WEFT_ROWS(activations) = {
    COMPOSED_ALIKE("ReluGrad", GRADIENT,
                   "backprops = " PICK("Greater(features, 0)", "gradients", ZERO("gradients")),
                   "f32[2]{3,4}, f32[2]{-1,1} -> f32[2]{0,4}",
                   "f32[2], f32[1] -> _ !! E_SHAPE input 'gradients' has shape [2], input 'features' [1]"),
    COMPOSED_ALIKE("Relu6Grad", GRADIENT,
                   "backprops = " PICK("LogicalAnd(Greater(features, 0), Less(features, 6))", "gradients",
                                       ZERO("gradients")),
                   "f32[3]{3,4,5}, f32[3]{-1,1,7} -> f32[3]{0,4,0}"),
    COMPOSED_ALIKE("LeakyReluGrad", GRADIENT,
                   "backprops = " PICK("Greater(features, 0)", "gradients", "Mul(gradients, negative_slope)"),
                   "f32[2]{3,4}, f32[2]{-1,1} negative_slope=0.5 -> f32[2]{1.5,4}"),
    COMPOSED_ALIKE("EluGrad", GRADIENT,
                   "y = " PICK("Less(activations, 0)", "Mul(grads, Add(activations, 1))", "grads"),
                   "f32[2]{3,4}, f32[2]{-0.5,1} -> f32[2]{1.5,4}"),
    COMPOSED_ALIKE("SeluGrad", GRADIENT,
                   "y = " PICK("Less(outputs, 0)", "Mul(gradients, Add(outputs, 1.7580993408473768))",
                               "Mul(gradients, 1.0507009873554805)"),
                   "f32[1]{1}, f32[1]{1} -> f32[1]{1.050701} ~1e-6"),
    COMPOSED_ALIKE("SigmoidGrad", "dy times the sigmoid's derivative at its output y",
                   "z = Mul(dy, Mul(y, Sub(1, y)))", "f32[2]{0.5,1}, f32[2]{2,3} -> f32[2]{0.5,0}"),
    COMPOSED_ALIKE("TanhGrad", "dy times the derivative at the output y", "z = Mul(dy, Sub(1, Mul(y, y)))",
                   "f32[2]{0.5,1}, f32[2]{2,3} -> f32[2]{1.5,0}"),
    COMPOSED_ALIKE("SoftplusGrad", GRADIENT, "backprops = Mul(gradients, " SIG("features") ")",
                   "f32[1]{2}, f32[1]{0} -> f32[1]{1}"),
    COMPOSED_ALIKE("SoftplusV2Grad", GRADIENT,
                   "b = Mul(input_features, beta); output_backprops = " PICK(
                       "Greater(b, threshold)", "input_gradients", "Mul(input_gradients, Sigmoid(b))"),
                   "f32[1]{2}, f32[1]{0} -> f32[1]{1}"),
    COMPOSED_ALIKE("SoftsignGrad", GRADIENT, "output = RealDiv(gradients, Square(Add(Abs(features), 1)))",
                   "f32[1]{4}, f32[1]{1} -> f32[1]{1}"),
    COMPOSED_ALIKE("SiluGrad", GRADIENT, "s = Sigmoid(x); dx = Mul(dy, Mul(s, Add(Mul(x, Sub(1, s)), 1)))",
                   "f32[1]{2}, f32[1]{0} -> f32[1]{1}"),
    COMPOSED_ALIKE(
        "SwishGrad", GRADIENT,
        "s = Sigmoid(Mul(x, scale)); grad_x = Mul(grad, Add(Mul(Mul(Mul(x, scale), s), Sub(1, s)), s))",
        "f32[1]{2}, f32[1]{0}, f32[1]{0} -> f32[1]{1}"),
    COMPOSED_WIDE_BY("MishGrad", GRADIENT, mish_grad_build, "f32[1]{1}, f32[1]{0} -> f32[1]{0.6} ~1e-5"),
    W("HardSwishV2", "x max(0, min(6, x + 3)) / 6",
      "y = RealDiv(Mul(x, Minimum(Maximum(Add(x, 3), 0), 6)), 6)", "f32[2]{-4,3} -> f32[2]{-0,3}"),
    COMPOSED_ALIKE("HardSwishGrad", GRADIENT,
                   "y = Mul(grad, " PICK("Less(x, -3)", ZERO("x"),
                                         PICK("LessEqual(x, 3)", "Add(RealDiv(x, 3), 0.5)",
                                              "OnesLike(x)")) ")",
                   "f32[3]{1,1,2}, f32[3]{-4,0,4} -> f32[3]{0,0.5,2}"),
    W("HardSwishGradV2", GRADIENT,
      "out = Mul(gradOutput, " PICK("Less(self, -3)", ZERO("self"),
                                    PICK("LessEqual(self, 3)", "Add(RealDiv(self, 3), 0.5)",
                                         "OnesLike(self)")) ")",
      "f32[3]{1,1,2}, f32[3]{-4,0,4} -> f32[3]{0,0.5,2}"),
    COMPOSED_ALIKE(
        "HardSigmoidGrad", GRADIENT,
        "p = Add(Mul(self, alpha), beta); grad_input = " PICK("LogicalAnd(Greater(p, 0), Less(p, 1))",
                                                              "Mul(grad_output, alpha)", ZERO("grad_output")),
        "f32[2]{1,1}, f32[2]{0,9} alpha=0.25 -> f32[2]{0.25,0}"),
    COMPOSED_ALIKE("HardtanhGrad", GRADIENT,
                   "y = " PICK("LogicalAnd(Greater(result, min_val), Less(result, max_val))", "grad",
                               ZERO("grad")),
                   "f32[2]{0,2}, f32[2]{5,6} -> f32[2]{5,0}"),
    W("HardShrink", "x where |x| is over lambd, 0 elsewhere",
      "output_y = " PICK("LessEqual(Abs(input_x), lambd)", ZERO("input_x"), "input_x"),
      "f32[3]{0.2,1,-2} -> f32[3]{0,1,-2}"),
    COMPOSED_ALIKE("HardShrinkGrad", GRADIENT,
                   "backprops = " PICK("LessEqual(Abs(features), lambd)", ZERO("gradients"), "gradients"),
                   "f32[2]{3,4}, f32[2]{0.2,1} -> f32[2]{0,4}"),
    W("SoftShrink", "x without lambd towards 0",
      "output_y = " PICK("Greater(input_x, lambd)", "Sub(input_x, lambd)",
                         PICK("Less(input_x, Neg(lambd))", "Add(input_x, lambd)", "Mul(input_x, 0)")),
      "f32[3]{0.25,1,-2} -> f32[3]{0,0.5,-1.5}"),
    COMPOSED_ALIKE("SoftShrinkGrad", GRADIENT,
                   "output_y = " PICK("LessEqual(Abs(input_x), lambd)", ZERO("input_grad"), "input_grad"),
                   "f32[2]{3,4}, f32[2]{0.2,1} -> f32[2]{0,4}"),
    W("LogSigmoid", "ln of the sigmoid", "y = Neg(Softplus(Neg(x)))", "f32[1]{0} -> f32[1]{-0.693147} ~1e-6"),
    COMPOSED_ALIKE("LogSigmoidGrad", GRADIENT, "backprops = Mul(grads, Sigmoid(Neg(features)))",
                   "f32[1]{2}, f32[1]{0} -> f32[1]{1}"),
    W("Celu", "x above 0, alpha2 (e^(x / alpha3) - 1) times alpha1 below",
      "y = Add(Mul(Maximum(x, 0), alpha1), Minimum(Mul(Expm1(RealDiv(x, alpha3)), alpha2), 0))",
      "f32[2]{2,0} -> f32[2]{2,0}"),
    W("CeluV2", "x above 0, alpha (e^(x / alpha) - 1) below",
      "y = " PICK("Greater(x, 0)", "x", "Mul(Expm1(RealDiv(x, alpha)), alpha)"),
      "f32[2]{2,0} -> f32[2]{2,0}"),
    COMPOSED_WIDE_BY("EluGradV2", GRADIENT, elu_grad_v2_build,
                     "f32[2]{3,4}, f32[2]{-0.5,1} is_result=true -> f32[2]{1.5,4}",
                     "f32[2]{3,4}, f32[2]{0,1} -> f32[2]{3,4}"),
    W("FastGelu", "x times the sigmoid of 1.702 x", "y = Mul(x, Sigmoid(Mul(x, 1.702)))",
      "f32[1]{0} -> f32[1]{0}"),
    W("FastGeluV2", "x times the sigmoid of 1.702 x", "y = Mul(x, Sigmoid(Mul(x, 1.702)))",
      "f32[1]{0} -> f32[1]{0}"),
    COMPOSED_ALIKE("FastGeluGrad", GRADIENT,
                   "s = Sigmoid(Mul(x, 1.702)); z = Mul(dy, Mul(s, Add(Mul(Mul(x, 1.702), Sub(1, s)), 1)))",
                   "f32[1]{2}, f32[1]{0} -> f32[1]{1}"),
    W("GeluV2", "x Phi(x)", "y = Gelu(x, approximate=@approximate)", "f32[1]{0} -> f32[1]{0}"),
    COMPOSED_WIDE_BY("GeluGradV2", GRADIENT, gelu_grad_v2_build, "f32[1]{2}, f32[1]{0} -> f32[1]{1}",
                     "f32[1]{2}, f32[1]{0} approximate=\"tanh\" -> f32[1]{1}"),
    COMPOSED_WIDE_BY("GeluGrad", GRADIENT, gelu_grad_build, "f32[1]{2}, f32[1]{0}, f32[1]{0} -> f32[1]{1}"),
    W("GeluMul", "half of x through gelu times the other half",
      "a, b = SplitD(x, split_dim=-1, num_split=2); y = Mul(Gelu(a, approximate=@approximate), b)",
      "f32[2]{0,5} -> f32[1]{0}"),
    W("SiluMul", "x times its sigmoid, times y", "z = Mul(Mul(x, Sigmoid(x)), y)",
      "f32[1]{0}, f32[1]{5} -> f32[1]{0}"),
    W("SwiGlu", "half of x times its sigmoid, times the other half",
      "a, b = SplitD(x, split_dim=@dim, num_split=2); y = Mul(Mul(a, Sigmoid(a)), b)",
      "f32[2]{0,5} -> f32[1]{0}"),
    W("SwiGluGrad", GRADIENT,
      "a, b = SplitD(x, split_dim=@dim, num_split=2); s = Sigmoid(a); "
      "da = Mul(Mul(y_grad, b), Mul(s, Add(Mul(a, Sub(1, s)), 1))); db = Mul(y_grad, Mul(a, s)); x_grad = "
      "ConcatV2({da, db}, int(dim))",
      "f32[1]{2}, f32[2]{0,5} -> f32[2]{5,0}"),
    W("GLUGrad", GRADIENT,
      "a, b = SplitD(x, split_dim=@dim, num_split=2); s = Sigmoid(b); "
      "da = Mul(y_grad, s); db = Mul(Mul(Mul(y_grad, a), s), Sub(1, s)); x_grad = ConcatV2({da, db}, "
      "int(dim))",
      "f32[1]{2}, f32[2]{4,0} -> f32[2]{1,2}"),
    COMPOSED_WIDE_BY("Logit", "ln(x / (1 - x))", logit_build, "f32[1]{0.5} -> f32[1]{0}"),
    COMPOSED_WIDE_BY("LogitGrad", GRADIENT, logit_grad_build, "f32[1]{0.5}, f32[1]{1} -> f32[1]{4}"),
    W("Threshold", "1 where x is over the threshold, 0 elsewhere", "y = as(x, Greater(x, threshold))",
      "f32[2]{-1,2} -> f32[2]{0,1}"),
    COMPOSED_BY("ThresholdV2", "x where it is over the threshold, value elsewhere", threshold_v2_build,
                "f32[3]{-1,2,nan}, f32[1]{0}, f32[1]{7} -> f32[3]{7,2,nan}"),
    COMPOSED("ThresholdV2D", "x where it is over the threshold, value elsewhere",
             "y = SelectV2(LessEqual(x, threshold), value, x)",
             "f32[3]{-1,2,nan} threshold=0 value=7 -> f32[3]{7,2,nan}"),
    COMPOSED("ThresholdGradV2D", GRADIENT,
             "backprops = " PICK("LessEqual(features, threshold)", ZERO("gradients"), "gradients"),
             "i32[2]{3,4}, i32[2]{-1,1} threshold=0 -> i32[2]{0,4}"),
    W("BNLL", "ln(1 + e^x)", "y = Softplus(x)", "f32[1]{0} -> f32[1]{0.693147} ~1e-6"),
    W("SquaredRelu", "max(x, 0)^2", "y = Square(Relu(x))", "f32[2]{-1,3} -> f32[2]{0,9}"),
    // gradients of functions
    COMPOSED_ALIKE("AbsGrad", GRADIENT, "z = Mul(Sign(y), dy)", "f32[2]{-2,3}, f32[2]{1,1} -> f32[2]{-1,1}"),
    COMPOSED_ALIKE("AcosGrad", GRADIENT, "z = Neg(RealDiv(dy, Sqrt(Sub(1, Mul(y, y)))))",
                   "f32[1]{0}, f32[1]{2} -> f32[1]{-2}"),
    COMPOSED_ALIKE("AsinGrad", GRADIENT, "z = RealDiv(dy, Sqrt(Sub(1, Mul(y, y))))",
                   "f32[1]{0}, f32[1]{2} -> f32[1]{2}"),
    COMPOSED_ALIKE("AtanGrad", GRADIENT, "z = RealDiv(dy, Add(Mul(y, y), 1))",
                   "f32[1]{1}, f32[1]{2} -> f32[1]{1}"),
    COMPOSED_ALIKE("AcoshGrad", "dy times the derivative at the output y", "z = RealDiv(dy, Sinh(y))",
                   "f32[1]{1}, f32[1]{0} -> f32[1]{0}"),
    COMPOSED_ALIKE("AsinhGrad", "dy times the derivative at the output y", "z = RealDiv(dy, Cosh(y))",
                   "f32[1]{0}, f32[1]{2} -> f32[1]{2}"),
    COMPOSED_ALIKE("SqrtGrad", "dy times the derivative at the output y", "z = Mul(dy, RealDiv(0.5, y))",
                   "f32[1]{2}, f32[1]{4} -> f32[1]{1}"),
    COMPOSED_ALIKE("RsqrtGrad", "dy times the derivative at the output y",
                   "z = Mul(Mul(dy, -0.5), Mul(Mul(y, y), y))", "f32[1]{2}, f32[1]{1} -> f32[1]{-4}"),
    COMPOSED_ALIKE("ReciprocalGrad", "dy times the derivative at the output y", "z = Mul(Neg(dy), Mul(y, y))",
                   "f32[1]{2}, f32[1]{1} -> f32[1]{-4}"),
    COMPOSED_ALIKE("InvGrad", "grad times the derivative at the output x", "y = Mul(Neg(grad), Mul(x, x))",
                   "f32[1]{2}, f32[1]{1} -> f32[1]{-4}"),
    {0},
};
// SPDX-License-Identifier: Apache-2.0
