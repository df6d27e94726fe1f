// aten_shape.c - operators that arrange elements anew: views, joins, cuts, repeats. Sizes that are only known
// when the model runs are values. alias V: what changes the result changes self (values.c).
#include "base/allocated.h"
#include "frontend/torch/tables.h"

static void shape_set(pt_op *o, weft_value *v) {
  pt_result(o, 0, v);
}

static void shape_view(pt_op *o) {
  weft_value *v = pt_tensor(o, "self");
  weft_value *size = pt_shape(o, pt_has(o, "shape") ? "shape" : "size");
  shape_set(o, front_reshape(&o->b, v, size));
}

static void shape_view_as(pt_op *o) {
  weft_value *v = pt_tensor(o, "self");
  shape_set(o, front_reshape(&o->b, v, front_shape(&o->b, pt_tensor(o, "other"))));
}

// The dims of v in [from, to), INT64 [to - from]; nothing: an empty list.
static weft_value *shape_dims(front_op *b, weft_value *v, int64_t from, int64_t to) {
  int64_t known[WEFT_MAX_RANK];
  size_t n = 0;
  bool all = true;
  for (int64_t i = from; i < to; i++) {
    known[n] = front_dim(v, (int)i);
    all &= known[n++] >= 0;
  }
  if (all)
    return front_list(b, known, n);
  front_set_int(b, "dtype", WEFT_INT64);
  front_set_int(b, "start", from);
  front_set_int(b, "end", to);
  return front_do(b, "Shape", v, NULL, NULL);
}

static void shape_flatten(pt_op *o) {
  front_op *b = &o->b;
  weft_value *v = pt_tensor(o, "self");
  int rank = front_rank_of(b, v);
  int64_t from = pt_axis(o, "start_dim", 0, rank);
  int64_t to = pt_axis(o, "end_dim", -1, rank);
  static const int64_t one = 1;
  if (!rank) {
    shape_set(o, front_reshaped(b, v, &one, 1));
    return;
  }
  if (from == to) {
    shape_set(o, v);
    return;
  }
  weft_value *parts[3];
  size_t n = 0;
  if (from > 0)
    parts[n++] = shape_dims(b, v, 0, from);
  parts[n++] = front_span(b, v, from, to + 1);
  if (to + 1 < rank)
    parts[n++] = shape_dims(b, v, to + 1, rank);
  shape_set(o, front_reshape(b, v, front_size_list(b, parts, n)));
}

static void shape_unflatten(pt_op *o) {
  front_op *b = &o->b;
  weft_value *v = pt_tensor(o, "self");
  int rank = front_rank_of(b, v);
  int64_t axis = pt_axis(o, "dim", 0, rank);
  weft_value *parts[3];
  size_t n = 0;
  if (axis > 0)
    parts[n++] = shape_dims(b, v, 0, axis);
  parts[n++] = pt_shape(o, "sizes");
  if (axis + 1 < rank)
    parts[n++] = shape_dims(b, v, axis + 1, rank);
  shape_set(o, front_reshape(b, v, front_joined(b, parts, n, 0)));
}

static void shape_unsqueeze(pt_op *o) {
  weft_value *v = pt_tensor(o, "self");
  int rank = front_rank_of(&o->b, v);
  int64_t axis = front_axis(&o->b, pt_int(o, "dim", 0), rank + 1);
  shape_set(o, front_unsqueezed(&o->b, v, axis));
}

// Axes that are not of size 1 stay; with sizes that nobody knows the file says whether they went.
static void shape_squeeze(pt_op *o) {
  front_op *b = &o->b;
  weft_value *v = pt_tensor(o, "self");
  int rank = front_rank_of(b, v);
  int64_t axes[PT_MAX_NUMBERS];
  int64_t gone[WEFT_MAX_RANK];
  const char *key;
  const weft_json *list = pt_only(pt_find(o, "dim"), &key);
  bool none = list && list->kind == WEFT_JSON_ARRAY && !list->n;  // squeeze(()) takes no axis away
  size_t n = pt_axes(o, "dim", rank, axes);
  size_t n_gone = 0;
  for (size_t i = 0; i < n && !none; i++) {
    if (front_dim(v, (int)axes[i]) == 1)
      gone[n_gone++] = axes[i];
  }
  if (b->failed || !n_gone) {
    shape_set(o, v);
    return;
  }
  front_set_ints(b, "axis", gone, n_gone);
  shape_set(o, front_do(b, "Squeeze", v, NULL, NULL));
}

static void shape_permute(pt_op *o) {
  weft_value *v = pt_tensor(o, "self");
  int64_t order[PT_MAX_NUMBERS];
  int rank = front_rank_of(&o->b, v);
  size_t n = pt_axes(o, "dims", rank, order);
  shape_set(o, front_permuted(&o->b, v, order, n));
}

static void shape_transpose(pt_op *o) {
  weft_value *v = pt_tensor(o, "self");
  int rank = front_rank_of(&o->b, v);
  bool axes = pt_find(o, "axis0") != NULL;  // as swapaxes calls them
  int64_t x = pt_axis(o, axes ? "axis0" : "dim0", 0, rank);
  int64_t y = pt_axis(o, axes ? "axis1" : "dim1", 1, rank);
  shape_set(o, front_swapped(&o->b, v, x, y));
}

// The last two axes; t() leaves a vector as it is.
static void shape_t(pt_op *o) {
  weft_value *v = pt_tensor(o, "self");
  int rank = front_rank_of(&o->b, v);
  shape_set(o, rank < 2 ? v : front_swapped(&o->b, v, rank - 2, rank - 1));
}

static void shape_reversed_axes(pt_op *o) {
  weft_value *v = pt_tensor(o, "self");
  int64_t order[WEFT_MAX_RANK];
  int rank = front_rank_of(&o->b, v);
  for (int i = 0; i < rank; i++)
    order[i] = rank - 1 - i;
  shape_set(o, front_permuted(&o->b, v, order, (size_t)rank));
}

static void shape_movedim(pt_op *o) {
  weft_value *v = pt_tensor(o, "self");
  int rank = front_rank_of(&o->b, v);
  int64_t from[PT_MAX_NUMBERS];
  int64_t to[PT_MAX_NUMBERS];
  int64_t order[WEFT_MAX_RANK];
  bool used[WEFT_MAX_RANK] = {false};
  size_t n = pt_axes(o, "source", rank, from);
  size_t m = pt_axes(o, "destination", rank, to);
  if (n != m)
    front_fail(&o->b, WEFT_E_INVALID, "%zu axes are moved to %zu places", n, m);
  if (o->b.failed)
    return;
  for (int i = 0; i < rank; i++)
    order[i] = -1;
  for (size_t i = 0; i < n; i++) {
    order[to[i]] = from[i];
    used[from[i]] = true;
  }
  int next = 0;
  for (int i = 0; i < rank; i++) {
    if (order[i] >= 0)
      continue;
    while (next < rank && used[next])
      next++;
    order[i] = next++;
  }
  shape_set(o, front_permuted(&o->b, v, order, (size_t)rank));
}

// ---- parts ----
static void shape_select(pt_op *o) {
  front_op *b = &o->b;
  weft_value *v = pt_tensor(o, "self");
  int rank = front_rank_of(b, v);
  int64_t axis = pt_axis(o, "dim", 0, rank);
  shape_set(o, front_picked(b, v, axis, pt_size_index(o, "index", 0)));
}

static void shape_slice(pt_op *o) {
  front_op *b = &o->b;
  weft_value *v = pt_tensor(o, "self");
  int rank = front_rank_of(b, v);
  int64_t axis = pt_axis(o, "dim", 0, rank);
  front_arg from = {.kind = FRONT_INT};
  front_arg to = {.kind = FRONT_INT, .i = INT64_MAX};
  if (pt_find(o, "start"))
    from = pt_read_arg(o, pt_find(o, "start"));
  if (pt_find(o, "end"))
    to = pt_read_arg(o, pt_find(o, "end"));
  int64_t step = pt_int(o, "step", 1);
  bool whole = from.kind == FRONT_INT && !from.i && to.kind == FRONT_INT && step == 1 &&
               (to.i == INT64_MAX || (front_dim(v, (int)axis) >= 0 && to.i >= front_dim(v, (int)axis)));
  if (b->failed || whole) {
    shape_set(o, v);
    return;
  }
  weft_value *begin = pt_size_list(o, "start", 0);
  weft_value *end = pt_size_list(o, "end", INT64_MAX);
  shape_set(o, front_sliced(b, v, axis, begin, end, step == 1 ? NULL : front_list(b, &step, 1)));
}

static void shape_narrow(pt_op *o) {
  front_op *b = &o->b;
  weft_value *v = pt_tensor(o, "self");
  int rank = front_rank_of(b, v);
  int64_t axis = pt_axis(o, "dim", 0, rank);
  weft_value *from = pt_size_list(o, "start", 0);
  weft_value *to = front_do(b, "Add", from, pt_size_list(o, "length", 0), NULL);
  shape_set(o, front_sliced(b, v, axis, from, to, NULL));
}

// ---- joins ----
// Empty vectors join anything.
static void shape_cat(pt_op *o) {
  front_op *b = &o->b;
  weft_value **v;
  size_t n = pt_tensors(o, pt_has(o, "tensors") ? "tensors" : "self", &v);
  weft_dtype t = pt_out_type(o, 0);
  size_t kept = 0;
  int rank = 0;
  for (size_t i = 0; i < n; i++)
    rank = WEFT_MAX(rank, front_rank_of(b, v[i]));
  for (size_t i = 0; i < n && !b->failed; i++) {
    if (front_rank(v[i]) == 1 && rank > 1 && front_dim(v[i], 0) == 0)
      continue;
    v[kept++] = front_as(b, v[i], t);
  }
  if (!kept && !b->failed)
    front_fail(b, WEFT_E_MISSING, "there is nothing to join");
  int64_t axis = pt_axis(o, "dim", 0, rank);
  if (!b->failed)
    shape_set(o, front_joined(b, v, kept, axis));
}

static void shape_stack(pt_op *o) {
  front_op *b = &o->b;
  weft_value **v;
  size_t n = pt_tensors(o, "tensors", &v);
  weft_dtype t = pt_out_type(o, 0);
  int rank = n ? front_rank_of(b, v[0]) : 0;
  int64_t axis = front_axis(b, pt_int(o, "dim", 0), rank + 1);
  for (size_t i = 0; i < n && !b->failed; i++)
    v[i] = front_unsqueezed(b, front_as(b, v[i], t), axis);
  if (!n)
    front_fail(b, WEFT_E_MISSING, "there is nothing to join");
  if (!b->failed)
    shape_set(o, front_joined(b, v, n, axis));
}

// Each tensor with at least `rank` axes, then joined: vectors of hstack along axis 0, others along axis 1.
static void shape_stacked(pt_op *o, int rank, int64_t axis_of_vectors, int64_t axis, bool behind) {
  front_op *b = &o->b;
  weft_value **v;
  size_t n = pt_tensors(o, "tensors", &v);
  bool vectors = true;
  for (size_t i = 0; i < n && !b->failed; i++) {
    int have = front_rank_of(b, v[i]);
    if (behind && have == 2)
      v[i] = front_unsqueezed(b, v[i], 2);
    for (; have < rank && !(behind && have >= 2); have++)
      v[i] = front_unsqueezed(b, v[i], 0);
    if (behind && have == 2 && front_rank(v[i]) == 2)
      v[i] = front_unsqueezed(b, v[i], 2);
    vectors &= front_rank(v[i]) == 1;
    v[i] = front_as(b, v[i], pt_out_type(o, 0));
  }
  if (!b->failed && n)
    shape_set(o, front_joined(b, v, n, vectors ? axis_of_vectors : axis));
}
static void shape_hstack(pt_op *o) {
  shape_stacked(o, 1, 0, 1, false);
}
static void shape_vstack(pt_op *o) {
  shape_stacked(o, 2, 0, 0, false);
}
static void shape_dstack(pt_op *o) {
  shape_stacked(o, 3, 2, 2, true);
}

// ---- repeats ----
// -1 keeps the size that the axis has.
static void shape_expand(pt_op *o) {
  front_op *b = &o->b;
  weft_value *v = pt_tensor(o, "self");
  int rank = front_rank_of(b, v);
  const char *key;
  const weft_json *size = pt_only(pt_find(o, "size"), &key);
  weft_value *shape = pt_shape(o, "size");
  int64_t known[WEFT_MAX_RANK];
  size_t n = size && size->kind == WEFT_JSON_ARRAY ? size->n : 0;
  size_t n_known;
  if (b->failed)
    return;
  if (front_known_ints(shape, known, WEFT_MAX_RANK, &n_known)) {
    bool kept = false;
    for (size_t i = 0; i < n_known; i++) {
      int own = (int)i - ((int)n_known - rank);
      if (known[i] == -1 && own >= 0 && front_dim(v, own) >= 0)
        known[i] = front_dim(v, own);
      kept |= known[i] < 0;
    }
    n = n_known;
    shape = front_list(b, known, n);
    if (!kept) {
      shape_set(o, front_expanded(b, v, shape));
      return;
    }
  }
  // an axis that stays has the size 1 for Expand
  weft_value *one = front_list(b, &(int64_t){1}, 1);
  weft_value *stays = front_do(b, "Less", shape, front_list(b, &(int64_t){0}, 1), NULL);
  shape = front_where(b, stays, one, shape);
  shape_set(o, front_do(b, "Expand", v, shape, NULL));
}

static void shape_expand_as(pt_op *o) {
  weft_value *v = pt_tensor(o, "self");
  shape_set(o, front_expanded(&o->b, v, front_shape(&o->b, pt_tensor(o, "other"))));
}

static void shape_repeat(pt_op *o) {
  front_op *b = &o->b;
  weft_value *v = pt_tensor(o, "self");
  weft_value *times = pt_shape(o, pt_has(o, "dims") ? "dims" : "repeats");
  int rank = front_rank_of(b, v);
  int want = b->failed ? 0 : (int)front_dim(times, 0);
  for (; !b->failed && rank < want; rank++)
    v = front_unsqueezed(b, v, 0);
  if (!b->failed && want < rank) {  // tile: axes in front stay
    int64_t ones[WEFT_MAX_RANK];
    for (int i = 0; i < rank - want; i++)
      ones[i] = 1;
    weft_value *parts[2] = {front_list(b, ones, (size_t)(rank - want)), times};
    times = front_joined(b, parts, 2, 0);
  }
  shape_set(o, front_do(b, "Tile", v, times, NULL));
}

// Every element of an axis n times in a row.
static void shape_repeat_each(pt_op *o) {
  front_op *b = &o->b;
  weft_value *v = pt_tensor(o, "self");
  weft_value *n = pt_size_list(o, "repeats", 1);
  if (!pt_find(o, "dim"))
    v = front_flat(b, v);
  int rank = front_rank_of(b, v);
  int64_t axis = pt_axis(o, "dim", 0, rank);
  weft_value *times[WEFT_MAX_RANK + 1];
  for (int i = 0; i <= rank; i++)
    times[i] = i == axis + 1 ? n : front_list(b, &(int64_t){1}, 1);
  weft_value *list = b->failed ? NULL : front_size_list(b, times, (size_t)rank + 1);
  weft_value *wide = front_do(b, "Tile", front_unsqueezed(b, v, axis + 1), list, NULL);
  weft_value *parts[3];
  size_t n_parts = 0;
  if (axis > 0)
    parts[n_parts++] = shape_dims(b, v, 0, axis);
  parts[n_parts++] = front_size_of(b, "Mul", front_dim_list(b, v, axis), n);
  if (axis + 1 < rank)
    parts[n_parts++] = shape_dims(b, v, axis + 1, rank);
  shape_set(o, front_reshape(b, wide, front_size_list(b, parts, n_parts)));
}

// The shape that all of them broadcast to.
static void shape_broadcast_all(pt_op *o) {
  front_op *b = &o->b;
  weft_value **v;
  size_t n = pt_tensors(o, "tensors", &v);
  weft_value *all = NULL;
  for (size_t i = 0; i < n && !b->failed; i++) {
    weft_value *shape = front_shape(b, v[i]);
    all = all ? front_common_sizes(b, all, shape) : shape;
  }
  for (size_t i = 0; i < n && !b->failed; i++)
    pt_result(o, i, front_expanded(b, v[i], all));
}

static void shape_meshgrid(pt_op *o) {
  front_op *b = &o->b;
  weft_value **v;
  size_t n = pt_tensors(o, "tensors", &v);
  bool xy = pt_is(o, "indexing", "ij", "xy") && n > 1;
  weft_value *sizes[WEFT_MAX_RANK];
  if (n > WEFT_MAX_RANK)
    front_fail(b, WEFT_E_LIMIT, "%zu tensors", n);
  for (size_t i = 0; i < n && !b->failed; i++) {
    v[i] = front_flat(b, front_rank(v[i]) ? v[i] : front_unsqueezed(b, v[i], 0));
    size_t place = xy && i < 2 ? 1 - i : i;
    sizes[place] = front_dim_list(b, v[i], 0);
  }
  weft_value *shape = b->failed || !n ? NULL : front_joined(b, sizes, n, 0);
  for (size_t i = 0; i < n && !b->failed; i++) {
    int64_t dims[WEFT_MAX_RANK];
    size_t place = xy && i < 2 ? 1 - i : i;
    for (size_t k = 0; k < n; k++)
      dims[k] = k == place ? -1 : 1;
    pt_result(o, i, front_expanded(b, front_reshaped(b, v[i], dims, n), shape));
  }
}

static void shape_bits(pt_op *o) {
  weft_value *v = pt_tensor(o, "self");
  front_set(&o->b, "type", weft_attr_dtype(pt_type(o, "dtype", pt_out_type(o, 0))));
  shape_set(o, front_do(&o->b, "Bitcast", v, NULL, NULL));
}

// The first elements of the tensor in another shape. More than there are would be whatever lies in memory.
static void shape_resize(pt_op *o) {
  front_op *b = &o->b;
  weft_value *v = pt_tensor(o, "self");
  weft_value *like = pt_optional(o, "the_template");
  weft_value *shape = like ? front_shape(b, like) : pt_shape(o, "size");
  int64_t sizes[WEFT_MAX_RANK];
  size_t n;
  int64_t have = 1;
  int64_t want = 1;
  const char *key;
  const char *name = pt_text(pt_only(pt_find(o, "self"), &key), "name");
  pt_value *self = name ? pt_name(o->s, name) : NULL;
  if (!b->failed && (!self || !pt_meta_contiguous(pt_meta(o->m, self))))
    front_fail(b, WEFT_E_UNSUPPORTED,
               "a resize of a tensor that does not lie in memory in the order of its axes");
  bool known = !b->failed && front_known_ints(shape, sizes, WEFT_MAX_RANK, &n);
  for (size_t i = 0; known && i < n; i++)
    known = sizes[i] >= 0 && weft__mul_i64(want, sizes[i], &want);
  for (int i = 0; known && i < front_rank_of(b, v); i++)
    known = front_dim(v, i) >= 0 && weft__mul_i64(have, front_dim(v, i), &have);
  if (!b->failed && known && want > have)
    front_fail(b, WEFT_E_UNSUPPORTED, "a resize to more elements than there are: %lld, of %lld",
               (long long)want, (long long)have);
  v = front_flat(b, v);
  if (!known) {  // the reshape fails where there are fewer
    weft_value *all = front_reduced(b, "ReduceProd", shape, &(int64_t){0}, 1, true);
    v = front_sliced(b, v, 0, front_list(b, &(int64_t){0}, 1), all, NULL);
  }
  v = known && want < have ? front_part(b, v, 0, 0, want) : v;
  pt_result(o, 0, front_reshape(b, v, shape));
}

static const pt_row shape_rows[] = {
    {"resize", NULL, 0, shape_resize, 0},
    {"resize_as", NULL, 0, shape_resize, 0},
    {"view.dtype", NULL, 0, shape_bits, 0},
    {"view", NULL, 0, shape_view, 'V'},
    {"_unsafe_view", NULL, 0, shape_view, 0},
    {"view_copy", NULL, 0, shape_view, 0},
    {"reshape", NULL, 0, shape_view, 'C'},
    {"_reshape_alias", NULL, 0, shape_view, 'V'},
    {"view_as", NULL, 0, shape_view_as, 'V'},
    {"reshape_as", NULL, 0, shape_view_as, 'C'},
    {"flatten.using_ints", NULL, 0, shape_flatten, 'C'},
    {"unflatten.int", NULL, 0, shape_unflatten, 'V'},
    {"unsqueeze", NULL, 0, shape_unsqueeze, 'V'},
    {"unsqueeze_copy", NULL, 0, shape_unsqueeze, 0},
    {"squeeze", NULL, 0, shape_squeeze, 'V'},
    {"squeeze_copy", NULL, 0, shape_squeeze, 0},
    {"permute", NULL, 0, shape_permute, 'V'},
    {"permute_copy", NULL, 0, shape_permute, 0},
    {"transpose", NULL, 0, shape_transpose, 'V'},
    {"transpose_copy", NULL, 0, shape_transpose, 0},
    {"swapaxes", NULL, 0, shape_transpose, 'V'},
    {"swapdims", NULL, 0, shape_transpose, 'V'},
    {"t", NULL, 0, shape_t, 'V'},
    {"t_copy", NULL, 0, shape_t, 0},
    {"mT", NULL, 0, shape_t, 'V'},
    {"mH", NULL, 0, shape_t, 'V'},
    {"matrix_H", NULL, 0, shape_t, 'V'},
    {"adjoint", NULL, 0, shape_t, 'V'},
    {"numpy_T", NULL, 0, shape_reversed_axes, 'V'},
    {"movedim", NULL, 0, shape_movedim, 'V'},
    {"moveaxis", NULL, 0, shape_movedim, 'V'},
    {"select.int", NULL, 0, shape_select, 'V'},
    {"select_copy", NULL, 0, shape_select, 0},
    {"slice.Tensor", NULL, 0, shape_slice, 'V'},
    {"slice_copy", NULL, 0, shape_slice, 0},
    {"narrow", NULL, 0, shape_narrow, 'V'},
    {"narrow_copy", NULL, 0, shape_narrow, 0},
    {"cat", NULL, 0, shape_cat, 0},
    {"concat", NULL, 0, shape_cat, 0},
    {"concatenate", NULL, 0, shape_cat, 0},
    {"stack", NULL, 0, shape_stack, 0},
    {"hstack", NULL, 0, shape_hstack, 0},
    {"vstack", NULL, 0, shape_vstack, 0},
    {"row_stack", NULL, 0, shape_vstack, 0},
    {"dstack", NULL, 0, shape_dstack, 0},
    {"expand", NULL, 0, shape_expand, 'V'},
    {"expand_copy", NULL, 0, shape_expand, 0},
    {"broadcast_to", NULL, 0, shape_expand, 'V'},
    {"expand_as", NULL, 0, shape_expand_as, 'V'},
    {"repeat", NULL, 0, shape_repeat, 0},
    {"tile", NULL, 0, shape_repeat, 0},
    {"repeat_interleave.self_int", NULL, 0, shape_repeat_each, 0},
    {"broadcast_tensors", NULL, 0, shape_broadcast_all, 0},
    {"meshgrid", NULL, 0, shape_meshgrid, 0},
};
const pt_rows pt_shape_ops = PT_ROWS(shape_rows);
// SPDX-License-Identifier: Apache-2.0
