// fixed_rows_avx512.c - rows of sums scaled by whole numbers for that instruction set.
#define TABLE weft__fixed_avx512
#include "cpu/quant/fixed_rows_body.h"
// SPDX-License-Identifier: Apache-2.0
