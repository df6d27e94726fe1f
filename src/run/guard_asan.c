// guard_asan.c - guards by AddressSanitizer: during a launch that runs alone the arena and the caller's
// outputs are poisoned but for the launch's inputs, outputs and workspaces, so that the report names the line
// that reads or writes beside them. Cost: an eighth of the arena is written for each launch.
#include <sanitizer/asan_interface.h>

#include "run/guard.h"

static void open_tensors(const weft_tensor *const *t, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    if (t[i]->data && t[i]->kind == WEFT_KIND_TENSOR)
      __asan_unpoison_memory_region(t[i]->data, t[i]->bytes);
  }
}

static void poison_outputs(const weft_exec *x, const weft__seg *s, const weft__launch *l, bool on) {
  uint32_t v = x->fn->first_out[l->node] - s->v0;
  for (uint32_t i = 0; i < l->call.n_out; i++) {
    const weft__place *p = &s->place[v + i];
    if (p->kind != WEFT__AT_OUTPUT)
      continue;
    const weft_tensor *out = weft__exec_out(x, s, p->output);
    if (on)
      __asan_poison_memory_region(out->data, out->bytes);
    else
      __asan_unpoison_memory_region(out->data, out->bytes);
  }
}

void weft__poison_around(const weft_exec *x, const weft__seg *s, const weft__launch *l) {
  if (x->arena)
    __asan_poison_memory_region(x->arena, x->arena_bytes);
  poison_outputs(x, s, l, true);
  open_tensors(l->call.in, l->call.n_in);
  open_tensors((const weft_tensor *const *)l->call.out, l->call.n_out);
  for (uint32_t k = 0; k < l->n_workspaces; k++)
    __asan_unpoison_memory_region(l->block.workspace[k], l->workspace_bytes[k]);
}

void weft__poison_end(const weft_exec *x, const weft__seg *s, const weft__launch *l) {
  if (x->arena)
    __asan_unpoison_memory_region(x->arena, x->arena_bytes);
  poison_outputs(x, s, l, false);
}
// SPDX-License-Identifier: Apache-2.0
