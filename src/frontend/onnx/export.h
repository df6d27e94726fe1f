// export.h - a graph written as ONNX: what the driver (export.c) and the rows of operators (export_rows.c,
// export_nn.c) share. A primitive becomes one or more ONNX nodes of operator set 21; one that has no row, or
// that a row cannot express, becomes a node of the domain "weft" under its own name, which weft reads back;
// an operator of somebody else's, "acme::Scale", is in a domain of its own. Layer: frontend/onnx.
#pragma once
#include "frontend/onnx/writer.h"
#include "ir/ir.h"

enum { EXPORT_OPSET = 21, EXPORT_NAME = 320, EXPORT_INPUTS = 16 };

typedef struct export_domain {
  const char *name;
  struct export_domain *next;
} export_domain;

typedef struct export {
  onnxw w;
  weft_arena arena;
  weft_diag *d;
  const weft_graph *g;  // that is being written
  weft_map values;      // of inner graphs: address of a value -> its name
  weft_map made;        // values whose constant is needed in the graph at hand
  const char *prefix;   // of names in a body; "" in the main graph
  uint32_t n_made, n_bodies;
  struct export_domain *domains;  // that nodes are in, besides ONNX's own
  weft_status failed;
  const weft_node *node;
}
export;

// A value's name in the file. NULL gives "": absent.
const char *export_name(export *x, const weft_value *v);
const char *export_made(export *x);  // a new name
// A node; attributes follow. n_out names, or 0: one made name, which it returns; otherwise the first.
const char *export_op(export *x, const char *type, const char *const *in, size_t n_in, const char *const *out,
                      size_t n_out);
const char *export_op1(export *x, const char *type, const char *a, const char *b, const char *c,
                       const char *out);
const char *export_ints(export *x, const int64_t *v, size_t n, bool scalar);  // a constant INT64
const char *export_number(export *x, weft_dtype t, double v);                 // a constant []
int32_t export_type(export *x, weft_dtype t);                                 // ONNX's number; 0: none

// Of x->node: its input ports, the first instance of each, and its outputs.
const char *export_in(export *x, uint32_t i);      // "" where absent
const char *export_places(export *x, uint32_t i);  // the same as INT64, which ONNX wants of shapes and axes
const char *export_out(export *x, uint32_t i);     // "" where nobody reads it
const weft_value *export_in_value(const export *x, uint32_t i);
bool export_wanted(const export *x, uint32_t i);
const weft_attr *export_attr(const export *x, const char *name);
int64_t export_attr_int(const export *x, const char *name, int64_t dflt);
float export_attr_float(const export *x, const char *name, float dflt);
bool export_attr_is(const export *x, const char *name, const char *text);
weft_ints export_attr_ints(const export *x, const char *name);
void export_pass(export *x, const char *to, const char *from);  // an attribute under another name
bool export_known(const weft_value *v, int64_t *out, size_t most, size_t *n);

// false: the row cannot express this node, and has written nothing.
typedef bool (*export_fn)(export *x);
typedef struct export_row {
  const char *primitive, *onnx;
  const char *attrs;  // "to<from to<from": attributes under other names; NULL: none
  export_fn fn;       // NULL: the same inputs and outputs
} export_row;
const export_row *export_find(const char *primitive);
bool export_strided_slice(export *x);
bool export_stitch(export *x);
extern const export_row export_nn_rows[];
extern const size_t export_nn_count;

// Bodies, written as attributes of the node that is open: export.c.
void export_body(export *x, const char *attr, const weft_graph *g, size_t n_own, uint32_t first_captured);
// SPDX-License-Identifier: Apache-2.0
