// contents.c - shapes that depend on contents: which values a node's inference reads, and where a segment
// ends because they are not there yet.
//
// Where inference can do without the contents of an input, what it finds holds only if they are right:
// Squeeze of [1] gives [] whatever its axes say, and they may be wrong. So a node is planned with all that
// its inference reads in sight.
#include "run/build.h"
#include "base/allocated.h"

// An input of WEFT_VALUE_OPTIONAL is not waited for: inference without it is as good, unless it finds no
// shape.

// Must a node be planned with the contents of what is at this port in sight?
static bool contents_needed(const weft_node *n, uint32_t port) {
  const unsigned value = n->desc.proto->in[port].value;
  return (value & (WEFT_VALUE_INFER | WEFT_VALUE_OPTIONAL)) == WEFT_VALUE_INFER;
}

// May the contents of a value be read while planning, being the same whenever this plan is used?
bool weft__build_readable(const builder *b, uint32_t v) {
  if (v >= b->f->n_in && v < b->f->n_in + b->f->n_const)
    return true;
  const weft__place *p = weft__build_place(b, v);
  if (p && p->kind == WEFT__AT_CONST)
    return true;
  for (const weft__seg *s = b->s->parent; s; s = s->parent) {
    for (uint32_t i = 0; i < s->n_wants; i++) {
      if (s->want[i].value == v && s->want[i].contents)
        return true;
    }
  }
  return false;
}

bool weft__build_no_constant(const builder *b, const weft_value *v) {
  (void)b;
  return v->fact.kind == WEFT_KIND_TENSOR && !v->fact.value;
}

bool weft__build_unseen(const builder *b, const weft_value *v) {
  return v->fact.kind == WEFT_KIND_TENSOR && !weft__build_readable(b, weft__local(b->x->program, v));
}

bool weft__build_reads(const builder *b, const weft_node *n, build_input_test test) {
  const weft_op_desc *desc = &n->desc.pub;
  if (n->desc.proto->op->execute || n->n_graphs)
    return false;
  for (uint32_t p = 0; p < desc->n_in_ports; p++) {
    if (!contents_needed(n, p))
      continue;
    for (uint32_t i = 0; i < desc->in_port[p].count; i++) {
      if (test(b, n->in[desc->in_port[p].start + i].value))
        return true;
    }
  }
  return false;
}

bool weft__build_body_reads(const builder *b, const weft_node *fused, build_input_test test,
                            bool *out_inner) {
  const weft_graph *body = fused->graphs[0];
  bool any = false;
  *out_inner = false;
  for (const weft_node *n = body->first; n; n = weft__node_after(n)) {
    const weft_op_desc *desc = &n->desc.pub;
    for (uint32_t p = 0; p < desc->n_in_ports; p++) {
      if (!contents_needed(n, p))
        continue;
      for (uint32_t i = 0; i < desc->in_port[p].count; i++) {
        const weft_value *v = n->in[desc->in_port[p].start + i].value;
        *out_inner |= v->origin == WEFT_VALUE_NODE && !v->fact.value;
        any |= v->origin == WEFT_VALUE_INPUT && test(b, fused->in[v->index].value);
      }
    }
  }
  return any;
}

weft_status weft__build_want(builder *b, uint32_t v, bool contents) {
  weft__seg *s = b->s;
  for (uint32_t i = 0; i < s->n_wants; i++) {
    if (s->want[i].value == v && s->want[i].contents == contents)
      return WEFT_OK;
  }
  weft__want *w = WEFT_NEW_N(&s->mem, weft__want, (size_t)s->n_wants + 1);
  WEFT_TRY(weft__allocated(w, b->d));
  if (s->n_wants)
    memcpy(w, s->want, s->n_wants * sizeof *w);
  w[s->n_wants++] = (weft__want){v, contents};
  s->want = w;
  return WEFT_OK;
}

// The node's shapes depend on the contents of inputs that are only there when the nodes before it have run:
// the segment ends here, and what follows is planned for these contents.
weft_status weft__build_want_inputs(builder *b, const weft_node *n, uint32_t pos) {
  const weft_op_desc *desc = &n->desc.pub;
  uint32_t missing = 0;
  for (uint32_t p = 0; p < desc->n_in_ports; p++) {
    for (uint32_t i = 0; i < desc->in_port[p].count; i++) {
      const weft_value *v = n->in[desc->in_port[p].start + i].value;
      if (!(n->desc.proto->in[p].value & WEFT_VALUE_INFER) || !weft__build_unseen(b, v))
        continue;
      WEFT_TRY(weft__build_want(b, weft__local(b->x->program, v), true));
      missing++;
    }
  }
  if (!missing) {
    char text[256];
    weft_shape s;
    uint32_t i = 0;
    while (weft__fact_known(&b->x->frame.facts[i]))
      i++;
    weft__fact_shape(&b->x->frame.facts[i], &s);
    return weft_fail(b->d, WEFT_E_UNKNOWN,
                     "output %u: shape %s is not known, and the operator has no execute function", i,
                     weft_shape_text(&s, NULL, text, sizeof text));
  }
  b->s->end = pos;
  return WEFT_OK;
}

// The same for a fused node whose body reads contents of its inputs.
weft_status weft__build_want_body(builder *b, const weft_node *fused, uint32_t pos) {
  const weft_graph *body = fused->graphs[0];
  for (const weft_node *n = body->first; n; n = weft__node_after(n)) {
    const weft_op_desc *desc = &n->desc.pub;
    for (uint32_t p = 0; p < desc->n_in_ports; p++) {
      if (!(n->desc.proto->in[p].value & WEFT_VALUE_INFER))
        continue;
      for (uint32_t i = 0; i < desc->in_port[p].count; i++) {
        const weft_value *inside = n->in[desc->in_port[p].start + i].value;
        if (inside->origin != WEFT_VALUE_INPUT)
          continue;
        const weft_value *v = fused->in[inside->index].value;
        if (weft__build_unseen(b, v))
          WEFT_TRY(weft__build_want(b, weft__local(b->x->program, v), true));
      }
    }
  }
  b->s->end = pos;
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
