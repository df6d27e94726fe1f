// tables.h - the families of ATen operators, a file each.
#pragma once
#include "frontend/torch/torch.h"

extern const pt_rows pt_math;       // element by element
extern const pt_rows pt_shape_ops;  // elements arranged anew
extern const pt_rows pt_reduce;     // over axes
extern const pt_rows pt_make;       // of sizes and numbers; sizes
extern const pt_rows pt_linear;     // products, attention
extern const pt_rows pt_conv;
extern const pt_rows pt_norm;
extern const pt_rows pt_pool;
extern const pt_rows pt_index;  // by places and masks
// SPDX-License-Identifier: Apache-2.0
