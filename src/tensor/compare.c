// compare.c - tensor against tensor. `b` is the expected one: a float is right when |a-b| <= atol + rtol*|b|,
// both are NaN, or both are equal (infinities included). Everything else must have the same bits. Elements
// are visited in order and the report does not depend on anything but the two tensors.
#include <math.h>

#include "tensor/tensor.h"

typedef struct report {
  size_t elems, wrong, first, worst;
  double largest;
} report;

// Is one real part right? Otherwise *out_gap is how far it is off (infinity when that has no meaning).
static bool close(double a, double b, double rtol, double atol, double *out_gap) {
  if (a == b || (isnan(a) && isnan(b)))
    return true;
  double gap = fabs(a - b);
  if (isnan(gap) || isinf(a) || isinf(b)) {
    *out_gap = INFINITY;
    return false;
  }
  *out_gap = gap;
  return gap <= atol + rtol * fabs(b);
}

static bool compare_same_text(const weft_tensor *a, const weft_tensor *b, size_t i, weft_status *st,
                              weft_diag *d) {
  const char *x;
  const char *y;
  size_t n;
  size_t m;
  *st = weft_tensor_string(a, i, &x, &n, d);
  if (!*st)
    *st = weft_tensor_string(b, i, &y, &m, d);
  return !*st && n == m && !memcmp(x, y, n);
}

static uint64_t part_bits(const weft_tensor *t, size_t i) {
  return weft__bits_get(t->dtype, t->data, i);
}

// Is element `i` right? COMPLEX compares part by part.
static bool same_element(const weft_tensor *a, const weft_tensor *b, weft__class class, size_t i, double rtol,
                         double atol, double *gap) {
  weft_dtype t = weft__dtype_plain(a->dtype);
  *gap = INFINITY;
  if (class == WEFT__CLASS_FLOAT)
    return close(weft_load_f64(t, a->data, i), weft_load_f64(t, b->data, i), rtol, atol, gap);
  if (class == WEFT__CLASS_COMPLEX) {
    double re = 0, im = 0;
    bool ok = close(weft_load_f64(t, a->data, 2 * i), weft_load_f64(t, b->data, 2 * i), rtol, atol, &re);
    ok &= close(weft_load_f64(t, a->data, 2 * i + 1), weft_load_f64(t, b->data, 2 * i + 1), rtol, atol, &im);
    *gap = re > im ? re : im;
    return ok;
  }
  if (part_bits(a, i) == part_bits(b, i))
    return true;
  if (class == WEFT__CLASS_INT)
    *gap = fabs((double)weft_load_i64(t, a->data, i) - (double)weft_load_i64(t, b->data, i));
  if (class == WEFT__CLASS_UINT)
    *gap = fabs((double)weft_load_u64(t, a->data, i) - (double)weft_load_u64(t, b->data, i));
  return false;
}

static const char *element_text(const weft_tensor *t, weft__class class, size_t i, char *buf, size_t cap) {
  char re[32];
  char im[32];
  weft_dtype p = weft__dtype_plain(t->dtype);
  const char *text;
  size_t n;
  size_t at = 0;
  switch (class) {
    case WEFT__CLASS_FLOAT:
      return weft__double_text(weft_load_f64(p, t->data, i), buf);
    case WEFT__CLASS_COMPLEX:
      weft__append(buf, cap, &at, "(%s,%s)", weft__double_text(weft_load_f64(p, t->data, 2 * i), re),
                   weft__double_text(weft_load_f64(p, t->data, 2 * i + 1), im));
      break;
    case WEFT__CLASS_INT:
      weft__append(buf, cap, &at, "%lld", (long long)weft_load_i64(p, t->data, i));
      break;
    case WEFT__CLASS_UINT:
      weft__append(buf, cap, &at, "%llu", (unsigned long long)weft_load_u64(p, t->data, i));
      break;
    case WEFT__CLASS_STRING:
      if (weft_tensor_string(t, i, &text, &n, NULL)) {
        text = "";
        n = 0;
      }
      weft__append(buf, cap, &at, "\"%.*s\"%s", (int)WEFT_MIN(n, 40), text, n > 40 ? "..." : "");
      break;
    default:
      weft__append(buf, cap, &at, "%#llx", (unsigned long long)part_bits(t, i));
      break;
  }
  return buf;
}

static const char *index_text(const weft_shape *s, size_t flat, char *buf, size_t cap) {
  size_t index[WEFT_MAX_RANK];
  size_t at = 0;
  for (size_t i = s->rank; i-- > 0;) {
    index[i] = flat % (size_t)s->dim[i];
    flat /= (size_t)s->dim[i];
  }
  weft__append(buf, cap, &at, "[");
  for (size_t i = 0; i < s->rank; i++)
    weft__append(buf, cap, &at, i ? ",%zu" : "%zu", index[i]);
  weft__append(buf, cap, &at, "]");
  return buf;
}

static weft_status compare_data(const weft_tensor *a, const weft_tensor *b, double rtol, double atol,
                                weft_diag *d) {
  report r = {0};
  weft__class class = weft__dtype_class(a->dtype);
  int64_t elems = weft_tensor_elems(a);
  if (elems <= 0 || (!a->data && !b->data))
    return WEFT_OK;
  if (!a->data || !b->data)
    return weft_fail(d, WEFT_E_DIFFERENT, "compare: the %s tensor has no data", a->data ? "second" : "first");
  if (a->placement != WEFT_ON_HOST || b->placement != WEFT_ON_HOST)
    return weft_fail(d, WEFT_E_UNSUPPORTED, "compare: only data on the host can be compared here");
  r.elems = (size_t)elems;
  int64_t need = weft_dtype_bytes(elems, a->dtype);
  if (need < 0 || (uint64_t)need > a->bytes || (uint64_t)need > b->bytes) {
    return weft_fail(d, WEFT_E_CORRUPT, "compare: %lld bytes expected, got %zu and %zu", (long long)need,
                     a->bytes, b->bytes);
  }
  for (size_t i = 0; i < r.elems; i++) {
    weft_status st = WEFT_OK;
    double gap = INFINITY;
    bool same = class == WEFT__CLASS_STRING ? compare_same_text(a, b, i, &st, d)
                                            : same_element(a, b, class, i, rtol, atol, &gap);
    WEFT_TRY(st);
    if (same)
      continue;
    if (!r.wrong++)
      r.first = i;
    if (r.wrong == 1 || gap > r.largest) {
      r.largest = gap;
      r.worst = i;
    }
  }
  if (!r.wrong)
    return WEFT_OK;
  char at[256];
  char worst[256];
  char got[128];
  char expected[128];
  char largest[32];
  index_text(&a->layout.storage, r.first, at, sizeof at);
  element_text(a, class, r.first, got, sizeof got);
  element_text(b, class, r.first, expected, sizeof expected);
  if (class == WEFT__CLASS_STRING || class == WEFT__CLASS_RAW || class == WEFT__CLASS_BOOL) {
    return weft_fail(d, WEFT_E_DIFFERENT,
                     "compare: element %s is %s, expected %s; %zu of %zu elements differ", at, got, expected,
                     r.wrong, r.elems);
  }
  index_text(&a->layout.storage, r.worst, worst, sizeof worst);
  return weft_fail(
      d, WEFT_E_DIFFERENT,
      "compare: element %s is %s, expected %s; %zu of %zu elements differ, by at most %s at %s (rtol %g, "
      "atol %g)",
      at, got, expected, r.wrong, r.elems, weft__double_text(r.largest, largest), worst, rtol, atol);
}

static weft_status compare(const weft_tensor *a, const weft_tensor *b, double rtol, double atol, int depth,
                           weft_diag *d) {
  if (a->kind != b->kind) {
    return weft_fail(d, WEFT_E_DIFFERENT, "compare: kind %s, expected %s", weft__kind_word(a->kind),
                     weft__kind_word(b->kind));
  }
  if (weft__kind_has_items(a->kind)) {
    if (depth >= WEFT__TENSOR_DEPTH)
      return weft_fail(d, WEFT_E_LIMIT, "compare: nested deeper than %d", depth);
    if (a->n_items != b->n_items)
      return weft_fail(d, WEFT_E_DIFFERENT, "compare: %zu items, expected %zu", a->n_items, b->n_items);
    for (size_t i = 0; i < a->n_items; i++) {
      weft_status st = compare(a->items[i], b->items[i], rtol, atol, depth + 1, d);
      if (st)
        weft_note(d, "in item %zu", i);
      WEFT_TRY(st);
    }
    return WEFT_OK;
  }
  if (a->dtype != b->dtype) {
    return weft_fail(d, WEFT_E_DIFFERENT, "compare: dtype %s, expected %s", weft_dtype_name(a->dtype),
                     weft_dtype_name(b->dtype));
  }
  if (!weft_shape_equal(&a->layout.storage, &b->layout.storage)) {
    char x[256];
    char y[256];
    return weft_fail(d, WEFT_E_DIFFERENT, "compare: shape %s, expected %s",
                     weft_shape_text(&a->layout.storage, NULL, x, sizeof x),
                     weft_shape_text(&b->layout.storage, NULL, y, sizeof y));
  }
  return compare_data(a, b, rtol, atol, d);
}

weft_status weft_tensor_compare(const weft_tensor *a, const weft_tensor *b, double rtol, double atol,
                                weft_diag *d) {
  WEFT_NEED(d, a);
  WEFT_NEED(d, b);
  if (!(rtol >= 0) || !(atol >= 0)) {
    return weft_fail(d, WEFT_E_INVALID, "compare: tolerances must not be negative, got rtol %g, atol %g",
                     rtol, atol);
  }
  return compare(a, b, rtol, atol, 0, d);
}

static bool same_bits(const weft_tensor *a, const weft_tensor *b, weft__class class, size_t i) {
  weft_dtype t = weft__dtype_plain(a->dtype);
  if (class == WEFT__CLASS_STRING) {
    weft_status st;
    return compare_same_text(a, b, i, &st, NULL);
  }
  if (class != WEFT__CLASS_COMPLEX && class != WEFT__CLASS_FLOAT)
    return part_bits(a, i) == part_bits(b, i);
  size_t parts = class == WEFT__CLASS_COMPLEX ? 2 : 1;
  for (size_t k = parts * i; k < parts * (i + 1); k++) {
    if (weft__bits_get(t, a->data, k) == weft__bits_get(t, b->data, k))
      continue;
    if (!isnan(weft_load_f64(t, a->data, k)) || !isnan(weft_load_f64(t, b->data, k)))
      return false;
  }
  return true;
}

static bool compare_same(const weft_tensor *a, const weft_tensor *b, int depth) {
  if (a == b)
    return true;
  if (a->kind != b->kind || a->dtype != b->dtype || a->format != b->format ||
      a->origin_format != b->origin_format || a->n_items != b->n_items || a->item_dtype != b->item_dtype ||
      depth > WEFT__TENSOR_DEPTH)
    return false;
  for (size_t i = 0; i < a->n_items; i++) {
    if (!compare_same(a->items[i], b->items[i], depth + 1))
      return false;
  }
  if (!weft_shape_equal(&a->layout.storage, &b->layout.storage) ||
      !weft_shape_equal(&a->layout.origin, &b->layout.origin) || a->placement != b->placement ||
      !a->data != !b->data)
    return false;
  if (a->data == b->data)
    return true;
  if (a->placement != WEFT_ON_HOST)
    return false;
  if (a->bytes == b->bytes && (!a->bytes || !memcmp(a->data, b->data, a->bytes)))
    return true;
  int64_t elems = weft_tensor_elems(a);
  int64_t need = weft_dtype_bytes(elems, a->dtype);
  if (elems < 0 || need < 0 || (uint64_t)need > a->bytes || (uint64_t)need > b->bytes)
    return false;
  weft__class class = weft__dtype_class(a->dtype);
  for (size_t i = 0; i < (size_t)elems; i++) {
    if (!same_bits(a, b, class, i))
      return false;
  }
  return true;
}

bool weft__tensor_same(const weft_tensor *a, const weft_tensor *b) {
  return compare_same(a, b, 0);
}
// SPDX-License-Identifier: Apache-2.0
