// numeric.c - loops of elementwise operators with parameters or with operands of different dtypes. Floats are
// computed in double and rounded once; an element that a dtype cannot hold is handled by weft_store_*: one
// place, one rule.
#include "numeric.h"

static bool has_reals(weft_dtype t) {  // weft_load_f64 has a view of it
  return weft_dtype_is_float(t)
             ? t != WEFT_HIFLOAT8 && t != WEFT_HIFLOAT4
             : weft_dtype_is_integer(t) || t == WEFT_BOOL || (WEFT_SET_QUANTIFIED & WEFT_BIT(t));
}

void weft__load_number(weft_dtype t, const void *data, size_t i, double z[2]) {
  if (weft_dtype_is_complex(t))
    weft__load_complex(t, data, i, z);
  else {
    z[0] = weft_load_f64(t, data, i);
    z[1] = 0;
  }
}

void weft__store_number(weft_dtype t, void *data, size_t i, const double z[2]) {
  if (weft_dtype_is_complex(t))
    weft__store_complex(t, data, i, z);
  else
    weft_store_f64(t, data, i, z[0]);
}

// Scaled, so that the squares of large or small parts do not overflow.
void weft__div_complex(double a[2], const double b[2]) {
  double re = a[0], im = a[1];
  if (fabs(b[0]) >= fabs(b[1])) {
    double r = b[0] == 0 ? 0 : b[1] / b[0], d = b[0] + b[1] * r;
    a[0] = (re + im * r) / d;
    a[1] = (im - re * r) / d;
  } else {
    double r = b[0] / b[1], d = b[0] * r + b[1];
    a[0] = (re * r + im) / d;
    a[1] = (im * r - re) / d;
  }
}

weft_status weft__unary_with(const weft_call *c, const weft_unary_with *k) {
  const weft_tensor *x = c->in[0];
  weft_tensor *y = c->out[0];
  size_t n = weft__elems(&x->layout.origin);
  if (weft_dtype_is_complex(x->dtype)) {
    if (!k->c)
      return weft__no_kernel(c, x->dtype);
    for (size_t i = 0; i < n; i++) {
      double z[2];
      WEFT_TRY(weft__poll_at(c, i));
      weft__load_number(x->dtype, x->data, i, z);
      k->c(z, k->p);
      weft__store_number(y->dtype, y->data, i, z);
    }
    return WEFT_OK;
  }
  if (!k->f || !has_reals(x->dtype))
    return weft__no_kernel(c, x->dtype);
  for (size_t i = 0; i < n; i++) {
    WEFT_TRY(weft__poll_at(c, i));
    weft_store_f64(y->dtype, y->data, i, k->f(weft_load_f64(x->dtype, x->data, i), k->p));
  }
  return WEFT_OK;
}

weft_status weft__unary_real(const weft_call *c, double (*f)(double), void (*z)(double[2])) {
  const weft_tensor *x = c->in[0];
  weft_tensor *y = c->out[0];
  size_t n = weft__elems(&x->layout.origin);
  if (weft_dtype_is_complex(x->dtype) || !f)
    return weft__unary(c, &(weft_unary){.c = z});
  if (!has_reals(x->dtype))
    return weft__no_kernel(c, x->dtype);
  for (size_t i = 0; i < n; i++) {
    WEFT_TRY(weft__poll_at(c, i));
    weft_store_f64(y->dtype, y->data, i, f(weft_load_f64(x->dtype, x->data, i)));
  }
  return WEFT_OK;
}

weft_status weft__test(const weft_call *c, bool (*f)(double x, const double *p), const double *p) {
  const weft_tensor *x = c->in[0];
  uint8_t *y = c->out[0]->data;
  size_t n = weft__elems(&x->layout.origin);
  if (!has_reals(x->dtype))
    return weft__no_kernel(c, x->dtype);
  for (size_t i = 0; i < n; i++) {
    WEFT_TRY(weft__poll_at(c, i));
    y[i] = f(weft_load_f64(x->dtype, x->data, i), p);
  }
  return WEFT_OK;
}

static void mixed_element(const weft_call *c, const weft_binary *k, const weft_walk *w, const char **bad) {
  weft_dtype p = c->in[0]->dtype;
  weft_dtype q = c->in[1]->dtype;
  weft_dtype t = c->out[0]->dtype;
  const void *a = c->in[0]->data;
  const void *b = c->in[1]->data;
  void *y = c->out[0]->data;
  size_t i = w->at[0];
  size_t j = w->at[1];
  if (weft_dtype_is_complex(t)) {
    double u[2], v[2];
    weft__load_number(p, a, i, u);
    weft__load_number(q, b, j, v);
    k->c(u, v);
    weft__store_number(t, y, w->i, u);
  } else if (weft_dtype_is_float(t)) {
    weft_store_f64(t, y, w->i, k->f(weft_load_f64(p, a, i), weft_load_f64(q, b, j)));
  } else if (weft__is_unsigned(t)) {
    weft_store_u64(t, y, w->i, k->u(weft_load_u64(p, a, i), weft_load_u64(q, b, j), bad));
  } else {
    weft_store_i64(t, y, w->i, k->i(weft_load_i64(p, a, i), weft_load_i64(q, b, j), bad));
  }
}

weft_status weft__binary_mixed(const weft_call *c, const weft_binary *k) {
  weft_dtype t = c->out[0]->dtype;
  const char *bad = NULL;
  weft_walk w;
  bool lacks = weft_dtype_is_complex(t) ? !k->c
               : weft_dtype_is_float(t) ? !k->f
               : weft__is_unsigned(t)   ? !k->u
                                        : !k->i;
  if (lacks)
    return weft__no_kernel(c, t);
  weft__walk_init(&w, &c->out[0]->layout.origin);
  weft__walk_operand(&w, 0, &c->in[0]->layout.origin);
  weft__walk_operand(&w, 1, &c->in[1]->layout.origin);
  for (; w.i < w.n && !bad; weft__walk_next(&w)) {
    WEFT_TRY(weft__poll_at(c, w.i));
    mixed_element(c, k, &w, &bad);
  }
  return bad ? weft_fail(c->d, WEFT_E_RANGE, "element %zu: %s", w.i - 1, bad) : WEFT_OK;
}

weft_status weft__fill(const weft_call *c, double v) {
  weft_tensor *y = c->out[0];
  double z[2] = {v, 0};
  size_t n = weft__elems(&y->layout.origin);
  if (!weft_dtype_is_complex(y->dtype) && !has_reals(y->dtype))
    return weft__no_kernel(c, y->dtype);
  for (size_t i = 0; i < n; i++) {
    WEFT_TRY(weft__poll_at(c, i));
    weft__store_number(y->dtype, y->data, i, z);
  }
  return WEFT_OK;
}

weft_status weft__expect_broadcast_to(weft_infer *it, uint32_t in, uint32_t to) {
  const weft_shape *a = it->in[in];
  const weft_shape *b = it->in[to];
  if (weft_shape_is_unknown_rank(a) || weft_shape_is_unknown_rank(b))
    return WEFT_OK;
  bool fits = a->rank <= b->rank;
  for (size_t k = 0; fits && k < a->rank; k++) {
    weft_dim x = a->dim[k];
    weft_dim y = b->dim[b->rank - a->rank + k];
    fits = x < 0 || y < 0 || x == 1 || x == y;
  }
  if (fits)
    return WEFT_OK;
  char s[256];
  char t[256];
  return weft_fail(it->d, WEFT_E_SHAPE, "input '%s': shape %s does not broadcast to %s, the shape of '%s'",
                   weft__in_name(it->desc, in), weft_shape_text(a, it->symbols, s, sizeof s),
                   weft_shape_text(b, it->symbols, t, sizeof t), weft__in_name(it->desc, to));
}

static double clip_f64(double x, double lo, double hi) {
  if (x != x || lo != lo || hi != hi)
    return (double)NAN;
  x = x < lo ? lo : x;
  return x > hi ? hi : x;
}

weft_status weft__clip(const weft_call *c) {
  const void *x = c->in[0]->data;
  const void *lo = c->in[1]->data;
  const void *hi = c->in[2]->data;
  void *y = c->out[0]->data;
  weft_dtype t = c->in[0]->dtype;
  bool real = weft_dtype_is_float(t);
  bool natural = weft__is_unsigned(t);
  weft_walk w;
  if (!has_reals(t))
    return weft__no_kernel(c, t);
  weft__walk_init(&w, &c->out[0]->layout.origin);
  for (int k = 0; k < 3; k++)
    weft__walk_operand(&w, k, &c->in[k]->layout.origin);
  for (; w.i < w.n; weft__walk_next(&w)) {
    WEFT_TRY(weft__poll_at(c, w.i));
    if (real) {
      weft_store_f64(t, y, w.i,
                     clip_f64(weft_load_f64(t, x, w.at[0]), weft_load_f64(t, lo, w.at[1]),
                              weft_load_f64(t, hi, w.at[2])));
    } else if (natural) {
      uint64_t v = WEFT_MAX(weft_load_u64(t, x, w.at[0]), weft_load_u64(t, lo, w.at[1]));
      weft_store_u64(t, y, w.i, WEFT_MIN(v, weft_load_u64(t, hi, w.at[2])));
    } else {
      int64_t v = WEFT_MAX(weft_load_i64(t, x, w.at[0]), weft_load_i64(t, lo, w.at[1]));
      weft_store_i64(t, y, w.i, WEFT_MIN(v, weft_load_i64(t, hi, w.at[2])));
    }
  }
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
