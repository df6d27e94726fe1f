// simplify_control.c - an If whose condition is known becomes its branch; a Loop that runs no turn or just
// one becomes its initial values or its body; outputs of If and Loop that nothing reads, and inputs that no
// sub-graph reads, are left out. Exact: the same nodes run on the same values. Nodes with side effects
// inside, and control edges, are left alone.
#include "pass/match.h"
#include "base/allocated.h"

// ---- giving the outputs of a node other values ----

// An output of the root graph needs a value of its own: a copy where `by` cannot take its name.
static weft_status own(weft_pass_run *r, weft_node *n, const weft_value *v, weft_value **by) {
  bool free_name = (*by)->origin != WEFT_VALUE_INPUT && !(*by)->n_outputs;
  if (!v->n_outputs || v->graph->parent || free_name)
    return WEFT_OK;
  return weft__pass_op(r, n, &(weft__pass_new){.kind = WEFT_K_IDENTITY, .in = by, .n_in = 1}, by);
}

static bool read_by_any(const weft_value *v) {
  return weft__value_read(v);
}

// All outputs or none: by[i] for output i.
static weft_status simplify_control_give(weft_pass_run *r, weft_node *n, weft_value **by, const char *done) {
  uint32_t n_out = n->desc.pub.n_out;
  for (uint32_t i = 0; i < n_out; i++) {
    if (!read_by_any(&n->out[i]))
      continue;
    const char *why = by[i] ? weft__pass_refuse(r, &n->out[i], by[i]) : "its shape is not known";
    if (!why || !strcmp(why, "an output of the graph stays a value of its own"))
      continue;
    weft__pass_skipped(r, n, "output %u: %s", i, why);
    for (uint32_t k = 0; k < n_out; k++) {
      if (by[k] && by[k]->node && by[k]->node->id >= r->first_node)
        WEFT_TRY(weft__pass_prune(r, by[k]->node));
    }
    return WEFT_OK;
  }
  weft__pass_did(r, n, "%s", done);
  for (uint32_t i = 0; i < n_out && n->graph; i++) {
    if (!read_by_any(&n->out[i]))
      continue;
    WEFT_TRY(own(r, n, &n->out[i], &by[i]));
    WEFT_TRY(weft__pass_replace(r, &n->out[i], by[i]));
  }
  return WEFT_OK;
}

static weft_status inline_one(weft_pass_run *r, weft_node *n, const weft_graph *sub, weft_value *const *in,
                              weft_value **out, bool *out_done) {
  weft_status s = weft__pass_inline(r, n, sub, in, out);
  *out_done = !s;
  if (s != WEFT_E_UNSUPPORTED || r->d->status)
    return s;
  weft__pass_skipped(r, n, "its sub-graph has control edges");
  return WEFT_OK;
}

// ---- If and Loop whose course is known ----

static bool known_flag(const weft_value *v, bool *out) {
  const weft_tensor *t = weft__known(v);
  if (!t || weft_tensor_elems(t) != 1 || !((WEFT_SET_INTEGER | WEFT_DT(BOOL)) & WEFT_BIT(t->dtype)))
    return false;
  *out = weft_load_i64(t->dtype, t->data, 0) != 0;
  return true;
}

static weft_status on_if(weft_pass_run *r, weft_node *n, bool yes) {
  const weft_graph *sub = n->graphs[yes ? 0 : 1];
  weft_value **in = WEFT_NEW_N(&r->scratch, weft_value *, sub->inputs.n + 1);
  weft_value **out = WEFT_NEW_N(&r->scratch, weft_value *, sub->outputs.n + 1);
  bool done;
  WEFT_TRY(weft__allocated(in && out, r->d));
  if (sub->inputs.n + 1 != n->desc.pub.n_in || sub->outputs.n != n->desc.pub.n_out)
    return WEFT_OK;
  for (size_t i = 0; i < sub->inputs.n; i++)
    in[i] = n->in[1 + i].value;
  WEFT_TRY(inline_one(r, n, sub, in, out, &done));
  return done ? simplify_control_give(r, n, out, "its condition is known: the branch took its place")
              : WEFT_OK;
}

enum { M, COND, V, INPUT };
typedef struct loop {
  const weft_graph *body;
  uint32_t n_v, n_input, n_scan, first_v, first_input;
} loop;

static bool simplify_control_look(const weft_node *n, loop *l) {
  const weft_op_desc *d = &n->desc.pub;
  if (n->n_graphs != 1)
    return false;
  *l = (loop){n->graphs[0],         d->in_port[V].count, d->in_port[INPUT].count,
              d->out_port[1].count, d->in_port[V].start, d->in_port[INPUT].start};
  return l->body->inputs.n == 2 + (size_t)l->n_v + l->n_input &&
         l->body->outputs.n == 1 + (size_t)l->n_v + l->n_scan;
}

// 0 or 1 turns; -1: more, or not known.
static int turns(const weft_node *n, const loop *l) {
  weft_value *m = weft__port_arg(n, M);
  weft_value *cond = weft__port_arg(n, COND);
  bool goes = true;
  bool again;
  const weft_tensor *t = weft__known(m);
  int64_t most = t && weft_tensor_elems(t) == 1 ? weft_load_i64(t->dtype, t->data, 0) : m ? -1 : INT64_MAX;
  if (t && most <= 0)
    return 0;
  if (cond && !known_flag(cond, &goes))
    return -1;
  if (!goes)
    return 0;
  if (most == 1)
    return 1;
  bool ends = l->body->outputs.v[0]->fact.set && known_flag(l->body->outputs.v[0], &again) && !again;
  return ends && most > 1 ? 1 : -1;
}

static weft_status no_turn(weft_pass_run *r, weft_node *n, const loop *l) {
  weft_value **by = WEFT_NEW_N(&r->scratch, weft_value *, (size_t)l->n_v + l->n_scan + 1);
  WEFT_TRY(weft__allocated(by, r->d));
  for (uint32_t i = 0; i < l->n_v; i++)
    by[i] = n->in[l->first_v + i].value;
  for (uint32_t i = l->n_v; i < l->n_v + l->n_scan; i++) {
    const weft_fact *f = &n->out[i].fact;
    weft_dim dims[WEFT_MAX_RANK];
    if (!read_by_any(&n->out[i]) || !weft__fact_ranked(f) || !f->rank || f->dtype == WEFT_STRING)
      continue;
    bool known = true;
    dims[0] = 0;
    for (uint32_t k = 1; k < f->rank; k++)
      known &= (dims[k] = f->dims[k]) >= 0;
    if (known && !(by[i] = weft__pass_filled(r, n->graph, "nothing", f->dtype, dims, f->rank, 0)))
      return r->d->status;
  }
  return simplify_control_give(r, n, by, "it runs no turn");
}

static weft_status one_turn(weft_pass_run *r, weft_node *n, const loop *l) {
  weft_value **in = WEFT_NEW_N(&r->scratch, weft_value *, l->body->inputs.n + 1);
  weft_value **out = WEFT_NEW_N(&r->scratch, weft_value *, l->body->outputs.n + 1);
  bool done;
  WEFT_TRY(weft__allocated(in && out, r->d));
  in[0] = weft__pass_filled(r, n->graph, "turn", WEFT_INT64, NULL, 0, 0);
  WEFT_TRY(weft__pass_made(r, in[0]));
  in[1] = weft__pass_filled(r, n->graph, "cond", WEFT_BOOL, NULL, 0, 1);
  WEFT_TRY(weft__pass_made(r, in[1]));
  for (uint32_t i = 0; i < l->n_v; i++)
    in[2 + i] = n->in[l->first_v + i].value;
  for (uint32_t i = 0; i < l->n_input; i++)
    in[2 + l->n_v + i] = n->in[l->first_input + i].value;
  WEFT_TRY(inline_one(r, n, l->body, in, out, &done));
  if (!done)
    return WEFT_OK;
  for (uint32_t i = 0; i < l->n_scan; i++) {
    int64_t first = 0;
    weft_named_attr axes = {"axes", weft_attr_ints(&first, 1)};
    weft_value **scan = &out[1 + l->n_v + i];
    WEFT_TRY(weft__pass_op(
        r, n,
        &(weft__pass_new){.kind = WEFT_K_UNSQUEEZE, .attrs = &axes, .n_attrs = 1, .in = scan, .n_in = 1},
        scan));
  }
  return simplify_control_give(r, n, out + 1, "it runs one turn: its body took its place");
}

// ---- what nothing reads ----

typedef struct plan {
  bool *keep_in, *keep_out, *sub_in, *sub_out;
  uint32_t dropped;
} plan;

static weft_status plan_begin(weft_pass_run *r, const weft_node *n, plan *p) {
  size_t in = n->desc.pub.n_in;
  size_t out = n->desc.pub.n_out;
  size_t all = 2 * (in + out) + 8;
  bool *v = WEFT_NEW_N(&r->scratch, bool, all);
  WEFT_TRY(weft__allocated(v, r->d));
  memset(v, 1, all);
  *p = (plan){v, v + in, v + in + out, v + 2 * in + out + 4, 0};
  return WEFT_OK;
}

static void simplify_control_drop(plan *p, bool *keep) {
  *keep = false;
  p->dropped++;
}

static void plan_if(const weft_node *n, plan *p) {
  for (uint32_t i = 0; i < n->desc.pub.n_out; i++) {
    if (!read_by_any(&n->out[i])) {
      simplify_control_drop(p, &p->keep_out[i]);
      p->sub_out[i] = false;
    }
  }
  for (uint32_t i = 1; i < n->desc.pub.n_in; i++) {
    if (!read_by_any(n->graphs[0]->inputs.v[i - 1]) && !read_by_any(n->graphs[1]->inputs.v[i - 1])) {
      simplify_control_drop(p, &p->keep_in[i]);
      p->sub_in[i - 1] = false;
    }
  }
}

static void plan_loop(const weft_node *n, const loop *l, plan *p) {
  for (uint32_t i = 0; i < l->n_scan; i++) {
    if (!read_by_any(&n->out[l->n_v + i])) {
      simplify_control_drop(p, &p->keep_out[l->n_v + i]);
      p->sub_out[1 + l->n_v + i] = false;
    }
  }
  for (uint32_t i = 0; i < l->n_input; i++) {
    if (!read_by_any(l->body->inputs.v[2 + l->n_v + i])) {
      simplify_control_drop(p, &p->keep_in[l->first_input + i]);
      p->sub_in[2 + l->n_v + i] = false;
    }
  }
  for (uint32_t i = 0; i < l->n_v; i++) {  // carried, but neither the body nor anybody after reads it
    const weft_value *v = l->body->inputs.v[2 + i];
    bool handed_on = v->n_outputs == 1 && l->body->outputs.v[1 + i] == v;
    if (read_by_any(&n->out[i]) || v->uses || (v->n_outputs && !handed_on))
      continue;
    simplify_control_drop(p, &p->keep_in[l->first_v + i]);
    p->keep_out[i] = p->sub_in[2 + i] = p->sub_out[1 + i] = false;
  }
}

static weft_status trim(weft_pass_run *r, weft_node *n, const plan *p) {
  weft__trim t = {p->keep_in, p->keep_out, p->sub_in, p->sub_out};
  weft_node *made;
  weft_status s = weft__pass_trim(r, n, &t, &made);
  if (s == WEFT_E_UNSUPPORTED && !r->d->status) {
    weft__pass_skipped(r, n, "its sub-graph has control edges");
    return WEFT_OK;
  }
  WEFT_TRY(s);
  weft_value **by = WEFT_NEW_N(&r->scratch, weft_value *, (size_t)n->desc.pub.n_out + 1);
  WEFT_TRY(weft__allocated(by, r->d));
  for (uint32_t i = 0, k = 0; i < n->desc.pub.n_out; i++) {
    if (p->keep_out[i])
      by[i] = &made->out[k++];
  }
  return simplify_control_give(r, n, by, "without the inputs and outputs that nothing reads");
}

static weft_status simplify_control_visit(weft_pass_run *r, weft_node *n) {
  int kind = weft__kind(r, n);
  bool yes;
  bool used = false;
  loop l;
  plan p;
  if ((kind != WEFT_K_IF && kind != WEFT_K_LOOP) || (kind == WEFT_K_IF && n->n_graphs != 2))
    return WEFT_OK;
  for (uint32_t i = 0; i < n->desc.pub.n_out; i++)
    used |= read_by_any(&n->out[i]);
  if (!used)
    return WEFT_OK;
  if (n->controls || weft__pass_effect(n)) {
    weft__pass_skipped(r, n, "it has control edges or side effects");
    return WEFT_OK;
  }
  if (kind == WEFT_K_IF && known_flag(n->in[0].value, &yes))
    return on_if(r, n, yes);
  if (kind == WEFT_K_LOOP) {
    if (!simplify_control_look(n, &l))
      return WEFT_OK;
    int count = turns(n, &l);
    if (count >= 0)
      return count ? one_turn(r, n, &l) : no_turn(r, n, &l);
  }
  WEFT_TRY(plan_begin(r, n, &p));
  if (kind == WEFT_K_IF)
    plan_if(n, &p);
  else
    plan_loop(n, &l, &p);
  return p.dropped ? trim(r, n, &p) : WEFT_OK;
}

WEFT_PASS(simplify_control) = {WEFT_PASS_HEAD,
                               "simplify-control",
                               "If and Loop whose course is known, unread outputs",
                               WEFT_PASS_SIMPLIFY,
                               .visit = simplify_control_visit,
                               .at = WEFT_NAMES("If", "Loop")};
// SPDX-License-Identifier: Apache-2.0
