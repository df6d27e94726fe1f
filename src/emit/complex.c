// complex.c - complex numbers and Fourier transforms. A complex tensor and a real one with real and
// imaginary parts along a new last axis have the same bytes: Bitcast makes one of the other, and DFT takes
// the real form.
#include "emit/emit.h"

bool front_is_complex(const weft_value *v) {
  return v && (WEFT_BIT(v->fact.dtype) & WEFT_SET_COMPLEX) != 0;
}

static weft_value *complex_bits(front_op *b, weft_value *v, weft_dtype t) {
  front_set(b, "type", weft_attr_dtype(t));
  return front_do(b, "Bitcast", v, NULL, NULL);
}

// [.., 2]
weft_value *front_complex_parts(front_op *b, weft_value *v) {
  return v ? complex_bits(b, v, v->fact.dtype == WEFT_COMPLEX128 ? WEFT_DOUBLE : WEFT_FLOAT) : NULL;
}
weft_value *front_complex_made(front_op *b, weft_value *v) {
  return v ? complex_bits(b, v, v->fact.dtype == WEFT_DOUBLE ? WEFT_COMPLEX128 : WEFT_COMPLEX64) : NULL;
}
weft_value *front_complex_part(front_op *b, weft_value *v, int64_t which) {
  weft_value *parts = front_complex_parts(b, v);
  return b->failed ? NULL : front_picked(b, parts, front_rank(parts) - 1, front_index(b, which));
}
weft_value *front_complex_of(front_op *b, weft_value *re, weft_value *im) {
  int rank = front_rank_of(b, re);
  weft_value *parts[2] = {front_unsqueezed(b, re, rank), front_unsqueezed(b, im, rank)};
  return b->failed ? NULL : front_complex_made(b, front_joined(b, parts, 2, rank));
}

weft_value *front_complex_abs(front_op *b, weft_value *v) {
  weft_value *parts = front_complex_parts(b, v);
  int64_t last = front_rank_of(b, parts) - 1;
  return front_reduced(b, "EuclideanNorm", parts, &last, 1, false);
}
weft_value *front_complex_angle(front_op *b, weft_value *v) {
  weft_value *im = front_complex_part(b, v, 1);
  return front_do(b, "Atan2", im, front_complex_part(b, v, 0), NULL);
}
weft_value *front_complex_conj(front_op *b, weft_value *v) {
  weft_value *im = front_do(b, "Neg", front_complex_part(b, v, 1), NULL, NULL);
  return front_complex_of(b, front_complex_part(b, v, 0), im);
}

// ---- transforms ----
// v: [.., 1 or 2]
weft_value *front_dft(front_op *b, weft_value *v, const front_fourier *f) {
  weft_value *in[3] = {v, f->n ? front_index(b, f->n) : NULL, front_index(b, f->axis)};
  front_set_bool(b, "inverse", f->inverse);
  front_set_bool(b, "onesided", f->onesided);
  return front_emit(b, "DFT", in, 3, NULL);
}

// As DFT takes it.
weft_value *front_complex_spread(front_op *b, weft_value *v) {
  if (b->failed)
    return NULL;
  if (front_is_complex(v))
    return front_complex_parts(b, v);
  if (!(WEFT_BIT(v->fact.dtype) & WEFT_FLOATS))
    v = front_as(b, v, WEFT_FLOAT);
  return front_unsqueezed(b, v, front_rank(v));
}
// SPDX-License-Identifier: Apache-2.0
