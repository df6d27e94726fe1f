// proto.h - the op layer's inside: registered prototypes, one use of an operator, inference and calls of ONE
// node. The graph walk, single-operator calls, the harness and the interpreter all go through
// weft__infer_node and weft__call_node; there is no second path. Layer: op (on tensor).
#pragma once
#include <stdatomic.h>

#include "base/budget.h"
#include "op/machine.h"
#include "weft/env.h"

// A registered operator, normalised: ports and attributes copied to this version's strides, names resolved to
// indexes.
struct weft_proto {
  const weft_op *op;
  const char *name;
  int source;          // WEFT_FROM_*
  const char *origin;  // text
  uint32_t n_in, n_out, n_attr, n_types, n_graphs;
  const weft_port *in, *out;
  const weft_attr_decl *attrs;
  const weft_attr_type *attr_types;
  const weft_attr *const *defaults;  // NULL entry: required
  const struct weft__rule *rules;    // of the values of each attribute (attr_rule.h)
  const weft_symbol *types;
  const int16_t *in_symbol, *out_symbol;  // index into types; -1: none
  const int16_t *follow_shape, *follow_dtype,
      *follow_format;        // per output: the input port at the end of the chain; -1
  int32_t data_format_slot;  // of a String attribute 'data_format'; -1
  uint32_t n_dynamic_in;
  uint64_t value_mask;  // ports that depend on values for inference (first 64)
  bool simple;          // every port required: instance == IR index
  const char *missing, *warnings;
  const struct weft_proto *replaced;  // what it hides and shows again when it is taken away; NULL
  _Atomic(int) state;  // last: WEFT__PROTO_*; what stands before it belongs to who finds it whole
};
// Whole, which is 0; name, source and origin alone (weft_op.describe); that failed, and `missing` says why.
enum { WEFT__PROTO_WHOLE, WEFT__PROTO_NAMED, WEFT__PROTO_FAILED };

// Set by the builder, whose infer_shape sets shapes only: the dtype then needs a rule of its own (R8).
#define WEFT__SHAPE_ONLY (UINT64_C(1) << 63)
// Stands for an operator that weft does not have: takes values of which nothing is known, and gives such. The
// name that the model gives that one lies in this attribute slot.
#define WEFT__STANDS_IN (UINT64_C(1) << 62)
enum { WEFT__STANDS_IN_TYPE = 0 };

// One use of an operator plus its private attributes ('_name', and whatever an importer keeps).
typedef struct weft_desc_full {
  weft_op_desc pub;
  const weft_proto *proto;
  weft_named_attr *private_attrs;
  uint32_t n_private;
} weft_desc_full;
// Checks and completes a use. n_in: instances the caller will connect; SIZE_MAX: none yet (required ports get
// one instance, optional none, dynamic min_count). Everything lives in `arena`. All violated attribute rules
// are reported.
weft_status weft__desc_make(weft_arena *arena, const weft_proto *p, const weft_use *use, size_t n_in,
                            weft_desc_full *out, weft_diag *d);
// Drops what the operator keeps of the node: whoever has the arena calls it before that goes, and after a
// change of attributes. For a node that keeps nothing it does nothing.
void weft__desc_drop(const weft_desc_full *desc);
// Which ports the instances of a flat list belong to; `present` NULL: all given. counts has n_in entries.
weft_status weft__bind_inputs(const weft_proto *p, const bool *present, size_t n, uint32_t *counts,
                              weft_diag *d);
weft_status weft__attr_check(const weft_proto *p, uint32_t slot, const weft_attr *a,
                             weft_diag *d);  // type and rules
// A copy of `a` with the declared type of a slot (ints given for a Float list and the like are refused).
void weft__note_roots(const weft_env *e, weft_diag *d);             // where packages were looked for
const char *weft__op_nearest(const weft_env *e, const char *name);  // a known name close to it, or NULL

// What is known of one value. dims/min/max point at memory of whoever holds the fact.
typedef struct weft_fact {
  weft_dtype dtype;  // UNDEFINED: not inferred
  uint8_t kind;      // WEFT_KIND_*
  uint8_t rank;      // when set
  bool set;          // shape inferred (rank or unknown_rank)
  bool unknown_rank;
  weft_format origin_format, format;
  const weft_dim *dims;       // rank entries
  const weft_dim *min, *max;  // ranges: rank entries or NULL
  const weft_tensor *value;   // data known; NULL: not
  const weft_dim *elems;      // partly known integer value: n_elems dims; NULL: nothing
  uint32_t n_elems;
  uint8_t item_dtype;  // of a sequence or optional: the same as dtype, the elements'
} weft_fact;
// Inferred, and of a known rank.
static inline bool weft__fact_ranked(const weft_fact *f) {
  return f->set && !f->unknown_rank;
}
bool weft__fact_known(const weft_fact *f);                   // shape completely known
void weft__fact_shape(const weft_fact *f, weft_shape *out);  // out->rank unset when not inferred

// Scratch of one walk: arrays that grow to the largest node and are used again. The outputs of
// weft__infer_node live here until the next call.
typedef struct weft_frame {
  weft_env *env;
  weft_symbols *symbols;
  weft_allocator alloc;
  uint32_t cap_in, cap_out;
  weft_tensor *in_store;  // in[i] is &in_store[i].layout.origin
  const weft_shape **in, **in_min, **in_max;
  weft_shape *in_range_store;  // 2 * cap_in
  weft_shape *out_store, **out, *out_range_store, **out_min, **out_max;
  weft_dtype *in_dtype, *out_dtype;
  weft_format *in_format, *out_format, *out_origin_format;
  const weft_tensor **value;
  uint8_t *data_state;
  weft_ints *in_dims;
  weft_dim *elems_store, **out_elems;  // cap_out * WEFT_FRAME_ELEMS
  int64_t *out_elems_n, *in_elems_store;
  weft_fact *facts;  // outputs
  uint8_t *in_kind, *out_kind;
  void *sub;  // what infer_graph needs (set by the infer layer)
  weft_status (*infer_graph)(void *sub, weft_infer *it, uint32_t graph, const weft_described *in,
                             uint32_t n_in, weft_described *out, uint32_t n_out);
} weft_frame;
enum { WEFT_FRAME_ELEMS = 64 };
void weft__frame_init(weft_frame *f, weft_env *e, weft_symbols *symbols);
void weft__frame_deinit(weft_frame *f);

// Infers one node: dtype, shape, range, format and partial values into f->facts[0..n_out). The rules' order
// is that of DESIGN.md; every result is checked against ports and columns. in[i] NULL: not connected
// (E_MISSING). The cause is noted with node and operator. Costs about 100 ns for a simple operator.
weft_status weft__infer_node(weft_frame *f, const weft_proto *p, const weft_op_desc *desc,
                             const weft_fact *const *in, uint32_t stage, weft_diag *d);
// Why would graph mode refuse this operator: NULL when it would not.
const char *weft__proto_refusal(const weft_proto *p);

// Calls one node on tensors: the reference kernel with outputs allocated as `facts` say, or the execute
// function. out[i] must be initialised (weft_tensor_init) and empty; NULL: nobody reads output i. call_graph
// may be NULL.
//
// On a device: `in` lie there, `out` are initialised with its allocator, and all that the execute function
// launched has passed when the call returns. Reference kernels run on the host only.
typedef struct weft__call_device {
  const char *name;
  weft_allocator memory;
  void *ctx;
  weft_status (*launch)(void *ctx, const weft_call_launch *l,
                        weft_diag *d);  // its lists live until the call ends
  weft_status (*sync)(void *ctx, weft_diag *d);
  weft_status (*copy_out)(void *ctx, void *to, const void *from, size_t bytes, weft_diag *d);  // and waits
} weft__call_device;
typedef struct weft_call_options {
  weft_status (*call_graph)(void *ctx, const weft_call *c, uint32_t graph, const weft_tensor *const *in,
                            weft_tensor *const *out);
  void *ctx;
  const weft_allocator
      *alloc;  // of workspaces and of what the operator makes on the way; NULL: the environment's
  weft__budget
      *budget;  // counts what others than `alloc` give, and stops: weft__call_poll; NULL: nobody does
  const weft__call_device *device;  // NULL: the host
  bool updates;   // inputs that the operator updates in place are the caller's to be written (weft_run_op)
  bool *strayed;  // set when the operator wrote behind what is its own; NULL: the message says it alone
} weft_call_options;
typedef struct weft__node_call {
  const weft_proto *proto;
  const weft_op_desc *desc;
  const weft_tensor *const *in;
  const weft_fact *facts;            // of the outputs, as inference found them
  weft_tensor *const *out;           // initialised
  const weft_call_options *options;  // NULL: none
} weft__node_call;
weft_status weft__call_node(weft_env *e, const weft__node_call *n, weft_diag *d);
// The state behind a call (weft_call.impl): one serves many calls one after the other, so that an executor
// can keep calls made up and only call the kernel. After each call weft__call_end frees its workspaces.
typedef struct weft__call_state {
  weft_env *env;
  weft_allocator alloc;
  const weft_fact *facts;  // of the outputs, for operators with sub-graphs; NULL: not asked for
  const weft_call_options *o;
  struct weft__workspace *workspaces;
  struct weft__workspace *lists;  // arguments and data of launches on a device
  weft_status launched;           // of the first failed kernel
  bool unsynced;                  // something was launched since the last sync
  size_t charged;          // of the memory limit; the tensors that stay are the caller's to count afterwards
  size_t bound_bytes[64];  // what out_alloc gave output i (R154: the limit is the bound, not the rounded
                           // allocation)
  bool margins;            // checked builds: what is allocated on the host gets a margin behind it
  uint64_t guarded;        // outputs that have one: bits
} weft__call_state;
void weft__call_begin(weft__call_state *st, weft_env *e, const weft_fact *facts, const weft_call_options *o);
void weft__call_end(weft__call_state *st);
// Values that can be told before a run: evaluates a node whose inputs are all known and small, and makes
// tensors of integer elements that inference found one by one. Sets facts[i].value; `outs` is scratch of
// n_out entries.
typedef struct weft__value_finder {
  weft_env *env;
  uint32_t max_elems;  // of an output; inputs may have 64 times as many
  weft_tensor *(*make)(
      void *ctx);  // an initialised tensor that lives as long as the facts; NULL: out of memory
  void *ctx;
  size_t n_found;
  weft__budget *budget;   // that `make` allocates from; NULL: values have no bound of bytes
  uint64_t *known_bytes;  // of all values found so far
} weft__value_finder;
weft_status weft__known_outputs(weft__value_finder *k, const weft_proto *p, const weft_op_desc *desc,
                                const weft_tensor *const *in, weft_fact *facts, weft_tensor **outs,
                                weft_diag *d);
// A fact that describes a tensor completely; it borrows the tensor.
weft_fact weft__fact_of_tensor(const weft_tensor *t);

// The environment's threads; NULL: there is one, or none could be made.
struct weft_pool *weft__env_pool(weft_env *e);
// Registry insides.
typedef struct weft_env_package weft_env_package;
struct weft_env {
  weft_allocator alloc;
  weft_env_options options;
  weft_limits limits;
  weft_arena arena;              // prototypes and everything registered; grows under `lock` only
  weft_map ops;                  // name -> weft_proto, of what was registered
  weft_map builtin_name;         // name -> 1 + its number: weft__builtin_ops, then `row`
  const struct weft__row **row;  // all of weft__builtin_rows
  size_t n_rows;
  void *lock;  // guards what is made on first use
  _Atomic(uint32_t)
      judged;  // laws that run in it: what references allocate gets margins, which are looked at
  _Atomic(struct weft_pool *) pool;
  _Atomic(const weft_proto *) *builtin;          // one per built-in operator, made on first use
  weft_arena builtin_arena;                      // theirs: all of them have room in it from the beginning
  _Atomic(const weft_proto *) *catalogue;        // one per catalogue entry, made on first use
  _Atomic(const struct weft_plugin *) *plugins;  // one per weft__plugin_id, loaded on first use
  _Atomic(uint32_t) plugins_missed;              // how often one was wanted that is not installed
  WEFT_VEC(weft_env_package *) packages;
  WEFT_VEC(const weft_kernel *) kernels;  // of the program
  WEFT_VEC(const weft_proto *) sorted;    // rebuilt after registering
  weft_host host;
  struct weft_machine machine;
};
size_t weft__env_copy_most(const weft_env *e);  // files of so many bytes are copied, larger ones mapped
weft_status weft__op_check(const weft_op *op, weft_diag *d);  // its size, strides and name
// Of an operator with weft_op.describe: its name, and later, with the environment locked, the rest. False: it
// failed, for the reason that is then in p->missing.
weft_status weft__proto_name(weft_env *e, const weft_op *op, int source, const char *origin, weft_proto **out,
                             weft_diag *d);
bool weft__proto_complete(weft_env *e, weft_proto *p);
weft_status weft__proto_make(weft_env *e, const weft_op *op, int source, const char *origin, weft_proto **out,
                             weft_diag *d);
extern const weft_op *const weft__builtin_ops[];
const char *weft__builtin_name(const weft_env *e, size_t i);  // of a built-in operator, by its number
extern const unsigned weft__builtin_op_count;

// The catalogue (catalogue/): AscendIR's prototypes in a compact table, sorted by name.
size_t weft__catalogue_count(void);
const char *weft__catalogue_name(size_t i);
int64_t weft__catalogue_find(const char *name);  // -1: absent
// Builds entry `i` as a weft_op in `arena` (all arrays and strings included). No functions; dynamic ports
// have minimum 0.
weft_status weft__catalogue_op(size_t i, weft_arena *arena, const weft_op **out);
// SPDX-License-Identifier: Apache-2.0
