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
// Of the custom operators that the interpreter brings (map_custom.c); NULL: another.
const tl_row *tl_own_custom(const char *type);
// SPDX-License-Identifier: Apache-2.0
