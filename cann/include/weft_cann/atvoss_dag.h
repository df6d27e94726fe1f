// weft_cann/atvoss_dag.h - the host's side of kernels that are written as a graph of vector functions: types
// that say what flows where. Tiling asks DAGSch how many buffers of how many bits an element needs.
#pragma once
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "weft_cann/kernel_words.h"
#ifdef WEFT_CANN_KERNEL_SIDE  // records that a kernel reads, whose header has a graph
#include "weft_cann/kernel_operator.h"
#endif

namespace Ops {
namespace Base {
// Element types that only kernels compute with: their own where this is part of one.
#ifdef __WEFT_ASC__
using ::bfloat16_t;
using ::half;
using namespace AscendC;  // which functions of a kernel's own take for granted
using AscendC::GlobalTensor;
using AscendC::LocalTensor;
#else
struct half {
  uint16_t value;
};
struct bfloat16_t {
  uint16_t value;
};
template <typename T>
class LocalTensor {};
template <typename T>
class GlobalTensor {
 public:
  void SetGlobalBuffer(T *) {}
};
#endif

// A list of types.
template <typename... Ts>
struct Elems {
  using Type = Elems<Ts...>;
  static constexpr size_t Size = sizeof...(Ts);
  template <typename T>
  using Append = Elems<Ts..., T>;
  template <typename T, int start = 0>
  static constexpr bool IsExist() {
    return GetIndex<T, start>() >= 0;
  }
  // -1: none from `start` on.
  template <typename T, int start = 0>
  static constexpr int GetIndex() {
    const bool same[] = {std::is_same<T, Ts>::value..., false};
    for (int i = start; i < static_cast<int>(Size); i++) {
      if (same[i])
        return i;
    }
    return -1;
  }
};

namespace Placeholder {
enum HolderScope { GM = 0, VECTOR = 1 };
template <HolderScope scope = HolderScope::GM, int isScalar = 0>
struct InAttr {
  static constexpr HolderScope Scope = scope;
  static constexpr int IsScalar = isScalar;
};
template <bool isScalar>
using ScalarAttr = InAttr<HolderScope::GM, isScalar ? 1 : 0>;

template <typename T, typename Attr_ = void, int cur = 0>
struct Holder {
  using DType = T;
  using Attr = Attr_;
  static constexpr int Pos = cur;
  static constexpr bool IsHolder = true;
};
template <typename T, typename Attr, int cur>
struct WeftIn : Holder<T, Attr, cur> {
  static constexpr bool kWeftInput = true;
};
#define WEFT_CANN_HOLDER(n)                       \
  template <typename T, typename Attr = InAttr<>> \
  struct In##n : WeftIn<T, Attr, n> {};           \
  template <typename T, typename Attr = void>     \
  struct Out##n : Holder<T, Attr, n> {};
WEFT_CANN_HOLDER(0)
WEFT_CANN_HOLDER(1)
WEFT_CANN_HOLDER(2)
WEFT_CANN_HOLDER(3)
WEFT_CANN_HOLDER(4)
WEFT_CANN_HOLDER(5)
WEFT_CANN_HOLDER(6)
WEFT_CANN_HOLDER(7)
WEFT_CANN_HOLDER(8)
WEFT_CANN_HOLDER(9)
#undef WEFT_CANN_HOLDER
// A scalar that tiling hands over.
template <typename T, int n = 0>
struct Var : Holder<T, void, n> {};
template <typename T>
struct ConstMark : Holder<T> {};
}  // namespace Placeholder
#define MAKE_CONST(type, number)                       \
  struct : ::Ops::Base::Placeholder::ConstMark<type> { \
    static constexpr auto Value() { return number; }   \
  }

namespace Vec {
enum { INPUT_SIZE1 = 1, INPUT_SIZE2 = 2, INPUT_SIZE3 = 3, INPUT_SIZE4 = 4 };
template <int outSize, int inSize, int tempSize = 0, int fixedBuf = 0, bool isAdvanced = false,
          typename... DataType_>
struct FunBase {
  using DataTypes = Ops::Base::Elems<DataType_...>;
  static constexpr int OutputSize = outSize;
  static constexpr int InputSize = inSize;
  static constexpr int TempSize = tempSize;
  static constexpr int FixedSize = fixedBuf;
  static constexpr bool IsAdvanced = isAdvanced;
  static constexpr int FuncType = 0;
  static constexpr int kWeftCopies = 0;    // 1: moves data between memories, and has two buffers for it
  static constexpr bool kWeftBrc = false;  // broadcasts while it copies
};
template <typename R, typename A, int tempSize = 0, int fixedBuf = 0, bool isAdvanced = false>
struct ElemwiseUnaryOP : FunBase<1, 1, tempSize, fixedBuf, isAdvanced, R, A> {};
template <typename R, typename A, typename B, int tempSize = 0, int fixedBuf = 0, bool isAdvanced = false>
struct ElemwiseBinaryOP : FunBase<1, 2, tempSize, fixedBuf, isAdvanced, R, A, B> {};
template <typename R, typename A, typename B, typename C, int tempSize = 0, int fixedBuf = 0,
          bool isAdvanced = false>
struct ElemwiseTernaryOP : FunBase<1, 3, tempSize, fixedBuf, isAdvanced, R, A, B, C> {};
template <typename R, typename A, typename B, typename C, typename D, int tempSize = 0, int fixedBuf = 0,
          bool isAdvanced = false>
struct ElemwiseQuaternaryOP : FunBase<1, 4, tempSize, fixedBuf, isAdvanced, R, A, B, C, D> {};
template <typename R, typename A, typename B, typename C, typename D, typename E, int tempSize = 0,
          int fixedBuf = 0, bool isAdvanced = false>
struct Elemwise5OP : FunBase<1, 5, tempSize, fixedBuf, isAdvanced, R, A, B, C, D, E> {};

template <typename T>
struct CopyIn : ElemwiseUnaryOP<T, T> {
  static constexpr int kWeftCopies = 1;
};
template <typename T>
struct CopyInBrc : ElemwiseUnaryOP<T, T> {
  static constexpr int kWeftCopies = 1;
  static constexpr bool kWeftBrc = true;
};
template <typename T>
struct CopyOut : ElemwiseUnaryOP<T, T> {
  static constexpr int kWeftCopies = 1;
};
template <typename R, typename T, int roundMode>
struct Cast : ElemwiseUnaryOP<R, T> {};
template <typename R, typename T, int cmpMode>
struct Compare : ElemwiseBinaryOP<R, T, T> {};
template <typename T, int roundMode = 0>
struct Truncate : ElemwiseUnaryOP<T, T> {};
// Computes in U what comes from T.
template <typename T, typename U = T>
struct Sqrt0ULP : ElemwiseUnaryOP<U, U> {};
template <typename U, typename T, int selMode>
struct Select : ElemwiseTernaryOP<T, U, T, T> {};

#define WEFT_CANN_UNARY(name) \
  template <typename T>       \
  struct name : ElemwiseUnaryOP<T, T> {};
#define WEFT_CANN_BINARY(name) \
  template <typename T>        \
  struct name : ElemwiseBinaryOP<T, T, T> {};
#define WEFT_CANN_TERNARY(name) \
  template <typename T>         \
  struct name : ElemwiseTernaryOP<T, T, T, T> {};
WEFT_CANN_UNARY(Abs)
WEFT_CANN_UNARY(AtanPolyApprox)
WEFT_CANN_UNARY(Brc)
WEFT_CANN_UNARY(Copy)
WEFT_CANN_UNARY(Cos)
WEFT_CANN_UNARY(Duplicate)
WEFT_CANN_UNARY(Erf)
WEFT_CANN_UNARY(Erfc)
WEFT_CANN_UNARY(Exp)
WEFT_CANN_UNARY(Log)
WEFT_CANN_UNARY(Not)
WEFT_CANN_UNARY(Reciprocal)
WEFT_CANN_UNARY(Sin)
WEFT_CANN_UNARY(Sqrt)
WEFT_CANN_BINARY(Add)
WEFT_CANN_BINARY(Adds)
WEFT_CANN_BINARY(And)
WEFT_CANN_BINARY(Div)
WEFT_CANN_BINARY(DivHighPrecision)
WEFT_CANN_BINARY(FmodHighPrecision)
WEFT_CANN_BINARY(LeakyRelu)
WEFT_CANN_BINARY(Max)
WEFT_CANN_BINARY(Maxs)
WEFT_CANN_BINARY(Min)
WEFT_CANN_BINARY(Mins)
WEFT_CANN_BINARY(Mul)
WEFT_CANN_BINARY(Muls)
WEFT_CANN_BINARY(Or)
WEFT_CANN_BINARY(Power)
WEFT_CANN_BINARY(Relu)
WEFT_CANN_BINARY(Sub)
WEFT_CANN_TERNARY(Axpy)
WEFT_CANN_TERNARY(FusedMulAdd)
WEFT_CANN_UNARY(ReduceAllOp)
WEFT_CANN_UNARY(ReduceAnyOp)
WEFT_CANN_UNARY(ReduceMaxOp)
WEFT_CANN_UNARY(ReduceMinOp)
WEFT_CANN_UNARY(ReduceProdOp)
WEFT_CANN_UNARY(ReduceSumOp)
#undef WEFT_CANN_UNARY
#undef WEFT_CANN_BINARY
#undef WEFT_CANN_TERNARY

template <typename... T>
struct IsDuplicateOp {
  static constexpr bool Value = false;
};
template <typename T>
struct IsDuplicateOp<Duplicate<T>> {
  static constexpr bool Value = true;
};
}  // namespace Vec

namespace weft_dag {
template <typename List>
struct First {
  using Type = void;
};
template <typename T, typename... Ts>
struct First<Elems<T, Ts...>> {
  using Type = T;
};
}  // namespace weft_dag

// A function and what it is applied to: holders, constants, and other binds.
template <typename Func, typename... Ts>
struct Bind {
  using Fun = Func;
  using Args = Elems<Ts...>;
  using BindType = Bind<Func, Ts...>;
  using OutDataType = typename weft_dag::First<typename Func::DataTypes>::Type;
  using DType = OutDataType;
  static constexpr bool IsBindFun = true;
  static constexpr uint32_t InputSize = sizeof...(Ts);
};

namespace weft_dag {
// What an output reaches, each once.
template <typename Found, typename T>
struct Reach {
  using Type = typename std::conditional<Found::template IsExist<T>(), Found,
                                         typename Found::template Append<T>>::type;
};
template <typename Found, typename... Ts>
struct ReachAll {
  using Type = Found;
};
template <typename Found, typename T, typename... Ts>
struct ReachAll<Found, T, Ts...> {
  using Type = typename ReachAll<typename Reach<Found, T>::Type, Ts...>::Type;
};
template <bool known, typename Found, typename T>
struct ReachBind {
  using Type = Found;
};
template <typename Found, typename Func, typename... Ts>
struct ReachBind<false, Found, Bind<Func, Ts...>> {
  using Type = typename ReachAll<Found, Ts...>::Type::template Append<Bind<Func, Ts...>>;
};
template <typename Found, typename Func, typename... Ts>
struct Reach<Found, Bind<Func, Ts...>> {
  using Type =
      typename ReachBind<Found::template IsExist<Bind<Func, Ts...>>(), Found, Bind<Func, Ts...>>::Type;
};

// What one node counts for.
template <typename T, typename = void>
struct Node {
  static constexpr int kInput = 0;
  static constexpr int kInputPos = -1;
  static constexpr int kScalarPlace = 0;  // a bit, of an input that the kernel reads as a scalar
  static constexpr int kBrc = 0;
  static constexpr int kVecBrc = 0;
  static constexpr int kBitsOfOne = 0;
  static constexpr bool kBind = false;       // a function and its arguments
  static constexpr bool kCopies = false;     // moves data between memories
  static constexpr bool kTakesBind = false;  // takes what another function made
  static constexpr int kTemps = 0;           // buffers that the function needs beside its own
  template <typename>
  static constexpr bool Takes() {
    return false;
  }
};
template <typename T>
struct Node<T, typename std::enable_if<T::kWeftInput>::type> : Node<void> {
  static constexpr bool kScalar = T::Attr::IsScalar != 0;
  static constexpr int kInput = kScalar ? 0 : 1;
  static constexpr int kInputPos = kScalar ? -1 : T::Pos;
  static constexpr int kScalarPlace = kScalar ? 1 << T::Pos : 0;
};
template <typename T>
struct IsVecBrc : std::false_type {};
template <typename T>
struct IsVecBrc<Vec::Brc<T>> : std::true_type {};
template <typename Func, typename... Ts>
struct Node<Bind<Func, Ts...>, void> : Node<void> {
  static constexpr int kBrc = Func::kWeftBrc ? 1 : 0;
  static constexpr int kVecBrc = IsVecBrc<Func>::value ? 1 : 0;
  static constexpr int kBitsOfOne = static_cast<int>(sizeof(typename Bind<Func, Ts...>::DType)) * 8;
  static constexpr bool kBind = true;
  static constexpr bool kCopies = Func::kWeftCopies != 0;
  static constexpr int kTemps = Func::TempSize;
  // Is T an argument?
  template <typename T>
  static constexpr bool Takes() {
    return Elems<Ts...>::template IsExist<T>();
  }
  static constexpr bool kTakesBind = (false || ... || Node<Ts>::kBind);
};

template <typename List>
struct Count;
template <typename... Ts>
struct Count<Elems<Ts...>> {
  static constexpr int kInputs = (0 + ... + Node<Ts>::kInput);
  static constexpr int kBrcs = (0 + ... + Node<Ts>::kBrc);
  static constexpr int kVecBrcs = (0 + ... + Node<Ts>::kVecBrc);
  // How many buffers of the largest type an element needs. A copy has two, so that it goes on while others
  // compute: one into the core its own, one out of it those of the function that it takes from. Every other
  // function has one from when it runs until the last that takes its result has run, and writes none of its
  // arguments. Functions run in the order of the list.
  static constexpr int Buffers() {
    return 2 * (0 + ... + (Node<Ts>::kCopies && !Node<Ts>::kTakesBind)) +
           2 * (0 + ... + (Node<Ts>::kBind && !Node<Ts>::kCopies && CopiedOut<Ts>())) + MostAtOnce();
  }
  template <typename T>
  static constexpr bool CopiedOut() {
    return (false || ... || (Node<Ts>::kCopies && Node<Ts>::template Takes<T>()));
  }
  template <typename T>
  static constexpr int LastUse() {
    const bool takes[] = {Node<Ts>::template Takes<T>()..., false};
    int last = -1;
    for (int i = 0; i < static_cast<int>(sizeof...(Ts)); i++)
      last = takes[i] ? i : last;
    return last;
  }
  static constexpr int MostAtOnce() {
    constexpr int n = static_cast<int>(sizeof...(Ts));
    const bool holds[] = {(Node<Ts>::kBind && !Node<Ts>::kCopies && !CopiedOut<Ts>())..., false};
    const int temps[] = {Node<Ts>::kTemps..., 0};
    const int last[] = {LastUse<Ts>()..., 0};
    int most = 0;
    for (int at = 0; at < n; at++) {
      int live = temps[at];
      for (int i = 0; i <= at; i++)
        live += holds[i] && (i == at || last[i] >= at) ? 1 : 0;
      most = live > most ? live : most;
    }
    return most;
  }
  static constexpr int Extreme(bool largest) {
    const int bits[] = {Node<Ts>::kBitsOfOne..., 0};
    int found = 0;
    for (int b : bits) {
      if (b && (!found || (largest ? b > found : b < found)))
        found = b;
    }
    return found;
  }
  static constexpr int ScalarPlaces() { return (0 | ... | Node<Ts>::kScalarPlace); }
  // Calls `look` with the place of each input; the first false ends it.
  template <typename Look>
  static bool EachInput(Look look) {
    const int places[] = {Node<Ts>::kInputPos..., -1};
    for (int place : places) {
      if (place >= 0 && !look(static_cast<size_t>(place)))
        return false;
    }
    return true;
  }
};
// The same without casts from a type to itself, which do nothing.
template <typename T>
struct Direct {
  using Type = T;
};
template <typename Func, typename... Ts>
struct Direct<Bind<Func, Ts...>> {
  using Type = Bind<Func, typename Direct<Ts>::Type...>;
};
template <typename R, int roundMode, typename T>
struct Direct<Bind<Vec::Cast<R, R, roundMode>, T>> {
  using Type = typename Direct<T>::Type;
};
template <typename Found, typename Outputs>
struct ReachOutputs;
template <typename Found, typename... Ts>
struct ReachOutputs<Found, Elems<Ts...>> {
  using Type = typename ReachAll<Found, typename Direct<Ts>::Type...>::Type;
};
}  // namespace weft_dag

enum class MemLevel { LEVEL_0 = 0, LEVEL_1 = 1, LEVEL_2 = 2 };
template <MemLevel level = MemLevel::LEVEL_0>
struct MemOptCfg {
  static constexpr MemLevel kLevel = level;
};

// The graph that ends in Outputs.
template <typename Outputs, typename Inputs = void, typename MemCfg = MemOptCfg<>>
struct DAGSch {
  using Nodes = typename weft_dag::ReachOutputs<Elems<>, Outputs>::Type;
  using Counts = weft_dag::Count<Nodes>;
  static constexpr int InputSize = Counts::kInputs;
  static constexpr int OutputSize = static_cast<int>(Outputs::Size);
  static constexpr int CopyBrcSize = Counts::kBrcs;
  static constexpr int VecBrcSize = Counts::kVecBrcs;
  static constexpr int64_t kMaxBits = Counts::Extreme(true);
  static constexpr int64_t kBitsOfElement = Counts::Buffers() * kMaxBits;
  static constexpr int64_t kMinBits = Counts::Extreme(false);
};
}  // namespace Base
}  // namespace Ops
// SPDX-License-Identifier: Apache-2.0
