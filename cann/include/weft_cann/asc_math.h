// weft_cann/asc_math.h - functions of the library above the instructions: mathematics, activations, softmax
// and norms of rows. Work tensors are taken and not touched. A call without a count takes the whole source.
#pragma once
#include "weft_cann/asc_reduce.h"

namespace AscendC {
// dst = op(src)
#define WEFT_ASC_MATH(Name, OP)                                                                        \
  template <typename T, bool isReuseSource = false>                                                    \
  void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint8_t> &,        \
            const uint32_t count, weft_asc_at at = weft_asc::Here()) {                                 \
    weft_asc::Vector(WEFT_ASC_##OP).To(dst).From(src).Count(count).Run(at);                            \
  }                                                                                                    \
  template <typename T, bool isReuseSource = false>                                                    \
  void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint8_t> &,        \
            weft_asc_at at = weft_asc::Here()) {                                                       \
    weft_asc::Vector(WEFT_ASC_##OP).To(dst).From(src).Count(src.GetSize()).Run(at);                    \
  }                                                                                                    \
  template <typename T, bool isReuseSource = false>                                                    \
  void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t count,                \
            weft_asc_at at = weft_asc::Here()) {                                                       \
    weft_asc::Vector(WEFT_ASC_##OP).To(dst).From(src).Count(count).Run(at);                            \
  }                                                                                                    \
  template <typename T, bool isReuseSource = false>                                                    \
  void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, weft_asc_at at = weft_asc::Here()) { \
    weft_asc::Vector(WEFT_ASC_##OP).To(dst).From(src).Count(src.GetSize()).Run(at);                    \
  }
WEFT_ASC_MATH(Sin, SIN)
WEFT_ASC_MATH(Cos, COS)
WEFT_ASC_MATH(Tan, TAN)
WEFT_ASC_MATH(Asin, ASIN)
WEFT_ASC_MATH(Acos, ACOS)
WEFT_ASC_MATH(Atan, ATAN)
WEFT_ASC_MATH(Sinh, SINH)
WEFT_ASC_MATH(Cosh, COSH)
WEFT_ASC_MATH(Tanh, TANH)
WEFT_ASC_MATH(Asinh, ASINH)
WEFT_ASC_MATH(Acosh, ACOSH)
WEFT_ASC_MATH(Atanh, ATANH)
WEFT_ASC_MATH(Erf, ERF)
WEFT_ASC_MATH(Erfc, ERFC)
WEFT_ASC_MATH(Lgamma, LGAMMA)
WEFT_ASC_MATH(Log, LN)
WEFT_ASC_MATH(Log2, LOG2)
WEFT_ASC_MATH(Log10, LOG10)
WEFT_ASC_MATH(Sign, SIGN)
WEFT_ASC_MATH(Floor, FLOOR)
WEFT_ASC_MATH(Ceil, CEIL)
WEFT_ASC_MATH(Round, RINT)
WEFT_ASC_MATH(Rint, RINT)
WEFT_ASC_MATH(Trunc, TRUNC)
WEFT_ASC_MATH(Sigmoid, SIGMOID)
WEFT_ASC_MATH(Silu, SILU)
WEFT_ASC_MATH(Gelu, GELU)
WEFT_ASC_MATH(FasterGelu, GELU_FAST)
WEFT_ASC_MATH(FasterGeluV2, GELU_FAST)
#undef WEFT_ASC_MATH
template <typename T, uint8_t taylorExpandLevel, bool isReuseSource = false>
void Exp(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint8_t> &,
         const uint32_t count, weft_asc_at at = weft_asc::Here()) {
  weft_asc::Vector(WEFT_ASC_EXP).To(dst).From(src).Count(count).Run(at);
}
template <typename T, uint8_t taylorExpandLevel, bool isReuseSource = false>
void Exp(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t count,
         weft_asc_at at = weft_asc::Here()) {
  weft_asc::Vector(WEFT_ASC_EXP).To(dst).From(src).Count(count).Run(at);
}
template <typename T, bool isReuseSource = false>
void Swish(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint32_t count,
           const weft_asc::Same<T> scalarValue, weft_asc_at at = weft_asc::Here()) {
  weft_asc::Vector(WEFT_ASC_SWISH).To(dst).From(src).Scalar(scalarValue).Count(count).Run(at);
}
// src minus its whole part.
template <typename T, bool isReuseSource = false>
void Frac(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t count,
          weft_asc_at at = weft_asc::Here()) {
  weft_asc::Vector(WEFT_ASC_FRAC).To(dst).From(src).Count(count).Run(at);
}

// dst = op(src0, src1), one of which may be a number
#define WEFT_ASC_MATH_TWO(Name, OP)                                                               \
  template <typename T, bool isReuseSource = false>                                               \
  void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,    \
            const LocalTensor<uint8_t> &, uint32_t count, weft_asc_at at = weft_asc::Here()) {    \
    weft_asc::Vector(WEFT_ASC_##OP).To(dst).From(src0).From(src1).Count(count).Run(at);           \
  }                                                                                               \
  template <typename T, bool isReuseSource = false>                                               \
  void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,    \
            uint32_t count, weft_asc_at at = weft_asc::Here()) {                                  \
    weft_asc::Vector(WEFT_ASC_##OP).To(dst).From(src0).From(src1).Count(count).Run(at);           \
  }                                                                                               \
  template <typename T, bool isReuseSource = false>                                               \
  void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,    \
            weft_asc_at at = weft_asc::Here()) {                                                  \
    weft_asc::Vector(WEFT_ASC_##OP).To(dst).From(src0).From(src1).Count(src0.GetSize()).Run(at);  \
  }                                                                                               \
  template <typename T, bool isReuseSource = false>                                               \
  void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,    \
            const LocalTensor<uint8_t> &, weft_asc_at at = weft_asc::Here()) {                    \
    weft_asc::Vector(WEFT_ASC_##OP).To(dst).From(src0).From(src1).Count(src0.GetSize()).Run(at);  \
  }                                                                                               \
  template <typename T, bool isReuseSource = false>                                               \
  void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const weft_asc::Same<T> &src1, \
            const LocalTensor<uint8_t> &, uint32_t count, weft_asc_at at = weft_asc::Here()) {    \
    weft_asc::Vector(WEFT_ASC_##OP).To(dst).From(src0).Scalar(src1).Count(count).Run(at);         \
  }                                                                                               \
  template <typename T, bool isReuseSource = false>                                               \
  void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const weft_asc::Same<T> &src1, \
            uint32_t count, weft_asc_at at = weft_asc::Here()) {                                  \
    weft_asc::Vector(WEFT_ASC_##OP).To(dst).From(src0).Scalar(src1).Count(count).Run(at);         \
  }
WEFT_ASC_MATH_TWO(Power, POW)
WEFT_ASC_MATH_TWO(Fmod, MOD)
WEFT_ASC_MATH_TWO(Atan2, ATAN2)
WEFT_ASC_MATH_TWO(BitwiseAnd, AND)
WEFT_ASC_MATH_TWO(BitwiseOr, OR)
WEFT_ASC_MATH_TWO(BitwiseXor, XOR)
#undef WEFT_ASC_MATH_TWO
template <typename T, bool isReuseSource = false>
void Xor(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,
         const LocalTensor<uint8_t> &, const uint32_t count, weft_asc_at at = weft_asc::Here()) {
  weft_asc::Vector(WEFT_ASC_XOR).To(dst).From(src0).From(src1).Count(count).Run(at);
}
template <typename T, bool isReuseSource = false>
void Xor(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,
         const LocalTensor<uint8_t> &, weft_asc_at at = weft_asc::Here()) {
  weft_asc::Vector(WEFT_ASC_XOR).To(dst).From(src0).From(src1).Count(src0.GetSize()).Run(at);
}
template <typename T, bool isReuseSource = false>
void Xor(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,
         weft_asc_at at = weft_asc::Here()) {
  weft_asc::Vector(WEFT_ASC_XOR).To(dst).From(src0).From(src1).Count(src0.GetSize()).Run(at);
}
// Of a number and a tensor, or of a tensor and a number, whole.
#define WEFT_ASC_MATH_NUMBER(Name, OP)                                                                  \
  template <typename T, bool isReuseSource = false>                                                     \
  void Name(const LocalTensor<T> &dst, const weft_asc::Same<T> &src0, const LocalTensor<T> &src1,       \
            const LocalTensor<uint8_t> &, uint32_t count, weft_asc_at at = weft_asc::Here()) {          \
    weft_asc::Vector(WEFT_ASC_##OP).To(dst).From(src1).Scalar(src0).ScalarFirst().Count(count).Run(at); \
  }                                                                                                     \
  template <typename T, bool isReuseSource = false>                                                     \
  void Name(const LocalTensor<T> &dst, const weft_asc::Same<T> &src0, const LocalTensor<T> &src1,       \
            uint32_t count, weft_asc_at at = weft_asc::Here()) {                                        \
    weft_asc::Vector(WEFT_ASC_##OP).To(dst).From(src1).Scalar(src0).ScalarFirst().Count(count).Run(at); \
  }                                                                                                     \
  template <typename T, bool isReuseSource = false>                                                     \
  void Name(const LocalTensor<T> &dst, const weft_asc::Same<T> &src0, const LocalTensor<T> &src1,       \
            const LocalTensor<uint8_t> &work, weft_asc_at at = weft_asc::Here()) {                      \
    Name<T>(dst, src0, src1, work, src1.GetSize(), at);                                                 \
  }                                                                                                     \
  template <typename T, bool isReuseSource = false>                                                     \
  void Name(const LocalTensor<T> &dst, const weft_asc::Same<T> &src0, const LocalTensor<T> &src1,       \
            weft_asc_at at = weft_asc::Here()) {                                                        \
    Name<T>(dst, src0, src1, src1.GetSize(), at);                                                       \
  }                                                                                                     \
  template <typename T, bool isReuseSource = false>                                                     \
  void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const weft_asc::Same<T> &src1,       \
            const LocalTensor<uint8_t> &work, weft_asc_at at = weft_asc::Here()) {                      \
    Name<T>(dst, src0, src1, work, src0.GetSize(), at);                                                 \
  }                                                                                                     \
  template <typename T, bool isReuseSource = false>                                                     \
  void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const weft_asc::Same<T> &src1,       \
            weft_asc_at at = weft_asc::Here()) {                                                        \
    Name<T>(dst, src0, src1, src0.GetSize(), at);                                                       \
  }
WEFT_ASC_MATH_NUMBER(Power, POW)
#undef WEFT_ASC_MATH_NUMBER
// src0 src1 + src2, rounded once.
struct FmaConfig {
  bool isReuseSource = false;
};
inline constexpr FmaConfig DEFAULT_FMA_CONFIG = {};
template <const FmaConfig &config = DEFAULT_FMA_CONFIG, typename T>
void Fma(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,
         const LocalTensor<T> &src2, const uint32_t count, weft_asc_at at = weft_asc::Here()) {
  weft_asc::Vector(WEFT_ASC_COPY).From(src2).Count(count).Read("Fma", at);
  weft_asc::Vector(WEFT_ASC_COPY).To(dst).From(src0).From(src1).Count(count).Touch("Fma", at);
  for (uint32_t i = 0; i < count; i++) {
    const auto a = static_cast<float>(src0.Data()[i]), b = static_cast<float>(src1.Data()[i]);
    dst.Data()[i] = static_cast<PrimT<T>>(std::fma(a, b, static_cast<float>(src2.Data()[i])));
  }
}
template <const FmaConfig &config = DEFAULT_FMA_CONFIG, typename T>
void Fma(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,
         const LocalTensor<T> &src2, const LocalTensor<uint8_t> &, const uint32_t count,
         weft_asc_at at = weft_asc::Here()) {
  Fma<config>(dst, src0, src1, src2, count, at);
}
template <typename T, typename U, bool isReuseSource = false>
void Axpy(const LocalTensor<T> &dst, const LocalTensor<U> &src, const weft_asc::Same<U> scalarValue,
          const LocalTensor<uint8_t> &, const uint32_t count, weft_asc_at at = weft_asc::Here()) {
  weft_asc::Vector(WEFT_ASC_AXPY).To(dst).From(src).Scalar(scalarValue).Count(count).Run(at);
}
// Not more, not less than a number.
template <typename T, bool isReuseSource = false>
void ClampMax(const LocalTensor<T> &dst, const LocalTensor<T> &src, const weft_asc::Same<T> scalar,
              const uint32_t count, weft_asc_at at = weft_asc::Here()) {
  weft_asc::Vector(WEFT_ASC_MIN).To(dst).From(src).Scalar(scalar).Count(count).Run(at);
}
template <typename T, bool isReuseSource = false>
void ClampMin(const LocalTensor<T> &dst, const LocalTensor<T> &src, const weft_asc::Same<T> scalar,
              const uint32_t count, weft_asc_at at = weft_asc::Here()) {
  weft_asc::Vector(WEFT_ASC_MAX).To(dst).From(src).Scalar(scalar).Count(count).Run(at);
}

// src, of which one axis has one element, as often as dst has. dim: 1 or 2 axes.
template <typename T, int32_t dim, int32_t axis, bool isReuseSource = false>
void BroadCast(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t dstShape[dim],
               const uint32_t srcShape[dim], weft_asc_at at = weft_asc::Here()) {
  static_assert(dim == 1 || dim == 2, "BroadCast takes one or two axes");
  const uint32_t rows = dim == 2 ? dstShape[0] : 1;
  const uint32_t columns = dstShape[dim - 1];
  const bool of_column = srcShape[dim - 1] == 1 && columns != 1;
  const bool of_row = dim == 2 && srcShape[0] == 1;
  const auto wide = static_cast<uint32_t>(sizeof(T));
  for (uint32_t row = 0; row < rows; row++) {
    const T *from = src.Data() + (of_row ? 0 : row * srcShape[dim - 1]);
    const weft_asc_strided s = {"BroadCast", dst.Data() + row * columns, from, wide, columns,
                                wide,        of_column ? 0 : wide};
    weft_asc_strided_run(&s, at);
  }
}
template <typename T, int32_t dim, int32_t axis, bool isReuseSource = false>
void BroadCast(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t dstShape[dim],
               const uint32_t srcShape[dim], const LocalTensor<uint8_t> &,
               weft_asc_at at = weft_asc::Here()) {
  BroadCast<T, dim, axis>(dst, src, dstShape, srcShape, at);
}
template <typename T, int32_t dim, int32_t axis, bool isReuseSource = false>
void Broadcast(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t dstShape[dim],
               const uint32_t srcShape[dim], weft_asc_at at = weft_asc::Here()) {
  BroadCast<T, dim, axis>(dst, src, dstShape, srcShape, at);
}
template <typename T, int32_t dim, int32_t axis, bool isReuseSource = false>
void Broadcast(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t dstShape[dim],
               const uint32_t srcShape[dim], const LocalTensor<uint8_t> &,
               weft_asc_at at = weft_asc::Here()) {
  BroadCast<T, dim, axis>(dst, src, dstShape, srcShape, at);
}

// ---- rows ----

struct SoftMaxShapeInfo {
  uint32_t srcM = 0, srcK = 0, oriSrcM = 0, oriSrcK = 0;
};
struct SumParams {
  uint32_t outter = 1, inner = 0, n = 0;
};
struct MeanParams {
  uint32_t outter = 1, inner = 0, n = 0;
};
// The first n of `inner` numbers of each row.
template <typename T, int32_t reduceDim = -1, bool isReuseSource = false, bool isBasicBlock = false>
void Sum(const LocalTensor<T> &dst, const LocalTensor<T> &src, const SumParams &p,
         weft_asc_at at = weft_asc::Here()) {
  const weft_asc_reduce_matrix m = {
      WEFT_ASC_ADD, DtypeOf<T>::kValue, dst.Data(), src.Data(), p.outter, p.n, p.inner, true};
  weft_asc_reduce_matrix_run(&m, at);
}
template <typename T, int32_t reduceDim = -1, bool isReuseSource = false, bool isBasicBlock = false>
void Sum(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint8_t> &,
         const SumParams &p, weft_asc_at at = weft_asc::Here()) {
  Sum<T, reduceDim>(dst, src, p, at);
}
template <typename T, typename accType = T, bool isReuseSource = false, bool isBasicBlock = false,
          int32_t reduceDim = -1>
void Mean(const LocalTensor<T> &dst, const LocalTensor<T> &src, const MeanParams &p,
          weft_asc_at at = weft_asc::Here()) {
  Sum<T>(dst, src, SumParams{p.outter, p.inner, p.n}, at);
  Muls(dst, dst, static_cast<T>(1.0f / static_cast<float>(p.n)), static_cast<int32_t>(p.outter), at);
}
template <typename T, typename accType = T, bool isReuseSource = false, bool isBasicBlock = false,
          int32_t reduceDim = -1>
void Mean(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint8_t> &,
          const MeanParams &p, weft_asc_at at = weft_asc::Here()) {
  Mean<T, accType>(dst, src, p, at);
}

// Each row of srcM x srcK: e^(x - max), over its sum. max and sum, where they are asked for, fill a block of
// 32 bytes a row.
template <typename T, typename Tiling>
void SoftMaxRows(const LocalTensor<T> &dst, const LocalTensor<float> *sum, const LocalTensor<float> *max,
                 const LocalTensor<T> &src, const Tiling &tiling, const SoftMaxShapeInfo &info,
                 weft_asc_at at) {
  const uint32_t rows = info.srcM ? info.srcM : tiling.srcM;
  const uint32_t pitch = info.srcK ? info.srcK : tiling.srcK;
  const weft_asc_softmax s = {DtypeOf<T>::kValue,
                              dst.Data(),
                              src.Data(),
                              sum ? sum->Data() : nullptr,
                              max ? max->Data() : nullptr,
                              rows,
                              info.oriSrcK ? info.oriSrcK : pitch,
                              pitch};
  weft_asc_softmax_run(&s, at);
}
template <typename T, bool isReuseSource = false, bool isBasicBlock = false, typename Tiling>
void SoftMax(const LocalTensor<T> &dst, const LocalTensor<T> &src, const Tiling &tiling,
             const SoftMaxShapeInfo &info = {}, weft_asc_at at = weft_asc::Here()) {
  SoftMaxRows(dst, nullptr, nullptr, src, tiling, info, at);
}
template <typename T, bool isReuseSource = false, bool isBasicBlock = false, typename Tiling>
void SoftMax(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint8_t> &,
             const Tiling &tiling, const SoftMaxShapeInfo &info = {}, weft_asc_at at = weft_asc::Here()) {
  SoftMaxRows(dst, nullptr, nullptr, src, tiling, info, at);
}
template <typename T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false,
          typename U, typename Tiling>
void SoftMax(const LocalTensor<U> &dst, const LocalTensor<float> &sum, const LocalTensor<float> &max,
             const LocalTensor<U> &src, const Tiling &tiling, const SoftMaxShapeInfo &info = {},
             weft_asc_at at = weft_asc::Here()) {
  SoftMaxRows(dst, &sum, &max, src, tiling, info, at);
}
template <typename T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false,
          typename U, typename Tiling>
void SoftMax(const LocalTensor<U> &dst, const LocalTensor<float> &sum, const LocalTensor<float> &max,
             const LocalTensor<U> &src, const LocalTensor<uint8_t> &, const Tiling &tiling,
             const SoftMaxShapeInfo &info = {}, weft_asc_at at = weft_asc::Here()) {
  SoftMaxRows(dst, &sum, &max, src, tiling, info, at);
}

// The gradient of softmax: src times (grad less the row's sum of grad times src). isFront: that sum alone, in
// a block of 32 bytes a row.
template <typename T, typename Tiling>
void SoftmaxGradRows(const LocalTensor<T> &dst, const LocalTensor<T> &grad, const LocalTensor<T> &src,
                     const Tiling &tiling, bool front, const SoftMaxShapeInfo &info, weft_asc_at at) {
  constexpr uint32_t kBlock = 32 / sizeof(T);
  const uint32_t rows = info.srcM ? info.srcM : tiling.srcM;
  const uint32_t pitch = info.srcK ? info.srcK : tiling.srcK;
  const uint32_t columns = info.oriSrcK ? info.oriSrcK : pitch;
  for (uint32_t row = 0; row < rows; row++) {
    const LocalTensor<T> g = grad[row * pitch], y = src[row * pitch];
    const LocalTensor<T> to = front ? dst[row * kBlock] : dst[row * pitch];
    weft_asc::Vector(WEFT_ASC_COPY).From(g).From(y).Count(columns).Read("SoftmaxGrad", at);
    weft_asc::Vector(WEFT_ASC_COPY).To(to).Count(front ? kBlock : columns).Touch("SoftmaxGrad", at);
    float sum = 0;
    for (uint32_t i = 0; i < columns; i++)
      sum += static_cast<float>(g.Data()[i]) * static_cast<float>(y.Data()[i]);
    for (uint32_t i = 0; front && i < kBlock; i++)
      to.Data()[i] = static_cast<PrimT<T>>(sum);
    for (uint32_t i = 0; !front && i < columns; i++) {
      const float less = static_cast<float>(g.Data()[i]) - sum;
      to.Data()[i] = static_cast<PrimT<T>>(less * static_cast<float>(y.Data()[i]));
    }
  }
}
template <typename T, bool isReuseSource = false, bool isDataFormatNZ = false, typename Tiling>
void SoftmaxGrad(const LocalTensor<T> &dstTensor, const LocalTensor<T> &gradTensor,
                 const LocalTensor<T> &srcTensor, const Tiling &tiling, bool isFront = false,
                 const SoftMaxShapeInfo &softmaxShapeInfo = {}, weft_asc_at at = weft_asc::Here()) {
  static_assert(!isDataFormatNZ, "SoftmaxGrad takes plain rows");
  SoftmaxGradRows(dstTensor, gradTensor, srcTensor, tiling, isFront, softmaxShapeInfo, at);
}
template <typename T, bool isReuseSource = false, bool isDataFormatNZ = false, typename Tiling>
void SoftmaxGrad(const LocalTensor<T> &dstTensor, const LocalTensor<T> &gradTensor,
                 const LocalTensor<T> &srcTensor, const LocalTensor<uint8_t> &, const Tiling &tiling,
                 bool isFront = false, const SoftMaxShapeInfo &softmaxShapeInfo = {},
                 weft_asc_at at = weft_asc::Here()) {
  static_assert(!isDataFormatNZ, "SoftmaxGrad takes plain rows");
  SoftmaxGradRows(dstTensor, gradTensor, srcTensor, tiling, isFront, softmaxShapeInfo, at);
}
}  // namespace AscendC
// SPDX-License-Identifier: Apache-2.0
