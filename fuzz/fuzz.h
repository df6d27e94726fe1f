// fuzz.h - what the fuzz targets share: one environment a process, memory that is bounded and counted, and
// checks that stop at once. A target turns any bytes into calls; it fails by a sanitizer, by FUZZ_CHECK, or
// by memory that grows far beyond its input.
#pragma once
#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"
#include "base/plugins.h"
#include "weft/weft.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

enum { FUZZ_REFUSED, FUZZ_READ, FUZZ_COMPILED, FUZZ_RAN };
extern int fuzz_came_to;  // in fuzz_run.c

// mutate.c takes larger files.
#ifndef FUZZ_INPUT_BYTES
enum { FUZZ_INPUT_BYTES = 1 << 16, FUZZ_LIVE_BYTES = 48 << 20 };
#endif

#define FUZZ_CHECK(e, ...)                                              \
  do {                                                                  \
    if (!(e)) {                                                         \
      fprintf(stderr, "%s:%d: not true: %s: ", __FILE__, __LINE__, #e); \
      fprintf(stderr, __VA_ARGS__);                                     \
      fprintf(stderr, "\n");                                            \
      abort();                                                          \
    }                                                                   \
  } while (0)

// A failure must say why, and a success must say nothing.
#define FUZZ_CHECK_DIAG(st, diag)                                                                    \
  FUZZ_CHECK((st) ? (diag)->length > 0 && (diag)->status == (st) : !(diag)->length, "%s, '%s' (%s)", \
             weft_status_name(st), (diag)->text, weft_status_name((diag)->status))

// Bytes alive. More than `most` are refused, as by a full machine, or, where the input cannot rightly ask for
// so much, an error of the library.
typedef struct fuzz_memory {
  size_t live, most;
  bool strict;
} fuzz_memory;

static inline void *fuzz_alloc(void *ctx, void *ptr, size_t old_bytes, size_t new_bytes, size_t align) {
  fuzz_memory *m = ctx;
  if (new_bytes > old_bytes && (new_bytes > m->most || m->live > m->most - (new_bytes - old_bytes))) {
    FUZZ_CHECK(!m->strict, "%zu bytes are asked for, %zu are in use", new_bytes, m->live);
    return NULL;
  }
  weft_allocator a = weft_allocator_default();
  void *p = a.fn(a.ctx, ptr, old_bytes, new_bytes, align);
  if (p || !new_bytes)
    m->live += new_bytes - old_bytes;
  return p;
}

static inline weft_allocator fuzz_allocator(fuzz_memory *m) {
  m->most = m->live + FUZZ_LIVE_BYTES;
  m->strict = false;
  return (weft_allocator){fuzz_alloc, m};
}

static inline weft_env *fuzz_env(weft_env **e, fuzz_memory *m) {
  if (!*e) {
    weft_diag d = {0};
    weft_env_options o = {.package_path = "", .allocator = fuzz_allocator(m)};
    FUZZ_CHECK(!weft_env_create(&o, e, &d), "%s", d.text);
  }
  m->most = m->live + FUZZ_LIVE_BYTES;
  m->strict = false;
  return *e;
}

// Each plug-in that was built must load: all that needs it would be refused otherwise, and the target would
// find nothing for ever. FUZZ_PLUGINS, from CMake: how many there are.
static inline void fuzz_plugins(void) {
  static bool seen;
  const weft__plugin_place place = {0};
  weft_diag d = {0};
  int found = 0;
  if (seen)
    return;
  for (int id = 0; id < WEFT__PLUGIN_COUNT; id++) {
    const weft_plugin *p;
    found += !weft__plugin_load((weft__plugin_id)id, &place, &p, &d);
  }
  FUZZ_CHECK(found == FUZZ_PLUGINS, "of %d plug-ins built %d load; %s", FUZZ_PLUGINS, found, d.text);
  seen = true;
}

static inline weft_text fuzz_text(void) {
  weft_text t;
  weft_allocator a = weft_allocator_default();
  weft__text_init(&t, &a);
  return t;
}

// Does not keep the text.
static inline weft_status fuzz_drop(void *ctx, const char *text, size_t bytes) {
  volatile char *sink = ctx;
  for (size_t i = 0; i < bytes; i += 64)
    *sink = text[i];
  return WEFT_OK;
}

static inline void fuzz_same(const weft_text *a, const weft_text *b, const char *what) {
  FUZZ_CHECK(a->n == b->n && (!a->n || !memcmp(a->v, b->v, a->n)), "%s:\n%.*s\n---\n%.*s", what, (int)a->n,
             a->v ? a->v : "", (int)b->n, b->v ? b->v : "");
}
// SPDX-License-Identifier: Apache-2.0
