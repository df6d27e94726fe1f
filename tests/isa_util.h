// isa_util.h - tests that choose the instruction set by the variables, as a user does.
#pragma once
#include "weft/env.h"

// Lowers the kernels to an instruction set, until WEFT_ISA is unset. False: the machine has not got it, so
// that the test would be another one once more; nothing is lowered.
bool lower_isa(const char *isa);
// What the variables WEFT_ISA, WEFT_VNNI and WEFT_BF16 leave of the machine now; and an environment that was
// made before they changed takes them over.
const weft_host *asked_host(void);
void isa_again(weft_env *e);
// SPDX-License-Identifier: Apache-2.0
