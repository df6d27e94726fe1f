// kernels.c - one walk over the tokens with the scopes that are open.
#include "kernels.h"

#include <stdlib.h>
#include <string.h>

#include "translate.h"

// Open braces, and the names of the namespaces among them.
typedef struct walk {
  const ascc_tokens *t;
  ascc_kernels *out;
  uint8_t *braces;  // WALK_*
  size_t depth;
  size_t room;
  size_t hidden;     // of them, those that no name leads into
  ascc_text path;    // "outer::inner::"
  size_t statement;  // the first token of the statement at hand
} walk;
enum {
  WALK_HIDDEN,
  WALK_NAMED,
  WALK_OPEN
};  // a class or a block; a namespace; extern "C", or without a name

static bool walk_push(walk *w, int kind) {
  if (w->depth == w->room) {
    const size_t room = w->room ? w->room * 2 : 64;
    uint8_t *braces = realloc(w->braces, room);
    if (!braces)
      return false;
    w->braces = braces;
    w->room = room;
  }
  w->braces[w->depth++] = (uint8_t)kind;
  w->hidden += kind == WALK_HIDDEN;
  return true;
}
// The last name goes from the path.
static void walk_leave(walk *w) {
  size_t n = w->path.bytes;
  while (n > 0 && w->path.at[n - 1] != ' ')
    n--;
  w->path.bytes = n ? n - 1 : 0;
}
static void walk_pop(walk *w) {
  if (!w->depth)
    return;
  const int kind = w->braces[--w->depth];
  w->hidden -= kind == WALK_HIDDEN;
  if (kind == WALK_NAMED && w->path.bytes)
    walk_leave(w);
}
// `namespace a::b {`: a path has a space before each namespace's names.
static int walk_namespace(walk *w, size_t first, size_t brace) {
  if (first == brace)
    return WALK_OPEN;
  for (size_t i = first; i < brace; i++) {
    if (w->t->at[i].kind != ASCC_NAME && !ascc_is(w->t, i, "::"))
      return WALK_HIDDEN;
  }
  ascc_text_add(&w->path, " ", 1);
  for (size_t i = first; i < brace; i++)
    ascc_text_add(&w->path, w->t->text + w->t->at[i].at, w->t->at[i].bytes);
  ascc_text_add(&w->path, "::", 2);
  return w->path.failed ? WALK_HIDDEN : WALK_NAMED;
}
static int walk_brace(walk *w, size_t brace) {
  const size_t first = w->statement + ascc_is(w->t, w->statement, "inline");
  if (w->hidden)
    return WALK_HIDDEN;
  if (ascc_is(w->t, first, "namespace"))
    return walk_namespace(w, first + 1, brace);
  const bool linkage = ascc_is(w->t, first, "extern") && first + 2 == brace;
  return linkage ? WALK_OPEN : WALK_HIDDEN;
}

// ---- a kernel ----

// Behind the bracket that is open at i.
static size_t walk_close(const ascc_tokens *t, size_t i) {
  size_t depth = 0;
  for (; i < t->count; i++) {
    if (ascc_is(t, i, "(") || ascc_is(t, i, "["))
      depth++;
    if (ascc_is(t, i, ")") || ascc_is(t, i, "]"))
      depth--;
    if (!depth)
      return i + 1;
  }
  return t->count;
}
static bool walk_attribute(const ascc_tokens *t, size_t i) {
  static const char *const words[] = {"__attribute__",     "__attribute", "alignas", "decltype",
                                      "__launch_bounds__", "__declspec",  "noexcept"};
  for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
    if (ascc_is(t, i, words[k]))
      return true;
  }
  return false;
}
// The name of the function that is defined behind `i`; SIZE_MAX: none is.
static size_t walk_defined(const ascc_tokens *t, size_t i) {
  while (i < t->count && !ascc_is(t, i, "(")) {
    const bool other = ascc_is(t, i, ";") || ascc_is(t, i, "{") || ascc_is(t, i, "}") || ascc_is(t, i, "<");
    if (other || ascc_is(t, i, "::"))
      return SIZE_MAX;
    if (walk_attribute(t, i) || ascc_is(t, i, "["))
      i = walk_close(t, i + walk_attribute(t, i));
    else
      i++;
  }
  const size_t name = i - 1;
  i = walk_close(t, i);
  i += ascc_is(t, i, "noexcept");
  return t->at[name].kind == ASCC_NAME && ascc_is(t, i, "{") ? name : SIZE_MAX;
}
static bool walk_template(const walk *w, size_t i) {
  for (size_t k = w->statement; k < i; k++) {
    if (ascc_is(w->t, k, "template"))
      return true;
  }
  return false;
}
static bool walk_keep(walk *w, size_t name) {
  ascc_kernels *out = w->out;
  if (out->count == out->room) {
    const size_t room = out->room ? out->room * 2 : 16;
    ascc_kernel *at = realloc(out->at, room * sizeof *at);
    if (!at)
      return false;
    out->at = at;
    out->room = room;
  }
  out->at[out->count++] = (ascc_kernel){.name = name, .scope = out->scopes.bytes};
  for (size_t i = 0; i < w->path.bytes; i++) {
    if (w->path.at[i] != ' ')
      ascc_text_add(&out->scopes, w->path.at + i, 1);
  }
  ascc_text_add(&out->scopes, "", 1);
  return !out->scopes.failed;
}
static bool walk_kernel(walk *w, size_t i) {
  if (w->hidden || walk_template(w, i))
    return true;
  const size_t name = walk_defined(w->t, i + 1);
  return name == SIZE_MAX || walk_keep(w, name);
}
static bool walk_token(walk *w, size_t i) {
  bool ok = true;
  const bool opens = ascc_is(w->t, i, "{");
  const bool closes = ascc_is(w->t, i, "}");
  if (ascc_is(w->t, i, ASCC_KERNEL_WORD))
    return walk_kernel(w, i);
  if (opens)
    ok = walk_push(w, walk_brace(w, i));
  else if (closes)
    walk_pop(w);
  if (opens || closes || ascc_is(w->t, i, ";"))
    w->statement = i + 1;
  return ok;
}

// ---- names that are there twice ----

enum { KERNELS_MOST = 4096 };  // with an entry; a file has a few

static bool kernels_same(const ascc_tokens *t, size_t a, size_t b) {
  const ascc_token *x = &t->at[a];
  const ascc_token *y = &t->at[b];
  return x->bytes == y->bytes && !memcmp(t->text + x->at, t->text + y->at, x->bytes);
}
static bool kernels_twice(const ascc_kernels *k, const ascc_tokens *t, size_t i) {
  for (size_t j = 0; j < k->count; j++) {
    if (j != i && kernels_same(t, k->at[i].name, k->at[j].name))
      return true;
  }
  return false;
}
static void kernels_drop_overloads(ascc_kernels *k, const ascc_tokens *t) {
  size_t kept = 0;
  for (size_t i = 0; i < k->count; i++)
    k->at[i].overloaded = kernels_twice(k, t, i);
  for (size_t i = 0; i < k->count; i++) {
    if (!k->at[i].overloaded)
      k->at[kept++] = k->at[i];
  }
  k->count = kept;
}

bool ascc_kernels_find(ascc_kernels *out, const ascc_tokens *t) {
  *out = (ascc_kernels){0};
  walk w = {.t = t, .out = out};
  bool ok = true;
  for (size_t i = 0; i < t->count && ok && out->count < KERNELS_MOST; i++)
    ok = walk_token(&w, i);
  kernels_drop_overloads(out, t);
  free(w.braces);
  ascc_text_free(&w.path);
  return ok;
}
void ascc_kernels_free(ascc_kernels *k) {
  free(k->at);
  ascc_text_free(&k->scopes);
  *k = (ascc_kernels){0};
}
// SPDX-License-Identifier: Apache-2.0
