// build_facts.c - what is known of a node's values with the shapes at hand: what compiling found where that
// is enough, inference with the tensors of the plan where it is not.
#include "op/infer_node.h"
#include "run/build.h"

void weft__build_gather(builder *b, const weft_node *n) {
  weft_exec *x = b->x;
  for (uint32_t i = 0; i < n->desc.pub.n_in; i++) {
    uint32_t v = weft__local(x->program, n->in[i].value);
    const weft_tensor *t = weft__tensor_of(x, b->s, v);
    x->s.fact[i] = weft__fact_of_tensor(t);
    x->s.in[i] = &x->s.fact[i];
    if (t->kind == WEFT_KIND_TENSOR && (!weft__build_readable(b, v) || weft__is_asleep(t)))
      x->s.fact[i].value = NULL;
    x->s.tin[i] = x->s.fact[i].value;
  }
}

static bool shape_agrees(const weft_fact *said, const weft_fact *found) {
  if (!said->set || said->unknown_rank || found->unknown_rank)
    return true;
  bool same = said->rank == found->rank;
  for (uint32_t i = 0; same && i < said->rank; i++)
    same = said->dims[i] < 0 || found->dims[i] < 0 || said->dims[i] == found->dims[i];
  return same;
}

// What compiling found must hold for the shapes of the run, since passes have relied on it; of a program from
// a file only dtype and kind are used without being found again.
weft_status weft__build_agree(const builder *b, weft_value *v, const weft_fact *f) {
  WEFT_TRY(weft__declared_check(v, f, b->d));
  if (!b->x->program->foreign && !shape_agrees(&v->fact, f)) {
    char is[256];
    char was[256];
    weft_shape x;
    weft_shape y;
    weft__fact_shape(f, &x);
    weft__fact_shape(&v->fact, &y);
    return weft_fail(b->d, WEFT_E_SHAPE, "value '%s': shape %s when run, %s when inferred", v->name,
                     weft_shape_text(&x, NULL, is, sizeof is),
                     weft_shape_text(&y, v->graph->root->symbols, was, sizeof was));
  }
  if (v->fact.kind == f->kind && v->fact.dtype == f->dtype)
    return WEFT_OK;
  return weft_fail(b->d, WEFT_E_CORRUPT, "value '%s': %s of %s in the program, %s of %s inferred", v->name,
                   weft__kind_word(v->fact.kind), weft_dtype_name(v->fact.dtype), weft__kind_word(f->kind),
                   weft_dtype_name(f->dtype));
}

weft_status weft__build_infer(builder *b, const weft_node *n) {
  weft_exec *x = b->x;
  if (!x->framed) {
    weft__frame_init(&x->frame, x->env, NULL);
    x->framed = true;
  }
  x->stats.infers++;
  WEFT_TRY(weft__infer_node(&x->frame, n->desc.proto, &n->desc.pub, x->s.in, WEFT_STAGE_RUN, b->d));
  for (uint32_t i = 0; i < n->desc.pub.n_out; i++)
    WEFT_TRY(weft__build_agree(b, &n->out[i], &x->frame.facts[i]));
  return WEFT_OK;
}

// Everything is known from compiling, of inputs too: a shape that is known only now may break a rule of the
// operator although the output's never depended on it. A program from a file may say anything: it is inferred
// again here.
bool weft__build_is_static(const builder *b, const weft_node *n) {
  if (b->x->program->foreign || weft__build_reads(b, n, weft__build_no_constant))
    return false;
  for (uint32_t i = 0; i < n->desc.pub.n_out; i++) {
    if (!weft__fact_known(&n->out[i].fact))
      return false;
  }
  for (uint32_t i = 0; i < n->desc.pub.n_in; i++) {
    if (!weft__fact_known(&n->in[i].value->fact))
      return false;
  }
  return true;
}

// May planning find values of its outputs that compiling did not: shape arithmetic, contents that are known
// now?
bool weft__build_may_learn(const builder *b, const weft_node *n) {
  if (n->desc.proto->op->infer_value)
    return true;
  for (uint32_t i = 0; i < n->desc.pub.n_in; i++) {
    if (!weft__build_readable(b, weft__local(b->x->program, n->in[i].value)))
      return false;
  }
  return n->desc.pub.n_in > 0;
}

// The outputs of a region with these inputs: each operator inferred in turn.
weft_status weft__build_infer_region(builder *b, const weft_region *r, const weft_graph *body,
                                     weft_fact *out) {
  weft_exec *x = b->x;
  weft_arena *a = &b->s->mem;
  weft_fact *facts = WEFT_NEW_N(a, weft_fact, (size_t)r->n_nodes + 1);
  if (!facts)
    return weft__build_no_memory(b);
  if (!x->framed) {
    weft__frame_init(&x->frame, x->env, NULL);
    x->framed = true;
  }
  const weft_node *n = body->first;
  for (uint32_t i = 0; i < r->n_in; i++)  // operators of the body know plain formats alone
    if (weft__format_packed(x->s.fact[i].format))
      x->s.fact[i].format = x->s.fact[i].origin_format;
  for (uint32_t k = 0; k < r->n_nodes; k++, n = weft__node_after(n)) {
    const weft_op_desc *desc = r->node[k].desc;
    const weft_fact **in = WEFT_NEW_N(a, const weft_fact *, (size_t)desc->n_in + 1);
    if (!in)
      return weft__build_no_memory(b);
    for (uint32_t i = 0; i < desc->n_in; i++)
      in[i] = r->node[k].in[i] >= 0 ? &facts[r->node[k].in[i]] : &x->s.fact[-1 - r->node[k].in[i]];
    x->stats.infers++;
    WEFT_TRY(weft__infer_node(&x->frame, n->desc.proto, desc, in, WEFT_STAGE_RUN, b->d));
    WEFT_TRY(weft__build_agree(b, &n->out[0], &x->frame.facts[0]));
    WEFT_TRY(weft__fact_copy(a, &x->frame.facts[0], &facts[k], b->d));
    facts[k].value = NULL;
  }
  for (uint32_t i = 0; i < r->n_out; i++)
    out[i] = r->out[i] >= 0 ? facts[r->out[i]] : x->s.fact[-1 - r->out[i]];
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
