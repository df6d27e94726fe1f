// simple.c - the simplified framework model into a graph. Everything is read, linked and translated as
// records first; nodes are added in the model's order, then connected, so that producers may come after their
// readers. The graph is given out when all of it is there, or destroyed.
#include "base/file.h"
#include "weft/simple.h"

#include "frontend/simple/simple.h"

// ---- nodes ----
// Instances per port. A dynamic output has as many as the model lists.
static weft_status count_ports(simple_op *o, weft_use *use) {
  const weft_proto *p = o->proto;
  weft_arena *a = &o->m->arena;
  bool *present = WEFT_NEW_N(a, bool, o->n_in + 1);
  uint32_t *in = WEFT_NEW_N(a, uint32_t, (size_t)p->n_in + 1);
  uint32_t *out = WEFT_NEW_N(a, uint32_t, (size_t)p->n_out + 1);
  size_t fixed = 0;
  size_t dynamic = 0;
  WEFT_TRY(simple_allocated(present && in && out, o->m));
  for (size_t i = 0; i < o->n_in; i++)
    present[i] = o->in[i].name != NULL;
  WEFT_TRY(weft__bind_inputs(p, present, o->n_in, in, o->m->d));
  for (uint32_t i = 0; i < p->n_out; i++) {
    out[i] = 1;
    if (p->out[i].kind == WEFT_DYNAMIC)
      dynamic++;
    else
      fixed++;
  }
  if (o->n_out > fixed && !dynamic) {
    return simple_fail(o, WEFT_E_INVALID, ".outputs: %zu are listed, the operator '%s' has %zu", o->n_out,
                       p->name, fixed);
  }
  if (o->n_out > p->n_out && dynamic > 1) {
    return simple_fail(
        o, WEFT_E_UNSUPPORTED,
        ".outputs: %zu are listed, and the operator '%s' has %zu dynamic outputs: nothing says "
        "where each of them ends; build the graph in C (weft_use.out_counts) or as text",
        o->n_out, p->name, dynamic);
  }
  for (uint32_t i = 0; i < p->n_out && dynamic == 1; i++) {
    if (p->out[i].kind == WEFT_DYNAMIC)
      out[i] = o->n_out > fixed ? (uint32_t)(o->n_out - fixed) : 1;
  }
  use->in_counts = in;
  use->out_counts = out;
  return WEFT_OK;
}

static weft_status simple_describe(simple_tensor *t, weft_tensor_desc *desc) {
  weft_desc_init(desc);
  if (t->shape && !weft_shape_is_unknown_rank(t->shape))
    return weft_desc_set(desc, t->dtype, t->format, t->shape->dim, t->shape->rank);
  desc->dtype = t->dtype;
  desc->origin_format = desc->format = t->format;
  weft_shape_set_unknown_rank(&desc->layout.origin);
  weft_shape_set_unknown_rank(&desc->layout.storage);
  return WEFT_OK;
}

static weft_status simple_name_outputs(simple_op *o) {
  for (size_t i = 0; i < o->n_out && i < o->node->desc.pub.n_out; i++) {
    simple_tensor *t = &o->out[i];
    weft_tensor_desc desc;
    t->value = &o->node->out[i];
    if (strcmp(t->value->name, t->name))
      WEFT_TRY(weft__value_rename(t->value, t->name, o->m->d));
    if (!t->shape && t->dtype == WEFT_UNDEFINED)
      continue;
    WEFT_TRY(simple_describe(t, &desc));
    WEFT_TRY(weft_value_declare(t->value, &desc, o->m->d));
  }
  return WEFT_OK;
}

static weft_status simple_add_node(simple_op *o) {
  simple_model *m = o->m;
  weft_use use = {.name = o->name};
  weft_named_attr *source;
  size_t n_source;
  WEFT_TRY(simple_translate(o));
  WEFT_TRY(simple_source_attrs(o, &source, &n_source));
  WEFT_TRY(count_ports(o, &use));
  use.attrs = o->attrs;
  use.n_attrs = o->n_attrs;
  if (weft_graph_find_node(m->g, o->name))
    return simple_fail(o, WEFT_E_DUPLICATE, ".name: '%.80s' is the name of an op before it", o->name);
  WEFT_TRY(weft_graph_add_node(m->g, o->proto->name, &use, &o->node, m->d));
  WEFT_TRY(simple_name_outputs(o));
  weft_origin origin = {.file = m->file,
                        .offset = simple_offset(m, o->json),
                        .name = o->name,
                        .type = o->type,
                        .attrs = source,
                        .n_attrs = n_source};
  return weft_node_set_origin(o->node, &origin, m->d);
}

// ---- edges ----
static weft_status simple_add_input(simple_tensor *t) {
  const simple_op *o = t->op;
  weft_tensor_desc desc;
  if (!t->shape) {
    return simple_fail(o, WEFT_E_MISSING, ".inputs[%u].shape missing: '%.80s' is an input of the graph",
                       t->index, t->name);
  }
  if (t->dtype == WEFT_UNDEFINED) {
    return simple_fail(o, WEFT_E_MISSING, ".inputs[%u].dtype missing: '%.80s' is an input of the graph",
                       t->index, t->name);
  }
  WEFT_TRY(simple_describe(t, &desc));
  t->value = weft_graph_input_desc(o->m->g, t->name, &desc, o->m->d);
  return t->value ? WEFT_OK : o->m->d->status;
}

// Conv2D reads filters as OIHW with NCHW, as HWIO with NHWC; one of another layout goes through a Transpose.
static weft_status permute_filter(simple_op *o, simple_tensor *t, weft_value **v) {
  simple_model *m = o->m;
  if (!o->row || o->row->translate != simple_conv || t->index != 1)
    return WEFT_OK;
  const char *from = simple_filter_axes(o);
  const char *to = o->layout == WEFT_NHWC ? "HWIO" : "OIHW";
  if (!strcmp(from, to))
    return WEFT_OK;
  int64_t perm[4];
  weft_dim four = 4;
  for (int i = 0; i < 4; i++)
    perm[i] = strchr(from, to[i]) - from;
  size_t room = strlen(o->name) + 16;
  size_t at = 0;
  char *name = weft__arena_alloc(&m->arena, room, 1);
  WEFT_TRY(simple_allocated(name, m));
  weft__append(name, room, &at, "%s/perm", o->name);
  weft_tensor tensor;
  weft_tensor_init(&tensor, &m->env->alloc);
  weft_status s = weft_tensor_borrow(&tensor, WEFT_INT64, &four, 1, perm, sizeof perm, m->d);
  weft_value *in[2] = {*v, NULL};
  if (!s && !(in[1] = weft_graph_const(m->g, name, &tensor, WEFT_CONST_COPY, m->d)))
    s = m->d->status;
  weft_tensor_deinit(&tensor);
  WEFT_TRY(s);
  at = 0;
  weft__append(name, room, &at, "%s/filter", o->name);
  weft_node *node;
  weft_use use = {.name = name};
  WEFT_TRY(weft_graph_add(m->g, "Transpose", &use, in, 2, &node, m->d));
  *v = &node->out[0];
  return WEFT_OK;
}

static weft_status connect(simple_op *o) {
  uint32_t instance = 0;
  for (size_t i = 0; i < o->n_in; i++) {
    simple_tensor *t = &o->in[i];
    if (!t->name)
      continue;
    if (!t->from->value && !t->from->is_output)
      WEFT_TRY(simple_add_input(t->from));
    weft_value *v = t->from->value;
    WEFT_TRY(permute_filter(o, t, &v));
    WEFT_TRY(weft_node_connect(o->node, instance++, v, o->m->d));
  }
  return WEFT_OK;
}

static weft_status add_outputs(simple_model *m) {
  for (size_t i = 0; i < m->n_ops; i++) {
    for (size_t k = 0; k < m->ops[i].n_out; k++) {
      simple_tensor *t = &m->ops[i].out[k];
      if (!t->is_read && t->value)
        WEFT_TRY(weft_graph_output(m->g, t->value, m->d));
    }
  }
  return WEFT_OK;
}

// ---- the model ----
static weft_status each(simple_model *m, weft_status (*step)(simple_op *o)) {
  for (size_t i = 0; i < m->n_ops; i++) {
    simple_op *o = &m->ops[i];
    weft_status s = weft__budget_poll(&m->g->root->budget, m->d);
    if (!s)
      s = step(o);
    if (s)
      weft_note(m->d, "in ops[%zu] '%.80s' (%.80s), line %u", i, o->name, o->type, (unsigned)o->json->line);
    WEFT_TRY(s);
  }
  return WEFT_OK;
}

static weft_status simple_build(simple_model *m) {
  WEFT_TRY(simple_read_model(m));
  WEFT_TRY(simple_resolve(m));
  WEFT_TRY(simple_link(m));
  WEFT_TRY(each(m, simple_params));
  WEFT_TRY(each(m, simple_formats));
  WEFT_TRY(each(m, simple_add_node));
  weft__graph_defer(m->g);
  WEFT_TRY(each(m, connect));
  WEFT_TRY(weft__graph_settle(m->g, m->d));
  return add_outputs(m);
}

weft_status weft_simple_read(weft_env *e, const char *json, size_t bytes, const char *file_name,
                             weft_graph **out, weft_diag *d) {
  WEFT_NEED(d, out);
  *out = NULL;
  WEFT_NEED(d, e);
  WEFT_NEED_LIST(d, json, bytes);
  weft_diag own = {0};
  simple_model m = {.env = e,
                    .d = d ? d : &own,
                    .file = file_name,
                    .text = json,
                    .bytes = bytes,
                    .at_line = 1,
                    .at_column = 1};
  weft_json *root;
  WEFT_TRY(weft_graph_create(e, NULL, &m.g, m.d));  // it has what the model is read with counted
  weft__budget *budget = &m.g->root->budget;
  weft__allowance before = weft__budget_begin(budget, NULL, &e->limits);
  weft__arena_init(&m.arena, &m.g->root->alloc);
  weft_status s = weft__json_parse(json, bytes, &m.arena, &root, m.d);
  m.root = s ? NULL : root;
  if (!s)
    s = simple_build(&m);
  if (s)
    weft_note(m.d, "while reading the model '%s'", file_name ? file_name : "(memory)");
  weft__arena_deinit(&m.arena);
  s = weft__graph_budget_end(m.g, &before, s, m.d);
  if (s)
    weft_graph_destroy(m.g);
  else
    *out = m.g;
  return s;
}

weft_status weft_simple_load(weft_env *e, const char *path, weft_graph **out, weft_diag *d) {
  WEFT_NEED(d, out);
  *out = NULL;
  WEFT_NEED(d, e);
  WEFT_NEED(d, path);
  weft_file file;
  WEFT_TRY(weft__file_take(path, WEFT__FILE_SMALL, &file, d));
  weft_status s = weft_simple_read(e, (const char *)file.data, file.bytes, path, out, d);
  weft__file_unmap(&file);
  return s;
}
// SPDX-License-Identifier: Apache-2.0
