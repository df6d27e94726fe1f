// broadcast.c - see broadcast.h.
#include "broadcast.h"

// A view of `x` with the shape of `y`; axes that x lacks or has once stand still.
static void broadcast_view(weft_view *v, const weft_shape *x, const weft_shape *y) {
  weft_view from;
  weft__view_init(&from, x);
  memset(v, 0, sizeof *v);
  v->rank = y->rank;
  for (size_t i = 0; i < y->rank; i++) {
    v->dim[i] = y->dim[i];
    if (i + x->rank < y->rank)
      continue;
    size_t k = i + x->rank - y->rank;
    v->step[i] = x->dim[k] == 1 ? 0 : from.step[k];
  }
}

weft_status weft__broadcast_ref(const weft_call *c) {
  weft_view v;
  if (!c->out[0])
    return WEFT_OK;
  broadcast_view(&v, &c->in[0]->layout.origin, &c->out[0]->layout.origin);
  return weft__view_move(c, 0, 0, &v);
}

weft_status weft__broadcast_elems(weft_infer *it) {
  weft_view v;
  if (!weft_shape_is_known(it->in[0]) || !weft_shape_is_known(it->out[0]))
    return WEFT_OK;
  broadcast_view(&v, it->in[0], it->out[0]);
  weft__view_elems(it, 0, 0, &v);
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
