// launch.h - launches among tokens.
#pragma once
#include "tokens.h"

// Does a launch's "<<<" stand at token i?
bool ascc_launch_at(const ascc_tokens *t, size_t i);
// The first token, not before `floor`, of the expression before the "<<<" at i that says the kernel;
// SIZE_MAX: there is none.
size_t ascc_launch_kernel(const ascc_tokens *t, size_t i, size_t floor);
// The ">>>" that closes the "<<<" at i; SIZE_MAX: none does.
size_t ascc_launch_end(const ascc_tokens *t, size_t i);
// SPDX-License-Identifier: Apache-2.0
