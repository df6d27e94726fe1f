// weft_cann/asc_gather.h - elements by place: broadcast of blocks, indices, gather, scatter, packing by mask,
// interleaving, the transposition of 16 rows.
#pragma once
#include "weft_cann/asc_vector.h"

namespace AscendC {
// Each repeat takes 8 elements, and fills a block of 32 bytes with each.
template <typename T>
void Brcb(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint8_t repeatTime,
          const BrcbRepeatParams &p, weft_asc_at at = weft_asc::Here()) {
  const weft_asc_brcb b = {dst.Data(), src.Data(), sizeof(T), repeatTime, p.dstBlkStride, p.dstRepStride};
  weft_asc_brcb_run(&b, at);
}

// first, first + 1, ...
template <typename T>
void CreateVecIndex(const LocalTensor<T> &dst, const weft_asc::Same<T> &firstValue, uint32_t count,
                    weft_asc_at at = weft_asc::Here()) {
  Duplicate(dst, firstValue, static_cast<int32_t>(count), at);
  for (uint32_t i = 0; i < count; i++)
    dst.Data()[i] = static_cast<T>(firstValue + static_cast<T>(i));
}
template <typename T>
void CreateVecIndex(LocalTensor<T> dst, const weft_asc::Same<T> &firstValue, uint64_t mask,
                    uint8_t repeatTime, uint16_t dstBlkStride, uint8_t dstRepStride,
                    weft_asc_at at = weft_asc::Here()) {
  Duplicate(dst, firstValue, mask, repeatTime, dstBlkStride, dstRepStride, at);
  const uint32_t per_block = 32 / sizeof(T);
  for (uint32_t r = 0; r < repeatTime; r++) {
    for (uint32_t i = 0; i < std::min<uint64_t>(mask, 256 / sizeof(T)); i++) {
      const uint32_t place = (r * dstRepStride + i / per_block * dstBlkStride) * per_block + i % per_block;
      dst.Data()[place] = static_cast<T>(firstValue + static_cast<T>(r * (256 / sizeof(T)) + i));
    }
  }
}
template <typename T>
void Arange(const LocalTensor<T> &dst, const weft_asc::Same<T> firstValue, const weft_asc::Same<T> diffValue,
            const int32_t count, weft_asc_at at = weft_asc::Here()) {
  Duplicate(dst, firstValue, count, at);
  for (int32_t i = 0; i < count; i++)
    dst.Data()[i] = static_cast<T>(firstValue + static_cast<T>(diffValue * static_cast<T>(i)));
}

template <typename T>
void ArithProgression(const LocalTensor<T> &dst, const weft_asc::Same<T> firstValue,
                      const weft_asc::Same<T> diffValue, const int32_t count,
                      weft_asc_at at = weft_asc::Here()) {
  Arange(dst, firstValue, diffValue, count, at);
}

// dst[i] = src at a byte's place; Scatter the other way. Offsets count in bytes.
template <typename T>
void GatherRun(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint32_t> &offset,
               uint32_t base, const uint64_t *mask, uint32_t repeats, uint32_t stride, uint32_t count,
               bool scatter, weft_asc_at at) {
  weft_asc_gather g = {dst.Data(), src.Data(), offset.Data(), sizeof(T), base,
                       repeats,    stride,     count,         {0, 0},    scatter};
  if (mask) {
    g.mask[0] = mask[0];
    g.mask[1] = mask[1];
  }
  weft_asc_gather_run(&g, at);
}
template <typename T>
void Gather(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint32_t> &srcOffset,
            const uint32_t srcBaseOffset, const uint32_t count, weft_asc_at at = weft_asc::Here()) {
  GatherRun(dst, src, srcOffset, srcBaseOffset, nullptr, 0, 0, count, false, at);
}
template <typename T>
void Gather(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint32_t> &srcOffset,
            const uint32_t srcBaseOffset, const uint64_t mask, const uint8_t repeatTime,
            const uint16_t dstRepStride, weft_asc_at at = weft_asc::Here()) {
  uint64_t bits[2];
  weft_asc::MaskOf(mask, bits);
  GatherRun(dst, src, srcOffset, srcBaseOffset, bits, repeatTime, dstRepStride, 0, false, at);
}
template <typename T>
void Gather(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint32_t> &srcOffset,
            const uint32_t srcBaseOffset, const uint64_t mask[], const uint8_t repeatTime,
            const uint16_t dstRepStride, weft_asc_at at = weft_asc::Here()) {
  GatherRun(dst, src, srcOffset, srcBaseOffset, mask, repeatTime, dstRepStride, 0, false, at);
}
template <typename T>
void Scatter(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint32_t> &dstOffset,
             const uint32_t dstBaseAddr, const uint32_t count, weft_asc_at at = weft_asc::Here()) {
  GatherRun(dst, src, dstOffset, dstBaseAddr, nullptr, 0, 0, count, true, at);
}
template <typename T>
void Scatter(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint32_t> &dstOffset,
             const uint32_t dstBaseAddr, const uint64_t mask, const uint8_t repeatTime,
             const uint8_t srcRepStride, weft_asc_at at = weft_asc::Here()) {
  uint64_t bits[2];
  weft_asc::MaskOf(mask, bits);
  GatherRun(dst, src, dstOffset, dstBaseAddr, bits, repeatTime, srcRepStride, 0, true, at);
}
template <typename T>
void Scatter(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint32_t> &dstOffset,
             const uint32_t dstBaseAddr, const uint64_t mask[], const uint8_t repeatTime,
             const uint8_t srcRepStride, weft_asc_at at = weft_asc::Here()) {
  GatherRun(dst, src, dstOffset, dstBaseAddr, mask, repeatTime, srcRepStride, 0, true, at);
}

// ---- packing ----

struct GatherMaskParams {
  GatherMaskParams() {}
  GatherMaskParams(const uint8_t src0BlockStrideIn, const uint16_t repeatTimesIn,
                   const uint16_t src0RepeatStrideIn, const uint8_t src1RepeatStrideIn)
      : src0BlockStride(src0BlockStrideIn),
        repeatTimes(repeatTimesIn),
        src0RepeatStride(src0RepeatStrideIn),
        src1RepeatStride(src1RepeatStrideIn) {}
  uint8_t src0BlockStride = DEFAULT_BLK_STRIDE;
  uint16_t repeatTimes = 0;
  uint16_t src0RepeatStride = DEFAULT_REPEAT_STRIDE;
  uint8_t src1RepeatStride = DEFAULT_REPEAT_STRIDE;
};
enum class GatherMaskMode : uint8_t { VERSION_V1, VERSION_V2 };
constexpr GatherMaskMode defaultGatherMaskMode = GatherMaskMode::VERSION_V2;
inline void GatherMaskRun(weft_asc_gather_mask &g, bool reduceMode, uint32_t mask, const GatherMaskParams &p,
                          uint64_t &rsvdCnt, weft_asc_at at) {
  g.count = reduceMode ? mask : 0;
  g.block = p.src0BlockStride;
  g.repeats = p.repeatTimes;
  g.repeat = p.src0RepeatStride;
  g.bits_repeat = p.src1RepeatStride;
  rsvdCnt = weft_asc_gather_mask_run(&g, at);
}
// By bits of the user's, as wide as the elements.
template <typename T, typename U, GatherMaskMode mode = defaultGatherMaskMode>
void GatherMask(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<U> &src1Pattern,
                const bool reduceMode, const uint32_t mask, const GatherMaskParams &p, uint64_t &rsvdCnt,
                weft_asc_at at = weft_asc::Here()) {
  weft_asc_gather_mask g = {};
  g.dst = dst.Data();
  g.src = src0.Data();
  g.bits = src1Pattern.Data();
  g.element = sizeof(T);
  GatherMaskRun(g, reduceMode, mask, p, rsvdCnt, at);
}
// By a pattern: 1 and 2 every other element from the first and the second, 3 to 6 every fourth from the first
// to the fourth, 7 all.
template <typename T, GatherMaskMode mode = defaultGatherMaskMode>
void GatherMask(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const uint8_t src1Pattern,
                const bool reduceMode, const uint32_t mask, const GatherMaskParams &p, uint64_t &rsvdCnt,
                weft_asc_at at = weft_asc::Here()) {
  weft_asc_gather_mask g = {};
  g.dst = dst.Data();
  g.src = src0.Data();
  g.element = sizeof(T);
  g.pattern = src1Pattern;
  GatherMaskRun(g, reduceMode, mask, p, rsvdCnt, at);
}

// How many elements the last one took.
inline int64_t GetGatherMaskRemainCount() {
  const weft_asc_core *core = weft_asc_current();
  return core ? static_cast<int64_t>(core->gathered) : 0;
}
// The same by the name that kernels of packages call.
struct AscendCUtils {
  static int64_t GetRsvdCnt() { return GetGatherMaskRemainCount(); }
};

// ---- interleaving and transposition ----

template <typename T>
void Interleave(const LocalTensor<T> &dst0, const LocalTensor<T> &dst1, const LocalTensor<T> &src0,
                const LocalTensor<T> &src1, const int32_t count, weft_asc_at at = weft_asc::Here()) {
  const weft_asc_interleave i = {
      dst0.Data(), dst1.Data(), src0.Data(), src1.Data(), sizeof(T), static_cast<uint32_t>(count), false};
  weft_asc_interleave_run(&i, at);
}
template <typename T>
void DeInterleave(const LocalTensor<T> &dst0, const LocalTensor<T> &dst1, const LocalTensor<T> &src0,
                  const LocalTensor<T> &src1, const int32_t count, weft_asc_at at = weft_asc::Here()) {
  const weft_asc_interleave i = {
      dst0.Data(), dst1.Data(), src0.Data(), src1.Data(), sizeof(T), static_cast<uint32_t>(count), true};
  weft_asc_interleave_run(&i, at);
}

// One source, half of which each destination gets.
template <typename T>
void DeInterleave(const LocalTensor<T> &dst0, const LocalTensor<T> &dst1, const LocalTensor<T> &src,
                  const int32_t srcCount, weft_asc_at at = weft_asc::Here()) {
  const int32_t half_count = srcCount / 2;
  DeInterleave(dst0, dst1, src, src[static_cast<uint32_t>(half_count)], half_count, at);
}

struct TransDataTo5HDParams {
  TransDataTo5HDParams() noexcept = default;
  TransDataTo5HDParams(const bool dstHighHalfIn, const bool srcHighHalfIn, const uint8_t repeatTimesIn,
                       const uint16_t dstRepStrideIn, const uint16_t srcRepStrideIn)
      : dstHighHalf(dstHighHalfIn),
        srcHighHalf(srcHighHalfIn),
        repeatTimes(repeatTimesIn),
        dstRepStride(dstRepStrideIn),
        srcRepStride(srcRepStrideIn) {}
  bool dstHighHalf = false;
  bool srcHighHalf = false;
  uint8_t repeatTimes = 1;
  uint16_t dstRepStride = 0;
  uint16_t srcRepStride = 0;
};
// 16 rows of 32 bytes become the columns of 16 others.
template <typename T>
void TransDataTo5HD(uint64_t dstList[16], uint64_t srcList[16], const TransDataTo5HDParams &p,
                    weft_asc_at at = weft_asc::Here()) {
  const weft_asc_rows16 r = {dstList,       srcList,       sizeof(T),      p.dstHighHalf,
                             p.srcHighHalf, p.repeatTimes, p.dstRepStride, p.srcRepStride};
  weft_asc_rows16_run(&r, at);
}
template <typename T>
void TransDataTo5HD(const LocalTensor<T> (&dstList)[16], const LocalTensor<T> (&srcList)[16],
                    const TransDataTo5HDParams &p, weft_asc_at at = weft_asc::Here()) {
  uint64_t dst[16], src[16];
  for (int i = 0; i < 16; i++) {
    dst[i] = reinterpret_cast<uint64_t>(dstList[i].Data());
    src[i] = reinterpret_cast<uint64_t>(srcList[i].Data());
  }
  TransDataTo5HD<T>(dst, src, p, at);
}
// The addresses lie in two tensors.
template <typename T>
void TransDataTo5HD(const LocalTensor<uint64_t> &dst, const LocalTensor<uint64_t> &src,
                    const TransDataTo5HDParams &p, weft_asc_at at = weft_asc::Here()) {
  uint64_t to[16], from[16];
  for (uint32_t i = 0; i < 16; i++) {
    to[i] = dst.GetValue(i, at);
    from[i] = src.GetValue(i, at);
  }
  TransDataTo5HD<T>(to, from, p, at);
}
// 16 x 16 elements of 16 bits.
template <typename T>
void Transpose(const LocalTensor<T> &dst, const LocalTensor<T> &src, weft_asc_at at = weft_asc::Here()) {
  static_assert(sizeof(T) == 2, "Transpose of 16 x 16 takes elements of 16 bits");
  LocalTensor<T> to[16], from[16];
  for (uint32_t i = 0; i < 16; i++) {
    to[i] = dst[i * 16];
    from[i] = src[i * 16];
  }
  TransDataTo5HD<T>(to, from, TransDataTo5HDParams(), at);
}
// Axes of images change places.
enum class TransposeType : uint8_t {
  TRANSPOSE_TYPE_NONE,
  TRANSPOSE_NZ2ND_0213,
  TRANSPOSE_NZ2NZ_0213,
  TRANSPOSE_NZ2NZ_012_WITH_N,
  TRANSPOSE_NZ2ND_012_WITH_N,
  TRANSPOSE_NZ2ND_012_WITHOUT_N,
  TRANSPOSE_NZ2NZ_012_WITHOUT_N,
  TRANSPOSE_ND2ND_ONLY,
  TRANSPOSE_ND_UB_GM,
  TRANSPOSE_GRAD_ND_UB_GM,
  TRANSPOSE_ND2ND_B16,
  TRANSPOSE_NCHW2NHWC,
  TRANSPOSE_NHWC2NCHW,
};
struct TransposeParamsExt {
  TransposeParamsExt() = default;
  TransposeParamsExt(const uint16_t nSizeIn, const uint16_t cSizeIn, const uint16_t hSizeIn,
                     const uint16_t wSizeIn, const TransposeType transposeTypeIn)
      : nSize(nSizeIn), cSize(cSizeIn), hSize(hSizeIn), wSize(wSizeIn), transposeType(transposeTypeIn) {}
  uint16_t nSize = 0;
  uint16_t cSize = 0;
  uint16_t hSize = 0;
  uint16_t wSize = 0;
  TransposeType transposeType = TransposeType::TRANSPOSE_ND2ND_B16;
};
template <typename T>
void Transpose(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint8_t> &,
               const TransposeParamsExt &p, weft_asc_at at = weft_asc::Here()) {
  const bool last = p.transposeType == TransposeType::TRANSPOSE_NCHW2NHWC;
  if constexpr (sizeof(T) == 2) {
    if (p.transposeType == TransposeType::TRANSPOSE_ND2ND_B16) {
      Transpose(dst, src, at);
      return;
    }
  }
  if (!last && p.transposeType != TransposeType::TRANSPOSE_NHWC2NCHW) {
    weft_asc_fail(at, "Transpose: of the types ND2ND_B16 (of 16 bits), NCHW2NHWC and NHWC2NCHW are there");
    return;
  }
  // Each image is a matrix of channels and places.
  const uint32_t places = uint32_t{p.hSize} * p.wSize;
  const uint32_t rows = last ? places : p.cSize, columns = last ? p.cSize : places;
  const auto wide = static_cast<uint32_t>(sizeof(T));
  for (uint32_t row = 0; row < p.nSize * rows; row++) {
    const uint32_t from = row / rows * rows * columns + row % rows;
    const weft_asc_strided s = {
        "Transpose", dst.Data() + row * columns, src.Data() + from, wide, columns, wide, rows * wide};
    weft_asc_strided_run(&s, at);
  }
}
}  // namespace AscendC
// SPDX-License-Identifier: Apache-2.0
