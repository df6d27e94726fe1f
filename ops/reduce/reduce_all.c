// ops/reduce/reduce_all.c - y = true where every x over axes is not 0.   AscendIR ReduceAll.
// NaN is not 0. No axes reduce everything, as in AscendIR; weft adds noop_with_empty_axes.
#include "reduce.h"

static double reduce_all_f64(const double *v, size_t n) {
  int s = 1;
  for (size_t k = 0; k < n; k++)
    s &= v[k] != 0;
  return s;
}
static uint64_t reduce_all_u64(const uint64_t *v, size_t n, const char **bad) {
  (void)bad;
  unsigned s = 1;
  for (size_t k = 0; k < n; k++)
    s &= v[k] != 0;
  return s;
}
static weft_status reduce_all_ref(const weft_call *c) {
  return weft__reduce(c, &(weft_reducer){reduce_all_f64, NULL, reduce_all_u64, NULL});
}

WEFT_OP(reduce_all) = {
    WEFT_REDUCE_PROTO("ReduceAll", WEFT_DT(BOOL) | WEFT_DT(BF16) | WEFT_DT(FLOAT) | WEFT_DT(FLOAT16),
                      WEFT_REDUCE_Y_BOOL, WEFT_REDUCE_NOOP_EXT),
    .summary = "true where every x over axes is not 0",
    .ref = reduce_all_ref,
    .examples =
        WEFT_EXAMPLES("bool[2,2]{true,false,true,true}, i64[1]{1} -> bool[2]{false,true}",
                      "f32[2]{nan,-1}, i32[1]{0} -> bool[]{true}", "f16[2]{0,1}, i64[0]{} -> bool[]{false}",
                      "bool[0,2]{}, i64[1]{0} -> bool[2]{true,true}",
                      "bool[2]{true,false}, i64[0]{} noop_with_empty_axes=true -> bool[2]{true,false}",
                      "bool[-1,3], i64[1]{0} keep_dims=true -> bool[1,3]",
                      "i32[2], i64[1]{0} !! E_DTYPE input 'x'", "bool[2], i64[1]{1} !! E_RANGE input 'axes'"),
};
// SPDX-License-Identifier: Apache-2.0
