// aten_window.c - windows of signals, which are computed while reading, and the Fourier transforms of a
// signal's parts.
#include <math.h>

#include "base/allocated.h"
#include "frontend/torch/tables.h"

static void window_make(pt_op *o, front_window w) {
  int64_t n = pt_int(o, "window_length", 0);
  bool periodic = pt_bool(o, "periodic", true);
  w.alpha = pt_float(o, "alpha", w.alpha);
  w.beta = pt_float(o, "beta", w.beta);
  pt_result(o, 0, front_windowed(&o->b, &w, n, periodic, pt_type(o, "dtype", pt_out_type(o, 0))));
}
static void window_hann(pt_op *o) {
  window_make(o, (front_window){FRONT_HAMMING, 0.5, 0.5});
}
static void window_hamming(pt_op *o) {
  window_make(o, (front_window){FRONT_HAMMING, 0.54, 0.46});
}
static void window_blackman(pt_op *o) {
  window_make(o, (front_window){.kind = FRONT_BLACKMAN});
}
static void window_bartlett(pt_op *o) {
  window_make(o, (front_window){.kind = FRONT_BARTLETT});
}
static void window_kaiser(pt_op *o) {
  window_make(o, (front_window){.kind = FRONT_KAISER, .beta = 12});
}

// ---- parts of a signal ----
// A window of n_fft places, with zeros around a shorter one; NULL: ones.
static weft_value *window_wide(pt_op *o, int64_t n, weft_dtype t) {
  front_op *b = &o->b;
  weft_value *w = pt_optional(o, "window");
  int64_t length = pt_find(o, "win_length") ? pt_int(o, "win_length", n) : n;
  if (!b->failed && (length < 1 || length > n))
    front_fail(b, WEFT_E_RANGE, "argument 'win_length' is %lld, expected 1 to n_fft, %lld", (long long)length,
               (long long)n);
  if (b->failed || (!w && length == n))
    return NULL;
  if (!w)
    w = front_filled(b, front_list(b, &length, 1), front_num(b, t, 1));
  if (length == n)
    return w;
  int64_t pads[2] = {(n - length) / 2, n - length - (n - length) / 2};
  weft_value *list = front_list(b, pads, 2);
  front_set_bool(b, "paddings_contiguous", true);
  return front_do(b, "PadV3", w, list, front_num(b, t, 0));
}

// Parts of n places, hop apart: [.., parts, n].
static weft_value *window_parts(front_op *b, weft_value *v, int64_t n, int64_t hop) {
  int rank = front_rank_of(b, v);
  weft_value *length = front_dim_index(b, v, rank - 1);
  weft_value *count = front_do(b, "Sub", length, front_index(b, n - hop), NULL);
  count = front_do(b, "FloorDiv", count, front_index(b, hop), NULL);
  weft_value *from = front_do(b, "Mul", front_counting(b, count), front_index(b, hop), NULL);
  weft_value *places = front_counting(b, front_index(b, n));
  weft_value *at = front_do(b, "Add", front_unsqueezed(b, from, 1), places, NULL);
  return front_picked(b, v, rank - 1, at);
}

static void window_stft(pt_op *o) {
  front_op *b = &o->b;
  weft_value *v = pt_tensor(o, "self");
  int64_t n = pt_int(o, "n_fft", 0);
  int64_t hop = pt_find(o, "hop_length") ? pt_int(o, "hop_length", n / 4) : n / 4;
  bool scaled = pt_bool(o, "normalized", false);
  bool complex_in = front_is_complex(v);
  bool half = pt_find(o, "onesided") ? pt_bool(o, "onesided", true) : !complex_in;
  bool whole = pt_bool(o, "return_complex", false);
  if (pt_bool(o, "center", false))
    front_fail(b, WEFT_E_UNSUPPORTED,
               "it pads by itself (center=True of the ATen operator): torch.stft pads before it");
  if (!b->failed && (n < 1 || hop < 1 || complex_in))
    front_fail(b, WEFT_E_UNSUPPORTED, "parts of %lld places, %lld apart, of a %s signal", (long long)n,
               (long long)hop, complex_in ? "complex" : "real");
  if (b->failed)
    return;
  weft_dtype t = v->fact.dtype;
  int rank = front_rank_of(b, v);
  v = window_parts(b, v, n, hop);
  weft_value *w = window_wide(o, n, t);
  if (w)
    v = front_do(b, "Mul", v, w, NULL);
  v = front_unsqueezed(b, v, rank + 1);
  v = front_dft(b, v, &(front_fourier){.axis = rank, .onesided = half});
  if (scaled && !b->failed)
    v = front_do(b, "Mul", v, front_num(b, t, 1 / sqrt((double)n)), NULL);
  v = b->failed ? NULL : front_swapped(b, v, rank - 1, rank);  // frequencies before parts
  pt_result(o, 0, whole && v ? front_complex_made(b, v) : v);
}

// Columns [b, n, parts] laid over each other, hop apart: [b, out].
static weft_value *window_overlaid(front_op *b, weft_value *v, int64_t n, int64_t hop, weft_value *out) {
  const int64_t ones[2] = {1, 1};
  const int64_t strides[2] = {1, hop};
  const int64_t block[2] = {1, n};
  weft_value *size[2] = {front_list(b, ones, 1), out};
  weft_value *sizes = b->failed ? NULL : front_joined(b, size, 2, 0);
  front_set_ints(b, "strides", strides, 2);
  front_set_ints(b, "dilations", ones, 2);
  front_set_ints(b, "pads", (const int64_t[]){0, 0, 0, 0}, 4);
  v = front_do(b, "Col2Im", v, sizes, front_list(b, block, 2));
  return front_squeezed(b, front_squeezed(b, v, 1), 1);
}

typedef struct window_inverse {
  int64_t n, hop;
  bool scaled, center;
} window_inverse;

// Parts as they were before their transform, times the window: [b, n, parts].
static weft_value *window_back(front_op *b, weft_value *v, const window_inverse *i, weft_value *w) {
  v = front_swapped(b, front_complex_parts(b, v), 1, 2);
  v = front_dft(b, v, &(front_fourier){.axis = 2, .n = i->n, .inverse = true, .onesided = true});
  v = front_squeezed(b, v, 3);
  if (i->scaled && !b->failed)
    v = front_do(b, "Mul", v, front_num(b, v->fact.dtype, sqrt((double)i->n)), NULL);
  return front_swapped(b, front_do(b, "Mul", v, w, NULL), 1, 2);
}

// v, [b, all], from where the first part's middle stands, divided by how much the windows there sum to.
static weft_value *window_signal(pt_op *o, weft_value *v, weft_value *sum, weft_value *all,
                                 const window_inverse *i) {
  front_op *b = &o->b;
  const int64_t margin = i->center ? i->n / 2 : 0;
  weft_value *length = pt_find(o, "length") ? pt_size_list(o, "length", 0) : NULL;
  weft_value *from = front_list(b, &margin, 1);
  weft_value *to = length ? front_size_by(b, "Add", length, margin) : front_size_by(b, "Sub", all, margin);
  v = front_sliced(b, v, 1, from, to, NULL);
  v = front_do(b, "RealDiv", v, front_sliced(b, sum, 1, from, to, NULL), NULL);
  if (!length)
    return v;
  weft_value *zero = front_list(b, (const int64_t[]){0}, 1);
  weft_value *behind = front_do(b, "Maximum", front_size_of(b, "Sub", to, all), zero, NULL);
  return front_padded(b, v, 1, NULL, behind);
}

static void window_istft(pt_op *o) {
  front_op *b = &o->b;
  weft_value *v = pt_tensor(o, "self");
  window_inverse i = {.n = pt_int(o, "n_fft", 0), .scaled = pt_bool(o, "normalized", false)};
  i.hop = pt_find(o, "hop_length") ? pt_int(o, "hop_length", i.n / 4) : i.n / 4;
  const bool half = pt_find(o, "onesided") ? pt_bool(o, "onesided", true) : true;
  i.center = pt_bool(o, "center", true);
  const int rank = front_rank_of(b, v);
  if (!b->failed && (!front_is_complex(v) || rank < 2 || rank > 3))
    front_fail(b, WEFT_E_SHAPE, "argument 'self' has rank %d, expected a complex tensor of rank 2 or 3",
               rank);
  if (!b->failed && (i.n < 1 || i.n > 1 << 24 || i.hop < 1 || i.hop > i.n))
    front_fail(b, WEFT_E_RANGE,
               "n_fft is %lld and hop_length %lld, expected 1 <= hop_length <= n_fft <= 2^24", (long long)i.n,
               (long long)i.hop);
  if (pt_bool(o, "return_complex", false))
    front_fail(b, WEFT_E_UNSUPPORTED, "weft does not make a complex signal (return_complex=True)");
  if (b->failed)
    return;
  v = rank == 2 ? front_unsqueezed(b, v, 0) : v;
  v = half ? v : front_part(b, v, 1, 0, i.n / 2 + 1);  // the other half is not looked at
  const weft_dtype t = v && v->fact.dtype == WEFT_COMPLEX128 ? WEFT_DOUBLE : WEFT_FLOAT;
  weft_value *parts = front_dim_list(b, v, 2);
  weft_value *w = window_wide(o, i.n, t);
  if (!w)
    w = front_filled(b, front_list(b, &i.n, 1), front_num(b, t, 1));
  v = window_back(b, v, &i, w);
  weft_value *all = front_size_by(b, "Add", front_size_by(b, "Mul", parts, i.hop), i.n - i.hop);
  weft_value *square = front_unsqueezed(b, front_unsqueezed(b, front_do(b, "Mul", w, w, NULL), 0), 2);
  weft_value *wide[3] = {front_list(b, (const int64_t[]){1}, 1), front_list(b, &i.n, 1), parts};
  square = b->failed ? NULL : front_expanded(b, square, front_joined(b, wide, 3, 0));
  weft_value *sum = window_overlaid(b, square, i.n, i.hop, all);
  v = window_signal(o, window_overlaid(b, v, i.n, i.hop, all), sum, all, &i);
  pt_result(o, 0, rank == 2 ? front_squeezed(b, v, 0) : v);
}

static const pt_row window_rows[] = {
    {"hann_window", NULL, 0, window_hann, 0},
    {"hamming_window", NULL, 0, window_hamming, 0},
    {"blackman_window", NULL, 0, window_blackman, 0},
    {"bartlett_window", NULL, 0, window_bartlett, 0},
    {"kaiser_window", NULL, 0, window_kaiser, 0},
    {"stft", NULL, 0, window_stft, 0},
    {"istft", NULL, 0, window_istft, 0},
};
const pt_rows pt_window = PT_ROWS(window_rows);
// SPDX-License-Identifier: Apache-2.0
