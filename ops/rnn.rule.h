// rnn.rule.h - what CommonRNN, CommonGRU and CommonLSTM say with their attributes: slots (WEFT_RNN_ATTRS),
// directions, activations with their parameters. Pure: the operators and their kernel read nodes by this.
#pragma once
#include <string.h>

#include "weft/op.h"

enum {
  WEFT_RNN_ALPHA,
  WEFT_RNN_BETA,
  WEFT_RNN_ACTIVATIONS,
  WEFT_RNN_CLIP,
  WEFT_RNN_DIRECTION,
  WEFT_RNN_HIDDEN,
  WEFT_RNN_MORE  // linear_before_reset of CommonGRU, input_forget of CommonLSTM
};

// ---- directions ----
static inline size_t weft__rnn_directions(const weft_op_desc *n) {
  const char *s = weft_node_str(n, WEFT_RNN_DIRECTION);
  return s && !strcmp(s, "bidirectional") ? 2 : 1;
}

// Does direction `dir` begin with the last step? The second always does.
static inline bool weft__rnn_is_reverse(const weft_op_desc *n, size_t dir) {
  const char *s = weft_node_str(n, WEFT_RNN_DIRECTION);
  return dir == 1 || (s && !strcmp(s, "reverse"));
}

// ---- activations ----
typedef enum {
  WEFT_RNN_RELU,
  WEFT_RNN_TANH,
  WEFT_RNN_SIGMOID,
  WEFT_RNN_AFFINE,
  WEFT_RNN_LEAKY_RELU,
  WEFT_RNN_THRESHOLDED_RELU,
  WEFT_RNN_SCALED_TANH,
  WEFT_RNN_HARD_SIGMOID,
  WEFT_RNN_ELU,
  WEFT_RNN_SOFTSIGN,
  WEFT_RNN_SOFTPLUS,
  WEFT_RNN_FUNCTIONS
} weft_rnn_function;

typedef struct weft_rnn_activation {
  weft_rnn_function f;
  float alpha, beta;
} weft_rnn_activation;

// Names are compared without regard to case: exporters write them either way.
static inline bool weft__rnn_is_named(const char *name, weft_str s) {
  size_t i = 0;
  for (; i < s.bytes && name[i]; i++) {
    const char c = s.text[i];
    if ((c >= 'A' && c <= 'Z' ? c + 32 : c) != name[i])
      return false;
  }
  return i == s.bytes && !name[i];
}

// The activation of a name, with its usual parameters, and how many it has: alpha first. false: there is
// none.
static inline bool weft__rnn_named(weft_str name, weft_rnn_activation *out, int *out_params) {
  static const struct {
    const char *name;
    int params;
    float alpha, beta;
  } KNOWN[WEFT_RNN_FUNCTIONS] = {[WEFT_RNN_RELU] = {"relu"},
                                 [WEFT_RNN_TANH] = {"tanh"},
                                 [WEFT_RNN_SIGMOID] = {"sigmoid"},
                                 [WEFT_RNN_AFFINE] = {"affine", 2, 1, 0},
                                 [WEFT_RNN_LEAKY_RELU] = {"leakyrelu", 1, 0.01f, 0},
                                 [WEFT_RNN_THRESHOLDED_RELU] = {"thresholdedrelu", 1, 1, 0},
                                 [WEFT_RNN_SCALED_TANH] = {"scaledtanh", 2, 1, 1},
                                 [WEFT_RNN_HARD_SIGMOID] = {"hardsigmoid", 2, 0.2f, 0.5f},
                                 [WEFT_RNN_ELU] = {"elu", 1, 1, 0},
                                 [WEFT_RNN_SOFTSIGN] = {"softsign"},
                                 [WEFT_RNN_SOFTPLUS] = {"softplus"}};
  for (int i = 0; i < WEFT_RNN_FUNCTIONS; i++) {
    if (weft__rnn_is_named(KNOWN[i].name, name)) {
      *out = (weft_rnn_activation){(weft_rnn_function)i, KNOWN[i].alpha, KNOWN[i].beta};
      *out_params = KNOWN[i].params;
      return true;
    }
  }
  return false;
}

// How many names the node has to give, or none.
static inline size_t weft__rnn_activation_count(const weft_op_desc *n, size_t usual) {
  return usual * weft__rnn_directions(n);
}

// The activations of a node whose operator has n_usual of its own: those of the second direction stand behind
// those of the first. Values of activation_alpha and _beta go in that order to the activations that have such
// a parameter; where a list has ended, the usual values hold. What is returned is the number of activations,
// or of names before the first that is not known. The count of names has been checked.
static inline size_t weft__rnn_activations(const weft_op_desc *n, const char *const *usual, size_t n_usual,
                                           weft_rnn_activation *out) {
  const weft_attr *names = weft_attr_at(n, WEFT_RNN_ACTIVATIONS, WEFT_VT_LIST_STRING);
  const weft_attr *alpha = weft_attr_at(n, WEFT_RNN_ALPHA, WEFT_VT_LIST_FLOAT);
  const weft_attr *beta = weft_attr_at(n, WEFT_RNN_BETA, WEFT_VT_LIST_FLOAT);
  const size_t count = weft__rnn_activation_count(n, n_usual);
  size_t a = 0;
  size_t b = 0;
  for (size_t i = 0; i < count; i++) {
    const char *own = usual[i % n_usual];
    int params;
    if (!weft__rnn_named(names && names->n ? names->u.strs[i] : (weft_str){own, strlen(own)}, &out[i],
                         &params))
      return i;
    if (params > 0 && alpha && a < alpha->n)
      out[i].alpha = alpha->u.floats[a++];
    if (params > 1 && beta && b < beta->n)
      out[i].beta = beta->u.floats[b++];
  }
  return count;
}
// SPDX-License-Identifier: Apache-2.0
