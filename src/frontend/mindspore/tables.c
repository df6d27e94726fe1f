// tables.c - the families of operators. No two rows have one name.
#include "frontend/mindspore/tables.h"

const ms_rows *const ms_tables[] = {&ms_glue,   &ms_python,  &ms_state,  &ms_math,    &ms_image,
                                    &ms_linear, &ms_special, &ms_reduce, &ms_data,    &ms_border,
                                    &ms_index,  &ms_nn,      &ms_norm,   &ms_complex, &ms_same};
const size_t ms_table_count = WEFT_COUNT(ms_tables);
// SPDX-License-Identifier: Apache-2.0
