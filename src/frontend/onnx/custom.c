// custom.c - nodes of operators that the importer's table does not have: operators of packages and of the
// program, found by the node's domain and type ("com.acme::AddCustom", then "AddCustom"). Inputs and outputs
// are taken in the order of the operator's ports, attributes by name and by the types that the operator
// declares. weft's own operators, whose meaning under a foreign domain nobody promises, are found in the
// domain "weft" only.
#include "frontend/onnx/map.h"
#include "base/allocated.h"
#include "emit/emit.h"
#include "frontend/onnx/report.h"

const weft_proto *onnx_custom(const onnx_import *m, const onnx_node *n) {
  const weft_str domain = {onnx_str_text(n->domain), n->domain.bytes};
  return front_custom_find(m->env, domain, (weft_str){onnx_str_text(n->op_type), n->op_type.bytes});
}

// ---- attributes ----
static weft_status custom_strings(onnx_op *o, const onnx_attr *a, weft_attr *out) {
  weft_str *v = WEFT_NEW_N(o->m->arena, weft_str, a->strings.n);
  WEFT_TRY(weft__allocated(v, o->m->d));
  for (size_t i = 0; i < a->strings.n; i++)
    v[i] = (weft_str){a->strings.v[i].text ? a->strings.v[i].text : "", a->strings.v[i].bytes};
  *out = weft_attr_strs(v, a->strings.n);
  return WEFT_OK;
}

static weft_status custom_bools(onnx_op *o, const onnx_attr *a, weft_attr *out) {
  bool *v = WEFT_NEW_N(o->m->arena, bool, a->ints.n);
  WEFT_TRY(weft__allocated(v, o->m->d));
  for (size_t i = 0; i < a->ints.n; i++)
    v[i] = a->ints.v[i] != 0;
  *out = (weft_attr){.type = WEFT_VT_LIST_BOOL, .n = a->ints.n, .u.bools = v};
  return WEFT_OK;
}

static weft_status custom_tensor(onnx_op *o, const onnx_attr *a, weft_attr *out) {
  weft_tensor *t = weft__graph_tensor(o->m->g);
  if (!t || !a->t)
    return onnx_fail(o, t ? WEFT_E_MISSING : WEFT_E_NOMEM, t ? "no tensor in it" : "out of memory");
  WEFT_TRY(weft__onnx_tensor(a->t, o->m->data, true, t, o->m->d));
  *out = weft_attr_tensor(t);
  return WEFT_OK;
}

static weft_status custom_types(onnx_op *o, const onnx_attr *a, weft_attr *out) {
  weft_dtype t = WEFT_UNDEFINED;
  int64_t *v = WEFT_NEW_N(o->m->arena, int64_t, a->ints.n + 1);
  if (!v)
    return onnx_fail(o, WEFT_E_NOMEM, "out of memory");
  for (size_t i = 0; i < a->ints.n; i++) {
    WEFT_TRY(onnx_dtype(o, a->ints.v[i], &t));
    v[i] = t;
  }
  *out = (weft_attr){.type = WEFT_VT_LIST_TYPE, .n = a->ints.n, .u.ints = v};
  return WEFT_OK;
}

// What ONNX stores for each type that an operator may declare.
static int custom_kind(weft_attr_type type) {
  static const struct {
    weft_attr_type type;
    int stored;
  } kinds[] = {{WEFT_VT_INT, ONNX_ATTR_INT},           {WEFT_VT_BOOL, ONNX_ATTR_INT},
               {WEFT_VT_TYPE, ONNX_ATTR_INT},          {WEFT_VT_FLOAT, ONNX_ATTR_FLOAT},
               {WEFT_VT_STRING, ONNX_ATTR_STRING},     {WEFT_VT_LIST_INT, ONNX_ATTR_INTS},
               {WEFT_VT_LIST_BOOL, ONNX_ATTR_INTS},    {WEFT_VT_LIST_TYPE, ONNX_ATTR_INTS},
               {WEFT_VT_LIST_FLOAT, ONNX_ATTR_FLOATS}, {WEFT_VT_LIST_STRING, ONNX_ATTR_STRINGS},
               {WEFT_VT_TENSOR, ONNX_ATTR_TENSOR}};
  for (size_t i = 0; i < WEFT_COUNT(kinds); i++) {
    if (kinds[i].type == type)
      return kinds[i].stored;
  }
  return ONNX_ATTR_UNDEFINED;
}

static weft_status custom_value(onnx_op *o, const onnx_attr *a, weft_attr_type type, weft_attr *out) {
  weft_dtype dtype;
  switch (type) {
    case WEFT_VT_INT:
      *out = weft_attr_int(a->i);
      return WEFT_OK;
    case WEFT_VT_BOOL:
      *out = weft_attr_bool(a->i != 0);
      return WEFT_OK;
    case WEFT_VT_TYPE:
      WEFT_TRY(onnx_dtype(o, a->i, &dtype));
      *out = weft_attr_dtype(dtype);
      return WEFT_OK;
    case WEFT_VT_FLOAT:
      *out = weft_attr_float(a->f);
      return WEFT_OK;
    case WEFT_VT_STRING:
      *out = weft_attr_str(onnx_str_text(a->s), a->s.bytes);
      return WEFT_OK;
    case WEFT_VT_LIST_INT:
      *out = weft_attr_ints(a->ints.v, a->ints.n);
      return WEFT_OK;
    case WEFT_VT_LIST_BOOL:
      return custom_bools(o, a, out);
    case WEFT_VT_LIST_TYPE:
      return custom_types(o, a, out);
    case WEFT_VT_LIST_FLOAT:
      *out = weft_attr_floats(a->floats.v, a->floats.n);
      return WEFT_OK;
    case WEFT_VT_LIST_STRING:
      return custom_strings(o, a, out);
    default:
      return custom_tensor(o, a, out);
  }
}

static weft_status custom_no_attribute(onnx_op *o, const weft_proto *p, const onnx_attr *a,
                                       const char *name) {
  char list[400] = "none";
  size_t at = 0;
  for (uint32_t i = 0; i < weft_proto_n_attr(p) && at < 300; i++) {
    at +=
        (size_t)snprintf(list + at, sizeof list - at, "%s%.80s", i ? ", " : "", weft_proto_attr(p, i)->name);
  }
  return onnx_fail(o, WEFT_E_NOT_FOUND,
                   "attribute '%s' at byte %llu: operator '%s' has none of this name; its attributes: %s",
                   name, (unsigned long long)a->offset, p->name, list);
}

static weft_status custom_attribute(onnx_op *o, const weft_proto *p, const onnx_attr *given) {
  char name[128];
  snprintf(name, sizeof name, "%.*s", (int)WEFT_MIN(given->name.bytes, 120), onnx_str_text(given->name));
  const int slot = weft_proto_find_attr(p, name);
  if (!strcmp(name, ONNX_IN_COUNTS) || !strcmp(name, ONNX_OUT_COUNTS))
    return WEFT_OK;
  if (slot < 0)
    return custom_no_attribute(o, p, given, name);
  const char *type = p->op->attrs[slot].type;
  const weft_attr_type want = weft_attr_type_parse(type, strlen(type));
  const onnx_attr *a = onnx_find_attr(o, name);  // in a function that of the call
  if (!a)
    return WEFT_OK;
  if (!custom_kind(want)) {
    return onnx_fail(o, WEFT_E_UNSUPPORTED,
                     "attribute '%s': ONNX has nothing for the type %s of operator '%s'", name, type,
                     p->name);
  }
  if (onnx_attr_kind(a) != custom_kind(want)) {
    return onnx_fail(
        o, WEFT_E_TYPE,
        "attribute '%s' at byte %llu: got %s, expected %s, because operator '%s' declares it as %s", name,
        (unsigned long long)a->offset, onnx_kind_name(onnx_attr_kind(a)), onnx_kind_name(custom_kind(want)),
        p->name, type);
  }
  weft_attr value;
  WEFT_TRY(custom_value(o, a, want, &value));
  onnx_set(o, p->op->attrs[slot].name, value);
  return o->failed;
}

// ---- the node ----
// A mapping of its own, so that origins and names are made as for other operators.
static weft_status custom_mapping(onnx_op *o, const weft_proto *p) {
  weft_arena *arena = &o->m->g->root->arena;
  onnx_mapping *map = WEFT_NEW(arena, onnx_mapping);
  const char *name = weft__arena_strdup(arena, o->n->op_type.text, o->n->op_type.bytes);
  WEFT_TRY(weft__allocated(map && name, o->m->d));
  *map = (onnx_mapping){.name = name, .primitive = p->name};
  o->map = map;
  return WEFT_OK;
}

// As weft itself writes them for an operator of several dynamic ports. NULL: nothing is said.
static weft_status custom_counts(onnx_op *o, const char *name, uint32_t n_ports, size_t n, uint32_t **out) {
  const onnx_attr *a = onnx_find_attr(o, name);
  size_t sum = 0;
  *out = NULL;
  if (!a)
    return WEFT_OK;
  uint32_t *counts = WEFT_NEW_N(o->m->arena, uint32_t, n_ports + 1);
  WEFT_TRY(weft__allocated(counts, o->m->d));
  bool good = onnx_attr_kind(a) == ONNX_ATTR_INTS && a->ints.n == n_ports;
  for (uint32_t i = 0; i < n_ports && good; i++) {
    good = a->ints.v[i] >= 0 && (uint64_t)a->ints.v[i] <= n - sum;
    counts[i] = good ? (uint32_t)a->ints.v[i] : 0;
    sum += counts[i];
  }
  if (!good || sum != n)
    return onnx_fail(o, WEFT_E_INVALID, "attribute '%s' does not count %zu tensors of %u ports", name, n,
                     (unsigned)n_ports);
  *out = counts;
  return WEFT_OK;
}

// Instances of each output port: one of each, of a dynamic one as many as the node names.
static weft_status custom_outputs(onnx_op *o, const weft_proto *p, weft_use *use) {
  uint32_t *counts;
  uint32_t dynamic = 0;
  WEFT_TRY(custom_counts(o, ONNX_OUT_COUNTS, p->n_out, o->n->outputs.n, &counts));
  use->out_counts = counts;
  if (counts)
    return WEFT_OK;
  counts = WEFT_NEW_N(o->m->arena, uint32_t, p->n_out);
  WEFT_TRY(weft__allocated(counts, o->m->d));
  for (uint32_t i = 0; i < p->n_out; i++)
    dynamic += p->op->out[i].kind == WEFT_DYNAMIC;
  const size_t given = o->n->outputs.n;
  const size_t single = p->n_out - dynamic;
  if (given > single && !dynamic)
    return onnx_fail(o, WEFT_E_INVALID, "%zu outputs, operator '%s' has %u", given, p->name, p->n_out);
  if (dynamic > 1) {
    return onnx_fail(
        o, WEFT_E_UNSUPPORTED,
        "operator '%s' has %u dynamic outputs, and ONNX does not say where each of them ends: build "
        "the graph in C (weft_use.out_counts) or as text",
        p->name, dynamic);
  }
  for (uint32_t i = 0; i < p->n_out; i++)
    counts[i] = p->op->out[i].kind != WEFT_DYNAMIC ? 1 : given > single ? (uint32_t)(given - single) : 0;
  if (dynamic)
    use->out_counts = counts;
  return WEFT_OK;
}

// Inputs by place, or, where their ports are counted, without those that are left out.
static weft_status custom_inputs(onnx_op *o, const weft_proto *p, weft_value **in, size_t *n, weft_use *use) {
  uint32_t *counts;
  size_t given = 0;
  *n = 0;
  for (size_t i = 0; i < o->n->inputs.n; i++) {
    if (!(in[i] = onnx_in(o, i)))
      continue;
    *n = i + 1;
    given++;
  }
  WEFT_TRY(custom_counts(o, ONNX_IN_COUNTS, p->n_in, given, &counts));
  use->in_counts = counts;
  if (!counts)
    return WEFT_OK;
  *n = 0;
  for (size_t i = 0; i < o->n->inputs.n; i++) {
    if (in[i])
      in[(*n)++] = in[i];
  }
  return WEFT_OK;
}

weft_status onnx_add_custom(onnx_op *o, const weft_proto *p) {
  const size_t n_in = o->n->inputs.n;
  weft_value **in = WEFT_NEW_N(o->m->arena, weft_value *, n_in);
  weft_use use = {0};
  size_t n = 0;
  WEFT_TRY(weft__allocated(in, o->m->d));
  WEFT_TRY(custom_inputs(o, p, in, &n, &use));
  WEFT_TRY(custom_mapping(o, p));
  WEFT_TRY(custom_outputs(o, p, &use));
  for (size_t i = 0; i < o->n->attributes.n; i++)
    WEFT_TRY(custom_attribute(o, p, &o->n->attributes.v[i]));
  return onnx_emit(o, p->name, in, n, &use, o->n->outputs.n, NULL);
}
// SPDX-License-Identifier: Apache-2.0
