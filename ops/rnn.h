// rnn.h - recurrent layers: what CommonRNN, CommonGRU and CommonLSTM share. A layer has 1 or 2 directions; in
// each, every sequence of the batch runs alone through the steps, in double, from its initial state. Steps
// behind the end of a sequence give 0 and leave its state. Layer: ops.
#pragma once
#include "arrays.h"
#include "rnn.rule.h"

// Ports that the three have in common.
enum { RNN_X, RNN_W, RNN_R, RNN_B, RNN_LENGTHS, RNN_H, RNN_C, RNN_P };

typedef struct weft_activation {
  double (*f)(double x, double alpha, double beta);
  double alpha, beta;
} weft_activation;

typedef struct weft_rnn_step {  // one step of one sequence in one direction
  const weft_call *c;
  size_t hidden;
  size_t inputs;
  // of the direction: [gates * hidden, inputs], [gates * hidden, hidden], [2 * gates * hidden]
  const double *w;
  const double *r;
  const double *b;
  const double *p;
  size_t gates;
  const double *x;    // [inputs]
  double *h, *state;  // [hidden]: the state before the step; the cell replaces it. state: of LSTM
  double *space;      // [(gates + 1) * hidden]
  double clip;        // < 0: none
  weft_activation act[3];
} weft_rnn_step;

typedef struct weft_rnn {
  size_t gates, n_acts;
  const char *acts[3];  // the usual ones, in small letters
  bool cell_state;      // inputs initial_c and p, output y_c
  void (*cell)(const weft_rnn_step *s);
} weft_rnn;

weft_status weft__rnn_infer(weft_infer *it, const weft_rnn *k);
weft_status weft__rnn_run(const weft_call *c, const weft_rnn *k);
double weft__rnn_act(const weft_rnn_step *s, size_t k, double v);  // activation k of the clipped value
double weft__rnn_x(const weft_rnn_step *s, size_t row);            // W x + Wb, row = gate * hidden + unit
double weft__rnn_h(const weft_rnn_step *s, size_t row, const double *h);  // R h + Rb

#define WEFT_RNN_ATTRS                                                                  \
  {"activation_alpha", "ListFloat", "{}"}, {"activation_beta", "ListFloat", "{}"},      \
      {"activations", "ListString", "{}"}, {"clip", "Float", "-1.0"},                   \
      {"direction", "String", "\"forward\"", "one of forward|reverse|bidirectional"}, { \
    "hidden_size", "Int", NULL, "min 1"                                                 \
  }
#define WEFT_RNN_INPUTS                                                  \
  {"x", "T"}, {"w", "T"}, {"r", "T"}, {"b", "T", .kind = WEFT_OPTIONAL}, \
      {"sequence_lens", NULL, WEFT_DT(INT32), .kind = WEFT_OPTIONAL}, {  \
    "initial_h", "T", .kind = WEFT_OPTIONAL                              \
  }
// SPDX-License-Identifier: Apache-2.0
