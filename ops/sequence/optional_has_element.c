// ops/sequence/optional_has_element.c - does an optional hold something?   ONNX OptionalHasElement-18.
// True for a tensor or a sequence, false without an input.
#include "items.h"

static weft_status optional_has_element_infer(weft_infer *it) {
  return weft__scalar(it, 0);
}
static weft_status optional_has_element_ref(const weft_call *c) {
  if (!c->out[0])
    return WEFT_OK;
  bool optional =
      c->n_in && (c->in[0]->kind == WEFT_KIND_OPTIONAL || c->in[0]->kind == WEFT_KIND_OPTIONAL_SEQUENCE);
  *(uint8_t *)c->out[0]->data = c->n_in && (!optional || c->in[0]->n_items);
  return WEFT_OK;
}

WEFT_OP(optional_has_element) = {
    WEFT_OP_HEAD,
    .name = "OptionalHasElement",
    .summary = "whether an optional holds something",
    .in = PORTS({"input", NULL, WEFT_ANY, .kind = WEFT_OPTIONAL, .kinds = WEFT_KINDS_ANY}),
    .out = PORTS({"output", NULL, WEFT_DT(BOOL)}),
    .traits = WEFT_SYMBOLIC,
    .infer = optional_has_element_infer,
    .ref = optional_has_element_ref,
    .examples = WEFT_EXAMPLES("opt(f32[2]{1,2}) -> bool[]{true}", "opt(f32) -> bool[]{false}",
                              "opt(seq(i32)) -> bool[]{true}", "optseq(i32) -> bool[]{false}",
                              "-> bool[]{false}", "f32[0] -> bool[]{true}", "seq(f32) -> bool[]{true}",
                              "f32[-1] -> bool[]", "f32[1]{1}, f32[1]{1} !! E_INVALID"),
};
// SPDX-License-Identifier: Apache-2.0
