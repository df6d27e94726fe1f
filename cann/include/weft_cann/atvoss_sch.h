// weft_cann/atvoss_sch.h - kernels that are a graph of vector functions (atvoss_dag.h): a block takes its
// share of the elements a piece at a time. Each function has a buffer of its own, so that a piece may be
// smaller than the tiling's; what comes out does not depend on it.
#pragma once
#include <algorithm>
#include <array>
#include <tuple>

#include "weft_cann/kernel_operator.h"  // first: what follows takes its types

#include "weft_cann/atvoss_broadcast.h"
#include "weft_cann/atvoss_vec.h"

namespace Ops {
namespace Base {
namespace weft_dag {
constexpr uint32_t kRoom = 128 * 1024;     // of UB, for all buffers
constexpr uint32_t kElementsAtOnce = 256;  // a piece is a multiple, so that buffers begin at blocks
constexpr int kPlaces = 10;

template <typename T>
struct IsVar : std::false_type {};
template <typename T, int n>
struct IsVar<Placeholder::Var<T, n>> : std::true_type {};
template <typename T, typename = void>
struct IsInput : std::false_type {};
template <typename T>
struct IsInput<T, std::enable_if_t<T::kWeftInput>> : std::true_type {};

// What the nodes of a list take: bytes of UB an element, and where a node's begin.
template <typename List>
struct Layout;
template <typename... Ts>
struct Layout<Elems<Ts...>> {
  template <typename T>
  static constexpr uint32_t Bytes() {
    if constexpr (Node<T>::kBind) {
      if constexpr (!Node<T>::kCopies || !Node<T>::kTakesBind)
        return sizeof(typename T::DType);
    }
    return 0;
  }
  static constexpr uint32_t Before(int index) {
    const uint32_t bytes[] = {Bytes<Ts>()..., 0};
    uint32_t sum = 0;
    for (int i = 0; i < index; i++)
      sum += bytes[i];
    return sum;
  }
  static constexpr uint32_t kBytes = Before(sizeof...(Ts));
  template <typename T>
  static constexpr uint32_t kBefore = Before(Elems<Ts...>::template GetIndex<T>());

  // Bytes of the scalar n; 0: there is none.
  static constexpr uint32_t VarBytes(int n) {
    uint32_t bytes = 0;
    ((bytes = VarIs<Ts>(n) ? Size<Ts>() : bytes), ...);
    return bytes;
  }
  template <typename T>
  static constexpr bool VarIs(int n) {
    if constexpr (IsVar<T>::value)
      return T::Pos == n;
    else
      return n < -1;
  }
  template <typename T>
  static constexpr uint32_t Size() {
    if constexpr (IsVar<T>::value)
      return sizeof(typename T::DType);
    else
      return 0;
  }
  template <typename Each>
  static void EachNode(Each each) {
    (each(static_cast<Ts *>(nullptr)), ...);
  }
};

// The graph on a piece: addresses, scalars and buffers.
template <typename Dag>
class Pieces {
 public:
  using Nodes = typename Dag::Nodes;
  using Room = Layout<Nodes>;
  static constexpr uint32_t kPiece = kRoom / std::max(Room::kBytes, 1u) / kElementsAtOnce * kElementsAtOnce;
  static_assert(kPiece > 0, "a graph whose buffers fit into UB");

  // Inputs, then outputs.
  template <typename... Address>
  void Addresses(AscendC::TPipe &pipe, Address... address) {
    constexpr size_t outputs = static_cast<size_t>(Dag::OutputSize);
    constexpr size_t inputs = sizeof...(Address) - outputs;
    static_assert(sizeof...(Address) >= outputs, "a graph's kernel is given inputs, then all outputs");
    static_assert(inputs <= kPlaces && outputs <= kPlaces, "a graph has at most 10 inputs and 10 outputs");
    GM_ADDR list[] = {reinterpret_cast<GM_ADDR>(address)...};
    for (size_t i = 0; i < sizeof...(Address); i++)
      (i < inputs ? in_[i] : out_[i - inputs]) = list[i];
    pipe.InitBuffer(buffer_, kPiece * Room::kBytes);
  }
  template <int n, typename T>
  void SetVar(T value) {
    static_assert(n >= 0 && n < kPlaces, "a graph has at most 10 scalars");
    memcpy(vars_[n], &value, sizeof value);
  }
  // Scalars behind one another, as the tiling function wrote them.
  void Scalars(const char *from) {
    size_t at = 0;
    for (int n = 0; n < kPlaces; n++) {
      const uint32_t bytes = Room::VarBytes(n);
      if (!bytes)
        continue;
      at = (at + bytes - 1) / bytes * bytes;
      memcpy(vars_[n], from + at, bytes);
      at += bytes;
    }
  }
  // The nodes of one stage: those whose StageOf is it.
  template <template <typename> class StageOf, int stage, typename CopyIn>
  void RunStage(uint64_t first, uint32_t n, CopyIn copy_in) {
    EachOf<StageOf, stage>([&](auto *node) { this->In(node, first, n, copy_in); });
    AscendC::PipeBarrier<PIPE_ALL>();
    EachOf<StageOf, stage>([&](auto *node) { this->Compute(node, n); });
    AscendC::PipeBarrier<PIPE_ALL>();
    EachOf<StageOf, stage>([&](auto *node) { this->Out(node, first, n); });
    AscendC::PipeBarrier<PIPE_ALL>();
  }
  // copy_in(tensor, place, first, n) fills a tensor with an input's elements.
  template <typename CopyIn>
  void Run(uint64_t first, uint32_t n, CopyIn copy_in) {
    RunStage<OneStage, 0>(first, n, copy_in);
  }
  GM_ADDR Input(int place) const { return in_[place]; }
  // A node's tensor, or number.
  template <typename T>
  auto Value() {
    if constexpr (IsVar<T>::value || IsInput<T>::value)
      static_assert(T::Pos >= 0 && T::Pos < kPlaces, "a graph has at most 10 inputs and 10 scalars");
    if constexpr (IsVar<T>::value) {
      typename T::DType value;
      memcpy(&value, vars_[T::Pos], sizeof value);
      return value;
    } else if constexpr (IsInput<T>::value) {
      return *reinterpret_cast<const typename T::DType *>(in_[T::Pos]);
    } else if constexpr (Node<T>::kBind) {
      constexpr uint32_t at = Room::template kBefore<T> * kPiece;
      return buffer_.template Get<uint8_t>()[at].template ReinterpretCast<typename T::DType>();
    } else {
      return static_cast<typename T::DType>(T::Value());
    }
  }

 private:
  template <typename T>
  struct OneStage : std::integral_constant<int, 0> {};
  template <template <typename> class StageOf, int stage, typename Each>
  static void EachOf(Each each) {
    Room::EachNode([&](auto *node) {
      if constexpr (StageOf<std::remove_pointer_t<decltype(node)>>::value == stage)
        each(node);
    });
  }
  template <typename T, typename CopyIn>
  void In(T *, uint64_t, uint32_t, CopyIn) {}
  template <typename Func, typename Holder, typename CopyIn>
  void In(Bind<Func, Holder> *, uint64_t first, uint32_t n, CopyIn copy_in) {
    using T = Bind<Func, Holder>;
    if constexpr (Func::kWeftCopies && !Node<T>::kTakesBind) {
      static_assert(Holder::Pos >= 0 && Holder::Pos < kPlaces, "a graph has at most 10 inputs");
      auto to = Value<T>();
      copy_in(to, Holder::Pos, first, n);
    }
  }
  template <typename T>
  void Compute(T *, uint32_t) {}
  template <typename Func, typename... Args>
  void Compute(Bind<Func, Args...> *, uint32_t n) {
    if constexpr (!Func::kWeftCopies) {
      auto dst = Value<Bind<Func, Args...>>();
      auto args = std::make_tuple(Value<Args>()...);
      std::apply([&](auto &...each) { weft_vec::Call<Func>::Do(dst, n, each...); }, args);
    }
  }
  template <typename T>
  void Out(T *, uint64_t, uint32_t) {}
  template <typename Func, typename Holder, typename From>
  void Out(Bind<Func, Holder, From> *, uint64_t first, uint32_t n) {
    if constexpr (Func::kWeftCopies != 0) {
      static_assert(Holder::Pos >= 0 && Holder::Pos < kPlaces, "a graph has at most 10 outputs");
      using T = typename From::DType;
      AscendC::GlobalTensor<uint8_t> to;
      const auto bytes = static_cast<uint32_t>(n * sizeof(T));
      to.SetGlobalBuffer(reinterpret_cast<uint8_t *>(out_[Holder::Pos]) + first * sizeof(T), bytes);
      auto from = Value<From>().template ReinterpretCast<uint8_t>();
      AscendC::DataCopyPad(to, from, AscendC::DataCopyExtParams{1, bytes, 0, 0, 0});
    }
  }

  GM_ADDR in_[kPlaces] = {}, out_[kPlaces] = {};
  alignas(16) char vars_[kPlaces][16] = {};
  AscendC::TBuf<AscendC::TPosition::VECCALC> buffer_;
};

// Elements one after another.
template <typename Dag>
void RunPlain(Pieces<Dag> &pieces, uint64_t first, uint64_t end) {
  for (uint64_t at = first; at < end; at += Pieces<Dag>::kPiece) {
    const auto n = static_cast<uint32_t>(std::min<uint64_t>(end - at, Pieces<Dag>::kPiece));
    pieces.Run(at, n, [&](auto &to, int place, uint64_t from, uint32_t count) {
      using T = typename std::decay_t<decltype(to)>::PrimType;
      AscendC::GlobalTensor<uint8_t> all;
      const auto bytes = static_cast<uint32_t>(count * sizeof(T));
      all.SetGlobalBuffer(reinterpret_cast<uint8_t *>(pieces.Input(place)) + from * sizeof(T), bytes);
      auto room = to.template ReinterpretCast<uint8_t>();
      AscendC::DataCopyPad(room, all, AscendC::DataCopyExtParams{1, bytes, 0, 0, 0},
                           AscendC::DataCopyPadExtParams<uint8_t>{false, 0, 0, 0});
    });
  }
}

// Of each input how far its elements lie apart under the axes of the output.
struct Axes {
  int64_t n = 1;
  int64_t dims[8] = {};
  int64_t strides[kPlaces][8] = {};
};
template <typename Dag>
void RunBroadcast(Pieces<Dag> &pieces, const Axes &axes, uint64_t first, uint64_t end) {
  for (uint64_t at = first; at < end; at += Pieces<Dag>::kPiece) {
    const auto n = static_cast<uint32_t>(std::min<uint64_t>(end - at, Pieces<Dag>::kPiece));
    pieces.Run(at, n, [&](auto &to, int place, uint64_t from, uint32_t count) {
      using T = typename std::decay_t<decltype(to)>::PrimType;
      int64_t index[8] = {}, source = 0;
      uint64_t rest = from;
      for (int64_t i = axes.n; i-- > 0; rest /= static_cast<uint64_t>(axes.dims[i])) {
        index[i] = static_cast<int64_t>(rest % static_cast<uint64_t>(axes.dims[i]));
        source += index[i] * axes.strides[place][i];
      }
      weft_asc::Vector(WEFT_ASC_COPY).To(to).Count(count).Touch("BroadcastSch", {"BroadcastSch", 0});
      const T *elements = reinterpret_cast<const T *>(pieces.Input(place));
      for (uint32_t k = 0; k < count; k++) {
        to.Data()[k] = elements[source];
        for (int64_t i = axes.n; i-- > 0;) {
          source += axes.strides[place][i];
          if (++index[i] < axes.dims[i])
            break;
          source -= index[i] * axes.strides[place][i];
          index[i] = 0;
        }
      }
    });
  }
}
}  // namespace weft_dag

template <uint64_t schMode, typename OpDag>
class ElementwiseSch {
 public:
  template <typename Tiling>
  ElementwiseSch(const Tiling *tiling, AscendC::TPipe *pipe)
      : pipe_(pipe), all_(tiling->dim0), share_(tiling->blockFormer) {}
  template <typename T, int n>
  void SetVar(T value) {
    pieces_.template SetVar<n>(value);
  }
  template <typename... Address>
  void Init(Address... address) {
    pieces_.Addresses(*pipe_, address...);
  }
  void Process() {
    const int64_t first = AscendC::GetBlockIdx() * share_;
    const int64_t end = std::min(all_, first + share_);
    if (first < end)
      weft_dag::RunPlain(pieces_, static_cast<uint64_t>(first), static_cast<uint64_t>(end));
  }

 protected:
  AscendC::TPipe *pipe_;
  int64_t all_, share_;
  weft_dag::Pieces<OpDag> pieces_;
};

// Tiling data without the shares of blocks, and a pipe of its own.
template <uint64_t schMode, typename OpDag>
class ElementwiseSch16B : public ElementwiseSch<schMode, OpDag> {
 public:
  struct Shares {
    int64_t dim0, blockFormer;
  };
  template <typename Tiling>
  explicit ElementwiseSch16B(const Tiling *tiling)
      : ElementwiseSch16B(Shares{tiling->dim0, Share(tiling->dim0, tiling->coreNum)}) {}

 protected:
  explicit ElementwiseSch16B(const Shares &shares) : ElementwiseSch<schMode, OpDag>(&shares, &own_) {}
  static int64_t Share(int64_t all, int64_t cores) {
    const int64_t share = (all + cores - 1) / std::max<int64_t>(cores, 1);
    return (share + weft_cuts::kElementsOfABlock - 1) / weft_cuts::kElementsOfABlock *
           weft_cuts::kElementsOfABlock;
  }
  AscendC::TPipe own_;
};
template <typename Tiling, uint64_t schMode, typename OpDag>
class ElementwiseSchWithScalar : public ElementwiseSch16B<schMode, OpDag> {
 public:
  explicit ElementwiseSchWithScalar(const Tiling *tiling) : ElementwiseSch16B<schMode, OpDag>(tiling) {
    this->pieces_.Scalars(tiling->scalarData);
  }
};

template <uint64_t schMode, typename OpDag>
class BroadcastSch {
 public:
  template <typename Address>
  explicit BroadcastSch(Address tiling) : tiling_(reinterpret_cast<const char *>(tiling)) {}
  template <typename T, int n>
  void SetVar(T value) {
    pieces_.template SetVar<n>(value);
  }
  template <typename... Address>
  void Process(Address... address) {
    pieces_.Addresses(pipe_, address...);
    if constexpr (schMode == weft_cuts::kScheduleOfOneAxis)
      OneAxis(*reinterpret_cast<const BroadcastOneDimTilingDataAdvance *>(tiling_));
    else if constexpr (schMode == weft_cuts::kScheduleOfOneAxisAndScalars)
      OneAxisAndScalars(*reinterpret_cast<const BroadcastOneDimTilingData *>(tiling_));
    else
      ManyAxes(*reinterpret_cast<const BroadcastBaseTilingData<OpDag> *>(tiling_));
  }

 private:
  // A bit for each input of one element.
  void OneAxis(int64_t n, uint32_t scalars, int64_t first, int64_t end) {
    weft_dag::Axes axes;
    axes.dims[0] = n;
    for (int i = 0; i < weft_dag::kPlaces; i++)
      axes.strides[i][0] = scalars >> i & 1 ? 0 : 1;
    Range(axes, first, std::min(end, n));
  }
  void OneAxis(const BroadcastOneDimTilingDataAdvance &t) {
    const int64_t share = int64_t{2} * t.tileNum, first = AscendC::GetBlockIdx() * share;
    OneAxis(t.dimLen, static_cast<uint32_t>(t.scalarFlag), first, first + share);
  }
  void OneAxisAndScalars(const BroadcastOneDimTilingData &t) {
    pieces_.Scalars(t.scalarData);
    const int64_t pieces = (t.blockNum - 1) * t.blockFormer + t.blockTail;
    const int64_t n = (pieces - 1) * t.ubFormer + t.ubTail;
    const int64_t first = AscendC::GetBlockIdx() * t.blockFormer * t.ubFormer;
    OneAxis(n, static_cast<uint32_t>(t.scalarFlag), first, first + t.blockFormer * t.ubFormer);
  }
  // Inputs that the copy broadcasts come first.
  static const int64_t *StridesOf(const BroadcastBaseTilingData<OpDag> &t, int input) {
    if constexpr (OpDag::CopyBrcSize > 0) {
      if (input < OpDag::CopyBrcSize)
        return t.inputBrcStrides[input];
    }
    return t.inputStrides[input];
  }
  void ManyAxes(const BroadcastBaseTilingData<OpDag> &t) {
    pieces_.Scalars(t.scalarData);
    weft_dag::Axes axes;
    axes.n = t.shapeLen;
    std::copy_n(t.outputDims, 8, axes.dims);
    int k = 0;
    OpDag::Counts::EachInput([&](size_t place) {
      if (k < OpDag::InputSize && place < weft_dag::kPlaces)
        std::copy_n(StridesOf(t, k++), 8, axes.strides[place]);
      return true;
    });
    int64_t inner = 1;
    for (int64_t i = t.ubSplitAxis + 1; i < axes.n; i++)
      inner *= axes.dims[i];
    const int64_t last =
        std::min<int64_t>((AscendC::GetBlockIdx() + 1) * t.blockFormer, t.dimProductBeforeUbInner);
    for (int64_t piece = AscendC::GetBlockIdx() * t.blockFormer; piece < last; piece++) {
      const int64_t outer = piece / t.ubOuter, cut = piece % t.ubOuter;
      const int64_t first = (outer * axes.dims[t.ubSplitAxis] + cut * t.ubFormer) * inner;
      Range(axes, first, first + (cut + 1 == t.ubOuter ? t.ubTail : t.ubFormer) * inner);
    }
  }
  void Range(const weft_dag::Axes &axes, int64_t first, int64_t end) {
    if (first < end)
      weft_dag::RunBroadcast(pieces_, axes, static_cast<uint64_t>(first), static_cast<uint64_t>(end));
  }

  const char *tiling_;
  AscendC::TPipe pipe_;
  weft_dag::Pieces<OpDag> pieces_;
};
}  // namespace Base
}  // namespace Ops
// SPDX-License-Identifier: Apache-2.0
