// held.c - what a graph holds when it is refused more memory: its constants and the values that inference has
// evaluated, the largest by name.
#include "ir/ir.h"

static void held_value(weft__holders *h, const weft_value *v) {
  const weft_tensor *t = v->fact.value;
  if (t && t->owned)  // others lie in a file, or are the caller's
    weft__holders_add(h, v->name, t->bytes);
}

weft_status weft__graph_budget_end(weft_graph *g, const weft__allowance *before, weft_status s,
                                   weft_diag *d) {
  weft__budget *b = &g->root->budget;
  weft__holders h = {0};
  size_t nodes = 0;
  const bool refused = s == WEFT_E_NOMEM && weft__budget_is_short(b);
  s = weft__budget_end(b, before, s, d);
  if (!refused)
    return s;
  for (const weft_graph *at = g->root->graphs; at; at = at->next_graph) {
    for (size_t i = 0; i < at->consts.n; i++)
      held_value(&h, at->consts.v[i]);
    for (const weft_node *n = at->first; n; n = n->next) {
      nodes++;
      for (uint32_t i = 0; i < n->desc.pub.n_out; i++)
        held_value(&h, &n->out[i]);
    }
  }
  weft__holders_note(&h, g->name, d);
  if (nodes && h.all_bytes < atomic_load(&b->refused_live) / 2)
    weft_note(d, "most of it describes the model: graph '%.100s' has %zu nodes so far", g->name, nodes);
  return s;
}
// SPDX-License-Identifier: Apache-2.0
