// expand_composed.c - operators that are made of others (compositions/) become the primitives that they are
// made of, so that packing, fusion and kernels get to see those. Left: what cannot be composed before a rank
// is known; it runs by its reference.
#include "compose/compose.h"
#include "base/allocated.h"
#include "pass/pass.h"

// Is every output that is read one that the new value can stand for?
static const char *expand_refused(weft_pass_run *r, weft_node *n, weft_value *const *by) {
  for (uint32_t i = 0; i < n->desc.pub.n_out; i++) {
    const char *why = weft__value_read(&n->out[i]) ? weft__pass_refuse(r, &n->out[i], by[i]) : NULL;
    if (why)
      return why;
  }
  return NULL;
}

// The outputs may be one value twice: two names need two values.
static weft_status expand_apart(weft_pass_run *r, weft_node *n, weft_value **by, uint32_t i) {
  bool again = !by[i]->node;
  for (uint32_t k = 0; k < i; k++)
    again |= by[k] == by[i];
  if (!again)
    return WEFT_OK;
  return weft__pass_op(r, n, &(weft__pass_new){.kind = WEFT_K_IDENTITY, .in = &by[i], .n_in = 1}, &by[i]);
}

static weft_status expand_place(weft_pass_run *r, weft_node *n, const weft_graph *g) {
  uint32_t n_out = n->desc.pub.n_out;
  weft_value **in = WEFT_NEW_N(&r->scratch, weft_value *, (size_t)n->desc.pub.n_in + 1);
  weft_value **by = WEFT_NEW_N(&r->scratch, weft_value *, (size_t)n_out + 1);
  WEFT_TRY(weft__allocated(in && by, r->d));
  for (uint32_t i = 0; i < n->desc.pub.n_in; i++)
    in[i] = n->in[i].value;
  WEFT_TRY(weft__pass_inline(r, n, g, in, by));
  for (uint32_t i = 0; i < n_out; i++)
    WEFT_TRY(expand_apart(r, n, by, i));
  const char *why = expand_refused(r, n, by);
  if (why) {
    weft__pass_skipped(r, n, "%s", why);
    for (uint32_t i = 0; i < n_out; i++) {
      if (by[i]->node && !weft__value_read(by[i]))
        WEFT_TRY(weft__pass_prune(r, by[i]->node));
    }
    return WEFT_OK;
  }
  weft__pass_did(r, n, "the primitives that %s is made of", n->desc.pub.type);
  bool read[64];
  for (uint32_t i = 0; i < n_out && i < 64; i++)
    read[i] = weft__value_read(&n->out[i]);
  for (uint32_t i = 0; i < n_out; i++) {
    if (i >= 64 || read[i])
      WEFT_TRY(weft__pass_replace(r, &n->out[i], by[i]));
  }
  return WEFT_OK;
}

static weft_status expand_composed_visit(weft_pass_run *r, weft_node *n) {
  const weft_op *op = n->desc.proto->op;
  weft__composed_graph g = {.updates = false};
  if (!weft__is_composed(op))
    return WEFT_OK;
  bool wanted = false;
  for (uint32_t i = 0; i < n->desc.pub.n_out; i++)
    wanted |= weft__value_read(&n->out[i]);
  if (!wanted || !weft__pass_may(r))
    return WEFT_OK;
  weft_fact *in = WEFT_NEW_N(&r->scratch, weft_fact, (size_t)n->desc.pub.n_in + 1);
  WEFT_TRY(weft__allocated(in, r->d));
  for (uint32_t i = 0; i < n->desc.pub.n_in; i++)
    in[i] = n->in[i].value->fact;
  weft_status s = weft__compose_graph(r->env, n->graph->root->symbols, &n->desc.pub, in, &g, r->d);
  if (s == WEFT_E_UNKNOWN) {
    weft_diag_clear(r->d);
    weft__pass_skipped(r, n, "a rank or a value that decides what it is made of is not known yet");
    return WEFT_OK;
  }
  WEFT_TRY(s);
  s = expand_place(r, n, g.g);
  weft__composed_drop(&g);
  return s;
}

WEFT_PASS(expand_composed) = {WEFT_PASS_HEAD, "expand-composed",
                              "the primitives that an operator is made of, in its place", WEFT_PASS_SIMPLIFY,
                              .visit = expand_composed_visit};
// SPDX-License-Identifier: Apache-2.0
