// ops/elementwise/identity.c - y = x.   AscendIR Identity, ONNX Identity-25.
// Any dtype, strings and packed formats included, and sequences and optionals. Small integer values pass
// through inference.
#include "dims_value.h"
#include "items.h"

static int64_t identity_same(void *ctx, size_t i) {
  (void)ctx;
  return (int64_t)i;
}
static weft_status identity_ref(const weft_call *c) {
  const weft_tensor *x = c->in[0];
  weft_tensor *y = c->out[0];
  if (x->kind != WEFT_KIND_TENSOR)
    return weft_tensor_copy(y, x, c->d);
  if (x->dtype == WEFT_STRING)
    return weft__move(c, x, y, identity_same, NULL, NULL);
  if (x->bytes > 0)
    memcpy(y->data, x->data, WEFT_MIN(x->bytes, y->bytes));
  return WEFT_OK;
}

WEFT_OP(identity) = {
    WEFT_OP_HEAD,
    .name = "Identity",
    .in = PORTS({"x", "T", .kinds = WEFT_KINDS_ANY}),
    .out = PORTS({"y", "T", .kinds = WEFT_KINDS_ANY}),
    .types = TYPES({"T", WEFT_ANY}),
    .summary = "y = x",
    .traits = WEFT_SYMBOLIC | WEFT_MONOTONE | WEFT_ELEMENTWISE | WEFT_INPLACE | WEFT_VIEW | WEFT_ANY_FORMAT,
    .infer = weft__infer_same,
    .infer_value = weft__dims_copy,
    .ref = identity_ref,
    .examples = WEFT_EXAMPLES("_ !! E_MISSING required input 'x'", "f32[3]{1,nan,-0.0} -> f32[3]{1,nan,-0.0}",
                              "str[2]{\"a\",\"bc\"} -> str[2]{\"a\",\"bc\"}",
                              "i4[3]{-8,7,1} -> i4[3]{-8,7,1}", "bool[]{true} -> bool[]{true}",
                              "c64[1]{(1,2)} -> c64[1]{(1,2)}", "f16[0,3] -> f16[0,3]",
                              "f32[-1,4] -> f32[-1,4]", "f32[?] -> f32[?]",
                              "seq(f32[1]{1},f32[2]{2,3}) -> seq(f32[1]{1},f32[2]{2,3})",
                              "opt(i32) -> opt(i32)"),
};
// SPDX-License-Identifier: Apache-2.0
