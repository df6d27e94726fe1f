// edit_deep.c - one change carried into every message below a graph: element types, stale shapes, dim names.
// It works on raw fields, so that bodies and functions need no parsed structs; what it does not look for is
// copied.
#include "frontend/onnx/edit.h"

#include "weft/onnx.h"

// ---- types ----

static void put_bound_dim(onnxw *w, const edit_binding *b) {
  if (b->value >= 0)
    onnxw_int(w, 1, b->value);
  else if (b->name.bytes)
    onnxw_bytes(w, 2, b->name.text, b->name.bytes);
}

static weft_status deep_dim(onnx_edit *e, onnxw *w, uint32_t field, onnx_str raw) {
  edit_fields it;
  weft_status s = WEFT_OK;
  onnxw_open(w, field);
  weft__edit_fields(&it, raw, e->d);
  while (weft__edit_next(&it, &s)) {
    const edit_binding *hit = NULL;
    for (size_t i = 0; it.f.number == 2 && i < e->deep->n_bind; i++) {
      if (onnx_str_same(e->deep->bind[i].from, weft__edit_payload(&it)))
        hit = &e->deep->bind[i];
    }
    if (hit)
      put_bound_dim(w, hit);
    else
      weft__edit_put(w, it.whole);
  }
  onnxw_close(w);
  return s;
}

// The dims of a shape that the model gives as numbers may be stale: `loose` makes them unknown.
static weft_status deep_shape(onnx_edit *e, onnxw *w, uint32_t field, onnx_str raw, bool loose) {
  edit_fields it;
  edit_fields dim;
  weft_status s = WEFT_OK;
  onnxw_open(w, field);
  weft__edit_fields(&it, raw, e->d);
  while (weft__edit_next(&it, &s)) {
    bool number = false;
    if (it.f.number != 1) {
      weft__edit_put(w, it.whole);
      continue;
    }
    weft__edit_fields(&dim, weft__edit_payload(&it), e->d);
    while (weft__edit_next(&dim, &s))
      number |= dim.f.number == 1;
    if (s)
      break;
    if (loose && number)
      onnxw_bytes(w, 1, "", 0);
    else
      s = deep_dim(e, w, 1, weft__edit_payload(&it));
  }
  onnxw_close(w);
  return s;
}

// TypeProto (tensor false) or TypeProto.Tensor; the numbers of sequences, maps and optionals nest one in
// another. None of these holds bf16.
static weft_status deep_type(onnx_edit *e, onnxw *w, uint32_t field, onnx_str raw, bool tensor, bool loose) {
  edit_fields it;
  weft_status s = WEFT_OK;
  bool stays = e->deep->to == ONNX_BFLOAT16;
  onnxw_open(w, field);
  weft__edit_fields(&it, raw, e->d);
  while (weft__edit_next(&it, &s)) {
    uint32_t number = it.f.number;
    onnx_str inner = weft__edit_payload(&it);
    bool bytes = it.f.type == WIRE_BYTES;
    if (tensor && number == 1 && !bytes) {
      onnxw_int(w, 1,
                e->deep->from && (int32_t)it.f.value == e->deep->from ? e->deep->to : (int32_t)it.f.value);
    } else if (tensor && number == 2 && bytes) {
      s = deep_shape(e, w, 2, inner, loose);
    } else if (!tensor && bytes && (number == 1 || number == 8)) {
      s = deep_type(e, w, number, inner, true, loose);
    } else if (!tensor && bytes && !stays && (number == 4 || number == 9 || number == 5)) {  // holds others
      edit_fields in;
      onnxw_open(w, number);
      weft__edit_fields(&in, inner, e->d);
      while (weft__edit_next(&in, &s)) {
        if (in.f.number == (number == 5 ? 2u : 1u))
          s = deep_type(e, w, in.f.number, weft__edit_payload(&in), false, loose);
        else
          weft__edit_put(w, in.whole);
      }
      onnxw_close(w);
    } else {
      weft__edit_put(w, it.whole);
    }
  }
  onnxw_close(w);
  return s;
}

// The name that a body reads instead; NULL: the one that it has.
static const edit_value *renamed(const onnx_edit *e, onnx_str name) {
  edit_value *v = e->deep->rename ? weft__edit_find(e, name.text, name.bytes) : NULL;
  return v && v->alias ? weft__edit_follow(v) : NULL;
}

// Both names would be one value to the reader of the file.
static weft_status refuse_shadow(const onnx_edit *e, onnx_str name) {
  if (!renamed(e, name))
    return WEFT_OK;
  return weft_fail(
      e->d, WEFT_E_UNSUPPORTED,
      "a body gives out or makes anew '%.*s', which is an input or output of the model: its type "
      "cannot be kept",
      (int)WEFT_MIN(name.bytes, 200), name.text);
}

weft_status weft__deep_info(onnx_edit *e, onnxw *w, uint32_t field, onnx_str raw, bool inside) {
  edit_fields it;
  weft_status s = WEFT_OK;
  bool loose = e->deep->drop_shapes && (inside || field == 12);
  onnxw_open(w, field);
  weft__edit_fields(&it, raw, e->d);
  while (weft__edit_next(&it, &s)) {
    if (it.f.number == 1 && inside)
      s = refuse_shadow(e, weft__edit_payload(&it));
    if (it.f.number == 2)
      s = deep_type(e, w, 2, weft__edit_payload(&it), false, loose);
    else
      weft__edit_put(w, it.whole);
  }
  onnxw_close(w);
  return s;
}

// ---- tensors ----

static void convert_element(const edit_deep *p, const weft_tensor *from, weft_tensor *to, size_t i) {
  double v = weft_load_f64(from->dtype, from->data, i);
  if ((to->dtype != WEFT_FLOAT || p->limit) && v - v == 0) {
    double most = to->dtype == WEFT_FLOAT16 ? 65504 : EDIT_BF16_MOST;
    if (v > most || v < -most) {
      v = v < 0 ? -most : most;
      ++*p->n_clamped;
    }
    weft_store_f64(to->dtype, to->data, i, v);
    if (v != 0 && weft_load_f64(to->dtype, to->data, i) == 0)
      ++*p->n_lost;
    return;
  }
  weft_store_f64(to->dtype, to->data, i, v);
}

static weft_status retype(onnx_edit *e, onnxw *w, uint32_t field, const weft_tensor *from, onnx_str name) {
  weft_tensor to;
  weft_dtype dtype = WEFT_FLOAT;
  weft_tensor_init(&to, &e->env->alloc);
  (void)weft__onnx_dtype(e->deep->to, &dtype);
  weft_status s = weft_tensor_alloc(&to, dtype, from->layout.origin.dim, from->layout.origin.rank, e->d);
  int64_t n = s ? 0 : weft_tensor_elems(from);
  for (int64_t i = 0; i < n; i++)
    convert_element(e->deep, from, &to, (size_t)i);
  if (!s)
    s = weft__edit_put_tensor(e, w, field, name, &to);
  ++*e->deep->n_tensors;
  weft_tensor_deinit(&to);
  return s;
}

weft_status weft__deep_tensor(onnx_edit *e, onnxw *w, uint32_t field, onnx_str raw) {
  edit_fields it;
  weft_status s = WEFT_OK;
  weft_tensor t;
  onnx_str name = {NULL, 0};
  int32_t type = 0;
  bool external = false;
  weft__edit_fields(&it, raw, e->d);
  while (weft__edit_next(&it, &s)) {
    if (it.f.number == 2)
      type = (int32_t)it.f.value;
    if (it.f.number == 8)
      name = weft__edit_payload(&it);
    external |= it.f.number == 13 || (it.f.number == 14 && it.f.value == ONNX_LOCATION_EXTERNAL);
  }
  WEFT_TRY(s);
  if (!e->deep->from || type != e->deep->from) {
    onnxw_bytes(w, field, raw.text, raw.bytes);
    return WEFT_OK;
  }
  if (external) {
    return weft_fail(e->d, WEFT_E_UNSUPPORTED,
                     "tensor '%.*s': its data are in an external file, which stays as it is, so "
                     "that its type cannot change",
                     (int)WEFT_MIN(name.bytes, 200), onnx_str_text(name));
  }
  weft_tensor_init(&t, &e->env->alloc);
  s = weft_onnx_read_tensor(raw.text, raw.bytes, &t, e->d);
  if (!s)
    s = retype(e, w, field, &t, name);
  weft_tensor_deinit(&t);
  return s;
}

weft_status weft__deep_initializer(onnx_edit *e, onnxw *w, const edit_tensor *t) {
  const weft_tensor *data =
      weft__edit_external(t->t) && t->t->data_type == e->deep->from ? weft__edit_data(e, t->value) : NULL;
  return data && t->value->init == t ? retype(e, w, 5, data, t->value->name)
                                     : weft__deep_tensor(e, w, 5, t->raw);
}

weft_status weft__deep_sparse(onnx_edit *e, onnxw *w, uint32_t field, onnx_str raw) {
  edit_fields it;
  weft_status s = WEFT_OK;
  onnxw_open(w, field);
  weft__edit_fields(&it, raw, e->d);
  while (weft__edit_next(&it, &s)) {
    if (it.f.number == 1)
      s = weft__deep_tensor(e, w, 1, weft__edit_payload(&it));
    else
      weft__edit_put(w, it.whole);
  }
  onnxw_close(w);
  return s;
}

// ---- nodes ----

static weft_status deep_graph(onnx_edit *e, onnxw *w, uint32_t field, onnx_str raw);

static weft_status put_f32_attr(onnx_edit *e, onnxw *w, const float *v, size_t n,
                                bool scalar) {  // of Constant
  weft_tensor t;
  weft_dim dim = (weft_dim)n;
  static const float none = 0;
  weft_tensor_init(&t, &e->env->alloc);
  onnxw_open(w, 5);
  onnxw_str(w, 1, "value");
  onnxw_int(w, 20, ONNX_ATTR_TENSOR);
  weft_status s = weft_tensor_borrow(&t, WEFT_FLOAT, &dim, !scalar, (void *)(uintptr_t)(n ? v : &none),
                                     n * sizeof *v, e->d);
  if (!s)
    s = retype(e, w, 5, &t, (onnx_str){NULL, 0});
  weft_tensor_deinit(&t);
  onnxw_close(w);
  return s;
}

static void put_int_attr(onnxw *w, const char *name, int64_t v) {
  onnxw_open(w, 5);
  onnxw_str(w, 1, name);
  onnxw_int(w, 20, ONNX_ATTR_INT);
  onnxw_int(w, 3, v);
  onnxw_close(w);
}

// Attributes that are an element type; dflt: what an absent one stands for, 0: nothing.
static const struct {
  const char *op;
  const char *attr;
  int32_t dflt;
} types[] = {
    {"Cast", "to", 0},
    {"EyeLike", "dtype", 0},
    {"RandomNormal", "dtype", 1},
    {"RandomUniform", "dtype", 1},
    {"RandomNormalLike", "dtype", 0},
    {"RandomUniformLike", "dtype", 0},
    {"Bernoulli", "dtype", 0},
    {"BlackmanWindow", "output_datatype", 1},
    {"HammingWindow", "output_datatype", 1},
    {"HannWindow", "output_datatype", 1},
    {"SequenceEmpty", "dtype", 1},
    {"DequantizeLinear", "output_dtype", 0},
};

typedef struct head {
  onnx_str op, domain;
} head;

static const char *type_attr(head h, int32_t *dflt) {
  for (size_t i = 0; i < WEFT_COUNT(types); i++) {
    if (!h.domain.bytes && onnx_str_is(h.op, types[i].op))
      return *dflt = types[i].dflt, types[i].attr;
  }
  return NULL;
}

static weft_status put_attr_fields(onnx_edit *e, onnxw *w, onnx_str raw, bool is_type) {
  const edit_deep *p = e->deep;
  edit_fields it;
  weft_status s = WEFT_OK;
  onnxw_open(w, 5);
  weft__edit_fields(&it, raw, e->d);
  while (weft__edit_next(&it, &s)) {
    onnx_str inner = weft__edit_payload(&it);
    uint32_t number = it.f.number;
    if (number == 3 && is_type && (int32_t)it.f.value == p->from)
      onnxw_int(w, 3, p->to);
    else if (number == 5 || number == 10)
      s = weft__deep_tensor(e, w, number, inner);
    else if (number == 22 || number == 23)
      s = weft__deep_sparse(e, w, number, inner);
    else if (number == 6 || number == 11)
      s = deep_graph(e, w, number, inner);
    else if (number == 14 || number == 15)
      s = deep_type(e, w, number, inner, false, p->drop_shapes);
    else
      weft__edit_put(w, it.whole);
  }
  onnxw_close(w);
  return s;
}

typedef struct float_attr {  // value_float and value_floats of a Constant
  bool found;
  bool scalar;
  WEFT_VEC(float) v;
} float_attr;

static weft_status read_floats(onnx_edit *e, onnx_str raw, float_attr *out) {
  edit_fields it;
  weft_status s = WEFT_OK;
  weft__edit_fields(&it, raw, e->d);
  while (weft__edit_next(&it, &s)) {
    if (it.f.number == 1) {
      out->scalar = onnx_str_is(weft__edit_payload(&it), "value_float");
      out->found = out->scalar || onnx_str_is(weft__edit_payload(&it), "value_floats");
    }
    if (it.f.number != 2 && it.f.number != 7)
      continue;
    const uint8_t *at = it.f.data;  // one number, or several packed
    size_t n = it.f.type == WIRE_BYTES ? it.f.bytes / 4 : 1;
    for (size_t i = 0; i < n; i++) {
      uint32_t bits = (uint32_t)it.f.value;
      if (it.f.type == WIRE_BYTES) {
        bits = at[4 * i] | (uint32_t)at[4 * i + 1] << 8 | (uint32_t)at[4 * i + 2] << 16 |
               (uint32_t)at[4 * i + 3] << 24;
      }
      WEFT_TRY(weft__edit_allocated(WEFT_VEC_ROOM(&e->env->alloc, out->v), e));
      memcpy(&out->v.v[out->v.n++], &bits, 4);
    }
  }
  return s;
}

static weft_status deep_attr(onnx_edit *e, onnxw *w, head h, onnx_str raw, bool *has_type, bool *has_value) {
  edit_fields it;
  weft_status s = WEFT_OK;
  int32_t dflt;
  const char *typed = e->deep->from ? type_attr(h, &dflt) : NULL;
  bool is_type = false;
  weft__edit_fields(&it, raw, e->d);
  while (weft__edit_next(&it, &s)) {
    if (it.f.number != 1)
      continue;
    is_type = typed && onnx_str_is(weft__edit_payload(&it), typed);
    *has_value |= onnx_str_is(weft__edit_payload(&it), "value");
  }
  WEFT_TRY(s);
  *has_type |= is_type;
  if (e->deep->from == ONNX_FLOAT && !h.domain.bytes && onnx_str_is(h.op, "Constant")) {
    float_attr f = {0};
    s = read_floats(e, raw, &f);
    bool found = !s && f.found && (!f.scalar || f.v.n);
    if (found)
      s = put_f32_attr(e, w, f.v.v, f.scalar ? 1 : f.v.n, f.scalar);
    WEFT_VEC_FREE(&e->env->alloc, f.v);
    if (s || found)
      return s;
  }
  return put_attr_fields(e, w, raw, is_type);
}

// An attribute of a node that stays f32: a number that the Cast behind it would make infinite is limited.
static weft_status limited_attr(onnx_edit *e, onnxw *w, onnx_str raw) {
  const edit_deep *whole = e->deep;
  size_t unused = 0;
  edit_deep limited = *whole;
  limited.to = ONNX_FLOAT;
  limited.limit = true;
  limited.n_tensors = &unused;
  e->deep = &limited;
  weft_status s = put_attr_fields(e, w, raw, false);
  e->deep = whole;
  return s;
}

weft_status weft__deep_node(onnx_edit *e, onnxw *w, onnx_str raw, bool settled) {
  edit_fields it;
  weft_status s = WEFT_OK;
  head h = {{NULL, 0}, {NULL, 0}};
  bool has_type = false;
  bool has_value = false;
  weft__edit_fields(&it, raw, e->d);
  while (weft__edit_next(&it, &s)) {
    if (it.f.number == 4)
      h.op = weft__edit_payload(&it);
    if (it.f.number == 7)
      h.domain = weft__edit_payload(&it);
  }
  WEFT_TRY(s);
  if (onnx_str_is(h.domain, "ai.onnx"))
    h.domain.bytes = 0;
  bool bf16 = e->deep && e->deep->to == ONNX_BFLOAT16 && !h.domain.bytes;
  bool fills = bf16 && onnx_str_is(h.op, "ConstantOfShape");
  settled |= bf16 && onnx_str_is(h.op, "SequenceEmpty");
  weft__edit_fields(&it, raw, e->d);
  while (weft__edit_next(&it, &s)) {
    if (it.f.number == 5 && e->deep && !settled)
      s = deep_attr(e, w, h, weft__edit_payload(&it), &has_type, &has_value);
    else if (it.f.number == 5 && fills)
      s = limited_attr(e, w, weft__edit_payload(&it));
    else if (it.f.number > 2)
      weft__edit_put(w, it.whole);
  }
  int32_t dflt = 0;
  if (s || !e->deep || settled || e->deep->from != ONNX_FLOAT)
    return s;
  const char *typed = type_attr(h, &dflt);
  if (typed && dflt == ONNX_FLOAT && !has_type)
    put_int_attr(w, typed, e->deep->to);
  if (!h.domain.bytes && onnx_str_is(h.op, "ConstantOfShape") && !has_value)
    s = put_f32_attr(e, w, &(float){0}, 1, false);
  return s;
}

// ---- graphs and functions ----

static weft_status inner_node(onnx_edit *e, onnxw *w, uint32_t field, onnx_str raw) {
  edit_fields it;
  weft_status s = WEFT_OK;
  onnxw_open(w, field);
  weft__edit_fields(&it, raw, e->d);
  while (weft__edit_next(&it, &s)) {
    if (it.f.number > 2)
      continue;
    onnx_str name = weft__edit_payload(&it);
    const edit_value *as = it.f.number == 1 ? renamed(e, name) : NULL;
    if (as)
      onnxw_bytes(w, 1, as->text, as->name.bytes);
    else
      weft__edit_put(w, it.whole);
    if (it.f.number == 2)
      s = refuse_shadow(e, name);
  }
  if (!s)
    s = weft__deep_node(e, w, raw, false);
  onnxw_close(w);
  return s;
}

static weft_status deep_graph(onnx_edit *e, onnxw *w, uint32_t field, onnx_str raw) {
  edit_fields it;
  weft_status s = WEFT_OK;
  onnxw_open(w, field);
  weft__edit_fields(&it, raw, e->d);
  while (weft__edit_next(&it, &s)) {
    onnx_str inner = weft__edit_payload(&it);
    uint32_t number = it.f.number;
    if (number == 1)
      s = inner_node(e, w, 1, inner);
    else if (number == 5)
      s = weft__deep_tensor(e, w, 5, inner);
    else if (number == 15)
      s = weft__deep_sparse(e, w, 15, inner);
    else if (number == 11 || number == 12)
      s = weft__deep_info(e, w, number, inner, true);
    else if (number != 13)
      weft__edit_put(w, it.whole);
    else if (!e->deep->drop_shapes)
      s = weft__deep_info(e, w, 13, inner, true);
  }
  onnxw_close(w);
  return s;
}

weft_status weft__deep_function(onnx_edit *e, onnxw *w, onnx_str raw) {
  edit_fields it;
  weft_status s = WEFT_OK;
  onnxw_open(w, 25);
  weft__edit_fields(&it, raw, e->d);
  while (weft__edit_next(&it, &s)) {
    onnx_str inner = weft__edit_payload(&it);
    if (it.f.number == 7)
      s = inner_node(e, w, 7, inner);
    else if (it.f.number != 12)
      weft__edit_put(w, it.whole);
    else if (!e->deep->drop_shapes)
      s = weft__deep_info(e, w, 12, inner, true);
  }
  onnxw_close(w);
  return s;
}
// SPDX-License-Identifier: Apache-2.0
