// value.c - values that are more than tensors: how they are written in attributes, what becomes a constant,
// and how those with tensors inside go in and out of bodies.
#include "base/allocated.h"
#include "frontend/mindspore/mindspore.h"

enum {  // fields of an AttributeProto, and values of its type
  ATTR_NAME = 1,
  ATTR_FLOAT = 2,
  ATTR_INT = 3,
  ATTR_DOUBLE = 4,
  ATTR_STRING = 5,
  ATTR_TENSOR = 6,
  ATTR_FLOATS = 8,
  ATTR_DOUBLES = 9,
  ATTR_INTS = 10,
  ATTR_STRINGS = 11,
  ATTR_TENSORS = 12,
  ATTR_TYPE = 16,
  ATTR_VALUES = 17,
  TYPE_FLOAT = 1,
  TYPE_INT64 = 7,
  TYPE_STRING = 8,
  TYPE_BOOL = 9,
  TYPE_DOUBLE = 11,
  TYPE_UINT64 = 13,
  TYPE_TENSOR = 17,
  TYPE_TENSORS = 19,
  TYPE_TUPLE = 20,
  TYPE_LIST = 21,
  TYPE_UMONAD = 23,
  TYPE_IOMONAD = 24,
  TYPE_NONE = 25,
  TYPE_NULL = 36,
  TYPE_SCALAR = 39,
  TENSOR_RAW = 9,
  TENSOR_EXTERNAL = 12,
  TENSOR_COMPRESSION = 16,
  VALUE_DEPTH = 16
};

// ---- attributes ----
bool ms_attribute_named(ms_import *m, ms_bytes message, uint32_t number, const char *name, ms_bytes *out) {
  wire_message w = ms_open(m, message);
  wire_field f;
  size_t n = strlen(name);
  while (ms_next(&w, &f)) {
    if (f.number != number || f.type != WIRE_BYTES)
      continue;
    ms_bytes a = {f.data, f.bytes};
    ms_bytes has = ms_part(m, a, ATTR_NAME);
    if (has.n == n && has.at && !memcmp(has.at, name, n)) {
      *out = a;
      return true;
    }
  }
  return false;
}

static double value_f32(uint64_t bits) {
  uint32_t low = (uint32_t)bits;
  float v;
  memcpy(&v, &low, 4);
  return (double)v;
}

static double value_f64(uint64_t bits) {
  double v;
  memcpy(&v, &bits, 8);
  return v;
}

static ms_kind value_kind(uint64_t type) {
  switch (type) {
    case TYPE_FLOAT:
    case TYPE_DOUBLE:
      return MS_FLOAT;
    case TYPE_STRING:
      return MS_TEXT;
    case TYPE_BOOL:
      return MS_BOOL;
    case TYPE_UMONAD:
    case TYPE_IOMONAD:
      return MS_MONAD;
    case TYPE_NONE:
    case TYPE_NULL:
      return MS_NONE;
    default:
      return type >= 2 && type <= TYPE_UINT64 && type != 10 ? MS_INT : MS_NOTHING;
  }
}

// One number of a field, of any of the forms that numbers have.
static weft_status value_number(const wire_message *w, const wire_field *f, const uint8_t **at,
                                ms_value *out) {
  bool wide = f->number == ATTR_DOUBLE || f->number == ATTR_DOUBLES;
  bool real = wide || f->number == ATTR_FLOAT || f->number == ATTR_FLOATS;
  uint8_t type = !real ? WIRE_VARINT : wide ? WIRE_FIXED64 : WIRE_FIXED32;
  uint64_t v;
  WEFT_TRY(weft__wire_number(w, f->type == WIRE_BYTES ? type : f->type, at, f->data + f->bytes, &v));
  if (wide)
    out->f = value_f64(v);
  else if (real)
    out->f = value_f32(v);
  else
    out->i = (int64_t)v;
  return WEFT_OK;
}

static bool value_is_number(const wire_field *f) {
  return f->number == ATTR_FLOAT || f->number == ATTR_INT || f->number == ATTR_DOUBLE ||
         f->number == ATTR_FLOATS || f->number == ATTR_DOUBLES || f->number == ATTR_INTS;
}

static weft_status value_room(ms_import *m, ms_value *v, size_t n) {
  v->items = WEFT_NEW_N(&m->f.arena, ms_value, n + 1);
  return weft__allocated(v->items, m->f.d);
}

static bool value_is_text(const wire_field *f) {
  return f->type == WIRE_BYTES && (f->number == ATTR_STRING || f->number == ATTR_STRINGS);
}

// At most so many numbers or texts.
static size_t value_most(ms_import *m, ms_bytes a) {
  wire_message w = ms_open(m, a);
  wire_field f;
  size_t n = 0;
  while (ms_next(&w, &f)) {
    if (value_is_number(&f))
      n += f.type == WIRE_BYTES ? f.bytes : 1;
    else if (value_is_text(&f))
      n++;
  }
  return n;
}

// Numbers or text of one type: one, or several, which are a tuple.
static weft_status value_plain(ms_import *m, ms_bytes a, ms_kind kind, ms_value *out) {
  wire_message w = ms_open(m, a);
  wire_field f;
  ms_value list = {.kind = MS_TUPLE};
  WEFT_TRY(value_room(m, &list, value_most(m, a)));
  while (ms_next(&w, &f)) {
    const uint8_t *at = f.data;
    if (kind == MS_TEXT && value_is_text(&f)) {
      ms_value text = {.kind = MS_TEXT, .text = ms_text(m, &f)};
      WEFT_TRY(weft__allocated(text.text, m->f.d));
      list.items[list.n++] = text;
    }
    while (kind != MS_TEXT && value_is_number(&f) && at < f.data + f.bytes) {
      ms_value *item = &list.items[list.n++];
      item->kind = kind;
      WEFT_TRY(value_number(&w, &f, &at, item));
    }
  }
  *out = list.n == 1 ? list.items[0] : list;
  return WEFT_OK;
}

static weft_status value_tensors(ms_import *m, ms_bytes a, ms_value *out) {
  wire_field f;
  bool there = ms_field(m, a, ATTR_TENSOR, &f) || ms_field(m, a, ATTR_TENSORS, &f);
  if (!there || f.type != WIRE_BYTES)
    return weft_fail(m->f.d, WEFT_E_MISSING, "an attribute that is a tensor holds none");
  *out = (ms_value){.kind = MS_DATA, .data = {f.data, f.bytes}};
  return WEFT_OK;
}

static weft_status value_read(ms_import *m, ms_bytes a, int depth, ms_value *out);

static void value_measure(ms_value *v) {
  v->size = 1;
  v->depth = 0;
  for (size_t i = 0; i < v->n; i++) {
    v->size += WEFT_MAX(v->items[i].size, v->items[i].n + 1);
    v->depth = WEFT_MAX(v->depth, v->items[i].depth + 1);
  }
}

static weft_status value_tuple(ms_import *m, ms_bytes a, int depth, ms_value *out) {
  wire_message w = ms_open(m, a);
  wire_field f;
  size_t n = 0;
  while (ms_next(&w, &f))
    n += f.number == ATTR_VALUES && f.type == WIRE_BYTES;
  *out = (ms_value){.kind = MS_TUPLE};
  WEFT_TRY(value_room(m, out, n));
  w = ms_open(m, a);
  while (ms_next(&w, &f)) {
    if (f.number == ATTR_VALUES && f.type == WIRE_BYTES)
      WEFT_TRY(value_read(m, (ms_bytes){f.data, f.bytes}, depth + 1, &out->items[out->n++]));
  }
  value_measure(out);
  return WEFT_OK;
}

static weft_status value_read(ms_import *m, ms_bytes a, int depth, ms_value *out) {
  wire_field f;
  uint64_t type = ms_field(m, a, ATTR_TYPE, &f) ? f.value : 0;
  if (depth > VALUE_DEPTH)
    return weft_fail(m->f.d, WEFT_E_LIMIT, "an attribute is nested deeper than %d", VALUE_DEPTH);
  if (type == TYPE_TUPLE || type == TYPE_LIST)
    return value_tuple(m, a, depth, out);
  if (type == TYPE_TENSOR || type == TYPE_TENSORS)
    return value_tensors(m, a, out);
  ms_kind kind = value_kind(type);
  *out = (ms_value){.kind = kind};
  if (kind == MS_INT || kind == MS_FLOAT || kind == MS_BOOL || kind == MS_TEXT)
    return value_plain(m, a, kind, out);
  return WEFT_OK;
}

weft_status ms_attribute(ms_import *m, ms_bytes attribute, ms_value *out) {
  return value_read(m, attribute, 0, out);
}

// ---- tensors in the file ----
static weft_status value_external(ms_import *m, ms_bytes external, size_t need, ms_bytes *out) {
  wire_field f;
  uint64_t offset = ms_field(m, external, 2, &f) ? f.value : 0;
  ms_bytes file;
  const char *location = ms_field(m, external, 1, &f) ? ms_text(m, &f) : "";
  WEFT_TRY(weft__allocated(location, m->f.d));
  WEFT_TRY(ms_file(m, location, &file));
  if (offset > file.n || need > file.n - offset)
    return weft_fail(m->f.d, WEFT_E_TRUNCATED, "'%.200s' has %zu bytes; %zu are needed from byte %llu on",
                     location, file.n, need, (unsigned long long)offset);
  *out = (ms_bytes){file.at + offset, need};
  return WEFT_OK;
}

weft_status ms_constant(ms_import *m, weft_graph *g, const char *name, ms_bytes tensor, weft_value **out) {
  weft_dtype t;
  weft_dim dims[WEFT_MAX_RANK];
  int rank;
  int64_t elems;
  weft_shape shape;
  wire_field f;
  weft_diag *d = m->f.d;
  WEFT_TRY(ms_tensor_type(m, tensor, &t, dims, &rank));
  bool bad = rank < 0 || weft_shape_init(&shape, dims, (size_t)rank) || weft_shape_elems(&shape, &elems);
  if (bad || elems < 0 || weft_dtype_bytes(elems, t) < 0 || t == WEFT_STRING)
    return weft_fail(d, WEFT_E_SHAPE, "the shape of constant '%.200s' is not known", name);
  if (ms_field(m, tensor, TENSOR_COMPRESSION, &f) && f.value)
    return weft_fail(d, WEFT_E_UNSUPPORTED,
                     "tensor '%.200s' is compressed or quantised (compression_type %llu): export the model "
                     "without it",
                     name, (unsigned long long)f.value);
  ms_bytes raw = ms_part(m, tensor, TENSOR_RAW);
  ms_bytes external = ms_part(m, tensor, TENSOR_EXTERNAL);
  size_t need = (size_t)weft_dtype_bytes(elems, t);
  if (!raw.n && external.n)
    WEFT_TRY(value_external(m, external, need, &raw));
  if (raw.n != need)
    return weft_fail(d, WEFT_E_SHAPE, "tensor '%.200s' has %zu bytes, its shape needs %zu", name, raw.n,
                     need);
  static const uint8_t none;
  const front_data data = {t, dims, (size_t)rank, raw.at ? raw.at : &none, need};
  return front_borrow(&m->f, g, name, &data, out);
}

// ---- values as tensors ----
void ms_measure(front_op *b, ms_value *v) {
  if (b->failed || !v->n)
    return;
  value_measure(v);
  if (v->size > MS_MAX_SIZE)
    front_fail(b, WEFT_E_UNSUPPORTED, "its value holds %zu others, at most %d are read", v->size,
               MS_MAX_SIZE);
  else if (v->depth > MS_MAX_NESTED)
    front_fail(b, WEFT_E_UNSUPPORTED, "its value is nested deeper than %d", MS_MAX_NESTED);
}

bool ms_is_number(const ms_value *v) {
  return v->kind == MS_INT || v->kind == MS_FLOAT || v->kind == MS_BOOL;
}

// A tensor of one element that is known.
void ms_known_number(front_op *b, ms_value *v) {
  bool tensor = v->kind == MS_TENSOR || v->kind == MS_PARAM;
  const weft_value *t = tensor ? ms_tensor_of(b, v) : NULL;
  if (!front_known_number(t, &v->f))
    return;
  const weft_tensor *known = t->fact.value;
  bool whole = weft_dtype_is_integer(known->dtype) || known->dtype == WEFT_BOOL;
  v->kind = known->dtype == WEFT_BOOL ? MS_BOOL : whole ? MS_INT : MS_FLOAT;
  v->i = whole ? weft_load_i64(known->dtype, known->data, 0) : 0;
}

// A tensor in the file that stands in a tuple.
static weft_value *value_constant(front_op *b, ms_bytes data) {
  ms_import *m = (ms_import *)b->f;  // which begins with it
  weft_value *v = NULL;
  char name[40];
  do
    snprintf(name, sizeof name, "weft/item_%u", (unsigned)b->f->n_made++);
  while (weft_graph_find_value(b->s->g, name));
  b->failed = ms_constant(m, b->s->g, name, data, &v);
  return b->failed ? NULL : v;
}

weft_value *ms_tensor_of(front_op *b, const ms_value *v) {
  if (b->failed)
    return NULL;
  switch (v->kind) {
    case MS_TENSOR:
      return v->v;
    case MS_PARAM:
      return v->param->v;
    case MS_DATA:
      return value_constant(b, v->data);
    case MS_INT:
      return front_index(b, v->i);
    case MS_BOOL:
      return front_int(b, WEFT_BOOL, v->i != 0);
    case MS_FLOAT:
      return front_num(b, WEFT_FLOAT, v->f);
    default:
      return NULL;
  }
}

void ms_list_add(front_op *b, ms_list *list, weft_value *v) {
  if (b->failed)
    return;
  if (list->n == list->room) {
    size_t room = list->room ? 2 * list->room : 16;
    weft_value **more = WEFT_NEW_N(&b->f->arena, weft_value *, room);
    if (!more) {
      front_fail(b, WEFT_E_NOMEM, "out of memory");
      return;
    }
    if (list->n)
      memcpy(more, list->v, list->n * sizeof *more);
    list->v = more;
    list->room = room;
  }
  list->v[list->n++] = v;
}

static bool value_holds(const ms_value *v, bool lift) {
  return v->kind == MS_TENSOR || v->kind == MS_PARAM || (lift && ms_is_number(v));
}

static void value_flatten(front_op *b, const ms_value *v, bool lift, int depth, ms_list *out) {
  if (depth > MS_DEPTH)
    front_fail(b, WEFT_E_LIMIT, "a value is nested deeper than %d", MS_DEPTH);
  if (b->failed)
    return;
  if (value_holds(v, lift))
    ms_list_add(b, out, ms_tensor_of(b, v));
  for (size_t i = 0; i < v->n; i++)
    value_flatten(b, &v->items[i], lift, depth + 1, out);
}

void ms_flatten(front_op *b, const ms_value *v, bool lift, ms_list *out) {
  value_flatten(b, v, lift, 0, out);
}

ms_value ms_rebuilt(front_op *b, const ms_value *v, bool lift, weft_value *const *tensors, size_t *at) {
  ms_value r = *v;
  if (b->failed)
    return (ms_value){.kind = MS_NOTHING};
  if (value_holds(v, lift))
    return (ms_value){.kind = MS_TENSOR, .v = tensors[(*at)++], .param = v->param};
  if (!v->n)
    return r;
  r.items = WEFT_NEW_N(&b->f->arena, ms_value, v->n);
  if (!r.items) {
    front_fail(b, WEFT_E_NOMEM, "out of memory");
    return (ms_value){.kind = MS_NOTHING};
  }
  for (size_t i = 0; i < v->n; i++)
    r.items[i] = ms_rebuilt(b, &v->items[i], lift, tensors, at);
  return r;
}

// ---- types of nodes ----
static uint64_t value_type(ms_import *m, ms_bytes a) {
  wire_field f;
  return ms_field(m, a, ATTR_TYPE, &f) ? f.value : 0;
}

typedef struct value_walk {
  size_t n, want;
  ms_bytes found;
} value_walk;

static void value_type_walk(ms_import *m, ms_bytes a, int depth, value_walk *walk) {
  uint64_t type = value_type(m, a);
  wire_message w = ms_open(m, a);
  wire_field f;
  bool tuple = type == TYPE_TUPLE || type == TYPE_LIST;
  bool tensor = type == TYPE_TENSOR || type == TYPE_TENSORS || type == TYPE_SCALAR;
  while (depth < VALUE_DEPTH && ms_next(&w, &f)) {
    ms_bytes b = {f.data, f.bytes};
    if (tuple && f.number == ATTR_VALUES && f.type == WIRE_BYTES)
      value_type_walk(m, b, depth + 1, walk);
    if (!tensor || f.type != WIRE_BYTES || (f.number != ATTR_TENSOR && f.number != ATTR_TENSORS))
      continue;
    if (walk->n++ == walk->want)
      walk->found = b;
  }
}

static ms_bytes value_type_of(ms_import *m, const ms_node *n) {
  enum { NODE_ATTRIBUTE = 5 };
  ms_bytes a = {NULL, 0};
  return ms_attribute_named(m, n->message, NODE_ATTRIBUTE, "shape", &a) ? a : (ms_bytes){NULL, 0};
}

size_t ms_type_count(ms_import *m, const ms_node *n) {
  value_walk walk = {.want = SIZE_MAX};
  value_type_walk(m, value_type_of(m, n), 0, &walk);
  return walk.n;
}

bool ms_type_at(ms_import *m, const ms_node *n, size_t i, ms_bytes *out_tensor) {
  value_walk walk = {.want = i};
  value_type_walk(m, value_type_of(m, n), 0, &walk);
  *out_tensor = walk.found;
  return walk.found.at != NULL;
}

// The value of a type whose tensors are these, in order.
static ms_value value_typed(front_op *b, ms_import *m, ms_bytes a, int depth, weft_value *const *tensors,
                            size_t n, size_t *at) {
  uint64_t type = value_type(m, a);
  ms_value r = {.kind = MS_NOTHING};
  wire_message w = ms_open(m, a);
  wire_field f;
  if (type != TYPE_TUPLE && type != TYPE_LIST) {
    bool tensor = type == TYPE_TENSOR || type == TYPE_TENSORS || type == TYPE_SCALAR;
    if (tensor && *at < n)
      return (ms_value){.kind = MS_TENSOR, .v = tensors[(*at)++]};
    r.kind = value_kind(type) == MS_MONAD ? MS_MONAD : MS_NOTHING;
    return r;
  }
  r.kind = MS_TUPLE;
  while (ms_next(&w, &f))
    r.n += f.number == ATTR_VALUES && f.type == WIRE_BYTES;
  r.items = WEFT_NEW_N(&b->f->arena, ms_value, r.n + 1);
  if (!r.items || depth > VALUE_DEPTH) {
    front_fail(b, r.items ? WEFT_E_LIMIT : WEFT_E_NOMEM,
               r.items ? "a type is nested too deep" : "out of memory");
    return (ms_value){.kind = MS_NOTHING};
  }
  r.n = 0;
  w = ms_open(m, a);
  while (ms_next(&w, &f)) {
    if (f.number == ATTR_VALUES && f.type == WIRE_BYTES)
      r.items[r.n++] = value_typed(b, m, (ms_bytes){f.data, f.bytes}, depth + 1, tensors, n, at);
  }
  value_measure(&r);
  return r;
}

ms_value ms_typed(front_op *b, ms_import *m, const ms_node *n, weft_value *const *tensors, size_t n_tensors) {
  size_t at = 0;
  return value_typed(b, m, value_type_of(m, n), 0, tensors, n_tensors, &at);
}
// SPDX-License-Identifier: Apache-2.0
