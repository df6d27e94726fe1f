// run_when.c - `weft run --watch [NAMES:]WHAT,...`: which values are looked at while they are computed, and
// what stops the run. NAMES end at the last ':', because names of models hold some; without WHAT values are
// printed.
#include <ctype.h>
#include <math.h>
#include <strings.h>

#include "run.h"

static const char allowed[] = "nan, print, or min, max, abs, mean with < <= > >= and a number, as max>1e4";

static const char *const when_words[] = {
    [WHEN_NAN] = "nan", [WHEN_PRINT] = "print", [WHEN_MIN] = "min",
    [WHEN_MAX] = "max", [WHEN_ABS] = "abs",     [WHEN_MEAN] = "mean",
};

// ---- reading ----
static bool when_number(const char *text, size_t bytes, double *out) {
  char copy[64];
  char *end;
  if (!bytes || bytes >= sizeof copy)
    return false;
  memcpy(copy, text, bytes);
  copy[bytes] = 0;
  *out = strtod(copy, &end);
  return !*end && !isnan(*out);
}

static bool when_condition(const char *text, size_t bytes, condition *out) {
  size_t word = 0;
  while (word < bytes && isalpha((unsigned char)text[word]))
    word++;
  for (int k = 0; k < WHEN_KINDS; k++) {
    const bool same = strlen(when_words[k]) == word && !strncasecmp(text, when_words[k], word);
    if (!same)
      continue;
    *out = (condition){.what = (when_what)k, .text = text, .bytes = bytes};
    if (k == WHEN_NAN || k == WHEN_PRINT)
      return word == bytes;
    out->less = text[word] == '<';
    if (!out->less && text[word] != '>')
      return false;
    out->equal = text[word + 1] == '=';
    const size_t at = word + 1 + out->equal;
    return at < bytes && when_number(text + at, bytes - at, &out->limit);
  }
  return false;
}

static bool when_conditions(const char *text, watched *w) {
  w->n = 0;
  for (const char *at = text;; at++) {
    const size_t bytes = strcspn(at, ",");
    if (w->n == WHEN_MOST || !when_condition(at, bytes, &w->condition[w->n++]))
      return false;
    at += bytes;
    if (!*at)
      return true;
  }
}

const char *watch_parse(const char *text, watched *w) {
  const char *colon = strrchr(text, ':');
  *w = (watched){.text = text, .names = "*", .names_bytes = 1};
  if (when_conditions(colon ? colon + 1 : text, w)) {
    if (colon) {
      w->names = text;
      w->names_bytes = (size_t)(colon - text);
    }
    return w->names_bytes ? NULL : allowed;
  }
  const char *rest = colon ? colon + 1 : text;
  if (!*text || !*rest || strpbrk(rest, "<>=,"))
    return allowed;
  w->names = text;
  w->names_bytes = strlen(text);
  w->n = 1;
  w->condition[0] = (condition){.what = WHEN_PRINT, .text = when_words[WHEN_PRINT], .bytes = 5};
  return NULL;
}

// ---- names ----
// '*' is any text, '?' any character.
static bool when_named(const watched *w, const char *name) {
  const char *p = w->names;
  const char *end = p + w->names_bytes;
  const char *star = NULL;
  const char *from = NULL;
  while (*name) {
    if (p < end && *p == '*') {
      star = ++p;
      from = name;
    } else if (p < end && (*p == '?' || *p == *name)) {
      p++;
      name++;
    } else if (star) {
      p = star;
      name = ++from;
    } else {
      return false;
    }
  }
  while (p < end && *p == '*')
    p++;
  return p == end;
}

static bool when_any(const weft_graph *g, const watched *w, nearest *near) {
  for (const weft_node *n = weft_graph_first(g); n; n = weft_node_next(n)) {
    for (uint32_t i = 0; i < weft_node_desc(n)->n_out; i++) {
      const char *name = weft_value_name(weft_node_out(n, i));
      if (when_named(w, name))
        return true;
      nearest_try(near, name, strlen(name));
    }
    const bool fused = !strcmp(weft_node_type(n), "Fused");
    for (uint32_t i = 0; i < weft_node_n_graphs(n) && !fused; i++) {
      if (when_any(weft_node_graph_at(n, i), w, near))
        return true;
    }
  }
  return false;
}

weft_status watch_check(const job *j, const weft_graph *g, weft_diag *d) {
  for (size_t i = 0; i < j->n_watched; i++) {
    const watched *w = &j->watched[i];
    nearest near = nearest_to(w->names, w->names_bytes);
    char meant[300] = "";
    if (when_any(g, w, &near))
      continue;
    if (*near.word)
      snprintf(meant, sizeof meant, "; did you mean '%s'?", near.word);
    weft_fail(d, WEFT_E_NOT_FOUND, "--watch '%s': no node of the %s makes a value '%.*s'%s", w->text,
              j->o.interp ? "model" : "compiled model", (int)w->names_bytes, w->names, meant);
    if (w->names_bytes == strlen(w->text))
      weft_note(d, "it is read as a name; behind a last ':' may stand %s", allowed);
    if (!j->o.interp)
      weft_note(d, "--interp or --option passes=0 keeps every value of the model");
    return WEFT_E_NOT_FOUND;
  }
  return WEFT_OK;
}

// ---- looking ----
typedef struct value_stats {
  int64_t n, wrong, first_wrong;  // elements; NaN and infinities
  int64_t at_min, at_max;
  double min, max, sum;  // of the finite ones
} value_stats;

static value_stats stats_of(const weft_tensor *t) {
  value_stats s = {.n = weft_tensor_elems(t), .at_min = -1, .at_max = -1};
  for (int64_t i = 0; i < s.n; i++) {
    const double x = weft_load_f64(t->dtype, t->data, (size_t)i);
    if (!isfinite(x)) {
      if (!s.wrong++)
        s.first_wrong = i;
      continue;
    }
    if (s.at_min < 0 || x < s.min) {
      s.min = x;
      s.at_min = i;
    }
    if (s.at_max < 0 || x > s.max) {
      s.max = x;
      s.at_max = i;
    }
    s.sum += x;
  }
  return s;
}

static void tell_maker(FILE *to, const weft_value *v) {
  uint32_t index;
  char type[256];
  const weft_node *node = weft_value_node(v, &index);
  const weft_origin *o = node ? weft_node_origin(node) : NULL;
  if (node)
    fprintf(to, "; made by node '%s' (%s)", weft_node_name(node), node_text(node, type, sizeof type));
  if (o && o->name && *o->name)
    fprintf(to, ", in the model '%s'", o->name);
  fprintf(to, "\n");
}

static void print_value(const weft_value *v, const weft_tensor *t, const value_stats *s) {
  char shape[256];
  printf("%s: %s%s", weft_value_name(v), weft_dtype_name(t->dtype),
         weft_shape_text(&t->layout.origin, NULL, shape, sizeof shape));
  if (s->at_min >= 0)
    printf(", min %.6g, max %.6g, mean %.6g", s->min, s->max, s->sum / (double)(s->n - s->wrong));
  if (s->wrong)
    printf(", %lld of %lld not finite", (long long)s->wrong, (long long)s->n);
  tell_maker(stdout, v);
}

// The number that a condition is about, and its element; -1: of none.
static double when_value(const condition *c, const value_stats *s, int64_t *element) {
  const bool lowest = c->what == WHEN_MIN || (c->what == WHEN_ABS && -s->min > s->max);
  *element = c->what == WHEN_MEAN ? -1 : lowest ? s->at_min : s->at_max;
  if (c->what == WHEN_MEAN)
    return s->sum / (double)(s->n - s->wrong);
  return c->what == WHEN_ABS ? fabs(lowest ? s->min : s->max) : lowest ? s->min : s->max;
}

static bool when_holds(const condition *c, double x) {
  if (c->equal && x == c->limit)
    return true;
  return c->less ? x < c->limit : x > c->limit;
}

static weft_status stop_at(const condition *c, const weft_value *v, const value_stats *s) {
  int64_t element;
  const double x = when_value(c, s, &element);
  if (!when_holds(c, x))
    return WEFT_OK;
  fprintf(stderr, "weft: %.*s: the %s of '%s' is %.9g", (int)c->bytes, c->text, when_words[c->what],
          weft_value_name(v), x);
  if (element >= 0)
    fprintf(stderr, " at element %lld", (long long)element);
  tell_maker(stderr, v);
  return WEFT_E_RANGE;
}

static weft_status stop_at_nan(const weft_value *v, const weft_tensor *t, const value_stats *s) {
  if (!s->wrong)
    return WEFT_OK;
  const double x = weft_load_f64(t->dtype, t->data, (size_t)s->first_wrong);
  fprintf(stderr, "weft: element %lld of '%s' is %s", (long long)s->first_wrong, weft_value_name(v),
          isnan(x) ? "nan"
          : x < 0  ? "-inf"
                   : "inf");
  tell_maker(stderr, v);
  return WEFT_E_RANGE;
}

weft_status watch_value(const job *j, const weft_value *v, const weft_tensor *t) {
  value_stats s = {.n = -1};
  const bool numbers =
      t->kind == WEFT_KIND_TENSOR && t->dtype != WEFT_STRING && t->data && !weft_dtype_is_complex(t->dtype);
  for (size_t i = 0; numbers && i < j->n_watched; i++) {
    const watched *w = &j->watched[i];
    if (!when_named(w, weft_value_name(v)))
      continue;
    if (s.n < 0)
      s = stats_of(t);
    for (size_t k = 0; k < w->n; k++) {
      const condition *c = &w->condition[k];
      if (c->what == WHEN_PRINT)
        print_value(v, t, &s);
      else if (c->what == WHEN_NAN)
        WEFT_TRY(stop_at_nan(v, t, &s));
      else if (s.at_min >= 0)
        WEFT_TRY(stop_at(c, v, &s));
    }
  }
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
