// ops/sequence/seq_erase.c - the sequence without the tensor at `position`, by default the last.   ONNX
// SequenceErase-11. Positions are in [-n, n-1]; AscendIR's SequenceErase changes a RESOURCE handle instead.
#include "items.h"

enum { SEQUENCE, POSITION };

static weft_status seq_erase_ref(const weft_call *c) {
  const weft_tensor *seq = c->in[SEQUENCE];
  size_t n = seq->n_items;
  size_t at = n - 1;
  if (c->n_in > POSITION)
    WEFT_TRY(weft__item_position(c, POSITION, n, false, &at));
  else if (!n) {
    return weft_fail(c->d, WEFT_E_RANGE,
                     "input 'input_sequence': there is nothing to erase in an empty sequence");
  }
  weft_tensor *out = c->out[0];
  if (!out)
    return WEFT_OK;
  WEFT_TRY(weft__items_make(c, out, WEFT_KIND_SEQUENCE, seq->item_dtype, n - 1));
  for (size_t i = 0; i + 1 < n; i++)
    WEFT_TRY(weft_tensor_copy(out->items[i], seq->items[i + (i >= at)], c->d));
  return WEFT_OK;
}

WEFT_OP(seq_erase) = {
    WEFT_OP_HEAD,
    .name = "SeqErase",
    .summary = "a sequence without one of its tensors",
    .in = PORTS({"input_sequence", "T", .kinds = WEFT_KINDS_SEQUENCE},
                {"position", NULL, WEFT_SET_INDEX, .kind = WEFT_OPTIONAL}),
    .out = PORTS({"output_sequence", "T", .kinds = WEFT_KINDS_SEQUENCE}),
    .types = TYPES({"T", WEFT_ANY}),
    .traits = WEFT_SYMBOLIC,
    .infer = weft__infer_same,
    .ref = seq_erase_ref,
    .examples = WEFT_EXAMPLES("seq(f32[1]{1},f32[2]{2,3}) -> seq(f32[1]{1})",
                              "seq(i64[]{1},i64[]{2},i64[]{3}), i64[]{-3} -> seq(i64[]{2},i64[]{3})",
                              "seq(str[0]), i32[]{0} -> seq(str)", "seq(f32) !! E_RANGE empty sequence",
                              "seq(f32[]{1}), i64[]{1} !! E_RANGE input 'position': 1 is outside [-1, 0]"),
};
// SPDX-License-Identifier: Apache-2.0
