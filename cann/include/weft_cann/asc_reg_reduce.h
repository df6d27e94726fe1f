// weft_cann/asc_reg_reduce.h - a register's lanes become one, one for each block, or counts. A sum over lanes
// adds neighbours, then neighbours of those.
#pragma once
#include "weft_cann/asc_reg_math.h"

namespace AscendC {
namespace Reg {
template <ReduceType type, typename T>
T ReducedOf(T a, T b) {
  return type == ReduceType::SUM ? AddOf(a, b) : type == ReduceType::MAX ? MaxOf(a, b) : MinOf(a, b);
}
// n is a power of two; `there` are the lanes that take part.
template <typename T>
T SumOf(T *lanes, uint32_t n) {
  for (uint32_t half_n = n / 2; half_n; half_n /= 2) {
    for (uint32_t i = 0; i < half_n; i++)
      lanes[i] = AddOf(lanes[2 * i], lanes[2 * i + 1]);
  }
  return lanes[0];
}
template <typename T>
constexpr bool Before(T a, T b, ReduceType type) {
  return type == ReduceType::MAX ? static_cast<Ordered<T>>(a) > static_cast<Ordered<T>>(b)
                                 : static_cast<Ordered<T>>(a) < static_cast<Ordered<T>>(b);
}
// The best of the lanes [first, last) that take part, or `last`: none does.
template <ReduceType type, typename V>
uint32_t BestOf(const V &src, const MaskReg &mask, uint32_t first, uint32_t last) {
  uint32_t best = last;
  for (uint32_t i = first; i < last; i++) {
    if (LaneOn<V>(mask, i) && (best == last || Before(src.Get(i), src.Get(best), type)))
      best = i;
  }
  return best;
}
template <typename R, typename V>
R SumLanes(const V &src, const MaskReg &mask, uint32_t first, uint32_t n) {
  R lanes[V::kLanes];
  for (uint32_t i = 0; i < n; i++)
    lanes[i] = LaneOn<V>(mask, first + i) ? static_cast<R>(src.Get(first + i)) : static_cast<R>(0);
  return SumOf(lanes, n);
}
// What no lane gives: zero, or what every number is better than.
template <ReduceType type, typename T>
T ReducedOfNone() {
  if constexpr (kFloating<T>)
    return static_cast<T>(type == ReduceType::MAX ? -INFINITY : INFINITY);
  else
    return type == ReduceType::MAX ? std::numeric_limits<T>::lowest() : std::numeric_limits<T>::max();
}
// Lane 0: the result. Of MAX and MIN lane 1: the first lane that has it. The others are zero, or stay.
template <ReduceType type = ReduceType::SUM, typename T = DefaultType, typename U = DefaultType,
          MaskMergeMode mode = MaskMergeMode::ZEROING, typename S, typename V>
void Reduce(S &dstReg, V srcReg, MaskReg mask) {
  using R = LaneOf<S>;
  S to;
  if (mode == MaskMergeMode::MERGING)
    to = dstReg;
  if constexpr (type == ReduceType::SUM) {
    to.Set(0, SumLanes<R>(srcReg, mask, 0, V::kLanes));
  } else {
    const uint32_t best = BestOf<type>(srcReg, mask, 0, V::kLanes);
    const bool none = best == V::kLanes;
    to.Set(0, none ? ReducedOfNone<type, R>() : static_cast<R>(srcReg.Get(best)));
    if constexpr (S::kLanes > 1)
      to.Set(1, FromBits<R>(static_cast<BitsOf<R>>(none ? 0 : best)));
  }
  dstReg = to;
}
#define WEFT_ASC_REDUCE(Name, type)                                                                        \
  template <typename T = DefaultType, MaskMergeMode mode = MaskMergeMode::ZEROING, typename S, typename V> \
  void Name(S &dstReg, V srcReg, MaskReg mask) {                                                           \
    Reduce<type, T, T, mode>(dstReg, srcReg, mask);                                                        \
  }
WEFT_ASC_REDUCE(ReduceSum, ReduceType::SUM)
WEFT_ASC_REDUCE(ReduceMax, ReduceType::MAX)
WEFT_ASC_REDUCE(ReduceMin, ReduceType::MIN)
#undef WEFT_ASC_REDUCE
// One result for each 32 bytes of the source, one after another.
template <ReduceType type = ReduceType::SUM, typename T = DefaultType,
          MaskMergeMode mode = MaskMergeMode::ZEROING, typename S, typename V>
void ReduceDataBlock(S &dstReg, V srcReg, MaskReg mask) {
  using R = LaneOf<S>;
  constexpr uint32_t per_block = 32 / sizeof(LaneOf<V>);
  S to;
  for (uint32_t block = 0; block < V::kLanes / per_block; block++) {
    const uint32_t first = block * per_block, last = first + per_block;
    if constexpr (type == ReduceType::SUM) {
      to.Set(block, SumLanes<R>(srcReg, mask, first, per_block));
    } else {
      const uint32_t best = BestOf<type>(srcReg, mask, first, last);
      to.Set(block, best == last ? ReducedOfNone<type, R>() : static_cast<R>(srcReg.Get(best)));
    }
  }
  dstReg = to;
}
template <PairReduce type = PairReduce::SUM, typename T = DefaultType,
          MaskMergeMode mode = MaskMergeMode::ZEROING, typename U>
void PairReduceElem(U &dstReg, U srcReg, MaskReg mask) {
  U to;
  for (uint32_t i = 0; i < U::kLanes / 2; i++)
    to.Set(i, SumLanes<LaneOf<U>>(srcReg, mask, 2 * i, 2));
  dstReg = to;
}

// Counts of bytes, added to 128 counters: those of one half of the values. ACCUMULATE: of all that are not
// larger.
template <typename T = DefaultType, typename U = DefaultType, HistogramsBinType mode, HistogramsType type,
          typename S, typename V>
void Histograms(V &dstReg, S &srcReg, MaskReg &mask) {
  constexpr uint32_t bins = V::kLanes;
  constexpr uint32_t first = static_cast<uint32_t>(mode) * bins;
  for (uint32_t i = 0; i < S::kLanes; i++) {
    if (!LaneOn<S>(mask, i))
      continue;
    const uint32_t value = srcReg.Get(i);
    const uint32_t from = value < first ? 0 : value - first;
    const bool counted = type == HistogramsType::ACCUMULATE || (value >= first && from < bins);
    if (!counted)
      continue;
    const uint32_t end = type == HistogramsType::ACCUMULATE ? bins : from + 1;
    for (uint32_t bin = from; bin < end; bin++)
      dstReg.Set(bin, static_cast<LaneOf<V>>(dstReg.Get(bin) + 1));
  }
}
}  // namespace Reg
}  // namespace AscendC
// SPDX-License-Identifier: Apache-2.0
