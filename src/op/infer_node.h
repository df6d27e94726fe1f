// infer_node.h - what infer_node.c and its neighbours share.
#pragma once
#include "op/proto.h"

bool weft__frame_room(weft_frame *f, uint32_t n_in, uint32_t n_out);
bool weft__format_packed(weft_format f);
const char *weft__in_name(const weft_op_desc *n, uint32_t i);
const char *weft__kind_name(uint8_t kind);  // "a sequence"
const char *weft__attr_name(const weft_op_desc *n, uint32_t slot);
// Of the environment that inference works for; the defaults where there is none (an inference by hand).
const weft_env_options *weft__infer_options(const weft_infer *it);
// Of a call in progress, for built-in operators that carry tensors of their own.
const weft_allocator *weft__call_allocator(const weft_call *c);
// For reference kernels and execute functions that work for long: E_LIMIT or E_CANCELLED when the call is to
// stop. Costs a look at the clock where there are limits, nothing where there are none: once a row, not once
// an element.
weft_status weft__call_poll(const weft_call *c);
bool weft__call_is_timed(const weft_call *c);  // does it have a deadline or somebody who can cancel it?
// Strings for an output, within the limits of the call: n texts, or so many pieces for each of n strings.
weft_status weft__call_set_strings(const weft_call *c, weft_tensor *out, const weft_shape *shape,
                                   const char *const *text, const size_t *bytes);
weft_status weft__call_set_pieces(const weft_call *c, weft_tensor *out, const weft_shape *shape,
                                  const char *const *text, const size_t *bytes, size_t pieces);
// Of a call in progress: its environment, and its budget, NULL where there is none.
weft_env *weft__call_env(const weft_call *c);
weft__budget *weft__call_budget(const weft_call *c);
// Every output is left out or has no element: what leads to them shows nowhere.
bool weft__call_gives_nothing(const weft_call *c);
// May the call write to the inputs that its operator updates in place without giving them as outputs?
bool weft__call_updates(const weft_call *c);
const weft_fact *weft__call_fact(const weft_call *c, uint32_t out);  // what inference found of an output
// SPDX-License-Identifier: Apache-2.0
