// roi_align_rule_test.c - the rule that RoiAlign and its kernel share, against numbers worked out by hand
// from the formulas of ONNX RoiAlign-22: neither of the two can show a mistake in it.
#include "image/roi_align.rule.h"

#include "check.h"

TEST(roi_align_rule_regions) {
  weft_roi_rule r = {.half = true, .scale = 1, .high = 2, .wide = 4};
  weft_roi at;
  CHECK(weft__roi_region(&r, (double[]){1, 2, 9, 5}, &at));
  CHECK_F64(at.x, 0.5, 0);
  CHECK_F64(at.y, 1.5, 0);
  CHECK_F64(at.wide, 2, 0);    // 8 elements for 4 outputs
  CHECK_F64(at.high, 1.5, 0);  // 3 for 2
  CHECK_F64(at.nx, 2, 0);
  CHECK_F64(at.ny, 2, 0);
  r.ratio = 3;
  CHECK(weft__roi_region(&r, (double[]){1, 2, 9, 5}, &at));
  CHECK_F64(at.nx, 3, 0);

  r = (weft_roi_rule){.scale = 0.5, .high = 2, .wide = 2};
  CHECK(weft__roi_region(&r, (double[]){1, 2, 2, 10}, &at));
  CHECK_F64(at.x, 0.5, 0);
  CHECK_F64(at.wide, 0.5, 0);  // half an element is made 1
  CHECK_F64(at.high, 2, 0);
}

// 2.5 * 0.8f is 2 in float, and a little more in double.
TEST(roi_align_rule_samples) {
  weft_roi_rule r = {.half = true, .scale = (double)0.8f, .high = 1, .wide = 1};
  weft_roi at;
  CHECK(weft__roi_region(&r, (double[]){0, 0, 2.5, 2.5}, &at));
  CHECK_F64(at.nx, 2, 0);
  r.exact = true;
  CHECK(weft__roi_region(&r, (double[]){0, 0, 2.5, 2.5}, &at));
  CHECK_F64(at.nx, 3, 0);
  CHECK(weft__roi_region(&r, (double[]){5, 0, 0, 2.5}, &at));
  CHECK_F64(at.nx, 0, 0);
  CHECK(!weft__roi_region(&r, (double[]){0, 0, 1e5, 1e5}, &at));
  CHECK_F64(weft__roi_step(0, 3, 2), 0.75, 0);
  CHECK_F64(weft__roi_step(1, 3, 2), 2.25, 0);
}

TEST(roi_align_rule_between) {
  static const struct {
    double v;
    int64_t low;
    double part;
  } ROW[] = {{-1, 0, 0}, {-0.5, 0, 0}, {0.25, 0, 0.25}, {1.75, 1, 0.75}, {2, 2, 0}, {2.5, 2, 0}, {3, 2, 0}};
  int64_t low;
  double part;
  for (size_t i = 0; i < sizeof ROW / sizeof *ROW; i++) {
    CHECK(weft__roi_between(ROW[i].v, 3, &low, &part));
    CHECK_INT(low, ROW[i].low);
    CHECK_F64(part, ROW[i].part, 0);
  }
  CHECK(!weft__roi_between(-1.01, 3, &low, &part));
  CHECK(!weft__roi_between(3.01, 3, &low, &part));
  CHECK(!weft__roi_between(NAN, 3, &low, &part));
  CHECK(weft__roi_between(0.5, 1, &low, &part));
  CHECK_INT(low, 0);
  CHECK_F64(part, 0, 0);
}
// SPDX-License-Identifier: Apache-2.0
