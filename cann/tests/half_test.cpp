// half_test.cpp - 16-bit floating-point numbers of host code, and the copying functions that know the room.
#include "check.h"
#include "op_host/util/fp16.h"
#include "securec.h"
#include "util/bfloat16.h"

using Ops::Base::bfloat16;
using Ops::Base::fp16_t;

TEST(half_rounds_ties_to_even) {
  CHECK_EQ(fp16_t(1.0f).val, 0x3c00);
  CHECK_EQ(fp16_t(2049.0f).val, fp16_t(2048.0f).val);
  CHECK_EQ(fp16_t(2051.0f).val, fp16_t(2052.0f).val);
  CHECK_EQ(fp16_t(65519.0f).val, 0x7bff);
  CHECK_EQ(fp16_t(65520.0f).val, 0x7c00);
  CHECK_EQ(fp16_t(5.9604645e-8f).val, 1);
  CHECK_EQ(fp16_t(2.9802322e-8f).val, 0);  // half of the smallest one
  CHECK_EQ(fp16_t(-0.0f).val, 0x8000);
}

TEST(half_every_number_comes_back) {
  int wrong = 0;
  for (uint32_t bits = 0; bits < 0x10000; bits++) {
    const fp16_t h(static_cast<uint16_t>(bits));
    const bool nan = (bits & 0x7fff) > 0x7c00;
    wrong += nan ? h.toFloat() == h.toFloat() : fp16_t(h.toFloat()).val != bits;
  }
  CHECK_EQ(wrong, 0);
}

TEST(half_computes_and_converts) {
  fp16_t sum = fp16_t(1.5f) + fp16_t(2.25f);
  CHECK_EQ(static_cast<float>(sum), 3.75f);
  CHECK_EQ(static_cast<int32_t>(sum), 3);
  CHECK_EQ(fp16_t(300.0f).toUInt8(), 255);
  CHECK_EQ(fp16_t(-1.0f).toUInt8(), 0);
  CHECK_EQ(fp16_t(-70000.0f).IsInf(), -1);
  sum = 7;
  CHECK_EQ(sum.toFloat(), 7.0f);
}

TEST(half_bfloat16) {
  CHECK_EQ(bfloat16(1.0f).value, 0x3f80);
  CHECK_EQ(bfloat16(1.00390625f).value, 0x3f80);  // half a step: to the even one
  CHECK_EQ(bfloat16(1.01171875f).value, 0x3f82);
  CHECK_EQ(static_cast<int>(bfloat16(3.5f)), 3);
  CHECK(bfloat16(-0.0f).IsZero());
  CHECK(bfloat16(1.0f) < bfloat16(2.0f));
  CHECK_EQ(bfloat16(std::numeric_limits<float>::quiet_NaN()).value, bfloat16::NAN_VALUE);
}

TEST(half_copies_know_the_room) {
  char place[4] = "abc";
  CHECK_EQ(memcpy_s(place, sizeof place, "12345", 5), ERANGE);
  CHECK_EQ(std::string(place), "abc");
  CHECK_EQ(strcpy_s(place, sizeof place, "xyz"), EOK);
  CHECK_EQ(strcat_s(place, sizeof place, "1"), ERANGE);
  CHECK_EQ(std::string(place), "xyz");
  CHECK_EQ(sprintf_s(place, sizeof place, "%d", 12345), -1);
  CHECK_EQ(memset_s(nullptr, 1, 0, 1), EINVAL);
}
// SPDX-License-Identifier: Apache-2.0
