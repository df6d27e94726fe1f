// map_nn.c - ONNX operators with arithmetic: convolution, products, LRN, Dropout.
// ONNX lists pads as [begin..., end...]; AscendIR's 4-lists are [top, bottom, left, right] and [1,1,h,w] for
// NCHW.
#include "frontend/onnx/map.h"

typedef struct window {  // of 2 spatial dims, in AscendIR's order for NCHW
  int64_t kernel[4];
  int64_t strides[4];
  int64_t dilations[4];
  int64_t pads[4];
  size_t spatial;    // as ONNX says it
  const char *mode;  // "SPECIFIC", "SAME_UPPER", "SAME_LOWER", "VALID"
  bool has_kernel;
} window;

static weft_status two(onnx_op *o, const char *name, size_t spatial, int64_t out[4], bool *given) {
  const int64_t *v;
  size_t n;
  WEFT_TRY(onnx_ints_attr(o, name, &v, &n));
  out[0] = out[1] = out[2] = out[3] = 1;
  if (given)
    *given = v != NULL;
  if (!v)
    return WEFT_OK;
  if (n != spatial) {
    return onnx_fail(o, WEFT_E_SHAPE, "attribute '%s' has %zu values, expected %zu: one for each spatial dim",
                     name, n, spatial);
  }
  if (spatial == 2) {
    out[2] = v[0];
    out[3] = v[1];
  }
  return WEFT_OK;
}

static weft_status read_window(onnx_op *o, size_t spatial, window *w) {
  const int64_t *pads;
  size_t n;
  weft_str mode;
  *w = (window){.spatial = spatial, .mode = "SPECIFIC"};
  WEFT_TRY(two(o, "kernel_shape", spatial, w->kernel, &w->has_kernel));
  WEFT_TRY(two(o, "strides", spatial, w->strides, NULL));
  WEFT_TRY(two(o, "dilations", spatial, w->dilations, NULL));
  WEFT_TRY(onnx_ints_attr(o, "pads", &pads, &n));
  if (pads && n != 2 * spatial)
    return onnx_fail(o, WEFT_E_SHAPE, "attribute 'pads' has %zu values, expected %zu", n, 2 * spatial);
  if (pads && spatial == 2) {
    w->pads[0] = pads[0];
    w->pads[1] = pads[2];
    w->pads[2] = pads[1];
    w->pads[3] = pads[3];
  }
  WEFT_TRY(onnx_str_attr(o, "auto_pad", "NOTSET", &mode));
  static const char *const modes[][2] = {
      {"NOTSET", "SPECIFIC"}, {"SAME_UPPER", "SAME_UPPER"}, {"SAME_LOWER", "SAME_LOWER"}, {"VALID", "VALID"}};
  for (size_t i = 0; i < WEFT_COUNT(modes); i++) {
    if (strlen(modes[i][0]) == mode.bytes && !memcmp(modes[i][0], mode.text, mode.bytes)) {
      w->mode = modes[i][1];
      return WEFT_OK;
    }
  }
  return onnx_fail(o, WEFT_E_INVALID,
                   "attribute 'auto_pad': '%.*s' is not one of NOTSET, SAME_UPPER, SAME_LOWER, VALID",
                   (int)WEFT_MIN(mode.bytes, 40), mode.text);
}

static weft_attr map_nn_text(const char *s) {
  return weft_attr_str(s, strlen(s));
}

// Any number of spatial dims: weft's own Conv takes ONNX's attributes as they are.
static weft_status conv_any(onnx_op *o, weft_value **in, size_t n_in, int64_t group) {
  static const char *const lists[] = {"kernel_shape", "strides", "pads", "dilations"};
  weft_str mode;
  for (size_t i = 0; i < WEFT_COUNT(lists); i++) {
    const int64_t *v;
    size_t n;
    WEFT_TRY(onnx_ints_attr(o, lists[i], &v, &n));
    if (v)
      onnx_set(o, lists[i], weft_attr_ints(v, n));
  }
  WEFT_TRY(onnx_str_attr(o, "auto_pad", "NOTSET", &mode));
  onnx_set(o, "auto_pad", weft_attr_str(mode.text, mode.bytes));
  onnx_set(o, "group", weft_attr_int(group));
  return onnx_emit(o, "Conv", in, n_in, NULL, 1, NULL);
}

weft_status onnx_conv(onnx_op *o) {
  weft_value *in[3] = {NULL, NULL, onnx_in(o, 2)};
  size_t n_in = in[2] ? 3 : 2;
  int64_t group;
  window w;
  WEFT_TRY(onnx_need(o, 0, &in[0]));
  WEFT_TRY(onnx_need(o, 1, &in[1]));
  WEFT_TRY(onnx_int_attr(o, "group", 1, &group));
  if (onnx_rank(in[1]) != 4)
    return conv_any(o, in, n_in, group);
  WEFT_TRY(read_window(o, 2, &w));
  for (int i = 2; w.has_kernel && i < 4; i++) {
    if (in[1]->fact.dims[i] >= 0 && in[1]->fact.dims[i] != w.kernel[i]) {
      return onnx_fail(o, WEFT_E_SHAPE, "attribute 'kernel_shape' says %lld, the weights have %lld in dim %d",
                       (long long)w.kernel[i], (long long)in[1]->fact.dims[i], i);
    }
  }
  onnx_set(o, "strides", weft_attr_ints(w.strides, 4));
  onnx_set(o, "pads", weft_attr_ints(w.pads, 4));
  onnx_set(o, "dilations", weft_attr_ints(w.dilations, 4));
  onnx_set(o, "groups", weft_attr_int(group));
  onnx_set(o, "data_format", map_nn_text("NCHW"));
  if (strcmp(w.mode, "SPECIFIC"))
    onnx_set(o, "pad_mode", map_nn_text(w.mode));
  return onnx_emit(o, "Conv2D", in, n_in, NULL, 1, NULL);
}

// Is the value known to be zero (false)? An absent one is not.
static bool known_zero(const weft_value *v) {
  const weft_tensor *t = v ? weft_value_data(v) : NULL;
  return t && t->data && weft_tensor_elems(t) == 1 && weft_load_f64(t->dtype, t->data, 0) == 0;
}

static weft_status dropout_training(onnx_op *o, weft_value *x, weft_value *ratio, weft_value *training) {
  weft_value *in[3] = {x, ratio, training};
  weft_value *y;
  int64_t seed = onnx_int(o, "seed", 0);
  WEFT_TRY(o->failed);
  onnx_set(o, "seed", weft_attr_int(seed));
  WEFT_TRY(onnx_emit(o, "RandomDropout", in, 3, NULL, 0, &y));
  WEFT_TRY(onnx_result(o, 0, y));
  if (!onnx_wants(o, 1))
    return WEFT_OK;
  return onnx_result(o, 1, onnx_as(o, y + 1, o->m->version < 10 ? x->fact.dtype : (weft_dtype)WEFT_BOOL));
}

// Outside training Dropout is the identity; its mask is all true (all one before version 10). Training is an
// attribute up to version 6, an input since version 12.
weft_status onnx_dropout(onnx_op *o) {
  weft_value *x = onnx_arg(o, 0);
  weft_value *ratio = o->m->version < 12 ? NULL : onnx_in(o, 1);
  weft_value *training = o->m->version < 12 ? NULL : onnx_in(o, 2);
  WEFT_TRY(o->failed);
  if (o->m->version < 7 && !onnx_int(o, "is_test", 0)) {
    training = onnx_num(o, WEFT_BOOL, 1);
    ratio = onnx_num(o, WEFT_FLOAT, (double)onnx_float(o, "ratio", 0.5f));
  }
  WEFT_TRY(o->failed);
  if (training && !known_zero(training) && !known_zero(ratio))
    return dropout_training(o, x, ratio, training);
  WEFT_TRY(onnx_emit(o, "Identity", &x, 1, NULL, 1, NULL));
  if (!onnx_wants(o, 1))
    return WEFT_OK;
  weft_value *one = onnx_num(o, o->m->version < 10 ? x->fact.dtype : (weft_dtype)WEFT_BOOL, 1);
  return onnx_result(o, 1, onnx_do(o, "Fill", onnx_shape_of(o, x), one, NULL));
}

static weft_status map_nn_scaled(onnx_op *o, weft_value *v, float by, weft_value **out) {
  weft_value *in[2] = {v, NULL};
  *out = v;
  if (by == 1.0f)
    return WEFT_OK;
  WEFT_TRY(onnx_const_scalar(o, v->fact.dtype, by, &in[1]));
  return onnx_emit(o, "Mul", in, 2, NULL, 0, out);
}

// alpha * A' * B' + beta * C
weft_status onnx_gemm(onnx_op *o) {
  weft_value *in[2];
  weft_value *c = onnx_in(o, 2);
  weft_value *product;
  float alpha;
  float beta;
  int64_t ta;
  int64_t tb;
  WEFT_TRY(onnx_need(o, 0, &in[0]));
  WEFT_TRY(onnx_need(o, 1, &in[1]));
  WEFT_TRY(onnx_float_attr(o, "alpha", 1, &alpha));
  WEFT_TRY(onnx_float_attr(o, "beta", 1, &beta));
  WEFT_TRY(onnx_int_attr(o, "transA", 0, &ta));
  WEFT_TRY(onnx_int_attr(o, "transB", 0, &tb));
  onnx_set(o, "transpose_x1", weft_attr_bool(ta != 0));
  onnx_set(o, "transpose_x2", weft_attr_bool(tb != 0));
  bool last = alpha == 1.0f && (!c || beta == 0.0f);
  WEFT_TRY(onnx_emit(o, "MatMulV2", in, 2, NULL, last, &product));
  if (last)
    return WEFT_OK;
  if (!c || beta == 0.0f) {
    weft_value *pair[2] = {product, NULL};
    WEFT_TRY(onnx_const_scalar(o, product->fact.dtype, alpha, &pair[1]));
    return onnx_emit(o, "Mul", pair, 2, NULL, 1, NULL);
  }
  weft_value *sum[2];
  WEFT_TRY(map_nn_scaled(o, product, alpha, &sum[0]));
  WEFT_TRY(map_nn_scaled(o, c, beta, &sum[1]));
  if (onnx_rank(c) < 0 && onnx_rank(product) >= 0)  // C is never larger than the product
    sum[1] = onnx_do(o, "BroadcastTo", sum[1], onnx_shape_of(o, product), NULL);
  WEFT_TRY(o->failed);
  return onnx_emit(o, "Add", sum, 2, NULL, 1, NULL);
}

weft_status onnx_lrn(onnx_op *o) {
  weft_value *x;
  int64_t size;
  float alpha;
  float beta;
  float bias;
  WEFT_TRY(onnx_need(o, 0, &x));
  WEFT_TRY(onnx_int_attr(o, "size", 0, &size));
  if (size < 1)
    return onnx_fail(o, WEFT_E_RANGE, "attribute 'size' must be >= 1, got %lld", (long long)size);
  WEFT_TRY(onnx_float_attr(o, "alpha", 1e-4f, &alpha));
  WEFT_TRY(onnx_float_attr(o, "beta", 0.75f, &beta));
  WEFT_TRY(onnx_float_attr(o, "bias", 1.0f, &bias));
  onnx_set(o, "alpha", weft_attr_float(alpha));
  onnx_set(o, "beta", weft_attr_float(beta));
  onnx_set(o, "bias", weft_attr_float(bias));
  onnx_set(o, "size", weft_attr_int(size));
  onnx_set(o, "data_format", map_nn_text("NCHW"));
  return onnx_emit(o, "LRN", &x, 1, NULL, 1, NULL);
}
// SPDX-License-Identifier: Apache-2.0
