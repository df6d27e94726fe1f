// report.h - what the importer cannot do with a model, collected and told at once. An import goes on behind a
// node that fails: the node's outputs become values of unknown type, marked as doubtful, and so does what
// follows from them. A node with doubtful inputs is reported only for what cannot come from them.
// Layer: frontend/onnx.
#pragma once
#include "frontend/onnx/import.h"

enum { ONNX_MAX_SHOWN = 64, ONNX_LAST_VERSION = 28 };  // of ai.onnx
typedef struct onnx_problem {
  uint64_t offset;
  const char *text;  // one line
} onnx_problem;

struct onnx_problems {
  onnx_problem shown[ONNX_MAX_SHOWN];
  size_t n, n_shown;      // all of them; those kept
  size_t n_operators;     // lines among them that stand for operators which are not imported ...
  size_t operator_nodes;  // ... and how many nodes these are
  size_t failures;        // nodes that failed, reported or not
  weft_diag first;        // of the first problem, in full
  weft_map told;          // nodes, tensors and value infos with a problem
  weft_map doubtful;      // values
  weft_map warned;        // what a warning was about
};
void onnx_problems_init(onnx_problems *p, const weft_allocator *a);
void onnx_problems_deinit(onnx_problems *p);

// The attributes of an operator, for weft__onnx_attribute_kind; NULL: ONNX has no such operator in the
// version.
const char *weft__onnx_attributes(onnx_str domain, onnx_str op, int64_t version);
int weft__onnx_attribute_kind(const char *attrs, onnx_str name);  // ONNX_ATTR_*; UNDEFINED: none of this name

// Operators, versions, attributes and element types that the file alone shows to be wrong, in all graphs and
// functions. Adds to m->problems. Errors: E_NOMEM.
weft_status onnx_check_model(onnx_import *m);

// Takes the failure `s` in m->d over as a problem, unless `what` (a node, a tensor, a value info) has one
// already or is NULL, and clears m->d. `node` NULL: not of a node. Returns the failure itself where the
// import cannot go on: memory, damage, limits.
weft_status onnx_set_aside(onnx_import *m, const void *what, const onnx_node *node, uint64_t offset,
                           weft_status s);
// A warning to the environment's log, once for each `what`: a function may be called many times.
void onnx_warn(onnx_import *m, const void *what, const char *fmt, ...) WEFT_PRINTF(3, 4);
bool onnx_doubted(const onnx_import *m, const weft_value *v);
weft_status onnx_doubt(onnx_import *m, const weft_value *v);
// Gives `name` a value that stands for one that could not be made.
weft_status onnx_stand_in(onnx_import *m, onnx_str name, uint64_t offset);
// The status of the import that ended with `s`: its problems, when there are some, go into m->d.
weft_status onnx_report(onnx_import *m, weft_status s);

// import.c
int64_t onnx_domain_version(const onnx_import *m, const onnx_function *f, onnx_str domain, int64_t ours);
int64_t onnx_version_of(const onnx_opset *v, size_t n, int64_t otherwise);
// SPDX-License-Identifier: Apache-2.0
