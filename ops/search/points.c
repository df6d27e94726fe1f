// ops/search/points.c - points in space near others, and what is worked out from them.   AscendIR BallQuery,
// StackBallQuery, StackGroupPoints, ThreeInterpolate, ThreeInterpolateBackward, as mmcv and OpenPCDet have
// them. A ball query gives the first sample_num points of xyz at a distance in [min_radius, max_radius) of
// each centre, or at none, in the order of xyz; places that are left repeat the first, and are 0 where there
// is none. Stacked: the points of all batches follow each other, counts say how many each has, and indices
// are those within the batch; a centre without points has -1 first.
#include "named.h"
#include "numeric.h"
#include "op/air_rows.h"

// ---- BallQuery, StackBallQuery ----
enum { XYZ, CENTRES, XYZ_COUNTS, CENTRE_COUNTS };

static bool points_stacked(const weft_op_desc *n) {
  return n->n_in > XYZ_COUNTS;
}

static weft_status points_expect(const weft_infer *it, uint32_t in, size_t rank, weft_dim last) {
  weft_dim same;
  WEFT_TRY(weft__expect_rank(it, in, rank, rank));
  if (last < 0 || weft_shape_is_unknown_rank(it->in[in]))
    return WEFT_OK;
  return weft__merge_dim(it, last, it->in[in]->dim[rank - 1], "coordinates of a point", &same);
}

static weft_status ball_infer(weft_infer *it) {
  const bool stacked = points_stacked(it->desc);
  const size_t rank = stacked ? 2 : 3;
  const int64_t samples = weft__int_named(it->desc, "sample_num");
  const weft_shape *centres = it->in[CENTRES];
  weft_dim batches = -1;
  for (uint32_t i = XYZ; i <= CENTRES; i++)
    WEFT_TRY(points_expect(it, i, rank, 3));
  for (uint32_t i = XYZ_COUNTS; stacked && i <= CENTRE_COUNTS; i++)
    WEFT_TRY(weft__expect_rank(it, i, 1, 1));
  if (samples < 1 || samples > INT32_MAX) {
    return weft_fail(it->d, WEFT_E_RANGE, "attribute 'sample_num' is %lld, expected 1 or more",
                     (long long)samples);
  }
  if (weft_shape_is_unknown_rank(centres))
    return weft__unknown_dims(it, 0, rank);
  if (stacked)
    return weft_set_out_shape(it, 0, (weft_dim[2]){centres->dim[0], samples}, 2);
  batches = centres->dim[0];
  if (!weft_shape_is_unknown_rank(it->in[XYZ]))
    WEFT_TRY(weft__merge_dim(it, it->in[XYZ]->dim[0], batches, "batches of points and centres", &batches));
  return weft_set_out_shape(it, 0, (weft_dim[3]){batches, centres->dim[1], samples}, 3);
}

// The points [from, to) of a batch against one centre.
typedef struct ball {
  size_t from, to, samples;
  double least, most;  // squares of distances
} ball;

static weft_status ball_query(const weft_call *c, const ball *b, size_t centre, size_t *work) {
  const weft_tensor *xyz = c->in[XYZ];
  int32_t *y = (int32_t *)c->out[0]->data + centre * b->samples;
  double at[3];
  size_t n = 0;
  for (size_t k = 0; k < 3; k++)
    at[k] = weft_load_f64(xyz->dtype, c->in[CENTRES]->data, 3 * centre + k);
  memset(y, 0, b->samples * sizeof *y);
  for (size_t i = b->from; i < b->to && n < b->samples; i++) {
    double square = 0;
    WEFT_TRY(weft__poll_work(c, work, 4));
    for (size_t k = 0; k < 3; k++) {
      const double apart = weft_load_f64(xyz->dtype, xyz->data, 3 * i + k) - at[k];
      square += apart * apart;
    }
    if (!(square == 0 || (square >= b->least && square < b->most)))
      continue;
    for (size_t k = n; k < (n ? n + 1 : b->samples); k++)
      y[k] = (int32_t)(i - b->from);
    n++;
  }
  if (!n && points_stacked(c->desc))
    y[0] = -1;
  return weft__poll_work(c, work, b->samples);
}

// How many points, or centres, batch `i` has: of those that are left.
static weft_status points_count(const weft_call *c, uint32_t in, size_t i, size_t left, size_t *out) {
  const weft_tensor *t = c->in[in];
  const int64_t n = weft_load_i64(t->dtype, t->data, i);
  if (n < 0 || (uint64_t)n > left) {
    return weft_fail(c->d, WEFT_E_RANGE, "input '%s': element %zu is %lld, and %zu are left",
                     weft__in_name(c->desc, in), i, (long long)n, left);
  }
  *out = (size_t)n;
  return WEFT_OK;
}

static weft_status points_all_counted(const weft_call *c, uint32_t in, size_t have, size_t counted) {
  return have == counted ? WEFT_OK
                         : weft_fail(c->d, WEFT_E_RANGE, "input '%s': its sum is %zu, expected %zu",
                                     weft__in_name(c->desc, in), counted, have);
}

static weft_status ball_stacked(const weft_call *c, ball *b) {
  const size_t points = (size_t)c->in[XYZ]->layout.origin.dim[0];
  const size_t centres = (size_t)c->in[CENTRES]->layout.origin.dim[0];
  const size_t batches = weft__elems(&c->in[XYZ_COUNTS]->layout.origin);
  size_t centre = 0;
  size_t work = 0;
  if (weft__elems(&c->in[CENTRE_COUNTS]->layout.origin) != batches)
    return weft_fail(c->d, WEFT_E_SHAPE, "counts of points and of centres differ in their number");
  b->to = 0;
  for (size_t i = 0; i < batches; i++) {
    size_t n;
    b->from = b->to;
    WEFT_TRY(points_count(c, XYZ_COUNTS, i, points - b->from, &n));
    b->to += n;
    WEFT_TRY(points_count(c, CENTRE_COUNTS, i, centres - centre, &n));
    for (size_t end = centre + n; centre < end; centre++)
      WEFT_TRY(ball_query(c, b, centre, &work));
  }
  WEFT_TRY(points_all_counted(c, XYZ_COUNTS, points, b->to));
  return points_all_counted(c, CENTRE_COUNTS, centres, centre);
}

static weft_status ball_ref(const weft_call *c) {
  const bool stacked = points_stacked(c->desc);
  const weft_shape *y = &c->out[0]->layout.origin;
  const double most = weft__float_named(c->desc, "max_radius");
  const double least = stacked ? 0 : weft__float_named(c->desc, "min_radius");
  ball b = {.samples = (size_t)y->dim[y->rank - 1], .least = least * least, .most = most * most};
  size_t work = 0;
  if (stacked)
    return ball_stacked(c, &b);
  const size_t points = (size_t)c->in[XYZ]->layout.origin.dim[1];
  const size_t centres = (size_t)y->dim[1];
  for (size_t i = 0; i < (size_t)y->dim[0] * centres; i++) {
    b.from = i / centres * points;
    b.to = b.from + points;
    WEFT_TRY(ball_query(c, &b, i, &work));
  }
  return WEFT_OK;
}

// ---- StackGroupPoints: features of points that indices name, channels before samples ----
static weft_status group_infer(weft_infer *it) {
  const weft_shape *x = it->in[0];
  const weft_shape *at = it->in[2];
  WEFT_TRY(points_expect(it, 0, 2, -1));
  WEFT_TRY(points_expect(it, 2, 2, -1));
  WEFT_TRY(weft__expect_rank(it, 1, 1, 1));
  WEFT_TRY(weft__expect_rank(it, 3, 1, 1));
  const bool both = !weft_shape_is_unknown_rank(x) && !weft_shape_is_unknown_rank(at);
  if (!both)
    return weft__unknown_dims(it, 0, 3);
  return weft_set_out_shape(it, 0, (weft_dim[3]){at->dim[0], x->dim[1], at->dim[1]}, 3);
}

static weft_status group_row(const weft_call *c, size_t row, size_t from, size_t points) {
  const weft_tensor *x = c->in[0];
  const weft_tensor *at = c->in[2];
  const size_t channels = (size_t)x->layout.origin.dim[1];
  const size_t samples = (size_t)at->layout.origin.dim[1];
  for (size_t k = 0; k < samples; k++) {
    const int64_t index = weft_load_i64(at->dtype, at->data, row * samples + k);
    if (index < 0 || (uint64_t)index >= points) {
      return weft_fail(c->d, WEFT_E_RANGE, "input 'indices': element [%zu,%zu] is %lld, of %zu points", row,
                       k, (long long)index, points);
    }
    for (size_t e = 0; e < channels; e++)
      weft__copy_elem(x->dtype, c->out[0]->data, (row * channels + e) * samples + k, x->data,
                      (from + (size_t)index) * channels + e);
  }
  return WEFT_OK;
}

static weft_status group_ref(const weft_call *c) {
  const size_t points = (size_t)c->in[0]->layout.origin.dim[0];
  const weft_shape *y = &c->out[0]->layout.origin;
  const size_t rows = (size_t)y->dim[0];
  const size_t batches = weft__elems(&c->in[1]->layout.origin);
  size_t from = 0;
  size_t row = 0;
  size_t work = 0;
  if (weft__elems(&c->in[3]->layout.origin) != batches)
    return weft_fail(c->d, WEFT_E_SHAPE, "counts of points and of indices differ in their number");
  for (size_t i = 0; i < batches; i++) {
    size_t n;
    size_t n_rows;
    WEFT_TRY(points_count(c, 1, i, points - from, &n));
    WEFT_TRY(points_count(c, 3, i, rows - row, &n_rows));
    for (size_t end = row + n_rows; row < end; row++) {
      WEFT_TRY(weft__poll_work(c, &work, weft__prod(y, 1, 3) + 1));
      WEFT_TRY(group_row(c, row, from, n));
    }
    from += n;
  }
  WEFT_TRY(points_all_counted(c, 1, points, from));
  return points_all_counted(c, 3, rows, row);
}

// ---- ThreeInterpolate: y[b, c, n] is the sum over k of weight[b, n, k] features[b, c, idx[b, n, k]] ----
enum { FEATURES, INDICES, WEIGHT };

static bool three_is_back(const weft_op_desc *n) {
  return n->op->user != NULL;
}

static weft_status three_infer(weft_infer *it) {
  const weft_shape *x = it->in[FEATURES];
  weft_shape *y = it->out[0];
  weft_dim rows = -1;
  weft_dim batches = -1;
  WEFT_TRY(points_expect(it, FEATURES, 3, -1));
  for (uint32_t i = INDICES; i <= WEIGHT; i++)
    WEFT_TRY(points_expect(it, i, 3, 3));
  WEFT_TRY(weft__unknown_dims(it, 0, 3));
  for (uint32_t i = FEATURES; i <= WEIGHT; i++) {
    if (weft_shape_is_unknown_rank(it->in[i]))
      continue;
    WEFT_TRY(weft__merge_dim(it, batches, it->in[i]->dim[0], "batches of the inputs", &batches));
    if (i != FEATURES)
      WEFT_TRY(weft__merge_dim(it, rows, it->in[i]->dim[1], "points of 'idx' and 'weight'", &rows));
  }
  const bool known = !weft_shape_is_unknown_rank(x);
  y->dim[0] = batches;
  y->dim[1] = known ? x->dim[1] : -1;
  y->dim[2] = rows;
  if (!three_is_back(it->desc))
    return WEFT_OK;
  if (known)
    WEFT_TRY(weft__merge_dim(it, rows, x->dim[2], "points of 'grad_x' and 'idx'", &rows));
  y->dim[2] = weft__int_named(it->desc, "m");
  if (y->dim[2] >= 0 && y->dim[2] <= INT32_MAX)
    return WEFT_OK;
  return weft_fail(it->d, WEFT_E_RANGE, "attribute 'm' is %lld, expected 0 to 2^31 - 1",
                   (long long)y->dim[2]);
}

// Source and target change places on the way back.
static weft_status three_plane(const weft_call *c, size_t plane, double *sum) {
  const bool back = three_is_back(c->desc);
  const weft_shape *x = &c->in[FEATURES]->layout.origin;
  const weft_shape *y = &c->out[0]->layout.origin;
  const weft_dtype t = c->in[FEATURES]->dtype;
  const weft_tensor *at = c->in[INDICES];
  const weft_tensor *weight = c->in[WEIGHT];
  const size_t rows = (size_t)at->layout.origin.dim[1];
  const int64_t few = back ? y->dim[2] : x->dim[2];  // points that indices name
  const size_t from = plane * (size_t)x->dim[2];
  const size_t batch = plane / (size_t)x->dim[1];
  memset(sum, 0, (size_t)y->dim[2] * sizeof *sum);
  for (size_t i = 0; i < 3 * rows; i++) {
    const int64_t index = weft_load_i64(at->dtype, at->data, 3 * batch * rows + i);
    const double by = weft_load_f64(weight->dtype, weight->data, 3 * batch * rows + i);
    WEFT_TRY(weft__poll_at(c, i));
    if (index < 0 || index >= few) {
      return weft_fail(c->d, WEFT_E_RANGE, "input 'idx': element [%zu,%zu,%zu] is %lld, of %lld points",
                       batch, i / 3, i % 3, (long long)index, (long long)few);
    }
    const size_t named = (size_t)index;
    sum[back ? named : i / 3] += by * weft_load_f64(t, c->in[FEATURES]->data, from + (back ? i / 3 : named));
  }
  return WEFT_OK;
}

static weft_status three_ref(const weft_call *c) {
  const weft_shape *y = &c->out[0]->layout.origin;
  const size_t n = (size_t)y->dim[2];
  void *space;
  WEFT_TRY(weft__scratch(c, n, &space));
  for (size_t plane = 0; plane < weft__prod(y, 0, 2); plane++) {
    WEFT_TRY(weft__call_poll(c));
    WEFT_TRY(three_plane(c, plane, space));
    for (size_t i = 0; i < n; i++)
      weft_store_f64(c->out[0]->dtype, c->out[0]->data, plane * n + i, ((const double *)space)[i]);
  }
  return WEFT_OK;
}

#define POINTS(op_name, says, infers, refs, ...)                                             \
  {                                                                                          \
    .name = op_name, .summary = says, .traits = WEFT_SYMBOLIC, .infer = infers, .ref = refs, \
    .examples = WEFT_EXAMPLES(__VA_ARGS__)                                                   \
  }
#define FOUR "f32[1,4,3]{0,0,0,1,0,0,2,0,0,0,3,0}"
WEFT_ROWS(points) = {
    POINTS("BallQuery", "points in balls around others", ball_infer, ball_ref,
           FOUR
           ", f32[1,2,3]{0,0,0,9,9,9} min_radius=0 max_radius=2.5 sample_num=3 -> i32[1,2,3]{0,1,2,0,0,0}",
           FOUR ", f32[1,1,3]{0,0,0} min_radius=1.5 max_radius=4 sample_num=4 -> i32[1,1,4]{0,2,3,0}",
           FOUR ", f32[1,1,3]{2,1,0} min_radius=0.5 max_radius=2 sample_num=3 -> i32[1,1,3]{1,2,1}",
           "f32[1,0,3], f32[1,1,3]{0..} min_radius=0 max_radius=1 sample_num=2 -> i32[1,1,2]{0,0}",
           "f16[-1,4,3], f16[-1,N,3] min_radius=0 max_radius=1 sample_num=2 -> i32[-1,N,2]",
           "f32[1,4,2], f32[1,1,3] min_radius=0 max_radius=1 sample_num=2 !! E_SHAPE coordinates of a point",
           "f32[1,4,3], f32[1,1,3] min_radius=0 max_radius=1 sample_num=0 !! E_RANGE 'sample_num' is 0"),
    POINTS(
        "StackBallQuery", "points in balls around others, batch after batch", ball_infer, ball_ref,
        "f32[3,3]{0,0,0,5,0,0,0,0,1}, f32[2,3]{0,0,0,0,0,0}, i32[2]{1,2}, i32[2]{1,1} max_radius=2 "
        "sample_num=2 -> i32[2,2]{0,0,1,1}",
        "f32[1,3]{5,0,0}, f32[1,3]{0,0,0}, i32[1]{1}, i32[1]{1} max_radius=2 sample_num=2 -> i32[1,2]{-1,0}",
        "f16[-1,3], f16[N,3], i64[B], i64[B] max_radius=2 sample_num=2 -> i32[N,2]",
        "f32[1,3]{0..}, f32[1,3]{0..}, i32[1]{2}, i32[1]{1} max_radius=2 sample_num=2 !! E_RANGE element 0 "
        "is 2",
        "f32[2,3]{0..}, f32[1,3]{0..}, i32[1]{1}, i32[1]{1} max_radius=2 sample_num=2 !! E_RANGE its sum is "
        "1"),
    POINTS("StackGroupPoints", "features of the points that indices name", group_infer, group_ref,
           "f32[3,2]{1,2,3,4,5,6}, i32[2]{1,2}, i32[2,2]{0,0,1,0}, i32[2]{1,1} -> "
           "f32[2,2,2]{1,1,2,2,5,3,6,4}",
           "f16[N,2], i64[B], i64[M,3], i64[B] -> f16[M,2,3]",
           "f32[1,1]{0}, i32[1]{1}, i32[1,1]{1}, i32[1]{1} !! E_RANGE [0,0] is 1, of 1 points"),
    POINTS("ThreeInterpolate", "features between three points", three_infer, three_ref,
           "f32[1,2,3]{1,2,3,4,5,6}, i32[1,1,3]{0,2,2}, f32[1,1,3]{0.5,0.25,0.25} -> f32[1,2,1]{2,5}",
           "f16[-1,C,3], i32[2,N,3], f16[2,N,3] -> f16[2,C,N]",
           "f32[1,1,2]{0..}, i32[1,1,3]{0,2,0}, f32[1,1,3]{0..} !! E_RANGE [0,0,1] is 2, of 2 points",
           "f32[1,1,2], i32[1,1,2], f32[1,1,2] !! E_SHAPE coordinates of a point"),
    {.name = "ThreeInterpolateBackward",
     .summary = "the gradient of ThreeInterpolate's features",
     .traits = WEFT_SYMBOLIC,
     .infer = three_infer,
     .ref = three_ref,
     .user = "back",
     .examples = WEFT_EXAMPLES(
         "f32[1,2,1]{4,8}, i32[1,1,3]{0,2,2}, f32[1,1,3]{0.5,0.25,0.25} m=3 -> f32[1,2,3]{2,0,2,4,0,4}",
         "f32[B,C,N], i32[B,N,3], f32[B,N,3] m=7 -> f32[B,C,7]",
         "f32[1,1,2], i32[1,1,3], f32[1,1,3] m=3 !! E_SHAPE points of 'grad_x' and 'idx'",
         "f32[1,1,1], i32[1,1,3], f32[1,1,3] m=-1 !! E_RANGE attribute 'm' is -1")},
    {0},
};
// SPDX-License-Identifier: Apache-2.0
