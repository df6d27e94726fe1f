// ops/reduce/reduce_any.c - y = true where any x over axes is not 0.   AscendIR ReduceAny.
// NaN is not 0. No axes reduce everything, as in AscendIR; weft adds noop_with_empty_axes.
#include "reduce.h"

static double reduce_any_f64(const double *v, size_t n) {
  int s = 0;
  for (size_t k = 0; k < n; k++)
    s |= v[k] != 0;
  return s;
}
static uint64_t reduce_any_u64(const uint64_t *v, size_t n, const char **bad) {
  (void)bad;
  unsigned s = 0;
  for (size_t k = 0; k < n; k++)
    s |= v[k] != 0;
  return s;
}
static weft_status reduce_any_ref(const weft_call *c) {
  return weft__reduce(c, &(weft_reducer){reduce_any_f64, NULL, reduce_any_u64, NULL});
}

WEFT_OP(reduce_any) = {
    WEFT_REDUCE_PROTO("ReduceAny", WEFT_DT(BOOL) | WEFT_DT(FLOAT), WEFT_REDUCE_Y_BOOL, WEFT_REDUCE_NOOP_EXT),
    .summary = "true where any x over axes is not 0",
    .ref = reduce_any_ref,
    .examples =
        WEFT_EXAMPLES("bool[2,2]{true,false,false,false}, i64[1]{1} -> bool[2]{true,false}",
                      "f32[2]{nan,0}, i32[1]{0} -> bool[]{true}", "f32[2]{0,-0.5}, i64[0]{} -> bool[]{true}",
                      "bool[0,2]{}, i64[1]{0} -> bool[2]{false,false}",
                      "bool[2]{true,false}, i64[0]{} noop_with_empty_axes=true -> bool[2]{true,false}",
                      "bool[-1,3], i64[1]{0} keep_dims=true -> bool[1,3]",
                      "i32[2], i64[1]{0} !! E_DTYPE input 'x'", "bool[2], i64[1]{1} !! E_RANGE input 'axes'"),
};
// SPDX-License-Identifier: Apache-2.0
