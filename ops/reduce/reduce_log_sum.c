// ops/reduce/reduce_log_sum.c - y = log(sum(x)) over axes.   AscendIR ReduceLogSum, ONNX ReduceLogSum-18.
// Summed in double; a sum of 0, or of no elements, gives -inf; a negative one NaN. Integers are not
// supported.
#include "reduce.h"

static double reduce_log_sum_f64(const double *v, size_t n) {
  double s = 0;
  for (size_t k = 0; k < n; k++)
    s += v[k];
  return log(s);
}
static weft_status reduce_log_sum_ref(const weft_call *c) {
  return weft__reduce(c, &(weft_reducer){reduce_log_sum_f64, NULL, NULL, NULL});
}

WEFT_OP(reduce_log_sum) = {
    WEFT_REDUCE_PROTO("ReduceLogSum", WEFT_SET_NUMBER, WEFT_REDUCE_Y, WEFT_REDUCE_NOOP_EXT),
    .summary = "the logarithm of the sum over axes",
    .ref = reduce_log_sum_ref,
    .examples = WEFT_EXAMPLES("f32[2,2]{0.25,0.75,1,1}, i64[1]{1} -> f32[2]{0,0.6931472} ~1e-6",
                              "f32[2]{1,-2}, i64[0]{} -> f32[]{nan}", "f32[0]{}, i64[1]{0} -> f32[]{-inf}",
                              "f32[2]{1,inf}, i64[1]{0} keep_dims=true -> f32[1]{inf}",
                              "f32[-1,2], i64[1]{1} -> f32[-1]",
                              "i32[1]{1}, i64[1]{0} !! E_UNSUPPORTED no reference kernel",
                              "f32[2], i64[1]{1} !! E_RANGE input 'axes'"),
};
// SPDX-License-Identifier: Apache-2.0
