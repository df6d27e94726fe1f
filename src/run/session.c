// session.c - graphs by number and their pools of execs. One lock guards the list of entries, the counts and
// the lists of idle execs; it is never held while something is compiled, planned, run or freed. An entry
// lives as long as it is in the list or a run uses it (users); the session waits for its busy runs before it
// goes. Idle execs are a stack: the one used last has the warmest memory and is lent first. A run costs two
// turns of the lock and a bisection over the numbers beside the run itself.
#include "weft/session.h"
#include "base/allocated.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/base.h"
#include "base/process.h"
#include "run/run.h"

enum { EXECS_DEFAULT = 8, EXECS_MAX = 4096 };

typedef struct entry {
  uint32_t id;
  bool removed;
  weft_program *program;
  weft_exec **idle;  // room for max_execs
  uint32_t n_idle, n_made;
  uint32_t users;
} entry;

struct weft_session {
  weft_allocator alloc;
  weft_exec_options exec;
  uint32_t max_execs;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  WEFT_VEC(entry *) entries;  // by rising id
  uint64_t busy;              // runs, over all entries
  weft_states *states;
  unsigned process;  // that it works in (weft__process)
};

// After a fork nobody runs in the child but the thread that forked, and whoever held the lock is not here.
// Execs that were lent to runs stay lent: they are in the middle of something.
static void session_settle_here(weft_session *s) {
  const unsigned here = weft__process();
  if (s->process == here)
    return;
  s->process = here;
  weft__states_settle(s->states);
  pthread_mutex_init(&s->lock, NULL);
  pthread_cond_init(&s->changed, NULL);
  s->busy = 0;
  for (size_t i = 0; i < s->entries.n; i++) {
    entry *e = s->entries.v[i];
    e->users = 0;
    e->n_made = e->n_idle;
  }
}

static void session_lock(weft_session *s) {
  session_settle_here(s);
  pthread_mutex_lock(&s->lock);
}

weft_status weft_session_create(weft_env *e, const weft_session_options *o, weft_session **out,
                                weft_diag *d) {
  WEFT_NEED(d, out);
  *out = NULL;
  WEFT_NEED(d, e);
  weft_session_options own = {0};
  WEFT_SIZED_IN(&own, o, exec);
  if (own.max_execs > EXECS_MAX)
    return weft_fail(d, WEFT_E_LIMIT, "max_execs is %u, at most %d are possible", own.max_execs, EXECS_MAX);
  weft_session *s = weft__alloc(&e->alloc, sizeof *s, _Alignof(weft_session));
  WEFT_TRY(weft__allocated(s, d));
  memset(s, 0, sizeof *s);
  s->alloc = e->alloc;
  s->process = weft__process();
  s->max_execs = own.max_execs ? own.max_execs : EXECS_DEFAULT;
  WEFT_SIZED_IN(&s->exec, own.exec, streams_always);
  if (pthread_mutex_init(&s->lock, NULL)) {
    weft__free(&e->alloc, s, sizeof *s, _Alignof(weft_session));
    return weft_fail(d, WEFT_E_NOMEM, "the system has no mutex for a session");
  }
  if (pthread_cond_init(&s->changed, NULL)) {
    pthread_mutex_destroy(&s->lock);
    weft__free(&e->alloc, s, sizeof *s, _Alignof(weft_session));
    return weft_fail(d, WEFT_E_NOMEM, "the system has no condition variable for a session");
  }
  weft_status status = weft__states_create(e, &s->states, d);
  if (status)
    weft_session_destroy(s);
  else
    *out = s;
  return status;
}

static void free_entry(const weft_session *s, entry *e) {
  const weft_allocator *a = &s->alloc;
  for (uint32_t i = 0; i < e->n_idle; i++)
    weft_exec_destroy(e->idle[i]);
  weft__free(a, e->idle, s->max_execs * sizeof *e->idle, 16);
  weft_program_release(e->program);
  weft__free(a, e, sizeof *e, _Alignof(entry));
}

void weft_session_destroy(weft_session *s) {
  if (!s)
    return;
  session_lock(s);
  while (s->busy)
    pthread_cond_wait(&s->changed, &s->lock);
  pthread_mutex_unlock(&s->lock);
  for (size_t i = 0; i < s->entries.n; i++)
    free_entry(s, s->entries.v[i]);
  WEFT_VEC_FREE(&s->alloc, s->entries);
  weft__states_destroy(s->states);
  pthread_cond_destroy(&s->changed);
  pthread_mutex_destroy(&s->lock);
  weft_allocator a = s->alloc;
  weft__free(&a, s, sizeof *s, _Alignof(weft_session));
}

static weft_status session_given(const weft_session *s, weft_diag *d) {
  if (s)
    return WEFT_OK;
  return weft_fail(d, WEFT_E_STATE, "there is no session: weft_session_create comes first");
}

static weft_status not_found(uint32_t id, weft_diag *d) {
  return weft_fail(d, WEFT_E_NOT_FOUND, "the session has no graph %u", id);
}

// The place of the first entry whose number is not below id.
static size_t session_place_of(const weft_session *s, uint32_t id) {
  size_t lo = 0;
  size_t hi = s->entries.n;
  while (lo < hi) {
    size_t mid = lo + (hi - lo) / 2;
    if (s->entries.v[mid]->id < id)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

static entry *session_find(const weft_session *s, uint32_t id) {
  size_t at = session_place_of(s, id);
  return at < s->entries.n && s->entries.v[at]->id == id ? s->entries.v[at] : NULL;
}

static bool insert(weft_session *s, entry *e) {
  if (!WEFT_VEC_ROOM(&s->alloc, s->entries))
    return false;
  size_t at = session_place_of(s, e->id);
  memmove(&s->entries.v[at + 1], &s->entries.v[at], (s->entries.n - at) * sizeof *s->entries.v);
  s->entries.v[at] = e;
  s->entries.n++;
  return true;
}

weft_status weft_session_add(weft_session *s, uint32_t id, weft_program *p, weft_diag *d) {
  WEFT_TRY(session_given(s, d));
  WEFT_NEED(d, p);
  entry *e = weft__alloc(&s->alloc, sizeof *e, _Alignof(entry));
  weft_exec **idle = weft__alloc(&s->alloc, s->max_execs * sizeof *e->idle, 16);
  if (!e || !idle) {
    weft__free(&s->alloc, e, sizeof *e, _Alignof(entry));
    weft__free(&s->alloc, idle, s->max_execs * sizeof *e->idle, 16);
    return weft_fail(d, WEFT_E_NOMEM, "out of memory");
  }
  *e = (entry){.id = id, .program = p, .idle = idle};
  weft_program_retain(p);
  session_lock(s);
  const entry *old = session_find(s, id);
  weft_status status = WEFT_OK;
  if (old) {
    status = weft_fail(d, WEFT_E_EXISTS, "the session has a graph %u already: '%s'", id,
                       weft_program_name(old->program));
  } else {
    status = weft__states_join(s->states, p, d);
    if (!status && !insert(s, e))
      status = weft_fail(d, WEFT_E_NOMEM, "out of memory");
  }
  pthread_mutex_unlock(&s->lock);
  if (status)
    free_entry(s, e);
  return status;
}

weft_status weft_session_remove(weft_session *s, uint32_t id, weft_diag *d) {
  WEFT_TRY(session_given(s, d));
  session_lock(s);
  entry *e = session_find(s, id);
  bool last = false;
  if (e) {
    size_t at = session_place_of(s, id);
    memmove(&s->entries.v[at], &s->entries.v[at + 1], (--s->entries.n - at) * sizeof *s->entries.v);
    e->removed = true;
    last = !e->users;
  }
  pthread_mutex_unlock(&s->lock);
  if (last)
    free_entry(s, e);
  return e ? WEFT_OK : not_found(id, d);
}

weft_program *weft_session_program(weft_session *s, uint32_t id) {
  if (!s)
    return NULL;
  session_lock(s);
  const entry *e = session_find(s, id);
  weft_program *p = e ? e->program : NULL;
  weft_program_retain(p);
  pthread_mutex_unlock(&s->lock);
  return p;
}

weft_states *weft_session_states(weft_session *s) {
  return s ? s->states : NULL;
}

size_t weft_session_count(weft_session *s) {
  if (!s)
    return 0;
  session_lock(s);
  size_t n = s->entries.n;
  pthread_mutex_unlock(&s->lock);
  return n;
}

// ---- runs ----
// *out_exec: an idle one, which is taken at once; NULL: none is, or NULL is given for it.
static weft_status enter(weft_session *s, uint32_t id, entry **out, weft_exec **out_exec, weft_diag *d) {
  session_lock(s);
  entry *e = session_find(s, id);
  if (e) {
    e->users++;
    s->busy++;
  }
  if (out_exec)
    *out_exec = e && e->n_idle ? e->idle[--e->n_idle] : NULL;
  pthread_mutex_unlock(&s->lock);
  *out = e;
  return e ? WEFT_OK : not_found(id, d);
}

// The last use of a removed entry, and the last use of the session by this run; `x` is idle again, NULL for
// none.
static void session_leave(weft_session *s, entry *e, weft_exec *x) {
  session_lock(s);
  if (x)
    e->idle[e->n_idle++] = x;
  if (!--e->users && e->removed) {
    pthread_mutex_unlock(&s->lock);
    free_entry(s, e);
    session_lock(s);
  }
  s->busy--;
  pthread_cond_broadcast(&s->changed);
  pthread_mutex_unlock(&s->lock);
}

static weft_status lend(weft_session *s, entry *e, weft_exec **out, weft_diag *d) {
  *out = NULL;
  session_lock(s);
  while (!e->n_idle && e->n_made >= s->max_execs)
    pthread_cond_wait(&s->changed, &s->lock);
  if (e->n_idle)
    *out = e->idle[--e->n_idle];
  else
    e->n_made++;
  pthread_mutex_unlock(&s->lock);
  if (*out)
    return WEFT_OK;
  weft_status status = weft__exec_create(e->program, &s->exec, s->states, out, d);
  if (!status)
    return status;
  session_lock(s);
  e->n_made--;
  pthread_cond_broadcast(&s->changed);
  pthread_mutex_unlock(&s->lock);
  return status;
}

// Which graph failed says nothing of a session that has one.
static void session_note(weft_session *s, uint32_t id, weft_diag *d) {
  session_lock(s);
  const bool several = s->entries.n > 1;
  pthread_mutex_unlock(&s->lock);
  if (several)
    weft_note(d, "in graph %u of the session", id);
}

static void give_back(weft_session *s, entry *e, weft_exec *x) {
  session_lock(s);
  e->idle[e->n_idle++] = x;
  pthread_cond_broadcast(&s->changed);
  pthread_mutex_unlock(&s->lock);
}

static weft_status session_run(weft_session *s, entry *e, const weft_tensor *const *in, size_t n_in,
                               weft_tensor *const *out, size_t n_out, weft_diag *d) {
  weft_exec *x;
  weft_status status = lend(s, e, &x, d);
  if (!status) {
    status = weft_exec_run(x, in, n_in, out, n_out, d);
    give_back(s, e, x);
  }
  if (status)
    session_note(s, e->id, d);
  return status;
}

// As a rule one is idle: two locks, of a run that may take less time than they do.
weft_status weft_session_run(weft_session *s, uint32_t id, const weft_tensor *const *in, size_t n_in,
                             weft_tensor *const *out, size_t n_out, weft_diag *d) {
  entry *e;
  weft_exec *x;
  weft_status status;
  WEFT_TRY(session_given(s, d));
  WEFT_TRY(enter(s, id, &e, &x, d));
  if (x) {
    status = weft_exec_run(x, in, n_in, out, n_out, d);
    if (status)
      session_note(s, id, d);
  } else {
    status = session_run(s, e, in, n_in, out, n_out, d);
  }
  session_leave(s, e, x);
  return status;
}

// ---- runs on a thread of their own ----
// state: whoever comes second - the run that ends, or the caller that gives a function - does the rest.
enum { RUNNING, FINISHED, HANDED_OVER };
struct weft_pending {
  weft_allocator alloc;
  weft_session *session;
  entry *entry;
  pthread_t thread;
  pid_t process;  // that its thread is in
  atomic_int state;
  weft_done_fn done;
  void *ctx;
  weft_status status;
  weft_diag diag;
  size_t n_in, n_out, bytes;
  const weft_tensor **in;
  weft_tensor **out;
};

static void free_pending(weft_pending *p) {
  weft_allocator a = p->alloc;
  weft__free(&a, p, p->bytes, 16);
}

// In a child of the process that started it, a run neither goes on nor ends.
static bool stayed_behind(weft_pending *p) {
  if (p->process == getpid())
    return false;
  weft_diag_clear(&p->diag);
  p->status = weft_fail(&p->diag, WEFT_E_STATE,
                        "the run goes on in process %ld, which started it: this one was forked from it since",
                        (long)p->process);
  return true;
}

static void *run_pending(void *arg) {
  weft_pending *p = arg;
  weft_session *s = p->session;
  entry *e = p->entry;
  p->status = session_run(s, e, p->in, p->n_in, p->out, p->n_out, &p->diag);
  int state = RUNNING;
  if (!atomic_compare_exchange_strong(&p->state, &state, FINISHED)) {
    p->done(p->ctx, p->status, &p->diag);
    free_pending(p);
  }
  session_leave(s, e, NULL);
  return NULL;
}

weft_status weft_session_run_async(weft_session *s, uint32_t id, const weft_tensor *const *in, size_t n_in,
                                   weft_tensor *const *out, size_t n_out, weft_pending **out_pending,
                                   weft_diag *d) {
  entry *e;
  size_t n;
  size_t bytes;
  WEFT_NEED(d, out_pending);
  *out_pending = NULL;
  WEFT_TRY(session_given(s, d));
  WEFT_NEED_LIST(d, in, n_in);
  WEFT_NEED_LIST(d, out, n_out);
  if (n_in > SIZE_MAX - n_out || !weft_mul_size(n_in + n_out, sizeof(void *), &n) ||
      n > SIZE_MAX - sizeof(weft_pending))
    return weft_fail(d, WEFT_E_OVERFLOW, "%zu inputs and %zu outputs", n_in, n_out);
  WEFT_TRY(enter(s, id, &e, NULL, d));
  bytes = sizeof(weft_pending) + n;
  weft_pending *p = weft__alloc(&s->alloc, bytes, 16);
  if (!p) {
    session_leave(s, e, NULL);
    return weft_fail(d, WEFT_E_NOMEM, "out of memory");
  }
  memset(p, 0, bytes);
  p->alloc = s->alloc;
  p->session = s;
  p->entry = e;
  p->bytes = bytes;
  p->process = getpid();
  p->n_in = n_in;
  p->n_out = n_out;
  p->in = (const weft_tensor **)(p + 1);
  p->out = (weft_tensor **)(p + 1) + n_in;
  if (n_in)
    memcpy((void *)p->in, (const void *)in, n_in * sizeof *in);
  if (n_out)
    memcpy((void *)p->out, (const void *)out, n_out * sizeof *out);
  atomic_init(&p->state, RUNNING);
  int error = pthread_create(&p->thread, NULL, run_pending, p);
  if (!error)
    return *out_pending = p, WEFT_OK;
  free_pending(p);
  session_leave(s, e, NULL);
  return weft_fail(d, WEFT_E_LIMIT, "no thread for a run of graph %u (error %d)", id, error);
}

bool weft_pending_finished(const weft_pending *p) {
  if (!p)
    return false;
  return atomic_load(&p->state) == FINISHED || p->process != getpid();
}

weft_status weft_pending_wait(weft_pending *p, weft_diag *d) {
  if (!p)
    return weft_fail(d, WEFT_E_STATE, "there is no run to wait for");
  if (!stayed_behind(p))
    pthread_join(p->thread, NULL);
  weft_status s = p->status;
  if (s)
    weft_fail(d, s, "%s", p->diag.text);
  free_pending(p);
  return s;
}

void weft_pending_then(weft_pending *p, weft_done_fn fn, void *ctx) {
  if (!p || !fn)
    return;
  if (stayed_behind(p)) {
    fn(ctx, p->status, &p->diag);
    free_pending(p);
    return;
  }
  pthread_t thread = p->thread;
  int state = RUNNING;
  p->done = fn;
  p->ctx = ctx;
  if (atomic_compare_exchange_strong(&p->state, &state, HANDED_OVER)) {
    pthread_detach(thread);
    return;
  }
  pthread_join(thread, NULL);
  fn(ctx, p->status, &p->diag);
  free_pending(p);
}
// SPDX-License-Identifier: Apache-2.0
