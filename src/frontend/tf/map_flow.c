// map_flow.c - If and Case. Their branches and bodies are functions, which become closed graphs: what
// they compute with is handed to them, but for constants and variables, which they have themselves, and what
// a loop leaves as it is is handed to it once.
#include "base/allocated.h"
#include "frontend/tf/flow.h"

// ---- arguments ----
static bool flow_constant(const weft_value *v) {
  return v->origin == WEFT_VALUE_CONST && v->fact.value;
}
bool tf_flow_passed(const tf_value *v) {
  return (v->kind == TF_TENSOR || v->kind == TF_LIST) && v->v && !flow_constant(v->v);
}

void tf_flow_begin(tf_flow_args *f, tf_op *o, const tf_value *args, size_t n, size_t lead) {
  weft_arena *a = &o->m->f.arena;
  *f = (tf_flow_args){.o = o, .args = args, .n = n, .lead = lead};
  f->slot = WEFT_NEW_N(a, int64_t, n + 1);
  f->in = WEFT_NEW_N(a, weft_value *, n + lead + 1);
  f->facts = WEFT_NEW_N(a, weft_fact, n + 1);
  if (!f->slot || !f->in || !f->facts) {
    front_fail(&o->b, WEFT_E_NOMEM, "out of memory");
    return;
  }
  for (size_t i = 0; i < n; i++)
    f->slot[i] = -1;
}

weft_fact tf_flow_fact(const weft_value *v) {
  weft_fact f = v->fact;
  f.value = NULL;
  f.elems = NULL;
  f.min = f.max = NULL;
  return f;
}

void tf_flow_pass(tf_flow_args *f, size_t i, weft_fact fact) {
  f->slot[i] = (int64_t)f->n_in;
  f->facts[f->n_in] = fact;
  f->in[f->lead + f->n_in++] = f->args[i].v;
}

static weft_value *flow_input(tf_op *in, const weft_fact *fact) {
  weft_tensor_desc desc;
  char name[64];
  weft_diag *d = in->m->f.d;
  do
    snprintf(name, sizeof name, "in_%u", in->m->f.n_made++);
  while (weft_graph_find_value(in->s->s.g, name));
  weft__fact_desc(fact, name, &desc);
  weft_value *v = weft_graph_input_desc(in->s->s.g, name, &desc, d);
  in->b.failed = v ? weft__value_set_fact(v, fact, d) : d->status;
  return in->b.failed ? NULL : v;
}

static weft_value *flow_copy(tf_op *in, const weft_value *v) {
  char name[400];
  snprintf(name, sizeof name, "%.300s", v->name);
  while (weft_graph_find_value(in->s->s.g, name))
    snprintf(name, sizeof name, "%.300s/const_%u", v->name, in->m->f.n_made++);
  const char *kept = weft__arena_strdup(&in->m->f.g->root->arena, name, strlen(name));
  weft_diag *d = in->m->f.d;
  in->b.failed = weft__allocated(kept, d);
  if (in->b.failed)
    return NULL;
  weft_value *c = weft_graph_const(in->s->s.g, kept, v->fact.value, WEFT_CONST_BORROW, d);
  in->b.failed = c ? WEFT_OK : d->status;
  return c;
}

// A list without items' shape: how many there are is known inside only when it is a constant.
static const tf_list *flow_list(tf_op *in, const tf_list *list) {
  tf_list *l = WEFT_NEW(&in->m->f.arena, tf_list);
  if (!l) {
    front_fail(&in->b, WEFT_E_NOMEM, "out of memory");
    return list;
  }
  *l = *list;
  l->count = NULL;
  return l;
}

// The arguments as the graph has them; operands are its inputs behind the first `lead`.
static void flow_inside(const tf_flow_args *f, tf_op *in, weft_value *const *operand, tf_value *args) {
  for (size_t i = 0; i < f->n && !in->b.failed; i++) {
    args[i] = f->args[i];
    if (f->slot[i] >= 0)
      args[i].v = operand[f->slot[i]];
    else if (args[i].v)
      args[i].v = flow_copy(in, args[i].v);
    else if (args[i].kind == TF_LIST)
      args[i].list = flow_list(in, args[i].list);
  }
}

// ---- graphs ----

static weft_fact flow_scalar(weft_dtype t) {
  static const weft_dim none[1] = {0};
  return (weft_fact){.dtype = t,
                     .set = true,
                     .dims = none,
                     .format = WEFT_ND,
                     .origin_format = WEFT_ND,
                     .item_dtype = WEFT_UNDEFINED};
}

bool tf_flow_room(tf_op *in, tf_flow_body *b, size_t n) {
  b->out = WEFT_NEW_N(&in->m->f.arena, weft_value *, n + 1);
  b->n_out = 0;
  if (!b->out)
    front_fail(&in->b, WEFT_E_NOMEM, "out of memory");
  return b->out != NULL;
}

static void flow_fill(tf_op *in, tf_flow_body *b, bool loop) {
  const tf_flow_args *f = b->f;
  weft_arena *a = &in->m->f.arena;
  const weft_fact leads[2] = {flow_scalar(WEFT_INT64), flow_scalar(WEFT_BOOL)};
  weft_value *lead[2] = {NULL, NULL};
  weft_value **operand = WEFT_NEW_N(a, weft_value *, f->n_in + 1);
  tf_value *args = WEFT_NEW_N(a, tf_value, f->n + 1);
  if (!operand || !args)
    front_fail(&in->b, WEFT_E_NOMEM, "out of memory");
  for (size_t i = 0; loop && i < 2 && !in->b.failed; i++)
    lead[i] = flow_input(in, &leads[i]);
  for (size_t i = 0; i < f->n_in && !in->b.failed; i++)
    operand[i] = flow_input(in, &f->facts[i]);
  if (!in->b.failed)
    flow_inside(f, in, operand, args);
  if (!in->b.failed)
    b->fill(in, b, lead, args);
  for (size_t i = 0; i < b->n_out && !in->b.failed; i++) {
    weft_value *v = b->out[i];
    if (!v->node || v->n_outputs)  // an input, a constant, or twice the same
      v = front_do(&in->b, "Identity", v, NULL, NULL);
    if (!in->b.failed)
      in->b.failed = weft_graph_output(in->s->s.g, v, in->m->f.d);
  }
}

void tf_flow_graph(tf_op *o, weft_node *node, uint32_t slot, tf_flow_body *b, bool loop) {
  weft_graph *g;
  char name[64];
  tf_import *m = o->m;
  if (o->b.failed)
    return;
  size_t problems = m->f.n_problems;
  snprintf(name, sizeof name, "body_%u", m->f.n_made++);
  o->b.failed = weft_node_add_graph(node, slot, name, &g, m->f.d);
  if (o->b.failed)
    return;
  tf_scope s = {.m = m, .body = o->s->body, .depth = o->s->depth + 1};
  o->b.failed = front_scope_begin(&m->f, &s.s, g, o->s->s.depth + 1);
  if (o->b.failed)
    return;
  tf_op in = {
      .b = front_op_of(&m->f, &s.s, o->b.name, o->b.type, o->b.offset), .s = &s, .m = m, .node = o->node};
  flow_fill(&in, b, loop);
  tf_scope_end(&s);
  o->b.failed = in.b.failed;
  if (!o->b.failed && m->f.n_problems > problems)
    front_follow(&o->b);
}

// The function's results, written into the graph.
bool tf_flow_call(tf_op *in, tf_flow_body *b, const tf_value *args) {
  weft_status s = tf_call(in, b->function, args, b->f->n, &b->results, &b->n_results);
  if (s)
    in->b.failed = s;
  return !s;
}

weft_value *tf_flow_result(tf_op *in, const tf_value *v, size_t i) {
  if ((v->kind != TF_TENSOR && v->kind != TF_LIST) || !v->v)
    front_fail(&in->b, WEFT_E_UNSUPPORTED,
               "result %zu of its function is no tensor or a list of unknown shape", i);
  return v->v;
}

// One element that decides: numbers are true unless zero, other tensors when they have elements.
weft_value *tf_flow_decides(tf_op *o, weft_value *v) {
  front_op *b = &o->b;
  if (b->failed)
    return NULL;
  if (front_rank(v) <= 0)
    return front_as(b, front_rank(v) ? front_reshaped(b, v, NULL, 0) : v, WEFT_BOOL);
  front_set_int(b, "dtype", WEFT_INT64);
  weft_value *size = front_do(b, "Size", v, NULL, NULL);
  return front_do(b, "Greater", size, front_index(b, 0), NULL);
}

// ---- If and Case ----
enum { FLOW_RESOURCE = 20, FLOW_VARIANT = 21 };
static int64_t flow_kind(tf_op *o, size_t i) {
  wire_field f;
  return tf_item(o, "Tout", 6, i, &f) ? (int64_t)f.value : -1;
}

static size_t flow_n_out(tf_op *o) {
  size_t n = 0;
  for (size_t i = 0; flow_kind(o, i) >= 0; i++)
    n += flow_kind(o, i) != FLOW_RESOURCE;
  return n;
}

static void flow_fill_branch(tf_op *in, tf_flow_body *b, weft_value *const *lead, tf_value *args) {
  (void)lead;
  if (!tf_flow_call(in, b, args) || !tf_flow_room(in, b, b->n_results))
    return;
  for (size_t i = 0; i < b->n_results && !in->b.failed; i++) {
    if (flow_kind(in, i) != FLOW_RESOURCE)
      b->out[b->n_out++] = tf_flow_result(in, &b->results[i], i);
  }
}

static weft_node *flow_open_if(tf_op *o, tf_flow_args *f, weft_value *condition) {
  uint32_t counts[2] = {1, (uint32_t)f->n_in};
  uint32_t outs[1] = {(uint32_t)flow_n_out(o)};
  f->in[0] = condition;
  return front_emit_open(&o->b, "If", f->in, f->n_in + 1,
                         &(weft_use){.in_counts = counts, .out_counts = outs});
}

static void flow_give(tf_op *o, weft_node *node, const tf_flow_body *b) {
  if (node)
    front_close(&o->b, node);
  size_t at = 0;
  for (size_t i = 0; i < b->n_results && !o->b.failed; i++) {
    int64_t kind = flow_kind(o, i);
    if (kind == FLOW_RESOURCE)
      tf_give_value(o, i, b->results[i]);
    else
      tf_give_value(o, i,
                    (tf_value){.kind = kind == FLOW_VARIANT ? TF_LIST : TF_TENSOR, .v = &node->out[at++]});
  }
}

void tf_flow_pass_all(tf_flow_args *f) {
  for (size_t i = 0; i < f->n && !f->o->b.failed; i++) {
    if (tf_flow_passed(&f->args[i]))
      tf_flow_pass(f, i, tf_flow_fact(f->args[i].v));
  }
}

static void flow_if(tf_op *o) {
  tf_flow_args f;
  const char *names[2] = {tf_func(o, "then_branch"), tf_func(o, "else_branch")};
  weft_value *condition = tf_flow_decides(o, tf_in(o, 0));
  if (!names[0] || !names[1])
    front_fail(&o->b, WEFT_E_MISSING, "a branch is not given");
  if (o->b.failed)
    return;
  tf_flow_begin(&f, o, o->in + 1, o->n_in - 1, 1);
  tf_flow_pass_all(&f);
  weft_node *node = o->b.failed ? NULL : flow_open_if(o, &f, condition);
  tf_flow_body b[2];
  for (uint32_t k = 0; k < 2; k++) {
    b[k] = (tf_flow_body){.fill = flow_fill_branch, .f = &f, .function = names[k]};
    tf_flow_graph(o, node, k, &b[k], false);
  }
  flow_give(o, node, &b[0]);
}

static void flow_fill_choice(tf_op *in, tf_flow_body *b, weft_value *const *lead, tf_value *args) {
  (void)lead;
  if (tf_flow_room(in, b, 1))
    b->out[b->n_out++] = args[b->from].v;
}

weft_value *tf_choose(tf_op *o, weft_value *condition, weft_value *a, weft_value *b) {
  tf_flow_args f;
  const tf_value args[2] = {{.kind = TF_TENSOR, .v = a}, {.kind = TF_TENSOR, .v = b}};
  weft_value *decides = tf_flow_decides(o, condition);
  if (o->b.failed)
    return NULL;
  tf_flow_begin(&f, o, args, 2, 1);
  tf_flow_pass_all(&f);
  if (o->b.failed)
    return NULL;
  f.in[0] = decides;
  uint32_t counts[2] = {1, (uint32_t)f.n_in};
  uint32_t outs[1] = {1};
  weft_node *node =
      front_emit_open(&o->b, "If", f.in, f.n_in + 1, &(weft_use){.in_counts = counts, .out_counts = outs});
  for (uint32_t k = 0; k < 2; k++) {
    tf_flow_body body = {.fill = flow_fill_choice, .f = &f, .from = k};
    tf_flow_graph(o, node, k, &body, false);
  }
  if (node)
    front_close(&o->b, node);
  return o->b.failed ? NULL : &node->out[0];
}

// Case: a tree of Ifs over the number of the branch, which is the first argument here.
typedef struct tf_flow_cases {
  const char **names;
} flow_cases;

static weft_node *flow_split(tf_op *o, const flow_cases *all, const tf_value *args, size_t n, size_t from,
                             size_t to, tf_flow_body b[2]);

static void flow_fill_case(tf_op *in, tf_flow_body *b, weft_value *const *lead, tf_value *args) {
  (void)lead;
  size_t n = b->f->n;
  if (b->to - b->from == 1) {
    tf_flow_args f = *b->f;  // the function does not take the number
    f.n = n - 1;
    b->f = &f;
    b->function = b->all->names[b->from];
    flow_fill_branch(in, b, NULL, args + 1);
    return;
  }
  tf_flow_body two[2];
  weft_node *node = flow_split(in, b->all, args, n, b->from, b->to, two);
  if (!in->b.failed)
    front_close(&in->b, node);
  b->results = two[0].results;
  b->n_results = two[0].n_results;
  if (in->b.failed || !tf_flow_room(in, b, node->desc.pub.n_out))
    return;
  for (size_t i = 0; i < node->desc.pub.n_out; i++)
    b->out[b->n_out++] = &node->out[i];
}

static weft_node *flow_split(tf_op *o, const flow_cases *all, const tf_value *args, size_t n, size_t from,
                             size_t to, tf_flow_body b[2]) {
  tf_flow_args *f = WEFT_NEW(&o->m->f.arena, tf_flow_args);
  size_t mid = from + (to - from) / 2;
  if (!f) {
    front_fail(&o->b, WEFT_E_NOMEM, "out of memory");
    return NULL;
  }
  weft_value *first = front_do(&o->b, "Less", args[0].v, front_int(&o->b, WEFT_INT32, (int64_t)mid), NULL);
  tf_flow_begin(f, o, args, n, 1);
  tf_flow_pass_all(f);
  weft_node *node = o->b.failed ? NULL : flow_open_if(o, f, first);
  for (uint32_t k = 0; k < 2; k++) {
    b[k] = (tf_flow_body){
        .fill = flow_fill_case, .f = f, .all = all, .from = k ? mid : from, .to = k ? to : mid};
    tf_flow_graph(o, node, k, &b[k], false);
  }
  return node;
}

static bool flow_branches(tf_op *o, flow_cases *all, size_t *n) {
  wire_field f;
  *n = 0;
  while (tf_item(o, "branches", 9, *n, &f) && *n <= TF_MAX_OUTPUTS)
    ++*n;
  if (!*n || *n > TF_MAX_OUTPUTS) {
    front_fail(&o->b, WEFT_E_LIMIT, "%zu branches", *n);
    return false;
  }
  all->names = WEFT_NEW_N(&o->m->f.arena, const char *, *n);
  for (size_t i = 0; all->names && i < *n; i++) {
    if (tf_item(o, "branches", 9, i, &f) && f.type == WIRE_BYTES)
      all->names[i] = tf_text(o->m, tf_part(o->m, (tf_bytes){f.data, f.bytes}, 1));
    if (!all->names[i]) {
      front_fail(&o->b, WEFT_E_MISSING, "branch %zu has no function", i);
      return false;
    }
  }
  if (!all->names)
    front_fail(&o->b, WEFT_E_NOMEM, "out of memory");
  return all->names != NULL;
}

// A number that is no branch's means the last one.
static void flow_case(tf_op *o) {
  front_op *b = &o->b;
  flow_cases all = {NULL};
  size_t n;
  weft_value *at = front_as(b, tf_in(o, 0), WEFT_INT32);
  if (b->failed || !flow_branches(o, &all, &n))
    return;
  weft_value *last = front_int(b, WEFT_INT32, (int64_t)n - 1);
  weft_value *below = front_do(b, "Less", at, front_int(b, WEFT_INT32, 0), NULL);
  at = front_where(b, below, last, at);
  tf_value *args = WEFT_NEW_N(&o->m->f.arena, tf_value, o->n_in + 1);
  if (!args || b->failed) {
    front_fail(b, WEFT_E_NOMEM, "out of memory");
    return;
  }
  memcpy(args, o->in, o->n_in * sizeof *args);
  args[0].v = at;
  tf_flow_body two[2] = {0};
  if (n > 1) {
    weft_node *node = flow_split(o, &all, args, o->n_in, 0, n, two);
    flow_give(o, node, &two[0]);
    return;
  }
  weft_status s = tf_call(o, all.names[0], args + 1, o->n_in - 1, &two[0].results, &two[0].n_results);
  if (s)
    b->failed = s;
  for (size_t i = 0; i < two[0].n_results && !b->failed; i++)
    tf_give_value(o, i, two[0].results[i]);
}

static const tf_row flow_rows[] = {
    {"Case", NULL, NULL, flow_case},
    {"If", NULL, NULL, flow_if},
    {"StatelessCase", NULL, NULL, flow_case},
    {"StatelessIf", NULL, NULL, flow_if},
};
const tf_rows tf_flow = TF_ROWS(flow_rows);
// SPDX-License-Identifier: Apache-2.0
