// weft_cann/asc_platform.h - sizes of the chip that kernels ask for by name (op_kernel/platform_util.h).
#pragma once
#include "weft_cann/asc_kernel.h"

namespace Ops {
namespace Base {
// Bytes of a block of the unified buffer, and of a register.
constexpr uint32_t GetUbBlockSize() {
  return 32;
}
constexpr uint32_t GetVRegSize() {
  return 256;
}
inline uint32_t GetUbSize() {
  return AscendC::GetUBSizeInBytes();
}
}  // namespace Base
}  // namespace Ops
// SPDX-License-Identifier: Apache-2.0
