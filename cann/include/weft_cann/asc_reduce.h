// weft_cann/asc_reduce.h - reductions: of a whole tensor, of each repeat, of each block of 32 bytes, of
// pairs. Sums are made lane by lane and the lanes in pairs, always in the same order; half sums in float and
// rounds once. Of equal values the first one's place counts; NaN is larger and smaller than all.
#pragma once
#include "weft_cann/asc_vector.h"

namespace weft_asc {
// How many elements of a repeat become one.
enum class Part {
  kRepeat = WEFT_ASC_REDUCE_REPEAT,
  kBlock = WEFT_ASC_REDUCE_BLOCK,
  kPair = WEFT_ASC_REDUCE_PAIR
};

template <typename T, typename U>
weft_asc_reduce Reduction(weft_asc_vector_op op, const AscendC::LocalTensor<T> &dst,
                          const AscendC::LocalTensor<U> &src) {
  weft_asc_reduce r = {};
  r.op = op;
  r.to = AscendC::DtypeOf<T>::kValue;
  r.dst = dst.Data();
  r.src = Operand(src);
  return r;
}
inline void InRepeats(weft_asc_reduce &r, const uint64_t *mask, int32_t repeats, bool set) {
  r.in_repeats = true;
  r.mask[0] = mask[0];
  r.mask[1] = mask[1];
  r.mask_register = !set;
  r.repeats = repeats > 0 ? static_cast<uint32_t>(repeats) : 0;
}
inline void InRepeats(weft_asc_reduce &r, int64_t mask, int32_t repeats, bool set) {
  uint64_t bits[2];
  MaskOf(mask > 0 ? static_cast<uint64_t>(mask) : 0, bits);
  InRepeats(r, bits, repeats, set);
}
}  // namespace weft_asc

namespace AscendC {
// ---- of a whole tensor ----

// dst[0], and for the larger and smaller one with calIndex its place behind it, as bits of an unsigned number
// as wide. The work tensor is not touched.
#define WEFT_ASC_REDUCE(Name, OP, indexed)                                                                   \
  template <typename T, bool isSetMask = true, typename Mask>                                                \
  void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &sharedTmpBuffer,     \
            const Mask mask, const int32_t repeatTime, const int32_t srcRepStride WEFT_ASC_INDEX_##indexed,  \
            weft_asc_at at = weft_asc::Here()) {                                                             \
    (void)sharedTmpBuffer;                                                                                   \
    weft_asc_reduce r = weft_asc::Reduction(WEFT_ASC_##OP, dst, src);                                        \
    weft_asc::InRepeats(r, mask, repeatTime, isSetMask);                                                     \
    r.src.repeat = static_cast<uint32_t>(srcRepStride);                                                      \
    r.index_behind = WEFT_ASC_INDEX_VALUE_##indexed;                                                         \
    weft_asc_reduce_run(&r, at);                                                                             \
  }                                                                                                          \
  template <typename T, bool isSetMask = true>                                                               \
  void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &sharedTmpBuffer,     \
            const int32_t count WEFT_ASC_INDEX_##indexed, weft_asc_at at = weft_asc::Here()) {               \
    (void)sharedTmpBuffer;                                                                                   \
    weft_asc_reduce_plain(WEFT_ASC_##OP, DtypeOf<T>::kValue, dst.Data(), src.Data(),                         \
                          count > 0 ? static_cast<uint32_t>(count) : 0, WEFT_ASC_INDEX_VALUE_##indexed, at); \
  }
#define WEFT_ASC_INDEX_0
#define WEFT_ASC_INDEX_1       , bool calIndex = false
#define WEFT_ASC_INDEX_VALUE_0 false
#define WEFT_ASC_INDEX_VALUE_1 calIndex
WEFT_ASC_REDUCE(ReduceSum, ADD, 0)
WEFT_ASC_REDUCE(ReduceMax, MAX, 1)
WEFT_ASC_REDUCE(ReduceMin, MIN, 1)
#undef WEFT_ASC_REDUCE

// ---- along an axis of a matrix ----
namespace Pattern {
namespace Reduce {
struct AR {};  // each row becomes one number
struct RA {};  // each column
}  // namespace Reduce
}  // namespace Pattern
// srcShape: rows and columns. With srcInnerPad rows begin at blocks of 32 bytes.
template <typename T, typename pattern>
void ReduceMatrix(weft_asc_vector_op op, const LocalTensor<T> &dst, const LocalTensor<T> &src,
                  const uint32_t shape[], bool padded, weft_asc_at at) {
  constexpr uint32_t kBlock = 32 / sizeof(T);
  const uint32_t pitch = padded ? (shape[1] + kBlock - 1) / kBlock * kBlock : shape[1];
  const weft_asc_reduce_matrix m = {
      op,       DtypeOf<T>::kValue, dst.Data(), src.Data(),
      shape[0], shape[1],           pitch,      std::is_same<pattern, Pattern::Reduce::AR>::value};
  weft_asc_reduce_matrix_run(&m, at);
}
#define WEFT_ASC_REDUCE_PATTERN(Name, OP)                                                       \
  template <typename T, typename pattern, bool isReuseSource = false>                           \
  void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint8_t> &, \
            const uint32_t srcShape[], bool srcInnerPad, weft_asc_at at = weft_asc::Here()) {   \
    ReduceMatrix<T, pattern>(WEFT_ASC_##OP, dst, src, srcShape, srcInnerPad, at);               \
  }                                                                                             \
  template <typename T, typename pattern, bool isReuseSource = false>                           \
  void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t srcShape[],    \
            bool srcInnerPad, weft_asc_at at = weft_asc::Here()) {                              \
    ReduceMatrix<T, pattern>(WEFT_ASC_##OP, dst, src, srcShape, srcInnerPad, at);               \
  }
WEFT_ASC_REDUCE_PATTERN(ReduceSum, ADD)
WEFT_ASC_REDUCE_PATTERN(ReduceMax, MAX)
WEFT_ASC_REDUCE_PATTERN(ReduceMin, MIN)
#undef WEFT_ASC_REDUCE_PATTERN

// ---- of each repeat, block or pair ----

template <bool isSetMask, typename T, typename U, typename Mask>
void ReduceParts(weft_asc_vector_op op, weft_asc::Part part, const LocalTensor<T> &dst,
                 const LocalTensor<U> &src, const Mask mask, int32_t repeatTime, int32_t dstRepStride,
                 int32_t srcBlkStride, int32_t srcRepStride, weft_asc_reduce_order order, weft_asc_at at) {
  weft_asc_reduce r = weft_asc::Reduction(op, dst, src);
  weft_asc::InRepeats(r, mask, repeatTime, isSetMask);
  r.part = static_cast<weft_asc_reduce_part>(part);
  r.dst_stride = static_cast<uint32_t>(dstRepStride);
  r.src.block = static_cast<uint32_t>(srcBlkStride);
  r.src.repeat = static_cast<uint32_t>(srcRepStride);
  r.order = order;
  weft_asc_reduce_run(&r, at);
}
#define WEFT_ASC_REDUCE_PARTS(Name, OP, PART)                                                                \
  template <typename T, bool isSetMask = true, typename Mask>                                                \
  void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const Mask mask, const int32_t repeatTime, \
            const int32_t dstRepStride, const int32_t srcBlkStride, const int32_t srcRepStride,              \
            weft_asc_at at = weft_asc::Here()) {                                                             \
    ReduceParts<isSetMask>(WEFT_ASC_##OP, weft_asc::Part::PART, dst, src, mask, repeatTime, dstRepStride,    \
                           srcBlkStride, srcRepStride, WEFT_ASC_ORDER_VALUE, at);                            \
  }
WEFT_ASC_REDUCE_PARTS(WholeReduceSum, ADD, kRepeat)
WEFT_ASC_REDUCE_PARTS(PairReduceSum, ADD, kPair)
#undef WEFT_ASC_REDUCE_PARTS
// Names whose number of repeats stands before the mask.
#define WEFT_ASC_REDUCE_BLOCKS(Name, OP)                                                                 \
  template <typename T, bool isSetMask = true, typename Mask>                                            \
  void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int32_t repeat, const Mask mask, \
            const int32_t dstRepStride, const int32_t srcBlkStride, const int32_t srcRepStride,          \
            weft_asc_at at = weft_asc::Here()) {                                                         \
    ReduceParts<isSetMask>(WEFT_ASC_##OP, weft_asc::Part::kBlock, dst, src, mask, repeat, dstRepStride,  \
                           srcBlkStride, srcRepStride, WEFT_ASC_ORDER_VALUE, at);                        \
  }
WEFT_ASC_REDUCE_BLOCKS(BlockReduceSum, ADD)
WEFT_ASC_REDUCE_BLOCKS(BlockReduceMax, MAX)
WEFT_ASC_REDUCE_BLOCKS(BlockReduceMin, MIN)
#undef WEFT_ASC_REDUCE_BLOCKS
template <typename T, bool isSetMask = true>
void RepeatReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int32_t repeatTime,
                     const int32_t mask, const int32_t dstBlkStride, const int32_t srcBlkStride,
                     const int32_t dstRepStride, const int32_t srcRepStride,
                     weft_asc_at at = weft_asc::Here()) {
  (void)dstBlkStride;
  ReduceParts<isSetMask>(WEFT_ASC_ADD, weft_asc::Part::kRepeat, dst, src, mask, repeatTime, dstRepStride,
                         srcBlkStride, srcRepStride, WEFT_ASC_ORDER_VALUE, at);
}
constexpr weft_asc_reduce_order OrderOf(ReduceOrder order) {
  return order == ReduceOrder::ORDER_VALUE_INDEX   ? WEFT_ASC_ORDER_VALUE_INDEX
         : order == ReduceOrder::ORDER_INDEX_VALUE ? WEFT_ASC_ORDER_INDEX_VALUE
         : order == ReduceOrder::ORDER_ONLY_INDEX  ? WEFT_ASC_ORDER_INDEX
                                                   : WEFT_ASC_ORDER_VALUE;
}
#define WEFT_ASC_WHOLE(Name, OP)                                                                             \
  template <typename T, bool isSetMask = true, typename Mask>                                                \
  void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const Mask mask, const int32_t repeatTime, \
            const int32_t dstRepStride, const int32_t srcBlkStride, const int32_t srcRepStride,              \
            ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX, weft_asc_at at = weft_asc::Here()) {         \
    ReduceParts<isSetMask>(WEFT_ASC_##OP, weft_asc::Part::kRepeat, dst, src, mask, repeatTime, dstRepStride, \
                           srcBlkStride, srcRepStride, OrderOf(order), at);                                  \
  }
WEFT_ASC_WHOLE(WholeReduceMax, MAX)
WEFT_ASC_WHOLE(WholeReduceMin, MIN)
#undef WEFT_ASC_WHOLE

constexpr weft_asc_vector_op ReduceOpOf(ReduceType type) {
  return type == ReduceType::MAX ? WEFT_ASC_MAX : type == ReduceType::MIN ? WEFT_ASC_MIN : WEFT_ASC_ADD;
}
template <ReduceType reduceType, typename T, typename U, bool isSetMask = true, typename Mask>
void ReduceRepeat(const LocalTensor<T> &dst, const LocalTensor<U> &src, const Mask mask,
                  const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride,
                  const int32_t srcRepStride, ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX,
                  weft_asc_at at = weft_asc::Here()) {
  ReduceParts<isSetMask>(ReduceOpOf(reduceType), weft_asc::Part::kRepeat, dst, src, mask, repeatTime,
                         dstRepStride, srcBlkStride, srcRepStride,
                         reduceType == ReduceType::SUM ? WEFT_ASC_ORDER_VALUE : OrderOf(order), at);
}
template <ReduceType reduceType, typename T, typename U, bool isSetMask = true, typename Mask>
void ReduceDataBlock(const LocalTensor<T> &dst, const LocalTensor<U> &src, const Mask mask,
                     const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride,
                     const int32_t srcRepStride, weft_asc_at at = weft_asc::Here()) {
  ReduceParts<isSetMask>(ReduceOpOf(reduceType), weft_asc::Part::kBlock, dst, src, mask, repeatTime,
                         dstRepStride, srcBlkStride, srcRepStride, WEFT_ASC_ORDER_VALUE, at);
}
template <ReduceType reduceType, typename T, typename U, bool isSetMask = true, typename Mask>
void ReducePairElem(const LocalTensor<T> &dst, const LocalTensor<U> &src, const Mask mask,
                    const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride,
                    const int32_t srcRepStride, weft_asc_at at = weft_asc::Here()) {
  ReduceParts<isSetMask>(ReduceOpOf(reduceType), weft_asc::Part::kPair, dst, src, mask, repeatTime,
                         dstRepStride, srcBlkStride, srcRepStride, WEFT_ASC_ORDER_VALUE, at);
}
// The value and the place that the last ReduceMax, ReduceMin or their repeats found; the sum of the last one.
template <typename T>
void GetReduceMaxMinCount(T &maxMinValue, T &maxMinIndex) {
  const weft_asc_core *core = weft_asc_current();
  if (!core)
    return;
  memcpy(&maxMinValue, &core->reduced[0], sizeof(T));
  memcpy(&maxMinIndex, &core->reduced[1], sizeof(T));
}
template <typename T>
void GetReduceMaxMinCount(T &maxMinValue) {
  T place;
  GetReduceMaxMinCount(maxMinValue, place);
}
template <typename T>
T GetAccVal() {
  const weft_asc_core *core = weft_asc_current();
  return static_cast<T>(core ? static_cast<float>(core->accumulated) : 0.0f);
}
}  // namespace AscendC
// SPDX-License-Identifier: Apache-2.0
