// weft_cann/kernel_tiling.h - the records of the vector and matrix library, as a header of a kernel's own
// record finds them.
#pragma once
#include <cstddef>
#include <cstdint>

#include "weft_cann/api_tiling_data.h"

using TCubeTiling = AscendC::tiling::TCubeTiling;
// SPDX-License-Identifier: Apache-2.0
