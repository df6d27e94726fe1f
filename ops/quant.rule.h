// quant.rule.h - ports and attribute slots of QuantizeLinear and DequantizeLinear (WEFT_QUANT_ATTRS); the
// last two attributes are QuantizeLinear's.
#pragma once

enum { WEFT_QUANT_X, WEFT_QUANT_SCALE, WEFT_QUANT_ZERO };
enum {
  WEFT_QUANT_AXIS,
  WEFT_QUANT_BLOCK_SIZE,
  WEFT_QUANT_OUTPUT_DTYPE,
  WEFT_QUANT_SATURATE,
  WEFT_QUANT_PRECISION
};
// What output_dtype and precision are where they say nothing.
enum { WEFT_QUANT_NO_DTYPE = 28 };
// SPDX-License-Identifier: Apache-2.0
