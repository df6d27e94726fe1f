// scatter.c - see scatter.h.
#include "scatter.h"

typedef enum how { WRITE, ADD, MUL, MAX, MIN } how;

static how how_of(const char *s) {
  if (!s || !strcmp(s, "none"))
    return WRITE;
  return !strcmp(s, "add") ? ADD : !strcmp(s, "mul") ? MUL : !strcmp(s, "max") ? MAX : MIN;
}

static double combine_f64(how h, double a, double b) {
  switch (h) {
    case ADD:
      return a + b;
    case MUL:
      return a * b;
    case MAX:
      return isnan(a) || a > b ? a : b;
    case MIN:
      return isnan(a) || a < b ? a : b;
    default:
      return b;
  }
}

static uint64_t combine_int(how h, uint64_t a, uint64_t b, bool sign) {
  bool less = sign ? (int64_t)a < (int64_t)b : a < b;
  switch (h) {
    case ADD:
      return a + b;
    case MUL:
      return a * b;
    case MAX:
      return less ? b : a;
    case MIN:
      return less ? a : b;
    default:
      return b;
  }
}

// Numbers of dtype t; two of them make a complex one, whose sum is that of its parts.
static weft_status combine_floats(const weft_call *c, weft_dtype t, const weft_tensor *updates, size_t block,
                                  const int64_t *to, size_t n, how h) {
  weft_tensor *y = c->out[0];
  size_t elems = weft__elems(&y->layout.origin) * (weft_dtype_is_complex(y->dtype) ? 2 : 1);
  size_t work = 0;
  size_t bytes;
  void *space;
  if (!weft_mul_size(elems, sizeof(double), &bytes))
    return weft_fail(c->d, WEFT_E_OVERFLOW, "%zu elements", elems);
  WEFT_TRY(c->host->workspace(c, bytes, &space));
  double *sum = space;
  for (size_t i = 0; i < elems; i++) {
    WEFT_TRY(weft__poll_at(c, i));
    sum[i] = weft_load_f64(t, y->data, i);
  }
  for (size_t j = 0; j < n; j++) {
    WEFT_TRY(weft__poll_work(c, &work, block));
    for (size_t i = 0; i < block; i++) {
      double *at = &sum[(size_t)to[j] * block + i];
      *at = combine_f64(h, *at, weft_load_f64(t, updates->data, j * block + i));
    }
  }
  for (size_t i = 0; i < elems; i++)
    weft_store_f64(t, y->data, i, sum[i]);
  return WEFT_OK;
}

static weft_status combine_ints(const weft_call *c, const weft_tensor *updates, size_t block,
                                const int64_t *to, size_t n, how h) {
  weft_tensor *y = c->out[0];
  bool sign = weft_dtype_is_signed(y->dtype);
  size_t work = 0;
  for (size_t j = 0; j < n; j++) {
    WEFT_TRY(weft__poll_work(c, &work, block));
    for (size_t i = 0; i < block; i++) {
      size_t at = (size_t)to[j] * block + i;
      size_t from = j * block + i;
      if (sign) {
        uint64_t a = (uint64_t)weft_load_i64(y->dtype, y->data, at);
        uint64_t b = (uint64_t)weft_load_i64(y->dtype, updates->data, from);
        weft_store_i64(y->dtype, y->data, at, (int64_t)combine_int(h, a, b, true));
      } else {
        uint64_t a = weft_load_u64(y->dtype, y->data, at);
        uint64_t b = weft_load_u64(y->dtype, updates->data, from);
        weft_store_u64(y->dtype, y->data, at, combine_int(h, a, b, false));
      }
    }
  }
  return WEFT_OK;
}

// Strings cannot be written in place: the last update of every element is found first.
typedef struct last {
  const weft_tensor *data, *updates;
  const int64_t *from;  // per element: the update that wins, or -1
} last;

static const weft_tensor *pick_last(void *ctx, size_t i, size_t *out_index) {
  const last *l = ctx;
  *out_index = l->from[i] < 0 ? i : (size_t)l->from[i];
  return l->from[i] < 0 ? l->data : l->updates;
}

static weft_status write_strings(const weft_call *c, const weft_tensor *data, const weft_tensor *updates,
                                 size_t block, const int64_t *to, size_t n) {
  size_t elems = weft__elems(&c->out[0]->layout.origin);
  size_t bytes;
  void *space;
  if (!data)
    return weft__no_kernel(c, WEFT_STRING);
  if (!weft_mul_size(elems, sizeof(int64_t), &bytes))
    return weft_fail(c->d, WEFT_E_OVERFLOW, "%zu elements", elems);
  WEFT_TRY(c->host->workspace(c, bytes, &space));
  int64_t *from = space;
  for (size_t i = 0; i < elems; i++)
    from[i] = -1;
  for (size_t j = 0; j < n; j++) {
    for (size_t i = 0; i < block; i++)
      from[(size_t)to[j] * block + i] = (int64_t)(j * block + i);
  }
  return weft__pick(c, c->out[0], pick_last, &(last){data, updates, from});
}

weft_status weft__scatter(const weft_call *c, const weft_tensor *data, const weft_tensor *updates,
                          size_t block, const int64_t *to, size_t n, const char *reduction) {
  weft_tensor *y = c->out[0];
  how h = how_of(reduction);
  size_t work = 0;
  if (y->dtype == WEFT_STRING && h == WRITE)
    return write_strings(c, data, updates, block, to, n);
  if (y->dtype == WEFT_STRING || !weft_dtype_bits(y->dtype))
    return weft__no_kernel(c, y->dtype);
  if (data)
    weft__copy_run(y->dtype, y->data, 0, data->data, 0, weft__elems(&y->layout.origin));
  else if (y->bytes)
    memset(y->data, 0, y->bytes);
  if (h == WRITE) {
    for (size_t j = 0; j < n; j++) {
      WEFT_TRY(weft__poll_work(c, &work, block + 4));
      weft__copy_run(y->dtype, y->data, (size_t)to[j] * block, updates->data, j * block, block);
    }
    return WEFT_OK;
  }
  if (WEFT_BIT(y->dtype) & WEFT_FLOATS)
    return combine_floats(c, y->dtype, updates, block, to, n, h);
  if (y->dtype == WEFT_COMPLEX64 && h == ADD)
    return combine_floats(c, WEFT_FLOAT, updates, 2 * block, to, n, h);
  if (y->dtype == WEFT_COMPLEX128 && h == ADD)
    return combine_floats(c, WEFT_DOUBLE, updates, 2 * block, to, n, h);
  if (y->dtype == WEFT_BOOL)  // a sum of truths is or, a product and
    return combine_ints(c, updates, block, to, n, h == ADD || h == MAX ? MAX : MIN);
  if (WEFT_BIT(y->dtype) & WEFT_SET_INTEGER)
    return combine_ints(c, updates, block, to, n, h);
  return weft_fail(c->d, WEFT_E_UNSUPPORTED, "attribute 'reduction': %s of %s", reduction,
                   weft_dtype_serial(y->dtype));
}

weft_status weft__tuple_places(const weft_call *c, uint32_t indices, const weft_shape *shape, bool negative,
                               int64_t **out, size_t *out_n, size_t *out_block) {
  const weft_shape *s = &c->in[indices]->layout.origin;
  size_t k = (size_t)s->dim[s->rank - 1];
  size_t n = weft__prod(s, 0, s->rank - 1);
  size_t bytes;
  void *space;
  if (!weft_mul_size(n, sizeof(int64_t), &bytes))
    return weft_fail(c->d, WEFT_E_OVERFLOW, "%zu updates", n);
  WEFT_TRY(c->host->workspace(c, bytes, &space));
  int64_t *to = space;
  for (size_t j = 0; j < n; j++) {
    for (size_t i = 0; i < k; i++) {
      int64_t v;
      WEFT_TRY(weft__checked_index(c, indices, j * k + i, shape->dim[i], negative, &v));
      to[j] = to[j] * shape->dim[i] + v;
    }
  }
  *out = to;
  *out_n = n;
  *out_block = weft__prod(shape, k, shape->rank);
  return WEFT_OK;
}

weft_status weft__scatter_nd_check(weft_infer *it, const weft_shape *data, const weft_shape *indices,
                                   const weft_shape *updates) {
  weft_dim any;
  if (weft_shape_is_unknown_rank(indices))
    return WEFT_OK;
  if (!indices->rank)
    return weft_fail(it->d, WEFT_E_SHAPE, "input 'indices': expected rank 1 or more, got a scalar");
  weft_dim k = indices->dim[indices->rank - 1];
  if (k < 0 || weft_shape_is_unknown_rank(data))
    return WEFT_OK;
  if (k > (int64_t)data->rank) {
    return weft_fail(it->d, WEFT_E_SHAPE, "input 'indices': tuples of %lld, the data have rank %zu",
                     (long long)k, data->rank);
  }
  if (weft_shape_is_unknown_rank(updates))
    return WEFT_OK;
  size_t rank = indices->rank - 1 + data->rank - (size_t)k;
  if (updates->rank != rank)
    return weft_fail(it->d, WEFT_E_SHAPE, "the updates have rank %zu, expected %zu", updates->rank, rank);
  for (size_t i = 0; i < rank; i++) {
    char what[64];
    snprintf(what, sizeof what, "dim %zu of the updates", i);
    weft_dim want = i + 1 < indices->rank ? indices->dim[i] : data->dim[(size_t)k + i + 1 - indices->rank];
    WEFT_TRY(weft__merge_dim(it, want, updates->dim[i], what, &any));
  }
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
