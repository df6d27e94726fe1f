// weft_cann/asc_package.h - a kernel of a package, compiled for one combination of types: a shared object of
// its own, which the package's library finds below kernels/ beside it. `weft op kernels` writes the few lines
// around the user's source that name the operator, the types and the kernel.
#pragma once
#define WEFT_ASC_PACKAGE_KERNEL 1
#include "weft_cann/kernel_file.h"
#include "weft_cann/kernel_operator.h"
#include "weft_cann/op_util.h"
#include "weft_cann/tiling_key.h"
#include "weft_cann/types.h"

namespace weft_asc {
// Calls a kernel with its arguments as weft has them: inputs, outputs, workspace, tiling data. A kernel may
// take fewer.
template <typename... P, size_t... i>
void CallWith(void (*kernel)(P...), void *const *args, std::index_sequence<i...>) {
  kernel(reinterpret_cast<P>(args[i])...);
}
// Cores as ASCENDC_TPL_KERNEL_TYPE_SEL numbers them.
constexpr int TaskOfCores(int cores) {
  switch (cores) {
    case ASCENDC_TPL_AIC_ONLY:
    case ASCENDC_TPL_MIX_AIC_1_0:
      return WEFT_ASC_TASK_AIC;
    case ASCENDC_TPL_MIX_AIC_1_1:
      return WEFT_ASC_TASK_MIX_1_1;
    case ASCENDC_TPL_MIX_AIC_1_2:
      return WEFT_ASC_TASK_MIX_1_2;
    default:
      return WEFT_ASC_TASK_AIV;
  }
}
template <typename... P>
struct PackageKernel {
  template <void (*kernel)(P...)>
  static int Launch(const weft_kernel_launch *l) {
    return LaunchOn<kernel>(l, -1);
  }
  // cores: of ASCENDC_TPL_KERNEL_TYPE_SEL; -1: the kernel says it itself.
  template <void (*kernel)(P...)>
  static int LaunchOn(const weft_kernel_launch *l, int cores) {
    if (l->n_args < sizeof...(P)) {
      weft_asc_fail({l->name, 0},
                    "the kernel takes %zu arguments, and the operator has %u with workspace and tiling",
                    sizeof...(P), l->n_args);
      return WEFT_ASC_INVALID;
    }
    weft_asc_launch launch = LaunchOf(l->name, l->name, 0, l->blocks);
    launch.tiling_key = l->tiling_key;
    launch.task = TaskOfCores(cores);
    launch.parallel = l->parallel;
    launch.parallel_ctx = l->parallel_ctx;
    launch.body = [](void *args) {
      CallWith(kernel, static_cast<void *const *>(args), std::index_sequence_for<P...>());
    };
    launch.args = const_cast<void **>(l->args);
    return weft_asc_run(&launch);
  }
};
template <typename... P>
constexpr PackageKernel<P...> KernelOf(void (*)(P...)) {
  return {};
}
}  // namespace weft_asc

// op: the type's name; soc: that it is tiled for; start: launches the kernel; then the dtypes of ports,
// weft_dtype.
#define WEFT_ASC_KERNEL_ENTRY(op, soc, start, ...)                                                         \
  static const int32_t weft_kernel_dtypes[] = {__VA_ARGS__};                                               \
  extern "C" __attribute__((visibility("default")))                                                        \
  const weft_kernel_file weft_kernel_file_entry = {sizeof(weft_kernel_file),                               \
                                                   WEFT_KERNEL_FILE_VERSION,                               \
                                                   op,                                                     \
                                                   soc,                                                    \
                                                   sizeof weft_kernel_dtypes / sizeof *weft_kernel_dtypes, \
                                                   weft_kernel_dtypes,                                     \
                                                   start,                                                  \
                                                   weft_asc_error};
// The same of a plain function.
#define WEFT_ASC_KERNEL_FILE(op, soc, kernel, ...) \
  WEFT_ASC_KERNEL_ENTRY(op, soc, &decltype(weft_asc::KernelOf(&kernel))::Launch<&kernel>, __VA_ARGS__)
// SPDX-License-Identifier: Apache-2.0
