// map_complex.c - complex numbers and Fourier transforms.
#include "frontend/mindspore/tables.h"

static void complex_real(ms_op *o) {
  weft_value *v = ms_tensor(o, "x");
  ms_give(o, front_is_complex(v) ? front_complex_part(&o->b, v, 0) : v);
}
static void complex_imag(ms_op *o) {
  weft_value *v = ms_tensor(o, "x");
  ms_give(
      o, front_is_complex(v) ? front_complex_part(&o->b, v, 1) : front_do(&o->b, "ZerosLike", v, NULL, NULL));
}
static void complex_conj(ms_op *o) {
  weft_value *v = ms_tensor(o, "x");
  ms_give(o, front_is_complex(v) ? front_complex_conj(&o->b, v) : v);
}
static void complex_made(ms_op *o) {
  weft_value *re = ms_tensor(o, "x");
  ms_give(o, front_complex_of(&o->b, re, ms_tensor(o, "y")));
}
static void complex_size(ms_op *o) {
  weft_value *v = ms_tensor(o, "x");
  ms_give(o, front_is_complex(v) ? front_complex_abs(&o->b, v) : front_do(&o->b, "Abs", v, NULL, NULL));
}
static void complex_polar(ms_op *o) {
  front_op *b = &o->b;
  weft_value *size = ms_tensor(o, "x");
  weft_value *angle = ms_tensor(o, "y");
  weft_value *re = front_do(b, "Mul", size, front_do(b, "Cos", angle, NULL, NULL), NULL);
  weft_value *im = front_do(b, "Mul", size, front_do(b, "Sin", angle, NULL, NULL), NULL);
  ms_give(o, front_complex_of(b, re, im));
}
// Of a real number 0, or pi where it is below 0.
static void complex_angle(ms_op *o) {
  front_op *b = &o->b;
  weft_value *v = ms_tensor(o, "x");
  if (front_is_complex(v)) {
    ms_give(o, front_complex_angle(b, v));
    return;
  }
  v = front_as(b, v, ms_out_type(o, 0));
  weft_value *zero = v ? front_num(b, v->fact.dtype, 0) : NULL;
  weft_value *pi = v ? front_num(b, v->fact.dtype, 3.141592653589793) : NULL;
  ms_give(o, front_where(b, front_do(b, "Less", v, zero, NULL), pi, zero));
}

// ---- transforms ----
typedef struct complex_kind {  // of a transform
  bool inverse, real_in, real_out;
  bool hermitian;  // of a spectrum that is the other's conjugate: norms change places
} complex_kind;

// norm: a text, or a number among the inputs: 0 backward, 1 forward, 2 ortho.
static front_norm complex_norm(ms_op *o, bool inverse) {
  static const char *const words[] = {"backward", "forward", "ortho"};
  ms_value v;
  int64_t how = 0;
  if (!ms_find(o, "norm", &v))
    return inverse ? FRONT_NORM_WHOLE : FRONT_NORM_NONE;
  if (v.kind == MS_TEXT) {
    while (how < 3 && !ms_is(o, "norm", "backward", words[how]))
      how++;
  } else
    how = ms_int(o, "norm", 0);
  if (how < 0 || how > 2)
    front_fail(&o->b, WEFT_E_RANGE, "argument 'norm' is not one of backward, forward, ortho");
  return how == 2 ? FRONT_NORM_ROOT : (how == 1) != inverse ? FRONT_NORM_WHOLE : FRONT_NORM_NONE;
}

typedef struct complex_axes {
  int64_t v[MS_MAX_NUMBERS], size[MS_MAX_NUMBERS];
  size_t n;
} complex_axes;

// Those that are given, or the last ones: as many as there are sizes, or all.
static complex_axes complex_axes_of(ms_op *o, int rank) {
  complex_axes a = {.n = 0};
  const size_t n_sizes = ms_ints(o, "n", a.size);
  a.n = ms_axes(o, "axes", rank, a.v);
  if (a.n)
    return a;
  a.n = n_sizes ? n_sizes : (size_t)rank;
  for (size_t i = 0; i < a.n; i++)
    a.v[i] = rank - (int64_t)(a.n - i);
  return a;
}

static void complex_transform(ms_op *o, complex_kind k) {
  front_op *b = &o->b;
  weft_value *v = ms_tensor(o, "x");
  const int rank = front_rank_of(b, v);
  const complex_axes a = complex_axes_of(o, rank);
  const front_norm norm = complex_norm(o, k.inverse != k.hermitian);
  if (b->failed || !a.n)
    return;
  const size_t last = a.n - 1;
  const bool half = k.real_in || k.real_out;
  const weft_dtype t = ms_out_type(o, 0);
  if (!front_is_complex(v) && (t == WEFT_COMPLEX128 || t == WEFT_DOUBLE))
    v = front_as(b, v, WEFT_DOUBLE);
  if (k.hermitian && k.real_out && front_is_complex(v))
    v = front_complex_conj(b, v);
  v = front_complex_spread(b, v);
  if (k.real_in)
    v = front_dft_scaled(b, v, &(front_fourier){a.v[last], a.size[last], false, true}, norm);
  for (size_t i = 0; i + half < a.n && !b->failed; i++)
    v = front_dft_scaled(b, v, &(front_fourier){a.v[i], a.size[i], k.inverse, false}, norm);
  if (k.real_out && !b->failed)
    v = front_dft_scaled(b, v, &(front_fourier){a.v[last], a.size[last], true, true}, norm);
  v = k.real_out ? front_squeezed(b, v, rank) : front_complex_made(b, v);
  ms_give(o, k.hermitian && k.real_in && v ? front_complex_conj(b, v) : v);
}
static void complex_fft(ms_op *o) {
  complex_transform(o, (complex_kind){false, false, false});
}
static void complex_ifft(ms_op *o) {
  complex_transform(o, (complex_kind){true, false, false});
}
static void complex_rfft(ms_op *o) {
  complex_transform(o, (complex_kind){false, true, false});
}
static void complex_irfft(ms_op *o) {
  complex_transform(o, (complex_kind){true, false, true});
}

static void complex_hfft(ms_op *o) {
  complex_transform(o, (complex_kind){true, false, true, .hermitian = true});
}
static void complex_ihfft(ms_op *o) {
  complex_transform(o, (complex_kind){false, true, false, .hermitian = true});
}

// Frequencies of a transform's places, 0, 1, .. and then those below 0, over n d; half: the first n / 2 + 1.
static void complex_frequencies(ms_op *o, bool half) {
  front_op *b = &o->b;
  const int64_t n = ms_int(o, "n", 1);
  const double step = ms_float(o, "d", 1);
  weft_dtype t = ms_out_type(o, 0);
  if (!b->failed && (n < 1 || n > 1 << 24))
    front_fail(b, WEFT_E_RANGE, "argument 'n' is %lld, expected 1 to 2^24", (long long)n);
  if (b->failed)
    return;
  t = t == WEFT_UNDEFINED ? (weft_dtype)WEFT_FLOAT : t;
  weft_value *at = front_counting(b, front_index(b, half ? n / 2 + 1 : n));
  if (!half) {
    weft_value *below = front_do(b, "Sub", at, front_index(b, n), NULL);
    at = front_where(b, front_do(b, "Less", at, front_index(b, (n + 1) / 2), NULL), at, below);
  }
  weft_value *all = front_num(b, WEFT_DOUBLE, (double)n * step);
  ms_give(o, front_as(b, front_do(b, "RealDiv", front_as(b, at, WEFT_DOUBLE), all, NULL), t));
}
static void complex_fftfreq(ms_op *o) {
  complex_frequencies(o, false);
}
static void complex_rfftfreq(ms_op *o) {
  complex_frequencies(o, true);
}

// Halves of axes change places.
static void complex_shift(ms_op *o, bool back) {
  front_op *b = &o->b;
  weft_value *v = ms_tensor(o, "x");
  const int rank = front_rank_of(b, v);
  int64_t axes[MS_MAX_NUMBERS];
  size_t n = ms_axes(o, "axes", rank, axes);
  if (!n) {
    for (int i = 0; i < rank; i++)
      axes[n++] = i;
  }
  for (size_t i = 0; i < n && !b->failed; i++)
    v = front_half_rolled(b, v, axes[i], back);
  ms_give(o, v);
}
static void complex_fftshift(ms_op *o) {
  complex_shift(o, false);
}
static void complex_ifftshift(ms_op *o) {
  complex_shift(o, true);
}

#define FOURIER "x n axes norm"
static const ms_row complex_rows[] = {
    {"Angle", "x", NULL, 0, complex_angle},
    {"Complex", "x y", NULL, 0, complex_made},
    {"ComplexAbs", "x", NULL, 0, complex_size},
    {"Conj", "x", NULL, 0, complex_conj},
    {"FFT", FOURIER, NULL, 0, complex_fft},
    {"FFT2", FOURIER, NULL, 0, complex_fft},
    {"FFTFreq", "n d dtype", NULL, 0, complex_fftfreq},
    {"FFTN", FOURIER, NULL, 0, complex_fft},
    {"FFTShift", "x axes", NULL, 0, complex_fftshift},
    {"HFFT", FOURIER, NULL, 0, complex_hfft},
    {"HFFT2", FOURIER, NULL, 0, complex_hfft},
    {"HFFTN", FOURIER, NULL, 0, complex_hfft},
    {"IFFT", FOURIER, NULL, 0, complex_ifft},
    {"IFFT2", FOURIER, NULL, 0, complex_ifft},
    {"IFFTN", FOURIER, NULL, 0, complex_ifft},
    {"IFFTShift", "x axes", NULL, 0, complex_ifftshift},
    {"IHFFT", FOURIER, NULL, 0, complex_ihfft},
    {"IHFFT2", FOURIER, NULL, 0, complex_ihfft},
    {"IHFFTN", FOURIER, NULL, 0, complex_ihfft},
    {"IRFFT", FOURIER, NULL, 0, complex_irfft},
    {"IRFFT2", FOURIER, NULL, 0, complex_irfft},
    {"IRFFTN", FOURIER, NULL, 0, complex_irfft},
    {"Imag", "x", NULL, 0, complex_imag},
    {"Polar", "x y", NULL, 0, complex_polar},
    {"RFFT", FOURIER, NULL, 0, complex_rfft},
    {"RFFT2", FOURIER, NULL, 0, complex_rfft},
    {"RFFTN", FOURIER, NULL, 0, complex_rfft},
    {"RFFTFreq", "n d dtype", NULL, 0, complex_rfftfreq},
    {"Real", "x", NULL, 0, complex_real},
};
const ms_rows ms_complex = MS_ROWS(complex_rows);
// SPDX-License-Identifier: Apache-2.0
