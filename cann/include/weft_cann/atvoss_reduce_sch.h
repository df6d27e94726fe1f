// weft_cann/atvoss_reduce_sch.h - kernels that are a graph with one reduction (atvoss_reduce.h): blocks take
// equal runs of results. What a result is made of comes in pieces, each of which is added up by halves, and
// the pieces one after another; what is behind the reduction runs on many results at once. So numbers do not
// depend on the tiling's groups.
#pragma once
#include "weft_cann/atvoss_sch.h"

#include "weft_cann/atvoss_reduce.h"

namespace Ops {
namespace Base {
namespace weft_dag {
// What one reduction does with two numbers, and with the first.
template <typename Func>
struct Reduction {
  static constexpr bool kIs = false;
};
#define WEFT_CANN_REDUCTION(Name, expression)                    \
  template <typename T>                                          \
  struct Reduction<Vec::Name<T>> {                               \
    static constexpr bool kIs = true;                            \
    static T Of(T a, T b) { return static_cast<T>(expression); } \
    static T First(T a) { return a; }                            \
  };
WEFT_CANN_REDUCTION(ReduceSumOp, AscendC::Reg::AddOf(a, b))
WEFT_CANN_REDUCTION(ReduceProdOp, AscendC::Reg::MulOf(a, b))
WEFT_CANN_REDUCTION(ReduceMaxOp, AscendC::Reg::MaxOf(a, b))
WEFT_CANN_REDUCTION(ReduceMinOp, AscendC::Reg::MinOf(a, b))
#undef WEFT_CANN_REDUCTION
// Truth values: 1 or 0.
#define WEFT_CANN_REDUCTION(Name, operation)                                                  \
  template <typename T>                                                                       \
  struct Reduction<Vec::Name<T>> {                                                            \
    static constexpr bool kIs = true;                                                         \
    static T Of(T a, T b) { return static_cast<T>((a != T(0) operation b != T(0)) ? 1 : 0); } \
    static T First(T a) { return static_cast<T>(a != T(0) ? 1 : 0); }                         \
  };
WEFT_CANN_REDUCTION(ReduceAllOp, &&)
WEFT_CANN_REDUCTION(ReduceAnyOp, ||)
#undef WEFT_CANN_REDUCTION

template <typename T>
struct IsReduction : std::false_type {};
template <typename Func, typename... Args>
struct IsReduction<Bind<Func, Args...>> : std::bool_constant<Reduction<Func>::kIs> {};
// 0: what a reduction is made of; 1: the reduction; 2: what is made of it.
template <typename T>
struct StageOf : std::integral_constant<int, 0> {};
template <typename Func, typename... Args>
struct StageOf<Bind<Func, Args...>> : std::integral_constant<int, Reduction<Func>::kIs                  ? 1
                                                                  : ((StageOf<Args>::value > 0) || ...) ? 2
                                                                                                        : 0> {
};
// Does it hang on elements of an input?
template <typename T>
struct OfElements : std::false_type {};
template <typename Func, typename... Args>
struct OfElements<Bind<Func, Args...>>
    : std::bool_constant<((Func::kWeftCopies != 0) || ... || OfElements<Args>::value)> {};
// 1: made of scalars alone, so it is wanted for elements and for results.
template <typename T>
struct ScalarStageOf : std::integral_constant<int, Node<T>::kBind && !OfElements<T>::value> {};
// Elements and results differ in number: neither stands beside the other.
template <typename T>
struct KeepsApart : std::true_type {};
template <typename Func, typename... Args>
struct KeepsApart<Bind<Func, Args...>> {
  using T = Bind<Func, Args...>;
  static constexpr bool kElementsOut = Node<T>::kCopies && Node<T>::kTakesBind && StageOf<T>::value == 0;
  static constexpr bool kTakesElements = ((OfElements<Args>::value && StageOf<Args>::value == 0) || ...);
  static constexpr bool value = !kElementsOut && !(StageOf<T>::value == 2 && kTakesElements);
};
template <typename List>
struct AllKeepApart;
template <typename... Ts>
struct AllKeepApart<Elems<Ts...>> : std::bool_constant<(KeepsApart<Ts>::value && ...)> {};

template <typename List>
struct ReductionOf {
  using Type = void;
  static constexpr int kCount = 0;
};
template <typename T, typename... Ts>
struct ReductionOf<Elems<T, Ts...>> {
  using Type = std::conditional_t<IsReduction<T>::value, T, typename ReductionOf<Elems<Ts...>>::Type>;
  static constexpr int kCount = (IsReduction<T>::value + ... + IsReduction<Ts>::value);
};

template <typename R, typename T>
T ReduceRun(const T *from, uint32_t n) {
  if (n <= 8) {
    T all = R::First(from[0]);
    for (uint32_t i = 1; i < n; i++)
      all = R::Of(all, from[i]);
    return all;
  }
  return R::Of(ReduceRun<R>(from, n / 2), ReduceRun<R>(from + n / 2, n - n / 2));
}
template <typename T>
struct FuncOf;
template <typename Func, typename... Args>
struct FuncOf<Bind<Func, Args...>> {
  using Type = Func;
  using Arg = typename First<Elems<Args...>>::Type;
};
}  // namespace weft_dag

namespace ReduceOpTmpl {
using ::Ops::Base::ReduceOpTilingData;  // kernels see this namespace alone
namespace __reduceType {
// The type that sums are kept in.
template <typename T_>
struct GetPromoteType {
  using T = std::conditional_t<sizeof(T_) == 2 && !std::is_integral<T_>::value, float,
                               std::conditional_t<sizeof(T_) < 4, int32_t, T_>>;
};
}  // namespace __reduceType

// A graph whose one reduction stands between what runs on elements and what runs on results.
template <bool isContiguous, uint32_t patternID, uint32_t loopARCount, uint32_t loopInnerARCount,
          typename OpDag>
class ReduceSch {
 public:
  using Node = typename weft_dag::ReductionOf<typename OpDag::Nodes>::Type;
  static_assert(weft_dag::ReductionOf<typename OpDag::Nodes>::kCount == 1,
                "a graph has one Vec::Reduce...Op");
  static_assert(weft_dag::AllKeepApart<typename OpDag::Nodes>::value,
                "only what the reduction made goes out, and no input's elements stand beside it");
  using R = weft_dag::Reduction<typename weft_dag::FuncOf<Node>::Type>;
  using Arg = typename weft_dag::FuncOf<Node>::Arg;
  using T = typename Node::DType;

  template <typename Tiling>
  explicit ReduceSch(Tiling *tiling) : tiling_(reinterpret_cast<const ReduceOpTilingData *>(tiling)) {}
  template <typename V, int n>
  void SetVar(V value) {
    pieces_.template SetVar<n>(value);
  }
  // Inputs, outputs, and the workspace, which is not needed.
  template <typename... Address>
  void Init(AscendC::TPipe *pipe, Address... address) {
    Take(*pipe, std::make_tuple(address...), std::make_index_sequence<sizeof...(Address) - 1>());
  }
  // `empty`: a result of no elements.
  template <typename V = T>
  void Process(V empty = V()) {
    reduced_ = patternID ? 1 : 0;
    for (uint32_t axis = 1; axis < ReduceOpTmpl::MAX_DIM; axis += 2)
      reduced_ *= Dim(axis);
    const uint64_t kept = tiling_->outSize;
    const auto cores = static_cast<uint64_t>(std::max(tiling_->realCoreNum, 1));
    const uint64_t share = (kept + cores - 1) / cores;
    const uint64_t first = static_cast<uint64_t>(AscendC::GetBlockIdx()) * share;
    const uint64_t end = std::min(kept, first + share);
    for (uint64_t at = first; at < end; at += kPiece)
      Results(at, static_cast<uint32_t>(std::min<uint64_t>(end - at, kPiece)), static_cast<T>(empty));
  }

 private:
  using Pieces = weft_dag::Pieces<OpDag>;
  static constexpr uint32_t kPiece = Pieces::kPiece;
  template <typename Tuple, size_t... i>
  void Take(AscendC::TPipe &pipe, const Tuple &all, std::index_sequence<i...>) {
    pieces_.Addresses(pipe, std::get<i>(all)...);
  }
  // Axes behind the last have the size 0.
  uint64_t Dim(uint32_t axis) const { return tiling_->shape[axis] ? tiling_->shape[axis] : 1; }
  // Where the element `index` of the axes of one kind begins.
  int64_t Offset(uint64_t index, uint32_t kind) const {
    int64_t offset = 0;
    for (int32_t axis = ReduceOpTmpl::MAX_DIM - 1; axis >= 0; axis--) {
      if (static_cast<uint32_t>(axis) % 2 != kind)
        continue;
      const uint64_t dim = Dim(static_cast<uint32_t>(axis));
      offset += static_cast<int64_t>(index % dim) * tiling_->stride[axis];
      index /= dim;
    }
    return offset;
  }
  // Elements [from, from + n) of each of `rows` results, one row behind the other.
  void Elements(uint64_t result, uint32_t rows, uint64_t from, uint32_t n) {
    pieces_.template RunStage<weft_dag::StageOf, 0>(
        0, rows * n, [&](auto &to, int place, uint64_t, uint32_t) {
          using E = typename std::decay_t<decltype(to)>::PrimType;
          const E *source = reinterpret_cast<const E *>(pieces_.Input(place));
          weft_asc::Vector(WEFT_ASC_COPY).To(to).Count(rows * n).Touch("ReduceSch", {"ReduceSch", 0});
          for (uint32_t row = 0; row < rows; row++) {
            const int64_t base = Offset(result + row, 0);
            for (uint32_t i = 0; i < n; i++)
              to.Data()[row * n + i] = source[base + Offset(from + i, 1)];
          }
        });
  }
  void Results(uint64_t first, uint32_t n, T empty) {
    auto results = pieces_.template Value<Node>();
    weft_asc::Vector(WEFT_ASC_COPY).To(results).Count(n).Touch("ReduceSch", {"ReduceSch", 0});
    std::fill_n(results.Data(), n, empty);
    const auto length = static_cast<uint32_t>(std::min<uint64_t>(reduced_, kPiece));
    const uint32_t rows_at_once = length ? kPiece / length : 0;
    for (uint32_t row = 0; length && row < n; row += rows_at_once)
      Rows(first, row, std::min(rows_at_once, n - row), length, results.Data());
    AscendC::PipeBarrier<PIPE_ALL>();
    const auto no_input = [](auto &, int, uint64_t, uint32_t) {};
    pieces_.template RunStage<weft_dag::ScalarStageOf, 1>(first, n, no_input);
    pieces_.template RunStage<weft_dag::StageOf, 2>(first, n, no_input);
  }
  void Rows(uint64_t first, uint32_t row, uint32_t rows, uint32_t length, T *results) {
    for (uint64_t from = 0; from < reduced_; from += length) {
      const auto n = static_cast<uint32_t>(std::min<uint64_t>(length, reduced_ - from));
      Elements(first + row, rows, from, n);
      auto elements = pieces_.template Value<Arg>();
      weft_asc::Vector(WEFT_ASC_COPY)
          .To(elements)
          .From(elements)
          .Count(rows * n)
          .Touch("ReduceSch", {"ReduceSch", 0});
      for (uint32_t i = 0; i < rows; i++) {
        const T part = weft_dag::ReduceRun<R>(elements.Data() + i * n, n);
        results[row + i] = from ? R::Of(results[row + i], part) : part;
      }
    }
  }

  const ReduceOpTilingData *tiling_;
  uint64_t reduced_ = 1;
  Pieces pieces_;
};
}  // namespace ReduceOpTmpl
}  // namespace Base
}  // namespace Ops
// SPDX-License-Identifier: Apache-2.0
