// map_nn.c
#include "frontend/mindspore/tables.h"

static const ms_row nn_rows[] = {
    {"Flatten", NULL, NULL, 0, NULL},
};
const ms_rows ms_nn = MS_ROWS(nn_rows);
// SPDX-License-Identifier: Apache-2.0
