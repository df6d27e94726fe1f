// custom.c - operators that the tables do not have, found among those of packages and of the program:
// "AddCustom", or with a namespace "Acme>AddCustom". Inputs go to ports in order, attributes by name. What
// TensorFlow notes for itself is left out: names that begin with "_", and of what the operator does not
// declare the dtypes of inputs and outputs and how many inputs a list has.
#include "base/allocated.h"
#include "frontend/tf/tf.h"

const weft_proto *tf_custom_of(const tf_import *m, const char *op) {
  const char *end = strchr(op, '>');
  const weft_str domain = {op, end ? (size_t)(end - op) : 0};
  const char *type = end ? end + 1 : op;
  return front_custom_find(m->f.env, domain, (weft_str){type, strlen(type)});
}

// ---- lists ----
// Fields of AttrValue, those up to TYPE of its lists, too.
enum { CUSTOM_TEXT = 2, CUSTOM_INT, CUSTOM_FLOAT, CUSTOM_BOOL, CUSTOM_TYPE, CUSTOM_SHAPE };

typedef struct custom_items {  // of AttrValue.ListValue
  uint32_t number;             // the field that all stand in; 0: none yet
  size_t n;
  uint64_t *numbers;
  weft_str *texts;
} custom_items;

static void custom_numbers(tf_op *o, wire_message *w, const wire_field *f, custom_items *c) {
  const uint8_t *at = f->data;
  const uint8_t *end = at + f->bytes;
  const uint8_t type = f->number == CUSTOM_FLOAT ? WIRE_FIXED32 : WIRE_VARINT;
  if (f->type != WIRE_BYTES) {
    c->numbers[c->n++] = f->value;
    return;
  }
  while (at < end) {
    if (weft__wire_number(w, type, &at, end, &c->numbers[c->n])) {
      o->b.failed = o->m->f.d->status;
      return;
    }
    c->n++;
  }
}

// Each item takes a byte of the message at least.
static void custom_items_of(tf_op *o, tf_bytes list, custom_items *c) {
  wire_message w = tf_open(o->m, list);
  wire_field f;
  c->numbers = WEFT_NEW_N(&o->m->f.arena, uint64_t, list.n + 1);
  c->texts = WEFT_NEW_N(&o->m->f.arena, weft_str, list.n / 2 + 1);
  if (!c->numbers || !c->texts)
    front_fail(&o->b, WEFT_E_NOMEM, "out of memory");
  while (!o->b.failed && tf_next(&w, &f)) {
    if (f.number < CUSTOM_TEXT || f.number > CUSTOM_TYPE || (c->number && f.number != c->number)) {
      c->number = UINT32_MAX;
      return;
    }
    c->number = f.number;
    if (f.number != CUSTOM_TEXT)
      custom_numbers(o, &w, &f, c);
    else if (f.type == WIRE_BYTES)
      c->texts[c->n++] = (weft_str){(const char *)f.data, f.bytes};
  }
}

static float custom_float(uint64_t bits) {
  const uint32_t low = (uint32_t)bits;
  float v;
  memcpy(&v, &low, sizeof v);
  return v;
}

static front_arg custom_item(void *ctx, size_t i) {
  const custom_items *c = ctx;
  const uint64_t v = c->number == CUSTOM_TEXT ? 0 : c->numbers[i];
  switch (c->number) {
    case CUSTOM_TEXT:
      return (front_arg){.kind = FRONT_TEXT, .text = c->texts[i]};
    case CUSTOM_FLOAT:
      return (front_arg){.kind = FRONT_FLOAT, .f = (double)custom_float(v)};
    case CUSTOM_BOOL:
      return (front_arg){.kind = FRONT_BOOL, .i = v != 0};
    default:
      return (front_arg){.kind = FRONT_INT, .i = (int64_t)v};
  }
}

static front_arg custom_list(tf_op *o, tf_bytes list) {
  custom_items c = {0};
  custom_items_of(o, list, &c);
  if (o->b.failed || c.number == UINT32_MAX)
    return (front_arg){.kind = FRONT_ABSENT};
  for (size_t i = 0; i < c.n && c.number == CUSTOM_TYPE; i++) {
    weft_dtype t;
    if (!tf_dtype((int64_t)c.numbers[i], &t))
      return (front_arg){.kind = FRONT_ABSENT};
    c.numbers[i] = t;
  }
  const front_arg a = front_listed(&o->b, c.n, custom_item, &c);
  if (c.number != CUSTOM_TYPE || a.kind != FRONT_INTS)
    return a;
  weft_attr types = weft_attr_ints(a.ints.v, a.ints.n);
  types.type = WEFT_VT_LIST_TYPE;
  return front_attr_arg(&o->b, types);
}

// ---- one attribute ----
static front_arg custom_shape(tf_op *o, tf_bytes shape) {
  weft_dim dims[WEFT_MAX_RANK];
  int rank;
  o->b.failed = tf_shape(o->m, shape, dims, &rank);
  if (!o->b.failed && rank < 0)
    front_fail(&o->b, WEFT_E_UNKNOWN, "an attribute is a shape of unknown rank");
  int64_t *list = o->b.failed ? NULL : WEFT_NEW_N(&o->m->f.arena, int64_t, (size_t)rank + 1);
  if (!list)
    return (front_arg){.kind = FRONT_ABSENT};
  for (int i = 0; i < rank; i++)
    list[i] = dims[i];
  return (front_arg){.kind = FRONT_INTS, .ints = {list, (size_t)rank}};
}

// ABSENT: of a kind that no attribute of weft has.
static front_arg custom_value(tf_op *o, tf_bytes attr) {
  wire_message w = tf_open(o->m, attr);
  wire_field f;
  weft_dtype t;
  front_arg none = {.kind = FRONT_ABSENT};
  if (!tf_next(&w, &f))
    return none;
  switch (f.number) {
    case 1:
      return custom_list(o, (tf_bytes){f.data, f.bytes});
    case CUSTOM_TEXT:
      return (front_arg){.kind = FRONT_TEXT, .text = {(const char *)f.data, f.bytes}};
    case CUSTOM_INT:
      return (front_arg){.kind = FRONT_INT, .i = (int64_t)f.value};
    case CUSTOM_FLOAT:
      return (front_arg){.kind = FRONT_FLOAT, .f = (double)custom_float(f.value)};
    case CUSTOM_BOOL:
      return (front_arg){.kind = FRONT_BOOL, .i = f.value != 0};
    case CUSTOM_TYPE:
      return tf_dtype((int64_t)f.value, &t) ? front_attr_arg(&o->b, weft_attr_dtype(t)) : none;
    case CUSTOM_SHAPE:
      return custom_shape(o, (tf_bytes){f.data, f.bytes});
    default:
      return none;
  }
}

static bool custom_has_list(const weft_proto *p) {
  for (uint32_t i = 0; i < weft_proto_n_in(p); i++) {
    if (weft_proto_in(p, i)->kind == WEFT_DYNAMIC)
      return true;
  }
  return false;
}

static bool custom_is_idle(const weft_proto *p, const char *name, const front_arg *a) {
  if (*name == '_')
    return true;
  if (weft_proto_find_attr(p, name) >= 0)
    return false;
  const weft_attr_type type = a->attr ? a->attr->type : (weft_attr_type)WEFT_VT_NONE;
  return type == WEFT_VT_TYPE || type == WEFT_VT_LIST_TYPE || (a->kind == FRONT_INT && custom_has_list(p));
}

static size_t custom_attrs(tf_op *o, const weft_proto *p, front_given *out, size_t room) {
  wire_message w = tf_open(o->m, o->node->message);
  wire_field f;
  size_t n = 0;
  while (!o->b.failed && tf_next(&w, &f)) {
    const tf_bytes entry = {f.data, f.bytes};
    if (f.number != 5 || f.type != WIRE_BYTES)
      continue;
    const char *name = tf_text(o->m, tf_part(o->m, entry, 1));
    front_arg a = name ? custom_value(o, tf_part(o->m, entry, 2)) : (front_arg){.kind = FRONT_ABSENT};
    if (o->b.failed || !name || custom_is_idle(p, name, &a))
      continue;
    if (a.kind == FRONT_ABSENT)
      front_fail(&o->b, WEFT_E_UNSUPPORTED, "attribute '%.80s' is of a kind that weft does not read", name);
    else if (n == room)
      front_fail(&o->b, WEFT_E_LIMIT, "more than %zu attributes", room);
    else
      out[n++] = (front_given){.name = name, .arg = a};
  }
  return n;
}

// ---- the node ----
void tf_custom(tf_op *o, const weft_proto *p) {
  front_given *given = WEFT_NEW_N(&o->m->f.arena, front_given, o->n_in + TF_MAX_NUMBERS);
  o->b.failed = weft__allocated(given, o->m->f.d);
  for (size_t i = 0; i < o->n_in && !o->b.failed; i++)
    given[i] = (front_given){.arg = {.kind = FRONT_VALUE, .v = tf_in(o, i)}};
  for (uint32_t i = 0; i < weft_proto_n_out(p); i++) {
    if (weft_proto_out(p, i)->kind == WEFT_DYNAMIC)
      front_fail(&o->b, WEFT_E_UNSUPPORTED,
                 "operator '%s' has a dynamic output, and TensorFlow's graph does not say how many it gives",
                 p->name);
  }
  if (o->b.failed)
    return;
  const size_t n = o->n_in + custom_attrs(o, p, given + o->n_in, TF_MAX_NUMBERS);
  weft_value *y = o->b.failed ? NULL : front_custom(&o->b, p, given, n, weft_proto_n_out(p));
  tf_give_all(o, y, y ? weft_proto_n_out(p) : 0);
}
// SPDX-License-Identifier: Apache-2.0
