// weft_cann/asc_scalar.h - the scalar unit's helpers: bits, conversions, divisions by numbers known before,
// limits of types, special registers, lists of tensors in global memory.
#pragma once
#include "weft_cann/asc_kernel.h"

namespace AscendC {
template <typename T, typename U, RoundMode roundMode>
U ScalarCast(T valueIn) {
  const float x = static_cast<float>(valueIn);
  const float whole = roundMode == RoundMode::CAST_FLOOR   ? __builtin_floorf(x)
                      : roundMode == RoundMode::CAST_CEIL  ? __builtin_ceilf(x)
                      : roundMode == RoundMode::CAST_ROUND ? __builtin_roundf(x)
                      : roundMode == RoundMode::CAST_TRUNC ? __builtin_truncf(x)
                      : roundMode == RoundMode::CAST_RINT  ? __builtin_rintf(x)
                                                           : x;
  return static_cast<U>(
      std::is_integral<U>::value ? (roundMode == RoundMode::CAST_NONE ? __builtin_rintf(x) : whole) : x);
}
template <typename T, typename U, RoundMode roundMode>
U Cast(T valueIn) {
  return ScalarCast<T, U, roundMode>(valueIn);
}
inline bfloat16_t ToBfloat16(const float &value) {
  return bfloat16_t(value);
}
inline float ToFloat(const bfloat16_t &value) {
  return value;
}
inline bfloat16_t Cast(const float &value) {
  return bfloat16_t(value);
}
inline float Cast(const bfloat16_t &value) {
  return value;
}
template <int countValue>
int64_t ScalarGetCountOfValue(uint64_t valueIn) {
  return __builtin_popcountll(countValue ? valueIn : ~valueIn);
}
inline int64_t ScalarCountLeadingZero(uint64_t valueIn) {
  return valueIn ? __builtin_clzll(valueIn) : 64;
}
inline int64_t CountBitsCntSameAsSignBit(int64_t valueIn) {
  return valueIn == 0 || valueIn == -1 ? 63 : __builtin_clrsbll(valueIn);
}
// The lowest bit that is countValue; -1: none.
template <int countValue>
int64_t ScalarGetSFFValue(uint64_t valueIn) {
  const uint64_t bits = countValue ? valueIn : ~valueIn;
  return bits ? __builtin_ctzll(bits) : -1;
}
// x / divisor = (x * magic >> 32 + x) >> shift for 32 bits; 64 bits alike.
template <typename T>
void GetUintDivMagicAndShift(T &magic, T &shift, T divisor) {
  constexpr unsigned kBits = sizeof(T) * 8;
  using Wide = typename std::conditional<sizeof(T) == 8, unsigned __int128, uint64_t>::type;
  T width = 0;
  while (width < kBits && (Wide{1} << width) < divisor)
    width++;
  shift = width;
  magic = static_cast<T>((((Wide{1} << width) - divisor) << kBits) / divisor + 1);
}
template <typename T>
T UintDiv(T value, T magic, T shift) {
  constexpr unsigned kBits = sizeof(T) * 8;
  using Wide = typename std::conditional<sizeof(T) == 8, unsigned __int128, uint64_t>::type;
  const Wide high = (Wide{value} * magic) >> kBits;
  return static_cast<T>((high + value) >> shift);
}

template <typename T>
class NumericLimits {
 public:
  static T Max() { return Small() ? OfBits(Half() ? 0x7BFF : 0x7F7F) : static_cast<T>(Known::max()); }
  static T Lowest() { return Small() ? OfBits(Half() ? 0xFBFF : 0xFF7F) : static_cast<T>(Known::lowest()); }
  static T Min() { return Small() ? OfBits(Half() ? 0x0400 : 0x0080) : static_cast<T>(Known::min()); }
  static T Infinity() {
    return Small() ? OfBits(Half() ? 0x7C00 : 0x7F80) : static_cast<T>(Known::infinity());
  }
  static T NegativeInfinity() {
    return Small() ? OfBits(Half() ? 0xFC00 : 0xFF80) : static_cast<T>(-Known::infinity());
  }
  static T QuietNaN() {
    return Small() ? OfBits(Half() ? 0x7E00 : 0x7FC0) : static_cast<T>(Known::quiet_NaN());
  }
  static T DeNormMin() { return Small() ? OfBits(1) : static_cast<T>(Known::denorm_min()); }
#define WEFT_ASC_LIMIT(Name)                                    \
  static void Name(const LocalTensor<T> &dst, uint32_t count) { \
    Duplicate(dst, Name(), static_cast<int32_t>(count));        \
  }
  WEFT_ASC_LIMIT(Max)
  WEFT_ASC_LIMIT(Lowest)
  WEFT_ASC_LIMIT(Min)
  WEFT_ASC_LIMIT(Infinity)
  WEFT_ASC_LIMIT(NegativeInfinity)
  WEFT_ASC_LIMIT(QuietNaN)
  WEFT_ASC_LIMIT(DeNormMin)
#undef WEFT_ASC_LIMIT

 private:
  static constexpr bool Half() {
    return std::is_same<T, half>::value;
  }
  static constexpr bool Small() {
    return Half() || std::is_same<T, bfloat16_t>::value;
  }
  using Known = std::numeric_limits<typename std::conditional<Small(), float, T>::type>;
  static T OfBits(uint16_t bits) {
    T x;
    memcpy(&x, &bits, sizeof bits < sizeof x ? sizeof bits : sizeof x);
    return x;
  }
};

// Bits of the control register are kept for the block, and say nothing here.
inline uint64_t &ControlBits() {
  static thread_local uint64_t bits;
  return bits;
}
template <int8_t startBit, int8_t endBit>
void SetCtrlSpr(int64_t value) {
  constexpr uint64_t kMask = (endBit - startBit >= 63 ? ~0ull : (1ull << (endBit - startBit + 1)) - 1)
                             << startBit;
  ControlBits() = (ControlBits() & ~kMask) | (static_cast<uint64_t>(value) << startBit & kMask);
}
template <int8_t startBit, int8_t endBit>
int64_t GetCtrlSpr() {
  constexpr uint64_t kMask = endBit - startBit >= 63 ? ~0ull : (1ull << (endBit - startBit + 1)) - 1;
  return static_cast<int64_t>(ControlBits() >> startBit & kMask);
}
template <int8_t startBit, int8_t endBit>
void ResetCtrlSpr() {
  SetCtrlSpr<startBit, endBit>(0);
}

// ---- lists of tensors ----

template <typename T>
class TensorDesc {
 public:
  void SetShapeAddr(uint64_t *shapePtr) { dims_ = shapePtr; }
  uint64_t GetDim() { return rank_; }
  uint64_t GetIndex() { return index_; }
  uint64_t GetShape(uint32_t offset) { return dims_ && offset < rank_ ? dims_[offset] : 0; }
  T *GetDataPtr() { return data_; }
  GlobalTensor<T> GetDataObj() {
    GlobalTensor<T> data;
    data.SetGlobalBuffer(data_);
    return data;
  }
  void Set(uint64_t rank, uint64_t index, const uint64_t *dims, T *data) {
    rank_ = rank;
    index_ = index;
    data_ = data;
    for (uint64_t i = 0; dims_ && i < rank; i++)
      dims_[i] = dims[i];
  }

 private:
  uint64_t rank_ = 0, index_ = 0;
  uint64_t *dims_ = nullptr;
  T *data_ = nullptr;
};
// A dynamic input: where the addresses begin in bytes, then of each tensor its rank and place and its dims,
// then the addresses (weft_cann/kernel_files.h writes it).
class ListTensorDesc {
 public:
  ListTensorDesc() = default;
  ListTensorDesc(void *data, uint32_t length = 0xffffffff, uint32_t shapeSize = 0xffffffff) {
    Init(data, length, shapeSize);
  }
  void Init(void *data, uint32_t = 0xffffffff, uint32_t = 0xffffffff) {
    words_ = static_cast<const uint64_t *>(data);
    size_ = 0;
    for (uint64_t at = 1; words_ && at < words_[0] / 8; at += 1 + (words_[at] & 0xffffffff))
      size_++;
  }
  uint32_t GetSize() { return size_; }
  template <typename T>
  T *GetDataPtr(uint32_t index) {
    return index < size_ ? reinterpret_cast<T *>(words_[words_[0] / 8 + index]) : nullptr;
  }
  template <typename T>
  void GetDesc(TensorDesc<T> &desc, uint32_t index) {
    uint64_t at = 1;
    for (uint32_t i = 0; i < index && i < size_; i++)
      at += 1 + (words_[at] & 0xffffffff);
    if (index < size_)
      desc.Set(words_[at] & 0xffffffff, words_[at] >> 32, words_ + at + 1, GetDataPtr<T>(index));
  }

 private:
  const uint64_t *words_ = nullptr;
  uint32_t size_ = 0;
};

// Global memory filled with a number, by the block that calls.
template <typename T>
void InitGlobalMemory(GlobalTensor<T> &gm, const uint64_t size, const T value) {
  for (uint64_t i = 0; i < size; i++)
    gm.SetValue(i, value);
}
template <typename T>
void InitOutput(GlobalTensor<T> gm, uint32_t size, T value = 0) {
  InitGlobalMemory(gm, size, value);
}
template <typename T>
void Fill(GlobalTensor<T> &gm, const uint64_t size, const T value) {
  InitGlobalMemory(gm, size, value);
}
}  // namespace AscendC
