// expr.c - mappings that are written as a line. The text is read each time an operator of that name
// comes: it is short, and nothing has to be kept.
#include "emit/emit.h"

#include "tensor/scan.h"

enum { EXPR_INPUTS = 16, EXPR_DEPTH = 16, EXPR_NAME = 48, EXPR_LIST = 32 };

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
  if (e->r->number)
    return *e->r->number;
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

static front_arg expr_text(expr *e) {  // behind its first quote
  const size_t n = strcspn(e->at, "'");
  front_arg a = {.kind = FRONT_TEXT, .text = {e->at, n}};
  e->at += n + (e->at[n] != 0);
  return a;
}

// An argument, with "|default" behind its name.
static front_arg expr_given(expr *e, const char *name) {
  front_arg a = expr_find(e, name);
  double v;
  if (!expr_is(e, '|'))
    return a;
  const char *from = e->at;
  if (expr_is(e, '\'')) {
    front_arg text = expr_text(e);
    return a.kind == FRONT_ABSENT ? text : a;
  }
  if (!expr_number(e, &v)) {
    expr_bad(e, "a default is neither a number nor a text");
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
  if (a->attr && a->attr->type == type) {
    front_set(o, name, *a->attr);
    return;
  }
  if (a->kind == FRONT_TEXT)
    front_set(o, name, weft_attr_str(a->text.text, a->text.bytes));
  else if (a->kind == FRONT_INTS)
    front_set(o, name, weft_attr_ints(a->ints.v, a->ints.n));
  else if (a->kind == FRONT_VALUE || a->kind == FRONT_VALUES || a->kind == FRONT_ATTR)
    front_fail(o, WEFT_E_UNSUPPORTED, "what is given for '%s' is no number, text or list of integers", name);
  else if (type == WEFT_VT_FLOAT)
    front_set(o, name, weft_attr_float((float)f));
  else if (type == WEFT_VT_TYPE)
    front_set(o, name, weft_attr_dtype((weft_dtype)a->i));
  else if (type == WEFT_VT_BOOL)
    front_set(o, name, weft_attr_bool(f != 0));
  else
    front_set(o, name, weft_attr_int(a->kind == FRONT_FLOAT ? (int64_t)f : a->i));
}

static size_t expr_ints(expr *e, int64_t out[EXPR_LIST]);

// name=@argument|default, name=1.5, name='text', name=[0,1]; `at` stands behind the equals sign.
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
    a = expr_text(e);
  } else if (expr_is(e, '[')) {
    int64_t *list = WEFT_NEW_N(&e->o->f->arena, int64_t, EXPR_LIST);
    if (!list)
      front_none(e->o, WEFT_E_NOMEM, "out of memory");
    else
      a = (front_arg){.kind = FRONT_INTS, .ints = {list, (int64_t)expr_ints(e, list)}};
  } else if (expr_is(e, 't')) {
    a = (front_arg){.kind = FRONT_BOOL, .i = 1};
    e->at += strspn(e->at, "rue");
  } else if (expr_is(e, 'f')) {
    a = (front_arg){.kind = FRONT_BOOL};
    e->at += strspn(e->at, "alse");
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

// "[0,-1]"; `at` stands behind the bracket.
static size_t expr_ints(expr *e, int64_t out[EXPR_LIST]) {
  size_t n = 0;
  double v;
  while (!expr_is(e, ']') && !e->o->failed) {
    if (n == EXPR_LIST || !expr_number(e, &v)) {
      expr_bad(e, "a list has something that is no number, or too much");
      return 0;
    }
    out[n++] = (int64_t)v;
    (void)expr_is(e, ',');
  }
  return n;
}

static weft_value *expr_literal(expr *e) {
  int64_t v[EXPR_LIST];
  size_t n = expr_ints(e, v);
  return e->o->failed ? NULL : front_list(e->o, v, n);
}

// Lists of equal length as INT64 [n,m].
static weft_value *expr_table(expr *e, const weft_attr *a) {
  front_op *o = e->o;
  size_t rows = a->n;
  size_t each = rows ? (size_t)a->u.int_lists[0].n : 0;
  int64_t *all = WEFT_NEW_N(&o->f->arena, int64_t, rows * each + 1);
  weft_tensor t;
  weft_value *v = NULL;
  if (!all)
    return front_none(o, WEFT_E_NOMEM, "out of memory");
  for (size_t i = 0; i < rows; i++) {
    if ((size_t)a->u.int_lists[i].n != each)
      return front_none(o, WEFT_E_SHAPE, "lists of different lengths");
    memcpy(all + i * each, a->u.int_lists[i].v, each * sizeof *all);
  }
  weft_tensor_init(&t, &o->f->env->alloc);
  const weft_dim dims[2] = {(weft_dim)rows, (weft_dim)each};
  o->failed = weft_tensor_borrow(&t, WEFT_INT64, dims, 2, all, rows * each * sizeof *all, o->f->d);
  v = front_const(o, &t);
  weft_tensor_deinit(&t);
  return v;
}

static weft_value *expr_int(expr *e) {
  char name[EXPR_NAME];
  expr_name(e, name);
  front_arg a = expr_find(e, name);
  if (!expr_is(e, ')'))
    return expr_bad(e, "a ')' is missing");
  if (a.kind != FRONT_INT && a.kind != FRONT_BOOL)
    return front_none(e->o, WEFT_E_TYPE, "argument '%s' is no integer", name);
  return front_index(e->o, a.i);
}

// ---- along all axes ----
static weft_value *expr_all_axes(expr *e, const weft_value *v) {
  int64_t axes[WEFT_MAX_RANK];
  int rank = front_rank_of(e->o, v);
  for (int i = 0; i < rank; i++)
    axes[i] = i;
  return front_list(e->o, axes, (size_t)rank);
}

static weft_value *expr_one(expr *e) {  // a value and its ')'
  weft_value *v = expr_value(e);
  return expr_is(e, ')') ? v : expr_bad(e, "a ')' is missing");
}

// axes(dim, x): a list of integers; all axes of x where it is empty.
static weft_value *expr_axes(expr *e) {
  char name[EXPR_NAME];
  expr_name(e, name);
  front_arg a = expr_find(e, name);
  if (!expr_is(e, ','))
    return expr_bad(e, "a ',' is missing");
  weft_value *v = expr_one(e);
  bool given = a.kind == FRONT_INTS && a.ints.n;
  return given ? front_list(e->o, a.ints.v, (size_t)a.ints.n) : expr_all_axes(e, v);
}

// How many elements v has, in v's dtype.
static weft_value *expr_count_of(expr *e, weft_value *v) {
  int rank = front_rank(v);
  double n = 1;
  bool known = rank >= 0;
  for (int i = 0; known && i < rank; i++) {
    known = front_dim(v, i) >= 0;
    n *= (double)front_dim(v, i);
  }
  if (e->o->failed || !v)
    return NULL;
  return known ? front_num(e->o, v->fact.dtype, n)
               : front_as(e->o, front_do(e->o, "Size", v, NULL, NULL), v->fact.dtype);
}

// onto(v, like): v summed over the axes along which `like` was broadcast to it; like's shape.
static weft_value *expr_onto(expr *e) {
  weft_value *v = expr_value(e);
  if (!expr_is(e, ','))
    return expr_bad(e, "a ',' is missing");
  const weft_value *like = expr_one(e);
  return front_summed_onto(e->o, v, like);
}

static weft_value *expr_summed(expr *e, weft_value *v) {
  return front_do(e->o, "ReduceSum", v, expr_all_axes(e, v), NULL);
}

// reduced(v): by the argument 'reduction', none, sum, mean or batchmean; unreduced(v): what each element gets
// back of it.
static weft_value *expr_reduced(expr *e, bool back) {
  weft_value *v = expr_one(e);
  front_arg a = expr_find(e, "reduction");
  if (a.kind != FRONT_TEXT)
    return front_none(e->o, WEFT_E_TYPE, "argument 'reduction' is no text");
  weft_str how = a.text;
  bool mean = how.bytes == 4 && !memcmp(how.text, "mean", 4);
  bool batch = how.bytes == 9 && !memcmp(how.text, "batchmean", 9);
  bool none = how.bytes == 4 && !memcmp(how.text, "none", 4);
  bool sum = how.bytes == 3 && !memcmp(how.text, "sum", 3);
  if (!mean && !batch && !none && !sum) {
    return front_none(e->o, WEFT_E_INVALID,
                      "attribute 'reduction': expected none, sum, mean or batchmean, got '%.*s'",
                      (int)how.bytes, how.text);
  }
  weft_value *by = mean         ? expr_count_of(e, v)
                   : batch && v ? front_as(e->o, front_dim_index(e->o, v, 0), v->fact.dtype)
                                : NULL;
  if (!back && !none)
    v = expr_summed(e, v);
  return by ? front_do(e->o, "RealDiv", v, by, NULL) : v;
}

// Integers of an argument as INT64 [n].
static weft_value *expr_list(expr *e) {
  char name[EXPR_NAME];
  expr_name(e, name);
  front_arg a = expr_find(e, name);
  if (!expr_is(e, ')'))
    return expr_bad(e, "a ')' is missing");
  if (a.kind == FRONT_INT)
    return front_list(e->o, &a.i, 1);
  if (a.attr && a.attr->type == WEFT_VT_LIST_LIST_INT)
    return expr_table(e, a.attr);
  if (a.kind != FRONT_INTS)
    return front_none(e->o, WEFT_E_TYPE, "argument '%s' is no list of integers", name);
  return front_list(e->o, a.ints.v, (size_t)a.ints.n);
}

// as(y, x): x with y's dtype.
static weft_value *expr_as(expr *e) {
  weft_value *like = expr_value(e);
  if (!expr_is(e, ','))
    return expr_bad(e, "a ',' is missing");
  weft_value *v = expr_value(e);
  if (!expr_is(e, ')'))
    return expr_bad(e, "a ')' is missing");
  return like && v ? front_as(e->o, v, like->fact.dtype) : NULL;
}

static weft_value *expr_builtin(expr *e, const char *name) {
  static const struct {
    const char *name;
    weft_dtype t;
  } casts[] = {{"f32", WEFT_FLOAT}, {"f64", WEFT_DOUBLE}, {"i64", WEFT_INT64},
               {"i32", WEFT_INT32}, {"bool", WEFT_BOOL},  {"u8", WEFT_UINT8}};
  if (!strcmp(name, "raw"))
    return expr_raw(e);
  if (!strcmp(name, "int"))
    return expr_int(e);
  if (!strcmp(name, "all"))
    return expr_all_axes(e, expr_one(e));
  if (!strcmp(name, "axes"))
    return expr_axes(e);
  if (!strcmp(name, "onto"))
    return expr_onto(e);
  if (!strcmp(name, "count"))
    return expr_count_of(e, expr_one(e));
  if (!strcmp(name, "reduced") || !strcmp(name, "unreduced"))
    return expr_reduced(e, *name == 'u');
  if (!strcmp(name, "list"))
    return expr_list(e);
  if (!strcmp(name, "as"))
    return expr_as(e);
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
  double number;
  return v && !v->fact.rank && front_known_number(v, &number) && number == 1;
}

// The inputs of a primitive, a port each.
typedef struct expr_inputs {
  weft_value **v;
  size_t n, cap;
  uint32_t count[EXPR_INPUTS];
  size_t n_ports;
  bool counted;  // a port has none, or several
} expr_inputs;

static void expr_put(expr *e, expr_inputs *in, weft_value *const *v, size_t n) {
  if (in->n_ports == EXPR_INPUTS) {
    expr_bad(e, "it has too many inputs");
    return;
  }
  if (in->n + n > in->cap) {
    size_t cap = in->n + n + EXPR_INPUTS;
    weft_value **more = WEFT_NEW_N(&e->o->f->arena, weft_value *, cap);
    if (!more) {
      front_none(e->o, WEFT_E_NOMEM, "out of memory");
      return;
    }
    if (in->n)
      memcpy(more, in->v, in->n * sizeof *more);
    in->v = more;
    in->cap = cap;
  }
  if (n)
    memcpy(in->v + in->n, v, n * sizeof *v);
  in->n += n;
  in->count[in->n_ports++] = (uint32_t)n;
  in->counted |= n != 1;
}

// "bias?", which may be absent, or "x...", as many as there are; `at` stands behind the name. False: neither.
static bool expr_several(expr *e, const char *name, expr_inputs *in) {
  bool dots = !strncmp(e->at, "...", 3);
  if (!*name || (!dots && *e->at != '?'))
    return false;
  e->at += dots ? 3 : 1;
  front_arg a = expr_find(e, name);
  if (a.kind == FRONT_VALUE || a.kind == FRONT_VALUES)
    expr_put(e, in, a.values ? a.values : &a.v, a.values ? a.n : 1);
  else
    expr_put(e, in, NULL, 0);
  return true;
}

// "{a, b}": the values of a dynamic port; `at` stands behind the brace.
static void expr_braced(expr *e, expr_inputs *in) {
  weft_value *v[EXPR_INPUTS];
  size_t n = 0;
  while (!expr_is(e, '}') && !e->o->failed) {
    if (n == EXPR_INPUTS) {
      expr_bad(e, "too many values in braces");
      return;
    }
    v[n++] = expr_value(e);
    (void)expr_is(e, ',');
  }
  expr_put(e, in, v, n);
}

static void expr_input(expr *e, const char *type, expr_inputs *in) {
  if (expr_is(e, '{')) {
    expr_braced(e, in);
    return;
  }
  const char *from = e->at;
  char name[EXPR_NAME];
  expr_name(e, name);
  if (*name && expr_is(e, '=')) {
    expr_attribute(e, type, name);
    return;
  }
  if (expr_several(e, name, in))
    return;
  e->at = from;
  weft_value *v = expr_value(e);
  expr_put(e, in, &v, 1);
}

// How many outputs each port has: the dynamic one gets what the others leave. NULL: one each.
static uint32_t *expr_outs(expr *e, const weft_proto *p) {
  uint32_t *counts = WEFT_NEW_N(&e->o->f->arena, uint32_t, (size_t)p->n_out + 1);
  for (uint32_t i = 0; counts && i < p->n_out; i++)
    counts[i] = p->out[i].kind == WEFT_DYNAMIC ? WEFT_MAX(e->r->outs, p->n_out - 1) - (p->n_out - 1) : 1;
  return counts;
}

static weft_value *expr_emit(expr *e, const char *type, const expr_inputs *in) {
  const weft_proto *p = weft_find(e->o->f->env, type);
  bool several = e->depth == 1 && e->r->outs && p;
  bool dynamic = false;
  weft_use use = {0};
  for (uint32_t i = 0; several && i < p->n_out; i++)
    dynamic |= p->out[i].kind == WEFT_DYNAMIC;
  if (p && in->n_ports > p->n_in)
    return expr_bad(e, "it has too many inputs");
  if (p && in->counted) {
    uint32_t *counts = WEFT_NEW_N(&e->o->f->arena, uint32_t, (size_t)p->n_in + 1);
    if (counts)
      memcpy(counts, in->count, in->n_ports * sizeof *counts);
    use.in_counts = counts;
  }
  if (dynamic)
    use.out_counts = expr_outs(e, p);
  if ((p && in->counted && !use.in_counts) || (dynamic && !use.out_counts))
    return front_none(e->o, WEFT_E_NOMEM, "out of memory");
  return front_emit(e->o, type, in->v, in->n, &use);
}

// A primitive; `at` stands behind its parenthesis.
static weft_value *expr_call(expr *e, const char *type) {
  weft_value *few[EXPR_INPUTS];
  expr_inputs in = {.v = few, .cap = EXPR_INPUTS};
  while (!expr_is(e, ')') && !e->o->failed) {
    expr_input(e, type, &in);
    if (!expr_is(e, ',')) {
      if (!expr_is(e, ')'))
        return expr_bad(e, "a ',' or ')' is missing");
      break;
    }
  }
  if (e->o->failed)
    return NULL;
  if (!strcmp(type, "Mul") && in.n == 2 && (expr_is_one(in.v[1]) || expr_is_one(in.v[0])))
    return expr_is_one(in.v[1]) ? in.v[0] : in.v[1];
  return expr_emit(e, type, &in);
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
    const front_arg number_of = {.kind = FRONT_FLOAT};
    bool plain = e->r->type == WEFT_UNDEFINED && !e->r->number;
    v = front_num(e->o, plain ? e->r->out : expr_type(e, &number_of), number);
  } else if (expr_is(e, '[')) {
    v = expr_literal(e);
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
