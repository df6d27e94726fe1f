// matmul_tiling_test.cpp - cuts of matrix products keep to the memories and cover the product.
#include "check.h"
#include "tiling/tiling_api.h"

using matmul_tiling::CubeFormat;
using matmul_tiling::DataType;
using matmul_tiling::TPosition;

template <typename Tiling>
static void MatmulTypes(Tiling &tiling, DataType type) {
  tiling.SetAType(TPosition::GM, CubeFormat::ND, type);
  tiling.SetBType(TPosition::GM, CubeFormat::ND, type);
  tiling.SetCType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT);
}

static void MatmulFits(optiling::TCubeTiling &cut, int64_t bytes) {
  const int64_t m = cut.get_baseM();
  const int64_t n = cut.get_baseN();
  const int64_t k = cut.get_baseK();
  CHECK(m > 0 && n > 0 && k > 0 && m % 16 == 0 && n % 16 == 0 && k % 16 == 0);
  CHECK(2 * m * k * bytes <= 65536 && 2 * n * k * bytes <= 65536);
  CHECK(m * n * 4 <= 131072);
  CHECK((cut.get_depthA1() * m + cut.get_depthB1() * n) * k * bytes <= 524288);
}

TEST(matmul_tiling_fits) {
  const int32_t sizes[] = {1, 15, 16, 17, 128, 1000, 4096, 100000};
  for (int32_t m : sizes) {
    for (int32_t n : sizes) {
      for (DataType type : {DataType::DT_FLOAT, DataType::DT_FLOAT16, DataType::DT_INT8}) {
        matmul_tiling::MultiCoreMatmulTiling many;
        MatmulTypes(many, type);
        many.SetDim(24);
        CHECK_EQ(many.SetShape(m, n, 777), 0);
        optiling::TCubeTiling cut;
        CHECK_EQ(many.GetTiling(cut), 0);
        MatmulFits(cut, type == DataType::DT_FLOAT ? 4 : type == DataType::DT_INT8 ? 1 : 2);
        int32_t dim = 0;
        int32_t rows = 0;
        int32_t columns = 0;
        many.GetCoreNum(dim, rows, columns);
        CHECK(dim <= 24 && dim == cut.get_usedCoreNum());
        CHECK(int64_t{rows} * cut.get_singleCoreM() >= m && int64_t{columns} * cut.get_singleCoreN() >= n);
      }
    }
  }
}

TEST(matmul_tiling_says_no) {
  matmul_tiling::MatmulApiTiling one;
  optiling::TCubeTiling cut;
  CHECK_EQ(one.GetTiling(cut), -1);  // no shape
  CHECK_EQ(one.SetShape(0, 16, 16), -1);
  CHECK_EQ(one.SetFixSplit(17, 16, 16), -1);
  CHECK_EQ(one.SetShape(64, 64, 64), 0);
  MatmulTypes(one, DataType::DT_STRING);
  CHECK_EQ(one.GetTiling(cut), -1);
  MatmulTypes(one, DataType::DT_FLOAT16);
  CHECK_EQ(one.SetFixSplit(16, 1 << 16, 1 << 12), 0);
  CHECK_EQ(one.GetTiling(cut), -1);  // larger than L0
  CHECK_EQ(one.SetFixSplit(32, 64, 16), 0);
  CHECK_EQ(one.GetTiling(cut), 0);
  CHECK_EQ(cut.get_baseM(), 32);
  CHECK_EQ(cut.get_usedCoreNum(), 1);
  CHECK_EQ(one.SetBufferSpace(1 << 30), -1);
}
// SPDX-License-Identifier: Apache-2.0
