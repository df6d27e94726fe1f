// weft_cann/asc_welford.h - means and variances of numbers that come in parts, by Welford's way; and running
// sums. Work tensors are taken and not touched.
#pragma once
#include "weft_cann/asc_tensor.h"

namespace AscendC {
struct WelfordUpdateParam {
  uint32_t rnLength;
  uint32_t abLength;
  uint32_t abComputeLength;
  float nRec;
};
struct WelfordUpdateConfig {
  bool isInplace = false;
};
inline constexpr WelfordUpdateConfig WFUPDATE_DEFAULT_CFG = {false};
struct WelfordFinalizePara {
  uint32_t rnLength;
  uint32_t abLength;
  uint32_t headCount;
  uint32_t headCountLength;
  uint32_t tailCount;
  uint32_t tailCountLength;
  float abRec;
  float rRec;
  float rRecWithCorrection;
};
struct WelfordFinalizeConfig {
  bool isCorrection = false;
};
inline constexpr WelfordFinalizeConfig WFFINALIZE_DEFAULT_CFG = {false};

// One number more for each of the abComputeLength means; nRec: 1 over how many each has then.
template <typename T, typename U, bool isReuseSource = false,
          const WelfordUpdateConfig &config = WFUPDATE_DEFAULT_CFG>
void WelfordUpdate(const LocalTensor<U> &outputMean, const LocalTensor<U> &outputVariance,
                   const LocalTensor<U> &inputMean, const LocalTensor<U> &inputVariance,
                   const LocalTensor<T> &inputX, const WelfordUpdateParam &para,
                   weft_asc_at at = weft_asc::Here()) {
  weft_asc_welford w = {};
  w.mean = outputMean.Data();
  w.deviations = outputVariance.Data();
  w.old_mean = inputMean.Data();
  w.old_deviations = inputVariance.Data();
  w.x = inputX.Data();
  w.dtype = DtypeOf<T>::kValue;
  w.n = para.abComputeLength;
  w.whole = config.isInplace ? para.abLength : para.abComputeLength;
  w.weight = para.nRec;
  weft_asc_welford_run(&w, at);
}
template <typename T, typename U, bool isReuseSource = false,
          const WelfordUpdateConfig &config = WFUPDATE_DEFAULT_CFG>
void WelfordUpdate(const LocalTensor<U> &outputMean, const LocalTensor<U> &outputVariance,
                   const LocalTensor<U> &inputMean, const LocalTensor<U> &inputVariance,
                   const LocalTensor<T> &inputX, const LocalTensor<uint8_t> &, const WelfordUpdateParam &para,
                   weft_asc_at at = weft_asc::Here()) {
  WelfordUpdate<T, U, isReuseSource, config>(outputMean, outputVariance, inputMean, inputVariance, inputX,
                                             para, at);
}
}  // namespace AscendC

namespace weft_asc {
inline weft_asc_welford_end WelfordEnd(const AscendC::LocalTensor<float> &mean,
                                       const AscendC::LocalTensor<float> &variance,
                                       const AscendC::LocalTensor<float> &means,
                                       const AscendC::LocalTensor<float> &deviations,
                                       const AscendC::WelfordFinalizePara &para, bool corrected) {
  weft_asc_welford_end e = {};
  e.mean = mean.Data();
  e.variance = variance.Data();
  e.means = means.Data();
  e.deviations = deviations.Data();
  e.n = para.abLength;
  e.of_all = corrected ? para.rRecWithCorrection : para.rRec;
  e.of_mean = para.rRec;
  return e;
}
}  // namespace weft_asc

namespace AscendC {
// Each mean had rnLength numbers, or of the first headCountLength of them headCount, and of the others
// tailCount.
template <bool isReuseSource = false, const WelfordFinalizeConfig &config = WFFINALIZE_DEFAULT_CFG>
void WelfordFinalize(const LocalTensor<float> &outputMean, const LocalTensor<float> &outputVariance,
                     const LocalTensor<float> &inputMean, const LocalTensor<float> &inputVariance,
                     const WelfordFinalizePara &para, weft_asc_at at = weft_asc::Here()) {
  weft_asc_welford_end e =
      weft_asc::WelfordEnd(outputMean, outputVariance, inputMean, inputVariance, para, config.isCorrection);
  const bool apart = para.tailCountLength != 0;
  e.n_head = apart ? para.headCountLength : para.abLength;
  e.head = static_cast<float>(apart ? para.headCount : para.rnLength);
  e.tail = static_cast<float>(para.tailCount);
  if (!apart && para.rnLength)
    e.of_mean = para.abRec / static_cast<float>(para.rnLength);
  weft_asc_welford_end_run(&e, at);
}
template <bool isReuseSource = false, const WelfordFinalizeConfig &config = WFFINALIZE_DEFAULT_CFG>
void WelfordFinalize(const LocalTensor<float> &outputMean, const LocalTensor<float> &outputVariance,
                     const LocalTensor<float> &inputMean, const LocalTensor<float> &inputVariance,
                     const LocalTensor<uint8_t> &, const WelfordFinalizePara &para,
                     weft_asc_at at = weft_asc::Here()) {
  WelfordFinalize<isReuseSource, config>(outputMean, outputVariance, inputMean, inputVariance, para, at);
}
// counts: how many numbers each mean had.
template <bool isReuseSource = false, const WelfordFinalizeConfig &config = WFFINALIZE_DEFAULT_CFG>
void WelfordFinalize(const LocalTensor<float> &outputMean, const LocalTensor<float> &outputVariance,
                     const LocalTensor<float> &inputMean, const LocalTensor<float> &inputVariance,
                     const LocalTensor<int32_t> &counts, const WelfordFinalizePara &para,
                     weft_asc_at at = weft_asc::Here()) {
  weft_asc_welford_end e =
      weft_asc::WelfordEnd(outputMean, outputVariance, inputMean, inputVariance, para, config.isCorrection);
  e.counts = counts.Data();
  weft_asc_welford_end_run(&e, at);
}
template <bool isReuseSource = false, const WelfordFinalizeConfig &config = WFFINALIZE_DEFAULT_CFG>
void WelfordFinalize(const LocalTensor<float> &outputMean, const LocalTensor<float> &outputVariance,
                     const LocalTensor<float> &inputMean, const LocalTensor<float> &inputVariance,
                     const LocalTensor<int32_t> &counts, const LocalTensor<uint8_t> &,
                     const WelfordFinalizePara &para, weft_asc_at at = weft_asc::Here()) {
  WelfordFinalize<isReuseSource, config>(outputMean, outputVariance, inputMean, inputVariance, counts, para,
                                         at);
}

enum class CumSumAlgorithm { CUMSUM_ALGORITHM_LINEBYLINE = 0, CUMSUM_ALGORITHM_SKLANSKY = 1 };
struct CumSumConfig {
  bool isLastAxis = true;
  bool isReuseSource = false;
  bool outputLastRow = true;
  CumSumAlgorithm algorithm = CumSumAlgorithm::CUMSUM_ALGORITHM_LINEBYLINE;
};
inline constexpr CumSumConfig defaultCumSumConfig = {};
struct CumSumInfo {
  uint32_t outter = 0;
  uint32_t inner = 0;
};
// Along the last axis of [outter, inner], or down the first. The sums are those of one order, whatever the
// algorithm.
template <typename T, const CumSumConfig &config = defaultCumSumConfig>
void CumSum(const LocalTensor<T> &dst, const LocalTensor<T> &lastRow, const LocalTensor<T> &src,
            const CumSumInfo &info, weft_asc_at at = weft_asc::Here()) {
  weft_asc_cumsum c = {};
  c.dst = dst.Data();
  c.last = config.outputLastRow ? lastRow.Data() : nullptr;
  c.src = src.Data();
  c.dtype = DtypeOf<T>::kValue;
  c.rows = info.outter;
  c.columns = info.inner;
  c.down = !config.isLastAxis;
  weft_asc_cumsum_run(&c, at);
}
template <typename T, const CumSumConfig &config = defaultCumSumConfig>
void CumSum(const LocalTensor<T> &dst, const LocalTensor<T> &lastRow, const LocalTensor<T> &src,
            const LocalTensor<uint8_t> &, const CumSumInfo &info, weft_asc_at at = weft_asc::Here()) {
  CumSum<T, config>(dst, lastRow, src, info, at);
}
}  // namespace AscendC
// SPDX-License-Identifier: Apache-2.0
