// control.c - choices. A Switch chooses one of two closures, and calling the choice becomes If. What a body
// reads of the graphs around it is found first and handed in, because bodies are closed.
#include "base/allocated.h"
#include "frontend/mindspore/control.h"

// ---- what bodies read ----
static void control_reached(ms_import *m, const ms_value *v, const ms_graph *stop, bool *seen, int depth) {
  if (depth > MS_DEPTH)
    return;
  if (v->kind == MS_PARTIAL && !seen[v->graph->number]) {
    ms_reach(m, v->graph, stop);
    seen[v->graph->number] = true;
    for (const ms_graph *g = m->all; g; g = g->next)
      seen[g->number] |= g->seen;
  }
  for (size_t i = 0; i < v->n; i++)
    control_reached(m, &v->items[i], stop, seen, depth + 1);
}

static weft_status control_capture(ms_op *o, const char *name, const bool *seen, captures *c) {
  const ms_def *def = ms_def_of(o->m, name);
  if (!def || (def->kind != MS_DEF_PARAM && seen[def->graph->number]))
    return WEFT_OK;
  if (def->kind == MS_DEF_NODE && !strcmp(def->graph->nodes[def->index].key, "Constant"))
    return WEFT_OK;
  for (size_t i = 0; i < c->n; i++) {
    if (c->v[i].def == def)
      return WEFT_OK;
  }
  if (c->n == c->room) {
    size_t room = c->room ? 2 * c->room : 8;
    ms_capture *more = WEFT_NEW_N(&o->m->f.arena, ms_capture, room);
    WEFT_TRY(weft__allocated(more, o->m->f.d));
    if (c->n)
      memcpy(more, c->v, c->n * sizeof *more);
    c->v = more;
    c->room = room;
  }
  c->v[c->n].def = def;
  return ms_take(o->s, name, &c->v[c->n++].value);
}

static weft_status control_capture_graph(ms_op *o, const ms_graph *g, const bool *seen, captures *c) {
  for (size_t i = 0; i < g->n_nodes; i++) {
    const ms_node *n = &g->nodes[i];
    for (size_t k = 0; k < n->n_in; k++)
      WEFT_TRY(control_capture(o, n->in[k], seen, c));
    if (!n->prim && !n->calls)
      WEFT_TRY(control_capture(o, n->key, seen, c));
  }
  for (size_t i = 0; i < g->n_out; i++)
    WEFT_TRY(control_capture(o, g->out[i].name, seen, c));
  return WEFT_OK;
}

weft_status ms_captures_of(ms_op *o, const ms_value *values, size_t n, const ms_graph *stop, captures *c) {
  ms_import *m = o->m;
  bool *seen = WEFT_NEW_N(&m->f.arena, bool, m->n_graphs + 1);
  bool *done = WEFT_NEW_N(&m->f.arena, bool, m->n_graphs + 1);
  WEFT_TRY(weft__allocated(seen && done, m->f.d));
  for (size_t i = 0; i < n; i++)
    control_reached(m, &values[i], stop, seen, 0);
  for (bool again = true; again;) {
    again = false;
    for (const ms_graph *g = m->all; g; g = g->next) {
      if (!seen[g->number] || done[g->number])
        continue;
      done[g->number] = true;
      again = true;
      WEFT_TRY(control_capture_graph(o, g, seen, c));
    }
    for (size_t i = 0; i < c->n; i++)
      control_reached(m, &c->v[i].value, stop, seen, 0);
  }
  return WEFT_OK;
}

// ---- bodies ----
static weft_value *control_input(ms_scope *s, const weft_value *like) {
  weft_tensor_desc desc;
  char name[64];
  weft_diag *d = s->m->f.d;
  weft_fact fact = like->fact;
  fact.value = NULL;
  fact.elems = NULL;
  fact.min = fact.max = NULL;
  do
    snprintf(name, sizeof name, "in_%u", (unsigned)s->m->f.n_made++);
  while (weft_graph_find_value(s->s.g, name));
  weft__fact_desc(&fact, name, &desc);
  weft_value *v = weft_graph_input_desc(s->s.g, name, &desc, d);
  return v && !weft__value_set_fact(v, &fact, d) ? v : NULL;
}

static weft_status control_scalar(ms_scope *s, const char *name, weft_dtype t) {
  static const weft_dim none[1] = {0};
  return weft_graph_input(s->s.g, name, t, none, 0, s->m->f.d) ? WEFT_OK : s->m->f.d->status;
}

static weft_status control_output(front_op *b, weft_value *v) {
  if (!b->failed && (!v->node || v->n_outputs))  // an input, a constant, or twice the same
    v = front_do(b, "Identity", v, NULL, NULL);
  if (!b->failed)
    b->failed = weft_graph_output(b->s->g, v, b->f->d);
  return b->failed;
}

static weft_status control_body_fill(ms_op *o, ms_scope *s, control *c, control_fill fill, void *ctx) {
  ms_op in = ms_op_of(s, o->node);
  ms_list given = {0};
  ms_list out = {0};
  size_t at = 0;
  if (c->loops) {
    WEFT_TRY(control_scalar(s, "turn", WEFT_INT64));
    WEFT_TRY(control_scalar(s, "condition", WEFT_BOOL));
  }
  for (size_t i = 0; i < c->operands.n && !in.b.failed; i++) {
    weft_value *v = control_input(s, c->operands.v[i]);
    if (!v)
      return s->m->f.d->status;
    ms_list_add(&in.b, &given, v);
  }
  ms_value all = ms_rebuilt(&in.b, &c->all, c->lift, given.v, &at);
  WEFT_TRY(in.b.failed);
  s->n_captures = c->captured->n;
  s->captures = WEFT_NEW_N(&s->m->f.arena, ms_capture, s->n_captures + 1);
  WEFT_TRY(weft__allocated(s->captures, s->m->f.d));
  for (size_t i = 0; i < s->n_captures; i++)
    s->captures[i] = (ms_capture){c->captured->v[i].def, all.items[c->n_args + i]};
  WEFT_TRY(fill(&in, c, ctx, all.items, &out));
  if (!in.b.failed && out.n != c->n_out)
    return weft_fail(s->m->f.d, WEFT_E_INVALID, "a body of '%.200s' gives %zu tensors, expected %zu",
                     o->node->where, out.n, c->n_out);
  for (size_t i = 0; i < out.n && !in.b.failed; i++)
    WEFT_TRY(control_output(&in.b, out.v[i]));
  return in.b.failed;
}

weft_status ms_control_body(ms_op *o, weft_node *node, uint32_t slot, control *c, control_fill fill,
                            void *ctx) {
  weft_graph *g;
  char name[64];
  ms_scope s = {.m = o->m, .depth = o->s->depth + 1};
  snprintf(name, sizeof name, "body_%u", (unsigned)o->m->f.n_made++);
  if (s.depth > MS_DEPTH)
    return weft_fail(o->m->f.d, WEFT_E_LIMIT, "bodies nested deeper than %d", MS_DEPTH);
  WEFT_TRY(weft_node_add_graph(node, slot, name, &g, o->m->f.d));
  weft_status st = front_scope_begin(&o->m->f, &s.s, g, o->s->s.depth + 1);
  if (!st)
    st = control_body_fill(o, &s, c, fill, ctx);
  front_scope_end(&s.s);
  return st;
}

weft_status ms_control_begin(ms_op *o, control *c, const ms_value *args, size_t n, const captures *more) {
  c->n_args = n;
  c->captured = more;
  c->all = (ms_value){.kind = MS_TUPLE, .n = n + more->n};
  c->all.items = WEFT_NEW_N(&o->m->f.arena, ms_value, c->all.n + 1);
  WEFT_TRY(weft__allocated(c->all.items, o->m->f.d));
  for (size_t i = 0; i < n; i++)
    c->all.items[i] = args[i];
  for (size_t i = 0; i < more->n; i++)
    c->all.items[n + i] = more->v[i].value;
  ms_flatten(&o->b, &c->all, c->lift, &c->operands);
  return o->b.failed;
}

weft_value *ms_condition(front_op *b, const ms_value *v) {
  weft_value *t = ms_tensor_of(b, v);
  if (!t)
    return front_none(b, WEFT_E_TYPE, "the condition is no tensor");
  return front_as(b, front_rank(t) == 0 ? t : front_reshaped(b, t, NULL, 0), WEFT_BOOL);
}

weft_status ms_control_results(ms_op *o, const control *c, weft_node *node, ms_value *out) {
  size_t at = 0;
  weft_value **v = WEFT_NEW_N(&o->m->f.arena, weft_value *, c->n_out + 1);
  WEFT_TRY(weft__allocated(v, o->m->f.d));
  for (size_t i = 0; i < c->n_out; i++)
    v[i] = &node->out[i];
  *out = ms_rebuilt(&o->b, &c->result, true, v, &at);
  return o->b.failed;
}

// ---- If ----
// The arguments of a branch's body: the choice, then those of the call.
static weft_status control_fill_branch(ms_op *in, control *c, void *ctx, const ms_value *args, ms_list *out) {
  const size_t *which = ctx;
  WEFT_TRY(ms_call_value(in, &args[0].items[*which], args + 1, c->n_args - 1, &c->result));
  ms_flatten(&in->b, &c->result, true, out);
  return in->b.failed;
}

weft_status ms_control_if(ms_op *o, weft_value *condition, control *c, control_fill fill, ms_value *out) {
  weft_value **in = WEFT_NEW_N(&o->m->f.arena, weft_value *, c->operands.n + 1);
  WEFT_TRY(weft__allocated(in, o->m->f.d));
  in[0] = condition;
  for (size_t i = 0; i < c->operands.n; i++)
    in[1 + i] = c->operands.v[i];
  uint32_t counts[2] = {1, (uint32_t)c->operands.n};
  uint32_t outs[1] = {(uint32_t)c->n_out};
  weft_node *node = front_emit_open(&o->b, "If", in, c->operands.n + 1,
                                    &(weft_use){.in_counts = counts, .out_counts = outs});
  for (size_t k = 0; k < 2 && node; k++) {
    size_t which = k + 1;
    WEFT_TRY(ms_control_body(o, node, (uint32_t)k, c, fill, &which));
  }
  if (node)
    front_close(&o->b, node);
  return o->b.failed ? o->b.failed : ms_control_results(o, c, node, out);
}

// Does a graph that is called do nothing but raise an exception?
static bool control_graph_raises(const ms_import *m, const ms_graph *g, int depth) {
  const char *name = g->n_out == 1 ? g->out[0].name : NULL;
  for (int i = 0; name && i < MS_DEPTH; i++) {
    const ms_def *def = ms_def_of(m, name);
    const ms_node *n = def && def->kind == MS_DEF_NODE ? &def->graph->nodes[def->index] : NULL;
    if (n && n->calls)
      return depth < MS_DEPTH && control_graph_raises(m, n->calls, depth + 1);
    if (!n || !n->prim)
      return false;
    if (!strcmp(n->prim->type, "raise"))
      return true;
    bool passes = n->n_in && (!strcmp(n->prim->type, "Depend") || !strcmp(n->prim->type, "Return"));
    name = passes ? n->in[0] : NULL;
  }
  return false;
}

static bool control_raises(const ms_import *m, const ms_value *v) {
  return v->kind == MS_PARTIAL && control_graph_raises(m, v->graph, 0);
}

// Which branch it is that is taken for certain; 0: that is not known. One that raises is not taken.
static size_t control_certain(ms_op *o, const ms_value *choice) {
  enum { THEN = 1, ELSE = 2 };
  ms_value condition = choice->items[0];
  ms_known_number(&o->b, &condition);
  if (ms_is_number(&condition))
    return (condition.kind == MS_FLOAT ? condition.f != 0 : condition.i != 0) ? THEN : ELSE;
  if (control_raises(o->m, &choice->items[THEN]))
    return ELSE;
  return control_raises(o->m, &choice->items[ELSE]) ? THEN : 0;
}

weft_status ms_branch(ms_op *o, const ms_value *choice, const ms_value *args, size_t n, ms_value *out) {
  control c = {.n_out = ms_type_count(o->m, o->node)};
  captures more = {0};
  const ms_value *condition = &choice->items[0];
  size_t certain = control_certain(o, choice);
  if (certain)
    return ms_call_value(o, &choice->items[certain], args, n, out);
  ms_value *all = WEFT_NEW_N(&o->m->f.arena, ms_value, n + 1);
  WEFT_TRY(weft__allocated(all, o->m->f.d));
  all[0] = *choice;
  for (size_t i = 0; i < n; i++)
    all[1 + i] = args[i];
  WEFT_TRY(ms_captures_of(o, all, n + 1, NULL, &more));
  WEFT_TRY(ms_control_begin(o, &c, all, n + 1, &more));
  return ms_control_if(o, ms_condition(&o->b, condition), &c, control_fill_branch, out);
}
// SPDX-License-Identifier: Apache-2.0
