// weft_cann/asc_types.h - the words, numbers and parameter structs of Ascend C kernels. half and bfloat16_t
// are numbers of 16 bits that compute as floats and round once, to the nearest, ties to even.
#pragma once
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <tuple>
#include <type_traits>
#include <utility>

#include "weft_cann/asc_core.h"
#include "weft_cann/asc_words.h"
#include "weft_cann/half.h"

#undef __aicore__
#undef __global__
#define __aicore__
#ifdef WEFT_ASCC  // weft-ascc looks for the word, and takes it out
#define __global__ __weft_kernel__
#else
#define __global__
#endif
#define __gm__
#define __ubuf__
#define __cbuf__
#define __ca__
#define __cb__
#define __cc__
#define __fbuf__
#define __ssbuf__
#define __cube__
#define __vector__
#define __mix__(...)
#define __sync_noalias__
#define __sync_alias__
#define __check_sync_alias__
#define __schedmode__(...)
#ifndef __inout_pipe__
#define __inout_pipe__(...)
#endif
#define __WEFT_ASC__ 1
#ifndef WEFT_ASC_ARCH  // of --npu-arch=dav-2201
#define WEFT_ASC_ARCH 2201
#endif
#ifndef __NPU_ARCH__
#define __NPU_ARCH__ WEFT_ASC_ARCH
#endif
#ifndef __CCE_AICORE__
#if WEFT_ASC_ARCH == 3510
#define __CCE_AICORE__ 310
#elif WEFT_ASC_ARCH == 2002
#define __CCE_AICORE__ 200
#elif WEFT_ASC_ARCH == 1001
#define __CCE_AICORE__ 100
#else
#define __CCE_AICORE__ 220
#endif
#endif

using GM_ADDR = uint8_t *;

namespace weft_asc {
// The place of a call, as the last argument of what kernels call.
constexpr weft_asc_at Here(const char *file = __builtin_FILE(), int line = __builtin_LINE()) {
  return {file, line};
}
// A type that is not deduced: a scalar takes the type of its tensor.
template <typename T>
struct SameOf {
  using type = T;
};
template <typename T>
using Same = typename SameOf<T>::type;
}  // namespace weft_asc

// A floating-point number of 16 bits: how it is made from a float, and a float from it.
#define WEFT_ASC_SMALL_FLOAT(name, Of, To)                                                            \
  class name {                                                                                        \
   public:                                                                                            \
    name() = default;                                                                                 \
    template <typename T, typename std::enable_if<std::is_arithmetic<T>::value, int>::type = 0>       \
    WEFT_HALF_CONSTEXPR name(T value) : bits_(Ops::Base::half_bits::Of(static_cast<float>(value))) {} \
    WEFT_HALF_CONSTEXPR operator float() const { return Ops::Base::half_bits::To(bits_); }            \
    template <typename T>                                                                             \
    name &operator+=(const T &x) {                                                                    \
      return *this = name(static_cast<float>(*this) + static_cast<float>(x));                         \
    }                                                                                                 \
    template <typename T>                                                                             \
    name &operator-=(const T &x) {                                                                    \
      return *this = name(static_cast<float>(*this) - static_cast<float>(x));                         \
    }                                                                                                 \
    template <typename T>                                                                             \
    name &operator*=(const T &x) {                                                                    \
      return *this = name(static_cast<float>(*this) * static_cast<float>(x));                         \
    }                                                                                                 \
    template <typename T>                                                                             \
    name &operator/=(const T &x) {                                                                    \
      return *this = name(static_cast<float>(*this) / static_cast<float>(x));                         \
    }                                                                                                 \
    name operator-() const { return OfBits(static_cast<uint16_t>(bits_ ^ 0x8000)); }                  \
    name &operator++() { return *this += 1; }                                                         \
    name &operator--() { return *this -= 1; }                                                         \
    uint16_t Bits() const { return bits_; }                                                           \
    static name OfBits(uint16_t bits) {                                                               \
      name x;                                                                                         \
      x.bits_ = bits;                                                                                 \
      return x;                                                                                       \
    }                                                                                                 \
                                                                                                      \
   private:                                                                                           \
    uint16_t bits_;                                                                                   \
  };                                                                                                  \
  static_assert(sizeof(name) == 2 && std::is_trivially_copyable<name>::value, "16 bits, copied as bytes");
WEFT_ASC_SMALL_FLOAT(half, Fp16Of, OfFp16)
#ifndef WEFT_CANN_BFLOAT16_T
#define WEFT_CANN_BFLOAT16_T
WEFT_ASC_SMALL_FLOAT(bfloat16_t, Bf16Of, OfBf16)
#endif
#undef WEFT_ASC_SMALL_FLOAT
using float16_t = half;
struct int4b_t {  // two of them share a byte
  uint8_t bits;
};

enum pipe_t {
  PIPE_S = WEFT_ASC_PIPE_S,
  PIPE_V = WEFT_ASC_PIPE_V,
  PIPE_M = WEFT_ASC_PIPE_M,
  PIPE_MTE1 = WEFT_ASC_PIPE_MTE1,
  PIPE_MTE2 = WEFT_ASC_PIPE_MTE2,
  PIPE_MTE3 = WEFT_ASC_PIPE_MTE3,
  PIPE_ALL = WEFT_ASC_PIPE_ALL,
  PIPE_FIX = WEFT_ASC_PIPE_FIX,
};
enum event_t {
  EVENT_ID0,
  EVENT_ID1,
  EVENT_ID2,
  EVENT_ID3,
  EVENT_ID4,
  EVENT_ID5,
  EVENT_ID6,
  EVENT_ID7,
  EVENT_ID_MAX
};

namespace AscendC {
namespace Std {
using std::conditional;
using std::conditional_t;
using std::enable_if;
using std::enable_if_t;
using std::false_type;
using std::integral_constant;
using std::is_base_of;
using std::is_const;
using std::is_convertible;
using std::is_floating_point;
using std::is_integral;
using std::is_same;
template <typename T, typename U>
using IsSame = std::is_same<T, U>;
using std::is_same_v;
using std::make_tuple;
using std::max;
using std::min;
using std::remove_cv;
using std::remove_reference;
using std::true_type;
using std::tuple;
template <size_t i, typename... T>
constexpr decltype(auto) get(std::tuple<T...> &t) {
  return std::get<i>(t);
}
template <size_t i, typename... T>
constexpr decltype(auto) get(const std::tuple<T...> &t) {
  return std::get<i>(t);
}
template <typename T>
T sqrt(const T src) {
  using Number = std::conditional_t<std::is_arithmetic<T>::value, T, float>;
  return static_cast<T>(std::sqrt(static_cast<Number>(src)));
}
template <typename T>
using tuple_size = std::tuple_size<T>;
template <size_t i, typename T>
using tuple_element = std::tuple_element<i, T>;
}  // namespace Std

using ::int4b_t;
using TEventID = int8_t;
using MutexID = uint8_t;
using TTagType = int32_t;

enum class TPosition : uint8_t {
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
  C2PIPE2GM = 14,
  C2PIPE2LOCAL = 15,
  MAX = 16
};
using QuePosition = TPosition;
enum class Hardware : uint8_t { GM, UB, L1, L0A, L0B, L0C, BIAS, FIXBUF, MAX };
enum class RoundMode {
  UNKNOWN = -1,
  CAST_NONE = 0,
  CAST_RINT = 1,
  CAST_FLOOR = 2,
  CAST_CEIL = 3,
  CAST_ROUND = 4,
  CAST_TRUNC = 5,
  CAST_ODD = 6,
  CAST_HYBRID = 7
};
enum class CMPMODE : uint8_t { LT, GT, EQ, LE, GE, NE };
enum class SELMODE : uint8_t { VSEL_CMPMASK_SPR, VSEL_TENSOR_SCALAR_MODE, VSEL_TENSOR_TENSOR_MODE };
enum class MaskMode : uint8_t { NORMAL, COUNTER };
enum class ReduceType { NONE = -1, SUM = 0, MAX = 1, MIN = 2 };
enum class ReduceOrder {
  ORDER_VALUE_INDEX,
  ORDER_INDEX_VALUE,
  ORDER_ONLY_VALUE,
  ORDER_ONLY_INDEX,
  // the compiler's own words, as Order_t
  VALUE_INDEX = ORDER_VALUE_INDEX,
  INDEX_VALUE = ORDER_INDEX_VALUE,
  ONLY_VALUE = ORDER_ONLY_VALUE,
  ONLY_INDEX = ORDER_ONLY_INDEX,
};
using Order_t = ReduceOrder;
enum class CacheMode { CACHE_MODE_DISABLE, CACHE_MODE_NORMAL, CACHE_MODE_LAST, CACHE_MODE_PERSISTENT };
enum class CacheRwMode { READ = 1, WRITE = 2, RW = 3 };
enum class CacheLine { SINGLE_CACHE_LINE, ENTIRE_DATA_CACHE };
enum class DcciDst { CACHELINE_ALL, CACHELINE_UB, CACHELINE_OUT, CACHELINE_ATOMIC };
enum class MemDsbT { ALL, DDR, UB, SEQ };
enum class PaddingMode { Normal, Compact };
enum class AtomicDtype {
  ATOMIC_NONE,
  ATOMIC_F32,
  ATOMIC_F16,
  ATOMIC_S16,
  ATOMIC_S32,
  ATOMIC_S8,
  ATOMIC_BF16
};
enum class AtomicOp { ATOMIC_SUM };
constexpr int32_t AIC = 1;
constexpr int32_t AIV = 2;

// X_Y: what Y does after the flag comes after what X did before it.
#define WEFT_ASC_EVENTS(E) \
  E(MTE2_V)                \
  E(MTE3_V)                \
  E(V_MTE2)                \
  E(V_MTE3)                \
  E(S_V)                   \
  E(V_S)                   \
  E(S_MTE2)                \
  E(S_MTE3)                \
  E(MTE2_S)                \
  E(MTE3_S)                \
  E(MTE2_MTE3)             \
  E(MTE3_MTE2)             \
  E(MTE2_MTE1)             \
  E(MTE1_MTE2)             \
  E(MTE1_M)                \
  E(M_MTE1)                \
  E(M_V)                   \
  E(V_M)                   \
  E(M_FIX)                 \
  E(FIX_M)                 \
  E(FIX_MTE2)              \
  E(FIX_MTE3)              \
  E(MTE3_MTE1)             \
  E(MTE1_MTE3)             \
  E(MTE2_M)                \
  E(M_MTE2)                \
  E(FIX_S)                 \
  E(S_FIX)                 \
  E(M_S)                   \
  E(S_M)                   \
  E(MTE1_V)                \
  E(V_MTE1)                \
  E(MTE2_FIX)              \
  E(FIX_V)                 \
  E(V_FIX)                 \
  E(MTE1_FIX)              \
  E(FIX_MTE1)              \
  E(MTE3_FIX)              \
  E(S_MTE1)                \
  E(MTE1_S)                \
  E(MTE1_MTE1)             \
  E(MTE2_MTE2)             \
  E(MTE3_MTE3)             \
  E(V_V)
enum class HardEvent : uint8_t {
#define WEFT_ASC_EVENT(name) name,
  WEFT_ASC_EVENTS(WEFT_ASC_EVENT)
#undef WEFT_ASC_EVENT
      MAX
};

constexpr uint32_t DEFAULT_BLK_NUM = 8;
constexpr uint32_t DEFAULT_BLK_SIZE = 32;
constexpr uint32_t DEFAULT_C0_SIZE = 32;
constexpr uint8_t DEFAULT_BLK_STRIDE = 1;
constexpr uint8_t DEFAULT_REPEAT_STRIDE = 8;
constexpr uint8_t DEFAULT_REPEAT_TIME = 1;
constexpr int32_t MAX_REPEAT_TIMES = 255;
constexpr int32_t ONE_REPEAT_BYTE_SIZE = 256;
constexpr int32_t CUBE_MAX_SIZE = 256;
constexpr uint16_t DEFAULT_DATA_COPY_NBURST = 1;
constexpr uint16_t DEFAULT_DATA_COPY_STRIDE = 0;
constexpr uint64_t FULL_MASK = ~0ull;
constexpr int32_t MASK_PLACEHOLDER = 0;
constexpr int32_t B16_BYTE_SIZE = 2;
constexpr int32_t B32_BYTE_SIZE = 4;

// Parameters of instructions. Block and repeat strides are 32-byte blocks.
struct UnaryRepeatParams {
  UnaryRepeatParams() {}
  UnaryRepeatParams(const uint16_t dstBlkStrideIn, const uint16_t srcBlkStrideIn,
                    const uint8_t dstRepStrideIn, const uint8_t srcRepStrideIn,
                    const bool halfBlockIn = false)
      : dstBlkStride(dstBlkStrideIn),
        srcBlkStride(srcBlkStrideIn),
        dstRepStride(dstRepStrideIn),
        srcRepStride(srcRepStrideIn),
        halfBlock(halfBlockIn) {}
  uint32_t blockNumber = DEFAULT_BLK_NUM;
  uint16_t dstBlkStride = DEFAULT_BLK_STRIDE;
  uint16_t srcBlkStride = DEFAULT_BLK_STRIDE;
  uint8_t dstRepStride = DEFAULT_REPEAT_STRIDE;
  uint8_t srcRepStride = DEFAULT_REPEAT_STRIDE;
  bool repeatStrideMode = false;
  bool strideSizeMode = false;
  bool halfBlock = false;
};
struct BinaryRepeatParams {
  BinaryRepeatParams() {}
  BinaryRepeatParams(const uint8_t dstBlkStrideIn, const uint8_t src0BlkStrideIn,
                     const uint8_t src1BlkStrideIn, const uint8_t dstRepStrideIn,
                     const uint8_t src0RepStrideIn, const uint8_t src1RepStrideIn)
      : dstBlkStride(dstBlkStrideIn),
        src0BlkStride(src0BlkStrideIn),
        src1BlkStride(src1BlkStrideIn),
        dstRepStride(dstRepStrideIn),
        src0RepStride(src0RepStrideIn),
        src1RepStride(src1RepStrideIn) {}
  uint32_t blockNumber = DEFAULT_BLK_NUM;
  uint8_t dstBlkStride = DEFAULT_BLK_STRIDE;
  uint8_t src0BlkStride = DEFAULT_BLK_STRIDE;
  uint8_t src1BlkStride = DEFAULT_BLK_STRIDE;
  uint8_t dstRepStride = DEFAULT_REPEAT_STRIDE;
  uint8_t src0RepStride = DEFAULT_REPEAT_STRIDE;
  uint8_t src1RepStride = DEFAULT_REPEAT_STRIDE;
  bool repeatStrideMode = false;
  bool strideSizeMode = false;
};
struct CopyRepeatParams {
  CopyRepeatParams() {}
  CopyRepeatParams(const uint16_t dstStrideIn, const uint16_t srcStrideIn, uint16_t dstRepeatSizeIn,
                   uint16_t srcRepeatSizeIn)
      : dstStride(dstStrideIn),
        srcStride(srcStrideIn),
        dstRepeatSize(dstRepeatSizeIn),
        srcRepeatSize(srcRepeatSizeIn) {}
  uint16_t dstStride = DEFAULT_BLK_STRIDE;
  uint16_t srcStride = DEFAULT_BLK_STRIDE;
  uint16_t dstRepeatSize = DEFAULT_REPEAT_STRIDE;
  uint16_t srcRepeatSize = DEFAULT_REPEAT_STRIDE;
};
struct BrcbRepeatParams {
  BrcbRepeatParams() {}
  BrcbRepeatParams(const uint16_t dstBlkStrideIn, const uint16_t dstRepStrideIn)
      : dstRepStride(dstRepStrideIn), dstBlkStride(dstBlkStrideIn) {}
  uint32_t blockNumber = DEFAULT_BLK_NUM;
  uint16_t dstRepStride = DEFAULT_REPEAT_STRIDE;
  uint16_t dstBlkStride = DEFAULT_BLK_STRIDE;
};
// blockLen and strides in 32-byte blocks; a stride is the gap between the end of a row and the next.
struct DataCopyParams {
  DataCopyParams() {}
  DataCopyParams(const uint16_t count, const uint16_t len, const uint16_t srcStrideIn,
                 const uint16_t dstStrideIn)
      : blockCount(count), blockLen(len), srcStride(srcStrideIn), dstStride(dstStrideIn) {}
  uint16_t blockCount = DEFAULT_DATA_COPY_NBURST;
  uint16_t blockLen = 0;
  union {
    uint16_t srcGap;
    uint16_t srcStride = DEFAULT_DATA_COPY_STRIDE;
  };
  union {
    uint16_t dstGap;
    uint16_t dstStride = DEFAULT_DATA_COPY_STRIDE;
  };
};
// blockLen in bytes; strides in bytes in global memory, in 32-byte blocks on the chip.
struct DataCopyExtParams {
  DataCopyExtParams() {}
  DataCopyExtParams(const uint16_t count, const uint32_t len, const int64_t srcStrideIn,
                    const int64_t dstStrideIn, const uint32_t rsvIn)
      : blockCount(count), blockLen(len), srcStride(srcStrideIn), dstStride(dstStrideIn), rsv(rsvIn) {}
  uint16_t blockCount = DEFAULT_DATA_COPY_NBURST;
  uint32_t blockLen = 0;
  int64_t srcStride = DEFAULT_DATA_COPY_STRIDE;
  int64_t dstStride = DEFAULT_DATA_COPY_STRIDE;
  uint32_t rsv = 0;
};
struct DataCopyPadParams {
  DataCopyPadParams() {}
  DataCopyPadParams(const bool isPadValue, const uint8_t leftPadValue, const uint8_t rightPadValue,
                    const uint64_t padValue)
      : isPad(isPadValue), leftPadding(leftPadValue), rightPadding(rightPadValue), paddingValue(padValue) {}
  bool isPad = false;
  uint8_t leftPadding = 0;
  uint8_t rightPadding = 0;
  uint64_t paddingValue = 0;
};
template <typename T>
struct DataCopyPadExtParams {
  DataCopyPadExtParams() {}
  DataCopyPadExtParams(const bool isPadValue, const uint8_t leftPadValue, const uint8_t rightPadValue,
                       T padValue)
      : isPad(isPadValue), leftPadding(leftPadValue), rightPadding(rightPadValue), paddingValue(padValue) {}
  bool isPad = false;
  uint8_t leftPadding = 0;
  uint8_t rightPadding = 0;
  T paddingValue = static_cast<T>(0);
};

struct ShapeInfo {
  ShapeInfo() {}
  ShapeInfo(const uint8_t inputShapeDim, const uint32_t inputShape[],
            const DataFormat format = DataFormat::ND)
      : shapeDim(inputShapeDim), originalShapeDim(inputShapeDim), dataFormat(format) {
    for (uint8_t i = 0; i < inputShapeDim && i < 8; i++)
      shape[i] = originalShape[i] = inputShape[i];
  }
  ShapeInfo(const uint8_t inputShapeDim, const uint32_t inputShape[], const uint8_t inputOriginalShapeDim,
            const uint32_t inputOriginalShape[], const DataFormat format)
      : ShapeInfo(inputShapeDim, inputShape, format) {
    originalShapeDim = inputOriginalShapeDim;
    for (uint8_t i = 0; i < inputOriginalShapeDim && i < 8; i++)
      originalShape[i] = inputOriginalShape[i];
  }
  uint8_t shapeDim = 0;
  uint8_t originalShapeDim = 0;
  uint32_t shape[8] = {};
  uint32_t originalShape[8] = {};
  DataFormat dataFormat = DataFormat::ND;
};

inline uint64_t GetShapeSize(const ShapeInfo &shapeInfo) {
  uint64_t size = 1;
  for (uint8_t i = 0; i < shapeInfo.shapeDim && i < 8; i++)
    size *= shapeInfo.shape[i];
  return size;
}

// Element types as the library numbers them.
template <typename T>
struct DtypeOf;
#define WEFT_ASC_DTYPE_OF(T, value)                 \
  template <>                                       \
  struct DtypeOf<T> {                               \
    static constexpr weft_asc_dtype kValue = value; \
  };
WEFT_ASC_DTYPE_OF(float, WEFT_ASC_F32)
WEFT_ASC_DTYPE_OF(half, WEFT_ASC_F16)
WEFT_ASC_DTYPE_OF(bfloat16_t, WEFT_ASC_BF16)
WEFT_ASC_DTYPE_OF(int8_t, WEFT_ASC_I8)
WEFT_ASC_DTYPE_OF(uint8_t, WEFT_ASC_U8)
WEFT_ASC_DTYPE_OF(bool, WEFT_ASC_U8)
WEFT_ASC_DTYPE_OF(int16_t, WEFT_ASC_I16)
WEFT_ASC_DTYPE_OF(uint16_t, WEFT_ASC_U16)
WEFT_ASC_DTYPE_OF(int32_t, WEFT_ASC_I32)
WEFT_ASC_DTYPE_OF(uint32_t, WEFT_ASC_U32)
WEFT_ASC_DTYPE_OF(int64_t, WEFT_ASC_I64)
WEFT_ASC_DTYPE_OF(uint64_t, WEFT_ASC_U64)
WEFT_ASC_DTYPE_OF(double, WEFT_ASC_F64)
#undef WEFT_ASC_DTYPE_OF
template <typename T>
using PrimT = T;
}  // namespace AscendC

namespace weft_asc {
constexpr int RegionOf(AscendC::TPosition p) {
  using P = AscendC::TPosition;
  return p == P::A1 || p == P::B1 || p == P::C1 || p == P::TSCM ? WEFT_ASC_L1
         : p == P::A2                                           ? WEFT_ASC_L0A
         : p == P::B2                                           ? WEFT_ASC_L0B
         : p == P::CO1                                          ? WEFT_ASC_L0C
         : p == P::C2                                           ? WEFT_ASC_BIAS
         : p == P::C2PIPE2GM || p == P::C2PIPE2LOCAL            ? WEFT_ASC_FIXBUF
                                                                : WEFT_ASC_UB;
}
// The pipes that fill and empty a buffer at a position.
constexpr int FilledBy(AscendC::TPosition p) {
  using P = AscendC::TPosition;
  return p == P::VECIN || p == P::A1 || p == P::B1 || p == P::C1 ? WEFT_ASC_PIPE_MTE2
         : p == P::A2 || p == P::B2 || p == P::C2                ? WEFT_ASC_PIPE_MTE1
         : p == P::CO1                                           ? WEFT_ASC_PIPE_M
         : p == P::TSCM                                          ? WEFT_ASC_PIPE_MTE3
         : p == P::CO2                                           ? WEFT_ASC_PIPE_FIX
                                                                 : WEFT_ASC_PIPE_V;
}
constexpr int EmptiedBy(AscendC::TPosition p) {
  using P = AscendC::TPosition;
  return p == P::VECIN || p == P::VECCALC                         ? WEFT_ASC_PIPE_V
         : p == P::VECOUT || p == P::CO2                          ? WEFT_ASC_PIPE_MTE3
         : p == P::A1 || p == P::B1 || p == P::C1 || p == P::TSCM ? WEFT_ASC_PIPE_MTE1
         : p == P::A2 || p == P::B2 || p == P::C2                 ? WEFT_ASC_PIPE_M
         : p == P::CO1                                            ? WEFT_ASC_PIPE_FIX
                                                                  : WEFT_ASC_PIPE_V;
}
constexpr AscendC::TPosition PositionOf(AscendC::Hardware h) {
  using H = AscendC::Hardware;
  using P = AscendC::TPosition;
  return h == H::L1 ? P::A1 : h == H::L0A ? P::A2 : h == H::L0B ? P::B2 : h == H::L0C ? P::CO1 : P::VECCALC;
}
}  // namespace weft_asc
// SPDX-License-Identifier: Apache-2.0
