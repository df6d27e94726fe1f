// op.c - inputs, options and outputs of one operator, for the mappings; quantised tensors on their way in and
// out.
#include <stdlib.h>
#include "base/allocated.h"
#include "frontend/tflite/tflite.h"

// ---- tensors ----
size_t tl_n_in(const tl_op *o) {
  return o->op->in.n;
}
size_t tl_n_out(const tl_op *o) {
  return o->op->out.n;
}

static int64_t op_tensor(const tl_op *o, const flat_list *l, size_t i) {
  return i < l->n ? (int32_t)flat_u32_at(&o->m->file, l, i) : -1;
}

const tl_tensor *tl_tensor_in(const tl_op *o, size_t i) {
  int64_t k = op_tensor(o, &o->op->in, i);
  return k < 0 ? NULL : &o->s->g->tensors[k];
}
const tl_tensor *tl_tensor_out(const tl_op *o, size_t i) {
  int64_t k = op_tensor(o, &o->op->out, i);
  return k < 0 ? NULL : &o->s->g->tensors[k];
}
bool tl_has(const tl_op *o, size_t i) {
  return op_tensor(o, &o->op->in, i) >= 0;
}

// ---- constants ----
static weft_status op_constant_fits(tl_op *o, const tl_tensor *t) {
  uint64_t n = 1;
  for (int i = 0; i < t->rank; i++) {
    if (t->dims[i] < 0 || (t->dims[i] && n > UINT64_MAX / 64 / (uint64_t)t->dims[i]))
      return front_fail(&o->b, WEFT_E_SHAPE, "constant '%.100s' has no fixed size", t->name);
    n *= (uint64_t)t->dims[i];
  }
  uint64_t need = (n * weft_dtype_bits(t->t) + 7) / 8;
  if (need != t->bytes && !t->sparsity.size)
    return front_fail(&o->b, WEFT_E_SHAPE, "constant '%.100s' needs %llu bytes, its buffer has %zu", t->name,
                      (unsigned long long)need, t->bytes);
  return WEFT_OK;
}

static weft_value *op_sparse(tl_op *o, const tl_tensor *t) {
  weft_tensor all;
  weft_tensor_init(&all, &o->m->f.arena.alloc);  // it counts against the limits of the reading
  weft_value *v = tl_sparse(o, t, &all) ? NULL : front_const(&o->b, &all);
  weft_tensor_deinit(&all);
  return v;
}

weft_value *tl_constant(tl_op *o, const tl_tensor *t) {
  char other[400];
  const char *name = *t->name ? t->name : "const";
  weft_graph *g = o->s->s->g;
  weft_value *v = NULL;
  if (o->b.failed)
    return NULL;
  if (t->t == WEFT_UNDEFINED || t->t == WEFT_STRING)
    return front_none(&o->b, WEFT_E_UNSUPPORTED, "constant '%.100s' has tensor type %d, which is not read",
                      t->name, t->type);
  if (op_constant_fits(o, t))
    return NULL;
  if (t->sparsity.size)
    return op_sparse(o, t);
  while (weft_graph_find_value(g, name)) {
    snprintf(other, sizeof other, "%.300s/const_%u", t->name, o->m->f.n_made++);
    name = other;
  }
  const front_data data = {t->t, t->dims, (size_t)t->rank, t->data ? (const void *)t->data : "", t->bytes};
  o->b.failed = front_borrow(&o->m->f, g, name, &data, &v);
  return o->b.failed ? NULL : v;
}

// ---- inputs ----
static bool op_empty(const tl_tensor *t) {
  for (int i = 0; i < t->rank; i++) {
    if (!t->dims[i])
      return true;
  }
  return false;
}

weft_value *tl_raw(tl_op *o, size_t i) {
  const tl_tensor *t = tl_tensor_in(o, i);
  if (o->b.failed)
    return NULL;
  if (!t)
    return front_none(&o->b, WEFT_E_MISSING, "input %zu is not given", i);
  weft_value **made = &o->s->made[t - o->s->g->tensors];
  if (!*made && (t->data || op_empty(t)))
    *made = tl_constant(o, t);
  if (*made || o->b.failed)
    return *made;
  if (t->variable)
    return front_none(&o->b, WEFT_E_UNSUPPORTED, "input %zu, '%.100s', is a variable, and none is kept", i,
                      t->name);
  return front_none(&o->b, WEFT_E_MISSING, "input %zu, '%.100s', is made by no operator before this one", i,
                    t->name);
}

static weft_value *op_scales(tl_op *o, const tl_tensor *t) {
  float scales[64];
  const tl_quant *q = &t->quant;
  float *v = q->n <= 64 ? scales : WEFT_NEW_N(&o->m->f.arena, float, q->n);
  weft_tensor c;
  weft_dim dim = (weft_dim)q->n;
  if (!v) {
    front_fail(&o->b, WEFT_E_NOMEM, "out of memory");
    return NULL;
  }
  for (size_t i = 0; i < q->n; i++)
    v[i] = flat_f32_at(&o->m->file, &q->scales, i);
  weft_tensor_init(&c, &o->m->f.env->alloc);
  o->b.failed = weft_tensor_borrow(&c, WEFT_FLOAT, &dim, q->n > 1, v, q->n * sizeof *v, o->m->f.d);
  weft_value *out = o->b.failed ? NULL : front_const(&o->b, &c);
  weft_tensor_deinit(&c);
  return out;
}

// NULL: all are zero.
static weft_value *op_zero_points(tl_op *o, const tl_tensor *t) {
  const tl_quant *q = &t->quant;
  size_t size = weft_dtype_bits(t->t) / 8;
  weft_dim dim = (weft_dim)q->n;
  weft_tensor c;
  bool any = false;
  for (size_t i = 0; i < q->zero_points.n; i++)
    any |= flat_i64_at(&o->m->file, &q->zero_points, i) != 0;
  if (!any || o->b.failed)
    return NULL;
  if (!size)
    return front_none(&o->b, WEFT_E_UNSUPPORTED, "'%.100s' has a zero point in half a byte", t->name);
  uint64_t *v = WEFT_NEW_N(&o->m->f.arena, uint64_t, q->n);
  if (!v)
    return front_none(&o->b, WEFT_E_NOMEM, "out of memory");
  for (size_t i = 0; i < q->n; i++)
    weft_store_i64(t->t, v, i, flat_i64_at(&o->m->file, &q->zero_points, q->zero_points.n > 1 ? i : 0));
  weft_tensor_init(&c, &o->m->f.env->alloc);
  o->b.failed = weft_tensor_borrow(&c, t->t, &dim, q->n > 1, v, q->n * size, o->m->f.d);
  weft_value *out = o->b.failed ? NULL : front_const(&o->b, &c);
  weft_tensor_deinit(&c);
  return out;
}

weft_value *tl_real(tl_op *o, const tl_tensor *t, weft_value *v, const int64_t *order) {
  if (o->b.failed || !tl_quantised(t))
    return o->b.failed ? NULL : v;
  weft_value *scale = op_scales(o, t);
  if (t->t == WEFT_INT64)  // a bias of 16-bit models
    return front_do(&o->b, "Mul", front_as(&o->b, v, WEFT_FLOAT), scale, NULL);
  weft_value *zero = op_zero_points(o, t);
  if (t->quant.n > 1) {
    int64_t axis = t->quant.axis;
    for (int i = 0; order && i < t->rank; i++) {
      if (order[i] == t->quant.axis)
        axis = i;
    }
    front_set_int(&o->b, "axis", axis);
  }
  bool named = o->b.named;  // the model's name is for what computes
  o->b.named = true;
  v = front_do(&o->b, "DequantizeLinear", v, scale, zero);
  o->b.named = named;
  return v;
}

weft_value *tl_in(tl_op *o, size_t i) {
  weft_value *v = tl_raw(o, i);
  return o->row->how == TL_COMPUTE ? tl_real(o, tl_tensor_in(o, i), v, NULL) : v;
}

size_t tl_known(tl_op *o, size_t i, int64_t out[TL_MAX_NUMBERS]) {
  weft_value *v = tl_raw(o, i);
  size_t n = 0;
  if (!o->b.failed && !front_known_ints(v, out, TL_MAX_NUMBERS, &n))
    front_fail(&o->b, WEFT_E_UNKNOWN, "input %zu is not a constant of at most %d whole numbers", i,
               (int)TL_MAX_NUMBERS);
  return o->b.failed ? 0 : n;
}

weft_value **tl_list(tl_op *o, size_t first, size_t *n) {
  *n = tl_n_in(o) > first ? tl_n_in(o) - first : 0;
  weft_value **v = WEFT_NEW_N(&o->m->f.arena, weft_value *, *n + 2);
  if (!v || !*n) {
    front_fail(&o->b, v ? WEFT_E_MISSING : WEFT_E_NOMEM, v ? "it has no inputs" : "out of memory");
    return NULL;
  }
  for (size_t i = 0; i < *n; i++)
    v[i] = tl_in(o, first + i);
  return o->b.failed ? NULL : v;
}

// ---- options ----
// A broken option is the operator's failure: the reading goes on behind it.
static void op_checked(tl_op *o) {
  if (o->m->file.failed && !o->b.failed)
    o->b.failed = o->m->file.failed;
  o->m->file.failed = WEFT_OK;
}
int64_t tl_int(tl_op *o, uint32_t field, int32_t dflt) {
  int64_t v = flat_i32(&o->m->file, &o->op->options, field, dflt);
  op_checked(o);
  return v;
}
int64_t tl_byte(tl_op *o, uint32_t field, int8_t dflt) {
  int64_t v = flat_i8(&o->m->file, &o->op->options, field, dflt);
  op_checked(o);
  return v;
}
double tl_float(tl_op *o, uint32_t field, float dflt) {
  double v = (double)flat_f32(&o->m->file, &o->op->options, field, dflt);
  op_checked(o);
  return v;
}
size_t tl_ints(tl_op *o, uint32_t field, int64_t out[TL_MAX_NUMBERS]) {
  flat_list l = flat_items(&o->m->file, &o->op->options, field, 4);
  op_checked(o);
  if (o->b.failed)
    return 0;
  if (l.n > TL_MAX_NUMBERS) {
    front_fail(&o->b, WEFT_E_LIMIT, "%zu numbers in an option", l.n);
    return 0;
  }
  for (size_t i = 0; i < l.n; i++)
    out[i] = (int32_t)flat_u32_at(&o->m->file, &l, i);
  return l.n;
}

// One of "name=i0" (int of field 0), "name=b0" (bool), "name=f0" (float), "name=T", "name=F", "name=7",
// "name='text'".
static void op_set_attr(tl_op *o, const char *name, char *v) {
  uint32_t field = (uint32_t)strtoul(v + 1, NULL, 10);
  if (*v == 'i')
    front_set_int(&o->b, name, tl_int(o, field, 0));
  else if (*v == 'b')
    front_set_bool(&o->b, name, tl_byte(o, field, 0));
  else if (*v == 'f')
    front_set_float(&o->b, name, tl_float(o, field, 0));
  else if (*v == 'T' || *v == 'F')
    front_set_bool(&o->b, name, *v == 'T');
  else if (*v == '\'') {
    v[strlen(v) - 1] = 0;
    front_set_text(&o->b, name, v + 1);
  } else
    front_set_int(&o->b, name, strtoll(v, NULL, 10));
}

void tl_set_attrs(tl_op *o, const char *rule) {
  while (*rule && !o->b.failed) {
    size_t n = strcspn(rule, " ");
    char *one = weft__arena_strdup(&o->m->f.arena, rule, n);
    rule += n + strspn(rule + n, " ");
    char *v = one ? strchr(one, '=') : NULL;
    if (!v) {
      front_fail(&o->b, WEFT_E_NOMEM, "out of memory");
      return;
    }
    *v = 0;
    op_set_attr(o, one, v + 1);
  }
}

// ---- outputs ----
weft_value *tl_active(tl_op *o, weft_value *v) {
  int field = tl_activation(o->op->code);
  int64_t how = field < 0 ? 0 : tl_byte(o, (uint32_t)field, 0);
  if (o->b.failed || !v || !how)
    return o->b.failed ? NULL : v;
  weft_dtype t = v->fact.dtype;
  switch (how) {
    case 1:
      return front_do(&o->b, "Relu", v, NULL, NULL);
    case 2:
      return front_do(&o->b, "ClipByValueV2", v, front_num(&o->b, t, -1), front_num(&o->b, t, 1));
    case 3:
      if (!weft_dtype_is_integer(t))
        return front_do(&o->b, "Relu6", v, NULL, NULL);
      return front_do(&o->b, "ClipByValueV2", v, front_num(&o->b, t, 0), front_num(&o->b, t, 6));
    case 4:
      return front_do(&o->b, "Tanh", v, NULL, NULL);
    default:
      return front_none(&o->b, WEFT_E_UNSUPPORTED, "fused activation %lld is not read", (long long)how);
  }
}

void tl_give_raw(tl_op *o, size_t i, weft_value *v) {
  const tl_tensor *t = tl_tensor_out(o, i);
  if (o->b.failed || !t || !v)
    return;
  if (t->t != WEFT_UNDEFINED && t->t != v->fact.dtype && v->fact.dtype != WEFT_UNDEFINED &&
      v->fact.dtype != WEFT_STRING && t->t != WEFT_STRING)
    v = front_as(&o->b, v, t->t);
  o->s->made[t - o->s->g->tensors] = v;
}

static bool op_same_quant(const tl_op *o, const tl_tensor *a, const tl_tensor *b) {
  const flat *f = &o->m->file;
  if (a->t != b->t || a->quant.n != b->quant.n || a->quant.n > 1)
    return a->quant.n > 1;  // of each channel: the converter moves no such tensor to other scales
  int64_t za = a->quant.zero_points.n ? flat_i64_at(f, &a->quant.zero_points, 0) : 0;
  int64_t zb = b->quant.zero_points.n ? flat_i64_at(f, &b->quant.zero_points, 0) : 0;
  return za == zb && flat_f32_at(f, &a->quant.scales, 0) == flat_f32_at(f, &b->quant.scales, 0);
}

void tl_give(tl_op *o, size_t i, weft_value *v) {
  const tl_tensor *t = tl_tensor_out(o, i);
  if (o->b.failed || !t || !v)
    return;
  if (tl_quantised(t) && o->row->how == TL_MOVE) {
    const tl_tensor *from = tl_tensor_in(o, o->row->of);
    if (!tl_quantised(from) || op_same_quant(o, from, t)) {
      tl_give_raw(o, i, v);
      return;
    }
    v = tl_real(o, from, v, NULL);
  }
  if (tl_quantised(t) && o->row->how != TL_RAW && !o->b.failed && weft_dtype_is_float(v->fact.dtype)) {
    if (t->quant.n > 1)
      front_set_int(&o->b, "axis", t->quant.axis);
    weft_value *scale = op_scales(o, t);
    weft_value *zero = op_zero_points(o, t);
    front_set_int(&o->b, "output_dtype", t->t);
    v = front_do(&o->b, "QuantizeLinear", v, scale, zero);
  }
  tl_give_raw(o, i, v);
}

void tl_give_all(tl_op *o, weft_value *first, size_t n) {
  for (size_t i = 0; first && i < n && i < tl_n_out(o) && !o->b.failed; i++)
    tl_give(o, i, &first[i]);
}
// SPDX-License-Identifier: Apache-2.0
