// tables.h - the families of ATen operators, a file each.
#pragma once
#include "frontend/torch/torch.h"

extern const pt_rows pt_math;       // element by element
extern const pt_rows pt_shape_ops;  // elements arranged anew
extern const pt_rows pt_split;      // cuts along an axis
extern const pt_rows pt_turn;       // in another order along axes
extern const pt_rows pt_reduce;     // over axes
extern const pt_rows pt_make;       // of sizes and numbers; sizes
extern const pt_rows pt_linear;     // products, attention
extern const pt_rows pt_conv;
extern const pt_rows pt_norm;
extern const pt_rows pt_pool;
extern const pt_rows pt_index;    // by places and masks
extern const pt_rows pt_scatter;  // written at places along an axis
extern const pt_rows pt_image;    // planes of pixels
extern const pt_rows pt_rnn;
extern const pt_rows pt_loss;
extern const pt_rows pt_tri;    // triangles, diagonals, strides
extern const pt_rows pt_embed;  // tables, classes, counting
extern const pt_rows pt_complex;
extern const pt_rows pt_back;     // gradients, strides
extern const pt_rows pt_special;  // special functions, other names
extern const pt_rows pt_stats;    // quantiles, covariances, areas
extern const pt_rows pt_arrange;  // joins and cuts with NumPy's names, sets
extern const pt_rows pt_solve;    // linear systems, factors of matrices
extern const pt_rows pt_factors;  // singular values and what follows from them
extern const pt_rows pt_slope;    // gradients of samples
extern const pt_rows pt_vision;   // torchvision's own: boxes and regions
extern const pt_rows pt_window;   // windows of signals, transforms of their parts
// SPDX-License-Identifier: Apache-2.0
