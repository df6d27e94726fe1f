// count.c - the arithmetic of a launch and the bytes that it moves, by its tensors in this run. Asked for
// when profiling only. Shapes inside a fused node's body are those of its inputs and outputs, otherwise what
// inference said of them, with the dims of this run's inputs for names.
#include "run/run.h"
#include "tensor/symbols.h"

typedef struct launched {
  const weft_exec *x;
  const weft__launch *l;
  const weft_node *n;
  bool unknown;  // a name that no input has
} launched;

static bool is_name(const weft_symbols *p, weft_dim d, uint32_t id) {
  weft__poly a;
  if (!weft_dim_is_symbol(d))
    return false;
  weft__poly_load(p, d, &a);
  return !a.unknown && a.n == 1 && !a.constant && a.term[0].coef == 1 && a.term[0].degree == 1 &&
         a.term[0].atom[0] == id;
}

static int64_t count_value_of(void *ctx, uint32_t id, int64_t lo, int64_t hi) {
  launched *c = ctx;
  const weft_graph *g = weft_program_graph(c->x->program);
  (void)lo;
  (void)hi;
  for (size_t i = 0; i < g->inputs.n; i++) {
    const weft_fact *f = &g->inputs.v[i]->fact;
    const weft_shape *s = &c->x->root->in[i].layout.origin;
    for (uint32_t k = 0; weft__fact_ranked(f) && k < f->rank && k < s->rank; k++) {
      if (is_name(g->root->symbols, f->dims[k], id))
        return s->dim[k];
    }
  }
  c->unknown = true;
  return 0;
}

static const weft_tensor *tensor_of(const launched *c, const weft_value *v) {
  const weft_node *n = c->n;
  bool own = v->graph == n->graph;
  for (uint32_t i = 0; i < c->l->call.n_in && i < n->desc.pub.n_in; i++) {
    if (v == (own ? n->in[i].value : i < n->graphs[0]->inputs.n ? n->graphs[0]->inputs.v[i] : NULL))
      return c->l->call.in[i];
  }
  for (uint32_t i = 0; i < c->l->call.n_out; i++) {
    if (v == (own ? &n->out[i] : i < n->graphs[0]->outputs.n ? n->graphs[0]->outputs.v[i] : NULL))
      return c->l->call.out[i];
  }
  return NULL;
}

static bool inferred(launched *c, const weft_value *v, weft_shape *out) {
  if (!weft__shape_inferred(NULL, v, out))
    return false;
  for (size_t k = 0; k < out->rank; k++) {
    if (out->dim[k] < 0 &&
        (!weft__dim_eval(v->graph->root->symbols, out->dim[k], count_value_of, c, &out->dim[k]) ||
         c->unknown))
      return false;
  }
  return true;
}

static bool count_shape_of(void *ctx, const weft_value *v, weft_shape *out) {
  launched *c = ctx;
  const weft_tensor *t = tensor_of(c, v);
  if (!t && inferred(c, v, out))
    return true;
  c->unknown = false;
  while (!t && v->graph != c->n->graph && v->n_uses == 1 &&
         v->uses->node->desc.proto->op->traits & WEFT_ELEMENTWISE)  // what follows a product has its shape
    v = &v->uses->node->out[0], t = tensor_of(c, v);
  if (t)
    weft_shape_copy(out, &t->layout.origin);
  return t != NULL;
}

int64_t weft__launch_flops(const weft_exec *x, const weft__launch *l) {
  const weft_node *n = x->fn->node[l->node];
  launched c = {.x = x, .l = l, .n = n};
  bool fused = n->n_graphs == 1 && !strcmp(weft__node_type(n), "Fused");
  return !n->n_graphs || fused ? weft__node_flops(n, count_shape_of, &c)
                               : -1;  // other bodies count for themselves
}

// Operators that read as much of their first input as they write.
static bool selects(const char *type) {
  static const char *const types[] = {"Gather", "GatherV2",     "GatherElements", "GatherNd",
                                      "Slice",  "StridedSlice", "StridedSliceV2"};
  for (size_t i = 0; i < WEFT_COUNT(types); i++) {
    if (!strcmp(type, types[i]))
      return true;
  }
  return false;
}

uint64_t weft__launch_bytes(const weft_exec *x, const weft__launch *l) {
  uint64_t written = 0;
  uint64_t read = 0;
  for (uint32_t i = 0; i < l->call.n_out; i++)
    written += l->call.out[i]->bytes;
  for (uint32_t i = 0; i < l->call.n_in; i++) {
    uint64_t bytes = l->call.in[i]->bytes;
    read += !i && selects(weft__node_type(x->fn->node[l->node])) ? WEFT_MIN(bytes, written) : bytes;
  }
  return read + written;
}
// SPDX-License-Identifier: Apache-2.0
