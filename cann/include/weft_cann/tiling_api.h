// weft_cann/tiling_api.h - everything of the kernel library that tiling functions call.
#pragma once
#include "weft_cann/api_tiling.h"
#ifndef WEFT_CANN_KERNEL_SIDE  // a kernel reads what the host cut
#include "weft_cann/matmul_tiling.h"
#endif
// SPDX-License-Identifier: Apache-2.0
