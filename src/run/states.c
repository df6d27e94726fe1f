// states.c - what programs keep between runs (weft/state.h). A run reads `now` and writes `next`, and they
// change places when it has succeeded; or it changes some places of `now` and notes what was there
// (in_place.c). So a run that fails leaves everything as it was. `next` has memory from the first run on that
// writes it; a run of states that are there allocates nothing. One lock guards who uses which state; it is
// never held while something runs or is copied.
#include "base/allocated.h"
#include "base/process.h"
#include "run/run.h"

#include <pthread.h>

typedef struct weft__state {
  char *name;
  weft_program *of;          // who brought it, retained: `first` is a constant of it
  const weft_tensor *first;  // what it begins with
  weft_tensor now, next;     // now: points at the data of `first` until somebody may write
  bool writable;             // `now` has memory of its own
  bool writing;
  uint32_t readers;
} weft__state;

struct weft_states {
  weft_env *env;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  WEFT_VEC(weft__state *) list;
  unsigned process;
};

void weft__states_settle(weft_states *s) {
  const unsigned here = weft__process();
  if (!s || s->process == here)
    return;
  s->process = here;
  pthread_mutex_init(&s->lock, NULL);
  pthread_cond_init(&s->changed, NULL);
  for (size_t i = 0; i < s->list.n; i++) {
    s->list.v[i]->readers = 0;
    s->list.v[i]->writing = false;
  }
}

static void states_lock(weft_states *s) {
  weft__states_settle(s);
  pthread_mutex_lock(&s->lock);
}

static void states_unlock(weft_states *s) {
  pthread_cond_broadcast(&s->changed);
  pthread_mutex_unlock(&s->lock);
}

// ---- making and destroying ----
weft_status weft__states_create(weft_env *e, weft_states **out, weft_diag *d) {
  *out = NULL;
  weft_states *s = weft__alloc(&e->alloc, sizeof *s, _Alignof(weft_states));
  WEFT_TRY(weft__allocated(s, d));
  memset(s, 0, sizeof *s);
  s->env = e;
  s->process = weft__process();
  if (pthread_mutex_init(&s->lock, NULL)) {
    weft__free(&e->alloc, s, sizeof *s, _Alignof(weft_states));
    return weft_fail(d, WEFT_E_NOMEM, "the system has no mutex for states");
  }
  if (pthread_cond_init(&s->changed, NULL)) {
    pthread_mutex_destroy(&s->lock);
    weft__free(&e->alloc, s, sizeof *s, _Alignof(weft_states));
    return weft_fail(d, WEFT_E_NOMEM, "the system has no condition variable for states");
  }
  return *out = s, WEFT_OK;
}

static void states_free_one(const weft_allocator *a, weft__state *t) {
  weft_tensor_deinit(&t->now);
  weft_tensor_deinit(&t->next);
  if (t->name)
    weft__free(a, t->name, strlen(t->name) + 1, 1);
  weft_program_release(t->of);
  weft__free(a, t, sizeof *t, _Alignof(weft__state));
}

void weft__states_destroy(weft_states *s) {
  if (!s)
    return;
  const weft_allocator a = s->env->alloc;
  for (size_t i = 0; i < s->list.n; i++)
    states_free_one(&a, s->list.v[i]);
  WEFT_VEC_FREE(&a, s->list);
  pthread_cond_destroy(&s->changed);
  pthread_mutex_destroy(&s->lock);
  weft__free(&a, s, sizeof *s, _Alignof(weft_states));
}

// ---- states of programs ----
static weft__state *states_find(const weft_states *s, const char *name) {
  for (size_t i = 0; i < s->list.n; i++) {
    if (!strcmp(s->list.v[i]->name, name))
      return s->list.v[i];
  }
  return NULL;
}

static weft_status states_add(weft_states *s, weft_program *p, const weft__program_state *of,
                              weft__state **out, weft_diag *d) {
  const weft_allocator *a = &s->env->alloc;
  const size_t bytes = strlen(of->in->name) + 1;
  const weft_tensor *first = weft_value_data(of->first);
  *out = NULL;
  if (!first)
    return weft_fail(d, WEFT_E_NOMEM, "state '%s': no memory for what it begins with", of->in->name);
  weft__state *t = weft__alloc(a, sizeof *t, _Alignof(weft__state));
  WEFT_TRY(weft__allocated(t, d));
  memset(t, 0, sizeof *t);
  weft_tensor_init(&t->now, a);
  weft_tensor_init(&t->next, a);
  t->name = weft__alloc(a, bytes, 1);
  if (t->name)
    memcpy(t->name, of->in->name, bytes);
  if (!t->name || !WEFT_VEC_ROOM(a, s->list)) {
    states_free_one(a, t);
    return weft_fail(d, WEFT_E_NOMEM, "out of memory");
  }
  weft_program_retain(p);
  t->of = p;
  t->first = first;
  t->now = *first;
  t->now.owned = 0;
  t->now.alloc = *a;
  s->list.v[s->list.n++] = *out = t;
  return WEFT_OK;
}

// Memory of its own, before the first run that writes.
static weft_status states_make_writable(weft_states *s, weft__state *t, weft_diag *d) {
  weft_tensor own;
  if (t->writable)
    return WEFT_OK;
  weft_tensor_init(&own, &s->env->alloc);
  weft_status status = weft_tensor_copy(&own, &t->now, d);
  if (status) {
    weft_tensor_deinit(&own);
    weft_note(d, "while making room for state '%s'", t->name);
    return status;
  }
  t->now = own;
  t->writable = true;
  return WEFT_OK;
}

static bool states_is_like(const weft_tensor *a, const weft_tensor *b) {
  return a->dtype == b->dtype && weft_shape_equal(&a->layout.origin, &b->layout.origin);
}

static weft_status states_differ(const weft__state *t, const weft_tensor *is, const char *who, weft_diag *d) {
  char a[256];
  char b[256];
  return weft_fail(d, WEFT_E_INVALID,
                   "state '%s' is %s%s in graph '%s' and %s%s in graph '%s': graphs of a session share "
                   "states of the same name",
                   t->name, weft_dtype_name(t->first->dtype),
                   weft_shape_text(&t->first->layout.origin, NULL, a, sizeof a), weft_program_name(t->of),
                   weft_dtype_name(is->dtype), weft_shape_text(&is->layout.origin, NULL, b, sizeof b), who);
}

static weft_status states_join_one(weft_states *s, weft_program *p, const weft__program_state *of,
                                   weft_diag *d) {
  weft__state *t = states_find(s, of->in->name);
  if (!t)
    WEFT_TRY(states_add(s, p, of, &t, d));
  else if (!states_is_like(t->first, of->first->fact.value))
    return states_differ(t, of->first->fact.value, weft_program_name(p), d);
  while (of->written && !t->writable && (t->readers || t->writing))
    pthread_cond_wait(&s->changed, &s->lock);
  return of->written ? states_make_writable(s, t, d) : WEFT_OK;
}

weft_status weft__states_join(weft_states *s, weft_program *p, weft_diag *d) {
  weft_status status = WEFT_OK;
  if (!p->n_states)
    return WEFT_OK;
  states_lock(s);
  for (uint32_t i = 0; i < p->n_states && !status; i++) {
    const weft__state *t = states_find(s, p->state[i].in->name);
    if (t && !states_is_like(t->first, p->state[i].first->fact.value))
      status = states_differ(t, p->state[i].first->fact.value, weft_program_name(p), d);
  }
  for (uint32_t i = 0; i < p->n_states && !status; i++)
    status = states_join_one(s, p, &p->state[i], d);
  states_unlock(s);
  return status;
}

// ---- execs ----
weft_status weft__exec_bind_states(weft_exec *x, weft_states *kept, weft_diag *d) {
  weft__bound_states *b = &x->states;
  weft_program *p = x->program;
  weft_arena *a = &x->s.mem;
  b->kept = kept;
  if (!kept) {
    WEFT_TRY(weft__states_create(p->env, &b->kept, d));
    b->own = true;
    WEFT_TRY(weft__states_join(b->kept, p, d));
  }
  if (!p->n_states)
    return WEFT_OK;
  b->of = WEFT_NEW_N(a, weft__state *, p->n_states);
  b->by_output = WEFT_NEW_N(a, weft__state *, p->n_states);
  b->in = WEFT_NEW_N(a, const weft_tensor *, x->fn->n_in);
  b->out = WEFT_NEW_N(a, weft_tensor *, (size_t)x->fn->n_out + 1);
  WEFT_TRY(weft__allocated(b->of && b->by_output && b->in && b->out, d));
  states_lock(b->kept);
  for (uint32_t i = 0; i < p->n_states; i++) {
    b->of[i] = states_find(b->kept, p->state[i].in->name);
    if (p->state[i].written)
      b->by_output[b->n_written++] = b->of[i];
  }
  states_unlock(b->kept);
  b->n = p->n_states;
  return WEFT_OK;
}

void weft__exec_free_states(weft_exec *x) {
  if (x->states.own)
    weft__states_destroy(x->states.kept);
}

weft_states *weft_exec_states(weft_exec *x) {
  return x ? x->states.kept : NULL;
}

// ---- runs ----
static bool states_free_for(const weft__state *t, bool write) {
  return !t->writing && !(write && t->readers);
}

static bool states_free_for_run(const weft_exec *x) {
  for (uint32_t i = 0; i < x->states.n; i++) {
    if (!states_free_for(x->states.of[i], x->program->state[i].written))
      return false;
  }
  return true;
}

static void states_use(weft__state *t, bool write) {
  if (write)
    t->writing = true;
  else
    t->readers++;
}

static void states_leave(weft__state *t, bool write) {
  if (write)
    t->writing = false;
  else
    t->readers--;
}

// All at once, so that two runs never wait for each other.
weft_status weft__exec_take_states(weft_exec *x, const weft_tensor *const *in, weft_tensor *const *out,
                                   weft_diag *d) {
  weft__bound_states *b = &x->states;
  const weft_program *p = x->program;
  (void)d;
  states_lock(b->kept);
  while (!states_free_for_run(x))
    pthread_cond_wait(&b->kept->changed, &b->kept->lock);
  for (uint32_t i = 0; i < b->n; i++)
    states_use(b->of[i], p->state[i].written);
  pthread_mutex_unlock(&b->kept->lock);
  for (uint32_t i = 0; i < p->n_in; i++)
    b->in[i] = in[i];
  for (uint32_t i = 0; i < b->n; i++)
    b->in[p->n_in + i] = &b->of[i]->now;
  for (uint32_t i = 0; i < p->n_out; i++)
    b->out[i] = out[i];
  for (uint32_t i = 0; i < b->n_written; i++)
    b->out[p->n_out + i] = &b->by_output[i]->next;
  return WEFT_OK;
}

weft_tensor *weft__exec_state(const weft_exec *x, uint32_t k) {
  return &x->states.by_output[k - x->program->n_out]->now;
}

// Did the run that ends change it where it lies? Output `k` is its new value.
static bool states_is_in_place(const weft_exec *x, uint32_t k) {
  return x->hot && x->hot->in_place && x->hot->in_place[k];
}

static weft_status states_check_written(const weft_exec *x, weft_diag *d) {
  const weft__bound_states *b = &x->states;
  for (uint32_t i = 0; i < b->n_written; i++) {
    const weft__state *t = b->by_output[i];
    char was[256];
    char is[256];
    if (states_is_in_place(x, x->program->n_out + i) || states_is_like(&t->next, t->first))
      continue;
    return weft_fail(
        d, WEFT_E_SHAPE, "state '%s' is %s%s, the run assigns %s%s: it stays as it was", t->name,
        weft_dtype_name(t->first->dtype), weft_shape_text(&t->first->layout.origin, NULL, was, sizeof was),
        weft_dtype_name(t->next.dtype), weft_shape_text(&t->next.layout.origin, NULL, is, sizeof is));
  }
  return WEFT_OK;
}

weft_status weft__exec_keep_states(weft_exec *x, weft_status status, weft_diag *d) {
  const weft__bound_states *b = &x->states;
  if (!status)
    status = states_check_written(x, d);
  if (x->hot)
    weft__in_place_end(x->hot, status != WEFT_OK);
  states_lock(b->kept);
  for (uint32_t i = 0; i < b->n_written && !status; i++) {
    weft__state *t = b->by_output[i];
    if (states_is_in_place(x, x->program->n_out + i))
      continue;
    const weft_tensor was = t->now;
    t->now = t->next;
    t->next = was;
  }
  for (uint32_t i = 0; i < b->n; i++)
    states_leave(b->of[i], x->program->state[i].written);
  states_unlock(b->kept);
  return status;
}

// ---- from outside ----
weft_env *weft__states_env(const weft_states *s) {
  return s->env;
}

size_t weft_states_count(weft_states *s) {
  if (!s)
    return 0;
  states_lock(s);
  size_t n = s->list.n;
  pthread_mutex_unlock(&s->lock);
  return n;
}

bool weft_states_at_sized(weft_states *s, size_t i, weft_tensor_desc *out, size_t out_bytes) {
  if (!s || !out)
    return false;
  weft_tensor_desc own;
  weft_desc_init(&own);
  states_lock(s);
  const weft__state *t = i < s->list.n ? s->list.v[i] : NULL;
  if (t) {
    own.name = t->name;
    own.dtype = t->first->dtype;
    own.layout = t->first->layout;
    own.origin_format = t->first->origin_format;
    own.format = t->first->format;
  }
  pthread_mutex_unlock(&s->lock);
  if (t)
    weft__sized_fill(out, out_bytes, &own, sizeof own);
  return t != NULL;
}

static weft_status states_unknown(const weft_states *s, const char *name, weft_diag *d) {
  char text[512] = "none";
  size_t n = 0;
  for (size_t i = 0; i < s->list.n && n + 64 < sizeof text; i++)
    weft__append(text, sizeof text, &n, "%s'%.100s'", i ? ", " : "", s->list.v[i]->name);
  return weft_fail(d, WEFT_E_NOT_FOUND, "there is no state '%.200s'; there are: %s", name, text);
}

// Finds a state and waits until it may be used.
static weft_status states_begin(weft_states *s, const char *name, bool write, weft__state **out,
                                weft_diag *d) {
  states_lock(s);
  weft__state *t = states_find(s, name);
  while (t && !states_free_for(t, write))
    pthread_cond_wait(&s->changed, &s->lock);
  weft_status status = WEFT_OK;
  if (t)
    states_use(t, write);
  else
    status = states_unknown(s, name, d);
  pthread_mutex_unlock(&s->lock);
  *out = t;
  return status;
}

static void states_end(weft_states *s, weft__state *t, bool write) {
  states_lock(s);
  states_leave(t, write);
  states_unlock(s);
}

weft_status weft_states_read(weft_states *s, const char *name, weft_tensor *out, weft_diag *d) {
  WEFT_NEED(d, s);
  WEFT_NEED(d, name);
  WEFT_NEED(d, out);
  weft__state *t;
  WEFT_TRY(states_begin(s, name, false, &t, d));
  weft_status status = weft_tensor_copy(out, &t->now, d);
  states_end(s, t, false);
  return status;
}

static weft_status states_fill(weft_states *s, weft__state *t, const weft_tensor *from, weft_diag *d) {
  char a[256];
  char b[256];
  if (from->kind != WEFT_KIND_TENSOR || from->dtype != t->first->dtype) {
    return weft_fail(d, WEFT_E_DTYPE, "state '%s' is %s, the tensor is %s", t->name,
                     weft_dtype_name(t->first->dtype), weft_dtype_serial(from->dtype));
  }
  if (!weft_shape_equal(&from->layout.origin, &t->first->layout.origin)) {
    return weft_fail(d, WEFT_E_SHAPE, "state '%s' has shape %s, the tensor %s", t->name,
                     weft_shape_text(&t->first->layout.origin, NULL, a, sizeof a),
                     weft_shape_text(&from->layout.origin, NULL, b, sizeof b));
  }
  WEFT_TRY(states_make_writable(s, t, d));
  return weft_tensor_copy_plain(&t->now, from, d);
}

weft_status weft_states_write(weft_states *s, const char *name, const weft_tensor *from, weft_diag *d) {
  WEFT_NEED(d, s);
  WEFT_NEED(d, name);
  WEFT_NEED(d, from);
  weft__state *t;
  WEFT_TRY(states_begin(s, name, true, &t, d));
  weft_status status = states_fill(s, t, from, d);
  states_end(s, t, true);
  return status;
}

weft_status weft_states_reset(weft_states *s, const char *name, weft_diag *d) {
  WEFT_NEED(d, s);
  weft_tensor_desc desc = {.size = sizeof desc};
  weft_status status = WEFT_OK;
  for (size_t i = 0; !name && !status && weft_states_at(s, i, &desc); i++)
    status = weft_states_reset(s, desc.name, d);
  if (!name)
    return status;
  weft__state *t;
  WEFT_TRY(states_begin(s, name, true, &t, d));
  if (t->writable)
    status = states_fill(s, t, t->first, d);
  states_end(s, t, true);
  return status;
}
// SPDX-License-Identifier: Apache-2.0
