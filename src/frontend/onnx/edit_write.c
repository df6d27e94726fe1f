// edit_write.c - writes an edited model: fields in the order of the file, unchanged messages byte for byte,
// what was made here behind them.
#include "frontend/onnx/edit.h"
#include "tensor/tensor.h"

#include <stdint.h>

// ---- fields ----

void weft__edit_fields(edit_fields *it, onnx_str message, weft_diag *d) {
  it->src = (wire_source){
      .data = (const uint8_t *)(onnx_str_text(message)), .bytes = message.bytes, .root = "message", .d = d};
  it->m = weft__wire_root(&it->src);
}

bool weft__edit_next(edit_fields *it, weft_status *s) {
  if (*s)
    return false;
  it->m.src = &it->src;
  *s = weft__wire_next(&it->m, &it->f);
  if (*s || !it->f.number)
    return false;
  it->whole = (onnx_str){(const char *)it->f.tag, (size_t)(it->m.at - it->f.tag)};
  return true;
}

void weft__edit_put(onnxw *w, onnx_str bytes) {
  if (!w->wrong && bytes.bytes)
    weft__text_add(w->out, bytes.text, bytes.bytes);
}

weft_status weft__edit_take(onnx_edit *e, onnxw *w, weft_text *t, onnx_str *out) {
  weft_status s = onnxw_finish(w, e->d);
  char *copy = s ? NULL : weft__arena_strdup(&e->arena, t->v ? t->v : "", t->n);
  if (!s && !copy)
    s = weft__edit_nomem(e);
  *out = (onnx_str){copy, t->n};
  weft__text_deinit(t);
  return s;
}

// ---- tensors and types ----

int32_t weft__edit_elem_type(weft_dtype t) {
  weft_dtype at;
  for (int32_t i = 1; i <= ONNX_INT2; i++) {
    if (weft__onnx_dtype(i, &at) && at == t)
      return i;
  }
  return ONNX_UNDEFINED;
}

// Raw data are little-endian.
static void put_raw(onnxw *w, const weft_tensor *t) {
  const uint16_t one = 1;
  size_t size = weft_dtype_bits(t->dtype) / 8;
  if (weft_dtype_is_complex(t->dtype))
    size /= 2;
  onnxw_bytes(w, 9, t->data, t->bytes);
  if (*(const uint8_t *)&one || size < 2 || w->wrong || w->out->failed)
    return;
  char *p = w->out->v + w->out->n - t->bytes;
  for (size_t at = 0; at + size <= t->bytes; at += size) {
    for (size_t i = 0; i < size / 2; i++) {
      char x = p[at + i];
      p[at + i] = p[at + size - 1 - i];
      p[at + size - 1 - i] = x;
    }
  }
}

weft_status weft__edit_put_tensor(onnx_edit *e, onnxw *w, uint32_t field, onnx_str name,
                                  const weft_tensor *t) {
  const weft_shape *shape = &t->layout.origin;
  onnxw_open(w, field);
  onnxw_ints(w, 1, shape->dim, shape->rank);
  onnxw_int(w, 2, weft__edit_elem_type(t->dtype));
  if (name.bytes)
    onnxw_bytes(w, 8, name.text, name.bytes);
  if (t->dtype == WEFT_STRING) {
    int64_t n = weft_tensor_elems(t);
    for (int64_t i = 0; i < n; i++) {
      const char *text;
      size_t bytes;
      WEFT_TRY(weft_tensor_string(t, (size_t)i, &text, &bytes, e->d));
      onnxw_bytes(w, 6, text, bytes);
    }
  } else {
    put_raw(w, t);
  }
  onnxw_close(w);
  return WEFT_OK;
}

// A symbol's own name or its expression; false when it does not fit.
static bool dim_name(const weft_symbols *symbols, weft_dim dim, char *buf, size_t cap) {
  size_t n = strlen(weft_dim_text(symbols, dim, buf, cap));
  size_t k = 0;
  if (n + 1 >= cap)
    return false;
  if (buf[0] != '"')
    return strcmp(buf, "-1") != 0;
  for (size_t i = 1; i < n && (buf[i] != '"' || i + 1 == n); i++) {  // a quoted name and nothing behind it
    if (buf[i] == '"') {
      buf[k] = 0;
      return true;
    }
    if (buf[i] == '\\' && buf[i + 1] == 'u')
      return false;
    if (buf[i] == '\\')
      i++;
    buf[k++] = buf[i];
  }
  return false;
}

static void put_dim(onnxw *w, const weft_symbols *symbols, weft_dim dim, const onnx_dim *old) {
  char name[256];
  onnxw_open(w, 1);
  if (dim >= 0)
    onnxw_int(w, 1, dim);
  else if (old && old->which == ONNX_DIM_VALUE && old->value >= 0)
    onnxw_int(w, 1, old->value);
  else if (old && old->which == ONNX_DIM_PARAM && old->param.bytes)
    onnxw_bytes(w, 2, old->param.text, old->param.bytes);
  else if (weft_dim_is_symbol(dim) && dim_name(symbols, dim, name, sizeof name))
    onnxw_str(w, 2, name);
  if (old && old->denotation.bytes)
    onnxw_bytes(w, 3, old->denotation.text, old->denotation.bytes);
  onnxw_close(w);
}

static void put_tensor_type(onnxw *w, const weft_tensor_desc *desc, const weft_symbols *symbols,
                            const onnx_type *old) {
  const weft_shape *s = &desc->layout.origin;
  const onnx_shape *had = old && old->which == ONNX_TYPE_TENSOR && old->tensor ? old->tensor->shape : NULL;
  bool known = weft__edit_has_rank(s);
  onnxw_open(w, 1);
  onnxw_int(w, 1, weft__edit_elem_type(desc->dtype));
  if (known || had)
    onnxw_open(w, 2);
  size_t rank = known ? s->rank : had ? had->dims.n : 0;
  for (size_t i = 0; i < rank; i++)
    put_dim(w, symbols, known ? s->dim[i] : -1, had && had->dims.n == rank ? &had->dims.v[i] : NULL);
  if (known || had)
    onnxw_close(w);
  onnxw_close(w);
}

// Descriptions of maps do not say which keys they have.
bool weft__edit_type_known(const weft_tensor_desc *desc) {
  return desc->kind != WEFT_KIND_RESOURCE && !weft__kind_is_map(desc->kind) &&
         weft__edit_elem_type(desc->dtype);
}

void weft__edit_put_type(onnxw *w, uint32_t field, const weft_tensor_desc *desc, const weft_symbols *symbols,
                         const onnx_type *old) {
  bool optional = desc->kind == WEFT_KIND_OPTIONAL || desc->kind == WEFT_KIND_OPTIONAL_SEQUENCE;
  bool sequence = desc->kind == WEFT_KIND_SEQUENCE || desc->kind == WEFT_KIND_OPTIONAL_SEQUENCE;
  onnxw_open(w, field);
  if (optional) {
    onnxw_open(w, 9);
    onnxw_open(w, 1);
  }
  if (sequence) {
    onnxw_open(w, 4);
    onnxw_open(w, 1);
  }
  put_tensor_type(w, desc, symbols, optional || sequence ? NULL : old);
  if (sequence) {
    onnxw_close(w);
    onnxw_close(w);
  }
  if (optional) {
    onnxw_close(w);
    onnxw_close(w);
  }
  if (old && old->denotation.bytes)
    onnxw_bytes(w, 6, old->denotation.text, old->denotation.bytes);
  onnxw_close(w);
}

weft_status weft__edit_info_payload(onnx_edit *e, const edit_value *v, const edit_info *old, onnx_str *out) {
  weft_tensor_desc desc;
  weft_text t;
  onnxw w;
  weft_status s = WEFT_OK;
  *out = (onnx_str){NULL, 0};
  if (!weft__edit_desc(e, v, &desc) || !weft__edit_type_known(&desc))
    return WEFT_OK;
  weft__text_init(&t, &e->env->alloc);
  onnxw_init(&w, &t);
  onnxw_bytes(&w, 1, v->text, v->name.bytes);
  weft__edit_put_type(&w, 2, &desc, weft_graph_symbols(e->g), old && old->v ? old->v->type : NULL);
  if (old && old->v) {  // doc string, metadata and what else there is
    edit_fields it;
    weft__edit_fields(&it, old->raw, e->d);
    while (weft__edit_next(&it, &s)) {
      if (it.f.number > 2)
        weft__edit_put(&w, it.whole);
    }
  }
  weft_status taken = weft__edit_take(e, &w, &t, out);
  WEFT_TRY(s);
  return taken;
}

// ---- the model ----

// NULL: an input or output that is left out.
static void put_value_names(onnxw *w, uint32_t field, edit_value *const *v, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    const onnx_str name = v[i] ? v[i]->name : (onnx_str){"", 0};
    onnxw_bytes(w, field, v[i] ? v[i]->text : "", name.bytes);
  }
}

static void put_extras(onnxw *w, const edit_extra *x) {
  for (; x; x = x->next)
    onnxw_bytes(w, 1, x->payload.text, x->payload.bytes);
}

static weft_status edit_write_put_node(onnx_edit *e, onnxw *w, const edit_node *n, onnx_str whole) {
  put_extras(w, n->before);
  if (n->replaced) {
    return WEFT_OK;
  } else if (!n->changed && !e->deep) {
    weft__edit_put(w, whole);
  } else {
    onnxw_open(w, 1);
    put_value_names(w, 1, n->in, n->n_in);
    put_value_names(w, 2, n->out, n->n_out);
    WEFT_TRY(weft__deep_node(e, w, n->raw, n->settled));
    onnxw_close(w);
  }
  put_extras(w, n->after);
  return WEFT_OK;
}

static weft_status put_initializer(onnx_edit *e, onnxw *w, const edit_tensor *t, onnx_str whole) {
  if (t->gone)
    return WEFT_OK;
  if (t->data)
    return weft__edit_put_tensor(e, w, 5, t->value->name, t->data);
  if (e->deep && e->deep->from && !t->keep_type)
    return weft__deep_initializer(e, w, t);
  weft__edit_put(w, whole);
  return WEFT_OK;
}

static weft_status put_info(onnx_edit *e, onnxw *w, const edit_info *v, onnx_str whole) {
  if (v->gone)
    return WEFT_OK;
  if (v->payload.text)
    onnxw_bytes(w, v->field, v->payload.text, v->payload.bytes);
  else if (e->deep && !v->keep)
    return weft__deep_info(e, w, v->field, v->raw, false);
  else
    weft__edit_put(w, whole);
  return WEFT_OK;
}

static bool annotation_stays(const onnx_edit *e, const onnx_annotation *a) {
  const edit_value *v = weft__edit_find(e, a->tensor_name.text, a->tensor_name.bytes);
  return v && ((v->producer && !v->producer->gone) || v->init || (v->input && !v->input->gone));
}

// Before version 4 of the IR every initializer of the main graph is an input, too.
static weft_status put_made(onnx_edit *e, onnxw *w) {
  for (size_t i = 0; i < e->new_tensors.n; i++) {
    const edit_tensor *t = e->new_tensors.v[i];
    WEFT_TRY(put_initializer(e, w, t, (onnx_str){NULL, 0}));
    if (t->gone || e->outer || e->model->ir_version >= 4 || (t->value->input && !t->value->input->gone))
      continue;
    weft_tensor_desc desc;
    weft_desc_init(&desc);
    WEFT_TRY(weft_desc_set(&desc, t->data->dtype, WEFT_ND, t->data->layout.origin.dim,
                           t->data->layout.origin.rank));
    onnxw_open(w, 11);
    onnxw_bytes(w, 1, t->value->text, t->value->name.bytes);
    weft__edit_put_type(w, 2, &desc, NULL, NULL);
    onnxw_close(w);
  }
  for (size_t i = 0; i < e->new_infos.n; i++)
    WEFT_TRY(put_info(e, w, e->new_infos.v[i], (onnx_str){NULL, 0}));
  return WEFT_OK;
}

static weft_status edit_write_put_graph(onnx_edit *e, onnxw *w) {
  edit_fields it;
  weft_status s = WEFT_OK;
  size_t node = 0;
  size_t tensor = 0;
  size_t input = 0;
  size_t output = 0;
  size_t info = 0;
  size_t annotation = 0;
  onnxw_open(w, 7);
  weft__edit_fields(&it, e->graph, e->d);
  while (weft__edit_next(&it, &s)) {
    switch (it.f.number) {
      case 1: {
        const edit_node *n = &e->nodes[node++];
        if (!n->gone)
          s = edit_write_put_node(e, w, n, it.whole);
        break;
      }
      case 5:
        s = put_initializer(e, w, &e->tensors[tensor++], it.whole);
        break;
      case 11:
        s = put_info(e, w, &e->inputs[input++], it.whole);
        break;
      case 12:
        s = put_info(e, w, &e->outputs[output++], it.whole);
        break;
      case 13:
        s = put_info(e, w, &e->infos[info++], it.whole);
        break;
      case 14:
        if (annotation_stays(e, &e->model->graph->quantization_annotations.v[annotation++]))
          weft__edit_put(w, it.whole);
        break;
      case 15:
        if (e->deep)
          s = weft__deep_sparse(e, w, 15, weft__edit_payload(&it));
        else
          weft__edit_put(w, it.whole);
        break;
      default:
        weft__edit_put(w, it.whole);
    }
  }
  if (!s)
    s = put_made(e, w);
  onnxw_close(w);
  return s;
}

weft_status weft__edit_write(onnx_edit *e, weft_text *out) {
  onnxw w;
  edit_fields it;
  weft_status s = WEFT_OK;
  bool done = false;
  bool named = false;
  onnxw_init(&w, out);
  weft__edit_fields(&it, e->file, e->d);
  while (weft__edit_next(&it, &s)) {
    uint32_t number = it.f.number;
    bool producer = e->set_producer && (number == 2 || number == 3);
    if (e->set_producer && !named && number > 1) {  // behind ir_version
      onnxw_str(&w, 2, "weft");
      onnxw_str(&w, 3, weft_version());
      named = true;
    }
    if (number == 7) {
      if (!done && it.f.data == (const uint8_t *)e->graph.text) {
        s = edit_write_put_graph(e, &w);
        done = true;
      }
    } else if (number == 25 && e->deep && !e->deep->rename) {
      s = weft__deep_function(e, &w, weft__edit_payload(&it));
    } else if (!producer) {
      weft__edit_put(&w, it.whole);
    }
  }
  weft_status end = onnxw_finish(&w, e->d);
  return s ? s : end;
}
// SPDX-License-Identifier: Apache-2.0
