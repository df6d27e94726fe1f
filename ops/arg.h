// arg.h - what ArgMaxV2 and ArgMin share. Layer: ops.
#pragma once
#include "op.h"
#include "arg.rule.h"

weft_status weft__arg_infer(weft_infer *it);
weft_status weft__arg_run(const weft_call *c, int sign);  // 1: largest, -1: smallest

#define WEFT_ARG_PROTO(op_name)                                                                          \
  WEFT_OP_HEAD, .name = op_name,                                                                         \
                .in = PORTS({"x", "T"}, {"dimension", NULL, WEFT_SET_INDEX, .value = WEFT_VALUE_INFER}), \
                .out = PORTS({"y", "I"}),                                                                \
                .types = TYPES({"T", WEFT_SET_NUMBER}, {"I", WEFT_SET_INDEX, .from_attr = "dtype"}),     \
                .attrs = ATTRS({"dtype", "Type", "DT_INT64"}, {"keep_dims", "Bool", "false", .ext = 1},  \
                               {"select_last_index", "Bool", "false", .ext = 1}),                        \
                .traits = WEFT_SYMBOLIC | WEFT_MONOTONE, .infer = weft__arg_infer
// SPDX-License-Identifier: Apache-2.0
