// quant_sum.rule.h - the slot of `range` (WEFT_SUM_RANGE) of MatMulInteger, which has no other attribute, and
// of ConvInteger, which has it behind those of Conv.
#pragma once
#include "conv.rule.h"

enum { WEFT_MATMUL_SUM_RANGE = 0, WEFT_CONV_SUM_RANGE = WEFT_CONV_STRIDES + 1 };
// SPDX-License-Identifier: Apache-2.0
