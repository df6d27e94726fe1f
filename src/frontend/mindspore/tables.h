// tables.h - the families of MindSpore's operators, a file each.
#pragma once
#include "frontend/mindspore/mindspore.h"

#define MS_ROWS(array) \
  { array, WEFT_COUNT(array) }
// An operator of one or two tensors of one dtype that AscendIR has, too.
#define MS_UNARY(name, type) \
  { name, "x", type "(x)", 'T', NULL }
#define MS_BINARY(name, type) \
  { name, "x y", type "(x, y)", 'T', NULL }
extern const ms_rows ms_glue;     // tuples, closures, the order of side effects
extern const ms_rows ms_python;   // comparisons of tuples and None, text, exceptions
extern const ms_rows ms_state;    // parameters that change
extern const ms_rows ms_math;     // element by element, products of matrices
extern const ms_rows ms_special;  // special functions, divisors, distances
extern const ms_rows ms_linear;   // factors of matrices, diagonals, places among sorted numbers
extern const ms_rows ms_same;     // under the name that AscendIR has for it
extern const ms_rows ms_complex;  // complex numbers, Fourier transforms
extern const ms_rows ms_image;    // regions of pictures, blocks of space, runs
extern const ms_rows ms_reduce;   // sums, extremes, norms, sorting
extern const ms_rows ms_data;     // elements arranged anew, made
extern const ms_rows ms_border;   // borders, blocks of pixels
extern const ms_rows ms_index;    // elements chosen and written by their places
extern const ms_rows ms_nn;       // convolutions, pools
extern const ms_rows ms_norm;     // norms, pictures, recurrent layers, losses
// SPDX-License-Identifier: Apache-2.0
