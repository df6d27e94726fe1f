// ops/image/prior_boxes.c - boxes over the elements of a map, in parts of the picture, and which elements lie
// under boxes.   AscendIR PriorBox (SSD's), AnchorResponseFlags. y is [1, 2, numbers, 1]: x1, y1, x2, y2 of
// each box of each element, then the variances. An element has for each of min_size a square of that, one of
// sqrt(min max), and one for each ratio but 1, with `flip` for its inverse, too.
#include "dims_move.h"
#include "op/air_rows.h"
#include "op/named.h"

enum { PRIOR_RATIOS = 64 };
typedef struct prior_plan {
  const float *least, *most;
  size_t n_least, n_most, n_ratios;
  double ratio[PRIOR_RATIOS];
} prior_plan;

static weft_status prior_read(weft_diag *d, const weft_op_desc *n, prior_plan *p) {
  const weft_attr *least = weft_attr_at(n, weft__slot_named(n, "min_size"), WEFT_VT_LIST_FLOAT);
  const weft_attr *most = weft_attr_at(n, weft__slot_named(n, "max_size"), WEFT_VT_LIST_FLOAT);
  const weft_attr *ratios = weft_attr_at(n, weft__slot_named(n, "aspect_ratio"), WEFT_VT_LIST_FLOAT);
  *p = (prior_plan){.least = least ? least->u.floats : NULL, .n_least = least ? least->n : 0};
  p->most = most ? most->u.floats : NULL;
  p->n_most = most ? most->n : 0;
  if (!p->n_least || (p->n_most && p->n_most != p->n_least))
    return weft_fail(d, WEFT_E_SHAPE, "attributes 'min_size' and 'max_size' have %zu and %zu elements",
                     p->n_least, p->n_most);
  for (size_t i = 0; ratios && i < ratios->n; i++) {
    double v = (double)ratios->u.floats[i];
    bool known = fabs(v - 1) < 1e-6;
    if (!(v > 0) || p->n_ratios + 2 > PRIOR_RATIOS)
      return weft_fail(d, WEFT_E_RANGE, "attribute 'aspect_ratio': element %zu is %g, or there are too many",
                       i, v);
    for (size_t k = 0; k < p->n_ratios; k++)
      known |= fabs(v - p->ratio[k]) < 1e-6;
    if (known)
      continue;
    p->ratio[p->n_ratios++] = v;
    if (weft__flag_named(n, "flip"))
      p->ratio[p->n_ratios++] = 1 / v;
  }
  return WEFT_OK;
}
static size_t prior_each(const prior_plan *p) {
  return p->n_least * (1 + (p->n_most > 0) + p->n_ratios);
}

static weft_status prior_infer(weft_infer *it) {
  const weft_shape *x = it->in[0];
  prior_plan p;
  weft_dim n = -1;
  WEFT_TRY(weft__expect_rank(it, 0, 4, 4));
  WEFT_TRY(weft__expect_rank(it, 1, 4, 4));
  WEFT_TRY(prior_read(it->d, it->desc, &p));
  if (!weft_shape_is_unknown_rank(x)) {
    n = weft_dims_mul(it, x->dim[2], x->dim[3]);
    n = weft_dims_mul(it, n, (weft_dim)(4 * prior_each(&p)));
  }
  return weft_set_out_shape(it, 0, (weft_dim[4]){1, 2, n, 1}, 4);
}

typedef struct prior_run {
  weft_tensor *y;
  double high, wide;  // of the picture
  bool clip;
  size_t at;
} prior_run;
static void prior_box(prior_run *r, double x, double y, double w, double h) {
  const double b[4] = {(x - w / 2) / r->wide, (y - h / 2) / r->high, (x + w / 2) / r->wide,
                       (y + h / 2) / r->high};
  for (int i = 0; i < 4; i++) {
    double v = !r->clip ? b[i] : b[i] < 0 ? 0 : b[i] > 1 ? 1 : b[i];
    weft_store_f64(r->y->dtype, r->y->data, r->at++, v);
  }
}
static void prior_element(prior_run *r, const prior_plan *p, double x, double y) {
  for (size_t i = 0; i < p->n_least; i++) {
    double side = (double)p->least[i];
    prior_box(r, x, y, side, side);
    if (p->n_most) {
      double middle = sqrt(side * (double)p->most[i]);
      prior_box(r, x, y, middle, middle);
    }
    for (size_t k = 0; k < p->n_ratios; k++)
      prior_box(r, x, y, side * sqrt(p->ratio[k]), side / sqrt(p->ratio[k]));
  }
}

static weft_status prior_variances(const weft_call *c, weft_tensor *y, size_t n) {
  const weft_attr *v = weft_attr_at(c->desc, weft__slot_named(c->desc, "variance"), WEFT_VT_LIST_FLOAT);
  if (!v || (v->n != 1 && v->n != 4))
    return weft_fail(c->d, WEFT_E_SHAPE, "attribute 'variance' has %zu elements, expected 1 or 4",
                     v ? (size_t)v->n : 0);
  for (size_t i = 0; i < n; i++) {
    WEFT_TRY(weft__poll_at(c, i));
    weft_store_f64(y->dtype, y->data, n + i, (double)v->u.floats[v->n == 1 ? 0 : i % 4]);
  }
  return WEFT_OK;
}
static weft_status prior_ref(const weft_call *c) {
  const weft_shape *x = &c->in[0]->layout.origin;
  const weft_shape *img = &c->in[1]->layout.origin;
  weft_tensor *y = c->out[0];
  prior_plan p;
  if (!y || !weft__elems(&y->layout.origin))
    return WEFT_OK;
  WEFT_TRY(prior_read(c->d, c->desc, &p));
  int64_t high = weft__int_named(c->desc, "img_h");
  int64_t wide = weft__int_named(c->desc, "img_w");
  double down = weft__float_named(c->desc, "step_h");
  double right = weft__float_named(c->desc, "step_w");
  double offset = weft__float_named(c->desc, "offset");
  prior_run r = {.y = y, .clip = weft__flag_named(c->desc, "clip")};
  r.high = (double)(high > 0 ? high : img->dim[2]);
  r.wide = (double)(wide > 0 ? wide : img->dim[3]);
  down = down > 0 ? down : r.high / (double)x->dim[2];
  right = right > 0 ? right : r.wide / (double)x->dim[3];
  for (int64_t i = 0; i < x->dim[2] * x->dim[3]; i++) {
    double row = (double)(i / x->dim[3]);
    double column = (double)(i % x->dim[3]);
    WEFT_TRY(weft__poll_at(c, (size_t)i));
    prior_element(&r, &p, (column + offset) * right, (row + offset) * down);
  }
  return prior_variances(c, y, r.at);
}

// ---- which elements of a map the centres of boxes lie in ----
static weft_status flags_infer(weft_infer *it) {
  weft_ints size = weft__ints_named(it->desc, "featmap_size");
  int64_t anchors = weft__int_named(it->desc, "num_base_anchors");
  weft_dim ignored;
  int64_t n;
  WEFT_TRY(weft__expect_rank(it, 0, 2, 2));
  if (!weft_shape_is_unknown_rank(it->in[0]))
    WEFT_TRY(weft__merge_dim(it, 4, it->in[0]->dim[1], "numbers of a box", &ignored));
  bool fits = size.n == 2 && size.v[0] > 0 && size.v[1] > 0 && anchors > 0 &&
              weft__mul_i64(size.v[0], size.v[1], &n) && weft__mul_i64(n, anchors, &n);
  if (!fits)
    return weft_fail(
        it->d, WEFT_E_RANGE,
        "'featmap_size' and 'num_base_anchors': expected a height, a width and a number, at least "
        "1, whose product fits 63 bits");
  return weft_set_out_shape(it, 0, (weft_dim[1]){n}, 1);
}
static weft_status flags_ref(const weft_call *c) {
  const weft_tensor *b = c->in[0];
  weft_tensor *y = c->out[0];
  weft_ints size = weft__ints_named(c->desc, "featmap_size");
  weft_ints step = weft__ints_named(c->desc, "strides");
  size_t anchors = (size_t)weft__int_named(c->desc, "num_base_anchors");
  if (!y)
    return WEFT_OK;
  if (step.n != 2 || step.v[0] < 1 || step.v[1] < 1)
    return weft_fail(c->d, WEFT_E_RANGE, "attribute 'strides': expected two numbers of at least 1");
  memset(y->data, 0, weft__elems(&y->layout.origin));
  for (size_t i = 0, n = weft__elems(&b->layout.origin) / 4; i < n; i++) {
    double at[2];
    WEFT_TRY(weft__poll_work(c, &(size_t){0x4000}, 0));
    for (size_t k = 0; k < 2; k++) {
      double middle =
          (weft_load_f64(b->dtype, b->data, 4 * i + k) + weft_load_f64(b->dtype, b->data, 4 * i + 2 + k)) / 2;
      at[k] = floor(middle / (double)step.v[k]);
    }
    if (at[0] >= 0 && at[0] < (double)size.v[1] && at[1] >= 0 && at[1] < (double)size.v[0])
      memset((uint8_t *)y->data + ((size_t)at[1] * (size_t)size.v[1] + (size_t)at[0]) * anchors, 1, anchors);
  }
  return WEFT_OK;
}

WEFT_ROWS(prior_boxes) = {
    {.name = "PriorBox",
     .summary = "boxes over the elements of a map",
     .traits = WEFT_SYMBOLIC,
     .infer = prior_infer,
     .ref = prior_ref,
     .examples = WEFT_EXAMPLES(
         "f32[1,1,1,1]{0}, f32[1,3,10,10] min_size=[4] max_size=[9] aspect_ratio=[1] -> f32[1,2,8,1]",
         "f32[1,1,1,1]{0}, f32[1,1,2,2]{0..} min_size=[1] max_size=[] aspect_ratio=[] -> "
         "f32[1,2,4,1]{0.25,0.25,0.75,0.75,0.1,0.1,0.1,0.1}",
         "f32[1,1,1,1], f32[1,3,8,8] min_size=[] max_size=[] aspect_ratio=[] !! E_SHAPE 'min_size'")},
    {.name = "AnchorResponseFlags",
     .summary = "which elements of a map the centres of boxes lie in",
     .traits = WEFT_SYMBOLIC,
     .infer = flags_infer,
     .ref = flags_ref,
     .examples = WEFT_EXAMPLES(
         "f32[1,4]{2,0,4,2} featmap_size=[1,2] strides=[2,2] num_base_anchors=2 -> u8[4]{0,0,1,1}",
         "f32[1,4] featmap_size=[1,0] strides=[2,2] num_base_anchors=2 !! E_RANGE at least")},
    {0},
};
// SPDX-License-Identifier: Apache-2.0
