// bias_relu_tiling.h - the record that the tiling function writes and the kernel reads.
#pragma once
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(BiasReluTilingData)
TILING_DATA_FIELD_DEF(uint32_t, total);
TILING_DATA_FIELD_DEF(uint32_t, block_length);
TILING_DATA_FIELD_DEF(uint32_t, tile_length);
TILING_DATA_FIELD_DEF(float, bias);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(BiasRelu, BiasReluTilingData)
}  // namespace optiling
// SPDX-License-Identifier: Apache-2.0
