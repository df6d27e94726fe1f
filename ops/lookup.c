// lookup.c - see lookup.h. Open addressing, half of the places stay free.
#include "lookup.h"

static uint64_t lookup_mix(uint64_t v) {
  v = (v ^ (v >> 33)) * UINT64_C(0xff51afd7ed558ccd);
  return v ^ (v >> 33);
}

static uint64_t lookup_number(double v) {
  uint64_t bits;
  if (v == 0)
    v = 0;  // -0 is 0
  if (isnan(v))
    v = NAN;
  memcpy(&bits, &v, sizeof bits);
  return lookup_mix(bits);
}

static weft_status lookup_hash(const weft_tensor *t, size_t i, weft_diag *d, uint64_t *out) {
  const char *text;
  size_t bytes;
  if (t->dtype == WEFT_STRING) {
    WEFT_TRY(weft_tensor_string(t, i, &text, &bytes, d));
    uint64_t h = UINT64_C(14695981039346656037);
    for (size_t k = 0; k < bytes; k++)
      h = (h ^ (unsigned char)text[k]) * UINT64_C(1099511628211);
    *out = lookup_mix(h);
  } else if (weft_dtype_is_float(t->dtype)) {
    *out = lookup_number(weft_load_f64(t->dtype, t->data, i));
  } else {
    *out = lookup_mix((uint64_t)weft_load_i64(t->dtype, t->data, i));
  }
  return WEFT_OK;
}

static weft_status lookup_same(const weft_tensor *x, size_t i, const weft_tensor *keys, size_t k,
                               weft_diag *d, bool *out) {
  if (x->dtype == WEFT_STRING) {
    const char *a;
    const char *b;
    size_t n;
    size_t m;
    WEFT_TRY(weft_tensor_string(x, i, &a, &n, d));
    WEFT_TRY(weft_tensor_string(keys, k, &b, &m, d));
    *out = n == m && !memcmp(a, b, n);
  } else if (weft_dtype_is_float(x->dtype)) {
    double a = weft_load_f64(x->dtype, x->data, i), b = weft_load_f64(x->dtype, keys->data, k);
    *out = a == b || (isnan(a) && isnan(b));
  } else {
    *out = weft_load_i64(x->dtype, x->data, i) == weft_load_i64(x->dtype, keys->data, k);
  }
  return WEFT_OK;
}

// The place of an equal key, or the free one where it would lie.
static weft_status lookup_place(const weft__lookup *t, const weft_tensor *x, size_t i, weft_diag *d,
                                size_t *out) {
  uint64_t hash;
  bool same = false;
  WEFT_TRY(lookup_hash(x, i, d, &hash));
  size_t at = (size_t)hash & t->mask;
  while (t->slot[at] >= 0) {
    WEFT_TRY(lookup_same(x, i, t->keys, (size_t)t->slot[at], d, &same));
    if (same)
      break;
    at = (at + 1) & t->mask;
  }
  *out = at;
  return WEFT_OK;
}

weft_status weft__lookup_make(const weft_call *c, const weft_tensor *keys, weft__lookup *out) {
  size_t n = weft__elems(&keys->layout.origin);
  size_t places = 2;
  size_t bytes;
  void *space;
  while (places < SIZE_MAX / 4 && places / 2 < n)
    places *= 2;
  if (!weft_mul_size(places, sizeof(int64_t), &bytes))
    return weft_fail(c->d, WEFT_E_OVERFLOW, "%zu keys", n);
  WEFT_TRY(c->host->workspace(c, bytes, &space));
  int64_t *slot = space;
  for (size_t i = 0; i < places; i++)
    slot[i] = -1;
  *out = (weft__lookup){keys, slot, places - 1};
  for (size_t k = 0; k < n; k++) {
    size_t at;
    WEFT_TRY(lookup_place(out, keys, k, c->d, &at));
    slot[at] = (int64_t)k;
  }
  return WEFT_OK;
}

weft_status weft__lookup_find(const weft__lookup *t, const weft_tensor *x, size_t i, weft_diag *d,
                              int64_t *out) {
  size_t at;
  WEFT_TRY(lookup_place(t, x, i, d, &at));
  *out = t->slot[at];
  return WEFT_OK;
}

int64_t weft__lookup_int(const weft__lookup *t, int64_t v) {
  size_t at = (size_t)lookup_mix((uint64_t)v) & t->mask;
  while (t->slot[at] >= 0 && weft_load_i64(t->keys->dtype, t->keys->data, (size_t)t->slot[at]) != v)
    at = (at + 1) & t->mask;
  return t->slot[at];
}
// SPDX-License-Identifier: Apache-2.0
