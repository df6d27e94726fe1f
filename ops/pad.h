// pad.h - elements added around a tensor (or cut off, with negative counts). Layer: ops.
#pragma once
#include "dims_move.h"
#include "pad.rule.h"

// Input 0 padded by input 1, which holds [before, after] of every axis, or with contiguous false all befores
// and then all
// afters. Any shape of 2*rank elements does. Modes other than constant need a non-empty axis where they pad.
weft_status weft__pad_infer(weft_infer *it, weft_pad_source mode, bool contiguous);
weft_status weft__pad_ref(const weft_call *c, weft_pad_source mode, bool contiguous, const weft_tensor *fill);
// SPDX-License-Identifier: Apache-2.0
