// compositions/elementwise_more.c - more functions of elements, halves of tensors gated by others, and
// gradients that are summed over what was broadcast.
#include "compose/compose.h"

#include "air_slots.h"

#define W             COMPOSED_WIDE
#define BY            COMPOSED_WIDE_BY
#define PICK(c, a, b) "SelectV2(" c ", " a ", " b ")"

// Where both are equal each has half of the gradient.
#define LARGER_GRAD(better)                          \
  "w1 = Add(as(grads, " better                       \
  "(x1, x2)), Mul(as(grads, Equal(x1, x2)), 0.5)); " \
  "y1 = onto(Mul(grads, w1), x1); y2 = onto(Mul(grads, Sub(1, w1)), x2)"

// The slope of negative elements stands for each channel, or for all.
static weft_status p_relu_grad_build(weft__composing *c) {
  weft_value *x = weft__composed(c, "features");
  weft_value *w = weft__composed(c, "weights");
  int rank = front_rank_of(c->o, x);
  int of = front_rank_of(c->o, w);
  bool single = of <= 0 || (of == 1 && front_dim(w, 0) == 1);
  if (of == 1 && front_dim(w, 0) < 0)
    return front_fail(c->o, WEFT_E_UNKNOWN, "whether there is one slope is not known");
  if (!c->o->failed && !single && of == 1) {
    for (int i = 2; i < rank; i++)
      w = front_unsqueezed(c->o, w, front_rank(w));
  }
  weft__compose_name(c, "wide", w);
  return weft__compose_text(c,
                            "below = LessEqual(features, 0); dx = SelectV2(below, Mul(grads, wide), grads); "
                            "da = SelectV2(below, Mul(grads, features), ZerosLike(features)); da = "
                            "Reshape(onto(da, wide), Shape(weights))");
}

static weft_status bias_add_grad_build(weft__composing *c) {
  int64_t axes[WEFT_MAX_RANK];
  size_t n = 0;
  weft_value *x = weft__composed(c, "x");
  int rank = front_rank_of(c->o, x);
  const char *format = weft_node_str(c->desc, WEFT_SLOT_BIAS_ADD_GRAD_DATA_FORMAT);
  int kept = format[0] == 'N' && format[1] == 'C' ? 1 : rank - 1;
  if (c->o->failed)
    return c->o->failed;
  if (rank < 2)
    return front_fail(c->o, WEFT_E_SHAPE, "input 'x': rank %d, expected at least 2", rank);
  for (int i = 0; i < rank; i++) {
    if (i != kept)
      axes[n++] = i;
  }
  weft__compose_name(c, "y", front_reduced(c->o, "ReduceSum", x, axes, n, false));
  return c->o->failed;
}

static weft_status hard_max_build(weft__composing *c) {
  weft_value *x = weft__composed(c, "x");
  int64_t axis = front_axis(c->o, weft_node_int(c->desc, WEFT_SLOT_HARD_MAX_AXIS), front_rank_of(c->o, x));
  if (c->o->failed)
    return c->o->failed;
  weft__compose_name(c, "depth", front_dim_index(c->o, x, axis));
  return weft__compose_text(c, "y = OneHot(ArgMaxV2(x, int(axis), dtype=9), depth, 1, 0, axis=@axis)");
}

// (scale x + shift)^power
static weft_status power_build(weft__composing *c) {
  float power = weft_node_float(c->desc, WEFT_SLOT_POWER_POWER);
  WEFT_TRY(weft__compose_text(c, "y = Add(Mul(x, scale), shift)"));
  return power == 1 ? WEFT_OK : weft__compose_text(c, "y = Pow(y, power)");
}

static weft_status sxpy_build(weft__composing *c) {
  if (weft__composed(c, "alpha"))
    WEFT_TRY(weft__compose_text(c, "x1 = Mul(x1, as(x1, alpha))"));
  return weft__compose_text(c, "y = Add(x1, x2)");
}

static weft_status nan_to_num_build(weft__composing *c) {
  return weft__compose_text(
      c,
      "y = SelectV2(IsNan(x), nan, x); y = SelectV2(LogicalAnd(IsInf(x), Greater(x, 0)), posinf, y); "
      "y = SelectV2(LogicalAnd(IsInf(x), Less(x, 0)), neginf, y)");
}

// mode 0: products, 1: sums with coefficients, 2: the largest
static weft_status eltwise_build(weft__composing *c) {
  size_t n;
  weft_value *const *x = weft__composed_all(c, "x", &n);
  int64_t mode = weft_node_int(c->desc, WEFT_SLOT_ELTWISE_MODE);
  const weft_attr *by = weft_attr_at(c->desc, WEFT_SLOT_ELTWISE_COEFF, WEFT_VT_LIST_FLOAT);
  if (!n)
    return front_fail(c->o, WEFT_E_MISSING, "input 'x' has no tensor");
  if (mode < 0 || mode > 2)
    return front_fail(c->o, WEFT_E_INVALID, "attribute 'mode': expected 0, 1 or 2, got %lld",
                      (long long)mode);
  if (by && by->n && by->n != n)
    return front_fail(c->o, WEFT_E_INVALID, "attribute 'coeff' has %u numbers for %zu tensors",
                      (unsigned)by->n, n);
  weft_value *y = NULL;
  for (size_t i = 0; i < n; i++) {
    weft_value *v = x[i];
    if (mode == 1 && by && by->n)
      v = front_do(c->o, "Mul", v, front_num(c->o, v->fact.dtype, (double)by->u.floats[i]), NULL);
    y = !i ? v : front_do(c->o, mode == 0 ? "Mul" : mode == 1 ? "Add" : "Maximum", y, v, NULL);
  }
  weft__compose_name(c, "y", y);
  return c->o->failed;
}

static weft_status mul_addn_build(weft__composing *c) {
  size_t n;
  size_t m;
  weft_value *const *a = weft__composed_all(c, "x1", &n);
  weft_value *const *b = weft__composed_all(c, "x2", &m);
  if (!n || n != m)
    return front_fail(c->o, WEFT_E_INVALID, "inputs 'x1' and 'x2' have %zu and %zu tensors", n, m);
  weft_value *y = NULL;
  for (size_t i = 0; i < n; i++) {
    weft_value *v = front_do(c->o, "Mul", a[i], b[i], NULL);
    y = i ? front_do(c->o, "Add", y, v, NULL) : v;
  }
  weft__compose_name(c, "y", y);
  return c->o->failed;
}

// ---- gated halves ----
static weft_status ge_glu_v2_build(weft__composing *c) {
  bool left = weft_node_bool(c->desc, WEFT_SLOT_GE_GLU_V2_ACTIVATE_LEFT);
  bool tanh = weft_node_int(c->desc, WEFT_SLOT_GE_GLU_V2_APPROXIMATE) == 1;
  WEFT_TRY(weft__compose_text(c, left ? "g, v = SplitD(x, split_dim=@dim, num_split=2)"
                                      : "v, g = SplitD(x, split_dim=@dim, num_split=2)"));
  WEFT_TRY(weft__compose_text(
      c, tanh ? "gelu = Gelu(g, approximate='tanh')" : "gelu = Gelu(g, approximate='none')"));
  return weft__compose_text(c, "y = Mul(v, gelu)");
}
static weft_status ge_glu_grad_v2_build(weft__composing *c) {
  bool left = weft_node_bool(c->desc, WEFT_SLOT_GE_GLU_GRAD_V2_ACTIVATE_LEFT);
  bool tanh = weft_node_int(c->desc, WEFT_SLOT_GE_GLU_GRAD_V2_APPROXIMATE) == 1;
  WEFT_TRY(weft__compose_text(c, left ? "g, v = SplitD(x, split_dim=@dim, num_split=2)"
                                      : "v, g = SplitD(x, split_dim=@dim, num_split=2)"));
  WEFT_TRY(weft__compose_text(c, tanh ? "dg = GeluGradV2(Mul(dy, v), g, approximate='tanh')"
                                      : "dg = GeluGradV2(Mul(dy, v), g, approximate='none')"));
  return weft__compose_text(c, left ? "dx = ConcatV2({dg, Mul(dy, gelu)}, int(dim))"
                                    : "dx = ConcatV2({Mul(dy, gelu), dg}, int(dim))");
}
// Pairs lie beside each other, or in halves; the gate is cut from above, the other from both sides.
static weft_status clipped_swiglu_build(weft__composing *c) {
  const weft_op_desc *n = c->desc;
  int rank = front_rank_of(c->o, weft__composed(c, "x"));
  if (weft__composed(c, "group_index") || weft_node_int(n, WEFT_SLOT_CLIPPED_SWIGLU_CLAMP_MODE))
    return front_fail(c->o, WEFT_E_UNSUPPORTED,
                      "input 'group_index' and attribute 'clamp_mode' are not computed");
  int64_t dim = front_axis(c->o, weft_node_int(n, WEFT_SLOT_CLIPPED_SWIGLU_DIM), rank);
  if (c->o->failed)
    return c->o->failed;
  if (weft_node_bool(n, WEFT_SLOT_CLIPPED_SWIGLU_INTERLEAVED)) {
    weft_value *x = weft__composed(c, "x");
    weft_value *zero = front_list(c->o, &(int64_t){0}, 1);
    weft_value *one = front_list(c->o, &(int64_t){1}, 1);
    weft_value *two = front_list(c->o, &(int64_t){2}, 1);
    weft_value *all = front_dim_list(c->o, x, dim);
    weft__compose_name(c, "a", front_sliced(c->o, x, dim, zero, all, two));
    weft__compose_name(c, "b", front_sliced(c->o, x, dim, one, all, two));
  } else
    WEFT_TRY(weft__compose_text(c, "a, b = SplitD(x, split_dim=@dim, num_split=2)"));
  return weft__compose_text(c,
                            "a = Minimum(a, limit); b = Maximum(Minimum(b, limit), Neg(limit)); "
                            "y = Mul(Mul(a, Sigmoid(Mul(a, alpha))), Add(b, bias))");
}

// ---- softmax and its kin ----
#define SOFTMAX_GRAD "d = Mul(g, s); x_grad = Sub(d, Mul(s, ReduceSum(d, [-1], keep_dims=true)))"
static weft_status scaled_masked_softmax_grad_build(weft__composing *c) {
  if (weft_node_bool(c->desc, WEFT_SLOT_SCALED_MASKED_SOFTMAX_GRAD_FIXED_TRIU_MASK))
    return front_fail(c->o, WEFT_E_UNSUPPORTED, "attribute 'fixed_triu_mask': only false is computed");
  WEFT_TRY(weft__compose_text(
      c, "g = Identity(y_grad); s = Identity(y); " SOFTMAX_GRAD "; x_grad = Mul(x_grad, scale)"));
  return weft__composed(c, "mask")
             ? weft__compose_text(c, "x_grad = SelectV2(mask, ZerosLike(x_grad), x_grad)")
             : WEFT_OK;
}

// Each element is divided by the norm of its position, or of the whole instance, and scaled by channel.
static weft_status normalize_build(weft__composing *c) {
  bool across = weft_node_bool(c->desc, WEFT_SLOT_NORMALIZE_ACROSS_SPATIAL);
  weft_value *scale = weft__composed(c, "x2");
  if (front_rank_of(c->o, scale) == 1) {
    scale = front_unsqueezed(c->o, front_unsqueezed(c->o, scale, 1), 2);
    weft__compose_name(c, "x2", scale);
  }
  return weft__compose_text(
      c, across ? "y = Mul(RealDiv(x1, Sqrt(Add(ReduceSum(Square(x1), [1,2,3], keep_dims=true), eps))), x2)"
                : "y = Mul(RealDiv(x1, Sqrt(Add(ReduceSum(Square(x1), [1], keep_dims=true), eps))), x2)");
}

static weft_status rotary_mul_grad_build(weft__composing *c) {
  return weft__compose_text(c,
                            "a, b = SplitD(x, split_dim=-1, num_split=2); t = Mul(dy, r2); p, q = SplitD(t, "
                            "split_dim=-1, num_split=2); "
                            "dx = Add(Mul(dy, r1), ConcatV2({q, Neg(p)}, [-1])); dr1 = onto(Mul(dy, x), r1); "
                            "dr2 = onto(Mul(dy, ConcatV2({Neg(b), a}, [-1])), r2)");
}

// 1: sums, 2: sums of absolute values, 3: of squares, 4: means; over all axes from one on
static weft_status reduction_build(weft__composing *c) {
  static const char *const of[] = {"ReduceSum(x, over)", "ReduceSum(Abs(x), over)",
                                   "ReduceSum(Square(x), over)", "ReduceMean(x, over)"};
  int64_t axes[WEFT_MAX_RANK];
  size_t n = 0;
  char text[96];
  int64_t kind = weft_node_int(c->desc, WEFT_SLOT_REDUCTION_OPERATION);
  int rank = front_rank_of(c->o, weft__composed(c, "x"));
  int64_t from = front_axis(c->o, weft_node_int(c->desc, WEFT_SLOT_REDUCTION_AXIS), rank);
  if (c->o->failed)
    return c->o->failed;
  if (kind < 1 || kind > 4)
    return front_fail(c->o, WEFT_E_INVALID, "attribute 'operation': expected 1 to 4, got %lld",
                      (long long)kind);
  for (int64_t i = from; i < rank; i++)
    axes[n++] = i;
  weft__compose_name(c, "over", front_list(c->o, axes, n));
  snprintf(text, sizeof text, "y = Mul(%s, coeff)", of[kind - 1]);
  return weft__compose_text(c, text);
}

static weft_status lp_norm_reduce_build(weft__composing *c) {
  int64_t p = weft_node_int(c->desc, WEFT_SLOT_LP_NORM_REDUCE_P);
  WEFT_TRY(weft__compose_text(c, "over = axes(axes, x)"));
  if (p == 0)
    return weft__compose_text(c, "y = ReduceSum(as(x, NotEqual(x, 0)), over, keep_dims=@keepdim)");
  if (p == 1)
    return weft__compose_text(c, "y = ReduceSum(Abs(x), over, keep_dims=@keepdim)");
  return weft__compose_text(c, p == 2 ? "y = ReduceSum(Square(x), over, keep_dims=@keepdim)"
                                      : "y = ReduceSum(Pow(Abs(x), p), over, keep_dims=@keepdim)");
}
static weft_status lp_norm_update_build(weft__composing *c) {
  int64_t p = weft_node_int(c->desc, WEFT_SLOT_LP_NORM_UPDATE_P);
  if (p < 2)
    return weft__compose_text(c, "y = Maximum(x, epsilon)");
  return weft__compose_text(
      c, p == 2 ? "y = Maximum(Sqrt(x), epsilon)" : "y = Maximum(Pow(x, RealDiv(1, p)), epsilon)");
}

static weft_status foreach_norm_build(weft__composing *c) {
  size_t n;
  weft_value *const *x = weft__composed_all(c, "x", &n);
  weft_value **y = WEFT_NEW_N(&c->o->f->arena, weft_value *, n + 1);
  if (!y)
    return front_fail(c->o, WEFT_E_NOMEM, "out of memory");
  weft__compose_name(c, "p", front_reshaped(c->o, weft__composed(c, "scalar"), NULL, 0));
  for (size_t i = 0; i < n; i++) {
    weft__compose_name(c, "v", x[i]);
    WEFT_TRY(weft__compose_text(c,
                                "p = as(v, p); a = Abs(v); o = all(v); h = ReduceSum(Pow(a, p), o); "
                                "t = SelectV2(Equal(p, 2), Sqrt(h), Pow(h, RealDiv(1, p))); "
                                "t = SelectV2(IsInf(p), ReduceMax(a, o), t)"));
    y[i] = weft__composed(c, "t");
  }
  return weft__compose_names(c, "y", y, n);
}

static weft_status foreach_norm_dtype(weft_infer *it) {
  for (uint32_t i = 0; i < it->n_out; i++)
    it->out_dtype[i] = it->in_dtype[0];
  return WEFT_OK;
}

#define SMALLER "f32[3]{1,1,2}, f32[3]{1,5,2}, f32[3]{3,4,2}"

// clang-format off
WEFT_ROWS(elementwise_more) = {
  W("MaximumGrad", "the gradient of Maximum", LARGER_GRAD("Greater"),
       SMALLER " -> f32[3]{0,1,1}, f32[3]{1,0,1}", "f32[N,2], f32[N,2], f32[2] -> f32[N,2], f32[2]"),
  W("MinimumGrad", "the gradient of Minimum", LARGER_GRAD("Less"), SMALLER " -> f32[3]{1,0,1}, f32[3]{0,1,1}",
       "f32[N,2], f32[N,2], f32[2] -> f32[N,2], f32[2]"),
  BY("PReluGrad", "gradients of PRelu's x and of its slopes", p_relu_grad_build,
       "f32[1,2]{1,1}, f32[1,2]{-3,2}, f32[2]{0.5,0.5} -> f32[1,2]{0.5,1}, f32[2]{-3,0}",
       "f32[N,2,3], f32[N,2,3], f32[1] -> f32[N,2,3], f32[1]"),
  COMPOSED_BY("BiasAddGrad", "sums over all axes but the channels'", bias_add_grad_build,
       "f32[2,2]{1,2,3,4} -> f32[2]{4,6}", "f32[N,4,2] data_format=\"NCHW\" -> f32[4]",
       "f32[3] !! E_SHAPE rank 1"),
  COMPOSED("ReluGradV2", "gradients where a mask was set",
       "backprops = SelectV2(bool(mask), gradients, ZerosLike(gradients))",
       "f32[2]{3,4}, u8[2]{1,0} -> f32[2]{3,0}"),
  BY("HardMax", "1 where the largest of an axis stands first, 0 elsewhere", hard_max_build,
       "f32[2,3]{1,3,3,5,4,0} -> f32[2,3]{0,1,0,1,0,0}", "f32[N,4] axis=0 -> f32[N,4]"),
  BY("Power", "(scale x + shift)^power", power_build, "f32[2]{1,2} power=2 scale=2 shift=1 -> f32[2]{9,25}",
       "f16[N] -> f16[N]"),
  W("Pows", "x1 to the power of x2", "y = Pow(x1, x2)", "f32[2]{2,3}, f32[]{2} -> f32[2]{4,9}"),
  COMPOSED_BY("Sxpy", "alpha x1 + x2", sxpy_build, "f32[2]{1,2}, f32[2]{3,4}, f32[1]{2} -> f32[2]{5,8}",
       "f32[N,2], f32[2] -> f32[N,2]"),
  W("LeakyreluV2", "x, scaled below 0", "y = SelectV2(Greater(x, 0), x, Mul(x, negativeSlope))",
       "f32[2]{-2,2} negativeSlope=0.5 -> f32[2]{-1,2}"),
  W("Lerp", "from start towards end",
       "y = SelectV2(Less(Abs(weight), 0.5), Add(start, Mul(weight, Sub(end, start))), Sub(end, Mul(Sub(end, "
       "start), Sub(1, weight))))",
    "f32[2]{1,1}, f32[2]{3,3}, f32[]{0.25} -> f32[2]{1.5,1.5}"),
  COMPOSED("MulNoNan", "x1 x2, 0 where x2 is 0",
       "y = SelectV2(Equal(x2, 0), ZerosLike(Mul(x1, x2)), Mul(x1, x2))",
       "f32[2]{nan,3}, f32[2]{0,2} -> f32[2]{0,6}"),
  COMPOSED("Inv", "1 / x", "y = Reciprocal(x)", "f32[2]{2,4} -> f32[2]{0.5,0.25}"),
  BY("NanToNum", "NaN and infinities as numbers", nan_to_num_build,
       "f32[4]{nan,inf,-inf,2} nan=0 posinf=9 neginf=-9 -> f32[4]{0,9,-9,2}"),
  BY("Eltwise", "sums, products or the largest of all", eltwise_build,
       "[f32[2]{1,2}, f32[2]{3,4}] N=2 coeff=[1,-1] -> f32[2]{-2,-2}",
       "[f32[2]{1,2}, f32[2]{3,4}] N=2 mode=0 -> f32[2]{3,8}"),
  BY("MulAddn", "the sum of products", mul_addn_build,
       "[f32[1]{1}, f32[1]{2}], [f32[1]{3}, f32[1]{4}] N=2 -> f32[1]{11}"),
  COMPOSED("FusedMulAddAdd", "x1 x2 + x3 + x4", "y = Add(Add(Mul(x1, x2), x3), x4)",
       "f32[1]{2}, f32[1]{3}, f32[1]{4}, f32[1]{5} -> f32[1]{15}"),
  W("FatreluMul", "half of x where it is over a threshold, times the other half",
       "a, b = SplitD(x, split_dim=-1, num_split=2); y = Mul(SelectV2(Greater(a, as(a, threshold)), a, "
       "ZerosLike(a)), b)",
    "f32[4]{1,3,5,6}, f32[]{2} -> f32[2]{0,18}"),
  BY("GeGluV2", "half of x times gelu of the other half", ge_glu_v2_build,
       "f32[2]{5,0} -> f32[1]{0}, f32[1]{0}", "f32[N,4] -> f32[N,2], f32[N,2]"),
  BY("GeGluGradV2", "the gradient of GeGluV2", ge_glu_grad_v2_build,
       "f32[1]{2}, f32[2]{5,0}, f32[1]{0} -> f32[2]{0,5}"),
  BY("ClippedSwiglu", "a gate, cut above, times its sigmoid, times a linear part", clipped_swiglu_build,
       "f32[2]{0,5} -> f32[1]{0}", "f32[N,4] interleaved=false -> f32[N,2]"),
  W("FusedBiasLeakyRelu", "x + bias through LeakyRelu, scaled",
       "v = Add(x, bias); y = Mul(SelectV2(Greater(v, 0), v, Mul(v, negative_slope)), scale)",
       "f32[2]{1,-2}, f32[2]{1,1} scale=1 -> f32[2]{2,-0.2}"),
  W("FusedBiasLeakyReluGrad", "its gradient",
       "x_grad = Mul(SelectV2(Greater(features, 0), y_grad, Mul(y_grad, negative_slope)), scale)",
       "f32[2]{1,1}, f32[2]{3,-3} scale=1 -> f32[2]{1,0.2}"),
  W("ConfusionSoftmaxGrad", "grad less its product with x summed over the last axis",
       "y = Sub(grad, ReduceSum(Mul(grad, x), [-1], keep_dims=true))",
       "f32[2]{1,2}, f32[2]{0.5,0.5} -> f32[2]{-0.5,0.5}"),
  BY("ScaledMaskedSoftmaxGrad", "the gradient of ScaledMaskedSoftmax", scaled_masked_softmax_grad_build,
       "f32[1,1,1,2]{1,2}, f32[1,1,1,2]{0.5,0.5}, bool[1,1,1,2]{false,false} -> f32[1,1,1,2]{-0.25,0.25}"),
  BY("Normalize", "x1 over its norm, scaled by channel", normalize_build,
       "f32[1,2,1,1]{3,4}, f32[2]{1,2} channel_shared=false -> f32[1,2,1,1]{0.6,1.6}"),
  BY("RotaryMulGrad", "the gradient of RotaryMul", rotary_mul_grad_build,
       "f32[1,1,1,2]{1,2}, f32[1,1,1,2]{1,1}, f32[1,1,1,2]{1,1}, f32[1,1,1,2]{1,1} -> f32[1,1,1,2]{2,0}, "
       "f32[1,1,1,2]{1,2}, f32[1,1,1,2]{-2,1}"),
  BY("Reduction", "sums, or sums of sizes or squares, or means from an axis on", reduction_build,
       "f32[2]{3,-4} operation=2 coeff=2 -> f32[]{14}", "f32[N,2,3] axis=1 -> f32[N]"),
  BY("LpNormReduce", "sums of powers over axes", lp_norm_reduce_build, "f32[2]{3,4} -> f32[]{25}",
       "f32[2]{3,0} p=0 -> f32[]{1}"),
  BY("LpNormUpdate", "roots of sums of powers", lp_norm_update_build, "f32[1]{25} -> f32[1]{5}"),
  {.name = "ForeachNorm", .summary = "for each tensor: its norm", .traits = WEFT_SYMBOLIC,
       .infer = weft__composed_infer, .infer_dtype = foreach_norm_dtype, .ref = weft__composed_ref,
   .user = &(const weft__composition){.build = foreach_norm_build, .wide = true},
   .examples = WEFT_EXAMPLES("[f32[2]{3,4}, f32[1]{-2}], f32[1]{2} -> [f32[]{5}, f32[]{2}]",
   "[f32[2]{3,4}], f32[1]{inf} -> [f32[]{4}]")},
  {0},
};
// SPDX-License-Identifier: Apache-2.0
