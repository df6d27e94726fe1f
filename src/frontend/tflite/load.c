// load.c - a TFLite model becomes a graph: inputs and outputs are those of the main subgraph, called what the
// signature calls them.
#include "frontend/tflite/load.h"

#include "base/allocated.h"
#include "base/told.h"
#include "frontend/tflite/tflite.h"

static void load_rows(tl_import *m) {
  for (size_t k = 0; k < tl_table_count; k++) {
    for (size_t i = 0; i < tl_tables[k]->n; i++)
      m->rows[tl_tables[k]->v[i].code] = &tl_tables[k]->v[i];
  }
}

// serving_default, or the first; NULL: the model has none.
static const tl_signature *load_signature(const tl_import *m) {
  for (size_t i = 0; i < m->n_signatures; i++) {
    if (!strcmp(m->signatures[i].key, "serving_default"))
      return &m->signatures[i];
  }
  return m->n_signatures ? &m->signatures[0] : NULL;
}

// What the signature calls end i, or the tensor's own name. One tensor may be several outputs: they have
// their names in turn.
static weft_status load_name(tl_import *m, const tl_subgraph *g, const flat_list *ends,
                             const flat_list *names, size_t i, const char **out) {
  uint32_t tensor = flat_u32_at(&m->file, ends, i);
  size_t before = 0;
  *out = g->tensors[tensor].name;
  for (size_t k = 0; k < i; k++)
    before += flat_u32_at(&m->file, ends, k) == tensor;
  for (size_t k = 0; names && k < names->n; k++) {
    flat_table t = flat_item(&m->file, names, k);
    if (flat_u32(&m->file, &t, 1, 0) != tensor || m->file.failed || before--)
      continue;
    *out = tl_text(m, flat_string(&m->file, &t, 0));
    WEFT_TRY(m->file.failed);
    return weft__allocated(*out, m->f.d);
  }
  return m->file.failed;
}

static weft_status load_input(tl_import *m, const tl_tensor *t, const char *name, weft_value **out) {
  weft_tensor_desc desc;
  if (t->t == WEFT_UNDEFINED)
    return weft_fail(m->f.d, WEFT_E_DTYPE, "input '%.200s' has tensor type %d, which is not read", name,
                     t->type);
  weft_desc_init(&desc);
  desc.dtype = t->t;
  if (t->rank >= 0)
    WEFT_TRY(weft_desc_set(&desc, t->t, WEFT_ND, t->dims, (size_t)t->rank));
  else {
    weft_shape_set_unknown_rank(&desc.layout.origin);
    weft_shape_set_unknown_rank(&desc.layout.storage);
  }
  *out = weft_graph_input_desc(m->f.g, name, &desc, m->f.d);
  return *out ? WEFT_OK : m->f.d->status;
}

static weft_status load_scope(tl_import *m, front_scope *s, tl_subgraph *g, const tl_signature *sig) {
  const char *name;
  weft_value **in = WEFT_NEW_N(&m->f.arena, weft_value *, g->in.n + 1);
  tl_call c = {.s = s, .subgraph = g->index, .in = in, .n = g->in.n};
  WEFT_TRY(weft__allocated(in, m->f.d));
  for (size_t i = 0; i < g->in.n; i++) {
    uint32_t k = flat_u32_at(&m->file, &g->in, i);
    WEFT_TRY(load_name(m, g, &g->in, sig ? &sig->in : NULL, i, &name));
    WEFT_TRY(load_input(m, &g->tensors[k], name, &in[i]));
  }
  WEFT_TRY(weft__name_dims(m->f.g, m->f.d));
  WEFT_TRY(tl_inline(m, &c));
  for (size_t i = 0; i < c.n_out; i++) {
    WEFT_TRY(load_name(m, g, &g->out, sig ? &sig->out : NULL, i, &name));
    WEFT_TRY(front_output(&m->f, s, c.out[i], name));
  }
  return WEFT_OK;
}

static weft_status load_fill(tl_import *m) {
  front_scope s;
  WEFT_TRY(tl_read_model(m));
  load_rows(m);
  const tl_signature *sig = load_signature(m);
  tl_subgraph *g = &m->subgraphs[sig ? sig->subgraph : 0];
  if (!g->out.n)
    return weft_fail(m->f.d, WEFT_E_MISSING, "subgraph %zu '%.100s' has no outputs", g->index, g->name);
  if (g->out.n > TL_MAX_OUTPUTS || g->in.n > TL_MAX_OUTPUTS)
    return weft_fail(m->f.d, WEFT_E_LIMIT, "%zu inputs and %zu outputs, at most %d each", g->in.n, g->out.n,
                     (int)TL_MAX_OUTPUTS);
  WEFT_TRY(tl_scan(m, g, 0));
  WEFT_TRY(front_unknown_all(&m->f));
  WEFT_TRY(weft__graph_expect(m->f.g, 2 * g->n_ops, 2 * g->n_tensors, m->f.d));
  WEFT_TRY(front_scope_begin(&m->f, &s, m->f.g, 0));
  weft_status st = load_scope(m, &s, g, sig);
  front_scope_end(&s);
  return st;
}

weft_status weft__tflite_read(weft_env *e, const weft_file *file, const char *name, weft_graph **out,
                              weft_diag *d) {
  tl_import m;
  memset(&m, 0, sizeof m);
  *out = NULL;
  WEFT_TRY(front_begin(&m.f, e, "TFLite", name, d));
  m.file = (flat){.data = file->data, .bytes = file->bytes, .file = file, .d = m.f.d};
  return weft__told(front_end(&m.f, load_fill(&m), out), d);
}

bool weft__tflite_begins(const void *data, size_t bytes) {
  return bytes >= 8 && !memcmp((const char *)data + 4, "TFL3", 4);
}
// SPDX-License-Identifier: Apache-2.0
