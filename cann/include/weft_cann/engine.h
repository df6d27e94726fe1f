// weft_cann/engine.h - what stands behind ge::Session and its kin, in C: one environment of weft's for the
// process, sessions by number, options, and the texts of errors and warnings. libweft_cann implements it on
// libweft's public functions; the classes of graph.h and session.h are inline over it, so that either setting
// of _GLIBCXX_USE_CXX11_ABI links. Users call those classes.
//
// Every function may be called from any thread. One that fails keeps its text for weft_ge_error of the same
// thread; warnings are kept for the process.
#pragma once
#include "weft/compile.h"
#include "weft/env.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef struct weft_ge_option {
  const char *key, *value;
} weft_ge_option;
typedef struct weft_ge_options {
  const weft_ge_option *list;
  size_t n;
} weft_ge_options;
// Of one shared object (weft_cann/package.h): makes its registrations a package.
typedef const weft_package *(*weft_ge_package_fn)(const weft_host *host);

// ---- the process ----
// What the process is initialised for: sessions, offline builds, or both.
enum { WEFT_GE_SESSIONS, WEFT_GE_BUILDS, WEFT_GE_USES };
// Options of GEInitialize or aclgrphBuildInitialize. Initialised already: a warning, and nothing changes.
WEFT_API WEFT_MUST weft_status weft_ge_initialize(int use, weft_ge_options options);
// E_STATE: not initialised. Sessions that are there go on.
WEFT_API WEFT_MUST weft_status weft_ge_finalize(int use);
// The environment, with the registrations of the caller's shared object in it; made by the first who needs
// it, destroyed when the last one gives it back. NULL on failure.
WEFT_API weft_env *weft_ge_env_take(weft_ge_package_fn package, weft_diag *d);
WEFT_API void weft_ge_env_give(weft_env *e);  // NULL allowed

// ---- texts ----
// Keeps what `d` says, and returns its status.
WEFT_API weft_status weft_ge_failed(const weft_diag *d);
WEFT_API void weft_ge_warn(const char *fmt, ...) WEFT_PRINTF(1, 2);
// The text that this thread keeps; "" where nothing failed since it was forgotten. Until the next call.
WEFT_API const char *weft_ge_error(void);
WEFT_API void weft_ge_forget_error(void);
// Hands the warnings over, a line each, cut to `bytes`, and forgets them. Gives their length; bytes 0: only
// that.
WEFT_API size_t weft_ge_take_warnings(char *text, size_t bytes);  // a line each; as many as were kept

// ---- sessions ----
// Where a session gets a graph from: `lower` makes weft's own form of it, with the descriptions of inputs
// where n_in is not 0. `release` is called once, when the session is done with it.
typedef struct weft_ge_source {
  void *ctx;
  weft_status (*lower)(void *ctx, weft_env *e, const weft_tensor_desc *in, size_t n_in, weft_graph **out,
                       weft_diag *d);
  void (*release)(void *ctx);
} weft_ge_source;
// The number of a new session; 0 on failure (not initialised, no memory).
WEFT_API uint64_t weft_ge_session_create(weft_ge_options options, weft_ge_package_fn package);
WEFT_API void weft_ge_session_destroy(uint64_t session);  // waits for its runs
// Takes the source over, also on failure. E_EXISTS: the number is taken.
WEFT_API WEFT_MUST weft_status weft_ge_session_add(uint64_t session, uint32_t graph, weft_ge_source source,
                                                   weft_ge_options options);
WEFT_API WEFT_MUST weft_status weft_ge_session_remove(uint64_t session, uint32_t graph);
// Compiles, where that is not done yet. n_in 0: with what the graph says of its inputs.
WEFT_API WEFT_MUST weft_status weft_ge_session_build(uint64_t session, uint32_t graph,
                                                     const weft_tensor_desc *in, size_t n_in);
// The compiled program, retained for the caller; NULL: not compiled, or no such graph.
WEFT_API weft_program *weft_ge_session_program(uint64_t session, uint32_t graph);
// Calls `see` with the source of every graph of a session, until it says false.
WEFT_API WEFT_MUST weft_status weft_ge_session_each(uint64_t session,
                                                    bool (*see)(void *ctx, const weft_ge_source *source),
                                                    void *ctx);
// Compiles where needed, and runs. The outputs are the caller's: weft_ge_outputs_free.
typedef struct weft_ge_outputs {
  weft_tensor *list;
  size_t n;
} weft_ge_outputs;
// What a Variable of the session's graphs holds now: a state of weft's session. E_NOT_FOUND: no graph that is
// compiled has it.
WEFT_API WEFT_MUST weft_status weft_ge_session_variable(uint64_t session, const char *name,
                                                        weft_ge_outputs *out);
WEFT_API WEFT_MUST weft_status weft_ge_session_run(uint64_t session, uint32_t graph,
                                                   const weft_tensor *const *in, size_t n_in,
                                                   weft_ge_outputs *out);
WEFT_API void weft_ge_outputs_free(weft_ge_outputs *out);
// The same on a thread of its own; inputs must stay until `done` was called, once. Fails at once, without
// calling it, where the graph cannot be compiled or no thread is to be had.
typedef void (*weft_ge_done_fn)(void *ctx, weft_status s, weft_ge_outputs *out);
WEFT_API WEFT_MUST weft_status weft_ge_session_run_async(uint64_t session, uint32_t graph,
                                                         const weft_tensor *const *in, size_t n_in,
                                                         weft_ge_done_fn done, void *ctx);
// ---- offline builds ----
// Compiles a graph, which is taken over as the sources of sessions are, and writes the program. Options that
// are not known are errors.
WEFT_API WEFT_MUST weft_status weft_ge_build(weft_ge_source source, weft_ge_options options,
                                             weft_ge_package_fn package, weft_write_fn write, void *ctx);
// "x:1,3,-1;y:4": gives inputs of a graph these shapes (-1 unknown, "2~8" a range); NULL or "": nothing.
WEFT_API WEFT_MUST weft_status weft_ge_set_shapes(weft_graph *g, const char *shapes, weft_diag *d);
#ifdef __cplusplus
}
#endif
// SPDX-License-Identifier: Apache-2.0
