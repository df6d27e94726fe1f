// control.c - choices and loops. A Switch chooses one of two closures, and calling the choice becomes If. A
// graph that calls itself becomes Loop: it computes a condition and calls a Switch of a body, whose last act
// is to call that graph again, and of what follows the loop. What a body reads of the graphs around it is
// found first and handed in, because bodies are closed.
#include "base/allocated.h"
#include "frontend/mindspore/mindspore.h"

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

typedef struct captures {
  ms_capture *v;
  size_t n, room;
} captures;

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

// What the graphs of these values read of the graphs around them. A closure that is read adds its graphs.
// stop: the loop that they go on with, which is not entered from them.
static weft_status control_captures(ms_op *o, const ms_value *values, size_t n, const ms_graph *stop,
                                    captures *c) {
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

// The loop that a body goes on with, the one around it, and how many tensors go from turn to turn.
typedef struct goal {
  const ms_graph *header;
  const ms_graph *around;  // what lies behind its header is no part of this loop; NULL: none
  size_t n_tensors;
} goal;

// A choice or loop: what goes in, and what runs inside.
typedef struct control {
  ms_value all;  // of values that go in: arguments, then those that are captured
  bool lift;     // numbers go in as tensors
  const captures *captured;
  size_t n_args;
  ms_list operands;         // the tensors of `all`
  bool loops;               // the number of the turn and the condition stand in front of them
  const struct goal *goal;  // the loop that both branches go on with
  size_t n_out;
  ms_value result;  // what the body gives; its tensors are not those outside
} control;

// Fills the outputs of a body from its arguments.
typedef weft_status (*control_fill)(ms_op *in, control *c, void *ctx, const ms_value *args, ms_list *out);

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

static weft_status control_body(ms_op *o, weft_node *node, uint32_t slot, control *c, control_fill fill,
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

// Arguments and captures side by side, and their tensors.
static weft_status control_begin(ms_op *o, control *c, const ms_value *args, size_t n, const captures *more) {
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

static weft_value *control_condition(front_op *b, const ms_value *v) {
  weft_value *t = ms_tensor_of(b, v);
  if (!t)
    return front_none(b, WEFT_E_TYPE, "the condition is no tensor");
  return front_as(b, front_rank(t) == 0 ? t : front_reshaped(b, t, NULL, 0), WEFT_BOOL);
}

static weft_status control_results(ms_op *o, const control *c, weft_node *node, ms_value *out) {
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

static weft_status control_if(ms_op *o, weft_value *condition, control *c, control_fill fill, ms_value *out) {
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
    WEFT_TRY(control_body(o, node, (uint32_t)k, c, fill, &which));
  }
  if (node)
    front_close(&o->b, node);
  return o->b.failed ? o->b.failed : control_results(o, c, node, out);
}

weft_status ms_branch(ms_op *o, const ms_value *choice, const ms_value *args, size_t n, ms_value *out) {
  control c = {.n_out = ms_type_count(o->m, o->node)};
  captures more = {0};
  const ms_value *condition = &choice->items[0];
  if (ms_is_number(condition)) {
    bool holds = condition->kind == MS_FLOAT ? condition->f != 0 : condition->i != 0;
    return ms_call_value(o, &choice->items[holds ? 1 : 2], args, n, out);
  }
  ms_value *all = WEFT_NEW_N(&o->m->f.arena, ms_value, n + 1);
  WEFT_TRY(weft__allocated(all, o->m->f.d));
  all[0] = *choice;
  for (size_t i = 0; i < n; i++)
    all[1 + i] = args[i];
  WEFT_TRY(control_captures(o, all, n + 1, NULL, &more));
  WEFT_TRY(control_begin(o, &c, all, n + 1, &more));
  return control_if(o, control_condition(&o->b, condition), &c, control_fill_branch, out);
}

// ---- loops ----
bool ms_recursive(ms_import *m, ms_graph *g) {
  if (!g->searched) {
    ms_reach(m, g, NULL);
    g->recursive = g->seen;
    g->searched = true;
  }
  return g->recursive;
}

static bool control_reaches(ms_import *m, const ms_value *v, const ms_graph *to, const ms_graph *around) {
  if (v->kind == MS_PARTIAL) {
    if (v->graph == to || v->graph == around)
      return v->graph == to;
    ms_reach(m, v->graph, around);
    return to->seen;
  }
  return v->kind == MS_SWITCH &&
         (control_reaches(m, &v->items[1], to, around) || control_reaches(m, &v->items[2], to, around));
}

static const ms_node *control_last(const ms_import *m, const ms_graph *g) {
  const ms_def *def = g->n_out == 1 ? ms_def_of(m, g->out[0].name) : NULL;
  for (;;) {
    if (!def || def->kind != MS_DEF_NODE || def->graph != g)
      return NULL;
    const ms_node *n = &g->nodes[def->index];
    bool passes = n->prim && (!strcmp(n->prim->type, "Depend") || !strcmp(n->prim->type, "Return"));
    if (!passes || !n->n_in)
      return n;
    def = ms_def_of(m, n->in[0]);
  }
}

static weft_status control_shape(ms_op *o, const ms_graph *g) {
  return weft_fail(
      o->m->f.d, WEFT_E_UNSUPPORTED,
      "graph '%.200s' calls itself, but not as a loop does: by a Switch, of a body that ends with "
      "the call, and of what follows",
      g->name);
}

// The choice that the header of a loop calls: its condition, the body, what follows.
typedef struct turn {
  ms_scope s;
  ms_value choice;  // items[1]: the body
  bool inverted;    // the body runs when the condition does not hold
} turn;

static weft_status control_turn(ms_op *o, ms_graph *header, const ms_graph *around, const ms_value *args,
                                size_t n, turn *t) {
  const ms_node *last = control_last(o->m, header);
  if (!last || last->prim || last->calls || last->n_in)
    return control_shape(o, header);
  WEFT_TRY(ms_scope_begin(&t->s, o->s, header, args, n));
  WEFT_TRY(ms_take(&t->s, last->key, &t->choice));
  if (t->choice.kind != MS_SWITCH)
    return control_shape(o, header);
  bool first = control_reaches(o->m, &t->choice.items[1], header, around);
  bool second = control_reaches(o->m, &t->choice.items[2], header, around);
  t->inverted = second;
  return first == second ? control_shape(o, header) : WEFT_OK;
}

static weft_value *control_goes_on(front_op *b, const turn *t) {
  weft_value *v = control_condition(b, &t->choice.items[0]);
  return t->inverted ? front_do(b, "LogicalNot", v, NULL, NULL) : v;
}

static weft_status control_tail(ms_op *o, const ms_value *f, const ms_value *args, size_t n, const goal *to,
                                ms_value *out);

// The arguments that the last act of a graph gives the header.
static weft_status control_tail_graph(ms_op *o, ms_graph *g, const ms_value *args, size_t n, const goal *to,
                                      ms_value *out) {
  ms_scope s;
  ms_value f;
  const ms_node *last = control_last(o->m, g);
  if (!last || last->prim)
    return control_shape(o, to->header);
  WEFT_TRY(ms_scope_begin(&s, o->s, g, args, n));
  ms_op call = ms_op_of(&s, last);
  ms_value *in = WEFT_NEW_N(&o->m->f.arena, ms_value, last->n_in + 1);
  WEFT_TRY(weft__allocated(in, o->m->f.d));
  for (size_t i = 0; i < last->n_in; i++)
    WEFT_TRY(ms_take(&s, last->in[i], &in[i]));
  if (last->calls)
    f = (ms_value){.kind = MS_PARTIAL, .graph = last->calls};
  else
    WEFT_TRY(ms_take(&s, last->key, &f));
  return control_tail(&call, &f, in, last->n_in, to, out);
}

static weft_status control_fill_tail(ms_op *in, control *c, void *ctx, const ms_value *args, ms_list *out) {
  const size_t *which = ctx;
  WEFT_TRY(control_tail(in, &args[0].items[*which], args + 1, c->n_args - 1, c->goal, &c->result));
  ms_flatten(&in->b, &c->result, true, out);
  return in->b.failed;
}

// A loop in the body of a loop: what follows it is a part of that body.
static weft_status control_run(ms_op *o, ms_graph *header, const ms_graph *around, const ms_value *given_args,
                               size_t n, turn *after);

static weft_status control_tail_loop(ms_op *o, ms_graph *inner, const ms_value *args, size_t n,
                                     const goal *to, ms_value *out) {
  turn after;
  WEFT_TRY(control_run(o, inner, to->header, args, n, &after));
  ms_op follows = ms_op_of(&after.s, o->node);
  return control_tail(&follows, &after.choice.items[after.inverted ? 1 : 2], NULL, 0, to, out);
}

// Both branches go on with the loop: If of what they give it.
static weft_status control_tail_branch(ms_op *o, const ms_value *choice, const ms_value *args, size_t n,
                                       const goal *to, ms_value *out) {
  captures more = {0};
  control c = {.goal = to, .n_out = to->n_tensors};
  for (size_t k = 1; k < 3; k++) {
    if (!control_reaches(o->m, &choice->items[k], to->header, to->around))
      return weft_fail(
          o->m->f.d, WEFT_E_UNSUPPORTED,
          "a loop that is left in its middle (break or return) is not read: let its condition say "
          "when it ends");
  }
  ms_value *all = WEFT_NEW_N(&o->m->f.arena, ms_value, n + 1);
  WEFT_TRY(weft__allocated(all, o->m->f.d));
  all[0] = *choice;
  for (size_t i = 0; i < n; i++)
    all[1 + i] = args[i];
  WEFT_TRY(control_captures(o, all, n + 1, to->header, &more));
  WEFT_TRY(control_begin(o, &c, all, n + 1, &more));
  return control_if(o, control_condition(&o->b, &choice->items[0]), &c, control_fill_tail, out);
}

static weft_status control_tail(ms_op *o, const ms_value *f, const ms_value *args, size_t n, const goal *to,
                                ms_value *out) {
  if (f->kind == MS_SWITCH)
    return control_tail_branch(o, f, args, n, to, out);
  if (f->kind != MS_PARTIAL)
    return control_shape(o, to->header);
  ms_value *all = WEFT_NEW_N(&o->m->f.arena, ms_value, f->n + n + 1);
  WEFT_TRY(weft__allocated(all, o->m->f.d));
  for (size_t i = 0; i < f->n + n; i++)
    all[i] = i < f->n ? f->items[i] : args[i - f->n];
  if (f->graph != to->header) {
    ms_reach(o->m, f->graph, to->header);
    bool loop = f->graph->seen;
    return loop ? control_tail_loop(o, f->graph, all, f->n + n, to, out)
                : control_tail_graph(o, f->graph, all, f->n + n, to, out);
  }
  *out = (ms_value){.kind = MS_TUPLE, .items = all, .n = f->n + n};
  return WEFT_OK;
}

// One turn: the body, and whether there is another.
static weft_status control_fill_loop(ms_op *in, control *c, void *ctx, const ms_value *args, ms_list *out) {
  ms_graph *header = ctx;
  turn now;
  turn next;
  WEFT_TRY(control_turn(in, header, c->goal->around, args, c->n_args, &now));
  ms_op body = ms_op_of(&now.s, in->node);
  WEFT_TRY(control_tail(&body, &now.choice.items[now.inverted ? 2 : 1], NULL, 0, c->goal, &c->result));
  if (c->result.n != c->n_args)
    return control_shape(in, header);
  WEFT_TRY(control_turn(in, header, c->goal->around, c->result.items, c->n_args, &next));
  ms_list_add(&in->b, out, control_goes_on(&in->b, &next));
  ms_flatten(&in->b, &c->result, true, out);
  return in->b.failed;
}

static weft_status control_loop_node(ms_op *o, ms_graph *header, const ms_graph *around, control *c,
                                     weft_value *condition, size_t n_carried, ms_value *out) {
  uint32_t counts[4] = {0, 1, (uint32_t)n_carried, (uint32_t)(c->operands.n - n_carried)};
  uint32_t outs[2] = {(uint32_t)n_carried, 0};
  weft_value **in = WEFT_NEW_N(&o->m->f.arena, weft_value *, c->operands.n + 1);
  WEFT_TRY(weft__allocated(in, o->m->f.d));
  in[0] = condition;
  for (size_t i = 0; i < c->operands.n; i++)
    in[1 + i] = c->operands.v[i];
  weft_node *node = front_emit_open(&o->b, "Loop", in, c->operands.n + 1,
                                    &(weft_use){.in_counts = counts, .out_counts = outs});
  WEFT_TRY(o->b.failed);
  const goal same = {header, around, n_carried};
  c->goal = &same;
  c->n_out = n_carried + 1;
  c->loops = true;
  WEFT_TRY(control_body(o, node, 0, c, control_fill_loop, header));
  front_close(&o->b, node);
  c->n_out = n_carried;
  return o->b.failed ? o->b.failed : control_results(o, c, node, out);
}

static bool control_writes(ms_import *m, ms_graph *header) {
  ms_reach(m, header, NULL);
  for (const ms_graph *g = m->all; g; g = g->next) {
    for (size_t i = 0; g->seen && i < g->n_nodes; i++) {
      if (g->nodes[i].prim && ms_writes(g->nodes[i].prim->type))
        return true;
    }
  }
  return false;
}

// Numbers that go into a loop, as tensors of the dtypes that its graph declares.
static weft_status control_lifted(ms_op *o, const ms_graph *header, const ms_value *args, size_t n,
                                  ms_value **out) {
  *out = WEFT_NEW_N(&o->m->f.arena, ms_value, n + 1);
  WEFT_TRY(weft__allocated(*out, o->m->f.d));
  for (size_t i = 0; i < n; i++) {
    weft_dtype t;
    weft_dim dims[WEFT_MAX_RANK];
    int rank;
    (*out)[i] = args[i];
    bool declared = i < header->n_in && header->in[i].tensor.at;
    if (!ms_is_number(&args[i]) || !declared)
      continue;
    WEFT_TRY(ms_tensor_type(o->m, header->in[i].tensor, &t, dims, &rank));
    (*out)[i] = (ms_value){.kind = MS_TENSOR, .v = front_as(&o->b, ms_tensor_of(&o->b, &args[i]), t)};
  }
  return o->b.failed;
}

static weft_status control_run(ms_op *o, ms_graph *header, const ms_graph *around, const ms_value *given_args,
                               size_t n, turn *after) {
  ms_value *args;
  control c = {.lift = true};
  captures more = {0};
  turn before;
  ms_value end;
  ms_list carried = {0};
  const ms_value self = {.kind = MS_PARTIAL, .graph = header};
  WEFT_TRY(control_lifted(o, header, given_args, n, &args));
  const ms_value given = {.kind = MS_TUPLE, .items = args, .n = n};
  if (control_writes(o->m, header))
    return weft_fail(
        o->m->f.d, WEFT_E_UNSUPPORTED,
        "a loop that writes to a parameter is not read: let the loop carry the value, and write it "
        "behind the loop");
  WEFT_TRY(control_turn(o, header, around, args, n, &before));
  WEFT_TRY(control_captures(o, &self, 1, around, &more));
  WEFT_TRY(control_begin(o, &c, args, n, &more));
  ms_flatten(&o->b, &given, true, &carried);
  weft_value *condition = control_goes_on(&o->b, &before);
  WEFT_TRY(o->b.failed);
  WEFT_TRY(control_loop_node(o, header, around, &c, condition, carried.n, &end));
  return control_turn(o, header, around, end.items, n, after);
}

weft_status ms_loop(ms_op *o, ms_graph *header, const ms_value *args, size_t n, ms_value *out) {
  turn after;
  WEFT_TRY(control_run(o, header, NULL, args, n, &after));
  ms_op follows = ms_op_of(&after.s, o->node);
  return ms_call_value(&follows, &after.choice.items[after.inverted ? 1 : 2], NULL, 0, out);
}
// SPDX-License-Identifier: Apache-2.0
