// map_pool.c - pooling over 1 to 3 spatial dims. ONNX lists pads as [begin..., end...], weft's primitives
// begin and end of each dim in turn; for 2 spatial dims kernel, strides and dilations are written as AscendIR
// has them for NCHW: [1,1,h,w].
#include "frontend/onnx/map.h"

typedef struct window {
  size_t spatial, n;  // spatial dims; entries of the lists
  int64_t kernel[5], strides[5], dilations[5], pads[6];
  const char *mode;
} window;

static weft_attr map_pool_text(const char *s) {
  return weft_attr_str(s, strlen(s));
}

static void map_pool_list(onnx_op *o, const char *name, const window *w, int64_t out[5]) {
  weft_ints v = onnx_ints_of(o, name);
  size_t lead = w->n - w->spatial;
  for (size_t i = 0; i < 5; i++)
    out[i] = 1;
  if (o->failed || !v.v)
    return;
  if (v.n != w->spatial) {
    o->failed =
        onnx_fail(o, WEFT_E_SHAPE, "attribute '%s' has %zu values, expected %zu: one for each spatial dim",
                  name, v.n, w->spatial);
  }
  for (size_t i = 0; i < w->spatial && !o->failed; i++)
    out[lead + i] = v.v[i];
}

static void read_window(onnx_op *o, window *w) {
  static const char *const modes[][2] = {{"NOTSET", "CALCULATED"},
                                         {"SAME_UPPER", "SAME_UPPER"},
                                         {"SAME_LOWER", "SAME_LOWER"},
                                         {"VALID", "VALID"}};
  weft_ints kernel = onnx_ints_of(o, "kernel_shape");
  weft_ints pads = onnx_ints_of(o, "pads");
  *w = (window){.spatial = kernel.n, .n = kernel.n == 2 ? 4 : kernel.n};
  if (kernel.n < 1 || kernel.n > 3) {
    o->failed =
        onnx_fail(o, WEFT_E_UNSUPPORTED,
                  "attribute 'kernel_shape' has %zu values: pooling is over 1 to 3 spatial dims", kernel.n);
    return;
  }
  map_pool_list(o, "kernel_shape", w, w->kernel);
  map_pool_list(o, "strides", w, w->strides);
  map_pool_list(o, "dilations", w, w->dilations);
  for (size_t i = 0; i < WEFT_COUNT(modes); i++) {
    if (onnx_is(o, "auto_pad", "NOTSET", modes[i][0]))
      w->mode = modes[i][1];
  }
  if (o->failed)
    return;
  if (!w->mode) {
    o->failed = onnx_fail(o, WEFT_E_INVALID,
                          "attribute 'auto_pad' is not one of NOTSET, SAME_UPPER, SAME_LOWER, VALID");
  } else if (pads.v && pads.n != 2 * w->spatial) {
    o->failed =
        onnx_fail(o, WEFT_E_SHAPE, "attribute 'pads' has %zu values, expected %zu", pads.n, 2 * w->spatial);
  } else {
    for (size_t i = 0; pads.v && i < w->spatial; i++) {
      w->pads[2 * i] = pads.v[i];
      w->pads[2 * i + 1] = pads.v[w->spatial + i];
    }
  }
}

static void set_window(onnx_op *o, const window *w, int64_t ceil_mode, const char *dilations) {
  bool dilated = false;
  for (size_t i = 0; i < w->n; i++)
    dilated |= w->dilations[i] != 1;
  onnx_set(o, "ksize", weft_attr_ints(w->kernel, w->n));
  onnx_set(o, "strides", weft_attr_ints(w->strides, w->n));
  onnx_set(o, "padding_mode", map_pool_text(w->mode));
  onnx_set(o, "pads", weft_attr_ints(w->pads, 2 * w->spatial));
  onnx_set(o, "data_format", map_pool_text("NCHW"));
  onnx_set(o, "ceil_mode", weft_attr_bool(ceil_mode != 0));
  if (dilated || !strcmp(dilations, "dilation"))
    onnx_set(o, dilations, weft_attr_ints(w->dilations, w->n));
}

weft_status onnx_average_pool(onnx_op *o) {
  weft_value *x = onnx_arg(o, 0);
  int64_t ceil_mode = onnx_int(o, "ceil_mode", 0);
  int64_t include_pad = onnx_int(o, "count_include_pad", 0);
  window w;
  read_window(o, &w);
  WEFT_TRY(o->failed);
  set_window(o, &w, ceil_mode, "dilations");
  onnx_set(o, "exclusive", weft_attr_bool(include_pad == 0));
  return onnx_emit(o, "AvgPoolV2", &x, 1, NULL, 1, NULL);
}

weft_status onnx_max_pool(onnx_op *o) {
  weft_value *x = onnx_arg(o, 0);
  int64_t ceil_mode = onnx_int(o, "ceil_mode", 0);
  int64_t column_major = onnx_int(o, "storage_order", 0);
  window w;
  read_window(o, &w);
  WEFT_TRY(o->failed);
  set_window(o, &w, ceil_mode, onnx_wants(o, 1) ? "dilation" : "dilations");
  if (!onnx_wants(o, 1))
    return onnx_emit(o, "MaxPoolV3", &x, 1, NULL, 1, NULL);
  onnx_set(o, "dtype", weft_attr_int(WEFT_INT64));
  onnx_set(o, "index_base", map_pool_text(column_major ? "tensor_column_major" : "tensor"));
  return onnx_emit(o, "MaxPoolWithArgmaxV3", &x, 1, NULL, 2, NULL);
}

weft_status onnx_global_pool(onnx_op *o) {
  static const int64_t ones[4] = {1, 1, 1, 1};
  weft_value *x = onnx_arg(o, 0);
  WEFT_TRY(o->failed);
  size_t n = onnx_rank(x) == 3 ? 1 : onnx_rank(x) == 5 ? 3 : 4;
  onnx_set(o, "ksize", weft_attr_ints(ones, n));
  onnx_set(o, "strides", weft_attr_ints(ones, n));
  onnx_set(o, "global_pooling", weft_attr_bool(true));
  onnx_set(o, "data_format", map_pool_text("NCHW"));
  return onnx_emit(o, o->map->primitive, &x, 1, NULL, 1, NULL);
}

// p is a float in version 1 and an integer since.
static double order_of(onnx_op *o) {
  if (o->m->version < 2)
    return (double)onnx_float(o, "p", 2);
  int64_t p = onnx_int(o, "p", 2);
  if (p < 1)
    o->failed = onnx_fail(o, WEFT_E_RANGE, "attribute 'p' must be >= 1, got %lld", (long long)p);
  return (double)p;
}
static weft_value *to_power(onnx_op *o, weft_value *v, double p) {
  if (o->failed || p == 1)
    return v;
  return onnx_do(o, "Pow", v, onnx_num(o, v->fact.dtype, p), NULL);
}

// (sum |x|^p)^(1/p) over windows, as a mean with divisor 1.
weft_status onnx_lp_pool(onnx_op *o) {
  weft_value *x = onnx_arg(o, 0);
  int64_t ceil_mode = onnx_int(o, "ceil_mode", 0);
  double p = order_of(o);
  window w;
  read_window(o, &w);
  weft_value *v = to_power(o, onnx_do(o, "Abs", x, NULL, NULL), p);
  WEFT_TRY(o->failed);
  set_window(o, &w, ceil_mode, "dilations");
  onnx_set(o, "divisor_override", weft_attr_int(1));
  return onnx_result(o, 0, to_power(o, onnx_do(o, "AvgPoolV2", v, NULL, NULL), 1 / p));
}

weft_status onnx_global_lp_pool(onnx_op *o) {
  weft_value *x = onnx_arg(o, 0);
  double p = order_of(o);
  int64_t axes[WEFT_MAX_RANK];
  int rank = onnx_rank_needed(o, x);
  size_t n = 0;
  for (int i = 2; i < rank; i++)
    axes[n++] = i;
  if (!n)
    return onnx_fail(o, WEFT_E_SHAPE, "expected rank 3 or more, got %d", rank);
  weft_value *v = to_power(o, onnx_do(o, "Abs", x, NULL, NULL), p);
  return onnx_result(o, 0, to_power(o, onnx_reduced(o, "ReduceSum", v, axes, n, true), 1 / p));
}

// What a pooled dim of size 1 came from, less a stride: the window without its pads.
static bool unpooled_rest(const window *w, size_t k, const int64_t *pads, int64_t *out) {
  int64_t step = w->strides[k];
  return pads[0] >= 0 && pads[1] >= 0 && step > 0 && w->kernel[k] > 0 &&
         weft__add_i64(w->kernel[k] - step, -pads[0], out) && weft__add_i64(*out, -pads[1], out);
}

// The output's size without output_shape: what a pooling with these windows and pads came from.
static weft_value *unpooled_shape(onnx_op *o, weft_value *x, const window *w) {
  int64_t size[5];
  int64_t step[5];
  int64_t more[5];
  int rank = onnx_rank_needed(o, x);
  bool known = true;
  if (o->failed)
    return NULL;
  if (rank != (int)w->spatial + 2) {
    o->failed = onnx_fail(o, WEFT_E_SHAPE, "expected rank %zu, got %d", w->spatial + 2, rank);
    return NULL;
  }
  for (int i = 0; i < rank; i++) {
    size_t k = w->n - w->spatial + (size_t)i - 2;
    step[i] = i < 2 ? 1 : w->strides[k];
    more[i] = 0;
    if (i > 1 && !unpooled_rest(w, k, &w->pads[2 * (i - 2)], &more[i])) {
      o->failed =
          onnx_fail(o, WEFT_E_INVALID, "windows, strides and pads of spatial dim %d: out of range", i - 2);
      return NULL;
    }
    known = known && x->fact.dims[i] >= 0 && weft__mul_i64(x->fact.dims[i], step[i], &size[i]) &&
            weft__add_i64(size[i], more[i], &size[i]);
  }
  if (known)
    return onnx_list(o, size, (size_t)rank);
  weft_value *steps = onnx_list(o, step, (size_t)rank);
  return onnx_do(o, "Add", onnx_do(o, "Mul", onnx_shape_of(o, x), steps, NULL),
                 onnx_list(o, more, (size_t)rank), NULL);
}

// Zeros, with the elements of x put at the places that MaxPool gave. The places count in the tensor that was
// pooled, whose size is that without output_shape.
weft_status onnx_max_unpool(onnx_op *o) {
  weft_value *x = onnx_arg(o, 0);
  weft_value *places = onnx_arg(o, 1);
  weft_value *wanted = onnx_in(o, 2);
  int64_t flat = -1;
  window w;
  read_window(o, &w);
  weft_value *shape = unpooled_shape(o, x, &w);
  WEFT_TRY(o->failed);
  if (places->fact.dtype != WEFT_INT32)
    places = onnx_as(o, places, WEFT_INT64);
  weft_value *zeros = onnx_do(o, "Fill", shape, onnx_num(o, x->fact.dtype, 0), NULL);
  weft_value *v = onnx_do(o, "ScatterElements", onnx_reshaped(o, zeros, &flat, 1),
                          onnx_reshaped(o, places, &flat, 1), onnx_reshaped(o, x, &flat, 1));
  v = onnx_do(o, "Reshape", v, shape, NULL);
  if (!wanted || o->failed)
    return onnx_result(o, 0, v);
  weft_value *more = onnx_do(o, "Sub", onnx_as(o, wanted, WEFT_INT64), shape, NULL);
  weft_value *pads[2] = {onnx_do(o, "ZerosLike", shape, NULL, NULL), more};
  weft_value *all = onnx_joined(o, pads, 2, 0);
  onnx_set(o, "paddings_contiguous", weft_attr_bool(false));
  return onnx_result(o, 0, onnx_do(o, "PadV3", v, all, NULL));
}
// SPDX-License-Identifier: Apache-2.0
