// notes.c - what an ONNX model says of itself. Of the model, as notes on the graph (weft_graph_meta_at):
// onnx.producer, onnx.ir_version, onnx.opset, onnx.domain, onnx.model_version, onnx.doc, and its
// metadata_props under their own keys. Of every graph, bodies too: onnx.graph_doc, metadata_props as
// "onnx.graph.KEY"; of its inputs, outputs, values and initializers "onnx.doc.NAME" and
// "onnx.value.NAME.KEY". Of a node, as attributes of the origin of its first primitive: "onnx.doc" and
// "onnx.metadata.KEY". Texts end at a zero byte; a key without text in front of one is left out.
#include "frontend/onnx/import.h"
#include "base/allocated.h"

static weft_status note(onnx_import *m, const char *key, onnx_str value) {
  const char *text = onnx_text(m, value);
  WEFT_TRY(weft__allocated(text, m->d));
  return weft_graph_set_meta(m->g, key, text, m->d);
}

static weft_status note_str(onnx_import *m, const char *key, onnx_str value) {
  return value.bytes ? note(m, key, value) : WEFT_OK;
}

static weft_status note_int(onnx_import *m, const char *key, int64_t v) {
  char text[24];
  int n = snprintf(text, sizeof text, "%lld", (long long)v);
  return v ? note(m, key, (onnx_str){text, (size_t)n}) : WEFT_OK;
}

// "pytorch 2.1"
static weft_status note_producer(onnx_import *m) {
  const onnx_str *name = &m->model->producer_name;
  const onnx_str *version = &m->model->producer_version;
  char text[512];
  int n = snprintf(text, sizeof text, "%.*s%s%.*s", (int)WEFT_MIN(name->bytes, 250), onnx_str_text(*name),
                   name->bytes && version->bytes ? " " : "", (int)WEFT_MIN(version->bytes, 250),
                   onnx_str_text(*version));
  return n > 0 ? note(m, "onnx.producer", (onnx_str){text, (size_t)n}) : WEFT_OK;
}

// "17, com.microsoft 1"
static weft_status note_opsets(onnx_import *m) {
  weft_text t;
  weft__text_init(&t, &m->env->alloc);
  for (size_t i = 0; i < m->model->opset_imports.n; i++) {
    const onnx_opset *o = &m->model->opset_imports.v[i];
    bool ours = !o->domain.bytes || onnx_str_is(o->domain, "ai.onnx");
    weft__text_addf(&t, "%s%.*s%s%lld", i ? ", " : "", ours ? 0 : (int)WEFT_MIN(o->domain.bytes, 100),
                    ours ? "" : o->domain.text, ours ? "" : " ", (long long)o->version);
  }
  weft_status s = t.failed ? weft_fail(m->d, WEFT_E_NOMEM, "out of memory")
                           : note_str(m, "onnx.opset", (onnx_str){t.v, t.n});
  weft__text_deinit(&t);
  return s;
}

// "PREFIXNAME.KEY"; NULL: out of memory.
static const char *long_key(onnx_import *m, const char *prefix, onnx_str name, onnx_str key) {
  size_t n = strlen(prefix);
  size_t at = n;
  char *text = weft__arena_alloc(m->arena, n + name.bytes + key.bytes + 2, 1);
  if (!text)
    return NULL;
  memcpy(text, prefix, n);
  if (name.bytes) {
    memcpy(text + at, name.text, name.bytes);
    at += name.bytes;
  }
  if (name.bytes && key.bytes)
    text[at++] = '.';
  if (key.bytes) {
    memcpy(text + at, key.text, key.bytes);
    at += key.bytes;
  }
  text[at] = 0;
  return text;
}

static weft_status note_props(onnx_import *m, const char *prefix, onnx_str name, const onnx_pairs *props) {
  for (size_t i = 0; i < props->n; i++) {
    const char *key = long_key(m, prefix, name, props->v[i].key);
    WEFT_TRY(weft__allocated(key, m->d));
    if (props->v[i].key.bytes && key[strlen(prefix)])
      WEFT_TRY(note(m, key, props->v[i].value));
  }
  return WEFT_OK;
}

static weft_status note_doc(onnx_import *m, onnx_str name, onnx_str doc) {
  if (!doc.bytes || !name.bytes)
    return WEFT_OK;
  const char *key = long_key(m, "onnx.doc.", name, (onnx_str){NULL, 0});
  return key ? note(m, key, doc) : weft_fail(m->d, WEFT_E_NOMEM, "out of memory");
}

static weft_status note_values(onnx_import *m, const onnx_value_infos *v) {
  for (size_t i = 0; i < v->n; i++) {
    WEFT_TRY(note_doc(m, v->v[i].name, v->v[i].doc));
    if (v->v[i].name.bytes)
      WEFT_TRY(note_props(m, "onnx.value.", v->v[i].name, &v->v[i].metadata_props));
  }
  return WEFT_OK;
}

weft_status onnx_graph_notes(onnx_import *m) {
  static const onnx_str none = {NULL, 0};
  const onnx_graph *g = m->graph;
  WEFT_TRY(note_values(m, &g->inputs));
  WEFT_TRY(note_values(m, &g->outputs));
  WEFT_TRY(note_values(m, &g->value_infos));
  for (size_t i = 0; i < g->initializers.n; i++)
    WEFT_TRY(note_doc(m, g->initializers.v[i].name, g->initializers.v[i].doc));
  WEFT_TRY(note_props(m, "onnx.graph.", none, &g->metadata_props));
  return note_str(m, "onnx.graph_doc", g->doc);
}

// Our own keys come last, so that a property of the same name does not replace them.
weft_status onnx_notes(onnx_import *m) {
  static const onnx_str none = {NULL, 0};
  WEFT_TRY(note_props(m, "", none, &m->model->metadata_props));
  WEFT_TRY(onnx_graph_notes(m));
  WEFT_TRY(note_producer(m));
  WEFT_TRY(note_int(m, "onnx.ir_version", m->model->ir_version));
  WEFT_TRY(note_opsets(m));
  WEFT_TRY(note_str(m, "onnx.domain", m->model->domain));
  WEFT_TRY(note_int(m, "onnx.model_version", m->model->model_version));
  return note_str(m, "onnx.doc", m->model->doc);
}

weft_status onnx_node_notes(onnx_import *m, const onnx_node *n, weft_named_attr **out, size_t *out_n) {
  static const onnx_str none = {NULL, 0};
  *out = NULL;
  *out_n = 0;
  if (!n->doc.bytes && !n->metadata_props.n)
    return WEFT_OK;
  weft_named_attr *v = WEFT_NEW_N(m->arena, weft_named_attr, n->metadata_props.n + 1);
  WEFT_TRY(weft__allocated(v, m->d));
  if (n->doc.bytes)
    v[(*out_n)++] = (weft_named_attr){"onnx.doc", weft_attr_str(n->doc.text, n->doc.bytes)};
  for (size_t i = 0; i < n->metadata_props.n; i++) {
    const onnx_pair *p = &n->metadata_props.v[i];
    const char *key = long_key(m, "onnx.metadata.", none, p->key);
    WEFT_TRY(weft__allocated(key, m->d));
    if (!p->key.bytes)
      continue;
    v[(*out_n)++] = (weft_named_attr){key, weft_attr_str(onnx_str_text(p->value), p->value.bytes)};
  }
  *out = v;
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
