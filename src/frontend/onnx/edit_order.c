// edit_order.c - nodes that stand in front of what they read are written behind it: in the graph, in bodies
// and in functions. ONNX demands that order, and the sweep for what nobody reads relies on it. Nodes stay
// where they are, except that makers of what a node reads are taken out of their places behind it and put in
// front of it, as the importer does (order.c). Of a model in order nothing is touched. What forms a cycle
// stays as it is: the importer says which nodes.
#include "frontend/onnx/edit.h"

typedef WEFT_VEC(uint32_t) sort_list;

// The nodes of one graph, and for each the nodes of the same graph that make what it reads.
typedef struct sort_scope {
  onnx_edit *e;
  const onnx_node *v;
  size_t n;
  size_t *first;     // n + 1: where the makers of a node begin
  sort_list makers;  // of all nodes
} sort_scope;

typedef struct sort_total {
  onnx_edit *e;
  size_t n_moved;
} sort_total;

// ---- who makes what a node reads ----

static weft_status sort_add(sort_scope *s, const weft_map *names, onnx_str name) {
  const uint32_t *maker = name.bytes ? weft__map_find(names, name.text, name.bytes) : NULL;
  if (!maker)
    return WEFT_OK;
  WEFT_TRY(weft__edit_allocated(WEFT_VEC_ROOM(&s->e->env->alloc, s->makers), s->e));
  s->makers.v[s->makers.n++] = *maker;
  return WEFT_OK;
}

static weft_status sort_add_body(sort_scope *s, const weft_map *names, const onnx_graph *body) {
  onnx_import m = {.env = s->e->env, .arena = &s->e->arena, .d = s->e->d};
  onnx_str *free;
  size_t n;
  WEFT_TRY(onnx_free_names(&m, &body, 1, &free, &n));
  for (size_t i = 0; i < n; i++)
    WEFT_TRY(sort_add(s, names, free[i]));
  return WEFT_OK;
}

static weft_status sort_add_node(sort_scope *s, const weft_map *names, const onnx_node *n) {
  for (size_t i = 0; i < n->inputs.n; i++)
    WEFT_TRY(sort_add(s, names, n->inputs.v[i]));
  for (size_t i = 0; i < n->attributes.n; i++) {
    const onnx_attr *a = &n->attributes.v[i];
    if (a->g)
      WEFT_TRY(sort_add_body(s, names, a->g));
    for (size_t k = 0; k < a->graphs.n; k++)
      WEFT_TRY(sort_add_body(s, names, &a->graphs.v[k]));
  }
  return WEFT_OK;
}

static weft_status sort_names(sort_scope *s, weft_map *names, uint32_t *number) {
  for (size_t i = 0; i < s->n; i++) {
    number[i] = (uint32_t)i;
    for (size_t k = 0; k < s->v[i].outputs.n; k++) {
      onnx_str name = s->v[i].outputs.v[k];
      bool known = !name.bytes || weft__map_find(names, name.text, name.bytes);
      if (!known && weft__map_set(names, name.text, name.bytes, &number[i]))
        return weft__edit_nomem(s->e);
    }
  }
  return WEFT_OK;
}

static weft_status sort_makers(sort_scope *s, weft_map *names) {
  uint32_t *number = WEFT_NEW_N(&s->e->arena, uint32_t, s->n + 1);
  s->first = WEFT_NEW_N(&s->e->arena, size_t, s->n + 1);
  WEFT_TRY(weft__edit_allocated(number && s->first, s->e));
  WEFT_TRY(sort_names(s, names, number));
  for (size_t i = 0; i < s->n; i++) {
    s->first[i] = s->makers.n;
    WEFT_TRY(sort_add_node(s, names, &s->v[i]));
  }
  s->first[s->n] = s->makers.n;
  return WEFT_OK;
}

// ---- the order ----

typedef struct sort_walk {
  uint32_t *out, *stack;
  size_t *next;  // of each node: the maker to look at
  uint8_t *state;
  size_t depth, n_out, n_moved;
} sort_walk;

enum { SORT_NEW, SORT_OPEN, SORT_DONE };

static bool sort_in_order(const sort_scope *s) {
  for (size_t i = 0; i < s->n; i++) {
    for (size_t k = s->first[i]; k < s->first[i + 1]; k++) {
      if (s->makers.v[k] >= i)
        return false;
    }
  }
  return true;
}

static void sort_push(sort_walk *w, const sort_scope *s, uint32_t node) {
  w->state[node] = SORT_OPEN;
  w->next[node] = s->first[node];
  w->stack[w->depth++] = node;
}

// Appends a node and, in front of it, what it still needs. False: a cycle.
static bool sort_append(sort_walk *w, const sort_scope *s, uint32_t first) {
  sort_push(w, s, first);
  while (w->depth) {
    uint32_t node = w->stack[w->depth - 1];
    if (w->next[node] == s->first[node + 1]) {
      w->state[node] = SORT_DONE;
      w->out[w->n_out++] = node;
      w->n_moved += w->depth > 1;
      w->depth--;
      continue;
    }
    uint32_t maker = s->makers.v[w->next[node]++];
    if (w->state[maker] == SORT_OPEN)
      return false;
    if (w->state[maker] == SORT_NEW)
      sort_push(w, s, maker);
  }
  return true;
}

// *out NULL: the nodes are in order, or in a cycle.
static weft_status sort_walk_all(const sort_scope *s, size_t *n_moved, uint32_t **out) {
  weft_arena *a = &s->e->arena;
  sort_walk w = {.out = WEFT_NEW_N(a, uint32_t, s->n),
                 .stack = WEFT_NEW_N(a, uint32_t, s->n),
                 .next = WEFT_NEW_N(a, size_t, s->n),
                 .state = WEFT_NEW_N(a, uint8_t, s->n)};
  WEFT_TRY(weft__edit_allocated(w.out && w.stack && w.next && w.state, s->e));
  for (uint32_t i = 0; i < s->n; i++) {
    if (w.state[i] == SORT_NEW && !sort_append(&w, s, i))
      return WEFT_OK;
  }
  *n_moved += w.n_moved;
  *out = w.out;
  return WEFT_OK;
}

static weft_status sort_order(sort_total *t, const onnx_node *v, size_t n, uint32_t **out) {
  sort_scope s = {.e = t->e, .v = v, .n = n};
  weft_map names;
  *out = NULL;
  weft__map_init(&names, &t->e->env->alloc);
  weft_status status = sort_makers(&s, &names);
  weft__map_deinit(&names);
  if (!status && !sort_in_order(&s))
    status = sort_walk_all(&s, &t->n_moved, out);
  WEFT_VEC_FREE(&t->e->env->alloc, s.makers);
  return status;
}

// ---- is there anything to do? ----

static weft_status sort_count(sort_total *t, const onnx_node *v, size_t n) {
  uint32_t *order;
  WEFT_TRY(sort_order(t, v, n, &order));
  for (size_t i = 0; i < n; i++) {
    for (size_t k = 0; k < v[i].attributes.n; k++) {
      const onnx_attr *a = &v[i].attributes.v[k];
      if (a->g)
        WEFT_TRY(sort_count(t, a->g->nodes.v, a->g->nodes.n));
      for (size_t j = 0; j < a->graphs.n; j++)
        WEFT_TRY(sort_count(t, a->graphs.v[j].nodes.v, a->graphs.v[j].nodes.n));
    }
  }
  return WEFT_OK;
}

// ---- writing ----

static weft_status sort_put_graph(sort_total *t, onnxw *w, uint32_t field, onnx_str raw, const onnx_graph *g);

static weft_status sort_put_attr(sort_total *t, onnxw *w, onnx_str raw, const onnx_attr *a) {
  edit_fields it;
  weft_status s = WEFT_OK;
  size_t n = 0;
  onnxw_open(w, 5);
  weft__edit_fields(&it, raw, t->e->d);
  while (weft__edit_next(&it, &s)) {
    if (it.f.number == 6 && a->g)
      s = sort_put_graph(t, w, 6, weft__edit_payload(&it), a->g);
    else if (it.f.number == 11 && n < a->graphs.n)
      s = sort_put_graph(t, w, 11, weft__edit_payload(&it), &a->graphs.v[n++]);
    else
      weft__edit_put(w, it.whole);
  }
  onnxw_close(w);
  return s;
}

static weft_status sort_put_node(sort_total *t, onnxw *w, uint32_t field, onnx_str raw, const onnx_node *n) {
  edit_fields it;
  weft_status s = WEFT_OK;
  size_t k = 0;
  onnxw_open(w, field);
  weft__edit_fields(&it, raw, t->e->d);
  while (weft__edit_next(&it, &s)) {
    const onnx_attr *a = it.f.number == 5 && k < n->attributes.n ? &n->attributes.v[k++] : NULL;
    if (a && (a->g || a->graphs.n))
      s = sort_put_attr(t, w, weft__edit_payload(&it), a);
    else
      weft__edit_put(w, it.whole);
  }
  onnxw_close(w);
  return s;
}

// The message of a graph (its nodes are field 1) or function (7).
typedef struct sort_message {
  onnx_str raw;
  const onnx_node *v;
  size_t n;
  uint32_t nodes;  // their field
} sort_message;

// *out NULL: the bytes hold other nodes than the reader took (a message that is there twice).
static weft_status sort_raw(sort_total *t, const sort_message *m, onnx_str **out) {
  edit_fields it;
  weft_status s = WEFT_OK;
  size_t n = 0;
  onnx_str *list = WEFT_NEW_N(&t->e->arena, onnx_str, m->n + 1);
  *out = NULL;
  WEFT_TRY(weft__edit_allocated(list, t->e));
  weft__edit_fields(&it, m->raw, t->e->d);
  while (weft__edit_next(&it, &s)) {
    if (it.f.number != m->nodes)
      continue;
    if (n < m->n)
      list[n] = weft__edit_payload(&it);
    n++;
  }
  *out = n == m->n ? list : NULL;
  return s;
}

static weft_status sort_put(sort_total *t, onnxw *w, uint32_t field, const sort_message *m) {
  edit_fields it;
  weft_status s = WEFT_OK;
  uint32_t *order;
  onnx_str *raw;
  size_t n = 0;
  WEFT_TRY(sort_raw(t, m, &raw));
  if (!raw) {
    onnxw_bytes(w, field, m->raw.text, m->raw.bytes);
    return WEFT_OK;
  }
  WEFT_TRY(sort_order(t, m->v, m->n, &order));
  onnxw_open(w, field);
  weft__edit_fields(&it, m->raw, t->e->d);
  while (weft__edit_next(&it, &s)) {
    if (it.f.number != m->nodes) {
      weft__edit_put(w, it.whole);
      continue;
    }
    size_t at = order ? order[n] : n;
    s = sort_put_node(t, w, m->nodes, raw[at], &m->v[at]);
    n++;
  }
  onnxw_close(w);
  return s;
}

static weft_status sort_put_graph(sort_total *t, onnxw *w, uint32_t field, onnx_str raw,
                                  const onnx_graph *g) {
  return sort_put(t, w, field, &(sort_message){raw, g->nodes.v, g->nodes.n, 1});
}

static weft_status sort_write(sort_total *t, weft_text *out) {
  const onnx_model *model = t->e->model;
  onnxw w;
  edit_fields it;
  weft_status s = WEFT_OK;
  size_t f = 0;
  onnxw_init(&w, out);
  weft__edit_fields(&it, t->e->file, t->e->d);
  while (weft__edit_next(&it, &s)) {
    onnx_str raw = weft__edit_payload(&it);
    bool function = it.f.number == 25 && f < model->functions.n;
    const onnx_nodes *nodes = function ? &model->functions.v[f++].nodes : NULL;
    if (it.f.number == 7 && raw.text == t->e->graph.text)
      s = sort_put_graph(t, &w, 7, raw, model->graph);
    else if (function)
      s = sort_put(t, &w, 25, &(sort_message){raw, nodes->v, nodes->n, 7});
    else
      weft__edit_put(&w, it.whole);
  }
  weft_status end = onnxw_finish(&w, t->e->d);
  return s ? s : end;
}

weft_status weft__edit_sort(onnx_edit *e, weft_text *out) {
  const onnx_model *m = e->model;
  sort_total t = {.e = e};
  WEFT_TRY(sort_count(&t, m->graph->nodes.v, m->graph->nodes.n));
  for (size_t i = 0; i < m->functions.n; i++)
    WEFT_TRY(sort_count(&t, m->functions.v[i].nodes.v, m->functions.v[i].nodes.n));
  if (!t.n_moved)
    return WEFT_OK;
  weft__edit_say(e, "%zu node%s moved in front of what reads %s", t.n_moved, t.n_moved == 1 ? "" : "s",
                 t.n_moved == 1 ? "its outputs" : "their outputs");
  return sort_write(&t, out);
}
// SPDX-License-Identifier: Apache-2.0
