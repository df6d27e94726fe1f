// walk.c - inference over a graph: one pass in topological order. Each node sees fully inferred producers;
// dtype, shape, range and small known values of a node are found together, so that shape arithmetic is known
// to the next node. Cost: linear in nodes; memory only for the facts.
#include "base/told.h"
#include "base/allocated.h"
#include "infer/walk.h"

#include "ir/ir.h"
#include "tensor/tensor.h"

// Bodies of loops are inferred until they settle, once more for each round of the loop around them. In all,
// that may take as many nodes as these, and for each node of the graph, its sub-graphs included, as many
// more.
enum { SUB_WORK = 1 << 16, SUB_WORK_EACH = 64, DEFAULT_ELEMS = 1024 };

typedef struct walk {
  weft_graph *g;
  weft_env *env;
  weft_infer_options o;
  uint32_t max_floats;  // 0: as many as max_value_elems
  weft_infer_summary sum;
  weft_frame frame;
  const weft_fact **in;  // cap
  const weft_tensor **tensors;
  weft_tensor **outs;
  uint32_t cap;
  weft_status first;
  weft_diag *d;
  weft_node *node;     // being inferred
  uint64_t *sub_work;  // nodes inferred in sub-graphs, all together; of the outermost walk
  uint64_t own_sub_work;
  struct walk *below;  // of the sub-graphs of its nodes, one after the other: its arrays are kept
} walk;

static void walk_report(walk *w, weft_status s, const char *fmt, ...) WEFT_PRINTF(3, 4);
static void walk_report(walk *w, weft_status s, const char *fmt, ...) {
  char text[1024];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  if (w->o.report)
    w->o.report(w->o.report_ctx, s, text);
  if (w->first)
    return;
  w->first = weft_fail(w->d, s, "%s", text);
}

static bool declared_outputs(const weft_node *n) {
  for (uint32_t i = 0; i < n->desc.pub.n_out; i++) {
    if (!n->out[i].declared || !n->out[i].declared->fact.set ||
        n->out[i].declared->fact.dtype == WEFT_UNDEFINED)
      return false;
  }
  return true;
}

// An execute-style operator without inference takes the dtype that the model declares (R155); its shape only
// the run tells.
static bool by_declaration(const weft_node *n) {
  const weft_proto *p = n->desc.proto;
  return !p->op->infer && p->op->execute && declared_outputs(n);
}

// Everything that can be refused before an inference function is called (R3, R56, R216).
static void precheck(walk *w) {
  for (const weft_node *n = w->g->first; n; n = weft__node_after(n)) {
    const weft_proto *p = n->desc.proto;
    const char *why = by_declaration(n) ? NULL : weft__proto_refusal(p);
    if (why) {
      walk_report(w, WEFT_E_INCOMPLETE,
                  "node '%s' (%s): the operator cannot be in a graph that is inferred: %s%s",
                  weft__node_name(n), p->name,
                  p->op->infer || p->source != WEFT_FROM_CATALOGUE ? "missing " : "", why);
    }
    for (uint32_t i = 0; i < n->desc.pub.n_in; i++) {
      char name[128];
      if (!n->in[i].value) {
        walk_report(w, WEFT_E_MISSING, "node '%s' (%s): input '%s' is not connected", weft__node_name(n),
                    p->name, weft__node_in_text(n, i, name, sizeof name));
      }
    }
  }
}

static bool walk_room(walk *w, uint32_t n) {
  if (n <= w->cap)
    return true;
  uint32_t cap = n + n / 2 + 16;
  weft_allocator *a = &w->g->root->alloc;
  const weft_fact **in = weft__realloc(a, w->in, w->cap * sizeof *in, cap * sizeof *in, 16);
  if (in)
    w->in = in;
  const weft_tensor **t = weft__realloc(a, w->tensors, w->cap * sizeof *t, cap * sizeof *t, 16);
  if (t)
    w->tensors = t;
  weft_tensor **o = weft__realloc(a, w->outs, w->cap * sizeof *o, cap * sizeof *o, 16);
  if (o)
    w->outs = o;
  if (!in || !t || !o) {  // the arrays may differ in size now: give them back whole
    weft__free(a, w->in, (in ? cap : w->cap) * sizeof *in, 16);
    weft__free(a, w->tensors, (t ? cap : w->cap) * sizeof *t, 16);
    weft__free(a, w->outs, (o ? cap : w->cap) * sizeof *o, 16);
    w->in = NULL;
    w->tensors = NULL;
    w->outs = NULL;
    w->cap = 0;
    return false;
  }
  w->cap = cap;
  return true;
}

// What a pass carries over from a node that it replaced: inference found it there. Taken where this rule
// finds less.
static void take_carried(const weft_fact *m, weft_fact *f, weft_dim *store) {
  if (!weft__fact_ranked(m))
    return;
  if (f->unknown_rank) {
    f->unknown_rank = false;
    f->rank = m->rank;
    f->dims = m->dims;
    f->min = m->min;
    f->max = m->max;
    return;
  }
  if (f->rank != m->rank)
    return;
  bool took = false;
  for (uint32_t i = 0; i < m->rank; i++) {
    store[i] = f->dims[i] == -1 ? m->dims[i] : f->dims[i];
    took |= store[i] != f->dims[i];
  }
  if (took)
    f->dims = store;
  if (!f->min && m->min) {
    f->min = m->min;
    f->max = m->max;
  }
}

static weft_tensor *make_tensor(void *g) {
  return weft__graph_tensor(g);
}

// Real numbers may have a bound of their own.
static uint32_t max_elems_of(const walk *w, const weft_node *n) {
  const weft_dtype t = n->desc.pub.n_out ? w->frame.facts[0].dtype : (weft_dtype)WEFT_UNDEFINED;
  const bool real = t < 64 && (WEFT_BIT(t) & (WEFT_FLOATS | WEFT_SET_COMPLEX));
  return real && w->max_floats ? w->max_floats : w->o.max_value_elems;
}

static weft_status find_values(walk *w, weft_node *n, weft_diag *d) {
  weft_root *root = w->g->root;
  weft__value_finder k = {.env = w->env,
                          .max_elems = max_elems_of(w, n),
                          .make = make_tensor,
                          .ctx = w->g,
                          .budget = &root->budget,
                          .known_bytes = &root->known_bytes};
  for (uint32_t i = 0; i < n->desc.pub.n_in; i++)
    w->tensors[i] = n->in[i].value->fact.value;
  WEFT_TRY(weft__known_outputs(&k, n->desc.proto, &n->desc.pub, w->tensors, w->frame.facts, w->outs, d));
  return WEFT_OK;
}

static weft_status keep_facts(weft_node *n, weft_fact *facts, weft_diag *d) {
  weft_dim store[WEFT_MAX_RANK];
  for (uint32_t i = 0; i < n->desc.pub.n_out; i++) {
    weft_value *v = &n->out[i];
    WEFT_TRY(weft__declared_check(v, &facts[i], d));
    if (v->declared && v->declared->found)
      take_carried(&v->declared->fact, &facts[i], store);
    WEFT_TRY(weft__value_set_fact(v, &facts[i], d));
  }
  return WEFT_OK;
}

static weft_status infer_one(walk *w, weft_node *n, weft_diag *d) {
  const weft_op_desc *desc = &n->desc.pub;
  w->node = n;
  WEFT_TRY(weft__allocated(walk_room(w, WEFT_MAX(desc->n_in, desc->n_out)), d));
  if (by_declaration(n)) {
    for (uint32_t i = 0; i < desc->n_out; i++) {
      weft_fact f = n->out[i].declared->fact;
      f.unknown_rank = true;
      f.rank = 0;
      f.min = f.max = NULL;
      WEFT_TRY(weft__value_set_fact(&n->out[i], &f, d));
    }
    return WEFT_OK;
  }
  for (uint32_t i = 0; i < desc->n_in; i++)
    w->in[i] = &n->in[i].value->fact;
  WEFT_TRY(weft__infer_node(&w->frame, n->desc.proto, desc, w->in, WEFT_STAGE_BUILD, d));
  if (!w->o.no_values)
    WEFT_TRY(find_values(w, n, d));
  return keep_facts(n, w->frame.facts, d);
}

static void walk_count(walk *w, const weft_fact *f) {
  w->sum.n_values++;
  if (!f->set)
    return;
  if (f->unknown_rank)
    w->sum.n_unknown++;
  else if (weft__fact_known(f))
    w->sum.n_static++;
  else
    w->sum.n_dynamic++;
}

static bool inputs_inferred(const weft_node *n) {
  for (uint32_t i = 0; i < n->desc.pub.n_in; i++) {
    if (!n->in[i].value || !n->in[i].value->fact.set)
      return false;
  }
  return true;
}

static weft_status stop(const walk *w, const weft_node *n, weft_diag *d) {
  weft_status s = weft__budget_poll(&w->g->root->budget, d);
  if (s)
    weft_note(d, "before inferring node '%s' (%s)", weft__node_name(n), weft__node_type(n));
  return s;
}

static weft_status walk_nodes(walk *w) {
  for (weft_node *n = w->g->first; n; n = weft__node_after(n)) {
    WEFT_TRY(stop(w, n, w->d));
    for (uint32_t i = 0; i < n->desc.pub.n_out; i++)
      weft__value_clear_fact(&n->out[i]);
    if (w->o.keep_going && !inputs_inferred(n))
      continue;  // the cause was reported upstream
    weft_diag own;
    own.status = 0;
    own.length = 0;
    own.text[0] = 0;
    weft_diag *d = w->o.keep_going ? &own : w->d;
    weft_status s = infer_one(w, n, d);
    if (!s)
      continue;
    weft__note_origin(n, d);
    w->sum.n_failed++;
    if (!w->o.keep_going) {
      if (w->o.report && d)
        w->o.report(w->o.report_ctx, s, d->text);
      return s;
    }
    walk_report(w, s, "%s", own.text);
    if (s == WEFT_E_NOMEM)
      return s;
  }
  return w->first;
}

static void begin_frame(walk *w);

static void end(walk *w) {  // below: at most WEFT_GRAPH_DEPTH_MAX
  weft_allocator *a = &w->g->root->alloc;
  if (w->below)
    end(w->below);
  weft__free(a, w->below, sizeof *w->below, _Alignof(walk));
  weft__frame_deinit(&w->frame);
  weft__free(a, w->in, w->cap * sizeof *w->in, 16);
  weft__free(a, w->tensors, w->cap * sizeof *w->tensors, 16);
  weft__free(a, w->outs, w->cap * sizeof *w->outs, 16);
}

// ---- sub-graphs ----
static weft_fact described_fact(const weft_described *v) {
  weft_fact f = {
      .dtype = v->dtype, .kind = v->kind, .set = true, .format = v->format, .origin_format = v->format};
  f.unknown_rank = weft_shape_is_unknown_rank(&v->shape);
  f.rank = f.unknown_rank ? 0 : (uint8_t)v->shape.rank;
  f.dims = v->shape.dim;
  f.value = v->value;
  f.item_dtype = v->kind == WEFT_KIND_TENSOR ? (uint8_t)WEFT_UNDEFINED : v->dtype;
  return f;
}

// A value handed through from an input of the node is the tensor that the graph holds, not the view in the
// scratch.
static const weft_tensor *held_value(const walk *outer, const weft_tensor *t) {
  for (uint32_t i = 0; t && i < outer->node->desc.pub.n_in; i++) {
    if (t == &outer->frame.in_store[i])
      return outer->node->in[i].value->fact.value;
  }
  return t;
}

// A fused node's inputs are those of its body, axes and shapes among them: what is known outside is known
// inside, so that a static graph stays static when its operators are joined. Weights say nothing of shapes.
static const weft_tensor *fused_value(const walk *outer, size_t i) {
  if (strcmp(weft__node_type(outer->node), "Fused"))
    return NULL;
  const weft_tensor *t = outer->node->in[i].value->fact.value;
  bool sizes = t && t->kind == WEFT_KIND_TENSOR && (t->dtype == WEFT_INT32 || t->dtype == WEFT_INT64);
  return sizes && weft_tensor_elems(t) <= WEFT_FRAME_ELEMS ? t : NULL;
}

static weft_status sub_inputs(const walk *outer, weft_graph *g, const weft_described *in, weft_diag *d) {
  for (size_t i = 0; i < g->inputs.n; i++) {
    if (in[i].shape.rank != WEFT_RANK_UNSET && in[i].shape.rank > WEFT_MAX_RANK) {
      return weft_fail(d, WEFT_E_LIMIT, "sub-graph '%s': input %zu has rank %zu", g->name, i,
                       in[i].shape.rank);
    }
    weft_fact f = described_fact(&in[i]);
    f.value = f.value ? held_value(outer, f.value) : fused_value(outer, i);
    WEFT_TRY(weft__value_set_fact(g->inputs.v[i], &f, d));
  }
  return WEFT_OK;
}

// The walk over a sub-graph of outer's node. Bodies of fused nodes are many and small: making its arrays for
// each would be most of the work.
static walk *below(walk *outer, weft_graph *g) {
  walk *w = outer->below;
  if (!w) {
    if (!(w = weft__alloc(&g->root->alloc, sizeof *w, _Alignof(walk))))
      return NULL;
    *w = (walk){.env = outer->env, .sub_work = outer->sub_work};
    w->g = g;
    begin_frame(w);
    outer->below = w;
  }
  w->g = g;
  w->o = outer->o;
  w->first = WEFT_OK;
  w->o.report = NULL;
  w->o.keep_going = false;
  return w;
}

// Infers one sub-graph of the node at hand with the inputs given, and tells its outputs.
static weft_status infer_sub(void *sub, weft_infer *it, uint32_t graph, const weft_described *in,
                             uint32_t n_in, weft_described *out, uint32_t n_out) {
  const walk *outer = sub;
  weft_diag *d = it->d;
  if (graph >= outer->node->n_graphs) {
    return weft_fail(d, WEFT_E_MISSING, "the node has %u sub-graphs, the operator asks for number %u",
                     outer->node->n_graphs, graph);
  }
  weft_graph *g = outer->node->graphs[graph];
  if (g->inputs.n != n_in || g->outputs.n != n_out) {
    return weft_fail(d, WEFT_E_INVALID,
                     "sub-graph '%s' has %zu inputs and %zu outputs, the operator has %u and %u for it",
                     g->name, g->inputs.n, g->outputs.n, n_in, n_out);
  }
  *outer->sub_work += 1 + weft_graph_n_nodes(g);
  uint64_t most = SUB_WORK + (uint64_t)SUB_WORK_EACH * g->root->n_node_ids;
  if (*outer->sub_work > most) {
    return weft_fail(d, WEFT_E_LIMIT,
                     "sub-graph '%s': loops in loops need more than %llu inferences of a node", g->name,
                     (unsigned long long)most);
  }
  walk *w = below(sub, g);
  WEFT_TRY(weft__allocated(w, d));
  w->d = d;
  WEFT_TRY(sub_inputs(outer, g, in, d));
  precheck(w);
  weft_status s = w->first;
  if (!s)
    s = walk_nodes(w);
  if (s)
    weft_note(d, "in sub-graph '%s'", g->name);
  for (uint32_t i = 0; !s && i < n_out; i++) {
    const weft_fact *f = &g->outputs.v[i]->fact;
    out[i] = (weft_described){
        .size = sizeof out[i], .dtype = f->dtype, .kind = f->kind, .format = f->format, .value = f->value};
    weft__fact_shape(f, &out[i].shape);
  }
  return s;
}

// Of an If, when everything has to be right, the branch that is not asked for, too.
static weft_status infer_graph(void *sub, weft_infer *it, uint32_t graph, const weft_described *in,
                               uint32_t n_in, weft_described *out, uint32_t n_out) {
  const walk *outer = sub;
  if (outer->env->options.dead_branches && outer->node->n_graphs == 2 &&
      !strcmp(weft__node_type(outer->node), "If")) {
    weft_described *other = weft__alloc(&outer->env->alloc, (n_out + 1) * sizeof *other, 16);
    WEFT_TRY(weft__allocated(other, it->d));
    weft_status s = infer_sub(sub, it, 1 - graph, in, n_in, other, n_out);
    weft__free(&outer->env->alloc, other, (n_out + 1) * sizeof *other, 16);
    WEFT_TRY(s);
  }
  return infer_sub(sub, it, graph, in, n_in, out, n_out);
}

static void begin_frame(walk *w) {
  weft__frame_init(&w->frame, w->env, w->g->root->symbols);
  w->frame.alloc = w->g->root->alloc;
  w->frame.sub = w;
  w->frame.infer_graph = infer_graph;
}

typedef struct why_text {
  char text[512];
  size_t n;
} why_text;
static weft_status why_write(void *ctx, const char *text, size_t bytes) {
  why_text *t = ctx;
  size_t n = WEFT_MIN(bytes, sizeof t->text - 1 - t->n);
  memcpy(t->text + t->n, text, n);
  t->n += n;
  t->text[t->n] = 0;
  return WEFT_OK;
}

// A shape in symbols is all that can be known before the inputs are there.
static bool known_in_symbols(const weft_fact *f) {
  if (f->unknown_rank)
    return false;
  for (uint32_t i = 0; i < f->rank; i++) {
    if (f->dims[i] == WEFT_DIM_UNKNOWN)
      return false;
  }
  return true;
}

static void summarise(walk *w) {
  w->sum.n_nodes = w->sum.n_known_values = 0;
  for (const weft_node *n = w->g->first; n; n = weft__node_after(n)) {
    w->sum.n_nodes++;
    for (uint32_t i = 0; i < n->desc.pub.n_out; i++) {
      walk_count(w, &n->out[i].fact);
      w->sum.n_known_values += n->out[i].fact.value != NULL;
    }
  }
  for (size_t i = 0; i < w->g->inputs.n; i++)
    walk_count(w, &w->g->inputs.v[i]->fact);
  for (size_t i = 0; i < w->g->consts.n; i++)
    walk_count(w, &w->g->consts.v[i]->fact);
  w->sum.dynamic = w->sum.n_dynamic + w->sum.n_unknown > 0;
  if (!w->o.report)
    return;
  for (const weft_node *n = w->g->first; n; n = weft__node_after(n)) {
    for (uint32_t i = 0; i < n->desc.pub.n_out; i++) {
      const weft_value *v = &n->out[i];
      bool inputs_known = true;
      for (uint32_t k = 0; k < n->desc.pub.n_in; k++)
        inputs_known &= !n->in[k].value || weft__fact_known(&n->in[k].value->fact);
      if (!v->fact.set || known_in_symbols(&v->fact) || !inputs_known)
        continue;
      why_text t = {.n = 0};  // where knowledge ends: known inputs, unknown output
      if (!weft_value_why(v, why_write, &t))
        w->o.report(w->o.report_ctx, WEFT_E_UNKNOWN, t.text);
    }
  }
}

static weft_status infer_graph_whole(weft_graph *g, const weft_infer_options *o, weft_infer_summary *out,
                                     weft_diag *d) {
  walk w = {.g = g, .env = g->root->env, .d = d};
  weft_diag own = {0};
  if (!d)
    w.d = &own;
  w.sub_work = &w.own_sub_work;
  w.o = *o;
  if (!w.o.max_value_elems)
    w.o.max_value_elems = DEFAULT_ELEMS;
  weft_status sorted = weft_graph_sort(g, w.d);
  if (sorted) {
    if (w.o.report)
      w.o.report(w.o.report_ctx, sorted, w.d->text);
    return sorted;
  }
  bool usual = !g->parent && !w.o.no_values && w.o.max_value_elems == DEFAULT_ELEMS;
  if (usual && g->root->inferred == g->root->changes) {  // by the importer, or by an inference before
    if (out || w.o.report)
      summarise(&w);
    if (out)
      *out = w.sum;
    return WEFT_OK;
  }
  precheck(&w);
  weft_status s = w.first;
  begin_frame(&w);
  if (!s)
    s = walk_nodes(&w);
  end(&w);
  summarise(&w);
  if (out)
    *out = w.sum;
  if (!s && usual && !w.sum.n_failed)
    g->root->inferred = g->root->changes;
  return weft__told(s, d);
}

weft_status weft_graph_infer(weft_graph *g, const weft_infer_options *o, weft_infer_summary *out,
                             weft_diag *d) {
  WEFT_NEED(d, g);
  WEFT_TRY(weft__maps_check(g, d));
  weft_infer_options all = {0};
  weft__budget *b = &g->root->budget;
  WEFT_SIZED_IN(&all, o, report_ctx);
  weft__allowance before = weft__budget_begin(b, all.limits, &g->root->env->limits);
  return weft__graph_budget_end(g, &before, infer_graph_whole(g, &all, out, d), d);
}

// ---- a graph that grows ----
struct weft__steps {
  walk w;
};

weft_status weft__steps_begin(weft_graph *g, uint32_t max_floats, weft__steps **out, weft_diag *d) {
  weft_env *e = g->root->env;
  *out = weft__alloc(&g->root->alloc, sizeof **out, _Alignof(weft__steps));
  WEFT_TRY(weft__allocated(*out, d));
  memset(*out, 0, sizeof **out);
  (*out)->w = (walk){.g = g, .env = e, .o = {.max_value_elems = DEFAULT_ELEMS}, .max_floats = max_floats};
  (*out)->w.sub_work = &(*out)->w.own_sub_work;
  begin_frame(&(*out)->w);
  return WEFT_OK;
}

weft_status weft__steps_node(weft__steps *a, weft_node *n, weft_diag *d) {
  WEFT_TRY(stop(&a->w, n, d));
  const char *why = weft__proto_refusal(n->desc.proto);
  if (why) {
    return weft_fail(d, WEFT_E_INCOMPLETE, "operator '%s' cannot be in a graph that is inferred: %s",
                     n->desc.proto->name, why);
  }
  if (!inputs_inferred(n))
    return weft_fail(d, WEFT_E_MISSING, "an input of node '%s' has no description", weft__node_name(n));
  return infer_one(&a->w, n, d);
}

void weft__steps_end(weft__steps *a) {
  if (!a)
    return;
  end(&a->w);
  weft_allocator alloc = a->w.g->root->alloc;
  weft__free(&alloc, a, sizeof *a, _Alignof(weft__steps));
}
// SPDX-License-Identifier: Apache-2.0
