// compositions/caches.c - keys and values written into their cache: a few steps of each batch from a place of
// its own on. Layer: compositions.
#include "air_slots.h"
#include "compose/compose.h"

// "var" with "updates" from "indices"[batch] on along `axis`; indices: [batch].
static weft_status cache_write(weft__composing *c, int64_t axis) {
  front_op *o = c->o;
  weft_value *updates = weft__composed(c, "updates");
  weft_value *at = weft__composed(c, "indices");
  int rank = front_rank_of(o, weft__composed(c, "var"));
  axis = front_axis(o, axis, rank);
  if (o->failed || front_rank_of(o, at) < 0 || front_rank_of(o, updates) < 0)
    return o->failed;
  if (front_rank(at) != 1)
    return front_fail(o, WEFT_E_UNSUPPORTED, "the places have rank %d, only one for each batch is computed",
                      front_rank(at));
  if (axis < 1 || front_rank(updates) != rank)
    return front_fail(o, axis < 1 ? WEFT_E_RANGE : WEFT_E_SHAPE,
                      "attribute 'axis' is %lld, expected 1 to %d; the updates have rank %d, var %d",
                      (long long)axis, rank - 1, front_rank(updates), rank);
  weft_value *steps = front_counting(o, front_dim_index(o, updates, axis));
  at = front_as(o, at, WEFT_INT64);
  // A place before the first is refused, not counted from the end.
  weft_value *places = front_counting(o, front_dim_index(o, weft__composed(c, "var"), axis));
  at = front_do(o, "GatherV2", places, at, front_index(o, 0));
  for (int64_t i = 1; i < rank; i++)
    at = front_unsqueezed(o, at, i);
  for (int64_t i = 0; i < axis; i++)
    steps = front_unsqueezed(o, steps, 0);
  for (int64_t i = axis + 1; i < rank; i++)
    steps = front_unsqueezed(o, steps, i);
  at = front_expanded(o, front_do(o, "Add", at, steps, NULL), front_shape(o, updates));
  front_set_int(o, "axis", axis);
  weft__compose_name(c, "var", front_do(o, "ScatterElements", weft__composed(c, "var"), at, updates));
  return o->failed;
}
static weft_status cache_is_update(weft__composing *c, const char *reduce) {
  return strcmp(reduce, "update")
             ? front_fail(c->o, WEFT_E_UNSUPPORTED, "attribute 'reduce': only update is computed, not '%s'",
                          reduce)
             : WEFT_OK;
}

static weft_status scatter_build(weft__composing *c) {
  WEFT_TRY(cache_is_update(c, weft_node_str(c->desc, WEFT_SLOT_SCATTER_REDUCE)));
  return cache_write(c, weft_node_int(c->desc, WEFT_SLOT_SCATTER_AXIS));
}
static weft_status quant_update_scatter_build(weft__composing *c) {
  const weft_op_desc *n = c->desc;
  weft_value *var = weft__composed(c, "var");
  bool times = weft_node_bool(n, WEFT_SLOT_QUANT_UPDATE_SCATTER_RECIPROCAL_SCALE);
  WEFT_TRY(cache_is_update(c, weft_node_str(n, WEFT_SLOT_QUANT_UPDATE_SCATTER_REDUCE)));
  if (!var || var->fact.dtype != WEFT_INT8)
    return front_fail(c->o, WEFT_E_UNSUPPORTED, "input 'var': only int8 is computed");
  c->main = WEFT_FLOAT;
  WEFT_TRY(weft__compose_text(c, times ? "v = Mul(f32(updates), f32(quant_scales))"
                                       : "v = RealDiv(f32(updates), f32(quant_scales))"));
  if (weft__composed(c, "quant_zero_points"))
    WEFT_TRY(weft__compose_text(c, "v = Add(v, f32(quant_zero_points))"));
  WEFT_TRY(weft__compose_text(c, "v = Maximum(Minimum(Rint(v), 127), -128)"));
  weft__compose_name(c, "updates", front_as(c->o, weft__composed(c, "v"), WEFT_INT8));
  return cache_write(c, weft_node_int(n, WEFT_SLOT_QUANT_UPDATE_SCATTER_AXIS));
}

// A list of caches, one a batch: each is one of `updates`; those that the mask leaves out stay as they are.
static weft_status scatter_list_build(weft__composing *c) {
  front_op *o = c->o;
  size_t n;
  weft_value *const *vars = weft__composed_all(c, "var", &n);
  weft_value *all = weft__composed(c, "updates");
  weft_value *at = weft__composed(c, "indice");
  weft_value *mask = weft__composed(c, "mask");
  weft_value **made = WEFT_NEW_N(&o->f->arena, weft_value *, n + 1);
  int64_t axis = weft_node_int(c->desc, WEFT_SLOT_SCATTER_LIST_AXIS);
  WEFT_TRY(cache_is_update(c, weft_node_str(c->desc, WEFT_SLOT_SCATTER_LIST_REDUCE)));
  if (!made)
    return front_fail(o, WEFT_E_NOMEM, "out of memory");
  for (size_t i = 0; i < n && !o->failed; i++) {
    int rank = front_rank_of(o, vars[i]);
    int64_t along = front_axis(o, axis, rank) + 1;
    weft__compose_name(c, "var", front_unsqueezed(o, vars[i], 0));
    weft__compose_name(c, "updates", front_part(o, all, 0, (int64_t)i, (int64_t)i + 1));
    weft__compose_name(c, "indices", front_part(o, at, 0, (int64_t)i, (int64_t)i + 1));
    WEFT_TRY(o->failed);
    WEFT_TRY(cache_write(c, along));
    made[i] = front_squeezed(o, weft__composed(c, "var"), 0);
    if (mask) {
      weft_value *said = front_as(o, front_part(o, mask, 0, (int64_t)i, (int64_t)i + 1), WEFT_BOOL);
      made[i] = front_where(o, said, made[i], vars[i]);
    }
  }
  return weft__compose_names(c, "var", made, n);
}

// clang-format off
WEFT_ROWS(caches) = {
  COMPOSED_BY("Scatter", "a few steps of each batch written from a place of its own on", scatter_build,
    "f32[2,3,1]{0,0,0,0,0,0}, i32[2]{2,0}, f32[2,1,1]{5,6} reduce=\"update\" axis=-2 -> "
    "f32[2,3,1]{0,0,5,6,0,0}",
    "f16[B,2,S,8], i64[B], f16[B,2,1,8] reduce=\"update\" axis=-2 -> f16[B,2,S,8]",
    "f32[1,2,1]{0,0}, i32[1]{2}, f32[1,1,1]{5} reduce=\"update\" axis=1 -> f32[1,2,1] !! E_RANGE",
    "f32[1,2,1]{0,0}, i32[1]{-1}, f32[1,1,1]{5} reduce=\"update\" axis=1 -> f32[1,2,1] !! E_RANGE "
    "element 0 is -1",
    "f32[1,2], i32[1], f32[1,1] reduce=\"add\" -> f32[1,2] !! E_UNSUPPORTED only update"),
  COMPOSED_BY("ScatterList", "a few steps written into each cache of a list", scatter_list_build,
    "[f32[2,1]{0,0}, f32[2,1]{0,0}], i32[2]{1,0}, f32[2,1,1]{5,6} -> [f32[2,1]{0,5}, f32[2,1]{6,0}]",
    "[f32[2,1]{1,2}, f32[2,1]{3,4}], i32[2]{1,0}, f32[2,1,1]{5,6}, u8[2]{0,1} -> "
    "[f32[2,1]{1,2}, f32[2,1]{6,4}]",
    "[f16[2,S,8]], i64[1], f16[1,2,1,8] -> [f16[2,S,8]]"),
  COMPOSED_BY("QuantUpdateScatter", "steps of each batch, as small integers, written from a place on",
    quant_update_scatter_build,
    "i8[1,2,1]{1,2}, i32[1]{1}, f16[1,1,1]{3}, f32[1]{0.5} reduce=\"update\" -> i8[1,2,1]{1,6}",
    "i8[B,2,S,8], i64[B], f16[B,2,1,8], f32[1,1,1,8] reduce=\"update\" -> i8[B,2,S,8]"),
  {0},
};
// SPDX-License-Identifier: Apache-2.0
