// frame.c - the scratch that node inference works in: one allocation per array, grown to the largest node
// seen.
#include "op/proto.h"
#include "tensor/tensor.h"

void weft__frame_init(weft_frame *f, weft_env *e, weft_symbols *symbols) {
  memset(f, 0, sizeof *f);
  f->env = e;
  f->symbols = symbols;
  f->alloc = e->alloc;
}

const weft_env_options *weft__infer_options(const weft_infer *it) {
  static const weft_env_options defaults = {0};
  const weft_frame *f = it->impl;
  return f && f->env ? &f->env->options : &defaults;
}

// All arrays, so that growing and freeing cannot disagree.
// clang-format off
#define FRAME_ARRAYS(X)                                                                             \
  X(in_store, cap_in, 1) X(in, cap_in, 1) X(in_min, cap_in, 1) X(in_max, cap_in, 1)                 \
  X(in_range_store, cap_in, 2) X(in_dtype, cap_in, 1) X(in_format, cap_in, 1) X(value, cap_in, 1)   \
  X(data_state, cap_in, 1) X(in_dims, cap_in, 1) X(in_kind, cap_in, 1)                              \
  X(in_elems_store, cap_in, WEFT_FRAME_ELEMS) X(out_store, cap_out, 1) X(out, cap_out, 1)           \
  X(out_range_store, cap_out, 2) X(out_min, cap_out, 1) X(out_max, cap_out, 1)                      \
  X(out_dtype, cap_out, 1) X(out_format, cap_out, 1) X(out_origin_format, cap_out, 1)               \
  X(out_kind, cap_out, 1) X(elems_store, cap_out, WEFT_FRAME_ELEMS) X(out_elems, cap_out, 1)        \
  X(out_elems_n, cap_out, 1) X(facts, cap_out, 1)
// clang-format on

void weft__frame_deinit(weft_frame *f) {
#define X(field, cap, times) weft__free(&f->alloc, f->field, (size_t)f->cap *(times) * sizeof *f->field, 16);
  FRAME_ARRAYS(X)
#undef X
  weft_allocator a = f->alloc;
  memset(f, 0, sizeof *f);
  f->alloc = a;
}

static void wire(weft_frame *f) {
  for (uint32_t i = 0; i < f->cap_in; i++) {
    weft_tensor *t = &f->in_store[i];
    weft_tensor_init(t, &f->alloc);
    f->value[i] = t;
    f->in[i] = &t->layout.origin;
    f->in_min[i] = &f->in_range_store[2 * i];
    f->in_max[i] = &f->in_range_store[2 * i + 1];
  }
  for (uint32_t i = 0; i < f->cap_out; i++) {
    f->out[i] = &f->out_store[i];
    f->out_min[i] = &f->out_range_store[2 * i];
    f->out_max[i] = &f->out_range_store[2 * i + 1];
    f->out_elems[i] = &f->elems_store[(size_t)i * WEFT_FRAME_ELEMS];
  }
}

bool weft__frame_room(weft_frame *f, uint32_t n_in, uint32_t n_out) {
  if (n_in <= f->cap_in && n_out <= f->cap_out)
    return true;
  weft_frame n = {
      .env = f->env, .symbols = f->symbols, .alloc = f->alloc, .sub = f->sub, .infer_graph = f->infer_graph};
  n.cap_in = WEFT_MAX(f->cap_in, WEFT_MAX(n_in + n_in / 2, 8));
  n.cap_out = WEFT_MAX(f->cap_out, WEFT_MAX(n_out + n_out / 2, 4));
  bool ok = true;
#define X(field, cap, times)                                                       \
  n.field = weft__alloc(&f->alloc, (size_t)n.cap * (times) * sizeof *n.field, 16); \
  ok &= n.field != NULL;                                                           \
  if (n.field)                                                                     \
    memset((void *)n.field, 0, (size_t)n.cap *(times) * sizeof *n.field);
  FRAME_ARRAYS(X)
#undef X
  if (!ok) {
    weft__frame_deinit(&n);
    return false;
  }
  weft__frame_deinit(f);
  *f = n;
  wire(f);
  return true;
}

bool weft__fact_known(const weft_fact *f) {
  if (!weft__fact_ranked(f))
    return false;
  for (uint32_t i = 0; i < f->rank; i++) {
    if (f->dims[i] < 0)
      return false;
  }
  return true;
}

void weft__fact_shape(const weft_fact *f, weft_shape *out) {
  if (!f->set) {
    out->rank = WEFT_RANK_UNSET;
  } else if (f->unknown_rank) {
    out->rank = 1;
    out->dim[0] = WEFT_DIM_UNKNOWN_RANK;
  } else {
    out->rank = f->rank;
    for (uint32_t i = 0; i < f->rank; i++)
      out->dim[i] = f->dims[i];
  }
}

// The shape that all items have; NULL: they differ, or there are none.
static const weft_shape *items_shape(const weft_tensor *t) {
  if (weft__kind_is_map(t->kind))
    return t->n_items == 2 ? &t->items[1]->layout.origin : NULL;
  if (t->kind == WEFT_KIND_OPTIONAL_SEQUENCE)
    t = t->n_items ? t->items[0] : NULL;
  if (!t || !t->n_items || t->items[0]->kind != WEFT_KIND_TENSOR)
    return NULL;
  const weft_shape *s = &t->items[0]->layout.origin;
  for (size_t i = 1; i < t->n_items; i++) {
    if (!weft_shape_equal(s, &t->items[i]->layout.origin))
      return NULL;
  }
  return s;
}

weft_fact weft__fact_of_tensor(const weft_tensor *t) {
  weft_fact f = {0};
  f.dtype = t->dtype;
  f.kind = t->kind;
  f.set = true;
  if (t->kind != WEFT_KIND_TENSOR) {  // dtype and shape are the elements', which may differ
    f.dtype = f.item_dtype = t->item_dtype;
    f.unknown_rank = true;
    f.value = t;
    f.format = f.origin_format = WEFT_ND;
    const weft_shape *s = items_shape(t);
    if (s && !weft_shape_is_unknown_rank(s)) {
      f.unknown_rank = false;
      f.rank = (uint8_t)s->rank;
      f.dims = s->dim;
    }
    return f;
  }
  f.rank = (uint8_t)t->layout.origin.rank;
  f.dims = t->layout.origin.dim;
  f.unknown_rank = weft_shape_is_unknown_rank(&t->layout.origin);
  if (f.unknown_rank)
    f.rank = 0;
  f.origin_format = t->origin_format;
  f.format = t->format;
  f.value = t->data || t->kind != WEFT_KIND_TENSOR ? t : NULL;
  f.item_dtype = t->item_dtype;
  return f;
}
// SPDX-License-Identifier: Apache-2.0
