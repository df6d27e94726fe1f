// program.c - flat arrays over a finished graph, and what embedders ask of a program.
#include "program/program.h"
#include "base/allocated.h"

#include "op/precision.h"

static uint32_t count_values(const weft_graph *g) {
  size_t n = g->inputs.n + g->consts.n;
  for (const weft_node *k = g->first; k; k = weft__node_after(k))
    n += k->desc.pub.n_out;
  return (uint32_t)n;
}

static void program_number(weft_program *p, weft__fn *f, const weft_value *v) {
  p->local[v->id] = f->n_values;
  f->value[f->n_values] = v;
  f->last[f->n_values++] = WEFT__UNREAD;
}

// The nodes are sorted: what one reads has its number.
static weft_status fill_node(weft_program *p, weft__fn *f, const weft_node *n, weft_diag *d) {
  for (uint32_t k = 0; k < n->desc.pub.n_in; k++) {
    const weft_value *v = n->in[k].value;
    char name[128];
    if (!v) {
      return weft_fail(d, WEFT_E_MISSING, "node '%s' (%s): input '%s' is not connected", weft__node_name(n),
                       weft__node_type(n), weft__node_in_text(n, k, name, sizeof name));
    }
    f->last[p->local[v->id]] = f->n_nodes;
  }
  f->first_out[f->n_nodes] = f->n_values;
  f->node[f->n_nodes++] = n;
  for (uint32_t i = 0; i < n->desc.pub.n_out; i++) {
    if (!n->out[i].fact.set) {
      return weft_fail(d, WEFT_E_STATE, "value '%s' was not inferred: call weft_graph_infer first",
                       n->out[i].name);
    }
    program_number(p, f, &n->out[i]);
  }
  return WEFT_OK;
}

static weft_status program_fill(weft_program *p, weft__fn *f, const weft_graph *g, weft_diag *d) {
  weft_arena *a = &p->arena;
  uint32_t n_values = count_values(g);
  f->graph = g;
  f->node = WEFT_NEW_N(a, const weft_node *, (size_t)g->n_nodes + 1);
  f->sub = WEFT_NEW_N(a, uint32_t, (size_t)g->n_nodes + 1);
  f->first_out = WEFT_NEW_N(a, uint32_t, (size_t)g->n_nodes + 1);
  f->value = WEFT_NEW_N(a, const weft_value *, (size_t)n_values + 1);
  f->last = WEFT_NEW_N(a, uint32_t, (size_t)n_values + 1);
  f->out = WEFT_NEW_N(a, uint32_t, g->outputs.n + 1);
  f->region = WEFT_NEW_N(a, const weft_region *, (size_t)g->n_nodes + 1);
  WEFT_TRY(
      weft__allocated(f->node && f->sub && f->first_out && f->value && f->last && f->out && f->region, d));
  for (size_t i = 0; i < g->inputs.n; i++)
    program_number(p, f, g->inputs.v[i]);
  f->n_in = f->n_values;
  for (size_t i = 0; i < g->consts.n; i++)
    program_number(p, f, g->consts.v[i]);
  f->n_const = f->n_values - f->n_in;
  for (const weft_node *n = g->first; n; n = weft__node_after(n))
    WEFT_TRY(fill_node(p, f, n, d));
  f->first_out[f->n_nodes] = f->n_values;
  const weft__state_form states = weft__states_form(g);
  for (size_t i = 0; i < states.n_out + states.n; i++) {
    if (i >= states.n_out && !p->state[i - states.n_out].written)
      continue;
    f->out[f->n_out++] = p->local[g->outputs.v[i]->id];
    f->last[p->local[g->outputs.v[i]->id]] = f->n_nodes;
  }
  return WEFT_OK;
}

// The body of a Fused node as a region: operators with one output, without sub-graphs.
static weft_status make_region(weft_program *p, const weft_node *n, const weft_region **out, weft_diag *d) {
  const weft_graph *g = n->graphs[0];
  uint32_t n_nodes = g->n_nodes;
  uint32_t k = 0;
  *out = NULL;
  if (g->consts.n)
    return WEFT_OK;
  for (const weft_node *b = g->first; b; b = weft__node_after(b)) {
    if (b->desc.pub.n_out != 1 || b->n_graphs || b->out[0].fact.kind != WEFT_KIND_TENSOR)
      return WEFT_OK;
  }
  weft_arena *a = &p->arena;
  weft_region *r = WEFT_NEW(a, weft_region);
  weft_region_node *nodes = WEFT_NEW_N(a, weft_region_node, (size_t)n_nodes + 1);
  int32_t *outs = WEFT_NEW_N(a, int32_t, g->outputs.n + 1);
  if (!p->number)
    p->number = WEFT_NEW_N(a, uint32_t, (size_t)g->root->n_node_ids + 1);
  uint32_t *number = p->number;
  WEFT_TRY(weft__allocated(r && nodes && outs && number, d));
  for (const weft_node *b = g->first; b; b = b->next, k++) {
    int32_t *in = WEFT_NEW_N(a, int32_t, (size_t)b->desc.pub.n_in + 1);
    WEFT_TRY(weft__allocated(in, d));
    for (uint32_t i = 0; i < b->desc.pub.n_in; i++) {
      const weft_value *v = b->in[i].value;
      if (!v)
        return WEFT_OK;
      in[i] = v->node ? (int32_t)number[v->node->id] : -1 - (int32_t)v->index;
    }
    number[b->id] = k;
    nodes[k] = (weft_region_node){&b->desc.pub, in, b->out[0].fact.dtype};
  }
  for (size_t i = 0; i < g->outputs.n; i++) {
    const weft_value *v = g->outputs.v[i];
    outs[i] = v->node ? (int32_t)number[v->node->id] : -1 - (int32_t)v->index;
  }
  *r = (weft_region){sizeof *r, n_nodes, (uint32_t)g->inputs.n, (uint32_t)g->outputs.n, nodes, outs};
  *out = r;
  return WEFT_OK;
}

// ---- devices: what placement noted on the nodes ----
static weft_status program_device_of(weft_program *p, const weft_node *n, const char *attr, uint8_t *out,
                                     weft_diag *d) {
  const weft_attr *a = weft_node_attr(n, attr);
  const char *name = a && a->type == WEFT_VT_STRING ? a->u.s : NULL;
  *out = 0;
  if (!a)
    return WEFT_OK;
  const weft_device *v = name ? weft_device_find(p->env, name) : NULL;
  if (!v) {
    return weft_fail(d, WEFT_E_NOT_FOUND,
                     "node '%s' (%s): attribute '%s' names the device '%s', which is not there",
                     weft__node_name(n), weft__node_type(n), attr, name ? name : "?");
  }
  if (!strcmp(v->name, "cpu"))
    return WEFT_OK;
  for (uint8_t k = 1; k < p->n_devices; k++) {
    if (p->device[k] == v)
      return *out = k, WEFT_OK;
  }
  if (p->n_devices == WEFT__DEVICES)
    return weft_fail(d, WEFT_E_LIMIT, "the program is for more than %d devices", WEFT__DEVICES);
  *out = (uint8_t)p->n_devices;
  p->device[p->n_devices++] = v;
  return WEFT_OK;
}

static bool is_placed(const weft_node *n) {
  return n->desc.n_private && (weft_node_attr(n, "_device") || weft_node_attr(n, "_copy"));
}

static weft_status devices(weft_program *p, weft__fn *f, weft_diag *d) {
  bool any = false;
  p->n_devices = 1;
  for (uint32_t i = 0; i < f->n_nodes; i++) {
    weft__nodes_fetch(f->node, i, f->n_nodes);
    any |= is_placed(f->node[i]);
  }
  if (!any)
    return WEFT_OK;
  f->device = WEFT_NEW_N(&p->arena, uint8_t, (size_t)f->n_nodes + 1);
  f->copied = WEFT_NEW_N(&p->arena, uint8_t, (size_t)f->n_nodes + 1);
  WEFT_TRY(weft__allocated(f->device && f->copied, d));
  for (uint32_t i = 0; i < f->n_nodes; i++) {
    const weft_node *n = f->node[i];
    uint8_t from;
    WEFT_TRY(program_device_of(p, n, "_device", &f->device[i], d));
    if (!weft_node_attr(n, "_copy"))
      continue;
    WEFT_TRY(program_device_of(p, n, "_copy", &from, d));
    if (from == f->device[i] || (from && f->device[i]) || strcmp(weft__node_type(n), "Identity")) {
      return weft_fail(d, WEFT_E_INVALID,
                       "node '%s' (%s): a copy is an Identity between the CPU and another device",
                       weft__node_name(n), weft__node_type(n));
    }
    f->copied[i] = (uint8_t)(1 + from);
  }
  return WEFT_OK;
}

// Bodies of fused nodes are many and small.
static void ask_ahead(const weft_program *p, uint32_t i) {
  enum { LINE = 64 };
  if (i + WEFT__AHEAD < p->n_fns) {
    const char *g = (const char *)p->fn[i + WEFT__AHEAD].graph;
    for (size_t k = 0; k < sizeof(weft_graph); k += LINE)
      __builtin_prefetch(g + k);
  }
  if (i + WEFT__AHEAD / 2 < p->n_fns) {
    const weft_node *first = p->fn[i + WEFT__AHEAD / 2].graph->first;
    if (first)
      weft__node_fetch(first);
  }
}

// Breadth first: functions of the sub-graphs of one node follow each other.
static weft_status functions(weft_program *p, weft_diag *d) {
  uint32_t cap = p->graph->root->n_graphs;
  p->fn = WEFT_NEW_N(&p->arena, weft__fn, (size_t)cap + 1);
  p->local = WEFT_NEW_N(&p->arena, uint32_t, (size_t)p->graph->root->n_value_ids + 1);
  WEFT_TRY(weft__allocated(p->fn && p->local, d));
  p->fn[p->n_fns++].graph = p->graph;
  for (uint32_t i = 0; i < p->n_fns; i++) {
    weft__fn *f = &p->fn[i];
    ask_ahead(p, i);
    // Bodies need not be sorted; a list that is costs nothing. The program owns them all.
    WEFT_TRY(weft_graph_sort((weft_graph *)(uintptr_t)f->graph, d));
    WEFT_TRY(program_fill(p, f, f->graph, d));
    if (!i)
      WEFT_TRY(devices(p, f, d));
    for (uint32_t k = 0; k < f->n_nodes; k++) {
      const weft_node *n = f->node[k];
      weft__nodes_fetch(f->node, k, f->n_nodes);
      if (!n->n_graphs)
        continue;
      f->sub[k] = p->n_fns;
      if (!strcmp(n->desc.pub.type, "Fused"))
        WEFT_TRY(make_region(p, n, &f->region[k], d));
      for (uint32_t s = 0; s < n->n_graphs; s++) {
        if (p->n_fns > cap)
          return weft_fail(d, WEFT_E_STATE, "more sub-graphs than the graph lists");
        p->fn[p->n_fns++].graph = n->graphs[s];
      }
    }
  }
  return WEFT_OK;
}

static weft_status precision(weft_program *p, weft_diag *d) {
  const char *mode = weft_graph_find_meta(p->graph, WEFT__PRECISION_META);
  return mode ? weft__precision_read(mode, &p->precision, d) : WEFT_OK;
}

// Counts, and what is read of states, are proved here, also of a file's.
static weft_status program_states(weft_program *p, weft_diag *d) {
  weft__state_form f;
  const weft_graph *g = p->graph;
  WEFT_TRY(weft__states_check(g, &f, d));
  p->n_states = (uint32_t)f.n;
  p->n_in = (uint32_t)f.n_in;
  p->n_out = (uint32_t)f.n_out;
  p->state = WEFT_NEW_N(&p->arena, weft__program_state, f.n + 1);
  WEFT_TRY(weft__allocated(p->state, d));
  for (size_t i = 0; i < f.n; i++) {
    const weft_value *in = g->inputs.v[f.n_in + i];
    p->state[i] = (weft__program_state){
        .in = in, .first = weft__state_first(g, &f, i), .written = g->outputs.v[f.n_out + i] != in};
  }
  return WEFT_OK;
}

weft_status weft__program_make(weft_graph *g, const weft_limits *limits, weft_program **out, weft_diag *d) {
  weft_env *e = g->root->env;
  *out = NULL;
  weft_program *p = weft__alloc(&e->alloc, sizeof *p, _Alignof(weft_program));
  if (!p) {
    weft_graph_destroy(g);
    return weft_fail(d, WEFT_E_NOMEM, "out of memory");
  }
  memset(p, 0, sizeof *p);
  atomic_init(&p->refs, 1);
  p->env = e;
  p->graph = g;
  weft__arena_init(&p->arena, &g->root->budget.self);  // counted as the graph's, which lives longer
  weft__allowance before = weft__budget_begin(&g->root->budget, limits, &e->limits);
  weft_status s = weft__packed_init(p);
  if (s)
    weft_fail(d, s, "cannot create a mutex");
  else
    s = precision(p, d);
  if (!s)
    s = weft__remakes_allow(g, d);
  if (!s)
    s = program_states(p, d);
  if (!s)
    s = functions(p, d);
  s = weft__graph_budget_end(g, &before, s, d);
  if (s)
    weft_program_release(p);
  else
    *out = p;
  return s;
}

void weft_program_retain(weft_program *p) {
  if (p)
    atomic_fetch_add_explicit(&p->refs, 1, memory_order_relaxed);
}

void weft_program_release(weft_program *p) {
  if (!p || atomic_fetch_sub_explicit(&p->refs, 1, memory_order_acq_rel) != 1)
    return;
  weft_allocator a = p->env->alloc;
  weft__packed_deinit(p);
  WEFT_VEC_FREE(&a, p->weights);
  WEFT_VEC_FREE(&a, p->stored);
  weft__arena_deinit(&p->arena);
  weft_graph_destroy(p->graph);
  weft__free(&a, p, sizeof *p, _Alignof(weft_program));
}

const weft_graph *weft_program_graph(const weft_program *p) {
  if (!p)
    return NULL;
  return p->graph;
}
const char *weft_program_name(const weft_program *p) {
  if (!p)
    return "";
  return weft_graph_name(p->graph);
}
size_t weft_program_n_inputs(const weft_program *p) {
  if (!p)
    return 0;
  return p->n_in;
}
size_t weft_program_n_outputs(const weft_program *p) {
  if (!p)
    return 0;
  return p->n_out;
}
weft_symbols *weft_program_symbols(const weft_program *p) {
  if (!p)
    return NULL;
  return weft_graph_symbols(p->graph);
}
bool weft_program_input_sized(const weft_program *p, size_t i, weft_tensor_desc *out, size_t out_bytes) {
  if (!p || !out)
    return false;
  if (i >= p->n_in)
    return false;
  weft_value_desc_sized(p->graph->inputs.v[i], out, out_bytes);
  return true;
}
bool weft_program_output_sized(const weft_program *p, size_t i, weft_tensor_desc *out, size_t out_bytes) {
  if (!p || !out)
    return false;
  if (i >= p->n_out)
    return false;
  weft_value_desc_sized(p->graph->outputs.v[i], out, out_bytes);
  return true;
}
int weft_program_find_input(const weft_program *p, const char *name) {
  return p ? weft_graph_find_input(p->graph, name) : -1;
}
int weft_program_find_output(const weft_program *p, const char *name) {
  return p ? weft_graph_find_output(p->graph, name) : -1;
}
// SPDX-License-Identifier: Apache-2.0
