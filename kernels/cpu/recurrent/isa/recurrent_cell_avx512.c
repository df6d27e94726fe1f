// recurrent_cell_avx512.c - recurrent cells with up to 6 rows x 4 gates of 16 units: 24 registers of sums.
#include "cpu/recurrent/recurrent_cell.h"
#include "cpu/recurrent/recurrent_math_wide.h"

#define VEC   16
#define ROWS  6
#define TABLE weft__cell_avx512
#include "cpu/recurrent/recurrent_cell_body.h"
// SPDX-License-Identifier: Apache-2.0
