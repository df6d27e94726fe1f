// tf.h - what the files of the TensorFlow reader share. A frozen GraphDef or a SavedModel's is protobuf
// (message.c); variables lie in a bundle beside it (bundle.c). graph.c takes from a graph, or from a function
// that is called, the nodes that its outputs need, and writes functions into the graph around them; an
// operator is a row of a table (map_*.c). Layer: frontend.
#pragma once
#include "frontend/front.h"
#include "frontend/onnx/wire.h"

enum { TF_MAX_NODES = 1 << 20, TF_MAX_OUTPUTS = 4096, TF_MAX_NUMBERS = 64, TF_DEPTH = 64 };

typedef struct tf_bytes {  // a message in the file
  const uint8_t *at;
  size_t n;
} tf_bytes;

// ---- message.c ----
typedef struct tf_import tf_import;

typedef struct tf_ref {  // "node", "node:1", "node:output:1"
  const char *node;
  const char *port;  // the output's name; NULL: index counts all outputs
  uint32_t index;
  uint32_t at;   // which node of its body, from 1; 0: not looked up, or an argument
  uint32_t arg;  // which argument, from 1; 0: not looked up, or a node
} tf_ref;

typedef struct tf_operator {  // of TensorFlow, by name: a model has many nodes and few operators
  const char *name;
  const struct tf_row *row;  // NULL: none
  const weft_proto *custom;  // without a row: an operator of a package or of the program; NULL: not read
  size_t n_writes;           // variables that it writes to: its first inputs
  bool direct;               // its name is that of a function, which it calls
  bool takes_functions;      // a call, a branch, a loop; or not known
  bool calls;                // one function, where it stands
  bool must_run;             // in a function that writes: though nobody reads it
} tf_operator;

typedef struct tf_node {
  const char *name, *op;
  const tf_operator *of;  // NULL: not read yet (tf_node_read)
  tf_bytes message;
  uint64_t offset;
  tf_ref *in;  // without control inputs
  size_t n_in;
  const char **after;  // control inputs
  size_t n_after;
} tf_node;

typedef struct tf_body {  // the main graph, or a function
  const char *name;
  tf_node *nodes;
  size_t n_nodes;
  weft_map by_name;   // -> tf_node; those of the main graph are read when somebody asks
  weft_map by_arg;    // -> an element of args
  const char **args;  // of a function
  size_t n_args;
  tf_ref *results;  // of a function, in the order of its signature
  const char **result_names;
  size_t n_results;
  bool scanned;
  bool looked, writes;   // writes.c: does it, or what it calls, write to a variable?
  bool *arg_written;     // by argument
  struct tf_body *next;  // all that were read
} tf_body;

typedef struct tf_variable {
  const char *name;
  const char *key;           // of the bundle; NULL: nothing is restored
  weft_value *v;             // as it was read last: a constant of that graph
  weft_value *state, *now;   // of one that is written: a Variable, and what it holds where the reading is
  struct tf_variable *next;  // of those that are written
} tf_variable;

typedef struct tf_list {  // a TensorList whose items' shape is not known yet
  weft_dtype t;
  weft_value *count;  // of its items, in the graph that reserves it; NULL: `known` items
  int64_t known;      // -1: not known while reading
} tf_list;

typedef struct tf_table {  // a hash table
  const tf_node *node;
} tf_table;

typedef struct tf_branch {  // of control flow v1: a value of one of n branches
  weft_value *decides;
  int64_t which, n;
  const struct tf_branch *around;
} tf_branch;

// What stands at an output of a node.
typedef enum tf_kind { TF_NOTHING, TF_TENSOR, TF_RESOURCE, TF_LIST, TF_TABLE } tf_kind;
typedef struct tf_value {
  tf_kind kind;
  weft_value *v;  // of a list: its items along a first axis; NULL: `list`
  tf_variable *variable;
  const tf_list *list;
  tf_table *table;
  const tf_branch *branch;  // NULL: of none
} tf_value;

typedef struct tf_op tf_op;
typedef struct tf_row {
  const char *op;     // of TensorFlow
  const char *rule;   // a primitive, or an expression (front_eval) of x, y, z and attributes; NULL: fn
  const char *attrs;  // of the primitive: "tf>weft=default" ..
  void (*fn)(tf_op *o);
} tf_row;
typedef struct tf_rows {
  const tf_row *v;
  size_t n;
} tf_rows;
extern const tf_rows *const tf_tables[];  // tables.c
extern const size_t tf_table_count;

struct tf_import {
  front f;
  wire_source source;
  tf_body main;
  weft_map functions;  // name -> tf_bytes of a FunctionDef, then tf_body
  weft_map bodies;     // name -> tf_body
  weft_map rows;       // op -> tf_row
  weft_map operators;  // op -> tf_operator
  weft_map variables;  // name of a VarHandleOp -> tf_variable
  tf_body *bodies_read;
  tf_variable *written;  // newest first
  const char *folder;    // of a SavedModel; NULL: a frozen graph
  weft_map entries;      // of the bundle: key -> tf_bytes of a BundleEntryProto
  uint32_t n_shards;
  tf_bytes *shards;  // at NULL: not opened yet
  size_t n_nodes;    // of the file
  size_t n_made;     // those of a function as often as it is called
};

weft_status tf_read_graph(tf_import *m, tf_bytes graph_def);
weft_status tf_node_read(tf_import *m, tf_node *n);
weft_status tf_find(tf_import *m, const tf_body *b, const char *name, tf_node **out);  // read; NULL: none
weft_status tf_read_all(tf_import *m, tf_body *b);
// Each function that a node hands over, by name: of its attributes, and of lists among them (Case).
typedef weft_status (*tf_function_fn)(tf_import *m, const char *name, void *ctx);
weft_status tf_each_function(tf_import *m, const tf_node *n, tf_function_fn fn, void *ctx);
bool tf_body_arg(const tf_body *b, const char *name, size_t *out);      // which argument of the function
weft_status tf_body_of(tf_import *m, const char *name, tf_body **out);  // E_NOT_FOUND
// The same with nodes that are read when they are asked for (tf_node_read, tf_find), for a function of which
// few are.
weft_status tf_body_named(tf_import *m, const char *name, tf_body **out);
bool tf_dtype(int64_t data_type, weft_dtype *out);
wire_message tf_open(tf_import *m, tf_bytes b);
// The next field; false at the end, and where the message is torn, which is told where it is walked as a
// whole.
bool tf_next(wire_message *w, wire_field *f);
const char *tf_text(tf_import *m, tf_bytes b);  // in the reading's arena
// The first field of this number; false: there is none.
bool tf_field(tf_import *m, tf_bytes message, uint32_t number, wire_field *out);
tf_bytes tf_part(tf_import *m, tf_bytes message,
                 uint32_t number);  // of a nested message or text; at NULL: none
bool tf_map_find(tf_import *m, tf_bytes message, uint32_t number, const char *key, tf_bytes *out);
weft_status tf_ref_of(tf_import *m, const uint8_t *at, size_t n, tf_ref *out);
// A TensorShapeProto: rank, -1 where it is not known.
weft_status tf_shape(tf_import *m, tf_bytes shape, weft_dim dims[WEFT_MAX_RANK], int *rank);
weft_status tf_tensor(tf_import *m, weft_graph *g, const char *name, tf_bytes tensor, weft_value **out);

// ---- graph.c ----
typedef struct tf_scope {
  tf_import *m;
  front_scope s;
  tf_body *body;
  struct tf_made *made;  // for each node of the body
  const tf_value *args;
  uint32_t depth;
} tf_scope;

typedef struct tf_made {
  tf_value *out;
  size_t n;
  uint8_t state;  // 0: not seen, 1: waiting for its inputs, 2: made
} tf_made;

struct tf_op {
  front_op b;
  tf_scope *s;
  tf_import *m;
  const tf_node *node;
  tf_value *in;
  size_t n_in;
  tf_made *made;
};

weft_status tf_scope_begin(tf_scope *s, tf_import *m, const front_scope *in, tf_body *body,
                           const tf_value *args, uint32_t depth);
void tf_scope_end(tf_scope *s);
weft_status tf_take(tf_scope *s, const tf_ref *r, tf_value *out);  // makes all that it needs
weft_status tf_call(tf_op *o, const char *function, const tf_value *args, size_t n, tf_value **out,
                    size_t *n_out);

// ports.c: which output of a node a function's reference means.
uint32_t tf_port(tf_import *m, const tf_node *n, const tf_ref *r);
weft_status tf_scan(tf_import *m, tf_body *b, tf_ref *outputs, size_t n, uint32_t depth);
tf_op tf_op_of(tf_scope *s, const tf_node *node);
weft_value *tf_as_tensor(tf_import *m, const tf_value *v);  // NULL: it is none

// ---- bundle.c ----
weft_status tf_bundle_open(tf_import *m);
weft_status tf_bundle_restore(tf_import *m, tf_bytes saver);  // which variable is which
weft_value *tf_variable_read(tf_op *o, tf_variable *v);
weft_status tf_file(tf_import *m, const char *path, tf_bytes *out);  // the graph keeps it

// ---- writes.c ----
// Finds which arguments a function writes to, itself or by what it calls. E_UNSUPPORTED: in a branch or a
// loop.
weft_status tf_look(tf_import *m, tf_body *b, uint32_t depth);
weft_status tf_look_at(tf_import *m, tf_body *b, const tf_node *n, uint32_t depth);  // one node of it
void tf_operator_writes(tf_operator *o);
// Variables that a call writes to become states, before it is read.
weft_status tf_states_of_call(tf_op *o, const char *function);
// Whether the main graph writes itself, as far as these outputs need it: its variables become states.
weft_status tf_main_writes(tf_scope *s, const tf_ref *outputs, size_t n);
weft_status tf_states_end(tf_scope *s);  // what they hold at the end

// ---- custom.c ----
const weft_proto *tf_custom_of(const tf_import *m, const char *op);
void tf_custom(tf_op *o, const weft_proto *p);

// ---- of an operator ----
weft_value *tf_in(tf_op *o, size_t i);         // E_MISSING, E_TYPE
tf_bytes tf_attr(tf_op *o, const char *name);  // AttrValue; at NULL: none
int64_t tf_int(tf_op *o, const char *name, int64_t dflt);
double tf_float(tf_op *o, const char *name, double dflt);
bool tf_bool(tf_op *o, const char *name, bool dflt);
const char *tf_string(tf_op *o, const char *name, const char *dflt);
bool tf_is(tf_op *o, const char *name, const char *dflt, const char *text);
weft_dtype tf_type(tf_op *o, const char *name, weft_dtype dflt);
const char *tf_func(tf_op *o, const char *name);  // NULL: none
size_t tf_ints(tf_op *o, const char *name, int64_t out[TF_MAX_NUMBERS]);
// Item i of a list: `number` is the field of AttrValue.ListValue that it stands in. Packed numbers count,
// too.
bool tf_item(tf_op *o, const char *name, uint32_t number, size_t i, wire_field *out);
void tf_give_value(tf_op *o, size_t i, tf_value v);
void tf_give(tf_op *o, size_t i, weft_value *v);
void tf_give_all(tf_op *o, weft_value *first, size_t n);  // outputs of one primitive
// Ints of a constant input; E_UNKNOWN.
size_t tf_known(tf_op *o, size_t i, int64_t out[TF_MAX_NUMBERS]);
void tf_set_attrs(tf_op *o, const char *type, const char *rule);  // of a primitive, by tf_row.attrs
// SPDX-License-Identifier: Apache-2.0
