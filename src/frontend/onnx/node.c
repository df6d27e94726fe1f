// node.c - what an operator function reads of its ONNX node: attributes, which a function's node may take
// from its call, and inputs and outputs by number. A wrong type is an error that names the attribute and its
// place.
#include "frontend/onnx/import.h"

weft_status onnx_fail(const onnx_op *o, weft_status s, const char *fmt, ...) {
  char text[768];
  va_list ap;
  WEFT_TRY(o->failed);
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  return weft_fail(o->m->d, s, "%s", text);
}

const onnx_attr *onnx_named(const onnx_attr *v, size_t n, const char *name, size_t bytes) {
  for (size_t i = 0; i < n; i++) {
    if (v[i].name.bytes == bytes && !memcmp(onnx_str_text(v[i].name), name, bytes))
      return &v[i];
  }
  return NULL;
}

// An attribute of a function's node may stand for one of the call, or for the function's default.
static const onnx_attr *node_resolve(const onnx_import *m, const onnx_attr *a) {
  for (; a && a->ref_attr_name.bytes; m = m->parent) {
    while (m && !m->function)
      m = m->parent;
    if (!m)
      return NULL;
    onnx_str ref = a->ref_attr_name;
    const onnx_attr *given = onnx_named(m->call->attributes.v, m->call->attributes.n, ref.text, ref.bytes);
    a = given ? given
              : onnx_named(m->function->attribute_protos.v, m->function->attribute_protos.n, ref.text,
                           ref.bytes);
  }
  return a;
}

const onnx_attr *onnx_find_attr(const onnx_op *o, const char *name) {
  return node_resolve(o->m, onnx_named(o->n->attributes.v, o->n->attributes.n, name, strlen(name)));
}

static weft_status node_typed(onnx_op *o, const char *name, int kind, const onnx_attr **out) {
  WEFT_TRY(o->failed);
  const onnx_attr *a = *out = onnx_find_attr(o, name);
  if (!a || onnx_attr_kind(a) == kind)
    return WEFT_OK;
  return onnx_fail(o, WEFT_E_TYPE, "attribute '%s' at byte %llu: expected %s, got %s", name,
                   (unsigned long long)a->offset, onnx_kind_name(kind), onnx_kind_name(onnx_attr_kind(a)));
}

weft_status onnx_int_attr(onnx_op *o, const char *name, int64_t dflt, int64_t *out) {
  const onnx_attr *a;
  WEFT_TRY(node_typed(o, name, ONNX_ATTR_INT, &a));
  *out = a ? a->i : dflt;
  return WEFT_OK;
}

weft_status onnx_float_attr(onnx_op *o, const char *name, float dflt, float *out) {
  const onnx_attr *a;
  WEFT_TRY(node_typed(o, name, ONNX_ATTR_FLOAT, &a));
  *out = a ? a->f : dflt;
  return WEFT_OK;
}

weft_status onnx_str_attr(onnx_op *o, const char *name, const char *dflt, weft_str *out) {
  const onnx_attr *a;
  WEFT_TRY(node_typed(o, name, ONNX_ATTR_STRING, &a));
  *out = a ? (weft_str){onnx_str_text(a->s), a->s.bytes} : (weft_str){dflt, strlen(dflt)};
  return WEFT_OK;
}

weft_status onnx_ints_attr(onnx_op *o, const char *name, const int64_t **out, size_t *out_n) {
  const onnx_attr *a;
  WEFT_TRY(node_typed(o, name, ONNX_ATTR_INTS, &a));
  *out = a ? a->ints.v : NULL;
  *out_n = a ? a->ints.n : 0;
  return WEFT_OK;
}

weft_value *onnx_in(const onnx_op *o, size_t i) {
  return i < o->n->inputs.n && o->in[i] ? o->in[i]->value : NULL;
}

weft_status onnx_need(const onnx_op *o, size_t i, weft_value **out) {
  WEFT_TRY(o->failed);
  *out = onnx_in(o, i);
  return *out ? WEFT_OK
              : onnx_fail(o, WEFT_E_MISSING, "required input %zu is not given (the node has %zu)", i,
                          (size_t)o->n->inputs.n);
}

bool onnx_wants(const onnx_op *o, size_t i) {
  return i < o->n->outputs.n && o->out[i] && o->out[i]->used;
}

weft_status onnx_dtype(onnx_op *o, int64_t elem_type, weft_dtype *out) {
  WEFT_TRY(o->failed);
  if (weft__onnx_dtype(elem_type, out))
    return WEFT_OK;
  return onnx_fail(o, WEFT_E_DTYPE, "element type %lld is not known", (long long)elem_type);
}

int onnx_rank(const weft_value *v) {
  return weft__fact_ranked(&v->fact) ? v->fact.rank : -1;
}
// SPDX-License-Identifier: Apache-2.0
