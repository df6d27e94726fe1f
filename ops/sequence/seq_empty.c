// ops/sequence/seq_empty.c - an empty sequence with elements of a dtype.   ONNX SequenceEmpty-11.
// AscendIR's SequenceEmpty gives a RESOURCE handle to mutable state; this is an immutable value.
#include "items.h"

enum { DTYPE };

static weft_status seq_empty_infer(weft_infer *it) {
  return weft__unknown_rank(it, 0);
}
static weft_status seq_empty_ref(const weft_call *c) {
  if (!c->out[0])
    return WEFT_OK;
  return weft__items_make(c, c->out[0], WEFT_KIND_SEQUENCE, weft_node_dtype(c->desc, DTYPE), 0);
}

WEFT_OP(seq_empty) = {
    WEFT_OP_HEAD,
    .name = "SeqEmpty",
    .summary = "an empty sequence",
    .out = PORTS({"output", "T", .kinds = WEFT_KINDS_SEQUENCE}),
    .types = TYPES({"T", WEFT_ANY, .from_attr = "dtype"}),
    .attrs = ATTRS({"dtype", "Type", "DT_FLOAT"}),
    .traits = WEFT_SYMBOLIC,
    .infer = seq_empty_infer,
    .ref = seq_empty_ref,
    .examples = WEFT_EXAMPLES("-> seq(f32)", "dtype=i64 -> seq(i64)", "dtype=str -> seq(str)",
                              "f32[1]{1} !! E_INVALID"),
};
// SPDX-License-Identifier: Apache-2.0
