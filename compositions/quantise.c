// compositions/quantise.c - numbers as small integers and back: Ascend's quantisation, TensorFlow's fake one,
// and norms whose results are quantised. Halves are computed in f32; numbers are rounded half to even and
// saturated.
#include "quantise.h"

#define W COMPOSED_WIDE

// ---- with given scales ----
static weft_status ascend_quant_build(weft__composing *c) {
  const weft_op_desc *n = c->desc;
  WEFT_TRY(weft__compose_text(c, weft_node_bool(n, WEFT_SLOT_ASCEND_QUANT_SQRT_MODE)
                                     ? "v = Add(Mul(Mul(x, scale), scale), offset)"
                                     : "v = Add(Mul(x, scale), offset)"));
  return quantise(c, "y", (weft_dtype)weft_node_int(n, WEFT_SLOT_ASCEND_QUANT_DST_TYPE),
                  weft_node_str(n, WEFT_SLOT_ASCEND_QUANT_ROUND_MODE));
}
static weft_status ascend_quant_dtype(weft_infer *it) {
  it->out_dtype[0] = (weft_dtype)weft_node_int(it->desc, WEFT_SLOT_ASCEND_QUANT_DST_TYPE);
  return WEFT_OK;
}

static weft_status ascend_quant_v2_build(weft__composing *c) {
  const weft_op_desc *n = c->desc;
  int64_t axis = weft_node_int(n, WEFT_SLOT_ASCEND_QUANT_V2_AXIS);
  WEFT_TRY(quantise_spread(c, "scale", "x", axis));
  WEFT_TRY(quantise_spread(c, "offset", "x", axis));
  WEFT_TRY(weft__compose_text(c, weft_node_bool(n, WEFT_SLOT_ASCEND_QUANT_V2_SQRT_MODE)
                                     ? "v = Mul(Mul(x, scale), scale)"
                                     : "v = Mul(x, scale)"));
  if (weft__composed(c, "offset"))
    WEFT_TRY(weft__compose_text(c, "v = Add(v, offset)"));
  return quantise(c, "y", (weft_dtype)weft_node_int(n, WEFT_SLOT_ASCEND_QUANT_V2_DST_TYPE),
                  weft_node_str(n, WEFT_SLOT_ASCEND_QUANT_V2_ROUND_MODE));
}
static weft_status ascend_quant_v2_dtype(weft_infer *it) {
  it->out_dtype[0] = (weft_dtype)weft_node_int(it->desc, WEFT_SLOT_ASCEND_QUANT_V2_DST_TYPE);
  return WEFT_OK;
}

static weft_status ascend_anti_quant_build(weft__composing *c) {
  const weft_op_desc *n = c->desc;
  c->main = WEFT_FLOAT;
  WEFT_TRY(weft__compose_text(c, "y = Mul(Add(f32(x), offset), scale)"));
  if (weft_node_bool(n, WEFT_SLOT_ASCEND_ANTI_QUANT_SQRT_MODE))
    WEFT_TRY(weft__compose_text(c, "y = Mul(y, scale)"));
  return quantise_give(c, (weft_dtype)weft_node_int(n, WEFT_SLOT_ASCEND_ANTI_QUANT_DTYPE));
}
static weft_status ascend_anti_quant_dtype(weft_infer *it) {
  it->out_dtype[0] = (weft_dtype)weft_node_int(it->desc, WEFT_SLOT_ASCEND_ANTI_QUANT_DTYPE);
  return WEFT_OK;
}
static weft_status ascend_anti_quant_v2_build(weft__composing *c) {
  const weft_op_desc *n = c->desc;
  WEFT_TRY(weft__compose_text(c, weft__composed(c, "offset") ? "y = Mul(Add(f32(x), f32(offset)), f32(scale))"
                                                             : "y = Mul(f32(x), f32(scale))"));
  if (weft_node_bool(n, WEFT_SLOT_ASCEND_ANTI_QUANT_V2_SQRT_MODE))
    WEFT_TRY(weft__compose_text(c, "y = Mul(y, f32(scale))"));
  return quantise_give(c, (weft_dtype)weft_node_int(n, WEFT_SLOT_ASCEND_ANTI_QUANT_V2_DST_TYPE));
}
static weft_status ascend_anti_quant_v2_dtype(weft_infer *it) {
  it->out_dtype[0] = (weft_dtype)weft_node_int(it->desc, WEFT_SLOT_ASCEND_ANTI_QUANT_V2_DST_TYPE);
  return WEFT_OK;
}

static weft_status ascend_dequant_build(weft__composing *c) {
  const weft_op_desc *n = c->desc;
  c->main = WEFT_FLOAT;
  WEFT_TRY(quantise_scale(c, "deq_scale"));
  WEFT_TRY(weft__compose_text(c, "y = Mul(f32(x), deq_scale)"));
  if (weft_node_bool(n, WEFT_SLOT_ASCEND_DEQUANT_SQRT_MODE))
    WEFT_TRY(weft__compose_text(c, "y = Mul(y, deq_scale)"));
  if (weft_node_bool(n, WEFT_SLOT_ASCEND_DEQUANT_RELU_FLAG))
    WEFT_TRY(weft__compose_text(c, "y = Relu(y)"));
  return quantise_give(c, (weft_dtype)weft_node_int(n, WEFT_SLOT_ASCEND_DEQUANT_DTYPE));
}
static weft_status ascend_dequant_dtype(weft_infer *it) {
  it->out_dtype[0] = (weft_dtype)weft_node_int(it->desc, WEFT_SLOT_ASCEND_DEQUANT_DTYPE);
  return WEFT_OK;
}
static weft_status ascend_requant_build(weft__composing *c) {
  c->main = WEFT_FLOAT;
  WEFT_TRY(quantise_scale(c, "req_scale"));
  WEFT_TRY(weft__compose_text(c, "v = Mul(f32(x), req_scale)"));
  if (weft_node_bool(c->desc, WEFT_SLOT_ASCEND_REQUANT_RELU_FLAG))
    WEFT_TRY(weft__compose_text(c, "v = Relu(v)"));
  return quantise(c, "y", WEFT_INT8, "rint");
}
// Integers of a matrix product back as floats; a bias of integers is added before, one of floats behind.
static weft_status dequant_bias_build(weft__composing *c) {
  weft_value *bias = weft__composed(c, "bias");
  bool whole = bias && bias->fact.dtype == WEFT_INT32;
  c->main = WEFT_FLOAT;
  WEFT_TRY(weft__compose_text(c, whole ? "y = f32(Add(x, bias))" : "y = f32(x)"));
  WEFT_TRY(weft__compose_text(c, "y = Mul(y, f32(weight_scale))"));
  if (weft__composed(c, "activate_scale"))
    WEFT_TRY(weft__compose_text(c, "y = Mul(y, Unsqueeze(activate_scale, axes=[-1]))"));
  if (bias && !whole)
    WEFT_TRY(weft__compose_text(c, "y = Add(y, f32(bias))"));
  return quantise_give(c, (weft_dtype)weft_node_int(c->desc, WEFT_SLOT_DEQUANT_BIAS_OUTPUT_DTYPE));
}
static weft_status dequant_bias_dtype(weft_infer *it) {
  it->out_dtype[0] = (weft_dtype)weft_node_int(it->desc, WEFT_SLOT_DEQUANT_BIAS_OUTPUT_DTYPE);
  return WEFT_OK;
}

// ---- products of matrices ----
static weft_status quant_batch_matmul_v3_build(weft__composing *c) {
  const weft_op_desc *n = c->desc;
  weft_value *bias = weft__composed(c, "bias");
  bool whole = bias && bias->fact.dtype == WEFT_INT32;
  weft_value *x1 = weft__composed(c, "x1");
  weft_value *x2 = weft__composed(c, "x2");
  if (weft_node_int(n, WEFT_SLOT_QUANT_BATCH_MATMUL_V3_GROUP_SIZE))
    return front_fail(c->o, WEFT_E_UNSUPPORTED, "attribute 'group_size': only 0 is computed");
  if (!x1 || !x2 || (x1->fact.dtype != WEFT_INT8 && x1->fact.dtype != WEFT_INT4) ||
      (x2->fact.dtype != WEFT_INT8 && x2->fact.dtype != WEFT_INT4))
    return front_fail(c->o, WEFT_E_UNSUPPORTED, "inputs 'x1' and 'x2': products of i8 and i4 are computed");
  c->main = WEFT_FLOAT;
  WEFT_TRY(quantise_scale(c, "scale"));
  WEFT_TRY(weft__compose_text(
      c, "p = BatchMatMulV2(i32(x1), i32(x2), adj_x1=@transpose_x1, adj_x2=@transpose_x2)"));
  WEFT_TRY(weft__compose_text(c, whole ? "y = Mul(f32(Add(p, bias)), scale)" : "y = Mul(f32(p), scale)"));
  if (weft__composed(c, "pertoken_scale"))
    WEFT_TRY(weft__compose_text(c, "y = Mul(y, Unsqueeze(f32(pertoken_scale), axes=[-1]))"));
  if (bias && !whole)
    WEFT_TRY(weft__compose_text(c, "y = Add(y, f32(bias))"));
  if (weft__composed(c, "offset"))
    WEFT_TRY(weft__compose_text(c, "y = Add(y, offset)"));
  return product_give(c, (weft_dtype)weft_node_int(n, WEFT_SLOT_QUANT_BATCH_MATMUL_V3_DTYPE));
}
static weft_status quant_batch_matmul_v3_dtype(weft_infer *it) {
  it->out_dtype[0] = (weft_dtype)weft_node_int(it->desc, WEFT_SLOT_QUANT_BATCH_MATMUL_V3_DTYPE);
  return WEFT_OK;
}

// Scales and offsets are of the whole weight or of its columns.
static weft_status weight_quant_build(weft__composing *c) {
  const weft_op_desc *n = c->desc;
  weft_value *w = weft__composed(c, "weight");
  weft_dtype scale = weft__composed(c, "antiquant_scale") ? weft__composed(c, "antiquant_scale")->fact.dtype
                                                          : WEFT_UNDEFINED;
  bool turned = weft_node_bool(n, WEFT_SLOT_WEIGHT_QUANT_BATCH_MATMUL_V2_TRANSPOSE_WEIGHT);
  if (weft_node_int(n, WEFT_SLOT_WEIGHT_QUANT_BATCH_MATMUL_V2_ANTIQUANT_GROUP_SIZE) ||
      weft__composed(c, "quant_scale"))
    return front_fail(c->o, WEFT_E_UNSUPPORTED,
                      "groups ('antiquant_group_size') and 'quant_scale' are not computed");
  if (!w || (w->fact.dtype != WEFT_INT8 && w->fact.dtype != WEFT_INT4) || !weft_dtype_is_float(scale))
    return front_fail(c->o, WEFT_E_UNSUPPORTED,
                      "input 'weight': i8 and i4 with scales of floats are computed");
  static const char *const of[] = {"antiquant_scale", "antiquant_offset"};
  for (size_t i = 0; i < WEFT_COUNT(of); i++) {
    weft_value *v = weft__composed(c, of[i]);
    if (v && turned && front_rank(v) == 1)
      weft__compose_name(c, of[i], front_unsqueezed(c->o, v, 1));
  }
  c->main = WEFT_FLOAT;
  WEFT_TRY(
      weft__compose_text(c, weft__composed(c, "antiquant_offset")
                                ? "f = Mul(Add(f32(weight), f32(antiquant_offset)), f32(antiquant_scale))"
                                : "f = Mul(f32(weight), f32(antiquant_scale))"));
  WEFT_TRY(
      weft__compose_text(c, "y = BatchMatMulV2(f32(x), f, adj_x1=@transpose_x, adj_x2=@transpose_weight)"));
  if (weft__composed(c, "bias"))
    WEFT_TRY(weft__compose_text(c, "y = Add(y, f32(bias))"));
  return product_give(c, c->given[0].dtype);
}
static weft_status weight_quant_dtype(weft_infer *it) {
  it->out_dtype[0] = it->in_dtype[0];
  return WEFT_OK;
}

// ---- by dtypes that a text names ----
// torch's names of dtypes
static weft_dtype quantize_to(const weft_op_desc *n) {
  const char *name = weft_node_str(n, WEFT_SLOT_QUANTIZE_DTYPE);
  return strstr(name, "uint8") ? WEFT_UINT8 : strstr(name, "int32") ? WEFT_INT32 : WEFT_INT8;
}
static weft_status quantize_build(weft__composing *c) {
  int64_t axis = weft_node_int(c->desc, WEFT_SLOT_QUANTIZE_AXIS);
  WEFT_TRY(quantise_spread(c, "scales", "x", axis));
  WEFT_TRY(quantise_spread(c, "zero_points", "x", axis));
  WEFT_TRY(weft__compose_text(c, "v = Rint(RealDiv(f32(x), f32(scales)))"));
  if (weft__composed(c, "zero_points"))
    WEFT_TRY(weft__compose_text(c, "v = Add(v, f32(zero_points))"));
  return quantise(c, "y", quantize_to(c->desc), "rint");
}
static weft_status quantize_dtype(weft_infer *it) {
  it->out_dtype[0] = quantize_to(it->desc);
  return WEFT_OK;
}

// ---- fake quantisation ----
// "a", "b": the nudged range; "s": the distance of two steps
static weft_status fake_range(weft__composing *c, int64_t bits, bool narrow) {
  if (bits < 2 || bits > 16)
    return front_fail(c->o, WEFT_E_RANGE, "attribute 'num_bits': %lld is outside [2, 16]", (long long)bits);
  weft__compose_name(c, "low", front_num(c->o, WEFT_FLOAT, narrow));
  weft__compose_name(c, "top", front_num(c->o, WEFT_FLOAT, (1 << bits) - 1));
  return weft__compose_text(
      c,
      "s = RealDiv(Sub(max, min), Sub(top, low)); z = Sub(low, RealDiv(min, s)); "
      "z = Floor(Add(Minimum(Maximum(z, low), top), 0.5)); a = Mul(Sub(low, z), s); b = Mul(Sub(top, z), s); "
      "empty = LogicalAnd(Equal(min, 0), Equal(max, 0))");
}
static weft_status fake_build(weft__composing *c) {  // attributes num_bits and narrow_range are the last two
  uint32_t n = c->desc->n_attr;
  WEFT_TRY(fake_range(c, weft_node_int(c->desc, n - 2), weft_node_bool(c->desc, n - 1)));
  return weft__compose_text(
      c,
      "v = Minimum(Maximum(x, a), b); y = Add(Mul(Floor(Add(Mul(Sub(v, a), RealDiv(1, s)), 0.5)), s), a); "
      "y = SelectV2(empty, ZerosLike(x), y)");
}
static weft_status fake_gradient_build(weft__composing *c) {
  uint32_t n = c->desc->n_attr;
  WEFT_TRY(fake_range(c, weft_node_int(c->desc, n - 2), weft_node_bool(c->desc, n - 1)));
  WEFT_TRY(weft__compose_text(c,
                              "none = ZerosLike(x); under = LogicalAnd(Less(x, a), LogicalNot(empty)); over "
                              "= LogicalAnd(Greater(x, b), LogicalNot(empty)); "
                              "g = SelectV2(LogicalOr(under, over), none, gradients)"));
  if (!strcmp(c->desc->type, "FakeQuantWithMinMaxArgsGradient"))
    return weft__compose_text(c, "y = Identity(g)");
  WEFT_TRY(weft__compose_text(c,
                              "backprops_wrt_x = Identity(g); u = onto(SelectV2(under, gradients, none), "
                              "min); o = onto(SelectV2(over, gradients, none), max)"));
  return weft__compose_text(c,
                            "backprop_wrt_min = Identity(u); backprops_wrt_min = Identity(u); "
                            "backprop_wrt_max = Identity(o); backprops_wrt_max = Identity(o)");
}
static weft_status fake_cachemask_build(weft__composing *c) {
  int64_t axis = weft_node_int(c->desc, WEFT_SLOT_FAKE_QUANT_AFFINE_CACHEMASK_AXIS);
  WEFT_TRY(quantise_spread(c, "scale", "x", axis));
  WEFT_TRY(quantise_spread(c, "zero_point", "x", axis));
  return weft__compose_text(c,
                            "z = as(x, zero_point); q = Add(Rint(RealDiv(x, scale)), z); mask = "
                            "LogicalAnd(GreaterEqual(q, quant_min), LessEqual(q, quant_max)); "
                            "y = Mul(Sub(Minimum(Maximum(q, quant_min), quant_max), z), scale)");
}

// ---- scales of the data ----
static weft_status dynamic_quant_build(weft__composing *c) {
  WEFT_TRY(weft__compose_text(c, "v = Identity(x)"));
  WEFT_TRY(dynamic_smooth(c, "smooth_scales", "group_index"));
  return dynamic_rows(c, "y", "scale", (weft_dtype)weft_node_int(c->desc, WEFT_SLOT_DYNAMIC_QUANT_DST_TYPE));
}
static weft_status dynamic_quant_dtype(weft_infer *it) {
  it->out_dtype[0] = (weft_dtype)weft_node_int(it->desc, WEFT_SLOT_DYNAMIC_QUANT_DST_TYPE);
  it->out_dtype[1] = WEFT_FLOAT;
  return WEFT_OK;
}
static weft_status dynamic_quant_v2_build(weft__composing *c) {
  const weft_op_desc *n = c->desc;
  weft_dtype t = (weft_dtype)weft_node_int(n, WEFT_SLOT_DYNAMIC_QUANT_V2_DST_TYPE);
  char text[400];
  if (strcmp(weft_node_str(n, WEFT_SLOT_DYNAMIC_QUANT_V2_QUANT_MODE), "pertoken") != 0)
    return front_fail(c->o, WEFT_E_UNSUPPORTED, "attribute 'quant_mode': only pertoken is computed");
  WEFT_TRY(weft__compose_text(c, "v = Identity(x)"));
  WEFT_TRY(dynamic_smooth(c, "smooth_scales", "group_index"));
  if (weft_node_bool(n, WEFT_SLOT_DYNAMIC_QUANT_V2_IS_SYMMETRICAL)) {
    WEFT_TRY(dynamic_rows(c, "y", "scale", t));
    return weft__compose_text(c, "offset = ZerosLike(scale)");
  }
  if (t != WEFT_INT8 && t != WEFT_INT4)
    return front_fail(c->o, WEFT_E_UNSUPPORTED, "attribute 'dst_type': int8 and int4 are computed, not %s",
                      weft_dtype_serial(t));
  snprintf(text, sizeof text,
           "m = ReduceMax(v, [-1]); scale = RealDiv(Sub(m, ReduceMin(v, [-1])), %d); none = Equal(scale, 0); "
           "offset = SelectV2(none, ZerosLike(m), Sub(%d, RealDiv(m, scale))); "
           "v = Add(RealDiv(v, Unsqueeze(scale, axes=[-1])), Unsqueeze(offset, axes=[-1])); "
           "v = SelectV2(Unsqueeze(none, axes=[-1]), ZerosLike(v), v)",
           t == WEFT_INT8 ? 255 : 15, t == WEFT_INT8 ? 127 : 7);
  WEFT_TRY(weft__compose_text(c, text));
  return quantise(c, "y", t, "rint");
}
static weft_status dynamic_quant_v2_dtype(weft_infer *it) {
  it->out_dtype[0] = (weft_dtype)weft_node_int(it->desc, WEFT_SLOT_DYNAMIC_QUANT_V2_DST_TYPE);
  it->out_dtype[1] = it->out_dtype[2] = WEFT_FLOAT;
  return WEFT_OK;
}

// ---- norms ----
static weft_status add_rms_norm_quant_build(weft__composing *c) {
  const weft_op_desc *n = c->desc;
  bool divides = weft_node_bool(n, WEFT_SLOT_ADD_RMS_NORM_QUANT_DIV_MODE);
  weft_dtype t = (weft_dtype)weft_node_int(n, WEFT_SLOT_ADD_RMS_NORM_QUANT_DST_TYPE);
  WEFT_TRY(weft__compose_text(c, "x = Add(x1, x2)"));
  WEFT_TRY(quantised_norm(c));
  WEFT_TRY(quantised_by(c, 1, divides, t));
  return quantised_by(c, 2, divides, t);
}
static weft_status add_rms_norm_quant_dtype(weft_infer *it) {
  it->out_dtype[0] = it->out_dtype[1] =
      (weft_dtype)weft_node_int(it->desc, WEFT_SLOT_ADD_RMS_NORM_QUANT_DST_TYPE);
  it->out_dtype[2] = it->in_dtype[0];
  return WEFT_OK;
}
static weft_status rms_norm_quant_v2_build(weft__composing *c) {
  const weft_op_desc *n = c->desc;
  bool divides = weft_node_bool(n, WEFT_SLOT_RMS_NORM_QUANT_V2_DIV_MODE);
  weft_dtype t = (weft_dtype)weft_node_int(n, WEFT_SLOT_RMS_NORM_QUANT_V2_DST_TYPE);
  WEFT_TRY(quantised_norm(c));
  WEFT_TRY(quantised_by(c, 1, divides, t));
  return quantised_by(c, 2, divides, t);
}
static weft_status rms_norm_quant_v2_dtype(weft_infer *it) {
  it->out_dtype[0] = it->out_dtype[1] =
      (weft_dtype)weft_node_int(it->desc, WEFT_SLOT_RMS_NORM_QUANT_V2_DST_TYPE);
  return WEFT_OK;
}
static weft_status rms_norm_dynamic_quant_build(weft__composing *c) {
  WEFT_TRY(quantised_norm(c));
  WEFT_TRY(weft__compose_text(c, "v = Identity(r)"));
  WEFT_TRY(dynamic_smooth(c, "smooth_scales", ""));
  return dynamic_rows(c, "y", "scale",
                      (weft_dtype)weft_node_int(c->desc, WEFT_SLOT_RMS_NORM_DYNAMIC_QUANT_DST_TYPE));
}
static weft_status add_rms_norm_dynamic_quant_build(weft__composing *c) {
  weft_dtype t = (weft_dtype)weft_node_int(c->desc, WEFT_SLOT_ADD_RMS_NORM_DYNAMIC_QUANT_DST_TYPE);
  WEFT_TRY(weft__compose_text(c, "x = Add(x1, x2)"));
  WEFT_TRY(quantised_norm(c));
  WEFT_TRY(weft__compose_text(c, "v = Identity(r)"));
  WEFT_TRY(dynamic_smooth(c, "smooth_scale1", ""));
  WEFT_TRY(dynamic_rows(c, "y1", "scale1", t));
  WEFT_TRY(weft__compose_text(
      c, weft__composed(c, "smooth_scale2") ? "v = Mul(r, smooth_scale2)" : "v = ZerosLike(r)"));
  return dynamic_rows(c, "y2", "scale2", t);
}
static weft_status add_rms_norm_dynamic_quant_dtype(weft_infer *it) {
  it->out_dtype[0] = it->out_dtype[1] =
      (weft_dtype)weft_node_int(it->desc, WEFT_SLOT_ADD_RMS_NORM_DYNAMIC_QUANT_DST_TYPE);
  it->out_dtype[2] = it->in_dtype[0];
  it->out_dtype[3] = it->out_dtype[4] = WEFT_FLOAT;
  return WEFT_OK;
}

#define TYPED_AS(op_name, says, of, in_f32, ...)                                              \
  {                                                                                           \
    .name = op_name, .summary = says, .traits = WEFT_SYMBOLIC, .infer = weft__composed_infer, \
    .infer_dtype = of##_dtype, .ref = weft__composed_ref,                                     \
    .user = &(const weft__composition){.build = of##_build, .wide = in_f32},                  \
    .examples = WEFT_EXAMPLES(__VA_ARGS__)                                                    \
  }
#define TYPED(op_name, says, of, ...) TYPED_AS(op_name, says, of, true, __VA_ARGS__)
#define PLAIN(op_name, says, of, ...) TYPED_AS(op_name, says, of, false, __VA_ARGS__)
#define BY(op_name, says, of, ...)    COMPOSED_WIDE_BY(op_name, says, of##_build, __VA_ARGS__)

// clang-format off
WEFT_ROWS(quantise) = {
  PLAIN("AscendQuant", "x scale + offset as a small integer", ascend_quant,
       "f32[3]{1,-0.5,9} scale=20 offset=1 -> i8[3]{21,-9,127}",
       "f16[N] scale=1 offset=0 round_mode=\"Floor\" -> i8[N]"),
  TYPED("AscendQuantV2", "x scale + offset as a small integer, by channel", ascend_quant_v2,
       "f32[2]{1,2}, f32[2]{10,20}, f32[2]{1,1} -> i8[2]{11,41}", "f32[N,2,3], f32[2] axis=1 -> i8[N,2,3]"),
  TYPED("AscendAntiQuant", "(x + offset) scale", ascend_anti_quant,
       "i8[2]{1,2} scale=0.5 offset=3 -> f32[2]{2,2.5}", "i8[N] scale=1 offset=0 dtype=1 -> f16[N]"),
  PLAIN("AscendAntiQuantV2", "(x + offset) scale, by channel", ascend_anti_quant_v2,
       "i8[2]{1,2}, f32[2]{0.5,1}, f32[2]{3,0} -> f16[2]{2,2}"),
  PLAIN("AscendDequant", "integers of a product as floats", ascend_dequant,
       "i32[2]{4,-6}, u64[1]{1056964608} -> f32[2]{2,-3}",
       "i32[2]{4,-6}, u64[1]{1056964608} relu_flag=true dtype=1 -> f16[2]{2,0}",
       "i32[N,4], f16[4] -> f32[N,4]"),
  BY("AscendRequant", "integers of a product as small integers", ascend_requant,
       "i32[2]{4,-600}, u64[1]{1056964608} -> i8[2]{2,-128}"),
  PLAIN("DequantBias", "integers of a product as floats, and a bias", dequant_bias,
       "i32[1,2]{4,6}, f32[2]{0.5,1}, f32[1]{2}, f32[2]{1,0} output_dtype=1 -> f16[1,2]{5,12}"),
  TYPED("Quantize", "x / scale + zero point as an integer", quantize,
       "f32[3]{1,2,1000}, f32[1]{0.5}, i32[1]{3} dtype=\"torch.quint8\" -> u8[3]{5,7,255}",
       "f32[N,2,3], f32[2], i32[2] dtype=\"torch.qint8\" -> i8[N,2,3]"),
  BY("FakeQuantWithMinMaxArgs", "x rounded to the steps of integers", fake,
       "f32[3]{-10,0.02,63} min=0 max=51 -> f32[3]{0,0,51}", "f32[N] -> f32[N]"),
  BY("FakeQuantWithMinMaxVars", "x rounded to the steps of integers", fake,
       "f32[3]{-10,0.3,63}, f32[]{0}, f32[]{51} -> f32[3]{0,0.4,51} ~1e-6"),
  BY("FakeQuantWithMinMaxVarsPerChannel", "x rounded to the steps of integers, by channel", fake,
       "f32[1,2]{0.3,63}, f32[2]{0,0}, f32[2]{51,0} -> f32[1,2]{0.4,0} ~1e-6",
       "f32[N,3], f32[3], f32[3] -> f32[N,3]"),
  BY("FakeQuantWithMinMaxArgsGradient", "gradients where x is in the range", fake_gradient,
       "f32[2]{1,1}, f32[2]{0,9} -> f32[2]{1,0}"),
  BY("FakeQuantWithMinMaxVarsGradient", "gradients of x and of the range", fake_gradient,
       "f32[3]{1,2,3}, f32[3]{-1,1,9}, f32[]{0}, f32[]{6} -> f32[3]{0,2,0}, f32[]{1}, f32[]{3}"),
  BY("FakeQuantWithMinMaxVarsPerChannelGradient", "gradients of x and of the ranges", fake_gradient,
       "f32[2,1]{1,2}, f32[2,1]{-1,9}, f32[1]{0}, f32[1]{6} -> f32[2,1]{0,0}, f32[1]{1}, f32[1]{2}"),
  BY("FakeQuantAffineCachemask", "x rounded to the steps of integers, and where it was not cut",
       fake_cachemask,
       "f32[2]{1.1,9}, f32[1]{0.5}, i32[1]{0} axis=0 quant_min=0 quant_max=7 -> f32[2]{1,3.5}, "
       "bool[2]{true,false}"),
  TYPED("DynamicQuant", "rows as small integers, by their largest", dynamic_quant,
       "f16[1,2]{127,-63.5} -> i8[1,2]{127,-64}, f32[1]{1}", "f16[N,4], f16[4] -> i8[N,4], f32[N]"),
  TYPED("DynamicQuantV2", "rows as small integers, by their range", dynamic_quant_v2,
       "f16[1,2]{127,-128} -> i8[1,2]{127,-128}, f32[1]{1}, f32[1]{0}",
       // a row of one number has no range: its scale is 0, and so is all of it
       "f16[2,2]{0,0,3,3} -> i8[2,2]{0,0,0,0}, f32[2]{0,0}, f32[2]{0,0}",
       "f16[N,4] is_symmetrical=true -> i8[N,4], f32[N], f32[N]"),
  TYPED("AddRmsNormQuant", "RmsNorm of a sum, quantised, and the sum", add_rms_norm_quant,
       "f32[1,2]{1,1}, f32[1,2]{2,2}, f32[2]{1,1}, f32[2]{0.5,1} -> i8[1,2]{2,1}, i8[1,2]{0,0}, "
       "f32[1,2]{3,3}", "f16[N,4], f16[N,4], f16[4], f32[4] -> i8[N,4], i8[N,4], f16[N,4]"),
  TYPED("RmsNormQuantV2", "RmsNorm, quantised", rms_norm_quant_v2,
       "f32[1,2]{3,3}, f32[2]{1,1}, f32[2]{2,1} div_mode=false -> i8[1,2]{2,1}, i8[1,2]{0,0}"),
  BY("RmsNormDynamicQuant", "RmsNorm, its rows quantised by their largest", rms_norm_dynamic_quant,
       "f16[1,2]{3,-3}, f16[2]{1,1} -> i8[1,2]{127,-127}, f32[1]{0.007874} ~1e-4"),
  TYPED("AddRmsNormDynamicQuant", "RmsNorm of a sum, its rows quantised by their largest",
       add_rms_norm_dynamic_quant,
        "f16[1,2]{1,-1}, f16[1,2]{2,-2}, f16[2]{1,1} -> i8[1,2]{127,-127}, i8[1,2]{0,0}, f16[1,2]{3,-3}, "
        "f32[1]{0.007874}, f32[1]{0} ~1e-4"),
  PLAIN("QuantBatchMatmulV3", "products of integers, scaled", quant_batch_matmul_v3,
          "i8[1,2]{1,2}, i8[2,1]{3,4}, f32[1]{0.5} dtype=0 -> f32[1,1]{5.5}",
          "i8[1,2]{1,2}, i8[2,1]{3,4}, u64[1]{1056964608}, _, i32[1]{1} dtype=1 -> f16[1,1]{6}",
          "i8[N,4], i8[4,3], f32[3] dtype=2 -> i8[N,3]"),
  PLAIN("WeightQuantBatchMatmulV2", "a product with weights of integers", weight_quant,
       "f16[1,2]{1,2}, i8[2,1]{3,4}, f16[1]{0.5}, f16[1]{1} -> f16[1,1]{7}",
       "f16[N,4], i8[3,4], f16[3] transpose_weight=true -> f16[N,3]"),
  {0},
};
// SPDX-License-Identifier: Apache-2.0
