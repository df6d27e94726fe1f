// complex.c - complex numbers and Fourier transforms. A complex tensor and a real one with real and
// imaginary parts along a new last axis have the same bytes: Bitcast makes one of the other, and DFT takes
// the real form.
#include "emit/emit.h"

#include <math.h>

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
  weft_value *length = f->n ? front_index(b, f->n) : NULL;
  if (f->length)
    length = front_reshaped(b, f->length, NULL, 0);
  weft_value *in[3] = {v, length, front_index(b, f->axis)};
  front_set_bool(b, "inverse", f->inverse);
  front_set_bool(b, "onesided", f->onesided);
  return front_emit(b, "DFT", in, 3, NULL);
}

// The elements that one result is made of; -1: not known.
static int64_t complex_length(front_op *b, const weft_value *v, const front_fourier *f) {
  const weft_dim d = front_dim_bounded(b, v, (int)f->axis);
  int64_t n = f->inverse && f->onesided && d > 0 ? 2 * (d - 1) : d;
  if (f->n || f->length)
    n = f->length ? -1 : f->n;
  if (!b->failed && (n == 0 || n < -1))
    front_fail(b, WEFT_E_SHAPE, "a Fourier transform of %lld elements", (long long)n);
  return n;
}

// v times or divided by n elements, which the run counts, or by their root.
static weft_value *complex_counted(front_op *b, weft_value *v, weft_value *n, bool root, bool times) {
  const weft_dtype t = v && v->fact.dtype == WEFT_DOUBLE ? WEFT_DOUBLE : WEFT_FLOAT;
  n = front_as(b, n, t);
  if (root)
    n = front_do(b, "Sqrt", n, NULL, NULL);
  n = v ? front_as(b, n, v->fact.dtype) : NULL;
  return front_do(b, times ? "Mul" : "RealDiv", v, n, NULL);
}

weft_value *front_dft_scaled(front_op *b, weft_value *v, const front_fourier *f, front_norm norm) {
  front_fourier g = *f;
  const int64_t n = complex_length(b, v, f);
  if (g.inverse && g.onesided && !g.n && n > 0)
    g.n = n;
  weft_value *y = front_dft(b, v, &g);
  if (b->failed || norm == (g.inverse ? FRONT_NORM_WHOLE : FRONT_NORM_NONE))
    return y;
  if (n < 0) {
    weft_value *all = g.length ? g.length : front_dim_index(b, g.inverse ? y : v, g.axis);
    return complex_counted(b, y, all, norm == FRONT_NORM_ROOT, g.inverse);
  }
  double by = norm == FRONT_NORM_ROOT ? 1 / sqrt((double)n) : norm == FRONT_NORM_WHOLE ? 1 / (double)n : 1;
  by *= g.inverse ? (double)n : 1;
  return by == 1 ? y : front_do(b, "Mul", y, front_num(b, y->fact.dtype, by), NULL);
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
