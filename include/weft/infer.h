// weft/infer.h - inference over a whole graph: one topological walk that finds dtype, shape, range, format
// and small constant values together. Writes into the graph's values; running it again starts over.
#pragma once
#include "weft/graph.h"
#include "weft/limits.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef struct weft_infer_options {  // all zero is the default
  uint32_t size;
  uint32_t max_value_elems;  // known values up to this many elements are evaluated; 0: 1024
  bool no_values;            // do not evaluate known values
  bool keep_going;           // go on after a failed node, to report every failure
  weft_report_fn report;     // each thing that could not be inferred, with the cause; and each failure
  void *report_ctx;
  const weft_limits *limits;  // tighter ones than the environment's; NULL: those
} weft_infer_options;
typedef struct weft_infer_summary {
  // values: all dims known; some unknown; rank unknown
  size_t n_nodes, n_values, n_static, n_dynamic, n_unknown;
  size_t n_known_values;   // evaluated during inference
  size_t n_failed;         // nodes (keep_going)
  bool dynamic;            // some value has an unknown dim
} weft_infer_summary;
// Refuses incomplete operators and unconnected inputs before any inference function is called, and stops at
// the first failing node unless keep_going. `out` may be NULL. Shapes declared by the model are checked.
// E_LIMIT and E_CANCELLED: weft/limits.h. What is known of values has a bound of its own: 64 MiB in all.
WEFT_API WEFT_MUST weft_status weft_graph_infer(weft_graph *g, const weft_infer_options *o,
                                                weft_infer_summary *out, weft_diag *d);
// Why is this value not fully known: the chain back to the first missing fact. "" when it is known.
WEFT_API WEFT_MUST weft_status weft_value_why(const weft_value *v, weft_write_fn write, void *ctx);
// Multiplications and additions of a convolution, a matrix product (of integers, too), attention (of the keys
// in a query's band, whatever a mask says) or a recurrent layer, from the inferred shapes; bias, scaling and
// every other operator count
// 0. A node with sub-graphs: one run of each.
// -1: a dim is not known.
WEFT_API int64_t weft_node_flops(const weft_node *n);
#ifdef __cplusplus
}
#endif
// SPDX-License-Identifier: Apache-2.0
