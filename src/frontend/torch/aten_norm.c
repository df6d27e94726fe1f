// aten_norm.c - normalisations. Weight and bias are optional each: without them they are ones and zeros.
#include <math.h>

#include "frontend/torch/tables.h"

// A vector of `number` for each channel.
static weft_value *norm_channels(front_op *b, weft_value *v, double number) {
  weft_value *size = front_dim_list(b, v, 1);
  return b->failed ? NULL : front_filled(b, size, front_num(b, v->fact.dtype, number));
}

static weft_value *norm_or(pt_op *o, const char *name, weft_value *v, double number) {
  weft_value *given = pt_optional(o, name);
  return given ? given : norm_channels(&o->b, v, number);
}

static weft_value *norm_given(front_op *b, weft_value *const in[5], double eps) {
  front_set_float(b, "epsilon", eps);
  front_set_text(b, "data_format", "NCHW");
  front_set_bool(b, "is_training", false);
  return front_emit(b, "BatchNorm", in, 5, NULL);
}

// Mean and variance of each channel over everything else.
static void norm_statistics(front_op *b, weft_value *v, weft_value **mean, weft_value **variance) {
  int64_t axes[WEFT_MAX_RANK];
  int rank = front_rank_of(b, v);
  size_t n = 0;
  for (int i = 0; i < rank; i++) {
    if (i != 1)
      axes[n++] = i;
  }
  weft_value *wide = front_reduced(b, "ReduceMean", v, axes, n, true);
  weft_value *centred = front_do(b, "Square", front_do(b, "Sub", v, wide, NULL), NULL, NULL);
  *mean = front_reduced(b, "ReduceMean", v, axes, n, false);
  *variance = front_reduced(b, "ReduceMean", centred, axes, n, false);
}

// (1 - momentum) * old + momentum * now
static weft_value *norm_moved(pt_op *o, weft_value *old, weft_value *now) {
  front_op *b = &o->b;
  if (b->failed)
    return NULL;
  weft_dtype t = old->fact.dtype;
  weft_value *m = pt_has(o, "momentum") ? pt_operand(o, "momentum", t) : front_num(b, t, 0.1);
  weft_value *step = front_do(b, "Sub", front_as(b, now, t), old, NULL);
  return front_do(b, "Add", old, front_do(b, "Mul", step, m, NULL), NULL);
}

// Of `n` elements of which the mean was taken, n / (n - 1) times: running variances are unbiased ones.
static weft_value *norm_unbiased(front_op *b, weft_value *of, weft_value *mean, weft_value *variance) {
  weft_dtype t = b->failed ? (weft_dtype)WEFT_FLOAT : variance->fact.dtype;
  weft_value *all = front_as(b, front_do(b, "Size", of, NULL, NULL), t);
  weft_value *means = front_as(b, front_do(b, "Size", mean, NULL, NULL), t);
  weft_value *n = front_do(b, "RealDiv", all, means, NULL);
  weft_value *less = front_do(b, "Sub", n, front_num(b, t, 1), NULL);
  return front_do(b, "RealDiv", front_do(b, "Mul", variance, n, NULL), less, NULL);
}

// Running statistics that move: the last two outputs of the functional form; the others write into their
// arguments, which no signature says.
static void norm_keep(pt_op *o, size_t output, const char *name, weft_value *now) {
  front_op *b = &o->b;
  const char *key;
  weft_value *old = pt_optional(o, name);
  weft_value *moved = old ? norm_moved(o, old, now) : NULL;
  const char *given = pt_text(pt_only(pt_find(o, name), &key), "name");
  pt_value *buffer = given ? pt_name(o->s, given) : NULL;
  if (b->failed || !moved)
    return;
  if (strstr(b->type, "_functional"))
    pt_result(o, output, moved);
  else if (buffer)
    pt_write(o, buffer, moved);
}

static void norm_batch(pt_op *o) {
  front_op *b = &o->b;
  weft_value *v = pt_tensor(o, "input");
  double eps = pt_float(o, "eps", 1e-5);
  if (b->failed)
    return;
  weft_value *in[5] = {v, norm_or(o, "weight", v, 1), norm_or(o, "bias", v, 0),
                       pt_optional(o, "running_mean"), pt_optional(o, "running_var")};
  bool reserves = strstr(b->type, "_update") != NULL;  // they have an output for cuDNN in front of statistics
  bool moves = pt_bool(o, "training", strstr(b->type, "_with_update") != NULL);
  bool training = moves || !in[3] || !in[4];
  if (front_rank_of(b, v) < 2) {  // without an axis of channels it may only be of no elements
    pt_result(o, 0, v);
    return;
  }
  weft_value *mean = in[3];
  weft_value *variance = in[4];
  if (training)
    norm_statistics(b, v, &mean, &variance);
  in[3] = mean;
  in[4] = variance;
  for (int i = 1; i < 5 && !b->failed; i++)
    in[i] = front_as(b, in[i], in[3]->fact.dtype);
  pt_result(o, 0, norm_given(b, in, eps));
  if (moves) {
    norm_keep(o, 3 + reserves, "running_mean", mean);
    norm_keep(o, 4 + reserves, "running_var", b->failed ? NULL : norm_unbiased(b, v, mean, variance));
  }
  if (reserves && pt_wants(o, 3))
    pt_result(o, 3, front_filled(b, front_list(b, &(int64_t){0}, 1), front_int(b, WEFT_UINT8, 0)));
  if (b->failed || (!pt_wants(o, 1) && !pt_wants(o, 2)))
    return;
  weft_value *sum = front_do(b, "Add", variance, front_num(b, variance->fact.dtype, eps), NULL);
  if (training) {
    pt_result(o, 1, mean);
    pt_result(o, 2, front_do(b, "Rsqrt", sum, NULL, NULL));
  } else {  // what eager mode gives there without training: nothing
    weft_value *none = front_filled(b, front_list(b, &(int64_t){0}, 1), front_num(b, v->fact.dtype, 0));
    pt_result(o, 1, none);
    pt_result(o, 2, none);
  }
}

// The means over the items of the statistics of each.
static void norm_keep_instance(pt_op *o, weft_value *v) {
  front_op *b = &o->b;
  int64_t axes[WEFT_MAX_RANK];
  int rank = front_rank_of(b, v);
  for (int i = 2; i < rank; i++)
    axes[i - 2] = i;
  size_t n = rank > 2 ? (size_t)rank - 2 : 0;
  weft_value *wide = front_reduced(b, "ReduceMean", v, axes, n, true);
  weft_value *centred = front_do(b, "Square", front_do(b, "Sub", v, wide, NULL), NULL, NULL);
  weft_value *mean = front_reduced(b, "ReduceMean", v, axes, n, false);
  weft_value *variance = front_reduced(b, "ReduceMean", centred, axes, n, false);
  if (b->failed)
    return;
  variance = norm_unbiased(b, v, mean, variance);
  norm_keep(o, 3, "running_mean", front_reduced(b, "ReduceMean", mean, &(int64_t){0}, 1, false));
  norm_keep(o, 4, "running_var", front_reduced(b, "ReduceMean", variance, &(int64_t){0}, 1, false));
}

// Each channel of each item by its own statistics.
static void norm_instance(pt_op *o) {
  front_op *b = &o->b;
  weft_value *v = pt_tensor(o, "input");
  if (!pt_bool(o, "use_input_stats", true)) {
    norm_batch(o);
    return;
  }
  if (b->failed)
    return;
  weft_value *in[3] = {v, norm_or(o, "weight", v, 1), norm_or(o, "bias", v, 0)};
  front_set_float(b, "epsilon", pt_float(o, "eps", 1e-5));
  front_set_text(b, "data_format", "NCHW");
  pt_result(o, 0, front_emit(b, "InstanceNorm", in, 3, NULL));
  if (pt_has(o, "running_mean") && pt_has(o, "running_var"))
    norm_keep_instance(o, v);
}

// The mean of each group, and 1 / sqrt(variance + eps): [items, groups]; there may be no items.
static void norm_group_moments(pt_op *o, weft_value *v, int64_t groups, double eps) {
  front_op *b = &o->b;
  int64_t last = 2;
  weft_value *each = front_size_by(b, "FloorDiv", front_elems(b, v, 1, front_rank_of(b, v)), groups);
  weft_value *parts[3] = {front_dim_list(b, v, 0), front_list(b, &groups, 1), each};
  weft_value *x = front_reshape(b, v, front_size_list(b, parts, 3));
  weft_value *mean = front_reduced(b, "ReduceMean", x, &last, 1, true);
  weft_value *away = front_do(b, "Square", front_do(b, "Sub", x, mean, NULL), NULL, NULL);
  away = front_reduced(b, "ReduceMean", away, &last, 1, false);
  away = front_do(b, "Add", away, b->failed ? NULL : front_num(b, away->fact.dtype, eps), NULL);
  pt_result(o, 1, front_squeezed(b, mean, 2));
  pt_result(o, 2, front_do(b, "Rsqrt", away, NULL, NULL));
}

static void norm_group_of(pt_op *o, int64_t groups) {
  front_op *b = &o->b;
  weft_value *v = pt_tensor(o, "input");
  double eps = pt_float(o, "eps", 1e-5);
  if (b->failed)
    return;
  weft_value *in[3] = {v, norm_or(o, "weight", v, 1), norm_or(o, "bias", v, 0)};
  front_set_int(b, "num_groups", groups);
  front_set_text(b, "data_format", "NCHW");
  front_set_float(b, "eps", eps);
  front_set_bool(b, "is_training", false);
  weft_value *y = front_emit(b, "GroupNorm", in, 3, NULL);
  pt_result(o, 0, y);
  if (!b->failed && (pt_wants(o, 1) || pt_wants(o, 2)))
    norm_group_moments(o, v, groups, eps);
}
static void norm_group(pt_op *o) {
  norm_group_of(o, pt_int(o, "num_groups", 1));
}
static void norm_native_group(pt_op *o) {
  norm_group_of(o, pt_int(o, "group", 1));
}

// Ones or zeros of the shape that is normalised, from axis `from` on.
static weft_value *norm_wide(front_op *b, weft_value *v, int64_t from, double number) {
  front_set_int(b, "dtype", WEFT_INT64);
  front_set_int(b, "start", from);
  weft_value *shape = front_do(b, "Shape", v, NULL, NULL);
  return b->failed ? NULL : front_filled(b, shape, front_num(b, v->fact.dtype, number));
}

static int64_t norm_first_axis(pt_op *o, weft_value *v) {
  int64_t shape[PT_MAX_NUMBERS];
  const char *key;
  const weft_json *list = pt_only(pt_find(o, "normalized_shape"), &key);
  int rank = front_rank_of(&o->b, v);
  size_t n = list && list->kind == WEFT_JSON_ARRAY ? list->n : pt_ints(o, "normalized_shape", shape);
  if (!o->b.failed && ((int)n > rank || !n))
    front_fail(&o->b, WEFT_E_SHAPE, "argument 'normalized_shape' has %zu sizes for rank %d", n, rank);
  return rank - (int64_t)n;
}

static void norm_layer(pt_op *o) {
  front_op *b = &o->b;
  weft_value *v = pt_tensor(o, "input");
  int64_t axis = norm_first_axis(o, v);
  weft_value *weight = pt_optional(o, "weight");
  weft_value *bias = pt_optional(o, "bias");
  double eps = pt_float(o, "eps", 1e-5);
  if (!weight)
    weight = norm_wide(b, v, axis, 1);
  if (!bias)
    bias = norm_wide(b, v, axis, 0);
  front_set_int(b, "begin_norm_axis", axis);
  front_set_int(b, "begin_params_axis", axis);
  front_set_float(b, "epsilon", eps);
  weft_value *y = front_do(b, "LayerNorm", v, weight, bias);
  pt_result(o, 0, y);
  if (b->failed || (!pt_wants(o, 1) && !pt_wants(o, 2)))
    return;
  pt_result(o, 1, y + 1);
  weft_value *sum = front_do(b, "Add", y + 2, front_num(b, y[2].fact.dtype, eps), NULL);
  pt_result(o, 2, front_do(b, "Rsqrt", sum, NULL, NULL));
}

// x / sqrt(mean(x^2) + eps); without eps that is the dtype's own.
static void norm_rms(pt_op *o) {
  front_op *b = &o->b;
  weft_value *v = pt_tensor(o, "input");
  int64_t axis = norm_first_axis(o, v);
  int rank = front_rank_of(b, v);
  int64_t axes[WEFT_MAX_RANK];
  size_t n = 0;
  if (b->failed)
    return;
  for (int64_t i = axis; i < rank; i++)
    axes[n++] = i;
  weft_dtype t = v->fact.dtype;
  weft_dtype wide = t == WEFT_FLOAT16 || t == WEFT_BF16 ? (weft_dtype)WEFT_FLOAT : t;
  double own = t == WEFT_DOUBLE ? 0x1p-52 : t == WEFT_FLOAT16 ? 0x1p-10 : t == WEFT_BF16 ? 0x1p-7 : 0x1p-23;
  weft_value *x = front_as(b, v, wide);
  weft_value *mean = front_reduced(b, "ReduceMean", front_do(b, "Square", x, NULL, NULL), axes, n, true);
  mean = front_do(b, "Add", mean, front_num(b, wide, pt_float(o, "eps", own)), NULL);
  weft_value *y = front_do(b, "Mul", x, front_do(b, "Rsqrt", mean, NULL, NULL), NULL);
  weft_value *weight = pt_optional(o, "weight");
  if (weight)
    y = front_do(b, "Mul", y, front_as(b, weight, wide), NULL);
  pt_result(o, 0, front_as(b, y, t));
}

// x / (k + alpha / size * sum of squares of neighbouring channels) ^ beta
static void norm_local(pt_op *o) {
  front_op *b = &o->b;
  weft_value *v = pt_tensor(o, "input");
  front_set_float(b, "alpha", pt_float(o, "alpha", 1e-4));
  front_set_float(b, "beta", pt_float(o, "beta", 0.75));
  front_set_float(b, "bias", pt_float(o, "k", 1));
  front_set_int(b, "size", pt_int(o, "size", 1));
  front_set_text(b, "data_format", "NCHW");
  pt_result(o, 0, front_do(b, "LRN", v, NULL, NULL));
}

// v * (g / |v|), over all axes but one.
static void norm_weight(pt_op *o) {
  front_op *b = &o->b;
  weft_value *v = pt_tensor(o, "v");
  weft_value *g = pt_tensor(o, "g");
  int rank = front_rank_of(b, v);
  int64_t keep = pt_int(o, "dim", 0);
  int64_t axes[WEFT_MAX_RANK];
  size_t n = 0;
  for (int i = 0; i < rank; i++) {
    if (i != keep)
      axes[n++] = i;
  }
  weft_value *size = front_reduced(b, "EuclideanNorm", v, axes, n, true);
  pt_result(o, 0, front_do(b, "Mul", v, front_do(b, "RealDiv", g, size, NULL), NULL));
}

static const pt_row norm_rows[] = {
    {"batch_norm", NULL, 0, norm_batch, 0},
    {"native_batch_norm", NULL, 0, norm_batch, 0},
    {"_native_batch_norm_legit", NULL, 0, norm_batch, 0},
    {"_native_batch_norm_legit_functional", NULL, 0, norm_batch, 0},
    {"_native_batch_norm_legit_no_training", NULL, 0, norm_batch, 0},
    {"_batch_norm_with_update", NULL, 0, norm_batch, 0},
    {"_batch_norm_with_update_functional", NULL, 0, norm_batch, 0},
    {"_batch_norm_no_update", NULL, 0, norm_batch, 0},
    {"cudnn_batch_norm", NULL, 0, norm_batch, 0},
    {"instance_norm", NULL, 0, norm_instance, 0},
    {"group_norm", NULL, 0, norm_group, 0},
    {"native_group_norm", NULL, 0, norm_native_group, 0},
    {"layer_norm", NULL, 0, norm_layer, 0},
    {"native_layer_norm", NULL, 0, norm_layer, 0},
    {"rms_norm", NULL, 0, norm_rms, 0},
    {"_fused_rms_norm", NULL, 0, norm_rms, 0},
    {"local_response_norm", NULL, 0, norm_local, 0},
    {"_weight_norm", NULL, 0, norm_weight, 0},
    {"_weight_norm_interface", NULL, 0, norm_weight, 0},
};
const pt_rows pt_norm = PT_ROWS(norm_rows);
// SPDX-License-Identifier: Apache-2.0
