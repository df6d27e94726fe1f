// weft_cann/launch_binary.h - launches that AnnotatedArgsOp declares, through AscendCL: a library with such
// an operator links it (`ascendcl`). Binaries stay loaded as long as the library.
#pragma once
#include <deque>
#include <mutex>
#include <string>

#include "weft_cann/acl_rt.h"
#include "weft_cann/kernel_args.h"

namespace weft_cann {
struct LoadedKernel {
  std::string name;
  std::string binary;
  aclrtFuncHandle function;
  aclrtBinHandle handle;
};
struct LoadedKernels : std::deque<LoadedKernel> {
  ~LoadedKernels() {
    for (const LoadedKernel &one : *this)
      aclrtBinaryUnLoad(one.handle);
  }
};
// nullptr: it cannot be loaded, and aclGetRecentErrMsg says why.
inline aclrtFuncHandle KernelOf(const gert::AnnotatedKernelLaunchInfo &info) {
  static std::mutex lock;
  static LoadedKernels loaded;
  std::lock_guard<std::mutex> held(lock);
  const std::string binary(static_cast<const char *>(info.kernel_bin), info.kernel_bin_size);
  for (const LoadedKernel &one : loaded) {
    if (one.name == info.kernel_name && one.binary == binary)
      return one.function;
  }
  aclrtBinHandle bin = nullptr;
  aclrtFuncHandle function = nullptr;
  if (aclrtBinaryLoadFromData(binary.data(), binary.size(), nullptr, &bin) != ACL_SUCCESS)
    return nullptr;
  if (aclrtBinaryGetFunction(bin, info.kernel_name, &function) != ACL_SUCCESS) {
    aclrtBinaryUnLoad(bin);
    return nullptr;
  }
  loaded.push_back({info.kernel_name, binary, function, bin});
  return function;
}
// "" or what went wrong.
inline std::string LaunchBinary(const gert::AnnotatedKernelLaunchInfo &info, std::vector<uint64_t> &args,
                                void *stream) {
  aclrtFuncHandle function = nullptr;
  if (!info.kernel_name || !info.kernel_bin)
    return "the launch has no kernel's name or no binary";
  function = KernelOf(info);
  const bool launched = function && aclrtLaunchKernel(function, info.block_dim, args.data(),
                                                      args.size() * sizeof args[0], stream) == ACL_SUCCESS;
  if (launched)
    return "";
  const char *text = aclGetRecentErrMsg();
  return text ? text : "no reason is given";
}
}  // namespace weft_cann
// SPDX-License-Identifier: Apache-2.0
