// fuse_elementwise.c - chains and small graphs of elementwise operators become one node "Fused", which a
// kernel of the device runs tile by tile. A region grows from its last operator towards the inputs, taking in
// what is read inside the region only, so that nothing outside can come between; all values have one shape,
// so that nothing is computed more often than before. Exact as far as the kernel computes what its operators
// do: floats of single operators round as before. Integers are left alone: shapes are made of them, and
// inference looks through single operators only. Linear in the nodes.
#include "fuse_region.h"

enum { UNKNOWN, YES, NO };
typedef struct state {
  weft_pass_run *r;
  uint8_t *taken;    // by node id: does a kernel take it by itself?
  uint32_t *member;  // by node id: the region it is in, from 1
  uint32_t regions, n_ids;
} state;

static bool candidate(state *s, weft_node *n) {
  if (n->id >= s->n_ids || !n->graph)
    return false;
  uint8_t *known = &s->taken[n->id];
  if (*known)
    return *known == YES;
  *known = NO;
  if (!(n->desc.proto->op->traits & WEFT_ELEMENTWISE) && weft__kind(s->r, n) != WEFT_K_BIAS_ADD)
    return false;
  if (!weft__fusible(n) || !((WEFT_FLOATS | WEFT_DT(BOOL)) & WEFT_BIT(n->out[0].fact.dtype)))
    return false;
  weft__fusion alone = {{n}, 1};
  const char *why = weft__fusion_refusal(s->r, &alone);
  weft__pass_forget(s->r);
  if (why)
    weft__pass_skipped(s->r, n, "no kernel takes it into a region: %s", why);
  else
    *known = YES;
  return !why;
}

static bool inside_only(const state *s, const weft_value *v) {
  if (v->n_outputs)
    return false;
  for (const weft_use_link *u = v->uses; u; u = u->next) {
    if (u->node->id >= s->n_ids || s->member[u->node->id] != s->regions)
      return false;
  }
  return true;
}

// Has v, which n reads, the shape of n's output, whatever it turns out to be?
static bool keeps_shape(const weft_node *n, const weft_value *v) {
  if (weft__same_shape(&v->fact, &n->out[0].fact))
    return true;
  for (uint32_t i = 0; i < n->desc.pub.n_in; i++) {
    if (n->in[i].value != v && !weft__keeps_shape(&v->fact, &n->in[i].value->fact))
      return false;
  }
  return true;
}

// The region that ends in `root`, of at most `most` nodes.
static void grow(state *s, weft_node *root, uint32_t most, weft__fusion *f) {
  s->regions++;
  s->member[root->id] = s->regions;
  f->node[0] = root;
  f->n = 1;
  f->fused = NULL;
  uint32_t inputs = root->desc.pub.n_in;
  for (uint32_t k = 0; k < f->n; k++) {
    const weft_node *n = f->node[k];
    for (uint32_t i = 0; i < n->desc.pub.n_in && f->n < most; i++) {
      const weft_value *v = n->in[i].value;
      weft_node *from = v->node;
      if (!from || from->id >= s->n_ids || s->member[from->id] == s->regions || !inside_only(s, v))
        continue;
      if (!keeps_shape(n, v) || !candidate(s, from))
        continue;
      if (inputs + from->desc.pub.n_in > WEFT__REGION_INPUTS - 4)
        continue;
      inputs += from->desc.pub.n_in - 1;
      s->member[from->id] = s->regions;
      f->node[f->n++] = from;
      if (from->desc.pub.n_in > 1 || n->desc.pub.n_in > 1)
        k = UINT32_MAX;  // what was not inside may be now
      if (k == UINT32_MAX)
        break;
    }
  }
  for (uint32_t i = 1; i < f->n; i++)  // in the order of the graph's list
    for (uint32_t k = i; k && f->node[k]->pos < f->node[k - 1]->pos; k--) {
      weft_node *t = f->node[k];
      f->node[k] = f->node[k - 1];
      f->node[k - 1] = t;
    }
}

static weft_status from_root(state *s, weft_node *root) {
  static const uint32_t sizes[] = {WEFT__REGION_NODES, 16, 4};
  const char *why = NULL;
  for (size_t i = 0; i < WEFT_COUNT(sizes); i++) {
    weft__fusion f;
    grow(s, root, sizes[i], &f);
    if (f.n < 2)
      return WEFT_OK;
    why = weft__fusion_refusal(s->r, &f);
    if (why)
      continue;
    weft_status status = weft__fuse(s->r, &f);
    weft__pass_forget(s->r);
    return status;
  }
  weft__pass_skipped(s->r, root, "its region is not taken: %s", why);
  weft__pass_forget(s->r);
  return WEFT_OK;
}

static weft_status fuse_elementwise_run(weft_pass_run *r, weft_graph *g) {
  state s = {.r = r, .n_ids = g->root->n_node_ids};
  const weft_allocator *a = &r->env->alloc;
  size_t bytes = (size_t)s.n_ids * sizeof(uint32_t) + 1;
  s.taken = weft__alloc(a, (size_t)s.n_ids + 1, 16);
  s.member = weft__alloc(a, bytes, 16);
  weft_status status = s.taken && s.member ? WEFT_OK : weft_fail(r->d, WEFT_E_NOMEM, "out of memory");
  if (!status) {
    memset(s.taken, 0, (size_t)s.n_ids + 1);
    memset(s.member, 0, bytes);
  }
  if (!status)
    status = weft__pass_nodes(r, g);
  for (size_t i = r->nodes.n; i-- > 0 && !status && weft__pass_may(r);) {
    weft_node *n = weft__node_back(r->nodes.v, i);
    if (n->graph && candidate(&s, n))
      status = from_root(&s, n);
  }
  weft__free(a, s.taken, (size_t)s.n_ids + 1, 16);
  weft__free(a, s.member, bytes, 16);
  return status;
}

WEFT_PASS(fuse_elementwise) = {WEFT_PASS_HEAD, "fuse-elementwise", "elementwise operators run together",
                               WEFT_PASS_FUSE, .run = fuse_elementwise_run};
// SPDX-License-Identifier: Apache-2.0
