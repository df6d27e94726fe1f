// control.h - what choices (control.c) and loops (control_loop.c) share: what goes into bodies, and how they
// are filled. Layer: frontend.
#pragma once
#include "frontend/mindspore/mindspore.h"

typedef struct captures {
  ms_capture *v;
  size_t n, room;
} captures;

// The loop that a body goes on with, the one around it, and how many tensors go from turn to turn.
typedef struct goal {
  const ms_graph *header;
  const ms_graph *around;  // what lies behind its header is no part of this loop; NULL: none
  size_t n_tensors;
  // The body may leave the loop (break, return). Then a turn gives three things: the arguments of the next
  // one, whether the loop was left, and what it gives when it was. now: the first and last as this turn got
  // them.
  bool leaves;
  const ms_value *now;
} goal;

// A choice or loop: what goes in, and what runs inside.
typedef struct control {
  ms_value all;  // of values that go in: arguments, then those that are captured
  bool lift;     // numbers go in as tensors
  const captures *captured;
  size_t n_args;
  ms_list operands;         // the tensors of `all`
  bool loops;               // the number of the turn and the condition stand in front of them
  const struct goal *goal;  // the loop that both branches go on with
  size_t n_out;
  ms_value result;  // what the body gives; its tensors are not those outside
} control;

// Fills the outputs of a body from its arguments.
typedef weft_status (*control_fill)(ms_op *in, control *c, void *ctx, const ms_value *args, ms_list *out);

// What the graphs of these values read of the graphs around them. A closure that is read adds its graphs.
// stop: the loop that they go on with, which is not entered from them.
weft_status ms_captures_of(ms_op *o, const ms_value *values, size_t n, const ms_graph *stop, captures *c);
// Arguments and captures side by side, and their tensors.
weft_status ms_control_begin(ms_op *o, control *c, const ms_value *args, size_t n, const captures *more);
// The body in a slot of a node: its inputs, what `fill` makes of them, its outputs.
weft_status ms_control_body(ms_op *o, weft_node *node, uint32_t slot, control *c, control_fill fill,
                            void *ctx);
weft_value *ms_condition(front_op *b, const ms_value *v);
// What a node gives, as the value that its body gave.
weft_status ms_control_results(ms_op *o, const control *c, weft_node *node, ms_value *out);
// If, of two bodies: ctx of `fill` is 1 for the first, 2 for the other (size_t).
weft_status ms_control_if(ms_op *o, weft_value *condition, control *c, control_fill fill, ms_value *out);
// SPDX-License-Identifier: Apache-2.0
