// ms_moe.c - MoE of com.microsoft, a mixture of experts: each token goes through the k experts that the
// router likes best, and their results are added, weighted by the router's softmax. Here all experts see all
// tokens, in products of one batch, and those that a token does not go to count 0: shapes then depend on no
// data.
#include "frontend/onnx/ms.h"

enum { TOKENS, ROUTER, FIRST, FIRST_BIAS, SECOND, SECOND_BIAS, THIRD, THIRD_BIAS };  // inputs

// [tokens, experts]: the weight of each expert, 0 for those that are not taken.
static weft_value *routed(onnx_op *o) {
  weft_value *scores = onnx_arg(o, ROUTER);
  int64_t k = onnx_int(o, "k", 1);
  bool divides = onnx_int(o, "normalize_routing_weights", 0) != 0;
  static const int64_t last = -1;
  onnx_set(o, "axes", weft_attr_ints(&last, 1));
  weft_value *p = onnx_do(o, "SoftmaxV2", scores, NULL, NULL);
  weft_value *count = onnx_list(o, &k, 1);
  onnx_set(o, "dim", weft_attr_int(1));
  onnx_set(o, "indices_dtype", weft_attr_int(WEFT_INT64));
  weft_value *best = onnx_do(o, "TopKV2", p, count, NULL);
  if (o->failed)
    return NULL;
  weft_value *weights = best;
  weft_value *which = best + 1;
  if (divides)
    weights = onnx_do(o, "Div", weights, onnx_reduced(o, "ReduceSum", weights, &last, 1, true), NULL);
  weft_value *none = onnx_do(o, "ZerosLike", p, NULL, NULL);
  onnx_set(o, "axis", weft_attr_int(1));
  return onnx_do(o, "ScatterElements", none, which, weights);
}

// x w' + bias of each expert: [experts, tokens, ...].
static weft_value *each_expert(onnx_op *o, weft_value *x, size_t weights, size_t bias) {
  weft_value *y = onnx_product(o, x, onnx_arg(o, weights), true);
  weft_value *b = onnx_in(o, bias);
  return b ? onnx_do(o, "Add", y, onnx_unsqueezed(o, b, 1), NULL) : y;
}

static weft_value *swish(onnx_op *o, weft_value *v, float alpha) {
  onnx_set(o, "scale", weft_attr_float(alpha));
  return onnx_do(o, "Swish", v, NULL, NULL);
}

// gate * sigmoid(alpha * gate) * (other + beta), both bounded.
static weft_value *gated(onnx_op *o, weft_value *gate, weft_value *other) {
  float alpha = onnx_float(o, "activation_alpha", 1);
  float beta = onnx_float(o, "activation_beta", 0);
  const onnx_attr *limit = onnx_find_attr(o, "swiglu_limit");
  if (onnx_int(o, "swiglu_limit_after_activation", 0))
    (void)onnx_unsupported(o, "attribute 'swiglu_limit_after_activation' is not imported");
  if (o->failed)
    return NULL;
  weft_dtype t = gate->fact.dtype;
  if (limit) {
    double most = (double)onnx_float(o, "swiglu_limit", 0);
    gate = onnx_do(o, "Minimum", gate, onnx_num(o, t, most), NULL);
    other = onnx_do(o, "Minimum", other, onnx_num(o, t, most), NULL);
    other = onnx_do(o, "Maximum", other, onnx_num(o, t, -most), NULL);
  }
  if (beta != 0)
    other = onnx_do(o, "Add", other, onnx_num(o, t, (double)beta), NULL);
  return onnx_do(o, "Mul", swish(o, gate, alpha), other, NULL);
}

// Gate and other stand in one product, as neighbours (1) or as halves (2), or in two (0).
static weft_value *swiglu(onnx_op *o, weft_value *x, weft_value *first) {
  static const int64_t pairs[] = {0, 0, -1, 2};
  int64_t fusion = onnx_int(o, "swiglu_fusion", 0);
  if (o->failed)
    return NULL;
  if (fusion == 0)
    return gated(o, first, each_expert(o, x, THIRD, THIRD_BIAS));
  if (fusion == 1) {
    weft_value *v = onnx_reshaped(o, first, pairs, 4);
    return gated(o, onnx_picked(o, v, 3, onnx_index(o, 0)), onnx_picked(o, v, 3, onnx_index(o, 1)));
  }
  weft_value *half = onnx_parted(o, first, 2, 2);
  return half ? gated(o, half, half + 1) : NULL;
}

static weft_value *activated(onnx_op *o, weft_value *x, weft_value *v) {
  static const char *const attr = "activation_type";
  static const char *const dflt = "relu";
  if (onnx_is(o, attr, dflt, "swiglu"))
    return swiglu(o, x, v);
  if (onnx_in(o, THIRD))
    return onnx_unsupported(o, "fc3_experts_weights belong to activation_type swiglu");
  if (onnx_is(o, attr, dflt, "relu"))
    return onnx_do(o, "Relu", v, NULL, NULL);
  if (onnx_is(o, attr, dflt, "silu"))
    return swish(o, v, 1);
  if (onnx_is(o, attr, dflt, "identity"))
    return v;
  if (!onnx_is(o, attr, dflt, "gelu"))
    return onnx_unsupported(o, "attribute 'activation_type': expected relu, gelu, silu, swiglu or identity");
  onnx_set(o, "approximate", weft_attr_str("tanh", 4));
  return onnx_do(o, "Gelu", v, NULL, NULL);
}

static weft_status moe(onnx_op *o) {
  static const int64_t experts = 0;
  static const int64_t turn[] = {1, 0};
  weft_value *given = onnx_arg(o, TOKENS);
  weft_value *x = given;
  int rank = onnx_rank_needed(o, x);
  if (rank != 2 && rank != 3)
    return onnx_fail(o, WEFT_E_SHAPE, "input 0: expected rank 2 or 3, got %d", rank);
  weft_value *rows[2] = {onnx_list(o, &(int64_t){-1}, 1), onnx_dim_list(o, x, rank - 1)};
  if (rank == 3)
    x = onnx_do(o, "Reshape", x, onnx_joined(o, rows, 2, 0), NULL);
  weft_value *weights = onnx_unsqueezed(o, onnx_permuted(o, routed(o), turn, 2), 2);
  weft_value *y = activated(o, x, each_expert(o, x, FIRST, FIRST_BIAS));
  y = each_expert(o, y, SECOND, SECOND_BIAS);
  WEFT_TRY(o->failed);
  weft_value *zero = onnx_num(o, y->fact.dtype, 0);
  weft_value *unused = onnx_do(o, "Equal", weights, zero, NULL);
  y = onnx_do(o, "SelectV2", unused, zero, onnx_do(o, "Mul", y, weights, NULL));
  y = onnx_reduced(o, "ReduceSum", y, &experts, 1, false);
  return onnx_result(o, 0, rank == 3 ? onnx_do(o, "Reshape", y, onnx_shape_of(o, given), NULL) : y);
}

static const onnx_mapping moe_rows[] = {
    {"MoE", 1, 0, "BatchMatMulV2, TopKV2, ...", moe, ONNX_MS},
};
const onnx_mappings weft__onnx_ms_moe = ONNX_MAPPINGS(moe_rows);
// SPDX-License-Identifier: Apache-2.0
