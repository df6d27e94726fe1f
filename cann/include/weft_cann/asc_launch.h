// weft_cann/asc_launch.h - how host code launches a kernel: what `kernel<<<blocks, l2, stream>>>(args)` of an
// .asc source becomes, and what ICPU_RUN_KF and packages of operators call.
//
//   weft_asc::call("add", __FILE__, __LINE__, (add), 8, nullptr, stream)(x, y, z);
#pragma once
#include <tuple>
#include <utility>

#include "weft_cann/asc_core.h"

#ifndef WEFT_ASC_ARCH
#define WEFT_ASC_ARCH 2201
#endif

namespace weft_asc {
template <typename Kernel, typename... P>
class Call {
 public:
  Call(Kernel kernel, const weft_asc_launch &launch, void *stream)
      : kernel_(kernel), launch_(launch), stream_(stream) {}
  // Arguments are converted to the kernel's parameters and kept until all blocks have ended. 0, or a failure
  // that weft_asc_error() describes.
  int operator()(P... args) {
    struct Kept {
      Kernel kernel;
      std::tuple<P...> args;
    } kept = {kernel_, std::tuple<P...>(args...)};
    launch_.body = [](void *arg) {
      Kept *k = static_cast<Kept *>(arg);
      std::apply(k->kernel, k->args);
    };
    launch_.args = &kept;
    return weft_asc_run_on(stream_, &launch_);
  }

 private:
  Kernel kernel_;
  weft_asc_launch launch_;
  void *stream_;
};

inline weft_asc_launch LaunchOf(const char *name, const char *file, int line, uint32_t blocks) {
  weft_asc_launch launch = {};
  launch.name = name;
  launch.at = {file, line};
  launch.blocks = blocks;
  launch.arch = WEFT_ASC_ARCH;
  return launch;
}
// What stands second in a launch, a cache's control or a size of memory, means nothing here.
template <typename... P, typename Second>
Call<void (*)(P...), P...> call(const char *name, const char *file, int line, void (*kernel)(P...),
                                uint32_t blocks, const Second &, void *stream = nullptr) {
  return {kernel, LaunchOf(name, file, line, blocks), stream};
}
}  // namespace weft_asc
// SPDX-License-Identifier: Apache-2.0
