// scaled_sum_tiling.h - the record that host and kernel of ScaledSum share.
#pragma once
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(ScaledSumTilingData)
TILING_DATA_FIELD_DEF(uint64_t, total);
TILING_DATA_FIELD_DEF(uint32_t, block_length);
TILING_DATA_FIELD_DEF(uint32_t, tile_length);
TILING_DATA_FIELD_DEF(float, scale);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(ScaledSum, ScaledSumTilingData)
}  // namespace optiling
// SPDX-License-Identifier: Apache-2.0
