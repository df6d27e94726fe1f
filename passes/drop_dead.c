// drop_dead.c - nodes and constants that no output needs are removed (R281). Nodes with side effects stay,
// with all that they need, and so do nodes without outputs, which are there for what they do. Exact: nothing
// that is left reads them.
#include "pass/match.h"
#include "base/allocated.h"

static bool unused(const weft_node *n) {
  for (uint32_t i = 0; i < n->desc.pub.n_out; i++) {
    if (weft__value_read(&n->out[i]))
      return false;
  }
  return n->desc.pub.n_out > 0;
}

static weft_status drop_dead_run(weft_pass_run *r, weft_graph *g) {
  WEFT_TRY(weft__pass_nodes(r, g));
  r->found.n = 0;
  for (size_t i = 0; i < r->nodes.n; i++) {
    weft_node *n = weft__node_of(r->nodes.v, i, r->nodes.n);
    if (!unused(n))
      continue;
    WEFT_TRY(weft__allocated(WEFT_VEC_ROOM(&r->env->alloc, r->found), r->d));
    r->found.v[r->found.n++] = n;
  }
  for (size_t i = r->found.n; i-- > 0 && weft__pass_may(r);) {
    weft_node *n = weft__node_back(r->found.v, i);
    uint32_t count = g->n_nodes;
    WEFT_TRY(weft__pass_prune(r, n));
    if (n->graph) {
      weft__pass_skipped(r, n, "nothing uses it, but it has a side effect");
      continue;
    }
    weft__pass_did(r, n, "removed with %u nodes that only it used", count - g->n_nodes - 1);
  }
  for (size_t i = 0; i < g->consts.n && weft__pass_may(r); i++) {
    if (!weft__value_read(g->consts.v[i])) {
      weft__pass_did(r, NULL, "constant '%s' and others that nothing uses", g->consts.v[i]->name);
      break;  // the manager sweeps
    }
  }
  return WEFT_OK;
}

WEFT_PASS(drop_dead) = {WEFT_PASS_HEAD, "drop-dead", "removes what no output needs", WEFT_PASS_SIMPLIFY,
                        .run = drop_dead_run};
// SPDX-License-Identifier: Apache-2.0
