// picked_rows_key.h - the template arguments of PickedRows, which host and kernel share: a type that is that
// of the input, the same as a number, and whether both vector cores of a block take part.
#pragma once
#include "ascendc/host_api/tiling/template_argument.h"

#define PICKED_ROWS_FLOAT 0
#define PICKED_ROWS_HALF  1
#define PICKED_ROWS_INT   3

ASCENDC_TPL_ARGS_DECL(PickedRows,
                      ASCENDC_TPL_DATATYPE_DECL(D_T, C_DT_FLOAT, C_DT_FLOAT16, C_DT_INT32,
                                                ASCENDC_TPL_INPUT(0)),
                      ASCENDC_TPL_DTYPE_DECL(NUMBER, PICKED_ROWS_FLOAT, PICKED_ROWS_HALF, PICKED_ROWS_INT,
                                             ASCENDC_TPL_OUTPUT(0)),
                      ASCENDC_TPL_BOOL_DECL(PAIRS, 0, 1));
ASCENDC_TPL_SEL(ASCENDC_TPL_ARGS_SEL(ASCENDC_TPL_KERNEL_TYPE_SEL(ASCENDC_TPL_AIV_ONLY),
                                     ASCENDC_TPL_DATATYPE_SEL(D_T, C_DT_FLOAT, C_DT_FLOAT16, C_DT_INT32),
                                     ASCENDC_TPL_DTYPE_SEL(NUMBER, PICKED_ROWS_FLOAT, PICKED_ROWS_HALF,
                                                           PICKED_ROWS_INT),
                                     ASCENDC_TPL_BOOL_SEL(PAIRS, 0)),
                ASCENDC_TPL_ARGS_SEL(ASCENDC_TPL_KERNEL_TYPE_SEL(ASCENDC_TPL_MIX_AIC_1_2),
                                     ASCENDC_TPL_DATATYPE_SEL(D_T, ASCENDC_TPL_INPUT(0)),
                                     ASCENDC_TPL_DTYPE_SEL(NUMBER, PICKED_ROWS_FLOAT, PICKED_ROWS_INT),
                                     ASCENDC_TPL_BOOL_SEL(PAIRS, 1)));
// SPDX-License-Identifier: Apache-2.0
