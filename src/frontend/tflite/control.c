// control.c - branches and loops. Subgraphs are closed: what they read is handed to them. WHILE is a Loop
// whose body runs the model's body and, behind it, the model's condition; what the body hands on unchanged is
// no carried value but an input, so that its sizes stay known.
#include "base/allocated.h"
#include "frontend/tflite/tables.h"

typedef struct control_values {
  weft_value **v;
  size_t n;
} control_values;

static bool control_room(tl_op *o, control_values *to, size_t n) {
  to->n = 0;
  to->v = WEFT_NEW_N(&o->m->f.arena, weft_value *, n + 1);
  if (!to->v)
    front_fail(&o->b, WEFT_E_NOMEM, "out of memory");
  return to->v != NULL;
}

static weft_value *control_bool(front_op *b, weft_value *v) {
  return front_as(b, front_reshaped(b, v, NULL, 0), WEFT_BOOL);
}

static weft_fact control_plain(const weft_value *v) {
  weft_fact f = v->fact;
  f.value = NULL;
  f.elems = NULL;
  f.min = f.max = NULL;
  return f;
}

// ---- bodies ----
static weft_value *control_input(front_op *b, const weft_fact *fact) {
  weft_tensor_desc desc;
  char name[64];
  weft_diag *d = b->f->d;
  do
    snprintf(name, sizeof name, "in_%u", b->f->n_made++);
  while (weft_graph_find_value(b->s->g, name));
  weft__fact_desc(fact, name, &desc);
  weft_value *v = weft_graph_input_desc(b->s->g, name, &desc, d);
  b->failed = v ? weft__value_set_fact(v, fact, d) : d->status;
  return b->failed ? NULL : v;
}

static weft_status control_output(front_op *b, weft_value *v) {
  if (!b->failed && (!v->node || v->n_outputs))  // an input, a constant, or twice the same
    v = front_do(b, "Identity", v, NULL, NULL);
  if (!b->failed)
    b->failed = weft_graph_output(b->s->g, v, b->f->d);
  return b->failed;
}

// A body's graph, its inputs described by `facts`; `fill` gives its outputs.
typedef struct control_body {
  tl_op *o;
  size_t subgraph;
  const weft_fact *facts;
  size_t n;
  weft_status (*fill)(struct control_body *c, front_op *b, weft_value *const *in);
  void *ctx;
} control_body;

static weft_status control_filled(control_body *c, front_op *b) {
  control_values in;
  if (!control_room(c->o, &in, c->n))
    return c->o->b.failed;
  for (size_t i = 0; i < c->n && !b->failed; i++)
    in.v[in.n++] = control_input(b, &c->facts[i]);
  return b->failed ? b->failed : c->fill(c, b, in.v);
}

static void control_make(control_body *c, weft_node *node, uint32_t slot) {
  front_scope s;
  weft_graph *g;
  char name[64];
  tl_op *o = c->o;
  if (o->b.failed)
    return;
  snprintf(name, sizeof name, "body_%u", o->m->f.n_made++);
  o->b.failed = weft_node_add_graph(node, slot, name, &g, o->m->f.d);
  if (o->b.failed)
    return;
  o->b.failed = front_scope_begin(&o->m->f, &s, g, o->s->depth + 1);
  if (o->b.failed)
    return;
  front_op b = front_op_of(&o->m->f, &s, o->b.name, o->b.type, 0);
  o->b.failed = control_filled(c, &b);
  front_scope_end(&s);
}

static weft_fact *control_facts(tl_op *o, weft_value *const *v, size_t n) {
  weft_fact *f = WEFT_NEW_N(&o->m->f.arena, weft_fact, n + 2);
  if (!f)
    front_fail(&o->b, WEFT_E_NOMEM, "out of memory");
  for (size_t i = 0; f && i < n; i++)
    f[i] = control_plain(v[i]);
  return o->b.failed ? NULL : f;
}

static void control_results(tl_op *o, weft_value *first, size_t n) {
  for (size_t i = 0; first && i < n; i++)
    tl_give_raw(o, i, &first[i]);
}

// ---- IF ----
static tl_call control_call(const control_body *c, front_op *b, size_t subgraph, weft_value *const *in,
                            size_t n) {
  return (tl_call){.s = b->s, .subgraph = subgraph, .in = in, .n = n, .depth = c->o->s->depth + 1};
}

static weft_status control_branch(control_body *c, front_op *b, weft_value *const *in) {
  tl_call run = control_call(c, b, c->subgraph, in, c->n);
  WEFT_TRY(tl_inline(c->o->m, &run));
  if (run.n_out != tl_n_out(c->o))
    return front_fail(b, WEFT_E_INVALID, "subgraph %zu gives %zu outputs, the operator has %zu", c->subgraph,
                      run.n_out, tl_n_out(c->o));
  for (size_t i = 0; i < run.n_out && !b->failed; i++)
    (void)!control_output(b, run.out[i]);
  return b->failed;
}

static void control_if(tl_op *o) {
  size_t n;
  weft_value **in = tl_list(o, 0, &n);
  const int64_t subgraphs[2] = {tl_int(o, 0, 0), tl_int(o, 1, 0)};
  if (!in)
    return;
  in[0] = control_bool(&o->b, in[0]);
  weft_fact *facts = o->b.failed ? NULL : control_facts(o, in + 1, n - 1);
  if (!facts)
    return;
  uint32_t counts[2] = {1, (uint32_t)n - 1};
  uint32_t outs[1] = {(uint32_t)tl_n_out(o)};
  weft_node *node = front_emit_open(&o->b, "If", in, n, &(weft_use){.in_counts = counts, .out_counts = outs});
  for (uint32_t k = 0; k < 2; k++) {
    control_body c = {.o = o, .facts = facts, .n = n - 1, .fill = control_branch};
    c.subgraph = (size_t)subgraphs[k];
    control_make(&c, node, k);
  }
  if (node)
    front_close(&o->b, node);
  control_results(o, o->b.failed ? NULL : node->out, tl_n_out(o));
}

// ---- WHILE ----
typedef struct control_loop {
  size_t cond, body;
  size_t n;       // of the model's loop
  bool *carried;  // the others are handed on unchanged
  size_t *place;  // of each among the Loop's values
  size_t n_carried;
} control_loop;

// Which values the body changes.
static bool control_carried(tl_op *o, control_loop *l) {
  const tl_subgraph *g = &o->m->subgraphs[l->body];
  const flat *f = &o->m->file;
  l->carried = WEFT_NEW_N(&o->m->f.arena, bool, l->n + 1);
  l->place = WEFT_NEW_N(&o->m->f.arena, size_t, l->n + 1);
  if (!l->carried || !l->place) {
    front_fail(&o->b, WEFT_E_NOMEM, "out of memory");
    return false;
  }
  if (g->in.n != l->n || g->out.n != l->n || tl_n_out(o) != l->n) {
    front_fail(&o->b, WEFT_E_INVALID,
               "a loop of %zu values whose body takes %zu and gives %zu, with %zu outputs", l->n, g->in.n,
               g->out.n, tl_n_out(o));
    return false;
  }
  for (size_t i = 0; i < l->n; i++) {
    l->carried[i] = flat_u32_at(f, &g->in, i) != flat_u32_at(f, &g->out, i);
    l->n_carried += l->carried[i];
  }
  size_t first = 0;
  size_t other = l->n_carried;
  for (size_t i = 0; i < l->n; i++)
    l->place[i] = l->carried[i] ? first++ : other++;
  return true;
}

static weft_value *control_condition(control_body *c, front_op *b, weft_value *const *in, size_t n) {
  const control_loop *l = c->ctx;
  if (b->failed)
    return NULL;
  tl_call again = control_call(c, b, l->cond, in, n);
  weft_status s = tl_inline(c->o->m, &again);
  if (s) {
    b->failed = s;
    return NULL;
  }
  if (again.n_out != 1)
    return front_none(b, WEFT_E_INVALID, "the condition, subgraph %zu, gives %zu values", l->cond,
                      again.n_out);
  return control_bool(b, again.out[0]);
}

// Inputs: number of the turn, condition, carried values, the others.
static weft_status control_turn(control_body *c, front_op *b, weft_value *const *in) {
  const control_loop *l = c->ctx;
  control_values now;
  if (!control_room(c->o, &now, l->n))
    return c->o->b.failed;
  for (size_t i = 0; i < l->n; i++)
    now.v[i] = in[2 + l->place[i]];
  tl_call next = control_call(c, b, l->body, now.v, l->n);
  WEFT_TRY(tl_inline(c->o->m, &next));
  for (size_t i = 0; i < l->n; i++) {
    if (!l->carried[i])
      next.out[i] = now.v[i];
  }
  weft_value *more = control_condition(c, b, next.out, l->n);
  if (!b->failed)
    (void)!control_output(b, more);
  for (size_t i = 0; i < l->n && !b->failed; i++) {
    if (l->carried[i])
      (void)!control_output(b, next.out[i]);
  }
  return b->failed;
}

static weft_fact control_scalar(weft_dtype t) {
  static const weft_dim none[1] = {0};
  return (weft_fact){.dtype = t,
                     .set = true,
                     .dims = none,
                     .format = WEFT_ND,
                     .origin_format = WEFT_ND,
                     .item_dtype = WEFT_UNDEFINED};
}

// A carried value may have other sizes in the next turn: known are those that the body's own input and output
// declare, too.
static weft_status control_declared(tl_op *o, const control_loop *l, size_t i, weft_fact *f) {
  const tl_subgraph *g = &o->m->subgraphs[l->body];
  const tl_tensor *in = &g->tensors[flat_u32_at(&o->m->file, &g->in, i)];
  const tl_tensor *out = &g->tensors[flat_u32_at(&o->m->file, &g->out, i)];
  if (f->unknown_rank)
    return WEFT_OK;
  weft_dim *dims = WEFT_NEW_N(&o->m->f.g->root->arena, weft_dim, (size_t)f->rank + 1);
  WEFT_TRY(weft__allocated(dims, o->m->f.d));
  for (int k = 0; k < f->rank; k++) {
    bool given =
        in->rank == f->rank && out->rank == f->rank && in->dims[k] >= 0 && in->dims[k] == out->dims[k];
    dims[k] = given && f->dims[k] == in->dims[k] ? f->dims[k] : WEFT_DIM_UNKNOWN;
  }
  f->dims = dims;
  return WEFT_OK;
}

static void control_loop_node(tl_op *o, control_loop *l, weft_value *const *in) {
  control_values list;
  uint32_t counts[4] = {0, 1, (uint32_t)l->n_carried, (uint32_t)(l->n - l->n_carried)};
  uint32_t outs[2] = {(uint32_t)l->n_carried, 0};
  control_body c = {.o = o, .n = l->n + 2, .fill = control_turn, .ctx = l};
  weft_value *first = control_condition(&c, &o->b, in, l->n);
  weft_fact *facts = WEFT_NEW_N(&o->m->f.arena, weft_fact, l->n + 2);
  if (!control_room(o, &list, l->n + 1) || !facts)
    front_fail(&o->b, WEFT_E_NOMEM, "out of memory");
  if (o->b.failed)
    return;
  list.v[0] = first;
  facts[0] = control_scalar(WEFT_INT64);
  facts[1] = control_scalar(WEFT_BOOL);
  for (size_t i = 0; i < l->n && !o->b.failed; i++) {
    list.v[1 + l->place[i]] = in[i];
    facts[2 + l->place[i]] = control_plain(in[i]);
    if (l->carried[i])
      o->b.failed = control_declared(o, l, i, &facts[2 + l->place[i]]);
  }
  c.facts = facts;
  weft_node *node =
      front_emit_open(&o->b, "Loop", list.v, l->n + 1, &(weft_use){.in_counts = counts, .out_counts = outs});
  control_make(&c, node, 0);
  if (node)
    front_close(&o->b, node);
  for (size_t i = 0; i < l->n && !o->b.failed; i++)
    tl_give_raw(o, i, l->carried[i] ? &node->out[l->place[i]] : in[i]);
}

static void control_while(tl_op *o) {
  control_loop l = {.cond = (size_t)tl_int(o, 0, 0), .body = (size_t)tl_int(o, 1, 0)};
  weft_value **in = tl_list(o, 0, &l.n);
  if (in && control_carried(o, &l))
    control_loop_node(o, &l, in);
}

static const tl_row control_rows[] = {
    {TL_IF, NULL, NULL, TL_RAW, 0, control_if},
    {TL_WHILE, NULL, NULL, TL_RAW, 0, control_while},
};
const tl_rows tl_control = TL_ROWS(control_rows);
// SPDX-License-Identifier: Apache-2.0
