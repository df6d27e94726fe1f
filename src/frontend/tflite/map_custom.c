// map_custom.c - custom operators that many models have: those that the interpreter brings itself (boxes of a
// detector that do not overlap, spectrograms of sounds), and MediaPipe's transposed convolution.
#include <math.h>

#include "frontend/tflite/tables.h"

// ---- options ----
static flex_value custom_option(tl_op *o, const char *name) {
  flex f;
  const flex_value map = tl_options(o, &f);
  return flex_named(&f, &map, name);
}

static int64_t custom_int(tl_op *o, const char *name, int64_t dflt) {
  const flex_value v = custom_option(o, name);
  return v.kind == FLEX_INT || v.kind == FLEX_BOOL ? v.i : dflt;
}
static double custom_float(tl_op *o, const char *name, double dflt) {
  const flex_value v = custom_option(o, name);
  return v.kind == FLEX_FLOAT ? (double)(float)v.f : v.kind == FLEX_INT ? (double)v.i : dflt;
}

// A count that the operator cannot do without.
static int64_t custom_count(tl_op *o, const char *name, int64_t dflt) {
  const int64_t n = custom_int(o, name, dflt);
  if (!o->b.failed && (n < 1 || n > 1 << 20))
    front_fail(&o->b, WEFT_E_RANGE, "option '%s': %lld, expected 1 to 2^20", name, (long long)n);
  return o->b.failed ? 1 : n;
}

// ---- TFLite_Detection_PostProcess ----
// Corners of boxes, [n, 4], from what a network says of anchors, each (y, x, height, width).
static weft_value *custom_corners(tl_op *o) {
  static const char *const scales[] = {"y_scale", "x_scale", "h_scale", "w_scale"};
  front_op *b = &o->b;
  weft_value *said = front_squeezed(b, tl_in(o, 0), 0);
  weft_value *anchors = tl_in(o, 2);
  weft_value *middle[2];
  weft_value *half[2];
  for (int i = 0; i < 2 && !b->failed; i++) {
    weft_value *side = front_part(b, anchors, 1, 2 + i, 3 + i);
    weft_value *by = front_num(b, WEFT_FLOAT, custom_float(o, scales[i], 1));
    weft_value *place = front_do(b, "RealDiv", front_part(b, said, 1, i, i + 1), by, NULL);
    place = front_do(b, "Mul", place, side, NULL);
    middle[i] = front_do(b, "Add", place, front_part(b, anchors, 1, i, i + 1), NULL);
    by = front_num(b, WEFT_FLOAT, custom_float(o, scales[2 + i], 1));
    weft_value *size = front_do(b, "RealDiv", front_part(b, said, 1, 2 + i, 3 + i), by, NULL);
    size = front_do(b, "Mul", front_do(b, "Exp", size, NULL, NULL), side, NULL);
    half[i] = front_do(b, "Mul", size, front_num(b, WEFT_FLOAT, 0.5), NULL);
  }
  weft_value *corners[4];
  for (int i = 0; i < 4 && !b->failed; i++)
    corners[i] = front_do(b, i < 2 ? "Sub" : "Add", middle[i & 1], half[i & 1], NULL);
  return b->failed ? NULL : front_joined(b, corners, 4, 1);
}

// Kept boxes of each class, rows of (0, class, box). Scores: [classes, n].
static weft_value *custom_kept(tl_op *o, weft_value *boxes, weft_value *scores, int64_t most) {
  front_op *b = &o->b;
  // the interpreter also takes a score that equals the bound
  const float least = nextafterf((float)custom_float(o, "nms_score_threshold", 0), -INFINITY);
  weft_value *in[5] = {front_unsqueezed(b, boxes, 0), front_unsqueezed(b, scores, 0), front_index(b, most),
                       front_num(b, WEFT_FLOAT, custom_float(o, "nms_iou_threshold", 0.5)),
                       front_num(b, WEFT_FLOAT, (double)least)};
  front_set(b, "dtype", weft_attr_dtype(WEFT_INT64));
  return b->failed ? NULL : front_emit(b, "NonMaxSuppressionV6", in, 5, NULL);
}

// [k, ..] made [1, n, ..], zeros behind.
static weft_value *custom_filled(front_op *b, weft_value *v, int64_t n) {
  const int64_t sizes[2] = {n, 4};
  weft_value *shape = front_list(b, sizes, (size_t)WEFT_MAX(front_rank_of(b, v), 1));
  weft_value *both[2] = {v, front_filled(b, shape, front_num(b, WEFT_FLOAT, 0))};
  return b->failed ? NULL : front_unsqueezed(b, front_part(b, front_joined(b, both, 2, 0), 0, 0, n), 0);
}

typedef struct custom_found {
  weft_value *boxes, *classes, *scores, *count;  // [k, 4], [k], [k], []
} custom_found;

static void custom_give(tl_op *o, const custom_found *found, int64_t n) {
  front_op *b = &o->b;
  tl_give(o, 0, custom_filled(b, found->boxes, n));
  tl_give(o, 1, custom_filled(b, front_as(b, found->classes, WEFT_FLOAT), n));
  tl_give(o, 2, custom_filled(b, found->scores, n));
  weft_value *count = front_reshaped(b, front_as(b, found->count, WEFT_FLOAT), (const int64_t[]){1}, 1);
  tl_give(o, 3, count);
}

static weft_value *custom_best(front_op *b, weft_value *v, int64_t n, weft_value **which) {
  weft_value *in[2] = {v, front_index(b, n)};
  front_set_int(b, "indices_dtype", WEFT_INT64);
  weft_value *y = b->failed ? NULL : front_emit(b, "TopKV2", in, 2, NULL);
  *which = y ? y + 1 : NULL;
  return y;
}

// Boxes by their best score, whatever its class; of each that is kept its best classes.
static void custom_any_class(tl_op *o, weft_value *boxes, weft_value *scores, int64_t classes) {
  front_op *b = &o->b;
  const int64_t n = custom_count(o, "max_detections", 0);
  const int64_t each = custom_count(o, "max_classes_per_detection", 1);
  const int64_t of_each = WEFT_MIN(each, classes);
  if (!b->failed && n * each > 1 << 20)
    front_fail(b, WEFT_E_RANGE, "%lld detections of %lld classes each, at most 2^20 are read", (long long)n,
               (long long)each);
  weft_value *best = front_reduced(b, "ReduceMax", scores, (const int64_t[]){1}, 1, false);
  weft_value *rows = custom_kept(o, boxes, front_unsqueezed(b, best, 0), n);
  weft_value *kept = front_picked(b, rows, 1, front_index(b, 2));
  weft_value *which;
  weft_value *values = custom_best(b, scores, of_each, &which);
  const int64_t all[1] = {-1};
  const int64_t corners[2] = {-1, 4};
  custom_found f = {.count = front_dim_index(b, kept, 0)};
  f.scores = front_reshaped(b, front_picked(b, values, 0, kept), all, 1);
  f.classes = front_reshaped(b, front_picked(b, which, 0, kept), all, 1);
  weft_value *box = front_unsqueezed(b, front_picked(b, boxes, 0, kept), 1);
  const int64_t times[3] = {1, of_each, 1};
  f.boxes = front_reshaped(b, front_do(b, "Tile", box, front_list(b, times, 3), NULL), corners, 2);
  custom_give(o, &f, n * each);
}

// Boxes of each class by themselves, the best of all classes.
static void custom_each_class(tl_op *o, weft_value *boxes, weft_value *scores) {
  front_op *b = &o->b;
  const int64_t n = custom_count(o, "max_detections", 0);
  const int64_t each = custom_count(o, "detections_per_class", 100);
  weft_value *rows = custom_kept(o, boxes, front_swapped(b, scores, 0, 1), each);
  weft_value *place[2] = {front_part(b, rows, 1, 2, 3), front_part(b, rows, 1, 1, 2)};  // box, class
  weft_value *at = b->failed ? NULL : front_joined(b, place, 2, 1);
  // places that stand for none, behind all others
  weft_value *none = front_filled(b, front_list(b, &n, 1), front_num(b, WEFT_FLOAT, -INFINITY));
  weft_value *all[2] = {front_do(b, "GatherNd", scores, at, NULL), none};
  weft_value *order;
  custom_found f = {.count = front_do(b, "Minimum", front_dim_index(b, rows, 0), front_index(b, n), NULL)};
  weft_value *best = custom_best(b, b->failed ? NULL : front_joined(b, all, 2, 0), n, &order);
  weft_value *until[2] = {front_list(b, (const int64_t[]){0}, 1),
                          front_reshaped(b, f.count, (const int64_t[]){1}, 1)};
  order = front_sliced(b, order, 0, until[0], until[1], NULL);
  f.scores = front_sliced(b, best, 0, until[0], until[1], NULL);
  rows = front_picked(b, rows, 0, order);
  f.classes = front_picked(b, rows, 1, front_index(b, 1));
  f.boxes = front_picked(b, boxes, 0, front_picked(b, rows, 1, front_index(b, 2)));
  custom_give(o, &f, n);
}

static void custom_detections(tl_op *o) {
  front_op *b = &o->b;
  weft_value *boxes = custom_corners(o);
  weft_value *scores = front_squeezed(b, tl_in(o, 1), 0);
  const int64_t classes = custom_count(o, "num_classes", 0);
  const weft_dim columns = front_dim(scores, 1);
  if (!b->failed && columns != classes && columns != classes + 1)
    front_fail(b, WEFT_E_SHAPE,
               "%lld scores of each box, expected one of each of %lld classes, and one of none",
               front_shown(columns), (long long)classes);
  scores = front_part(b, scores, 1, columns - classes, columns);  // one of no class stands first
  if (custom_int(o, "use_regular_nms", 0))
    custom_each_class(o, boxes, scores);
  else
    custom_any_class(o, boxes, scores, classes);
}

// ---- sounds ----
static void custom_spectrogram(tl_op *o) {
  front_op *b = &o->b;
  weft_value *x = tl_in(o, 0);
  front_set_int(b, "window_size", custom_count(o, "window_size", 0));
  front_set_int(b, "stride", custom_count(o, "stride", 0));
  front_set_bool(b, "magnitude_squared", custom_int(o, "magnitude_squared", 0) != 0);
  tl_give(o, 0, front_do(b, "AudioSpectrogram", x, NULL, NULL));
}

static void custom_mfcc(tl_op *o) {
  front_op *b = &o->b;
  weft_value *x = tl_in(o, 0);
  weft_value *rate = front_reshaped(b, tl_raw(o, 1), (const int64_t[]){1}, 0);  // rank 0, of one element
  front_set_float(b, "upper_frequency_limit", custom_float(o, "upper_frequency_limit", 4000));
  front_set_float(b, "lower_frequency_limit", custom_float(o, "lower_frequency_limit", 20));
  front_set_int(b, "filterbank_channel_count", custom_count(o, "filterbank_channel_count", 40));
  front_set_int(b, "dct_coefficient_count", custom_count(o, "dct_coefficient_count", 13));
  tl_give(o, 0, front_do(b, "Mfcc", x, rate, NULL));
}

// ---- Convolution2DTransposeBias ----
// Its options are three numbers in a row: padding, 1 for SAME, and two strides, along the width first.
static void custom_conv_transposed(tl_op *o) {
  const flat_list *bytes = &o->op->custom_options;
  int32_t said[3];
  if (bytes->n < sizeof said) {
    front_fail(&o->b, WEFT_E_UNSUPPORTED, "its options have %zu bytes, expected 12", bytes->n);
    return;
  }
  for (size_t i = 0; i < 3; i++) {
    const uint8_t *at = o->m->file.data + bytes->at + 4 * i;
    said[i] =
        (int32_t)((uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24);
  }
  const tl_turned turned = {.x = 0, .bias = 2, .same = said[0] == 1, .strides = {said[2], said[1]}};
  if (said[0] != 1 && said[0] != 2)
    front_fail(&o->b, WEFT_E_RANGE, "padding %d, expected 1 or 2", (int)said[0]);
  else
    tl_conv_transposed(o, &turned);
}

const tl_row *tl_own_custom(const char *type) {
  static const struct {
    const char *type;
    tl_row row;
  } rows[] = {{"TFLite_Detection_PostProcess", {TL_CUSTOM, NULL, NULL, TL_COMPUTE, 0, custom_detections}},
              {"Convolution2DTransposeBias", {TL_CUSTOM, NULL, NULL, TL_COMPUTE, 0, custom_conv_transposed}},
              {"AudioSpectrogram", {TL_CUSTOM, NULL, NULL, TL_COMPUTE, 0, custom_spectrogram}},
              {"Mfcc", {TL_CUSTOM, NULL, NULL, TL_COMPUTE, 0, custom_mfcc}}};
  for (size_t i = 0; i < WEFT_COUNT(rows); i++) {
    if (!strcmp(rows[i].type, type))
      return &rows[i].row;
  }
  return NULL;
}
// SPDX-License-Identifier: Apache-2.0
