// states.c - states of a session from and to a .safetensors file: as constants of a graph that has nothing
// else, so that the file is read and written in one place (safetensors.c).
#include "base/allocated.h"
#include "ir/states.h"
#include "weft/weights.h"

static weft_status states_constant(weft_graph *g, weft_states *s, const char *name, weft_diag *d) {
  weft_tensor t;
  weft_tensor_init(&t, NULL);
  weft_status status = weft_states_read(s, name, &t, d);
  if (!status && !weft_graph_const(g, name, &t, WEFT_CONST_COPY, d))
    status = d->status;
  weft_tensor_deinit(&t);
  return status;
}

// All states as constants of a graph of its own.
static weft_status states_graph(weft_states *s, weft_graph **out, weft_diag *d) {
  weft_tensor_desc desc = {.size = sizeof desc};
  WEFT_TRY(weft_graph_create(weft__states_env(s), "states", out, d));
  weft_status status = WEFT_OK;
  for (size_t i = 0; !status && weft_states_at(s, i, &desc); i++)
    status = states_constant(*out, s, desc.name, d);
  if (status)
    weft_graph_destroy(*out);
  return status;
}

weft_status weft_states_save(weft_states *s, const char *path, weft_diag *d) {
  WEFT_NEED(d, s);
  WEFT_NEED(d, path);
  weft_diag own = {0};
  weft_graph *g;
  if (!d)
    d = &own;
  WEFT_TRY(states_graph(s, &g, d));
  weft_status status = weft_weights_save(g, path, d);
  weft_graph_destroy(g);
  return status;
}

static weft_status states_take(weft_states *s, const weft_graph *g, size_t found, const char *path,
                               weft_diag *d) {
  if (found != weft_graph_n_consts(g)) {
    return weft_fail(d, WEFT_E_NOT_FOUND,
                     "'%.300s' has %zu of the %zu states: a file that was saved for another model?", path,
                     found, weft_graph_n_consts(g));
  }
  for (size_t i = 0; i < weft_graph_n_consts(g); i++) {
    weft_value *v = weft_graph_const_at(g, i);
    const weft_tensor *t = weft_value_data(v);
    WEFT_TRY(weft__allocated(t != NULL, d));
    WEFT_TRY(weft_states_write(s, weft_value_name(v), t, d));
  }
  return WEFT_OK;
}

weft_status weft_states_load(weft_states *s, const char *path, weft_diag *d) {
  WEFT_NEED(d, s);
  WEFT_NEED(d, path);
  weft_diag own = {0};
  weft_graph *g;
  size_t found = 0;
  if (!d)
    d = &own;
  WEFT_TRY(states_graph(s, &g, d));
  weft_status status = WEFT_OK;
  if (weft_graph_n_consts(g))
    status = weft_weights_load(g, path, &found, d);
  if (!status)
    status = states_take(s, g, found, path, d);
  weft_graph_destroy(g);
  return status;
}
// SPDX-License-Identifier: Apache-2.0
