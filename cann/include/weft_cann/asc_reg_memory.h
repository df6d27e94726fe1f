// weft_cann/asc_reg_memory.h - LoadAlign and StoreAlign (DataCopy of the same register forms) with their
// distributions, loads and stores without alignment, gather and scatter. A load takes whole registers, lanes
// beyond the end of the memory are zero; a store writes the lanes of its mask and nothing else.
#pragma once
#include "weft_cann/asc_reg.h"

namespace AscendC {
namespace Reg {
enum class LoadDist {
  DIST_NORM = 0,
  DIST_BRC_B8 = 1,
  DIST_BRC_B16 = 2,
  DIST_BRC_B32 = 3,
  DIST_US_B8 = 6,
  DIST_US_B16 = 7,
  DIST_DS_B8 = 8,
  DIST_DS_B16 = 9,
  DIST_BDINTLV = 10,
  DIST_DINTLV_B8 = 11,
  DIST_DINTLV_B16 = 12,
  DIST_UNPACK_B8 = 13,
  DIST_UNPACK_B16 = 14,
  DIST_BLK = 15,
  DIST_E2B_B16 = 16,
  DIST_E2B_B32 = 17,
  DIST_UNPACK_B32 = 18,
  DIST_DINTLV_B32 = 19,
  DIST_UNPACK4_B8 = 20,
  DIST_SPLT4CHN_B8 = 21,
  DIST_SPLT2CHN_B8 = 22,
  DIST_SPLT2CHN_B16 = 23
};
enum class StoreDist {
  DIST_NORM_B8 = 0,
  DIST_NORM_B16 = 1,
  DIST_NORM_B32 = 2,
  DIST_FIRST_ELEMENT_B8 = 3,
  DIST_FIRST_ELEMENT_B16 = 4,
  DIST_FIRST_ELEMENT_B32 = 5,
  DIST_PACK_B16 = 6,
  DIST_PACK_B32 = 7,
  DIST_INTLV_B8 = 8,
  DIST_INTLV_B16 = 9,
  DIST_PACK_B64 = 10,
  DIST_INTLV_B32 = 11,
  DIST_PACK4_B32 = 12,
  DIST_MRG4CHN_B8 = 13,
  DIST_MRG2CHN_B8 = 14,
  DIST_MRG2CHN_B16 = 15,
  DIST_NORM = 16
};
enum class MaskDist { DIST_NORM = 0, DIST_US = 1, DIST_DS = 2, DIST_PACK = 1 };

template <typename T>
AddrReg CreateAddrReg(uint16_t index0, uint32_t stride0) {
  return {uint64_t{index0} * stride0 * sizeof(T)};
}
template <typename T>
AddrReg CreateAddrReg(uint16_t index0, uint32_t stride0, uint16_t index1, uint32_t stride1) {
  return {CreateAddrReg<T>(index0, stride0).offset + CreateAddrReg<T>(index1, stride1).offset};
}
template <typename T>
AddrReg CreateAddrReg(uint16_t index0, uint32_t stride0, uint16_t index1, uint32_t stride1, uint16_t index2,
                      uint32_t stride2) {
  return {CreateAddrReg<T>(index0, stride0, index1, stride1).offset +
          CreateAddrReg<T>(index2, stride2).offset};
}
template <typename T>
AddrReg CreateAddrReg(uint16_t index0, uint32_t stride0, uint16_t index1, uint32_t stride1, uint16_t index2,
                      uint32_t stride2, uint16_t index3, uint32_t stride3) {
  return {CreateAddrReg<T>(index0, stride0, index1, stride1, index2, stride2).offset +
          CreateAddrReg<T>(index3, stride3).offset};
}
template <typename T>
T *Moved(T *address, AddrReg offset) {
  return reinterpret_cast<T *>(reinterpret_cast<uintptr_t>(address) + offset.offset);
}

// ---- how a load spreads what it reads ----

// Each group of `width` bytes of `to` comes from the group that is `number(its own)` in memory, and is
// followed by `wide - width` bytes of zero.
struct Spread {
  uint32_t width, wide;
  uint32_t times;  // a group in memory is read so often, one after another
  uint32_t step;   // from one that is read to the next
  uint32_t align;
};
template <typename U>
constexpr Spread SpreadOf(LoadDist dist) {
  constexpr uint32_t lane = sizeof(LaneOf<U>);
  constexpr uint32_t all = U::kBytes;
  switch (dist) {
    case LoadDist::DIST_BRC_B8:
      return {1, 1, all, 1, 1};
    case LoadDist::DIST_BRC_B16:
      return {2, 2, all, 1, 2};
    case LoadDist::DIST_BRC_B32:
      return {4, 4, all, 1, 4};
    case LoadDist::DIST_US_B8:
      return {1, 1, 2, 1, 1};
    case LoadDist::DIST_US_B16:
      return {2, 2, 2, 1, 2};
    case LoadDist::DIST_DS_B8:
      return {1, 1, 1, 2, 1};
    case LoadDist::DIST_DS_B16:
      return {2, 2, 1, 2, 2};
    case LoadDist::DIST_UNPACK_B8:
      return {1, 2, 1, 1, 1};
    case LoadDist::DIST_UNPACK_B16:
      return {2, 4, 1, 1, 2};
    case LoadDist::DIST_UNPACK_B32:
      return {4, 8, 1, 1, 4};
    case LoadDist::DIST_UNPACK4_B8:
      return {1, 4, 1, 1, 1};
    case LoadDist::DIST_BLK:
      return {32, 32, all, 1, 32};
    case LoadDist::DIST_E2B_B16:
      return {2, 2, 16, 1, 2};
    case LoadDist::DIST_E2B_B32:
      return {4, 4, 8, 1, 4};
    default:
      return {lane, lane, 1, 1, 32};
  }
}
constexpr bool SpreadKnown(LoadDist dist) {
  return dist != LoadDist::DIST_SPLT4CHN_B8 && dist != LoadDist::DIST_SPLT2CHN_B8 &&
         dist != LoadDist::DIST_SPLT2CHN_B16;
}
// `bytes` of memory, or as many as there are and then zeros.
inline void Fetch(uint8_t *to, const void *from, uint32_t bytes, uint32_t align, weft_asc_at at) {
  const uint64_t there = weft_asc_register_read(from, bytes, align, at);
  memcpy(to, from, there);
  memset(to + there, 0, bytes - there);
}
template <LoadDist dist, typename U>
void LoadSpread(U &dst, const void *from, weft_asc_at at) {
  static_assert(SpreadKnown(dist), "loads that split channels are not there");
  constexpr Spread s = SpreadOf<U>(dist);
  constexpr uint32_t groups = U::kBytes / s.wide;
  constexpr uint32_t reads = ((groups + s.times - 1) / s.times - 1) * s.step * s.width + s.width;
  if (s.wide == s.width && s.times == 1 && s.step == 1) {
    Fetch(dst.bytes, from, U::kBytes, s.align, at);
    return;
  }
  uint8_t memory[reads];
  Fetch(memory, from, reads, s.align, at);
  for (uint32_t i = 0; i < groups; i++) {
    memcpy(dst.bytes + i * s.wide, memory + i / s.times * s.step * s.width, s.width);
    memset(dst.bytes + i * s.wide + s.width, 0, s.wide - s.width);
  }
}
constexpr uint32_t DeInterleaved(LoadDist dist) {
  return dist == LoadDist::DIST_DINTLV_B8    ? 1
         : dist == LoadDist::DIST_DINTLV_B16 ? 2
         : dist == LoadDist::DIST_DINTLV_B32 ? 4
         : dist == LoadDist::DIST_BDINTLV    ? 32
                                             : 0;
}
template <LoadDist dist, typename U>
void LoadTwo(U &dst0, U &dst1, const void *from, weft_asc_at at) {
  static_assert(DeInterleaved(dist) != 0, "two registers are filled by DIST_DINTLV_* and DIST_BDINTLV");
  uint8_t memory[2 * U::kBytes];
  Fetch(memory, from, 2 * U::kBytes, 32, at);
  DeInterleaveBytes(dst0.bytes, dst1.bytes, memory, memory + U::kBytes, U::kBytes, DeInterleaved(dist));
}
// 8 blocks that lie `stride` blocks apart.
template <typename U>
void LoadBlocks(U &dst, const void *from, uint32_t stride, const MaskReg &mask, weft_asc_at at) {
  const uint8_t *memory = static_cast<const uint8_t *>(from);
  for (uint32_t block = 0; block < kRegisterBytes / 32; block++) {
    bool wanted = false;
    for (uint32_t i = 0; i < 32; i++)
      wanted = wanted || mask.on[block * 32 + i];
    if (wanted)
      Fetch(dst.bytes + block * 32, memory + uint64_t{block} * stride * 32, 32, 32, at);
    else
      memset(dst.bytes + block * 32, 0, 32);
  }
  for (uint32_t lane = 0; lane < U::kLanes; lane++) {
    if (!LaneOn<U>(mask, lane))
      dst.Set(lane, LaneOf<U>{});
  }
}
// 256 bits; US: 128, each twice; DS: every second one of 512.
template <MaskDist dist>
void LoadMask(MaskReg &dst, const void *from, weft_asc_at at) {
  constexpr uint32_t bytes = dist == MaskDist::DIST_US ? 16 : dist == MaskDist::DIST_DS ? 64 : 32;
  uint8_t memory[64];
  Fetch(memory, from, bytes, 1, at);
  for (uint32_t i = 0; i < kRegisterBytes; i++) {
    const uint32_t bit = i * bytes * 8 / kRegisterBytes;
    dst.on[i] = memory[bit / 8] >> (bit % 8) & 1;
  }
}

#define WEFT_ASC_LOADS(Name)                                                                                 \
  template <typename T = DefaultType, LoadDist dist = LoadDist::DIST_NORM, typename U>                       \
  void Name(U &dstReg, T *srcAddr, weft_asc_at at = weft_asc::Here()) {                                      \
    LoadSpread<dist>(dstReg, srcAddr, at);                                                                   \
  }                                                                                                          \
  template <typename T = DefaultType, PostLiteral postMode, LoadDist dist = LoadDist::DIST_NORM, typename U> \
  void Name(U &dstReg, T *&srcAddr, int32_t postUpdateStride, weft_asc_at at = weft_asc::Here()) {           \
    LoadSpread<dist>(dstReg, srcAddr, at);                                                                   \
    srcAddr += postUpdateStride;                                                                             \
  }                                                                                                          \
  template <typename T = DefaultType, LoadDist dist = LoadDist::DIST_NORM, typename U>                       \
  void Name(U &dstReg, T *srcAddr, AddrReg offset, weft_asc_at at = weft_asc::Here()) {                      \
    LoadSpread<dist>(dstReg, Moved(srcAddr, offset), at);                                                    \
  }                                                                                                          \
  template <typename T = DefaultType, LoadDist dist, typename U>                                             \
  void Name(U &dstReg0, U &dstReg1, T *srcAddr, weft_asc_at at = weft_asc::Here()) {                         \
    LoadTwo<dist>(dstReg0, dstReg1, srcAddr, at);                                                            \
  }                                                                                                          \
  template <typename T = DefaultType, PostLiteral postMode, LoadDist dist, typename U>                       \
  void Name(U &dstReg0, U &dstReg1, T *&srcAddr, int32_t postUpdateStride,                                   \
            weft_asc_at at = weft_asc::Here()) {                                                             \
    LoadTwo<dist>(dstReg0, dstReg1, srcAddr, at);                                                            \
    srcAddr += postUpdateStride;                                                                             \
  }                                                                                                          \
  template <typename T = DefaultType, LoadDist dist, typename U>                                             \
  void Name(U &dstReg0, U &dstReg1, T *srcAddr, AddrReg offset, weft_asc_at at = weft_asc::Here()) {         \
    LoadTwo<dist>(dstReg0, dstReg1, Moved(srcAddr, offset), at);                                             \
  }                                                                                                          \
  template <typename T = DefaultType, DataCopyMode dataMode, typename U>                                     \
  void Name(U &dstReg, T *srcAddr, uint32_t blockStride, MaskReg &mask, weft_asc_at at = weft_asc::Here()) { \
    LoadBlocks(dstReg, srcAddr, blockStride, mask, at);                                                      \
  }                                                                                                          \
  template <typename T = DefaultType, DataCopyMode dataMode, PostLiteral postMode, typename U>               \
  void Name(U &dstReg, T *&srcAddr, uint32_t blockStride, uint32_t repeatStride, MaskReg &mask,              \
            weft_asc_at at = weft_asc::Here()) {                                                             \
    LoadBlocks(dstReg, srcAddr, blockStride, mask, at);                                                      \
    srcAddr += uint64_t{repeatStride} * 32 / sizeof(T);                                                      \
  }                                                                                                          \
  template <typename T, MaskDist dist = MaskDist::DIST_NORM>                                                 \
  void Name(MaskReg &mask, T *srcAddr, weft_asc_at at = weft_asc::Here()) {                                  \
    LoadMask<dist>(mask, srcAddr, at);                                                                       \
  }                                                                                                          \
  template <typename T, PostLiteral postMode, MaskDist dist = MaskDist::DIST_NORM>                           \
  void Name(MaskReg &mask, T *&srcAddr, int32_t offset, weft_asc_at at = weft_asc::Here()) {                 \
    LoadMask<dist>(mask, srcAddr, at);                                                                       \
    srcAddr += offset;                                                                                       \
  }                                                                                                          \
  template <typename T, MaskDist dist = MaskDist::DIST_NORM>                                                 \
  void Name(MaskReg &mask, T *srcAddr, AddrReg offset, weft_asc_at at = weft_asc::Here()) {                  \
    LoadMask<dist>(mask, Moved(srcAddr, offset), at);                                                        \
  }
WEFT_ASC_LOADS(LoadAlign)
WEFT_ASC_LOADS(DataCopy)
#undef WEFT_ASC_LOADS

// ---- how a store gathers what it writes ----

// Of each `wide` bytes of a register the first `width`.
struct Narrow {
  uint32_t width, wide;
  bool first_only;
};
template <typename U>
constexpr Narrow NarrowOf(StoreDist dist) {
  constexpr uint32_t lane = sizeof(LaneOf<U>);
  switch (dist) {
    case StoreDist::DIST_FIRST_ELEMENT_B8:
      return {1, 1, true};
    case StoreDist::DIST_FIRST_ELEMENT_B16:
      return {2, 2, true};
    case StoreDist::DIST_FIRST_ELEMENT_B32:
      return {4, 4, true};
    case StoreDist::DIST_PACK_B16:
      return {1, 2, false};
    case StoreDist::DIST_PACK_B32:
      return {2, 4, false};
    case StoreDist::DIST_PACK_B64:
      return {4, 8, false};
    case StoreDist::DIST_PACK4_B32:
      return {1, 4, false};
    case StoreDist::DIST_NORM_B8:
      return {1, 1, false};
    case StoreDist::DIST_NORM_B16:
      return {2, 2, false};
    case StoreDist::DIST_NORM_B32:
      return {lane > 4 ? lane : 4, lane > 4 ? lane : 4, false};
    default:
      return {lane, lane, false};
  }
}
// Groups of `width` bytes, `from_step` apart in the register, where mask.on[i * mask_step] says so.
inline void StoreGroups(void *to, const uint8_t *from, uint32_t n, uint32_t width, uint32_t from_step,
                        const MaskReg &mask, uint32_t mask_step, uint32_t align, weft_asc_at at) {
  uint32_t first = n, last = 0;
  for (uint32_t i = 0; i < n; i++) {
    if (!mask.on[i * mask_step])
      continue;
    first = first == n ? i : first;
    last = i + 1;
  }
  if (first == n)
    return;
  uint8_t *memory = static_cast<uint8_t *>(to);
  weft_asc_register_write(memory, uint64_t{last} * width, align, at);
  for (uint32_t i = first; i < last; i++) {
    if (mask.on[i * mask_step])
      memcpy(memory + i * width, from + i * from_step, width);
  }
}
template <StoreDist dist, typename U>
void StoreNarrow(void *to, const U &src, const MaskReg &mask, weft_asc_at at) {
  static_assert(dist != StoreDist::DIST_MRG4CHN_B8 && dist != StoreDist::DIST_MRG2CHN_B8 &&
                    dist != StoreDist::DIST_MRG2CHN_B16,
                "stores that merge channels (DIST_MRG...) are not there");
  constexpr Narrow s = NarrowOf<U>(dist);
  constexpr uint32_t groups = U::kBytes / s.wide;
  constexpr uint32_t align = s.first_only || s.width < s.wide ? s.width : 32;
  if (s.width == s.wide && !s.first_only && AllLanesOn(mask, kRegisterBytes / groups)) {
    weft_asc_register_write(to, U::kBytes, align, at);
    memcpy(to, src.bytes, U::kBytes);
    return;
  }
  StoreGroups(to, src.bytes, s.first_only ? 1 : groups, s.width, s.wide, mask, kRegisterBytes / groups, align,
              at);
}
constexpr uint32_t Interleaved(StoreDist dist) {
  return dist == StoreDist::DIST_INTLV_B8    ? 1
         : dist == StoreDist::DIST_INTLV_B16 ? 2
         : dist == StoreDist::DIST_INTLV_B32 ? 4
                                             : 0;
}
// Pairs of lanes, one of each register, where the mask has the lane.
template <StoreDist dist, typename U>
void StoreTwo(void *to, const U &src0, const U &src1, const MaskReg &mask, weft_asc_at at) {
  constexpr uint32_t width = Interleaved(dist);
  static_assert(width != 0, "two registers are stored by DIST_INTLV_*");
  uint8_t pairs[2 * U::kBytes];
  InterleaveBytes(pairs, pairs + U::kBytes, src0.bytes, src1.bytes, U::kBytes, width);
  constexpr uint32_t lanes = U::kBytes / width;
  StoreGroups(to, pairs, lanes, 2 * width, 2 * width, mask, kRegisterBytes / lanes, 32, at);
}
template <typename U>
void StoreBlocks(void *to, const U &src, uint32_t stride, const MaskReg &mask, weft_asc_at at) {
  uint8_t *memory = static_cast<uint8_t *>(to);
  for (uint32_t block = 0; block < kRegisterBytes / 32; block++) {
    MaskReg part;
    memcpy(part.on, mask.on + block * 32, 32);
    StoreGroups(memory + uint64_t{block} * stride * 32, src.bytes + block * 32, 32 / sizeof(LaneOf<U>),
                sizeof(LaneOf<U>), sizeof(LaneOf<U>), part, U::kMaskStep, 32, at);
  }
}
template <MaskDist dist>
void StoreMask(void *to, const MaskReg &mask, weft_asc_at at) {
  constexpr uint32_t step = dist == MaskDist::DIST_PACK ? 2 : 1;
  uint8_t bits[kRegisterBytes / 8] = {};
  for (uint32_t i = 0; i < kRegisterBytes / step; i++)
    bits[i / 8] = static_cast<uint8_t>(bits[i / 8] | mask.on[i * step] << (i % 8));
  weft_asc_register_write(to, sizeof bits / step, 1, at);
  memcpy(to, bits, sizeof bits / step);
}

#define WEFT_ASC_STORES(Name)                                                                                \
  template <typename T = DefaultType, StoreDist dist = StoreDist::DIST_NORM, typename U>                     \
  void Name(T *dstAddr, U &srcReg, MaskReg &mask, weft_asc_at at = weft_asc::Here()) {                       \
    StoreNarrow<dist>(dstAddr, srcReg, mask, at);                                                            \
  }                                                                                                          \
  template <typename T = DefaultType, PostLiteral postMode, StoreDist dist = StoreDist::DIST_NORM,           \
            typename U>                                                                                      \
  void Name(T *&dstAddr, U &srcReg, int32_t postUpdateStride, MaskReg &mask,                                 \
            weft_asc_at at = weft_asc::Here()) {                                                             \
    StoreNarrow<dist>(dstAddr, srcReg, mask, at);                                                            \
    dstAddr += postUpdateStride;                                                                             \
  }                                                                                                          \
  template <typename T = DefaultType, StoreDist dist = StoreDist::DIST_NORM, typename U>                     \
  void Name(T *dstAddr, U &srcReg, AddrReg offset, MaskReg &mask, weft_asc_at at = weft_asc::Here()) {       \
    StoreNarrow<dist>(Moved(dstAddr, offset), srcReg, mask, at);                                             \
  }                                                                                                          \
  template <typename T = DefaultType, StoreDist dist, typename U>                                            \
  void Name(T *dstAddr, U &srcReg0, U &srcReg1, MaskReg &mask, weft_asc_at at = weft_asc::Here()) {          \
    StoreTwo<dist>(dstAddr, srcReg0, srcReg1, mask, at);                                                     \
  }                                                                                                          \
  template <typename T = DefaultType, StoreDist dist, typename U>                                            \
  void Name(T *dstAddr, U &srcReg0, U &srcReg1, AddrReg offset, MaskReg &mask,                               \
            weft_asc_at at = weft_asc::Here()) {                                                             \
    StoreTwo<dist>(Moved(dstAddr, offset), srcReg0, srcReg1, mask, at);                                      \
  }                                                                                                          \
  template <typename T = DefaultType, PostLiteral postMode, StoreDist dist, typename U>                      \
  void Name(T *&dstAddr, U &srcReg0, U &srcReg1, int32_t postUpdateStride, MaskReg &mask,                    \
            weft_asc_at at = weft_asc::Here()) {                                                             \
    StoreTwo<dist>(dstAddr, srcReg0, srcReg1, mask, at);                                                     \
    dstAddr += postUpdateStride;                                                                             \
  }                                                                                                          \
  template <typename T = DefaultType, DataCopyMode dataMode, typename U>                                     \
  void Name(T *dstAddr, U &srcReg, uint32_t blockStride, MaskReg &mask, weft_asc_at at = weft_asc::Here()) { \
    StoreBlocks(dstAddr, srcReg, blockStride, mask, at);                                                     \
  }                                                                                                          \
  template <typename T = DefaultType, DataCopyMode dataMode, PostLiteral postMode, typename U>               \
  void Name(T *&dstAddr, U &srcReg, uint32_t blockStride, uint32_t repeatStride, MaskReg &mask,              \
            weft_asc_at at = weft_asc::Here()) {                                                             \
    StoreBlocks(dstAddr, srcReg, blockStride, mask, at);                                                     \
    dstAddr += uint64_t{repeatStride} * 32 / sizeof(T);                                                      \
  }                                                                                                          \
  template <typename T, MaskDist dist = MaskDist::DIST_NORM>                                                 \
  void Name(T *dstAddr, MaskReg &mask, weft_asc_at at = weft_asc::Here()) {                                  \
    StoreMask<dist>(dstAddr, mask, at);                                                                      \
  }                                                                                                          \
  template <typename T, PostLiteral postMode, MaskDist dist = MaskDist::DIST_NORM>                           \
  void Name(T *&dstAddr, MaskReg &mask, int32_t offset, weft_asc_at at = weft_asc::Here()) {                 \
    StoreMask<dist>(dstAddr, mask, at);                                                                      \
    dstAddr += offset;                                                                                       \
  }                                                                                                          \
  template <typename T, MaskDist dist = MaskDist::DIST_NORM>                                                 \
  void Name(T *dstAddr, MaskReg &mask, AddrReg offset, weft_asc_at at = weft_asc::Here()) {                  \
    StoreMask<dist>(Moved(dstAddr, offset), mask, at);                                                       \
  }
WEFT_ASC_STORES(StoreAlign)
WEFT_ASC_STORES(DataCopy)
#undef WEFT_ASC_STORES

// ---- without alignment ----

inline void StoreFirst(void *to, const uint8_t *from, uint64_t bytes, weft_asc_at at) {
  if (!bytes)
    return;
  weft_asc_register_write(to, bytes, 1, at);
  memcpy(to, from, bytes);
}
template <typename U>
uint64_t BytesOf(const U &, uint64_t elements) {
  const uint64_t bytes = elements * sizeof(LaneOf<U>);
  return bytes < U::kBytes ? bytes : U::kBytes;
}

#define WEFT_ASC_UNALIGNED(Load, LoadPre, Store, StorePost)                                             \
  template <typename T>                                                                                 \
  void LoadPre(UnalignReg &, T *) {}                                                                    \
  template <typename T>                                                                                 \
  void LoadPre(UnalignReg &, T *, AddrReg &) {}                                                         \
  template <typename T = DefaultType, PostLiteral postMode = PostLiteral::POST_MODE_UPDATE, typename U> \
  void Load(U &dstReg, UnalignReg &, T *&srcAddr, uint32_t postUpdateStride,                            \
            weft_asc_at at = weft_asc::Here()) {                                                        \
    Fetch(dstReg.bytes, srcAddr, U::kBytes, 1, at);                                                     \
    if (postMode == PostLiteral::POST_MODE_UPDATE)                                                      \
      srcAddr += postUpdateStride;                                                                      \
  }                                                                                                     \
  template <typename T = DefaultType, typename U>                                                       \
  void Load(U &dstReg, UnalignReg &, T *srcAddr, weft_asc_at at = weft_asc::Here()) {                   \
    Fetch(dstReg.bytes, srcAddr, U::kBytes, 1, at);                                                     \
  }                                                                                                     \
  template <typename T = DefaultType, typename U>                                                       \
  void Load(U &dstReg, UnalignReg &, T *&srcAddr, AddrReg &areg, uint32_t,                              \
            weft_asc_at at = weft_asc::Here()) {                                                        \
    Fetch(dstReg.bytes, Moved(srcAddr, areg), U::kBytes, 1, at);                                        \
  }                                                                                                     \
  template <typename T = DefaultType, PostLiteral postMode = PostLiteral::POST_MODE_UPDATE, typename U> \
  void Store(T *&dstAddr, U &srcReg, UnalignReg &, uint32_t postUpdateStride,                           \
             weft_asc_at at = weft_asc::Here()) {                                                       \
    StoreFirst(dstAddr, srcReg.bytes, BytesOf(srcReg, postUpdateStride), at);                           \
    if (postMode == PostLiteral::POST_MODE_UPDATE)                                                      \
      dstAddr += postUpdateStride;                                                                      \
  }                                                                                                     \
  template <typename T = DefaultType, PostLiteral postMode = PostLiteral::POST_MODE_UPDATE, typename U> \
  void Store(T *&dstAddr, U &srcReg, UnalignReg &, AddrReg &areg, weft_asc_at at = weft_asc::Here()) {  \
    StoreFirst(Moved(dstAddr, areg), srcReg.bytes, U::kBytes, at);                                      \
  }                                                                                                     \
  template <typename T = DefaultType, PostLiteral postMode = PostLiteral::POST_MODE_UPDATE, typename U> \
  void Store(T *dstAddr, U &srcReg, UnalignReg &, weft_asc_at at = weft_asc::Here()) {                  \
    const CountRegister &kept = CountOf();                                                              \
    StoreFirst(Moved(dstAddr, {kept.total - kept.last}), srcReg.bytes, kept.last, at);                  \
  }                                                                                                     \
  template <typename T, PostLiteral postMode = PostLiteral::POST_MODE_UPDATE>                           \
  void StorePost(T *&dstAddr, UnalignReg &, int32_t postUpdateStride) {                                 \
    dstAddr += postUpdateStride;                                                                        \
  }                                                                                                     \
  template <typename T>                                                                                 \
  void StorePost(T *&, UnalignReg &, AddrReg &) {}                                                      \
  template <typename T>                                                                                 \
  void StorePost(T *, UnalignReg &) {}
WEFT_ASC_UNALIGNED(LoadUnAlign, LoadUnAlignPre, StoreUnAlign, StoreUnAlignPost)
WEFT_ASC_UNALIGNED(DataCopyUnAlign, DataCopyUnAlignPre, DataCopyUnAlign, DataCopyUnAlignPost)
#undef WEFT_ASC_UNALIGNED

// ---- by indices, which are elements ----

template <typename T>
T Fetched(const T *from, weft_asc_at at) {
  T value = {};
  if (weft_asc_register_read(from, sizeof(T), 1, at) == sizeof(T))
    memcpy(&value, from, sizeof(T));
  return value;
}

#define WEFT_ASC_GATHERS(GatherName, ScatterName, GatherBName)                                             \
  template <typename T0 = DefaultType, typename T1, typename T2 = DefaultType, typename T3, typename T4>   \
  void GatherName(T3 &dstReg, T1 *baseAddr, T4 &index, MaskReg &mask, weft_asc_at at = weft_asc::Here()) { \
    EachLane<MaskMergeMode::ZEROING>(dstReg, mask, [&](uint32_t i) {                                       \
      return LaneOn<T3>(mask, i) ? static_cast<LaneOf<T3>>(Fetched(baseAddr + index.Get(i), at))           \
                                 : LaneOf<T3>{};                                                           \
    });                                                                                                    \
  }                                                                                                        \
  template <typename T = DefaultType, typename U = DefaultType, typename S, typename V>                    \
  void ScatterName(T *baseAddr, S &srcReg, V &index, MaskReg &mask, weft_asc_at at = weft_asc::Here()) {   \
    for (uint32_t i = 0; i < S::kLanes && i < V::kLanes; i++) {                                            \
      if (!LaneOn<S>(mask, i))                                                                             \
        continue;                                                                                          \
      T *to = baseAddr + index.Get(i);                                                                     \
      const T value = static_cast<T>(srcReg.Get(i));                                                       \
      weft_asc_register_write(to, sizeof(T), 1, at);                                                       \
      memcpy(to, &value, sizeof(T));                                                                       \
    }                                                                                                      \
  }                                                                                                        \
  template <typename T = DefaultType, typename U, typename S>                                              \
  void GatherBName(U &dstReg, T *baseAddr, S &index, MaskReg &mask, weft_asc_at at = weft_asc::Here()) {   \
    for (uint32_t block = 0; block < kRegisterBytes / 32; block++) {                                       \
      if (mask.on[block * 32])                                                                             \
        Fetch(dstReg.bytes + block * 32, Moved(baseAddr, {index.Get(block)}), 32, 32, at);                 \
      else                                                                                                 \
        memset(dstReg.bytes + block * 32, 0, 32);                                                          \
    }                                                                                                      \
  }
WEFT_ASC_GATHERS(Gather, Scatter, GatherB)
WEFT_ASC_GATHERS(DataCopyGather, DataCopyScatter, DataCopyGatherB)
#undef WEFT_ASC_GATHERS
}  // namespace Reg
}  // namespace AscendC
// SPDX-License-Identifier: Apache-2.0
