// schema.c - arguments of a node, as schema 8 of torch.export writes them: an object with one member, whose
// name says what it is. What is equal to the operator's default is left out; the reader of an argument knows
// that default. Numbers that are only known when the model runs are values of rank 0.
#include <math.h>

#include "base/allocated.h"
#include "frontend/torch/torch.h"

// ---- JSON ----
const weft_json *pt_only(const weft_json *object, const char **out_key) {
  *out_key = "";
  if (!object || object->kind != WEFT_JSON_OBJECT || object->n != 1)
    return NULL;
  *out_key = object->keys[0];
  return &object->items[0];
}

const char *pt_text(const weft_json *object, const char *key) {
  const weft_json *v = weft__json_get(object, key);
  return v && v->kind == WEFT_JSON_STRING ? v->s : NULL;
}

bool pt_dtype(int64_t scalar_type, weft_dtype *out) {
  static const struct {
    int64_t number;
    weft_dtype t;
  } types[] = {{1, WEFT_UINT8},
               {2, WEFT_INT8},
               {3, WEFT_INT16},
               {4, WEFT_INT32},
               {5, WEFT_INT64},
               {6, WEFT_FLOAT16},
               {7, WEFT_FLOAT},
               {8, WEFT_DOUBLE},
               {9, WEFT_COMPLEX32},
               {10, WEFT_COMPLEX64},
               {11, WEFT_COMPLEX128},
               {12, WEFT_BOOL},
               {13, WEFT_BF16},
               {28, WEFT_UINT16},
               {29, WEFT_FLOAT8_E4M3FN},
               {30, WEFT_FLOAT8_E5M2},
               {31, WEFT_FLOAT8_E4M3FNUZ},
               {32, WEFT_FLOAT8_E5M2FNUZ},
               {33, WEFT_FLOAT8_E8M0},
               {34, WEFT_UINT32},
               {35, WEFT_UINT64}};
  for (size_t i = 0; i < WEFT_COUNT(types); i++) {
    if (types[i].number != scalar_type)
      continue;
    *out = types[i].t;
    return true;
  }
  return false;
}

// ---- finding ----
static const weft_json *schema_at(const pt_op *o, size_t i) {
  const weft_json *arg = i < o->inputs->n ? weft__json_get(&o->inputs->items[i], "arg") : NULL;
  const char *key;
  if (!pt_only(arg, &key) || !strcmp(key, "as_none"))
    return NULL;
  return arg;
}

const weft_json *pt_at(const pt_op *o, size_t i) {
  if (o->asked && i < 64)
    *o->asked |= UINT64_C(1) << i;
  return schema_at(o, i);
}

// "name" of an input, which is its first member, as torch.export writes it.
static const char *schema_name(const weft_json *input) {
  if (input->kind != WEFT_JSON_OBJECT || !input->n || strcmp(input->keys[0], "name"))
    return pt_text(input, "name");
  return input->items[0].kind == WEFT_JSON_STRING ? input->items[0].s : NULL;
}

const weft_json *pt_find(const pt_op *o, const char *name) {
  for (size_t i = 0; i < o->inputs->n; i++) {
    const char *given = schema_name(&o->inputs->items[i]);
    if (given && *given == *name && !strcmp(given, name))
      return pt_at(o, i);
  }
  return NULL;
}

bool pt_has(const pt_op *o, const char *name) {
  return (o->self && !strcmp(name, "self")) || pt_find(o, name);
}

// ---- numbers and tensors ----
static front_arg schema_named(pt_op *o, const char *name) {
  pt_value *v = name ? pt_name(o->s, name) : NULL;
  front_arg a = {.kind = FRONT_ABSENT};
  if (!v) {
    front_fail(&o->b, WEFT_E_NOT_FOUND, "it reads '%.100s', which nothing before it makes",
               name ? name : "?");
    return a;
  }
  a.v = pt_read(&o->b, o->s, v);
  a.kind = a.v ? FRONT_VALUE : FRONT_ABSENT;
  if (v->kind != PT_NUMBER || !a.v || !a.v->fact.value)
    return a;
  const weft_tensor *t = a.v->fact.value;
  if (t->dtype == WEFT_INT64 || t->dtype == WEFT_BOOL) {
    a.kind = t->dtype == WEFT_BOOL ? FRONT_BOOL : FRONT_INT;
    a.i = weft_load_i64(t->dtype, t->data, 0);
  } else {
    a.kind = FRONT_FLOAT;
    a.f = weft_load_f64(t->dtype, t->data, 0);
  }
  return a;
}

front_arg pt_read_float(pt_op *o, const weft_json *v) {
  static const struct {
    const char *text;
    double f;
  } words[] = {{"Infinity", HUGE_VAL}, {"-Infinity", -HUGE_VAL}, {"NaN", NAN}};
  if (v->kind == WEFT_JSON_NUMBER)
    return (front_arg){.kind = FRONT_FLOAT, .f = v->f};
  for (size_t i = 0; v->kind == WEFT_JSON_STRING && i < WEFT_COUNT(words); i++) {
    if (!strcmp(v->s, words[i].text))
      return (front_arg){.kind = FRONT_FLOAT, .f = words[i].f};
  }
  front_fail(&o->b, WEFT_E_SYNTAX, "a float is neither a number nor Infinity, -Infinity or NaN");
  return (front_arg){.kind = FRONT_ABSENT};
}

// as_int and as_bool are whole numbers, whatever the file writes there.
static front_arg schema_whole(pt_op *o, const weft_json *v) {
  if (v->kind == WEFT_JSON_NUMBER && v->is_int)
    return (front_arg){.kind = FRONT_INT, .i = v->i};
  if (v->kind == WEFT_JSON_BOOL)
    return (front_arg){.kind = FRONT_BOOL, .i = v->b};
  front_fail(&o->b, WEFT_E_SYNTAX, "an integer is written as something else");
  return (front_arg){.kind = FRONT_ABSENT};
}

static bool schema_is_whole(const front_arg *a) {
  return a->kind == FRONT_INT || a->kind == FRONT_BOOL;
}

static front_arg schema_ints(pt_op *o, const weft_json *v) {
  if (v->kind != WEFT_JSON_ARRAY)
    return (front_arg){.kind = FRONT_ABSENT};
  int64_t *list = WEFT_NEW_N(&o->m->f.arena, int64_t, v->n + 1);
  if (!list) {
    front_fail(&o->b, WEFT_E_NOMEM, "out of memory");
    return (front_arg){.kind = FRONT_ABSENT};
  }
  for (size_t i = 0; i < v->n; i++)
    list[i] = schema_whole(o, &v->items[i]).i;
  return (front_arg){.kind = FRONT_INTS, .ints = {list, v->n}};
}

// {"as_int": 3} or {"as_name": "s"}, of as_sym_int and its like.
static front_arg schema_symbolic(pt_op *o, const weft_json *v) {
  const char *key;
  const weft_json *inner = pt_only(v, &key);
  if (!inner)
    return (front_arg){.kind = FRONT_ABSENT};
  if (!strcmp(key, "as_name"))
    return schema_named(o, inner->s);
  if (!strcmp(key, "as_int") || !strcmp(key, "as_bool"))
    return schema_whole(o, inner);
  return pt_read_float(o, inner);
}

static front_arg schema_tensor(pt_op *o, const weft_json *v) {
  return schema_named(o, pt_text(v, "name"));
}

static front_arg schema_text(pt_op *o, const weft_json *v) {
  (void)o;
  if (v->kind != WEFT_JSON_STRING)
    return (front_arg){.kind = FRONT_ABSENT};
  return (front_arg){.kind = FRONT_TEXT, .text = {v->s, v->s_bytes}};
}

front_arg pt_read_arg(pt_op *o, const weft_json *argument) {
  static const struct {
    const char *key;
    front_arg (*read)(pt_op *o, const weft_json *v);
  } forms[] = {
      {"as_tensor", schema_tensor},      {"as_int", schema_whole},         {"as_bool", schema_whole},
      {"as_float", pt_read_float},       {"as_sym_int", schema_symbolic},  {"as_ints", schema_ints},
      {"as_sym_float", schema_symbolic}, {"as_sym_bool", schema_symbolic}, {"as_string", schema_text}};
  const char *key;
  const weft_json *v = pt_only(argument, &key);
  for (size_t i = 0; v && i < WEFT_COUNT(forms) && !o->b.failed; i++) {
    if (!strcmp(forms[i].key, key))
      return forms[i].read(o, v);
  }
  return (front_arg){.kind = FRONT_ABSENT};
}

// An argument that is given, unless something failed before.
static bool schema_given(pt_op *o, const char *name, front_arg *out) {
  const weft_json *arg = pt_find(o, name);
  if (!arg || o->b.failed)
    return false;
  *out = pt_read_arg(o, arg);
  return true;
}

weft_value *pt_optional(pt_op *o, const char *name) {
  if (o->self && !strcmp(name, "self"))
    return o->self;
  const weft_json *arg = pt_find(o, name);
  if (!arg)
    return NULL;
  front_arg a = pt_read_arg(o, arg);
  if (!o->b.failed && !a.v)
    front_fail(&o->b, WEFT_E_TYPE, "argument '%s' is not a tensor", name);
  return o->b.failed ? NULL : a.v;
}

weft_value *pt_tensor(pt_op *o, const char *name) {
  weft_value *v = pt_optional(o, name);
  if (!v && !o->b.failed)
    front_fail(&o->b, WEFT_E_MISSING, "argument '%s' is not given", name);
  return v;
}

static weft_value *schema_value(front_op *b, const front_arg *a, weft_dtype t) {
  if (a->kind == FRONT_VALUE)
    return front_as(b, a->v, t);
  if (a->kind == FRONT_FLOAT)
    return front_num(b, t == WEFT_UNDEFINED ? (weft_dtype)WEFT_FLOAT : t, a->f);
  if (a->kind == FRONT_INT || a->kind == FRONT_BOOL)
    return front_int(b, t == WEFT_UNDEFINED ? (weft_dtype)WEFT_INT64 : t, a->i);
  return NULL;
}

weft_value *pt_operand(pt_op *o, const char *name, weft_dtype t) {
  front_arg a = {.kind = FRONT_VALUE, .v = o->self};
  if (!o->self || strcmp(name, "self"))
    a = pt_read_arg(o, pt_find(o, name));
  weft_value *v = schema_value(&o->b, &a, t);
  if (!v && !o->b.failed)
    front_fail(&o->b, WEFT_E_MISSING, "argument '%s' is not a tensor or a number", name);
  return v;
}

size_t pt_tensors(pt_op *o, const char *name, weft_value ***out) {
  const char *key;
  const weft_json *v = pt_only(pt_find(o, name), &key);
  *out = NULL;
  if (!v || v->kind != WEFT_JSON_ARRAY || o->b.failed)
    return 0;
  *out = WEFT_NEW_N(&o->m->f.arena, weft_value *, v->n + 1);
  if (!*out) {
    front_fail(&o->b, WEFT_E_NOMEM, "out of memory");
    return 0;
  }
  for (size_t i = 0; i < v->n; i++) {
    const weft_json *item = &v->items[i];
    const char *inner;
    const weft_json *tensor = weft__json_get(item, "name") ? item : pt_only(item, &inner);
    const char *of = pt_text(tensor, "name");
    (*out)[i] = of ? schema_named(o, of).v : NULL;
  }
  return o->b.failed ? 0 : v->n;
}

// ---- plain arguments ----
// Windows, steps, axes and counts: so small that two of them can be multiplied. "end" may mean the last one.
static int64_t schema_small(pt_op *o, const char *name, int64_t v) {
  const int64_t most = (int64_t)1 << 31;
  bool last = v == INT64_MAX && !strcmp(name, "end");
  if ((v > most || v < -most) && !last) {
    front_fail(&o->b, WEFT_E_RANGE, "argument '%s': %lld is outside [-2^31, 2^31]", name, (long long)v);
    return 0;
  }
  return v;
}

// A number that the program keeps as a float.
static int64_t schema_rounded(pt_op *o, const char *name, double v) {
  if (v > -1e9 && v < 1e9)
    return (int64_t)v;
  front_fail(&o->b, WEFT_E_RANGE, "argument '%s': %g is no integer between -1e9 and 1e9", name, v);
  return 0;
}

int64_t pt_int(pt_op *o, const char *name, int64_t dflt) {
  front_arg a;
  if (!schema_given(o, name, &a))
    return dflt;
  if (a.kind == FRONT_FLOAT)
    return schema_rounded(o, name, a.f);
  if (!schema_is_whole(&a))
    front_fail(&o->b, WEFT_E_UNSUPPORTED,
               "argument '%s' is known only when the model runs; an integer is read", name);
  return schema_small(o, name, a.i);
}

double pt_float(pt_op *o, const char *name, double dflt) {
  front_arg a;
  if (!schema_given(o, name, &a))
    return dflt;
  if (schema_is_whole(&a))
    return (double)a.i;
  if (a.kind != FRONT_FLOAT)
    front_fail(&o->b, WEFT_E_UNSUPPORTED, "argument '%s' is known only when the model runs; a number is read",
               name);
  return a.f;
}

bool pt_bool(pt_op *o, const char *name, bool dflt) {
  return pt_int(o, name, dflt) != 0;
}

bool pt_is(pt_op *o, const char *name, const char *dflt, const char *text) {
  front_arg a;
  if (!schema_given(o, name, &a) || a.kind != FRONT_TEXT)
    return !strcmp(dflt, text);
  return a.text.bytes == strlen(text) && !memcmp(a.text.text, text, a.text.bytes);
}

weft_dtype pt_type(pt_op *o, const char *name, weft_dtype dflt) {
  const char *key;
  const weft_json *v = pt_only(pt_find(o, name), &key);
  weft_dtype t;
  if (!v || strcmp(key, "as_scalar_type"))
    return dflt;
  if (pt_dtype(v->i, &t))
    return t;
  front_fail(&o->b, WEFT_E_DTYPE, "argument '%s': ScalarType %lld is not known", name, (long long)v->i);
  return dflt;
}

// ---- lists ----
static const weft_json *schema_list(const pt_op *o, const char *name, const char **out_key) {
  const weft_json *arg = pt_find(o, name);
  const weft_json *v = pt_only(arg, out_key);
  return v && v->kind == WEFT_JSON_ARRAY ? v : NULL;
}

static front_arg schema_item(pt_op *o, const weft_json *item) {
  bool written = item->kind == WEFT_JSON_NUMBER || item->kind == WEFT_JSON_BOOL;
  return written ? schema_whole(o, item) : schema_symbolic(o, item);
}

static int64_t schema_listed(pt_op *o, const char *name, const weft_json *list, size_t i) {
  front_arg a = schema_item(o, &list->items[i]);
  if (!schema_is_whole(&a))
    front_fail(&o->b, WEFT_E_UNSUPPORTED, "item %zu of argument '%s' is known only when the model runs", i,
               name);
  return schema_small(o, name, a.i);
}

size_t pt_ints(pt_op *o, const char *name, int64_t out[PT_MAX_NUMBERS]) {
  const char *key;
  const weft_json *arg = pt_find(o, name);
  const weft_json *v = schema_list(o, name, &key);
  if (!arg || o->b.failed)
    return 0;
  if (!v) {  // one number
    out[0] = pt_int(o, name, 0);
    return 1;
  }
  if (v->n > PT_MAX_NUMBERS) {
    front_fail(&o->b, WEFT_E_LIMIT, "argument '%s' has %zu numbers, at most %d are read", name, v->n,
               PT_MAX_NUMBERS);
    return 0;
  }
  for (size_t i = 0; i < v->n; i++)
    out[i] = schema_listed(o, name, v, i);
  return v->n;
}

void pt_sizes(pt_op *o, const char *name, size_t n, int64_t dflt, int64_t *out) {
  int64_t v[PT_MAX_NUMBERS];
  size_t given = pt_ints(o, name, v);
  for (size_t i = 0; i < n; i++) {
    size_t from = given == 1 ? 0 : i;
    out[i] = from < given ? v[from] : dflt;
  }
  if (given > 1 && given != n)
    front_fail(&o->b, WEFT_E_INVALID, "argument '%s' has %zu numbers, expected %zu", name, given, n);
}

// A size that is a number; 0 of one that is a value.
static int64_t schema_size(pt_op *o, const char *name, const front_arg *a) {
  if (schema_is_whole(a))
    return a->i;
  if (a->kind != FRONT_VALUE && !o->b.failed)
    front_fail(&o->b, WEFT_E_TYPE, "argument '%s' is no size: expected an integer", name);
  return 0;
}

// Sizes, each a number or a value.
typedef struct schema_sizes {
  weft_value *parts[WEFT_MAX_RANK];  // NULL: known
  int64_t known[WEFT_MAX_RANK];
  size_t n;
  bool all;  // are known
} schema_sizes;

static schema_sizes schema_sizes_of(pt_op *o, const char *name, const weft_json *list) {
  schema_sizes s = {.n = list->n, .all = true};
  for (size_t i = 0; i < s.n; i++) {
    front_arg a = schema_item(o, &list->items[i]);
    s.known[i] = schema_size(o, name, &a);
    s.parts[i] = a.kind == FRONT_VALUE ? a.v : NULL;
    s.all &= !s.parts[i];
  }
  return s;
}

// A value as INT64 [1].
static weft_value *schema_one(pt_op *o, weft_value *v) {
  static const int64_t one = 1;
  return front_reshaped(&o->b, front_as(&o->b, v, WEFT_INT64), &one, 1);
}

weft_value *pt_shape(pt_op *o, const char *name) {
  const char *key;
  const weft_json *v = schema_list(o, name, &key);
  if (o->b.failed)
    return NULL;
  if (!v)
    return front_none(&o->b, WEFT_E_MISSING, "argument '%s' is not a list of sizes", name);
  if (v->n > WEFT_MAX_RANK)
    return front_none(&o->b, WEFT_E_LIMIT, "argument '%s' has %zu sizes", name, v->n);
  schema_sizes s = schema_sizes_of(o, name, v);
  if (s.all)
    return front_list(&o->b, s.known, s.n);
  for (size_t i = 0; i < s.n; i++)
    s.parts[i] = s.parts[i] ? schema_one(o, s.parts[i]) : front_list(&o->b, &s.known[i], 1);
  return front_joined(&o->b, s.parts, s.n, 0);
}

size_t pt_size_lists(pt_op *o, const char *name, weft_value *out[WEFT_MAX_RANK]) {
  const char *key;
  const weft_json *v = schema_list(o, name, &key);
  if (!v || o->b.failed)
    return 0;
  if (v->n > WEFT_MAX_RANK) {
    front_fail(&o->b, WEFT_E_LIMIT, "argument '%s' has %zu sizes", name, v->n);
    return 0;
  }
  schema_sizes s = schema_sizes_of(o, name, v);
  for (size_t i = 0; i < s.n; i++)
    out[i] = s.parts[i] ? schema_one(o, s.parts[i]) : front_list(&o->b, &s.known[i], 1);
  return s.n;
}

weft_value *pt_size_index(pt_op *o, const char *name, int64_t dflt) {
  front_arg a;
  if (!schema_given(o, name, &a))
    return front_index(&o->b, dflt);
  if (a.kind == FRONT_VALUE)
    return front_as(&o->b, a.v, WEFT_INT64);
  return front_index(&o->b, schema_size(o, name, &a));
}

weft_value *pt_size_list(pt_op *o, const char *name, int64_t dflt) {
  front_arg a = {.kind = FRONT_INT, .i = dflt};
  (void)schema_given(o, name, &a);
  if (a.kind == FRONT_VALUE)
    return schema_one(o, a.v);
  const int64_t size = schema_size(o, name, &a);
  return front_list(&o->b, &size, 1);
}

int64_t pt_axis(pt_op *o, const char *name, int64_t dflt, int rank) {
  return front_axis(&o->b, pt_int(o, name, dflt), rank);
}

size_t pt_axes(pt_op *o, const char *name, int rank, int64_t out[PT_MAX_NUMBERS]) {
  uint32_t seen = 0;
  size_t n = pt_ints(o, name, out);
  for (size_t i = 0; i < n && !o->b.failed; i++) {
    out[i] = front_axis(&o->b, out[i], rank);
    if (seen >> out[i] & 1)
      front_fail(&o->b, WEFT_E_INVALID, "axis %lld stands twice in argument '%s'", (long long)out[i], name);
    seen |= UINT32_C(1) << out[i];
  }
  if (o->b.failed || (n && !rank))  // a number has no axes
    return 0;
  for (int i = 0; !n && i < rank; i++)
    out[i] = i;
  return n ? n : (size_t)rank;
}

// ---- dtypes ----
weft_dtype pt_out_type(const pt_op *o, size_t i) {
  return i < o->n_out && o->out[i] ? pt_dtype_of(o->m, o->out[i]) : (weft_dtype)WEFT_UNDEFINED;
}

int pt_out_rank(const pt_op *o, size_t i) {
  return i < o->n_out && o->out[i] ? pt_meta_rank(pt_meta(o->m, o->out[i])) : -1;
}

// bool 0, integers 1, floats 2, complex numbers 3
static int schema_category(weft_dtype t) {
  if (WEFT_BIT(t) & WEFT_SET_COMPLEX)
    return 3;
  return t == WEFT_BOOL ? 0 : weft_dtype_is_integer(t) ? 1 : 2;
}

weft_dtype pt_promote(weft_dtype a, weft_dtype b) {
  int ca = schema_category(a);
  int cb = schema_category(b);
  size_t bits_a = weft_dtype_bits(a);
  size_t bits_b = weft_dtype_bits(b);
  if (a == b || b == WEFT_UNDEFINED)
    return a;
  if (a == WEFT_UNDEFINED || ca < cb)
    return a == WEFT_DOUBLE && cb == 3 ? (weft_dtype)WEFT_COMPLEX128 : b;
  if (ca > cb)
    return a;
  if (ca == 2 && bits_a == bits_b)  // f16 and bf16
    return WEFT_FLOAT;
  if (ca == 1 && (a == WEFT_UINT8 || b == WEFT_UINT8) && (a == WEFT_INT8 || b == WEFT_INT8))
    return WEFT_INT16;
  return bits_a >= bits_b ? a : b;
}

// Tensors with dims count first, then those without, then numbers; a weaker one only tells the category.
typedef struct schema_mix {
  weft_dtype t[3];
} schema_mix;

static void schema_mix_add(schema_mix *m, const pt_value *named, const front_arg *a) {
  bool number = !a->v || (named && named->kind == PT_NUMBER);
  weft_dtype t = a->v                     ? a->v->fact.dtype
                 : a->kind == FRONT_FLOAT ? (weft_dtype)WEFT_FLOAT
                 : a->kind == FRONT_BOOL  ? (weft_dtype)WEFT_BOOL
                                          : (weft_dtype)WEFT_INT64;
  weft_dtype *slot = &m->t[number ? 2 : front_rank(a->v) == 0 ? 1 : 0];
  *slot = pt_promote(*slot, t);
}

weft_dtype pt_promoted(pt_op *o) {
  schema_mix mix = {{WEFT_UNDEFINED, WEFT_UNDEFINED, WEFT_UNDEFINED}};
  for (size_t i = 0; i < o->inputs->n && !o->b.failed; i++) {
    const char *key;
    const weft_json *inner = pt_only(schema_at(o, i), &key);
    if (!inner || !strcmp(key, "as_ints") || !strcmp(key, "as_string") || !strcmp(key, "as_scalar_type"))
      continue;
    const char *name = pt_text(inner, strcmp(key, "as_tensor") ? "as_name" : "name");
    front_arg a = pt_read_arg(o, schema_at(o, i));
    if (a.kind == FRONT_VALUE || a.kind == FRONT_INT || a.kind == FRONT_FLOAT || a.kind == FRONT_BOOL)
      schema_mix_add(&mix, name ? pt_name(o->s, name) : NULL, &a);
  }
  weft_dtype t = mix.t[0];
  for (int i = 1; i < 3; i++) {
    if (t == WEFT_UNDEFINED)
      t = mix.t[i];
    else if (mix.t[i] != WEFT_UNDEFINED && schema_category(mix.t[i]) > schema_category(t))
      t = i == 2 && schema_category(mix.t[i]) == 2 ? (weft_dtype)WEFT_FLOAT : mix.t[i];
  }
  return t;
}
// SPDX-License-Identifier: Apache-2.0
