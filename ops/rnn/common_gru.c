// ops/rnn/common_gru.c - gated recurrent unit; gates in the order z, r, h.   AscendIR CommonGRU, ONNX GRU-22.
// z = f(Wz x + Rz H + b), r = f(Wr x + Rr H + b), h = g(Wh x + Wbh + Rh (r * H) + Rbh), or with
// linear_before_reset h = g(Wh x + Wbh + r * (Rh H + Rbh)); H' = (1 - z) * h + z * H. weft: double and
// bfloat16.
#include "rnn.h"

static void common_gru_cell(const weft_rnn_step *s) {
  size_t n = s->hidden;
  double *z = s->space, *r = z + n, *h = r + n, *reset = h + n;
  bool after = weft_node_int(s->c->desc, WEFT_RNN_MORE) != 0;
  for (size_t i = 0; i < n; i++)
    z[i] = weft__rnn_act(s, 0, weft__rnn_x(s, i) + weft__rnn_h(s, i, s->h));
  for (size_t i = 0; i < n; i++)
    r[i] = weft__rnn_act(s, 0, weft__rnn_x(s, n + i) + weft__rnn_h(s, n + i, s->h));
  for (size_t i = 0; i < n; i++)
    reset[i] = r[i] * s->h[i];
  for (size_t i = 0; i < n; i++) {
    double before = after ? r[i] * weft__rnn_h(s, 2 * n + i, s->h) : weft__rnn_h(s, 2 * n + i, reset);
    h[i] = weft__rnn_act(s, 1, weft__rnn_x(s, 2 * n + i) + before);
  }
  for (size_t i = 0; i < n; i++)
    s->h[i] = (1 - z[i]) * h[i] + z[i] * s->h[i];
}
static const weft_rnn kind = {.gates = 3, .n_acts = 2, .acts = {"sigmoid", "tanh"}, .cell = common_gru_cell};
static weft_status common_gru_infer(weft_infer *it) {
  return weft__rnn_infer(it, &kind);
}
static weft_status common_gru_ref(const weft_call *c) {
  return weft__rnn_run(c, &kind);
}

WEFT_OP(common_gru) = {
    WEFT_OP_HEAD,
    .name = "CommonGRU",
    .summary = "gated recurrent unit",
    .in = PORTS(WEFT_RNN_INPUTS),
    .out = PORTS({"y", "T"}, {"y_h", "T"}),
    .types = TYPES({"T", WEFT_FLOATS}),
    .attrs = ATTRS(WEFT_RNN_ATTRS, {"linear_before_reset", "Int", "0"}),
    .traits = WEFT_SYMBOLIC | WEFT_MONOTONE,
    .infer = common_gru_infer,
    .ref = common_gru_ref,
    .examples = WEFT_EXAMPLES(
        // z = 0.5, r = 2 (Affine of 1.5 with beta 0.5 and of 0), h = x + r * H
        "f32[1,1,1]{3}, f32[1,3,1]{0,0.5,1}, f32[1,3,1]{0,0,1}, _, _, f32[1,1,1]{4} hidden_size=1"
        " activations=[\"Affine\",\"Affine\"] activation_beta=[0.5,0] -> f32[1,1,1,1]{7.5}, f32[1,1,1]{7.5}",
        // with biases 1 of the gate h: before reset Rh (r H) + Rbh, after it r (Rh H + Rbh)
        "f32[1,1,1]{3}, f32[1,3,1]{0,0.5,1}, f32[1,3,1]{0,0,1}, f32[1,6]{0,0,1,0,0,1}, _, f32[1,1,1]{4} "
        "hidden_size=1"
        " activations=[\"Affine\",\"Affine\"] activation_beta=[0.5,0] -> f32[1,1,1,1]{8.5}, f32[1,1,1]{8.5}",
        "f32[1,1,1]{3}, f32[1,3,1]{0,0.5,1}, f32[1,3,1]{0,0,1}, f32[1,6]{0,0,1,0,0,1}, _, f32[1,1,1]{4} "
        "hidden_size=1"
        " activations=[\"Affine\",\"Affine\"] activation_beta=[0.5,0] linear_before_reset=1"
        " -> f32[1,1,1,1]{9}, f32[1,1,1]{9}",
        "f16[4,0,2], f16[2,9,2], f16[2,9,3] hidden_size=3 direction=\"bidirectional\" -> f16[4,2,0,3], "
        "f16[2,0,3]",
        "f32[T,-1,8], f32[1,48,8], f32[1,48,16] hidden_size=16 -> f32[T,1,-1,16], f32[1,-1,16]",
        "f32[2,1,3], f32[1,12,3], f32[1,12,5] hidden_size=4 -> _, _ !! E_SHAPE dim 2 of input 'r'",
        "f32[2,1,3], f32[1,12,3], f32[1,12,4] hidden_size=4 activations=[\"Tanh\"] -> _, _ !! E_INVALID "
        "expected 2 names"),
};
// SPDX-License-Identifier: Apache-2.0
