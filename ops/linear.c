// linear.c - see linear.h.
#include "linear.h"

#include "arrays.h"

// ---- inference ----
weft_status weft__linear_stack(weft_infer *it, uint32_t out, const weft_shape *in, size_t drop) {
  if (in->rank < drop)
    return weft_fail(it->d, WEFT_E_SHAPE, "expected rank %zu or more, got %zu", drop, in->rank);
  weft_shape_copy(it->out[out], in);
  it->out[out]->rank = in->rank - drop;
  return WEFT_OK;
}

weft_status weft__linear_square(const weft_infer *it, uint32_t in, weft_dim *out_side) {
  const weft_shape *s = it->in[in];
  WEFT_TRY(weft__expect_rank(it, in, 2, WEFT_MAX_RANK));
  *out_side = -1;
  if (weft_shape_is_unknown_rank(s))
    return WEFT_OK;
  return weft__merge_dim(it, s->dim[s->rank - 2], s->dim[s->rank - 1], "rows and columns", out_side);
}

weft_status weft__linear_same_stack(const weft_infer *it, const weft_shape *a, const weft_shape *b) {
  weft_dim same;
  if (weft_shape_is_unknown_rank(a) || weft_shape_is_unknown_rank(b))
    return WEFT_OK;
  if (a->rank != b->rank)
    return weft_fail(it->d, WEFT_E_SHAPE, "ranks %zu and %zu of the inputs differ", a->rank, b->rank);
  for (size_t i = 0; i + 2 < a->rank; i++)
    WEFT_TRY(weft__merge_dim(it, a->dim[i], b->dim[i], "stacks of matrices", &same));
  return WEFT_OK;
}

// ---- memory ----
void weft__linear_load(const weft_tensor *t, size_t from, size_t n, weft_number *out) {
  for (size_t i = 0; i < n; i++) {
    double z[2] = {0, 0};
    if (weft_dtype_is_complex(t->dtype))
      weft__load_complex(t->dtype, t->data, from + i, z);
    else
      z[0] = weft_load_f64(t->dtype, t->data, from + i);
    memcpy(&out[i], z, sizeof z);
  }
}

void weft__linear_store(weft_tensor *t, size_t from, size_t n, const weft_number *v) {
  for (size_t i = 0; i < n; i++) {
    double z[2];
    memcpy(z, &v[i], sizeof z);
    if (weft_dtype_is_complex(t->dtype))
      weft__store_complex(t->dtype, t->data, from + i, z);
    else
      weft_store_f64(t->dtype, t->data, from + i, z[0]);
  }
}

weft_status weft__linear_space(const weft_call *c, size_t numbers, weft_number **out) {
  void *space;
  size_t words;
  if (!weft_mul_size(numbers, 2, &words))
    return weft_fail(c->d, WEFT_E_OVERFLOW, "%zu numbers", numbers);
  WEFT_TRY(weft__scratch(c, words + 2, &space));
  *out = space;
  return WEFT_OK;
}

// ---- elimination ----
void weft__linear_exchange(weft_number *a, weft_number *b, size_t n) {
  for (size_t i = 0; i < n; i++) {
    const weft_number t = a[i];
    a[i] = b[i];
    b[i] = t;
  }
}

weft_status weft__linear_eliminate(const weft_call *c, weft_number *a, size_t rows, size_t columns, size_t k,
                                   size_t *work) {
  const weft_number *pivot = a + k * columns + k;
  for (size_t i = k + 1; i < rows; i++) {
    weft_number *row = a + i * columns + k;
    WEFT_TRY(weft__poll_work(c, work, 4 * columns));
    const weft_number f = *row = weft__linear_divide(*row, *pivot);
    weft__linear_subtract(row + 1, f, pivot + 1, columns - k - 1);
  }
  return WEFT_OK;
}

weft_status weft__linear_lu(const weft_call *c, weft_number *a, size_t n, size_t *order, double *out_sign,
                            bool *out_regular) {
  size_t work = 0;
  *out_sign = 1;
  *out_regular = true;
  for (size_t i = 0; i < n; i++)
    order[i] = i;
  for (size_t k = 0; k < n; k++) {
    size_t pivot = k;
    for (size_t i = k + 1; i < n; i++) {
      if (cabs(a[i * n + k]) > cabs(a[pivot * n + k]))
        pivot = i;
    }
    if (pivot != k) {
      const size_t row = order[k];
      weft__linear_exchange(a + k * n, a + pivot * n, n);
      order[k] = order[pivot];
      order[pivot] = row;
      *out_sign = -*out_sign;
    }
    *out_regular = cabs(a[k * n + k]) != 0;
    if (!*out_regular)
      return WEFT_OK;
    WEFT_TRY(weft__linear_eliminate(c, a, n, n, k, &work));
  }
  return WEFT_OK;
}

// Row i of b less the rows [from, to) of it, each times its number in row i of a.
static weft_status linear_substitute(const weft_call *c, const weft_number *row, size_t from, size_t to,
                                     weft_number *b, size_t i, size_t columns) {
  size_t work = 0;
  for (size_t k = from; k < to; k++) {
    WEFT_TRY(weft__poll_work(c, &work, 1 + columns));
    weft__linear_subtract(b + i * columns, row[k], b + k * columns, columns);
  }
  return WEFT_OK;
}

weft_status weft__linear_triangular_solve(const weft_call *c, const weft_number *a, size_t n, bool lower,
                                          weft_number *b, size_t columns) {
  for (size_t step = 0; step < n; step++) {
    const size_t i = lower ? step : n - 1 - step;
    const size_t from = lower ? 0 : i + 1;
    const size_t to = lower ? i : n;
    WEFT_TRY(linear_substitute(c, a + i * n, from, to, b, i, columns));
    for (size_t j = 0; j < columns; j++)
      b[i * columns + j] = weft__linear_divide(b[i * columns + j], a[i * n + i]);
  }
  return WEFT_OK;
}

weft_status weft__linear_lu_solve(const weft_call *c, const weft_number *a, const size_t *order, size_t n,
                                  weft_number *b, size_t columns, weft_number *space) {
  for (size_t j = 0; j < columns; j++) {
    for (size_t i = 0; i < n; i++)
      space[i] = b[order[i] * columns + j];
    for (size_t i = 0; i < n; i++)
      b[i * columns + j] = space[i];
  }
  for (size_t i = 0; i < n; i++)
    WEFT_TRY(linear_substitute(c, a + i * n, 0, i, b, i, columns));
  return weft__linear_triangular_solve(c, a, n, false, b, columns);
}

void weft__linear_adjoint(weft_number *a, size_t n) {
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < i; j++) {
      const weft_number t = a[i * n + j];
      a[i * n + j] = conj(a[j * n + i]);
      a[j * n + i] = conj(t);
    }
    a[i * n + i] = conj(a[i * n + i]);
  }
}

// Column after column: what is below a diagonal element and beside it loses the products of its column. The
// column stands conjugated in the upper half of its row meanwhile, where nothing is in the end.
weft_status weft__linear_cholesky(const weft_call *c, const weft_number *a, size_t n, weft_number *y,
                                  bool *out_positive) {
  size_t work = 0;
  *out_positive = true;
  memset(y, 0, n * n * sizeof *y);
  for (size_t i = 0; i < n; i++)
    memcpy(y + i * n, a + i * n, (i + 1) * sizeof *y);
  for (size_t k = 0; k < n; k++) {
    weft_number *row = y + k * n;
    const double square = creal(row[k]);
    *out_positive = square > 0;
    if (!*out_positive)
      return WEFT_OK;
    row[k] = sqrt(square);
    for (size_t i = k + 1; i < n; i++) {
      y[i * n + k] /= row[k];
      row[i] = conj(y[i * n + k]);
      WEFT_TRY(weft__poll_work(c, &work, 1 + i - k));
      weft__linear_subtract(y + i * n + k + 1, y[i * n + k], row + k + 1, i - k);
    }
    memset(row + k + 1, 0, (n - k - 1) * sizeof *row);
  }
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
