// map_nn.c - ONNX operators with arithmetic: convolution, pooling, normalisation, products, reductions.
// ONNX lists pads as [begin..., end...]; AscendIR's 4-lists are [top, bottom, left, right] and [1,1,h,w] for NCHW.
#include "frontend/onnx/map.h"

typedef struct window {  // of 2 spatial dims, in AscendIR's order for NCHW
  int64_t kernel[4], strides[4], dilations[4], pads[4];
  size_t spatial;        // as ONNX says it
  const char *mode;      // "SPECIFIC", "SAME_UPPER", "SAME_LOWER", "VALID"
  bool has_kernel;
} window;

static weft_status two(onnx_op *o, const char *name, size_t spatial, int64_t out[4], bool *given) {
  const int64_t *v;
  size_t n;
  WEFT_TRY(onnx_ints_attr(o, name, &v, &n));
  out[0] = out[1] = out[2] = out[3] = 1;
  if (given) *given = v != NULL;
  if (!v) return WEFT_OK;
  if (n != spatial)
    return onnx_fail(o, WEFT_E_SHAPE, "attribute '%s' has %zu values, expected %zu: one for each spatial dim", name, n, spatial);
  if (spatial == 2) out[2] = v[0], out[3] = v[1];
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
  if (pads && spatial == 2) w->pads[0] = pads[0], w->pads[1] = pads[2], w->pads[2] = pads[1], w->pads[3] = pads[3];
  WEFT_TRY(onnx_str_attr(o, "auto_pad", "NOTSET", &mode));
  static const char *const modes[][2] = {{"NOTSET", "SPECIFIC"}, {"SAME_UPPER", "SAME_UPPER"}, {"SAME_LOWER", "SAME_LOWER"},
                                         {"VALID", "VALID"}};
  for (size_t i = 0; i < WEFT_COUNT(modes); i++)
    if (strlen(modes[i][0]) == mode.bytes && !memcmp(modes[i][0], mode.text, mode.bytes)) {
      w->mode = modes[i][1];
      return WEFT_OK;
    }
  return onnx_fail(o, WEFT_E_INVALID, "attribute 'auto_pad': '%.*s' is not one of NOTSET, SAME_UPPER, SAME_LOWER, VALID",
                   (int)WEFT_MIN(mode.bytes, 40), mode.text);
}

static weft_attr text(const char *s) { return weft_attr_str(s, strlen(s)); }

// Any number of spatial dims: weft's own Conv takes ONNX's attributes as they are.
static weft_status conv_any(onnx_op *o, weft_value **in, size_t n_in, int64_t group) {
  static const char *const lists[] = {"kernel_shape", "strides", "pads", "dilations"};
  weft_str mode;
  for (size_t i = 0; i < WEFT_COUNT(lists); i++) {
    const int64_t *v;
    size_t n;
    WEFT_TRY(onnx_ints_attr(o, lists[i], &v, &n));
    if (v) onnx_set(o, lists[i], weft_attr_ints(v, n));
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
  if (onnx_rank(in[1]) != 4) return conv_any(o, in, n_in, group);
  WEFT_TRY(read_window(o, 2, &w));
  for (int i = 2; w.has_kernel && i < 4; i++)
    if (in[1]->fact.dims[i] >= 0 && in[1]->fact.dims[i] != w.kernel[i])
      return onnx_fail(o, WEFT_E_SHAPE, "attribute 'kernel_shape' says %lld, the weights have %lld in dim %d",
                       (long long)w.kernel[i], (long long)in[1]->fact.dims[i], i);
  onnx_set(o, "strides", weft_attr_ints(w.strides, 4));
  onnx_set(o, "pads", weft_attr_ints(w.pads, 4));
  onnx_set(o, "dilations", weft_attr_ints(w.dilations, 4));
  onnx_set(o, "groups", weft_attr_int(group));
  onnx_set(o, "data_format", text("NCHW"));
  if (strcmp(w.mode, "SPECIFIC")) onnx_set(o, "pad_mode", text(w.mode));
  return onnx_emit(o, "Conv2D", in, n_in, NULL, 1, NULL);
}

static weft_status pool(onnx_op *o, const char *type, bool average) {
  weft_value *x;
  window w;
  int64_t ceil_mode, include_pad = 0;
  WEFT_TRY(onnx_need(o, 0, &x));
  const onnx_attr *k = onnx_find_attr(o, "kernel_shape");
  if (!k) return onnx_fail(o, WEFT_E_MISSING, "required attribute 'kernel_shape' is not given");
  if (k->ints.n != 2)
    return onnx_fail(o, WEFT_E_UNSUPPORTED, "pooling over %zu spatial dims is not imported yet, only over 2", (size_t)k->ints.n);
  WEFT_TRY(read_window(o, 2, &w));
  WEFT_TRY(onnx_int_attr(o, "ceil_mode", 0, &ceil_mode));
  if (average) WEFT_TRY(onnx_int_attr(o, "count_include_pad", 0, &include_pad));
  if (!average && onnx_wants(o, 1)) return onnx_fail(o, WEFT_E_UNSUPPORTED, "the output Indices is not made yet");
  if (!strcmp(w.mode, "SAME_LOWER")) return onnx_fail(o, WEFT_E_UNSUPPORTED, "auto_pad SAME_LOWER is not imported yet");
  const char *mode = !strcmp(w.mode, "SPECIFIC") ? "CALCULATED" : !strcmp(w.mode, "VALID") ? "VALID" : "SAME";
  onnx_set(o, "ksize", weft_attr_ints(w.kernel, 4));
  onnx_set(o, "strides", weft_attr_ints(w.strides, 4));
  onnx_set(o, "padding_mode", text(mode));
  onnx_set(o, "pads", weft_attr_ints(w.pads, 4));
  onnx_set(o, "data_format", text("NCHW"));
  onnx_set(o, "ceil_mode", weft_attr_bool(ceil_mode != 0));
  if (average) onnx_set(o, "exclusive", weft_attr_bool(include_pad == 0));
  if (w.dilations[2] != 1 || w.dilations[3] != 1) onnx_set(o, "dilations", weft_attr_ints(w.dilations, 4));
  return onnx_emit(o, type, &x, 1, NULL, 1, NULL);
}
weft_status onnx_average_pool(onnx_op *o) { return pool(o, "AvgPoolV2", true); }
weft_status onnx_max_pool(onnx_op *o) { return pool(o, "MaxPoolV3", false); }

weft_status onnx_global_pool(onnx_op *o) {
  static const int64_t ones[4] = {1, 1, 1, 1};
  weft_value *x;
  WEFT_TRY(onnx_need(o, 0, &x));
  if (onnx_rank(x) >= 0 && onnx_rank(x) != 4)
    return onnx_fail(o, WEFT_E_UNSUPPORTED, "global pooling of rank %d is not imported yet, only of rank 4", onnx_rank(x));
  onnx_set(o, "ksize", weft_attr_ints(ones, 4));
  onnx_set(o, "strides", weft_attr_ints(ones, 4));
  onnx_set(o, "global_pooling", weft_attr_bool(true));
  onnx_set(o, "data_format", text("NCHW"));
  return onnx_emit(o, onnx_str_is(o->n->op_type, "GlobalMaxPool") ? "MaxPoolV3" : "AvgPoolV2", &x, 1, NULL, 1, NULL);
}

weft_status onnx_batch_norm(onnx_op *o) {
  weft_value *in[5];
  float epsilon;
  int64_t training;
  for (size_t i = 0; i < 5; i++) WEFT_TRY(onnx_need(o, i, &in[i]));
  WEFT_TRY(onnx_float_attr(o, "epsilon", 1e-5f, &epsilon));
  WEFT_TRY(onnx_int_attr(o, "training_mode", 0, &training));
  for (size_t i = 1; i < o->n->outputs.n; i++)
    if (onnx_wants(o, i)) training = 1;
  if (training) return onnx_fail(o, WEFT_E_UNSUPPORTED, "training mode is not imported yet");
  onnx_set(o, "epsilon", weft_attr_float(epsilon));
  onnx_set(o, "data_format", text("NCHW"));
  onnx_set(o, "is_training", weft_attr_bool(false));
  return onnx_emit(o, "BatchNorm", in, 5, NULL, 1, NULL);
}

// Outside training Dropout is the identity; its mask is all true (all one before version 10).
weft_status onnx_dropout(onnx_op *o) {
  weft_value *x;
  WEFT_TRY(onnx_need(o, 0, &x));
  if (onnx_in(o, 2)) {
    const weft_tensor *t = onnx_in(o, 2)->fact.value;
    if (!t || !t->data || weft_load_i64(t->dtype, t->data, 0))
      return onnx_fail(o, WEFT_E_UNSUPPORTED, "training mode is not imported");
  }
  WEFT_TRY(onnx_emit(o, "Identity", &x, 1, NULL, 1, NULL));
  if (!onnx_wants(o, 1)) return WEFT_OK;
  weft_value *shape, *in[2], *mask;
  onnx_set(o, "dtype", weft_attr_int(WEFT_INT64));
  WEFT_TRY(onnx_emit(o, "Shape", &x, 1, NULL, 0, &shape));
  in[0] = shape;
  WEFT_TRY(onnx_const_scalar(o, o->m->version < 10 ? x->fact.dtype : (weft_dtype)WEFT_BOOL, 1, &in[1]));
  WEFT_TRY(onnx_emit(o, "Fill", in, 2, NULL, 0, &mask));
  onnx_str name = o->n->outputs.v[1];
  const char *copy = weft__arena_strdup(&o->m->arena, name.text, name.bytes);
  if (!copy || weft__map_find(&o->m->values, name.text, name.bytes))
    return onnx_fail(o, WEFT_E_DUPLICATE, "its output 1 has two producers");
  WEFT_TRY(weft__value_rename(mask, copy, o->m->d));
  return weft__map_set(&o->m->values, name.text, name.bytes, mask) ? onnx_fail(o, WEFT_E_NOMEM, "out of memory") : WEFT_OK;
}

static weft_status scaled(onnx_op *o, weft_value *v, float by, weft_value **out) {
  weft_value *in[2] = {v, NULL};
  *out = v;
  if (by == 1.0f) return WEFT_OK;
  WEFT_TRY(onnx_const_scalar(o, v->fact.dtype, by, &in[1]));
  return onnx_emit(o, "Mul", in, 2, NULL, 0, out);
}

// alpha * A' * B' + beta * C
weft_status onnx_gemm(onnx_op *o) {
  weft_value *in[2], *c = onnx_in(o, 2), *product;
  float alpha, beta;
  int64_t ta, tb;
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
  if (last) return WEFT_OK;
  if (!c || beta == 0.0f) {
    weft_value *pair[2] = {product, NULL};
    WEFT_TRY(onnx_const_scalar(o, product->fact.dtype, alpha, &pair[1]));
    return onnx_emit(o, "Mul", pair, 2, NULL, 1, NULL);
  }
  weft_value *sum[2];
  WEFT_TRY(scaled(o, product, alpha, &sum[0]));
  WEFT_TRY(scaled(o, c, beta, &sum[1]));
  return onnx_emit(o, "Add", sum, 2, NULL, 1, NULL);
}

weft_status onnx_leaky_relu(onnx_op *o) {
  weft_value *x;
  float alpha;
  WEFT_TRY(onnx_need(o, 0, &x));
  WEFT_TRY(onnx_float_attr(o, "alpha", 0.01f, &alpha));
  onnx_set(o, "negative_slope", weft_attr_float(alpha));
  return onnx_emit(o, "LeakyRelu", &x, 1, NULL, 1, NULL);
}

weft_status onnx_lrn(onnx_op *o) {
  weft_value *x;
  int64_t size;
  float alpha, beta, bias;
  WEFT_TRY(onnx_need(o, 0, &x));
  WEFT_TRY(onnx_int_attr(o, "size", 0, &size));
  if (size < 1) return onnx_fail(o, WEFT_E_RANGE, "attribute 'size' must be >= 1, got %lld", (long long)size);
  WEFT_TRY(onnx_float_attr(o, "alpha", 1e-4f, &alpha));
  WEFT_TRY(onnx_float_attr(o, "beta", 0.75f, &beta));
  WEFT_TRY(onnx_float_attr(o, "bias", 1.0f, &bias));
  onnx_set(o, "alpha", weft_attr_float(alpha));
  onnx_set(o, "beta", weft_attr_float(beta));
  onnx_set(o, "bias", weft_attr_float(bias));
  onnx_set(o, "size", weft_attr_int(size));
  onnx_set(o, "data_format", text("NCHW"));
  return onnx_emit(o, "LRN", &x, 1, NULL, 1, NULL);
}

weft_status onnx_reduce(onnx_op *o) {
  const int64_t *axes;
  int64_t keep, all[WEFT_MAX_RANK];
  size_t n;
  weft_value *in[2];
  WEFT_TRY(onnx_need(o, 0, &in[0]));
  WEFT_TRY(onnx_ints_attr(o, "axes", &axes, &n));
  WEFT_TRY(onnx_int_attr(o, "keepdims", 1, &keep));
  if (!axes) {
    int rank = onnx_rank(in[0]);
    if (rank < 0) return onnx_fail(o, WEFT_E_UNKNOWN, "no attribute 'axes', and the rank of the input is not known");
    for (int i = 0; i < rank; i++) all[i] = i;
    axes = all, n = (size_t)rank;
  }
  WEFT_TRY(onnx_const_ints(o, axes, n, false, &in[1]));
  onnx_set(o, "keep_dims", weft_attr_bool(keep != 0));
  return onnx_emit(o, o->map->primitive, in, 2, NULL, 1, NULL);
}

// Up to version 12 the dims from `axis` on are one lane; since 13 the axis alone is.
weft_status onnx_softmax(onnx_op *o) {
  weft_value *x;
  int64_t axis, axes[WEFT_MAX_RANK];
  size_t n = 1;
  bool lane = o->m->version < 13;
  WEFT_TRY(onnx_need(o, 0, &x));
  WEFT_TRY(onnx_int_attr(o, "axis", lane ? 1 : -1, &axis));
  axes[0] = axis;
  if (lane) {
    int rank = onnx_rank(x);
    if (rank < 0) return onnx_fail(o, WEFT_E_UNKNOWN, "the rank of the input is not known");
    if (axis < -rank || axis > rank)
      return onnx_fail(o, WEFT_E_RANGE, "attribute 'axis': %lld is outside [%d, %d]", (long long)axis, -rank, rank);
    if (axis < 0) axis += rank;
    for (n = 0; axis + (int64_t)n < rank; n++) axes[n] = axis + (int64_t)n;
  }
  onnx_set(o, "axes", weft_attr_ints(axes, n));
  return onnx_emit(o, "SoftmaxV2", &x, 1, NULL, 1, NULL);
}

weft_status onnx_sum(onnx_op *o) {
  weft_value *in[2];
  WEFT_TRY(onnx_need(o, 0, &in[0]));
  if (o->n->inputs.n == 1) return onnx_emit(o, "Identity", in, 1, NULL, 1, NULL);
  for (size_t i = 1; i < o->n->inputs.n; i++) {
    WEFT_TRY(onnx_need(o, i, &in[1]));
    WEFT_TRY(onnx_emit(o, "Add", in, 2, NULL, i + 1 == o->n->inputs.n, &in[0]));
  }
  return WEFT_OK;
}
