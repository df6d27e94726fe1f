// meta.c - notes on a graph: text under a key, kept beside what is compared (graph.h). The map's order of
// insertion is the order of the notes; nothing is ever removed, so entry i is note i. Replaced texts stay in
// the arena until the end.
#include "ir/ir.h"

weft_status weft_graph_set_meta(weft_graph *g, const char *key, const char *value, weft_diag *d) {
  WEFT_NEED(d, g);
  WEFT_NEED(d, key);
  WEFT_NEED(d, value);
  if (!*key)
    return weft_fail(d, WEFT_E_INVALID, "graph '%s': a note needs a key and a text, got no key", g->name);
  weft_arena *a = &g->root->arena;
  size_t bytes = strlen(key);
  const char *have = weft__map_find(&g->meta, key, bytes);
  if (have && !strcmp(have, value))
    return WEFT_OK;
  char *text = weft__arena_strdup(a, value, strlen(value));
  const char *name =
      text && !have ? weft__arena_strdup(a, key, bytes) : key;  // the map keeps the key that it has
  if (!text || !name || weft__map_set(&g->meta, name, bytes, text))
    return weft_fail(d, WEFT_E_NOMEM, "graph '%s': out of memory for the note '%.100s'", g->name, key);
  return WEFT_OK;
}

size_t weft_graph_n_meta(const weft_graph *g) {
  if (!g)
    return 0;
  return g->meta.n;
}

weft_meta weft_graph_meta_at(const weft_graph *g, size_t i) {
  if (!g || i >= g->meta.n)
    return (weft_meta){0};
  return (weft_meta){g->meta.entries[i].key, g->meta.entries[i].value};
}

const char *weft_graph_find_meta(const weft_graph *g, const char *key) {
  if (!g || !key)
    return NULL;
  return weft__map_find(&g->meta, key, strlen(key));
}
// SPDX-License-Identifier: Apache-2.0
