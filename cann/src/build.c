// build.c - offline builds: a graph becomes the bytes of a program, which weft_program_load_memory, or
// `weft run`, reads. And shapes of inputs by text, which sessions take, too.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"

// ---- "x:1,3,-1;y:4" ----
typedef struct shape_text {
  const char *at, *end;
  weft_dim low[WEFT_MAX_RANK], high[WEFT_MAX_RANK], dim[WEFT_MAX_RANK];
  size_t rank;
  bool ranges;
} shape_text;

static weft_status shape_bad(const char *text, const char *end, weft_diag *d) {
  return weft_fail(d, WEFT_E_SYNTAX,
                   "input shape '%.*s': expected NAME:DIM,DIM,... with -1 for an unknown dim",
                   (int)(end - text), text);
}

static bool shape_number(shape_text *t, int64_t *out) {
  char *end;
  errno = 0;
  long long n = strtoll(t->at, &end, 10);
  if (end == t->at || end > t->end || errno || n < -1)
    return false;
  t->at = end;
  *out = n;
  return true;
}

// 4, -1 or 2~8
static bool shape_dim(shape_text *t) {
  int64_t n;
  if (t->rank == WEFT_MAX_RANK || !shape_number(t, &n))
    return false;
  int64_t high = n;
  bool range = t->at < t->end && *t->at == '~';
  if (range) {
    t->at++;
    if (!shape_number(t, &high) || n < 0)
      return false;
  }
  t->dim[t->rank] = n == high ? n : WEFT_DIM_UNKNOWN;
  t->low[t->rank] = n < 0 ? 0 : n;
  t->high[t->rank] = high;
  t->rank++;
  t->ranges = t->ranges || range;
  return true;
}

// Up to `end`; nothing at all is a scalar.
static bool shape_dims(shape_text *t) {
  while (t->at < t->end) {
    if (!shape_dim(t))
      return false;
    if (t->at == t->end)
      return true;
    if (*t->at != ',')
      return false;
    t->at++;
    if (t->at == t->end)
      return false;
  }
  return true;
}

static weft_status shape_apply(weft_value *v, const shape_text *t, weft_diag *d) {
  weft_tensor_desc desc;
  weft_value_desc(v, &desc);
  weft_dtype type = desc.dtype;
  weft_format format = desc.format;
  weft_desc_init(&desc);
  WEFT_TRY(weft_desc_set(&desc, type, format, t->dim, t->rank));
  if (t->ranges) {
    weft_shape low;
    weft_shape high;
    WEFT_TRY(weft_shape_init(&low, t->low, t->rank));
    WEFT_TRY(weft_shape_init(&high, t->high, t->rank));
    WEFT_TRY(weft_desc_set_range(&desc, &low, &high, d));
  }
  return weft_graph_input_reshape(v, &desc, d);
}

static weft_status shape_entry(weft_graph *g, const char *text, const char *end, weft_diag *d) {
  const char *colon = end;
  while (colon > text && *colon != ':')
    colon--;
  if (colon == text)
    return shape_bad(text, end, d);
  shape_text t = {.at = colon + 1, .end = end};
  if (!shape_dims(&t))
    return shape_bad(text, end, d);
  for (size_t i = 0; i < weft_graph_n_inputs(g); i++) {
    weft_value *v = weft_graph_input_at(g, i);
    size_t n = strlen(weft_value_name(v));
    if (n == (size_t)(colon - text) && !memcmp(weft_value_name(v), text, n))
      return shape_apply(v, &t, d);
  }
  return weft_fail(d, WEFT_E_NOT_FOUND, "input shape '%.*s': the graph has no such input", (int)(end - text),
                   text);
}

weft_status weft_ge_set_shapes(weft_graph *g, const char *shapes, weft_diag *d) {
  while (shapes && *shapes) {
    size_t n = strcspn(shapes, ";");
    if (n)
      WEFT_TRY(shape_entry(g, shapes, shapes + n, d));
    shapes += n + (shapes[n] == ';');
  }
  return WEFT_OK;
}

// ---- building ----
static weft_status build_in(weft_env *e, weft_ge_source source, weft_ge_options options, weft_write_fn write,
                            void *ctx, weft_diag *d) {
  weft_graph *g;
  weft_program *p;
  const weft__ge_lists lists = {{options}, WEFT_GE_BUILDS};
  WEFT_TRY(source.lower(source.ctx, e, NULL, 0, &g, d));
  WEFT_TRY(weft__ge_compile(g, &lists, &p, d));
  weft_status s = weft_program_save(p, write, ctx, d);
  weft_program_release(p);
  return s;
}

static weft_status build(weft_ge_source source, weft_ge_options options, weft_ge_package_fn package,
                         weft_write_fn write, void *ctx, weft_diag *d) {
  if (!weft__ge_is_initialized(WEFT_GE_BUILDS))
    return weft_fail(d, WEFT_E_STATE, "aclgrphBuildInitialize was not called");
  WEFT_TRY(weft__ge_options_check(options, "aclgrphBuildModel", true, d));
  weft_env *e = weft_ge_env_take(package, d);
  if (!e)
    return d->status;
  weft_status s = build_in(e, source, options, write, ctx, d);
  weft_ge_env_give(e);
  return s;
}

weft_status weft_ge_build(weft_ge_source source, weft_ge_options options, weft_ge_package_fn package,
                          weft_write_fn write, void *ctx) {
  weft_diag d = {0};
  weft_status s = build(source, options, package, write, ctx, &d);
  if (source.release)
    source.release(source.ctx);
  return s ? weft_ge_failed(&d) : WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
