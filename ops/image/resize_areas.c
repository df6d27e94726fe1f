// ops/image/resize_areas.c - pictures, channels last, of other sizes by wide filters.   AscendIR ResizeArea,
// ScaleAndTranslate, ScaleAndTranslateGrad, QuantizedResizeBilinear. An area is the mean of what an output
// covers. ScaleAndTranslate weighs the elements around an output's centre by a kernel, stretched where the
// picture shrinks (antialias); an output whose centre lies outside is 0.
#include "dims_move.h"
#include "op/air_rows.h"
#include "op/named.h"
#include "taps.h"

typedef enum { AREA, CUBIC, TRANSLATE, TRANSLATE_BACK, QUANTIZED } area_what;

static area_what area_of(const weft_op_desc *n) {
  return *(const area_what *)n->op->user;
}

static weft_status area_dtype(weft_infer *it) {
  if (area_of(it->desc) == CUBIC)
    it->out_dtype[0] = weft_node_dtype(it->desc, weft__slot_named(it->desc, "dtype"));
  if (area_of(it->desc) == QUANTIZED)
    it->out_dtype[0] = it->in_dtype[0];
  return WEFT_OK;
}
// Gradients of as many pictures and channels as the picture has.
static weft_status area_same_pictures(weft_infer *it) {
  weft_dim same;
  if (weft_shape_is_unknown_rank(it->in[0]) || weft_shape_is_unknown_rank(it->in[1]))
    return WEFT_OK;
  WEFT_TRY(weft__merge_dim(it, it->in[0]->dim[0], it->in[1]->dim[0], "axis 0 of the pictures", &same));
  return weft__merge_dim(it, it->in[0]->dim[3], it->in[1]->dim[3], "axis 3 of the pictures", &same);
}
static weft_status area_infer(weft_infer *it) {
  const weft_shape *x = it->in[0];
  weft_shape *y = it->out[0];
  bool back = area_of(it->desc) == TRANSLATE_BACK;
  for (uint32_t i = 1; area_of(it->desc) == QUANTIZED && i < 3; i++)
    weft_shape_copy(it->out[i], it->in[i + 1]);
  WEFT_TRY(area_dtype(it));
  if (back) {
    weft_shape_copy(y, it->in[1]);
    WEFT_TRY(weft__expect_rank(it, 0, 4, 4));
    WEFT_TRY(weft__expect_rank(it, 1, 4, 4));
    return area_same_pictures(it);
  }
  WEFT_TRY(weft__sized_pictures(it, 1));
  if (weft_shape_is_unknown_rank(x))
    return WEFT_OK;
  return x->dim[1] && x->dim[2] ? WEFT_OK : weft_fail(it->d, WEFT_E_SHAPE, "the picture has no elements");
}

// ---- areas ----
static size_t area_fill(const weft_taps *t, size_t at, size_t *index, double *weight) {
  const double from = (double)at * t->scale;
  const double to = ((double)at + 1) * t->scale;
  size_t n = 0;
  for (double i = floor(from); i < ceil(to) && n < t->most; i++) {
    const double begin = i > from ? i : from;
    const double end = i + 1 < to ? i + 1 : to;
    index[n] = weft__resize_clamped(i, t->in);
    weight[n++] = (end - begin) / t->scale;
  }
  return n;
}
static weft_taps area_taps(size_t axis, size_t in, size_t out, bool corners) {
  weft_taps t = {.axis = axis, .in = in, .out = out, .fill = area_fill};
  t.scale = corners && out > 1 ? (double)(in - 1) / (double)(out - 1) : (double)in / (double)out;
  if (!(t.scale > 0))  // one element between corners
    t.scale = 1;
  t.most = (size_t)t.scale + 3;
  return t;
}

// ---- kernels ----
typedef enum { LANCZOS1, LANCZOS3, LANCZOS5, GAUSSIAN, BOX, TRIANGLE, KEYS, MITCHELL, KERNELS } area_kernel;
static const char *const kernel_names[KERNELS] = {"lanczos1", "lanczos3", "lanczos5",  "gaussian",
                                                  "box",      "triangle", "keyscubic", "mitchellcubic"};
static const double kernel_radius[KERNELS] = {1, 3, 5, 1.5, 1, 1, 2, 2};

static double kernel_mitchell(double x) {
  if (x >= 2)
    return 0;
  if (x >= 1)
    return ((-7.0 / 18 * x + 2) * x - 10.0 / 3) * x + 16.0 / 9;
  return (7.0 / 6 * x - 2) * x * x + 8.0 / 9;
}
static double kernel_keys(double x) {
  if (x >= 2)
    return 0;
  if (x >= 1)
    return ((-0.5 * x + 2.5) * x - 4) * x + 2;
  return (1.5 * x - 2.5) * x * x + 1;
}
static double kernel_at(area_kernel k, double x) {
  const double pi = 3.14159265358979323846;
  const double r = kernel_radius[k];
  x = fabs(x);
  if (k <= LANCZOS5) {
    if (x > r)
      return 0;
    return x <= 1e-3 ? 1 : r * sin(pi * x) * sin(pi * x / r) / (pi * pi * x * x);
  }
  if (k == GAUSSIAN)
    return x >= r ? 0 : exp(-x * x / (2 * 0.5 * 0.5));
  if (k == BOX)
    return x < 0.5 ? 1 : x == 0.5 ? 0.5 : 0;
  if (k == TRIANGLE)
    return x < 1 ? 1 - x : 0;
  return k == KEYS ? kernel_keys(x) : kernel_mitchell(x);
}

// Centres and distances are floats, as TensorFlow has them: whether an element at a kernel's very edge counts
// depends on it.
static size_t translate_fill(const weft_taps *t, size_t at, size_t *index, double *weight) {
  const float scale = (float)t->scale;  // elements for an output
  const float wide = t->flag && scale > 1 ? scale : 1;
  const float reach = (float)kernel_radius[t->kind] * wide;
  const float centre = ((float)at + 0.5f) * scale - scale * (float)t->shift;
  double sum = 0;
  size_t n = 0;
  if (!(centre >= 0 && centre <= (float)t->in))
    return 0;
  const size_t from = weft__resize_clamped(ceilf(centre - reach - 0.5f), t->in);
  const size_t to = weft__resize_clamped(floorf(centre + reach - 0.5f), t->in);
  for (size_t i = from; i <= to; i++) {
    index[n] = i;
    weight[n] = kernel_at((area_kernel)t->kind, ((float)i + 0.5f - centre) * (1 / wide));
    sum += weight[n++];
  }
  for (size_t i = 0; i < n; i++)
    weight[i] = fabs(sum) >= 1e-35 ? weight[i] / sum : 0;
  return n;
}
static weft_status translate_taps(const weft_call *c, uint32_t scales, const size_t in[2],
                                  const size_t out[2], weft_taps taps[2]) {
  const char *name = weft__text_named(c->desc, "kernel_type");
  int kind = 0;
  while (kind < KERNELS && strcmp(kernel_names[kind], name))
    kind++;
  if (kind == KERNELS)
    return weft_fail(c->d, WEFT_E_INVALID,
                     "attribute 'kernel_type' is '%s', expected lanczos1, lanczos3, "
                     "lanczos5, gaussian, box, triangle, keyscubic or mitchellcubic",
                     name);
  for (uint32_t i = scales; i < scales + 2; i++) {
    if (weft__elems(&c->in[i]->layout.origin) != 2)
      return weft_fail(c->d, WEFT_E_SHAPE, "input '%s': expected 2 elements", weft__in_name(c->desc, i));
  }
  for (size_t i = 0; i < 2; i++) {
    double scale = weft_load_f64(c->in[scales]->dtype, c->in[scales]->data, i);
    if (!(scale > 0))
      return weft_fail(c->d, WEFT_E_RANGE, "input 'scale': element %zu is %g, expected more than 0", i,
                       scale);
    taps[i] = (weft_taps){.axis = 1 + i, .in = in[i], .out = out[i], .fill = translate_fill, .kind = kind};
    taps[i].scale = 1 / scale;
    taps[i].shift = weft_load_f64(c->in[scales + 1]->dtype, c->in[scales + 1]->data, i);
    taps[i].flag = weft__flag_named(c->desc, "antialias");
    taps[i].most = in[i];
  }
  return WEFT_OK;
}

static weft_status area_ref(const weft_call *c) {
  const area_what what = area_of(c->desc);
  const weft_tensor *x = c->in[0];
  weft_tensor *y = c->out[0];
  weft_taps taps[2];
  size_t in[2];
  size_t out[2];
  for (uint32_t i = 1; what == QUANTIZED && i < 3; i++) {
    if (c->out[i])
      memcpy(c->out[i]->data, c->in[i + 1]->data, weft__elems(&c->out[i]->layout.origin) * sizeof(float));
  }
  if (!y || !weft__elems(&y->layout.origin))
    return WEFT_OK;
  bool back = what == TRANSLATE_BACK;
  bool corners = weft__flag_named(c->desc, "align_corners");
  bool centres = weft__flag_named(c->desc, "half_pixel_centers");
  bool keys = centres && !corners;
  const weft_resize_rule rule = {.mode = what == CUBIC ? WEFT_RESIZE_CUBIC : WEFT_RESIZE_LINEAR,
                                 .place = corners   ? WEFT_RESIZE_ALIGN_CORNERS
                                          : centres ? WEFT_RESIZE_HALF_PIXEL
                                                    : WEFT_RESIZE_ASYMMETRIC,
                                 .cubic_a = keys ? -0.5 : -0.75,
                                 .exclude_outside = keys};
  for (size_t i = 0; i < 2; i++) {
    in[i] = (size_t)(back ? y : x)->layout.origin.dim[1 + i];
    out[i] = (size_t)(back ? x : y)->layout.origin.dim[1 + i];
    if (what == AREA)
      taps[i] = area_taps(1 + i, in[i], out[i], corners);
    else
      taps[i] = weft__taps_resize(&rule, 1 + i, in[i], out[i], 0);
    taps[i].stepped = what == CUBIC;
  }
  if (what == TRANSLATE || back)
    WEFT_TRY(translate_taps(c, 2, in, out, taps));
  return weft__taps_run(c, x, y, taps, 2, back);
}

#define ROW(op_name, says, what, reads, ...)                                                    \
  {                                                                                             \
    .name = op_name, .summary = says, .traits = WEFT_SYMBOLIC, .infer = area_infer,             \
    .infer_dtype = area_dtype, \
    .ref = area_ref, .values = reads, .user = (&(const area_what){what}),                       \
    .examples = WEFT_EXAMPLES(__VA_ARGS__)                                                      \
  }

WEFT_ROWS(resize_areas) = {
    ROW("ResizeArea", "a picture of another size, of means of areas", AREA, "size",
        "f32[1,1,4,1]{1,3,5,9}, i32[2]{1,2} -> f32[1,1,2,1]{2,7}",
        "f32[N,4,4,C], i32[2] -> f32[N,-1,-1,C]", "f32[1,1,4,1], i32[2]{0,2} !! E_RANGE element 0"),
    ROW("ResizeBicubic", "a picture of another size, by cubics", CUBIC, "size",
        "f32[1,1,2,1]{1,3}, i32[2]{1,2} -> f32[1,1,2,1]{1,3}"),
    ROW("ScaleAndTranslate", "a picture scaled and moved, by a kernel", TRANSLATE, "size",
        "f32[1,1,2,1]{1,3}, i32[2]{1,2}, f32[2]{1,1}, f32[2]{0,0} kernel_type=\"triangle\" -> "
        "f32[1,1,2,1]{1,3}",
        "f32[1,1,2,1]{1,3}, i32[2]{1,2}, f32[2]{1,0}, f32[2]{0,0} !! E_RANGE element 1"),
    ROW("ScaleAndTranslateGrad", "the gradient of ScaleAndTranslate with respect to the picture",
        TRANSLATE_BACK, NULL,
        "f32[1,1,2,1]{1,3}, f32[1,1,2,1]{0..}, f32[2]{1,1}, f32[2]{0,0} kernel_type=\"triangle\" -> "
        "f32[1,1,2,1]{1,3}",
        "f32[1,1,2,1]{1,3}, f32[2,1,2,1]{0..}, f32[2]{1,1}, f32[2]{0,0} kernel_type=\"triangle\" "
        "!! E_SHAPE axis 0"),
    ROW("QuantizedResizeBilinear", "a picture of another size, with the range of its numbers", QUANTIZED,
        "size",
        "f32[1,1,2,1]{1,3}, i32[2]{1,4}, f32[]{0}, f32[]{3} -> f32[1,1,4,1]{1,2,3,3}, f32[]{0}, f32[]{3}"),
    {0},
};
// SPDX-License-Identifier: Apache-2.0
