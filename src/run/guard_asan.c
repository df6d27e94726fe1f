// guard_asan.c - guards by AddressSanitizer: during a launch the arena and the caller's outputs are poisoned
// but for the launch's inputs, outputs and workspaces, so that the report names the line that reads or writes
// beside them. Cost: an eighth of the arena is written for each launch.
#include <sanitizer/asan_interface.h>

#include "run/guard.h"

const size_t weft__guard_margin = 0;  // the allocator's own red zones are there

weft_status weft__guard_plan(weft_exec *x, weft__seg *s) {
  (void)x, (void)s;
  return WEFT_OK;
}

static void open_tensors(const weft_tensor *const *t, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    if (t[i]->data && t[i]->kind == WEFT_KIND_TENSOR) __asan_unpoison_memory_region(t[i]->data, t[i]->bytes);
}

static void poison_outputs(const weft_exec *x, const weft__seg *s, const weft__launch *l, bool on) {
  uint32_t v = x->fn->first_out[l->node] - s->v0;
  for (uint32_t i = 0; i < l->call.n_out; i++) {
    if (s->place[v + i].kind != WEFT__AT_OUTPUT) continue;
    weft__ground g = weft__guard_ground(x, &s->place[v + i], 0);
    if (on)
      __asan_poison_memory_region(g.begin, (size_t)(g.end - g.begin));
    else
      __asan_unpoison_memory_region(g.begin, (size_t)(g.end - g.begin));
  }
}

void weft__guard_begin(weft_exec *x, weft__seg *s, weft__launch *l) {
  if (!weft__guarded(l) || !x->arena) return;
  __asan_poison_memory_region(x->arena, x->arena_bytes);
  poison_outputs(x, s, l, true);
  open_tensors(l->call.in, l->call.n_in);
  open_tensors((const weft_tensor *const *)l->call.out, l->call.n_out);
  for (uint32_t k = 0; k < l->n_workspaces; k++)
    __asan_unpoison_memory_region(l->block.workspace[k], l->workspace_bytes[k]);
}

weft_status weft__guard_end(weft_exec *x, weft__seg *s, weft__launch *l, weft_status status, weft_diag *d) {
  (void)d;
  if (!weft__guarded(l) || !x->arena) return status;
  __asan_unpoison_memory_region(x->arena, x->arena_bytes);
  poison_outputs(x, s, l, false);
  return status;
}
