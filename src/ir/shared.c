// shared.c - small constants that a builder makes again and again: an axis, a permutation. Equal ones, in
// dtype, shape and bytes, are one value. Only what was shared is found; a constant that was removed is not.
// O(1) on average.
#include "ir/ir.h"

enum { MOST_BYTES = 64 };

typedef struct key {
  size_t bytes;
  uint8_t data[8 + WEFT_MAX_RANK * sizeof(weft_dim) + MOST_BYTES];
} key;

static bool make_key(const weft_tensor *t, key *k) {
  const weft_shape *s = &t->layout.origin;
  if (t->kind != WEFT_KIND_TENSOR || t->dtype == WEFT_STRING || !t->data || t->bytes > MOST_BYTES)
    return false;
  uint32_t head[2] = {(uint32_t)t->dtype, (uint32_t)s->rank};
  size_t dims = s->rank * sizeof *s->dim;
  memcpy(k->data, head, sizeof head);
  if (dims)
    memcpy(k->data + sizeof head, s->dim, dims);
  if (t->bytes)
    memcpy(k->data + sizeof head + dims, t->data, t->bytes);
  k->bytes = sizeof head + dims + t->bytes;
  return true;
}

weft_value *weft__const_find(const weft_graph *g, const weft_tensor *t) {
  key k;
  weft_value *v = make_key(t, &k) ? weft__map_find(&g->shared, (const char *)k.data, k.bytes) : NULL;
  return v && v->graph == g ? v : NULL;
}

weft_status weft__const_share(weft_value *v, weft_diag *d) {
  weft_graph *g = v->graph;
  key k;
  if (!make_key(v->fact.value, &k))
    return WEFT_OK;
  const char *kept = weft__arena_strdup(&g->root->arena, (const char *)k.data, k.bytes);
  if (!kept || weft__map_set(&g->shared, kept, k.bytes, v))
    return weft_fail(d, WEFT_E_NOMEM, "graph '%s': constant '%s': out of memory", g->name, v->name);
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
