// blocked_tile.c - regions of elementwise operators on NC1HWC0 tensors, by the tile machine over five dims.
#include "cpu/blocked/blocked.h"
#include "cpu/elementwise/tile_program.h"

#include "op/infer_node.h"

typedef struct blocked_tile_view_of {
  weft_tiling t;
  weft_layout layout[WEFT__TILE_INPUTS + WEFT__TILE_OUTPUTS];
  const weft_layout *at[WEFT__TILE_INPUTS + WEFT__TILE_OUTPUTS];
} blocked_tile_view_of;
// The input as y's five dims see it: a packed one as it is stored; a plain one with a number a channel, or
// one in all, has the same bytes when its channels are cut into blocks.
static const char *view(const weft_tiling *t, uint32_t i, const weft_shape *y, weft_layout *out) {
  const weft_shape *s = &t->in[i]->origin;
  weft_shape *o = &out->origin;
  if (!weft_shape_is_known(s))
    return "needs known shapes";
  if (weft__format_packed(t->in_format[i])) {
    if (!weft__is_blocked(t->in_format[i]) || !weft_shape_equal(s, y))
      return "a packed input of another shape";
    *o = t->in[i]->storage;
  } else {
    weft_dim d[4] = {1, 1, 1, 1};
    if (s->rank > 4)
      return "an input of higher rank than the output";
    for (size_t k = 0; k < s->rank; k++)
      d[4 - s->rank + k] = s->dim[k];
    bool channels = d[1] == y->dim[1] && d[1] != 1;
    if ((d[1] != 1 && !channels) || d[2] != 1 || d[3] != 1)
      return "a plain input that is no number a channel";
    o->rank = 5;
    o->dim[0] = d[0];
    o->dim[1] = channels ? d[1] / WEFT__C0 : 1;
    o->dim[2] = o->dim[3] = 1;
    o->dim[4] = channels ? WEFT__C0 : 1;
  }
  out->storage = *o;
  return NULL;
}

static const char *blocked_tile_view(const weft_tiling *t, blocked_tile_view_of *out) {
  if (!t->region || !t->in_format || t->n_in > WEFT__TILE_INPUTS || t->n_out > WEFT__TILE_OUTPUTS)
    return "is a packed region";
  const weft_shape *y = &t->out[0]->origin;
  if (y->rank != 4 || !weft_shape_is_known(y))
    return "needs known shapes of rank 4";
  if (y->dim[1] % WEFT__C0)
    return "needs channels in multiples of 16";
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
    if (no)
      return no;
  }
  for (uint32_t i = 0; i < t->n_in + t->n_out; i++)
    out->at[i] = &out->layout[i];
  out->t = *t;
  out->t.in = out->at;
  out->t.out = out->at + t->n_in;
  return NULL;
}

static const char *blocked_tile_refuse(const weft_tiling *t) {
  blocked_tile_view_of v;
  const char *no = blocked_tile_view(t, &v);
  return no ? no : weft__tile_refuse(&v.t);
}
static double blocked_tile_cost(const weft_tiling *t) {
  blocked_tile_view_of v;
  return blocked_tile_view(t, &v) ? 1e30 : weft__tile_cost(&v.t);
}
static weft_status blocked_tile_tile(weft_tiling *t) {
  blocked_tile_view_of v;
  const char *no = blocked_tile_view(t, &v);
  if (no)
    return t->host->fail(t->d, WEFT_E_KERNEL, "blocked-tile: %s", no);
  weft_status s = weft__tile_plan(&v.t);
  t->data_bytes = v.t.data_bytes;
  t->overwrite = v.t.overwrite;
  t->blocks = v.t.blocks;
  return s;
}
const weft_kernel weft__kernel_blocked_tile_fused = {.size = sizeof(weft_kernel),
                                                     .op = "Fused",
                                                     .device = "cpu",
                                                     .name = "blocked-tile",
                                                     .tiling_bytes_max = WEFT__TILE_BYTES,
                                                     .refuse = blocked_tile_refuse,
                                                     .cost_ns = blocked_tile_cost,
                                                     .tile = blocked_tile_tile,
                                                     .run = weft__tile_run,
                                                     .flags = WEFT_KERNEL_PACKED};
// SPDX-License-Identifier: Apache-2.0
