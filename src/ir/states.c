// states.c - states in a graph: built as nodes (Variable, and whatever assigns), and made inputs and outputs
// before a graph is compiled. Nodes are taken in their order; `now` of a state is the value that its next
// reader gets. Cost: one walk over the nodes.
#include "ir/states.h"
#include "base/allocated.h"
#include "weft/state.h"

typedef struct state_slot {
  weft_node *variable;
  weft_value *input;  // of the functional form
  weft_value *now;
} state_slot;

typedef struct states_lowering {
  weft_graph *g;
  size_t n;
  state_slot *slot;
  uint32_t *alias;  // by value id: 1 + the state whose buffer it is; 0: none
  size_t n_ids;     // of `alias`
  char text[512];
  weft_diag *d;
} states_lowering;

static bool states_is_variable(const weft_node *n) {
  return !strcmp(weft__node_type(n), "Variable");
}

// Importers give the name apart from the node's.
static const char *states_name(const weft_node *n) {
  const weft_attr *a = weft_node_attr(n, "shared_name");
  return a && a->type == WEFT_VT_STRING && *a->u.s ? a->u.s : weft__node_name(n);
}

int weft__ref_port(const weft_proto *p, uint32_t out_port) {
  const weft_port *out = &p->out[out_port];
  if (out->ref)
    return out->ref - 1;
  for (uint32_t i = 0; i < p->n_in; i++) {
    if (!strcmp(p->in[i].name, out->name))
      return (int)i;
  }
  return -1;
}

// ---- building ----
weft_value *weft_graph_state(weft_graph *g, const char *name, const weft_tensor *init, int how,
                             weft_diag *d) {
  char text[512];
  weft_node *n;
  if (!g && weft__null_argument(d, __func__, "g"))
    return NULL;
  if (!name && weft__null_argument(d, __func__, "name"))
    return NULL;
  if (g->parent) {
    weft_fail(d, WEFT_E_UNSUPPORTED, "state '%.200s': graph '%s' is a sub-graph; states belong to the root",
              name, g->name);
    return NULL;
  }
  snprintf(text, sizeof text, "%.400s.init", name);
  weft_value *first = weft_graph_const(g, text, init, how, d);
  if (!first)
    return NULL;
  const weft_use use = {.name = name};
  if (weft_graph_add(g, "Variable", &use, &first, 1, &n, d))
    return NULL;
  return &n->out[0];
}

weft_status weft_graph_state_set(weft_graph *g, weft_value *state, weft_value *v, weft_diag *d) {
  WEFT_NEED(d, g);
  WEFT_NEED(d, state);
  WEFT_NEED(d, v);
  weft_node *n;
  if (!state->node || !states_is_variable(state->node))
    return weft_fail(d, WEFT_E_INVALID, "value '%s' is no state: weft_graph_state makes one", state->name);
  weft_value *in[] = {state, v};
  return weft_graph_add(g, "Assign", NULL, in, 2, &n, d);
}

// ---- the functional form ----
static weft_status states_find(states_lowering *l) {
  weft_arena *a = &l->g->root->arena;
  for (weft_node *n = l->g->first; n; n = weft__node_after(n))
    l->n += states_is_variable(n);
  if (!l->n)
    return WEFT_OK;
  l->slot = WEFT_NEW_N(a, state_slot, l->n);
  l->n_ids = (size_t)l->g->root->n_value_ids + 4 * (size_t)l->g->n_nodes;  // and those of siblings
  l->alias = WEFT_NEW_N(a, uint32_t, l->n_ids + 1);
  WEFT_TRY(weft__allocated(l->slot && l->alias, l->d));
  size_t i = 0;
  for (weft_node *n = l->g->first; n; n = n->next) {
    if (!states_is_variable(n))
      continue;
    l->slot[i].variable = n;
    l->alias[n->out[0].id] = (uint32_t)++i;
  }
  return WEFT_OK;
}

static weft_status states_input(states_lowering *l, state_slot *s) {
  const weft_value *first = s->variable->in[0].value;
  const char *name = states_name(s->variable);
  char text[512];
  weft_tensor_desc desc;
  if (!first || first->origin != WEFT_VALUE_CONST) {
    return weft_fail(l->d, WEFT_E_UNSUPPORTED, "state '%s': what it begins with is '%s', expected a constant",
                     name, first ? first->name : "not connected");
  }
  weft_value_desc(first, &desc);
  desc.format = desc.origin_format;
  snprintf(text, sizeof text, "%.400s.state", name);
  s->input = weft_graph_input_desc(l->g, text, &desc, l->d);
  if (!s->input)
    return l->d->status;
  s->now = s->input;
  return WEFT_OK;
}

// ---- operators that change more than they give ----
static weft_status states_retype(states_lowering *l, const char *type, weft_node **at) {
  weft_node *n = *at;
  weft_arena *a = &l->g->root->arena;
  size_t n_attrs = weft_node_n_attrs(n);
  weft_named_attr *attrs = WEFT_NEW_N(a, weft_named_attr, n_attrs + 1);
  weft_value **in = WEFT_NEW_N(a, weft_value *, (size_t)n->desc.pub.n_in + 1);
  weft_node *made;
  WEFT_TRY(weft__allocated(attrs && in, l->d));
  for (size_t i = 0; i < n_attrs; i++)
    attrs[i].value = *weft_node_attr_at(n, i, &attrs[i].name);
  for (uint32_t i = 0; i < n->desc.pub.n_in; i++)
    in[i] = n->in[i].value;
  const weft_use use = {.attrs = attrs, .n_attrs = n_attrs};
  WEFT_TRY(weft_graph_add(l->g, type, &use, in, n->desc.pub.n_in, &made, l->d));
  made->origin = n->origin;
  weft__node_place(made, n);
  for (size_t i = 0; i < weft_node_n_controls(n); i++)
    WEFT_TRY(weft_graph_add_control(l->g, weft_node_control_at(n, i), made, l->d));
  for (uint32_t i = 0; i < n->desc.pub.n_out; i++) {
    const char *name = n->out[i].name;
    WEFT_TRY(weft_value_replace(&n->out[i], &made->out[i], l->d));
    snprintf(l->text, sizeof l->text, "%.400s.less", name);
    WEFT_TRY(weft__value_rename(&n->out[i], l->text, l->d));
    WEFT_TRY(weft__value_rename(&made->out[i], name, l->d));
  }
  *at = made;
  return weft_node_remove(n, l->d);
}

static weft_value *states_at_port(const weft_node *n, int port) {
  const weft_port_span *span = &n->desc.pub.in_port[port];
  return span->count ? n->in[span->start].value : NULL;
}

static uint32_t states_alias(const states_lowering *l, const weft_value *v) {
  return v && v->id < l->n_ids ? l->alias[v->id] : 0;
}

// ApplyMomentum gives its first parameter only and changes the others where they lie. Its sibling with a D
// behind the name gives all of them, and takes its place where one of those is a state.
static weft_status states_whole(states_lowering *l, weft_node **at) {
  const weft_node *n = *at;
  const weft_proto *p = n->desc.proto;
  char type[128];
  snprintf(type, sizeof type, "%.120sD", weft__node_type(n));
  const weft_proto *all =
      strncmp(type, "Apply", 5) && strncmp(type, "SparseApply", 11) ? NULL : weft_find(l->g->root->env, type);
  if (!all || all->n_in != p->n_in || all->n_out <= p->n_out)
    return WEFT_OK;
  bool hidden = false;
  for (uint32_t i = p->n_out; i < all->n_out; i++) {
    int in = weft__ref_port(all, i);
    if (in >= 0 && !strcmp(all->in[in].name, p->in[in].name))
      hidden |= states_alias(l, states_at_port(n, in)) != 0;
  }
  return hidden ? states_retype(l, type, at) : WEFT_OK;
}

// An optimiser that has no such sibling would leave such a parameter as it was.
static weft_status states_hidden(const states_lowering *l, const weft_node *n) {
  static const char *const kept[] = {
      "accum", "m", "v", "ms", "mom", "mg", "linear", "rms", "vhat", "gradient_accumulator", "accum_update"};
  const weft_proto *p = n->desc.proto;
  if (strncmp(p->name, "Apply", 5) && strncmp(p->name, "SparseApply", 11))
    return WEFT_OK;
  for (uint32_t i = 0; i < p->n_in; i++) {
    bool is_kept = false;
    bool given = false;
    for (size_t k = 0; k < WEFT_COUNT(kept); k++)
      is_kept |= !strcmp(p->in[i].name, kept[k]);
    for (uint32_t k = 0; k < p->n_out; k++)
      given |= weft__ref_port(p, k) == (int)i;
    uint32_t s = is_kept && !given ? states_alias(l, states_at_port(n, (int)i)) : 0;
    if (s) {
      return weft_fail(l->d, WEFT_E_UNSUPPORTED,
                       "node '%s' (%s) changes its input '%s' (state '%s') and does not give it as an output",
                       weft__node_name(n), weft__node_type(n), p->in[i].name,
                       states_name(l->slot[s - 1].variable));
    }
  }
  return WEFT_OK;
}

// ---- sub-graphs ----
// A body that assigns to what it is given would change a copy.
static weft_status states_in_bodies(const states_lowering *l, const weft_graph *g) {
  for (const weft_node *n = g->first; n; n = n->next) {
    const weft_proto *p = n->desc.proto;
    bool variable = states_is_variable(n);
    for (uint32_t i = 0; i < p->n_out && !variable; i++) {
      int in = weft__ref_port(p, i);
      const weft_value *v = in < 0 ? NULL : states_at_port(n, in);
      variable |= v && v->origin == WEFT_VALUE_INPUT;
    }
    if (variable) {
      return weft_fail(l->d, WEFT_E_UNSUPPORTED,
                       "node '%s' (%s) of sub-graph '%s' reads or assigns a state: give the new value as an "
                       "output of the sub-graph, and assign it outside",
                       weft__node_name(n), weft__node_type(n), g->name);
    }
    for (uint32_t i = 0; i < n->n_graphs; i++)
      WEFT_TRY(states_in_bodies(l, n->graphs[i]));
  }
  return WEFT_OK;
}

// ---- in order ----
static weft_status states_node(states_lowering *l, weft_node *n) {
  bool any = false;
  for (uint32_t i = 0; i < n->desc.pub.n_in; i++)
    any |= states_alias(l, n->in[i].value) != 0;
  for (uint32_t i = 0; any && i < n->n_graphs; i++)
    WEFT_TRY(states_in_bodies(l, n->graphs[i]));
  if (!any)
    return WEFT_OK;
  WEFT_TRY(states_whole(l, &n));
  WEFT_TRY(states_hidden(l, n));
  const weft_proto *p = n->desc.proto;
  for (uint32_t i = 0; i < p->n_out; i++) {
    int in = weft__ref_port(p, i);
    uint32_t s = in < 0 ? 0 : states_alias(l, states_at_port(n, in));
    const weft_value *out = n->desc.pub.out_port[i].count ? &n->out[n->desc.pub.out_port[i].start] : NULL;
    if (s && out && out->id < l->n_ids)
      l->alias[out->id] = s;
  }
  for (uint32_t i = 0; i < n->desc.pub.n_in; i++) {
    const weft_value *v = n->in[i].value;
    uint32_t s = states_alias(l, v);
    if (s && v->node == l->slot[s - 1].variable)
      WEFT_TRY(weft_node_set_in(n, i, l->slot[s - 1].now, l->d));
  }
  for (uint32_t i = 0; i < n->desc.pub.n_out; i++) {
    uint32_t s = states_alias(l, &n->out[i]);
    if (s)
      l->slot[s - 1].now = &n->out[i];
  }
  return WEFT_OK;
}

static weft_status states_walk(states_lowering *l) {
  weft_node *next;
  for (weft_node *n = l->g->first; n; n = next) {
    next = n->next;
    if (!states_is_variable(n))
      WEFT_TRY(states_node(l, n));
  }
  return WEFT_OK;
}

// ---- at the end ----
static weft_status states_rename(states_lowering *l, state_slot *s, weft_value *first) {
  const char *name = states_name(s->variable);
  snprintf(l->text, sizeof l->text, "%.400s", name);
  if (!strcmp(first->name, name)) {
    char init[512];
    snprintf(init, sizeof init, "%.400s.init", name);
    WEFT_TRY(weft__value_rename(first, init, l->d));
  }
  WEFT_TRY(weft_node_remove(s->variable, l->d));
  return weft__value_rename(s->input, l->text, l->d);
}

// An output of the graph keeps the name that the Variable's value had, whoever assigned it last.
static weft_status states_keep_name(states_lowering *l, const state_slot *s) {
  weft_graph *g = l->g;
  weft_value *y = &s->variable->out[0];
  weft_value *now = s->now;
  char name[512];
  weft_node *n;
  if (!y->n_outputs)
    return WEFT_OK;
  WEFT_TRY(weft_graph_add(g, "Identity", NULL, &now, 1, &n, l->d));
  for (size_t i = 0; i < g->outputs.n; i++) {
    if (g->outputs.v[i] != y)
      continue;
    g->outputs.v[i] = &n->out[0];
    y->n_outputs--;
    n->out[0].n_outputs++;
  }
  snprintf(name, sizeof name, "%.400s", y->name);
  snprintf(l->text, sizeof l->text, "%.400s.variable", name);
  WEFT_TRY(weft__value_rename(y, l->text, l->d));
  return weft__value_rename(&n->out[0], name, l->d);
}

static weft_status states_end(states_lowering *l) {
  weft_graph *g = l->g;
  weft_value **first = WEFT_NEW_N(&g->root->arena, weft_value *, l->n);
  WEFT_TRY(weft__allocated(first, l->d));
  for (size_t i = 0; i < l->n; i++) {
    state_slot *s = &l->slot[i];
    first[i] = s->variable->in[0].value;
    WEFT_TRY(states_keep_name(l, s));
    WEFT_TRY(weft_value_replace(&s->variable->out[0], s->now, l->d));
    WEFT_TRY(states_rename(l, s, first[i]));
  }
  for (size_t i = 0; i < l->n; i++)
    WEFT_TRY(weft_graph_output(g, l->slot[i].now, l->d));
  for (size_t i = 0; i < l->n; i++)
    WEFT_TRY(weft_graph_output(g, first[i], l->d));
  snprintf(l->text, sizeof l->text, "%zu", l->n);
  return weft_graph_set_meta(g, WEFT__STATES_META, l->text, l->d);
}

weft_status weft_graph_states_out(weft_graph *g, weft_diag *d) {
  WEFT_NEED(d, g);
  weft_diag own = {0};
  states_lowering l = {.g = g, .d = d ? d : &own};
  if (g->parent)
    return weft_fail(d, WEFT_E_INVALID, "graph '%s' is a sub-graph: states belong to the root", g->name);
  WEFT_TRY(states_find(&l));
  if (!l.n)
    return WEFT_OK;
  if (weft__states_form(g).n) {
    return weft_fail(d, WEFT_E_STATE,
                     "graph '%s' is in the functional form already, and has another Variable '%s'", g->name,
                     states_name(l.slot[0].variable));
  }
  WEFT_TRY(weft_graph_sort(g, l.d));
  for (size_t i = 0; i < l.n; i++)
    WEFT_TRY(states_input(&l, &l.slot[i]));
  WEFT_TRY(states_walk(&l));
  WEFT_TRY(states_end(&l));
  return weft_graph_sort(g, l.d);
}

// ---- reading ----
// Does `v` fit the state `in`? What is not known yet is checked when it is run.
static weft_status states_same(const weft_value *in, const weft_value *v, const char *what, weft_diag *d) {
  weft_shape a;
  weft_shape b;
  char text[2][256];
  if (!v->fact.set)
    return WEFT_OK;
  weft__fact_shape(&in->fact, &a);
  weft__fact_shape(&v->fact, &b);
  bool same = in->fact.dtype == v->fact.dtype && v->fact.kind == WEFT_KIND_TENSOR;
  if (same && weft__fact_ranked(&v->fact)) {
    same = a.rank == b.rank;
    for (size_t i = 0; same && i < a.rank; i++)
      same = b.dim[i] < 0 || a.dim[i] == b.dim[i];
  }
  if (same)
    return WEFT_OK;
  return weft_fail(d, in->fact.dtype == v->fact.dtype ? WEFT_E_SHAPE : WEFT_E_DTYPE,
                   "state '%s' is %s%s, %s '%s', which is %s%s", in->name, weft_dtype_name(in->fact.dtype),
                   weft_shape_text(&a, NULL, text[0], sizeof text[0]), what, v->name,
                   weft_dtype_name(v->fact.dtype),
                   weft_shape_text(&b, v->graph->root->symbols, text[1], sizeof text[1]));
}

weft__state_form weft__states_form(const weft_graph *g) {
  weft__state_form f = {0, g->inputs.n, g->outputs.n};
  const char *text = g->parent || !g->meta.n ? NULL : weft_graph_find_meta(g, WEFT__STATES_META);
  size_t n = 0;
  for (; text && *text >= '0' && *text <= '9' && n <= f.n_in; text++)
    n = n * 10 + (size_t)(*text - '0');
  if (!text || *text || n > f.n_in || n > f.n_out / 2)
    return f;
  return (weft__state_form){n, f.n_in - n, f.n_out - 2 * n};
}

weft_status weft__states_check(const weft_graph *g, weft__state_form *out, weft_diag *d) {
  *out = weft__states_form(g);
  const char *text = weft_graph_find_meta(g, WEFT__STATES_META);
  if (text && !out->n && strcmp(text, "0")) {
    return weft_fail(d, WEFT_E_CORRUPT,
                     "the graph's note '%s' says '%.20s' states; it has %zu inputs and %zu outputs",
                     WEFT__STATES_META, text, g->inputs.n, g->outputs.n);
  }
  for (size_t i = 0; i < out->n; i++) {
    const weft_value *in = g->inputs.v[out->n_in + i];
    const weft_value *now = g->outputs.v[out->n_out + i];
    const weft_value *first = weft__state_first(g, out, i);
    if (!first || first->fact.kind != WEFT_KIND_TENSOR)
      return weft_fail(d, WEFT_E_CORRUPT, "state '%s': what it begins with is no constant", in->name);
    WEFT_TRY(states_same(in, first, "what it begins with is", d));
    WEFT_TRY(states_same(in, now, "it is assigned", d));
  }
  return WEFT_OK;
}

// ---- for programs without states ----
// The initial values are outputs no longer, and the note says 0.
static weft_status states_forget(weft_graph *g, const weft__state_form *f, weft_diag *d) {
  for (size_t i = 0; i < f->n; i++) {
    g->outputs.v[f->n_out + f->n + i]->n_outputs--;
  }
  g->outputs.n = f->n_out + f->n;
  weft__graph_changed(g);
  return weft_graph_set_meta(g, WEFT__STATES_META, "0", d);
}

// NAME.new, where nothing else has that name: an output has one name, and a value may be several outputs.
static weft_status states_name_output(weft_graph *g, size_t i, const char *name, weft_diag *d) {
  char text[512];
  weft_value *v = g->outputs.v[i];
  weft_node *n;
  snprintf(text, sizeof text, "%.400s.new", name);
  if (weft__map_find(&g->value_names, text, strlen(text)))
    return WEFT_OK;
  if (v->n_outputs == 1 && v->node)
    return weft__value_rename(v, text, d);
  WEFT_TRY(weft_graph_add(g, "Identity", NULL, &v, 1, &n, d));
  v->n_outputs--;
  g->outputs.v[i] = &n->out[0];
  n->out[0].n_outputs++;
  return weft__value_rename(&n->out[0], text, d);
}

weft_status weft_graph_states_plain(weft_graph *g, weft_diag *d) {
  WEFT_NEED(d, g);
  WEFT_TRY(weft_graph_states_out(g, d));
  weft__state_form f = weft__states_form(g);
  for (size_t i = 0; i < f.n; i++) {
    const weft_value *in = g->inputs.v[f.n_in + i];
    char key[512];
    snprintf(key, sizeof key, "weft.state.%.400s", in->name);
    WEFT_TRY(weft_graph_set_meta(g, key, weft__state_first(g, &f, i)->name, d));
    WEFT_TRY(states_name_output(g, f.n_out + i, in->name, d));
  }
  return f.n ? states_forget(g, &f, d) : WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
