// cumulate.h - running sums and products along an axis, with AscendIR's exclusive and reverse. Layer: ops.
#pragma once
#include "op.h"

// Floats are combined in double and each result is rounded once; integers wrap.
weft_status weft__cumulate_infer(weft_infer *it);
weft_status weft__cumulate(const weft_call *c, bool product);
#define WEFT_CUMULATE_PROTO(op_name)                                                                         \
  WEFT_OP_HEAD, .name = op_name,                                                                             \
                .in = PORTS({"x", "T"}, {"axis", NULL, WEFT_SET_INDEX, .value = WEFT_VALUE_INFER}),          \
                .out = PORTS({"y", "T"}),                                                                    \
                .types = TYPES({"T", WEFT_NUMBERS | WEFT_DT(COMPLEX64) | WEFT_DT(COMPLEX128)}),              \
                .attrs = ATTRS({"exclusive", "Bool", "false"}, {"reverse", "Bool", "false"}),                \
                .traits = WEFT_SYMBOLIC | WEFT_MONOTONE | WEFT_KEEP_FORMAT, .infer = weft__cumulate_infer
// SPDX-License-Identifier: Apache-2.0
