// described.h - operators whose results nobody here can compute (a device's own, or described by no page),
// but whose shapes are plain: a row has the rule as text, and a graph with such an operator is inferred
// whole.
//
//   DESCRIBED("MoeDistributeCombine", "rows of experts back", "x~expand_x = [expert_ids.0, expand_x.1]", ...)
//
// The text is statements between semicolons, one for each output; outputs without one have an unknown rank.
//   y = x               as input x is; y... = x: instance by instance
//   y = [x.0, 4, @k]    its dims: of an input (x.-1: the last), a number, an attribute, `?` unknown,
//   y = [x:0:-1, 8]     a run of an input's dims (here all but the last);
//                       a + b, a - b, a * b, a / b (rounded down), a ^ b (rounded up), from left to right
//   y = [x.0|1@trans]   axis 1 in place of 0 where the attribute is true
//   y = a | b | [1]     the first input of these that is there, or a shape
//   y~x = .. its dtype is x's (f32 where x is absent), y@dst = .. attribute dst's, y:f32 = .. this one
// Layer: ops.
#pragma once
#include "op.h"
#include "op/air_rows.h"

weft_status weft__described_infer(weft_infer *it);  // the row's `user` is the text
#define DESCRIBED(op_name, says, rules, ...)                                                   \
  {                                                                                            \
    .name = op_name, .summary = says, .traits = WEFT_SYMBOLIC, .infer = weft__described_infer, \
    .user = rules, .examples = WEFT_EXAMPLES(__VA_ARGS__)                                      \
  }
// SPDX-License-Identifier: Apache-2.0
