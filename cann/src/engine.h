// engine.h - shared inside libweft_cann.
#pragma once
#include "weft_cann/engine.h"

bool weft__ge_is_initialized(void);

// Options: which keys are known, and what they say to the compiler. Later lists count before earlier ones.
// Looks at every key: one that is not known is a warning, or an error where `strict`; so is a value that
// weft cannot honour.
WEFT_MUST weft_status weft__ge_options_check(weft_ge_options o, const char *where, bool strict, weft_diag *d);
WEFT_MUST weft_status weft__ge_options_keep(weft_ge_options o, weft_diag *d);  // of the process
void weft__ge_options_forget(void);
// A copy of a list, in one block; list NULL for none and where memory is out.
weft_ge_options weft__ge_options_copy(weft_ge_options o, bool *out_ok);
void weft__ge_options_free(weft_ge_options o);
// NULL: none of the lists has it, the process neither.
const char *weft__ge_option(const weft_ge_options *lists, size_t n, const char *key);
// Compiles as the lists say; the graph is given away.
WEFT_MUST weft_status weft__ge_compile(weft_graph *g, const weft_ge_options *lists, size_t n,
                                       weft_program **out, weft_diag *d);
// SPDX-License-Identifier: Apache-2.0
