// parse_build.c - makes a graph from the statements that parse.c read: first every value and node, then the
// edges. Names resolve through the graph's own maps; the search for a close name runs once, for the error
// that ends parsing.
#include <stdlib.h>

#include "ir/text.h"

typedef struct builder {
  weft_lexer *l;
  weft_graph *g;
} builder;

// A message of the builder's API, with the place in the text in front.
static weft_status fail_at(builder *b, size_t at, weft_status s, const weft_diag *own) {
  return weft__lex_fail(b->l, at, s, "%s", own->text);
}

static weft_status unknown_name(builder *b, const weft_map *names, const char *what, const char *name,
                                size_t at) {
  size_t n = strlen(name);
  size_t best = WEFT_MIN(n / 3 + 2, 5);
  const char *near = NULL;
  for (size_t i = 0; i < names->n; i++) {
    if (!names->entries[i].value)
      continue;
    size_t far = weft_name_distance(name, n, names->entries[i].key, best);
    if (far < best) {
      best = far;
      near = names->entries[i].key;
    }
  }
  return weft__lex_fail(b->l, at, WEFT_E_NOT_FOUND, "graph '%s' has no %s '%s'%s%s%s", b->g->name, what, name,
                        near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static weft_status find_value(builder *b, const char *name, size_t at, weft_value **out) {
  *out = weft_graph_find_value(b->g, name);
  return *out ? WEFT_OK : unknown_name(b, &b->g->value_names, "value", name, at);
}

static weft_status find_node(builder *b, const char *name, size_t at, weft_node **out) {
  *out = weft_graph_find_node(b->g, name);
  return *out ? WEFT_OK : unknown_name(b, &b->g->node_names, "node", name, at);
}

// ---- inputs and constants ----

static weft_status build_input(builder *b, const weft_ast_value *v) {
  weft_diag own = {0};
  weft_tensor_desc desc;
  weft_desc_init(&desc);
  desc.dtype = WEFT_UNDEFINED;
  desc.layout.origin.rank = desc.layout.storage.rank = WEFT_RANK_UNSET;
  if (v->said) {
    weft__declared_desc(v->said, NULL, &desc);
    if (!v->said->storage)
      weft_shape_copy(&desc.layout.storage, &desc.layout.origin);
  }
  if (weft_graph_input_desc(b->g, v->name, &desc, &own))
    return WEFT_OK;
  return fail_at(b, v->at, own.status, &own);
}

static int by_index(const void *a, const void *b) {
  const weft_ast_value *x = *(const weft_ast_value *const *)a;
  const weft_ast_value *y = *(const weft_ast_value *const *)b;
  if (x->index != y->index)
    return x->index < y->index ? -1 : 1;
  return (x->at > y->at) - (x->at < y->at);
}

// Inputs stand where `index` of a Data says, otherwise where they stand in the text.
static weft_status build_inputs(builder *b, const weft_ast_graph *ast) {
  size_t n = 0;
  const weft_ast_value **list = WEFT_NEW_N(b->l->arena, const weft_ast_value *, ast->n_inputs + 1);
  WEFT_TRY(weft__lex_allocated(list, b->l));
  for (const weft_ast_value *v = ast->inputs; v; v = v->next)
    list[n++] = v;
  bool sorted = true;
  for (size_t i = 1; i < n; i++)
    sorted &= by_index(&list[i - 1], &list[i]) < 0;
  if (!sorted)
    qsort(list, n, sizeof *list, by_index);
  for (size_t i = 0; i < n; i++)
    WEFT_TRY(build_input(b, list[i]));
  return WEFT_OK;
}

static weft_status build_const(builder *b, const weft_ast_value *v) {
  weft_diag own = {0};
  int how = v->owned ? WEFT_CONST_BORROW : WEFT_CONST_COPY;
  if (weft_graph_const(b->g, v->name, v->tensor, how, &own))
    return WEFT_OK;
  return fail_at(b, v->at, own.status, &own);
}

// ---- nodes ----

// Instances per port, from the list of a node's inputs or outputs.
static weft_status count_ports(builder *b, const weft_ast_node *n, bool input, uint32_t *counts) {
  const weft_proto *p = n->proto;
  const weft_port *ports = input ? p->in : p->out;
  uint32_t n_ports = input ? p->n_in : p->n_out;
  uint32_t i = 0;
  const char *what = input ? "input" : "output";
  for (const weft_ast_arg *a = input ? n->in : n->out; a; a = a->next, i++) {
    if (i == n_ports) {
      return weft__lex_fail(b->l, a->at, WEFT_E_INVALID, "node '%s': operator '%s' has %u %ss, got more",
                            n->name, n->type, n_ports, what);
    }
    bool list = a->kind == WEFT__ARG_LIST;
    bool dynamic = ports[i].kind == WEFT_DYNAMIC;
    if (list != dynamic) {
      return weft__lex_fail(b->l, a->at, WEFT_E_INVALID, "node '%s': %s '%s' (%u) of '%s' is %s", n->name,
                            what, ports[i].name, i, n->type,
                            dynamic ? "dynamic: write a list, [a, b]" : "not dynamic: write one name");
    }
    if (a->kind == WEFT__ARG_ABSENT && ports[i].kind == WEFT_REQUIRED) {
      return weft__lex_fail(b->l, a->at, WEFT_E_MISSING, "node '%s': %s '%s' (%u) of '%s' is required",
                            n->name, what, ports[i].name, i, n->type);
    }
    counts[i] = list ? a->n : a->kind != WEFT__ARG_ABSENT;
  }
  for (; i < n_ports; i++) {
    if (ports[i].kind == WEFT_REQUIRED) {
      return weft__lex_fail(b->l, n->at, WEFT_E_MISSING,
                            "node '%s': required %s '%s' (%u) of '%s' is not given", n->name, what,
                            ports[i].name, i, n->type);
    }
  }
  return WEFT_OK;
}

// A later output of the same node may have been given this very name: it takes another until its turn comes.
static weft_status name_output(builder *b, weft_node *n, uint32_t i, const weft_ast_arg *a) {
  weft_diag own = {0};
  weft_value *v = &n->out[i];
  weft_value *holder = weft_graph_find_value(b->g, a->name);
  if (holder && holder->node == n && holder->index > i) {
    const char *other = weft__name_make(b->g, &b->g->value_names, a->name);
    WEFT_TRY(weft__lex_allocated(other, b->l));
    weft_status s = weft__value_rename(holder, other, &own);
    if (s)
      return fail_at(b, a->at, s, &own);
  }
  weft_status s = weft__value_rename(v, a->name, &own);
  if (s)
    return fail_at(b, a->at, s, &own);
  v->declared = a->said;
  return WEFT_OK;
}

static weft_status parse_build_name_outputs(builder *b, const weft_ast_node *n) {
  uint32_t i = 0;
  for (const weft_ast_arg *a = n->out; a; a = a->next) {
    if (a->kind == WEFT__ARG_VALUE)
      WEFT_TRY(name_output(b, n->made, i++, a));
    for (const weft_ast_arg *item = a->items; item; item = item->next)
      WEFT_TRY(name_output(b, n->made, i++, item));
  }
  return WEFT_OK;
}

static weft_status build_node(builder *b, weft_ast_node *n) {
  weft_diag own = {0};
  const weft_proto *p = n->proto;
  uint32_t *in = WEFT_NEW_N(b->l->arena, uint32_t, (size_t)p->n_in + p->n_out + 1);
  weft_named_attr *attrs = WEFT_NEW_N(b->l->arena, weft_named_attr, n->n_attrs + 1);
  size_t n_attrs = 0;
  WEFT_TRY(weft__lex_allocated(in && attrs, b->l));
  uint32_t *out = in + p->n_in;
  WEFT_TRY(count_ports(b, n, true, in));
  if (n->says_out)
    WEFT_TRY(count_ports(b, n, false, out));
  for (const weft_ast_attr *a = n->attrs; a; a = a->next)
    attrs[n_attrs++] = a->attr;
  weft_use use = {n->name, attrs, n_attrs, in, n->says_out ? out : NULL};
  weft_status s = weft_graph_add_node(b->g, n->type, &use, &n->made, &own);
  return s ? fail_at(b, n->at, s, &own) : parse_build_name_outputs(b, n);
}

// ---- edges ----

static weft_status connect(builder *b, weft_node *n, uint32_t i, const weft_ast_arg *a) {
  weft_diag own = {0};
  weft_value *v;
  if (a->kind != WEFT__ARG_VALUE)
    return WEFT_OK;
  WEFT_TRY(find_value(b, a->name, a->at, &v));
  weft_status s = weft_node_connect(n, i, v, &own);
  return s ? fail_at(b, a->at, s, &own) : WEFT_OK;
}

static weft_status connect_inputs(builder *b, const weft_ast_node *n) {
  uint32_t i = 0;
  for (const weft_ast_arg *a = n->in; a; a = a->next) {
    for (const weft_ast_arg *item = a->items; item; item = item->next)
      WEFT_TRY(connect(b, n->made, i++, item));
    if (a->kind == WEFT__ARG_VALUE || a->kind == WEFT__ARG_OPEN)
      WEFT_TRY(connect(b, n->made, i++, a));
  }
  return WEFT_OK;
}

static weft_status build_subs(builder *b, const weft_ast_node *n) {
  for (const weft_ast_sub *sub = n->graphs; sub; sub = sub->next) {
    weft_diag own = {0};
    weft_graph *g;
    weft_status s = weft_node_add_graph(n->made, sub->slot, sub->graph->name, &g, &own);
    if (s)
      return fail_at(b, sub->at, s, &own);
    WEFT_TRY(weft__build_graph(b->l, sub->graph, g));
  }
  return WEFT_OK;
}

static weft_status build_controls(builder *b, const weft_ast_graph *ast) {
  for (const weft_ast_edge *e = ast->controls; e; e = e->next) {
    weft_diag own = {0};
    weft_node *before;
    weft_node *after;
    WEFT_TRY(find_node(b, e->from, e->from_at, &before));
    WEFT_TRY(find_node(b, e->to, e->to_at, &after));
    weft_status s = weft_graph_add_control(b->g, before, after, &own);
    if (s)
      return fail_at(b, e->from_at, s, &own);
  }
  return WEFT_OK;
}

static weft_status build_outputs(builder *b, const weft_ast_graph *ast) {
  for (const weft_ast_edge *e = ast->outputs; e; e = e->next) {
    weft_diag own = {0};
    weft_value *v;
    WEFT_TRY(find_value(b, e->from, e->from_at, &v));
    weft_status s = weft_graph_output(b->g, v, &own);
    if (s)
      return fail_at(b, e->from_at, s, &own);
  }
  return WEFT_OK;
}

static weft_status build_metas(builder *b, const weft_ast_graph *ast) {
  for (const weft_ast_edge *e = ast->metas; e; e = e->next) {
    weft_diag own = {0};
    weft_status s = weft_graph_set_meta(b->g, e->from, e->to, &own);
    if (s)
      return fail_at(b, e->from_at, s, &own);
  }
  return WEFT_OK;
}

weft_status weft__build_graph(weft_lexer *l, weft_ast_graph *ast, weft_graph *g) {
  builder b = {l, g};
  weft_diag own = {0};
  weft__graph_defer(g);
  WEFT_TRY(build_metas(&b, ast));
  WEFT_TRY(build_inputs(&b, ast));
  for (const weft_ast_value *v = ast->consts; v; v = v->next)
    WEFT_TRY(build_const(&b, v));
  for (weft_ast_node *n = ast->nodes; n; n = n->next)
    WEFT_TRY(build_node(&b, n));
  for (const weft_ast_node *n = ast->nodes; n; n = n->next) {
    WEFT_TRY(connect_inputs(&b, n));
    WEFT_TRY(build_subs(&b, n));
  }
  WEFT_TRY(build_controls(&b, ast));
  WEFT_TRY(build_outputs(&b, ast));
  weft_status s = weft__graph_settle(g, &own);
  return s ? fail_at(&b, ast->at, s, &own) : WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
