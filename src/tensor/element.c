// element.c - reads and writes one element of a packed buffer: weft/element.h's functions, for those who link
// against the library, and the view of unsigned integers.
#include "weft/element.h"

double weft_load_f64(weft_dtype t, const void *data, size_t index) {
  return weft_elem_f64(t, data, index);
}

int64_t weft_load_i64(weft_dtype t, const void *data, size_t index) {
  return weft_elem_i64(t, data, index);
}

uint64_t weft_load_u64(weft_dtype t, const void *data, size_t index) {
  if (weft_elem_in(t, WEFT_ELEM_SIGNED | WEFT_ELEM_UNSIGNED))
    return weft_elem_integer(t, data, index);
  return weft_f64_to_u64(weft_elem_float(t, data, index));
}

void weft_store_f64(weft_dtype t, void *data, size_t index, double v) {
  weft_elem_put_f64(t, data, index, v);
}

void weft_store_i64(weft_dtype t, void *data, size_t index, int64_t v) {
  weft_elem_put_i64(t, data, index, v);
}

void weft_store_u64(weft_dtype t, void *data, size_t index, uint64_t v) {
  if (t == WEFT_FLOAT)
    weft_elem_put_bits(32, data, index, weft_f32_bits((float)v));
  else if (t == WEFT_DOUBLE)
    weft_elem_put_bits(64, data, index, weft_f64_bits((double)v));
  else if (weft_elem_in(t, WEFT_ELEM_SIGNED | WEFT_ELEM_UNSIGNED))
    weft_elem_put_integer(t, data, index, v);
  else
    weft_elem_put_float(t, data, index, weft_odd_f64(v));
}
// SPDX-License-Identifier: Apache-2.0
