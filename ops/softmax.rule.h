// softmax.rule.h - the slot of the axes along which SoftmaxV2, LogSoftmaxV2 and L2Normalize work: the same
// one, so that nobody needs to ask which of them it is.
#pragma once
#include "op_slots.h"

enum { WEFT_LANE_AXES = WEFT_SLOT_SOFTMAX_V2_AXES };

_Static_assert((int)WEFT_LANE_AXES == (int)WEFT_SLOT_LOG_SOFTMAX_V2_AXES, "LogSoftmaxV2 has another slot");
_Static_assert((int)WEFT_LANE_AXES == (int)WEFT_SLOT_L2_NORMALIZE_AXIS, "L2Normalize has another slot");
// SPDX-License-Identifier: Apache-2.0
