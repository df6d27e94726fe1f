// weft_cann/asc_quant.h - numbers to whole numbers of few bits, and back: by one factor, by one for each
// column or for each group of rows. Work tensors are taken and not touched. Functions that combine arithmetic
// and a conversion stand here, too.
#pragma once
#include "weft_cann/asc_vector.h"
#include "weft_cann/asc_words.h"

namespace AscendC {
enum class AscendQuantPolicy : int32_t { PER_TENSOR, PER_CHANNEL, PER_GROUP, PER_TOKEN };
enum class DeQuantMode { DEQUANT_WITH_SINGLE_ROW = 0, DEQUANT_WITH_MULTI_ROW };
struct AscendQuantConfig {
  uint32_t calcCount = 0;
  uint32_t offsetCount = 0;
  uint32_t scaleCount = 0;
  uint32_t workLocalSize = 0;
};
inline constexpr AscendQuantConfig ASCEND_QUANT_DEFAULT_CFG = {};
// Rows, elements from one row's begin to the next one's, and how many of them are computed.
struct DequantParams {
  uint32_t m;
  uint32_t n;
  uint32_t calCount;
};
struct AntiQuantShapeInfo {
  uint32_t offsetHeight = 0;
  uint32_t offsetWidth = 0;
  uint32_t scaleHeight = 0;
  uint32_t scaleWidth = 0;
};
}  // namespace AscendC

namespace weft_asc {
inline weft_asc_factor FactorOf(float value) {
  weft_asc_factor f = {};
  f.value = value;
  f.rows = f.columns = 1;
  return f;
}
// One for each column.
template <typename T>
weft_asc_factor FactorOf(const AscendC::LocalTensor<T> &t) {
  weft_asc_factor f = FactorOf(0.0F);
  f.at = t.Data();
  f.dtype = AscendC::DtypeOf<T>::kValue;
  f.column_step = 1;
  return f;
}
template <typename T, typename U>
weft_asc_quant Quant(const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<U> &src, uint32_t rows,
                     uint32_t columns) {
  weft_asc_quant q = {};
  q.dst = dst.Data();
  q.src = src.Data();
  q.to = AscendC::DtypeOf<T>::kValue;
  q.from = AscendC::DtypeOf<U>::kValue;
  q.rows = rows;
  q.columns = columns;
  q.dst_pitch = q.src_pitch = columns;
  q.scale = FactorOf(1.0F);
  q.offset = FactorOf(0.0F);
  return q;
}
// A scale of 64 bits holds a float in its lower half.
template <typename T>
float ScaleOf(const T &scale) {
  if constexpr (std::is_same<T, uint64_t>::value) {
    const auto bits = static_cast<uint32_t>(scale);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
  } else {
    return static_cast<float>(scale);
  }
}
}  // namespace weft_asc

namespace AscendC {
// int8: src * scale + offset, rounded to half and then to the nearest.
template <typename T, bool isReuseSource = false, const AscendQuantConfig &config = ASCEND_QUANT_DEFAULT_CFG>
void AscendQuant(const LocalTensor<int8_t> &dstTensor, const LocalTensor<T> &srcTensor, const float scale,
                 const float offset, const uint32_t calCount, weft_asc_at at = weft_asc::Here()) {
  weft_asc_quant q = weft_asc::Quant(dstTensor, srcTensor, 1, calCount);
  q.scale = weft_asc::FactorOf(scale);
  q.offset = weft_asc::FactorOf(offset);
  q.half = true;
  weft_asc_quant_run(&q, at);
}
template <typename T, bool isReuseSource = false, const AscendQuantConfig &config = ASCEND_QUANT_DEFAULT_CFG>
void AscendQuant(const LocalTensor<int8_t> &dstTensor, const LocalTensor<T> &srcTensor,
                 const LocalTensor<uint8_t> &, const float scale, const float offset, const uint32_t calCount,
                 weft_asc_at at = weft_asc::Here()) {
  AscendQuant<T>(dstTensor, srcTensor, scale, offset, calCount, at);
}
template <typename T, bool isReuseSource = false, const AscendQuantConfig &config = ASCEND_QUANT_DEFAULT_CFG>
void AscendQuant(const LocalTensor<int8_t> &dstTensor, const LocalTensor<T> &srcTensor, const float scale,
                 const float offset, weft_asc_at at = weft_asc::Here()) {
  AscendQuant<T>(dstTensor, srcTensor, scale, offset, srcTensor.GetSize(), at);
}
template <typename T, bool isReuseSource = false, const AscendQuantConfig &config = ASCEND_QUANT_DEFAULT_CFG>
void AscendQuant(const LocalTensor<int8_t> &dstTensor, const LocalTensor<T> &srcTensor,
                 const LocalTensor<uint8_t> &, const float scale, const float offset,
                 weft_asc_at at = weft_asc::Here()) {
  AscendQuant<T>(dstTensor, srcTensor, scale, offset, srcTensor.GetSize(), at);
}
// Rows of scaleCount numbers, a scale for each column; the offset is one, or one for each column.
template <typename T, bool isReuseSource = false, const AscendQuantConfig &config = ASCEND_QUANT_DEFAULT_CFG,
          typename Offset>
void AscendQuant(const LocalTensor<int8_t> &dstTensor, const LocalTensor<T> &srcTensor,
                 const LocalTensor<T> &scaleTensor, const Offset &offset, const uint32_t scaleCount,
                 const uint32_t calCount, weft_asc_at at = weft_asc::Here()) {
  weft_asc_quant q =
      weft_asc::Quant(dstTensor, srcTensor, scaleCount ? calCount / scaleCount : 0, scaleCount);
  q.scale = weft_asc::FactorOf(scaleTensor);
  if constexpr (std::is_convertible<Offset, float>::value)
    q.offset = weft_asc::FactorOf(static_cast<float>(offset));
  else
    q.offset = weft_asc::FactorOf(offset);
  q.half = true;
  weft_asc_quant_run(&q, at);
}
template <typename T, bool isReuseSource = false, const AscendQuantConfig &config = ASCEND_QUANT_DEFAULT_CFG,
          typename Offset>
void AscendQuant(const LocalTensor<int8_t> &dstTensor, const LocalTensor<T> &srcTensor,
                 const LocalTensor<uint8_t> &, const LocalTensor<T> &scaleTensor, const Offset &offset,
                 const uint32_t scaleCount, const uint32_t calCount, weft_asc_at at = weft_asc::Here()) {
  AscendQuant<T>(dstTensor, srcTensor, scaleTensor, offset, scaleCount, calCount, at);
}

// A scale for each column of int32. Rows begin at whole blocks of 32 bytes, on both sides.
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
void AscendDequant(const LocalTensor<dstT> &dstTensor, const LocalTensor<int32_t> &srcTensor,
                   const LocalTensor<scaleT> &deqScale, DequantParams params,
                   weft_asc_at at = weft_asc::Here()) {
  const uint32_t in_block = 32 / sizeof(dstT);
  weft_asc_quant q = weft_asc::Quant(dstTensor, srcTensor, params.m, params.calCount);
  q.src_pitch = (params.n + 7) / 8 * 8;
  q.dst_pitch = (params.n + in_block - 1) / in_block * in_block;
  q.scale = weft_asc::FactorOf(deqScale);
  weft_asc_quant_run(&q, at);
}
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
void AscendDequant(const LocalTensor<dstT> &dstTensor, const LocalTensor<int32_t> &srcTensor,
                   const LocalTensor<scaleT> &deqScale, const LocalTensor<uint8_t> &, DequantParams params,
                   weft_asc_at at = weft_asc::Here()) {
  AscendDequant<dstT, scaleT, mode>(dstTensor, srcTensor, deqScale, params, at);
}
// A row of calCount; with DEQUANT_WITH_MULTI_ROW rows as long as the scale.
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
void AscendDequant(const LocalTensor<dstT> &dstTensor, const LocalTensor<int32_t> &srcTensor,
                   const LocalTensor<scaleT> &deqScale, const uint32_t calCount,
                   weft_asc_at at = weft_asc::Here()) {
  const bool rows = mode == DeQuantMode::DEQUANT_WITH_MULTI_ROW && deqScale.GetSize();
  const uint32_t columns = rows ? deqScale.GetSize() : calCount;
  weft_asc_quant q = weft_asc::Quant(dstTensor, srcTensor, columns ? calCount / columns : 0, columns);
  q.scale = weft_asc::FactorOf(deqScale);
  weft_asc_quant_run(&q, at);
}
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
void AscendDequant(const LocalTensor<dstT> &dstTensor, const LocalTensor<int32_t> &srcTensor,
                   const LocalTensor<scaleT> &deqScale, const LocalTensor<uint8_t> &, const uint32_t calCount,
                   weft_asc_at at = weft_asc::Here()) {
  AscendDequant<dstT, scaleT, mode>(dstTensor, srcTensor, deqScale, calCount, at);
}
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
void AscendDequant(const LocalTensor<dstT> &dstTensor, const LocalTensor<int32_t> &srcTensor,
                   const LocalTensor<scaleT> &deqScale, weft_asc_at at = weft_asc::Here()) {
  AscendDequant<dstT, scaleT, mode>(dstTensor, srcTensor, deqScale, srcTensor.GetSize(), at);
}
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
void AscendDequant(const LocalTensor<dstT> &dstTensor, const LocalTensor<int32_t> &srcTensor,
                   const LocalTensor<scaleT> &deqScale, const LocalTensor<uint8_t> &,
                   weft_asc_at at = weft_asc::Here()) {
  AscendDequant<dstT, scaleT, mode>(dstTensor, srcTensor, deqScale, srcTensor.GetSize(), at);
}
// One scale for all.
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
void AscendDequant(const LocalTensor<dstT> &dstTensor, const LocalTensor<int32_t> &srcTensor,
                   const scaleT deqScale, DequantParams params, weft_asc_at at = weft_asc::Here()) {
  const uint32_t in_block = 32 / sizeof(dstT);
  weft_asc_quant q = weft_asc::Quant(dstTensor, srcTensor, params.m, params.calCount);
  q.src_pitch = (params.n + 7) / 8 * 8;
  q.dst_pitch = (params.n + in_block - 1) / in_block * in_block;
  q.scale = weft_asc::FactorOf(weft_asc::ScaleOf(deqScale));
  weft_asc_quant_run(&q, at);
}
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
void AscendDequant(const LocalTensor<dstT> &dstTensor, const LocalTensor<int32_t> &srcTensor,
                   const scaleT deqScale, const LocalTensor<uint8_t> &, DequantParams params,
                   weft_asc_at at = weft_asc::Here()) {
  AscendDequant<dstT, scaleT, mode>(dstTensor, srcTensor, deqScale, params, at);
}
}  // namespace AscendC

namespace weft_asc {
// k x n numbers, or transposed n x k; factors for each n, or besides for each of some groups along k.
inline void ByGroup(weft_asc_factor &f, bool transposed, uint32_t k, uint32_t n, uint32_t height,
                    uint32_t width) {
  const uint32_t groups = transposed ? (width ? width : 1) : (height ? height : 1);
  const uint32_t of_group = k / groups ? k / groups : 1;
  f.rows = transposed ? 1 : of_group;
  f.columns = transposed ? of_group : 1;
  f.row_step = transposed ? groups : groups > 1 ? n : 0;
  f.column_step = transposed ? (groups > 1 ? 1 : 0) : 1;
}
template <typename T, typename U>
weft_asc_quant AntiQuant(const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<U> &src,
                         bool transposed, uint32_t k) {
  const uint32_t n = k ? src.GetSize() / k : 0;
  weft_asc_quant q = Quant(dst, src, transposed ? n : k, transposed ? k : n);
  q.offset_first = true;
  return q;
}
}  // namespace weft_asc

namespace AscendC {
// (src + offset) * scale
template <typename InputDataType, typename OutputDataType, bool isTranspose>
void AscendAntiQuant(const LocalTensor<OutputDataType> &dst, const LocalTensor<InputDataType> &src,
                     const LocalTensor<OutputDataType> &offset, const LocalTensor<OutputDataType> &scale,
                     const LocalTensor<uint8_t> &, const uint32_t k, const AntiQuantShapeInfo &shapeInfo = {},
                     weft_asc_at at = weft_asc::Here()) {
  weft_asc_quant q = weft_asc::AntiQuant(dst, src, isTranspose, k);
  const uint32_t n = isTranspose ? q.rows : q.columns;
  q.scale = weft_asc::FactorOf(scale);
  q.offset = weft_asc::FactorOf(offset);
  weft_asc::ByGroup(q.scale, isTranspose, k, n, shapeInfo.scaleHeight, shapeInfo.scaleWidth);
  weft_asc::ByGroup(q.offset, isTranspose, k, n, shapeInfo.offsetHeight, shapeInfo.offsetWidth);
  weft_asc_quant_run(&q, at);
}
template <typename InputDataType, typename OutputDataType, bool isTranspose>
void AscendAntiQuant(const LocalTensor<OutputDataType> &dst, const LocalTensor<InputDataType> &src,
                     const LocalTensor<OutputDataType> &scale, const LocalTensor<uint8_t> &, const uint32_t k,
                     const AntiQuantShapeInfo &shapeInfo = {}, weft_asc_at at = weft_asc::Here()) {
  weft_asc_quant q = weft_asc::AntiQuant(dst, src, isTranspose, k);
  q.scale = weft_asc::FactorOf(scale);
  weft_asc::ByGroup(q.scale, isTranspose, k, isTranspose ? q.rows : q.columns, shapeInfo.scaleHeight,
                    shapeInfo.scaleWidth);
  weft_asc_quant_run(&q, at);
}
template <typename InputDataType, typename OutputDataType, bool isTranspose>
void AscendAntiQuant(const LocalTensor<OutputDataType> &dst, const LocalTensor<InputDataType> &src,
                     const LocalTensor<OutputDataType> &offset, const LocalTensor<OutputDataType> &scale,
                     const uint32_t k, const AntiQuantShapeInfo &shapeInfo = {},
                     weft_asc_at at = weft_asc::Here()) {
  AscendAntiQuant<InputDataType, OutputDataType, isTranspose>(dst, src, offset, scale, LocalTensor<uint8_t>(),
                                                              k, shapeInfo, at);
}
template <typename InputDataType, typename OutputDataType, bool isTranspose>
void AscendAntiQuant(const LocalTensor<OutputDataType> &dst, const LocalTensor<InputDataType> &src,
                     const OutputDataType offset, const OutputDataType scale, const LocalTensor<uint8_t> &,
                     const uint32_t k, const AntiQuantShapeInfo & = {}, weft_asc_at at = weft_asc::Here()) {
  weft_asc_quant q = weft_asc::AntiQuant(dst, src, isTranspose, k);
  q.scale = weft_asc::FactorOf(static_cast<float>(scale));
  q.offset = weft_asc::FactorOf(static_cast<float>(offset));
  weft_asc_quant_run(&q, at);
}
template <typename InputDataType, typename OutputDataType, bool isTranspose>
void AscendAntiQuant(const LocalTensor<OutputDataType> &dst, const LocalTensor<InputDataType> &src,
                     const OutputDataType scale, const LocalTensor<uint8_t> &work, const uint32_t k,
                     const AntiQuantShapeInfo &shapeInfo = {}, weft_asc_at at = weft_asc::Here()) {
  AscendAntiQuant<InputDataType, OutputDataType, isTranspose>(dst, src, static_cast<OutputDataType>(0.0F),
                                                              scale, work, k, shapeInfo, at);
}

// Whole numbers times the scale that SetDeqScale said.
template <typename T, typename U, bool isVecDeq = true, bool halfBlock = true>
void CastDeq(const LocalTensor<T> &dst, const LocalTensor<U> &src, const uint32_t count,
             weft_asc_at at = weft_asc::Here()) {
  const weft_asc_core *core = weft_asc_current();
  weft_asc_quant q = weft_asc::Quant(dst, src, 1, count);
  q.scale = weft_asc::FactorOf(core ? static_cast<float>(core->deq_scale) : 1.0F);
  weft_asc_quant_run(&q, at);
}
template <typename T, typename U, bool isVecDeq = true, bool halfBlock = true>
void CastDequant(const LocalTensor<T> &dst, const LocalTensor<U> &src, const uint32_t count,
                 weft_asc_at at = weft_asc::Here()) {
  CastDeq<T, U, isVecDeq, halfBlock>(dst, src, count, at);
}
}  // namespace AscendC
// SPDX-License-Identifier: Apache-2.0
