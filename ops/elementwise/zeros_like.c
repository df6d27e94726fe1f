// ops/elementwise/zeros_like.c - y has the shape and dtype of x and every element is 0.   AscendIR ZerosLike.
// The elements of x are not read.
#include "op.h"

static weft_status zeros_like_ref(const weft_call *c) {
  if (c->out[0]->bytes > 0)
    memset(c->out[0]->data, 0, c->out[0]->bytes);  // 0 is all bits 0 in each of the dtypes
  return WEFT_OK;
}

WEFT_OP(zeros_like) = {
    WEFT_UNARY_PROTO("ZerosLike", WEFT_SET_BASIC | WEFT_DT(BOOL) | WEFT_DT(VARIANT) | WEFT_SUBBYTES |
                                      (WEFT_FLOAT8S & ~WEFT_DT(FLOAT8_E8M0))),
    .summary = "y has the shape and dtype of x and every element is 0",
    .ref = zeros_like_ref,
    .examples = WEFT_EXAMPLES("f32[2]{1,nan} -> f32[2]{0,0}", "i4[3]{1,2,-1} -> i4[3]{0,0,0}",
                              "f8e4m3fn[1]{2} -> f8e4m3fn[1]{0}", "c64[1]{(1,2)} -> c64[1]{(0,0)}",
                              "bool[]{true} -> bool[]{false}", "f16[0,3] -> f16[0,3]",
                              "f32[-1,4] -> f32[-1,4]", "str[1]{\"a\"} !! E_DTYPE input 'x'"),
};
// SPDX-License-Identifier: Apache-2.0
