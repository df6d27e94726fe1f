// weft_cann/api_sizes.h - how much scratch memory the vector library's functions want. The numbers are
// weft's: enough for an implementation that keeps every intermediate as a vector of floats, which is not what
// the toolkit's need is; nobody can read that anywhere.
#pragma once
#include <algorithm>
#include <limits>

#include "weft_cann/api_tiling_data.h"
#include "weft_cann/asc_words.h"
#include "weft_cann/graph_types.h"
#include "weft_cann/platform_ascendc.h"

namespace AscendC {
using TensorShape = ge::Shape;
using TensorDataType = ge::DataType;

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
}  // namespace AscendC
// SPDX-License-Identifier: Apache-2.0
