// segments.c - the tree of plans: found by key, made when new, the oldest given back when there are too many.
#include "run/run.h"
#include "base/allocated.h"

void weft__seg_free(weft_exec *x, weft__seg *s) {
  const weft_allocator *a = &x->cache->counted;
  while (s->children) {
    weft__seg *c = s->children;
    s->children = c->next;
    weft__seg_free(x, c);
  }
  for (size_t i = 0; i < s->known.n; i++) {
    weft_tensor_deinit(s->known.v[i]);
    weft__free(a, s->known.v[i], sizeof(weft_tensor), _Alignof(weft_tensor));
  }
  WEFT_VEC_FREE(a, s->known);
  weft__streams_free(x, s);
  weft__arena_deinit(&s->mem);
  weft__free(a, s, sizeof *s, _Alignof(weft__seg));
  x->n_segs--;
}

// Gives plans back until `most` are left. Each list has what was used last in front, so its end is the
// oldest. What the run stands on stays. False: there was nothing to give back.
static bool segments_keep(weft_exec *x, const weft__seg *parent, uint32_t most) {
  bool any = false;
  while (x->n_segs > most) {
    weft__seg **list = &x->top;
    weft__seg **at = NULL;
    while (*list) {
      for (at = list; (*at)->next;)
        at = &(*at)->next;
      bool needed = false;
      for (const weft__seg *p = parent; p; p = p->parent)
        needed |= p == *at;
      if (!needed)
        break;
      list = &(*at)->children;
    }
    if (!*list)
      break;
    weft__seg *s = *at;
    *at = s->next;
    weft__seg_free(x, s);
    any = true;
  }
  return any;
}

static weft_status make_plan(weft_exec *x, weft__seg *parent, const void *key, size_t key_bytes,
                             weft__seg **out) {
  const weft_allocator *a = &x->cache->counted;
  weft__seg *s = weft__alloc(a, sizeof *s, _Alignof(weft__seg));
  WEFT_TRY(weft__allocated(s, x->d));
  memset(s, 0, sizeof *s);
  weft__arena_init(&s->mem, a);
  x->n_segs++;
  char *copy = weft__arena_alloc(&s->mem, key_bytes + 1, 8);
  weft_status status = WEFT_OK;
  if (!copy)
    status = weft_fail(x->d, WEFT_E_NOMEM, "out of memory");
  else {
    if (key_bytes)
      memcpy(copy, key, key_bytes);
    s->key = (const uint8_t *)copy;
    s->key_bytes = key_bytes;
    status = weft__seg_build(x, parent, s);
  }
  if (status) {
    weft__seg_free(x, s);
    return status;
  }
  s->generation = UINT32_MAX;
  x->stats.plans++;
  return *out = s, WEFT_OK;
}

weft_status weft__seg_find(weft_exec *x, weft__seg *parent, const void *key, size_t key_bytes,
                           weft__seg **out) {
  weft__seg *s = NULL;
  weft__seg **list = parent ? &parent->children : &x->top;
  for (weft__seg **at = list; *at; at = &(*at)->next) {
    s = *at;
    if (s->key_bytes != key_bytes || (key_bytes && memcmp(s->key, key, key_bytes)))
      continue;
    // what was used last is looked at first
    *at = s->next;
    s->next = *list;
    *list = s;
    x->stats.plan_hits++;
    return *out = s, WEFT_OK;
  }
  segments_keep(x, parent, x->o.max_shapes - 1);
  weft_status status = make_plan(x, parent, key, key_bytes, &s);
  if (status == WEFT_E_NOMEM && weft__budget_is_short(&x->root->budget) && segments_keep(x, parent, 0)) {
    weft_diag_clear(x->d);  // without the plans for other shapes there may be room
    status = make_plan(x, parent, key, key_bytes, &s);
  }
  WEFT_TRY(status);
  list = parent ? &parent->children : &x->top;
  s->next = *list;
  *list = s;
  return *out = s, WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
