// compositions/losses.c - losses and their gradients; `reduction` says whether elements are summed, averaged
// or left.
#include "compose/compose.h"

#include "air_slots.h"

#define W             COMPOSED_WIDE
#define PICK(c, a, b) "SelectV2(" c ", " a ", " b ")"

// x^p of |predict - label|
static weft_status lp_loss_build(weft__composing *c) {
  int64_t p = weft_node_int(c->desc, WEFT_SLOT_LP_LOSS_P);
  if (p != 1 && p != 2)
    return front_fail(c->o, WEFT_E_UNSUPPORTED, "attribute 'p': 1 and 2 are computed, not %lld",
                      (long long)p);
  return weft__compose_text(
      c, p == 1 ? "y = reduced(Abs(Sub(predict, label)))" : "y = reduced(Square(Sub(predict, label)))");
}

static weft_status weighted(weft__composing *c, const char *v, const char *weight, const char *out) {
  char text[160];
  if (weft__composed(c, weight))
    snprintf(text, sizeof text, "%s = reduced(Mul(%s, %s))", out, v, weight);
  else
    snprintf(text, sizeof text, "%s = reduced(%s)", out, v);
  return weft__compose_text(c, text);
}

static weft_status binary_cross_entropy_build(weft__composing *c) {
  WEFT_TRY(weft__compose_text(
      c, "v = Neg(Add(Mul(y, Maximum(Log(x), -100)), Mul(Sub(1, y), Maximum(Log1p(Neg(x)), -100))))"));
  return weighted(c, "v", "weight", "output");
}
static weft_status binary_cross_entropy_grad_build(weft__composing *c) {
  WEFT_TRY(
      weft__compose_text(c, "v = Mul(grad_output, RealDiv(Sub(x, y), Maximum(Mul(x, Sub(1, x)), 1e-12)))"));
  if (weft__composed(c, "weight"))
    WEFT_TRY(weft__compose_text(c, "v = Mul(v, weight)"));
  return weft__compose_text(c, "output = unreduced(v)");
}

#define LOGITS "v = Add(Sub(Maximum(predict, 0), Mul(predict, target)), Log1p(Exp(Neg(Abs(predict)))))"
static weft_status sigmoid_cross_entropy_v2_build(weft__composing *c) {
  if (weft__composed(c, "pos_weight"))
    WEFT_TRY(weft__compose_text(
        c,
        "k = Add(Mul(Sub(pos_weight, 1), target), 1); v = Add(Mul(Sub(1, target), predict), "
        "Mul(k, Add(Log1p(Exp(Neg(Abs(predict)))), Maximum(Neg(predict), 0))))"));
  else
    WEFT_TRY(weft__compose_text(c, LOGITS));
  return weighted(c, "v", "weight", "loss");
}
static weft_status sigmoid_cross_entropy_grad_v2_build(weft__composing *c) {
  if (weft__composed(c, "pos_weight"))
    WEFT_TRY(weft__compose_text(
        c, "t = Mul(pos_weight, target); v = Sub(Mul(Sub(Add(t, 1), target), Sigmoid(predict)), t)"));
  else
    WEFT_TRY(weft__compose_text(c, "v = Sub(Sigmoid(predict), target)"));
  WEFT_TRY(weft__compose_text(c, "v = Mul(v, dout)"));
  if (weft__composed(c, "weight"))
    WEFT_TRY(weft__compose_text(c, "v = Mul(v, weight)"));
  return weft__compose_text(c, "gradient = unreduced(v)");
}

static weft_status poisson_nll_loss_build(weft__composing *c) {
  bool logs = weft_node_bool(c->desc, WEFT_SLOT_POISSON_NLL_LOSS_LOG_INPUT);
  WEFT_TRY(weft__compose_text(c, logs ? "v = Sub(Exp(input_x), Mul(target, input_x))"
                                      : "v = Sub(input_x, Mul(target, Log(Add(input_x, eps))))"));
  if (weft_node_bool(c->desc, WEFT_SLOT_POISSON_NLL_LOSS_FULL))
    WEFT_TRY(weft__compose_text(
        c,
        "s = Add(Sub(Mul(target, Log(target)), target), Mul(Log(Mul(target, 6.283185307179586)), 0.5)); "
        "v = Add(v, SelectV2(Greater(target, 1), s, ZerosLike(v)))"));
  return weft__compose_text(c, "loss = reduced(v)");
}

// Targets are 0 or 1 for each element, or the class that is 1.
static weft_status focal_target(weft__composing *c) {
  int rank = front_rank_of(c->o, weft__composed(c, "pred"));
  int of = front_rank_of(c->o, weft__composed(c, "target"));
  if (c->o->failed)
    return c->o->failed;
  if (rank == of)
    return weft__compose_text(c, "t = as(pred, target)");
  weft__compose_name(c, "depth", front_dim_index(c->o, weft__composed(c, "pred"), rank - 1));
  return weft__compose_text(c, "t = OneHot(target, depth, 1, 0)");
}
#define FOCAL                                                                                      \
  "p = Sigmoid(pred); ce = Add(Sub(Maximum(pred, 0), Mul(pred, t)), Log1p(Exp(Neg(Abs(pred))))); " \
  "q = Add(Mul(p, t), Mul(Sub(1, p), Sub(1, t))); a = Add(Mul(t, alpha), Mul(Sub(1, t), Sub(1, alpha)))"
static weft_status sigmoid_focal_loss_build(weft__composing *c) {
  WEFT_TRY(focal_target(c));
  WEFT_TRY(weft__compose_text(c, FOCAL "; v = Mul(Mul(ce, Pow(Sub(1, q), gamma)), a)"));
  return weighted(c, "v", "weight", "y");
}

// The derivative of SigmoidFocalLoss, where s is 1 for the target and -1 elsewhere, q the probability of what
// is right.
static weft_status sigmoid_focal_loss_grad_build(weft__composing *c) {
  WEFT_TRY(focal_target(c));
  WEFT_TRY(weft__compose_text(c, FOCAL
                              "; s = Sub(Mul(t, 2), 1); d = Add(Sub(1, q), Mul(Mul(q, ce), gamma)); "
                              "v = Neg(Mul(Mul(Mul(a, s), Pow(Sub(1, q), gamma)), d)); v = Mul(v, dout)"));
  if (weft__composed(c, "weight"))
    WEFT_TRY(weft__compose_text(c, "v = Mul(v, weight)"));
  return weft__compose_text(c, "grad = unreduced(v)");
}

static weft_status kl_div_v2_build(weft__composing *c) {
  if (weft_node_bool(c->desc, WEFT_SLOT_KL_DIV_V2_LOG_TARGET))
    return weft__compose_text(c, "y = reduced(Mul(Exp(target), Sub(target, x)))");
  return weft__compose_text(c,
                            "t = SelectV2(Greater(target, 0), Mul(target, Sub(Log(target), x)), "
                            "Mul(ZerosLike(x), target)); y = reduced(t)");
}
static weft_status kl_div_loss_grad_build(weft__composing *c) {
  bool logs = weft_node_bool(c->desc, WEFT_SLOT_KL_DIV_LOSS_GRAD_LOG_TARGET);
  return weft__compose_text(c, logs ? "y = unreduced(Neg(Mul(Exp(target), grad)))"
                                    : "y = unreduced(SelectV2(Greater(target, 0), Neg(Mul(target, grad)), "
                                      "ZerosLike(Mul(target, grad))))");
}

// Rows are pairs: 1 - cos where the target is 1, what cos has over the margin where it is -1.
static weft_status cosine_embedding_loss_build(weft__composing *c) {
  int rank = front_rank_of(c->o, weft__composed(c, "x1"));
  const int64_t axis = rank > 1;
  c->main = WEFT_FLOAT;
  weft__compose_name(c, "dim", front_list(c->o, &axis, 1));
  return weft__compose_text(
      c,
      "a = f32(x1); b = f32(x2); p = ReduceSum(Mul(a, b), dim); "
      "q = Mul(Add(ReduceSum(Square(a), dim), 1e-12), Add(ReduceSum(Square(b), dim), 1e-12)); cos = "
      "RealDiv(p, Sqrt(q)); "
      "t = f32(target); none = ZerosLike(Add(cos, t)); near = SelectV2(Equal(t, 1), Sub(1, cos), none); "
      "far = SelectV2(Equal(t, -1), Maximum(Sub(cos, margin), 0), none); y = reduced(Add(near, far))");
}

// ---- of classes ----
// "hot": 1 at the class that `classes` names, and 0 at the others of `n`. One that there is not is E_RANGE.
static weft_status loss_hot(weft__composing *c, const char *classes, weft_value *n) {
  char text[96];
  weft__compose_name(c, "depth", n);
  weft__compose_name(c, "every", front_counting(c->o, n));
  weft__compose_name(c, "axis_0", front_index(c->o, 0));
  snprintf(text, sizeof text, "hot = OneHot(GatherV2(every, %s, axis_0), depth, 1, 0)", classes);
  return weft__compose_text(c, text);
}
// What a tensor has at the class: a product with "hot" would make NaN of an infinity at another one.
#define AT_CLASS(of) "ReduceSum(SelectV2(NotEqual(hot, 0), " of ", 0), [-1])"

static weft_status sparse_softmax_cross_entropy_build(weft__composing *c) {
  weft_value *x = weft__composed(c, "features");
  int rank = front_rank_of(c->o, x);
  if (!c->o->failed && rank < 1)
    return front_fail(c->o, WEFT_E_SHAPE, "input 'features': rank %d, expected at least 1", rank);
  WEFT_TRY(loss_hot(c, "labels", front_dim_index(c->o, x, rank - 1)));
  return weft__compose_text(
      c, "p = LogSoftmaxV2(features, axes=[-1]); loss = Neg(" AT_CLASS("p") "); backprop = Sub(Exp(p), hot)");
}
// weights of the targets: 0 where one is to be ignored
static weft_status class_weights(weft__composing *c, const char *x, int64_t ignored) {
  front_op *o = c->o;
  weft_value *target = weft__composed(c, "target");
  weft_value *v = weft__composed(c, x);
  int rank = front_rank_of(o, v);
  if (o->failed)
    return o->failed;
  if (rank < 1 || rank > 2)
    return front_fail(o, WEFT_E_UNSUPPORTED, "input '%s': rank %d, 1 and 2 are computed", x, rank);
  weft__compose_name(c, "keep",
                     front_do(o, "NotEqual", target, front_int(o, target->fact.dtype, ignored), NULL));
  weft__compose_name(c, "row", v);
  WEFT_TRY(weft__compose_text(c, "safe = SelectV2(keep, target, ZerosLike(target))"));
  WEFT_TRY(loss_hot(c, "safe", front_dim_index(o, v, rank - 1)));
  if (weft__composed(c, "weight"))
    WEFT_TRY(weft__compose_text(c, "w = " AT_CLASS("as(row, weight)")));
  else
    WEFT_TRY(weft__compose_text(c, "w = ReduceSum(hot, [-1])"));
  return weft__compose_text(c, "w = SelectV2(keep, w, ZerosLike(w))");
}

static weft_status nll_loss_build(weft__composing *c) {
  const char *how = weft_node_str(c->desc, WEFT_SLOT_NLL_LOSS_REDUCTION);
  WEFT_TRY(class_weights(c, "x", weft_node_int(c->desc, WEFT_SLOT_NLL_LOSS_IGNORE_INDEX)));
  WEFT_TRY(weft__compose_text(
      c, "v = SelectV2(keep, Neg(Mul(" AT_CLASS("x") ", w)), 0); total_weight = ReduceSum(w, all(w))"));
  return weft__compose_text(c, !strcmp(how, "mean") ? "y = RealDiv(ReduceSum(v, all(v)), total_weight)"
                               : !strcmp(how, "sum")
                                   ? "y = ReduceSum(v, all(v))"
                                   : "y = Identity(v); total_weight = ZerosLike(total_weight)");
}
static weft_status nll_loss_grad_build(weft__composing *c) {
  const char *how = weft_node_str(c->desc, WEFT_SLOT_NLL_LOSS_GRAD_REDUCTION);
  WEFT_TRY(class_weights(c, "x", weft_node_int(c->desc, WEFT_SLOT_NLL_LOSS_GRAD_IGNORE_INDEX)));
  WEFT_TRY(weft__compose_text(c, "g = Neg(Mul(w, y_grad))"));
  if (!strcmp(how, "mean"))
    WEFT_TRY(weft__compose_text(c, "g = RealDiv(g, total_weight)"));
  return weft__compose_text(c, "x_grad = Mul(hot, Unsqueeze(g, axes=[-1]))");
}

// Unused outputs of the z loss are what they are without it.
static weft_status cross_entropy_loss_build(weft__composing *c) {
  const weft_op_desc *n = c->desc;
  const char *how = weft_node_str(n, WEFT_SLOT_CROSS_ENTROPY_LOSS_REDUCTION);
  if (weft_node_float(n, WEFT_SLOT_CROSS_ENTROPY_LOSS_LSE_SQUARE_SCALE_FOR_ZLOSS) != 0)
    return front_fail(c->o, WEFT_E_UNSUPPORTED, "attribute 'lse_square_scale_for_zloss': only 0 is computed");
  WEFT_TRY(class_weights(c, "input", weft_node_int(n, WEFT_SLOT_CROSS_ENTROPY_LOSS_IGNORE_INDEX)));
  WEFT_TRY(weft__compose_text(
      c,
      "log_prob = LogSoftmaxV2(input, axes=[-1]); total = ReduceSum(w, all(w)); "
      "v = SelectV2(keep, Neg(Mul(" AT_CLASS("log_prob") ", w)), 0); zloss = "
                                                         "ZerosLike(total); lse_for_zloss = ZerosLike(w)"));
  if (weft_node_float(n, WEFT_SLOT_CROSS_ENTROPY_LOSS_LABEL_SMOOTHING) != 0) {
    WEFT_TRY(weft__compose_text(
        c, weft__composed(c, "weight") ? "each = Mul(log_prob, weight)" : "each = Identity(log_prob)"));
    WEFT_TRY(weft__compose_text(c,
                                "smooth = SelectV2(keep, Neg(ReduceMean(each, [-1])), 0); "
                                "v = Add(Mul(v, Sub(1, label_smoothing)), Mul(smooth, label_smoothing))"));
  }
  return weft__compose_text(c, !strcmp(how, "mean")  ? "loss = RealDiv(ReduceSum(v, all(v)), total)"
                               : !strcmp(how, "sum") ? "loss = ReduceSum(v, all(v))"
                                                     : "loss = Identity(v)");
}
static weft_status cross_entropy_loss_grad_build(weft__composing *c) {
  const weft_op_desc *n = c->desc;
  const char *how = weft_node_str(n, WEFT_SLOT_CROSS_ENTROPY_LOSS_GRAD_REDUCTION);
  if (weft_node_float(n, WEFT_SLOT_CROSS_ENTROPY_LOSS_GRAD_LSE_SQUARE_SCALE_FOR_ZLOSS) != 0 ||
      weft_node_float(n, WEFT_SLOT_CROSS_ENTROPY_LOSS_GRAD_LABEL_SMOOTHING) != 0)
    return front_fail(c->o, WEFT_E_UNSUPPORTED, "label smoothing and the z loss have no gradient here");
  WEFT_TRY(class_weights(c, "log_prob", weft_node_int(n, WEFT_SLOT_CROSS_ENTROPY_LOSS_GRAD_IGNORE_INDEX)));
  WEFT_TRY(weft__compose_text(c, "g = Mul(w, grad_loss)"));
  if (!strcmp(how, "mean"))
    WEFT_TRY(weft__compose_text(c, "g = RealDiv(g, ReduceSum(w, all(w)))"));
  return weft__compose_text(c, "x_grad = Mul(Sub(Exp(log_prob), hot), Unsqueeze(g, axes=[-1]))");
}

#define SMOOTH                                         \
  "d = Abs(Sub(predict, label)); s2 = Mul(sigma, 1); " \
  "v = SelectV2(Less(d, sigma), RealDiv(Mul(Mul(d, d), 0.5), sigma), Sub(d, Mul(0.5, sigma)))"
#define SMOOTH_GRAD "d = Sub(predict, label); g = SelectV2(Less(Abs(d), sigma), RealDiv(d, sigma), Sign(d))"

// clang-format off
WEFT_ROWS(losses) = {
  W("MseLoss", "squares of differences", "y = reduced(Square(Sub(predict, label)))",
       "f32[2]{1,3}, f32[2]{0,0} -> f32[]{5}", "f32[2]{1,3}, f32[2]{0,0} reduction=\"none\" -> f32[2]{1,9}"),
  W("MseLossGrad", "the gradient of squares of differences",
       "y = unreduced(Mul(Mul(Sub(predict, label), 2), dout))",
       "f32[2]{1,3}, f32[2]{0,0}, f32[2]{1,1} reduction=\"sum\" -> f32[2]{2,6}"),
  W("L1LossGrad", "the gradient of absolute differences",
       "y = unreduced(Mul(Sign(Sub(predict, label)), grads))",
       "f32[]{2}, f32[2]{1,-3}, f32[2]{0,0} reduction=\"sum\" -> f32[2]{2,-2}"),
  COMPOSED_WIDE_BY("LpLoss", "powers of absolute differences", lp_loss_build,
       "f32[2]{1,-3}, f32[2]{0,0} p=1 reduction=\"sum\" -> f32[]{4}"),
  W("SmoothL1Loss", "squares near 0, absolute differences elsewhere", SMOOTH "; loss = Identity(v)",
       "f32[2]{0.5,3}, f32[2]{0,0} -> f32[2]{0.125,2.5}"),
  W("SmoothL1LossV2", "squares near 0, absolute differences elsewhere", SMOOTH "; loss = reduced(v)",
       "f32[2]{0.5,3}, f32[2]{0,0} reduction=\"sum\" -> f32[]{2.625}"),
  W("SmoothL1LossGrad", "the gradient of SmoothL1Loss", SMOOTH_GRAD "; gradient = Mul(g, dout)",
       "f32[2]{0.5,3}, f32[2]{0,0}, f32[2]{1,1} -> f32[2]{0.5,1}"),
  W("SmoothL1LossGradV2", "the gradient of SmoothL1LossV2",
       SMOOTH_GRAD "; gradient = unreduced(Mul(g, dout))",
       "f32[2]{0.5,3}, f32[2]{0,0}, f32[2]{1,1} reduction=\"sum\" -> f32[2]{0.5,1}"),
  W("SoftMarginLoss", "ln(1 + e^(-y x))", "output_z = reduced(Log1p(Exp(Neg(Mul(input_x, input_y)))))",
       "f32[1]{0}, f32[1]{1} -> f32[]{0.693147} ~1e-6"),
  W("SoftMarginLossGrad", "the gradient of SoftMarginLoss",
       "z = Exp(Neg(Mul(label, predict))); gradient = unreduced(Mul(RealDiv(Neg(Mul(label, z)), Add(z, 1)), "
       "dout))",
    "f32[1]{0}, f32[1]{1}, f32[1]{1} -> f32[1]{-0.5}"),
  W("SigmoidCrossEntropyWithLogits", "cross entropy of sigmoids", LOGITS "; loss = Identity(v)",
       "f32[1]{0}, f32[1]{1} -> f32[1]{0.693147} ~1e-6"),
  W("SigmoidCrossEntropyWithLogitsGrad", "its gradient",
       "gradient = Mul(Sub(Sigmoid(predict), target), dout)",
       "f32[1]{0}, f32[1]{1}, f32[1]{1} -> f32[1]{-0.5}"),
  COMPOSED_WIDE_BY("SigmoidCrossEntropyWithLogitsV2", "cross entropy of sigmoids",
       sigmoid_cross_entropy_v2_build, "f32[1]{0}, f32[1]{1} -> f32[]{0.693147} ~1e-6"),
  COMPOSED_WIDE_BY("SigmoidCrossEntropyWithLogitsGradV2", "its gradient", sigmoid_cross_entropy_grad_v2_build,
       "f32[1]{0}, f32[1]{1}, f32[1]{1} -> f32[1]{-0.5}"),
  COMPOSED_WIDE_BY("BinaryCrossEntropy", "cross entropy of probabilities", binary_cross_entropy_build,
       "f32[1]{0.5}, f32[1]{1} -> f32[]{0.693147} ~1e-6"),
  COMPOSED_WIDE_BY("BinaryCrossEntropyGrad", "its gradient", binary_cross_entropy_grad_build,
       "f32[1]{0.5}, f32[1]{1}, f32[1]{1} -> f32[1]{-2}"),
  COMPOSED_WIDE_BY("SigmoidFocalLoss", "cross entropy of sigmoids, less of what is nearly right",
       sigmoid_focal_loss_build, "f32[1,1]{0}, i32[1,1]{1} -> f32[]{0.0433217} ~1e-6"),
  COMPOSED_WIDE_BY("SigmoidFocalLossGrad", "the gradient of SigmoidFocalLoss", sigmoid_focal_loss_grad_build,
       "f32[1,1]{0}, i32[1,1]{1}, f32[1,1]{1} -> f32[1,1]{-0.0745717} ~1e-5"),
  COMPOSED_WIDE_BY("KLDivV2", "target (ln target - x), or with logarithms for target", kl_div_v2_build,
       "f32[1]{0}, f32[1]{1} reduction=\"sum\" -> f32[]{0}",
       "f32[1]{1}, f32[1]{0} log_target=true -> f32[]{-1}"),
  COMPOSED_WIDE_BY("KlDivLossGrad", "the gradient of KLDivV2", kl_div_loss_grad_build,
       "f32[]{2}, f32[2]{0,0}, f32[2]{1,0} reduction=\"sum\" -> f32[2]{-2,0}"),
  COMPOSED_BY("CosineEmbeddingLoss", "how little rows point the same way, or how much",
       cosine_embedding_loss_build,
       "f32[2,2]{1,0,1,0}, f32[2,2]{0,1,1,0}, f32[2]{1,-1} reduction=\"none\" -> f32[2]{1,1}",
       "i32[N,3], i32[N,3], i32[N] -> f32[]"),
  W("CosineSimilarity", "cosines of the angles between lines along dim",
       "a = Maximum(Sqrt(ReduceSum(Square(input_x1), list(dim))), eps); b = "
       "Maximum(Sqrt(ReduceSum(Square(input_x2), list(dim))), eps); "
    "output_y = RealDiv(ReduceSum(Mul(input_x1, input_x2), list(dim)), Mul(a, b))",
    "f32[1,2]{3,4}, f32[1,2]{3,4} -> f32[1]{1}"),
  COMPOSED_WIDE_BY("SparseSoftmaxCrossEntropyWithLogits",
       "cross entropy of softmax with classes, and its gradient", sparse_softmax_cross_entropy_build,
       "f32[1,2]{0,0}, i32[1]{1} -> f32[1]{0.693147}, f32[1,2]{0.5,-0.5} ~1e-6",
       "f32[1,2]{-inf,0}, i32[1]{1} -> f32[1]{0}, f32[1,2]{0,0} ~1e-6",
       "f32[1,2]{0,0}, i32[1]{-1} -> _, _ !! E_RANGE element 0 is -1",
       "f16[N,4], i64[N] -> f16[N], f16[N,4]"),
  W("KLDiv", "target (ln target - x)",
       "t = SelectV2(Greater(target, 0), Mul(target, Sub(Log(target), x)), Mul(ZerosLike(x), target)); y = "
       "reduced(t)", "f32[1]{0}, f32[1]{1} reduction=\"sum\" -> f32[]{0}"),
  COMPOSED_WIDE_BY("PoissonNllLoss", "e^x - target x", poisson_nll_loss_build,
       "f32[1]{0}, f32[1]{1} -> f32[]{1}"),
  COMPOSED_WIDE_BY("NLLLoss", "minus x at the target classes", nll_loss_build,
       "f32[2,2]{1,2,3,4}, i32[2]{0,1}, f32[2]{1,1} -> f32[]{-2.5}, f32[]{2}",
       "f32[3,2]{1,-inf,inf,4,-inf,0}, i32[3]{0,1,-100}, f32[2]{1,1} -> f32[]{-2.5}, f32[]{2}",
       "f32[1,2]{1,2}, i32[1]{2}, f32[2]{1,1} -> _, _ !! E_RANGE element 0 is 2"),
  COMPOSED_WIDE_BY("NLLLossGrad", "the gradient of NLLLoss", nll_loss_grad_build,
       "f32[1,2], f32[]{1}, i32[1]{1}, f32[2]{1,1}, f32[]{1} -> f32[1,2]",
       "f32[1,2]{1,2}, f32[]{1}, i32[1]{2}, f32[2]{1,1}, f32[]{1} -> _ !! E_RANGE element 0 is 2"),
  COMPOSED_WIDE_BY("CrossEntropyLoss", "minus the log of softmax at the target classes",
       cross_entropy_loss_build,
                   "f32[1,2]{0,0}, i64[1]{1} -> f32[]{0.693147}, f32[1,2]{-0.693147,-0.693147}, f32[]{0}, "
                   "f32[1]{0} ~1e-6",
       "f32[1,2]{0,-inf}, i64[1]{0} -> f32[]{0}, f32[1,2]{0,-inf}, f32[]{0}, f32[1]{0} ~1e-6",
       "f32[2,2]{-inf,nan,0,0}, i64[2]{-100,1} label_smoothing=0.5 -> f32[]{0.693147}, "
                   "f32[2,2]{nan,nan,-0.693147,-0.693147}, f32[]{0}, f32[2]{0,0} ~1e-6",
       "f32[1,2]{0,0}, i64[1]{2} -> _, _, _, _ !! E_RANGE element 0 is 2"),
  COMPOSED_WIDE_BY("CrossEntropyLossGrad", "the gradient of CrossEntropyLoss", cross_entropy_loss_grad_build,
       "f32[]{1}, f32[1,2]{-0.693147,-0.693147}, i64[1]{1} -> f32[1,2]{0.5,-0.5} ~1e-5"),
  W("SoftmaxCrossEntropyWithLogits", "cross entropy of softmax with given distributions, and its gradient",
    "p = LogSoftmaxV2(features, axes=[-1]); loss = Neg(ReduceSum(Mul(labels, p), [-1])); backprop = "
    "Sub(Exp(p), labels)", "f32[1,2]{0,0}, f32[1,2]{0,1} -> f32[1]{0.693147}, f32[1,2]{0.5,-0.5} ~1e-6"),
  {0},
};
// SPDX-License-Identifier: Apache-2.0
