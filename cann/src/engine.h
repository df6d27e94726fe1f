// engine.h - shared inside libweft_cann.
#pragma once
#include "weft_cann/engine.h"

bool weft__ge_is_initialized(int use);

// Options: which keys are known, and what they say to the compiler.
// Looks at every key: one that is not known is a warning, or an error where `strict`.
WEFT_MUST weft_status weft__ge_options_check(weft_ge_options o, const char *where, bool strict, weft_diag *d);
WEFT_MUST weft_status weft__ge_options_keep(int use, weft_ge_options o, weft_diag *d);  // of the process
void weft__ge_options_forget(int use);
// A copy of a list, in one block; list NULL for none and where memory is out.
weft_ge_options weft__ge_options_copy(weft_ge_options o, bool *out_ok);
void weft__ge_options_free(weft_ge_options o);

// Whose options count, the first one first; the process's come last.
typedef struct weft__ge_lists {
  weft_ge_options list[2];
  int use;
} weft__ge_lists;
const char *weft__ge_option(const weft__ge_lists *lists, const char *key);  // NULL: nobody has it
// Compiles as the lists say; the graph is given away.
WEFT_MUST weft_status weft__ge_compile(weft_graph *g, const weft__ge_lists *lists, weft_program **out,
                                       weft_diag *d);
// SPDX-License-Identifier: Apache-2.0
