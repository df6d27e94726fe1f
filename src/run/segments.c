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

// Each list has what was used last in front, so its end is the oldest. What the run stands on stays.
static void segments_make_room(weft_exec *x, const weft__seg *parent) {
  while (x->n_segs >= x->o.max_shapes) {
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
      return;
    weft__seg *s = *at;
    *at = s->next;
    weft__seg_free(x, s);
  }
}

weft_status weft__seg_find(weft_exec *x, weft__seg *parent, const void *key, size_t key_bytes,
                           weft__seg **out) {
  weft__seg **list = parent ? &parent->children : &x->top;
  for (weft__seg **at = list; *at; at = &(*at)->next) {
    weft__seg *s = *at;
    if (s->key_bytes != key_bytes || (key_bytes && memcmp(s->key, key, key_bytes)))
      continue;
    // what was used last is looked at first
    *at = s->next;
    s->next = *list;
    *list = s;
    x->stats.plan_hits++;
    return *out = s, WEFT_OK;
  }
  segments_make_room(x, parent);
  list = parent ? &parent->children : &x->top;
  const weft_allocator *a = &x->cache->counted;
  weft__seg *s = weft__alloc(a, sizeof *s, _Alignof(weft__seg));
  WEFT_TRY(weft__allocated(s, x->d));
  memset(s, 0, sizeof *s);
  weft__arena_init(&s->mem, a);
  x->n_segs++;
  x->stats.plans++;
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
  s->next = *list;
  *list = s;
  return *out = s, WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
