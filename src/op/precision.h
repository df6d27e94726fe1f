// precision.h - the compile option precision_mode: CANN's names, and what kernels may do under each.
#pragma once
#include "base/base.h"

#define WEFT__PRECISION_META "weft.precision_mode"  // the note of a program that keeps the name

// The mode's name in "precision_mode=NAME"; NULL: another option.
const char *weft__precision_name(const char *option);
// WEFT_PRECISION_* of a mode; unknown ones fail with the list.
weft_status weft__precision_read(const char *name, uint32_t *out, weft_diag *d);
// SPDX-License-Identifier: Apache-2.0
