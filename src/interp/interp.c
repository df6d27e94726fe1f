// interp.c - runs a graph node by node with reference kernels. Tensors live from their producer to their last
// reader. Each node is inferred again with the actual shapes and values, which must not contradict what the
// graph says.
#include "infer/walk.h"
#include "ir/ir.h"
#include "tensor/tensor.h"
#include "weft/interp.h"

typedef struct slot {  // one per value id
  weft_tensor tensor;
  const weft_tensor *view;  // where the data are: &tensor, an input or a constant
  uint32_t readers;         // left
  bool live;                // tensor is initialised
} slot;

typedef struct bound_symbol {
  weft_dim symbol;
  int64_t value;
  const char *input;
} bound_symbol;

typedef struct interp {
  weft_graph *g;
  weft_env *env;
  weft_interp_options o;
  slot *slots;
  weft_frame frame;
  weft_arena scratch;  // of one node
  WEFT_VEC(bound_symbol) bound;
  size_t live_bytes;
  weft_diag *d;
} interp;

static weft_status check_dim(interp *r, const weft_value *v, uint32_t i, int64_t got) {
  const weft_fact *f = &v->fact;
  int64_t lo = 0, hi = -1;
  if (f->dims[i] >= 0) {
    if (f->dims[i] == got) return WEFT_OK;
    return weft_fail(r->d, WEFT_E_SHAPE, "graph input '%s': dim %u is %lld, the graph has %lld", v->name, i,
                     (long long)got, (long long)f->dims[i]);
  }
  if (f->min) lo = f->min[i], hi = f->max[i];
  if (weft_dim_is_symbol(f->dims[i])) {
    int64_t slo, shi;
    weft_dim_bounds(r->g->root->symbols, f->dims[i], &slo, &shi);
    lo = WEFT_MAX(lo, slo), hi = hi < 0 ? shi : shi < 0 ? hi : WEFT_MIN(hi, shi);
    for (size_t k = 0; k < r->bound.n; k++)
      if (r->bound.v[k].symbol == f->dims[i] && r->bound.v[k].value != got) {
        char name[128];
        return weft_fail(r->d, WEFT_E_SHAPE,
                         "graph input '%s': dim %u is %s = %lld, but input '%s' has %lld there", v->name, i,
                         weft_dim_text(r->g->root->symbols, f->dims[i], name, sizeof name), (long long)got,
                         r->bound.v[k].input, (long long)r->bound.v[k].value);
      }
    if (!WEFT_VEC_ROOM(&r->env->alloc, r->bound)) return weft_fail(r->d, WEFT_E_NOMEM, "out of memory");
    r->bound.v[r->bound.n++] = (bound_symbol){f->dims[i], got, v->name};
  }
  if (!weft_range_contains(lo, hi, got))
    return weft_fail(r->d, WEFT_E_RANGE, "graph input '%s': dim %u is %lld, the range is [%lld,%lld]",
                     v->name, i, (long long)got, (long long)lo, (long long)hi);
  return WEFT_OK;
}

// Items of sequences and optionals have the dtype of the description and, where they come in, its rank and
// known dims: inside the graph the shape of an item is what the model declares of all of them, and models get
// it wrong.
static weft_status check_items(interp *r, const weft_value *v, const weft_tensor *t, bool shapes, int depth) {
  const weft_fact *f = &v->fact;
  if (depth > WEFT__TENSOR_DEPTH)
    return weft_fail(r->d, WEFT_E_LIMIT, "value '%s': sequences are nested too deep", v->name);
  for (size_t i = 0; i < t->n_items; i++) {
    const weft_tensor *item = t->items[i];
    if (weft__kind_has_items(item->kind)) {
      WEFT_TRY(check_items(r, v, item, shapes, depth + 1));
      continue;
    }
    if (f->dtype != WEFT_UNDEFINED && item->dtype != f->dtype)
      return weft_fail(r->d, WEFT_E_DTYPE, "value '%s': item %zu is %s, expected %s", v->name, i,
                       weft_dtype_serial(item->dtype), weft_dtype_serial(f->dtype));
    if (!item->data) return weft_fail(r->d, WEFT_E_MISSING, "value '%s': item %zu has no data", v->name, i);
    bool same = !shapes || !f->set || f->unknown_rank || f->rank == item->layout.origin.rank;
    for (uint32_t k = 0; shapes && same && f->set && k < f->rank; k++)
      same = f->dims[k] < 0 || f->dims[k] == item->layout.origin.dim[k];
    if (same) continue;
    weft_shape s;
    char a[256], b[256];
    weft__fact_shape(f, &s);
    return weft_fail(r->d, WEFT_E_SHAPE, "value '%s': item %zu has shape %s, expected %s", v->name, i,
                     weft_shape_text(&item->layout.origin, NULL, a, sizeof a),
                     weft_shape_text(&s, r->g->root->symbols, b, sizeof b));
  }
  return WEFT_OK;
}

static weft_status check_input(interp *r, const weft_value *v, const weft_tensor *t) {
  const weft_fact *f = &v->fact;
  if (!t) return weft_fail(r->d, WEFT_E_MISSING, "graph input '%s' is not given", v->name);
  if (f->dtype != WEFT_UNDEFINED && t->dtype != f->dtype)
    return weft_fail(r->d, WEFT_E_DTYPE, "graph input '%s': expected %s, got %s", v->name,
                     weft_dtype_serial(f->dtype), weft_dtype_serial(t->dtype));
  bool item = (f->kind == WEFT_KIND_OPTIONAL && t->kind == WEFT_KIND_TENSOR) ||
              (f->kind == WEFT_KIND_OPTIONAL_SEQUENCE &&
               t->kind == WEFT_KIND_SEQUENCE);  // a value for an optional one
  if (t->kind != f->kind && !item)
    return weft_fail(r->d, WEFT_E_TYPE, "graph input '%s': expected %s, got %s", v->name,
                     weft__kind_word(f->kind), weft__kind_word(t->kind));
  if (t->kind != WEFT_KIND_TENSOR) return check_items(r, v, t, !r->g->parent, 0);
  int64_t elems;
  char text[256];
  weft_shape_text(&t->layout.origin, NULL, text, sizeof text);
  if (weft_shape_elems(&t->layout.origin, &elems) || elems < 0)
    return weft_fail(r->d, WEFT_E_SHAPE, "graph input '%s': shape %s is not complete", v->name, text);
  int64_t need = weft_dtype_bytes(elems, t->dtype);
  if (!t->data || need < 0 || t->bytes < (size_t)need)
    return weft_fail(r->d, WEFT_E_SHAPE, "graph input '%s': shape %s needs %lld bytes, the tensor has %zu",
                     v->name, text, (long long)need, t->data ? t->bytes : 0);
  elems = weft_tensor_elems(t);
  need = elems < 0 ? -1 : weft_dtype_bytes(elems, t->dtype);
  if (need < 0 || t->bytes < (size_t)need)
    return weft_fail(r->d, WEFT_E_SHAPE,
                     "graph input '%s': storage shape %s needs %lld bytes, the tensor has %zu", v->name,
                     weft_shape_text(&t->layout.storage, NULL, text, sizeof text), (long long)need, t->bytes);
  weft_shape_text(&t->layout.origin, NULL, text, sizeof text);
  if (!f->set || f->unknown_rank) return WEFT_OK;
  if (t->layout.origin.rank != f->rank)
    return weft_fail(r->d, WEFT_E_SHAPE, "graph input '%s': expected rank %u, got %zu (shape %s)", v->name,
                     f->rank, t->layout.origin.rank, text);
  for (uint32_t i = 0; i < f->rank; i++) WEFT_TRY(check_dim(r, v, i, t->layout.origin.dim[i]));
  return WEFT_OK;
}

static void release(interp *r, weft_value *v) {
  slot *s = &r->slots[v->id];
  if (s->readers) s->readers--;
  if (s->readers || !s->live) return;
  r->live_bytes -= WEFT_MIN(r->live_bytes, s->tensor.capacity);
  weft_tensor_deinit(&s->tensor);
  s->live = false;
  s->view = NULL;
}

// The actual shape of an output against what the graph says of it.
static weft_status check_output(interp *r, const weft_value *v, const weft_tensor *t) {
  const weft_fact *f = &v->fact;
  if (!f->set) return WEFT_OK;
  if (t->kind != f->kind)
    return weft_fail(r->d, WEFT_E_TYPE, "value '%s': %s when run, %s when inferred", v->name,
                     weft__kind_word(t->kind), weft__kind_word(f->kind));
  if (t->kind != WEFT_KIND_TENSOR) return check_items(r, v, t, false, 0);
  if (f->dtype != t->dtype)
    return weft_fail(r->d, WEFT_E_DTYPE, "value '%s': %s when run, %s when inferred", v->name,
                     weft_dtype_serial(t->dtype), weft_dtype_serial(f->dtype));
  bool same = f->unknown_rank || f->rank == t->layout.origin.rank;
  for (uint32_t i = 0; same && i < f->rank; i++) {
    int64_t got = t->layout.origin.dim[i];
    same = f->dims[i] < 0 || f->dims[i] == got;
    if (f->min && same && !weft_range_contains(f->min[i], f->max[i], got))
      return weft_fail(r->d, WEFT_E_RANGE,
                       "value '%s': dim %u is %lld when run, outside the inferred range [%lld,%lld]", v->name,
                       i, (long long)got, (long long)f->min[i], (long long)f->max[i]);
  }
  if (same) return WEFT_OK;
  weft_shape s;
  char a[256], b[256];
  weft__fact_shape(f, &s);
  return weft_fail(r->d, WEFT_E_SHAPE, "value '%s': shape %s when run, %s when inferred", v->name,
                   weft_shape_text(&t->layout.origin, NULL, a, sizeof a),
                   weft_shape_text(&s, r->g->root->symbols, b, sizeof b));
}

typedef struct running {
  interp *r;
  weft_node *node;
} running;

// Runs one sub-graph of the node at hand; out[i] are the caller's afterwards.
static weft_status call_graph(void *ctx, const weft_call *c, uint32_t graph, const weft_tensor *const *in,
                              weft_tensor *const *out) {
  const running *at = ctx;
  if (graph >= at->node->n_graphs)
    return weft_fail(c->d, WEFT_E_MISSING, "the node has %u sub-graphs, the operator runs number %u",
                     at->node->n_graphs, graph);
  weft_graph *g = at->node->graphs[graph];
  weft_interp_options o = at->r->o;
  if (o.memory_limit_bytes) {
    if (at->r->live_bytes >= o.memory_limit_bytes)
      return weft_fail(c->d, WEFT_E_LIMIT, "the memory limit is reached");
    o.memory_limit_bytes -= at->r->live_bytes;
  }
  size_t n = g->outputs.n;
  weft_tensor *made = weft__alloc(&at->r->env->alloc, (n + 1) * sizeof *made, 16);
  if (!made) return weft_fail(c->d, WEFT_E_NOMEM, "out of memory");
  weft_status s = weft_interp_run(g, &o, in, g->inputs.n, made, n, c->d);
  for (size_t i = 0; i < n; i++) {
    if (!s && out[i])
      *out[i] = made[i];
    else
      weft_tensor_deinit(&made[i]);
  }
  weft__free(&at->r->env->alloc, made, (n + 1) * sizeof *made, 16);
  return s;
}

static weft_status run_node(interp *r, weft_node *n) {
  const weft_op_desc *desc = &n->desc.pub;
  weft_fact *facts = WEFT_NEW_N(&r->scratch, weft_fact, desc->n_in + 1);
  const weft_fact **in = WEFT_NEW_N(&r->scratch, const weft_fact *, desc->n_in + 1);
  const weft_tensor **tensors = WEFT_NEW_N(&r->scratch, const weft_tensor *, desc->n_in + 1);
  weft_tensor **out = WEFT_NEW_N(&r->scratch, weft_tensor *, desc->n_out + 1);
  weft_fact *given = WEFT_NEW_N(&r->scratch, weft_fact, desc->n_out + 1);
  if (!facts || !in || !tensors || !out || !given) return weft_fail(r->d, WEFT_E_NOMEM, "out of memory");
  for (uint32_t i = 0; i < desc->n_in; i++) {
    if (!n->in[i].value) {
      char name[128];
      return weft_fail(r->d, WEFT_E_MISSING, "node '%s' (%s): input '%s' is not connected",
                       weft__node_name(n), desc->type, weft__node_in_text(n, i, name, sizeof name));
    }
    tensors[i] = r->slots[n->in[i].value->id].view;
    if (!tensors[i])
      return weft_fail(r->d, WEFT_E_STATE, "value '%s' was not computed", n->in[i].value->name);
    facts[i] = weft__fact_of_tensor(tensors[i]);
    in[i] = &facts[i];
  }
  const weft_fact *result = given;
  if ((!n->desc.proto->op->infer || n->n_graphs) &&
      n->desc.proto->op->execute)  // sub-graphs are inferred as they run
    for (uint32_t i = 0; i < desc->n_out; i++) given[i] = n->out[i].fact;
  else {
    WEFT_TRY(weft__infer_node(&r->frame, n->desc.proto, desc, in, WEFT_STAGE_RUN, r->d));
    result = r->frame.facts;
  }
  for (uint32_t i = 0; i < desc->n_out; i++) {
    slot *s = &r->slots[n->out[i].id];
    weft_tensor_init(&s->tensor, &r->env->alloc);
    s->live = true;
    s->view = out[i] = &s->tensor;
  }
  running at = {r, n};
  weft_call_options o = {.memory_limit_bytes = r->o.memory_limit_bytes,
                         .live_bytes = &r->live_bytes,
                         .call_graph = n->n_graphs ? call_graph : NULL,
                         .ctx = &at};
  WEFT_TRY(weft__call_node(r->env, n->desc.proto, desc, tensors, result, out, &o, r->d));
  for (uint32_t i = 0; i < desc->n_out; i++) {
    r->live_bytes += out[i]->capacity;
    WEFT_TRY(check_output(r, &n->out[i], out[i]));
    if (r->o.watch) WEFT_TRY(r->o.watch(r->o.watch_ctx, &n->out[i], out[i]));
  }
  for (uint32_t i = 0; i < desc->n_in; i++) release(r, n->in[i].value);
  for (uint32_t i = 0; i < desc->n_out; i++)
    if (!r->slots[n->out[i].id].readers) release(r, &n->out[i]);
  return WEFT_OK;
}

static weft_status bind(interp *r, const weft_tensor *const *in, size_t n_in, size_t n_out) {
  weft_graph *g = r->g;
  if (n_in != g->inputs.n)
    return weft_fail(r->d, WEFT_E_INVALID, "graph '%s' has %zu inputs, got %zu", g->name, g->inputs.n, n_in);
  if (n_out != g->outputs.n)
    return weft_fail(r->d, WEFT_E_INVALID, "graph '%s' has %zu outputs, the caller expects %zu", g->name,
                     g->outputs.n, n_out);
  for (size_t i = 0; i < n_in; i++) {
    WEFT_TRY(check_input(r, g->inputs.v[i], in[i]));
    r->slots[g->inputs.v[i]->id].view = in[i];
  }
  for (size_t i = 0; i < g->consts.n; i++) r->slots[g->consts.v[i]->id].view = g->consts.v[i]->fact.value;
  for (const weft_node *n = g->first; n; n = n->next)
    for (uint32_t i = 0; i < n->desc.pub.n_out; i++) {
      if (!n->out[i].fact.set)
        return weft_fail(r->d, WEFT_E_STATE, "value '%s' was not inferred: call weft_graph_infer first",
                         n->out[i].name);
      r->slots[n->out[i].id].readers = n->out[i].n_uses + n->out[i].n_outputs;
    }
  return WEFT_OK;
}

static weft_status give_outputs(interp *r, weft_tensor *out) {
  for (size_t i = 0; i < r->g->outputs.n; i++) {
    weft_value *v = r->g->outputs.v[i];
    slot *s = &r->slots[v->id];
    if (!s->view) return weft_fail(r->d, WEFT_E_STATE, "output '%s' was not computed", v->name);
    if (s->live && s->readers == 1) {  // the last reader takes the tensor itself
      out[i] = s->tensor;
      s->live = false, s->readers = 0, s->view = NULL;
      continue;
    }
    WEFT_TRY(weft_tensor_copy(&out[i], s->view, r->d));
    if (s->live) s->readers--;
  }
  return WEFT_OK;
}

static weft_status run(interp *r, const weft_tensor *const *in, size_t n_in, weft_tensor *out, size_t n_out) {
  WEFT_TRY(bind(r, in, n_in, n_out));
  for (weft_node *n = r->g->first; n; n = n->next) {
    weft_status s = run_node(r, n);
    weft__arena_deinit(&r->scratch);
    weft__arena_init(&r->scratch, &r->env->alloc);
    if (s) {
      weft__note_origin(n, r->d);
      return s;
    }
  }
  return give_outputs(r, out);
}

weft_status weft_interp_run(weft_graph *g, const weft_interp_options *o, const weft_tensor *const *in,
                            size_t n_in, weft_tensor *out, size_t n_out, weft_diag *d) {
  weft_diag own = {0};
  interp r = {.g = g, .env = g->root->env, .d = d ? d : &own};
  if (o) memcpy(&r.o, o, o->size ? WEFT_MIN(o->size, sizeof r.o) : sizeof r.o);
  for (size_t i = 0; i < n_out; i++) weft_tensor_init(&out[i], &r.env->alloc);
  size_t bytes, n = g->root->n_value_ids;
  if (!weft_mul_size(n + 1, sizeof(slot), &bytes)) return weft_fail(d, WEFT_E_OVERFLOW, "%zu values", n);
  r.slots = weft__alloc(&r.env->alloc, bytes, 16);
  if (!r.slots) return weft_fail(d, WEFT_E_NOMEM, "out of memory");
  memset(r.slots, 0, bytes);
  weft__arena_init(&r.scratch, &r.env->alloc);
  weft__frame_init(&r.frame, r.env, NULL);
  weft_status s = run(&r, in, n_in, out, n_out);
  if (s) weft_note(r.d, "while running graph '%s'", g->name);
  for (size_t i = 0; i < n; i++)
    if (r.slots[i].live) weft_tensor_deinit(&r.slots[i].tensor);
  weft__arena_deinit(&r.scratch);
  weft__frame_deinit(&r.frame);
  WEFT_VEC_FREE(&r.env->alloc, r.bound);
  weft__free(&r.env->alloc, r.slots, bytes, 16);
  return s;
}
