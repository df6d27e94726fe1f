// engine.c - what the process has once: the environment, which sessions and graphs hold in turn, the options
// it was initialised with, and the texts of errors (a thread's own) and warnings (everybody's).
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"

enum { PACKAGES_MAX = 64, WARNING_BYTES = 16384 };

static struct engine_state {
  pthread_mutex_t lock;
  weft_env *env;
  uint32_t holders;  // of env
  bool initialized[WEFT_GE_USES];
  weft_ge_package_fn packages[PACKAGES_MAX];  // that env has
  size_t n_packages;
} engine = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct engine_warnings {
  pthread_mutex_t lock;
  size_t n;
  char text[WARNING_BYTES];
} warnings = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local weft_diag engine_error;

weft_status weft_ge_failed(const weft_diag *d) {
  engine_error = *d;
  return d->status ? d->status : WEFT_E_INVALID;
}

const char *weft_ge_error(void) {
  return engine_error.status ? engine_error.text : "";
}

void weft_ge_forget_error(void) {
  weft_diag_clear(&engine_error);
}

static void warning_line(const char *text) {
  size_t n = strlen(text);
  pthread_mutex_lock(&warnings.lock);
  if (warnings.n + n + 1 < sizeof warnings.text) {
    memcpy(warnings.text + warnings.n, text, n);
    warnings.n += n;
    warnings.text[warnings.n++] = '\n';
  }
  pthread_mutex_unlock(&warnings.lock);
}

void weft_ge_warn(const char *fmt, ...) {
  char text[1024];
  va_list args;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  warning_line(text);
}

size_t weft_ge_take_warnings(char *text, size_t bytes) {
  pthread_mutex_lock(&warnings.lock);
  size_t n = warnings.n;
  if (bytes) {
    if (n >= bytes)
      n = bytes - 1;
    memcpy(text, warnings.text, n);
    text[n] = 0;
    warnings.n = 0;
  }
  pthread_mutex_unlock(&warnings.lock);
  return n;
}

static void engine_log(void *ctx, int level, const char *text) {
  (void)ctx;
  if (level >= WEFT_LOG_WARNING)
    warning_line(text);
}

// A prototype without any function says nothing of an operator that is there already: programs repeat the
// prototypes of the operators that they use.
static bool engine_adds(const weft_op *op) {
  return op->infer || op->infer_dtype || op->infer_range || op->infer_value || op->ref || op->execute ||
         op->tile;
}

static weft_status engine_register(weft_env *e, const weft_op *op, weft_diag *d) {
  const weft_proto *known = weft_find(e, op->name);
  if (known && (weft_proto_source(known) == WEFT_FROM_PROGRAM || !engine_adds(op)))
    return WEFT_OK;
  return weft_register(e, op, 0, d);
}

static weft_status engine_register_package(weft_env *e, weft_ge_package_fn entry, weft_diag *d) {
  const weft_package *p = entry(weft_env_host(e));
  for (uint32_t s = 0; p && s < p->n_sections; s++) {
    const weft_section *section = &p->sections[s];
    if (section->kind != WEFT_SECTION_OP)
      continue;
    for (uint32_t i = 0; i < section->count; i++)
      WEFT_TRY(engine_register(e, ((const weft_op *const *)section->items)[i], d));
  }
  return WEFT_OK;
}

static weft_status engine_attach(weft_ge_package_fn entry, weft_diag *d) {
  for (size_t i = 0; i < engine.n_packages; i++) {
    if (engine.packages[i] == entry)
      return WEFT_OK;
  }
  if (engine.n_packages == PACKAGES_MAX)
    return weft_fail(d, WEFT_E_LIMIT, "more than %d shared objects register operators", PACKAGES_MAX);
  WEFT_TRY(engine_register_package(engine.env, entry, d));
  engine.packages[engine.n_packages++] = entry;
  return WEFT_OK;
}

// With the lock.
static void engine_drop(void) {
  if (--engine.holders)
    return;
  weft_env_destroy(engine.env);
  engine.env = NULL;
  engine.n_packages = 0;
}

static weft_status engine_hold(weft_ge_package_fn entry, weft_diag *d) {
  if (!engine.env) {
    weft_env_options o = {.size = sizeof o, .log = engine_log};
    WEFT_TRY(weft_env_create(&o, &engine.env, d));
  }
  engine.holders++;
  weft_status s = entry ? engine_attach(entry, d) : WEFT_OK;
  if (s)
    engine_drop();
  return s;
}

weft_env *weft_ge_env_take(weft_ge_package_fn package, weft_diag *d) {
  pthread_mutex_lock(&engine.lock);
  weft_status s = engine_hold(package, d);
  weft_env *e = s ? NULL : engine.env;
  pthread_mutex_unlock(&engine.lock);
  return e;
}

void weft_ge_env_give(weft_env *e) {
  pthread_mutex_lock(&engine.lock);
  if (e && e == engine.env)
    engine_drop();
  pthread_mutex_unlock(&engine.lock);
}

bool weft__ge_is_initialized(int use) {
  pthread_mutex_lock(&engine.lock);
  bool is = engine.initialized[use];
  pthread_mutex_unlock(&engine.lock);
  return is;
}

static const char *const initializers[WEFT_GE_USES] = {"GEInitialize", "aclgrphBuildInitialize"};
static const char *const finalizers[WEFT_GE_USES] = {"GEFinalize", "aclgrphBuildFinalize"};

weft_status weft_ge_initialize(int use, weft_ge_options options) {
  weft_diag d = {0};
  weft_status s = weft__ge_options_check(options, initializers[use], false, &d);
  pthread_mutex_lock(&engine.lock);
  bool again = engine.initialized[use];
  if (!again && !s)
    s = weft__ge_options_keep(use, options, &d);
  if (!again && !s)
    s = engine_hold(NULL, &d);
  if (!again && !s)
    engine.initialized[use] = true;
  pthread_mutex_unlock(&engine.lock);
  if (again)
    weft_ge_warn("%s: it was called before; its options of that time stand", initializers[use]);
  return s ? weft_ge_failed(&d) : WEFT_OK;
}

weft_status weft_ge_finalize(int use) {
  weft_diag d = {0};
  pthread_mutex_lock(&engine.lock);
  bool was = engine.initialized[use];
  if (was) {
    engine.initialized[use] = false;
    weft__ge_options_forget(use);
    engine_drop();
  }
  pthread_mutex_unlock(&engine.lock);
  if (was)
    return WEFT_OK;
  (void)weft_fail(&d, WEFT_E_STATE, "%s: %s was not called", finalizers[use], initializers[use]);
  return weft_ge_failed(&d);
}
// SPDX-License-Identifier: Apache-2.0
