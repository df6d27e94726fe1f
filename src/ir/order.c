// order.c - cycles and topological order.
// Every node has an order number smaller than those of the nodes that depend on it. Adding an edge that
// agrees with the numbers costs nothing; one that does not looks only at the nodes whose numbers lie between
// the two ends and deals these numbers out anew (Pearce and Kelly's algorithm). weft_graph_sort walks all
// nodes once, producers first, and so keeps a list that is in order already; that one is found out by a
// walk along it. All walks have explicit stacks.
#include <stdlib.h>

#include "ir/ir.h"

typedef WEFT_VEC(weft_node *) node_vec;

static weft_status order_no_memory(weft_diag *d, const weft_graph *g) {
  return weft_fail(d, WEFT_E_NOMEM, "graph '%s': out of memory while ordering nodes", g->name);
}

// ---- one edge ----

static bool order_visit(const weft_allocator *a, node_vec *to, weft_node *n) {
  if (n->mark)
    return true;
  if (!WEFT_VEC_ROOM(a, *to))
    return false;
  n->mark = 1;
  to->v[to->n++] = n;
  return true;
}

// Collects `after` and what depends on it up to the order of `before`. Meeting `before` is a cycle.
static weft_status collect_after(node_vec *found, weft_node *before, weft_node *after) {
  const weft_allocator *a = &after->graph->root->alloc;
  if (!order_visit(a, found, after))
    return WEFT_E_NOMEM;
  for (size_t i = 0; i < found->n; i++) {
    weft_node *n = found->v[i];
    for (uint32_t o = 0; o < n->desc.pub.n_out; o++) {
      for (weft_use_link *u = n->out[o].uses; u; u = u->next) {
        if (u->node == before)
          return WEFT_E_CYCLE;
        if (u->node->order < before->order && !order_visit(a, found, u->node))
          return WEFT_E_NOMEM;
      }
    }
    for (uint32_t c = 0; n->controls && c < n->controls->after.n; c++) {
      weft_node *next = n->controls->after.v[c];
      if (next == before)
        return WEFT_E_CYCLE;
      if (next->order < before->order && !order_visit(a, found, next))
        return WEFT_E_NOMEM;
    }
  }
  return WEFT_OK;
}

// The i-th node that n depends on; NULL for an input that no node produces. Counted by n_dependencies.
static weft_node *dependency(const weft_node *n, uint32_t i) {
  if (i < n->desc.pub.n_in)
    return n->in[i].value ? n->in[i].value->node : NULL;
  return n->controls->before.v[i - n->desc.pub.n_in];
}

static uint32_t n_dependencies(const weft_node *n) {
  return n->desc.pub.n_in + (n->controls ? n->controls->before.n : 0);
}

// Collects `before` and what it depends on down to the order of `after`.
static weft_status collect_before(node_vec *found, weft_node *before, weft_node *after) {
  const weft_allocator *a = &after->graph->root->alloc;
  if (!order_visit(a, found, before))
    return WEFT_E_NOMEM;
  for (size_t i = 0; i < found->n; i++) {
    for (uint32_t k = 0; k < n_dependencies(found->v[i]); k++) {
      weft_node *from = dependency(found->v[i], k);
      if (from && from->order > after->order && !order_visit(a, found, from))
        return WEFT_E_NOMEM;
    }
  }
  return WEFT_OK;
}

static int order_by_order(const void *a, const void *b) {
  uint32_t x = (*(weft_node *const *)a)->order;
  uint32_t y = (*(weft_node *const *)b)->order;
  return (x > y) - (x < y);
}

static void *array(const weft_allocator *a, size_t n, size_t item_bytes) {
  size_t bytes;
  return weft_mul_size(n, item_bytes, &bytes) ? weft__alloc(a, bytes, _Alignof(void *)) : NULL;
}

static void free_array(const weft_allocator *a, void *p, size_t n, size_t item_bytes) {
  weft__free(a, p, n * item_bytes, _Alignof(void *));
}

// Gives the numbers of both sets to them again, all of `first` before all of `second`. Both are sorted by
// order.
static bool deal_orders(const weft_allocator *a, const node_vec *first, const node_vec *second) {
  size_t n = first->n + second->n;
  size_t at[2] = {0, 0};
  uint32_t *orders = array(a, n, sizeof *orders);
  if (!orders)
    return false;
  for (size_t i = 0; i < n; i++) {
    bool from_first =
        at[1] == second->n || (at[0] < first->n && first->v[at[0]]->order < second->v[at[1]]->order);
    orders[i] = from_first ? first->v[at[0]++]->order : second->v[at[1]++]->order;
  }
  if (first->n)
    first->v[0]->graph->moved = true;
  for (size_t i = 0; i < first->n; i++)
    first->v[i]->order = orders[i];
  for (size_t i = 0; i < second->n; i++)
    second->v[i]->order = orders[first->n + i];
  free_array(a, orders, n, sizeof *orders);
  return true;
}

static void order_release(const weft_allocator *a, node_vec *v) {
  for (size_t i = 0; i < v->n; i++)
    v->v[i]->mark = 0;
  WEFT_VEC_FREE(a, *v);
}

// The nodes between the two get each other's orders, those that `before` needs first.
static weft_status deal_again(const weft_allocator *a, node_vec *earlier, node_vec *later, weft_node *before,
                              weft_node *after) {
  WEFT_TRY(collect_after(later, before, after));
  WEFT_TRY(collect_before(earlier, before, after));
  qsort(later->v, later->n, sizeof *later->v, order_by_order);
  qsort(earlier->v, earlier->n, sizeof *earlier->v, order_by_order);
  return deal_orders(a, earlier, later) ? WEFT_OK : WEFT_E_NOMEM;
}

weft_status weft__order_edge(weft_node *before, weft_node *after, weft_diag *d) {
  weft_graph *g = after->graph;
  const weft_allocator *a = &g->root->alloc;
  node_vec later = {0};
  node_vec earlier = {0};
  if (before == after) {
    return weft_fail(d, WEFT_E_CYCLE, "graph '%s': node '%s' (%s) would depend on itself", g->name,
                     weft__node_name(after), weft__node_type(after));
  }
  if (g->deferred || before->order < after->order)
    return WEFT_OK;
  weft_status s = deal_again(a, &earlier, &later, before, after);
  order_release(a, &later);
  order_release(a, &earlier);
  if (s == WEFT_E_CYCLE) {
    return weft_fail(
        d, s, "graph '%s': node '%s' (%s) cannot depend on node '%s' (%s), which depends on it: a cycle",
        g->name, weft__node_name(after), weft__node_type(after), weft__node_name(before),
        weft__node_type(before));
  }
  return s ? order_no_memory(d, g) : WEFT_OK;
}

// ---- the whole graph ----

typedef struct step {
  weft_node *node;
  uint32_t next;  // dependency to look at
} step;

// The stack from the step of `node` on is a cycle; data flow the other way round.
static weft_status report_cycle(const weft_graph *g, const step *stack, size_t n, const weft_node *node,
                                weft_diag *d) {
  enum { SHOWN = 16 };
  char text[1024];
  size_t at = 0;
  size_t from = n - 1;
  size_t shown = 0;
  while (stack[from].node != node)
    from--;
  weft__append(text, sizeof text, &at, "'%s'", weft__node_name(node));
  for (size_t i = n; i-- > from && shown < SHOWN; shown++)
    weft__append(text, sizeof text, &at, " -> '%s'", weft__node_name(stack[i].node));
  return weft_fail(d, WEFT_E_CYCLE, "graph '%s' has a cycle of %zu nodes: %s%s", g->name, n - from, text,
                   shown < n - from ? " -> ..." : "");
}

enum { NEW, OPEN, DONE };

// Fills list with all nodes, each behind what it depends on, otherwise in the order of the graph's list.
static weft_status find_order(const weft_graph *g, weft_node **list, step *stack, weft_diag *d) {
  size_t n_list = 0;
  size_t n = 0;
  for (weft_node *start = g->first; start; start = weft__node_after(start)) {
    if (start->mark != NEW)
      continue;
    start->mark = OPEN;
    stack[n++] = (step){start, 0};
    while (n) {
      step *top = &stack[n - 1];
      if (top->next == n_dependencies(top->node)) {
        top->node->mark = DONE;
        list[n_list++] = top->node;
        n--;
        continue;
      }
      weft_node *from = dependency(top->node, top->next++);
      if (!from || from->mark == DONE)
        continue;
      if (from->mark == OPEN)
        return report_cycle(g, stack, n, from, d);
      from->mark = OPEN;
      stack[n++] = (step){from, 0};
    }
  }
  return WEFT_OK;
}

bool weft__is_behind(const weft_node *n, uint32_t base) {
  bool sorted = true;
  for (uint32_t i = 0; i < n_dependencies(n); i++) {
    const weft_node *from = dependency(n, i);
    if (from)
      sorted &= from->order > base;
  }
  return sorted;
}

// The usual case: every node of the list is behind what it depends on. Numbers them, from above the numbers
// there were; false: it is not so, and the numbers are not right.
static bool number_along(weft_graph *g) {
  uint32_t base = g->next_order;
  uint32_t at = base;
  if (base > UINT32_MAX - g->n_nodes)
    return false;
  for (weft_node *n = g->first; n; n = weft__node_after(n)) {
    if (!weft__is_behind(n, base))
      return false;
    n->order = ++at;
  }
  g->next_order = at;
  return true;
}

// Numbers the nodes as the list has them; `move`: the graph's own list becomes this one, too.
static void order_number(weft_graph *g, weft_node *const *list, bool move) {
  const size_t n = g->n_nodes;
  weft__trail trail = {.at = 0};
  g->next_order = (uint32_t)n;
  for (uint32_t i = 0; i < n; i++)
    weft__node_of(list, i, n)->order = i + 1;
  if (!move)
    return;
  for (uint32_t i = 0; i < n; i++) {
    weft_node *k = weft__node_of(list, i, n);
    k->pos = i + 1;
    k->prev = i ? list[i - 1] : NULL;
    k->next = i + 1 < n ? list[i + 1] : NULL;
    weft__trail_node(&trail, k);
  }
  g->trail = trail;
  g->first = list[0];
  g->last = list[n - 1];
  g->next_pos = (uint32_t)n;
}

static weft_status order_all(weft_graph *g, bool move, weft_diag *d) {
  const weft_allocator *a = &g->root->alloc;
  size_t n = g->n_nodes;
  if (!n)
    return WEFT_OK;
  weft_node **list = array(a, n, sizeof *list);
  step *stack = array(a, n, sizeof *stack);
  weft_status s = list && stack ? find_order(g, list, stack, d) : order_no_memory(d, g);
  for (weft_node *k = g->first; k; k = weft__node_after(k))
    k->mark = 0;
  if (!s)
    order_number(g, list, move);
  free_array(a, list, n, sizeof *list);
  free_array(a, stack, n, sizeof *stack);
  return s;
}

weft_status weft_graph_sort(weft_graph *g, weft_diag *d) {
  WEFT_NEED(d, g);
  if (!g->deferred && !g->moved)
    return WEFT_OK;  // appended in order, and never rewired against it
  WEFT_TRY(order_all(g, true, d));
  g->deferred = g->moved = false;
  return WEFT_OK;
}

void weft__graph_defer(weft_graph *g) {
  g->deferred = true;
}

weft_status weft__graph_settle(weft_graph *g, weft_diag *d) {
  g->moved = !number_along(g);
  if (g->moved)
    WEFT_TRY(order_all(g, false, d));
  g->deferred = false;
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
