// weft_cann/asc_bitmode.h - parameters of the cube with functions for each part, as kernels of the 3510 write
// them, and loads of patches whose window stands in two words. GetConfig0 and SetConfig0 hand a word on from
// one object to another; its bits are weft's own.
#pragma once
#include "weft_cann/asc_cube.h"

namespace weft_asc {
// The image is what SetFmatrix said, the border SetLoadDataPaddingValue.
inline constexpr AscendC::IsResetLoad3dConfig kLoad3dAsSet = {false, false};
// The same patches of another type.
template <typename To, typename From>
AscendC::LoadData3DParamsV2<To> PatchesOf(const AscendC::LoadData3DParamsV2<From> &p) {
  AscendC::LoadData3DParamsV2<To> q;
  q.channelSize = p.channelSize;
  q.kExtension = p.kExtension;
  q.mExtension = p.mExtension;
  q.kStartPt = p.kStartPt;
  q.mStartPt = p.mStartPt;
  q.strideW = p.strideW;
  q.strideH = p.strideH;
  q.filterW = p.filterW;
  q.filterH = p.filterH;
  q.dilationFilterW = p.dilationFilterW;
  q.dilationFilterH = p.dilationFilterH;
  q.enTranspose = p.enTranspose;
  q.filterSizeW = p.filterSizeW;
  q.filterSizeH = p.filterSizeH;
  q.fMatrixCtrl = p.fMatrixCtrl;
  return q;
}
}  // namespace weft_asc

namespace AscendC {
#define WEFT_ASC_PART(Type, Name, field) \
  void Set##Name(Type value) {           \
    params.field = value;                \
  }                                      \
  Type Get##Name() const {               \
    return params.field;                 \
  }

class Load2DBitModeParam {
 public:
  Load2DBitModeParam() {}
  Load2DBitModeParam(const LoadData2DParamsV2 &loadData2DParams_) : params(loadData2DParams_) {}
  WEFT_ASC_PART(uint32_t, MStartPosition, mStartPosition)
  WEFT_ASC_PART(uint32_t, KStartPosition, kStartPosition)
  WEFT_ASC_PART(uint16_t, MStep, mStep)
  WEFT_ASC_PART(uint16_t, KStep, kStep)
  WEFT_ASC_PART(int32_t, SrcStride, srcStride)
  WEFT_ASC_PART(uint16_t, DstStride, dstStride)
  void SetIfTranspose(bool ifTranspose_) { params.ifTranspose = ifTranspose_; }
  uint64_t GetIfTranspose() const { return params.ifTranspose; }
  // From where; then how many and how far apart.
  void SetConfig0(uint64_t config0_) {
    params.mStartPosition = static_cast<uint32_t>(config0_);
    params.kStartPosition = static_cast<uint32_t>(config0_ >> 32);
  }
  uint64_t GetConfig0() const { return uint64_t{params.kStartPosition} << 32 | params.mStartPosition; }
  void SetConfig1(uint64_t config1_) {
    params.mStep = static_cast<uint8_t>(config1_);
    params.kStep = static_cast<uint8_t>(config1_ >> 8);
    params.dstStride = static_cast<uint16_t>(config1_ >> 16);
    params.srcStride = static_cast<int32_t>(config1_ >> 32);
  }
  uint64_t GetConfig1() const {
    const uint64_t counts =
        static_cast<uint64_t>(params.mStep & 255) | static_cast<uint64_t>(params.kStep & 255) << 8;
    return counts | static_cast<uint64_t>(params.dstStride) << 16 |
           static_cast<uint64_t>(static_cast<uint32_t>(params.srcStride)) << 32;
  }
  LoadData2DParamsV2 params;
};

class Load3DBitModeParam {
 public:
  Load3DBitModeParam() {}
  template <typename T>
  Load3DBitModeParam(const LoadData3DParamsV2<T> &p) : params(weft_asc::PatchesOf<float>(p)) {}
  WEFT_ASC_PART(uint16_t, KExtension, kExtension)
  WEFT_ASC_PART(uint16_t, MExtension, mExtension)
  WEFT_ASC_PART(uint16_t, KStartPt, kStartPt)
  WEFT_ASC_PART(uint16_t, MStartPt, mStartPt)
  WEFT_ASC_PART(uint8_t, StrideW, strideW)
  WEFT_ASC_PART(uint8_t, StrideH, strideH)
  WEFT_ASC_PART(uint8_t, FilterW, filterW)
  WEFT_ASC_PART(uint8_t, FilterH, filterH)
  WEFT_ASC_PART(uint8_t, DilationFilterW, dilationFilterW)
  WEFT_ASC_PART(uint8_t, DilationFilterH, dilationFilterH)
  WEFT_ASC_PART(bool, FilterSizeW, filterSizeW)
  WEFT_ASC_PART(bool, FilterSizeH, filterSizeH)
  WEFT_ASC_PART(bool, Transpose, enTranspose)
  WEFT_ASC_PART(bool, FMatrixCtrl, fMatrixCtrl)
  WEFT_ASC_PART(uint16_t, ChannelSize, channelSize)
  void SetConfig0(uint64_t config0_) {
    params.kExtension = static_cast<uint16_t>(config0_);
    params.mExtension = static_cast<uint16_t>(config0_ >> 16);
    params.kStartPt = static_cast<uint16_t>(config0_ >> 32);
    params.mStartPt = static_cast<uint16_t>(config0_ >> 48);
  }
  uint64_t GetConfig0() const {
    return uint64_t{params.kExtension} | uint64_t{params.mExtension} << 16 | uint64_t{params.kStartPt} << 32 |
           uint64_t{params.mStartPt} << 48;
  }
  // The window, which has six bytes, is the rest.
  void SetConfig1(uint64_t config1_) {
    params.strideW = static_cast<uint8_t>(config1_);
    params.strideH = static_cast<uint8_t>(config1_ >> 8);
    params.filterW = static_cast<uint8_t>(config1_ >> 16);
    params.filterH = static_cast<uint8_t>(config1_ >> 24);
    params.dilationFilterW = static_cast<uint8_t>(config1_ >> 32);
    params.dilationFilterH = static_cast<uint8_t>(config1_ >> 40);
  }
  uint64_t GetConfig1() const {
    return uint64_t{params.strideW} | uint64_t{params.strideH} << 8 | uint64_t{params.filterW} << 16 |
           uint64_t{params.filterH} << 24 | uint64_t{params.dilationFilterW} << 32 |
           uint64_t{params.dilationFilterH} << 40;
  }
  LoadData3DParamsV2<float> params;
};

class SetFMatrixBitModeParams {
 public:
  SetFMatrixBitModeParams() {}
  template <typename T>
  SetFMatrixBitModeParams(const LoadData3DParamsV2<T> &p) : l1H_(p.l1H), l1W_(p.l1W) {
    SetPadList(p.padList);
  }
  void SetL1H(uint16_t value) { l1H_ = value; }
  void SetL1W(uint16_t value) { l1W_ = value; }
  void SetPadList(const uint8_t padList_[4]) { memcpy(pad_, padList_, sizeof pad_); }
  void SetConfig0(uint64_t config0_) {
    l1H_ = static_cast<uint16_t>(config0_);
    l1W_ = static_cast<uint16_t>(config0_ >> 16);
    for (int i = 0; i < 4; i++)
      pad_[i] = static_cast<uint8_t>(config0_ >> (32 + 8 * i));
  }
  uint64_t GetConfig0() const {
    uint64_t word = uint64_t{l1H_} | uint64_t{l1W_} << 16;
    for (int i = 0; i < 4; i++)
      word |= uint64_t{pad_[i]} << (32 + 8 * i);
    return word;
  }
  void Apply(FmatrixMode mode) const { SetFmatrix(l1H_, l1W_, pad_, mode); }

 private:
  uint16_t l1H_ = 0;
  uint16_t l1W_ = 0;
  uint8_t pad_[4] = {0};
};

class MmadBitModeParams {
 public:
  MmadBitModeParams() {}
  MmadBitModeParams(const MmadParams &mmadParams_) : params(mmadParams_) {}
  WEFT_ASC_PART(uint16_t, M, m)
  WEFT_ASC_PART(uint16_t, K, k)
  WEFT_ASC_PART(uint16_t, N, n)
  WEFT_ASC_PART(uint8_t, UnitFlag, unitFlag)
  WEFT_ASC_PART(bool, DisableGemv, disableGemv)
  WEFT_ASC_PART(bool, CmatrixSource, cmatrixSource)
  WEFT_ASC_PART(bool, CmatrixInitVal, cmatrixInitVal)
  void SetConfig0(uint64_t config0_) {
    params.m = static_cast<uint16_t>(config0_ & 0xfff);
    params.k = static_cast<uint16_t>(config0_ >> 12 & 0xfff);
    params.n = static_cast<uint16_t>(config0_ >> 24 & 0xfff);
    params.unitFlag = static_cast<uint8_t>(config0_ >> 36 & 3);
    params.disableGemv = config0_ >> 38 & 1;
    params.cmatrixSource = config0_ >> 39 & 1;
    params.cmatrixInitVal = config0_ >> 40 & 1;
  }
  uint64_t GetConfig0() const {
    const uint64_t flags = static_cast<uint64_t>(params.unitFlag & 3) | uint64_t{params.disableGemv} << 2 |
                           uint64_t{params.cmatrixSource} << 3 | uint64_t{params.cmatrixInitVal} << 4;
    return static_cast<uint64_t>(params.m & 0xfff) | static_cast<uint64_t>(params.k & 0xfff) << 12 |
           static_cast<uint64_t>(params.n & 0xfff) << 24 | flags << 36;
  }
  MmadParams params;
};
#undef WEFT_ASC_PART

template <TPosition DstPos, TPosition SrcPos, typename T>
void LoadData(const LocalTensor<T> &dst, const LocalTensor<T> &src, const Load2DBitModeParam &loadDataParams,
              weft_asc_at at = weft_asc::Here()) {
  LoadData(dst, src, loadDataParams.params, at);
}
template <TPosition DstPos, TPosition SrcPos, typename T>
void LoadData(const LocalTensor<T> &dst, const LocalTensor<T> &src, const Load3DBitModeParam &loadDataParams,
              weft_asc_at at = weft_asc::Here()) {
  LoadData<T, weft_asc::kLoad3dAsSet>(dst, src, weft_asc::PatchesOf<PrimT<T>>(loadDataParams.params), at);
}
template <typename T, typename U, typename S>
void Mmad(const LocalTensor<T> &dst, const LocalTensor<U> &fm, const LocalTensor<S> &filter,
          const MmadBitModeParams &mmadParams, weft_asc_at at = weft_asc::Here()) {
  Mmad(dst, fm, filter, mmadParams.params, at);
}
template <typename T, typename U, typename S, typename V>
void Mmad(const LocalTensor<T> &dst, const LocalTensor<U> &fm, const LocalTensor<S> &filter,
          const LocalTensor<V> &bias, const MmadBitModeParams &mmadParams,
          weft_asc_at at = weft_asc::Here()) {
  Mmad(dst, fm, filter, bias, mmadParams.params, at);
}
inline void SetFmatrix(const SetFMatrixBitModeParams &params, const FmatrixMode &fmatrixMode) {
  params.Apply(fmatrixMode);
}

// extConfig: what is taken, as k and m extension and start, 16 bits each. filterConfig: bytes of stride,
// window and dilation, of the width and then the height.
struct LoadData3DParamsV2Pro {
  LoadData3DParamsV2Pro() {}
  LoadData3DParamsV2Pro(const uint16_t channelSizeIn, const bool enTransposeIn, const bool enSmallKIn,
                        const bool filterSizeWIn, const bool filterSizeHIn, const bool fMatrixCtrlIn,
                        const uint64_t extConfigIn, const uint64_t filterConfigIn)
      : channelSize(channelSizeIn),
        enTranspose(enTransposeIn),
        enSmallK(enSmallKIn),
        filterSizeW(filterSizeWIn),
        filterSizeH(filterSizeHIn),
        fMatrixCtrl(fMatrixCtrlIn),
        extConfig(extConfigIn),
        filterConfig(filterConfigIn) {}
  uint16_t channelSize = 0;
  bool enTranspose = false;
  bool enSmallK = false;
  bool filterSizeW = false;
  bool filterSizeH = false;
  bool fMatrixCtrl = false;
  uint64_t extConfig = 0;
  uint64_t filterConfig = 0x10101010101;
};
template <typename T>
void LoadData(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LoadData3DParamsV2Pro &p,
              weft_asc_at at = weft_asc::Here()) {
  Load3DBitModeParam of;
  of.SetConfig0(p.extConfig);
  of.SetConfig1(p.filterConfig);
  of.SetChannelSize(p.channelSize);
  of.SetTranspose(p.enTranspose);
  of.SetFilterSizeW(p.filterSizeW);
  of.SetFilterSizeH(p.filterSizeH);
  of.SetFMatrixCtrl(p.fMatrixCtrl);
  LoadData<T, weft_asc::kLoad3dAsSet>(dst, src, weft_asc::PatchesOf<PrimT<T>>(of.params), at);
}

// Scales of small floats beside a load: the cube here has no such types.
struct LoadData2DMxParams {
  LoadData2DMxParams() {}
  LoadData2DMxParams(const uint16_t xStartPositionIn, const uint16_t yStartPositionIn, const uint8_t xStepIn,
                     const uint8_t yStepIn, const uint16_t srcStrideIn, const uint16_t dstStrideIn)
      : xStartPosition(xStartPositionIn),
        yStartPosition(yStartPositionIn),
        xStep(xStepIn),
        yStep(yStepIn),
        srcStride(srcStrideIn),
        dstStride(dstStrideIn) {}
  uint16_t xStartPosition = 0;
  uint16_t yStartPosition = 0;
  uint8_t xStep = 0;
  uint8_t yStep = 0;
  uint16_t srcStride = 0;
  uint16_t dstStride = 0;
};

// Repeats of a load whose results lie dstStride apart.
struct LoadDataRepeatParamWithStride {
  LoadDataRepeatParamWithStride() {}
  LoadDataRepeatParamWithStride(const uint16_t repeatStrideIn, const uint8_t repeatTimeIn,
                                const uint8_t repeatModeIn, const uint16_t dstStrideIn)
      : repeatStride(repeatStrideIn),
        repeatTime(repeatTimeIn),
        repeatMode(repeatModeIn),
        dstStride(dstStrideIn) {}
  uint16_t repeatStride = 0;
  uint8_t repeatTime = 1;
  uint8_t repeatMode = 0;
  uint16_t dstStride = 0;
};
inline void SetLoadDataRepeatWithStride(const LoadDataRepeatParamWithStride &p,
                                        weft_asc_at at = weft_asc::Here()) {
  SetLoadDataRepeat(LoadDataRepeatParam(p.repeatStride, p.repeatTime, p.repeatMode), at);
}
template <typename T, const IsResetLoad3dConfig &defaultConfig = IS_RESER_LOAD3D_DEFAULT_CONFIG, typename U>
void LoadDataWithStride(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LoadData3DParamsV2<U> &p,
                        weft_asc_at at = weft_asc::Here()) {
  LoadData<T, defaultConfig>(dst, src, p, at);
}
}  // namespace AscendC
// SPDX-License-Identifier: Apache-2.0
