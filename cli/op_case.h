// op_case.h - one case of `weft op cases`: a call of an operator with inputs and what a framework gave for
// them. ../shared/data/air_cases/README.md describes the form; docs/primitives.md's neighbour says which keys
// are read.
#pragma once
#include "json.h"
#include "runner.h"

typedef enum op_case_verdict { OP_CASE_PASSED, OP_CASE_FAILED, OP_CASE_SKIPPED } op_case_verdict;

typedef struct op_case_options {
  bool graph;               // as a graph of one node, which `runner` compiles or interprets
  bool unknown, constants;  // there: sizes of inputs are not known; inputs behind the first are constants
  bool strict;              // an operator that weft cannot run is a failure
  runner_options runner;
} op_case_options;

// Runs a case of `op`, whose files lie in `dir`. `text` says why it did not pass.
op_case_verdict op_case_run(weft_env *e, const char *dir, const char *op, const json *j,
                            const op_case_options *o, char *text, size_t cap);

// op_case_read.c. The tensor that an entry of inputs, outputs or inputs_after describes. Initialised by the
// callee.
weft_status op_case_tensor(const char *dir, const json *j, weft_tensor *t, weft_diag *d);
// The attributes of a case; their values live in the pool. `out` has room for all of the prototype's.
weft_status op_case_attrs(const weft_proto *p, const json *j, weft_attr_pool *pool, weft_named_attr *out,
                          weft_diag *d);
// SPDX-License-Identifier: Apache-2.0
