// run_dims.c - a model whose dims by name are given different sizes. Compiling relies on equal names being
// equal sizes, so the inputs are looked at first, and where they break a name the model is loaded
// again with a symbol for every dim of its inputs.
#include "dims.h"
#include "run.h"

// The inputs of one run. What is wrong with them is said when they are read to be run.
static void dims_look_at_set(const job *j, size_t number, dims_look *l) {
  static data_set set;
  const size_t n = weft_graph_n_inputs(l->g);
  weft_tensor *in = calloc(n + 1, sizeof *in);
  weft_diag quiet = {0};
  for (size_t i = 0; in && i < n; i++)
    weft_tensor_init(&in[i], NULL);
  l->n = 0;
  set_init(&set, j, number);
  weft_status s = in ? set_open(&set, j, l->g, &quiet) : WEFT_E_NOMEM;
  if (!s)
    s = read_inputs(j, &set, l->g, in, &quiet);
  for (size_t i = 0; !s && i < n; i++)
    dims_look_at(l, weft_graph_input_at(l->g, i), &in[i]);
  set_deinit(&set, j);
  for (size_t i = 0; in && i < n; i++)
    weft_tensor_deinit(&in[i]);
  free(in);
}

weft_status load_with_dims(const job *j, weft_env *e, bool apart, weft_graph **out, weft_diag *d) {
  WEFT_TRY(apart ? load_apart(e, j->model, out, d) : load_graph(e, j->model, out, d));
  weft_status s = set_shapes(*out, &j->shapes, d);
  if (!s)
    return WEFT_OK;
  weft_graph_destroy(*out);
  *out = NULL;
  return s;
}

weft_status load_for_inputs(const job *j, weft_env *e, weft_graph **out, bool *out_apart, weft_diag *d) {
  static dims_look look;
  job looking = *j;
  looking.looking = true;
  *out_apart = false;
  WEFT_TRY(load_with_dims(j, e, false, out, d));
  if (!dims_shared(*out))
    return WEFT_OK;
  look = (dims_look){.g = *out};
  for (size_t i = 0; i < (j->n_sets ? j->n_sets : 1) && !*look.broken; i++)
    dims_look_at_set(&looking, i, &look);
  if (!*look.broken || j->strict)
    return WEFT_OK;
  weft_graph_destroy(*out);
  *out_apart = true;
  WEFT_TRY(load_with_dims(j, e, true, out, d));
  if (!dims_shared(*out))
    dims_warn(&look);
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
