// einsum.c - see einsum.h. The kernel steps through all labels like an odometer, the output's outermost; each
// operand has one stride for each label.
#include "einsum.h"

#include "arrays.h"

typedef struct sum {
  size_t n, n_labels;  // operands; labels in use, the output's first
  size_t dim[WEFT_EINSUM_LABELS];
  size_t *stride;  // n of each label
  size_t *at;      // n
  union {
    double *f;
    uint64_t *u;
  } * data;  // n
} sum;

static weft_status lay_out(const weft_call *c, const char *equation, sum *s) {
  size_t rank_of[WEFT_EINSUM_LABELS];
  size_t size[WEFT_EINSUM_LABELS];
  weft_einsum_term t;
  int64_t dots = 0;
  for (size_t i = 0; i < s->n; i++)
    dots = WEFT_MAX(dots, weft__einsum_ellipsis(equation, i, &c->in[i]->layout.origin));
  for (size_t k = 0; k < WEFT_EINSUM_LABELS; k++) {
    rank_of[k] = SIZE_MAX;
    size[k] = 1;
  }
  WEFT_TRY(weft__einsum_output(c->d, equation, s->n, dots, &t));
  for (size_t k = 0; k < t.rank; k++)
    rank_of[t.label[k]] = s->n_labels++;
  for (size_t i = 0; i < s->n; i++) {
    const weft_shape *shape = &c->in[i]->layout.origin;
    WEFT_TRY(weft__einsum_term(c->d, equation, i, shape, &t));
    for (size_t k = 0; k < t.rank; k++) {
      if (rank_of[t.label[k]] == SIZE_MAX)
        rank_of[t.label[k]] = s->n_labels++;
      if (shape->dim[k] != 1)
        size[t.label[k]] = (size_t)shape->dim[k];
    }
  }
  for (size_t k = 0; k < WEFT_EINSUM_LABELS; k++) {
    if (rank_of[k] != SIZE_MAX)
      s->dim[rank_of[k]] = size[k];
  }
  for (size_t i = 0; i < s->n; i++) {
    const weft_shape *shape = &c->in[i]->layout.origin;
    WEFT_TRY(weft__einsum_term(c->d, equation, i, shape, &t));
    for (size_t k = t.rank, stride = 1; k-- > 0; stride *= (size_t)shape->dim[k]) {
      if (shape->dim[k] != 1)
        s->stride[rank_of[t.label[k]] * s->n + i] += stride;
    }
  }
  return WEFT_OK;
}

// One step of the labels [from, to), the last one fastest; false when all are back at 0.
static bool einsum_step(sum *s, size_t *index, size_t from, size_t to) {
  for (size_t k = to; k-- > from;) {
    size_t *stride = s->stride + k * s->n;
    bool more = ++index[k] < s->dim[k];
    for (size_t i = 0; i < s->n; i++)
      s->at[i] += more ? stride[i] : stride[i] - stride[i] * s->dim[k];
    if (more)
      return true;
    index[k] = 0;
  }
  return false;
}

static weft_status arrays(const weft_call *c, sum *s) {
  void *p;
  size_t words;
  if (!weft_mul_size(s->n, WEFT_EINSUM_LABELS, &words))
    return weft_fail(c->d, WEFT_E_OVERFLOW, "%zu operands", s->n);
  WEFT_TRY(weft__scratch(c, words, &p));
  memset(p, 0, words * 8);
  s->stride = p;
  WEFT_TRY(weft__scratch(c, s->n, &p));
  memset(p, 0, s->n * 8);
  s->at = p;
  WEFT_TRY(weft__scratch(c, s->n, &p));
  s->data = p;
  for (size_t i = 0; i < s->n; i++) {
    WEFT_TRY(weft_dtype_is_float(c->in[i]->dtype) ? weft__load_f64s(c, c->in[i], &s->data[i].f)
                                                  : weft__load_u64s(c, c->in[i], &s->data[i].u));
  }
  return WEFT_OK;
}

weft_status weft__einsum_run(const weft_call *c, const char *equation) {
  sum s = {.n = c->n_in};
  weft_tensor *y = c->out[0];
  size_t index[WEFT_EINSUM_LABELS] = {0};
  size_t outer = y ? y->layout.origin.rank : 0;
  if (!y)
    return WEFT_OK;
  bool real = weft_dtype_is_float(y->dtype);
  bool empty = false;
  WEFT_TRY(arrays(c, &s));
  WEFT_TRY(lay_out(c, equation, &s));
  for (size_t k = outer; k < s.n_labels; k++)
    empty |= !s.dim[k];
  size_t n = weft__elems(&y->layout.origin);
  for (size_t o = 0; o < n; o++, einsum_step(&s, index, 0, outer)) {
    double f = 0;
    uint64_t u = 0;
    bool more = !empty;
    WEFT_TRY(weft__call_poll(c));
    while (more) {
      double p = 1;
      uint64_t q = 1;
      for (size_t i = 0; i < s.n; i++) {
        if (real)
          p *= s.data[i].f[s.at[i]];
        else
          q *= s.data[i].u[s.at[i]];
      }
      f += p;
      u += q;
      more = einsum_step(&s, index, outer, s.n_labels);
    }
    if (real)
      weft_store_f64(y->dtype, y->data, o, f);
    else
      weft_store_u64(y->dtype, y->data, o, u);
  }
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
