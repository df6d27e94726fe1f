// multicopy.h - the loops around a copy.
#pragma once
#include "weft_cann/asc_core.h"

typedef void (*asc_copy_fn)(weft_asc_core *core, const weft_asc_copy *c, weft_asc_at at);
// The copy once, or as often as SetLoopModePara said for its direction.
void asc_copy_looped(weft_asc_core *core, const weft_asc_copy *c, asc_copy_fn copy, weft_asc_at at);
// SPDX-License-Identifier: Apache-2.0
