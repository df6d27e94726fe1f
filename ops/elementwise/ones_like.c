// ops/elementwise/ones_like.c - y has the shape and dtype of x and every element is 1.   AscendIR OnesLike.
// The elements of x are not read.
#include "numeric.h"

static weft_status ones_like_ref(const weft_call *c) {
  return weft__fill(c, 1);
}

WEFT_OP(ones_like) = {
    WEFT_UNARY_PROTO("OnesLike", WEFT_NUMBERS | WEFT_DT(BOOL) | WEFT_SET_COMPLEX),
    .summary = "y has the shape and dtype of x and every element is 1",
    .ref = ones_like_ref,
    .examples = WEFT_EXAMPLES("f32[2]{1,nan} -> f32[2]{1,1}", "u8[3]{1,2,0} -> u8[3]{1,1,1}",
                              "bf16[]{2} -> bf16[]{1}", "c128[1]{(1,2)} -> c128[1]{(1,0)}",
                              "bool[1]{false} -> bool[1]{true}", "f16[0,3] -> f16[0,3]",
                              "f32[-1,4] -> f32[-1,4]", "str[1]{\"a\"} !! E_DTYPE input 'x'"),
};
// SPDX-License-Identifier: Apache-2.0
