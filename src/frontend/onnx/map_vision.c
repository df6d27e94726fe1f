// map_vision.c - ONNX operators on images and regions, and others whose primitive is made for them: inputs as
// they are, attributes passed on or filled in where versions differ.
#include "frontend/onnx/map.h"

static weft_attr map_vision_text(const char *s) {
  return weft_attr_str(s, strlen(s));
}

static weft_status one_output(onnx_op *o, const char *type, weft_value **in, size_t n) {
  while (n && !in[n - 1])
    n--;
  WEFT_TRY(o->failed);
  return onnx_emit(o, type, in, n, NULL, 1, NULL);
}

// The first `n` inputs, NULL where absent, and the listed attributes.
static weft_status passed(onnx_op *o, size_t n, const char *const *names, size_t n_names) {
  weft_value *in[8];
  WEFT_ASSERT(n <= WEFT_COUNT(in));
  for (size_t i = 0; i < n; i++)
    in[i] = onnx_in(o, i);
  for (size_t i = 0; i < n_names; i++)
    onnx_pass(o, names[i]);
  return one_output(o, o->map->primitive, in, n);
}

// Version 10: no attribute but the mode; places are multiplied, and floor, or ceil along an axis that
// shrinks, is taken.
weft_status onnx_resize(onnx_op *o) {
  static const char *const names[] = {"coordinate_transformation_mode",
                                      "cubic_coeff_a",
                                      "exclude_outside",
                                      "extrapolation_value",
                                      "mode",
                                      "nearest_mode",
                                      "antialias",
                                      "axes",
                                      "keep_aspect_ratio_policy"};
  if (o->m->version > 10)
    return passed(o, 4, names, WEFT_COUNT(names));
  weft_value *in[3] = {onnx_arg(o, 0), NULL, onnx_arg(o, 1)};
  onnx_pass(o, "mode");
  onnx_set(o, "coordinate_transformation_mode", map_vision_text("asymmetric"));
  onnx_set(o, "nearest_mode", map_vision_text("simple"));
  return one_output(o, "Resize", in, 3);
}

static weft_value *float_list(onnx_op *o, const float *v, size_t n) {
  weft_value *out = NULL;
  weft_tensor t;
  weft_dim dim = (weft_dim)n;
  if (o->failed)
    return NULL;
  weft_tensor_init(&t, &o->m->env->alloc);
  o->failed = weft_tensor_borrow(&t, WEFT_FLOAT, &dim, 1, (void *)(uintptr_t)v, n * sizeof *v, o->m->d);
  o->failed = onnx_const(o, &t, &out);
  weft_tensor_deinit(&t);
  return out;
}

// Upsample became Resize. Scales: two attributes in version 1, a list in 7, an input since 9.
weft_status onnx_upsample(onnx_op *o) {
  weft_value *in[3] = {onnx_arg(o, 0), NULL, NULL};
  const onnx_attr *scales = onnx_find_attr(o, "scales");
  if (o->m->version >= 9) {
    in[2] = onnx_arg(o, 1);
  } else if (o->m->version < 7) {
    float v[4] = {1, 1, onnx_float(o, "height_scale", 1), onnx_float(o, "width_scale", 1)};
    in[2] = float_list(o, v, 4);
  } else {
    if (!scales || onnx_attr_kind(scales) != ONNX_ATTR_FLOATS)
      return onnx_fail(o, WEFT_E_MISSING, "attribute 'scales' is not a list of floats");
    in[2] = float_list(o, scales->floats.v, scales->floats.n);
  }
  bool nearest = onnx_is(o, "mode", "nearest", "nearest");
  if (!nearest && !onnx_is(o, "mode", "nearest", "linear") && !onnx_is(o, "mode", "nearest", "bilinear")) {
    return o->failed
               ? o->failed
               : onnx_fail(o, WEFT_E_INVALID, "attribute 'mode' is not one of nearest, linear, bilinear");
  }
  onnx_set(o, "mode", map_vision_text(nearest ? "nearest" : "linear"));
  onnx_set(o, "coordinate_transformation_mode", map_vision_text("asymmetric"));
  onnx_set(o, "nearest_mode", map_vision_text("simple"));
  return one_output(o, "Resize", in, 3);
}

// Since version 20 the modes are called linear and cubic.
weft_status onnx_grid_sample(onnx_op *o) {
  static const char *const modes[][2] = {{"bilinear", "bilinear"},
                                         {"linear", "bilinear"},
                                         {"nearest", "nearest"},
                                         {"bicubic", "bicubic"},
                                         {"cubic", "bicubic"}};
  weft_value *in[2] = {onnx_arg(o, 0), onnx_arg(o, 1)};
  const char *mode = NULL;
  for (size_t i = 0; i < WEFT_COUNT(modes); i++) {
    if (onnx_is(o, "mode", "linear", modes[i][0]))
      mode = modes[i][1];
  }
  if (!mode)
    return onnx_fail(o, WEFT_E_INVALID, "attribute 'mode' is not one of linear, nearest, cubic");
  WEFT_TRY(o->failed);
  if (!weft_dtype_is_float(in[1]->fact.dtype))
    in[1] = onnx_as(o, in[1], WEFT_FLOAT);
  onnx_set(o, "interpolation_mode", map_vision_text(mode));
  onnx_pass(o, "padding_mode");
  onnx_pass_bool(o, "align_corners");
  return one_output(o, "GridSample", in, 2);
}

weft_status onnx_affine_grid(onnx_op *o) {
  onnx_pass_bool(o, "align_corners");
  return passed(o, 2, NULL, 0);
}

// Before version 16 there was no shift by half an element.
weft_status onnx_roi_align(onnx_op *o) {
  static const char *const names[] = {"mode", "output_height", "output_width", "sampling_ratio",
                                      "spatial_scale"};
  if (o->m->version < 16)
    onnx_set(o, "coordinate_transformation_mode", map_vision_text("output_half_pixel"));
  else
    onnx_pass(o, "coordinate_transformation_mode");
  return passed(o, 3, names, WEFT_COUNT(names));
}

weft_status onnx_max_roi_pool(onnx_op *o) {
  weft_value *in[2] = {onnx_arg(o, 0), onnx_arg(o, 1)};
  if (!o->failed)
    in[1] = onnx_as(o, in[1], in[0]->fact.dtype);
  onnx_pass(o, "pooled_shape");
  onnx_pass(o, "spatial_scale");
  return one_output(o, "MaxRoiPool", in, 2);
}

weft_status onnx_non_max_suppression(onnx_op *o) {
  onnx_set(o, "dtype", weft_attr_dtype(WEFT_INT64));
  return passed(o, 5, (const char *const[]){"center_point_box"}, 1);
}

weft_status onnx_deform_conv(onnx_op *o) {
  static const char *const names[] = {"dilations",    "group", "kernel_shape",
                                      "offset_group", "pads",  "strides"};
  return passed(o, 5, names, WEFT_COUNT(names));
}

weft_status onnx_col2im(onnx_op *o) {
  static const char *const names[] = {"dilations", "pads", "strides"};
  return passed(o, 3, names, WEFT_COUNT(names));
}

weft_status onnx_mel_weight_matrix(onnx_op *o) {
  int64_t type = onnx_int(o, "output_datatype", 1);
  weft_dtype t;
  WEFT_TRY(o->failed);
  WEFT_TRY(onnx_dtype(o, type, &t));
  onnx_set(o, "output_datatype", weft_attr_dtype(t));
  return passed(o, 5, NULL, 0);
}

// Dims that "..." stands for in the term at `text`, which goes on at *next; -1: it has none, or nobody knows.
static int64_t ellipsis_dims(const char *text, size_t bytes, const weft_value *v, size_t *next) {
  int64_t letters = 0;
  size_t i = 0;
  size_t dots = 0;
  for (; i < bytes && text[i] != ',' && text[i] != '-'; i++) {
    if (text[i] == '.')
      dots++;
    else if (text[i] != ' ')
      letters++;
  }
  *next = i + 1;
  return dots && onnx_rank(v) >= 0 ? onnx_rank(v) - letters : -1;
}

// numpy broadcasts ellipses of different lengths, ONNX wants them equal.
static weft_status einsum_ellipses(onnx_op *o, weft_value *const *in, size_t n) {
  weft_str equation;
  int64_t first = -1;
  WEFT_TRY(onnx_str_attr(o, "equation", "", &equation));
  for (size_t i = 0, at = 0, next; i < n && at < equation.bytes; i++, at += next) {
    int64_t dims = ellipsis_dims(equation.text + at, equation.bytes - at, in[i], &next);
    if (dims < 0)
      continue;
    if (first >= 0 && dims != first) {
      return onnx_fail(o, WEFT_E_SHAPE,
                       "attribute 'equation': '...' stands for %lld dims of input %zu, and for %lld before",
                       (long long)dims, i, (long long)first);
    }
    first = dims;
  }
  return WEFT_OK;
}

weft_status onnx_einsum(onnx_op *o) {
  weft_value *in[64];
  size_t n = o->n->inputs.n;
  uint32_t counts[1] = {(uint32_t)n};
  if (n > WEFT_COUNT(in))
    return onnx_fail(o, WEFT_E_LIMIT, "%zu inputs, at most %zu are allowed", n, WEFT_COUNT(in));
  for (size_t i = 0; i < n; i++)
    WEFT_TRY(onnx_need(o, i, &in[i]));
  WEFT_TRY(einsum_ellipses(o, in, n));
  onnx_pass(o, "equation");
  onnx_set(o, "N", weft_attr_int((int64_t)n));
  return onnx_emit(o, "Einsum", in, n, &(weft_use){.in_counts = counts}, 1, NULL);
}

weft_status onnx_image_decoder(onnx_op *o) {
  return passed(o, 1, (const char *const[]){"pixel_format"}, 1);
}
// SPDX-License-Identifier: Apache-2.0
