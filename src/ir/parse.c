// parse.c - reads the text form (docs/text-ir.md) into a list of statements; parse_build.c makes the graph
// from it. Two steps, because values and nodes may be used before the line that makes them. Only the
// prototypes' attribute types are needed to read, and types and tensors go to the root graph at once, so that
// large data are never copied. Linear. Sub-graphs recurse at most WEFT_GRAPH_DEPTH_MAX deep; statements and
// arguments are loops.
#include "base/told.h"
#include "ir/text.h"
#include "tensor/scan.h"
#include "tensor/tensor.h"

typedef struct reader {
  weft_lexer l;
  weft_graph *root;
  uint32_t steps;  // statements read
} reader;

static weft_status parse_graph(reader *r, uint32_t depth, weft_ast_graph *ast);

// ---- values ----

static weft_status parse_said(reader *r, const char *name, weft_declared **out) {
  weft_diag own = {0};
  weft_tensor_desc desc;
  weft_declared *said;
  char place[300];
  size_t n = 0;
  weft__lex_peek(&r->l);
  size_t at = r->l.at;
  WEFT_TRY(weft__parse_type(&r->l, r->root->root->symbols, &desc));
  weft__append(place, sizeof place, &n, "value '%.200s'", name);
  weft_status s = weft__declared_make(r->root, place, &desc, &said, &own);
  if (s)
    return weft__lex_fail(&r->l, at, s, "%s", own.text);
  *out = said;
  return WEFT_OK;
}

static weft_status parse_add_input(reader *r, weft_ast_graph *g, const weft_ast_value *v) {
  weft_ast_value *copy = WEFT_NEW(r->l.arena, weft_ast_value);
  WEFT_TRY(weft__lex_allocated(copy, &r->l));
  *copy = *v;
  *g->inputs_end = copy;
  g->inputs_end = &copy->next;
  g->n_inputs++;
  return WEFT_OK;
}

static weft_status parse_input(reader *r, weft_ast_graph *g) {
  weft_ast_value v = {.index = (int64_t)g->n_inputs};
  WEFT_TRY(weft__lex_name(&r->l, "the name of an input", &v.name, &v.at));
  if (weft__lex_char(&r->l, ':'))
    WEFT_TRY(parse_said(r, v.name, &v.said));
  return parse_add_input(r, g, &v);
}

// Does the data of a constant hold its origin shape? Where the formats tell the storage shape, it must be
// that one.
static weft_status check_layout(reader *r, size_t at, const weft_tensor *t) {
  weft_shape derived;
  int64_t origin;
  int64_t storage;
  char a[200];
  char b[200];
  weft_shape_set_scalar(&derived);
  bool known = weft_shape_is_known(&t->layout.origin);
  if (!known)
    return weft__lex_fail(&r->l, at, WEFT_E_SHAPE, "the origin shape of a constant has unknown dims");
  bool fits = !weft_shape_elems(&t->layout.origin, &origin) &&
              !weft_shape_elems(&t->layout.storage, &storage) &&
              (t->format == t->origin_format ? origin == storage : origin <= storage);
  if (fits && weft_format_has_c0(t->format) &&
      !weft_format_storage_shape(&t->layout.origin, t->origin_format, t->format, 0, &derived, NULL))
    fits = weft_shape_equal(&derived, &t->layout.storage);
  if (fits)
    return WEFT_OK;
  return weft__lex_fail(&r->l, at, WEFT_E_SHAPE,
                        "a constant of origin shape %s does not have the storage shape %s",
                        weft_shape_text(&t->layout.origin, NULL, a, sizeof a),
                        weft_shape_text(&t->layout.storage, NULL, b, sizeof b));
}

static weft_status parse_const(reader *r, weft_ast_graph *g) {
  weft_ast_value v = {.owned = true};
  weft_diag own = {0};
  size_t used;
  bool found;
  WEFT_TRY(weft__lex_name(&r->l, "the name of a constant", &v.name, &v.at));
  WEFT_TRY(weft__lex_expect(&r->l, ':', "and a space behind the name of a constant"));
  weft__lex_peek(&r->l);
  size_t at = r->l.at;
  weft_tensor *t = weft__graph_tensor(r->root);
  weft_ast_value *copy = WEFT_NEW(r->l.arena, weft_ast_value);
  WEFT_TRY(weft__lex_allocated(t && copy, &r->l));
  weft_status s = weft_tensor_parse(r->l.text + at, r->l.bytes - at, NULL, t, &used, &own);
  if (s)
    return weft__lex_fail(&r->l, at, s, "constant '%s': %s", v.name, own.text);
  r->l.at = at + used;
  weft_format origin_format = t->origin_format;
  weft_format format = t->format;
  WEFT_TRY(weft__parse_formats(&r->l, &origin_format, &format, &found));
  bool says_origin = weft__lex_word(&r->l, "origin");
  if (says_origin)
    WEFT_TRY(weft__parse_shape(&r->l, NULL, &t->layout.origin));
  t->origin_format = origin_format;
  t->format = format;
  if (t->kind == WEFT_KIND_TENSOR && (says_origin || format != origin_format))
    WEFT_TRY(check_layout(r, at, t));
  v.tensor = t;
  *copy = v;
  *g->consts_end = copy;
  g->consts_end = &copy->next;
  return WEFT_OK;
}

// ---- inputs and outputs of nodes ----

static weft_status parse_args(reader *r, bool outputs, bool in_list, weft_ast_arg **out, uint32_t *out_n);

static weft_status parse_arg(reader *r, bool outputs, bool in_list, weft_ast_arg *a) {
  int c = weft__lex_peek(&r->l);
  a->at = r->l.at;
  if (c == '[' && !in_list) {
    a->kind = WEFT__ARG_LIST;
    return parse_args(r, outputs, true, &a->items, &a->n);
  }
  if (c == '?' && !outputs) {
    r->l.at++;
    a->kind = WEFT__ARG_OPEN;
    return WEFT_OK;
  }
  if (!in_list && weft__lex_word(&r->l, "_")) {
    a->kind = WEFT__ARG_ABSENT;
    return WEFT_OK;
  }
  a->kind = WEFT__ARG_VALUE;
  WEFT_TRY(
      weft__lex_name(&r->l, outputs ? "the name of an output" : "the name of a value", &a->name, &a->at));
  return outputs && weft__lex_char(&r->l, ':') ? parse_said(r, a->name, &a->said) : WEFT_OK;
}

// "[a, b]" with `in_list`, "(a, b)" for inputs, "a, b" for outputs. Lists hold no lists: the recursion ends.
static weft_status parse_args(reader *r, bool outputs, bool in_list, weft_ast_arg **out, uint32_t *out_n) {
  bool bare = outputs && !in_list;
  char close = in_list ? ']' : ')';
  if (!bare) {
    WEFT_TRY(weft__lex_expect(&r->l, in_list ? '[' : '(', "before inputs"));
    if (weft__lex_char(&r->l, close))
      return WEFT_OK;
  }
  do {
    weft_ast_arg *a = WEFT_NEW(r->l.arena, weft_ast_arg);
    WEFT_TRY(weft__lex_allocated(a, &r->l));
    WEFT_TRY(parse_arg(r, outputs, in_list, a));
    if (++*out_n == UINT32_MAX)
      return weft__lex_fail(&r->l, a->at, WEFT_E_LIMIT, "too many names in a list");
    *out = a;
    out = &a->next;
  } while (weft__lex_char(&r->l, ','));
  return bare ? WEFT_OK : weft__lex_expect(&r->l, close, "or ',' in a list of names");
}

// ---- attributes and sub-graphs ----

// The type of an attribute that no prototype knows: the first that reads to a ',' or '}', otherwise the first
// that reads.
static weft_status guess_type(reader *r, weft_attr_type *out) {
  static const weft_attr_type tries[] = {WEFT_VT_INT,       WEFT_VT_FLOAT,       WEFT_VT_BOOL,
                                         WEFT_VT_STRING,    WEFT_VT_LIST_INT,    WEFT_VT_LIST_FLOAT,
                                         WEFT_VT_LIST_BOOL, WEFT_VT_LIST_STRING, WEFT_VT_LIST_LIST_INT};
  weft_attr unused;
  size_t used;
  for (size_t i = 0; i < WEFT_COUNT(tries); i++) {
    weft_lexer after = r->l;
    weft_status s = weft_attr_parse(tries[i], after.text + after.at, after.bytes - after.at, after.arena,
                                    &unused, &used, NULL);
    if (s == WEFT_E_NOMEM)
      return weft__lex_no_memory(&r->l);
    if (s)
      continue;
    after.at += used;
    int c = weft__lex_peek(&after);
    bool ends = c == ',' || c == '}';
    if (ends || *out == WEFT_VT_NONE)
      *out = tries[i];
    if (ends)
      break;
  }
  return WEFT_OK;
}

static weft_status find_type(reader *r, const weft_ast_node *n, const char *name, size_t at,
                             weft_attr_type *out) {
  char here[40];
  if (weft__lex_char(&r->l, ':')) {
    weft__lex_peek(&r->l);
    size_t bytes = weft__plain_name(r->l.text + r->l.at, r->l.bytes - r->l.at);
    *out = weft_attr_type_parse(r->l.text + r->l.at, bytes);
    if (*out == WEFT_VT_NONE) {
      return weft__lex_fail(&r->l, r->l.at, WEFT_E_TYPE, "attribute '%s': expected its type, got %s", name,
                            weft__lex_here(&r->l, here));
    }
    r->l.at += bytes;
  }
  WEFT_TRY(weft__lex_expect(&r->l, '=', "behind the name of an attribute"));
  weft__lex_peek(&r->l);
  int slot = n->proto ? weft_proto_find_attr(n->proto, name) : -1;
  if (slot >= 0 && *out != WEFT_VT_NONE && *out != n->proto->attr_types[slot]) {
    return weft__lex_fail(&r->l, at, WEFT_E_TYPE, "attribute '%s' of '%s': expected %s, got %s", name,
                          n->type, weft_attr_type_name(n->proto->attr_types[slot]),
                          weft_attr_type_name(*out));
  }
  if (slot >= 0)
    *out = n->proto->attr_types[slot];
  if (slot < 0 && n->proto && name[0] != '_') {
    return weft__lex_fail(&r->l, at, WEFT_E_NOT_FOUND, "attribute '%s' is not one of the operator '%s'", name,
                          n->type);
  }
  if (*out == WEFT_VT_NONE && !n->proto && !strcmp(name, "value"))
    *out = WEFT_VT_TENSOR;
  if (*out == WEFT_VT_NONE)
    WEFT_TRY(guess_type(r, out));
  if (*out == WEFT_VT_NONE) {
    return weft__lex_fail(&r->l, r->l.at, WEFT_E_TYPE, "attribute '%s': say its type, as in '%s: Int = 3'",
                          name, name);
  }
  return WEFT_OK;
}

static weft_status parse_attr(reader *r, weft_ast_node *n, const char *name, size_t at,
                              weft_ast_attr ***end) {
  weft_attr_type type = WEFT_VT_NONE;
  weft_diag own = {0};
  size_t used;
  WEFT_TRY(find_type(r, n, name, at, &type));
  weft_ast_attr *a = WEFT_NEW(r->l.arena, weft_ast_attr);
  WEFT_TRY(weft__lex_allocated(a, &r->l));
  a->attr.name = name;
  weft_status s = weft_attr_parse(type, r->l.text + r->l.at, r->l.bytes - r->l.at, r->l.arena, &a->attr.value,
                                  &used, &own);
  if (s)
    return weft__lex_fail(&r->l, r->l.at, s, "attribute '%s' of '%s': %s", name, n->type, own.text);
  r->l.at += used;
  **end = a;
  *end = &a->next;
  n->n_attrs++;
  return WEFT_OK;
}

static int find_slot(const weft_proto *p, const char *name) {
  for (uint32_t i = 0; p && i < p->n_graphs; i++) {
    if (!strcmp(weft__slot_name(p, i), name))
      return (int)i;
  }
  return -1;
}

// "graph "t" {...}", or a list of these in a dynamic slot.
static weft_status parse_subs(reader *r, uint32_t depth, const weft_ast_node *n, uint32_t slot,
                              weft_ast_sub ***end) {
  WEFT_TRY(weft__lex_expect(&r->l, '=', "behind the name of a sub-graph"));
  bool list = weft__slot_is_dynamic(n->proto, slot);
  if (list)
    WEFT_TRY(weft__lex_expect(&r->l, '[', "before a list of sub-graphs"));
  if (list && weft__lex_char(&r->l, ']'))
    return WEFT_OK;
  do {
    weft_ast_sub *sub = WEFT_NEW(r->l.arena, weft_ast_sub);
    if (!sub || !(sub->graph = WEFT_NEW(r->l.arena, weft_ast_graph)))
      return weft__lex_no_memory(&r->l);
    weft__lex_peek(&r->l);
    sub->slot = slot;
    sub->at = r->l.at;
    WEFT_TRY(parse_graph(r, depth + 1, sub->graph));
    **end = sub;
    *end = &sub->next;
  } while (list && weft__lex_char(&r->l, ','));
  return list ? weft__lex_expect(&r->l, ']', "or ',' in a list of sub-graphs") : WEFT_OK;
}

static weft_status parse_attrs(reader *r, uint32_t depth, weft_ast_node *n) {
  weft_ast_attr **attrs_end = &n->attrs;
  weft_ast_sub **graphs_end = &n->graphs;
  if (!weft__lex_char(&r->l, '{'))
    return WEFT_OK;
  do {
    const char *name;
    size_t at;
    if (weft__lex_peek(&r->l) == '}')
      break;
    WEFT_TRY(weft__lex_name(&r->l, "the name of an attribute", &name, &at));
    int slot = find_slot(n->proto, name);
    if (slot >= 0)
      WEFT_TRY(parse_subs(r, depth, n, (uint32_t)slot, &graphs_end));
    else
      WEFT_TRY(parse_attr(r, n, name, at, &attrs_end));
  } while (weft__lex_char(&r->l, ','));
  return weft__lex_expect(&r->l, '}', "or ',' in a list of attributes");
}

// ---- nodes ----

static const weft_attr *given_attr(const weft_ast_node *n, const char *name) {
  for (const weft_ast_attr *a = n->attrs; a; a = a->next) {
    if (!strcmp(a->attr.name, name))
      return &a->attr.value;
  }
  return NULL;
}

static weft_status add_edge(reader *r, weft_ast_edge ***end, const char *from, size_t from_at, const char *to,
                            size_t to_at) {
  weft_ast_edge *e = WEFT_NEW(r->l.arena, weft_ast_edge);
  WEFT_TRY(weft__lex_allocated(e, &r->l));
  *e = (weft_ast_edge){from, to, from_at, to_at, NULL};
  **end = e;
  *end = &e->next;
  return WEFT_OK;
}

// Data, Const and NetOutput are no nodes: they become an input, a constant, outputs of the graph.
enum { NO_NODE_NONE, NO_NODE_DATA, NO_NODE_CONST, NO_NODE_OUTPUT };
static int no_node_kind(const char *type) {
  if (!strcmp(type, "Data") || !strcmp(type, "data"))
    return NO_NODE_DATA;
  if (!strcmp(type, "Const") || !strcmp(type, "Constant"))
    return NO_NODE_CONST;
  return !strcmp(type, "NetOutput") ? NO_NODE_OUTPUT : NO_NODE_NONE;
}

static weft_status add_net_output(reader *r, weft_ast_graph *g, const weft_ast_arg *a) {
  for (; a; a = a->next) {
    if (a->kind == WEFT__ARG_LIST)
      WEFT_TRY(add_net_output(r, g, a->items));  // lists hold no lists
    else if (a->kind == WEFT__ARG_VALUE)
      WEFT_TRY(add_edge(r, &g->outputs_end, a->name, a->at, NULL, 0));
    else
      return weft__lex_fail(&r->l, a->at, WEFT_E_MISSING, "an output of the graph without a value");
  }
  return WEFT_OK;
}

static weft_status add_no_node(reader *r, weft_ast_graph *g, const weft_ast_node *n, int kind) {
  if (kind == NO_NODE_OUTPUT)
    return add_net_output(r, g, n->in);
  const weft_ast_arg *out = n->out;
  if (out && (out->next || out->kind != WEFT__ARG_VALUE))
    return weft__lex_fail(&r->l, out->at, WEFT_E_INVALID, "'%s' has one output", n->type);
  weft_ast_value v = {.name = out ? out->name : n->name, .at = n->at, .said = out ? out->said : NULL};
  const weft_attr *index = given_attr(n, "index");
  const weft_attr *value = given_attr(n, "value");
  if (kind == NO_NODE_DATA) {
    v.index = index && index->type == WEFT_VT_INT ? index->u.i : (int64_t)g->n_inputs;
    return parse_add_input(r, g, &v);
  }
  if (!value || value->type != WEFT_VT_TENSOR) {
    return weft__lex_fail(&r->l, n->at, WEFT_E_MISSING, "'%s' needs the attribute 'value', a tensor",
                          n->type);
  }
  weft_ast_value *copy = WEFT_NEW(r->l.arena, weft_ast_value);
  WEFT_TRY(weft__lex_allocated(copy, &r->l));
  v.tensor = value->u.tensor;
  *copy = v;
  *g->consts_end = copy;
  g->consts_end = &copy->next;
  return WEFT_OK;
}

static weft_status parse_node(reader *r, uint32_t depth, weft_ast_graph *g) {
  weft_ast_node *n = WEFT_NEW(r->l.arena, weft_ast_node);
  weft_diag own = {0};
  uint32_t count = 0;
  size_t type_at;
  WEFT_TRY(weft__lex_allocated(n, &r->l));
  WEFT_TRY(weft__lex_name(&r->l, "the name of a node", &n->name, &n->at));
  WEFT_TRY(weft__lex_expect(&r->l, ':', "and a space behind the name of a node"));
  WEFT_TRY(weft__lex_name(&r->l, "an operator", &n->type, &type_at));
  int kind = no_node_kind(n->type);
  weft_status s = kind ? WEFT_OK : weft_get(r->root->root->env, n->type, &n->proto, &own);
  if (s)
    return weft__lex_fail(&r->l, type_at, s, "%s", own.text);
  WEFT_TRY(parse_args(r, false, false, &n->in, &count));
  WEFT_TRY(parse_attrs(r, depth, n));
  n->says_out = weft__lex_arrow(&r->l);
  count = 0;
  if (n->says_out)
    WEFT_TRY(parse_args(r, true, false, &n->out, &count));
  if (kind)
    return add_no_node(r, g, n, kind);
  *g->nodes_end = n;
  g->nodes_end = &n->next;
  return WEFT_OK;
}

// ---- graphs ----

static weft_status parse_control(reader *r, weft_ast_graph *g) {
  const char *from;
  const char *to;
  size_t from_at;
  size_t to_at;
  WEFT_TRY(weft__lex_name(&r->l, "the name of a node", &from, &from_at));
  if (!weft__lex_arrow(&r->l))
    return weft__lex_fail(&r->l, r->l.at, WEFT_E_SYNTAX, "expected '->' between two nodes");
  WEFT_TRY(weft__lex_name(&r->l, "the name of a node", &to, &to_at));
  return add_edge(r, &g->controls_end, from, from_at, to, to_at);
}

static weft_status parse_meta(reader *r, weft_ast_graph *g) {
  const char *key;
  const char *value;
  size_t key_at;
  size_t value_at;
  WEFT_TRY(weft__lex_name(&r->l, "the key of a note", &key, &key_at));
  WEFT_TRY(weft__lex_quoted(&r->l, "the text of a note", &value, &value_at));
  return add_edge(r, &g->metas_end, key, key_at, value, value_at);
}

static weft_status parse_statement(reader *r, uint32_t depth, weft_ast_graph *g) {
  char here[40];
  if (weft__lex_word(&r->l, "node"))
    return parse_node(r, depth, g);
  if (weft__lex_word(&r->l, "const"))
    return parse_const(r, g);
  if (weft__lex_word(&r->l, "input"))
    return parse_input(r, g);
  if (weft__lex_word(&r->l, "symbol"))
    return weft__parse_symbol(&r->l, r->root->root->symbols);
  if (weft__lex_word(&r->l, "control"))
    return parse_control(r, g);
  if (weft__lex_word(&r->l, "meta"))
    return parse_meta(r, g);
  if (weft__lex_word(&r->l, "output")) {
    const char *name;
    size_t at;
    WEFT_TRY(weft__lex_name(&r->l, "the name of a value", &name, &at));
    return add_edge(r, &g->outputs_end, name, at, NULL, 0);
  }
  return weft__lex_fail(&r->l, r->l.at, WEFT_E_SYNTAX,
                        "expected symbol, input, const, node, control, output, meta or '}', got %s",
                        weft__lex_here(&r->l, here));
}

static weft_status parse_name(reader *r, weft_ast_graph *ast) {
  char here[40];
  weft__lex_peek(&r->l);
  ast->at = r->l.at;
  if (!weft__lex_word(&r->l, "graph")) {
    return weft__lex_fail(&r->l, r->l.at, WEFT_E_SYNTAX, "expected 'graph', got %s",
                          weft__lex_here(&r->l, here));
  }
  if (weft__lex_peek(&r->l) == '"' && r->l.bytes - r->l.at >= 2 && r->l.text[r->l.at + 1] == '"') {
    ast->name = "";  // of all names, only a graph's may be empty
    r->l.at += 2;
    return WEFT_OK;
  }
  return weft__lex_name(&r->l, "the name of the graph", &ast->name, NULL);
}

static weft_status parse_body(reader *r, uint32_t depth, weft_ast_graph *ast) {
  ast->inputs_end = &ast->inputs;
  ast->consts_end = &ast->consts;
  ast->nodes_end = &ast->nodes;
  ast->controls_end = &ast->controls;
  ast->outputs_end = &ast->outputs;
  ast->metas_end = &ast->metas;
  WEFT_TRY(weft__lex_expect(&r->l, '{', "behind the name of a graph"));
  while (!weft__lex_char(&r->l, '}')) {
    WEFT_TRY(weft__budget_step(&r->root->root->budget, &r->steps, r->l.d));
    WEFT_TRY(parse_statement(r, depth, ast));
  }
  return WEFT_OK;
}

static weft_status parse_graph(reader *r, uint32_t depth, weft_ast_graph *ast) {
  weft__lex_peek(&r->l);
  if (depth > WEFT_GRAPH_DEPTH_MAX) {
    return weft__lex_fail(&r->l, r->l.at, WEFT_E_LIMIT, "graphs are nested deeper than %d",
                          WEFT_GRAPH_DEPTH_MAX);
  }
  WEFT_TRY(parse_name(r, ast));
  return parse_body(r, depth, ast);
}

static weft_status parse_root(reader *r) {
  weft_ast_graph ast = {0};
  char here[40];
  WEFT_TRY(parse_name(r, &ast));
  r->root->name = weft__arena_strdup(&r->root->root->arena, ast.name, strlen(ast.name));
  WEFT_TRY(weft__lex_allocated(r->root->name, &r->l));
  WEFT_TRY(parse_body(r, 0, &ast));
  if (weft__lex_peek(&r->l) >= 0) {
    return weft__lex_fail(&r->l, r->l.at, WEFT_E_SYNTAX,
                          "expected the end of the text behind the graph, got %s",
                          weft__lex_here(&r->l, here));
  }
  return weft__build_graph(&r->l, &ast, r->root);
}

weft_status weft_graph_parse(weft_env *e, const char *text, size_t bytes, const char *file_name,
                             weft_graph **out, weft_diag *d) {
  WEFT_NEED(d, out);
  *out = NULL;
  WEFT_NEED(d, e);
  WEFT_NEED_LIST(d, text, bytes);
  weft_arena arena;
  weft_graph *g;
  WEFT_TRY(weft_graph_create(e, NULL, &g, d));  // it has what the text is read with counted
  weft__budget *budget = &g->root->budget;
  weft__allowance before = weft__budget_begin(budget, NULL, &e->limits);
  weft__arena_init(&arena, &g->root->alloc);
  reader r = {
      .root = g,
      .l = {.text = text, .bytes = bytes, .file = file_name ? file_name : "text", .arena = &arena, .d = d}};
  weft_status s = weft__graph_budget_end(g, &before, parse_root(&r), d);
  weft__arena_deinit(&arena);
  if (s)
    weft_graph_destroy(g);
  else
    *out = g;
  return weft__told(s, d);
}
// SPDX-License-Identifier: Apache-2.0
