// resize_rule_test.c - the rule that Resize and its kernels share, against numbers worked out by hand from
// the formulas of ONNX Resize-19: neither of the two can show a mistake in it.
#include "image/resize.rule.h"

#include "check.h"

typedef struct place_row {
  weft_resize_place place;
  size_t in, out;
  double scale;  // 0: from the sizes
  size_t index;
  double want;
} place_row;

TEST(resize_rule_places) {
  static const place_row ROW[] = {
      {WEFT_RESIZE_HALF_PIXEL, 2, 4, 2, 0, -0.25},
      {WEFT_RESIZE_HALF_PIXEL, 2, 4, 2, 3, 1.25},
      {WEFT_RESIZE_HALF_PIXEL, 4, 1, 0, 0, 1.5},
      {WEFT_RESIZE_PYTORCH_HALF_PIXEL, 4, 1, 0, 0, 0},
      {WEFT_RESIZE_PYTORCH_HALF_PIXEL, 4, 2, 0, 1, 2.5},
      {WEFT_RESIZE_ALIGN_CORNERS, 3, 5, 0, 1, 0.5},
      {WEFT_RESIZE_ALIGN_CORNERS, 3, 5, 0, 4, 2},
      {WEFT_RESIZE_ALIGN_CORNERS, 3, 1, 0, 0, 0},
      {WEFT_RESIZE_ASYMMETRIC, 2, 4, 2, 3, 1.5},
      {WEFT_RESIZE_TF_HALF_PIXEL, 2, 4, 2, 0, 0.25},
      {WEFT_RESIZE_TF_HALF_PIXEL, 2, 4, 2, 3, 1.75},
      {WEFT_RESIZE_HALF_PIXEL_SYMMETRIC, 5, 2, 0.5, 0, 1},  // 1 and 3 lie around the middle, 2
      {WEFT_RESIZE_HALF_PIXEL_SYMMETRIC, 5, 2, 0.5, 1, 3},
  };
  for (size_t i = 0; i < sizeof ROW / sizeof *ROW; i++) {
    const place_row *w = &ROW[i];
    weft_resize_axis a =
        w->scale != 0 ? weft__resize_by_scale(w->in, w->out, w->scale) : weft__resize_by_size(w->in, w->out);
    weft_resize_rule r = {.mode = WEFT_RESIZE_LINEAR, .place = w->place};
    CHECK_F64(weft__resize_place(&r, &a, w->index), w->want, 0);
    r.mode = WEFT_RESIZE_NEAREST;  // numbers that float holds
    CHECK_F64(weft__resize_place(&r, &a, w->index), w->want, 0);
  }
}

TEST(resize_rule_region) {
  weft_resize_rule r = {.mode = WEFT_RESIZE_LINEAR, .place = WEFT_RESIZE_TF_CROP};
  weft_resize_axis a = {.in = 5, .out = 3, .scale = 1, .length = 3, .start = 0.25, .end = 0.75};
  for (size_t i = 0; i < 3; i++)
    CHECK_F64(weft__resize_place(&r, &a, i), 1 + (double)i, 0);
  a.length = 1;
  CHECK_F64(weft__resize_place(&r, &a, 0), 2, 0);
  CHECK(!weft__resize_outside(&r, &a, 0) && !weft__resize_outside(&r, &a, 4));
  CHECK(weft__resize_outside(&r, &a, -0.5) && weft__resize_outside(&r, &a, 4.5));
  CHECK(weft__resize_outside(&r, &a, NAN));
  r.place = WEFT_RESIZE_HALF_PIXEL;
  CHECK(!weft__resize_outside(&r, &a, -0.5));
}

// 2 / (1/3) is 6 in float, and a little less in double.
TEST(resize_rule_nearest_is_float) {
  weft_resize_axis a = weft__resize_by_scale(9, 3, (double)(1.0f / 3));
  weft_resize_rule r = {.mode = WEFT_RESIZE_NEAREST, .place = WEFT_RESIZE_ASYMMETRIC};
  CHECK_F64(weft__resize_place(&r, &a, 2), 6, 0);
  r.mode = WEFT_RESIZE_LINEAR;
  CHECK(weft__resize_place(&r, &a, 2) < 6);
}

TEST(resize_rule_rounding) {
  static const double AT[] = {-0.25, 0.25, 0.5, 1.5, 1.75, 3.5};
  static const size_t WANT[5][6] = {{0, 0, 0, 1, 2, 3},   // to the lower of two that are as near
                                    {0, 0, 1, 2, 2, 3},   // to the higher
                                    {0, 0, 0, 1, 1, 3},   // down
                                    {0, 1, 1, 2, 2, 3},   // up; 4 is no element
                                    {0, 0, 0, 1, 1, 3}};  // simple: down where the axis grows
  weft_resize_axis grows = weft__resize_by_size(4, 8);
  weft_resize_axis shrinks = weft__resize_by_size(4, 2);
  for (int round = WEFT_RESIZE_ROUND_FLOOR; round <= WEFT_RESIZE_SIMPLE; round++) {
    weft_resize_rule r = {.round = (weft_resize_round)round};
    for (size_t i = 0; i < 6; i++)
      CHECK_INT((int64_t)weft__resize_nearest(&r, &grows, AT[i]), (int64_t)WANT[round][i]);
    CHECK_INT((int64_t)weft__resize_nearest(&r, &grows, NAN), 0);
    CHECK_INT((int64_t)weft__resize_nearest(&r, &grows, 1e300), 3);
  }
  weft_resize_rule simple = {.round = WEFT_RESIZE_SIMPLE};
  CHECK_INT((int64_t)weft__resize_nearest(&simple, &shrinks, 0.25), 1);
}

static void same_weights(const weft_resize_rule *r, const weft_resize_axis *a, double x, size_t taps,
                         const double *want, double want_by) {
  double w[8];
  CHECK_F64(2 * weft__resize_reach(r, a), (double)taps, 0);
  CHECK_F64(weft__resize_weigh(r, a, x, taps / 2, w), want_by, 0);
  for (size_t k = 0; k < taps; k++)
    CHECK_F64(w[k], want[k], 1e-15);
}

TEST(resize_rule_weights) {
  weft_resize_axis grows = weft__resize_by_size(8, 16);
  weft_resize_axis shrinks = weft__resize_by_size(8, 4);
  weft_resize_rule linear = {.mode = WEFT_RESIZE_LINEAR};
  weft_resize_rule cubic = {.mode = WEFT_RESIZE_CUBIC, .cubic_a = -0.75};
  same_weights(&linear, &grows, 1.25, 2, (double[]){0.75, 0.25}, 1);
  same_weights(&linear, &shrinks, 1.25, 2, (double[]){0.75, 0.25}, 1);
  same_weights(&cubic, &grows, 2.5, 4, (double[]){-0.09375, 0.59375, 0.59375, -0.09375}, 1);
  same_weights(&cubic, &grows, 2.25, 4, (double[]){-0.10546875, 0.87890625, 0.26171875, -0.03515625}, 1);

  linear.antialias = true;
  same_weights(&linear, &grows, 1.25, 2, (double[]){0.75, 0.25}, 1);
  same_weights(&linear, &shrinks, 0.5, 4, (double[]){0.25, 0.75, 0.75, 0.25}, 2);
  linear.exclude_outside = true;
  same_weights(&linear, &shrinks, 0.5, 4, (double[]){0, 0.75, 0.75, 0.25}, 1.75);
  CHECK_F64(weft__resize_tap(0.5, 2, 0), -1, 0);
  CHECK_F64(weft__resize_tap(0.5, 2, 3), 2, 0);
}
// SPDX-License-Identifier: Apache-2.0
