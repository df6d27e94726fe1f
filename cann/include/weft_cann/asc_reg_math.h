// weft_cann/asc_reg_math.h - arithmetic, comparisons and rearrangements of registers. Sums and products of
// integers wrap, what is divided by zero is zero; half and bfloat16_t compute as floats and round once.
#pragma once
#include <cmath>

#include "weft_cann/asc_reg_cast.h"

namespace AscendC {
enum class DivAlgo {
  INTRINSIC,
  DIFF_COMPENSATION,
  PRECISION_1ULP_FTZ_TRUE,
  PRECISION_0ULP_FTZ_TRUE,
  PRECISION_0ULP_FTZ_FALSE,
  PRECISION_1ULP_FTZ_FALSE
};
enum class SqrtAlgo {
  INTRINSIC,
  FAST_INVERSE,
  PRECISION_1ULP_FTZ_TRUE,
  PRECISION_0ULP_FTZ_FALSE,
  PRECISION_1ULP_FTZ_FALSE
};
enum class ExpAlgo { INTRINSIC, PRECISION_1ULP_FTZ_TRUE, PRECISION_1ULP_FTZ_FALSE };
enum class LnAlgo { INTRINSIC, PRECISION_1ULP_FTZ_TRUE, PRECISION_1ULP_FTZ_FALSE };
enum class LogAlgo { INTRINSIC, PRECISION_1ULP_FTZ_TRUE, PRECISION_1ULP_FTZ_FALSE };

namespace Reg {
// How exact an instruction is asked to be. All are as exact as the machine's own.
struct DivSpecificMode {
  MaskMergeMode mrgMode = MaskMergeMode::ZEROING;
  bool precisionMode = false;
  DivAlgo algo = DivAlgo::INTRINSIC;
};
struct SqrtSpecificMode {
  MaskMergeMode mrgMode = MaskMergeMode::ZEROING;
  bool precisionMode = false;
  SqrtAlgo algo = SqrtAlgo::INTRINSIC;
};
struct ExpSpecificMode {
  MaskMergeMode mrgMode = MaskMergeMode::ZEROING;
  ExpAlgo algo = ExpAlgo::INTRINSIC;
};
struct LnSpecificMode {
  MaskMergeMode mrgMode = MaskMergeMode::ZEROING;
  LnAlgo algo = LnAlgo::INTRINSIC;
};
struct LogSpecificMode {
  MaskMergeMode mrgMode = MaskMergeMode::ZEROING;
  LogAlgo algo = LogAlgo::INTRINSIC;
};

// ---- one lane ----

// What lanes of T are computed in: sums and products of the integers wrap.
template <typename T, bool floating = kFloating<T>>
struct ComputedIn {
  using type = typename std::conditional<sizeof(T) == 8, uint64_t, uint32_t>::type;
};
template <typename T>
struct ComputedIn<T, true> {
  using type = typename std::conditional<std::is_same<T, double>::value, double, float>::type;
};
template <typename T>
using Wide = typename ComputedIn<T>::type;
// Values compare by their own sign.
template <typename T>
using Ordered = typename std::conditional<kFloating<T>, Wide<T>, T>::type;
template <typename T>
using BitsOf = typename std::conditional<
    sizeof(T) == 8, uint64_t,
    typename std::conditional<sizeof(T) == 4, uint32_t,
                              typename std::conditional<sizeof(T) == 2, uint16_t, uint8_t>::type>::type>::
    type;
template <typename T>
BitsOf<T> ToBits(T x) {
  BitsOf<T> bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}
template <typename T>
T FromBits(BitsOf<T> bits) {
  T x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

template <typename T>
T AddOf(T a, T b) {
  return static_cast<T>(static_cast<Wide<T>>(a) + static_cast<Wide<T>>(b));
}
template <typename T>
T SubOf(T a, T b) {
  return static_cast<T>(static_cast<Wide<T>>(a) - static_cast<Wide<T>>(b));
}
template <typename T>
T MulOf(T a, T b) {
  return static_cast<T>(static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b));
}
template <typename T>
T DivOf(T a, T b) {
  if constexpr (kFloating<T>) {
    return static_cast<T>(static_cast<Wide<T>>(a) / static_cast<Wide<T>>(b));
  } else {
    if (b == 0)
      return 0;
    if (std::is_signed<T>::value && b == static_cast<T>(-1))
      return SubOf(static_cast<T>(0), a);
    return static_cast<T>(a / b);
  }
}
// NaN is larger than all numbers, and smaller.
template <typename T>
T MaxOf(T a, T b) {
  const Ordered<T> x = static_cast<Ordered<T>>(a), y = static_cast<Ordered<T>>(b);
  return x > y || x != x ? a : b;
}
template <typename T>
T MinOf(T a, T b) {
  const Ordered<T> x = static_cast<Ordered<T>>(a), y = static_cast<Ordered<T>>(b);
  return x < y || x != x ? a : b;
}
template <typename T>
T AndOf(T a, T b) {
  return FromBits<T>(static_cast<BitsOf<T>>(ToBits(a) & ToBits(b)));
}
template <typename T>
T OrOf(T a, T b) {
  return FromBits<T>(static_cast<BitsOf<T>>(ToBits(a) | ToBits(b)));
}
template <typename T>
T XorOf(T a, T b) {
  return FromBits<T>(static_cast<BitsOf<T>>(ToBits(a) ^ ToBits(b)));
}
template <typename T>
T NotOf(T a) {
  return FromBits<T>(static_cast<BitsOf<T>>(~ToBits(a)));
}
template <typename T>
T NegOf(T a) {
  if constexpr (kFloating<T>)
    return static_cast<T>(-static_cast<Wide<T>>(a));
  else
    return SubOf(static_cast<T>(0), a);
}
template <typename T>
T AbsOf(T a) {
  if constexpr (kFloating<T>)
    return static_cast<T>(std::fabs(static_cast<Wide<T>>(a)));
  else
    return std::is_signed<T>::value && a < 0 ? NegOf(a) : a;
}
template <typename T>
T ReluOf(T a) {
  return static_cast<Ordered<T>>(a) > 0 ? a : static_cast<T>(0);
}
// By the width or more: what shifting one by one would give.
template <typename T, typename N>
T ShiftLeftOf(T a, N n) {
  const uint64_t by = static_cast<uint64_t>(n);
  return by >= sizeof(T) * 8 ? static_cast<T>(0) : static_cast<T>(static_cast<uint64_t>(a) << by);
}
template <typename T, typename N>
T ShiftRightOf(T a, N n) {
  const uint64_t by = static_cast<uint64_t>(n);
  return static_cast<T>(a >> (by >= sizeof(T) * 8 ? sizeof(T) * 8 - 1 : by) >> (by >= sizeof(T) * 8 ? 1 : 0));
}
// a * b + c, rounded once.
template <typename T>
T MulAddOf(T a, T b, T c) {
  if constexpr (kFloating<T>)
    return static_cast<T>(static_cast<float>(static_cast<double>(static_cast<float>(a)) *
                                                 static_cast<double>(static_cast<float>(b)) +
                                             static_cast<double>(static_cast<float>(c))));
  else
    return AddOf(MulOf(a, b), c);
}
template <typename T>
T RoundedOf(T a, RoundMode mode) {
  if constexpr (kFloating<T>) {
    const Wide<T> x = static_cast<Wide<T>>(a);
    return static_cast<T>(mode == RoundMode::CAST_FLOOR   ? std::floor(x)
                          : mode == RoundMode::CAST_CEIL  ? std::ceil(x)
                          : mode == RoundMode::CAST_ROUND ? std::round(x)
                          : mode == RoundMode::CAST_TRUNC ? std::trunc(x)
                                                          : std::rint(x));
  } else {
    return a;
  }
}

// ---- instructions of two registers, of one and a scalar, of one ----

#define WEFT_ASC_REG_BINARY(Name, Mode, expression)                                   \
  template <typename T = DefaultType, Mode mode = MaskMergeMode::ZEROING, typename U> \
  void Name(U &dstReg, U &srcReg0, U &srcReg1, MaskReg &mask) {                       \
    using L = LaneOf<U>;                                                              \
    EachLane<MergeOf(mode)>(dstReg, mask, [&](uint32_t i) {                           \
      const L a = srcReg0.Get(i), b = srcReg1.Get(i);                                 \
      return static_cast<L>(expression);                                              \
    });                                                                               \
  }
WEFT_ASC_REG_BINARY(Add, MaskMergeMode, AddOf(a, b))
WEFT_ASC_REG_BINARY(Sub, MaskMergeMode, SubOf(a, b))
WEFT_ASC_REG_BINARY(Mul, MaskMergeMode, MulOf(a, b))
WEFT_ASC_REG_BINARY(Div, auto, DivOf(a, b))
WEFT_ASC_REG_BINARY(Max, MaskMergeMode, MaxOf(a, b))
WEFT_ASC_REG_BINARY(Min, MaskMergeMode, MinOf(a, b))
WEFT_ASC_REG_BINARY(And, MaskMergeMode, AndOf(a, b))
WEFT_ASC_REG_BINARY(Or, MaskMergeMode, OrOf(a, b))
WEFT_ASC_REG_BINARY(Xor, MaskMergeMode, XorOf(a, b))
WEFT_ASC_REG_BINARY(AbsSub, MaskMergeMode, AbsOf(SubOf(a, b)))
WEFT_ASC_REG_BINARY(FusedAbsSub, MaskMergeMode, AbsOf(SubOf(a, b)))
WEFT_ASC_REG_BINARY(Prelu, MaskMergeMode, static_cast<Ordered<L>>(a) > 0 ? a : MulOf(a, b))
WEFT_ASC_REG_BINARY(MulAddDst, MaskMergeMode, MulAddOf(a, b, dstReg.Get(i)))
WEFT_ASC_REG_BINARY(MulDstAdd, MaskMergeMode, MulAddOf(dstReg.Get(i), a, b))
WEFT_ASC_REG_BINARY(FusedMulDstAdd, MaskMergeMode, MulAddOf(dstReg.Get(i), a, b))
#undef WEFT_ASC_REG_BINARY

#define WEFT_ASC_REG_SCALAR(Name, expression)                                                              \
  template <typename T = DefaultType, typename U, MaskMergeMode mode = MaskMergeMode::ZEROING, typename S> \
  void Name(S &dstReg, S &srcReg, U scalarValue, MaskReg &mask) {                                          \
    using L = LaneOf<S>;                                                                                   \
    [[maybe_unused]] const L b = static_cast<L>(scalarValue);                                              \
    EachLane<mode>(dstReg, mask, [&](uint32_t i) {                                                         \
      const L a = srcReg.Get(i);                                                                           \
      return static_cast<L>(expression);                                                                   \
    });                                                                                                    \
  }
WEFT_ASC_REG_SCALAR(Adds, AddOf(a, b))
WEFT_ASC_REG_SCALAR(Subs, SubOf(a, b))
WEFT_ASC_REG_SCALAR(Muls, MulOf(a, b))
WEFT_ASC_REG_SCALAR(Divs, DivOf(a, b))
WEFT_ASC_REG_SCALAR(Maxs, MaxOf(a, b))
WEFT_ASC_REG_SCALAR(Mins, MinOf(a, b))
WEFT_ASC_REG_SCALAR(LeakyRelu, static_cast<Ordered<L>>(a) > 0 ? a : MulOf(a, b))
WEFT_ASC_REG_SCALAR(ShiftLefts, ShiftLeftOf(a, scalarValue))
WEFT_ASC_REG_SCALAR(ShiftRights, ShiftRightOf(a, scalarValue))
WEFT_ASC_REG_SCALAR(Axpy, MulAddOf(a, b, dstReg.Get(i)))
#undef WEFT_ASC_REG_SCALAR

#define WEFT_ASC_REG_UNARY(Name, Mode, expression)                                    \
  template <typename T = DefaultType, Mode mode = MaskMergeMode::ZEROING, typename U> \
  void Name(U &dstReg, U &srcReg, MaskReg &mask) {                                    \
    using L = LaneOf<U>;                                                              \
    EachLane<MergeOf(mode)>(dstReg, mask, [&](uint32_t i) {                           \
      const L a = srcReg.Get(i);                                                      \
      return static_cast<L>(expression);                                              \
    });                                                                               \
  }
#define WEFT_ASC_REG_FLOAT(Name, function) \
  WEFT_ASC_REG_UNARY(Name, auto, static_cast<L>(function(static_cast<Wide<L>>(a))))
WEFT_ASC_REG_UNARY(Neg, MaskMergeMode, NegOf(a))
WEFT_ASC_REG_UNARY(Relu, MaskMergeMode, ReluOf(a))
WEFT_ASC_REG_UNARY(Not, MaskMergeMode, NotOf(a))
WEFT_ASC_REG_FLOAT(Exp, std::exp)
WEFT_ASC_REG_FLOAT(Ln, std::log)
WEFT_ASC_REG_FLOAT(Log, std::log)
WEFT_ASC_REG_FLOAT(Log2, std::log2)
WEFT_ASC_REG_FLOAT(Log10, std::log10)
WEFT_ASC_REG_FLOAT(Sqrt, std::sqrt)
WEFT_ASC_REG_FLOAT(Rsqrt, 1 / std::sqrt)
WEFT_ASC_REG_FLOAT(Reciprocal, 1 /)
#undef WEFT_ASC_REG_FLOAT
#undef WEFT_ASC_REG_UNARY
template <typename T = DefaultType, MaskMergeMode mode = MaskMergeMode::ZEROING, typename S, typename V>
void Abs(S &dstReg, V &srcReg, MaskReg &mask) {
  EachLane<mode>(dstReg, mask, [&](uint32_t i) { return static_cast<LaneOf<S>>(AbsOf(srcReg.Get(i))); });
}
template <typename T, typename U, MaskMergeMode mode = MaskMergeMode::ZEROING, typename S, typename V>
void Abs(S &dstReg, V &srcReg, MaskReg &mask) {
  EachLane<mode>(dstReg, mask, [&](uint32_t i) { return static_cast<LaneOf<S>>(AbsOf(srcReg.Get(i))); });
}
template <typename T = DefaultType, RoundMode roundMode = RoundMode::CAST_NONE,
          MaskMergeMode mode = MaskMergeMode::ZEROING, typename S>
void Truncate(S &dstReg, S &srcReg, MaskReg &mask) {
  EachLane<mode>(dstReg, mask, [&](uint32_t i) { return RoundedOf(srcReg.Get(i), roundMode); });
}
template <typename T = DefaultType, typename U = DefaultType, MaskMergeMode mode = MaskMergeMode::ZEROING,
          typename S, typename V>
void ShiftLeft(S &dstReg, S &srcReg0, V &srcReg1, MaskReg &mask) {
  EachLane<mode>(dstReg, mask, [&](uint32_t i) { return ShiftLeftOf(srcReg0.Get(i), srcReg1.Get(i)); });
}
template <typename T = DefaultType, typename U = DefaultType, MaskMergeMode mode = MaskMergeMode::ZEROING,
          typename S, typename V>
void ShiftRight(S &dstReg, S &srcReg0, V &srcReg1, MaskReg &mask) {
  EachLane<mode>(dstReg, mask, [&](uint32_t i) { return ShiftRightOf(srcReg0.Get(i), srcReg1.Get(i)); });
}
// exp(a - b), as a float: of lanes 2 i + layout where the sources are half.
template <typename T = DefaultType, typename U = DefaultType, RegLayout layout = RegLayout::ZERO,
          MaskMergeMode mode = MaskMergeMode::ZEROING, typename S, typename V>
void FusedExpSub(S &dstReg, V &srcReg0, V &srcReg1, MaskReg &mask) {
  constexpr uint32_t step = V::kLanes / S::kLanes;
  constexpr uint32_t first = step > 1 ? static_cast<uint32_t>(layout) : 0;
  const V a = srcReg0, b = srcReg1;
  EachLane<mode>(dstReg, mask, [&](uint32_t i) {
    const float x = static_cast<float>(a.Get(i * step + first));
    return static_cast<LaneOf<S>>(std::exp(x - static_cast<float>(b.Get(i * step + first))));
  });
}
template <typename T = DefaultType, typename U = DefaultType, RegLayout layout = RegLayout::ZERO,
          MaskMergeMode mode = MaskMergeMode::ZEROING, typename S, typename V>
void ExpSub(S &dstReg, V &srcReg0, V &srcReg1, MaskReg &mask) {
  FusedExpSub<T, U, layout, mode>(dstReg, srcReg0, srcReg1, mask);
}

// ---- carries ----

// A carry of 1: the sum did not fit, or nothing was borrowed.
template <typename U, bool subtract>
void CarryLanes(MaskReg &carry, U &dst, const U &a, const U &b, const MaskReg *in, const MaskReg &mask) {
  MaskReg out;
  U to;
  for (uint32_t i = 0; i < U::kLanes; i++) {
    if (!LaneOn<U>(mask, i))
      continue;
    const uint64_t x = ToBits(a.Get(i));
    const uint64_t y = subtract ? static_cast<uint32_t>(~ToBits(b.Get(i))) : ToBits(b.Get(i));
    const uint64_t sum = x + y + (in ? LaneOn<U>(*in, i) : subtract);
    to.Set(i, FromBits<LaneOf<U>>(static_cast<uint32_t>(sum)));
    out.on[i * U::kMaskStep] = static_cast<uint8_t>(sum >> 32);
  }
  carry = out;
  dst = to;
}
template <typename T = DefaultType, typename U>
void Add(MaskReg &carry, U &dstReg, U &srcReg0, U &srcReg1, MaskReg &mask) {
  CarryLanes<U, false>(carry, dstReg, srcReg0, srcReg1, nullptr, mask);
}
template <typename T = DefaultType, typename U>
void Sub(MaskReg &carry, U &dstReg, U &srcReg0, U &srcReg1, MaskReg &mask) {
  CarryLanes<U, true>(carry, dstReg, srcReg0, srcReg1, nullptr, mask);
}
template <typename T = DefaultType, typename U>
void AddC(MaskReg &carry, U &dstReg, U &srcReg0, U &srcReg1, MaskReg &carrySrc, MaskReg &mask) {
  CarryLanes<U, false>(carry, dstReg, srcReg0, srcReg1, &carrySrc, mask);
}
template <typename T = DefaultType, typename U>
void SubC(MaskReg &carry, U &dstReg, U &srcReg0, U &srcReg1, MaskReg &carrySrc, MaskReg &mask) {
  CarryLanes<U, true>(carry, dstReg, srcReg0, srcReg1, &carrySrc, mask);
}
// The low and the high half of a product of 32-bit integers.
template <typename T = DefaultType, typename U>
void Mull(U &dstReg0, U &dstReg1, U &srcReg0, U &srcReg1, MaskReg &mask) {
  using L = LaneOf<U>;
  using Twice = typename std::conditional<std::is_signed<L>::value, int64_t, uint64_t>::type;
  U low, high;
  for (uint32_t i = 0; i < U::kLanes; i++) {
    const Twice product = static_cast<Twice>(srcReg0.Get(i)) * static_cast<Twice>(srcReg1.Get(i));
    if (!LaneOn<U>(mask, i))
      continue;
    low.Set(i, static_cast<L>(product));
    high.Set(i, static_cast<L>(product >> 32));
  }
  dstReg0 = low;
  dstReg1 = high;
}

// ---- comparisons ----

template <CMPMODE mode, typename T>
bool Compared(T a, T b) {
  const Ordered<T> x = static_cast<Ordered<T>>(a), y = static_cast<Ordered<T>>(b);
  return mode == CMPMODE::LT   ? x < y
         : mode == CMPMODE::GT ? x > y
         : mode == CMPMODE::EQ ? x == y
         : mode == CMPMODE::LE ? x <= y
         : mode == CMPMODE::GE ? x >= y
                               : x != y;
}
template <typename T = DefaultType, CMPMODE mode = CMPMODE::EQ, typename U>
void Compare(MaskReg &dst, U &srcReg0, U &srcReg1, MaskReg &mask) {
  MaskReg to;
  for (uint32_t i = 0; i < U::kLanes; i++)
    to.on[i * U::kMaskStep] = LaneOn<U>(mask, i) && Compared<mode>(srcReg0.Get(i), srcReg1.Get(i));
  dst = to;
}
template <typename T = DefaultType, CMPMODE mode = CMPMODE::EQ, typename U, typename S>
void Compares(MaskReg &dst, U &srcReg, S scalarValue, MaskReg &mask) {
  const LaneOf<U> scalar = static_cast<LaneOf<U>>(scalarValue);
  MaskReg to;
  for (uint32_t i = 0; i < U::kLanes; i++)
    to.on[i * U::kMaskStep] = LaneOn<U>(mask, i) && Compared<mode>(srcReg.Get(i), scalar);
  dst = to;
}
template <typename T = DefaultType, CMPMODE mode = CMPMODE::EQ, typename U, typename S>
void CompareScalar(MaskReg &dst, U &srcReg, S scalarValue, MaskReg &mask) {
  Compares<T, mode>(dst, srcReg, scalarValue, mask);
}
template <typename T = DefaultType, typename U>
void Select(U &dstReg, U &srcReg0, U &srcReg1, MaskReg &mask) {
  for (uint32_t i = 0; i < U::kLanes; i++)
    dstReg.Set(i, LaneOn<U>(mask, i) ? srcReg0.Get(i) : srcReg1.Get(i));
}

// ---- fills and moves ----

template <typename T = DefaultType, typename U, typename S>
void Duplicate(S &dstReg, U scalarValue) {
  for (uint32_t i = 0; i < S::kLanes; i++)
    dstReg.Set(i, static_cast<LaneOf<S>>(scalarValue));
}
template <typename U>
struct IsRegister : std::false_type {};
template <typename T, const RegTrait &regTrait>
struct IsRegister<RegTensor<T, regTrait>> : std::true_type {};
template <typename T = DefaultType, MaskMergeMode mode = MaskMergeMode::ZEROING, typename U, typename S,
          typename std::enable_if<!IsRegister<U>::value, int>::type = 0>
void Duplicate(S &dstReg, U scalarValue, MaskReg &mask) {
  EachLane<mode>(dstReg, mask, [&](uint32_t) { return static_cast<LaneOf<S>>(scalarValue); });
}
// The first or the last lane, everywhere.
template <typename T = DefaultType, HighLowPart pos = HighLowPart::LOWEST,
          MaskMergeMode mode = MaskMergeMode::ZEROING, typename S>
void Duplicate(S &dstReg, S &srcReg, MaskReg &mask) {
  const LaneOf<S> value = srcReg.Get(pos == HighLowPart::LOWEST ? 0 : S::kLanes - 1);
  EachLane<mode>(dstReg, mask, [&](uint32_t) { return value; });
}
template <typename T = DefaultType, IndexOrder order = IndexOrder::INCREASE_ORDER, typename U, typename S>
void Arange(S &dstReg, U scalarValue) {
  using L = LaneOf<S>;
  for (uint32_t i = 0; i < S::kLanes; i++) {
    const uint32_t step = order == IndexOrder::INCREASE_ORDER ? i : S::kLanes - 1 - i;
    dstReg.Set(i, AddOf(static_cast<L>(scalarValue), static_cast<L>(step)));
  }
}
template <typename T = DefaultType, MaskMergeMode mode = MaskMergeMode::MERGING, typename U>
void Copy(U &dstReg, U &srcReg, MaskReg mask) {
  EachLane<mode>(dstReg, mask, [&](uint32_t i) { return srcReg.Get(i); });
}
template <typename T = DefaultType, typename U>
void Copy(U &dstReg, U &srcReg) {
  dstReg = U(srcReg);
}
template <typename T = DefaultType, MaskMergeMode mode = MaskMergeMode::MERGING, typename U>
void Move(U &dstReg, U &srcReg, MaskReg mask) {
  Copy<T, mode>(dstReg, srcReg, mask);
}
template <typename T = DefaultType, typename U>
void Move(U &dstReg, U &srcReg) {
  Copy<T>(dstReg, srcReg);
}
// Lanes of the mask, one after another.
template <typename T = DefaultType, GatherMaskMode store = GatherMaskMode::NO_STORE_REG, typename U>
void Squeeze(U &dstReg, U &srcReg, MaskReg &mask) {
  U to;
  uint32_t kept = 0;
  for (uint32_t i = 0; i < U::kLanes; i++) {
    if (LaneOn<U>(mask, i))
      to.Set(kept++, srcReg.Get(i));
  }
  dstReg = to;
  if (store == GatherMaskMode::NO_STORE_REG)
    return;
  CountOf().last = kept * sizeof(LaneOf<U>);
  CountOf().total += CountOf().last;
}
template <typename T = DefaultType, GatherMaskMode store = GatherMaskMode::NO_STORE_REG, typename U>
void GatherMask(U &dstReg, U &srcReg, MaskReg &mask) {
  Squeeze<T, store>(dstReg, srcReg, mask);
}
// How many lanes of the mask lie before each.
template <typename T = DefaultType, typename U>
void Unsqueeze(U &dstReg, MaskReg &mask) {
  uint32_t before = 0;
  for (uint32_t i = 0; i < U::kLanes; i++) {
    dstReg.Set(i, static_cast<LaneOf<U>>(before));
    before += LaneOn<U>(mask, i);
  }
}
template <typename T = DefaultType, typename U = DefaultType, typename S, typename V>
void Gather(S &dstReg, S &srcReg, V &indexReg) {
  const S from = srcReg;
  for (uint32_t i = 0; i < S::kLanes && i < V::kLanes; i++)
    dstReg.Set(i, from.Get(static_cast<uint32_t>(indexReg.Get(i)) % S::kLanes));
}
}  // namespace Reg
}  // namespace AscendC
// SPDX-License-Identifier: Apache-2.0
