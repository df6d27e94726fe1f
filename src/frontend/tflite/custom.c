// custom.c - custom operators, found by their name among those of packages and of the program. Inputs go to
// ports in order, as they are: a quantised tensor is one of integers. Options are a flexbuffer, a map of
// names to attributes; what the operator does not declare is refused, but for the dtypes and counts that
// TensorFlow's converter writes beside them.
#include "base/allocated.h"
#include "frontend/tflite/tflite.h"

const weft_proto *tl_custom_of(const tl_import *m, const tl_operator *op) {
  const weft_str none = {"", 0};
  return op->custom ? front_custom_find(m->f.env, none, (weft_str){op->type, strlen(op->type)}) : NULL;
}

flex_value tl_options(tl_op *o, flex *f) {
  const flat_list *bytes = &o->op->custom_options;
  *f = (flex){o->m->file.data + bytes->at, bytes->n};
  const flex_value v = bytes->n ? flex_root(f) : (flex_value){.kind = FLEX_NULL};
  if (v.kind == FLEX_NULL || (v.kind == FLEX_MAP && v.n <= TL_MAX_OPTIONS))
    return v;
  front_fail(&o->b, WEFT_E_UNSUPPORTED,
             "its options (%zu bytes) are not a flexbuffer with a map of at most %d", bytes->n,
             TL_MAX_OPTIONS);
  return (flex_value){.kind = FLEX_NULL};
}

// ---- attributes ----
typedef struct custom_items {
  tl_op *o;
  const flex *f;
  const flex_value *of;
} custom_items;

static front_arg custom_argument(tl_op *o, const flex *f, const flex_value *v);

static front_arg custom_item(void *ctx, size_t i) {
  const custom_items *c = ctx;
  const flex_value v = flex_item(c->f, c->of, i);
  return v.kind == FLEX_LIST ? (front_arg){.kind = FRONT_ABSENT} : custom_argument(c->o, c->f, &v);
}

static front_arg custom_argument(tl_op *o, const flex *f, const flex_value *v) {
  switch (v->kind) {
    case FLEX_INT:
      return (front_arg){.kind = FRONT_INT, .i = v->i};
    case FLEX_BOOL:
      return (front_arg){.kind = FRONT_BOOL, .i = v->i != 0};
    case FLEX_FLOAT:
      return (front_arg){.kind = FRONT_FLOAT, .f = v->f};
    case FLEX_TEXT:
      return (front_arg){.kind = FRONT_TEXT, .text = {v->text, v->n}};
    case FLEX_LIST:
      return front_listed(&o->b, v->n, custom_item, &(custom_items){o, f, v});
    default:
      return (front_arg){.kind = FRONT_ABSENT};
  }
}

// "T" and "N" of a node of TensorFlow say what its tensors say, too.
static bool custom_is_idle(const weft_proto *p, const char *name) {
  const bool note = *name == '_' || !strcmp(name, "T") || !strcmp(name, "N");
  return note && weft_proto_find_attr(p, name) < 0;
}

static size_t custom_attrs(tl_op *o, const weft_proto *p, const flex *f, const flex_value *map,
                           front_given *out) {
  size_t n = 0;
  for (size_t i = 0; i < map->n && !o->b.failed; i++) {
    const flex_value key = flex_key(f, map, i);
    const flex_value v = flex_item(f, map, i);
    const char *name = key.kind == FLEX_TEXT ? key.text : NULL;
    if (name && custom_is_idle(p, name))
      continue;
    const front_arg a = custom_argument(o, f, &v);
    if (!name || a.kind == FRONT_ABSENT)
      front_fail(&o->b, WEFT_E_UNSUPPORTED,
                 "option %zu, '%.80s', is not a number, a string or a list of them", i, name ? name : "");
    out[n++] = (front_given){.name = name, .arg = a};
  }
  return n;
}

// ---- the node ----
void tl_custom(tl_op *o, const weft_proto *p) {
  flex f;
  const flex_value map = tl_options(o, &f);
  const size_t n_in = tl_n_in(o);
  front_given *given = o->b.failed ? NULL : WEFT_NEW_N(&o->m->f.arena, front_given, n_in + map.n + 1);
  if (!given) {
    front_fail(&o->b, WEFT_E_NOMEM, "out of memory");
    return;
  }
  for (size_t i = 0; i < n_in; i++) {
    given[i].arg.v = tl_has(o, i) ? tl_raw(o, i) : NULL;
    given[i].arg.kind = given[i].arg.v ? FRONT_VALUE : FRONT_ABSENT;
  }
  const size_t n = n_in + custom_attrs(o, p, &f, &map, given + n_in);
  weft_value *y = o->b.failed ? NULL : front_custom(&o->b, p, given, n, tl_n_out(o));
  for (size_t i = 0; y && i < tl_n_out(o); i++)
    tl_give_raw(o, i, &y[i]);
}
// SPDX-License-Identifier: Apache-2.0
