// carried.h - bytes that operators keep in a saved program (weft_op.save, weft_op.load). Layer: program.
#pragma once
#include "program/program.h"

// Nothing is written where no operator of the program saves anything.
weft_status weft__carried_save(const weft_program *p, weft_text *out, weft_diag *d);
// E_CORRUPT, E_NOT_FOUND, E_UNSUPPORTED, and what operators say.
weft_status weft__carried_load(const weft_program *p, const uint8_t *v, size_t bytes, weft_diag *d);
// SPDX-License-Identifier: Apache-2.0
