// control.c - see control.h.
#include "control.h"

#include "tensor/tensor.h"

static const weft_allocator *control_scratch(const weft_infer *it) {
  return &((const weft_frame *)it->impl)->alloc;
}

weft_described *weft__described_new(const weft_infer *it, size_t n) {
  size_t bytes;
  weft_described *v =
      weft_mul_size(n + 1, sizeof *v, &bytes) ? weft__alloc(control_scratch(it), bytes, 16) : NULL;
  if (v)
    memset(v, 0, bytes);
  else
    weft_fail(it->d, WEFT_E_NOMEM, "out of memory");
  return v;
}

void weft__described_free(const weft_infer *it, weft_described *v, size_t n) {
  if (v)
    weft__free(control_scratch(it), v, (n + 1) * sizeof *v, 16);
}

void weft__describe_input(const weft_infer *it, uint32_t in, weft_described *out) {
  *out = (weft_described){
      .size = sizeof *out, .dtype = it->in_dtype[in], .kind = it->in_kind[in], .format = it->in_format[in]};
  weft_shape_copy(&out->shape, it->in[in]);
  if (it->data_state[in] == WEFT_DATA_KNOWN)
    out->value = it->value[in];
}

void weft__describe_scalar(weft_dtype t, weft_described *out) {
  *out = (weft_described){.size = sizeof *out, .dtype = t, .kind = WEFT_KIND_TENSOR, .format = WEFT_ND};
}

weft_status weft__give_output(weft_infer *it, uint32_t out, const weft_described *v) {
  it->out_dtype[out] = v->dtype;
  it->out_kind[out] = v->kind;
  it->out_format[out] = v->format;
  weft_shape_copy(it->out[out], &v->shape);
  return WEFT_OK;
}

weft_status weft__describe_merge(const weft_infer *it, weft_described *into, const weft_described *v,
                                 const char *what, bool *changed) {
  bool filled = (into->kind == WEFT_KIND_OPTIONAL && v->kind == WEFT_KIND_TENSOR) ||
                // an optional takes its item
                (into->kind == WEFT_KIND_OPTIONAL_SEQUENCE && v->kind == WEFT_KIND_SEQUENCE);
  if (into->kind != v->kind && !filled) {
    return weft_fail(it->d, WEFT_E_TYPE, "%s: %s and %s", what, weft__kind_name(into->kind),
                     weft__kind_name(v->kind));
  }
  if (into->dtype != v->dtype) {
    return weft_fail(it->d, WEFT_E_DTYPE, "%s: %s and %s", what, weft_dtype_serial(into->dtype),
                     weft_dtype_serial(v->dtype));
  }
  into->value = NULL;
  if (weft_shape_is_unknown_rank(&into->shape))
    return WEFT_OK;
  if (weft_shape_is_unknown_rank(&v->shape) || v->shape.rank != into->shape.rank) {
    weft_shape_set_unknown_rank(&into->shape);
    *changed = true;
    return WEFT_OK;
  }
  for (size_t i = 0; i < into->shape.rank; i++) {
    if (into->shape.dim[i] == -1 || weft_dim_same(into->shape.dim[i], v->shape.dim[i]))
      continue;
    into->shape.dim[i] = -1;
    *changed = true;
  }
  return WEFT_OK;
}

weft_status weft__settle_states(weft_infer *it, uint32_t n_state, weft_described *in, uint32_t n_in,
                                weft_described *out, uint32_t n_out) {
  for (int round = 0;; round++) {
    bool changed = false;
    WEFT_TRY(it->host->infer_graph(it, 0, in, n_in, out, n_out));
    for (uint32_t i = 0; i < n_state; i++) {
      char what[64];
      snprintf(what, sizeof what, "state %u before and after a turn", i);
      WEFT_TRY(weft__describe_merge(it, &in[i], &out[i], what, &changed));
    }
    if (!changed)
      return WEFT_OK;
    if (round == 32)
      return weft_fail(it->d, WEFT_E_LIMIT, "the shapes of the states do not settle");
  }
}

weft_tensor *weft__tensors_new(const weft_call *c, size_t n) {
  const weft_allocator *a = weft__call_allocator(c);
  size_t bytes;
  weft_tensor *v = weft_mul_size(n + 1, sizeof *v, &bytes) ? weft__alloc(a, bytes, 16) : NULL;
  for (size_t i = 0; v && i < n; i++)
    weft_tensor_init(&v[i], a);
  if (!v)
    weft_fail(c->d, WEFT_E_NOMEM, "out of memory");
  return v;
}

void weft__tensors_free(const weft_call *c, weft_tensor *v, size_t n) {
  for (size_t i = 0; v && i < n; i++)
    weft_tensor_deinit(&v[i]);
  if (v)
    weft__free(weft__call_allocator(c), v, (n + 1) * sizeof *v, 16);
}

weft_status weft__list_take(const weft_call *c, weft_tensor_list *l, weft_tensor *t) {
  const weft_allocator *a = weft__call_allocator(c);
  if (l->n == l->cap) {
    size_t cap = l->cap ? 2 * l->cap : 8;
    weft_tensor *v = weft__tensors_new(c, cap);
    if (!v)
      return WEFT_E_NOMEM;
    if (l->n)
      memcpy(v, l->v, l->n * sizeof *v);
    if (l->v)
      weft__free(a, l->v, (l->cap + 1) * sizeof *v, 16);
    l->v = v;
    l->cap = cap;
  }
  l->v[l->n++] = *t;
  weft_tensor_init(t, a);
  return WEFT_OK;
}

void weft__list_free(const weft_call *c, weft_tensor_list *l) {
  for (size_t k = 0; k < l->n; k++)
    weft_tensor_deinit(&l->v[k]);
  if (l->v)
    weft__free(weft__call_allocator(c), l->v, (l->cap + 1) * sizeof(weft_tensor), 16);
}

static weft_status stacked_shape(const weft_call *c, uint32_t out, const weft_tensor_list *l, int64_t axis,
                                 weft_shape *elem, size_t *at) {
  if (l->n) {
    weft_shape_copy(elem, &l->v[0].layout.origin);
  } else {
    weft_shape all;
    weft__fact_shape(weft__call_fact(c, out), &all);
    if (weft_shape_is_unknown_rank(&all) || !all.rank) {
      return weft_fail(c->d, WEFT_E_UNKNOWN,
                       "output %u: no turn was run, and the shape of an element is not known", out);
    }
    WEFT_TRY(weft__axis(c->d, "axis of a scan output", axis, all.rank, at));
    elem->rank = 0;
    for (size_t i = 0; i < all.rank; i++) {
      if (i != *at)
        elem->dim[elem->rank++] = WEFT_MAX(all.dim[i], 0);
    }
    return WEFT_OK;
  }
  for (size_t i = 1; i < l->n; i++) {
    if (!weft_shape_equal(elem, &l->v[i].layout.origin) || l->v[i].dtype != l->v[0].dtype) {
      char a[256];
      char b[256];
      return weft_fail(c->d, WEFT_E_SHAPE, "output %u: turn 0 gave shape %s, turn %zu gave %s", out,
                       weft_shape_text(elem, NULL, a, sizeof a), i,
                       weft_shape_text(&l->v[i].layout.origin, NULL, b, sizeof b));
    }
  }
  return weft__axis(c->d, "axis of a scan output", axis, elem->rank + 1, at);
}

weft_status weft__stack(const weft_call *c, uint32_t out, const weft_tensor_list *l, int64_t axis,
                        bool reversed) {
  weft_shape elem;
  weft_layout layout;
  size_t at = 0;
  if (!c->out[out])
    return WEFT_OK;
  WEFT_TRY(stacked_shape(c, out, l, axis, &elem, &at));
  if (elem.rank + 1 > WEFT_MAX_RANK)
    return weft_fail(c->d, WEFT_E_LIMIT, "output %u: rank over %d", out, WEFT_MAX_RANK);
  memset(&layout, 0, sizeof layout);
  layout.origin.rank = elem.rank + 1;
  for (size_t i = 0, k = 0; i <= elem.rank; i++)
    layout.origin.dim[i] = i == at ? (weft_dim)l->n : elem.dim[k++];
  weft_shape_copy(&layout.storage, &layout.origin);
  weft_dtype t = l->n ? l->v[0].dtype : weft__call_fact(c, out)->dtype;
  if (t == WEFT_STRING)
    return weft__no_kernel(c, t);
  WEFT_TRY(c->host->out_alloc(c, out, t, &layout, WEFT_ND));
  size_t outer = weft__prod(&elem, 0, at);
  size_t inner = weft__prod(&elem, at, elem.rank);
  for (size_t k = 0; k < l->n; k++) {
    const weft_tensor *from = &l->v[reversed ? l->n - 1 - k : k];
    for (size_t o = 0; inner && o < outer; o++) {
      for (size_t i = 0; i < inner; i++)
        weft__copy_elem(t, c->out[out]->data, (o * l->n + k) * inner + i, from->data, o * inner + i);
    }
  }
  return WEFT_OK;
}

weft_status weft__scan_list(const weft_infer *it, uint32_t slot, uint32_t n, bool directions) {
  weft_ints v = weft_node_ints(it->desc, slot);
  const char *name = weft__attr_name(it->desc, slot);
  if (v.n && v.n != n)
    return weft_fail(it->d, WEFT_E_INVALID, "attribute '%s' has %zu elements, expected %u", name, v.n, n);
  for (size_t i = 0; directions && i < v.n; i++) {
    if (v.v[i] != 0 && v.v[i] != 1) {
      return weft_fail(it->d, WEFT_E_RANGE,
                       "attribute '%s': element %zu is %lld, expected 0 (forwards) or 1 (backwards)", name, i,
                       (long long)v.v[i]);
    }
  }
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
