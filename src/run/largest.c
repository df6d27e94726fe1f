// largest.c - plans for the largest inputs, to the end of the program: where only the data decide a shape,
// what follows is planned for the largest that inference allows it, and so are the bodies of control flow.
#include "run/run.h"

// The end of its range, or of what its symbols allow; -1: there is none.
static int64_t largest_dim(const weft_symbols *p, const weft_fact *f, uint32_t k) {
  int64_t least;
  int64_t most = -1;
  if (f->dims[k] >= 0)
    return f->dims[k];
  if (weft_dim_is_symbol(f->dims[k]))
    weft_dim_bounds(p, f->dims[k], &least, &most);
  if (f->max && f->max[k] >= 0 && (most < 0 || f->max[k] < most))
    most = f->max[k];
  return most;
}

static bool largest_of_fact(const weft_exec *x, const weft_fact *f, weft_layout *out) {
  if (!weft__fact_ranked(f) || f->kind != WEFT_KIND_TENSOR)
    return false;
  out->origin.rank = f->rank;
  for (uint32_t k = 0; k < f->rank; k++) {
    out->origin.dim[k] = largest_dim(x->fn->graph->root->symbols, f, k);
    if (out->origin.dim[k] < 0)
      return false;
  }
  weft_shape_copy(&out->storage, &out->origin);
  return true;
}

// The largest layout of a value whose shape a node of the segment finds while it runs. False: it has no
// bound.
static bool largest_layout(const weft_exec *x, const weft__seg *s, uint32_t v, weft_layout *out) {
  for (uint32_t i = 0; i < s->n_launches; i++) {
    const weft__launch *l = &s->launch[i];
    uint32_t first = x->fn->first_out[l->node];
    if (l->kind != WEFT__RUN_CALL || v < first || v >= x->fn->first_out[l->node + 1])
      continue;
    if (!l->most)
      return l->facts && largest_of_fact(x, &l->facts[v - first], out);
    *out = l->most[v - first];
    return true;
  }
  return false;
}

// The plan of what follows, keyed by these shapes of the values that it waits for; they are put back after
// it.
static weft__seg *plan_after(weft_exec *x, weft__seg *s, const weft_layout *largest, weft_tensor *own) {
  weft__seg *next = NULL;
  for (uint32_t i = 0; i < s->n_wants; i++) {
    weft_tensor *t = s->tensor[s->want[i].value - s->v0];
    own[i] = *t;
    t->layout = largest[i];
    t->bytes = (size_t)weft__tensor_span(t);
  }
  if (weft__seg_next(x, s, &next))
    next = NULL;
  for (uint32_t i = s->n_wants; i--;)
    *s->tensor[s->want[i].value - s->v0] = own[i];
  weft_diag_clear(&x->diag);
  return next;
}

weft__seg *weft__seg_largest(weft_exec *x, weft__seg *s) {
  weft_layout largest[4];
  weft_tensor own[WEFT_COUNT(largest)];
  bool room = s->n_wants <= WEFT_COUNT(own) && x->n_segs + 1 < x->o.max_shapes;
  if (s->end == x->fn->n_nodes || !room)
    return NULL;
  for (uint32_t i = 0; i < s->n_wants; i++) {
    const weft__want *w = &s->want[i];
    if (w->contents || w->value < s->v0 || !largest_layout(x, s, w->value, &largest[i]))
      return NULL;
  }
  return plan_after(x, s, largest, own);
}

static uint64_t layout_bytes(const weft_layout *l, weft_dtype dtype) {
  int64_t elems;
  int64_t bytes = -1;
  if (!weft_shape_elems(&l->storage, &elems) && elems >= 0)
    bytes = weft_dtype_bytes(elems, dtype);
  if (dtype == WEFT_STRING && bytes >= 0)
    bytes += elems;  // texts end in a zero; how long they are nobody knows
  return bytes < 0 ? 0 : (uint64_t)bytes;
}

static void add_open_values(const weft_exec *x, const weft__seg *s, weft_memory_plan *m) {
  for (uint32_t v = s->v0; v < s->v1; v++) {
    weft_layout largest;
    if (s->place[v - s->v0].kind != WEFT__AT_BOX || !largest_layout(x, s, v, &largest))
      continue;
    if (!m->open_value)
      m->open_value = x->fn->value[v]->name;
    m->open_bytes += layout_bytes(&largest, s->tensor[v - s->v0]->dtype);
  }
}

// The bodies of a segment's control flow run in execs of their own, which keep their arenas: they come on
// top.
static void add_bodies(weft_exec *x, const weft__seg *s, weft_memory_plan *m) {
  for (uint32_t i = 0; i < s->n_launches; i++) {
    const weft_node *n = x->fn->node[s->launch[i].node];
    bool calls = s->launch[i].kind == WEFT__RUN_CALL;
    for (uint32_t k = 0; calls && k < n->n_graphs; k++) {
      weft_memory_plan body = {.size = sizeof body};
      weft_exec *child = NULL;
      weft_diag why = {0};
      weft_status status = weft__exec_child(x, x->fn->sub[s->launch[i].node] + k, &child);
      if (!status)
        status = weft__largest_of_body(child, &body, &why);
      m->whole &= !status && body.whole;
      m->open_bytes += body.arena_bytes + body.open_bytes;
      if (!m->open_value && n->desc.pub.n_out)
        m->open_value = n->out[0].name;
    }
  }
}

static void add_segment(weft_exec *x, const weft__seg *s, weft_memory_plan *m) {
  add_open_values(x, s, m);
  add_bodies(x, s, m);
}

void weft__plan_to_the_end(weft_exec *x, weft_memory_plan *m) {
  weft__seg *at = x->hot;
  m->whole = true;  // until a body has no bound
  add_segment(x, at, m);
  while (at->end != x->fn->n_nodes) {
    weft__seg *next = weft__seg_largest(x, at);
    if (!next)
      break;
    m->arena_bytes = WEFT_MAX(m->arena_bytes, next->plan.peak_bytes);
    m->bound_bytes = WEFT_MAX(m->bound_bytes, next->plan.bound_bytes);
    m->sum_bytes += next->plan.sum_bytes;
    m->n_launches += next->n_launches;
    for (uint32_t k = 0; k < x->fn->n_out; k++) {
      if (x->fn->out[k] >= next->v0 && x->fn->out[k] < next->v1)
        m->output_bytes += weft__tensor_of(x, next, x->fn->out[k])->bytes;
    }
    add_segment(x, next, m);
    at = next;
  }
  m->whole &= at->end == x->fn->n_nodes;
}
// SPDX-License-Identifier: Apache-2.0
