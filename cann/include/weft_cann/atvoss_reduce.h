// weft_cann/atvoss_reduce.h - tiling of reductions. Axes of size 1 go and neighbours that are both kept (A)
// or both reduced (R) become one, so that a shape is A R A R ..., with a first A of 1 where it begins
// reduced. A piece of the innermost axes fits into a core's buffer; the pieces are dealt out, those of one
// result to a group of cores where kept axes alone do not fill the machine. The cuts are weft's.
#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "weft_cann/atvoss_elewise.h"
#include "weft_cann/tiling_key.h"

#define WEFT_CANN_REDUCED                                                     \
  ASCENDC_TPL_UINT_DECL(PatternID, 8, ASCENDC_TPL_UI_RANGE, 1, 0, 255),       \
      ASCENDC_TPL_UINT_DECL(LoopARCount, 8, ASCENDC_TPL_UI_RANGE, 1, 0, 255), \
      ASCENDC_TPL_UINT_DECL(LoopInnerARCount, 8, ASCENDC_TPL_UI_RANGE, 1, 0, 255)
#define REDUCE_TPL_KEY_DECL()                ASCENDC_TPL_BOOL_DECL(IsContiguous, 0, 1), WEFT_CANN_REDUCED
#define REDUCE_TPL_KEY_DECL_NON_CONTIGUOUS() REDUCE_TPL_KEY_DECL()
#define REDUCE_TPL_KEY_DECL_BATCH_INVARIANT() \
  ASCENDC_TPL_BOOL_DECL(IsContiguous, 0, 1), ASCENDC_TPL_BOOL_DECL(BatchInvariant, 0, 1), WEFT_CANN_REDUCED
// The arguments of a kernel's template that GEN_REDUCE_TILING_KEY makes a key of.
#define REDUCE_TPL_PARAM \
  bool IsContiguous, uint32_t PatternID, uint32_t LoopARCount, uint32_t LoopInnerARCount
#define REDUCE_TPL_VALUE IsContiguous, PatternID, LoopARCount, LoopInnerARCount
// The declared arguments by their names; what else an operator declares takes the further values, in order.
#define GEN_REDUCE_TILING_KEY(result, reduceTilingKey, ...)                              \
  (result) = ::weft_cann::TilingKey(                                                     \
      g_weft_tiling_key_fields,                                                          \
      ::Ops::Base::weft_cuts::ReduceKeyValues(g_weft_tiling_key_fields, reduceTilingKey, \
                                              ::weft_cann::TilingKeyArguments(__VA_ARGS__)))

namespace Ops {
namespace Base {
constexpr uint64_t BASIC_BLOCK = 64 * 1024UL;
constexpr uint64_t CACHE_BUF_SIZE = 16 * 1024UL;
constexpr uint64_t WORKSPACE_SIZE = 16 * 1024 * 1024;

struct CacheLineBlock {
  int32_t axis = -1;
  uint64_t cacheLineStep = 1;
  uint64_t cacheLineOuter = 1;
  uint64_t aSize = 1;
  uint64_t rSize = 1;
};
struct ReduceTilingUnit {
  int32_t idx = -1;
  uint64_t inner = 1;
  uint64_t outer = 1;
  uint64_t step = 1;
};
struct ReduceOpCompileInfo {
  uint64_t vectorCoreNum = 0;
  uint64_t ubSize = 0;
  uint64_t cacheLineSize = 0;
  uint64_t ubBlockSize = 0;
  uint64_t vRegSize = 0;
};
struct ReduceOpInputParam {
  uint32_t reservedSize = 0;  // bytes of the buffer that the operator keeps
  uint32_t reservedNode = 0;  // pieces that it keeps beside those of its graph
  bool isTailAOne = false;
  ge::DataType inputDtype = ::weft_cann::kTypeUndefined;
  ge::DataType promoteDtpye = ::weft_cann::kTypeUndefined;
  std::vector<int64_t> axes;
  std::vector<int64_t> shape;
  std::vector<int64_t> dimStrides;  // empty: one after another
};
struct ReduceTilingKey {
  uint32_t patternID = 0;  // number of the pattern * 10, + 1 when it ends reduced; 0: nothing to do
  uint32_t loopARCount = 0;
  uint32_t loopInnerARCount = 0;
  bool isContiguous = true;
  bool batchInvariant = false;
};
struct ReduceOpTilingData {
  uint64_t factorACntPerCore;
  uint64_t factorATotalCnt;
  uint64_t ubFactorA;
  uint64_t factorRCntPerCore;
  uint64_t factorRTotalCnt;
  uint64_t ubFactorR;
  uint64_t groupR;
  uint64_t outSize;
  uint64_t basicBlock;
  uint64_t resultBlock;
  int32_t coreNum;
  int32_t realCoreNum;
  int32_t useNddma;
  float meanVar;
  uint64_t shape[9] = {0};
  int64_t stride[9] = {0};
  int64_t dstStride[9] = {0};
  uint64_t sliceNum[9] = {0};
  uint64_t sliceShape[9] = {0};
  uint64_t sliceStride[9] = {0};
};
static_assert(sizeof(ReduceOpTilingData) == 528 && sizeof(ReduceOpInputParam) == 96, "layouts");

namespace ReduceOpTmpl {
constexpr int32_t CONST1 = 1, CONST2 = 2, CONST3 = 3, CONST4 = 4, CONST5 = 5, CONST6 = 6, CONST7 = 7,
                  CONST8 = 8, CONST9 = 9, CONST10 = 10;
constexpr int32_t DIM0 = 0, DIM1 = 1, DIM2 = 2, DIM3 = 3, DIM4 = 4, DIM5 = 5, DIM6 = 6, DIM7 = 7, DIM8 = 8;
constexpr int32_t MAX_DIM = 9;
constexpr int32_t PATTERN_A = 10;
// Axes that are kept (A) and reduced (R) in turn.
namespace __reducePattern {
template <int32_t n, bool firstA>
struct Axes {
  static constexpr int32_t Dim = n;
  static constexpr bool FirstA = firstA;
  static constexpr bool TailA = firstA == (n % 2 == 1);
  static constexpr int32_t ID = n == 1 ? PATTERN_A : n - 1;
};
using A = Axes<1, true>;
using AR = Axes<2, true>;
using ARA = Axes<3, true>;
using ARAR = Axes<4, true>;
using ARARA = Axes<5, true>;
using ARARAR = Axes<6, true>;
using ARARARA = Axes<7, true>;
using ARARARAR = Axes<8, true>;
using ARARARARA = Axes<9, true>;
}  // namespace __reducePattern

template <typename T, typename U>
std::string VectorToString(const T *values, U size) {
  std::ostringstream text;
  text << "[";
  for (U i = 0; i < size; i++)
    text << (i ? ", " : "") << values[i];
  return text.str() + "]";
}
template <typename T>
std::string VectorToString(const std::vector<T> &values) {
  return VectorToString(values.data(), values.size());
}
inline ge::graphStatus GetInputShape(gert::TilingContext *context, int32_t idx, std::vector<int64_t> &shape) {
  const gert::StorageShape *input = idx >= 0 ? context->GetInputShape(static_cast<size_t>(idx)) : nullptr;
  if (!input)
    return ge::GRAPH_FAILED;
  const gert::Shape &dims = EnsureNotScalar(input->GetStorageShape());
  shape.clear();
  for (size_t i = 0; i < dims.GetDimNum(); i++)
    shape.push_back(dims.GetDim(i));
  return ge::GRAPH_SUCCESS;
}
inline ge::graphStatus GetInputDtype(gert::TilingContext *context, int32_t idx, ge::DataType &dtype) {
  const gert::CompileTimeTensorDesc *input =
      idx >= 0 ? context->GetInputDesc(static_cast<size_t>(idx)) : nullptr;
  if (!input)
    return ge::GRAPH_FAILED;
  dtype = input->GetDataType();
  return ge::GRAPH_SUCCESS;
}
// The elements of a constant input of type T.
template <typename T>
ge::graphStatus GetConstInputData(gert::TilingContext *context, int32_t idx, std::vector<int64_t> &axes) {
  const gert::Tensor *input = idx >= 0 ? context->GetInputTensor(static_cast<size_t>(idx)) : nullptr;
  const T *values = input ? input->GetData<T>() : nullptr;
  const int64_t n = input ? input->GetShapeSize() : 0;
  if (!input || n < 0 || n > MAX_DIM || (!values && n))
    return ge::GRAPH_FAILED;
  axes.assign(values, values + n);
  return ge::GRAPH_SUCCESS;
}
inline ge::graphStatus GetInputParam(gert::TilingContext *context, ReduceOpInputParam &opInput,
                                     int32_t inputIdx) {
  if (GetInputShape(context, inputIdx, opInput.shape) != ge::GRAPH_SUCCESS ||
      GetInputDtype(context, inputIdx, opInput.inputDtype) != ge::GRAPH_SUCCESS) {
    OP_LOGE(context, "input %d is not there", inputIdx);
    return ge::GRAPH_FAILED;
  }
  return ge::GRAPH_SUCCESS;
}
// The axes stand in a constant input of 32 or 64 bits.
inline ge::graphStatus GetInputParam(gert::TilingContext *context, ReduceOpInputParam &opInput,
                                     int32_t inputIdx, int32_t axesIdx, int32_t /* outIdx */) {
  if (GetInputParam(context, opInput, inputIdx) != ge::GRAPH_SUCCESS)
    return ge::GRAPH_FAILED;
  ge::DataType type = ::weft_cann::kTypeUndefined;
  ge::graphStatus status = GetInputDtype(context, axesIdx, type);
  if (status == ge::GRAPH_SUCCESS && type == ::weft_cann::kTypeInt32)
    status = GetConstInputData<int32_t>(context, axesIdx, opInput.axes);
  else if (status == ge::GRAPH_SUCCESS && type == ::weft_cann::kTypeInt64)
    status = GetConstInputData<int64_t>(context, axesIdx, opInput.axes);
  else
    status = ge::GRAPH_FAILED;
  if (status != ge::GRAPH_SUCCESS)
    OP_LOGE(context, "input %d holds no axes: a constant of at most %d int32 or int64 is needed", axesIdx,
            MAX_DIM);
  return status;
}
// weft's tensors lie one after another: no strides.
inline ge::graphStatus GetInputStride(const gert::TilingContext *, int32_t,
                                      std::vector<int64_t> &dimStrides) {
  dimStrides.clear();
  return ge::GRAPH_SUCCESS;
}
inline ge::graphStatus GetInputParam(gert::TilingContext *context, ReduceOpInputParam &opInput,
                                     int32_t inputIdx, int32_t axesIdx, int32_t outIdx,
                                     ReduceTilingKey &key) {
  key.isContiguous = true;
  return GetInputParam(context, opInput, inputIdx, axesIdx, outIdx);
}
}  // namespace ReduceOpTmpl
using ReduceOpTmpl::VectorToString;

namespace weft_cuts {
template <typename Fields>
std::vector<uint64_t> ReduceKeyValues(const Fields &fields, const ReduceTilingKey &key,
                                      const std::vector<uint64_t> &further) {
  std::vector<uint64_t> values;
  size_t next = 0;
  for (const auto &field : fields) {
    const std::string name = field.name;
    if (name == "IsContiguous")
      values.push_back(key.isContiguous);
    else if (name == "BatchInvariant")
      values.push_back(key.batchInvariant);
    else if (name == "PatternID")
      values.push_back(key.patternID);
    else if (name == "LoopARCount")
      values.push_back(key.loopARCount);
    else if (name == "LoopInnerARCount")
      values.push_back(key.loopInnerARCount);
    else
      values.push_back(next < further.size() ? further[next++] : 0);
  }
  return values;
}

// A shape as A R A R ..., outermost first: even places are kept, odd ones reduced.
class ReduceAxes {
 public:
  // An empty string, or what is wrong.
  std::string Take(const ReduceOpInputParam &input) {
    const int64_t rank = static_cast<int64_t>(input.shape.size());
    std::vector<bool> reduced(input.shape.size(), false);
    for (int64_t axis : input.axes) {
      if (axis < -rank || axis >= rank)
        return "axis " + std::to_string(axis) + " of a shape of " + std::to_string(rank) + " dims";
      reduced[static_cast<size_t>(axis < 0 ? axis + rank : axis)] = true;
    }
    if (!input.dimStrides.empty() && input.dimStrides.size() != input.shape.size())
      return std::to_string(input.dimStrides.size()) + " strides of " + std::to_string(rank) + " dims";
    dims_ = {1};
    strides_ = {1};
    int64_t whole = 1;
    for (int64_t dim : input.shape) {
      if (dim < 0 || (dim > 0 && whole > INT64_MAX / dim))
        return "a dim of " + std::to_string(dim) + ", or too many elements";
      whole *= dim;
    }
    empty_ = whole == 0;
    for (size_t i = 0; i < input.shape.size(); i++) {
      whole = input.shape[i] && whole ? whole / input.shape[i] : 0;
      if (input.shape[i] != 1)
        Put(input.shape[i], reduced[i], input.dimStrides.empty() ? whole : input.dimStrides[i]);
    }
    if (dims_.size() > 1 && dims_.size() > 4)
      Pad();
    return dims_.size() <= 9 ? "" : std::to_string(dims_.size()) + " alternating axes, 9 are possible";
  }
  bool Empty() const { return empty_; }
  size_t Size() const { return dims_.size(); }
  int64_t Dim(size_t i) const { return dims_[i]; }
  int64_t Stride(size_t i) const { return strides_[i]; }
  int64_t Product(size_t first) const {
    int64_t product = 1;
    for (size_t i = first; i < dims_.size(); i += 2)
      product *= dims_[i];
    return product;
  }
  // Kept axes alone have a number of their own.
  uint32_t Pattern() const {
    const uint32_t number =
        dims_.size() == 1 ? ReduceOpTmpl::PATTERN_A : static_cast<uint32_t>(dims_.size()) - 1;
    return number * 10 + (dims_.size() % 2 ? 0 : 1);
  }

 private:
  void Put(int64_t dim, bool reduced, int64_t stride) {
    const bool last = dims_.size() % 2 == 0;
    if (last == reduced && (strides_.back() == stride * dim || dims_.back() == 1)) {
      dims_.back() *= dim;
      strides_.back() = stride;
      return;
    }
    if (last == reduced) {
      dims_.push_back(1);
      strides_.push_back(stride * dim);
    }
    dims_.push_back(dim);
    strides_.push_back(stride);
  }
  // Kernels exist for two to four axes and for eight and nine: axes of 1 come before the others.
  void Pad() {
    while (dims_.size() < 8) {
      dims_.insert(dims_.begin(), 2, 1);
      strides_.insert(strides_.begin(), 2, strides_.front());
    }
  }
  std::vector<int64_t> dims_;
  std::vector<int64_t> strides_;
  bool empty_ = false;
};

// The piece that a core reduces at once: whole axes from the inside, then a part of one kept and one reduced
// axis.
struct ReduceCut {
  int64_t kept_axis = 0, kept_part = 1;
  int64_t reduced_axis = -1, reduced_part = 1;  // -1: no reduced axis is cut
};
inline ReduceCut CutReduce(const ReduceAxes &axes, int64_t fit) {
  ReduceCut cut;
  int64_t at = static_cast<int64_t>(axes.Size()) - 1;
  int64_t inner = 1;
  while (at > 0 && axes.Dim(static_cast<size_t>(at)) <= fit / inner) {
    inner *= axes.Dim(static_cast<size_t>(at));
    at--;
  }
  const int64_t part = std::max<int64_t>(1, std::min(axes.Dim(static_cast<size_t>(at)), fit / inner));
  if (at % 2 == 0) {
    cut.kept_axis = at;
    cut.kept_part = part;
    cut.reduced_axis = at - 1;
  } else {
    cut.reduced_axis = at;
    cut.reduced_part = part;
    cut.kept_axis = at - 1;
  }
  return cut;
}
// How many pieces the axes from the cut one outwards, of its kind, are.
inline int64_t PiecesOf(const ReduceAxes &axes, int64_t axis, int64_t part) {
  int64_t pieces = 1;
  if (axis >= 0)
    pieces = CeilDiv(axes.Dim(static_cast<size_t>(axis)), part);
  for (int64_t i = axis - 2; i >= 0; i -= 2)
    pieces *= axes.Dim(static_cast<size_t>(i));
  return pieces;
}

class ReduceTiling {
 public:
  ReduceTiling(gert::TilingContext *context, const ReduceOpInputParam &input)
      : context_(context), input_(input) {}

  // Without OpDag an element counts as one input and one piece of the type it is added up in.
  template <typename OpDag>
  int64_t BitsOfElement() const {
    int64_t bits = 0;
    int64_t largest = 32;
    if constexpr (!std::is_void<OpDag>::value) {
      bits = OpDag::kBitsOfElement;
      largest = OpDag::kMaxBits;
    } else {
      bits = 2 * (BitsOf(input_.inputDtype) + BitsOf(input_.promoteDtpye));
    }
    return bits + static_cast<int64_t>(std::min<uint32_t>(input_.reservedNode, 64)) * largest;
  }
  ge::graphStatus Do(int64_t bits, const ReduceOpCompileInfo *info, ReduceTilingKey &key,
                     ReduceOpTilingData &to) {
    const std::string wrong = axes_.Take(input_);
    if (!wrong.empty()) {
      OP_LOGE(context_, "no tiling of a reduction over %s", wrong.c_str());
      return ge::GRAPH_FAILED;
    }
    Machine machine = MachineOfReduce(info);
    const int64_t room =
        machine.bytes - static_cast<int64_t>(input_.reservedSize) - 2 * static_cast<int64_t>(CACHE_BUF_SIZE);
    const int64_t smallest = std::max<int64_t>(BitsOf(input_.inputDtype), 8);
    const int64_t fit = ElementsThatFit(room, 0, bits, smallest);
    if (machine.cores <= 0 || fit <= 0) {
      OP_LOGE(context_, "no tiling of a reduction for %ld cores of %ld bytes",
              static_cast<long>(machine.cores), static_cast<long>(machine.bytes));
      return ge::GRAPH_FAILED;
    }
    to = {};
    to.coreNum = static_cast<int32_t>(machine.cores);
    to.basicBlock = static_cast<uint64_t>(fit * smallest / BITS_NUM);
    to.resultBlock = CACHE_BUF_SIZE;
    Axes(to);
    return axes_.Empty() ? Nothing(key, to) : Deal(fit, machine.cores, key, to);
  }

 private:
  static int64_t BitsOf(ge::DataType type) {
    const int bytes = ge::GetSizeByDataType(type);
    return bytes > 0 && bytes <= 16 ? bytes * BITS_NUM : 32;
  }
  Machine MachineOfReduce(const ReduceOpCompileInfo *info) const {
    if (info && info->vectorCoreNum && info->ubSize)
      return {static_cast<int64_t>(std::min<uint64_t>(info->vectorCoreNum, 4096)),
              static_cast<int64_t>(std::min<uint64_t>(info->ubSize, 1u << 30))};
    Machine machine;
    if (fe::PlatFormInfos *infos = context_->GetPlatformInfo()) {
      platform_ascendc::PlatformAscendC platform(infos);
      uint64_t bytes = 0;
      platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, bytes);
      machine = {platform.GetCoreNumAiv(), static_cast<int64_t>(bytes)};
    }
    return machine;
  }
  void Axes(ReduceOpTilingData &to) const {
    int64_t step = 1;
    int64_t kept = 1;
    for (size_t i = axes_.Size(); i-- > 0;) {
      to.shape[i] = to.sliceShape[i] = static_cast<uint64_t>(axes_.Dim(i));
      to.stride[i] = axes_.Stride(i);
      to.sliceStride[i] = static_cast<uint64_t>(step);
      to.sliceNum[i] = 1;
      to.dstStride[i] = i % 2 ? 1 : kept;
      step *= axes_.Dim(i);
      kept *= i % 2 ? 1 : axes_.Dim(i);
    }
    to.outSize = static_cast<uint64_t>(kept);
    const int64_t reduced = axes_.Product(1);
    to.meanVar = reduced > 0 ? 1.0f / static_cast<float>(reduced) : 0.0f;
  }
  // Results of no elements are written by one core each.
  ge::graphStatus Nothing(ReduceTilingKey &key, ReduceOpTilingData &to) {
    key.patternID = key.loopARCount = key.loopInnerARCount = 0;
    const uint64_t cores = static_cast<uint64_t>(to.coreNum);
    to.groupR = 1;
    to.factorATotalCnt = to.outSize;
    to.factorACntPerCore = std::max<uint64_t>(1, CeilDiv(to.outSize, cores));
    to.realCoreNum = static_cast<int32_t>(std::max<uint64_t>(1, CeilDiv(to.outSize, to.factorACntPerCore)));
    return Finish(to, 0);
  }
  ge::graphStatus Deal(int64_t fit, int64_t cores, ReduceTilingKey &key, ReduceOpTilingData &to) {
    ReduceCut cut = CutReduce(axes_, fit);
    int64_t kept = PiecesOf(axes_, cut.kept_axis, cut.kept_part);
    // Smaller pieces where there are too few, as long as a vector is in them.
    while (kept < cores && cut.kept_part >= 2 * kVectorBytes) {
      cut.kept_part /= 2;
      kept = PiecesOf(axes_, cut.kept_axis, cut.kept_part);
    }
    const int64_t reduced = PiecesOf(axes_, cut.reduced_axis, cut.reduced_part);
    int64_t group = 1;
    if (kept <= cores / 2 && reduced > 1 && !key.batchInvariant)
      group = std::min(cores / kept, reduced);
    const int64_t kept_of_core = CeilDiv(kept, cores);
    const int64_t reduced_of_core = CeilDiv(reduced, group);
    group = CeilDiv(reduced, reduced_of_core);
    to.ubFactorA = static_cast<uint64_t>(cut.kept_part);
    to.ubFactorR = static_cast<uint64_t>(cut.reduced_part);
    to.factorATotalCnt = static_cast<uint64_t>(kept);
    to.factorACntPerCore = static_cast<uint64_t>(kept_of_core);
    to.factorRTotalCnt = static_cast<uint64_t>(reduced);
    to.factorRCntPerCore = static_cast<uint64_t>(reduced_of_core);
    to.groupR = static_cast<uint64_t>(group);
    to.realCoreNum = static_cast<int32_t>(CeilDiv(kept, kept_of_core) * group);
    Key(cut, group, reduced, key);
    return Finish(to, group > 1 ? to.groupR * Rounded(to.outSize * sizeof(float)) : 0);
  }
  static uint64_t Rounded(uint64_t bytes) { return (bytes + 31) / 32 * 32; }
  // How many axes a core's loops run over; in a group the reduced ones are among them.
  void Key(const ReduceCut &cut, int64_t group, int64_t reduced, ReduceTilingKey &key) const {
    const uint32_t kept_axes = static_cast<uint32_t>(cut.kept_axis / 2 + 1);
    const uint32_t reduced_axes = cut.reduced_axis < 0 ? 0 : static_cast<uint32_t>(cut.reduced_axis / 2 + 1);
    key.patternID = axes_.Pattern();
    key.loopARCount = kept_axes * 10 + (group > 1 ? kept_axes + reduced_axes : 0);
    key.loopInnerARCount = group > 1 || reduced <= 1 ? 0 : reduced_axes;
  }
  ge::graphStatus Finish(const ReduceOpTilingData &to, uint64_t bytes) {
    size_t *workspace = context_->GetWorkspaceSizes(1);
    if (workspace)
      workspace[0] = WORKSPACE_SIZE + bytes;
    context_->SetScheduleMode(to.groupR > 1 ? 1 : 0);  // a group's cores wait for each other
    return context_->SetBlockDim(static_cast<uint32_t>(to.realCoreNum));
  }
  gert::TilingContext *context_;
  const ReduceOpInputParam &input_;
  ReduceAxes axes_;
};
}  // namespace weft_cuts

// Fills `tilingData` and the key, and sets the context's blocks and workspace.
template <typename OpDag = void>
ge::graphStatus Tiling4ReduceOp(gert::TilingContext *context, ReduceOpInputParam &opInput,
                                ReduceTilingKey &key, const ReduceOpCompileInfo *compileInfo,
                                ReduceOpTilingData *tilingData) {
  if (!context || !tilingData)
    return ge::GRAPH_FAILED;
  weft_cuts::ReduceTiling tiling(context, opInput);
  return tiling.Do(tiling.template BitsOfElement<OpDag>(), compileInfo, key, *tilingData);
}
// Into the context's own tiling data.
template <typename OpDag = void>
ge::graphStatus Tiling4ReduceOp(gert::TilingContext *context, ReduceOpInputParam &opInput,
                                ReduceTilingKey &key, const ReduceOpCompileInfo *compileInfo) {
  ReduceOpTilingData *to = context ? context->template GetTilingData<ReduceOpTilingData>() : nullptr;
  if (!to) {
    OP_LOGE(context, "the tiling data hold less than the %zu bytes of a reduction",
            sizeof(ReduceOpTilingData));
    return ge::GRAPH_FAILED;
  }
  return Tiling4ReduceOp<OpDag>(context, opInput, key, compileInfo, to);
}
template <typename OpDag = void>
ge::graphStatus Tiling4ReduceOp(gert::TilingContext *context, ReduceOpInputParam &opInput,
                                ReduceTilingKey &key, ReduceOpTilingData *tilingData) {
  return Tiling4ReduceOp<OpDag>(context, opInput, key, nullptr, tilingData);
}
template <typename OpDag = void>
ge::graphStatus Tiling4ReduceOp(gert::TilingContext *context, ReduceOpInputParam &opInput,
                                ReduceTilingKey &key) {
  return Tiling4ReduceOp<OpDag>(context, opInput, key, static_cast<const ReduceOpCompileInfo *>(nullptr));
}
}  // namespace Base
}  // namespace Ops
// SPDX-License-Identifier: Apache-2.0
