// map_data.c - ONNX operators that move data or make it.
#include "frontend/onnx/map.h"
#include "base/allocated.h"

weft_status onnx_concat(onnx_op *o) {
  int64_t axis;
  size_t n = o->n->inputs.n;
  WEFT_TRY(onnx_int_attr(o, "axis", 1, &axis));
  weft_value **in = WEFT_NEW_N(o->m->arena, weft_value *, n + 1);
  WEFT_TRY(weft__allocated(in, o->m->d));
  for (size_t i = 0; i < n; i++)
    WEFT_TRY(onnx_need(o, i, &in[i]));
  WEFT_TRY(onnx_const_ints(o, &axis, 1, true, &in[n]));
  onnx_set(o, "N", weft_attr_int((int64_t)n));
  uint32_t counts[2] = {(uint32_t)n, 1};
  return onnx_emit(o, "ConcatV2", in, n + 1, &(weft_use){.in_counts = counts}, 1, NULL);
}

static weft_status bind_constant(onnx_op *o, const weft_tensor *t) {
  onnx_import *m = o->m;
  onnx_str name = o->n->outputs.n ? o->n->outputs.v[0] : (onnx_str){NULL, 0};
  if (!name.bytes)
    return onnx_fail(o, WEFT_E_MISSING, "the node has no output");
  const char *text = onnx_value_text(m, name);
  WEFT_TRY(weft__allocated(text, o->m->d));
  weft_value *v = weft_graph_const(m->g, text, t, WEFT_CONST_BORROW, m->d);
  return v ? onnx_bind(m, name, v, o->n->offset) : m->d->status;
}

static weft_status constant_strings(onnx_op *o, const onnx_attr *a, bool many, weft_tensor *t) {
  size_t n = many ? a->strings.n : 1;
  weft_dim dim = (weft_dim)n;
  const char **text = WEFT_NEW_N(o->m->arena, const char *, n + 1);
  size_t *bytes = WEFT_NEW_N(o->m->arena, size_t, n + 1);
  WEFT_TRY(weft__allocated(text && bytes, o->m->d));
  for (size_t i = 0; i < n; i++) {
    onnx_str s = many ? a->strings.v[i] : a->s;
    text[i] = onnx_str_text(s);
    bytes[i] = s.bytes;
  }
  return weft_tensor_set_strings(t, &dim, many, text, bytes, o->m->d);
}

// Integers and floats lie in an attribute as they do in a tensor.
static weft_status constant_numbers(const onnx_op *o, weft_dtype type, const void *data, size_t n, bool many,
                                    weft_tensor *t) {
  const weft_dim dim = (weft_dim)n;
  WEFT_TRY(weft_tensor_alloc(t, type, many ? &dim : NULL, many, o->m->d));
  if (n)
    memcpy(t->data, data, n * (size_t)weft_dtype_bits(type) / 8);
  return WEFT_OK;
}

static weft_status constant_data(onnx_op *o, const onnx_attr *a, weft_tensor *t) {
  switch (onnx_attr_kind(a)) {
    case ONNX_ATTR_TENSOR:
      return weft__onnx_tensor(a->t, o->m->data, true, t, o->m->d);
    case ONNX_ATTR_SPARSE_TENSOR:
      return weft__onnx_sparse(a->sparse_tensor, o->m->data, t, o->m->d);
    case ONNX_ATTR_INT:
      return constant_numbers(o, WEFT_INT64, &a->i, 1, false, t);
    case ONNX_ATTR_FLOAT:
      return constant_numbers(o, WEFT_FLOAT, &a->f, 1, false, t);
    case ONNX_ATTR_INTS:
      return constant_numbers(o, WEFT_INT64, a->ints.v, a->ints.n, true, t);
    case ONNX_ATTR_FLOATS:
      return constant_numbers(o, WEFT_FLOAT, a->floats.v, a->floats.n, true, t);
    case ONNX_ATTR_STRING:
      return constant_strings(o, a, false, t);
    default:  // of the names that are read only this one is left
      return constant_strings(o, a, true, t);
  }
}

typedef struct constant_form {
  const char *name;
  int32_t kind;
} constant_form;
static const constant_form constant_forms[] = {
    {"value", ONNX_ATTR_TENSOR},        {"sparse_value", ONNX_ATTR_SPARSE_TENSOR},
    {"value_int", ONNX_ATTR_INT},       {"value_float", ONNX_ATTR_FLOAT},
    {"value_ints", ONNX_ATTR_INTS},     {"value_floats", ONNX_ATTR_FLOATS},
    {"value_string", ONNX_ATTR_STRING}, {"value_strings", ONNX_ATTR_STRINGS}};

// NULL: no attribute of Constant has this name.
static const constant_form *constant_form_of(onnx_str name) {
  for (size_t i = 0; i < WEFT_COUNT(constant_forms); i++) {
    if (onnx_str_is(name, constant_forms[i].name))
      return &constant_forms[i];
  }
  return NULL;
}

static bool constant_fits(const onnx_attr *a, const constant_form *form) {
  if (onnx_attr_kind(a) != form->kind)
    return false;
  if (form->kind == ONNX_ATTR_TENSOR)
    return a->t;
  if (form->kind == ONNX_ATTR_SPARSE_TENSOR)
    return a->sparse_tensor;
  return true;
}

weft_status onnx_constant(onnx_op *o) {
  if (o->n->outputs.n && o->out[0] && o->out[0]->value)
    return onnx_fail(o, WEFT_E_DUPLICATE, "its output has two producers");
  if (o->n->attributes.n != 1)
    return onnx_fail(o, WEFT_E_INVALID, "expected one attribute, got %zu", (size_t)o->n->attributes.n);
  onnx_str given = o->n->attributes.v[0].name;
  const constant_form *form = constant_form_of(given);
  if (!form) {
    return onnx_fail(o, WEFT_E_UNSUPPORTED, "attribute '%.*s' is not read", (int)WEFT_MIN(given.bytes, 60),
                     onnx_str_text(given));
  }
  const onnx_attr *a = onnx_find_attr(o, form->name);  // may stand for one of the function that is called
  if (!a) {
    return onnx_fail(o, WEFT_E_MISSING, "attribute '%s' is not given by the call of the function",
                     form->name);
  }
  if (!constant_fits(a, form))
    return onnx_fail(o, WEFT_E_TYPE, "attribute '%s' holds a value of another type", form->name);
  weft_tensor *t = weft__graph_tensor(o->m->g);
  WEFT_TRY(weft__allocated(t, o->m->d));
  WEFT_TRY(constant_data(o, a, t));
  return bind_constant(o, t);
}

// A scalar constant of the only element of t; `scalar` is what holds it on the way.
static weft_status fill_value(onnx_op *o, const weft_tensor *t, weft_tensor *scalar, weft_value **out) {
  char name[64];
  if (weft_tensor_elems(t) != 1) {
    return onnx_fail(o, WEFT_E_SHAPE, "attribute 'value' has %lld elements, expected 1",
                     (long long)weft_tensor_elems(t));
  }
  WEFT_TRY(weft_tensor_borrow(scalar, t->dtype, NULL, 0, t->data, t->bytes, o->m->d));
  do
    snprintf(name, sizeof name, "weft/fill_%u", onnx_fresh(o->m));
  while (weft_graph_find_value(o->m->g, name));
  *out = weft_graph_const(o->m->g, name, scalar, WEFT_CONST_COPY, o->m->d);
  return *out ? WEFT_OK : o->m->d->status;
}

weft_status onnx_constant_of_shape(onnx_op *o) {
  const onnx_attr *a = onnx_find_attr(o, "value");
  weft_value *in[2] = {NULL, NULL};
  WEFT_TRY(onnx_need(o, 0, &in[0]));
  if (a && !a->t)
    return onnx_fail(o, WEFT_E_TYPE, "attribute 'value' is not a tensor");
  if (in[0]->fact.dtype != WEFT_INT64) {
    return onnx_fail(o, WEFT_E_DTYPE, "input 0, the shape, is %s, expected i64",
                     weft_dtype_name(in[0]->fact.dtype));
  }
  weft_tensor t;
  weft_tensor scalar;
  weft_tensor_init(&t, &o->m->env->alloc);
  weft_tensor_init(&scalar, &o->m->env->alloc);
  weft_status s = a ? weft__onnx_tensor(a->t, o->m->data, true, &t, o->m->d)
                    : weft_tensor_alloc(&t, WEFT_FLOAT, NULL, 0, o->m->d);
  if (!s)
    s = fill_value(o, &t, &scalar, &in[1]);
  weft_tensor_deinit(&scalar);
  weft_tensor_deinit(&t);
  WEFT_TRY(s);
  return onnx_emit(o, "Fill", in, 2, NULL, 1, NULL);
}

// No Reshape says it: dims are open on both sides of the axis, or the rank is, or a -1 would stand beside a
// 0.
static weft_status flatten_later(onnx_op *o, weft_value *x, int64_t axis) {
  onnx_set(o, "axis", weft_attr_int(axis));
  return onnx_emit(o, "Flatten", &x, 1, NULL, 1, NULL);
}

// Of the dims from `begin` to `end`; -1: one is open, or the product overflows.
static int64_t flatten_product(const weft_value *x, int64_t begin, int64_t end) {
  int64_t n = 1;
  for (int64_t i = begin; i < end; i++) {
    if (x->fact.dims[i] < 0 || !weft__mul_i64(n, x->fact.dims[i], &n))
      return -1;
  }
  return n;
}

// [d0*..*d(axis-1), rest]: a reshape whose target is known where the dims of one side are.
weft_status onnx_flatten(onnx_op *o) {
  int64_t axis;
  weft_value *in[2];
  WEFT_TRY(onnx_need(o, 0, &in[0]));
  WEFT_TRY(onnx_int_attr(o, "axis", 1, &axis));
  int rank = onnx_rank(in[0]);
  if (rank < 0)
    return flatten_later(o, in[0], axis);
  if (axis < -rank || axis > rank) {
    return onnx_fail(o, WEFT_E_RANGE, "attribute 'axis': %lld is outside [%d, %d]", (long long)axis, -rank,
                     rank);
  }
  if (axis < 0)
    axis += rank;
  const int64_t dims[2] = {flatten_product(in[0], 0, axis), flatten_product(in[0], axis, rank)};
  const bool open = dims[0] < 0 || dims[1] < 0;
  if (open && dims[0] <= 0 && dims[1] <= 0)
    return flatten_later(o, in[0], axis);
  WEFT_TRY(onnx_const_ints(o, dims, 2, false, &in[1]));
  return onnx_emit(o, "Reshape", in, 2, NULL, 1, NULL);
}

weft_status onnx_gather(onnx_op *o) {
  int64_t axis;
  weft_value *in[3];
  WEFT_TRY(onnx_need(o, 0, &in[0]));
  WEFT_TRY(onnx_need(o, 1, &in[1]));
  WEFT_TRY(onnx_int_attr(o, "axis", 0, &axis));
  WEFT_TRY(onnx_const_ints(o, &axis, 1, true, &in[2]));
  const weft_proto *p = weft_find(o->m->env, "GatherV2");
  if (p && weft_proto_find_attr(p, "negative_index_support") >= 0)
    onnx_set(o, "negative_index_support", weft_attr_bool(true));
  return onnx_emit(o, "GatherV2", in, 3, NULL, 1, NULL);
}

weft_status onnx_reshape(onnx_op *o) {
  int64_t allow_zero;
  weft_value *in[2];
  WEFT_TRY(onnx_need(o, 0, &in[0]));
  if (o->m->version < 5) {  // an attribute
    weft_ints shape = onnx_ints_of(o, "shape");
    in[1] = onnx_list(o, shape.v, shape.n);
    WEFT_TRY(o->failed);
  } else {
    WEFT_TRY(onnx_need(o, 1, &in[1]));
  }
  WEFT_TRY(onnx_int_attr(o, "allowzero", 0, &allow_zero));
  onnx_set(o, "allowzero", weft_attr_bool(allow_zero != 0));
  return onnx_emit(o, "Reshape", in, 2, NULL, 1, NULL);
}

weft_status onnx_shape_op(onnx_op *o) {
  weft_value *x;
  WEFT_TRY(onnx_need(o, 0, &x));
  if (onnx_find_attr(o, "start") || onnx_find_attr(o, "end")) {
    int64_t start;
    int64_t end;
    WEFT_TRY(onnx_int_attr(o, "start", 0, &start));
    WEFT_TRY(onnx_int_attr(o, "end", INT64_MAX, &end));
    onnx_set(o, "start", weft_attr_int(start));
    onnx_set(o, "end", weft_attr_int(end));
  }
  onnx_set(o, "dtype", weft_attr_int(WEFT_INT64));
  return onnx_emit(o, "Shape", &x, 1, NULL, 1, NULL);
}

static weft_status with_axes(onnx_op *o, const char *type, const char *attr, bool required) {
  const int64_t *axes;
  size_t n;
  weft_value *x;
  WEFT_TRY(onnx_need(o, 0, &x));
  WEFT_TRY(onnx_ints_attr(o, "axes", &axes, &n));
  if (!axes && required)
    return onnx_fail(o, WEFT_E_MISSING, "required attribute 'axes' is not given");
  if (axes)
    onnx_set(o, attr, weft_attr_ints(axes, n));
  return onnx_emit(o, type, &x, 1, NULL, 1, NULL);
}
weft_status onnx_squeeze(onnx_op *o) {
  return with_axes(o, "Squeeze", "axis", false);
}
weft_status onnx_unsqueeze(onnx_op *o) {
  return with_axes(o, "Unsqueeze", "axes", true);
}

weft_status onnx_transpose(onnx_op *o) {
  const int64_t *perm;
  int64_t reversed[WEFT_MAX_RANK];
  size_t n;
  weft_value *in[2];
  WEFT_TRY(onnx_need(o, 0, &in[0]));
  WEFT_TRY(onnx_ints_attr(o, "perm", &perm, &n));
  if (!perm) {
    int rank = onnx_rank(in[0]);
    if (rank < 0)
      return onnx_fail(o, WEFT_E_UNKNOWN, "no attribute 'perm', and the rank of the input is not known");
    for (int i = 0; i < rank; i++)
      reversed[i] = rank - 1 - i;
    perm = reversed;
    n = (size_t)rank;
  }
  WEFT_TRY(onnx_const_ints(o, perm, n, false, &in[1]));
  return onnx_emit(o, "Transpose", in, 2, NULL, 1, NULL);
}
// SPDX-License-Identifier: Apache-2.0
