// ops/rnn/common_lstm.c - long short-term memory; gates in the order i, o, f, c; peepholes i, o, f. AscendIR
// CommonLSTM, ONNX LSTM-22. i = f(Wi x + Ri H + Pi C + b), f = f(.. + Pf C ..) or 1 - i with input_forget, c
// = g(..), C' = f C + i c, o = f(Wo x + Ro H + Po C' + b), H' = o h(C'). weft: double and bfloat16.
#include "rnn.h"

static double gate(const weft_rnn_step *s, size_t k, size_t i) {
  return weft__rnn_x(s, k * s->hidden + i) + weft__rnn_h(s, k * s->hidden + i, s->h);
}
static void common_lstm_cell(const weft_rnn_step *s) {
  size_t n = s->hidden;
  bool coupled = weft_node_int(s->c->desc, WEFT_RNN_MORE) != 0;
  for (size_t u = 0; u < n; u++) {
    double peep_i = s->p ? s->p[u] * s->state[u] : 0, peep_f = s->p ? s->p[2 * n + u] * s->state[u] : 0;
    double i = weft__rnn_act(s, 0, gate(s, 0, u) + peep_i);
    double f = coupled ? 1 - i : weft__rnn_act(s, 0, gate(s, 2, u) + peep_f);
    double c = weft__rnn_act(s, 1, gate(s, 3, u));
    s->state[u] = f * s->state[u] + i * c;
    double o = weft__rnn_act(s, 0, gate(s, 1, u) + (s->p ? s->p[n + u] * s->state[u] : 0));
    s->space[u] = o * weft__rnn_act(s, 2, s->state[u]);
  }
  memcpy(s->h, s->space, n * sizeof *s->h);
}
static const weft_rnn kind = {
    .gates = 4,
    .n_acts = 3,
    .acts = {"sigmoid", "tanh", "tanh"},
    .cell_state = true,
    .cell = common_lstm_cell,
};
static weft_status common_lstm_infer(weft_infer *it) {
  return weft__rnn_infer(it, &kind);
}
static weft_status common_lstm_ref(const weft_call *c) {
  return weft__rnn_run(c, &kind);
}

WEFT_OP(common_lstm) = {
    WEFT_OP_HEAD,
    .name = "CommonLSTM",
    .summary = "long short-term memory",
    .in = PORTS(WEFT_RNN_INPUTS, {"initial_c", "T", .kind = WEFT_OPTIONAL},
                {"p", "T", .kind = WEFT_OPTIONAL}),
    .out = PORTS({"y", "T"}, {"y_h", "T"}, {"y_c", "T"}),
    .types = TYPES({"T", WEFT_FLOATS}),
    .attrs = ATTRS(WEFT_RNN_ATTRS, {"input_forget", "Int", "0"}),
    .traits = WEFT_SYMBOLIC | WEFT_MONOTONE,
    .infer = common_lstm_infer,
    .ref = common_lstm_ref,
    .examples = WEFT_EXAMPLES(
        // i = 1, o = 2, f = 3, c = 4: C = 3 * 10 + 4 = 34, H = 2 * 34
        "f32[1,1,1]{1}, f32[1,4,1]{1,2,3,4}, f32[1,4,1]{0,0,0,0}, _, _, _, f32[1,1,1]{10} hidden_size=1"
        " activations=[\"Affine\",\"Affine\",\"Affine\"] -> f32[1,1,1,1]{68}, f32[1,1,1]{68}, f32[1,1,1]{34}",
        // coupled: f = 1 - i = 0
        "f32[1,1,1]{1}, f32[1,4,1]{1,2,3,4}, f32[1,4,1]{0,0,0,0}, _, _, _, f32[1,1,1]{10} hidden_size=1 "
        "input_forget=1"
        " activations=[\"Affine\",\"Affine\",\"Affine\"] -> f32[1,1,1,1]{8}, f32[1,1,1]{8}, f32[1,1,1]{4}",
        // peepholes: i = 1 + 10, f = 3 + 3 * 10, C = 330 + 44 = 374, o = 2 + 2 * 374 = 750
        "f32[1,1,1]{1}, f32[1,4,1]{1,2,3,4}, f32[1,4,1]{0,0,0,0}, _, _, _, f32[1,1,1]{10}, f32[1,3]{1,2,3} "
        "hidden_size=1"
        " activations=[\"Affine\",\"Affine\",\"Affine\"] -> f32[1,1,1,1]{280500}, f32[1,1,1]{280500}, "
        "f32[1,1,1]{374}",
        // sigmoid(0) = 0.5; the empty second sequence keeps its state
        "f64[1,2,1]{0,0}, f64[1,4,1]{1,1,1,1}, f64[1,4,1]{0,0,0,0}, _, i32[2]{1,0}, f64[1,2,1]{7,8}, "
        "f64[1,2,1]{2,3}"
        " hidden_size=1 -> f64[1,1,2,1]{0.3807970779778824,0}, f64[1,2,1]{0.3807970779778824,8}, "
        "f64[1,2,1]{1,3} ~1e-15",
        "f16[0,2,3], f16[1,16,3], f16[1,16,4] hidden_size=4 -> f16[0,1,2,4], f16[1,2,4], f16[1,2,4]",
        "f32[T,-1,8], f32[-1,64,8], f32[1,64,16] hidden_size=16 -> f32[T,1,-1,16], f32[1,-1,16], "
        "f32[1,-1,16]",
        "f32[2,1,3], f32[1,16,3], f32[1,16,4], f32[1,16] hidden_size=4 -> _, _, _ !! E_SHAPE dim 1 of input "
        "'b'",
        "f32[2,1,3], f32[1,16,3], f32[1,16,4] hidden_size=0 -> _, _, _ !! E_RANGE hidden_size"),
};
// SPDX-License-Identifier: Apache-2.0
