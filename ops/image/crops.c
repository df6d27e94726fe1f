// ops/image/crops.c - regions of pictures, channels last, resampled to one size, and the gradients.
// AscendIR CropAndResize, V2 and D, CropAndResizeGradImage, CropAndResizeGradBoxes. A box is y1, x1, y2, x2
// in parts of the picture less one element; the outputs go evenly from edge to edge, one alone lies between
// them. What lies outside the picture is extrapolation_value, and has no gradient.
#include "arrays.h"
#include "dims_move.h"
#include "op/air_rows.h"
#include "op/named.h"

typedef enum { CROP, CROP_LISTED, CROP_IMAGE, CROP_BOXES } crop_what;
typedef struct crop_op {
  crop_what what;
  int8_t image, boxes, index, size;  // inputs; -1: none
} crop_op;

// ---- shapes ----
static weft_status crop_sizes(weft_infer *it, const crop_op *k, int64_t *v, size_t want, bool *known) {
  int64_t n;
  *known = true;
  if (k->size < 0) {
    weft_ints list = weft__ints_named(it->desc, "crop_size");
    if (list.n != want)
      return weft_fail(it->d, WEFT_E_SHAPE, "attribute 'crop_size' has %zu elements, expected %zu", list.n,
                       want);
    memcpy(v, list.v, want * sizeof *v);
  } else {
    WEFT_TRY(weft__in_ints(it, (uint32_t)k->size, v, want, &n, known));
    if (n >= 0 && n != (int64_t)want)
      return weft_fail(it->d, WEFT_E_SHAPE, "input '%s' has %lld elements, expected %zu",
                       weft__in_name(it->desc, (uint32_t)k->size), (long long)n, want);
  }
  for (size_t i = 0; i < want && *known; i++) {
    if (weft__is_literal(v[i]) && (v[i] < (k->what == CROP_IMAGE ? 0 : 1)))
      return weft_fail(it->d, WEFT_E_RANGE, "size %zu is %lld", i, (long long)v[i]);
  }
  return WEFT_OK;
}

static weft_status crop_infer(weft_infer *it) {
  const crop_op *k = it->desc->op->user;
  const weft_shape *b = it->in[k->boxes];
  const weft_shape *index = it->in[k->index];
  const weft_shape *first = it->in[0];
  weft_shape *y = it->out[0];
  int64_t v[4];
  bool known;
  weft_dim n = -1;
  weft_dim ignored;
  WEFT_TRY(weft__expect_rank(it, 0, 4, 4));
  WEFT_TRY(weft__expect_rank(it, (uint32_t)k->boxes, 2, 2));
  WEFT_TRY(weft__expect_rank(it, (uint32_t)k->index, 1, 1));
  if (!weft_shape_is_unknown_rank(b)) {
    n = b->dim[0];
    WEFT_TRY(weft__merge_dim(it, 4, b->dim[1], "axis 1 of input 'boxes'", &ignored));
  }
  if (!weft_shape_is_unknown_rank(index))
    WEFT_TRY(weft__merge_dim(it, n, index->dim[0], "'boxes' and 'box_index'", &n));
  bool grads = k->what == CROP_IMAGE || k->what == CROP_BOXES;
  if (grads && !weft_shape_is_unknown_rank(first))
    WEFT_TRY(weft__merge_dim(it, n, first->dim[0], "'boxes' and 'grads'", &n));
  if (k->what == CROP_BOXES) {
    WEFT_TRY(weft__expect_rank(it, (uint32_t)k->image, 4, 4));
    if (!weft_shape_is_unknown_rank(first) && !weft_shape_is_unknown_rank(it->in[k->image]))
      WEFT_TRY(weft__merge_dim(it, first->dim[3], it->in[k->image]->dim[3], "channels", &ignored));
    return weft_set_out_shape(it, 0, (weft_dim[2]){n, 4}, 2);
  }
  WEFT_TRY(crop_sizes(it, k, v, k->what == CROP_IMAGE ? 4 : 2, &known));
  WEFT_TRY(weft__unknown_dims(it, 0, 4));
  weft_dim channels = weft_shape_is_unknown_rank(first) ? -1 : first->dim[3];
  if (k->what == CROP_IMAGE) {
    for (int i = 0; i < 4 && known; i++)
      y->dim[i] = weft__elem_dim(v[i]);
    return weft__merge_dim(it, y->dim[3], channels, "channels of 'grads' and 'image_size'", &y->dim[3]);
  }
  y->dim[0] = n;
  y->dim[1] = known ? weft__elem_dim(v[0]) : -1;
  y->dim[2] = known ? weft__elem_dim(v[1]) : -1;
  y->dim[3] = channels;
  return WEFT_OK;
}
static weft_status crop_dtype(weft_infer *it) {
  const crop_op *k = it->desc->op->user;
  uint32_t slot = weft__slot_named(it->desc, k->what == CROP_IMAGE ? "T" : "dtype");
  if (slot != UINT32_MAX)
    it->out_dtype[0] = weft_node_dtype(it->desc, slot);
  else
    it->out_dtype[0] = k->what == CROP_BOXES ? WEFT_FLOAT : it->in_dtype[k->boxes];
  return WEFT_OK;
}
static weft_status crop_described(weft_infer *it) {
  WEFT_TRY(crop_dtype(it));
  return crop_infer(it);
}

// ---- places ----
typedef struct crop_tap {
  double place, part;
  size_t low, high;
  bool inside;
} crop_tap;
typedef struct crop_run {
  const weft_call *c;
  crop_what what;
  bool nearest;
  size_t images, h, w, channels, high, wide;
  const double *x, *g;  // the picture, gradients
  double *sums;         // of the picture or the boxes
  weft_tensor *y;
  double outside;
  size_t work;
} crop_run;

// In float, as TensorFlow has it: places between two elements, and on one, are where they are there.
static double crop_place(double from, double to, size_t i, size_t n, size_t in) {
  volatile float last = (float)in - 1;
  volatile float wide = (float)to - (float)from;
  volatile float step = wide * last;
  volatile float begin = (float)from * last;
  volatile float sum = (float)from + (float)to;
  if (n <= 1)
    return (double)(0.5f * sum * last);
  step = step / (float)(n - 1);
  step = (float)i * step;
  return (double)(begin + step);
}
static crop_tap crop_tap_of(double from, double to, size_t i, size_t n, size_t in, bool nearest) {
  crop_tap t = {.place = crop_place(from, to, i, n, in)};
  t.inside = in && t.place >= 0 && t.place <= (double)(in - 1);
  if (!t.inside)
    return t;
  t.low = (size_t)(nearest ? floor(t.place + 0.5) : floor(t.place));
  t.low = WEFT_MIN(t.low, in - 1);
  t.high = nearest ? t.low : (size_t)ceil(t.place);
  t.part = nearest ? 0 : t.place - (double)t.low;
  return t;
}

// One place of one region: four elements of the picture and their weights.
typedef struct crop_spot {
  size_t at[4];
  double weight[4];
  crop_tap y, x;
} crop_spot;
static crop_spot crop_spot_of(const crop_run *r, size_t image, crop_tap y, crop_tap x) {
  crop_spot s = {.y = y, .x = x};
  const size_t rows[2] = {y.low, y.high};
  const size_t columns[2] = {x.low, x.high};
  for (int i = 0; i < 4; i++) {
    s.at[i] = ((image * r->h + rows[i / 2]) * r->w + columns[i % 2]) * r->channels;
    s.weight[i] = (i / 2 ? y.part : 1 - y.part) * (i % 2 ? x.part : 1 - x.part);
  }
  return s;
}

// What moving the edges of a box does to a place, times the gradient there.
static void crop_edges(double g, size_t i, size_t n, size_t in, double *from, double *to) {
  double last = (double)in - 1;
  double share = n > 1 ? (double)i / (double)(n - 1) : 0.5;
  *from += g * last * (1 - share);
  *to += g * last * share;
}
static void crop_boxes_spot(crop_run *r, const crop_spot *s, size_t box, const size_t at[2], size_t out) {
  double *b = r->sums + 4 * box;
  for (size_t k = 0; k < r->channels; k++) {
    double v[4];
    for (int i = 0; i < 4; i++)
      v[i] = r->x[s->at[i] + k];
    double g = r->g[out + k];
    double down = (1 - s->x.part) * (v[2] - v[0]) + s->x.part * (v[3] - v[1]);
    double right = (1 - s->y.part) * (v[1] - v[0]) + s->y.part * (v[3] - v[2]);
    crop_edges(g * down, at[0], r->high, r->h, &b[0], &b[2]);
    crop_edges(g * right, at[1], r->wide, r->w, &b[1], &b[3]);
  }
}
static void crop_spot_done(crop_run *r, const crop_spot *s, size_t box, const size_t at[2], size_t out) {
  if (r->what == CROP_BOXES) {
    crop_boxes_spot(r, s, box, at, out);
    return;
  }
  for (size_t k = 0; k < r->channels; k++) {
    double sum = 0;
    for (int i = 0; i < 4; i++) {
      if (r->what == CROP_IMAGE)
        r->sums[s->at[i] + k] += s->weight[i] * r->g[out + k];
      else if (s->weight[i] != 0)
        sum += s->weight[i] * r->x[s->at[i] + k];
    }
    if (r->y)
      weft_store_f64(r->y->dtype, r->y->data, out + k, sum);
  }
}

static weft_status crop_box(crop_run *r, size_t n, const double box[4], size_t image) {
  // A crop without elements has as many rows as its shape claims.
  if (!r->channels || !r->wide)
    return WEFT_OK;
  for (size_t i = 0; i < r->high; i++) {
    crop_tap y = crop_tap_of(box[0], box[2], i, r->high, r->h, r->nearest);
    for (size_t j = 0; j < r->wide; j++) {
      crop_tap x = crop_tap_of(box[1], box[3], j, r->wide, r->w, r->nearest);
      size_t out = ((n * r->high + i) * r->wide + j) * r->channels;
      WEFT_TRY(weft__poll_work(r->c, &r->work, 4 * r->channels + 1));
      if (y.inside && x.inside) {
        crop_spot s = crop_spot_of(r, image, y, x);
        crop_spot_done(r, &s, n, (const size_t[2]){i, j}, out);
        continue;
      }
      for (size_t k = 0; k < r->channels && r->y; k++)
        weft_store_f64(r->y->dtype, r->y->data, out + k, r->outside);
    }
  }
  return WEFT_OK;
}

static weft_status crop_begin(const weft_call *c, const crop_op *k, crop_run *r) {
  const weft_shape *image =
      k->what == CROP_IMAGE ? &c->out[0]->layout.origin : &c->in[k->image]->layout.origin;
  bool forward = k->what == CROP || k->what == CROP_LISTED;
  const weft_shape *spots = forward ? &c->out[0]->layout.origin : &c->in[0]->layout.origin;
  double *v;
  *r = (crop_run){.c = c, .what = k->what, .images = (size_t)image->dim[0], .h = (size_t)image->dim[1]};
  r->w = (size_t)image->dim[2];
  r->channels = (size_t)image->dim[3];
  r->high = (size_t)spots->dim[1];
  r->wide = (size_t)spots->dim[2];
  r->nearest = !strcmp(weft__text_named(c->desc, "method"), "nearest");
  r->outside = weft__float_named(c->desc, "extrapolation_value");
  r->y = forward ? c->out[0] : NULL;
  if (k->what != CROP_IMAGE) {
    WEFT_TRY(weft__load_f64s(c, c->in[k->image], &v));
    r->x = v;
  }
  if (!forward) {
    void *space;
    size_t n = weft__elems(&c->out[0]->layout.origin);
    WEFT_TRY(weft__load_f64s(c, c->in[0], &v));
    r->g = v;
    WEFT_TRY(weft__scratch(c, n, &space));
    r->sums = space;
    memset(space, 0, n * sizeof(double));
  }
  return WEFT_OK;
}

static weft_status crop_ref(const weft_call *c) {
  const crop_op *k = c->desc->op->user;
  weft_tensor *y = c->out[0];
  crop_run r;
  if (!y || !weft__elems(&y->layout.origin))
    return WEFT_OK;
  const weft_tensor *boxes = c->in[k->boxes];
  const weft_tensor *index = c->in[k->index];
  WEFT_TRY(crop_begin(c, k, &r));
  if (k->what == CROP_BOXES && r.nearest)
    return weft_fail(c->d, WEFT_E_UNSUPPORTED, "attribute 'method': the nearest has no gradient for boxes");
  for (size_t i = 0, n = (size_t)boxes->layout.origin.dim[0]; i < n; i++) {
    int64_t image = weft_load_i64(index->dtype, index->data, i);
    double box[4];
    if (image < 0 || (size_t)image >= r.images)
      return weft_fail(c->d, WEFT_E_RANGE, "input 'box_index': element %zu is %lld, outside [0, %zu)", i,
                       (long long)image, r.images);
    for (size_t j = 0; j < 4; j++)
      box[j] = weft_load_f64(boxes->dtype, boxes->data, 4 * i + j);
    WEFT_TRY(crop_box(&r, i, box, (size_t)image));
  }
  for (size_t i = 0, n = weft__elems(&y->layout.origin); r.sums && i < n; i++) {
    WEFT_TRY(weft__poll_at(c, i));
    weft_store_f64(y->dtype, y->data, i, r.sums[i]);
  }
  return WEFT_OK;
}

#define CROPS(op_name, says, reads, what, ...)                                                      \
  {                                                                                                 \
    .name = op_name, .summary = says, .traits = WEFT_SYMBOLIC, .infer = crop_described,             \
    .infer_dtype = crop_dtype, .ref = crop_ref, .values = reads, .user = (&(const crop_op)what),    \
    .examples = WEFT_EXAMPLES(__VA_ARGS__)                                                          \
  }
#define IS(...) {__VA_ARGS__}

WEFT_ROWS(crops) = {
    CROPS("CropAndResize", "regions of pictures resampled to one size", "crop_size", IS(CROP, 0, 1, 2, 3),
          "f32[1,1,3,1]{1,2,4}, f32[1,4]{0,0,0,1}, i32[1]{0}, i32[2]{1,2} -> f32[1,1,2,1]{1,4}",
          "f32[1,1,3,1]{1,2,4}, f32[1,4]{0,0.5,0,1.5}, i32[1]{0}, i32[2]{1,2} extrapolation_value=7 -> "
          "f32[1,1,2,1]{2,7}",
          "f32[1,1,3,1]{1,2,4}, f32[1,4]{0,0,0,1}, i32[1]{1}, i32[2]{1,2} !! E_RANGE element 0 is 1",
          "f32[1,1,3,1], f32[1,4], i32[1], i32[2]{0,2} !! E_RANGE size 0"),
    CROPS("CropAndResizeV2", "regions of pictures resampled to one size", "crop_size", IS(CROP, 0, 1, 2, 3),
          "f32[1,1,3,1]{1,2,4}, f32[1,4]{0,0,0,1}, i32[1]{0}, i32[2]{1,2} -> f32[1,1,2,1]{1,4}"),
    CROPS("CropAndResizeD", "regions of pictures resampled to one size", NULL, IS(CROP_LISTED, 0, 1, 2, -1),
          "f32[1,1,3,1]{1,2,4}, f32[1,4]{0,0,0,1}, i32[1]{0} crop_size=[1,2] -> f32[1,1,2,1]{1,4}"),
    CROPS("CropAndResizeGradImage", "the gradient of regions with respect to the pictures", "image_size",
          IS(CROP_IMAGE, -1, 1, 2, 3),
          "f32[1,1,2,1]{1,4}, f32[1,4]{0,0,0,0.75}, i32[1]{0}, i32[4]{1,1,3,1} T=f32 -> f32[1,1,3,1]{1,2,2}"),
    CROPS("CropAndResizeGradBoxes", "the gradient of regions with respect to the boxes", NULL,
          IS(CROP_BOXES, 1, 2, 3, -1),
          "f32[1,1,2,1]{1,4}, f32[1,1,3,1]{1,2,4}, f32[1,4]{0,0.25,0,0.75}, i32[1]{0} -> f32[1,4]{0,2,0,16}"),
    {0},
};
// SPDX-License-Identifier: Apache-2.0
