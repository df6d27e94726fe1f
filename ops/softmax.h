// softmax.h - what SoftmaxV2 and LogSoftmaxV2 share. Layer: ops.
#pragma once
#include "lanes.h"

weft_status weft__lane_axes(weft_diag *d, const weft_op_desc *n, uint32_t slot, size_t rank,
                            uint32_t *out_mask);
weft_status weft__softmax_infer(weft_infer *it);  // axes: softmax.rule.h
weft_status weft__softmax_run(const weft_call *c, weft_lane_fn f);
double weft__lane_max(const double *v, size_t n);  // NaN wins; -inf for no elements
// SPDX-License-Identifier: Apache-2.0
