// plugin.c - the plug-ins of an environment, each loaded on first use and kept; see weft/plugin.h.
#include "weft/plugin.h"

#include "op/plugin.h"
#include "op/proto.h"

static weft_status env_plugin(weft_env *e, weft__plugin_id id, const weft_plugin **out, weft_diag *d) {
  const weft_plugin *p = atomic_load_explicit(&e->plugins[id], memory_order_acquire);
  const weft__plugin_place place = {e->options.plugin_folder, e->options.any_root};
  weft_status s = p ? WEFT_OK : weft__plugin_load(id, &place, &p, d);
  if (s == WEFT_E_UNSUPPORTED)
    atomic_fetch_add(&e->plugins_missed, 1);
  if (!s)
    atomic_store_explicit(&e->plugins[id], p, memory_order_release);  // two threads find the same
  *out = p;
  return s;
}

weft_status weft__call_plugin(const weft_call *c, weft__plugin_id id, const weft_plugin **out) {
  return env_plugin(((const weft__call_state *)c->impl)->env, id, out, c->d);
}

size_t weft_plugin_count(void) {
  return WEFT__PLUGIN_COUNT;
}
const char *weft_plugin_name(size_t i) {
  return i < WEFT__PLUGIN_COUNT ? weft__plugin_table[i].name : "";
}
const char *weft_plugin_use(size_t i) {
  return i < WEFT__PLUGIN_COUNT ? weft__plugin_table[i].use : "";
}

weft_status weft_plugin_load(weft_env *e, size_t i, const char **out_library, weft_diag *d) {
  const weft_plugin *p;
  WEFT_NEED(d, e);
  if (i >= WEFT__PLUGIN_COUNT)
    return weft_fail(d, WEFT_E_INVALID, "plug-in %zu: there are %d", i, WEFT__PLUGIN_COUNT);
  WEFT_TRY(env_plugin(e, (weft__plugin_id)i, &p, d));
  if (out_library)
    *out_library = p->library;
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
