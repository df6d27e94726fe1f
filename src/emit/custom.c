// custom.c - operators of packages and of the program in models of any framework. What a model's node gives
// is laid on the ports and attributes that the operator declares; what does not fit is refused with both
// sides. weft's own operators, whose meaning under another name nobody promises, are found in the domain
// "weft" only.
#include "base/allocated.h"
#include "emit/emit.h"
#include "op/proto.h"

enum { CUSTOM_PART = 120 };  // bytes of a domain or type

// ---- finding ----
static const weft_proto *custom_find(weft_env *e, weft_str domain, const char *name) {
  const weft_proto *p = weft_find(e, name);
  const bool own = p && (p->source == WEFT_FROM_PACKAGE || p->source == WEFT_FROM_PROGRAM);
  return own || (domain.bytes == 4 && !memcmp(domain.text, "weft", 4)) ? p : NULL;
}

// As operators are named: "add_custom" is AddCustom.
static void custom_camel(weft_str type, char out[CUSTOM_PART + 1]) {
  bool first = true;
  size_t n = 0;
  for (size_t i = 0; i < type.bytes; i++) {
    const char c = type.text[i];
    if (c != '_')
      out[n++] = first && c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
    first = c == '_';
  }
  out[n] = 0;
}

const weft_proto *front_custom_find(weft_env *e, weft_str domain, weft_str type) {
  char names[2][CUSTOM_PART + 1];
  char name[2 * CUSTOM_PART + 3];
  const weft_proto *p = NULL;
  if (!type.bytes || type.bytes > CUSTOM_PART || domain.bytes > CUSTOM_PART)
    return NULL;
  snprintf(names[0], sizeof names[0], "%.*s", (int)type.bytes, type.text);
  custom_camel(type, names[1]);
  for (int i = 0; i < 2 && !p && domain.bytes; i++) {
    snprintf(name, sizeof name, "%.*s::%s", (int)domain.bytes, domain.text, names[i]);
    p = custom_find(e, domain, name);
  }
  for (int i = 0; i < 2 && !p; i++)
    p = custom_find(e, domain, names[i]);
  return p;
}

// ---- arguments ----
front_arg front_attr_arg(front_op *o, weft_attr value) {
  weft_attr *kept = WEFT_NEW(&o->f->arena, weft_attr);
  if (!kept) {
    front_fail(o, WEFT_E_NOMEM, "out of memory");
    return (front_arg){.kind = FRONT_ABSENT};
  }
  *kept = value;
  return (front_arg){.kind = FRONT_ATTR, .attr = kept};
}

// What the items of a list are, of each kind that they may turn out to have.
typedef struct custom_items {
  front_kind kind;  // of all
  int64_t *ints;
  float *floats;
  bool *bools;
  weft_str *texts;
} custom_items;

static bool custom_room_for(front_op *o, custom_items *c, size_t n) {
  weft_arena *arena = &o->f->arena;
  c->ints = WEFT_NEW_N(arena, int64_t, n + 1);
  c->floats = WEFT_NEW_N(arena, float, n + 1);
  c->bools = WEFT_NEW_N(arena, bool, n + 1);
  c->texts = WEFT_NEW_N(arena, weft_str, n + 1);
  if (!c->ints || !c->floats || !c->bools || !c->texts)
    front_fail(o, WEFT_E_NOMEM, "out of memory");
  return !o->failed;
}

static front_arg custom_listed(front_op *o, const custom_items *c, size_t n) {
  switch (c->kind) {
    case FRONT_INT:
      return (front_arg){.kind = FRONT_INTS, .ints = {c->ints, n}};
    case FRONT_FLOAT:
      return front_attr_arg(o, weft_attr_floats(c->floats, n));
    case FRONT_BOOL:
      return front_attr_arg(o, (weft_attr){.type = WEFT_VT_LIST_BOOL, .n = n, .u.bools = c->bools});
    case FRONT_TEXT:
      return front_attr_arg(o, weft_attr_strs(c->texts, n));
    default:
      return (front_arg){.kind = FRONT_ABSENT};
  }
}

front_arg front_listed(front_op *o, size_t n, front_arg (*get)(void *ctx, size_t i), void *ctx) {
  custom_items c = {.kind = FRONT_INT};
  if (!custom_room_for(o, &c, n))
    return (front_arg){.kind = FRONT_ABSENT};
  for (size_t i = 0; i < n && !o->failed; i++) {
    const front_arg item = get(ctx, i);
    if (i && item.kind != c.kind)
      return (front_arg){.kind = FRONT_ABSENT};
    c.kind = item.kind;
    c.ints[i] = item.i;
    c.bools[i] = item.i != 0;
    c.floats[i] = (float)item.f;
    c.texts[i] = item.text;
  }
  return o->failed ? (front_arg){.kind = FRONT_ABSENT} : custom_listed(o, &c, n);
}

// ---- attributes ----
static const char *custom_kind(const front_arg *a) {
  static const char *const kinds[] = {
      [FRONT_ABSENT] = "nothing", [FRONT_VALUE] = "a tensor",      [FRONT_INT] = "an integer",
      [FRONT_FLOAT] = "a float",  [FRONT_BOOL] = "a boolean",      [FRONT_TEXT] = "a string",
      [FRONT_INTS] = "integers",  [FRONT_ATTR] = "something else", [FRONT_VALUES] = "tensors"};
  return a->kind == FRONT_ATTR ? weft_attr_type_name(a->attr->type) : kinds[a->kind];
}

// A list of integers where another is declared; an empty one is an empty list of anything.
static bool custom_list(front_op *o, const weft_ints *v, weft_attr_type want, weft_attr *out) {
  custom_items c = {.kind = FRONT_INT};
  if (!custom_room_for(o, &c, v->n))
    return false;
  for (size_t i = 0; i < v->n; i++) {
    c.bools[i] = v->v[i] != 0;
    c.floats[i] = (float)v->v[i];
  }
  switch (want) {
    case WEFT_VT_LIST_INT:
      *out = weft_attr_ints(v->v, v->n);
      return true;
    case WEFT_VT_LIST_BOOL:
      *out = (weft_attr){.type = want, .n = v->n, .u.bools = c.bools};
      return true;
    case WEFT_VT_LIST_FLOAT:
      *out = weft_attr_floats(c.floats, v->n);
      return true;
    case WEFT_VT_LIST_TYPE:
      *out = (weft_attr){.type = want, .u.ints = v->v};
      return !v->n;
    case WEFT_VT_LIST_STRING:
      *out = weft_attr_strs(NULL, 0);
      return !v->n;
    default:
      return false;
  }
}

// false: the argument is no value of this type.
static bool custom_value(front_op *o, const front_arg *a, weft_attr_type want, weft_attr *out) {
  const bool whole = a->kind == FRONT_INT || a->kind == FRONT_BOOL;
  if (a->attr && a->attr->type == want) {
    *out = *a->attr;
    return true;
  }
  switch (want) {
    case WEFT_VT_INT:  // CANN's numbers of dtypes, too
      *out = weft_attr_int(whole || !a->attr ? a->i : a->attr->u.i);
      return whole || (a->attr && a->attr->type == WEFT_VT_TYPE);
    case WEFT_VT_BOOL:
      *out = weft_attr_bool(a->i != 0);
      return whole && (a->i == 0 || a->i == 1);
    case WEFT_VT_FLOAT:
      *out = weft_attr_float(a->kind == FRONT_FLOAT ? (float)a->f : (float)a->i);
      return a->kind == FRONT_FLOAT || a->kind == FRONT_INT;
    case WEFT_VT_STRING:
      *out = weft_attr_str(a->text.text, a->text.bytes);
      return a->kind == FRONT_TEXT;
    default:
      return a->kind == FRONT_INTS && custom_list(o, &a->ints, want, out);
  }
}

static void custom_set(front_op *o, const weft_proto *p, int slot, const front_given *given) {
  const weft_attr_decl *decl = &p->attrs[slot];
  weft_attr value;
  if (given->arg.kind == FRONT_ABSENT)
    return;  // the operator's own default
  if (given->arg.kind == FRONT_VALUE || given->arg.kind == FRONT_VALUES)
    front_fail(
        o, WEFT_E_UNSUPPORTED,
        "argument '%.80s' is known only when the model runs, and operator '%s' has an attribute of this "
        "name: declare an input instead",
        given->name, p->name);
  else if (custom_value(o, &given->arg, p->attr_types[slot], &value))
    front_set(o, decl->name, value);
  else
    front_fail(o, WEFT_E_TYPE, "argument '%.80s': got %s, expected %s, as operator '%s' declares it",
               given->name, custom_kind(&given->arg), decl->type, p->name);
}

static void custom_no_attribute(front_op *o, const weft_proto *p, const char *name) {
  char list[400] = "none";
  size_t at = 0;
  for (uint32_t i = 0; i < p->n_attr && at < 300; i++)
    at += (size_t)snprintf(list + at, sizeof list - at, "%s%.80s", i ? ", " : "", p->attrs[i].name);
  front_fail(o, WEFT_E_NOT_FOUND, "operator '%s' has no attribute '%.80s'; its attributes: %s", p->name, name,
             list);
}

// ---- inputs ----
typedef struct custom_use {
  const weft_proto *p;
  weft_value **in;  // of all ports, one behind the other
  size_t n;
  uint32_t *in_counts, *out_counts;  // by port
} custom_use;

static bool custom_is_input(const front_given *g) {  // or one that is left out
  return g->arg.kind == FRONT_VALUE || g->arg.kind == FRONT_VALUES || g->arg.kind == FRONT_ABSENT;
}

static void custom_put(custom_use *u, uint32_t port, const front_given *g) {
  const front_arg *a = &g->arg;
  const size_t n = a->kind == FRONT_VALUES ? a->n : a->kind == FRONT_VALUE;
  for (size_t i = 0; i < n; i++)
    u->in[u->n++] = a->kind == FRONT_VALUES ? a->values[i] : a->v;
  u->in_counts[port] += (uint32_t)n;
}

// Each input goes to the port of its name, where all names are those of ports.
static bool custom_by_name(const custom_use *u, const front_given *const *given, size_t n) {
  for (size_t i = 0; i < n; i++) {
    if (!given[i]->name || weft_proto_find_in(u->p, given[i]->name) < 0)
      return false;
  }
  return n > 0;
}
static void custom_named(custom_use *u, const front_given *const *given, size_t n) {
  for (uint32_t port = 0; port < u->p->n_in; port++) {
    for (size_t i = 0; i < n; i++) {
      if (weft_proto_find_in(u->p, given[i]->name) == (int)port)
        custom_put(u, port, given[i]);
    }
  }
}

// Else in order: a list to a dynamic port, or as many single ones as leave enough for the ports behind it.
static void custom_ordered(front_op *o, custom_use *u, const front_given *const *given, size_t n) {
  size_t at = 0;
  for (uint32_t port = 0; port < u->p->n_in && at < n; port++) {
    size_t take = 1;
    const size_t behind = u->p->n_in - port - 1;
    if (u->p->in[port].kind == WEFT_DYNAMIC && given[at]->arg.kind != FRONT_VALUES)
      take = n - at > behind ? n - at - behind : 0;
    while (take--)
      custom_put(u, port, given[at++]);
  }
  if (at < n)
    front_fail(o, WEFT_E_INVALID, "it has %zu inputs; operator '%s' takes %zu", n, u->p->name, at);
}

// ---- outputs ----
static void custom_outputs(front_op *o, custom_use *u, size_t n_out) {
  uint32_t dynamic = 0;
  for (uint32_t i = 0; i < u->p->n_out; i++)
    dynamic += u->p->out[i].kind == WEFT_DYNAMIC;
  const size_t single = u->p->n_out - dynamic;
  if (n_out > single && !dynamic)
    front_fail(o, WEFT_E_INVALID, "%zu outputs, operator '%s' has %u", n_out, u->p->name, u->p->n_out);
  else if (dynamic > 1)
    front_fail(o, WEFT_E_UNSUPPORTED,
               "operator '%s' has %u dynamic outputs, and the model does not say where each of them ends",
               u->p->name, dynamic);
  for (uint32_t i = 0; i < u->p->n_out; i++) {
    const bool one = u->p->out[i].kind != WEFT_DYNAMIC;
    u->out_counts[i] = one ? 1 : n_out > single ? (uint32_t)(n_out - single) : 0;
  }
}

// ---- the node ----
static size_t custom_room(const front_given *given, size_t n) {
  size_t room = 1;
  for (size_t i = 0; i < n; i++)
    room += given[i].arg.kind == FRONT_VALUES ? given[i].arg.n : 1;
  return room;
}

weft_value *front_custom(front_op *o, const weft_proto *p, const front_given *given, size_t n, size_t n_out) {
  weft_arena *arena = &o->f->arena;
  custom_use u = {.p = p,
                  .in = WEFT_NEW_N(arena, weft_value *, custom_room(given, n)),
                  .in_counts = WEFT_NEW_N(arena, uint32_t, p->n_in + 1),
                  .out_counts = WEFT_NEW_N(arena, uint32_t, p->n_out + 1)};
  const front_given **inputs = WEFT_NEW_N(arena, const front_given *, n + 1);
  size_t n_inputs = 0;
  if (!u.in || !u.in_counts || !u.out_counts || !inputs)
    return front_none(o, WEFT_E_NOMEM, "out of memory");
  for (size_t i = 0; i < n && !o->failed; i++) {
    const int slot = given[i].name ? weft_proto_find_attr(p, given[i].name) : -1;
    if (slot >= 0)
      custom_set(o, p, slot, &given[i]);
    else if (custom_is_input(&given[i]))
      inputs[n_inputs++] = &given[i];
    else
      custom_no_attribute(o, p, given[i].name);
  }
  while (n_inputs && inputs[n_inputs - 1]->arg.kind == FRONT_ABSENT)
    n_inputs--;
  if (o->failed)
    return NULL;
  if (custom_by_name(&u, inputs, n_inputs))
    custom_named(&u, inputs, n_inputs);
  else
    custom_ordered(o, &u, inputs, n_inputs);
  custom_outputs(o, &u, n_out);
  const weft_use counts = {.in_counts = u.in_counts, .out_counts = u.out_counts};
  return o->failed ? NULL : front_emit(o, p->name, u.in, u.n, &counts);
}
// SPDX-License-Identifier: Apache-2.0
