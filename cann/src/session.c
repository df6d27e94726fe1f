// session.c - sessions by number. A graph is lowered when it is added, so that what is wrong with it comes
// out there, and compiled when it is first built or run; weft's own session (weft/session.h) runs it. Whoever
// works with a session holds it; destroying one waits for them.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"

typedef struct ge_graph {
  uint32_t id;
  uint32_t run_id;  // in weft's session: a number that was removed and added again is another graph there
  weft_ge_source source;
  weft_ge_options options;
  pthread_mutex_t building;
  weft_graph *lowered;  // until it is compiled
  bool compiled;
  bool removed;
  uint32_t users;
  struct ge_graph *next;
} ge_graph;

typedef struct ge_session {
  uint64_t id;
  weft_env *env;
  weft_session *runs;
  weft_ge_options options;
  ge_graph *graphs;
  uint32_t last_run_id;
  uint32_t users;
  bool closing;
  struct ge_session *next;
} ge_session;

// Sessions, their graphs and the counts of users are changed with the lock; a graph that is compiled has a
// lock of its own.
static struct ge_sessions {
  pthread_mutex_t lock;
  pthread_cond_t idle;
  ge_session *first;
  uint64_t last_id;
} sessions = {.lock = PTHREAD_MUTEX_INITIALIZER, .idle = PTHREAD_COND_INITIALIZER};

static ge_session **session_slot(uint64_t id) {
  ge_session **at = &sessions.first;
  while (*at && (*at)->id != id)
    at = &(*at)->next;
  return at;
}

static ge_graph **graph_slot(ge_session *s, uint32_t id) {
  ge_graph **at = &s->graphs;
  while (*at && (*at)->id != id)
    at = &(*at)->next;
  return at;
}

static ge_session *session_hold(uint64_t id, weft_diag *d) {
  pthread_mutex_lock(&sessions.lock);
  ge_session *s = *session_slot(id);
  if (s && s->closing)
    s = NULL;
  if (s)
    s->users++;
  pthread_mutex_unlock(&sessions.lock);
  if (!s) {
    (void)weft_fail(d, WEFT_E_STATE,
                    "there is no such session: it was made before GEInitialize, or could not be made");
  }
  return s;
}

static void session_let(ge_session *s) {
  pthread_mutex_lock(&sessions.lock);
  if (!--s->users)
    pthread_cond_broadcast(&sessions.idle);
  pthread_mutex_unlock(&sessions.lock);
}

static void graph_free(ge_graph *g) {
  weft_graph_destroy(g->lowered);
  if (g->source.release)
    g->source.release(g->source.ctx);
  weft__ge_options_free(g->options);
  pthread_mutex_destroy(&g->building);
  free(g);
}

static ge_graph *graph_hold(ge_session *s, uint32_t id, weft_diag *d) {
  pthread_mutex_lock(&sessions.lock);
  ge_graph *g = *graph_slot(s, id);
  if (g)
    g->users++;
  pthread_mutex_unlock(&sessions.lock);
  if (!g)
    (void)weft_fail(d, WEFT_E_NOT_FOUND, "the session has no graph %u: AddGraph comes first", id);
  return g;
}

static void graph_let(ge_graph *g) {
  pthread_mutex_lock(&sessions.lock);
  bool last = !--g->users;
  pthread_mutex_unlock(&sessions.lock);
  if (last)
    graph_free(g);
}

static void session_free(ge_session *s) {
  weft_session_destroy(s->runs);
  while (s->graphs) {
    ge_graph *g = s->graphs;
    s->graphs = g->next;
    graph_let(g);
  }
  weft__ge_options_free(s->options);
  weft_ge_env_give(s->env);
  free(s);
}

static weft_status session_make(weft_ge_options options, weft_ge_package_fn package, ge_session **out,
                                weft_diag *d) {
  if (!weft__ge_is_initialized(WEFT_GE_SESSIONS))
    return weft_fail(d, WEFT_E_STATE, "a session needs GEInitialize first");
  WEFT_TRY(weft__ge_options_check(options, "Session", false, d));
  ge_session *s = calloc(1, sizeof *s);
  if (!s)
    return weft_fail(d, WEFT_E_NOMEM, "out of memory for a session");
  bool copied;
  s->options = weft__ge_options_copy(options, &copied);
  s->env = copied ? weft_ge_env_take(package, d) : NULL;
  weft_status status = copied ? WEFT_OK : weft_fail(d, WEFT_E_NOMEM, "out of memory for a session's options");
  if (!status)
    status = s->env ? weft_session_create(s->env, NULL, &s->runs, d) : d->status;
  if (status)
    return session_free(s), status;
  *out = s;
  return WEFT_OK;
}

uint64_t weft_ge_session_create(weft_ge_options options, weft_ge_package_fn package) {
  weft_diag d = {0};
  ge_session *s = NULL;
  weft_status status = session_make(options, package, &s, &d);
  if (status)
    return (void)weft_ge_failed(&d), 0;
  pthread_mutex_lock(&sessions.lock);
  s->id = ++sessions.last_id;
  s->next = sessions.first;
  sessions.first = s;
  uint64_t id = s->id;
  pthread_mutex_unlock(&sessions.lock);
  return id;
}

void weft_ge_session_destroy(uint64_t session) {
  pthread_mutex_lock(&sessions.lock);
  ge_session *s = *session_slot(session);
  if (s && !s->closing) {
    s->closing = true;
    while (s->users)
      pthread_cond_wait(&sessions.idle, &sessions.lock);
    *session_slot(session) = s->next;
  } else {
    s = NULL;
  }
  pthread_mutex_unlock(&sessions.lock);
  if (s)
    session_free(s);
}

// ---- graphs ----
static weft_status graph_make(ge_session *s, uint32_t id, weft_ge_source source, weft_ge_options options,
                              ge_graph **out, weft_diag *d) {
  ge_graph *g = calloc(1, sizeof *g);
  bool copied;
  weft_ge_options copy = weft__ge_options_copy(options, &copied);
  if (!g || !copied || pthread_mutex_init(&g->building, NULL)) {
    weft__ge_options_free(copy);
    free(g);
    if (source.release)
      source.release(source.ctx);
    return weft_fail(d, WEFT_E_NOMEM, "out of memory for graph %u", id);
  }
  g->id = id;
  g->source = source;
  g->options = copy;
  g->users = 1;
  weft_status status = source.lower(source.ctx, s->env, NULL, 0, &g->lowered, d);
  if (status)
    return graph_free(g), status;
  *out = g;
  return WEFT_OK;
}

static weft_status graph_insert(ge_session *s, ge_graph *g, weft_diag *d) {
  pthread_mutex_lock(&sessions.lock);
  ge_graph **at = graph_slot(s, g->id);
  bool taken = *at != NULL;
  if (!taken) {
    g->run_id = ++s->last_run_id;
    *at = g;
  }
  pthread_mutex_unlock(&sessions.lock);
  if (!taken)
    return WEFT_OK;
  weft_status status =
      weft_fail(d, WEFT_E_EXISTS, "the session has a graph %u already: RemoveGraph(%u), or another number",
                g->id, g->id);
  graph_let(g);
  return status;
}

static weft_status session_add(ge_session *s, uint32_t id, weft_ge_source source, weft_ge_options options,
                               weft_diag *d) {
  ge_graph *g = NULL;
  WEFT_TRY(graph_make(s, id, source, options, &g, d));
  return graph_insert(s, g, d);
}

weft_status weft_ge_session_add(uint64_t session, uint32_t graph, weft_ge_source source,
                                weft_ge_options options) {
  weft_diag d = {0};
  weft_status status = weft__ge_options_check(options, "AddGraph", false, &d);
  ge_session *s = status ? NULL : session_hold(session, &d);
  if (!s) {
    if (source.release)
      source.release(source.ctx);
    return weft_ge_failed(&d);
  }
  status = session_add(s, graph, source, options, &d);
  session_let(s);
  if (!status)
    return WEFT_OK;
  weft_note(&d, "while adding graph %u", graph);
  return weft_ge_failed(&d);
}

static weft_status graph_remove(ge_session *s, uint32_t id, weft_diag *d) {
  pthread_mutex_lock(&sessions.lock);
  ge_graph **at = graph_slot(s, id);
  ge_graph *g = *at;
  if (g)
    *at = g->next;
  pthread_mutex_unlock(&sessions.lock);
  if (!g)
    return weft_fail(d, WEFT_E_NOT_FOUND, "the session has no graph %u to remove", id);
  weft_status status = WEFT_OK;
  pthread_mutex_lock(&g->building);
  g->removed = true;
  if (g->compiled)
    status = weft_session_remove(s->runs, g->run_id, d);
  pthread_mutex_unlock(&g->building);
  graph_let(g);
  return status;
}

weft_status weft_ge_session_remove(uint64_t session, uint32_t graph) {
  weft_diag d = {0};
  ge_session *s = session_hold(session, &d);
  if (!s)
    return weft_ge_failed(&d);
  weft_status status = graph_remove(s, graph, &d);
  session_let(s);
  return status ? weft_ge_failed(&d) : WEFT_OK;
}

// ---- building ----
// Does an input say nothing of itself? Then the tensors that come say it.
static bool graph_is_open(const weft_graph *g) {
  for (size_t i = 0; i < weft_graph_n_inputs(g); i++) {
    if (weft_value_dtype(weft_graph_input_at(g, i)) == WEFT_UNDEFINED)
      return true;
  }
  return false;
}

static weft_status graph_close(ge_session *s, ge_graph *g, const weft_tensor_desc *in, size_t n_in,
                               weft_diag *d) {
  if (!graph_is_open(g->lowered))
    return WEFT_OK;
  if (!n_in) {
    return weft_fail(
        d, WEFT_E_UNKNOWN,
        "graph %u has a Data without a description: update_input_desc_x, or build it with inputs", g->id);
  }
  weft_graph_destroy(g->lowered);
  g->lowered = NULL;
  return g->source.lower(g->source.ctx, s->env, in, n_in, &g->lowered, d);
}

static weft_status graph_compile(ge_session *s, ge_graph *g, const weft_tensor_desc *in, size_t n_in,
                                 weft_diag *d) {
  if (!g->lowered)
    WEFT_TRY(g->source.lower(g->source.ctx, s->env, NULL, 0, &g->lowered, d));
  WEFT_TRY(graph_close(s, g, in, n_in, d));
  const weft__ge_lists lists = {{g->options, s->options}, WEFT_GE_SESSIONS};
  weft_graph *given = g->lowered;
  g->lowered = NULL;
  weft_program *p;
  WEFT_TRY(weft__ge_compile(given, &lists, &p, d));
  weft_status status = weft_session_add(s->runs, g->run_id, p, d);
  weft_program_release(p);
  g->compiled = !status;
  return status;
}

static weft_status graph_build(ge_session *s, ge_graph *g, const weft_tensor_desc *in, size_t n_in,
                               weft_diag *d) {
  pthread_mutex_lock(&g->building);
  weft_status status = WEFT_OK;
  if (g->removed)
    status = weft_fail(d, WEFT_E_NOT_FOUND, "the graph was removed");
  else if (!g->compiled)
    status = graph_compile(s, g, in, n_in, d);
  pthread_mutex_unlock(&g->building);
  return status;
}

// The session and one of its graphs, for the time of a call.
typedef struct ge_use {
  ge_session *s;
  ge_graph *g;
  uint32_t id;
} ge_use;

static weft_status use_begin(ge_use *u, uint64_t session, uint32_t graph, weft_diag *d) {
  u->id = graph;
  u->s = session_hold(session, d);
  if (!u->s)
    return d->status;
  u->g = graph_hold(u->s, graph, d);
  if (u->g)
    return WEFT_OK;
  session_let(u->s);
  return d->status;
}

static weft_status use_end(const ge_use *u, weft_status status, weft_diag *d) {
  graph_let(u->g);
  session_let(u->s);
  if (!status)
    return WEFT_OK;
  weft_note(d, "in graph %u", u->id);
  return weft_ge_failed(d);
}

weft_status weft_ge_session_build(uint64_t session, uint32_t graph, const weft_tensor_desc *in, size_t n_in) {
  weft_diag d = {0};
  ge_use u;
  if (use_begin(&u, session, graph, &d))
    return weft_ge_failed(&d);
  return use_end(&u, graph_build(u.s, u.g, in, n_in, &d), &d);
}

weft_program *weft_ge_session_program(uint64_t session, uint32_t graph) {
  weft_diag d = {0};
  ge_use u;
  if (use_begin(&u, session, graph, &d)) {
    (void)weft_ge_failed(&d);
    return NULL;
  }
  weft_program *p = weft_session_program(u.s->runs, u.g->run_id);
  weft_status status =
      p ? WEFT_OK
        : weft_fail(&d, WEFT_E_STATE, "it is not compiled yet: CompileGraph or RunGraph comes first");
  (void)use_end(&u, status, &d);
  return p;
}

weft_status weft_ge_session_each(uint64_t session, bool (*see)(void *ctx, const weft_ge_source *source),
                                 void *ctx) {
  weft_diag d = {0};
  ge_session *s = session_hold(session, &d);
  if (!s)
    return weft_ge_failed(&d);
  pthread_mutex_lock(&sessions.lock);
  for (ge_graph *g = s->graphs; g; g = g->next) {
    if (!see(ctx, &g->source))
      break;
  }
  pthread_mutex_unlock(&sessions.lock);
  session_let(s);
  return WEFT_OK;
}

// ---- running ----
void weft_ge_outputs_free(weft_ge_outputs *out) {
  for (size_t i = 0; i < out->n; i++)
    weft_tensor_deinit(&out->list[i]);
  free(out->list);
  out->list = NULL;
  out->n = 0;
}

weft_status weft_ge_session_variable(uint64_t session, const char *name, weft_ge_outputs *out) {
  weft_diag d = {0};
  out->n = 0;
  out->list = NULL;
  ge_session *s = session_hold(session, &d);
  if (!s)
    return weft_ge_failed(&d);
  out->list = calloc(1, sizeof *out->list);
  weft_status status = out->list ? WEFT_OK : weft_fail(&d, WEFT_E_NOMEM, "out of memory");
  if (!status) {
    weft_tensor_init(&out->list[0], NULL);
    out->n = 1;
    status = weft_states_read(weft_session_states(s->runs), name, &out->list[0], &d);
  }
  session_let(s);
  if (status)
    weft_ge_outputs_free(out);
  return status;
}

// Empty tensors for a program's outputs, and pointers to them behind.
static weft_status outputs_make(ge_use *u, weft_ge_outputs *out, weft_tensor ***pointers, weft_diag *d) {
  weft_program *p = weft_session_program(u->s->runs, u->g->run_id);
  if (!p)
    return weft_fail(d, WEFT_E_NOT_FOUND, "the graph was removed");
  size_t n = weft_program_n_outputs(p);
  weft_program_release(p);
  out->list = calloc(n + 1, sizeof *out->list);
  *pointers = calloc(n + 1, sizeof **pointers);
  if (!out->list || !*pointers)
    return weft_fail(d, WEFT_E_NOMEM, "out of memory for %zu outputs", n);
  out->n = n;
  for (size_t i = 0; i < n; i++) {
    weft_tensor_init(&out->list[i], NULL);
    (*pointers)[i] = &out->list[i];
  }
  return WEFT_OK;
}

// What the tensors say of themselves, for a graph that is not compiled yet.
static weft_status run_build(ge_use *u, const weft_tensor *const *in, size_t n_in, weft_diag *d) {
  weft_tensor_desc *descs = calloc(n_in + 1, sizeof *descs);
  if (!descs)
    return weft_fail(d, WEFT_E_NOMEM, "out of memory for the descriptions of %zu inputs", n_in);
  for (size_t i = 0; i < n_in; i++)
    weft_tensor_describe(in[i], &descs[i]);
  weft_status status = graph_build(u->s, u->g, descs, n_in, d);
  free(descs);
  return status;
}

weft_status weft_ge_session_run(uint64_t session, uint32_t graph, const weft_tensor *const *in, size_t n_in,
                                weft_ge_outputs *out) {
  weft_diag d = {0};
  ge_use u;
  weft_tensor **pointers = NULL;
  out->list = NULL;
  out->n = 0;
  if (use_begin(&u, session, graph, &d))
    return weft_ge_failed(&d);
  weft_status status = run_build(&u, in, n_in, &d);
  if (!status)
    status = outputs_make(&u, out, &pointers, &d);
  if (!status)
    status = weft_session_run(u.s->runs, u.g->run_id, in, n_in, pointers, out->n, &d);
  free(pointers);
  if (status)
    weft_ge_outputs_free(out);
  return use_end(&u, status, &d);
}

typedef struct ge_async {
  ge_use use;
  weft_ge_outputs out;
  weft_ge_done_fn done;
  void *ctx;
} ge_async;

static void async_done(void *ctx, weft_status s, const weft_diag *d) {
  ge_async *a = ctx;
  if (s) {
    (void)weft_ge_failed(d);
    weft_ge_outputs_free(&a->out);
  }
  a->done(a->ctx, s, &a->out);
  weft_ge_outputs_free(&a->out);
  graph_let(a->use.g);
  session_let(a->use.s);
  free(a);
}

static weft_status async_start(ge_async *a, const weft_tensor *const *in, size_t n_in, weft_pending **out,
                               weft_diag *d) {
  weft_tensor **pointers = NULL;
  WEFT_TRY(run_build(&a->use, in, n_in, d));
  weft_status status = outputs_make(&a->use, &a->out, &pointers, d);
  if (!status)
    status = weft_session_run_async(a->use.s->runs, a->use.g->run_id, in, n_in, pointers, a->out.n, out, d);
  free(pointers);
  return status;
}

weft_status weft_ge_session_run_async(uint64_t session, uint32_t graph, const weft_tensor *const *in,
                                      size_t n_in, weft_ge_done_fn done, void *ctx) {
  weft_diag d = {0};
  ge_async *a = calloc(1, sizeof *a);
  if (!a)
    return weft_ge_failed((weft_fail(&d, WEFT_E_NOMEM, "out of memory for a run"), &d));
  a->done = done;
  a->ctx = ctx;
  if (use_begin(&a->use, session, graph, &d)) {
    free(a);
    return weft_ge_failed(&d);
  }
  weft_pending *pending = NULL;
  weft_status status = async_start(a, in, n_in, &pending, &d);
  if (!status) {
    weft_pending_then(pending, async_done, a);
    return WEFT_OK;
  }
  weft_ge_outputs_free(&a->out);
  status = use_end(&a->use, status, &d);
  free(a);
  return status;
}
// SPDX-License-Identifier: Apache-2.0
