// ops/sequence/optional.c - an optional that holds the input, or nothing.   ONNX Optional-15.
// Without an input, dtype, sequence, and (ranked) shape say what it could hold.
#include "items.h"

enum { DTYPE, SEQUENCE, RANKED, SHAPE };

static bool of_sequence(const weft_op_desc *n, bool given_sequence) {
  return n->n_in ? given_sequence : weft_node_bool(n, SEQUENCE);
}

static weft_status optional_infer(weft_infer *it) {
  bool seq = of_sequence(it->desc, it->n_in && it->in_kind[0] == WEFT_KIND_SEQUENCE);
  it->out_kind[0] = seq ? WEFT_KIND_OPTIONAL_SEQUENCE : WEFT_KIND_OPTIONAL;
  if (!it->n_in && weft_node_bool(it->desc, RANKED)) {
    weft_ints dims = weft_node_ints(it->desc, SHAPE);
    if (dims.n > WEFT_MAX_RANK) {
      return weft_fail(it->d, WEFT_E_LIMIT, "attribute 'shape': rank %zu is over the limit of %d", dims.n,
                       WEFT_MAX_RANK);
    }
    return weft_set_out_shape(it, 0, dims.v, dims.n);
  }
  if (!it->n_in)
    return weft__unknown_rank(it, 0);
  weft_shape_copy(it->out[0], it->in[0]);
  return WEFT_OK;
}

static weft_status optional_ref(const weft_call *c) {
  if (!c->out[0])
    return WEFT_OK;
  bool seq = of_sequence(c->desc, c->n_in && c->in[0]->kind == WEFT_KIND_SEQUENCE);
  weft_dtype t = !c->n_in ? weft_node_dtype(c->desc, DTYPE) : seq ? c->in[0]->item_dtype : c->in[0]->dtype;
  WEFT_TRY(
      weft__items_make(c, c->out[0], seq ? WEFT_KIND_OPTIONAL_SEQUENCE : WEFT_KIND_OPTIONAL, t, c->n_in));
  return c->n_in ? weft_tensor_copy(c->out[0]->items[0], c->in[0], c->d) : WEFT_OK;
}

WEFT_OP(optional) = {
    WEFT_OP_HEAD,
    .name = "Optional",
    .summary = "an optional that holds the input, or nothing",
    .in = PORTS({"input", "T", .kind = WEFT_OPTIONAL, .kinds = WEFT_KINDS_TENSOR | WEFT_KINDS_SEQUENCE}),
    .out = PORTS({"output", "T", .kinds = WEFT_KINDS_OPTIONAL}),
    .types = TYPES({"T", WEFT_ANY, .from_attr = "dtype"}),
    .attrs = ATTRS({"dtype", "Type", "DT_FLOAT"}, {"sequence", "Bool", "false"}, {"ranked", "Bool", "false"},
                   {"shape", "ListInt", "{}", "each min -1"}),
    .traits = WEFT_SYMBOLIC,
    .infer = optional_infer,
    .ref = optional_ref,
    .examples = WEFT_EXAMPLES("f32[2]{1,2} -> opt(f32[2]{1,2})", "seq(i64[]{1}) -> opt(seq(i64[]{1}))",
                              "dtype=i32 -> opt(i32)", "ranked=true shape=[2,-1] -> opt(f32[2,-1])",
                              "seq(str) -> opt(seq(str))", "dtype=i32 sequence=true -> optseq(i32)",
                              "f32[0] -> opt(f32[0])", "f32[-1] -> opt(f32)",
                              "opt(f32) !! E_TYPE input 'input'"),
};
// SPDX-License-Identifier: Apache-2.0
