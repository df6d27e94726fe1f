// exec_inputs.c - the caller's inputs at the start of a run, and the keys by which plans are found: shapes of
// inputs, and what a node found by running. Inputs seen before cost a comparison.
#include "base/allocated.h"
#include "run/run.h"

static bool same_header(const weft_tensor *a, const weft_tensor *b) {
  return a->dtype == b->dtype && a->kind == b->kind && a->format == b->format &&
         a->origin_format == b->origin_format && weft_shape_equal(&a->layout.origin, &b->layout.origin) &&
         weft_shape_equal(&a->layout.storage, &b->layout.storage);
}

static bool seen(const weft_exec *x, const weft_tensor *const *in) {
  if (!x->hot)
    return false;
  for (uint32_t i = 0; i < x->fn->n_in; i++) {
    if (!in[i] || !weft__holds_numbers(in[i]->kind, in[i]->dtype) || !in[i]->data ||
        in[i]->bytes < x->in[i].bytes || !same_header(&x->in[i], in[i]))
      return false;
  }
  return true;
}

static void key_shape(weft_text *t, const weft_tensor *v) {
  uint32_t head[4] = {v->dtype, v->kind, (uint32_t)v->format, (uint32_t)v->layout.origin.rank};
  weft__text_add(t, (const char *)head, sizeof head);
  if (v->kind != WEFT_KIND_TENSOR)
    return;
  weft__text_add(t, (const char *)v->layout.origin.dim, v->layout.origin.rank * sizeof(weft_dim));
  if (!weft_shape_equal(&v->layout.origin, &v->layout.storage))
    weft__text_add(t, (const char *)v->layout.storage.dim, v->layout.storage.rank * sizeof(weft_dim));
}

weft_status weft__seg_of_inputs(weft_exec *x, weft__seg **out) {
  weft_text text;
  weft__text_init(&text, &x->cache->self);
  for (uint32_t i = 0; i < x->fn->n_in; i++)
    key_shape(&text, &x->in[i]);
  weft_status s = text.failed ? weft_fail(x->d, WEFT_E_NOMEM, "out of memory")
                              : weft__seg_find(x, NULL, text.v, text.n, out);
  weft__text_deinit(&text);
  return s;
}

// Kernels may read elements; an input of the caller's that does not lie so is copied for the run.
static weft_status align_inputs(weft_exec *x) {
  for (uint32_t i = 0; i < x->fn->n_in; i++) {
    weft_tensor *t = &x->in[i];
    weft_tensor *copy;
    if (t->kind != WEFT_KIND_TENSOR || (uintptr_t)t->data % WEFT_MAX(1, weft_dtype_bits(t->dtype) / 8) == 0)
      continue;
    if (!x->aligned) {
      size_t bytes = ((size_t)x->fn->n_in + 1) * sizeof *x->aligned;
      x->aligned = weft__alloc(&x->cache->counted, bytes, 16);
      WEFT_TRY(weft__allocated(x->aligned, x->d));
      for (uint32_t k = 0; k <= x->fn->n_in; k++)
        weft_tensor_init(&x->aligned[k], &x->cache->tensors);
    }
    copy = &x->aligned[i];
    if (copy->capacity < t->bytes || !copy->data) {
      weft_tensor_deinit(copy);
      weft_tensor_init(copy, &x->cache->tensors);
      WEFT_TRY(weft_tensor_alloc(copy, WEFT_UINT8, (weft_dim[]){(weft_dim)t->bytes}, 1, x->d));
    }
    memcpy(copy->data, t->data, t->bytes);
    t->data = copy->data;
  }
  return WEFT_OK;
}

weft_status weft__exec_bind(weft_exec *x, const weft_tensor *const *in) {
  if (seen(x, in)) {
    for (uint32_t i = 0; i < x->fn->n_in; i++)
      x->in[i].data = in[i]->data;
    x->stats.plan_hits++;
    return align_inputs(x);
  }
  WEFT_TRY(weft__check_inputs(x->fn->graph, in, x->fn->n_in, x->d));
  x->hot = NULL;
  for (uint32_t i = 0; i < x->fn->n_in; i++) {
    x->in[i] = *in[i];
    x->in[i].owned = 0;
    if (weft__holds_numbers(in[i]->kind, in[i]->dtype))
      x->in[i].bytes = (size_t)weft__tensor_span(in[i]);
  }
  WEFT_TRY(align_inputs(x));
  weft__seg *s;
  WEFT_TRY(weft__seg_of_inputs(x, &s));
  x->hot = s;
  return WEFT_OK;
}

weft_status weft__seg_next(weft_exec *x, weft__seg *s, weft__seg **out) {
  weft_text text;
  weft__text_init(&text, &x->cache->self);
  for (uint32_t i = 0; i < s->n_wants; i++) {
    const weft_tensor *t = weft__tensor_of(x, s, s->want[i].value);
    key_shape(&text, t);
    if (s->want[i].contents && t->kind == WEFT_KIND_TENSOR)
      weft__text_add(&text, t->data, t->bytes);
  }
  weft_status status = text.failed ? weft_fail(x->d, WEFT_E_NOMEM, "out of memory")
                                   : weft__seg_find(x, s, text.v, text.n, out);
  weft__text_deinit(&text);
  return status;
}
// SPDX-License-Identifier: Apache-2.0
