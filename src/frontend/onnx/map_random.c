// map_random.c - ONNX operators that draw numbers. A seed is the bits of ONNX's float; without one every run
// draws others.
#include "frontend/onnx/map.h"

static void seed(onnx_op *o) {
  float v = onnx_float(o, "seed", 0);
  uint32_t bits;
  if (o->failed || !onnx_find_attr(o, "seed"))
    return;
  memcpy(&bits, &v, sizeof bits);
  onnx_set(o, "seed", weft_attr_int(bits));
  onnx_set(o, "seed2", weft_attr_int(1));
}

// The attribute dtype, or `dflt`.
static weft_dtype map_random_type_of(onnx_op *o, weft_dtype dflt) {
  int64_t type = onnx_int(o, "dtype", 0);
  weft_dtype t = dflt;
  if (!o->failed && onnx_find_attr(o, "dtype"))
    o->failed = onnx_dtype(o, type, &t);
  return t;
}

static weft_value *drawn(onnx_op *o, const char *type, weft_value *shape, weft_dtype t) {
  if (o->failed)
    return NULL;
  seed(o);
  onnx_set(o, "dtype", weft_attr_dtype(t));
  return onnx_do(o, type, shape, NULL, NULL);
}

// RandomNormal and RandomUniform with a shape of their own, and those that take it (and by default the dtype)
// from x.
weft_status onnx_random(onnx_op *o) {
  bool normal = !strncmp(o->map->name, "RandomNormal", 12);
  bool like = strstr(o->map->name, "Like") != NULL;
  double low = (double)onnx_float(o, normal ? "mean" : "low", 0),
         high = (double)onnx_float(o, normal ? "scale" : "high", 1);
  double by = normal ? high : high - low;
  weft_value *x = like ? onnx_arg(o, 0) : NULL;
  if (!like && !onnx_find_attr(o, "shape"))
    return onnx_fail(o, WEFT_E_MISSING, "required attribute 'shape' is not given");
  weft_ints dims = like ? (weft_ints){NULL, 0} : onnx_ints_of(o, "shape");
  WEFT_TRY(o->failed);
  weft_dtype t = map_random_type_of(o, like ? x->fact.dtype : (weft_dtype)WEFT_FLOAT);
  weft_value *shape = like ? onnx_shape_of(o, x) : onnx_list(o, dims.v, dims.n);
  weft_value *v = drawn(o, o->map->primitive, shape, t);
  if (by != 1)
    v = onnx_do(o, "Mul", v, onnx_num(o, t, by), NULL);
  if (low != 0)
    v = onnx_do(o, "Add", v, onnx_num(o, t, low), NULL);
  return onnx_result(o, 0, v);
}

// 1 with the probability that x gives: where a number of [0, 1) is below it.
weft_status onnx_bernoulli(onnx_op *o) {
  weft_value *x = onnx_arg(o, 0);
  WEFT_TRY(o->failed);
  weft_dtype t = map_random_type_of(o, x->fact.dtype);
  weft_value *v = drawn(o, "RandomUniform", onnx_shape_of(o, x), WEFT_DOUBLE);
  v = onnx_do(o, "Less", v, onnx_as(o, x, WEFT_DOUBLE), NULL);
  return onnx_result(o, 0, onnx_as(o, v, t));
}

weft_status onnx_multinomial(onnx_op *o) {
  weft_value *x = onnx_arg(o, 0);
  int64_t samples = onnx_int(o, "sample_size", 1);
  weft_dtype t = map_random_type_of(o, WEFT_INT32);
  weft_value *in[2] = {x, onnx_index(o, samples)};
  WEFT_TRY(o->failed);
  seed(o);
  onnx_set(o, "dtype", weft_attr_dtype(t));
  return onnx_emit(o, "Multinomial", in, 2, NULL, 1, NULL);
}
// SPDX-License-Identifier: Apache-2.0
