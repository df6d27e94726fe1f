// weft_cann/matmul_tiling.h - how a matrix product is cut for a cube core: what TCubeTiling holds, and
// classes that fill it. The cut is weft's own: one that keeps to the memories of the processor, not the one
// that the toolkit chooses, whose numbers are not written down anywhere.
#pragma once
#include <algorithm>

#include "weft_cann/api_tiling_data.h"
#include "weft_cann/platform_ascendc.h"

namespace optiling {
REGISTER_TILING_DATA_CLASS(TCubeTilingOp, TCubeTiling)
}  // namespace optiling

namespace matmul_tiling {
enum class TPosition : int32_t {
  GM = 0,
  A1 = 1,
  A2 = 2,
  B1 = 3,
  B2 = 4,
  C1 = 5,
  C2 = 6,
  CO1 = 7,
  CO2 = 8,
  VECIN = 9,
  VECOUT = 10,
  VECCALC = 11,
  LCM = 11,
  SPM = 12,
  SHM = 12,
  TSCM = 13,
  MAX = 14,
};
enum class CubeFormat : int32_t {
  ND = 0,
  NZ = 1,
  ZN = 2,
  ZZ = 3,
  NN = 4,
  ND_ALIGN = 5,
  SCALAR = 6,
  VECTOR = 7,
  ROW_MAJOR = 0,
  COLUMN_MAJOR = 8,
};
enum class DataType : int32_t {
  DT_FLOAT = 0,
  DT_FLOAT16 = 1,
  DT_INT8 = 2,
  DT_INT16 = 6,
  DT_UINT16 = 7,
  DT_UINT8 = 4,
  DT_INT32 = 3,
  DT_INT64 = 9,
  DT_UINT32 = 8,
  DT_UINT64 = 10,
  DT_BOOL = 12,
  DT_DOUBLE = 11,
  DT_STRING = 13,
  DT_DUAL_SUB_INT8 = 14,
  DT_DUAL_SUB_UINT8 = 15,
  DT_COMPLEX64 = 16,
  DT_COMPLEX128 = 17,
  DT_QINT8 = 18,
  DT_QINT16 = 19,
  DT_QINT32 = 20,
  DT_QUINT8 = 21,
  DT_QUINT16 = 22,
  DT_RESOURCE = 23,
  DT_STRING_REF = 24,
  DT_DUAL = 25,
  DT_VARIANT = 26,
  DT_BF16 = 27,
  DT_UNDEFINED = 28,
  DT_INT4 = 29,
  DT_UINT1 = 30,
  DT_INT2 = 31,
  DT_UINT2 = 32,
  DT_BFLOAT16 = 33,
  DT_HIFLOAT8 = 34,
  DT_FLOAT8_E4M3FN = 35,
  DT_FLOAT8_E5M2 = 36,
  DT_FLOAT4_E2M1 = 37,
  DT_FLOAT8_E8M0 = 38,
  DT_FLOAT4_E1M2 = 39,
  DT_MAX = 40,
};
enum class DequantType : int32_t {
  SCALAR = 0,
  TENSOR = 1,
};
enum class MatrixMadType : int32_t {
  NORMAL = 0,
  HF32 = 1,
  MXMODE = 2,
};
enum class MatrixTraverse : int32_t {
  NOSET = 0,
  FIRSTM = 1,
  FIRSTN = 2,
};
enum class ScheduleType : int32_t {
  INNER_PRODUCT = 0,
  OUTER_PRODUCT = 1,
  N_BUFFER_33 = 2,
};

struct PlatformInfo {
  platform_ascendc::SocVersion socVersion;
  uint64_t l1Size = 0;
  uint64_t l0CSize = 0;
  uint64_t ubSize = 0;
  uint64_t l0ASize = 0;
  uint64_t l0BSize = 0;
};
struct MatTilingType {
  TPosition pos = TPosition::GM;
  CubeFormat type = CubeFormat::ND;
  DataType dataType = DataType::DT_FLOAT;
  bool isTrans = false;
};

// Setters return 0, or -1 for what cannot be; so does GetTiling.
class MatmulApiTilingBase {
 public:
  MatmulApiTilingBase() : MatmulApiTilingBase(Default()) {}
  explicit MatmulApiTilingBase(const platform_ascendc::PlatformAscendC &platform) {
    using platform_ascendc::CoreMemType;
    const CoreMemType kinds[] = {CoreMemType::L1, CoreMemType::L0_C, CoreMemType::L0_A, CoreMemType::L0_B};
    uint64_t *const places[] = {&l1_, &l0c_, &l0a_, &l0b_};
    for (size_t i = 0; i < 4; i++)
      platform.GetCoreMemSize(kinds[i], *places[i]);
  }
  explicit MatmulApiTilingBase(const PlatformInfo &platform)
      : l1_(platform.l1Size), l0c_(platform.l0CSize), l0a_(platform.l0ASize), l0b_(platform.l0BSize) {}
  virtual ~MatmulApiTilingBase() noexcept = default;

  int32_t SetAType(TPosition pos, CubeFormat type, DataType dataType, bool isTrans = false) {
    aType_ = {pos, type, dataType, isTrans};
    return 0;
  }
  int32_t SetBType(TPosition pos, CubeFormat type, DataType dataType, bool isTrans = false) {
    bType_ = {pos, type, dataType, isTrans};
    return 0;
  }
  int32_t SetCType(TPosition pos, CubeFormat type, DataType dataType) {
    cType_ = {pos, type, dataType, false};
    return 0;
  }
  int32_t SetBiasType(TPosition pos, CubeFormat type, DataType dataType) {
    biasType_ = {pos, type, dataType, false};
    return 0;
  }
  virtual int32_t SetShape(int32_t m, int32_t n, int32_t k) {
    return Keep({{&singleM, m}, {&singleN, n}, {&singleK, k}});
  }
  int32_t SetOrgShape(int32_t orgMIn, int32_t orgNIn, int32_t orgKIn) {
    return SetOrgShape(orgMIn, orgNIn, orgKIn, orgKIn);
  }
  int32_t SetOrgShape(int32_t orgMIn, int32_t orgNIn, int32_t orgKaIn, int32_t orgKbIn) {
    return Keep({{&orgM, orgMIn}, {&orgN, orgNIn}, {&orgKa, orgKaIn}, {&orgKb, orgKbIn}});
  }
  int32_t EnableBias(bool isBiasIn = false) {
    isBias = isBiasIn;
    return 0;
  }
  int32_t SetBias(bool isBiasIn = false) { return EnableBias(isBiasIn); }
  // -1: weft chooses.
  int32_t SetFixSplit(int32_t baseMIn = -1, int32_t baseNIn = -1, int32_t baseKIn = -1) {
    for (int32_t base : {baseMIn, baseNIn, baseKIn}) {
      if (base < -1 || base == 0 || (base > 0 && base % 16))
        return -1;
    }
    fixM_ = baseMIn;
    fixN_ = baseNIn;
    fixK_ = baseKIn;
    return 0;
  }
  // -1: what the processor has.
  int32_t SetBufferSpace(int32_t l1Size = -1, int32_t l0CSize = -1, int32_t = -1, int32_t = -1) {
    const bool too_much = (l1Size >= 0 && static_cast<uint64_t>(l1Size) > l1_) ||
                          (l0CSize >= 0 && static_cast<uint64_t>(l0CSize) > l0c_);
    if (too_much)
      return -1;
    l1_ = l1Size >= 0 ? static_cast<uint64_t>(l1Size) : l1_;
    l0c_ = l0CSize >= 0 ? static_cast<uint64_t>(l0CSize) : l0c_;
    return 0;
  }
  int32_t SetTraverse(MatrixTraverse traverse) {
    traverse_ = traverse;
    return 0;
  }
  int32_t SetMadType(MatrixMadType) { return 0; }
  int32_t SetDequantType(DequantType) { return 0; }
  int32_t GetBaseM() const { return baseM; }
  int32_t GetBaseN() const { return baseN; }
  int32_t GetBaseK() const { return baseK; }
  virtual int64_t GetTiling(optiling::TCubeTiling &tiling) = 0;

 protected:
  static PlatformInfo Default() {
    const weft_cann::Soc *soc = weft_cann::FindSoc("ascend910b");
    return {platform_ascendc::SocVersion::ASCEND910B, soc->l1, soc->l0_c, soc->ub, soc->l0_a, soc->l0_b};
  }
  struct Given {
    int32_t *place;
    int32_t value;
  };
  // -1 leaves what was there; nothing changes when one of them cannot be.
  static int32_t Keep(std::initializer_list<Given> all) {
    for (const Given &one : all) {
      if (one.value == 0 || one.value < -1)
        return -1;
    }
    for (const Given &one : all)
      *one.place = one.value == -1 ? *one.place : one.value;
    return 0;
  }
  static int64_t Ceil(int64_t a, int64_t b) { return (a + b - 1) / b; }
  static int64_t UpTo(int64_t a, int64_t b) { return Ceil(a, b) * b; }
  // Bytes of an element; 0: a cube core does not take it.
  static int64_t Bytes(DataType type) {
    switch (type) {
      case DataType::DT_FLOAT:
        return 4;
      case DataType::DT_FLOAT16:
      case DataType::DT_BF16:
      case DataType::DT_BFLOAT16:
        return 2;
      case DataType::DT_INT8:
      case DataType::DT_UINT8:
        return 1;
      default:
        return 0;
    }
  }
  // Blocks of the product that fit L0, twice in A and B; then as many of them along k as fit L1 twice.
  int64_t Cut(int64_t m, int64_t n, int64_t k, optiling::TCubeTiling &tiling) {
    const int64_t a = Bytes(aType_.dataType);
    const int64_t b = Bytes(bType_.dataType);
    if (!a || !b || m <= 0 || n <= 0 || k <= 0)
      return -1;
    const auto c_room = static_cast<int64_t>(l0c_ / 4);
    int64_t bm = fixM_ > 0 ? fixM_ : std::min<int64_t>(UpTo(m, 16), 128);
    int64_t bn = fixN_ > 0 ? fixN_ : std::min<int64_t>(UpTo(n, 16), 256);
    while (bm * bn > c_room && fixN_ <= 0 && bn > 16)
      bn -= 16;
    while (bm * bn > c_room && fixM_ <= 0 && bm > 16)
      bm -= 16;
    const int64_t step = std::max<int64_t>(16, 32 / std::min(a, b));
    const int64_t rows =
        std::min(static_cast<int64_t>(l0a_) / (2 * a * bm), static_cast<int64_t>(l0b_) / (2 * b * bn));
    const int64_t bk = fixK_ > 0 ? fixK_ : std::min(rows / step * step, UpTo(k, step));
    const int64_t block = bm * bk * a + bn * bk * b;
    const int64_t bias = isBias ? bn * 4 : 0;
    const int64_t room = static_cast<int64_t>(l1_) - bias;
    if (bk <= 0 || bk > rows || bm * bn > c_room || block > room)
      return -1;
    const int64_t twice = block * 2 <= room ? 2 : 1;
    const int64_t steps = std::min(std::max<int64_t>(room / (block * twice), 1), Ceil(k, bk));
    baseM = static_cast<int32_t>(bm);
    baseN = static_cast<int32_t>(bn);
    baseK = static_cast<int32_t>(bk);
    Write(tiling, steps, twice);
    tiling.set_singleCoreM(static_cast<int32_t>(m));
    tiling.set_singleCoreN(static_cast<int32_t>(n));
    tiling.set_singleCoreK(static_cast<int32_t>(k));
    tiling.set_shareL1Size(static_cast<int32_t>(block * steps * twice + bias));
    tiling.set_shareL0CSize(static_cast<int32_t>(bm * bn * 4));
    return 0;
  }
  void Write(optiling::TCubeTiling &tiling, int64_t steps, int64_t twice) {
    tiling.set_M(orgM);
    tiling.set_N(orgN);
    tiling.set_Ka(orgKa);
    tiling.set_Kb(orgKb);
    tiling.set_baseM(baseM);
    tiling.set_baseN(baseN);
    tiling.set_baseK(baseK);
    tiling.set_stepM(1);
    tiling.set_stepN(1);
    tiling.set_stepKa(static_cast<int32_t>(steps));
    tiling.set_stepKb(static_cast<int32_t>(steps));
    tiling.set_depthA1(static_cast<int32_t>(steps * twice));
    tiling.set_depthB1(static_cast<int32_t>(steps * twice));
    tiling.set_dbL0A(2);
    tiling.set_dbL0B(2);
    tiling.set_dbL0C(1);
    tiling.set_isBias(isBias);
    tiling.set_iterateOrder(traverse_ == MatrixTraverse::FIRSTN);
    tiling.set_batchM(1);
    tiling.set_batchN(1);
    tiling.set_singleBatchM(1);
    tiling.set_singleBatchN(1);
  }
  // The whole product, where SetOrgShape was not called.
  void Whole() {
    orgM = orgM > 0 ? orgM : singleM;
    orgN = orgN > 0 ? orgN : singleN;
    orgKa = orgKa > 0 ? orgKa : singleK;
    orgKb = orgKb > 0 ? orgKb : singleK;
  }

  MatTilingType aType_, bType_, cType_, biasType_;
  MatrixTraverse traverse_ = MatrixTraverse::FIRSTM;
  bool isBias = false;
  int32_t orgM = 0, orgN = 0, orgKa = 0, orgKb = 0;
  int32_t singleM = 0, singleN = 0, singleK = 0;
  int32_t baseM = 0, baseN = 0, baseK = 0;
  int32_t fixM_ = -1, fixN_ = -1, fixK_ = -1;
  uint64_t l1_ = 0, l0c_ = 0, l0a_ = 0, l0b_ = 0;
};

// For one core: the shape of SetShape, or the whole.
class MatmulApiTiling : public MatmulApiTilingBase {
 public:
  using MatmulApiTilingBase::MatmulApiTilingBase;
  int64_t GetTiling(optiling::TCubeTiling &tiling) override {
    Whole();
    tiling.set_usedCoreNum(1);
    return Cut(singleM > 0 ? singleM : orgM, singleN > 0 ? singleN : orgN, singleK > 0 ? singleK : orgKa,
               tiling);
  }
};

// For several: rows and columns are divided so that the largest part is the smallest possible.
class MultiCoreMatmulTiling : public MatmulApiTilingBase {
 public:
  using MatmulApiTilingBase::MatmulApiTilingBase;
  int32_t SetDim(int32_t dim) { return Keep({{&dim_, dim}}); }
  int32_t SetSingleShape(int32_t singleMIn = -1, int32_t singleNIn = -1, int32_t singleKIn = -1) {
    return Keep({{&partM_, singleMIn}, {&partN_, singleNIn}, {&partK_, singleKIn}});
  }
  int32_t GetSingleShape(int32_t &shapeM, int32_t &shapeN, int32_t &shapeK) {
    shapeM = gotM_;
    shapeN = gotN_;
    shapeK = gotK_;
    return 0;
  }
  int32_t GetCoreNum(int32_t &dim, int32_t &mDim, int32_t &nDim) {
    mDim = mDim_;
    nDim = nDim_;
    dim = mDim_ * nDim_;
    return 0;
  }
  int64_t GetTiling(optiling::TCubeTiling &tiling) override {
    Whole();
    const int64_t m = singleM > 0 ? singleM : orgM;
    const int64_t n = singleN > 0 ? singleN : orgN;
    gotK_ = partK_ > 0 ? partK_ : singleK > 0 ? singleK : orgKa;
    if (m <= 0 || n <= 0 || gotK_ <= 0)
      return -1;
    int64_t least = INT64_MAX;
    for (int64_t rows = 1; rows <= dim_ && rows <= Ceil(m, 16); rows++) {
      const int64_t columns = std::min<int64_t>(dim_ / rows, Ceil(n, 16));
      const int64_t part_m = partM_ > 0 ? partM_ : std::min(UpTo(Ceil(m, rows), 16), m);
      const int64_t part_n = partN_ > 0 ? partN_ : std::min(UpTo(Ceil(n, columns), 16), n);
      const int64_t parts = Ceil(m, part_m) * Ceil(n, part_n);
      if (parts > dim_ || part_m * part_n >= least)
        continue;
      least = part_m * part_n;
      gotM_ = static_cast<int32_t>(part_m);
      gotN_ = static_cast<int32_t>(part_n);
    }
    if (least == INT64_MAX)
      return -1;
    mDim_ = static_cast<int32_t>(Ceil(m, gotM_));
    nDim_ = static_cast<int32_t>(Ceil(n, gotN_));
    tiling.set_usedCoreNum(mDim_ * nDim_);
    return Cut(gotM_, gotN_, gotK_, tiling);
  }

 private:
  int32_t dim_ = 1;
  int32_t partM_ = 0, partN_ = 0, partK_ = 0;
  int32_t gotM_ = 0, gotN_ = 0, gotK_ = 0;
  int32_t mDim_ = 0, nDim_ = 0;
};
}  // namespace matmul_tiling
// SPDX-License-Identifier: Apache-2.0
