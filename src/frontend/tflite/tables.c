// tables.c - the families of operators. No two rows have one number.
#include "frontend/tflite/tables.h"

const tl_rows *const tl_tables[] = {&tl_math, &tl_data, &tl_nn, &tl_signal, &tl_control};
const size_t tl_table_count = WEFT_COUNT(tl_tables);
// SPDX-License-Identifier: Apache-2.0
