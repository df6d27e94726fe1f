// ops/elementwise/round.c - y = x rounded to `decimals` places, halves to even.
// AscendIR Round, ONNX Round-22.
// NaN and infinities stay. Integers stay with decimals >= 0; negative decimals round to tens, hundreds, ...
#include "numeric.h"

enum { DECIMALS };

// Of scaled = x / unit or x * unit; a scale beyond double's range leaves x or gives 0.
static double round_f64(double x, const double *p) {
  double scaled = x * p[0] / p[1];
  if (!isfinite(scaled))
    return x;
  double r = rint(scaled) * p[1] / p[0];
  return isfinite(r) ? r : copysign(0, x);
}
static weft_status round_ref(const weft_call *c) {
  int64_t decimals = weft_node_int(c->desc, DECIMALS);
  double p[2] = {1, 1};
  if (decimals >= 0 && weft_dtype_is_integer(c->in[0]->dtype)) {
    memcpy(c->out[0]->data, c->in[0]->data, c->in[0]->bytes);
    return WEFT_OK;
  }
  if (decimals > 0)
    p[0] = pow(10, (double)decimals);
  if (decimals < 0)
    p[1] = pow(10, -(double)decimals);
  return weft__unary_with(c, &(weft_unary_with){.f = round_f64, .p = p});
}

WEFT_OP(round) = {
    WEFT_UNARY_PROTO("Round", WEFT_FLOATS | WEFT_SET_INDEX),
    .summary = "y = x rounded to `decimals` places, halves to even",
    .attrs = ATTRS({"decimals", "Int", "0", "min -300;max 300"}),
    .ref = round_ref,
    .examples = WEFT_EXAMPLES("f32[7]{0.5,1.5,2.5,-1.5,-0.5,inf,nan} -> f32[7]{0,2,2,-2,-0.0,inf,nan}",
                              "f32[2]{1.26,-0.34} decimals=1 -> f32[2]{1.3,-0.3} ~1e-6",
                              "i32[3]{15,25,-123} decimals=-1 -> i32[3]{20,20,-120}",
                              "i64[1]{9223372036854775807} -> i64[1]{9223372036854775807}",
                              "f32[1]{1} decimals=999 !! E_RANGE decimals", "f16[0,3] -> f16[0,3]",
                              "f32[-1,4] -> f32[-1,4]", "str[1]{\"a\"} !! E_DTYPE input 'x'"),
};
// SPDX-License-Identifier: Apache-2.0
