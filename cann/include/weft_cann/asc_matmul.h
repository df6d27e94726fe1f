// weft_cann/asc_matmul.h - matmul objects. One computes in whoever calls Iterate, IterateAll or IterateBatch,
// at once: in a kernel of both kinds of cores that is the vector side, and on the cube core REGIST_MATMUL_OBJ
// ends the kernel, where a device would serve the vector cores. Each sum goes over all of k in its order, so
// results depend on no tiling.
#pragma once
#include "weft_cann/asc_kernel.h"
#include "weft_cann/asc_matmul_types.h"

namespace weft_asc {
// One of the three matrices: where it is, and how its elements lie.
struct Side {
  const void *at = nullptr;
  bool global = false;
  uint64_t bytes = 0;
  bool transposed = false;
};
// Element (row, column) of a matrix that is stored with `width` elements from row to row; NZ: in columns of
// 32 bytes, each `height` rows high.
inline weft_asc_places PlacesOf(CubeFormat format, uint64_t width, uint64_t height, uint32_t element) {
  const uint32_t c0 = 32 / element;
  if (format == CubeFormat::NZ)
    return {c0, 1, (height + 15) / 16 * 16 * c0, c0};
  return {width, 1, 0, UINT32_MAX};
}
struct Dimensions {
  int32_t m, n, k;
};
}  // namespace weft_asc

namespace AscendC {
template <typename A_TYPE, typename B_TYPE, typename C_TYPE, typename BIAS_TYPE = C_TYPE,
          const auto &MM_CFG = CFG_NORM, typename MM_CB = MatmulCallBackFunc<>, typename... POLICY>
class MatmulImpl {
 public:
  using SrcT = typename A_TYPE::T;
  using SrcAT = typename A_TYPE::T;
  using SrcBT = typename B_TYPE::T;
  using DstT = typename C_TYPE::T;
  using BiasT = typename BIAS_TYPE::T;

  void Init(const ::TCubeTiling *__restrict cubeTiling, TPipe * = nullptr) {
    tiling_ = *cubeTiling;
    org_ = {tiling_.M, tiling_.N, tiling_.Ka};
    orgKb_ = tiling_.Kb;
    orgKc_ = 0;
    single_ = {tiling_.singleCoreM, tiling_.singleCoreN, tiling_.singleCoreK};
    Restart();
  }
  void SetSubBlockIdx(uint8_t subBlockIdx) { subBlock_ = subBlockIdx; }
  uint8_t GetSubBlockIdx() { return subBlock_; }
  template <typename T>
  void SetWorkspace(const T *, int) {}
  template <typename T>
  void SetWorkspace(GlobalTensor<T> &) {}
  void SetLocalWorkspace(const LocalTensor<uint8_t> &) {}
  template <typename T>
  void SetSelfDefineData(T) {}
  void SetUserDefInfo(const uint64_t) {}
  void SetHF32(bool enableHF32 = false, int32_t transMode = 0) {
    hf32_ = enableHF32;
    hf32ToZero_ = transMode == 1;
  }

  // ---- shapes ----

  void SetOrgShape(int orgM, int orgN, int orgK) { SetOrgShape(orgM, orgN, orgK, orgK); }
  void SetOrgShape(int orgM, int orgN, int orgKa, int orgKb, int orgKc = 0) {
    org_ = {orgM, orgN, orgKa};
    orgKb_ = orgKb;
    orgKc_ = orgKc;
  }
  void SetSingleShape(int singleM, int singleN, int singleK) { SetTail(singleM, singleN, singleK); }
  void SetTail(int tailM = -1, int tailN = -1, int tailK = -1) {
    single_.m = tailM < 0 ? single_.m : tailM;
    single_.n = tailN < 0 ? single_.n : tailN;
    single_.k = tailK < 0 ? single_.k : tailK;
    Restart();
  }
  void SetBatchNum(int32_t batchA, int32_t batchB) {
    batchA_ = static_cast<uint32_t>(batchA);
    batchB_ = static_cast<uint32_t>(batchB);
  }

  // ---- operands ----

  void SetTensorA(const GlobalTensor<SrcAT> &gm, bool isTransposeA = false) {
    a_ = {gm.GetPhyAddr(), true, gm.KnownBytes(), isTransposeA};
    Restart();
  }
  void SetTensorA(const LocalTensor<SrcAT> &leftMatrix, bool isTransposeA = false) {
    a_ = {leftMatrix.Data(), false, ~0ull, isTransposeA};
    Restart();
  }
  void SetTensorB(const GlobalTensor<SrcBT> &gm, bool isTransposeB = false) {
    b_ = {gm.GetPhyAddr(), true, gm.KnownBytes(), isTransposeB};
    Restart();
  }
  void SetTensorB(const LocalTensor<SrcBT> &rightMatrix, bool isTransposeB = false) {
    b_ = {rightMatrix.Data(), false, ~0ull, isTransposeB};
    Restart();
  }
  void SetBias(const GlobalTensor<BiasT> &biasGlobal) {
    bias_ = {biasGlobal.GetPhyAddr(), true, biasGlobal.KnownBytes(), false};
  }
  void SetBias(const LocalTensor<BiasT> &inputBias) { bias_ = {inputBias.Data(), false, ~0ull, false}; }
  void DisableBias() { bias_ = weft_asc::Side(); }
  void ClearBias() { bias_ = weft_asc::Side(); }
  void SetQuantScalar(const uint64_t quantScalar) {
    scaled_ = true;
    scale_ = quantScalar;
    scales_ = nullptr;
  }
  void SetQuantVector(const GlobalTensor<uint64_t> &quantTensor) { Scales(quantTensor.GetPhyAddr()); }
  void SetQuantVector(const LocalTensor<uint64_t> &quantTensor) { Scales(quantTensor.Data()); }
  // Places of what is left of a sparse matrix: the cube here has whole ones.
  void SetSparseIndex(const GlobalTensor<uint8_t> &, weft_asc_at at = weft_asc::Here()) {
    weft_asc_fail(at, "SetSparseIndex: sparse matrices are not there; give the whole one");
  }

  // ---- products ----

  // The next tile of baseM x baseN; false: there is none.
  template <bool sync = true>
  bool Iterate(bool enPartialSum = false, weft_asc_at at = weft_asc::Here()) {
    if (enPartialSum)
      weft_asc_fail(at, "Iterate: sums that go on from the tile before are not there");
    const int32_t rows = Tiles(single_.m, tiling_.baseM), columns = Tiles(single_.n, tiling_.baseN);
    tile_++;
    if (tile_ >= rows * columns)
      return false;
    const bool by_columns = tiling_.iterateOrder == 1;
    tileM_ = (by_columns ? tile_ / columns : tile_ % rows) * tiling_.baseM;
    tileN_ = (by_columns ? tile_ % columns : tile_ / rows) * tiling_.baseN;
    return true;
  }
  template <bool sync = true>
  void GetTensorC(const GlobalTensor<DstT> &gm, uint8_t enAtomic = 0, bool enSequentialWrite = false,
                  weft_asc_at at = weft_asc::Here()) {
    const weft_asc::Dimensions size = TileSize();
    Out out = {gm.GetPhyAddr(0), true, gm.KnownBytes(), LeadingC(), Height()};
    if (enSequentialWrite) {
      out.width = static_cast<uint64_t>(size.n);
      out.height = static_cast<uint64_t>(size.m);
    }
    Product(out, tileM_, tileN_, size, enAtomic, enSequentialWrite, at);
  }
  template <bool sync = true, bool doPad = false>
  void GetTensorC(const LocalTensor<DstT> &co2Local, uint8_t enAtomic = 0, bool = false, uint32_t = 0,
                  uint32_t = 0, uint32_t = 0, uint32_t = 0, weft_asc_at at = weft_asc::Here()) {
    const weft_asc::Dimensions size = TileSize();
    Product({co2Local.Data(), false, ~0ull, Aligned(size.n), static_cast<uint64_t>(size.m)}, tileM_, tileN_,
            size, enAtomic, true, at);
  }
  template <bool sync = true>
  void GetTensorC(const GlobalTensor<DstT> &gm, const LocalTensor<DstT> &co2Local, uint8_t enAtomic = 0,
                  bool enSequentialWrite = false, weft_asc_at at = weft_asc::Here()) {
    GetTensorC<sync>(gm, enAtomic, enSequentialWrite, at);
    GetTensorC<sync>(co2Local, enAtomic, true, 0, 0, 0, 0, at);
  }
  template <bool sync = true>
  void IterateAll(const GlobalTensor<DstT> &gm, uint8_t enAtomic = 0, bool enSequentialWrite = false,
                  bool = false, bool = false, weft_asc_at at = weft_asc::Here()) {
    if (!enSequentialWrite) {
      Product({gm.GetPhyAddr(0), true, gm.KnownBytes(), LeadingC(), Height()}, 0, 0, single_, enAtomic, false,
              at);
      return;
    }
    Restart();
    for (uint64_t done = 0; Iterate(); done += Area())
      GetTensorC(gm[done], enAtomic, true, at);
  }
  template <bool sync = true>
  void IterateAll(const LocalTensor<DstT> &ubCmatrix, uint8_t enAtomic = 0,
                  weft_asc_at at = weft_asc::Here()) {
    Product({ubCmatrix.Data(), false, ~0ull, Aligned(single_.n), static_cast<uint64_t>(single_.m)}, 0, 0,
            single_, enAtomic, false, at);
  }
  // Each of max(batchA, batchB) products; of the side with fewer matrices one serves as many as follow it.
  template <bool sync = true, bool waitIterateBatch = false>
  void IterateBatch(const GlobalTensor<DstT> &gm, uint32_t batchA, uint32_t batchB, bool enSequentialWrite,
                    const uint32_t matrixStrideA = 0, const uint32_t matrixStrideB = 0,
                    const uint32_t matrixStrideC = 0, const bool = false, const uint8_t enAtomic = 0,
                    weft_asc_at at = weft_asc::Here()) {
    (void)enSequentialWrite;
    Batches({gm.GetPhyAddr(0), true, gm.KnownBytes(), 0, Height()}, batchA, batchB, matrixStrideA,
            matrixStrideB, matrixStrideC, enAtomic, at);
  }
  template <bool sync = true>
  void IterateBatch(const LocalTensor<DstT> &ubCmatrix, uint32_t batchA, uint32_t batchB,
                    bool enSequentialWrite, const uint32_t matrixStrideA = 0,
                    const uint32_t matrixStrideB = 0, const uint32_t matrixStrideC = 0, const bool = false,
                    const uint8_t enAtomic = 0, weft_asc_at at = weft_asc::Here()) {
    (void)enSequentialWrite;
    Batches({ubCmatrix.Data(), false, ~0ull, 0, Height()}, batchA, batchB, matrixStrideA, matrixStrideB,
            matrixStrideC, enAtomic, at);
  }
  void WaitIterateAll() {}
  void WaitIterateBatch() {}
  void WaitGetTensorC() {}
  void End() { Restart(); }
  template <bool isTurnOnDebug = true>
  MatrixOffset GetOffsetC() {
    const weft_asc::Dimensions size = TileSize();
    const int32_t offset = tileM_ * static_cast<int32_t>(LeadingC()) + tileN_;
    return {offset, tileM_, tileN_, size.m, size.n};
  }

 private:
  struct Out {
    DstT *to;
    bool global;
    uint64_t bytes, width, height;
  };
  static int32_t Tiles(int32_t all, int32_t base) { return base > 0 ? (all + base - 1) / base : 1; }
  void Restart() {
    tile_ = -1;
    tileM_ = tileN_ = 0;
  }
  void Scales(const uint64_t *scales) {
    scaled_ = true;
    scales_ = scales;
  }
  weft_asc::Dimensions TileSize() const {
    const int32_t m = single_.m - tileM_, n = single_.n - tileN_;
    return {m < tiling_.baseM ? m : tiling_.baseM, n < tiling_.baseN ? n : tiling_.baseN, single_.k};
  }
  uint64_t Area() const {
    const weft_asc::Dimensions size = TileSize();
    return static_cast<uint64_t>(size.m) * static_cast<uint64_t>(size.n);
  }
  static uint64_t Aligned(int32_t n) {
    constexpr uint64_t block = 32 / sizeof(DstT);
    return (static_cast<uint64_t>(n) + block - 1) / block * block;
  }
  uint64_t LeadingC() const {
    const int32_t n = orgKc_ ? orgKc_ : org_.n;
    return C_TYPE::format == CubeFormat::ND_ALIGN ? Aligned(n) : static_cast<uint64_t>(n);
  }
  uint64_t Height() const { return static_cast<uint64_t>(org_.m); }

  // The part of a matrix from (row, column) on, as the product sees it. As stored it has `width` columns, and
  // `height` rows.
  template <typename Type>
  static weft_asc_matrix Part(const weft_asc::Side &side, int32_t row, int32_t column, int32_t height,
                              int32_t width) {
    using T = typename Type::T;
    weft_asc_matrix x = {};
    const uint64_t r = static_cast<uint64_t>(side.transposed ? column : row);
    const uint64_t c = static_cast<uint64_t>(side.transposed ? row : column);
    const weft_asc_places stored = weft_asc::PlacesOf(Type::format, static_cast<uint64_t>(width),
                                                      static_cast<uint64_t>(height), sizeof(T));
    const uint64_t first = r * stored.m_step + c / stored.group * stored.group_step + c % stored.group;
    x.at = static_cast<const T *>(side.at) + first;
    x.dtype = DtypeOf<T>::kValue;
    x.global = side.global;
    x.bytes = side.bytes == ~0ull              ? ~0ull
              : side.bytes > first * sizeof(T) ? side.bytes - first * sizeof(T)
                                               : 0;
    x.places = stored;
    x.transposed = side.transposed;
    return x;
  }
  void Mode() const {
    SetHF32Mode(hf32_);
    SetHF32TransMode(hf32ToZero_);
  }
  static void Atomic(uint8_t enAtomic) {
    if (enAtomic == 1)
      SetAtomicAdd<DstT>();
    else if (enAtomic == 2)
      SetAtomicMax<DstT>();
    else if (enAtomic == 3)
      SetAtomicMin<DstT>();
  }
  weft_asc_product ProductOf(const Out &out, int32_t row, int32_t column, weft_asc::Dimensions size) const {
    weft_asc_product p = {};
    const bool local_a = !a_.global, local_b = !b_.global;
    const weft_asc::Dimensions of_a = local_a ? single_ : org_;
    const int32_t a_width = a_.transposed ? of_a.m : of_a.k, a_height = a_.transposed ? of_a.k : of_a.m;
    const int32_t n = local_b ? single_.n : org_.n, k = local_b ? single_.k : orgKb_;
    p.a = Part<A_TYPE>(a_, row, 0, a_height, a_width);
    p.b = Part<B_TYPE>(b_, 0, column, b_.transposed ? n : k, b_.transposed ? k : n);
    if (bias_.at)
      p.bias = Part<MatmulType<TPosition::GM, CubeFormat::ND, BiasT>>(bias_, 0, column, 1, org_.n);
    p.m = static_cast<uint32_t>(size.m);
    p.n = static_cast<uint32_t>(size.n);
    p.k = static_cast<uint32_t>(size.k);
    p.to.to_dtype = DtypeOf<DstT>::kValue;
    p.to.to_global = out.global;
    p.to.scaled = scaled_;
    p.to.scale = scale_;
    p.to.scales = scales_ ? scales_ + column : nullptr;
    p.to.relu = weft_asc::ConfigOf(MM_CFG).enableRelu;
    return p;
  }
  // `alone`: the tile is all that is written at `out`.
  void Product(const Out &out, int32_t row, int32_t column, weft_asc::Dimensions size, uint8_t enAtomic,
               bool alone, weft_asc_at at) {
    weft_asc_product p = ProductOf(out, row, column, size);
    const uint32_t element = sizeof(DstT);
    p.to.to_places = weft_asc::PlacesOf(C_TYPE::format, out.width, out.height, element);
    if (C_TYPE::format == CubeFormat::NZ && element == 4)
      p.to.to_places = {16, 1, (out.height + 15) / 16 * 16 * 16, 16};
    const uint64_t r = alone ? 0 : static_cast<uint64_t>(row), c = alone ? 0 : static_cast<uint64_t>(column);
    const weft_asc_places &places = p.to.to_places;
    const uint64_t first = r * places.m_step + c / places.group * places.group_step + c % places.group;
    p.to.to = out.to + first;
    p.to.global_bytes = out.bytes == ~0ull            ? ~0ull
                        : out.bytes > first * element ? out.bytes - first * element
                                                      : 0;
    Mode();
    Atomic(out.global ? enAtomic : 0);
    weft_asc_product_run(&p, at);
    weft_asc_barrier(WEFT_ASC_PIPE_ALL, at);  // the call returns when the result is there
    if (out.global && enAtomic)
      SetAtomicNone();
  }

  // ---- batches ----

  // Where matrix `i` begins and how far its rows are apart, in elements: B, S, N, G and D are the sizes that
  // the layout is named after.
  struct Layout {
    int32_t b, s, n, g, d;
    uint64_t First(LayoutMode mode, uint64_t i, uint64_t stride) const {
      const uint64_t heads = static_cast<uint64_t>(n) * static_cast<uint64_t>(g);
      const uint64_t width = static_cast<uint64_t>(d), rows = static_cast<uint64_t>(s);
      if (mode == LayoutMode::BSNGD)
        return i / heads * rows * heads * width + i % heads * width;
      if (mode == LayoutMode::SBNGD)
        return i * width;
      return i * (stride ? stride : rows * width);
    }
    uint64_t Row(LayoutMode mode) const {
      const uint64_t heads = static_cast<uint64_t>(n) * static_cast<uint64_t>(g);
      const uint64_t width = static_cast<uint64_t>(d);
      if (mode == LayoutMode::BSNGD)
        return heads * width;
      if (mode == LayoutMode::SBNGD)
        return static_cast<uint64_t>(b) * heads * width;
      return width;
    }
  };
  static weft_asc::Side Moved(const weft_asc::Side &side, uint64_t elements, uint32_t bytes) {
    weft_asc::Side moved = side;
    moved.at = static_cast<const uint8_t *>(side.at) + elements * bytes;
    if (side.bytes != ~0ull)
      moved.bytes = side.bytes > elements * bytes ? side.bytes - elements * bytes : 0;
    return moved;
  }
  void Batches(const Out &all, uint32_t batchA, uint32_t batchB, uint32_t strideA, uint32_t strideB,
               uint32_t strideC, uint8_t enAtomic, weft_asc_at at) {
    const bool named = A_TYPE::layout == LayoutMode::BSNGD || A_TYPE::layout == LayoutMode::SBNGD;
    const ::TCubeTiling &t = tiling_;
    const weft_asc::Dimensions s = single_;
    const Layout a =
        named ? Layout{t.ALayoutInfoB, t.ALayoutInfoS, t.ALayoutInfoN, t.ALayoutInfoG, t.ALayoutInfoD}
        : a_.transposed ? Layout{1, s.k, 1, 1, s.m}
                        : Layout{1, s.m, 1, 1, s.k};
    const Layout b =
        named ? Layout{t.BLayoutInfoB, t.BLayoutInfoS, t.BLayoutInfoN, t.BLayoutInfoG, t.BLayoutInfoD}
        : b_.transposed ? Layout{1, s.n, 1, 1, s.k}
                        : Layout{1, s.k, 1, 1, s.n};
    const Layout c =
        named ? Layout{t.CLayoutInfoB, t.CLayoutInfoS1, t.CLayoutInfoN, t.CLayoutInfoG, t.CLayoutInfoS2}
              : Layout{1, s.m, 1, 1, s.n};
    const uint32_t batches = batchA > batchB ? batchA : batchB;
    const weft_asc::Side keptA = a_, keptB = b_;
    const weft_asc::Dimensions kept = org_;
    const int32_t keptKb = orgKb_;
    for (uint32_t i = 0; i < batches && batchA && batchB; i++) {
      a_ = Moved(keptA, a.First(A_TYPE::layout, i / (batches / batchA), strideA), sizeof(SrcAT));
      b_ = Moved(keptB, b.First(B_TYPE::layout, i / (batches / batchB), strideB), sizeof(SrcBT));
      Widths(static_cast<int32_t>(a.Row(A_TYPE::layout)), static_cast<int32_t>(b.Row(B_TYPE::layout)));
      const uint64_t first = c.First(C_TYPE::layout, i, strideC);
      Out out = {all.to + first, all.global, all.bytes, c.Row(C_TYPE::layout), static_cast<uint64_t>(s.m)};
      if (all.bytes != ~0ull)
        out.bytes = all.bytes > first * sizeof(DstT) ? all.bytes - first * sizeof(DstT) : 0;
      Product(out, 0, 0, s, enAtomic, false, at);
    }
    a_ = keptA;
    b_ = keptB;
    org_ = kept;
    orgKb_ = keptKb;
  }
  // Rows that are so far apart.
  void Widths(int32_t a, int32_t b) {
    if (a_.transposed)
      org_.m = a;
    else
      org_.k = a;
    if (b_.transposed)
      orgKb_ = b;
    else
      org_.n = b;
  }

  ::TCubeTiling tiling_;
  weft_asc::Dimensions org_ = {}, single_ = {};
  int32_t orgKb_ = 0, orgKc_ = 0;
  int32_t tile_ = -1, tileM_ = 0, tileN_ = 0;
  uint32_t batchA_ = 1, batchB_ = 1;
  weft_asc::Side a_, b_, bias_;
  bool scaled_ = false, hf32_ = false, hf32ToZero_ = false;
  uint64_t scale_ = 0;
  const uint64_t *scales_ = nullptr;
  uint8_t subBlock_ = 0;
};
template <typename A_TYPE, typename B_TYPE, typename C_TYPE, typename BIAS_TYPE = C_TYPE,
          const auto &MM_CFG = CFG_NORM, typename MM_CB = MatmulCallBackFunc<>, typename... POLICY>
using Matmul = MatmulImpl<A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE, MM_CFG, MM_CB, POLICY...>;
}  // namespace AscendC
namespace matmul = AscendC;

namespace weft_asc {
inline void Register() {}
template <typename Object, typename... Rest>
void Register(Object &object, Rest &&...rest);
template <typename Object, typename Tiling, typename... Rest>
void RegisterWith(Object &object, Tiling *tiling, Rest &&...rest) {
  if (tiling)
    object.Init(static_cast<const ::TCubeTiling *>(static_cast<const void *>(tiling)));
  Register(rest...);
}
template <typename Object, typename... Rest>
void Register(Object &object, Rest &&...rest) {
  if constexpr (sizeof...(Rest) == 0) {
    (void)object;
  } else {
    using Next = std::remove_reference_t<std::tuple_element_t<0, std::tuple<Rest...>>>;
    if constexpr (std::is_pointer<Next>::value)
      RegisterWith(object, rest...);
    else
      Register(rest...);
  }
}
// Whether this core would serve the vector cores from here on.
inline bool ServesVectors() {
#ifdef ASCENDC_CUBE_ONLY
  return false;
#else
  return !AscendC::IsVectorCore();
#endif
}
}  // namespace weft_asc

#define REGIST_MATMUL_OBJ(tpipe, workspace, ...) \
  do {                                           \
    if (weft_asc::ServesVectors())               \
      return;                                    \
    weft_asc::Register(__VA_ARGS__);             \
  } while (0)
#define REGIST_CUBE_OBJ REGIST_MATMUL_OBJ
// SPDX-License-Identifier: Apache-2.0
