// weft/session.h - programs by number, run from any thread: what a server or an application with several
// models keeps.
//
//   weft_session_create(env, NULL, &s, d);
//   weft_session_add_graph(s, 0, g, NULL, d);        // weft/compile.h; g is given away.  Or:
//   weft_session_add(s, 0, p, d);
//   weft_tensor in, out;
//   weft_tensor_init(&out, NULL);                    // no data: the run allocates them
//   weft_tensor_borrow(&in, WEFT_FLOAT, dims, 2, data, sizeof data, d);
//   weft_session_run(s, 0, (const weft_tensor *[]){&in}, 1, (weft_tensor *[]){&out}, 1, d);
//   use(weft_tensor_f32(&out));                      // the caller's, with or without the session
//   weft_tensor_deinit(&out);
//   weft_session_destroy(s);
//
// Every function may be called from any thread at any time, except create and destroy. A graph has a pool of
// execs (weft/run.h), one for each run that goes on at the same time; an exec is lent to a run and given back
// with its plans and its memory, so a run like one before allocates nothing. Which exec a run gets never
// changes its result.
#pragma once
#include "weft/run.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef struct weft_session weft_session;
typedef struct weft_session_options {  // all zero is the default
  uint32_t size;
  // of one graph: so many of its runs go on at once, others wait for one to end; 0: 8
  uint32_t max_execs;
  // of every exec, copied; its functions are called from several threads. NULL: default
  const weft_exec_options *exec;
} weft_session_options;
// The environment must outlive the session. E_NOMEM, E_LIMIT (max_execs over 4096).
WEFT_API WEFT_MUST weft_status weft_session_create(weft_env *e, const weft_session_options *o,
                                                   weft_session **out, weft_diag *d);
// Waits for the runs that go on, then frees everything but the callers' outputs. NULL allowed.
WEFT_API void weft_session_destroy(weft_session *s);

// Puts a program under a number; the session retains it. E_EXISTS: the number is taken.
WEFT_API WEFT_MUST weft_status weft_session_add(weft_session *s, uint32_t id, weft_program *p, weft_diag *d);
// Takes it out: later runs find nothing, runs that go on end as usual, and the last of them frees it. Does
// not wait. E_NOT_FOUND.
WEFT_API WEFT_MUST weft_status weft_session_remove(weft_session *s, uint32_t id, weft_diag *d);
// The program of a number, retained for the caller (weft_program_release): names, dtypes and shapes of inputs
// and outputs. NULL: no such number.
WEFT_API weft_program *weft_session_program(weft_session *s, uint32_t id);
WEFT_API size_t weft_session_count(weft_session *s);  // programs in it
// What its graphs keep from run to run, by name (weft/state.h): graphs with a state of the same name share
// it, and weft_session_add fails with E_INVALID, naming both, where dtype or shape differ. States stay when
// their graph is removed. They live as long as the session.
WEFT_API weft_states *weft_session_states(weft_session *s);  // NULL of NULL

// Runs a graph and returns when it is done; in, out and errors are those of weft_exec_run. E_NOT_FOUND: no
// such number; E_STATE: s is NULL. Waits while max_execs runs of the graph go on. After a failure everything
// can run again.
//
// An output's tensor may be an input of the next run: it is read where it lies. States that the graph names
// itself need no tensors of the caller's: weft/state.h.
WEFT_API WEFT_MUST weft_status weft_session_run(weft_session *s, uint32_t id, const weft_tensor *const *in,
                                                size_t n_in, weft_tensor *const *out, size_t n_out,
                                                weft_diag *d);

// The same without waiting, on a thread of its own. The lists are copied; the tensors are the run's until it
// is over. E_NOT_FOUND, E_NOMEM and E_LIMIT (no thread to be had) come at once, everything else from the run.
// A run that was started must be waited for, or given a function: once, one of the two.
typedef struct weft_pending weft_pending;
// Starts a run; *out_pending is what to wait for.
WEFT_API WEFT_MUST weft_status weft_session_run_async(weft_session *s, uint32_t id,
                                                      const weft_tensor *const *in, size_t n_in,
                                                      weft_tensor *const *out, size_t n_out,
                                                      weft_pending **out_pending, weft_diag *d);
WEFT_API bool weft_pending_finished(const weft_pending *p);  // waiting would return at once
// Gives the status of the run, and frees p. Allowed after the session is gone. NULL gives E_STATE.
WEFT_API WEFT_MUST weft_status weft_pending_wait(weft_pending *p, weft_diag *d);
// fn is called once when the run is over: on its thread, or here and now if it is over already; p is freed
// afterwards. fn must not destroy the session; `d` is read inside it only.
typedef void (*weft_done_fn)(void *ctx, weft_status s, const weft_diag *d);
WEFT_API void weft_pending_then(weft_pending *p, weft_done_fn fn, void *ctx);  // once
#ifdef __cplusplus
}
#endif
// SPDX-License-Identifier: Apache-2.0
