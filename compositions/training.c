// compositions/training.c - fused pieces of steps of training, dropout by a given mask, and statistics that
// are updated.
#include "compose/compose.h"

#include "air_slots.h"

#define W  COMPOSED_WIDE
#define BY COMPOSED_WIDE_BY

// Adam: v and m are updated by the gradient input0, u is how far the parameters go.
#define ADAM_V  "Add(Mul(input1, mul2_x), Mul(Square(input0), mul3_x))"
#define ADAM_M  "Add(Mul(input2, mul0_x), Mul(input0, mul1_x))"
#define ADAM    "v = " ADAM_V "; m = " ADAM_M "; u = RealDiv(m, Add(Sqrt(v), add2_y)); "
#define DECAYS  "u = Add(u, Mul(input3, mul4_x)); "
#define GIVES   "output0 = Identity(v); output1 = Identity(m); output2 = Sub(input3, Mul(u, input4))"
#define ASSIGNS "input1 = Identity(v); input2 = Identity(m); input3 = Sub(input3, Mul(u, input4))"

#define N       "f32[1]"
#define ADAM_IN N "{2}, " N "{1}, " N "{0}, " N "{5}, " N "{3}, " N "{0}, " N "{1}, " N "{0}, " N "{1}"

static weft_status lars(weft__composing *c, bool clips) {
  WEFT_TRY(
      weft__compose_text(c, "b = RealDiv(Mul(wn, hyperpara), Add(Add(gn, Mul(weight_decay, wn)), epsilon))"));
  if (clips)
    WEFT_TRY(weft__compose_text(c, "b = Minimum(RealDiv(b, learning_rate), 1)"));
  return weft__compose_text(c,
                            "b = SelectV2(LogicalAnd(Greater(wn, 0), Greater(gn, 0)), b, OnesLike(b)); g_new "
                            "= Mul(Add(g, Mul(w, weight_decay)), b)");
}
static weft_status lars_v2_build(weft__composing *c) {
  WEFT_TRY(weft__compose_text(
      c, "wn = Sqrt(ReduceSum(Square(w), all(w))); gn = Sqrt(ReduceSum(Square(g), all(g)))"));
  return lars(c, weft_node_bool(c->desc, WEFT_SLOT_LARS_V2_USE_CLIP));
}
static weft_status lars_v2_update_build(weft__composing *c) {
  WEFT_TRY(weft__compose_text(c, "wn = Sqrt(w_square_sum); gn = Sqrt(g_square_sum)"));
  return lars(c, weft_node_bool(c->desc, WEFT_SLOT_LARS_V2_UPDATE_USE_CLIP));
}

// Both forms of momentum, with a gradient that is a product.
static weft_status momentum_build(weft__composing *c) {
  bool keras = !strcmp(c->desc->type, "FusedMulApplyKerasMomentum");
  bool nesterov = weft_node_bool(c->desc, keras ? WEFT_SLOT_FUSED_MUL_APPLY_KERAS_MOMENTUM_USE_NESTEROV
                                                : WEFT_SLOT_FUSED_MUL_APPLY_MOMENTUM_USE_NESTEROV);
  WEFT_TRY(weft__compose_text(c, "g = Mul(x1, x2)"));
  if (keras)
    return weft__compose_text(
        c, nesterov ? "accum = Sub(Mul(accum, momentum), Mul(g, lr)); var = Add(var, Sub(Mul(accum, "
                      "momentum), Mul(g, lr)))"
                    : "accum = Sub(Mul(accum, momentum), Mul(g, lr)); var = Add(var, accum)");
  return weft__compose_text(
      c, nesterov
             ? "accum = Add(Mul(accum, momentum), g); var = Sub(var, Mul(Add(g, Mul(accum, momentum)), lr))"
             : "accum = Add(Mul(accum, momentum), g); var = Sub(var, Mul(accum, lr))");
}

// A running mean of the parameters beside Adam. mode 0: decay goes into the gradient, 1: into the update.
static weft_status fused_ema_adam_build(weft__composing *c) {
  const weft_op_desc *n = c->desc;
  bool late = weft_node_int(n, WEFT_SLOT_APPLY_FUSED_EMA_ADAM_MODE) == 1;
  if (!late)
    WEFT_TRY(weft__compose_text(c, "grad = Add(grad, Mul(var, weight_decay))"));
  WEFT_TRY(weft__compose_text(c,
                              "m = Add(Mul(m, beta1), Mul(grad, Sub(1, beta1))); v = Add(Mul(v, beta2), "
                              "Mul(Square(grad), Sub(1, beta2)))"));
  if (weft_node_bool(n, WEFT_SLOT_APPLY_FUSED_EMA_ADAM_BIAS_CORRECTION))
    WEFT_TRY(weft__compose_text(
        c, "t = as(m, step); a = RealDiv(m, Sub(1, Pow(beta1, t))); b = RealDiv(v, Sub(1, Pow(beta2, t)))"));
  else
    WEFT_TRY(weft__compose_text(c, "a = Identity(m); b = Identity(v)"));
  WEFT_TRY(weft__compose_text(c, "u = RealDiv(a, Add(Sqrt(b), eps))"));
  if (late)
    WEFT_TRY(weft__compose_text(c, "u = Add(u, Mul(var, weight_decay))"));
  return weft__compose_text(
      c, "var = Sub(var, Mul(u, lr)); s = Add(Mul(s, ema_decay), Mul(var, Sub(1, ema_decay)))");
}

// The first step, which stat tells, takes the gradient for momentum.
static weft_status sgd_build(weft__composing *c) {
  WEFT_TRY(weft__compose_text(c,
                              "g = Add(gradient, Mul(parameters, weight_decay)); a = Add(Mul(accum, "
                              "momentum), Mul(g, Sub(1, dampening))); "
                              "accum = SelectV2(Greater(stat, 0), g, a); stat = ZerosLike(stat)"));
  bool nesterov = weft_node_bool(c->desc, WEFT_SLOT_SGD_NESTEROV);
  return weft__compose_text(
      c, nesterov ? "parameters = Sub(parameters, Mul(Add(g, Mul(accum, momentum)), learning_rate))"
                  : "parameters = Sub(parameters, Mul(accum, learning_rate))");
}

// ---- statistics ----
static weft_status reduce_std_v2_update_build(weft__composing *c) {
  int64_t correction = weft_node_int(c->desc, WEFT_SLOT_REDUCE_STD_V2_UPDATE_CORRECTION);
  if (!weft_node_bool(c->desc, WEFT_SLOT_REDUCE_STD_V2_UPDATE_UNBIASED))
    correction = 0;
  weft__compose_name(c, "less", front_num(c->o, c->main, (double)correction));
  WEFT_TRY(weft__compose_text(c,
                              "q = ReduceSum(Square(Sub(x, mean)), axes(dim, x), keep_dims=@keepdim); "
                              "output_var = RealDiv(q, Sub(RealDiv(count(x), count(q)), less))"));
  bool root = weft_node_bool(c->desc, WEFT_SLOT_REDUCE_STD_V2_UPDATE_IF_STD);
  return root ? weft__compose_text(c, "output_var = Sqrt(output_var)") : WEFT_OK;
}
static weft_status reduce_std_with_mean_build(weft__composing *c) {
  int64_t correction = weft_node_int(c->desc, WEFT_SLOT_REDUCE_STD_WITH_MEAN_CORRECTION);
  if (!weft_node_bool(c->desc, WEFT_SLOT_REDUCE_STD_WITH_MEAN_UNBIASED))
    correction = 0;
  weft__compose_name(c, "less", front_num(c->o, c->main, (double)correction));
  WEFT_TRY(weft__compose_text(c,
                              "q = ReduceSum(Square(Sub(x, mean)), axes(dim, x), keep_dims=@keepdim); v = "
                              "RealDiv(q, Sub(RealDiv(count(x), count(q)), less))"));
  return weft__compose_text(c, weft_node_bool(c->desc, WEFT_SLOT_REDUCE_STD_WITH_MEAN_INVERT)
                                   ? "y = Rsqrt(Add(v, epsilon))"
                                   : "y = Sqrt(v)");
}

#define DROP "y = SelectV2(bool(mask), RealDiv(x, keep_prob), ZerosLike(x))"

// clang-format off
WEFT_ROWS(training) = {
  W("AdamApplyOne", "a step of Adam", ADAM GIVES, ADAM_IN ", " N "{0} -> " N "{4}, " N "{2}, " N "{2}"),
  W("AdamApplyOneWithDecay", "a step of Adam that decays weights", ADAM DECAYS GIVES,
       ADAM_IN ", " N "{1}, " N "{0} -> " N "{4}, " N "{2}, " N "{-13}"),
  W("AdamApplyOneAssign", "a step of Adam in place", ADAM ASSIGNS,
       ADAM_IN ", " N "{0} -> " N "{4}, " N "{2}, " N "{2}"),
  W("AdamApplyOneWithDecayAssign", "a step of Adam that decays weights, in place", ADAM DECAYS ASSIGNS,
       ADAM_IN ", " N "{1}, " N "{0} -> " N "{4}, " N "{2}, " N "{-13}"),
  BY("LarsV2", "gradients scaled by the norms of weights and gradients", lars_v2_build,
       "f32[2]{3,4}, f32[2]{3,4}, f32[]{0}, f32[]{1} hyperpara=0.5 epsilon=0 -> f32[2]{1.5,2}",
       "f32[N], f32[N], f32[], f32[] use_clip=true -> f32[N]"),
  BY("LarsV2Update", "gradients scaled by the norms of weights and gradients", lars_v2_update_build,
       "f32[2]{3,4}, f32[2]{3,4}, f32[]{25}, f32[]{25}, f32[]{0}, f32[]{1} hyperpara=0.5 epsilon=0 -> "
       "f32[2]{1.5,2}"),
  W("LambNextRight", "a second moment, and its root with a number added",
       "y1 = Add(Mul(input_mul2, mul2_x), Mul(Square(input_square), mul3_x)); y2 = Add(Sqrt(Mul(y1, "
       "truediv1_recip)), add2_y)",
    N "{2}, " N "{5}, " N "{1}, " N "{1}, " N "{1}, " N "{1} -> " N "{9}, " N "{4}"),
  // The trust ratio is select_e unless both norms are above greater_y.
  W("LambUpdateWithLr", "weights less a step by the ratio of two norms, kept within bounds",
       "r = SelectV2(Greater(input_greater1, greater_y), RealDiv(input_greater_realdiv, input_realdiv), "
       "select_e); "
       "r = SelectV2(Greater(input_greater_realdiv, greater_y), r, select_e); "
       "r = Maximum(Minimum(r, minimum_y), greater_y); y = Sub(input_sub, Mul(Mul(r, input_mul0), "
       "input_mul1))",
       "f32[]{2}, f32[]{6}, f32[]{2}, f32[]{0.5}, f32[1]{4}, f32[1]{9}, f32[]{0}, f32[]{1}, f32[]{10} -> "
       "f32[1]{3}",
       "f32[]{0}, f32[]{6}, f32[]{0}, f32[]{0.5}, f32[1]{4}, f32[1]{9}, f32[]{0}, f32[]{1}, f32[]{10} -> "
       "f32[1]{7}"),
  W("LambUpdateWithLrV2", "weights less a step by the ratio of two norms",
       "r = SelectV2(Greater(x2, greater_y), RealDiv(x1, x2), select_e); "
       "r = SelectV2(Greater(x1, greater_y), r, select_e); y = Sub(x5, Mul(Mul(r, x3), x4))",
       "f32[]{6}, f32[]{2}, f32[]{0.5}, f32[1]{4}, f32[1]{9}, f32[]{0}, f32[]{1} -> f32[1]{3}",
       "f32[]{6}, f32[]{0}, f32[]{0.5}, f32[1]{4}, f32[1]{9}, f32[]{0}, f32[]{1} -> f32[1]{7}"),
  W("LambApplyOptimizerAssign", "the update of Lamb and its moments",
       "inputv = Add(Mul(inputv, mul2_x), Mul(Square(grad), mul3_x)); inputm = Add(Mul(inputm, mul0_x), "
       "Mul(grad, mul1_x)); "
    "a = RealDiv(inputm, Sub(1, Pow(mul0_x, steps))); b = RealDiv(inputv, Sub(1, Pow(mul2_x, steps))); "
    "output0 = Add(RealDiv(a, Add(Sqrt(b), add2_y)), Mul(Mul(input3, weight_decay_rate), do_use_weight))",
    N "{2}, " N "{0}, " N "{0}, " N "{5}, " N "{0.5}, " N "{0.5}, " N "{0.5}, " N "{0.5}, " N "{0}, "
    N "{1}, " N "{1}, " N "{1} -> " N "{6}, " N "{2}, " N "{1}"),
  W("LambApplyWeightAssign", "parameters less an update that norms scale",
       "r = SelectV2(Greater(input0, 0), SelectV2(Greater(input1, 0), RealDiv(input0, input1), "
       "OnesLike(input1)), OnesLike(input0)); "
    "input_param = Sub(input_param, Mul(Mul(r, input2), input3))",
    N "{4}, " N "{2}, " N "{0.5}, " N "{3}, " N "{5} -> " N "{2}"),
  COMPOSED_BY("FusedMulApplyMomentum", "a step with momentum by a product", momentum_build,
       N "{5}, " N "{1}, " N "{0.5}, " N "{2}, " N "{2}, " N "{3} -> " N "{1}, " N "{8}"),
  COMPOSED_BY("FusedMulApplyKerasMomentum", "a step with momentum by a product", momentum_build,
       N "{5}, " N "{1}, " N "{0.5}, " N "{2}, " N "{2}, " N "{3} -> " N "{4}, " N "{-1}"),
  COMPOSED("FusedMulAddNL2loss", "x1 x3 + x2, and half the sum of squares of x1",
       "y1 = Add(Mul(x1, x3), x2); y2 = Mul(ReduceSum(Square(x1), all(x1)), 0.5)",
       "f32[2]{3,4}, f32[2]{1,1}, f32[]{2} -> f32[2]{7,9}, f32[]{12.5}"),
  BY("ApplyFusedEmaAdam", "a step of Adam, and a running mean of the parameters", fused_ema_adam_build,
       N "{2}, " N "{5}, " N "{0}, " N "{0}, " N "{5}, i64[1]{1} lr=1 ema_decay=0.5 eps=0 -> " N "{4}, "
       N "{0.2}, " N "{0.004}, " N "{4.5} ~1e-4"),
  BY("ReduceStdV2Update", "variances or deviations from given means", reduce_std_v2_update_build,
       "f32[2]{1,3}, f32[1]{2} dim=[0] -> f32[]{2}",
       "f32[N,4], f32[N,1] dim=[1] keepdim=true if_std=true -> f32[N,1]"),
  BY("ReduceStdWithMean", "deviations from given means, or their inverses", reduce_std_with_mean_build,
       "f32[2]{1,3}, f32[1]{2} dim=[0] correction=0 -> f32[]{1}",
       "f32[N,4], f32[N,1] dim=[1] invert=true -> f32[N]"),
  W("ReduceMeanWithCount", "means weighted by counts",
       "y = ReduceSum(Mul(x, RealDiv(count, count_sum)), list(axes), keep_dims=@keep_dims)",
       "f32[2,1]{1,3}, f32[2,1]{1,3}, f32[1]{4} axes=[0] -> f32[1]{2.5}"),
  W("DropOutDoMaskV3", "x where a mask is set, over keep_prob", DROP,
       "f32[2]{1,2}, u8[2]{1,0}, f32[]{0.5} -> f32[2]{2,0}", "f16[N], bool[N], f16[] -> f16[N]"),
  W("DropOutDoMaskV3D", "x where a mask is set, over keep_prob", DROP,
       "f32[2]{1,2}, u8[2]{1,0} keep_prob=0.5 -> f32[2]{2,0}"),
  {.name = "SGD", .summary = "a step of gradient descent with momentum", .traits = WEFT_SYMBOLIC,
       .infer = weft__composed_infer, .ref = weft__composed_ref,
   .user = &(const weft__composition){.build = sgd_build, .wide = true, .updates = true},
   .examples = WEFT_EXAMPLES("f32[1]{5}, f32[1]{2}, f32[]{0.5}, f32[1]{4}, f32[]{0.25}, f32[1]{0} -> "
   "f32[1]{3.5}",
   "f32[1]{5}, f32[1]{2}, f32[]{0.5}, f32[1]{4}, f32[]{0.25}, f32[1]{1} nesterov=true -> f32[1]{3.75}")},
  COMPOSED("IsVariableInitialized", "true: a state holds something from its beginning on", "y = bool(1)",
           "f32[2,3]{0..} -> bool[]{true}", "bool[N] -> bool[]"),
  COMPOSED("VarIsInitializedOp", "true: a state holds something from its beginning on", "y = bool(1)",
           "i64[]{7} -> bool[]{true}", "f32[?] -> bool[]"),
  {0},
};
// SPDX-License-Identifier: Apache-2.0
