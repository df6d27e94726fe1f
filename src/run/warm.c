// warm.c - what the first run would do beside a run, done before it: memory is taken and touched, threads are
// started, kernels are tried (rehearse.c), and segments whose shapes only a run will tell are planned for the
// largest that they can have, which packs their weights. Outputs of the caller's that have no memory get what
// was touched here for them, when their allocator is the default one; what the first run leaves goes back at
// its end.
#include "base/pool.h"
#include "run/run.h"

static bool in_place(const weft__seg *s, uint32_t v, uint32_t k) {
  return v >= s->v0 && v < s->v1 && s->place[v - s->v0].kind == WEFT__AT_OUTPUT &&
         s->place[v - s->v0].output == k;
}

void weft__spares_free(weft_exec *x) {
  for (uint32_t k = 0; x->spare && k < x->fn->n_out; k++)
    weft_tensor_deinit(&x->spare[k]);
  weft__free(&x->cache->counted, x->spare, x->fn->n_out * sizeof *x->spare, 16);
  x->spare = NULL;
}

bool weft__spare_take(weft_exec *x, uint32_t k, const weft_tensor *like, weft_tensor *out) {
  weft_tensor *s = x->spare ? &x->spare[k] : NULL;
  if (!s || !s->owned || s->capacity != WEFT_MAX(like->bytes, 1) || out->owned ||
      (out->alloc.fn && out->alloc.fn != s->alloc.fn))
    return false;
  out->data = s->data;
  out->capacity = s->capacity;
  out->owned = 1;
  weft_tensor_init(s, NULL);
  return true;
}

// Without memory for them the run is as good: it asks itself.
static void make_spares(weft_exec *x) {
  const weft__fn *f = x->fn;
  weft_diag quiet = {0};
  weft__spares_free(x);
  x->spare = weft__alloc(&x->cache->counted, f->n_out * sizeof *x->spare, 16);
  for (uint32_t k = 0; x->spare && k < f->n_out; k++) {
    weft_tensor *to = &x->spare[k];
    weft_tensor_init(to, NULL);
    if (!in_place(x->hot, f->out[k], k))
      continue;
    const weft_tensor *t = x->hot->tensor[f->out[k] - x->hot->v0];
    if (weft_tensor_alloc_layout(to, t->dtype, &t->layout, t->origin_format, t->format, &quiet))
      continue;
    weft__pages_touch(to->data, to->capacity);
  }
}

static void warm_nothing(void *ctx, uint32_t block) {
  (void)ctx;
  (void)block;
}

weft_status weft_exec_warm_up(weft_exec *x, weft_diag *d) {
  WEFT_NEED(d, x);
  if (!x->hot)
    return weft_fail(d, WEFT_E_STATE, "nothing was planned yet: call weft_exec_prepare first");
  weft_diag_clear(&x->diag);
  weft__allowance before = weft__exec_begin(x);
  weft_status s = weft__budget_end(&x->budget, &before, weft__exec_room(x, x->hot), &x->diag);
  if (s)
    return weft_fail(d, s, "%s", x->diag.text);
  weft__pages_touch(x->arena, x->arena_bytes);
  make_spares(x);
  weft__pool_run(x->pool, warm_nothing, NULL, weft__pool_threads(x->pool));
  weft__rehearse(x, x->hot);
  for (weft__seg *at = x->hot; at;)
    at = weft__seg_largest(x, at);
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
