// map_data.c
#include "frontend/mindspore/tables.h"

static const ms_row data_rows[] = {
    {"Flatten", NULL, NULL, 0, NULL},
};
const ms_rows ms_data = MS_ROWS(data_rows);
// SPDX-License-Identifier: Apache-2.0
