// compare.c - are two graphs the same?
// Strict: names, order of nodes, attributes and descriptions bit for bit; what text and files keep. Known
// values, origins and the order of uses are not compared. Semantic: inputs and outputs are matched by
// position; a pair of matched values makes its producers a pair, these their inputs, and so on. What no
// output reaches is matched the same way from its sinks, in topological order. Then every pair is compared,
// producers first: attributes, sub-graphs, control edges, descriptions by weft_desc_compatible after
// weft_desc_normalise. Constants are the same when their data are; one nobody reads does not count.
// The first difference is named with both sides. O(nodes + edges + bytes of constants), more only where
// several sinks of one operator cannot be told apart. Walks have explicit stacks; sub-graphs recurse at most
// WEFT_GRAPH_DEPTH_MAX deep.
#include <stdlib.h>

#include "ir/compare.h"
#include "ir/text.h"
#include "tensor/symbols.h"
#include "tensor/tensor.h"

#define NODE(n) weft__node_name(n), weft__node_type(n)

static weft_status compare_no_memory(const weft__compare *c) {
  return weft_fail(c->d, WEFT_E_NOMEM, "comparing graphs: out of memory");
}

static weft_status compare_consts(weft__compare *c, const weft_value *a, const weft_value *b) {
  char place[512];
  weft_diag why = {0};
  if (c->const_of[a->id] == b)
    return WEFT_OK;
  WEFT_TRY(weft__compare_values(c, a, b));
  const weft_tensor *x = a->fact.value;
  const weft_tensor *y = b->fact.value;
  bool same = weft__tensor_same(x, y);
  if (!same && !c->strict && x->kind == WEFT_KIND_TENSOR && y->kind == WEFT_KIND_TENSOR)  // C0 aside
    same = x->bytes == y->bytes && weft_shape_equal(&x->layout.storage, &y->layout.storage) && x->data &&
           y->data && !memcmp(x->data, y->data, x->bytes);
  if (!same) {
    if (!weft_tensor_compare(x, y, 0, 0, &why))
      return weft_fail(c->d, WEFT_E_DIFFERENT, "%s: the data differ in their bits",
                       weft__compare_value_place(a, place));
    return weft_fail(c->d, WEFT_E_DIFFERENT, "%s: the data differ: %s", weft__compare_value_place(a, place),
                     why.text);
  }
  c->const_of[a->id] = b;
  return WEFT_OK;
}

// ---- attributes ----

enum { SHOWN = 120 };
static weft_status write_some(void *ctx, const char *text, size_t bytes) {
  char *buf = ctx;
  size_t at = strlen(buf);
  size_t room = SHOWN - at;
  memcpy(buf + at, text, WEFT_MIN(room, bytes));
  buf[at + WEFT_MIN(room, bytes)] = 0;
  if (bytes <= room)
    return WEFT_OK;
  memcpy(buf + SHOWN, "...", 4);
  return WEFT_E_LIMIT;
}

static weft_status differ_attr(const weft__compare *c, const weft_node *n, const char *name,
                               const weft_attr *a, const weft_attr *b) {
  char place[512];
  char what[160];
  char x[SHOWN + 4] = "";
  char y[SHOWN + 4] = "";
  size_t at = 0;
  weft__append(what, sizeof what, &at, "attribute '%.100s'", name);
  bool cut = a && weft_attr_print(a, write_some, x);
  if (b && weft_attr_print(b, write_some, y))
    cut = true;
  if (a && b && !cut && !strcmp(x, y)) {
    return weft__differ_text(c, weft__compare_node_place(n, place), what, weft_attr_type_name(a->type),
                             weft_attr_type_name(b->type));
  }
  return weft__differ_text(c, weft__compare_node_place(n, place), what, a ? x : "absent", b ? y : "absent");
}

static const weft_attr *find_private(const weft_node *n, const char *name) {
  for (uint32_t i = 0; i < n->desc.n_private; i++) {
    if (!strcmp(n->desc.private_attrs[i].name, name))
      return &n->desc.private_attrs[i].value;
  }
  return NULL;
}

static weft_status compare_attrs(const weft__compare *c, const weft_node *a, const weft_node *b) {
  char place[512];
  if (a->desc.pub.n_attr != b->desc.pub.n_attr) {
    return weft__differ_count(c, weft__compare_node_place(a, place), "declared attributes",
                              a->desc.pub.n_attr, b->desc.pub.n_attr);
  }
  for (uint32_t i = 0; i < a->desc.pub.n_attr; i++) {
    if (!weft_attr_equal(a->desc.pub.attr[i], b->desc.pub.attr[i]))
      return differ_attr(c, a, a->desc.proto->attrs[i].name, a->desc.pub.attr[i], b->desc.pub.attr[i]);
  }
  for (uint32_t i = 0; i < a->desc.n_private; i++) {
    const weft_named_attr *x = &a->desc.private_attrs[i];
    const weft_attr *y = find_private(b, x->name);
    if (!y || !weft_attr_equal(&x->value, y))
      return differ_attr(c, a, x->name, &x->value, y);
    if (c->strict && (i >= b->desc.n_private || strcmp(x->name, b->desc.private_attrs[i].name)))
      return weft__differ_text(c, weft__compare_node_place(a, place), "the order of private attributes",
                               x->name, "another");
  }
  for (uint32_t i = 0; i < b->desc.n_private; i++) {
    if (!find_private(a, b->desc.private_attrs[i].name))
      return differ_attr(c, a, b->desc.private_attrs[i].name, NULL, &b->desc.private_attrs[i].value);
  }
  return WEFT_OK;
}

// ---- pairs of nodes ----

// Operator and instances: what must agree before inputs can be matched.
static weft_status compare_heads(const weft__compare *c, const weft_node *a, const weft_node *b) {
  char place[512];
  char what[160];
  const weft_op_desc *x = &a->desc.pub;
  const weft_op_desc *y = &b->desc.pub;
  if (strcmp(x->type, y->type))
    return weft__differ_text(c, weft__compare_node_place(a, place), "the operator", x->type, y->type);
  if (x->n_in_ports != y->n_in_ports || x->n_out_ports != y->n_out_ports) {
    return weft__differ_count(c, weft__compare_node_place(a, place), "declared ports",
                              (uint64_t)x->n_in_ports + x->n_out_ports,
                              (uint64_t)y->n_in_ports + y->n_out_ports);
  }
  for (uint32_t i = 0; i < x->n_in_ports + x->n_out_ports; i++) {
    bool in = i < x->n_in_ports;
    uint32_t k = in ? i : i - x->n_in_ports;
    uint32_t n = in ? x->in_port[k].count : x->out_port[k].count;
    uint32_t m = in ? y->in_port[k].count : y->out_port[k].count;
    if (n == m)
      continue;
    size_t at = 0;
    weft__append(what, sizeof what, &at, "instances of %s '%.100s'", in ? "input" : "output",
                 in ? a->desc.proto->in[k].name : a->desc.proto->out[k].name);
    return weft__differ_count(c, weft__compare_node_place(a, place), what, n, m);
  }
  return WEFT_OK;
}

static weft_status differ_input(const weft__compare *c, const weft_node *n, uint32_t i, const weft_value *a,
                                const weft_value *b) {
  char place[512];
  char port[128];
  char what[160];
  char x[512] = "not connected";
  char y[512] = "not connected";
  size_t at = 0;
  if (a)
    weft__compare_value_place(a, x);
  if (b)
    weft__compare_value_place(b, y);
  if (!n) {
    weft__append(what, sizeof what, &at, "output %u", i);
    return weft__differ_text(c, "graph outputs", what, x, y);
  }
  weft__append(what, sizeof what, &at, "input '%s'", weft__node_in_text(n, i, port, sizeof port));
  return weft__differ_text(c, weft__compare_node_place(n, place), what, x, y);
}

// Are the values the same place of their graphs? Nodes must have been paired.
static bool same_place(const weft__compare *c, const weft_value *a, const weft_value *b) {
  if (!a || !b)
    return a == b;
  if (a->origin != b->origin)
    return false;
  if (a->node)
    return c->b_of[a->node->id] == b->node && a->index == b->index;
  return a->origin == WEFT_VALUE_CONST && !c->strict ? true : a->index == b->index;
}

static weft_status add_pair(weft__compare *c, const weft_node *a, const weft_node *b) {
  char place[512];
  char x[512];
  char y[512];
  const weft_node *was_b = c->b_of[a->id];
  const weft_node *was_a = c->a_of[b->id];
  if (was_b == b)
    return WEFT_OK;
  if (was_b)
    return weft__differ_text(c, weft__compare_node_place(a, place), "its counterpart",
                             weft__compare_node_place(was_b, x), weft__compare_node_place(b, y));
  if (was_a)
    return weft__differ_text(c, weft__compare_node_place(b, place), "its counterpart",
                             weft__compare_node_place(was_a, x), weft__compare_node_place(a, y));
  WEFT_TRY(compare_heads(c, a, b));
  if (!WEFT_VEC_ROOM(&c->alloc, c->trail))
    return compare_no_memory(c);
  c->trail.v[c->trail.n++] = a;
  c->b_of[a->id] = b;
  c->a_of[b->id] = a;
  for (uint32_t i = a->desc.pub.n_in; i-- > 0;) {
    const weft_value *v = a->in[i].value;
    const weft_value *w = b->in[i].value;
    if (!v && !w)
      continue;
    if (!v || !w || v->origin != w->origin ||
        (!v->node && v->origin == WEFT_VALUE_INPUT && v->index != w->index) ||
        (v->node && v->index != w->index))
      return differ_input(c, a, i, v, w);
    if (!v->node)
      continue;
    if (!WEFT_VEC_ROOM(&c->alloc, c->stack))
      return compare_no_memory(c);
    c->stack.v[c->stack.n++] = (weft__value_pair){v, w};
  }
  return WEFT_OK;
}

// Pairs two nodes and all that they read. On failure every pair made here is taken back.
static weft_status pair_nodes(weft__compare *c, const weft_node *a, const weft_node *b) {
  size_t from = c->trail.n;
  c->stack.n = 0;
  weft_status s = add_pair(c, a, b);
  while (!s && c->stack.n) {
    weft__value_pair p = c->stack.v[--c->stack.n];
    s = add_pair(c, p.a->node, p.b->node);
  }
  while (s && c->trail.n > from) {
    const weft_node *n = c->trail.v[--c->trail.n];
    c->a_of[c->b_of[n->id]->id] = NULL;
    c->b_of[n->id] = NULL;
  }
  return s;
}

// ---- semantic ----

static int compare_by_order(const void *a, const void *b) {
  uint32_t x = (*(const weft_node *const *)a)->order;
  uint32_t y = (*(const weft_node *const *)b)->order;
  return (x > y) - (x < y);
}

static const weft_node **ordered(const weft__compare *c, const weft_graph *g) {
  size_t n = 0;
  const weft_node **v = weft__alloc(&c->alloc, g->n_nodes * sizeof *v, _Alignof(weft_node *));
  for (const weft_node *k = g->first; v && k; k = k->next)
    v[n++] = k;
  if (v && n)
    qsort(v, n, sizeof *v, compare_by_order);
  return v;
}

static weft_status pair_outputs(weft__compare *c, const weft_graph *a, const weft_graph *b) {
  for (size_t i = 0; i < a->outputs.n; i++) {
    const weft_value *v = a->outputs.v[i];
    const weft_value *w = b->outputs.v[i];
    if (v->origin != w->origin || (v->origin != WEFT_VALUE_CONST && v->index != w->index))
      return differ_input(c, NULL, (uint32_t)i, v, w);
    if (v->node)
      WEFT_TRY(pair_nodes(c, v->node, w->node));
    else if (v->origin == WEFT_VALUE_CONST)
      WEFT_TRY(compare_consts(c, v, w));
  }
  return WEFT_OK;
}

// Nodes that no output needs, from the last to the first. A candidate must match with all it reads; the
// message is that of the first candidate.
static weft_status pair_rest(weft__compare *c, const weft_node **a, const weft_node **b, size_t n) {
  char place[512];
  for (size_t i = n; i-- > 0;) {
    if (c->b_of[a[i]->id])
      continue;
    weft_diag why = {0};
    weft_diag *keep = c->d;
    weft_status s = WEFT_E_DIFFERENT;
    for (size_t k = n; s == WEFT_E_DIFFERENT && k-- > 0;) {
      if (c->a_of[b[k]->id] || strcmp(weft__node_type(a[i]), weft__node_type(b[k])))
        continue;
      c->d = &why;
      s = compare_attrs(c, a[i], b[k]);
      if (!s)
        s = pair_nodes(c, a[i], b[k]);
      c->d = keep;
    }
    if (s && why.length)
      return weft_fail(c->d, s, "%s", why.text);
    if (s)
      return weft_fail(c->d, s, "%s: the second graph has no counterpart for it",
                       weft__compare_node_place(a[i], place));
  }
  return WEFT_OK;
}

static weft_status compare_graphs(weft__compare *c, const weft_graph *a, const weft_graph *b);

static weft_status compare_controls(const weft__compare *c, const weft_node *a, const weft_node *b) {
  char place[512];
  uint32_t n = a->controls ? a->controls->before.n : 0;
  uint32_t m = b->controls ? b->controls->before.n : 0;
  if (n != m)
    return weft__differ_count(c, weft__compare_node_place(a, place), "control edges", n, m);
  for (uint32_t i = 0; i < n; i++) {
    const weft_node *want = c->b_of[a->controls->before.v[i]->id];
    bool found = c->strict ? b->controls->before.v[i] == want : false;
    for (uint32_t k = 0; !c->strict && !found && k < m; k++)
      found = b->controls->before.v[k] == want;
    if (!found) {
      return weft__differ_text(c, weft__compare_node_place(a, place), "the control edge from",
                               weft__node_name(a->controls->before.v[i]), "absent");
    }
  }
  return WEFT_OK;
}

// Everything of a pair but what pairing has checked.
static weft_status compare_nodes(weft__compare *c, const weft_node *a, const weft_node *b) {
  char place[512];
  WEFT_TRY(compare_attrs(c, a, b));
  for (uint32_t i = 0; i < a->desc.pub.n_in; i++) {
    const weft_value *v = a->in[i].value;
    const weft_value *w = b->in[i].value;
    if (!same_place(c, v, w))
      return differ_input(c, a, i, v, w);
    if (v && v->origin == WEFT_VALUE_CONST)
      WEFT_TRY(compare_consts(c, v, w));
  }
  WEFT_TRY(compare_controls(c, a, b));
  for (uint32_t i = 0; i < a->desc.pub.n_out; i++)
    WEFT_TRY(weft__compare_values(c, &a->out[i], &b->out[i]));
  if (a->n_graphs != b->n_graphs)
    return weft__differ_count(c, weft__compare_node_place(a, place), "sub-graphs", a->n_graphs, b->n_graphs);
  for (uint32_t i = 0; i < a->n_graphs; i++) {
    if (a->graphs[i]->slot != b->graphs[i]->slot) {
      return weft__differ_count(c, weft__compare_node_place(a, place), "(slot of a sub-graph)",
                                a->graphs[i]->slot, b->graphs[i]->slot);
    }
    WEFT_TRY(compare_graphs(c, a->graphs[i], b->graphs[i]));
  }
  return WEFT_OK;
}

static weft_status compare_paired(weft__compare *c, const weft_node **nodes, size_t n) {
  for (size_t i = 0; i < n; i++)
    WEFT_TRY(compare_nodes(c, nodes[i], c->b_of[nodes[i]->id]));
  return WEFT_OK;
}

static weft_status pair_and_compare(weft__compare *c, const weft_node **x, const weft_node **y, size_t n) {
  WEFT_TRY(pair_rest(c, x, y, n));
  return compare_paired(c, x, n);
}

static weft_status semantic_nodes(weft__compare *c, const weft_graph *a, const weft_graph *b) {
  const weft_node **x = ordered(c, a);
  const weft_node **y = ordered(c, b);
  weft_status s = x && y ? pair_outputs(c, a, b) : compare_no_memory(c);
  if (!s)
    s = pair_and_compare(c, x, y, a->n_nodes);
  weft__free(&c->alloc, x, a->n_nodes * sizeof *x, _Alignof(weft_node *));
  weft__free(&c->alloc, y, b->n_nodes * sizeof *y, _Alignof(weft_node *));
  return s;
}

// ---- strict ----

static weft_status strict_nodes(weft__compare *c, const weft_graph *a, const weft_graph *b) {
  char place[512];
  const weft_node *n = a->first;
  const weft_node *m = b->first;
  for (size_t i = 0; i < a->consts.n; i++)
    WEFT_TRY(compare_consts(c, a->consts.v[i], b->consts.v[i]));
  for (; n; n = n->next, m = m->next) {
    c->b_of[n->id] = m;
    if (strcmp(weft__node_name(n), weft__node_name(m)))
      return weft__differ_text(c, weft__compare_node_place(n, place), "the name", weft__node_name(n),
                               weft__node_name(m));
    WEFT_TRY(compare_heads(c, n, m));
  }
  for (n = a->first; n; n = n->next)
    WEFT_TRY(compare_nodes(c, n, c->b_of[n->id]));
  for (size_t i = 0; i < a->outputs.n; i++) {
    if (!same_place(c, a->outputs.v[i], b->outputs.v[i]))
      return differ_input(c, NULL, (uint32_t)i, a->outputs.v[i], b->outputs.v[i]);
  }
  return WEFT_OK;
}

static weft_status compare_graphs(weft__compare *c, const weft_graph *a, const weft_graph *b) {
  char place[512];
  size_t at = 0;
  weft__append(place, sizeof place, &at, "graph '%s'", a->name);
  if (c->strict && strcmp(a->name, b->name))
    return weft__differ_text(c, place, "the name", a->name, b->name);
  if (a->inputs.n != b->inputs.n)
    return weft__differ_count(c, place, "inputs", a->inputs.n, b->inputs.n);
  if (a->outputs.n != b->outputs.n)
    return weft__differ_count(c, place, "outputs", a->outputs.n, b->outputs.n);
  if (a->n_nodes != b->n_nodes)
    return weft__differ_count(c, place, "nodes", a->n_nodes, b->n_nodes);
  if (c->strict && a->consts.n != b->consts.n)
    return weft__differ_count(c, place, "constants", a->consts.n, b->consts.n);
  for (size_t i = 0; i < a->inputs.n; i++)
    WEFT_TRY(weft__compare_values(c, a->inputs.v[i], b->inputs.v[i]));
  return c->strict ? strict_nodes(c, a, b) : semantic_nodes(c, a, b);
}

static void *table(const weft_allocator *a, size_t n) {
  size_t bytes = (n + 1) * sizeof(void *);
  void *p = weft__alloc(a, bytes, _Alignof(void *));
  return p ? memset(p, 0, bytes) : NULL;
}

weft_status weft_graph_compare(const weft_graph *a, const weft_graph *b, int how, weft_diag *d) {
  WEFT_NEED(d, a);
  WEFT_NEED(d, b);
  const weft_allocator *m = &a->root->alloc;
  size_t n = a->root->n_node_ids;
  size_t k = b->root->n_node_ids;
  size_t v = a->root->n_value_ids;
  if (how != WEFT_EQUAL_SEMANTIC && how != WEFT_EQUAL_STRICT) {
    return weft_fail(d, WEFT_E_INVALID,
                     "comparing graphs: %d is neither WEFT_EQUAL_SEMANTIC nor WEFT_EQUAL_STRICT", how);
  }
  WEFT_TRY(weft__remake_wake_all(a, d));
  WEFT_TRY(weft__remake_wake_all(b, d));
  weft__compare c = {.a = a, .b = b, .alloc = *m, .d = d, .strict = how == WEFT_EQUAL_STRICT};
  c.b_of = table(m, n);
  c.a_of = table(m, k);
  c.const_of = table(m, v);
  weft_status s = c.b_of && c.a_of && c.const_of ? compare_graphs(&c, a, b) : compare_no_memory(&c);
  weft__free(m, c.b_of, (n + 1) * sizeof(void *), _Alignof(void *));
  weft__free(m, c.a_of, (k + 1) * sizeof(void *), _Alignof(void *));
  weft__free(m, c.const_of, (v + 1) * sizeof(void *), _Alignof(void *));
  WEFT_VEC_FREE(m, c.stack);
  WEFT_VEC_FREE(m, c.trail);
  return s;
}
// SPDX-License-Identifier: Apache-2.0
