// fixed_rows_avx2.c - rows of sums scaled by whole numbers for that instruction set.
#define TABLE weft__fixed_avx2
#include "cpu/quant/fixed_rows_body.h"
// SPDX-License-Identifier: Apache-2.0
