// custom.c - operators that the tables do not have, found among those of packages and of the program: by the
// primitive's name, and of ops.Custom by that of the function or operator that it registers. Inputs go to
// ports in order. A primitive carries many notes of MindSpore's own, so that of its attributes those are
// read that the operator declares.
#include "base/allocated.h"
#include "frontend/mindspore/mindspore.h"

static const weft_proto *custom_named(const ms_import *m, const char *name) {
  const char *last = strrchr(name, ':');  // "./libacme.so:AddCustom"
  const char *type = last ? last + 1 : name;
  return front_custom_find(m->f.env, (weft_str){"", 0}, (weft_str){type, strlen(type)});
}

const weft_proto *ms_custom_of(ms_import *m, const ms_node *n) {
  static const char *const says[] = {"reg_op_name", "func_name"};
  const weft_proto *p = custom_named(m, n->prim->type);
  if (p || strcmp(n->prim->type, "Custom") != 0)
    return p;
  for (size_t i = 0; i < WEFT_COUNT(says) && !p; i++) {
    ms_value v;
    if (!ms_node_attribute(m, n, says[i], &v) && v.kind == MS_TEXT)
      p = custom_named(m, v.text);
  }
  return p;
}

// ---- attributes ----
typedef struct custom_items {
  ms_op *o;
  const ms_value *of;
} custom_items;

static front_arg custom_argument(ms_op *o, const ms_value *v);

static front_arg custom_item(void *ctx, size_t i) {
  const custom_items *c = ctx;
  const ms_value *item = &c->of->items[i];
  return item->kind == MS_TUPLE ? (front_arg){.kind = FRONT_ABSENT} : custom_argument(c->o, item);
}

static front_arg custom_argument(ms_op *o, const ms_value *v) {
  switch (v->kind) {
    case MS_INT:
      return (front_arg){.kind = FRONT_INT, .i = v->i};
    case MS_BOOL:
      return (front_arg){.kind = FRONT_BOOL, .i = v->i != 0};
    case MS_FLOAT:
      return (front_arg){.kind = FRONT_FLOAT, .f = v->f};
    case MS_TEXT:
      return (front_arg){.kind = FRONT_TEXT, .text = {v->text, strlen(v->text)}};
    case MS_TUPLE:
      return front_listed(&o->b, v->n, custom_item, &(custom_items){o, v});
    default:
      return (front_arg){.kind = FRONT_ABSENT};
  }
}

static size_t custom_attrs(ms_op *o, const weft_proto *p, front_given *out) {
  size_t n = 0;
  for (uint32_t i = 0; i < weft_proto_n_attr(p) && !o->b.failed; i++) {
    ms_value v;
    const char *name = weft_proto_attr(p, i)->name;
    o->b.failed = ms_node_attribute(o->m, o->node, name, &v);
    if (o->b.failed || v.kind == MS_NOTHING || v.kind == MS_NONE)
      continue;
    const front_arg arg = custom_argument(o, &v);
    if (arg.kind == FRONT_ABSENT)
      front_fail(&o->b, WEFT_E_UNSUPPORTED, "attribute '%.80s' is not a number, a string or a list of them",
                 name);
    out[n++] = (front_given){.name = name, .arg = arg};
  }
  return n;
}

// ---- inputs ----
static front_arg custom_input(ms_op *o, size_t i) {
  const ms_value *v = &o->in[i];
  front_arg a = {.kind = FRONT_ABSENT};
  ms_list list = {NULL, 0, 0};
  if (v->kind == MS_NONE)
    return a;
  if (v->kind == MS_TUPLE) {
    ms_flatten(&o->b, v, true, &list);
    return (front_arg){.kind = FRONT_VALUES, .values = list.v, .n = list.n};
  }
  a.v = ms_tensor_of(&o->b, v);
  a.kind = a.v ? FRONT_VALUE : FRONT_ABSENT;
  if (!a.v)
    front_fail(&o->b, WEFT_E_TYPE, "input %zu is not a tensor, a number or a tuple of them", i);
  return a;
}

// The outputs in the form that the file gives to what the node gives: one, or a tuple.
static void custom_give(ms_op *o, const weft_proto *p, const front_given *given, size_t n) {
  const size_t n_out = ms_type_count(o->m, o->node);
  weft_value **v = WEFT_NEW_N(&o->m->f.arena, weft_value *, n_out + 1);
  weft_value *y = v && given ? front_custom(&o->b, p, given, n, n_out) : NULL;
  for (size_t i = 0; y && i < n_out; i++)
    v[i] = &y[i];
  if (y)
    o->out = n_out ? ms_typed(&o->b, o->m, o->node, v, n_out) : (ms_value){.kind = MS_TENSOR, .v = y};
  else if (!o->b.failed)
    front_fail(&o->b, WEFT_E_NOMEM, "out of memory");
}

void ms_custom(ms_op *o, const weft_proto *p) {
  front_given *given = WEFT_NEW_N(&o->m->f.arena, front_given, o->n_in + weft_proto_n_attr(p) + 1);
  size_t n = 0;
  o->b.failed = weft__allocated(given, o->m->f.d);
  for (size_t i = 0; i < o->n_in && !o->b.failed; i++) {
    if (o->in[i].kind != MS_MONAD)
      given[n++].arg = custom_input(o, i);
  }
  if (o->b.failed)
    return;
  n += custom_attrs(o, p, given + n);
  custom_give(o, p, o->b.failed ? NULL : given, n);
}
// SPDX-License-Identifier: Apache-2.0
