// attr_pool.c - attribute values read from text for callers outside the library, which have no arena.
#include "base/base.h"
#include "weft/attr.h"

struct weft_attr_pool {
  weft_arena arena;
};

weft_status weft_attr_pool_create(const weft_allocator *a, weft_attr_pool **out) {
  WEFT_NEED(NULL, out);
  weft_allocator alloc = a ? *a : weft_allocator_default();
  *out = weft__alloc(&alloc, sizeof **out, _Alignof(weft_attr_pool));
  if (!*out)
    return WEFT_E_NOMEM;
  weft__arena_init(&(*out)->arena, &alloc);
  return WEFT_OK;
}

void weft_attr_pool_destroy(weft_attr_pool *p) {
  if (!p)
    return;
  weft_allocator a = p->arena.alloc;
  weft__arena_deinit(&p->arena);
  weft__free(&a, p, sizeof *p, _Alignof(weft_attr_pool));
}

weft_status weft_attr_pool_parse(weft_attr_pool *p, const char *type, const char *text, weft_attr *out,
                                 weft_diag *d) {
  WEFT_NEED(d, p);
  WEFT_NEED(d, type);
  WEFT_NEED(d, text);
  WEFT_NEED(d, out);
  size_t used = 0;
  size_t n = strlen(text);
  weft_attr_type t = weft_attr_type_parse(type, strlen(type));
  if (t == WEFT_VT_NONE)
    return weft_fail(d, WEFT_E_TYPE, "'%s' is not an attribute type", type);
  WEFT_TRY(weft_attr_parse(t, text, n, &p->arena, out, &used, d));
  return used == n ? WEFT_OK : weft_fail(d, WEFT_E_SYNTAX, "'%s' goes on after the %s", text, type);
}
// SPDX-License-Identifier: Apache-2.0
