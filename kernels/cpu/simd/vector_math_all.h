// vector_math_all.h - all inner loops, as table WEFT_LOOPS, for the instruction set that the including file
// is compiled for.
#include "cpu/simd/vector_math_table.h"
#include "cpu/elementwise/tile_ops.h"
#include "cpu/rows/reduce_rows.h"
#include "cpu/rows/softmax_rows.h"
#include "cpu/rows/norm_rows.h"
#include "cpu/move/move_rows.h"
#include "cpu/rows/find_rows.h"
#include "cpu/rows/fold_rows.h"
#include "cpu/rows/scan_rows.h"
#include "cpu/move/place_rows.h"
#include "cpu/resample/resample_rows.h"

const weft__vec WEFT_LOOPS = {.tile = TILE_TABLES,
                              .softmax = softmax,
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
                              .transpose = transpose,
                              .turn = {turn_bytes, turn_shorts, turn_words, turn_longs},
                              .weave = weave,
                              .stream = stream,
                              .lines = lines,
                              .twice = twice,
                              .count = count_found,
                              .find = find,
                              .put_wide = put_wide,
                              .put_narrow = put_narrow,
                              .places = {places_32, places_64},
                              .mix = mix,
                              .resample = resample,
                              .gathered = gathered,
                              .paired = paired,
                              .paired_most = paired_most,
                              .linear = linear,
                              .widen = {widen_half, widen_bf16},
                              .narrow = {narrow_half, narrow_bf16}};
