// tables.h - the families of TFLite's operators, a file each.   Layer: frontend.
#pragma once
#include "frontend/tflite/tflite.h"

#define TL_ROWS(array) \
  { array, WEFT_COUNT(array) }
extern const tl_rows tl_math;     // element by element, products of matrices, reductions
extern const tl_rows tl_data;     // elements arranged anew, chosen, made
extern const tl_rows tl_nn;       // convolutions, pools, norms, pictures
extern const tl_rows tl_signal;   // complex numbers, boundaries, segments, boxes
extern const tl_rows tl_control;  // branches and loops
// A transposed convolution: its filter is input 1.
typedef struct tl_turned {
  bool sized;      // input 0 says how large the output becomes
  size_t x, bias;  // which inputs
  bool same;       // padding
  int64_t strides[2];
} tl_turned;
void tl_conv_transposed(tl_op *o, const tl_turned *turned);  // map_nn.c
// Of the custom operators that the interpreter brings (map_custom.c); NULL: another.
const tl_row *tl_own_custom(const char *type);
// SPDX-License-Identifier: Apache-2.0
