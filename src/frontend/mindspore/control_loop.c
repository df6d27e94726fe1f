// control_loop.c - loops. A graph that calls itself computes a condition and calls a Switch of a body, whose
// last act is to call that graph again, and of what follows the loop: Loop, with the arguments of the graph
// as what goes from turn to turn.
#include "base/allocated.h"
#include "frontend/mindspore/control.h"

// ---- the header of a loop ----
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
  bool leaves;      // of the last one: the loop may have been left
  ms_value left, result;
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

static const ms_value *control_body_of(const turn *t) {
  return &t->choice.items[t->inverted ? 2 : 1];
}
static const ms_value *control_exit_of(const turn *t) {
  return &t->choice.items[t->inverted ? 1 : 2];
}

// ---- loops that are left in their middle ----
static bool control_name_leaves(ms_import *m, const char *name, bool *seen);

// Can the last act of a graph be another than to call a header that was seen?
static bool control_graph_leaves(ms_import *m, const ms_graph *g, bool *seen) {
  const ms_node *last = control_last(m, g);
  if (seen[g->number])
    return false;
  seen[g->number] = true;
  if (!last || last->prim)
    return true;
  return last->calls ? control_graph_leaves(m, last->calls, seen) : control_name_leaves(m, last->key, seen);
}

static bool control_name_leaves(ms_import *m, const char *name, bool *seen) {
  const ms_graph *g = weft__map_find(&m->graphs, name, strlen(name));
  const ms_def *def = ms_def_of(m, name);
  if (g)
    return control_graph_leaves(m, g, seen);
  if (!def || def->kind != MS_DEF_NODE)
    return true;
  const ms_node *n = &def->graph->nodes[def->index];
  if (n->prim && !strcmp(n->prim->type, "Partial") && n->n_in)
    return control_name_leaves(m, n->in[0], seen);
  bool chooses = n->prim && !strcmp(n->prim->type, "Switch") && n->n_in == 3;
  return !chooses || control_name_leaves(m, n->in[1], seen) || control_name_leaves(m, n->in[2], seen);
}

static bool control_leaves(ms_import *m, const ms_graph *header, const ms_value *body) {
  bool *seen = WEFT_NEW_N(&m->f.arena, bool, m->n_graphs + 1);
  if (!seen || body->kind != MS_PARTIAL)
    return false;
  seen[header->number] = true;
  return control_graph_leaves(m, body->graph, seen);
}

static weft_status control_state(ms_op *o, const ms_value *args, bool left, const ms_value *result,
                                 ms_value *out) {
  *out = (ms_value){.kind = MS_TUPLE, .n = 3, .items = WEFT_NEW_N(&o->m->f.arena, ms_value, 3)};
  WEFT_TRY(weft__allocated(out->items, o->m->f.d));
  out->items[0] = *args;
  out->items[1] = (ms_value){.kind = MS_BOOL, .i = left};
  out->items[2] = *result;
  return WEFT_OK;
}

// Zeros where nothing was given yet: what a loop gives has the type of its call.
static weft_status control_zeros(ms_op *o, ms_value *out) {
  size_t n = ms_type_count(o->m, o->node);
  weft_value **v = WEFT_NEW_N(&o->m->f.arena, weft_value *, n + 1);
  WEFT_TRY(weft__allocated(v, o->m->f.d));
  for (size_t i = 0; i < n; i++) {
    ms_bytes tensor;
    weft_dtype t = WEFT_FLOAT;
    weft_dim dims[WEFT_MAX_RANK];
    int rank = -1;
    bool known = ms_type_at(o->m, o->node, i, &tensor);
    if (known)
      WEFT_TRY(ms_tensor_type(o->m, tensor, &t, dims, &rank));
    for (int k = 0; k < rank; k++)
      known &= dims[k] >= 0;
    if (!known || rank < 0)
      return weft_fail(
          o->m->f.d, WEFT_E_UNSUPPORTED,
          "a loop that is left in its middle (break or return) gives a tensor whose sizes the file "
          "does not say");
    v[i] = front_filled(&o->b, front_list(&o->b, dims, (size_t)rank), front_num(&o->b, t, 0));
  }
  *out = ms_typed(&o->b, o->m, o->node, v, n);
  return o->b.failed;
}

static weft_value *control_goes_on(front_op *b, const turn *t) {
  weft_value *v = ms_condition(b, &t->choice.items[0]);
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
  goal to = *c->goal;
  to.now = &args[c->n_args - 1];
  WEFT_TRY(control_tail(in, &args[0].items[*which], args + 1, c->n_args - 1 - to.leaves, &to, &c->result));
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
  return control_tail(&follows, control_exit_of(&after), NULL, 0, to, out);
}

// Both branches go on with the loop: If of what they give it.
static weft_status control_tail_branch(ms_op *o, const ms_value *choice, const ms_value *args, size_t n,
                                       const goal *to, ms_value *out) {
  captures more = {0};
  control c = {.goal = to, .n_out = to->n_tensors};
  for (size_t k = 1; k < 3 && !to->leaves; k++) {
    if (!control_reaches(o->m, &choice->items[k], to->header, to->around))
      return weft_fail(
          o->m->f.d, WEFT_E_UNSUPPORTED,
          "a loop inside another that is left in its middle (break or return) is not read: let its "
          "condition say when it ends");
  }
  ms_value *all = WEFT_NEW_N(&o->m->f.arena, ms_value, n + 2);
  WEFT_TRY(weft__allocated(all, o->m->f.d));
  all[0] = *choice;
  for (size_t i = 0; i < n; i++)
    all[1 + i] = args[i];
  if (to->leaves)
    all[1 + n] = *to->now;
  WEFT_TRY(ms_captures_of(o, all, n + 1, to->header, &more));
  WEFT_TRY(ms_control_begin(o, &c, all, n + 1 + to->leaves, &more));
  return ms_control_if(o, ms_condition(&o->b, &choice->items[0]), &c, control_fill_tail, out);
}

static weft_status control_tail(ms_op *o, const ms_value *f, const ms_value *args, size_t n, const goal *to,
                                ms_value *out) {
  if (to->leaves && !control_reaches(o->m, f, to->header, NULL)) {
    ms_value result;
    WEFT_TRY(ms_call_value(o, f, args, n, &result));
    return control_state(o, &to->now->items[0], true, &result, out);
  }
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
  const ms_value given = *out;
  return to->leaves ? control_state(o, &given, false, &to->now->items[1], out) : WEFT_OK;
}

// One turn: the body, and whether there is another.
static weft_status control_fill_loop(ms_op *in, control *c, void *ctx, const ms_value *args, ms_list *out) {
  ms_graph *header = ctx;
  goal to = *c->goal;
  size_t n = c->n_args - (to.leaves ? 2 : 0);
  ms_value parts[2] = {{.kind = MS_TUPLE, .items = (ms_value *)(uintptr_t)args, .n = n}, args[c->n_args - 1]};
  const ms_value state = {.kind = MS_TUPLE, .items = parts, .n = 2};
  turn now;
  turn next;
  to.now = &state;
  WEFT_TRY(control_turn(in, header, to.around, args, n, &now));
  ms_op body = ms_op_of(&now.s, in->node);
  WEFT_TRY(control_tail(&body, control_body_of(&now), NULL, 0, &to, &c->result));
  const ms_value *given = to.leaves ? &c->result.items[0] : &c->result;
  if (given->n != n)
    return control_shape(in, header);
  WEFT_TRY(control_turn(in, header, to.around, given->items, n, &next));
  weft_value *more = control_goes_on(&in->b, &next);
  if (to.leaves) {
    weft_value *stays = front_do(&in->b, "LogicalNot", ms_tensor_of(&in->b, &c->result.items[1]), NULL, NULL);
    more = front_do(&in->b, "LogicalAnd", more, stays, NULL);
  }
  ms_list_add(&in->b, out, more);
  ms_flatten(&in->b, &c->result, true, out);
  return in->b.failed;
}

static weft_status control_loop_node(ms_op *o, ms_graph *header, const goal *to, control *c,
                                     weft_value *condition, ms_value *out) {
  size_t n_carried = to->n_tensors;
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
  c->goal = to;
  c->n_out = n_carried + 1;
  c->loops = true;
  WEFT_TRY(ms_control_body(o, node, 0, c, control_fill_loop, header));
  front_close(&o->b, node);
  c->n_out = n_carried;
  return o->b.failed ? o->b.failed : ms_control_results(o, c, node, out);
}

static bool control_writes(ms_import *m, ms_graph *header) {
  ms_reach(m, header, NULL);
  for (const ms_graph *g = m->all; g; g = g->next) {
    for (size_t i = 0; g->seen && i < g->n_nodes; i++) {
      const ms_node *w = &g->nodes[i];
      const ms_def *to = w->prim && w->n_in && ms_writes(w->prim->type) ? ms_def_of(m, w->in[0]) : NULL;
      if (to && to->kind == MS_DEF_PARAM)
        return true;
    }
  }
  return false;
}

// Numbers that go into a loop, as tensors of the dtypes that its graph declares.
static weft_status control_lifted(ms_op *o, const ms_graph *header, const ms_value *args, size_t n,
                                  ms_value **out) {
  *out = WEFT_NEW_N(&o->m->f.arena, ms_value, n + 2);  // two more for a loop that may be left
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

// The loop, up to what follows it.
static weft_status control_run(ms_op *o, ms_graph *header, const ms_graph *around, const ms_value *given,
                               size_t n, turn *after) {
  ms_value *args;
  control c = {.lift = true};
  captures more = {0};
  turn before;
  ms_value end;
  ms_list carried = {0};
  const ms_value self = {.kind = MS_PARTIAL, .graph = header};
  WEFT_TRY(control_lifted(o, header, given, n, &args));
  if (control_writes(o->m, header))
    return weft_fail(
        o->m->f.d, WEFT_E_UNSUPPORTED,
        "a loop that writes to a parameter is not read: let the loop carry the value, and write it "
        "behind the loop");
  WEFT_TRY(control_turn(o, header, around, args, n, &before));
  goal to = {.header = header, .around = around};
  to.leaves = !around && control_leaves(o->m, header, control_body_of(&before));
  size_t n_all = n + (to.leaves ? 2 : 0);
  if (to.leaves) {
    args[n] = (ms_value){.kind = MS_BOOL, .i = 0};
    WEFT_TRY(control_zeros(o, &args[n + 1]));
  }
  const ms_value all = {.kind = MS_TUPLE, .items = args, .n = n_all};
  WEFT_TRY(ms_captures_of(o, &self, 1, around, &more));
  WEFT_TRY(ms_control_begin(o, &c, args, n_all, &more));
  ms_flatten(&o->b, &all, true, &carried);
  to.n_tensors = carried.n;
  weft_value *condition = control_goes_on(&o->b, &before);
  WEFT_TRY(o->b.failed);
  WEFT_TRY(control_loop_node(o, header, &to, &c, condition, &end));
  WEFT_TRY(control_turn(o, header, around, to.leaves ? end.items[0].items : end.items, n, after));
  after->leaves = to.leaves;
  after->left = to.leaves ? end.items[1] : (ms_value){.kind = MS_NOTHING};
  after->result = to.leaves ? end.items[2] : (ms_value){.kind = MS_NOTHING};
  return WEFT_OK;
}

static weft_status control_fill_left(ms_op *in, control *c, void *ctx, const ms_value *args, ms_list *out) {
  const size_t *which = ctx;
  if (*which == 1)
    c->result = args[0];
  else
    WEFT_TRY(ms_call_value(in, &args[1], NULL, 0, &c->result));
  ms_flatten(&in->b, &c->result, true, out);
  return in->b.failed;
}

weft_status ms_loop(ms_op *o, ms_graph *header, const ms_value *args, size_t n, ms_value *out) {
  turn after;
  captures more = {0};
  control c = {.n_out = ms_type_count(o->m, o->node)};
  WEFT_TRY(control_run(o, header, NULL, args, n, &after));
  ms_op follows = ms_op_of(&after.s, o->node);
  if (!after.leaves)
    return ms_call_value(&follows, control_exit_of(&after), NULL, 0, out);
  const ms_value both[2] = {after.result, *control_exit_of(&after)};
  WEFT_TRY(ms_captures_of(&follows, both, 2, NULL, &more));
  WEFT_TRY(ms_control_begin(&follows, &c, both, 2, &more));
  return ms_control_if(&follows, ms_condition(&o->b, &after.left), &c, control_fill_left, out);
}
// SPDX-License-Identifier: Apache-2.0
