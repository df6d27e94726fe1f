// rows_ops_plain.c - rows_ops.h for this instruction set (cmake/kernels.cmake).
#define OPS weft__rows_ops_plain
#include "cpu/rows/rows_ops_body.h"
// SPDX-License-Identifier: Apache-2.0
