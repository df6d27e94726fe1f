// ops/reduce/reduce_sum.c - y = sum of x over axes.   AscendIR ReduceSum, ONNX ReduceSum-13.
// Floats are summed in double and rounded once; integers wrap; no elements give 0. NaN and inf - inf give
// NaN.
#include "dims_logic.h"
#include "reduce.h"

static double reduce_sum_f64(const double *v, size_t n) {
  double s = 0;
  for (size_t k = 0; k < n; k++)
    s += v[k];
  return s;
}
static uint64_t reduce_sum_u64(const uint64_t *v, size_t n, const char **bad) {
  (void)bad;
  uint64_t s = 0;
  for (size_t k = 0; k < n; k++)
    s += v[k];
  return s;
}
static int64_t reduce_sum_i64(const int64_t *v, size_t n, const char **bad) {
  (void)bad;
  uint64_t s = 0;
  for (size_t k = 0; k < n; k++)
    s += (uint64_t)v[k];
  return (int64_t)s;
}
static void reduce_sum_c128(const double *v, size_t n, double z[2]) {
  z[0] = z[1] = 0;
  for (size_t k = 0; k < n; k++) {
    z[0] += v[2 * k];
    z[1] += v[2 * k + 1];
  }
}
static weft_status reduce_sum_ref(const weft_call *c) {
  return weft__reduce(c, &(weft_reducer){reduce_sum_f64, reduce_sum_i64, reduce_sum_u64, reduce_sum_c128});
}
static weft_status reduce_sum_value(weft_infer *it) {
  return weft__dims_fold(it, WEFT__DIMS_ADD);
}

WEFT_OP(reduce_sum) = {
    WEFT_REDUCE_PROTO("ReduceSum", WEFT_SET_NUMBER, WEFT_REDUCE_Y, WEFT_REDUCE_NOOP_TRUE),
    .summary = "the sum over axes",
    .infer_value = reduce_sum_value,
    .ref = reduce_sum_ref,
    .examples = WEFT_EXAMPLES(
        "f32[2,3]{1,2,3,4,5,6}, i64[1]{1} -> f32[2]{6,15}",
        "f32[2,3]{1,2,3,4,5,6}, i32[]{-2} keep_dims=true -> f32[1,3]{5,7,9}",
        "f32[2,2,2]{1,2,3,4,5,6,7,8}, i64[2]{0,2} -> f32[2]{14,22}",
        "f32[2,2]{1,2,3,4}, i64[0]{} -> f32[2,2]{1,2,3,4}",
        "f32[2,2]{1,2,3,4}, i64[0]{} noop_with_empty_axes=false -> f32[]{10}",
        "f32[2,2]{1,2,3,4}, i64[0]{} noop_with_empty_axes=false keep_dims=true -> f32[1,1]{10}",
        "f32[2]{inf,-inf}, i64[1]{0} -> f32[]{nan}", "i8[2]{127,127}, i64[1]{0} -> i8[]{-2}",
        "u64[2]{18446744073709551615,2}, i64[1]{0} -> u64[]{1}",
        "c64[2]{(1,2),(3,-4)}, i64[1]{0} -> c64[]{(4,-2)}", "f32[0,2]{}, i64[1]{0} -> f32[2]{0,0}",
        "f32[2,0]{}, i64[1]{0} -> f32[0]{}", "f32[]{3}, i64[0]{} -> f32[]{3}",
        "f32[-1,3], i64[1]{1} -> f32[-1]", "f32[2,1,3], i64[1] keep_dims=true -> f32[-1,1,-1]",
        "f32[2,4,3], i64[1] -> f32[-1,-1]", "f32[2,4,3], i64[-1] keep_dims=true -> f32[-1,-1,-1]",
        "f32[2,3], i64[1]{2} !! E_RANGE input 'axes': 2 is outside [-2, 1]",
        "f32[2,3], i64[2]{1,-1} !! E_DUPLICATE axis 1", "f32[2,3], f32[1]{1} !! E_DTYPE input 'axes'",
        "f32[2,3], i64[1,1]{1} !! E_SHAPE expected rank 0 or 1",
        "f32[2], i64[3]{0,0,0} !! E_SHAPE 3 axes for rank 1"),
};
// SPDX-License-Identifier: Apache-2.0
