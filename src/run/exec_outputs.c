// exec_outputs.c - outputs reach the caller: written in place where they can be, handed over or copied after
// the run otherwise.
#include "run/run.h"

weft_tensor *weft__exec_out(const weft_exec *x, const weft__seg *s, uint32_t k) {
  return s->in_place && s->in_place[k] ? weft__exec_state(x, k) : x->out[k];
}

// Memory that becomes the caller's is counted to the end of the run.
static weft_status charge_output(weft_exec *x, uint32_t k, uint64_t bytes) {
  weft_exec *root = x->root;
  if (weft__cache_charges(&x->out[k]->alloc))
    return WEFT_OK;  // of a sub-graph: it counts itself
  if (!weft__budget_charge(&root->budget, bytes)) {
    return weft_fail(x->d, WEFT_E_LIMIT, "graph output '%s' needs %llu bytes, %sthe memory limit is %llu",
                     x->fn->value[x->fn->out[k]]->name, (unsigned long long)bytes,
                     weft__in_use_of(weft__budget_live(&root->budget)).text,
                     (unsigned long long)root->budget.now.limit_bytes);
  }
  root->handed_bytes += bytes;
  return WEFT_OK;
}

// The caller's memory for an output that is written in place; what it is described as.
static weft_status take_output(weft_exec *x, const weft__seg *s, const weft_tensor *t, uint32_t k) {
  weft_tensor *out = weft__exec_out(x, s, k);
  if (out->data && out->capacity < t->bytes && out->bytes < t->bytes) {
    char text[256];
    return weft_fail(
        x->d, WEFT_E_SHAPE, "graph output '%s': shape %s needs %zu bytes, the caller's tensor has %zu",
        x->fn->value[x->fn->out[k]]->name, weft_shape_text(&t->layout.origin, NULL, text, sizeof text),
        t->bytes, WEFT_MAX(out->capacity, out->bytes));
  }
  if (!out->data)
    WEFT_TRY(charge_output(x, k, t->bytes));
  if (!out->data && !weft__spare_take(x, k, t, out))
    WEFT_TRY(weft_tensor_alloc_layout(out, t->dtype, &t->layout, t->origin_format, t->format, x->d));
  out->dtype = t->dtype;
  out->kind = t->kind;
  out->item_dtype = t->item_dtype;
  out->origin_format = t->origin_format;
  out->format = t->format;
  out->bytes = t->bytes;
  weft_shape_copy(&out->layout.origin, &t->layout.origin);
  weft_shape_copy(&out->layout.storage, &t->layout.storage);
  return WEFT_OK;
}

weft_status weft__exec_outputs(weft_exec *x, const weft__seg *s) {
  for (uint32_t k = 0; k < x->fn->n_out; k++) {
    uint32_t v = x->fn->out[k];
    if (v < s->v0 || v >= s->v1 || s->place[v - s->v0].kind != WEFT__AT_OUTPUT ||
        s->place[v - s->v0].output != k)
      continue;
    WEFT_TRY(take_output(x, s, s->tensor[v - s->v0], k));
  }
  for (uint32_t i = 0; i < s->n_given; i++) {
    const weft__place *p = &s->place[s->given[i] - s->v0];
    s->tensor[s->given[i] - s->v0]->data = (char *)weft__exec_out(x, s, p->output)->data + p->offset;
  }
  return WEFT_OK;
}

// ---- outputs that are not written in place ----
// Into memory that the caller gave.
weft_status weft__exec_copy_out(weft_exec *x, const weft_tensor *t, uint32_t k, weft_tensor *out) {
  if (out->capacity < t->bytes && out->bytes < t->bytes) {
    return weft_fail(x->d, WEFT_E_SHAPE, "graph output '%s': %zu bytes, the caller's tensor has %zu",
                     x->fn->value[x->fn->out[k]]->name, t->bytes, WEFT_MAX(out->capacity, out->bytes));
  }
  if (t->bytes)
    memmove(out->data, t->data, t->bytes);
  out->dtype = t->dtype;
  out->kind = t->kind;
  out->item_dtype = t->item_dtype;
  out->bytes = t->bytes;
  out->origin_format = t->origin_format;
  out->format = t->format;
  weft_shape_copy(&out->layout.origin, &t->layout.origin);
  weft_shape_copy(&out->layout.storage, &t->layout.storage);
  return WEFT_OK;
}

weft_status weft__exec_hand_out(weft_exec *x, weft__seg *s, uint32_t k) {
  uint32_t v = x->fn->out[k];
  const weft_tensor *t = weft__tensor_of(x, s, v);
  weft_tensor *out = x->out[k];
  uint32_t made = x->fn->n_in + x->fn->n_const;
  const weft__seg *at = s;
  while (v >= made && v < at->v0)
    at = at->parent;
  const weft__place *p = v >= made ? &at->place[v - at->v0] : NULL;
  if (p && p->kind == WEFT__AT_OUTPUT && p->output == k)
    return WEFT_OK;
  bool given = t->kind == WEFT_KIND_TENSOR && t->owned && t->alloc.fn == out->alloc.fn &&
               t->alloc.ctx == out->alloc.ctx;
  if (p && p->kind == WEFT__AT_BOX && p->output == k && !out->data && given) {
    bool again = false;  // another output that still has to be copied from it
    for (uint32_t j = k + 1; j < x->fn->n_out; j++)
      again |= weft__tensor_of(x, s, x->fn->out[j])->data == t->data;
    if (!again) {
      x->root->live_bytes -= WEFT_MIN(x->root->live_bytes, t->capacity);
      if (!weft__cache_charges(&t->alloc))
        x->root->handed_bytes += t->capacity;
      *out = *t;
      weft_tensor_init((weft_tensor *)(uintptr_t)t, &x->cache->tensors);
      return WEFT_OK;
    }
  }
  if (!out->data || !weft__holds_numbers(t->kind, t->dtype)) {
    weft_allocator a = out->alloc;
    weft_tensor_deinit(out);
    weft_tensor_init(out, &a);
    WEFT_TRY(charge_output(x, k, weft__tensor_bytes_of_all(t)));
    return weft_tensor_copy(out, t, x->d);
  }
  return weft__exec_copy_out(x, t, k, out);
}
// SPDX-License-Identifier: Apache-2.0
