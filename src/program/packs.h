// packs.h - packed constants in a program file: packs.c. Layer: program.
#pragma once
#include "program/program.h"

typedef WEFT_VEC(weft__stored) weft__pack_list;
// What was packed so far, of constants in `weights`: PIDX as bytes, and what PDAT holds.
weft_status weft__packs_save(const weft_program *p, const weft__weight_list *weights, weft_text *index,
                             weft__pack_list *list, weft_diag *d);
// The data stay where they are.
weft_status weft__packs_load(weft_program *p, const uint8_t *index, size_t index_bytes, const uint8_t *data,
                             size_t data_bytes, weft_diag *d);
weft_status weft__packs_verify(const weft_program *p, weft_diag *d);
// SPDX-License-Identifier: Apache-2.0
