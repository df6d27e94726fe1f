// weft_cann/asc_multicopy.h - copies of the 950 in several dimensions: DataCopy with MultiCopyParams, which
// pads, and DataCopyPad inside the two loops of SetLoopModePara.
#pragma once
#include "weft_cann/asc_copy.h"
#include "weft_cann/asc_units.h"

namespace AscendC {
enum class DataCopyMVType : uint8_t { UB_TO_OUT = 0, OUT_TO_UB = 1 };
struct LoopModeParams {
  LoopModeParams() {}
  LoopModeParams(const uint32_t loop1SizeIn, const uint32_t loop2SizeIn, const uint64_t loop1SrcStrideIn,
                 const uint64_t loop1DstStrideIn, const uint64_t loop2SrcStrideIn,
                 const uint64_t loop2DstStrideIn)
      : loop1Size(loop1SizeIn),
        loop2Size(loop2SizeIn),
        loop1SrcStride(loop1SrcStrideIn),
        loop1DstStride(loop1DstStrideIn),
        loop2SrcStride(loop2SrcStrideIn),
        loop2DstStride(loop2DstStrideIn) {}
  uint32_t loop1Size = 0;
  uint32_t loop2Size = 0;
  uint64_t loop1SrcStride = 0;
  uint64_t loop1DstStride = 0;
  uint64_t loop2SrcStride = 0;
  uint64_t loop2DstStride = 0;
};
inline void SetLoopModePara(const LoopModeParams &loopParams, DataCopyMVType type) {
  const weft_asc_loops loops = {{loopParams.loop1Size, loopParams.loop2Size},
                                {loopParams.loop1SrcStride, loopParams.loop2SrcStride},
                                {loopParams.loop1DstStride, loopParams.loop2DstStride}};
  weft_asc_copy_loops(type == DataCopyMVType::UB_TO_OUT, &loops);
}
inline void ResetLoopModePara(DataCopyMVType type) {
  weft_asc_copy_loops(type == DataCopyMVType::UB_TO_OUT, nullptr);
}

// Without a size of its own a border is what the loop says.
struct NdDmaConfig {
  static constexpr uint16_t unsetPad = 0xffff;
  bool isNearestValueMode = false;
  uint16_t loopLpSize = unsetPad;
  uint16_t loopRpSize = unsetPad;
  bool ascOptimize = false;
};
using MultiCopyConfig = NdDmaConfig;
constexpr NdDmaConfig kDefaultNdDmaConfig = {false, NdDmaConfig::unsetPad, NdDmaConfig::unsetPad, false};
constexpr NdDmaConfig kDefaultMultiCopyConfig = kDefaultNdDmaConfig;
template <uint8_t dim>
struct MultiCopyLoopInfo {
  uint64_t loopSrcStride[dim] = {0};
  uint32_t loopDstStride[dim] = {0};
  uint32_t loopSize[dim] = {0};
  uint8_t loopLpSize[dim] = {0};
  uint8_t loopRpSize[dim] = {0};
};
template <uint8_t dim>
using NdDmaLoopInfo = MultiCopyLoopInfo<dim>;
template <typename T, uint8_t dim>
struct MultiCopyParams {
  MultiCopyLoopInfo<dim> loopInfo;
  T constantValue;
};
template <typename T, uint8_t dim>
using NdDmaParams = MultiCopyParams<T, dim>;
inline void NdDmaDci() {}

// A matrix whose columns lie together becomes fractals, as Nd2NzParams says of rows: nValue rows of dValue
// numbers, which are srcDValue apart.
struct Dn2NzParams {
  Dn2NzParams() {}
  Dn2NzParams(const uint16_t dnNumIn, const uint16_t nValueIn, const uint32_t dValueIn,
              const uint64_t srcDnMatrixStrideIn, const uint64_t srcDValueIn, const uint16_t dstNzC0StrideIn,
              const uint16_t dstNzNStrideIn, const uint32_t dstNzMatrixStrideIn)
      : dnNum(dnNumIn),
        nValue(nValueIn),
        dValue(dValueIn),
        srcDnMatrixStride(srcDnMatrixStrideIn),
        srcDValue(srcDValueIn),
        dstNzC0Stride(dstNzC0StrideIn),
        dstNzNStride(dstNzNStrideIn),
        dstNzMatrixStride(dstNzMatrixStrideIn) {}
  uint16_t dnNum = 0;
  uint16_t nValue = 0;
  uint32_t dValue = 0;
  uint64_t srcDnMatrixStride = 0;  // in elements, as srcDValue, which is from column to column
  uint64_t srcDValue = 0;
  uint16_t dstNzC0Stride = 0;  // in blocks of 32 bytes, as dstNzNStride
  uint16_t dstNzNStride = 0;
  uint32_t dstNzMatrixStride = 0;  // in elements
};

// Loop 0 is the innermost. Strides are elements; a border holds the constant, or the nearest element.
template <typename T, uint8_t dim, const NdDmaConfig &config = kDefaultNdDmaConfig>
void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const MultiCopyParams<T, dim> &params,
              weft_asc_at at = weft_asc::Here()) {
  static_assert(dim >= 1 && dim <= 5, "one to five dimensions");
  weft_asc_multicopy c = {};
  c.to = dst.Data();
  c.from = src.GetPhyAddr();
  c.element = sizeof(T);
  c.pad = weft_asc::Bits(params.constantValue);
  c.nearest = config.isNearestValueMode;
  c.global_bytes = src.KnownBytes();
  for (uint32_t i = 0; i < 5; i++) {
    const bool used = i < dim;
    c.dims[i].size = used ? params.loopInfo.loopSize[used ? i : 0] : 1;
    if (!used)
      continue;
    c.dims[i].from = params.loopInfo.loopSrcStride[i];
    c.dims[i].to = params.loopInfo.loopDstStride[i];
    c.dims[i].left =
        config.loopLpSize == NdDmaConfig::unsetPad ? params.loopInfo.loopLpSize[i] : config.loopLpSize;
    c.dims[i].right =
        config.loopRpSize == NdDmaConfig::unsetPad ? params.loopInfo.loopRpSize[i] : config.loopRpSize;
  }
  weft_asc_multicopy_run(&c, at);
}

// Column after column of blocks; what the last one lacks is filled up with zeros.
template <typename T>
void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const Dn2NzParams &p,
              weft_asc_at at = weft_asc::Here()) {
  constexpr uint32_t kBlock = 32 / sizeof(T);
  const uint64_t known = src.KnownBytes();
  for (uint32_t matrix = 0; matrix < p.dnNum; matrix++) {
    for (uint32_t column = 0; column < p.dValue; column += kBlock) {
      const uint32_t n = p.dValue - column < kBlock ? p.dValue - column : kBlock;
      const uint64_t skipped = matrix * p.srcDnMatrixStride + column * p.srcDValue;
      weft_asc_multicopy c = {};
      c.to = dst.Data() + uint64_t{matrix} * p.dstNzMatrixStride +
             uint64_t{column / kBlock} * p.dstNzC0Stride * kBlock;
      c.from = src.GetPhyAddr() + skipped;
      c.element = sizeof(T);
      c.global_bytes = known == ~0ull || known < skipped * sizeof(T) ? known : known - skipped * sizeof(T);
      c.dims[0] = {n, 0, kBlock - n, p.srcDValue, 1};
      c.dims[1] = {p.nValue, 0, 0, 1, uint64_t{p.dstNzNStride} * kBlock};
      for (int i = 2; i < 5; i++)
        c.dims[i].size = 1;
      weft_asc_multicopy_run(&c, at);
    }
  }
}
}  // namespace AscendC
// SPDX-License-Identifier: Apache-2.0
