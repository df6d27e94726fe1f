// graph.c - the nodes that outputs need, made one behind what it reads. A graph that is called is written
// into the one around the call; what it reads of graphs around it, it finds there.
#include "base/allocated.h"
#include "frontend/mindspore/mindspore.h"

static bool graph_is_constant(const ms_node *n) {
  return !n->prim && !n->calls && !strcmp(n->key, "Constant");
}

static ms_graph *graph_named(const ms_import *m, const char *name) {
  return weft__map_find(&m->graphs, name, strlen(name));
}

static const ms_row *graph_row(const ms_import *m, const ms_node *n) {
  return n->prim ? weft__map_find(&m->rows, n->prim->type, strlen(n->prim->type)) : NULL;
}

// ---- which graphs call which ----
static void reach_from(ms_import *m, const ms_graph *g, const ms_graph *stop, ms_graph **stack, size_t *top) {
  for (size_t i = 0; i < g->n_nodes; i++) {
    const ms_node *n = &g->nodes[i];
    for (size_t k = 0; k <= n->n_in; k++) {
      ms_graph *to = k < n->n_in ? graph_named(m, n->in[k]) : n->calls;
      if (!to || to == stop || to->seen)
        continue;
      to->seen = true;
      stack[(*top)++] = to;
    }
  }
}

void ms_reach(ms_import *m, const ms_graph *from, const ms_graph *stop) {
  size_t n = 1;
  size_t top = 0;
  for (ms_graph *g = m->all; g; g = g->next, n++)
    g->seen = false;
  ms_graph **stack = WEFT_NEW_N(&m->f.arena, ms_graph *, n);
  if (!stack)
    return;  // what is made next fails for want of memory
  reach_from(m, from, stop, stack, &top);
  while (top)
    reach_from(m, stack[--top], stop, stack, &top);
}

// ---- what is not read, before anything is made ----
static weft_status scan_graph(ms_import *m, const ms_graph *g) {
  char where[300];
  for (size_t i = 0; i < g->n_nodes; i++) {
    const ms_node *n = &g->nodes[i];
    ms_def *to = n->prim && n->n_in && ms_writes(n->prim->type) ? ms_def_of(m, n->in[0]) : NULL;
    if (to && to->kind == MS_DEF_PARAM)
      to->param->may_change = true;
    if (!n->prim || graph_row(m, n) || ms_custom_of(m, n))
      continue;
    snprintf(where, sizeof where, "'%.200s'", n->where);
    WEFT_TRY(front_unknown(&m->f, n->prim->type, where));
  }
  return WEFT_OK;
}

weft_status ms_scan(ms_import *m) {
  ms_reach(m, m->main, NULL);
  WEFT_TRY(scan_graph(m, m->main));
  for (const ms_graph *g = m->all; g; g = g->next) {
    if (g->seen && g != m->main)
      WEFT_TRY(scan_graph(m, g));
  }
  return front_unknown_all(&m->f);
}

// ---- constants ----
static weft_status graph_tensor(ms_scope *s, const char *wanted, ms_value *v) {
  char name[240];
  weft_graph *g = s->s.g;
  snprintf(name, sizeof name, "%.200s", wanted);
  while (weft_graph_find_value(g, name))
    snprintf(name, sizeof name, "%.200s_%u", wanted, (unsigned)s->m->f.n_made++);
  WEFT_TRY(ms_constant(s->m, g, name, v->data, &v->v));
  v->kind = MS_TENSOR;
  return WEFT_OK;
}

static weft_status graph_constant(ms_scope *s, ms_def *def, ms_value *out) {
  enum { NODE_ATTRIBUTE = 5 };
  const ms_node *n = &def->graph->nodes[def->index];
  ms_bytes a;
  if (def->constant.kind == MS_NOTHING) {
    if (!ms_attribute_named(s->m, n->message, NODE_ATTRIBUTE, "value", &a))
      return weft_fail(s->m->f.d, WEFT_E_MISSING, "constant '%.200s' has no value", n->name);
    WEFT_TRY(ms_attribute(s->m, a, &def->constant));
  }
  *out = def->constant;
  if (out->kind != MS_DATA)
    return WEFT_OK;
  if (def->made_in != s->s.g)
    WEFT_TRY(graph_tensor(s, n->name, out));
  else
    *out = (ms_value){.kind = MS_TENSOR, .v = def->made};
  def->made_in = s->s.g;
  def->made = out->v;
  return WEFT_OK;
}

// ---- parameters ----
// One that the model writes to lives from run to run (weft/state.h).
static weft_status graph_state(ms_scope *s, ms_param *p) {
  front_op b = front_op_of(&s->m->f, &s->s, p->name, "Parameter", 0);
  if (!p->may_change || s->s.g != s->m->f.g || p->v->origin != WEFT_VALUE_CONST)
    return WEFT_OK;
  p->state = front_state(&b, p->name, p->v);
  if (p->state)
    p->v = p->state;
  return b.failed;
}

static weft_status graph_param(ms_scope *s, ms_param *p, ms_value *out) {
  ms_value v = {.kind = MS_DATA, .data = p->tensor};
  if (!p->v) {
    WEFT_TRY(graph_tensor(s, p->name, &v));
    p->v = v.v;
    WEFT_TRY(graph_state(s, p));
  }
  *out = (ms_value){.kind = MS_PARAM, .param = p};
  return WEFT_OK;
}

// ---- one node ----
ms_op ms_op_of(ms_scope *s, const ms_node *n) {
  const char *type = n->prim ? n->prim->type : "call";
  return (ms_op){.b = front_op_of(&s->m->f, &s->s, n->where, type, n->offset), .s = s, .m = s->m, .node = n};
}

static weft_status graph_made(ms_scope *s, size_t i, ms_value *out);

// In the outermost scope: the model's own, or a body's.
static weft_status graph_outer(ms_scope *s, const ms_def *def, const char *name, ms_value *out) {
  for (size_t i = 0; i < s->n_captures; i++) {
    if (s->captures[i].def == def) {
      *out = s->captures[i].value;
      return WEFT_OK;
    }
  }
  if (def->kind == MS_DEF_PARAM && s->s.g == s->m->f.g)
    return graph_param(s, def->param, out);
  return weft_fail(s->m->f.d, WEFT_E_UNSUPPORTED,
                   "'%.200s' is read where graph '%.200s', which it belongs to, is not running", name,
                   def->graph->name);
}

weft_status ms_take(ms_scope *s, const char *name, ms_value *out) {
  ms_graph *g = graph_named(s->m, name);
  ms_def *def = ms_def_of(s->m, name);
  if (g) {
    *out = (ms_value){.kind = MS_PARTIAL, .graph = g};
    return WEFT_OK;
  }
  if (!def)
    return weft_fail(s->m->f.d, WEFT_E_NOT_FOUND, "nothing in the model has the name '%.200s'", name);
  if (def->kind == MS_DEF_NODE && graph_is_constant(&def->graph->nodes[def->index]))
    return graph_constant(s, def, out);
  for (;; s = s->up) {
    bool here = s->graph == def->graph && def->kind != MS_DEF_PARAM;
    if (here && def->kind == MS_DEF_NODE)
      return graph_made(s, def->index, out);
    if (here) {
      *out = s->args[def->index];
      return WEFT_OK;
    }
    if (!s->up)
      return graph_outer(s, def, name, out);
  }
}

static weft_status graph_inputs(ms_op *o) {
  o->n_in = o->node->n_in;
  o->in = WEFT_NEW_N(&o->m->f.arena, ms_value, o->n_in + 1);
  WEFT_TRY(weft__allocated(o->in, o->m->f.d));
  for (size_t i = 0; i < o->n_in; i++)
    WEFT_TRY(ms_take(o->s, o->node->in[i], &o->in[i]));
  return WEFT_OK;
}

static front_arg graph_argument(void *ctx, const char *name, size_t bytes) {
  ms_op *o = ctx;
  ms_value v;
  (void)bytes;
  if (!ms_find(o, name, &v))
    return (front_arg){.kind = FRONT_ABSENT};
  switch (v.kind) {
    case MS_INT:
      return (front_arg){.kind = FRONT_INT, .i = v.i};
    case MS_BOOL:
      return (front_arg){.kind = FRONT_BOOL, .i = v.i != 0};
    case MS_FLOAT:
      return (front_arg){.kind = FRONT_FLOAT, .f = v.f};
    case MS_TEXT:
      return (front_arg){.kind = FRONT_TEXT, .text = {v.text, strlen(v.text)}};
    default:
      return (front_arg){.kind = FRONT_VALUE, .v = ms_tensor(o, name)};
  }
}

static void graph_rule(ms_op *o, const ms_row *row) {
  front_rule r = {.text = row->rule, .find = graph_argument, .ctx = o, .out = ms_out_type(o, 0)};
  r.type = row->mode == 'T' ? r.out : row->mode == 'P' ? ms_promoted(o) : (weft_dtype)WEFT_UNDEFINED;
  if (r.type == WEFT_UNDEFINED && row->mode != '-')
    r.type = ms_promoted(o);
  if (r.out == WEFT_UNDEFINED)
    r.out = ms_promoted(o);
  if (!o->b.failed)
    ms_give(o, front_eval(&o->b, &r));
}

static void graph_called(ms_op *o) {
  weft_status s;
  ms_value f;
  if (o->node->calls)
    s = ms_call(o, o->node->calls, o->in, o->n_in, &o->out);
  else {
    s = ms_take(o->s, o->node->key, &f);
    if (!s)
      s = ms_call_value(o, &f, o->in, o->n_in, &o->out);
  }
  if (s && !o->b.failed)
    o->b.failed = s;
}

static void graph_run(ms_op *o) {
  o->row = graph_row(o->m, o->node);
  const weft_proto *custom = o->node->prim && !o->row ? ms_custom_of(o->m, o->node) : NULL;
  if (!o->node->prim)
    graph_called(o);
  else if (custom)
    ms_custom(o, custom);
  else if (!o->row)
    front_fail(&o->b, WEFT_E_UNSUPPORTED, "operator %.100s is not read", o->node->prim->type);
  else if (o->row->fn)
    o->row->fn(o);
  else
    graph_rule(o, o->row);
}

// So that the reading goes on behind a node that failed.
static weft_status graph_stand_in(ms_op *o) {
  WEFT_TRY(front_failed(&o->b));
  size_t n = ms_type_count(o->m, o->node);
  weft_value **v = WEFT_NEW_N(&o->m->f.arena, weft_value *, n + 1);
  WEFT_TRY(weft__allocated(v, o->m->f.d));
  for (size_t i = 0; i < n && !o->b.failed; i++) {
    ms_bytes tensor;
    weft_dtype t = WEFT_FLOAT;
    weft_dim dims[WEFT_MAX_RANK];
    int rank = -1;
    if (ms_type_at(o->m, o->node, i, &tensor) && ms_tensor_type(o->m, tensor, &t, dims, &rank))
      rank = -1;
    v[i] = front_stand_in(&o->b, t, dims, rank);
  }
  if (!o->b.failed)
    o->out = ms_typed(&o->b, o->m, o->node, v, n);
  return o->b.failed;
}

static weft_status graph_make(ms_scope *s, size_t i) {
  ms_op o = ms_op_of(s, &s->graph->nodes[i]);
  o.b.failed = graph_inputs(&o);
  if (!o.b.failed)
    graph_run(&o);
  ms_measure(&o.b, &o.out);
  if (o.b.failed)
    WEFT_TRY(graph_stand_in(&o));
  else if (o.out.kind == MS_TENSOR && o.node->prim)
    front_name(&o.b, o.out.v, o.node->where);
  s->nodes[i] = (ms_made){o.out, 2};
  return o.b.failed;
}

// ---- in order ----
// The next node of this graph that node i reads and that is not made yet.
static weft_status graph_waits(ms_scope *s, size_t i, bool *waits, size_t *out) {
  const ms_node *n = &s->graph->nodes[i];
  *waits = false;
  for (size_t k = 0; k <= n->n_in; k++) {
    const char *name = k < n->n_in ? n->in[k] : n->key;
    const ms_def *def = k < n->n_in || (!n->prim && !n->calls) ? ms_def_of(s->m, name) : NULL;
    if (!def || def->kind != MS_DEF_NODE || def->graph != s->graph ||
        graph_is_constant(&s->graph->nodes[def->index]) || s->nodes[def->index].state == 2)
      continue;
    if (s->nodes[def->index].state == 1)
      return weft_fail(s->m->f.d, WEFT_E_CYCLE, "nodes '%.100s' and '%.100s' wait for each other", n->where,
                       s->graph->nodes[def->index].where);
    *waits = true;
    *out = def->index;
    return WEFT_OK;
  }
  return WEFT_OK;
}

static weft_status graph_made(ms_scope *s, size_t first, ms_value *out) {
  size_t base = s->n_stack;
  if (s->nodes[first].state == 1)
    return weft_fail(s->m->f.d, WEFT_E_CYCLE, "node '%.200s' waits for itself", s->graph->nodes[first].where);
  if (!s->nodes[first].state) {
    s->stack[s->n_stack++] = first;
    s->nodes[first].state = 1;
  }
  while (s->n_stack > base) {
    bool waits;
    size_t next;
    WEFT_TRY(graph_waits(s, s->stack[s->n_stack - 1], &waits, &next));
    if (waits) {
      s->nodes[next].state = 1;
      s->stack[s->n_stack++] = next;
    } else {
      size_t i = s->stack[s->n_stack - 1];
      WEFT_TRY(graph_make(s, i));
      s->n_stack--;
    }
  }
  *out = s->nodes[first].value;
  return WEFT_OK;
}

// ---- calls ----
weft_status ms_scope_begin(ms_scope *s, ms_scope *up, ms_graph *g, const ms_value *args, size_t n) {
  ms_import *m = up ? up->m : s->m;
  *s = (ms_scope){.m = m, .graph = g, .up = up, .args = args, .depth = up ? up->depth + 1 : 0};
  if (s->depth > MS_DEPTH)
    return weft_fail(m->f.d, WEFT_E_LIMIT, "graphs that call each other deeper than %d", MS_DEPTH);
  if (m->n_calls++ > MS_MAX_CALLS)
    return weft_fail(m->f.d, WEFT_E_LIMIT, "more than %d calls of graphs", MS_MAX_CALLS);
  if (g->n_in != n)
    return weft_fail(m->f.d, WEFT_E_INVALID, "graph '%.200s' takes %zu arguments, it is given %zu", g->name,
                     g->n_in, n);
  if (up)
    s->s = up->s;
  s->nodes = WEFT_NEW_N(&m->f.arena, ms_made, g->n_nodes + 1);
  s->stack = WEFT_NEW_N(&m->f.arena, size_t, g->n_nodes + 1);
  return weft__allocated(s->nodes && s->stack, m->f.d);
}

weft_status ms_call(ms_op *o, ms_graph *g, const ms_value *args, size_t n, ms_value *out) {
  ms_scope in;
  if (ms_recursive(o->m, g))
    return ms_loop(o, g, args, n, out);
  WEFT_TRY(ms_scope_begin(&in, o->s, g, args, n));
  if (g->n_out != 1)
    return weft_fail(o->m->f.d, WEFT_E_INVALID, "graph '%.200s' has %zu outputs, expected 1", g->name,
                     g->n_out);
  return ms_take(&in, g->out[0].name, out);
}

weft_status ms_call_value(ms_op *o, const ms_value *f, const ms_value *args, size_t n, ms_value *out) {
  if (f->kind == MS_SWITCH)
    return ms_branch(o, f, args, n, out);
  if (f->kind != MS_PARTIAL)
    return weft_fail(o->m->f.d, WEFT_E_TYPE, "'%.200s', which is called, is no graph", o->node->key);
  ms_value *all = WEFT_NEW_N(&o->m->f.arena, ms_value, f->n + n + 1);
  WEFT_TRY(weft__allocated(all, o->m->f.d));
  for (size_t i = 0; i < f->n + n; i++)
    all[i] = i < f->n ? f->items[i] : args[i - f->n];
  return ms_call(o, f->graph, all, f->n + n, out);
}
// SPDX-License-Identifier: Apache-2.0
