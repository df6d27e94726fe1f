// ops/control/variable.c - y is what a state holds (weft/state.h).   AscendIR Variable; ONNX has none.
// x is what it holds before the first run; attributes are those of the prototype and change nothing.
// Compiling makes an input of the graph of it; computed on its own it is x.
#include "dims_value.h"
#include "items.h"

static int64_t variable_same(void *ctx, size_t i) {
  (void)ctx;
  return (int64_t)i;
}

static weft_status variable_ref(const weft_call *c) {
  const weft_tensor *x = c->in[0];
  weft_tensor *y = c->out[0];
  if (x->dtype == WEFT_STRING)
    return weft__move(c, x, y, variable_same, NULL, NULL);
  if (x->bytes > 0)
    memcpy(y->data, x->data, WEFT_MIN(x->bytes, y->bytes));
  return WEFT_OK;
}

WEFT_OP(variable) = {
    WEFT_OP_HEAD,
    .name = "Variable",
    .in = PORTS({"x", "T"}),
    .out = PORTS({"y", "T"}),
    .types = TYPES({"T", WEFT_ANY}),
    .attrs = ATTRS({"index", "Int", "0"}, {"value", "Tensor", "f32[0]{}"}, {"container", "String", "\"\""},
                   {"shared_name", "String", "\"\""}),
    .summary = "a tensor that lives from run to run, x at first",
    .traits = WEFT_SYMBOLIC | WEFT_SIDE_EFFECT,
    .infer = weft__infer_same,
    .ref = variable_ref,
    .examples = WEFT_EXAMPLES("f32[2]{1,2} -> f32[2]{1,2}", "i64[]{3} -> i64[]{3}",
                              "str[1]{\"a\"} -> str[1]{\"a\"}", "f32[0,3] -> f32[0,3]",
                              "_ !! E_MISSING required input 'x'"),
};
// SPDX-License-Identifier: Apache-2.0
