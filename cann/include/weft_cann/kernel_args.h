// weft_cann/kernel_args.h - arguments of kernels as custom operators hand them over. Execute runs each time
// here, so addresses are never old: UpdateHostArgs is for graph engines that replay launches, and is not
// called.
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "weft_cann/graph_types.h"

namespace gert {
using Placement = ge::Placement;
struct KernelArgs {
  void *args_data = nullptr;
  size_t args_size = 0;
  uint64_t reserved[4] = {};
  Placement placement = Placement::kPlacementHost;
  uint8_t placement_reserved_[4] = {};
};

// What stands in an argument: the address of an input, an output, a workspace.
struct InputAddr {
  uint32_t index;
  const void *addr;
};
struct OutputAddr {
  uint32_t index;
  const void *addr;
};
struct WorkspaceAddr {
  uint32_t index;
  const void *addr;
};
// Arguments of 8 bytes each, in order.
class AnnotatedKernelArgs {
 public:
  AnnotatedKernelArgs() = default;
  template <typename Arg, typename... Args,
            typename = std::enable_if_t<!std::is_same<std::decay_t<Arg>, AnnotatedKernelArgs>::value>>
  AnnotatedKernelArgs(Arg &&arg, Args &&...args) {
    AppendArg(arg);
    (AppendArg(args), ...);
  }
  AnnotatedKernelArgs(const AnnotatedKernelArgs &other) { *this = other; }
  AnnotatedKernelArgs(AnnotatedKernelArgs &&other) noexcept { std::swap(impl_, other.impl_); }
  AnnotatedKernelArgs &operator=(const AnnotatedKernelArgs &other) {
    if (this != &other)
      Values() = other.impl_ ? *other.impl_ : std::vector<uint64_t>();
    return *this;
  }
  AnnotatedKernelArgs &operator=(AnnotatedKernelArgs &&other) noexcept {
    std::swap(impl_, other.impl_);
    return *this;
  }
  ~AnnotatedKernelArgs() noexcept { delete impl_; }
  ge::graphStatus AppendArg(const InputAddr &addr) { return Append(addr.addr); }
  ge::graphStatus AppendArg(const OutputAddr &addr) { return Append(addr.addr); }
  ge::graphStatus AppendArg(const WorkspaceAddr &addr) { return Append(addr.addr); }
  ge::graphStatus AppendArg(uint64_t value) {
    Values().push_back(value);
    return ge::GRAPH_SUCCESS;
  }
  // The arguments' values.
  std::vector<uint64_t> &Values() {
    if (!impl_)
      impl_ = new std::vector<uint64_t>();
    return *impl_;
  }

 private:
  ge::graphStatus Append(const void *address) { return AppendArg(reinterpret_cast<uint64_t>(address)); }
  std::vector<uint64_t> *impl_ = nullptr;
};
struct AnnotatedKernelLaunchInfo {
  const char *kernel_name = nullptr;
  const void *kernel_bin = nullptr;
  size_t kernel_bin_size = 0U;
  uint32_t block_dim = 0U;
  uint32_t stream_id = 0U;
};
}  // namespace gert
// SPDX-License-Identifier: Apache-2.0
