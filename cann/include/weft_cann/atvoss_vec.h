// weft_cann/atvoss_vec.h - the kernel's side of the functions of a graph (atvoss_dag.h): what each of them
// does to `n` elements on the chip. A function that a kernel brings itself does it in its constructor.
#pragma once
#include "weft_cann/kernel_operator.h"

#include "weft_cann/atvoss_dag.h"

namespace Ops {
namespace Base {
namespace weft_vec {
template <typename T>
inline constexpr bool kTensor = weft_asc::kTensor<T>;

template <typename Func>
struct Call {
  template <typename D, typename... Args>
  static void Do(D &dst, uint32_t n, Args &...args) {
    [[maybe_unused]] Func own(dst, args..., n);
  }
};

// Either of two operands may be a number.
template <typename T, typename A, typename B>
weft_asc::Vector Two(weft_asc_vector_op op, const LocalTensor<T> &dst, const A &a, const B &b, uint32_t n) {
  static_assert(kTensor<A> || kTensor<B>, "one operand of a function of vectors is a vector");
  weft_asc::Vector v(op);
  v.To(dst);
  if constexpr (kTensor<A> && kTensor<B>)
    v.From(a).From(b);
  else if constexpr (kTensor<A>)
    v.From(a).Scalar(static_cast<typename A::PrimType>(b));
  else
    v.From(b).Scalar(static_cast<typename B::PrimType>(a)).ScalarFirst();
  return v.Count(n);
}

#define WEFT_CANN_VEC(Name, OP)                                                         \
  template <typename T>                                                                 \
  struct Call<Vec::Name<T>> {                                                           \
    template <typename A>                                                               \
    static void Do(LocalTensor<T> &dst, uint32_t n, const A &a) {                       \
      weft_asc::Vector(WEFT_ASC_##OP).To(dst).From(a).Count(n).Run({"Vec::" #Name, 0}); \
    }                                                                                   \
    template <typename A, typename B>                                                   \
    static void Do(LocalTensor<T> &dst, uint32_t n, const A &a, const B &b) {           \
      Two(WEFT_ASC_##OP, dst, a, b, n).Run({"Vec::" #Name, 0});                         \
    }                                                                                   \
  };
WEFT_CANN_VEC(Abs, ABS)
WEFT_CANN_VEC(AtanPolyApprox, ATAN)
WEFT_CANN_VEC(Brc, COPY)
WEFT_CANN_VEC(Copy, COPY)
WEFT_CANN_VEC(Cos, COS)
WEFT_CANN_VEC(Erf, ERF)
WEFT_CANN_VEC(Erfc, ERFC)
WEFT_CANN_VEC(Exp, EXP)
WEFT_CANN_VEC(Log, LN)
WEFT_CANN_VEC(Not, NOT)
WEFT_CANN_VEC(Reciprocal, RECIPROCAL)
WEFT_CANN_VEC(Relu, RELU)
WEFT_CANN_VEC(Sin, SIN)
WEFT_CANN_VEC(Sqrt, SQRT)
WEFT_CANN_VEC(Add, ADD)
WEFT_CANN_VEC(Adds, ADD)
WEFT_CANN_VEC(And, AND)
WEFT_CANN_VEC(Div, DIV)
WEFT_CANN_VEC(DivHighPrecision, DIV)
WEFT_CANN_VEC(FmodHighPrecision, MOD)
WEFT_CANN_VEC(LeakyRelu, LEAKY_RELU)
WEFT_CANN_VEC(Max, MAX)
WEFT_CANN_VEC(Maxs, MAX)
WEFT_CANN_VEC(Min, MIN)
WEFT_CANN_VEC(Mins, MIN)
WEFT_CANN_VEC(Mul, MUL)
WEFT_CANN_VEC(Muls, MUL)
WEFT_CANN_VEC(Or, OR)
WEFT_CANN_VEC(Power, POW)
WEFT_CANN_VEC(Sub, SUB)
#undef WEFT_CANN_VEC

template <typename T>
struct Call<Vec::Duplicate<T>> {
  template <typename A>
  static void Do(LocalTensor<T> &dst, uint32_t n, const A &value) {
    const auto number = static_cast<T>(value);
    weft_asc::Vector(WEFT_ASC_DUPLICATE).To(dst).Scalar(number).Count(n).Run({"Vec::Duplicate", 0});
  }
};
template <typename R, typename T, int roundMode>
struct Call<Vec::Cast<R, T, roundMode>> {
  template <typename A>
  static void Do(LocalTensor<R> &dst, uint32_t n, const A &a) {
    const auto mode = static_cast<AscendC::RoundMode>(roundMode);
    AscendC::CastVector<R, T>(mode).To(dst).From(a).Count(n).Run({"Vec::Cast", 0});
  }
};
template <typename T, int roundMode>
struct Call<Vec::Truncate<T, roundMode>> {
  template <typename A>
  static void Do(LocalTensor<T> &dst, uint32_t n, const A &a) {
    constexpr auto op = AscendC::RoundingOp(static_cast<AscendC::RoundMode>(roundMode));
    weft_asc::Vector(op).To(dst).From(a).Count(n).Run({"Vec::Truncate", 0});
  }
};
template <typename T, typename U>
struct Call<Vec::Sqrt0ULP<T, U>> {
  template <typename A>
  static void Do(LocalTensor<U> &dst, uint32_t n, const A &a) {
    weft_asc::Vector(WEFT_ASC_SQRT).To(dst).From(a).Count(n).Run({"Vec::Sqrt0ULP", 0});
  }
};
// A bit for each element.
template <typename R, typename T, int cmpMode>
struct Call<Vec::Compare<R, T, cmpMode>> {
  template <typename A, typename B>
  static void Do(LocalTensor<R> &dst, uint32_t n, const A &a, const B &b) {
    constexpr auto mode = static_cast<AscendC::CMPMODE>(cmpMode);
    if constexpr (kTensor<A>)
      Two(WEFT_ASC_COPY, dst, a, b, n).Compare(mode, {"Vec::Compare", 0});
    else
      Two(WEFT_ASC_COPY, dst, b, a, n).Compare(weft_asc::ModeOf<true>(mode), {"Vec::Compare", 0});
  }
};
// Where the bit is 1, the first.
template <typename U, typename T, int selMode>
struct Call<Vec::Select<U, T, selMode>> {
  template <typename M, typename A, typename B>
  static void Do(LocalTensor<T> &dst, uint32_t n, const M &bits, const A &a, const B &b) {
    constexpr auto mode = kTensor<A> && kTensor<B> ? AscendC::SELMODE::VSEL_TENSOR_TENSOR_MODE
                                                   : AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE;
    Two(WEFT_ASC_COPY, dst, a, b, n).Select(bits.Data(), mode, {"Vec::Select", 0});
  }
};
// a + b c
template <typename T, typename A, typename B, typename C>
void MulAdd(LocalTensor<T> &dst, uint32_t n, const A &a, const B &b, const C &c, const char *name) {
  weft_asc::Vector(WEFT_ASC_COPY).To(dst).From(a).Count(n).Run({name, 0});
  Two(kTensor<C> ? WEFT_ASC_MUL_ADD : WEFT_ASC_AXPY, dst, b, c, n).Run({name, 0});
}
template <typename T>
struct Call<Vec::FusedMulAdd<T>> {
  template <typename A, typename B, typename C>
  static void Do(LocalTensor<T> &dst, uint32_t n, const A &a, const B &b, const C &c) {
    MulAdd(dst, n, a, b, c, "Vec::FusedMulAdd");
  }
};
template <typename T>
struct Call<Vec::Axpy<T>> {
  template <typename A, typename B, typename C>
  static void Do(LocalTensor<T> &dst, uint32_t n, const A &a, const B &b, const C &c) {
    MulAdd(dst, n, a, b, c, "Vec::Axpy");
  }
};
}  // namespace weft_vec
}  // namespace Base
}  // namespace Ops
// SPDX-License-Identifier: Apache-2.0
