// weft/pass.h - passes: what changes a graph into an equal and better one before it is lowered. A pass is one
// function over one graph; the manager walks sub-graphs, checks the graph after each pass, counts what was
// done and keeps the reasons for what was not. Passes of a package come in its section WEFT_SECTION_PASS.
//
//   static weft_status visit(weft_pass_run *r, weft_node *n) {  // h: weft_pass_services(r)
//     if (strcmp(h->node_type(n), "Identity") || !h->may(r)) return WEFT_OK;
//     const char *why = h->refuse(r, h->node_out(n, 0), h->node_in(n, 0));
//     if (why) return h->skipped(r, n, "%s", why), WEFT_OK;
//     h->did(r, n, "left out");
//     return h->replace(r, h->node_out(n, 0), h->node_in(n, 0));
//   }
//   static const weft_pass pass = {WEFT_PASS_HEAD, "drop-identity", "leaves out copies", WEFT_PASS_SIMPLIFY,
//   .visit = visit};
#pragma once
#include "weft/infer.h"
#ifdef __cplusplus
extern "C" {
#endif

// When a pass runs; inside a stage in the order of the table (src/pass/table.c), a package's passes last. The
// passes of SIMPLIFY are repeated until nothing changes (at most 16 rounds), and once more after PATTERN when
// that changed something.
enum {
  WEFT_PASS_SIMPLIFY = 1,  // device-independent: folding, dead code, common sub-expressions, algebra, views
  WEFT_PASS_PATTERN,       // several nodes into one primitive: LayerNorm, GELU, attention
  WEFT_PASS_FUSE,          // regions: a heavy operator with its epilogue, elementwise chains
  WEFT_PASS_LAYOUT,        // after placement: formats and conversions
};
typedef struct weft_pass_run weft_pass_run;
typedef struct weft_pass {
  uint32_t size;
  const char *name;     // of the option: --option fold-constants=0
  const char *summary;  // one line
  uint32_t stage;       // WEFT_PASS_*
  // One of them. visit: called for every node, producers first, and for the nodes that it adds, again and
  // again until it changes nothing. run: called once for the graph and each sub-graph; walks by itself and
  // asks `may` before a change.
  weft_status (*visit)(weft_pass_run *r, weft_node *n);
  weft_status (*run)(weft_pass_run *r, weft_graph *g);
  // Names of operators, NULL at the end; NULL: any. Hints that spare walks: `visit` may be left out for nodes
  // of operators that are not among `at`, and the whole pass for a graph that has a node of none of `needs`
  // (NULL: of `at`).
  const char *const *at, *const *needs;
} weft_pass;
#define WEFT_PASS_HEAD sizeof(weft_pass)

// ---- services of a running pass: weft_pass_services ----
typedef struct weft_pass_host {
  uint32_t size;
  weft_diag *(*diag)(weft_pass_run *r);
  bool (*may)(weft_pass_run *r);  // false: the limit of changes is reached (passes-limit)
  // Counts a change and notes it for the report: "conv1: folded the batch normalisation bn1 into its
  // weights".
  void (*did)(weft_pass_run *r, const weft_node *n, const char *fmt, ...) WEFT_PRINTF(3, 4);
  // Notes a candidate that was left, and why. The same reason (the format text) is counted once a node.
  void (*skipped)(weft_pass_run *r, const weft_node *n, const char *fmt, ...) WEFT_PRINTF(3, 4);
  // Adds a node before `at`, with its origin, connects and infers it. Inputs must be made before `at`.
  // Without a name in `use` one is made from at's.
  weft_status (*add)(weft_pass_run *r, weft_node *at, const char *type, const weft_use *use,
                     weft_value *const *in, size_t n_in, weft_node **out);
  // A constant: copied into the graph.
  weft_value *(*constant)(weft_pass_run *r, weft_graph *g, const char *stem, const weft_tensor *t);
  // Why `by` cannot stand for `v`: dtype, kind, shape or format differ (ND may stand for NCHW where all
  // operators are weft's own), v knows more of its shape than can be carried over, nothing uses v, or v is an
  // output of the root graph, which keeps its name, and `by` is an input or another
  // output. NULL: it can. The text lives until the next call.
  const char *(*refuse)(weft_pass_run *r, const weft_value *v, const weft_value *by);
  // Lets all users of `v` and the graph's outputs use `by`; E_DIFFERENT with the text of `refuse` when that
  // has one. `by` takes over v's name where v is an output or `by` was made by a pass. What nothing uses
  // afterwards is removed with all that only it used: nodes without side effects at once, constants at the
  // end of the pass.
  weft_status (*replace)(weft_pass_run *r, weft_value *v, weft_value *by);
  const char *(*option)(weft_pass_run *r, const char *name);  // of the compile call; NULL: not given
  // ---- the graph (weft/graph.h), for packages, which link against nothing ----
  weft_node *(*graph_first)(const weft_graph *g);
  weft_node *(*node_next)(const weft_node *n);
  const weft_op_desc *(*node_desc)(const weft_node *n);
  const char *(*node_type)(const weft_node *n);
  weft_value *(*node_in)(const weft_node *n, uint32_t i);
  weft_value *(*node_out)(const weft_node *n, uint32_t i);
  weft_node *(*value_node)(const weft_value *v, uint32_t *out_index);
  size_t (*value_n_uses)(const weft_value *v);  // by nodes; being a graph output is not one
  bool (*value_is_output)(const weft_value *v);
  void (*value_desc)(const weft_value *v, weft_tensor_desc *out);  // the members of weft 0.1
  const weft_tensor *(*value_data)(const weft_value *v);
} weft_pass_host;
// A run begins with the pointer to its services: a package reaches them without linking against anything.
static inline const weft_pass_host *weft_pass_services(const weft_pass_run *r) {
  return *(const weft_pass_host *const *)(const void *)r;
}

// ---- running passes over a graph ----
typedef struct weft_pass_report {  // one line of the report
  const char *pass, *node;  // node "": of the pass as a whole
  bool skipped;
  const char *text;
} weft_pass_report;
typedef struct weft_optimize_options {  // all zero is the default: every pass
  uint32_t size;
  // "name=value" pairs, in order: a pass name with 0 or 1 switches it; "passes=0" switches all off;
  // "passes-seed=N" switches a random half off; "passes-limit=N" stops after N changes (for bisecting);
  // "PASS.NAME=VALUE" is an option of a pass. Unknown names are E_NOT_FOUND with the nearest known name.
  const char *const *options;
  size_t n_options;
  void (*report)(void *ctx, const weft_pass_report *line);
  void *report_ctx;
  // Called after each pass that changed something, with its number: for dumps. A failure stops.
  weft_status (*after)(void *ctx, unsigned number, const char *pass, const weft_graph *g);
  void *after_ctx;
  // verifier and inference after each pass that changed something: checked builds always; otherwise inference
  // where a rewrite made something known, and the verifier at the end
  bool verify_each;
} weft_optimize_options;
typedef struct weft_optimize_summary {
  uint32_t size;
  size_t nodes_before, nodes_after;
  size_t changes, skipped;
  // nodes, counted each time a pass or a walk between passes comes to one: the work, in a unit
  uint64_t looked_at;
} weft_optimize_summary;
// Infers the graph when it is not yet, runs the passes of `stages` (bits 1 << WEFT_PASS_*; 0: all), leaves it
// sorted, inferred and verified. Changes the graph; the values of its inputs and outputs keep their names and
// descriptions.
WEFT_API WEFT_MUST weft_status weft_graph_optimize(weft_graph *g, unsigned stages,
                                                   const weft_optimize_options *o, weft_optimize_summary *out,
                                                   weft_diag *d);
// The passes there are, in order, a package's included; NULL at the end.
WEFT_API const weft_pass *weft_pass_at(weft_env *e, size_t i);
#ifdef __cplusplus
}
#endif
// SPDX-License-Identifier: Apache-2.0
