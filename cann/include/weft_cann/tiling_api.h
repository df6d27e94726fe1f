// weft_cann/tiling_api.h - everything of the kernel library that tiling functions call.
#pragma once
#include "weft_cann/api_tiling.h"
#include "weft_cann/matmul_tiling.h"
// SPDX-License-Identifier: Apache-2.0
