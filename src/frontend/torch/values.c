// values.c - what names stand for, and how a program that changes tensors in place becomes a functional one.
//
// A name stands for a value, and a view also for the node that made it from its parent. An operator that
// changes a value gives it a new one; a view writes it back into its parent, and so on up to what owns the
// data. Every change raises a version: whoever reads a view of something that changed since makes it again.
#include "base/allocated.h"
#include "frontend/torch/torch.h"

pt_value *pt_name(pt_scope *s, const char *name) {
  return weft__map_find(&s->names, name, strlen(name));
}

pt_value *pt_name_new(pt_scope *s, const char *name) {
  weft_diag *d = s->m->f.d;
  if (pt_name(s, name)) {
    (void)weft_fail(d, WEFT_E_DUPLICATE, "the name '%.200s' is given twice", name);
    return NULL;
  }
  pt_value *v = WEFT_NEW(&s->m->f.arena, pt_value);
  if (!v || weft__map_set(&s->names, name, strlen(name), v)) {
    (void)weft_fail(d, WEFT_E_NOMEM, "out of memory");
    return NULL;
  }
  v->name = name;
  v->meta = weft__json_get(s->metas, name);
  return v;
}

// Makes a view again from what its parent is now, and with it the other outputs of its node.
static void values_again(front_op *b, pt_scope *s, pt_value *v) {
  pt_op o = pt_op_quiet(s, v->node, b, false);
  o.self = v->parent->v;
  uint64_t version = v->parent->version;
  pt_run_node(&o);
  for (size_t i = 0; i < o.n_out; i++) {
    if (o.out[i] && o.out[i]->node == v->node) {
      o.out[i]->seen = version;
      o.out[i]->version++;
    }
  }
  b->failed = o.b.failed;
}

weft_value *pt_read(front_op *b, pt_scope *s, pt_value *v) {
  if (b->failed)
    return NULL;
  if (v->kind == PT_WEIGHT && !v->v)
    b->failed = pt_make_weight(s, v);
  if (v->parent) {
    (void)pt_read(b, s, v->parent);
    if (!b->failed && v->seen != v->parent->version)
      values_again(b, s, v);
  }
  return b->failed ? NULL : v->v;
}

// ---- writing back ----
// The view covers all of its parent, in the same order.
static bool values_is_reshape(const char *row) {
  static const char *const names[] = {"view",          "reshape",       "flatten.using_ints",
                                      "unflatten.int", "squeeze",       "unsqueeze",
                                      "view_as",       "_unsafe_view",  "detach",
                                      "alias",         "_reshape_alias"};
  for (size_t i = 0; i < WEFT_COUNT(names); i++) {
    if (!strcmp(names[i], row))
      return true;
  }
  return false;
}

static weft_value *values_like(front_op *b, weft_value *v, const weft_value *of, weft_value *like) {
  int64_t dims[WEFT_MAX_RANK];
  int rank = front_rank(of);
  bool known = rank >= 0;
  for (int i = 0; i < rank; i++) {
    dims[i] = of->fact.dims[i];
    known &= dims[i] >= 0;
  }
  return known ? front_reshaped(b, v, dims, (size_t)rank) : front_reshape(b, v, front_shape(b, like));
}

// x[.., from : from + size, ..] = v: what stands before, v, what stands behind.
static weft_value *values_put(front_op *b, weft_value *whole, weft_value *v, int64_t axis, int64_t from,
                              int64_t to) {
  weft_value *parts[3];
  size_t n = 0;
  weft_dim all = front_dim(whole, (int)axis);
  if (from > 0)
    parts[n++] = front_part(b, whole, axis, 0, from);
  parts[n++] = v;
  if (to < all)
    parts[n++] = front_part(b, whole, axis, to, INT64_MAX);
  return front_joined(b, parts, n, axis);
}

static weft_value *values_put_select(pt_op *o, weft_value *whole, weft_value *v) {
  int rank = front_rank_of(&o->b, whole);
  int64_t axis = pt_axis(o, "dim", 0, rank);
  int64_t index = pt_int(o, "index", 0);
  weft_dim size = front_dim(whole, (int)axis);
  index += index < 0 ? size : 0;
  if (index < 0 || index >= size)
    return front_none(&o->b, WEFT_E_RANGE, "argument 'index' is outside an axis of %lld", (long long)size);
  return values_put(&o->b, whole, front_unsqueezed(&o->b, v, axis), axis, index, index + 1);
}

static int64_t values_clip(int64_t at, weft_dim size) {
  at += at < 0 ? size : 0;
  return at < 0 ? 0 : at > size ? size : at;
}

static weft_value *values_put_slice(pt_op *o, weft_value *whole, weft_value *v) {
  int rank = front_rank_of(&o->b, whole);
  int64_t axis = pt_axis(o, "dim", 0, rank);
  weft_dim size = front_dim(whole, (int)axis);
  int64_t from = values_clip(pt_int(o, "start", 0), size);
  int64_t to = values_clip(pt_int(o, "end", INT64_MAX), size);
  return to <= from ? whole : values_put(&o->b, whole, v, axis, from, to);
}

// Any view: the same view of the elements' numbers says where the new ones go.
static weft_value *values_put_any(pt_op *o, weft_value *whole, weft_value *v, uint32_t index) {
  static const int64_t all = -1;
  front_op *b = &o->b;
  front_set_int(b, "dtype", WEFT_INT64);
  weft_value *numbers = front_counting(b, front_do(b, "Size", whole, NULL, NULL));
  pt_op view = pt_op_quiet(o->s, o->node, b, true);
  view.self = values_like(b, numbers, whole, whole);
  view.b.failed = b->failed;
  for (size_t i = 0; i < view.n_out; i++) {
    if (view.out[i])
      view.out[i]->meta = NULL;  // numbers, whatever dtype the view has
  }
  pt_run_node(&view);
  b->failed = view.b.failed;
  weft_value *places = index < view.n_out && view.out[index] ? view.out[index]->v : NULL;
  weft_value *flat = front_reshaped(b, whole, &all, 1);
  places = front_reshaped(b, places, &all, 1);
  weft_value *to = front_reshaped(b, v, &all, 1);
  front_set_int(b, "axis", 0);
  flat = front_do(b, "ScatterElements", flat, places, to);
  return values_like(b, flat, whole, whole);
}

static bool values_is_static(pt_op *o, const char *name) {
  const weft_json *arg = pt_find(o, name);
  front_arg a = {.kind = FRONT_INT};
  if (arg)
    a = pt_read_arg(o, arg);
  return a.kind == FRONT_INT;
}

static weft_value *values_back(front_op *b, pt_scope *s, pt_value *view, weft_value *v) {
  weft_value *whole = view->parent->v;
  pt_op o = pt_op_quiet(s, view->node, b, true);
  o.self = whole;
  const char *row = o.row ? o.row->name : "";
  weft_value *made;
  int rank = front_rank(whole);
  int64_t axis = pt_has(&o, "dim") ? pt_int(&o, "dim", 0) : 0;
  axis += axis < 0 ? rank : 0;
  bool fixed = axis >= 0 && axis < rank && front_dim(whole, (int)axis) >= 0;
  if (values_is_reshape(row))
    made = values_like(b, v, whole, whole);
  else if (!strcmp(row, "select.int") && fixed && values_is_static(&o, "index"))
    made = values_put_select(&o, whole, v);
  else if (!strcmp(row, "slice.Tensor") && fixed && values_is_static(&o, "start") &&
           values_is_static(&o, "end") && pt_int(&o, "step", 1) == 1)
    made = values_put_slice(&o, whole, v);
  else if (!strcmp(row, "expand"))
    made = front_none(&o.b, WEFT_E_UNSUPPORTED,
                      "it changes an expanded tensor in place; export with run_decompositions({})");
  else
    made = values_put_any(&o, whole, v, view->index);
  if (o.b.failed)
    b->failed = o.b.failed;
  return made;
}

void pt_write(pt_op *o, pt_value *v, weft_value *to) {
  front_op *b = &o->b;
  if (b->failed)
    return;
  if (v->parent) {
    pt_value view = *v;
    weft_value *whole = values_back(b, o->s, &view, to);
    pt_write(o, v->parent, whole);
    v->seen = v->parent->version;
  }
  v->v = to;
  v->version++;
  v->changed = true;
}
// SPDX-License-Identifier: Apache-2.0
