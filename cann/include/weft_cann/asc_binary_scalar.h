// weft_cann/asc_binary_scalar.h - arithmetic, comparisons and Select of a tensor and a number where either
// operand may be the number: a value, or the first element of a tensor. Which tensor of two that is, says
// scalarTensorIndex.
#pragma once
#include "weft_cann/asc_vector.h"

namespace AscendC {
struct BinaryDefaultType {};
struct BinaryConfig {
  int8_t scalarTensorIndex = 1;
};
inline constexpr BinaryConfig DEFAULT_BINARY_CONFIG = {1};
}  // namespace AscendC

namespace weft_asc {
template <typename T>
inline constexpr bool kTensor = false;
template <typename T>
inline constexpr bool kTensor<AscendC::LocalTensor<T>> = true;

// The two operands as a tensor and a number. `index`: scalarTensorIndex.
template <int index, typename S, typename V>
struct TensorAndNumber {
  static_assert(kTensor<S> || kTensor<V>, "one operand is a LocalTensor");
  static constexpr bool kFirst = !kTensor<S> || (kTensor<V> && index == 0);
  using Tensor = std::conditional_t<kFirst, V, S>;
  using T = typename Tensor::PrimType;
  template <typename U>
  static T Number(const AscendC::LocalTensor<U> &t, weft_asc_at at) {
    weft_asc_vector_number(t.Data(), sizeof(T), at);
    return static_cast<T>(*t.Data());
  }
  template <typename U>
  static T Number(const U &number, weft_asc_at) {
    return static_cast<T>(number);
  }

  TensorAndNumber(const S &a, const V &b, weft_asc_at at) {
    if constexpr (kFirst) {
      tensor = b;
      number = Number(a, at);
    } else {
      tensor = a;
      number = Number(b, at);
    }
  }
  template <typename... Strides>
  Vector &Into(Vector &v, Strides... strides) const {
    v.From(tensor, strides...).Scalar(number);
    return kFirst ? v.ScalarFirst() : v;
  }
  Tensor tensor;
  T number;
};

// What a caller names who names no type: other than BinaryDefaultType, which may be named.
struct Unnamed {};
// Calls that the forms with (LocalTensor, T) do not take.
template <typename T, typename S, typename V>
using IfEither = std::enable_if_t<(kTensor<S> && kTensor<V>) || (!kTensor<S> && kTensor<V>) ||
                                  (kTensor<S> && std::is_same<T, AscendC::BinaryDefaultType>::value)>;

// a < b where the number is a: b > a.
template <bool first>
constexpr AscendC::CMPMODE ModeOf(AscendC::CMPMODE mode) {
  using AscendC::CMPMODE;
  if (!first)
    return mode;
  return mode == CMPMODE::LT   ? CMPMODE::GT
         : mode == CMPMODE::GT ? CMPMODE::LT
         : mode == CMPMODE::LE ? CMPMODE::GE
         : mode == CMPMODE::GE ? CMPMODE::LE
                               : mode;
}

template <int index, typename U, typename S, typename V, typename Mask>
void ScalarBinary(weft_asc_vector_op op, const U &dst, const S &a, const V &b, Mask mask, uint8_t repeats,
                  bool set, const AscendC::UnaryRepeatParams &p, weft_asc_at at) {
  const TensorAndNumber<index, S, V> both(a, b, at);
  Vector v(op);
  v.To(dst, p.dstBlkStride, p.dstRepStride);
  both.Into(v, p.srcBlkStride, p.srcRepStride).Repeats(mask, repeats, set).Run(at);
}
template <int index, typename U, typename S, typename V>
void ScalarBinary(weft_asc_vector_op op, const U &dst, const S &a, const V &b, int32_t count,
                  weft_asc_at at) {
  const TensorAndNumber<index, S, V> both(a, b, at);
  Vector v(op);
  v.To(dst);
  both.Into(v).Count(count).Run(at);
}
template <int index, typename U, typename S, typename V, typename Mask>
void ScalarCompare(const U &dst, const S &a, const V &b, AscendC::CMPMODE mode, Mask mask, uint8_t repeats,
                   bool set, const AscendC::UnaryRepeatParams &p, weft_asc_at at) {
  using Both = TensorAndNumber<index, S, V>;
  const Both both(a, b, at);
  Vector v(WEFT_ASC_COPY);
  v.To(dst);
  both.Into(v, p.srcBlkStride, p.srcRepStride)
      .Repeats(mask, repeats, set)
      .Compare(ModeOf<Both::kFirst>(mode), at);
}
template <int index, typename U, typename S, typename V>
void ScalarCompare(const U &dst, const S &a, const V &b, AscendC::CMPMODE mode, uint32_t count,
                   weft_asc_at at) {
  using Both = TensorAndNumber<index, S, V>;
  const Both both(a, b, at);
  Vector v(WEFT_ASC_COPY);
  v.To(dst);
  both.Into(v).Count(count).Compare(ModeOf<Both::kFirst>(mode), at);
}
}  // namespace weft_asc

namespace AscendC {
// Each name with the configuration named, and without.
#define WEFT_ASC_EITHER(Name, OP)                                                                       \
  template <typename T, bool isSetMask, const BinaryConfig &config, typename U, typename S, typename V, \
            typename Mask>                                                                              \
  void Name(const U &dst, const S &src0, const V &src1, Mask mask, const uint8_t repeatTime,            \
            const UnaryRepeatParams &p, weft_asc_at at = weft_asc::Here()) {                            \
    weft_asc::ScalarBinary<config.scalarTensorIndex>(WEFT_ASC_##OP, dst, src0, src1, mask, repeatTime,  \
                                                     isSetMask, p, at);                                 \
  }                                                                                                     \
  template <typename T, bool isSetMask, const BinaryConfig &config, typename U, typename S, typename V> \
  void Name(const U &dst, const S &src0, const V &src1, const int32_t &count,                           \
            weft_asc_at at = weft_asc::Here()) {                                                        \
    weft_asc::ScalarBinary<config.scalarTensorIndex>(WEFT_ASC_##OP, dst, src0, src1, count, at);        \
  }                                                                                                     \
  template <typename T = weft_asc::Unnamed, bool isSetMask = true, typename U, typename S, typename V,  \
            typename Mask>                                                                              \
  auto Name(const U &dst, const S &src0, const V &src1, Mask mask, const uint8_t repeatTime,            \
            const UnaryRepeatParams &p, weft_asc_at at = weft_asc::Here())                              \
      ->weft_asc::IfEither<T, S, V> {                                                                   \
    weft_asc::ScalarBinary<1>(WEFT_ASC_##OP, dst, src0, src1, mask, repeatTime, isSetMask, p, at);      \
  }                                                                                                     \
  template <typename T = weft_asc::Unnamed, bool isSetMask = true, typename U, typename S, typename V>  \
  auto Name(const U &dst, const S &src0, const V &src1, const int32_t &count,                           \
            weft_asc_at at = weft_asc::Here())                                                          \
      ->weft_asc::IfEither<T, S, V> {                                                                   \
    weft_asc::ScalarBinary<1>(WEFT_ASC_##OP, dst, src0, src1, count, at);                               \
  }
WEFT_ASC_EITHER(Adds, ADD)
WEFT_ASC_EITHER(Subs, SUB)
WEFT_ASC_EITHER(Muls, MUL)
WEFT_ASC_EITHER(Divs, DIV)
WEFT_ASC_EITHER(Maxs, MAX)
WEFT_ASC_EITHER(Mins, MIN)
WEFT_ASC_EITHER(Ands, AND)
WEFT_ASC_EITHER(Ors, OR)
#undef WEFT_ASC_EITHER

#define WEFT_ASC_EITHER(Name)                                                                                \
  template <typename T0, typename T1, bool isSetMask, const BinaryConfig &config, typename T2, typename T3,  \
            typename T4, typename Mask>                                                                      \
  void Name(const T2 &dst, const T3 &src0, const T4 &src1, CMPMODE cmpMode, const Mask mask,                 \
            uint8_t repeatTime, const UnaryRepeatParams &p, weft_asc_at at = weft_asc::Here()) {             \
    weft_asc::ScalarCompare<config.scalarTensorIndex>(dst, src0, src1, cmpMode, mask, repeatTime, isSetMask, \
                                                      p, at);                                                \
  }                                                                                                          \
  template <typename T0, typename T1, bool isSetMask, const BinaryConfig &config, typename T2, typename T3,  \
            typename T4>                                                                                     \
  void Name(const T2 &dst, const T3 &src0, const T4 &src1, CMPMODE cmpMode, uint32_t count,                  \
            weft_asc_at at = weft_asc::Here()) {                                                             \
    weft_asc::ScalarCompare<config.scalarTensorIndex>(dst, src0, src1, cmpMode, count, at);                  \
  }                                                                                                          \
  template <typename T0 = weft_asc::Unnamed, typename T1 = T0, bool isSetMask = true, typename T2,           \
            typename T3, typename T4, typename Mask>                                                         \
  auto Name(const T2 &dst, const T3 &src0, const T4 &src1, CMPMODE cmpMode, const Mask mask,                 \
            uint8_t repeatTime, const UnaryRepeatParams &p, weft_asc_at at = weft_asc::Here())               \
      ->std::enable_if_t<weft_asc::kTensor<T4>> {                                                            \
    weft_asc::ScalarCompare<1>(dst, src0, src1, cmpMode, mask, repeatTime, isSetMask, p, at);                \
  }                                                                                                          \
  template <typename T0 = weft_asc::Unnamed, typename T1 = T0, typename T2, typename T3, typename T4>        \
  auto Name(const T2 &dst, const T3 &src0, const T4 &src1, CMPMODE cmpMode, uint32_t count,                  \
            weft_asc_at at = weft_asc::Here())                                                               \
      ->std::enable_if_t<weft_asc::kTensor<T4>> {                                                            \
    weft_asc::ScalarCompare<1>(dst, src0, src1, cmpMode, count, at);                                         \
  }
WEFT_ASC_EITHER(CompareScalar)
WEFT_ASC_EITHER(Compares)
#undef WEFT_ASC_EITHER

// dst = bit ? number : src1; or, of two tensors with the configuration named, one element of one of them.
template <typename T0, typename T1, bool isSetMask, const BinaryConfig &config, typename T2, typename U,
          typename T3, typename T4, typename Mask>
void Select(const T2 &dst, const LocalTensor<U> &selMask, const T3 &src0, const T4 &src1, SELMODE selMode,
            const Mask mask, uint8_t repeatTime, const BinaryRepeatParams &p,
            weft_asc_at at = weft_asc::Here()) {
  using Both = weft_asc::TensorAndNumber<config.scalarTensorIndex, T3, T4>;
  const Both both(src0, src1, at);
  weft_asc::Vector v(WEFT_ASC_COPY);
  v.To(dst, p.dstBlkStride, p.dstRepStride);
  both.Into(v, Both::kFirst ? p.src1BlkStride : p.src0BlkStride,
            Both::kFirst ? p.src1RepStride : p.src0RepStride)
      .Repeats(mask, repeatTime, isSetMask)
      .Select(selMask.Data(), selMode, at);
}
template <typename T0, typename T1, const BinaryConfig &config, typename T2, typename U, typename T3,
          typename T4>
void Select(const T2 &dst, const LocalTensor<U> &selMask, const T3 &src0, const T4 &src1, SELMODE selMode,
            uint32_t count, weft_asc_at at = weft_asc::Here()) {
  const weft_asc::TensorAndNumber<config.scalarTensorIndex, T3, T4> both(src0, src1, at);
  weft_asc::Vector v(WEFT_ASC_COPY);
  v.To(dst);
  both.Into(v).Count(count).Select(selMask.Data(), selMode, at);
}
template <typename T, typename U, bool isSetMask = true, typename Mask>
void Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask, const weft_asc::Same<T> src0,
            const LocalTensor<T> &src1, SELMODE selMode, const Mask mask, uint8_t repeatTime,
            const BinaryRepeatParams &p, weft_asc_at at = weft_asc::Here()) {
  Select<T, U, isSetMask, DEFAULT_BINARY_CONFIG>(dst, selMask, src0, src1, selMode, mask, repeatTime, p, at);
}
template <typename T, typename U>
void Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask, const weft_asc::Same<T> src0,
            const LocalTensor<T> &src1, SELMODE selMode, uint32_t count, weft_asc_at at = weft_asc::Here()) {
  Select<T, U, DEFAULT_BINARY_CONFIG>(dst, selMask, src0, src1, selMode, count, at);
}
}  // namespace AscendC
// SPDX-License-Identifier: Apache-2.0
