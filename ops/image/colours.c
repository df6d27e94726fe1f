// ops/image/colours.c - pictures of red, green and blue as hue, saturation and value, and back; hue and
// saturation changed.   AscendIR RGBToHSV, HSVToRGB, AdjustHue, AdjustSaturation. Colours are the last axis
// (data_format CHW: the third from last). Bytes are rounded.
#include "op.h"
#include "op/air_rows.h"
#include "op/named.h"

typedef void (*colour_fn)(double c[3], double by);

static double colour_clamped(double v) {
  return v < 0 ? 0 : v > 1 ? 1 : v;
}
// How much of the range between least and largest each colour of this hue, in sixths, has.
static void colour_parts(double sixths, double out[3]) {
  out[0] = colour_clamped(fabs(sixths - 3) - 1);
  out[1] = colour_clamped(2 - fabs(sixths - 2));
  out[2] = colour_clamped(2 - fabs(sixths - 4));
}
static double colour_hue(const double c[3], double most, double range) {
  double h;
  if (!(range > 0))
    return 0;
  if (c[0] == most)
    h = (c[1] - c[2]) / range;
  else if (c[1] == most)
    h = (c[2] - c[0]) / range + 2;
  else
    h = (c[0] - c[1]) / range + 4;
  return h < 0 ? h / 6 + 1 : h / 6;
}
static void colour_to_hsv(double c[3], double by) {
  double most = WEFT_MAX(WEFT_MAX(c[0], c[1]), c[2]);
  double range = most - WEFT_MIN(WEFT_MIN(c[0], c[1]), c[2]);
  (void)by;
  c[0] = colour_hue(c, most, range);
  c[1] = most > 0 ? range / most : 0;
  c[2] = most;
}
static void colour_to_rgb(double c[3], double by) {
  double part[3];
  double saturation = c[1];
  double value = c[2];
  (void)by;
  colour_parts(c[0] * 6, part);
  for (int i = 0; i < 3; i++)
    c[i] = (1 - saturation + saturation * part[i]) * value;
}
static void colour_turned(double c[3], double by) {
  double most = WEFT_MAX(WEFT_MAX(c[0], c[1]), c[2]);
  double least = WEFT_MIN(WEFT_MIN(c[0], c[1]), c[2]);
  double hue = colour_hue(c, most, most - least) + by;
  double part[3];
  colour_parts((hue - floor(hue)) * 6, part);
  for (int i = 0; i < 3; i++)
    c[i] = least + (most - least) * part[i];
}
static void colour_saturated(double c[3], double by) {
  colour_to_hsv(c, 0);
  c[1] = colour_clamped(c[1] * by);
  colour_to_rgb(c, 0);
}

typedef struct colour_op {
  colour_fn f;
  bool number;  // the second input
} colour_op;

static size_t colour_axis(const weft_op_desc *n, size_t rank) {
  const char *format = weft__text_named(n, "data_format");
  return !strcmp(format, "CHW") || !strcmp(format, "NCHW") ? rank - 3 : rank - 1;
}
static weft_status colour_infer(weft_infer *it) {
  const colour_op *k = it->desc->op->user;
  const weft_shape *x = it->in[0];
  weft_dim ignored;
  int64_t n;
  weft_shape_copy(it->out[0], x);
  if (k->number && weft_shape_is_known(it->in[1]) && (weft_shape_elems(it->in[1], &n) || n != 1))
    return weft_fail(it->d, WEFT_E_SHAPE, "input '%s': expected one element", weft__in_name(it->desc, 1));
  if (weft_shape_is_unknown_rank(x))
    return WEFT_OK;
  WEFT_TRY(weft__expect_rank(it, 0, k->number ? 3 : 1, WEFT_MAX_RANK));
  return weft__merge_dim(it, 3, x->dim[colour_axis(it->desc, x->rank)], "colours of 'images'", &ignored);
}
static weft_status colour_ref(const weft_call *c) {
  const colour_op *k = c->desc->op->user;
  const weft_tensor *x = c->in[0];
  weft_tensor *y = c->out[0];
  if (!y || !weft__elems(&y->layout.origin))
    return WEFT_OK;
  const weft_shape *s = &x->layout.origin;
  size_t step = weft__prod(s, colour_axis(c->desc, s->rank) + 1, s->rank);
  double by = k->number ? weft_load_f64(c->in[1]->dtype, c->in[1]->data, 0) : 0;
  bool bytes = weft_dtype_is_integer(x->dtype);
  for (size_t i = 0, n = weft__elems(s) / 3; i < n; i++) {
    size_t at = i / step * 3 * step + i % step;
    double v[3];
    WEFT_TRY(weft__poll_at(c, i));
    for (size_t j = 0; j < 3; j++)
      v[j] = weft_load_f64(x->dtype, x->data, at + j * step);
    k->f(v, by);
    for (size_t j = 0; j < 3; j++) {
      double whole = floor(v[j] + 0.5);
      whole = !(whole > 0) ? 0 : whole > 255 ? 255 : whole;
      weft_store_f64(y->dtype, y->data, at + j * step, bytes ? whole : v[j]);
    }
  }
  return WEFT_OK;
}

#define COLOURS(op_name, says, with, takes, ...)                                                   \
  {                                                                                                \
    .name = op_name, .summary = says, .traits = WEFT_SYMBOLIC, .infer = colour_infer,              \
    .ref = colour_ref, .user = (&(const colour_op){with, takes}), .examples = WEFT_EXAMPLES(__VA_ARGS__) \
  }
WEFT_ROWS(colours) = {
    COLOURS("RGBToHSV", "hue, saturation and value of colours", colour_to_hsv, false,
            "f32[2,3]{0,1,0,0.5,0.25,0.25} -> f32[2,3]{0.333333,1,1,0,0.5,0.5} ~1e-5", "f16[N,3] -> f16[N,3]",
            "f32[2,4] !! E_SHAPE 3 and 4 differ"),
    COLOURS("HSVToRGB", "colours of hue, saturation and value", colour_to_rgb, false,
            "f32[3]{0.5,1,1} -> f32[3]{0,1,1}", "f32[4] !! E_SHAPE 3 and 4 differ"),
    COLOURS("AdjustHue", "colours with another hue", colour_turned, true,
            "f32[1,1,3]{1,0,0}, f32[]{0.5} -> f32[1,1,3]{0,1,1}",
            "u8[1,1,3]{200,100,100}, f32[]{0} -> u8[1,1,3]{200,100,100}",
            "f32[1,1,3], f32[2] !! E_SHAPE one element"),
    COLOURS("AdjustSaturation", "colours with more or less saturation", colour_saturated, true,
            "f32[1,1,3]{1,0.5,0.5}, f32[]{2} -> f32[1,1,3]{1,0,0}"),
    {0},
};
// SPDX-License-Identifier: Apache-2.0
