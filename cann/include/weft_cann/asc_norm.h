// weft_cann/asc_norm.h - norms of rows: layer norm, its second half, RMS norm. Work tensors are taken and not
// touched.
#pragma once
#include "weft_cann/asc_vector.h"
#include "weft_cann/asc_words.h"

namespace AscendC {
struct LayerNormConfig {
  bool isNoBeta = false;
  bool isNoGamma = false;
  bool isOnlyOutput = false;
  bool isOutputRstd = true;
};
inline constexpr LayerNormConfig LNCFG_NORM = {false, false, false, true};
inline constexpr LayerNormConfig LNCFG_NOBETA = {true, false, false, true};
inline constexpr LayerNormConfig LNCFG_NOGAMMA = {false, true, false, true};
inline constexpr LayerNormConfig LNCFG_ONLYOUTPUT = {false, false, true, true};
struct LayerNormPara {
  uint32_t aLength = 0;
  uint32_t rLength = 0;
  uint32_t rLengthWithPadding = 0;
};
struct NormalizePara {
  uint32_t aLength = 0;
  uint32_t rLength = 0;
  uint32_t rLengthWithPadding = 0;
};
struct NormalizeConfig {
  ReducePattern reducePattern = ReducePattern::AR;
  int32_t aLength = -1;
  bool isNoBeta = false;
  bool isNoGamma = false;
  bool isOnlyOutput = false;
};
inline constexpr NormalizeConfig NLCFG_NORM = {ReducePattern::AR, -1, false, false, false};
}  // namespace AscendC

namespace weft_asc {
// A and R: rows, and the numbers of each; in memory rows begin `pitch` numbers apart.
template <typename T>
weft_asc_norm Norm(const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<T> &src, uint32_t rows,
                   uint32_t columns, uint32_t pitch, float epsilon) {
  weft_asc_norm n = {};
  n.dtype = AscendC::DtypeOf<T>::kValue;
  n.gamma_dtype = n.dtype;
  n.dst = dst.Data();
  n.src = src.Data();
  n.rows = rows;
  n.columns = columns;
  n.pitch = pitch ? pitch : columns;
  n.epsilon = epsilon;
  return n;
}
template <typename T, typename Tiling>
weft_asc_norm NormByTiling(const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<T> &src,
                           const Tiling &t, float epsilon) {
  return Norm(dst, src, t.bLength * t.sLength, t.originalHLength ? t.originalHLength : t.hLength, t.hLength,
              epsilon);
}
template <typename T, typename U>
void Factors(weft_asc_norm &n, const AscendC::LocalTensor<T> *gamma, const AscendC::LocalTensor<T> *beta,
             const AscendC::LocalTensor<U> *mean, const AscendC::LocalTensor<U> *spread) {
  n.gamma_dtype = AscendC::DtypeOf<T>::kValue;
  n.beside_dtype = AscendC::DtypeOf<U>::kValue;
  n.gamma = gamma ? gamma->Data() : nullptr;
  n.beta = beta ? beta->Data() : nullptr;
  n.mean = mean ? mean->Data() : nullptr;
  n.spread = spread ? spread->Data() : nullptr;
}
}  // namespace weft_asc

namespace AscendC {
// Mean and variance of each row beside it, in the type of the tensor.
template <typename T, bool isReuseSource = false, typename Tiling>
void LayerNorm(const LocalTensor<T> &output, const LocalTensor<T> &outputMean,
               const LocalTensor<T> &outputVariance, const LocalTensor<T> &inputX,
               const LocalTensor<T> &gamma, const LocalTensor<T> &beta, const weft_asc::Same<T> epsilon,
               Tiling &tiling, weft_asc_at at = weft_asc::Here()) {
  weft_asc_norm n = weft_asc::NormByTiling(output, inputX, tiling, static_cast<float>(epsilon));
  weft_asc::Factors(n, &gamma, &beta, &outputMean, &outputVariance);
  weft_asc_norm_run(&n, at);
}
template <typename T, bool isReuseSource = false, typename Tiling>
void LayerNorm(const LocalTensor<T> &output, const LocalTensor<T> &outputMean,
               const LocalTensor<T> &outputVariance, const LocalTensor<T> &inputX,
               const LocalTensor<T> &gamma, const LocalTensor<T> &beta, const LocalTensor<uint8_t> &,
               const weft_asc::Same<T> epsilon, Tiling &tiling, weft_asc_at at = weft_asc::Here()) {
  LayerNorm(output, outputMean, outputVariance, inputX, gamma, beta, epsilon, tiling, at);
}
// Mean and, with isOutputRstd, 1 / sqrt(variance + epsilon) beside it, in float.
template <typename U, typename T, bool isReuseSource = false, const LayerNormConfig &config = LNCFG_NORM,
          typename Tiling>
void LayerNorm(const LocalTensor<T> &output, const LocalTensor<float> &outputMean,
               const LocalTensor<float> &outputRstd, const LocalTensor<T> &inputX,
               const LocalTensor<U> &gamma, const LocalTensor<U> &beta, const float epsilon,
               const LayerNormPara &para, const Tiling &, weft_asc_at at = weft_asc::Here()) {
  weft_asc_norm n =
      weft_asc::Norm(output, inputX, para.aLength, para.rLength, para.rLengthWithPadding, epsilon);
  weft_asc::Factors(n, config.isNoGamma ? nullptr : &gamma, config.isNoBeta ? nullptr : &beta,
                    config.isOnlyOutput ? nullptr : &outputMean, config.isOnlyOutput ? nullptr : &outputRstd);
  n.rstd = config.isOutputRstd;
  weft_asc_norm_run(&n, at);
}
template <typename U, typename T, bool isReuseSource = false, const LayerNormConfig &config = LNCFG_NORM,
          typename Tiling>
void LayerNorm(const LocalTensor<T> &output, const LocalTensor<float> &outputMean,
               const LocalTensor<float> &outputRstd, const LocalTensor<T> &inputX,
               const LocalTensor<U> &gamma, const LocalTensor<U> &beta, const float epsilon,
               const LocalTensor<uint8_t> &, const LayerNormPara &para, const Tiling &tiling,
               weft_asc_at at = weft_asc::Here()) {
  LayerNorm<U, T, isReuseSource, config>(output, outputMean, outputRstd, inputX, gamma, beta, epsilon, para,
                                         tiling, at);
}
// With the mean and the variance of each row given.
template <typename U, typename T, bool isReuseSource = false, const NormalizeConfig &config = NLCFG_NORM>
void Normalize(const LocalTensor<T> &output, const LocalTensor<float> &outputRstd,
               const LocalTensor<float> &inputMean, const LocalTensor<float> &inputVariance,
               const LocalTensor<T> &inputX, const LocalTensor<U> &gamma, const LocalTensor<U> &beta,
               const float epsilon, const NormalizePara &para, weft_asc_at at = weft_asc::Here()) {
  static_assert(config.reducePattern == ReducePattern::AR, "Normalize takes rows");
  weft_asc_norm n =
      weft_asc::Norm(output, inputX, para.aLength, para.rLength, para.rLengthWithPadding, epsilon);
  const LocalTensor<float> *const none = nullptr;
  weft_asc::Factors(n, config.isNoGamma ? nullptr : &gamma, config.isNoBeta ? nullptr : &beta, none,
                    config.isOnlyOutput ? none : &outputRstd);
  n.given_mean = inputMean.Data();
  n.given_variance = inputVariance.Data();
  n.rstd = true;
  weft_asc_norm_run(&n, at);
}
template <typename U, typename T, bool isReuseSource = false, const NormalizeConfig &config = NLCFG_NORM>
void Normalize(const LocalTensor<T> &output, const LocalTensor<float> &outputRstd,
               const LocalTensor<float> &inputMean, const LocalTensor<float> &inputVariance,
               const LocalTensor<T> &inputX, const LocalTensor<U> &gamma, const LocalTensor<U> &beta,
               const LocalTensor<uint8_t> &, const float epsilon, const NormalizePara &para,
               weft_asc_at at = weft_asc::Here()) {
  Normalize<U, T, isReuseSource, config>(output, outputRstd, inputMean, inputVariance, inputX, gamma, beta,
                                         epsilon, para, at);
}

// Over the root of the mean square, times gamma.
template <typename T, bool isBasicBlock = false, typename Tiling>
void RmsNorm(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &gamma,
             const weft_asc::Same<T> epsilon, const Tiling &tiling, weft_asc_at at = weft_asc::Here()) {
  weft_asc_norm n = weft_asc::NormByTiling(dst, src, tiling, static_cast<float>(epsilon));
  n.gamma = gamma.Data();
  n.no_mean = true;
  weft_asc_norm_run(&n, at);
}
template <typename T, bool isBasicBlock = false, typename Tiling>
void RmsNorm(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &gamma,
             const LocalTensor<uint8_t> &, const weft_asc::Same<T> epsilon, const Tiling &tiling,
             weft_asc_at at = weft_asc::Here()) {
  RmsNorm(dst, src, gamma, epsilon, tiling, at);
}
}  // namespace AscendC
// SPDX-License-Identifier: Apache-2.0
