// weft_cann/atvoss_elewise.h - tiling of element-wise operators: the elements are dealt out to cores in equal
// runs, and a core takes as many at a time as its buffers hold.
#pragma once
#include <map>
#include <vector>

#include "weft_cann/atvoss_dag.h"
#include "weft_cann/op_util.h"
#include "weft_cann/tiling.h"

#include "weft_cann/platform_ascendc.h"
#include "weft_cann/tiling_base.h"

namespace Ops {
namespace Base {
enum class BITS_SIZE { BITS1_SIZE = 1, BITS8_SIZE = 8, BITS16_SIZE = 16, BITS32_SIZE = 32, BITS64_SIZE = 64 };
constexpr int64_t BITS_NUM = 8;
constexpr uint64_t OP_KEY_OFFSET = 100000000000000;

struct EleBaseTilingData {
  int64_t dim0;
  int32_t coreNum;
  int32_t ubFormer;
  int64_t blockFormer;
  int64_t blockNum;
  int64_t ubLoopOfFormerBlock;
  int64_t ubLoopOfTailBlock;
  int64_t ubTailOfFormerBlock;
  int64_t ubTailOfTailBlock;
  int64_t elemNum;
  uint64_t scheMode;
};
using EleBaseTilingDataV2 = EleBaseTilingData;
struct EleBaseTilingData16B {
  int64_t dim0;
  int32_t coreNum;
  int32_t ubFormer;
};
struct EleBaseTilingData24B {
  int64_t dim0;
  int32_t coreNum;
  int32_t ubFormer;
  char scalarData[8];
};
struct EleBaseTilingData32B {
  int64_t dim0;
  int32_t coreNum;
  int32_t ubFormer;
  char scalarData[16];
};
struct ElewiseCompileInfo {
  uint64_t coreNum = 0;
  uint64_t ubSize = 0;
};
// bufferDivisor: bits of the unified buffer that an element needs; extraSize: bytes of it that are taken.
struct ComputeParams {
  int64_t maxDtypeBits;
  int64_t minDtypeBits;
  std::vector<int64_t> extraSize;
  std::vector<int64_t> bufferDivisor;
};
struct ElewiseTilingParams {
  int64_t coreNum;
  gert::Shape shape;
  int64_t ubSize;
  std::map<uint64_t, ComputeParams> computeMap;
};
struct ElewiseTilingData {
  uint64_t innerKey;
  int64_t dim0;
  int64_t ubFormer;
  int64_t blockFormer;
  int64_t blockNum;
  int64_t coreNum;
  int64_t ubLoopOfFormerBlock;
  int64_t ubLoopOfTailBlock;
  int64_t ubTailOfFormerBlock;
  int64_t ubTailOfTailBlock;
  int64_t elemNum;
};

namespace weft_cuts {
constexpr int64_t kVectorBytes = 256;       // what a vector instruction takes at once
constexpr int64_t kBytesWorthACore = 4096;  // less for a core costs more than it saves
constexpr int64_t kElementsOfABlock = 512;  // a core's elements are a multiple
constexpr uint64_t kScheduleOfElements = 1;
constexpr uint64_t kScheduleOfOneAxisAndScalars = 7;
constexpr uint64_t kScheduleOfOneAxis = 8;

// The cores and the bytes of a core's buffer that a tiling may use.
struct Machine {
  int64_t cores = 0;
  int64_t bytes = 0;
};
// From the platform; where there is none, from the compile info, which must be cores and bytes.
template <typename CompileInfo>
Machine MachineOf(const gert::TilingContext *context) {
  Machine machine;
  if (fe::PlatFormInfos *infos = context->GetPlatformInfo()) {
    platform_ascendc::PlatformAscendC platform(infos);
    uint64_t bytes = 0;
    platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, bytes);
    machine.cores = platform.GetCoreNumAiv();
    machine.bytes = static_cast<int64_t>(bytes);
  }
  if (machine.cores > 0 && machine.bytes > 0)
    return machine;
  const auto *info = static_cast<const CompileInfo *>(context->GetCompileInfo());
  if (info) {
    machine.cores = static_cast<int64_t>(info->coreNum);
    machine.bytes = static_cast<int64_t>(info->ubSize);
  }
  return machine;
}

// How many elements of so many bits fit, as whole vectors of the smallest type; 0: not one vector does.
inline int64_t ElementsThatFit(int64_t bytes, int64_t taken, int64_t bits, int64_t min_bits) {
  const int64_t step = kVectorBytes * BITS_NUM / (min_bits > 0 ? min_bits : BITS_NUM);
  const int64_t room = bytes - taken;
  if (room <= 0 || bits <= 0 || room > std::numeric_limits<int64_t>::max() / BITS_NUM)
    return 0;
  return FloorAlign(std::min(room * BITS_NUM / bits, static_cast<int64_t>(1) << 30), step);
}
inline ge::graphStatus Deal(int64_t elements, int64_t fit, int64_t min_bits, const Machine &machine,
                            ElewiseTilingData &data) {
  if (elements <= 0 || fit <= 0 || machine.cores <= 0)
    return ge::GRAPH_FAILED;
  const int64_t worth = kBytesWorthACore * BITS_NUM / (min_bits > 0 ? min_bits : BITS_NUM);
  const int64_t cores = std::min(machine.cores, CeilDiv(elements, worth));
  data.innerKey = kScheduleOfElements;
  data.dim0 = elements;
  data.elemNum = fit;
  data.blockFormer = CeilAlign(CeilDiv(elements, cores), kElementsOfABlock);
  data.blockNum = CeilDiv(elements, data.blockFormer);
  data.coreNum = data.blockNum;
  data.ubFormer = fit;
  const int64_t tail = elements - (data.blockNum - 1) * data.blockFormer;
  data.ubLoopOfFormerBlock = CeilDiv(data.blockFormer, data.ubFormer);
  data.ubLoopOfTailBlock = CeilDiv(tail, data.ubFormer);
  data.ubTailOfFormerBlock = data.blockFormer - (data.ubLoopOfFormerBlock - 1) * data.ubFormer;
  data.ubTailOfTailBlock = tail - (data.ubLoopOfTailBlock - 1) * data.ubFormer;
  return ge::GRAPH_SUCCESS;
}
// How a kernel's key says which entry of the compute map, and which schedule, it is for.
inline uint64_t InnerKey(uint64_t entry, uint64_t schedule) {
  return entry * 1000000 + schedule * 1000 + 100;
}
inline int64_t FirstOf(const std::vector<int64_t> &list) {
  return list.empty() ? 0 : list[0];
}

// A scalar's bytes at the end of the tiling data; longer ones are refused.
class Scalars {
 public:
  template <typename T>
  void Add(T value) {
    static_assert(sizeof(T) <= 16, "a scalar of tiling data has 16 bytes at most");
    const size_t at = CeilAlign(size_, sizeof(T));
    if (at + sizeof(T) > sizeof bytes_) {
      too_many_ = true;
      return;
    }
    memcpy(bytes_ + at, &value, sizeof(T));
    size_ = at + sizeof(T);
    if (to_ && size_ <= room_)
      memcpy(to_, bytes_, size_);
  }
  bool Empty() const { return size_ == 0 && !too_many_; }
  // Those that are added later go there, too: `to` is tiling data of a context, which outlives this.
  bool CopyTo(char *to, size_t size) {
    if (too_many_ || size_ > size)
      return false;
    memcpy(to, bytes_, size);
    to_ = to;
    room_ = size;
    return true;
  }

 private:
  char *to_ = nullptr;
  size_t room_ = 0;
  char bytes_[16] = {};
  size_t size_ = 0;
  bool too_many_ = false;
};
}  // namespace weft_cuts

inline bool IsSameElewiseShape(const gert::Shape &a, const gert::Shape &b) {
  return EnsureNotScalar(a) == EnsureNotScalar(b);
}

inline ge::graphStatus ElewiseTiling(const ElewiseTilingParams &params, ElewiseTilingData &data) {
  data = {};
  if (params.computeMap.empty())
    return ge::GRAPH_FAILED;
  const auto &entry = *params.computeMap.begin();
  const ComputeParams &needs = entry.second;
  const int64_t fit = weft_cuts::ElementsThatFit(params.ubSize, weft_cuts::FirstOf(needs.extraSize),
                                                 weft_cuts::FirstOf(needs.bufferDivisor), needs.minDtypeBits);
  const ge::graphStatus status = weft_cuts::Deal(params.shape.GetShapeSize(), fit, needs.minDtypeBits,
                                                 {params.coreNum, params.ubSize}, data);
  data.innerKey = weft_cuts::InnerKey(entry.first, 0);
  return status;
}

class ElewiseBaseTiling {
 public:
  explicit ElewiseBaseTiling(gert::TilingContext *context) : context_(context) {}

  template <typename OpDag, bool CheckShape = true>
  ge::graphStatus DoTiling(EleBaseTilingData &to, int64_t extraSize = 0, int64_t extraBufferNum = 0) {
    if (Plan<OpDag, CheckShape>(extraSize, extraBufferNum) != ge::GRAPH_SUCCESS)
      return ge::GRAPH_FAILED;
    to = {data_.dim0,
          static_cast<int32_t>(data_.coreNum),
          static_cast<int32_t>(data_.ubFormer),
          data_.blockFormer,
          data_.blockNum,
          data_.ubLoopOfFormerBlock,
          data_.ubLoopOfTailBlock,
          data_.ubTailOfFormerBlock,
          data_.ubTailOfTailBlock,
          data_.elemNum,
          data_.innerKey};
    return ge::GRAPH_SUCCESS;
  }
  template <typename OpDag, bool CheckShape>
  ge::graphStatus DoTiling(ElewiseTilingData &to, int64_t extraSize = 0, int64_t extraBufferNum = 0) {
    const ge::graphStatus status = Plan<OpDag, CheckShape>(extraSize, extraBufferNum);
    to = data_;
    return status;
  }
  template <typename OpDag, bool CheckShape = true>
  ge::graphStatus DoTiling(EleBaseTilingData16B &to, int64_t extraSize = 0, int64_t extraBufferNum = 0) {
    if (Plan<OpDag, CheckShape>(extraSize, extraBufferNum) != ge::GRAPH_SUCCESS)
      return ge::GRAPH_FAILED;
    Head(to);
    return ge::GRAPH_SUCCESS;
  }
  // These two write the context's own tiling data, with the scalars behind the numbers.
  template <typename OpDag, bool CheckShape = true>
  ge::graphStatus DoTiling24B(int64_t extraSize = 0, int64_t extraBufferNum = 0) {
    return WithScalars<EleBaseTilingData24B, OpDag, CheckShape>(extraSize, extraBufferNum);
  }
  template <typename OpDag, bool CheckShape = true>
  ge::graphStatus DoTiling32B(int64_t extraSize = 0, int64_t extraBufferNum = 0) {
    return WithScalars<EleBaseTilingData32B, OpDag, CheckShape>(extraSize, extraBufferNum);
  }
  // Elements of four bits: two of them are one byte.
  template <typename OpDag, bool CheckShape = true>
  ge::graphStatus DoTiling4Bits(EleBaseTilingData &to, int64_t extraSize = 0, int64_t extraBufferNum = 0) {
    return DoTiling<OpDag, CheckShape>(to, extraSize, extraBufferNum);
  }
  template <typename OpDag, bool CheckShape>
  ge::graphStatus DoTiling4Bits(ElewiseTilingData &to, int64_t extraSize = 0, int64_t extraBufferNum = 0) {
    return DoTiling<OpDag, CheckShape>(to, extraSize, extraBufferNum);
  }
  // Before the tiling or behind it.
  template <typename T>
  void SetScalar(T value) {
    scalars_.Add(value);
  }
  int64_t GetBlockDim() const { return data_.blockNum; }
  int64_t GetNumBlocks() { return data_.blockNum; }

 private:
  template <typename OpDag>
  bool InputsFit(const gert::Shape &shape) const {
    return OpDag::Counts::EachInput([&](size_t place) {
      const gert::StorageShape *input = context_->GetInputShape(place);
      if (input && IsSameElewiseShape(input->GetStorageShape(), shape))
        return true;
      OP_LOGE(context_, "input %zu has not the shape %s of output 0, and is not broadcast", place,
              ToString(shape).c_str());
      return false;
    });
  }
  template <typename OpDag, bool CheckShape>
  ge::graphStatus Plan(int64_t extra_bytes, int64_t extra_buffers) {
    data_ = {};
    const gert::StorageShape *output = context_ ? context_->GetOutputShape(0) : nullptr;
    if (!output || extra_bytes < 0 || extra_buffers < 0 || extra_buffers > 64) {
      OP_LOGE(context_, "there is no output 0, or the extra buffers are not 0 to 64");
      return ge::GRAPH_FAILED;
    }
    const gert::Shape &shape = output->GetStorageShape();
    if (CheckShape && !InputsFit<OpDag>(shape))
      return ge::GRAPH_FAILED;
    const auto machine = weft_cuts::MachineOf<ElewiseCompileInfo>(context_);
    const int64_t bits = OpDag::kBitsOfElement + extra_buffers * OpDag::kMaxBits;
    const int64_t fit = weft_cuts::ElementsThatFit(machine.bytes, extra_bytes, bits, OpDag::kMinBits);
    const auto status = weft_cuts::Deal(shape.GetShapeSize(), fit, OpDag::kMinBits, machine, data_);
    if (status != ge::GRAPH_SUCCESS)
      OP_LOGE(context_, "no tiling of %ld elements of %ld bits of buffers for %ld cores of %ld bytes",
              static_cast<long>(shape.GetShapeSize()), static_cast<long>(bits),
              static_cast<long>(machine.cores), static_cast<long>(machine.bytes));
    return status;
  }
  template <typename Data>
  void Head(Data &to) const {
    to.dim0 = data_.dim0;
    to.coreNum = static_cast<int32_t>(data_.coreNum);
    to.ubFormer = static_cast<int32_t>(data_.ubFormer);
  }
  template <typename Data, typename OpDag, bool CheckShape>
  ge::graphStatus WithScalars(int64_t extra_bytes, int64_t extra_buffers) {
    if (Plan<OpDag, CheckShape>(extra_bytes, extra_buffers) != ge::GRAPH_SUCCESS)
      return ge::GRAPH_FAILED;
    Data *to = context_->GetTilingData<Data>();
    if (!to || !scalars_.CopyTo(to->scalarData, sizeof to->scalarData)) {
      OP_LOGE(context_, "the scalars do not fit into the %zu bytes of tiling data", sizeof(Data));
      return ge::GRAPH_FAILED;
    }
    Head(*to);
    return ge::GRAPH_SUCCESS;
  }

  gert::TilingContext *context_;
  ElewiseTilingData data_ = {};
  weft_cuts::Scalars scalars_;
};
}  // namespace Base
}  // namespace Ops
// SPDX-License-Identifier: Apache-2.0
