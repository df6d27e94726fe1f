// weft_cann/kernel_table.h - kernels of a shared object by operator type: WEFT_CANN_KERNEL names the function
// that runs an operator of OpDef or REG_OP. weft calls the operator's tiling function first, for the tensors
// at hand, and hands over what that chose.
//
//   static weft_status RunAdd(const weft_cann::KernelCall &k) {
//     // k.tiled->key, ->blocks, ->data; k.workspace; k.args: inputs, then outputs
//     return WEFT_OK;
//   }
//   WEFT_CANN_KERNEL(AddCustom, RunAdd, "ascend910b");
#pragma once
#include <map>
#include <string>

#include "weft/tiling.h"
#include "weft_cann/base.h"

namespace weft_cann {
struct KernelCall {
  const weft_call *call;    // tensors with shapes and types; where to report what fails
  const weft_tiled *tiled;  // without a tiling function: one block, key 0, no data
  void *const *args;        // of inputs, then of outputs, in the order of instances
  void *workspace;          // all workspaces behind one another; nullptr: none. Anything may be in it
  uint64_t *found;          // for the shapes of outputs that the kernel finds; nullptr: they are known
};
using KernelFn = weft_status (*)(const KernelCall &call);
struct Kernel {
  KernelFn run = nullptr;
  const char *soc = nullptr;  // that it is tiled for
};
using KernelTable = std::map<std::string, Kernel>;
WEFT_CANN_OWN inline KernelTable &Kernels() {
  static KernelTable table;
  return table;
}
WEFT_CANN_OWN inline bool AddKernel(const char *type, KernelFn run, const char *soc) {
  Kernels()[type] = {run, soc};
  return true;
}
}  // namespace weft_cann

// `soc`: the processor that the tiling function is asked for.
#define WEFT_CANN_KERNEL(type, run, soc) \
  static const bool VAR_UNUSED type##KernelAddedToWeft = ::weft_cann::AddKernel(#type, run, soc)
// SPDX-License-Identifier: Apache-2.0
