// flow.h - what If, Case and While share (map_flow.c, map_while.c): arguments of a function that become
// inputs of a closed graph.
#pragma once
#include "frontend/tf/tables.h"

typedef struct tf_flow_args {
  tf_op *o;
  const tf_value *args;  // of the function, outside
  size_t n;
  int64_t *slot;  // which operand an argument is; -1: it is made inside
  weft_value **in;
  weft_fact *facts;  // of the operands, as the graph sees them
  size_t n_in;
  size_t lead;  // inputs of the graph before the operands
} tf_flow_args;

typedef struct tf_flow_body {
  // Computes the outputs of the graph from its inputs.
  void (*fill)(tf_op *in, struct tf_flow_body *b, weft_value *const *lead, tf_value *args);
  tf_flow_args *f;
  const char *function;
  const char *condition;            // of a loop
  const struct tf_flow_cases *all;  // of Case
  size_t from, to;
  weft_value **out;
  size_t n_out;
  tf_value *results;  // of the function
  size_t n_results;
} tf_flow_body;

// lead: inputs of the node before the operands.
void tf_flow_begin(tf_flow_args *f, tf_op *o, const tf_value *args, size_t n, size_t lead);
// What holds of a value in every run: not its elements.
weft_fact tf_flow_fact(const weft_value *v);
// Argument i becomes an operand.
void tf_flow_pass(tf_flow_args *f, size_t i, weft_fact fact);
// A tensor or a list that is no constant.
bool tf_flow_passed(const tf_value *v);
// The graph of a node; a loop's has two inputs before the operands.
void tf_flow_graph(tf_op *o, weft_node *node, uint32_t slot, tf_flow_body *b, bool loop);
// The function's results, written into the graph.
bool tf_flow_call(tf_op *in, tf_flow_body *b, const tf_value *args);
bool tf_flow_room(tf_op *in, tf_flow_body *b, size_t n);
// Result i as an output of the graph.
weft_value *tf_flow_result(tf_op *in, const tf_value *v, size_t i);
// BOOL []
weft_value *tf_flow_decides(tf_op *o, weft_value *v);
void tf_flow_pass_all(tf_flow_args *f);
// SPDX-License-Identifier: Apache-2.0
