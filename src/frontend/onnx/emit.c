// emit.c - short forms for operator functions that make several primitives. They return values instead of
// statuses: a failure is kept in o->failed, every later step gives the same failure and does nothing
// (onnx_fail, attributes, constants and primitives see to that), values are NULL, and onnx_result reports it
// at the end.
#include "frontend/onnx/map.h"

static weft_value *emit_fail(onnx_op *o, weft_status s) {
  o->failed = s;
  return NULL;
}

weft_value *onnx_arg(onnx_op *o, size_t i) {
  weft_value *v = NULL;
  o->failed = onnx_need(o, i, &v);
  return v;
}

int64_t onnx_int(onnx_op *o, const char *name, int64_t dflt) {
  int64_t v = dflt;
  o->failed = onnx_int_attr(o, name, dflt, &v);
  return v;
}
float onnx_float(onnx_op *o, const char *name, float dflt) {
  float v = dflt;
  o->failed = onnx_float_attr(o, name, dflt, &v);
  return v;
}
bool onnx_is(onnx_op *o, const char *name, const char *dflt, const char *text) {
  weft_str v = {"", 0};
  o->failed = onnx_str_attr(o, name, dflt, &v);
  return v.bytes == strlen(text) && !memcmp(v.text, text, v.bytes);
}
weft_ints onnx_ints_of(onnx_op *o, const char *name) {
  weft_ints v = {NULL, 0};
  o->failed = onnx_ints_attr(o, name, &v.v, &v.n);
  return v;
}
void onnx_pass(onnx_op *o, const char *name) {
  const onnx_attr *a = onnx_find_attr(o, name);
  if (!a || o->failed)
    return;
  weft_str *strs;
  switch (onnx_attr_kind(a)) {
    case ONNX_ATTR_INT:
      onnx_set(o, name, weft_attr_int(a->i));
      return;
    case ONNX_ATTR_FLOAT:
      onnx_set(o, name, weft_attr_float(a->f));
      return;
    case ONNX_ATTR_STRING:
      onnx_set(o, name, weft_attr_str(onnx_str_text(a->s), a->s.bytes));
      return;
    case ONNX_ATTR_INTS:
      onnx_set(o, name, weft_attr_ints(a->ints.v, a->ints.n));
      return;
    case ONNX_ATTR_FLOATS:
      onnx_set(o, name, weft_attr_floats(a->floats.v, a->floats.n));
      return;
    case ONNX_ATTR_STRINGS:
      strs = WEFT_NEW_N(o->m->arena, weft_str, a->strings.n + 1);
      if (!strs)
        o->failed = onnx_fail(o, WEFT_E_NOMEM, "out of memory");
      for (size_t i = 0; strs && i < a->strings.n; i++)
        strs[i] = (weft_str){a->strings.v[i].text ? a->strings.v[i].text : "", a->strings.v[i].bytes};
      if (strs)
        onnx_set(o, name, weft_attr_strs(strs, a->strings.n));
      return;
    default:
      o->failed = onnx_fail(o, WEFT_E_TYPE, "attribute '%s' has a type that is not read", name);
  }
}
void onnx_pass_bool(onnx_op *o, const char *name) {
  if (onnx_find_attr(o, name))
    onnx_set(o, name, weft_attr_bool(onnx_int(o, name, 0) != 0));
}
int onnx_rank_needed(onnx_op *o, const weft_value *v) {
  if (o->failed)
    return 0;
  int rank = onnx_rank(v);
  if (rank < 0)
    o->failed = onnx_fail(o, WEFT_E_UNKNOWN, "the rank of value '%s' is not known", v->name);
  return rank < 0 ? 0 : rank;
}
int64_t onnx_axis(onnx_op *o, const char *name, int64_t dflt, int rank, int most) {
  int64_t axis = onnx_int(o, name, dflt);
  if (o->failed)
    return 0;
  if (axis < -rank || axis > most) {
    o->failed = onnx_fail(o, WEFT_E_RANGE, "attribute '%s': %lld is outside [%d, %d]", name, (long long)axis,
                          -rank, most);
    return 0;
  }
  return axis < 0 ? axis + rank : axis;
}

weft_value *onnx_do(onnx_op *o, const char *type, weft_value *a, weft_value *b, weft_value *c) {
  weft_value *in[3] = {a, b, c};
  weft_value *out = NULL;
  o->failed = onnx_emit(o, type, in, c ? 3 : b ? 2 : 1, NULL, 0, &out);
  return out;
}
weft_value *onnx_num(onnx_op *o, weft_dtype t, double v) {
  weft_value *out = NULL;
  o->failed = onnx_const_scalar(o, t, v, &out);
  return out;
}
weft_value *onnx_list(onnx_op *o, const int64_t *v, size_t n) {
  weft_value *out = NULL;
  o->failed = onnx_const_ints(o, v, n, false, &out);
  return out;
}
weft_value *onnx_index(onnx_op *o, int64_t v) {
  weft_value *out = NULL;
  o->failed = onnx_const_ints(o, &v, 1, true, &out);
  return out;
}
weft_value *onnx_as(onnx_op *o, weft_value *v, weft_dtype t) {
  if (o->failed || v->fact.dtype == t)
    return v;
  onnx_set(o, "dst_type", weft_attr_int(t));
  return onnx_do(o, "Cast", v, NULL, NULL);
}
weft_value *onnx_shape_of(onnx_op *o, weft_value *v) {
  onnx_set(o, "dtype", weft_attr_int(WEFT_INT64));
  return onnx_do(o, "Shape", v, NULL, NULL);
}
weft_value *onnx_dims_of(onnx_op *o, weft_value *v, int64_t begin, int64_t end) {
  onnx_set(o, "dtype", weft_attr_int(WEFT_INT64));
  onnx_set(o, "start", weft_attr_int(begin));
  onnx_set(o, "end", weft_attr_int(end));
  return onnx_do(o, "Shape", v, NULL, NULL);
}
weft_value *onnx_reshaped(onnx_op *o, weft_value *v, const int64_t *dims, size_t n) {
  weft_value *shape = onnx_list(o, dims, n);
  onnx_set(o, "allowzero", weft_attr_bool(false));
  return onnx_do(o, "Reshape", v, shape, NULL);
}
weft_value *onnx_picked(onnx_op *o, weft_value *v, int64_t axis, weft_value *index) {
  weft_value *at = onnx_index(o, axis);
  onnx_set(o, "negative_index_support", weft_attr_bool(true));
  return onnx_do(o, "GatherV2", v, index, at);
}
weft_value *onnx_reduced(onnx_op *o, const char *type, weft_value *v, const int64_t *axes, size_t n,
                         bool keep) {
  weft_value *list = onnx_list(o, axes, n);
  onnx_set(o, "keep_dims", weft_attr_bool(keep));
  onnx_set(o, "noop_with_empty_axes", weft_attr_bool(false));
  return onnx_do(o, type, v, list, NULL);
}
weft_value *onnx_joined(onnx_op *o, weft_value *const *v, size_t n, int64_t axis) {
  weft_value *in[16];
  weft_value *out = NULL;
  weft_value *at = onnx_index(o, axis);
  if (o->failed)
    return NULL;
  WEFT_ASSERT(n < WEFT_COUNT(in));
  for (size_t i = 0; i < n; i++)
    in[i] = v[i];
  in[n] = at;
  onnx_set(o, "N", weft_attr_int((int64_t)n));
  uint32_t counts[2] = {(uint32_t)n, 1};
  o->failed = onnx_emit(o, "ConcatV2", in, n + 1, &(weft_use){.in_counts = counts}, 0, &out);
  return out;
}
weft_value *onnx_unsupported(onnx_op *o, const char *what) {
  return emit_fail(o, onnx_fail(o, WEFT_E_UNSUPPORTED, "%s", what));
}

weft_status onnx_result(onnx_op *o, size_t i, weft_value *v) {
  if (o->failed || i >= o->n->outputs.n || !o->n->outputs.v[i].bytes)
    return o->failed;
  bool own = weft_value_node(v, NULL) != NULL;
  for (size_t k = 0; k < o->n->inputs.n; k++)
    own &= v != onnx_in(o, k);
  if (!own) {
    weft_value *copy = onnx_do(o, "Identity", v, NULL, NULL);
    WEFT_TRY(o->failed);
    v = copy;
  }
  return o->failed = onnx_bind_output(o, i, v);
}
// SPDX-License-Identifier: Apache-2.0
