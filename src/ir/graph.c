// graph.c - graphs as a whole: making and destroying them, their inputs, constants and outputs, finding by
// name. A root owns all memory (see ir.h); a sub-graph is destroyed with its root. Adding an input, constant
// or output is O(1) on average and leaves the graph as it was when it fails.
#include "ir/states.h"
#include "base/allocated.h"
#include "tensor/tensor.h"

static weft_status graph_no_memory(weft_diag *d, const weft_graph *g) {
  return weft_fail(d, WEFT_E_NOMEM, "graph '%s': out of memory", g->name);
}

// ---- life ----

weft_status weft__graph_make(weft_root *r, weft_node *parent, uint32_t slot, const char *name,
                             weft_graph **out, weft_diag *d) {
  weft_graph *g = WEFT_NEW(&r->arena, weft_graph);
  if (!g || !(g->name = weft__arena_strdup(&r->arena, name, strlen(name))))
    return weft_fail(d, WEFT_E_NOMEM, "graph '%s': out of memory", name);
  g->root = r;
  g->parent = parent;
  g->slot = slot;
  g->depth = parent ? parent->graph->depth + 1 : 0;
  weft__map_init(&g->node_names, &r->alloc);
  weft__map_init(&g->value_names, &r->alloc);
  weft__map_init(&g->shared, &r->alloc);
  weft__map_init(&g->meta, &r->alloc);
  g->next_graph = r->graphs;
  r->graphs = g;
  r->n_graphs++;
  *out = g;
  return WEFT_OK;
}

static void destroy_root(weft_root *r) {
  for (weft_graph *g = r->graphs; g; g = g->next_graph) {
    weft__map_deinit(&g->node_names);
    weft__map_deinit(&g->value_names);
    weft__map_deinit(&g->shared);
    weft__map_deinit(&g->meta);
    WEFT_VEC_FREE(&r->alloc, g->inputs);
    WEFT_VEC_FREE(&r->alloc, g->outputs);
    WEFT_VEC_FREE(&r->alloc, g->consts);
  }
  for (size_t i = r->tensors.n; i-- > 0;)
    weft_tensor_deinit(r->tensors.v[i]);
  WEFT_VEC_FREE(&r->alloc, r->tensors);
  for (size_t i = r->keeps.n; i-- > 0;)
    r->keeps.v[i].drop(r->keeps.v[i].ctx);
  WEFT_VEC_FREE(&r->alloc, r->keeps);
  weft__remakes_free(r);
  weft_symbols_destroy(r->symbols);
  weft__arena_deinit(&r->arena);
  WEFT_ASSERT(!weft__budget_live(&r->budget));
  weft_allocator a = r->budget.below;
  weft__free(&a, r, sizeof *r, _Alignof(weft_root));
}

weft_status weft_graph_create(weft_env *e, const char *name, weft_graph **out, weft_diag *d) {
  WEFT_NEED(d, out);
  *out = NULL;
  WEFT_NEED(d, e);
  const weft_allocator *a = weft_env_allocator(e);
  weft_root *r = weft__alloc(a, sizeof *r, _Alignof(weft_root));
  if (!name)
    name = "graph";
  if (!r)
    return weft_fail(d, WEFT_E_NOMEM, "graph '%s': out of memory", name);
  memset(r, 0, sizeof *r);
  r->env = e;
  r->changes = 1;
  weft__budget_init(&r->budget, a);
  r->budget.now.limit_bytes = e->limits.memory_limit_bytes;
  r->alloc = r->budget.self;
  weft__arena_init(&r->arena, &r->alloc);
  weft_status s = weft_symbols_create(&r->alloc, &r->symbols);
  if (s)
    weft_fail(d, s, "graph '%s': the pool of symbols cannot be made", name);
  else
    s = weft__graph_make(r, NULL, 0, name, out, d);
  if (s) {
    s = weft__budget_explain(&r->budget, s, d);  // a limit too small for an empty graph
    destroy_root(r);
  }
  return s;
}

weft_status weft__graph_expect(weft_graph *g, size_t n_nodes, size_t n_values, weft_diag *d) {
  enum { MANY = 1 << 17, NODE_BYTES = 512 };  // a node with its values, attributes and names
  n_nodes = WEFT_MIN(n_nodes, MANY);
  n_values = WEFT_MIN(n_values, MANY);
  weft_arena *a = &g->root->arena;
  weft__arena_expect(a, n_nodes * NODE_BYTES);
  if (n_nodes && !g->node_names.cap && weft__map_reserve(&g->node_names, a, n_nodes))
    return graph_no_memory(d, g);
  if (n_values && !g->value_names.cap && weft__map_reserve(&g->value_names, a, n_values))
    return graph_no_memory(d, g);
  return WEFT_OK;
}

// A sub-graph belongs to its root: destroying it alone does nothing.
void weft_graph_destroy(weft_graph *g) {
  if (g && !g->parent)
    destroy_root(g->root);
}

weft_status weft_graph_keep(weft_graph *g, void (*drop)(void *ctx), void *ctx) {
  WEFT_NEED(NULL, g);
  weft_root *r = g->root;
  if (!WEFT_VEC_ROOM(&r->alloc, r->keeps))
    return WEFT_E_NOMEM;
  r->keeps.v[r->keeps.n++] = (weft_keep){drop, ctx};
  return WEFT_OK;
}

weft_tensor *weft__graph_tensor(weft_graph *g) {
  weft_root *r = g->root;
  weft_tensor *t = WEFT_NEW(&r->arena, weft_tensor);
  if (!t || !WEFT_VEC_ROOM(&r->alloc, r->tensors))
    return NULL;
  weft_tensor_init(t, &r->alloc);
  return r->tensors.v[r->tensors.n++] = t;
}

// ---- names ----

const char *weft__name_make(weft_graph *g, const weft_map *names, const char *stem) {
  size_t bytes = strlen(stem);
  size_t n;
  char *name = weft__arena_alloc(&g->root->arena, bytes + 12, 1);
  if (!name)
    return NULL;
  memcpy(name, stem, bytes);
  name[bytes++] = '_';
  do {
    n = bytes + weft__put_u32(name + bytes, g->name_count++);
    name[n] = 0;
  } while (weft__map_find(names, name, n));
  return name;
}

static void write_place(const weft_value *v, char *buf, size_t cap) {
  size_t n = 0;
  if (v->node) {
    weft__append(buf, cap, &n, "output %u of node '%s' (%s)", v->index, weft__node_name(v->node),
                 weft__node_type(v->node));
  } else
    weft__append(buf, cap, &n, "%s %u", v->origin == WEFT_VALUE_CONST ? "constant" : "graph input", v->index);
}

static weft_status check_key_free(const weft_graph *g, const char *what, const weft_key *k, weft_diag *d) {
  char place[512];
  const weft_value *v = weft__map_find_key(&g->value_names, k);
  if (!v)
    return WEFT_OK;
  write_place(v, place, sizeof place);
  return weft_fail(d, WEFT_E_DUPLICATE, "graph '%s': %s cannot have the name '%s': it is that of %s already",
                   g->name, what, k->text, place);
}

static weft_status check_free(const weft_graph *g, const char *what, const char *name, weft_diag *d) {
  const weft_key k = weft__key(name);
  return check_key_free(g, what, &k, d);
}

weft_status weft__value_rename(weft_value *v, const char *name, weft_diag *d) {
  weft_graph *g = v->graph;
  char place[512];
  if (!g)
    return weft_fail(d, WEFT_E_STATE, "value '%s' was removed and cannot be named '%s'", v->name, name);
  if (!strcmp(v->name, name))
    return WEFT_OK;
  weft_key key = weft__key(name);
  if (!*name || weft__map_find_key(&g->value_names, &key)) {
    write_place(v, place, sizeof place);
    if (!*name)
      return weft_fail(d, WEFT_E_INVALID, "graph '%s': %s needs a name, got none", g->name, place);
    return check_free(g, place, name, d);
  }
  key.text = weft__arena_strdup(&g->root->arena, name, key.bytes);
  if (!key.text || weft__map_rekey_at(&g->value_names, v->named, v->name, &key))
    return graph_no_memory(d, g);
  v->name = key.text;
  v->named = weft__map_newest(&g->value_names);
  return WEFT_OK;
}

// ---- inputs, constants, outputs ----

void weft__value_init(weft_value *v, weft_graph *g, int origin, const char *name) {
  memset(v, 0, sizeof *v);
  v->graph = g;
  v->name = name;
  v->origin = (uint8_t)origin;
  v->fact = weft__fact_none();
}

// A named value that no list has yet. What can fail is done here; `list_at` is where its list will have it.
static weft_value *add_value(weft_graph *g, int origin, const char *name, size_t list_at, weft_diag *d) {
  bool is_input = origin == WEFT_VALUE_INPUT;
  uint32_t names_before = g->name_count;
  weft_arena *a = &g->root->arena;
  if (list_at >= UINT32_MAX || g->root->n_value_ids == UINT32_MAX) {
    (void)weft_fail(d, WEFT_E_LIMIT, "graph '%s': more than %u values", g->name, UINT32_MAX);
    return NULL;
  }
  bool given = name && *name;
  weft_key key = {0};
  if (given) {
    key = weft__key(name);
    if (check_key_free(g, is_input ? "a graph input" : "a constant", &key, d))
      return NULL;
    key.text = weft__arena_strdup(a, name, key.bytes);
  } else if ((name = weft__name_make(g, &g->value_names, is_input ? "input" : "const")))
    key = weft__key(name);
  weft_value *v = key.text ? WEFT_NEW(a, weft_value) : NULL;
  if (!v || weft__map_put(&g->value_names, &key, v)) {
    g->name_count = names_before;
    (void)graph_no_memory(d, g);
    return NULL;
  }
  weft__value_init(v, g, origin, key.text);
  v->named = weft__map_newest(&g->value_names);
  v->index = (uint32_t)list_at;
  v->id = g->root->n_value_ids++;
  return v;
}

weft_value *weft_graph_input_desc(weft_graph *g, const char *name, const weft_tensor_desc *desc,
                                  weft_diag *d) {
  if (!g && weft__null_argument(d, __func__, "g"))
    return NULL;
  if (!desc && weft__null_argument(d, __func__, "desc"))
    return NULL;
  char place[512];
  size_t n = 0;
  if (weft__desc_check(desc, "weft_graph_input_desc", d))
    return NULL;
  if (!name || !*name)
    name = desc->name;
  weft__append(place, sizeof place, &n, "graph '%s': input '%s'", g->name, name ? name : "");
  weft_declared *said;
  if (weft__declared_make(g, place, desc, &said, d))
    return NULL;
  if (!said->fact.set)
    said->fact.set = said->fact.unknown_rank = true;
  if (!WEFT_VEC_ROOM(&g->root->alloc, g->inputs)) {
    (void)graph_no_memory(d, g);
    return NULL;
  }
  weft_value *v = add_value(g, WEFT_VALUE_INPUT, name, g->inputs.n, d);
  if (!v)
    return NULL;
  v->fact = said->fact;
  if (said->storage || said->placement)
    v->declared = said;
  return g->inputs.v[g->inputs.n++] = v;
}

// A named dim that became known is known in every input that has it.
static weft_status bind_symbol(weft_graph *g, weft_dim symbol, weft_dim is, weft_diag *d) {
  for (size_t k = 0; k < g->inputs.n; k++) {
    weft_fact *f = &g->inputs.v[k]->fact;
    for (uint32_t i = 0; weft__fact_ranked(f) && i < f->rank; i++) {
      if (f->dims[i] != symbol)
        continue;
      weft_dim *dims = weft__arena_array(&g->root->arena, f->rank, sizeof *dims, _Alignof(weft_dim));
      WEFT_TRY(weft__allocated(dims, d));
      memcpy(dims, f->dims, f->rank * sizeof *dims);
      dims[i] = is;
      f->dims = dims;
    }
  }
  return WEFT_OK;
}

weft_status weft_graph_input_reshape(weft_value *v, const weft_tensor_desc *desc, weft_diag *d) {
  WEFT_NEED(d, v);
  WEFT_NEED(d, desc);
  WEFT_TRY(weft__desc_check(desc, "weft_graph_input_reshape", d));
  char place[512];
  size_t n = 0;
  if (!v->graph || v->origin != WEFT_VALUE_INPUT)
    return weft_fail(d, WEFT_E_STATE, "value '%s' is not a graph input", v->name);
  weft__append(place, sizeof place, &n, "graph '%s': input '%s'", v->graph->name, v->name);
  weft_declared *said;
  WEFT_TRY(weft__declared_make(v->graph, place, desc, &said, d));
  const weft_fact *f = &v->fact;
  const weft_fact *by = &said->fact;
  bool fits = !weft__fact_ranked(by) || f->unknown_rank || f->rank == by->rank;
  for (uint32_t i = 0; fits && weft__fact_ranked(by) && !f->unknown_rank && i < f->rank; i++)
    fits = f->dims[i] < 0 || by->dims[i] == f->dims[i];
  if (!fits) {
    char a[256];
    char b[256];
    weft_shape x;
    weft_shape y;
    weft__fact_shape(f, &x);
    weft__fact_shape(by, &y);
    const weft_symbols *p = v->graph->root->symbols;
    return weft_fail(d, WEFT_E_SHAPE, "%s: the graph fixes shape %s, which cannot become %s", place,
                     weft_shape_text(&x, p, a, sizeof a), weft_shape_text(&y, p, b, sizeof b));
  }
  weft_fact old = *f;
  v->fact = *by;
  weft__graph_changed(v->graph);
  for (uint32_t i = 0; weft__fact_ranked(&old) && weft__fact_ranked(by) && i < old.rank; i++) {
    if (weft_dim_is_symbol(old.dims[i]) && by->dims[i] >= 0)
      WEFT_TRY(bind_symbol(v->graph, old.dims[i], by->dims[i], d));
  }
  return WEFT_OK;
}

weft_value *weft_graph_input(weft_graph *g, const char *name, weft_dtype t, const weft_dim *dims, size_t rank,
                             weft_diag *d) {
  if (!g && weft__null_argument(d, __func__, "g"))
    return NULL;
  if (rank && rank <= WEFT_MAX_RANK && !dims && weft__null_argument(d, __func__, "dims"))
    return NULL;
  weft_tensor_desc desc;
  weft_desc_init(&desc);
  desc.dtype = t;
  desc.name = NULL;
  if (rank == WEFT_RANK_UNSET) {
    weft_shape_set_unknown_rank(&desc.layout.origin);
  } else if (weft_shape_init(&desc.layout.origin, dims, rank)) {
    (void)weft_fail(d, WEFT_E_LIMIT, "graph '%s': input '%s': rank %zu is over the limit of %d", g->name,
                    name ? name : "", rank, WEFT_MAX_RANK);
    return NULL;
  }
  weft_shape_copy(&desc.layout.storage, &desc.layout.origin);
  return weft_graph_input_desc(g, name, &desc, d);
}

static bool has_data(const weft_tensor *t) {
  return t->data || weft__kind_has_items(t->kind) || weft_tensor_elems(t) == 0;
}

weft_value *weft_graph_const(weft_graph *g, const char *name, const weft_tensor *t, int how, weft_diag *d) {
  if (!g && weft__null_argument(d, __func__, "g"))
    return NULL;
  if (!t && weft__null_argument(d, __func__, "t"))
    return NULL;
  weft_root *r = g->root;
  const char *shown = name ? name : "";
  if (!has_data(t) && !(how == WEFT_CONST_BORROW && weft__is_remade(g, t))) {
    (void)weft_fail(d, WEFT_E_INVALID, "graph '%s': constant '%s': the tensor has no data", g->name, shown);
    return NULL;
  }
  if (!WEFT_VEC_ROOM(&r->alloc, g->consts)) {
    (void)graph_no_memory(d, g);
    return NULL;
  }
  if (how != WEFT_CONST_BORROW && name && *name && check_free(g, "a constant", name, d))
    return NULL;  // before the data are copied
  const weft_tensor *kept = t;
  if (how != WEFT_CONST_BORROW) {
    weft_tensor *copy = weft__graph_tensor(g);
    if (!copy) {
      (void)graph_no_memory(d, g);
      return NULL;
    }
    if (weft_tensor_copy(copy, t, d)) {
      weft_note(d, "in constant '%s' of graph '%s'", shown, g->name);
      weft_tensor_deinit(r->tensors.v[--r->tensors.n]);
      return NULL;
    }
    kept = copy;
  }
  weft_value *v = add_value(g, WEFT_VALUE_CONST, name, g->consts.n, d);
  if (!v) {
    if (how != WEFT_CONST_BORROW)
      weft_tensor_deinit(r->tensors.v[--r->tensors.n]);
    return NULL;
  }
  v->fact = weft__fact_of_tensor(kept);
  v->fact.value = kept;
  return g->consts.v[g->consts.n++] = v;
}

weft_status weft__const_remove(weft_value *v, weft_diag *d) {
  weft_graph *g = v->graph;
  if (!g || v->origin != WEFT_VALUE_CONST)
    return weft_fail(d, WEFT_E_INVALID, "value '%s' is not a constant of a graph", v->name);
  if (weft__value_read(v)) {
    return weft_fail(d, WEFT_E_STATE, "graph '%s': constant '%s' still has %u uses and is an output %u times",
                     g->name, v->name, v->n_uses, v->n_outputs);
  }
  for (size_t i = v->index; i + 1 < g->consts.n; i++) {
    g->consts.v[i] = g->consts.v[i + 1];
    g->consts.v[i]->index = (uint32_t)i;
  }
  g->consts.n--;
  weft__map_remove_at(&g->value_names, v->named, v->name);
  v->graph = NULL;
  return WEFT_OK;
}

weft_status weft_graph_output(weft_graph *g, weft_value *v, weft_diag *d) {
  WEFT_NEED(d, g);
  WEFT_NEED(d, v);
  if (!v)
    return weft_fail(d, WEFT_E_INVALID, "graph '%s': output %zu: no value is given", g->name, g->outputs.n);
  if (v->graph != g) {
    return weft_fail(d, v->graph ? WEFT_E_INVALID : WEFT_E_STATE, "graph '%s': output %zu: value '%s' %s%s%s",
                     g->name, g->outputs.n, v->name, v->graph ? "belongs to graph '" : "was removed",
                     v->graph ? v->graph->name : "", v->graph ? "'" : "");
  }
  if (v->n_outputs == UINT32_MAX)
    return weft_fail(d, WEFT_E_LIMIT, "graph '%s': too many outputs", g->name);
  if (!WEFT_VEC_ROOM(&g->root->alloc, g->outputs))
    return graph_no_memory(d, g);
  g->outputs.v[g->outputs.n++] = v;
  weft__graph_changed(g);
  v->n_outputs++;
  return WEFT_OK;
}

// ---- reading ----

weft_env *weft_graph_env(const weft_graph *g) {
  if (!g)
    return NULL;
  return g->root->env;
}
const char *weft_graph_name(const weft_graph *g) {
  if (!g)
    return "";
  return g->name;
}
weft_symbols *weft_graph_symbols(const weft_graph *g) {
  if (!g)
    return NULL;
  return g->root->symbols;
}
size_t weft_graph_n_nodes(const weft_graph *g) {
  if (!g)
    return 0;
  return g->n_nodes;
}
weft_node *weft_graph_first(const weft_graph *g) {
  if (!g)
    return NULL;
  return g->first;
}
size_t weft_graph_n_inputs(const weft_graph *g) {
  if (!g)
    return 0;
  return weft__states_form(g).n_in;
}
size_t weft_graph_n_outputs(const weft_graph *g) {
  if (!g)
    return 0;
  return weft__states_form(g).n_out;
}
size_t weft_graph_n_consts(const weft_graph *g) {
  if (!g)
    return 0;
  return g->consts.n;
}

weft_value *weft_graph_input_at(const weft_graph *g, size_t i) {
  if (!g)
    return NULL;
  return i < weft_graph_n_inputs(g) ? g->inputs.v[i] : NULL;
}

weft_value *weft_graph_output_at(const weft_graph *g, size_t i) {
  if (!g)
    return NULL;
  return i < weft_graph_n_outputs(g) ? g->outputs.v[i] : NULL;
}

static int find_named(weft_value *const *v, size_t n, const char *name) {
  for (size_t i = 0; name && i < n; i++) {
    if (!strcmp(v[i]->name, name))
      return (int)i;
  }
  return -1;
}
int weft_graph_find_input(const weft_graph *g, const char *name) {
  return g ? find_named(g->inputs.v, weft_graph_n_inputs(g), name) : -1;
}
int weft_graph_find_output(const weft_graph *g, const char *name) {
  return g ? find_named(g->outputs.v, weft_graph_n_outputs(g), name) : -1;
}

weft_value *weft_graph_const_at(const weft_graph *g, size_t i) {
  if (!g)
    return NULL;
  return i < g->consts.n ? g->consts.v[i] : NULL;
}

weft_node *weft_graph_find_node(const weft_graph *g, const char *name) {
  if (!g || !name)
    return NULL;
  return weft__map_find(&g->node_names, name, strlen(name));
}

weft_value *weft_graph_find_value(const weft_graph *g, const char *name) {
  if (!g || !name)
    return NULL;
  return weft__map_find(&g->value_names, name, strlen(name));
}
// SPDX-License-Identifier: Apache-2.0
