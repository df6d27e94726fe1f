// mindspore.h - what the files of the MindSpore reader share. A MINDIR is protobuf (message.c): primitives,
// and graphs whose nodes name each other by text. A node is a primitive, a constant, a call of a graph, or a
// call of what another node gives (a closure). Values are more than tensors: numbers, tuples, closures
// (value.c). graph.c makes the nodes that outputs need, writes called graphs into the one around them and
// drops the glue; control.c makes If of a Switch that is called, and Loop of a graph that calls itself; an
// operator is a row of a table (map_*.c). Layer: frontend.
#pragma once
#include "frontend/front.h"
#include "frontend/onnx/wire.h"

enum {
  MS_MAX_NODES = 1 << 20,
  MS_MAX_CALLS = 1 << 16,  // of graphs that are written into others
  MS_MAX_NUMBERS = 64,
  MS_MAX_INPUTS = 256,
  MS_MAX_SIZE = 1 << 16,  // of a value: it and all that it holds
  MS_MAX_NESTED = 256,
  MS_DEPTH = 48
};

typedef struct ms_bytes {  // a message in the file
  const uint8_t *at;
  size_t n;
} ms_bytes;

typedef struct ms_import ms_import;
typedef struct ms_graph ms_graph;
typedef struct ms_scope ms_scope;
typedef struct ms_op ms_op;

// ---- what stands for a name ----
typedef enum ms_kind {
  MS_NOTHING,
  MS_TENSOR,
  MS_INT,
  MS_FLOAT,
  MS_BOOL,
  MS_TEXT,
  MS_NONE,
  MS_MONAD,    // the order of side effects
  MS_DATA,     // a tensor in the file, not made yet
  MS_PARAM,    // a parameter: read as it is now, may be written
  MS_TUPLE,    // items; a list is one, too
  MS_PARTIAL,  // a graph with its first arguments, the items
  MS_SWITCH    // items: condition, what is taken when it holds, and when not
} ms_kind;

typedef struct ms_param {
  const char *name;  // the user's
  ms_bytes tensor;
  weft_value *v;  // as it is now; NULL: not read yet
  bool changed;
  bool may_change;    // some node writes to it
  weft_value *state;  // of such a one, in the root graph: its Variable
} ms_param;

typedef struct ms_value {
  ms_kind kind;
  weft_value *v;
  int64_t i;
  double f;
  const char *text;
  ms_bytes data;
  ms_param *param;  // of a tensor: the parameter that was handed into a body as this
  ms_graph *graph;
  struct ms_value *items;
  size_t n;
  size_t size, depth;  // of what holds items: ms_measure
} ms_value;

// ---- message.c: the model ----
typedef struct ms_prim {
  const char *type;
  ms_bytes message;
} ms_prim;

typedef struct ms_node {
  const char *key;    // what it refers to: a primitive, a graph, a name; of a constant "Constant"
  const char *name;   // its output
  const char *where;  // scope and operator: "Default/0-Dense/MatMul-op0"
  ms_bytes message;
  uint64_t offset;
  const char **in;
  size_t n_in;
  const ms_prim *prim;  // NULL: it calls
  ms_graph *calls;      // NULL: a primitive, or a call of a value
} ms_node;

typedef struct ms_end {  // an input or output of a graph
  const char *name;
  ms_bytes tensor;  // TensorProto; at NULL: no tensor
} ms_end;

struct ms_graph {
  const char *name;
  ms_bytes message;
  ms_node *nodes;
  size_t n_nodes;
  ms_end *in;
  size_t n_in;
  ms_end *out;
  size_t n_out;
  size_t number;
  bool seen;  // by a search: ms_reach
  bool searched, recursive;
  ms_graph *next;
};

typedef enum ms_def_kind { MS_DEF_NODE, MS_DEF_INPUT, MS_DEF_PARAM } ms_def_kind;
typedef struct ms_def {  // what a name of the model is
  ms_def_kind kind;
  ms_graph *graph;
  size_t index;
  ms_param *param;
  ms_value constant;    // of a node "Constant", once read
  weft_graph *made_in;  // where its tensor was made last
  weft_value *made;
} ms_def;

typedef struct ms_row {
  const char *op;    // of MindSpore
  const char *args;  // names of its inputs, in order; what is no input is looked for among the attributes
  const char *rule;  // an expression (front_eval) of arguments; of map_same.c the primitive; NULL: fn
  char mode;         // of the rule. T: operands have the dtype of the result, P: that which they promote to,
                     // '-': their own
  void (*fn)(ms_op *o);
} ms_row;
typedef struct ms_rows {
  const ms_row *v;
  size_t n;
} ms_rows;
extern const ms_rows *const ms_tables[];  // tables.c
extern const size_t ms_table_count;

struct ms_import {
  front f;
  wire_source source;
  const char *path;  // NULL: read from memory
  weft_map prims;    // name -> ms_prim
  weft_map names;    // name -> ms_def
  weft_map graphs;   // name -> ms_graph
  weft_map rows;     // op -> ms_row
  weft_map files;    // with data of tensors: location -> ms_bytes
  ms_graph *main, *all;
  ms_param **params;
  size_t n_params;
  size_t n_nodes, n_calls, n_graphs;
};

wire_message ms_open(ms_import *m, ms_bytes b);
bool ms_next(wire_message *w, wire_field *f);            // false at the end; quiet where the message is torn
const char *ms_text(ms_import *m, const wire_field *f);  // in the reading's arena; NULL: out of memory
bool ms_field(ms_import *m, ms_bytes message, uint32_t number, wire_field *out);
ms_bytes ms_part(ms_import *m, ms_bytes message, uint32_t number);  // at NULL: none
weft_status ms_read_model(ms_import *m, ms_bytes file);
ms_def *ms_def_of(const ms_import *m, const char *name);
bool ms_dtype(int64_t data_type, weft_dtype *out);
// Rank, -1 where it is not known.
weft_status ms_tensor_type(ms_import *m, ms_bytes tensor, weft_dtype *t, weft_dim dims[WEFT_MAX_RANK],
                           int *rank);
// A file in the folder of the model, which the graph keeps.
weft_status ms_file(ms_import *m, const char *location, ms_bytes *out);

// ---- value.c ----
weft_status ms_attribute(ms_import *m, ms_bytes attribute, ms_value *out);
bool ms_attribute_named(ms_import *m, ms_bytes message, uint32_t number, const char *name, ms_bytes *out);
weft_status ms_constant(ms_import *m, weft_graph *g, const char *name, ms_bytes tensor, weft_value **out);
// The tensor that stands for a value: numbers become constants. NULL: it is none, or the operator failed.
weft_value *ms_tensor_of(front_op *b, const ms_value *v);
bool ms_is_number(const ms_value *v);
// How many values there are in one, itself included, and how deep they lie, of what its items know of
// themselves. Each node may hold another twice, so that a short file makes a value of 2^n: E_UNSUPPORTED.
void ms_measure(front_op *b, ms_value *v);
void ms_known_number(front_op *b, ms_value *v);  // v becomes a number, or stays what it is

typedef struct ms_list {
  weft_value **v;
  size_t n, room;
} ms_list;
void ms_list_add(front_op *b, ms_list *list, weft_value *v);
// All tensors of a value, in order. lift: numbers become tensors; without it they stay what they are.
void ms_flatten(front_op *b, const ms_value *v, bool lift, ms_list *out);
// The same value with other tensors, taken from *at on.
ms_value ms_rebuilt(front_op *b, const ms_value *v, bool lift, weft_value *const *tensors, size_t *at);
// How many tensors a value of a node's type holds, and one of them.
size_t ms_type_count(ms_import *m, const ms_node *n);
bool ms_type_at(ms_import *m, const ms_node *n, size_t i, ms_bytes *out_tensor);
// Values of a node's type, of what `make` gives for each tensor.
ms_value ms_typed(front_op *b, ms_import *m, const ms_node *n, weft_value *const *tensors, size_t n_tensors);

// ---- graph.c ----
typedef struct ms_made {
  ms_value value;
  uint8_t state;  // 0: not seen, 1: waiting for its inputs, 2: made
} ms_made;

typedef struct ms_capture {
  const ms_def *def;
  ms_value value;
} ms_capture;

struct ms_scope {
  ms_import *m;
  front_scope s;
  ms_graph *graph;  // NULL: a body's outermost scope
  ms_scope *up;     // around it, in the same body
  ms_made *nodes;
  size_t *stack;  // nodes that wait for their inputs
  size_t n_stack;
  const ms_value *args;
  ms_capture *captures;  // of a body's outermost scope
  size_t n_captures;
  uint32_t depth;
};

// Marks (seen) all graphs that can be called from this one, itself among them only when it can be. stop: one
// that is not entered, or NULL.
void ms_reach(ms_import *m, const ms_graph *from, const ms_graph *stop);
weft_status ms_scan(ms_import *m);  // all operators that are not read
weft_status ms_scope_begin(ms_scope *s, ms_scope *up, ms_graph *g, const ms_value *args, size_t n);
weft_status ms_take(ms_scope *s, const char *name, ms_value *out);  // makes all that it needs
ms_op ms_op_of(ms_scope *s, const ms_node *n);
// What a graph gives for these arguments, written into the scope around the call.
weft_status ms_call(ms_op *o, ms_graph *g, const ms_value *args, size_t n, ms_value *out);
weft_status ms_call_value(ms_op *o, const ms_value *f, const ms_value *args, size_t n, ms_value *out);

// ---- map_glue.c ----
bool ms_writes(const char *type);  // does the operator write to a parameter?

// ---- control.c ----
bool ms_recursive(ms_import *m, ms_graph *g);
weft_status ms_branch(ms_op *o, const ms_value *choice, const ms_value *args, size_t n, ms_value *out);
weft_status ms_loop(ms_op *o, ms_graph *header, const ms_value *args, size_t n, ms_value *out);

// ---- custom.c ----
// An operator of a package or of the program; NULL: there is none of this name.
const weft_proto *ms_custom_of(ms_import *m, const ms_node *n);
void ms_custom(ms_op *o, const weft_proto *p);

// ---- op.c: of an operator ----
// An attribute of a primitive; NOTHING: it has none of this name.
weft_status ms_node_attribute(ms_import *m, const ms_node *n, const char *name, ms_value *out);

struct ms_op {
  front_op b;
  ms_scope *s;
  ms_import *m;
  const ms_node *node;
  const ms_row *row;
  ms_value *in;
  size_t n_in;
  ms_value out;
};

// An argument: an input by its place in the row, or an attribute. false: not given, or none.
bool ms_find(ms_op *o, const char *name, ms_value *out);
bool ms_has(ms_op *o, const char *name);
weft_value *ms_tensor(ms_op *o, const char *name);                 // E_MISSING, E_TYPE
weft_value *ms_optional(ms_op *o, const char *name);               // NULL: none
weft_value *ms_operand(ms_op *o, const char *name, weft_dtype t);  // a tensor or number, cast
size_t ms_tensors(ms_op *o, const char *name, weft_value ***out);  // of a tuple
int64_t ms_int(ms_op *o, const char *name, int64_t dflt);
double ms_float(ms_op *o, const char *name, double dflt);
bool ms_bool(ms_op *o, const char *name, bool dflt);
const char *ms_string(ms_op *o, const char *name, const char *dflt);
bool ms_is(ms_op *o, const char *name, const char *dflt, const char *text);  // upper and lower case are one
weft_dtype ms_type(ms_op *o, const char *name, weft_dtype dflt);
size_t ms_ints(ms_op *o, const char *name, int64_t out[MS_MAX_NUMBERS]);  // absent: 0; a number is one
// The last n of a list; one number stands for all; absent: all are dflt.
void ms_sizes(ms_op *o, const char *name, size_t n, int64_t dflt, int64_t *out);
size_t ms_axes(ms_op *o, const char *name, int rank, int64_t out[MS_MAX_NUMBERS]);
weft_value *ms_numbers(ms_op *o, const char *name);  // INT64 [n], of a tuple of numbers and scalars
weft_dtype ms_out_type(ms_op *o, size_t i);          // UNDEFINED: not known
weft_dtype ms_promoted(ms_op *o);
void ms_give(ms_op *o, weft_value *v);
void ms_give_many(ms_op *o, weft_value *const *v, size_t n);
void ms_give_outputs(ms_op *o, weft_value *first, size_t n);  // of one primitive
// SPDX-License-Identifier: Apache-2.0
