// op_inputs.h - the inputs that `weft op run` and `weft op tile` are given.
#pragma once
#include "cli.h"

enum { OP_INPUTS = 256 };
typedef struct op_inputs {  // zeroed
  weft_tensor tensor[OP_INPUTS];
  const weft_tensor *in[OP_INPUTS];  // NULL: absent
  size_t n;
  uint32_t count[OP_INPUTS];
  const uint32_t *counts;  // instances of each port; NULL: the operator's own rule says
  bool shapes;             // a literal may go without its data: f32[32,128]
} op_inputs;
// Each text is a tensor, _ for none, [a, b] for a dynamic port, or NAME= and one of these.
weft_status op_inputs_read(op_inputs *in, const weft_proto *p, const char *const *text, size_t n,
                           weft_diag *d);
// Each text is NAME=VALUE; out[i] are its name and value.  op_call.c
weft_status op_attrs_read(const char *const *text, size_t n, const weft_proto *p, weft_attr_pool *pool,
                          weft_named_attr *out, weft_diag *d);
void op_inputs_drop(op_inputs *in);  // also after a failure
// SPDX-License-Identifier: Apache-2.0
