// weft/compile.h - from a graph to a program: inference, passes, placement on devices. Kernels are chosen and
// memory is planned for the shapes that come, by an exec (weft/run.h) of the program.
//
//   weft_onnx_load(env, "model.onnx", &g, d);   weft_compile(g, NULL, &p, d);   // g is given away
#pragma once
#include "weft/pass.h"
#include "weft/program.h"
#include "weft/session.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef struct weft_compile_options {  // all zero is the default
  uint32_t size;
  // NULL: the CPU, where a reference kernel stands in for every kernel that is missing. A comma-separated
  // list in order of preference, "npusim,cpu": each node goes where the whole, copies between devices
  // included, is cheapest; "npusim!,cpu": npusim gets all that it can run. A node with the private attribute
  // _device goes there. Kernels, targets and tiling functions that operators declare are insisted on.
  const char *device;
  const char *const *options;  // "name=value": passes (weft/pass.h), and those that docs/compile.md lists
  size_t n_options;
  // reports and dumps of the passes (its own options are ignored); NULL: none
  const weft_optimize_options *passes;
  // Called when a stage begins, in this order: "infer", "optimize" (the passes), "place" (with `device`),
  // "verify", "lower". A failure stops.
  weft_status (*stage)(void *ctx, const char *name);
  void *stage_ctx;
  const weft_limits *limits;  // tighter ones than the environment's: weft/limits.h; NULL: those
} weft_compile_options;
// (No noun, as it is what weft is for.) The graph is given away, also on failure: passes change it, the
// program keeps it; it must not be used or destroyed afterwards. Every node that no device takes is reported
// with each candidate and its reason.
WEFT_API WEFT_MUST weft_status weft_compile(weft_graph *g, const weft_compile_options *o, weft_program **out,
                                            weft_diag *d);
// Compiles a graph, which is given away, and puts it into a session under a number: weft_session_add.
static inline WEFT_MUST weft_status weft_session_add_graph(weft_session *s, uint32_t id, weft_graph *g,
                                                           const weft_compile_options *o, weft_diag *d) {
  weft_program *p;
  WEFT_TRY(weft_compile(g, o, &p, d));
  weft_status status = weft_session_add(s, id, p, d);
  weft_program_release(p);
  return status;
}
#ifdef __cplusplus
}
#endif
// SPDX-License-Identifier: Apache-2.0
