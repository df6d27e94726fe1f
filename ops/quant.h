// quant.h - linear quantisation with a scale for the whole tensor, for each place of an axis, or for blocks
// of an axis, as ONNX's QuantizeLinear and DequantizeLinear have it. Layer: ops.
#pragma once
#include "op.h"
#include "quant.rule.h"

#define WEFT_QUANTISED                                                                                  \
  (WEFT_DT(INT8) | WEFT_DT(UINT8) | WEFT_DT(INT16) | WEFT_DT(UINT16) | WEFT_DT(INT4) | WEFT_DT(UINT4) | \
   WEFT_DT(INT2) | WEFT_DT(UINT2) | WEFT_DT(FLOAT8_E4M3FN) | WEFT_DT(FLOAT8_E4M3FNUZ) |                 \
   WEFT_DT(FLOAT8_E5M2) | WEFT_DT(FLOAT8_E5M2FNUZ) | WEFT_DT(FLOAT4_E2M1) | WEFT_DT(FLOAT6_E2M3) |      \
   WEFT_DT(FLOAT6_E3M2))

#define WEFT_QUANT_ATTRS                                       \
  {"axis", "Int", "1"}, {"block_size", "Int", "0", "min 0"}, { \
    "output_dtype", "Int", "28"                                \
  }

// Output 0 has the shape of x; the shapes of scale and zero point are checked against it and each other.
weft_status weft__quant_infer(weft_infer *it);

// Where the scale of an element is, for known shapes.
typedef struct weft_quant {
  size_t inner, axis, block,
      scales;  // elements behind the axis, of the axis, of a block, of scale along the axis
  bool per_axis;
  const weft_tensor *scale, *zero;  // zero NULL: absent
} weft_quant;
weft_status weft__quant_init(const weft_call *c, weft_quant *out);
static inline size_t weft__quant_at(const weft_quant *q, size_t i) {
  size_t k = i / q->inner % q->axis;
  if (q->per_axis)
    return k;
  return q->scales ? (i / (q->inner * q->axis) * q->scales + k / q->block) * q->inner + i % q->inner : 0;
}
// SPDX-License-Identifier: Apache-2.0
