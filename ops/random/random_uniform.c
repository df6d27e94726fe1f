// ops/random/random_uniform.c - numbers spread evenly over [0, 1).   AscendIR RandomUniform, ONNX
// RandomUniform-22 (with Mul and Add). Every value that the dtype has in steps of its precision is as likely;
// seeds as in random.h.
#include "random.h"

enum { DTYPE, SEED, SEED2 };

static weft_status random_uniform_ref(const weft_call *c) {
  weft_tensor *y = c->out[0];
  weft_random r;
  if (!y)
    return WEFT_OK;
  weft__random_init(&r, weft_node_int(c->desc, SEED), weft_node_int(c->desc, SEED2));
  size_t n = weft__elems(&y->layout.origin);
  for (size_t i = 0; i < n; i++) {
    WEFT_TRY(weft__poll_at(c, i));
    weft_store_f64(y->dtype, y->data, i, weft__random_unit(&r, weft__random_precision(y->dtype)));
  }
  return WEFT_OK;
}

WEFT_OP(random_uniform) = {
    WEFT_RANDOM_PROTO,
    .name = "RandomUniform",
    .summary = "random numbers in [0, 1)",
    .attrs = ATTRS({"dtype", "Type"}, {"seed", "Int", "0"}, {"seed2", "Int", "0"}),
    .ref = random_uniform_ref,
    .examples = WEFT_EXAMPLES("i64[2]{2,3} dtype=f32 seed=7 -> f32[2,3]", "i32[1]{0} dtype=f64 -> f64[0]",
                              "i64[0] dtype=bf16 -> bf16[]", "i32[2] dtype=f16 -> f16[-1,-1]",
                              "i32[-1] dtype=f16 -> f16[?]", "i64[1]{2} !! E_MISSING dtype",
                              "i64[1]{2} dtype=i32 !! E_DTYPE output 'y'",
                              "i64[1]{-1} dtype=f32 !! E_SHAPE element 0 is -1"),
};
// SPDX-License-Identifier: Apache-2.0
