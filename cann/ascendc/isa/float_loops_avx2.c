// float_loops_avx2.c - loops over floats for this instruction set (cmake/ascendc.cmake).
#include "loops.h"
#define ASC_LOOPS asc_float_loops_avx2
#include "float_loops.h"
// SPDX-License-Identifier: Apache-2.0
