// window_test.c - sizes of convolution and pooling windows (R65-R70), and the chain conv, relu, pool against
// plain C (R348).
#include "window.h"

#include "check.h"
#include "weft/env.h"

static weft_status out_of(int64_t in, weft_window w, weft_pad_mode mode, bool ceil_mode, weft_dim *out,
                          weft_diag *d) {
  weft_diag_clear(d);
  const weft_window_axis over = {.what = "axis", .in = in, .window = w, .mode = mode, .ceil = ceil_mode};
  return weft__window_out(NULL, d, &over, out);
}

TEST(r65_convolution) {
  weft_diag d;
  weft_dim n;
  CHECK_OK(out_of(224, (weft_window){3, 2, 1, 1, 1}, WEFT_PAD_EXPLICIT, false, &n, &d), &d);
  CHECK_INT(n, 112);
  CHECK_OK(out_of(224, (weft_window){3, 1, 1, 1, 1}, WEFT_PAD_EXPLICIT, false, &n, &d), &d);
  CHECK_INT(n, 224);
  CHECK_OK(out_of(224, (weft_window){3, 1, 2, 1, 1}, WEFT_PAD_EXPLICIT, false, &n, &d), &d);
  CHECK_INT(n, 222);
  CHECK_OK(out_of(8, (weft_window){3, 1, 1, 0, 1}, WEFT_PAD_EXPLICIT, false, &n, &d), &d);
  CHECK_INT(n, 7);
  CHECK_OK(out_of(8, (weft_window){3, 1, 1, 2, 3}, WEFT_PAD_EXPLICIT, false, &n, &d), &d);
  CHECK_INT(n, 11);
}

TEST(r66_r70_too_small) {
  weft_diag d;
  weft_dim n;
  CHECK_FAILS(out_of(1, (weft_window){3, 1, 1, 0, 0}, WEFT_PAD_EXPLICIT, false, &n, &d), WEFT_E_SHAPE);
  CHECK_HAS(d.text, "give -1 outputs");
  CHECK_FAILS(out_of(1, (weft_window){4, 2, 1, 0, 0}, WEFT_PAD_VALID, false, &n, &d), WEFT_E_SHAPE);
  CHECK_HAS(d.text, "give -1 outputs");
  CHECK_FAILS(out_of(0, (weft_window){1, 1, 1, 0, 0}, WEFT_PAD_SAME_UPPER, false, &n, &d), WEFT_E_SHAPE);
  CHECK_HAS(d.text, "give 0 outputs");
  CHECK_FAILS(out_of(4, (weft_window){0, 1, 1, 0, 0}, WEFT_PAD_VALID, false, &n, &d), WEFT_E_SHAPE);
  CHECK_HAS(d.text, "0 elements");
}

TEST(r67_unknown) {
  weft_diag d;
  weft_dim n;
  CHECK_OK(out_of(-1, (weft_window){3, 2, 1, 1, 1}, WEFT_PAD_EXPLICIT, false, &n, &d), &d);
  CHECK_INT(n, -1);
  CHECK_OK(out_of(224, (weft_window){-1, 2, 1, 1, 1}, WEFT_PAD_EXPLICIT, false, &n, &d), &d);
  CHECK_INT(n, -1);
  CHECK_OK(out_of(-1, (weft_window){3, 2, 1, 1, 1}, WEFT_PAD_SAME_LOWER, true, &n, &d), &d);
  CHECK_INT(n, -1);
}

TEST(r68_pooling) {
  static const int64_t ROW[3][5] = {
      {112, 2, 2, 56, 56}, {7, 3, 2, 4, 3}, {224, 3, 2, 112, 111}};  // in k s SAME VALID
  weft_diag d;
  for (int i = 0; i < 3; i++) {
    weft_window w = {ROW[i][1], ROW[i][2], 1, 0, 0};
    weft_dim same;
    weft_dim valid;
    CHECK_OK(out_of(ROW[i][0], w, WEFT_PAD_SAME_UPPER, false, &same, &d), &d);
    CHECK_OK(out_of(ROW[i][0], w, WEFT_PAD_VALID, false, &valid, &d), &d);
    CHECK_INT(same, ROW[i][3]);
    CHECK_INT(valid, ROW[i][4]);
  }
}

// A symbolic size, with its symbol bound to every number, is the known size.
TEST(symbols_agree) {
  for (int ceil_mode = 0; ceil_mode < 2; ceil_mode++) {
    for (int mode = 0; mode < 4; mode++) {
      for (int64_t in = 1; in < 12; in++) {
        weft_window w = {3, 2, 2, 1, 2};
        weft_symbols *p;
        weft_diag d;
        weft_dim known;
        weft_dim symbolic;
        weft_diag_clear(&d);
        CHECK_OK(weft_symbols_create(NULL, &p), &d);
        weft_dim s = weft_dim_symbol(p, "N", 1, in, in);
        weft_status st = out_of(in, w, (weft_pad_mode)mode, ceil_mode != 0, &known, &d);
        const weft_window_axis over = {
            .what = "axis", .in = s, .window = w, .mode = (weft_pad_mode)mode, .ceil = ceil_mode != 0};
        CHECK_INT(weft__window_out(p, NULL, &over, &symbolic), WEFT_OK);
        int64_t lo;
        int64_t hi;
        weft_dim_bounds(p, symbolic, &lo, &hi);
        if (!st && symbolic != -1)
          CHECK(lo <= known && (hi == -1 || hi >= known));
        weft_symbols_destroy(p);
      }
    }
  }
}

TEST(hostile_numbers) {
  weft_diag d;
  weft_dim n;
  const int64_t big = INT64_MAX;
  CHECK_FAILS(out_of(5, (weft_window){big, 1, big, 0, 0}, WEFT_PAD_EXPLICIT, false, &n, &d), WEFT_E_OVERFLOW);
  CHECK_HAS(d.text, "2^63");
  CHECK_FAILS(out_of(5, (weft_window){3, 1, 1, big, big}, WEFT_PAD_EXPLICIT, true, &n, &d), WEFT_E_OVERFLOW);
  CHECK_HAS(d.text, "2^63");
  CHECK_FAILS(out_of(big, (weft_window){3, 1, 1, 0, 0}, WEFT_PAD_SAME_UPPER, false, &n, &d), WEFT_E_OVERFLOW);
  CHECK_HAS(d.text, "2^63");
  CHECK_OK(out_of(5, (weft_window){3, big, 1, 0, 0}, WEFT_PAD_EXPLICIT, true, &n, &d), &d);
  CHECK_INT(n, 1);
  weft_window w = {3, big, 1, 0, 0};
  weft_diag_clear(&d);
  CHECK_FAILS(weft__window_in(NULL, &d, &(weft_window_axis){.what = "axis", .in = 3, .window = w}, &n),
              WEFT_E_OVERFLOW);
  CHECK_HAS(d.text, "2^63");
  int64_t first;
  w = (weft_window){big / 2, 1, 2, 0, 0};
  CHECK_INT(weft__window_clip(&w, -big / 2, 4, &first), 2);
  CHECK_INT(weft__window_clip(&w, 4, 4, &first), 0);
}

// ---- R348 ----

enum { SIDE = 224, CHANNELS = 3, FILTERS = 4, HALF = 112, QUARTER = 56 };

static void random_fill(weft_tensor *t, uint32_t seed) {
  float *v = t->data;
  for (size_t i = 0; i < t->bytes / sizeof *v; i++) {
    seed = seed * 1664525u + 1013904223u;
    v[i] = (float)(seed >> 8) / 8388608.0f - 1.0f;
  }
}

static double naive(const float *x, const float *w, int f, int y0, int x0) {  // conv, then relu, at one place
  double sum = 0;
  for (int c = 0; c < CHANNELS; c++) {
    for (int i = 0; i < 3; i++) {
      for (int k = 0; k < 3; k++) {
        int y = 2 * y0 - 1 + i;
        int at = 2 * x0 - 1 + k;
        if (y < 0 || at < 0 || y >= SIDE || at >= SIDE)
          continue;
        sum += (double)x[(c * SIDE + y) * SIDE + at] * (double)w[((f * CHANNELS + c) * 3 + i) * 3 + k];
      }
    }
  }
  return sum > 0 ? sum : 0;
}

static void check_pooled(const weft_tensor *x, const weft_tensor *w, const weft_tensor *pooled) {
  for (int f = 0; f < FILTERS; f++) {
    for (int y = 0; y < QUARTER; y++) {
      for (int k = 0; k < QUARTER; k++) {
        double best = 0;
        for (int i = 0; i < 4; i++)
          best = fmax(best, naive(x->data, w->data, f, 2 * y + i / 2, 2 * k + i % 2));
        double got = (double)weft_tensor_f32(pooled)[(f * QUARTER + y) * QUARTER + k];
        CHECK_F64(got, best, 1e-5 * fmax(best, 1));
      }
    }
  }
}

TEST(r348_conv_relu_pool) {
  static const int64_t STRIDES[4] = {1, 1, 2, 2};
  static const int64_t PADS[4] = {1, 1, 1, 1};
  static const int64_t KSIZE[2] = {2, 2};
  weft_diag d;
  weft_env *e;
  weft_tensor x;
  weft_tensor w;
  weft_tensor conv;
  weft_tensor relu;
  weft_tensor pool;
  weft_env_options o = {.package_path = ""};
  weft_diag_clear(&d);
  CHECK_OK(weft_env_create(&o, &e, &d), &d);
  weft_tensor_init(&x, NULL);
  weft_tensor_init(&w, NULL);
  CHECK_OK(weft_tensor_alloc(&x, WEFT_FLOAT, (weft_dim[]){1, CHANNELS, SIDE, SIDE}, 4, &d), &d);
  CHECK_OK(weft_tensor_alloc(&w, WEFT_FLOAT, (weft_dim[]){FILTERS, CHANNELS, 3, 3}, 4, &d), &d);
  random_fill(&x, 1);
  random_fill(&w, 2);
  weft_named_attr conv_attrs[] = {{"strides", weft_attr_ints(STRIDES, 4)},
                                  {"pads", weft_attr_ints(PADS, 4)},
                                  {"data_format", weft_attr_str("NCHW", 4)}};
  weft_named_attr pool_attrs[] = {{"ksize", weft_attr_ints(KSIZE, 2)},
                                  {"strides", weft_attr_ints(KSIZE, 2)},
                                  {"padding", weft_attr_str("VALID", 5)},
                                  {"data_format", weft_attr_str("NCHW", 4)}};
  weft_use conv_use = {"conv_1", conv_attrs, 3, NULL, NULL};
  weft_use pool_use = {"pool_1", pool_attrs, 4, NULL, NULL};
  const weft_tensor *conv_in[2] = {&x, &w};
  const weft_tensor *relu_in = &conv;
  const weft_tensor *pool_in = &relu;
  CHECK_OK(weft_run_op(e, weft_find(e, "Conv2D"), &conv_use, conv_in, 2, &conv, 1, NULL, &d), &d);
  CHECK_OK(weft_run_op(e, weft_find(e, "Relu"), NULL, &relu_in, 1, &relu, 1, NULL, &d), &d);
  CHECK_OK(weft_run_op(e, weft_find(e, "MaxPool"), &pool_use, &pool_in, 1, &pool, 1, NULL, &d), &d);
  CHECK_INT(conv.layout.origin.dim[2], HALF);
  CHECK_INT(relu.layout.origin.dim[3], HALF);
  CHECK_INT(pool.layout.origin.dim[2], QUARTER);
  if (pool.layout.origin.dim[3] == QUARTER)
    check_pooled(&x, &w, &pool);
  weft_tensor *all[5] = {&x, &w, &conv, &relu, &pool};
  for (int i = 0; i < 5; i++)
    weft_tensor_deinit(all[i]);
  weft_env_destroy(e);
}
// SPDX-License-Identifier: Apache-2.0
