// ops/sequence/seq_construct.c - a sequence of the inputs, in order.   ONNX SequenceConstruct-11.
// AscendIR's SequenceConstruct gives a RESOURCE handle to mutable state; this is an immutable value.
#include "items.h"

static weft_status seq_construct_infer(weft_infer *it) {
  weft_shape_copy(it->out[0], it->in[0]);
  for (uint32_t i = 1; i < it->n_in; i++)
    weft__merge_shape(it->out[0], it->in[i]);
  return WEFT_OK;
}

static weft_status seq_construct_ref(const weft_call *c) {
  if (!c->out[0])
    return WEFT_OK;
  WEFT_TRY(weft__items_make(c, c->out[0], WEFT_KIND_SEQUENCE, c->in[0]->dtype, c->n_in));
  for (uint32_t i = 0; i < c->n_in; i++)
    WEFT_TRY(weft_tensor_copy(c->out[0]->items[i], c->in[i], c->d));
  return WEFT_OK;
}

WEFT_OP(seq_construct) = {
    WEFT_OP_HEAD,
    .name = "SeqConstruct",
    .summary = "a sequence of the inputs",
    .in = PORTS({"inputs", "T", .kind = WEFT_DYNAMIC, .min_count = 1}),
    .out = PORTS({"output_sequence", "T", .kinds = WEFT_KINDS_SEQUENCE}),
    .types = TYPES({"T", WEFT_ANY}),
    .traits = WEFT_SYMBOLIC,
    .infer = seq_construct_infer,
    .ref = seq_construct_ref,
    .examples = WEFT_EXAMPLES("[f32[2]{1,2}, f32[1]{3}] -> seq(f32[2]{1,2},f32[1]{3})",
                              "[i64[]{7}] -> seq(i64[]{7})",
                              "[str[2]{\"a\",\"b\"}, str[0]] -> seq(str[2]{\"a\",\"b\"},str[0])",
                              "[f32[0,3]] -> seq(f32[0,3])", "[f32[-1,3], f32[5,3]] -> seq(f32)",
                              "[f32[2], i32[2]] -> _ !! E_DTYPE input 'inputs'"),
};
// SPDX-License-Identifier: Apache-2.0
