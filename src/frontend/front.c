// front.c - a reading from begin to end, and what is told of it: one problem as it is, several as a list.
#include "frontend/front.h"

#include <stdarg.h>

#include "base/allocated.h"

enum { FRONT_LINE = 400, FRONT_NOTES = 700 };

weft_status front_begin(front *f, weft_env *e, const char *framework, const char *file, weft_diag *d) {
  memset(f, 0, sizeof *f);
  f->env = e;
  f->framework = framework;
  f->d = d && !d->status ? d : &f->own;
  WEFT_TRY(weft_graph_create(e, "graph", &f->g, f->d));
  f->before = weft__budget_begin(&f->g->root->budget, NULL, &e->limits);
  weft__arena_init(&f->arena, &f->g->root->alloc);
  f->file = weft__arena_strdup(&f->g->root->arena, file, strlen(file));
  if (f->file)
    return WEFT_OK;
  weft__arena_deinit(&f->arena);
  weft_graph_destroy(f->g);
  return weft_fail(f->d, WEFT_E_NOMEM, "out of memory");
}

// ---- problems ----
// What is wrong with the model, and not with the machine: the reading goes on to find more of it.
static bool front_goes_on(weft_status s) {
  static const weft_status told[] = {WEFT_E_INVALID,     WEFT_E_SHAPE,  WEFT_E_DTYPE,     WEFT_E_FORMAT,
                                     WEFT_E_TYPE,        WEFT_E_RANGE,  WEFT_E_NOT_FOUND, WEFT_E_MISSING,
                                     WEFT_E_UNSUPPORTED, WEFT_E_UNKNOWN};
  for (size_t i = 0; i < WEFT_COUNT(told); i++) {
    if (told[i] == s)
      return true;
  }
  return false;
}

static weft_status front_keep(front *f, const char *line) {
  size_t n = f->n_problems++;
  if (n >= FRONT_SHOWN)
    return WEFT_OK;
  f->shown[n] = weft__arena_strdup(&f->arena, line, strlen(line));
  return weft__allocated(f->shown[n], f->d);
}

static void front_note(const front_op *o) {
  weft_note(o->f->d, "in node '%.200s' (%.100s) of %s%s%.200s", o->name, o->type, o->f->file,
            o->where ? ", written in " : "", o->where ? o->where : "");
}

weft_status front_failed(front_op *o) {
  front *f = o->f;
  char line[FRONT_LINE];
  weft_status s = o->failed;
  if (s == WEFT_E_LIMIT)
    front_note(o);
  if (!front_goes_on(s))
    return s;
  if (f->told && !f->d->status) {
    f->told = false;
    o->failed = WEFT_OK;
    o->n_attrs = 0;
    return WEFT_OK;
  }
  int cut = (int)WEFT_MIN(strcspn(f->d->text, "\n"), 240);
  snprintf(line, sizeof line, "node '%.60s' (%.60s)%s%.60s: %.*s", o->name, o->type, o->where ? " of " : "",
           o->where ? o->where : "", cut, f->d->text);
  front_note(o);
  if (!f->n_problems) {
    f->first = s;
    f->whole = *f->d;
  }
  weft_diag_clear(f->d);
  o->failed = WEFT_OK;
  o->n_attrs = 0;
  return front_keep(f, line);
}

weft_status front_unknown(front *f, const char *type, const char *where) {
  f->missing_nodes++;
  for (size_t i = 0; i < f->n_missing; i++) {
    if (!strcmp(f->missing[i].type, type)) {
      f->missing[i].n++;
      return WEFT_OK;
    }
  }
  if (f->n_missing == FRONT_OPERATORS) {
    f->more_missing++;
    return WEFT_OK;
  }
  const char *kept = weft__arena_strdup(&f->arena, type, strlen(type));
  const char *first = weft__arena_strdup(&f->arena, where, strlen(where));
  WEFT_TRY(weft__allocated(kept && first, f->d));
  f->missing[f->n_missing++] = (front_missing){kept, first, 1};
  return WEFT_OK;
}

weft_status front_unknown_all(front *f) {
  char text[WEFT_DIAG_BYTES];
  size_t at = 0;
  size_t room = sizeof text - FRONT_NOTES;
  if (!f->missing_nodes)
    return WEFT_OK;
  weft__append(text, room, &at, "%zu node%s with operators of %s that weft does not read:", f->missing_nodes,
               f->missing_nodes == 1 ? "" : "s", f->framework);
  size_t i = 0;
  for (; i < f->n_missing && at + 300 < room; i++) {
    const front_missing *m = &f->missing[i];
    weft__append(text, room, &at, "\n  %.100s: %zu node%s, first %.160s", m->type, m->n, m->n == 1 ? "" : "s",
                 m->first);
  }
  if (i < f->n_missing + f->more_missing)
    weft__append(text, room, &at, "\n  and %zu more", f->n_missing + f->more_missing - i);
  (void)weft_fail(f->d, WEFT_E_UNSUPPORTED, "%s", text);
  weft_note(f->d,
            "a package can bring an operator under its name (weft op new, WEFT_OPP_PATH; in Python weft.op): "
            "docs/frontends.md");
  return f->d->status;
}

// Several problems as a list; one as it is.
static weft_status front_tell(front *f) {
  char text[WEFT_DIAG_BYTES];
  size_t at = 0;
  size_t room = sizeof text - FRONT_NOTES;
  if (f->n_problems == 1) {
    *f->d = f->whole;
    return f->first;
  }
  weft__append(text, room, &at, "%zu problems in the model:", f->n_problems);
  size_t i = 0;
  for (; i < WEFT_MIN(f->n_problems, FRONT_SHOWN) && at + FRONT_LINE < room; i++)
    weft__append(text, room, &at, "\n  %s", f->shown[i]);
  if (i < f->n_problems)
    weft__append(text, room, &at, "\n  and %zu more", f->n_problems - i);
  weft_diag_clear(f->d);
  return weft_fail(f->d, f->first, "%s", text);
}

weft_status front_end(front *f, weft_status s, weft_graph **out) {
  if (f->n_problems && (!s || front_goes_on(s)))
    s = front_tell(f);
  s = weft__graph_budget_end(f->g, &f->before, s, f->d);
  if (s)
    weft_note(f->d, "while reading the %s model '%s'", f->framework, f->file);
  weft__arena_deinit(&f->arena);
  if (s) {
    weft_graph_destroy(f->g);
    return s;
  }
  f->g->root->inferred = f->g->root->changes;  // each node was inferred when it was appended
  *out = f->g;
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
