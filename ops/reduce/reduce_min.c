// ops/reduce/reduce_min.c - y = the smallest x over axes.   AscendIR ReduceMin, ONNX ReduceMin-20.
// NaN wins. No elements give inf or the greatest integer of the type; bool is ordered false, true.
#include "dims_logic.h"
#include "reduce.h"

static double reduce_min_f64(const double *v, size_t n) {
  double best = INFINITY;
  for (size_t k = 0; k < n; k++) {
    if (v[k] < best || v[k] != v[k])
      best = v[k];
  }
  return best;
}
static uint64_t reduce_min_u64(const uint64_t *v, size_t n, const char **bad) {
  (void)bad;
  uint64_t best = UINT64_MAX;
  for (size_t k = 0; k < n; k++) {
    if (v[k] < best)
      best = v[k];
  }
  return best;
}
static int64_t reduce_min_i64(const int64_t *v, size_t n, const char **bad) {
  (void)bad;
  int64_t best = INT64_MAX;
  for (size_t k = 0; k < n; k++) {
    if (v[k] < best)
      best = v[k];
  }
  return best;
}
static weft_status reduce_min_ref(const weft_call *c) {
  return weft__reduce(c, &(weft_reducer){reduce_min_f64, reduce_min_i64, reduce_min_u64, NULL, true});
}
static weft_status reduce_min_value(weft_infer *it) {
  return weft__dims_fold(it, WEFT__DIMS_MIN);
}

WEFT_OP(reduce_min) = {
    WEFT_REDUCE_PROTO("ReduceMin", WEFT_SET_NUMBER | WEFT_DT(BOOL), WEFT_REDUCE_Y, WEFT_REDUCE_NOOP_TRUE),
    .summary = "the smallest element over axes",
    .infer_value = reduce_min_value,
    .ref = reduce_min_ref,
    .examples = WEFT_EXAMPLES("f32[2,3]{1,5,3,4,-2,6}, i64[1]{1} -> f32[2]{1,-2}",
                              "f32[3]{1,nan,3}, i64[1]{0} keep_dims=true -> f32[1]{nan}",
                              "f32[0]{}, i64[1]{0} -> f32[]{inf}", "i8[0]{}, i64[1]{0} -> i8[]{127}",
                              "u16[0]{}, i64[1]{0} -> u16[]{65535}", "bool[0]{}, i64[1]{0} -> bool[]{true}",
                              "u64[2]{18446744073709551615,2}, i32[1]{0} -> u64[]{2}",
                              "bool[2]{false,true}, i64[1]{0} -> bool[]{false}",
                              "i32[2,2]{-1,-2,-3,-4}, i64[0]{} noop_with_empty_axes=false -> i32[]{-4}",
                              "f32[-1,3], i64[1]{0} -> f32[3]", "f32[0,3], i64[1]{0} -> f32[3]",
                              "c64[1]{(1,2)}, i64[1]{0} !! E_UNSUPPORTED no reference kernel",
                              "f32[2], i64[1]{-2} !! E_RANGE input 'axes': -2"),
};
// SPDX-License-Identifier: Apache-2.0
