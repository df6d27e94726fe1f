// weft_cann/asc_sort.h - order by value, larger ones first; of equal values the first stays first. A pair is
// 8 bytes: a value, float or half, and behind it at byte 4 its number. A proposal is 8 elements of which
// element 4 is the score.
#pragma once
#include "weft_cann/asc_words.h"
#include "weft_cann/asc_gather.h"

namespace AscendC {
inline constexpr SortConfig DEFAULT_SORT_CONFIG = {SortType::RADIX_SORT, false, false, false};

// ---- pairs ----

// How many elements a number of pairs takes.
template <typename T>
constexpr uint32_t GetSortOffset(const uint32_t elemOffset) {
  return elemOffset * 8 / sizeof(T);
}
template <typename T>
constexpr uint32_t GetSortLen(const uint32_t elemCount) {
  return GetSortOffset<T>(elemCount);
}
}  // namespace AscendC

namespace weft_asc {
constexpr uint32_t kPair = 8, kNumber = 4, kScore = 4;

template <typename T, typename U>
void Strided(const char *name, T *dst, uint32_t dst_step, const U *src, uint32_t src_step, uint32_t piece,
             uint32_t count, weft_asc_at at) {
  const weft_asc_strided s = {name, dst, src, piece, count, dst_step, src_step};
  weft_asc_strided_run(&s, at);
}
template <typename T>
void Pairs(const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<T> &values,
           const AscendC::LocalTensor<uint32_t> &numbers, uint32_t count, weft_asc_at at) {
  uint8_t *pairs = reinterpret_cast<uint8_t *>(dst.Data());
  if (sizeof(T) < kNumber && count)
    AscendC::Duplicate(dst, static_cast<T>(0.0f), static_cast<int32_t>(AscendC::GetSortLen<T>(count)), at);
  Strided("Sort: values", pairs, kPair, values.Data(), sizeof(T), sizeof(T), count, at);
  Strided("Sort: indices", pairs + kNumber, kPair, numbers.Data(), kNumber, kNumber, count, at);
}
template <typename T>
void SortItems(const AscendC::LocalTensor<T> &dst, const void *src, uint32_t item, uint32_t key,
               uint32_t count, uint32_t lists, weft_asc_at at) {
  const weft_asc_sort s = {AscendC::DtypeOf<T>::kValue, dst.Data(), src, item, key, count, lists};
  weft_asc_sort_run(&s, at);
}
inline uint32_t Repeats(int32_t repeats) {
  return repeats > 0 ? static_cast<uint32_t>(repeats) : 0;
}
}  // namespace weft_asc

namespace AscendC {
// Each 32 values with their numbers become 32 pairs in order.
template <typename T>
void Sort32(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<uint32_t> &src1,
            const int32_t repeatTime, weft_asc_at at = weft_asc::Here()) {
  const uint32_t repeats = weft_asc::Repeats(repeatTime);
  weft_asc::Pairs(dst, src0, src1, repeats * 32, at);
  weft_asc::SortItems(dst, dst.Data(), weft_asc::kPair, 0, 32, repeats, at);
}
// Values as Sort takes them: as they are.
template <typename T>
void Concat(LocalTensor<T> &concat, const LocalTensor<T> &src, const LocalTensor<T> &, const int32_t) {
  concat = src;
}
// isFullSort: all of them in one order, otherwise each 32.
template <typename T, bool isFullSort>
void Sort(const LocalTensor<T> &dst, const LocalTensor<T> &concat, const LocalTensor<uint32_t> &index,
          const LocalTensor<T> &, const int32_t repeatTime, weft_asc_at at = weft_asc::Here()) {
  const uint32_t repeats = weft_asc::Repeats(repeatTime);
  weft_asc::Pairs(dst, concat, index, repeats * 32, at);
  weft_asc::SortItems(dst, dst.Data(), weft_asc::kPair, 0, isFullSort ? repeats * 32 : 32,
                      isFullSort ? 1 : repeats, at);
}
// Pairs apart: 32 a repeat.
template <typename T>
void Extract(const LocalTensor<T> &dstValue, const LocalTensor<uint32_t> &dstIndex,
             const LocalTensor<T> &sorted, const int32_t repeatTime, weft_asc_at at = weft_asc::Here()) {
  const uint32_t count = weft_asc::Repeats(repeatTime) * 32;
  const uint8_t *pairs = reinterpret_cast<const uint8_t *>(sorted.Data());
  weft_asc::Strided("Extract", dstValue.Data(), sizeof(T), pairs, weft_asc::kPair, sizeof(T), count, at);
  weft_asc::Strided("Extract", dstIndex.Data(), weft_asc::kNumber, pairs + weft_asc::kNumber, weft_asc::kPair,
                    weft_asc::kNumber, count, at);
}

// ---- merging ----

struct MrgSort4Info {
  MrgSort4Info() {}
  MrgSort4Info(const uint16_t elementLengthsIn[4], const bool ifExhaustedSuspensionIn,
               const uint16_t validBitIn, const uint16_t repeatTimesIn)
      : ifExhaustedSuspension(ifExhaustedSuspensionIn),
        validBit(validBitIn),
        repeatTimes(static_cast<uint8_t>(repeatTimesIn)) {
    for (int i = 0; i < 4; i++)
      elementLengths[i] = elementLengthsIn[i];
  }
  uint16_t elementLengths[4] = {0};
  bool ifExhaustedSuspension = false;
  uint16_t validBit = 0;
  uint8_t repeatTimes = 1;
};
template <typename T>
struct MrgSortSrcList {
  MrgSortSrcList() {}
  MrgSortSrcList(const LocalTensor<T> &src1In, const LocalTensor<T> &src2In, const LocalTensor<T> &src3In,
                 const LocalTensor<T> &src4In)
      : src1(src1In), src2(src2In), src3(src3In), src4(src4In) {}
  LocalTensor<T> src1, src2, src3, src4;
};
template <typename T>
void MergeLists(const LocalTensor<T> &dst, const MrgSortSrcList<T> &src, const MrgSort4Info &p, uint32_t item,
                uint32_t key, uint32_t *taken, weft_asc_at at) {
  const LocalTensor<T> *lists[4] = {&src.src1, &src.src2, &src.src3, &src.src4};
  weft_asc_merge m = {};
  m.dtype = DtypeOf<T>::kValue;
  m.dst = dst.Data();
  for (int i = 0; i < 4; i++) {
    m.src[i] = p.validBit >> i & 1 ? lists[i]->Data() : nullptr;
    m.lengths[i] = p.elementLengths[i];
  }
  m.item = item;
  m.key = key;
  m.lists = p.validBit;
  m.repeats = p.repeatTimes;
  m.stop = p.ifExhaustedSuspension;
  m.taken = taken;
  weft_asc_merge_run(&m, at);
}
template <typename T>
void MrgSort(const LocalTensor<T> &dst, const MrgSortSrcList<T> &src, const MrgSort4Info &params,
             weft_asc_at at = weft_asc::Here()) {
  MergeLists(dst, src, params, weft_asc::kPair, 0, nullptr, at);
}
template <typename T, bool isExhaustedSuspension = false>
void MrgSort(const LocalTensor<T> &dst, const MrgSortSrcList<T> &sortList, const uint16_t elementCountList[4],
             uint32_t sortedNum[4], uint16_t validBit, const int32_t repeatTime,
             weft_asc_at at = weft_asc::Here()) {
  const MrgSort4Info p(elementCountList, isExhaustedSuspension, validBit,
                       static_cast<uint16_t>(weft_asc::Repeats(repeatTime)));
  MergeLists(dst, sortList, p, weft_asc::kPair, 0, sortedNum, at);
}
// How many of each list the last merge took.
inline void GetMrgSortResult(uint16_t &mrgSortList1, uint16_t &mrgSortList2, uint16_t &mrgSortList3,
                             uint16_t &mrgSortList4) {
  const weft_asc_core *core = weft_asc_current();
  uint16_t *const lists[4] = {&mrgSortList1, &mrgSortList2, &mrgSortList3, &mrgSortList4};
  for (int i = 0; core && i < 4; i++)
    *lists[i] = static_cast<uint16_t>(core->merged[i]);
}

// ---- proposals: 16 a repeat ----

template <typename T>
void RpSort16(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int32_t repeatTime,
              weft_asc_at at = weft_asc::Here()) {
  weft_asc::SortItems(dst, src.Data(), 8 * sizeof(T), weft_asc::kScore * sizeof(T), 16,
                      weft_asc::Repeats(repeatTime), at);
}
template <typename T>
void MrgSort4(const LocalTensor<T> &dst, const MrgSortSrcList<T> &src, const MrgSort4Info &params,
              weft_asc_at at = weft_asc::Here()) {
  MergeLists(dst, src, params, 8 * sizeof(T), weft_asc::kScore * sizeof(T), nullptr, at);
}
// Element modeNumber of proposals, written or read.
template <typename T>
void ProposalConcat(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int32_t repeatTime,
                    const int32_t modeNumber, weft_asc_at at = weft_asc::Here()) {
  weft_asc::Strided("ProposalConcat", dst.Data() + (modeNumber & 7), 8 * sizeof(T), src.Data(), sizeof(T),
                    sizeof(T), weft_asc::Repeats(repeatTime) * 16, at);
}
template <typename T>
void ProposalExtract(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int32_t repeatTime,
                     const int32_t modeNumber, weft_asc_at at = weft_asc::Here()) {
  weft_asc::Strided("ProposalExtract", dst.Data(), sizeof(T), src.Data() + (modeNumber & 7), 8 * sizeof(T),
                    sizeof(T), weft_asc::Repeats(repeatTime) * 16, at);
}
}  // namespace AscendC

namespace weft_asc {
template <typename T, typename U>
void Top(const AscendC::LocalTensor<T> &dst, U *dst_numbers, const AscendC::LocalTensor<T> &src,
         const U *numbers, uint32_t n, uint32_t k, bool largest, weft_asc_at at) {
  const weft_asc_top t = {
      AscendC::DtypeOf<T>::kValue, dst.Data(), dst_numbers, src.Data(), numbers, sizeof(U), n, k, !largest};
  weft_asc_top_run(&t, at);
}
}  // namespace weft_asc

namespace AscendC {
// ---- values, with their numbers beside them ----

template <typename T, typename U, bool isReuseSource = false, const SortConfig &config = DEFAULT_SORT_CONFIG>
void Sort(const LocalTensor<T> &dst, const LocalTensor<U> &dstIndex, const LocalTensor<T> &src,
          const LocalTensor<U> &srcIndex, const uint32_t count, weft_asc_at at = weft_asc::Here()) {
  weft_asc::Top(dst, dstIndex.Data(), src, srcIndex.Data(), count, count, config.isDescend, at);
}
template <typename T, typename U, bool isReuseSource = false, const SortConfig &config = DEFAULT_SORT_CONFIG>
void Sort(const LocalTensor<T> &dst, const LocalTensor<U> &dstIndex, const LocalTensor<T> &src,
          const LocalTensor<U> &srcIndex, const LocalTensor<uint8_t> &, const uint32_t count,
          weft_asc_at at = weft_asc::Here()) {
  weft_asc::Top(dst, dstIndex.Data(), src, srcIndex.Data(), count, count, config.isDescend, at);
}
template <typename T, bool isReuseSource = false, const SortConfig &config = DEFAULT_SORT_CONFIG>
void Sort(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t count,
          weft_asc_at at = weft_asc::Here()) {
  weft_asc::Top<T, uint32_t>(dst, nullptr, src, nullptr, count, count, config.isDescend, at);
}
template <typename T, bool isReuseSource = false, const SortConfig &config = DEFAULT_SORT_CONFIG>
void Sort(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint8_t> &,
          const uint32_t count, weft_asc_at at = weft_asc::Here()) {
  weft_asc::Top<T, uint32_t>(dst, nullptr, src, nullptr, count, count, config.isDescend, at);
}
template <typename T, bool isReuseSource = false, const SortConfig &config = DEFAULT_SORT_CONFIG>
void Sort(const LocalTensor<T> &dst, const LocalTensor<uint32_t> &dstIndex, const LocalTensor<T> &src,
          const uint32_t count, weft_asc_at at = weft_asc::Here()) {
  weft_asc::Top<T, uint32_t>(dst, dstIndex.Data(), src, nullptr, count, count, config.isDescend, at);
}
template <typename T, bool isReuseSource = false, const SortConfig &config = DEFAULT_SORT_CONFIG>
void Sort(const LocalTensor<T> &dst, const LocalTensor<uint32_t> &dstIndex, const LocalTensor<T> &src,
          const LocalTensor<uint8_t> &, const uint32_t count, weft_asc_at at = weft_asc::Here()) {
  weft_asc::Top<T, uint32_t>(dst, dstIndex.Data(), src, nullptr, count, count, config.isDescend, at);
}

inline constexpr TopKConfig defaultTopKConfig = {TopKAlgo::MERGE_SORT, TopKOrder::UNSET, true};
struct TopKInfo {
  int32_t outter = 1;
  int32_t inner = 0;
  int32_t n = 0;
};
// Of each row of `inner` numbers, of which n count, the first k. Rows of the result begin at blocks of 32
// bytes, in small mode one behind the other. A row that is finished has n for each of its indices.
template <typename T, bool isInitIndex = false, bool isHasfinish = false, bool isReuseSrc = false,
          TopKMode topkMode = TopKMode::TOPK_NORMAL, const TopKConfig &config = defaultTopKConfig,
          typename Tiling>
void TopK(const LocalTensor<T> &dstValue, const LocalTensor<int32_t> &dstIndex, const LocalTensor<T> &src,
          const LocalTensor<int32_t> &srcIndex, const LocalTensor<bool> &finish, const int32_t k,
          const Tiling &, const TopKInfo &info, const bool isLargest = true,
          weft_asc_at at = weft_asc::Here()) {
  const auto padded = [k](int32_t block) {
    return topkMode == TopKMode::TOPK_NSMALL ? k : (k + block - 1) / block * block;
  };
  const bool largest = config.order == TopKOrder::UNSET ? isLargest : config.order == TopKOrder::LARGEST;
  const int32_t value_pitch = padded(32 / static_cast<int32_t>(sizeof(T)));
  const int32_t index_pitch = padded(8);
  for (int32_t row = 0; row < info.outter; row++) {
    int32_t *to = dstIndex.Data() + row * index_pitch;
    const int32_t *numbers = isInitIndex ? srcIndex.Data() : nullptr;
    weft_asc::Top(dstValue[static_cast<uint32_t>(row * value_pitch)], to,
                  src[static_cast<uint32_t>(row * info.inner)], numbers, static_cast<uint32_t>(info.n),
                  static_cast<uint32_t>(k), largest, at);
    const bool finished = isHasfinish && finish.GetValue(static_cast<uint32_t>(row));
    for (int32_t i = 0; finished && i < k; i++)
      to[i] = info.n;
  }
}
template <typename T, bool isInitIndex = false, bool isHasfinish = false, bool isReuseSrc = false,
          TopKMode topkMode = TopKMode::TOPK_NORMAL, const TopKConfig &config = defaultTopKConfig,
          typename Tiling>
void TopK(const LocalTensor<T> &dstValue, const LocalTensor<int32_t> &dstIndex, const LocalTensor<T> &src,
          const LocalTensor<int32_t> &srcIndex, const LocalTensor<bool> &finish, const LocalTensor<uint8_t> &,
          const int32_t k, const Tiling &tiling, const TopKInfo &info, const bool isLargest = true,
          weft_asc_at at = weft_asc::Here()) {
  TopK<T, isInitIndex, isHasfinish, isReuseSrc, topkMode, config>(dstValue, dstIndex, src, srcIndex, finish,
                                                                  k, tiling, info, isLargest, at);
}
}  // namespace AscendC
// SPDX-License-Identifier: Apache-2.0
