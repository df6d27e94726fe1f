// front_state.c - states of models, as readers make them: functional while a model is read, one Variable in
// front and one Assign at the end.
#include "frontend/front.h"

static bool state_is(const weft_value *v) {
  return v->node && !strcmp(weft__node_type(v->node), "Variable");
}

weft_value *front_state(front_op *o, const char *name, weft_value *first) {
  front_set_text(o, "shared_name", name);
  return front_do(o, "Variable", first, NULL, NULL);
}

void front_state_set(front_op *o, weft_value *state, weft_value *v) {
  front_do(o, "Assign", state, v, NULL);
}

weft_status front_state_drop(weft_value *state, weft_diag *d) {
  weft_node *n = state->node;
  if (!state_is(state))
    return WEFT_OK;
  WEFT_TRY(weft_value_replace(state, n->in[0].value, d));
  return weft_node_remove(n, d);
}
// SPDX-License-Identifier: Apache-2.0
