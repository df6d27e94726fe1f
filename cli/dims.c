// dims.c - do inputs give dims of one name different sizes? See dims.h.
#include "dims.h"

bool dims_shared(const weft_graph *g) {
  weft_dim all[DIMS_MOST];
  weft_tensor_desc desc;
  size_t n = 0;
  for (size_t i = 0; i < weft_graph_n_inputs(g); i++) {
    weft_value_desc(weft_graph_input_at(g, i), &desc);
    const weft_shape *s = &desc.layout.origin;
    const size_t rank = weft_shape_is_unknown_rank(s) ? 0 : s->rank;
    for (size_t k = 0; k < rank && n < DIMS_MOST; k++) {
      if (!weft_dim_is_symbol(s->dim[k]))
        continue;
      for (size_t m = 0; m < n; m++) {
        if (weft_dim_same(all[m], s->dim[k]))
          return true;
      }
      all[n++] = s->dim[k];
    }
  }
  return false;
}

static void dims_note(dims_look *l, const dims_seen *was, const char *input, int64_t size) {
  char name[128];
  weft_dim_text(weft_graph_symbols(l->g), was->dim, name, sizeof name);
  snprintf(l->broken, sizeof l->broken, "dim '%s' is %lld in input '%.100s' and %lld in input '%.100s'", name,
           (long long)was->size, was->input, (long long)size, input);
}

void dims_look_at(dims_look *l, const weft_value *v, const weft_tensor *t) {
  weft_tensor_desc desc;
  weft_value_desc(v, &desc);
  const weft_shape *s = &desc.layout.origin;
  const weft_shape *got = &t->layout.origin;
  if (weft_shape_is_unknown_rank(s) || t->kind != WEFT_KIND_TENSOR || got->rank != s->rank)
    return;
  for (size_t k = 0; k < s->rank; k++) {
    const dims_seen *was = NULL;
    if (!weft_dim_is_symbol(s->dim[k]))
      continue;
    for (size_t m = 0; m < l->n && !was; m++) {
      if (weft_dim_same(l->seen[m].dim, s->dim[k]))
        was = &l->seen[m];
    }
    if (was && was->size != got->dim[k] && !*l->broken)
      dims_note(l, was, weft_value_name(v), got->dim[k]);
    if (!was && l->n < DIMS_MOST)
      l->seen[l->n++] = (dims_seen){s->dim[k], got->dim[k], weft_value_name(v)};
  }
}

weft_status load_apart(weft_env *e, const char *path, weft_graph **out, weft_diag *d) {
  const weft_onnx_options apart = {.size = sizeof apart, .separate_dims = true};
  return load_graph_with(e, path, &apart, out, d);
}

void dims_warn(const dims_look *l) {
  fprintf(stderr, "weft: warning: %s: nothing relies on names of dims in this run (--strict refuses it)\n",
          l->broken);
}
// SPDX-License-Identifier: Apache-2.0
