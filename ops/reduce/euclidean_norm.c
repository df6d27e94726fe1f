// ops/reduce/euclidean_norm.c - y = sqrt(sum(x * x)) over axes.   AscendIR EuclideanNorm (ONNX ReduceL2-18
// for floats). Computed in double, so squares of float and float16 do not overflow; no elements give 0; NaN
// gives NaN. Integers truncate and saturate; complex numbers are not supported.
#include "reduce.h"

static double euclidean_norm_f64(const double *v, size_t n) {
  double s = 0;
  for (size_t k = 0; k < n; k++)
    s += v[k] * v[k];
  return sqrt(s);
}
static uint64_t euclidean_norm_u64(const uint64_t *v, size_t n, const char **bad) {
  (void)bad;
  double s = 0;
  for (size_t k = 0; k < n; k++)
    s += (double)v[k] * (double)v[k];
  s = sqrt(s);
  return s < 18446744073709551615.0 ? (uint64_t)s : UINT64_MAX;
}
static int64_t euclidean_norm_i64(const int64_t *v, size_t n, const char **bad) {
  (void)bad;
  double s = 0;
  for (size_t k = 0; k < n; k++)
    s += (double)v[k] * (double)v[k];
  s = sqrt(s);
  return s < 9223372036854775807.0 ? (int64_t)s : INT64_MAX;
}
static weft_status euclidean_norm_ref(const weft_call *c) {
  return weft__reduce(
      c, &(weft_reducer){euclidean_norm_f64, euclidean_norm_i64, euclidean_norm_u64, NULL, true});
}

WEFT_OP(euclidean_norm) = {
    WEFT_REDUCE_PROTO("EuclideanNorm", WEFT_SET_NUMBER, WEFT_REDUCE_Y, WEFT_REDUCE_NOOP_EXT),
    .summary = "the Euclidean norm over axes",
    .ref = euclidean_norm_ref,
    .examples = WEFT_EXAMPLES("f32[2,2]{3,4,5,12}, i64[1]{1} -> f32[2]{5,13}",
                              "f32[2]{3e30,4e30}, i64[0]{} -> f32[]{5e30}",
                              "i32[2]{1,2}, i64[1]{0} keep_dims=true -> i32[1]{2}",
                              "i8[2]{-128,-128}, i64[1]{0} -> i8[]{127}", "f32[0]{}, i64[1]{0} -> f32[]{0}",
                              "f32[2]{nan,1}, i64[1]{0} -> f32[]{nan}", "f32[-1,3], i64[1]{0} -> f32[3]",
                              "f32[2], i64[1]{1} !! E_RANGE input 'axes'"),
};
// SPDX-License-Identifier: Apache-2.0
