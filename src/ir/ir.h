// ir.h - the inside of graphs: what nodes and values hold. Layer: ir (on op).
//
// A root graph owns one weft_root: an arena for everything that is part of the graph and its sub-graphs
// (nodes, values, names, dims), the symbol pool, and what must be released one by one (tensors with data,
// kept things). Sub-graphs share it and have lists and name spaces of their own. Memory of removed nodes
// comes back when the root is destroyed.
//
// Invariants, held by every function of graph.h and proved again by weft_graph_verify:
//   - a node reads values of its own graph only; node->in[i] with a value is in that value's list of uses;
//   - node->order is smaller than that of every node that reads or waits for it (a topological order; gaps
//   allowed);
//   - node->pos grows along the list first..last (order of insertion until weft_graph_sort);
//   - a removed node, and its output values, have graph NULL;
//   - node->ahead is a hint for walks: memory of a node, perhaps a removed one.
// Ids of values and nodes are dense per root and never reused: side tables are arrays of root->n_value_ids or
// n_node_ids. `mark` is scratch of functions that change the graph, 0 between them; readers use side tables
// instead.
#pragma once
#include "base/budget.h"
#include "op/proto.h"
#include "weft/graph.h"

enum { WEFT_GRAPH_DEPTH_MAX = 32, WEFT_GRAPH_NODES_MAX = INT32_MAX };

// One input instance of a node; an element of node->in. value NULL: not connected.
typedef struct weft_use_link {
  weft_value *value;
  weft_node *node;
  struct weft_use_link *prev, *next;  // other uses of the value, newest first
} weft_use_link;

// What the model says of a value, or the caller of an input, as far as a fact holds it.
//
// Of a node's output it is a claim, not a fact: a file may say anything, and a shape that was believed would
// size memory. So inference takes dtype and kind of it, which every rule checks, and never a dim or a range:
// facts hold what rules found and nothing else. The claim is compared with what is found, when inferring and
// when running (weft__declared_check), and shown where inference knows less (weft_value_expected).
typedef struct weft_declared {
  weft_fact fact;           // dtype UNDEFINED and set false: not said
  const weft_dim *storage;  // storage dims when they are not the origin dims; otherwise NULL
  uint8_t storage_rank, placement;
  bool found;    // no claim: inference found it, and a pass carries it to a node whose rule finds less
  bool refuted;  // the log has said that it is wrong; the one thing that runs write here
} weft_declared;

struct weft_value {
  weft_graph *graph;  // NULL: dead
  const char *name;   // in the arena; unique among the values of the graph
  weft_node *node;    // producer; NULL: input or constant
  weft_use_link *uses;
  uint32_t id;
  uint32_t index;           // of the output of `node`, or the position among inputs or constants
  uint32_t n_uses;          // uses by nodes
  uint32_t n_outputs;       // how often the value is an output of the graph
  uint32_t named;           // entry of graph->value_names: weft__map_newest
  uint8_t origin;           // WEFT_VALUE_*
  weft_fact fact;           // dims and ranges in the arena; constants: set, with value
  weft_declared *declared;  // NULL: nothing; passes share it among copies of a value
};

// Control edges of one node, in both directions; in the arena.
typedef struct weft_node_list {
  weft_node **v;
  uint32_t n, cap;
} weft_node_list;
typedef struct weft_controls {
  weft_node_list before;  // must run before this node
  weft_node_list after;   // wait for this node
} weft_controls;

struct weft_node {
  weft_desc_full desc;  // pub.name is the node's name
  weft_graph *graph;    // NULL: removed
  weft_node *prev, *next;
  const weft_node *ahead;   // the one that came WEFT__AHEAD nodes later when the list was last put in order
  weft_use_link *in;        // desc.pub.n_in
  weft_value *out;          // desc.pub.n_out values, one array
  weft_controls *controls;  // NULL: none
  weft_graph **graphs;      // by slot, then by position in a dynamic slot
  const weft_origin *origin;
  uint32_t n_graphs;
  uint32_t id, pos, order;
  uint32_t named;  // entry of graph->node_names: weft__map_newest
  uint8_t mark;
};

// The nodes that a walk along the list came through last, for their hints.
enum { WEFT__AHEAD = 8 };  // a power of two
typedef struct weft__trail {
  weft_node *node[WEFT__AHEAD];
  uint32_t at;
} weft__trail;

typedef struct weft_keep {
  void (*drop)(void *ctx);
  void *ctx;
} weft_keep;

// What a root graph shares with its sub-graphs.
typedef struct weft__mapping {  // of a file, read-only
  const char *from;
  size_t bytes;
  int64_t written_ns;  // the file's, when it was mapped
  int fd;              // -1: none
} weft__mapping;

typedef struct weft_root {
  weft_env *env;
  weft__budget budget;   // of all that the graph holds, and of calls that work on it
  weft_allocator alloc;  // the budget's
  uint64_t known_bytes;  // of values that inference has evaluated
  weft_arena arena;
  weft_symbols *symbols;
  weft_graph *graphs;  // all of them, newest first, through weft_graph.next_graph
  uint32_t n_graphs;
  uint32_t n_value_ids, n_node_ids;
  // Raised by whatever may change what inference finds; equal numbers: every fact is as inference with
  // default options would find it again.
  uint64_t changes, inferred;
  WEFT_VEC(weft_tensor *) tensors;  // deinitialised at the end: constants' copies, values found by inference
  WEFT_VEC(weft_keep) keeps;        // dropped at the end, last first
  WEFT_VEC(weft__mapping) maps;     // files that constants lie in
  struct weft__remakes *remakes;    // constants that can be made again: remake.c; NULL: none
} weft_root;

struct weft_graph {
  weft_root *root;
  const char *name;
  weft_node *parent;  // the node it is a sub-graph of; NULL: root graph
  uint32_t slot;      // of the parent's prototype
  uint32_t depth;     // 0: root graph
  weft_graph *next_graph;
  weft_node *first, *last;
  weft__trail trail;  // of appending
  uint32_t n_nodes;
  uint32_t next_pos, next_order;
  uint32_t name_count;  // for made names
  bool deferred;        // cycles are not checked now: weft__graph_defer
  bool moved;           // node->order may not grow along the list: weft_graph_sort has work to do
  weft_map node_names, value_names;
  weft_map shared;  // small constants by content: shared.c
  weft_map meta;    // notes: key -> text, both in the arena; none is ever removed
  WEFT_VEC(weft_value *) inputs;
  WEFT_VEC(weft_value *) outputs;
  WEFT_VEC(weft_value *) consts;
};

// weft__budget_end of the graph's budget; where memory was refused, with notes of what it is in use for.
weft_status weft__graph_budget_end(weft_graph *g, const weft__allowance *before, weft_status s, weft_diag *d);

static inline uint32_t weft__use_index(const weft_use_link *u) {
  return (uint32_t)(u - u->node->in);
}

// ---- values ----
// Does a node or an output read it?
static inline bool weft__value_read(const weft_value *v) {
  return v->uses || v->n_outputs;
}
// Gives a value another unique name. E_DUPLICATE.
weft_status weft__value_rename(weft_value *v, const char *name, weft_diag *d);
// Copies a fact into the value, arrays into the arena (memory of the old one is used again where it fits).
// f->value is borrowed and must live as long as the graph: see weft__graph_tensor.
weft_status weft__value_set_fact(weft_value *v, const weft_fact *f, weft_diag *d);
static inline weft_fact weft__fact_none(void) {  // not inferred
  return (weft_fact){
      .dtype = WEFT_UNDEFINED, .item_dtype = WEFT_UNDEFINED, .origin_format = WEFT_ND, .format = WEFT_ND};
}
void weft__value_clear_fact(weft_value *v);  // back to not inferred; not for inputs and constants
weft_status weft__fact_copy(weft_arena *arena, const weft_fact *f, weft_fact *out, weft_diag *d);
// A fact as a description. Not inferred: dtype UNDEFINED, rank WEFT_RANK_UNSET. The storage shape follows
// from the formats. Checks a description and keeps it compactly; `place` begins the messages.
weft_status weft__declared_make(weft_graph *g, const char *place, const weft_tensor_desc *desc,
                                weft_declared **out, weft_diag *d);
void weft__fact_desc(const weft_fact *f, const char *name, weft_tensor_desc *out);
void weft__declared_desc(const weft_declared *s, const char *name, weft_tensor_desc *out);
// What the model declares of a node's output against what a rule or the run found: `found`, dims and dtype
// known or not. E_DTYPE, E_TYPE: always. A shape that disagrees: E_SHAPE where the environment is strict;
// otherwise the log gets a warning, once for a value, and what was found stands.
weft_status weft__declared_check(weft_value *v, const weft_fact *found, weft_diag *d);
// An initialised tensor that the root graph owns and deinitialises at the end. NULL: out of memory.
weft_tensor *weft__graph_tensor(weft_graph *g);
// ---- constants that need not stay in memory: remake.c ----
// A file that constants of the graph lie in, mapped and open (fd; -1: not) as long as the graph lives.
// weft__data_rest takes its pages out of memory when bytes of it were read and are not needed soon: they come
// again by themselves.
weft_status weft__graph_mapped(weft_graph *g, const void *from, size_t bytes, int fd);
// E_IO: a file of the graph was written to in place since. What it held is gone, and beyond a shorter one's
// end lies SIGBUS; a look before a run meets it as a rule, not always.
weft_status weft__maps_check(const weft_graph *g, weft_diag *d);
void weft__data_rest(const weft_graph *g, const void *from, size_t bytes);
void weft__maps_rest(const weft_graph *g);  // the same for all that was read of the graph's files
// How data are made that need not be in memory: fn makes bytes [at, at + bytes), whole elements, of `source`,
// the same bytes of `from`, aligned, and maybe where they go. It may be called at any time and always makes
// the same.
typedef void (*weft__remake_fn)(const void *ctx, const void *source, size_t at, size_t bytes, void *to);
typedef bool (*weft__remake_same)(const void *a, const void *b);
typedef struct weft__recipe {
  weft__remake_fn fn;
  weft__remake_same same;   // do two of fn's contexts make the same of the same? NULL: nobody knows
  const void *ctx;          // lives as long as the graph
  const weft_tensor *from;  // NULL: they are made of nothing
  size_t bytes;             // of all
} weft__recipe;
// Gives `t`, of weft__graph_tensor and described, such data. At first nothing is made: t is asleep, its data
// are NULL.
weft_status weft__remake_const(weft_graph *g, weft_tensor *t, const weft__recipe *how, weft_diag *d);
// The same for one element over and over; `one` lives as long as the graph.
weft_status weft__remake_filled(weft_graph *g, weft_tensor *t, size_t bytes, const weft_tensor *one,
                                weft_diag *d);
// The same for all bytes of `from`, itself such a constant, seen in another shape.
weft_status weft__remake_view(weft_graph *g, weft_tensor *t, const weft_tensor *from, weft_diag *d);
bool weft__value_has_data(const weft_value *v);  // weft_value_data, without being given them
bool weft__is_remade(const weft_graph *g, const weft_tensor *t);
// Bytes [at, at + bytes) of a constant's data, whole elements: where they lie when they are in memory and
// aligned, otherwise made, or read from their file, at `to`.
const void *weft__data_read(const weft_graph *g, const weft_tensor *t, size_t at, size_t bytes, void *to);
// The one element that a constant of weft__remake_filled repeats; NULL: it is none.
const weft_tensor *weft__data_number(const weft_graph *g, const weft_tensor *t);
// What `t` is made of, when it is made by `fn`; NULL otherwise.
const void *weft__remake_ctx(const weft_graph *g, const weft_tensor *t, weft__remake_fn fn);
// Are their data known to be the same? weft__tensor_same; of what is asleep where it is
// made in the same way of the same.
bool weft__data_same(const weft_graph *g, const weft_tensor *a, const weft_tensor *b);
// Frees the data of a tensor that can be made again and that no one holds; until weft__remake_wake its data
// are NULL. _wake: `stay`: they stay from now on. Both are safe beside each other on several threads.
// The caller of _sleep knows that nobody else reads them.
void weft__remake_sleep(weft_graph *g, weft_tensor *t);
weft_status weft__remake_wake(const weft_graph *g, const weft_tensor *t, bool stay, weft_diag *d);
static inline bool weft__is_asleep(const weft_tensor *t) {
  return t->kind == WEFT_KIND_TENSOR && t->bytes && !__atomic_load_n(&t->data, __ATOMIC_ACQUIRE);
}
// Which may sleep from now on: those of the root graph whose data no other value has a part of; who reads one
// as it is wakes it first. The others wake. Said once, when nobody changes the graph any more; before that
// none goes to sleep.
weft_status weft__remakes_allow(weft_graph *g, weft_diag *d);
// Before a graph is read as a whole: all are there, and stay.
weft_status weft__remake_wake_all(const weft_graph *g, weft_diag *d);
void weft__remakes_free(weft_root *r);

// A constant that was shared and has the dtype, shape and bytes of `t`. NULL: none, or `t` is not small.
weft_value *weft__const_find(const weft_graph *g, const weft_tensor *t);
// Lets a constant be found; one that is not small is left out.
weft_status weft__const_share(weft_value *v, weft_diag *d);
// Removes a constant that nothing uses; its data stay until the end. E_STATE otherwise.
weft_status weft__const_remove(weft_value *v, weft_diag *d);
// Removes all constants that nothing uses, O(constants); how many.
size_t weft__consts_sweep(weft_graph *g);
// Orders the constants as nodes read them first: a program's file then holds them in the order of a run,
// however the model listed them. Not those of sub-graphs. O(inputs).
void weft__consts_by_use(weft_graph *g);

// A name for every dim of an input that has none, before inference (name_dims.c).
weft_status weft__name_dims(weft_graph *g, weft_diag *d);
// Do these tensors fit the graph's inputs (in order; NULL: not given)? Items of sequences are checked too,
// their shapes only for root graphs. E_MISSING, E_DTYPE, E_TYPE, E_SHAPE, E_RANGE, E_INVALID (count) name the
// input and both values.
weft_status weft__check_inputs(const weft_graph *g, const weft_tensor *const *in, size_t n_in, weft_diag *d);
// Is a computed tensor what inference said of the value?
weft_status weft__check_value(const weft_value *v, const weft_tensor *t, weft_diag *d);
// weft_node_flops with shapes from elsewhere; false: not known.
typedef bool (*weft__shape_fn)(void *ctx, const weft_value *v, weft_shape *out);
int64_t weft__node_flops(const weft_node *n, weft__shape_fn shape, void *ctx);
bool weft__shape_inferred(void *ctx, const weft_value *v, weft_shape *out);

// ---- nodes ----
// A large graph is larger than the caches, and a walk along the list waits for memory at every node unless
// the nodes further on were asked for. A node, its outputs and its inputs' links are one piece.
static inline void weft__node_fetch(const weft_node *n) {
  enum { LINE = 64, LINES = 6 };
  for (int i = 0; i < LINES; i++)
    __builtin_prefetch((const char *)n + (ptrdiff_t)i * LINE);
}
static inline weft_node *weft__node_after(const weft_node *n) {
  if (n->ahead)
    weft__node_fetch(n->ahead);
  return n->next;
}
// The same for a list of nodes, at the i-th of n.
static inline void weft__nodes_fetch(const weft_node *const *list, size_t i, size_t n) {
  if (n - i > WEFT__AHEAD)
    weft__node_fetch(list[i + WEFT__AHEAD]);
}
static inline weft_node *weft__node_of(weft_node *const *list, size_t i, size_t n) {
  weft__nodes_fetch((const weft_node *const *)list, i, n);
  return list[i];
}
static inline weft_node *weft__node_back(weft_node *const *list, size_t i) {  // from the end on
  if (i >= WEFT__AHEAD)
    weft__node_fetch(list[i - WEFT__AHEAD]);
  return list[i];
}
// Gives hints to the nodes that a walk comes through, in order.
static inline void weft__trail_node(weft__trail *t, weft_node *n) {
  weft_node **slot = &t->node[t->at++ & (WEFT__AHEAD - 1)];
  if (*slot)
    (*slot)->ahead = n;
  *slot = n;
}
// A node that is to be added.
typedef struct weft__adding {
  const char *type;
  const weft_use *use;    // NULL: no attributes, a name that is made
  weft_value *const *in;  // in the order of ports
  size_t n_in;
  const char *const *out_names;  // i < n_names: the name of output i, in the graph's arena; NULL: made
  size_t n_names;
  bool name_is_free;   // use->name is that of no other node: nobody needs to look
  uint64_t name_hash;  // of use->name, where it is known; 0: it is not
} weft__adding;
// weft_graph_add for builders that bring all names. E_DUPLICATE: another value has one of out_names.
weft_status weft__graph_add(weft_graph *g, const weft__adding *a, weft_node **out, weft_diag *d);
// Prepares an empty graph for so many nodes and values: hints.
weft_status weft__graph_expect(weft_graph *g, size_t n_nodes, size_t n_values, weft_diag *d);
// The name of an input instance for messages: "x1", of a dynamic port "x[2]".
const char *weft__node_in_text(const weft_node *n, uint32_t in, char *buf, size_t cap);
bool weft__slot_is_dynamic(const weft_proto *p, uint32_t slot);
const char *weft__slot_name(const weft_proto *p, uint32_t slot);  // without the '*'
static inline const char *weft__node_name(const weft_node *n) {
  return n->desc.pub.name;
}
static inline const char *weft__node_type(const weft_node *n) {
  return n->desc.pub.type;
}
// What a reader is told of its operator: for an Unknown the name that the model gives.
static inline const char *weft__node_label(const weft_node *n) {
  const bool stands_in = (n->desc.proto->op->traits & WEFT__STANDS_IN) != 0;
  const char *type = stands_in ? weft_node_str(&n->desc.pub, WEFT__STANDS_IN_TYPE) : NULL;
  return type ? type : weft__node_type(n);
}
// The same, and of a fused node the operators that it holds: "Conv2D+Add+Relu"; of a long one the first.
// Returns buf.
const char *weft__node_title(const weft_node *n, char *buf, size_t cap);
// Moves a node in the list to the place before `at`. The order numbers stay: weft_graph_sort must follow.
void weft__node_place(weft_node *n, weft_node *at);
// Adds "node 'conv1' (Conv) of model.onnx, at byte 1234" to a message, when the node came from a file.
void weft__note_origin(const weft_node *n, weft_diag *d);
// Makes before->order < after->order, which adding an edge between them needs. E_CYCLE, E_NOMEM: nothing
// changed.
weft_status weft__order_edge(weft_node *before, weft_node *after, weft_diag *d);

// Behind all it depends on, in a walk along the list that numbers (order) from above `base`, where all
// numbers were up to that?
bool weft__is_behind(const weft_node *n, uint32_t base);

static inline void weft__graph_changed(const weft_graph *g) {
  g->root->changes++;
}

// ---- building graphs whose nodes come in any order ----
// Between the two calls connecting does not look for cycles (it would cost O(n) an edge when nodes come
// backwards). settle finds a topological order for all nodes once, O(nodes + edges), or fails with E_CYCLE;
// after a failure the graph can only be destroyed. The order of insertion is not changed: weft_graph_sort
// does that.
void weft__graph_defer(weft_graph *g);
weft_status weft__graph_settle(weft_graph *g, weft_diag *d);

// ---- inside src/ir only ----
weft_status weft__graph_make(weft_root *r, weft_node *parent, uint32_t slot, const char *name,
                             weft_graph **out, weft_diag *d);
// Makes a name that `names` does not have: <stem>_<number>. In the arena; NULL: out of memory.
const char *weft__name_make(weft_graph *g, const weft_map *names, const char *stem);
// Initialises a value; neither named in the map nor in a list.
void weft__value_init(weft_value *v, weft_graph *g, int origin, const char *name);
void weft__use_link(weft_use_link *u, weft_value *v);  // u->value must be NULL
void weft__use_unlink(weft_use_link *u);
weft_status weft__controls_add(weft_arena *a, weft_node *before,
                               weft_node *after);  // once; no check of order
// SPDX-License-Identifier: Apache-2.0
