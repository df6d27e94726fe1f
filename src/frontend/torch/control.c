// control.c - cond, while_loop, scan, map and the wrappers around sub-graphs. The graphs are closed: what
// they read is handed to them, so that a body's inputs are the operator's operands and nothing else.
#include "base/allocated.h"
#include "frontend/torch/torch.h"

// ---- operands ----
static const weft_json *control_graph(pt_op *o, size_t i) {
  const char *key;
  const weft_json *v = pt_only(pt_at(o, i), &key);
  const weft_json *g = v && !strcmp(key, "as_graph") ? weft__json_get(v, "graph") : NULL;
  if (!g)
    front_fail(&o->b, WEFT_E_INVALID, "argument %zu is not a graph", i);
  return g;
}

typedef struct operands {
  weft_value **v;
  size_t n, room;
} operands;

static void control_add(pt_op *o, operands *list, weft_value *v) {
  if (o->b.failed)
    return;
  if (list->n == list->room) {
    size_t room = list->room ? 2 * list->room : 16;
    weft_value **more = WEFT_NEW_N(&o->m->f.arena, weft_value *, room);
    if (!more) {
      front_fail(&o->b, WEFT_E_NOMEM, "out of memory");
      return;
    }
    if (list->n)
      memcpy(more, list->v, list->n * sizeof *more);
    list->v = more;
    list->room = room;
  }
  list->v[list->n++] = v;
}

// One operand: a tensor, or a number as a value of rank 0.
static void control_operand(pt_op *o, operands *list, const weft_json *argument) {
  front_arg a = pt_read_arg(o, argument);
  weft_value *v = a.v;
  if (a.kind == FRONT_INT)
    v = front_index(&o->b, a.i);
  else if (a.kind == FRONT_BOOL)
    v = front_int(&o->b, WEFT_BOOL, a.i);
  else if (a.kind == FRONT_FLOAT)
    v = front_num(&o->b, WEFT_FLOAT, a.f);
  else if (!v)
    front_fail(&o->b, WEFT_E_UNSUPPORTED, "an operand is neither a tensor nor a number");
  control_add(o, list, v);
}

// The operands of argument i: one, or a list of tensors or numbers.
static void control_operands(pt_op *o, operands *list, size_t i) {
  const weft_json *arg = pt_at(o, i);
  const char *key;
  const weft_json *v = pt_only(arg, &key);
  if (!v)
    return;
  if (v->kind != WEFT_JSON_ARRAY) {
    control_operand(o, list, arg);
    return;
  }
  for (size_t k = 0; k < v->n && !o->b.failed; k++) {
    const weft_json *item = &v->items[k];
    const char *keys[1] = {!strcmp(key, "as_tensors")    ? "as_tensor"
                           : !strcmp(key, "as_sym_ints") ? "as_sym_int"
                           : !strcmp(key, "as_ints")     ? "as_int"
                                                         : NULL};
    weft_json values[1] = {*item};
    weft_json one = {.kind = WEFT_JSON_OBJECT, .n = 1, .items = values, .keys = keys};
    control_operand(o, list, keys[0] ? &one : item);
  }
}

// ---- bodies ----
static weft_fact control_plain(const weft_value *v, uint32_t drop) {
  weft_fact f = v->fact;
  f.value = NULL;
  f.elems = NULL;
  f.min = f.max = NULL;
  if (!f.unknown_rank && f.rank >= drop) {
    f.dims += drop;
    f.rank = (uint8_t)(f.rank - drop);
  }
  return f;
}

static weft_value *control_input(pt_op *in, const weft_fact *fact) {
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

// What a body computes from its inputs: fills `out`.
typedef void (*control_fill)(pt_op *in, void *ctx, weft_value **v, size_t n, operands *out);

static weft_status control_body_fill(pt_op *in, const weft_fact *facts, size_t n, control_fill fill,
                                     void *ctx) {
  operands given = {0};
  operands out = {0};
  for (size_t i = 0; i < n && !in->b.failed; i++)
    control_add(in, &given, control_input(in, &facts[i]));
  if (!in->b.failed)
    fill(in, ctx, given.v, given.n, &out);
  for (size_t i = 0; i < out.n && !in->b.failed; i++) {
    weft_value *v = out.v[i];
    if (!v->node || v->n_outputs)  // an input, a constant, or twice the same
      v = front_do(&in->b, "Identity", v, NULL, NULL);
    if (!in->b.failed)
      in->b.failed = weft_graph_output(in->s->s.g, v, in->m->f.d);
  }
  return in->b.failed;
}

static void control_body(pt_op *o, weft_node *node, uint32_t slot, const weft_fact *facts, size_t n,
                         control_fill fill, void *ctx) {
  weft_graph *g;
  pt_scope s;
  char name[64];
  if (o->b.failed)
    return;
  snprintf(name, sizeof name, "body_%u", o->m->f.n_made++);
  o->b.failed = weft_node_add_graph(node, slot, name, &g, o->m->f.d);
  if (o->b.failed)
    return;
  static const weft_json none = {.kind = WEFT_JSON_OBJECT};
  weft_status st = pt_scope_begin(&s, o->m, g, &none, o->s->s.depth + 1);
  pt_op in = {
      .b = front_op_of(&o->m->f, &s.s, o->b.name, o->b.type, 0), .s = &s, .m = o->m, .inputs = o->inputs};
  if (!st)
    st = control_body_fill(&in, facts, n, fill, ctx);
  pt_scope_end(&s);
  o->b.failed = st;
}

// A graph of the program, with the first inputs of the body.
static void control_fill_graph(pt_op *in, void *ctx, weft_value **v, size_t n, operands *out) {
  const weft_json *graph = ctx;
  if (pt_inline(in, graph, v, n, &out->v, &out->n))
    out->n = 0;
}

static weft_fact *control_facts(pt_op *o, const operands *list) {
  weft_fact *f = WEFT_NEW_N(&o->m->f.arena, weft_fact, list->n + 3);
  if (!f)
    front_fail(&o->b, WEFT_E_NOMEM, "out of memory");
  for (size_t i = 0; f && i < list->n; i++)
    f[i] = control_plain(list->v[i], 0);
  return o->b.failed ? NULL : f;
}

static void control_results(pt_op *o, weft_value *first) {
  for (size_t i = 0; i < o->n_out && first; i++)
    pt_result(o, i, first + i);
}

// ---- cond ----
static void control_cond(pt_op *o) {
  operands pred = {0};
  operands in = {0};
  control_operands(o, &pred, 0);
  const weft_json *graphs[2] = {control_graph(o, 1), control_graph(o, 2)};
  if (pred.n != 1)
    front_fail(&o->b, WEFT_E_INVALID, "cond has no predicate");
  if (o->b.failed)
    return;
  control_add(o, &in, front_as(&o->b, front_reshaped(&o->b, pred.v[0], NULL, 0), WEFT_BOOL));
  control_operands(o, &in, 3);
  weft_fact *facts = control_facts(o, &in);
  if (!facts)
    return;
  uint32_t counts[2] = {1, (uint32_t)in.n - 1};
  uint32_t outs[1] = {(uint32_t)o->n_out};
  weft_node *node =
      front_emit_open(&o->b, "If", in.v, in.n, &(weft_use){.in_counts = counts, .out_counts = outs});
  for (uint32_t k = 0; k < 2; k++)
    control_body(o, node, k, facts + 1, in.n - 1, control_fill_graph, (void *)(uintptr_t)graphs[k]);
  if (node)
    front_close(&o->b, node);
  control_results(o, o->b.failed ? NULL : node->out);
}

// ---- while_loop ----
typedef struct loop {
  const weft_json *cond, *body;
  size_t n_carried;
} loop;

// Inputs: number of the turn, condition, carried values, the others. The body runs, and the condition of what
// it gives decides about the next turn.
static void control_fill_loop(pt_op *in, void *ctx, weft_value **v, size_t n, operands *out) {
  const loop *l = ctx;
  weft_value **made;
  weft_value **again;
  size_t n_made;
  size_t n_again;
  operands next = {0};
  if (pt_inline(in, l->body, v + 2, n - 2, &made, &n_made))
    return;
  if (n_made != l->n_carried) {
    front_fail(&in->b, WEFT_E_INVALID, "the body of the loop gives %zu values, %zu are carried", n_made,
               l->n_carried);
    return;
  }
  for (size_t i = 0; i < n - 2; i++)
    control_add(in, &next, i < n_made ? made[i] : v[2 + i]);
  if (pt_inline(in, l->cond, next.v, next.n, &again, &n_again))
    return;
  if (n_again != 1) {
    front_fail(&in->b, WEFT_E_INVALID, "the condition of the loop gives %zu values", n_again);
    return;
  }
  control_add(in, out, front_as(&in->b, front_reshaped(&in->b, again[0], NULL, 0), WEFT_BOOL));
  for (size_t i = 0; i < n_made; i++)
    control_add(in, out, made[i]);
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

static void control_while(pt_op *o) {
  loop l = {.cond = control_graph(o, 0), .body = control_graph(o, 1)};
  operands all = {0};
  operands in = {0};
  weft_value **first;
  size_t n_first;
  control_operands(o, &all, 2);
  l.n_carried = all.n;
  control_operands(o, &all, 3);
  if (o->b.failed || pt_inline(o, l.cond, all.v, all.n, &first, &n_first))
    return;
  if (n_first != 1) {
    front_fail(&o->b, WEFT_E_INVALID, "the condition of the loop gives %zu values", n_first);
    return;
  }
  control_add(o, &in, front_as(&o->b, front_reshaped(&o->b, first[0], NULL, 0), WEFT_BOOL));
  for (size_t i = 0; i < all.n; i++)
    control_add(o, &in, all.v[i]);
  weft_fact *facts = WEFT_NEW_N(&o->m->f.arena, weft_fact, all.n + 2);
  if (!facts) {
    front_fail(&o->b, WEFT_E_NOMEM, "out of memory");
    return;
  }
  facts[0] = control_scalar(WEFT_INT64);
  facts[1] = control_scalar(WEFT_BOOL);
  for (size_t i = 0; i < all.n && !o->b.failed; i++)
    facts[2 + i] = control_plain(all.v[i], 0);
  uint32_t counts[4] = {0, 1, (uint32_t)l.n_carried, (uint32_t)(all.n - l.n_carried)};
  uint32_t outs[2] = {(uint32_t)l.n_carried, 0};
  weft_node *node =
      front_emit_open(&o->b, "Loop", in.v, in.n, &(weft_use){.in_counts = counts, .out_counts = outs});
  control_body(o, node, 0, facts, all.n + 2, control_fill_loop, &l);
  if (node)
    front_close(&o->b, node);
  control_results(o, o->b.failed ? NULL : node->out);
}

// ---- scan and map ----
static void control_fill_step(pt_op *in, void *ctx, weft_value **v, size_t n, operands *out) {
  const pt_steps *s = ctx;
  weft_value **made = WEFT_NEW_N(&in->m->f.arena, weft_value *, s->n_out + 1);
  in->b.failed = weft__allocated(made, in->m->f.d);
  (void)n;
  if (!in->b.failed)
    s->step(in, s->ctx, v, made);
  for (size_t i = 0; i < s->n_out && !in->b.failed; i++)
    control_add(in, out, made[i]);
}

static weft_value *control_scan_of(pt_op *o, const pt_steps *s, control_fill fill, void *ctx) {
  operands all = {.v = (weft_value **)(uintptr_t)s->in, .n = s->n};
  weft_fact *facts = o->b.failed ? NULL : control_facts(o, &all);
  if (!facts)
    return NULL;
  for (size_t i = s->n_state; i < s->n_state + s->n_scan; i++)
    facts[i] = control_plain(s->in[i], 1);
  uint32_t counts[3] = {(uint32_t)s->n_state, (uint32_t)s->n_scan, (uint32_t)(s->n - s->n_state - s->n_scan)};
  uint32_t outs[2] = {(uint32_t)s->n_state, (uint32_t)(s->n_out - s->n_state)};
  front_set_int(&o->b, "num_scan_inputs", (int64_t)s->n_scan);
  weft_node *node =
      front_emit_open(&o->b, "Scan", s->in, s->n, &(weft_use){.in_counts = counts, .out_counts = outs});
  control_body(o, node, 0, facts, s->n, fill, ctx);
  if (node)
    front_close(&o->b, node);
  return o->b.failed ? NULL : node->out;
}

weft_value *pt_scan(pt_op *o, const pt_steps *s) {
  return control_scan_of(o, s, control_fill_step, (void *)(uintptr_t)s);
}

static void control_scan_node(pt_op *o, const weft_json *graph, const operands *all, size_t n_state,
                              size_t n_scan) {
  const pt_steps s = {.in = all->v, .n = all->n, .n_state = n_state, .n_scan = n_scan, .n_out = o->n_out};
  control_results(o, control_scan_of(o, &s, control_fill_graph, (void *)(uintptr_t)graph));
}

static void control_scan(pt_op *o) {
  const weft_json *graph = control_graph(o, 0);
  operands all = {0};
  control_operands(o, &all, 1);
  size_t n_state = all.n;
  control_operands(o, &all, 2);
  size_t n_scan = all.n - n_state;
  control_operands(o, &all, 3);
  if (!o->b.failed && (!n_scan || n_state > o->n_out))
    front_fail(&o->b, WEFT_E_INVALID, "scan has %zu states, %zu inputs and %zu outputs", n_state, n_scan,
               o->n_out);
  if (!o->b.failed)
    control_scan_node(o, graph, &all, n_state, n_scan);
}

static void control_map(pt_op *o) {
  const weft_json *graph = control_graph(o, 0);
  operands all = {0};
  control_operands(o, &all, 1);
  size_t n_scan = all.n;
  control_operands(o, &all, 2);
  if (!o->b.failed && !n_scan)
    front_fail(&o->b, WEFT_E_INVALID, "map has nothing to go over");
  if (!o->b.failed)
    control_scan_node(o, graph, &all, 0, n_scan);
}

// A graph that runs where it stands: what comes before it are settings of training.
static void control_wrap(pt_op *o) {
  operands in = {0};
  weft_value **out;
  size_t n_out;
  size_t at = 0;
  const char *key = "";
  while (at < o->inputs->n && (!pt_only(pt_at(o, at), &key) || strcmp(key, "as_graph")))
    at++;
  const weft_json *graph = control_graph(o, at);
  for (size_t i = at + 1; i < o->inputs->n; i++)
    control_operands(o, &in, i);
  if (o->b.failed || pt_inline(o, graph, in.v, in.n, &out, &n_out))
    return;
  for (size_t i = 0; i < o->n_out && i < n_out; i++)
    pt_result(o, i, out[i]);
}

// An operator whose effect has a place in an order, which tokens stand for: checks that weft makes itself.
static void control_effects(pt_op *o) {
  static const char *const checks[] = {"torch.ops.aten._linalg_check_errors.default",
                                       "torch.ops.aten._assert_async.msg",
                                       "torch.ops.aten._assert_async.default"};
  const char *of = pt_text(pt_at(o, 1), "as_operator");
  for (size_t i = 0; of && i < WEFT_COUNT(checks); i++) {
    if (!strcmp(of, checks[i]))
      return;
  }
  front_fail(&o->b, WEFT_E_UNSUPPORTED, "effects of %.80s are not read", of ? of : "no operator");
}

static const struct {
  const char *target;
  void (*fn)(pt_op *o);
} control_rows[] = {{"cond", control_cond},
                    {"while_loop", control_while},
                    {"scan", control_scan},
                    {"map_impl", control_map},
                    {"map", control_map},
                    {"with_effects", control_effects},
                    {"wrap_with_set_grad_enabled", control_wrap},
                    {"wrap_with_autocast", control_wrap},
                    {"hints_wrapper", control_wrap},
                    {"strict_mode", control_wrap}};

static const char *control_name(const char *target) {
  static const char prefix[] = "torch.ops.higher_order.";
  return strncmp(target, prefix, sizeof prefix - 1) ? NULL : target + sizeof prefix - 1;
}

bool pt_is_higher_order(const char *target) {
  const char *name = control_name(target);
  for (size_t i = 0; name && i < WEFT_COUNT(control_rows); i++) {
    if (!strcmp(control_rows[i].target, name))
      return true;
  }
  return false;
}

bool pt_higher_order(pt_op *o) {
  const char *name = control_name(o->b.type);
  for (size_t i = 0; name && i < WEFT_COUNT(control_rows); i++) {
    if (!strcmp(control_rows[i].target, name)) {
      control_rows[i].fn(o);
      return true;
    }
  }
  return false;
}
// SPDX-License-Identifier: Apache-2.0
