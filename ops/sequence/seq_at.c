// ops/sequence/seq_at.c - the tensor at `position` of a sequence.   ONNX SequenceAt-11.
// Positions are in [-n, n-1]. Elements may differ in shape: the output's is found at run time.
// AscendIR's SequenceAt reads a RESOURCE handle to mutable state.
#include "items.h"

enum { SEQUENCE, POSITION };

static weft_status seq_at_infer(weft_infer *it) {
  weft_shape_copy(it->out[0], it->in[SEQUENCE]);
  return WEFT_OK;
}
static weft_status seq_at_infer_range(weft_infer *it) {
  return weft__items_range(it, seq_at_infer);
}
static weft_status seq_at_execute(const weft_call *c) {
  size_t at;
  WEFT_TRY(weft__item_position(c, POSITION, c->in[SEQUENCE]->n_items, false, &at));
  return c->out[0] ? weft_tensor_copy(c->out[0], c->in[SEQUENCE]->items[at], c->d) : WEFT_OK;
}

WEFT_OP(seq_at) = {
    WEFT_OP_HEAD,
    .name = "SeqAt",
    .summary = "one tensor of a sequence",
    .in = PORTS({"input_sequence", "T", .kinds = WEFT_KINDS_SEQUENCE}, {"position", NULL, WEFT_SET_INDEX}),
    .out = PORTS({"tensor", "T"}),
    .types = TYPES({"T", WEFT_ANY}),
    .traits = WEFT_SYMBOLIC | WEFT_DATA_DEPENDENT,
    .infer = seq_at_infer,
    .infer_range = seq_at_infer_range,
    .execute = seq_at_execute,
    .examples = WEFT_EXAMPLES("seq(f32[1]{1},f32[2]{2,3}), i64[]{1} -> f32[2]{2,3}",
                              "seq(i8[]{1},i8[]{2}), i32[]{-2} -> i8[]{1}",
                              "seq(str[1]{\"a\"}), i64[]{0} -> str[1]{\"a\"}",
                              "seq(f32[2],f32[2]), i64[] -> f32[2]", "seq(f32[0,3]), i64[]{0} -> f32[0,3]",
                              "seq(f32[]{1}), i64[]{-2} !! E_RANGE input 'position': -2 is outside [-1, 0]",
                              "seq(f32), i64[]{0} !! E_RANGE the sequence is empty"),
};
// SPDX-License-Identifier: Apache-2.0
