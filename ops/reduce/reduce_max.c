// ops/reduce/reduce_max.c - y = the largest x over axes.   AscendIR ReduceMax, ONNX ReduceMax-20.
// NaN wins. No elements give -inf or the least integer of the type; bool is ordered false, true.
#include "dims_logic.h"
#include "reduce.h"

static double reduce_max_f64(const double *v, size_t n) {
  double best = -INFINITY;
  for (size_t k = 0; k < n; k++) {
    if (v[k] > best || v[k] != v[k])
      best = v[k];
  }
  return best;
}
static uint64_t reduce_max_u64(const uint64_t *v, size_t n, const char **bad) {
  (void)bad;
  uint64_t best = 0;
  for (size_t k = 0; k < n; k++) {
    if (v[k] > best)
      best = v[k];
  }
  return best;
}
static int64_t reduce_max_i64(const int64_t *v, size_t n, const char **bad) {
  (void)bad;
  int64_t best = INT64_MIN;
  for (size_t k = 0; k < n; k++) {
    if (v[k] > best)
      best = v[k];
  }
  return best;
}
static weft_status reduce_max_ref(const weft_call *c) {
  return weft__reduce(c, &(weft_reducer){reduce_max_f64, reduce_max_i64, reduce_max_u64, NULL, true});
}
static weft_status reduce_max_value(weft_infer *it) {
  return weft__dims_fold(it, WEFT__DIMS_MAX);
}

WEFT_OP(reduce_max) = {
    WEFT_REDUCE_PROTO("ReduceMax", WEFT_SET_NUMBER | WEFT_DT(BOOL), WEFT_REDUCE_Y, WEFT_REDUCE_NOOP_TRUE),
    .summary = "the largest element over axes",
    .infer_value = reduce_max_value,
    .ref = reduce_max_ref,
    .examples = WEFT_EXAMPLES("f32[2,3]{1,5,3,4,-2,6}, i64[1]{1} -> f32[2]{5,6}",
                              "f32[3]{1,nan,3}, i64[1]{0} keep_dims=true -> f32[1]{nan}",
                              "f32[0]{}, i64[1]{0} -> f32[]{-inf}", "i8[0]{}, i64[1]{0} -> i8[]{-128}",
                              "i64[0]{}, i64[1]{0} -> i64[]{-9223372036854775808}",
                              "u8[0]{}, i64[1]{0} -> u8[]{0}",
                              "u64[2]{18446744073709551615,2}, i32[1]{0} -> u64[]{18446744073709551615}",
                              "bool[2]{false,true}, i64[1]{0} -> bool[]{true}",
                              "i32[2,2]{-1,-2,-3,-4}, i64[0]{} noop_with_empty_axes=false -> i32[]{-1}",
                              "f32[-1,3], i64[1]{0} -> f32[3]", "f32[0,3], i64[1]{0} -> f32[3]",
                              "c64[1]{(1,2)}, i64[1]{0} !! E_UNSUPPORTED no reference kernel",
                              "f32[2], i64[1]{-2} !! E_RANGE input 'axes': -2"),
};
// SPDX-License-Identifier: Apache-2.0
