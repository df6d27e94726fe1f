// compositions/resizes.c - pictures of other sizes: Resize along the spatial axes, with each operator's own
// rule of places. Without align_corners and half_pixel_centers a place is its number over the scale, as
// TensorFlow has it.
#include <math.h>

#include "compose/compose.h"
#include "op/named.h"

#include "air_slots.h"

// The rule of an operator: n axes from `from` on, and Resize's words for it.
typedef struct resize_rule {
  int from, n;
  const char *places, *mode, *rounding;
} resize_rule;

// The rule's axes of x get the sizes in `sizes`.
static weft_value *resized(weft__composing *c, weft_value *x, weft_value *sizes, const resize_rule *by) {
  front_op *o = c->o;
  int64_t axes[3];
  int rank = front_rank_of(o, x);
  if (!o->failed && rank != by->n + 2)
    return front_none(o, WEFT_E_SHAPE, "the picture has rank %d, expected %d", rank, by->n + 2);
  for (int i = 0; i < by->n; i++)
    axes[i] = by->from + i;
  front_set_ints(o, "axes", axes, (size_t)by->n);
  front_set_text(o, "coordinate_transformation_mode", by->places);
  front_set_text(o, "mode", by->mode);
  front_set_text(o, "nearest_mode", by->rounding);
  const uint32_t counts[4] = {1, 0, 0, 1};
  weft_value *in[2] = {x, sizes};
  return front_emit(o, "Resize", in, 2, &(weft_use){.in_counts = counts});
}

// Sizes by 'scales', of the axes behind the second.
static weft_value *resize_scaled(weft__composing *c, const char *name) {
  const weft_attr *scales = weft__attr_named(c->desc, "scales");
  weft_value *x = weft__composed(c, "x");
  int64_t size[WEFT_MAX_RANK];
  int n = front_rank_of(c->o, x) - 2;
  if (c->o->failed)
    return NULL;
  if (n < 1 || !scales || scales->n != (size_t)n)
    return front_none(c->o, WEFT_E_SHAPE, "attributes '%s' and 'scales' do not say %d sizes", name, n);
  for (int i = 0; i < n; i++) {
    weft_dim in = front_dim(x, 2 + i);
    double to = floor((double)in * (double)scales->u.floats[i]);
    if (in < 0)
      return front_none(c->o, WEFT_E_UNKNOWN, "the sizes of input 'x' are not known");
    if (!(to >= 1 && to <= INT32_MAX))
      return front_none(c->o, WEFT_E_RANGE, "attribute 'scales': element %d makes %g of %lld", i, to,
                        (long long)in);
    size[i] = (int64_t)to;
  }
  return front_list(c->o, size, (size_t)n);
}

static weft_value *resize_sizes(weft__composing *c, const char *name) {
  const weft_attr *a = weft__attr_named(c->desc, name);
  if (a && !a->n)
    return resize_scaled(c, name);
  return a ? front_list(c->o, a->u.ints, a->n) : weft__composed(c, name);
}

// TensorFlow's three rules of places
static const char *resize_places(const weft__composing *c) {
  return weft__flag_named(c->desc, "align_corners")        ? "align_corners"
         : weft__flag_named(c->desc, "half_pixel_centers") ? "half_pixel"
                                                           : "asymmetric";
}
static weft_status resize_nhwc(weft__composing *c, const char *x, const char *mode, bool floats) {
  weft_value *v = weft__composed(c, x);
  bool half = weft__flag_named(c->desc, "half_pixel_centers");
  const char *rounding = weft__flag_named(c->desc, "align_corners") ? "round_prefer_ceil" : "floor";
  resize_rule by = {1, 2, resize_places(c), mode, rounding};
  if (floats)
    v = front_as(c->o, v, WEFT_FLOAT);
  if (half && !strcmp(mode, "nearest") && strcmp(by.places, "align_corners"))
    by.places = "tf_half_pixel_for_nn";
  weft__compose_name(c, "y", resized(c, v, resize_sizes(c, "size"), &by));
  return c->o->failed;
}
static weft_status bilinear_v2_build(weft__composing *c) {
  return resize_nhwc(c, "x", "linear", true);
}
static weft_status bilinear_v2_typed_build(weft__composing *c) {
  WEFT_TRY(resize_nhwc(c, "x", "linear", true));
  weft__compose_name(
      c, "y",
      front_as(c->o, weft__composed(c, "y"), weft_node_dtype(c->desc, WEFT_SLOT_RESIZE_BILINEAR_V2_DTYPE)));
  return c->o->failed;
}
static weft_status bilinear_v2_dtype(weft_infer *it) {
  it->out_dtype[0] = weft_node_dtype(it->desc, WEFT_SLOT_RESIZE_BILINEAR_V2_DTYPE);
  return WEFT_OK;
}
static weft_status nearest_v2_build(weft__composing *c) {
  return resize_nhwc(c, "x", "nearest", false);
}

// PyTorch's: channels first
static weft_status torch_resized(weft__composing *c, const char *sizes, const resize_rule *by) {
  weft__compose_name(c, "y", resized(c, weft__composed(c, "x"), resize_sizes(c, sizes), by));
  return c->o->failed;
}
static const char *torch_places(const weft__composing *c) {
  return weft__flag_named(c->desc, "align_corners") ? "align_corners" : "half_pixel";
}
static weft_status resize_linear_build(weft__composing *c) {
  return torch_resized(c, "size", &(resize_rule){2, 1, torch_places(c), "linear", "floor"});
}
static weft_status resize_trilinear_build(weft__composing *c) {
  return torch_resized(c, "size", &(resize_rule){2, 3, torch_places(c), "linear", "floor"});
}
static weft_status upsample_trilinear_3d_build(weft__composing *c) {
  return torch_resized(c, "output_size", &(resize_rule){2, 3, torch_places(c), "linear", "floor"});
}
static weft_status upsample_nearest_1d_build(weft__composing *c) {
  return torch_resized(c, "output_size", &(resize_rule){2, 1, "asymmetric", "nearest", "floor"});
}
static weft_status upsample_nearest_3d_build(weft__composing *c) {
  return torch_resized(c, "output_size", &(resize_rule){2, 3, "asymmetric", "nearest", "floor"});
}
static weft_status upsample_exact_3d_build(weft__composing *c) {
  return torch_resized(c, "output_size", &(resize_rule){2, 3, "half_pixel", "nearest", "round_prefer_ceil"});
}
static weft_status resize_bicubic_v2_build(weft__composing *c) {
  return torch_resized(c, "size", &(resize_rule){2, 2, torch_places(c), "cubic", "floor"});
}

// With the attributes of Resize itself, and sizes of all axes or of those behind the second.
static weft_status resize_d_build(weft__composing *c) {
  static const char *const texts[3] = {"coordinate_transformation_mode", "mode", "nearest_mode"};
  front_op *o = c->o;
  const weft_attr *sizes = weft__attr_named(c->desc, "sizes");
  weft_value *x = weft__composed(c, "x");
  int64_t axes[WEFT_MAX_RANK];
  int rank = front_rank_of(o, x);
  size_t n = sizes ? sizes->n : 0;
  int from = n == (size_t)rank ? 0 : 2;
  if (!o->failed && n && n != (size_t)(rank - from))
    return front_fail(o, WEFT_E_SHAPE, "attribute 'sizes' has %zu elements for rank %d", n, rank);
  weft_value *to = n ? front_list(o, sizes->u.ints, n) : resize_scaled(c, "sizes");
  for (int i = from; i < rank; i++)
    axes[i - from] = i;
  for (int i = 0; i < 3; i++)
    front_set_text(o, texts[i], weft__attr_named(c->desc, texts[i])->u.s);
  front_set_ints(o, "axes", axes, (size_t)WEFT_MAX(rank - from, 0));
  front_set_float(o, "cubic_coeff_a", (double)weft__attr_named(c->desc, "cubic_coeff_a")->u.f);
  front_set_int(o, "exclude_outside", weft__attr_named(c->desc, "exclude_outside")->u.i);
  const uint32_t counts[4] = {1, 0, 0, 1};
  weft_value *in[2] = {x, to};
  weft__compose_name(c, "y", front_emit(o, "Resize", in, 2, &(weft_use){.in_counts = counts}));
  return o->failed;
}

// Darknet's: each element, stride_h by stride_w of it, times scale
static weft_status upsample_build(weft__composing *c) {
  front_op *o = c->o;
  const int64_t times[6] = {1, 1,
                            1, weft_node_int(c->desc, WEFT_SLOT_UPSAMPLE_STRIDE_H),
                            1, weft_node_int(c->desc, WEFT_SLOT_UPSAMPLE_STRIDE_W)};
  weft_value *x = weft__composed(c, "x");
  if (front_rank_of(o, x) != 4 && !o->failed)
    return front_fail(o, WEFT_E_SHAPE, "input 'x' has rank %d, expected 4", front_rank(x));
  weft_value *v = front_unsqueezed(o, front_unsqueezed(o, x, 3), 5);
  v = front_do(o, "Tile", v, front_list(o, times, 6), NULL);
  weft_value *shape[4] = {front_dim_list(o, x, 0), front_dim_list(o, x, 1), NULL, NULL};
  for (int i = 0; i < 2; i++)
    shape[2 + i] = front_do(o, "Mul", front_dim_list(o, x, 2 + i), front_list(o, &times[3 + 2 * i], 1), NULL);
  v = front_reshape(o, v, front_joined(o, shape, 4, 0));
  weft__compose_name(c, "v", v);
  return weft__compose_text(c, "y = Mul(v, scale)");
}

#define BY(name, says, function, ...)    COMPOSED_BY(name, says, function, __VA_ARGS__)
#define READS(name, says, function, ...) COMPOSED_READS_BY(name, says, "size", function, __VA_ARGS__)

WEFT_ROWS(resizes) = {
    {.name = "ResizeBilinearV2",
     .summary = "a picture of another size, between its elements",
     .traits = WEFT_SYMBOLIC,
     .infer = weft__composed_infer,
     .infer_dtype = bilinear_v2_dtype,
     .ref = weft__composed_ref,
     .values = "size",
     .user = (&(const weft__composition){.build = bilinear_v2_typed_build}),
     .examples = WEFT_EXAMPLES("f32[1,1,2,1]{1,3}, i32[2]{1,4} -> f32[1,1,4,1]{1,2,3,3}")},
    BY("ResizeBilinearV2D", "a picture of another size, between its elements", bilinear_v2_build,
       "f32[1,1,2,1]{1,3} size=[1,4] -> f32[1,1,4,1]{1,2,3,3}"),
    READS("ResizeNearestNeighborV2", "a picture of another size, of its own elements", nearest_v2_build,
          "f32[1,1,2,1]{1,3}, i32[2]{1,4} -> f32[1,1,4,1]{1,1,3,3}",
          "f32[1,1,4,1]{1,2,3,4}, i32[2]{1,2} half_pixel_centers=true -> f32[1,1,2,1]{2,4}"),
    BY("ResizeNearestNeighborV2D", "a picture of another size, of its own elements", nearest_v2_build,
       "f32[1,1,2,1]{1,3} size=[1,4] -> f32[1,1,4,1]{1,1,3,3}"),
    READS("ResizeLinear", "an axis of another size, between its elements", resize_linear_build,
          "f32[1,1,2]{1,3}, i32[1]{4} -> f32[1,1,4]{1,1.5,2.5,3}"),
    READS("ResizeTrilinear", "three axes of other sizes, between the elements", resize_trilinear_build,
          "f32[1,1,1,1,2]{1,3}, i32[3]{1,1,4} -> f32[1,1,1,1,4]{1,1.5,2.5,3}"),
    READS("ResizeBicubicV2", "a picture of another size, by cubics", resize_bicubic_v2_build,
          "f32[1,1,1,2]{1,3}, i32[2]{1,2} -> f32[1,1,1,2]{1,3}"),
    BY("UpsampleTrilinear3d", "three axes of other sizes, between the elements", upsample_trilinear_3d_build,
       "f32[1,1,1,1,2]{1,3} output_size=[1,1,4] -> f32[1,1,1,1,4]{1,1.5,2.5,3}"),
    BY("UpsampleNearest1d", "an axis of another size, of its own elements", upsample_nearest_1d_build,
       "f32[1,1,2]{1,3} output_size=[4] -> f32[1,1,4]{1,1,3,3}"),
    BY("UpsampleNearest3d", "three axes of other sizes, of the elements themselves",
       upsample_nearest_3d_build, "f32[1,1,1,1,2]{1,3} output_size=[1,1,4] -> f32[1,1,1,1,4]{1,1,3,3}"),
    BY("UpsampleNearestExact3d", "the same, by the places of centres", upsample_exact_3d_build,
       "f32[1,1,1,1,2]{1,3} output_size=[1,1,4] -> f32[1,1,1,1,4]{1,1,3,3}"),
    BY("ResizeD", "a tensor of other sizes", resize_d_build,
       "f32[1,1,1,2]{1,3} sizes=[1,4] -> f32[1,1,1,4]{1,1,3,3}",
       "f32[1,1,1,2]{1,3} sizes=[] scales=[1,2] mode=\"linear\" -> f32[1,1,1,4]{1,1.5,2.5,3}",
       "f32[1,1,1,2] sizes=[1,4,4] !! E_SHAPE 'sizes'"),
    BY("Upsample", "each element as a block, scaled", upsample_build,
       "f32[1,1,1,2]{1,3} scale=2 -> f32[1,1,2,4]{2,2,6,6,2,2,6,6}"),
    {0},
};
// SPDX-License-Identifier: Apache-2.0
