// weft_cann/asc_reg.h - the register interface of Ascend C: RegTensor, MaskReg and how masks are made. A
// register is 256 bytes of its own, an instruction a loop over its lanes that the compiler vectorises. All of
// it is also called AscendC::MicroAPI. asc_reg_memory.h loads and stores, asc_reg_math.h computes,
// asc_reg_reduce.h reduces, asc_reg_cast.h converts.
//
// A mask has one byte here for each of a register's 256 bytes, 0 or 1: a lane takes part where the byte at
// its first one is 1. Where that is not so, ZEROING gives zero, and MERGING leaves what was there.
#pragma once
#include "weft_cann/asc_copy.h"
#include "weft_cann/asc_units.h"

#define __VEC_SCOPE__
#define __simd_vf__
#define __simd_callee__
#define __simt_vf__
#define __simt_callee__
#ifndef __local_mem__
#define __local_mem__
#endif

namespace AscendC {
enum class SpecialPurposeReg { AR };
namespace Reg {
using AscendC::CMPMODE;
using AscendC::ReduceType;
using AscendC::RoundMode;

struct RegTrait {
  int REG_NUM = 1;
};
constexpr RegTrait RegTraitNumOne = {1};
constexpr RegTrait RegTraitNumTwo = {2};
constexpr uint32_t kRegisterBytes = 256;

struct DefaultType {};
enum class MaskMergeMode { UNKNOWN = 0, MERGING = 1, ZEROING = 2 };
enum class MaskPattern { ALL, VL1, VL2, VL3, VL4, VL8, VL16, VL32, VL64, VL128, M3, M4, H, Q, ALLF = 15 };
enum class HighLowPart { LOWEST, HIGHEST };
enum class PostLiteral { POST_MODE_NORMAL, POST_MODE_UPDATE };
enum class DataCopyMode { DATA_BLOCK_COPY };
enum class IndexOrder { INCREASE_ORDER, DECREASE_ORDER };
enum class MemType { VEC_STORE, VEC_LOAD, SCALAR_STORE, SCALAR_LOAD, VEC_ALL, SCALAR_ALL };
enum class GatherMaskMode { NO_STORE_REG, STORE_REG };
enum class HistogramsBinType { BIN0, BIN1, BIN2, BIN3, BIN4, BIN5, BIN6, BIN7 };
enum class HistogramsType { FREQUENCY, ACCUMULATE };
enum class PairReduce { SUM };
using AscendC::SpecialPurposeReg;
enum class RegLayout { UNKNOWN = -1, ZERO, ONE, TWO, THREE };
enum class SatMode { UNKNOWN = -1, NO_SAT, SAT };

// Lanes are read and written as bytes: a kernel may take a register as one of another type.
template <typename T, const RegTrait &regTrait = RegTraitNumOne>
struct RegTensor {
  using ActualT = T;
  static constexpr RegTrait trait = regTrait;
  static constexpr uint32_t kBytes = kRegisterBytes * static_cast<uint32_t>(regTrait.REG_NUM);
  static constexpr uint32_t kLanes = kBytes / sizeof(T);
  static constexpr uint32_t kMaskStep = kRegisterBytes / kLanes;

  RegTensor() = default;
  T Get(uint32_t lane) const {
    T value;
    memcpy(&value, bytes + lane * sizeof(T), sizeof(T));
    return value;
  }
  void Set(uint32_t lane, T value) { memcpy(bytes + lane * sizeof(T), &value, sizeof(T)); }
  void Print() const {
    for (uint32_t i = 0; i < kLanes; i++)
      weft_asc_print("%s%g", i ? ", " : "", static_cast<double>(Get(i)));
    weft_asc_print("\n");
  }

  alignas(16) uint8_t bytes[kBytes] = {};
};

struct MaskReg {
  alignas(16) uint8_t on[kRegisterBytes] = {};
};
// What is at an address that is not aligned goes through memory at once: these hold nothing.
struct UnalignReg {};
using UnalignRegForLoad = UnalignReg;
using UnalignRegForStore = UnalignReg;
// An offset in bytes.
struct AddrReg {
  uint64_t offset = 0;
};

template <typename U>
using LaneOf = typename U::ActualT;
template <typename U>
bool LaneOn(const MaskReg &mask, uint32_t lane) {
  return mask.on[lane * U::kMaskStep];
}
constexpr MaskMergeMode MergeOf(MaskMergeMode mode) {
  return mode;
}
template <typename Mode>
constexpr MaskMergeMode MergeOf(const Mode *mode) {
  return mode->mrgMode;
}
// Whether all lanes that begin every `step` bytes take part: eight bytes of the mask at a time.
inline bool AllLanesOn(const MaskReg &mask, uint32_t step) {
  const uint64_t wanted = step == 1   ? 0x0101010101010101
                          : step == 2 ? 0x0001000100010001
                          : step == 4 ? 0x0000000100000001
                                      : 1;
  uint64_t missing = 0;
  for (uint32_t i = 0; i < kRegisterBytes; i += 8) {
    uint64_t word;
    memcpy(&word, mask.on + i, sizeof word);
    missing |= ~word & wanted;
  }
  return !missing;
}
// What lanes that do not take part become.
template <MaskMergeMode mode, typename U>
void KeepLanes(LaneOf<U> *lanes, const U &dst, const MaskReg &mask) {
  if (AllLanesOn(mask, U::kMaskStep))
    return;
  for (uint32_t i = 0; i < U::kLanes; i++) {
    if (!LaneOn<U>(mask, i))
      lanes[i] = mode == MaskMergeMode::MERGING ? dst.Get(i) : LaneOf<U>{};
  }
}
// dst[i] = of(i) in the lanes of the mask. of() is asked for all lanes, into memory of its own: dst may be
// what it reads, and the loop has no branch.
template <MaskMergeMode mode, typename U, typename F>
void EachLane(U &dst, const MaskReg &mask, F of) {
  LaneOf<U> lanes[U::kLanes];
  for (uint32_t i = 0; i < U::kLanes; i++)
    lanes[i] = of(i);
  KeepLanes<mode>(lanes, dst, mask);
  memcpy(dst.bytes, lanes, sizeof lanes);
}

// ---- masks ----

template <typename Word>
void FillMask(MaskReg &mask, uint32_t n) {
  Word words[kRegisterBytes / sizeof(Word)];
  for (uint32_t i = 0; i < kRegisterBytes / sizeof(Word); i++)
    words[i] = i < n;
  memcpy(mask.on, words, sizeof words);
}
template <typename T, const RegTrait &regTrait>
MaskReg MaskOfFirst(uint32_t n) {
  constexpr uint32_t step = RegTensor<T, regTrait>::kMaskStep;
  MaskReg mask;
  if (step == 1)
    FillMask<uint8_t>(mask, n);
  else if (step == 2)
    FillMask<uint16_t>(mask, n);
  else if (step == 4)
    FillMask<uint32_t>(mask, n);
  else
    FillMask<uint64_t>(mask, n);
  return mask;
}
template <typename T, const RegTrait &regTrait>
MaskReg MaskOfEach(uint32_t n) {
  constexpr uint32_t step = RegTensor<T, regTrait>::kMaskStep;
  MaskReg mask;
  for (uint32_t i = 0; i < kRegisterBytes; i += n * step)
    mask.on[i] = 1;
  return mask;
}
template <typename T, MaskPattern mode = MaskPattern::ALL, const RegTrait &regTrait = RegTraitNumOne>
MaskReg CreateMask() {
  constexpr uint32_t lanes = RegTensor<T, regTrait>::kLanes;
  constexpr uint32_t first[] = {lanes, 1, 2, 3, 4, 8, 16, 32, 64, 128, 0, 0, lanes / 2, lanes / 4, 0, 0};
  if (mode == MaskPattern::M3 || mode == MaskPattern::M4)
    return MaskOfEach<T, regTrait>(mode == MaskPattern::M3 ? 3 : 4);
  return MaskOfFirst<T, regTrait>(first[static_cast<int>(mode)]);
}
// The first `scalarValue` lanes, and as many fewer for the next.
template <typename T, const RegTrait &regTrait = RegTraitNumOne>
MaskReg UpdateMask(uint32_t &scalarValue) {
  constexpr uint32_t lanes = RegTensor<T, regTrait>::kLanes;
  const uint32_t n = scalarValue < lanes ? scalarValue : lanes;
  scalarValue -= n;
  return MaskOfFirst<T, regTrait>(n);
}

// The mask that SetVectorMask said, as a register.
template <typename T>
MaskReg MoveMask() {
  const weft_asc_core *core = weft_asc_current();
  MaskReg mask;
  for (uint32_t i = 0; core && i < kRegisterBytes / sizeof(T) && i < 128; i++)
    mask.on[i * sizeof(T)] = core->mask[i / 64] >> (i % 64) & 1;
  return mask;
}

#define WEFT_ASC_MASK_LOGIC(Name, expression)                                      \
  inline void Mask##Name(MaskReg &dst, MaskReg src0, MaskReg src1, MaskReg mask) { \
    for (uint32_t i = 0; i < kRegisterBytes; i++)                                  \
      dst.on[i] = mask.on[i] & (expression);                                       \
  }                                                                                \
  inline void Name(MaskReg &dst, MaskReg &src0, MaskReg &src1, MaskReg &mask) {    \
    Mask##Name(dst, src0, src1, mask);                                             \
  }
WEFT_ASC_MASK_LOGIC(And, src0.on[i] & src1.on[i])
WEFT_ASC_MASK_LOGIC(Or, src0.on[i] | src1.on[i])
WEFT_ASC_MASK_LOGIC(Xor, src0.on[i] ^ src1.on[i])
#undef WEFT_ASC_MASK_LOGIC
inline void MaskNot(MaskReg &dst, MaskReg src, MaskReg mask) {
  for (uint32_t i = 0; i < kRegisterBytes; i++)
    dst.on[i] = mask.on[i] & !src.on[i];
}
inline void Not(MaskReg &dst, MaskReg &src, MaskReg &mask) {
  MaskNot(dst, src, mask);
}
inline void MaskSel(MaskReg &dst, MaskReg src0, MaskReg src1, MaskReg mask) {
  for (uint32_t i = 0; i < kRegisterBytes; i++)
    dst.on[i] = mask.on[i] ? src0.on[i] : src1.on[i];
}
inline void Select(MaskReg &dst, MaskReg &src0, MaskReg &src1, MaskReg &mask) {
  MaskSel(dst, src0, src1, mask);
}
inline void MaskMov(MaskReg &dst, MaskReg src, MaskReg mask) {
  for (uint32_t i = 0; i < kRegisterBytes; i++)
    dst.on[i] = mask.on[i] & src.on[i];
}
inline void MaskMov(MaskReg &dst, MaskReg src) {
  dst = src;
}
inline void Move(MaskReg &dst, MaskReg &src, MaskReg &mask) {
  MaskMov(dst, src, mask);
}
inline void Move(MaskReg &dst, MaskReg &src) {
  dst = src;
}

// Every second bit, into one half; the other half is empty.
template <HighLowPart part = HighLowPart::LOWEST>
void MaskPack(MaskReg &dst, MaskReg src) {
  MaskReg to;
  uint8_t *half = to.on + (part == HighLowPart::HIGHEST ? kRegisterBytes / 2 : 0);
  for (uint32_t i = 0; i < kRegisterBytes / 2; i++)
    half[i] = src.on[2 * i];
  dst = to;
}
// The bits of one half, each with an empty one behind it.
template <HighLowPart part = HighLowPart::LOWEST>
void MaskUnPack(MaskReg &dst, MaskReg src) {
  MaskReg to;
  const uint8_t *half = src.on + (part == HighLowPart::HIGHEST ? kRegisterBytes / 2 : 0);
  for (uint32_t i = 0; i < kRegisterBytes / 2; i++)
    to.on[2 * i] = half[i];
  dst = to;
}
template <HighLowPart part = HighLowPart::LOWEST>
void Pack(MaskReg &dst, MaskReg &src) {
  MaskPack<part>(dst, src);
}
template <HighLowPart part = HighLowPart::LOWEST>
void UnPack(MaskReg &dst, MaskReg &src) {
  MaskUnPack<part>(dst, src);
}

// ---- lanes of two registers, one after the other ----

// Groups of `width` bytes: a0 b0 a1 b1 ...
inline void InterleaveBytes(uint8_t *lo, uint8_t *hi, const uint8_t *a, const uint8_t *b, uint32_t bytes,
                            uint32_t width) {
  for (uint32_t i = 0; i < bytes / width; i++) {
    uint8_t *to = 2 * i * width < bytes ? lo + 2 * i * width : hi + (2 * i * width - bytes);
    memcpy(to, a + i * width, width);
    memcpy(to + width, b + i * width, width);
  }
}
inline void DeInterleaveBytes(uint8_t *even, uint8_t *odd, const uint8_t *lo, const uint8_t *hi,
                              uint32_t bytes, uint32_t width) {
  for (uint32_t i = 0; i < bytes / width; i++) {
    const uint8_t *from = 2 * i * width < bytes ? lo + 2 * i * width : hi + (2 * i * width - bytes);
    memcpy(even + i * width, from, width);
    memcpy(odd + i * width, from + width, width);
  }
}
template <typename T = DefaultType, typename U>
void Interleave(U &dstReg0, U &dstReg1, U &srcReg0, U &srcReg1) {
  const U a = srcReg0, b = srcReg1;
  InterleaveBytes(dstReg0.bytes, dstReg1.bytes, a.bytes, b.bytes, U::kBytes, sizeof(LaneOf<U>));
}
template <typename T = DefaultType, typename U>
void DeInterleave(U &dstReg0, U &dstReg1, U &srcReg0, U &srcReg1) {
  const U a = srcReg0, b = srcReg1;
  DeInterleaveBytes(dstReg0.bytes, dstReg1.bytes, a.bytes, b.bytes, U::kBytes, sizeof(LaneOf<U>));
}
template <typename T>
void MaskInterleave(MaskReg &dst0, MaskReg &dst1, MaskReg src0, MaskReg src1) {
  InterleaveBytes(dst0.on, dst1.on, src0.on, src1.on, kRegisterBytes, sizeof(T));
}
template <typename T>
void MaskDeInterleave(MaskReg &dst0, MaskReg &dst1, MaskReg src0, MaskReg src1) {
  DeInterleaveBytes(dst0.on, dst1.on, src0.on, src1.on, kRegisterBytes, sizeof(T));
}
template <typename T>
void Interleave(MaskReg &dst0, MaskReg &dst1, MaskReg &src0, MaskReg &src1) {
  MaskInterleave<T>(dst0, dst1, src0, src1);
}
template <typename T>
void DeInterleave(MaskReg &dst0, MaskReg &dst1, MaskReg &src0, MaskReg &src1) {
  MaskDeInterleave<T>(dst0, dst1, src0, src1);
}

// ---- order, and the register that counts ----

// Instructions are carried out in the order of the program: there is nothing to wait for.
template <MemType src, MemType dst>
void LocalMemBar() {}

// The bytes that Squeeze kept since ClearSpr, and those of the last one.
struct CountRegister {
  uint64_t total = 0, last = 0;
};
inline CountRegister &CountOf() {
  static thread_local CountRegister count;
  return count;
}
template <SpecialPurposeReg spr>
void ClearSpr() {
  CountOf() = CountRegister();
}
template <SpecialPurposeReg spr>
int64_t GetSpr() {
  return static_cast<int64_t>(CountOf().total);
}
}  // namespace Reg
namespace MicroAPI = Reg;
using Reg::ClearSpr;
using Reg::GetSpr;

// 256: the bytes of a register.
constexpr uint32_t GetVecLen() {
  return Reg::kRegisterBytes;
}
constexpr uint32_t VECTOR_REG_WIDTH = Reg::kRegisterBytes;
constexpr uint32_t VECTOR_REG_WIDTH_2XVL = 2 * Reg::kRegisterBytes;
}  // namespace AscendC
// SPDX-License-Identifier: Apache-2.0
