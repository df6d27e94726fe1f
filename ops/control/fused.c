// ops/control/fused.c - operators that run together: the body region computed in one go.   weft's own, made by passes.
// The body is an ordinary sub-graph without side effects, so the meaning of the node is that of its body; devices have
// kernels for the regions that they know, and where none takes one the body is run operator by operator.
#include "control.h"

static weft_status infer(weft_infer *it) {
  size_t n = (size_t)it->n_in + it->n_out;
  weft_described *v = weft__described_new(it, n);
  if (!v) return WEFT_E_NOMEM;
  for (uint32_t i = 0; i < it->n_in; i++) weft__describe_input(it, i, &v[i]);
  weft_status s = it->host->infer_graph(it, 0, v, it->n_in, v + it->n_in, it->n_out);
  for (uint32_t i = 0; i < it->n_out && !s; i++) s = weft__give_output(it, i, &v[it->n_in + i]);
  weft__described_free(it, v, n);
  return s;
}

static weft_status execute(const weft_call *c) {
  return c->host->call_graph(c, 0, c->in, c->out);
}

WEFT_OP(fused) = {
    WEFT_OP_HEAD, .name = "Fused", .summary = "a region of operators that run together",
    .in = PORTS({"x", NULL, WEFT_ANY, .kind = WEFT_DYNAMIC}), .out = PORTS({"y", NULL, WEFT_ANY, .kind = WEFT_DYNAMIC}),
    .graphs = WEFT_NAMES("body"), .traits = WEFT_SYMBOLIC | WEFT_ANY_FORMAT, .infer = infer, .execute = execute,
    .examples = WEFT_EXAMPLES("f32[1]{1} !! E_UNSUPPORTED sub-graph"),
};
