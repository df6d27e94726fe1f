// example.c - reads one example line of an operator. Grammar (spaces between tokens are free):
//   line    = [items] {name "=" value} ("->" [items] ["~" number] ["!!" error] | "!!" error)
//   items   = item {"," item}      item = one | "[" [one {"," one}] "]"      one = literal ["@" format] | "_"
//   error   = E_NAME [text up to the end]
// "->" before "!!" only says how many outputs a failing use has. Values are read by the prototype's declared
// types; one that does not fit is guessed, so that the framework's own refusal can be the expected error.
// Text is trusted to be short: arrays are sized by counting its commas.
#include "op/example.h"
#include "base/allocated.h"

#include <stdlib.h>

#include "tensor/scan.h"

enum { GIVEN, ABSENT, GROUP };
typedef struct item {
  uint8_t kind;
  uint32_t n;  // tensors
} item;

typedef struct items {
  item *v;
  size_t n;
  weft_tensor *tensors;
  const weft_tensor **ptr;  // NULL entries for ABSENT
  uint8_t *format_given;
  size_t n_ptr;
  bool grouped, marked;  // has [..], has '_'
} items;

typedef struct reader {
  weft_scan s;
  weft__example *ex;
  size_t most;  // tensors a list can have
} reader;

static bool looking_at(reader *r, const char *word) {
  weft__scan_space(&r->s);
  size_t n = strlen(word);
  return r->s.bytes - r->s.at >= n && !memcmp(r->s.text + r->s.at, word, n);
}

static bool example_take(reader *r, const char *word) {
  bool yes = looking_at(r, word);
  if (yes)
    r->s.at += strlen(word);
  return yes;
}

static bool at_attr(const reader *r) {  // name "="
  weft_scan s = r->s;
  const char *name;
  return weft__scan_ident(&s, &name) && weft__scan_char(&s, '=');
}

static weft_status read_format(reader *r, weft_tensor *t) {
  const char *from = r->s.text + r->s.at;
  size_t n = strcspn(from, " ,]\t\n");
  weft_format f = weft_format_parse(from, n);
  if (f == WEFT_FORMAT_RESERVED)
    return weft__scan_fail(&r->s, WEFT_E_SYNTAX, "'%.*s' is not a format", (int)WEFT_MIN(n, 40), from);
  r->s.at += n;
  t->format = t->origin_format = f;
  return WEFT_OK;
}

static weft_status read_tensor(reader *r, items *list) {
  size_t used = 0;
  weft_tensor *t = &list->tensors[list->n_ptr];
  weft__scan_space(&r->s);
  weft_status s =
      weft_tensor_parse(r->s.text + r->s.at, r->s.bytes - r->s.at, r->ex->symbols, t, &used, r->s.d);
  if (s)
    weft_note(r->s.d, "in the tensor that starts at byte %zu of the example", r->s.at);
  WEFT_TRY(s);
  r->s.at += used;
  list->ptr[list->n_ptr++] = t;
  if (!example_take(r, "@"))
    return WEFT_OK;
  list->format_given[list->n_ptr - 1] = 1;
  return read_format(r, t);
}

static weft_status read_item(reader *r, items *list) {
  const char *name;
  weft_status s = WEFT_OK;
  weft_scan start = r->s;
  item *it = &list->v[list->n++];
  it->kind = GIVEN;
  it->n = 1;
  if (weft__scan_ident(&r->s, &name) == 1 && *name == '_') {
    it->kind = ABSENT;
    it->n = 0;
    list->marked = true;
    list->ptr[list->n_ptr++] = NULL;
    return WEFT_OK;
  }
  r->s = start;
  if (!weft__scan_char(&r->s, '['))
    return read_tensor(r, list);
  it->kind = GROUP;
  it->n = 0;
  list->grouped = true;
  if (weft__scan_char(&r->s, ']'))
    return WEFT_OK;
  do {
    it->n++;
    start = r->s;
    if (weft__scan_ident(&r->s, &name) == 1 && *name == '_')
      list->ptr[list->n_ptr++] = NULL;
    else {
      r->s = start;
      s = read_tensor(r, list);
    }
    WEFT_TRY(s);
  } while (weft__scan_char(&r->s, ','));
  return weft__scan_char(&r->s, ']')
             ? WEFT_OK
             : weft__scan_fail(&r->s, WEFT_E_SYNTAX, "expected ']' after the instances");
}

static weft_status read_items(reader *r, items *list) {
  weft_arena *a = &r->ex->arena;
  memset(list, 0, sizeof *list);
  list->v = WEFT_NEW_N(a, item, r->most);
  list->tensors = WEFT_NEW_N(a, weft_tensor, r->most);
  list->ptr = WEFT_NEW_N(a, const weft_tensor *, r->most);
  list->format_given = WEFT_NEW_N(a, uint8_t, r->most);
  WEFT_TRY(weft__allocated(list->v && list->tensors && list->ptr && list->format_given, r->s.d));
  for (size_t i = 0; i < r->most; i++)
    weft_tensor_init(&list->tensors[i], &r->ex->alloc);
  weft__scan_space(&r->s);
  if (r->s.at == r->s.bytes || looking_at(r, "->") || looking_at(r, "!!") || looking_at(r, "~") || at_attr(r))
    return WEFT_OK;
  do
    WEFT_TRY(read_item(r, list));
  while (weft__scan_char(&r->s, ','));
  return WEFT_OK;
}

// ---- attributes ----

static bool ends_value(const reader *r, size_t at) {
  return at >= r->s.bytes || strchr(" ,\t\n", r->s.text[at]) ||
         (r->s.text[at] == '-' && r->s.text[at + 1] == '>');
}

static bool try_type(reader *r, weft_attr_type type, weft_attr *out) {
  size_t used = 0;
  if (weft_attr_parse(type, r->s.text + r->s.at, r->s.bytes - r->s.at, &r->ex->arena, out, &used, NULL))
    return false;
  if (!ends_value(r, r->s.at + used))
    return false;
  r->s.at += used;
  return true;
}

static weft_status read_value(reader *r, weft_named_attr *a, int slot) {
  static const weft_attr_type guesses[] = {WEFT_VT_INT,         WEFT_VT_BOOL,      WEFT_VT_FLOAT,
                                           WEFT_VT_STRING,      WEFT_VT_LIST_INT,  WEFT_VT_LIST_FLOAT,
                                           WEFT_VT_LIST_STRING, WEFT_VT_LIST_BOOL, WEFT_VT_LIST_LIST_INT,
                                           WEFT_VT_TYPE,        WEFT_VT_TENSOR};
  weft__scan_space(&r->s);
  if (slot >= 0 && try_type(r, r->ex->proto->attr_types[slot], &a->value))
    return WEFT_OK;
  for (size_t i = 0; i < WEFT_COUNT(guesses); i++) {
    if (try_type(r, guesses[i], &a->value))
      return WEFT_OK;
  }
  if (slot >= 0) {  // for its message
    size_t used;
    weft_status s = weft_attr_parse(r->ex->proto->attr_types[slot], r->s.text + r->s.at, r->s.bytes - r->s.at,
                                    &r->ex->arena, &a->value, &used, r->s.d);
    if (s)
      weft_note(r->s.d, "while reading attribute '%s'", a->name);
    WEFT_TRY(s);
  }
  return weft__scan_fail(&r->s, WEFT_E_SYNTAX, "the value of attribute '%s' cannot be read", a->name);
}

static weft_status example_read_attrs(reader *r) {
  weft__example *ex = r->ex;
  size_t most = 0;
  for (size_t i = 0; i < r->s.bytes; i++)
    most += r->s.text[i] == '=';
  ex->attrs = WEFT_NEW_N(&ex->arena, weft_named_attr, most + 1);
  WEFT_TRY(weft__allocated(ex->attrs, r->s.d));
  while (at_attr(r)) {
    const char *name;
    size_t n = weft__scan_ident(&r->s, &name);
    weft__scan_char(&r->s, '=');
    weft_named_attr *a = &ex->attrs[ex->n_attrs];
    a->name = weft__arena_strdup(&ex->arena, name, n);
    WEFT_TRY(weft__allocated(a->name, r->s.d));
    WEFT_TRY(read_value(r, a, weft_proto_find_attr(ex->proto, a->name)));
    ex->n_attrs++;
    weft__scan_char(&r->s, ',');
  }
  return WEFT_OK;
}

// ---- the expected end ----

static weft_status read_error(reader *r) {
  static const struct {
    const char *name;
    weft_status s;
  } list[] = {
#define X(name, number, text) {#name, number},
      WEFT_STATUS_LIST(X)
#undef X
  };
  const char *name;
  size_t n = weft__scan_ident(&r->s, &name);
  size_t i = 0;
  while (i < WEFT_COUNT(list) && (strlen(list[i].name) != n || memcmp(list[i].name, name, n)))
    i++;
  if (i == WEFT_COUNT(list) || !list[i].s) {
    return weft__scan_fail(&r->s, WEFT_E_SYNTAX,
                           "expected the name of a failure such as E_SHAPE after '!!', got '%.*s'",
                           (int)WEFT_MIN(n, 40), name);
  }
  r->ex->fails = true;
  r->ex->status = list[i].s;
  weft__scan_space(&r->s);
  size_t end = r->s.bytes;
  while (end > r->s.at && strchr(" \t\n", r->s.text[end - 1]))
    end--;
  r->ex->message = weft__arena_strdup(&r->ex->arena, r->s.text + r->s.at, end - r->s.at);
  r->s.at = r->s.bytes;
  return r->ex->message ? WEFT_OK : weft_fail(r->s.d, WEFT_E_NOMEM, "out of memory");
}

// Instances per port. A list without [..] is spread by the framework's rule: required ports take one,
// optional ones while instances remain, a dynamic port the rest. '_' as an output only counts, unless its
// port is optional.
static void example_bind(const weft_port *ports, uint32_t n, const items *list, bool out, uint32_t *counts) {
  size_t at = 0;
  size_t required = 0;
  for (uint32_t i = 0; i < n; i++)
    required += ports[i].kind == WEFT_REQUIRED;
  for (uint32_t i = 0; i < n; i++) {
    const item *it = at < list->n ? &list->v[at] : NULL;
    size_t left = list->n - at;
    required -= ports[i].kind == WEFT_REQUIRED;
    counts[i] = 0;
    if (!it)
      continue;
    if (it->kind == GROUP || ports[i].kind == WEFT_REQUIRED) {
      counts[i] = out && it->kind == ABSENT ? 1 : it->n;
      at++;
    } else if (ports[i].kind == WEFT_OPTIONAL) {
      if (left > required) {
        counts[i] = it->n;
        at++;
      }
    } else {
      for (; at < list->n && list->n - at > required && list->v[at].kind != GROUP; at++)
        counts[i] += list->v[at].kind == ABSENT ? out : 1;
    }
  }
}

static weft_status set_inputs(reader *r, const items *list) {
  weft__example *ex = r->ex;
  ex->in = list->tensors;
  ex->in_ptr = list->ptr;
  ex->n_in = list->n_ptr;
  ex->runs = true;
  for (size_t i = 0; i < list->n_ptr; i++)
    ex->runs &= !list->ptr[i] || weft__has_data(list->ptr[i]);
  if (!list->grouped)
    return WEFT_OK;
  ex->in_counts = WEFT_NEW_N(&ex->arena, uint32_t, (size_t)ex->proto->n_in + 1);
  WEFT_TRY(weft__allocated(ex->in_counts, r->s.d));
  example_bind(ex->proto->in, ex->proto->n_in, list, false, ex->in_counts);
  return WEFT_OK;
}

static weft_status set_outputs(reader *r, const items *list, bool given) {
  weft__example *ex = r->ex;
  const weft_proto *p = ex->proto;
  ex->out = list->tensors;
  ex->out_format_given = list->format_given;
  size_t n = 0;
  for (size_t i = 0; i < list->n_ptr; i++) {  // closes the gaps of absent ones
    if (!list->ptr[i])
      continue;
    weft_tensor moved = list->tensors[i];
    if (n != i) {
      list->tensors[i] = list->tensors[n];
      list->tensors[n] = moved;
    }
    list->format_given[n++] = list->format_given[i];
  }
  ex->n_out = n;
  ex->out_counts = WEFT_NEW_N(&ex->arena, uint32_t, (size_t)p->n_out + 1);
  WEFT_TRY(weft__allocated(ex->out_counts, r->s.d));
  for (uint32_t i = 0; i < p->n_out; i++)
    ex->out_counts[i] = 1;
  if (given)
    example_bind(p->out, p->n_out, list, true, ex->out_counts);
  return WEFT_OK;
}

static weft_status read_line(reader *r) {
  items in;
  items out;
  weft__example *ex = r->ex;
  weft_status s = read_items(r, &in);
  // for deinit
  ex->in = in.tensors;
  ex->n_in = in.tensors ? r->most : 0;
  WEFT_TRY(s);
  WEFT_TRY(set_inputs(r, &in));
  WEFT_TRY(example_read_attrs(r));
  bool arrow = example_take(r, "->");
  memset(&out, 0, sizeof out);
  if (arrow) {
    s = read_items(r, &out);
    ex->out = out.tensors;
    WEFT_TRY(s);
  }
  WEFT_TRY(set_outputs(r, &out, arrow));
  if (arrow && example_take(r, "~")) {
    const char *text;
    size_t n = weft__scan_number(&r->s, &text);
    if (!weft__token_f64(text, n, &ex->tolerance) || !(ex->tolerance >= 0)) {
      return weft__scan_fail(&r->s, WEFT_E_SYNTAX, "expected a tolerance after '~', got '%.*s'",
                             (int)WEFT_MIN(n, 40), text);
    }
    ex->tolerant = true;
  }
  if (example_take(r, "!!"))
    return read_error(r);
  if (!arrow)
    return weft__scan_fail(&r->s, WEFT_E_SYNTAX, "expected '->' and outputs, or '!!' and an error");
  weft__scan_space(&r->s);
  return r->s.at == r->s.bytes ? WEFT_OK
                               : weft__scan_fail(&r->s, WEFT_E_SYNTAX, "the line goes on after its outputs");
}

weft_status weft__example_parse(weft_env *e, const weft_proto *p, const char *text, weft__example *out,
                                weft_diag *d) {
  memset(out, 0, sizeof *out);
  out->proto = p;
  out->text = text;
  out->alloc = e->alloc;
  out->message = "";
  weft__arena_init(&out->arena, &e->alloc);
  if (weft_symbols_create(&e->alloc, &out->symbols))
    return weft_fail(d, WEFT_E_NOMEM, "out of memory");
  reader r = {.s = {.text = text, .bytes = strlen(text), .what = "example", .d = d}, .ex = out, .most = 1};
  for (size_t i = 0; i < r.s.bytes; i++)
    r.most += text[i] == ',' || text[i] == '[';
  weft_status s = read_line(&r);
  if (s)
    weft_note(d, "in the example \"%s\" of operator '%s'", text, p->name);
  return s;
}

// Lists are sized by the same count; entries that were never read are empty tensors.
void weft__example_deinit(weft__example *ex) {
  size_t most = 1;
  for (const char *c = ex->text; *c; c++)
    most += *c == ',' || *c == '[';
  for (size_t i = 0; i < most; i++) {
    if (ex->in)
      weft_tensor_deinit(&ex->in[i]);
    if (ex->out)
      weft_tensor_deinit(&ex->out[i]);
  }
  weft_symbols_destroy(ex->symbols);
  weft__arena_deinit(&ex->arena);
  ex->in = ex->out = NULL;
  ex->symbols = NULL;
}
// SPDX-License-Identifier: Apache-2.0
