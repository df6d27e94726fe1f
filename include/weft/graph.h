// weft/graph.h - the graph: values, nodes, sub-graphs; building, changing, checking, printing, comparing,
// storing. A graph is owned by one thread while it changes; reading it concurrently is fine. Handles
// (weft_value*, weft_node*) stay valid until the graph is destroyed; a removed node or value is dead and must
// not be used.
//
//   weft_graph_create(env, "g", &g, d);
//   weft_value *y, *x = weft_graph_input(g, "x", WEFT_FLOAT, (weft_dim[]){-1, 4}, 2, d);
//   weft_graph_op1(g, "Relu", "relu", &x, 1, &y, d);  weft_graph_output(g, y, d);
//
// Values are immutable tensors, sequences, optionals or resources. `Data`, `Const` and `NetOutput` are not
// nodes: they are graph inputs, constants and graph outputs. Sub-graphs are closed: what they need comes in
// through their inputs.
#pragma once
#include "weft/env.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef struct weft_graph weft_graph;
typedef struct weft_node weft_node;
typedef struct weft_value weft_value;

// ---- building ----
WEFT_API WEFT_MUST weft_status weft_graph_create(weft_env *e, const char *name, weft_graph **out,
                                                 weft_diag *d);
WEFT_API void weft_graph_destroy(weft_graph *g);  // and its sub-graphs; NULL allowed
WEFT_API weft_env *weft_graph_env(const weft_graph *g);  // what it was made with
WEFT_API const char *weft_graph_name(const weft_graph *g);  // lives as long as the graph
WEFT_API weft_symbols *weft_graph_symbols(const weft_graph *g);  // the pool of its symbolic dims
// Adds an input and gives its value: what makes a value returns it, so that it can be used where it is made.
// NULL and a message on failure (E_DUPLICATE, E_LIMIT, E_NOMEM), whose status is d->status. Names are unique
// in a graph; they are copied. rank WEFT_RANK_UNSET means unknown rank. With a description: ranges, formats
// and kinds of values, too.
WEFT_API weft_value *weft_graph_input(weft_graph *g, const char *name, weft_dtype t, const weft_dim *dims,
                                      size_t rank, weft_diag *d);
// The same of a description.
WEFT_API weft_value *weft_graph_input_desc(weft_graph *g, const char *name, const weft_tensor_desc *desc,
                                           weft_diag *d);
// Gives a graph input another description: `--shape` of the command line. Ranks must agree where both are
// known, and a known dim cannot become another one. A named dim that becomes known does so in every input.
// Inference must run again.
WEFT_API WEFT_MUST weft_status weft_graph_input_reshape(weft_value *v, const weft_tensor_desc *desc,
                                                        weft_diag *d);
// A constant: the tensor is copied, or with BORROW pointed at (it must outlive the graph). NULL on failure,
// as above.
enum { WEFT_CONST_COPY, WEFT_CONST_BORROW };
// Adds a constant; how: one of WEFT_CONST_*.
WEFT_API weft_value *weft_graph_const(weft_graph *g, const char *name, const weft_tensor *t, int how,
                                      weft_diag *d);
// Lets the graph keep something alive (a mapped file) until it is destroyed.
WEFT_API WEFT_MUST weft_status weft_graph_keep(weft_graph *g, void (*drop)(void *ctx), void *ctx);
// appends; a value may repeat
WEFT_API WEFT_MUST weft_status weft_graph_output(weft_graph *g, weft_value *v, weft_diag *d);

// Adds a node: checks attributes against the prototype and fills in defaults. use->name NULL or "": a name is
// made. Without counts in `use`: required ports have one instance, optional none, dynamic their minimum;
// nothing is connected.
WEFT_API WEFT_MUST weft_status weft_graph_add_node(weft_graph *g, const char *type, const weft_use *use,
                                                   weft_node **out, weft_diag *d);
// Adds a node and connects in[] (port order, NULL: absent optional; see weft_use for the rule without
// counts).
WEFT_API WEFT_MUST weft_status weft_graph_add(weft_graph *g, const char *type, const weft_use *use,
                                              weft_value *const *in, size_t n_in, weft_node **out,
                                              weft_diag *d);
// The short form: no attributes, one output.
WEFT_API WEFT_MUST weft_status weft_graph_op1(weft_graph *g, const char *type, const char *name,
                                              weft_value *const *in, size_t n_in, weft_value **out,
                                              weft_diag *d);
// Connects instance `in` of `n` with a value. E_EXISTS: it has a producer; E_RANGE, E_CYCLE.
WEFT_API WEFT_MUST weft_status weft_node_connect(weft_node *n, uint32_t in, weft_value *v, weft_diag *d);
// The same by nodes: output `out` of src is what instance `in` of dst reads.
WEFT_API WEFT_MUST weft_status weft_graph_add_edge(weft_graph *g, weft_node *src, uint32_t out,
                                                   weft_node *dst, uint32_t in, weft_diag *d);
// Lets `before` run before `after`, with no value between them. E_CYCLE.
WEFT_API WEFT_MUST weft_status weft_graph_add_control(weft_graph *g, weft_node *before, weft_node *after,
                                                      weft_diag *d);
// A sub-graph in slot `slot` of the prototype, position `i` of a dynamic slot. Its environment and symbols
// are g's.
WEFT_API WEFT_MUST weft_status weft_node_add_graph(weft_node *n, uint32_t slot, const char *name,
                                                   weft_graph **out, weft_diag *d);
// What the model says of an input or output that is not connected or not inferred yet. Of a node's output it
// is a claim: inference compares it with what the rules find and never takes a size from it; where both
// differ, the log gets a warning and what was found stands, or inference fails in a strict environment.
WEFT_API WEFT_MUST weft_status weft_value_declare(weft_value *v, const weft_tensor_desc *desc, weft_diag *d);
// Where the node came from: kept apart from what is compared. All text is copied; attrs NULL allowed.
typedef struct weft_origin {
  const char *file;       // model file, or NULL
  uint64_t offset;        // byte offset of the node in it
  const char *name, *type;  // in the model's own words
  const weft_named_attr *attrs;  // as the model gave them
  size_t n_attrs;
} weft_origin;
// Sets or replaces a node's origin.
WEFT_API WEFT_MUST weft_status weft_node_set_origin(weft_node *n, const weft_origin *o, weft_diag *d);
WEFT_API const weft_origin *weft_node_origin(const weft_node *n);  // NULL: made by the program
// Notes on a graph: who made the model, what its author wrote. Text under a key, in the order the keys were
// first set; setting a key again replaces its text. Copied; a text may be empty, a key not (E_INVALID).
// Printed and saved with the graph, never compared. The importers' own keys begin with "onnx.".
typedef struct weft_meta {
  const char *key, *value;
} weft_meta;
// Sets the text under a key.
WEFT_API WEFT_MUST weft_status weft_graph_set_meta(weft_graph *g, const char *key, const char *value,
                                                   weft_diag *d);
WEFT_API size_t weft_graph_n_meta(const weft_graph *g);  // how many keys
WEFT_API weft_meta weft_graph_meta_at(const weft_graph *g, size_t i);  // i < weft_graph_n_meta
WEFT_API const char *weft_graph_find_meta(const weft_graph *g, const char *key);  // NULL: not set

// ---- reading ----
WEFT_API size_t weft_graph_n_nodes(const weft_graph *g);
// insertion order, which stays topological after weft_graph_sort
WEFT_API weft_node *weft_graph_first(const weft_graph *g);
WEFT_API weft_node *weft_node_next(const weft_node *n);     // NULL at the end
WEFT_API weft_node *weft_graph_find_node(const weft_graph *g, const char *name);  // NULL: none has it
WEFT_API weft_value *weft_graph_find_value(const weft_graph *g, const char *name);  // NULL: none has it
WEFT_API size_t weft_graph_n_inputs(const weft_graph *g);  // in the order they were made
WEFT_API weft_value *weft_graph_input_at(const weft_graph *g, size_t i);  // NULL outside
WEFT_API size_t weft_graph_n_outputs(const weft_graph *g);  // a value may be several
WEFT_API weft_value *weft_graph_output_at(const weft_graph *g, size_t i);  // NULL outside
WEFT_API int weft_graph_find_input(const weft_graph *g, const char *name);  // its number; -1: none
WEFT_API int weft_graph_find_output(const weft_graph *g, const char *name);  // the first; -1: none
WEFT_API size_t weft_graph_n_consts(const weft_graph *g);  // constants
WEFT_API weft_value *weft_graph_const_at(const weft_graph *g, size_t i);  // NULL outside
WEFT_API const weft_op_desc *weft_node_desc(const weft_node *n);  // what its operator's functions read of it
WEFT_API const weft_proto *weft_node_proto(const weft_node *n);  // of its operator
WEFT_API weft_graph *weft_node_graph(const weft_node *n);  // the graph it is in
WEFT_API const char *weft_node_name(const weft_node *n);  // unique in its graph
WEFT_API const char *weft_node_type(const weft_node *n);  // its operator's name
// instance; NULL: not connected or outside
WEFT_API weft_value *weft_node_in(const weft_node *n, uint32_t i);
WEFT_API weft_value *weft_node_out(const weft_node *n, uint32_t i);  // NULL: outside
WEFT_API uint32_t weft_node_n_graphs(const weft_node *n);  // its sub-graphs
WEFT_API weft_graph *weft_node_graph_at(const weft_node *n, uint32_t i);  // NULL outside
WEFT_API const char *weft_node_graph_slot(const weft_node *n, uint32_t i);  // "then_branch"; NULL outside
WEFT_API size_t weft_node_n_controls(const weft_node *n);            // nodes that must run before
WEFT_API weft_node *weft_node_control_at(const weft_node *n, size_t i);  // NULL outside
enum { WEFT_VALUE_INPUT, WEFT_VALUE_CONST, WEFT_VALUE_NODE };
WEFT_API int weft_value_origin(const weft_value *v);  // one of WEFT_VALUE_*
WEFT_API const char *weft_value_name(const weft_value *v);  // unique in its graph
// producer; NULL: input or constant
WEFT_API weft_node *weft_value_node(const weft_value *v, uint32_t *out_index);
WEFT_API size_t weft_value_n_uses(const weft_value *v);  // inputs and graph outputs
// Everything known of the value, as a description; an uninferred value has dtype UNDEFINED and rank
// WEFT_RANK_UNSET.
WEFT_API void weft_value_desc_sized(const weft_value *v, weft_tensor_desc *out, size_t out_bytes);
static inline void weft_value_desc(const weft_value *v, weft_tensor_desc *out) {  // with sizeof
  weft_value_desc_sized(v, out, sizeof *out);
}
// The same, and where inference does not know a dim, what the model declares: for people to read. Nothing has
// checked those dims before the run; memory must not be sized by them.
WEFT_API void weft_value_expected_sized(const weft_value *v, weft_tensor_desc *out, size_t out_bytes);
static inline void weft_value_expected(const weft_value *v, weft_tensor_desc *out) {  // with sizeof
  weft_value_expected_sized(v, out, sizeof *out);
}
WEFT_API weft_dtype weft_value_dtype(const weft_value *v);  // UNDEFINED: not known
// Its data: a constant, or a value found by inference; NULL when not known.
WEFT_API const weft_tensor *weft_value_data(const weft_value *v);

// ---- changing ----
WEFT_API WEFT_MUST weft_status weft_node_set_attr(weft_node *n, const char *name, const weft_attr *a,
                                                  weft_diag *d);
WEFT_API const weft_attr *weft_node_attr(const weft_node *n, const char *name);  // declared or private; NULL
WEFT_API size_t weft_node_n_attrs(const weft_node *n);  // declared and private ones
// Its attributes by number: those that the operator declares, in that order, then private ones. *out_name
// (NULL allowed) is the name. Both live as long as the graph. NULL: i is outside.
WEFT_API const weft_attr *weft_node_attr_at(const weft_node *n, size_t i, const char **out_name);
// v NULL: disconnect
WEFT_API WEFT_MUST weft_status weft_node_set_in(weft_node *n, uint32_t i, weft_value *v, weft_diag *d);
// all uses and outputs
WEFT_API WEFT_MUST weft_status weft_value_replace(weft_value *v, weft_value *by, weft_diag *d);
// E_STATE while its outputs are used
WEFT_API WEFT_MUST weft_status weft_node_remove(weft_node *n, weft_diag *d);
// topological, stable; E_CYCLE names the nodes
WEFT_API WEFT_MUST weft_status weft_graph_sort(weft_graph *g, weft_diag *d);

// ---- checking ----
// Every rule of the IR: connected inputs, counts, attributes, sub-graph arities, order, names, outputs.
// Reports all violations through `report` (NULL: only the first, in d) and fails with the first one's status.
typedef void (*weft_report_fn)(void *ctx, weft_status s, const char *text);
// Checks a graph and its sub-graphs; changes nothing.
WEFT_API WEFT_MUST weft_status weft_graph_verify(const weft_graph *g, weft_report_fn report, void *ctx,
                                                 weft_diag *d);
// Semantic equality: same operators, attributes and structure, compatible descriptions; names, origins, C0
// and range-or-unknown do not matter. Strict: descriptions bit for bit, and names. E_DIFFERENT says where.
enum { WEFT_EQUAL_SEMANTIC, WEFT_EQUAL_STRICT };
// how: one of WEFT_EQUAL_*.
WEFT_API WEFT_MUST weft_status weft_graph_compare(const weft_graph *a, const weft_graph *b, int how,
                                                  weft_diag *d);

// ---- text, pictures, files ----
// The text form parses back to a strictly equal graph (docs/text-ir.md); DOT is for graphviz, JSON for other
// programs.
enum {
  // leave out the data of constants over 64 elements: for people, does not parse back
  WEFT_TEXT_NO_DATA = 1
};
// Writes the text form; flags: WEFT_TEXT_*.
WEFT_API WEFT_MUST weft_status weft_graph_print(const weft_graph *g, unsigned flags, weft_write_fn write,
                                                void *ctx);
WEFT_API WEFT_MUST weft_status weft_graph_parse(weft_env *e, const char *text, size_t bytes,
                                                const char *file_name,
                                                // E_SYNTAX with line and column
                                                weft_graph **out, weft_diag *d);
// Writes the graph in the DOT language.
WEFT_API WEFT_MUST weft_status weft_graph_print_dot(const weft_graph *g, weft_write_fn write, void *ctx);
// Writes nodes, values and attributes as one JSON object.
WEFT_API WEFT_MUST weft_status weft_graph_print_json(const weft_graph *g, weft_write_fn write, void *ctx);
enum { WEFT_DUMP_IR, WEFT_DUMP_IR_VERBOSE, WEFT_DUMP_METAIR };  // the founding documents' dumps
// style: one of WEFT_DUMP_*.
WEFT_API WEFT_MUST weft_status weft_graph_dump(const weft_graph *g, int style, weft_write_fn write,
                                               void *ctx);
// A table of all tensors: name, dtype, shape, format, range, bytes, producer.
WEFT_API WEFT_MUST weft_status weft_graph_print_table(const weft_graph *g, weft_write_fn write, void *ctx);
// Binary, little-endian, versioned, every section with a checksum; loading checks everything.
WEFT_API WEFT_MUST weft_status weft_graph_save(const weft_graph *g, weft_write_fn write, void *ctx,
                                               weft_diag *d);
// Reads what weft_graph_save wrote; `data` are not needed afterwards. E_VERSION, E_TRUNCATED, and E_CORRUPT
// with section and byte.
WEFT_API WEFT_MUST weft_status weft_graph_load(weft_env *e, const void *data, size_t bytes, weft_graph **out,
                                               weft_diag *d);
#ifdef __cplusplus
}
#endif
// SPDX-License-Identifier: Apache-2.0
