// weft/interp.h - runs an inferred graph node by node with the reference kernels: the oracle. Slow, plain and
// right.
#pragma once
#include "weft/graph.h"
#include "weft/infer.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef struct weft_interp_options {
  uint32_t size;
  size_t memory_limit_bytes;  // 0: none; E_LIMIT names the node that would pass it. Outputs count, too
  // Called for every value a node produced.
  weft_status (*watch)(void *ctx, const weft_value *v, const weft_tensor *t);
  void *watch_ctx;
  // of memory, time, and a flag to stop, tighter than the environment's: weft/limits.h; NULL: those
  const weft_limits *limits;
} weft_interp_options;
// in[i] belongs to graph input i (borrowed); dtype, rank, known dims and ranges are checked before anything
// runs. out[i] belongs to graph output i: initialised here, owned by the caller afterwards, valid without the
// graph. The graph must have been inferred. The same shapes that inference found are checked on every node.
// States (weft/state.h) hold what they begin with, in every run; E_STATE: weft_graph_states_out comes first.
WEFT_API WEFT_MUST weft_status weft_interp_run(weft_graph *g, const weft_interp_options *o,
                                               const weft_tensor *const *in, size_t n_in, weft_tensor *out,
                                               size_t n_out, weft_diag *d);
#ifdef __cplusplus
}
#endif
// SPDX-License-Identifier: Apache-2.0
