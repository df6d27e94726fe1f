// weft_cann/asc_precision.h - instructions with a word on how exact they are to be. Each is as exact as the
// machine's own, whatever the word says; so a kernel that asks for less gets no less.
#pragma once
#include "weft_cann/asc_math.h"
#include "weft_cann/asc_reg_math.h"

namespace AscendC {
enum class ErfAlgo { PADE_APPROXIMATION, SUBSECTION_POLYNOMIAL_APPROXIMATION };
struct DivConfig {
  DivAlgo algo = DivAlgo::INTRINSIC;
};
struct SqrtConfig {
  SqrtAlgo algo = SqrtAlgo::INTRINSIC;
};
struct ExpConfig {
  ExpAlgo algo = ExpAlgo::INTRINSIC;
};
struct LnConfig {
  LnAlgo algo = LnAlgo::INTRINSIC;
};
struct ErfConfig {
  ErfAlgo algo = ErfAlgo::PADE_APPROXIMATION;
};
inline constexpr DivConfig DEFAULT_DIV_CONFIG = {};
inline constexpr SqrtConfig DEFAULT_SQRT_CONFIG = {};
inline constexpr ExpConfig DEFAULT_EXP_CONFIG = {};
inline constexpr LnConfig DEFAULT_LN_CONFIG = {};
inline constexpr ErfConfig defaultErfConfig = {};

// Without a word the overloads of asc_vector.h are meant: here the word has no default.
template <typename T, const DivConfig &config>
void Div(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,
         const int32_t &count, weft_asc_at at = weft_asc::Here()) {
  Div(dst, src0, src1, count, at);
}
template <typename T, bool isSetMask, const DivConfig &config, typename Mask>
void Div(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1, const Mask mask,
         const uint8_t repeatTime, const BinaryRepeatParams &p, weft_asc_at at = weft_asc::Here()) {
  Div<T, isSetMask>(dst, src0, src1, mask, repeatTime, p, at);
}
#define WEFT_ASC_EXACTLY(Name, Config)                                                                       \
  template <typename T, const Config &config>                                                                \
  void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int32_t &count,                      \
            weft_asc_at at = weft_asc::Here()) {                                                             \
    Name(dst, src, count, at);                                                                               \
  }                                                                                                          \
  template <typename T, bool isSetMask, const Config &config, typename Mask>                                 \
  void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const Mask mask, const uint8_t repeatTime, \
            const UnaryRepeatParams &p, weft_asc_at at = weft_asc::Here()) {                                 \
    Name<T, isSetMask>(dst, src, mask, repeatTime, p, at);                                                   \
  }
WEFT_ASC_EXACTLY(Sqrt, SqrtConfig)
WEFT_ASC_EXACTLY(Exp, ExpConfig)
WEFT_ASC_EXACTLY(Ln, LnConfig)
#undef WEFT_ASC_EXACTLY
template <typename T, bool isReuseSource, const ErfConfig &config>
void Erf(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint8_t> &,
         const uint32_t count, weft_asc_at at = weft_asc::Here()) {
  weft_asc::Vector(WEFT_ASC_ERF).To(dst).From(src).Count(count).Run(at);
}
template <typename T, bool isReuseSource, const ErfConfig &config>
void Erf(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t count,
         weft_asc_at at = weft_asc::Here()) {
  weft_asc::Vector(WEFT_ASC_ERF).To(dst).From(src).Count(count).Run(at);
}
}  // namespace AscendC
// SPDX-License-Identifier: Apache-2.0
