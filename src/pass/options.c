// options.c - the list of passes of a run, built-in ones and those of packages, and the options that switch
// them.
#include "op/package.h"
#include "base/allocated.h"
#include "op/precision.h"
#include "pass/pass.h"

static bool known_name(const weft_pass_run *r, const char *name) {
  for (size_t i = 0; i < r->passes.n; i++) {
    if (!strcmp(r->passes.v[i].pass->name, name))
      return true;
  }
  return false;
}

static weft_status list_add(weft_pass_run *r, const weft_pass *p, bool own) {
  WEFT_TRY(weft__allocated(WEFT_VEC_ROOM(&r->env->alloc, r->passes), r->d));
  r->passes.v[r->passes.n++] = (weft_pass_entry){.pass = p, .own = own, .on = true};
  return WEFT_OK;
}

// Item i of a section of passes; NULL: it is none.
static const weft_pass *section_pass(const weft_section *s, size_t i) {
  enum { LEAST = offsetof(weft_pass, at) };  // of the first version
  if (s->stride && s->stride < LEAST)
    return NULL;
  const weft_pass *p = s->stride ? (const weft_pass *)((const char *)s->items + i * s->stride)
                                 : ((const weft_pass *const *)s->items)[i];
  bool whole = p && p->size >= LEAST && p->size <= 4096 && p->name && *p->name && p->summary;
  return whole && !p->visit != !p->run && p->stage >= WEFT_PASS_SIMPLIFY && p->stage <= WEFT_PASS_LAYOUT
             ? p
             : NULL;
}

static weft_status list_package(weft_pass_run *r, size_t package, uint32_t stage) {
  size_t n;
  const weft_section *s = weft__package_section(r->env, package, WEFT_SECTION_PASS, &n);
  for (size_t i = 0; s && i < n; i++) {
    const weft_pass *p = section_pass(s, i);
    if (!p) {
      return weft_fail(r->d, WEFT_E_CORRUPT,
                       "package '%s': item %zu of its passes is none: size, name or stage",
                       r->env->packages.v[package]->info.path, i);
    }
    if (p->stage != stage)
      continue;
    if (!known_name(r, p->name))
      WEFT_TRY(list_add(r, p, false));
    else {
      weft_env_log(r->env, WEFT_LOG_WARNING, "pass '%s' of %s is hidden by the one that came first", p->name,
                   r->env->packages.v[package]->info.path);
    }
  }
  return WEFT_OK;
}

weft_status weft__passes_list(weft_pass_run *r) {
  for (uint32_t stage = WEFT_PASS_SIMPLIFY; stage <= WEFT_PASS_LAYOUT; stage++) {
    for (size_t i = 0; weft__builtin_passes[i]; i++) {
      if (weft__builtin_passes[i]->stage == stage)
        WEFT_TRY(list_add(r, weft__builtin_passes[i], true));
    }
    for (size_t i = 0; i < r->env->packages.n; i++)
      WEFT_TRY(list_package(r, i, stage));
  }
  return WEFT_OK;
}

static weft_kinds kinds_of(const weft_pass_run *r, const char *const *names) {
  weft_kinds k = {{0, 0}};
  for (size_t i = 0; names[i]; i++) {
    const weft_proto *p = weft_find(r->env, names[i]);
    if (p)
      weft__kinds_put(&k, weft__kind_of(r, p));
  }
  return k;
}

void weft__passes_kinds(weft_pass_run *r) {
  static const weft_kinds all = {{UINT64_MAX, UINT64_MAX}};
  _Static_assert((int)WEFT_K_COUNT <= (int)WEFT_K_ANY, "a kind is a bit of a set, WEFT_K_ANY another");
  for (size_t i = 0; i < r->passes.n; i++) {
    weft_pass_entry *e = &r->passes.v[i];
    bool says = e->pass->size >= offsetof(weft_pass, needs) + sizeof e->pass->needs;
    e->at = says && e->pass->at ? kinds_of(r, e->pass->at) : all;
    e->needs = says && e->pass->needs ? kinds_of(r, e->pass->needs) : e->at;
  }
}

const weft_pass *weft_pass_at(weft_env *e, size_t i) {
  if (!e)
    return NULL;
  weft_diag d = {0};
  weft_pass_run r = {.host = &weft__pass_host, .env = e, .d = &d};
  (void)weft__passes_list(&r);  // what a damaged package keeps from being listed fails when passes run
  const weft_pass *p = i < r.passes.n ? r.passes.v[i].pass : NULL;
  WEFT_VEC_FREE(&e->alloc, r.passes);
  return p;
}

// ---- options ----

static weft_status unknown(weft_pass_run *r, const char *name, size_t n) {
  const char *near = "passes";
  size_t least = weft_name_distance(name, n, near, 63);
  static const char *const more[] = {"passes-seed", "passes-limit", "precision_mode"};
  for (size_t i = 0; i < r->passes.n + WEFT_COUNT(more); i++) {
    const char *other = i < r->passes.n ? r->passes.v[i].pass->name : more[i - r->passes.n];
    size_t far = weft_name_distance(name, n, other, least);
    if (far < least) {
      least = far;
      near = other;
    }
  }
  return weft_fail(r->d, WEFT_E_NOT_FOUND, "option '%.*s': no pass has this name; did you mean '%s'?", (int)n,
                   name, near);
}

static weft_status options_number(weft_pass_run *r, const char *option, const char *value, uint64_t most,
                                  uint64_t *out) {
  uint64_t v = 0;
  bool ok = *value != 0;
  for (const char *p = value; ok && *p; p++) {
    ok = *p >= '0' && *p <= '9' && v <= (UINT64_MAX - 9) / 10;
    if (ok)
      v = 10 * v + (uint64_t)(*p - '0');
  }
  if (!ok || v > most) {
    return weft_fail(r->d, WEFT_E_INVALID, "option '%s': expected a number from 0 to %llu, got '%s'", option,
                     (unsigned long long)most, value);
  }
  *out = v;
  return WEFT_OK;
}

static bool is(const char *name, size_t n, const char *text) {
  return strlen(text) == n && !memcmp(name, text, n);
}

static weft_status read_option(weft_pass_run *r, const char *option) {
  size_t n = strcspn(option, "=");
  uint64_t v;
  if (!option[n])
    return weft_fail(r->d, WEFT_E_SYNTAX, "option '%s': expected NAME=VALUE", option);
  const char *value = option + n + 1;
  if (is(option, n, "precision_mode"))
    return weft__precision_read(value, &r->precision, r->d);
  if (is(option, n, "passes-limit"))
    return options_number(r, option, value, UINT64_MAX - 9, &r->limit);
  if (is(option, n, "passes-seed")) {
    WEFT_TRY(options_number(r, option, value, UINT64_MAX - 9, &v));
    for (size_t i = 0; i < r->passes.n; i++) {
      const char *name = r->passes.v[i].pass->name;
      uint64_t h = weft__hash(name, strlen(name)) ^ (v + 1) * UINT64_C(0x9E3779B97F4A7C15);
      if (weft__hash(&h, sizeof h) & 1)
        r->passes.v[i].on = false;
    }
    return WEFT_OK;
  }
  bool all = is(option, n, "passes");
  bool found = all;
  for (size_t i = 0; i < r->passes.n; i++) {
    const char *name = r->passes.v[i].pass->name;
    size_t length = strlen(name);
    if (n > length + 1 && !memcmp(option, name, length) && option[length] == '.')
      return WEFT_OK;  // the pass's own
    if (!all && !is(option, n, name))
      continue;
    WEFT_TRY(options_number(r, option, value, 1, &v));
    r->passes.v[i].on = v != 0;
    found = true;
  }
  return found ? WEFT_OK : unknown(r, option, n);
}

weft_status weft__passes_options(weft_pass_run *r) {
  for (size_t i = 0; i < r->o->n_options; i++)
    WEFT_TRY(read_option(r, r->o->options[i]));
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
