// ops/image/resize_grads.c - gradients of resized pictures with respect to the picture: each goes back to the
// elements that its output was made of, by the same weights.   AscendIR ResizeBilinearV2Grad and its kin.
// TensorFlow's have channels last and three rules of places (number over scale, corners, centres), PyTorch's
// channels first and two. ResizeGrad has the attributes of Resize.
#include "dims_move.h"
#include "op/air_rows.h"
#include "op/named.h"
#include "taps.h"

typedef enum { SIZE_INPUT, SIZE_IMAGE, SIZE_ATTR, SIZE_WHOLE } size_from;
typedef struct resize_grad {
  const char *size;  // the attribute with the picture's sizes, all of them (SIZE_WHOLE) or the resized ones
  size_from from;
  int8_t input;        // with the sizes, or the picture
  int8_t first, axes;  // resized; axes 0: Resize's own attributes, all sizes or those behind the second axis
  weft_resize_mode mode;
  bool torch, exact;  // exact: the nearest to centres
} resize_grad;

static bool grad_flag(const weft_op_desc *n, const char *name) {
  return weft__flag_named(n, name);
}

static int grad_choice(const weft_op_desc *n, const char *name, const char *names) {
  return weft__resize_choice(n, weft__slot_named(n, name), names);
}

static weft_resize_rule grad_rule(const weft_op_desc *n, const resize_grad *k) {
  bool corners = grad_flag(n, "align_corners");
  bool centres = k->torch ? k->mode != WEFT_RESIZE_NEAREST || k->exact : grad_flag(n, "half_pixel_centers");
  weft_resize_rule r = {.mode = k->mode, .round = WEFT_RESIZE_FLOOR, .cubic_a = -0.75};
  if (!k->axes) {
    r.mode = (weft_resize_mode)grad_choice(n, "mode", WEFT_RESIZE_MODES);
    r.place = (weft_resize_place)grad_choice(n, "coordinate_transformation_mode", WEFT_RESIZE_PLACES);
    r.round = (weft_resize_round)grad_choice(n, "nearest_mode", WEFT_RESIZE_ROUNDS);
    r.exclude_outside = weft__int_named(n, "exclude_outside") != 0;
    r.cubic_a = weft__float_named(n, "cubic_coeff_a");
    return r;
  }
  r.place = corners ? WEFT_RESIZE_ALIGN_CORNERS : centres ? WEFT_RESIZE_HALF_PIXEL : WEFT_RESIZE_ASYMMETRIC;
  if (r.mode == WEFT_RESIZE_NEAREST && corners)
    r.round = WEFT_RESIZE_ROUND_CEIL;
  else if (r.mode == WEFT_RESIZE_NEAREST && centres)
    r.place = WEFT_RESIZE_TF_HALF_PIXEL;
  if (r.mode == WEFT_RESIZE_CUBIC && !k->torch && centres && !corners) {
    r.cubic_a = -0.5;  // TensorFlow's other cubic, whose elements outside weigh nothing
    r.exclude_outside = true;
  }
  return r;
}

// Sizes from a list: of the resized axes, or of all.
static weft_status grad_sizes(weft_infer *it, const resize_grad *k, const weft_shape *g, const int64_t *v,
                              size_t n, weft_shape *out) {
  size_t rank = g->rank;
  size_t axes = k->axes ? (size_t)k->axes : rank - 2;
  size_t first = n == rank ? 0 : (size_t)k->first;
  if (n != rank && n != axes)
    return weft_fail(it->d, WEFT_E_SHAPE, "%zu sizes for gradients of rank %zu, expected %zu or %zu", n, rank,
                     axes, rank);
  for (size_t i = 0; i < n; i++) {
    if (weft__is_literal(v[i]) && v[i] < 0)
      return weft_fail(it->d, WEFT_E_SHAPE, "size %zu of the picture is %lld", i, (long long)v[i]);
    bool resized = first + i >= (size_t)k->first && first + i < (size_t)k->first + axes;
    weft_dim ignored;
    if (resized)
      out->dim[first + i] = weft__elem_dim(v[i]);
    else
      WEFT_TRY(weft__merge_dim(it, weft__elem_dim(v[i]), g->dim[first + i],
                               "the picture's and the gradients' batches or channels", &ignored));
  }
  return WEFT_OK;
}

static weft_status grad_empty(weft_infer *it, const resize_grad *k, size_t axes) {
  for (size_t i = 0; i < axes; i++) {
    size_t axis = (size_t)k->first + i;
    weft_dim from = it->in[0]->dim[axis];
    if ((from == 0) != (it->out[0]->dim[axis] == 0) && from >= 0 && it->out[0]->dim[axis] >= 0)
      return weft_fail(it->d, WEFT_E_SHAPE, "axis %zu: a picture of %lld elements does not make %lld", axis,
                       (long long)it->out[0]->dim[axis], (long long)from);
  }
  return WEFT_OK;
}

static weft_status resize_grad_infer(weft_infer *it) {
  const resize_grad *k = it->desc->op->user;
  const weft_shape *g = it->in[0];
  weft_shape *y = it->out[0];
  int64_t v[WEFT_MAX_RANK];
  int64_t n;
  bool known = true;
  weft_shape_copy(y, g);
  if (weft_shape_is_unknown_rank(g)) {
    if (k->from == SIZE_IMAGE)
      weft_shape_copy(y, it->in[k->input]);
    return WEFT_OK;
  }
  size_t rank = k->axes ? (size_t)k->axes + 2 : g->rank;
  WEFT_TRY(weft__expect_rank(it, 0, WEFT_MAX(rank, 3), WEFT_MAX(rank, 3)));
  for (size_t i = (size_t)k->first; i < (size_t)k->first + rank - 2; i++)
    y->dim[i] = -1;
  if (k->from == SIZE_IMAGE) {
    const weft_shape *x = it->in[k->input];
    if (weft_shape_is_unknown_rank(x))
      return WEFT_OK;
    WEFT_TRY(weft__expect_rank(it, (uint32_t)k->input, rank, rank));
    for (size_t i = 0; i < x->rank; i++)
      v[i] = weft__dim_elem(x->dim[i]);
    WEFT_TRY(grad_sizes(it, k, g, v, x->rank, y));
  } else if (k->from == SIZE_INPUT) {
    uint32_t in = 0;
    if (weft__has_in(it->desc, (uint32_t)k->input, &in))
      WEFT_TRY(weft__in_ints(it, in, v, WEFT_MAX_RANK, &n, &known));
    if (!known || n < 0)
      return WEFT_OK;
    WEFT_TRY(grad_sizes(it, k, g, v, (size_t)n, y));
  } else {
    weft_ints list = weft__ints_named(it->desc, k->size);
    WEFT_TRY(grad_sizes(it, k, g, list.v, list.n, y));
  }
  return grad_empty(it, k, rank - 2);
}

// Outputs for an element along resized axis i, as 'scales' say it; 0: they say nothing.
static double grad_scale(const weft_op_desc *n, const resize_grad *k, size_t i, size_t axes) {
  const weft_attr *a = weft_attr_at(n, weft__slot_named(n, "scales"), WEFT_VT_LIST_FLOAT);
  if (k->mode == WEFT_RESIZE_LINEAR && !k->torch)
    return 0;
  return a && a->n == axes ? (double)a->u.floats[i] : 0;
}

static weft_status resize_grad_ref(const weft_call *c) {
  const resize_grad *k = c->desc->op->user;
  const weft_tensor *g = c->in[0];
  weft_tensor *y = c->out[0];
  if (!y || !weft__elems(&y->layout.origin))
    return WEFT_OK;
  weft_resize_rule rule = grad_rule(c->desc, k);
  if (rule.place == WEFT_RESIZE_TF_CROP)
    return weft_fail(c->d, WEFT_E_UNSUPPORTED, "gradients of tf_crop_and_resize are not computed");
  size_t axes = k->axes ? (size_t)k->axes : g->layout.origin.rank - 2u;
  weft_taps taps[WEFT_MAX_RANK];
  for (size_t i = 0; i < axes; i++) {
    size_t axis = (size_t)k->first + i;
    taps[i] = weft__taps_resize(&rule, axis, (size_t)y->layout.origin.dim[axis],
                                (size_t)g->layout.origin.dim[axis], grad_scale(c->desc, k, i, axes));
    taps[i].stepped = k->mode == WEFT_RESIZE_CUBIC && !k->torch;
  }
  return weft__taps_run(c, g, y, taps, axes, true);
}

#define GRAD(op_name, reads, what, ...)                                                           \
  {                                                                                               \
    .name = op_name, .summary = "the gradient of a resized picture with respect to the picture",  \
    .traits = WEFT_SYMBOLIC, .infer = resize_grad_infer, .ref = resize_grad_ref, .values = reads, \
    .like = "grads", .user = (&(const resize_grad)what), .examples = WEFT_EXAMPLES(__VA_ARGS__)   \
  }
#define TORCH(op_name, what, ...)                                                                \
  {                                                                                              \
    .name = op_name, .summary = "the gradient of a resized picture with respect to the picture", \
    .traits = WEFT_SYMBOLIC, .infer = resize_grad_infer, .ref = resize_grad_ref,                 \
    .user = (&(const resize_grad)what), .examples = WEFT_EXAMPLES(__VA_ARGS__)                   \
  }
#define IS(...) {__VA_ARGS__}

WEFT_ROWS(resize_grads) = {
    GRAD("ResizeNearestNeighborV2Grad", "size", IS(NULL, SIZE_INPUT, 1, 1, 2, WEFT_RESIZE_NEAREST, false),
         "f32[1,1,4,1]{1,2,3,4}, i32[2]{1,2} -> f32[1,1,2,1]{3,7}",
         "f32[N,1,4,C], i32[2] -> f32[N,-1,-1,C]", "f32[1,1,4,1], i32[2]{1,-2} !! E_SHAPE size 1",
         "f32[1,1,4,1], i32[3]{1,2,3} !! E_SHAPE 3 sizes"),
    GRAD("ResizeNearestNeighborV2GradD", NULL, IS("size", SIZE_ATTR, 0, 1, 2, WEFT_RESIZE_NEAREST, false),
         "f32[1,1,4,1]{1,2,3,4} size=[1,2] -> f32[1,1,2,1]{3,7}"),
    GRAD("ResizeBilinearV2Grad", NULL, IS(NULL, SIZE_IMAGE, 1, 1, 2, WEFT_RESIZE_LINEAR, false),
         "f32[1,1,4,1]{1,2,3,4}, f32[1,1,2,1]{0..} -> f32[1,1,2,1]{2,8}",
         "f32[N,1,4,1], f32[N,H,2,1] -> f32[N,H,2,1]", "f32[1,1,4,1], f32[1,1,2,3] !! E_SHAPE channels"),
    GRAD("SyncResizeBilinearV2Grad", NULL, IS(NULL, SIZE_IMAGE, 1, 1, 2, WEFT_RESIZE_LINEAR, false),
         "f32[1,1,4,1]{1,2,3,4}, f32[1,1,2,1]{0..} -> f32[1,1,2,1]{2,8}"),
    GRAD("ResizeBicubicGrad", NULL, IS(NULL, SIZE_IMAGE, 1, 1, 2, WEFT_RESIZE_CUBIC, false),
         "f32[1,1,2,1]{1,2}, f32[1,1,2,1]{0..} -> f32[1,1,2,1]{1,2}"),
    GRAD("ResizeBicubicV2Grad", NULL, IS(NULL, SIZE_IMAGE, 1, 2, 2, WEFT_RESIZE_CUBIC, true),
         "f32[1,1,1,2]{1,2}, f32[1,1,1,2]{0..} -> f32[1,1,1,2]{1,2}"),
    GRAD("ResizeLinearGrad", NULL, IS(NULL, SIZE_IMAGE, 1, 2, 1, WEFT_RESIZE_LINEAR, true),
         "f32[1,1,4]{1,2,3,4}, f32[1,1,2]{0..} -> f32[1,1,2]{3.25,6.75}"),
    GRAD("ResizeGrad", "original_size", IS(NULL, SIZE_INPUT, 3, 2, 0, WEFT_RESIZE_NEAREST, true),
         "f32[1,1,4]{1,2,3,4}, _, _, i64[1]{2} mode=\"linear\" -> f32[1,1,2]{3.25,6.75}"),
    GRAD("ResizeGradD", NULL, IS("original_size", SIZE_ATTR, 0, 2, 0, WEFT_RESIZE_NEAREST, true),
         "f32[1,1,4]{1,2,3,4} original_size=[2] mode=\"linear\" -> f32[1,1,2]{3.25,6.75}"),
    TORCH("UpsampleNearest1dGrad", IS("input_size", SIZE_WHOLE, 0, 2, 1, WEFT_RESIZE_NEAREST, true),
          "f32[1,1,4]{1,2,3,4} input_size=[1,1,2] output_size=[4] -> f32[1,1,2]{3,7}"),
    TORCH("UpsampleNearest3dGrad", IS("input_size", SIZE_WHOLE, 0, 2, 3, WEFT_RESIZE_NEAREST, true),
          "f32[1,1,1,1,4]{1,2,3,4} input_size=[1,1,1,1,2] output_size=[1,1,4] -> f32[1,1,1,1,2]{3,7}"),
    TORCH("UpsampleNearestExact3dGrad",
          IS("input_size", SIZE_WHOLE, 0, 2, 3, WEFT_RESIZE_NEAREST, true, true),
          "f32[1,1,1,1,4]{1,2,3,4} input_size=[1,1,1,1,2] output_size=[1,1,4] -> f32[1,1,1,1,2]{3,7}"),
    TORCH("UpsampleTrilinear3dGrad", IS("input_size", SIZE_WHOLE, 0, 2, 3, WEFT_RESIZE_LINEAR, true),
          "f32[1,1,1,1,4]{1,2,3,4} input_size=[1,1,1,1,2] output_size=[1,1,4] -> f32[1,1,1,1,2]{3.25,6.75}"),
    {0},
};
// SPDX-License-Identifier: Apache-2.0
