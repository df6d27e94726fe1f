// compositions/optimisers.c - steps of training. One text an algorithm serves all of its forms: ApplyX gives
// var, and what else it updates stays in the inputs (weft_run_op); ApplyXD and InplaceApplyX give all of it;
// SparseApplyX works on the rows that indices name; of a row that is named twice the last step counts, which
// AscendIR leaves open. The formulas are TensorFlow's. Halves are computed in
// f32.
#include "compose/compose.h"
#include "op/named.h"

// ---- forms ----
// Is `name` given anew by the text?
static bool optimiser_updates(const char *text, const char *name) {
  size_t n = strlen(name);
  for (const char *at = text; (at = strstr(at, name)); at += n) {
    bool begins = at == text || at[-1] == ' ';
    if (begins && (at == text || at[-2] == ';') && !strncmp(at + n, " = ", 3))
      return true;
  }
  return false;
}

static const char *optimiser_port(const weft__composing *c, uint32_t i) {
  return ((const weft_port *)((const char *)c->desc->op->in + (size_t)i * c->desc->op->port_bytes))->name;
}

// The rows that indices name take the place of each slot, and go back to their places afterwards.
static weft_status sparse_step(weft__composing *c, const char *text) {
  char line[160];
  for (uint32_t i = 0; i < c->desc->n_in_ports; i++) {
    const char *slot = optimiser_port(c, i);
    if (!optimiser_updates(text, slot))
      continue;
    snprintf(line, sizeof line, "%s_before = Identity(%s); %s = GatherV2(%s, indices, [0])", slot, slot, slot,
             slot);
    WEFT_TRY(weft__compose_text(c, line));
  }
  WEFT_TRY(weft__compose_text(c, text));
  for (uint32_t i = 0; i < c->desc->n_in_ports; i++) {
    const char *slot = optimiser_port(c, i);
    if (!optimiser_updates(text, slot))
      continue;
    snprintf(line, sizeof line, "%s = TensorScatterUpdate(%s_before, Unsqueeze(indices, axes=[-1]), %s)",
             slot, slot, slot);
    WEFT_TRY(weft__compose_text(c, line));
  }
  return WEFT_OK;
}

// ---- what goes together ----
// Dims from `from` on of input `name` are those of var.
static weft_status optimiser_like_var(weft__composing *c, const char *name, int from) {
  const weft_value *var = weft__composed(c, "var");
  const weft_value *v = weft__composed(c, name);
  const int rank = front_rank(var);
  if (rank < 0 || front_rank(v) < 0)
    return WEFT_OK;
  bool same = front_rank(v) == rank;
  for (int k = from; same && k < rank; k++)
    same = front_dim(v, k) == front_dim(var, k) || front_dim(v, k) < 0 || front_dim(var, k) < 0;
  return same ? WEFT_OK
              : front_fail(c->o, WEFT_E_SHAPE, "input '%s' has another shape than input 'var'", name);
}
static weft_status optimiser_number(weft__composing *c, const char *name) {
  const weft_value *v = weft__composed(c, name);
  for (int k = 0; k < front_rank(v); k++) {
    if (front_dim(v, k) >= 0 && front_dim(v, k) != 1)
      return front_fail(c->o, WEFT_E_SHAPE, "input '%s': expected one number, axis %d has %lld", name, k,
                        (long long)front_dim(v, k));
  }
  return WEFT_OK;
}
static weft_status optimiser_rows(weft__composing *c) {
  const weft_value *grad = weft__composed(c, "grad");
  const weft_value *indices = weft__composed(c, "indices");
  const weft_dim n = front_rank(indices) == 1 ? front_dim(indices, 0) : -1;
  WEFT_TRY(optimiser_like_var(c, "grad", 1));
  if (front_rank(indices) >= 0 && front_rank(indices) != 1)
    return front_fail(c->o, WEFT_E_SHAPE, "input 'indices': rank %d, expected 1", front_rank(indices));
  if (n >= 0 && front_rank(grad) > 0 && front_dim(grad, 0) >= 0 && front_dim(grad, 0) != n)
    return front_fail(c->o, WEFT_E_SHAPE, "input 'grad' has %lld rows, input 'indices' %lld elements",
                      (long long)front_dim(grad, 0), (long long)n);
  return WEFT_OK;
}
// Slots and gradients are as large as var; all else are numbers. Broadcasting would hide a mistake.
static weft_status optimiser_shapes(weft__composing *c) {
  static const char *const tensors[] = {"var",
                                        "accum",
                                        "accum_update",
                                        "m",
                                        "v",
                                        "vhat",
                                        "ms",
                                        "mom",
                                        "mg",
                                        "linear",
                                        "grad",
                                        "delta",
                                        "max_grad_norm",
                                        "gradient_accumulator",
                                        "gradient_squared_accumulator"};
  for (uint32_t i = 0; i < c->desc->n_in_ports; i++) {
    const char *name = optimiser_port(c, i);
    bool tensor = false;
    for (size_t k = 0; k < WEFT_COUNT(tensors); k++)
      tensor |= !strcmp(name, tensors[k]);
    if (!weft__composed(c, name) || !strcmp(name, "indices"))
      continue;
    if (!strcmp(name, "grad") && weft__composed(c, "indices"))
      WEFT_TRY(optimiser_rows(c));
    else
      WEFT_TRY(tensor ? optimiser_like_var(c, name, 0) : optimiser_number(c, name));
  }
  return WEFT_OK;
}

static weft_status optimiser_step(weft__composing *c, const char *text) {
  WEFT_TRY(optimiser_shapes(c));
  return weft__composed(c, "indices") ? sparse_step(c, text) : weft__compose_text(c, text);
}

// ---- algorithms ----
#define MOMENTS \
  "m = Add(m, Mul(Sub(grad, m), Sub(1, beta1))); v = Add(v, Mul(Sub(Square(grad), v), Sub(1, beta2)))"
#define ADAM_RATE "RealDiv(Mul(lr, Sqrt(Sub(1, beta2_power))), Sub(1, beta1_power))"
static weft_status adam_build(weft__composing *c) {
  return optimiser_step(
      c, weft__flag_named(c->desc, "use_nesterov") ? MOMENTS
             "; t = Add(Mul(grad, Sub(1, beta1)), Mul(beta1, m)); var = Sub(var, RealDiv(Mul(" ADAM_RATE
             ", t), Add(Sqrt(v), epsilon)))"
                                                   : MOMENTS "; var = Sub(var, RealDiv(Mul(" ADAM_RATE
                                                             ", m), Add(Sqrt(v), epsilon)))");
}
static weft_status amsgrad_build(weft__composing *c) {
  return optimiser_step(c, MOMENTS "; vhat = Maximum(vhat, v); var = Sub(var, RealDiv(Mul(" ADAM_RATE
                                   ", m), Add(Sqrt(vhat), epsilon)))");
}
static weft_status adam_w_build(weft__composing *c) {
  if (weft__flag_named(c->desc, "amsgrad") && !weft__composed(c, "max_grad_norm"))
    return front_fail(c->o, WEFT_E_MISSING, "attribute 'amsgrad' needs input 'max_grad_norm'");
  WEFT_TRY(optimiser_shapes(c));
  if (weft__flag_named(c->desc, "maximize"))
    WEFT_TRY(weft__compose_text(c, "grad = Neg(grad)"));
  WEFT_TRY(weft__compose_text(c, MOMENTS "; d = Sqrt(v)"));
  if (weft__flag_named(c->desc, "amsgrad"))
    WEFT_TRY(weft__compose_text(c, "d = Sqrt(Maximum(max_grad_norm, v))"));
  return weft__compose_text(c,
                            "d = Add(RealDiv(d, Sqrt(Sub(1, beta2_power))), epsilon); "
                            "var = Sub(Mul(var, Sub(1, Mul(lr, weight_decay))), Mul(RealDiv(lr, Sub(1, "
                            "beta1_power)), RealDiv(m, d)))");
}
static weft_status adamax_build(weft__composing *c) {
  return optimiser_step(
      c,
      "m = Add(m, Mul(Sub(grad, m), Sub(1, beta1))); v = Maximum(Mul(beta2, v), Abs(grad)); "
      "var = Sub(var, Mul(RealDiv(lr, Sub(1, beta1_power)), RealDiv(m, Add(v, epsilon))))");
}
static weft_status adadelta_build(weft__composing *c) {
  return optimiser_step(
      c,
      "accum = Add(Mul(accum, rho), Mul(Square(grad), Sub(1, rho))); u = Mul(Mul(Sqrt(Add(accum_update, "
      "epsilon)), Rsqrt(Add(accum, epsilon))), grad); "
      "accum_update = Add(Mul(accum_update, rho), Mul(Square(u), Sub(1, rho))); var = Sub(var, Mul(u, lr))");
}
static weft_status adagrad_build(weft__composing *c) {
  return optimiser_step(
      c, weft__flag_named(c->desc, "update_slots")
             ? "accum = Add(accum, Square(grad)); var = Sub(var, Mul(Mul(grad, lr), Rsqrt(accum)))"
             : "accum = Identity(accum); var = Sub(var, Mul(Mul(grad, lr), Rsqrt(accum)))");
}
static weft_status adagrad_v2_build(weft__composing *c) {
  return optimiser_step(
      c, weft__flag_named(c->desc, "update_slots")
             ? "accum = Add(accum, Square(grad)); var = Sub(var, RealDiv(Mul(grad, lr), Add(Sqrt(accum), "
               "epsilon)))"
             : "accum = Identity(accum); var = Sub(var, RealDiv(Mul(grad, lr), Add(Sqrt(accum), epsilon)))");
}
static weft_status adagrad_da_build(weft__composing *c) {
  return optimiser_step(
      c,
      "gradient_accumulator = Add(gradient_accumulator, grad); gradient_squared_accumulator = "
      "Add(gradient_squared_accumulator, Square(grad)); "
      "s = as(var, global_step); t = Mul(Sign(gradient_accumulator), Maximum(Sub(Abs(gradient_accumulator), "
      "Mul(l1, s)), 0)); "
      "t = SelectV2(Greater(l1, 0), t, gradient_accumulator); "
      "var = RealDiv(Neg(Mul(lr, t)), Add(Mul(Mul(l2, s), lr), Sqrt(gradient_squared_accumulator)))");
}
static weft_status add_sign_build(weft__composing *c) {
  return optimiser_step(
      c,
      "m = Add(Mul(m, beta), Mul(grad, Sub(1, beta))); "
      "var = Sub(var, Mul(Mul(lr, Add(alpha, Mul(sign_decay, Mul(Sign(grad), Sign(m))))), grad))");
}
static weft_status power_sign_build(weft__composing *c) {
  return optimiser_step(
      c,
      "m = Add(Mul(m, beta), Mul(grad, Sub(1, beta))); "
      "var = Sub(var, Mul(Mul(lr, Exp(Mul(Mul(logbase, sign_decay), Mul(Sign(grad), Sign(m))))), grad))");
}
#define SQUARES "ms = Add(ms, Mul(Sub(Square(grad), ms), Sub(1, rho)))"
static weft_status rms_prop_build(weft__composing *c) {
  return optimiser_step(
      c, SQUARES
      "; mom = Add(Mul(mom, momentum), Mul(Mul(lr, grad), Rsqrt(Add(ms, epsilon)))); var = Sub(var, mom)");
}
static weft_status centered_rms_prop_build(weft__composing *c) {
  return optimiser_step(c, SQUARES
                        "; mg = Add(mg, Mul(Sub(grad, mg), Sub(1, rho))); "
                        "mom = Add(Mul(mom, momentum), Mul(Mul(lr, grad), Rsqrt(Add(Sub(ms, Square(mg)), "
                        "epsilon)))); var = Sub(var, mom)");
}
#define FTRL(g)                                                                               \
  "p = Neg(lr_power); a = Add(accum, Square(grad)); linear = Sub(Add(linear, " g              \
  "), Mul(RealDiv(Sub(Pow(a, p), Pow(accum, p)), lr), var)); "                                \
  "accum = Identity(a); q = Add(RealDiv(Pow(a, p), lr), Mul(l2, 2)); "                        \
  "var = SelectV2(Greater(Abs(linear), l1), RealDiv(Sub(Mul(Sign(linear), l1), linear), q), " \
  "Mul(ZerosLike(var), q))"
static weft_status ftrl_build(weft__composing *c) {
  return optimiser_step(c, FTRL("grad"));
}
static weft_status ftrl_v2_build(weft__composing *c) {
  return optimiser_step(c, FTRL("Add(grad, Mul(Mul(l2_shrinkage, 2), var))"));
}
static weft_status gradient_descent_build(weft__composing *c) {
  return optimiser_step(c, "var = Sub(var, Mul(alpha, delta))");
}
static weft_status momentum_build(weft__composing *c) {
  return optimiser_step(c, weft__flag_named(c->desc, "use_nesterov")
                               ? "accum = Add(Mul(accum, momentum), grad); var = Sub(var, Mul(Add(grad, "
                                 "Mul(accum, momentum)), lr))"
                               : "accum = Add(Mul(accum, momentum), grad); var = Sub(var, Mul(accum, lr))");
}
static weft_status keras_momentum_build(weft__composing *c) {
  return optimiser_step(c, weft__flag_named(c->desc, "use_nesterov")
                               ? "accum = Sub(Mul(accum, momentum), Mul(grad, lr)); var = Add(var, "
                                 "Sub(Mul(accum, momentum), Mul(grad, lr)))"
                               : "accum = Sub(Mul(accum, momentum), Mul(grad, lr)); var = Add(var, accum)");
}
#define PROXIMAL(rate, g)             \
  "r = " rate "; p = Sub(var, Mul(" g \
  ", r)); "                           \
  "var = RealDiv(Mul(Sign(p), Maximum(Sub(Abs(p), Mul(r, Maximum(l1, 0))), 0)), Add(Mul(l2, r), 1))"
static weft_status proximal_adagrad_build(weft__composing *c) {
  return optimiser_step(c, "accum = Add(accum, Square(grad)); " PROXIMAL("Mul(lr, Rsqrt(accum))", "grad"));
}
static weft_status proximal_descent_build(weft__composing *c) {
  return optimiser_step(c, PROXIMAL("Mul(alpha, 1)", "delta"));
}

#define V "f32[2]"
#define S "f32[]"
#define STEP(name, of, ...)                     \
  COMPOSED_AS(name, "a step of training: " #of, \
              (&(const weft__composition){.build = of##_build, .wide = true, .updates = true}), __VA_ARGS__)

WEFT_ROWS(optimisers) = {
    STEP("ApplyGradientDescent", gradient_descent, "f32[2]{1,2}, f32[]{0.5}, f32[2]{2,4} -> f32[2]{0,0}"),
    STEP("ApplyProximalGradientDescent", proximal_descent,
         "f32[2]{1,2}, f32[]{0.5}, f32[]{0}, f32[]{0}, f32[2]{2,4} -> f32[2]{0,0}"),
    STEP("ApplyAdam", adam, V ", " V ", " V ", " S ", " S ", " S ", " S ", " S ", " S ", " V " -> " V),
    STEP("ApplyAdamD", adam,
         V ", " V ", " V ", " S ", " S ", " S ", " S ", " S ", " S ", " V " -> " V ", " V ", " V),
    STEP("ApplyAdamW", adam_w,
         V ", " V ", " V ", " S ", " S ", " S ", " S ", " S ", " S ", " S ", " V " -> " V ", " V ", " V),
    STEP("ApplyAdamWithAmsgrad", amsgrad,
         V ", " V ", " V ", " V ", " S ", " S ", " S ", " S ", " S ", " S ", " V " -> " V),
    STEP("ApplyAdamWithAmsgradD", amsgrad,
         V ", " V ", " V ", " V ", " S ", " S ", " S ", " V " beta1=0.9 beta2=0.99 epsilon=0.1 -> " V ", " V
           ", " V ", " V),
    STEP("ApplyAdamWithAmsgradV2", amsgrad,
         V ", " V ", " V ", " V ", " S ", " S ", " S ", " S ", " S ", " S ", " V " -> " V ", " V ", " V
           ", " V),
    STEP("ApplyAdaMax", adamax, V ", " V ", " V ", " S ", " S ", " S ", " S ", " S ", " V " -> " V),
    STEP("ApplyAdaMaxD", adamax,
         V ", " V ", " V ", " S ", " S ", " S ", " S ", " S ", " V " -> " V ", " V ", " V),
    STEP("ApplyAdadelta", adadelta, V ", " V ", " V ", " S ", " S ", " S ", " V " -> " V),
    STEP("ApplyAdadeltaD", adadelta, V ", " V ", " V ", " S ", " S ", " S ", " V " -> " V ", " V ", " V),
    STEP("InplaceApplyAdadelta", adadelta,
         V ", " V ", " V ", " S ", " S ", " S ", " V " -> " V ", " V ", " V),
    STEP("SparseApplyAdadelta", adadelta,
         "f32[3,2], f32[3,2], f32[3,2], f32[], f32[], f32[], f32[1,2], i32[1] -> f32[3,2], f32[3,2], "
         "f32[3,2]"),
    STEP("SparseApplyAdadeltaD", adadelta,
         "f32[3,2], f32[3,2], f32[3,2], f32[], f32[], f32[1,2], i32[1] epsilon=0.1 -> f32[3,2], f32[3,2], "
         "f32[3,2]"),
    STEP("ApplyAdagrad", adagrad, V ", " V ", " S ", " V " -> " V),
    STEP("ApplyAdagradD", adagrad, "f32[1]{1}, f32[1]{3}, f32[]{1}, f32[1]{1} -> f32[1]{0.5}, f32[1]{4}"),
    STEP("SparseApplyAdagrad", adagrad,
         "f32[2,1]{1,1}, f32[2,1]{3,3}, f32[]{1}, f32[1,1]{1}, i32[1]{1} -> f32[2,1]{1,0.5}, f32[2,1]{3,4}",
         "f32[2,1]{1,1}, f32[2,1]{3,3}, f32[]{1}, f32[2,1]{0,1}, i32[2]{1,1} -> f32[2,1]{1,0.5}, "
         "f32[2,1]{3,4}",
         "f32[2,1], f32[2,1], f32[], f32[2,1], i32[1] -> _, _ !! E_SHAPE 'grad' has 2 rows"),
    STEP("SparseApplyAdagradD", adagrad,
         "f32[2,1]{1,1}, f32[2,1]{3,3}, f32[1,1]{1}, i32[1]{1} lr=1 -> f32[2,1]{1,0.5}, f32[2,1]{3,4}"),
    STEP("ApplyAdagradV2", adagrad_v2, V ", " V ", " S ", " S ", " V " -> " V),
    STEP("ApplyAdagradV2D", adagrad_v2,
         "f32[1]{1}, f32[1]{3}, f32[]{1}, f32[1]{1} epsilon=0 -> f32[1]{0.5}, f32[1]{4}"),
    STEP("InplaceApplyAdagradV2", adagrad_v2,
         "f32[1]{1}, f32[1]{3}, f32[]{1}, f32[1]{1} epsilon=0 -> f32[1]{0.5}, f32[1]{4}"),
    STEP("SparseApplyAdagradV2", adagrad_v2,
         "f32[2,1]{1,1}, f32[2,1]{3,3}, f32[]{1}, f32[]{0}, f32[1,1]{1}, i32[1]{1} -> f32[2,1]{1,0.5}, "
         "f32[2,1]{3,4}"),
    STEP("SparseApplyAdagradV2D", adagrad_v2,
         "f32[2,1]{1,1}, f32[2,1]{3,3}, f32[1,1]{1}, i32[1]{1} lr=1 epsilon=0 -> f32[2,1]{1,0.5}, "
         "f32[2,1]{3,4}"),
    STEP("ApplyAdagradDA", adagrad_da, V ", " V ", " V ", " V ", " S ", " S ", " S ", i64[] -> " V),
    STEP("ApplyAdagradDAD", adagrad_da,
         V ", " V ", " V ", " V ", " S ", " S ", " S ", i64[] -> " V ", " V ", " V),
    STEP("InplaceApplyAdagradDA", adagrad_da,
         V ", " V ", " V ", " V ", " S ", " S ", " S ", i64[] -> " V ", " V ", " V),
    STEP("ApplyAddSign", add_sign, V ", " V ", " S ", " S ", " S ", " S ", " V " -> " V),
    STEP("ApplyAddSignD", add_sign, V ", " V ", " S ", " S ", " S ", " S ", " V " -> " V ", " V),
    STEP("ApplyPowerSign", power_sign, V ", " V ", " S ", " S ", " S ", " S ", " V " -> " V),
    STEP("ApplyPowerSignD", power_sign, V ", " V ", " S ", " S ", " S ", " S ", " V " -> " V ", " V),
    STEP("InplaceApplyPowerSign", power_sign, V ", " V ", " S ", " S ", " S ", " S ", " V " -> " V ", " V),
    STEP("ApplyRMSProp", rms_prop, V ", " V ", " V ", " S ", " S ", " S ", " S ", " V " -> " V),
    STEP("ApplyRMSPropD", rms_prop,
         V ", " V ", " V ", " S ", " V " rho=0.9 momentum=0.1 epsilon=0.1 -> " V ", " V ", " V),
    STEP("SparseApplyRMSProp", rms_prop,
         "f32[3,2], f32[3,2], f32[3,2], f32[], f32[], f32[], f32[], f32[1,2], i32[1] -> f32[3,2], f32[3,2], "
         "f32[3,2]"),
    STEP("SparseApplyRMSPropD", rms_prop,
         "f32[3,2], f32[3,2], f32[3,2], f32[], f32[1,2], i32[1] rho=0.9 momentum=0.1 epsilon=0.1 -> "
         "f32[3,2], f32[3,2], f32[3,2]"),
    STEP("ApplyCenteredRMSProp", centered_rms_prop,
         V ", " V ", " V ", " V ", " S ", " S ", " S ", " S ", " V " -> " V),
    STEP("ApplyCenteredRMSPropD", centered_rms_prop,
         V ", " V ", " V ", " V ", " S ", " S ", " S ", " S ", " V " -> " V ", " V ", " V ", " V),
    STEP("InplaceApplyCenteredRMSProp", centered_rms_prop,
         V ", " V ", " V ", " V ", " S ", " S ", " S ", " S ", " V " -> " V ", " V ", " V ", " V),
    STEP("ApplyFtrl", ftrl, V ", " V ", " V ", " V ", " S ", " S ", " S ", " S " -> " V),
    STEP("ApplyFtrlD", ftrl, V ", " V ", " V ", " V ", " S ", " S ", " S ", " S " -> " V ", " V ", " V),
    STEP("SparseApplyFtrl", ftrl,
         "f32[3,2], f32[3,2], f32[3,2], f32[1,2], i32[1], f32[], f32[], f32[], f32[] -> f32[3,2], f32[3,2], "
         "f32[3,2]"),
    STEP("SparseApplyFtrlD", ftrl,
         "f32[3,2], f32[3,2], f32[3,2], f32[1,2], i32[1] lr=0.1 l1=0.1 l2=0.1 lr_power=-0.5 -> f32[3,2], "
         "f32[3,2], f32[3,2]"),
    STEP("ApplyFtrlV2", ftrl_v2, V ", " V ", " V ", " V ", " S ", " S ", " S ", " S ", " S " -> " V),
    STEP("ApplyFtrlV2D", ftrl_v2,
         V ", " V ", " V ", " V ", " S ", " S ", " S ", " S ", " S " -> " V ", " V ", " V),
    STEP("SparseApplyFtrlV2", ftrl_v2,
         "f32[3,2], f32[3,2], f32[3,2], f32[1,2], i32[1], f32[], f32[], f32[], f32[], f32[] -> f32[3,2], "
         "f32[3,2], f32[3,2]"),
    STEP("SparseApplyFtrlV2D", ftrl_v2,
         "f32[3,2], f32[3,2], f32[3,2], f32[1,2], i32[1] lr=0.1 l1=0.1 l2=0.1 l2_shrinkage=0.1 lr_power=-0.5 "
         "-> f32[3,2], f32[3,2], f32[3,2]"),
    STEP("ApplyMomentum", momentum, "f32[1]{4}, f32[1]{2}, f32[]{0.5}, f32[1]{1}, f32[]{0.5} -> f32[1]{3}",
         "f32[2], f32[2], f32[2], f32[2], f32[] -> f32[2] !! E_SHAPE input 'lr': expected one number",
         "f32[2], f32[2], f32[], f32[1], f32[] -> f32[2] !! E_SHAPE input 'grad' has another shape"),
    STEP("ApplyMomentumD", momentum,
         "f32[1]{4}, f32[1]{2}, f32[]{0.5}, f32[1]{1}, f32[]{0.5} -> f32[1]{3}, f32[1]{2}"),
    STEP("InplaceApplyMomentum", momentum,
         "f32[1]{4}, f32[1]{2}, f32[]{0.5}, f32[1]{1}, f32[]{0.5} -> f32[1]{3}, f32[1]{2}"),
    STEP("ApplyKerasMomentum", keras_momentum,
         "f32[1]{4}, f32[1]{2}, f32[]{0.5}, f32[1]{1}, f32[]{0.5} -> f32[1]{4.5}"),
    STEP("ApplyKerasMomentumD", keras_momentum,
         "f32[1]{4}, f32[1]{2}, f32[]{0.5}, f32[1]{1}, f32[]{0.5} -> f32[1]{4.5}, f32[1]{0.5}"),
    STEP("InplaceApplyKerasMomentum", keras_momentum,
         "f32[1]{4}, f32[1]{2}, f32[]{0.5}, f32[1]{1}, f32[]{0.5} -> f32[1]{4.5}, f32[1]{0.5}"),
    STEP("ApplyProximalAdagrad", proximal_adagrad, V ", " V ", " S ", " S ", " S ", " V " -> " V),
    STEP("ApplyProximalAdagradD", proximal_adagrad, V ", " V ", " S ", " S ", " S ", " V " -> " V ", " V),
    STEP("InplaceApplyProximalAdagrad", proximal_adagrad,
         V ", " V ", " S ", " S ", " S ", " V " -> " V ", " V),
    STEP("SparseApplyProximalAdagrad", proximal_adagrad,
         "f32[3,2], f32[3,2], f32[], f32[], f32[], f32[1,2], i32[1] -> f32[3,2], f32[3,2]"),
    STEP("SparseApplyProximalAdagradD", proximal_adagrad,
         "f32[3,2], f32[3,2], f32[], f32[], f32[], f32[1,2], i32[1] -> f32[3,2], f32[3,2]"),
    {0},
};
// SPDX-License-Identifier: Apache-2.0
