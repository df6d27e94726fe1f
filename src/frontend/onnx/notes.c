// notes.c - what an ONNX model says of itself, as notes on the graph (weft_graph_meta_at): onnx.producer,
// onnx.ir_version, onnx.opset, onnx.domain, onnx.model_version, onnx.doc, onnx.graph_doc; then the model's
// metadata_props under their own keys and the graph's as "onnx.graph.KEY". Texts end at a zero byte; a key
// without text in front of one is left out.
#include "frontend/onnx/import.h"

static weft_status note(onnx_import *m, const char *key, onnx_str value) {
  const char *text = onnx_text(m, value);
  if (!text) return weft_fail(m->d, WEFT_E_NOMEM, "out of memory");
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
  const onnx_str *name = &m->model->producer_name, *version = &m->model->producer_version;
  char text[512];
  int n = snprintf(text, sizeof text, "%.*s%s%.*s", (int)WEFT_MIN(name->bytes, 250),
                   name->text ? name->text : "", name->bytes && version->bytes ? " " : "",
                   (int)WEFT_MIN(version->bytes, 250), version->text ? version->text : "");
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

static weft_status note_props(onnx_import *m, const char *prefix, const onnx_pairs *props) {
  for (size_t i = 0; i < props->n; i++) {
    size_t n = strlen(prefix), bytes = props->v[i].key.bytes;
    char *key = weft__arena_alloc(m->arena, n + bytes + 1, 1);
    if (!key) return weft_fail(m->d, WEFT_E_NOMEM, "out of memory");
    memcpy(key, prefix, n);
    if (bytes) memcpy(key + n, props->v[i].key.text, bytes);
    key[n + bytes] = 0;
    if (key[n]) WEFT_TRY(note(m, key, props->v[i].value));
  }
  return WEFT_OK;
}

// Our own keys come last, so that a property of the same name does not replace them.
weft_status onnx_notes(onnx_import *m) {
  WEFT_TRY(note_props(m, "", &m->model->metadata_props));
  WEFT_TRY(note_props(m, "onnx.graph.", &m->graph->metadata_props));
  WEFT_TRY(note_producer(m));
  WEFT_TRY(note_int(m, "onnx.ir_version", m->model->ir_version));
  WEFT_TRY(note_opsets(m));
  WEFT_TRY(note_str(m, "onnx.domain", m->model->domain));
  WEFT_TRY(note_int(m, "onnx.model_version", m->model->model_version));
  WEFT_TRY(note_str(m, "onnx.doc", m->model->doc));
  return note_str(m, "onnx.graph_doc", m->graph->doc);
}
