// graph.c - the operators of a subgraph, one behind the other; what is not read is found before anything is
// made.
#include "base/allocated.h"
#include "frontend/tflite/tables.h"

static const tl_row *graph_row_of(const tl_import *m, const tl_operator *op) {
  if (op->custom)
    return tl_own_custom(op->type);
  return op->code < 0 || op->code > 255 ? NULL : m->rows[op->code];
}

// ---- what is not read ----
static weft_status graph_scan_op(tl_import *m, const tl_subgraph *g, const tl_operator *op, uint32_t depth) {
  char where[300];
  char type[200];
  if (!graph_row_of(m, op) && !tl_custom_of(m, op)) {
    snprintf(where, sizeof where, "operator %zu of subgraph %zu '%.100s'", op->index, g->index, g->name);
    snprintf(type, sizeof type, "%s%.160s", op->custom ? "custom " : "", op->type);
    return front_unknown(&m->f, type, where);
  }
  if (op->code != TL_IF && op->code != TL_WHILE)
    return WEFT_OK;
  for (uint32_t i = 0; i < 2; i++) {
    int32_t k = flat_i32(&m->file, &op->options, i, 0);
    WEFT_TRY(m->file.failed);
    if (k < 0 || (size_t)k >= m->n_subgraphs)
      return weft_fail(m->f.d, WEFT_E_RANGE, "operator %zu (%s) of subgraph %zu runs subgraph %d of %zu",
                       op->index, op->type, g->index, (int)k, m->n_subgraphs);
    if (!m->subgraphs[k].scanned)
      WEFT_TRY(tl_scan(m, &m->subgraphs[k], depth + 1));
  }
  return WEFT_OK;
}

weft_status tl_scan(tl_import *m, tl_subgraph *g, uint32_t depth) {
  if (depth > TL_DEPTH)
    return weft_fail(m->f.d, WEFT_E_LIMIT, "subgraphs nested deeper than %d", TL_DEPTH);
  g->scanned = true;
  for (size_t i = 0; i < g->n_ops; i++)
    WEFT_TRY(graph_scan_op(m, g, &g->ops[i], depth));
  return WEFT_OK;
}

// ---- one operator ----
static front_arg graph_argument(void *ctx, const char *name, size_t bytes) {
  static const char letters[] = "xyz";
  tl_op *o = ctx;
  const char *at = bytes == 1 ? strchr(letters, *name) : NULL;
  if (!at || !*at)
    return (front_arg){.kind = FRONT_ABSENT};
  return (front_arg){.kind = FRONT_VALUE, .v = tl_in(o, (size_t)(at - letters))};
}

static void graph_expression(tl_op *o) {
  weft_value *x = tl_in(o, 0);
  front_rule r = {.text = o->row->rule, .find = graph_argument, .ctx = o};
  r.type = x ? x->fact.dtype : (weft_dtype)WEFT_FLOAT;
  r.out = r.type;
  if (!o->b.failed)
    tl_give(o, 0, tl_active(o, front_eval(&o->b, &r)));
}

static void graph_primitive(tl_op *o) {
  size_t n;
  weft_value **in = tl_list(o, 0, &n);
  if (!in)
    return;
  if (o->row->attrs)
    tl_set_attrs(o, o->row->attrs);
  tl_give(o, 0, tl_active(o, front_emit(&o->b, o->row->rule, in, n, NULL)));
}

static weft_status graph_stand_ins(tl_op *o) {
  char where[160];
  const tl_subgraph *g = o->s->g;
  snprintf(where, sizeof where, "operator %zu of subgraph %zu '%.80s'", o->op->index, g->index, g->name);
  o->b.where = where;
  WEFT_TRY(front_failed(&o->b));
  for (size_t i = 0; i < tl_n_out(o); i++) {
    const tl_tensor *t = tl_tensor_out(o, i);
    weft_dtype as = t->t == WEFT_UNDEFINED ? (weft_dtype)WEFT_FLOAT : t->t;
    weft_value **made = &o->s->made[t - o->s->g->tensors];
    if (!*made)
      *made = front_stand_in(&o->b, as, t->dims, t->rank);
  }
  return o->b.failed;
}

static weft_status graph_once(tl_op *o) {
  for (size_t i = 0; i < tl_n_out(o); i++) {
    const tl_tensor *t = tl_tensor_out(o, i);
    if (o->s->made[t - o->s->g->tensors] || t->data)
      return front_fail(&o->b, WEFT_E_INVALID, "output %zu, '%.100s', is made twice, or a constant", i,
                        t->name);
  }
  return WEFT_OK;
}

static weft_status graph_op(tl_scope *s, const tl_operator *op) {
  int32_t first = op->out.n ? (int32_t)flat_u32_at(&s->m->file, &op->out, 0) : -1;
  const char *name = first >= 0 && *s->g->tensors[first].name ? s->g->tensors[first].name : op->type;
  tl_op o = {.b = front_op_of(&s->m->f, s->s, name, op->type, op->options.at), .s = s, .m = s->m, .op = op};
  o.row = graph_row_of(s->m, op);
  const weft_proto *custom = o.row ? NULL : tl_custom_of(s->m, op);
  if (!o.row && !custom)
    front_fail(&o.b, WEFT_E_UNSUPPORTED, "operator %.100s is not read", op->type);
  else if (graph_once(&o))
    ;
  else if (custom)
    tl_custom(&o, custom);
  else if (o.row->fn)
    o.row->fn(&o);
  else if (strchr(o.row->rule, '('))
    graph_expression(&o);
  else
    graph_primitive(&o);
  if (o.b.failed)
    return graph_stand_ins(&o);
  for (size_t i = 0; i < tl_n_out(&o); i++) {
    const tl_tensor *t = tl_tensor_out(&o, i);
    weft_value *v = s->made[t - s->g->tensors];
    if (v)
      front_name(&o.b, v, *t->name ? t->name : NULL);
  }
  return o.b.failed;
}

// ---- a subgraph ----
static weft_status graph_result(tl_scope *s, size_t index, weft_value **out) {
  const tl_tensor *t = &s->g->tensors[index];
  tl_op o = {.b = front_op_of(&s->m->f, s->s, t->name, "output", 0), .s = s, .m = s->m};
  *out = s->made[index];
  if (!*out && t->data)
    *out = s->made[index] = tl_constant(&o, t);
  if (*out)
    return WEFT_OK;
  return o.b.failed ? o.b.failed
                    : weft_fail(s->m->f.d, WEFT_E_MISSING,
                                "output '%.200s' of subgraph %zu '%.100s' is made by no operator", t->name,
                                s->g->index, s->g->name);
}

weft_status tl_inline(tl_import *m, tl_call *c) {
  tl_subgraph *g = &m->subgraphs[c->subgraph];
  tl_scope s = {.m = m, .s = c->s, .g = g, .depth = c->depth};
  if (c->depth > TL_DEPTH)
    return weft_fail(m->f.d, WEFT_E_LIMIT, "subgraphs nested deeper than %d", TL_DEPTH);
  if (c->n != g->in.n)
    return weft_fail(m->f.d, WEFT_E_INVALID, "subgraph %zu '%.100s' takes %zu inputs, it is given %zu",
                     c->subgraph, g->name, g->in.n, c->n);
  m->n_run += g->n_ops + 1;
  if (m->n_run > TL_MAX_OPERATORS)
    return weft_fail(m->f.d, WEFT_E_LIMIT, "more than %d operators, subgraphs counted as often as they run",
                     (int)TL_MAX_OPERATORS);
  s.made = WEFT_NEW_N(&m->f.arena, weft_value *, g->n_tensors + 1);
  c->out = WEFT_NEW_N(&m->f.arena, weft_value *, g->out.n + 1);
  WEFT_TRY(weft__allocated(s.made && c->out, m->f.d));
  for (size_t i = 0; i < c->n; i++)
    s.made[flat_u32_at(&m->file, &g->in, i)] = c->in[i];
  for (size_t i = 0; i < g->n_ops; i++)
    WEFT_TRY(graph_op(&s, &g->ops[i]));
  c->n_out = g->out.n;
  for (size_t i = 0; i < g->out.n; i++)
    WEFT_TRY(graph_result(&s, flat_u32_at(&m->file, &g->out, i), &c->out[i]));
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
