// ops/sequence/seq_length.c - how many tensors a sequence has.   ONNX SequenceLength-11.
// AscendIR's SequenceLength reads a RESOURCE handle to mutable state.
#include "items.h"

static weft_status seq_length_infer(weft_infer *it) {
  return weft__scalar(it, 0);
}
static weft_status seq_length_infer_value(weft_infer *it) {
  if (it->data_state[0] != WEFT_DATA_KNOWN)
    return WEFT_OK;
  it->out_dims[0][0] = (weft_dim)it->value[0]->n_items;
  *it->out_dims_n = 1;
  return WEFT_OK;
}
static weft_status seq_length_ref(const weft_call *c) {
  if (c->out[0])
    *(int64_t *)c->out[0]->data = (int64_t)c->in[0]->n_items;
  return WEFT_OK;
}

WEFT_OP(seq_length) = {
    WEFT_OP_HEAD,
    .name = "SeqLength",
    .summary = "the number of tensors in a sequence",
    .in = PORTS({"input_sequence", NULL, WEFT_ANY, .kinds = WEFT_KINDS_SEQUENCE, .value = WEFT_VALUE_INFER}),
    .out = PORTS({"length", NULL, WEFT_DT(INT64)}),
    .traits = WEFT_SYMBOLIC,
    .infer = seq_length_infer,
    .infer_value = seq_length_infer_value,
    .ref = seq_length_ref,
    .examples = WEFT_EXAMPLES("seq(f32[1]{1},f32[2]{2,3}) -> i64[]{2}", "seq(str) -> i64[]{0}",
                              "seq(f32[0]) -> i64[]{1}", "seq(f32[2],f32[2]) -> i64[]",
                              "f32[1]{1} !! E_TYPE input 'input_sequence'"),
};
// SPDX-License-Identifier: Apache-2.0
