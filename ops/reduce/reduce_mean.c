// ops/reduce/reduce_mean.c - y = mean of x over axes.   AscendIR ReduceMean, ONNX ReduceMean-18.
// Floats in double, rounded once; no elements give NaN. Integers are summed in 64 bits and the quotient is
// truncated; the mean of no integers is an error.
#include "reduce.h"

static const char NONE[] = "the mean of no integers does not exist";
static double reduce_mean_f64(const double *v, size_t n) {
  double s = 0;
  for (size_t k = 0; k < n; k++)
    s += v[k];
  return n ? s / (double)n : NAN;
}
static uint64_t reduce_mean_u64(const uint64_t *v, size_t n, const char **bad) {
  uint64_t s = 0;
  for (size_t k = 0; k < n; k++)
    s += v[k];
  if (!n)
    *bad = NONE;
  return n ? s / n : 0;
}
static int64_t reduce_mean_i64(const int64_t *v, size_t n, const char **bad) {
  uint64_t s = 0;
  for (size_t k = 0; k < n; k++)
    s += (uint64_t)v[k];
  if (!n)
    *bad = NONE;
  return n ? (int64_t)s / (int64_t)n : 0;
}
static void reduce_mean_c128(const double *v, size_t n, double z[2]) {
  z[0] = z[1] = 0;
  for (size_t k = 0; k < n; k++) {
    z[0] += v[2 * k];
    z[1] += v[2 * k + 1];
  }
  z[0] = n ? z[0] / (double)n : NAN;
  z[1] = n ? z[1] / (double)n : NAN;
}
static weft_status reduce_mean_ref(const weft_call *c) {
  return weft__reduce(c,
                      &(weft_reducer){reduce_mean_f64, reduce_mean_i64, reduce_mean_u64, reduce_mean_c128});
}

WEFT_OP(reduce_mean) = {
    WEFT_REDUCE_PROTO("ReduceMean", WEFT_SET_NUMBER, WEFT_REDUCE_Y, WEFT_REDUCE_NOOP_TRUE),
    .summary = "the mean over axes",
    .ref = reduce_mean_ref,
    .examples = WEFT_EXAMPLES("f32[2,3]{1,2,3,4,5,9}, i64[1]{-1} -> f32[2]{2,6}",
                              "f32[2,2]{1,2,3,nan}, i64[1]{0} keep_dims=true -> f32[1,2]{2,nan}",
                              "i8[2]{127,126}, i64[1]{0} -> i8[]{126}",
                              "i32[2]{-1,-2}, i64[1]{0} -> i32[]{-1}",
                              "u8[3]{255,255,254}, i32[1]{0} -> u8[]{254}",
                              "f16[2,2]{1,2,3,4}, i64[0]{} noop_with_empty_axes=false -> f16[]{2.5}",
                              "f32[0]{}, i64[1]{0} -> f32[]{nan}", "f32[0,2]{}, i64[1]{1} -> f32[0]{}",
                              "f32[8,-1,4], i64[2]{1,2} keep_dims=true -> f32[8,1,1]",
                              "c64[2]{(1,2),(3,4)}, i64[1]{0} -> c64[]{(2,3)}",
                              "i32[0]{}, i64[1]{0} !! E_RANGE the mean of no integers",
                              "f32[2], i64[1]{1} !! E_RANGE input 'axes'"),
};
// SPDX-License-Identifier: Apache-2.0
