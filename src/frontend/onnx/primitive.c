// primitive.c - making primitives and constants of an ONNX node: their names and origins, and which of them
// give the node's outputs. Each is inferred at once.
#include "frontend/onnx/import.h"
#include "base/allocated.h"

void onnx_set(onnx_op *o, const char *name, weft_attr value) {
  if (o->failed)
    return;  // the short forms go on; nothing is emitted any more
  if (o->n_attrs == WEFT_COUNT(o->attrs)) {
    o->failed = onnx_fail(o, WEFT_E_LIMIT, "more than %zu attributes", WEFT_COUNT(o->attrs));
    return;
  }
  o->attrs[o->n_attrs++] = (weft_named_attr){name, value};
}

// ---- origins ----
// The ONNX node's name, for the origins of what is made of it.
static const char *origin_name(onnx_op *o, const weft_node *node) {
  onnx_str name = o->n->name;
  if (o->name)
    return o->name;
  if (onnx_str_is(name, weft__node_name(node)))
    return o->name = weft__node_name(node);
  return o->name = weft__arena_strdup(&o->m->g->root->arena, name.text, name.bytes);
}

static weft_status set_origin(onnx_op *o, weft_node *node) {
  weft_origin *origin = WEFT_NEW(&o->m->g->root->arena, weft_origin);
  const char *name = origin_name(o, node);
  WEFT_TRY(weft__allocated(origin && name, o->m->d));
  *origin = (weft_origin){.file = o->m->file, .offset = o->n->offset, .name = name, .type = o->map->name};
  node->origin = origin;
  if (o->described || (!o->n->doc.bytes && !o->n->metadata_props.n))
    return WEFT_OK;
  weft_named_attr *notes = NULL;
  weft_origin described = *origin;
  o->described = true;
  WEFT_TRY(onnx_node_notes(o->m, o->n, &notes, &described.n_attrs));
  described.attrs = notes;
  return weft_node_set_origin(node, &described, o->m->d);
}

// ---- outputs ----
// Takes output i of the ONNX node for a value that is about to be made.
static weft_status claim(onnx_op *o, size_t i) {
  onnx_name *n = o->out[i];
  if (n->value || n->claimed)
    return onnx_two_producers(o->m, o->n->outputs.v[i], o->n->offset);
  n->claimed = true;
  return WEFT_OK;
}

// The value is output i, which was claimed and has its name: takes over what the model declares of it.
static weft_status settle_output(onnx_op *o, size_t i, weft_value *v) {
  onnx_name *n = o->out[i];
  const onnx_tensor_type *elem;
  uint8_t kind;
  n->value = v;
  if (!n->info || !n->info->type || !weft__onnx_kind(n->info->type, &kind, &elem))
    return WEFT_OK;
  weft_tensor_desc desc;
  WEFT_TRY(onnx_describe_value(o->m, n->info->type, &desc, weft_value_name(v)));
  return weft_value_declare(v, &desc, o->m->d);
}

// Names a value that is there as the model does.
static weft_status bind_output(onnx_op *o, size_t i, weft_value *v) {
  WEFT_TRY(claim(o, i));
  const char *text = onnx_value_text(o->m, o->n->outputs.v[i]);
  WEFT_TRY(weft__allocated(text, o->m->d));
  WEFT_TRY(weft__value_rename(v, text, o->m->d));
  return settle_output(o, i, v);
}

weft_status onnx_bind_output(onnx_op *o, size_t i, weft_value *v) {
  if (!o->out[i]) {
    return weft_fail(o->m->d, WEFT_E_MISSING, "the value at byte %llu has no name",
                     (unsigned long long)o->n->offset);
  }
  WEFT_TRY(bind_output(o, i, v));
  return v->declared ? weft__steps_node(o->m->append, v->node, o->m->d)
                     : WEFT_OK;  // with what the model says of it
}

// ---- emitting ----
// A name that no node has: that of the ONNX node for what gives its outputs, <name>/<type>_<number> for inner
// ones.
static void make_name(onnx_op *o, const char *type, bool inner, onnx_label *l) {
  onnx_import *m = o->m;
  const onnx_str given = o->n->name.bytes ? o->n->name : o->n->outputs.n ? o->n->outputs.v[0] : o->n->op_type;
  l->n = 0;
  if (m->prefix)
    onnx_label_add(l, m->prefix, strlen(m->prefix));
  onnx_label_add(l, given.text, WEFT_MIN(given.bytes, 200));
  if (inner) {
    onnx_label_add(l, "/", 1);
    onnx_label_add(l, type, strlen(type));
    onnx_label_add(l, "_", 1);
    onnx_label_number(l, onnx_fresh(m));
  }
  for (size_t n = l->n; weft_graph_find_node(m->g, l->text);) {
    l->n = n;
    onnx_label_add(l, "_", 1);
    onnx_label_number(l, onnx_fresh(m));
  }
}

// Claims the first n outputs and gives their names, in the graph's arena; NULL for those without.
static weft_status primitive_name_outputs(onnx_op *o, size_t n, const char **names) {
  for (size_t i = 0; i < n; i++) {
    const onnx_str s = o->n->outputs.v[i];
    names[i] = NULL;
    if (!o->out[i])
      continue;
    WEFT_TRY(claim(o, i));
    names[i] = weft__arena_strdup(&o->m->g->root->arena, s.text, s.bytes);
    WEFT_TRY(weft__allocated(names[i], o->m->d));
  }
  return WEFT_OK;
}

weft_status onnx_emit_open(onnx_op *o, const char *type, weft_value *const *in, size_t n_in,
                           const weft_use *counts, size_t n_bind, weft_node **out) {
  onnx_import *m = o->m;
  WEFT_TRY(o->failed);
  const char *few[8];
  const char **names = few;
  n_bind = WEFT_MIN(n_bind, o->n->outputs.n);
  size_t n_names = m->prefix ? 0 : n_bind;  // inside a function they are made once the node is there
  if (n_names > WEFT_COUNT(few) && !(names = WEFT_NEW_N(m->arena, const char *, n_names)))
    return onnx_fail(o, WEFT_E_NOMEM, "out of memory");
  WEFT_TRY(primitive_name_outputs(o, n_names, names));
  onnx_label label;
  make_name(o, type, !n_bind, &label);
  weft_use use = counts ? *counts : (weft_use){0};
  use.attrs = o->attrs;
  use.n_attrs = o->n_attrs;
  use.name = label.text;
  weft_node *node;
  const weft__adding adding = {.type = type,
                               .use = &use,
                               .in = in,
                               .n_in = n_in,
                               .out_names = names,
                               .n_names = n_names,
                               .name_is_free = true};
  WEFT_TRY(weft__graph_add(m->g, &adding, &node, m->d));
  o->n_attrs = 0;
  WEFT_TRY(set_origin(o, node));
  for (size_t i = 0; i < n_bind && i < node->desc.pub.n_out; i++) {
    if (o->out[i])
      WEFT_TRY(n_names ? settle_output(o, i, &node->out[i]) : bind_output(o, i, &node->out[i]));
  }
  *out = node;
  return WEFT_OK;
}

weft_status onnx_emit(onnx_op *o, const char *type, weft_value *const *in, size_t n_in,
                      const weft_use *counts, size_t n_bind, weft_value **out) {
  weft_node *node;
  WEFT_TRY(onnx_emit_open(o, type, in, n_in, counts, n_bind, &node));
  if (out)
    *out = &node->out[0];
  return weft__steps_node(o->m->append, node, o->m->d);
}

// ---- constants ----
weft_status onnx_const(onnx_op *o, const weft_tensor *t, weft_value **out) {
  char name[64];
  WEFT_TRY(o->failed);
  if ((*out = weft__const_find(o->m->g, t)))
    return WEFT_OK;
  do
    snprintf(name, sizeof name, "weft/const_%u", onnx_fresh(o->m));
  while (weft_graph_find_value(o->m->g, name));
  *out = weft_graph_const(o->m->g, name, t, WEFT_CONST_COPY, o->m->d);
  return *out ? weft__const_share(*out, o->m->d) : o->m->d->status;
}

weft_status onnx_const_ints(onnx_op *o, const int64_t *v, size_t n, bool scalar, weft_value **out) {
  WEFT_TRY(o->failed);
  weft_tensor t;
  weft_dim dim = (weft_dim)n;
  weft_tensor_init(&t, &o->m->env->alloc);
  weft_status s =
      weft_tensor_borrow(&t, WEFT_INT64, &dim, !scalar, (void *)(uintptr_t)v, n * sizeof *v, o->m->d);
  if (!s)
    s = onnx_const(o, &t, out);
  weft_tensor_deinit(&t);
  return s;
}

weft_status onnx_const_scalar(onnx_op *o, weft_dtype dtype, double v, weft_value **out) {
  WEFT_TRY(o->failed);
  weft_tensor t;
  uint64_t store[2] = {0, 0};
  weft_tensor_init(&t, &o->m->env->alloc);
  weft_store_f64(dtype, store, 0, v);
  weft_status s = weft_tensor_borrow(&t, dtype, NULL, 0, store, weft_dtype_bits(dtype) / 8, o->m->d);
  if (!s)
    s = onnx_const(o, &t, out);
  weft_tensor_deinit(&t);
  return s;
}
// SPDX-License-Identifier: Apache-2.0
