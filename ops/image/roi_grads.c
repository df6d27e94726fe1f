// ops/image/roi_grads.c - the gradient of ROIAlign with respect to the maps, and pools of regions whose
// parts have channels of their own.   AscendIR ROIAlignGrad, PSROIPooling, V2, PSROIPoolingGradV2D. Maps are
// channels first; a region is the number of its map, x1, y1, x2, y2. rois are [regions, 5], or [batch, 5,
// regions]. A position-sensitive pool (R-FCN's) makes group_size^2 means of a region, that of row i and
// column j for output channel c over channel (c group_size + i) group_size + j; its last element counts.
#include "arrays.h"
#include "dims_move.h"
#include "image/roi_align.rule.h"
#include "op/air_rows.h"
#include "op/named.h"

// ---- regions ----
static weft_status region_count(weft_infer *it, uint32_t in, weft_dim *n) {
  const weft_shape *s = it->in[in];
  weft_dim ignored;
  *n = -1;
  WEFT_TRY(weft__expect_rank(it, in, 2, 3));
  if (weft_shape_is_unknown_rank(s))
    return WEFT_OK;
  WEFT_TRY(weft__merge_dim(it, 5, s->dim[1], "axis 1 of input 'rois'", &ignored));
  *n = s->rank == 2 ? s->dim[0] : weft_dims_mul(it, s->dim[0], s->dim[2]);
  return WEFT_OK;
}
static double region_number(const weft_tensor *rois, size_t r, size_t k) {
  const weft_shape *s = &rois->layout.origin;
  size_t per = s->rank == 3 ? (size_t)s->dim[2] : 1;
  size_t at = s->rank == 3 ? (r / per * 5 + k) * per + r % per : r * 5 + k;
  return weft_load_f64(rois->dtype, rois->data, at);
}
static weft_status region_map(const weft_call *c, const weft_tensor *rois, size_t r, size_t maps,
                              size_t *out) {
  double v = region_number(rois, r, 0);
  if (!(v >= 0 && v < (double)maps))
    return weft_fail(c->d, WEFT_E_RANGE, "input 'rois': region %zu is of map %g, outside [0, %zu)", r, v,
                     maps);
  *out = (size_t)v;
  return WEFT_OK;
}

// ---- ROIAlign ----
static weft_status align_infer(weft_infer *it) {
  weft_ints v = weft__ints_named(it->desc, "xdiff_shape");
  const weft_shape *g = it->in[0];
  weft_dim n;
  weft_dim ignored;
  WEFT_TRY(weft__expect_rank(it, 0, 4, 4));
  WEFT_TRY(region_count(it, 1, &n));
  if (v.n != 4)
    return weft_fail(it->d, WEFT_E_SHAPE, "attribute 'xdiff_shape' has %zu elements, expected 4", v.n);
  for (size_t i = 0; i < 4; i++) {
    if (v.v[i] < 0)
      return weft_fail(it->d, WEFT_E_SHAPE, "attribute 'xdiff_shape': element %zu is %lld", i,
                       (long long)v.v[i]);
  }
  WEFT_TRY(weft_set_out_shape(it, 0, v.v, 4));
  if (weft_shape_is_unknown_rank(g))
    return WEFT_OK;
  WEFT_TRY(weft__merge_dim(it, n, g->dim[0], "regions of 'rois' and 'ydiff'", &ignored));
  return weft__merge_dim(it, v.v[1], g->dim[1], "channels of 'xdiff_shape' and 'ydiff'", &ignored);
}

typedef struct align_run {
  const weft_call *c;
  const double *g;
  double *sums;
  size_t channels, spots;
  int64_t h, w;
  size_t work;
} align_run;

// A share of the gradients of output `spot` of a region goes to the four elements around y, x.
static weft_status align_sample(align_run *r, size_t map, size_t from, double y, double x, double share) {
  int64_t y0;
  int64_t x0;
  double ly;
  double lx;
  if (!weft__roi_between(y, r->h, &y0, &ly) || !weft__roi_between(x, r->w, &x0, &lx))
    return WEFT_OK;
  int64_t y1 = WEFT_MIN(y0 + 1, r->h - 1);
  int64_t x1 = WEFT_MIN(x0 + 1, r->w - 1);
  const double weight[4] = {(1 - ly) * (1 - lx), (1 - ly) * lx, ly * (1 - lx), ly * lx};
  const int64_t at[4] = {y0 * r->w + x0, y0 * r->w + x1, y1 * r->w + x0, y1 * r->w + x1};
  WEFT_TRY(weft__poll_work(r->c, &r->work, 4 * r->channels));
  for (size_t k = 0; k < r->channels; k++) {
    size_t plane = (map * r->channels + k) * (size_t)(r->h * r->w);
    for (int i = 0; i < 4; i++)
      r->sums[plane + (size_t)at[i]] += weight[i] * share * r->g[from + k * r->spots];
  }
  return WEFT_OK;
}
static weft_status align_region(align_run *r, const weft_roi *at, size_t region, size_t map, size_t wide) {
  for (size_t s = 0; s < r->spots; s++) {
    double y = at->y + (double)(s / wide) * at->high;
    double x = at->x + (double)(s % wide) * at->wide;
    size_t from = region * r->channels * r->spots + s;
    for (double i = 0; i < at->ny; i++) {
      for (double k = 0; k < at->nx; k++) {
        WEFT_TRY(weft__poll_work(r->c, &r->work, 1));
        WEFT_TRY(align_sample(r, map, from, y + weft__roi_step(i, at->high, at->ny),
                              x + weft__roi_step(k, at->wide, at->nx), 1 / (at->ny * at->nx)));
      }
    }
  }
  return WEFT_OK;
}

static weft_status align_ref(const weft_call *c) {
  const weft_tensor *rois = c->in[1];
  weft_tensor *y = c->out[0];
  if (!y || !weft__elems(&y->layout.origin))
    return WEFT_OK;
  const weft_shape *g = &c->in[0]->layout.origin;
  const weft_shape *s = &y->layout.origin;
  align_run r = {.c = c, .channels = (size_t)s->dim[1], .h = s->dim[2], .w = s->dim[3]};
  int64_t mode = weft__int_named(c->desc, "roi_end_mode");
  weft_roi_rule rule = {.half = mode == 2, .scale = weft__float_named(c->desc, "spatial_scale")};
  size_t n = weft__elems(s);
  double *v;
  void *space;
  rule.ratio = (double)weft__int_named(c->desc, "sample_num");
  rule.high = (double)g->dim[2];
  rule.wide = (double)g->dim[3];
  WEFT_TRY(weft__load_f64s(c, c->in[0], &v));
  r.g = v;
  WEFT_TRY(weft__scratch(c, n, &space));
  r.sums = memset(space, 0, n * sizeof(double));
  r.spots = (size_t)g->dim[2] * (size_t)g->dim[3];
  for (size_t i = 0; r.spots && i < (size_t)g->dim[0]; i++) {
    double more = mode == 1;  // the last element counts
    const double box[4] = {region_number(rois, i, 1), region_number(rois, i, 2),
                           region_number(rois, i, 3) + more, region_number(rois, i, 4) + more};
    size_t map;
    weft_roi at;
    WEFT_TRY(region_map(c, rois, i, (size_t)s->dim[0], &map));
    if (!weft__roi_region(&rule, box, &at))
      return weft_fail(c->d, WEFT_E_RANGE, "input 'rois': region %zu needs more than 2^24 samples an element",
                       i);
    WEFT_TRY(align_region(&r, &at, i, map, (size_t)g->dim[3]));
  }
  for (size_t i = 0; i < n; i++) {
    WEFT_TRY(weft__poll_at(c, i));
    weft_store_f64(y->dtype, y->data, i, r.sums[i]);
  }
  return WEFT_OK;
}

// ---- position-sensitive pools ----
static bool parts_back(const weft_op_desc *n) {
  return n->op->user != NULL;
}
static weft_status parts_infer(weft_infer *it) {
  const weft_shape *x = it->in[0];
  const weft_shape *rois = it->in[1];
  int64_t dim = weft__int_named(it->desc, "output_dim");
  int64_t group = weft__int_named(it->desc, "group_size");
  weft_dim n;
  weft_dim ignored;
  WEFT_TRY(weft__expect_rank(it, 0, 4, 4));
  WEFT_TRY(region_count(it, 1, &n));
  if (dim < 1 || group < 1 || group > 32768 || dim > INT32_MAX)
    return weft_fail(it->d, WEFT_E_RANGE, "'output_dim' is %lld, 'group_size' %lld: expected at least 1",
                     (long long)dim, (long long)group);
  if (!parts_back(it->desc)) {
    if (!weft_shape_is_unknown_rank(x))
      WEFT_TRY(weft__merge_dim(it, dim * group * group, x->dim[1], "channels of input 'x'", &ignored));
    return weft_set_out_shape(it, 0, (weft_dim[4]){n, dim, group, group}, 4);
  }
  weft_ints size = weft__ints_named(it->desc, "input_size");
  if (size.n != 2 || size.v[0] < 1 || size.v[1] < 1)
    return weft_fail(it->d, WEFT_E_SHAPE, "attribute 'input_size': expected a height and a width");
  const weft_dim want[4] = {n, dim, group, group};
  for (size_t i = 0; i < 4 && !weft_shape_is_unknown_rank(x); i++)
    WEFT_TRY(weft__merge_dim(it, want[i], x->dim[i], "regions and their gradients", &ignored));
  weft_dim maps = weft_shape_is_unknown_rank(rois) ? -1 : rois->rank == 3 ? rois->dim[0] : 1;
  return weft_set_out_shape(it, 0, (weft_dim[4]){maps, dim * group * group, size.v[0], size.v[1]}, 4);
}

typedef struct parts_run {
  const weft_call *c;
  const weft_shape *map;
  int64_t dim, group;
  const double *in;
  double *sums;
  size_t work;
} parts_run;

// Elements of part i of `group` along an axis of n.
static void parts_range(double from, double to, int64_t i, int64_t group, int64_t n, int64_t *out) {
  double size = WEFT_MAX(to - from, 0.1) / (double)group;
  double low = floor((double)i * size + from);
  double high = ceil((double)(i + 1) * size + from);
  out[0] = !(low > 0) ? 0 : low < (double)n ? (int64_t)low : n;
  out[1] = !(high > 0) ? 0 : high < (double)n ? (int64_t)high : n;
}
static weft_status parts_one(parts_run *r, const int64_t y[2], const int64_t x[2], size_t plane, size_t at,
                             bool back) {
  double sum = 0;
  int64_t area = (y[1] - y[0]) * (x[1] - x[0]);
  if (y[1] <= y[0] || x[1] <= x[0])
    area = 0;
  WEFT_TRY(weft__poll_work(r->c, &r->work, (size_t)area + 1));
  for (int64_t i = y[0]; i < y[1] && area; i++) {
    for (int64_t k = x[0]; k < x[1]; k++) {
      size_t from = (plane * (size_t)r->map->dim[2] + (size_t)i) * (size_t)r->map->dim[3] + (size_t)k;
      if (back)
        r->sums[from] += r->in[at] / (double)area;
      else
        sum += r->in[from];
    }
  }
  if (!back)
    r->sums[at] = area ? sum / (double)area : 0;
  return WEFT_OK;
}
static weft_status parts_region(parts_run *r, const weft_tensor *rois, size_t region, bool back) {
  double scale = weft__float_named(r->c->desc, "spatial_scale");
  double box[4];
  size_t map;
  WEFT_TRY(region_map(r->c, rois, region, (size_t)r->map->dim[0], &map));
  for (size_t k = 0; k < 4; k++)
    box[k] = (round(region_number(rois, region, 1 + k)) + (k > 1)) * scale;
  int64_t g = r->group;
  for (int64_t i = 0; i < r->dim * g * g; i++) {
    int64_t y[2];
    int64_t x[2];
    parts_range(box[1], box[3], i / g % g, g, r->map->dim[2], y);
    parts_range(box[0], box[2], i % g, g, r->map->dim[3], x);
    size_t at = region * (size_t)(r->dim * g * g) + (size_t)i;
    WEFT_TRY(parts_one(r, y, x, map * (size_t)r->map->dim[1] + (size_t)i, at, back));
  }
  return WEFT_OK;
}
static weft_status parts_ref(const weft_call *c) {
  const weft_tensor *rois = c->in[1];
  weft_tensor *y = c->out[0];
  bool back = parts_back(c->desc);
  if (!y || !weft__elems(&y->layout.origin))
    return WEFT_OK;
  parts_run r = {.c = c, .map = back ? &y->layout.origin : &c->in[0]->layout.origin};
  size_t n = weft__elems(&y->layout.origin);
  double *v;
  void *space;
  r.dim = weft__int_named(c->desc, "output_dim");
  r.group = weft__int_named(c->desc, "group_size");
  WEFT_TRY(weft__load_f64s(c, c->in[0], &v));
  r.in = v;
  WEFT_TRY(weft__scratch(c, n, &space));
  r.sums = memset(space, 0, n * sizeof(double));
  for (size_t i = 0, regions = weft__elems(&rois->layout.origin) / 5; i < regions; i++)
    WEFT_TRY(parts_region(&r, rois, i, back));
  for (size_t i = 0; i < n; i++) {
    WEFT_TRY(weft__poll_at(c, i));
    weft_store_f64(y->dtype, y->data, i, r.sums[i]);
  }
  return WEFT_OK;
}

#define PARTS(op_name, says, is_back, ...)                                                \
  {                                                                                       \
    .name = op_name, .summary = says, .traits = WEFT_SYMBOLIC, .infer = parts_infer,      \
    .ref = parts_ref, .user = is_back, .examples = WEFT_EXAMPLES(__VA_ARGS__)             \
  }
#define PART "f32[1,1,2,2]{1,2,3,4}, f32[1,5]{0,0,0,1,1} output_dim=1 group_size=1 spatial_scale=1"

WEFT_ROWS(roi_grads) = {
    {.name = "ROIAlignGrad",
     .summary = "the gradient of ROIAlign with respect to the maps",
     .traits = WEFT_SYMBOLIC,
     .infer = align_infer,
     .ref = align_ref,
     .examples = WEFT_EXAMPLES(
         "f32[1,1,1,1]{8}, f32[1,5]{0,0,0,1,1} xdiff_shape=[1,1,2,2] pooled_width=1 pooled_height=1 "
         "spatial_scale=1 sample_num=1 roi_end_mode=0 -> f32[1,1,2,2]{2,2,2,2}",
         "f32[1,1,1,1]{8}, f32[1,5]{1,0,0,1,1} xdiff_shape=[1,1,2,2] pooled_width=1 pooled_height=1 "
         "spatial_scale=1 !! E_RANGE of map 1")},
    PARTS("PSROIPooling", "means of parts of regions, each of channels of its own", NULL,
          PART " -> f32[1,1,1,1]{2.5}",
          "f32[1,2,2,2], f32[1,5] output_dim=1 group_size=1 spatial_scale=1 !! E_SHAPE 1 and 2 differ"),
    PARTS("PSROIPoolingV2", "means of parts of regions, each of channels of its own", NULL,
          PART " -> f32[1,1,1,1]{2.5}"),
    PARTS("PSROIPoolingGradV2D", "the gradient of PSROIPoolingV2 with respect to the maps", "back",
          "f32[1,1,1,1]{8}, f32[1,5,1]{0,0,0,1,1} output_dim=1 group_size=1 spatial_scale=1 input_size=[2,2] "
          "-> f32[1,1,2,2]{2,2,2,2}"),
    {0},
};
// SPDX-License-Identifier: Apache-2.0
