// weft/state.h - tensors that live from one run to the next: counters, parameters that are trained, running
// statistics, caches. A graph names them, a session (or an exec that is used alone) keeps them.
//
//   weft_value *n = weft_graph_state(g, "n", &zero, WEFT_CONST_COPY, d);       // i32[]{0}
//   weft_graph_op1(g, "AssignAdd", "count", (weft_value *[]){n, one}, 2, &now, d);
//   weft_graph_output(g, now, d);
//   weft_session_add_graph(s, 0, g, NULL, d);
//   weft_session_run(s, 0, NULL, 0, (weft_tensor *[]){&out}, 1, d);            // 1, and then 2, 3, ...
//   weft_states *st = weft_session_states(s);
//   weft_states_read(st, "n", &out, d);                                        // what it is now
//   weft_states_reset(st, NULL, d);                                            // all begin again
//
// docs/state.md. In a graph a state is a node `Variable`. Who reads it reads what was last assigned before
// the reader in the order of the nodes (weft_graph_sort: control edges, otherwise the order in which they
// were added); graph outputs read at the end. An operator with an output of the name of an input (Assign,
// AssignAdd, ScatterUpdate, ApplyMomentumD) assigns that output to the state that it was given there. What
// is assigned is kept when a run has succeeded: a run that fails or is cancelled leaves every state as it
// was.
#pragma once
#include "weft/graph.h"
#ifdef __cplusplus
extern "C" {
#endif

// ---- in a graph ----
// Adds a state: a node `Variable` of that name, whose value is returned. `init` is what it holds before the
// first run: a constant "NAME.init" (how: WEFT_CONST_*). Its dtype and shape are the state's. NULL and a
// message on failure (E_DUPLICATE, E_NOMEM), whose status is d->status. Only in a root graph.
WEFT_API weft_value *weft_graph_state(weft_graph *g, const char *name, const weft_tensor *init, int how,
                                      weft_diag *d);
// Assigns v to the state: adds a node `Assign`, after all nodes that are there. E_INVALID: `state` is no
// value of a Variable.
WEFT_API WEFT_MUST weft_status weft_graph_state_set(weft_graph *g, weft_value *state, weft_value *v,
                                                    weft_diag *d);
// Makes the graph functional: each state becomes an input and an output behind those of the caller, which
// the functions of weft/graph.h do not count. weft_compile does it first; a second call does nothing. The
// graph must be inferred again. E_UNSUPPORTED names a node that assigns in a sub-graph, or changes an input
// that it does not give as an output.
WEFT_API WEFT_MUST weft_status weft_graph_states_out(weft_graph *g, weft_diag *d);
// The same for programs that have no states (ONNX): plain inputs NAME and outputs NAME.new, for the caller to
// hand on; what they begin with is in notes "weft.state.NAME". Nothing is kept between runs afterwards.
WEFT_API WEFT_MUST weft_status weft_graph_states_plain(weft_graph *g, weft_diag *d);

// ---- between runs ----
// The states of a session or of an exec. Any thread may use it at any time: runs that write a state, and the
// functions below, wait for each other; runs that only read one do not.
typedef struct weft_states weft_states;

WEFT_API size_t weft_states_count(weft_states *s);  // 0 of NULL
// Of state i, in the order in which programs brought them: name, dtype and the shape that it has now. The
// name lives as long as `s`. False: i is outside.
WEFT_API bool weft_states_at_sized(weft_states *s, size_t i, weft_tensor_desc *out, size_t out_bytes);
static inline bool weft_states_at(weft_states *s, size_t i, weft_tensor_desc *out) {  // with sizeof
  return weft_states_at_sized(s, i, out, sizeof *out);
}
// Copies what a state holds into an initialised tensor, which is the caller's. E_NOT_FOUND lists the names.
WEFT_API WEFT_MUST weft_status weft_states_read(weft_states *s, const char *name, weft_tensor *out,
                                                weft_diag *d);
// Copies a tensor into a state. E_NOT_FOUND, E_DTYPE, E_SHAPE.
WEFT_API WEFT_MUST weft_status weft_states_write(weft_states *s, const char *name, const weft_tensor *t,
                                                 weft_diag *d);
// Lets a state, or all of them (name NULL), hold again what it began with. E_NOT_FOUND.
WEFT_API WEFT_MUST weft_status weft_states_reset(weft_states *s, const char *name, weft_diag *d);
// All states as a .safetensors file, which is there whole or not at all. E_IO, E_DTYPE (texts).
WEFT_API WEFT_MUST weft_status weft_states_save(weft_states *s, const char *path, weft_diag *d);
// Writes the tensors of a .safetensors file into the states of their names. Nothing is written unless each
// state is in the file with its dtype and shape; tensors of other names do not matter. E_NOT_FOUND, E_DTYPE,
// E_SHAPE, and what reading a file may say.
WEFT_API WEFT_MUST weft_status weft_states_load(weft_states *s, const char *path, weft_diag *d);
#ifdef __cplusplus
}
#endif
// SPDX-License-Identifier: Apache-2.0
