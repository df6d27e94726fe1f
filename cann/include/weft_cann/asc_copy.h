// weft_cann/asc_copy.h - DataCopy and DataCopyPad: rows between global memory and the chip.
#pragma once
#include "weft_cann/asc_sync.h"

namespace weft_asc {
template <typename T>
weft_asc_copy CopyIn(const AscendC::LocalTensor<T> &dst, const AscendC::GlobalTensor<T> &src) {
  weft_asc_copy c = {};
  c.to = dst.Data();
  c.from = src.GetPhyAddr();
  c.from_global = true;
  c.dtype = AscendC::DtypeOf<T>::kValue;
  c.element = sizeof(T);
  c.rows = 1;
  c.pipe = WEFT_ASC_PIPE_MTE2;
  c.global_bytes = src.KnownBytes();
  return c;
}
template <typename T>
weft_asc_copy CopyOut(const AscendC::GlobalTensor<T> &dst, const AscendC::LocalTensor<T> &src) {
  weft_asc_copy c = {};
  c.to = dst.GetPhyAddr(0);
  c.from = src.Data();
  c.to_global = true;
  c.dtype = AscendC::DtypeOf<T>::kValue;
  c.element = sizeof(T);
  c.rows = 1;
  c.pipe = src.GetPosition() == static_cast<int32_t>(AscendC::TPosition::CO1) ? WEFT_ASC_PIPE_FIX
                                                                              : WEFT_ASC_PIPE_MTE3;
  c.global_bytes = dst.KnownBytes();
  return c;
}
// Within a core: by the unit that the two positions stand for.
template <typename T, typename U>
weft_asc_copy CopyWithin(const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<U> &src) {
  weft_asc_copy c = {};
  c.to = dst.Data();
  c.from = src.Data();
  c.dtype = AscendC::DtypeOf<T>::kValue;
  c.element = sizeof(T);
  c.rows = 1;
  c.global_bytes = ~0ull;
  const int from = RegionOf(static_cast<AscendC::TPosition>(src.GetPosition()));
  const int to = RegionOf(static_cast<AscendC::TPosition>(dst.GetPosition()));
  c.pipe = from == WEFT_ASC_UB && to == WEFT_ASC_UB ? WEFT_ASC_PIPE_V
           : from == WEFT_ASC_L1                    ? WEFT_ASC_PIPE_MTE1
           : from == WEFT_ASC_L0C                   ? WEFT_ASC_PIPE_FIX
                                                    : WEFT_ASC_PIPE_MTE3;
  return c;
}
// Rows of 32-byte blocks.
inline void InBlocks(weft_asc_copy &c, const AscendC::DataCopyParams &p) {
  c.rows = p.blockCount;
  c.row_bytes = uint64_t{p.blockLen} * 32;
  c.from_gap = int64_t{p.srcStride} * 32;
  c.to_gap = int64_t{p.dstStride} * 32;
}
template <typename Params>
void InBytes(weft_asc_copy &c, const Params &p) {
  c.rows = p.blockCount;
  c.row_bytes = p.blockLen;
  c.from_gap = static_cast<int64_t>(p.srcStride) * (c.from_global ? 1 : 32);
  c.to_gap = static_cast<int64_t>(p.dstStride) * (c.to_global ? 1 : 32);
  if (c.from_global)
    c.round = 32;
  // On the chip a row begins at a block, and the gap counts from the end of its last one.
  else
    c.from_gap += static_cast<int64_t>((32 - p.blockLen % 32) % 32);
}
template <typename Params>
void Padded(weft_asc_copy &c, const Params &p, uint64_t bits) {
  if (!p.isPad)
    return;
  c.left = uint32_t{p.leftPadding} * c.element;
  c.right = uint32_t{p.rightPadding} * c.element;
  c.pad = bits;
}
}  // namespace weft_asc

namespace AscendC {
template <typename T>
void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const uint32_t count,
              weft_asc_at at = weft_asc::Here()) {
  weft_asc_copy c = weft_asc::CopyIn(dst, src);
  c.row_bytes = uint64_t{count} * sizeof(T);
  c.in_blocks = true;
  weft_asc_copy_run(&c, at);
}
template <typename T>
void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t count,
              weft_asc_at at = weft_asc::Here()) {
  weft_asc_copy c = weft_asc::CopyOut(dst, src);
  c.row_bytes = uint64_t{count} * sizeof(T);
  c.in_blocks = true;
  weft_asc_copy_run(&c, at);
}
template <typename T>
void DataCopy(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t count,
              weft_asc_at at = weft_asc::Here()) {
  weft_asc_copy c = weft_asc::CopyWithin(dst, src);
  c.row_bytes = uint64_t{count} * sizeof(T);
  c.in_blocks = true;
  weft_asc_copy_run(&c, at);
}
template <typename T>
void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const DataCopyParams &p,
              weft_asc_at at = weft_asc::Here()) {
  weft_asc_copy c = weft_asc::CopyIn(dst, src);
  weft_asc::InBlocks(c, p);
  weft_asc_copy_run(&c, at);
}
template <typename T>
void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const DataCopyParams &p,
              weft_asc_at at = weft_asc::Here()) {
  weft_asc_copy c = weft_asc::CopyOut(dst, src);
  weft_asc::InBlocks(c, p);
  weft_asc_copy_run(&c, at);
}
template <typename T>
void DataCopy(const LocalTensor<T> &dst, const LocalTensor<T> &src, const DataCopyParams &p,
              weft_asc_at at = weft_asc::Here()) {
  weft_asc_copy c = weft_asc::CopyWithin(dst, src);
  weft_asc::InBlocks(c, p);
  weft_asc_copy_run(&c, at);
}

template <typename T, PaddingMode mode = PaddingMode::Normal>
void DataCopyPad(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const DataCopyParams &p,
                 const DataCopyPadParams &pad, weft_asc_at at = weft_asc::Here()) {
  weft_asc_copy c = weft_asc::CopyIn(dst, src);
  weft_asc::InBytes(c, p);
  weft_asc::Padded(c, pad, pad.paddingValue);
  weft_asc_copy_run(&c, at);
}
template <typename T, PaddingMode mode = PaddingMode::Normal, typename U>
void DataCopyPad(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const DataCopyExtParams &p,
                 const DataCopyPadExtParams<U> &pad, weft_asc_at at = weft_asc::Here()) {
  weft_asc_copy c = weft_asc::CopyIn(dst, src);
  weft_asc::InBytes(c, p);
  weft_asc::Padded(c, pad, weft_asc::Bits(pad.paddingValue));
  weft_asc_copy_run(&c, at);
}
template <typename T, PaddingMode mode = PaddingMode::Normal>
void DataCopyPad(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const DataCopyParams &p,
                 weft_asc_at at = weft_asc::Here()) {
  weft_asc_copy c = weft_asc::CopyOut(dst, src);
  weft_asc::InBytes(c, p);
  weft_asc_copy_run(&c, at);
}
template <typename T, PaddingMode mode = PaddingMode::Normal>
void DataCopyPad(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const DataCopyExtParams &p,
                 weft_asc_at at = weft_asc::Here()) {
  weft_asc_copy c = weft_asc::CopyOut(dst, src);
  weft_asc::InBytes(c, p);
  weft_asc_copy_run(&c, at);
}
}  // namespace AscendC
// SPDX-License-Identifier: Apache-2.0
