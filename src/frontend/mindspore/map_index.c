// map_index.c
#include "frontend/mindspore/tables.h"

static const ms_row index_rows[] = {
    {"Flatten", NULL, NULL, 0, NULL},
};
const ms_rows ms_index = MS_ROWS(index_rows);
// SPDX-License-Identifier: Apache-2.0
