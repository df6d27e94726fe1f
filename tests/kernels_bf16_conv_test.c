// kernels_bf16_conv_test.c - convolutions of rounded operands: packed ones, by Winograd's method where it is
// taken, those that read their input as it is stored, and the first layers of networks. What is held:
// kernels_bf16_test.c.
#include "base/base.h"
#include "bf16_case.h"

static float *const a = bf16.a;
static float *const b = bf16.b;
static float *const c = bf16.c;

static const char winograd[] = "blocked-winograd-bf16";
static bool by_points(const bf16_window *v) {
  return !bf16.way.parts && v->k == 3 && v->stride == 1 && v->dilation == 1;
}

static bool one_conv_of(rows *r, int kind, bf16_window v) {
  v.h = 6 + bf16_pick(9);
  v.w = 7 + bf16_pick(15);
  size_t span = (v.k - 1) * v.dilation + 1;
  if (v.h < span)
    v.h = span;
  if (v.w < span)
    v.w = span;
  v.oh = (v.h + 2 * v.pad - span) / v.stride + 1;
  v.ow = (v.w + 2 * v.pad - span) / v.stride + 1;
  weft_dim dx[4] = {(weft_dim)v.images, (weft_dim)v.in, (weft_dim)v.h, (weft_dim)v.w};
  size_t n = v.images * v.in * v.h * v.w;
  size_t weights = v.out * (v.in / v.groups) * v.k * v.k;
  char shape[64];
  bf16_fill(a, n, kind);
  bf16_fill(b, weights, bf16_beside(kind));
  bf16_fill(c, v.out, RANDOM);
  bf16.n = 0;
  bf16_put("graph \"g\" {\ninput a: f32[%d,%d,%d,%d]\n", (int)dx[0], (int)dx[1], (int)dx[2], (int)dx[3]);
  snprintf(shape, sizeof shape, "%zu,%zu,%zu,%zu", v.out, v.in / v.groups, v.k, v.k);
  bf16_put_const('b', shape, b, weights);
  snprintf(shape, sizeof shape, "%zu", v.out);
  bf16_put_const('c', shape, c, v.out);
  bf16_put(
      "node y: Conv(a, b, c) {strides=[%zu,%zu], dilations=[%zu,%zu], pads=[%zu,%zu,%zu,%zu], group=%zu} -> "
      "y\n"
      "output y\n}\n",
      v.stride, v.stride, v.dilation, v.dilation, v.pad, v.pad, v.pad, v.pad, v.groups);
  bf16_graph g;
  weft_tensor ta;
  weft_tensor y;
  const weft_tensor *in[1] = {&ta};
  if (!bf16_borrow(&ta, a, dx, 4) || !bf16_open(r, bf16.way.option, !v.plain, &g))
    return false;
  bool ok = bf16_run(r, &g, in, 1, &y);
  bool points = bf16_runs_of(g.one, winograd) == 1;
  bool finite = true;
  for (size_t i = 0; i < weights; i++)
    finite &= isfinite(b[i]);  // otherwise taps are summed
  for (size_t i = 0; ok && i < v.images * v.out * v.oh * v.ow; i++) {
    bf16_sum o = {.filled = (v.in / v.groups + 31) / 32 * 32 * v.k * v.k};
    size_t channel = i / v.ow / v.oh % v.out;
    const bf16_place at = {i / v.ow / v.oh / v.out, channel, i / v.ow % v.oh, i % v.ow};
    bf16_add_window(&o, &v, a, b, at);
    float got = ((const float *)y.data)[i];
    ok = bf16_within(&o, (double)c[channel], bf16.way.parts, got);
    // Winograd's sums err otherwise; their bound takes more time than the kernel.
    if (!ok && points && finite) {
      bf16_bound_points(&o, &v, a, b, at);
      ok = bf16_within(&o, (double)c[channel], bf16.way.parts, got);
    }
    if (!ok) {
      check_failed(__FILE__, __LINE__, "%zu: %.9g, exact %.9g + %.9g, of %.9g\n%.300s", i, (double)got, o.sum,
                   (double)c[channel], o.size, bf16.text + bf16.n - 150);
    }
  }
  // a few channels are read as they are, or packed
  const char *by = v.plain ? "conv-bf16" : (v.in > 8 && by_points(&v)) || points ? winograd : bf16.way.conv;
  if (ok && !(ok = bf16_runs_of(g.one, by) == 1))
    check_failed(__FILE__, __LINE__, "not by %s\n%.300s", by, bf16.text + bf16.n - 150);
  weft_tensor_deinit(&y);
  bf16_close(&g);
  return ok;
}

static bool one_conv(rows *r, int kind) {
  bf16_window v = {
      .images = 1 + bf16_pick(2), .groups = bf16_pick(4) ? 1 : 2, .k = bf16_pick(2) ? 1 : 2 + bf16_pick(3)};
  v.in = v.groups == 2 ? 32 : 9 + bf16_pick(40);
  v.out = v.groups == 2 ? 64 : 1 + bf16_pick(70);
  v.stride = 1 + (bf16_pick(3) == 0);
  v.dilation = 1 + (bf16_pick(4) == 0);
  v.pad = v.k > 1 ? bf16_pick(3) : 0;
  return one_conv_of(r, kind, v);
}

// As they are stored, in groups of any size.
static bool one_plain(rows *r, int kind) {
  static const size_t inner[] = {2, 3, 5, 17, 34, 68, 130, 200};
  bf16_window v = {.images = 1 + bf16_pick(2), .k = bf16_pick(2) ? 1 : 2 + bf16_pick(4), .plain = true};
  size_t of = inner[bf16_pick(v.k == 1 ? 8 : 5)];
  v.groups = 1 + bf16_pick(WEFT_MIN(4, 400 / v.images / of));
  v.in = v.groups * of;
  v.out = v.groups * (1 + bf16_pick(35));
  v.stride = 1 + (bf16_pick(3) == 0);
  v.dilation = 1 + (bf16_pick(4) == 0);
  v.pad = v.k > 1 ? bf16_pick(3) : 0;
  return one_conv_of(r, kind, v);
}

// The first layers of networks: few channels, large kernels, as they are stored.
static bool one_first(rows *r, int kind) {
  bf16_window v = {.images = 1 + bf16_pick(2),
                   .groups = 1,
                   .k = 1 + bf16_pick(7),
                   .stride = 1 + bf16_pick(3),
                   .dilation = 1};
  v.in = 1 + bf16_pick(5);
  v.out = 17 + bf16_pick(50);
  v.pad = v.k > 1 ? bf16_pick(v.k) : 0;
  return one_conv_of(r, kind, v);
}

// For Winograd's method.
static bool one_window(rows *r, int kind) {
  bf16_window v = {
      .images = 1 + bf16_pick(2), .groups = bf16_pick(4) ? 1 : 2, .k = 3, .stride = 1, .dilation = 1};
  v.in = v.groups == 2 ? 32 : 9 + bf16_pick(60);
  v.out = v.groups == 2 ? 64 : 1 + bf16_pick(70);
  v.pad = bf16_pick(3);
  return one_conv_of(r, kind, v);
}

BF16_EACH_VECTOR(convolutions, one_conv, 0)
BF16_EACH_TILE(convolutions, one_conv)
BF16_EACH_VECTOR(windows, one_window, 10)
BF16_EACH_VECTOR(first_layers, one_first, 10)
BF16_EACH_VECTOR(plain_convolutions, one_plain, 10)
// SPDX-License-Identifier: Apache-2.0
