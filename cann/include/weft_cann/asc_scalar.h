// weft_cann/asc_scalar.h - what the scalar unit does by name, limits of types, and lists of tensors.
#pragma once
#include "weft_cann/asc_kernel.h"

namespace AscendC {
template <typename T, typename U>
using IsSameType = std::is_same<T, U>;

// Bits that are countValue, 0 or 1.
template <int countValue>
int64_t ScalarGetCountOfValue(uint64_t valueIn) {
  return __builtin_popcountll(countValue ? valueIn : ~valueIn);
}
inline int64_t ScalarCountLeadingZero(uint64_t valueIn) {
  return valueIn ? __builtin_clzll(valueIn) : 64;
}
// The place of the lowest bit that is countValue; -1: there is none.
template <int countValue>
int64_t ScalarGetSFFValue(uint64_t valueIn) {
  const uint64_t bits = countValue ? valueIn : ~valueIn;
  return bits ? __builtin_ctzll(bits) : -1;
}

// The control register: bits that modes of the chip are read from. Here they are kept, and change nothing.
inline uint64_t &ControlRegister() {
  static thread_local uint64_t bits;
  return bits;
}
template <int8_t startBit, int8_t endBit>
void SetCtrlSpr(int64_t value) {
  constexpr uint64_t mask = (endBit - startBit >= 63 ? ~0ull : (1ull << (endBit - startBit + 1)) - 1)
                            << startBit;
  ControlRegister() = (ControlRegister() & ~mask) | (static_cast<uint64_t>(value) << startBit & mask);
}
template <int8_t startBit, int8_t endBit>
int64_t GetCtrlSpr() {
  constexpr uint64_t mask = endBit - startBit >= 63 ? ~0ull : (1ull << (endBit - startBit + 1)) - 1;
  return static_cast<int64_t>(ControlRegister() >> startBit & mask);
}
template <int8_t startBit, int8_t endBit>
void ResetCtrlSpr() {
  SetCtrlSpr<startBit, endBit>(0);
}
}  // namespace AscendC
// The same as a whole, under the names that kernels call outside of AscendC.
inline uint64_t get_ctrl() {
  return AscendC::ControlRegister();
}
inline void set_ctrl(uint64_t value) {
  AscendC::ControlRegister() = value;
}
inline uint64_t sbitset0(uint64_t value, int bit) {
  return value & ~(1ull << (bit & 63));
}
inline uint64_t sbitset1(uint64_t value, int bit) {
  return value | 1ull << (bit & 63);
}
namespace AscendC {

// Each limit also fills the first `count` elements of a tensor: its bits, as a signalling NaN stays one.
template <typename T>
using LimitBits = std::conditional_t<sizeof(T) == 2, int16_t, std::conditional_t<sizeof(T) == 4, int32_t, T>>;
template <typename T>
void FillLimit(const LocalTensor<T> &dst, T limit, uint32_t count, weft_asc_at at) {
  LimitBits<T> bits;
  memcpy(&bits, &limit, sizeof bits);
  Duplicate(dst.template ReinterpretCast<LimitBits<T>>(), bits, static_cast<int32_t>(count), at);
}
template <typename T, typename Limit>
struct LimitsOf {
#define WEFT_ASC_LIMIT(name)                                                                       \
  static void name(const LocalTensor<T> &dst, uint32_t count, weft_asc_at at = weft_asc::Here()) { \
    FillLimit(dst, Limit::name(), count, at);                                                      \
  }
  WEFT_ASC_LIMIT(Max)
  WEFT_ASC_LIMIT(Lowest)
  WEFT_ASC_LIMIT(Min)
  WEFT_ASC_LIMIT(Infinity)
  WEFT_ASC_LIMIT(NegativeInfinity)
  WEFT_ASC_LIMIT(QuietNaN)
  WEFT_ASC_LIMIT(SignalingNaN)
  WEFT_ASC_LIMIT(DeNormMin)
#undef WEFT_ASC_LIMIT
};
template <typename T>
struct LimitNumbers {
  static constexpr T Max() { return std::numeric_limits<T>::max(); }
  static constexpr T Lowest() { return std::numeric_limits<T>::lowest(); }
  static constexpr T Min() { return std::numeric_limits<T>::min(); }
  static constexpr T Infinity() { return std::numeric_limits<T>::infinity(); }
  static constexpr T NegativeInfinity() { return -std::numeric_limits<T>::infinity(); }
  static constexpr T QuietNaN() { return std::numeric_limits<T>::quiet_NaN(); }
  static constexpr T SignalingNaN() { return std::numeric_limits<T>::signaling_NaN(); }
  static constexpr T DeNormMin() { return std::numeric_limits<T>::denorm_min(); }
};
#define WEFT_ASC_LIMITS(T, max, min, inf, denorm)                                                    \
  template <>                                                                                        \
  struct LimitNumbers<T> {                                                                           \
    static T Max() { return T::OfBits(max); }                                                        \
    static T Lowest() { return T::OfBits(static_cast<uint16_t>(max | 0x8000)); }                     \
    static T Min() { return T::OfBits(min); }                                                        \
    static T Infinity() { return T::OfBits(inf); }                                                   \
    static T NegativeInfinity() { return T::OfBits(static_cast<uint16_t>(inf | 0x8000)); }           \
    static T QuietNaN() { return T::OfBits(static_cast<uint16_t>(inf | ((inf ^ 0x7fff) / 2 + 1))); } \
    static T SignalingNaN() { return T::OfBits(inf | 1); }                                           \
    static T DeNormMin() { return T::OfBits(denorm); }                                               \
  };
WEFT_ASC_LIMITS(half, 0x7bff, 0x0400, 0x7c00, 1)
WEFT_ASC_LIMITS(bfloat16_t, 0x7f7f, 0x0080, 0x7f80, 1)
#undef WEFT_ASC_LIMITS
template <typename T>
struct NumericLimits : LimitNumbers<T>, LimitsOf<T, LimitNumbers<T>> {
#define WEFT_ASC_LIMIT(name)   \
  using LimitNumbers<T>::name; \
  using LimitsOf<T, LimitNumbers<T>>::name;
  WEFT_ASC_LIMIT(Max)
  WEFT_ASC_LIMIT(Lowest)
  WEFT_ASC_LIMIT(Min)
  WEFT_ASC_LIMIT(Infinity)
  WEFT_ASC_LIMIT(NegativeInfinity)
  WEFT_ASC_LIMIT(QuietNaN)
  WEFT_ASC_LIMIT(SignalingNaN)
  WEFT_ASC_LIMIT(DeNormMin)
#undef WEFT_ASC_LIMIT
};

// ---- a list of tensors in global memory ----

// 64-bit words: bytes to the addresses; for each tensor (index << 32 | rank) and its shape; then the
// addresses.
template <typename T>
class TensorDesc {
 public:
  void SetShapeAddr(uint64_t *shapePtr) { shape_ = shapePtr; }
  uint64_t GetDim() { return dim_; }
  uint64_t GetIndex() { return index_; }
  uint64_t GetShape(uint32_t offset) { return shape_[offset]; }
  T *GetDataPtr() { return data_; }
  GlobalTensor<T> GetDataObj() {
    GlobalTensor<T> tensor;
    tensor.SetGlobalBuffer(data_);
    return tensor;
  }

 private:
  friend class ListTensorDesc;
  uint64_t *shape_ = nullptr;
  uint64_t dim_ = 0, index_ = 0;
  T *data_ = nullptr;
};
class ListTensorDesc {
 public:
  ListTensorDesc() = default;
  ListTensorDesc(void *data, uint32_t length = 0xffffffff, uint32_t shapeSize = 0xffffffff) {
    Init(data, length, shapeSize);
  }
  void Init(void *data, uint32_t = 0xffffffff, uint32_t = 0xffffffff) {
    words_ = static_cast<uint64_t *>(data);
    addresses_ = words_[0] / sizeof(uint64_t);
    size_ = 0;
    for (uint64_t at = 1; at < addresses_; at += 1 + Rank(at))
      size_++;
  }
  uint32_t GetSize() { return size_; }
  template <typename T>
  T *GetDataPtr(uint32_t index) {
    return reinterpret_cast<T *>(words_[addresses_ + index]);
  }
  template <typename T>
  void GetDesc(TensorDesc<T> &desc, uint32_t index) {
    uint64_t at = 1;
    for (uint32_t i = 0; i < index; i++)
      at += 1 + Rank(at);
    desc.dim_ = Rank(at);
    desc.index_ = words_[at] >> 32;
    desc.data_ = GetDataPtr<T>(index);
    for (uint64_t i = 0; desc.shape_ && i < desc.dim_; i++)
      desc.shape_[i] = words_[at + 1 + i];
  }

 private:
  uint64_t Rank(uint64_t at) const { return static_cast<uint32_t>(words_[at]); }
  uint64_t *words_ = nullptr;
  uint64_t addresses_ = 0;
  uint32_t size_ = 0;
};
}  // namespace AscendC
// SPDX-License-Identifier: Apache-2.0
