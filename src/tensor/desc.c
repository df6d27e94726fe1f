// desc.c - tensor descriptions: setting, ranges, equality, compatibility, sizes, text.
// Equality is for keys and hashing; compatibility asks whether two descriptions could name one tensor and is
// not transitive ([3] ~ [-1] ~ [5]). Neither looks at names, placement or ranges. O(rank), nothing allocates.
#include "tensor/symbols.h"
#include "weft/tensor.h"

void weft_desc_init_sized(weft_tensor_desc *desc, size_t bytes) {
  if (!desc)
    return;
  const weft_tensor_desc fresh = {.dtype = WEFT_FLOAT,
                                  .kind = WEFT_KIND_TENSOR,
                                  .placement = WEFT_ON_HOST,
                                  .origin_format = WEFT_ND,
                                  .format = WEFT_ND};
  weft__sized_fill(desc, bytes, &fresh, sizeof fresh);
}

weft_status weft__desc_check(const weft_tensor_desc *desc, const char *what, weft_diag *d) {
  if (!desc)
    return weft_fail(d, WEFT_E_INVALID, "%s: the description is NULL", what);
  size_t least = WEFT_SIZE_TO(desc, max);
  if (desc->size && (desc->size < least || desc->size % _Alignof(weft_tensor_desc))) {
    return weft_fail(d, WEFT_E_INVALID,
                     "%s: the description says that it has %u bytes, expected %zu or more in steps of %zu: "
                     "set its size to sizeof(weft_tensor_desc)",
                     what, desc->size, least, _Alignof(weft_tensor_desc));
  }
  return WEFT_OK;
}

weft_status weft_desc_set(weft_tensor_desc *desc, weft_dtype t, weft_format f, const weft_dim *dims,
                          size_t rank) {
  WEFT_NEED(NULL, desc);
  WEFT_TRY(weft_shape_init(&desc->layout.origin, dims, rank));
  weft_shape_copy(&desc->layout.storage, &desc->layout.origin);
  desc->dtype = t;
  desc->origin_format = desc->format = f;
  desc->has_range = 0;
  return WEFT_OK;
}

weft_status weft_desc_set_range(weft_tensor_desc *desc, const weft_shape *min, const weft_shape *max,
                                weft_diag *d) {
  WEFT_NEED(d, desc);
  WEFT_NEED(d, min);
  WEFT_NEED(d, max);
  const weft_shape *origin = &desc->layout.origin;
  if (min->rank != max->rank || min->rank > WEFT_MAX_RANK)
    return weft_fail(d, WEFT_E_SHAPE, "range: min has rank %zu, max has rank %zu", min->rank, max->rank);
  if (origin->rank <= WEFT_MAX_RANK && !weft_shape_is_unknown_rank(origin) && origin->rank != min->rank)
    return weft_fail(d, WEFT_E_SHAPE, "range: of rank %zu for a shape of rank %zu", min->rank, origin->rank);
  for (size_t i = 0; i < min->rank; i++) {
    long long lo = min->dim[i];
    long long hi = max->dim[i];
    if (lo < 0 || hi < -1)
      return weft_fail(d, WEFT_E_RANGE, "range: dim %zu is [%lld, %lld]", i, lo, hi);
    if (hi >= 0 && lo > hi)
      return weft_fail(d, WEFT_E_RANGE, "range: dim %zu has min %lld over max %lld", i, lo, hi);
  }
  weft_shape_copy(&desc->min, min);
  weft_shape_copy(&desc->max, max);
  desc->has_range = 1;
  return WEFT_OK;
}

void weft_desc_normalise(weft_tensor_desc *desc) {
  if (!desc)
    return;
  weft_shape *s = &desc->layout.origin;
  if (s->rank > WEFT_MAX_RANK || weft_shape_is_unknown_rank(s)) {
    desc->has_range = 0;
    return;
  }
  bool storage_follows = desc->format == desc->origin_format && weft_shape_equal(s, &desc->layout.storage);
  bool ranged = desc->has_range && desc->min.rank == s->rank && desc->max.rank == s->rank;
  desc->min.rank = desc->max.rank = s->rank;
  for (size_t i = 0; i < s->rank; i++) {
    int64_t lo = ranged ? WEFT_MAX(desc->min.dim[i], 0) : 0;
    int64_t hi = ranged ? desc->max.dim[i] : -1;
    if (s->dim[i] == WEFT_DIM_UNKNOWN && lo == hi)
      s->dim[i] = lo;
    if (s->dim[i] >= 0)
      lo = hi = s->dim[i];
    desc->min.dim[i] = lo;
    desc->max.dim[i] = hi;
  }
  desc->has_range = 1;
  if (storage_follows)
    weft_shape_copy(&desc->layout.storage, s);
}

bool weft_range_contains(int64_t min, int64_t max, int64_t value) {
  return value >= min && (max == -1 || value <= max);
}

bool weft_desc_equal(const weft_tensor_desc *a, const weft_tensor_desc *b) {
  if (!a || !b)
    return false;
  return a->dtype == b->dtype && a->kind == b->kind && a->format == b->format &&
         a->origin_format == b->origin_format && weft_shape_equal(&a->layout.origin, &b->layout.origin) &&
         weft_shape_equal(&a->layout.storage, &b->layout.storage);
}

static bool valid_shape(const weft_shape *s) {
  if (s->rank > WEFT_MAX_RANK)
    return false;
  if (weft_shape_is_unknown_rank(s))
    return true;
  for (size_t i = 0; i < s->rank; i++) {
    if (s->dim[i] < WEFT_DIM_UNKNOWN && !weft_dim_is_symbol(s->dim[i]))
      return false;
  }
  return true;
}

weft_status weft_desc_compatible(const weft_tensor_desc *a, const weft_tensor_desc *b, unsigned flags,
                                 bool *out) {
  WEFT_NEED(NULL, a);
  WEFT_NEED(NULL, b);
  WEFT_NEED(NULL, out);
  const weft_shape *x = &a->layout.origin;
  const weft_shape *y = &b->layout.origin;
  if (!valid_shape(x) || !valid_shape(y))
    return WEFT_E_INVALID;
  bool same = a->dtype == b->dtype && a->kind == b->kind &&
              weft_format_primary(a->format) == weft_format_primary(b->format) &&
              weft_format_primary(a->origin_format) == weft_format_primary(b->origin_format);
  if (same && !weft_shape_is_unknown_rank(x) && !weft_shape_is_unknown_rank(y)) {
    same = x->rank == y->rank;
    for (size_t i = 0; same && i < x->rank; i++) {
      weft_dim v = x->dim[i];
      weft_dim w = y->dim[i];
      bool one_zero = (v == 0) != (w == 0);
      if (v >= 0 && w >= 0)
        same = v == w;
      else if (one_zero && (flags & WEFT_COMPATIBLE_STRICT_POSITIVE))
        same = false;
    }
  }
  *out = same;
  return WEFT_OK;
}

int64_t weft_desc_elems(const weft_tensor_desc *desc) {
  int64_t n;
  if (weft__desc_check(desc, "description", NULL) || weft_shape_elems(&desc->layout.origin, &n))
    return -1;
  return n;
}

int64_t weft_desc_bytes(const weft_tensor_desc *desc) {
  int64_t n;
  if (weft__desc_check(desc, "description", NULL) || desc->kind != WEFT_KIND_TENSOR ||
      weft_shape_elems(&desc->layout.storage, &n))
    return -1;
  return weft_dtype_bytes(n, desc->dtype);
}

void weft_tensor_describe_sized(const weft_tensor *t, weft_tensor_desc *out, size_t out_bytes) {
  weft_tensor_desc own;
  if (!out)
    return;
  weft_desc_init(&own);
  if (t) {
    own.kind = t->kind;
    own.dtype = t->kind == WEFT_KIND_TENSOR ? t->dtype : t->item_dtype;
    own.placement = t->placement;
    own.origin_format = t->origin_format;
    own.format = t->format;
    own.layout = t->layout;
    if (t->kind != WEFT_KIND_TENSOR) {
      weft_shape_set_unknown_rank(&own.layout.origin);
      weft_shape_set_unknown_rank(&own.layout.storage);
    }
  }
  weft__sized_fill(out, out_bytes, &own, sizeof own);
}

const char *weft_desc_text(const weft_tensor_desc *desc, char *buf, size_t cap) {
  if (!desc)
    return "";
  char format[64];
  size_t at = 0;
  weft__append(buf, cap, &at, "TensorDesc(name=%s, shape=", desc->name ? desc->name : "");
  weft__shape_append(NULL, &desc->layout.origin, ", ", buf, cap, &at);
  weft__append(buf, cap, &at, ", dtype=%s, format=%s", weft_dtype_serial(desc->dtype),
               weft_format_text(desc->origin_format, format, sizeof format));
  if (desc->format != desc->origin_format || !weft_shape_equal(&desc->layout.origin, &desc->layout.storage)) {
    weft__append(buf, cap, &at, ", storage_shape=");
    weft__shape_append(NULL, &desc->layout.storage, ", ", buf, cap, &at);
    weft__append(buf, cap, &at, ", storage_format=%s", weft_format_text(desc->format, format, sizeof format));
  }
  weft__append(buf, cap, &at, ")");
  return buf;
}
// SPDX-License-Identifier: Apache-2.0
