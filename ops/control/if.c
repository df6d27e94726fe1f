// ops/control/if.c - the outputs of one of two sub-graphs.   AscendIR If, ONNX If-25.
// Both branches take all of `input` (what they capture). A known condition chooses its branch when inferring;
// otherwise what is true of both is known of the outputs.
#include "control.h"

enum { THEN_BRANCH, ELSE_BRANCH };

static weft_status if_both(weft_infer *it, const weft_described *in, weft_described *out,
                           weft_described *other) {
  const weft_tensor *cond = it->value[0];
  uint32_t n_in = it->n_in - 1;
  if (it->data_state[0] == WEFT_DATA_KNOWN && cond->data && weft_tensor_elems(cond) == 1) {
    return it->host->infer_graph(it, weft_load_i64(cond->dtype, cond->data, 0) ? THEN_BRANCH : ELSE_BRANCH,
                                 in, n_in, out, it->n_out);
  }
  WEFT_TRY(it->host->infer_graph(it, THEN_BRANCH, in, n_in, out, it->n_out));
  WEFT_TRY(it->host->infer_graph(it, ELSE_BRANCH, in, n_in, other, it->n_out));
  for (uint32_t i = 0; i < it->n_out; i++) {
    bool changed = false;
    char what[64];
    snprintf(what, sizeof what, "output %u of the two branches", i);
    WEFT_TRY(weft__describe_merge(it, &out[i], &other[i], what, &changed));
  }
  return WEFT_OK;
}

static weft_status if_infer(weft_infer *it) {
  size_t n = (size_t)it->n_in + 2 * (size_t)it->n_out;
  weft_described *v = weft__described_new(it, n);
  weft_described *out = v + it->n_in;
  if (!v)
    return WEFT_E_NOMEM;
  for (uint32_t i = 1; i < it->n_in; i++)
    weft__describe_input(it, i, &v[i - 1]);
  weft_status s = if_both(it, v, out, out + it->n_out);
  for (uint32_t i = 0; i < it->n_out && !s; i++)
    s = weft__give_output(it, i, &out[i]);
  weft__described_free(it, v, n);
  return s;
}

static weft_status if_execute(const weft_call *c) {
  const weft_tensor *cond = c->in[0];
  if (weft_tensor_elems(cond) != 1) {
    return weft_fail(c->d, WEFT_E_SHAPE, "input 'cond': expected one element, got %lld",
                     (long long)weft_tensor_elems(cond));
  }
  bool yes = weft_load_i64(cond->dtype, cond->data, 0) != 0;
  return c->host->call_graph(c, yes ? THEN_BRANCH : ELSE_BRANCH, c->in + 1, c->out);
}

WEFT_OP(op_if) = {
    WEFT_OP_HEAD,
    .name = "If",
    .summary = "runs one of two sub-graphs",
    .in = PORTS({"cond", NULL, WEFT_SET_ALL, .value = WEFT_VALUE_INFER},
                {"input", NULL, WEFT_ANY, .kind = WEFT_DYNAMIC, .value = WEFT_VALUE_INFER,
                 .kinds = WEFT_ALL_KINDS}),
    .out = PORTS({"output", NULL, WEFT_ANY, .kind = WEFT_DYNAMIC, .kinds = WEFT_ALL_KINDS}),
    .graphs = WEFT_NAMES("then_branch", "else_branch"),
    .traits = WEFT_SYMBOLIC | WEFT_ANY_FORMAT,
    .infer = if_infer,
    .execute = if_execute,
    .examples = WEFT_EXAMPLES("bool[1]{1} !! E_UNSUPPORTED sub-graph"),
};
// SPDX-License-Identifier: Apache-2.0
