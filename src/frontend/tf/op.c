// op.c - inputs, attributes and outputs of one node, for the mappings.
#include <stdlib.h>
#include "base/allocated.h"
#include "frontend/tf/tf.h"

weft_value *tf_as_tensor(tf_import *m, const tf_value *v) {
  (void)m;
  return v->kind == TF_TENSOR ? v->v : NULL;
}

weft_value *tf_in(tf_op *o, size_t i) {
  if (o->b.failed)
    return NULL;
  if (i >= o->n_in)
    return front_none(&o->b, WEFT_E_MISSING, "input %zu is not given", i);
  weft_value *v = tf_as_tensor(o->m, &o->in[i]);
  return v ? v : front_none(&o->b, WEFT_E_TYPE, "input %zu is a resource or a list, expected a tensor", i);
}

// ---- attributes ----
tf_bytes tf_attr(tf_op *o, const char *name) {
  tf_bytes found = {NULL, 0};
  return tf_map_find(o->m, o->node->message, 5, name, &found) ? found : (tf_bytes){NULL, 0};
}

static bool op_field(tf_op *o, const char *name, uint32_t number, wire_field *f) {
  tf_bytes a = tf_attr(o, name);
  return a.at && tf_field(o->m, a, number, f);
}

int64_t tf_int(tf_op *o, const char *name, int64_t dflt) {
  wire_field f;
  return op_field(o, name, 3, &f) ? (int64_t)f.value : dflt;
}

double tf_float(tf_op *o, const char *name, double dflt) {
  wire_field f;
  if (!op_field(o, name, 4, &f))
    return dflt;
  uint32_t bits = (uint32_t)f.value;
  float v;
  memcpy(&v, &bits, 4);
  return (double)v;
}

bool tf_bool(tf_op *o, const char *name, bool dflt) {
  wire_field f;
  return op_field(o, name, 5, &f) ? f.value != 0 : dflt;
}

const char *tf_string(tf_op *o, const char *name, const char *dflt) {
  wire_field f;
  if (!op_field(o, name, 2, &f) || f.type != WIRE_BYTES)
    return dflt;
  const char *text = tf_text(o->m, (tf_bytes){f.data, f.bytes});
  if (!text)
    front_fail(&o->b, WEFT_E_NOMEM, "out of memory");
  return text ? text : dflt;
}

bool tf_is(tf_op *o, const char *name, const char *dflt, const char *text) {
  return !strcmp(tf_string(o, name, dflt), text);
}

weft_dtype tf_type(tf_op *o, const char *name, weft_dtype dflt) {
  wire_field f;
  weft_dtype t;
  return op_field(o, name, 6, &f) && tf_dtype((int64_t)f.value, &t) ? t : dflt;
}

const char *tf_func(tf_op *o, const char *name) {
  tf_bytes f = tf_part(o->m, tf_part(o->m, tf_attr(o, name), 10), 1);
  return f.at ? tf_text(o->m, f) : NULL;
}

size_t tf_ints(tf_op *o, const char *name, int64_t out[TF_MAX_NUMBERS]) {
  wire_message w = tf_open(o->m, tf_part(o->m, tf_attr(o, name), 1));
  wire_field f;
  size_t n = 0;
  weft_diag quiet = {0};
  weft_diag *d = w.src->d;
  w.src->d = &quiet;
  while (!weft__wire_next(&w, &f) && f.number) {
    const uint8_t *at = f.data;
    while (f.number == 3 && at < f.data + f.bytes && n < TF_MAX_NUMBERS) {
      uint64_t v;
      if (weft__wire_number(&w, WIRE_VARINT, &at, f.data + f.bytes, &v))
        break;
      out[n++] = (int64_t)v;
    }
  }
  w.src->d = d;
  return n;
}

static bool op_item(wire_message *w, uint32_t number, size_t i, wire_field *out) {
  for (size_t at = 0; !weft__wire_next(w, out) && out->number;) {
    if (out->number != number)
      continue;
    bool packed = out->type == WIRE_BYTES && number >= 3 && number <= 6;
    if (!packed && at++ == i)
      return true;
    const uint8_t *from = out->data;
    while (packed && from < out->data + out->bytes) {
      if (weft__wire_number(w, number == 4 ? WIRE_FIXED32 : WIRE_VARINT, &from, out->data + out->bytes,
                            &out->value))
        return false;
      if (at++ == i)
        return true;
    }
  }
  return false;
}

bool tf_item(tf_op *o, const char *name, uint32_t number, size_t i, wire_field *out) {
  wire_message w = tf_open(o->m, tf_part(o->m, tf_attr(o, name), 1));
  weft_diag quiet = {0};
  weft_diag *d = w.src->d;
  w.src->d = &quiet;
  bool found = op_item(&w, number, i, out);
  w.src->d = d;
  return found;
}

// ---- attributes of the primitive, by a line of the table ----
// A dtype is an attribute of its own type in some prototypes, a number in others.
static bool op_is_type(tf_op *o, const char *type, const char *name) {
  const weft_proto *p = weft_find(o->m->f.env, type);
  for (uint32_t i = 0; p && i < p->n_attr; i++) {
    if (!strcmp(p->attrs[i].name, name))
      return p->attr_types[i] == WEFT_VT_TYPE;
  }
  return false;
}

static void op_set_type(tf_op *o, const char *type, const char *name, int64_t t) {
  if (op_is_type(o, type, name))
    front_set(&o->b, name, weft_attr_dtype((weft_dtype)t));
  else
    front_set_int(&o->b, name, t);
}

static void op_set_default(tf_op *o, const char *type, const char *name, const char *text) {
  if (!strcmp(text, "T") || !strcmp(text, "F"))
    front_set_bool(&o->b, name, *text == 'T');
  else if (*text == '-' || (*text >= '0' && *text <= '9')) {
    if (strchr(text, '.'))
      front_set_float(&o->b, name, strtod(text, NULL));
    else
      op_set_type(o, type, name, strtoll(text, NULL, 10));
  } else
    front_set_text(&o->b, name, text);
}

// Whether all that is wanted is on its way; the numbers live as long as the reading.
static bool op_set_list(tf_op *o, const char *from, const char *to) {
  weft_arena *a = &o->m->f.arena;
  int64_t v[TF_MAX_NUMBERS];
  wire_field f;
  size_t n = 0;
  if (!tf_item(o, from, 4, 0, &f)) {
    n = tf_ints(o, from, v);
    int64_t *ints = WEFT_NEW_N(a, int64_t, n + 1);
    if (ints)
      memcpy(ints, v, n * sizeof *v);
    front_set_ints(&o->b, to, ints, ints ? n : 0);
    return ints;
  }
  while (n < TF_MAX_NUMBERS && tf_item(o, from, 4, n, &f))
    n++;
  float *floats = WEFT_NEW_N(a, float, n + 1);
  for (size_t i = 0; i < n && floats && tf_item(o, from, 4, i, &f); i++) {
    uint32_t bits = (uint32_t)f.value;
    memcpy(&floats[i], &bits, sizeof bits);
  }
  front_set(&o->b, to, weft_attr_floats(floats, floats ? n : 0));
  return floats;
}

// What no primitive has: only the default is read.
static void op_only(tf_op *o, const char *name, const char *dflt) {
  tf_bytes a = tf_attr(o, name);
  wire_field f;
  bool same = !a.at || (tf_field(o->m, a, 3, &f) && (int64_t)f.value == strtoll(dflt, NULL, 10)) ||
              (tf_field(o->m, a, 5, &f) && (f.value != 0) == (*dflt == 'T'));
  if (!same)
    front_fail(&o->b, WEFT_E_UNSUPPORTED, "attribute '%s' is only read as %s", name, dflt);
}

static void op_set_one(tf_op *o, const char *type, const char *from, const char *to, const char *dflt) {
  tf_bytes a = tf_attr(o, from);
  wire_field f;
  weft_dtype t;
  if (!a.at || !tf_field(o->m, a, 2, &f)) {
    if (a.at && tf_field(o->m, a, 3, &f))
      front_set_int(&o->b, to, (int64_t)f.value);
    else if (a.at && tf_field(o->m, a, 4, &f))
      front_set_float(&o->b, to, tf_float(o, from, 0));
    else if (a.at && tf_field(o->m, a, 5, &f))
      front_set_bool(&o->b, to, f.value != 0);
    else if (a.at && tf_field(o->m, a, 6, &f) && tf_dtype((int64_t)f.value, &t))
      op_set_type(o, type, to, t);
    else if (a.at && tf_field(o->m, a, 1, &f)) {
      if (!op_set_list(o, from, to))
        front_fail(&o->b, WEFT_E_NOMEM, "out of memory");
    } else if (*dflt)
      op_set_default(o, type, to, dflt);
    return;
  }
  front_set_text(&o->b, to, tf_string(o, from, ""));
}

void tf_set_attrs(tf_op *o, const char *type, const char *rule) {
  while (*rule && !o->b.failed) {
    char one[96];
    size_t n = strcspn(rule, " ");
    snprintf(one, sizeof one, "%.*s", (int)WEFT_MIN(n, sizeof one - 1), rule);
    rule += n + strspn(rule + n, " ");
    char *dflt = strchr(one, '=');
    if (dflt)
      *dflt++ = 0;
    char *to = strchr(one, '>');
    if (to)
      *to++ = 0;
    const char *kept = weft__arena_strdup(&o->m->f.arena, to ? to : one, strlen(to ? to : one));
    const char *text = weft__arena_strdup(&o->m->f.arena, dflt ? dflt : "", dflt ? strlen(dflt) : 0);
    if (!kept || !text)
      front_fail(&o->b, WEFT_E_NOMEM, "out of memory");
    else if (*kept == '!')
      op_only(o, kept + 1, text);
    else
      op_set_one(o, type, one, kept, text);
  }
}

// ---- outputs ----
static bool op_room(tf_op *o, size_t i) {
  tf_made *m = o->made;
  if (i < m->n)
    return true;
  tf_value *more = WEFT_NEW_N(&o->m->f.arena, tf_value, i + 1);
  if (!more) {
    front_fail(&o->b, WEFT_E_NOMEM, "out of memory");
    return false;
  }
  for (size_t k = 0; k < m->n; k++)
    more[k] = m->out[k];
  m->out = more;
  m->n = i + 1;
  return true;
}

void tf_give_value(tf_op *o, size_t i, tf_value v) {
  if (!o->b.failed && op_room(o, i))
    o->made->out[i] = v;
}

void tf_give(tf_op *o, size_t i, weft_value *v) {
  tf_give_value(o, i, (tf_value){.kind = v ? TF_TENSOR : TF_NOTHING, .v = v});
}

void tf_give_all(tf_op *o, weft_value *first, size_t n) {
  for (size_t i = 0; i < n && !o->b.failed; i++)
    tf_give(o, i, &first[i]);
}

size_t tf_known(tf_op *o, size_t i, int64_t out[TF_MAX_NUMBERS]) {
  weft_value *v = tf_in(o, i);
  size_t n = 0;
  if (!o->b.failed && !front_known_ints(v, out, TF_MAX_NUMBERS, &n))
    front_fail(&o->b, WEFT_E_UNKNOWN, "input %zu is not a constant of whole numbers", i);
  return o->b.failed ? 0 : n;
}
// SPDX-License-Identifier: Apache-2.0
