// ops/rnn/common_rnn.c - H' = f(W x + R H + Wb + Rb).   ONNX RNN-22; AscendIR has none ("RNN" is Caffe's
// layer), so the name is made after its siblings CommonGRU and CommonLSTM. See rnn.h for directions and
// sequence_lens; clip bounds the input of f.
#include "rnn.h"

static void common_rnn_cell(const weft_rnn_step *s) {
  for (size_t i = 0; i < s->hidden; i++)
    s->space[i] = weft__rnn_act(s, 0, weft__rnn_x(s, i) + weft__rnn_h(s, i, s->h));
  memcpy(s->h, s->space, s->hidden * sizeof *s->h);
}
static const weft_rnn kind = {.gates = 1, .n_acts = 1, .acts = {"tanh"}, .cell = common_rnn_cell};
static weft_status common_rnn_infer(weft_infer *it) {
  return weft__rnn_infer(it, &kind);
}
static weft_status common_rnn_ref(const weft_call *c) {
  return weft__rnn_run(c, &kind);
}

WEFT_OP(common_rnn) = {
    WEFT_OP_HEAD,
    .name = "CommonRNN",
    .summary = "a recurrent layer with one gate",
    .in = PORTS(WEFT_RNN_INPUTS),
    .out = PORTS({"y", "T"}, {"y_h", "T"}),
    .types = TYPES({"T", WEFT_FLOATS}),
    .attrs = ATTRS(WEFT_RNN_ATTRS),
    .traits = WEFT_SYMBOLIC | WEFT_MONOTONE,
    .infer = common_rnn_infer,
    .ref = common_rnn_ref,
    .examples = WEFT_EXAMPLES(
        "f32[3,1,1]{1,2,3}, f32[1,1,1]{1}, f32[1,1,1]{10} hidden_size=1 activations=[\"Affine\"]"
        " -> f32[3,1,1,1]{1,12,123}, f32[1,1,1]{123}",
        "f32[3,1,1]{1,2,3}, f32[1,1,1]{1}, f32[1,1,1]{10}, f32[1,2]{0.5,0.25}, i32[1]{2}, f32[1,1,1]{1} "
        "hidden_size=1"
        " activations=[\"Relu\"] direction=\"reverse\" -> f32[3,1,1,1]{129.25,12.75,0}, f32[1,1,1]{129.25}",
        "f32[2,1,1]{1,2}, f32[2,1,1]{1,1}, f32[2,1,1]{10,10} hidden_size=1 "
        "activations=[\"Affine\",\"LeakyRelu\"]"
        " activation_alpha=[1,0.5] clip=5 direction=\"bidirectional\" -> f32[2,2,1,1]{1,5,5,2}, "
        "f32[2,1,1]{5,5}",
        "f16[0,2,3], f16[1,4,3], f16[1,4,4] hidden_size=4 -> f16[0,1,2,4], f16[1,2,4]",
        "f32[-1,B,8], f32[1,16,8], f32[1,16,16] hidden_size=16 -> f32[-1,1,B,16], f32[1,B,16]",
        "f32[2,1,1]{1,2}, f32[1,1,1]{1}, f32[1,1,1]{1}, _, i32[1]{3} hidden_size=1 -> _, _"
        " !! E_RANGE input 'sequence_lens': element 0 is 3",
        "f32[2,1,3], f32[1,4,2], f32[1,4,4] hidden_size=4 -> _, _ !! E_SHAPE dim 2 of input 'w'",
        "f32[2,1,1], f32[1,4,1], f32[1,4,4] hidden_size=4 activations=[\"Sin\"] -> _, _ !! E_INVALID 'Sin' "
        "is not"),
};
// SPDX-License-Identifier: Apache-2.0
