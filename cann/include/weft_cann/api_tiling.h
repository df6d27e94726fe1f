// weft_cann/api_tiling.h - the tilings of the vector library's functions that work in pieces, and what those
// want of scratch memory (api_sizes.h: the others, and where the numbers come from).
#pragma once
#include <type_traits>
#include <utility>

#include "weft_cann/api_sizes.h"

namespace AscendC {
namespace weft_sizes {
// A record of the host has setters, a kernel's struct members alone.
template <typename T, typename = void>
struct IsRecord : std::false_type {};
template <typename T>
struct IsRecord<T, std::void_t<decltype(std::declval<T &>().GetDataSize())>> : std::true_type {};
// Fills a record's fields by their setters, or a kernel's struct by its members.
#define WEFT_CANN_SET(tiling, field, value) weft_sizes::Set##field(tiling, static_cast<uint32_t>(value), 0)
#define WEFT_CANN_SETTER(field)                                                                         \
  template <typename T>                                                                                 \
  auto Set##field(T &tiling, uint32_t value, int)->decltype(tiling.set_##field(value)) {                \
    return tiling.set_##field(value);                                                                   \
  }                                                                                                     \
  template <typename T>                                                                                 \
  auto Set##field(T &tiling, uint32_t value, long)->decltype(static_cast<void>(tiling.field = value)) { \
    tiling.field = value;                                                                               \
  }
WEFT_CANN_SETTER(allDataSize)
WEFT_CANN_SETTER(innerDataSize)
WEFT_CANN_SETTER(tmpLocalSize)
WEFT_CANN_SETTER(sortRepeat)
WEFT_CANN_SETTER(kAlignFourBytes)
WEFT_CANN_SETTER(kAlignTwoBytes)
WEFT_CANN_SETTER(srcIndexOffset)
WEFT_CANN_SETTER(srcM)
WEFT_CANN_SETTER(srcK)
WEFT_CANN_SETTER(srcSize)
WEFT_CANN_SETTER(outMaxM)
WEFT_CANN_SETTER(outMaxK)
WEFT_CANN_SETTER(outMaxSize)
WEFT_CANN_SETTER(splitM)
WEFT_CANN_SETTER(splitK)
WEFT_CANN_SETTER(splitSize)
WEFT_CANN_SETTER(reduceM)
WEFT_CANN_SETTER(reduceK)
WEFT_CANN_SETTER(reduceSize)
WEFT_CANN_SETTER(rangeM)
WEFT_CANN_SETTER(tailM)
WEFT_CANN_SETTER(tailSplitSize)
WEFT_CANN_SETTER(tailReduceSize)
WEFT_CANN_SETTER(bLength)
WEFT_CANN_SETTER(sLength)
WEFT_CANN_SETTER(hLength)
WEFT_CANN_SETTER(originalHLength)
WEFT_CANN_SETTER(inputXSize)
WEFT_CANN_SETTER(meanVarSize)
WEFT_CANN_SETTER(tmpBufSize)
WEFT_CANN_SETTER(oneTmpSize)
WEFT_CANN_SETTER(loopRound)
WEFT_CANN_SETTER(bshCurLength)
WEFT_CANN_SETTER(bsCurLength)
WEFT_CANN_SETTER(aLength)
WEFT_CANN_SETTER(rLength)
WEFT_CANN_SETTER(arCurLength)
WEFT_CANN_SETTER(aCurLength)
#undef WEFT_CANN_SETTER
}  // namespace weft_sizes

template <typename Tiling>
bool TopKTilingFunc(const platform_ascendc::PlatformAscendC &platform, const int32_t inner,
                    const int32_t outter, const int32_t k, const uint32_t dataTypeSize,
                    const bool isInitIndex, enum TopKMode mode, const bool isLargest, Tiling &topKTiling) {
  uint32_t most = 0;
  uint32_t least = 0;
  if (k <= 0 || k > inner ||
      !GetTopKMaxMinTmpSize(platform, inner, outter, false, isInitIndex, mode, isLargest, dataTypeSize, most,
                            least))
    return false;
  WEFT_CANN_SET(topKTiling, tmpLocalSize, least / 4);
  WEFT_CANN_SET(topKTiling, allDataSize, inner * outter);
  WEFT_CANN_SET(topKTiling, innerDataSize, inner);
  WEFT_CANN_SET(topKTiling, sortRepeat, weft_sizes::RoundUp(inner, 32) / 32);
  WEFT_CANN_SET(topKTiling, kAlignFourBytes, weft_sizes::RoundUp(k, 8));
  WEFT_CANN_SET(topKTiling, kAlignTwoBytes, weft_sizes::RoundUp(k, 16));
  WEFT_CANN_SET(topKTiling, srcIndexOffset, inner);
  return true;
}

// ---- softmax and its kin: rows of K, in pieces of whole rows ----

#define WEFT_CANN_SOFTMAX_SIZES(name, live)                                                      \
  inline uint32_t Get##name##MinTmpSize(const TensorShape &srcShape, const uint32_t, const bool, \
                                        const bool) {                                            \
    return weft_sizes::Clipped(                                                                  \
        (live)*weft_sizes::RoundUp(weft_sizes::LastDim(srcShape) * 4, weft_sizes::kVector));     \
  }                                                                                              \
  inline uint32_t Get##name##MaxTmpSize(const TensorShape &srcShape, const uint32_t, const bool, \
                                        const bool) {                                            \
    return weft_sizes::Clipped(                                                                  \
        (live)*weft_sizes::RoundUp(weft_sizes::BytesOf(srcShape, 4), weft_sizes::kVector));      \
  }
WEFT_CANN_SOFTMAX_SIZES(SoftMaxFlash, 3)
WEFT_CANN_SOFTMAX_SIZES(SoftMaxGrad, 3)
WEFT_CANN_SOFTMAX_SIZES(LogSoftMax, 2)
#undef WEFT_CANN_SOFTMAX_SIZES
inline uint32_t GetSoftMaxMinTmpSize(const TensorShape &srcShape, const uint32_t dataTypeSize,
                                     const bool isReuseSource) {
  return GetSoftMaxFlashMinTmpSize(srcShape, dataTypeSize, false, isReuseSource);
}
inline uint32_t GetSoftMaxMaxTmpSize(const TensorShape &srcShape, const uint32_t dataTypeSize,
                                     const bool isReuseSource) {
  return GetSoftMaxFlashMaxTmpSize(srcShape, dataTypeSize, false, isReuseSource);
}
inline uint32_t GetSoftMaxFlashV2MinTmpSize(const TensorShape &srcShape, const uint32_t dataTypeSize1,
                                            const uint32_t, const bool isUpdate, const bool = false,
                                            const bool = false) {
  return GetSoftMaxFlashMinTmpSize(srcShape, dataTypeSize1, isUpdate, false);
}
inline uint32_t GetSoftMaxFlashV2MaxTmpSize(const TensorShape &srcShape, const uint32_t dataTypeSize1,
                                            const uint32_t, const bool isUpdate, const bool = false,
                                            const bool = false) {
  return GetSoftMaxFlashMaxTmpSize(srcShape, dataTypeSize1, isUpdate, false);
}

namespace weft_sizes {
template <typename Tiling>
void CutRows(const ge::Shape &shape, uint32_t type_size, uint32_t workspace, Tiling &tiling) {
  const uint64_t k = LastDim(shape);
  const uint64_t m = ElementsOf(shape) / k;
  const uint64_t of_max = ONE_BLK_SIZE / std::min<uint32_t>(std::max<uint32_t>(type_size, 1), ONE_BLK_SIZE);
  const uint64_t row = 3 * RoundUp(k * 4, ONE_BLK_SIZE);
  uint64_t rows = std::min(std::max<uint64_t>(workspace / row, 1), std::max<uint64_t>(m, 1));
  if (rows >= 8)
    rows = rows / 8 * 8;
  WEFT_CANN_SET(tiling, srcM, m);
  WEFT_CANN_SET(tiling, srcK, k);
  WEFT_CANN_SET(tiling, srcSize, m * k);
  WEFT_CANN_SET(tiling, outMaxM, m);
  WEFT_CANN_SET(tiling, outMaxK, of_max);
  WEFT_CANN_SET(tiling, outMaxSize, m * of_max);
  WEFT_CANN_SET(tiling, splitM, rows);
  WEFT_CANN_SET(tiling, splitK, k);
  WEFT_CANN_SET(tiling, splitSize, rows * k);
  WEFT_CANN_SET(tiling, reduceM, rows);
  WEFT_CANN_SET(tiling, reduceK, of_max);
  WEFT_CANN_SET(tiling, reduceSize, rows * of_max);
  WEFT_CANN_SET(tiling, rangeM, m / rows);
  WEFT_CANN_SET(tiling, tailM, m % rows);
  WEFT_CANN_SET(tiling, tailSplitSize, m % rows * k);
  WEFT_CANN_SET(tiling, tailReduceSize, m % rows * of_max);
}
}  // namespace weft_sizes

template <typename Tiling>
void SoftMaxTilingFunc(const TensorShape &srcShape, const uint32_t dataTypeSize,
                       const uint32_t localWorkSpaceSize, Tiling &softmaxTiling) {
  weft_sizes::CutRows(srcShape, dataTypeSize, localWorkSpaceSize, softmaxTiling);
}
template <typename Tiling>
void LogSoftMaxTilingFunc(const TensorShape &srcShape, const uint32_t dataTypeSize,
                          const uint32_t localWorkSpaceSize, Tiling &softmaxTiling) {
  weft_sizes::CutRows(srcShape, dataTypeSize, localWorkSpaceSize, softmaxTiling);
}
template <typename Tiling>
void SoftMaxGradTilingFunc(const TensorShape &srcShape, const uint32_t dataTypeSize,
                           const uint32_t localWorkSpaceSize, Tiling &softmaxGradTiling, const bool = false) {
  weft_sizes::CutRows(srcShape, dataTypeSize, localWorkSpaceSize, softmaxGradTiling);
}
template <typename Tiling>
void SoftMaxFlashTilingFunc(const TensorShape &srcShape, const uint32_t dataTypeSize,
                            const uint32_t localWorkSpaceSize, Tiling &softmaxFlashTiling,
                            const bool = false) {
  weft_sizes::CutRows(srcShape, dataTypeSize, localWorkSpaceSize, softmaxFlashTiling);
}
template <typename Tiling>
void SoftMaxFlashV2TilingFunc(const TensorShape &srcShape, const uint32_t dataTypeSize1, const uint32_t,
                              const uint32_t localWorkSpaceSize, Tiling &softmaxFlashTiling, const bool,
                              const bool = false, const bool = false) {
  weft_sizes::CutRows(srcShape, dataTypeSize1, localWorkSpaceSize, softmaxFlashTiling);
}
// Rows of eight that are whole vectors.
template <typename Tiling>
bool IsBasicBlockInSoftMax(Tiling &tiling, const uint32_t dataTypeSize = 2) {
  uint32_t m = 0;
  uint32_t k = 0;
  if constexpr (weft_sizes::IsRecord<Tiling>::value) {
    m = tiling.get_srcM();
    k = tiling.get_srcK();
  } else {
    m = tiling.srcM;
    k = tiling.srcK;
  }
  const uint32_t step = static_cast<uint32_t>(weft_sizes::kVector) / std::max<uint32_t>(dataTypeSize, 1);
  return m && k && m % 8 == 0 && k % std::max<uint32_t>(step, 1) == 0;
}

// ---- norms ----

inline void GetLayerNormMaxMinTmpSize(const TensorShape &srcShape, const uint32_t typeSize,
                                      const bool isReuseSource, uint32_t &maxValue, uint32_t &minValue) {
  minValue =
      weft_sizes::Clipped((isReuseSource ? 2 : 3) *
                          weft_sizes::RoundUp(weft_sizes::LastDim(srcShape) * std::max<uint32_t>(typeSize, 4),
                                              weft_sizes::kVector));
  uint32_t least = 0;
  weft_sizes::OfFunction(srcShape, typeSize, isReuseSource, 3, maxValue, least);
  maxValue = std::max(maxValue, minValue);
}
inline void GetLayerNormMaxMinTmpSize(const TensorShape &srcShape, const uint32_t typeSize,
                                      const bool isReuseSource, const bool, const bool, uint32_t &maxValue,
                                      uint32_t &minValue) {
  GetLayerNormMaxMinTmpSize(srcShape, typeSize, isReuseSource, maxValue, minValue);
}
inline void GetRmsNormMaxMinTmpSize(const TensorShape &srcShape, const uint32_t typeSize, uint32_t &maxValue,
                                    uint32_t &minValue, const bool = false) {
  GetLayerNormMaxMinTmpSize(srcShape, typeSize, true, maxValue, minValue);
}
inline void GetNormalizeMaxMinTmpSize(const TensorShape &srcShape, const uint32_t typeSizeU,
                                      const uint32_t typeSizeT, const bool isReuseSource, const bool,
                                      const bool, uint32_t &maxValue, uint32_t &minValue) {
  GetLayerNormMaxMinTmpSize(srcShape, std::max(typeSizeU, typeSizeT), isReuseSource, maxValue, minValue);
}
inline void GetWelfordUpdateMaxMinTmpSize(const TensorShape &srcShape, const uint32_t typeSizeT,
                                          const uint32_t typeSizeU, const bool isReuseSource, const bool,
                                          uint32_t &maxValue, uint32_t &minValue) {
  weft_sizes::OfFunction(srcShape, std::max(typeSizeT, typeSizeU), isReuseSource, 2, maxValue, minValue);
}
inline void GetWelfordFinalizeMaxMinTmpSize(const TensorShape &srcShape, const uint32_t typeSize,
                                            const bool isReuseSource, uint32_t &maxValue,
                                            uint32_t &minValue) {
  weft_sizes::OfFunction(srcShape, typeSize, isReuseSource, 2, maxValue, minValue);
}

namespace weft_sizes {
inline uint64_t DimOr1(const ge::Shape &shape, size_t from_last) {
  const size_t rank = shape.GetDimNum();
  const int64_t dim = from_last < rank ? shape.GetDim(rank - 1 - from_last) : 1;
  return dim > 0 ? static_cast<uint64_t>(dim) : 1;
}
// Pieces of whole rows for three buffers of the stack's bytes.
inline uint64_t RowsAtOnce(const ge::Shape &shape, uint32_t stack) {
  const uint64_t row = 3 * RoundUp(LastDim(shape) * 4, ONE_BLK_SIZE);
  const uint64_t rows = std::max<uint64_t>(ElementsOf(shape) / LastDim(shape), 1);
  return std::min(std::max<uint64_t>(stack / row, 1), rows);
}
}  // namespace weft_sizes

// [B, S, H]; `stackBufferSize` in elements of four bytes.
template <typename Tiling>
void GetLayerNormNDTilingInfo(const TensorShape &srcShape, const uint32_t stackBufferSize, const uint32_t,
                              const bool, Tiling &tiling) {
  const uint64_t b = weft_sizes::DimOr1(srcShape, 2);
  const uint64_t s = weft_sizes::DimOr1(srcShape, 1);
  const uint64_t h = weft_sizes::DimOr1(srcShape, 0);
  const uint64_t rows = weft_sizes::RowsAtOnce(srcShape, stackBufferSize);
  WEFT_CANN_SET(tiling, bLength, b);
  WEFT_CANN_SET(tiling, sLength, s);
  WEFT_CANN_SET(tiling, hLength, h);
  WEFT_CANN_SET(tiling, originalHLength, h);
  WEFT_CANN_SET(tiling, inputXSize, b * s * h);
  WEFT_CANN_SET(tiling, meanVarSize, b * s);
  WEFT_CANN_SET(tiling, tmpBufSize, stackBufferSize / 4);
  WEFT_CANN_SET(tiling, oneTmpSize, rows * h);
  WEFT_CANN_SET(tiling, loopRound, b * s / rows);
  WEFT_CANN_SET(tiling, bshCurLength, rows * h);
  WEFT_CANN_SET(tiling, bsCurLength, rows);
}
template <typename Tiling>
void GetLayerNormNDTilingInfo(const TensorShape &srcShape, const uint32_t stackBufferSize, const uint32_t,
                              const bool, const bool, Tiling &tiling) {
  const uint64_t r = weft_sizes::DimOr1(srcShape, 0);
  const uint64_t a = std::max<uint64_t>(weft_sizes::ElementsOf(srcShape) / r, 1);
  const uint64_t rows = weft_sizes::RowsAtOnce(srcShape, stackBufferSize);
  WEFT_CANN_SET(tiling, aLength, a);
  WEFT_CANN_SET(tiling, rLength, r);
  WEFT_CANN_SET(tiling, inputXSize, a * r);
  WEFT_CANN_SET(tiling, meanVarSize, a);
  WEFT_CANN_SET(tiling, tmpBufSize, stackBufferSize / 4);
  WEFT_CANN_SET(tiling, oneTmpSize, rows * r);
  WEFT_CANN_SET(tiling, loopRound, a / rows);
  WEFT_CANN_SET(tiling, arCurLength, rows * r);
  WEFT_CANN_SET(tiling, aCurLength, rows);
}
template <typename Tiling>
bool GetRmsNormTilingInfo(const TensorShape &srcShape, const TensorShape &,
                          const uint32_t stackBufferByteSize, const uint32_t, Tiling &tiling,
                          const bool = false) {
  WEFT_CANN_SET(tiling, bLength, weft_sizes::DimOr1(srcShape, 2));
  WEFT_CANN_SET(tiling, sLength, weft_sizes::DimOr1(srcShape, 1));
  WEFT_CANN_SET(tiling, hLength, weft_sizes::DimOr1(srcShape, 0));
  WEFT_CANN_SET(tiling, originalHLength, weft_sizes::DimOr1(srcShape, 0));
  WEFT_CANN_SET(tiling, loopRound,
                weft_sizes::ElementsOf(srcShape) / weft_sizes::LastDim(srcShape) /
                    weft_sizes::RowsAtOnce(srcShape, stackBufferByteSize));
  return true;
}

// ---- layouts ----

struct TransDataConfig {
  DataFormat srcFormat;
  DataFormat dstFormat;
};
inline bool GetTransDataMaxMinTmpSize(const platform_ascendc::PlatformAscendC &, const TensorShape &srcShape,
                                      const TensorShape &dstShape, const TensorDataType dataType,
                                      const TransDataConfig &, uint32_t &maxValue, uint32_t &minValue) {
  const uint32_t size = weft_sizes::SizeOfType(dataType);
  const uint64_t bytes = std::max(weft_sizes::BytesOf(srcShape, size), weft_sizes::BytesOf(dstShape, size));
  weft_sizes::Between(bytes, 1, maxValue, minValue);
  return bytes != 0;
}
// The dims, and how they are permuted; what a kernel makes of the others it computes.
template <typename Tiling>
void GetConfusionTransposeTilingInfo(const TensorShape &srcShape, const uint32_t, const uint32_t typeSize,
                                     const uint32_t transposeTypeIn, Tiling &tiling) {
  const uint32_t numbers[] = {transposeTypeIn,
                              weft_sizes::Clipped(weft_sizes::DimOr1(srcShape, 3)),
                              weft_sizes::Clipped(weft_sizes::DimOr1(srcShape, 2)),
                              weft_sizes::Clipped(weft_sizes::DimOr1(srcShape, 1)),
                              weft_sizes::Clipped(weft_sizes::DimOr1(srcShape, 0)),
                              typeSize};
  if constexpr (weft_sizes::IsRecord<Tiling>::value) {
    tiling.set_param0(numbers[0]);
    tiling.set_param1(numbers[1]);
    tiling.set_param2(numbers[2]);
    tiling.set_param3(numbers[3]);
    tiling.set_param4(numbers[4]);
    tiling.set_param5(numbers[5]);
  } else {
    tiling.param0 = numbers[0];
    tiling.param1 = numbers[1];
    tiling.param2 = numbers[2];
    tiling.param3 = numbers[3];
    tiling.param4 = numbers[4];
    tiling.param5 = numbers[5];
  }
}
}  // namespace AscendC
#undef WEFT_CANN_SET
// SPDX-License-Identifier: Apache-2.0
