// weft_cann/asc_truth.h - which numbers are NaN, infinite or finite, and a choice by bytes: a tensor and a
// number, of which a mask of whole elements says which one counts.
#pragma once
#include <cmath>

#include "weft_cann/asc_fused.h"

namespace weft_asc {
template <typename T, typename U, typename F>
void TruthRun(const char *name, const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<U> &src,
              uint32_t count, F truth, weft_asc_at at) {
  Vector(WEFT_ASC_COPY).To(dst).From(src).Count(count).Touch(name, at);
  for (uint32_t i = 0; i < count; i++)
    dst.Data()[i] = static_cast<AscendC::PrimT<T>>(truth(static_cast<float>(src.Data()[i])) ? 1 : 0);
}
}  // namespace weft_asc

namespace AscendC {
// 1 where it holds, else 0.
#define WEFT_ASC_TRUTH(Name, NAME, function)                                                    \
  struct Name##Config {                                                                         \
    bool isReuseSource = false;                                                                 \
  };                                                                                            \
  inline constexpr Name##Config DEFAULT_##NAME##_CONFIG = {};                                   \
  template <const Name##Config &config = DEFAULT_##NAME##_CONFIG, typename T, typename U>       \
  void Name(const LocalTensor<T> &dst, const LocalTensor<U> &src, const uint32_t count,         \
            weft_asc_at at = weft_asc::Here()) {                                                \
    weft_asc::TruthRun(                                                                         \
        #Name, dst, src, count, [](float x) { return function(x); }, at);                       \
  }                                                                                             \
  template <const Name##Config &config = DEFAULT_##NAME##_CONFIG, typename T, typename U>       \
  void Name(const LocalTensor<T> &dst, const LocalTensor<U> &src, const LocalTensor<uint8_t> &, \
            const uint32_t count, weft_asc_at at = weft_asc::Here()) {                          \
    weft_asc::TruthRun(                                                                         \
        #Name, dst, src, count, [](float x) { return function(x); }, at);                       \
  }
WEFT_ASC_TRUTH(IsNan, IS_NAN, std::isnan)
WEFT_ASC_TRUTH(IsInf, IS_INF, std::isinf)
#undef WEFT_ASC_TRUTH
template <typename T, typename U>
void IsFinite(const LocalTensor<U> &dst, const LocalTensor<T> &src, uint32_t calCount,
              weft_asc_at at = weft_asc::Here()) {
  weft_asc::TruthRun(
      "IsFinite", dst, src, calCount, [](float x) { return std::isfinite(x); }, at);
}

// firstAxis rows; the mask's may be longer.
struct SelectWithBytesMaskShapeInfo {
  uint32_t firstAxis = 0;
  uint32_t srcLastAxis = 0;
  uint32_t maskLastAxis = 0;
};
}  // namespace AscendC

namespace weft_asc {
template <typename T, typename U, typename First, typename Second>
void SelectBytes(const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<T> &src,
                 const AscendC::LocalTensor<U> &mask, const AscendC::SelectWithBytesMaskShapeInfo &info,
                 First first, Second second, weft_asc_at at) {
  const uint32_t all = info.firstAxis * info.srcLastAxis;
  if (info.maskLastAxis < info.srcLastAxis) {
    weft_asc_fail(at, "Select: rows of the mask have %u elements, and those of the source %u",
                  info.maskLastAxis, info.srcLastAxis);
    return;
  }
  const uint32_t of_mask = all ? (info.firstAxis - 1) * info.maskLastAxis + info.srcLastAxis : 0;
  Vector(WEFT_ASC_COPY).From(mask).Count(of_mask).Read("Select: mask", at);
  Vector(WEFT_ASC_COPY).To(dst).From(src).Count(all).Touch("Select", at);
  for (uint32_t row = 0; row < info.firstAxis; row++) {
    const AscendC::LocalTensor<U> bytes = mask[row * info.maskLastAxis];
    for (uint32_t i = 0; i < info.srcLastAxis; i++) {
      const uint32_t place = row * info.srcLastAxis + i;
      dst.Data()[place] = bytes.Data()[i] ? second(place) : first(place);
    }
  }
}
}  // namespace weft_asc

namespace AscendC {
// src0 where the mask's element is 0, else src1.
template <typename T, typename U, bool isReuseMask = true>
void Select(const LocalTensor<T> &dst, const LocalTensor<T> &src0, weft_asc::Same<T> src1,
            const LocalTensor<U> &mask, const LocalTensor<uint8_t> &,
            const SelectWithBytesMaskShapeInfo &info, weft_asc_at at = weft_asc::Here()) {
  const auto element = [&](uint32_t i) { return src0.Data()[i]; };
  weft_asc::SelectBytes(
      dst, src0, mask, info, element, [&](uint32_t) { return src1; }, at);
}
template <typename T, typename U, bool isReuseMask = true>
void Select(const LocalTensor<T> &dst, weft_asc::Same<T> src0, const LocalTensor<T> &src1,
            const LocalTensor<U> &mask, const LocalTensor<uint8_t> &,
            const SelectWithBytesMaskShapeInfo &info, weft_asc_at at = weft_asc::Here()) {
  const auto element = [&](uint32_t i) { return src1.Data()[i]; };
  weft_asc::SelectBytes(
      dst, src1, mask, info, [&](uint32_t) { return src0; }, element, at);
}
}  // namespace AscendC
// SPDX-License-Identifier: Apache-2.0
