// arg.rule.h - attribute slots of ArgMaxV2 and ArgMin (WEFT_ARG_PROTO).
#pragma once

enum { WEFT_ARG_DTYPE, WEFT_ARG_KEEP_DIMS, WEFT_ARG_LAST };
// SPDX-License-Identifier: Apache-2.0
