// aten_complex.c - complex numbers and Fourier transforms. What other readers need, too, stands in
// src/emit/complex.c.
#include "frontend/torch/tables.h"

static void complex_view_as_real(pt_op *o) {
  pt_result(o, 0, front_complex_parts(&o->b, pt_tensor(o, "self")));
}
static void complex_view_as_complex(pt_op *o) {
  pt_result(o, 0, front_complex_made(&o->b, pt_tensor(o, "self")));
}
static void complex_real(pt_op *o) {
  weft_value *v = pt_tensor(o, "self");
  pt_result(o, 0, front_is_complex(v) ? front_complex_part(&o->b, v, 0) : v);
}
static void complex_imag(pt_op *o) {
  pt_result(o, 0, front_complex_part(&o->b, pt_tensor(o, "self"), 1));
}
static void complex_conj(pt_op *o) {
  front_op *b = &o->b;
  weft_value *v = pt_tensor(o, "self");
  if (!front_is_complex(v)) {
    pt_result(o, 0, v);
    return;
  }
  pt_result(o, 0, front_complex_conj(b, v));
}
static void complex_complex(pt_op *o) {
  weft_value *re = pt_tensor(o, "real");
  pt_result(o, 0, front_complex_of(&o->b, re, pt_tensor(o, "imag")));
}
static void complex_polar(pt_op *o) {
  front_op *b = &o->b;
  weft_value *size = pt_tensor(o, "abs");
  weft_value *angle = pt_tensor(o, "angle");
  weft_value *re = front_do(b, "Mul", size, front_do(b, "Cos", angle, NULL, NULL), NULL);
  pt_result(o, 0,
            front_complex_of(b, re, front_do(b, "Mul", size, front_do(b, "Sin", angle, NULL, NULL), NULL)));
}

static void complex_abs(pt_op *o) {
  front_op *b = &o->b;
  weft_value *v = pt_tensor(o, "self");
  if (!front_is_complex(v)) {
    pt_result(o, 0, front_do(b, "Abs", v, NULL, NULL));
    return;
  }
  pt_result(o, 0, front_complex_abs(b, v));
}
static void complex_angle(pt_op *o) {
  front_op *b = &o->b;
  weft_value *v = pt_tensor(o, "self");
  if (front_is_complex(v)) {
    pt_result(o, 0, front_complex_angle(b, v));
    return;
  }
  v = front_as(b, v, pt_out_type(o, 0));
  weft_value *zero = v ? front_num(b, v->fact.dtype, 0) : NULL;
  weft_value *pi = v ? front_num(b, v->fact.dtype, 3.141592653589793) : NULL;
  weft_value *none = v && WEFT_BIT(v->fact.dtype) & WEFT_FLOATS ? front_do(b, "IsNan", v, NULL, NULL) : NULL;
  weft_value *y = front_where(b, front_do(b, "Less", v, zero, NULL), pi, zero);
  pt_result(o, 0, none ? front_where(b, none, v, y) : y);
}

// A power with an exponent that is 2 and the like stays Pow; complex products and sums are primitives.

// ---- transforms ----
static front_norm complex_norm(pt_op *o, bool inverse) {
  if (pt_is(o, "norm", "backward", "ortho"))
    return FRONT_NORM_ROOT;
  bool forward = pt_is(o, "norm", "backward", "forward");
  return forward != inverse ? FRONT_NORM_WHOLE : FRONT_NORM_NONE;
}

// The length of a transform: a number, or what the run finds. -1 is the axis's own.
static void complex_set_length(front_op *b, front_fourier *f, weft_value *size) {
  int64_t known;
  size_t n;
  if (b->failed || !size)
    return;
  if (front_known_ints(size, &known, 1, &n) && n == 1)
    f->n = known == -1 ? 0 : known;
  else
    f->length = size;
}

// As DFT takes what becomes real: pairs, also of numbers that are real already.
static weft_value *complex_pairs(front_op *b, weft_value *v) {
  v = front_complex_spread(b, v);
  int rank = front_rank_of(b, v);
  if (b->failed || front_dim(v, rank - 1) == 2)
    return v;
  weft_value *parts[2] = {v, front_do(b, "ZerosLike", v, NULL, NULL)};
  return b->failed ? NULL : front_joined(b, parts, 2, rank - 1);
}
// The conjugates of pairs.
static weft_value *complex_turned(front_op *b, weft_value *v) {
  weft_value *signs = front_list(b, (int64_t[]){1, -1}, 2);
  return b->failed ? NULL : front_do(b, "Mul", v, front_as(b, signs, v->fact.dtype), NULL);
}

typedef struct fourier_way {
  bool inverse, real_in, real_out;
  bool conjugate;  // what becomes real before, or what comes of real numbers after its transform
} fourier_way;

static front_norm complex_way_norm(pt_op *o, const fourier_way *w) {
  return complex_norm(o, w->conjugate ? !w->inverse : w->inverse);
}
static weft_value *complex_begin(pt_op *o, weft_value *v, const fourier_way *w) {
  return w->real_out ? complex_pairs(&o->b, v) : front_complex_spread(&o->b, v);
}
static void complex_end(pt_op *o, weft_value *v, const fourier_way *w) {
  front_op *b = &o->b;
  int rank = front_rank_of(b, v);
  pt_result(o, 0, w->real_out ? front_squeezed(b, v, rank - 1) : front_complex_made(b, v));
}
// The axis that is half as long where numbers are complex.
static weft_value *complex_half(front_op *b, weft_value *v, front_fourier f, const fourier_way *w,
                                front_norm norm) {
  if (w->conjugate && w->real_out)
    v = complex_turned(b, v);
  v = front_dft_scaled(b, v, &f, norm);
  return w->conjugate && w->real_in ? complex_turned(b, v) : v;
}

static void complex_fft_of(pt_op *o, fourier_way w) {
  front_op *b = &o->b;
  weft_value *v = pt_tensor(o, "self");
  int rank = front_rank_of(b, v);
  front_fourier f = {
      .axis = pt_axis(o, "dim", -1, rank), .inverse = w.inverse, .onesided = w.real_in || w.real_out};
  complex_set_length(b, &f, pt_find(o, "n") ? pt_size_list(o, "n", 0) : NULL);
  front_norm norm = complex_way_norm(o, &w);
  v = complex_half(b, complex_begin(o, v, &w), f, &w, norm);
  complex_end(o, v, &w);
}
static void complex_fft(pt_op *o) {
  complex_fft_of(o, (fourier_way){.inverse = false});
}
static void complex_ifft(pt_op *o) {
  complex_fft_of(o, (fourier_way){.inverse = true});
}
static void complex_rfft(pt_op *o) {
  complex_fft_of(o, (fourier_way){.real_in = true});
}
static void complex_irfft(pt_op *o) {
  complex_fft_of(o, (fourier_way){.inverse = true, .real_out = true});
}

static void complex_hfft(pt_op *o) {
  complex_fft_of(o, (fourier_way){.inverse = true, .real_out = true, .conjugate = true});
}
static void complex_ihfft(pt_op *o) {
  complex_fft_of(o, (fourier_way){.real_in = true, .conjugate = true});
}

typedef struct fourier_axes {
  int64_t v[PT_MAX_NUMBERS];
  weft_value *size[WEFT_MAX_RANK];  // NULL: the axis's own
  size_t n;
} fourier_axes;

// The axes that are given, or the last ones: two of fft2, otherwise as many as there are sizes, or all.
static fourier_axes complex_axes(pt_op *o, int rank) {
  fourier_axes a = {.n = 0};
  bool two = strstr(o->target ? o->target : "", "fft2") != NULL;  // of hfft2, too
  size_t n_sizes = pt_size_lists(o, "s", a.size);
  if (pt_find(o, "dim"))
    a.n = pt_axes(o, "dim", rank, a.v);
  const bool given = a.n > 0;
  if (!given)
    a.n = two ? 2 : n_sizes ? n_sizes : (size_t)rank;
  if (!o->b.failed && (a.n > (size_t)rank || (n_sizes && n_sizes != a.n)))
    front_fail(&o->b, WEFT_E_INVALID, "%zu axes of a transform, %zu sizes, of rank %d", a.n, n_sizes, rank);
  for (size_t i = 0; i < a.n && !given && !o->b.failed; i++)
    a.v[i] = rank - (int64_t)(a.n - i);
  return a;
}

// The transform along the i-th of them.
static front_fourier complex_along(front_op *b, const fourier_axes *a, size_t i, bool inverse, bool half) {
  front_fourier f = {.axis = a->v[i], .inverse = inverse, .onesided = half};
  complex_set_length(b, &f, a->size[i]);
  return f;
}

// Over several axes; real ones: the last axis is the half one.
static void complex_fftn_of(pt_op *o, fourier_way w) {
  front_op *b = &o->b;
  weft_value *v = pt_tensor(o, "self");
  int rank = front_rank_of(b, v);
  fourier_axes a = complex_axes(o, rank);
  front_norm norm = complex_way_norm(o, &w);
  if (b->failed || !a.n)
    return;
  const size_t last = a.n - 1;
  const bool half = w.real_in || w.real_out;
  const bool back = w.conjugate ? !w.inverse : w.inverse;  // along the other axes
  const front_fourier whole = complex_along(b, &a, last, w.inverse, true);
  v = complex_begin(o, v, &w);
  if (w.real_in)
    v = complex_half(b, v, whole, &w, norm);
  for (size_t i = 0; i + half < a.n && !b->failed; i++) {
    const front_fourier f = complex_along(b, &a, i, back, false);
    v = front_dft_scaled(b, v, &f, norm);
  }
  if (w.real_out && !b->failed)
    v = complex_half(b, v, whole, &w, norm);
  complex_end(o, v, &w);
}
static void complex_fftn(pt_op *o) {
  complex_fftn_of(o, (fourier_way){.inverse = false});
}
static void complex_ifftn(pt_op *o) {
  complex_fftn_of(o, (fourier_way){.inverse = true});
}
static void complex_rfftn(pt_op *o) {
  complex_fftn_of(o, (fourier_way){.real_in = true});
}
static void complex_irfftn(pt_op *o) {
  complex_fftn_of(o, (fourier_way){.inverse = true, .real_out = true});
}

static void complex_hfftn(pt_op *o) {
  complex_fftn_of(o, (fourier_way){.inverse = true, .real_out = true, .conjugate = true});
}
static void complex_ihfftn(pt_op *o) {
  complex_fftn_of(o, (fourier_way){.real_in = true, .conjugate = true});
}

// The core form: dim, normalization (0 none, 1 1/sqrt(n), 2 1/n), and which direction.
static void complex_core(pt_op *o, bool inverse, bool real_in, bool real_out) {
  front_op *b = &o->b;
  weft_value *v = pt_tensor(o, "self");
  int rank = front_rank_of(b, v);
  int64_t axes[PT_MAX_NUMBERS];
  size_t n = pt_axes(o, "dim", rank, axes);
  int64_t how = pt_int(o, "normalization", 0);
  front_norm norm = how == 1 ? FRONT_NORM_ROOT : how == 2 ? FRONT_NORM_WHOLE : FRONT_NORM_NONE;
  front_fourier last = {.axis = n ? axes[n - 1] : 0, .inverse = inverse || real_out, .onesided = real_out};
  last.onesided |= real_in && pt_bool(o, "onesided", true);
  complex_set_length(b, &last,
                     real_out && pt_find(o, "last_dim_size") ? pt_size_list(o, "last_dim_size", 0) : NULL);
  v = real_out ? complex_pairs(b, v) : front_complex_spread(b, v);
  if (real_in && n && !b->failed)
    v = front_dft_scaled(b, v, &last, norm);
  for (size_t i = 0; i + (real_in || real_out) < n && !b->failed; i++)
    v = front_dft_scaled(b, v, &(front_fourier){.axis = axes[i], .inverse = inverse}, norm);
  if (real_out && n && !b->failed)
    v = front_dft_scaled(b, v, &last, norm);
  pt_result(o, 0, real_out ? front_squeezed(b, v, rank) : front_complex_made(b, v));
}
static void complex_r2c(pt_op *o) {
  complex_core(o, false, true, false);
}
static void complex_c2r(pt_op *o) {
  complex_core(o, true, false, true);
}
static void complex_c2c(pt_op *o) {
  complex_core(o, !pt_bool(o, "forward", true), false, false);
}

// Halves of an axis change places.
static void complex_shift(pt_op *o, bool back) {
  front_op *b = &o->b;
  weft_value *v = pt_tensor(o, "self");
  int rank = front_rank_of(b, v);
  int64_t axes[PT_MAX_NUMBERS];
  size_t n = pt_axes(o, "dim", rank, axes);
  for (size_t i = 0; i < n && !b->failed; i++)
    v = front_half_rolled(b, v, axes[i], back);
  pt_result(o, 0, v);
}
static void complex_fftshift(pt_op *o) {
  complex_shift(o, false);
}
static void complex_ifftshift(pt_op *o) {
  complex_shift(o, true);
}

static const pt_row complex_rows[] = {
    {"abs", NULL, 0, complex_abs, 0},
    {"absolute", NULL, 0, complex_abs, 0},
    {"angle", NULL, 0, complex_angle, 0},
    {"real", NULL, 0, complex_real, 0},
    {"imag", NULL, 0, complex_imag, 0},
    {"conj", NULL, 0, complex_conj, 0},
    {"_conj", NULL, 0, complex_conj, 0},
    {"_conj_physical", NULL, 0, complex_conj, 0},
    {"conj_physical", NULL, 0, complex_conj, 0},
    {"complex", NULL, 0, complex_complex, 0},
    {"polar", NULL, 0, complex_polar, 0},
    {"view_as_real", NULL, 0, complex_view_as_real, 0},
    {"view_as_complex", NULL, 0, complex_view_as_complex, 0},
    {"fft_fft", NULL, 0, complex_fft, 0},
    {"fft_ifft", NULL, 0, complex_ifft, 0},
    {"fft_rfft", NULL, 0, complex_rfft, 0},
    {"fft_irfft", NULL, 0, complex_irfft, 0},
    {"fft_fft2", NULL, 0, complex_fftn, 0},
    {"fft_ifft2", NULL, 0, complex_ifftn, 0},
    {"fft_rfft2", NULL, 0, complex_rfftn, 0},
    {"fft_irfft2", NULL, 0, complex_irfftn, 0},
    {"fft_fftn", NULL, 0, complex_fftn, 0},
    {"fft_ifftn", NULL, 0, complex_ifftn, 0},
    {"fft_rfftn", NULL, 0, complex_rfftn, 0},
    {"fft_irfftn", NULL, 0, complex_irfftn, 0},
    {"fft_hfft", NULL, 0, complex_hfft, 0},
    {"fft_ihfft", NULL, 0, complex_ihfft, 0},
    {"fft_hfft2", NULL, 0, complex_hfftn, 0},
    {"fft_ihfft2", NULL, 0, complex_ihfftn, 0},
    {"fft_hfftn", NULL, 0, complex_hfftn, 0},
    {"fft_ihfftn", NULL, 0, complex_ihfftn, 0},
    {"_fft_r2c", NULL, 0, complex_r2c, 0},
    {"_fft_c2r", NULL, 0, complex_c2r, 0},
    {"_fft_c2c", NULL, 0, complex_c2c, 0},
    {"fft_fftshift", NULL, 0, complex_fftshift, 0},
    {"fft_ifftshift", NULL, 0, complex_ifftshift, 0},
};
const pt_rows pt_complex = PT_ROWS(complex_rows);
// SPDX-License-Identifier: Apache-2.0
