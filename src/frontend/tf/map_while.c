// map_while.c - loops, whose conditions and bodies are functions. A body runs, and the condition of what it
// gives decides about the next turn.
#include "base/allocated.h"
#include "frontend/tf/flow.h"

// Does the body hand argument k on as it got it?
static bool while_kept(const tf_body *body, size_t k) {
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
static bool while_grows(const tf_body *body) {
  for (size_t i = 0; i < body->n_nodes; i++) {
    const char *op = body->nodes[i].op;
    if (!strcmp(op, "TensorListPushBack") || !strcmp(op, "TensorListPopBack") ||
        !strcmp(op, "TensorListResize"))
      return true;
  }
  return false;
}

// What is true of a carried value in every turn: the sizes that the model promises (output_shapes).
static weft_fact while_carried(tf_flow_args *f, size_t k, bool grows) {
  tf_op *o = f->o;
  wire_field shape;
  weft_fact fact = tf_flow_fact(f->args[k].v);
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

static void while_fill_loop(tf_op *in, tf_flow_body *b, weft_value *const *lead, tf_value *args) {
  const tf_flow_args *f = b->f;
  tf_value *again;
  size_t n_again;
  (void)lead;
  if (!tf_flow_call(in, b, args) || !tf_flow_room(in, b, f->n_in + 1))
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
      b->out[1 + f->slot[i]] = tf_flow_result(in, &b->results[i], i);
  }
  b->n_out = 1 + b->to;
  if (in->b.failed)
    return;
  weft_status s = tf_call(in, b->condition, next, f->n, &again, &n_again);
  if (!s && (n_again != 1 || again[0].kind != TF_TENSOR))
    front_fail(&in->b, WEFT_E_INVALID, "the condition of the loop gives %zu values", n_again);
  if (s)
    in->b.failed = s;
  b->out[0] = in->b.failed ? NULL : tf_flow_decides(in, again[0].v);
}

// ---- lists that only the body knows the items of ----
static void while_fill_trial(tf_op *in, tf_flow_body *b, weft_value *const *lead, tf_value *args) {
  (void)lead;
  for (size_t i = 0; i < b->f->n; i++) {
    if (args[i].kind != TF_LIST || args[i].v)
      continue;
    tf_list *one = (tf_list *)(uintptr_t)args[i].list;  // a copy that flow_inside made
    one->known = one->known < 0 ? 1 : one->known;
  }
  tf_flow_call(in, b, args);
}

// A size of an item: known, or that of an operand which has the same symbol.
static weft_value *while_size(tf_op *o, weft_dim dim) {
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

static void while_settle(tf_op *o, tf_value *list, const tf_value *made) {
  weft_value *sizes[WEFT_MAX_RANK];
  int rank = front_rank_of(&o->b, made->v);
  for (int i = 1; i < rank; i++)
    sizes[i - 1] = while_size(o, made->v->fact.dims[i]);
  if (o->b.failed)
    return;
  weft_value *shape = rank > 1 ? front_joined(&o->b, sizes, (size_t)rank - 1, 0) : front_list(&o->b, NULL, 0);
  list->v = tf_list_filled(&o->b, list->list, shape);
}

// The body is written into a graph that is thrown away, and what it puts into such lists is looked at.
static void while_try(tf_op *o, const tf_body *body, tf_value *args, size_t n) {
  tf_flow_args f;
  size_t open = 0;
  for (size_t i = 0; i < n; i++)
    open += args[i].kind == TF_LIST && !args[i].v && !while_kept(body, i);
  if (!open || o->b.failed)
    return;
  tf_flow_begin(&f, o, args, n, 0);
  tf_flow_pass_all(&f);
  uint32_t counts[4] = {0, 0, 0, 0};
  uint32_t outs[2] = {0, 0};
  weft_node *node =
      front_emit_open(&o->b, "Loop", NULL, 0, &(weft_use){.in_counts = counts, .out_counts = outs});
  tf_flow_body b = {.fill = while_fill_trial, .f = &f, .function = body->name};
  tf_flow_graph(o, node, 0, &b, true);
  for (size_t i = 0; i < n && !o->b.failed; i++) {
    if (args[i].kind == TF_LIST && !args[i].v && b.results[i].kind == TF_LIST && b.results[i].v)
      while_settle(o, &args[i], &b.results[i]);
  }
  if (node && !o->b.failed)
    o->b.failed = weft_node_remove(node, o->m->f.d);
  o->b.named = false;
}

static void while_inputs(tf_flow_args *f, const tf_body *body, size_t *n_carried) {
  bool grows = while_grows(body);
  for (int kept = 0; kept < 2; kept++) {
    for (size_t i = 0; i < f->n && !f->o->b.failed; i++) {
      const tf_value *v = &f->args[i];
      bool tensor = (v->kind == TF_TENSOR || v->kind == TF_LIST) && v->v;
      if (while_kept(body, i) != kept || !tensor)
        continue;
      if (!kept)
        tf_flow_pass(f, i, while_carried(f, i, grows));
      else if (tf_flow_passed(v))
        tf_flow_pass(f, i, tf_flow_fact(v->v));
    }
    if (!kept)
      *n_carried = f->n_in;
  }
}

static void while_loop(tf_op *o, const tf_body *body, const char *condition, tf_value *args) {
  tf_flow_args f;
  tf_value *first;
  size_t n_first;
  size_t n_carried = 0;
  size_t n = o->n_in;
  weft_status s = tf_call(o, condition, args, n, &first, &n_first);
  if (s)
    o->b.failed = s;
  else if (n_first != 1 || first[0].kind != TF_TENSOR)
    front_fail(&o->b, WEFT_E_INVALID, "the condition of the loop gives %zu values", n_first);
  weft_value *starts = o->b.failed ? NULL : tf_flow_decides(o, first[0].v);
  if (o->b.failed)
    return;
  tf_flow_begin(&f, o, args, n, 1);
  if (o->b.failed)
    return;
  f.in[0] = starts;
  while_inputs(&f, body, &n_carried);
  uint32_t counts[4] = {0, 1, (uint32_t)n_carried, (uint32_t)(f.n_in - n_carried)};
  uint32_t outs[2] = {(uint32_t)n_carried, 0};
  weft_node *node =
      front_emit_open(&o->b, "Loop", f.in, f.n_in + 1, &(weft_use){.in_counts = counts, .out_counts = outs});
  tf_flow_body b = {
      .fill = while_fill_loop, .f = &f, .function = body->name, .condition = condition, .to = n_carried};
  tf_flow_graph(o, node, 0, &b, true);
  if (node)
    front_close(&o->b, node);
  for (size_t i = 0; i < n && !o->b.failed; i++) {
    tf_value v = args[i];
    if (f.slot[i] >= 0 && (size_t)f.slot[i] < n_carried)
      v.v = &node->out[f.slot[i]];
    tf_give_value(o, i, v);
  }
}

static void while_node(tf_op *o) {
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
  while_try(o, body, args, o->n_in);
  if (!o->b.failed)
    while_loop(o, body, condition, args);
}

static const tf_row while_rows[] = {
    {"StatelessWhile", NULL, NULL, while_node},
    {"While", NULL, NULL, while_node},
};
const tf_rows tf_while = TF_ROWS(while_rows);
// SPDX-License-Identifier: Apache-2.0
