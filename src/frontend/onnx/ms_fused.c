// ms_fused.c - products and convolutions of com.microsoft with something before or after them, as the peer's
// optimiser puts them together. The parts become primitives again; weft's own passes fuse what its kernels do
// in one go.
#include <math.h>

#include "frontend/onnx/ms.h"

// ---- what follows ----
typedef struct activation {
  const char *name, *primitive;
  struct {
    const char *name;  // NULL: no more
    float dflt;
  } attr[2];
} activation;
static const activation activations[] = {
    {"Elu", "Elu", {{"alpha", 1}}},
    {"Gelu", "Gelu", {{NULL, 0}}},
    {"HardSigmoid", "HardSigmoid", {{"alpha", 0.2f}, {"beta", 0.5f}}},
    {"HardSwish", "HardSwish", {{NULL, 0}}},
    {"LeakyRelu", "LeakyRelu", {{"negative_slope", 0.01f}}},
    {"QuickGelu", "Swish", {{"scale", 1.702f}}},
    {"Relu", "Relu", {{NULL, 0}}},
    {"Selu", "Selu", {{"alpha", 1.67326319217681884765625f}, {"gamma", 1.05070102214813232421875f}}},
    {"Sigmoid", "Sigmoid", {{NULL, 0}}},
    {"Softplus", "Softplus", {{NULL, 0}}},
    {"Softsign", "Softsign", {{NULL, 0}}},
    {"Tanh", "Tanh", {{NULL, 0}}},
    {"ThresholdedRelu", "ThresholdedRelu", {{"alpha", 1}}},
};

weft_value *onnx_ms_activated(onnx_op *o, weft_value *v, weft_str name, const float *p, size_t n) {
  if (o->failed || !name.bytes)
    return v;
  if (name.bytes == 4 && !memcmp(name.text, "Clip", 4)) {
    double low = n > 0 ? (double)p[0] : -INFINITY, high = n > 1 ? (double)p[1] : INFINITY;
    weft_value *least = onnx_num(o, v->fact.dtype, low);
    weft_value *most = onnx_num(o, v->fact.dtype, high);
    return onnx_do(o, "ClipByValueV2", v, least, most);
  }
  for (size_t i = 0; i < WEFT_COUNT(activations); i++) {
    const activation *a = &activations[i];
    if (strlen(a->name) != name.bytes || memcmp(a->name, name.text, name.bytes) != 0)
      continue;
    for (size_t k = 0; k < WEFT_COUNT(a->attr) && a->attr[k].name; k++)
      onnx_set(o, a->attr[k].name, weft_attr_float(k < n ? p[k] : a->attr[k].dflt));
    if (!strcmp(a->primitive, "Gelu"))
      onnx_set(o, "approximate", weft_attr_str("none", 4));
    return onnx_do(o, a->primitive, v, NULL, NULL);
  }
  o->failed = onnx_fail(o, WEFT_E_UNSUPPORTED, "attribute 'activation': '%.*s' is not imported",
                        (int)WEFT_MIN(name.bytes, 60), name.text);
  return NULL;
}

// `activation` with the list `activation_params`.
static weft_value *with_params(onnx_op *o, weft_value *v) {
  weft_str name = {"", 0};
  const onnx_attr *p = onnx_find_attr(o, "activation_params");
  o->failed = onnx_str_attr(o, "activation", "", &name);
  return onnx_ms_activated(o, v, name, p ? p->floats.v : NULL, p ? p->floats.n : 0);
}

// `activation` with `activation_alpha` and `activation_beta`.
static weft_value *with_alpha(onnx_op *o, weft_value *v) {
  static const char *const names[] = {"activation_alpha", "activation_beta"};
  weft_str name = {"", 0};
  float p[2];
  size_t n = 0;
  o->failed = onnx_str_attr(o, "activation", "", &name);
  for (; n < 2 && onnx_find_attr(o, names[n]); n++)
    p[n] = onnx_float(o, names[n], 0);
  return onnx_ms_activated(o, v, name, p, n);
}

// ---- products ----
static weft_value *ms_fused_scaled(onnx_op *o, weft_value *v, float by) {
  return o->failed || by == 1.0f ? v : onnx_do(o, "Mul", v, onnx_num(o, v->fact.dtype, (double)by), NULL);
}

// The first axis goes behind the axes of the batch: [m, b..., k] to [b..., m, k].
static weft_value *batch_first(onnx_op *o, const char *attr, weft_value *v) {
  int64_t order[WEFT_MAX_RANK];
  if (!onnx_int(o, attr, 0))
    return v;
  int rank = onnx_rank_needed(o, v);
  if (o->failed || rank < 3)
    return v;
  for (int i = 0; i < rank - 2; i++)
    order[i] = i + 1;
  order[rank - 2] = 0;
  order[rank - 1] = rank - 1;
  return onnx_do(o, "Transpose", v, onnx_list(o, order, (size_t)rank), NULL);
}

static weft_value *fused_product(onnx_op *o) {
  weft_value *a = batch_first(o, "transBatchA", onnx_arg(o, 0));
  weft_value *b = batch_first(o, "transBatchB", onnx_arg(o, 1));
  float alpha = onnx_float(o, "alpha", 1);
  bool turn_a = onnx_int(o, "transA", 0) != 0;
  bool turn_b = onnx_int(o, "transB", 0) != 0;
  if (o->failed)
    return NULL;
  onnx_set(o, "adj_x1", weft_attr_bool(turn_a && onnx_rank(a) != 1));
  onnx_set(o, "adj_x2", weft_attr_bool(turn_b && onnx_rank(b) != 1));
  return ms_fused_scaled(o, onnx_do(o, "BatchMatMulV2", a, b, NULL), alpha);
}

static weft_status fused_mat_mul(onnx_op *o) {
  return onnx_result(o, 0, fused_product(o));
}

static weft_status fused_mat_mul_activation(onnx_op *o) {
  weft_value *y = fused_product(o);
  if (!onnx_is(o, "activation", "", "Softmax"))
    return onnx_result(o, 0, with_alpha(o, y));
  int64_t axis = onnx_int(o, "activation_axis", -1);
  onnx_set(o, "axes", weft_attr_ints(&axis, 1));
  return onnx_result(o, 0, onnx_do(o, "SoftmaxV2", y, NULL, NULL));
}

static weft_status fused_gemm(onnx_op *o) {
  weft_value *in[3] = {onnx_arg(o, 0), onnx_arg(o, 1), onnx_in(o, 2)};
  return onnx_result(o, 0, with_alpha(o, onnx_apply(o, "Gemm", in, in[2] ? 3 : 2)));
}

// ---- convolutions ----
// Between [N, C, places...] and [N, places..., C].
weft_value *onnx_ms_channels(onnx_op *o, weft_value *v, bool last) {
  int64_t order[WEFT_MAX_RANK] = {0};
  int rank = onnx_rank_needed(o, v);
  if (o->failed || rank < 3)
    return v;
  for (int i = 1; i < rank; i++)
    order[i] = last ? i + 1 : i - 1;
  order[last ? rank - 1 : 1] = last ? 1 : rank - 1;
  return onnx_do(o, "Transpose", v, onnx_list(o, order, (size_t)rank), NULL);
}

weft_value *onnx_ms_conv(onnx_op *o, weft_value *const in[3], weft_value *sum) {
  weft_value *y = onnx_apply(o, "Conv", in, in[2] ? 3 : 2);
  if (sum)
    y = onnx_do(o, "Add", y, sum, NULL);
  return with_params(o, y);
}

static weft_status fused_conv(onnx_op *o) {
  weft_value *in[3] = {onnx_arg(o, 0), onnx_arg(o, 1), onnx_in(o, 2)};
  return onnx_result(o, 0, onnx_ms_conv(o, in, onnx_in(o, 3)));
}

// The same with channels last; weights are laid out as those of Conv.
static weft_status nhwc_conv(onnx_op *o) {
  weft_value *in[3] = {onnx_ms_channels(o, onnx_arg(o, 0), false), onnx_arg(o, 1), onnx_in(o, 2)};
  weft_value *sum = onnx_in(o, 3);
  weft_value *y = onnx_ms_channels(o, onnx_apply(o, "Conv", in, in[2] ? 3 : 2), true);
  if (sum)
    y = onnx_do(o, "Add", y, sum, NULL);
  return onnx_result(o, 0, with_params(o, y));
}

static weft_status nhwc_max_pool(onnx_op *o) {
  weft_value *x = onnx_ms_channels(o, onnx_arg(o, 0), false);
  return onnx_result(o, 0, onnx_ms_channels(o, onnx_apply(o, "MaxPool", &x, 1), true));
}

static weft_status conv_transpose_pads(onnx_op *o) {
  weft_value *in[3] = {onnx_arg(o, 0), onnx_arg(o, 1), onnx_in(o, 3)};
  weft_value *pads = onnx_in(o, 2);
  const weft_tensor *t = pads ? weft_value_data(pads) : NULL;
  int64_t list[2 * WEFT_MAX_RANK];
  int64_t n = t && t->data ? weft_tensor_elems(t) : 0;
  WEFT_TRY(o->failed);
  if (pads && (!t || !t->data || t->dtype != WEFT_INT64 || n > (int64_t)WEFT_COUNT(list))) {
    return onnx_fail(o, WEFT_E_UNSUPPORTED,
                     "input 2: pads that are not known before the model runs are not imported; make them a "
                     "constant");
  }
  for (int64_t i = 0; i < n; i++)
    list[i] = weft_load_i64(t->dtype, t->data, (size_t)i);
  if (n)
    onnx_set(o, "pads", weft_attr_ints(list, (size_t)n));
  return onnx_result(o, 0, onnx_apply(o, "ConvTranspose", in, in[2] ? 3 : 2));
}

static const onnx_mapping fused_rows[] = {
    {"ConvTransposeWithDynamicPads", 1, 0, "ConvTranspose", conv_transpose_pads, ONNX_MS},
    {"FusedConv", 1, 0, "Conv2D, Add, ...", fused_conv, ONNX_MS},
    {"FusedGemm", 1, 0, "MatMulV2, Add, ...", fused_gemm, ONNX_MS},
    {"FusedMatMul", 1, 0, "BatchMatMulV2, Mul", fused_mat_mul, ONNX_MS},
    {"FusedMatMulActivation", 1, 0, "BatchMatMulV2, Mul, ...", fused_mat_mul_activation, ONNX_MS},
    {"NhwcConv", 1, 0, "Transpose, Conv2D", nhwc_conv, ONNX_MS},
    {"NhwcFusedConv", 1, 0, "Transpose, Conv2D, ...", nhwc_conv, ONNX_MS},
    {"NhwcMaxPool", 1, 0, "Transpose, MaxPoolV3", nhwc_max_pool, ONNX_MS},
    {"TransposeMatMul", 1, 0, "BatchMatMulV2, Mul", fused_mat_mul, ONNX_MS},
};
const onnx_mappings weft__onnx_ms_fused = ONNX_MAPPINGS(fused_rows);
// SPDX-License-Identifier: Apache-2.0
