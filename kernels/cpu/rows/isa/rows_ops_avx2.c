// rows_ops_avx2.c - rows_ops.h for this instruction set (cmake/kernels.cmake).
#define OPS weft__rows_ops_avx2
#include "cpu/rows/rows_ops_body.h"
// SPDX-License-Identifier: Apache-2.0
