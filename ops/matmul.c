// matmul.c - matrix products. Inputs are taken as arrays of double or of integers modulo 2^64; one row of the
// result is summed at a time.
#include "matmul.h"

#include "arrays.h"

typedef struct sides {  // of one operand
  weft_dim rows;
  weft_dim columns;
  size_t batch_rank;
} sides;

static sides sides_of(const weft_shape *s, bool transpose, bool left) {
  sides r = {1, 1, 0};
  if (s->rank == 1) {
    if (left)
      r.columns = s->dim[0];
    else
      r.rows = s->dim[0];
    return r;
  }
  r.batch_rank = s->rank - 2;
  r.rows = s->dim[s->rank - (transpose ? 1 : 2)];
  r.columns = s->dim[s->rank - (transpose ? 2 : 1)];
  return r;
}

weft_status weft__matmul_reserved(const weft_infer *it, uint32_t offset_x_slot) {
  uint32_t in;
  if (weft__has_in(it->desc, 3, &in))
    return weft_fail(it->d, WEFT_E_UNSUPPORTED, "input 'offset_w' is reserved");
  int64_t offset = weft_node_int(it->desc, offset_x_slot);
  if (!offset)
    return WEFT_OK;
  return weft_fail(it->d, WEFT_E_UNSUPPORTED, "attribute 'offset_x': %lld, only 0 is supported",
                   (long long)offset);
}

// The result must be able to take `in` by broadcasting without growing.
static weft_status matmul_fits(weft_infer *it, uint32_t in) {
  const weft_shape *s = it->in[in];
  const weft_shape *y = it->out[0];
  if (weft_shape_is_unknown_rank(s) || weft_shape_is_unknown_rank(y))
    return WEFT_OK;
  bool ok = s->rank <= y->rank;
  for (size_t i = 0; ok && i < s->rank; i++) {
    weft_dim a = s->dim[i];
    weft_dim b = y->dim[y->rank - s->rank + i];
    ok = a == 1 || a < 0 || b < 0 || a == b;
  }
  char a[256];
  char b[256];
  if (ok)
    return WEFT_OK;
  return weft_fail(it->d, WEFT_E_SHAPE, "input '%s': shape %s does not broadcast to the product's %s",
                   weft__in_name(it->desc, in), weft_shape_text(s, it->symbols, a, sizeof a),
                   weft_shape_text(y, it->symbols, b, sizeof b));
}

weft_status weft__matmul_infer(weft_infer *it, bool transpose_a, bool transpose_b) {
  const weft_shape *a = it->in[0];
  const weft_shape *b = it->in[1];
  uint32_t bias;
  weft_shape batch_a;
  weft_shape batch_b;
  weft_shape y;
  weft_dim ignored;
  WEFT_TRY(weft__expect_rank(it, 0, 1, WEFT_MAX_RANK));
  WEFT_TRY(weft__expect_rank(it, 1, 1, WEFT_MAX_RANK));
  weft_dtype t = it->in_dtype[0];
  if (it->out_dtype[0] == WEFT_UNDEFINED)
    it->out_dtype[0] = t == WEFT_INT8 || t == WEFT_INT4 ? WEFT_INT32 : t;
  if (weft_shape_is_unknown_rank(a) || weft_shape_is_unknown_rank(b))
    return weft__unknown_rank(it, 0);
  sides l = sides_of(a, transpose_a, true);
  sides r = sides_of(b, transpose_b, false);
  char what[160];
  snprintf(what, sizeof what, "inner dims of inputs '%s' and '%s'", weft__in_name(it->desc, 0),
           weft__in_name(it->desc, 1));
  WEFT_TRY(weft__merge_dim(it, l.columns, r.rows, what, &ignored));
  weft_shape_copy(&batch_a, a);
  weft_shape_copy(&batch_b, b);
  batch_a.rank = l.batch_rank;
  batch_b.rank = r.batch_rank;
  WEFT_TRY(weft__broadcast(it, &batch_a, &batch_b, &y));
  if (a->rank > 1)
    y.dim[y.rank++] = l.rows;
  if (b->rank > 1)
    y.dim[y.rank++] = r.columns;
  weft_shape_copy(it->out[0], &y);
  return weft__has_in(it->desc, 2, &bias) ? matmul_fits(it, bias) : WEFT_OK;
}

typedef struct product {
  bool real;
  size_t m, k, n, a_m, a_k, b_k, b_n;  // sizes and strides
  const void *a, *b;
  void *row;  // n sums
} product;

static void row_of(const product *p, size_t a, size_t b, size_t m) {
  memset(p->row, 0, p->n * 8);
  for (size_t k = 0; k < p->k; k++) {
    size_t from = b + k * p->b_k;
    size_t at = a + m * p->a_m + k * p->a_k;
    if (p->real) {
      double *s = p->row, w = ((const double *)p->a)[at];
      const double *v = (const double *)p->b;
      for (size_t i = 0; i < p->n; i++)
        s[i] += w * v[from + i * p->b_n];
    } else {
      uint64_t *s = p->row;
      uint64_t w = ((const uint64_t *)p->a)[at];
      const uint64_t *v = (const uint64_t *)p->b;
      for (size_t i = 0; i < p->n; i++)
        s[i] += w * v[from + i * p->b_n];
    }
  }
}

typedef struct finish {
  const weft_tensor *bias;
  weft_walk walk;  // over y, operand 0 the bias
  double alpha, beta;
  uint64_t alpha_u, beta_u;
} finish;

static uint64_t load_u64(const weft_tensor *t, size_t i) {
  return weft__is_unsigned(t->dtype) ? weft_load_u64(t->dtype, t->data, i)
                                     : (uint64_t)weft_load_i64(t->dtype, t->data, i);
}

static void store_row(const weft_call *c, const product *p, finish *f, size_t at) {
  weft_tensor *y = c->out[0];
  const weft_tensor *bias = f->bias;
  for (size_t i = 0; i < p->n; i++) {
    if (p->real) {
      double v = ((const double *)p->row)[i] * f->alpha;
      if (bias)
        v += f->beta * weft_load_f64(bias->dtype, bias->data, f->walk.at[0]);
      weft_store_f64(y->dtype, y->data, at + i, v);
    } else {
      uint64_t v = ((const uint64_t *)p->row)[i] * f->alpha_u;
      if (bias)
        v += f->beta_u * load_u64(bias, f->walk.at[0]);
      weft_store_u64(y->dtype, y->data, at + i, v);
    }
    if (bias)
      weft__walk_next(&f->walk);
  }
}

static void matmul_set_up(const weft_call *c, bool transpose_a, bool transpose_b,
                          const weft_matmul_scale *scale, product *p, finish *f) {
  const weft_shape *a = &c->in[0]->layout.origin;
  const weft_shape *b = &c->in[1]->layout.origin;
  sides l = sides_of(a, transpose_a, true);
  sides r = sides_of(b, transpose_b, false);
  p->m = (size_t)l.rows;
  p->k = (size_t)l.columns;
  p->n = (size_t)r.columns;
  bool turn_a = transpose_a && a->rank > 1;
  bool turn_b = transpose_b && b->rank > 1;
  p->a_m = turn_a ? 1 : p->k;
  p->a_k = turn_a ? p->m : 1;
  p->b_k = turn_b ? 1 : p->n;
  p->b_n = turn_b ? p->k : 1;
  p->real = weft_dtype_is_float(c->out[0]->dtype);
  uint32_t in;
  f->bias = weft__has_in(c->desc, 2, &in) ? c->in[in] : NULL;
  f->alpha = f->beta = 1;
  f->alpha_u = f->beta_u = 1;
  if (scale) {
    f->alpha = weft_load_f64(scale->alpha->dtype, scale->alpha->data, 0);
    f->alpha_u = load_u64(scale->alpha, 0);
    f->beta = weft_load_f64(scale->beta->dtype, scale->beta->data, 0);
    f->beta_u = load_u64(scale->beta, 0);
  }
  weft__walk_init(&f->walk, &c->out[0]->layout.origin);
  if (f->bias)
    weft__walk_operand(&f->walk, 0, &f->bias->layout.origin);
}

weft_status weft__matmul_run(const weft_call *c, bool transpose_a, bool transpose_b,
                             const weft_matmul_scale *scale) {
  const weft_tensor *a = c->in[0];
  const weft_tensor *b = c->in[1];
  const weft_tensor *y = c->out[0];
  if (!y || !weft__elems(&y->layout.origin))
    return WEFT_OK;
  if (a->dtype == WEFT_HIFLOAT8)
    return weft__no_kernel(c, a->dtype);
  product p;
  finish f;
  matmul_set_up(c, transpose_a, transpose_b, scale, &p, &f);
  double *af, *bf;
  uint64_t *ai;
  uint64_t *bi;
  if (p.real) {
    WEFT_TRY(weft__load_f64s(c, a, &af));
    WEFT_TRY(weft__load_f64s(c, b, &bf));
    p.a = af;
    p.b = bf;
  } else {
    WEFT_TRY(weft__load_u64s(c, a, &ai));
    WEFT_TRY(weft__load_u64s(c, b, &bi));
    p.a = ai;
    p.b = bi;
  }
  WEFT_TRY(weft__scratch(c, p.n, &p.row));
  weft_shape batch_a = a->layout.origin;
  weft_shape batch_b = b->layout.origin;
  weft_shape batch = y->layout.origin;
  size_t cut_a = batch_a.rank > 1;
  size_t cut_b = batch_b.rank > 1;
  batch_a.rank = cut_a ? batch_a.rank - 2 : 0;
  batch_b.rank = cut_b ? batch_b.rank - 2 : 0;
  batch.rank -= cut_a + cut_b;
  weft_walk w;
  weft__walk_init(&w, &batch);
  weft__walk_operand(&w, 0, &batch_a);
  weft__walk_operand(&w, 1, &batch_b);
  for (; w.i < w.n; weft__walk_next(&w)) {
    for (size_t m = 0; m < p.m; m++) {
      WEFT_TRY(weft__call_poll(c));
      row_of(&p, w.at[0] * p.m * p.k, w.at[1] * p.k * p.n, m);
      store_row(c, &p, &f, (w.i * p.m + m) * p.n);
    }
  }
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
