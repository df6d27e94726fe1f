// graph.c - the nodes that outputs need, made one behind what it reads; functions are written into the graph
// around them, with their arguments' values in place of the arguments.
#include "base/allocated.h"
#include "frontend/tf/tf.h"

// ---- outputs of nodes ----
static weft_status graph_find(const tf_scope *s, const tf_ref *r, size_t *out) {
  const tf_node *n =
      r->at ? &s->body->nodes[r->at - 1] : weft__map_find(&s->body->by_name, r->node, strlen(r->node));
  if (!n)
    return weft_fail(s->m->f.d, WEFT_E_NOT_FOUND, "there is no node '%.200s'", r->node);
  *out = (size_t)(n - s->body->nodes);
  return WEFT_OK;
}

static bool graph_is_arg(const tf_scope *s, const tf_ref *r, size_t *out) {
  if (!r->arg)
    return !r->at && tf_body_arg(s->body, r->node, out);
  *out = r->arg - 1;
  return true;
}

// ---- one node ----
tf_op tf_op_of(tf_scope *s, const tf_node *node) {
  return (tf_op){
      .b = front_op_of(&s->m->f, &s->s, node->name, node->op, node->offset), .s = s, .m = s->m, .node = node};
}

static weft_status graph_given(tf_scope *s, const tf_ref *r, tf_value *out) {
  size_t i;
  if (graph_is_arg(s, r, &i)) {
    *out = s->args[i];
    return WEFT_OK;
  }
  WEFT_TRY(graph_find(s, r, &i));
  const tf_made *made = &s->made[i];
  uint32_t port = tf_port(s->m, &s->body->nodes[i], r);
  if (made->state != 2)
    return weft_fail(s->m->f.d, WEFT_E_STATE, "node '%.200s' is read before it is made", r->node);
  if (port >= made->n)
    return weft_fail(s->m->f.d, WEFT_E_RANGE, "node '%.200s' (%.60s) has %zu outputs, output %u is read",
                     r->node, s->body->nodes[i].op, made->n, (unsigned)port);
  *out = made->out[port];
  return WEFT_OK;
}

static weft_status graph_inputs(tf_op *o) {
  o->n_in = o->node->n_in;
  o->in = WEFT_NEW_N(&o->m->f.arena, tf_value, o->n_in + 1);
  WEFT_TRY(weft__allocated(o->in, o->m->f.d));
  for (size_t i = 0; i < o->n_in; i++)
    WEFT_TRY(graph_given(o->s, &o->node->in[i], &o->in[i]));
  return WEFT_OK;
}

// What is computed from a value of a branch belongs to that branch; Switch and Merge say so themselves.
static void graph_branch(tf_op *o) {
  const tf_branch *b = NULL;
  if (strstr(o->node->op, "Switch") || !strcmp(o->node->op, "Merge"))
    return;
  for (size_t i = 0; i < o->n_in && !b; i++)
    b = o->in[i].branch;
  for (size_t i = 0; i < o->made->n && b; i++)
    o->made->out[i].branch = b;
}

static void graph_expression(tf_op *o, const tf_row *row);

static void graph_row(tf_op *o) {
  const tf_row *row = o->node->of->row;
  if (o->node->of->custom) {
    tf_custom(o, o->node->of->custom);
    return;
  }
  if (!row) {
    front_fail(&o->b, WEFT_E_UNSUPPORTED, "operator %.100s is not read", o->node->op);
    return;
  }
  if (row->fn)
    row->fn(o);
  else if (strchr(row->rule, '('))
    graph_expression(o, row);
  else {
    weft_value *in[TF_MAX_NUMBERS];
    if (o->n_in > TF_MAX_NUMBERS)
      front_fail(&o->b, WEFT_E_LIMIT, "%zu inputs", o->n_in);
    for (size_t i = 0; i < o->n_in && !o->b.failed; i++)
      in[i] = tf_in(o, i);
    if (row->attrs)
      tf_set_attrs(o, row->rule, row->attrs);
    weft_value *y = front_emit(&o->b, row->rule, in, o->b.failed ? 0 : o->n_in, NULL);
    tf_give_all(o, y, y ? y->node->desc.pub.n_out : 0);
  }
}

static front_arg graph_argument(void *ctx, const char *name, size_t bytes) {
  static const char letters[] = "xyz";
  tf_op *o = ctx;
  const char *at = bytes == 1 ? strchr(letters, *name) : NULL;
  if (at && *at) {
    size_t i = (size_t)(at - letters);
    return i < o->n_in ? (front_arg){.kind = FRONT_VALUE, .v = tf_in(o, i)}
                       : (front_arg){.kind = FRONT_ABSENT};
  }
  wire_field f;
  tf_bytes a = tf_attr(o, name);
  if (tf_field(o->m, a, 4, &f))
    return (front_arg){.kind = FRONT_FLOAT, .f = tf_float(o, name, 0)};
  if (tf_field(o->m, a, 3, &f))
    return (front_arg){.kind = FRONT_INT, .i = (int64_t)f.value};
  if (tf_field(o->m, a, 5, &f))
    return (front_arg){.kind = FRONT_BOOL, .i = f.value != 0};
  return (front_arg){.kind = FRONT_ABSENT};
}

static void graph_expression(tf_op *o, const tf_row *row) {
  weft_value *x = o->n_in ? tf_in(o, 0) : NULL;
  front_rule r = {.text = row->rule, .find = graph_argument, .ctx = o};
  r.out = x ? x->fact.dtype : (weft_dtype)WEFT_FLOAT;
  if (!o->b.failed)
    tf_give(o, 0, front_eval(&o->b, &r));
}

// So that the reading goes on behind a node that failed.
static weft_status graph_stand_in(tf_op *o) {
  WEFT_TRY(front_failed(&o->b));
  weft_dtype t = tf_type(o, "T", WEFT_FLOAT);
  for (size_t i = 0; i < 8; i++)
    tf_give(o, i, front_stand_in(&o->b, tf_type(o, "dtype", t), NULL, -1));
  return o->b.failed;
}

static void graph_name(tf_op *o, size_t k) {
  char name[400];
  const char *of = o->node->name;
  if (o->made->out[k].kind != TF_TENSOR)
    return;
  if (k || strlen(of) > 300) {
    snprintf(name, sizeof name, k ? "%.300s:%zu" : "%.300s", of, k);
    of = name;
  }
  front_name(&o->b, o->made->out[k].v, of);
}

static weft_status graph_make(tf_scope *s, size_t i) {
  tf_op o = tf_op_of(s, &s->body->nodes[i]);
  if (++s->m->n_made > TF_MAX_NODES)
    return weft_fail(s->m->f.d, WEFT_E_LIMIT, "functions that are called make more than %d nodes",
                     TF_MAX_NODES);
  o.made = &s->made[i];
  o.b.failed = graph_inputs(&o);
  if (!o.b.failed)
    graph_row(&o);
  o.made->state = 2;
  if (o.b.failed)
    return graph_stand_in(&o);
  graph_branch(&o);
  for (size_t k = 0; k < o.made->n; k++)
    graph_name(&o, k);
  return o.b.failed;
}

// ---- in order ----
// In a function that writes to variables, control inputs tell reads from before a write and after it.
static weft_status graph_waits_after(tf_scope *s, const tf_node *n, bool *waits, size_t *out) {
  for (size_t k = 0; s->body->writes && k < n->n_after && !*waits; k++) {
    const tf_node *before = weft__map_find(&s->body->by_name, n->after[k], strlen(n->after[k]));
    if (!before)
      continue;  // an argument
    *out = (size_t)(before - s->body->nodes);
    *waits = !s->made[*out].state;
    if (s->made[*out].state == 1) {
      return weft_fail(s->m->f.d, WEFT_E_CYCLE, "nodes '%.100s' and '%.100s' wait for each other", n->name,
                       before->name);
    }
  }
  return WEFT_OK;
}

// The first input that is not made yet: those before `in` are.
typedef struct graph_step {
  size_t node, in;
} graph_step;

static weft_status graph_waits(tf_scope *s, graph_step *step, bool *waits, size_t *out) {
  const tf_node *n = &s->body->nodes[step->node];
  size_t arg;
  *waits = false;
  for (; step->in < n->n_in; step->in++) {
    const tf_ref *r = &n->in[step->in];
    if (graph_is_arg(s, r, &arg))
      continue;
    WEFT_TRY(graph_find(s, r, out));
    if (s->made[*out].state == 2)
      continue;
    if (s->made[*out].state == 1) {
      return weft_fail(s->m->f.d, WEFT_E_UNSUPPORTED,
                       "nodes '%.100s' and '%.100s' wait for each other: a loop of control flow v1 "
                       "(Enter, Merge, NextIteration), which is not read; export the model as a SavedModel "
                       "of TensorFlow 2",
                       n->name, r->node);
    }
    *waits = true;
    return WEFT_OK;
  }
  return graph_waits_after(s, n, waits, out);
}

static weft_status graph_make_all(tf_scope *s, size_t first) {
  graph_step *stack = WEFT_NEW_N(&s->m->f.arena, graph_step, s->body->n_nodes + 1);
  size_t n = 0;
  WEFT_TRY(weft__allocated(stack, s->m->f.d));
  stack[n++] = (graph_step){first, 0};
  s->made[first].state = 1;
  while (n) {
    bool waits;
    size_t next;
    WEFT_TRY(graph_waits(s, &stack[n - 1], &waits, &next));
    if (waits) {
      s->made[next].state = 1;
      stack[n++] = (graph_step){next, 0};
    } else
      WEFT_TRY(graph_make(s, stack[--n].node));
  }
  return WEFT_OK;
}

weft_status tf_take(tf_scope *s, const tf_ref *r, tf_value *out) {
  size_t i;
  if (!graph_is_arg(s, r, &i)) {
    WEFT_TRY(graph_find(s, r, &i));
    if (!s->made[i].state)
      WEFT_TRY(graph_make_all(s, i));
  }
  return graph_given(s, r, out);
}

// ---- scopes ----
weft_status tf_scope_begin(tf_scope *s, tf_import *m, const front_scope *in, tf_body *body,
                           const tf_value *args, uint32_t depth) {
  *s = (tf_scope){.m = m, .body = body, .args = args, .depth = depth};
  if (depth > TF_DEPTH)
    return weft_fail(m->f.d, WEFT_E_LIMIT, "functions that call each other deeper than %d", TF_DEPTH);
  s->made = WEFT_NEW_N(&m->f.arena, tf_made, body->n_nodes + 1);
  WEFT_TRY(weft__allocated(s->made, m->f.d));
  if (in)
    s->s = *in;
  else
    WEFT_TRY(front_scope_begin(&m->f, &s->s, m->f.g, depth));
  return WEFT_OK;
}

void tf_scope_end(tf_scope *s) {
  front_scope_end(&s->s);
}

// All that writes, in the order of the function, though nobody reads it.
static weft_status graph_make_writers(tf_scope *s) {
  for (size_t i = 0; s->body->writes && i < s->body->n_nodes; i++) {
    if (s->body->nodes[i].of->must_run && !s->made[i].state)
      WEFT_TRY(graph_make_all(s, i));
  }
  return WEFT_OK;
}

weft_status tf_call(tf_op *o, const char *function, const tf_value *args, size_t n, tf_value **out,
                    size_t *n_out) {
  tf_body *body;
  tf_scope in;
  tf_import *m = o->m;
  WEFT_TRY(tf_body_of(m, function, &body));
  if (body->n_args != n)
    return weft_fail(m->f.d, WEFT_E_INVALID, "function '%.200s' takes %zu arguments, it is given %zu",
                     function, body->n_args, n);
  *n_out = body->n_results;
  *out = WEFT_NEW_N(&m->f.arena, tf_value, body->n_results + 1);
  WEFT_TRY(weft__allocated(*out, m->f.d));
  WEFT_TRY(tf_look(m, body, 0));
  WEFT_TRY(tf_scope_begin(&in, m, &o->s->s, body, args, o->s->depth + 1));
  WEFT_TRY(graph_make_writers(&in));
  for (size_t i = 0; i < body->n_results; i++)
    WEFT_TRY(tf_take(&in, &body->results[i], &(*out)[i]));
  return WEFT_OK;
}

// ---- what is not read, before anything is made ----
static weft_status graph_scan_function(tf_import *m, const char *name, void *ctx) {
  const uint32_t *depth = ctx;
  tf_body *b;
  if (!weft__map_find(&m->functions, name, strlen(name)))
    return WEFT_OK;
  WEFT_TRY(tf_body_of(m, name, &b));
  return b->scanned ? WEFT_OK : tf_scan(m, b, b->results, b->n_results, *depth + 1);
}

static weft_status graph_scan_node(tf_import *m, tf_body *b, const tf_node *n, uint32_t depth) {
  char where[300];
  if (!n->of->row && !n->of->custom) {
    snprintf(where, sizeof where, "'%.100s'%s%.80s", n->name, b->name ? " of function " : "",
             b->name ? b->name : "");
    WEFT_TRY(front_unknown(&m->f, n->op, where));
  }
  if (!n->of->takes_functions)
    return WEFT_OK;
  if (b == &m->main && !n->of->calls)  // the nodes of functions were looked at when those were
    WEFT_TRY(tf_look_at(m, b, n, 0));
  return tf_each_function(m, n, graph_scan_function, &depth);
}

static void graph_resolve(tf_import *m, const tf_body *b, tf_ref *r, const tf_node *n) {
  r->at = (uint32_t)(n - b->nodes) + 1;
  r->index = tf_port(m, n, r);
  r->port = NULL;
}

// The node that is read, which the reference remembers; arguments come before nodes of their name.
static weft_status graph_look_up(tf_import *m, const tf_body *b, tf_ref *r, tf_node **out) {
  const weft_key key = weft__key(r->node);
  const char **arg = weft__map_find_key(&b->by_arg, &key);
  *out = weft__map_find_key(&b->by_name, &key);
  if (*out)
    WEFT_TRY(tf_node_read(m, *out));
  if (arg)
    r->arg = (uint32_t)(arg - b->args) + 1;
  else if (*out)
    graph_resolve(m, b, r, *out);
  return WEFT_OK;
}

weft_status tf_scan(tf_import *m, tf_body *b, tf_ref *outputs, size_t n, uint32_t depth) {
  const tf_node **stack = WEFT_NEW_N(&m->f.arena, const tf_node *, b->n_nodes + 1);
  bool *seen = WEFT_NEW_N(&m->f.arena, bool, b->n_nodes + 1);
  size_t top = 0;
  WEFT_TRY(weft__allocated(stack && seen, m->f.d));
  if (depth > TF_DEPTH)
    return weft_fail(m->f.d, WEFT_E_LIMIT, "functions that call each other deeper than %d", TF_DEPTH);
  b->scanned = true;
  if (b != &m->main)
    WEFT_TRY(tf_look(m, b, 0));
  for (size_t i = 0; b->writes && i < b->n_nodes; i++) {
    if (!b->nodes[i].of->must_run || seen[i])
      continue;
    seen[i] = true;
    stack[top++] = &b->nodes[i];
  }
  for (size_t i = 0; i < n; i++) {
    tf_ref *r = &outputs[i];
    size_t n_refs = 1;
    for (;;) {
      for (size_t k = 0; k < n_refs; k++) {
        tf_node *next;
        WEFT_TRY(graph_look_up(m, b, &r[k], &next));
        if (next && !seen[next - b->nodes]) {
          seen[next - b->nodes] = true;
          stack[top++] = next;
        }
      }
      if (!top)
        break;
      const tf_node *node = stack[--top];
      WEFT_TRY(graph_scan_node(m, b, node, depth));
      r = node->in;
      n_refs = node->n_in;
    }
  }
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
