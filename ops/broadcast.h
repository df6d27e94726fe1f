// broadcast.h - operators whose output is input 0 repeated along axes of size 1. Layer: ops.
#pragma once
#include "dims_move.h"

weft_status weft__broadcast_ref(const weft_call *c);
weft_status weft__broadcast_elems(weft_infer *it);
// SPDX-License-Identifier: Apache-2.0
