// aten_vision.c - torchvision's own operators: boxes that do not overlap, regions of feature maps,
// convolutions that read beside their places.
#include "frontend/torch/tables.h"

// The kept boxes, best first: INT64 [k].
static void vision_nms(pt_op *o) {
  front_op *b = &o->b;
  weft_value *boxes = front_as(b, pt_tensor(o, "dets"), WEFT_FLOAT);
  weft_value *scores = front_as(b, pt_tensor(o, "scores"), WEFT_FLOAT);
  weft_value *in[4] = {front_unsqueezed(b, boxes, 0), front_unsqueezed(b, front_unsqueezed(b, scores, 0), 0),
                       front_dim_index(b, scores, 0),
                       front_num(b, WEFT_FLOAT, pt_float(o, "iou_threshold", 0))};
  front_set(b, "dtype", weft_attr_dtype(WEFT_INT64));
  weft_value *rows = b->failed ? NULL : front_emit(b, "NonMaxSuppressionV6", in, 4, NULL);
  pt_result(o, 0, front_picked(b, rows, 1, front_index(b, 2)));
}

static void vision_roi_align(pt_op *o) {
  front_op *b = &o->b;
  weft_value *x = pt_tensor(o, "input");
  weft_value *rois = pt_tensor(o, "rois");
  weft_value *image = front_as(b, front_picked(b, rois, 1, front_index(b, 0)), WEFT_INT64);
  weft_value *in[3] = {x, front_as(b, front_part(b, rois, 1, 1, 5), x ? x->fact.dtype : WEFT_FLOAT), image};
  const int64_t samples = pt_int(o, "sampling_ratio", -1);
  const bool aligned = pt_bool(o, "aligned", false);
  front_set_text(b, "coordinate_transformation_mode", aligned ? "half_pixel" : "output_half_pixel");
  front_set_int(b, "output_height", pt_int(o, "pooled_height", 1));
  front_set_int(b, "output_width", pt_int(o, "pooled_width", 1));
  front_set_int(b, "sampling_ratio", WEFT_MAX(0, samples));
  front_set_float(b, "spatial_scale", pt_float(o, "spatial_scale", 1));
  pt_result(o, 0, b->failed ? NULL : front_emit(b, "RoiAlign", in, 3, NULL));
}

static void vision_roi_pool(pt_op *o) {
  front_op *b = &o->b;
  weft_value *x = pt_tensor(o, "input");
  const int64_t shape[2] = {pt_int(o, "pooled_height", 1), pt_int(o, "pooled_width", 1)};
  weft_value *rois = front_as(b, pt_tensor(o, "rois"), x ? x->fact.dtype : WEFT_FLOAT);
  front_set_ints(b, "pooled_shape", shape, 2);
  front_set_float(b, "spatial_scale", pt_float(o, "spatial_scale", 1));
  pt_result(o, 0, front_do(b, "MaxRoiPool", x, rois, NULL));
}

static void vision_deform_conv(pt_op *o) {
  front_op *b = &o->b;
  const int64_t strides[2] = {pt_int(o, "stride_h", 1), pt_int(o, "stride_w", 1)};
  const int64_t dilations[2] = {pt_int(o, "dilation_h", 1), pt_int(o, "dilation_w", 1)};
  const int64_t pad_h = pt_int(o, "pad_h", 0);
  const int64_t pad_w = pt_int(o, "pad_w", 0);
  const bool masked = pt_bool(o, "use_mask", true);
  weft_value *in[5] = {pt_tensor(o, "input"), pt_tensor(o, "weight"), pt_tensor(o, "offset"),
                       pt_tensor(o, "bias"), pt_tensor(o, "mask")};  // a mask that is not used is zeros
  front_set_ints(b, "strides", strides, 2);
  front_set_ints(b, "dilations", dilations, 2);
  front_set_ints(b, "pads", (const int64_t[]){pad_h, pad_w, pad_h, pad_w}, 4);
  front_set_int(b, "group", pt_int(o, "groups", 1));
  front_set_int(b, "offset_group", pt_int(o, "offset_groups", 1));
  pt_result(o, 0, b->failed ? NULL : front_emit(b, "DeformConv", in, masked ? 5 : 4, NULL));
}

static const pt_row vision_rows[] = {
    {"torchvision.nms", NULL, 0, vision_nms, 0},
    {"torchvision.roi_align", NULL, 0, vision_roi_align, 0},
    {"torchvision.roi_pool", NULL, 0, vision_roi_pool, 0},
    {"torchvision.deform_conv2d", NULL, 0, vision_deform_conv, 0},
};
const pt_rows pt_vision = PT_ROWS(vision_rows);
// SPDX-License-Identifier: Apache-2.0
