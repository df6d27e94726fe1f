// env.c - the environment and its registry. Prototypes that were registered live in one map by name. Those of
// built-in operators and of catalogue entries are made on first use under a lock and published atomically, so
// that finding is safe from any number of threads: making all 233 took a third of a small model's start.
#include <pthread.h>
#include <stdlib.h>

#include "base/told.h"
#include "base/allocated.h"
#include "base/file.h"
#include "base/plugins.h"
#include "base/pool.h"
#include "op/package.h"
#include "op/proto.h"
#include "op/air_rows.h"

const weft_allocator *weft_env_allocator(const weft_env *e) {
  if (!e)
    return NULL;
  return &e->alloc;
}
const weft_host *weft_env_host(const weft_env *e) {
  if (!e)
    return NULL;
  return &e->host;
}

void weft_env_log(const weft_env *e, int level, const char *fmt, ...) {
  if (!e)
    return;
  if (!e->options.log)
    return;
  char text[1024];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  e->options.log(e->options.log_ctx, level, text);
}

const char *weft__builtin_name(const weft_env *e, size_t i) {
  return i < weft__builtin_op_count ? weft__builtin_ops[i]->name : e->row[i - weft__builtin_op_count]->name;
}

// The rows of all tables in one list.
static weft_status list_rows(weft_env *e, weft_diag *d) {
  size_t n = 0;
  for (const weft__row *const *table = weft__builtin_rows; *table; table++) {
    for (const weft__row *row = *table; row->name; row++)
      n++;
  }
  e->row = weft__arena_array(&e->arena, n + 1, sizeof *e->row, _Alignof(void *));
  WEFT_TRY(weft__allocated(e->row, d));
  for (const weft__row *const *table = weft__builtin_rows; *table; table++) {
    for (const weft__row *row = *table; row->name; row++)
      e->row[e->n_rows++] = row;
  }
  return WEFT_OK;
}

// Names of built-in operators, and memory for the prototypes of those that are whole, which costs nothing
// until it is used: making one then cannot fail.
static weft_status list_builtin(weft_env *e, weft_diag *d) {
  enum { EACH = 3 << 10 };  // all of it less than makes a block of large pages
  size_t room = weft__builtin_op_count * (size_t)EACH;
  void *all = weft__arena_alloc(&e->builtin_arena, room, 16);
  if (all)
    weft__arena_trim(&e->builtin_arena, all, room, 0);
  WEFT_TRY(list_rows(e, d));
  size_t n = weft__builtin_op_count + e->n_rows;
  e->builtin = weft__arena_array(&e->arena, n + 1, sizeof *e->builtin, _Alignof(void *));
  if (!all || !e->builtin || weft__map_reserve(&e->builtin_name, &e->arena, n))
    return weft_fail(d, WEFT_E_NOMEM, "out of memory");
  for (uintptr_t i = 0; i < n; i++) {
    const char *name = weft__builtin_name(e, i);
    weft_status s = weft__map_add(&e->builtin_name, name, strlen(name), (void *)(i + 1));
    if (s == WEFT_E_EXISTS)
      return weft_fail(d, s, "built-in operator '%s' exists twice", name);
    if (s)
      return weft_fail(d, s, "out of memory");
  }
  return WEFT_OK;
}

static weft_status create_plugins(weft_env *e, weft_diag *d) {
  const char *folder = e->options.plugin_folder;
  e->plugins = weft__arena_array(&e->arena, WEFT__PLUGIN_COUNT, sizeof *e->plugins, _Alignof(void *));
  if (folder)
    e->options.plugin_folder = weft__arena_strdup(&e->arena, folder, strlen(folder));
  if (!e->plugins || (folder && !e->options.plugin_folder))
    return weft_fail(d, WEFT_E_NOMEM, "out of memory");
  if (weft__getenv_ignored("WEFT_PLUGIN_FOLDER")) {
    weft_env_log(e, WEFT_LOG_WARNING,
                 "WEFT_PLUGIN_FOLDER is not believed: the process has more rights than its user");
  }
  return WEFT_OK;
}

static weft_status create_parts(weft_env *e, weft_diag *d) {
  e->lock = weft__alloc(&e->alloc, sizeof(pthread_mutex_t), _Alignof(pthread_mutex_t));
  WEFT_TRY(weft__allocated(e->lock, d));
  if (pthread_mutex_init(e->lock, NULL)) {
    weft__free(&e->alloc, e->lock, sizeof(pthread_mutex_t), _Alignof(pthread_mutex_t));
    e->lock = NULL;
    return weft_fail(d, WEFT_E_NOMEM, "cannot create a mutex");
  }
  WEFT_TRY(create_plugins(e, d));
  if (!e->options.no_catalogue) {
    e->catalogue =
        weft__arena_array(&e->arena, weft__catalogue_count() + 1, sizeof *e->catalogue, _Alignof(void *));
    WEFT_TRY(weft__allocated(e->catalogue, d));
  }
  if (!e->options.no_builtin)
    WEFT_TRY(list_builtin(e, d));
  if (e->options.package_path)
    return weft_load_packages(e, e->options.package_path, d);
  static const char *const variables[] = {"WEFT_OPP_PATH", "ASCEND_CUSTOM_OPP_PATH"};
  for (size_t i = 0; i < WEFT_COUNT(variables); i++) {
    const char *roots = weft__getenv_trusted(variables[i]);
    if (roots)
      WEFT_TRY(weft_load_packages(e, roots, d));
    if (weft__getenv_ignored(variables[i])) {
      weft_env_log(e, WEFT_LOG_WARNING, "%s is not believed: the process has more rights than its user",
                   variables[i]);
    }
  }
  return WEFT_OK;
}

static weft_status read_machine(weft_env *e, weft_diag *d) {
  char strange[80];
  WEFT_TRY(weft__machine_read(e->options.isa, &e->machine, d));
  if (!e->options.isa && weft__machine_strange(strange, sizeof strange))
    weft_env_log(e, WEFT_LOG_WARNING, "the variable %s is not understood and changes nothing", strange);
  e->options.isa = NULL;  // the caller's text
  return WEFT_OK;
}

weft_status weft_env_create(const weft_env_options *o, weft_env **out, weft_diag *d) {
  WEFT_NEED(d, out);
  *out = NULL;
  weft_env_options options = {0};
  WEFT_SIZED_IN(&options, o, any_root);
  if (!options.allocator.fn)
    options.allocator = weft_allocator_default();
  weft_env *e = weft__alloc(&options.allocator, sizeof *e, _Alignof(weft_env));
  WEFT_TRY(weft__allocated(e, d));
  memset(e, 0, sizeof *e);
  e->alloc = options.allocator;
  e->options = options;
  e->limits = weft__limits_copy(options.limits);
  e->options.limits = &e->limits;
  weft__arena_init(&e->arena, &e->alloc);
  weft__arena_init(&e->builtin_arena, &e->alloc);
  weft__map_init(&e->ops, &e->alloc);
  weft__map_init(&e->builtin_name, &e->alloc);
  weft__host_fill(&e->host);
  e->host.machine = &e->machine;
  weft_status s = read_machine(e, d);
  if (!s)
    s = create_parts(e, d);
  if (s) {
    weft_env_destroy(e);
    return s;
  }
  *out = e;
  return WEFT_OK;
}

size_t weft__env_copy_most(const weft_env *e) {
  if (e->options.files == WEFT_FILES_MAP)
    return 0;
  return e->options.files == WEFT_FILES_COPY ? SIZE_MAX : WEFT__FILE_SMALL;
}

weft_pool *weft__env_pool(weft_env *e) {
  weft_pool *p = atomic_load_explicit(&e->pool, memory_order_acquire);
  if (p || e->options.threads == 1 || e->options.parallel)
    return p;
  pthread_mutex_lock(e->lock);
  p = atomic_load_explicit(&e->pool, memory_order_relaxed);
  if (!p && !weft__pool_create(&e->alloc, e->options.threads, &p, NULL))
    atomic_store_explicit(&e->pool, p, memory_order_release);
  pthread_mutex_unlock(e->lock);
  return p;
}

void weft_env_destroy(weft_env *e) {
  if (!e)
    return;
  weft__pool_destroy(atomic_load_explicit(&e->pool, memory_order_relaxed));
  weft__packages_close(e);
  WEFT_VEC_FREE(&e->alloc, e->packages);
  WEFT_VEC_FREE(&e->alloc, e->kernels);
  WEFT_VEC_FREE(&e->alloc, e->sorted);
  weft__map_deinit(&e->ops);
  weft__map_deinit(&e->builtin_name);
  weft__arena_deinit(&e->builtin_arena);
  weft__arena_deinit(&e->arena);
  if (e->lock) {
    pthread_mutex_destroy(e->lock);
    weft__free(&e->alloc, e->lock, sizeof(pthread_mutex_t), _Alignof(pthread_mutex_t));
  }
  weft_allocator a = e->alloc;
  weft__free(&a, e, sizeof *e, _Alignof(weft_env));
}

// ---- prototypes that are made on first use ----
typedef weft_status (*describe_fn)(weft_env *e, size_t i, const weft_op **out);

static weft_status describe_builtin(weft_env *e, size_t i, const weft_op **out) {
  if (i >= weft__builtin_op_count)
    return weft__row_op(e->row[i - weft__builtin_op_count], &e->builtin_arena, out);
  *out = weft__builtin_ops[i];
  return WEFT_OK;
}
static weft_status describe_catalogue(weft_env *e, size_t i, const weft_op **out) {
  return weft__catalogue_op(i, &e->arena, out);
}

// What a finder sees is published whole. NULL: out of memory, which no operator of ops/ with a file of its
// own can be.
static const weft_proto *made_locked(weft_env *e, _Atomic(const weft_proto *) *slot, describe_fn describe,
                                     size_t i, int source) {
  const weft_proto *p = atomic_load_explicit(slot, memory_order_relaxed);
  const weft_op *op;
  weft_proto *fresh;
  if (!p && !describe(e, i, &op) &&
      !weft__proto_make(e, op, source, source == WEFT_FROM_BUILTIN ? "built-in" : "catalogue", &fresh,
                        NULL)) {
    p = fresh;
    atomic_store_explicit(slot, p, memory_order_release);
  }
  return p;
}

static const weft_proto *made(const weft_env *e, _Atomic(const weft_proto *) *slot, describe_fn describe,
                              size_t i, int source) {
  const weft_proto *p = atomic_load_explicit(slot, memory_order_acquire);
  if (p)
    return p;
  weft_env *w = (weft_env *)(uintptr_t)e;
  pthread_mutex_lock(w->lock);
  p = made_locked(w, slot, describe, i, source);
  pthread_mutex_unlock(w->lock);
  return p;
}

static const weft_proto *from_builtin(const weft_env *e, size_t i) {
  return made(e, &e->builtin[i], describe_builtin, i, WEFT_FROM_BUILTIN);
}
static const weft_proto *from_catalogue(const weft_env *e, size_t i) {
  return made(e, &e->catalogue[i], describe_catalogue, i, WEFT_FROM_CATALOGUE);
}

// -1: none of this name.
static int64_t builtin_find(const weft_env *e, const char *name) {
  return (int64_t)(uintptr_t)weft__map_find(&e->builtin_name, name, strlen(name)) - 1;
}

static void log_proto(weft_env *e, const weft_proto *p) {
  if (*p->missing) {
    weft_env_log(e, WEFT_LOG_WARNING, "operator '%s' is incomplete for graphs: missing %s", p->name,
                 p->missing);
  }
  if (p->op->warning)
    weft_env_log(e, WEFT_LOG_WARNING, "operator '%s' of %s: %s", p->name, p->origin, p->op->warning);
}

// What only names itself so far is described now. NULL: that failed.
static const weft_proto *completed(weft_env *e, weft_proto *p) {
  pthread_mutex_lock(e->lock);
  bool first = atomic_load_explicit(&p->state, memory_order_relaxed) == WEFT__PROTO_NAMED;
  bool whole = first ? weft__proto_complete(e, p)
                     : atomic_load_explicit(&p->state, memory_order_relaxed) == WEFT__PROTO_WHOLE;
  pthread_mutex_unlock(e->lock);
  if (first && whole)
    log_proto(e, p);
  else if (first)
    weft_env_log(e, WEFT_LOG_WARNING, "operator '%s' of %s: %s", p->name, p->origin, p->missing);
  return whole ? p : NULL;
}
static const weft_proto *whole(const weft_env *e, const weft_proto *p) {
  if (!p || atomic_load_explicit(&p->state, memory_order_acquire) == WEFT__PROTO_WHOLE)
    return p;
  return completed((weft_env *)(uintptr_t)e, (weft_proto *)(uintptr_t)p);
}

// False: there is none of this name. *out is NULL when there is one that cannot be had: memory is lacking, or
// its description failed.
static bool find_registered(const weft_env *e, const char *name, const weft_proto **out) {
  const weft_proto *p = weft__map_find(&e->ops, name, strlen(name));
  *out = whole(e, p);
  if (p)
    return true;
  int64_t i = builtin_find(e, name);
  if (i >= 0)
    *out = from_builtin(e, (size_t)i);
  return *out || i >= 0;
}

static bool env_find(const weft_env *e, const char *name, const weft_proto **out) {
  if (find_registered(e, name, out))
    return true;
  int64_t i = e->catalogue ? weft__catalogue_find(name) : -1;
  if (i >= 0)
    *out = from_catalogue(e, (size_t)i);
  return i >= 0;
}

const weft_proto *weft_find(const weft_env *e, const char *name) {
  if (!e || !name)
    return NULL;
  const weft_proto *p;
  return env_find(e, name, &p) ? p : NULL;
}

// ---- registering ----
static bool is_strict(const weft_env *e, unsigned flags) {
  return (flags & WEFT_REGISTER_STRICT) || e->options.strict;
}

// Who wants to know that it is right has it described now.
static weft_status register_make(weft_env *e, const weft_op *op, int source, const char *origin,
                                 unsigned flags, weft_proto **out, weft_diag *d) {
  const bool knows = op->size >= offsetof(weft_op, describe) + sizeof op->describe;
  if (knows && op->describe) {
    WEFT_TRY(weft__proto_name(e, op, source, origin, out, d));
    if (!is_strict(e, flags))
      return WEFT_OK;
    if (!completed(e, *out))
      return weft_fail(d, WEFT_E_INVALID, "%s", (*out)->missing);
  } else {
    WEFT_TRY(weft__proto_make(e, op, source, origin, out, d));
    log_proto(e, *out);
  }
  const weft_proto *p = *out;
  if (is_strict(e, flags) && *p->missing)
    return weft_fail(d, WEFT_E_INCOMPLETE, "operator '%s' is incomplete: missing %s", p->name, p->missing);
  return WEFT_OK;
}

weft_status weft__register_as(weft_env *e, const weft_op *op, int source, const char *origin, unsigned flags,
                              weft_diag *d) {
  weft_proto *p;
  WEFT_TRY(weft__op_check(op, d));
  const weft_proto *old = weft__map_find(&e->ops, op->name, strlen(op->name));
  if (!old && find_registered(e, op->name, &old) && !old)
    return weft_fail(d, WEFT_E_NOMEM, "out of memory");
  if (old && old->source != WEFT_FROM_BUILTIN && old->source != WEFT_FROM_CATALOGUE)
    return weft_fail(d, WEFT_E_EXISTS, "operator '%s' is registered already, from %s", op->name, old->origin);
  WEFT_TRY(register_make(e, op, source, origin, flags, &p, d));
  if (*p->warnings && source == WEFT_FROM_PROGRAM)
    weft_env_log(e, WEFT_LOG_INFO, "operator '%s': %s", p->name, p->warnings);
  bool hides = old && old->source == WEFT_FROM_BUILTIN && source == WEFT_FROM_PACKAGE;
  if (hides) {
    weft_env_log(e, WEFT_LOG_WARNING, "operator '%s' from %s hides the built-in one, its kernels too",
                 p->name, origin);
  } else if (old)
    weft_env_log(e, WEFT_LOG_INFO, "operator '%s' from %s replaces the %s one", p->name, origin, old->origin);
  p->replaced = old;
  const char *key = old ? old->name : p->name;  // what is hidden stays when a package that hides it goes
  WEFT_TRY(weft__allocated(!weft__map_set(&e->ops, key, strlen(key), p), d));
  e->sorted.n = 0;
  return WEFT_OK;
}

weft_status weft_register(weft_env *e, const weft_op *op, unsigned flags, weft_diag *d) {
  WEFT_NEED(d, e);
  WEFT_NEED(d, op);
  return weft__told(weft__register_as(e, op, WEFT_FROM_PROGRAM, "program", flags, d), d);
}

weft_status weft_register_kernel(weft_env *e, const weft_kernel *k, weft_diag *d) {
  WEFT_NEED(d, e);
  WEFT_NEED(d, k);
  if (!k || k->size < sizeof *k || !k->op || !*k->op || !k->device || !*k->device || !k->name || !*k->name ||
      !k->run) {
    return weft_fail(d, WEFT_E_INVALID,
                     "a kernel needs its size, an operator, a device, a name and a function");
  }
  for (size_t i = 0; i < e->kernels.n; i++) {
    const weft_kernel *old = e->kernels.v[i];
    if (!strcmp(old->op, k->op) && !strcmp(old->device, k->device) && !strcmp(old->name, k->name)) {
      return weft_fail(d, WEFT_E_EXISTS, "kernel '%s' of operator '%s' on device '%s' is registered already",
                       k->name, k->op, k->device);
    }
  }
  WEFT_TRY(weft__allocated(WEFT_VEC_ROOM(&e->alloc, e->kernels), d));
  e->kernels.v[e->kernels.n++] = k;
  return WEFT_OK;
}

weft_status weft_unregister(weft_env *e, const char *name, weft_diag *d) {
  WEFT_NEED(d, e);
  WEFT_NEED(d, name);
  const weft_proto *p = weft__map_find(&e->ops, name, strlen(name));
  if (!p || p->source != WEFT_FROM_PROGRAM)
    return weft_fail(d, WEFT_E_NOT_FOUND, "operator '%s' was not registered by the program", name);
  e->sorted.n = 0;
  return weft__map_set(&e->ops, name, strlen(name),
                       (void *)(uintptr_t)p->replaced);  // no new key: cannot fail
}

weft_status weft_get(const weft_env *e, const char *name, const weft_proto **out, weft_diag *d) {
  WEFT_NEED(d, e);
  WEFT_NEED(d, name);
  WEFT_NEED(d, out);
  if (env_find(e, name, out)) {
    const weft_proto *failed = *out ? NULL : weft__map_find(&e->ops, name, strlen(name));
    if (failed)
      return weft_fail(d, WEFT_E_INVALID, "%s (of %s)", failed->missing, failed->origin);
    return *out ? WEFT_OK : weft_fail(d, WEFT_E_NOMEM, "no memory for operator '%s'", name);
  }
  const char *near = weft__op_nearest(e, name);
  weft_status s = weft_fail(d, WEFT_E_NOT_FOUND, "operator '%s' is not registered%s%s%s", name,
                            near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
  weft_note(d, "in the words of CANN's documents: 算子 %s 未注册", name);
  weft__note_roots(e, d);
  return s;
}

static int env_by_name(const void *a, const void *b) {
  return strcmp((*(const weft_proto *const *)a)->name, (*(const weft_proto *const *)b)->name);
}

// One whose description failed stands in the list, too: its name, and why.
static const weft_proto *whole_locked(weft_env *e, weft_proto *p) {
  if (atomic_load_explicit(&p->state, memory_order_relaxed) == WEFT__PROTO_NAMED)
    (void)weft__proto_complete(e, p);
  return p;
}

// The registered operators in name order, made again after a change.
static bool sort_locked(weft_env *e) {
  if (e->sorted.n)
    return true;
  for (size_t i = 0; i < e->builtin_name.n + e->ops.n; i++) {
    size_t k = i - e->builtin_name.n;  // among those registered
    const char *name = i < e->builtin_name.n ? weft__builtin_name(e, i) : NULL;
    if (name ? weft__map_find(&e->ops, name, strlen(name)) != NULL : !e->ops.entries[k].value)
      continue;
    const weft_proto *p = name ? made_locked(e, &e->builtin[i], describe_builtin, i, WEFT_FROM_BUILTIN)
                               : whole_locked(e, e->ops.entries[k].value);
    if (!p || !WEFT_VEC_ROOM(&e->alloc, e->sorted)) {
      e->sorted.n = 0;
      return false;
    }
    e->sorted.v[e->sorted.n++] = p;
  }
  if (e->sorted.n)
    qsort(e->sorted.v, e->sorted.n, sizeof *e->sorted.v, env_by_name);
  return true;
}

static bool sort_registered(weft_env *e) {
  pthread_mutex_lock(e->lock);
  bool ok = sort_locked(e);
  pthread_mutex_unlock(e->lock);
  return ok;
}

// How many operators of packages and of programs have names that weft's own have not; *both: how many of
// them, and of weft's own, stand in the catalogue, where that is asked for.
static size_t env_count(const weft_env *e, bool catalogue, size_t *both) {
  size_t n = e->builtin_name.n;
  *both = 0;
  for (size_t i = 0; catalogue && i < e->builtin_name.n; i++)
    *both += weft__catalogue_find(weft__builtin_name(e, i)) >= 0;
  for (size_t i = 0; i < e->ops.n; i++) {
    const weft_proto *p = e->ops.entries[i].value;
    if (!p || builtin_find(e, p->name) >= 0)
      continue;
    n++;
    *both += catalogue && weft__catalogue_find(p->name) >= 0;
  }
  return n;
}

size_t weft_proto_count(const weft_env *e, bool catalogue) {
  if (!e)
    return 0;
  size_t both;
  const bool with = catalogue && e->catalogue;
  const size_t n = env_count(e, with, &both);
  return with ? n + weft__catalogue_count() - both : n;
}

// Which comes first, a registered prototype or one of the catalogue, in the order of strcmp; 0: both have the
// name. A list that has ended comes last.
static int merge_order(const weft_env *e, size_t registered, size_t listed) {
  if (registered == e->sorted.n)
    return 1;
  if (listed == weft__catalogue_count())
    return -1;
  return strcmp(e->sorted.v[registered]->name, weft__catalogue_name(listed));
}

// Of two sorted lists merged into one. What stands in both is the registered one.
static const weft_proto *merged_proto_at(const weft_env *e, size_t i) {
  size_t registered = 0;
  size_t listed = 0;
  while (registered < e->sorted.n || listed < weft__catalogue_count()) {
    const int order = merge_order(e, registered, listed);
    if (!i)
      return order <= 0 ? e->sorted.v[registered] : from_catalogue(e, listed);
    i--;
    if (order <= 0)
      registered++;
    if (order >= 0)
      listed++;
  }
  return NULL;
}

const weft_proto *weft_proto_at(const weft_env *e, size_t i, bool catalogue) {
  if (!e)
    return NULL;
  if (!sort_registered((weft_env *)e))
    return NULL;
  if (!catalogue || !e->catalogue)
    return i < e->sorted.n ? e->sorted.v[i] : NULL;
  return merged_proto_at(e, i);
}
// SPDX-License-Identifier: Apache-2.0
