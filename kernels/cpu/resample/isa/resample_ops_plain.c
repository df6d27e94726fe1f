// resample_ops_plain.c - resample_ops.h for this instruction set (cmake/kernels.cmake).
#define OPS weft__resample_ops_plain
#include "cpu/resample/resample_ops_body.h"
// SPDX-License-Identifier: Apache-2.0
