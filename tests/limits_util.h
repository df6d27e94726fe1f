// limits_util.h - what the tests of limits share.
#pragma once
#include "weft/weft.h"

// An environment with limits: bytes and ns (0: none), a flag that stops (NULL: none).
weft_env *limits_env(uint64_t bytes, uint64_t ns, const volatile int *cancel);
// The graph of a text, which must be good.
weft_graph *limits_graph(weft_env *e, const char *text, weft_diag *d);
// SPDX-License-Identifier: Apache-2.0
