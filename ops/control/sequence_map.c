// ops/control/sequence_map.c - runs a sub-graph on each element of a sequence.   ONNX SequenceMap-17;
// AscendIR has none. body(element, additional..., input...) -> (element...). An additional sequence gives its
// element of the same turn, a tensor goes in whole. The outputs are sequences.
#include "control.h"
#include "tensor/tensor.h"

enum { SEQUENCE, ADDITIONAL, INPUT };

static weft_status sequence_map_infer(weft_infer *it) {
  size_t n = (size_t)it->n_in + it->n_out;
  weft_described *in = weft__described_new(it, n);
  weft_described *out = in + it->n_in;
  if (!in)
    return WEFT_E_NOMEM;
  uint32_t own = 1 + weft_port_in_count(it->desc, ADDITIONAL);
  for (uint32_t i = 0; i < it->n_in; i++) {
    weft__describe_input(it, i, &in[i]);
    if (i < own) {
      in[i].kind = WEFT_KIND_TENSOR;
      in[i].value = NULL;
    }
  }
  weft_status s = it->host->infer_graph(it, 0, in, it->n_in, out, it->n_out);
  for (uint32_t i = 0; i < it->n_out && !s; i++) {
    out[i].kind = WEFT_KIND_SEQUENCE;
    s = weft__give_output(it, i, &out[i]);
  }
  weft__described_free(it, in, n);
  return s;
}

static weft_status turns(const weft_call *c, const weft_tensor **arg, weft_tensor **out, weft_tensor *made) {
  size_t n = c->in[SEQUENCE]->n_items;
  uint32_t own = 1 + weft_port_in_count(c->desc, ADDITIONAL);
  for (uint32_t i = 0; i < c->n_in; i++)
    arg[i] = c->in[i];
  for (uint32_t i = 0; i < own; i++) {
    if (c->in[i]->kind == WEFT_KIND_SEQUENCE && c->in[i]->n_items != n) {
      return weft_fail(c->d, WEFT_E_SHAPE, "input %u has %zu elements, input 0 has %zu", i, c->in[i]->n_items,
                       n);
    }
  }
  for (uint32_t i = 0; i < c->n_out; i++) {
    if (c->out[i])
      WEFT_TRY(weft__tensor_set_items(c->out[i], WEFT_KIND_SEQUENCE, weft__call_fact(c, i)->dtype, n, c->d));
  }
  for (size_t k = 0; k < n; k++) {
    for (uint32_t i = 0; i < own; i++) {
      if (c->in[i]->kind == WEFT_KIND_SEQUENCE)
        arg[i] = c->in[i]->items[k];
    }
    for (uint32_t i = 0; i < c->n_out; i++)
      out[i] = &made[i];
    WEFT_TRY(c->host->call_graph(c, 0, arg, out));
    for (uint32_t i = 0; i < c->n_out; i++) {
      if (!c->out[i]) {
        weft_tensor_deinit(&made[i]);
        continue;
      }
      weft_tensor_deinit(c->out[i]->items[k]);
      *c->out[i]->items[k] = made[i];
      weft_tensor_init(&made[i], weft__call_allocator(c));
    }
  }
  return WEFT_OK;
}

static weft_status sequence_map_execute(const weft_call *c) {
  void *space = NULL;
  WEFT_TRY(c->host->workspace(c, (c->n_in + c->n_out) * sizeof(void *), &space));
  const weft_tensor **arg = space;
  weft_tensor *made = weft__tensors_new(c, c->n_out);
  weft_status s = made ? turns(c, arg, (weft_tensor **)(arg + c->n_in), made) : WEFT_E_NOMEM;
  weft__tensors_free(c, made, c->n_out);
  return s;
}

WEFT_OP(sequence_map) = {
    WEFT_OP_HEAD,
    .name = "SequenceMap",
    .summary = "runs a sub-graph on each element of a sequence",
    .in = PORTS({"input_sequence", NULL, WEFT_ANY, .kinds = 1 << WEFT_KIND_SEQUENCE},
                {"additional_inputs", NULL, WEFT_ANY, .kind = WEFT_DYNAMIC,
                 .kinds = 1 << WEFT_KIND_SEQUENCE | 1 << WEFT_KIND_TENSOR},
                {"input", NULL, WEFT_ANY, .kind = WEFT_DYNAMIC, .value = WEFT_VALUE_INFER,
                 .kinds = WEFT_ALL_KINDS}),
    .out = PORTS({"out_sequence", NULL, WEFT_ANY, .kind = WEFT_DYNAMIC, .min_count = 1,
                  .kinds = 1 << WEFT_KIND_SEQUENCE}),
    .graphs = WEFT_NAMES("body"),
    .traits = WEFT_SYMBOLIC | WEFT_ANY_FORMAT,
    .infer = sequence_map_infer,
    .execute = sequence_map_execute,
    .examples = WEFT_EXAMPLES("f32[2]{1,2}, [], [] !! E_TYPE input 'input_sequence'"),
};
// SPDX-License-Identifier: Apache-2.0
