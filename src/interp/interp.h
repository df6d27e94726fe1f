// interp.h - the interpreter for those who run a graph within a call of their own. Layer: interp.
#pragma once
#include "ir/ir.h"
#include "weft/interp.h"

// weft_interp_run within a budget that is there already; NULL: within the environment's limits. out[i] are
// initialised here, with memory of the budget, and the caller's afterwards, after a failure too.
weft_status weft__interp_within(weft_graph *g, weft__budget *budget, const weft_tensor *const *in,
                                size_t n_in, weft_tensor *out, size_t n_out, weft_diag *d);
// SPDX-License-Identifier: Apache-2.0
