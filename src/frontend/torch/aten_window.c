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

static const pt_row window_rows[] = {
    {"hann_window", NULL, 0, window_hann, 0},         {"hamming_window", NULL, 0, window_hamming, 0},
    {"blackman_window", NULL, 0, window_blackman, 0}, {"bartlett_window", NULL, 0, window_bartlett, 0},
    {"kaiser_window", NULL, 0, window_kaiser, 0},     {"stft", NULL, 0, window_stft, 0},
};
const pt_rows pt_window = PT_ROWS(window_rows);
// SPDX-License-Identifier: Apache-2.0
