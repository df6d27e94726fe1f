// quant_16_avx512.c - rows between floats and 16-bit integers for that instruction set.
#define TABLE weft__quant_16_avx512
#include "cpu/quant/quant_16_body.h"
// SPDX-License-Identifier: Apache-2.0
