// resample_ops_avx512.c - resample_ops.h for this instruction set (cmake/kernels.cmake).
#define OPS weft__resample_ops_avx512
#include "cpu/resample/resample_ops_body.h"
// SPDX-License-Identifier: Apache-2.0
