// difference.c - the largest error between tensors and where it is. One pass over the elements; judges
// nothing.
#include <math.h>

#include "base/base.h"
#include "tensor/tensor.h"
#include "weft/debug.h"

static bool difference_numbers(const weft_tensor *got, const weft_tensor *want) {
  if (got->kind != WEFT_KIND_TENSOR || want->kind != WEFT_KIND_TENSOR || got->dtype != want->dtype)
    return false;
  const weft__class class = weft__dtype_class(got->dtype);
  const bool numbers = class != WEFT__CLASS_STRING && class != WEFT__CLASS_RAW;
  return numbers && got->data && want->data && weft_shape_equal(&got->layout.storage, &want->layout.storage);
}

static double difference_error(double got, double want) {
  const bool equal = got == want || (isnan(got) && isnan(want));
  if (equal)
    return 0;
  const double error = fabs(got - want);
  return isfinite(error) ? error : INFINITY;
}

static void difference_place(const weft_shape *s, size_t flat, char *buf, size_t cap) {
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
}

static void difference_number(weft_difference *x, double got, double want, const weft_shape *s,
                              size_t element) {
  const double error = difference_error(got, want);
  if (error > x->max_abs) {
    x->max_abs = error;
    x->got = isnan(got) ? (double)NAN : got;
    x->want = isnan(want) ? (double)NAN : want;
    difference_place(s, element, x->at_abs, sizeof x->at_abs);
  }
  const double relative = want != 0 && isfinite(want) ? error / fabs(want) : 0;
  if (relative > x->max_rel) {
    x->max_rel = relative;
    difference_place(s, element, x->at_rel, sizeof x->at_rel);
  }
}

void weft_difference_add(weft_difference *x, const weft_tensor *got, const weft_tensor *want) {
  if (!x || !got || !want || !difference_numbers(got, want))
    return;
  const weft_dtype t = weft__dtype_plain(got->dtype);
  const size_t parts = weft__dtype_class(got->dtype) == WEFT__CLASS_COMPLEX ? 2 : 1;
  const int64_t n = weft_tensor_elems(got);
  if (n < 0)
    return;
  x->compared = true;
  x->elems += (uint64_t)n;
  for (size_t i = 0; i < (size_t)n * parts; i++) {
    difference_number(x, weft_load_f64(t, got->data, i), weft_load_f64(t, want->data, i),
                      &got->layout.storage, i / parts);
  }
}

const char *weft_difference_text(const weft_difference *x, char *buf, size_t cap) {
  size_t at = 0;
  if (!buf || !cap)
    return buf;
  buf[0] = 0;
  if (!x || !x->compared)
    return buf;
  if (!(x->max_abs > 0)) {
    weft__append(buf, cap, &at, "all elements are equal");
    return buf;
  }
  weft__append(buf, cap, &at, "largest error %.3g at %s (%.9g, expected %.9g)", x->max_abs, x->at_abs, x->got,
               x->want);
  if (x->max_rel > 0)
    weft__append(buf, cap, &at, ", relative %.3g at %s", x->max_rel, x->at_rel);
  return buf;
}
// SPDX-License-Identifier: Apache-2.0
