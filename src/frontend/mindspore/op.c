// op.c - inputs, attributes and results of one node, for the mappings. MindSpore gives settings as inputs or
// as attributes, depending on the operator and on the version: mappings ask by name.
#include <ctype.h>

#include "base/allocated.h"
#include "frontend/mindspore/mindspore.h"

// ---- arguments ----
// The place of a name in a list of words; -1: it is not there.
static int op_place(const char *words, const char *name) {
  size_t n = strlen(name);
  int place = 0;
  while (*words) {
    size_t bytes = strcspn(words, " ");
    if (bytes == n && !memcmp(words, name, n))
      return place;
    words += bytes + strspn(words + bytes, " ");
    place++;
  }
  return -1;
}

weft_status ms_node_attribute(ms_import *m, const ms_node *n, const char *name, ms_value *out) {
  enum { PRIMITIVE_ATTRIBUTE = 3, NODE_ATTRIBUTE = 5 };
  ms_bytes a;
  const uint32_t number = n->prim->message.at == n->message.at ? NODE_ATTRIBUTE : PRIMITIVE_ATTRIBUTE;
  *out = (ms_value){.kind = MS_NOTHING};
  return ms_attribute_named(m, n->prim->message, number, name, &a) ? ms_attribute(m, a, out) : WEFT_OK;
}

static bool op_attribute(ms_op *o, const char *name, ms_value *out) {
  const weft_status s = ms_node_attribute(o->m, o->node, name, out);
  if (s)
    o->b.failed = s;
  return !s;
}

bool ms_find(ms_op *o, const char *name, ms_value *out) {
  if (o->b.failed)
    return false;
  int place = o->row->args ? op_place(o->row->args, name) : -1;
  if (place >= 0 && (size_t)place < o->n_in)
    *out = o->in[place];
  else if (!op_attribute(o, name, out))
    return false;
  return out->kind != MS_NONE && out->kind != MS_MONAD && out->kind != MS_NOTHING;
}

bool ms_has(ms_op *o, const char *name) {
  ms_value v;
  return ms_find(o, name, &v);
}

static const char *op_kind(ms_kind k) {
  static const char *const names[] = {"nothing", "a tensor", "a number",          "a number", "a bool",
                                      "a text",  "none",     "a monad",           "a tensor", "a parameter",
                                      "a tuple", "a graph",  "a choice of graphs"};
  return names[k];
}

weft_value *ms_tensor(ms_op *o, const char *name) {
  ms_value v;
  if (!ms_find(o, name, &v))
    return front_none(&o->b, WEFT_E_MISSING, "argument '%s' is not given", name);
  weft_value *t = ms_tensor_of(&o->b, &v);
  return t ? t
           : front_none(&o->b, WEFT_E_TYPE, "argument '%s' is %s, expected a tensor", name, op_kind(v.kind));
}

weft_value *ms_optional(ms_op *o, const char *name) {
  return ms_has(o, name) ? ms_tensor(o, name) : NULL;
}

weft_value *ms_operand(ms_op *o, const char *name, weft_dtype t) {
  ms_value v;
  if (!ms_find(o, name, &v) || t == WEFT_UNDEFINED)
    return ms_tensor(o, name);
  if (v.kind == MS_INT || v.kind == MS_BOOL)
    return front_int(&o->b, t, v.i);
  if (v.kind == MS_FLOAT)
    return front_num(&o->b, t, v.f);
  return front_as(&o->b, ms_tensor(o, name), t);
}

size_t ms_tensors(ms_op *o, const char *name, weft_value ***out) {
  ms_value v;
  *out = NULL;
  if (!ms_find(o, name, &v) || (v.kind == MS_TUPLE && !v.n)) {
    front_fail(&o->b, WEFT_E_MISSING, "argument '%s' holds no tensors", name);
    return 0;
  }
  size_t n = v.kind == MS_TUPLE ? v.n : 1;
  *out = WEFT_NEW_N(&o->m->f.arena, weft_value *, n + 1);
  if (!*out)
    front_fail(&o->b, WEFT_E_NOMEM, "out of memory");
  for (size_t i = 0; i < n && !o->b.failed; i++) {
    const ms_value *item = v.kind == MS_TUPLE ? &v.items[i] : &v;
    (*out)[i] = ms_tensor_of(&o->b, item);
    if (!(*out)[i])
      front_fail(&o->b, WEFT_E_TYPE, "item %zu of argument '%s' is %s, expected a tensor", i, name,
                 op_kind(item->kind));
  }
  return o->b.failed ? 0 : n;
}

// ---- settings ----
// A number of one element: of the model, or of a tensor that is known.
static bool op_number(ms_op *o, const char *name, ms_value *v) {
  if (!ms_find(o, name, v))
    return false;
  if (v->kind == MS_TUPLE && v->n == 1)
    *v = v->items[0];
  if (ms_is_number(v))
    return true;
  ms_known_number(&o->b, v);
  if (!ms_is_number(v))
    front_fail(&o->b, WEFT_E_UNKNOWN, "argument '%s' is %s, expected a number that is known", name,
               op_kind(v->kind));
  return !o->b.failed;
}

int64_t ms_int(ms_op *o, const char *name, int64_t dflt) {
  ms_value v;
  if (!op_number(o, name, &v))
    return dflt;
  if (v.kind != MS_FLOAT)
    return v.i;
  if (v.f >= -9e15 && v.f <= 9e15)
    return (int64_t)v.f;
  front_fail(&o->b, WEFT_E_RANGE, "argument '%s' is %g, expected a whole number", name, v.f);
  return dflt;
}

double ms_float(ms_op *o, const char *name, double dflt) {
  ms_value v;
  if (!op_number(o, name, &v))
    return dflt;
  return v.kind == MS_FLOAT ? v.f : (double)v.i;
}

bool ms_bool(ms_op *o, const char *name, bool dflt) {
  return ms_int(o, name, dflt) != 0;
}

const char *ms_string(ms_op *o, const char *name, const char *dflt) {
  ms_value v;
  return ms_find(o, name, &v) && v.kind == MS_TEXT ? v.text : dflt;
}

bool ms_is(ms_op *o, const char *name, const char *dflt, const char *text) {
  const char *has = ms_string(o, name, dflt);
  while (*has && tolower((unsigned char)*has) == tolower((unsigned char)*text)) {
    has++;
    text++;
  }
  return !*has && !*text;
}

// Numbers of dtypes among arguments are not those of tensors in the file.
weft_dtype ms_type(ms_op *o, const char *name, weft_dtype dflt) {
  static const weft_dtype types[] = {
      [0] = WEFT_BOOL,     [1] = WEFT_INT32,      [2] = WEFT_INT8,       [3] = WEFT_INT16,
      [4] = WEFT_INT32,    [5] = WEFT_INT64,      [6] = WEFT_UINT32,     [7] = WEFT_UINT8,
      [8] = WEFT_UINT16,   [9] = WEFT_UINT32,     [10] = WEFT_UINT64,    [11] = WEFT_FLOAT,
      [12] = WEFT_FLOAT16, [13] = WEFT_FLOAT,     [14] = WEFT_DOUBLE,    [15] = WEFT_BF16,
      [16] = WEFT_DOUBLE,  [17] = WEFT_COMPLEX64, [18] = WEFT_COMPLEX64, [19] = WEFT_COMPLEX128};
  enum { FIRST = 30 };  // bool
  int64_t t = ms_int(o, name, -1);
  if (t == -1)
    return dflt;
  if (t >= FIRST && t - FIRST < (int64_t)WEFT_COUNT(types))
    return types[t - FIRST];
  front_fail(&o->b, WEFT_E_DTYPE, "argument '%s' is dtype %lld, which is not known", name, (long long)t);
  return dflt;
}

size_t ms_ints(ms_op *o, const char *name, int64_t out[MS_MAX_NUMBERS]) {
  ms_value v;
  size_t n = 0;
  if (!ms_find(o, name, &v))
    return 0;
  size_t items = v.kind == MS_TUPLE ? v.n : 1;
  bool tensor = v.kind == MS_TENSOR || v.kind == MS_PARAM;
  if (tensor && front_known_ints(ms_tensor_of(&o->b, &v), out, MS_MAX_NUMBERS, &n))
    return n;
  for (; n < items && n < MS_MAX_NUMBERS; n++) {
    const ms_value *item = v.kind == MS_TUPLE ? &v.items[n] : &v;
    size_t one;
    if (item->kind == MS_INT || item->kind == MS_BOOL)
      out[n] = item->i;
    else if (item->kind != MS_TENSOR || !front_known_ints(item->v, &out[n], 1, &one) || one != 1)
      break;
  }
  if (n == items)
    return n;
  front_fail(&o->b, WEFT_E_UNKNOWN, "argument '%s' is not a list of whole numbers that are known", name);
  return 0;
}

void ms_sizes(ms_op *o, const char *name, size_t n, int64_t dflt, int64_t *out) {
  int64_t v[MS_MAX_NUMBERS];
  size_t has = ms_ints(o, name, v);
  if (has > 1 && has < n)
    front_fail(&o->b, WEFT_E_SHAPE, "argument '%s' has %zu numbers, expected %zu", name, has, n);
  for (size_t i = 0; i < n; i++)
    out[i] = front_bounded(&o->b, !has ? dflt : has >= n ? v[has - n + i] : v[0]);
}

size_t ms_axes(ms_op *o, const char *name, int rank, int64_t out[MS_MAX_NUMBERS]) {
  size_t n = ms_ints(o, name, out);
  for (size_t i = 0; i < n; i++)
    out[i] = front_axis(&o->b, out[i], rank);
  return n;
}

weft_value *ms_numbers(ms_op *o, const char *name) {
  front_op *b = &o->b;
  weft_value *parts[MS_MAX_NUMBERS];
  int64_t known[MS_MAX_NUMBERS];
  ms_value v;
  if (!ms_find(o, name, &v))
    return front_none(b, WEFT_E_MISSING, "argument '%s' is not given", name);
  if (v.kind != MS_TUPLE)
    return front_flat(b, front_as(b, ms_tensor(o, name), WEFT_INT64));
  size_t all = 0;
  for (; all < v.n && all < MS_MAX_NUMBERS && v.items[all].kind == MS_INT; all++)
    known[all] = v.items[all].i;
  if (all == v.n)
    return front_list(b, known, all);
  if (v.n > MS_MAX_NUMBERS)
    return front_none(b, WEFT_E_LIMIT, "argument '%s' has %zu numbers", name, v.n);
  for (size_t i = 0; i < v.n && !b->failed; i++) {
    weft_value *one = ms_tensor_of(b, &v.items[i]);
    if (!one)
      return front_none(b, WEFT_E_TYPE, "item %zu of argument '%s' is no number", i, name);
    parts[i] = front_reshaped(b, front_as(b, one, WEFT_INT64), (const int64_t[]){1}, 1);
  }
  return b->failed ? NULL : front_joined(b, parts, v.n, 0);
}

// ---- dtypes ----
weft_dtype ms_out_type(ms_op *o, size_t i) {
  ms_bytes tensor;
  weft_dtype t;
  weft_dim dims[WEFT_MAX_RANK];
  int rank;
  weft_diag quiet = {0};
  weft_diag *d = o->m->f.d;
  if (!ms_type_at(o->m, o->node, i, &tensor))
    return WEFT_UNDEFINED;
  o->m->f.d = &quiet;
  weft_status s = ms_tensor_type(o->m, tensor, &t, dims, &rank);
  o->m->f.d = d;
  return s ? (weft_dtype)WEFT_UNDEFINED : t;
}

// Bool, whole numbers by size, floats by size.
static int op_order(weft_dtype t) {
  int bits = (int)weft_dtype_bits(t);
  if (t == WEFT_BOOL)
    return 0;
  if (weft_dtype_is_complex(t))
    return 3000 + bits;
  return weft_dtype_is_integer(t) ? 1000 + bits : 2000 + bits;
}

weft_dtype ms_promoted(ms_op *o) {
  weft_dtype best = WEFT_UNDEFINED;
  weft_dtype number = WEFT_UNDEFINED;
  for (size_t i = 0; i < o->n_in; i++) {
    const ms_value *v = &o->in[i];
    bool tensor = v->kind == MS_TENSOR || v->kind == MS_PARAM;
    const weft_value *t = tensor ? (v->kind == MS_PARAM ? v->param->v : v->v) : NULL;
    weft_dtype *to = t ? &best : &number;
    weft_dtype is = t                     ? t->fact.dtype
                    : v->kind == MS_FLOAT ? WEFT_FLOAT
                    : v->kind == MS_INT   ? WEFT_INT64
                                          : (weft_dtype)WEFT_UNDEFINED;
    if (is != WEFT_UNDEFINED && (*to == WEFT_UNDEFINED || op_order(is) > op_order(*to)))
      *to = is;
  }
  bool wider =
      best != WEFT_UNDEFINED && number != WEFT_UNDEFINED && op_order(number) / 1000 > op_order(best) / 1000;
  return best == WEFT_UNDEFINED || wider ? number : best;
}

// ---- results ----
void ms_give(ms_op *o, weft_value *v) {
  if (!o->b.failed)
    o->out = (ms_value){.kind = v ? MS_TENSOR : MS_NOTHING, .v = v};
}

void ms_give_many(ms_op *o, weft_value *const *v, size_t n) {
  if (o->b.failed)
    return;
  o->out = (ms_value){.kind = MS_TUPLE, .n = n, .items = WEFT_NEW_N(&o->m->f.arena, ms_value, n + 1)};
  if (!o->out.items) {
    o->out = (ms_value){.kind = MS_NOTHING};
    front_fail(&o->b, WEFT_E_NOMEM, "out of memory");
    return;
  }
  for (size_t i = 0; i < n; i++)
    o->out.items[i] = (ms_value){.kind = v[i] ? MS_TENSOR : MS_NOTHING, .v = v[i]};
}

void ms_give_outputs(ms_op *o, weft_value *first, size_t n) {
  weft_value *v[MS_MAX_NUMBERS];
  if (o->b.failed || n > MS_MAX_NUMBERS) {
    front_fail(&o->b, WEFT_E_LIMIT, "%zu outputs", n);
    return;
  }
  for (size_t i = 0; i < n; i++)
    v[i] = first + i;
  ms_give_many(o, v, n);
}
// SPDX-License-Identifier: Apache-2.0
