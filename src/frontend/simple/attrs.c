// attrs.c - parameters of the model into attributes of the primitive: spellings are normalised to AscendIR's
// names (R276), values converted to the declared type, data_format always written, and what is left over is
// an error.
#include <float.h>

#include "frontend/simple/simple.h"

weft_status simple_where(const simple_param *p, const simple_op *o, weft_status s, const char *fmt, ...) {
  char text[640];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  if (p->arg >= 0)
    return simple_fail(o, s, ".args[%d] (%s): %s", p->arg, p->name, text);
  return simple_fail(o, s, ".attrs.%.80s: %s", p->name, text);
}

// ---- reading ----
static weft_status add_args(simple_op *o, const weft_json *args) {
  const char *names = o->row ? o->row->params : NULL;
  if (args->n && !names) {
    return simple_fail(o, WEFT_E_INVALID, ".args: '%.80s' has no positional parameters here: give attrs",
                       o->type);
  }
  for (size_t i = 0; i < args->n; i++) {
    size_t n = strcspn(names, " ");
    if (!n) {
      return simple_fail(o, WEFT_E_INVALID, ".args: %zu are given, '%.80s' has %zu: %s", args->n, o->type, i,
                         o->row->params);
    }
    const char *name = weft__arena_strdup(&o->m->arena, names, n);
    WEFT_TRY(simple_allocated(name, o->m));
    o->params[o->n_params++] = (simple_param){name, &args->items[i], (int)i, false};
    names += n + (names[n] == ' ');
  }
  return WEFT_OK;
}

weft_status simple_params(simple_op *o) {
  const weft_json *args = weft__json_get(o->json, "args");
  const weft_json *attrs = weft__json_get(o->json, "attrs");
  if (args && args->kind != WEFT_JSON_ARRAY)
    return simple_fail(o, WEFT_E_TYPE, ".args: expected a list, got %s", simple_kind(args));
  if (attrs && attrs->kind != WEFT_JSON_OBJECT)
    return simple_fail(o, WEFT_E_TYPE, ".attrs: expected an object, got %s", simple_kind(attrs));
  size_t n = (args ? args->n : 0) + (attrs ? attrs->n : 0);
  o->params = WEFT_NEW_N(&o->m->arena, simple_param, n + 1);
  o->cap_attrs = n + SIMPLE_ROOM;
  o->attrs = WEFT_NEW_N(&o->m->arena, weft_named_attr, o->cap_attrs);
  WEFT_TRY(simple_allocated(o->params && o->attrs, o->m));
  if (args)
    WEFT_TRY(add_args(o, args));
  for (size_t i = 0; attrs && i < attrs->n; i++) {
    for (size_t k = 0; args && k < args->n; k++) {
      if (!strcmp(o->params[k].name, attrs->keys[i])) {
        return simple_fail(o, WEFT_E_DUPLICATE, ".attrs.%.80s: args[%zu] gives it already", attrs->keys[i],
                           k);
      }
    }
    if (!*attrs->keys[i])
      return simple_fail(o, WEFT_E_INVALID, ".attrs has a member without a name");
    o->params[o->n_params++] = (simple_param){attrs->keys[i], &attrs->items[i], -1, false};
  }
  return WEFT_OK;
}

weft_status simple_take(simple_op *o, const char *names, const simple_param **out) {
  *out = NULL;
  for (size_t i = 0; i < o->n_params; i++) {
    simple_param *p = &o->params[i];
    if (!simple_has_word(names, p->name))
      continue;
    p->used = true;
    if (p->json->kind == WEFT_JSON_NULL)
      continue;  // the framework's None: not given
    if (*out)
      return simple_where(p, o, WEFT_E_DUPLICATE, "'%s' gives it already", (*out)->name);
    *out = p;
  }
  return WEFT_OK;
}

static weft_status wrong(const simple_op *o, const simple_param *p, const char *expected) {
  if (p->json->kind == WEFT_JSON_NUMBER)
    return simple_where(p, o, WEFT_E_TYPE, "expected %s, got %.40s", expected, p->json->s);
  return simple_where(p, o, WEFT_E_TYPE, "expected %s, got %s", expected, simple_kind(p->json));
}

weft_status simple_take_int(simple_op *o, const char *names, int64_t dflt, int64_t *out) {
  const simple_param *p;
  *out = dflt;
  WEFT_TRY(simple_take(o, names, &p));
  if (p && (p->json->kind != WEFT_JSON_NUMBER || !p->json->is_int))
    return wrong(o, p, "a whole number");
  if (p)
    *out = p->json->i;
  return WEFT_OK;
}

weft_status simple_take_bool(simple_op *o, const char *names, bool dflt, bool *out) {
  const simple_param *p;
  *out = dflt;
  WEFT_TRY(simple_take(o, names, &p));
  if (p && p->json->kind != WEFT_JSON_BOOL)
    return wrong(o, p, "a bool");
  if (p)
    *out = p->json->b;
  return WEFT_OK;
}

// ---- writing ----
weft_status simple_set(simple_op *o, const char *name, weft_attr value) {
  if (o->n_attrs == o->cap_attrs)
    return simple_fail(o, WEFT_E_LIMIT, ".attrs: more than %zu", o->cap_attrs);
  o->attrs[o->n_attrs++] = (weft_named_attr){name, value};
  return WEFT_OK;
}

weft_status simple_set_ints(simple_op *o, const char *name, const int64_t *v, size_t n) {
  int64_t *copy = WEFT_NEW_N(&o->m->arena, int64_t, n + 1);
  WEFT_TRY(simple_allocated(copy, o->m));
  memcpy(copy, v, n * sizeof *v);
  return simple_set(o, name, weft_attr_ints(copy, n));
}

static weft_status to_float(const simple_op *o, const simple_param *p, const weft_json *j, float *out) {
  if (!(j->f >= -FLT_MAX && j->f <= FLT_MAX))
    return simple_where(p, o, WEFT_E_RANGE, "%.40s does not fit in a float", j->s);
  *out = (float)j->f;
  return WEFT_OK;
}

// A list whose items all are of one kind: numbers (whole ones, unless `floats`), bools, strings.
static weft_status list_attr(const simple_op *o, const simple_param *p, const weft_json *j, bool floats,
                             weft_attr *out) {
  weft_arena *a = &o->m->arena;
  for (size_t i = 1; i < j->n; i++) {
    if (j->items[i].kind != j->items[0].kind)
      return wrong(o, p, "a list of values of one kind");
  }
  weft_json_kind kind = j->n ? j->items[0].kind : WEFT_JSON_NUMBER;
  for (size_t i = 0; i < j->n; i++)
    floats |= kind == WEFT_JSON_NUMBER && !j->items[i].is_int;
  int64_t *ints = WEFT_NEW_N(a, int64_t, j->n + 1);
  float *reals = WEFT_NEW_N(a, float, j->n + 1);
  bool *bools = WEFT_NEW_N(a, bool, j->n + 1);
  weft_str *strs = WEFT_NEW_N(a, weft_str, j->n + 1);
  WEFT_TRY(simple_allocated(ints && reals && bools && strs, o->m));
  for (size_t i = 0; i < j->n; i++) {
    const weft_json *v = &j->items[i];
    ints[i] = v->i;
    bools[i] = v->b;
    strs[i] = (weft_str){v->s, v->s_bytes};
    if (kind == WEFT_JSON_NUMBER && floats)
      WEFT_TRY(to_float(o, p, v, &reals[i]));
  }
  if (kind == WEFT_JSON_NUMBER)
    *out = floats ? weft_attr_floats(reals, j->n) : weft_attr_ints(ints, j->n);
  else if (kind == WEFT_JSON_STRING)
    *out = weft_attr_strs(strs, j->n);
  else if (kind == WEFT_JSON_BOOL)
    *out = (weft_attr){.type = WEFT_VT_LIST_BOOL, .n = j->n, .u.bools = bools};
  else
    return wrong(o, p, "a list of numbers, strings or bools");
  return WEFT_OK;
}

static weft_status lists_attr(const simple_op *o, const simple_param *p, weft_attr *out) {
  weft_ints *lists = WEFT_NEW_N(&o->m->arena, weft_ints, p->json->n + 1);
  WEFT_TRY(simple_allocated(lists, o->m));
  for (size_t i = 0; i < p->json->n; i++) {
    weft_attr item;
    if (p->json->items[i].kind != WEFT_JSON_ARRAY)
      return wrong(o, p, "a list of lists of whole numbers");
    WEFT_TRY(list_attr(o, p, &p->json->items[i], false, &item));
    if (item.type != WEFT_VT_LIST_INT)
      return wrong(o, p, "a list of lists of whole numbers");
    lists[i] = (weft_ints){item.u.ints, item.n};
  }
  *out = (weft_attr){.type = WEFT_VT_LIST_LIST_INT, .n = p->json->n, .u.int_lists = lists};
  return WEFT_OK;
}

// As the value itself says.
static weft_status plain_attr(const simple_op *o, const simple_param *p, weft_attr *out) {
  const weft_json *j = p->json;
  float f;
  if (j->kind == WEFT_JSON_BOOL)
    *out = weft_attr_bool(j->b);
  else if (j->kind == WEFT_JSON_STRING)
    *out = weft_attr_str(j->s, j->s_bytes);
  else if (j->kind == WEFT_JSON_NUMBER && j->is_int)
    *out = weft_attr_int(j->i);
  else if (j->kind == WEFT_JSON_NUMBER) {
    WEFT_TRY(to_float(o, p, j, &f));
    *out = weft_attr_float(f);
  } else if (j->kind == WEFT_JSON_ARRAY) {
    return j->n && j->items[0].kind == WEFT_JSON_ARRAY ? lists_attr(o, p, out)
                                                       : list_attr(o, p, j, false, out);
  } else {
    return wrong(o, p, "a number, a string, a bool or a list");
  }
  return WEFT_OK;
}

weft_status simple_source_attrs(const simple_op *o, weft_named_attr **out, size_t *out_n) {
  *out_n = 0;
  *out = WEFT_NEW_N(&o->m->arena, weft_named_attr, o->n_params + 1);
  if (!*out)
    return simple_no_memory(o->m);
  for (size_t i = 0; i < o->n_params; i++) {
    if (o->params[i].json->kind == WEFT_JSON_NULL)
      continue;
    weft_named_attr *a = &(*out)[(*out_n)++];
    a->name = o->params[i].name;
    WEFT_TRY(plain_attr(o, &o->params[i], &a->value));
  }
  return WEFT_OK;
}

// ---- by name ----
static weft_status dtype_attr(const simple_op *o, const simple_param *p, weft_attr_type type,
                              weft_attr *out) {
  weft_dtype t = weft_dtype_parse(p->json->s, p->json->s_bytes);
  if (t == WEFT_UNDEFINED)
    return simple_where(p, o, WEFT_E_DTYPE, "'%.80s' is not a dtype", p->json->s);
  *out = type == WEFT_VT_TYPE ? weft_attr_dtype(t) : weft_attr_int(t);
  return WEFT_OK;
}

static weft_status typed_attr(const simple_op *o, const simple_param *p, weft_attr_type type,
                              weft_attr *out) {
  const weft_json *j = p->json;
  char expected[64];
  float f;
  bool list_int = type == WEFT_VT_LIST_INT;
  bool list_float = type == WEFT_VT_LIST_FLOAT;
  if (type == WEFT_VT_FLOAT && j->kind == WEFT_JSON_NUMBER) {
    WEFT_TRY(to_float(o, p, j, &f));
    *out = weft_attr_float(f);
    return WEFT_OK;
  }
  if ((type == WEFT_VT_TYPE || type == WEFT_VT_INT) && j->kind == WEFT_JSON_STRING)
    return dtype_attr(o, p, type, out);
  if ((list_int || list_float) && j->kind == WEFT_JSON_NUMBER && (list_float || j->is_int)) {  // one value
    weft_json list = {.kind = WEFT_JSON_ARRAY, .n = 1, .items = (weft_json *)(uintptr_t)j};
    return list_attr(o, p, &list, list_float, out);
  }
  if (list_float && j->kind == WEFT_JSON_ARRAY)
    WEFT_TRY(list_attr(o, p, j, true, out));
  else
    WEFT_TRY(plain_attr(o, p, out));
  if (!out->n && j->kind == WEFT_JSON_ARRAY && type >= WEFT_VT_LIST_STRING)
    out->type = type;  // [] is of any kind
  if (out->type == type)
    return WEFT_OK;
  snprintf(expected, sizeof expected, "%s", weft_attr_type_name(type));
  return wrong(o, p, expected);
}

// Spellings of one attribute.
static const char *const spellings[] = {
    "strides stride",
    "pads pad padding",
    "groups group",
    "ksize kernel_size pool_size kernel",
    "dilations dilation dilation_rate",
    "concat_dim axis dim axes",
    "axis start_dim",
    "end_axis end_dim",
    "negative_slope alpha",
    "epsilon eps",
};

static int find_slot(const simple_op *o, const char *name) {
  int slot = weft_proto_find_attr(o->proto, name);
  for (size_t i = 0; slot < 0 && i < WEFT_COUNT(spellings); i++) {
    if (!simple_has_word(spellings[i], name))
      continue;
    for (const char *p = spellings[i]; slot < 0 && *p;) {
      char word[24];
      size_t n = strcspn(p, " ");
      snprintf(word, sizeof word, "%.*s", (int)n, p);
      slot = weft_proto_find_attr(o->proto, word);
      p += n + (p[n] == ' ');
    }
  }
  return slot;
}

// Lists of 2 for height and width, of operators with a layout.
static bool widens(const simple_op *o, const char *name, const weft_json *j) {
  bool pair = j->kind == WEFT_JSON_NUMBER || (j->kind == WEFT_JSON_ARRAY && (j->n == 1 || j->n == 2));
  bool rank4 = o->n_in && o->in[0].name && o->in[0].from->shape && o->in[0].from->shape->rank == 4;
  return pair && rank4 && o->proto->data_format_slot >= 0 && simple_has_word("strides ksize dilations", name);
}

static weft_status attrs_by_name(simple_op *o, const simple_param *p) {
  int slot = find_slot(o, p->name);
  if (slot < 0) {
    return simple_where(p, o, WEFT_E_NOT_FOUND, "'%.80s', which is the operator '%s', has no such attribute",
                        o->type, o->proto->name);
  }
  const char *name = o->proto->attrs[slot].name;
  for (size_t i = 0; i < o->n_attrs; i++) {
    if (!strcmp(o->attrs[i].name, name))
      return simple_where(p, o, WEFT_E_DUPLICATE, "the operator's '%s' is given twice", name);
  }
  if (widens(o, name, p->json)) {
    int64_t hw[2];
    int64_t all[4];
    WEFT_TRY(simple_pair(o, p, hw));
    simple_widen(o->layout, hw, all);
    return simple_set_ints(o, name, all, 4);
  }
  weft_attr a;
  WEFT_TRY(typed_attr(o, p, o->proto->attr_types[slot], &a));
  return simple_set(o, name, a);
}

// What frameworks default otherwise than AscendIR.
static weft_status defaults(simple_op *o) {
  bool set = false;
  bool plain = o->framework == SIMPLE_PLAIN;
  const char *is = o->proto->name;
  const char *need = !strcmp(is, "LeakyRelu") ? "negative_slope" : NULL;
  if (!strcmp(is, "ConcatD") || !strcmp(is, "ConcatV2")) {
    int slot = weft_proto_find_attr(o->proto, "N");
    for (size_t i = 0; i < o->n_attrs; i++)
      set |= !strcmp(o->attrs[i].name, "N");
    return slot < 0 || set ? WEFT_OK : simple_set(o, "N", weft_attr_int((int64_t)o->n_in));
  }
  for (size_t i = 0; need && i < o->n_attrs; i++)
    set |= !strcmp(o->attrs[i].name, need);
  if (!need || set || plain)
    return WEFT_OK;
  return simple_set(o, need, weft_attr_float(o->framework == SIMPLE_PYTORCH ? 0.01f : 0.2f));
}

weft_status simple_translate(simple_op *o) {
  if (o->row && o->row->translate)
    WEFT_TRY(o->row->translate(o));
  for (size_t i = 0; i < o->n_params; i++) {
    simple_param *p = &o->params[i];
    bool dropped = simple_has_word("name", p->name) || (o->row && simple_has_word(o->row->dropped, p->name));
    if (p->used || dropped || p->json->kind == WEFT_JSON_NULL)
      continue;
    p->used = true;
    WEFT_TRY(attrs_by_name(o, p));
  }
  WEFT_TRY(defaults(o));
  if (o->proto->data_format_slot < 0)
    return WEFT_OK;
  for (size_t i = 0; i < o->n_attrs; i++) {
    if (!strcmp(o->attrs[i].name, "data_format"))
      return WEFT_OK;
  }
  const char *layout = weft_format_serial(o->layout);
  return simple_set(o, "data_format", weft_attr_str(layout, strlen(layout)));
}
// SPDX-License-Identifier: Apache-2.0
