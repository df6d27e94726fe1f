// map_reduce.c
#include "frontend/mindspore/tables.h"

static const ms_row reduce_rows[] = {
    {"Flatten", NULL, NULL, 0, NULL},
};
const ms_rows ms_reduce = MS_ROWS(reduce_rows);
// SPDX-License-Identifier: Apache-2.0
