// weft_cann/atvoss_broadcast.h - tiling of broadcasting operators: neighbouring axes that every input treats
// alike become one, one axis is cut so that a piece fits into a core's buffer, and the pieces are dealt out.
#pragma once
#include "weft_cann/atvoss_elewise.h"
#include "weft_cann/tiling_key.h"

// The schedule's number among a kernel's template arguments; 999 is the operator's own.
#define BRC_TEMP_SCH_MODE_KEY_DECL(x)       ASCENDC_TPL_UINT_DECL(x, 16, ASCENDC_TPL_UI_MIX, 1, 0, 13, 999)
#define BRC_TEMP_SCH_MODE_KEY_SEL(x)        ASCENDC_TPL_UINT_SEL(x, ASCENDC_TPL_UI_RANGE, 1, 0, 13)
#define BRC_TEMP_SCH_CUSTOM_MODE_KEY_SEL(x) ASCENDC_TPL_UINT_SEL(x, ASCENDC_TPL_UI_LIST, 999)

namespace Ops {
namespace Base {
enum class BROADCAST_BITS_SIZE {
  BITS1_SIZE = 1,
  BITS8_SIZE = 8,
  BITS16_SIZE = 16,
  BITS32_SIZE = 32,
  BITS64_SIZE = 64
};
enum class BROADCAST_KERNEL_TYPE : uint32_t {
  KERNEL_TYPE_BOTH = 0,
  KERNEL_TYPE_NDDMA = 1,
  KERNEL_TYPE_UB_BROADCAST = 2
};
constexpr uint32_t BLOCK_LENGTH = 32;
constexpr uint64_t BROADCAST_OP_KEY_OFFSET = 100000000000000;
constexpr int64_t CACHE_LINE = 128;
constexpr uint64_t DIM_TWO = 2;
constexpr uint64_t DIM_THREE = 3;
constexpr int64_t PER_CORE_MIN_UB_BYTE = 8 * 1024;
constexpr int64_t VALUE_TWO = 2;
constexpr int64_t BROADCAST_MAX_DIMS = 8;
static const gert::Shape VAR_UNUSED g_vec_1_shape = {1};

struct BroadcastCompileInfo {
  bool isAscendC;
  uint64_t coreNum = 0;
  uint64_t ubSize = 0;
};
struct BroadcastComputeParams {
  int64_t maxDtypeBits;
  int64_t minDtypeBits;
  std::vector<int64_t> extraSize;
  std::vector<int64_t> bufferDivisor;
};
struct BroadcastTilingParams {
  int64_t coreNum;
  std::vector<gert::Shape> inShape;
  std::vector<gert::Stride> inStride;
  gert::Shape outShape;
  int64_t ubSize;
  bool preferMultiCore = false;
  bool inputAllContiguous = true;
  std::map<uint64_t, BroadcastComputeParams> computeMap;
};
struct BroadcastTilingData {
  std::vector<std::vector<int64_t>> dims;  // of each input, and last of the output
  std::vector<std::vector<int64_t>> strides;
  std::vector<int64_t> outputDims;
  std::vector<int64_t> outputStrides;
  uint64_t innerKey;
  int64_t shapeLen;
  int64_t ubSplitAxis;
  int64_t ubFormer;
  int64_t blockFormer;
  int64_t ubOuter;
  int64_t ubTail;
  int64_t ubFormerLastAxis;
  int64_t ubOuterLastAxis;
  int64_t ubTailLastAxis;
  int64_t minDtypeBlockAlignSize;
  int64_t blockNum;
  int64_t blockTail;
  int64_t dimProductBeforeUbInner;
  int64_t elemNum;
};
// What the kernels of all schedules begin with reading.
template <typename BrcDag>
struct BroadcastBaseTilingData {
  int32_t scheMode;
  int32_t shapeLen;
  int32_t ubSplitAxis;
  int32_t ubFormer;
  int32_t ubTail;
  int64_t ubOuter;
  int64_t blockFormer;
  int64_t blockTail;
  int64_t dimProductBeforeUbInner;
  int64_t elemNum;
  int64_t blockNum;
  int64_t outputDims[8];
  int64_t outputStrides[8];
  int64_t inputDims[BrcDag::InputSize][2];
  int64_t inputBrcDims[BrcDag::CopyBrcSize][8];
  int64_t inputVecBrcDims[BrcDag::VecBrcSize][8];
  int64_t inputStrides[BrcDag::InputSize][8];
  int64_t inputBrcStrides[BrcDag::CopyBrcSize][8];
  int64_t inputVecBrcStrides[BrcDag::VecBrcSize];
  char scalarData[16];
};
struct BroadcastOneDimTilingData {
  int32_t scalarFlag;
  int32_t ubSplitAxis;
  int32_t ubFormer;
  int32_t ubTail;
  int32_t blockNum;
  int64_t blockFormer;
  int64_t blockTail;
  char scalarData[16];
};
struct BroadcastOneDimTilingDataAdvance {
  int64_t dimLen;
  int32_t tileNum;
  int16_t blockNum;
  int16_t scalarFlag;
};

namespace weft_cuts {
constexpr uint64_t kScheduleOfCopies = 0;
constexpr uint64_t kScheduleOfVectors = 3;
constexpr int64_t kAxesOfACopy = 5;
constexpr int kManyInputs = 4;
// The dim of an input under an axis of the output; -1: it does not broadcast to it.
inline int64_t DimUnder(const gert::Shape &in, const gert::Shape &out, size_t axis) {
  const size_t ahead = out.GetDimNum() - in.GetDimNum();
  const int64_t dim = axis < ahead ? 1 : in.GetDim(axis - ahead);
  return dim == 1 || dim == out.GetDim(axis) ? dim : -1;
}
inline std::vector<int64_t> StridesOf(const std::vector<int64_t> &dims) {
  std::vector<int64_t> strides(dims.size(), 0);
  int64_t step = 1;
  for (size_t i = dims.size(); i-- > 0;) {
    strides[i] = dims[i] == 1 ? 0 : step;
    step *= dims[i];
  }
  return strides;
}
// Appends an axis to all lists, or multiplies it into the last one, which is of the same kind.
inline void PutAxis(const std::vector<int64_t> &axis, bool joins, std::vector<std::vector<int64_t>> &dims) {
  for (size_t i = 0; i < axis.size(); i++) {
    if (joins)
      dims[i].back() *= axis[i];
    else
      dims[i].push_back(axis[i]);
  }
}
}  // namespace weft_cuts

// Of each input, and last of the output: the dims of the joined axes, and the strides, 0 where it repeats.
inline ge::graphStatus DimensionCollapse(const std::vector<gert::Shape> &inputs, const gert::Shape &output,
                                         std::vector<std::vector<int64_t>> &dims,
                                         std::vector<std::vector<int64_t>> &strides) {
  const gert::Shape &out = EnsureNotScalar(output);
  dims.assign(inputs.size() + 1, {});
  strides.clear();
  std::vector<bool> before;
  for (size_t axis = 0; axis < out.GetDimNum(); axis++) {
    std::vector<int64_t> at;
    std::vector<bool> repeats;
    for (const gert::Shape &in : inputs) {
      if (in.GetDimNum() > out.GetDimNum() || weft_cuts::DimUnder(in, out, axis) < 0)
        return ge::GRAPH_FAILED;
      at.push_back(weft_cuts::DimUnder(in, out, axis));
      repeats.push_back(at.back() != out.GetDim(axis));
    }
    at.push_back(out.GetDim(axis));
    if (out.GetDim(axis) == 1 && out.GetDimNum() > 1)
      continue;
    weft_cuts::PutAxis(at, !dims[0].empty() && repeats == before, dims);
    before = repeats;
  }
  if (dims[0].empty())
    weft_cuts::PutAxis(std::vector<int64_t>(dims.size(), 1), false, dims);
  for (const auto &list : dims)
    strides.push_back(weft_cuts::StridesOf(list));
  return ge::GRAPH_SUCCESS;
}

namespace weft_cuts {
inline void Cut(const std::vector<int64_t> &dims, int64_t fit, BroadcastTilingData &data) {
  size_t axis = dims.size() - 1;
  int64_t inner = 1;
  while (axis > 0 && dims[axis] <= fit / inner) {
    inner *= dims[axis];
    axis--;
  }
  data.ubSplitAxis = static_cast<int64_t>(axis);
  data.ubFormer = fit / inner;
  data.ubOuter = CeilDiv(dims[axis], data.ubFormer);
  data.ubTail = dims[axis] - (data.ubOuter - 1) * data.ubFormer;
  data.dimProductBeforeUbInner = data.ubOuter;
  for (size_t i = 0; i < axis; i++)
    data.dimProductBeforeUbInner *= dims[i];
}
// A copy takes so many axes of a piece at once; beyond them a kernel loops.
inline bool AreCopiedAtOnce(const BroadcastTilingData &data) {
  return data.shapeLen - data.ubSplitAxis <= kAxesOfACopy;
}
inline void DealPieces(int64_t cores, BroadcastTilingData &data) {
  data.blockFormer = CeilDiv(data.dimProductBeforeUbInner, cores);
  data.blockNum = CeilDiv(data.dimProductBeforeUbInner, data.blockFormer);
  data.blockTail = data.dimProductBeforeUbInner - (data.blockNum - 1) * data.blockFormer;
}
}  // namespace weft_cuts

inline ge::graphStatus BroadcastTiling(const BroadcastTilingParams &params, BroadcastTilingData &data) {
  data = {};
  if (params.computeMap.empty() || params.coreNum <= 0 || params.outShape.GetShapeSize() <= 0)
    return ge::GRAPH_FAILED;
  const auto &entry = *params.computeMap.begin();
  const BroadcastComputeParams &needs = entry.second;
  data.elemNum = weft_cuts::ElementsThatFit(params.ubSize, weft_cuts::FirstOf(needs.extraSize),
                                            weft_cuts::FirstOf(needs.bufferDivisor), needs.minDtypeBits);
  if (data.elemNum <= 0 ||
      DimensionCollapse(params.inShape, params.outShape, data.dims, data.strides) != ge::GRAPH_SUCCESS)
    return ge::GRAPH_FAILED;
  data.outputDims = data.dims.back();
  data.outputStrides = data.strides.back();
  data.shapeLen = static_cast<int64_t>(data.outputDims.size());
  const int64_t bits = std::max(needs.maxDtypeBits, static_cast<int64_t>(1));
  const int64_t worth = PER_CORE_MIN_UB_BYTE * BITS_NUM / bits;
  int64_t fit = data.elemNum;
  weft_cuts::Cut(data.outputDims, fit, data);
  while (params.preferMultiCore && data.dimProductBeforeUbInner < params.coreNum && fit / 2 >= worth) {
    fit /= 2;
    weft_cuts::Cut(data.outputDims, fit, data);
  }
  weft_cuts::DealPieces(params.coreNum, data);
  const uint64_t schedule = weft_cuts::AreCopiedAtOnce(data) ? 0 : 1;
  data.innerKey = weft_cuts::InnerKey(entry.first, schedule);
  return ge::GRAPH_SUCCESS;
}

template <typename OpDag>
class BroadcastBaseTiling {
 public:
  explicit BroadcastBaseTiling(gert::TilingContext *context,
                               uint32_t = static_cast<uint32_t>(BROADCAST_KERNEL_TYPE::KERNEL_TYPE_BOTH))
      : context_(context) {}

  // Writes the context's tiling data and its number of blocks.
  ge::graphStatus DoTiling(int64_t extraSize = 0, int64_t extraBufferNum = 0, bool preferMultiCore = false) {
    BroadcastTilingParams params;
    if (Params(extraSize, extraBufferNum, params) != ge::GRAPH_SUCCESS)
      return ge::GRAPH_FAILED;
    params.preferMultiCore = preferMultiCore;
    ge::graphStatus status = BroadcastTiling(params, data_);
    if (status == ge::GRAPH_SUCCESS &&
        RepeatsLong()) {  // vectors that repeat elements are written twice over
      params.computeMap.begin()->second.bufferDivisor[0] += 2 * OpDag::kMaxBits;
      status = BroadcastTiling(params, data_);
    }
    if (status != ge::GRAPH_SUCCESS) {
      OP_LOGE(context_,
              "no tiling of output %s for %ld cores of %ld bytes: an input does not broadcast to it, "
              "or nothing fits",
              ToString(params.outShape).c_str(), static_cast<long>(params.coreNum),
              static_cast<long>(params.ubSize));
      return ge::GRAPH_FAILED;
    }
    if (data_.shapeLen > 1)
      return Write();
    return IsPlain() ? WriteOneAxis(params) : WriteOneAxisWithScalars(params);
  }
  // Which of the kernels it is: one for one axis, one for that with scalars of the tiling or many inputs; of
  // the others one where an element is repeated over whole vectors, one where a copy takes the axes of a
  // piece at once, one that loops over them.
  uint64_t GetSchMode() {
    if (data_.shapeLen == 1)
      return IsPlain() ? weft_cuts::kScheduleOfOneAxis : weft_cuts::kScheduleOfOneAxisAndScalars;
    if (RepeatsLong())
      return weft_cuts::kScheduleOfVectors;
    const bool at_once = weft_cuts::AreCopiedAtOnce(data_);
    return at_once ? weft_cuts::kScheduleOfCopies : weft_cuts::kScheduleOfElements;
  }
  // Before the tiling or behind it.
  template <typename T>
  void SetScalar(T value) {
    scalars_.Add(value);
  }
  // In place of the shapes of the context's inputs.
  ge::graphStatus SetOpInputStorageShapes(const std::vector<gert::Shape> &shapes) {
    if (shapes.size() != static_cast<size_t>(OpDag::InputSize))
      return ge::GRAPH_FAILED;
    shapes_ = shapes;
    return ge::GRAPH_SUCCESS;
  }

 private:
  ge::graphStatus Params(int64_t extra_bytes, int64_t extra_buffers, BroadcastTilingParams &params) {
    const gert::StorageShape *output = context_ ? context_->GetOutputShape(0) : nullptr;
    if (!output || extra_bytes < 0 || extra_buffers < 0 || extra_buffers > 64) {
      OP_LOGE(context_, "there is no output 0, or the extra buffers are not 0 to 64");
      return ge::GRAPH_FAILED;
    }
    const auto machine = weft_cuts::MachineOf<BroadcastCompileInfo>(context_);
    params.coreNum = machine.cores;
    params.ubSize = machine.bytes;
    params.outShape = output->GetStorageShape();
    params.inShape = shapes_;
    const bool found = !shapes_.empty() || OpDag::Counts::EachInput([&](size_t place) {
      const gert::StorageShape *input = context_->GetInputShape(place);
      if (!input) {
        OP_LOGE(context_, "input %zu of the kernel's graph is not there", place);
        return false;
      }
      params.inShape.push_back(input->GetStorageShape());
      return true;
    });
    const int64_t bits = OpDag::kBitsOfElement + extra_buffers * OpDag::kMaxBits;
    params.computeMap[weft_cuts::kScheduleOfElements] = {
        OpDag::kMaxBits, OpDag::kMinBits, {extra_bytes}, {bits}};
    return found ? ge::GRAPH_SUCCESS : ge::GRAPH_FAILED;
  }
  // Is the innermost of several axes one over which an input repeats, and longer than a vector?
  bool RepeatsLong() const {
    if (data_.shapeLen < 2)
      return false;
    const int64_t inner = data_.outputDims.back();
    const bool repeats =
        std::any_of(data_.dims.begin(), data_.dims.end() - 1,
                    [inner](const std::vector<int64_t> &dims) { return dims.back() != inner; });
    return repeats && inner * OpDag::kMinBits >= weft_cuts::kVectorBytes * BITS_NUM;
  }
  bool IsPlain() const { return scalars_.Empty() && OpDag::InputSize < weft_cuts::kManyInputs; }
  // A bit for each input of one element, those among them that the kernel's graph takes as scalars.
  uint32_t ScalarInputs() const {
    uint32_t bits = static_cast<uint32_t>(OpDag::Counts::ScalarPlaces());
    for (size_t i = 0; i + 1 < data_.dims.size() && i < 15; i++)
      bits |= data_.dims[i][0] != data_.outputDims[0] ? 1u << i : 0;
    return bits;
  }
  // A block takes two pieces at least, so that copying and computing overlap.
  ge::graphStatus WriteOneAxis(const BroadcastTilingParams &params) {
    auto *to = context_->template GetTilingData<BroadcastOneDimTilingDataAdvance>();
    if (!to)
      return ge::GRAPH_FAILED;
    const int64_t n = data_.outputDims[0];
    const int64_t least =
        weft_cuts::kElementsOfABlock * BITS_NUM / std::max<int64_t>(OpDag::kMinBits, BITS_NUM);
    const int64_t of_core = FloorAlign(n / std::max<int64_t>(params.coreNum, 1), int64_t{128});
    int64_t piece = std::min(std::max(least, of_core), data_.elemNum);
    while (CeilDiv(n, 2 * piece) > INT16_MAX && piece < INT32_MAX / 4)
      piece *= 2;
    to->dimLen = n;
    to->tileNum = static_cast<int32_t>(piece);
    to->blockNum = static_cast<int16_t>(CeilDiv(n, 2 * piece));
    to->scalarFlag = static_cast<int16_t>(ScalarInputs());
    data_.blockNum = to->blockNum;
    return context_->SetBlockDim(static_cast<uint32_t>(to->blockNum));
  }
  // A piece has the elements whose buffers take what makes a core worth while, and a core its share at least.
  ge::graphStatus WriteOneAxisWithScalars(const BroadcastTilingParams &params) {
    auto *to = context_->template GetTilingData<BroadcastOneDimTilingData>();
    if (!to)
      return ge::GRAPH_FAILED;
    *to = {};
    const int64_t bits = std::max<int64_t>(params.computeMap.begin()->second.bufferDivisor[0], 1);
    const int64_t worth = PER_CORE_MIN_UB_BYTE * BITS_NUM / bits;
    const int64_t of_core = CeilDiv(data_.outputDims[0], std::max<int64_t>(params.coreNum, 1));
    const int64_t least = static_cast<int64_t>(BLOCK_LENGTH);
    const int64_t piece = FloorAlign(std::max(worth, of_core), least);
    weft_cuts::Cut(data_.outputDims, std::min(std::max(piece, least), data_.elemNum), data_);
    weft_cuts::DealPieces(params.coreNum, data_);
    to->scalarFlag = static_cast<int32_t>(ScalarInputs());
    to->ubSplitAxis = static_cast<int32_t>(data_.ubSplitAxis);
    to->ubFormer = static_cast<int32_t>(data_.ubFormer);
    to->ubTail = static_cast<int32_t>(data_.ubTail);
    to->blockNum = static_cast<int32_t>(data_.blockNum);
    to->blockFormer = data_.blockFormer;
    to->blockTail = data_.blockTail;
    if (!scalars_.CopyTo(to->scalarData, sizeof to->scalarData))
      return ge::GRAPH_FAILED;
    return context_->SetBlockDim(static_cast<uint32_t>(data_.blockNum));
  }
  static void Copy(const std::vector<int64_t> &from, int64_t (&to)[8]) {
    std::copy_n(from.begin(), std::min<size_t>(from.size(), 8), to);
  }
  ge::graphStatus Write() {
    auto *to = context_->template GetTilingData<BroadcastBaseTilingData<OpDag>>();
    if (!to || data_.shapeLen > BROADCAST_MAX_DIMS) {
      OP_LOGE(context_, "%ld axes are more than %ld, or %zu bytes more than the tiling data hold",
              static_cast<long>(data_.shapeLen), static_cast<long>(BROADCAST_MAX_DIMS), sizeof *to);
      return ge::GRAPH_FAILED;
    }
    *to = {};
    to->shapeLen = static_cast<int32_t>(data_.shapeLen);
    to->ubSplitAxis = static_cast<int32_t>(data_.ubSplitAxis);
    to->ubFormer = static_cast<int32_t>(data_.ubFormer);
    to->ubTail = static_cast<int32_t>(data_.ubTail);
    to->ubOuter = data_.ubOuter;
    to->blockFormer = data_.blockFormer;
    to->blockTail = data_.blockTail;
    to->dimProductBeforeUbInner = data_.dimProductBeforeUbInner;
    to->elemNum = data_.elemNum;
    to->blockNum = data_.blockNum;
    Copy(data_.outputDims, to->outputDims);
    Copy(data_.outputStrides, to->outputStrides);
    for (size_t i = 0; i + 1 < data_.dims.size() && i < static_cast<size_t>(OpDag::InputSize); i++)
      Input(i, *to);
    if (!scalars_.CopyTo(to->scalarData, sizeof to->scalarData))
      return ge::GRAPH_FAILED;
    return context_->SetBlockDim(static_cast<uint32_t>(data_.blockNum));
  }
  // An input that the copy broadcasts: all dims. Another: those behind the cut axis, and of the cut axis.
  void Input(size_t i, BroadcastBaseTilingData<OpDag> &to) {
    const std::vector<int64_t> &dims = data_.dims[i];
    if (i < static_cast<size_t>(OpDag::CopyBrcSize)) {
      Copy(dims, to.inputBrcDims[i]);
      Copy(data_.strides[i], to.inputBrcStrides[i]);
      return;
    }
    const size_t axis = static_cast<size_t>(data_.ubSplitAxis);
    to.inputDims[i][0] = dims[axis];
    to.inputDims[i][1] = 1;
    for (size_t k = axis + 1; k < dims.size(); k++)
      to.inputDims[i][1] *= dims[k];
    Copy(data_.strides[i], to.inputStrides[i]);
  }

  gert::TilingContext *context_;
  std::vector<gert::Shape> shapes_;
  BroadcastTilingData data_ = {};
  weft_cuts::Scalars scalars_;
};
}  // namespace Base
}  // namespace Ops
// SPDX-License-Identifier: Apache-2.0
