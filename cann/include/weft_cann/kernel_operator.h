// weft_cann/kernel_operator.h - Ascend C on the CPU: all that a kernel includes. docs/ascendc.md says what is
// there.
#pragma once
#include "weft_cann/asc_cube.h"
#include "weft_cann/asc_gather.h"
#include "weft_cann/asc_kernel.h"
#include "weft_cann/asc_launch.h"
#include "weft_cann/asc_math.h"
#include "weft_cann/asc_multicopy.h"
#include "weft_cann/asc_norm.h"
#include "weft_cann/asc_precision.h"
#include "weft_cann/asc_quant.h"
#include "weft_cann/asc_random.h"
#include "weft_cann/asc_reduce.h"
#include "weft_cann/asc_reg_math.h"
#include "weft_cann/asc_reg_memory.h"
#include "weft_cann/asc_scalar.h"
#include "weft_cann/asc_scalar_math.h"
#include "weft_cann/asc_simt.h"
#include "weft_cann/asc_sort.h"
#include "weft_cann/asc_welford.h"
// SPDX-License-Identifier: Apache-2.0
