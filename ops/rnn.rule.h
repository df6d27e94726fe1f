// rnn.rule.h - attribute slots of CommonRNN, CommonGRU and CommonLSTM (WEFT_RNN_ATTRS).
#pragma once

enum {
  WEFT_RNN_ALPHA,
  WEFT_RNN_BETA,
  WEFT_RNN_ACTIVATIONS,
  WEFT_RNN_CLIP,
  WEFT_RNN_DIRECTION,
  WEFT_RNN_HIDDEN,
  WEFT_RNN_MORE  // linear_before_reset of CommonGRU, input_forget of CommonLSTM
};
// SPDX-License-Identifier: Apache-2.0
