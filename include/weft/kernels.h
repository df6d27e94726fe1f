// weft/kernels.h - which kernels an environment has. What a kernel is, and how one is registered: weft/op.h,
// weft/env.h. For looking; the runtime chooses by itself. Safe from any number of threads once set-up is
// done.
#pragma once
#include "weft/env.h"
#ifdef __cplusplus
extern "C" {
#endif

// The kernels of operator `op` for `device`, NULL: for all devices, also those that are not there. By index,
// in the order in which they are asked at equal cost: the program's, those of packages, weft's own. NULL at
// the end. Elementwise operators run in regions, too, by kernels of "Fused".
WEFT_API const weft_kernel *weft_kernel_at(const weft_env *e, const char *op, const char *device, size_t i);
// "built-in", "program", or the path of the package that brings it. NULL: not a kernel of the environment.
WEFT_API const char *weft_kernel_origin(const weft_env *e, const weft_kernel *k);
#ifdef __cplusplus
}
#endif
// SPDX-License-Identifier: Apache-2.0
