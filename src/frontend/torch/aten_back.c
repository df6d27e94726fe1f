// aten_back.c - gradients of core ATen, which a program has when its backward pass was exported with it, and
// strides of a tensor.
#include "base/allocated.h"
#include "frontend/torch/tables.h"

// The sizes of a value as INT32 [rank], as the gradients' primitives take them.
static weft_value *back_shape(front_op *b, weft_value *v) {
  return b->failed ? NULL : front_as(b, front_shape(b, v), WEFT_INT32);
}

// What the file says of `name` there, or ones of these sizes.
static weft_value *back_weight(pt_op *o, const char *name, weft_dtype t, weft_value *shape) {
  weft_value *given = pt_optional(o, name);
  return given ? given : front_filled(&o->b, shape, front_num(&o->b, t, 1));
}

// Of three outputs those that output_mask asks for; the program leaves the others without a name.
static void back_give(pt_op *o, weft_value *const v[3]) {
  (void)pt_find(o, "output_mask");
  for (size_t i = 0; i < 3; i++) {
    if (i < o->n_out && o->out[i] && pt_wants(o, i))
      pt_result(o, i, v[i]);
  }
}

// ---- norms ----
static void back_layer_norm(pt_op *o) {
  front_op *b = &o->b;
  weft_value *dy = pt_tensor(o, "grad_out");
  weft_value *x = pt_tensor(o, "input");
  weft_value *shape = pt_shape(o, "normalized_shape");
  weft_value *gamma = b->failed ? NULL : back_weight(o, "weight", x->fact.dtype, shape);
  (void)pt_find(o, "bias");  // no gradient depends on it
  weft_value *in[5] = {dy, x, pt_tensor(o, "rstd"), pt_tensor(o, "mean"), gamma};
  weft_value *y = front_emit(b, "LayerNormGradV3", in, 5, NULL);
  if (y)
    back_give(o, (weft_value *const[]){y, y + 1, y + 2});
}

static void back_group_norm(pt_op *o) {
  front_op *b = &o->b;
  weft_value *dy = pt_tensor(o, "grad_out");
  weft_value *x = pt_tensor(o, "input");
  weft_value *channels = b->failed ? NULL : front_dim_list(b, x, 1);
  weft_value *gamma = b->failed ? NULL : back_weight(o, "weight", x->fact.dtype, channels);
  weft_value *in[5] = {dy, pt_tensor(o, "mean"), pt_tensor(o, "rstd"), x, gamma};
  front_set_int(b, "num_groups", pt_int(o, "group", 1));
  weft_value *y = front_emit(b, "GroupNormGrad", in, 5, NULL);
  if (y)
    back_give(o, (weft_value *const[]){y, y + 1, y + 2});
}

// ---- tables ----
static void back_embedding(pt_op *o) {
  front_op *b = &o->b;
  weft_value *dy = pt_tensor(o, "grad_output");
  weft_value *indices = pt_tensor(o, "indices");
  front_set_int(b, "num_weights", pt_int(o, "num_weights", 0));
  front_set_int(b, "padding_idx", pt_int(o, "padding_idx", -1));
  front_set_bool(b, "scale_grad_by_freq", pt_bool(o, "scale_grad_by_freq", false));
  pt_result(o, 0, front_do(b, "EmbeddingDenseGrad", dy, indices, NULL));
}

// ---- pools over two axes ----
typedef struct back_window {
  int64_t kernel[4], stride[4], pads[4], dilation[2];
} back_window;

static back_window back_window_of(pt_op *o) {
  back_window w = {{1, 1, 1, 1}, {1, 1, 1, 1}, {0}, {1, 1}};
  int64_t given[PT_MAX_NUMBERS];
  int64_t pads[2];
  pt_sizes(o, "kernel_size", 2, 1, w.kernel + 2);
  memcpy(w.stride, w.kernel, sizeof w.stride);
  if (pt_find(o, "stride") && pt_ints(o, "stride", given))
    pt_sizes(o, "stride", 2, 1, w.stride + 2);
  pt_sizes(o, "padding", 2, 0, pads);
  pt_sizes(o, "dilation", 2, 1, w.dilation);
  for (size_t i = 0; i < 4; i++)
    w.pads[i] = pads[i / 2];
  return w;
}

static bool back_is_picture(pt_op *o, weft_value *x) {
  int rank = front_rank_of(&o->b, x);
  if (!o->b.failed && rank != 4)
    front_fail(&o->b, WEFT_E_UNSUPPORTED, "gradients are read of tensors of rank 4, got %d", rank);
  return !o->b.failed;
}

static void back_avg_pool(pt_op *o) {
  front_op *b = &o->b;
  weft_value *dy = pt_tensor(o, "grad_output");
  weft_value *x = pt_tensor(o, "self");
  if (!back_is_picture(o, x))
    return;
  weft_value *shape = back_shape(b, x);
  back_window w = back_window_of(o);
  front_set_ints(b, "ksize", w.kernel, 4);
  front_set_ints(b, "strides", w.stride, 4);
  front_set_ints(b, "pads", w.pads, 4);
  front_set_bool(b, "ceil_mode", pt_bool(o, "ceil_mode", false));
  front_set_bool(b, "exclusive", !pt_bool(o, "count_include_pad", true));
  front_set_int(b, "divisor_override", pt_int(o, "divisor_override", 0));
  pt_result(o, 0, front_do(b, "AvgPoolV2Grad", shape, dy, NULL));
}

static void back_adaptive_pool(pt_op *o) {
  front_op *b = &o->b;
  weft_value *dy = pt_tensor(o, "grad_output");
  weft_value *x = pt_tensor(o, "self");
  int64_t sizes[4];
  if (!back_is_picture(o, x))
    return;
  for (int i = 0; i < 4; i++) {
    sizes[i] = front_dim(x, i);
    if (sizes[i] < 0)
      front_fail(b, WEFT_E_UNSUPPORTED, "the gradient of a pool is read of sizes that are known");
  }
  front_set_ints(b, "orig_input_shape", sizes, 4);
  pt_result(o, 0, front_do(b, "AdaptiveAvgPool2dGrad", dy, NULL, NULL));
}

// Each gradient is added to the place in its plane that its window's largest had.
static void back_max_pool(pt_op *o) {
  static const int64_t rest = -1;
  front_op *b = &o->b;
  weft_value *dy = pt_tensor(o, "grad_output");
  weft_value *x = pt_tensor(o, "self");
  weft_value *at = pt_tensor(o, "indices");
  if (!back_is_picture(o, x))
    return;
  (void)back_window_of(o);  // the indices say where
  (void)pt_bool(o, "ceil_mode", false);
  weft_value *shape = front_shape(b, x);
  weft_value *parts[3] = {front_dim_list(b, x, 0), front_dim_list(b, x, 1), front_list(b, &rest, 1)};
  weft_value *flat = front_joined(b, parts, 3, 0);
  weft_value *plane = front_reshape(b, x, flat);
  weft_value *zeros = front_do(b, "ZerosLike", plane, NULL, NULL);
  weft_value *rows = front_reshape(b, dy, flat);
  at = front_reshape(b, at, flat);
  front_set_int(b, "axis", 2);
  front_set_text(b, "reduction", "add");
  weft_value *y = front_do(b, "ScatterElements", zeros, at, rows);
  pt_result(o, 0, front_reshape(b, y, shape));
}

// ---- convolutions over two axes ----
static bool back_is_plain(pt_op *o) {
  int64_t more[PT_MAX_NUMBERS];
  size_t n = pt_ints(o, "output_padding", more);
  bool plain = !pt_bool(o, "transposed", false);
  for (size_t i = 0; i < n; i++)
    plain &= !more[i];
  if (!o->b.failed && !plain)
    front_fail(&o->b, WEFT_E_UNSUPPORTED, "the gradient of a transposed convolution is not read");
  return !o->b.failed;
}

static void back_conv_set(pt_op *o, const back_window *w, const int64_t dilation[4]) {
  front_op *b = &o->b;
  front_set_ints(b, "strides", w->stride, 4);
  front_set_ints(b, "pads", w->pads, 4);
  front_set_ints(b, "dilations", dilation, 4);
  front_set_int(b, "groups", pt_int(o, "groups", 1));
  front_set_text(b, "data_format", "NCHW");
}

static void back_conv(pt_op *o) {
  static const int64_t axes[] = {0, 2, 3};
  front_op *b = &o->b;
  weft_value *dy = pt_tensor(o, "grad_output");
  weft_value *x = pt_tensor(o, "input");
  weft_value *filter = pt_tensor(o, "weight");
  (void)pt_find(o, "bias_sizes");
  if (!back_is_picture(o, x) || !back_is_plain(o))
    return;
  back_window w = back_window_of(o);
  int64_t dilation[4] = {1, 1, w.dilation[0], w.dilation[1]};
  pt_sizes(o, "stride", 2, 1, w.stride + 2);
  weft_value *made[3] = {NULL};
  if (pt_wants(o, 0)) {
    weft_value *shape = back_shape(b, x);
    back_conv_set(o, &w, dilation);
    made[0] = front_do(b, "Conv2DBackpropInput", shape, filter, dy);
  }
  if (pt_wants(o, 1)) {
    weft_value *shape = back_shape(b, filter);
    back_conv_set(o, &w, dilation);
    made[1] = front_do(b, "Conv2DBackpropFilter", x, shape, dy);
  }
  if (pt_wants(o, 2))
    made[2] = front_reduced(b, "ReduceSum", dy, axes, 3, false);
  back_give(o, made);
}

// ---- strides ----
// Of a tensor that lies in memory in the order of its axes: the product of the sizes behind an axis.
static void back_stride(pt_op *o) {
  front_op *b = &o->b;
  weft_value *v = pt_tensor(o, "self");
  const char *key;
  const weft_json *named = pt_only(pt_find(o, "self"), &key);
  const char *name = pt_text(named, "name");
  pt_value *self = name ? pt_name(o->s, name) : NULL;
  int rank = front_rank_of(b, v);
  int64_t axis = pt_axis(o, "dim", 0, rank);
  if (!b->failed && (!self || !pt_meta_contiguous(pt_meta(o->m, self))))
    front_fail(b, WEFT_E_UNSUPPORTED,
               "strides of a tensor that does not lie in memory in the order of its axes");
  weft_value *stride = front_index(b, 1);
  for (int i = (int)axis + 1; i < rank && !b->failed; i++)
    stride = front_do(b, "Mul", stride, front_dim_index(b, v, i), NULL);
  pt_result(o, 0, stride);
}

// ---- softmax, of numbers of half precision in f32 ----
static weft_value *back_single(front_op *b, weft_value *v) {
  const bool half = v && (v->fact.dtype == WEFT_FLOAT16 || v->fact.dtype == WEFT_BF16);
  return half ? front_as(b, v, WEFT_FLOAT) : v;
}
static weft_value *back_softmax_sum(front_op *b, weft_value *v, int64_t axis) {
  return front_rank(v) ? front_reduced(b, "ReduceSum", v, &axis, 1, true) : v;
}
// y (dy - the sum of dy y)
static void back_softmax(pt_op *o) {
  front_op *b = &o->b;
  weft_value *dy = back_single(b, pt_tensor(o, "grad_output"));
  weft_value *y = back_single(b, pt_tensor(o, "output"));
  int64_t axis = pt_axis(o, "dim", -1, front_rank_of(b, y));
  weft_value *sum = back_softmax_sum(b, front_do(b, "Mul", dy, y, NULL), axis);
  weft_value *dx = front_do(b, "Mul", y, front_do(b, "Sub", dy, sum, NULL), NULL);
  pt_result(o, 0, front_as(b, dx, pt_type(o, "input_dtype", pt_out_type(o, 0))));
}
// dy - e^y, of the logarithm y, times the sum of dy
static void back_log_softmax(pt_op *o) {
  front_op *b = &o->b;
  weft_value *dy = back_single(b, pt_tensor(o, "grad_output"));
  weft_value *y = back_single(b, pt_tensor(o, "output"));
  int64_t axis = pt_axis(o, "dim", -1, front_rank_of(b, y));
  weft_value *part =
      front_do(b, "Mul", front_do(b, "Exp", y, NULL, NULL), back_softmax_sum(b, dy, axis), NULL);
  weft_value *dx = front_do(b, "Sub", dy, part, NULL);
  pt_result(o, 0, front_as(b, dx, pt_type(o, "input_dtype", pt_out_type(o, 0))));
}

static const pt_row back_rows[] = {
    {"_softmax_backward_data", NULL, 0, back_softmax, 0},
    {"_log_softmax_backward_data", NULL, 0, back_log_softmax, 0},
    {"native_layer_norm_backward", NULL, 0, back_layer_norm, 0},
    {"native_group_norm_backward", NULL, 0, back_group_norm, 0},
    {"embedding_dense_backward", NULL, 0, back_embedding, 0},
    {"avg_pool2d_backward", NULL, 0, back_avg_pool, 0},
    {"_adaptive_avg_pool2d_backward", NULL, 0, back_adaptive_pool, 0},
    {"max_pool2d_with_indices_backward", NULL, 0, back_max_pool, 0},
    {"convolution_backward", NULL, 0, back_conv, 0},
    {"sym_stride", NULL, 0, back_stride, 0},
};
const pt_rows pt_back = PT_ROWS(back_rows);
// SPDX-License-Identifier: Apache-2.0
