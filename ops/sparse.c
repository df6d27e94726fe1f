// sparse.c - see sparse.h.
#include "sparse.h"

#include "sort.h"

// ---- inference ----
static weft_dim sparse_axis(const weft_infer *it, uint32_t in, size_t axis) {
  return weft_shape_is_unknown_rank(it->in[in]) ? -1 : it->in[in]->dim[axis];
}

weft_status weft__sparse_infer(const weft_infer *it, uint32_t indices, uint32_t values, uint32_t shape,
                               weft_dim *out_n, weft_dim *out_rank) {
  WEFT_TRY(weft__expect_rank(it, indices, 2, 2));
  *out_n = sparse_axis(it, indices, 0);
  *out_rank = sparse_axis(it, indices, 1);
  if (values != WEFT_SPARSE_NONE) {
    WEFT_TRY(weft__expect_rank(it, values, 1, 1));
    WEFT_TRY(weft__merge_dim(it, *out_n, sparse_axis(it, values, 0), "rows of indices and values", out_n));
  }
  if (shape == WEFT_SPARSE_NONE)
    return WEFT_OK;
  WEFT_TRY(weft__expect_rank(it, shape, 1, 1));
  return weft__merge_dim(it, *out_rank, sparse_axis(it, shape, 0),
                         "columns of indices and sizes of the shape", out_rank);
}

weft_status weft__sparse_infer_found(weft_infer *it, uint32_t indices, uint32_t values, uint32_t shape,
                                     weft_dim rank) {
  const weft_dim open = -1;
  if (indices != WEFT_SPARSE_NONE)
    WEFT_TRY(weft_set_out_shape(it, indices, (weft_dim[]){-1, rank}, 2));
  if (values != WEFT_SPARSE_NONE)
    WEFT_TRY(weft_set_out_shape(it, values, &open, 1));
  return shape == WEFT_SPARSE_NONE ? WEFT_OK : weft_set_out_shape(it, shape, &rank, 1);
}

weft_status weft__found_range(weft_infer *it) {
  for (uint32_t i = 0; i < it->n_out; i++) {
    weft_shape_copy(it->out_min[i], it->out[i]);
    weft_shape_copy(it->out_max[i], it->out[i]);
    for (size_t k = 0; !weft_shape_is_unknown_rank(it->out[i]) && k < it->out[i]->rank; k++) {
      it->out_min[i]->dim[k] = WEFT_MAX(it->out[i]->dim[k], 0);
      it->out_max[i]->dim[k] = WEFT_MAX(it->out[i]->dim[k], -1);
    }
  }
  return WEFT_OK;
}

void weft__found_at_most(weft_infer *it, uint32_t out, size_t axis, uint32_t of) {
  int64_t most = 0;
  for (uint32_t i = 0; i < it->n_in && i < 32; i++) {
    if (!(of >> i & 1))
      continue;
    if (weft_shape_is_unknown_rank(it->in_max[i]) || it->in_max[i]->dim[0] < 0)
      return;
    if (it->in_max[i]->dim[0] > INT64_MAX - most)
      return;
    most += it->in_max[i]->dim[0];
  }
  it->out_max[out]->dim[axis] = most;
}

// ---- reading ----
static weft_status sparse_read_dims(const weft_call *c, uint32_t shape, weft_sparse *s) {
  const weft_tensor *t = c->in[shape];
  if (s->rank > WEFT_MAX_RANK)
    return weft_fail(c->d, WEFT_E_LIMIT, "a sparse tensor of rank %zu; at most %d", s->rank, WEFT_MAX_RANK);
  s->elems = 1;
  for (size_t k = 0; k < s->rank; k++) {
    s->dim[k] = weft_load_i64(t->dtype, t->data, k);
    if (s->dim[k] < 0)
      return weft_fail(c->d, WEFT_E_RANGE, "input '%s', element %zu: the size is %lld",
                       weft__in_name(c->desc, shape), k, (long long)s->dim[k]);
  }
  for (size_t k = 0; k < s->rank; k++) {
    if (!weft__mul_i64(s->elems, s->dim[k], &s->elems))
      return weft_fail(c->d, WEFT_E_OVERFLOW, "the elements of input '%s' overflow",
                       weft__in_name(c->desc, shape));
  }
  return WEFT_OK;
}

weft_status weft__sparse_read(const weft_call *c, uint32_t indices, uint32_t shape, weft_sparse *s) {
  const weft_tensor *t = c->in[indices];
  uint64_t *index;
  s->n = (size_t)t->layout.origin.dim[0];
  s->rank = (size_t)t->layout.origin.dim[1];
  WEFT_TRY(sparse_read_dims(c, shape, s));
  WEFT_TRY(weft__load_u64s(c, t, &index));
  s->index = (const int64_t *)index;
  for (size_t i = 0; i < s->n * s->rank; i++) {
    WEFT_TRY(weft__poll_at(c, i));
    if (s->index[i] < 0 || s->index[i] >= s->dim[i % s->rank]) {
      return weft_fail(c->d, WEFT_E_RANGE, "input '%s', element [%zu,%zu]: %lld is outside [0, %lld)",
                       weft__in_name(c->desc, indices), i / s->rank, i % s->rank, (long long)s->index[i],
                       (long long)s->dim[i % s->rank]);
    }
  }
  return weft__sparse_places(c, s, UINT32_MAX, &s->place);
}

weft_status weft__sparse_places(const weft_call *c, const weft_sparse *s, uint32_t axes, int64_t **out) {
  void *space;
  size_t work = 0;
  WEFT_TRY(weft__scratch(c, s->n, &space));
  *out = space;
  for (size_t i = 0; i < s->n; i++) {
    int64_t place = 0;  // below elems, which does not overflow
    WEFT_TRY(weft__poll_work(c, &work, 1 + s->rank));
    for (size_t k = 0; k < s->rank; k++)
      place = axes >> k & 1 ? place * s->dim[k] + s->index[i * s->rank + k] : place;
    (*out)[i] = place;
  }
  return WEFT_OK;
}

weft_status weft__sparse_order(const weft_call *c, const int64_t *place, size_t n, size_t **out) {
  void *space;
  size_t *order;
  WEFT_TRY(weft__scratch(c, n, &space));
  order = space;
  WEFT_TRY(weft__scratch(c, n, &space));
  for (size_t i = 0; i < n; i++)
    order[i] = i;
  return weft__sort_by_key(c, (const uint64_t *)place, order, space, n, out);
}

// ---- giving ----
weft_status weft__found(const weft_call *c, uint32_t i, weft_dtype t, const int64_t *dims, size_t rank) {
  weft_shape found = {.rank = rank};
  for (size_t k = 0; k < rank; k++)
    found.dim[k] = dims[k];
  return weft__alloc_found(c, i, t, &found, &found);
}

weft_status weft__found_ints(const weft_call *c, uint32_t i, weft_dtype t, const int64_t *v, size_t n) {
  WEFT_TRY(weft__found(c, i, t, (int64_t[]){(int64_t)n}, 1));
  for (size_t k = 0; c->out[i] && k < n; k++) {
    WEFT_TRY(weft__poll_at(c, k));
    weft_store_i64(t, c->out[i]->data, k, v[k]);
  }
  return WEFT_OK;
}

weft_status weft__found_indices(const weft_call *c, uint32_t i, const int64_t *place, size_t n,
                                const int64_t *dim, size_t rank) {
  size_t work = 0;
  WEFT_TRY(weft__found(c, i, WEFT_INT64, (int64_t[]){(int64_t)n, (int64_t)rank}, 2));
  for (size_t j = 0; c->out[i] && j < n; j++) {
    int64_t at = place[j];
    WEFT_TRY(weft__poll_work(c, &work, 1 + rank));
    for (size_t k = rank; k-- > 0; at /= dim[k])
      weft_store_i64(WEFT_INT64, c->out[i]->data, j * rank + k, at % dim[k]);
  }
  return WEFT_OK;
}

static int64_t sparse_picked(void *ctx, size_t i) {
  return (int64_t)((const size_t *)ctx)[i];
}

weft_status weft__found_values(const weft_call *c, uint32_t i, const weft_tensor *from, const size_t *pick,
                               size_t n) {
  WEFT_TRY(weft__found(c, i, from->dtype, (int64_t[]){(int64_t)n}, 1));
  return c->out[i] ? weft__move(c, from, c->out[i], sparse_picked, (void *)(uintptr_t)pick, NULL) : WEFT_OK;
}

// ---- numbers of any dtype ----
weft_any weft__any_at(const weft_tensor *t, size_t i) {
  weft_any v = {{0, 0}, 0};
  if (weft_dtype_is_complex(t->dtype))
    weft__load_complex(t->dtype, t->data, i, v.z);
  else if (weft_dtype_is_float(t->dtype))
    v.z[0] = weft_load_f64(t->dtype, t->data, i);
  else if (weft__is_unsigned(t->dtype))
    v.whole = weft_load_u64(t->dtype, t->data, i);
  else
    v.whole = (uint64_t)weft_load_i64(t->dtype, t->data, i);
  return v;
}

void weft__any_put(weft_tensor *t, size_t i, weft_any v) {
  if (weft_dtype_is_complex(t->dtype))
    weft__store_complex(t->dtype, t->data, i, v.z);
  else if (weft_dtype_is_float(t->dtype))
    weft_store_f64(t->dtype, t->data, i, v.z[0]);
  else
    weft_store_i64(t->dtype, t->data, i, (int64_t)v.whole);
}

weft_any weft__any_add(weft_dtype t, weft_any a, weft_any b) {
  weft_any sum = {{a.z[0] + b.z[0], a.z[1] + b.z[1]}, a.whole + b.whole};
  (void)t;
  return sum;
}

weft_any weft__any_mul(weft_dtype t, weft_any a, weft_any b) {
  weft_any product = {{a.z[0] * b.z[0], 0}, a.whole * b.whole};
  if (weft_dtype_is_complex(t)) {
    product.z[0] = a.z[0] * b.z[0] - a.z[1] * b.z[1];
    product.z[1] = a.z[0] * b.z[1] + a.z[1] * b.z[0];
  }
  return product;
}

bool weft__any_less(weft_dtype t, weft_any a, weft_any b) {
  if (weft_dtype_is_float(t))
    return a.z[0] < b.z[0];
  return weft__is_unsigned(t) ? a.whole < b.whole : (int64_t)a.whole < (int64_t)b.whole;
}

double weft__any_size(weft_dtype t, weft_any a) {
  if (weft_dtype_is_float(t) || weft_dtype_is_complex(t))
    return hypot(a.z[0], a.z[1]);
  return weft__is_unsigned(t) ? (double)a.whole : fabs((double)(int64_t)a.whole);
}
// SPDX-License-Identifier: Apache-2.0
