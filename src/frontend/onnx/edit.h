// edit.h - an ONNX model being changed: its parsed structs, the raw bytes of each message of the main graph,
// and what is to be different. Names of the main graph are interned: nodes refer to edit_values, so that a
// use is one pointer. Writing walks the fields of the file again in their order and copies each message that
// is not marked. Everything lies in one arena; the file's bytes must outlive the edit. Layer: frontend/onnx
// (on infer).
#pragma once
#include "frontend/onnx/import.h"
#include "frontend/onnx/writer.h"
#include "weft/convert.h"

struct edit_node;
struct edit_tensor;
struct edit_info;

typedef struct edit_value {  // a name of the model
  onnx_str name;
  const char *text;            // the same, zero-terminated
  struct edit_node *producer;  // NULL: none in the main graph
  struct edit_tensor *init;    // NULL: no initializer that stays
  struct edit_info *input;
  struct edit_info *output;
  struct edit_info *info;
  struct edit_value *alias;  // is to be read instead
  uint32_t n_uses;           // by nodes that stay, their bodies included
  bool captured;             // its name occurs in a body
  bool annotated;            // its name occurs in a quantization annotation
  bool mark;                 // scratch
} edit_value;

typedef struct edit_extra {  // a NodeProto made here
  onnx_str payload;
  struct edit_extra *next;
} edit_extra;

typedef struct edit_node {
  const onnx_node *n;
  onnx_str raw;                        // the message's bytes
  edit_value **in, **out, **captures;  // NULL: absent; captures: names that occur in its bodies
  uint32_t n_in, n_out, n_captures;
  bool gone, changed;
  bool replaced;  // only `before` is written: a branch that was taken
  bool settled;   // its bodies are as they should be: `deep` is not carried into them
  edit_extra *before, *after;
} edit_node;

typedef struct edit_tensor {
  const onnx_tensor *t;  // NULL: made here
  edit_value *value;
  onnx_str raw;
  const weft_tensor *data;  // made here, or written instead of raw
  bool gone, keep_type;
} edit_tensor;

typedef struct edit_info {
  const onnx_value_info *v;  // NULL: made here
  edit_value *value;
  onnx_str raw, payload;  // payload: written instead of raw when text is not NULL
  uint32_t field;         // 11 input, 12 output, 13 value_info
  bool gone;
  bool keep;  // copied whatever `deep` says
} edit_info;

typedef struct edit_external {  // files beside the model
  onnx_files *files;            // NULL: the caller gave no path
  bool off;                     // they cannot be read, which was said
  weft_diag why;
} edit_external;

// Is its name seen from outside of nodes: by an annotation, or as an output that stays?
static inline bool weft__edit_seen(const edit_value *v) {
  return v->annotated || (v->output && !v->output->gone);
}
static inline bool weft__edit_has_rank(const weft_shape *s) {
  return s->rank != WEFT_RANK_UNSET && !weft_shape_is_unknown_rank(s);
}
// Does anything read it? v NULL: no.
static inline bool weft__edit_wanted(const edit_value *v) {
  return v && (v->n_uses || weft__edit_seen(v));
}

struct edit_deep;
typedef struct onnx_edit {
  weft_env *env;
  const weft_convert_options *o;
  const char *name;
  weft_diag *d;
  weft_arena arena;
  onnx_str file;  // the bytes
  const onnx_model *model;
  onnx_str graph;   // the bytes of model->graph
  int64_t version;  // of ai.onnx
  weft_map names;   // -> edit_value
  edit_node *nodes;
  size_t n_nodes;
  edit_tensor *tensors;
  size_t n_tensors;
  edit_info *inputs, *outputs, *infos;
  size_t n_inputs, n_outputs, n_infos;
  WEFT_VEC(edit_tensor *) new_tensors;
  WEFT_VEC(edit_info *) new_infos;
  const struct edit_deep *deep;  // changes to every message; NULL: none
  bool set_producer;
  bool again;     // another turn, with inference of what was written, would find more
  weft_graph *g;  // what inference found; NULL: not asked
  uint32_t n_names;
  struct onnx_edit *outer;  // of the graph around this body, whose names are not new; NULL: the main graph
  edit_external *external;  // NULL: none
  size_t *counters;         // of the conversion of floats, three; bodies count with the graph around them
} onnx_edit;

// ---- edit.c ----
weft_status weft__edit_open(onnx_edit *e, onnx_str file);  // env, o, name and d are set
void weft__edit_close(onnx_edit *e);
edit_value *weft__edit_find(const onnx_edit *e, const char *text, size_t bytes);  // NULL: no such name
edit_value *weft__edit_intern(onnx_edit *e, onnx_str name);                       // NULL: out of memory
edit_value *weft__edit_fresh(onnx_edit *e, const edit_value *like, const char *suffix);
edit_value *weft__edit_follow(edit_value *v);  // through aliases; NULL allowed
void weft__edit_count_uses(onnx_edit *e);      // follows aliases everywhere, then counts
weft_status weft__edit_add_tensor(onnx_edit *e, edit_value *v, const weft_tensor *t);
weft_status weft__edit_add_info(onnx_edit *e, uint32_t field, edit_value *v, onnx_str payload);
void weft__edit_sweep(onnx_edit *e);  // unused nodes and initializers, value_infos of what no node produces
bool weft__edit_builtin(const onnx_edit *e, const edit_node *n,
                        const char *op);                                 // is it this operator of ai.onnx?
const onnx_attr *weft__edit_attr(const edit_node *n, const char *name);  // NULL: absent
int64_t weft__edit_int(const edit_node *n, const char *name, int64_t dflt);
void weft__edit_say(const onnx_edit *e, const char *fmt, ...) WEFT_PRINTF(2, 3);
weft_status weft__edit_nomem(const onnx_edit *e);
// WEFT_TRY(weft__edit_allocated(p, e)); unless everything that was asked for is there, weft__edit_nomem.
static inline weft_status weft__edit_allocated(bool all, const onnx_edit *e) {
  return all ? WEFT_OK : weft__edit_nomem(e);
}
bool weft__edit_external(const onnx_tensor *t);  // t NULL: no
weft_status weft__edit_add_node(onnx_edit *e, edit_extra ***tail,
                                onnx_str payload);  // at *tail, which moves on

// ---- edit_write.c ----
weft_status weft__edit_write(onnx_edit *e, weft_text *out);

typedef struct edit_fields {  // the fields of a message
  wire_source src;
  wire_message m;
  wire_field f;
  onnx_str whole;  // the field with its tag
} edit_fields;
void weft__edit_fields(edit_fields *it, onnx_str message, weft_diag *d);
// False: the end, or a failure in *s: reading failed, or what was done with the field before did. *s is
// WEFT_OK at first.
bool weft__edit_next(edit_fields *it, weft_status *s);
static inline onnx_str weft__edit_payload(const edit_fields *it) {
  return (onnx_str){(const char *)it->f.data, it->f.bytes};
}
void weft__edit_put(onnxw *w, onnx_str bytes);  // as they are
// Ends a message written into `t` and takes its bytes into the arena.
weft_status weft__edit_take(onnx_edit *e, onnxw *w, weft_text *t, onnx_str *out);
weft_status weft__edit_put_tensor(onnx_edit *e, onnxw *w, uint32_t field, onnx_str name,
                                  const weft_tensor *t);
// A type; old: denotations, and dims that inference does not know, are taken over.
void weft__edit_put_type(onnxw *w, uint32_t field, const weft_tensor_desc *desc, const weft_symbols *symbols,
                         const onnx_type *old);
// A ValueInfoProto with this type; old NULL allowed. *out.text NULL: nothing is known.
weft_status weft__edit_info_payload(onnx_edit *e, const edit_value *v, const edit_info *old, onnx_str *out);
int32_t weft__edit_elem_type(weft_dtype t);                // ONNX_UNDEFINED: none
bool weft__edit_type_known(const weft_tensor_desc *desc);  // can weft__edit_put_type write it?

// ---- edit_order.c ----
// Writes the model with its nodes behind what they read. Nothing is written when they are in order.
weft_status weft__edit_sort(onnx_edit *e, weft_text *out);

// ---- edit_deep.c: one change in every message, bodies and functions included ----
typedef struct edit_binding {  // a dim name gets a number or another name
  onnx_str from;
  onnx_str name;
  int64_t value;  // -1: `name`, which may be empty
} edit_binding;
#define EDIT_BF16_MOST 0x1.fep127  // the largest finite number of bf16
typedef struct edit_deep {
  int32_t from, to;  // element types; 0: none
  bool drop_shapes;  // numbers in the shapes of outputs and of all inside bodies and functions: they may be
                     // stale
  const edit_binding *bind;
  size_t n_bind;
  bool limit;   // numbers stay within bf16's
  bool rename;  // what bodies read of the graph around them: the aliases of those names
  size_t *n_tensors, *n_clamped, *n_lost;  // counters of the conversion
} edit_deep;
weft_status weft__deep_info(onnx_edit *e, onnxw *w, uint32_t field, onnx_str raw, bool inside);
weft_status weft__deep_tensor(onnx_edit *e, onnxw *w, uint32_t field, onnx_str raw);
weft_status weft__deep_sparse(onnx_edit *e, onnxw *w, uint32_t field, onnx_str raw);
// An initializer of the graph at hand; external data are read where inference has them.
weft_status weft__deep_initializer(onnx_edit *e, onnxw *w, const edit_tensor *t);
// The attributes, and every other field but inputs and outputs, of a node. settled: bodies are copied.
weft_status weft__deep_node(onnx_edit *e, onnxw *w, onnx_str raw, bool settled);
weft_status weft__deep_function(onnx_edit *e, onnxw *w, onnx_str raw);

// ---- edit_facts.c: what inference knows ----
// Imports and infers the model; tensors in external files that cannot be read become inputs for this.
weft_status weft__edit_infer(onnx_edit *e, size_t max_value_bytes);
weft_value *weft__edit_fact(const onnx_edit *e, const edit_value *v);  // NULL: nothing
bool weft__edit_desc(const onnx_edit *e, const edit_value *v, weft_tensor_desc *out);
const weft_tensor *weft__edit_data(const onnx_edit *e, const edit_value *v);  // tensor data; NULL: not known
const weft_tensor *weft__edit_known(onnx_edit *e,
                                    const edit_value *v);  // or integers known one by one; from the arena

// ---- the steps ----
weft_status weft__convert_weights(onnx_edit *e);
weft_status weft__convert_cut(onnx_edit *e);
weft_status weft__convert_shapes(onnx_edit *e);
weft_status weft__convert_simplify(onnx_edit *e);
weft_status weft__convert_merge_bn(onnx_edit *e, size_t *out_n);          // BatchNormalization into Conv
weft_status weft__convert_bypass(onnx_edit *e, edit_node *n, bool *out);  // in[0] instead of out[0]
// An If whose condition is known: the branch's nodes in its place. *out: done.
weft_status weft__convert_inline_if(onnx_edit *e, edit_node *n, bool *out);
// Runs a step over the bodies of the node, each as a model of its own. values: small known values of the
// graph around it are given to it as numbers. strict: a step that fails is a failure; otherwise the body
// stays. *out: one changed.
typedef weft_status (*edit_step)(onnx_edit *e);
typedef struct edit_body_step {
  edit_step fn;
  bool values, strict;
} edit_body_step;
weft_status weft__convert_bodies(onnx_edit *e, edit_node *n, const edit_body_step *step, bool *out);
weft_status weft__convert_fix_target(onnx_edit *e, edit_node *n,
                                     bool *out);  // of a Reshape: computed to known
weft_status weft__convert_skip_view(onnx_edit *e, edit_node *n,
                                    bool *out);                        // a Reshape of a Reshape or the like
weft_status weft__convert_free_reshapes(onnx_edit *e, int64_t batch);  // fixed Reshapes follow the first dim
weft_status weft__convert_border(onnx_edit *e);
weft_status weft__convert_floats(onnx_edit *e);
int32_t weft__edit_narrow(const onnx_edit *e);  // the element type that f32 becomes
const char *weft__edit_narrow_name(const onnx_edit *e);
// A Cast of `from` to `to` in front of *list.
weft_status weft__edit_cast(onnx_edit *e, edit_extra **list, const edit_value *from, const edit_value *to,
                            int32_t type);
weft_status weft__convert_annotate(onnx_edit *e, bool all);
// SPDX-License-Identifier: Apache-2.0
