// change.c - rewriting: replacing a value everywhere, removing a node. See order.c for sorting, node.c for
// one input. Both change nothing when they fail. Replacing costs O(uses), plus O(graph outputs) for a value
// that is one.
#include "ir/ir.h"

weft_status weft_value_replace(weft_value *v, weft_value *by, weft_diag *d) {
  WEFT_NEED(d, v);
  WEFT_NEED(d, by);
  weft_graph *g = v->graph;
  if (!g || !by->graph) {
    return weft_fail(d, WEFT_E_STATE, "value '%s' cannot be replaced by '%s': '%s' was removed", v->name,
                     by->name, g ? by->name : v->name);
  }
  if (g != by->graph) {
    return weft_fail(d, WEFT_E_INVALID,
                     "value '%s' of graph '%s' cannot be replaced by '%s' of graph '%s': graphs are closed",
                     v->name, g->name, by->name, by->graph->name);
  }
  if (v == by)
    return WEFT_OK;
  weft__graph_changed(g);
  if (v->n_outputs > UINT32_MAX - by->n_outputs)
    return weft_fail(d, WEFT_E_LIMIT, "graph '%s': value '%s' is an output too often", g->name, by->name);
  size_t moved = 0;
  for (weft_use_link *u; (u = v->uses) != NULL; moved++) {
    weft_status s = by->node ? weft__order_edge(by->node, u->node, d) : WEFT_OK;
    if (s) {
      for (; moved; moved--) {  // what was moved last comes first
        u = by->uses;
        weft__use_unlink(u);
        weft__use_link(u, v);
      }
      weft_note(d, "while replacing value '%s' by '%s'", v->name, by->name);
      return s;
    }
    weft__use_unlink(u);
    weft__use_link(u, by);
  }
  for (size_t i = 0; v->n_outputs && i < g->outputs.n; i++) {
    if (g->outputs.v[i] != v)
      continue;
    g->outputs.v[i] = by;
    v->n_outputs--;
    by->n_outputs++;
  }
  return WEFT_OK;
}

static void list_remove(weft_node_list *l, const weft_node *n) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < l->n; i++) {
    if (l->v[i] != n)
      l->v[kept++] = l->v[i];
  }
  l->n = kept;
}

// Whoever waited for n now waits for what n waited for. What was added before a failure only repeats what n
// says.
static weft_status inherit_controls(weft_node *n) {
  weft_arena *a = &n->graph->root->arena;
  const weft_node_list *before = &n->controls->before;
  const weft_node_list *after = &n->controls->after;
  weft_status s = WEFT_OK;
  for (uint32_t i = 0; !s && i < after->n && before->n; i++) {
    weft_node *waiting = after->v[i];
    uint32_t had = waiting->controls->before.n;
    for (uint32_t k = 0; k < had; k++)
      waiting->controls->before.v[k]->mark = 1;
    for (uint32_t k = 0; !s && k < before->n; k++) {
      if (!before->v[k]->mark)
        s = weft__controls_add(a, before->v[k], waiting);
    }
    for (uint32_t k = 0; k < had; k++)
      waiting->controls->before.v[k]->mark = 0;
  }
  return s;
}

static void drop_controls(weft_node *n) {
  weft_controls *c = n->controls;
  for (uint32_t i = 0; i < c->before.n; i++)
    list_remove(&c->before.v[i]->controls->after, n);
  for (uint32_t i = 0; i < c->after.n; i++)
    list_remove(&c->after.v[i]->controls->before, n);
  n->controls = NULL;
}

// Nodes that waited for n by control edges wait for what n waited for.
weft_status weft_node_remove(weft_node *n, weft_diag *d) {
  WEFT_NEED(d, n);
  weft_graph *g = n->graph;
  const char *name = weft__node_name(n);
  const char *type = weft__node_type(n);
  if (!g)
    return weft_fail(d, WEFT_E_STATE, "node '%s' (%s) was removed already", name, type);
  for (uint32_t i = 0; i < n->desc.pub.n_out; i++) {
    const weft_value *v = &n->out[i];
    if (v->uses) {
      return weft_fail(
          d, WEFT_E_STATE, "node '%s' (%s): output %u ('%s') still has %u uses, one by node '%s' (%s)", name,
          type, i, v->name, v->n_uses, weft__node_name(v->uses->node), weft__node_type(v->uses->node));
    }
    if (v->n_outputs) {
      return weft_fail(d, WEFT_E_STATE, "node '%s' (%s): output %u ('%s') is an output of graph '%s'", name,
                       type, i, v->name, g->name);
    }
  }
  if (n->controls && inherit_controls(n))
    return weft_fail(d, WEFT_E_NOMEM, "node '%s' (%s): out of memory while removing it", name, type);
  if (n->controls)
    drop_controls(n);
  for (uint32_t i = 0; i < n->desc.pub.n_in; i++)
    weft__use_unlink(&n->in[i]);
  for (uint32_t i = 0; i < n->desc.pub.n_out; i++) {
    weft__map_remove_at(&g->value_names, n->out[i].named, n->out[i].name);
    n->out[i].graph = NULL;
  }
  weft__map_remove_at(&g->node_names, n->named, name);
  *(n->prev ? &n->prev->next : &g->first) = n->next;
  *(n->next ? &n->next->prev : &g->last) = n->prev;
  n->prev = n->next = NULL;
  n->graph = NULL;
  weft__desc_drop(&n->desc);
  g->n_nodes--;
  return WEFT_OK;
}

size_t weft__consts_sweep(weft_graph *g) {
  size_t kept = 0;
  size_t n = g->consts.n;
  for (size_t i = 0; i < n; i++) {
    weft_value *v = g->consts.v[i];
    if (weft__value_read(v)) {
      v->index = (uint32_t)kept;
      g->consts.v[kept++] = v;
      continue;
    }
    weft__map_remove_at(&g->value_names, v->named, v->name);
    v->graph = NULL;
  }
  g->consts.n = kept;
  return n - kept;
}

void weft__consts_by_use(weft_graph *g) {
  uint32_t at = 0;
  uint32_t n = (uint32_t)g->consts.n;
  for (uint32_t i = 0; i < n; i++)
    g->consts.v[i]->index = n;
  for (const weft_node *node = g->first; node; node = node->next) {
    for (uint32_t i = 0; i < node->desc.pub.n_in; i++) {
      weft_value *v = node->in[i].value;
      if (v && v->graph == g && v->origin == WEFT_VALUE_CONST && v->index == n)
        v->index = at++;
    }
  }
  for (uint32_t i = 0; i < n; i++) {
    if (g->consts.v[i]->index == n)
      g->consts.v[i]->index = at++;
  }
  for (uint32_t i = 0; i < n; i++) {
    while (g->consts.v[i]->index != i) {
      weft_value *v = g->consts.v[i];
      g->consts.v[i] = g->consts.v[v->index];
      g->consts.v[v->index] = v;
    }
  }
}

void weft__node_place(weft_node *n, weft_node *at) {
  weft_graph *g = n->graph;
  if (n == at || n->next == at)
    return;
  *(n->prev ? &n->prev->next : &g->first) = n->next;
  *(n->next ? &n->next->prev : &g->last) = n->prev;
  n->prev = at->prev;
  n->next = at;
  *(at->prev ? &at->prev->next : &g->first) = n;
  at->prev = n;
  n->ahead = at->ahead;
  g->moved = true;
}
// SPDX-License-Identifier: Apache-2.0
