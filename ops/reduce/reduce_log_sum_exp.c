// ops/reduce/reduce_log_sum_exp.c - y = log(sum(exp(x))) over axes.   AscendIR ReduceLogSumExp, ONNX
// ReduceLogSumExp-18. The largest element is taken out first, so nothing overflows; no elements give -inf,
// inf gives inf, NaN gives NaN.
#include "reduce.h"

static double reduce_log_sum_exp_f64(const double *v, size_t n) {
  double most = -INFINITY, s = 0;
  for (size_t k = 0; k < n; k++) {
    if (v[k] > most || v[k] != v[k])
      most = v[k];
  }
  if (most - most != 0)
    return most;  // infinite or NaN
  for (size_t k = 0; k < n; k++)
    s += exp(v[k] - most);
  return most + log(s);
}
static weft_status reduce_log_sum_exp_ref(const weft_call *c) {
  return weft__reduce(c, &(weft_reducer){reduce_log_sum_exp_f64, NULL, NULL, NULL});
}

WEFT_OP(reduce_log_sum_exp) = {
    WEFT_REDUCE_PROTO("ReduceLogSumExp", WEFT_FLOATS, WEFT_REDUCE_Y, WEFT_REDUCE_NOOP_FALSE),
    .summary = "the logarithm of the sum of exponentials over axes",
    .ref = reduce_log_sum_exp_ref,
    .examples = WEFT_EXAMPLES("f32[2,2]{0,0,1000,1000}, i64[1]{1} -> f32[2]{0.6931472,1000.6931} ~1e-6",
                              "f64[3]{1,2,3}, i64[0]{} -> f64[]{3.4076059644443806} ~1e-15",
                              "f32[2]{5,nan}, i64[0]{} noop_with_empty_axes=true -> f32[2]{5,nan}",
                              "f32[2]{-inf,-inf}, i64[1]{0} -> f32[]{-inf}",
                              "f32[2]{inf,1}, i64[1]{0} -> f32[]{inf}",
                              "f32[2]{inf,nan}, i64[1]{0} -> f32[]{nan}",
                              "f16[0,2]{}, i64[1]{0} keep_dims=true -> f16[1,2]{-inf,-inf}",
                              "f32[4,-1], i64[1]{1} -> f32[4]", "i32[2], i64[1]{0} !! E_DTYPE input 'x'",
                              "f32[2], i64[1]{1} !! E_RANGE input 'axes'"),
};
// SPDX-License-Identifier: Apache-2.0
