// weft_cann/summary.h - what a session says of a graph that it compiled.
#pragma once
#include "weft_cann/ge_options.h"
#include "weft_cann/graph.h"

namespace ge {
class FeatureMemory {
 public:
  explicit FeatureMemory(size_t size) : size_(size) {}
  MemoryType GetType() const { return MemoryType::MEMORY_TYPE_DEFAULT; }
  size_t GetSize() const { return size_; }
  bool IsFixed() const { return false; }

 private:
  size_t size_;
};
using FeatureMemoryPtr = std::shared_ptr<FeatureMemory>;
class ExternalWeightDesc;  // weights are in the program: there are none
using ExternalWeightDescPtr = std::shared_ptr<ExternalWeightDesc>;
class StreamAllocationSummary;

class CompiledGraphSummary {
 public:
  // Takes the program over.
  explicit CompiledGraphSummary(weft_program *program) : program_(program) {
    plan_.size = sizeof plan_;
    static_ = ShapesAreKnown() && Plan();
  }
  ~CompiledGraphSummary() { weft_program_release(program_); }
  CompiledGraphSummary(const CompiledGraphSummary &) = delete;
  CompiledGraphSummary &operator=(const CompiledGraphSummary &) = delete;

  // All shapes are known, and so is the memory that a run takes.
  bool IsStatic() const { return static_; }
  // Memory sizes are those of static graphs: FAILED for others.
  Status GetConstMemorySize(size_t &size) const { return Size(plan_.constant_bytes, size); }
  Status GetFeatureMemorySize(size_t &size) const { return Size(plan_.arena_bytes, size); }
  Status GetFixedFeatureMemorySize(size_t &size) const { return Size(0, size); }
  Status GetRefreshableFeatureMemorySize(size_t &size) const { return Size(plan_.arena_bytes, size); }
  std::vector<FeatureMemoryPtr> GetAllFeatureMemoryTypeSize() const {
    return {std::make_shared<FeatureMemory>(static_cast<size_t>(plan_.arena_bytes))};
  }
  Status GetFeatureMemoryBaseRefreshable(bool &refreshable) const {
    refreshable = false;
    return SUCCESS;
  }
  Status GetStreamNum(size_t &streams) const {
    streams = 1;
    return SUCCESS;
  }
  Status GetEventNum(size_t &events) const {
    events = 0;
    return SUCCESS;
  }
  Status GetOutputShapes(std::vector<ge::Shape> &shapes) const {
    weft_tensor_desc desc;
    shapes.clear();
    for (size_t i = 0; weft_program_output(program_, i, &desc); i++)
      shapes.push_back(weft_own::ShapeOf(desc.layout.origin));
    return SUCCESS;
  }
  Status GetOutputDtypes(std::vector<ge::DataType> &types) const {
    weft_tensor_desc desc;
    types.clear();
    for (size_t i = 0; weft_program_output(program_, i, &desc); i++)
      types.push_back(static_cast<DataType>(desc.dtype));
    return SUCCESS;
  }
  Status GetIOIndexesWithSameAddr(std::vector<std::pair<uint32_t, uint32_t>> &indexes) const {
    indexes.clear();
    return SUCCESS;
  }
  Status GetExternalWeightPaths(std::vector<ExternalWeightDescPtr> &paths) const {
    paths.clear();
    return SUCCESS;
  }

 private:
  Status Size(uint64_t bytes, size_t &size) const {
    if (!static_)
      return FAILED;
    size = static_cast<size_t>(bytes);
    return SUCCESS;
  }
  bool ShapesAreKnown() const {
    weft_tensor_desc desc;
    for (size_t i = 0; weft_program_input(program_, i, &desc); i++) {
      if (!weft_shape_is_known(&desc.layout.origin))
        return false;
    }
    for (size_t i = 0; weft_program_output(program_, i, &desc); i++) {
      if (!weft_shape_is_known(&desc.layout.origin))
        return false;
    }
    return true;
  }
  bool Plan() {
    weft_diag d = {};
    weft_exec *exec = nullptr;
    weft_status status = weft_exec_create(program_, nullptr, &exec, &d);
    if (!status)
      status = weft_exec_prepare(exec, nullptr, 0, &plan_, &d);
    weft_exec_destroy(exec);
    return !status && plan_.whole;
  }
  weft_program *program_;
  weft_memory_plan plan_ = {};
  bool static_ = false;
};
using CompiledGraphSummaryPtr = std::shared_ptr<CompiledGraphSummary>;
}  // namespace ge
// SPDX-License-Identifier: Apache-2.0
