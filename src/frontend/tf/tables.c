// tables.c - the families of operators. No two rows have one name.
#include "frontend/tf/tables.h"

const tf_rows *const tf_tables[] = {
    &tf_math,        &tf_data, &tf_nn,    &tf_image,  &tf_quant, &tf_linear,  &tf_signal, &tf_state,
    &tf_tables_text, &tf_flow, &tf_lists, &tf_switch, &tf_while, &tf_segment, &tf_same,   &tf_ragged};
const size_t tf_table_count = WEFT_COUNT(tf_tables);
// SPDX-License-Identifier: Apache-2.0
