// body.c - scopes inside a model: bodies of If, Loop and Scan become closed sub-graphs whose captures are
// trailing inputs; model-local functions are written into the graph that calls them.
#include "frontend/onnx/report.h"
#include "base/allocated.h"

typedef struct names {  // an ordered set
  weft_map map;
  WEFT_VEC(onnx_str) list;
} names;

static weft_status free_of(onnx_import *m, const onnx_graph *g, names *out, int depth);

static weft_status add_free(onnx_import *m, const weft_map *defined, onnx_str s, names *out) {
  static const char yes = 1;
  if (!s.bytes || weft__map_find(defined, s.text, s.bytes) || weft__map_find(&out->map, s.text, s.bytes))
    return WEFT_OK;
  if (!WEFT_VEC_ROOM(&m->env->alloc, out->list) ||
      weft__map_set(&out->map, s.text, s.bytes, (void *)(uintptr_t)&yes))
    return weft_fail(m->d, WEFT_E_NOMEM, "out of memory");
  out->list.v[out->list.n++] = s;
  return WEFT_OK;
}

// What the sub-graphs of a node read and do not define is free here, unless it is defined here.
static weft_status add_free_of(onnx_import *m, const onnx_graph *inner_graph, const weft_map *defined,
                               names *out, names *inner, int depth) {
  WEFT_TRY(free_of(m, inner_graph, inner, depth));
  for (size_t k = 0; k < inner->list.n; k++)
    WEFT_TRY(add_free(m, defined, inner->list.v[k], out));
  return WEFT_OK;
}

static weft_status define(onnx_import *m, weft_map *defined, onnx_str s) {
  static const char yes = 1;
  if (s.bytes && weft__map_set(defined, s.text, s.bytes, (void *)(uintptr_t)&yes))
    return weft_fail(m->d, WEFT_E_NOMEM, "out of memory");
  return WEFT_OK;
}

static weft_status free_of_node(onnx_import *m, const onnx_node *n, weft_map *defined, names *out,
                                int depth) {
  for (size_t i = 0; i < n->inputs.n; i++)
    WEFT_TRY(add_free(m, defined, n->inputs.v[i], out));
  for (size_t i = 0; i < n->attributes.n; i++) {
    if (!n->attributes.v[i].g)
      continue;
    names inner = {0};
    weft__map_init(&inner.map, &m->env->alloc);
    weft_status s = add_free_of(m, n->attributes.v[i].g, defined, out, &inner, depth + 1);
    weft__map_deinit(&inner.map);
    WEFT_VEC_FREE(&m->env->alloc, inner.list);
    WEFT_TRY(s);
  }
  return WEFT_OK;
}

static weft_status define_outputs(onnx_import *m, const onnx_node *n, weft_map *defined) {
  for (size_t i = 0; i < n->outputs.n; i++)
    WEFT_TRY(define(m, defined, n->outputs.v[i]));
  return WEFT_OK;
}

static weft_status define_all(onnx_import *m, const onnx_graph *g, weft_map *defined) {
  for (size_t i = 0; i < g->inputs.n; i++)
    WEFT_TRY(define(m, defined, g->inputs.v[i].name));
  for (size_t i = 0; i < g->initializers.n; i++)
    WEFT_TRY(define(m, defined, g->initializers.v[i].name));
  for (size_t i = 0; i < g->sparse_initializers.n; i++) {
    if (g->sparse_initializers.v[i].values)
      WEFT_TRY(define(m, defined, g->sparse_initializers.v[i].values->name));
  }
  for (size_t i = 0; i < g->nodes.n; i++)
    WEFT_TRY(define_outputs(m, &g->nodes.v[i], defined));
  return WEFT_OK;
}

static weft_status free_of_all(onnx_import *m, const onnx_graph *g, weft_map *defined, names *out,
                               int depth) {
  WEFT_TRY(define_all(m, g, defined));
  for (size_t i = 0; i < g->nodes.n; i++)
    WEFT_TRY(free_of_node(m, &g->nodes.v[i], defined, out, depth));
  for (size_t i = 0; i < g->outputs.n; i++)
    WEFT_TRY(add_free(m, defined, g->outputs.v[i].name, out));
  return WEFT_OK;
}

// The names that a graph reads and does not define, in whatever order its nodes stand.
static weft_status free_of(onnx_import *m, const onnx_graph *g, names *out, int depth) {
  if (depth > ONNX_MAX_GRAPH_DEPTH)
    return weft_fail(m->d, WEFT_E_LIMIT, "sub-graphs nested deeper than %d", ONNX_MAX_GRAPH_DEPTH);
  weft_map defined;
  weft__map_init(&defined, &m->env->alloc);
  weft_status s = free_of_all(m, g, &defined, out, depth);
  weft__map_deinit(&defined);
  return s;
}

static weft_status free_of_each(onnx_import *m, const onnx_graph *const *graphs, size_t n, names *all,
                                onnx_str **out) {
  for (size_t i = 0; i < n; i++)
    WEFT_TRY(free_of(m, graphs[i], all, (int)m->depth));
  if (!all->list.n)
    return WEFT_OK;
  *out = WEFT_NEW_N(m->arena, onnx_str, all->list.n);
  WEFT_TRY(weft__allocated(*out, m->d));
  memcpy(*out, all->list.v, all->list.n * sizeof **out);
  return WEFT_OK;
}

weft_status onnx_free_names(onnx_import *m, const onnx_graph *const *graphs, size_t n, onnx_str **out,
                            size_t *out_n) {
  names all = {0};
  weft__map_init(&all.map, &m->env->alloc);
  *out = NULL;
  weft_status s = free_of_each(m, graphs, n, &all, out);
  *out_n = all.list.n;
  weft__map_deinit(&all.map);
  WEFT_VEC_FREE(&m->env->alloc, all.list);
  return s;
}

// A sub-graph input described by a fact, with its known data.
static weft_status body_add_input(onnx_import *m, onnx_str name, const weft_fact *fact, uint64_t offset,
                                  bool doubtful) {
  weft_tensor_desc desc;
  const char *text = onnx_text(m, name);
  WEFT_TRY(weft__allocated(text, m->d));
  weft__fact_desc(fact, text, &desc);
  weft_value *v = weft_graph_input_desc(m->g, text, &desc, m->d);
  if (!v)
    return m->d->status;
  WEFT_TRY(weft__value_set_fact(v, fact, m->d));
  if (doubtful)
    WEFT_TRY(onnx_doubt(m, v));
  return onnx_bind(m, name, v, offset);
}

static weft_status own_inputs(onnx_import *m, const weft_fact *given, size_t n_given, bool doubtful) {
  const onnx_graph *g = m->graph;
  if (g->inputs.n != n_given) {
    return weft_fail(m->d, WEFT_E_INVALID, "the sub-graph at byte %llu has %zu inputs, the node gives it %zu",
                     (unsigned long long)g->offset, (size_t)g->inputs.n, n_given);
  }
  for (size_t i = 0; i < n_given; i++)
    WEFT_TRY(body_add_input(m, g->inputs.v[i].name, &given[i], g->inputs.v[i].offset, doubtful));
  return WEFT_OK;
}

static weft_status body_outputs(onnx_import *m) {
  for (size_t i = 0; i < m->graph->outputs.n; i++) {
    onnx_str name = m->graph->outputs.v[i].name;
    weft_value *v = onnx_value_of(m, name);
    if (!v) {
      return weft_fail(m->d, WEFT_E_NOT_FOUND, "output '%.*s' of the sub-graph is not produced by any node",
                       (int)WEFT_MIN(name.bytes, 200), onnx_str_text(name));
    }
    WEFT_TRY(weft_graph_output(m->g, v, m->d));
  }
  return WEFT_OK;
}

static weft_status body_captures(onnx_import *m, const onnx_captures *c, bool doubtful) {
  for (size_t i = 0; i < c->n; i++)
    WEFT_TRY(body_add_input(m, c->name[i], &c->value[i]->fact, m->graph->offset, doubtful));
  return WEFT_OK;
}

// All of a body's graph, in the scope that was begun for it.
static weft_status body_fill(onnx_import *m, const weft_fact *given, size_t n_given, const onnx_captures *c,
                             bool doubtful) {
  WEFT_TRY(onnx_graph_notes(m));
  WEFT_TRY(own_inputs(m, given, n_given, doubtful));
  WEFT_TRY(body_captures(m, c, doubtful));
  WEFT_TRY(onnx_scope_values(m));
  WEFT_TRY(onnx_scope_nodes(m, m->graph->nodes.v, m->graph->nodes.n));
  return body_outputs(m);
}

weft_status onnx_body(onnx_op *o, weft_node *node, uint32_t slot, const onnx_graph *body,
                      const weft_fact *given, size_t n_given, const onnx_captures *c) {
  onnx_import *m = o->m;
  onnx_import in = onnx_scope_inside(m);
  in.graph = body;
  weft_graph *g;
  const char *name = onnx_text(m, body->name);
  WEFT_TRY(weft__allocated(name, m->d));
  WEFT_TRY(weft_node_add_graph(node, slot, name, &g, m->d));
  weft_status s = onnx_scope_begin(&in, m, g);
  if (!s)
    s = body_fill(&in, given, n_given, c, o->doubtful);
  onnx_scope_end(&in);
  return s;
}

// A value of an inner scope under a name of the outer one, which it also gets in the graph.
static weft_status rebind(onnx_import *m, onnx_str name, weft_value *v, uint64_t offset) {
  WEFT_TRY(onnx_bind(m, name, v, offset));
  const char *text = onnx_text(m, name);
  WEFT_TRY(weft__allocated(text, m->d));
  if (!m->prefix && v->node && !weft_graph_find_value(m->g, text))
    WEFT_TRY(weft__value_rename(v, text, m->d));
  return WEFT_OK;
}

// "outer/name/": what stands before the names of what a node is written out as. NULL: out of memory.
static const char *scope_prefix(const onnx_import *m, const onnx_node *n) {
  char prefix[300];
  const onnx_str given = n->name.bytes ? n->name : n->outputs.n ? n->outputs.v[0] : n->op_type;
  snprintf(prefix, sizeof prefix, "%.100s%.*s/", m->prefix ? m->prefix : "", (int)WEFT_MIN(given.bytes, 100),
           onnx_str_text(given));
  return weft__arena_strdup(m->arena, prefix, strlen(prefix));
}

// The outer values that a branch reads, under their names.
static weft_status inline_inputs(onnx_op *o, onnx_import *in, const onnx_str *read, size_t n) {
  for (size_t i = 0; i < n; i++) {
    weft_value *v = onnx_value_of(o->m, read[i]);
    if (!v) {
      return onnx_fail(o, WEFT_E_NOT_FOUND, "its branch reads '%.*s', which is not known",
                       (int)WEFT_MIN(read[i].bytes, 200), read[i].text);
    }
    WEFT_TRY(onnx_bind(in, read[i], v, in->graph->offset));
  }
  return WEFT_OK;
}

static weft_status inline_outputs(onnx_op *o, onnx_import *in) {
  for (size_t i = 0; i < o->n->outputs.n; i++) {
    weft_value *v = onnx_value_of(in, in->graph->outputs.v[i].name);
    if (!v)
      return onnx_fail(o, WEFT_E_NOT_FOUND, "output %zu of its branch is not produced by any node", i);
    if (o->n->outputs.v[i].bytes)
      WEFT_TRY(rebind(o->m, o->n->outputs.v[i], v, o->n->offset));
  }
  return WEFT_OK;
}

static weft_status inline_fill(onnx_op *o, onnx_import *in, const onnx_str *read, size_t n) {
  WEFT_TRY(inline_inputs(o, in, read, n));
  WEFT_TRY(onnx_scope_values(in));
  WEFT_TRY(onnx_scope_nodes(in, in->graph->nodes.v, in->graph->nodes.n));
  return inline_outputs(o, in);
}

weft_status onnx_inline(onnx_op *o, const onnx_graph *body) {
  onnx_import *m = o->m;
  onnx_import in = onnx_scope_inside(m);
  in.graph = body;
  onnx_str *read;
  size_t n;
  if (body->inputs.n || body->outputs.n != o->n->outputs.n) {
    return onnx_fail(o, WEFT_E_INVALID, "its branch has %zu inputs and %zu outputs, expected 0 and %zu",
                     (size_t)body->inputs.n, (size_t)body->outputs.n, (size_t)o->n->outputs.n);
  }
  WEFT_TRY(onnx_free_names(m, &body, 1, &read, &n));
  in.prefix = scope_prefix(m, o->n);
  WEFT_TRY(weft__allocated(in.prefix, o->m->d));
  weft_status s = onnx_scope_begin(&in, m, m->g);
  if (!s)
    s = inline_fill(o, &in, read, n);
  onnx_scope_end(&in);
  return s;
}

// ---- model-local functions ----
const onnx_function *onnx_find_function(const onnx_import *m, const onnx_node *n) {
  for (size_t i = 0; i < m->model->functions.n; i++) {
    const onnx_function *f = &m->model->functions.v[i];
    bool named = onnx_str_same(f->name, n->op_type) && onnx_str_same(f->domain, n->domain);
    if (named && onnx_str_same(f->overload, n->overload))
      return f;
  }
  return NULL;
}

static weft_status function_outputs(onnx_import *m, onnx_import *in, const onnx_node *n,
                                    const onnx_function *f) {
  for (size_t i = 0; i < n->outputs.n && i < f->outputs.n; i++) {
    if (!n->outputs.v[i].bytes)
      continue;
    weft_value *v = onnx_value_of(in, f->outputs.v[i]);
    if (!v)
      return weft_fail(m->d, WEFT_E_NOT_FOUND, "output %zu of the function is not produced by any node", i);
    WEFT_TRY(rebind(m, n->outputs.v[i], v, n->offset));
  }
  return WEFT_OK;
}

// Inputs at the end may be left out. Outputs may not, as no output of a function is optional: a node that
// does not need one gives it the empty name.
static weft_status fits_function(const onnx_import *m, const onnx_node *n, const onnx_function *f) {
  if (n->inputs.n > f->inputs.n) {
    return weft_fail(m->d, WEFT_E_INVALID, "the function takes %zu inputs, the node gives it %zu",
                     (size_t)f->inputs.n, (size_t)n->inputs.n);
  }
  if (n->outputs.n != f->outputs.n) {
    return weft_fail(m->d, WEFT_E_INVALID,
                     "the function gives %zu outputs, the node names %zu: it names each of them, and leaves "
                     "the name of one that it does not need empty",
                     (size_t)f->outputs.n, (size_t)n->outputs.n);
  }
  return WEFT_OK;
}

// Counts the call and what it writes: one may stand for any number of others.
static weft_status count_call(onnx_import *m, const onnx_function *f) {
  if (m->depth >= ONNX_MAX_GRAPH_DEPTH)
    return weft_fail(m->d, WEFT_E_LIMIT, "functions call each other more than %d deep", ONNX_MAX_GRAPH_DEPTH);
  onnx_import *main_graph = m;
  while (main_graph->parent)
    main_graph = main_graph->parent;
  if (++main_graph->n_calls > ONNX_MAX_CALLS)
    return weft_fail(m->d, WEFT_E_LIMIT, "more than %d calls of functions", ONNX_MAX_CALLS);
  main_graph->n_written += f->nodes.n;
  if (main_graph->n_written > ONNX_MAX_WRITTEN) {
    return weft_fail(m->d, WEFT_E_LIMIT, "calls of functions write %llu nodes, more than %d",
                     (unsigned long long)main_graph->n_written, ONNX_MAX_WRITTEN);
  }
  return WEFT_OK;
}

static weft_status function_inputs(onnx_import *m, onnx_import *in, const onnx_node *n,
                                   const onnx_function *f) {
  for (size_t i = 0; i < n->inputs.n; i++) {
    onnx_str name = n->inputs.v[i];
    if (!name.bytes)
      continue;
    weft_value *v = onnx_value_of(m, name);
    if (!v)
      return weft_fail(m->d, WEFT_E_NOT_FOUND, "input %zu is not known", i);
    WEFT_TRY(onnx_bind(in, f->inputs.v[i], v, n->offset));
  }
  return WEFT_OK;
}

static weft_status function_fill(onnx_import *m, onnx_import *in, const onnx_node *n,
                                 const onnx_function *f) {
  WEFT_TRY(function_inputs(m, in, n, f));
  WEFT_TRY(onnx_name_list(in, &f->outputs, true, NULL));
  WEFT_TRY(onnx_scope_nodes(in, f->nodes.v, f->nodes.n));
  return function_outputs(m, in, n, f);
}

weft_status onnx_call_function(onnx_import *m, const onnx_node *n, const onnx_function *f) {
  WEFT_TRY(count_call(m, f));
  WEFT_TRY(fits_function(m, n, f));
  onnx_import in = onnx_scope_inside(m);
  in.function = f;
  in.call = n;
  in.prefix = scope_prefix(m, n);
  WEFT_TRY(weft__allocated(in.prefix, m->d));
  for (size_t i = 0; i < f->opset_imports.n; i++) {
    if (!f->opset_imports.v[i].domain.bytes || onnx_str_is(f->opset_imports.v[i].domain, "ai.onnx"))
      in.version = WEFT_MIN(f->opset_imports.v[i].version, ONNX_LAST_VERSION);
  }
  weft_status s = onnx_scope_begin(&in, m, m->g);
  if (!s)
    s = function_fill(m, &in, n, f);
  onnx_scope_end(&in);
  return s;
}
// SPDX-License-Identifier: Apache-2.0
