// weft_cann/asc_reg_cast.h - Cast between registers of different types. Where widths differ, lane i of the
// wider register meets lane k * i + layout of the narrower one, and the mask is the wider one's.
#pragma once
#include "weft_cann/asc_reg.h"
#include "weft_cann/asc_small_floats.h"

namespace AscendC {
namespace Reg {
struct CastTrait {
  RegLayout layoutMode = RegLayout::UNKNOWN;
  SatMode satMode = SatMode::UNKNOWN;
  MaskMergeMode mrgMode = MaskMergeMode::UNKNOWN;
  RoundMode roundMode = RoundMode::UNKNOWN;
};
constexpr CastTrait castTrait = {RegLayout::ZERO, SatMode::NO_SAT, MaskMergeMode::ZEROING,
                                 RoundMode::CAST_NONE};

template <typename T>
constexpr bool kFloating =
    std::is_floating_point<T>::value || std::is_same<T, half>::value || std::is_same<T, bfloat16_t>::value;
template <typename T>
constexpr T LargestOf() {
  if constexpr (std::is_same<T, half>::value)
    return half::OfBits(0x7bff);
  else if constexpr (std::is_same<T, bfloat16_t>::value)
    return bfloat16_t::OfBits(0x7f7f);
  else
    return std::numeric_limits<T>::max();
}

template <typename T, typename U>
void ConvertLanes(T *to, const U *from, int round, uint32_t n) {
  weft_asc_register_convert(to, DtypeOf<T>::kValue, from, DtypeOf<U>::kValue, round, n);
}
// Without saturation an integer keeps its low bits.
template <typename T, typename U>
void ConvertWrapped(T *to, const U *from, int round, uint32_t n) {
  int64_t whole[kRegisterBytes];
  if constexpr (kFloating<U>)
    ConvertLanes(whole, from, round, n);
  for (uint32_t i = 0; i < n; i++)
    to[i] = static_cast<T>(kFloating<U> ? whole[i] : static_cast<int64_t>(from[i]));
}
// With it a floating-point number stays finite.
template <typename T, typename U>
void ConvertFinite(T *to, const U *from, int round, uint32_t n) {
  ConvertLanes(to, from, round, n);
  const float largest = static_cast<float>(LargestOf<T>());
  for (uint32_t i = 0; i < n; i++) {
    const float x = static_cast<float>(to[i]);
    if (x > largest || x < -largest)
      to[i] = x > 0 ? LargestOf<T>() : static_cast<T>(-largest);
  }
}
// Numbers of 8 bits go through floats. Without SAT what is too large becomes infinite, or NaN.
template <typename T>
constexpr bool kFloat8 = std::is_same<T, fp8_e5m2_t>::value || std::is_same<T, fp8_e4m3fn_t>::value;
template <typename T, typename U>
void ConvertFloat8(T *to, const U *from, SatMode sat, uint32_t n) {
  const float largest =
      std::is_same<T, fp8_e5m2_t>::value ? weft_asc::kE5M2.largest : weft_asc::kE4M3.largest;
  for (uint32_t i = 0; i < n; i++) {
    float x = static_cast<float>(from[i]);
    if (kFloat8<T> && sat == SatMode::SAT)
      x = x > largest ? largest : x < -largest ? -largest : x;
    to[i] = static_cast<T>(x);
  }
}
template <typename T, typename U>
void Convert(T *to, const U *from, SatMode sat, int round, uint32_t n) {
  if constexpr (kFloat8<T> || kFloat8<U>) {
    ConvertFloat8(to, from, sat, n);
  } else if constexpr (kFloating<T>) {
    if (sat == SatMode::SAT && sizeof(T) < sizeof(U))
      ConvertFinite(to, from, round, n);
    else
      ConvertLanes(to, from, round, n);
  } else {
    if (sat == SatMode::NO_SAT)
      ConvertWrapped(to, from, round, n);
    else
      ConvertLanes(to, from, round, n);
  }
}

template <typename T = DefaultType, typename U = DefaultType, const CastTrait &trait = castTrait, typename S,
          typename V>
void Cast(S &dstReg, V &srcReg, MaskReg &mask) {
  constexpr uint32_t lanes = S::kLanes < V::kLanes ? S::kLanes : V::kLanes;
  constexpr uint32_t to_step = S::kLanes / lanes, from_step = V::kLanes / lanes;
  constexpr int layout = trait.layoutMode == RegLayout::UNKNOWN ? 0 : static_cast<int>(trait.layoutMode);
  constexpr uint32_t to_first = static_cast<uint32_t>(layout) % to_step;
  constexpr uint32_t from_first = static_cast<uint32_t>(layout) % from_step;
  constexpr int round = trait.roundMode == RoundMode::UNKNOWN ? 0 : static_cast<int>(trait.roundMode);
  LaneOf<V> from[lanes];
  LaneOf<S> to[lanes];
  for (uint32_t i = 0; i < lanes; i++)
    from[i] = srcReg.Get(i * from_step + from_first);
  Convert(to, from, trait.satMode, round, lanes);
  if (trait.mrgMode != MaskMergeMode::MERGING)
    memset(dstReg.bytes, 0, sizeof dstReg.bytes);
  for (uint32_t i = 0; i < lanes; i++) {
    if (mask.on[i * (kRegisterBytes / lanes)])
      dstReg.Set(i * to_step + to_first, to[i]);
  }
}

// A factor in the source's own type, then the conversion to half.
template <typename T0 = DefaultType, typename T1 = DefaultType, typename T2,
          RegLayout layout = RegLayout::ZERO, typename T3, typename T4>
void MulsCast(T3 &dstReg, T4 &srcReg, T2 scalarValue, MaskReg &mask) {
  static constexpr CastTrait trait = {layout, SatMode::NO_SAT, MaskMergeMode::ZEROING, RoundMode::CAST_RINT};
  T4 product;
  for (uint32_t i = 0; i < T4::kLanes; i++)
    product.Set(i, static_cast<LaneOf<T4>>(srcReg.Get(i) * scalarValue));
  Cast<LaneOf<T3>, LaneOf<T4>, trait>(dstReg, product, mask);
}

// To half as wide, the low bits, into one half of the register; the other half is zero.
template <typename T = DefaultType, typename U = DefaultType, HighLowPart part = HighLowPart::LOWEST,
          typename S, typename V>
void Pack(S &dstReg, V &srcReg) {
  constexpr uint32_t width = S::kBytes / V::kLanes / 2;
  constexpr uint32_t wide = V::kBytes / V::kLanes;
  S to;
  uint8_t *half_of = to.bytes + (part == HighLowPart::HIGHEST ? S::kBytes / 2 : 0);
  for (uint32_t i = 0; i < V::kLanes; i++)
    memcpy(half_of + i * width, srcReg.bytes + i * wide, width);
  dstReg = to;
}
// One half, each lane twice as wide, with its sign.
template <typename T = DefaultType, typename U = DefaultType, HighLowPart part = HighLowPart::LOWEST,
          typename S, typename V>
void UnPack(S &dstReg, V &srcReg) {
  const V from = srcReg;
  constexpr uint32_t first = part == HighLowPart::HIGHEST ? V::kLanes / 2 : 0;
  for (uint32_t i = 0; i < S::kLanes && i < V::kLanes / 2; i++)
    dstReg.Set(i, static_cast<LaneOf<S>>(from.Get(first + i)));
}
}  // namespace Reg
}  // namespace AscendC
// SPDX-License-Identifier: Apache-2.0
