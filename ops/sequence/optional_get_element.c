// ops/sequence/optional_get_element.c - what an optional holds; tensors and sequences pass.   ONNX
// OptionalGetElement-18. An empty optional is refused.
#include "items.h"

static weft_status optional_get_element_infer(weft_infer *it) {
  uint8_t kind = it->in_kind[0];
  it->out_kind[0] = kind == WEFT_KIND_OPTIONAL            ? WEFT_KIND_TENSOR
                    : kind == WEFT_KIND_OPTIONAL_SEQUENCE ? WEFT_KIND_SEQUENCE
                                                          : kind;
  weft_shape_copy(it->out[0], it->in[0]);
  return WEFT_OK;
}
static weft_status optional_get_element_infer_range(weft_infer *it) {
  return weft__items_range(it, optional_get_element_infer);
}
static weft_status optional_get_element_execute(const weft_call *c) {
  const weft_tensor *x = c->in[0];
  if (x->kind == WEFT_KIND_OPTIONAL || x->kind == WEFT_KIND_OPTIONAL_SEQUENCE) {
    if (!x->n_items)
      return weft_fail(c->d, WEFT_E_INVALID, "input 'input': the optional is empty");
    x = x->items[0];
  }
  return c->out[0] ? weft_tensor_copy(c->out[0], x, c->d) : WEFT_OK;
}

WEFT_OP(optional_get_element) = {
    WEFT_OP_HEAD,
    .name = "OptionalGetElement",
    .summary = "what an optional holds",
    .in = PORTS({"input", "T", .kinds = WEFT_KINDS_ANY}),
    .out = PORTS({"output", "T", .kinds = WEFT_KINDS_TENSOR | WEFT_KINDS_SEQUENCE}),
    .types = TYPES({"T", WEFT_ANY}),
    .traits = WEFT_SYMBOLIC | WEFT_DATA_DEPENDENT,
    .infer = optional_get_element_infer,
    .infer_range = optional_get_element_infer_range,
    .execute = optional_get_element_execute,
    .examples = WEFT_EXAMPLES("opt(f32[2]{1,2}) -> f32[2]{1,2}",
                              "opt(seq(i32[]{1},i32[]{2})) -> seq(i32[]{1},i32[]{2})",
                              "f32[2]{1,2} -> f32[2]{1,2}", "seq(str[1]{\"a\"}) -> seq(str[1]{\"a\"})",
                              "opt(f32[0,2]) -> f32[0,2]", "f32[-1,2] -> f32[-1,2]",
                              "opt(f32) !! E_INVALID the optional is empty"),
};
// SPDX-License-Identifier: Apache-2.0
