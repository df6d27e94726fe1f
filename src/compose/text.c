// text.c - compositions that are written as text: statements, and what their names stand for. The text is
// read each time: it is short, and a compiled program holds its primitives.
#include "compose/compose.h"

#include "base/allocated.h"
#include "op/infer_node.h"

enum { TEXT_NAME = 48, TEXT_NAMES = 16, TEXT_LINE = 1024 };

typedef struct weft__composed_name {
  struct weft__composed_name *next;
  const char *name;
  weft_value *const *v;
  size_t n;
} weft__composed_name;

static const weft__composed_name *text_named(const weft__composing *c, const char *name) {
  for (const weft__composed_name *n = c->names; n; n = n->next) {
    if (!strcmp(n->name, name))
      return n;
  }
  return NULL;
}

static void text_give(weft__composing *c, const char *name, weft_value *const *v, size_t n) {
  weft_arena *a = &c->o->f->arena;
  weft__composed_name *made = WEFT_NEW(a, weft__composed_name);
  weft_value **kept = WEFT_NEW_N(a, weft_value *, n + 1);
  const char *own = weft__arena_strdup(a, name, strlen(name));
  if (!made || !kept || !own) {
    front_fail(c->o, WEFT_E_NOMEM, "out of memory");
    return;
  }
  if (n)
    memcpy(kept, v, n * sizeof *kept);
  *made = (weft__composed_name){c->names, own, kept, n};
  c->names = made;
}

void weft__compose_name(weft__composing *c, const char *name, weft_value *v) {
  if (!c->o->failed)
    text_give(c, name, &v, 1);
}

weft_status weft__compose_names(weft__composing *c, const char *name, weft_value *const *v, size_t n) {
  if (!c->o->failed)
    text_give(c, name, v, n);
  return c->o->failed;
}

static const weft_port *text_port(const weft_port *list, uint32_t n, uint16_t stride, const char *name,
                                  uint32_t *out) {
  for (uint32_t i = 0; i < n; i++) {
    const weft_port *p = (const weft_port *)((const char *)list + (size_t)i * stride);
    *out = i;
    if (!strcmp(p->name, name))
      return p;
  }
  return NULL;
}

// The values of a name: given before, or the instances of an input port. False: it is neither.
static bool text_values(const weft__composing *c, const char *name, weft_value *const **v, size_t *n) {
  const weft__composed_name *named = text_named(c, name);
  const weft_op_desc *desc = c->desc;
  uint32_t port;
  if (named) {
    *v = named->v;
    *n = named->n;
    return true;
  }
  if (!text_port(desc->op->in, desc->n_in_ports, desc->op->port_bytes, name, &port))
    return false;
  *v = c->in + desc->in_port[port].start;
  *n = desc->in_port[port].count;
  return true;
}

weft_value *weft__composed(const weft__composing *c, const char *name) {
  weft_value *const *v;
  size_t n;
  return text_values(c, name, &v, &n) && n == 1 ? v[0] : NULL;
}

weft_value *const *weft__composed_all(const weft__composing *c, const char *name, size_t *out_n) {
  weft_value *const *v = NULL;
  *out_n = 0;
  return text_values(c, name, &v, out_n) ? v : NULL;
}

// ---- arguments ----
static front_arg text_value(const weft_attr *a) {
  switch (a->type) {
    case WEFT_VT_INT:
    case WEFT_VT_TYPE:
      return (front_arg){.kind = FRONT_INT, .i = a->u.i, .attr = a};
    case WEFT_VT_FLOAT:
      return (front_arg){.kind = FRONT_FLOAT, .f = a->u.f, .attr = a};
    case WEFT_VT_BOOL:
      return (front_arg){.kind = FRONT_BOOL, .i = a->u.b, .attr = a};
    case WEFT_VT_STRING:
      return (front_arg){.kind = FRONT_TEXT, .text = {a->u.s, a->n}, .attr = a};
    case WEFT_VT_LIST_INT:
      return (front_arg){.kind = FRONT_INTS, .ints = {a->u.ints, a->n}, .attr = a};
    default:
      return (front_arg){.kind = FRONT_ATTR, .attr = a};
  }
}

static front_arg text_attr(const weft__composing *c, const char *name) {
  for (uint32_t i = 0; i < c->desc->n_attr; i++) {
    if (!strcmp(weft__attr_name(c->desc, i), name))
      return c->desc->attr[i] ? text_value(c->desc->attr[i]) : (front_arg){.kind = FRONT_ABSENT};
  }
  return (front_arg){.kind = FRONT_ABSENT};
}

static front_arg text_find(void *ctx, const char *name, size_t bytes) {
  const weft__composing *c = ctx;
  weft_value *const *v;
  size_t n;
  (void)bytes;
  if (!text_values(c, name, &v, &n))
    return text_attr(c, name);
  if (n == 1)
    return (front_arg){.kind = FRONT_VALUE, .v = v[0], .values = v, .n = 1};
  return (front_arg){.kind = n ? FRONT_VALUES : FRONT_ABSENT, .values = v, .n = n};
}

// ---- statements ----
typedef struct statement {
  char name[TEXT_NAMES][TEXT_NAME];
  bool all[TEXT_NAMES];  // "y..."
  size_t n, outs;        // names; values that they stand for
  char rule[TEXT_LINE];
} statement;

static weft_status text_bad(weft__composing *c, const char *text, const char *what) {
  return front_fail(c->o, WEFT_E_STATE, "the composition '%s': %s", text, what);
}

// Of an output port.
static size_t text_instances(const weft__composing *c, const char *name) {
  uint32_t port;
  const weft_op *op = c->desc->op;
  return text_port(op->out, c->desc->n_out_ports, op->port_bytes, name, &port) ? c->desc->out_port[port].count
                                                                               : 0;
}

// Reads one statement; *at stands behind it afterwards.
static weft_status text_statement(weft__composing *c, const char **at, statement *s) {
  const char *text = *at;
  size_t all = strcspn(text, ";");
  size_t left = strcspn(text, "=(");
  s->n = s->outs = 0;
  if (text[left] != '=' || left > all)
    return text_bad(c, text, "a statement begins with 'name ='");
  for (const char *p = text; p < text + left;) {
    size_t n = strspn(p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    if (n && (n >= TEXT_NAME || s->n == TEXT_NAMES))
      return text_bad(c, text, "too many names, or too long a name");
    if (n) {
      memcpy(s->name[s->n], p, n);
      s->name[s->n][n] = 0;
      s->all[s->n] = p[n] == '.';
      s->outs += s->all[s->n] ? text_instances(c, s->name[s->n]) : 1;
      s->n++;
    }
    p += n + !n;
  }
  size_t rule = all - left - 1;
  if (!s->n || rule >= TEXT_LINE)
    return text_bad(c, text, "a statement has no name, or is too long");
  memcpy(s->rule, text + left + 1, rule);
  s->rule[rule] = 0;
  *at = text + all + (text[all] == ';');
  *at += strspn(*at, " ");
  return WEFT_OK;
}

static weft_status text_assign(weft__composing *c, const statement *s, weft_value *v) {
  uint32_t from = v->node ? (uint32_t)(v - v->node->out) : 0;
  uint32_t there = v->node ? v->node->desc.pub.n_out - from : 1;
  for (size_t i = 0; i < s->n; i++) {
    if (i >= there)
      return text_bad(c, s->rule, "it has fewer outputs than names");
    weft_value *one[1] = {v + i};
    weft_value **list = one;
    size_t n = 1;
    if (s->all[i]) {
      n = there - i;
      list = WEFT_NEW_N(&c->o->f->arena, weft_value *, n + 1);
      if (!list)
        return front_fail(c->o, WEFT_E_NOMEM, "out of memory");
      for (size_t k = 0; k < n; k++)
        list[k] = v + i + k;
    }
    text_give(c, s->name[i], list, n);
  }
  return c->o->failed;
}

weft_status weft__compose_text(weft__composing *c, const char *text) {
  statement s;
  while (*text && !c->o->failed) {
    WEFT_TRY(text_statement(c, &text, &s));
    const front_rule rule = {.text = s.rule,
                             .find = text_find,
                             .ctx = c,
                             .type = WEFT_UNDEFINED,
                             .out = c->main,
                             .number = &c->main,
                             .outs = (uint32_t)s.outs};
    weft_value *v = front_eval(c->o, &rule);
    if (!c->o->failed && v)
      WEFT_TRY(text_assign(c, &s, v));
  }
  return c->o->failed;
}
// SPDX-License-Identifier: Apache-2.0
