// manager.c - runs passes over a graph and its sub-graphs, innermost first. Between passes the graph is
// sorted and inferred as far as passes need; checked builds prove it whole after each pass that changed
// something. A pass that finds the graph as it left it is not run again. Cost: linear in the nodes for each
// pass, times the rounds (at most 16).
#include "base/told.h"
#include "base/allocated.h"
#include "pass/pass.h"

enum { ROUNDS = 16, SWEEPS = 8, MADE_MAX = 256 /* nodes made for one node that are looked at again */ };

// Bodies of untaken branches are not inferred; what is not known is left alone.
static bool is_inferred(const weft_graph *g) {
  for (size_t i = 0; i < g->inputs.n; i++) {
    if (!g->inputs.v[i]->fact.set)
      return false;
  }
  for (const weft_node *n = g->first; n; n = weft__node_after(n)) {
    for (uint32_t i = 0; i < n->desc.pub.n_out; i++) {
      if (!n->out[i].fact.set)
        return false;
    }
  }
  return true;
}

void weft__pass_forget(weft_pass_run *r) {
  if (r->scratch.used_bytes)
    weft__arena_reset(&r->scratch);
}

static weft_status manager_visit(weft_pass_run *r, weft_node *n) {
  if (!n->graph || !weft__pass_may(r))
    return WEFT_OK;
  WEFT_TRY(weft__budget_poll(&r->root->root->budget, r->d));
  r->looked_at++;
  weft_status s = r->pass->visit(r, n);
  weft__pass_forget(r);
  if (s)
    weft_note(r->d, "at node '%s' (%s)", weft__node_name(n), weft__node_type(n));
  return s;
}

static weft_status list_node(weft_pass_run *r, weft_node *n) {
  WEFT_TRY(weft__allocated(WEFT_VEC_ROOM(&r->env->alloc, r->nodes) && WEFT_VEC_ROOM(&r->env->alloc, r->kinds),
                           r->d));
  int kind = weft__kind(r, n);
  r->looked_at++;
  r->nodes.v[r->nodes.n++] = n;
  r->kinds.v[r->kinds.n++] = (uint8_t)kind;
  weft__kinds_put(&r->present, kind);
  r->nests |= n->n_graphs && n->desc.proto != r->fused;
  return WEFT_OK;
}

static void list_none(weft_pass_run *r) {
  r->nodes.n = r->kinds.n = 0;
  r->listed = NULL;
  r->present = (weft_kinds){{0, 0}};
  r->nests = false;
  weft__kinds_put(&r->present, WEFT_K_ANY);
}

static void list_is_of(weft_pass_run *r, const weft_graph *g) {
  r->listed = g;
  r->listed_at = r->version;
}

// Most passes find nothing to do: the walk along the list, a cache miss a node, would be most of their cost.
weft_status weft__pass_nodes(weft_pass_run *r, const weft_graph *g) {
  if (r->listed == g && r->listed_at == r->version)
    return WEFT_OK;
  list_none(r);
  for (weft_node *n = g->first; n; n = weft__node_after(n))
    WEFT_TRY(list_node(r, n));
  list_is_of(r, g);
  return WEFT_OK;
}

// Every node that the pass is at once, and what the visits made. Nodes that go away meanwhile keep their
// memory. Those that it is not at are not touched.
static weft_status sweep(weft_pass_run *r, weft_graph *g) {
  const weft_kinds *at = &r->entry->at;
  WEFT_TRY(weft__pass_nodes(r, g));
  for (size_t i = 0; i < r->nodes.n; i++) {
    size_t ahead = i + WEFT__AHEAD;
    if (ahead < r->nodes.n && weft__kinds_have(at, r->kinds.v[ahead]))
      weft__node_fetch(r->nodes.v[ahead]);
    if (!weft__kinds_have(at, r->kinds.v[i]))
      continue;
    r->added.n = 0;
    WEFT_TRY(manager_visit(r, r->nodes.v[i]));
    for (size_t k = 0; k < r->added.n && k < MADE_MAX; k++)
      WEFT_TRY(manager_visit(r, r->added.v[k]));
  }
  return WEFT_OK;
}

// Numbers the nodes along the list, which passes keep in order, and lists them: one walk. The numbers lie
// above those there were, which tell what the walk has not come to.
static weft_status renumber(weft_pass_run *r, weft_graph *g) {
  uint32_t base = WEFT_MAX(g->next_order, g->next_pos);
  uint32_t at = base;
  weft__trail trail = {.at = 0};
  bool sorted = base <= UINT32_MAX - g->n_nodes;
  list_none(r);
  for (weft_node *n = g->first; n && sorted; n = weft__node_after(n)) {
    sorted = weft__is_behind(n, base);
    n->pos = n->order = ++at;
    weft__trail_node(&trail, n);
    WEFT_TRY(list_node(r, n));
  }
  if (!sorted)
    return weft_graph_sort(g, r->d);
  g->trail = trail;
  g->next_pos = g->next_order = at;
  g->deferred = g->moved = false;
  list_is_of(r, g);
  return WEFT_OK;
}

static weft_status run_on(weft_pass_run *r, weft_graph *g) {
  uint64_t before = r->version;
  if (g->parent && !is_inferred(g)) {
    weft__pass_skipped(r, g->parent, "a sub-graph is not inferred: it is never run");
    return WEFT_OK;
  }
  weft_status s = weft__pass_nodes(r, g);
  if (s || !weft__kinds_meet(&r->entry->needs, &r->present))
    return s;
  weft__graph_defer(g);
  if (r->pass->run) {
    r->looked_at += g->n_nodes;
    s = r->pass->run(r, g);
  } else {
    // A pass of SIMPLIFY comes again in the next round.
    for (int i = 0; i < (r->pass->stage == WEFT_PASS_SIMPLIFY ? 1 : SWEEPS) && !s; i++) {
      uint64_t at = r->version;
      s = sweep(r, g);
      if (at == r->version)
        break;
    }
  }
  if (s || r->version == before) {
    if (!s)
      g->deferred = false;
    return s;
  }
  weft__consts_sweep(g);
  return renumber(r, g);
}

// Sub-graphs first; they nest at most WEFT_GRAPH_DEPTH_MAX deep.
static weft_status run_below(weft_pass_run *r, weft_graph *g) {
  bool more = r->root->root->n_graphs > 1;  // than the root
  if (more && r->leaves_fused) {
    WEFT_TRY(weft__pass_nodes(r, g));
    more = r->nests;
  }
  if (more) {
    for (weft_node *n = g->first, *next; n; n = next) {
      next = weft__node_after(n);
      if (r->leaves_fused && n->desc.proto == r->fused)
        continue;
      for (uint32_t i = 0; i < n->n_graphs; i++)
        WEFT_TRY(run_below(r, n->graphs[i]));
    }
  }
  return run_on(r, g);
}

static weft_status manager_infer(weft_pass_run *r) {
  r->learnt = false;
  return weft_graph_infer(r->root, NULL, NULL, r->d);
}

static weft_status prove(weft_pass_run *r) {
  WEFT_TRY(manager_infer(r));
  return weft_graph_verify(r->root, NULL, NULL, r->d);
}

static bool prove_each(const weft_pass_run *r) {
#ifdef WEFT_CHECKED
  (void)r;
  return true;
#else
  return r->o->verify_each;
#endif
}

static weft_status run_pass(weft_pass_run *r, weft_pass_entry *p) {
  uint64_t before = r->version;
  if (!p->on || (p->ran && p->version == before) || !weft__pass_may(r))
    return WEFT_OK;
  WEFT_TRY(weft__budget_poll(&r->root->root->budget, r->d));
  r->pass = p->pass;
  r->entry = p;
  r->leaves_fused = p->own && p->pass->stage >= WEFT_PASS_FUSE;
  weft_status s = run_below(r, r->root);
  if (!s && r->version != before && prove_each(r))
    s = prove(r);
  p->ran = r->version == before || p->pass->stage != WEFT_PASS_SIMPLIFY;
  p->version = r->version;
  if (!s && r->version != before) {
    r->number++;
    if (r->o->after)
      s = r->o->after(r->o->after_ctx, r->number, p->pass->name, r->root);
    if (s)
      (void)weft_fail(r->d, s, "the function called after each pass failed after change set %u", r->number);
  }
  if (s)
    weft_note(r->d, "in pass '%s'", p->pass->name);
  return s;
}

static weft_status run_stage(weft_pass_run *r, uint32_t stage) {
  for (size_t i = 0; i < r->passes.n; i++) {
    if (r->passes.v[i].pass->stage == stage)
      WEFT_TRY(run_pass(r, &r->passes.v[i]));
  }
  return WEFT_OK;
}

static weft_status simplify(weft_pass_run *r) {
  for (int i = 0; i < ROUNDS; i++) {
    uint64_t before = r->version;
    WEFT_TRY(run_stage(r, WEFT_PASS_SIMPLIFY));
    if (r->version == before)
      return WEFT_OK;
    if (r->learnt && !prove_each(r))
      WEFT_TRY(manager_infer(r));
  }
  return WEFT_OK;
}

static weft_status run_stages(weft_pass_run *r, unsigned stages) {
  if (!is_inferred(r->root))
    WEFT_TRY(weft_graph_infer(r->root, NULL, NULL, r->d));
  WEFT_TRY(weft_graph_sort(r->root, r->d));
  if (stages & 1u << WEFT_PASS_SIMPLIFY)
    WEFT_TRY(simplify(r));
  for (uint32_t stage = WEFT_PASS_PATTERN; stage <= WEFT_PASS_LAYOUT; stage++) {
    uint64_t before = r->version;
    if (!(stages & 1u << stage))
      continue;
    WEFT_TRY(run_stage(r, stage));
    if (stage == WEFT_PASS_PATTERN && r->version != before && (stages & 1u << WEFT_PASS_SIMPLIFY))
      WEFT_TRY(simplify(r));
  }
  if (!r->version || prove_each(r))
    return WEFT_OK;
  if (r->learnt)
    WEFT_TRY(manager_infer(r));
  return r->proven_later ? WEFT_OK : weft_graph_verify(r->root, NULL, NULL, r->d);
}

static void manager_release(weft_pass_run *r) {
  const weft_allocator *a = &r->env->alloc;
  weft__steps_end(r->steps);
  weft__arena_deinit(&r->scratch);
  WEFT_VEC_FREE(a, r->passes);
  WEFT_VEC_FREE(a, r->added);
  WEFT_VEC_FREE(a, r->stack);
  WEFT_VEC_FREE(a, r->nodes);
  WEFT_VEC_FREE(a, r->kinds);
  WEFT_VEC_FREE(a, r->found);
  WEFT_VEC_FREE(a, r->seen);
}

static bool own_operators(const weft_root *root) {
  for (const weft_graph *g = root->graphs; g; g = g->next_graph) {
    for (const weft_node *n = g->first; n; n = weft__node_after(n)) {
      if (n->desc.proto->source != WEFT_FROM_BUILTIN)
        return false;
    }
  }
  return true;
}

static size_t all_nodes(const weft_graph *g) {
  size_t n = g->n_nodes;
  if (!g->root->graphs->next_graph)
    return n;
  for (const weft_node *k = g->first; k; k = weft__node_after(k)) {
    for (uint32_t i = 0; i < k->n_graphs; i++)
      n += all_nodes(k->graphs[i]);
  }
  return n;
}

weft_status weft_graph_optimize(weft_graph *g, unsigned stages, const weft_optimize_options *o,
                                weft_optimize_summary *out, weft_diag *d) {
  WEFT_NEED(d, g);
  weft__passes_done done = {0};
  weft__budget *b = &g->root->budget;
  weft__allowance before = weft__budget_begin(b, NULL, &g->root->env->limits);
  weft_status s = weft__graph_optimize(g, stages, o, &done, out, d);
  return weft__told(weft__graph_budget_end(g, &before, s, d), d);
}

weft_status weft__graph_optimize(weft_graph *g, unsigned stages, const weft_optimize_options *o,
                                 weft__passes_done *done, weft_optimize_summary *out, weft_diag *d) {
  weft_diag own = {0};
  weft_optimize_options all = {0};
  WEFT_SIZED_IN(&all, o, verify_each);
  if (g->parent)
    return weft_fail(d, WEFT_E_INVALID, "graph '%s' is a sub-graph: passes run over the root graph", g->name);
  weft_pass_run r = {.host = &weft__pass_host,
                     .env = g->root->env,
                     .root = g,
                     .d = d ? d : &own,
                     .o = &all,
                     .limit = UINT64_MAX,
                     .number = done->number,
                     .proven_later = done->proven_later,
                     .first_node = g->root->n_node_ids,
                     .first_value = g->root->n_value_ids};
  size_t nodes_before = all_nodes(g);
  r.own_operators = own_operators(g->root);
  weft__arena_init(&r.scratch, &g->root->alloc);
  weft__pass_kinds(&r);
  weft_status s = weft__passes_list(&r);
  weft__passes_kinds(&r);
  if (!s)
    s = weft__passes_options(&r);
  r.limit -= WEFT_MIN(r.limit, done->changes);
  if (!s)
    s = run_stages(&r, stages ? stages : ~0u);
  done->changes += r.version, done->number = r.number;
  manager_release(&r);
  if (out) {
    weft_optimize_summary sum = {sizeof sum,        nodes_before, all_nodes(g),
                                 (size_t)r.version, r.skipped,    r.looked_at};
    WEFT_SIZED_OUT(out, &sum, looked_at);
  }
  if (s)
    weft_note(r.d, "while optimising graph '%s'", g->name);
  return s;
}
// SPDX-License-Identifier: Apache-2.0
