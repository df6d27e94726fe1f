// map_image.c - boxes of pictures, and dilation.
#include <math.h>

#include "frontend/tf/tables.h"

// ---- CropAndResize ----
// Column k of boxes, [n, 1].
static weft_value *image_side(front_op *b, weft_value *boxes, int64_t k) {
  return front_part(b, boxes, 1, k, k + 1);
}

// Where `size` samples between two sides lie, in parts of the picture: [n, size].
static weft_value *image_samples(front_op *b, weft_value *from, weft_value *to, int64_t size) {
  if (size == 1) {
    weft_value *sum = front_do(b, "Add", from, to, NULL);
    return front_do(b, "Mul", sum, front_num(b, WEFT_FLOAT, 0.5), NULL);
  }
  weft_value *steps = front_as(b, front_counting(b, front_index(b, size)), WEFT_FLOAT);
  weft_value *part = front_do(b, "RealDiv", steps, front_num(b, WEFT_FLOAT, (double)size - 1), NULL);
  weft_value *reach = front_do(b, "Sub", to, from, NULL);
  weft_value *row = front_unsqueezed(b, part, 0);
  return front_do(b, "Add", from, front_do(b, "Mul", reach, row, NULL), NULL);
}

// Which samples lie inside the picture.
static weft_value *image_inside(front_op *b, weft_value *at) {
  weft_value *after = front_do(b, "GreaterEqual", at, front_num(b, WEFT_FLOAT, 0), NULL);
  return front_do(b, "LogicalAnd", after, front_do(b, "LessEqual", at, front_num(b, WEFT_FLOAT, 1), NULL),
                  NULL);
}

// As GridSample counts: -1 is the first element, 1 the last.
static weft_value *image_grid(front_op *b, weft_value *at, weft_value *shape) {
  weft_value *twice = front_do(b, "Mul", at, front_num(b, WEFT_FLOAT, 2), NULL);
  weft_value *v = front_do(b, "Sub", twice, front_num(b, WEFT_FLOAT, 1), NULL);
  return front_unsqueezed(b, front_expanded(b, v, shape), 3);
}

static weft_value *image_crop(front_op *b, weft_value *x, weft_value *boxes, weft_value *which,
                              const int64_t size[2], double outside) {
  static const int64_t to_first[] = {0, 3, 1, 2};
  static const int64_t to_last[] = {0, 2, 3, 1};
  weft_value *ys = image_samples(b, image_side(b, boxes, 0), image_side(b, boxes, 2), size[0]);
  weft_value *xs = image_samples(b, image_side(b, boxes, 1), image_side(b, boxes, 3), size[1]);
  ys = front_unsqueezed(b, ys, 2);
  xs = front_unsqueezed(b, xs, 1);
  weft_value *sizes[2] = {front_dim_list(b, boxes, 0), front_list(b, size, 2)};
  weft_value *shape = b->failed ? NULL : front_joined(b, sizes, 2, 0);
  weft_value *pair[2] = {image_grid(b, xs, shape), image_grid(b, ys, shape)};
  weft_value *grid = b->failed ? NULL : front_joined(b, pair, 2, 3);
  weft_value *in = front_permuted(b, front_picked(b, x, 0, which), to_first, 4);
  front_set_text(b, "interpolation_mode", "bilinear");
  front_set_text(b, "padding_mode", "border");
  front_set_bool(b, "align_corners", true);
  weft_value *y = front_permuted(b, front_do(b, "GridSample", in, grid, NULL), to_last, 4);
  weft_value *inside = front_do(b, "LogicalAnd", image_inside(b, ys), image_inside(b, xs), NULL);
  return front_where(b, front_unsqueezed(b, inside, 3), y, front_num(b, WEFT_FLOAT, outside));
}

static void image_crop_and_resize(tf_op *o) {
  front_op *b = &o->b;
  int64_t size[TF_MAX_NUMBERS];
  weft_value *x = front_as(b, tf_in(o, 0), WEFT_FLOAT);
  size_t n = tf_known(o, 3, size);
  if (!b->failed && !tf_is(o, "method", "bilinear", "bilinear"))
    front_fail(b, WEFT_E_UNSUPPORTED, "method '%.20s', only bilinear is read", tf_string(o, "method", ""));
  if (!b->failed && (n != 2 || size[0] < 1 || size[1] < 1))
    front_fail(b, WEFT_E_RANGE, "crop_size is not two positive numbers");
  if (!b->failed)
    tf_give(o, 0, image_crop(b, x, tf_in(o, 1), tf_in(o, 2), size, tf_float(o, "extrapolation_value", 0)));
}

// ---- NonMaxSuppression ----
// Which boxes are kept, best first: INT32 [k].
static weft_value *image_kept(tf_op *o, weft_value *iou, weft_value *score) {
  front_op *b = &o->b;
  weft_value *scores = tf_in(o, 1);
  weft_value *in[5] = {front_unsqueezed(b, tf_in(o, 0), 0),
                       front_unsqueezed(b, front_unsqueezed(b, scores, 0), 0), tf_in(o, 2),
                       front_as(b, iou, WEFT_FLOAT), front_as(b, score, WEFT_FLOAT)};
  front_set(b, "dtype", weft_attr_dtype(WEFT_INT32));
  weft_value *rows = b->failed ? NULL : front_emit(b, "NonMaxSuppressionV6", in, score ? 5 : 4, NULL);
  return front_picked(b, rows, 1, front_index(b, 2));
}

static void image_nms(tf_op *o) {
  weft_value *iou =
      o->n_in > 3 ? tf_in(o, 3) : front_num(&o->b, WEFT_FLOAT, tf_float(o, "iou_threshold", 0.5));
  tf_give(o, 0, image_kept(o, iou, o->n_in > 4 ? tf_in(o, 4) : NULL));
}

// With as many results as may be, zeros behind the last, and how many count.
static weft_value *image_padded(front_op *b, weft_value *v, weft_value *most) {
  weft_value *all = front_as(b, front_reshaped(b, most, (const int64_t[]){1}, 1), WEFT_INT64);
  weft_value *more = front_do(b, "Sub", all, front_dim_list(b, v, 0), NULL);
  weft_value *pads[2] = {front_list(b, (const int64_t[]){0}, 1), more};
  weft_value *flat = b->failed ? NULL : front_joined(b, pads, 2, 0);
  return front_do(b, "Pad", v, front_reshaped(b, flat, (const int64_t[]){1, 2}, 2), NULL);
}

// Boxes that overlap lose of their scores.
static void image_nms_soft(tf_op *o, bool pad) {
  weft_value *in[6];
  for (size_t i = 0; i < 6; i++)
    in[i] = tf_in(o, i);
  front_set_bool(&o->b, "pad_to_max_output_size", pad);
  front_set(&o->b, "T", weft_attr_dtype(in[0] ? in[0]->fact.dtype : WEFT_FLOAT));
  tf_give_all(o, o->b.failed ? NULL : front_emit(&o->b, "NonMaxSuppressionV5", in, 6, NULL), 3);
}

static void image_nms_more(tf_op *o, bool scores) {
  front_op *b = &o->b;
  bool pad = tf_bool(o, "pad_to_max_output_size", false);
  double sigma = 0;
  weft_value *soft = scores && o->n_in > 5 ? tf_in(o, 5) : NULL;
  if (soft && (!front_known_number(soft, &sigma) || sigma != 0)) {
    image_nms_soft(o, pad);
    return;
  }
  weft_value *kept = image_kept(o, tf_in(o, 3), tf_in(o, 4));
  weft_value *best = scores ? front_picked(b, tf_in(o, 1), 0, kept) : NULL;
  weft_value *n = front_as(b, front_dim_index(b, kept, 0), WEFT_INT32);
  tf_give(o, 0, pad ? image_padded(b, kept, tf_in(o, 2)) : kept);
  if (scores)
    tf_give(o, 1, pad ? image_padded(b, best, tf_in(o, 2)) : best);
  tf_give(o, scores ? 2 : 1, n);
}
static void image_nms_v4(tf_op *o) {
  image_nms_more(o, false);
}
static void image_nms_v5(tf_op *o) {
  image_nms_more(o, true);
}

// ---- Dilation2D ----
typedef struct image_window {
  int64_t stride[2], rate[2], size[2], out[2], pads[8];
} image_window;

static void image_window_of(tf_op *o, weft_value *x, weft_value *w, image_window *to) {
  int64_t strides[TF_MAX_NUMBERS] = {1, 1, 1, 1};
  int64_t rates[TF_MAX_NUMBERS] = {1, 1, 1, 1};
  bool same = tf_is(o, "padding", "VALID", "SAME");
  tf_ints(o, "strides", strides);
  tf_ints(o, "rates", rates);
  for (int i = 0; i < 2 && !o->b.failed; i++) {
    const int64_t in = front_dim_bounded(&o->b, x, i + 1);
    to->stride[i] = front_bounded(&o->b, strides[i + 1]);
    to->rate[i] = front_bounded(&o->b, rates[i + 1]);
    to->size[i] = front_dim(w, i);
    if (o->b.failed)
      return;
    if (in < 0 || to->size[i] < 0 || to->stride[i] < 1 || to->rate[i] < 1 || to->size[i] > 64) {
      front_fail(&o->b, WEFT_E_UNKNOWN,
                 "sizes of picture and filter must be known, and the filter's at most 64");
      return;
    }
    int64_t reach = (to->size[i] - 1) * to->rate[i] + 1;
    to->out[i] = same ? (in + to->stride[i] - 1) / to->stride[i] : (in - reach) / to->stride[i] + 1;
    int64_t more = WEFT_MAX((to->out[i] - 1) * to->stride[i] + reach - in, 0);
    to->pads[2 * (i + 1)] = more / 2;
    to->pads[2 * (i + 1) + 1] = more - more / 2;
    if (in < reach && !same)
      front_fail(&o->b, WEFT_E_SHAPE, "the filter is larger than the picture");
  }
}

static weft_value *image_under(front_op *b, weft_value *x, const image_window *win, const int64_t at[2]) {
  for (int i = 0; i < 2; i++) {
    int64_t from = at[i] * win->rate[i];
    int64_t to = from + (win->out[i] - 1) * win->stride[i] + 1;
    weft_value *ends[2] = {front_list(b, &from, 1), front_list(b, &to, 1)};
    x = front_sliced(b, x, i + 1, ends[0], ends[1], front_list(b, &win->stride[i], 1));
  }
  return x;
}

// The largest of x plus filter under the window, each channel for itself.
static void image_dilation(tf_op *o) {
  front_op *b = &o->b;
  image_window win = {.pads = {0}};
  weft_value *x = tf_in(o, 0);
  weft_value *w = tf_in(o, 1);
  weft_value *y = NULL;
  image_window_of(o, x, w, &win);
  if (!b->failed && !(WEFT_BIT(x->fact.dtype) & WEFT_FLOATS))
    front_fail(b, WEFT_E_UNSUPPORTED, "dilation of integers");
  if (b->failed)
    return;
  weft_value *pads = front_reshaped(b, front_list(b, win.pads, 8), (const int64_t[]){4, 2}, 2);
  weft_value *least = front_num(b, x->fact.dtype, -INFINITY);
  x = front_do(b, "PadV3", x, pads, least);
  for (int64_t i = 0; i < win.size[0] * win.size[1]; i++) {
    const int64_t at[2] = {i / win.size[1], i % win.size[1]};
    weft_value *row = front_picked(b, w, 0, front_index(b, at[0]));
    weft_value *add = front_picked(b, row, 0, front_index(b, at[1]));
    weft_value *one = front_do(b, "Add", image_under(b, x, &win, at), add, NULL);
    y = y ? front_do(b, "Maximum", y, one, NULL) : one;
  }
  if (!b->failed && !y)
    front_fail(b, WEFT_E_SHAPE, "the filter is empty");
  tf_give(o, 0, y);
}

static const tf_row image_rows[] = {
    {"CropAndResize", NULL, NULL, image_crop_and_resize}, {"Dilation2D", NULL, NULL, image_dilation},
    {"NonMaxSuppression", NULL, NULL, image_nms},         {"NonMaxSuppressionV2", NULL, NULL, image_nms},
    {"NonMaxSuppressionV3", NULL, NULL, image_nms},       {"NonMaxSuppressionV4", NULL, NULL, image_nms_v4},
    {"NonMaxSuppressionV5", NULL, NULL, image_nms_v5},
};
const tf_rows tf_image = TF_ROWS(image_rows);
// SPDX-License-Identifier: Apache-2.0
