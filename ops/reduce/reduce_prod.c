// ops/reduce/reduce_prod.c - y = product of x over axes.   AscendIR ReduceProd, ONNX ReduceProd-18.
// Floats in double, rounded once; integers wrap; no elements give 1.
#include "dims_logic.h"
#include "reduce.h"

static double reduce_prod_f64(const double *v, size_t n) {
  double s = 1;
  for (size_t k = 0; k < n; k++)
    s *= v[k];
  return s;
}
static uint64_t reduce_prod_u64(const uint64_t *v, size_t n, const char **bad) {
  (void)bad;
  uint64_t s = 1;
  for (size_t k = 0; k < n; k++)
    s *= v[k];
  return s;
}
static int64_t reduce_prod_i64(const int64_t *v, size_t n, const char **bad) {
  (void)bad;
  uint64_t s = 1;
  for (size_t k = 0; k < n; k++)
    s *= (uint64_t)v[k];
  return (int64_t)s;
}
static void reduce_prod_c128(const double *v, size_t n, double z[2]) {
  z[0] = 1;
  z[1] = 0;
  for (size_t k = 0; k < n; k++) {
    double re = z[0] * v[2 * k] - z[1] * v[2 * k + 1];
    z[1] = z[0] * v[2 * k + 1] + z[1] * v[2 * k];
    z[0] = re;
  }
}
static weft_status reduce_prod_ref(const weft_call *c) {
  return weft__reduce(c,
                      &(weft_reducer){reduce_prod_f64, reduce_prod_i64, reduce_prod_u64, reduce_prod_c128});
}
static weft_status reduce_prod_value(weft_infer *it) {
  return weft__dims_fold(it, WEFT__DIMS_MUL);
}

WEFT_OP(reduce_prod) = {
    WEFT_REDUCE_PROTO("ReduceProd", WEFT_SET_NUMBER, WEFT_REDUCE_Y, WEFT_REDUCE_NOOP_TRUE),
    .summary = "the product over axes",
    .infer_value = reduce_prod_value,
    .ref = reduce_prod_ref,
    .examples = WEFT_EXAMPLES("f32[2,2]{1,2,3,4}, i64[1]{1} -> f32[2]{2,12}",
                              "f32[2,2]{1,2,3,4}, i64[0]{} noop_with_empty_axes=false -> f32[]{24}",
                              "i8[2]{100,2}, i64[1]{0} keep_dims=true -> i8[1]{-56}",
                              "f32[2]{inf,0}, i64[1]{0} -> f32[]{nan}",
                              "c64[2]{(0,1),(0,1)}, i64[1]{0} -> c64[]{(-1,0)}",
                              "u8[0,2]{}, i64[1]{0} -> u8[2]{1,1}", "f16[0,-1], i64[1]{0} -> f16[-1]",
                              "f32[2], i64[1]{5} !! E_RANGE input 'axes'"),
};
// SPDX-License-Identifier: Apache-2.0
