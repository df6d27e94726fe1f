// ms_activation.c - elementwise operators of com.microsoft, some with a bias along the last axis, and the
// softmax of a sum.
#include "frontend/onnx/ms.h"

// x * sigmoid(alpha * x)
static weft_status quick_gelu(onnx_op *o) {
  weft_value *x = onnx_arg(o, 0);
  onnx_set(o, "scale", weft_attr_float(onnx_float(o, "alpha", 1.702f)));
  return onnx_result(o, 0, onnx_do(o, "Swish", x, NULL, NULL));
}

static weft_value *gelu(onnx_op *o, weft_value *x, bool by_tanh) {
  onnx_set(o, "approximate", weft_attr_str(by_tanh ? "tanh" : "none", 4));
  return onnx_do(o, "Gelu", x, NULL, NULL);
}

static weft_status gelu_alone(onnx_op *o) {
  return onnx_result(o, 0, gelu(o, onnx_arg(o, 0), false));
}

static weft_status bias_gelu(onnx_op *o) {
  weft_value *x = onnx_arg(o, 0);
  weft_value *bias = onnx_arg(o, 1);
  return onnx_result(o, 0, gelu(o, onnx_do(o, "Add", x, bias, NULL), false));
}

// By the formula with tanh; the bias may be absent.
static weft_status fast_gelu(onnx_op *o) {
  weft_value *x = onnx_arg(o, 0);
  weft_value *bias = onnx_in(o, 1);
  if (bias)
    x = onnx_do(o, "Add", x, bias, NULL);
  return onnx_result(o, 0, gelu(o, x, true));
}

// x + bias, in two halves of the last axis: the left one times gelu of the right one.
static weft_status bias_split_gelu(onnx_op *o) {
  weft_value *x = onnx_arg(o, 0);
  weft_value *bias = onnx_arg(o, 1);
  int rank = onnx_rank_needed(o, x);
  weft_value *half = onnx_parted(o, onnx_do(o, "Add", x, bias, NULL), rank - 1, 2);
  WEFT_TRY(o->failed);
  return onnx_result(o, 0, onnx_do(o, "Mul", half, gelu(o, half + 1, false), NULL));
}

static weft_status bias_add(onnx_op *o) {
  weft_value *x = onnx_arg(o, 0);
  weft_value *bias = onnx_arg(o, 1);
  weft_value *skip = onnx_arg(o, 2);
  return onnx_result(o, 0, onnx_do(o, "Add", onnx_do(o, "Add", x, bias, NULL), skip, NULL));
}

// Over all axes from `axis` on. The bias has a 1, or no axis, where it is broadcast; is_inner_broadcast says
// where the peer expects that.
static weft_status bias_softmax(onnx_op *o) {
  weft_value *x = onnx_arg(o, 0);
  weft_value *bias = onnx_arg(o, 1);
  int rank = onnx_rank_needed(o, x);
  int64_t axis = onnx_axis(o, "axis", 1, rank, rank - 1);
  int64_t axes[WEFT_MAX_RANK];
  size_t n = 0;
  weft_value *sum = onnx_do(o, "Add", x, bias, NULL);
  for (int64_t i = axis; i < rank; i++)
    axes[n++] = i;
  onnx_set(o, "axes", weft_attr_ints(axes, n));
  return onnx_result(o, 0, onnx_do(o, "SoftmaxV2", sum, NULL, NULL));
}

static const onnx_mapping activation_rows[] = {
    {"BiasAdd", 1, 0, "Add", bias_add, ONNX_MS},
    {"BiasGelu", 1, 0, "Add, Gelu", bias_gelu, ONNX_MS},
    {"BiasSoftmax", 1, 0, "Add, SoftmaxV2", bias_softmax, ONNX_MS},
    {"BiasSplitGelu", 1, 0, "Add, Split, Gelu, Mul", bias_split_gelu, ONNX_MS},
    {"FastGelu", 1, 0, "Gelu, Add", fast_gelu, ONNX_MS},
    {"Gelu", 1, 0, "Gelu", gelu_alone, ONNX_MS},
    {"QuickGelu", 1, 0, "Swish", quick_gelu, ONNX_MS},
};
const onnx_mappings weft__onnx_ms_activation = ONNX_MAPPINGS(activation_rows);
// SPDX-License-Identifier: Apache-2.0
