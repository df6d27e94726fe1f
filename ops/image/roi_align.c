// ops/image/roi_align.c - regions of feature maps, resampled to one size.   ONNX RoiAlign-22.
// x [N, C, H, W], rois [R, 4] as x1, y1, x2, y2 of image batch_indices[r], y [R, C, output_height,
// output_width]. Every output is the mean (or the maximum) of sampling_ratio^2 bilinear samples of its bin;
// ratio 0: as many as the bin has elements. "max" takes, as ONNX does, the largest weighted corner and not
// the largest sample. half_pixel shifts by half an element; otherwise a region is at least 1 wide. Samples
// further than 1 outside x are 0. AscendIR's ROIAlign has the image number in a column of rois, where float16
// cannot count far.
#include "dims_move.h"
#include "image/roi_align.rule.h"

static weft_status roi_align_infer(weft_infer *it) {
  const weft_shape *x = it->in[0];
  const weft_shape *rois = it->in[1];
  const weft_shape *batch = it->in[2];
  weft_dim ignored;
  weft_dim n = -1;
  WEFT_TRY(weft__expect_rank(it, 0, 4, 4));
  WEFT_TRY(weft__expect_rank(it, 1, 2, 2));
  WEFT_TRY(weft__expect_rank(it, 2, 1, 1));
  if (!weft_shape_is_unknown_rank(rois)) {
    WEFT_TRY(weft__merge_dim(it, 4, rois->dim[1], "axis 1 of input 'rois'", &ignored));
    n = rois->dim[0];
  }
  if (!weft_shape_is_unknown_rank(batch))
    WEFT_TRY(weft__merge_dim(it, n, batch->dim[0], "axis 0 of 'rois' and 'batch_indices'", &n));
  weft_dim dims[4] = {n, weft_shape_is_unknown_rank(x) ? -1 : x->dim[1],
                      weft_node_int(it->desc, WEFT_SLOT_ROI_ALIGN_OUTPUT_HEIGHT),
                      weft_node_int(it->desc, WEFT_SLOT_ROI_ALIGN_OUTPUT_WIDTH)};
  return weft_set_out_shape(it, 0, dims, 4);
}

typedef struct bins {
  const weft_tensor *x;
  size_t plane;
  int64_t h, w;
  bool max;
  size_t work;  // samples since the clock was looked at
} bins;

// One bilinear sample, or its largest weighted corner.
static double sample(const bins *b, double y, double x) {
  int64_t y0;
  int64_t x0;
  double ly;
  double lx;
  if (!weft__roi_between(y, b->h, &y0, &ly) || !weft__roi_between(x, b->w, &x0, &lx))
    return 0;
  int64_t y1 = WEFT_MIN(y0 + 1, b->h - 1);
  int64_t x1 = WEFT_MIN(x0 + 1, b->w - 1);
  const double weight[4] = {(1 - ly) * (1 - lx), (1 - ly) * lx, ly * (1 - lx), ly * lx};
  const int64_t at[4] = {y0 * b->w + x0, y0 * b->w + x1, y1 * b->w + x0, y1 * b->w + x1};
  double sum = 0, most = -INFINITY;
  for (int k = 0; k < 4; k++) {
    double v = weft_load_f64(b->x->dtype, b->x->data, b->plane + (size_t)at[k]);
    v = weight[k] == 0 ? 0 : weight[k] * v;
    sum += v;
    if (!(v <= most) && !isnan(most))
      most = v;
  }
  return b->max ? most : sum;
}

// The output of a region whose bin begins at y, x.
static weft_status bin(const weft_call *c, bins *b, const weft_roi *r, double y, double x, double *out) {
  double sum = 0, most = -INFINITY;
  for (double i = 0; i < r->ny; i++) {
    for (double k = 0; k < r->nx; k++) {
      double v = sample(b, y + weft__roi_step(i, r->high, r->ny), x + weft__roi_step(k, r->wide, r->nx));
      WEFT_TRY(weft__poll_work(c, &b->work, 1));
      sum += v;
      if (!(v <= most) && !isnan(most))
        most = v;
    }
  }
  *out = b->max ? most : sum / WEFT_MAX(r->ny * r->nx, 1);
  return WEFT_OK;
}

static weft_status region(const weft_call *c, bins *b, size_t r, const double box[4], int64_t image) {
  const weft_shape *s = &c->in[0]->layout.origin;
  const weft_shape *o = &c->out[0]->layout.origin;
  const weft_roi_rule rule = weft__roi_rule(c->desc, o, c->in[0]->dtype);
  weft_roi at;
  if (!weft__roi_region(&rule, box, &at)) {
    return weft_fail(c->d, WEFT_E_RANGE,
                     "input 'rois': region %zu needs %g samples for an element, at most 2^24 are taken", r,
                     at.ny * at.nx);
  }
  size_t channels = (size_t)s->dim[1];
  size_t spots = (size_t)o->dim[2] * (size_t)o->dim[3];
  for (size_t i = 0; i < channels * spots; i++) {
    double row = (double)(i % spots / (size_t)o->dim[3]), column = (double)(i % spots % (size_t)o->dim[3]);
    b->plane = ((size_t)image * channels + i / spots) * (size_t)(b->h * b->w);
    double v = 0;
    if (b->h && b->w)
      WEFT_TRY(bin(c, b, &at, at.y + row * at.high, at.x + column * at.wide, &v));
    weft_store_f64(c->out[0]->dtype, c->out[0]->data, r * channels * spots + i, v);
  }
  return WEFT_OK;
}

static weft_status roi_align_ref(const weft_call *c) {
  const weft_tensor *x = c->in[0];
  const weft_tensor *rois = c->in[1];
  const weft_tensor *batch = c->in[2];
  const weft_shape *s = &x->layout.origin;
  bool max = !strcmp(weft_node_str(c->desc, WEFT_SLOT_ROI_ALIGN_MODE), "max");
  bins b = {x, 0, s->dim[2], s->dim[3], max, 0};
  if (!c->out[0] || !weft__elems(&c->out[0]->layout.origin))
    return WEFT_OK;
  for (size_t r = 0; r < (size_t)rois->layout.origin.dim[0]; r++) {
    int64_t image = weft_load_i64(batch->dtype, batch->data, r);
    double box[4];
    WEFT_TRY(weft__call_poll(c));
    if (image < 0 || image >= s->dim[0]) {
      return weft_fail(c->d, WEFT_E_RANGE, "input 'batch_indices': element %zu is %lld, outside [0, %lld)", r,
                       (long long)image, (long long)s->dim[0]);
    }
    for (size_t k = 0; k < 4; k++)
      box[k] = weft_load_f64(rois->dtype, rois->data, 4 * r + k);
    WEFT_TRY(region(c, &b, r, box, image));
  }
  return WEFT_OK;
}

WEFT_OP(roi_align) = {
    WEFT_OP_HEAD,
    .name = "RoiAlign",
    .summary = "regions of feature maps resampled to one size",
    .in = PORTS({"x", "T"}, {"rois", "T"}, {"batch_indices", NULL, WEFT_SET_INDEX}),
    .out = PORTS({"y", "T"}),
    .types = TYPES({"T", WEFT_FLOATS}),
    .attrs = ATTRS({"coordinate_transformation_mode", "String", "\"half_pixel\"",
                    "one of half_pixel|output_half_pixel"},
                   {"mode", "String", "\"avg\"", "one of avg|max"}, {"output_height", "Int", "1", "min 1"},
                   {"output_width", "Int", "1", "min 1"}, {"sampling_ratio", "Int", "0", "min 0"},
                   {"spatial_scale", "Float", "1.0"}),
    .traits = WEFT_SYMBOLIC,
    .infer = roi_align_infer,
    .ref = roi_align_ref,
    .examples = WEFT_EXAMPLES(
        "f32[1,1,2,2]{1,2,3,4}, f32[1,4]{0,0,2,2}, i64[1]{0} output_height=2 output_width=2 -> "
        "f32[1,1,2,2]{1,2,3,4}",
        "f32[1,1,2,2]{1,2,3,4}, f32[1,4]{0,0,1,1}, i64[1]{0} "
        "coordinate_transformation_mode=\"output_half_pixel\""
        " sampling_ratio=1 -> f32[1,1,1,1]{2.5}",
        "f32[1,1,2,2]{1,2,3,4}, f32[1,4]{0,0,1,1}, i64[1]{0} "
        "coordinate_transformation_mode=\"output_half_pixel\""
        " sampling_ratio=1 mode=\"max\" -> f32[1,1,1,1]{1}",
        "f32[1,2,1,1]{5,7}, f32[2,4]{9,9,11,11,0,0,1,1}, i64[2]{0,0} -> f32[2,2,1,1]{0,0,5,7}",
        "f32[1,1,2,2]{1,2,3,4}, f32[1,4]{0,0,-9,1e30}, i64[1]{0} -> f32[1,1,1,1]{0}",
        "f16[1,3,4,4], f16[0,4], i64[0] output_width=2 -> f16[0,3,1,2]",
        "f32[-1,C,8,8], f32[N,4], i64[-1] -> f32[N,C,1,1]", "f32[?], f32[?], i64[5] -> f32[5,-1,1,1]",
        "f32[1,1,2,2], f32[1,5], i64[1] !! E_SHAPE 4 and 5 differ",
        "f32[1,1,2,2]{1,2,3,4}, f32[1,4]{0,0,1,1}, i64[1]{1} !! E_RANGE element 0 is 1",
        "f32[1,1,2,2], f32[2,4], i64[1] !! E_SHAPE 2 and 1 differ",
        "f32[1,1,2,2], f32[1,4], i64[1] mode=\"sum\" !! E_RANGE mode"),
};
// SPDX-License-Identifier: Apache-2.0
