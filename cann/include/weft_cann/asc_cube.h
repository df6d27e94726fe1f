// weft_cann/asc_cube.h - the cube unit: LoadData into L0A and L0B, Mmad, Fixpipe and what is set before them.
// Memories are laid out as on the chip: L1 and L0C in columns of fractals, L0A (2201) in rows of them, L0B in
// rows of transposed ones; a fractal is 16 rows of 32 bytes, in L0C 16 x 16 numbers. Sums are made in the
// order of k.
#pragma once
#include "weft_cann/asc_copy.h"
#include "weft_cann/asc_cube_types.h"
#include "weft_cann/asc_units.h"

namespace AscendC {
// ---- what is set for the instructions that follow ----

inline void SetHF32Mode(bool hf32Mode) {
  weft_asc_cube_current()->hf32 = hf32Mode;
}
inline void SetHF32Mode(HF32Mode mode) {
  SetHF32Mode(mode == HF32Mode::ENABLE);
}
// true: ties go towards zero.
inline void SetHF32TransMode(bool hf32TransMode) {
  weft_asc_cube_current()->hf32_to_even = !hf32TransMode;
}
inline void SetHF32TransMode(HF32TransMode mode) {
  SetHF32TransMode(mode == HF32TransMode::NEAREST_ZERO);
}
inline void SetMMLayoutTransform(bool) {}
inline void SetMMRowMajor() {}
inline void SetMMColumnMajor() {}
inline void SetFmatrix(uint16_t l1H, uint16_t l1W, const uint8_t padList[4], const FmatrixMode &fmatrixMode) {
  auto &image = weft_asc_cube_current()->image[static_cast<int>(fmatrixMode)];
  image.height = l1H;
  image.width = l1W;
  memcpy(image.pad, padList, sizeof image.pad);
}
template <typename T>
void SetLoadDataPaddingValue(const T padValue) {
  weft_asc_cube_current()->pad_value = weft_asc::Bits(padValue);
}
inline void SetLoadDataBoundary(uint32_t) {}
inline void SetLoadDataRepeat(const LoadDataRepeatParam &p, weft_asc_at at = weft_asc::Here()) {
  if (p.repeatTime > 1)
    weft_asc_fail(
        at, "SetLoadDataRepeat: repeats of LoadData are not there; a call of LoadData for each would be");
}
inline void SetFixpipeNz2ndFlag(uint16_t ndNum, uint16_t srcNdStride, uint32_t dstNdStride) {
  weft_asc_cube *cube = weft_asc_cube_current();
  cube->nd_count = ndNum;
  cube->nd_from = srcNdStride;
  cube->nd_to = dstNdStride;
}
inline void SetFixpipePreQuantFlag(uint64_t config) {
  weft_asc_cube_current()->scale = config;
}
inline void SetFixPipeClipRelu(uint64_t config, weft_asc_at at = weft_asc::Here()) {
  if (config)
    weft_asc_fail(
        at,
        "SetFixPipeClipRelu: results are not clipped here; a vector instruction behind Fixpipe would do it");
}
template <typename T, bool setRelu = false>
void SetFixPipeConfig(const LocalTensor<T> &preData, bool = false) {
  if (!setRelu)
    weft_asc_cube_current()->scales = reinterpret_cast<const uint64_t *>(preData.Data());
}
template <typename T>
void SetFixPipeConfig(const LocalTensor<T> &, const LocalTensor<T> &quantPre, bool = false) {
  SetFixPipeConfig(quantPre);
}

// ---- loads ----

constexpr bool kLeftByRows = WEFT_ASC_ARCH != 3510;
constexpr uint64_t kFractalBytes = 512;

template <typename T>
weft_asc_fractals FractalsOf(const LocalTensor<T> &dst, const T *src, bool global, uint64_t bytes) {
  weft_asc_fractals f = {};
  f.to = dst.Data();
  f.from = src;
  f.from_global = global;
  f.element = sizeof(T);
  f.global_bytes = bytes;
  return f;
}
template <typename T>
void LoadFractals(const LocalTensor<T> &dst, const T *src, bool global, uint64_t bytes,
                  const LoadData2DParams &p, weft_asc_at at) {
  const uint64_t start = p.startIndex * kFractalBytes;
  weft_asc_fractals f = FractalsOf(dst, src + start / sizeof(T), global,
                                   bytes == ~0ull || bytes < start ? bytes : bytes - start);
  f.rows = 1;
  f.columns = 1;
  f.transpose = p.ifTranspose;
  const int64_t step = (p.addrMode ? -1 : 1) * static_cast<int64_t>(p.srcStride * kFractalBytes);
  const uint8_t *from = static_cast<const uint8_t *>(f.from);
  uint8_t *to = static_cast<uint8_t *>(f.to);
  for (uint32_t i = 0; i < p.repeatTimes; i++) {
    f.from = from + i * step;
    f.to = to + i * (p.dstGap + 1) * kFractalBytes;
    if (global && bytes != ~0ull)
      f.global_bytes = bytes - start - static_cast<uint64_t>(i * step);
    weft_asc_fractals_run(&f, at);
  }
}
template <typename T>
void LoadData(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LoadData2DParams &loadDataParams,
              weft_asc_at at = weft_asc::Here()) {
  LoadFractals(dst, src.Data(), false, ~0ull, loadDataParams, at);
}
template <typename T>
void LoadData(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const LoadData2DParams &loadDataParams,
              weft_asc_at at = weft_asc::Here()) {
  LoadFractals(dst, src.GetPhyAddr(), true, src.KnownBytes(), loadDataParams, at);
}
template <typename T>
void LoadMatrix(const LocalTensor<T> &dst, const T *src, bool global, uint64_t bytes,
                const LoadData2DParamsV2 &p, weft_asc_at at) {
  const uint64_t start =
      (uint64_t{p.kStartPosition} * static_cast<uint64_t>(p.srcStride) + p.mStartPosition) * kFractalBytes;
  weft_asc_fractals f = FractalsOf(dst, src + start / sizeof(T), global,
                                   bytes == ~0ull || bytes < start ? bytes : bytes - start);
  f.rows = p.mStep;
  f.columns = p.kStep;
  f.transpose = p.ifTranspose;
  f.from_row = kFractalBytes;
  f.from_column = static_cast<int64_t>(p.srcStride) * static_cast<int64_t>(kFractalBytes);
  f.to_row = kFractalBytes;
  f.to_column = p.dstStride * static_cast<int64_t>(kFractalBytes);
  weft_asc_fractals_run(&f, at);
}
template <typename T>
void LoadData(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LoadData2DParamsV2 &loadDataParams,
              weft_asc_at at = weft_asc::Here()) {
  LoadMatrix(dst, src.Data(), false, ~0ull, loadDataParams, at);
}
template <typename T>
void LoadData(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const LoadData2DParamsV2 &loadDataParams,
              weft_asc_at at = weft_asc::Here()) {
  LoadMatrix(dst, src.GetPhyAddr(), true, src.KnownBytes(), loadDataParams, at);
}
// Squares: one fractal of 16-bit elements, two of others (of bytes one under the other, of 32-bit elements
// side by side), each transposed.
template <typename T>
void LoadDataWithTranspose(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                           const LoadData2dTransposeParams &p, weft_asc_at at = weft_asc::Here()) {
  constexpr uint32_t per_square = sizeof(T) == 2 ? 1 : 2;
  constexpr int64_t bytes = static_cast<int64_t>(kFractalBytes);
  weft_asc_fractals f = FractalsOf(dst, src.Data(), false, ~0ull);
  f.transpose = true;
  f.rows = sizeof(T) == 1 ? 2 : 1;
  f.columns = sizeof(T) == 4 ? 2 : 1;
  f.from_row = f.from_column = bytes;
  f.to_row = f.to_column = (p.dstFracGap + 1) * bytes;
  const int64_t step = (p.addrMode ? -1 : 1) * static_cast<int64_t>(p.srcStride) * per_square * bytes;
  const uint8_t *from = reinterpret_cast<const uint8_t *>(src.Data()) + p.startIndex * per_square * bytes;
  uint8_t *to = static_cast<uint8_t *>(f.to);
  for (uint32_t i = 0; i < p.repeatTimes; i++) {
    f.from = from + i * step;
    f.to = to + i * (p.dstGap + 1) * bytes;
    weft_asc_fractals_run(&f, at);
  }
}
struct IsResetLoad3dConfig {
  bool isSetFMatrix = true;
  bool isSetPadding = true;
};
constexpr IsResetLoad3dConfig IS_RESER_LOAD3D_DEFAULT_CONFIG = {true, true};
template <typename T, const IsResetLoad3dConfig &defaultConfig = IS_RESER_LOAD3D_DEFAULT_CONFIG, typename U>
void LoadData(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LoadData3DParamsV2<U> &p,
              weft_asc_at at = weft_asc::Here()) {
  const weft_asc_cube *cube = weft_asc_cube_current();
  const auto &image = cube->image[p.fMatrixCtrl ? 1 : 0];
  weft_asc_patches w = {};
  w.to = dst.Data();
  w.from = src.Data();
  w.element = sizeof(T);
  w.height = defaultConfig.isSetFMatrix ? p.l1H : image.height;
  w.width = defaultConfig.isSetFMatrix ? p.l1W : image.width;
  memcpy(w.pad, defaultConfig.isSetFMatrix ? p.padList : image.pad, sizeof w.pad);
  w.pad_value = defaultConfig.isSetPadding ? weft_asc::Bits(p.padValue) : cube->pad_value;
  w.channels = p.channelSize;
  w.stride[0] = p.strideH;
  w.stride[1] = p.strideW;
  w.kernel[0] = p.filterH + (p.filterSizeH ? 256u : 0u);
  w.kernel[1] = p.filterW + (p.filterSizeW ? 256u : 0u);
  w.dilation[0] = p.dilationFilterH;
  w.dilation[1] = p.dilationFilterW;
  w.m_start = p.mStartPt;
  w.k_start = p.kStartPt;
  w.m = p.mExtension;
  w.k = p.kExtension;
  w.transpose = dst.GetPosition() == static_cast<int32_t>(TPosition::B2);
  w.by_rows = !w.transpose && kLeftByRows;
  weft_asc_patches_run(&w, at);
}
// `repeatTimes` runs of `blockNum` blocks of 32 bytes, with gaps of as many blocks.
template <typename T, typename U>
void InitConstValue(const LocalTensor<T> &dst, const InitConstValueParams<U> &p,
                    weft_asc_at at = weft_asc::Here()) {
  const int region = weft_asc::RegionOf(static_cast<TPosition>(dst.GetPosition()));
  const uint64_t blocks = p.blockNum ? p.blockNum : region == WEFT_ASC_L1 ? 1 : 16;
  uint8_t *to = reinterpret_cast<uint8_t *>(dst.Data());
  for (uint32_t i = 0; i < p.repeatTimes; i++) {
    weft_asc_scalar(to, static_cast<uint32_t>(blocks * 32), true, false, at);
    for (uint64_t j = 0; j < blocks * 32; j += sizeof(T))
      memcpy(to + j, &p.initValue, sizeof(T));
    to += (blocks + p.dstGap) * 32;
  }
}
template <typename T, typename U>
void Fill(const LocalTensor<T> &dst, const InitConstValueParams<U> &p, weft_asc_at at = weft_asc::Here()) {
  InitConstValue(dst, p, at);
}

// ---- products ----

template <typename T, typename U, typename S>
weft_asc_mmad MmadOf(const LocalTensor<T> &dst, const LocalTensor<U> &fm, const LocalTensor<S> &filter,
                     const MmadParams &p) {
  static_assert(sizeof(U) == sizeof(S) && sizeof(T) == 4, "operands of one width, sums of 32 bits");
  weft_asc_mmad c = {};
  c.c = dst.Data();
  c.a = fm.Data();
  c.b = filter.Data();
  c.dtype = DtypeOf<U>::kValue;
  c.m = p.m;
  c.n = p.n;
  c.k = p.k;
  c.a_by_rows = kLeftByRows;
  c.k_even = p.kDirectionAlign;
  c.vector = p.m == 1 && !p.disableGemv;
  return c;
}
template <typename T, typename U, typename S>
void Mmad(const LocalTensor<T> &dst, const LocalTensor<U> &fm, const LocalTensor<S> &filter,
          const MmadParams &mmadParams, weft_asc_at at = weft_asc::Here()) {
  weft_asc_mmad c = MmadOf(dst, fm, filter, mmadParams);
  c.add = mmadParams.isBias || !mmadParams.cmatrixInitVal;
  weft_asc_mmad_run(&c, at);
}
template <typename T, typename U, typename S, typename V>
void Mmad(const LocalTensor<T> &dst, const LocalTensor<U> &fm, const LocalTensor<S> &filter,
          const LocalTensor<V> &bias, const MmadParams &mmadParams, weft_asc_at at = weft_asc::Here()) {
  weft_asc_mmad c = MmadOf(dst, fm, filter, mmadParams);
  c.bias = bias.Data();
  c.bias_dtype = DtypeOf<V>::kValue;
  weft_asc_mmad_run(&c, at);
}

// ---- results ----

inline bool QuantPerColumn(QuantMode_t mode) {
  return mode == VREQ8 || mode == VDEQF16 || mode == VQF162B8_PRE || mode == VQF322B8_PRE ||
         mode == VQS322BF16_PRE || mode == VQF322BF16_PRE || mode == VQF322F16_PRE || mode == VQF322F32_PRE ||
         mode == VQF322HIF8_PRE;
}
template <typename T, typename U>
weft_asc_result ResultOf(T *dst, bool global, uint64_t bytes, const LocalTensor<U> &src, QuantMode_t mode,
                         uint64_t scalar, const uint64_t *scales) {
  weft_asc_result r = {};
  r.to = dst;
  r.to_global = global;
  r.global_bytes = bytes;
  r.from = src.Data();
  r.to_dtype = DtypeOf<T>::kValue;
  r.from_dtype = DtypeOf<U>::kValue;
  r.scaled = mode != NoQuant && mode != F322F16 && mode != F322BF16;
  r.scale = scalar;
  r.scales = QuantPerColumn(mode) ? scales : nullptr;
  return r;
}
// One of the matrices that Fixpipe writes: `number` of them lie before it.
template <typename Params>
void ResultRun(weft_asc_result r, CO2Layout format, const Params &p, uint64_t nz_step, uint32_t number,
               uint64_t from_step, uint64_t to_step, bool split, weft_asc_at at) {
  const uint32_t element = r.to_dtype == WEFT_ASC_I8 || r.to_dtype == WEFT_ASC_U8     ? 1
                           : r.to_dtype == WEFT_ASC_F32 || r.to_dtype == WEFT_ASC_I32 ? 4
                                                                                      : 2;
  const uint32_t group = element == 1 ? 32 : element == 4 && split ? 8 : 16;
  r.m = p.mSize;
  r.n = p.nSize;
  r.from_places = {16, 1, uint64_t{p.srcStride} * 16, 16};
  r.to_places = format == CO2Layout::NZ          ? weft_asc_places{group, 1, nz_step, group}
                : format == CO2Layout::ROW_MAJOR ? weft_asc_places{p.dstStride, 1, 0, UINT32_MAX}
                                                 : weft_asc_places{1, p.dstStride, 0, UINT32_MAX};
  uint8_t *to = static_cast<uint8_t *>(r.to);
  const uint8_t *from = static_cast<const uint8_t *>(r.from);
  for (uint32_t i = 0; i < number; i++) {
    r.to = to + i * to_step * element;
    r.from = from + i * from_step;
    weft_asc_result_run(&r, at);
  }
}
template <typename T, typename U>
void FixpipeRun(T *dst, bool global, uint64_t bytes, const LocalTensor<U> &src, const uint64_t *scales,
                CO2Layout format, const FixpipeParamsV220 &p, weft_asc_at at) {
  weft_asc_result r = ResultOf(dst, global, bytes, src, p.quantPre, p.deqScalar, scales);
  r.relu = p.reluEn;
  const bool many = format == CO2Layout::ROW_MAJOR && p.ndNum > 1;
  ResultRun(r, format, p, uint64_t{p.dstStride} * 32 / sizeof(T), many ? p.ndNum : 1,
            uint64_t{p.srcNdStride} * 1024, p.dstNdStride, p.isChannelSplit, at);
}
// Bursts as sizes: 16 columns each, and rows as many as their bytes hold.
template <typename T, typename U, typename S>
void FixpipeRun(T *dst, bool global, uint64_t bytes, const LocalTensor<U> &src, const uint64_t *scales,
                CO2Layout, const FixpipeParams<S> &p, weft_asc_at at) {
  constexpr uint32_t row = 16 * sizeof(U) / 32;
  const Nz2NdParams &nd = p.nz2ndParams;
  const uint32_t columns = p.cburstNum * 16u;
  const uint32_t rows = p.burstLen / row, gap = p.srcStride / row;
  if (p.burstLen % row || p.srcStride % row)
    weft_asc_fail(at, "Fixpipe: bursts of %u blocks, %u apart; rows of 16 elements take %u", p.burstLen,
                  p.srcStride, row);
  if (nd.originalNSize > columns || columns > UINT16_MAX)
    weft_asc_fail(at, "Fixpipe: %u columns of %u bursts, which have %u", nd.originalNSize, p.cburstNum,
                  columns);
  if (!nd.nz2ndEn && sizeof(T) == 1)
    weft_asc_fail(at,
                  "Fixpipe: FixpipeParams with fractals of bytes are not there; FixpipeParamsV220 has them");
  FixpipeParamsV220 v;
  v.mSize = static_cast<uint16_t>(rows);
  v.nSize = static_cast<uint16_t>(nd.nz2ndEn && nd.originalNSize ? nd.originalNSize : columns);
  v.srcStride = static_cast<uint16_t>(rows + gap);
  v.dstStride = nd.nz2ndEn ? p.dstStride : rows * (16 * sizeof(T) / 32) + p.dstStride;
  v.quantPre = p.quantParams.quantPre;
  v.deqScalar = p.quantParams.deqScalar;
  v.reluEn = p.reluEn;
  v.unitFlag = p.unitFlag;
  v.ndNum = nd.nz2ndEn ? nd.ndNum : 1;
  v.srcNdStride = nd.srcNdStride;
  v.dstNdStride = static_cast<uint16_t>(nd.dstNdStride);
  FixpipeRun(dst, global, bytes, src, scales, nd.nz2ndEn ? CO2Layout::ROW_MAJOR : CO2Layout::NZ, v, at);
}
inline void ManyOf(const Nz2NdParams &p, uint32_t &number, uint64_t &from, uint64_t &to) {
  number = p.ndNum;
  from = uint64_t{p.srcNdStride} * 1024;
  to = p.dstNdStride;
}
inline void ManyOf(const Nz2DnParams &p, uint32_t &number, uint64_t &from, uint64_t &to) {
  number = p.dnNum;
  from = uint64_t{p.srcNzMatrixStride} * 1024;
  to = p.dstDnMatrixStride;
}
template <typename P>
void ManyOf(const P &, uint32_t &, uint64_t &, uint64_t &) {}
template <typename T, typename U, CO2Layout format>
void FixpipeRun(T *dst, bool global, uint64_t bytes, const LocalTensor<U> &src, const uint64_t *scales,
                CO2Layout, const FixpipeParamsArch3510<format> &p, weft_asc_at at) {
  const bool plain = p.preReluMode == ReluMode::NO_RELU || p.preReluMode == ReluMode::NORMAL_RELU;
  if (!plain || p.preClipReluMode != ClipReluMode::NOCLIP_RELU || p.dualDstCtl)
    weft_asc_fail(
        at,
        "Fixpipe: relu by scalars or vectors, clipping, and results into both vector cores are not there");
  weft_asc_result r = ResultOf(dst, global, bytes, src, p.quantPre, p.deqScalar, scales);
  r.relu = p.reluEn || p.preReluMode == ReluMode::NORMAL_RELU;
  uint32_t number = 1;
  uint64_t from = 0, to = 0;
  ManyOf(p.params, number, from, to);
  ResultRun(r, format, p, p.dstStride, number, from, to, p.isChannelSplit, at);
}
// Into the unified buffer by the cube: that of the group's first vector core is not this core's, so a kernel
// of both kinds has to go through global memory here.
template <typename T, typename U, const FixpipeConfig &config = CFG_ROW_MAJOR, typename Params>
void Fixpipe(const LocalTensor<T> &dst, const LocalTensor<U> &src, const Params &intriParams,
             weft_asc_at at = weft_asc::Here()) {
  FixpipeRun(dst.Data(), false, ~0ull, src, weft_asc_cube_current()->scales, config.format, intriParams, at);
}
template <typename T, typename U, const FixpipeConfig &config = CFG_ROW_MAJOR, typename S, typename Params>
void Fixpipe(const LocalTensor<T> &dst, const LocalTensor<U> &src, const LocalTensor<S> &cbufWorkspace,
             const Params &intriParams, weft_asc_at at = weft_asc::Here()) {
  FixpipeRun(dst.Data(), false, ~0ull, src, cbufWorkspace.Data(), config.format, intriParams, at);
}
template <typename T, typename U, const FixpipeConfig &config = CFG_ROW_MAJOR, typename Params>
void Fixpipe(const GlobalTensor<T> &dst, const LocalTensor<U> &src, const Params &intriParams,
             weft_asc_at at = weft_asc::Here()) {
  FixpipeRun(dst.GetPhyAddr(0), true, dst.KnownBytes(), src, weft_asc_cube_current()->scales, config.format,
             intriParams, at);
}
template <typename T, typename U, const FixpipeConfig &config = CFG_ROW_MAJOR, typename S, typename Params>
void Fixpipe(const GlobalTensor<T> &dst, const LocalTensor<U> &src, const LocalTensor<S> &cbufWorkspace,
             const Params &intriParams, weft_asc_at at = weft_asc::Here()) {
  FixpipeRun(dst.GetPhyAddr(0), true, dst.KnownBytes(), src, cbufWorkspace.Data(), config.format, intriParams,
             at);
}

template <typename T, typename U>
void CopyResult(T *dst, bool global, uint64_t bytes, const LocalTensor<U> &src,
                const DataCopyCO12DstParams &p, weft_asc_at at) {
  const weft_asc_cube *cube = weft_asc_cube_current();
  weft_asc_result r = ResultOf(dst, global, bytes, src, p.quantPre, cube->scale, cube->scales);
  r.relu = p.reluPre;
  const bool many = p.nz2ndEn && cube->nd_count > 1;
  ResultRun(r, p.nz2ndEn ? CO2Layout::ROW_MAJOR : CO2Layout::NZ, p, uint64_t{p.dstStride} * 32 / sizeof(T),
            many ? cube->nd_count : 1, uint64_t{cube->nd_from} * 1024, cube->nd_to, p.channelSplit, at);
}
template <typename T, typename U>
void DataCopy(const LocalTensor<T> &dst, const LocalTensor<U> &src, const DataCopyCO12DstParams &intriParams,
              weft_asc_at at = weft_asc::Here()) {
  CopyResult(dst.Data(), false, ~0ull, src, intriParams, at);
}
template <typename T, typename U>
void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<U> &src, const DataCopyCO12DstParams &intriParams,
              weft_asc_at at = weft_asc::Here()) {
  CopyResult(dst.GetPhyAddr(0), true, dst.KnownBytes(), src, intriParams, at);
}
}  // namespace AscendC
// SPDX-License-Identifier: Apache-2.0
