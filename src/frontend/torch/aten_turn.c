// aten_turn.c - elements in another order along axes: flipped, rolled, rotated.
#include "frontend/torch/tables.h"

static void turn_flip(pt_op *o) {
  weft_value *v = pt_tensor(o, "self");
  int64_t axes[PT_MAX_NUMBERS];
  int rank = front_rank_of(&o->b, v);
  size_t n = pt_ints(o, "dims", axes);
  for (size_t i = 0; i < n; i++)
    axes[i] = front_axis(&o->b, axes[i], rank);
  pt_result(o, 0, n ? front_do(&o->b, "ReverseV2", v, front_list(&o->b, axes, n), NULL) : v);
}
static void turn_flip_axis(pt_op *o, int64_t from_end, int64_t from_begin) {
  weft_value *v = pt_tensor(o, "self");
  int rank = front_rank_of(&o->b, v);
  int64_t axis = from_end ? rank - from_end : from_begin;
  (void)rank;
  pt_result(o, 0, front_do(&o->b, "ReverseV2", v, front_list(&o->b, &axis, 1), NULL));
}
static void turn_fliplr(pt_op *o) {
  turn_flip_axis(o, 0, 1);
}
static void turn_flipud(pt_op *o) {
  turn_flip_axis(o, 0, 0);
}

static void turn_roll(pt_op *o) {
  front_op *b = &o->b;
  weft_value *v = pt_tensor(o, "self");
  weft_value *by[WEFT_MAX_RANK];
  int64_t axes[PT_MAX_NUMBERS];
  int rank = front_rank_of(b, v);
  size_t n = pt_size_lists(o, "shifts", by);
  size_t n_axes = pt_ints(o, "dims", axes);
  if (!n_axes && n == 1) {
    weft_value *rolled = front_rolled(b, front_flat(b, v), 0, by[0]);
    pt_result(o, 0, front_reshape(b, rolled, front_shape(b, v)));
    return;
  }
  if (n != n_axes)
    front_fail(b, WEFT_E_INVALID, "%zu shifts for %zu axes", n, n_axes);
  for (size_t i = 0; i < n && !b->failed; i++)
    v = front_rolled(b, v, front_axis(b, axes[i], rank), by[i]);
  pt_result(o, 0, v);
}

static void turn_rot90(pt_op *o) {
  front_op *b = &o->b;
  weft_value *v = pt_tensor(o, "self");
  int rank = front_rank_of(b, v);
  int64_t axes[PT_MAX_NUMBERS] = {0, 1};
  if (!pt_ints(o, "dims", axes))
    axes[1] = 1;
  int64_t k = ((pt_int(o, "k", 1) % 4) + 4) % 4;
  int64_t x = front_axis(b, axes[0], rank);
  int64_t y = front_axis(b, axes[1], rank);
  if (k == 1 || k == 2)
    v = front_do(b, "ReverseV2", v, front_list(b, &y, 1), NULL);
  if (k == 2 || k == 3)
    v = front_do(b, "ReverseV2", v, front_list(b, &x, 1), NULL);
  if (k % 2)
    v = front_swapped(b, v, x, y);
  pt_result(o, 0, v);
}

static const pt_row turn_rows[] = {
    {"flip", NULL, 0, turn_flip, 0}, {"fliplr", NULL, 0, turn_fliplr, 0}, {"flipud", NULL, 0, turn_flipud, 0},
    {"roll", NULL, 0, turn_roll, 0}, {"rot90", NULL, 0, turn_rot90, 0},
};
const pt_rows pt_turn = PT_ROWS(turn_rows);
// SPDX-License-Identifier: Apache-2.0
