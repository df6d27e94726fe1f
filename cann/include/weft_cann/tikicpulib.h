// weft_cann/tikicpulib.h - unit tests of kernels on the CPU, in the form that they have for CANN's twin of
// the chip:
//
//   uint8_t *x = (uint8_t *)AscendC::GmAlloc(bytes);
//   AscendC::SetKernelMode(KernelMode::AIV_MODE);
//   ICPU_SET_TILING_KEY(1);
//   ICPU_RUN_KF(add_custom, 8, x, y, z, workspace, tiling);
//   AscendC::GmFree(x);
//
// A kernel is a function or a lambda. What it does wrong is an exception, std::runtime_error, with block,
// line and rule (where exceptions are off, the message goes to stderr and the program ends): a test fails,
// not the next one. UB has 1 MB, more than any chip: tests whose buffers would not fit on theirs are
// common. In checked mode it is the chip's own. Sources that are compiled beside a test ask for the twin by
// ASCENDC_CPU_DEBUG or __CCE_KT_TEST__: a build that compiles kernels apart says them to the compiler.
#pragma once
#ifndef ASCENDC_CPU_DEBUG
#define ASCENDC_CPU_DEBUG 1
#endif
#ifndef __CCE_KT_TEST__
#define __CCE_KT_TEST__ 1
#endif
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "weft_cann/kernel_operator.h"

enum class KernelMode { MIX_MODE = 0, AIV_MODE, AIC_MODE, MIX_AIC_1_1 };

namespace weft_asc {
// What the calls below set for the launches that follow in this thread.
struct TwinSettings {
  uint64_t tiling_key = 0;
  int task = WEFT_ASC_TASK_MIX_1_2;
};
inline TwinSettings &Twin() {
  thread_local TwinSettings settings;
  return settings;
}
[[noreturn]] inline void TwinFailed(const std::string &text) {
#ifdef __cpp_exceptions
  throw std::runtime_error(text);
#else
  std::fprintf(stderr, "%s\n", text.c_str());
  std::abort();
#endif
}
template <typename Kernel, typename... Args>
void TwinRun(const char *name, const char *file, int line, Kernel &&kernel, uint32_t blocks, Args &&...args) {
  const auto body = [&] { kernel(args...); };
  using Body = decltype(body);
  weft_asc_launch launch = LaunchOf(name, file, line, blocks);
  launch.tiling_key = Twin().tiling_key;
  launch.arch = launch.arch == 2201 ? WEFT_ASC_ARCH_TWIN : launch.arch;
  launch.task = Twin().task;
  launch.body = [](void *arg) { (*static_cast<Body *>(arg))(); };
  launch.args = const_cast<void *>(static_cast<const void *>(&body));
  if (weft_asc_run(&launch))
    TwinFailed(weft_asc_error());
}
}  // namespace weft_asc

namespace AscendC {
using ::KernelMode;
// Zeros, aligned as memory of the device is.
inline void *GmAlloc(size_t bytes) {
  constexpr size_t kAlign = 512;
  const size_t room = (bytes + kAlign - 1) / kAlign * kAlign;
  void *memory = room >= bytes ? std::aligned_alloc(kAlign, room ? room : kAlign) : nullptr;
  if (memory)
    memset(memory, 0, room ? room : kAlign);
  return memory;
}
inline void GmFree(void *memory) {
  std::free(memory);
}
// Which cores take part, unless the kernel says it itself.
inline void SetKernelMode(KernelMode mode) {
  static constexpr int tasks[] = {WEFT_ASC_TASK_MIX_1_2, WEFT_ASC_TASK_AIV, WEFT_ASC_TASK_AIC,
                                  WEFT_ASC_TASK_MIX_1_1};
  weft_asc::Twin().task = tasks[static_cast<int>(mode)];
}
}  // namespace AscendC

#define ICPU_SET_TILING_KEY(key) (weft_asc::Twin().tiling_key = static_cast<uint64_t>(key))
// The kernel is called where its arguments' types choose it: a name may be overloaded.
#define ICPU_RUN_KF(kernel, blocks, ...)                                               \
  weft_asc::TwinRun(                                                                   \
      #kernel, __FILE__, __LINE__, [&](auto &&...weft_args) { kernel(weft_args...); }, \
      static_cast<uint32_t>(blocks), ##__VA_ARGS__)
// SPDX-License-Identifier: Apache-2.0
