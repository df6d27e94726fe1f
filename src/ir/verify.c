// verify.c - proves a graph and its sub-graphs: what the IR demands and inference, plans and printers rely
// on. Reads only and allocates nothing, so that it may run beside other readers. O(nodes + edges +
// attributes). The walk into sub-graphs recurses at most WEFT_GRAPH_DEPTH_MAX deep.
//
// Rules: a root graph has outputs; every input instance is connected to a value of the same graph; each port
// has as many instances as its kind allows; attributes have the types and keep the rules of the prototype,
// none that is required is missing; every fixed sub-graph slot is filled, and sub-graphs of AscendIR's
// control-flow operators take and give as many values as their node; nodes stand behind those they depend on;
// names are unique and not empty; the links in both directions agree.
#include "ir/ir.h"

typedef struct verify {
  weft_report_fn report;
  void *ctx;
  weft_diag *d;
  weft_status first;
  char place[256];  // "graph 'body' of node 'while_1': " in a sub-graph, "" in the root
} verify;

static bool done(const verify *v) {
  return v->first && !v->report;
}

static void violation(verify *v, weft_status s, const char *fmt, ...) WEFT_PRINTF(3, 4);
static void violation(verify *v, weft_status s, const char *fmt, ...) {
  char text[1536];
  size_t n = 0;
  va_list ap;
  if (done(v))
    return;
  weft__append(text, sizeof text, &n, "%s", v->place);
  va_start(ap, fmt);
  vsnprintf(text + n, sizeof text - n, fmt, ap);
  va_end(ap);
  if (!v->first)
    v->first = weft_fail(v->d, s, "%s", text);
  if (v->report)
    v->report(v->ctx, s, text);
}

#define NODE(n) weft__node_name(n), weft__node_type(n)

// ---- one node ----

static void bad_input(verify *v, const weft_node *n, uint32_t i, weft_status s, const char *problem,
                      const char *value) {
  char port[256];
  weft__node_in_text(n, i, port, sizeof port);
  if (value)
    violation(v, s, "node '%s' (%s): input '%s': value '%s' %s", NODE(n), port, value, problem);
  else
    violation(v, s, "node '%s' (%s): input '%s' %s", NODE(n), port, problem);
}

static void verify_input(verify *v, const weft_node *n, uint32_t i) {
  const weft_use_link *u = &n->in[i];
  const weft_value *x = u->value;
  if (!x) {
    bad_input(v, n, i, WEFT_E_MISSING, "is not connected", NULL);
    return;
  }
  if (x->graph != n->graph)
    bad_input(v, n, i, WEFT_E_INVALID, "is not one of the graph", x->name);
  if (x->node && x->node->pos >= n->pos)
    bad_input(v, n, i, WEFT_E_STATE, "is made by a node behind this one: the graph is not sorted", x->name);
  if (u->node != n || (u->prev ? u->prev->next : x->uses) != u || (u->next && u->next->prev != u))
    bad_input(v, n, i, WEFT_E_CORRUPT, "does not list this use", x->name);
}

static void verify_ports(verify *v, const weft_node *n) {
  const weft_proto *p = n->desc.proto;
  for (uint32_t i = 0; i < p->n_in; i++) {
    uint32_t count = n->desc.pub.in_port[i].count;
    uint32_t least = 0;
    uint32_t most = 1;
    if (p->in[i].kind == WEFT_DYNAMIC) {
      least = p->in[i].min_count;
      most = UINT32_MAX;
    }
    if (p->in[i].kind == WEFT_REQUIRED)
      least = 1;
    if (count < least) {
      violation(v, WEFT_E_MISSING, "node '%s' (%s): input '%s' has %u instances, at least %u expected",
                NODE(n), p->in[i].name, count, least);
    }
    if (count > most) {
      violation(v, WEFT_E_INVALID, "node '%s' (%s): input '%s' has %u instances, at most %u expected",
                NODE(n), p->in[i].name, count, most);
    }
  }
  for (uint32_t i = 0; i < p->n_out; i++) {
    uint32_t count = n->desc.pub.out_port[i].count;
    if (p->out[i].kind != WEFT_DYNAMIC && (count > 1 || (!count && p->out[i].kind == WEFT_REQUIRED))) {
      violation(v, WEFT_E_INVALID, "node '%s' (%s): output '%s' has %u instances, 1 expected", NODE(n),
                p->out[i].name, count);
    }
  }
}

static void verify_attrs(verify *v, const weft_node *n) {
  const weft_proto *p = n->desc.proto;
  for (uint32_t i = 0; i < p->n_attr; i++) {
    const weft_attr *a = n->desc.pub.attr[i];
    weft_diag why;
    weft_status s;
    if (!a) {
      violation(v, WEFT_E_MISSING, "node '%s' (%s): attribute '%s' is missing", NODE(n), p->attrs[i].name);
      continue;
    }
    if (a == p->defaults[i])
      continue;
    weft_diag_clear(&why);
    s = weft__attr_check(p, i, a, &why);
    if (s)
      violation(v, s, "node '%s' (%s): %s", NODE(n), why.text);
  }
}

static void verify_outputs(verify *v, const weft_node *n) {
  for (uint32_t i = 0; i < n->desc.pub.n_out; i++) {
    const weft_value *x = &n->out[i];
    if (x->node != n || x->index != i || x->graph != n->graph)
      violation(v, WEFT_E_CORRUPT, "node '%s' (%s): output %u does not know its node", NODE(n), i);
  }
  for (uint32_t i = 0; n->controls && i < n->controls->before.n; i++) {
    const weft_node *b = n->controls->before.v[i];
    if (b->graph != n->graph) {
      violation(v, WEFT_E_INVALID, "node '%s' (%s): waits for node '%s' (%s), which is not in the graph",
                NODE(n), NODE(b));
    } else if (b->pos >= n->pos) {
      violation(v, WEFT_E_STATE,
                "node '%s' (%s): waits for node '%s' (%s), which stands behind it: the graph is not sorted",
                NODE(n), NODE(b));
    }
  }
}

// ---- sub-graphs ----

// AscendIR's control flow: a sub-graph takes the instances of the dynamic input and `extra` values before
// them, and gives one value (`one`) or as many as the node has outputs.
typedef struct arity_rule {
  const char *type, *slot;  // slot NULL: all
  uint8_t extra, one;
} arity_rule;
static const arity_rule arity_rules[] = {
    {"If", NULL, 0, 0},
    {"StatelessIf", NULL, 0, 0},
    {"_If", NULL, 0, 0},
    {"Case", NULL, 0, 0},
    {"StatelessCase", NULL, 0, 0},
    {"For", NULL, 1, 0},
    {"While", "cond", 0, 1},
    {"StatelessWhile", "cond", 0, 1},
    {"_While", "cond", 0, 1},
    {"While", "body", 0, 0},
    {"StatelessWhile", "body", 0, 0},
    {"_While", "body", 0, 0},
    {"PartitionedCall", NULL, 0, 0},
    {"StatefulPartitionedCall", NULL, 0, 0},
};

static const arity_rule *find_rule(const char *type, const char *slot) {
  for (size_t i = 0; i < WEFT_COUNT(arity_rules); i++) {
    if (!strcmp(arity_rules[i].type, type) && (!arity_rules[i].slot || !strcmp(arity_rules[i].slot, slot)))
      return &arity_rules[i];
  }
  return NULL;
}

static void verify_arity(verify *v, const weft_node *n, const weft_graph *g) {
  const weft_proto *p = n->desc.proto;
  const char *slot = weft__slot_name(p, g->slot);
  const arity_rule *rule = find_rule(weft__node_type(n), slot);
  if (!rule)
    return;
  size_t in = rule->extra;
  size_t out = rule->one ? 1 : n->desc.pub.n_out;
  for (uint32_t i = 0; i < p->n_in; i++) {
    if (p->in[i].kind == WEFT_DYNAMIC)
      in += n->desc.pub.in_port[i].count;
  }
  if (g->inputs.n != in) {
    violation(v, WEFT_E_INVALID, "node '%s' (%s): sub-graph '%s' ('%s') has %zu inputs, %zu expected",
              NODE(n), slot, g->name, g->inputs.n, in);
  }
  if (g->outputs.n != out) {
    violation(v, WEFT_E_INVALID, "node '%s' (%s): sub-graph '%s' ('%s') has %zu outputs, %zu expected",
              NODE(n), slot, g->name, g->outputs.n, out);
  }
}

static void verify_graph(verify *v, const weft_graph *g);

static void verify_graphs(verify *v, const weft_node *n) {
  const weft_proto *p = n->desc.proto;
  uint32_t at = 0;
  for (uint32_t slot = 0; slot < p->n_graphs; slot++) {
    uint32_t count = 0;
    for (; at < n->n_graphs && n->graphs[at]->slot == slot; at++)
      count++;
    if (!count && !weft__slot_is_dynamic(p, slot)) {
      violation(v, WEFT_E_MISSING, "node '%s' (%s): sub-graph '%s' is missing", NODE(n),
                weft__slot_name(p, slot));
    }
  }
  for (uint32_t i = 0; i < n->n_graphs && !done(v); i++) {
    const weft_graph *g = n->graphs[i];
    char outer[sizeof v->place];
    size_t k = 0;
    verify_arity(v, n, g);
    memcpy(outer, v->place, sizeof outer);
    weft__append(v->place, sizeof v->place, &k, "graph '%s' of node '%s': ", g->name, weft__node_name(n));
    verify_graph(v, g);
    memcpy(v->place, outer, sizeof outer);
  }
}

// ---- one graph ----

static void verify_value_name(verify *v, const weft_value *x) {
  if (!*x->name || !weft__map_has_at(&x->graph->value_names, x->named, x->name, x))
    violation(v, WEFT_E_DUPLICATE, "value '%s': the name is empty or that of another value", x->name);
}

static void verify_values(verify *v, const weft_graph *g) {
  if (!g->outputs.n && !g->parent)
    violation(v, WEFT_E_MISSING, "graph '%s' has no output", g->name);
  for (size_t i = 0; i < g->outputs.n; i++) {
    if (g->outputs.v[i]->graph != g) {
      violation(v, WEFT_E_INVALID, "graph '%s': output %zu: value '%s' is not one of the graph", g->name, i,
                g->outputs.v[i]->name);
    }
  }
  for (size_t i = 0; i < g->inputs.n; i++)
    verify_value_name(v, g->inputs.v[i]);
  for (size_t i = 0; i < g->consts.n; i++) {
    verify_value_name(v, g->consts.v[i]);
    if (!weft__value_has_data(g->consts.v[i]))
      violation(v, WEFT_E_MISSING, "graph '%s': constant '%s' has no data", g->name, g->consts.v[i]->name);
  }
}

static void verify_graph(verify *v, const weft_graph *g) {
  size_t count = 0;
  verify_values(v, g);
  for (const weft_node *n = g->first; n && !done(v); n = weft__node_after(n), count++) {
    if (n->graph != g || (n->prev ? n->prev->next : g->first) != n || (n->next && n->next->pos <= n->pos))
      violation(v, WEFT_E_CORRUPT, "node '%s' (%s): the list of nodes is damaged", NODE(n));
    if (!*weft__node_name(n) || !weft__map_has_at(&g->node_names, n->named, weft__node_name(n), n))
      violation(v, WEFT_E_DUPLICATE, "node '%s' (%s): the name is empty or that of another node", NODE(n));
    verify_ports(v, n);
    for (uint32_t i = 0; i < n->desc.pub.n_in; i++)
      verify_input(v, n, i);
    for (uint32_t i = 0; i < n->desc.pub.n_out; i++)
      verify_value_name(v, &n->out[i]);
    verify_outputs(v, n);
    verify_attrs(v, n);
    verify_graphs(v, n);
  }
  if (!done(v) && count != g->n_nodes) {
    violation(v, WEFT_E_CORRUPT, "graph '%s' has %zu nodes in its list, %u expected", g->name, count,
              g->n_nodes);
  }
}

weft_status weft_graph_verify(const weft_graph *g, weft_report_fn report, void *ctx, weft_diag *d) {
  WEFT_NEED(d, g);
  verify v = {.report = report, .ctx = ctx, .d = d};
  if (g->parent) {
    size_t n = 0;
    weft__append(v.place, sizeof v.place, &n, "graph '%s' of node '%s': ", g->name,
                 weft__node_name(g->parent));
  }
  verify_graph(&v, g);
  return v.first;
}
// SPDX-License-Identifier: Apache-2.0
