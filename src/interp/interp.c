// interp.c - runs a graph node by node with reference kernels. Tensors live from their producer to their last
// reader. Each node is inferred again with the actual shapes and values, which must not contradict what the
// graph says.
#include "base/told.h"
#include "base/allocated.h"
#include "infer/walk.h"
#include "ir/states.h"
#include "tensor/tensor.h"
#include "interp/interp.h"

typedef struct slot {  // one per value id
  weft_tensor tensor;
  const weft_tensor *view;  // where the data are: &tensor, an input or a constant
  uint32_t readers;         // left
  bool live;                // tensor is initialised
} slot;

// One run of one graph.
typedef struct interp_call {
  weft_graph *g;
  const weft_interp_options *o;
  weft__budget *budget;  // of the outermost run: tensors are its memory
  const weft_tensor *const *in;
  size_t n_in;
  weft_tensor *out;  // the caller's afterwards
  size_t n_out;
} interp_call;

typedef struct interp {
  weft_graph *g;
  weft_env *env;
  weft_interp_options o;
  slot *slots;
  weft_frame frame;
  weft_arena scratch;    // of one node
  weft__budget *budget;  // of the outermost run: tensors are its memory
  weft_diag *d;
} interp;

static void interp_release(interp *r, weft_value *v) {
  slot *s = &r->slots[v->id];
  if (s->readers)
    s->readers--;
  if (s->readers || !s->live)
    return;
  weft_tensor_deinit(&s->tensor);
  s->live = false;
  s->view = NULL;
}

// The node that runs now, for its sub-graphs.
typedef struct running {
  interp *r;
  weft_node *node;
} running;

static weft_status run_graph(const interp_call *c, weft_diag *d);

// Runs one sub-graph of the node at hand; out[i] are the caller's afterwards.
static weft_status call_graph(void *ctx, const weft_call *c, uint32_t graph, const weft_tensor *const *in,
                              weft_tensor *const *out) {
  const running *at = ctx;
  if (graph >= at->node->n_graphs) {
    return weft_fail(c->d, WEFT_E_MISSING, "the node has %u sub-graphs, the operator runs number %u",
                     at->node->n_graphs, graph);
  }
  weft_graph *g = at->node->graphs[graph];
  size_t n = g->outputs.n;
  weft_tensor *made = weft__alloc(&at->r->env->alloc, (n + 1) * sizeof *made, 16);
  WEFT_TRY(weft__allocated(made, c->d));
  const interp_call inner = {.g = g,
                             .o = &at->r->o,
                             .budget = at->r->budget,
                             .in = in,
                             .n_in = g->inputs.n,
                             .out = made,
                             .n_out = n};
  weft_status s = run_graph(&inner, c->d);
  for (size_t i = 0; i < n; i++) {
    if (!s && out[i])
      *out[i] = made[i];
    else
      weft_tensor_deinit(&made[i]);
  }
  weft__free(&at->r->env->alloc, made, (n + 1) * sizeof *made, 16);
  return s;
}

static weft_status run_node(interp *r, weft_node *n) {
  const weft_op_desc *desc = &n->desc.pub;
  WEFT_TRY(weft__budget_poll(r->budget, r->d));
  weft_fact *facts = WEFT_NEW_N(&r->scratch, weft_fact, desc->n_in + 1);
  const weft_fact **in = WEFT_NEW_N(&r->scratch, const weft_fact *, desc->n_in + 1);
  const weft_tensor **tensors = WEFT_NEW_N(&r->scratch, const weft_tensor *, desc->n_in + 1);
  weft_tensor **out = WEFT_NEW_N(&r->scratch, weft_tensor *, desc->n_out + 1);
  weft_fact *given = WEFT_NEW_N(&r->scratch, weft_fact, desc->n_out + 1);
  WEFT_TRY(weft__allocated(facts && in && tensors && out && given, r->d));
  for (uint32_t i = 0; i < desc->n_in; i++) {
    if (!n->in[i].value) {
      char name[128];
      return weft_fail(r->d, WEFT_E_MISSING, "node '%s' (%s): input '%s' is not connected",
                       weft__node_name(n), desc->type, weft__node_in_text(n, i, name, sizeof name));
    }
    tensors[i] = r->slots[n->in[i].value->id].view;
    if (!tensors[i])
      return weft_fail(r->d, WEFT_E_STATE, "value '%s' was not computed", n->in[i].value->name);
    facts[i] = weft__fact_of_tensor(tensors[i]);
    in[i] = &facts[i];
  }
  const weft_fact *result = given;
  if ((!n->desc.proto->op->infer || n->n_graphs) &&
      n->desc.proto->op->execute)  // sub-graphs are inferred as they run
    for (uint32_t i = 0; i < desc->n_out; i++)
      given[i] = n->out[i].fact;
  else {
    WEFT_TRY(weft__infer_node(&r->frame, n->desc.proto, desc, in, WEFT_STAGE_RUN, r->d));
    result = r->frame.facts;
  }
  for (uint32_t i = 0; i < desc->n_out; i++) {
    slot *s = &r->slots[n->out[i].id];
    weft_tensor_init(&s->tensor, &r->budget->self);
    s->live = true;
    s->view = out[i] = &s->tensor;
  }
  running at = {r, n};
  weft_call_options o = {.alloc = &r->budget->self,
                         .budget = r->budget,
                         .call_graph = n->n_graphs ? call_graph : NULL,
                         .ctx = &at};
  const weft__node_call call = {
      .proto = n->desc.proto, .desc = desc, .in = tensors, .facts = result, .out = out, .options = &o};
  WEFT_TRY(weft__call_node(r->env, &call, r->d));
  for (uint32_t i = 0; i < desc->n_out; i++) {
    weft_fact is = weft__fact_of_tensor(out[i]);
    WEFT_TRY(weft__check_value(&n->out[i], out[i], r->d));
    if (n->out[i].declared)
      WEFT_TRY(weft__declared_check(&n->out[i], &is, r->d));
    weft_status seen = r->o.watch ? r->o.watch(r->o.watch_ctx, &n->out[i], out[i]) : WEFT_OK;
    if (seen)
      return weft_fail(r->d, seen, "the watch function stopped the run at value '%s'", n->out[i].name);
  }
  for (uint32_t i = 0; i < desc->n_in; i++)
    interp_release(r, n->in[i].value);
  for (uint32_t i = 0; i < desc->n_out; i++) {
    if (!r->slots[n->out[i].id].readers)
      interp_release(r, &n->out[i]);
  }
  return WEFT_OK;
}

static weft_status interp_bind(interp *r, const interp_call *c) {
  weft_graph *g = r->g;
  WEFT_TRY(weft__check_inputs(g, c->in, c->n_in, r->d));
  if (c->n_out != g->outputs.n) {
    return weft_fail(r->d, WEFT_E_INVALID, "graph '%s' has %zu outputs, the caller expects %zu", g->name,
                     g->outputs.n, c->n_out);
  }
  for (size_t i = 0; i < c->n_in; i++)
    r->slots[g->inputs.v[i]->id].view = c->in[i];
  for (size_t i = 0; i < g->consts.n; i++)
    r->slots[g->consts.v[i]->id].view = g->consts.v[i]->fact.value;
  for (const weft_node *n = g->first; n; n = n->next) {
    for (uint32_t i = 0; i < n->desc.pub.n_out; i++) {
      if (!n->out[i].fact.set) {
        return weft_fail(r->d, WEFT_E_STATE, "value '%s' was not inferred: call weft_graph_infer first",
                         n->out[i].name);
      }
      r->slots[n->out[i].id].readers = n->out[i].n_uses + n->out[i].n_outputs;
    }
  }
  return WEFT_OK;
}

static weft_status interp_give_outputs(interp *r, weft_tensor *out) {
  for (size_t i = 0; i < r->g->outputs.n; i++) {
    weft_value *v = r->g->outputs.v[i];
    slot *s = &r->slots[v->id];
    if (!s->view)
      return weft_fail(r->d, WEFT_E_STATE, "output '%s' was not computed", v->name);
    if (s->live && s->readers == 1) {  // the last reader takes the tensor itself
      out[i] = s->tensor;
      s->live = false;
      s->readers = 0;
      s->view = NULL;
      continue;
    }
    WEFT_TRY(weft_tensor_copy(&out[i], s->view, r->d));
    if (s->live)
      s->readers--;
  }
  return WEFT_OK;
}

// Where memory was refused: that it is a limit, and what is in use as long as it is.
static weft_status interp_explain(interp *r, weft_status s) {
  weft__holders h = {0};
  s = weft__budget_explain(r->budget, s, r->d);
  if (s != WEFT_E_LIMIT || !weft__budget_is_short(r->budget))
    return s;
  for (const weft_node *n = r->g->first; n; n = n->next) {
    for (uint32_t i = 0; i < n->desc.pub.n_out; i++) {
      const slot *at = &r->slots[n->out[i].id];
      if (at->live)
        weft__holders_add(&h, n->out[i].name, weft__tensor_bytes_of_all(&at->tensor));
    }
  }
  weft__holders_note(&h, r->g->name, r->d);
  return s;
}

static weft_status interp_run(interp *r, const interp_call *c) {
  WEFT_TRY(interp_bind(r, c));
  for (weft_node *n = r->g->first; n; n = n->next) {
    weft_status s = run_node(r, n);
    weft__arena_deinit(&r->scratch);
    weft__arena_init(&r->scratch, &r->env->alloc);
    if (s) {
      weft__note_origin(n, r->d);
      return interp_explain(r, s);
    }
  }
  return interp_give_outputs(r, c->out);
}

static weft_status run_graph(const interp_call *c, weft_diag *d) {
  weft_graph *g = c->g;
  interp r = {.g = g, .env = g->root->env, .o = *c->o, .budget = c->budget, .d = d};
  for (size_t i = 0; i < c->n_out; i++)
    weft_tensor_init(&c->out[i], &c->budget->self);
  size_t bytes;
  size_t n = g->root->n_value_ids;
  WEFT_TRY(weft__remake_wake_all(g, r.d));
  if (!weft_mul_size(n + 1, sizeof(slot), &bytes))
    return weft_fail(d, WEFT_E_OVERFLOW, "%zu values", n);
  r.slots = weft__alloc(&r.env->alloc, bytes, 16);
  WEFT_TRY(weft__allocated(r.slots, d));
  memset(r.slots, 0, bytes);
  weft__arena_init(&r.scratch, &r.env->alloc);
  weft__frame_init(&r.frame, r.env, NULL);
  r.frame.alloc = c->budget->self;
  weft_status s = interp_run(&r, c);
  if (s)
    weft_note(r.d, "while running graph '%s'", g->name);
  for (size_t i = 0; i < n; i++) {
    if (r.slots[i].live)
      weft_tensor_deinit(&r.slots[i].tensor);
  }
  weft__arena_deinit(&r.scratch);
  weft__frame_deinit(&r.frame);
  weft__free(&r.env->alloc, r.slots, bytes, 16);
  return weft__told(s, d);
}

// A graph in the functional form of states is run with what they begin with; what they become is dropped.
static weft_status interp_states(const interp_call *c, weft_diag *d) {
  weft__state_form f;
  WEFT_TRY(weft__states_check(c->g, &f, d));
  for (const weft_node *n = c->g->first; n; n = n->next) {
    if (!strcmp(weft__node_type(n), "Variable")) {
      return weft_fail(d, WEFT_E_STATE,
                       "graph '%s' has states ('%s'): call weft_graph_states_out, and infer it again",
                       c->g->name, weft__node_name(n));
    }
  }
  if (!f.n || c->n_in != f.n_in || c->n_out != f.n_out)
    return run_graph(c, d);
  const weft_allocator *a = &c->g->root->env->alloc;
  const size_t n_in = c->g->inputs.n;
  const size_t n_out = c->g->outputs.n;
  const size_t bytes = n_in * sizeof(weft_tensor *) + n_out * sizeof(weft_tensor);
  weft_tensor *out = weft__alloc(a, bytes, 16);
  WEFT_TRY(weft__allocated(out, d));
  const weft_tensor **in = (const weft_tensor **)(void *)(out + n_out);
  for (size_t i = 0; i < n_in; i++)
    in[i] = i < f.n_in ? c->in[i] : weft_value_data(weft__state_first(c->g, &f, i - f.n_in));
  interp_call whole = *c;
  whole.in = in;
  whole.n_in = n_in;
  whole.out = out;
  whole.n_out = n_out;
  weft_status s = run_graph(&whole, d);
  for (size_t i = 0; i < n_out; i++) {
    if (i < f.n_out)
      c->out[i] = out[i];
    else
      weft_tensor_deinit(&out[i]);
  }
  weft__free(a, out, bytes, 16);
  return s;
}

weft_status weft__interp_within(weft_graph *g, weft__budget *budget, const weft_tensor *const *in,
                                size_t n_in, weft_tensor *out, size_t n_out, weft_diag *d) {
  const weft_interp_options none = {0};
  if (!budget)
    return weft_interp_run(g, NULL, in, n_in, out, n_out, d);
  const interp_call c = {
      .g = g, .o = &none, .budget = budget, .in = in, .n_in = n_in, .out = out, .n_out = n_out};
  return run_graph(&c, d);
}

weft_status weft_interp_run(weft_graph *g, const weft_interp_options *o, const weft_tensor *const *in,
                            size_t n_in, weft_tensor *out, size_t n_out, weft_diag *d) {
  WEFT_NEED_LIST(d, out, n_out);
  for (size_t i = 0; i < n_out; i++)
    weft_tensor_init(&out[i], g ? &g->root->env->alloc : NULL);
  WEFT_NEED(d, g);
  WEFT_NEED_LIST(d, in, n_in);
  weft_diag own = {0};
  weft_interp_options all = {0};
  weft_env *e = g->root->env;
  weft__budget budget;
  if (!d)
    d = &own;
  WEFT_SIZED_IN(&all, o, watch_ctx);
  weft_limits limits = weft__limits_copy(all.limits);
  if (all.memory_limit_bytes &&
      (!limits.memory_limit_bytes || all.memory_limit_bytes < limits.memory_limit_bytes))
    limits.memory_limit_bytes = all.memory_limit_bytes;
  weft__budget_init(&budget, &e->alloc);
  weft__allowance before = weft__budget_begin(&budget, &limits, &e->limits);
  const interp_call c = {
      .g = g, .o = &all, .budget = &budget, .in = in, .n_in = n_in, .out = out, .n_out = n_out};
  weft_status s = interp_states(&c, d);
  for (size_t i = 0; i < n_out; i++)
    weft__tensor_hand_over(&out[i], &e->alloc);
  return weft__budget_end(&budget, &before, s, d);
}
// SPDX-License-Identifier: Apache-2.0
