// held.c - what a run holds at the moment when it is refused more memory: said before it is given back.
#include "run/run.h"
#include "tensor/tensor.h"

weft_status weft__exec_explain(weft_exec *x, const weft__seg *s, weft_status status) {
  weft__holders h = {0};
  status = weft__budget_explain(&x->root->budget, status, x->d);
  if (status != WEFT_E_LIMIT || !weft__budget_is_short(&x->root->budget))
    return status;
  weft__holders_add(&h, NULL, x->arena_bytes);
  for (; s; s = s->parent) {
    for (uint32_t v = s->v0; v < s->v1; v++) {
      const weft_tensor *t = s->tensor[v - s->v0];
      const bool held = s->place[v - s->v0].kind == WEFT__AT_BOX && (t->data || t->n_items);
      if (held)
        weft__holders_add(&h, x->fn->value[v]->name, weft__tensor_bytes_of_all(t));
    }
  }
  for (uint32_t k = 0; k < x->fn->n_out; k++) {
    if (x->out[k]->owned)
      weft__holders_add(&h, x->fn->value[x->fn->out[k]]->name, weft__tensor_bytes_of_all(x->out[k]));
  }
  weft__holders_note(&h, x->fn->graph->name, x->d);
  return status;
}
// SPDX-License-Identifier: Apache-2.0
