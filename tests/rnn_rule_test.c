// rnn_rule_test.c - the rules of recurrent layers and of axes that operators and kernels share, against what
// ONNX's text says, written out.
#include "rnn.rule.h"
#include "axis.rule.h"

#include "check.h"

static weft_str rnn_text(const char *s) {
  return (weft_str){s, strlen(s)};
}

// ONNX's table of activations: usual alpha and beta, and how many of them a model may give.
TEST(rnn_rule_names) {
  static const struct {
    const char *name;
    int params;
    float alpha, beta;
  } ROW[] = {{"Relu", 0, 0, 0},          {"Tanh", 0, 0, 0},
             {"Sigmoid", 0, 0, 0},       {"Affine", 2, 1, 0},
             {"LeakyRelu", 1, 0.01f, 0}, {"ThresholdedRelu", 1, 1, 0},
             {"ScaledTanh", 2, 1, 1},    {"HardSigmoid", 2, 0.2f, 0.5f},
             {"Elu", 1, 1, 0},           {"Softsign", 0, 0, 0},
             {"Softplus", 0, 0, 0}};
  weft_rnn_activation act;
  int params;
  for (int i = 0; i < (int)(sizeof ROW / sizeof *ROW); i++) {
    CHECK(weft__rnn_named(rnn_text(ROW[i].name), &act, &params));
    CHECK_INT(act.f, i);
    CHECK_INT(params, ROW[i].params);
    CHECK_F64((double)act.alpha, (double)ROW[i].alpha, 0);
    CHECK_F64((double)act.beta, (double)ROW[i].beta, 0);
  }
  CHECK(weft__rnn_named(rnn_text("HARDSIGMOID"), &act, &params));
  CHECK_INT(act.f, WEFT_RNN_HARD_SIGMOID);
  CHECK(!weft__rnn_named(rnn_text("Tan"), &act, &params));
  CHECK(!weft__rnn_named(rnn_text("Tanhh"), &act, &params));
}

// Two directions of two: alphas go to Elu and LeakyRelu, the only beta to HardSigmoid.
TEST(rnn_rule_parameters) {
  static const char *const USUAL[] = {"sigmoid", "tanh"};
  const weft_str names[] = {rnn_text("Elu"), rnn_text("Tanh"), rnn_text("HardSigmoid"),
                            rnn_text("LeakyRelu")};
  const float alphas[] = {3, 4};
  const float betas[] = {7};
  const weft_attr alpha = {.type = WEFT_VT_LIST_FLOAT, .n = 2, .u.floats = alphas};
  const weft_attr beta = {.type = WEFT_VT_LIST_FLOAT, .n = 1, .u.floats = betas};
  const weft_attr list = {.type = WEFT_VT_LIST_STRING, .n = 4, .u.strs = names};
  const weft_attr both = {.type = WEFT_VT_STRING, .n = 13, .u.s = "bidirectional"};
  const weft_attr *const attrs[] = {&alpha, &beta, &list, NULL, &both};
  const weft_op_desc given = {.n_attr = 5, .attr = attrs};
  const weft_op_desc none = {.n_attr = 0};
  weft_rnn_activation act[4];
  CHECK_INT(weft__rnn_directions(&given), 2);
  CHECK(!weft__rnn_is_reverse(&given, 0) && weft__rnn_is_reverse(&given, 1));
  CHECK_INT(weft__rnn_activations(&given, USUAL, 2, act), 4);
  CHECK_INT(act[0].f, WEFT_RNN_ELU);
  CHECK_F64((double)act[0].alpha, 3, 0);
  CHECK_F64((double)act[2].alpha, 4, 0);
  CHECK_F64((double)act[2].beta, 7, 0);
  CHECK_F64((double)act[3].alpha, (double)0.01f, 0);  // the list has ended

  CHECK_INT(weft__rnn_activations(&none, USUAL, 2, act), 2);
  CHECK_INT(act[0].f, WEFT_RNN_SIGMOID);
  CHECK_INT(act[1].f, WEFT_RNN_TANH);
}

TEST(rnn_rule_unknown_name) {
  static const char *const USUAL[] = {"sigmoid", "tanh"};
  const weft_str names[] = {rnn_text("tanh"), rnn_text("Swish")};
  const weft_attr list = {.type = WEFT_VT_LIST_STRING, .n = 2, .u.strs = names};
  const weft_attr *const attrs[] = {NULL, NULL, &list};
  const weft_op_desc given = {.n_attr = 3, .attr = attrs};
  weft_rnn_activation act[2];
  CHECK_INT(weft__rnn_activations(&given, USUAL, 2, act), 1);
}

TEST(axis_rule_counts_from_the_end) {
  static const struct {
    int64_t axis;
    size_t rank;
    int64_t found;  // -1: outside
  } ROW[] = {{0, 3, 0},  {2, 3, 2},   {-1, 3, 2}, {-3, 3, 0},
             {3, 3, -1}, {-4, 3, -1}, {0, 0, -1}, {INT64_MIN, 8, -1}};
  for (size_t i = 0; i < sizeof ROW / sizeof *ROW; i++) {
    int64_t axis = ROW[i].axis;
    CHECK_INT(weft__axis_inside(&axis, ROW[i].rank), ROW[i].found >= 0);
    if (ROW[i].found >= 0)
      CHECK_INT(axis, ROW[i].found);
  }
}
// SPDX-License-Identifier: Apache-2.0
