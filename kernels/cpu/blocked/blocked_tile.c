// blocked_tile.c - see blocked_tile.h.
#include "cpu/blocked/blocked_tile.h"

#include "op/infer_node.h"

// The input as y's five dims see it: a packed one as it is stored; a plain one with a number a channel, or
// one in all, has the same bytes when its channels are cut into blocks.
static const char *view(const weft_tiling *t, uint32_t i, const weft_shape *y, weft_layout *out) {
  const weft_shape *s = &t->in[i]->origin;
  weft_shape *o = &out->origin;
  if (!weft_shape_is_known(s)) return "needs known shapes";
  if (weft__format_packed(t->in_format[i])) {
    if (!weft__is_blocked(t->in_format[i]) || !weft_shape_equal(s, y))
      return "a packed input of another shape";
    *o = t->in[i]->storage;
  } else {
    weft_dim d[4] = {1, 1, 1, 1};
    if (s->rank > 4) return "an input of higher rank than the output";
    for (size_t k = 0; k < s->rank; k++) d[4 - s->rank + k] = s->dim[k];
    bool channels = d[1] == y->dim[1] && d[1] != 1;
    if ((d[1] != 1 && !channels) || d[2] != 1 || d[3] != 1)
      return "a plain input that is no number a channel";
    o->rank = 5;
    o->dim[0] = d[0], o->dim[1] = channels ? d[1] / WEFT__C0 : 1, o->dim[2] = o->dim[3] = 1;
    o->dim[4] = channels ? WEFT__C0 : 1;
  }
  out->storage = *o;
  return NULL;
}

const char *weft__blocked_tile_view(const weft_tiling *t, weft__blocked_tile *out) {
  if (!t->region || !t->in_format || t->n_in > WEFT__TILE_INPUTS || t->n_out > WEFT__TILE_OUTPUTS)
    return "is a packed region";
  const weft_shape *y = &t->out[0]->origin;
  if (y->rank != 4 || !weft_shape_is_known(y)) return "needs known shapes of rank 4";
  if (y->dim[1] % WEFT__C0) return "needs channels in multiples of 16";
  for (uint32_t i = 0; i < t->n_out; i++) {
    if (!weft__is_blocked(t->out_format[i]) || !weft_shape_equal(&t->out[i]->origin, y))
      return "makes NC1HWC0";
    out->layout[t->n_in + i].origin = out->layout[t->n_in + i].storage = t->out[i]->storage;
  }
  for (uint32_t k = 0; k < t->region->n_nodes; k++)  // an axis by number would be another one
    if (!strcmp(t->region->node[k].desc->type, "BiasAdd") || !strcmp(t->region->node[k].desc->type, "PRelu"))
      return "has a bias";
  for (uint32_t i = 0; i < t->n_in; i++) {
    const char *no = view(t, i, y, &out->layout[i]);
    if (no) return no;
  }
  for (uint32_t i = 0; i < t->n_in + t->n_out; i++) out->at[i] = &out->layout[i];
  out->t = *t;
  out->t.in = out->at, out->t.out = out->at + t->n_in;
  return NULL;
}
