// map_list.c - TensorLists. A list is one tensor with its items along a first axis, so that setting an item
// is a scatter and reading one a gather. While the shape of its items is not known the list is a number of
// items (tf_list): the first item that is set tells the rest, and map_flow.c looks into a loop's body for it.
#include "frontend/tf/tables.h"

static const tf_value *list_of(tf_op *o) {
  if (o->b.failed)
    return NULL;
  if (!o->n_in || o->in[0].kind != TF_LIST) {
    front_fail(&o->b, WEFT_E_TYPE, "input 0 is not a TensorList");
    return NULL;
  }
  return &o->in[0];
}

static void list_give(tf_op *o, weft_value *v) {
  tf_give_value(o, 0, (tf_value){.kind = TF_LIST, .v = v});
}

// ---- shapes ----
static bool list_known(const weft_value *v, int64_t dims[WEFT_MAX_RANK]) {
  int rank = front_rank(v);
  for (int i = 0; i < rank; i++) {
    dims[i] = v->fact.dims[i];
    if (dims[i] < 0)
      return false;
  }
  return rank >= 0;
}

static weft_value *list_shape(front_op *b, weft_value *item) {
  int64_t dims[WEFT_MAX_RANK];
  if (!b->failed && list_known(item, dims))
    return front_list(b, dims, (size_t)front_rank(item));
  return front_shape(b, item);
}

// The sizes of an element_shape that is given whole; false: some are not.
static bool list_given(weft_value *shape, int64_t dims[WEFT_MAX_RANK], size_t *n) {
  if (front_rank(shape) != 1 || !front_known_ints(shape, dims, WEFT_MAX_RANK, n))
    return false;
  for (size_t i = 0; i < *n; i++) {
    if (dims[i] < 0)
      return false;
  }
  return true;
}

weft_value *tf_list_filled(front_op *b, const tf_list *l, weft_value *item_shape) {
  if (!b->failed && !l->count && l->known < 0)
    return front_none(b, WEFT_E_UNKNOWN, "how many items a list has is not known in this function");
  weft_value *count = l->count ? front_as(b, front_reshaped(b, l->count, (const int64_t[]){1}, 1), WEFT_INT64)
                               : front_list(b, &l->known, 1);
  weft_value *parts[2] = {count, item_shape};
  weft_value *shape = b->failed ? NULL : front_joined(b, parts, 2, 0);
  return front_filled(b, shape, front_num(b, l->t, 0));
}

// ---- making ----
static void list_made(tf_op *o, weft_value *count, int64_t known) {
  front_op *b = &o->b;
  int64_t dims[WEFT_MAX_RANK];
  size_t n;
  weft_value *shape = tf_in(o, 0);
  const tf_list made = {.t = tf_type(o, "element_dtype", WEFT_FLOAT), .count = count, .known = known};
  if (b->failed)
    return;
  if (made.t != WEFT_STRING && list_given(shape, dims, &n)) {
    list_give(o, tf_list_filled(b, &made, front_list(b, dims, n)));
    return;
  }
  tf_list *kept = WEFT_NEW(&o->m->f.arena, tf_list);
  if (!kept) {
    front_fail(b, WEFT_E_NOMEM, "out of memory");
    return;
  }
  *kept = made;
  tf_give_value(o, 0, (tf_value){.kind = TF_LIST, .list = kept});
}

static void list_reserve(tf_op *o) {
  int64_t known = -1;
  size_t n = 0;
  weft_value *count = tf_in(o, 1);
  if (count && (!front_known_ints(count, &known, 1, &n) || n != 1))
    known = -1;
  list_made(o, count, known);
}
static void list_empty(tf_op *o) {
  list_made(o, NULL, 0);
}
static void list_from_tensor(tf_op *o) {
  list_give(o, tf_in(o, 0));
}

// ---- items ----
static weft_value *list_row(tf_op *o, weft_value *item) {
  return front_unsqueezed(&o->b, item, 0);
}

static void list_set_item(tf_op *o) {
  static const int64_t one[2] = {1, 1};
  front_op *b = &o->b;
  const tf_value *l = list_of(o);
  weft_value *item = tf_in(o, 2);
  if (!l || b->failed)
    return;
  if (tf_bool(o, "resize_if_index_out_of_bounds", false)) {
    front_fail(b, WEFT_E_UNSUPPORTED,
               "a list that grows where an item is set (a TensorArray of dynamic size)");
    return;
  }
  weft_value *all = l->v ? l->v : tf_list_filled(b, l->list, list_shape(b, item));
  weft_value *at = front_as(b, front_reshaped(b, tf_in(o, 1), one, 2), WEFT_INT64);
  weft_value *row = list_row(o, item);
  front_set_text(b, "reduction", "none");
  list_give(o, front_do(b, "TensorScatterUpdate", all, at, row));
}

static void list_push_back(tf_op *o) {
  const tf_value *l = list_of(o);
  weft_value *row = list_row(o, tf_in(o, 1));
  if (!l || o->b.failed)
    return;
  weft_value *parts[2] = {l->v, row};
  list_give(o, l->v ? front_joined(&o->b, parts, 2, 0) : row);
}

static void list_pop_back(tf_op *o) {
  const tf_value *l = list_of(o);
  if (!l)
    return;
  if (!l->v) {
    front_fail(&o->b, WEFT_E_UNSUPPORTED, "the last item of a list that nothing was put in");
    return;
  }
  list_give(o, front_part(&o->b, l->v, 0, 0, -1));
  tf_give(o, 1, front_picked(&o->b, l->v, 0, front_index(&o->b, -1)));
}

// Items that nobody has set are zeros.
static weft_value *list_items(tf_op *o, size_t shape_input) {
  int64_t dims[WEFT_MAX_RANK];
  size_t n;
  const tf_value *l = list_of(o);
  weft_value *shape = tf_in(o, shape_input);
  if (!l || o->b.failed)
    return NULL;
  if (l->v)
    return l->v;
  if (!list_given(shape, dims, &n))
    return front_none(&o->b, WEFT_E_UNKNOWN, "the shape of the list's items is not known");
  return tf_list_filled(&o->b, l->list, front_list(&o->b, dims, n));
}

static void list_get_item(tf_op *o) {
  weft_value *all = list_items(o, 2);
  weft_value *at = tf_in(o, 1);
  tf_give(o, 0, front_do(&o->b, "GatherV2", all, at, front_index(&o->b, 0)));
}
static void list_gather(tf_op *o) {
  weft_value *all = list_items(o, 2);
  weft_value *at = tf_in(o, 1);
  tf_give(o, 0, front_do(&o->b, "GatherV2", all, at, front_index(&o->b, 0)));
}
static void list_stack(tf_op *o) {
  tf_give(o, 0, list_items(o, 1));
}

// Items joined along their first axis, and how long each is.
static void list_concat(tf_op *o) {
  front_op *b = &o->b;
  weft_value *all = list_items(o, 1);
  int rank = front_rank_of(b, all);
  weft_value *parts[WEFT_MAX_RANK] = {0};
  static const int64_t rest = -1;
  if (!b->failed && rank < 2)
    front_fail(b, WEFT_E_SHAPE, "items are numbers, and cannot be joined");
  if (b->failed)
    return;
  parts[0] = front_list(b, &rest, 1);
  for (int i = 2; i < rank; i++)
    parts[i - 1] = front_dim_list(b, all, i);
  weft_value *shape = b->failed ? NULL : front_joined(b, parts, (size_t)rank - 1, 0);
  tf_give(o, 0, front_reshape(b, all, shape));
  tf_give(o, 1, front_expanded(b, front_dim_list(b, all, 1), front_dim_list(b, all, 0)));
}

static void list_length(tf_op *o) {
  front_op *b = &o->b;
  const tf_value *l = list_of(o);
  if (!l)
    return;
  if (l->v)
    tf_give(o, 0, front_as(b, front_dim_index(b, l->v, 0), WEFT_INT32));
  else if (l->list->count)
    tf_give(o, 0, l->list->count);
  else
    tf_give(o, 0, front_int(b, WEFT_INT32, l->list->known));
}

static const tf_row list_rows[] = {
    {"EmptyTensorList", NULL, NULL, list_empty},
    {"TensorListConcatV2", NULL, NULL, list_concat},
    {"TensorListFromTensor", NULL, NULL, list_from_tensor},
    {"TensorListGather", NULL, NULL, list_gather},
    {"TensorListGetItem", NULL, NULL, list_get_item},
    {"TensorListLength", NULL, NULL, list_length},
    {"TensorListPopBack", NULL, NULL, list_pop_back},
    {"TensorListPushBack", NULL, NULL, list_push_back},
    {"TensorListReserve", NULL, NULL, list_reserve},
    {"TensorListSetItem", NULL, NULL, list_set_item},
    {"TensorListStack", NULL, NULL, list_stack},
};
const tf_rows tf_lists = TF_ROWS(list_rows);
// SPDX-License-Identifier: Apache-2.0
