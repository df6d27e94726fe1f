// attr_rule.c - attribute rules. A rule is a few clauses joined by ';'; texts of violations are those of the
// founding documents (R206-R208). All violations of one value are reported, one line each.
#include "op/attr_rule.h"

#include <stdlib.h>

#include "base/allocated.h"

static bool starts(const char **at, const char *end, const char *word) {
  size_t n = strlen(word);
  if ((size_t)(end - *at) < n || memcmp(*at, word, n))
    return false;
  *at += n;
  return true;
}

// Reads the clause at `at`, which ends at `end`.
static bool read_clause(const char *at, const char *end, weft__rule_clause *c) {
  while (at < end && *at == ' ')
    at++;
  if (starts(&at, end, "each min "))
    c->kind = WEFT__RULE_EACH_MIN;
  else if (starts(&at, end, "min "))
    c->kind = WEFT__RULE_MIN;
  else if (starts(&at, end, "max "))
    c->kind = WEFT__RULE_MAX;
  else if (starts(&at, end, "count "))
    c->kind = WEFT__RULE_COUNT;
  else if (starts(&at, end, "one of "))
    c->kind = WEFT__RULE_ONE_OF;
  else
    return false;
  c->text = at;
  c->bytes = (size_t)(end - at);
  if (c->kind == WEFT__RULE_ONE_OF)
    return c->bytes > 0;
  char *stop;
  c->number = strtoll(at, &stop, 10);
  return stop > at;
}

static bool attr_rule_fits(const weft__rule_clause *c, weft_attr_type type) {
  switch (c->kind) {
    case WEFT__RULE_ONE_OF:
      return type == WEFT_VT_STRING;
    case WEFT__RULE_EACH_MIN:
      return type == WEFT_VT_LIST_INT || type == WEFT_VT_LIST_FLOAT;
    case WEFT__RULE_COUNT:
      return type >= 1000;
    default:
      return type == WEFT_VT_INT || type == WEFT_VT_FLOAT;
  }
}

weft_status weft__rule_read(const weft_attr_decl *decl, weft_attr_type type, weft_arena *arena,
                            weft__rule *out, weft_diag *d) {
  size_t most = 1;
  *out = (weft__rule){NULL, 0};
  if (!decl->check || !*decl->check)
    return WEFT_OK;
  for (const char *at = decl->check; *at; at++)
    most += *at == ';';
  weft__rule_clause *v = WEFT_NEW_N(arena, weft__rule_clause, most);
  WEFT_TRY(weft__allocated(v, d));
  out->v = v;
  for (const char *at = decl->check; *at;) {
    size_t n = strcspn(at, ";");
    weft__rule_clause *c = &v[out->n++];
    if (!read_clause(at, at + n, c) || !attr_rule_fits(c, type)) {
      return weft_fail(d, WEFT_E_SYNTAX,
                       "attribute '%s' (%s): the rule '%.*s' is not one of min, max, each min, count, one of",
                       decl->name, decl->type, (int)n, at);
    }
    at += n + (at[n] == ';');
  }
  return WEFT_OK;
}

static bool attr_rule_listed(const weft__rule_clause *c, char separator, const char *word, size_t bytes) {
  const char *at = c->text;
  const char *end = c->text + c->bytes;
  while (at < end) {
    const char *stop = memchr(at, separator, (size_t)(end - at));
    if (!stop)
      stop = end;
    if ((size_t)(stop - at) == bytes && !memcmp(at, word, bytes))
      return true;
    at = stop + 1;
  }
  return false;
}

static void attr_rule_report(weft_diag *d, weft_status *first, const char *text) {
  if (!*first)
    *first = weft_fail(d, WEFT_E_RANGE, "%s", text);
  else
    weft_note(d, "%s", text);
}

// value >= bound (`least`) or value <= bound; integers exactly, NaN never.
static bool attr_rule_holds(const weft_attr *v, size_t i, bool least, long long bound) {
  bool one = v->type == WEFT_VT_INT || v->type == WEFT_VT_FLOAT;
  if (v->type == WEFT_VT_FLOAT || v->type == WEFT_VT_LIST_FLOAT) {
    double x = (double)(one ? v->u.f : v->u.floats[i]);
    return least ? x >= (double)bound : x <= (double)bound;
  }
  int64_t x = one ? v->u.i : v->u.ints[i];
  return least ? x >= bound : x <= bound;
}

static const char *number_text(const weft_attr *v, size_t i, char number[32]) {
  if (v->type == WEFT_VT_FLOAT)
    return weft__float_text(v->u.f, number);
  if (v->type == WEFT_VT_LIST_FLOAT)
    return weft__float_text(v->u.floats[i], number);
  snprintf(number, 32, "%lld", (long long)(v->type == WEFT_VT_INT ? v->u.i : v->u.ints[i]));
  return number;
}

static void check_clause(const weft_attr_decl *decl, const weft__rule_clause *c, const weft_attr *v,
                         weft_diag *d, weft_status *first) {
  char text[256];
  char number[32];
  if (c->kind == WEFT__RULE_MIN || c->kind == WEFT__RULE_MAX) {
    if (attr_rule_holds(v, 0, c->kind == WEFT__RULE_MIN, c->number))
      return;
    snprintf(text, sizeof text, "%s must %s %lld, got %s", decl->name,
             c->kind == WEFT__RULE_MIN ? ">=" : "<=", c->number, number_text(v, 0, number));
  } else if (c->kind == WEFT__RULE_COUNT) {
    const size_t digits = v->n <= UINT32_MAX ? weft__put_u32(number, (uint32_t)v->n) : 0;
    if (digits && attr_rule_listed(c, ',', number, digits))
      return;
    snprintf(text, sizeof text, "%s must have %.*s values, got %zu", decl->name, (int)c->bytes, c->text,
             v->n);
  } else if (c->kind == WEFT__RULE_EACH_MIN) {
    for (size_t i = 0; i < v->n; i++) {
      if (attr_rule_holds(v, i, true, c->number))
        continue;
      if (c->number == 0) {
        snprintf(text, sizeof text, "%s values must be non-negative, got %s", decl->name,
                 number_text(v, i, number));
      } else {
        snprintf(text, sizeof text, "%s values must be >= %lld, got %s", decl->name, c->number,
                 number_text(v, i, number));
      }
      attr_rule_report(d, first, text);
    }
    return;
  } else {
    if (attr_rule_listed(c, '|', v->u.s, v->n))
      return;
    snprintf(text, sizeof text, "Invalid %s: %.*s (allowed: %.*s)", decl->name, (int)WEFT_MIN(v->n, 60),
             v->u.s, (int)c->bytes, c->text);
  }
  attr_rule_report(d, first, text);
}

weft_status weft__rule_check(const weft_attr_decl *decl, const weft__rule *r, const weft_attr *v,
                             weft_diag *d) {
  weft_status first = WEFT_OK;
  for (size_t i = 0; i < r->n; i++)
    check_clause(decl, &r->v[i], v, d, &first);
  return first;
}
// SPDX-License-Identifier: Apache-2.0
