// map_loss.c - losses: the negative log likelihood of classes, taken from logarithms or from scores.
#include "frontend/onnx/map.h"

// log_p is [N, C, d1, ...], target [N, d1, ...] with classes. Places that hold ignore_index count nothing.
static weft_value *nll(onnx_op *o, weft_value *log_p, weft_value *target, weft_value *weight) {
  if (!o->failed && !weft_dtype_is_integer(target->fact.dtype))
    target = onnx_as(o, target, WEFT_INT64);
  bool mean = onnx_is(o, "reduction", "mean", "mean");
  bool sum = onnx_is(o, "reduction", "mean", "sum");
  bool none = onnx_is(o, "reduction", "mean", "none");
  bool ignores = onnx_find_attr(o, "ignore_index") != NULL;
  int64_t ignored = onnx_int(o, "ignore_index", 0);
  int64_t one = 1;
  if (o->failed)
    return NULL;
  if (!mean && !sum && !none) {
    o->failed = onnx_fail(o, WEFT_E_INVALID, "attribute 'reduction': expected none, sum or mean");
    return NULL;
  }
  weft_dtype t = log_p->fact.dtype;
  weft_value *mask = NULL;
  if (ignores) {
    mask = onnx_do(o, "Equal", target, onnx_num(o, target->fact.dtype, (double)ignored), NULL);
    target = onnx_do(o, "SelectV2", mask, onnx_num(o, target->fact.dtype, 0), target);
  }
  onnx_set(o, "axes", weft_attr_ints(&one, 1));
  weft_value *index = onnx_do(o, "Unsqueeze", target, NULL, NULL);
  onnx_set(o, "dim", weft_attr_int(1));
  weft_value *loss = onnx_do(o, "GatherElements", log_p, index, NULL);
  onnx_set(o, "axis", weft_attr_ints(&one, 1));
  loss = onnx_do(o, "Neg", onnx_do(o, "Squeeze", loss, NULL, NULL), NULL, NULL);
  weft_value *w = weight ? onnx_picked(o, weight, 0, target)
                  : mask ? onnx_do(o, "OnesLike", loss, NULL, NULL)
                         : NULL;
  if (mask)
    w = onnx_do(o, "SelectV2", mask, onnx_num(o, t, 0), w);
  if (weight)
    loss = onnx_do(o, "Mul", loss, w, NULL);
  if (mask)  // whatever is in what counts nothing, infinities and NaN, too
    loss = onnx_do(o, "SelectV2", mask, onnx_num(o, t, 0), loss);
  if (none || o->failed)
    return loss;
  if (!w)
    return onnx_reduced(o, mean ? "ReduceMean" : "ReduceSum", loss, NULL, 0, false);
  loss = onnx_reduced(o, "ReduceSum", loss, NULL, 0, false);
  return sum ? loss : onnx_do(o, "Div", loss, onnx_reduced(o, "ReduceSum", w, NULL, 0, false), NULL);
}

weft_status onnx_nll_loss(onnx_op *o) {
  weft_value *x = onnx_arg(o, 0);
  weft_value *target = onnx_arg(o, 1);
  WEFT_TRY(o->failed);
  return onnx_result(o, 0, nll(o, x, target, onnx_in(o, 2)));
}

weft_status onnx_softmax_cross_entropy(onnx_op *o) {
  static const int64_t channels[1] = {1};
  weft_value *x = onnx_arg(o, 0);
  weft_value *labels = onnx_arg(o, 1);
  onnx_set(o, "axes", weft_attr_ints(channels, 1));
  weft_value *log_p = onnx_do(o, "LogSoftmaxV2", x, NULL, NULL);
  WEFT_TRY(o->failed);
  WEFT_TRY(onnx_result(o, 0, nll(o, log_p, labels, onnx_in(o, 2))));
  return onnx_wants(o, 1) ? onnx_result(o, 1, log_p) : WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
