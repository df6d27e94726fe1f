// compositions/pictures.c - pictures with another contrast, crops, deformable convolutions, sizes that keep
// the ratio.
#include <math.h>

#include "compose/compose.h"
#include "op/infer_node.h"

static const weft_attr *pictures_attr(const weft__composing *c, const char *name) {
  for (uint32_t i = 0; i < c->desc->n_attr; i++) {
    if (!strcmp(weft__attr_name(c->desc, i), name))
      return c->desc->attr[i];
  }
  return NULL;
}
static bool pictures_is(const weft__composing *c, const char *name, const char *text) {
  const weft_attr *a = pictures_attr(c, name);
  return a && a->u.s && !strcmp(a->u.s, text);
}
static bool pictures_flag(const weft__composing *c, const char *name) {
  const weft_attr *a = pictures_attr(c, name);
  return a && a->u.b;
}

// ---- contrast ----
// "v": numbers; they become the output, bytes rounded and cut off.
static weft_status contrast_done(weft__composing *c) {
  weft_value *x = weft__composed(c, "images");
  if (x && x->fact.dtype == WEFT_UINT8)
    return weft__compose_text(c, "y = u8(ClipByValue(Floor(Add(v, f32(0.5))), f32(0), f32(255)))");
  return weft__compose_text(c, "y = as(images, v)");
}
static weft_status contrast_build(weft__composing *c) {
  bool last = pictures_is(c, "data_format", "HWC");
  int rank = front_rank_of(c->o, weft__composed(c, "images"));
  if (!c->o->failed && rank < 3)
    return front_fail(c->o, WEFT_E_SHAPE, "input 'images' has rank %d, expected at least 3", rank);
  if (!pictures_is(c, "mean_mode", "chn_wise"))
    return front_fail(c->o, WEFT_E_UNSUPPORTED, "attribute 'mean_mode': only \"chn_wise\" is computed");
  WEFT_TRY(weft__compose_text(c, "x = f32(images); k = f32(contrast_factor)"));
  const int64_t axes[2] = {last ? rank - 3 : rank - 2, last ? rank - 2 : rank - 1};
  weft__compose_name(c, "m", front_reduced(c->o, "ReduceMean", weft__composed(c, "x"), axes, 2, true));
  WEFT_TRY(weft__compose_text(c, "v = Add(Mul(Sub(x, m), k), m)"));
  return contrast_done(c);
}
static weft_status contrast_mean_build(weft__composing *c) {
  WEFT_TRY(
      weft__compose_text(c, "m = f32(mean); v = Add(Mul(Sub(f32(images), m), f32(contrast_factor)), m)"));
  return contrast_done(c);
}

// ---- deformable convolutions: offsets along x, along y, factors ----
static weft_value *deformable_first(weft__composing *c, const char *name, bool last) {
  static const int64_t order[4] = {0, 3, 1, 2};
  weft_value *v = weft__composed(c, name);
  return last && v ? front_permuted(c->o, v, order, 4) : v;
}
static weft_status deformable_pair(weft__composing *c, const char *name, bool last, int64_t out[2]) {
  const weft_attr *a = pictures_attr(c, name);
  if (!a || a->n != 4)
    return front_fail(c->o, WEFT_E_SHAPE, "attribute '%s' has %zu elements, expected 4", name,
                      a ? (size_t)a->n : 0);
  memcpy(out, a->u.ints + (last ? 1 : 2), 2 * sizeof *out);
  return WEFT_OK;
}
static weft_status deformable_build(weft__composing *c) {
  static const int64_t filter_order[4] = {3, 2, 0, 1};
  static const int64_t back[4] = {0, 2, 3, 1};
  front_op *o = c->o;
  bool last = pictures_is(c, "data_format", "NHWC");
  bool modulated = pictures_flag(c, "modulated");
  const weft_attr *pads = pictures_attr(c, "pads");
  int64_t stride[2];
  int64_t rate[2];
  WEFT_TRY(deformable_pair(c, "strides", last, stride));
  WEFT_TRY(deformable_pair(c, "dilations", last, rate));
  weft_value *x = deformable_first(c, "x", last);
  weft_value *all = deformable_first(c, "offsets", last);
  weft_value *w = weft__composed(c, "filter");
  if (last)
    w = front_permuted(o, w, filter_order, 4);
  weft_dim planes = front_dim(all, 1);
  int parts = modulated ? 3 : 2;
  if (!o->failed && planes < 0)
    return front_fail(o, WEFT_E_UNKNOWN, "how many offsets there are is not known");
  if (!o->failed && (planes % parts || !planes || !pads || pads->n != 4))
    return front_fail(o, WEFT_E_SHAPE,
                      "%lld channels of offsets are no multiple of %d, or 'pads' has not 4 elements",
                      (long long)planes, parts);
  int64_t n = planes / parts;
  weft_value *both[2] = {front_unsqueezed(o, front_part(o, all, 1, n, 2 * n), 2),
                         front_unsqueezed(o, front_part(o, all, 1, 0, n), 2)};
  weft_value *joined = front_joined(o, both, 2, 2);  // [batch, taps, 2, height, width]
  const int64_t flat[1] = {2 * n};
  weft_value *shape[3] = {front_dim_list(o, all, 0), front_list(o, flat, 1), NULL};
  weft_value *sizes[4] = {shape[0], shape[1], front_dim_list(o, all, 2), front_dim_list(o, all, 3)};
  weft_value *in[5] = {x, w, front_reshape(o, joined, front_joined(o, sizes, 4, 0)),
                       weft__composed(c, "bias"), modulated ? front_part(o, all, 1, 2 * n, 3 * n) : NULL};
  const int64_t edges[4] = {pads->u.ints[0], pads->u.ints[2], pads->u.ints[1], pads->u.ints[3]};
  front_set_ints(o, "strides", stride, 2);
  front_set_ints(o, "dilations", rate, 2);
  front_set_ints(o, "pads", edges, 4);
  front_set_int(o, "group", pictures_attr(c, "groups")->u.i);
  front_set_int(o, "offset_group", pictures_attr(c, "deformable_groups")->u.i);
  weft_value *given[5];
  uint32_t counts[5];
  size_t n_in = 0;
  for (int i = 0; i < 5; i++) {
    counts[i] = in[i] != NULL;
    if (in[i])
      given[n_in++] = in[i];
  }
  weft_value *y = front_emit(o, "DeformConv", given, n_in, &(weft_use){.in_counts = counts});
  weft__compose_name(c, "y", last && y ? front_permuted(o, y, back, 4) : y);
  return o->failed;
}

// ---- the shorter side gets one size, unless the longer one passes another ----
static weft_status keep_ratio_build(weft__composing *c) {
  front_op *o = c->o;
  weft_value *x = weft__composed(c, "images");
  const double low = (double)pictures_attr(c, "min_dimension")->u.i;
  const double most = (double)pictures_attr(c, "max_dimension")->u.i;
  if (front_rank_of(o, x) != 4 && !o->failed)
    return front_fail(o, WEFT_E_SHAPE, "input 'images' has rank %d, expected 4", front_rank(x));
  const double h = o->failed ? 0 : (double)front_dim(x, 1);
  const double w = o->failed ? 0 : (double)front_dim(x, 2);
  if (!o->failed && (h < 0 || w < 0))
    return front_fail(o, WEFT_E_UNKNOWN, "the picture's sizes are not known");
  if (!o->failed && (h < 1 || w < 1 || low < 1 || most < low))
    return front_fail(o, WEFT_E_RANGE, "a picture of %g by %g, its sides at least %g and at most %g", h, w,
                      low, most);
  double scale = low / WEFT_MIN(h, w);
  if (floor(WEFT_MAX(h, w) * scale + 0.5) > most)
    scale = most / WEFT_MAX(h, w);
  if (!o->failed && WEFT_MAX(h, w) * scale > INT32_MAX)
    return front_fail(o, WEFT_E_RANGE, "a picture of %g by %g times %g has sides of more than 2^31", h, w,
                      scale);
  const int64_t size[2] = {(int64_t)WEFT_MAX(floor(h * scale + 0.5), 1),
                           (int64_t)WEFT_MAX(floor(w * scale + 0.5), 1)};
  weft_value *sizes = front_as(o, front_list(o, size, 2), WEFT_INT32);
  x = front_as(o, x, WEFT_FLOAT);
  front_set_bool(o, "align_corners", pictures_flag(c, "align_corners"));
  front_set_bool(o, "half_pixel_centers", pictures_flag(c, "half_pixel_centers"));
  weft__compose_name(c, "y", front_do(o, "ResizeBilinearV2", x, sizes, NULL));
  return o->failed;
}

// ---- places in a grid from -1 to 1 as pixels, of sizes that `assist` holds: whole ones, and what is left
// ----
static weft_status grid_unnormal_build(weft__composing *c) {
  WEFT_TRY(weft__compose_text(c, pictures_flag(c, "align_corners")
                                     ? "p = Mul(Mul(Add(grid, 1), Sub(assist, 1)), 0.5)"
                                     : "p = Mul(Sub(Mul(Add(grid, 1), assist), 1), 0.5)"));
  return weft__compose_text(c, "f = Floor(p); diff = Sub(p, f); position = i32(f)");
}

WEFT_ROWS(pictures) = {
    COMPOSED_WIDE_BY("GridUnnormal", "places in a grid as pixels: the pixel, and how far behind it",
                     grid_unnormal_build,
                     "f32[1,1,1,2]{0,0.5}, f32[1,1,1,2]{4,4} -> f32[1,1,1,2]{0.5,0.5}, i32[1,1,1,2]{1,2}",
                     "f32[1,1,1,2]{0,-1.5}, f32[1,1,1,2]{4,4} align_corners=true -> f32[1,1,1,2]{0.5,0.25}, "
                     "i32[1,1,1,2]{1,-1}",
                     "f16[N,H,W,2], f16[N,H,W,2] -> f16[N,H,W,2], i32[N,H,W,2]",
                     "f32[1,1,2,2], f32[1,1,3,2] -> _, _ !! E_SHAPE"),
    COMPOSED_BY("AdjustContrast", "a picture further from its mean", contrast_build,
                "f32[1,2,1]{1,3}, f32[]{2} -> f32[1,2,1]{0,4}", "u8[1,2,1]{1,3}, f32[]{3} -> u8[1,2,1]{0,5}",
                "f32[1,2,1], f32[] mean_mode=\"chn_y\" !! E_UNSUPPORTED 'mean_mode'"),
    COMPOSED_BY("AdjustContrastWithMean", "a picture further from a mean", contrast_mean_build,
                "f32[1,2,1]{1,3}, f32[1]{2}, f32[]{2} -> f32[1,2,1]{0,4}"),
    COMPOSED_BY("DeformableConv2D", "a convolution whose taps are read beside their places", deformable_build,
                "f32[1,1,1,2]{2,4}, f32[1,1,1,1]{10}, f32[1,3,1,2]{0.5,0,0,0,1,0.5} strides=[1,1,1,1] "
                "pads=[0,0,0,0] data_format=\"NCHW\" -> f32[1,1,1,2]{30,20}",
                "f32[1,1,1,2], f32[1,1,1,1], f32[1,2,1,2] strides=[1,1,1,1] pads=[0,0,0,0] "
                "data_format=\"NCHW\" !! E_SHAPE no multiple"),
    COMPOSED_BY("KeepRatioResizeBilinear", "a picture whose shorter side gets one size", keep_ratio_build,
                "f32[1,1,2,1]{1,3} min_dimension=2 max_dimension=4 -> f32[1,2,4,1]{1,2,3,3,1,2,3,3}",
                "f32[1,1,2,1] min_dimension=9223372036854775807 max_dimension=9223372036854775807 !! E_RANGE "
                "more than 2^31"),
    COMPOSED_FINDS("NonMaxSuppressionV7", "the best boxes that do not overlap",
                   "selected_indices = NonMaxSuppressionV6(boxes, scores, max_output_size?, iou_threshold?, "
                   "score_threshold?, center_point_box=@center_point_box, max_boxes_size=@max_boxes_size)",
                   "f32[1,3,4]{0,0,1,1,0,0,1,1,0,2,1,3}, f32[1,1,3]{0.5,0.9,0.7}, i32[]{3}, f32[]{0.5} -> "
                   "i32[2,3]{0,0,1,0,0,2}"),
    {0},
};
// SPDX-License-Identifier: Apache-2.0
