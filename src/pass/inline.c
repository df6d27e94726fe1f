// inline.c - copies of sub-graphs: into the graph around them, or into a smaller node of the same kind.
// Values of the copied graph are found by their ids, which lie close together. Recursion goes as deep as
// sub-graphs nest, at most WEFT_GRAPH_DEPTH_MAX. Cost: linear in what is copied.
#include "pass/pass.h"
#include "base/allocated.h"

typedef struct copier {
  weft_pass_run *r;
  weft_graph *to;
  weft_node *at;  // NULL: append
  bool foreign;   // what is copied is of another root: constants are copied, too, origins are at's
  uint32_t base, n;
  weft_value **map;  // by id - base
} copier;

static void span(uint32_t *first, uint32_t *last, const weft_value *v) {
  *first = WEFT_MIN(*first, v->id);
  *last = WEFT_MAX(*last, v->id);
}

static weft_status inline_begin(copier *c, const weft_graph *g) {
  uint32_t first = UINT32_MAX;
  uint32_t last = 0;
  for (size_t i = 0; i < g->inputs.n; i++)
    span(&first, &last, g->inputs.v[i]);
  for (size_t i = 0; i < g->consts.n; i++)
    span(&first, &last, g->consts.v[i]);
  for (const weft_node *n = g->first; n; n = n->next) {
    for (uint32_t i = 0; i < n->desc.pub.n_out; i++)
      span(&first, &last, &n->out[i]);
  }
  c->base = first;
  c->n = first <= last ? last - first + 1 : 0;
  c->map = WEFT_NEW_N(&c->r->scratch, weft_value *, (size_t)c->n + 1);
  return c->map ? WEFT_OK : weft_fail(c->r->d, WEFT_E_NOMEM, "out of memory");
}

static weft_status inline_find(copier *c, const weft_value *v, weft_value **out) {
  weft_value **slot = &c->map[v->id - c->base];
  if (!*slot) {
    WEFT_ASSERT(v->origin == WEFT_VALUE_CONST);
    *slot = weft__pass_const(c->r, c->to, v->name, v->fact.value,
                             c->foreign ? WEFT_CONST_COPY : WEFT_CONST_BORROW);
    if (!*slot)
      return c->r->d->status;
  }
  *out = *slot;
  return WEFT_OK;
}

static weft_status copy_nodes(copier *c, const weft_graph *from);

// A sub-graph of `n` as one of `made`, with the inputs and outputs that are kept (NULL: all).
static weft_status copy_graph(weft_pass_run *r, const weft_graph *from, weft_node *made, const bool *keep_in,
                              const bool *keep_out) {
  copier c = {.r = r};
  WEFT_TRY(weft_node_add_graph(made, from->slot, from->name, &c.to, r->d));
  WEFT_TRY(inline_begin(&c, from));
  for (size_t i = 0; i < from->inputs.n; i++) {
    weft_tensor_desc desc;
    if (keep_in && !keep_in[i])
      continue;
    weft_value_desc(from->inputs.v[i], &desc);
    weft_value *v = weft_graph_input_desc(c.to, from->inputs.v[i]->name, &desc, r->d);
    WEFT_TRY(weft__pass_made(r, v));
    c.map[from->inputs.v[i]->id - c.base] = v;
  }
  WEFT_TRY(copy_nodes(&c, from));
  for (size_t i = 0; i < from->outputs.n; i++) {
    weft_value *v;
    if (keep_out && !keep_out[i])
      continue;
    WEFT_TRY(inline_find(&c, from->outputs.v[i], &v));
    WEFT_TRY(weft_graph_output(c.to, v, r->d));
  }
  return WEFT_OK;
}

static weft_status copy_node(copier *c, const weft_node *n) {
  char name[512];
  weft_use use;
  weft_node *made;
  weft_value **in = WEFT_NEW_N(&c->r->scratch, weft_value *, (size_t)n->desc.pub.n_in + 1);
  WEFT_TRY(weft__allocated(in, c->r->d));
  WEFT_TRY(weft__pass_use(c->r, n, NULL, &use));
  weft__pass_name(c->r, &c->to->node_names, weft__node_name(n), false, name, sizeof name);
  use.name = weft_graph_find_node(c->to, weft__node_name(n)) ? name : weft__node_name(n);
  for (uint32_t i = 0; i < n->desc.pub.n_in; i++)
    WEFT_TRY(inline_find(c, n->in[i].value, &in[i]));
  WEFT_TRY(weft_graph_add(c->to, n->desc.proto->name, &use, in, n->desc.pub.n_in, &made, c->r->d));
  made->origin = c->foreign ? c->at->origin : n->origin;
  for (uint32_t i = 0; i < n->desc.pub.n_out; i++) {
    if (!c->foreign)
      made->out[i].declared = n->out[i].declared;
    c->map[n->out[i].id - c->base] = &made->out[i];
  }
  for (uint32_t i = 0; i < n->n_graphs; i++)
    WEFT_TRY(copy_graph(c->r, n->graphs[i], made, NULL, NULL));
  if (!c->at)
    return WEFT_OK;
  weft__node_place(made, c->at);
  WEFT_TRY(weft__allocated(WEFT_VEC_ROOM(&c->r->env->alloc, c->r->added), c->r->d));
  c->r->added.v[c->r->added.n++] = made;
  return weft__pass_infer(c->r, made);
}

static weft_status copy_nodes(copier *c, const weft_graph *from) {
  for (const weft_node *n = from->first; n; n = n->next)
    WEFT_TRY(copy_node(c, n));
  return WEFT_OK;
}

static bool has_controls(const weft_graph *g) {
  for (const weft_node *n = g->first; n; n = n->next) {
    if (n->controls)
      return true;
    for (uint32_t i = 0; i < n->n_graphs; i++) {
      if (has_controls(n->graphs[i]))
        return true;
    }
  }
  return false;
}

weft_status weft__pass_inline(weft_pass_run *r, weft_node *at, const weft_graph *sub, weft_value *const *in,
                              weft_value **out) {
  copier c = {.r = r, .to = at->graph, .at = at, .foreign = sub->root != at->graph->root};
  if (has_controls(sub))
    return WEFT_E_UNSUPPORTED;
  WEFT_TRY(inline_begin(&c, sub));
  for (size_t i = 0; i < sub->inputs.n; i++)
    c.map[sub->inputs.v[i]->id - c.base] = in[i];
  WEFT_TRY(copy_nodes(&c, sub));
  for (size_t i = 0; i < sub->outputs.n; i++)
    WEFT_TRY(inline_find(&c, sub->outputs.v[i], &out[i]));
  return WEFT_OK;
}

weft_status weft__pass_trim(weft_pass_run *r, weft_node *n, const weft__trim *t, weft_node **out) {
  const weft_op_desc *desc = &n->desc.pub;
  weft_use use;
  char name[512];
  weft_node *made;
  for (uint32_t i = 0; i < n->n_graphs; i++) {
    if (has_controls(n->graphs[i]))
      return WEFT_E_UNSUPPORTED;
  }
  WEFT_TRY(weft__pass_use(r, n, NULL, &use));
  weft_value **in = WEFT_NEW_N(&r->scratch, weft_value *, (size_t)desc->n_in + 1);
  WEFT_TRY(weft__allocated(in, r->d));
  size_t n_in = 0;
  uint32_t *counts = (uint32_t *)use.in_counts;
  uint32_t *out_counts = (uint32_t *)use.out_counts;
  for (uint32_t p = 0; p < desc->n_in_ports; p++) {
    for (uint32_t i = desc->in_port[p].start; i < desc->in_port[p].start + desc->in_port[p].count; i++) {
      if (t->keep_in[i])
        in[n_in++] = n->in[i].value;
      else
        counts[p]--;
    }
  }
  for (uint32_t p = 0; p < desc->n_out_ports; p++) {
    for (uint32_t i = desc->out_port[p].start; i < desc->out_port[p].start + desc->out_port[p].count; i++) {
      if (!t->keep_out[i])
        out_counts[p]--;
    }
  }
  weft__pass_name(r, &n->graph->node_names, weft__node_name(n), n->id >= r->first_node, name, sizeof name);
  use.name = name;
  WEFT_TRY(weft_graph_add(n->graph, n->desc.proto->name, &use, in, n_in, &made, r->d));
  made->origin = n->origin;
  weft__node_place(made, n);
  for (uint32_t i = 0; i < n->n_graphs; i++)
    WEFT_TRY(copy_graph(r, n->graphs[i], made, t->sub_in, t->sub_out));
  for (uint32_t i = 0, k = 0; i < desc->n_out; i++) {
    if (t->keep_out[i])
      made->out[k++].declared = n->out[i].declared;
  }
  *out = made;
  return weft__pass_infer(r, made);
}
// SPDX-License-Identifier: Apache-2.0
