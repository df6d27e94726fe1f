// permute.h - axes in another order. Layer: ops.
#pragma once
#include "dims_move.h"

// Axis i of output 0 is axis perm[i] of input 0; n 0: reversed. `what` names the list in errors.
weft_status weft__permute_infer(weft_infer *it, const char *what, const int64_t *perm, size_t n);
weft_status weft__permute_ref(const weft_call *c, const char *what, const int64_t *perm, size_t n);
// SPDX-License-Identifier: Apache-2.0
