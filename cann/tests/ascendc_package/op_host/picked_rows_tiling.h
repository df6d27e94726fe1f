// picked_rows_tiling.h - the record that host and kernel of PickedRows share.
#pragma once
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(PickedRowsTilingData)
TILING_DATA_FIELD_DEF(uint32_t, total);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(PickedRows, PickedRowsTilingData)
}  // namespace optiling
// SPDX-License-Identifier: Apache-2.0
