// writes.c - which variables a signature writes to: before anything is made, so that those are states and the
// others stay constants. A handle is followed through calls and Identity from the argument of a function.
#include "base/allocated.h"
#include "frontend/tf/tables.h"

static bool writes_op(const char *op) {
  static const char *const starts[] = {"Assign", "ResourceApply", "ResourceScatter",
                                       "ResourceStridedSliceAssign", "ResourceSparseApply"};
  for (size_t i = 0; i < WEFT_COUNT(starts); i++) {
    if (!strncmp(op, starts[i], strlen(starts[i])))
      return true;
  }
  return false;
}

static bool writes_call(const char *op) {
  return !strcmp(op, "PartitionedCall") || !strcmp(op, "StatefulPartitionedCall");
}

// The argument whose handle input `k` of a node is; n_args: another one's.
static size_t writes_root(const tf_body *b, const tf_node *n, size_t k) {
  for (size_t steps = 0; k < n->n_in && steps <= b->n_nodes; steps++) {
    const char *name = n->in[k].node;
    const tf_node *from = weft__map_find(&b->by_name, name, strlen(name));
    for (size_t i = 0; !from && i < b->n_args; i++) {
      if (!strcmp(b->args[i], name))
        return i;
    }
    if (!from || strcmp(from->op, "Identity"))
      return b->n_args;
    n = from;
    k = 0;
  }
  return b->n_args;
}

static void writes_mark(tf_body *b, const tf_node *n, size_t k) {
  size_t root = writes_root(b, n, k);
  b->writes = true;
  if (root < b->n_args)
    b->arg_written[root] = true;
}

// Optimisers write to what comes before their rates.
static size_t writes_first(const char *op) {
  static const struct {
    const char *op;
    size_t n;
  } more[] = {
      {"ResourceApplyMomentum", 2},        {"ResourceApplyKerasMomentum", 2}, {"ResourceApplyAdam", 3},
      {"ResourceApplyAdagrad", 2},         {"ResourceApplyAdagradV2", 2},     {"ResourceApplyRMSProp", 3},
      {"ResourceApplyCenteredRMSProp", 4}, {"ResourceApplyFtrl", 3},          {"ResourceApplyAdadelta", 3}};
  for (size_t i = 0; i < WEFT_COUNT(more); i++) {
    if (!strcmp(more[i].op, op))
      return more[i].n;
  }
  return 1;
}

static bool writes_flow(const char *op) {
  return strstr(op, "If") || strstr(op, "While") || strstr(op, "Case");
}

void tf_operator_writes(tf_operator *o) {
  o->n_writes = writes_op(o->name) ? writes_first(o->name) : 0;
  o->calls = writes_call(o->name) || o->direct;
  o->takes_functions = o->calls || writes_flow(o->name) || (!o->row && !o->custom);
  o->must_run = o->n_writes || o->direct || !strcmp(o->name, "StatefulPartitionedCall");
}

typedef struct writes_looked {  // the node whose functions are looked at
  tf_body *b;
  const tf_node *n;
  uint32_t depth;
} writes_looked;

static weft_status writes_in_function(tf_import *m, const char *f, void *ctx) {
  const writes_looked *at = ctx;
  const tf_node *n = at->n;
  tf_body *callee;
  if (!weft__map_find(&m->functions, f, strlen(f)))
    return WEFT_OK;
  WEFT_TRY(tf_body_of(m, f, &callee));
  WEFT_TRY(tf_look(m, callee, at->depth + 1));
  if (!callee->writes)
    return WEFT_OK;
  if (!n->of->calls) {
    return weft_fail(
        m->f.d, WEFT_E_UNSUPPORTED,
        "function '%.100s', a branch or a loop of node '%.100s' (%.60s), writes to a variable: give "
        "the new value as an output of it, and assign it outside",
        f, n->name, n->op);
  }
  at->b->writes = true;
  for (size_t i = 0; i < callee->n_args && i < n->n_in; i++) {
    if (callee->arg_written[i])
      writes_mark(at->b, n, i);
  }
  return WEFT_OK;
}

weft_status tf_look_at(tf_import *m, tf_body *b, const tf_node *n, uint32_t depth) {
  writes_looked at = {b, n, depth};
  return tf_each_function(m, n, writes_in_function, &at);
}

weft_status tf_look(tf_import *m, tf_body *b, uint32_t depth) {
  if (b->looked)
    return WEFT_OK;
  if (depth > TF_DEPTH)
    return weft_fail(m->f.d, WEFT_E_LIMIT, "functions that call each other deeper than %d", TF_DEPTH);
  b->looked = true;
  b->arg_written = WEFT_NEW_N(&m->f.arena, bool, b->n_args + 1);
  WEFT_TRY(weft__allocated(b->arg_written, m->f.d));
  for (size_t i = 0; i < b->n_nodes; i++) {
    const tf_node *n = &b->nodes[i];
    for (size_t k = 0; k < n->of->n_writes; k++)
      writes_mark(b, n, k);
    if (n->of->takes_functions)
      WEFT_TRY(tf_look_at(m, b, n, depth));
  }
  return WEFT_OK;
}

// ---- states ----
static void writes_state(tf_op *o, tf_variable *v) {
  if (v->state || o->b.failed)
    return;
  weft_value *first = tf_variable_read(o, v);
  if (!first)
    return;
  if (first->n_uses) {
    front_fail(&o->b, WEFT_E_UNSUPPORTED, "variable '%.200s' is read before the call that writes to it",
               v->name);
    return;
  }
  v->state = v->now = front_state(&o->b, v->name, first);
  v->next = o->m->written;
  o->m->written = v;
}

weft_status tf_states_of_call(tf_op *o, const char *function) {
  tf_body *b;
  WEFT_TRY(tf_body_of(o->m, function, &b));
  WEFT_TRY(tf_look(o->m, b, 0));
  for (size_t i = 0; i < b->n_args && i < o->n_in && b->writes; i++) {
    if (b->arg_written[i] && o->in[i].kind == TF_RESOURCE && o->in[i].variable)
      writes_state(o, o->in[i].variable);
  }
  return o->b.failed;
}

// ---- the main graph ----
// A graph of TensorFlow 1 may write to variables itself. What its outputs need runs, and what control inputs
// let run before that; the order is theirs, too, as in a function that writes.
typedef struct writes_reached {
  tf_node **stack;
  bool *seen;  // by node of the main graph
  size_t top;
} writes_reached;

static weft_status writes_reach_one(tf_import *m, writes_reached *r, const char *name) {
  tf_node *n;
  WEFT_TRY(tf_find(m, &m->main, name, &n));
  if (!n || r->seen[n - m->main.nodes])
    return WEFT_OK;
  r->seen[n - m->main.nodes] = true;
  r->stack[r->top++] = n;
  return WEFT_OK;
}

static weft_status writes_reach(tf_import *m, const tf_ref *outputs, size_t n, bool control, bool **out) {
  size_t room = m->main.n_nodes + 1;
  writes_reached r = {WEFT_NEW_N(&m->f.arena, tf_node *, room), WEFT_NEW_N(&m->f.arena, bool, room), 0};
  WEFT_TRY(weft__allocated(r.stack && r.seen, m->f.d));
  for (size_t i = 0; i < n; i++)
    WEFT_TRY(writes_reach_one(m, &r, outputs[i].node));
  while (r.top) {
    const tf_node *at = r.stack[--r.top];
    for (size_t k = 0; k < at->n_in; k++)
      WEFT_TRY(writes_reach_one(m, &r, at->in[k].node));
    for (size_t k = 0; k < at->n_after && control; k++)
      WEFT_TRY(writes_reach_one(m, &r, at->after[k]));
  }
  *out = r.seen;
  return WEFT_OK;
}

static weft_status writes_in_call(tf_import *m, const char *f, void *ctx) {
  bool *writes = ctx;
  tf_body *callee;
  if (!weft__map_find(&m->functions, f, strlen(f)))
    return WEFT_OK;
  WEFT_TRY(tf_body_of(m, f, &callee));
  WEFT_TRY(tf_look(m, callee, 0));
  *writes |= callee->writes;
  return WEFT_OK;
}

// The variables that a node of the main graph writes to become states.
static weft_status writes_states_of(tf_scope *s, const tf_node *n) {
  tf_op o = tf_op_of(s, n);
  for (size_t k = 0; k < n->of->n_writes && k < n->n_in; k++) {
    tf_value v;
    WEFT_TRY(tf_take(s, &n->in[k], &v));
    if (v.kind == TF_RESOURCE && v.variable)
      writes_state(&o, v.variable);
    if (o.b.failed) {
      weft_note(s->m->f.d, "before node '%.200s' (%.100s), which writes to it", n->name, n->op);
      return o.b.failed;
    }
  }
  return WEFT_OK;
}

static weft_status writes_unknown(tf_import *m, const bool *needed, const bool *reached) {
  char where[300];
  for (size_t i = 0; i < m->main.n_nodes; i++) {
    const tf_node *n = &m->main.nodes[i];
    if (!reached[i] || needed[i] || n->of->row || n->of->custom)
      continue;
    snprintf(where, sizeof where, "'%.200s', behind a control input", n->name);
    WEFT_TRY(front_unknown(&m->f, n->op, where));
  }
  return front_unknown_all(&m->f);
}

weft_status tf_main_writes(tf_scope *s, const tf_ref *outputs, size_t n) {
  tf_import *m = s->m;
  bool *needed;   // by what the outputs are made of
  bool *reached;  // along control inputs, too
  WEFT_TRY(writes_reach(m, outputs, n, false, &needed));
  WEFT_TRY(writes_reach(m, outputs, n, true, &reached));
  for (size_t i = 0; i < m->main.n_nodes; i++) {
    const tf_node *at = &m->main.nodes[i];
    if (!reached[i])
      continue;
    bool writes = at->of->n_writes > 0;
    if (at->of->calls && !needed[i])
      WEFT_TRY(tf_each_function(m, at, writes_in_call, &writes));
    m->main.writes |= writes;
  }
  if (!m->main.writes)
    return WEFT_OK;
  WEFT_TRY(writes_unknown(m, needed, reached));
  for (size_t i = 0; i < m->main.n_nodes; i++) {
    if (reached[i])
      WEFT_TRY(writes_states_of(s, &m->main.nodes[i]));
  }
  return WEFT_OK;
}

weft_status tf_states_end(tf_scope *s) {
  front_op b = front_op_of(&s->m->f, &s->s, "variables", "AssignVariableOp", 0);
  for (tf_variable *v = s->m->written; v && !b.failed; v = v->next) {
    if (v->now != v->state)
      front_state_set(&b, v->state, v->now);
  }
  return b.failed;
}
// SPDX-License-Identifier: Apache-2.0
