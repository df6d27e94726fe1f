// lists.c - see lists.h.
#include "lists.h"

#include "sort.h"
#include "tensor/tensor.h"

weft_status weft__alloc_found(const weft_call *c, uint32_t i, weft_dtype t, const weft_shape *bound,
                              const weft_shape *found) {
  weft_layout layout;
  memset(&layout, 0, sizeof layout);
  weft_shape_copy(&layout.origin, bound);
  weft_shape_copy(&layout.storage, bound);
  WEFT_TRY(c->host->out_alloc(c, i, t, &layout, WEFT_ND));
  return c->host->out_set_shape(c, i, found);
}

void weft__range_elems(const weft_infer *it, int64_t *out_min, int64_t *out_max) {
  const weft_shape *low = it->in_min[0];
  const weft_shape *high = it->in_max[0];
  bool empty = false;
  bool open = false;
  *out_min = *out_max = 1;
  if (weft_shape_is_unknown_rank(low)) {
    *out_min = 0;
    *out_max = -1;
    return;
  }
  for (size_t i = 0; i < low->rank; i++) {
    if (!weft__mul_i64(*out_min, low->dim[i], out_min))
      *out_min = 1;
    empty = empty || high->dim[i] == 0;
    open = open || high->dim[i] < 0 || !weft__mul_i64(*out_max, high->dim[i], out_max);
  }
  if (open)
    *out_max = -1;
  if (empty)
    *out_max = 0;
  for (size_t i = 0; i < low->rank; i++) {
    if (low->dim[i] == 0)
      *out_min = 0;
  }
}

// ---- elements that are not zero ----

weft_status weft__nonzero_infer(weft_infer *it, bool transpose) {
  weft_dim rank = weft_shape_is_unknown_rank(it->in[0]) ? -1 : (weft_dim)it->in[0]->rank;
  weft_dim dims[2] = {transpose ? rank : -1, transpose ? -1 : rank};
  return weft_set_out_shape(it, 0, dims, 2);
}

weft_status weft__nonzero_range(weft_infer *it, bool transpose) {
  int64_t min;
  int64_t max;
  int64_t rank = weft_shape_is_unknown_rank(it->in[0]) ? -1 : (int64_t)it->in[0]->rank;
  weft__range_elems(it, &min, &max);
  it->out_min[0]->rank = it->out_max[0]->rank = 2;
  it->out_min[0]->dim[transpose] = 0;
  it->out_max[0]->dim[transpose] = max;
  it->out_min[0]->dim[!transpose] = WEFT_MAX(rank, 0);
  it->out_max[0]->dim[!transpose] = rank;
  return WEFT_OK;
}

static bool nonzero(const weft_tensor *t, size_t i) {
  if (weft_dtype_is_complex(t->dtype)) {
    weft_dtype part = weft__dtype_plain(t->dtype);
    return weft_load_f64(part, t->data, 2 * i) != 0 || weft_load_f64(part, t->data, 2 * i + 1) != 0;
  }
  if (weft_dtype_is_float(t->dtype))
    return weft_load_f64(t->dtype, t->data, i) != 0;  // NaN is not zero
  return weft__bits_get(t->dtype, t->data, i) != 0;
}

enum { PIECE = 256 };
#define MARK(T, bits)                                  \
  do {                                                 \
    const char *v = (const char *)x->data;             \
    for (size_t i = 0; i < n; i++) {                   \
      T z;                                             \
      memcpy(&z, v + (from + i) * sizeof z, sizeof z); \
      out[i] = (z & (T)(bits)) != 0;                   \
    }                                                  \
  } while (0)
// out[i]: is element from + i not zero? A float is zero when all bits but the sign are.
static void mark(const weft_tensor *x, size_t from, size_t n, uint8_t *out) {
  const bool real = weft_dtype_is_float(x->dtype);
  const uint32_t bits = weft_dtype_bits(x->dtype);
  if (weft_dtype_is_complex(x->dtype) || (real && bits < 16) ||
      (bits != 8 && bits != 16 && bits != 32 && bits != 64)) {
    for (size_t i = 0; i < n; i++)
      out[i] = nonzero(x, from + i);
  } else if (bits == 8)
    MARK(uint8_t, UINT8_MAX);
  else if (bits == 16)
    MARK(uint16_t, real ? INT16_MAX : UINT16_MAX);
  else if (bits == 32)
    MARK(uint32_t, real ? INT32_MAX : UINT32_MAX);
  else
    MARK(uint64_t, real ? INT64_MAX : UINT64_MAX);
}

// Writes v, v + step[0], ... (no step: v) as elements at, at + every, ... of y.
static void put_all(weft_tensor *y, size_t at, size_t every, size_t n, size_t v, const uint8_t *step) {
  if (y->dtype == WEFT_INT64) {
    char *to = (char *)y->data + at * sizeof(int64_t);
    for (size_t i = 0; i < n; i++) {
      const int64_t z = (int64_t)(v + (step ? step[i] : 0));
      memcpy(to + i * every * sizeof z, &z, sizeof z);
    }
  } else {
    for (size_t i = 0; i < n; i++)
      weft_store_i64(y->dtype, y->data, at + i * every, (int64_t)(v + (step ? step[i] : 0)));
  }
}

// Piece by piece of the innermost axis: the other coordinates of a piece are the same.
static weft_status write_found(const weft_call *c, const weft_walk *rows, size_t inner, size_t n,
                               bool transpose) {
  const weft_tensor *x = c->in[0];
  weft_tensor *y = c->out[0];
  uint8_t marks[PIECE];
  uint8_t step[PIECE];
  size_t rank = x->layout.origin.rank;
  size_t at = 0;
  size_t work = 0;
  weft_walk w = *rows;
  for (; w.i < w.n && at < n; weft__walk_next(&w)) {
    for (size_t j = 0; j < inner; j += PIECE) {
      size_t some = WEFT_MIN(inner - j, PIECE);
      size_t found = 0;
      WEFT_TRY(weft__poll_work(c, &work, some + 4));
      mark(x, w.i * inner + j, some, marks);
      for (size_t i = 0; i < some; i++) {
        step[found] = (uint8_t)i;
        found += marks[i];
      }
      for (size_t k = 0; k < rank; k++) {
        put_all(y, transpose ? k * n + at : at * rank + k, transpose ? 1 : rank, found,
                k + 1 < rank ? w.index[k] : j, k + 1 < rank ? NULL : step);
      }
      at += found;
    }
  }
  return WEFT_OK;
}

weft_status weft__nonzero_execute(const weft_call *c, weft_dtype t, bool transpose) {
  const weft_tensor *x = c->in[0];
  weft_shape bound;
  weft_shape found;
  weft_shape outer = x->layout.origin;
  weft_walk w;
  uint8_t marks[PIECE];
  size_t n = 0;
  size_t rank = outer.rank;
  size_t all = weft__elems(&outer);
  size_t inner = rank ? (size_t)outer.dim[rank - 1] : 1;
  if (!c->out[0])
    return WEFT_OK;
  for (size_t i = 0; i < all; i += PIECE) {
    size_t some = WEFT_MIN(all - i, PIECE);
    WEFT_TRY(weft__poll_at(c, i));
    mark(x, i, some, marks);
    for (size_t k = 0; k < some; k++)
      n += marks[k];
  }
  bound.rank = found.rank = 2;
  bound.dim[!transpose] = found.dim[!transpose] = (weft_dim)rank;
  bound.dim[transpose] = (weft_dim)all;
  found.dim[transpose] = (weft_dim)n;
  WEFT_TRY(weft__alloc_found(c, 0, t, &bound, &found));
  if (rank)
    outer.rank--;
  weft__walk_init(&w, &outer);
  return write_found(c, &w, inner, n, transpose);
}

// ---- distinct values ----

typedef struct lanes {
  const weft_tensor *t;
  size_t n, length, inner;
  weft_dtype plain;
  weft__class class;
} lanes;

static int compare_f64(double a, double b) {  // NaN last
  if (isnan(a) || isnan(b))
    return (isnan(a) != 0) - (isnan(b) != 0);
  return (a > b) - (a < b);
}

static int compare_elems(const lanes *l, size_t i, size_t k) {
  const void *data = l->t->data;
  if (l->class == WEFT__CLASS_FLOAT)
    return compare_f64(weft_load_f64(l->plain, data, i), weft_load_f64(l->plain, data, k));
  if (l->class == WEFT__CLASS_COMPLEX) {
    int re = compare_f64(weft_load_f64(l->plain, data, 2 * i), weft_load_f64(l->plain, data, 2 * k));
    return re ? re
              : compare_f64(weft_load_f64(l->plain, data, 2 * i + 1),
                            weft_load_f64(l->plain, data, 2 * k + 1));
  }
  if (l->class == WEFT__CLASS_INT) {
    int64_t a = weft_load_i64(l->plain, data, i);
    int64_t b = weft_load_i64(l->plain, data, k);
    return (a > b) - (a < b);
  }
  if (l->class == WEFT__CLASS_STRING) {
    const char *a = "";
    const char *b = "";
    size_t na = 0;
    size_t nb = 0;
    if (weft_tensor_string(l->t, i, &a, &na, NULL) || weft_tensor_string(l->t, k, &b, &nb, NULL))
      return 0;  // checked before
    int r = memcmp(a, b, WEFT_MIN(na, nb));
    return r ? r : (na > nb) - (na < nb);
  }
  uint64_t a = weft__bits_get(l->t->dtype, data, i);
  uint64_t b = weft__bits_get(l->t->dtype, data, k);
  return (a > b) - (a < b);
}

static int compare_lanes(const lanes *l, size_t a, size_t b) {
  for (size_t p = 0; p < l->length; p++) {
    size_t row = p / l->inner * l->n;
    size_t at = p % l->inner;
    int r = compare_elems(l, (row + a) * l->inner + at, (row + b) * l->inner + at);
    if (r)
      return r;
  }
  return 0;
}

// The key by which single elements compare; false: their class has none.
static bool lists_key_of(const lanes *l, size_t i, uint64_t *out) {
  switch (l->class) {
    case WEFT__CLASS_INT:
      *out = (uint64_t)weft_load_i64(l->plain, l->t->data, i) ^ 1ull << 63;
      return true;
    case WEFT__CLASS_FLOAT:
      *out = weft__key_f64(weft_load_f64(l->plain, l->t->data, i));
      return true;
    case WEFT__CLASS_UINT:
    case WEFT__CLASS_BOOL:
    case WEFT__CLASS_RAW:
      *out = weft__bits_get(l->t->dtype, l->t->data, i);
      return weft_dtype_bits(l->t->dtype) <= 64;
    default:
      return false;
  }
}

static bool keys_of(const lanes *l, uint64_t *key) {
  if (l->length != 1)
    return false;
  for (size_t i = 0; i < l->n; i++) {
    if (!lists_key_of(l, i, &key[i]))
      return false;
  }
  return true;
}

// Stable bottom-up merge sort of lane numbers; the result lies in the array that is returned.
static weft_status merge_lanes(const weft_call *c, const lanes *l, size_t *from, size_t *to, size_t **out) {
  size_t work = 0;
  for (size_t run = 1; run < l->n; run *= 2) {
    for (size_t lo = 0; lo < l->n; lo += 2 * run) {
      size_t mid = WEFT_MIN(lo + run, l->n);
      size_t end = WEFT_MIN(lo + 2 * run, l->n);
      size_t a = lo;
      size_t b = mid;
      for (size_t k = lo; k < end; k++) {
        WEFT_TRY(weft__poll_work(c, &work, l->length));
        to[k] = a < mid && (b >= end || compare_lanes(l, from[a], from[b]) <= 0) ? from[a++] : from[b++];
      }
    }
    size_t *swap = from;
    from = to;
    to = swap;
  }
  *out = from;
  return WEFT_OK;
}

// Lanes in order, in `a` or `b`; first_of[lane], in the other one: the first lane that is equal.
static weft_status group_lanes(const weft_call *c, const lanes *l, size_t *a, size_t *b, uint64_t *key,
                               size_t **out) {
  bool keyed = keys_of(l, key);
  for (size_t i = 0; i < l->n; i++)
    a[i] = i;
  size_t *order;
  size_t *first_of;
  if (keyed)
    WEFT_TRY(weft__sort_by_key(c, key, a, b, l->n, &order));
  else
    WEFT_TRY(merge_lanes(c, l, a, b, &order));
  first_of = order == a ? b : a;
  for (size_t i = 0, first = 0; i < l->n; i++) {  // sorts are stable: a group's first lane is its smallest
    if (!i || (keyed ? key[order[i - 1]] != key[order[i]] : compare_lanes(l, order[i - 1], order[i])))
      first = order[i];
    first_of[order[i]] = first;
  }
  *out = order;
  return WEFT_OK;
}

static weft_status check_strings(const weft_call *c, const weft_tensor *x) {
  const char *text;
  size_t bytes;
  size_t n = x->dtype == WEFT_STRING ? weft__elems(&x->layout.origin) : 0;
  for (size_t i = 0; i < n; i++)
    WEFT_TRY(weft_tensor_string(x, i, &text, &bytes, c->d));
  return WEFT_OK;
}

weft_status weft__distinct(const weft_call *c, const weft_tensor *x, bool flat, size_t axis, bool sorted,
                           weft_distinct *out) {
  const weft_shape *s = &x->layout.origin;
  lanes l = {.t = x,
             .n = flat ? weft__elems(s) : (size_t)s->dim[axis],
             .inner = flat ? 1 : weft__prod(s, axis + 1, s->rank),
             .plain = weft__dtype_plain(x->dtype),
             .class = weft__dtype_class(x->dtype)};
  l.length = flat ? 1 : l.inner * weft__prod(s, 0, axis);
  if (l.class == WEFT__CLASS_NONE)
    return weft__no_kernel(c, x->dtype);
  WEFT_TRY(check_strings(c, x));
  size_t bytes;
  void *space;
  if (!weft_mul_size(l.n, 5 * sizeof(size_t) + sizeof(uint64_t), &bytes))
    return weft_fail(c->d, WEFT_E_OVERFLOW, "%zu lanes", l.n);
  WEFT_TRY(c->host->workspace(c, bytes, &space));
  uint64_t *key = space;
  size_t *a = (size_t *)(key + l.n);
  size_t *b = a + l.n;
  *out = (weft_distinct){.n_lanes = l.n, .first = b + l.n, .id = b + 2 * l.n, .count = b + 3 * l.n};
  size_t *order;
  size_t *first_of;
  WEFT_TRY(group_lanes(c, &l, a, b, key, &order));
  first_of = order == a ? b : a;
  for (size_t i = 0; i < l.n; i++) {
    size_t lane = sorted ? order[i] : i;
    if (first_of[lane] == lane) {
      out->id[lane] = out->n;
      out->first[out->n++] = lane;
    }
  }
  for (size_t i = 0; i < l.n; i++) {
    out->id[i] = out->id[first_of[i]];
    out->count[out->id[i]]++;
  }
  return WEFT_OK;
}

weft_status weft__write_counts(const weft_call *c, uint32_t i, weft_dtype t, const size_t *v, size_t n,
                               size_t bound) {
  weft_shape most = {.rank = 1, .dim = {(weft_dim)bound}};
  weft_shape found = {.rank = 1, .dim = {(weft_dim)n}};
  if (!c->out[i])
    return WEFT_OK;
  WEFT_TRY(weft__alloc_found(c, i, t, &most, &found));
  for (size_t k = 0; k < n; k++) {
    if (t == WEFT_INT32 && v[k] > INT32_MAX)
      return weft_fail(c->d, WEFT_E_OVERFLOW, "output %u: %zu does not fit int32", i, v[k]);
    weft_store_i64(t, c->out[i]->data, k, (int64_t)v[k]);
  }
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
