// ops/image/non_max_suppression_v6.c - boxes by falling score, without those that overlap a better one.
// AscendIR NonMaxSuppressionV6, ONNX NonMaxSuppression-11. boxes [N, B, 4] as two corners y, x
// (center_point_box 1: centre x, y, width, height), scores [N, C, B]; y has rows of image, class, box. A box
// is left out when its overlap with a chosen one, intersection over union, is above iou_threshold; empty
// boxes overlap nothing. Of each class at most max_output_size boxes (absent: none), with a score above
// score_threshold; equal scores keep their order, NaN scores are left out. max_boxes_size > 0 limits the
// rows. dtype is ext. The number of rows is found at run time.
#include "lists.h"

#include "arrays.h"
#include "sort.h"

enum { CENTER, MAX_ROWS, DTYPE };
enum { BOXES, SCORES, MOST, IOU, SCORE };

static weft_status non_max_suppression_v6_infer(weft_infer *it) {
  const weft_shape *b = it->in[BOXES];
  const weft_shape *s = it->in[SCORES];
  weft_dim ignored;
  int64_t n;
  WEFT_TRY(weft__expect_rank(it, BOXES, 3, 3));
  WEFT_TRY(weft__expect_rank(it, SCORES, 3, 3));
  if (!weft_shape_is_unknown_rank(b))
    WEFT_TRY(weft__merge_dim(it, 4, b->dim[2], "axis 2 of input 'boxes'", &ignored));
  if (!weft_shape_is_unknown_rank(b) && !weft_shape_is_unknown_rank(s)) {
    WEFT_TRY(weft__merge_dim(it, b->dim[0], s->dim[0], "axis 0 of 'boxes' and 'scores'", &ignored));
    WEFT_TRY(weft__merge_dim(it, b->dim[1], s->dim[2], "boxes of 'boxes' and 'scores'", &ignored));
  }
  for (uint32_t i = MOST; i < it->n_in; i++) {
    if (weft_shape_is_known(it->in[i]) && (weft_shape_elems(it->in[i], &n) || n != 1))
      return weft_fail(it->d, WEFT_E_SHAPE, "input '%s': expected one element", weft__in_name(it->desc, i));
  }
  return weft_set_out_shape(it, 0, (weft_dim[2]){-1, 3}, 2);
}

static weft_status non_max_suppression_v6_infer_range(weft_infer *it) {
  const weft_shape *s = it->in_max[SCORES];
  int64_t rows = 1;
  int64_t limit = weft_node_int(it->desc, MAX_ROWS);
  for (size_t k = 0; k < 3 && rows >= 0; k++) {
    if (weft_shape_is_unknown_rank(s) || s->dim[k] < 0 || !weft__mul_i64(rows, s->dim[k], &rows))
      rows = -1;
  }
  if (limit > 0 && (rows < 0 || rows > limit))
    rows = limit;
  it->out_min[0]->rank = it->out_max[0]->rank = 2;
  it->out_min[0]->dim[0] = 0;
  it->out_max[0]->dim[0] = rows;
  it->out_min[0]->dim[1] = it->out_max[0]->dim[1] = 3;
  return WEFT_OK;
}

typedef struct box {
  double top, left, bottom, right, area;
} box;

static box box_at(const double *v, bool center) {
  box b = center ? (box){v[1] - v[3] / 2, v[0] - v[2] / 2, v[1] + v[3] / 2, v[0] + v[2] / 2, 0}
                 : (box){fmin(v[0], v[2]), fmin(v[1], v[3]), fmax(v[0], v[2]), fmax(v[1], v[3]), 0};
  b.area = (b.bottom - b.top) * (b.right - b.left);
  return b;
}

static bool overlap(const box *a, const box *b, double threshold) {
  double high = WEFT_MIN(a->bottom, b->bottom) - WEFT_MAX(a->top, b->top);
  if (!(high > 0))  // most boxes of a picture lie above or below each other
    return false;
  double wide = WEFT_MIN(a->right, b->right) - WEFT_MAX(a->left, b->left);
  if (!(wide > 0 && a->area > 0 && b->area > 0))
    return false;
  return high * wide / (a->area + b->area - high * wide) > threshold;
}

typedef struct search {
  const double *boxes, *scores;
  bool center;
  size_t n_boxes, classes, *order, *spare;
  box *kept;  // of the class
  uint64_t *key;
  double iou, score;
  bool scored;
  size_t most, limit, found;
  int64_t *rows;  // 3 each
} search;

// Chosen boxes of one class of one image are appended to s->rows. Few boxes are looked at where few may be
// chosen, so that a box is made of its numbers then.
static weft_status suppress(const weft_call *c, search *s, size_t image, size_t class) {
  const double *scores = s->scores + (image * s->classes + class) * s->n_boxes;
  size_t n = 0;
  size_t kept = 0;
  size_t work = 0;
  for (size_t i = 0; i < s->n_boxes; i++) {
    if (s->scored ? scores[i] > s->score : !isnan(scores[i])) {
      s->key[i] = ~weft__key_f64(scores[i]);
      s->order[n++] = i;
    }
  }
  size_t *order;
  WEFT_TRY(weft__sort_by_key(c, s->key, s->order, s->spare, n, &order));
  for (size_t i = 0; i < n && kept < s->most && s->found < s->limit; i++) {
    const box a = box_at(s->boxes + 4 * (image * s->n_boxes + order[i]), s->center);
    WEFT_TRY(weft__poll_work(c, &work, kept + 4));
    bool keep = true;
    for (size_t k = 0; k < kept && keep; k++)
      keep = !overlap(&a, &s->kept[k], s->iou);
    if (!keep)
      continue;
    int64_t *row = s->rows + 3 * s->found++;
    row[0] = (int64_t)image;
    row[1] = (int64_t) class;
    row[2] = (int64_t)order[i];
    s->kept[kept++] = a;
  }
  return WEFT_OK;
}

static double non_max_suppression_v6_scalar(const weft_call *c, uint32_t port, double absent, bool *given) {
  uint32_t in;
  *given = weft__has_in(c->desc, port, &in) && weft__elems(&c->in[in]->layout.origin);
  return *given ? weft_load_f64(c->in[in]->dtype, c->in[in]->data, 0) : absent;
}

static weft_status non_max_suppression_v6_execute(const weft_call *c) {
  const weft_shape *shape = &c->in[SCORES]->layout.origin;
  weft_dtype t = weft_node_dtype(c->desc, DTYPE);
  search s = {.n_boxes = (size_t)shape->dim[2], .classes = (size_t)shape->dim[1]};
  double *boxes, *scores, most;
  void *space;
  bool given;
  if (!c->out[0])
    return WEFT_OK;
  WEFT_TRY(weft__load_f64s(c, c->in[BOXES], &boxes));
  WEFT_TRY(weft__load_f64s(c, c->in[SCORES], &scores));
  s.boxes = boxes;
  s.scores = scores;
  s.center = weft_node_int(c->desc, CENTER) != 0;
  most = non_max_suppression_v6_scalar(c, MOST, 0, &given);
  s.most = most > 0 ? most < (double)s.n_boxes ? (size_t)most : s.n_boxes : 0;
  s.iou = non_max_suppression_v6_scalar(c, IOU, 0, &given);
  s.score = non_max_suppression_v6_scalar(c, SCORE, 0, &s.scored);
  // scores has that many times n_boxes elements
  size_t rows = (size_t)shape->dim[0] * s.classes;
  size_t words;
  if (rows && s.n_boxes)
    rows *= s.most;
  else
    rows = s.most = s.n_boxes = 0;  // and no room for as many as the shape claims
  s.limit = weft_node_int(c->desc, MAX_ROWS) ? (size_t)weft_node_int(c->desc, MAX_ROWS) : SIZE_MAX;
  rows = WEFT_MIN(rows, s.limit);
  if (!weft_mul_size(rows, 3, &words))
    return weft_fail(c->d, WEFT_E_OVERFLOW, "%zu rows", rows);
  WEFT_TRY(weft__scratch(c, words, &space));
  s.rows = space;
  if (!weft_mul_size(s.n_boxes, 3, &words))
    return weft_fail(c->d, WEFT_E_OVERFLOW, "%zu boxes", s.n_boxes);
  WEFT_TRY(weft__scratch(c, words, &space));
  s.order = space;
  s.spare = s.order + s.n_boxes;
  s.key = (uint64_t *)(s.spare + s.n_boxes);
  if (!weft_mul_size(s.most, sizeof(box) / 8, &words))
    return weft_fail(c->d, WEFT_E_OVERFLOW, "%zu boxes", s.n_boxes);
  WEFT_TRY(weft__scratch(c, words, &space));
  s.kept = space;
  for (size_t i = 0; rows && i < (size_t)shape->dim[0]; i++) {
    for (size_t k = 0; k < s.classes; k++) {
      WEFT_TRY(weft__call_poll(c));
      WEFT_TRY(suppress(c, &s, i, k));
    }
  }
  weft_shape bound = {.rank = 2, .dim = {(weft_dim)rows, 3}};
  weft_shape found = {.rank = 2, .dim = {(weft_dim)s.found, 3}};
  WEFT_TRY(weft__alloc_found(c, 0, t, &bound, &found));
  for (size_t i = 0; i < 3 * s.found; i++)
    weft_store_i64(t, c->out[0]->data, i, s.rows[i]);
  return WEFT_OK;
}

WEFT_OP(non_max_suppression_v6) = {
    WEFT_OP_HEAD,
    .name = "NonMaxSuppressionV6",
    .summary = "the best boxes that do not overlap",
    .in = PORTS({"boxes", "T"}, {"scores", "T"},
                {"max_output_size", NULL, WEFT_SET_INDEX, .kind = WEFT_OPTIONAL},
                {"iou_threshold", NULL, WEFT_DT(FLOAT), .kind = WEFT_OPTIONAL},
                {"score_threshold", NULL, WEFT_DT(FLOAT), .kind = WEFT_OPTIONAL}),
    .out = PORTS({"selected_indices", "U"}),
    .types = TYPES({"T", WEFT_FLOATS}, {"U", WEFT_SET_INDEX, .from_attr = "dtype"}),
    .attrs = ATTRS({"center_point_box", "Int", "0", "min 0;max 1"}, {"max_boxes_size", "Int", "0", "min 0"},
                   {"dtype", "Type", "DT_INT32", .ext = 1}),
    .traits = WEFT_SYMBOLIC | WEFT_DATA_DEPENDENT,
    .infer = non_max_suppression_v6_infer,
    .infer_range = non_max_suppression_v6_infer_range,
    .execute = non_max_suppression_v6_execute,
    .examples = WEFT_EXAMPLES(
        "f32[1,3,4]{0,0,1,1,0,0,1,1,0,2,1,3}, f32[1,1,3]{0.5,0.9,0.7}, i32[]{3}, f32[]{0.5}"
        " -> i32[2,3]{0,0,1,0,0,2}",
        "f32[1,3,4]{0,0,1,1,1,1,0,0,0,2,1,3}, f32[1,1,3]{0.5,0.5,0.7}, i64[1]{5}, f32[1]{0.5}, f32[]{0.6} "
        "dtype=i64"
        " -> i64[1,3]{0,0,2}",
        "f32[1,2,4]{0.5,0.5,1,1,0.5,0.75,1,1}, f32[1,2,2]{0.1,0.2,0.3,nan}, i32[]{2}, f32[]{0.5} "
        "center_point_box=1"
        " -> i32[2,3]{0,0,1,0,1,0}",
        "f32[1,2,4]{0,0,1,1,0,2,1,3}, f32[1,1,2]{0.1,0.2} -> i32[0,3]",
        "f32[1,2,4]{0,0,1,1,0,2,1,3}, f32[1,1,2]{0.1,0.2}, i32[]{9} max_boxes_size=1 -> i32[1,3]{0,0,1}",
        "f16[0,5,4], f16[0,3,5], i32[]{9} -> i32[0,3]", "f32[-1,N,4], f32[2,-1,N] -> i32[-1,3]",
        "f32[?], f32[?] -> i32[-1,3]", "f32[1,2,3], f32[1,1,2] !! E_SHAPE 4 and 3 differ",
        "f32[1,2,4], f32[1,1,3] !! E_SHAPE 2 and 3 differ",
        "f32[1,2,4], f32[1,1,2], i32[2] !! E_SHAPE input 'max_output_size'",
        "f32[1,2,4], f32[1,1,2] center_point_box=2 !! E_RANGE center_point_box"),
};
// SPDX-License-Identifier: Apache-2.0
