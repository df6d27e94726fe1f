// guard_results.c - see guard_results.h.
#include "guard_results.h"

#include <math.h>
#include <string.h>

#include "base/base.h"
#include "op/infer_node.h"

static bool guard_bytes_alike(const uint8_t *p, const uint8_t *q, size_t n) {
  for (size_t i = 0; i < n; i++) {
    if (p[i] != q[i] && (uint8_t)(p[i] + 1) != q[i] && (uint8_t)(p[i] - 1) != q[i])
      return false;
  }
  return true;
}

static double guard_largest(const weft_tensor *t, const void *y, int64_t n) {
  double most = 1;
  for (int64_t i = 0; i < n; i++) {
    double v = fabs(weft_load_f64(t->dtype, y, (size_t)i));
    if (isfinite(v) && v > most)
      most = v;
  }
  return most;
}

bool guard_results_alike(const weft_tensor *t, const void *a, const void *b, bool rough) {
  int64_t n = (int64_t)(t->bytes * 8 / WEFT_MAX(1, weft_dtype_bits(t->dtype)));
  if (!weft_dtype_is_float(t->dtype)) {
    if (weft_dtype_bits(t->dtype) == 8)
      return guard_bytes_alike(a, b, t->bytes);
    return !t->bytes || !memcmp(a, b, t->bytes);
  }
  rough |= t->dtype != WEFT_FLOAT && t->dtype != WEFT_DOUBLE;
  double bound = guard_largest(t, b, n) * (rough ? 5e-2 : 1e-3);
  for (int64_t i = 0; i < n; i++) {
    double v = weft_load_f64(t->dtype, a, (size_t)i);
    double w = weft_load_f64(t->dtype, b, (size_t)i);
    if ((isnan(v) && isnan(w)) || v == w)
      continue;
    if (!(fabs(v - w) <= bound))
      return false;
  }
  return true;
}

bool guard_lanes_empty(const weft_tensor *t, const float *y) {
  const weft_shape *o = &t->layout.origin;
  const weft_shape *s = &t->layout.storage;
  if (!weft__format_packed(t->format) || t->dtype != WEFT_FLOAT || s->rank != 5 || o->rank != 4)
    return true;
  int64_t channels = t->origin_format == WEFT_NHWC ? o->dim[3] : o->dim[1];
  int64_t c0 = s->dim[4];
  int64_t places = s->dim[2] * s->dim[3];
  for (int64_t i = 0; i < s->dim[0] * s->dim[1]; i++) {
    for (int64_t k = 0; k < places * c0; k++) {
      if (i % s->dim[1] * c0 + k % c0 >= channels && y[i * places * c0 + k] != 0)
        return false;
    }
  }
  return true;
}
// SPDX-License-Identifier: Apache-2.0
