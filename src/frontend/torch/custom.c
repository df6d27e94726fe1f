// custom.c - operators that the tables do not have: those of torch.library, found among the operators of
// packages and of the program by namespace and name. Arguments go to ports and attributes by name.
#include "base/allocated.h"
#include "frontend/torch/torch.h"

// "torch.ops.acme.scale_shift.default": acme, scale_shift.
const weft_proto *pt_custom_of(const pt_import *m, const char *target) {
  static const char prefix[] = "torch.ops.";
  if (strncmp(target, prefix, sizeof prefix - 1) != 0)
    return NULL;
  const weft_str domain = {target + sizeof prefix - 1, strcspn(target + sizeof prefix - 1, ".")};
  if (!domain.text[domain.bytes])
    return NULL;
  const char *name = domain.text + domain.bytes + 1;
  return front_custom_find(m->f.env, domain, (weft_str){name, strcspn(name, ".")});
}

// ---- lists that mappings of ATen's operators read by themselves ----
typedef struct custom_items {
  pt_op *o;
  const weft_json *of;
} custom_items;

static front_arg custom_float(void *ctx, size_t i) {
  const custom_items *c = ctx;
  return pt_read_float(c->o, &c->of->items[i]);
}
static front_arg custom_bool(void *ctx, size_t i) {
  const weft_json *v = &((const custom_items *)ctx)->of->items[i];
  return (front_arg){.kind = v->kind == WEFT_JSON_BOOL ? FRONT_BOOL : FRONT_ABSENT, .i = v->b};
}
static front_arg custom_text(void *ctx, size_t i) {
  const weft_json *v = &((const custom_items *)ctx)->of->items[i];
  return v->kind == WEFT_JSON_STRING ? (front_arg){.kind = FRONT_TEXT, .text = {v->s, v->s_bytes}}
                                     : (front_arg){.kind = FRONT_ABSENT};
}

static front_arg custom_dtype(pt_op *o, const weft_json *v) {
  weft_dtype t = WEFT_UNDEFINED;
  if (v->kind != WEFT_JSON_NUMBER || !pt_dtype(v->i, &t))
    front_fail(&o->b, WEFT_E_DTYPE, "ScalarType %lld is not known", (long long)v->i);
  return front_attr_arg(&o->b, weft_attr_dtype(t));
}

// ---- arguments ----
static front_arg custom_tensors(pt_op *o, const char *name) {
  front_arg a = {.kind = FRONT_VALUES};
  weft_value **values = NULL;
  a.n = pt_tensors(o, name, &values);
  a.values = values;
  return a;
}

// Integers, some of which may be symbols: each must be known.
static front_arg custom_sizes(pt_op *o, const char *name) {
  int64_t *list = WEFT_NEW_N(&o->m->f.arena, int64_t, PT_MAX_NUMBERS);
  if (!list) {
    front_fail(&o->b, WEFT_E_NOMEM, "out of memory");
    return (front_arg){.kind = FRONT_ABSENT};
  }
  return (front_arg){.kind = FRONT_INTS, .ints = {list, pt_ints(o, name, list)}};
}

static front_arg custom_argument(pt_op *o, const char *name, const weft_json *arg) {
  static const struct {
    const char *key;
    front_arg (*get)(void *ctx, size_t i);
  } lists[] = {{"as_floats", custom_float}, {"as_bools", custom_bool}, {"as_strings", custom_text}};
  const char *key;
  const weft_json *v = pt_only(arg, &key);
  if (!v || !strcmp(key, "as_none"))
    return (front_arg){.kind = FRONT_ABSENT};
  if (!strcmp(key, "as_tensors") || !strcmp(key, "as_optional_tensors"))
    return custom_tensors(o, name);
  if (!strcmp(key, "as_optional_tensor"))
    arg = v;
  if (!strcmp(key, "as_sym_ints"))
    return custom_sizes(o, name);
  if (!strcmp(key, "as_scalar_type"))
    return custom_dtype(o, v);
  front_arg a = {.kind = FRONT_ABSENT};
  for (size_t i = 0; i < WEFT_COUNT(lists) && v->kind == WEFT_JSON_ARRAY; i++) {
    if (!strcmp(key, lists[i].key))
      a = front_listed(&o->b, v->n, lists[i].get, &(custom_items){o, v});
  }
  if (a.kind == FRONT_ABSENT && !o->b.failed)
    a = pt_read_arg(o, arg);
  if (a.kind == FRONT_ABSENT && !o->b.failed && strcmp(key, "as_optional_tensor") != 0)
    front_fail(&o->b, WEFT_E_UNSUPPORTED, "argument '%.60s' is something that weft does not read (%.40s)",
               name, key);
  return a;
}

// Where and how tensors are kept, which says nothing to an operator of weft.
static bool custom_is_idle(const weft_proto *p, const char *key, const char *name) {
  static const char *const idle[] = {"as_device", "as_layout", "as_memory_format"};
  bool found = false;
  for (size_t i = 0; i < WEFT_COUNT(idle); i++)
    found |= !strcmp(key, idle[i]);
  return found && weft_proto_find_attr(p, name) < 0;
}

void pt_custom(pt_op *o) {
  front_given *given = WEFT_NEW_N(&o->m->f.arena, front_given, o->inputs->n + 1);
  size_t n = 0;
  o->b.failed = o->b.failed ? o->b.failed : weft__allocated(given, o->m->f.d);
  for (size_t i = 0; i < o->inputs->n && !o->b.failed; i++) {
    const weft_json *in = &o->inputs->items[i];
    const char *name = pt_text(in, "name");
    const char *key;
    (void)pt_only(weft__json_get(in, "arg"), &key);
    if (custom_is_idle(o->custom, key, name ? name : ""))
      continue;
    given[n].name = name && *name ? name : NULL;
    given[n++].arg = custom_argument(o, name ? name : "", weft__json_get(in, "arg"));
  }
  if (o->asked)
    *o->asked = UINT64_MAX;
  weft_value *y = o->b.failed ? NULL : front_custom(&o->b, o->custom, given, n, o->n_out);
  for (size_t i = 0; y && i < o->n_out; i++)
    pt_result(o, i, &y[i]);
}
// SPDX-License-Identifier: Apache-2.0
