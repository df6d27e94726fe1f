// weft_cann/asc_copy.h - DataCopy and DataCopyPad: rows between global memory and the chip.
#pragma once
#include "weft_cann/asc_sync.h"

namespace AscendC {
struct Nd2NzParams {
  Nd2NzParams() {}
  Nd2NzParams(const uint16_t ndNumIn, const uint16_t nValueIn, const uint32_t dValueIn,
              const uint64_t srcNdMatrixStrideIn, const uint64_t srcDValueIn, const uint16_t dstNzC0StrideIn,
              const uint16_t dstNzNStrideIn, const uint32_t dstNzMatrixStrideIn)
      : ndNum(ndNumIn),
        nValue(nValueIn),
        dValue(dValueIn),
        srcNdMatrixStride(srcNdMatrixStrideIn),
        srcDValue(srcDValueIn),
        dstNzC0Stride(dstNzC0StrideIn),
        dstNzNStride(dstNzNStrideIn),
        dstNzMatrixStride(dstNzMatrixStrideIn) {}
  uint16_t ndNum = 0;
  uint16_t nValue = 0;
  uint32_t dValue = 0;
  uint64_t srcNdMatrixStride = 0;  // in elements, as srcDValue, which is from row to row
  uint64_t srcDValue = 0;
  uint16_t dstNzC0Stride = 0;  // in blocks of 32 bytes, as dstNzNStride
  uint16_t dstNzNStride = 0;
  uint32_t dstNzMatrixStride = 0;  // in elements
};
enum class BlockMode : uint8_t {
  BLOCK_MODE_NORMAL,
  BLOCK_MODE_MATRIX,
  BLOCK_MODE_VECTOR,
  BLOCK_MODE_SMALL_CHANNEL,
  BLOCK_MODE_DEPTHWISE,
};
enum class DeqScale : uint8_t { DEQ_NONE, DEQ, VDEQ, DEQ8, VDEQ8, DEQ16, VDEQ16 };
enum class pad_t : uint8_t {
  PAD_NONE,
  PAD_MODE1,
  PAD_MODE2,
  PAD_MODE3,
  PAD_MODE4,
  PAD_MODE5,
  PAD_MODE6,
  PAD_MODE7,
  PAD_MODE8,
};
struct DataCopyEnhancedParams {
  DataCopyEnhancedParams() {}
  DataCopyEnhancedParams(const BlockMode blockModeIn, const DeqScale deqScaleIn, const uint64_t deqValueIn,
                         const uint8_t sidStoreModeIn, const bool isReluIn, const pad_t padModeIn,
                         const uint64_t padValueIn)
      : blockMode(blockModeIn),
        deqScale(deqScaleIn),
        deqValue(deqValueIn),
        sidStoreMode(sidStoreModeIn),
        isRelu(isReluIn),
        padMode(padModeIn),
        padValue(padValueIn) {}
  BlockMode blockMode = BlockMode::BLOCK_MODE_NORMAL;
  DeqScale deqScale = DeqScale::DEQ_NONE;
  uint64_t deqValue = 0;
  uint8_t sidStoreMode = 0;
  bool isRelu = false;
  pad_t padMode = pad_t::PAD_NONE;
  uint64_t padValue = 0;
  uint64_t deqTensorAddr = 0;
};
}  // namespace AscendC

namespace weft_asc {
template <typename T>
weft_asc_copy CopyIn(const AscendC::LocalTensor<T> &dst, const AscendC::GlobalTensor<T> &src) {
  weft_asc_copy c = {};
  c.to = dst.Data();
  c.from = src.GetPhyAddr();
  c.from_global = true;
  c.dtype = AscendC::DtypeOf<T>::kValue;
  c.element = sizeof(T);
  c.rows = 1;
  c.pipe = WEFT_ASC_PIPE_MTE2;
  c.global_bytes = src.KnownBytes();
  return c;
}
template <typename T>
int PipeOut(const AscendC::LocalTensor<T> &src) {
  return src.GetPosition() == static_cast<int32_t>(AscendC::TPosition::CO1) ? WEFT_ASC_PIPE_FIX
                                                                            : WEFT_ASC_PIPE_MTE3;
}
template <typename T>
weft_asc_copy CopyOut(const AscendC::GlobalTensor<T> &dst, const AscendC::LocalTensor<T> &src) {
  weft_asc_copy c = {};
  c.to = dst.GetPhyAddr(0);
  c.from = src.Data();
  c.to_global = true;
  c.dtype = AscendC::DtypeOf<T>::kValue;
  c.element = sizeof(T);
  c.rows = 1;
  c.pipe = PipeOut(src);
  c.global_bytes = dst.KnownBytes();
  return c;
}
// One row as it is.
template <typename T>
void RowIn(const AscendC::LocalTensor<T> &dst, const AscendC::GlobalTensor<T> &src, uint64_t bytes,
           uint32_t how, weft_asc_at at) {
  weft_asc_copy_row(dst.Data(), src.GetPhyAddr(), bytes, src.KnownBytes(), WEFT_ASC_PIPE_MTE2, how, at);
}
template <typename T>
void RowOut(const AscendC::GlobalTensor<T> &dst, const AscendC::LocalTensor<T> &src, uint64_t bytes,
            uint32_t how, weft_asc_at at) {
  weft_asc_copy_row(dst.GetPhyAddr(0), src.Data(), bytes, dst.KnownBytes(), PipeOut(src),
                    how | WEFT_ASC_COPY_OUT, at);
}
// Within a core: by the unit that the two positions stand for.
template <typename T, typename U>
weft_asc_copy CopyWithin(const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<U> &src) {
  weft_asc_copy c = {};
  c.to = dst.Data();
  c.from = src.Data();
  c.dtype = AscendC::DtypeOf<T>::kValue;
  c.element = sizeof(T);
  c.rows = 1;
  c.global_bytes = ~0ull;
  const int from = RegionOf(static_cast<AscendC::TPosition>(src.GetPosition()));
  const int to = RegionOf(static_cast<AscendC::TPosition>(dst.GetPosition()));
  c.pipe = from == WEFT_ASC_UB && to == WEFT_ASC_UB ? WEFT_ASC_PIPE_V
           : from == WEFT_ASC_L1                    ? WEFT_ASC_PIPE_MTE1
           : from == WEFT_ASC_L0C                   ? WEFT_ASC_PIPE_FIX
                                                    : WEFT_ASC_PIPE_MTE3;
  return c;
}
// Rows of 32-byte blocks.
inline void InBlocks(weft_asc_copy &c, const AscendC::DataCopyParams &p) {
  c.rows = p.blockCount;
  c.row_bytes = uint64_t{p.blockLen} * 32;
  c.from_gap = int64_t{p.srcStride} * 32;
  c.to_gap = int64_t{p.dstStride} * 32;
}
template <typename Params>
void InBytes(weft_asc_copy &c, const Params &p) {
  c.rows = p.blockCount;
  c.row_bytes = p.blockLen;
  c.from_gap = static_cast<int64_t>(p.srcStride) * (c.from_global ? 1 : 32);
  c.to_gap = static_cast<int64_t>(p.dstStride) * (c.to_global ? 1 : 32);
  if (c.from_global)
    c.round = 32;
  // On the chip a row begins at a block, and the gap counts from the end of its last one.
  else
    c.from_gap += static_cast<int64_t>((32 - p.blockLen % 32) % 32);
}
template <typename Params>
void Padded(weft_asc_copy &c, const Params &p, uint64_t bits) {
  if (!p.isPad)
    return;
  c.left = uint32_t{p.leftPadding} * c.element;
  c.right = uint32_t{p.rightPadding} * c.element;
  c.pad = bits;
}
// Rows of dValue numbers become fractals: blocks of 32 bytes, one column of blocks after the other. The last
// block of a row is filled up with zeros.
template <typename T>
void ToFractals(weft_asc_copy c, const AscendC::Nd2NzParams &p, weft_asc_at at) {
  constexpr uint32_t kBlock = 32 / sizeof(T);
  uint8_t *const to = static_cast<uint8_t *>(c.to);
  const uint8_t *const from = static_cast<const uint8_t *>(c.from);
  const uint64_t known = c.global_bytes;
  c.rows = p.nValue;
  c.to_gap = (int64_t{p.dstNzNStride} - 1) * 32;
  for (uint32_t matrix = 0; matrix < p.ndNum; matrix++) {
    for (uint32_t column = 0; column < p.dValue; column += kBlock) {
      const uint32_t n = p.dValue - column < kBlock ? p.dValue - column : kBlock;
      const uint64_t skipped = (matrix * p.srcNdMatrixStride + column) * sizeof(T);
      c.row_bytes = n * sizeof(T);
      c.right = 32 - n * static_cast<uint32_t>(sizeof(T));
      c.from_gap = static_cast<int64_t>(p.srcDValue * sizeof(T)) - static_cast<int64_t>(c.row_bytes);
      c.from = from + skipped;
      c.to = to + uint64_t{matrix} * p.dstNzMatrixStride * sizeof(T) +
             uint64_t{column / kBlock} * p.dstNzC0Stride * 32;
      c.global_bytes = known == ~0ull || known < skipped ? known : known - skipped;
      weft_asc_copy_run(&c, at);
    }
  }
}
}  // namespace weft_asc

namespace AscendC {
template <typename T, bool enableSmallC0 = false>
void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const Nd2NzParams &p,
              weft_asc_at at = weft_asc::Here()) {
  weft_asc::ToFractals<T>(weft_asc::CopyIn(dst, src), p, at);
}
template <typename T>
void DataCopy(const LocalTensor<T> &dst, const LocalTensor<T> &src, const Nd2NzParams &p,
              weft_asc_at at = weft_asc::Here()) {
  weft_asc::ToFractals<T>(weft_asc::CopyWithin(dst, src), p, at);
}
template <typename T>
void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const uint32_t count,
              weft_asc_at at = weft_asc::Here()) {
  weft_asc::RowIn(dst, src, uint64_t{count} * sizeof(T), WEFT_ASC_COPY_IN_BLOCKS, at);
}
template <typename T>
void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t count,
              weft_asc_at at = weft_asc::Here()) {
  weft_asc::RowOut(dst, src, uint64_t{count} * sizeof(T), WEFT_ASC_COPY_IN_BLOCKS, at);
}
template <typename T>
void DataCopy(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t count,
              weft_asc_at at = weft_asc::Here()) {
  weft_asc_copy c = weft_asc::CopyWithin(dst, src);
  c.row_bytes = uint64_t{count} * sizeof(T);
  c.in_blocks = true;
  weft_asc_copy_run(&c, at);
}
template <typename T>
void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const DataCopyParams &p,
              weft_asc_at at = weft_asc::Here()) {
  weft_asc_copy c = weft_asc::CopyIn(dst, src);
  weft_asc::InBlocks(c, p);
  weft_asc_copy_run(&c, at);
}
template <typename T>
void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const DataCopyParams &p,
              weft_asc_at at = weft_asc::Here()) {
  weft_asc_copy c = weft_asc::CopyOut(dst, src);
  weft_asc::InBlocks(c, p);
  weft_asc_copy_run(&c, at);
}
template <typename T>
void DataCopy(const LocalTensor<T> &dst, const LocalTensor<T> &src, const DataCopyParams &p,
              weft_asc_at at = weft_asc::Here()) {
  weft_asc_copy c = weft_asc::CopyWithin(dst, src);
  weft_asc::InBlocks(c, p);
  weft_asc_copy_run(&c, at);
}

// Between addresses, as GetPhyAddr gives them: how much memory there is behind `dst` is not known.
template <typename T>
void DataCopyUB2GMImpl(__gm__ T *dst, __ubuf__ T *src, const DataCopyParams &p,
                       weft_asc_at at = weft_asc::Here()) {
  const uint64_t rows = p.blockCount, blocks = rows * p.blockLen + (rows ? (rows - 1) * p.srcStride : 0);
  GlobalTensor<T> to;
  to.SetGlobalBuffer(dst);
  const LocalTensor<T> from(reinterpret_cast<uint8_t *>(src),
                            static_cast<uint32_t>(blocks * ONE_BLK_SIZE / sizeof(T)), TPosition::VECOUT);
  DataCopy(to, from, p, at);
}

// With the options of copies out of the cube, none of which may be said elsewhere.
#define WEFT_ASC_ENHANCED(To, From)                                                                        \
  template <typename T>                                                                                    \
  void DataCopy(const To<T> &dst, const From<T> &src, const DataCopyParams &p,                             \
                const DataCopyEnhancedParams &enhanced, weft_asc_at at = weft_asc::Here()) {               \
    if (enhanced.isRelu || enhanced.deqScale != DeqScale::DEQ_NONE || enhanced.padMode != pad_t::PAD_NONE) \
      weft_asc_fail(at,                                                                                    \
                    "DataCopy: relu, scales and padding of DataCopyEnhancedParams are not here; "          \
                    "Fixpipe and DataCopyPad are");                                                        \
    DataCopy(dst, src, p, at);                                                                             \
  }
WEFT_ASC_ENHANCED(LocalTensor, GlobalTensor)
WEFT_ASC_ENHANCED(GlobalTensor, LocalTensor)
WEFT_ASC_ENHANCED(LocalTensor, LocalTensor)
#undef WEFT_ASC_ENHANCED

template <typename T, PaddingMode mode = PaddingMode::Normal>
void DataCopyPad(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const DataCopyParams &p,
                 const DataCopyPadParams &pad, weft_asc_at at = weft_asc::Here()) {
  if (p.blockCount == 1 && p.blockLen % 32 == 0 && !pad.isPad) {
    weft_asc::RowIn(dst, src, p.blockLen, 0, at);
    return;
  }
  weft_asc_copy c = weft_asc::CopyIn(dst, src);
  weft_asc::InBytes(c, p);
  weft_asc::Padded(c, pad, pad.paddingValue);
  weft_asc_copy_run(&c, at);
}
// U: in braces the border has no type of its own, and is one of T.
template <typename T, PaddingMode mode = PaddingMode::Normal, typename U = T>
void DataCopyPad(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const DataCopyExtParams &p,
                 const DataCopyPadExtParams<U> &pad, weft_asc_at at = weft_asc::Here()) {
  if (p.blockCount == 1 && p.blockLen % 32 == 0 && !pad.isPad) {
    weft_asc::RowIn(dst, src, p.blockLen, 0, at);
    return;
  }
  weft_asc_copy c = weft_asc::CopyIn(dst, src);
  weft_asc::InBytes(c, p);
  weft_asc::Padded(c, pad, weft_asc::Bits(pad.paddingValue));
  weft_asc_copy_run(&c, at);
}
template <typename T, PaddingMode mode = PaddingMode::Normal>
void DataCopyPad(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const DataCopyParams &p,
                 weft_asc_at at = weft_asc::Here()) {
  if (p.blockCount == 1) {
    weft_asc::RowOut(dst, src, p.blockLen, 0, at);
    return;
  }
  weft_asc_copy c = weft_asc::CopyOut(dst, src);
  weft_asc::InBytes(c, p);
  weft_asc_copy_run(&c, at);
}
template <typename T, PaddingMode mode = PaddingMode::Normal>
void DataCopyPad(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const DataCopyExtParams &p,
                 weft_asc_at at = weft_asc::Here()) {
  if (p.blockCount == 1) {
    weft_asc::RowOut(dst, src, p.blockLen, 0, at);
    return;
  }
  weft_asc_copy c = weft_asc::CopyOut(dst, src);
  weft_asc::InBytes(c, p);
  weft_asc_copy_run(&c, at);
}

// ---- slices ----

// Of one axis: pieces of burstLen blocks of 32 bytes (of an axis but the first, of one element) from
// startIndex to endIndex, with `stride` elements between them. shapeValue: how long the axis is.
struct SliceInfo {
  SliceInfo() {}
  SliceInfo(const uint32_t startIndexIn, const uint32_t endIndexIn, const uint32_t strideIn,
            const uint32_t burstLenIn, const uint32_t shapeValueIn = 0)
      : startIndex(startIndexIn),
        endIndex(endIndexIn),
        stride(strideIn),
        burstLen(burstLenIn),
        shapeValue(shapeValueIn) {}
  uint32_t startIndex = 0;
  uint32_t endIndex = ONE_BLK_SIZE - 1;
  uint32_t stride = 0;
  uint32_t burstLen = ONE_BLK_SIZE;
  uint32_t shapeValue = 0;
};
}  // namespace AscendC

namespace weft_asc {
// Where piece `number` of a tensor begins, in elements; ~0: there are not so many.
template <typename T>
uint64_t PieceAt(const AscendC::SliceInfo *axes, uint32_t n_axes, uint64_t number) {
  uint64_t at = 0, step = 1;
  for (uint32_t i = 0; i < n_axes; i++) {
    const AscendC::SliceInfo &a = axes[i];
    const uint64_t one = i ? 1 : uint64_t{a.burstLen} * 32 / sizeof(T);
    const uint64_t apart = one + a.stride;
    const uint64_t pieces = apart ? (uint64_t{a.endIndex} - a.startIndex + 1 + a.stride) / apart : 0;
    if (!pieces)
      return ~0ull;
    at += (a.startIndex + number % pieces * apart) * step;
    number /= pieces;
    step *= a.shapeValue;
  }
  return number ? ~0ull : at;
}
// The pieces of both sides, one after the other.
template <typename T>
void CopySlices(const weft_asc_copy &whole, const AscendC::SliceInfo *to, const AscendC::SliceInfo *from,
                uint32_t n_axes, weft_asc_at at) {
  for (uint64_t i = 0;; i++) {
    const uint64_t there = PieceAt<T>(to, n_axes, i), here = PieceAt<T>(from, n_axes, i);
    if (there == ~0ull || here == ~0ull)
      return;
    weft_asc_copy c = whole;
    const uint64_t skipped = (c.from_global ? here : there) * sizeof(T);
    c.to = static_cast<uint8_t *>(c.to) + there * sizeof(T);
    c.from = static_cast<const uint8_t *>(c.from) + here * sizeof(T);
    c.row_bytes = uint64_t{from[0].burstLen} * 32;
    if (c.global_bytes != ~0ull)
      c.global_bytes -= skipped < c.global_bytes ? skipped : c.global_bytes;
    weft_asc_copy_run(&c, at);
  }
}
}  // namespace weft_asc

namespace AscendC {
template <typename T>
void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const SliceInfo dstSliceInfo[],
              const SliceInfo srcSliceInfo[], const uint32_t dimValue = 1,
              weft_asc_at at = weft_asc::Here()) {
  weft_asc::CopySlices<T>(weft_asc::CopyIn(dst, src), dstSliceInfo, srcSliceInfo, dimValue, at);
}
template <typename T>
void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const SliceInfo dstSliceInfo[],
              const SliceInfo srcSliceInfo[], const uint32_t dimValue = 1,
              weft_asc_at at = weft_asc::Here()) {
  weft_asc::CopySlices<T>(weft_asc::CopyOut(dst, src), dstSliceInfo, srcSliceInfo, dimValue, at);
}

// ---- out of fractals ----

// Strides of the source: of a matrix in fractals of 16 x 16, of a column of them in rows of 16 elements;
// those of the destination in elements.
struct Nz2NdParamsFull {
  Nz2NdParamsFull() {}
  Nz2NdParamsFull(const uint16_t ndNumIn, const uint16_t nValueIn, const uint16_t dValueIn,
                  const uint16_t srcNdMatrixStrideIn, const uint16_t srcNStrideIn,
                  const uint16_t dstDStrideIn, const uint16_t dstNdMatrixStrideIn)
      : ndNum(ndNumIn),
        nValue(nValueIn),
        dValue(dValueIn),
        srcNdMatrixStride(srcNdMatrixStrideIn),
        srcNStride(srcNStrideIn),
        dstDStride(dstDStrideIn),
        dstNdMatrixStride(dstNdMatrixStrideIn) {}
  uint16_t ndNum = 1;
  uint16_t nValue = 0;
  uint16_t dValue = 0;
  uint16_t srcNdMatrixStride = 1;
  uint16_t srcNStride = 0;
  uint16_t dstDStride = 0;
  uint16_t dstNdMatrixStride = 1;
};
template <typename T>
void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const Nz2NdParamsFull &p,
              weft_asc_at at = weft_asc::Here()) {
  constexpr uint32_t kWide = 16;
  for (uint32_t matrix = 0; matrix < p.ndNum; matrix++) {
    for (uint32_t column = 0; column < p.dValue; column += kWide) {
      const uint32_t n = p.dValue - column < kWide ? p.dValue - column : kWide;
      const uint32_t from = matrix * p.srcNdMatrixStride * kWide * kWide + column * p.srcNStride;
      weft_asc_copy c = weft_asc::CopyOut(dst[uint64_t{matrix} * p.dstNdMatrixStride + column], src[from]);
      c.rows = p.nValue;
      c.row_bytes = n * sizeof(T);
      c.from_gap = static_cast<int64_t>((kWide - n) * sizeof(T));
      c.to_gap = (static_cast<int64_t>(p.dstDStride) - n) * static_cast<int64_t>(sizeof(T));
      weft_asc_copy_run(&c, at);
    }
  }
}

template <typename T, uint8_t subBlockId = 0>
void DataCopyL1ToUB(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t count,
                    weft_asc_at at = weft_asc::Here()) {
  DataCopy(dst, src, count, at);
}
template <typename T, uint8_t subBlockId = 0>
void DataCopyL1ToUB(const LocalTensor<T> &dst, const LocalTensor<T> &src, const DataCopyParams &repeatParams,
                    weft_asc_at at = weft_asc::Here()) {
  DataCopy(dst, src, repeatParams, at);
}
}  // namespace AscendC
// SPDX-License-Identifier: Apache-2.0
