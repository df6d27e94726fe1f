// ops/image/box_codes.c - boxes, rows of x1, y1, x2, y2, as offsets of others and back, and how much two
// overlap.   AscendIR BoundingBoxEncode, BoundingBoxDecode (Faster R-CNN's, sides count their last element),
// YoloxBoundingBoxDecode, YoloBoxesEncode, Iou, IouV2, PtIou. overlap is [ground truths, boxes], aligned
// [boxes, 1]: the intersection over the union, or (iof) over the ground truth; eps is added to sides.
#include "arrays.h"
#include "dims_move.h"
#include "op/air_rows.h"
#include "op/named.h"

// ---- row by row ----
typedef struct code_row {
  double means[4], stds[4];
  double high, wide, most;  // pictures end there; logarithms of sides
  double stride;
} code_row;
typedef void (*code_fn)(const code_row *k, const double a[4], const double b[4], double out[4]);

typedef struct code_box {
  double x, y, w, h;
} code_box;
static code_box code_centre(const double b[4]) {
  return (code_box){(b[0] + b[2]) / 2, (b[1] + b[3]) / 2, b[2] - b[0] + 1, b[3] - b[1] + 1};
}
static void code_encode(const code_row *k, const double a[4], const double b[4], double out[4]) {
  const code_box p = code_centre(a);
  const code_box g = code_centre(b);
  const double d[4] = {(g.x - p.x) / p.w, (g.y - p.y) / p.h, log(fabs(g.w / p.w)), log(fabs(g.h / p.h))};
  for (int i = 0; i < 4; i++)
    out[i] = (d[i] - k->means[i]) / k->stds[i];
}
static double code_between(double v, double low, double high) {
  return v < low ? low : v > high ? high : v;
}
static void code_decode(const code_row *k, const double a[4], const double b[4], double out[4]) {
  const code_box p = code_centre(a);
  double d[4];
  for (int i = 0; i < 4; i++)
    d[i] = b[i] * k->stds[i] + k->means[i];
  const double w = p.w * exp(code_between(d[2], -k->most, k->most));
  const double h = p.h * exp(code_between(d[3], -k->most, k->most));
  const double x = p.x + p.w * d[0];
  const double y = p.y + p.h * d[1];
  out[0] = code_between(x - w / 2 + 0.5, 0, k->wide - 1);
  out[1] = code_between(y - h / 2 + 0.5, 0, k->high - 1);
  out[2] = code_between(x + w / 2 - 0.5, 0, k->wide - 1);
  out[3] = code_between(y + h / 2 - 0.5, 0, k->high - 1);
}
// a: x, y and strides of a place
static void code_yolox(const code_row *k, const double a[4], const double b[4], double out[4]) {
  (void)k;
  for (int i = 0; i < 2; i++) {
    double centre = b[i] * a[2 + i] + a[i];
    double half = exp(b[2 + i]) * a[2 + i] / 2;
    out[i] = centre - half;
    out[2 + i] = centre + half;
  }
}
static void code_yolo(const code_row *k, const double a[4], const double b[4], double out[4]) {
  const double eps = 1e-6;
  for (int i = 0; i < 2; i++) {
    double apart = ((b[i] + b[2 + i]) / 2 - (a[i] + a[2 + i]) / 2) / k->stride + 0.5;
    out[i] = code_between(apart, eps, 1 - eps);
    out[2 + i] = log(WEFT_MAX((b[2 + i] - b[i]) / WEFT_MAX(a[2 + i] - a[i], eps), eps));
  }
}

typedef struct code_op {
  code_fn f;
  bool strides;  // the third input
} code_op;

static weft_status code_infer(weft_infer *it) {
  const code_op *k = it->desc->op->user;
  const weft_shape *a = it->in[0];
  const weft_shape *b = it->in[1];
  weft_dim ignored;
  weft_dim n = weft_shape_is_unknown_rank(a) || !a->rank ? -1 : a->dim[0];
  weft_shape_copy(it->out[0], b);
  WEFT_TRY(weft__expect_rank(it, 0, 2, 2));
  WEFT_TRY(weft__expect_rank(it, 1, 2, 3));
  for (uint32_t i = 0; i < 2; i++) {
    const weft_shape *s = it->in[i];
    if (weft_shape_is_unknown_rank(s))
      continue;
    WEFT_TRY(weft__merge_dim(it, 4, s->dim[s->rank - 1], "numbers of a box", &ignored));
    WEFT_TRY(weft__merge_dim(it, n, s->dim[s->rank - 2], "boxes of both inputs", &n));
  }
  if (k->strides && !weft_shape_is_unknown_rank(it->in[2])) {
    WEFT_TRY(weft__expect_rank(it, 2, 1, 1));
    return weft__merge_dim(it, n, it->in[2]->dim[0], "boxes and strides", &ignored);
  }
  return WEFT_OK;
}

static weft_status code_four(const weft_call *c, const char *name, double otherwise, double out[4]) {
  const weft_attr *a = weft_attr_at(c->desc, weft__slot_named(c->desc, name), WEFT_VT_LIST_FLOAT);
  if (a && a->n != 4)
    return weft_fail(c->d, WEFT_E_SHAPE, "attribute '%s' has %zu elements, expected 4", name, (size_t)a->n);
  for (int i = 0; i < 4; i++)
    out[i] = a ? (double)a->u.floats[i] : otherwise;
  return WEFT_OK;
}
static weft_status code_begin(const weft_call *c, code_row *k) {
  weft_ints size = weft__ints_named(c->desc, "max_shape");
  *k = (code_row){.most = fabs(log(weft__float_named(c->desc, "wh_ratio_clip")))};
  WEFT_TRY(code_four(c, "means", 0, k->means));
  WEFT_TRY(code_four(c, "stds", 1, k->stds));
  if (weft__slot_named(c->desc, "max_shape") == UINT32_MAX)
    return WEFT_OK;
  if (size.n < 2)
    return weft_fail(c->d, WEFT_E_SHAPE, "attribute 'max_shape' has %zu elements, expected 2", size.n);
  k->high = (double)size.v[0];
  k->wide = (double)size.v[1];
  return WEFT_OK;
}
static weft_status code_ref(const weft_call *c) {
  const code_op *k = c->desc->op->user;
  const weft_tensor *a = c->in[0];
  const weft_tensor *b = c->in[1];
  weft_tensor *y = c->out[0];
  code_row row;
  if (!y || !weft__elems(&y->layout.origin))
    return WEFT_OK;
  WEFT_TRY(code_begin(c, &row));
  size_t boxes = (size_t)a->layout.origin.dim[0];
  for (size_t i = 0, n = weft__elems(&y->layout.origin) / 4; i < n; i++) {
    double p[4];
    double q[4];
    double out[4];
    WEFT_TRY(weft__poll_at(c, i));
    for (size_t j = 0; j < 4; j++) {
      p[j] = weft_load_f64(a->dtype, a->data, i % boxes * 4 + j);
      q[j] = weft_load_f64(b->dtype, b->data, i * 4 + j);
    }
    if (k->strides)
      row.stride = weft_load_f64(c->in[2]->dtype, c->in[2]->data, i % boxes);
    k->f(&row, p, q, out);
    for (size_t j = 0; j < 4; j++)
      weft_store_f64(y->dtype, y->data, i * 4 + j, out[j]);
  }
  return WEFT_OK;
}

// ---- each with each ----
static weft_status iou_infer(weft_infer *it) {
  const weft_shape *s[2] = {it->in[0], it->in[1]};
  weft_dim n[2] = {-1, -1};
  weft_dim ignored;
  for (uint32_t i = 0; i < 2; i++) {
    WEFT_TRY(weft__expect_rank(it, i, 2, 2));
    if (weft_shape_is_unknown_rank(s[i]))
      continue;
    n[i] = s[i]->dim[0];
    WEFT_TRY(weft__merge_dim(it, 4, s[i]->dim[1], "numbers of a box", &ignored));
  }
  if (!weft__flag_named(it->desc, "aligned"))
    return weft_set_out_shape(it, 0, (weft_dim[2]){n[1], n[0]}, 2);
  WEFT_TRY(weft__merge_dim(it, n[0], n[1], "aligned boxes", &n[0]));
  return weft_set_out_shape(it, 0, (weft_dim[2]){n[0], 1}, 2);
}
static double iou_of(const double *a, const double *b, bool over_b, double eps) {
  double area = (a[2] - a[0] + eps) * (a[3] - a[1] + eps);
  double other = (b[2] - b[0] + eps) * (b[3] - b[1] + eps);
  double w = WEFT_MIN(a[2], b[2]) - WEFT_MAX(a[0], b[0]) + eps;
  double h = WEFT_MIN(a[3], b[3]) - WEFT_MAX(a[1], b[1]) + eps;
  double both = w > 0 && h > 0 ? w * h : 0;
  double by = over_b ? other : area + other - both;
  return both == 0 ? 0 : both / by;
}
static weft_status iou_ref(const weft_call *c) {
  weft_tensor *y = c->out[0];
  double *a;
  double *b;
  if (!y || !weft__elems(&y->layout.origin))
    return WEFT_OK;
  bool aligned = weft__flag_named(c->desc, "aligned");
  bool over = !strcmp(weft__text_named(c->desc, "mode"), "iof");
  double eps = weft__float_named(c->desc, "eps");
  size_t boxes = aligned ? 1 : (size_t)c->in[0]->layout.origin.dim[0];
  WEFT_TRY(weft__load_f64s(c, c->in[0], &a));
  WEFT_TRY(weft__load_f64s(c, c->in[1], &b));
  for (size_t i = 0, n = weft__elems(&y->layout.origin); i < n; i++) {
    WEFT_TRY(weft__poll_at(c, i));
    const double *box = a + 4 * (aligned ? i : i % boxes);
    weft_store_f64(y->dtype, y->data, i, iou_of(box, b + 4 * (aligned ? i : i / boxes), over, eps));
  }
  return WEFT_OK;
}

#define CODE(op_name, says, function, has_strides, ...)                                                    \
  {                                                                                                        \
    .name = op_name, .summary = says, .traits = WEFT_SYMBOLIC, .infer = code_infer, .ref = code_ref,       \
    .user = (&(const code_op){function, has_strides}), .examples = WEFT_EXAMPLES(__VA_ARGS__)              \
  }
#define IOU(op_name, ...)                                                                                  \
  {                                                                                                        \
    .name = op_name, .summary = "how much boxes overlap, each with each", .traits = WEFT_SYMBOLIC,         \
    .infer = iou_infer, .ref = iou_ref, .examples = WEFT_EXAMPLES(__VA_ARGS__)                             \
  }
#define TWO "f32[2,4]{0,0,2,2,1,1,3,4}, f32[1,4]{0,0,1,2}"

WEFT_ROWS(box_codes) = {
    CODE("BoundingBoxEncode", "boxes as offsets of anchors", code_encode, false,
         "f32[2,4]{1,2,3,4,3,4,5,6}, f32[2,4]{5,6,7,8,7,8,9,6} stds=[0.1,0.1,0.2,0.2] -> "
         "f32[2,4]{13.3333,13.3333,0,0,13.3333,6.66667,0,-5.49306} ~1e-4",
         "f32[2,4], f32[3,4] !! E_SHAPE 2 and 3 differ"),
    CODE("BoundingBoxDecode", "boxes of offsets of others, within the picture", code_decode, false,
         "f32[2,4]{1,2,3,4,3,4,5,6}, f32[2,4]{5,6,7,8,7,8,9,6} max_shape=[10,10] wh_ratio_clip=0.1 -> "
         "f32[2,4]{2.5,6.5,9,9,9,9,9,9} ~1e-4",
         "f32[1,4]{1,2,3,4}, f32[1,4]{0,0,0,0} max_shape=[10] !! E_SHAPE 'max_shape'"),
    CODE("YoloxBoundingBoxDecode", "boxes of offsets of places", code_yolox, false,
         "f32[1,4]{8,8,4,4}, f32[1,1,4]{1,0,0,0} -> f32[1,1,4]{10,6,14,10}"),
    CODE("YoloBoxesEncode", "boxes as offsets of anchors in strides", code_yolo, true,
         "f32[1,4]{0,0,2,2}, f32[1,4]{1,0,3,2}, i32[1]{4} -> f32[1,4]{0.75,0.5,0,0}"),
    IOU("Iou", TWO " eps=0 -> f32[1,2]{0.5,0}", TWO " eps=0 mode=\"iof\" -> f32[1,2]{1,0}",
        "f32[1,4]{0,0,2,2}, f32[1,4]{0,0,1,2} eps=0 aligned=true -> f32[1,1]{0.5}",
        "f32[2,5], f32[2,4] !! E_SHAPE 4 and 5 differ"),
    IOU("IouV2", TWO " eps=0 -> f32[1,2]{0.5,0}"),
    IOU("PtIou", TWO " -> f32[1,2]{0.5,0}"),
    {0},
};
// SPDX-License-Identifier: Apache-2.0
