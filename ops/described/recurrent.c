// ops/described/recurrent.c - recurrent layers and cells in layouts of a device or of Caffe: their shapes.
// Layer: ops.
#include "described.h"

// clang-format off
WEFT_ROWS(described_recurrent) = {
  DESCRIBED("BasicLSTMCell", "one step of long short-term memory, with its gates",
    "ct~c = c; ht = h; it~c = c; jt~c = c; ft~c = c; ot~c = c; tanhct~c = c",
    "f16[B,8], f16[B,4], f32[B,4], f16[12,16], f32[16] -> f32[B,4], f16[B,4], f32[B,4], f32[B,4], "
    "f32[B,4], f32[B,4], f32[B,4]"),
  DESCRIBED("BasicLSTMCellWeightGrad", "gradients of a cell's weight and bias",
    "dw = [x.-1 + h.-1, dgate.-1]; db~dgate = [dgate.-1]",
    "f16[B,8], f16[B,4], f16[B,16] -> f16[12,16], f16[16]"),
  DESCRIBED("BasicRNNCell", "one step of a recurrent layer",
    "o_t~bias_o = [x.0, @num_output]; h_t~bias_h = ?",
    "f16[B,8], _, _, _, f16[4,8], f32[4], _, f16[4,4], f32[4] num_output=4 -> f32[B,4], f32[?]"),
  DESCRIBED("RNN", "a recurrent layer of Caffe",
    "o~bias_o = [x.0, x.1, @num_output]; h_t~bias_h = [1, x.1, @num_output]",
    "f16[T,B,8], f16[T,B], _, _, f16[4,8], f32[4], _, f16[4,4], f16[4,4], f32[4] num_output=4 -> "
    "f32[T,B,4], f32[1,B,4]"),
  DESCRIBED("LSTM", "long short-term memory of Caffe",
    "h~cont = [x.0, x.1, @num_output]; h_t~cont = [1, x.1, @num_output]; c_t~cont = [1, x.1, @num_output]",
    "f16[T,B,8], f16[T,B], f16[16,8], f16[16], f16[16,4] num_output=4 -> f16[T,B,4], f16[1,B,4], "
    "f16[1,B,4]"),
  DESCRIBED("DynamicLSTM", "long short-term memory",
    "output_h = [x.0, x.1, b.0 / 4]",
    "f32[T,B,8], f32[12,16], f32[16] -> f32[T,B,4]"),
  DESCRIBED("DynamicLSTMV2", "long short-term memory that begins anew where a step says so",
    "y~x = [x.0, x.1, b.0 / 4]; output_h~x = [x.0, x.1, b.0 / 4]; output_c~x = [x.0, x.1, b.0 / 4]; "
    "last_output_h~x = [1, x.1, b.0 / 4]; last_output_c~x = [1, x.1, b.0 / 4]",
    "f32[T,B,8], f32[12,16], f32[16], f32[T,B] -> f32[T,B,4], f32[T,B,4], f32[T,B,4], f32[1,B,4], "
    "f32[1,B,4]"),
  DESCRIBED("DynamicGRU", "gated recurrent unit, with its gates",
    "y~b = [x.0, x.1, cb.0]; output_h~b = [x.0, x.1, cb.0]; r~b = [x.0, x.1, cb.0]; i~b = [x.0, x.1, "
    "cb.0]; n~b = [x.0, x.1, cb.0]",
    "f16[T,B,8], f16[12,8], f32[8], f16[12,4], f32[4] -> f32[T,B,4], f32[T,B,4], f32[T,B,4], f32[T,B,4], "
    "f32[T,B,4]"),
  DESCRIBED("DynamicAUGRU", "gated recurrent unit whose update gate is weighted",
    "y~x = [x.0, x.1, weight_hidden.0]; output_h~x = [x.0, x.1, weight_hidden.0]; update~x = [x.0, x.1, "
    "weight_hidden.0]; update_att~x = [x.0, x.1, weight_hidden.0]; reset~x = [x.0, x.1, "
    "weight_hidden.0]; new~x = [x.0, x.1, weight_hidden.0]; hidden_new~x = [x.0, x.1, weight_hidden.0]",
    "f16[T,B,8], f16[8,12], f16[4,12], f16[T,B] -> f16[T,B,4], f16[T,B,4], f16[T,B,4], f16[T,B,4], "
    "f16[T,B,4], f16[T,B,4], f16[T,B,4]"),
  DESCRIBED("DynamicAUGRUGrad", "gradients through all steps of DynamicAUGRU",
    "dw_input~x = weight_input; dw_hidden~x = weight_hidden; db_input~x = [weight_input.1]; "
    "db_hidden~x = [weight_hidden.1]; dx = x; dh_prev~x = init_h; dw_att~x = weight_att",
    "f32[T,B,8], f32[8,12], f32[4,12], f32[T,B], f32[T,B,4], f32[B,4], f32[T,B,4], f32[T,B,4], f32[B,4], "
    "f32[T,B,4], f32[T,B,4], f32[T,B,4], f32[T,B,4], f32[T,B,4] -> f32[8,12], f32[4,12], f32[12], "
    "f32[12], f32[T,B,8], f32[B,4], f32[T,B]"),
  DESCRIBED("LSTMP", "long short-term memory with a projection",
    "y~x = [x.0, x.1, ?]; output_h~x = ?; output_c~x = ?",
    "f32[T,B,8], f32[8,16], f32[16], f32[2,16], f32[2,4] -> f32[T,B,-1], f32[?], f32[?]"),
  {0},
};
// SPDX-License-Identifier: Apache-2.0
