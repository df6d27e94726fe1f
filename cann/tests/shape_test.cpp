// shape_test.cpp - the corners of gert::Shape, and the helpers for shapes and sizes.
#include "check.h"
#include "infershape_broadcast_util.h"
#include "util/math_util.h"
#include "util/shape_util.h"

using gert::Shape;

TEST(shape_dims_beyond_the_rank_come_back) {
  Shape shape({7, 8, 9});
  shape.SetDimNum(1);
  shape.SetDimNum(3);
  CHECK_EQ(shape.GetDim(2), 9);
}

TEST(shape_set_dim_beyond_the_rank) {
  Shape shape({7});
  shape.SetDim(3, 5);
  CHECK_EQ(shape.GetDimNum(), 3u);  // not 4
  CHECK_EQ(shape.GetDim(3), 5);
  shape.SetDim(30, 1);
  CHECK_EQ(shape.GetDimNum(), 3u);
}

TEST(shape_bounds) {
  Shape shape;
  for (int i = 0; i < 30; i++)
    shape.AppendDim(i);
  CHECK_EQ(shape.GetDimNum(), 25u);
  CHECK_EQ(shape.GetDim(25), Shape::kInvalidDimValue);
  shape.SetDimNum(40);
  CHECK_EQ(shape.GetDimNum(), 40u);
  Shape copy = shape;  // copies no more than there is
  CHECK(copy == shape);
  CHECK_EQ(copy.GetDim(24), 24);
}

TEST(shape_size) {
  CHECK_EQ(Shape().GetShapeSize(), 1);
  CHECK_EQ(Shape({-1, -1}).GetShapeSize(), 1);
  CHECK_EQ(Shape({5, 0}).GetShapeSize(), 0);
  CHECK_EQ(Shape({int64_t(1) << 40, int64_t(1) << 40}).GetShapeSize(), Shape::kInvalidDimValue);
}

TEST(shape_assignment_takes_live_dims_alone) {
  Shape shape({7, 8, 9});
  shape = Shape({1});
  CHECK_EQ(shape.GetDim(2), 9);
  CHECK(shape == Shape({1}));
}

TEST(shape_unknown) {
  Shape shape;
  Ops::Base::SetUnknownRank(shape);
  CHECK(Ops::Base::IsUnknownRank(shape));
  CHECK(!Ops::Base::IsUnknownShape(shape));
  CHECK(Ops::Base::IsUnknownShape(Shape({0, -1})));
  CHECK(!Ops::Base::IsUnknownRank(Shape({-2, 3})));
}

static std::string Broadcast(const Shape &a, const Shape &b) {
  Shape out;
  return Ops::Base::BroadcastShape(&a, &b, &out) ? Ops::Base::ToString(out) : "no";
}
TEST(shape_broadcast) {
  CHECK_EQ(Broadcast({4, 1, 3}, {5, 3}), "[4, 5, 3]");
  CHECK_EQ(Broadcast({-1, 3}, {4, 1}), "[4, 3]");
  CHECK_EQ(Broadcast({-1}, {1}), "[-1]");
  CHECK_EQ(Broadcast({-1}, {-1}), "[-1]");
  CHECK_EQ(Broadcast({0}, {1}), "[0]");
  CHECK_EQ(Broadcast({-1}, {0}), "[0]");
  CHECK_EQ(Broadcast({0}, {5}), "no");
  CHECK_EQ(Broadcast({-2}, {4}), "[-2]");
}
TEST(shape_that_does_not_broadcast) {
  const Shape a = {8, 2};
  const Shape b = {8, 8};
  Shape out;
  CHECK(!Ops::Base::BroadcastShape(&a, &b, &out));
  CHECK_EQ(Ops::Base::ToString(out), "[8, 2]");
}

TEST(shape_arithmetic) {
  CHECK_EQ(Ops::Base::CeilDiv(-7, 2), -3);
  CHECK_EQ(Ops::Base::CeilDiv(7, 0), 7);
  CHECK_EQ(Ops::Base::FloorDiv(-7, 2), -3);
  CHECK_EQ(Ops::Base::CeilAlign(7, 0), 0);
  CHECK_EQ(Ops::Base::CeilAlign(7, 4), 8);
  CHECK(Ops::Base::CheckAxisBounds(0, 0));
  CHECK(!Ops::Base::CheckAxisBounds(0, -1));
  CHECK(!Ops::Base::CheckAxisBounds(3, 3));
}

TEST(shape_sizes_of_types) {
  CHECK_EQ(ge::GetSizeByDataType(ge::DT_INT4), 1004);
  CHECK_EQ(ge::GetSizeByDataType(ge::DT_STRING), -1);
  CHECK_EQ(ge::GetSizeInBytes(3, ge::DT_INT4), 2);
  CHECK_EQ(ge::GetSizeInBytes(-1, ge::DT_FLOAT), -1);
  CHECK_EQ(ge::GetSizeInBytes(int64_t(1) << 62, ge::DT_FLOAT), -1);
  CHECK_EQ(ge::TypeUtils::DataTypeToSerialString(ge::DT_BF16), "DT_BFLOAT16");
  CHECK_EQ(static_cast<int>(ge::TypeUtils::SerialStringToDataType("nonsense")), 28);
}

// The shape that has no other word is the origin's.
TEST(shape_of_a_storage_shape_is_its_origin) {
  gert::StorageShape both({2, 3}, {2, 16});
  CHECK_EQ(both.GetShape().GetDim(1), 3);
  both.MutableShape().SetDim(1, 4);
  CHECK_EQ(both.GetOriginShape().GetDim(1), 4);
  CHECK_EQ(both.GetStorageShape().GetDim(1), 16);
}
// SPDX-License-Identifier: Apache-2.0
