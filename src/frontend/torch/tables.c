// tables.c - the families of operators. No two rows have one name.
#include "frontend/torch/tables.h"

const pt_rows *const pt_tables[] = {
    &pt_math,    &pt_shape_ops, &pt_split,   &pt_turn,    &pt_reduce,  &pt_make,    &pt_linear,
    &pt_conv,    &pt_norm,      &pt_pool,    &pt_index,   &pt_scatter, &pt_image,   &pt_rnn,
    &pt_loss,    &pt_tri,       &pt_embed,   &pt_complex, &pt_back,    &pt_special, &pt_stats,
    &pt_arrange, &pt_solve,     &pt_factors, &pt_slope,   &pt_window,  &pt_vision};
const size_t pt_table_count = WEFT_COUNT(pt_tables);
// SPDX-License-Identifier: Apache-2.0
