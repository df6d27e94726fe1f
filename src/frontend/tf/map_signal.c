// map_signal.c - complex numbers, products of matrices and Fourier transforms. They stand on
// src/emit/complex.c. TensorFlow transforms the last axes; fft_length cuts or fills real ones.
#include "frontend/tf/tables.h"

// ---- numbers ----
// Both parts broadcast; where their shapes are not certainly one, by adding a zero of the other's.
static void signal_complex(tf_op *o) {
  weft_value *re = tf_in(o, 0);
  weft_value *im = tf_in(o, 1);
  front_matched(&o->b, &re, &im);
  tf_give(o, 0, front_complex_of(&o->b, re, im));
}
static void signal_real(tf_op *o) {
  weft_value *v = tf_in(o, 0);
  tf_give(o, 0, front_is_complex(v) ? front_complex_part(&o->b, v, 0) : v);
}
static void signal_imag(tf_op *o) {
  weft_value *v = tf_in(o, 0);
  tf_give(o, 0, front_complex_part(&o->b, v, 1));
}
static void signal_conj(tf_op *o) {
  weft_value *v = tf_in(o, 0);
  tf_give(o, 0, front_is_complex(v) ? front_complex_conj(&o->b, v) : v);
}
static void signal_abs(tf_op *o) {
  tf_give(o, 0, front_complex_abs(&o->b, tf_in(o, 0)));
}
static void signal_angle(tf_op *o) {
  tf_give(o, 0, front_complex_angle(&o->b, tf_in(o, 0)));
}

// Real numbers become complex ones with nothing imaginary, and complex ones lose that part.
static void signal_cast(tf_op *o) {
  front_op *b = &o->b;
  weft_value *x = tf_in(o, 0);
  weft_dtype to = tf_type(o, "DstT", WEFT_FLOAT);
  bool complex = (WEFT_BIT(to) & WEFT_SET_COMPLEX) != 0;
  if (x && x->fact.dtype == to)
    tf_give(o, 0, x);
  else if (!complex)
    tf_give(o, 0, front_as(b, front_is_complex(x) ? front_complex_part(b, x, 0) : x, to));
  else {
    weft_dtype half = to == WEFT_COMPLEX128 ? WEFT_DOUBLE : WEFT_FLOAT;
    weft_value *re = front_as(b, front_is_complex(x) ? front_complex_part(b, x, 0) : x, half);
    weft_value *im = front_is_complex(x) ? front_as(b, front_complex_part(b, x, 1), half)
                                         : front_do(b, "ZerosLike", re, NULL, NULL);
    tf_give(o, 0, front_complex_of(b, re, im));
  }
}

// ---- transforms ----
typedef struct signal_kind {
  int axes;
  bool inverse, from_real, to_real;
} signal_kind;

static void signal_transform(tf_op *o, signal_kind k) {
  front_op *b = &o->b;
  int64_t sizes[TF_MAX_NUMBERS] = {0};
  weft_value *v = tf_in(o, 0);
  int rank = front_rank_of(b, v);
  size_t n = k.from_real || k.to_real ? tf_known(o, 1, sizes) : 0;
  if (!b->failed && (rank < k.axes || (n && n != (size_t)k.axes)))
    front_fail(b, WEFT_E_SHAPE, "rank %d and %zu sizes for a transform of %d axes", rank, n, k.axes);
  v = front_complex_spread(b, v);
  front_fourier half = {rank - 1, n ? sizes[n - 1] : 0, k.inverse, true};
  if (k.from_real)
    v = b->failed ? NULL : front_dft(b, v, &half);
  for (int i = 0; i + (k.from_real || k.to_real) < k.axes && !b->failed; i++) {
    front_fourier whole = {rank - k.axes + i, sizes[i], k.inverse, false};
    v = front_dft(b, v, &whole);
  }
  if (k.to_real)
    v = b->failed ? NULL : front_squeezed(b, front_dft(b, v, &half), rank);
  tf_give(o, 0, k.to_real ? v : front_complex_made(b, v));
}
#define SIGNAL(name, axes, inverse, from_real, to_real)                    \
  static void signal_##name(tf_op *o) {                                    \
    signal_transform(o, (signal_kind){axes, inverse, from_real, to_real}); \
  }
SIGNAL(fft, 1, false, false, false)
SIGNAL(fft2, 2, false, false, false)
SIGNAL(fft3, 3, false, false, false)
SIGNAL(ifft, 1, true, false, false)
SIGNAL(ifft2, 2, true, false, false)
SIGNAL(ifft3, 3, true, false, false)
SIGNAL(rfft, 1, false, true, false)
SIGNAL(rfft2, 2, false, true, false)
SIGNAL(rfft3, 3, false, true, false)
SIGNAL(irfft, 1, true, false, true)
SIGNAL(irfft2, 2, true, false, true)
SIGNAL(irfft3, 3, true, false, true)

// ---- products ----
// a or b of a complex product, by parts; turned: its last axes are swapped, and it is conjugated where so.
static void signal_factor(front_op *b, weft_value *v, bool turned, bool conj, weft_value *part[2]) {
  const bool complex = front_is_complex(v);
  const int rank = front_rank_of(b, v);
  int64_t order[WEFT_MAX_RANK];
  for (int i = 0; i < rank; i++)
    order[i] = i < rank - 2 || !turned ? i : 2 * rank - 3 - i;
  for (unsigned k = 0; k < 2; k++) {
    part[k] = complex ? front_complex_part(b, v, k) : k ? front_do(b, "ZerosLike", v, NULL, NULL) : v;
    if (turned)
      part[k] = front_permuted(b, part[k], order, (size_t)WEFT_MAX(rank, 0));
  }
  if (turned && conj)
    part[1] = front_do(b, "Neg", part[1], NULL, NULL);
}

static void signal_product(tf_op *o, const char *type, const char *const names[4], bool conj) {
  front_op *b = &o->b;
  weft_value *x = tf_in(o, 0);
  weft_value *y = tf_in(o, 1);
  const bool turned[2] = {tf_bool(o, names[0], false), tf_bool(o, names[1], false)};
  if (b->failed || !front_is_complex(x)) {
    front_set_bool(b, names[2], turned[0]);
    front_set_bool(b, names[3], turned[1]);
    tf_give(o, 0, front_do(b, type, x, y, NULL));
    return;
  }
  weft_value *p[2];
  weft_value *q[2];
  signal_factor(b, x, turned[0], conj, p);
  signal_factor(b, y, turned[1], conj, q);
  weft_value *re =
      front_do(b, "Sub", front_matmul(b, p[0], q[0], false), front_matmul(b, p[1], q[1], false), NULL);
  weft_value *im =
      front_do(b, "Add", front_matmul(b, p[0], q[1], false), front_matmul(b, p[1], q[0], false), NULL);
  tf_give(o, 0, b->failed ? NULL : front_complex_of(b, re, im));
}
static void signal_matmul(tf_op *o) {
  static const char *const names[] = {"transpose_a", "transpose_b", "transpose_x1", "transpose_x2"};
  signal_product(o, "MatMulV2", names, false);
}
static void signal_batch_matmul(tf_op *o) {
  static const char *const names[] = {"adj_x", "adj_y", "adj_x1", "adj_x2"};
  signal_product(o, "BatchMatMulV2", names, true);
}

static const tf_row signal_rows[] = {
    {"BatchMatMul", NULL, NULL, signal_batch_matmul},
    {"BatchMatMulV2", NULL, NULL, signal_batch_matmul},
    {"BatchMatMulV3", NULL, NULL, signal_batch_matmul},
    {"MatMul", NULL, NULL, signal_matmul},
    {"Angle", NULL, NULL, signal_angle},
    {"Cast", NULL, NULL, signal_cast},
    {"Complex", NULL, NULL, signal_complex},
    {"ComplexAbs", NULL, NULL, signal_abs},
    {"Conj", NULL, NULL, signal_conj},
    {"FFT", NULL, NULL, signal_fft},
    {"FFT2D", NULL, NULL, signal_fft2},
    {"FFT3D", NULL, NULL, signal_fft3},
    {"IFFT", NULL, NULL, signal_ifft},
    {"IFFT2D", NULL, NULL, signal_ifft2},
    {"IFFT3D", NULL, NULL, signal_ifft3},
    {"IRFFT", NULL, NULL, signal_irfft},
    {"IRFFT2D", NULL, NULL, signal_irfft2},
    {"IRFFT3D", NULL, NULL, signal_irfft3},
    {"Imag", NULL, NULL, signal_imag},
    {"RFFT", NULL, NULL, signal_rfft},
    {"RFFT2D", NULL, NULL, signal_rfft2},
    {"RFFT3D", NULL, NULL, signal_rfft3},
    {"Real", NULL, NULL, signal_real},
};
const tf_rows tf_signal = TF_ROWS(signal_rows);
// SPDX-License-Identifier: Apache-2.0
