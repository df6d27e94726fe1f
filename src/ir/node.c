// node.c - nodes: adding them, connecting inputs, control edges, sub-graphs, origins, attributes.
// A node, its input links and its output values are one piece of the arena. Adding does everything that can
// fail before it touches lists and uses, so a failed call leaves the graph as it was. O(inputs + outputs +
// attributes) a node; a connection to a node added earlier costs O(1), see order.c for the others.
#include "base/told.h"
#include "ir/ir.h"

static weft_status node_no_memory(weft_diag *d, const weft_graph *g) {
  return weft_fail(d, WEFT_E_NOMEM, "graph '%s': out of memory", g->name);
}
// WEFT_TRY(node_allocated(p, ..)): unless everything that was asked for is there, no_memory.
static weft_status node_allocated(bool all, weft_diag *d, const weft_graph *g) {
  return all ? WEFT_OK : node_no_memory(d, g);
}

static weft_status check_alive(const weft_node *n, weft_diag *d) {
  if (n->graph)
    return WEFT_OK;
  return weft_fail(d, WEFT_E_STATE, "node '%s' (%s) was removed from its graph", weft__node_name(n),
                   weft__node_type(n));
}

// ---- uses ----

void weft__use_link(weft_use_link *u, weft_value *v) {
  weft__graph_changed(u->node->graph);
  WEFT_ASSERT(!u->value);
  u->value = v;
  u->prev = NULL;
  u->next = v->uses;
  if (v->uses)
    v->uses->prev = u;
  v->uses = u;
  v->n_uses++;
}

void weft__use_unlink(weft_use_link *u) {
  weft_value *v = u->value;
  if (!v)
    return;
  if (u->node->graph)
    weft__graph_changed(u->node->graph);
  if (u->prev)
    u->prev->next = u->next;
  else
    v->uses = u->next;
  if (u->next)
    u->next->prev = u->prev;
  v->n_uses--;
  u->value = NULL;
  u->prev = u->next = NULL;
}

// ---- adding ----

static void drop_kept(void *desc) {
  weft__desc_drop(desc);
}

static weft_status new_node(weft_graph *g, const weft_desc_full *desc, weft_node **out, weft_diag *d) {
  size_t in_bytes;
  size_t out_bytes;
  size_t bytes;
  if (!weft_mul_size(desc->pub.n_in, sizeof(weft_use_link), &in_bytes) ||
      !weft_mul_size(desc->pub.n_out, sizeof(weft_value), &out_bytes) ||
      !weft_add_size(in_bytes, out_bytes, &bytes) || !weft_add_size(bytes, sizeof(weft_node), &bytes)) {
    return weft_fail(d, WEFT_E_OVERFLOW, "node '%s' (%s): too many inputs or outputs", desc->pub.name,
                     desc->pub.type);
  }
  _Static_assert(sizeof(weft_node) % 8 == 0 && sizeof(weft_value) % 8 == 0, "the parts follow each other");
  char *p = weft__arena_zalloc(&g->root->arena, bytes, 8);
  WEFT_TRY(node_allocated(p, d, g));
  weft_node *n = (weft_node *)p;
  n->desc = *desc;
  n->graph = g;
  n->out = (weft_value *)(p + sizeof *n);
  n->in = (weft_use_link *)(p + sizeof *n + out_bytes);
  for (uint32_t i = 0; i < desc->pub.n_in; i++)
    n->in[i].node = n;
  if (desc->pub.kept)
    WEFT_TRY(node_allocated(!weft_graph_keep(g, drop_kept, &n->desc), d, g));
  *out = n;
  return WEFT_OK;
}

// A name for output i, <node>:<i> made unique, where that of the node does not do. NULL: out of
// memory.
static const char *output_name(weft_node *n, uint32_t i) {
  weft_graph *g = n->graph;
  const char *node = weft__node_name(n);
  size_t at = strlen(node);
  char *name = weft__arena_alloc(&g->root->arena, at + 12, 1);
  if (!name)
    return NULL;
  memcpy(name, node, at);
  name[at++] = ':';
  at += weft__put_u32(name + at, i);
  name[at] = 0;
  if (!weft__map_find(&g->value_names, name, at))
    return name;
  return weft__name_make(g, &g->value_names, name);
}

static weft_status add_named(weft_graph *g, const weft_key *k, weft_value *v) {
  return weft__map_find_key(&g->value_names, k) ? WEFT_E_EXISTS : weft__map_put(&g->value_names, k, v);
}

// Names output i and puts it into the map. node: the name of its node.
static weft_status add_output(weft_node *n, uint32_t i, const weft__adding *a, const weft_key *node,
                              weft_diag *d) {
  weft_graph *g = n->graph;
  weft_value *v = &n->out[i];
  const char *given = i < a->n_names ? a->out_names[i] : NULL;
  // Without a given one it is the name of a node with one output, when it is free.
  const char *name = given ? given : n->desc.pub.n_out == 1 ? node->text : NULL;
  const weft_key key = given ? weft__key(given) : *node;
  weft_status s = name ? add_named(g, &key, v) : WEFT_E_EXISTS;
  if (s == WEFT_E_EXISTS && given) {
    return weft_fail(
        d, WEFT_E_DUPLICATE,
        "graph '%s': output %u of node '%s' (%s) cannot have the name '%s': another value has it", g->name, i,
        weft__node_name(n), weft__node_type(n), given);
  }
  if (s == WEFT_E_EXISTS) {
    name = output_name(n, i);
    s = name ? weft__map_set(&g->value_names, name, strlen(name), v) : s;
  }
  if (s)
    return node_no_memory(d, g);
  weft__value_init(v, g, WEFT_VALUE_NODE, name);
  v->node = n;
  v->index = i;
  v->named = weft__map_newest(&g->value_names);
  return WEFT_OK;
}

static weft_status add_names(weft_node *n, const weft__adding *a, weft_diag *d) {
  weft_graph *g = n->graph;
  const char *node = weft__node_name(n);
  const weft_key key = a->name_hash ? (weft_key){node, strlen(node), a->name_hash} : weft__key(node);
  weft_status s = WEFT_OK;
  uint32_t i = 0;
  if (weft__map_put(&g->node_names, &key, n))
    return node_no_memory(d, g);
  n->named = weft__map_newest(&g->node_names);
  while (i < n->desc.pub.n_out && !(s = add_output(n, i, a, &key, d)))
    i++;
  if (!s)
    return WEFT_OK;
  while (i-- > 0)
    weft__map_remove_at(&g->value_names, n->out[i].named, n->out[i].name);
  weft__map_remove_at(&g->node_names, n->named, node);
  return s;
}

static void node_append(weft_node *n) {
  weft_graph *g = n->graph;
  n->id = g->root->n_node_ids++;
  n->pos = ++g->next_pos;
  n->order = ++g->next_order;
  for (uint32_t i = 0; i < n->desc.pub.n_out; i++)
    n->out[i].id = g->root->n_value_ids++;
  n->prev = g->last;
  if (g->last)
    g->last->next = n;
  else
    g->first = n;
  g->last = n;
  weft__trail_node(&g->trail, n);
  g->n_nodes++;
}

static weft_status check_name(const weft_graph *g, const char *name, const char *type, weft_diag *d) {
  const weft_node *old = weft__map_find(&g->node_names, name, strlen(name));
  if (!old)
    return WEFT_OK;
  size_t at = 0;
  for (const weft_node *n = g->first; n != old; n = n->next)
    at++;
  return weft_fail(d, WEFT_E_DUPLICATE,
                   "graph '%s': node %u '%s' (%s): the name is that of node %zu (%s) already", g->name,
                   g->n_nodes, name, type, at, weft__node_type(old));
}

// The name that the node gets: the given one, or one that is made.
static weft_status name_node(weft_graph *g, const weft_proto *p, const weft__adding *a, const char **name,
                             weft_diag *d) {
  if (*name && **name)
    return a->name_is_free ? WEFT_OK : check_name(g, *name, p->name, d);
  *name = weft__name_make(g, &g->node_names, p->name);
  return node_allocated(*name, d, g);
}

static weft_status make_node(weft_graph *g, const weft_desc_full *desc, const weft__adding *a,
                             weft_node **out, weft_diag *d) {
  if (desc->pub.n_out > UINT32_MAX - g->root->n_value_ids)
    return weft_fail(d, WEFT_E_LIMIT, "graph '%s': more than %u values", g->name, UINT32_MAX);
  WEFT_TRY(new_node(g, desc, out, d));
  return add_names(*out, a, d);
}

// n_in: instances that are there, SIZE_MAX: as many as the ports' counts say.
static weft_status node_add_node(weft_graph *g, const weft_proto *p, const weft__adding *a, size_t n_in,
                                 weft_node **out, weft_diag *d) {
  weft_use named = a->use ? *a->use : (weft_use){0};
  uint32_t names_before = g->name_count;
  weft__graph_changed(g);
  if (g->root->n_node_ids >= WEFT_GRAPH_NODES_MAX)
    return weft_fail(d, WEFT_E_LIMIT, "graph '%s': more than %d nodes", g->name, WEFT_GRAPH_NODES_MAX);
  WEFT_TRY(name_node(g, p, a, &named.name, d));
  weft_desc_full desc;
  weft_status s = weft__desc_make(&g->root->arena, p, &named, n_in, &desc, d);
  if (!s)
    s = make_node(g, &desc, a, out, d);
  if (s) {
    g->name_count = names_before;
    weft_note(d, "in graph '%s'", g->name);  // the node is named by what failed
    return s;
  }
  node_append(*out);
  return WEFT_OK;
}

static weft_status find_operator(const weft_graph *g, const char *type, const weft_use *use,
                                 const weft_proto **out, weft_diag *d) {
  weft_status s = weft_get(g->root->env, type, out, d);
  if (s)
    weft_note(d, "in node '%s' (%s) of graph '%s'", use && use->name ? use->name : "", type, g->name);
  return s;
}

weft_status weft_graph_add_node(weft_graph *g, const char *type, const weft_use *use, weft_node **out,
                                weft_diag *d) {
  WEFT_NEED(d, g);
  WEFT_NEED(d, type);
  const weft_proto *p;
  weft_node *n;
  WEFT_TRY(find_operator(g, type, use, &p, d));
  WEFT_TRY(node_add_node(g, p, &(weft__adding){.use = use}, SIZE_MAX, &n, d));
  if (out)
    *out = n;
  return WEFT_OK;
}

// What messages call a node that is not there yet.
static const char *adding_name(const weft__adding *a) {
  const char *given = a->use ? a->use->name : NULL;
  return given && *given ? given : a->type;
}

static weft_status check_value(const weft_graph *g, const weft_value *v, const char *node, const char *type,
                               size_t i, weft_diag *d) {
  if (v->graph == g)
    return WEFT_OK;
  if (!v->graph) {
    return weft_fail(d, WEFT_E_STATE, "node '%s' (%s): input %zu: value '%s' was removed", node, type, i,
                     v->name);
  }
  return weft_fail(
      d, WEFT_E_INVALID,
      "node '%s' (%s): input %zu: value '%s' belongs to graph '%s', the node to '%s': graphs are closed",
      node, type, i, v->name, v->graph->name, g->name);
}

// Instances per port for a list in port order where NULL stands for an absent optional input.
static weft_status count_inputs(weft_graph *g, const weft_proto *p, const weft__adding *a,
                                const uint32_t **out_counts, size_t *out_n, weft_diag *d) {
  bool *present = WEFT_NEW_N(&g->root->arena, bool, a->n_in + 1);
  uint32_t *counts = WEFT_NEW_N(&g->root->arena, uint32_t, (size_t)p->n_in + 1);
  WEFT_TRY(node_allocated(present && counts, d, g));
  for (size_t i = 0; i < a->n_in; i++)
    present[i] = a->in[i] != NULL;
  weft_status s = weft__bind_inputs(p, present, a->n_in, counts, d);
  if (s) {
    weft_note(d, "while adding node '%s' (%s) to graph '%s'", adding_name(a), p->name, g->name);
    return s;
  }
  *out_counts = counts;
  *out_n = 0;
  for (uint32_t i = 0; i < p->n_in; i++)
    *out_n += counts[i];
  return WEFT_OK;
}

weft_status weft__graph_add(weft_graph *g, const weft__adding *a, weft_node **out, weft_diag *d) {
  const weft_proto *p;
  weft_use counted = a->use ? *a->use : (weft_use){0};
  size_t n_live = a->n_in;
  bool absent = false;
  WEFT_TRY(find_operator(g, a->type, a->use, &p, d));
  for (size_t i = 0; i < a->n_in; i++) {
    if (a->in[i])
      WEFT_TRY(check_value(g, a->in[i], adding_name(a), a->type, i, d));
    absent |= !a->in[i];
  }
  bool given = counted.in_counts != NULL;  // then NULL is an instance that is connected later
  if (absent && !given)
    WEFT_TRY(count_inputs(g, p, a, &counted.in_counts, &n_live, d));
  weft__adding as_counted = *a;
  as_counted.use = &counted;
  weft_node *n;
  WEFT_TRY(node_add_node(g, p, &as_counted, n_live, &n, d));
  for (size_t i = 0, k = 0; i < a->n_in; i++) {
    if (a->in[i])
      weft__use_link(&n->in[k], a->in[i]);
    k += a->in[i] || given;
  }
  if (out)
    *out = n;
  return WEFT_OK;
}

weft_status weft_graph_add(weft_graph *g, const char *type, const weft_use *use, weft_value *const *in,
                           size_t n_in, weft_node **out, weft_diag *d) {
  WEFT_NEED(d, g);
  WEFT_NEED(d, type);
  WEFT_NEED_LIST(d, in, n_in);
  const weft__adding a = {.type = type, .use = use, .in = in, .n_in = n_in};
  return weft__told(weft__graph_add(g, &a, out, d), d);
}

weft_status weft_graph_op1(weft_graph *g, const char *type, const char *name, weft_value *const *in,
                           size_t n_in, weft_value **out, weft_diag *d) {
  WEFT_NEED(d, out);  // may lie in `in`: not touched before the end
  WEFT_NEED(d, g);
  WEFT_NEED(d, type);
  WEFT_NEED_LIST(d, in, n_in);
  const weft_proto *p;
  weft_use use = {.name = name};
  weft_node *n;
  WEFT_TRY(find_operator(g, type, &use, &p, d));
  if (p->n_out != 1) {
    return weft_fail(d, WEFT_E_INVALID,
                     "node '%s' (%s): the short form takes operators with one output, it has %u",
                     name ? name : "", type, p->n_out);
  }
  WEFT_TRY(weft_graph_add(g, type, &use, in, n_in, &n, d));
  *out = &n->out[0];
  return WEFT_OK;
}

// ---- connecting ----

const char *weft__node_in_text(const weft_node *n, uint32_t in, char *buf, size_t cap) {
  const weft_proto *p = n->desc.proto;
  size_t at = 0;
  for (uint32_t i = 0; i < p->n_in; i++) {
    weft_port_span s = n->desc.pub.in_port[i];
    if (in < s.start || in - s.start >= s.count)
      continue;
    if (p->in[i].kind == WEFT_DYNAMIC)
      weft__append(buf, cap, &at, "%s[%u]", p->in[i].name, in - s.start);
    else
      weft__append(buf, cap, &at, "%s", p->in[i].name);
    return buf;
  }
  weft__append(buf, cap, &at, "%u", in);
  return buf;
}

weft_status weft_node_set_in(weft_node *n, uint32_t i, weft_value *v, weft_diag *d) {
  WEFT_NEED(d, n);
  char port[256];
  WEFT_TRY(check_alive(n, d));
  if (i >= n->desc.pub.n_in) {
    return weft_fail(d, WEFT_E_RANGE, "node '%s' (%s): input %u does not exist: it has %u",
                     weft__node_name(n), weft__node_type(n), i, n->desc.pub.n_in);
  }
  if (n->in[i].value == v)
    return WEFT_OK;
  if (v) {
    WEFT_TRY(check_value(n->graph, v, weft__node_name(n), weft__node_type(n), i, d));
    weft_status s = v->node ? weft__order_edge(v->node, n, d) : WEFT_OK;
    if (s) {
      weft_note(d, "while connecting input '%s' of node '%s' (%s) to value '%s'",
                weft__node_in_text(n, i, port, sizeof port), weft__node_name(n), weft__node_type(n), v->name);
      return s;
    }
  }
  weft__use_unlink(&n->in[i]);
  if (v)
    weft__use_link(&n->in[i], v);
  return WEFT_OK;
}

weft_status weft_node_connect(weft_node *n, uint32_t in, weft_value *v, weft_diag *d) {
  WEFT_NEED(d, n);
  char port[256];
  if (in < n->desc.pub.n_in && n->in[in].value) {
    return weft_fail(d, WEFT_E_EXISTS,
                     "node '%s' (%s): input '%s' is connected to value '%s' already, not to '%s'",
                     weft__node_name(n), weft__node_type(n), weft__node_in_text(n, in, port, sizeof port),
                     n->in[in].value->name, v ? v->name : "");
  }
  if (!v) {
    return weft_fail(d, WEFT_E_INVALID, "node '%s' (%s): input %u: no value is given", weft__node_name(n),
                     weft__node_type(n), in);
  }
  return weft_node_set_in(n, in, v, d);
}

weft_status weft_graph_add_edge(weft_graph *g, weft_node *src, uint32_t out, weft_node *dst, uint32_t in,
                                weft_diag *d) {
  WEFT_NEED(d, g);
  WEFT_NEED(d, src);
  WEFT_NEED(d, dst);
  WEFT_TRY(check_alive(src, d));
  WEFT_TRY(check_alive(dst, d));
  if (src->graph != g || dst->graph != g) {
    return weft_fail(d, WEFT_E_INVALID, "an edge of graph '%s' from node '%s' of '%s' to node '%s' of '%s'",
                     g->name, weft__node_name(src), src->graph->name, weft__node_name(dst), dst->graph->name);
  }
  if (out >= src->desc.pub.n_out) {
    return weft_fail(d, WEFT_E_RANGE, "node '%s' (%s): output %u does not exist: it has %u",
                     weft__node_name(src), weft__node_type(src), out, src->desc.pub.n_out);
  }
  return weft_node_connect(dst, in, &src->out[out], d);
}

// ---- control edges ----

static bool list_room(weft_arena *a, weft_node_list *l) {
  if (l->n < l->cap)
    return true;
  if (l->cap > UINT32_MAX / 2)
    return false;
  uint32_t cap = l->cap ? l->cap * 2 : 2;
  weft_node **v = WEFT_NEW_N(a, weft_node *, cap);
  if (!v)
    return false;
  if (l->n)
    memcpy(v, l->v, l->n * sizeof *v);
  l->v = v;
  l->cap = cap;
  return true;
}

weft_status weft__controls_add(weft_arena *a, weft_node *before, weft_node *after) {
  if (!before->controls)
    before->controls = WEFT_NEW(a, weft_controls);
  if (!after->controls)
    after->controls = WEFT_NEW(a, weft_controls);
  if (!before->controls || !after->controls)
    return WEFT_E_NOMEM;
  if (!list_room(a, &before->controls->after) || !list_room(a, &after->controls->before))
    return WEFT_E_NOMEM;
  before->controls->after.v[before->controls->after.n++] = after;
  after->controls->before.v[after->controls->before.n++] = before;
  return WEFT_OK;
}

weft_status weft_graph_add_control(weft_graph *g, weft_node *before, weft_node *after, weft_diag *d) {
  WEFT_NEED(d, g);
  WEFT_NEED(d, before);
  WEFT_NEED(d, after);
  WEFT_TRY(check_alive(before, d));
  WEFT_TRY(check_alive(after, d));
  if (before->graph != g || after->graph != g) {
    return weft_fail(
        d, WEFT_E_INVALID, "a control edge of graph '%s' from node '%s' of '%s' to node '%s' of '%s'",
        g->name, weft__node_name(before), before->graph->name, weft__node_name(after), after->graph->name);
  }
  for (uint32_t i = 0; after->controls && i < after->controls->before.n; i++) {
    if (after->controls->before.v[i] == before)
      return WEFT_OK;  // there already
  }
  weft_status s = weft__order_edge(before, after, d);
  if (s) {
    weft_note(d, "while adding a control edge from node '%s' to node '%s'", weft__node_name(before),
              weft__node_name(after));
    return s;
  }
  return weft__controls_add(&g->root->arena, before, after) ? node_no_memory(d, g) : WEFT_OK;
}

size_t weft_node_n_controls(const weft_node *n) {
  if (!n)
    return 0;
  return n->controls ? n->controls->before.n : 0;
}

weft_node *weft_node_control_at(const weft_node *n, size_t i) {
  if (!n)
    return NULL;
  return i < weft_node_n_controls(n) ? n->controls->before.v[i] : NULL;
}

// ---- reading ----

weft_node *weft_node_next(const weft_node *n) {
  if (!n)
    return NULL;
  return n->next;
}
const weft_op_desc *weft_node_desc(const weft_node *n) {
  if (!n)
    return NULL;
  return &n->desc.pub;
}
const weft_proto *weft_node_proto(const weft_node *n) {
  if (!n)
    return NULL;
  return n->desc.proto;
}
weft_graph *weft_node_graph(const weft_node *n) {
  if (!n)
    return NULL;
  return n->graph;
}
const char *weft_node_name(const weft_node *n) {
  if (!n)
    return "";
  return n->desc.pub.name;
}
const char *weft_node_type(const weft_node *n) {
  if (!n)
    return "";
  return n->desc.pub.type;
}
weft_value *weft_node_in(const weft_node *n, uint32_t i) {
  if (!n)
    return NULL;
  return i < n->desc.pub.n_in ? n->in[i].value : NULL;
}
weft_value *weft_node_out(const weft_node *n, uint32_t i) {
  if (!n)
    return NULL;
  return i < n->desc.pub.n_out ? &n->out[i] : NULL;
}
uint32_t weft_node_n_graphs(const weft_node *n) {
  if (!n)
    return 0;
  return n->n_graphs;
}
const char *weft_node_graph_slot(const weft_node *n, uint32_t i) {
  return n && i < n->n_graphs ? weft__slot_name(n->desc.proto, n->graphs[i]->slot) : NULL;
}

weft_graph *weft_node_graph_at(const weft_node *n, uint32_t i) {
  if (!n)
    return NULL;
  return i < n->n_graphs ? n->graphs[i] : NULL;
}
const weft_origin *weft_node_origin(const weft_node *n) {
  if (!n)
    return NULL;
  return n->origin;
}
// SPDX-License-Identifier: Apache-2.0
