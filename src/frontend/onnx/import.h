// import.h - what the ONNX importer's files share: the state of one import and the helpers of operator
// functions. An operator function turns one ONNX node into one or more primitives and binds its outputs;
// differences between operator-set versions end here. Layer: frontend/onnx (on infer).
#pragma once
#include "frontend/onnx/external.h"
#include "frontend/onnx/model.h"
#include "infer/walk.h"
#include "ir/ir.h"
#include "weft/onnx.h"

enum { ONNX_MAX_CALLS = 1 << 16 };           // of model-local functions, inner ones counted each time
enum { ONNX_NEWEST = INT16_MAX };            // a version that the newest rows of a domain hold for
enum { ONNX_MAX_WRITTEN = 1 << 18 };         // nodes that these calls write
typedef struct onnx_problems onnx_problems;  // report.h
typedef struct onnx_kinds onnx_kinds;        // kinds.c

// What a name of a scope stands for: names.c.
typedef struct onnx_name {
  weft_value *value;            // NULL: nothing so far
  const onnx_value_info *info;  // what the model declares of it; NULL: nothing
  uint32_t maker;               // 1 + the number of the scope's node that makes it; 0: none
  bool used;                    // a node or an output reads it
  bool claimed;                 // a node makes it, and has done so
} onnx_name;
// A node of a scope with its names.
typedef struct onnx_scope_node {
  const onnx_node *node;
  onnx_name **names;     // of its inputs, then of its outputs; NULL: absent
  onnx_name **captured;  // that its bodies read
  size_t n_captured;
} onnx_scope_node;
typedef struct onnx_names {
  weft_map map;  // text -> onnx_name
  weft_arena arena;
  onnx_name *spare;
} onnx_names;

typedef struct onnx_import {  // one scope: the main graph, the body of a node, or a call of a model-local
                              // function
  weft_env *env;
  weft_graph *g;
  weft_arena *arena;              // of the import: the model's structs and names
  struct onnx_import *parent;     // scope around this one; NULL: the main graph
  const onnx_graph *graph;        // NULL: a function
  const onnx_function *function;  // being called, with the node that calls it
  const onnx_node *call;
  const char *prefix;  // of the names of nodes and values of a function: "call/"
  uint32_t depth;
  const onnx_model *model;
  onnx_data *data;   // of the model's tensors
  const char *file;  // for messages; once there is a graph, in its arena
  int64_t version;   // of ai.onnx
  onnx_names names;
  weft__steps *append;
  uint32_t n_temp;          // of the main graph: see onnx_fresh
  uint32_t n_calls;         // of functions, counted in the main graph
  uint64_t n_written;       // nodes of functions, counted there, too
  int64_t nchwc_block;      // of the main graph: see ms_nchwc.c
  onnx_problems *problems;  // of the whole import
  onnx_kinds *kinds;        // shared, too
  const weft_onnx_options *options;
  weft_map shared_dims;  // of the main graph: names that stand for several dims of its inputs; see dims.c
  weft_diag *d;
} onnx_import;

// A number for made names, new in all scopes of the import: a loop that tries names ends at once.
static inline uint32_t onnx_fresh(onnx_import *m) {
  while (m->parent)
    m = m->parent;
  return m->n_temp++;
}

typedef struct onnx_op {  // one ONNX operator being imported
  onnx_import *m;
  const onnx_node *n;
  // the names of its inputs and outputs; NULL: ""
  onnx_name *const *in;
  onnx_name *const *out;
  const struct onnx_mapping *map;
  size_t n_attrs;
  weft_status failed;  // of the short forms in map.h
  bool described;      // its notes are on a primitive already
  bool doubtful;       // an input stands for a value that could not be made: see report.h
  const char *name;    // for origins, in the graph's arena; NULL: not made yet
  weft_named_attr attrs[24];
} onnx_op;

typedef struct onnx_mapping {
  const char *name;               // ONNX operator
  int16_t first, last;            // operator-set versions it holds for; last 0: all later ones
  const char *primitive;          // for the table of docs and for simple operators
  weft_status (*fn)(onnx_op *o);  // NULL: same inputs, no attributes, one output
  const char *domain;             // NULL: ai.onnx; versions are the domain's
} onnx_mapping;
typedef struct onnx_mappings {  // ordered by name, several rows of a name by version
  const onnx_mapping *rows;
  size_t n;
} onnx_mappings;
#define ONNX_MAPPINGS(array) \
  { array, WEFT_COUNT(array) }

// tables.c
extern const onnx_mappings *const weft__onnx_tables[];  // no two hold for one version of an operator
extern const size_t weft__onnx_table_count;
const onnx_mapping *weft__onnx_find(onnx_str domain, onnx_str op_type, int64_t version);

// kinds.c
typedef struct onnx_kind {
  const onnx_mapping *map;  // NULL: the operator is not imported
  const char *attributes;   // for weft__onnx_attribute_kind; NULL: ONNX has no such operator
} onnx_kind;
onnx_kinds *onnx_kinds_make(weft_arena *arena);
// Good until the next call.
const onnx_kind *onnx_kind_of(onnx_kinds *k, onnx_str domain, onnx_str type, int64_t version);
// Of a node of a function, or of the model and its bodies (f NULL).
const onnx_kind *onnx_node_kind(const onnx_import *m, const onnx_function *f, const onnx_node *n,
                                int64_t version);

// names.c
void onnx_names_init(onnx_names *s, const weft_allocator *a);
void onnx_names_deinit(onnx_names *s);
weft_status onnx_names_expect(onnx_import *m, size_t n);      // a hint, before the first name
onnx_name *onnx_name_make(onnx_import *m, onnx_str s);        // made when it is new; NULL: E_NOMEM in m->d
onnx_name *onnx_name_find(const onnx_import *m, onnx_str s);  // NULL: there is none
weft_value *onnx_value_of(const onnx_import *m, onnx_str s);  // what it stands for; NULL: nothing
// The names of a list; `to` NULL: only made. read: they are used.
weft_status onnx_name_list(onnx_import *m, const onnx_strs *from, bool read, onnx_name **to);
// A text that is put together; what passes the end is cut.
typedef struct onnx_label {
  size_t n;
  char text[504];
} onnx_label;
void onnx_label_add(onnx_label *l, const char *text, size_t bytes);
void onnx_label_number(onnx_label *l, uint32_t v);

// dims.c. Does the text name a dim, so that dims of this name are equal? Exporters write "?", "None" or
// "unk__7" where they know nothing; with separate_dims names that inputs share tell nothing either.
bool onnx_dim_is_named(const onnx_import *m, onnx_str text);
// Finds the names that dims of inputs share, for the main graph. E_NOMEM.
weft_status onnx_dims_shared(onnx_import *m);

// order.c: numbers of the nodes in an order in which each stands behind what it reads; NULL: as they are.
// Such a change is told as a warning. E_CYCLE, E_NOMEM. Memory from the scope's names.
weft_status onnx_order(onnx_import *m, const onnx_scope_node *v, size_t n, const uint32_t **out);

// custom.c: the operator of a package or of the program that a node names by domain and type; NULL: there is
// none.
const weft_proto *onnx_custom(const onnx_import *m, const onnx_node *n);
// How many tensors each port takes, of an operator with several dynamic ones, as weft writes it.
#define ONNX_IN_COUNTS  "weft.in_counts"
#define ONNX_OUT_COUNTS "weft.out_counts"
weft_status onnx_add_custom(onnx_op *o, const weft_proto *p);

// unknown.c: is the operator, or one in a body, not to be had? Such a node as an Unknown, whose outputs are
// doubtful where the model declares nothing of them.
bool onnx_node_is_unknown(const onnx_import *m, const onnx_node *n);
weft_status onnx_add_unknown(onnx_op *o);

// node.c. Attributes of the ONNX node. A wrong type is an error that names it.
weft_status onnx_int_attr(onnx_op *o, const char *name, int64_t dflt, int64_t *out);
weft_status onnx_float_attr(onnx_op *o, const char *name, float dflt, float *out);
weft_status onnx_str_attr(onnx_op *o, const char *name, const char *dflt, weft_str *out);
weft_status onnx_ints_attr(onnx_op *o, const char *name, const int64_t **out,
                           size_t *out_n);  // NULL when absent
const onnx_attr *onnx_find_attr(const onnx_op *o, const char *name);
const onnx_attr *onnx_named(const onnx_attr *v, size_t n, const char *name, size_t bytes);  // in a list
// Inputs and outputs: NULL / false when absent.
weft_value *onnx_in(const onnx_op *o, size_t i);
bool onnx_wants(const onnx_op *o, size_t i);  // is output i named and read?
weft_status onnx_need(const onnx_op *o, size_t i, weft_value **out);
weft_status onnx_dtype(onnx_op *o, int64_t elem_type, weft_dtype *out);

// apply.c
weft_status onnx_same(onnx_op *o);  // rows without a function: the same inputs, no attributes, one output
// An operator of ONNX, or another one without domain, with the node's attributes, the ones set so far, and
// these inputs; NULL in the list: absent. Its outputs are inner values. A failure is o->failed's, as in
// map.h.
weft_status onnx_apply_all(onnx_op *o, const char *op_type, weft_value *const *in, size_t n_in,
                           weft_value **out, size_t n_out);
weft_value *onnx_apply(onnx_op *o, const char *op_type, weft_value *const *in,
                       size_t n_in);  // the first output

// primitive.c. Attributes of the primitive about to be emitted.
void onnx_set(onnx_op *o, const char *name, weft_attr value);
// Emits a primitive with the attributes set so far (and clears them). The ONNX node's outputs 0..n_bind-1
// become the primitive's; n_bind 0: an inner value, which *out receives.
weft_status onnx_emit(onnx_op *o, const char *type, weft_value *const *in, size_t n_in,
                      const weft_use *counts, size_t n_bind, weft_value **out);
// Names an inner value as output i of the ONNX node and takes over what the model declares of it.
weft_status onnx_bind_output(onnx_op *o, size_t i, weft_value *v);
weft_status onnx_const(onnx_op *o, const weft_tensor *t, weft_value **out);  // copies
weft_status onnx_const_ints(onnx_op *o, const int64_t *v, size_t n, bool scalar, weft_value **out);
weft_status onnx_const_scalar(onnx_op *o, weft_dtype t, double v, weft_value **out);
// The first failure of a node stays: where one is kept in o->failed, this gives it again.
weft_status onnx_fail(const onnx_op *o, weft_status s, const char *fmt, ...) WEFT_PRINTF(3, 4);
// Rank of a value; -1: not known.
int onnx_rank(const weft_value *v);

// The same without inferring, for nodes whose sub-graphs come after it.
weft_status onnx_emit_open(onnx_op *o, const char *type, weft_value *const *in, size_t n_in,
                           const weft_use *counts, size_t n_bind, weft_node **out);

// import.c, for body.c: the parts of a scope.
const char *onnx_text(onnx_import *m, onnx_str s);  // zero-terminated copy in the arena; NULL: out of memory
const char *onnx_value_text(onnx_import *m,
                            onnx_str name);  // the name a value gets in the graph; NULL: out of memory
weft_status onnx_bind(onnx_import *m, onnx_str name, weft_value *v, uint64_t offset);
weft_status onnx_two_producers(onnx_import *m, onnx_str name, uint64_t offset);  // the failure
weft_status onnx_describe(onnx_import *m, const onnx_tensor_type *t, weft_tensor_desc *desc,
                          const char *what);
// The same of a value of any kind: tensor, sequence, optional or optional sequence. E_UNSUPPORTED for others.
weft_status onnx_describe_value(onnx_import *m, const onnx_type *t, weft_tensor_desc *desc, const char *what);
// A scope inside another: what the whole import shares, and the version.
onnx_import onnx_scope_inside(onnx_import *m);
weft_status onnx_scope_begin(onnx_import *m, const onnx_import *around, weft_graph *g);  // names
void onnx_scope_end(onnx_import *m);
weft_status onnx_scope_values(onnx_import *m);  // value infos, initializers
weft_status onnx_scope_nodes(onnx_import *m, const onnx_node *nodes, size_t n);
// body.c
// Writes a body into the graph at hand, in place of the node: for a condition that is known.
weft_status onnx_inline(onnx_op *o, const onnx_graph *body);
const onnx_function *onnx_find_function(const onnx_import *m, const onnx_node *n);
weft_status onnx_call_function(onnx_import *m, const onnx_node *n, const onnx_function *f);
// The outer names that sub-graphs of a node read, in order, without repeats; memory from the arena.
weft_status onnx_free_names(onnx_import *m, const onnx_graph *const *graphs, size_t n, onnx_str **out,
                            size_t *out_n);
typedef struct onnx_captures {  // outer values that bodies read
  onnx_str *name;
  weft_value **value;
  size_t n;
} onnx_captures;
// Imports a body into sub-graph `slot` of `node`: its own inputs are described like `given[i]` (a fact), then
// come the captured values.
weft_status onnx_body(onnx_op *o, weft_node *node, uint32_t slot, const onnx_graph *body,
                      const weft_fact *given, size_t n_given, const onnx_captures *c);

typedef struct onnx_source {
  const void *data;  // the model
  size_t bytes;
  const char *name;   // of messages
  onnx_files *files;  // beside the model; they must outlive the graph. NULL: none
} onnx_source;
// import.c: weft_onnx_read with the files beside the model.
weft_status weft__onnx_read_files(weft_env *e, const onnx_source *from, const weft_onnx_options *options,
                                  weft_graph **out, weft_diag *d);

// tensor.c: TensorProto -> weft_tensor. borrow: raw and external data stay where they are (they may be
// unaligned).
weft_status weft__onnx_tensor(const onnx_tensor *t, onnx_data *data, bool borrow, weft_tensor *out,
                              weft_diag *d);
bool weft__onnx_dtype(int64_t elem_type, weft_dtype *out);
// maps_write.c: a map or a sequence of maps, for weft_onnx_write_tensor.
weft_status weft__onnx_write_maps(const weft_tensor *t, const char *name, weft_write_fn write, void *ctx,
                                  weft_diag *d);
// A sequence, optional or map as the tensor type inside (of a map's values) and a WEFT_KIND_*; false: sparse
// tensors, other nestings.
bool weft__onnx_kind(const onnx_type *t, uint8_t *out_kind, const onnx_tensor_type **out_elem);
// sparse.c: SparseTensorProto -> a dense tensor.
weft_status weft__onnx_sparse(const onnx_sparse_tensor *t, onnx_data *data, weft_tensor *out, weft_diag *d);
// notes.c: producer, versions, documentation and metadata_props of the model onto m->g.
weft_status onnx_notes(onnx_import *m);
weft_status onnx_graph_notes(onnx_import *m);  // of a body
// doc_string and metadata_props of a node, for weft_origin; memory from the arena.
weft_status onnx_node_notes(onnx_import *m, const onnx_node *n, weft_named_attr **out, size_t *out_n);
// SPDX-License-Identifier: Apache-2.0
