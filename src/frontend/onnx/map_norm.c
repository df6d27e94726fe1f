// map_norm.c - ONNX operators that normalise by statistics of the tensor itself. stash_type is the type the
// statistics are computed and given in; weft's primitives compute them in double, so it matters for the type
// of the outputs only.
#include "frontend/onnx/map.h"

static weft_attr map_norm_text(const char *s) {
  return weft_attr_str(s, strlen(s));
}

weft_status onnx_lp_norm(onnx_op *o) {
  weft_value *x = onnx_arg(o, 0);
  int64_t axis = onnx_int(o, "axis", -1);
  int64_t p = onnx_int(o, "p", 2);
  if (p != 1 && p != 2)
    return onnx_fail(o, WEFT_E_RANGE, "attribute 'p' must be 1 or 2, got %lld", (long long)p);
  weft_value *by = p == 1 ? onnx_reduced(o, "ReduceSum", onnx_do(o, "Abs", x, NULL, NULL), &axis, 1, true)
                          : onnx_reduced(o, "EuclideanNorm", x, &axis, 1, true);
  return onnx_result(o, 0, onnx_do(o, "DivNoNan", x, by, NULL));
}

weft_status onnx_mean_variance_norm(onnx_op *o) {
  static const int64_t usual[] = {0, 2, 3};
  weft_value *x = onnx_arg(o, 0);
  weft_ints axes = onnx_ints_of(o, "axes");
  if (!axes.v)
    axes = (weft_ints){usual, 3};
  weft_value *centred = onnx_do(o, "Sub", x, onnx_reduced(o, "ReduceMean", x, axes.v, axes.n, true), NULL);
  weft_value *squares = onnx_do(o, "Square", centred, NULL, NULL);
  weft_value *deviation =
      onnx_do(o, "Sqrt", onnx_reduced(o, "ReduceMean", squares, axes.v, axes.n, true), NULL, NULL);
  WEFT_TRY(o->failed);
  return onnx_result(
      o, 0,
      onnx_do(o, "Div", centred, onnx_do(o, "Add", deviation, onnx_num(o, x->fact.dtype, 1e-9), NULL), NULL));
}

// Version 18 has a scale and a bias for each group, 21 for each channel.
weft_status onnx_group_norm(onnx_op *o) {
  weft_value *in[3] = {onnx_arg(o, 0), onnx_arg(o, 1), onnx_arg(o, 2)};
  float epsilon = onnx_float(o, "epsilon", 1e-5f);
  int64_t groups = onnx_int(o, "num_groups", 0);
  WEFT_TRY(o->failed);
  if (groups < 1)
    return onnx_fail(o, WEFT_E_RANGE, "attribute 'num_groups' must be >= 1, got %lld", (long long)groups);
  if (o->m->version < 21) {
    int rank = onnx_rank_needed(o, in[0]);
    WEFT_TRY(o->failed);
    weft_dim channels = rank < 2 ? -1 : in[0]->fact.dims[1];
    if (channels >= 0 && channels % groups) {
      return onnx_fail(o, WEFT_E_SHAPE, "%lld channels are not a multiple of the %lld groups",
                       (long long)channels, (long long)groups);
    }
    const int64_t column[2] = {groups, 1};
    const int64_t one = 1;
    weft_value *list;
    if (channels >= 0) {
      list = onnx_list(o, (const int64_t[]){1, channels / groups}, 2);
    } else {
      weft_value *dim = onnx_picked(o, onnx_shape_of(o, in[0]), 0, onnx_list(o, &one, 1));
      weft_value *times[2] = {onnx_list(o, &one, 1), onnx_do(o, "Div", dim, onnx_index(o, groups), NULL)};
      list = onnx_joined(o, times, 2, 0);
    }
    for (int i = 1; i < 3; i++) {
      weft_value *wide = onnx_do(o, "Tile", onnx_reshaped(o, in[i], column, 2), list, NULL);
      in[i] = onnx_reshaped(o, wide, &(int64_t){-1}, 1);
    }
  }
  WEFT_TRY(o->failed);
  onnx_set(o, "num_groups", weft_attr_int(groups));
  onnx_set(o, "data_format", map_norm_text("NCHW"));
  onnx_set(o, "eps", weft_attr_float(epsilon));
  onnx_set(o, "is_training", weft_attr_bool(false));
  return onnx_emit(o, "GroupNorm", in, 3, NULL, 1, NULL);
}

static weft_dtype stash_type(onnx_op *o) {
  int64_t type = onnx_int(o, "stash_type", 1);
  weft_dtype t = WEFT_FLOAT;
  o->failed = onnx_dtype(o, type, &t);
  return t;
}

// A scale or bias with the shape of x from `axis` on, which LayerNorm wants; ONNX broadcasts.
static weft_value *as_wide(onnx_op *o, weft_value *v, weft_value *x, int rank, int64_t axis) {
  if (o->failed)
    return NULL;
  bool same = onnx_rank(v) == rank - axis;
  for (int i = 0; same && i < rank - axis; i++) {
    const weft_dim own = v->fact.dims[i];
    const weft_dim to = x->fact.dims[axis + i];
    same = onnx_same_dim(own, to) || own > 1 || to == 1;  // these cannot be broadcast to anything else
  }
  if (same)
    return v;
  onnx_set(o, "dtype", weft_attr_int(WEFT_INT64));
  onnx_set(o, "start", weft_attr_int(axis));
  return onnx_do(o, "Expand", v, onnx_do(o, "Shape", x, NULL, NULL), NULL);
}

weft_status onnx_layer_norm(onnx_op *o) {
  weft_value *x = onnx_arg(o, 0);
  weft_value *scale = onnx_arg(o, 1);
  weft_value *bias = onnx_in(o, 2);
  int rank = onnx_rank_needed(o, x);
  int64_t axis = onnx_axis(o, "axis", -1, rank, rank - 1);
  float epsilon = onnx_float(o, "epsilon", 1e-5f);
  weft_dtype stash = stash_type(o);
  bool statistics = onnx_wants(o, 1) || onnx_wants(o, 2);
  WEFT_TRY(o->failed);
  weft_dtype t = x->fact.dtype;
  if (statistics)
    x = onnx_as(o, x, stash);
  scale = as_wide(o, scale, x, rank, axis);
  bias = bias ? as_wide(o, bias, x, rank, axis) : onnx_do(o, "ZerosLike", scale, NULL, NULL);
  onnx_set(o, "begin_norm_axis", weft_attr_int(axis));
  onnx_set(o, "begin_params_axis", weft_attr_int(axis));
  onnx_set(o, "epsilon", weft_attr_float(epsilon));
  weft_value *in[3] = {x, scale, bias};
  WEFT_TRY(o->failed);
  if (!statistics)
    return onnx_emit(o, "LayerNorm", in, 3, NULL, 1, NULL);
  weft_value *v = onnx_do(o, "LayerNorm", x, scale, bias);
  WEFT_TRY(o->failed);
  WEFT_TRY(onnx_result(o, 0, onnx_as(o, v, t)));
  WEFT_TRY(onnx_result(o, 1, v + 1));
  return onnx_result(
      o, 2,
      onnx_do(o, "Rsqrt", onnx_do(o, "Add", v + 2, onnx_num(o, stash, (double)epsilon), NULL), NULL, NULL));
}

weft_status onnx_rms_norm(onnx_op *o) {
  weft_value *x = onnx_arg(o, 0);
  weft_value *scale = onnx_arg(o, 1);
  int rank = onnx_rank_needed(o, x);
  int64_t axis = onnx_axis(o, "axis", -1, rank, rank - 1);
  int64_t axes[WEFT_MAX_RANK];
  float epsilon = onnx_float(o, "epsilon", 1e-5f);
  weft_dtype stash = stash_type(o);
  size_t n = 0;
  WEFT_TRY(o->failed);
  for (int64_t i = axis; i < rank; i++)
    axes[n++] = i;
  weft_dtype t = x->fact.dtype;
  weft_value *v = onnx_as(o, x, stash);
  weft_value *mean = onnx_reduced(o, "ReduceMean", onnx_do(o, "Square", v, NULL, NULL), axes, n, true);
  weft_value *by =
      onnx_do(o, "Sqrt", onnx_do(o, "Add", mean, onnx_num(o, stash, (double)epsilon), NULL), NULL, NULL);
  v = onnx_as(o, onnx_do(o, "Div", v, by, NULL),
              t);  // rounded to the type of x, then given in that of the scale
  return onnx_result(o, 0,
                     o->failed ? NULL : onnx_do(o, "Mul", onnx_as(o, v, scale->fact.dtype), scale, NULL));
}

// Statistics of the batch, and running ones: input * momentum + batch * (1 - momentum). Before version 14
// outputs 3 and 4 are those of the batch.
static weft_status batch_norm_training(onnx_op *o, weft_value *const in[5], float epsilon, bool single) {
  float momentum = onnx_float(o, "momentum", 0.9f);
  WEFT_TRY(o->failed);
  onnx_set(o, "epsilon", weft_attr_float(epsilon));
  onnx_set(o, "data_format", map_norm_text("NCHW"));
  onnx_set(o, "is_training", weft_attr_bool(true));
  // Mean and variance change nothing here, exponential_avg_factor is 1: they say how many channels there are.
  weft_value *v = NULL;
  bool alike = in[3]->fact.dtype == in[1]->fact.dtype && in[4]->fact.dtype == in[1]->fact.dtype;
  WEFT_TRY(onnx_emit(o, "BatchNorm", in, alike ? 5 : 3, NULL, 0, &v));
  WEFT_TRY(onnx_result(o, 0, single ? onnx_reshaped(o, v, (int64_t[]){-1}, 1) : v));
  for (size_t i = 1; i < 5; i++) {
    if (!onnx_wants(o, i))
      continue;
    weft_dtype t = in[4 - i % 2]->fact.dtype;  // of mean, variance, mean, variance
    weft_value *batch = onnx_as(o, v + 4 - i % 2, t);
    if (i < 3) {
      weft_value *old = onnx_do(o, "Mul", in[2 + i], onnx_num(o, t, (double)momentum), NULL);
      batch = onnx_do(o, "Mul", batch, onnx_num(o, t, 1 - (double)momentum), NULL);
      batch = onnx_do(o, "Add", old, batch, NULL);
    }
    WEFT_TRY(onnx_result(o, i, batch));
  }
  return WEFT_OK;
}

// `spatial` 0: a mean, variance, scale and bias for each element of an item of the batch.
static weft_status batch_norm_of_elements(onnx_op *o, weft_value *const in[5], float epsilon) {
  WEFT_TRY(o->failed);
  weft_value *by = onnx_do(o, "Add", in[4], onnx_num(o, in[4]->fact.dtype, (double)epsilon), NULL);
  weft_value *y =
      onnx_do(o, "Div", onnx_do(o, "Sub", in[0], in[3], NULL), onnx_do(o, "Sqrt", by, NULL, NULL), NULL);
  return onnx_result(o, 0, onnx_do(o, "Add", onnx_do(o, "Mul", y, in[1], NULL), in[2], NULL));
}

// Scale and bias may have another type than mean and variance (since version 14); the primitive has one for
// all four.
static void one_type(onnx_op *o, weft_value *in[5]) {
  bool same = true;
  for (size_t i = 2; i < 5 && !o->failed; i++)
    same &= in[i]->fact.dtype == in[1]->fact.dtype;
  for (size_t i = 1; i < 5 && !same; i++)
    in[i] = onnx_as(o, in[i], WEFT_DOUBLE);
}

weft_status onnx_batch_norm(onnx_op *o) {
  weft_value *in[5];
  weft_value *wide[5];
  for (size_t i = 0; i < 5; i++)
    wide[i] = in[i] = onnx_arg(o, i);
  float epsilon = onnx_float(o, "epsilon", 1e-5f);
  int64_t version = o->m->version;
  int64_t training = version >= 14 ? onnx_int(o, "training_mode", 0) : 0;
  if (version < 7)
    training = !onnx_int(o, "is_test", 0);
  for (size_t i = 1; version < 14 && i < o->n->outputs.n; i++)
    training |= onnx_wants(o, i);
  bool elements = version < 9 && !onnx_int(o, "spatial", 1);
  if (elements && training)
    (void)onnx_unsupported(o, "training with attribute 'spatial' 0 is not imported");
  if (elements)
    return batch_norm_of_elements(o, in, epsilon);
  bool single = !o->failed && onnx_rank(in[0]) == 1;  // [N]: one channel
  if (single)
    wide[0] = in[0] = onnx_reshaped(o, in[0], (int64_t[]){-1, 1}, 2);
  one_type(o, wide);
  WEFT_TRY(o->failed);
  if (training) {
    weft_value *mixed[5] = {in[0], wide[1], wide[2], in[3], in[4]};
    return batch_norm_training(o, mixed, epsilon, single);
  }
  onnx_set(o, "epsilon", weft_attr_float(epsilon));
  onnx_set(o, "data_format", map_norm_text("NCHW"));
  onnx_set(o, "is_training", weft_attr_bool(false));
  if (!single)
    return onnx_emit(o, "BatchNorm", wide, 5, NULL, 1, NULL);
  weft_value *y = NULL;
  WEFT_TRY(onnx_emit(o, "BatchNorm", wide, 5, NULL, 0, &y));
  return onnx_result(o, 0, onnx_reshaped(o, y, (int64_t[]){-1}, 1));
}
// SPDX-License-Identifier: Apache-2.0
