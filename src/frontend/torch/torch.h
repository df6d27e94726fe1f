// torch.h - what the files of the PyTorch reader share. A .pt2 archive is a zip (container.c) with a program
// as JSON (schema.c); graph.c walks its nodes, values.c keeps what names stand for, and makes the program
// functional on the way: an operator that changes its argument gives the name a new value, and what is a view
// of the same data is made again from it. An ATen operator is a row of a table (aten_*.c). Layer: frontend.
#pragma once
#include "base/json.h"
#include "frontend/front.h"
#include "tensor/zip.h"

enum { PT_MAJOR = 8, PT_MAX_NODES = 1 << 20, PT_MAX_OUTPUTS = 4096, PT_MAX_NUMBERS = 64 };

// ---- container.c ----
typedef struct pt_archive {
  weft__zip zip;
  weft_map entries;    // path behind the archive's folder -> weft__zip_entry
  const char *folder;  // "model/"
  weft_arena *arena;
} pt_archive;
weft_status pt_archive_open(pt_archive *a, const weft_file *file, weft_arena *arena, weft_diag *d);
void pt_archive_close(pt_archive *a);
// The bytes of a stored entry, where they lie; NULL data: there is none.
typedef struct pt_bytes {
  const uint8_t *data;
  size_t n;
} pt_bytes;
weft_status pt_archive_find(const pt_archive *a, const char *path, pt_bytes *out, weft_diag *d);
// The program: models/NAME.json. E_UNSUPPORTED where there are none or several.
weft_status pt_archive_program(const pt_archive *a, const char **out_name, pt_bytes *out, weft_diag *d);

// ---- the reading ----
typedef struct pt_import pt_import;
typedef struct pt_op pt_op;
typedef struct pt_scope pt_scope;

typedef enum pt_kind { PT_NOTHING, PT_TENSOR, PT_NUMBER, PT_WEIGHT } pt_kind;

// What a name stands for. A view has a parent, whose data it shows.
typedef struct pt_value {
  const char *name;
  pt_kind kind;
  weft_value *v;            // WEIGHT: NULL until somebody reads it
  const weft_json *meta;    // TensorMeta, as text until somebody asks; NULL: unknown
  const weft_json *weight;  // its entry of the weights' or constants' table
  const char *weight_folder;
  const char *fqn;  // of a weight: "layer.weight"
  struct pt_value *parent;
  const weft_json *node;         // that makes the view
  uint32_t index;                // of the node's output
  uint64_t version;              // raised by every change
  uint64_t seen;                 // of the parent, when the view was made
  bool changed;                  // in place
  bool may_change;               // a buffer that the program may change: changes.c
  const char *becomes;           // of such a one: the name of its new value, where the signature says it
  weft_value *state;             // of such a one: its Variable
  struct pt_value *next_buffer;  // newest first
} pt_value;

struct pt_import {
  front f;
  pt_archive archive;
  const char *name;                      // of the program
  const weft_json *program;              // the whole document
  const weft_json *weights, *constants;  // the tables of names; NULL: none
  weft_map rows;                         // "name" or "name.overload" -> pt_row
  weft_map tied;                         // place and shape of a weight -> weft_value
  size_t n_nodes;
  pt_value *buffers;   // newest first
  weft_status broken;  // a TensorMeta is none
};

struct pt_scope {
  pt_import *m;
  front_scope s;
  weft_map names;          // -> pt_value
  const weft_json *metas;  // of tensors: TensorMeta, each as text
  weft_map used;           // names that nodes or outputs read
  const weft_json *graph;
};

typedef struct pt_row {
  const char *name;  // of an ATen operator, all overloads or one: "add", "div.Tensor_mode"
  const char *rule;  // what it becomes (front_eval); NULL: fn
  char mode;         // of the rule. T: operands have the dtype of the result; P: that which they promote to;
                     // F: that of the result, float at least; S: that of the result, f32 at least, and what
                     // comes of it has the result's; '-': their own
  void (*fn)(pt_op *o);
  char alias;  // V: the result is a view of self, C: where self is contiguous; I: it is self
} pt_row;
typedef struct pt_rows {
  const pt_row *v;
  size_t n;
} pt_rows;
extern const pt_rows *const pt_tables[];  // tables.c
extern const size_t pt_table_count;
#define PT_ROWS(array) \
  { array, WEFT_COUNT(array) }

struct pt_op {
  front_op b;
  pt_scope *s;
  pt_import *m;
  const weft_json *node, *inputs;
  const char *target;  // "conv2d.default"
  const pt_row *row;
  const weft_proto *custom;  // without a row: an operator of a package or of the program; NULL: none
  weft_value *self;          // stands for argument 'self', when not NULL
  pt_value **out;  // what the node's outputs stand for, lists written out; NULL: a name that is left out
  size_t n_out;
  bool in_place;
  uint64_t *asked;  // a bit for each argument that the mapping has looked at; NULL: nobody wants to know
};

// ---- meta.c: what the file says of a tensor ----
typedef struct pt_view {  // of a storage
  weft_dtype t;
  weft_dim dims[WEFT_MAX_RANK];
  int64_t strides[WEFT_MAX_RANK];
  int64_t offset;
  size_t rank;
} pt_view;
weft_status pt_view_of(pt_import *m, const weft_json *text, pt_view *v);
// Of what stayed text when its document was read: its JSON. text NULL, or no text: as it is.
weft_status pt_parse_text(pt_import *m, const weft_json *text, const weft_json **out);
const weft_json *pt_meta(pt_import *m, pt_value *v);  // NULL: unknown, or no JSON (m->broken)
weft_dtype pt_dtype_of(pt_import *m, pt_value *v);    // UNDEFINED: not known
weft_dtype pt_meta_dtype(const weft_json *meta);      // the same
int pt_meta_rank(const weft_json *meta);              // -1: not known
bool pt_meta_contiguous(const weft_json *meta);       // certainly

// ---- schema.c: arguments ----
bool pt_dtype(int64_t scalar_type, weft_dtype *out);
const weft_json *pt_only(const weft_json *object, const char **out_key);  // of an object with one member
const char *pt_text(const weft_json *object, const char *key);            // NULL: absent or no text
// An argument as {"as_..": ..}; NULL: left out or none. pt_at: by position.
const weft_json *pt_find(const pt_op *o, const char *name);
const weft_json *pt_at(const pt_op *o, size_t i);
front_arg pt_read_arg(pt_op *o, const weft_json *argument);
front_arg pt_read_float(pt_op *o, const weft_json *number);  // one may be written as a word
bool pt_has(const pt_op *o, const char *name);
weft_value *pt_tensor(pt_op *o, const char *name);                 // E_MISSING
weft_value *pt_optional(pt_op *o, const char *name);               // NULL: none
weft_value *pt_operand(pt_op *o, const char *name, weft_dtype t);  // a tensor or number, cast
size_t pt_tensors(pt_op *o, const char *name, weft_value ***out);  // absent ones are NULL
int64_t pt_int(pt_op *o, const char *name, int64_t dflt);
double pt_float(pt_op *o, const char *name, double dflt);
bool pt_bool(pt_op *o, const char *name, bool dflt);
bool pt_is(pt_op *o, const char *name, const char *dflt, const char *text);
weft_dtype pt_type(pt_op *o, const char *name, weft_dtype dflt);
size_t pt_ints(pt_op *o, const char *name, int64_t out[PT_MAX_NUMBERS]);  // absent: 0
// n numbers, one stands for all; absent: all are dflt.
void pt_sizes(pt_op *o, const char *name, size_t n, int64_t dflt, int64_t *out);
weft_value *pt_shape(pt_op *o, const char *name);  // a list of sizes as INT64 [n]
size_t pt_size_lists(pt_op *o, const char *name,
                     weft_value *out[WEFT_MAX_RANK]);                 // INT64 [1] each; absent: 0
weft_value *pt_size_index(pt_op *o, const char *name, int64_t dflt);  // a size as INT64 []
weft_value *pt_size_list(pt_op *o, const char *name, int64_t dflt);   // INT64 [1]
int64_t pt_axis(pt_op *o, const char *name, int64_t dflt, int rank);
size_t pt_axes(pt_op *o, const char *name, int rank, int64_t out[PT_MAX_NUMBERS]);  // none or []: all
weft_dtype pt_out_type(const pt_op *o, size_t i);  // of output i; UNDEFINED: not known
int pt_out_rank(const pt_op *o, size_t i);         // what the file says; -1: nothing
weft_dtype pt_promoted(pt_op *o);                  // of all tensors and numbers of the node
weft_dtype pt_promote(weft_dtype a, weft_dtype b);

// ---- symbols.c ----
// A size of a TensorMeta: a number, a symbol with its range, or -1.
weft_dim pt_dim(pt_import *m, const weft_json *size);

// ---- values.c ----
pt_value *pt_name(pt_scope *s, const char *name);            // NULL: not known
pt_value *pt_name_new(pt_scope *s, const char *name);        // E_NOMEM, E_DUPLICATE in m->f.d; NULL
weft_value *pt_read(front_op *b, pt_scope *s, pt_value *v);  // as it is now
void pt_write(pt_op *o, pt_value *v, weft_value *to);
weft_status pt_make_weight(pt_scope *s, pt_value *v);

// ---- changes.c ----
weft_status pt_find_changes(pt_scope *s, const weft_json *signature);  // before anything is made
weft_status pt_state_of(pt_scope *s, pt_value *v);  // of a buffer that was made: a state, where it may change
weft_status pt_keep_changes(pt_scope *s);           // at the end

// ---- graph.c ----
weft_status pt_scope_begin(pt_scope *s, pt_import *m, weft_graph *g, const weft_json *graph, uint32_t depth);
void pt_scope_init(pt_scope *s, pt_import *m, const weft_json *graph);  // of nothing yet but its text
weft_status pt_scope_uses(pt_scope *s);                                 // finds the names that are read
void pt_scope_end(pt_scope *s);
const char *pt_node_name(const weft_json *node);                 // its first output's where it has none
const char *pt_node_where(pt_import *m, const weft_json *node);  // "model.py:12" of its stack trace; NULL
bool pt_is_dead(const pt_scope *s, const weft_json *node);       // nobody reads what it makes
weft_status pt_scope_nodes(pt_scope *s);                         // all nodes of its graph
void pt_run_node(pt_op *o);                                      // the mapping alone
const pt_row *pt_row_of(const pt_import *m, const char *target, bool *out_in_place);
pt_op pt_op_of(pt_scope *s, const weft_json *node);
// The node once more, as a part of another operator. apart: its outputs are values of their own, without
// names.
pt_op pt_op_quiet(pt_scope *s, const weft_json *node, const front_op *like, bool apart);
void pt_result(pt_op *o, size_t i, weft_value *v);  // output i of the node is v
bool pt_wants(const pt_op *o, size_t i);            // does anything read output i?
// The tensors that a sub-graph gives, with these for its inputs, written into the scope of o.
weft_status pt_inline(pt_op *o, const weft_json *graph, weft_value *const *in, size_t n, weft_value ***out,
                      size_t *n_out);

// ---- custom.c ----
const weft_proto *pt_custom_of(const pt_import *m, const char *target);
void pt_custom(pt_op *o);

// ---- control.c ----
bool pt_higher_order(pt_op *o);  // false: not one that is read
bool pt_is_higher_order(const char *target);
// A Scan over axis 0: states, then what is cut into steps, then what every step sees. Its outputs are the
// states behind the last step, then what the steps give.
typedef struct pt_steps {
  weft_value *const *in;
  size_t n, n_state, n_scan, n_out;
  void (*step)(pt_op *in, void *ctx, weft_value **v, weft_value **out);
  void *ctx;
} pt_steps;
weft_value *pt_scan(pt_op *o, const pt_steps *s);  // its first output

// ---- sdpa, rnn and others that several rows share ----
// The p-norm over axes, n of them; 0: all.
weft_value *pt_norm_of(front_op *b, weft_value *v, double p, const int64_t *axes, size_t n, bool keep);
weft_value *pt_mean_of(front_op *b, weft_value *v, const int64_t *axes, size_t n, bool keep);
// SPDX-License-Identifier: Apache-2.0
