// move_ops_avx2.c - move_ops.h for this instruction set (cmake/kernels.cmake).
#define OPS weft__move_ops_avx2
#include "cpu/move/move_ops_body.h"
// SPDX-License-Identifier: Apache-2.0
