// recurrent_cell_avx2.c - recurrent cells with up to 3 rows x 4 gates of 8 units: 12 registers of sums.
#include "cpu/recurrent/recurrent_cell.h"
#include "cpu/recurrent/recurrent_math_wide.h"

#define VEC   8
#define ROWS  3
#define TABLE weft__cell_avx2
#include "cpu/recurrent/recurrent_cell_body.h"
// SPDX-License-Identifier: Apache-2.0
