// edit_facts.c - what inference knows of a model being changed, and value_infos made from it.
#include "frontend/onnx/edit.h"
#include "weft/onnx.h"

// Tensors in external files cannot be read from memory: for inference they are inputs, so that shapes are
// known and values are not.
static weft_status without_external(onnx_edit *e, weft_text *out) {
  weft_text t;
  onnxw w;
  size_t at = e->new_infos.n;
  for (size_t i = 0; i < e->n_tensors; i++) {
    edit_tensor *x = &e->tensors[i];
    if (!weft__edit_external(x->t))
      continue;
    x->gone = true;
    weft_tensor_desc desc;
    weft_dtype dtype;
    weft_desc_init(&desc);
    if (!weft__onnx_dtype(x->t->data_type, &dtype) ||
        weft_desc_set(&desc, dtype, WEFT_ND, x->t->dims.v, x->t->dims.n)) {
      return weft_fail(e->d, WEFT_E_DTYPE, "initializer '%s': element type %d, rank %zu", x->value->text,
                       x->t->data_type, (size_t)x->t->dims.n);
    }
    if (x->value->input)
      continue;
    onnx_str payload;
    weft__text_init(&t, &e->env->alloc);
    onnxw_init(&w, &t);
    onnxw_bytes(&w, 1, x->value->text, x->value->name.bytes);
    weft__edit_put_type(&w, 2, &desc, NULL, NULL);
    WEFT_TRY(weft__edit_take(e, &w, &t, &payload));
    WEFT_TRY(weft__edit_add_info(e, 11, x->value, payload));
  }
  weft_status s = weft__edit_write(e, out);
  for (size_t i = 0; i < e->n_tensors; i++) {
    if (weft__edit_external(e->tensors[i].t))
      e->tensors[i].gone = false;
  }
  e->new_infos.n = at;
  return s;
}

// With the files beside the model, where the caller said where they are. E_STATE: they are not to be had.
static weft_status read_with_files(onnx_edit *e) {
  edit_external *x = e->external;
  if (!x || !x->files || x->off)
    return WEFT_E_STATE;
  weft_diag_clear(&x->why);
  const onnx_source from = {.data = e->file.text, .bytes = e->file.bytes, .name = e->name, .files = x->files};
  weft_status s = weft__onnx_read_files(e->env, &from, NULL, &e->g, &x->why);
  onnx_files_settle(x->files);  // its keys are names of this model
  if (s == WEFT_E_NOMEM)
    return weft_fail(e->d, s, "%s", x->why.text);
  return s ? WEFT_E_STATE : WEFT_OK;
}

static weft_status edit_facts_infer(onnx_edit *e, size_t max_value_bytes) {
  weft_infer_options o = {.size = sizeof o,
                          .max_value_elems = (uint32_t)WEFT_MIN(max_value_bytes, UINT32_MAX / 64)};
  weft_status s = weft_graph_infer(e->g, &o, NULL, e->d);
  if (s)
    weft_note(e->d, "while inferring the model '%s'", e->name);
  return s;
}

weft_status weft__edit_infer(onnx_edit *e, size_t max_value_bytes) {
  weft_text *text = NULL;
  onnx_str file = e->file;
  bool external = false;
  for (size_t i = 0; i < e->n_tensors; i++)
    external |= weft__edit_external(e->tensors[i].t);
  weft_status got = read_with_files(e);
  if (!got)
    return edit_facts_infer(e, max_value_bytes);
  if (got != WEFT_E_STATE)
    return got;
  if (external) {
    text = WEFT_NEW(&e->arena, weft_text);
    WEFT_TRY(weft__edit_allocated(text, e));
    weft__text_init(text, &e->env->alloc);
    weft_status s = without_external(e, text);
    file = (onnx_str){weft__arena_strdup(&e->arena, text->v ? text->v : "", text->n), text->n};
    weft__text_deinit(text);
    WEFT_TRY(s);
    WEFT_TRY(weft__edit_allocated(file.text, e));
  }
  WEFT_TRY(weft_onnx_read(e->env, file.text, file.bytes, e->name, &e->g, e->d));
  if (external && e->external && e->external->files && !e->external->off) {
    weft__edit_say(e, "note: the external data cannot be read, values of them are not known: %s",
                   e->external->why.text);
    e->external->off = true;
  }
  return edit_facts_infer(e, max_value_bytes);
}

weft_value *weft__edit_fact(const onnx_edit *e, const edit_value *v) {
  return e->g && v->name.bytes && strlen(v->text) == v->name.bytes ? weft_graph_find_value(e->g, v->text)
                                                                   : NULL;
}

bool weft__edit_desc(const onnx_edit *e, const edit_value *v, weft_tensor_desc *out) {
  const weft_value *fact = weft__edit_fact(e, v);
  if (!fact)
    return false;
  weft_value_desc(fact, out);
  return out->dtype != WEFT_UNDEFINED;
}

const weft_tensor *weft__edit_data(const onnx_edit *e, const edit_value *v) {
  if (v->init && v->init->data)
    return v->init->data;
  const weft_value *fact = weft__edit_fact(e, v);
  const weft_tensor *t = fact ? weft_value_data(fact) : NULL;
  return t && t->kind == WEFT_KIND_TENSOR && t->data ? t : NULL;
}

// Inference follows shape arithmetic as lists of numbers, symbols (at most WEFT_DIM_SYMBOL_LIMIT) and unknown
// ones.
const weft_tensor *weft__edit_known(onnx_edit *e, const edit_value *v) {
  const weft_tensor *data = weft__edit_data(e, v);
  const weft_value *value = data ? NULL : weft__edit_fact(e, v);
  const weft_fact *f = value ? &value->fact : NULL;
  if (!f || !f->elems || f->kind != WEFT_KIND_TENSOR || !weft__fact_known(f))
    return data;
  if (f->dtype != WEFT_INT64 && f->dtype != WEFT_INT32)
    return NULL;
  int64_t count = 1;
  for (uint32_t i = 0; i < f->rank; i++) {
    if (!weft__mul_i64(count, f->dims[i], &count))
      return NULL;
  }
  if (count != (int64_t)f->n_elems)
    return NULL;
  for (uint32_t i = 0; i < f->n_elems; i++) {
    if (f->elems[i] <= WEFT_DIM_SYMBOL_LIMIT)
      return NULL;
  }
  weft_tensor *t = WEFT_NEW(&e->arena, weft_tensor);
  int64_t *to = WEFT_NEW_N(&e->arena, int64_t, f->n_elems + (size_t)1);
  if (!t || !to)
    return NULL;
  for (uint32_t i = 0; i < f->n_elems; i++)
    weft_store_i64(f->dtype, to, i, f->elems[i]);
  weft_tensor_init(t, &e->env->alloc);
  size_t bytes = f->n_elems * (size_t)(weft_dtype_bits(f->dtype) / 8);
  return weft_tensor_borrow(t, f->dtype, f->dims, f->rank, to, bytes, NULL) ? NULL : t;
}

// ---- annotate ----

static weft_status annotate(onnx_edit *e, edit_value *v, edit_info *old, uint32_t field, size_t *n) {
  onnx_str payload;
  WEFT_TRY(weft__edit_info_payload(e, v, old, &payload));
  if (!payload.text)
    return WEFT_OK;
  ++*n;
  if (!old)
    return weft__edit_add_info(e, field, v, payload);
  if (payload.bytes == old->raw.bytes && !memcmp(payload.text, old->raw.text, payload.bytes))
    return WEFT_OK;
  old->payload = payload;
  return WEFT_OK;
}

weft_status weft__convert_annotate(onnx_edit *e, bool all) {
  size_t n = 0;
  size_t outputs = 0;
  size_t named = 0;
  for (size_t i = 0; i < e->n_outputs; i++)
    WEFT_TRY(annotate(e, e->outputs[i].value, &e->outputs[i], 12, &outputs));
  for (size_t i = 0; all && i < e->n_nodes; i++) {
    for (uint32_t k = 0; k < e->nodes[i].n_out; k++) {
      edit_value *v = e->nodes[i].out[k];
      if (!v || v->output || v->producer != &e->nodes[i])
        continue;
      named++;
      WEFT_TRY(annotate(e, v, v->info, 13, &n));
    }
  }
  if (all) {
    weft__edit_say(e, "types of %zu of %zu inner values and %zu of %zu outputs written", n, named, outputs,
                   e->n_outputs);
  }
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
