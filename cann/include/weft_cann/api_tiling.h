// weft_cann/api_tiling.h - how much scratch memory the vector library's functions want, and the tilings of
// those that work in pieces. The numbers are weft's: enough for an implementation that keeps every
// intermediate as a vector of floats, which is not what the toolkit's need is; nobody can read that anywhere.
#pragma once
#include <algorithm>
#include <limits>

#include "weft_cann/api_tiling_data.h"
#include "weft_cann/graph_types.h"
#include "weft_cann/platform_ascendc.h"

namespace AscendC {
using TensorShape = ge::Shape;
using TensorDataType = ge::DataType;
constexpr uint32_t BLOCK_CUBE = 16;
constexpr uint32_t ONE_BLK_SIZE = 32;

namespace weft_sizes {
constexpr uint64_t kVector = 256;  // bytes that an instruction takes at once
inline uint32_t Clipped(uint64_t value) {
  return static_cast<uint32_t>(std::min<uint64_t>(value, std::numeric_limits<uint32_t>::max()));
}
inline uint64_t RoundUp(uint64_t value, uint64_t step) {
  return (value + step - 1) / step * step;
}
// 0: a dim is unknown, or too many elements.
inline uint64_t ElementsOf(const ge::Shape &shape) {
  const int64_t n = shape.GetDimNum() ? shape.GetShapeSize() : 1;
  return n > 0 && n < (int64_t{1} << 40) ? static_cast<uint64_t>(n) : 0;
}
inline uint64_t BytesOf(const ge::Shape &shape, uint32_t type_size) {
  return RoundUp(ElementsOf(shape) * std::max<uint32_t>(type_size, 1), ONE_BLK_SIZE);
}
inline uint64_t LastDim(const ge::Shape &shape) {
  const int64_t dim = shape.GetDimNum() ? shape.GetDim(shape.GetDimNum() - 1) : 1;
  return dim > 0 ? static_cast<uint64_t>(dim) : 1;
}
inline uint32_t SizeOfType(ge::DataType type) {
  const int bytes = ge::GetSizeByDataType(type);
  return bytes > 0 && bytes <= 16 ? static_cast<uint32_t>(bytes) : 4;
}
// `live` vectors at least, and at most as many copies of the whole.
inline void Between(uint64_t bytes, uint64_t live, uint32_t &most, uint32_t &least) {
  least = Clipped(live * kVector);
  most = std::max(least, Clipped(live * RoundUp(bytes, kVector)));
}
inline void OfFunction(const ge::Shape &shape, uint32_t type_size, bool reuse, uint64_t live, uint32_t &most,
                       uint32_t &least) {
  const uint64_t as_float = std::max<uint32_t>(type_size, 4);
  Between(ElementsOf(shape) * as_float, live - (reuse && live > 1 ? 1 : 0), most, least);
}
}  // namespace weft_sizes

// Functions of one operand. `live`: how many vectors of intermediates weft's assumption is.
#define WEFT_CANN_SIZES(name, live)                                                                        \
  inline bool Get##name##MaxMinTmpSize(const TensorShape &srcShape, const uint32_t typeSize,               \
                                       const bool isReuseSource, uint32_t &maxValue, uint32_t &minValue) { \
    weft_sizes::OfFunction(srcShape, typeSize, isReuseSource, live, maxValue, minValue);                   \
    return true;                                                                                           \
  }                                                                                                        \
  inline void Get##name##TmpBufferFactorSize(const uint32_t typeSize, uint32_t &maxLiveNodeCount,          \
                                             uint32_t &extraBuf) {                                         \
    maxLiveNodeCount = (live) * (typeSize < 4 ? 2 : 1);                                                    \
    extraBuf = static_cast<uint32_t>(weft_sizes::kVector);                                                 \
  }
WEFT_CANN_SIZES(Acos, 4)
WEFT_CANN_SIZES(Acosh, 3)
WEFT_CANN_SIZES(Asin, 4)
WEFT_CANN_SIZES(Asinh, 4)
WEFT_CANN_SIZES(Atan, 5)
WEFT_CANN_SIZES(Atanh, 3)
WEFT_CANN_SIZES(Ceil, 2)
WEFT_CANN_SIZES(Cos, 5)
WEFT_CANN_SIZES(Cosh, 3)
WEFT_CANN_SIZES(Digamma, 8)
WEFT_CANN_SIZES(Erf, 4)
WEFT_CANN_SIZES(Erfc, 6)
WEFT_CANN_SIZES(Exp, 4)
WEFT_CANN_SIZES(Floor, 2)
WEFT_CANN_SIZES(Fmod, 2)
WEFT_CANN_SIZES(Frac, 2)
WEFT_CANN_SIZES(Gelu, 3)
WEFT_CANN_SIZES(Lgamma, 8)
WEFT_CANN_SIZES(Log, 2)
WEFT_CANN_SIZES(Log10, 2)
WEFT_CANN_SIZES(Log2, 2)
WEFT_CANN_SIZES(Round, 2)
WEFT_CANN_SIZES(Sigmoid, 2)
WEFT_CANN_SIZES(Sign, 3)
WEFT_CANN_SIZES(Silu, 2)
WEFT_CANN_SIZES(Sin, 5)
WEFT_CANN_SIZES(Sinh, 3)
WEFT_CANN_SIZES(Swish, 2)
WEFT_CANN_SIZES(Tan, 6)
WEFT_CANN_SIZES(Tanh, 3)
WEFT_CANN_SIZES(Trunc, 2)
#undef WEFT_CANN_SIZES

enum class CosAlgo { POLYNOMIAL_APPROXIMATION = 0, RADIAN_REDUCTION = 1 };
enum class SinAlgo { POLYNOMIAL_APPROXIMATION = 0, RADIAN_REDUCTION = 1 };
struct CosConfig {
  CosAlgo algo = CosAlgo::POLYNOMIAL_APPROXIMATION;
};
struct SinConfig {
  SinAlgo algo = SinAlgo::POLYNOMIAL_APPROXIMATION;
};
inline void GetCosMaxMinTmpSize(const CosConfig &, const TensorShape &srcShape, const uint32_t typeSize,
                                const bool isReuseSource, uint32_t &maxValue, uint32_t &minValue) {
  GetCosMaxMinTmpSize(srcShape, typeSize, isReuseSource, maxValue, minValue);
}
inline void GetSinMaxMinTmpSize(const SinConfig &, const TensorShape &srcShape, const uint32_t typeSize,
                                const bool isReuseSource, uint32_t &maxValue, uint32_t &minValue) {
  GetSinMaxMinTmpSize(srcShape, typeSize, isReuseSource, maxValue, minValue);
}
inline void GetCumSumMaxMinTmpSize(const TensorShape &srcShape, const uint32_t typeSize,
                                   const bool isLastAxis, const bool isReuseSource, uint32_t &maxValue,
                                   uint32_t &minValue) {
  weft_sizes::OfFunction(srcShape, typeSize, isReuseSource, isLastAxis ? 3 : 2, maxValue, minValue);
}
inline void GetPowerMaxMinTmpSize(const TensorShape &srcShape1, const TensorShape &srcShape2,
                                  const bool typeIsInt, const uint32_t typeSize, const bool isReuseSource,
                                  uint32_t &maxValue, uint32_t &minValue) {
  const bool first = weft_sizes::ElementsOf(srcShape1) > weft_sizes::ElementsOf(srcShape2);
  weft_sizes::OfFunction(first ? srcShape1 : srcShape2, typeSize, isReuseSource, typeIsInt ? 6 : 8, maxValue,
                         minValue);
}
inline void GetPowerTmpBufferFactorSize(const bool baseIsTensor, const bool expIsTensor, const bool typeIsInt,
                                        const uint32_t typeSize, uint32_t &maxLiveNodeCount,
                                        uint32_t &extraBuffer) {
  maxLiveNodeCount = (typeIsInt ? 5 : 7) * (typeSize < 4 ? 2 : 1) + (baseIsTensor && expIsTensor ? 1 : 0);
  extraBuffer = static_cast<uint32_t>(weft_sizes::kVector);
}
inline uint32_t GetDropOutMinTmpSize(const TensorShape &, const uint32_t, const bool) {
  return static_cast<uint32_t>(2 * weft_sizes::kVector);
}
inline uint32_t GetDropOutMaxTmpSize(const TensorShape &srcShape, const uint32_t typeSize,
                                     const bool isReuseSource) {
  uint32_t most = 0;
  uint32_t least = 0;
  weft_sizes::OfFunction(srcShape, typeSize, isReuseSource, 2, most, least);
  return most;
}
inline void GetBroadCastMaxMinTmpSize(const platform_ascendc::PlatformAscendC &, const TensorShape &srcShape,
                                      const TensorShape &dstShape, uint32_t typeSize,
                                      const bool isReuseSource, uint32_t &maxValue, uint32_t &minValue) {
  const bool grows = weft_sizes::ElementsOf(dstShape) > weft_sizes::ElementsOf(srcShape);
  weft_sizes::OfFunction(grows ? dstShape : srcShape, typeSize, isReuseSource, 2, maxValue, minValue);
}
inline void GetAscendQuantMaxMinTmpSize(const TensorShape &srcShape, const uint32_t typeSize,
                                        uint32_t &maxValue, uint32_t &minValue) {
  weft_sizes::OfFunction(srcShape, typeSize, false, 2, maxValue, minValue);
}
inline void GetAscendDequantMaxMinTmpSize(const TensorShape &srcShape, const uint32_t typeSize,
                                          uint32_t &maxValue, uint32_t &minValue) {
  weft_sizes::OfFunction(srcShape, typeSize, false, 4, maxValue, minValue);
}
inline void GetAscendAntiQuantMaxMinTmpSize(const TensorShape &srcShape, const TensorShape &scaleShape, bool,
                                            TensorDataType, TensorDataType, uint32_t &maxValue,
                                            uint32_t &minValue) {
  const uint64_t bytes = weft_sizes::BytesOf(srcShape, 4) + 2 * weft_sizes::BytesOf(scaleShape, 4);
  weft_sizes::Between(bytes, 2, maxValue, minValue);
}
inline void GetSelectWithBytesMaskMaxMinTmpSize(const TensorShape &src0Shape, const TensorShape &src1Shape,
                                                const uint32_t srcTypeSize, const TensorShape &maskShape,
                                                const uint32_t maskTypeSize, const bool isReuseMask,
                                                uint32_t &maxValue, uint32_t &minValue) {
  const uint64_t bytes =
      std::max({weft_sizes::BytesOf(src0Shape, srcTypeSize), weft_sizes::BytesOf(src1Shape, srcTypeSize),
                weft_sizes::BytesOf(maskShape, maskTypeSize)});
  weft_sizes::Between(bytes, isReuseMask ? 2 : 3, maxValue, minValue);
}
inline uint32_t GetSelectWithBytesMaskMinTmpSize(const TensorShape &src0Shape, const TensorShape &src1Shape,
                                                 const uint32_t srcTypeSize, const TensorShape &maskShape,
                                                 const uint32_t maskTypeSize, const bool isReuseMask) {
  uint32_t most = 0;
  uint32_t least = 0;
  GetSelectWithBytesMaskMaxMinTmpSize(src0Shape, src1Shape, srcTypeSize, maskShape, maskTypeSize, isReuseMask,
                                      most, least);
  return least;
}
inline uint32_t GetSelectWithBytesMaskMaxTmpSize(const TensorShape &src0Shape, const TensorShape &src1Shape,
                                                 const uint32_t srcTypeSize, const TensorShape &maskShape,
                                                 const uint32_t maskTypeSize, const bool isReuseMask) {
  uint32_t most = 0;
  uint32_t least = 0;
  GetSelectWithBytesMaskMaxMinTmpSize(src0Shape, src1Shape, srcTypeSize, maskShape, maskTypeSize, isReuseMask,
                                      most, least);
  return most;
}

// ---- reductions ----

enum class ReducePattern : uint32_t {
  AR = 0,
  RA = 1,
  R = 2,
  ARA = 3,
  ARAR = 4,
  ARARA = 5,
  ARARAR = 6,
  ARARARA = 7,
  ARARARAR = 8,
  ARARARARA = 9,
  RAR = 10,
  RARA = 11,
  RARAR = 12,
  RARARA = 13,
  RARARAR = 14,
  RARARARA = 15,
};
#define WEFT_CANN_REDUCE_SIZES(name)                                                                         \
  inline void GetReduce##name##MaxMinTmpSize(const TensorShape &srcShape, const TensorDataType dataType,     \
                                             ReducePattern, bool isSrcInnerPad, bool isReuseSource,          \
                                             uint32_t &maxValue, uint32_t &minValue) {                       \
    weft_sizes::OfFunction(srcShape, weft_sizes::SizeOfType(dataType), isReuseSource, isSrcInnerPad ? 2 : 3, \
                           maxValue, minValue);                                                              \
  }
WEFT_CANN_REDUCE_SIZES(All)
WEFT_CANN_REDUCE_SIZES(Any)
WEFT_CANN_REDUCE_SIZES(Max)
WEFT_CANN_REDUCE_SIZES(Mean)
WEFT_CANN_REDUCE_SIZES(Min)
WEFT_CANN_REDUCE_SIZES(Prod)
WEFT_CANN_REDUCE_SIZES(Sum)
WEFT_CANN_REDUCE_SIZES(XorSum)
#undef WEFT_CANN_REDUCE_SIZES
inline void GetSumMaxMinTmpSize(const uint32_t n, const uint32_t typeSize, const bool, uint32_t &maxValue,
                                uint32_t &minValue) {
  weft_sizes::Between(static_cast<uint64_t>(n) * std::max<uint32_t>(typeSize, 4), 1, maxValue, minValue);
}
inline void GetMeanMaxMinTmpSize(const uint32_t n, const uint32_t typeSize, const uint32_t accTypeSize,
                                 const bool isReuseSource, uint32_t &maxValue, uint32_t &minValue) {
  GetSumMaxMinTmpSize(n, std::max(typeSize, accTypeSize), isReuseSource, maxValue, minValue);
}

// ---- sorting ----

enum class SortType { RADIX_SORT = 0, MERGE_SORT = 1 };
struct SortConfig {
  SortType type = SortType::RADIX_SORT;
  bool isDescend = false;
  bool hasSrcIndex = false;
  bool hasDstIndex = false;
};
// Values and places, twice: from one to the other and back; and the counts of a radix.
inline void GetSortMaxMinTmpSize(const TensorShape &srcShape, TensorDataType valueType,
                                 TensorDataType indexType, bool isReuseSource, const SortConfig &config,
                                 uint32_t &maxValue, uint32_t &minValue) {
  const uint64_t n = weft_sizes::ElementsOf(srcShape);
  const uint64_t of_index = config.hasDstIndex || config.hasSrcIndex ? weft_sizes::SizeOfType(indexType) : 4;
  const uint64_t bytes = n * (weft_sizes::SizeOfType(valueType) + of_index) * (isReuseSource ? 1 : 2);
  minValue = weft_sizes::Clipped(weft_sizes::RoundUp(bytes, weft_sizes::kVector) + 8 * weft_sizes::kVector);
  maxValue = minValue;
}
// A pair of value and place is eight bytes.
inline uint32_t GetSortTmpSize(const platform_ascendc::PlatformAscendC &, const uint32_t elemCount,
                               const uint32_t dataTypeSize) {
  return weft_sizes::Clipped(static_cast<uint64_t>(elemCount) * 8 * (dataTypeSize > 4 ? 2 : 1));
}
inline uint32_t GetConcatTmpSize(const platform_ascendc::PlatformAscendC &platform, const uint32_t elemCount,
                                 const uint32_t dataTypeSize) {
  return GetSortTmpSize(platform, elemCount, dataTypeSize);
}
// How many bytes elements take as pairs, and how many pairs lie in bytes.
inline uint32_t GetSortOffset(const platform_ascendc::PlatformAscendC &, const uint32_t elemOffset,
                              const uint32_t) {
  return weft_sizes::Clipped(static_cast<uint64_t>(elemOffset) * 8);
}
inline uint32_t GetSortLen(const platform_ascendc::PlatformAscendC &platform, const uint32_t elemCount,
                           const uint32_t dataTypeSize) {
  return GetSortOffset(platform, elemCount, dataTypeSize);
}

enum class TopKAlgo { RADIX_SELECT = 0, MERGE_SORT = 1 };
enum class TopKMode { TOPK_NORMAL = 0, TOPK_NSMALL = 1 };
enum class TopKOrder { UNSET = 0, LARGEST = 1, SMALLEST = 2 };
struct TopKConfig {
  TopKAlgo algo = TopKAlgo::MERGE_SORT;
  TopKOrder order = TopKOrder::UNSET;
  bool sorted = true;
};
// false: there is nothing to choose from.
inline bool GetTopKMaxMinTmpSize(const platform_ascendc::PlatformAscendC &, const int32_t inner,
                                 const int32_t outter, const bool isReuseSource, const bool isInitIndex,
                                 enum TopKMode, const bool, const uint32_t dataTypeSize, uint32_t &maxValue,
                                 uint32_t &minValue) {
  if (inner <= 0 || outter <= 0)
    return false;
  const uint64_t pairs = static_cast<uint64_t>(inner) * static_cast<uint64_t>(outter);
  const uint64_t of_pair = std::max<uint32_t>(dataTypeSize, 4) + 4;
  const uint64_t bytes = pairs * of_pair * (isReuseSource ? 1 : 2) + (isInitIndex ? 0 : pairs * 4);
  minValue = weft_sizes::Clipped(weft_sizes::RoundUp(bytes, weft_sizes::kVector));
  maxValue = minValue;
  return true;
}
inline bool GetTopKMaxMinTmpSize(const int32_t inner, const int32_t outter, const int32_t k,
                                 const bool isReuseSource, const bool isInitIndex, enum TopKMode, const bool,
                                 TensorDataType dataType, const TopKConfig &, uint32_t &maxValue,
                                 uint32_t &minValue) {
  if (inner <= 0 || outter <= 0 || k <= 0)
    return false;
  const uint64_t pairs = static_cast<uint64_t>(inner) * static_cast<uint64_t>(outter);
  const uint64_t of_pair = weft_sizes::SizeOfType(dataType) + (isInitIndex ? 4 : 8);
  minValue = weft_sizes::Clipped(
      weft_sizes::RoundUp(pairs * of_pair * (isReuseSource ? 1 : 2), weft_sizes::kVector) +
      8 * weft_sizes::kVector);
  maxValue = minValue;
  return true;
}

namespace weft_sizes {
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
  if constexpr (std::is_base_of<optiling::TilingDef, Tiling>::value) {
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

enum class DataFormat : uint8_t {
  ND = 0,
  NZ = 1,
  NCHW = 2,
  NC1HWC0 = 3,
  NHWC = 4,
  NCDHW = 5,
  NDC1HWC0 = 6,
  FRACTAL_Z_3D = 7
};
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
  if constexpr (std::is_base_of<optiling::TilingDef, Tiling>::value) {
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
