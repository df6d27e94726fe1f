// front_expr.c - mappings that are written as a line. The text is read each time an operator of that name
// comes: it is short, and nothing has to be kept.
#include "frontend/front.h"

#include "tensor/scan.h"

enum { EXPR_INPUTS = 8, EXPR_DEPTH = 16, EXPR_NAME = 48 };

typedef struct expr {
  front_op *o;
  const front_rule *r;
  const char *at;
  int depth;
} expr;

static weft_value *expr_value(expr *e);

static void expr_space(expr *e) {
  while (*e->at == ' ')
    e->at++;
}

static bool expr_is(expr *e, char c) {
  expr_space(e);
  if (*e->at != c)
    return false;
  e->at++;
  return true;
}

static bool expr_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// A name; empty: none stands here.
static void expr_name(expr *e, char out[EXPR_NAME]) {
  size_t n = 0;
  expr_space(e);
  while (expr_letter(*e->at) && n + 1 < EXPR_NAME)
    out[n++] = *e->at++;
  out[n] = 0;
}

static bool expr_number(expr *e, double *out) {
  expr_space(e);
  if (*e->at != '-' && (*e->at < '0' || *e->at > '9'))
    return false;
  size_t n = 1 + strspn(e->at + 1, "0123456789.");
  if (e->at[n] == 'e')
    n += 1 + strspn(e->at + n + 1, "-0123456789");
  bool read = weft__token_f64(e->at, n, out);
  e->at += n;
  return read;
}

static weft_value *expr_bad(expr *e, const char *what) {
  return front_none(e->o, WEFT_E_STATE, "the rule '%s': %s", e->r->text, what);
}

static front_arg expr_find(const expr *e, const char *name) {
  return e->r->find(e->r->ctx, name, strlen(name));
}

// ---- numbers ----
static weft_dtype expr_type(const expr *e, const front_arg *a) {
  if (e->r->type != WEFT_UNDEFINED)
    return e->r->type;
  return a->kind == FRONT_FLOAT ? WEFT_FLOAT : a->kind == FRONT_BOOL ? WEFT_BOOL : WEFT_INT64;
}

static weft_value *expr_argument(expr *e, const char *name, const front_arg *a, bool raw) {
  switch (a->kind) {
    case FRONT_VALUE:
      return raw ? a->v : front_as(e->o, a->v, e->r->type);
    case FRONT_INT:
    case FRONT_BOOL:
      return front_int(e->o, expr_type(e, a), a->i);
    case FRONT_FLOAT:
      return front_num(e->o, expr_type(e, a), a->f);
    case FRONT_ABSENT:
      return front_none(e->o, WEFT_E_MISSING, "argument '%s' is not given", name);
    default:
      return front_none(e->o, WEFT_E_TYPE, "argument '%s' is not a tensor or a number", name);
  }
}

// An argument, with "|default" behind its name.
static front_arg expr_given(expr *e, const char *name) {
  front_arg a = expr_find(e, name);
  double v;
  if (!expr_is(e, '|'))
    return a;
  const char *from = e->at;
  if (!expr_number(e, &v)) {
    expr_bad(e, "a default is not a number");
    return a;
  }
  if (a.kind != FRONT_ABSENT)
    return a;
  bool whole = !memchr(from, '.', (size_t)(e->at - from)) && !memchr(from, 'e', (size_t)(e->at - from));
  return (front_arg){.kind = whole ? FRONT_INT : FRONT_FLOAT, .i = (int64_t)v, .f = v};
}

// ---- attributes ----
static weft_attr_type expr_attr_type(expr *e, const char *type, const char *name, const char **kept) {
  const weft_proto *p = weft_find(e->o->f->env, type);
  for (uint32_t i = 0; p && i < p->n_attr; i++) {
    if (strcmp(p->attrs[i].name, name))
      continue;
    *kept = p->attrs[i].name;
    return p->attr_types[i];
  }
  expr_bad(e, "the primitive has no such attribute");
  return WEFT_VT_NONE;
}

static void expr_set(expr *e, weft_attr_type type, const char *name, const front_arg *a) {
  front_op *o = e->o;
  double f = a->kind == FRONT_FLOAT ? a->f : (double)a->i;
  if (a->kind == FRONT_ABSENT)
    return;  // the primitive's own default
  if (a->kind == FRONT_TEXT)
    front_set(o, name, weft_attr_str(a->text.text, a->text.bytes));
  else if (a->kind == FRONT_INTS)
    front_set(o, name, weft_attr_ints(a->ints.v, a->ints.n));
  else if (a->kind == FRONT_VALUE)
    front_fail(o, WEFT_E_UNSUPPORTED, "argument for '%s' is a tensor; only numbers are read", name);
  else if (type == WEFT_VT_FLOAT)
    front_set(o, name, weft_attr_float((float)f));
  else if (type == WEFT_VT_BOOL)
    front_set(o, name, weft_attr_bool(f != 0));
  else
    front_set(o, name, weft_attr_int(a->kind == FRONT_FLOAT ? (int64_t)f : a->i));
}

// name=@argument|default, name=1.5, name='text'; `at` stands behind the equals sign.
static void expr_attribute(expr *e, const char *type, const char *name) {
  const char *kept = NULL;
  weft_attr_type t = expr_attr_type(e, type, name, &kept);
  front_arg a = {.kind = FRONT_FLOAT};
  char given[EXPR_NAME];
  if (e->o->failed)
    return;
  if (expr_is(e, '@')) {
    expr_name(e, given);
    a = expr_given(e, given);
  } else if (expr_is(e, '\'')) {
    size_t n = strcspn(e->at, "'");
    a = (front_arg){.kind = FRONT_TEXT, .text = {e->at, n}};
    e->at += n + (e->at[n] != 0);
  } else if (expr_number(e, &a.f)) {
    a.i = (int64_t)a.f;
  } else
    expr_bad(e, "an attribute has no value");
  expr_set(e, t, kept, &a);
}

// ---- calls ----
static weft_value *expr_cast(expr *e, weft_dtype t) {
  weft_value *v = expr_value(e);
  if (!expr_is(e, ')'))
    return expr_bad(e, "a ')' is missing");
  return front_as(e->o, v, t);
}

static weft_value *expr_raw(expr *e) {
  char name[EXPR_NAME];
  expr_name(e, name);
  front_arg a = expr_given(e, name);
  if (!expr_is(e, ')'))
    return expr_bad(e, "a ')' is missing");
  return expr_argument(e, name, &a, true);
}

static weft_value *expr_builtin(expr *e, const char *name) {
  static const struct {
    const char *name;
    weft_dtype t;
  } casts[] = {{"f32", WEFT_FLOAT}, {"f64", WEFT_DOUBLE}, {"i64", WEFT_INT64},
               {"i32", WEFT_INT32}, {"bool", WEFT_BOOL},  {"u8", WEFT_UINT8}};
  if (!strcmp(name, "raw"))
    return expr_raw(e);
  if (!strcmp(name, "out"))
    return expr_cast(e, e->r->out);
  for (size_t i = 0; i < WEFT_COUNT(casts); i++) {
    if (!strcmp(name, casts[i].name))
      return expr_cast(e, casts[i].t);
  }
  return expr_bad(e, "it has a function that is not known");
}

// Is the value the number 1, of any dtype?
static bool expr_is_one(const weft_value *v) {
  const weft_tensor *t = v ? v->fact.value : NULL;
  return t && t->kind == WEFT_KIND_TENSOR && t->data && !v->fact.rank && weft_tensor_elems(t) == 1 &&
         weft_load_f64(t->dtype, t->data, 0) == 1 && !(WEFT_BIT(t->dtype) & WEFT_SET_COMPLEX);
}

// A primitive; `at` stands behind its parenthesis.
static weft_value *expr_call(expr *e, const char *type) {
  weft_value *in[EXPR_INPUTS];
  char name[EXPR_NAME];
  size_t n = 0;
  while (!expr_is(e, ')') && !e->o->failed) {
    const char *from = e->at;
    expr_name(e, name);
    if (*name && expr_is(e, '=')) {
      expr_attribute(e, type, name);
    } else {
      e->at = from;
      if (n == EXPR_INPUTS)
        return expr_bad(e, "it has too many inputs");
      in[n++] = expr_value(e);
    }
    if (!expr_is(e, ',')) {
      if (!expr_is(e, ')'))
        return expr_bad(e, "a ',' or ')' is missing");
      break;
    }
  }
  if (e->o->failed)
    return NULL;
  if (!strcmp(type, "Mul") && n == 2 && (expr_is_one(in[1]) || expr_is_one(in[0])))
    return expr_is_one(in[1]) ? in[0] : in[1];
  return front_emit(e->o, type, in, n, NULL);
}

static weft_value *expr_value(expr *e) {
  char name[EXPR_NAME];
  double number;
  weft_value *v;
  if (e->o->failed)
    return NULL;
  if (e->depth >= EXPR_DEPTH)
    return expr_bad(e, "it is nested too deep");
  e->depth++;
  if (expr_number(e, &number)) {
    v = front_num(e->o, e->r->type == WEFT_UNDEFINED ? e->r->out : e->r->type, number);
  } else {
    expr_name(e, name);
    bool upper = *name >= 'A' && *name <= 'Z';
    if (*e->at == '(') {
      e->at++;
      v = upper ? expr_call(e, name) : expr_builtin(e, name);
    } else {
      front_arg a = expr_given(e, name);
      v = expr_argument(e, name, &a, false);
    }
  }
  e->depth--;
  return v;
}

weft_value *front_eval(front_op *o, const front_rule *r) {
  expr e = {.o = o, .r = r, .at = r->text};
  weft_value *v = expr_value(&e);
  expr_space(&e);
  if (!o->failed && *e.at)
    return expr_bad(&e, "something stands behind its end");
  return v;
}
// SPDX-License-Identifier: Apache-2.0
