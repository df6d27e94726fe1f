// window.c - sizes of sliding windows. Known dims are computed in checked 64-bit integers; anything else goes
// through weft_dim_*, in closed forms, so that a symbolic result says the same as the known one.
#include "window.h"

static int64_t window_floor_div(int64_t a, int64_t by) {
  return a / by - (a % by < 0);
}
static int64_t ceil_div(int64_t a, int64_t by) {
  return a / by + (a % by > 0);
}

static bool span_of(const weft_window *w, int64_t *out) {
  return weft__mul_i64(w->kernel - 1, w->dilation, out) && weft__add_i64(*out, 1, out);
}

int64_t weft__window_span(const weft_window *w) {
  return weft__window_reach(w->kernel, w->dilation);
}

static weft_status too_big(weft_diag *d, const weft_window_axis *a) {
  const weft_window *w = &a->window;
  return weft_fail(d, WEFT_E_OVERFLOW,
                   "%s: size %lld, kernel %lld, dilation %lld, stride %lld, padding %lld and %lld: the "
                   "sum passes 2^63",
                   a->what, (long long)a->in, (long long)w->kernel, (long long)w->dilation,
                   (long long)w->stride, (long long)w->begin, (long long)w->end);
}

static weft_status too_small(weft_diag *d, const weft_window_axis *a, int64_t n) {
  const weft_window *w = &a->window;
  return weft_fail(d, WEFT_E_SHAPE,
                   "%s: size %lld, kernel %lld, dilation %lld, stride %lld, padding %lld and %lld give %lld "
                   "outputs, at least 1 is needed",
                   a->what, (long long)a->in, (long long)w->kernel, (long long)w->dilation,
                   (long long)w->stride, (long long)w->begin, (long long)w->end, (long long)n);
}

// The axis with the padding that counts: what is given counts in the explicit mode alone.
static weft_status begin_axis(weft_diag *d, const weft_window_axis *given, weft_window_axis *out) {
  *out = *given;
  if (given->mode != WEFT_PAD_EXPLICIT)
    out->window.begin = out->window.end = 0;
  if (given->window.kernel == 0)
    return weft_fail(d, WEFT_E_SHAPE, "%s: the kernel has 0 elements, at least 1 is needed", given->what);
  return WEFT_OK;
}

static bool is_known(const weft_window_axis *a) {
  return a->in >= 0 && a->window.kernel >= 0;
}

static weft_dim span_dim(weft_symbols *p, const weft_window *w) {
  return weft_dim_add(p, weft_dim_mul(p, weft_dim_sub(p, w->kernel, 1), w->dilation), 1);
}

// Of a window that slides over the input. With ceil a last window may hang over the end, but not begin there:
// the second number of the minimum.
static weft_status out_known(weft_diag *d, const weft_window_axis *a, weft_dim *out) {
  const weft_window *w = &a->window;
  int64_t span;
  int64_t padded;
  int64_t n;
  if (!span_of(w, &span) || !weft__add_i64(a->in, w->begin, &padded) ||
      !weft__add_i64(padded, w->end, &padded) || !weft__add_i64(padded, span, &n))
    return too_big(d, a);
  if (weft__pads_same(a->mode))
    n = ceil_div(a->in, w->stride);
  else if (!a->ceil)
    n = window_floor_div(padded - span, w->stride) + 1;
  else
    n = WEFT_MIN(ceil_div(padded - span, w->stride), window_floor_div(a->in + w->begin - 1, w->stride)) + 1;
  if (n < 1)
    return too_small(d, a, n);
  *out = n;
  return WEFT_OK;
}

// The same where a size is a symbol or unknown.
static weft_status out_open(weft_symbols *p, weft_diag *d, const weft_window_axis *a, weft_dim *out) {
  const weft_window *w = &a->window;
  if (weft__pads_same(a->mode)) {
    *out = weft_dim_ceildiv(p, a->in, w->stride);
    return a->in == 0 ? too_small(d, a, 0) : WEFT_OK;
  }
  weft_dim begun = weft_dim_add(p, a->in, w->begin);
  weft_dim room = weft_dim_sub(p, weft_dim_add(p, begun, w->end), span_dim(p, w));
  weft_dim steps = weft_dim_floordiv(p, room, w->stride);
  if (a->ceil) {
    weft_dim last = weft_dim_floordiv(p, weft_dim_sub(p, begun, 1), w->stride);
    steps = weft_dim_min(p, weft_dim_ceildiv(p, room, w->stride), last);
  }
  *out = weft_dim_add(p, steps, 1);
  return WEFT_OK;
}

// The other way round, of a transposed convolution: the input whose windows these were.
static weft_status in_known(weft_diag *d, const weft_window_axis *a, weft_dim *out) {
  const weft_window *w = &a->window;
  int64_t span;
  int64_t n;
  int64_t end;
  if (!span_of(w, &span) || !weft__mul_i64(a->in, w->stride, &n) || !weft__add_i64(n, span, &n) ||
      !weft__add_i64(n, a->more, &n) || !weft__add_i64(w->begin, w->end, &end))
    return too_big(d, a);
  // SAME never pads by less than nothing: steps longer than a window give what the windows cover.
  n = weft__pads_same(a->mode) ? WEFT_MIN(a->in * w->stride, n - w->stride) : n - w->stride - end;
  if (n < 1)
    return too_small(d, a, n);
  *out = n;
  return WEFT_OK;
}

static weft_status in_open(weft_symbols *p, weft_diag *d, const weft_window_axis *a, weft_dim *out) {
  const weft_window *w = &a->window;
  const weft_dim reach = weft_dim_add(p, span_dim(p, w), a->more);
  if (weft__pads_same(a->mode) && (reach < 0 || reach >= w->stride)) {
    *out = reach < 0 ? -1 : weft_dim_mul(p, a->in, w->stride);
    return a->in == 0 ? too_small(d, a, 0) : WEFT_OK;
  }
  weft_dim moved = weft_dim_mul(p, weft_dim_sub(p, a->in, 1), w->stride);
  weft_dim n = weft_dim_add(p, moved, reach);
  if (weft__pads_same(a->mode)) {
    *out = n;
    return WEFT_OK;
  }
  *out = weft_dim_sub(p, weft_dim_sub(p, n, w->begin), w->end);
  return WEFT_OK;
}

weft_status weft__window_out(weft_symbols *p, weft_diag *d, const weft_window_axis *given, weft_dim *out) {
  weft_window_axis a;
  WEFT_TRY(begin_axis(d, given, &a));
  return is_known(&a) ? out_known(d, &a, out) : out_open(p, d, &a, out);
}

weft_status weft__window_in(weft_symbols *p, weft_diag *d, const weft_window_axis *given, weft_dim *out) {
  weft_window_axis a;
  WEFT_TRY(begin_axis(d, given, &a));
  return is_known(&a) ? in_known(d, &a, out) : in_open(p, d, &a, out);
}

void weft__window_resolve(weft_window *w, weft_pad_mode mode, int64_t in, int64_t out) {
  if (mode == WEFT_PAD_EXPLICIT)
    return;
  w->begin = w->end = 0;
  if (mode == WEFT_PAD_VALID)
    return;
  int64_t total = weft__same_padding(in, out, w->stride, weft__window_span(w));
  w->begin = weft__same_begin(mode, total);
  w->end = total - w->begin;
}

int64_t weft__window_clip(const weft_window *w, int64_t start, int64_t in, int64_t *out_first) {
  const int64_t from = weft__window_before(w->kernel, w->dilation, start, 0);
  const int64_t to = weft__window_before(w->kernel, w->dilation, start, in);
  *out_first = from;
  return WEFT_MAX(to - from, 0);
}
// SPDX-License-Identifier: Apache-2.0
