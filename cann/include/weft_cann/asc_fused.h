// weft_cann/asc_fused.h - instructions with two names: arithmetic whose result is converted to a narrower
// type, and those of the compare register, of blocks by place, of truth values. What the arithmetic gives has
// the type of its sources before it is converted, to the nearest.
#pragma once
#include "weft_cann/asc_binary_scalar.h"
#include "weft_cann/asc_gather.h"
#include "weft_cann/asc_reduce.h"

namespace weft_asc {
inline void CheckDeqScale(weft_asc_at at) {
  const weft_asc_core *core = weft_asc_current();
  if (core && core->deq_scale < 0)
    weft_asc_fail(at, "AddDeqRelu: the factor of SetDeqScale is %g, and has to be positive", core->deq_scale);
}

// dst = truth(src0 is not 0, src1 is not 0) ? 1 : 0
template <typename T, typename U, typename F>
void LogicalRun(const char *name, const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<U> &src0,
                const AscendC::LocalTensor<U> &src1, uint32_t count, F truth, weft_asc_at at) {
  const auto zero = static_cast<AscendC::PrimT<U>>(0);
  Vector(WEFT_ASC_AND).To(dst).From(src0).From(src1).Count(count).Touch(name, at);
  for (uint32_t i = 0; i < count; i++) {
    const bool holds = truth(src0.Data()[i] != zero, src1.Data()[i] != zero);
    dst.Data()[i] = static_cast<AscendC::PrimT<T>>(holds ? 1 : 0);
  }
}
}  // namespace weft_asc

namespace AscendC {
// Rows, and how long they are, of DropOut's source and of its mask. Kernels keep sizes in it.
struct DropOutShapeInfo {
  uint32_t firstAxis = 0;
  uint32_t srcLastAxis = 0;
  uint32_t maskLastAxis = 0;
};

#define WEFT_ASC_CONVERTED(Name, OP, Number)                                                                 \
  template <typename T, typename U, bool isSetMask = true, typename Mask>                                    \
  void Name(const LocalTensor<T> &dst, const LocalTensor<U> &src0, const LocalTensor<U> &src1,               \
            const Mask mask, const uint8_t repeatTime, const BinaryRepeatParams &p,                          \
            weft_asc_at at = weft_asc::Here()) {                                                             \
    weft_asc::Vector(WEFT_ASC_##OP)                                                                          \
        .To(dst, p.dstBlkStride, p.dstRepStride)                                                             \
        .From(src0, p.src0BlkStride, p.src0RepStride)                                                        \
        .From(src1, p.src1BlkStride, p.src1RepStride)                                                        \
        .Repeats(mask, repeatTime, isSetMask)                                                                \
        .Converts()                                                                                          \
        .Run(at);                                                                                            \
  }                                                                                                          \
  template <typename T, typename U>                                                                          \
  void Name(const LocalTensor<T> &dst, const LocalTensor<U> &src0, const LocalTensor<U> &src1, Number count, \
            weft_asc_at at = weft_asc::Here()) {                                                             \
    weft_asc::Vector(WEFT_ASC_##OP).To(dst).From(src0).From(src1).Count(count).Converts().Run(at);           \
  }
WEFT_ASC_CONVERTED(AddReluCast, ADD_RELU, const uint32_t)
WEFT_ASC_CONVERTED(SubReluCast, SUB_RELU, const uint32_t)
WEFT_ASC_CONVERTED(MulCast, MUL, uint32_t)
#undef WEFT_ASC_CONVERTED

// max(0, src0 + src1) times the factor of SetDeqScale, which has to be positive.
template <typename T = half, typename U = int32_t, bool isSetMask = true, typename Mask>
void AddDeqRelu(const LocalTensor<T> &dst, const LocalTensor<U> &src0, const LocalTensor<U> &src1,
                const Mask mask, const uint8_t repeatTime, const BinaryRepeatParams &p,
                weft_asc_at at = weft_asc::Here()) {
  weft_asc::CheckDeqScale(at);
  AddReluCast<T, U, isSetMask>(dst, src0, src1, mask, repeatTime, p, at);
}
template <bool isSetMask, typename Mask>
void AddDeqRelu(const LocalTensor<half> &dst, const LocalTensor<int32_t> &src0,
                const LocalTensor<int32_t> &src1, const Mask mask, const uint8_t repeatTime,
                const BinaryRepeatParams &p, weft_asc_at at = weft_asc::Here()) {
  AddDeqRelu<half, int32_t, isSetMask>(dst, src0, src1, mask, repeatTime, p, at);
}
template <typename T = half, typename U = int32_t>
void AddDeqRelu(const LocalTensor<T> &dst, const LocalTensor<U> &src0, const LocalTensor<U> &src1,
                const int32_t &count, weft_asc_at at = weft_asc::Here()) {
  weft_asc::CheckDeqScale(at);
  AddReluCast(dst, src0, src1, static_cast<uint32_t>(count > 0 ? count : 0), at);
}

// src0 times src1, converted; the one that scalarTensorIndex names is a number, or a tensor whose first one
// counts.
template <typename T0 = BinaryDefaultType, typename T1 = BinaryDefaultType,
          const BinaryConfig &config = DEFAULT_BINARY_CONFIG, typename T2, typename T3, typename T4>
void FusedMulsCast(const T2 &dst, const T3 &src0, const T4 &src1, const uint32_t count,
                   weft_asc_at at = weft_asc::Here()) {
  const weft_asc::TensorAndNumber<config.scalarTensorIndex, T3, T4> both(src0, src1, at);
  weft_asc::Vector(WEFT_ASC_MUL)
      .To(dst)
      .From(both.tensor)
      .Scalar(both.number)
      .Count(count)
      .Converts()
      .Run(at);
}

template <typename T0 = BinaryDefaultType, typename T1 = BinaryDefaultType,
          const BinaryConfig &config = DEFAULT_BINARY_CONFIG, typename T2, typename T3, typename T4>
void MulsCast(const T2 &dst, const T3 &src0, const T4 &src1, const uint32_t count,
              weft_asc_at at = weft_asc::Here()) {
  FusedMulsCast<T0, T1, config>(dst, src0, src1, count, at);
}
// e^(src0 - src1), where dst is wider.
#define WEFT_ASC_WIDENED(Name)                                                                               \
  template <typename T, typename U>                                                                          \
  auto Name(const LocalTensor<T> &dst, const LocalTensor<U> &src0, const LocalTensor<U> &src1,               \
            const uint32_t count, weft_asc_at at = weft_asc::Here())                                         \
      ->std::enable_if_t<!std::is_same<T, U>::value> {                                                       \
    weft_asc::Vector(WEFT_ASC_COPY).To(dst).From(src0).From(src1).Count(count).Touch(#Name, at);             \
    for (uint32_t i = count; i-- > 0;)                                                                       \
      dst.Data()[i] =                                                                                        \
          static_cast<T>(std::exp(static_cast<float>(src0.Data()[i]) - static_cast<float>(src1.Data()[i]))); \
  }
WEFT_ASC_WIDENED(ExpSub)
WEFT_ASC_WIDENED(FusedExpSub)
#undef WEFT_ASC_WIDENED
// The low half of the product in dst0, the high one in dst1.
template <typename T>
void Mull(const LocalTensor<T> &dst0, const LocalTensor<T> &dst1, const LocalTensor<T> &src0,
          const LocalTensor<T> &src1, const uint32_t count, weft_asc_at at = weft_asc::Here()) {
  static_assert(std::is_integral<PrimT<T>>::value && sizeof(T) == 4, "Mull takes whole numbers of 32 bits");
  using Wide = std::conditional_t<std::is_signed<PrimT<T>>::value, int64_t, uint64_t>;
  weft_asc::Vector(WEFT_ASC_MUL).To(dst0).From(src0).From(src1).Count(count).Touch("Mull", at);
  weft_asc::Vector(WEFT_ASC_MUL).To(dst1).From(src0).From(src1).Count(count).Touch("Mull", at);
  for (uint32_t i = 0; i < count; i++) {
    const Wide product = static_cast<Wide>(src0.Data()[i]) * src1.Data()[i];
    dst0.Data()[i] = static_cast<PrimT<T>>(product);
    dst1.Data()[i] = static_cast<PrimT<T>>(product >> 32);
  }
}

// ---- the compare register ----

template <typename T>
void SetCmpMask(const LocalTensor<T> &src, weft_asc_at at = weft_asc::Here()) {
  weft_asc_compare_register(src.Data(), true, at);
}
template <typename T>
void GetCmpMask(const LocalTensor<T> &dst, weft_asc_at at = weft_asc::Here()) {
  weft_asc_compare_register(dst.Data(), false, at);
}

// ---- what the last reduction left ----

template <typename T>
void GetReduceRepeatMaxMinSpr(T &maxMinValue, T &maxMinIndex) {
  GetReduceMaxMinCount(maxMinValue, maxMinIndex);
}
template <typename T>
void GetReduceRepeatMaxMinSpr(T &maxMinValue) {
  GetReduceMaxMinCount(maxMinValue);
}
template <typename T>
T GetReduceRepeatSumSpr() {
  return GetAccVal<T>();
}

// ---- blocks by place ----

struct GatherRepeatParams {
  GatherRepeatParams() {}
  GatherRepeatParams(const uint8_t dstBlkStrideIn, const uint8_t dstRepStrideIn)
      : dstRepStride(dstRepStrideIn), dstBlkStride(dstBlkStrideIn) {}
  uint32_t blockNumber = DEFAULT_BLK_NUM;
  uint16_t dstRepStride = DEFAULT_REPEAT_STRIDE;
  uint8_t dstBlkStride = DEFAULT_BLK_STRIDE;
  uint8_t src0BlkStride = DEFAULT_BLK_STRIDE;
  uint8_t src1BlkStride = DEFAULT_BLK_STRIDE;
  uint8_t src0RepStride = DEFAULT_REPEAT_STRIDE;
  uint8_t src1RepStride = DEFAULT_REPEAT_STRIDE;
  bool repeatStrideMode = false;
  bool strideSizeMode = false;
};
// Offsets count in bytes, one for each block of 32.
template <typename T>
void Gatherb(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint32_t> &offset,
             const uint8_t repeatTime, const GatherRepeatParams &p, weft_asc_at at = weft_asc::Here()) {
  const weft_asc_gather_blocks g = {dst.Data(), src.Data(),     offset.Data(),
                                    repeatTime, p.dstBlkStride, p.dstRepStride};
  weft_asc_gather_blocks_run(&g, at);
}

// ---- truth values ----

struct LogicalAndConfig {
  bool isReuseSource = false;
};
struct LogicalOrConfig {
  bool isReuseSource = false;
};
inline constexpr LogicalAndConfig DEFAULT_LOGICAL_AND_CONFIG = {};
inline constexpr LogicalOrConfig DEFAULT_LOGICAL_OR_CONFIG = {};
// 1 where both (one of the two) differ from zero, else 0.
template <const LogicalAndConfig &config = DEFAULT_LOGICAL_AND_CONFIG, typename T, typename U>
void LogicalAnd(const LocalTensor<T> &dst, const LocalTensor<U> &src0, const LocalTensor<U> &src1,
                const uint32_t count, weft_asc_at at = weft_asc::Here()) {
  const auto both = [](bool a, bool b) { return a && b; };
  weft_asc::LogicalRun("LogicalAnd", dst, src0, src1, count, both, at);
}
template <const LogicalOrConfig &config = DEFAULT_LOGICAL_OR_CONFIG, typename T, typename U>
void LogicalOr(const LocalTensor<T> &dst, const LocalTensor<U> &src0, const LocalTensor<U> &src1,
               const uint32_t count, weft_asc_at at = weft_asc::Here()) {
  const auto one = [](bool a, bool b) { return a || b; };
  weft_asc::LogicalRun("LogicalOr", dst, src0, src1, count, one, at);
}
}  // namespace AscendC
// SPDX-License-Identifier: Apache-2.0
