// map_flow.c - If, Case and While. Their branches and bodies are functions, which become closed graphs: what
// they compute with is handed to them, but for constants and variables, which they have themselves, and what
// a loop leaves as it is is handed to it once.
#include "base/allocated.h"
#include "frontend/tf/tables.h"

typedef struct flow {
  tf_op *o;
  const tf_value *args;  // of the function, outside
  size_t n;
  int64_t *slot;  // which operand an argument is; -1: it is made inside
  weft_value **in;
  weft_fact *facts;  // of the operands, as the graph sees them
  size_t n_in;
  size_t lead;  // inputs of the graph before the operands
} flow;

// ---- arguments ----
static bool flow_constant(const weft_value *v) {
  return v->origin == WEFT_VALUE_CONST && v->fact.value;
}
static bool flow_passed(const tf_value *v) {
  return (v->kind == TF_TENSOR || v->kind == TF_LIST) && v->v && !flow_constant(v->v);
}

static void flow_begin(flow *f, tf_op *o, const tf_value *args, size_t n, size_t lead) {
  weft_arena *a = &o->m->f.arena;
  *f = (flow){.o = o, .args = args, .n = n, .lead = lead};
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

static weft_fact flow_fact(const weft_value *v) {
  weft_fact f = v->fact;
  f.value = NULL;
  f.elems = NULL;
  f.min = f.max = NULL;
  return f;
}

static void flow_pass(flow *f, size_t i, weft_fact fact) {
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
static void flow_inside(const flow *f, tf_op *in, weft_value *const *operand, tf_value *args) {
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
typedef struct flow_body {
  // Computes the outputs of the graph from its inputs.
  void (*fill)(tf_op *in, struct flow_body *b, weft_value *const *lead, tf_value *args);
  flow *f;
  const char *function;
  const char *condition;         // of a loop
  const struct flow_cases *all;  // of Case
  size_t from, to;
  weft_value **out;
  size_t n_out;
  tf_value *results;  // of the function
  size_t n_results;
} flow_body;

static weft_fact flow_scalar(weft_dtype t) {
  static const weft_dim none[1] = {0};
  return (weft_fact){.dtype = t,
                     .set = true,
                     .dims = none,
                     .format = WEFT_ND,
                     .origin_format = WEFT_ND,
                     .item_dtype = WEFT_UNDEFINED};
}

static bool flow_room(tf_op *in, flow_body *b, size_t n) {
  b->out = WEFT_NEW_N(&in->m->f.arena, weft_value *, n + 1);
  b->n_out = 0;
  if (!b->out)
    front_fail(&in->b, WEFT_E_NOMEM, "out of memory");
  return b->out != NULL;
}

static void flow_fill(tf_op *in, flow_body *b, bool loop) {
  const flow *f = b->f;
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

static void flow_graph(tf_op *o, weft_node *node, uint32_t slot, flow_body *b, bool loop) {
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
    front_fail(&o->b, WEFT_E_UNSUPPORTED, "its body has nodes that are not read");
}

// The function's results, written into the graph.
static bool flow_call(tf_op *in, flow_body *b, const tf_value *args) {
  weft_status s = tf_call(in, b->function, args, b->f->n, &b->results, &b->n_results);
  if (s)
    in->b.failed = s;
  return !s;
}

static weft_value *flow_result(tf_op *in, const tf_value *v, size_t i) {
  if ((v->kind != TF_TENSOR && v->kind != TF_LIST) || !v->v)
    front_fail(&in->b, WEFT_E_UNSUPPORTED,
               "result %zu of its function is no tensor or a list of unknown shape", i);
  return v->v;
}

// One element that decides: numbers are true unless zero, other tensors when they have elements.
static weft_value *flow_decides(tf_op *o, weft_value *v) {
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

static void flow_fill_branch(tf_op *in, flow_body *b, weft_value *const *lead, tf_value *args) {
  (void)lead;
  if (!flow_call(in, b, args) || !flow_room(in, b, b->n_results))
    return;
  for (size_t i = 0; i < b->n_results && !in->b.failed; i++) {
    if (flow_kind(in, i) != FLOW_RESOURCE)
      b->out[b->n_out++] = flow_result(in, &b->results[i], i);
  }
}

static weft_node *flow_open_if(tf_op *o, flow *f, weft_value *condition) {
  uint32_t counts[2] = {1, (uint32_t)f->n_in};
  uint32_t outs[1] = {(uint32_t)flow_n_out(o)};
  f->in[0] = condition;
  return front_emit_open(&o->b, "If", f->in, f->n_in + 1,
                         &(weft_use){.in_counts = counts, .out_counts = outs});
}

static void flow_give(tf_op *o, weft_node *node, const flow_body *b) {
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

static void flow_pass_all(flow *f) {
  for (size_t i = 0; i < f->n && !f->o->b.failed; i++) {
    if (flow_passed(&f->args[i]))
      flow_pass(f, i, flow_fact(f->args[i].v));
  }
}

static void flow_if(tf_op *o) {
  flow f;
  const char *names[2] = {tf_func(o, "then_branch"), tf_func(o, "else_branch")};
  weft_value *condition = flow_decides(o, tf_in(o, 0));
  if (!names[0] || !names[1])
    front_fail(&o->b, WEFT_E_MISSING, "a branch is not given");
  if (o->b.failed)
    return;
  flow_begin(&f, o, o->in + 1, o->n_in - 1, 1);
  flow_pass_all(&f);
  weft_node *node = o->b.failed ? NULL : flow_open_if(o, &f, condition);
  flow_body b[2];
  for (uint32_t k = 0; k < 2; k++) {
    b[k] = (flow_body){.fill = flow_fill_branch, .f = &f, .function = names[k]};
    flow_graph(o, node, k, &b[k], false);
  }
  flow_give(o, node, &b[0]);
}

static void flow_fill_choice(tf_op *in, flow_body *b, weft_value *const *lead, tf_value *args) {
  (void)lead;
  if (flow_room(in, b, 1))
    b->out[b->n_out++] = args[b->from].v;
}

weft_value *tf_choose(tf_op *o, weft_value *condition, weft_value *a, weft_value *b) {
  flow f;
  const tf_value args[2] = {{.kind = TF_TENSOR, .v = a}, {.kind = TF_TENSOR, .v = b}};
  weft_value *decides = flow_decides(o, condition);
  if (o->b.failed)
    return NULL;
  flow_begin(&f, o, args, 2, 1);
  flow_pass_all(&f);
  if (o->b.failed)
    return NULL;
  f.in[0] = decides;
  uint32_t counts[2] = {1, (uint32_t)f.n_in};
  uint32_t outs[1] = {1};
  weft_node *node =
      front_emit_open(&o->b, "If", f.in, f.n_in + 1, &(weft_use){.in_counts = counts, .out_counts = outs});
  for (uint32_t k = 0; k < 2; k++) {
    flow_body body = {.fill = flow_fill_choice, .f = &f, .from = k};
    flow_graph(o, node, k, &body, false);
  }
  if (node)
    front_close(&o->b, node);
  return o->b.failed ? NULL : &node->out[0];
}

// Case: a tree of Ifs over the number of the branch, which is the first argument here.
typedef struct flow_cases {
  const char **names;
} flow_cases;

static weft_node *flow_split(tf_op *o, const flow_cases *all, const tf_value *args, size_t n, size_t from,
                             size_t to, flow_body b[2]);

static void flow_fill_case(tf_op *in, flow_body *b, weft_value *const *lead, tf_value *args) {
  (void)lead;
  size_t n = b->f->n;
  if (b->to - b->from == 1) {
    flow f = *b->f;  // the function does not take the number
    f.n = n - 1;
    b->f = &f;
    b->function = b->all->names[b->from];
    flow_fill_branch(in, b, NULL, args + 1);
    return;
  }
  flow_body two[2];
  weft_node *node = flow_split(in, b->all, args, n, b->from, b->to, two);
  if (!in->b.failed)
    front_close(&in->b, node);
  b->results = two[0].results;
  b->n_results = two[0].n_results;
  if (in->b.failed || !flow_room(in, b, node->desc.pub.n_out))
    return;
  for (size_t i = 0; i < node->desc.pub.n_out; i++)
    b->out[b->n_out++] = &node->out[i];
}

static weft_node *flow_split(tf_op *o, const flow_cases *all, const tf_value *args, size_t n, size_t from,
                             size_t to, flow_body b[2]) {
  flow *f = WEFT_NEW(&o->m->f.arena, flow);
  size_t mid = from + (to - from) / 2;
  if (!f) {
    front_fail(&o->b, WEFT_E_NOMEM, "out of memory");
    return NULL;
  }
  weft_value *first = front_do(&o->b, "Less", args[0].v, front_int(&o->b, WEFT_INT32, (int64_t)mid), NULL);
  flow_begin(f, o, args, n, 1);
  flow_pass_all(f);
  weft_node *node = o->b.failed ? NULL : flow_open_if(o, f, first);
  for (uint32_t k = 0; k < 2; k++) {
    b[k] =
        (flow_body){.fill = flow_fill_case, .f = f, .all = all, .from = k ? mid : from, .to = k ? to : mid};
    flow_graph(o, node, k, &b[k], false);
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
  flow_body two[2] = {0};
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

// ---- While ----
// Does the body hand argument k on as it got it?
static bool flow_kept(const tf_body *body, size_t k) {
  tf_ref r = body->results[k];
  for (int hops = 0; hops < 16; hops++) {
    const tf_node *n = weft__map_find(&body->by_name, r.node, strlen(r.node));
    if (!n)
      return !strcmp(r.node, body->args[k]);
    if (strcmp(n->op, "Identity") || n->n_in != 1)
      return false;
    r = n->in[0];
  }
  return false;
}

// Lists may grow from turn to turn.
static bool flow_grows(const tf_body *body) {
  for (size_t i = 0; i < body->n_nodes; i++) {
    const char *op = body->nodes[i].op;
    if (!strcmp(op, "TensorListPushBack") || !strcmp(op, "TensorListPopBack") ||
        !strcmp(op, "TensorListResize"))
      return true;
  }
  return false;
}

// What is true of a carried value in every turn: the sizes that the model promises (output_shapes).
static weft_fact flow_carried(flow *f, size_t k, bool grows) {
  tf_op *o = f->o;
  wire_field shape;
  weft_fact fact = flow_fact(f->args[k].v);
  weft_dim promised[WEFT_MAX_RANK];
  int rank = -1;
  bool list = f->args[k].kind == TF_LIST;
  bool said = !list && tf_item(o, "output_shapes", 7, k, &shape) && shape.type == WIRE_BYTES;
  if (said && tf_shape(o->m, (tf_bytes){shape.data, shape.bytes}, promised, &rank))
    o->b.failed = o->m->f.d->status;
  weft_dim *dims = WEFT_NEW_N(&o->m->f.g->root->arena, weft_dim, WEFT_MAX_RANK);
  if (!dims) {
    front_fail(&o->b, WEFT_E_NOMEM, "out of memory");
    return fact;
  }
  for (int i = 0; i < front_rank(f->args[k].v); i++)
    dims[i] = list ? (i || !grows ? fact.dims[i] : -1) : rank == fact.rank ? promised[i] : -1;
  fact.dims = dims;
  return fact;
}

static void flow_fill_loop(tf_op *in, flow_body *b, weft_value *const *lead, tf_value *args) {
  const flow *f = b->f;
  tf_value *again;
  size_t n_again;
  (void)lead;
  if (!flow_call(in, b, args) || !flow_room(in, b, f->n_in + 1))
    return;
  tf_value *next = WEFT_NEW_N(&in->m->f.arena, tf_value, f->n + 1);
  if (!next) {
    front_fail(&in->b, WEFT_E_NOMEM, "out of memory");
    return;
  }
  b->n_out = 1;
  for (size_t i = 0; i < f->n && !in->b.failed; i++) {
    bool carried = f->slot[i] >= 0 && (size_t)f->slot[i] < b->to;
    next[i] = carried ? b->results[i] : args[i];
    if (carried)
      b->out[1 + f->slot[i]] = flow_result(in, &b->results[i], i);
  }
  b->n_out = 1 + b->to;
  if (in->b.failed)
    return;
  weft_status s = tf_call(in, b->condition, next, f->n, &again, &n_again);
  if (!s && (n_again != 1 || again[0].kind != TF_TENSOR))
    front_fail(&in->b, WEFT_E_INVALID, "the condition of the loop gives %zu values", n_again);
  if (s)
    in->b.failed = s;
  b->out[0] = in->b.failed ? NULL : flow_decides(in, again[0].v);
}

// ---- lists that only the body knows the items of ----
static void flow_fill_trial(tf_op *in, flow_body *b, weft_value *const *lead, tf_value *args) {
  (void)lead;
  for (size_t i = 0; i < b->f->n; i++) {
    if (args[i].kind != TF_LIST || args[i].v)
      continue;
    tf_list *one = (tf_list *)(uintptr_t)args[i].list;  // a copy that flow_inside made
    one->known = one->known < 0 ? 1 : one->known;
  }
  flow_call(in, b, args);
}

// A size of an item: known, or that of an operand which has the same symbol.
static weft_value *flow_size(tf_op *o, weft_dim dim) {
  if (dim >= 0)
    return front_list(&o->b, &dim, 1);
  for (size_t i = 0; dim != -1 && i < o->n_in; i++) {
    weft_value *v = o->in[i].v;
    for (int k = 0; v && k < front_rank(v); k++) {
      if (v->fact.dims[k] == dim)
        return front_dim_list(&o->b, v, k);
    }
  }
  for (size_t i = 0; dim != -1 && i < weft_graph_n_inputs(o->s->s.g); i++) {
    weft_value *v = weft_graph_input_at(o->s->s.g, i);
    for (int k = 0; k < front_rank(v); k++) {
      if (v->fact.dims[k] == dim)
        return front_dim_list(&o->b, v, k);
    }
  }
  return front_none(&o->b, WEFT_E_UNKNOWN,
                    "the shape of the items of a TensorList is not known before the loop; give the "
                    "TensorArray an element_shape");
}

static void flow_settle(tf_op *o, tf_value *list, const tf_value *made) {
  weft_value *sizes[WEFT_MAX_RANK];
  int rank = front_rank_of(&o->b, made->v);
  for (int i = 1; i < rank; i++)
    sizes[i - 1] = flow_size(o, made->v->fact.dims[i]);
  if (o->b.failed)
    return;
  weft_value *shape = rank > 1 ? front_joined(&o->b, sizes, (size_t)rank - 1, 0) : front_list(&o->b, NULL, 0);
  list->v = tf_list_filled(&o->b, list->list, shape);
}

// The body is written into a graph that is thrown away, and what it puts into such lists is looked at.
static void flow_try(tf_op *o, const tf_body *body, tf_value *args, size_t n) {
  flow f;
  size_t open = 0;
  for (size_t i = 0; i < n; i++)
    open += args[i].kind == TF_LIST && !args[i].v && !flow_kept(body, i);
  if (!open || o->b.failed)
    return;
  flow_begin(&f, o, args, n, 0);
  flow_pass_all(&f);
  uint32_t counts[4] = {0, 0, 0, 0};
  uint32_t outs[2] = {0, 0};
  weft_node *node =
      front_emit_open(&o->b, "Loop", NULL, 0, &(weft_use){.in_counts = counts, .out_counts = outs});
  flow_body b = {.fill = flow_fill_trial, .f = &f, .function = body->name};
  flow_graph(o, node, 0, &b, true);
  for (size_t i = 0; i < n && !o->b.failed; i++) {
    if (args[i].kind == TF_LIST && !args[i].v && b.results[i].kind == TF_LIST && b.results[i].v)
      flow_settle(o, &args[i], &b.results[i]);
  }
  if (node && !o->b.failed)
    o->b.failed = weft_node_remove(node, o->m->f.d);
  o->b.named = false;
}

static void flow_while_inputs(flow *f, const tf_body *body, size_t *n_carried) {
  bool grows = flow_grows(body);
  for (int kept = 0; kept < 2; kept++) {
    for (size_t i = 0; i < f->n && !f->o->b.failed; i++) {
      const tf_value *v = &f->args[i];
      bool tensor = (v->kind == TF_TENSOR || v->kind == TF_LIST) && v->v;
      if (flow_kept(body, i) != kept || !tensor)
        continue;
      if (!kept)
        flow_pass(f, i, flow_carried(f, i, grows));
      else if (flow_passed(v))
        flow_pass(f, i, flow_fact(v->v));
    }
    if (!kept)
      *n_carried = f->n_in;
  }
}

static void flow_loop(tf_op *o, const tf_body *body, const char *condition, tf_value *args) {
  flow f;
  tf_value *first;
  size_t n_first;
  size_t n_carried = 0;
  size_t n = o->n_in;
  weft_status s = tf_call(o, condition, args, n, &first, &n_first);
  if (s)
    o->b.failed = s;
  else if (n_first != 1 || first[0].kind != TF_TENSOR)
    front_fail(&o->b, WEFT_E_INVALID, "the condition of the loop gives %zu values", n_first);
  weft_value *starts = o->b.failed ? NULL : flow_decides(o, first[0].v);
  if (o->b.failed)
    return;
  flow_begin(&f, o, args, n, 1);
  if (o->b.failed)
    return;
  f.in[0] = starts;
  flow_while_inputs(&f, body, &n_carried);
  uint32_t counts[4] = {0, 1, (uint32_t)n_carried, (uint32_t)(f.n_in - n_carried)};
  uint32_t outs[2] = {(uint32_t)n_carried, 0};
  weft_node *node =
      front_emit_open(&o->b, "Loop", f.in, f.n_in + 1, &(weft_use){.in_counts = counts, .out_counts = outs});
  flow_body b = {
      .fill = flow_fill_loop, .f = &f, .function = body->name, .condition = condition, .to = n_carried};
  flow_graph(o, node, 0, &b, true);
  if (node)
    front_close(&o->b, node);
  for (size_t i = 0; i < n && !o->b.failed; i++) {
    tf_value v = args[i];
    if (f.slot[i] >= 0 && (size_t)f.slot[i] < n_carried)
      v.v = &node->out[f.slot[i]];
    tf_give_value(o, i, v);
  }
}

static void flow_while(tf_op *o) {
  const char *condition = tf_func(o, "cond");
  const char *name = tf_func(o, "body");
  tf_body *body = NULL;
  if (!condition || !name) {
    front_fail(&o->b, WEFT_E_MISSING, "the condition or the body is not given");
    return;
  }
  weft_status s = tf_body_of(o->m, name, &body);
  if (s) {
    o->b.failed = s;
    return;
  }
  if (body->n_args != o->n_in || body->n_results != o->n_in) {
    front_fail(&o->b, WEFT_E_INVALID, "the body takes %zu values and gives %zu, the loop has %zu",
               body->n_args, body->n_results, o->n_in);
    return;
  }
  tf_value *args = WEFT_NEW_N(&o->m->f.arena, tf_value, o->n_in + 1);
  if (!args) {
    front_fail(&o->b, WEFT_E_NOMEM, "out of memory");
    return;
  }
  if (o->n_in)
    memcpy(args, o->in, o->n_in * sizeof *args);
  flow_try(o, body, args, o->n_in);
  if (!o->b.failed)
    flow_loop(o, body, condition, args);
}

static const tf_row flow_rows[] = {
    {"Case", NULL, NULL, flow_case},
    {"If", NULL, NULL, flow_if},
    {"StatelessCase", NULL, NULL, flow_case},
    {"StatelessIf", NULL, NULL, flow_if},
    {"StatelessWhile", NULL, NULL, flow_while},
    {"While", NULL, NULL, flow_while},
};
const tf_rows tf_flow = TF_ROWS(flow_rows);
// SPDX-License-Identifier: Apache-2.0
