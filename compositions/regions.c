// compositions/regions.c - pools of regions. A region is the number of its map, x1, y1, x2, y2; rois are
// [regions, 5], or [batch, 5, regions].
#include "compose/compose.h"
#include "op/named.h"

// [regions, 5]
static weft_value *regions_rows(weft__composing *c) {
  static const int64_t order[3] = {0, 2, 1};
  static const int64_t rows[2] = {-1, 5};
  weft_value *v = weft__composed(c, "rois");
  int rank = front_rank_of(c->o, v);
  if (c->o->failed || rank == 2)
    return v;
  if (rank != 3)
    return front_none(c->o, WEFT_E_SHAPE, "input 'rois' has rank %d, expected 2 or 3", rank);
  return front_reshaped(c->o, front_permuted(c->o, v, order, 3), rows, 2);
}

// roi_end_mode 1: the last element counts; 2: places are half an element further
static weft_status regions_align_build(weft__composing *c) {
  front_op *o = c->o;
  weft_value *rows = regions_rows(c);
  int64_t mode = weft__int_named(c->desc, "roi_end_mode");
  const weft_attr *pool = weft__attr_named(c->desc, "pool_mode");
  weft_value *from = front_part(o, rows, 1, 1, 3);
  weft_value *to = front_part(o, rows, 1, 3, 5);
  if (mode == 1 && to)
    to = front_do(o, "Add", to, front_num(o, to->fact.dtype, 1), NULL);
  weft_value *both[2] = {from, to};
  weft_value *map = front_as(o, front_squeezed(o, front_part(o, rows, 1, 0, 1), 1), WEFT_INT64);
  weft_value *boxes = front_joined(o, both, 2, 1);
  front_set_text(o, "coordinate_transformation_mode", mode == 2 ? "half_pixel" : "output_half_pixel");
  front_set_text(o, "mode", pool ? pool->u.s : "avg");
  front_set_int(o, "output_height", weft__int_named(c->desc, "pooled_height"));
  front_set_int(o, "output_width", weft__int_named(c->desc, "pooled_width"));
  front_set_int(o, "sampling_ratio", weft__int_named(c->desc, "sample_num"));
  front_set_float(o, "spatial_scale", weft__float_named(c->desc, "spatial_scale"));
  weft__compose_name(c, "y", front_do(o, "RoiAlign", weft__composed(c, "features"), boxes, map));
  return o->failed;
}

static weft_status regions_pool_build(weft__composing *c) {
  const int64_t sizes[2] = {weft__int_named(c->desc, "pooled_h"), weft__int_named(c->desc, "pooled_w")};
  double scale = weft__float_named(c->desc, "spatial_scale_h");
  if (scale != weft__float_named(c->desc, "spatial_scale_w"))
    return front_fail(c->o, WEFT_E_UNSUPPORTED,
                      "'spatial_scale_h' is %g and 'spatial_scale_w' %g: only one scale is computed", scale,
                      weft__float_named(c->desc, "spatial_scale_w"));
  weft_value *rows = regions_rows(c);
  front_set_ints(c->o, "pooled_shape", sizes, 2);
  front_set_float(c->o, "spatial_scale", scale);
  weft__compose_name(c, "y", front_do(c->o, "MaxRoiPool", weft__composed(c, "x"), rows, NULL));
  return c->o->failed;
}

WEFT_ROWS(regions) = {
    COMPOSED_BY("ROIAlign", "regions of feature maps resampled to one size", regions_align_build,
                "f32[1,1,2,2]{1,2,3,4}, f32[1,5]{0,0,0,1,1} spatial_scale=1 pooled_height=1 pooled_width=1 "
                "sample_num=1 roi_end_mode=0 -> f32[1,1,1,1]{2.5}",
                "f32[1,1,2,2]{1,2,3,4}, f32[1,5]{1,0,0,1,1} spatial_scale=1 pooled_height=1 pooled_width=1 "
                "!! E_RANGE element 0 is 1"),
    COMPOSED_BY("ROIPooling", "the largest element of each part of regions", regions_pool_build,
                "f32[1,1,2,2]{1,2,3,4}, f32[1,5]{0,0,0,1,1} pooled_h=1 pooled_w=1 spatial_scale_h=1 "
                "spatial_scale_w=1 -> f32[1,1,1,1]{4}"),
    {0},
};
// SPDX-License-Identifier: Apache-2.0
