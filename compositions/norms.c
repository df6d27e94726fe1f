// compositions/norms.c - normalisations over the last axes and over groups, their pieces and gradients,
// softmax's among them. Halves are computed in f32.
#include "air_slots.h"
#include "norm_axes.h"

#define W  COMPOSED_WIDE
#define BY COMPOSED_WIDE_BY

// ---- RmsNorm ----
#define RMS "rstd = Rsqrt(Add(ReduceMean(Square(x), inner, keep_dims=true), epsilon))"
static weft_status rms_norm_build(weft__composing *c) {
  WEFT_TRY(norms_axes_of(c, "x", "gamma"));
  return weft__compose_text(c, RMS "; y = Mul(Mul(x, rstd), gamma)");
}
static weft_status gemma_rms_norm_build(weft__composing *c) {
  WEFT_TRY(norms_axes_of(c, "x", "gamma"));
  return weft__compose_text(c, RMS "; y = Mul(Mul(x, rstd), Add(gamma, 1))");
}
static weft_status add_rms_norm_build(weft__composing *c) {
  WEFT_TRY(weft__compose_text(c, "x = Add(x1, x2)"));
  return rms_norm_build(c);
}
static weft_status inplace_add_rms_norm_build(weft__composing *c) {
  WEFT_TRY(add_rms_norm_build(c));
  return weft__compose_text(c, "x1 = Identity(y); x2 = Identity(x)");
}
static weft_status add_rms_norm_cast_build(weft__composing *c) {
  WEFT_TRY(add_rms_norm_build(c));
  return weft__compose_text(c, "y1 = Identity(y); y2 = Identity(y)");
}
static weft_status rms_norm_grad_build(weft__composing *c) {
  WEFT_TRY(weft__compose_alike(c, "dy", "x"));
  WEFT_TRY(norms_axes_of(c, "x", "gamma"));
  return weft__compose_text(
      c,
      "h = Mul(x, rstd); g = Mul(dy, gamma); m = ReduceMean(Mul(g, h), inner, keep_dims=true); "
      "dx = Mul(Sub(g, Mul(h, m)), rstd); dgamma = ReduceSum(Mul(dy, h), outer)");
}
static weft_status deep_norm_build(weft__composing *c) {
  WEFT_TRY(norms_axes_of(c, "x", "gamma"));
  return weft__compose_text(
      c,
      "s = Add(Mul(x, alpha), gx); mean = ReduceMean(s, inner, keep_dims=true); d = Sub(s, mean); "
      "rstd = Rsqrt(Add(ReduceMean(Square(d), inner, keep_dims=true), epsilon)); y = Add(Mul(Mul(d, rstd), "
      "gamma), beta)");
}

// ---- LayerNorm ----
#define LAYER                                                       \
  "mean = ReduceMean(x, inner, keep_dims=true); d = Sub(x, mean); " \
  "rstd = Rsqrt(Add(ReduceMean(Square(d), inner, keep_dims=true), epsilon)); y = Mul(d, rstd)"
static weft_status layer_norm_v3_build(weft__composing *c) {
  int rank = front_rank_of(c->o, weft__composed(c, "x"));
  int64_t axis = front_axis(c->o, weft_node_int(c->desc, WEFT_SLOT_LAYER_NORM_V3_BEGIN_NORM_AXIS), rank);
  WEFT_TRY(norms_split_axes(c, "x", rank - (int)axis));
  return weft__compose_text(c, LAYER "; y = Add(Mul(y, gamma), beta)");
}
static weft_status layer_norm_v4_build(weft__composing *c) {
  weft_value *shape = weft__composed(c, "normalized_shape");
  weft_dim n = front_rank(shape) == 1 ? front_dim(shape, 0) : -1;
  if (n < 0)
    return front_fail(c->o, WEFT_E_UNKNOWN, "how many axes are normalised is not known");
  WEFT_TRY(norms_split_axes(c, "x", (int)WEFT_MIN(n, WEFT_MAX_RANK + 1)));
  WEFT_TRY(weft__compose_text(c, LAYER));
  return norms_affine(c, "gamma", "beta");
}
// Mean and rstd have the type of gamma, or else of x, as those of LayerNormV3 do.
static weft_status layer_norm_v4_dtype(weft_infer *it) {
  int gamma = weft_port_in(it->desc, 2, 0);
  it->out_dtype[0] = it->in_dtype[0];
  it->out_dtype[1] = it->out_dtype[2] = it->in_dtype[gamma < 0 ? 0 : gamma];
  return WEFT_OK;
}
#define LAYER_GRAD                                                                               \
  "h = Mul(Sub(x, mean), rstd); g = Mul(dy, gamma); m1 = ReduceMean(g, inner, keep_dims=true); " \
  "m2 = ReduceMean(Mul(g, h), inner, keep_dims=true); pd_x = Mul(Sub(Sub(g, m1), Mul(h, m2)), rstd)"
#define PARAM_GRAD "pd_gamma = ReduceSum(Mul(dy, h), outer); pd_beta = ReduceSum(dy, outer)"
static weft_status layer_norm_grad_build(weft__composing *c) {
  WEFT_TRY(weft__compose_alike(c, "dy", "x"));
  WEFT_TRY(norms_axes_of(c, "x", "gamma"));
  return weft__compose_text(c, "rstd = Rsqrt(Add(variance, 1e-7)); " LAYER_GRAD "; " PARAM_GRAD);
}
static weft_status layer_norm_grad_v3_build(weft__composing *c) {
  WEFT_TRY(weft__compose_alike(c, "dy", "x"));
  WEFT_TRY(norms_axes_of(c, "x", "gamma"));
  return weft__compose_text(c, LAYER_GRAD "; " PARAM_GRAD);
}
static weft_status layer_norm_x_backprop_build(weft__composing *c) {
  WEFT_TRY(weft__compose_alike(c, "dy", "x"));
  WEFT_TRY(norms_axes_of(c, "x", "gamma"));
  return weft__compose_text(c, "rstd = Rsqrt(Add(variance, 1e-7)); " LAYER_GRAD);
}
static weft_status layer_norm_beta_gamma_build(weft__composing *c) {
  WEFT_TRY(weft__compose_alike(c, "dy", "x"));
  const weft_attr *shape = c->desc->attr[WEFT_SLOT_LAYER_NORM_BETA_GAMMA_BACKPROP_SHAPE_GAMMA];
  WEFT_TRY(norms_split_axes(c, "x", (int)WEFT_MIN(shape->n, WEFT_MAX_RANK + 1)));
  return weft__compose_text(c, "h = Mul(Sub(x, mean), Rsqrt(Add(variance, 1e-7))); " PARAM_GRAD);
}
#define ADDED "x = Add(x1, x2)"
static weft_status add_layer_norm_build(weft__composing *c) {
  WEFT_TRY(weft__compose_text(c, ADDED));
  if (weft__composed(c, "bias"))
    WEFT_TRY(weft__compose_text(c, "x = Add(x, bias)"));
  WEFT_TRY(norms_axes_of(c, "x", "gamma"));
  return weft__compose_text(c, LAYER "; y = Add(Mul(y, gamma), beta)");
}
static weft_status inplace_add_layer_norm_build(weft__composing *c) {
  WEFT_TRY(add_layer_norm_build(c));
  return weft__compose_text(c, "x1 = Identity(y); x2 = Identity(x)");
}
static weft_status add_layer_norm_grad_build(weft__composing *c) {
  WEFT_TRY(weft__compose_alike(c, "dy", "x1"));
  WEFT_TRY(norms_axes_of(c, "x1", "gamma"));
  WEFT_TRY(weft__compose_text(
      c, "x = Add(x1, x2); " LAYER_GRAD
         "; dx = Identity(pd_x); dgamma = ReduceSum(Mul(dy, h), outer); dbeta = ReduceSum(dy, outer)"));
  return weft__composed(c, "dsum") ? weft__compose_text(c, "dx = Add(dx, dsum)") : WEFT_OK;
}

// ---- of groups ----
// v in another shape, where 0 is the dim that v has there.
static weft_value *norms_grouped(weft__composing *c, weft_value *v, const int64_t *dims, size_t n) {
  weft_value *shape = front_list(c->o, dims, n);
  front_set_bool(c->o, "allowzero", false);
  return front_do(c->o, "Reshape", v, shape, NULL);
}
static weft_status group_norm_grad_build(weft__composing *c) {
  front_op *o = c->o;
  const weft_op_desc *n = c->desc;
  weft_value *x = weft__composed(c, "x");
  int64_t groups = weft_node_int(n, WEFT_SLOT_GROUP_NORM_GRAD_NUM_GROUPS);
  int rank = front_rank_of(o, x);
  if (o->failed)
    return o->failed;
  if (rank < 2 || groups < 1 || strcmp(weft_node_str(n, WEFT_SLOT_GROUP_NORM_GRAD_DATA_FORMAT), "NCHW"))
    return front_fail(o, WEFT_E_UNSUPPORTED,
                      "input 'x': rank 2 or more, groups of 1 or more and NCHW are computed");
  const int64_t grouped[3] = {0, groups, -1};
  const int64_t stats[3] = {0, groups, 1};
  static const char *const of[] = {"x", "dy", "g"};
  weft__compose_name(c, "shape", front_shape(o, x));
  WEFT_TRY(norms_channel_axes(c, "x", 1));
  WEFT_TRY(weft__compose_text(c, "k = Identity(gamma); dbeta = ReduceSum(dy, outer)"));
  WEFT_TRY(norms_spread(c, "k", "x", 1));
  WEFT_TRY(weft__compose_text(c, "g = Mul(dy, k); wide = Identity(dy)"));
  for (size_t i = 0; i < WEFT_COUNT(of); i++)
    weft__compose_name(c, of[i], norms_grouped(c, weft__composed(c, of[i]), grouped, 3));
  weft__compose_name(c, "m", norms_grouped(c, weft__composed(c, "mean"), stats, 3));
  weft__compose_name(c, "r", norms_grouped(c, weft__composed(c, "rstd"), stats, 3));
  return weft__compose_text(c,
                            "h = Mul(Sub(x, m), r); m1 = ReduceMean(g, [2], keep_dims=true); m2 = "
                            "ReduceMean(Mul(g, h), [2], keep_dims=true); "
                            "dx = Reshape(Mul(Sub(Sub(g, m1), Mul(h, m2)), r), shape, allowzero=true); "
                            "dgamma = ReduceSum(Mul(wide, Reshape(h, shape, allowzero=true)), outer)");
}
// y, mean and rstd [N, groups] of groups of channels, then an activation.
static weft_status norms_group(weft__composing *c, int64_t groups, const char *act) {
  front_op *o = c->o;
  const int64_t grouped[3] = {0, groups, -1};
  const int64_t flat[2] = {0, groups};
  weft_value *x = weft__composed(c, "x");
  int rank = front_rank_of(o, x);
  if (!o->failed && (rank < 2 || groups < 1))
    return front_fail(o, WEFT_E_SHAPE, "input 'x' has rank %d, for %lld groups", rank, (long long)groups);
  weft__compose_name(c, "shape", front_shape(o, x));
  weft__compose_name(c, "v", norms_grouped(c, x, grouped, 3));
  weft__compose_name(c, "flat", front_list(o, flat, 2));
  WEFT_TRY(weft__compose_text(c,
                              "m = ReduceMean(v, [2], keep_dims=true); d = Sub(v, m); r = "
                              "Rsqrt(Add(ReduceMean(Square(d), [2], keep_dims=true), eps)); "
                              "y = Reshape(Mul(d, r), shape, allowzero=true); mean = Reshape(m, flat, "
                              "allowzero=false); rstd = Reshape(r, flat, allowzero=false)"));
  WEFT_TRY(norms_spread(c, "gamma", "x", 1));
  WEFT_TRY(norms_spread(c, "beta", "x", 1));
  WEFT_TRY(norms_affine(c, "gamma", "beta"));
  return act ? weft__compose_text(c, act) : WEFT_OK;
}
static weft_status group_norm_relu_build(weft__composing *c) {
  return norms_group(c, weft_node_int(c->desc, WEFT_SLOT_GROUP_NORM_RELU_NUM_GROUPS), "y = Relu(y)");
}
static weft_status group_norm_silu_build(weft__composing *c) {
  bool act = weft_node_bool(c->desc, WEFT_SLOT_GROUP_NORM_SILU_ACTIVATE_SILU);
  return norms_group(c, weft_node_int(c->desc, WEFT_SLOT_GROUP_NORM_SILU_NUM_GROUPS),
                     act ? "y = Mul(y, Sigmoid(y))" : NULL);
}
static weft_status group_norm_swish_build(weft__composing *c) {
  bool act = weft_node_bool(c->desc, WEFT_SLOT_GROUP_NORM_SWISH_ACTIVATE_SWISH);
  return norms_group(c, weft_node_int(c->desc, WEFT_SLOT_GROUP_NORM_SWISH_NUM_GROUPS),
                     act ? "y = Mul(y, Sigmoid(Mul(y, swish_scale)))" : NULL);
}
static weft_status group_norm_v2_build(weft__composing *c) {
  return norms_group(c, weft_node_int(c->desc, WEFT_SLOT_GROUP_NORM_V2_NUM_GROUPS), NULL);
}

// Through the activation first: y is what the group norm gave, scale times it went into the sigmoid.
static weft_status group_norm_swish_grad_build(weft__composing *c) {
  front_op *o = c->o;
  const weft_op_desc *n = c->desc;
  weft_value *x = weft__composed(c, "x");
  int64_t groups = weft_node_int(n, WEFT_SLOT_GROUP_NORM_SWISH_GRAD_NUM_GROUPS);
  int rank = front_rank_of(o, x);
  if (o->failed)
    return o->failed;
  if (rank < 2 || groups < 1 || strcmp(weft_node_str(n, WEFT_SLOT_GROUP_NORM_SWISH_GRAD_DATA_FORMAT), "NCHW"))
    return front_fail(o, WEFT_E_UNSUPPORTED,
                      "input 'x': rank 2 or more, groups of 1 or more and NCHW are computed");
  const int64_t grouped[3] = {0, groups, -1};
  const int64_t stats[3] = {0, groups, 1};
  weft__compose_name(c, "v", norms_grouped(c, x, grouped, 3));
  weft__compose_name(c, "m", norms_grouped(c, weft__composed(c, "mean"), stats, 3));
  weft__compose_name(c, "r", norms_grouped(c, weft__composed(c, "rstd"), stats, 3));
  weft__compose_name(c, "shape", front_shape(o, x));
  WEFT_TRY(weft__compose_text(c, "k = Identity(gamma); b = Identity(beta)"));
  WEFT_TRY(norms_spread(c, "k", "x", 1));
  WEFT_TRY(norms_spread(c, "b", "x", 1));
  return weft__compose_text(
      c,
      "y = Add(Mul(Reshape(Mul(Sub(v, m), r), shape, allowzero=true), k), b); s = Sigmoid(Mul(y, "
      "swish_scale)); "
      "d = Mul(dy, Mul(s, Add(Mul(Mul(y, swish_scale), Sub(1, s)), 1))); "
      "dx, dgamma, dbeta = GroupNormGrad(d, mean, rstd, x, gamma, num_groups=@num_groups)");
}

// ---- more of layers ----
#define RESULT "; res_for_gamma = f32(h)"
static weft_status layer_norm_x_backprop_v2_build(weft__composing *c) {
  WEFT_TRY(weft__compose_alike(c, "dy", "x"));
  WEFT_TRY(norms_axes_of(c, "x", "gamma"));
  return weft__compose_text(c, "rstd = Rsqrt(Add(variance, 1e-7)); " LAYER_GRAD RESULT);
}
static weft_status layer_norm_x_backprop_v3_build(weft__composing *c) {
  WEFT_TRY(weft__compose_alike(c, "dy", "x"));
  WEFT_TRY(norms_axes_of(c, "x", "gamma"));
  return weft__compose_text(c, LAYER_GRAD RESULT);
}
static weft_status layer_norm_beta_gamma_v2_build(weft__composing *c) {
  const weft_attr *shape = c->desc->attr[WEFT_SLOT_LAYER_NORM_BETA_GAMMA_BACKPROP_V2_SHAPE_GAMMA];
  WEFT_TRY(norms_split_axes(c, "dy", (int)WEFT_MIN(shape->n, WEFT_MAX_RANK + 1)));
  return weft__compose_text(c, "h = Identity(res_for_gamma); " PARAM_GRAD);
}
static weft_status deep_norm_grad_build(weft__composing *c) {
  WEFT_TRY(weft__compose_alike(c, "dy", "x"));
  WEFT_TRY(norms_axes_of(c, "x", "gamma"));
  return weft__compose_text(c, "x = Add(Mul(x, alpha), gx); " LAYER_GRAD
                               "; dgx = Identity(pd_x); dx = Mul(pd_x, alpha); "
                               "dgamma = ReduceSum(Mul(dy, h), outer); dbeta = ReduceSum(dy, outer)");
}
static weft_status fused_add_rms_norm_build(weft__composing *c) {
  WEFT_TRY(weft__compose_text(c, "x = Add(x1, Mul(x2, scale))"));
  return rms_norm_build(c);
}

// ---- mean and variance alone ----
static weft_status mvn_build(weft__composing *c) {
  int64_t axes[WEFT_MAX_RANK];
  size_t n = 0;
  int rank = front_rank_of(c->o, weft__composed(c, "x"));
  int first = weft_node_bool(c->desc, WEFT_SLOT_MVN_ACROSS_CHANNELS) ? 1 : 2;
  for (int i = first; i < rank; i++)
    axes[n++] = i;
  WEFT_TRY(norms_name_axes(c, "inner", axes, n));
  WEFT_TRY(weft__compose_text(c, "d = Sub(x, ReduceMean(x, inner, keep_dims=true))"));
  return weft__compose_text(
      c, weft_node_bool(c->desc, WEFT_SLOT_MVN_NORMALIZE_VARIANCE)
             ? "y = RealDiv(d, Add(Sqrt(ReduceMean(Square(d), inner, keep_dims=true)), eps))"
             : "y = Identity(d)");
}

static weft_status normalize_v2_build(weft__composing *c) {
  WEFT_TRY(weft__compose_text(c, "y = Mul(Sub(x, mean), Rsqrt(variance))"));
  const weft_dtype t = weft_node_dtype(c->desc, WEFT_SLOT_NORMALIZE_V2_DTYPE);
  weft__compose_name(c, "y", front_as(c->o, weft__composed(c, "y"), t));
  return c->o->failed;
}
static weft_status normalize_v2_dtype(weft_infer *it) {
  it->out_dtype[0] = weft_node_dtype(it->desc, WEFT_SLOT_NORMALIZE_V2_DTYPE);
  return WEFT_OK;
}

WEFT_ROWS(norms) = {
    BY("RmsNorm", "x over its root mean square, times gamma", rms_norm_build,
       "f32[1,2]{3,4}, f32[2]{1,1} epsilon=0 -> f32[1,2]{0.848528,1.131371}, f32[1,1]{0.282843} ~1e-5"),
    BY("GemmaRmsNorm", "x over its root mean square, times 1 + gamma", gemma_rms_norm_build,
       "f32[1,2]{3,4}, f32[2]{0,0} epsilon=0 -> f32[1,2]{0.848528,1.131371}, f32[1,1]{0.282843} ~1e-5"),
    BY("AddRmsNorm", "RmsNorm of x1 + x2, and the sum", add_rms_norm_build,
       "f32[1,2]{1,2}, f32[1,2]{2,2}, f32[2]{1,1} epsilon=0 -> f32[1,2]{0.848528,1.131371}, "
       "f32[1,1]{0.282843}, f32[1,2]{3,4} ~1e-5"),
    BY("AddRmsNormCast", "RmsNorm of x1 + x2 in two types, and the sum", add_rms_norm_cast_build,
       "f16[N,4], f16[N,4], f16[4] -> f32[N,4], f16[N,4], f32[N,1], f16[N,4]"),
    BY("InplaceAddRmsNorm", "RmsNorm of x1 + x2 in x1's place, the sum in x2's", inplace_add_rms_norm_build,
       "f32[N,4], f32[N,4], f32[4] -> f32[N,4], f32[N,1], f32[N,4]"),
    BY("RmsNormGrad", "the gradient of RmsNorm", rms_norm_grad_build,
       "f32[N,4], f32[N,4], f32[N,1], f32[4] -> f32[N,4], f32[4]"),
    BY("DeepNorm", "LayerNorm of alpha x + gx", deep_norm_build,
       "f32[N,4], f32[N,4], f32[4], f32[4] -> f32[N,1], f32[N,1], f32[N,4]"),
    BY("LayerNormV3", "LayerNorm with 1 / sqrt(variance + epsilon) for an output", layer_norm_v3_build,
       "f32[1,2]{1,3}, f32[2]{1,1}, f32[2]{0,0} begin_norm_axis=-1 epsilon=0 -> f32[1,2]{-1,1}, f32[1,1]{2}, "
       "f32[1,1]{1}"),
    {.name = "LayerNormV4",
     .summary = "LayerNorm over the last axes, as many as normalized_shape has",
     .traits = WEFT_SYMBOLIC,
     .infer = weft__composed_infer,
     .infer_dtype = layer_norm_v4_dtype,
     .ref = weft__composed_ref,
     .user = (&(const weft__composition){.build = layer_norm_v4_build, .wide = true}),
     .examples = WEFT_EXAMPLES("f32[1,2]{1,3}, i32[1]{2}, f32[2]{1,1}, f32[2]{0,0} epsilon=0 -> "
                               "f32[1,2]{-1,1}, f32[1,1]{2}, f32[1,1]{1}")},
    BY("LayerNormGrad", "the gradient of LayerNorm, whose epsilon is 1e-7", layer_norm_grad_build,
       "f32[N,4], f32[N,4], f32[N,1], f32[N,1], f32[4] -> f32[N,4], f32[4], f32[4]"),
    BY("LayerNormGradV3", "the gradient of LayerNormV3", layer_norm_grad_v3_build,
       "f32[N,4], f32[N,4], f32[N,1], f32[N,1], f32[4] -> f32[N,4], f32[4], f32[4]",
       "f32[1,4], f32[2,4], f32[2,1], f32[2,1], f32[4] -> _, _, _ !! E_SHAPE input 'dy' has shape [1,4]"),
    BY("LayerNormXBackprop", "the gradient of LayerNorm with respect to x", layer_norm_x_backprop_build,
       "f32[N,4], f32[N,4], f32[N,1], f32[N,1], f32[4] -> f32[N,4]"),
    BY("LayerNormBetaGammaBackprop", "the gradients of LayerNorm with respect to gamma and beta",
       layer_norm_beta_gamma_build,
       "f32[N,4], f32[N,4], f32[N,1], f32[N,1] shape_gamma=[4] -> f32[4], f32[4]"),
    BY("AddLayerNorm", "LayerNorm of x1 + x2 + bias, and the sum", add_layer_norm_build,
       "f32[1,2]{1,1}, f32[1,2]{0,2}, f32[2]{1,1}, f32[2]{0,0} epsilon=0 -> f32[1,2]{-1,1}, f32[1,1]{2}, "
       "f32[1,1]{1}, f32[1,2]{1,3}"),
    BY("InplaceAddLayerNorm", "LayerNorm of x1 + x2 + bias in x1's place, the sum in x2's",
       inplace_add_layer_norm_build,
       "f32[N,4], f32[N,4], f32[4], f32[4] -> f32[N,4], f32[N,1], f32[N,1], f32[N,4]"),
    BY("AddLayerNormGrad", "the gradient of AddLayerNorm", add_layer_norm_grad_build,
       "f32[N,4], f32[N,4], f32[N,4], f32[N,1], f32[N,1], f32[4] -> f32[N,4], f32[4], f32[4]"),
    BY("GroupNormGrad", "the gradient of GroupNorm", group_norm_grad_build,
       "f32[N,4,3], f32[N,2], f32[N,2], f32[N,4,3], f32[4] num_groups=2 -> f32[N,4,3], f32[4], f32[4]"),
    BY("GroupNormRelu", "GroupNorm, then max(y, 0)", group_norm_relu_build,
       "f32[1,2,1]{1,3}, f32[2]{1,1}, f32[2]{0,0} num_groups=1 eps=0 -> f32[1,2,1]{0,1}"),
    BY("GroupNormSilu", "GroupNorm, then y times its sigmoid", group_norm_silu_build,
       "f32[N,4,3], f32[4], f32[4] num_groups=2 -> f32[N,4,3], f32[N,2], f32[N,2]"),
    BY("GroupNormSwish", "GroupNorm, then y times the sigmoid of scaled y", group_norm_swish_build,
       "f32[N,4,3], f32[4], f32[4] num_groups=2 -> f32[N,4,3], f32[N,2], f32[N,2]"),
    BY("GroupNormV2", "GroupNorm with its statistics", group_norm_v2_build,
       "f32[N,4,3], f32[4], f32[4] num_groups=2 -> f32[N,4,3], f32[N,2], f32[N,2]"),
    BY("GroupNormSwishGrad", "the gradient of GroupNormSwish", group_norm_swish_grad_build,
       "f32[N,4,3], f32[N,2], f32[N,2], f32[N,4,3], f32[4], f32[4] num_groups=2 -> f32[N,4,3], f32[4], "
       "f32[4]"),
    W("SyncBatchNormBackwardReduce", "what a machine adds to the gradient of a batch norm",
      "sum_dy_xmu = Sub(sum_dy_dx_pad, Mul(sum_dy, mean)); y = Mul(sum_dy_xmu, invert_std)",
      "f32[1]{2}, f32[1]{7}, f32[1]{3}, f32[1]{4} -> f32[1]{1}, f32[1]{4}"),
    W("SyncBNTrainingUpdate", "a running mean after a batch",
      "running_mean_update = Add(Mul(mean, momentum), Mul(running_mean, Sub(1, momentum)))",
      "f32[1]{2}, f32[1]{4} momentum=0.5 -> f32[1]{3}"),
    W("INTrainingUpdateGradGammaBeta", "sums over the batch",
      "pd_gamma = ReduceSum(res_gamma, [0], keep_dims=true); pd_beta = ReduceSum(res_beta, [0], "
      "keep_dims=true)",
      "f32[2,1]{1,2}, f32[2,1]{3,4} -> f32[1,1]{3}, f32[1,1]{7}"),
    BY("LayerNormXBackpropV2", "the gradient of LayerNorm with respect to x, and x normalised",
       layer_norm_x_backprop_v2_build,
       "f32[N,4], f32[N,4], f32[N,1], f32[N,1], f32[4] -> f32[N,4], f32[N,4]"),
    BY("LayerNormXBackpropV3", "the gradient of LayerNorm with respect to x, and x normalised",
       layer_norm_x_backprop_v3_build,
       "f32[N,4], f32[N,4], f32[N,1], f32[N,1], f32[4] -> f32[N,4], f32[N,4]"),
    BY("LayerNormBetaGammaBackpropV2", "the gradients of LayerNorm with respect to gamma and beta",
       layer_norm_beta_gamma_v2_build,
       "f32[2,1]{1,2}, f32[2,1]{3,4} shape_gamma=[1] -> f32[1]{11}, f32[1]{3}"),
    BY("DeepNormGrad", "the gradient of DeepNorm", deep_norm_grad_build,
       "f32[N,4], f32[N,4], f32[N,4], f32[4], f32[N,1], f32[N,1] -> f32[N,4], f32[N,4], f32[4], f32[4]"),
    BY("FusedAddRmsNorm", "RmsNorm of x1 + scale x2, and the sum", fused_add_rms_norm_build,
       "f32[1,2]{1,2}, f32[1,2]{1,1}, f32[2]{1,1} scale=2 epsilon=0 -> f32[1,2]{0.848528,1.131371}, "
       "f32[1,1]{0.282843}, f32[1,2]{3,4} ~1e-5"),
    COMPOSED("BatchNormExt2", "channels normalised by the batch's or given statistics",
             "output_y, output_mean, output_variance, output_reserve_space_1, output_reserve_space_2 = "
             "BatchNorm(input_x, input_scale, input_offset, input_mean?, input_variance?, epsilon=@epsilon, "
             "data_format=@data_format, is_training=@is_training)",
             "f32[N,2,2,4], f32[4], f32[4] -> f32[N,2,2,4], f32[4], f32[4], f32[4], f32[4]"),
    COMPOSED(
        "BatchNormGradExt2", "the gradient of BatchNormExt2",
        "x_backprop, scale_backprop, offset_backprop, reserve_space_3, reserve_space_4 = "
        "BatchNormGrad(y_backprop, x, scale, reserve_space_1, reserve_space_2, epsilon=@epsilon, "
        "data_format=@data_format, is_training=@is_training)",
        "f32[N,2,2,4], f32[N,2,2,4], f32[4], f32[4], f32[4] -> f32[N,2,2,4], f32[4], f32[4], f32[4], f32[4]"),
    COMPOSED("BNInferenceD", "channels normalised by given statistics",
             "y = BNInference(x, mean, variance, momentum, scale?, b?, epsilon=@epsilon)",
             "f32[1,2,1]{3,5}, f32[2]{1,1}, f32[2]{4,4} momentum=1 epsilon=0 -> f32[1,2,1]{1,2}"),
    BY("MVN", "x without its mean, over its deviation", mvn_build,
       "f32[1,1,1,2]{1,3} eps=0 -> f32[1,1,1,2]{-1,1}"),
    W("MVNV2", "x without its mean, over its deviation",
      "a = axes(axes, x); d = Sub(x, ReduceMean(x, a, keep_dims=true)); y = RealDiv(d, "
      "Add(Sqrt(ReduceMean(Square(d), a, keep_dims=true)), eps))",
      "f32[1,1,1,2]{1,3} eps=0 -> f32[1,1,1,2]{-1,1}"),
    {.name = "NormalizeV2",
     .summary = "(x - mean) / sqrt(variance), axis by axis, in the dtype that the attribute names",
     .traits = WEFT_SYMBOLIC,
     .infer = weft__composed_infer,
     .infer_dtype = normalize_v2_dtype,
     .ref = weft__composed_ref,
     .user = (&(const weft__composition){.build = normalize_v2_build, .wide = true}),
     .examples = WEFT_EXAMPLES("f32[1,1,1,2]{1,3}, f32[1,1,1,1]{1}, f32[1,1,1,1]{4} -> f32[1,1,1,2]{0,1}",
                               "f16[2]{1,2}, f32[]{0}, f32[]{0.1} -> f32[2]{3.1622777,6.3245553} ~1e-6",
                               "f32[2]{1,2}, f32[]{0}, f32[]{4} dtype=f16 -> f16[2]{0.5,1}",
                               "f16[N,2], f32[N,1], f32[N,1] dtype=f16 -> f16[N,2]",
                               "f16[2], f32[], f32[] dtype=i32 !! E_DTYPE")},
    W("SoftmaxGrad", "the gradient of softmax at its output",
      "a = axes(axes, softmax); grad_x = Mul(Sub(grad_softmax, ReduceSum(Mul(softmax, grad_softmax), a, "
      "keep_dims=true)), softmax)",
      "f32[2]{0.5,0.5}, f32[2]{1,0} -> f32[2]{0.25,-0.25}"),
    W("LogSoftmaxGrad", "the gradient of log-softmax at its output",
      "y = Sub(grad, Mul(Exp(x), ReduceSum(grad, axes(axis, x), keep_dims=true)))",
      "f32[2]{1,0}, f32[2]{-0.693147,-0.693147} -> f32[2]{0.5,-0.5} ~1e-5"),
    W("SoftmaxGradExt", "the gradient of softmax, scaled",
      "y = Mul(Sub(grad, ReduceSum(Mul(grad, x1), int(axes), keep_dims=@keep_dims)), x2)",
      "f32[1,2]{1,0}, f32[1,2]{0.5,0.5}, f32[1]{2} -> f32[1,2]{1,-1}"),
    W("L2NormalizeGrad", "the gradient of L2Normalize",
      "a = axes(dim, x); n = Maximum(Sqrt(ReduceSum(Square(x), a, keep_dims=true)), eps); dx = "
      "RealDiv(Sub(dy, Mul(y, ReduceSum(Mul(dy, y), a, keep_dims=true))), n)",
      "f32[1,2]{3,4}, f32[1,2]{0.6,0.8}, f32[1,2]{0.6,0.8} -> f32[1,2]{0,0}"),
    W("Centralization", "x without its mean over axes",
      "y = Sub(x, ReduceMean(x, axes(axes, x), keep_dims=true))", "f32[2]{1,3} -> f32[2]{-1,1}"),
    W("ClipByNormNoDivSum", "the root of x where it is positive, at least maximum_ones",
      "p = Greater(x, greater_zeros); s = SelectV2(p, x, select_ones); r = Sqrt(s); y = Maximum(SelectV2(p, "
      "r, x), maximum_ones)",
      "f32[2]{4,0}, f32[2]{0,0}, f32[2]{1,1}, f32[2]{1,1} -> f32[2]{2,1}"),
    COMPOSED("FusedMulAdd", "x1 x2 + x3", "y = Add(Mul(x1, x2), x3)",
             "f32[1]{2}, f32[1]{3}, f32[1]{4} -> f32[1]{10}"),
    COMPOSED("FusedMulAddN", "x1 x3 + x2", "y = Add(Mul(x1, x3), x2)",
             "f32[1]{2}, f32[1]{3}, f32[1]{4} -> f32[1]{11}"),
    W("ConfusionMulGrad", "input0 input1, and the sums of input1 input2",
      "output0 = Mul(input0, input1); output1 = ReduceSum(Mul(input1, input2), axes(axes, input1), "
      "keep_dims=@keep_dims)",
      "f32[1]{2}, f32[1]{3}, f32[1]{4} -> f32[1]{6}, f32[]{12}"),
    // ---- reductions ----
    W("ReduceMeanVariance", "means and variances over axes",
      "a = axes(axes, x); m = ReduceMean(x, a, keep_dims=true); variance = ReduceMean(Square(Sub(x, m)), a, "
      "keep_dims=@keep_dims); mean = ReduceMean(x, a, keep_dims=@keep_dims)",
      "f32[1,2]{1,3} axes=[1] -> f32[1,1]{2}, f32[1,1]{1}"),
    {0},
};
// SPDX-License-Identifier: Apache-2.0
