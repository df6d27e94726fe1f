// cann_names.h - what CANN's C++ sources may name (made by tools/gen_cann_spellings.py). Lists end with NULL.
#pragma once
#include <stddef.h>

extern const char *const cann_spellings[];  // "register/op_def_registry.h", sorted
extern const char *const cann_macros[];     // "OP_ADD", sorted
// SPDX-License-Identifier: Apache-2.0
