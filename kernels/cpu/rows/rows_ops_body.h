// rows_ops_body.h - all inner loops of rows_ops.h, as table OPS, for the instruction set that the including
// file is compiled for.
#include "cpu/rows/rows_ops.h"
#include "cpu/rows/half_rows.h"
#include "cpu/rows/reduce_rows.h"
#include "cpu/rows/softmax_rows.h"
#include "cpu/rows/norm_rows.h"
#include "cpu/rows/find_rows.h"
#include "cpu/rows/fold_rows.h"
#include "cpu/rows/scan_rows.h"

const weft__rows_ops OPS = {.softmax = softmax,
                            .softmax_columns = softmax_columns,
                            .sum = sum,
                            .sum_squares = sum_squares,
                            .max = max_row,
                            .min = min_row,
                            .below = below,
                            .add_rows = add_rows,
                            .multiply_rows = multiply_rows,
                            .add_squares = add_squares,
                            .product = product,
                            .sum_exps = sum_exps,
                            .add_exps = add_exps,
                            .fold = FOLD_TABLE,
                            .scan = SCAN_TABLE,
                            .max_into = max_into,
                            .min_into = min_into,
                            .normalise = normalise,
                            .affine = affine,
                            .affine_by = affine_by,
                            .lrn = lrn,
                            .count = count_found,
                            .find = find,
                            .put_wide = put_wide,
                            .put_narrow = put_narrow,
                            .widen = {widen_half, widen_bf16},
                            .narrow = {narrow_half, narrow_bf16}};
// SPDX-License-Identifier: Apache-2.0
