// elementwise.c - behaviours of the elementwise families. Floats are computed in double and rounded once,
// integers in their own width, complex numbers as pairs of doubles. One loop a family, for every dtype and
// any broadcasting.
#include "op.h"

static bool float_like(weft_dtype t) {
  return weft_dtype_is_float(t);
}

static void load_complex(weft_dtype t, const void *data, size_t i, double z[2]) {
  if (t == WEFT_COMPLEX128)
    memcpy(z, (const char *)data + i * 16, 16);
  else {
    weft_dtype part = t == WEFT_COMPLEX64 ? WEFT_FLOAT : WEFT_FLOAT16;
    z[0] = weft_load_f64(part, data, 2 * i);
    z[1] = weft_load_f64(part, data, 2 * i + 1);
  }
}

static void store_complex(weft_dtype t, void *data, size_t i, const double z[2]) {
  if (t == WEFT_COMPLEX128)
    memcpy((char *)data + i * 16, z, 16);
  else {
    weft_dtype part = t == WEFT_COMPLEX64 ? WEFT_FLOAT : WEFT_FLOAT16;
    weft_store_f64(part, data, 2 * i, z[0]);
    weft_store_f64(part, data, 2 * i + 1, z[1]);
  }
}

static bool is_unsigned(weft_dtype t) {
  return (weft_dtype_is_integer(t) && !weft_dtype_is_signed(t)) || t == WEFT_BOOL || t == WEFT_QUINT8 ||
         t == WEFT_QUINT16;
}

weft_status weft__unary(const weft_call *c, const weft_unary *k) {
  const weft_tensor *x = c->in[0];
  weft_tensor *y = c->out[0];
  weft_dtype t = x->dtype;
  size_t n = weft__elems(&x->layout.origin);
  if (weft_dtype_is_complex(t)) {
    if (!k->c)
      return weft__no_kernel(c, t);
    for (size_t i = 0; i < n; i++) {
      double z[2];
      WEFT_TRY(weft__poll_at(c, i));
      load_complex(t, x->data, i, z);
      k->c(z);
      store_complex(t, y->data, i, z);
    }
  } else if (float_like(t)) {
    if (!k->f)
      return weft__no_kernel(c, t);
    for (size_t i = 0; i < n; i++) {
      WEFT_TRY(weft__poll_at(c, i));
      weft_store_f64(t, y->data, i, k->f(weft_load_f64(t, x->data, i)));
    }
  } else if (is_unsigned(t)) {
    if (!k->u)
      return weft__no_kernel(c, t);
    for (size_t i = 0; i < n; i++) {
      WEFT_TRY(weft__poll_at(c, i));
      weft_store_u64(t, y->data, i, k->u(weft_load_u64(t, x->data, i)));
    }
  } else {
    if (!k->i)
      return weft__no_kernel(c, t);
    for (size_t i = 0; i < n; i++) {
      WEFT_TRY(weft__poll_at(c, i));
      weft_store_i64(t, y->data, i, k->i(weft_load_i64(t, x->data, i)));
    }
  }
  return WEFT_OK;
}

static void walk_two(weft_walk *w, const weft_call *c) {
  weft__walk_init(w, &c->out[0]->layout.origin);
  weft__walk_operand(w, 0, &c->in[0]->layout.origin);
  weft__walk_operand(w, 1, &c->in[1]->layout.origin);
}

weft_status weft__binary(const weft_call *c, const weft_binary *k) {
  const weft_tensor *a = c->in[0];
  const weft_tensor *b = c->in[1];
  weft_dtype t = a->dtype;
  void *y = c->out[0]->data;
  weft_walk w;
  walk_two(&w, c);
  const char *bad = NULL;
  bool complex = weft_dtype_is_complex(t);
  bool real = float_like(t);
  bool natural = is_unsigned(t);
  if (complex ? !k->c : real ? !k->f : natural ? !k->u : !k->i)
    return weft__no_kernel(c, t);
  for (; w.i < w.n && !bad; weft__walk_next(&w)) {
    WEFT_TRY(weft__poll_at(c, w.i));
    if (complex) {
      double p[2], q[2];
      load_complex(t, a->data, w.at[0], p);
      load_complex(t, b->data, w.at[1], q);
      k->c(p, q);
      store_complex(t, y, w.i, p);
    } else if (real) {
      weft_store_f64(t, y, w.i, k->f(weft_load_f64(t, a->data, w.at[0]), weft_load_f64(t, b->data, w.at[1])));
    } else if (natural) {
      weft_store_u64(t, y, w.i,
                     k->u(weft_load_u64(t, a->data, w.at[0]), weft_load_u64(t, b->data, w.at[1]), &bad));
    } else {
      weft_store_i64(t, y, w.i,
                     k->i(weft_load_i64(t, a->data, w.at[0]), weft_load_i64(t, b->data, w.at[1]), &bad));
    }
  }
  return bad ? weft_fail(c->d, WEFT_E_RANGE, "element %zu: %s", w.i - 1, bad) : WEFT_OK;
}

static int compare_strings(const weft_call *c, const weft_walk *w, weft_status *s) {
  const char *p;
  const char *q;
  size_t n;
  size_t m;
  *s = weft_tensor_string(c->in[0], w->at[0], &p, &n, c->d);
  if (!*s)
    *s = weft_tensor_string(c->in[1], w->at[1], &q, &m, c->d);
  if (*s)
    return 0;
  int r = memcmp(p, q, WEFT_MIN(n, m));
  return r ? r : (n > m) - (n < m);
}

weft_status weft__compare_op(const weft_call *c, bool lt, bool eq, bool gt, bool unordered) {
  const weft_tensor *a = c->in[0];
  const weft_tensor *b = c->in[1];
  weft_dtype t = a->dtype;
  uint8_t *y = c->out[0]->data;
  weft_walk w;
  walk_two(&w, c);
  for (; w.i < w.n; weft__walk_next(&w)) {
    bool less = false;
    bool more = false;
    bool none = false;
    WEFT_TRY(weft__poll_at(c, w.i));
    if (t == WEFT_STRING) {
      weft_status s;
      int r = compare_strings(c, &w, &s);
      if (s)
        return s;
      less = r < 0;
      more = r > 0;
    } else if (weft_dtype_is_complex(t)) {
      double p[2], q[2];
      load_complex(t, a->data, w.at[0], p);
      load_complex(t, b->data, w.at[1], q);
      none = p[0] != p[0] || p[1] != p[1] || q[0] != q[0] || q[1] != q[1];
      less = p[0] != q[0] || p[1] != q[1];
    } else if (float_like(t)) {
      double p = weft_load_f64(t, a->data, w.at[0]), q = weft_load_f64(t, b->data, w.at[1]);
      less = p < q;
      more = p > q;
      none = p != p || q != q;
    } else if (is_unsigned(t)) {
      uint64_t p = weft_load_u64(t, a->data, w.at[0]);
      uint64_t q = weft_load_u64(t, b->data, w.at[1]);
      less = p < q;
      more = p > q;
    } else {
      int64_t p = weft_load_i64(t, a->data, w.at[0]);
      int64_t q = weft_load_i64(t, b->data, w.at[1]);
      less = p < q;
      more = p > q;
    }
    y[w.i] = none ? unordered : less ? lt : more ? gt : eq;
  }
  return WEFT_OK;
}

weft_status weft__logic(const weft_call *c, bool (*f)(bool, bool)) {
  const uint8_t *a = c->in[0]->data;
  const uint8_t *b = c->n_in > 1 ? c->in[1]->data : a;
  uint8_t *y = c->out[0]->data;
  weft_walk w;
  weft__walk_init(&w, &c->out[0]->layout.origin);
  weft__walk_operand(&w, 0, &c->in[0]->layout.origin);
  weft__walk_operand(&w, 1, &c->in[c->n_in > 1 ? 1 : 0]->layout.origin);
  for (; w.i < w.n; weft__walk_next(&w)) {
    WEFT_TRY(weft__poll_at(c, w.i));
    y[w.i] = f(a[w.at[0]] != 0, b[w.at[1]] != 0);
  }
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
