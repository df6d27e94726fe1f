// compositions/quantise_more.c - norms, gates and products of large models that end in small integers. Halves
// are computed in f32; numbers are rounded half to even and saturated. Groups of rows, 8-bit floats with
// shared scales and packed parameters are refused. Layer: compositions.
#include <math.h>

#include "quantise.h"

// ---- norms ----
// "x" = x1 + x2 (+ bias), "r": its layer norm over the last axis.
static weft_status quantise_layer_norm(weft__composing *c) {
  int rank = front_rank_of(c->o, weft__composed(c, "gamma"));
  if (c->o->failed)
    return c->o->failed;
  if (rank != 1)
    return front_fail(c->o, WEFT_E_UNSUPPORTED, "input 'gamma': only one axis, the last, is normalised");
  WEFT_TRY(weft__compose_text(c, "x = Add(x1, x2)"));
  if (weft__composed(c, "bias"))
    WEFT_TRY(weft__compose_text(c, "x = Add(x, bias)"));
  return weft__compose_text(c,
                            "d = Sub(x, ReduceMean(x, [-1], keep_dims=true)); "
                            "r = Mul(d, Rsqrt(Add(ReduceMean(Square(d), [-1], keep_dims=true), epsilon))); "
                            "r = Add(Mul(r, gamma), beta)");
}
// Of smooth scales (dynamic) or of scales and zero points that are given; without scales: 0.
static weft_status quantise_norm_output(weft__composing *c, int which, bool dynamic, bool divides) {
  char text[96];
  char y[8];
  char scale[16];
  if (!dynamic)
    return quantised_by(c, which, divides, WEFT_INT8);
  snprintf(y, sizeof y, "y%d", which);
  snprintf(scale, sizeof scale, "scales%d", which);
  bool there = weft__composed(c, scale);
  snprintf(text, sizeof text,
           there        ? "v = Mul(r, %s)"
           : which == 1 ? "v = Identity(r)"
                        : "v = ZerosLike(r)",
           scale);
  WEFT_TRY(weft__compose_text(c, text));
  snprintf(scale, sizeof scale, "out_scales%d", which);
  return dynamic_rows(c, y, scale, WEFT_INT8);
}
static weft_status add_layer_norm_quant_build(weft__composing *c) {
  const weft_op_desc *n = c->desc;
  bool dynamic = !strcmp(weft_node_str(n, WEFT_SLOT_ADD_LAYER_NORM_QUANT_QUANT_MODE), "dynamic");
  WEFT_TRY(quantise_layer_norm(c));
  for (int i = 1; i <= 2; i++)
    WEFT_TRY(quantise_norm_output(c, i, dynamic, weft_node_bool(n, WEFT_SLOT_ADD_LAYER_NORM_QUANT_DIV_MODE)));
  if (!strcmp(n->type, "AddLayerNormQuantV2"))
    WEFT_TRY(weft__compose_text(c, "layernorm_res = Identity(r)"));
  return dynamic ? WEFT_OK
                 : weft__compose_text(c, "out_scales1 = Fill([1], f32(0)); out_scales2 = Fill([1], f32(0))");
}
static weft_status add_layer_norm_quant_dtype(weft_infer *it) {
  it->out_dtype[0] = it->out_dtype[1] = WEFT_INT8;
  for (uint32_t i = 2; i < it->n_out; i++)
    it->out_dtype[i] = i + 2 < it->n_out ? it->in_dtype[0] : WEFT_FLOAT;
  return WEFT_OK;
}
static weft_status quantise_to_attr(weft__composing *c, const char *scale, const char *zero, const char *y,
                                    weft_dtype t) {
  char text[64];
  snprintf(text, sizeof text, "v = RealDiv(r, f32(%s))", scale);
  WEFT_TRY(weft__compose_text(c, text));
  if (weft__composed(c, zero)) {
    snprintf(text, sizeof text, "v = Add(v, f32(%s))", zero);
    WEFT_TRY(weft__compose_text(c, text));
  }
  return quantise(c, y, t, "rint");
}
static weft_status quantize_add_layer_norm_build(weft__composing *c) {
  WEFT_TRY(quantise_layer_norm(c));
  return quantise_to_attr(c, "scales", "zero_points", "y", WEFT_INT8);
}
static weft_status quantize_add_layer_norm_dtype(weft_infer *it) {
  it->out_dtype[0] = WEFT_INT8;
  it->out_dtype[1] = it->in_dtype[0];
  return WEFT_OK;
}
static weft_status dua_quantize_build(weft__composing *c) {
  weft_dtype t = (weft_dtype)weft_node_int(c->desc, WEFT_SLOT_DUA_QUANTIZE_ADD_LAYER_NORM_DTYPE);
  WEFT_TRY(quantise_layer_norm(c));
  WEFT_TRY(quantise_to_attr(c, "scales1", "zero_points1", "y1", t));
  return quantise_to_attr(c, "scales2", "zero_points2", "y2", t);
}
static weft_status dua_quantize_dtype(weft_infer *it) {
  it->out_dtype[0] = it->out_dtype[1] =
      (weft_dtype)weft_node_int(it->desc, WEFT_SLOT_DUA_QUANTIZE_ADD_LAYER_NORM_DTYPE);
  it->out_dtype[2] = it->in_dtype[0];
  return WEFT_OK;
}
static weft_status rms_norm_quant_v3_build(weft__composing *c) {
  const weft_op_desc *n = c->desc;
  bool divides = weft_node_bool(n, WEFT_SLOT_RMS_NORM_QUANT_V3_DIV_MODE);
  weft_dtype t = (weft_dtype)weft_node_int(n, WEFT_SLOT_RMS_NORM_QUANT_V3_DST_TYPE);
  WEFT_TRY(quantised_norm(c));
  WEFT_TRY(weft__compose_text(c, "rstd = Rsqrt(Add(ReduceMean(Square(x), [-1], keep_dims=true), epsilon))"));
  WEFT_TRY(quantised_by(c, 1, divides, t));
  return quantised_by(c, 2, divides, t);
}
static weft_status rms_norm_quant_v3_dtype(weft_infer *it) {
  it->out_dtype[0] = it->out_dtype[1] =
      (weft_dtype)weft_node_int(it->desc, WEFT_SLOT_RMS_NORM_QUANT_V3_DST_TYPE);
  it->out_dtype[2] = WEFT_FLOAT;
  return WEFT_OK;
}
// y3 and y4 are the norm itself.
static weft_status add_rms_norm_dynamic_v2_build(weft__composing *c) {
  weft_dtype t = (weft_dtype)weft_node_int(c->desc, WEFT_SLOT_ADD_RMS_NORM_DYNAMIC_QUANT_V2_DST_TYPE);
  WEFT_TRY(weft__compose_text(c, "x = Add(x1, x2)"));
  WEFT_TRY(quantised_norm(c));
  WEFT_TRY(weft__compose_text(c, "y3 = f32(r); v = Identity(r)"));
  WEFT_TRY(dynamic_smooth(c, "smooth_scale1", ""));
  WEFT_TRY(dynamic_rows(c, "y1", "scale1", t));
  WEFT_TRY(weft__compose_text(
      c, weft__composed(c, "smooth_scale2") ? "v = Mul(r, smooth_scale2)" : "v = ZerosLike(r)"));
  WEFT_TRY(dynamic_rows(c, "y2", "scale2", t));
  weft__compose_name(c, "y4", front_as(c->o, weft__composed(c, "r"), c->given[0].dtype));
  return c->o->failed;
}
static weft_status add_rms_norm_dynamic_v2_dtype(weft_infer *it) {
  it->out_dtype[0] = it->out_dtype[1] =
      (weft_dtype)weft_node_int(it->desc, WEFT_SLOT_ADD_RMS_NORM_DYNAMIC_QUANT_V2_DST_TYPE);
  it->out_dtype[3] = it->out_dtype[4] = it->in_dtype[0];
  it->out_dtype[2] = it->out_dtype[5] = it->out_dtype[6] = WEFT_FLOAT;
  return WEFT_OK;
}
static weft_status multi_add_rms_norm_build(weft__composing *c) {
  size_t n;
  weft_value *const *all = weft__composed_all(c, "x1", &n);
  if (!n)
    return front_fail(c->o, WEFT_E_INVALID, "input 'x1': nothing is given");
  weft_value *sum = all[0];
  for (size_t i = 1; i < n; i++)
    sum = front_do(c->o, "Add", sum, all[i], NULL);
  weft__compose_name(c, "sum", sum);
  WEFT_TRY(weft__compose_text(c, "x = Add(sum, x2)"));
  WEFT_TRY(quantised_norm(c));
  WEFT_TRY(weft__compose_text(c, "y = Identity(r); v = Identity(r)"));
  WEFT_TRY(dynamic_smooth(c, "smooth_scale1", ""));
  WEFT_TRY(dynamic_rows(c, "y1", "scale1", WEFT_INT8));
  WEFT_TRY(weft__compose_text(
      c, weft__composed(c, "smooth_scale2") ? "v = Mul(r, smooth_scale2)" : "v = ZerosLike(r)"));
  return dynamic_rows(c, "y2", "scale2", WEFT_INT8);
}
static weft_status multi_add_rms_norm_dtype(weft_infer *it) {
  it->out_dtype[0] = it->out_dtype[1] = WEFT_INT8;
  it->out_dtype[2] = it->out_dtype[3] = it->in_dtype[0];
  it->out_dtype[4] = it->out_dtype[5] = WEFT_FLOAT;
  return WEFT_OK;
}

// Scales of rows, [N] or [N, 1], beside matrices.
static weft_status quantise_by_row(weft__composing *c, const char *name) {
  weft_value *v = weft__composed(c, name);
  int rank = front_rank_of(c->o, v);
  weft__compose_name(c, name, rank == 1 ? front_unsqueezed(c->o, v, 1) : v);
  return c->o->failed;
}

// ---- gates ----
// "v": SwiGlu of "x" over its last axis; `left`: the first half is the one that is activated.
static weft_status quantise_swiglu(weft__composing *c, bool left) {
  WEFT_TRY(weft__compose_text(c, "a, b = SplitD(x, split_dim=-1, num_split=2)"));
  return weft__compose_text(c, left ? "v = Mul(Swish(a), b)" : "v = Mul(Swish(b), a)");
}
static weft_status quantise_no_groups(weft__composing *c) {
  return weft__composed(c, "group_index")
             ? front_fail(c->o, WEFT_E_UNSUPPORTED, "input 'group_index': groups of rows are not computed")
             : WEFT_OK;
}
static weft_status swiglu_quant_build(weft__composing *c) {
  const weft_op_desc *n = c->desc;
  weft_dtype t = (weft_dtype)weft_node_int(n, WEFT_SLOT_SWI_GLU_QUANT_DST_TYPE);
  bool dynamic = !strncmp(weft_node_str(n, WEFT_SLOT_SWI_GLU_QUANT_QUANT_MODE), "dynamic", 7);
  WEFT_TRY(quantise_no_groups(c));
  WEFT_TRY(quantise_swiglu(c, weft_node_bool(n, WEFT_SLOT_SWI_GLU_QUANT_ACTIVATE_LEFT)));
  if (weft__composed(c, "offsets"))
    return front_fail(c->o, WEFT_E_UNSUPPORTED, "input 'offsets': only symmetric steps are computed");
  if (!dynamic)
    return front_fail(c->o, WEFT_E_UNSUPPORTED, "attribute 'quant_mode': only dynamic is computed");
  WEFT_TRY(dynamic_smooth(c, "smooth_scales", ""));
  return dynamic_rows(c, "y", "scale", t);
}
static weft_status swiglu_quant_dtype(weft_infer *it) {
  it->out_dtype[0] = (weft_dtype)weft_node_int(it->desc, WEFT_SLOT_SWI_GLU_QUANT_DST_TYPE);
  it->out_dtype[1] = WEFT_FLOAT;
  return WEFT_OK;
}
static weft_status dequant_swiglu_build(weft__composing *c) {
  const weft_op_desc *n = c->desc;
  weft_value *bias = weft__composed(c, "bias");
  bool whole = bias && bias->fact.dtype == WEFT_INT32;
  bool fixed = !strcmp(weft_node_str(n, WEFT_SLOT_DEQUANT_SWIGLU_QUANT_QUANT_MODE), "static");
  weft_dtype t = (weft_dtype)weft_node_int(n, WEFT_SLOT_DEQUANT_SWIGLU_QUANT_DST_TYPE);
  WEFT_TRY(quantise_no_groups(c));
  if (weft_node_int(n, WEFT_SLOT_DEQUANT_SWIGLU_QUANT_SWIGLU_MODE) ||
      weft_node_int(n, WEFT_SLOT_DEQUANT_SWIGLU_QUANT_ACTIVATE_DIM) != -1)
    return front_fail(c->o, WEFT_E_UNSUPPORTED,
                      "attributes 'swiglu_mode' and 'activate_dim': only 0 and -1 are computed");
  c->main = WEFT_FLOAT;
  WEFT_TRY(weft__compose_text(c, whole ? "x = f32(Add(x, bias))" : "x = f32(x)"));
  if (weft__composed(c, "weight_scale"))
    WEFT_TRY(weft__compose_text(c, "x = Mul(x, weight_scale)"));
  if (weft__composed(c, "activation_scale")) {
    WEFT_TRY(quantise_by_row(c, "activation_scale"));
    WEFT_TRY(weft__compose_text(c, "x = Mul(x, activation_scale)"));
  }
  if (bias && !whole)
    WEFT_TRY(weft__compose_text(c, "x = Add(x, f32(bias))"));
  WEFT_TRY(quantise_swiglu(c, weft_node_bool(n, WEFT_SLOT_DEQUANT_SWIGLU_QUANT_ACTIVATE_LEFT)));
  if (!fixed) {
    WEFT_TRY(dynamic_smooth(c, "quant_scale", "quant_offset"));
    return dynamic_rows(c, "y", "scale", t);
  }
  if (!weft__composed(c, "quant_scale"))
    return front_fail(c->o, WEFT_E_INVALID, "input 'quant_scale' is needed where 'quant_mode' is static");
  WEFT_TRY(weft__compose_text(
      c, "scale = Fill(Shape(ReduceMax(v, [-1]), dtype=9), f32(0)); v = RealDiv(v, f32(quant_scale))"));
  if (weft__composed(c, "quant_offset"))
    WEFT_TRY(weft__compose_text(c, "v = Add(v, f32(quant_offset))"));
  return quantise(c, "y", t, "rint");
}
static weft_status dequant_swiglu_dtype(weft_infer *it) {
  it->out_dtype[0] = (weft_dtype)weft_node_int(it->desc, WEFT_SLOT_DEQUANT_SWIGLU_QUANT_DST_TYPE);
  it->out_dtype[1] = WEFT_FLOAT;
  return WEFT_OK;
}
static weft_status gelu_quant_build(weft__composing *c) {
  const weft_op_desc *n = c->desc;
  weft_dtype t = (weft_dtype)weft_node_int(n, WEFT_SLOT_GELU_QUANT_DST_TYPE);
  const char *how = weft_node_str(n, WEFT_SLOT_GELU_QUANT_ROUND_MODE);
  bool tanh = !strcmp(weft_node_str(n, WEFT_SLOT_GELU_QUANT_APPROXIMATE), "tanh");
  WEFT_TRY(weft__compose_text(
      c, tanh ? "v = GeluV2(x, approximate='tanh')" : "v = GeluV2(x, approximate='none')"));
  if (!strcmp(weft_node_str(n, WEFT_SLOT_GELU_QUANT_QUANT_MODE), "dynamic")) {
    WEFT_TRY(dynamic_smooth(c, "input_scale", ""));
    return dynamic_rows(c, "y", "out_scale", t);
  }
  if (!weft__composed(c, "input_scale"))
    return front_fail(c->o, WEFT_E_INVALID, "input 'input_scale' is needed where 'quant_mode' is static");
  WEFT_TRY(weft__compose_text(c, "out_scale = Fill([1], f32(0)); v = Mul(v, input_scale)"));
  if (weft__composed(c, "input_offset"))
    WEFT_TRY(weft__compose_text(c, "v = Add(v, input_offset)"));
  return quantise(c, "y", t, how);
}
static weft_status gelu_quant_dtype(weft_infer *it) {
  it->out_dtype[0] = (weft_dtype)weft_node_int(it->desc, WEFT_SLOT_GELU_QUANT_DST_TYPE);
  it->out_dtype[1] = WEFT_FLOAT;
  return WEFT_OK;
}
// group_index: totals of rows; each group has a row of `scale`.
static weft_status group_quant_build(weft__composing *c) {
  weft__compose_name(c, "axis_0", front_index(c->o, 0));
  weft__compose_name(c, "p", front_counting(c->o, front_dim_index(c->o, weft__composed(c, "x"), 0)));
  weft__compose_name(c, "last",
                     front_do(c->o, "Sub", front_dim_index(c->o, weft__composed(c, "scale"), 0),
                              front_index(c->o, 1), NULL));
  WEFT_TRY(weft__compose_text(c,
                              "of = Minimum(i64(SearchSorted(i64(group_index), p, right=true)), last); "
                              "v = Mul(x, GatherV2(scale, of, axis_0))"));
  if (weft__composed(c, "offset"))
    WEFT_TRY(weft__compose_text(c, "v = Add(v, offset)"));
  return quantise(c, "y", (weft_dtype)weft_node_int(c->desc, WEFT_SLOT_GROUP_QUANT_DST_TYPE), "rint");
}
static weft_status group_quant_dtype(weft_infer *it) {
  it->out_dtype[0] = (weft_dtype)weft_node_int(it->desc, WEFT_SLOT_GROUP_QUANT_DST_TYPE);
  return WEFT_OK;
}

// ---- products ----
static weft_status quant_matmul_v4_build(weft__composing *c) {
  static const char *const never[] = {"y_scale", "x1_offset", "x2_offset", "y_offset", "x2_table", "x3"};
  const weft_op_desc *n = c->desc;
  bool fused = !strcmp(n->type, "FusedQuantMatMul");
  weft_value *bias = weft__composed(c, "bias");
  bool whole = bias && bias->fact.dtype == WEFT_INT32;
  for (size_t i = 0; i < WEFT_COUNT(never); i++) {
    if (weft__composed(c, never[i]))
      return front_fail(c->o, WEFT_E_UNSUPPORTED, "input '%s': a product with it is not computed", never[i]);
  }
  for (int i = 0; i < 2; i++) {
    if (c->given[i].dtype != WEFT_INT8 && c->given[i].dtype != WEFT_INT4)
      return front_fail(c->o, WEFT_E_UNSUPPORTED, "inputs 'x1' and 'x2': products of i8 and i4 are computed");
  }
  if (weft_node_int(n, WEFT_SLOT_QUANT_BATCH_MATMUL_V4_GROUP_SIZE) > 0)
    return front_fail(c->o, WEFT_E_UNSUPPORTED, "attribute 'group_size': groups are not computed");
  const char *then = fused ? weft_node_str(n, WEFT_SLOT_FUSED_QUANT_MAT_MUL_FUSED_OP_TYPE) : "";
  if (*then && strcmp(then, "relu") != 0)
    return front_fail(c->o, WEFT_E_UNSUPPORTED, "attribute 'fused_op_type': only relu is computed, not '%s'",
                      then);
  c->main = WEFT_FLOAT;
  WEFT_TRY(weft__compose_text(
      c, "p = BatchMatMulV2(i32(x1), i32(x2), adj_x1=@transpose_x1, adj_x2=@transpose_x2)"));
  WEFT_TRY(weft__compose_text(c, whole ? "y = f32(Add(p, bias))" : "y = f32(p)"));
  if (weft__composed(c, "x2_scale")) {
    WEFT_TRY(quantise_scale(c, "x2_scale"));
    WEFT_TRY(weft__compose_text(c, "y = Mul(y, x2_scale)"));
  }
  if (weft__composed(c, "x1_scale")) {
    WEFT_TRY(quantise_by_row(c, "x1_scale"));
    WEFT_TRY(weft__compose_text(c, "y = Mul(y, f32(x1_scale))"));
  }
  if (bias && !whole)
    WEFT_TRY(weft__compose_text(c, "y = Add(y, f32(bias))"));
  if (*then)
    WEFT_TRY(weft__compose_text(c, "y = Relu(y)"));
  return product_give(c, (weft_dtype)weft_node_int(n, WEFT_SLOT_QUANT_BATCH_MATMUL_V4_DTYPE));
}
static weft_status quant_matmul_v4_dtype(weft_infer *it) {
  it->out_dtype[0] = (weft_dtype)weft_node_int(it->desc, WEFT_SLOT_QUANT_BATCH_MATMUL_V4_DTYPE);
  return WEFT_OK;
}

// ---- beside them ----
// [B, T, 3 D] and a bias as queries, keys and values [B, heads, T, D / heads], queries scaled.
static weft_status bias_rescale_qkv_build(weft__composing *c) {
  front_op *o = c->o;
  int64_t heads = weft_node_int(c->desc, WEFT_SLOT_TRANSFORM_BIAS_RESCALE_QKV_NUM_HEADS);
  weft_value *x = weft__composed(c, "qkv");
  int rank = front_rank_of(o, x);
  weft_dim n = front_dim(x, 2);
  if (o->failed)
    return o->failed;
  if (rank != 3 || heads < 1 || heads > (1 << 20) || (n >= 0 && n % (3 * heads)))
    return front_fail(
        o, WEFT_E_SHAPE,
        "input 'qkv': expected [batch, steps, 3 x %lld heads x size], got rank %d and dim 2 of %lld",
        (long long)heads, rank, front_shown(n));
  if (n < 0)
    return front_fail(o, WEFT_E_UNKNOWN, "the size of a head is not known");
  static const char *const outs[] = {"q", "k", "v"};
  const int64_t size = n / 3 / heads;
  weft__compose_name(c, "parts", front_list(o, (const int64_t[]){0, 0, 3, heads, size}, 5));
  weft__compose_name(c, "by", front_num(o, WEFT_FLOAT, 1 / sqrt((double)WEFT_MAX(size, 1))));
  WEFT_TRY(weft__compose_text(c, "a = Reshape(Add(qkv, qkv_bias), parts, allowzero=false)"));
  for (int i = 0; i < 3; i++) {
    weft_value *v = front_squeezed(o, front_part(o, weft__composed(c, "a"), 2, i, i + 1), 2);
    weft__compose_name(c, outs[i], front_swapped(o, v, 1, 2));
  }
  return weft__compose_text(c, "q = Mul(q, by)");
}
static weft_status rel_pos_softmax_build(weft__composing *c) {
  WEFT_TRY(weft__compose_text(c, "s = Add(Mul(x, scale_value), relative_pos_bias)"));
  weft_value *mask = weft__composed(c, "atten_mask");
  if (mask && front_rank_of(c->o, mask) == 3)
    weft__compose_name(c, "atten_mask", front_unsqueezed(c->o, mask, 1));
  if (mask)
    WEFT_TRY(weft__compose_text(c, "s = Add(s, atten_mask)"));
  return weft__compose_text(c, "y = SoftmaxV2(s, axes=[-1])");
}
// 1 where a step is within its sequence: [steps, batch, units].
static weft_status rnn_mask(weft__composing *c, weft_value *steps, int64_t units) {
  weft__compose_name(c, "p", front_unsqueezed(c->o, front_counting(c->o, steps), 1));
  WEFT_TRY(weft__compose_text(c, "m = Unsqueeze(Less(p, i64(seq_length)), axes=[-1])"));
  weft__compose_name(c, "units", front_list(c->o, (const int64_t[]){1, 1, units}, 3));
  return weft__compose_text(c, "m = Tile(f32(m), units)");
}
static weft_status rnn_gen_mask_build(weft__composing *c) {
  int64_t steps = weft_node_int(c->desc, WEFT_SLOT_RNN_GEN_MASK_NUM_STEP);
  int64_t units = weft_node_int(c->desc, WEFT_SLOT_RNN_GEN_MASK_HIDDEN_SIZE);
  if (steps < 0 || units < 0 || steps > INT32_MAX || units > INT32_MAX)
    return front_fail(c->o, WEFT_E_RANGE,
                      "attributes 'num_step' and 'hidden_size': %lld and %lld are no sizes", (long long)steps,
                      (long long)units);
  WEFT_TRY(rnn_mask(c, front_index(c->o, steps), units));
  weft__compose_name(c, "seq_mask", front_as(c->o, weft__composed(c, "m"), WEFT_FLOAT16));
  return c->o->failed;
}
static weft_status rnn_gen_mask_v2_build(weft__composing *c) {
  int64_t units = weft_node_int(c->desc, WEFT_SLOT_RNN_GEN_MASK_V2_HIDDEN_SIZE);
  weft_value *x = weft__composed(c, "x");
  if (units < 0 || units > INT32_MAX)
    return front_fail(c->o, WEFT_E_RANGE, "attribute 'hidden_size': %lld is no size", (long long)units);
  WEFT_TRY(rnn_mask(c, front_dim_index(c->o, x, 0), units));
  weft__compose_name(c, "seq_mask", front_as(c->o, weft__composed(c, "m"), x->fact.dtype));
  return c->o->failed;
}

#define TYPED(op_name, says, of, ...)                                                         \
  {                                                                                           \
    .name = op_name, .summary = says, .traits = WEFT_SYMBOLIC, .infer = weft__composed_infer, \
    .infer_dtype = of##_dtype, .ref = weft__composed_ref,                                     \
    .user = &(const weft__composition){.build = of##_build, .wide = true},                    \
    .examples = WEFT_EXAMPLES(__VA_ARGS__)                                                    \
  }
// clang-format off
WEFT_ROWS(quantise_more) = {
  TYPED("AddLayerNormQuant", "a layer norm of a sum, quantised, and the sum", add_layer_norm_quant,
    "f32[1,2]{1,2}, f32[1,2]{0,1}, f32[2]{1,1}, f32[2]{0,0}, _, f32[2]{1,1} epsilon=0 -> i8[1,2]{-127,127}, "
    "i8[1,2]{0,0}, f32[1,2]{1,3}, f32[1]{0.007874}, f32[1]{0} ~1e-4",
    "f32[1,2]{1,2}, f32[1,2]{0,1}, f32[2]{1,1}, f32[2]{0,0}, _, f32[2]{0.5,0.1} epsilon=0 "
    "quant_mode=\"static\" -> i8[1,2]{-2,10}, i8[1,2]{0,0}, f32[1,2]{1,3}, f32[1]{0}, f32[1]{0}",
    "f16[N,8], f16[N,8], f16[8], f16[8] -> i8[N,8], i8[N,8], f16[N,8], f32[N], f32[N]"),
  TYPED("AddLayerNormQuantV2", "a layer norm of a sum, quantised, itself, and the sum", add_layer_norm_quant,
    "f16[N,8], f16[N,8], f16[8], f16[8] -> i8[N,8], i8[N,8], f16[N,8], f16[N,8], f32[N], f32[N]"),
  TYPED("QuantizeAddLayerNorm", "a layer norm of a sum, quantised, and the sum", quantize_add_layer_norm,
    "f32[1,2]{1,2}, f32[1,2]{0,0}, f32[2]{1,1}, f32[2]{0,0}, f32[2]{0,1}, f32[2]{0.5,0.5}, "
    "f32[2]{1,1} dtype=2 "
    "epsilon=0 -> i8[1,2]{-1,3}, f32[1,2]{1,3}",
    "f16[N,8], f16[N,8], f16[8], f16[8], f16[8], f32[8] dtype=2 -> i8[N,8], f16[N,8]"),
  TYPED("DuaQuantizeAddLayerNorm", "a layer norm of a sum, quantised twice, and the sum", dua_quantize,
    "f32[1,2]{1,2}, f32[1,2]{0,0}, f32[2]{1,1}, f32[2]{0,0}, f32[2]{0,1}, f32[2]{0.5,0.5}, "
    "f32[2]{1,1} dtype=2 "
    "epsilon=0 -> i8[1,2]{-2,2}, i8[1,2]{-1,1}, f32[1,2]{1,3}"),
  TYPED("AddRmsNormDynamicQuantV2", "RmsNorm of a sum, its rows quantised, itself, and the sum",
    add_rms_norm_dynamic_v2,
    "f16[1,2]{1,-1}, f16[1,2]{2,-2}, f16[2]{1,1} -> i8[1,2]{127,-127}, i8[1,2]{0,0}, f32[1,2]{1,-1}, "
    "f16[1,2]{1,-1}, f16[1,2]{3,-3}, f32[1]{0.007874}, f32[1]{0} ~1e-4"),
  TYPED("RmsNormQuantV3", "RmsNorm, quantised", rms_norm_quant_v3,
    "f32[1,2]{3,3}, f32[2]{1,1}, f32[2]{2,1} div_mode=false epsilon=0 -> i8[1,2]{2,1}, i8[1,2]{0,0}, "
    "f32[1,1]{0.3333333} ~1e-6"),
  TYPED("MultiAddRmsNormDynamicQuant", "RmsNorm of a sum of many, its rows quantised", multi_add_rms_norm,
    "[f16[1,2]{1,-1}, f16[1,2]{1,-1}], f16[1,2]{1,-1}, f16[2]{1,1} -> i8[1,2]{127,-127}, i8[1,2]{0,0}, "
    "f16[1,2]{3,-3}, f16[1,2]{1,-1}, f32[1]{0.007874}, f32[1]{0} ~1e-4"),
  TYPED("SwiGluQuant", "half of x times the sigmoid of the other, by rows as small integers", swiglu_quant,
    "f32[1,4]{2,-4,50,50} -> i8[1,2]{64,-127}, f32[1]{1.5748031} ~1e-5",
    "f16[N,8], f32[4] activate_left=true -> i8[N,4], f32[N]",
    "f16[N,8], _, _, i32[2] -> _, _ !! E_UNSUPPORTED groups of rows"),
  TYPED("DequantSwigluQuant", "integers of a product, gated, by rows as small integers", dequant_swiglu,
    "i32[1,4]{4,-8,100,100}, f32[4]{0.5,0.5,0.5,0.5} quant_mode=\"dynamic\" -> i8[1,2]{64,-127}, "
    "f32[1]{1.5748031} ~1e-5",
    "i32[1,4]{4,-8,100,100}, f32[4]{0.5,0.5,0.5,0.5}, f32[1]{1}, _, f32[2]{10,10} -> "
    "i8[1,2]{10,-20}, f32[1]{0}"),
  TYPED("GeluQuant", "Gelu, quantised", gelu_quant,
    "f32[1,2]{50,-50} -> i8[1,2]{127,0}, f32[1]{0.3937008} ~1e-5",
    "f16[N,4], f16[4], f16[4] quant_mode=\"static\" -> i8[N,4], f32[1]"),
  TYPED("GroupQuant", "groups of rows, each with scales of its own, as small integers", group_quant,
    "f32[3,1]{1,2,3}, f32[2,1]{1,10}, i32[2]{1,3}, f32[1]{1} -> i8[3,1]{2,21,31}",
    "f16[N,8], f32[E,8], i64[E] dst_type=29 -> i4[N,8]"),
  TYPED("QuantBatchMatmulV4", "products of integers, scaled", quant_matmul_v4,
    "i8[1,2]{1,2}, i8[2,1]{3,4}, f32[1]{1}, f32[1]{2}, f32[1]{0.5} dtype=1 -> f16[1,1]{12}",
    "i8[N,4], i4[4,3], _, f32[N], f32[3] dtype=27 -> bf16[N,3]"),
  TYPED("FusedQuantMatMul", "products of integers, scaled and activated", quant_matmul_v4,
    "i8[1,2]{1,2}, i8[2,1]{3,-4}, i32[1]{1}, _, f32[1]{0.5} dtype=1 fused_op_type=\"relu\" -> f16[1,1]{0}",
    "i8[N,4], i8[4,3], _, f32[N], f32[3] dtype=1 -> f16[N,3]"),
  COMPOSED_WIDE_BY("TransformBiasRescaleQkv", "queries, keys and values by head", bias_rescale_qkv_build,
    "f32[1,1,6]{1,2,3,4,5,6}, f32[6]{1,1,1,1,1,1} num_heads=2 -> f32[1,2,1,1]{2,3}, f32[1,2,1,1]{4,5}, "
    "f32[1,2,1,1]{6,7}",
    "f16[B,T,24], f16[24] num_heads=2 -> f16[B,2,T,4], f16[B,2,T,4], f16[B,2,T,4]",
    "f16[B,T,23], f16[23] num_heads=2 -> _, _, _ !! E_SHAPE input 'qkv'"),
  COMPOSED_WIDE_BY("MaskedSoftmaxWithRelPosBias", "softmax of scaled x, a mask and a bias of places",
    rel_pos_softmax_build,
    "f32[1,1,1,1,2]{1,1}, f32[1,1,2]{0,-inf}, f32[1,1,2]{1,2} scale_value=2 -> f32[1,1,1,1,2]{1,0}",
    "f16[B,4,2,8,8], _, f16[2,8,8] -> f16[B,4,2,8,8]"),
  COMPOSED_BY("RnnGenMask", "1 where a step is within its sequence", rnn_gen_mask_build,
    "i32[2]{1,2} num_step=2 hidden_size=1 -> f16[2,2,1]{1,1,0,1}",
    "i32[B] num_step=3 hidden_size=4 -> f16[3,B,4]",
    "i32[2] num_step=-1 hidden_size=4 -> _ !! E_RANGE no sizes"),
  COMPOSED_LIKE_BY("RnnGenMaskV2", "1 where a step is within its sequence", "x", rnn_gen_mask_v2_build,
    "i32[2]{1,2}, f32[2,2,1] hidden_size=1 -> f32[2,2,1]", "i32[B], f16[T,B,8] hidden_size=4 -> f16[T,B,4]"),
  {0},
};
// SPDX-License-Identifier: Apache-2.0
