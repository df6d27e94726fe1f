// ops/image/max_roi_pool.c - the largest element of each part of regions of x.   ONNX MaxRoiPool-22.
// x [N, C, H, W], rois [R, 5] as image, x1, y1, x2, y2 in elements of x divided by spatial_scale, both ends
// inclusive. Corners are rounded half away from zero; a region is at least 1 wide; a part without elements
// gives 0. NaN wins. AscendIR's ROIPooling has its rois in another order.
#include "arrays.h"

enum { POOLED, SCALE };

static weft_status max_roi_pool_infer(weft_infer *it) {
  const weft_shape *x = it->in[0];
  const weft_shape *rois = it->in[1];
  weft_ints pooled = weft_node_ints(it->desc, POOLED);
  weft_dim n = -1;
  weft_dim ignored;
  WEFT_TRY(weft__expect_rank(it, 0, 4, 4));
  WEFT_TRY(weft__expect_rank(it, 1, 2, 2));
  if (!weft_shape_is_unknown_rank(rois)) {
    WEFT_TRY(weft__merge_dim(it, 5, rois->dim[1], "axis 1 of input 'rois'", &ignored));
    n = rois->dim[0];
  }
  weft_dim dims[4] = {n, weft_shape_is_unknown_rank(x) ? -1 : x->dim[1], pooled.v[0], pooled.v[1]};
  return weft_set_out_shape(it, 0, dims, 4);
}

// Elements [*from, *to) of an axis of n that part i of `parts` of the region [start, start + length) has.
static void max_roi_pool_part(double start, double length, int64_t i, int64_t parts, int64_t n, int64_t *from,
                              int64_t *to) {
  double each = length / (double)parts, a = floor((double)i * each) + start,
         b = ceil((double)(i + 1) * each) + start;
  *from = a > 0 ? (int64_t)WEFT_MIN(a, (double)n) : 0;
  *to = b > 0 ? (int64_t)WEFT_MIN(b, (double)n) : 0;
}

static weft_status pool(const weft_call *c, const double box[4], size_t plane, size_t to, size_t *work) {
  const weft_tensor *x = c->in[0];
  const weft_shape *s = &x->layout.origin;
  weft_ints pooled = weft_node_ints(c->desc, POOLED);
  double wide = WEFT_MAX(box[2] - box[0] + 1, 1), high = WEFT_MAX(box[3] - box[1] + 1, 1);
  for (int64_t i = 0; i < pooled.v[0]; i++) {
    for (int64_t k = 0; k < pooled.v[1]; k++, to++) {
      int64_t top;
      int64_t bottom;
      int64_t left;
      int64_t right;
      size_t best = 0;
      bool any = false;
      max_roi_pool_part(box[1], high, i, pooled.v[0], s->dim[2], &top, &bottom);
      max_roi_pool_part(box[0], wide, k, pooled.v[1], s->dim[3], &left, &right);
      WEFT_TRY(weft__poll_work(c, work, 8));
      for (int64_t r = top; r < bottom; r++) {
        WEFT_TRY(weft__poll_work(c, work, (size_t)WEFT_MAX(right - left, 0)));
        for (int64_t e = left; e < right; e++) {
          size_t at = plane + (size_t)(r * s->dim[3] + e);
          if (!any || weft__order(x->dtype, x->data, at, best, 1) > 0)
            best = at;
          any = true;
        }
      }
      weft_store_f64(x->dtype, c->out[0]->data, to, any ? weft_load_f64(x->dtype, x->data, best) : 0);
    }
  }
  return WEFT_OK;
}

static weft_status max_roi_pool_ref(const weft_call *c) {
  const weft_tensor *x = c->in[0];
  const weft_tensor *rois = c->in[1];
  const weft_shape *s = &x->layout.origin;
  weft_ints pooled = weft_node_ints(c->desc, POOLED);
  double scale = (double)weft_node_float(c->desc, SCALE);
  size_t channels = (size_t)s->dim[1];
  size_t work = 0;
  if (!c->out[0] || !weft__elems(&c->out[0]->layout.origin))
    return WEFT_OK;
  for (size_t r = 0; r < (size_t)rois->layout.origin.dim[0]; r++) {
    double image = weft_load_f64(rois->dtype, rois->data, 5 * r), box[4];
    if (!(image >= 0 && image < (double)s->dim[0])) {
      return weft_fail(c->d, WEFT_E_RANGE, "input 'rois': region %zu is of image %g, outside [0, %lld)", r,
                       image, (long long)s->dim[0]);
    }
    for (size_t k = 0; k < 4; k++) {
      box[k] = round(weft_load_f64(rois->dtype, rois->data, 5 * r + 1 + k) * scale);
      if (!(fabs(box[k]) < 0x1p50)) {
        return weft_fail(c->d, WEFT_E_RANGE,
                         "input 'rois': region %zu has the corner %g, expected at most 2^50", r, box[k]);
      }
    }
    for (size_t e = 0; e < channels; e++) {
      WEFT_TRY(pool(c, box, ((size_t)image * channels + e) * (size_t)s->dim[2] * (size_t)s->dim[3],
                    (r * channels + e) * (size_t)(pooled.v[0] * pooled.v[1]), &work));
    }
  }
  return WEFT_OK;
}

WEFT_OP(max_roi_pool) = {
    WEFT_OP_HEAD,
    .name = "MaxRoiPool",
    .summary = "the largest element of each part of regions",
    .in = PORTS({"X", "T"}, {"rois", "T"}),
    .out = PORTS({"Y", "T"}),
    .types = TYPES({"T", WEFT_FLOATS}),
    .attrs = ATTRS({"pooled_shape", "ListInt", NULL, "count 2;each min 1"},
                   {"spatial_scale", "Float", "1.0"}),
    .traits = WEFT_SYMBOLIC,
    .infer = max_roi_pool_infer,
    .ref = max_roi_pool_ref,
    .examples = WEFT_EXAMPLES(
        "f32[1,1,2,3]{1,2,3,4,5,6}, f32[1,5]{0,0,0,2,1} pooled_shape=[1,2] -> f32[1,1,1,2]{5,6}",
        "f32[2,1,1,2]{1,nan,3,4}, f32[2,5]{1,0,0,1,0,0,0,0,5,0} pooled_shape=[1,1] -> f32[2,1,1,1]{4,nan}",
        "f32[1,1,1,2]{1,2}, f32[1,5]{0,9,9,9,9} pooled_shape=[1,1] -> f32[1,1,1,1]{0}",
        "f32[1,1,1,4]{1,2,3,4}, f32[1,5]{0,0,0,4,0} pooled_shape=[1,1] spatial_scale=0.5 -> f32[1,1,1,1]{3}",
        "f16[1,3,4,4], f16[0,5] pooled_shape=[2,2] -> f16[0,3,2,2]",
        "f32[?], f32[N,5] pooled_shape=[2,2] -> f32[N,-1,2,2]",
        "f32[1,1,1,2]{1,2}, f32[1,5]{1,0,0,1,1} pooled_shape=[1,1] !! E_RANGE is of image 1",
        "f32[1,1,1,2], f32[1,4] pooled_shape=[1,1] !! E_SHAPE 5 and 4 differ",
        "f32[1,1,1,2], f32[1,5] pooled_shape=[1] !! E_RANGE pooled_shape"),
};
// SPDX-License-Identifier: Apache-2.0
